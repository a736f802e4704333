// mechanism: prepareStackTrace
// kind: endless
// ends: soft

Error.prepareStackTrace = () => { for (;;) {} }; for (;;) { new Error('x').stack }
