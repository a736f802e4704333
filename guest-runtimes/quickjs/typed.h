/* Cells in TypeScript: typescript.c makes JavaScript of them, and from there on they are cells like any others. */

static bool throw_stopped(JSContext *ctx) {
    JS_ThrowInternalError(ctx, "interrupted");
    JS_SetUncatchableError(ctx, ctx->rt->current_exception);
    return false;
}

static void throw_without_frames(JSContext *ctx, const char *format, ...) {
    va_list args;
    va_start(args, format);
    JS_ThrowError2(ctx, JS_SYNTAX_ERROR, false, format, args);
    va_end(args);
}

/* A SyntaxError at an offset of the source, as the engine's own parser throws them. */
static void throw_syntax_at(JSContext *ctx, const char *src, size_t at, const char *file, const char *message) {
    int line = 1, column = 1;
    for (size_t i = 0; i < at; i++) {
        bool newline = src[i] == '\n';
        line += newline;
        column = newline ? 1 : column + 1;
    }
    throw_without_frames(ctx, "%s", message);
    build_backtrace(ctx, ctx->rt->current_exception, JS_UNDEFINED, file, line, column, JS_BACKTRACE_FLAG_SINGLE_LEVEL);
}

/* A cell that is one object literal: the parser knows it for one between parentheses. */
static bool erase_object(JSContext *ctx, const char *src, size_t len, struct ts_erased *js) {
    *js = (struct ts_erased){.status = TS_MEMORY};
    char *copy = malloc(len + 4);
    if (!copy) return false;
    copy[0] = '(';
    memcpy(copy + 1, src, len);
    memcpy(copy + 1 + len, "\n)", 3);
    ts_erase(copy, len + 3, &g.stop, js);
    free(copy);
    if (js->status != TS_ERASED) {
        free(js->text);
        return false;
    }
    js->len -= 3;
    memmove(js->text, js->text + 1, js->len);
    js->text[js->len] = 0;
    return true;
}

static void put_position(struct buf *b, const struct frame *f) {
    if (!b->len) buf_printf(b, "%u %u", f->line, f->byte);
}

/* Whether the current exception of the engine names this place. */
static bool is_at(JSContext *ctx, const char *src, uint32_t at) {
    struct buf where = {0};
    stack_visit(ctx, ctx->rt->current_exception, put_position, &where);
    unsigned line = 0, column = 0, own = 1, own_column = 1;
    buf_putc(&where, 0);
    if (where.p) sscanf(where.p, "%u %u", &line, &column);
    buf_free(&where);
    for (uint32_t i = 0; i < at; i++) {
        own_column = src[i] == '\n' ? 1 : own_column + 1;
        own += src[i] == '\n';
    }
    return line == own && column == own_column;
}

/* The source does not fit the grammar. It may be JavaScript that is newer than the grammar. If not, and the engine finds the
 * mistake at the same place, it knows better what is wrong there, unless that is the end. */
static JSValue compile_against_grammar(JSContext *ctx, const char *src, size_t len, const char *file, struct ts_erased *js) {
    JSValue f = compile_cell(ctx, src, len, file);
    if (!JS_IsException(f) || took_stop(ctx)) return f;
    JS_FreeValue(ctx, JS_GetException(ctx));
    f = compile_cell(ctx, js->text, js->len, file);
    if (JS_IsException(f)) {
        if (took_stop(ctx) || (js->at < len && is_at(ctx, src, js->at))) return f;
        JS_FreeValue(ctx, JS_GetException(ctx));
    }
    JS_FreeValue(ctx, f);
    throw_syntax_at(ctx, src, js->at, file, js->message);
    return JS_EXCEPTION;
}

static void erase(JSContext *ctx, const char *src, size_t len, struct ts_erased *js) {
    bool object = first_char(src, src + len) == '{' && erase_object(ctx, src, len, js);
    if (!object) ts_erase(src, len, &g.stop, js);
}

static JSValue compile_typescript(JSContext *ctx, const char *src, size_t len, const char *file) {
    struct ts_erased js;
    erase(ctx, src, len, &js);
    if (js.status == TS_MEMORY) { /* once more with the reserve, which is for cells that free memory */
        free(js.text);
        g.exhausted = true;
        reserve_give();
        erase(ctx, src, len, &js);
    }
    JSValue f = JS_EXCEPTION;
    switch (js.status) {
    case TS_ERASED: f = compile_cell(ctx, js.text, js.len, file); break;
    case TS_ERROR: f = compile_against_grammar(ctx, src, len, file, &js); break;
    case TS_REFUSED: throw_syntax_at(ctx, src, js.at, file, js.message); break;
    case TS_STOPPED: throw_stopped(ctx); break;
    case TS_MEMORY: JS_ThrowOutOfMemory(ctx); break;
    }
    free(js.text);
    return f;
}
