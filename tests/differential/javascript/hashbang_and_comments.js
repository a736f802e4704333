#!/usr/bin/env node
1 + 1
// --- cell
<!-- an old comment
2 + 2
// --- cell
3 /* a
b */
// --- cell
/** doc */ function d() { /* inside */ return 4 /* end */ } d() // trailing
