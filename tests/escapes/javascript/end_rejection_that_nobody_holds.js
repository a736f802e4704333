// mechanism: rejection that nobody holds
// kind: end
// ends: error

await Promise.any([Promise.reject(1)])
