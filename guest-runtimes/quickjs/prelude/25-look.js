// What a session holds, for whoever looks at it: variables with type, size and a preview, and names that may come next in a line.
// No code of the guest is run: properties are looked at through descriptors, getters and proxies are not asked.
(lib) => {
  const { getOwnPropertyDescriptor, getOwnPropertyNames, getPrototypeOf } = Object;
  const PREVIEW = 120;
  const NAME = 100;
  const DEEP = 10; // prototypes
  const typedArrayLength = getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), 'length').get;
  const sizes = {
    __proto__: null,
    Array: (v) => getOwnPropertyDescriptor(v, 'length').value,
    Map: (v) => getOwnPropertyDescriptor(Map.prototype, 'size').get.call(v),
    Set: (v) => getOwnPropertyDescriptor(Set.prototype, 'size').get.call(v),
    ArrayBuffer: (v) => getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get.call(v),
  };
  const isObject = (v) => (typeof v === 'object' && v !== null) || typeof v === 'function';

  const typeOf = (v) => {
    if (v === null) return 'null';
    if (!isObject(v)) return typeof v;
    const own = lib.class(v);
    if (own === 'Proxy') return own;
    if (typeof v === 'function') return lib.isClass(v) ? 'class' : 'function';
    const proto = getPrototypeOf(v);
    const ctor = proto === null || lib.class(proto) === 'Proxy' ? undefined : getOwnPropertyDescriptor(proto, 'constructor')?.value;
    if (typeof ctor !== 'function' || lib.class(ctor) === 'Proxy') return own;
    const name = getOwnPropertyDescriptor(ctor, 'name')?.value;
    return typeof name === 'string' && name !== '' ? name.slice(0, NAME) : own;
  };

  const sizeOf = (v) => {
    if (typeof v === 'string') return v.length;
    if (!isObject(v) || typeof v === 'function') return null;
    const own = lib.class(v);
    if (own === 'Proxy') return null;
    if (sizes[own]) return lib.attempt(() => sizes[own](v), null);
    const length = lib.attempt(() => typedArrayLength.call(v), undefined);
    return length !== undefined ? length : own === 'Object' ? getOwnPropertyNames(v).length : null;
  };

  const previewOf = (v) => {
    const text = lib.attempt(
      () => lib.inspect(v, { depth: 1, limit: 2000, custom: false }).replace(/\s*\n\s*/g, ' '), '[it cannot be shown]');
    return text.length > PREVIEW ? `${text.slice(0, PREVIEW - 3)}...` : text;
  };

  // `values`: name, value, name, value, ...; no more than `most` of them are described. `plain`: without what may run code after all,
  // as where a prototype is a proxy.
  const describe = (values, most, plain) => {
    const made = [];
    for (let i = 0; i < values.length && made.length < most; i += 2) {
      const v = values[i + 1];
      made.push([values[i].slice(0, NAME), typeOf(v), sizeOf(v), plain && isObject(v) ? `[${typeOf(v)}]` : previewOf(v)]);
    }
    return made;
  };

  const own = (v, name) => (lib.class(v) === 'Proxy' ? undefined : getOwnPropertyDescriptor(v, name));
  const find = (v, name) => {
    let o = isObject(v) ? v : v === undefined || v === null ? null : lib.prototypeOf(v);
    for (let i = 0; o !== null && i < DEEP && lib.class(o) !== 'Proxy'; i++, o = getPrototypeOf(o)) {
      const d = own(o, name);
      if (d) return 'value' in d ? d.value : undefined;
    }
    return undefined;
  };
  const namesOf = (v, prefix) => {
    const members = lib.toolNames(v);
    if (members !== undefined) return new Set(members);
    const found = new Set();
    let o = isObject(v) ? v : v === undefined || v === null ? null : lib.prototypeOf(v);
    const last = lib.prototypeOf(undefined); // what every object has comes only where it is asked for
    for (let i = 0; o !== null && i < DEEP && lib.class(o) !== 'Proxy'; i++, o = getPrototypeOf(o)) {
      if (o === last && prefix === '' && i > 0) break;
      const indexed = lib.class(o) === 'Array' || lib.attempt(() => typedArrayLength.call(o), undefined) !== undefined;
      if (i === 0 && indexed) found.add('length'); // and not each index
      else for (const name of getOwnPropertyNames(o)) found.add(name);
    }
    return found;
  };

  // The names that go on with `prefix`: of everything global, or of what `path` leads to.
  const complete = (values, path, prefix, most) => {
    let names;
    if (path.length === 0) {
      names = new Set();
      for (let i = 0; i < values.length; i += 2) names.add(values[i]);
    } else {
      let at;
      for (let i = 0; i < values.length; i += 2) if (values[i] === path[0]) at = values[i + 1];
      for (let i = 1; i < path.length; i++) at = lib.toolMember(at, path[i]) ?? find(at, path[i]);
      names = namesOf(at, prefix);
    }
    const wanted = (name) => name.startsWith(prefix) && name !== prefix && (prefix !== '' || !name.startsWith('__'));
    const made = [...names].filter((name) => wanted(name) && /^[\p{L}$_][\p{L}\p{N}$_]*$/u.test(name));
    return made.sort().slice(0, most);
  };

  lib.give('look', (values, path, prefix, most) => (path === null ? describe(values, most, prefix === 'plain') : complete(values, path, prefix, most)));
}
