// mechanism: replaceAll
// kind: memory
// ends: soft hard error value

'a'.repeat(1e5).replaceAll('a', 'b'.repeat(1e5))
