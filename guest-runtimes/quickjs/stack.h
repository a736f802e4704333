/* Stacks: error.stack as V8 shows it, and the frames that a result carries. Frames of the prelude and of native functions are
 * machinery and left out everywhere. */

/* ---- sources of earlier cells, for the line that a frame points at ----------------------------------------- */

#define SOURCES 64
#define SOURCES_BYTES (256u << 10)

static struct {
    struct {
        uint32_t cell, len;
        char *text;
    } ring[SOURCES];
    uint32_t next, bytes;
} sources HOT;

static void source_drop(uint32_t slot) {
    sources.bytes -= sources.ring[slot].len;
    free(sources.ring[slot].text);
    sources.ring[slot].text = NULL;
    sources.ring[slot].len = 0;
}

static void source_keep(uint32_t cell, const char *text, uint32_t len) {
    uint32_t slot = sources.next % SOURCES;
    if (len > SOURCES_BYTES / 2) return;
    source_drop(slot);
    for (uint32_t i = 1; i < SOURCES && sources.bytes + len > SOURCES_BYTES; i++) source_drop((slot + i) % SOURCES);
    char *copy = malloc(len + 1);
    if (!copy) return;
    memcpy(copy, text, len);
    sources.ring[slot].cell = cell;
    sources.ring[slot].len = len;
    sources.ring[slot].text = copy;
    sources.bytes += len;
    sources.next++;
}

/* The line (from 1) of a text; NULL if there is none. */
static const char *line_of(const char *text, size_t len, uint32_t line, size_t *line_len) {
    const char *p = text, *end = text + len;
    while (line > 1) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        if (!nl) return NULL;
        p = nl + 1;
        line--;
    }
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    *line_len = (size_t)((nl ? nl : end) - p);
    if (*line_len && p[*line_len - 1] == '\r') --*line_len;
    return p;
}

static const char *source_line(uint32_t cell, uint32_t line, size_t *line_len) {
    for (uint32_t i = 0; i < SOURCES; i++)
        if (sources.ring[i].text && sources.ring[i].cell == cell)
            return line_of(sources.ring[i].text, sources.ring[i].len, line, line_len);
    return NULL;
}

/* ---- one line of the engine's own stack text: "    at NAME (FILE:LINE:COLUMN)" ----------------------------- */

struct frame {
    const char *name, *file;
    size_t name_len, file_len;
    uint32_t line, column, cell; /* cell 0: not the code of a cell */
    uint32_t byte;               /* the column as the engine counts: bytes of UTF-8; `column` counts characters */
};

static bool number_before(const char **end, const char *start, uint32_t *v) {
    const char *p = *end;
    while (p > start && is_digit(p[-1])) p--;
    if (p == *end || p == start || p[-1] != ':' || *end - p > 9) return false;
    *v = 0;
    for (const char *q = p; q < *end; q++) *v = *v * 10 + (uint32_t)(*q - '0');
    *end = p - 1;
    return true;
}

static bool starts(const char *p, size_t n, const char *prefix) {
    size_t k = strlen(prefix);
    return n >= k && !memcmp(p, prefix, k);
}

static uint32_t cell_of_file(const char *p, size_t n) {
    static const char prefix[] = "<cell ";
    uint32_t v = 0;
    if (!starts(p, n, prefix) || p[n - 1] != '>') return 0;
    for (size_t i = sizeof prefix - 1; i < n - 1 && is_digit(p[i]); i++) v = v * 10 + (uint32_t)(p[i] - '0');
    return v;
}

static void frame_locate(struct frame *f) {
    size_t n = 0;
    const char *line = f->cell ? source_line(f->cell, f->line, &n) : NULL;
    f->byte = f->column;
    for (size_t i = 0; line && i + 1 < f->byte && i < n; i++)
        if (((uint8_t)line[i] & 0xc0) == 0x80) f->column--;
}

static bool frame_parse(const char *p, size_t n, struct frame *f) {
    static const char at[] = "    at ";
    if (!starts(p, n, at)) return false;
    const char *start = p + sizeof at - 1, *end = p + n, *open;
    *f = (struct frame){.name = start};
    if (end > start && end[-1] == ')') end--;
    if (!number_before(&end, start, &f->column) || !number_before(&end, start, &f->line)) return false;
    for (open = end; open > start && open[-1] != '('; open--) continue;
    f->file = open;
    f->file_len = (size_t)(end - open);
    f->name_len = open > start + 1 ? (size_t)(open - start) - 2 : 0; /* "NAME (" */
    f->cell = cell_of_file(f->file, f->file_len);
    frame_locate(f);
    return true;
}

static bool frame_is_toplevel(const struct frame *f) { return f->name_len == 6 && !memcmp(f->name, "<eval>", 6); }
static bool frame_is_unnamed(const struct frame *f) {
    return f->name_len == 0 || frame_is_toplevel(f) || (f->name_len == 11 && !memcmp(f->name, "<anonymous>", 11));
}
/* Code of a cell, or code that a cell made with eval and its like. */
static bool frame_is_guests(const struct frame *f) { return f->cell || (f->name_len && starts(f->file, f->file_len, "<input>")); }

/* Calls each for the frames of a stack text that are the guest's own. */
static void frames_each(const char *text, size_t n, void (*each)(struct buf *, const struct frame *), struct buf *out) {
    const char *end = text + n;
    for (const char *p = text; p < end;) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        size_t len = (size_t)((nl ? nl : end) - p);
        struct frame f;
        if (frame_parse(p, len, &f) && frame_is_guests(&f)) each(out, &f);
        p += len + 1;
    }
}

static void frame_text(struct buf *b, const struct frame *f) {
    buf_lit(b, "\n    at ");
    bool named = !frame_is_unnamed(f);
    if (named) {
        buf_put(b, f->name, f->name_len);
        buf_lit(b, " (");
    }
    if (f->cell)
        buf_put(b, f->file, f->file_len);
    else
        buf_lit(b, "<eval>");
    buf_printf(b, ":%u:%u", f->line, f->column);
    if (named) buf_putc(b, ')');
}

static void frame_json(struct buf *b, const struct frame *f) {
    if (!f->cell) return;
    if (b->len && b->p[b->len - 1] == '}') buf_putc(b, ',');
    buf_printf(b, "{\"cell\":%u,\"line\":%u,\"column\":%u,\"function\":", f->cell, f->line, f->column);
    if (frame_is_toplevel(f) || !f->name_len)
        buf_lit(b, "null");
    else if (frame_is_unnamed(f))
        buf_lit(b, "\"<anonymous>\"");
    else
        json_utf8(b, f->name, f->name_len);
    size_t n;
    const char *line = source_line(f->cell, f->line, &n);
    if (line) {
        buf_lit(b, ",\"source\":");
        json_utf8(b, line, n);
    }
    buf_putc(b, '}');
}

/* ---- error.stack ------------------------------------------------------------------------------------------- */

static void buf_utf8_of(struct buf *b, JSContext *ctx, JSValueConst v) {
    JSValue s = JS_IsString(v) ? flat_string(ctx, v) : JS_UNDEFINED;
    if (JS_IsString(s)) buf_utf8(b, JS_VALUE_GET_STRING(s));
    JS_FreeValue(ctx, s);
}

/* The stack as the engine recorded it: frames alone, machinery and all. Undefined where there is none. */
static JSValue raw_stack(JSContext *ctx, JSValueConst error) {
    JSObject *p = obj_of(error);
    if (!p) return JS_UNDEFINED;
    if (p->class_id == JS_CLASS_ERROR && JS_IsString(p->u.object_data)) return flat_string(ctx, p->u.object_data);
    if (p->class_id == JS_CLASS_DOM_EXCEPTION) return string_property(ctx, error, JS_ATOM_stack);
    return JS_UNDEFINED;
}

static void stack_visit(JSContext *ctx, JSValueConst error, void (*each)(struct buf *, const struct frame *),
                        struct buf *out) {
    JSValue raw = raw_stack(ctx, error);
    if (JS_IsString(raw)) {
        struct buf text = {0};
        buf_utf8(&text, JS_VALUE_GET_STRING(raw));
        frames_each(text.p, text.len, each, out);
        buf_free(&text);
    }
    JS_FreeValue(ctx, raw);
}

/* "Name: message" and the frames, made when it is asked for. */
static JSValue stack_string(JSContext *ctx, JSValueConst error, JSValueConst raw) {
    struct buf b = {0}, text = {0};
    JSValue head = js_error_toString(ctx, error, 0, NULL);
    if (JS_IsException(head)) {
        if (JS_IsUncatchableError(ctx->rt->current_exception)) return JS_EXCEPTION;
        JS_FreeValue(ctx, JS_GetException(ctx));
        head = JS_NewString(ctx, "Error");
    }
    buf_utf8_of(&b, ctx, head);
    JS_FreeValue(ctx, head);
    buf_utf8_of(&text, ctx, raw);
    frames_each(text.p, text.len, frame_text, &b);
    JSValue r = JS_NewStringLen(ctx, b.p, b.len);
    buf_free(&b);
    buf_free(&text);
    return r;
}

static JSValue get_stack(JSContext *ctx, JSValueConst this_val) {
    if (!obj_of(this_val)) return JS_ThrowTypeErrorNotAnObject(ctx);
    JSValue raw = class_of(this_val) == JS_CLASS_ERROR ? raw_stack(ctx, this_val) : JS_UNDEFINED;
    JSValue r = JS_IsString(raw) ? stack_string(ctx, this_val, raw) : JS_UNDEFINED;
    JS_FreeValue(ctx, raw);
    return r;
}

/* The engine's own captureStackTrace leaves its text in an own property: give that the same form. */
static JSValue capture_stack_trace(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    JSValueConst args[2] = {argc > 0 ? argv[0] : JS_UNDEFINED, argc > 1 ? argv[1] : JS_UNDEFINED};
    JSValue r = js_error_capture_stack_trace(ctx, this_val, 2, args);
    if (JS_IsException(r)) return r;
    JSObject *p = obj_of(args[0]);
    JSProperty *pr;
    JSShapeProperty *prs = find_own_property(&pr, p, JS_ATOM_stack);
    if (!prs || (prs->flags & JS_PROP_TMASK) != JS_PROP_NORMAL || !JS_IsString(pr->u.value)) return r;
    JSValue text = stack_string(ctx, args[0], pr->u.value);
    if (JS_IsException(text)) return text;
    JS_DefinePropertyValue(ctx, args[0], JS_ATOM_stack, text, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    return r;
}

static const JSCFunctionListEntry error_proto_funcs[] = {JS_CGETSET_DEF("stack", get_stack, js_error_set_stack)};
static const JSCFunctionListEntry error_funcs[] = {JS_CFUNC_DEF("captureStackTrace", 2, capture_stack_trace)};

static void stack_install(JSContext *ctx) {
    /* prepareStackTrace goes for good: it would hand out functions of the machinery through its call sites. */
    static const char *const replaced[] = {"captureStackTrace", "prepareStackTrace"};
    remove_names(ctx, ctx->error_ctor, replaced, countof(replaced));
    JS_SetPropertyFunctionList(ctx, ctx->class_proto[JS_CLASS_ERROR], error_proto_funcs, countof(error_proto_funcs));
    JS_SetPropertyFunctionList(ctx, ctx->error_ctor, error_funcs, countof(error_funcs));
}

/* ---- where a waiting cell stands --------------------------------------------------------------------------- */

static bool suspended_in(JSContext *ctx, JSGCObjectHeader *h, JSAtom file, struct frame *f, struct buf *name) {
    if (JS_GC_TYPE(h) != JS_GC_OBJ_TYPE_ASYNC_FUNCTION) return false;
    JSAsyncFunctionData *s = (JSAsyncFunctionData *)h;
    JSStackFrame *sf = &s->func_state.frame;
    JSFunctionBytecode *b = s->is_active ? bytecode_of(sf->cur_func) : NULL;
    if (!b || b->filename != file || !sf->cur_pc) return false;
    int column;
    *f = (struct frame){.cell = g.cell};
    f->line = (uint32_t)find_line_num(ctx, b, (uint32_t)(sf->cur_pc - b->byte_code_buf - 1), &column);
    f->column = (uint32_t)column;
    frame_locate(f);
    name->len = 0;
    JSValue n = string_property(ctx, sf->cur_func, JS_ATOM_name);
    buf_utf8_of(name, ctx, n);
    JS_FreeValue(ctx, n);
    f->name = name->p;
    f->name_len = name->len;
    return true;
}

/* The async functions of this cell that stand at an await, innermost first as far as that can be known: the one that
 * began last. Returns the line of that await, 0 if there is none. */
static uint32_t suspended_each(JSContext *ctx, void (*each)(struct buf *, const struct frame *), struct buf *out) {
    char file[24];
    snprintf(file, sizeof file, "<cell %u>", g.cell);
    JSAtom atom = JS_NewAtom(ctx, file);
    struct list_head *el;
    struct buf name = {0};
    uint32_t line = 0, n = 0;
    list_for_each_prev(el, &ctx->rt->gc_obj_list) {
        struct frame f;
        if (!suspended_in(ctx, list_entry(el, JSGCObjectHeader, link), atom, &f, &name)) continue;
        f.file = file;
        f.file_len = strlen(file);
        if (!line) line = f.line;
        if (n++ < 20) each(out, &f);
    }
    buf_free(&name);
    JS_FreeAtom(ctx, atom);
    return line;
}
