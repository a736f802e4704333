// Short forms of the packs' capabilities, and `shQuote`, `str`. They go through `tools` like anything else, so policy, hooks and
// records see one `Read` whether a cell wrote `cat` or `tools.Read`. The working folder of `chdir` is a variable here, for one
// cell; it is joined to relative paths, and the host checks every path against its root anyway.
(lib) => {
  const { apply } = lib.kit;
  const { pledge, cell, inspectText } = lib;
  const then = ((f) => (promise, done) => apply(f, promise, [done]))(Promise.prototype.then);
  const slice = ((f) => (s, from) => apply(f, s, [from]))(String.prototype.slice);
  const replaceQuotes = ((f) => (s) => apply(f, s, ["'", "'\\''"]))(String.prototype.replaceAll);
  const Fail = Error, Wrong = TypeError;

  let folder = '', inCell = 0;
  const here = () => {
    if (inCell !== cell()) {
      inCell = cell();
      folder = '';
    }
    return folder;
  };
  const text = (v, form, name) => {
    if (typeof v !== 'string') throw new Wrong(`${form}: ${name} is a string, not ${v === null ? 'null' : typeof v}`);
    return v;
  };
  const at = (path, form) => {
    const base = here();
    text(path, form, 'path');
    if (path[0] === '/' || base === '') return path;
    return path === '' || path === '.' ? base : `${base}/${path}`;
  };
  // Options by name, or the first of them by itself.
  const options = (v, first) => (typeof v === 'object' && v !== null ? v : v === undefined ? {} : { [first]: v });

  const NEEDS = {
    __proto__: null, cat: 'Read', rg: 'Grep', rgf: 'Grep', gl: 'Glob', put: 'Write', sh: 'Bash',
    haiku: 'Sample', opus: 'Sample', sonnet: 'Sample', fable: 'Sample',
  };

  lib.shortForms((tools, offered) => {
    const forms = {
      __proto__: null,
      cat(path, from, count) {
        const { offset, limit } = options(from, 'offset');
        return tools.Read({ path: at(path, 'cat'), offset, limit: count ?? limit });
      },
      rg(pattern, more) {
        const { path = '.', glob, ignore_case, limit } = options(more, 'path');
        return then(tools.Grep({ pattern: text(pattern, 'rg', 'pattern'), path: at(path, 'rg'), glob, ignore_case, limit }),
          (found) => found.matches);
      },
      rgf(pattern, more) {
        const { path = '.', glob, ignore_case, limit } = options(more, 'path');
        const files_only = true;
        return then(
          tools.Grep({ pattern: text(pattern, 'rgf', 'pattern'), path: at(path, 'rgf'), glob, ignore_case, limit, files_only }),
          (found) => found.files);
      },
      gl(pattern, path = '.') {
        return tools.Glob({ pattern: text(pattern, 'gl', 'pattern'), path: at(path, 'gl') });
      },
      put(path, content) {
        return tools.Write({ path: at(path, 'put'), content });
      },
      sh(command, more) {
        const { timeout, cwd = '.' } = options(more, 'timeout');
        const place = at(cwd, 'sh'), error = new Fail(''); // made here, so that it knows the line of the cell
        const request = { command: text(command, 'sh', 'command'), timeout, cwd: place === '.' ? undefined : place };
        return then(tools.Bash(request), (done) => {
          if (done.exit_code === 0 && !done.timed_out) return done.stdout;
          const why = done.timed_out ? 'was stopped for its time' : `ended with exit code ${done.exit_code}`;
          const said = done.stderr || done.stdout;
          error.message = `the command ${why}${said ? `: ${slice(said, -2000)}` : ''}`;
          error.exitCode = done.exit_code;
          error.stdout = done.stdout;
          error.stderr = done.stderr;
          throw error;
        });
      },
      haiku(prompt, schema) {
        return tools.Sample({ prompt: text(prompt, 'haiku', 'prompt'), schema });
      },
    };
    forms.opus = forms.sonnet = forms.fable = forms.haiku;

    const made = {
      __proto__: null,
      shQuote(v) {
        const s = text(v, 'shQuote', 'what is quoted');
        return `'${replaceQuotes(s)}'`;
      },
      str(v) {
        return typeof v === 'string' ? v : inspectText(v);
      },
    };
    for (const name in NEEDS) {
      if (!offered(NEEDS[name])) continue;
      const body = forms[name];
      const run = async (args) => apply(body, undefined, args);
      made[name] = { [name](...args) { return pledge(name, run(args)); } }[name];
    }
    if (offered('Read') || offered('Bash')) {
      made.chdir = function chdir(path = '') {
        const base = here();
        text(path, 'chdir', 'path');
        folder = path === '' || path === '/' ? '' : path[0] === '/' ? slice(path, 1) : base === '' ? path : `${base}/${path}`;
        return folder === '' ? '.' : folder;
      };
    }
    return made;
  });
}
