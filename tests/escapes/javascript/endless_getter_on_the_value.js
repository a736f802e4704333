// mechanism: getter on the value
// kind: endless
// ends: soft

({ get x() { for (;;) {} } }).x; ({})
