// mechanism: JSON read, objects
// kind: deep
// ends: error

JSON.parse('{"a":'.repeat(1e5))
