/* Values on their way in: what the host sends is JSON with the tags of docs/values.md. The tree that the JSON parser makes is
 * nobody else's yet, so it is changed in place. */

static JSValue decode_value(JSContext *ctx, JSValue v);

static JSValue own_data(JSContext *ctx, JSValueConst v, const char *name) {
    JSAtom atom = JS_NewAtom(ctx, name);
    JSProperty *pr;
    JSShapeProperty *prs = find_own_property(&pr, JS_VALUE_GET_OBJ(v), atom);
    JSValue r = prs && (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL ? js_dup(pr->u.value) : JS_UNDEFINED;
    JS_FreeAtom(ctx, atom);
    return r;
}

static bool string_is(JSValueConst v, const char *s) {
    JSString *p = JS_VALUE_GET_TAG(v) == JS_TAG_STRING ? JS_VALUE_GET_STRING(v) : NULL;
    return p && !p->is_wide_char && p->len == strlen(s) && !memcmp(str8(p), s, p->len);
}

static JSValue construct(JSContext *ctx, int class_id, JSValueConst arg) {
    JSValue ctor = JS_GetProperty(ctx, ctx->class_proto[class_id], JS_ATOM_constructor);
    JSValue r = JS_IsException(ctor) ? ctor : JS_CallConstructor(ctx, ctor, 1, &arg);
    JS_FreeValue(ctx, ctor);
    return r;
}

static JSValue decode_error(JSContext *ctx, JSValueConst v) {
    JSValue type = own_data(ctx, v, "type"), message = own_data(ctx, v, "message");
    struct buf b = {0};
    buf_utf8_of(&b, ctx, message);
    buf_putc(&b, 0);
    JSErrorEnum kind = error_kind(type);
    JSValue e = JS_MakeError2(ctx, kind, true, b.p ? b.p : "");
    if (!JS_IsException(e) && kind == JS_PLAIN_ERROR && JS_IsString(type) && !string_is(type, "Error"))
        JS_DefinePropertyValue(ctx, e, JS_ATOM_name, js_dup(type), JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    buf_free(&b);
    JS_FreeValue(ctx, type);
    JS_FreeValue(ctx, message);
    return e;
}

static JSValue decode_float(JSValueConst v) {
    return string_is(v, "NaN") ? JS_NAN : string_is(v, "-0") ? js_float64(-0.0)
         : js_float64(string_is(v, "-Infinity") ? -INFINITY : INFINITY);
}

static JSValue decode_units(JSContext *ctx, JSValueConst v) {
    JSValue *items;
    uint32_t n;
    StringBuffer b;
    if (!js_get_fast_array(ctx, v, &items, &n) || string_buffer_init(ctx, &b, (int)n)) return JS_UNDEFINED;
    for (uint32_t i = 0; i < n; i++) {
        int32_t unit = 0xfffd;
        if (JS_IsNumber(items[i])) JS_ToInt32(ctx, &unit, items[i]);
        string_buffer_putc16(&b, (uint32_t)unit & 0xffff);
    }
    return string_buffer_end(&b);
}

/* The attachments of the message that is being decoded. */
static struct incoming {
    struct wh_span *spans;
    uint32_t len;
} incoming;

static struct wh_span attached(JSContext *ctx, JSValueConst v) {
    JSValue at = own_data(ctx, v, "at");
    uint32_t i = UINT32_MAX; /* the JSON parser makes doubles */
    if (JS_IsNumber(at)) JS_ToUint32(ctx, &i, at);
    return i < incoming.len ? incoming.spans[i] : (struct wh_span){0};
}

static JSValue decode_text(JSContext *ctx, JSValueConst v) {
    struct wh_span s = attached(ctx, v);
    return JS_NewStringLen(ctx, (const char *)(uintptr_t)s.ptr, s.len);
}

/* "bytes" and "bytearray" are a Uint8Array, "array" is the typed array of its type. */
static JSValue decode_attached(JSContext *ctx, JSValueConst v) {
    static const struct {
        const char *type;
        JSTypedArrayEnum kind;
    } kinds[] = {
        {"i1", JS_TYPED_ARRAY_INT8},    {"i2", JS_TYPED_ARRAY_INT16},     {"u2", JS_TYPED_ARRAY_UINT16},     {"i4", JS_TYPED_ARRAY_INT32},
        {"u4", JS_TYPED_ARRAY_UINT32},  {"i8", JS_TYPED_ARRAY_BIG_INT64}, {"u8", JS_TYPED_ARRAY_BIG_UINT64}, {"f4", JS_TYPED_ARRAY_FLOAT32},
        {"f8", JS_TYPED_ARRAY_FLOAT64},
    };
    JSValue type = own_data(ctx, v, "type");
    struct wh_span s = attached(ctx, v);
    JSTypedArrayEnum kind = JS_TYPED_ARRAY_UINT8;
    for (size_t k = 0; k < countof(kinds); k++)
        if (string_is(type, kinds[k].type)) kind = kinds[k].kind;
    JS_FreeValue(ctx, type);
    JSValue buffer = JS_NewArrayBufferCopy(ctx, (const uint8_t *)(uintptr_t)s.ptr, s.len);
    if (JS_IsException(buffer)) return buffer;
    JSValue r = JS_NewTypedArray(ctx, 1, vc(&buffer), kind);
    JS_FreeValue(ctx, buffer);
    return r;
}

/* Digits with a sign, decimal or 0x: the language's own conversion takes no sign before 0x. */
static JSValue decode_bigint(JSContext *ctx, JSValueConst v) {
    JSString *s = JS_VALUE_GET_TAG(v) == JS_TAG_STRING ? JS_VALUE_GET_STRING(v) : NULL;
    bool negative = s && s->len && string_get(s, 0) == '-';
    JSValue digits = negative ? js_sub_string(ctx, s, 1, (int)s->len) : js_dup(v);
    JSValue n = JS_IsException(digits) ? digits : JS_StringToBigIntErr(ctx, digits);
    if (!negative || JS_IsException(n)) return n;
    JSValue sp[1] = {n};
    return js_unary_arith_slow(ctx, sp + 1, OP_neg) ? JS_EXCEPTION : sp[0];
}

/* The plain value that a tag stands for; takes the reference of inside ("v"). */
static JSValue decode_tag(JSContext *ctx, JSValueConst tag, JSValue inside) {
    JSValue r;
    if (string_is(tag, "float")) r = decode_float(inside);
    else if (string_is(tag, "bigint") || string_is(tag, "int")) r = decode_bigint(ctx, inside);
    else if (string_is(tag, "str")) r = decode_units(ctx, inside);
    else if (string_is(tag, "datetime")) r = construct(ctx, JS_CLASS_DATE, inside);
    else if (string_is(tag, "map")) r = construct(ctx, JS_CLASS_MAP, inside);
    else if (string_is(tag, "set") || string_is(tag, "frozenset")) r = construct(ctx, JS_CLASS_SET, inside);
    else return inside; /* tuple, object: what is inside; decimal, uuid and the like: their text */
    JS_FreeValue(ctx, inside);
    return r;
}

static int decode_items(JSContext *ctx, JSValueConst v) {
    JSValue *items;
    uint32_t n;
    if (!js_get_fast_array(ctx, v, &items, &n)) return 0;
    for (uint32_t i = 0; i < n; i++) {
        JSValue item = items[i];
        items[i] = JS_UNDEFINED;
        item = decode_value(ctx, item);
        if (JS_IsException(item)) return -1;
        items[i] = item;
    }
    return 0;
}

static int decode_properties(JSContext *ctx, JSObject *p) {
    for (int i = 0; i < p->shape->prop_count; i++) {
        if (get_shape_prop(p->shape)[i].atom == JS_ATOM_NULL) continue;
        JSValue item = p->prop[i].u.value;
        p->prop[i].u.value = JS_UNDEFINED;
        item = decode_value(ctx, item);
        if (JS_IsException(item)) return -1;
        p->prop[i].u.value = item;
    }
    return 0;
}

/* Takes the reference of v. */
static JSValue decode_value(JSContext *ctx, JSValue v) {
    if (!obj_of(v)) return v;
    if (js_check_stack_overflow(ctx->rt, 0)) {
        JS_FreeValue(ctx, v);
        return JS_ThrowStackOverflow(ctx);
    }
    JSValue tag = JS_IsArray(v) ? JS_UNDEFINED : own_data(ctx, v, "$wasmhost"), r = v;
    bool plain_object = string_is(tag, "object");
    if (string_is(tag, "error")) {
        r = decode_error(ctx, v);
        JS_FreeValue(ctx, v);
    } else if (string_is(tag, "bytes") || string_is(tag, "bytearray") || string_is(tag, "array")) {
        r = decode_attached(ctx, v);
        JS_FreeValue(ctx, v);
    } else if (string_is(tag, "text")) {
        r = decode_text(ctx, v);
        JS_FreeValue(ctx, v);
    } else if (JS_IsString(tag)) {
        r = own_data(ctx, v, "v");
        JS_FreeValue(ctx, v);
        if (plain_object && obj_of(r) ? decode_properties(ctx, JS_VALUE_GET_OBJ(r)) : (r = decode_value(ctx, r), 0)) {
            JS_FreeValue(ctx, r);
            r = JS_EXCEPTION;
        }
        if (!JS_IsException(r)) r = decode_tag(ctx, tag, r);
    } else if (JS_IsArray(v) ? decode_items(ctx, v) : decode_properties(ctx, JS_VALUE_GET_OBJ(v))) {
        JS_FreeValue(ctx, v);
        r = JS_EXCEPTION;
    }
    JS_FreeValue(ctx, tag);
    return r;
}
