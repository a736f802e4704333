const u8 = new Uint8Array([1, 2, 300]), f32 = Float32Array.of(1.5, 0.1), view = new Uint16Array(u8.buffer, 0, 1);
[u8, f32, view, u8.map((x) => x * 2), u8.subarray(1), u8.slice(0, 1), u8.set([9], 1), u8, new Uint8ClampedArray([300, -5, 1.5])]
// --- cell
const dv = new DataView(new ArrayBuffer(8)); dv.setInt16(0, -2); dv.setFloat32(2, 1.5, true);
[dv.getUint8(0), dv.getUint8(1), dv.getFloat32(2, true), dv.getInt16(0, true), dv.byteLength]
// --- cell
[Array.from(new Int8Array([200, -200])), new Float64Array([3, 1, 2]).sort(), new Uint8Array([10, 9, 1]).sort().join(), [...new Uint8Array(2).entries()], Uint8Array.from('123'), new BigInt64Array([5n])[0]]
// --- cell
new DataView(new ArrayBuffer(1)).getInt32(0)
// --- cell
new Uint32Array(new ArrayBuffer(3))
// --- cell
const b = new ArrayBuffer(8, { maxByteLength: 16 }); b.resize(12); [b.byteLength, b.resizable, b.slice(2, 4).byteLength, new Uint8Array(b).length, ArrayBuffer.isView(dv)]
// --- cell
new Float32Array([1, NaN, Infinity, -0])
