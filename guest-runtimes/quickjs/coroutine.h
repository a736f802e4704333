/* The running cell as an async function. The engine's own call would make a promise and forget the function; here the cell is
 * held until it ends, so that the line of its await can be told (a function that awaits a promise which nobody else holds is
 * freed at once), and what it comes to goes straight into g.result. */

static JSValue take_result(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int progress) {
    (void)this_val;
    g.progress = progress;
    set_value(ctx, &g.result, argc > 0 ? js_dup(argv[0]) : JS_UNDEFINED);
    return JS_UNDEFINED;
}

static JSValue take_nothing(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_val, (void)argc, (void)argv;
    return JS_UNDEFINED;
}

static void coroutine_init(JSContext *ctx) {
    g.settle[0] = JS_NewCFunctionMagic(ctx, take_result, "", 1, JS_CFUNC_generic_magic, RETURNED);
    g.settle[1] = JS_NewCFunctionMagic(ctx, take_result, "", 1, JS_CFUNC_generic_magic, THREW);
    g.ignore = JS_NewCFunction(ctx, take_nothing, "", 0);
}

/* Runs fn up to its first await. false: an exception that is none of the cell's, a stop or no memory. */
static bool coroutine_start(JSContext *ctx, JSValueConst fn) {
    JSAsyncFunctionData *s = js_mallocz(ctx, sizeof *s);
    if (!s) return false;
    JS_REF_COUNT(s) = 1;
    add_gc_object(ctx->rt, &s->header, JS_GC_OBJ_TYPE_ASYNC_FUNCTION);
    s->resolving_funcs[0] = js_dup(g.settle[0]);
    s->resolving_funcs[1] = js_dup(g.settle[1]);
    g.main = s;
    if (async_func_init(ctx, &s->func_state, fn, ctx->global_obj, 0, NULL)) return false;
    s->is_active = true;
    s->func_state.frame.cur_gc_obj = &s->header;
    return js_async_function_resume(ctx, s);
}

/* Lets go of the cell. If something of it still waits and goes on some day, in a later cell, nobody hears of its end. */
static void coroutine_release(JSContext *ctx) {
    JSAsyncFunctionData *s = g.main;
    g.main = NULL;
    if (!s) return;
    if (s->is_active)
        for (int i = 0; i < 2; i++) set_value(ctx, &s->resolving_funcs[i], js_dup(g.ignore));
    js_async_function_free(ctx->rt, s);
}
