// Everything that can be reached from the globals: properties, symbols, getters and setters and what getters give,
// prototypes, constructors, and the intrinsics that only syntax leads to. Gives {name of the object: [type, own keys]}.
(() => {
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function'
  const keyName = (key) =>
    typeof key === 'string' ? key : '@@' + String(key.description).replace(/^Symbol\./, '')
  const names = new Map()
  const queue = []
  const see = (value, name) => {
    if (isObject(value) && !names.has(value)) {
      names.set(value, name)
      queue.push(value)
    }
  }
  const proto = Object.getPrototypeOf

  // Names for what has one in the standard, so that a path never depends on the order of the walk.
  const named = (name, value) => isObject(value) && !names.has(value) && names.set(value, name) && queue.push(value)
  named('globalThis', globalThis)
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const { value } = Object.getOwnPropertyDescriptor(globalThis, name)
    named(name, value)
    if (typeof value === 'function') named(name + '.prototype', value.prototype)
  }
  named('%TypedArray%', proto(Int8Array))
  named('%TypedArray%.prototype', proto(Int8Array).prototype)
  const generator = function* () {}
  const asyncGenerator = async function* () {}
  named('%GeneratorFunction.prototype%', proto(generator))
  named('%GeneratorPrototype%', proto(generator).prototype)
  named('%AsyncFunction.prototype%', proto(async () => {}))
  named('%AsyncGeneratorFunction.prototype%', proto(asyncGenerator))
  named('%AsyncGeneratorPrototype%', proto(asyncGenerator).prototype)
  named('%AsyncIteratorPrototype%', proto(proto(asyncGenerator).prototype))
  named('%ArrayIteratorPrototype%', proto([].values()))
  named('%MapIteratorPrototype%', proto(new Map().values()))
  named('%SetIteratorPrototype%', proto(new Set().values()))
  named('%StringIteratorPrototype%', proto(''[Symbol.iterator]()))
  named('%RegExpStringIteratorPrototype%', proto('a'.matchAll(/a/g)))
  named('%IteratorHelperPrototype%', proto([].values().map((x) => x)))
  named('%WrapForValidIteratorPrototype%', proto(Iterator.from({ next() {} })))
  if (typeof URLSearchParams === 'function') {
    named('%URLSearchParamsIteratorPrototype%', proto(new URLSearchParams('').values()))
  }

  const made = {}
  const walk = () => {
    while (queue.length) {
      const object = queue.shift()
      const name = names.get(object)
      const keys = Reflect.ownKeys(object)
      made[name] = [typeof object, keys.map(keyName)]
      see(proto(object), name + '.__proto__')
      for (const key of keys) {
        const path = name === 'globalThis' ? keyName(key) : name + '.' + keyName(key)
        const found = Object.getOwnPropertyDescriptor(object, key)
        if (!found) continue
        if ('value' in found) {
          see(found.value, path)
          continue
        }
        see(found.get, path + ' (get)')
        see(found.set, path + ' (set)')
        try {
          see(object[key], path)
        } catch {}
      }
    }
  }
  walk()

  // What calls, syntax and failures give.
  const attempt = (name, make) => {
    try {
      see(make(), name)
    } catch (error) {
      see(error, name + ' (throws)')
    }
    walk()
  }
  attempt('(arguments)', () => (function () { return arguments })(1))
  attempt('(strict arguments)', () => (function () { 'use strict'; return arguments })(1))
  attempt('(function)', () => function () {})
  attempt('(class)', () => class { static #p = 1; static q() { return this.#p } })
  attempt('(template)', () => ((strings) => strings)`a${1}b`)
  attempt('(error)', () => new Error('x'))
  attempt('(engine error)', () => null.x)
  attempt('(syntax error)', () => eval('('))
  attempt('(eval this)', () => eval('this'))
  attempt('(new Function)', () => new Function('return this')())
  attempt('(constructor of constructor)', () => (async () => {}).constructor('return this'))
  attempt('(generator)', () => generator())
  attempt('(async generator)', () => asyncGenerator())
  attempt('(promise)', () => (async () => {})())
  attempt('(regexp match)', () => /(?<a>b)/d.exec('b'))
  attempt('(proxy)', () => Proxy.revocable({}, {}))
  attempt('(timer)', () => {
    const id = setTimeout(() => {}, 1e6)
    clearTimeout(id)
    return id
  })
  attempt('(callback this)', () => {
    let seen
    ;[1].forEach(function () { seen = this })
    return seen
  })
  attempt('(source text)', () => ({ text: Function.prototype.toString.call(console.log) }))
  for (const [name, value] of Object.entries({
    URL: () => new URL('https://a.example/b?c=d'),
    URLSearchParams: () => new URLSearchParams('a=b'),
    TextEncoder: () => new TextEncoder(),
    TextDecoder: () => new TextDecoder(),
    DOMException: () => new DOMException('a', 'b'),
    structuredClone: () => structuredClone({ a: new Map([[1, /x/]]) }),
    getRandomValues: () => crypto.getRandomValues(new Uint8Array(1)),
  })) attempt(`(${name})`, value)
  return made
})()
