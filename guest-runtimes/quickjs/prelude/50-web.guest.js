// Web globals of the guest's realm: events, aborting, text codecs, structuredClone. Cells may overwrite every prototype they
// can reach, so nothing here calls a method through one after this file has run: what is needed is taken beforehand, lists
// have no prototype, and state is in private fields. For the same reason there is no spread and no for-of over arrays.
(lib) => {
  const apply = Reflect.apply;
  const uncurry = (f) => (self, ...args) => apply(f, self, args);
  const defineProperty = Object.defineProperty, getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor;
  const { list, report } = lib;
  const getter = (o, name) => uncurry(getOwnPropertyDescriptor(o, name).get);

  const globals = (o) => {
    for (const name of Object.keys(o)) {
      defineProperty(globalThis, name, { __proto__: null, value: o[name], writable: true, enumerable: false, configurable: true });
    }
  };
  const enumerate = (ctor, names) => {
    for (const name of names) defineProperty(ctor.prototype, name, { __proto__: null, enumerable: true });
  };
  const tag = (ctor) => defineProperty(ctor.prototype, Symbol.toStringTag, { __proto__: null, value: ctor.name, configurable: true });

  lib.kit = { __proto__: null, apply, uncurry, defineProperty, getOwnPropertyDescriptor, list, globals, enumerate, tag };

  // ---- events -------------------------------------------------------------------------------------------------------

  const now = performance.now;
  const bool = (v) => !!v;
  const Fail = DOMException;
  let setTarget, setPhase, stopped, mark, removeListener, fire, onAbort;

  class Event {
    #type; #bubbles; #cancelable; #composed; #target = null; #phase = 0; #prevented = false; #stop = false; #stopNow = false;
    #time = now(); #passive = false;
    static {
      setTarget = (e, t) => { e.#target = t; };
      setPhase = (e, p) => { e.#phase = p; };
      stopped = (e) => e.#stopNow;
      mark = (e, passive) => { e.#passive = passive; };
    }
    constructor(type, options = undefined) {
      if (arguments.length === 0) throw new TypeError('The "type" argument must be specified');
      this.#type = `${type}`;
      this.#bubbles = bool(options?.bubbles);
      this.#cancelable = bool(options?.cancelable);
      this.#composed = bool(options?.composed);
    }
    get type() { return this.#type; }
    get target() { return this.#target; }
    get srcElement() { return this.#target; }
    get currentTarget() { return this.#phase ? this.#target : null; }
    get eventPhase() { return this.#phase; }
    get bubbles() { return this.#bubbles; }
    get cancelable() { return this.#cancelable; }
    get composed() { return this.#composed; }
    get defaultPrevented() { return this.#cancelable && this.#prevented; }
    get returnValue() { return !this.defaultPrevented; }
    get cancelBubble() { return this.#stop; }
    set cancelBubble(v) { if (v) this.#stop = true; }
    get timeStamp() { return this.#time; }
    get isTrusted() { return false; }
    composedPath() { return this.#phase ? [this.#target] : []; }
    preventDefault() { if (this.#cancelable && !this.#passive) this.#prevented = true; }
    stopPropagation() { this.#stop = true; }
    stopImmediatePropagation() { this.#stop = this.#stopNow = true; }
  }
  const PHASES = ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'];
  for (let i = 0; i < 4; i++) {
    defineProperty(Event, PHASES[i], { __proto__: null, value: i, enumerable: true });
    defineProperty(Event.prototype, PHASES[i], { __proto__: null, value: i, enumerable: true });
  }
  enumerate(Event, ['type', 'target', 'srcElement', 'currentTarget', 'eventPhase', 'bubbles', 'cancelable', 'composed', 'defaultPrevented',
    'returnValue', 'cancelBubble', 'timeStamp', 'composedPath', 'preventDefault', 'stopPropagation', 'stopImmediatePropagation']);
  tag(Event);

  class CustomEvent extends Event {
    #detail;
    constructor(type, options = undefined) {
      super(type, options);
      this.#detail = options?.detail ?? null;
    }
    get detail() { return this.#detail; }
  }
  enumerate(CustomEvent, ['detail']);
  tag(CustomEvent);

  const isEvent = (v) => {
    try {
      stopped(v);
      return true;
    } catch {
      return false;
    }
  };

  class EventTarget {
    #listeners = list(); // of {type, callback, capture, once, passive, gone}
    addEventListener(type, callback, options = undefined) {
      if (arguments.length < 2) throw new TypeError('addEventListener needs a type and a listener');
      if (callback === null || callback === undefined) return;
      if (typeof callback !== 'function' && typeof callback !== 'object') throw new TypeError('The listener must be a function or an object');
      const o = options !== null && typeof options === 'object' ? options : undefined;
      const capture = o ? bool(o.capture) : bool(options);
      type = `${type}`;
      const signal = o?.signal;
      if (signal?.aborted) return;
      const all = this.#listeners;
      for (let i = 0; i < all.length; i++) {
        const l = all[i];
        if (l.type === type && l.callback === callback && l.capture === capture) return;
      }
      all[all.length] = { __proto__: null, type, callback, capture, once: bool(o?.once), passive: bool(o?.passive), gone: false };
      if (signal !== undefined && signal !== null) onAbort(signal, () => removeListener(this, type, callback, capture));
    }
    removeEventListener(type, callback, options = undefined) {
      const capture = options !== null && typeof options === 'object' ? bool(options.capture) : bool(options);
      this.#remove(`${type}`, callback, capture);
    }
    #remove(type, callback, capture) {
      const all = this.#listeners, kept = list();
      for (let i = 0; i < all.length; i++) {
        const l = all[i];
        if (l.type === type && l.callback === callback && l.capture === capture) l.gone = true;
        else kept[kept.length] = l;
      }
      this.#listeners = kept;
    }
    dispatchEvent(event) {
      if (!isEvent(event)) throw new TypeError('The "event" argument must be an instance of Event');
      if (event.eventPhase !== 0) throw new Fail('The event is already being dispatched', 'InvalidStateError');
      return fire(this, event);
    }
    static {
      removeListener = (t, type, callback, capture) => t.#remove(type, callback, capture);
      fire = (t, event) => {
        setTarget(event, t);
        setPhase(event, 2);
        const all = t.#listeners, n = all.length, type = event.type;
        for (let i = 0; i < n && !stopped(event); i++) {
          const l = all[i];
          if (l.type !== type || l.gone) continue;
          if (l.once) t.#remove(l.type, l.callback, l.capture);
          mark(event, l.passive);
          try {
            if (typeof l.callback === 'function') apply(l.callback, t, [event]);
            else l.callback.handleEvent(event);
          } catch (e) {
            report(e);
          }
          mark(event, false);
        }
        setPhase(event, 0);
        return !event.defaultPrevented;
      };
    }
  }
  enumerate(EventTarget, ['addEventListener', 'removeEventListener', 'dispatchEvent']);
  tag(EventTarget);

  // ---- aborting -------------------------------------------------------------------------------------------------------

  const token = {};
  const startTimer = setTimeout;
  let abortSignal;

  class AbortSignal extends EventTarget {
    #aborted = false; #reason = undefined; #after = list(); #onabort = null;
    constructor(key = undefined) {
      if (key !== token) throw new TypeError('Illegal constructor');
      super();
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    get onabort() { return this.#onabort; }
    set onabort(f) { this.#onabort = typeof f === 'function' ? f : null; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    static abort(reason = new Fail('This operation was aborted', 'AbortError')) {
      const s = new AbortSignal(token);
      s.#aborted = true;
      s.#reason = reason;
      return s;
    }
    static timeout(ms) {
      const s = new AbortSignal(token);
      startTimer(() => abortSignal(s, new Fail('The operation was aborted due to timeout', 'TimeoutError')), ms);
      return s;
    }
    static any(signals) {
      const s = new AbortSignal(token), all = [...signals];
      for (let i = 0; i < all.length; i++) {
        if (!all[i].#aborted) continue;
        s.#aborted = true;
        s.#reason = all[i].#reason;
        return s;
      }
      for (let i = 0; i < all.length; i++) onAbort(all[i], () => abortSignal(s, all[i].#reason));
      return s;
    }
    static {
      onAbort = (s, f) => { s.#after[s.#after.length] = f; };
      abortSignal = (s, reason) => {
        if (s.#aborted) return;
        s.#aborted = true;
        s.#reason = reason;
        const after = s.#after;
        s.#after = list();
        for (let i = 0; i < after.length; i++) after[i]();
        const event = new Event('abort');
        if (s.#onabort) {
          try {
            apply(s.#onabort, s, [event]);
          } catch (e) {
            report(e);
          }
        }
        fire(s, event);
      };
    }
  }
  enumerate(AbortSignal, ['aborted', 'reason', 'onabort', 'throwIfAborted']);
  tag(AbortSignal);

  class AbortController {
    #signal = new AbortSignal(token);
    get signal() { return this.#signal; }
    abort(reason = new Fail('This operation was aborted', 'AbortError')) { abortSignal(this.#signal, reason); }
  }
  enumerate(AbortController, ['signal', 'abort']);
  tag(AbortController);

  const field = (ctor, name) => getter(ctor.prototype, name);
  const shows = (ctor, ...names) => {
    const getters = names.map((n) => [n, field(ctor, n)]);
    lib.register(ctor.prototype, null, function () {
      const out = list();
      for (let i = 0; i < getters.length; i++) {
        out[out.length] = getters[i][0];
        out[out.length] = getters[i][1](this);
      }
      return out;
    });
  };
  shows(Event, 'type', 'defaultPrevented', 'cancelable', 'timeStamp');
  shows(AbortSignal, 'aborted');
  shows(AbortController, 'signal');

  // ---- text codecs -----------------------------------------------------------------------------------------------------

  const { utf8, utf8Into, decode } = lib;

  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(input = '') { return utf8(`${input}`); }
    encodeInto(source, dest) {
      const done = utf8Into(`${source}`, dest);
      return { read: done[0], written: done[1] };
    }
  }
  enumerate(TextEncoder, ['encoding', 'encode', 'encodeInto']);
  tag(TextEncoder);

  const ENCODINGS = { __proto__: null };
  const labels = (id, name, all) => all.split(' ').forEach((l) => { ENCODINGS[l] = { __proto__: null, id, name }; });
  labels(0, 'utf-8', 'utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8');
  labels(1, 'utf-16le', 'utf-16le utf-16 ucs-2 unicode iso-10646-ucs-2 csunicode unicodefeff');
  labels(2, 'utf-16be', 'utf-16be unicodefffe');
  labels(3, 'windows-1252', 'windows-1252 latin1 iso-8859-1 ascii us-ascii l1 iso8859-1 iso88591 iso_8859-1 cp1252 x-cp1252 ' +
    'ansi_x3.4-1968 cp819 csisolatin1 ibm819 iso-ir-100 iso_8859-1:1987');
  const trimLower = lib.inner('trimLower'), stripBom = lib.inner('stripBom');

  class TextDecoder {
    #encoding; #fatal; #ignoreBOM; #kept = undefined; #atStart = true;
    constructor(label = 'utf-8', options = undefined) {
      this.#encoding = ENCODINGS[trimLower(`${label}`)];
      if (this.#encoding === undefined) throw new RangeError(`The "${label}" encoding is not supported`);
      this.#fatal = bool(options?.fatal);
      this.#ignoreBOM = bool(options?.ignoreBOM);
    }
    get encoding() { return this.#encoding.name; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(input = undefined, options = undefined) {
      const more = bool(options?.stream);
      const done = decode(this.#encoding.id, input, this.#kept, !more);
      if (done === null) throw new TypeError('The "input" argument must be an ArrayBuffer, a typed array or a DataView');
      this.#kept = more ? done[2] : undefined;
      const atStart = this.#atStart;
      if (!more) this.#atStart = true;
      if (done[1] && this.#fatal) throw new TypeError(`The encoded data was not valid for encoding ${this.#encoding.name}`);
      if (done[0] === '') return '';
      if (more) this.#atStart = false;
      return atStart && !this.#ignoreBOM ? stripBom(done[0]) : done[0];
    }
  }
  enumerate(TextDecoder, ['encoding', 'fatal', 'ignoreBOM', 'decode']);
  tag(TextDecoder);
  shows(TextEncoder, 'encoding');
  shows(TextDecoder, 'encoding', 'fatal', 'ignoreBOM');

  // ---- structuredClone --------------------------------------------------------------------------------------------------

  const kindOf = lib.class;
  const { keys, setPrototypeOf } = Object;
  const NewMap = Map, NewSet = Set, NewDate = Date, NewRegExp = RegExp, NewArrayBuffer = ArrayBuffer, NewDataView = DataView, NewObject = Object;
  const mapGet = uncurry(Map.prototype.get), mapSet = uncurry(Map.prototype.set), mapHas = uncurry(Map.prototype.has);
  const mapEach = uncurry(Map.prototype.forEach), setEach = uncurry(Set.prototype.forEach), setAdd = uncurry(Set.prototype.add);
  const dateValue = uncurry(Date.prototype.valueOf), slice = uncurry(ArrayBuffer.prototype.slice), transfer = uncurry(ArrayBuffer.prototype.transfer);
  const regexpSource = getter(RegExp.prototype, 'source'), byteLength = getter(ArrayBuffer.prototype, 'byteLength');
  const resizable = getter(ArrayBuffer.prototype, 'resizable'), maxByteLength = getter(ArrayBuffer.prototype, 'maxByteLength');
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const typed = { __proto__: null, buffer: getter(TypedArray.prototype, 'buffer'), offset: getter(TypedArray.prototype, 'byteOffset'), length: getter(TypedArray.prototype, 'length') };
  const view = { __proto__: null, buffer: getter(DataView.prototype, 'buffer'), offset: getter(DataView.prototype, 'byteOffset'), length: getter(DataView.prototype, 'byteLength') };
  const TYPED = { __proto__: null };
  for (const c of [Uint8Array, Uint8ClampedArray, Int8Array, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array,
    Float32Array, Float64Array, globalThis.Float16Array]) if (c) TYPED[c.name] = c;
  const ERRORS = { __proto__: null };
  for (const c of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) ERRORS[c.name] = c;
  const BOXED = { __proto__: null };
  for (const c of [Boolean, Number, String, BigInt]) BOXED[c.name] = uncurry(c.prototype.valueOf);
  const stackOf = getter(Error.prototype, 'stack'), setStack = uncurry(getOwnPropertyDescriptor(Error.prototype, 'stack').set);
  const { regexpFlags, isRegistered, functionText, symbolText } = lib;

  const refuse = (what) => { throw new Fail(`${what} could not be cloned.`, 'DataCloneError'); };
  const put = (o, key, value) => defineProperty(o, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });

  const cloneBuffer = (b) => {
    if (!resizable(b)) return slice(b, 0);
    const copy = new NewArrayBuffer(byteLength(b), { __proto__: null, maxByteLength: maxByteLength(b) });
    new TYPED.Uint8Array(copy).set(new TYPED.Uint8Array(b));
    return copy;
  };

  const cloneError = (v, seen) => {
    const name = ERRORS[v.name] ? v.name : 'Error';
    const copy = new ERRORS[name]();
    mapSet(seen, v, copy);
    const own = (key) => {
      const d = getOwnPropertyDescriptor(v, key);
      return d && 'value' in d ? d : undefined;
    };
    const hidden = (key, value) => defineProperty(copy, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
    const message = own('message'), stack = own('stack') ?? { value: stackOf(v) };
    if (message) hidden('message', `${message.value}`);
    if (typeof stack.value === 'string') hidden('stack', stack.value);
    if (own('cause')) hidden('cause', clone(v.cause, seen));
    return copy;
  };

  const cloneProperties = (from, to, seen) => {
    const names = keys(from);
    for (let i = 0; i < names.length; i++) put(to, names[i], clone(from[names[i]], seen));
    return to;
  };

  const cloneInto = (v, copy, seen) => {
    mapSet(seen, v, copy);
    return copy;
  };

  const cloneView = (v, kind, access, seen) => {
    const buffer = clone(access.buffer(v), seen);
    const ctor = kind === 'DataView' ? NewDataView : TYPED[kind];
    return cloneInto(v, new ctor(buffer, access.offset(v), access.length(v)), seen);
  };

  const cloneObject = (v, seen) => {
    const kind = kindOf(v);
    if (kind === 'Object' || kind === 'Arguments') {
      if (isRegistered(v)) refuse(`${kind} object`);
      return cloneProperties(v, cloneInto(v, {}, seen), seen);
    }
    if (kind === 'Array') {
      const copy = cloneInto(v, [], seen);
      copy.length = v.length;
      return cloneProperties(v, copy, seen);
    }
    if (kind === 'Map') {
      const copy = cloneInto(v, new NewMap(), seen), pairs = list();
      mapEach(v, (value, key) => { pairs[pairs.length] = key; pairs[pairs.length] = value; });
      for (let i = 0; i < pairs.length; i += 2) mapSet(copy, clone(pairs[i], seen), clone(pairs[i + 1], seen));
      return copy;
    }
    if (kind === 'Set') {
      const copy = cloneInto(v, new NewSet(), seen), items = list();
      setEach(v, (item) => { items[items.length] = item; });
      for (let i = 0; i < items.length; i++) setAdd(copy, clone(items[i], seen));
      return copy;
    }
    if (kind === 'Date') return cloneInto(v, new NewDate(dateValue(v)), seen);
    if (kind === 'RegExp') return cloneInto(v, new NewRegExp(regexpSource(v), regexpFlags(v)), seen);
    if (kind === 'Error') return cloneError(v, seen);
    if (kind === 'ArrayBuffer') return cloneInto(v, cloneBuffer(v), seen);
    if (kind === 'DataView') return cloneView(v, kind, view, seen);
    if (TYPED[kind]) return cloneView(v, kind, typed, seen);
    if (BOXED[kind]) return cloneInto(v, NewObject(BOXED[kind](v)), seen);
    if (kind === 'DOMException') return cloneInto(v, new Fail(v.message, v.name), seen);
    return refuse(kind === 'Proxy' || typeof v !== 'function' ? `#<${kind}>` : functionText(v));
  };

  const clone = (v, seen) => {
    if (typeof v === 'symbol') refuse(symbolText(v));
    if (v === null || (typeof v !== 'object' && typeof v !== 'function')) return v;
    return mapHas(seen, v) ? mapGet(seen, v) : cloneObject(v, seen);
  };

  const isDetached = getter(ArrayBuffer.prototype, 'detached');
  const f = {
    structuredClone(value, options = undefined) {
      if (arguments.length === 0) throw new TypeError('The "value" argument must be specified');
      const seen = new NewMap(), moved = options?.transfer === undefined ? [] : [...options.transfer];
      for (let i = 0; i < moved.length; i++) {
        if (kindOf(moved[i]) !== 'ArrayBuffer' || isDetached(moved[i]) || mapHas(seen, moved[i])) {
          throw new Fail('Value not transferable', 'DataCloneError');
        }
        mapSet(seen, moved[i], undefined);
      }
      for (let i = 0; i < moved.length; i++) mapSet(seen, moved[i], transfer(moved[i]));
      return clone(value, seen);
    },
  };

  globals({ Event, CustomEvent, EventTarget, AbortSignal, AbortController, TextEncoder, TextDecoder, structuredClone: f.structuredClone });
}
