/* The inner realm. Everything of the machinery that is written in JavaScript and looks at guest values (the inspector, the
 * formatter of console, the URL parser) runs in a realm of its own, with intrinsics that no cell can reach. So it may be
 * written in ordinary JavaScript: a cell that overwrites Array.prototype does not touch it.
 *
 * What must never happen is that an object of the inner realm gets into the hands of a cell. Results are primitives (or a
 * flat list of them, copied); errors of the inner realm are made anew in the guest's. */

/* ---- from C into the inner realm ---------------------------------------------------------------------------- */

static bool is_inner_object(JSValueConst v) {
    JSObject *root = JS_VALUE_GET_OBJ(g.inner->class_proto[JS_CLASS_OBJECT]);
    JSObject *p = obj_of(v);
    while (p && p != root) p = p->shape->proto;
    return p == root;
}

static JSErrorEnum error_kind(JSValueConst name) {
    JSString *s = JS_IsString(name) ? JS_VALUE_GET_STRING(name) : NULL;
    if (s && !s->is_wide_char)
        for (int i = 0; i < JS_NATIVE_ERROR_COUNT; i++)
            if (strlen(native_error_name[i]) == s->len && !memcmp(str8(s), native_error_name[i], s->len)) return (JSErrorEnum)i;
    return JS_PLAIN_ERROR;
}

/* The pending exception, if it is of the inner realm, becomes one of the guest's. */
static JSValue translate_exception(void) {
    JSContext *ctx = g.ctx;
    JSValue exc = JS_GetException(ctx);
    if (JS_IsUncatchableError(exc)) {
        JS_FreeValue(ctx, exc);
        JS_ThrowInterrupted(ctx);
        return JS_EXCEPTION;
    }
    if (!is_inner_object(exc)) return JS_Throw(ctx, exc);
    JSValue name = string_property(ctx, exc, JS_ATOM_name), message = error_message(ctx, exc);
    struct buf b = {0};
    buf_utf8_of(&b, ctx, message);
    buf_putc(&b, 0);
    JS_FreeValue(ctx, JS_Throw(ctx, JS_MakeError2(ctx, error_kind(name), true, b.p ? b.p : "")));
    buf_free(&b);
    JS_FreeValue(ctx, name);
    JS_FreeValue(ctx, message);
    JS_FreeValue(ctx, exc);
    return JS_EXCEPTION;
}

/* Calls a function of the inner realm. What comes back is a primitive, or a list of primitives for copy_list. */
static JSValue inner_call(JSValueConst fn, int argc, JSValueConst *argv) {
    JSValue r = JS_Call(g.inner, fn, JS_UNDEFINED, argc, argv);
    return JS_IsException(r) ? translate_exception() : r;
}

/* ---- from the guest's prelude into the inner realm ------------------------------------------------------------- */

/* A list without prototype: reading and writing its elements runs no code, whatever was done to Array.prototype. */
static JSValue bare_list(JSContext *ctx) {
    JSValue list = JS_NewArray(ctx);
    if (!JS_IsException(list)) JS_SetPrototypeInternal(ctx, list, JS_NULL, false);
    return list;
}

static JSValue copy_list(JSContext *ctx, JSValueConst from) {
    JSValue to = bare_list(ctx), *items;
    uint32_t n;
    if (JS_IsException(to) || !js_get_fast_array(ctx, from, &items, &n)) return to;
    for (uint32_t i = 0; i < n; i++)
        JS_DefinePropertyValueUint32(ctx, to, i, obj_of(items[i]) ? JS_NULL : js_dup(items[i]), JS_PROP_C_W_E);
    return to;
}

/* The body of every function that lib.inner(name) gives: primitives in, primitives out. */
static JSValue call_across(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int magic, JSValueConst *data) {
    (void)this_val, (void)magic;
    for (int i = 0; i < argc; i++)
        if (obj_of(argv[i])) return JS_ThrowTypeError(ctx, "invalid argument");
    JSValue r = inner_call(data[0], argc, argv);
    if (!obj_of(r)) return r;
    JSValue copy = js_is_fast_array(ctx, r) ? copy_list(ctx, r) : JS_NULL;
    JS_FreeValue(ctx, r);
    return copy;
}

/* lib.inner(name): in the guest's prelude, the function that the inner prelude gave out under that name. */
static JSValue lib_inner(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    JSValue fn = JS_GetPropertyValue(g.inner, g.given, js_dup(argv[0]));
    if (!JS_IsFunction(ctx, fn)) return JS_ThrowReferenceError(ctx, "the inner prelude gives no such function");
    JSValue r = JS_NewCFunctionData(ctx, call_across, 0, 0, 1, vc(&fn));
    JS_FreeValue(ctx, fn);
    return r;
}

/* lib.give(name, function): in the inner prelude. */
static JSValue lib_give(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    static const char *const known[FN_COUNT] = {[FN_INSPECT] = "inspect", [FN_RENDER] = "render", [FN_CONSOLE] = "console",
                                                [FN_LOOK] = "look"};
    (void)this_val, (void)argc;
    const char *name = JS_ToCString(ctx, argv[0]);
    if (!name) return JS_EXCEPTION;
    for (int i = 0; i < FN_COUNT; i++)
        if (!strcmp(known[i], name)) g.fn[i] = js_dup(argv[1]);
    JS_SetPropertyStr(ctx, g.given, name, js_dup(argv[1]));
    JS_FreeCString(ctx, name);
    return JS_UNDEFINED;
}

/* ---- what the inner prelude asks about guest values ------------------------------------------------------------ */

static JSValue lib_class(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    JSObject *p = obj_of(argv[0]);
    if (!p) return JS_UNDEFINED;
    switch (p->class_id) {
    case JS_CLASS_PROXY: return js_new_string8(ctx, "Proxy");
    case JS_CLASS_MODULE_NS: return js_new_string8(ctx, "Module");
    case JS_CLASS_ASYNC_FUNCTION: return js_new_string8(ctx, "AsyncFunction");
    }
    if (JS_IsFunction(ctx, argv[0]) && !bytecode_of(argv[0])) return js_new_string8(ctx, "Function");
    return JS_AtomToString(ctx, ctx->rt->class_array[p->class_id].class_name);
}

static JSValue lib_proxy_target(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_val, (void)argc;
    if (class_of(argv[0]) != JS_CLASS_PROXY) return JS_UNDEFINED;
    JSProxyData *s = JS_VALUE_GET_OBJ(argv[0])->u.proxy_data;
    return s->is_revoked ? JS_NULL : js_dup(s->target);
}

/* [state, result] */
static JSValue lib_promise(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    JSValueConst pair[2] = {js_int32(JS_PromiseState(ctx, argv[0])), JS_UNDEFINED};
    JSValue result = JS_PromiseResult(ctx, argv[0]);
    pair[1] = result;
    JSValue r = js_create_array(ctx, 2, pair);
    JS_FreeValue(ctx, result);
    return r;
}

/* The entries that an iterator of a Map or Set has still to give; it is not moved. */
static JSValue lib_iterator_rest(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    JSObject *p = obj_of(argv[0]);
    JSValue list = JS_NewArray(ctx);
    if (JS_IsException(list) || !p) return list;
    if (p->class_id != JS_CLASS_MAP_ITERATOR && p->class_id != JS_CLASS_SET_ITERATOR) return list;
    JSMapIteratorData *it = p->u.map_iterator_data;
    if (!it || !obj_of(it->obj)) return list;
    bool is_set = p->class_id == JS_CLASS_SET_ITERATOR;
    JSMapState *s = JS_VALUE_GET_OBJ(it->obj)->u.map_state;
    struct list_head *el = it->cur_record ? it->cur_record->link.next : s->records.next;
    uint32_t n = 0;
    for (; el != &s->records; el = el->next) {
        JSMapRecord *mr = list_entry(el, JSMapRecord, link);
        if (mr->empty) continue;
        JSValueConst pair[2] = {mr->key, is_set ? mr->key : mr->value};
        JSValue item = it->kind == JS_ITERATOR_KIND_KEY     ? js_dup(pair[0])
                     : it->kind == JS_ITERATOR_KIND_VALUE ? js_dup(pair[1])
                                                          : js_create_array(ctx, 2, pair);
        JS_DefinePropertyValueUint32(ctx, list, n++, item, JS_PROP_C_W_E);
    }
    return list;
}

/* Keys of an array, typed array or String object besides its indexes: lib.otherKeys(v, withHidden). From the shape, since a list
 * of all keys would be as long as the array. */
static JSValue lib_other_keys(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    JSObject *p = JS_VALUE_GET_OBJ(argv[0]);
    JSValue list = JS_NewArray(ctx);
    bool hidden = JS_ToBool(ctx, argv[1]) > 0;
    uint32_t n = 0, index;
    for (int kind = JS_ATOM_KIND_STRING; kind <= JS_ATOM_KIND_SYMBOL && !JS_IsException(list); kind++)
        for (int i = 0; i < p->shape->prop_count; i++) {
            JSShapeProperty *prs = &get_shape_prop(p->shape)[i];
            if (prs->atom == JS_ATOM_NULL || (!hidden && !(prs->flags & JS_PROP_ENUMERABLE))) continue;
            if ((int)JS_AtomGetKind(ctx, prs->atom) != kind || JS_AtomIsArrayIndex(ctx, &index, prs->atom)) continue;
            JS_DefinePropertyValueUint32(ctx, list, n++, JS_AtomToValue(ctx, prs->atom), JS_PROP_C_W_E);
        }
    return list;
}

enum { MAX_INDEXES = 101 };

/* Puts an index into a sorted list that keeps the smallest. */
static uint32_t index_insert(uint32_t *sorted, uint32_t n, uint32_t index) {
    if (n == MAX_INDEXES) {
        if (index > sorted[n - 1]) return n;
        n--;
    }
    uint32_t i = n;
    for (; i > 0 && sorted[i - 1] > index; i--) sorted[i] = sorted[i - 1];
    sorted[i] = index;
    return n + 1;
}

/* lib.indexes(array, from): the first indexes from `from` on that the array has; as many as are ever shown. */
static JSValue lib_indexes(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    JSObject *p = JS_VALUE_GET_OBJ(argv[0]);
    uint32_t sorted[MAX_INDEXES], n = 0, index, from = (uint32_t)JS_VALUE_GET_INT(argv[1]);
    if (p->fast_array) {
        for (uint32_t i = from; i < p->u.array.count && n < MAX_INDEXES; i++) sorted[n++] = i;
    } else {
        for (int i = 0; i < p->shape->prop_count; i++) {
            JSAtom atom = get_shape_prop(p->shape)[i].atom;
            if (atom != JS_ATOM_NULL && JS_AtomIsArrayIndex(ctx, &index, atom) && index >= from) n = index_insert(sorted, n, index);
        }
    }
    JSValue list = JS_NewArray(ctx);
    for (uint32_t i = 0; i < n && !JS_IsException(list); i++)
        JS_DefinePropertyValueUint32(ctx, list, i, js_uint32(sorted[i]), JS_PROP_C_W_E);
    return list;
}

static JSValue lib_regexp(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    return class_of(argv[0]) == JS_CLASS_REGEXP ? regexp_text(ctx, argv[0]) : JS_UNDEFINED;
}

/* "Name", "message" and frames of an error, without running code: [name, message or undefined, frames, own stack]. */
static JSValue lib_error(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct buf b = {0};
    stack_visit(ctx, argv[0], frame_text, &b);
    JSProperty *pr;
    JSObject *p = JS_VALUE_GET_OBJ(argv[0]);
    JSShapeProperty *own = p->class_id == JS_CLASS_ERROR ? find_own_property(&pr, p, JS_ATOM_stack) : NULL;
    bool set = own && (own->flags & JS_PROP_TMASK) == JS_PROP_NORMAL;
    JSValue items[4] = {error_name(ctx, argv[0]), error_message(ctx, argv[0]), JS_NewStringLen(ctx, b.p, b.len),
                        set ? js_dup(pr->u.value) : JS_UNDEFINED};
    buf_free(&b);
    return JS_NewArrayFrom(ctx, countof(items), items);
}

static JSValue lib_is_class(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_val, (void)argc;
    return js_bool(is_class(argv[0]));
}

/* A function of the guest's own code, not of the engine or the prelude. */
static JSValue lib_is_bytecode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_val, (void)argc;
    JSFunctionBytecode *b = bytecode_of(argv[0]);
    return js_bool(b && b->source);
}

/* What the class of the prelude that v belongs to wants shown: a list of names and values; undefined for other objects. */
static JSValue lib_fields(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_val, (void)argc;
    struct registered *r = obj_of(argv[0]) ? registered_of(g.ctx, obj_of(argv[0])) : NULL;
    return r ? JS_Call(g.ctx, r->fields, argv[0], 0, NULL) : JS_UNDEFINED;
}

static JSValue lib_guest_object(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_val, (void)argc, (void)argv;
    return JS_NewObject(g.ctx);
}

static JSValue lib_write(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct buf b = {0};
    buf_utf8_of(&b, ctx, argv[1]);
    wh_out_write(JS_VALUE_GET_INT(argv[0]), b.p, b.len);
    buf_free(&b);
    return JS_UNDEFINED;
}

static JSValue lib_now(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_val, (void)argc, (void)argv;
    return js_float64((double)wh_host_clock(1) / 1e6);
}

/* The frames of the code that is running now, for console.trace. */
static JSValue lib_here(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    JSValue error = JS_MakeError2(ctx, JS_PLAIN_ERROR, true, "");
    struct buf b = {0};
    stack_visit(ctx, error, frame_text, &b);
    JS_FreeValue(ctx, error);
    JSValue r = JS_NewStringLen(ctx, b.p, b.len);
    buf_free(&b);
    return r;
}

static JSValue lib_tools(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
static JSValue lib_tool_names(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
static JSValue lib_tool_member(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
static JSValue lib_prototype_of(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);

static const JSCFunctionListEntry inner_lib[] = {
    JS_CFUNC_DEF("give", 2, lib_give),
    JS_CFUNC_DEF("class", 1, lib_class),
    JS_CFUNC_DEF("toolNames", 1, lib_tool_names),
    JS_CFUNC_DEF("toolMember", 2, lib_tool_member),
    JS_CFUNC_DEF("prototypeOf", 1, lib_prototype_of),
    JS_CFUNC_DEF("proxyTarget", 1, lib_proxy_target),
    JS_CFUNC_DEF("promise", 1, lib_promise),
    JS_CFUNC_DEF("iteratorRest", 1, lib_iterator_rest),
    JS_CFUNC_DEF("otherKeys", 2, lib_other_keys),
    JS_CFUNC_DEF("indexes", 2, lib_indexes),
    JS_CFUNC_DEF("regexp", 1, lib_regexp),
    JS_CFUNC_DEF("error", 1, lib_error),
    JS_CFUNC_DEF("isClass", 1, lib_is_class),
    JS_CFUNC_DEF("isBytecode", 1, lib_is_bytecode),
    JS_CFUNC_DEF("fields", 1, lib_fields),
    JS_CFUNC_DEF("guestObject", 0, lib_guest_object),
    JS_CFUNC_DEF("tools", 1, lib_tools),
    JS_CFUNC_DEF("write", 2, lib_write),
    JS_CFUNC_DEF("now", 0, lib_now),
    JS_CFUNC_DEF("here", 0, lib_here),
};
