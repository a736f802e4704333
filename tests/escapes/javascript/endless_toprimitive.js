// mechanism: toPrimitive
// kind: endless
// ends: soft

+{ [Symbol.toPrimitive]() { for (;;) {} } }
