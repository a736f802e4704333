/* Looking at values without running guest code: what getters, proxies and prototypes could fake is not asked. */

static inline JSObject *obj_of(JSValueConst v) {
    return JS_VALUE_GET_TAG(v) == JS_TAG_OBJECT ? JS_VALUE_GET_OBJ(v) : NULL;
}

static inline JSClassID class_of(JSValueConst v) {
    JSObject *p = obj_of(v);
    return p ? p->class_id : 0;
}

/* A string value without ropes, to be freed; JS_EXCEPTION when there is no memory. */
static JSValue flat_string(JSContext *ctx, JSValueConst v) {
    if (JS_VALUE_GET_TAG(v) == JS_TAG_STRING_ROPE) return js_linearize_string_rope(ctx, v);
    return js_dup(v);
}

/* A property that holds a plain value, looked up along the prototypes; undefined if it is anything else. */
static JSValue data_property(JSValueConst v, JSAtom name) {
    JSObject *p = obj_of(v);
    for (int hops = 0; p && p->class_id != JS_CLASS_PROXY && hops < 1000; hops++, p = p->shape->proto) {
        JSProperty *pr;
        JSShapeProperty *prs = find_own_property(&pr, p, name);
        if (!prs) continue;
        return (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL ? js_dup(pr->u.value) : JS_UNDEFINED;
    }
    return JS_UNDEFINED;
}

static JSValue string_property(JSContext *ctx, JSValueConst v, JSAtom name) {
    JSValue s = data_property(v, name);
    if (JS_IsString(s)) {
        JSValue r = flat_string(ctx, s);
        JS_FreeValue(ctx, s);
        if (!JS_IsException(r)) return r;
        JS_FreeValue(ctx, JS_GetException(ctx));
        return JS_UNDEFINED;
    }
    JS_FreeValue(ctx, s);
    return JS_UNDEFINED;
}

/* The name of a value's type, for people: of its constructor where it has one, else of its class. */
static JSValue type_name(JSContext *ctx, JSValueConst v) {
    JSObject *p = obj_of(v);
    if (!p) {
        const char *s = JS_IsString(v) ? "string" : JS_IsSymbol(v) ? "symbol" : JS_IsBigInt(v) ? "bigint"
                      : JS_IsBool(v) ? "boolean" : JS_IsNumber(v) ? "number" : JS_IsNull(v) ? "null" : "undefined";
        return JS_NewString(ctx, s);
    }
    if (p->class_id == JS_CLASS_PROXY) return JS_NewString(ctx, "Proxy");
    JSValue ctor = data_property(v, JS_ATOM_constructor);
    JSValue name = string_property(ctx, ctor, JS_ATOM_name);
    JS_FreeValue(ctx, ctor);
    if (JS_IsString(name) && JS_VALUE_GET_STRING(name)->len > 0) return name;
    JS_FreeValue(ctx, name);
    return JS_AtomToString(ctx, ctx->rt->class_array[p->class_id].class_name);
}

/* "Name" of an error: its name where that says more than "Error", else its constructor's. */
static JSValue error_name(JSContext *ctx, JSValueConst v) {
    JSValue name = string_property(ctx, v, JS_ATOM_name);
    if (JS_IsString(name)) {
        JSString *s = JS_VALUE_GET_STRING(name);
        bool plain = s->len == 0 || (s->len == 5 && !s->is_wide_char && !memcmp(str8(s), "Error", 5));
        if (!plain) return name;
    }
    JS_FreeValue(ctx, name);
    if (class_of(v) == JS_CLASS_DOM_EXCEPTION) { /* its name is an accessor of the engine */
        name = JS_GetProperty(ctx, v, JS_ATOM_name);
        if (JS_IsString(name)) return name;
        JS_FreeValue(ctx, JS_IsException(name) ? JS_GetException(ctx) : name);
    }
    return type_name(ctx, v);
}

static JSValue error_message(JSContext *ctx, JSValueConst v) {
    if (class_of(v) != JS_CLASS_DOM_EXCEPTION) return string_property(ctx, v, JS_ATOM_message);
    JSValue m = JS_GetProperty(ctx, v, JS_ATOM_message);
    if (JS_IsString(m)) return m;
    JS_FreeValue(ctx, JS_IsException(m) ? JS_GetException(ctx) : m);
    return JS_UNDEFINED;
}

static JSFunctionBytecode *bytecode_of(JSValueConst f) {
    JSObject *p = obj_of(f);
    return p && js_class_has_bytecode(p->class_id) ? p->u.func.function_bytecode : NULL;
}

static bool is_class(JSValueConst f) {
    JSFunctionBytecode *b = bytecode_of(f);
    return b && b->source && b->source_len > 5 && !memcmp(b->source, "class", 5);
}

/* The class of the prelude that an object belongs to, or NULL. */
static struct registered *registered_of(JSContext *ctx, JSObject *p) {
    JSObject *plain = JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_OBJECT]);
    if (p->class_id != JS_CLASS_OBJECT) return NULL;
    for (JSObject *o = p->shape->proto; o && o != plain; o = o->shape->proto)
        for (int i = 0; i < g.registered_len; i++)
            if (JS_VALUE_GET_OBJ(g.registered[i].proto) == o) return &g.registered[i];
    return NULL;
}

/* "dgimsuvy" as far as they are set. */
static int regexp_flags(JSValueConst v, char out[12]) {
    static const char letters[] = "gimsu"; /* of the flags 1, 2, 4, 8, 16 */
    int flags = lre_get_flags(str8(JS_VALUE_GET_OBJ(v)->u.regexp.bytecode)), n = 0;
    if (flags & LRE_FLAG_INDICES) out[n++] = 'd';
    for (int i = 0; i < 5; i++)
        if (flags & 1 << i) out[n++] = letters[i];
    if (flags & LRE_FLAG_UNICODE_SETS) out[n++] = 'v';
    if (flags & LRE_FLAG_STICKY) out[n++] = 'y';
    out[n] = 0;
    return n;
}

/* /source/flags from the compiled expression, whatever the accessors of RegExp.prototype were made into. */
static JSValue regexp_text(JSContext *ctx, JSValueConst v) {
    char after[13] = "/";
    regexp_flags(v, after + 1);
    JSValue source = js_regexp_get_source(ctx, v);
    return JS_IsException(source) ? source : JS_ConcatString3(ctx, "/", source, after);
}

/* The bytes that a typed array, DataView or ArrayBuffer shows, as an offset into its buffer. */
struct view {
    JSObject *buffer;
    uint32_t offset, len;
};

static bool view_of(JSObject *p, struct view *v) {
    if (p->class_id == JS_CLASS_ARRAY_BUFFER) {
        *v = (struct view){p, 0, (uint32_t)p->u.array_buffer->byte_length};
        return true;
    }
    if (!is_typed_array(p->class_id) && p->class_id != JS_CLASS_DATAVIEW) return false;
    JSTypedArray *ta = p->u.typed_array;
    JSArrayBuffer *ab = ta->buffer->u.array_buffer;
    uint32_t have = ab->detached ? 0 : (uint32_t)ab->byte_length;
    uint32_t room = have > ta->offset ? have - ta->offset : 0;
    uint32_t want = ta->track_rab ? room : ta->length;
    if (is_typed_array(p->class_id)) want = p->u.array.count << typed_array_size_log2(p->class_id);
    *v = (struct view){ta->buffer, ta->offset, want <= room ? want : 0};
    return true;
}

static void remove_names(JSContext *ctx, JSValueConst from, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        JSAtom a = JS_NewAtom(ctx, names[i]);
        JS_DeleteProperty(ctx, from, a, 0);
        JS_FreeAtom(ctx, a);
    }
}
