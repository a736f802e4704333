/* console: what consists of plain values is written straight from here; the rest goes to the formatter of the prelude. */

enum {
    CONSOLE_LOG, CONSOLE_INFO, CONSOLE_DEBUG, CONSOLE_WARN, CONSOLE_ERROR, CONSOLE_TRACE,
    CONSOLE_DIR, CONSOLE_DIRXML, CONSOLE_TABLE, CONSOLE_ASSERT, CONSOLE_GROUP, CONSOLE_GROUP_COLLAPSED, CONSOLE_GROUP_END,
    CONSOLE_COUNT, CONSOLE_COUNT_RESET, CONSOLE_TIME, CONSOLE_TIME_LOG, CONSOLE_TIME_END, CONSOLE_CLEAR
};

/* Shown bare, without the inspector. Symbols go there; so does a first string with placeholders. */
static bool is_bare(JSValueConst v) { return !JS_IsObject(v) && !JS_IsSymbol(v); }

static bool has_percent(JSContext *ctx, JSValueConst v) {
    JSValue flat = flat_string(ctx, v);
    JSString *s = JS_IsString(flat) ? JS_VALUE_GET_STRING(flat) : NULL;
    bool r = false;
    for (uint32_t i = 0; s && i < s->len && !r; i++) r = string_get(s, (int)i) == '%';
    JS_FreeValue(ctx, flat);
    return r;
}

static void put_bare(struct buf *b, JSContext *ctx, JSValueConst v) {
    if (JS_IsNumber(v) && JS_VALUE_GET_NORM_TAG(v) == JS_TAG_FLOAT64) {
        double d = JS_VALUE_GET_FLOAT64(v);
        if (d == 0 && signbit(d)) buf_putc(b, '-');
    }
    JSValue s = JS_ToString(ctx, v);
    if (JS_IsException(s))
        JS_FreeValue(ctx, JS_GetException(ctx));
    else
        buf_utf8_of(b, ctx, s);
    JS_FreeValue(ctx, s);
    if (JS_IsBigInt(v)) buf_putc(b, 'n');
}

static bool console_plain(JSContext *ctx, int fd, int argc, JSValueConst *argv) {
    char first[256];
    struct buf b;
    for (int i = 0; i < argc; i++)
        if (!is_bare(argv[i])) return false;
    if (argc > 1 && JS_IsString(argv[0]) && has_percent(ctx, argv[0])) return false;
    buf_init(&b, first, sizeof first);
    for (int i = 0; i < argc; i++) {
        if (i) buf_putc(&b, ' ');
        put_bare(&b, ctx, argv[i]);
    }
    buf_putc(&b, '\n');
    wh_out_write(fd, b.p, b.len);
    buf_free(&b);
    return true;
}

static JSValue console_method(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int method) {
    (void)this_val;
    int fd = method == CONSOLE_WARN || method == CONSOLE_ERROR || method == CONSOLE_TRACE || method == CONSOLE_ASSERT ? 2 : 1;
    if (method <= CONSOLE_ERROR && !g.group_depth && console_plain(ctx, fd, argc, argv)) return JS_UNDEFINED;
    JSValue list = js_create_array(g.inner, argc, argv); /* an array of the inner realm, for the inner realm */
    if (JS_IsException(list)) return list;
    JSValueConst args[4] = {js_int32(method), js_int32(fd), list, js_uint32(g.group_depth)};
    if (method == CONSOLE_GROUP || method == CONSOLE_GROUP_COLLAPSED) g.group_depth++;
    if (method == CONSOLE_GROUP_END && g.group_depth) g.group_depth--;
    JSValue r = inner_call(g.fn[FN_CONSOLE], 4, args);
    JS_FreeValue(ctx, list);
    if (JS_IsException(r)) return r;
    JS_FreeValue(ctx, r);
    return JS_UNDEFINED;
}

#define METHOD(name, method) JS_CFUNC_MAGIC_DEF(name, 0, console_method, method)
static const JSCFunctionListEntry console_funcs[] = {
    METHOD("log", CONSOLE_LOG), METHOD("warn", CONSOLE_WARN), METHOD("dir", CONSOLE_DIR), METHOD("time", CONSOLE_TIME),
    METHOD("timeEnd", CONSOLE_TIME_END), METHOD("timeLog", CONSOLE_TIME_LOG), METHOD("trace", CONSOLE_TRACE),
    METHOD("assert", CONSOLE_ASSERT), METHOD("clear", CONSOLE_CLEAR), METHOD("count", CONSOLE_COUNT),
    METHOD("countReset", CONSOLE_COUNT_RESET), METHOD("group", CONSOLE_GROUP), METHOD("groupEnd", CONSOLE_GROUP_END),
    METHOD("table", CONSOLE_TABLE), METHOD("debug", CONSOLE_DEBUG), METHOD("info", CONSOLE_INFO),
    METHOD("dirxml", CONSOLE_DIRXML), METHOD("error", CONSOLE_ERROR), METHOD("groupCollapsed", CONSOLE_GROUP_COLLAPSED),
};
#undef METHOD
