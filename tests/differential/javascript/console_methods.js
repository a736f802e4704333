console.log('log', 1, { a: 1 });
console.info('info');
console.debug('debug');
console.warn('warn', [1]);
console.error('error', new Map([[1, 2]]));
console.log();
console.log(undefined, null, true);
// --- cell
console.group('Group'); console.log('in\nside'); console.group(); console.log({ a: { b: [1, 2, { c: 3 }] } }); console.groupEnd(); console.groupEnd(); console.log('out')
// --- cell
console.count(); console.count('x'); console.count(); console.countReset(); console.count()
// --- cell
console.assert(1 === 1, 'no'); console.assert(false, 'failed %d', 5); console.assert(false)
// --- cell
console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 }); console.dir([1])
// --- cell
typeof console.log, console.log.name, [1, 2].map(console.log).length
