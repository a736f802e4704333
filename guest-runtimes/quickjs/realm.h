/* Setting up the two realms at build time: what a cell finds, and what it does not. */

/* lib.register(prototype, toText or null, fields): what leaves the guest for objects of this class is the text that toText
 * gives, and the inspector shows the list of names and values that fields gives. */
static JSValue lib_register(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    if (g.registered_len == (int)countof(g.registered)) return JS_ThrowInternalError(ctx, "too many registered classes");
    g.registered[g.registered_len++] = (struct registered){js_dup(argv[0]), js_dup(argv[1]), js_dup(argv[2])};
    return JS_UNDEFINED;
}

static JSValue lib_is_registered(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    return js_bool(obj_of(argv[0]) && registered_of(ctx, obj_of(argv[0])));
}

static JSValue lib_regexp_flags(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    char flags[12];
    return js_new_string8_len(ctx, flags, regexp_flags(argv[0], flags));
}

static JSValue lib_function_text(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    return js_function_toString(ctx, argv[0], 0, NULL);
}

static JSValue lib_symbol_text(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    return js_symbol_toString(ctx, argv[0], 0, NULL);
}

/* lib.list(): an array without prototype. */
static JSValue lib_list(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    return bare_list(ctx);
}

/* lib.report(error): to stderr, as what nobody caught. */
static JSValue lib_report(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_val, (void)argc;
    report_uncaught("Uncaught ", js_dup(argv[0]));
    return JS_UNDEFINED;
}

/* What the guest's prelude gets; it hands none of it on. */
static const JSCFunctionListEntry guest_lib[] = {
    JS_CFUNC_DEF("inner", 1, lib_inner),
    JS_CFUNC_DEF("class", 1, lib_class),
    JS_CFUNC_DEF("register", 3, lib_register),
    JS_CFUNC_DEF("isRegistered", 1, lib_is_registered),
    JS_CFUNC_DEF("shortForms", 1, lib_short_forms),
    JS_CFUNC_DEF("cell", 0, lib_cell),
    JS_CFUNC_DEF("pledge", 2, lib_pledge),
    JS_CFUNC_DEF("inspectText", 1, lib_inspect_text),
    JS_CFUNC_DEF("list", 0, lib_list),
    JS_CFUNC_DEF("report", 1, lib_report),
    JS_CFUNC_DEF("regexpFlags", 1, lib_regexp_flags),
    JS_CFUNC_DEF("functionText", 1, lib_function_text),
    JS_CFUNC_DEF("symbolText", 1, lib_symbol_text),
    JS_CFUNC_DEF("utf8", 1, lib_utf8),
    JS_CFUNC_DEF("utf8Into", 2, lib_utf8_into),
    JS_CFUNC_DEF("decode", 4, lib_decode),
};

/* ---- the guest's globals ------------------------------------------------------------------------------------------ */

/* Not here: shared memory and waiting on it (threads), and names of the engine that no standard knows. */
static const char *const removed[] = {"SharedArrayBuffer", "Atomics", "performance", "navigator", "gc", "print"};
static const char *const removed_function_properties[] = {"fileName", "lineNumber", "columnNumber"};

static void define_hidden(JSContext *ctx, JSValueConst obj, const char *name, JSValue v) {
    JS_DefinePropertyValueStr(ctx, obj, name, v, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
}

static JSValue new_namespace(JSContext *ctx, const JSCFunctionListEntry *funcs, int n) {
    JSValue o = JS_NewObject(ctx);
    JS_SetPropertyFunctionList(ctx, o, funcs, n);
    return o;
}

static const JSCFunctionListEntry global_funcs[] = {
    JS_CFUNC_MAGIC_DEF("setTimeout", 2, set_timer, TIMEOUT),   JS_CFUNC_MAGIC_DEF("setInterval", 2, set_timer, INTERVAL),
    JS_CFUNC_MAGIC_DEF("setImmediate", 1, set_timer, IMMEDIATE), JS_CFUNC_DEF("clearTimeout", 1, clear_timer),
    JS_CFUNC_DEF("clearInterval", 1, clear_timer),             JS_CFUNC_DEF("clearImmediate", 1, clear_timer),
};

static JSModuleDef *no_module_loader(JSContext *ctx, const char *name, void *opaque) {
    (void)opaque;
    JS_ThrowTypeError(ctx, "cannot import '%s': %s", name, no_modules);
    return NULL;
}

static char *module_name_as_is(JSContext *ctx, const char *base, const char *name, void *opaque) {
    (void)base, (void)opaque;
    return js_strdup(ctx, name);
}

static void guest_globals(JSContext *ctx) {
    JSValue global = ctx->global_obj;
    remove_names(ctx, global, removed, countof(removed));
    remove_names(ctx, ctx->function_proto, removed_function_properties, countof(removed_function_properties));
    JS_SetPropertyFunctionList(ctx, global, global_funcs, countof(global_funcs));
    define_hidden(ctx, global, "console", new_namespace(ctx, console_funcs, countof(console_funcs)));
    define_hidden(ctx, global, "crypto", new_namespace(ctx, crypto_funcs, countof(crypto_funcs)));
    define_hidden(ctx, global, "performance", new_namespace(ctx, performance_funcs, countof(performance_funcs)));
    JS_SetModuleLoaderFunc(ctx->rt, module_name_as_is, no_module_loader, NULL);
}

/* ---- init, load, seal --------------------------------------------------------------------------------------------- */

static int on_interrupt(JSRuntime *rt, void *opaque) {
    (void)rt, (void)opaque;
    return g.stop != 0;
}

static JSContext *inner_context(JSRuntime *rt) {
    JSContext *ctx = JS_NewContextRaw(rt);
    if (!ctx || JS_AddIntrinsicBaseObjects(ctx) || JS_AddIntrinsicDate(ctx) || JS_AddIntrinsicEval(ctx) ||
        JS_AddIntrinsicRegExp(ctx) || JS_AddIntrinsicJSON(ctx) || JS_AddIntrinsicMapSet(ctx) ||
        JS_AddIntrinsicTypedArrays(ctx) || JS_AddIntrinsicWeakRef(ctx) || JS_AddIntrinsicProxy(ctx))
        return NULL;
    return ctx;
}

/* Our malloc; a failure is remembered, because the engine throws null where it has no room for an error. */
static void *noting(void *p) {
    if (!p) g.exhausted = true;
    return p;
}
static void *guest_calloc(void *opaque, size_t n, size_t size) { return (void)opaque, noting(calloc(n, size)); }
static void *guest_malloc(void *opaque, size_t n) { return (void)opaque, noting(malloc(n)); }
static void guest_free(void *opaque, void *p) { (void)opaque, free(p); }
static void *guest_realloc(void *opaque, void *p, size_t n) { return (void)opaque, noting(realloc(p, n)); }
static size_t guest_usable_size(const void *p) { return malloc_usable_size((void *)(uintptr_t)p); }

static const JSMallocFunctions guest_allocator = {guest_calloc, guest_malloc, guest_free, guest_realloc, guest_usable_size};

static bool realm_init(void) {
    g.rt = JS_NewRuntime2(&guest_allocator, NULL);
    if (!g.rt) return false;
    JS_SetMaxStackSize(g.rt, STACK_BYTES);
    JS_SetInterruptHandler(g.rt, on_interrupt, NULL);
    JS_SetHostPromiseRejectionTracker(g.rt, rejection_track, NULL);
    g.ctx = JS_NewContext(g.rt);
    g.inner = inner_context(g.rt);
    if (!g.ctx || !g.inner) return false;
    g.tag_atom = JS_NewAtom(g.ctx, "$wasmhost");
    g.result = g.inside = JS_UNDEFINED;
    coroutine_init(g.ctx);
    g.given = JS_NewObjectProto(g.inner, JS_NULL);
    g.guest_lib = new_namespace(g.ctx, guest_lib, countof(guest_lib));
    g.inner_lib = new_namespace(g.inner, inner_lib, countof(inner_lib));
    depth_install(g.ctx);
    stack_install(g.ctx);
    guest_globals(g.ctx);
    return calls_init(g.ctx);
}

/* Functions of the prelude show no source: they are native to whoever looks at them. */
static void strip_source(JSContext *ctx, JSValueConst code) {
    JSFunctionBytecode *b = JS_VALUE_GET_PTR(code);
    js_free(ctx, b->source);
    b->source = NULL;
    b->source_len = 0;
    for (int i = 0; i < b->cpool_count; i++)
        if (JS_VALUE_GET_TAG(b->cpool[i]) == JS_TAG_FUNCTION_BYTECODE) strip_source(ctx, b->cpool[i]);
}

static bool ends_with(const char *s, size_t n, const char *end) {
    size_t k = strlen(end);
    return n >= k && !memcmp(s + n - k, end, k);
}

static void report_build_error(JSContext *ctx, const char *name, size_t name_len) {
    struct buf b = {0};
    JSValue e = JS_GetException(ctx), raw = raw_stack(ctx, e), text = JS_ToString(ctx, e);
    buf_put(&b, name, name_len);
    buf_lit(&b, ": ");
    buf_utf8_of(&b, ctx, text);
    buf_putc(&b, '\n');
    buf_utf8_of(&b, ctx, raw);
    wh_out_write(2, b.p, b.len);
    wh_out_flush();
    buf_free(&b);
    JS_FreeValue(ctx, e);
    JS_FreeValue(ctx, raw);
    JS_FreeValue(ctx, text);
}

/* A file of the prelude is one function expression that takes the library. NAME.guest runs in the realm of the cells. */
static bool realm_load(const char *name, size_t name_len, const char *src, size_t len) {
    bool guest = ends_with(name, name_len, ".guest") || ends_with(name, name_len, ".guest.js");
    JSContext *ctx = guest ? g.ctx : g.inner;
    char *text = malloc(len + 1);
    if (!text) return false;
    memcpy(text, src, len);
    text[len] = 0;
    JSValue code = JS_Eval(ctx, text, len, "<prelude>", JS_EVAL_FLAG_STRICT | JS_EVAL_FLAG_COMPILE_ONLY);
    free(text);
    if (!JS_IsException(code)) strip_source(ctx, code);
    JSValue fn = JS_IsException(code) ? code : JS_EvalFunction(ctx, code);
    JSValue lib = js_dup(guest ? g.guest_lib : g.inner_lib);
    JSValue r = JS_IsException(fn) ? fn : JS_Call(ctx, fn, JS_UNDEFINED, 1, vc(&lib));
    JS_FreeValue(ctx, fn);
    JS_FreeValue(ctx, lib);
    if (!JS_IsException(r)) return true;
    report_build_error(ctx, name, name_len);
    return false;
}

static void realm_seal(void) {
    look_remember(g.ctx);
    g.inner->eval_internal = NULL; /* what is loaded is loaded: no way from an inner constructor to new code */
    JS_FreeValue(g.inner, g.given);
    JS_FreeValue(g.inner, g.inner_lib);
    JS_FreeValue(g.ctx, g.guest_lib);
    g.given = g.inner_lib = g.guest_lib = JS_UNDEFINED;
}

static void realm_forget_warm_up(void) {
    while (sources.next) source_drop(--sources.next % SOURCES);
    timers.last_id = 0;
    timers.seq = 0;
    result_release(g.ctx);
    wh_out_flush();
    reserve_take();
    JS_RunGC(g.rt);
    nursery_lay(g.rt);
    void *hole = hole_make();
    holes_fill();
    free(hole);
    /* A collection visits every object and would make the whole image private to a session: only after real growth. */
    JS_SetGCThreshold(g.rt, g.rt->malloc_state.malloc_size + (4u << 20));
}
