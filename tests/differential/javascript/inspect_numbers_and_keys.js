({ 1: 'a', '-1': 'b', 1.5: 'c', NaN: 'd', true: 'e', null: 'f', 'x-y': 'g', x_y: 'h', $: 'i', 'ñ': 'j' })
// --- cell
[0.1, -0, 0, 1e21, 1e-7, 123456789, -1.5, NaN, Infinity, -Infinity, 10n, -5n]
// --- cell
[[-0], { z: -0 }, new Set([-0]), `${-0}`, String(-0), JSON.stringify(-0)]
// --- cell
[1.0, 100, 1e3, 0xff, 1_000]
