/**
 * Runs code in the sandboxes of `wasmhost serve`: Python, JavaScript and TypeScript. One file, no dependencies; Node 20
 * or newer. See README.md beside it.
 */
import { type ChildProcess, spawn } from "node:child_process";

// ---- the contract ----

export interface RuntimeSuccess {
  ok: true;
  stdout: string;
  stderr: string;
  /** What the code returned, or its last expression; not there where that is undefined or None. */
  value?: unknown;
  durationMs: number;
  /** What a person would see of the value. */
  valueText: string;
  details: RuntimeDetails;
}

export interface RuntimeFailure {
  ok: false;
  stdout: string;
  stderr: string;
  error: string;
  durationMs: number;
  errorType: string;
  details: RuntimeDetails;
}

export type RuntimeResult = RuntimeSuccess | RuntimeFailure;

/** What a result has beside the contract. */
export interface RuntimeDetails {
  fuel: number;
  scriptMs: number;
  wallMs: number;
  /** Which limit has stopped the code, if one has. */
  stop: { limit: string; layer: "soft" | "hard"; used: number } | null;
  /** Whether variables are as the code left them, as they were before it, or gone. */
  state: "kept" | "restored" | "lost";
  calls: { id: string; name: string; state: string; error?: { type: string; message: string } }[];
  notes: string[];
  media: { mime: string; size: number; sha256: string; data: string }[];
  outputElided: { stdout: number; stderr: number };
  /** What timers, tasks and callbacks of earlier cells have printed. */
  background: { stdout: string; stderr: string };
  valueTruncated: boolean;
}

export interface CodeRuntime {
  execute(code: string): Promise<RuntimeResult>;
  reset(): Promise<void>;
}

// ---- what code may call ----

/** A function of this program that code in the sandbox may call as `tools.NAME(...)`. */
export interface Capability {
  name: string;
  description?: string;
  /** JSON schema of the arguments, an object. */
  inputSchema?: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  /** `allow` (default), `ask` (see `approve`) or `deny`. */
  decision?: "allow" | "ask" | "deny";
  timeoutMs?: number;
  readOnly?: boolean;
  idempotent?: boolean;
  exclusive?: boolean;
  isolation?: string | string[];
  /** Gets the arguments by name; `signal` is aborted when nobody waits for the answer any more. */
  call(args: any, context: { signal: AbortSignal }): unknown;
}

export interface ApprovalRequest {
  call: string;
  name: string;
  arguments: Record<string, unknown>;
  reason: string;
  /** All of it, escaped for a terminal. */
  text: string;
}

export interface RuntimeOptions {
  /** Script time of a cell in milliseconds, 1000 by default; waiting for calls is not counted. */
  timeoutMs?: number;
  capabilities?: Capability[];
  /** Asked about calls that policy does not allow by itself. Without it they are denied. */
  approve?: (request: ApprovalRequest) => boolean | Promise<boolean>;
  /** Output as it comes: of `stdout` and `stderr`, and of `background_stdout` and `background_stderr`. */
  onOutput?: (stream: string, text: string) => void;
  /** To the server; by default one `wasmhost serve --stdio` for the whole program. */
  connection?: Connection;
  /** Name of the session; by default one of its own. */
  session?: string;
}

export type JavaScriptLanguage = "javascript" | "typescript";

export interface JavaScriptRuntimeOptions extends RuntimeOptions {
  /** `typescript` by default: types are erased, nothing is checked. */
  language?: JavaScriptLanguage;
}

/** What the server has answered with an error, or that it is gone. */
export class WasmhostError extends Error {
  constructor(
    message: string,
    readonly code: number,
    readonly data?: unknown,
  ) {
    super(message);
    this.name = "WasmhostError";
  }
}

// ---- runtimes ----

/** For `await using`, where there is that. */
const asyncDispose: unique symbol = ((Symbol as any).asyncDispose ?? Symbol.for("wasmhost.asyncDispose")) as never;

let sessions = 0;

abstract class SessionRuntime implements CodeRuntime {
  readonly session: string;
  private readonly connection: Connection;
  private created: Promise<unknown> | undefined;

  protected constructor(
    private readonly language: string,
    private readonly options: RuntimeOptions,
  ) {
    const { timeoutMs } = options;
    if (timeoutMs !== undefined && !(timeoutMs > 0 && Number.isFinite(timeoutMs))) {
      throw new RangeError(`timeoutMs is a number of milliseconds above 0, not ${timeoutMs}`);
    }
    this.session = options.session ?? `session-${process.pid}-${++sessions}`;
    this.connection = options.connection ?? StdioConnection.shared();
  }

  private get which() {
    return { session: this.session, language: this.language };
  }

  /** Runs a cell. Whatever the code does is a result; rejects only where the server cannot be used. */
  async execute(code: string, more: { signal?: AbortSignal } = {}): Promise<RuntimeResult> {
    await this.ready();
    const params: Record<string, unknown> = { ...this.which, code, output: this.options.onOutput !== undefined };
    if (this.options.timeoutMs !== undefined) params.timeoutMs = this.options.timeoutMs;
    const raw = await this.connection.request("execute", params, {
      signal: more.signal,
      notified: (method, told) => {
        if (method === "output") this.options.onOutput?.(String(told.stream), String(told.text));
      },
      asked: (method, asked, signal) => this.asked(method, asked, signal),
    });
    return resultOf(raw as Record<string, unknown>);
  }

  /** Drops variables and all else that the code has made. Code that runs is cancelled. */
  async reset(): Promise<void> {
    await this.connection.request("reset", this.which);
  }

  /** The state of the session, for `restore` here or elsewhere. */
  async snapshot(): Promise<Uint8Array> {
    await this.ready();
    const { snapshot } = (await this.connection.request("snapshot", this.which)) as { snapshot: string };
    return Buffer.from(snapshot, "base64");
  }

  /** Goes on from a snapshot of a session of the same language. */
  async restore(snapshot: Uint8Array): Promise<void> {
    await this.ready();
    const text = Buffer.from(snapshot).toString("base64");
    await this.connection.request("restore", { ...this.which, snapshot: text });
  }

  /** What a model should be told of the session. */
  async instructions(form: "short" | "full" = "short"): Promise<string> {
    await this.ready();
    return ((await this.connection.request("instructions", { ...this.which, form })) as { text: string }).text;
  }

  /** Names, types and beginnings of the variables. */
  async describe(): Promise<{ name: string; type: string; size: number | null; preview: string }[]> {
    await this.ready();
    return ((await this.connection.request("describe", this.which)) as { variables: any }).variables;
  }

  /** Ends the session; the connection stays. */
  async close(): Promise<void> {
    await this.reset();
  }

  async [asyncDispose](): Promise<void> {
    await this.close();
  }

  private ready(): Promise<unknown> {
    this.created ??= this.connection
      .request("create", {
        ...this.which,
        approvals: this.options.approve !== undefined,
        capabilities: (this.options.capabilities ?? []).map(({ call: _, ...declared }) => declared),
      })
      .catch((error: unknown) => {
        this.created = undefined;
        throw error;
      });
    return this.created;
  }

  private async asked(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    if (method === "approve") {
      const request = { ...params, arguments: revive(params.arguments) } as ApprovalRequest;
      return { decision: (await this.options.approve?.(request)) === true ? "allow" : "deny" };
    }
    const capability = this.options.capabilities?.find((one) => one.name === params.name);
    if (method !== "call" || capability === undefined) throw new Error(`there is no ${method} ${String(params.name)}`);
    return encode(await capability.call(revive(params.arguments), { signal }));
  }
}

/** JavaScript or TypeScript. Variables stay between calls of `execute`, until `reset`. */
export class JavaScriptRuntime extends SessionRuntime {
  constructor(options: JavaScriptRuntimeOptions = {}) {
    const language = options.language ?? "typescript";
    if (language !== "javascript" && language !== "typescript") {
      throw new RangeError(`language is javascript or typescript, not ${String(language)}`);
    }
    super(language, options);
  }
}

/** Python. Variables stay between calls of `execute`, until `reset`. */
export class PythonRuntime extends SessionRuntime {
  constructor(options: RuntimeOptions = {}) {
    super("python", options);
  }
}

function resultOf(raw: Record<string, unknown>): RuntimeResult {
  const details = {
    fuel: raw.fuel,
    scriptMs: raw.scriptMs,
    wallMs: raw.wallMs,
    stop: raw.stop,
    state: raw.state,
    calls: raw.calls,
    notes: raw.notes,
    media: raw.media,
    outputElided: raw.outputElided,
    background: raw.background,
    valueTruncated: raw.valueTruncated,
  } as RuntimeDetails;
  const common = {
    stdout: raw.stdout as string,
    stderr: raw.stderr as string,
    durationMs: raw.durationMs as number,
    details,
  };
  if (raw.ok !== true) {
    return { ok: false, ...common, error: raw.error as string, errorType: raw.errorType as string };
  }
  const made: RuntimeSuccess = { ok: true, ...common, valueText: raw.valueText as string };
  if ("value" in raw) made.value = revive(raw.value);
  return made;
}

// ---- connections ----

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  notified?: (method: string, params: Record<string, unknown>) => void;
  asked?: (method: string, params: Record<string, unknown>, signal: AbortSignal) => Promise<unknown>;
}

/** To a server. */
export interface Connection {
  request(method: string, params: Record<string, unknown>, options?: RequestOptions): Promise<unknown>;
  close(): Promise<void>;
}

interface Message {
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** What the two kinds of connections have in common: requests that wait, and what the server asks meanwhile. */
abstract class Rpc {
  private number = 0;
  private readonly answering = new Map<string, { controller: AbortController; options: RequestOptions }>();

  protected nextId(): number {
    return ++this.number;
  }

  protected abstract reply(message: object): void;

  /** A message of the server that belongs to a request. */
  protected receive(message: Message, options: RequestOptions): void {
    const { id, method, params = {} } = message;
    if (method === undefined) return;
    if (id === undefined) {
      if (method === "cancel") this.answering.get(String(params.id))?.controller.abort();
      else options.notified?.(method, params);
      return;
    }
    const controller = new AbortController();
    this.answering.set(String(id), { controller, options });
    const asked = options.asked ?? (() => Promise.reject(new Error("nothing can be asked here")));
    Promise.resolve()
      .then(() => asked(method, params, controller.signal))
      .then(
        (result) => this.reply({ jsonrpc: "2.0", id, result: result ?? null }),
        (error: unknown) => {
          const [type, text] = error instanceof Error ? [error.name, error.message] : ["Error", String(error)];
          this.reply({ jsonrpc: "2.0", id, error: { code: -32000, message: text, data: { type } } });
        },
      )
      .finally(() => this.answering.delete(String(id)));
  }

  /** Nobody waits any more for what was asked on behalf of a request. */
  protected ended(of: RequestOptions): void {
    for (const { controller, options } of this.answering.values()) if (options === of) controller.abort();
  }

  protected settled(message: Message): unknown {
    if (message.error !== undefined) {
      throw new WasmhostError(message.error.message, message.error.code, message.error.data);
    }
    return message.result;
  }
}

const GONE = -32003;

export interface StdioOptions {
  /** The program and its first words; by default `wasmhost`, or what WASMHOST_COMMAND names. */
  command?: string[];
  /** More words for `wasmhost serve --stdio`, such as `["--config", "settings.toml"]`. */
  args?: string[];
}

/** A `wasmhost serve --stdio` of our own, which ends with this program, or with `close`. */
export class StdioConnection extends Rpc implements Connection {
  private static common: StdioConnection | undefined;

  /** The one that runtimes use which are given no other; started when first needed. */
  static shared(): StdioConnection {
    if (this.common === undefined || this.common.gone !== undefined) this.common = new StdioConnection();
    return this.common;
  }

  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, { options: RequestOptions; settle(message: Message): void }>();
  private rest: string[] = [];
  private gone: string | undefined;
  private readonly closed: Promise<void>;

  constructor(options: StdioOptions = {}) {
    super();
    const [program, ...words] = options.command ?? [process.env.WASMHOST_COMMAND ?? "wasmhost"];
    if (program === undefined) throw new RangeError("command is a program and its words");
    this.child = spawn(program, [...words, "serve", "--stdio", ...(options.args ?? [])], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.closed = new Promise((resolve) => {
      this.child.once("error", (error) => resolve(this.end(`wasmhost could not be started: ${error.message}`)));
      this.child.once("close", (code, signal) => resolve(this.end(`wasmhost has ended: ${signal ?? code}`)));
    });
    this.child.stdin!.on("error", () => undefined); // "close" tells more
    this.child.stdout!.setEncoding("utf8").on("data", (text: string) => this.read(text));
    this.keepAlive(false);
  }

  async request(method: string, params: Record<string, unknown>, options: RequestOptions = {}): Promise<unknown> {
    if (this.gone !== undefined) throw new WasmhostError(this.gone, GONE);
    options.signal?.throwIfAborted();
    const id = this.nextId();
    const message = await new Promise<Message>((settle) => {
      this.waiting.set(id, { options, settle });
      this.keepAlive(true);
      this.reply({ jsonrpc: "2.0", id, method, params });
      options.signal?.addEventListener("abort", () =>
        this.reply({ jsonrpc: "2.0", method: "cancel", params: { id } }),
      );
    });
    options.signal?.throwIfAborted();
    return this.settled(message);
  }

  async close(): Promise<void> {
    this.child.stdin!.end();
    await this.closed;
  }

  protected reply(message: object): void {
    if (this.gone === undefined) this.child.stdin!.write(`${JSON.stringify(message)}\n`);
  }

  private read(text: string): void {
    const [first = "", ...lines] = text.split("\n");
    this.rest.push(first);
    for (const next of lines) {
      const line = this.rest.join("");
      this.rest = [next];
      if (line !== "") this.take(JSON.parse(line) as Message);
    }
  }

  private take(message: Message): void {
    if (message.method !== undefined) {
      this.receive(message, this.waiting.get(message.params?.request as number)?.options ?? {});
      return;
    }
    const waiting = this.waiting.get(message.id as number);
    this.waiting.delete(message.id as number);
    if (this.waiting.size === 0) this.keepAlive(false);
    waiting?.settle(message);
  }

  private end(why: string): void {
    this.gone ??= why;
    for (const { settle } of this.waiting.values()) settle({ error: { code: GONE, message: this.gone } });
    this.waiting.clear();
  }

  /** Only while something is waited for does the child keep this program from ending. */
  private keepAlive(on: boolean): void {
    for (const one of [this.child, this.child.stdin, this.child.stdout] as { ref?(): void; unref?(): void }[]) {
      if (on) one.ref?.();
      else one.unref?.();
    }
  }
}

export interface HttpOptions {
  /** As the server has shown it, such as `http://127.0.0.1:8366`. */
  url: string;
  token: string;
}

/** A client of a `wasmhost serve --http`. */
export class HttpConnection extends Rpc implements Connection {
  private client: Promise<string> | undefined;

  constructor(private readonly options: HttpOptions) {
    super();
  }

  async request(method: string, params: Record<string, unknown>, options: RequestOptions = {}): Promise<unknown> {
    const path = `/v1/clients/${await this.begin()}/rpc`;
    const body = JSON.stringify({ jsonrpc: "2.0", id: this.nextId(), method, params });
    const answer = await this.fetch(path, { method: "POST", body, signal: options.signal ?? null }, "text/event-stream");
    if (!answer.ok || answer.body === null) {
      if (answer.status === 404) this.client = undefined;
      throw new WasmhostError(`${answer.status}: ${(await answer.text()).slice(0, 500)}`, GONE);
    }
    if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) {
      return this.settled((await answer.json()) as Message);
    }
    try {
      for await (const message of events(answer.body)) {
        if (message.method === undefined) return this.settled(message);
        this.receive(message, options);
      }
    } finally {
      this.ended(options);
    }
    throw new WasmhostError("the server has ended the stream before the answer", GONE);
  }

  async close(): Promise<void> {
    if (this.client === undefined) return;
    const path = `/v1/clients/${await this.client}`;
    this.client = undefined;
    await this.fetch(path, { method: "DELETE" });
  }

  protected reply(message: object): void {
    void this.begin().then((client) =>
      this.fetch(`/v1/clients/${client}/rpc`, { method: "POST", body: JSON.stringify(message) }).catch(() => undefined),
    );
  }

  private begin(): Promise<string> {
    this.client ??= this.fetch("/v1/clients", { method: "POST" })
      .then(async (answer) => {
        if (!answer.ok) throw new WasmhostError(`${answer.status}: ${(await answer.text()).slice(0, 500)}`, GONE);
        return ((await answer.json()) as { client: string }).client;
      })
      .catch((error: unknown) => {
        this.client = undefined;
        throw error;
      });
    return this.client;
  }

  private fetch(path: string, init: RequestInit, accept = "application/json"): Promise<Response> {
    const headers = {
      accept,
      authorization: `Bearer ${this.options.token}`,
      "content-type": "application/json",
    };
    return fetch(new URL(path, this.options.url), { ...init, headers });
  }
}

async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
    const [first = "", ...lines] = decoder.decode(piece, { stream: true }).split("\n");
    rest.push(first);
    for (const next of lines) {
      const line = rest.join("");
      rest = [next];
      if (line.startsWith("data: ")) yield JSON.parse(line.slice(6)) as Message;
    }
  }
}

// ---- values (docs/values.md) ----

const TAG = "$wasmhost";

/** A value of the guest that has no counterpart here: a Decimal, a complex number, an object of some class. */
export class Opaque {
  constructor(
    readonly type: string,
    readonly text: string,
  ) {}

  toString(): string {
    return this.text;
  }
}

/** From strict JSON with tagged objects to values of JavaScript: bigint, Set, Map, Date, Uint8Array, Error and so on. */
export function revive(value: any): unknown {
  if (Array.isArray(value)) return value.map(revive);
  if (value === null || typeof value !== "object") return value;
  const tag: unknown = Object.hasOwn(value, TAG) ? value[TAG] : undefined;
  if (tag === undefined) return members(value);
  const inner = value.v;
  switch (tag) {
    case "int":
    case "bigint":
      return BigInt(inner);
    case "float":
      return inner === "-0" ? -0 : Number(inner);
    case "str":
      return String.fromCharCode(...(inner as number[]));
    case "object":
      return members(inner);
    case "tuple":
      return (inner as unknown[]).map(revive);
    case "set":
    case "frozenset":
      return new Set((inner as unknown[]).map(revive));
    case "map":
      return new Map((inner as [unknown, unknown][]).map(([key, item]) => [revive(key), revive(item)]));
    case "bytes":
    case "bytearray":
      return new Uint8Array(Buffer.from(inner, "base64"));
    case "array":
      return (inner as unknown[]).map(revive);
    case "datetime":
      return new Date(inner);
    case "error":
      return Object.assign(new Error(value.message), { name: value.type });
    default:
      return new Opaque(String(value.type ?? tag), typeof inner === "string" ? inner : JSON.stringify(inner));
  }
}

/** As own properties, also one that is called `__proto__`. */
function members(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revive(item)]));
}

/** From values of JavaScript to strict JSON with tagged objects. What cannot cross is an error. */
export function encode(value: unknown): unknown {
  switch (typeof value) {
    case "undefined":
      return null;
    case "string":
    case "boolean":
      return value;
    case "number":
      if (Object.is(value, -0)) return { [TAG]: "float", v: "-0" };
      return Number.isFinite(value) ? value : { [TAG]: "float", v: String(value) };
    case "bigint":
      return { [TAG]: "bigint", v: String(value) };
    case "object":
      break;
    default:
      throw new TypeError(`a ${typeof value} cannot be given to the sandbox`);
  }
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(encode);
  if (value instanceof Set) return { [TAG]: "set", v: [...value].map(encode) };
  if (value instanceof Map) return { [TAG]: "map", v: [...value].map(([key, item]) => [encode(key), encode(item)]) };
  if (value instanceof Date) return { [TAG]: "datetime", v: value.toISOString().replace("Z", "+00:00") };
  if (value instanceof Error) return { [TAG]: "error", type: value.name, message: value.message };
  if (value instanceof ArrayBuffer) return { [TAG]: "bytes", v: Buffer.from(value).toString("base64") };
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteOffset, byteLength } = value;
    return { [TAG]: "bytes", v: Buffer.from(buffer, byteOffset, byteLength).toString("base64") };
  }
  const plain = Object.entries(value).filter(([, item]) => item !== undefined);
  const made = Object.fromEntries(plain.map(([key, item]) => [key, encode(item)]));
  return Object.hasOwn(made, TAG) ? { [TAG]: "object", v: made } : made;
}
