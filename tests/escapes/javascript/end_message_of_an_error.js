// mechanism: message of an error
// kind: end
// ends: error

throw { get message() { for (;;) {} }, toString() { for (;;) {} } }; for (;;) {}
