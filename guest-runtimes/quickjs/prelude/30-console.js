// The formatter of console, for what console.h does not write by itself. Methods and streams come as numbers from there.
(lib) => {
  const { inspect, showNumber, attempt, width } = lib;
  let indent = '';
  const counts = new Map(), timers = new Map();

  const write = (fd, text) => {
    if (indent) text = indent + text.replaceAll('\n', `\n${indent}`);
    lib.write(fd, `${text}\n`);
  };

  // Has the object a toString that somebody wrote for it?
  const hasOwnText = (v) => {
    for (let o = v; o; o = Object.getPrototypeOf(o)) {
      if (lib.class(o) === 'Proxy') return false;
      const f = Object.getOwnPropertyDescriptor(o, 'toString')?.value;
      if (f !== undefined) return typeof f === 'function' && lib.isBytecode(f);
    }
    return false;
  };

  const asString = (v) => {
    if (typeof v === 'bigint') return `${v}n`;
    if (typeof v === 'number') return showNumber(v);
    if (v === null || (typeof v !== 'object' && typeof v !== 'function')) return String(v);
    const kind = lib.class(v);
    if ((kind === 'Error' || typeof v === 'function') && !hasOwnText(v)) return String(v);
    return hasOwnText(v) ? String(v) : inspect(v, { depth: 0 });
  };

  const asNumber = (v, parse) => {
    if (typeof v === 'bigint') return `${v}n`;
    if (typeof v === 'symbol') return 'NaN';
    return showNumber(parse(v));
  };

  const json = (v) => {
    try {
      return JSON.stringify(v);
    } catch (e) {
      if (/circular/i.test(attempt(() => String(e.message), ''))) return '[Circular]';
      throw e;
    }
  };

  const directives = {
    __proto__: null,
    s: asString,
    d: (v) => asNumber(v, Number),
    i: (v) => asNumber(v, Number.parseInt),
    f: (v) => (typeof v === 'symbol' ? 'NaN' : showNumber(Number.parseFloat(v))),
    j: json,
    o: (v) => inspect(v, { hidden: true, depth: 4 }),
    O: (v) => inspect(v),
    c: () => '',
  };

  const format = (args) => {
    let used = 0, text = '';
    if (typeof args[0] === 'string') {
      used = 1;
      text = args.length === 1 ? args[0] : args[0].replace(/%([sdifjoOc%])/g, (all, d) => {
        if (d === '%') return '%';
        return used < args.length ? directives[d](args[used++]) : all;
      });
    }
    for (; used < args.length; used++) {
      text += `${used ? ' ' : ''}${typeof args[used] === 'string' ? args[used] : inspect(args[used])}`;
    }
    return text;
  };

  // ---- table ---------------------------------------------------------------------------------------------------

  const isLarge = (v) => v !== null && typeof v === 'object' && lib.class(v) !== 'Array' && Object.keys(v).length > 2;
  const cellText = (v) => inspect(v, { depth: isLarge(v) ? -1 : 0 });

  const drawTable = (head, columns) => {
    const widths = head.map((h, i) => Math.max(width(h), ...columns[i].map((c) => width(c ?? ''))) + 2);
    const lines = widths.map((w) => '─'.repeat(w));
    const row = (cells) => cells.map((c, i) => ` ${c ?? ''}${' '.repeat(widths[i] - 1 - width(c ?? ''))}`).join('│');
    const rows = Math.max(0, ...columns.map((c) => c.length));
    let text = `┌${lines.join('┬')}┐\n│${row(head)}│\n├${lines.join('┼')}┤\n`;
    for (let r = 0; r < rows; r++) text += `│${row(columns.map((c) => c[r]))}│\n`;
    return `${text}└${lines.join('┴')}┘`;
  };

  const rowsOf = (data) => {
    const kind = lib.class(data), rows = [];
    if (kind === 'Map') Map.prototype.forEach.call(data, (v, k) => rows.push([`${rows.length}`, v, k]));
    else if (kind === 'Set') Set.prototype.forEach.call(data, (v) => rows.push([`${rows.length}`, v]));
    else for (const k of Object.keys(data)) rows.push([k, data[k]]);
    return { rows, index: kind === 'Map' || kind === 'Set' ? '(iteration index)' : '(index)', isMap: kind === 'Map' };
  };

  const table = (data, only) => {
    if (data === null || typeof data !== 'object') return format([data]);
    const { rows, index, isMap } = rowsOf(data);
    const names = [], cells = new Map(), values = [];
    let plain = false;
    if (isMap) {
      return drawTable([index, 'Key', 'Values'], [rows.map((r) => r[0]), rows.map((r) => cellText(r[2])), rows.map((r) => cellText(r[1]))]);
    }
    rows.forEach(([, item], r) => {
      if (item === null || (typeof item !== 'object' && typeof item !== 'function')) {
        plain = true;
        values[r] = cellText(item);
        return;
      }
      for (const key of only === undefined ? Object.keys(item) : Array.from(only, String)) {
        if (!cells.has(key)) {
          names.push(key);
          cells.set(key, []);
        }
        if (Object.hasOwn(item, key)) cells.get(key)[r] = cellText(item[key]);
      }
    });
    const columns = names.map((n) => Array.from({ length: rows.length }, (_, r) => cells.get(n)[r]));
    const head = [index, ...names], body = [rows.map((r) => r[0]), ...columns];
    if (plain) {
      head.push('Values');
      body.push(Array.from({ length: rows.length }, (_, r) => values[r]));
    }
    return drawTable(head, body);
  };

  // ---- methods -------------------------------------------------------------------------------------------------

  const label = (args) => (args[0] === undefined ? 'default' : String(args[0]));

  const elapsed = (ms) => {
    if (ms >= 1000) {
      const s = ms / 1000;
      if (s < 60) return `${s.toFixed(3)}s`;
      const m = Math.floor(s / 60);
      const two = (n) => String(n).padStart(2, '0');
      const rest = (s % 60).toFixed(3).padStart(6, '0');
      return m < 60 ? `${m}:${rest} (m:ss.mmm)` : `${Math.floor(m / 60)}:${two(m % 60)}:${two(Math.floor(s % 60))} (h:mm:ss)`;
    }
    return `${Number(ms.toFixed(3))}ms`;
  };

  const warn = (text) => lib.write(2, `Warning: ${text}\n`);

  const time = {
    start(name) {
      if (timers.has(name)) return warn(`Label '${name}' already exists for console.time()`);
      return timers.set(name, lib.now());
    },
    log(fd, name, args, method) {
      if (!timers.has(name)) return warn(`No such label '${name}' for console.${method}()`);
      const extra = args.slice(1);
      return write(fd, format([`${name}: ${elapsed(lib.now() - timers.get(name))}`, ...extra]));
    },
  };

  const names = ['log', 'info', 'debug', 'warn', 'error', 'trace', 'dir', 'dirxml', 'table', 'assert', 'group', 'groupCollapsed', 'groupEnd',
    'count', 'countReset', 'time', 'timeLog', 'timeEnd', 'clear'];

  const methods = {
    __proto__: null,
    trace: (fd, args) => write(fd, `Trace${args.length ? `: ${format(args)}` : ''}${lib.here()}`),
    dir(fd, args) {
      const o = args[1] !== null && typeof args[1] === 'object' ? args[1] : {};
      write(fd, inspect(args[0], { custom: false, depth: o.depth === null ? Infinity : typeof o.depth === 'number' ? o.depth : 2, hidden: !!o.showHidden }));
    },
    table: (fd, args) => write(fd, table(args[0], args[1])),
    assert(fd, args) {
      if (args[0]) return;
      const rest = args.slice(1);
      if (typeof rest[0] === 'string') rest[0] = `Assertion failed: ${rest[0]}`;
      else rest.unshift('Assertion failed' + (rest.length ? ':' : ''));
      write(fd, format(rest));
    },
    group: (fd, args) => args.length && write(fd, format(args)),
    groupEnd() {}, // the depth is counted in console.h
    count(fd, args) {
      const name = label(args), n = (counts.get(name) ?? 0) + 1;
      counts.set(name, n);
      write(fd, `${name}: ${n}`);
    },
    countReset(fd, args) {
      if (!counts.delete(label(args))) warn(`Count for '${label(args)}' does not exist`);
    },
    time: (fd, args) => time.start(label(args)),
    timeLog: (fd, args) => time.log(fd, label(args), args, 'timeLog'),
    timeEnd(fd, args) {
      time.log(fd, label(args), [], 'timeEnd');
      timers.delete(label(args));
    },
    clear() {},
  };
  methods.groupCollapsed = methods.group;

  lib.give('console', (method, fd, args, depth) => {
    indent = '  '.repeat(Math.min(depth, 100));
    const f = methods[names[method]];
    if (f) f(fd, args);
    else write(fd, format(args));
  });
}
