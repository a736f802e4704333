// mechanism: join
// kind: memory
// ends: error

new Array(1e5).fill('x'.repeat(1e4)).join()
