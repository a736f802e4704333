// mechanism: race of none
// kind: end
// ends: deadlock

await Promise.race([])
