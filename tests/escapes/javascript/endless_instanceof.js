// mechanism: instanceof
// kind: endless
// ends: soft

1 instanceof { [Symbol.hasInstance]() { for (;;) {} } }
