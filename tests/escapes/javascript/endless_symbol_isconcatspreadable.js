// mechanism: Symbol.isConcatSpreadable
// kind: endless
// ends: soft

[].concat({ get [Symbol.isConcatSpreadable]() { for (;;) {} } })
