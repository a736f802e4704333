// mechanism: getter
// kind: endless
// ends: soft

({ get x() { for (;;) {} } }).x
