const log = []; const o = { valueOf() { log.push('valueOf'); return 42 }, toString() { log.push('toString'); return 'str' } };
[o + 1, `${o}`, o * 2, o == 42, [o] + '', String(o), o > 41, JSON.stringify({ o }), log.length]
// --- cell
({ valueOf() { return {} }, toString() { return {} } }) + ''
// --- cell
[Number([]), Number([1]), Number([1, 2]), Number({}), Number(new Date(5)), Number('  \n'), Number('1,000'), Number(false), Number(undefined), +[[[1]]], parseInt(null), parseInt('Infinity'), Math.min([])]
// --- cell
['' == 0, '0' == false, [] == '', [0] == false, null == false, undefined == null, NaN == NaN, '1' == 1n, [1] == 1, ({}) == '[object Object]', true == '1', true == 'true']
// --- cell
[Boolean([]), Boolean({}), Boolean(''), Boolean('0'), Boolean(-0), Boolean(NaN), Boolean(0n), !!function () {}, !!document_ ]
var document_;
