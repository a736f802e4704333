// The inspector: values as text, in the form that people know from node's REPL. It runs in the inner realm, so its own use
// of arrays, maps and regular expressions is out of a cell's reach. Of guest values it asks as little as it can by running
// their code: descriptors instead of reads, the target instead of a proxy. What throws all the same becomes text in its place.
(lib) => {
  const LINE = 80; // characters
  const SHORT_LINE = 16;
  const MAX_ITEMS = 100;
  const MAX_STRING = 10000;
  const COMBINED = 3; // innermost levels that may share a line
  const CUSTOM = Symbol.for('nodejs.util.inspect.custom');
  const PROPERTY = 0, ITEM = 1; // an item shows its value alone

  const { getOwnPropertyDescriptor, getPrototypeOf, getOwnPropertySymbols, getOwnPropertyNames, keys: ownKeys } = Object;
  const isEnumerable = (o, k) => Object.prototype.propertyIsEnumerable.call(o, k);
  const hasOwn = Object.hasOwn;
  const typedArrayLength = getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), 'length').get;
  const mapSize = getOwnPropertyDescriptor(Map.prototype, 'size').get;
  const setSize = getOwnPropertyDescriptor(Set.prototype, 'size').get;
  const bufferLength = getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get;
  const viewField = (name) => getOwnPropertyDescriptor(DataView.prototype, name).get;
  const TYPED = new Set(['Uint8Array', 'Uint8ClampedArray', 'Int8Array', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
    'BigInt64Array', 'BigUint64Array', 'Float16Array', 'Float32Array', 'Float64Array']);
  const BOXED = { Number, String, Boolean, BigInt, Symbol };
  const FUNCTIONS = new Set(['Function', 'AsyncFunction', 'GeneratorFunction', 'AsyncGeneratorFunction']);

  // A guest's code may be asked here; whatever it throws, there is an answer.
  const attempt = (f, otherwise) => {
    try {
      return f();
    } catch {
      return otherwise;
    }
  };

  // ---- strings ------------------------------------------------------------------------------------------------

  const ESCAPES = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\' };
  const hex = (c) => c.charCodeAt(0).toString(16);
  const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const escapeChars = (s) => s
    .replace(/[\x00-\x1f\\\x7f-\x9f]/g, (c) => ESCAPES[c] ?? `\\x${hex(c).toUpperCase().padStart(2, '0')}`)
    .replace(LONE, (c) => `\\u${hex(c)}`);

  // In single quotes unless other quotes save escapes.
  const quote = (s) => {
    let q = "'";
    if (s.includes("'")) {
      if (!s.includes('"')) q = '"';
      else if (!s.includes('`') && !s.includes('${')) q = '`';
    }
    const body = escapeChars(s);
    return q + (q === "'" ? body.replaceAll("'", "\\'") : body) + q;
  };

  const plural = (n, what) => `${n} ${what}${n > 1 ? 's' : ''}`;
  const more = (n, what = 'item') => `... ${n} more ${what}${n > 1 ? 's' : ''}`;

  const showString = (ctx, s) => {
    let rest = '';
    if (s.length > MAX_STRING) {
      rest = more(s.length - MAX_STRING, 'character');
      s = s.slice(0, MAX_STRING);
    }
    if (s.length > SHORT_LINE && s.length > LINE - ctx.indent - 4) {
      return s.split(/(?<=\n)/).map(quote).join(` +\n${' '.repeat(ctx.indent + 2)}`) + rest;
    }
    return quote(s) + rest;
  };

  const showNumber = (n) => (Object.is(n, -0) ? '-0' : `${n}`);

  // Decimal digits take quadratic time: a number of more than some 20,000 of them is shown in hexadecimal.
  const showBigInt = (n) => {
    const hexDigits = n.toString(16);
    if (hexDigits.length < 16384) return `${n}n`;
    return n < 0n ? `-0x${hexDigits.slice(1)}n` : `0x${hexDigits}n`;
  };

  const showPrimitive = (ctx, v) => {
    switch (typeof v) {
      case 'string': return showString(ctx, v);
      case 'number': return showNumber(v);
      case 'bigint': return showBigInt(v);
      case 'symbol': return Symbol.prototype.toString.call(v);
      default: return `${v}`;
    }
  };

  // Columns that a text takes: East Asian wide characters and emoji take two, combining marks none.
  const isWide = (c) => c >= 0x1100 && (c <= 0x115f || (c >= 0x2e80 && c <= 0x303e) || (c >= 0x3041 && c <= 0xa4cf) ||
    (c >= 0xa960 && c <= 0xa97c) || (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) ||
    (c >= 0xff01 && c <= 0xff60) || (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1f64f) || (c >= 0x1f900 && c <= 0x1f9ff) ||
    (c >= 0x20000 && c <= 0x3fffd));
  const isZero = (c) => c <= 0x1f || (c >= 0x7f && c <= 0x9f) || (c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) ||
    (c >= 0x20d0 && c <= 0x20ff) || (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xfe20 && c <= 0xfe2f) || (c >= 0xe0100 && c <= 0xe01ef);
  const width = (s) => {
    if (/^[\x20-\x7e]*$/.test(s)) return s.length;
    let n = 0;
    for (const ch of s.normalize('NFC')) {
      const c = ch.codePointAt(0);
      if (isWide(c)) n += 2;
      else if (!isZero(c)) n++;
    }
    return n;
  };

  // ---- names --------------------------------------------------------------------------------------------------

  const isProxy = (o) => lib.class(o) === 'Proxy';

  // instanceof without asking anybody: is the constructor's prototype among the object's?
  const isInstance = (o, ctor) => {
    const proto = getOwnPropertyDescriptor(ctor, 'prototype')?.value;
    for (let p = getPrototypeOf(o); p; p = getPrototypeOf(p)) {
      if (p === proto) return true;
      if (isProxy(p)) return false;
    }
    return false;
  };

  const dataName = (f) => {
    const name = isProxy(f) ? undefined : getOwnPropertyDescriptor(f, 'name')?.value;
    return typeof name === 'string' ? name : '';
  };

  // The constructor's name, or null for an object without prototype.
  const constructorName = (ctx, obj, level) => {
    let first;
    for (let o = obj; o; o = getPrototypeOf(o)) {
      if (o !== obj && first === undefined) first = o;
      if (isProxy(o)) break;
      const ctor = getOwnPropertyDescriptor(o, 'constructor')?.value;
      if (typeof ctor === 'function' && !isProxy(ctor) && dataName(ctor) !== '' && isInstance(obj, ctor)) return dataName(ctor);
    }
    if (first === undefined) return null;
    const own = lib.class(obj);
    if (level > ctx.depth) return `${own} <Complex prototype>`;
    const above = constructorName(ctx, first, level + 1);
    return `${own} <${above ?? show({ ...ctx, depth: -1, custom: false }, first, 0)}>`;
  };

  const prefix = (name, tag, fallback, size = '') => {
    if (name === null) return `[${fallback}${size}: null prototype] ${tag !== '' && fallback !== tag ? `[${tag}] ` : ''}`;
    return `${name}${size} ${tag !== '' && name !== tag ? `[${tag}] ` : ''}`;
  };

  // Symbol.toStringTag, unless it is listed among the properties anyway.
  const tagOf = (ctx, v) => attempt(() => {
    const tag = v[Symbol.toStringTag];
    if (typeof tag !== 'string' || tag === '') return '';
    return (ctx.hidden ? hasOwn(v, Symbol.toStringTag) : isEnumerable(v, Symbol.toStringTag)) ? '' : tag;
  }, '');

  const keysOf = (ctx, v) => {
    const symbols = getOwnPropertySymbols(v);
    if (ctx.hidden) return [...getOwnPropertyNames(v), ...symbols];
    const keys = ownKeys(v);
    for (const s of symbols) if (isEnumerable(v, s)) keys.push(s);
    return keys;
  };

  const showKey = (key, enumerable) => {
    if (typeof key === 'symbol') return `[${escapeChars(Symbol.prototype.toString.call(key))}]`;
    if (key === '__proto__') return "['__proto__']";
    if (!enumerable) return `[${escapeChars(key)}]`;
    return /^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key) ? key : quote(key);
  };

  // ---- containers ---------------------------------------------------------------------------------------------

  const inner = (ctx, v, level) => {
    ctx.indent += 2;
    try {
      return show(ctx, v, level);
    } finally {
      ctx.indent -= 2;
    }
  };

  const showDescriptor = (ctx, d, level) => {
    if (d.value !== undefined) return inner(ctx, d.value, level);
    if (d.get !== undefined) return d.set !== undefined ? '[Getter/Setter]' : '[Getter]';
    return d.set !== undefined ? '[Setter]' : 'undefined';
  };

  const showProperty = (ctx, v, level, key, kind) => {
    const d = getOwnPropertyDescriptor(v, key) ?? { value: attempt(() => v[key]), enumerable: true };
    const text = showDescriptor(ctx, d, level);
    return kind === ITEM ? text : `${showKey(key, d.enumerable)}: ${text}`;
  };

  // Collects texts until there is surely more than can be shown.
  class Output {
    constructor(ctx) {
      this.items = [];
      this.left = ctx.limit;
    }

    push(text) {
      this.items.push(text);
      this.left -= text.length;
      return this.left > 0;
    }
  }

  const sparseItems = (ctx, v, level, out, from) => {
    let next = from;
    for (const i of lib.indexes(v, from)) {
      if (out.items.length === MAX_ITEMS) break;
      if (i > next) out.push(`<${plural(i - next, 'empty item')}>`);
      next = i;
      if (out.items.length === MAX_ITEMS) break;
      if (!out.push(showProperty(ctx, v, level, i, ITEM))) return;
      next++;
    }
    const rest = v.length - next;
    if (rest > 0) out.push(out.items.length === MAX_ITEMS ? more(rest) : `<${plural(rest, 'empty item')}>`);
  };

  const arrayItems = (ctx, v, level, out) => {
    const n = Math.min(MAX_ITEMS, v.length);
    for (let i = 0; i < n; i++) {
      if (!hasOwn(v, i)) return sparseItems(ctx, v, level, out, i);
      if (!out.push(showProperty(ctx, v, level, i, ITEM))) return;
    }
    if (v.length > n) out.push(more(v.length - n));
  };

  const typedItems = (ctx, v, level, out) => {
    const length = typedArrayLength.call(v), n = Math.min(MAX_ITEMS, length);
    for (let i = 0; i < n; i++) out.push(typeof v[i] === 'bigint' ? `${v[i]}n` : showNumber(v[i]));
    if (length > n) out.push(more(length - n));
  };

  const collectionItems = (ctx, all, total, out, one) => {
    ctx.indent += 2;
    for (let i = 0; i < all.length; i++) if (!out.push(one(all[i]))) break;
    if (total > all.length) out.push(more(total - all.length));
    ctx.indent -= 2;
  };

  // The first entries of a Map or Set, without its iterators.
  const entriesOf = (forEach, v) => {
    const all = [];
    const done = {};
    try {
      forEach.call(v, (value, key) => {
        if (all.length === MAX_ITEMS) throw done;
        all.push([key, value]);
      });
    } catch (e) {
      if (e !== done) throw e;
    }
    return all;
  };

  const mapItems = (ctx, v, level, out) =>
    collectionItems(ctx, entriesOf(Map.prototype.forEach, v), mapSize.call(v), out,
      ([k, value]) => `${show(ctx, k, level)} => ${show(ctx, value, level)}`);

  const setItems = (ctx, v, level, out) =>
    collectionItems(ctx, entriesOf(Set.prototype.forEach, v), setSize.call(v), out, ([k]) => show(ctx, k, level));

  const iteratorItems = (ctx, v, level, out) => {
    const rest = lib.iteratorRest(v), pairs = isPairs(rest);
    collectionItems(ctx, rest.slice(0, MAX_ITEMS), rest.length, out,
      (item) => (pairs ? `[ ${show(ctx, item[0], level)}, ${show(ctx, item[1], level)} ]` : show(ctx, item, level)));
  };
  // Arrays of the inner realm are pairs that lib made; a guest's arrays have another prototype.
  const isPairs = (rest) => rest.length > 0 && typeof rest[0] === 'object' && rest[0] !== null && !isProxy(rest[0]) &&
    getPrototypeOf(rest[0]) === Array.prototype;

  const bufferItems = (ctx, v, level, out) => {
    const total = attempt(() => bufferLength.call(v), 0);
    const bytes = new Uint8Array(attempt(() => ArrayBuffer.prototype.slice.call(v, 0, MAX_ITEMS), new ArrayBuffer(0)));
    let text = '';
    for (let i = 0; i < bytes.length; i++) text += `${i ? ' ' : ''}${bytes[i].toString(16).padStart(2, '0')}`;
    if (total > bytes.length) text += ` ${more(total - bytes.length, 'byte')}`;
    out.push(`[Uint8Contents]: <${text}>`);
    out.push(`byteLength: ${total}`);
  };

  const viewItems = (ctx, v, level, out) => {
    for (const name of ['byteLength', 'byteOffset', 'buffer']) out.push(`${name}: ${inner(ctx, attempt(() => viewField(name).call(v)), level)}`);
  };

  // What a class of the prelude says of its instance: names and values, or pairs after a first '=>'.
  const fieldItems = (ctx, fields, level, out) => {
    const pairs = fields[0] === '=>';
    for (let i = pairs ? 1 : 0; i < fields.length; i += 2) {
      out.push(pairs ? `${quote(fields[i])} => ${quote(fields[i + 1])}` : `${fields[i]}: ${inner(ctx, fields[i + 1], level)}`);
    }
  };

  const promiseItems = (ctx, v, level, out) => {
    const [state, result] = lib.promise(v);
    if (state === 0) return out.push('<pending>');
    const text = inner(ctx, result, level);
    return out.push(state === 2 ? `<rejected> ${text}` : text);
  };

  // ---- functions, boxed values, errors -------------------------------------------------------------------------

  const functionBase = (v, kind, name, tag) => {
    const own = dataName(v);
    const suffix = tag !== '' && name !== tag ? ` [${tag}]` : '';
    if (lib.isClass(v)) {
      const above = name === null ? 'null' : dataName(getPrototypeOf(v));
      const extra = name !== 'Function' && name !== null ? ` [${name}]` : '';
      return `[class ${own || '(anonymous)'}${extra}${suffix}${above ? ` extends ${above}` : ''}]`;
    }
    const base = `[${kind}${name === null ? ' (null prototype)' : ''}${own === '' ? ' (anonymous)' : `: ${own}`}]`;
    return base + (name !== kind && name !== null ? ` ${name}` : '') + suffix;
  };

  const boxedBase = (ctx, v, kind, name, tag) => {
    const value = BOXED[kind].prototype.valueOf.call(v);
    const type = kind === name ? '' : ` (${name ?? 'null prototype'})`;
    return `[${kind}${type}: ${showPrimitive({ ...ctx, indent: 0 }, value)}]${tag !== '' && tag !== name ? ` [${tag}]` : ''}`;
  };

  // The stack text begins with the error's name; where the constructor says more, it says that instead.
  const improveStack = (stack, ctorName, name, tag) => {
    let length = name.length, fallback = 'Error';
    const regular = name.endsWith('Error') && stack.startsWith(name) && (stack.length === length || /[:\n]/.test(stack[length]));
    if (ctorName !== null && !regular) return stack;
    if (ctorName === null) {
      const start = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/.exec(stack) ?? /^([a-z_A-Z0-9-]*Error)$/.exec(stack);
      fallback = start?.[1] ?? '';
      length = fallback.length;
      fallback ||= 'Error';
    }
    const better = prefix(ctorName, tag, fallback).slice(0, -1);
    if (name === better) return stack;
    if (!better.includes(name)) return `${better} [${name}]${stack.slice(length)}`;
    return length === 0 ? `${better}: ${stack}` : better + stack.slice(length);
  };

  const errorBase = (ctx, v, ctorName, tag, keys, level) => {
    const facts = lib.error(v), frames = ctx.bare && level === 0 ? '' : facts[2];
    const name = attempt(() => (v.name != null ? String(v.name) : 'Error'), 'Error');
    const message = attempt(() => String(v.message ?? ''), '');
    let stack = typeof facts[3] === 'string' ? facts[3] : `${name}${name && message ? ': ' : ''}${message}${frames}`;
    for (const key of ['name', 'message', 'stack']) {
      const at = keys.indexOf(key);
      const text = at < 0 ? undefined : attempt(() => v[key]);
      if (at >= 0 && (typeof text !== 'string' || stack.includes(text))) keys.splice(at, 1);
    }
    if (attempt(() => 'cause' in v, false) && !keys.includes('cause')) keys.push('cause');
    const errors = getOwnPropertyDescriptor(v, 'errors')?.value;
    if (lib.class(errors) === 'Array' && !keys.includes('errors')) keys.push('errors');
    stack = improveStack(stack, ctorName, name, tag);
    const at = message === '' ? -1 : stack.indexOf(message);
    const bare = !stack.includes('\n    at', at < 0 ? 0 : at + message.length);
    if (bare && !(ctx.uncaught && level === 0)) stack = `[${stack}]`;
    return ctx.indent ? stack.replaceAll('\n', `\n${' '.repeat(ctx.indent)}`) : stack;
  };

  // ---- layout --------------------------------------------------------------------------------------------------

  // Many short items in columns, numbers to the right.
  const inColumns = (ctx, items, value) => {
    const separator = 2;
    const n = items.length > MAX_ITEMS ? items.length - 1 : items.length; // without "... more items"
    const widths = items.slice(0, n).map(width);
    const total = widths.reduce((sum, w) => sum + w + separator, 0);
    const longest = Math.max(0, ...widths), widest = longest + separator;
    if (widest * 3 + ctx.indent >= LINE || !(total / widest > 5 || longest <= 6)) return items;
    const biased = Math.max(widest - 3 - Math.sqrt(widest - total / items.length), 1);
    const columns = Math.min(Math.round(Math.sqrt(2.5 * biased * n) / biased), Math.floor((LINE - ctx.indent) / widest), COMBINED * 4, 15);
    if (columns <= 1) return items;
    const columnWidths = [];
    for (let c = 0; c < columns; c++) {
      let w = 0;
      for (let i = c; i < n; i += columns) w = Math.max(w, widths[i]);
      columnWidths.push(w + separator);
    }
    const right = value !== undefined && items.every((_, i) => {
      const item = getOwnPropertyDescriptor(value, i)?.value;
      return typeof item === 'number' || typeof item === 'bigint';
    });
    const lines = [];
    for (let from = 0; from < n; from += columns) {
      const to = Math.min(from + columns, n);
      let line = '';
      for (let i = from; i < to; i++) {
        const last = i === to - 1;
        const pad = columnWidths[i - from] + items[i].length - widths[i] - (last ? separator : 0);
        const text = last ? items[i] : `${items[i]}, `;
        line += right ? text.padStart(pad) : last ? text : text.padEnd(pad);
      }
      lines.push(line);
    }
    if (n < items.length) lines.push(items[n]);
    return lines;
  };

  const fitsLine = (ctx, items, open, base) => {
    let total = items.length + (items.length + ctx.indent + open.length + base.length + 10);
    if (total + items.length > LINE) return false;
    for (const item of items) if ((total += item.length) > LINE) return false;
    return !base.includes('\n');
  };

  const layOut = (ctx, items, base, [open, close], kind, level, value) => {
    const count = items.length;
    if (kind === ITEM && count > 6) items = inColumns(ctx, items, value);
    const start = base ? `${base} ` : '';
    if (count && ctx.deepest - level < COMBINED && count === items.length && fitsLine(ctx, items, open, base)) {
      const line = items.join(', ');
      if (!line.includes('\n')) return `${start}${open} ${line} ${close}`;
    }
    if (count === 0) return `${start}${open}${close}`;
    const indent = `\n${' '.repeat(ctx.indent)}`;
    return `${start}${open}${indent}  ${items.join(`,${indent}  `)}${indent}${close}`;
  };

  // ---- objects --------------------------------------------------------------------------------------------------

  // How a class of objects is shown: {text} says everything, else base, braces, keys and what comes before them.
  const describe = (ctx, v, level) => {
    const kind = lib.class(v), name = constructorName(ctx, v, level), tag = tagOf(ctx, v);
    const p = (fallback, size) => prefix(name, tag, fallback, size);
    const d = { name, tag, base: '', open: '{', close: '}', items: undefined, keys: undefined, kind: PROPERTY, alone: true };
    if (kind === 'Array' || TYPED.has(kind)) {
      const length = kind === 'Array' ? v.length : typedArrayLength.call(v);
      d.keys = lib.otherKeys(v, ctx.hidden);
      if (kind === 'Array') d.open = name !== 'Array' || tag !== '' ? `${p('Array', `(${length})`)}[` : '[';
      else d.open = `${p(kind, `(${length})`)}[`;
      d.close = ']';
      d.kind = ITEM;
      d.items = kind === 'Array' ? arrayItems : typedItems;
      d.empty = length === 0 ? `${d.open}]` : undefined;
      return d;
    }
    d.keys = kind === 'String' ? lib.otherKeys(v, ctx.hidden) : keysOf(ctx, v);
    if (kind === 'Map' || kind === 'Set') {
      const size = (kind === 'Map' ? mapSize : setSize).call(v);
      d.open = `${p(kind, `(${size})`)}{`;
      d.items = kind === 'Map' ? mapItems : setItems;
      d.empty = size === 0 ? `${d.open}}` : undefined;
    } else if (kind === 'Map Iterator' || kind === 'Set Iterator') {
      const rest = lib.iteratorRest(v);
      d.open = `[${isPairs(rest) ? kind.replace('Iterator', 'Entries') : kind}] {`;
      d.items = iteratorItems;
    } else if (FUNCTIONS.has(kind)) {
      d.base = functionBase(v, kind, name, tag);
      d.empty = d.base;
    } else if (kind === 'Error' || kind === 'DOMException') {
      d.base = errorBase(ctx, v, name, tag === 'DOMException' ? '' : tag, d.keys, level);
      d.empty = d.base;
    } else if (kind === 'RegExp' || kind === 'Date') {
      const before = p(kind);
      const text = kind === 'RegExp' ? lib.regexp(v) : dateText(v);
      d.base = before === `${kind} ` ? text : before + text;
      d.empty = d.base;
      d.deep = d.base;
    } else if (BOXED[kind]) {
      d.base = boxedBase(ctx, v, kind, name, tag);
      d.empty = d.base;
    } else if (kind === 'ArrayBuffer' || kind === 'DataView' || kind === 'Promise') {
      d.open = `${p(kind)}{`;
      d.items = kind === 'ArrayBuffer' ? bufferItems : kind === 'DataView' ? viewItems : promiseItems;
    } else if (kind === 'WeakMap' || kind === 'WeakSet') {
      d.open = `${p(kind)}{`;
      d.items = (_ctx, _v, _level, out) => out.push('<items unknown>');
    } else {
      const fields = kind === 'Object' ? attempt(() => lib.fields(v)) : undefined;
      if (fields !== undefined) d.items = (c, _v, l, out) => fieldItems(c, fields, l, out);
      if (kind === 'Arguments') d.open = '[Arguments] {';
      else if (name !== 'Object' || tag !== '') d.open = `${p('Object')}{`;
      d.empty = d.items ? undefined : `${d.open}}`;
    }
    return d;
  };

  const dateText = (v) => (Number.isNaN(Date.prototype.valueOf.call(v)) ? 'Invalid Date' : Date.prototype.toISOString.call(v));

  // An object too deep to be shown.
  const collapsed = (d) => {
    const text = prefix(d.name, d.tag, 'Object').slice(0, -1);
    return d.name === null ? text : `[${text}]`;
  };

  const showObject = (ctx, v, level) => {
    const d = describe(ctx, v, level);
    if (d.empty !== undefined && d.keys.length === 0) return d.empty;
    if (level > ctx.depth) return d.deep ?? collapsed(d);
    level++;
    ctx.seen.push(v);
    ctx.deepest = level;
    const out = new Output(ctx);
    d.items?.(ctx, v, level, out);
    for (let i = 0; i < d.keys.length && out.left > 0; i++) out.push(showProperty(ctx, v, level, d.keys[i], PROPERTY));
    ctx.seen.pop();
    const ref = ctx.circular?.get(v);
    if (ref !== undefined) d.base = d.base === '' ? `<ref *${ref}>` : `<ref *${ref}> ${d.base}`;
    return layOut(ctx, out.items, d.base, [d.open, d.close], d.kind, level, v);
  };

  const circularRef = (ctx, v) => {
    ctx.circular ??= new Map();
    if (!ctx.circular.has(v)) ctx.circular.set(v, ctx.circular.size + 1);
    return `[Circular *${ctx.circular.get(v)}]`;
  };

  // An object may say itself how it wants to be shown, under the symbol that libraries use for this in node.
  const showCustom = (ctx, v, level) => {
    const custom = attempt(() => v[CUSTOM]);
    if (typeof custom !== 'function') return undefined;
    if (attempt(() => v.constructor?.prototype === v, false)) return undefined;
    const r = custom.call(v, ctx.depth - level, lib.guestObject());
    if (r === v) return undefined;
    if (r === null || (typeof r !== 'object' && typeof r !== 'function')) return `${String(r)}`;
    return show(ctx, r, level).replaceAll('\n', `\n${' '.repeat(ctx.indent)}`);
  };

  const showProxy = (ctx, v, level) => {
    const target = lib.proxyTarget(v);
    return target === null ? '<Revoked Proxy>' : show(ctx, target, level);
  };

  const show = (ctx, v, level) => {
    if (v === null || (typeof v !== 'object' && typeof v !== 'function')) return showPrimitive(ctx, v);
    if (isProxy(v)) return showProxy(ctx, v, level);
    const tools = lib.tools(v); // `tools` and its namespaces: the list of what there is
    if (tools !== undefined) return level === 0 ? tools : '[Tools]';
    if (ctx.custom) {
      const text = showCustom(ctx, v, level);
      if (text !== undefined) return text;
    }
    if (ctx.seen.includes(v)) return circularRef(ctx, v);
    return showObject(ctx, v, level);
  };

  const context = (options) => ({
    depth: 2, indent: 0, deepest: 0, limit: 1 << 24, seen: [], circular: undefined, custom: true, hidden: false, uncaught: false,
    bare: false, ...options,
  });

  lib.inspect = (v, options) => show(context(options), v, 0);
  lib.quote = quote;
  lib.width = width;
  lib.showNumber = showNumber;
  lib.attempt = attempt;
  lib.give('inspect', (v, limit) => lib.inspect(v, { limit }));
}
