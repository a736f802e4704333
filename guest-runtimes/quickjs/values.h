/* Values on their way out: JSON with tagged values and attachments, as docs/values.md says.
 *
 * Guest code can run in the middle (getters, proxies), throw, loop, or change what is being walked. So: nothing is kept
 * across a step but counted references, counts are read again at each step, every throw becomes text in its place, and the
 * stop flag is looked at. */

#define LONG_TEXT 4096 /* characters from which on a text may be an attachment */
#define MAX_DEPTH 200 /* of value_depth: nested JSON must still be parsed by the host */

struct attachment {
    JSValue buffer; /* the ArrayBuffer, or undefined: then bytes were copied */
    uint8_t *copy;
    uint32_t offset, len;
};

struct encoder {
    JSContext *ctx;
    struct buf *out;
    size_t start, limit, attached; /* where the value begins in out; bytes allowed; bytes of attachments */
    uint32_t depth, max_depth, ticks;
    uint32_t first; /* its own attachments begin here: a call may be made while a value is encoded */
    bool tags, over, stopped;
    bool long_text; /* long texts are attachments: for messages, not for results */
    JSValue waits; /* the first promise inside the value that is still pending, if any */
    JSValue thrown; /* the reason of the first rejected promise inside the value */
    JSObject *path[MAX_DEPTH];
};

static struct {
    struct attachment *items;
    struct wh_span *spans;
    uint32_t len, cap;
} attachments HOT;

static int enc_value(struct encoder *e, JSValueConst v);

static void attachments_cut(JSContext *ctx, uint32_t len) {
    while (attachments.len > len) {
        struct attachment *a = &attachments.items[--attachments.len];
        JS_FreeValue(ctx, a->buffer);
        free(a->copy);
    }
}

static void attachments_free(JSContext *ctx) { attachments_cut(ctx, 0); }

/* Spans of the attachments. Computed last: a buffer may have moved or shrunk since it was met. */
static void attachments_resolve(void) {
    for (uint32_t i = 0; i < attachments.len; i++) {
        struct attachment *a = &attachments.items[i];
        struct wh_span *s = &attachments.spans[i];
        if (a->copy) {
            *s = (struct wh_span){(uint32_t)(uintptr_t)a->copy, a->len};
            continue;
        }
        JSArrayBuffer *ab = JS_VALUE_GET_OBJ(a->buffer)->u.array_buffer;
        uint32_t have = ab->detached ? 0 : (uint32_t)ab->byte_length;
        bool fits = a->offset <= have && a->len <= have - a->offset;
        *s = fits && a->len ? (struct wh_span){(uint32_t)(uintptr_t)(ab->data + a->offset), a->len} : (struct wh_span){0};
    }
}

static int enc_over(struct encoder *e) {
    e->over = true;
    return -1;
}

/* After each value: is there still room, is there a stop? */
static inline int enc_check(struct encoder *e) {
    if (unlikely(e->out->len - e->start + e->attached > e->limit || e->out->failed)) return enc_over(e);
    if (unlikely((++e->ticks & 1023) == 0 && g.stop)) {
        e->stopped = true;
        return -1;
    }
    return 0;
}

static struct attachment *attach(struct encoder *e, uint32_t len) {
    if (attachments.len == attachments.cap) {
        uint32_t cap = attachments.cap ? attachments.cap * 2 : 8;
        void *items = realloc(attachments.items, cap * sizeof *attachments.items);
        if (items) attachments.items = items;
        void *spans = realloc(attachments.spans, cap * sizeof *attachments.spans);
        if (spans) attachments.spans = spans;
        if (!items || !spans) return NULL;
        attachments.cap = cap;
    }
    e->attached += len;
    struct attachment *a = &attachments.items[attachments.len++];
    *a = (struct attachment){.buffer = JS_UNDEFINED, .len = len};
    return a;
}

/* ---- pieces ------------------------------------------------------------------------------------------------ */

static void enc_tag(struct encoder *e, const char *name) {
    e->tags = true;
    buf_lit(e->out, "{\"$wasmhost\":\"");
    buf_str(e->out, name);
    buf_lit(e->out, "\"");
}

/* False: has to be JSON. */
static bool enc_long_text(struct encoder *e, JSString *s) {
    struct buf b = {0};
    struct attachment *a = s->len <= e->limit && buf_utf8(&b, s) && !b.failed ? attach(e, (uint32_t)b.len) : NULL;
    if (!a) {
        buf_free(&b);
        return false;
    }
    a->copy = (uint8_t *)b.p;
    enc_tag(e, "text");
    buf_printf(e->out, ",\"at\":%u}", attachments.len - 1 - e->first);
    return true;
}

static void enc_string(struct encoder *e, JSString *s) {
    if (likely(s->len < LONG_TEXT) || !e->long_text || !enc_long_text(e, s)) json_string(e->out, s);
}

/* Text of a string value; takes the reference. */
static void enc_text(struct encoder *e, JSValue s) {
    JSValue flat = JS_IsString(s) ? flat_string(e->ctx, s) : JS_UNDEFINED;
    if (JS_IsString(flat))
        json_string(e->out, JS_VALUE_GET_STRING(flat));
    else
        buf_lit(e->out, "\"\"");
    JS_FreeValue(e->ctx, flat);
    JS_FreeValue(e->ctx, s);
}

/* text is plain ASCII without quotes */
static int enc_opaque(struct encoder *e, JSValueConst v, const char *text) {
    enc_tag(e, "opaque");
    buf_lit(e->out, ",\"type\":");
    enc_text(e, type_name(e->ctx, v));
    buf_lit(e->out, ",\"v\":");
    json_cstr(e->out, text);
    buf_putc(e->out, '}');
    return 0;
}

/* [before name after] as an opaque; takes the reference of name. */
static int enc_opaque_named(struct encoder *e, JSValueConst v, const char *before, JSValue name, const char *after) {
    JSValue text = JS_ConcatString3(e->ctx, before, name, after);
    if (JS_IsException(text)) JS_FreeValue(e->ctx, JS_GetException(e->ctx));
    enc_tag(e, "opaque");
    buf_lit(e->out, ",\"type\":");
    enc_text(e, type_name(e->ctx, v));
    buf_lit(e->out, ",\"v\":");
    enc_text(e, text);
    buf_putc(e->out, '}');
    return 0;
}

/* What guest code threw while the value was read. Uncatchable: a stop. */
static int enc_thrown(struct encoder *e, const char *where) {
    JSValue exc = JS_GetException(e->ctx);
    if (JS_IsUncatchableError(exc) || g.stop) {
        JS_FreeValue(e->ctx, exc);
        e->stopped = true;
        return -1;
    }
    JSValue what = JS_IsError(exc) ? error_message(e->ctx, exc) : JS_UNDEFINED;
    if (!JS_IsString(what)) what = type_name(e->ctx, exc);
    enc_tag(e, "opaque");
    buf_printf(e->out, ",\"type\":\"%s\",\"v\":", where);
    JSValue text = JS_ConcatString3(e->ctx, "[threw: ", what, "]");
    if (JS_IsException(text)) JS_FreeValue(e->ctx, JS_GetException(e->ctx));
    enc_text(e, text);
    buf_putc(e->out, '}');
    JS_FreeValue(e->ctx, exc);
    return 0;
}

static void enc_double(struct encoder *e, double d) {
    char tmp[64]; /* the shortest form of a double has at most 25 characters */
    JSDTOATempMem mem;
    if (d == 0 && signbit(d)) {
        buf_lit(e->out, "-0.0");
    } else if (isnan(d)) {
        buf_lit(e->out, "NaN");
    } else if (isinf(d)) {
        buf_str(e->out, d < 0 ? "-Infinity" : "Infinity");
    } else {
        int n = js_dtoa(tmp, d, 10, 0, JS_DTOA_FORMAT_FREE, &mem);
        buf_put(e->out, tmp, (size_t)n);
        /* Beyond 2^53 the shortest digits name another integer than the double: the host must not read them as one. */
        if (fabs(d) > 9007199254740991.0 && fabs(d) < 1e21) buf_lit(e->out, ".0");
    }
}

static void enc_int(struct encoder *e, int32_t v) {
    char tmp[16];
    size_t i = sizeof tmp;
    uint32_t u = v < 0 ? 0u - (uint32_t)v : (uint32_t)v;
    do tmp[--i] = (char)('0' + u % 10);
    while (u /= 10);
    if (v < 0) tmp[--i] = '-';
    buf_put(e->out, tmp + i, sizeof tmp - i);
}

/* "-0x1f": the limbs are binary, so this is linear in the length. */
static int enc_bigint(struct encoder *e, JSValueConst v) {
    JSValue s = js_bigint_to_string1(e->ctx, v, 16);
    if (JS_IsException(s)) return enc_thrown(e, "bigint");
    JSString *p = JS_VALUE_GET_STRING(s);
    const char *digits = (const char *)str8(p);
    bool neg = p->len && digits[0] == '-';
    enc_tag(e, "bigint");
    buf_lit(e->out, ",\"v\":\"");
    buf_str(e->out, neg ? "-0x" : "0x");
    buf_put(e->out, digits + neg, p->len - neg);
    buf_lit(e->out, "\"}");
    JS_FreeValue(e->ctx, s);
    return 0;
}

/* Days since the epoch to a date (proleptic Gregorian, eras of 400 years that begin in March). */
static void civil(int64_t days, int *y, int *m, int *d) {
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t doe = days - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    *d = (int)(doy - (153 * mp + 2) / 5 + 1);
    *m = (int)(mp < 10 ? mp + 3 : mp - 9);
    *y = (int)(yoe + era * 400 + (*m <= 2));
}

static int enc_date(struct encoder *e, JSObject *p) {
    JSValueConst v = JS_MKPTR(JS_TAG_OBJECT, p);
    double t = NAN;
    if (JS_IsNumber(p->u.object_data)) JS_ToFloat64(e->ctx, &t, p->u.object_data);
    if (isnan(t)) return enc_opaque(e, v, "Invalid Date");
    int64_t ms = (int64_t)t, day = ms / 86400000, rest = ms % 86400000;
    if (rest < 0) rest += 86400000, day--;
    int y, m, d, s = (int)(rest / 1000);
    civil(day, &y, &m, &d);
    char text[48];
    bool plain = y >= 1 && y <= 9999; /* what datetimes elsewhere can hold */
    snprintf(text, sizeof text, "%s%0*d-%02d-%02dT%02d:%02d:%02d.%03dZ", plain ? "" : y < 0 ? "-" : "+", plain ? 4 : 6,
             abs(y), m, d, s / 3600, s / 60 % 60, s % 60, (int)(rest % 1000));
    if (!plain) return enc_opaque(e, v, text);
    enc_tag(e, "datetime");
    buf_lit(e->out, ",\"v\":\"");
    buf_str(e->out, text);
    buf_lit(e->out, "\"}");
    return 0;
}

static int enc_regexp(struct encoder *e, JSValueConst v) {
    JSValue text = regexp_text(e->ctx, v);
    return JS_IsException(text) ? enc_thrown(e, "RegExp") : enc_opaque_named(e, v, "", text, "");
}

static int enc_function(struct encoder *e, JSValueConst v) {
    JSValue name = string_property(e->ctx, v, JS_ATOM_name);
    if (!JS_IsString(name) || JS_VALUE_GET_STRING(name)->len == 0) {
        JS_FreeValue(e->ctx, name);
        name = JS_NewString(e->ctx, "(anonymous)");
    }
    return enc_opaque_named(e, v, is_class(v) ? "[class " : "[Function: ", name, "]");
}

static int enc_symbol(struct encoder *e, JSValueConst v) {
    JSValue d = js_symbol_get_description(e->ctx, v);
    if (!JS_IsString(d)) d = JS_NewString(e->ctx, "");
    return enc_opaque_named(e, v, "Symbol(", d, ")");
}

static int enc_error(struct encoder *e, JSValueConst v) {
    enc_tag(e, "error");
    buf_lit(e->out, ",\"type\":");
    enc_text(e, error_name(e->ctx, v));
    buf_lit(e->out, ",\"message\":");
    enc_text(e, error_message(e->ctx, v));
    buf_putc(e->out, '}');
    return 0;
}

/* ---- bytes ------------------------------------------------------------------------------------------------- */

static const char *array_type(JSClassID id) {
    switch (id) {
    case JS_CLASS_INT8_ARRAY: return "i1";
    case JS_CLASS_INT16_ARRAY: return "i2";
    case JS_CLASS_UINT16_ARRAY: return "u2";
    case JS_CLASS_INT32_ARRAY: return "i4";
    case JS_CLASS_UINT32_ARRAY: return "u4";
    case JS_CLASS_BIG_INT64_ARRAY: return "i8";
    case JS_CLASS_BIG_UINT64_ARRAY: return "u8";
    case JS_CLASS_FLOAT16_ARRAY: /* widened: there is no f2 */
    case JS_CLASS_FLOAT32_ARRAY: return "f4";
    case JS_CLASS_FLOAT64_ARRAY: return "f8";
    default: return NULL; /* plain bytes */
    }
}

static struct attachment *attach_half_floats(struct encoder *e, struct view *w) {
    uint32_t n = w->len / 2;
    struct attachment *a = attach(e, n * 4);
    float *to = a ? malloc(n * 4 + 1) : NULL;
    if (!to) return NULL;
    const uint16_t *from = (const uint16_t *)(w->buffer->u.array_buffer->data + w->offset);
    for (uint32_t i = 0; i < n; i++) to[i] = (float)fromfp16(from[i]);
    a->copy = (uint8_t *)to;
    return a;
}

static int enc_bytes(struct encoder *e, JSObject *p) {
    struct view w;
    view_of(p, &w);
    if (w.len > e->limit) return enc_over(e);
    struct attachment *a;
    if (p->class_id == JS_CLASS_FLOAT16_ARRAY) {
        a = attach_half_floats(e, &w);
    } else if ((a = attach(e, w.len))) {
        a->buffer = js_dup(JS_MKPTR(JS_TAG_OBJECT, w.buffer));
        a->offset = w.offset;
    }
    if (!a) return enc_over(e);
    const char *type = array_type(p->class_id);
    enc_tag(e, type ? "array" : "bytes");
    if (type) buf_printf(e->out, ",\"type\":\"%s\"", type);
    buf_printf(e->out, ",\"at\":%u}", attachments.len - 1 - e->first);
    return 0;
}

/* ---- containers -------------------------------------------------------------------------------------------- */

/* undefined has no counterpart: in a list it is null, as a property it is left out */
static int enc_item(struct encoder *e, JSValueConst v) {
    if (JS_IsUndefined(v)) {
        buf_lit(e->out, "null");
        return enc_check(e);
    }
    return enc_value(e, v);
}

static int enc_fast_item(struct encoder *e, JSObject *p, uint32_t i) {
    JSValue item = i < p->u.array.count ? js_dup(p->u.array.u.values[i]) : JS_UNDEFINED;
    int r = enc_item(e, item);
    JS_FreeValue(e->ctx, item);
    return r;
}

static int enc_slow_item(struct encoder *e, JSValueConst v, int64_t i) {
    JSValue item = JS_GetPropertyInt64(e->ctx, v, i);
    if (JS_IsException(item)) return enc_thrown(e, "getter");
    int r = enc_item(e, item);
    JS_FreeValue(e->ctx, item);
    return r;
}

static int enc_array(struct encoder *e, JSValueConst v) {
    JSObject *p = JS_VALUE_GET_OBJ(v);
    int64_t n;
    if (js_get_length64(e->ctx, &n, v) < 0) return enc_thrown(e, "Array");
    if ((uint64_t)n * 2 > e->limit) return enc_over(e); /* a sparse array of any length is no work */
    buf_putc(e->out, '[');
    for (int64_t i = 0; i < n; i++) {
        if (i) buf_putc(e->out, ',');
        bool fast = p->class_id == JS_CLASS_ARRAY && p->fast_array;
        if (fast ? enc_fast_item(e, p, (uint32_t)i) : enc_slow_item(e, v, i)) return -1;
    }
    buf_putc(e->out, ']');
    return 0;
}

static void enc_key(struct encoder *e, JSAtom atom) {
    if (__JS_AtomIsTaggedInt(atom)) {
        buf_putc(e->out, '"');
        enc_int(e, (int32_t)__JS_AtomToUInt32(atom));
        buf_putc(e->out, '"');
    } else {
        json_string(e->out, e->ctx->rt->atom_array[atom]);
    }
}

/* One property; first tells whether a comma is due. */
static int enc_property(struct encoder *e, JSAtom atom, JSValueConst value, bool *first) {
    if (JS_IsUndefined(value)) return enc_check(e);
    if (!*first) buf_putc(e->out, ',');
    *first = false;
    enc_key(e, atom);
    buf_putc(e->out, ':');
    return enc_value(e, value);
}

static int enc_got_property(struct encoder *e, JSValueConst v, JSAtom atom, bool *first) {
    JSValue value = JS_GetProperty(e->ctx, v, atom);
    if (!JS_IsException(value)) {
        int r = enc_property(e, atom, value, first);
        JS_FreeValue(e->ctx, value);
        return r;
    }
    if (!*first) buf_putc(e->out, ',');
    *first = false;
    enc_key(e, atom);
    buf_putc(e->out, ':');
    return enc_thrown(e, "getter");
}

/* Properties in the order of the language through the general interface. */
static int enc_listed_properties(struct encoder *e, JSValueConst v) {
    JSPropertyEnum *tab;
    uint32_t n, i;
    bool first = true;
    int r = 0;
    if (JS_GetOwnPropertyNames(e->ctx, &tab, &n, v, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY)) return 1;
    buf_putc(e->out, '{');
    for (i = 0; i < n && r == 0; i++) r = enc_got_property(e, v, tab[i].atom, &first);
    buf_putc(e->out, '}');
    JS_FreePropertyEnum(e->ctx, tab, n);
    return r;
}

/* A plain object whose properties lie in its shape in the order of the language: no index-like key, none hidden elsewhere. */
static bool is_simple(JSContext *ctx, JSObject *p) {
    if (p->is_exotic || p->fast_array) return false;
    JSShapeProperty *prs = get_shape_prop(p->shape);
    uint32_t index;
    for (int i = 0; i < p->shape->prop_count; i++)
        if (prs[i].atom != JS_ATOM_NULL && JS_AtomIsArrayIndex(ctx, &index, prs[i].atom)) return false;
    return true;
}

static int enc_simple_property(struct encoder *e, JSObject *p, int i, bool *first) {
    JSShapeProperty *prs = &get_shape_prop(p->shape)[i];
    if (prs->atom == JS_ATOM_NULL || !(prs->flags & JS_PROP_ENUMERABLE)) return 0;
    if (JS_AtomGetKind(e->ctx, prs->atom) != JS_ATOM_KIND_STRING) return 0;
    JSAtom atom = JS_DupAtom(e->ctx, prs->atom);
    int r;
    if ((prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL) {
        JSValue value = js_dup(p->prop[i].u.value);
        r = enc_property(e, atom, value, first);
        JS_FreeValue(e->ctx, value);
    } else {
        r = enc_got_property(e, JS_MKPTR(JS_TAG_OBJECT, p), atom, first);
    }
    JS_FreeAtom(e->ctx, atom);
    return r;
}

static int enc_properties(struct encoder *e, JSValueConst v) {
    JSObject *p = JS_VALUE_GET_OBJ(v);
    if (!is_simple(e->ctx, p)) {
        int r = enc_listed_properties(e, v);
        return r > 0 ? enc_thrown(e, "object") : r;
    }
    bool first = true;
    buf_putc(e->out, '{');
    for (int i = 0; i < p->shape->prop_count; i++) /* a getter may change the shape: read again each time */
        if (enc_simple_property(e, p, i, &first)) return -1;
    buf_putc(e->out, '}');
    return 0;
}

static int enc_object(struct encoder *e, JSValueConst v) {
    JSObject *p = JS_VALUE_GET_OBJ(v);
    bool marked = p->class_id != JS_CLASS_PROXY && find_own_property1(p, g.tag_atom);
    if (marked) {
        enc_tag(e, "object");
        buf_lit(e->out, ",\"v\":");
    }
    int r = enc_properties(e, v);
    if (marked) buf_putc(e->out, '}');
    return r;
}

static int enc_record(struct encoder *e, JSMapRecord *mr, bool is_set) {
    JSValue key = js_dup(mr->key), value = is_set ? JS_UNDEFINED : js_dup(mr->value);
    if (!is_set) buf_putc(e->out, '[');
    int r = enc_item(e, key);
    if (r == 0 && !is_set) {
        buf_putc(e->out, ',');
        r = enc_item(e, value);
        buf_putc(e->out, ']');
    }
    JS_FreeValue(e->ctx, key);
    JS_FreeValue(e->ctx, value);
    return r;
}

static int enc_collection(struct encoder *e, JSObject *p) {
    JSMapState *s = p->u.map_state;
    bool is_set = p->class_id == JS_CLASS_SET, first = true;
    int r = 0;
    enc_tag(e, is_set ? "set" : "map");
    buf_lit(e->out, ",\"v\":[");
    for (struct list_head *el = s->records.next; el != &s->records && r == 0;) {
        JSMapRecord *mr = list_entry(el, JSMapRecord, link);
        mr->ref_count++; /* locked: guest code may delete it meanwhile */
        if (!mr->empty) {
            if (!first) buf_putc(e->out, ',');
            first = false;
            r = enc_record(e, mr, is_set);
        }
        el = el->next;
        map_decref_record(e->ctx->rt, mr);
    }
    buf_lit(e->out, "]}");
    return r;
}

/* A promise inside a value stands for what it settles to; the host is asked to wait for pending ones. */
static int enc_promise(struct encoder *e, JSValueConst v) {
    JSPromiseData *s = JS_VALUE_GET_OBJ(v)->u.promise_data;
    if (s->promise_state == JS_PROMISE_FULFILLED) {
        JSValue result = js_dup(s->promise_result);
        int r = enc_item(e, result);
        JS_FreeValue(e->ctx, result);
        return r;
    }
    if (s->promise_state == JS_PROMISE_PENDING) {
        if (JS_IsUndefined(e->waits)) e->waits = js_dup(v);
        return enc_opaque(e, v, "Promise { <pending> }");
    }
    JS_PromiseMarkAsHandled(e->ctx, v);
    if (JS_IsUninitialized(e->thrown)) e->thrown = js_dup(s->promise_result);
    return enc_opaque(e, v, "Promise { <rejected> }");
}

static int enc_inside(struct encoder *e, JSValueConst v) {
    JSObject *p = JS_VALUE_GET_OBJ(v);
    switch (p->class_id) {
    case JS_CLASS_ARRAY:
    case JS_CLASS_ARGUMENTS:
    case JS_CLASS_MAPPED_ARGUMENTS: return enc_array(e, v);
    case JS_CLASS_MAP:
    case JS_CLASS_SET: return enc_collection(e, p);
    case JS_CLASS_PROMISE: return enc_promise(e, v);
    case JS_CLASS_PROXY: {
        int is_array = js_is_array(e->ctx, v);
        if (is_array < 0) return enc_thrown(e, "Proxy");
        return is_array ? enc_array(e, v) : enc_object(e, v);
    }
    default: return enc_object(e, v);
    }
}

static int enc_container(struct encoder *e, JSValueConst v) {
    JSObject *p = JS_VALUE_GET_OBJ(v);
    for (uint32_t i = 0; i < e->depth; i++)
        if (e->path[i] == p) return enc_opaque(e, v, "[Circular]");
    if (e->depth >= e->max_depth || js_check_stack_overflow(e->ctx->rt, 0))
        return enc_opaque_named(e, v, "[", type_name(e->ctx, v), "]");
    e->path[e->depth++] = p;
    int r = enc_inside(e, v);
    e->depth--;
    return r;
}

/* Objects of the prelude that hold their content in private: shown as their text, where their class gives one. */
static int enc_plain_or_registered(struct encoder *e, JSValueConst v) {
    struct registered *r = registered_of(e->ctx, JS_VALUE_GET_OBJ(v));
    if (r && JS_IsFunction(e->ctx, r->to_text)) {
        JSValue text = JS_Call(e->ctx, r->to_text, v, 0, NULL);
        if (JS_IsString(text)) return enc_opaque_named(e, v, "", text, "");
        JS_FreeValue(e->ctx, JS_IsException(text) ? JS_GetException(e->ctx) : text); /* a look-alike: Object.create(proto) */
    }
    return enc_container(e, v);
}

static int enc_of_object(struct encoder *e, JSValueConst v) {
    JSObject *p = JS_VALUE_GET_OBJ(v);
    switch (p->class_id) {
    case JS_CLASS_NUMBER:
    case JS_CLASS_STRING:
    case JS_CLASS_BOOLEAN:
    case JS_CLASS_SYMBOL:
    case JS_CLASS_BIG_INT: return enc_value(e, p->u.object_data);
    case JS_CLASS_DATE: return enc_date(e, p);
    case JS_CLASS_REGEXP: return enc_regexp(e, v);
    case JS_CLASS_ERROR:
    case JS_CLASS_DOM_EXCEPTION: return enc_error(e, v);
    case JS_CLASS_OBJECT: return enc_plain_or_registered(e, v);
    case JS_CLASS_ARRAY:
    case JS_CLASS_ARGUMENTS:
    case JS_CLASS_MAPPED_ARGUMENTS:
    case JS_CLASS_MAP:
    case JS_CLASS_SET:
    case JS_CLASS_PROMISE: return enc_container(e, v);
    case JS_CLASS_PROXY: return JS_IsFunction(e->ctx, v) ? enc_opaque(e, v, "[Function]") : enc_container(e, v);
    }
    if (is_typed_array(p->class_id) || p->class_id == JS_CLASS_ARRAY_BUFFER || p->class_id == JS_CLASS_DATAVIEW)
        return enc_bytes(e, p);
    if (JS_IsFunction(e->ctx, v)) return enc_function(e, v);
    return enc_opaque_named(e, v, "[", JS_AtomToString(e->ctx, e->ctx->rt->class_array[p->class_id].class_name), "]");
}

static void enc_rope(struct encoder *e, JSValueConst v) {
    JSValue flat = flat_string(e->ctx, v);
    if (JS_IsString(flat)) enc_string(e, JS_VALUE_GET_STRING(flat));
    else buf_lit(e->out, "\"\"");
    JS_FreeValue(e->ctx, flat);
}

static int enc_value(struct encoder *e, JSValueConst v) {
    int r = 0;
    switch (JS_VALUE_GET_NORM_TAG(v)) {
    case JS_TAG_INT: enc_int(e, JS_VALUE_GET_INT(v)); break;
    case JS_TAG_FLOAT64: enc_double(e, JS_VALUE_GET_FLOAT64(v)); break;
    case JS_TAG_BOOL: buf_str(e->out, JS_VALUE_GET_BOOL(v) ? "true" : "false"); break;
    case JS_TAG_NULL: buf_lit(e->out, "null"); break;
    case JS_TAG_STRING: enc_string(e, JS_VALUE_GET_STRING(v)); break;
    case JS_TAG_STRING_ROPE: enc_rope(e, v); break;
    case JS_TAG_SHORT_BIG_INT:
    case JS_TAG_BIG_INT: r = enc_bigint(e, v); break;
    case JS_TAG_SYMBOL: r = enc_symbol(e, v); break;
    case JS_TAG_OBJECT: r = enc_of_object(e, v); break;
    default: buf_lit(e->out, "null"); /* undefined at the top is handled by the caller */
    }
    return r ? r : enc_check(e);
}

static void encoder_init(struct encoder *e, JSContext *ctx, struct buf *out, size_t limit, uint32_t depth) {
    e->ctx = ctx;
    e->out = out;
    e->start = out->len;
    e->limit = limit;
    e->attached = 0;
    e->first = attachments.len;
    e->depth = 0;
    e->max_depth = depth < MAX_DEPTH ? depth : MAX_DEPTH;
    e->ticks = 0;
    e->tags = e->over = e->stopped = e->long_text = false;
    e->waits = JS_UNDEFINED;
    e->thrown = JS_UNINITIALIZED;
}
