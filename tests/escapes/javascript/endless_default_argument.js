// mechanism: default argument
// kind: endless
// ends: soft

((x = (() => { for (;;) {} })()) => x)()
