// Small functions on strings that the guest's prelude cannot call on its own prototypes.
(lib) => {
  lib.give('trimLower', (s) => s.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '').toLowerCase());
  lib.give('stripBom', (s) => (s[0] === '\ufeff' ? s.slice(1) : s));
  lib.give('sliceFrom1', (s) => s.slice(1));
}
