// mechanism: many errors at once
// kind: deep
// ends: value error

throw new AggregateError(Array.from({ length: 1e4 }, () => new Error('x')))
