// mechanism: JSON read
// kind: deep
// ends: error

JSON.parse('['.repeat(1e5))
