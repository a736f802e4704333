// mechanism: Proxies of functions
// kind: deep
// ends: error

let p = () => 1; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p()
