/* The ABI between the host and a guest: every guest implements all of it, and nothing else crosses.
 *
 * A guest is a wasm32 reactor. Its image is made once, at build time: wh_init, wh_load for each file of the prelude,
 * wh_seal, then memory and the stack pointer are written back into the module and the build-only exports are dropped.
 * At run time the host starts instances from that image and calls wh_start / wh_resume.
 *
 * Rules
 *  - The host reads and writes guest memory only at addresses that are (a) in wh_info, recorded when the image was built,
 *    or (b) returned by an export, each checked against the size of the memory after the call.
 *  - The host never calls an export while another is running: imports that need room for a reply get it from the guest.
 *  - The end of a cell is the return of wh_start / wh_resume, never anything that is written or thrown.
 *  - A guest has no other import than those below: no WASI. sealed.c defines the system functions of the libc.
 *  - When the image is made, a meter is written into its code (build/meter.py): the import "tick", which takes nothing and gives
 *    nothing, and the exported global "meter", an i64 that the C of a guest does not see. Code takes its fuel from it; below zero, it
 *    calls tick, where the host adds what was used and gives more, asks the guest to stop, or ends it.
 */
#ifndef WASMHOST_ABI_H
#define WASMHOST_ABI_H

#include <stdint.h>

#define WH_ABI_VERSION 4u
#define WH_MAGIC 0x31474857u /* "WHG1", little endian */

#define WH_IMPORT(name) __attribute__((import_module("wasmhost"), import_name(#name)))
#define WH_EXPORT(name) __attribute__((export_name(#name)))

/* ---- imports ------------------------------------------------------------------------------------------------- */

/* Output. fd 1 or 2; 3 or 4: the same two, printed by what an earlier cell has left. Guests do not call it for each write: see
 * wh_out_write in sealed.h. */
WH_IMPORT(write) void wh_host_write(int32_t fd, const void *p, uint32_t n);
/* Nanoseconds. id 0: real time since the Unix epoch; 1: monotonic, never goes back in a session. */
WH_IMPORT(clock) int64_t wh_host_clock(int32_t id);
WH_IMPORT(random) void wh_host_random(void *p, uint32_t n);
/* Waits on the host. 0: the time has passed; 1: a stop was requested, return to the interpreter loop at once. */
WH_IMPORT(sleep) int32_t wh_host_sleep(int64_t ns);
/* Ends the instance: the host traps it and does not come back. */
WH_IMPORT(exit) _Noreturn void wh_host_exit(int32_t code);
/* A request to the host (kind: enum wh_call). The reply of n bytes is put into [reply, reply + cap) if n <= cap and n is
 * returned; a larger reply is kept by the host and fetched by wh_host_take once the guest has room for it. Negative: refused. */
WH_IMPORT(call) int32_t wh_host_call(int32_t kind, const void *p, uint32_t n, void *reply, uint32_t cap);
WH_IMPORT(take) void wh_host_take(void *p, uint32_t n);

/* Requests and replies are JSON with the tags of docs/values.md. What starts with '[' or '{' is the JSON alone; with bytes to
 * carry it is a packed frame, numbers in little endian, and "at" in the JSON counts its attachments:
 *
 *     "WHP1"  u32 length of head  u32 number of attachments  u32 length of each  head (JSON)  attachments, one after the other
 *
 * An answer is [true, value] or [false, error]; an error is {"type", "message", "call"}: call is the host's id of the call. */
enum wh_call {
    /* A call whose answer the guest needs before it can go on. [name, args, kwargs]: name is exact, args a list of positional
     * arguments, kwargs an object of named ones. Reply: an answer. */
    WH_CALL_BLOCKING = 0,
    /* A call that the guest will await. [id, name, args, kwargs]: id is a number of the guest's choice, unique in the session.
     * Reply: empty, then the answer comes in wh_resume under that id; or an answer, if there is one at once. */
    WH_CALL_START = 1,
    /* The guest no longer wants the answer of a started call. [id]. Reply: empty. */
    WH_CALL_CANCEL = 2,
    /* A tool that the guest offers. ["register", {"name", "description", "schema", "displayName" or absent}] or
     * ["unregister", name]. Reply: an answer, the value of register being the public name. */
    WH_CALL_TOOL = 3,
    /* A handler that the host had run (see wh_resume, "run") has ended. [id, ok, value or error]. Reply: empty. */
    WH_CALL_HANDLED = 4,
    /* Calls that were made and never started, since nothing awaited them. [name, ...]. Reply: empty. */
    WH_CALL_DROPPED = 5
};

/* ---- what the host passes in --------------------------------------------------------------------------------- */

/* At the address that is passed to wh_start, followed by source_len bytes of UTF-8 (not zero-terminated) and tools_len bytes
 * of JSON: the manifest of what the host offers, kept by the guest until another one comes (flag WH_START_TOOLS),
 *
 *     {"tools": [{"name": "fs.read", "async": true, "signature": "(path: str) -> str", "doc": "..."}, ...], "bare": true}
 *
 * "async": the host function is one. "bare": also as bare names where they are free. "signature" is in the guest's language. */
struct wh_start_in {
    uint32_t cell;        /* number of the cell in its session, from 1 */
    uint32_t flags;       /* WH_START_* */
    uint8_t seed[32];     /* with WH_START_SEED: every random generator of the guest starts from it */
    uint32_t value_bytes; /* at most that many bytes of value cross (head and attachments) */
    uint32_t value_depth; /* containers nested deeper than that are shown as text */
    uint32_t text_chars;  /* at most that many characters of value_text */
    uint32_t source_len;
    uint32_t tools_len; /* 0 without WH_START_TOOLS */
};
#define WH_START_SEED 1u /* first cell after an instance was made from an image, a snapshot or a fork */
#define WH_START_LIVE 2u /* somebody follows the output: flush at every newline */
#define WH_START_TOOLS 4u /* a manifest follows the source */
#define WH_START_HANDLER 8u /* the source is JSON, [name, input]: run the handler of that registered tool; its result is the value */
#define WH_START_TYPESCRIPT 16u /* for the guest of JavaScript: the source is TypeScript */
#define WH_START_HOLD 64u /* timers that the cell leaves are kept, and go on while a later cell waits */
#define WH_START_LOOK 32u /* the source is JSON, [path or null, prefix, most]: no cell, but a look at the variables. Without a path the value
                           * is a list of [name, type, size or null, preview]; with one, of the names that may follow it. Runs no code
                           * of the guest where that can be helped; for a copy of the session, which is thrown away. */

/* wh_resume gets a JSON object or a packed frame with one: {"settle": [[id, ok, value or error], ...], "run": [[id, name, input], ...],
 * "cancel": {"type": ..., "message": ...}, "seed": 64 hexadecimal digits}, all optional. "run": the handlers of registered tools (by the name they were registered
 * under) to be run now, for the started calls of these ids; each end is reported by WH_CALL_HANDLED, the answer of the call comes later.
 * "seed": every random generator of the guest starts from it anew, since this is a copy of a session that may go on elsewhere too.
 * An empty object means that time has passed: look at the timers. With "cancel" the cell must end now, as failed, with that
 * type and message, and with the frames of the code that was waiting where the language can tell them. */

/* ---- what a guest gives back --------------------------------------------------------------------------------- */

enum wh_status {
    WH_DONE = 0,   /* head: {"v": value, "t": value_text}, both absent where there is no value */
    WH_FAILED = 1, /* head: {"e": {"type", "message", "text", "frames": [{"cell", "line", "column", "function", "source"}]}} */
    WH_WAITING = 2 /* head: {"timer": nanoseconds until the next timer or null, "pending": number of started calls, "held": true where
                    * calls are pending and all timers are of earlier cells, else absent} */
};
/* Any head may also have "notes": [text, ...]. frames: innermost last (Python) or first (JavaScript), as the language shows
 * them in "text"; only frames of cells. "text" is what a person reads: the traceback or the stack with message. A cell that
 * waits with neither a timer nor a call can never end: the guest fails it by itself, type "DeadlockError". */

#define WH_FRAME_TAGS 1u      /* the value holds tagged values: see docs/values.md */
#define WH_FRAME_TRUNCATED 2u /* the value or its text was cut by a limit */
#define WH_FRAME_FULL 4u      /* memory has run out, and what the cell leaves has no room for another cell */

struct wh_span {
    uint32_t ptr, len;
};
struct wh_frame {
    uint32_t status;
    uint32_t flags;
    struct wh_span head; /* JSON, UTF-8 */
    uint32_t attachments_len;
    uint32_t attachments; /* address of attachments_len times struct wh_span */
};
/* A frame and what it points to stay valid until the next call of an export. */

/* ---- exports ------------------------------------------------------------------------------------------------- */

WH_EXPORT(wh_alloc) void *wh_alloc(uint32_t n);
WH_EXPORT(wh_free) void wh_free(void *p);
WH_EXPORT(wh_start) const struct wh_frame *wh_start(const struct wh_start_in *in, uint32_t n);
WH_EXPORT(wh_resume) const struct wh_frame *wh_resume(const char *json, uint32_t n);

/* Build only; dropped from the image. */
WH_EXPORT(wh_init) int32_t wh_init(void);                                                                 /* 0: well */
WH_EXPORT(wh_load) int32_t wh_load(const char *name, uint32_t name_len, const char *src, uint32_t src_len); /* 0: well */
WH_EXPORT(wh_seal) int32_t wh_seal(void);                                                                 /* 0: well */
WH_EXPORT(wh_describe) const struct wh_info *wh_describe(void);

/* What the host does to ask a running guest to stop: plain stores, done in order in a tick, while the guest
 * may be anywhere, also inside malloc. The guest undoes them at the start of wh_start and wh_resume. */
struct wh_poke {
    uint32_t op; /* 0: *addr = value; 1: *addr |= value */
    uint32_t addr;
    uint32_t value;
};
#define WH_MAX_POKES 4

struct wh_info {
    uint32_t magic, abi_version;
    uint32_t in_buf, in_cap;         /* where the host may put the input of wh_start / wh_resume without wh_alloc */
    /* Buffered stdout and stderr: address of the bytes, address of their u32 count. What they hold when an export returns, or
     * when the instance is ended, is taken by the host, which sets the count to 0; a guest need not flush at the end. The highest bit
     * of a count: the bytes were printed by what an earlier cell has left. */
    uint32_t out_buf[2], out_len[2];
    uint32_t out_cap;
    uint32_t pokes_len;
    struct wh_poke pokes[WH_MAX_POKES];
};

#endif
