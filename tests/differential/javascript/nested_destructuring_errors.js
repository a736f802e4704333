const { a: { b } } = {};
// --- cell
const [[x]] = [];
// --- cell
const { c } = undefined;
// --- cell
(({ z }) => z)()
// --- cell
const [p] = {};
