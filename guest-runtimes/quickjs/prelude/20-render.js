// What was thrown, as the text that a person reads: the stack with its causes for an error, the value itself for anything else.
(lib) => {
  const MODULES = 'modules are not available here (no require, no import): use the built-in globals, and the functions in `tools`';
  const NETWORK = 'there is no network here: use a function in `tools` if one offers it';
  const NODE = 'this is a sealed JavaScript environment, not node: the web globals are there (URL, TextEncoder, crypto, timers, ...)';
  const PAGE = 'there is no web page here';
  const HINTS = {
    __proto__: null, require: MODULES, module: MODULES, exports: MODULES, __dirname: MODULES, __filename: MODULES,
    fetch: NETWORK, XMLHttpRequest: NETWORK, WebSocket: NETWORK, EventSource: NETWORK, process: NODE, Buffer: NODE, global: NODE,
    Deno: NODE, Bun: NODE, document: PAGE, window: PAGE, localStorage: PAGE, sessionStorage: PAGE, alert: PAGE, prompt: PAGE,
    Worker: 'there are no threads here', WebAssembly: 'WebAssembly is not available here',
  };

  const hintFor = (error) => {
    const facts = lib.error(error);
    if (facts[0] !== 'ReferenceError') return '';
    const name = /^'?([\w$]+)'? is not defined$/.exec(facts[1] ?? '')?.[1];
    return name !== undefined && HINTS[name] ? `\nNote: ${HINTS[name]}.` : '';
  };

  // bare: without the frames of the error itself
  lib.give('render', (thrown, bare, limit = 1 << 20) => {
    const kind = lib.class(thrown);
    const text = lib.inspect(thrown, { uncaught: true, bare, limit });
    return kind === 'Error' || kind === 'DOMException' ? text + hintFor(thrown) : `Uncaught ${text}`;
  });
}
