[typeof 1, typeof 'a', typeof true, typeof {}, typeof [], typeof null, typeof undefined, typeof (() => 1), typeof class {}, typeof Symbol(), typeof 1n, typeof NaN, typeof new Date(), typeof /x/]
// --- cell
[[] instanceof Object, (() => 1) instanceof Function, Object.create(null) instanceof Object, 5 instanceof Number, new Number(5) instanceof Number, null instanceof Object]
// --- cell
[Array.isArray(new Proxy([], {})), Object.prototype.toString.call([]), Object.prototype.toString.call(async () => 1), toString.call(1n), Object.prototype.toString.call(new Proxy([], {})), Object.prototype.toString.call(undefined)]
// --- cell
5 instanceof 5
// --- cell
({}) instanceof (() => {})
