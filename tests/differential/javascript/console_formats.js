console.log('%s is %d years and %i, %f', 'Bob', 42.5, 42.9, '1.5', 'extra');
console.log('%o | %O | %j', { a: { b: { c: {} } } }, { x: [1] }, { j: 1 });
console.log('%c styled', 'color: red');
console.log('%% %s', 'x', '%s');
console.log('%s', { a: { b: 1 } }, [1, [2]], null, undefined, Symbol('q'), 1n, () => 1, class A {});
console.log('%d %i', '0x10', 'abc', 5n);
console.log('%s');
console.log('%x', 1);
console.log('a%', 1);
console.log(5, '%s', 'x');
console.log('%s', new Error('err').message, -0, [-0]);
console.log('%s', { toString() { return 'own' } }, new (class K { toString() { return 'class own' } })(), new Date(0))
