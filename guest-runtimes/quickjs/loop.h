/* What goes on after the synchronous part of a cell: jobs, timers, calls to the host, and rejections that nobody handles. */

/* ---- timers -------------------------------------------------------------------------------------------------- */

struct timer {
    int64_t due, period; /* nanoseconds of the monotonic clock; period -1: once */
    uint32_t id, argc;
    uint32_t origin; /* the cell that made it, or whose timer did */
    uint64_t seq; /* order among timers that are due at the same time */
    JSValue func, *argv;
};

static struct {
    struct timer *heap; /* binary heap: the next timer is heap[0] */
    uint32_t len, cap, last_id, running_id; /* running_id: 0 once an interval was cleared by its own callback */
    uint64_t seq;
} timers HOT;

static bool timer_before(const struct timer *a, const struct timer *b) {
    return a->due != b->due ? a->due < b->due : a->seq < b->seq;
}

static void timer_swap(uint32_t i, uint32_t k) {
    struct timer t = timers.heap[i];
    timers.heap[i] = timers.heap[k];
    timers.heap[k] = t;
}

static void timer_up(uint32_t i) {
    for (; i > 0 && timer_before(&timers.heap[i], &timers.heap[(i - 1) / 2]); i = (i - 1) / 2) timer_swap(i, (i - 1) / 2);
}

static void timer_down(uint32_t i) {
    for (;;) {
        uint32_t k = 2 * i + 1;
        if (k >= timers.len) return;
        if (k + 1 < timers.len && timer_before(&timers.heap[k + 1], &timers.heap[k])) k++;
        if (!timer_before(&timers.heap[k], &timers.heap[i])) return;
        timer_swap(i, k);
        i = k;
    }
}

static struct timer timer_take(uint32_t i) {
    struct timer t = timers.heap[i];
    timers.heap[i] = timers.heap[--timers.len];
    if (i < timers.len) {
        timer_up(i);
        timer_down(i);
    }
    return t;
}

static bool timer_put(struct timer t) {
    if (timers.len == timers.cap) {
        uint32_t cap = timers.cap ? timers.cap * 2 : 8;
        void *p = realloc(timers.heap, cap * sizeof *timers.heap);
        if (!p) return false;
        timers.heap = p;
        timers.cap = cap;
    }
    t.seq = timers.seq++;
    timers.heap[timers.len++] = t;
    timer_up(timers.len - 1);
    return true;
}

static void timer_free(JSContext *ctx, struct timer *t) {
    for (uint32_t i = 0; i < t->argc; i++) JS_FreeValue(ctx, t->argv[i]);
    js_free(ctx, t->argv);
    JS_FreeValue(ctx, t->func);
}

static void timers_clear(JSContext *ctx) {
    while (timers.len) {
        struct timer t = timers.heap[--timers.len];
        timer_free(ctx, &t);
    }
}

/* What runs from here on is of that cell: so is what it makes and prints. */
static void origin_set(uint32_t cell) {
    if (g.rt->origin == cell) return;
    g.rt->origin = cell;
    wh_out_background(cell != g.cell);
}

/* Whether a timer is left that this cell, or what it has called, made. */
static bool timer_is_ours(void) {
    for (uint32_t i = 0; i < timers.len; i++)
        if (timers.heap[i].origin == g.cell) return true;
    return false;
}

static int64_t monotonic(void) { return wh_host_clock(1); }

/* Delays as in every JavaScript: whole milliseconds, at least 1, what is not a sensible number is 1. */
static int delay_ns(JSContext *ctx, JSValueConst v, int64_t *ns) {
    double ms;
    if (JS_ToFloat64(ctx, &ms, v)) return -1;
    if (!(ms >= 1 && ms <= INT32_MAX)) ms = 1;
    *ns = (int64_t)ms * 1000000;
    return 0;
}

enum { TIMEOUT, INTERVAL, IMMEDIATE };

static JSValue set_timer(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int kind) {
    static const char *const names[] = {"setTimeout", "setInterval", "setImmediate"};
    int skip = kind == IMMEDIATE ? 1 : 2;
    int64_t ns = 0;
    (void)this_val;
    if (argc < 1 || !JS_IsFunction(ctx, argv[0]))
        return JS_ThrowTypeError(ctx, "%s: the callback must be a function", names[kind]);
    if (kind != IMMEDIATE && delay_ns(ctx, argc > 1 ? argv[1] : JS_UNDEFINED, &ns)) return JS_EXCEPTION;
    struct timer t = {.due = monotonic() + ns, .period = kind == INTERVAL ? ns : -1, .id = ++timers.last_id, .origin = ctx->rt->origin};
    if (argc > skip) {
        t.argc = (uint32_t)(argc - skip);
        t.argv = js_malloc(ctx, t.argc * sizeof *t.argv);
        if (!t.argv) return JS_EXCEPTION;
        for (uint32_t i = 0; i < t.argc; i++) t.argv[i] = js_dup(argv[(uint32_t)skip + i]);
    }
    t.func = js_dup(argv[0]);
    if (!timer_put(t)) {
        timer_free(ctx, &t);
        return JS_ThrowOutOfMemory(ctx);
    }
    return js_uint32(t.id);
}

static JSValue clear_timer(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val;
    if (argc < 1 || !JS_IsNumber(argv[0])) return JS_UNDEFINED;
    double id;
    JS_ToFloat64(ctx, &id, argv[0]);
    if (timers.running_id == id) timers.running_id = 0;
    for (uint32_t i = 0; i < timers.len; i++) {
        if (timers.heap[i].id != id) continue;
        struct timer t = timer_take(i);
        timer_free(ctx, &t);
        break;
    }
    return JS_UNDEFINED;
}

/* ---- what nobody handled --------------------------------------------------------------------------------------- */

static struct {
    struct rejection {
        JSValue promise, reason;
        uint32_t origin;
    } *items;
    uint32_t len, cap;
} rejections HOT;

static void rejection_drop(JSContext *ctx, uint32_t i) {
    JS_FreeValue(ctx, rejections.items[i].promise);
    JS_FreeValue(ctx, rejections.items[i].reason);
    memmove(rejections.items + i, rejections.items + i + 1, (--rejections.len - i) * sizeof *rejections.items);
}

static void rejection_track(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool handled, void *opaque) {
    (void)opaque;
    if (handled) {
        for (uint32_t i = rejections.len; i-- > 0;)
            if (JS_VALUE_GET_PTR(rejections.items[i].promise) == JS_VALUE_GET_PTR(promise)) {
                rejection_drop(ctx, i);
                return;
            }
        return;
    }
    if (rejections.len == rejections.cap) {
        uint32_t cap = rejections.cap ? rejections.cap * 2 : 8;
        void *p = realloc(rejections.items, cap * sizeof *rejections.items);
        if (!p) return;
        rejections.items = p;
        rejections.cap = cap;
    }
    rejections.items[rejections.len++] = (struct rejection){js_dup(promise), js_dup(reason), ctx->rt->origin};
}

static void rejections_clear(JSContext *ctx) {
    while (rejections.len) rejection_drop(ctx, rejections.len - 1);
}

/* An error that ends up nowhere: to stderr, as `before` and the text of what was thrown. Takes the reference. */
static void report_uncaught(const char *before, JSValue thrown) {
    JSContext *ctx = g.ctx;
    JSValue text = inner_call(g.fn[FN_RENDER], 1, vc(&thrown));
    JS_FreeValue(ctx, thrown);
    if (!JS_IsString(text)) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        return;
    }
    struct buf b = {0};
    buf_str(&b, before);
    buf_utf8_of(&b, ctx, text);
    buf_putc(&b, '\n');
    wh_out_write(2, b.p, b.len);
    buf_free(&b);
    JS_FreeValue(ctx, text);
}

static void rejections_report(JSContext *ctx) {
    const uint32_t shown = 20;
    for (uint32_t i = 0; i < rejections.len && i < shown && !g.stop; i++) {
        origin_set(rejections.items[i].origin);
        report_uncaught("Unhandled promise rejection: ", js_dup(rejections.items[i].reason));
    }
    origin_set(g.cell);
    if (rejections.len > shown && !g.stop) {
        char more[64];
        int n = snprintf(more, sizeof more, "... %u more unhandled promise rejections\n", rejections.len - shown);
        wh_out_write(2, more, (size_t)n);
    }
    rejections_clear(ctx);
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

/* true: a stop; the exception is the engine's, with the stack of where it was. */
static bool took_stop(JSContext *ctx) { return g.stop || JS_IsUncatchableError(ctx->rt->current_exception); }

/* Runs jobs until there is none. The job loop itself looks at the flag: each job of an endless chain may be too short for
 * the engine to look. */
static bool jobs_run(JSContext *ctx) {
    JSContext *c;
    for (;;) {
        bool more = !list_empty(&ctx->rt->job_list);
        origin_set(more ? list_entry(ctx->rt->job_list.next, JSJobEntry, link)->origin : g.cell);
        if (unlikely(g.stop)) return false;
        if (!more) return true;
        if (JS_ExecutePendingJob(ctx->rt, &c) > 0) continue;
        if (took_stop(ctx)) return false;
        report_uncaught("Uncaught ", JS_GetException(ctx));
    }
}

static void jobs_drop(JSRuntime *rt) {
    struct list_head *el, *el1;
    list_for_each_safe(el, el1, &rt->job_list) {
        JSJobEntry *e = list_entry(el, JSJobEntry, link);
        list_del(&e->link);
        for (int i = 0; i < e->argc; i++) JS_FreeValueRT(rt, e->argv[i]);
        js_free_rt(rt, e);
    }
}

/* Runs the next timer if it is due; false: a stop, which ends an interval. */
static bool timer_run(JSContext *ctx) {
    struct timer t = timer_take(0);
    timers.running_id = t.id;
    origin_set(t.origin);
    JSValue r = JS_Call(ctx, t.func, JS_UNDEFINED, (int)t.argc, vc(t.argv));
    bool again = t.period >= 0 && timers.running_id == t.id, stopped = JS_IsException(r) && took_stop(ctx);
    timers.running_id = 0;
    if (JS_IsException(r) && !stopped) report_uncaught("Uncaught ", JS_GetException(ctx));
    JS_FreeValue(ctx, r);
    origin_set(g.cell);
    if (again && !stopped) {
        t.due = monotonic() + t.period;
        if (timer_put(t)) return true;
    }
    timer_free(ctx, &t);
    return !stopped;
}

static bool timer_is_due(void) { return timers.len && timers.heap[0].due <= monotonic(); }

/* ---- calls to the host ------------------------------------------------------------------------------------------- */

static struct {
    struct call {
        uint32_t id;
        bool handling; /* its tool is one of ours, and the handler is running */
        JSValue promise, tool;
        JSValue stack; /* where it was made: an error that comes back has no place of its own */
    } *items;
    uint32_t len, cap, last_id, handling;
} calls HOT;

static void call_free(JSContext *ctx, struct call *c) {
    JS_FreeValue(ctx, c->promise);
    JS_FreeValue(ctx, c->tool);
    JS_FreeValue(ctx, c->stack);
}

static void calls_forget(JSContext *ctx) {
    while (calls.len) call_free(ctx, &calls.items[--calls.len]);
    calls.handling = 0;
}

/* Whether something outside the guest can still make the cell go on: not a handler of its own. */
static bool can_go_on(void) { return timers.len || calls.len > calls.handling; }
