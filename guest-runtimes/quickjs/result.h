/* What wh_start and wh_resume return: the head of a frame, written into one buffer that is used again each time. */

static struct buf head HOT;
static char head_first[1024] HOT;

static void result_release(JSContext *ctx) {
    attachments_free(ctx);
    if (head.owned && head.cap > (64u << 10)) buf_free(&head);
    if (!head.p) buf_init(&head, head_first, sizeof head_first);
    head.len = 0;
    head.failed = false;
    g.frame.flags = 0;
}

static const struct wh_frame *result_end(enum wh_status status) {
    if (head.failed) { /* no memory for the result: say so in what there is */
        buf_free(&head);
        buf_init(&head, head_first, sizeof head_first);
        buf_lit(&head, "{\"e\":{\"type\":\"InternalError\",\"message\":\"out of memory\",\"text\":"
                       "\"InternalError: out of memory\",\"frames\":[]}}");
        status = WH_FAILED;
        g.frame.flags = 0;
        attachments.len = 0;
    }
    if (status != WH_WAITING && leaves_no_room()) g.frame.flags |= WH_FRAME_FULL;
    attachments_resolve();
    g.frame.status = status;
    g.frame.head = (struct wh_span){(uint32_t)(uintptr_t)head.p, (uint32_t)head.len};
    g.frame.attachments_len = attachments.len;
    g.frame.attachments = (uint32_t)(uintptr_t)attachments.spans;
    return &g.frame;
}

static const struct wh_frame *result_waiting(void) {
    head.len = 0;
    buf_lit(&head, "{\"timer\":");
    if (timers.len) {
        int64_t left = timers.heap[0].due - monotonic();
        buf_printf(&head, "%lld", (long long)(left > 0 ? left : 0));
    } else {
        buf_lit(&head, "null");
    }
    buf_printf(&head, ",\"pending\":%u%s}", calls.len, calls.len && timers.len && !timer_is_ours() ? ",\"held\":true" : "");
    return result_end(WH_WAITING);
}

/* The name of a function, as far as it is plain data: no code of the guest is asked. */
static void put_timer_name(JSContext *ctx, struct buf *b, JSValueConst func) {
    enum { MOST = 60 };
    JSValue name = own_data(ctx, func, "name");
    JSValue flat = JS_IsString(name) ? flat_string(ctx, name) : JS_UNDEFINED;
    JSString *s = JS_IsString(flat) ? JS_VALUE_GET_STRING(flat) : NULL;
    uint32_t i = 0;
    char tmp[4];
    if (JS_IsException(flat)) JS_FreeValue(ctx, JS_GetException(ctx));
    if (!s || !s->len) buf_lit(b, "(anonymous)");
    else
        while (i < s->len && i < MOST) {
            uint32_t c = str_next(s, &i);
            buf_put(b, tmp, utf8_put(tmp, is_lead(c) || is_trail(c) ? 0xfffd : c));
        }
    JS_FreeValue(ctx, flat);
    JS_FreeValue(ctx, name);
}

/* Tells in the head of a cell that has ended which timers are left, some of them by name. */
static const struct wh_frame *result_tell_timers(JSContext *ctx, const struct wh_frame *f) {
    enum { NAMED = 5 };
    struct buf note = {0};
    size_t before = head.len;
    bool one = timers.len == 1;
    if (!timers.len || before < 2) return f;
    buf_printf(&note, "%u timer%s held: ", timers.len, one ? " is" : "s are");
    for (uint32_t i = 0; i < timers.len && i < NAMED; i++) {
        if (i) buf_lit(&note, ", ");
        put_timer_name(ctx, &note, timers.heap[i].func);
    }
    buf_str(&note, timers.len > NAMED ? ", ...; " : "; ");
    buf_str(&note, one ? "it goes" : "they go");
    buf_lit(&note, " on when a later cell awaits");
    head.len--;
    buf_str(&head, before > 2 ? ",\"notes\":[" : "\"notes\":[");
    json_utf8(&head, note.p ? note.p : "", note.len);
    buf_lit(&head, "]}");
    if (head.failed || note.failed) { /* no memory: the result is worth more than the note */
        head.failed = false;
        head.len = before;
        head.p[before - 1] = '}';
    }
    buf_free(&note);
    g.frame.head = (struct wh_span){(uint32_t)(uintptr_t)head.p, (uint32_t)head.len};
    return f;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* s as JSON, at most max characters of it. */
static void put_cut(JSString *s, uint32_t max) {
    if (s->len <= max) {
        json_string(&head, s);
        return;
    }
    g.frame.flags |= WH_FRAME_TRUNCATED;
    if (max && is_lead((uint32_t)string_get(s, (int)max - 1))) max--;
    JSValue cut = js_sub_string(g.ctx, s, 0, (int)max);
    if (JS_IsString(cut))
        json_string(&head, JS_VALUE_GET_STRING(cut));
    else
        buf_lit(&head, "\"\"");
    JS_FreeValue(g.ctx, JS_IsException(cut) ? JS_GetException(g.ctx) : cut);
}

static void put_text(JSContext *ctx, JSValueConst text) {
    JSValue flat = JS_IsString(text) ? flat_string(ctx, text) : JS_UNDEFINED;
    if (JS_IsString(flat))
        put_cut(JS_VALUE_GET_STRING(flat), g.in.text_chars);
    else
        buf_lit(&head, "\"\"");
    JS_FreeValue(ctx, flat);
}

/* The quote that needs the least escaping, as the inspector chooses it. */
static char quote_for(JSString *s) {
    bool single = false, dbl = false, back = false, dollar = false;
    for (uint32_t i = 0; i < s->len; i++) {
        uint32_t c = (uint32_t)string_get(s, (int)i);
        single |= c == '\'';
        dbl |= c == '"';
        back |= c == '`';
        dollar |= c == '$' && i + 1 < s->len && string_get(s, (int)i + 1) == '{';
    }
    return !single ? '\'' : !dbl ? '"' : !back && !dollar ? '`' : '\'';
}

static void quoted_char(struct buf *b, uint32_t c, char quote) {
    static const char names[] = "btn\0fr";
    char tmp[4];
    if (c == (uint8_t)quote || c == '\\')
        buf_printf(b, "\\%c", (char)c);
    else if (c >= 8 && c <= 13 && names[c - 8])
        buf_printf(b, "\\%c", names[c - 8]);
    else if (c < 32 || (c >= 127 && c < 160))
        buf_printf(b, "\\x%02X", c);
    else if (is_lead(c) || is_trail(c))
        buf_printf(b, "\\u%04x", c);
    else
        buf_put(b, tmp, utf8_put(tmp, c));
}

static void put_quoted(JSString *s) {
    char first[512];
    struct buf b;
    char quote = quote_for(s);
    buf_init(&b, first, sizeof first);
    buf_putc(&b, quote);
    for (uint32_t i = 0; i < s->len;) quoted_char(&b, str_next(s, &i), quote);
    buf_putc(&b, quote);
    json_utf8(&head, b.p, b.len);
    buf_free(&b);
}

enum { PLAIN_STRING = 76 }; /* longer ones may be broken into lines or cut: the inspector's business */

static bool put_plain_text(JSContext *ctx, JSValueConst v) {
    if (JS_IsObject(v) || JS_IsSymbol(v) || JS_IsBigInt(v) || g.in.text_chars < 512) return false;
    if (JS_VALUE_GET_TAG(v) == JS_TAG_STRING) {
        if (JS_VALUE_GET_STRING(v)->len > PLAIN_STRING) return false;
        put_quoted(JS_VALUE_GET_STRING(v));
        return true;
    }
    if (JS_IsString(v)) return false;
    char first[64];
    struct buf b;
    buf_init(&b, first, sizeof first);
    put_bare(&b, ctx, v);
    json_utf8(&head, b.p, b.len);
    buf_free(&b);
    return true;
}

/* ---- a value ----------------------------------------------------------------------------------------------------- */

/* NULL: to be tried again when g.inside has settled; or something was thrown (thrown is set); or a stop. */
static const struct wh_frame *result_value(JSContext *ctx, JSValueConst v, bool can_wait, JSValue *thrown) {
    head.len = 0;
    if (JS_IsUndefined(v)) {
        buf_lit(&head, "{}");
        return result_end(WH_DONE);
    }
    struct encoder e;
    attachments_free(ctx);
    g.frame.flags = 0;
    buf_lit(&head, "{\"v\":");
    encoder_init(&e, ctx, &head, g.in.value_bytes, g.in.value_depth);
    int r = enc_value(&e, v);
    *thrown = e.thrown;
    set_value(ctx, &g.inside, e.waits);
    if (!JS_IsUninitialized(e.thrown) || e.stopped || (can_wait && !JS_IsUndefined(e.waits))) return NULL;
    if (r) {
        g.frame.flags |= WH_FRAME_TRUNCATED;
        attachments_free(ctx);
        head.len = 1;
        head.failed = false;
    } else {
        if (e.tags) g.frame.flags |= WH_FRAME_TAGS;
        buf_putc(&head, ',');
    }
    buf_lit(&head, "\"t\":");
    if (!put_plain_text(ctx, v)) {
        JSValueConst args[2] = {v, js_uint32(g.in.text_chars)};
        JSValue text = inner_call(g.fn[FN_INSPECT], 2, args);
        if (JS_IsException(text)) {
            if (!took_stop(ctx)) *thrown = JS_GetException(ctx);
            return NULL;
        }
        put_text(ctx, text);
        JS_FreeValue(ctx, text);
    }
    buf_putc(&head, '}');
    return result_end(WH_DONE);
}

/* ---- a failure --------------------------------------------------------------------------------------------------- */

static void put_failure(const char *type, const char *message, const struct buf *frames_text, const struct buf *frames_json) {
    struct buf text = {0};
    head.len = 0;
    buf_lit(&head, "{\"e\":{\"type\":");
    json_cstr(&head, type);
    buf_lit(&head, ",\"message\":");
    json_cstr(&head, message);
    buf_str(&text, type);
    buf_lit(&text, ": ");
    buf_str(&text, message);
    buf_put(&text, frames_text->p, frames_text->len);
    buf_lit(&head, ",\"text\":");
    json_utf8(&head, text.p, text.len);
    buf_lit(&head, ",\"frames\":[");
    buf_put(&head, frames_json->p, frames_json->len);
    buf_lit(&head, "]}}");
    buf_free(&text);
}

static const struct wh_frame *result_error(const char *type, const char *message) {
    struct buf none = {0};
    put_failure(type, message, &none, &none);
    return result_end(WH_FAILED);
}

/* Stopped by the host. No guest code and no machinery in JavaScript may run here: the flag is still set. */
static const struct wh_frame *result_stopped(JSContext *ctx, JSValueConst error) {
    struct buf text = {0}, json = {0};
    stack_visit(ctx, error, frame_text, &text);
    stack_visit(ctx, error, frame_json, &json);
    if (!text.len) {
        suspended_each(ctx, frame_text, &text);
        suspended_each(ctx, frame_json, &json);
    }
    attachments_free(ctx);
    g.frame.flags = 0;
    put_failure("InterruptedError", "stopped", &text, &json);
    buf_free(&text);
    buf_free(&json);
    return result_end(WH_FAILED);
}

/* A cell that waits is ended; message NULL: because it would wait for ever. */
static const struct wh_frame *result_abandoned(JSContext *ctx, const char *type, const char *message) {
    struct buf text = {0}, json = {0};
    char why[160];
    uint32_t line = suspended_each(ctx, frame_text, &text);
    suspended_each(ctx, frame_json, &json);
    if (!message) {
        char at[32] = "";
        if (line) snprintf(at, sizeof at, " in line %u", line);
        snprintf(why, sizeof why, "the promise awaited%s can never settle: no timer and no call is pending", at);
        message = why;
    }
    put_failure(type, message, &text, &json);
    buf_free(&text);
    buf_free(&json);
    return result_end(WH_FAILED);
}

/* For an error of the parser in this cell: the line and a caret, as node prints them. */
static void put_caret(struct buf *b, const struct frame *f) {
    const uint32_t wide = 100; /* a minified line is shown around the error only */
    size_t n;
    const char *line = f->name_len || f->cell != g.cell || b->len ? NULL : source_line(f->cell, f->line, &n);
    if (!line) return;
    size_t at = f->byte ? f->byte - 1 : 0, from = 0;
    if (at > n) at = n;
    if (at > wide) from = at - wide / 2;
    while (from > 0 && from < n && ((uint8_t)line[from] & 0xc0) == 0x80) from--;
    size_t to = n - from > wide ? from + wide : n;
    while (to < n && to > from && ((uint8_t)line[to] & 0xc0) == 0x80) to--;
    buf_put(b, f->file, f->file_len);
    buf_printf(b, ":%u\n", f->line);
    buf_put(b, line + from, to - from);
    buf_putc(b, '\n');
    for (size_t i = from; i < at; i++)
        if (((uint8_t)line[i] & 0xc0) != 0x80) buf_putc(b, line[i] == '\t' ? '\t' : ' ');
    buf_lit(b, "^\n\n");
}

static JSValue without_prefix(JSContext *ctx, JSValueConst text, const char *prefix) {
    JSValue flat = JS_IsString(text) ? flat_string(ctx, text) : JS_UNDEFINED, r = JS_UNDEFINED;
    uint32_t n = (uint32_t)strlen(prefix);
    JSString *s = JS_IsString(flat) ? JS_VALUE_GET_STRING(flat) : NULL;
    if (s && s->len > n) r = js_sub_string(ctx, s, (int)n, (int)s->len);
    JS_FreeValue(ctx, flat);
    return r;
}

/* What was thrown, described. NULL: a stop while the guest's own code was asked. */
static const struct wh_frame *result_threw(JSContext *ctx, JSValueConst thrown) {
    struct buf caret = {0}, json = {0};
    reserve_give();
    if (g.exhausted && JS_IsNull(thrown)) return result_error("InternalError", "out of memory"); /* there was no room for an error */
    bool is_error = class_of(thrown) == JS_CLASS_ERROR || class_of(thrown) == JS_CLASS_DOM_EXCEPTION;
    if (is_error) stack_visit(ctx, thrown, put_caret, &caret);
    JSValueConst args[3] = {thrown, js_bool(caret.len > 0), js_uint32(g.in.text_chars)};
    JSValue text = inner_call(g.fn[FN_RENDER], 3, args);
    if (JS_IsException(text)) {
        buf_free(&caret);
        if (took_stop(ctx)) return NULL;
        JS_FreeValue(ctx, JS_GetException(ctx));
        text = is_error ? error_message(ctx, thrown) : type_name(ctx, thrown);
    }
    JSValue type = is_error ? error_name(ctx, thrown) : type_name(ctx, thrown);
    JSValue message = is_error ? error_message(ctx, thrown) : without_prefix(ctx, text, "Uncaught ");
    if (is_error) stack_visit(ctx, thrown, frame_json, &json);
    if (caret.len) text = JS_ConcatString(ctx, JS_NewStringLen(ctx, caret.p, caret.len), text);
    head.len = 0;
    g.frame.flags = 0;
    attachments_free(ctx);
    buf_lit(&head, "{\"e\":{\"type\":");
    put_text(ctx, type);
    buf_lit(&head, ",\"message\":");
    put_text(ctx, message);
    buf_lit(&head, ",\"text\":");
    put_text(ctx, text);
    buf_lit(&head, ",\"frames\":[");
    buf_put(&head, json.p, json.len);
    buf_lit(&head, "]}}");
    buf_free(&caret);
    buf_free(&json);
    JS_FreeValue(ctx, type);
    JS_FreeValue(ctx, message);
    JS_FreeValue(ctx, text);
    return result_end(WH_FAILED);
}

/* ---- what wh_resume brings --------------------------------------------------------------------------------------- */

/* [id, ok, value or error] */
static bool settle_one(JSContext *ctx, JSValueConst entry) {
    JSValue *part;
    uint32_t n;
    if (!js_get_fast_array(ctx, entry, &part, &n) || n != 3 || !JS_IsNumber(part[0])) return true;
    double id;
    JS_ToFloat64(ctx, &id, part[0]);
    bool ok = JS_VALUE_GET_TAG(part[1]) == JS_TAG_BOOL && JS_VALUE_GET_BOOL(part[1]);
    call_settle(ctx, (uint32_t)id, ok, part[2]);
    return true;
}

/* [id, name, input] */
static bool run_one(JSContext *ctx, JSValueConst entry) {
    JSValue *part;
    uint32_t n;
    if (!js_get_fast_array(ctx, entry, &part, &n) || n != 3 || !JS_IsNumber(part[0])) return true;
    double id;
    JS_ToFloat64(ctx, &id, part[0]);
    return handler_run(ctx, (uint32_t)id, part[1], part[2]);
}

static void copy_field(JSContext *ctx, JSValueConst from, const char *name, char *to, size_t cap) {
    struct buf b = {0};
    JSValue v = own_data(ctx, from, name);
    buf_utf8_of(&b, ctx, v);
    snprintf(to, cap, "%.*s", (int)b.len, b.p ? b.p : "");
    buf_free(&b);
    JS_FreeValue(ctx, v);
}

static void seed_from(const uint8_t seed[32]);

/* "seed": 64 hexadecimal digits. */
static void reseed(JSValueConst v) {
    JSString *s = JS_VALUE_GET_TAG(v) == JS_TAG_STRING ? JS_VALUE_GET_STRING(v) : NULL;
    uint8_t seed[32] = {0};
    if (!s || s->len != 64) return;
    for (int i = 0; i < 64; i++) {
        int c = string_get(s, i);
        seed[i / 2] = (uint8_t)(seed[i / 2] << 4 | (is_digit(c) ? c - '0' : (c | 32) - 'a' + 10));
    }
    seed_from(seed);
}

/* Settles what the host brings, and gives type and message if the cell is to end. false: an exception. */
static bool resume_read(JSContext *ctx, char *json, size_t len, char *type, size_t type_cap, char *message,
                        size_t message_cap) {
    JSValue *items, v = message_read(ctx, json, len);
    uint32_t n;
    bool ok = !JS_IsException(v);
    if (!obj_of(v)) {
        JS_FreeValue(ctx, v);
        return ok;
    }
    JSValue seed = own_data(ctx, v, "seed"), settle = own_data(ctx, v, "settle"), run = own_data(ctx, v, "run"), cancel = own_data(ctx, v, "cancel");
    reseed(seed);
    if (js_get_fast_array(ctx, settle, &items, &n))
        for (uint32_t i = 0; i < n && ok; i++) ok = settle_one(ctx, items[i]);
    if (js_get_fast_array(ctx, run, &items, &n))
        for (uint32_t i = 0; i < n && ok; i++) ok = run_one(ctx, items[i]);
    if (obj_of(cancel)) {
        copy_field(ctx, cancel, "type", type, type_cap);
        copy_field(ctx, cancel, "message", message, message_cap);
        if (!*type) snprintf(type, type_cap, "CancelledError");
    }
    JS_FreeValue(ctx, seed);
    JS_FreeValue(ctx, settle);
    JS_FreeValue(ctx, run);
    JS_FreeValue(ctx, cancel);
    JS_FreeValue(ctx, v);
    return ok;
}
