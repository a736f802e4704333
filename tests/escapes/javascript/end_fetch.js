// mechanism: fetch
// kind: end
// ends: error

await fetch('http://127.0.0.1/')
