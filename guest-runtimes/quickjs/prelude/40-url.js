// The URL standard's parser and serializer. Strings in, lists of strings out: the class URL itself lives in the guest's realm.
// Internationalised names are mapped with NFKC and lower case and written in punycode, which is the standard's mapping for all
// but a few characters; its validity rules beyond that are not applied.
(lib) => {
  const SPECIAL = { __proto__: null, http: '80', https: '443', ws: '80', wss: '443', ftp: '21', file: '' };
  const isSpecial = (u) => u.scheme in SPECIAL;

  // ---- percent-encoding -----------------------------------------------------------------------------------------

  const FRAGMENT = ' "<>`', QUERY = ' "#<>', PATH = `${QUERY}?\`{}`, USERINFO = `${PATH}/:;=@[\\]^|`;
  const FORM_SAFE = /[A-Za-z0-9*\-._]/;

  const utf8 = (cp) => {
    if (cp < 0x80) return [cp];
    if (cp < 0x800) return [0xc0 | cp >> 6, 0x80 | cp & 63];
    if (cp >= 0xd800 && cp <= 0xdfff) cp = 0xfffd;
    if (cp < 0x10000) return [0xe0 | cp >> 12, 0x80 | cp >> 6 & 63, 0x80 | cp & 63];
    return [0xf0 | cp >> 18, 0x80 | cp >> 12 & 63, 0x80 | cp >> 6 & 63, 0x80 | cp & 63];
  };
  const percent = (ch) => utf8(ch.codePointAt(0)).map((b) => `%${b.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  const isControl = (ch) => ch < ' ' || ch > '~';
  const encode = (s, set) => {
    let out = '';
    for (const ch of s) out += isControl(ch) || set.includes(ch) ? percent(ch) : ch;
    return out;
  };

  // Bytes to text as UTF-8, malformed sequences replaced.
  const fromUtf8 = (bytes) => {
    let out = '';
    for (let i = 0; i < bytes.length;) {
      const c = bytes[i++];
      if (c < 0x80) {
        out += String.fromCharCode(c);
        continue;
      }
      const need = c >= 0xc2 && c <= 0xdf ? 1 : c >= 0xe0 && c <= 0xef ? 2 : c >= 0xf0 && c <= 0xf4 ? 3 : 0;
      let low = c === 0xe0 ? 0xa0 : c === 0xf0 ? 0x90 : 0x80, high = c === 0xed ? 0x9f : c === 0xf4 ? 0x8f : 0xbf;
      let cp = c & 0x3f >> need, have = 0;
      while (have < need && bytes[i] >= low && bytes[i] <= high) {
        cp = cp << 6 | bytes[i++] & 63;
        low = 0x80;
        high = 0xbf;
        have++;
      }
      out += need > 0 && have === need ? String.fromCodePoint(cp) : '\ufffd';
    }
    return out;
  };

  const percentDecode = (s) => {
    const bytes = [];
    for (let i = 0; i < s.length; i++) {
      const code = s[i] === '%' ? /^[0-9a-fA-F]{2}$/.exec(s.slice(i + 1, i + 3)) : null;
      if (code) {
        bytes.push(Number.parseInt(code[0], 16));
        i += 2;
      } else {
        const cp = s.codePointAt(i);
        bytes.push(...utf8(cp));
        if (cp > 0xffff) i++;
      }
    }
    return fromUtf8(bytes);
  };

  // ---- hosts ------------------------------------------------------------------------------------------------------

  const FORBIDDEN_HOST = /[\0\t\n\r #/:<>?@[\\\]^|]/;
  const FORBIDDEN_DOMAIN = /[\x00-\x20"#%/:<>?@[\\\]^`{|}\x7f]/;

  const punycode = (label) => {
    const points = Array.from(label, (c) => c.codePointAt(0)), basic = points.filter((p) => p < 128);
    let out = String.fromCharCode(...basic) + (basic.length ? '-' : '');
    let n = 128, delta = 0, bias = 72, done = basic.length;
    while (done < points.length) {
      const next = Math.min(...points.filter((p) => p >= n));
      delta += (next - n) * (done + 1);
      n = next;
      for (const p of points) {
        if (p < n) delta++;
        if (p !== n) continue;
        let q = delta;
        for (let k = 36; ; k += 36) {
          const t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
          if (q < t) break;
          const digit = t + (q - t) % (36 - t);
          out += String.fromCharCode(digit < 26 ? digit + 97 : digit + 22);
          q = Math.floor((q - t) / (36 - t));
        }
        out += String.fromCharCode(q < 26 ? q + 97 : q + 22);
        delta = done === basic.length ? Math.floor(delta / 700) : delta >> 1;
        delta += Math.floor(delta / (done + 1));
        let k = 0;
        for (; delta > 455; k += 36) delta = Math.floor(delta / 35);
        bias = k + Math.floor(36 * delta / (delta + 38));
        delta = 0;
        done++;
      }
      delta++;
      n++;
    }
    return out;
  };

  const toAscii = (domain) => {
    if (/^[\x00-\x7f]*$/.test(domain)) return domain.toLowerCase();
    const mapped = domain.replace(/[\u00ad\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]/g, '').normalize('NFKC').toLowerCase().normalize('NFC');
    return mapped.replace(/[\u3002\uff0e\uff61]/g, '.').split('.')
      .map((label) => (/^[\x00-\x7f]*$/.test(label) ? label : `xn--${punycode(label)}`)).join('.');
  };

  const ipv4Number = (s) => {
    if (s === '') return NaN;
    let radix = 10;
    if (/^0x/i.test(s)) {
      radix = 16;
      s = s.slice(2);
    } else if (s.length > 1 && s[0] === '0') {
      radix = 8;
      s = s.slice(1);
    }
    if (s === '') return 0;
    const digits = radix === 16 ? /^[0-9a-f]+$/i : radix === 8 ? /^[0-7]+$/ : /^[0-9]+$/;
    return digits.test(s) ? Number.parseInt(s, radix) : NaN;
  };

  const endsInNumber = (host) => {
    const parts = host.split('.');
    if (parts.at(-1) === '') {
      if (parts.length === 1) return false;
      parts.pop();
    }
    const last = parts.at(-1);
    return /^[0-9]+$/.test(last) || /^0x[0-9a-f]*$/i.test(last);
  };

  const parseIpv4 = (host) => {
    const parts = host.split('.');
    if (parts.at(-1) === '' && parts.length > 1) parts.pop();
    if (parts.length > 4) return null;
    const numbers = parts.map(ipv4Number), last = numbers.pop();
    if (numbers.some((n) => !(n <= 255)) || !(last < 256 ** (4 - numbers.length))) return null;
    const ip = numbers.reduce((sum, n, i) => sum + n * 256 ** (3 - i), last);
    return [24, 16, 8, 0].map((shift) => Math.floor(ip / 2 ** shift) % 256).join('.');
  };

  // The eight pieces of an IPv6 address, or null.
  const ipv6Pieces = (s) => {
    const halves = s.split('::');
    if (halves.length > 2) return null;
    const pieces = (part, isLast) => {
      if (part === '') return [];
      const out = [], words = part.split(':');
      for (let i = 0; i < words.length; i++) {
        if (isLast && i === words.length - 1 && words[i].includes('.')) {
          const quad = words[i].split('.');
          if (quad.length !== 4 || !quad.every((q) => /^(0|[1-9][0-9]{0,2})$/.test(q) && +q <= 255)) return null;
          out.push(quad[0] * 256 + +quad[1], quad[2] * 256 + +quad[3]);
        } else {
          if (!/^[0-9a-f]{1,4}$/i.test(words[i])) return null;
          out.push(Number.parseInt(words[i], 16));
        }
      }
      return out;
    };
    const head = pieces(halves[0], halves.length === 1), tail = halves.length === 2 ? pieces(halves[1], true) : [];
    if (head === null || tail === null) return null;
    const missing = 8 - head.length - tail.length;
    if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
    return [...head, ...Array(missing).fill(0), ...tail];
  };

  const parseIpv6 = (s) => {
    const pieces = ipv6Pieces(s);
    if (pieces === null) return null;
    let best = -1, bestLength = 1;
    for (let i = 0; i < 8; i++) {
      let n = 0;
      while (i + n < 8 && pieces[i + n] === 0) n++;
      if (n > bestLength) {
        best = i;
        bestLength = n;
      }
      if (n) i += n - 1;
    }
    const text = (from, to) => pieces.slice(from, to).map((p) => p.toString(16)).join(':');
    return best < 0 ? `[${text(0, 8)}]` : `[${text(0, best)}::${text(best + bestLength, 8)}]`;
  };

  const parseHost = (s, special) => {
    if (s[0] === '[') return s.at(-1) === ']' ? parseIpv6(s.slice(1, -1)) : null;
    if (!special) return FORBIDDEN_HOST.test(s) ? null : encode(s, '');
    const ascii = toAscii(percentDecode(s));
    if (ascii === '' || FORBIDDEN_DOMAIN.test(ascii)) return null;
    return endsInNumber(ascii) ? parseIpv4(ascii) : ascii;
  };

  // ---- paths ------------------------------------------------------------------------------------------------------

  const isSingleDot = (s) => /^(\.|%2e)$/i.test(s);
  const isDoubleDot = (s) => /^(\.|%2e){2}$/i.test(s);
  const isDriveLetter = (s) => /^[a-zA-Z][:|]$/.test(s);
  const startsWithDrive = (s) => /^[a-zA-Z][:|]([/\\?#]|$)/.test(s);

  const shorten = (u) => {
    if (u.scheme === 'file' && u.path.length === 1 && /^[a-zA-Z]:$/.test(u.path[0])) return;
    u.path.pop();
  };

  // Adds the segments of a text to the path.
  const addPath = (u, text) => {
    const segments = text.split(isSpecial(u) ? /[/\\]/ : '/');
    segments.forEach((segment, i) => {
      const last = i === segments.length - 1;
      if (isDoubleDot(segment)) {
        shorten(u);
        if (last) u.path.push('');
      } else if (isSingleDot(segment)) {
        if (last) u.path.push('');
      } else {
        let s = encode(segment, PATH);
        if (u.scheme === 'file' && u.path.length === 0 && isDriveLetter(s)) s = `${s[0]}:`;
        u.path.push(s);
      }
    });
  };

  const setPath = (u, text) => {
    u.path = [];
    const slash = text[0] === '/' || (isSpecial(u) && text[0] === '\\');
    if (slash) text = text.slice(1);
    else if (text === '' && !isSpecial(u)) return;
    addPath(u, text);
  };

  const encodeQuery = (u, s) => encode(s, isSpecial(u) ? `${QUERY}'` : QUERY);

  // ---- authority ----------------------------------------------------------------------------------------------------

  const setPort = (u, digits) => {
    if (digits === '') {
      u.port = '';
      return true;
    }
    const n = Number(digits);
    if (n > 65535) return false;
    u.port = String(n) === SPECIAL[u.scheme] ? '' : String(n);
    return true;
  };

  const HOST_PORT = /^((?:\[[^\]]*\]?|[^:[])*)(?::(.*))?$/s;

  const setAuthority = (u, text) => {
    const at = text.lastIndexOf('@');
    if (at >= 0) {
      const credentials = text.slice(0, at), colon = credentials.indexOf(':');
      u.username = encode(colon < 0 ? credentials : credentials.slice(0, colon), USERINFO);
      u.password = colon < 0 ? '' : encode(credentials.slice(colon + 1), USERINFO);
      if (at === text.length - 1) return false;
    }
    const [, host, port] = HOST_PORT.exec(text.slice(at + 1)) ?? [];
    if (host === undefined) return false;
    if (host === '') {
      if (isSpecial(u) || port !== undefined || at >= 0) return false;
      u.host = '';
      return true;
    }
    u.host = parseHost(host, isSpecial(u));
    if (u.host === null) return false;
    return port === undefined || (/^[0-9]*$/.test(port) && setPort(u, port));
  };

  // ---- the parser ---------------------------------------------------------------------------------------------------

  const blank = (scheme) => ({ scheme, username: '', password: '', host: null, port: '', path: [], opaque: false, query: null, fragment: null });

  // Takes #fragment and ?query off the end.
  const takeTail = (u, s) => {
    const hash = s.indexOf('#');
    if (hash >= 0) {
      u.fragment = encode(s.slice(hash + 1), FRAGMENT);
      s = s.slice(0, hash);
    }
    const mark = s.indexOf('?');
    if (mark >= 0) {
      u.query = encodeQuery(u, s.slice(mark + 1));
      s = s.slice(0, mark);
    }
    return s;
  };

  // After "scheme://": authority up to the first slash, then the path.
  const afterSlashes = (u, s) => {
    const end = s.search(isSpecial(u) ? /[/\\]/ : /\//), authority = end < 0 ? s : s.slice(0, end);
    if (!setAuthority(u, authority)) return null;
    setPath(u, end < 0 ? '' : s.slice(end));
    return u;
  };

  const parseFile = (u, s, base) => {
    u.host = '';
    const isSlash = (c) => c === '/' || c === '\\';
    if (isSlash(s[0]) && isSlash(s[1])) {
      const rest = s.slice(2), end = rest.search(/[/\\]/), name = end < 0 ? rest : rest.slice(0, end);
      if (isDriveLetter(name)) {
        addPath(u, rest);
        return u;
      }
      if (name !== '') {
        u.host = parseHost(name, true);
        if (u.host === null) return null;
        if (u.host === 'localhost') u.host = '';
      }
      setPath(u, end < 0 ? '' : rest.slice(end));
      return u;
    }
    const fromBase = base?.scheme === 'file';
    if (isSlash(s[0])) {
      if (fromBase) {
        u.host = base.host;
        if (!startsWithDrive(s.slice(1)) && /^[a-zA-Z]:$/.test(base.path[0] ?? '')) u.path = [base.path[0]];
      }
      addPath(u, s.slice(1));
      return u;
    }
    if (!fromBase) {
      addPath(u, s);
      return u;
    }
    return relativeTo(u, s, base, startsWithDrive(s));
  };

  // s is a relative path; the tail is already in u.
  const relativeTo = (u, s, base, replacePath = false) => {
    u.username = base.username;
    u.password = base.password;
    u.host = base.host;
    u.port = base.port;
    u.path = replacePath ? [] : [...base.path];
    if (s === '') {
      if (u.query === null) u.query = base.query;
      return u;
    }
    if (!replacePath) shorten(u);
    addPath(u, s);
    return u;
  };

  const parseRelative = (u, s, base) => {
    const slash = (c) => c === '/' || (isSpecial(u) && c === '\\');
    if (slash(s[0]) && slash(s[1])) return afterSlashes(u, isSpecial(u) ? s.replace(/^[/\\]+/, '') : s.slice(2));
    if (!slash(s[0])) return relativeTo(u, s, base);
    u.username = base.username;
    u.password = base.password;
    u.host = base.host;
    u.port = base.port;
    setPath(u, s);
    return u;
  };

  const parseWithScheme = (u, s, base) => {
    if (u.scheme === 'file') return parseFile(u, s, base);
    if (isSpecial(u)) {
      if (base?.scheme === u.scheme && !/^[/\\]{2}/.test(s) && !(s[0] === '/' && s[1] === '/')) return parseRelative(u, s, base);
      return afterSlashes(u, s.replace(/^[/\\]*/, ''));
    }
    if (s.startsWith('//')) return afterSlashes(u, s.slice(2));
    if (s[0] === '/') {
      setPath(u, s);
      return u;
    }
    u.opaque = true;
    u.path = encode(s, '');
    return u;
  };

  const parse = (input, base = null) => {
    input = input.replace(/^[\x00-\x20]+|[\x00-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
    const scheme = /^([a-zA-Z][a-zA-Z0-9+\-.]*):/.exec(input);
    if (scheme) {
      const u = blank(scheme[1].toLowerCase());
      return parseWithScheme(u, takeTail(u, input.slice(scheme[0].length)), base);
    }
    if (base === null) return null;
    const u = blank(base.scheme);
    if (base.opaque) {
      if (input[0] !== '#') return null;
      return { ...base, fragment: encode(input.slice(1), FRAGMENT) };
    }
    const rest = takeTail(u, input);
    return u.scheme === 'file' ? parseFile(u, rest, base) : parseRelative(u, rest, base);
  };

  // ---- the parts that a URL object shows ------------------------------------------------------------------------------

  const pathText = (u) => (u.opaque ? u.path : u.path.map((s) => `/${s}`).join(''));

  const origin = (u) => {
    if (u.scheme === 'blob') {
      const inside = u.opaque ? parse(u.path) : null;
      return inside && (inside.scheme === 'http' || inside.scheme === 'https') ? origin(inside) : 'null';
    }
    return isSpecial(u) && u.scheme !== 'file' ? `${u.scheme}://${u.host}${u.port && `:${u.port}`}` : 'null';
  };

  const NAMES = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];

  const parts = (u) => {
    if (u === null) return null;
    const host = (u.host ?? '') + (u.port && `:${u.port}`), path = pathText(u);
    let href = `${u.scheme}:`;
    if (u.host !== null) href += `//${u.username}${u.password && `:${u.password}`}${u.username || u.password ? '@' : ''}${host}`;
    else if (!u.opaque && u.path.length > 1 && u.path[0] === '') href += '/.';
    href += path + (u.query === null ? '' : `?${u.query}`) + (u.fragment === null ? '' : `#${u.fragment}`);
    return [href, origin(u), `${u.scheme}:`, u.username, u.password, host, u.host ?? '', u.port, path,
      u.query ? `?${u.query}` : '', u.fragment ? `#${u.fragment}` : ''];
  };

  // ---- setters ----------------------------------------------------------------------------------------------------------

  const noCredentials = (u) => u.host === null || u.host === '' || u.scheme === 'file';
  const clean = (s) => s.replace(/[\t\n\r]/g, '');

  const setHost = (u, s, withPort) => {
    if (u.opaque) return;
    const special = isSpecial(u);
    s = clean(s).split(special ? /[/\\?#]/ : /[/?#]/)[0];
    const [, name, port] = u.scheme === 'file' ? [s, s] : HOST_PORT.exec(s) ?? []; // a file has no port
    if (name === undefined || (!withPort && port !== undefined)) return;
    if (name === '') {
      if ((special && u.scheme !== 'file') || port !== undefined || u.username || u.password || u.port) return;
      u.host = '';
      return;
    }
    let host = parseHost(name, special);
    if (host === null) return;
    if (u.scheme === 'file' && host === 'localhost') host = '';
    u.host = host;
    const digits = /^[0-9]+/.exec(port ?? '')?.[0];
    if (withPort && digits !== undefined && u.scheme !== 'file') setPort(u, digits);
  };

  const SETTERS = {
    __proto__: null,
    protocol(u, s) {
      const scheme = /^([a-zA-Z][a-zA-Z0-9+\-.]*)(:|$)/.exec(clean(s))?.[1].toLowerCase();
      if (scheme === undefined || scheme in SPECIAL !== u.scheme in SPECIAL) return;
      if (scheme === 'file' && (u.username || u.password || u.port)) return;
      if (u.scheme === 'file' && u.host === '') return;
      u.scheme = scheme;
      if (u.port === SPECIAL[scheme]) u.port = '';
    },
    username(u, s) {
      if (!noCredentials(u)) u.username = encode(s, USERINFO);
    },
    password(u, s) {
      if (!noCredentials(u)) u.password = encode(s, USERINFO);
    },
    host: (u, s) => setHost(u, s, true),
    hostname: (u, s) => setHost(u, s, false),
    port(u, s) {
      if (noCredentials(u)) return;
      const digits = /^[0-9]+/.exec(clean(s))?.[0];
      if (s === '') u.port = '';
      else if (digits !== undefined) setPort(u, digits);
    },
    pathname(u, s) {
      if (!u.opaque) setPath(u, clean(s));
    },
    search(u, s) {
      u.query = s === '' ? null : encodeQuery(u, clean(s[0] === '?' ? s.slice(1) : s));
    },
    hash(u, s) {
      u.fragment = s === '' ? null : encode(clean(s[0] === '#' ? s.slice(1) : s), FRAGMENT);
    },
  };

  lib.give('urlParse', (input, base) => {
    if (base === undefined) return parts(parse(input));
    const b = parse(base);
    return b === null ? null : parts(parse(input, b));
  });

  lib.give('urlSet', (href, name, value) => {
    const u = parse(href);
    SETTERS[name](u, value);
    return parts(u);
  });

  lib.give('urlNames', () => NAMES);

  // ---- application/x-www-form-urlencoded ------------------------------------------------------------------------------

  lib.give('formParse', (s) => {
    const out = [];
    for (const pair of s.split('&')) {
      if (pair === '') continue;
      const eq = pair.indexOf('=');
      const decode = (t) => percentDecode(t.replaceAll('+', ' '));
      out.push(decode(eq < 0 ? pair : pair.slice(0, eq)), eq < 0 ? '' : decode(pair.slice(eq + 1)));
    }
    return out;
  });

  lib.give('formEncode', (s) => {
    let out = '';
    for (const ch of s) out += ch === ' ' ? '+' : FORM_SAFE.test(ch) ? ch : percent(ch);
    return out;
  });
}
