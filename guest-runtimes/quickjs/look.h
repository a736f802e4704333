/* A look at the variables of a session; prelude/25-look.js does the looking. */

static JSAtom *initial_names; /* of the global object, when the image was made */
static int initial_len;

static void look_remember(JSContext *ctx) {
    JSObject *global = JS_VALUE_GET_OBJ(ctx->global_obj);
    initial_names = malloc((size_t)global->shape->prop_count * sizeof *initial_names);
    for (int i = 0; initial_names && i < global->shape->prop_count; i++) {
        JSAtom name = get_shape_prop(global->shape)[i].atom;
        if (name != JS_ATOM_NULL) initial_names[initial_len++] = JS_DupAtom(ctx, name);
    }
}

static bool is_initial(JSAtom name) {
    for (int i = 0; i < initial_len; i++)
        if (initial_names[i] == name) return true;
    return false;
}

/* Appends name and value of what lies in an object as data; what is not yet initialised counts as undefined. */
static void look_at(JSContext *ctx, JSValueConst list, uint32_t *n, JSValueConst container, bool initial) {
    JSObject *p = JS_VALUE_GET_OBJ(container);
    for (int i = 0; i < p->shape->prop_count; i++) {
        JSShapeProperty *prs = &get_shape_prop(p->shape)[i];
        JSProperty *pr = &p->prop[i];
        if (prs->atom == JS_ATOM_NULL || JS_AtomGetKind(ctx, prs->atom) != JS_ATOM_KIND_STRING) continue;
        if (!initial && (is_initial(prs->atom) || prs->atom == tools.object_atom)) continue;
        JSValue value = JS_UNDEFINED;
        if ((prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL) value = js_dup(pr->u.value);
        else if ((prs->flags & JS_PROP_TMASK) == JS_PROP_VARREF) value = js_dup(*pr->u.var_ref->pvalue);
        else if ((prs->flags & JS_PROP_TMASK) == JS_PROP_AUTOINIT) value = JS_GetProperty(ctx, container, prs->atom);
        if (JS_IsUninitialized(value)) value = JS_UNDEFINED;
        bool tool = obj_of(value) && (space_of(value) || is_tool(value));
        bool ours = !initial && (tool || is_short_form(ctx, prs->atom, value));
        if (ours) {
            JS_FreeValue(ctx, value);
            continue;
        }
        JS_DefinePropertyValueUint32(ctx, list, (*n)++, JS_AtomToString(ctx, prs->atom), JS_PROP_C_W_E);
        JS_DefinePropertyValueUint32(ctx, list, (*n)++, value, JS_PROP_C_W_E);
    }
}

static JSValue look(JSContext *ctx, const char *json, size_t len) {
    JSValue request = JS_ParseJSON(g.inner, json, len, "<look>"), *part;
    uint32_t count, n = 0;
    if (!js_get_fast_array(g.inner, request, &part, &count) || count != 3) {
        JS_FreeValue(g.inner, request);
        return JS_ThrowTypeError(ctx, "the request for a look is damaged");
    }
    bool all = !JS_IsNull(part[0]);
    JSValue values = JS_NewArray(g.inner);
    look_at(ctx, values, &n, ctx->global_var_obj, all);
    look_at(ctx, values, &n, ctx->global_obj, all);
    JSValueConst args[] = {values, part[0], part[1], part[2]};
    JSValue r = inner_call(g.fn[FN_LOOK], 4, args);
    JS_FreeValue(g.inner, values);
    JS_FreeValue(g.inner, request);
    return r;
}

/* lib.toolNames(v): names of the members of `tools` or a namespace; undefined for anything else. */
static JSValue lib_tool_names(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    if (!space_of(argv[0])) return JS_UNDEFINED;
    JSObject *p = JS_VALUE_GET_OBJ(holder_of(argv[0]));
    JSValue list = JS_NewArray(ctx);
    uint32_t n = 0;
    for (int i = 0; i < p->shape->prop_count; i++) {
        JSAtom name = get_shape_prop(p->shape)[i].atom;
        if (name != JS_ATOM_NULL) JS_DefinePropertyValueUint32(ctx, list, n++, JS_AtomToString(ctx, name), JS_PROP_C_W_E);
    }
    return list;
}

/* lib.toolMember(v, name) */
static JSValue lib_tool_member(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    if (!space_of(argv[0])) return JS_UNDEFINED;
    JSAtom name = JS_ValueToAtom(ctx, argv[1]);
    JSProperty *pr;
    JSShapeProperty *prs = find_own_property(&pr, JS_VALUE_GET_OBJ(holder_of(argv[0])), name);
    JS_FreeAtom(ctx, name);
    return prs && (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL ? js_dup(pr->u.value) : JS_UNDEFINED;
}

/* lib.prototypeOf(primitive): in the realm of the cells. */
static JSValue lib_prototype_of(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_val, (void)argc;
    int class_id = JS_IsString(argv[0]) ? JS_CLASS_STRING : JS_IsNumber(argv[0]) ? JS_CLASS_NUMBER : JS_IsBool(argv[0]) ? JS_CLASS_BOOLEAN : JS_CLASS_OBJECT;
    return js_dup(g.ctx->class_proto[class_id]);
}
