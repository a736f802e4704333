/* The parts of the web globals that are better in C: text codecs, random numbers, the clock. */

/* ---- TextEncoder ------------------------------------------------------------------------------------------- */

static JSValue new_uint8array(JSContext *ctx, const void *p, size_t n) {
    JSValue buffer = JS_NewArrayBufferCopy(ctx, p, n);
    if (JS_IsException(buffer)) return buffer;
    JSValue a = JS_NewTypedArray(ctx, 1, vc(&buffer), JS_TYPED_ARRAY_UINT8);
    JS_FreeValue(ctx, buffer);
    return a;
}

/* lib.utf8(string): its bytes as a Uint8Array. */
static JSValue lib_utf8(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    struct buf b = {0};
    (void)this_val, (void)argc;
    buf_utf8_of(&b, ctx, argv[0]);
    JSValue r = b.failed ? JS_ThrowOutOfMemory(ctx) : new_uint8array(ctx, b.p ? b.p : "", b.len);
    buf_free(&b);
    return r;
}

/* lib.utf8Into(string, Uint8Array): [units read, bytes written]. */
static JSValue lib_utf8_into(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct view w;
    JSObject *p = obj_of(argv[1]);
    if (!p || p->class_id != JS_CLASS_UINT8_ARRAY || !view_of(p, &w))
        return JS_ThrowTypeError(ctx, "The \"dest\" argument must be a Uint8Array");
    JSValue flat = flat_string(ctx, argv[0]);
    if (JS_IsException(flat)) return flat;
    JSString *s = JS_VALUE_GET_STRING(flat);
    char *to = w.len ? (char *)w.buffer->u.array_buffer->data + w.offset : NULL;
    uint32_t read = 0, written = 0;
    while (read < s->len) {
        uint32_t next = read;
        char tmp[4];
        uint32_t c = str_next(s, &next);
        size_t n = utf8_put(tmp, is_lead(c) || is_trail(c) ? 0xfffd : c);
        if (n > w.len - written) break;
        memcpy(to + written, tmp, n);
        written += (uint32_t)n;
        read = next;
    }
    JS_FreeValue(ctx, flat);
    JSValueConst pair[2] = {js_uint32(read), js_uint32(written)};
    JSValue source = js_create_array(ctx, 2, pair), list = copy_list(ctx, source);
    JS_FreeValue(ctx, source);
    return list;
}

/* ---- TextDecoder: the decoders of the Encoding standard ------------------------------------------------------ */

enum { ENC_UTF8, ENC_UTF16LE, ENC_UTF16BE, ENC_LATIN1 };

/* 0x80 to 0x9f of windows-1252, which is what the web calls latin1 */
static const uint16_t windows1252[32] = {
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008d, 0x017d, 0x008f,
    0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

struct decode {
    StringBuffer out;
    const uint8_t *p;
    size_t len, at;
    bool flush, bad; /* bad: something was malformed */
};

static void decode_bad(struct decode *d) {
    d->bad = true;
    string_buffer_putc16(&d->out, 0xfffd);
}

/* How many bytes follow a lead byte, and what the first of them may be. */
static int utf8_lead(uint8_t c, uint8_t *lo, uint8_t *hi) {
    *lo = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    *hi = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    return c >= 0xc2 && c <= 0xdf ? 1 : c >= 0xe0 && c <= 0xef ? 2 : c >= 0xf0 && c <= 0xf4 ? 3 : -1;
}

/* One sequence that is not ASCII; false: it is incomplete and more may come. */
static bool decode_utf8_seq(struct decode *d) {
    uint8_t c = d->p[d->at], lo, hi;
    int need = utf8_lead(c, &lo, &hi), have = 0;
    if (need < 0) {
        d->at++;
        decode_bad(d);
        return true;
    }
    uint32_t cp = c & (0x3f >> need);
    while (have < need && d->at + 1 + (size_t)have < d->len) {
        uint8_t t = d->p[d->at + 1 + (size_t)have];
        if (t < lo || t > hi) break;
        lo = 0x80, hi = 0xbf;
        cp = cp << 6 | (t & 0x3f);
        have++;
    }
    if (have < need && d->at + 1 + (size_t)have == d->len && !d->flush) return false;
    d->at += 1 + (size_t)have;
    if (have < need)
        decode_bad(d);
    else
        string_buffer_putc(&d->out, cp);
    return true;
}

static void decode_utf8(struct decode *d) {
    while (d->at < d->len) {
        size_t run = ascii_run(d->p + d->at, d->len - d->at);
        if (run) {
            string_buffer_write8(&d->out, d->p + d->at, (int)run);
            d->at += run;
        } else if (!decode_utf8_seq(d)) {
            return;
        }
    }
}

static uint32_t unit_at(struct decode *d, size_t i, bool big) {
    return big ? (uint32_t)d->p[i] << 8 | d->p[i + 1] : (uint32_t)d->p[i + 1] << 8 | d->p[i];
}

static void decode_utf16(struct decode *d, bool big) {
    while (d->at + 1 < d->len) {
        uint32_t u = unit_at(d, d->at, big);
        if (is_lead(u)) {
            if (d->at + 3 >= d->len && !d->flush) return;
            uint32_t v = d->at + 3 < d->len ? unit_at(d, d->at + 2, big) : 0;
            if (is_trail(v)) {
                string_buffer_putc(&d->out, 0x10000 + ((u & 0x3ff) << 10) + (v & 0x3ff));
                d->at += 4;
                continue;
            }
        }
        d->at += 2;
        if (is_lead(u) || is_trail(u))
            decode_bad(d);
        else
            string_buffer_putc16(&d->out, u);
    }
    if (d->at < d->len && d->flush) {
        d->at = d->len;
        decode_bad(d);
    }
}

static void decode_latin1(struct decode *d) {
    for (; d->at < d->len; d->at++) {
        uint8_t c = d->p[d->at];
        string_buffer_putc16(&d->out, c >= 0x80 && c < 0xa0 ? windows1252[c - 0x80] : c);
    }
}

static void decode_run(struct decode *d, int encoding) {
    switch (encoding) {
    case ENC_UTF8: decode_utf8(d); break;
    case ENC_UTF16LE: decode_utf16(d, false); break;
    case ENC_UTF16BE: decode_utf16(d, true); break;
    default: decode_latin1(d);
    }
}

/* Bytes of any buffer source; false where it is none. */
static bool buffer_source(JSValueConst v, struct view *w) {
    JSObject *p = obj_of(v);
    return p && view_of(p, w);
}

/* lib.decode(encoding, bytes or undefined, bytes kept from before or undefined, flush): text, or [text, Uint8Array of the
 * bytes to keep]; null: the input is no buffer; false in place of the text: malformed. Keeps what it must without flush. */
static JSValue lib_decode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct view in = {0}, kept = {0};
    if (!JS_IsUndefined(argv[1]) && !buffer_source(argv[1], &in)) return JS_NULL;
    if (obj_of(argv[2])) buffer_source(argv[2], &kept);
    struct buf joined = {0};
    struct decode d = {.flush = JS_ToBool(ctx, argv[3]) > 0, .len = in.len};
    d.p = in.len ? in.buffer->u.array_buffer->data + in.offset : NULL;
    if (kept.len) {
        buf_put(&joined, kept.buffer->u.array_buffer->data + kept.offset, kept.len);
        if (in.len) buf_put(&joined, d.p, in.len);
        d.p = (const uint8_t *)joined.p;
        d.len = joined.len;
    }
    if (joined.failed || string_buffer_init(ctx, &d.out, (int)min_int(d.len, 1 << 20))) {
        buf_free(&joined);
        return JS_ThrowOutOfMemory(ctx);
    }
    decode_run(&d, JS_VALUE_GET_INT(argv[0]));
    JSValue items[3] = {string_buffer_end(&d.out), js_bool(d.bad), JS_UNDEFINED};
    if (d.at < d.len) items[2] = new_uint8array(ctx, d.p + d.at, d.len - d.at);
    buf_free(&joined);
    if (JS_IsException(items[0])) return JS_EXCEPTION;
    JSValue list = JS_NewArrayFrom(ctx, countof(items), items);
    if (!JS_IsException(list)) JS_SetPrototypeInternal(ctx, list, JS_NULL, false);
    return list;
}

/* ---- crypto -------------------------------------------------------------------------------------------------- */

static JSValue crypto_get_random_values(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val;
    struct view w;
    JSObject *p = argc > 0 ? obj_of(argv[0]) : NULL;
    bool ints = p && p->class_id >= JS_CLASS_UINT8C_ARRAY && p->class_id <= JS_CLASS_BIG_UINT64_ARRAY;
    if (!ints) return JS_ThrowDOMException(ctx, "TypeMismatchError", "The data argument must be an integer-type TypedArray");
    view_of(p, &w);
    if (w.len > 65536)
        return JS_ThrowDOMException(ctx, "QuotaExceededError", "The requested length exceeds 65,536 bytes");
    if (w.len) wh_host_random(w.buffer->u.array_buffer->data + w.offset, w.len);
    return js_dup(argv[0]);
}

static JSValue crypto_random_uuid(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    uint8_t r[16];
    char text[40], *p = text;
    wh_host_random(r, sizeof r);
    r[6] = (uint8_t)((r[6] & 0x0f) | 0x40);
    r[8] = (uint8_t)((r[8] & 0x3f) | 0x80);
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *p++ = '-';
        *p++ = "0123456789abcdef"[r[i] >> 4];
        *p++ = "0123456789abcdef"[r[i] & 15];
    }
    return js_new_string8_len(ctx, text, (int)(p - text));
}

static const JSCFunctionListEntry crypto_funcs[] = {
    JS_CFUNC_DEF("getRandomValues", 1, crypto_get_random_values),
    JS_CFUNC_DEF("randomUUID", 0, crypto_random_uuid),
    JS_PROP_STRING_DEF("[Symbol.toStringTag]", "Crypto", JS_PROP_CONFIGURABLE),
};

/* ---- performance ----------------------------------------------------------------------------------------------- */

static JSValue performance_now(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_val, (void)argc, (void)argv;
    return js_float64((double)(wh_host_clock(1) - g.origin_monotonic) / 1e6);
}

static JSValue performance_time_origin(JSContext *ctx, JSValueConst this_val) {
    (void)ctx, (void)this_val;
    return js_float64((double)g.origin_real / 1e6);
}

static JSValue performance_to_json(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    JSValue r = JS_NewObject(ctx);
    JS_DefinePropertyValueStr(ctx, r, "timeOrigin", performance_time_origin(ctx, JS_UNDEFINED), JS_PROP_C_W_E);
    return r;
}

static const JSCFunctionListEntry performance_funcs[] = {
    JS_CFUNC_DEF("now", 0, performance_now),
    JS_CGETSET_DEF("timeOrigin", performance_time_origin, NULL),
    JS_CFUNC_DEF("toJSON", 0, performance_to_json),
    JS_PROP_STRING_DEF("[Symbol.toStringTag]", "Performance", JS_PROP_CONFIGURABLE),
};
