/* The JavaScript guest: QuickJS-NG behind the ABI of wasmhost_abi.h.
 *
 * One translation unit, on purpose: the engine's source is included, because much of what a REPL needs has no public
 * interface (declared names, frames of waiting functions, walking values without running their code). The other files of
 * this folder are parts of this one, in the order in which they are included below. They lean on internals of the version
 * of the engine that the build pins; a new version is looked through with them at hand.
 *
 * Realms: g.ctx is where cells run; g.inner holds the machinery that is written in JavaScript (inner.h says why). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef NDEBUG
#define NDEBUG /* the engine's dump code makes every string larger */
#endif

/* The engine bounds recursion by its stack pointer. In WebAssembly that is the stack of what has an address; the frames
 * proper lie elsewhere, out of sight, and a function without addressable locals does not move the pointer at all. So the
 * place that asks for the pointer is given something addressable: each function with a check in it moves it. */
#define STACK_MARK 96
#define __builtin_frame_address(level) \
    ({ volatile char mark[STACK_MARK]; mark[level] = 0; (uintptr_t)mark; })

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include "quickjs.c"
#pragma clang diagnostic pop
#undef malloc
#undef free
#undef realloc

#include "../abi/alloc.h"
#include "../abi/sealed.h"
#include "typescript.h"

/* Measured over all kinds of recursion: at most 3.6 bytes of frames for each byte of this stack, which has to fit into the 4 MiB
 * that the host gives. Two places have larger frames and a bound of their own: the parser (17 for one) and operations that go
 * through proxies of proxies (5 for one). */
#define STACK_BYTES (1024u << 10)
#define PARSER_SHARE 0.18
#define PROXY_DEPTH 200

enum { FN_INSPECT, FN_RENDER, FN_CONSOLE, FN_LOOK, FN_COUNT };

/* For what every cell writes to: it lies together, so that a new instance makes few pages its own. */
#define HOT __attribute__((section("hot")))

static struct {
    volatile uint32_t stop; /* the host's word; see wh_poke */
    uint32_t cell;
    JSRuntime *rt;
    JSContext *ctx, *inner;
    struct wh_start_in in;
    struct wh_frame frame;
    JSAtom tag_atom;
    JSAsyncFunctionData *main;               /* the running cell itself */
    enum { RUNS, RETURNED, THREW } progress; /* of its code */
    JSValue result;                          /* what the code returned or threw */
    JSValue inside;                          /* the first promise inside the value that is still pending */
    JSValue settle[2], ignore;               /* functions that take what the code of a cell comes to */
    bool exhausted; /* an allocation failed in this cell */
    bool running;
    uint32_t group_depth;
    int64_t origin_monotonic, origin_real; /* of performance */
    bool seeded; /* since the image was made */
    JSValue fn[FN_COUNT];
    JSValue inner_lib, guest_lib, given; /* while the preludes are loaded: their libraries, and what one gives the other */
    struct registered {
        JSValue proto, to_text, fields;
    } registered[12]; /* classes of the prelude whose instances hold their content in private */
    int registered_len;
} g HOT __attribute__((aligned(4096)));

static JSValue inner_call(JSValueConst fn, int argc, JSValueConst *argv);

#include "buffer.h"
#include "peek.h"
#include "depth.h"
#include "values.h"
#include "stack.h"
#include "cell.h"
#include "coroutine.h"
#include "loop.h"
#include "reserve.h"
#include "typed.h"
#include "inner.h"
#include "console.h"
#include "web.h"
#include "decode.h"
#include "calls.h"
#include "result.h"
#include "look.h"
#include "nursery.h"
#include "realm.h"

#define IN_CAP (64u << 10)
static char in_buf[IN_CAP + 1] HOT __attribute__((aligned(16))); /* + 1: the engine wants a zero after the source */

/* ---- one cell ---------------------------------------------------------------------------------------------------- */

static void cell_close(JSContext *ctx) {
    origin_set(g.cell);
    if (!(g.in.flags & WH_START_HOLD)) timers_clear(ctx);
    calls_forget(ctx);
    bindings_settle(ctx);
    coroutine_release(ctx);
    JS_FreeValue(ctx, g.result);
    JS_FreeValue(ctx, g.inside);
    g.result = g.inside = JS_UNDEFINED;
    g.running = false;
    g.group_depth = 0;
}

static const struct wh_frame *cell_stopped(JSContext *ctx) {
    JSValue error = JS_GetException(ctx);
    const struct wh_frame *f = result_stopped(ctx, error);
    JS_FreeValue(ctx, error);
    jobs_drop(ctx->rt);
    rejections_clear(ctx);
    cell_close(ctx);
    return result_tell_timers(ctx, f);
}

/* Ends the cell with what it threw. Takes the reference. */
static const struct wh_frame *cell_threw(JSContext *ctx, JSValue thrown) {
    const struct wh_frame *f = result_threw(ctx, thrown);
    JS_FreeValue(ctx, thrown);
    if (!f || !jobs_run(ctx)) return cell_stopped(ctx);
    rejections_report(ctx);
    if (g.stop) return cell_stopped(ctx);
    cell_close(ctx);
    return result_tell_timers(ctx, f);
}

/* Ends a cell that waits, from outside: nothing can settle what it waits for, or the host wants it to end. */
static const struct wh_frame *cell_abandoned(JSContext *ctx, const char *type, const char *message) {
    const struct wh_frame *f = result_abandoned(ctx, type, message);
    jobs_drop(ctx->rt);
    rejections_report(ctx);
    cell_close(ctx);
    return result_tell_timers(ctx, f);
}

/* The value is there. NULL: a promise inside it is still pending, and something may yet settle it. */
static const struct wh_frame *cell_done(JSContext *ctx, JSValueConst value) {
    bool can_wait = can_go_on();
    JSValue thrown = JS_UNINITIALIZED;
    const struct wh_frame *f = result_value(ctx, value, can_wait, &thrown);
    if (!JS_IsUninitialized(thrown)) return cell_threw(ctx, thrown);
    if (g.stop) return cell_stopped(ctx);
    if (!f) return NULL;
    if (!jobs_run(ctx)) return cell_stopped(ctx); /* describing the value may have started some */
    rejections_report(ctx);
    if (g.stop) return cell_stopped(ctx);
    cell_close(ctx);
    return result_tell_timers(ctx, f);
}

/* How far the cell has come. NULL: still waiting. */
static const struct wh_frame *cell_check(JSContext *ctx) {
    if (g.progress == RUNS) return NULL;
    if (g.progress == THREW) return cell_threw(ctx, js_dup(g.result));
    if (JS_IsPromise(g.result)) { /* the value of a cell that ends in a promise is what that comes to */
        JSPromiseStateEnum state = JS_PromiseState(ctx, g.result);
        JS_PromiseMarkAsHandled(ctx, g.result);
        if (state == JS_PROMISE_PENDING) return NULL;
        if (state == JS_PROMISE_REJECTED) g.progress = THREW;
        set_value(ctx, &g.result, JS_PromiseResult(ctx, g.result));
        return cell_check(ctx);
    }
    if (JS_PromiseState(ctx, g.inside) == JS_PROMISE_PENDING && can_go_on()) return NULL;
    if (JS_IsUndefined(g.result)) set_value(ctx, &g.result, prepared_object(ctx));
    return cell_done(ctx, g.result);
}

/* Goes on until the cell has ended or only the host can help. */
static const struct wh_frame *cell_drive(JSContext *ctx) {
    for (;;) {
        if (!jobs_run(ctx)) return cell_stopped(ctx);
        const struct wh_frame *f = cell_check(ctx);
        if (f) return f;
        if (!can_go_on() && list_empty(&ctx->rt->job_list)) return cell_abandoned(ctx, "DeadlockError", NULL);
        if (!timer_is_due()) return result_waiting();
        if (!timer_run(ctx)) return cell_stopped(ctx);
    }
}

static void seed_from(const uint8_t seed[32]) {
    uint64_t s = 0;
    for (int i = 0; i < 32; i++) s = (s ^ seed[i]) * 0x100000001b3u + 0x9e3779b97f4a7c15u;
    g.ctx->random_state = s ? s : 1;
    if (g.seeded) return; /* a session that is restored or forked goes on with its own time */
    g.seeded = true;
    g.origin_monotonic = wh_host_clock(1);
    g.origin_real = wh_host_clock(0);
}

static const struct wh_frame *cell_run(JSContext *ctx, const char *src, size_t len) {
    char file[24];
    snprintf(file, sizeof file, "<cell %u>", g.cell);
    source_keep(g.cell, src, (uint32_t)len);
    bool typed = (g.in.flags & WH_START_TYPESCRIPT) != 0;
    JSValue code = typed ? compile_typescript(ctx, src, len, file) : compile_cell(ctx, src, len, file);
    if (JS_IsException(code)) return took_stop(ctx) ? cell_stopped(ctx) : cell_threw(ctx, JS_GetException(ctx));
    if (bindings_prepare(ctx, JS_VALUE_GET_PTR(code))) {
        JS_FreeValue(ctx, code);
        return cell_threw(ctx, JS_GetException(ctx));
    }
    JSValue fn = js_closure(ctx, code, NULL, NULL);
    bool started = !JS_IsException(fn) && coroutine_start(ctx, fn);
    JS_FreeValue(ctx, fn);
    if (started) return cell_drive(ctx);
    return took_stop(ctx) ? cell_stopped(ctx) : cell_threw(ctx, JS_GetException(ctx));
}

/* A cell that is the handler of a registered tool: [name, input]. */
static const struct wh_frame *cell_handler(JSContext *ctx, char *json, size_t len) {
    JSValue *part, request = message_read(ctx, json, len), v = JS_UNDEFINED;
    uint32_t n;
    if (!JS_IsException(request) && js_get_fast_array(ctx, request, &part, &n) && n == 2) v = handler_call(ctx, part[0], part[1]);
    else if (!JS_IsException(request)) v = JS_ThrowTypeError(ctx, "the input of a handler is damaged");
    else v = request;
    JS_FreeValue(ctx, request);
    if (JS_IsException(v)) return took_stop(ctx) ? cell_stopped(ctx) : cell_threw(ctx, JS_GetException(ctx));
    g.progress = RETURNED;
    set_value(ctx, &g.result, v);
    return cell_drive(ctx);
}

/* No cell, but a look at the variables that there are: [path or null, prefix, most]. */
static const struct wh_frame *cell_look(JSContext *ctx, char *json, size_t len) {
    JSValue v = look(ctx, json, len);
    if (JS_IsException(v)) return took_stop(ctx) ? cell_stopped(ctx) : cell_threw(ctx, JS_GetException(ctx));
    g.progress = RETURNED;
    set_value(ctx, &g.result, v);
    return cell_drive(ctx);
}

/* ---- exports ----------------------------------------------------------------------------------------------------- */

void *wh_alloc(uint32_t n) { return malloc((size_t)n + 1); }
void wh_free(void *p) { free(p); }

const struct wh_frame *wh_start(const struct wh_start_in *in, uint32_t n) {
    char *src = (char *)(uintptr_t)(in + 1), *manifest = src + in->source_len;
    g.stop = 0;
    g.in = *in;
    g.cell = in->cell;
    g.rt->origin = in->cell;
    wh_out_background(false);
    JS_UpdateStackTop(g.rt);
    result_release(g.ctx);
    reserve_keep();
    if (in->source_len > n - sizeof *in || in->tools_len > n - sizeof *in - in->source_len)
        return result_error("InternalError", "the source is longer than the input");
    if (in->flags & WH_START_SEED) seed_from(in->seed);
    wh_out_live((in->flags & WH_START_LIVE) != 0);
    if (g.running) cell_close(g.ctx); /* the host gave up on the cell before */
    g.running = true;
    g.progress = RUNS;
    if (in->flags & WH_START_TOOLS) {
        manifest[in->tools_len] = 0;
        tools_manifest(g.ctx, manifest, in->tools_len);
    }
    src[in->source_len] = 0;
    if (in->flags & WH_START_LOOK) return cell_look(g.ctx, src, in->source_len);
    managed_put_back(g.ctx);
    return in->flags & WH_START_HANDLER ? cell_handler(g.ctx, src, in->source_len) : cell_run(g.ctx, src, in->source_len);
}

const struct wh_frame *wh_resume(const char *json, uint32_t n) {
    g.stop = 0;
    JS_UpdateStackTop(g.rt);
    result_release(g.ctx);
    if (!g.running) return result_error("InternalError", "no cell is waiting");
    ((char *)(uintptr_t)json)[n] = 0;
    char type[64] = "", message[512] = "";
    if (n > 2 && !resume_read(g.ctx, (char *)(uintptr_t)json, n, type, sizeof type, message, sizeof message))
        return took_stop(g.ctx) ? cell_stopped(g.ctx) : cell_threw(g.ctx, JS_GetException(g.ctx));
    return *type ? cell_abandoned(g.ctx, type, message) : cell_drive(g.ctx);
}

int32_t wh_init(void) {
    ts_prepare();
    return realm_init() ? 0 : -1;
}

int32_t wh_load(const char *name, uint32_t name_len, const char *src, uint32_t src_len) {
    return realm_load(name, name_len, src, src_len) ? 0 : -1;
}

int32_t wh_seal(void) {
    static const char *const warm[] = {"1+1", "if (1) { let a = [1, {b: 'c'}]; a }", "throw new Error('x')", "await null; 'y'"};
    realm_seal();
    for (size_t i = 0; i < countof(warm); i++) { /* atoms, shapes and buffers that the first cell would make */
        size_t len = strlen(warm[i]);
        struct wh_start_in *in = (struct wh_start_in *)(void *)in_buf;
        *in = (struct wh_start_in){.cell = 1, .value_bytes = 1u << 20, .value_depth = 64, .text_chars = 10000};
        in->source_len = (uint32_t)len;
        memcpy(in + 1, warm[i], len);
        if (wh_start(in, (uint32_t)(sizeof *in + len))->status == WH_WAITING) return -1;
    }
    memset(in_buf, 0, sizeof *(struct wh_start_in *)0 + 64);
    realm_forget_warm_up();
    return 0;
}

const struct wh_info *wh_describe(void) {
    static struct wh_info info;
    info = (struct wh_info){.magic = WH_MAGIC, .abi_version = WH_ABI_VERSION, .in_cap = IN_CAP, .pokes_len = 1};
    info.in_buf = (uint32_t)(uintptr_t)in_buf;
    info.pokes[0] = (struct wh_poke){.addr = (uint32_t)(uintptr_t)&g.stop, .value = 1};
    wh_out_describe(&info);
    return &info;
}
