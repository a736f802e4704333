// The five demos of the chapter that the contract comes from, against the real server.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { HttpConnection, JavaScriptRuntime, StdioConnection } from "../dist/wasmhost.js";

const { WASMHOST_URL: url, WASMHOST_SERVE_TOKEN: token } = process.env;
const connections = { stdio: new StdioConnection() };
if (url !== undefined) connections.http = new HttpConnection({ url, token });
after(() => Promise.all(Object.values(connections).map((one) => one.close())));

for (const [name, connection] of Object.entries(connections)) {
  test(`${name}: runs TypeScript`, async () => {
    const runtime = new JavaScriptRuntime({ language: "typescript", connection });
    const result = await runtime.execute(`
      type Sample = { service: string; timeout: number };
      const samples: Sample[] = [{ service: "api", timeout: 3000 }, { service: "worker", timeout: 5000 }];
      const average = samples.reduce((sum: number, one) => sum + one.timeout, 0) / samples.length;
      console.log(JSON.stringify({ services: samples.map((one) => one.service), average }));
      return { count: samples.length, average };
    `);
    assert.ok(result.ok, result.error);
    assert.deepEqual(result.value, { count: 2, average: 4000 });
    assert.equal(result.stdout, '{"services":["api","worker"],"average":4000}\n');
    assert.ok(result.durationMs > 0);
  });

  test(`${name}: runs JavaScript, and output goes to its own streams`, async () => {
    const runtime = new JavaScriptRuntime({ language: "javascript", connection });
    const result = await runtime.execute(`
      console.warn("to stderr");
      console.log("to stdout");
      return { actions: ["READ", "SEARCH", "WRITE"].map((one) => one.toLowerCase()) };
    `);
    assert.deepEqual(result.value, { actions: ["read", "search", "write"] });
    assert.equal(result.stderr, "to stderr\n");
    assert.equal(result.stdout, "to stdout\n");
  });

  test(`${name}: there is no process and no require`, async () => {
    const runtime = new JavaScriptRuntime({ language: "javascript", connection });
    const result = await runtime.execute("return [typeof process, typeof require, typeof Buffer, typeof fetch]");
    assert.deepEqual(result.value, ["undefined", "undefined", "undefined", "undefined"]);
    const failed = await runtime.execute("return require('node:fs')");
    assert.equal(failed.ok, false);
    assert.match(failed.error, /require/);
  });

  test(`${name}: an endless loop is stopped`, async () => {
    const runtime = new JavaScriptRuntime({ language: "typescript", timeoutMs: 50, connection });
    const result = await runtime.execute("while (true) {}");
    assert.equal(result.ok, false);
    assert.match(result.error, /50 ms/);
    assert.equal(result.details.stop.limit, "script");
    assert.equal((await runtime.execute("return 1")).value, 1);
  });

  test(`${name}: state stays until it is reset`, async () => {
    const runtime = new JavaScriptRuntime({ connection });
    await runtime.execute("let total: number = 40");
    assert.equal((await runtime.execute("total += 2; return total")).value, 42);
    await runtime.reset();
    assert.equal((await runtime.execute("return typeof total")).value, "undefined");
  });
}
