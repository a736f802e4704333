// mechanism: prepareStackTrace of an error that is thrown
// kind: endless
// ends: soft value

Error.prepareStackTrace = () => { for (;;) {} }; new Error('x')
