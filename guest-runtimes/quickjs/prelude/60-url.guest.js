// URL and URLSearchParams. The parser is in the inner realm (40-url.js); here is the object around it: a list of the parts.
(lib) => {
  const { apply, defineProperty, list, globals, enumerate, tag } = lib.kit;
  const urlParse = lib.inner('urlParse'), urlSet = lib.inner('urlSet'), formParse = lib.inner('formParse'), formEncode = lib.inner('formEncode');
  const names = lib.inner('urlNames')();
  const iteratorSymbol = Symbol.iterator;
  const { ownKeys, getOwnPropertyDescriptor } = Reflect;
  const wellFormed = ((f) => (s) => apply(f, s, []))(String.prototype.toWellFormed);
  const usv = (v) => wellFormed(`${v}`);

  // ---- URLSearchParams --------------------------------------------------------------------------------------------

  let link, reload, pairsOf;

  // The next pair of an iterator of the language, without destructuring.
  const readPair = (pair) => {
    if (pair === null || (typeof pair !== 'object' && typeof pair !== 'function') || typeof pair[iteratorSymbol] !== 'function') {
      throw new TypeError('Each query pair must be an iterable [name, value] tuple');
    }
    const it = apply(pair[iteratorSymbol], pair, []), out = list();
    for (let r = it.next(); !r.done; r = it.next()) out[out.length] = r.value;
    if (out.length !== 2) throw new TypeError('Each query pair must be an iterable [name, value] tuple');
    return out;
  };

  const fromObject = (init, pairs) => {
    const iterate = init[iteratorSymbol];
    if (iterate !== undefined && iterate !== null) {
      if (typeof iterate !== 'function') throw new TypeError('Query pairs must be iterable');
      const it = apply(iterate, init, []);
      for (let r = it.next(); !r.done; r = it.next()) {
        const pair = readPair(r.value);
        pairs[pairs.length] = usv(pair[0]);
        pairs[pairs.length] = usv(pair[1]);
      }
      return;
    }
    const keys = ownKeys(init);
    for (let i = 0; i < keys.length; i++) {
      const d = getOwnPropertyDescriptor(init, keys[i]);
      if (typeof keys[i] !== 'string' || !d?.enumerable) continue;
      pairs[pairs.length] = usv(keys[i]);
      pairs[pairs.length] = usv(init[keys[i]]);
    }
  };

  const serialize = (pairs) => {
    let text = '';
    for (let i = 0; i < pairs.length; i += 2) text += `${i ? '&' : ''}${formEncode(pairs[i])}=${formEncode(pairs[i + 1])}`;
    return text;
  };

  // Insertion into place keeps equal names in their order, as the standard wants it.
  const sortPairs = (pairs) => {
    const n = pairs.length / 2;
    let from = pairs;
    for (let width = 1; width < n; width *= 2) {
      const to = list();
      for (let lo = 0; lo < n; lo += 2 * width) {
        const mid = lo + width < n ? lo + width : n, hi = lo + 2 * width < n ? lo + 2 * width : n;
        for (let a = lo, b = mid; a < mid || b < hi;) {
          const i = b >= hi || (a < mid && from[2 * a] <= from[2 * b]) ? a++ : b++;
          to[to.length] = from[2 * i];
          to[to.length] = from[2 * i + 1];
        }
      }
      from = to;
    }
    return from;
  };

  class URLSearchParams {
    #pairs = list(); #url = null; // flat: name, value, name, value
    constructor(init = '') {
      if (init === null || (typeof init !== 'object' && typeof init !== 'function')) {
        const text = usv(init);
        this.#pairs = formParse(text[0] === '?' ? sliceFrom1(text) : text);
      } else {
        fromObject(init, this.#pairs);
      }
    }
    static {
      link = (p, url) => { p.#url = url; };
      reload = (p, search) => { p.#pairs = formParse(search[0] === '?' ? sliceFrom1(search) : search); };
      pairsOf = (p) => p.#pairs;
    }
    #changed() { if (this.#url) update(this.#url, serialize(this.#pairs)); }
    #filter(keep) {
      const p = this.#pairs, out = list();
      for (let i = 0; i < p.length; i += 2) {
        if (!keep(p[i], p[i + 1])) continue;
        out[out.length] = p[i];
        out[out.length] = p[i + 1];
      }
      this.#pairs = out;
    }
    get size() { return this.#pairs.length / 2; }
    append(name, value) {
      need(arguments.length, 2);
      const p = this.#pairs;
      name = usv(name);
      value = usv(value);
      p[p.length] = name;
      p[p.length] = value;
      this.#changed();
    }
    delete(name, value = undefined) {
      need(arguments.length, 1);
      name = usv(name);
      if (value !== undefined) value = usv(value);
      this.#filter((n, v) => n !== name || (value !== undefined && v !== value));
      this.#changed();
    }
    get(name) {
      need(arguments.length, 1);
      const p = this.#pairs;
      name = usv(name);
      for (let i = 0; i < p.length; i += 2) if (p[i] === name) return p[i + 1];
      return null;
    }
    getAll(name) {
      need(arguments.length, 1);
      const p = this.#pairs, out = [];
      name = usv(name);
      for (let i = 0; i < p.length; i += 2) {
        if (p[i] === name) defineProperty(out, out.length, { __proto__: null, value: p[i + 1], writable: true, enumerable: true, configurable: true });
      }
      return out;
    }
    has(name, value = undefined) {
      need(arguments.length, 1);
      const p = this.#pairs;
      name = usv(name);
      if (value !== undefined) value = usv(value);
      for (let i = 0; i < p.length; i += 2) if (p[i] === name && (value === undefined || p[i + 1] === value)) return true;
      return false;
    }
    set(name, value) {
      need(arguments.length, 2);
      name = usv(name);
      value = usv(value);
      let found = false;
      const p = this.#pairs;
      for (let i = 0; i < p.length && !found; i += 2) {
        if (p[i] !== name) continue;
        p[i + 1] = value;
        found = true;
      }
      let first = true;
      if (found) {
        this.#filter((n) => {
          const keep = n !== name || first;
          if (n === name) first = false;
          return keep;
        });
      } else {
        p[p.length] = name;
        p[p.length] = value;
      }
      this.#changed();
    }
    sort() {
      this.#pairs = sortPairs(this.#pairs);
      this.#changed();
    }
    forEach(callback, thisArg = undefined) {
      if (typeof callback !== 'function') throw new TypeError('The "callback" argument must be of type function');
      for (let i = 0; i < this.#pairs.length; i += 2) apply(callback, thisArg, [this.#pairs[i + 1], this.#pairs[i], this]);
    }
    entries() { return iterate(this, 0); }
    keys() { return iterate(this, 1); }
    values() { return iterate(this, 2); }
    toString() { return serialize(this.#pairs); }
  }
  const sliceFrom1 = lib.inner('sliceFrom1');
  const need = (have, want) => {
    if (have < want) throw new TypeError(`The "${want === 1 ? 'name" argument' : 'name" and "value" arguments'} must be specified`);
  };
  defineProperty(URLSearchParams.prototype, Symbol.iterator,
    { __proto__: null, value: URLSearchParams.prototype.entries, writable: true, configurable: true });
  enumerate(URLSearchParams, ['size', 'append', 'delete', 'get', 'getAll', 'has', 'set', 'sort', 'forEach', 'entries', 'keys', 'values', 'toString']);
  tag(URLSearchParams);

  class ParamsIterator {
    #params; #kind; #at = 0;
    constructor(params, kind) {
      this.#params = params;
      this.#kind = kind;
    }
    next() {
      const p = pairsOf(this.#params), i = this.#at;
      if (i >= p.length) return { value: undefined, done: true };
      this.#at += 2;
      const value = this.#kind === 0 ? [p[i], p[i + 1]] : p[i + this.#kind - 1];
      return { value, done: false };
    }
  }
  const NewIterator = ParamsIterator;
  const next = ParamsIterator.prototype.next;
  Object.setPrototypeOf(ParamsIterator.prototype, Iterator.prototype);
  delete ParamsIterator.prototype.constructor;
  defineProperty(ParamsIterator.prototype, 'next', { __proto__: null, value: next, enumerable: true, writable: true, configurable: true });
  defineProperty(ParamsIterator.prototype, Symbol.toStringTag, { __proto__: null, value: 'URLSearchParams Iterator', configurable: true });
  const iterate = (params, kind) => {
    pairsOf(params);
    return new NewIterator(params, kind);
  };

  // ---- URL ------------------------------------------------------------------------------------------------------------

  const HREF = 0, SEARCH = 9;
  let update, partsOf;

  class URL {
    #parts; #params = null;
    constructor(url, base = undefined) {
      if (arguments.length === 0) throw new TypeError('The "url" argument must be specified');
      const input = usv(url);
      this.#parts = urlParse(input, base === undefined ? undefined : usv(base));
      if (this.#parts === null) throw invalid(input, base);
    }
    #change(name, value) {
      this.#parts = urlSet(this.#parts[HREF], name, usv(value));
      if (this.#params && name === 'search') reload(this.#params, this.#parts[SEARCH]);
    }
    static {
      update = (u, query) => { u.#parts = urlSet(u.#parts[HREF], 'search', query); };
      partsOf = (u) => u.#parts;
    }
    static canParse(url, base = undefined) { return urlParse(usv(url), base === undefined ? undefined : usv(base)) !== null; }
    static parse(url, base = undefined) {
      try {
        return new NewURL(url, base);
      } catch {
        return null;
      }
    }
    get href() { return this.#parts[HREF]; }
    set href(v) {
      const parts = urlParse(usv(v));
      if (parts === null) throw invalid(usv(v));
      this.#parts = parts;
      if (this.#params) reload(this.#params, parts[SEARCH]);
    }
    get origin() { return this.#parts[1]; }
    get protocol() { return this.#parts[2]; }
    set protocol(v) { this.#change('protocol', v); }
    get username() { return this.#parts[3]; }
    set username(v) { this.#change('username', v); }
    get password() { return this.#parts[4]; }
    set password(v) { this.#change('password', v); }
    get host() { return this.#parts[5]; }
    set host(v) { this.#change('host', v); }
    get hostname() { return this.#parts[6]; }
    set hostname(v) { this.#change('hostname', v); }
    get port() { return this.#parts[7]; }
    set port(v) { this.#change('port', v); }
    get pathname() { return this.#parts[8]; }
    set pathname(v) { this.#change('pathname', v); }
    get search() { return this.#parts[SEARCH]; }
    set search(v) { this.#change('search', v); }
    get searchParams() {
      if (!this.#params) {
        this.#params = new NewParams(this.#parts[SEARCH]);
        link(this.#params, this);
      }
      return this.#params;
    }
    get hash() { return this.#parts[10]; }
    set hash(v) { this.#change('hash', v); }
    toString() { return this.#parts[HREF]; }
    toJSON() { return this.#parts[HREF]; }
  }
  const NewURL = URL, NewParams = URLSearchParams;
  const invalid = (input, base) => {
    const e = new TypeError('Invalid URL');
    e.code = 'ERR_INVALID_URL';
    e.input = input;
    if (base !== undefined) e.base = `${base}`;
    return e;
  };
  enumerate(URL, [...Array.from(names), 'searchParams', 'toString', 'toJSON']);
  tag(URL);

  lib.register(URL.prototype, function () { return partsOf(this)[HREF]; }, function () {
    const p = partsOf(this), out = list();
    for (let i = 0; i < names.length; i++) {
      if (names[i] === 'hash') {
        out[out.length] = 'searchParams';
        out[out.length] = new NewParams(p[SEARCH]);
      }
      out[out.length] = names[i];
      out[out.length] = p[i];
    }
    return out;
  });
  lib.register(URLSearchParams.prototype, function () { return serialize(pairsOf(this)); }, function () {
    const p = pairsOf(this), out = list();
    for (let i = 0; i < p.length; i++) out[i + 1] = p[i];
    out[0] = '=>';
    return out;
  });

  globals({ URL, URLSearchParams });
}
