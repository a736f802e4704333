/* Where recursion takes more of the hidden stack than its visible part tells: see STACK_BYTES. */

/* Lets what follows use only a share of the stack that is left. Returns the limit, which the caller puts back. */
static uintptr_t stack_share(JSRuntime *rt, double share) {
    uintptr_t limit = rt->stack_limit, here = js_get_stack_pointer();
    if (here > limit) rt->stack_limit = here - (uintptr_t)((double)(here - limit) * share);
    return limit;
}

/* In place of the engine's eval, for eval and the function constructors: the same, with the parser bounded. */
static JSValue eval_bounded(JSContext *ctx, JSValueConst this_obj, const char *input, size_t input_len, const char *filename,
                            int line, int flags, int scope_idx) {
    uintptr_t limit = stack_share(ctx->rt, PARSER_SHARE);
    JSValue code = __JS_EvalInternal(ctx, this_obj, input, input_len, filename, line, flags | JS_EVAL_FLAG_COMPILE_ONLY, scope_idx);
    ctx->rt->stack_limit = limit;
    if (JS_IsException(code) || (flags & JS_EVAL_FLAG_COMPILE_ONLY)) return code;
    JSVarRef **outer = NULL;
    JSStackFrame *sf = NULL;
    if ((flags & JS_EVAL_TYPE_MASK) == JS_EVAL_TYPE_DIRECT) { /* it sees the variables of its caller */
        sf = ctx->rt->current_stack_frame;
        outer = JS_VALUE_GET_OBJ(sf->cur_func)->u.func.var_refs;
    }
    return JS_EvalFunctionInternal(ctx, code, this_obj, outer, sf);
}

/* Operations on a proxy without traps go through all the proxies below it. */
static bool proxies_too_deep(JSContext *ctx, JSValueConst target) {
    int depth = 0;
    for (JSObject *p = obj_of(target); p && p->class_id == JS_CLASS_PROXY; p = obj_of(p->u.proxy_data->target))
        if (++depth >= PROXY_DEPTH) {
            JS_ThrowRangeError(ctx, "Maximum call stack size exceeded: a proxy of %d proxies", depth);
            return true;
        }
    return false;
}

static JSValue new_proxy(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    if (argc > 0 && proxies_too_deep(ctx, argv[0])) return JS_EXCEPTION;
    return js_proxy_constructor(ctx, this_val, argc, argv);
}

static JSValue revocable_proxy(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    if (argc > 0 && proxies_too_deep(ctx, argv[0])) return JS_EXCEPTION;
    return js_proxy_revocable(ctx, this_val, argc, argv);
}

static void depth_install(JSContext *ctx) {
    ctx->eval_internal = eval_bounded;
    JSValue ctor = JS_GetPropertyStr(ctx, ctx->global_obj, "Proxy"), revocable = JS_GetPropertyStr(ctx, ctor, "revocable");
    JS_VALUE_GET_OBJ(ctor)->u.cfunc.c_function.generic = new_proxy;
    JS_VALUE_GET_OBJ(revocable)->u.cfunc.c_function.generic = revocable_proxy;
    JS_FreeValue(ctx, revocable);
    JS_FreeValue(ctx, ctor);
}
