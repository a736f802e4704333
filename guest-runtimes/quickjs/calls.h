/* Tools: what the host offers, calls of it, and tools that the guest's own code registers. All of it is C, so no cell can reach
 * what is behind `tools`: a call reads no prototype and no global.
 *
 * `tools` and its namespaces are objects of a class of their own: unknown names are errors that say what there is, and nothing
 * in them can be changed. What they show lies in a plain object without prototype that no cell gets into its hands. */

/* ---- messages ------------------------------------------------------------------------------------------------------ */

/* What an encoder has attached since it was set up, and its JSON, as one message; JSON alone without attachments. */
static void message_pack(struct buf *out, const struct buf *json, uint32_t first) {
    uint32_t n = attachments.len - first;
    attachments_resolve();
    const uint32_t counts[2] = {(uint32_t)json->len, n};
    buf_lit(out, "WHP1");
    buf_put(out, counts, sizeof counts);
    for (uint32_t i = 0; i < n; i++) buf_put(out, &attachments.spans[first + i].len, 4);
    buf_put(out, json->p, json->len);
    for (uint32_t i = 0; i < n; i++) {
        const struct wh_span *s = &attachments.spans[first + i];
        buf_put(out, (const void *)(uintptr_t)s->ptr, s->len);
    }
    out->failed |= json->failed;
}

struct reply {
    char first[1024 + 1];
    char *p;    /* zero after it, as the JSON parser wants it */
    int32_t len; /* negative: refused, or no memory */
};

static void reply_free(struct reply *r) {
    if (r->p != r->first) free(r->p);
}

static void send(int32_t kind, const struct buf *json, uint32_t first, struct reply *r) {
    struct buf packed = {0};
    const struct buf *m = json;
    r->p = r->first;
    r->len = -1;
    if (unlikely(attachments.len > first)) {
        message_pack(&packed, json, first);
        m = &packed;
    }
    if (!m->failed) r->len = wh_host_call(kind, m->p, (uint32_t)m->len, r->first, sizeof r->first - 1);
    buf_free(&packed);
    if (r->len >= (int32_t)sizeof r->first) {
        char *p = malloc((size_t)r->len + 1);
        if (p) {
            wh_host_take(p, (uint32_t)r->len);
            r->p = p;
        } else {
            r->len = -1;
        }
    }
    if (r->len >= 0) r->p[r->len] = 0;
}

/* The JSON of a message from the host, parsed and decoded. */
static JSValue message_read(JSContext *ctx, char *p, size_t len) {
    if (len < 4 || memcmp(p, "WHP1", 4)) {
        JSValue v = JS_ParseJSON(ctx, p, len, "<host>");
        return JS_IsException(v) || !memmem(p, len, "\"$wasmhost\"", 11) ? v : decode_value(ctx, v);
    }
    uint32_t counts[2] = {0, 0};
    if (len >= 12) memcpy(counts, p + 4, 8);
    size_t at = 12 + (size_t)counts[1] * 4 + counts[0];
    struct incoming outer = incoming;
    incoming = (struct incoming){.spans = malloc(counts[1] * sizeof *incoming.spans + 1), .len = counts[1]};
    JSValue v = JS_UNDEFINED;
    if (!incoming.spans || counts[1] > len / 4 || at > len) {
        v = JS_ThrowInternalError(ctx, "no memory for a message of the host");
    } else {
        size_t head = 12 + (size_t)counts[1] * 4;
        for (uint32_t i = 0; i < counts[1]; i++) {
            uint32_t size;
            memcpy(&size, p + 12 + i * 4, 4);
            if (size > len - at) size = (uint32_t)(len - at);
            incoming.spans[i] = (struct wh_span){(uint32_t)(uintptr_t)(p + at), size};
            at += size;
        }
        char kept = p[head + counts[0]];
        p[head + counts[0]] = 0;
        v = JS_ParseJSON(ctx, p + head, counts[0], "<host>");
        p[head + counts[0]] = kept;
        if (!JS_IsException(v)) v = decode_value(ctx, v);
    }
    free(incoming.spans);
    incoming = outer;
    return v;
}

/* ---- what is offered ------------------------------------------------------------------------------------------------- */

struct tool {
    JSValue name, function, line; /* line: signature and first line of its text */
    bool registered;
};

struct registration {
    JSValue name, public, handler, definition; /* definition: JSON of what getTool gives */
};

static struct {
    struct tool *items;
    uint32_t len, cap;
    struct registration *own;
    uint32_t own_len, own_cap;
    JSValue root, promise_proto, managed[5];
    JSAtom managed_atoms[5];
    JSClassID class_id;
    JSAtom tool_atom; /* private: which tool a promise of a call belongs to */
    JSValue short_forms, forms, object; /* what makes the short forms, those that are there, and `o` of this cell */
    JSAtom object_atom;
    bool offered, bare, helpers;
} tools;

static const char *const managed_names[] = {"tools", "registerTool", "unregisterTool", "listTools", "getTool"};

struct space {
    JSValue members, path; /* path: "" for tools itself, else "fs" or "a.b" */
};

static bool is_name_char(uint32_t c) {
    return c == '_' || c == '$' || is_digit((int)c) || ((c | 32) >= 'a' && (c | 32) <= 'z') || c >= 128;
}

/* Stands before the name of what is a short form and no tool. */
#define SHORT_FORM 1

/* "tools.fs.read", or tools["what is no identifier"]; "cat" for a short form */
static void put_path(struct buf *b, JSContext *ctx, JSValueConst name) {
    JSValue flat = flat_string(ctx, name);
    JSString *s = JS_IsString(flat) ? JS_VALUE_GET_STRING(flat) : NULL;
    if (s && s->len && string_get(s, 0) == SHORT_FORM) {
        for (uint32_t i = 1; i < s->len; i++) buf_putc(b, (char)string_get(s, (int)i));
        JS_FreeValue(ctx, flat);
        return;
    }
    bool plain = s && s->len;
    for (uint32_t i = 0; plain && i < s->len; i++) {
        uint32_t c = (uint32_t)string_get(s, (int)i);
        plain = c == '.' || is_name_char(c);
    }
    buf_str(b, plain ? "tools." : s && s->len ? "tools[" : "tools");
    if (plain) buf_utf8(b, s);
    else if (s && s->len) {
        json_string(b, s);
        buf_putc(b, ']');
    }
    JS_FreeValue(ctx, flat);
}

static struct space *space_of(JSValueConst v) { return JS_GetOpaque(v, tools.class_id); }

static JSValue space_new(JSContext *ctx, JSValue path) {
    JSValue v = JS_NewObjectClass(ctx, (int)tools.class_id);
    struct space *s = JS_IsException(v) ? NULL : js_mallocz(ctx, sizeof *s);
    if (!s) {
        JS_FreeValue(ctx, v);
        JS_FreeValue(ctx, path);
        return JS_EXCEPTION;
    }
    s->path = path;
    s->members = JS_NewObjectProto(ctx, JS_NULL);
    JS_SetOpaqueInternal(v, s);
    return v;
}

static void space_finalize(JSRuntime *rt, JSValueConst v) {
    struct space *s = space_of(v);
    if (!s) return;
    JS_FreeValueRT(rt, s->members);
    JS_FreeValueRT(rt, s->path);
    js_free_rt(rt, s);
}

static void space_mark(JSRuntime *rt, JSValueConst v, JS_MarkFunc *mark) {
    struct space *s = space_of(v);
    if (s) JS_MarkValue(rt, s->members, mark);
}

static JSProperty *member(JSValueConst container, JSAtom name, JSShapeProperty **prs) {
    JSProperty *pr;
    JSShapeProperty *found = obj_of(container) ? find_own_property(&pr, JS_VALUE_GET_OBJ(container), name) : NULL;
    if (prs) *prs = found;
    return found && (found->flags & JS_PROP_TMASK) == JS_PROP_NORMAL ? pr : NULL;
}

static int space_own(JSContext *ctx, JSPropertyDescriptor *desc, JSValueConst v, JSAtom name) {
    JSShapeProperty *prs;
    struct space *s = space_of(v);
    JSProperty *pr = s ? member(s->members, name, &prs) : NULL;
    (void)ctx;
    if (!pr) return false;
    if (desc) {
        desc->flags = (int)(prs->flags & JS_PROP_ENUMERABLE) | JS_PROP_CONFIGURABLE;
        desc->value = js_dup(pr->u.value);
        desc->getter = desc->setter = JS_UNDEFINED;
    }
    return true;
}

static int space_names(JSContext *ctx, JSPropertyEnum **tab, uint32_t *n, JSValueConst v) {
    struct space *s = space_of(v);
    return JS_GetOwnPropertyNames(ctx, tab, n, s->members, JS_GPN_STRING_MASK);
}

static int space_refuse(JSContext *ctx, JSValueConst v) {
    struct space *s = space_of(v);
    struct buf b = {0};
    put_path(&b, ctx, s ? s->path : JS_UNDEFINED);
    buf_putc(&b, 0);
    JS_ThrowTypeError(ctx, "%s cannot be changed", b.p ? b.p : "tools");
    buf_free(&b);
    return -1;
}

static int space_delete(JSContext *ctx, JSValueConst v, JSAtom name) { return (void)name, space_refuse(ctx, v); }

static int space_define(JSContext *ctx, JSValueConst v, JSAtom name, JSValueConst val, JSValueConst getter, JSValueConst setter,
                        int flags) {
    (void)name, (void)val, (void)getter, (void)setter, (void)flags;
    return space_refuse(ctx, v);
}

static int space_set(JSContext *ctx, JSValueConst v, JSAtom name, JSValueConst value, JSValueConst receiver, int flags) {
    (void)name, (void)value, (void)receiver, (void)flags;
    return space_refuse(ctx, v);
}

/* How far apart two names are: edits, where case and what is neither letter nor digit do not count. */
static uint32_t distance(const char *a, uint32_t n, const char *b, uint32_t m) {
    uint8_t row[64];
    if (n >= sizeof row || m >= sizeof row) return 99;
    for (uint32_t k = 0; k <= m; k++) row[k] = (uint8_t)k;
    for (uint32_t i = 1; i <= n; i++) {
        uint8_t diagonal = row[0];
        row[0] = (uint8_t)i;
        for (uint32_t k = 1; k <= m; k++) {
            uint8_t above = row[k], best = (uint8_t)(diagonal + (a[i - 1] != b[k - 1]));
            if (above + 1 < best) best = (uint8_t)(above + 1);
            if (row[k - 1] + 1 < best) best = (uint8_t)(row[k - 1] + 1);
            row[k] = best;
            diagonal = above;
        }
    }
    return row[m];
}

static uint32_t folded(char *out, uint32_t cap, const char *p, size_t len) {
    uint32_t n = 0;
    for (size_t i = 0; i < len && n < cap; i++) {
        char c = p[i];
        if (c >= 'A' && c <= 'Z') c = (char)(c | 32);
        if ((c >= 'a' && c <= 'z') || is_digit(c)) out[n++] = c;
    }
    return n;
}

static bool is_near(const char *want, uint32_t n, const char *name, size_t len) {
    char have[64];
    for (size_t from = 0;;) { /* the whole name, and each of its ends behind a dot */
        uint32_t m = folded(have, sizeof have, name + from, len - from);
        if (n && m && distance(want, n, have, m) <= (n > 3 ? 2u : 1u)) return true;
        if (n >= 3 && m >= n && memmem(have, m, want, n)) return true;
        const char *dot = memchr(name + from, '.', len - from);
        if (!dot) return false;
        from = (size_t)(dot - name) + 1;
    }
}

static JSValue throw_unknown(JSContext *ctx, struct space *s, JSAtom name) {
    struct buf path = {0}, near = {0}, text = {0};
    char want[64];
    JSValue word = JS_AtomToString(ctx, name);
    put_path(&path, ctx, s->path);
    buf_utf8_of(&text, ctx, word);
    uint32_t n = folded(want, sizeof want, text.p ? text.p : "", text.len), shown = 0;
    for (uint32_t i = 0; i < tools.len && shown < 3; i++) {
        struct buf one = {0};
        buf_utf8_of(&one, ctx, tools.items[i].name);
        if (is_near(want, n, one.p ? one.p : "", one.len)) {
            buf_str(&near, shown++ ? ", " : "did you mean ");
            put_path(&near, ctx, tools.items[i].name);
        }
        buf_free(&one);
    }
    if (shown) buf_lit(&near, "? ");
    buf_putc(&path, 0);
    buf_putc(&near, 0);
    if (text.len > 60)
        for (text.len = 60; text.len && ((uint8_t)text.p[text.len] & 0xc0) == 0x80;) text.len--;
    buf_putc(&text, 0);
    if (tools.len)
        JS_ThrowTypeError(ctx, "%s has no '%s'; %.150sObject.keys(%s) lists what there is", path.p, text.p, near.p, path.p);
    else
        JS_ThrowTypeError(ctx, "%s has no '%s'; no tools are offered here", path.p, text.p);
    buf_free(&path);
    buf_free(&near);
    buf_free(&text);
    JS_FreeValue(ctx, word);
    return JS_EXCEPTION;
}

/* What the language and its libraries ask of any object: not there, and no error. */
static bool is_harmless(JSContext *ctx, JSAtom name) {
    static const char *const asked[] = {"then", "toJSON", "inspect", "nodeType", "length", "asymmetricMatch", "$$typeof", "__esModule"};
    if (__JS_AtomIsTaggedInt(name)) return false;
    JSString *s = ctx->rt->atom_array[name];
    if (s->is_wide_char) return false;
    for (size_t i = 0; i < countof(asked); i++)
        if (strlen(asked[i]) == s->len && !memcmp(str8(s), asked[i], s->len)) return true;
    return false;
}

static JSValue space_get(JSContext *ctx, JSValueConst v, JSAtom name, JSValueConst receiver) {
    struct space *s = space_of(v);
    JSProperty *pr = s ? member(s->members, name, NULL) : NULL;
    if (likely(pr != NULL)) return js_dup(pr->u.value);
    JSValueConst proto = ctx->class_proto[JS_CLASS_OBJECT];
    int has = JS_HasProperty(ctx, proto, name);
    if (has < 0) return JS_EXCEPTION;
    if (has) return JS_GetPropertyInternal(ctx, proto, name, receiver, false);
    if (!s || JS_AtomGetKind(ctx, name) != JS_ATOM_KIND_STRING || is_harmless(ctx, name)) return JS_UNDEFINED;
    return throw_unknown(ctx, s, name);
}

static const JSClassExoticMethods space_methods = {
    .get_own_property = space_own, .get_own_property_names = space_names, .delete_property = space_delete,
    .define_own_property = space_define, .get_property = space_get, .set_property = space_set,
};

/* Puts a value under a part of a name, and under the identifier that the part becomes. */
static void put_member(JSContext *ctx, JSValueConst container, JSString *part, JSValue value) {
    JSValue exact = js_dup(JS_MKPTR(JS_TAG_STRING, part));
    JSAtom atom = JS_NewAtomStr(ctx, JS_VALUE_GET_STRING(js_dup(exact)));
    bool plain = true;
    struct buf b = {0};
    JSString *s = JS_VALUE_GET_STRING(exact);
    for (uint32_t i = 0; i < s->len;) {
        uint32_t c = str_next(s, &i);
        char tmp[4];
        bool ok = is_name_char(c) && !is_lead(c) && !is_trail(c);
        plain &= ok;
        if (ok) buf_put(&b, tmp, utf8_put(tmp, c));
        else buf_putc(&b, '_');
    }
    JS_DefinePropertyValue(ctx, container, atom, js_dup(value), JS_PROP_ENUMERABLE | JS_PROP_CONFIGURABLE);
    if (!plain) {
        JSAtom alias = JS_NewAtomLen(ctx, b.p ? b.p : "", b.len);
        if (!member(container, alias, NULL)) JS_DefinePropertyValue(ctx, container, alias, js_dup(value), JS_PROP_CONFIGURABLE);
        JS_FreeAtom(ctx, alias);
    }
    buf_free(&b);
    JS_FreeAtom(ctx, atom);
    JS_FreeValue(ctx, value);
    JS_FreeValue(ctx, exact);
}

static void move_members(JSContext *ctx, JSValueConst from, JSValueConst to) {
    JSObject *p = JS_VALUE_GET_OBJ(from);
    for (int i = 0; i < p->shape->prop_count; i++) {
        JSShapeProperty *prs = &get_shape_prop(p->shape)[i];
        if (prs->atom == JS_ATOM_NULL) continue;
        JS_DefinePropertyValue(ctx, to, prs->atom, js_dup(p->prop[i].u.value), (int)(prs->flags & JS_PROP_ENUMERABLE) | JS_PROP_CONFIGURABLE);
    }
}

/* Where members of a value lie: of a namespace beside it, of a tool that is a namespace too on the function. */
static JSValueConst holder_of(JSValueConst v) {
    struct space *s = space_of(v);
    return s ? s->members : v;
}

static void tool_place(JSContext *ctx, const struct tool *t) {
    JSString *name = JS_VALUE_GET_STRING(t->name);
    JSValue at = js_dup(tools.root);
    uint32_t from = 0;
    for (uint32_t i = 0; i <= name->len && !JS_IsException(at); i++) {
        bool end = i == name->len;
        if (!end && (string_get(name, (int)i) != '.' || i == from)) continue;
        JSValue part = js_sub_string(ctx, name, (int)from, (int)i);
        if (JS_IsException(part)) break;
        JSAtom atom = JS_NewAtomStr(ctx, JS_VALUE_GET_STRING(js_dup(part)));
        JSProperty *pr = member(holder_of(at), atom, NULL);
        JSValue there = pr ? js_dup(pr->u.value) : JS_UNDEFINED;
        JS_FreeAtom(ctx, atom);
        if (end) {
            struct space *s = space_of(there);
            if (s) move_members(ctx, s->members, t->function);
            put_member(ctx, holder_of(at), JS_VALUE_GET_STRING(part), js_dup(t->function));
        } else if (!obj_of(there)) {
            JS_FreeValue(ctx, there);
            there = space_new(ctx, js_sub_string(ctx, name, 0, (int)i));
            if (!JS_IsException(there)) put_member(ctx, holder_of(at), JS_VALUE_GET_STRING(part), js_dup(there));
        }
        JS_FreeValue(ctx, part);
        JS_FreeValue(ctx, at);
        at = there;
        from = i + 1;
    }
    JS_FreeValue(ctx, at);
    JSAtom whole = JS_NewAtomStr(ctx, JS_VALUE_GET_STRING(js_dup(t->name)));
    JSValueConst root = holder_of(tools.root);
    if (!member(root, whole, NULL)) JS_DefinePropertyValue(ctx, root, whole, js_dup(t->function), JS_PROP_CONFIGURABLE);
    JS_FreeAtom(ctx, whole);
}

/* ---- calls --------------------------------------------------------------------------------------------------------- */

static JSValue promise_of(JSContext *ctx, JSValueConst tool) {
    JSValue v = JS_NewObjectProtoClass(ctx, tools.promise_proto, JS_CLASS_PROMISE);
    JSPromiseData *s = JS_IsException(v) ? NULL : js_mallocz(ctx, sizeof *s);
    if (!s) {
        JS_FreeValue(ctx, v);
        return JS_EXCEPTION;
    }
    s->promise_state = JS_PROMISE_PENDING;
    init_list_head(&s->promise_reactions[0]);
    init_list_head(&s->promise_reactions[1]);
    s->promise_result = JS_UNDEFINED;
    JS_SetOpaqueInternal(v, s);
    JSProperty *pr = add_property(ctx, JS_VALUE_GET_OBJ(v), tools.tool_atom, 0);
    if (pr) pr->u.value = js_dup(tool);
    return v;
}

/* A promise that is settled already; takes the reference of value. */
static JSValue settled(JSContext *ctx, JSValueConst tool, bool ok, JSValue value) {
    JSValue promise = promise_of(ctx, tool);
    if (!JS_IsException(promise)) fulfill_or_reject_promise(ctx, promise, value, !ok);
    JS_FreeValue(ctx, value);
    return promise;
}

static JSValue call_error(JSContext *ctx, JSValueConst v, JSValueConst tool) {
    JSValue error = decode_error(ctx, v);
    if (JS_IsException(error)) return error;
    JSValue id = own_data(ctx, v, "call");
    bool known = JS_IsString(id) && !string_is(id, ""); /* a call that was refused outright has none */
    if (known) JS_DefinePropertyValueStr(ctx, error, "callId", js_dup(id), JS_PROP_C_W_E);
    JS_FreeValue(ctx, id);
    JS_DefinePropertyValueStr(ctx, error, "tool", js_dup(tool), JS_PROP_C_W_E);
    return error;
}

/* Rejected with an error that arose here, before the host was asked. */
static JSValue refused(JSContext *ctx, JSValueConst tool, const char *message) {
    JSValue error = JS_MakeError2(ctx, JS_TYPE_ERROR, true, message);
    if (JS_IsException(error)) return error;
    JS_DefinePropertyValueStr(ctx, error, "tool", js_dup(tool), JS_PROP_C_W_E);
    return settled(ctx, tool, false, error);
}

static JSValue stack_here(JSContext *ctx) {
    JSValue error = JS_MakeError2(ctx, JS_PLAIN_ERROR, true, ""), stack = raw_stack(ctx, error);
    JS_FreeValue(ctx, error);
    return stack;
}

static void call_settle(JSContext *ctx, uint32_t id, bool ok, JSValueConst value) {
    for (uint32_t i = 0; i < calls.len; i++) {
        if (calls.items[i].id != id) continue;
        struct call c = calls.items[i];
        if (c.handling) calls.handling--;
        calls.items[i] = calls.items[--calls.len];
        JSValue v = !ok && obj_of(value) ? call_error(ctx, value, c.tool) : js_dup(value);
        if (!ok && class_of(v) == JS_CLASS_ERROR) set_value(ctx, &JS_VALUE_GET_OBJ(v)->u.object_data, js_dup(c.stack));
        if (JS_IsException(v)) v = JS_GetException(ctx);
        fulfill_or_reject_promise(ctx, c.promise, v, !ok);
        JS_FreeValue(ctx, v);
        call_free(ctx, &c);
        return;
    }
}

/* One object that is nothing in particular: the named arguments. */
static bool is_plain(JSContext *ctx, JSValueConst v) {
    JSObject *p = obj_of(v);
    if (!p) return false;
    if (p->class_id == JS_CLASS_PROXY) return !JS_IsFunction(ctx, v) && js_is_array(ctx, v) == 0;
    return p->class_id == JS_CLASS_OBJECT && !registered_of(ctx, p);
}

static int put_arguments(struct encoder *e, int argc, JSValueConst *argv) {
    while (argc && JS_IsUndefined(argv[argc - 1])) argc--;
    if (argc == 1 && is_plain(e->ctx, argv[0])) {
        buf_lit(e->out, ",[],");
        return enc_value(e, argv[0]);
    }
    buf_lit(e->out, ",[");
    for (int i = 0; i < argc; i++) {
        if (i) buf_putc(e->out, ',');
        if (enc_item(e, argv[i])) return -1;
    }
    buf_lit(e->out, "],{}");
    return 0;
}

static JSValue answer_of(JSContext *ctx, JSValueConst tool, struct reply *r) {
    JSValue answer = message_read(ctx, r->p, (size_t)r->len), *part;
    uint32_t n;
    if (JS_IsException(answer)) return answer;
    if (!js_get_fast_array(ctx, answer, &part, &n) || n != 2) {
        JS_FreeValue(ctx, answer);
        return refused(ctx, tool, "the host gave a damaged answer");
    }
    bool ok = JS_VALUE_GET_TAG(part[0]) == JS_TAG_BOOL && JS_VALUE_GET_BOOL(part[0]);
    JSValue value = !ok && obj_of(part[1]) ? call_error(ctx, part[1], tool) : js_dup(part[1]);
    JS_FreeValue(ctx, answer);
    return JS_IsException(value) ? value : settled(ctx, tool, ok, value);
}

static JSValue call_pending(JSContext *ctx, JSValueConst tool, uint32_t id) {
    if (calls.len == calls.cap) {
        uint32_t cap = calls.cap ? calls.cap * 2 : 8;
        void *p = realloc(calls.items, cap * sizeof *calls.items);
        if (!p) return JS_ThrowOutOfMemory(ctx);
        calls.items = p;
        calls.cap = cap;
    }
    JSValue promise = promise_of(ctx, tool);
    if (JS_IsException(promise)) return promise;
    calls.items[calls.len++] = (struct call){.id = id, .promise = js_dup(promise), .tool = js_dup(tool), .stack = stack_here(ctx)};
    return promise;
}

/* The body of every tool; data[0] is its exact name. */
static JSValue tool_call(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int magic, JSValueConst *data) {
    (void)this_val, (void)magic;
    char first[512];
    struct buf b;
    struct encoder e;
    struct reply r = {.p = r.first, .len = -1};
    uint32_t id = ++calls.last_id, kept = attachments.len;
    JSValueConst tool = data[0];
    buf_init(&b, first, sizeof first);
    buf_putc(&b, '[');
    encoder_init(&e, ctx, &b, 64u << 20, MAX_DEPTH);
    e.long_text = true;
    enc_int(&e, (int32_t)(id & INT32_MAX));
    buf_putc(&b, ',');
    json_string(&b, JS_VALUE_GET_STRING(tool));
    int failed = put_arguments(&e, argc, argv);
    buf_putc(&b, ']');
    bool sound = !failed && !e.stopped && JS_IsUndefined(e.waits) && JS_IsUninitialized(e.thrown);
    if (likely(sound)) send(WH_CALL_START, &b, kept, &r);
    buf_free(&b);
    attachments_cut(ctx, kept);
    JSValue result;
    if (e.stopped) {
        JS_ThrowInterrupted(ctx);
        result = JS_EXCEPTION;
    } else if (!JS_IsUninitialized(e.thrown)) {
        result = settled(ctx, tool, false, js_dup(e.thrown));
    } else if (!JS_IsUndefined(e.waits)) {
        result = refused(ctx, tool, "an argument holds a promise that is still pending: write `await` before it");
    } else if (failed) {
        result = refused(ctx, tool, "the arguments are too large");
    } else if (r.len < 0) {
        result = refused(ctx, tool, "the host refused the call");
    } else {
        result = r.len ? answer_of(ctx, tool, &r) : call_pending(ctx, tool, id);
    }
    JS_FreeValue(ctx, e.waits);
    JS_FreeValue(ctx, e.thrown);
    reply_free(&r);
    return result;
}

/* A call that nobody awaited, used as text. */
static JSValue not_awaited(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    JSProperty *pr = member(this_val, tools.tool_atom, NULL);
    struct buf b = {0};
    put_path(&b, ctx, pr ? pr->u.value : JS_UNDEFINED);
    buf_putc(&b, 0);
    JS_ThrowTypeError(ctx, "%.100s(...) was not awaited: its result is used before it is there; write await %.100s(...)", b.p ? b.p : "",
                      b.p ? b.p : "");
    buf_free(&b);
    return JS_EXCEPTION;
}

/* ---- tools of the guest's own code ------------------------------------------------------------------------------------- */

static struct registration *registration_of(JSValueConst name, bool public_too) {
    JSString *s = JS_IsString(name) && JS_VALUE_GET_TAG(name) == JS_TAG_STRING ? JS_VALUE_GET_STRING(name) : NULL;
    for (uint32_t i = 0; s && i < tools.own_len; i++) {
        struct registration *r = &tools.own[i];
        if (!js_string_compare(s, JS_VALUE_GET_STRING(r->name))) return r;
        if (public_too && !js_string_compare(s, JS_VALUE_GET_STRING(r->public))) return r;
    }
    return NULL;
}

static void registration_free(JSContext *ctx, struct registration *r) {
    JS_FreeValue(ctx, r->name);
    JS_FreeValue(ctx, r->public);
    JS_FreeValue(ctx, r->handler);
    JS_FreeValue(ctx, r->definition);
}

/* Takes the references of name and line. */
static bool tool_add(JSContext *ctx, JSValue name, JSValue line, bool own) {
    JSString *s = JS_IsString(name) ? JS_VALUE_GET_STRING(name) : NULL;
    struct tool *t = NULL;
    if (s && s->len && s->len <= 1000) {
        if (tools.len == tools.cap) {
            uint32_t cap = tools.cap ? tools.cap * 2 : 16;
            void *p = realloc(tools.items, cap * sizeof *tools.items);
            if (p) tools.items = p, tools.cap = cap;
        }
        JSValue f = tools.len < tools.cap ? JS_NewCFunctionData(ctx, tool_call, 0, 0, 1, vc(&name)) : JS_EXCEPTION;
        if (!JS_IsException(f)) {
            JS_DefinePropertyValue(ctx, f, JS_ATOM_name, js_dup(name), JS_PROP_CONFIGURABLE);
            t = &tools.items[tools.len++];
            *t = (struct tool){name, f, line, own};
            tool_place(ctx, t);
            return true;
        }
    }
    JS_FreeValue(ctx, name);
    JS_FreeValue(ctx, line);
    return false;
}

static void tool_drop(JSContext *ctx, uint32_t i) {
    struct tool t = tools.items[i];
    memmove(tools.items + i, tools.items + i + 1, (--tools.len - i) * sizeof t);
    JS_FreeValue(ctx, t.name);
    JS_FreeValue(ctx, t.function);
    JS_FreeValue(ctx, t.line);
}

static void tools_replace(JSContext *ctx) {
    struct space *root = space_of(tools.root);
    set_value(ctx, &root->members, JS_NewObjectProto(ctx, JS_NULL));
    for (uint32_t i = 0; i < tools.len; i++) tool_place(ctx, &tools.items[i]);
}

/* Drops what is offered under a name that is registered anew or no longer. */
static void tool_forget(JSContext *ctx, JSValueConst name) {
    for (uint32_t i = tools.len; i-- > 0;)
        if (!js_string_compare(JS_VALUE_GET_STRING(tools.items[i].name), JS_VALUE_GET_STRING(name))) tool_drop(ctx, i);
}

/* Sends a message about a tool and gives the value of the answer; throws what the host has to say against it. */
static JSValue tool_message(JSContext *ctx, struct buf *b) {
    struct reply r;
    send(WH_CALL_TOOL, b, attachments.len, &r);
    if (r.len <= 0) {
        reply_free(&r);
        return JS_ThrowTypeError(ctx, "tools cannot be registered here");
    }
    JSValue answer = message_read(ctx, r.p, (size_t)r.len), *part, v = JS_UNDEFINED;
    uint32_t n;
    reply_free(&r);
    if (JS_IsException(answer)) return answer;
    if (js_get_fast_array(ctx, answer, &part, &n) && n == 2) {
        bool ok = JS_VALUE_GET_TAG(part[0]) == JS_TAG_BOOL && JS_VALUE_GET_BOOL(part[0]);
        if (ok) {
            v = js_dup(part[1]);
        } else if (obj_of(part[1])) {
            v = decode_error(ctx, part[1]);
            if (!JS_IsException(v)) v = JS_Throw(ctx, v);
        }
    }
    JS_FreeValue(ctx, answer);
    return v;
}

static bool is_tool_name(JSValueConst v) {
    JSString *s = JS_VALUE_GET_TAG(v) == JS_TAG_STRING ? JS_VALUE_GET_STRING(v) : NULL;
    if (!s || !s->len || s->len > 111) return false;
    for (uint32_t i = 0; i < s->len; i++) {
        uint32_t c = (uint32_t)string_get(s, (int)i);
        if (c >= 128 || (c != '-' && (c == '$' || !is_name_char(c)))) return false;
    }
    return true;
}

/* ,"key":value of a definition; false: it does not do, and an error is thrown. */
static bool put_schema(JSContext *ctx, struct buf *b, JSValueConst schema) {
    struct encoder e;
    uint32_t kept = attachments.len;
    encoder_init(&e, ctx, b, 1u << 20, 64);
    bool ok = is_plain(ctx, schema) && !enc_value(&e, schema) && !e.tags && !b->failed;
    attachments_cut(ctx, kept);
    JS_FreeValue(ctx, e.waits);
    JS_FreeValue(ctx, e.thrown);
    if (e.stopped) JS_ThrowInterrupted(ctx);
    else if (!ok) JS_ThrowTypeError(ctx, "registerTool: the schema must be an object that JSON can hold: the JSON schema of the input");
    return ok;
}

static JSValue register_tool(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val;
    JSValue name = argc > 0 ? flat_string(ctx, argv[0]) : JS_UNDEFINED, description = JS_UNDEFINED, title = JS_UNDEFINED;
    JSValue public = JS_UNDEFINED;
    struct buf fields = {0}, message = {0}, definition = {0}, line = {0};
    if (!is_tool_name(name)) {
        JS_ThrowTypeError(ctx, "registerTool: the name must have 1 to 111 characters out of letters, digits, _ and -");
        goto fail;
    }
    if (argc < 2 || !JS_IsString(argv[1])) {
        JS_ThrowTypeError(ctx, "registerTool: the description must be a string");
        goto fail;
    }
    if (argc < 4 || !JS_IsFunction(ctx, argv[3])) {
        JS_ThrowTypeError(ctx, "registerTool(name, description, schema, handler): the handler must be a function");
        goto fail;
    }
    if (argc > 4 && JS_IsObject(argv[4])) {
        title = JS_GetPropertyStr(ctx, argv[4], "displayName");
        if (JS_IsException(title)) goto fail;
        if (JS_IsString(title)) set_value(ctx, &title, flat_string(ctx, title));
        else if (!JS_IsUndefined(title)) {
            JS_ThrowTypeError(ctx, "registerTool: displayName must be a string");
            goto fail;
        }
    }
    description = flat_string(ctx, argv[1]);
    if (JS_IsException(description)) goto fail;
    buf_lit(&fields, "{\"name\":");
    json_string(&fields, JS_VALUE_GET_STRING(name));
    buf_lit(&fields, ",\"description\":");
    json_string(&fields, JS_VALUE_GET_STRING(description));
    if (JS_VALUE_GET_TAG(title) == JS_TAG_STRING) {
        buf_lit(&fields, ",\"displayName\":");
        json_string(&fields, JS_VALUE_GET_STRING(title));
    }
    buf_lit(&fields, ",\"schema\":");
    if (!put_schema(ctx, &fields, argv[2])) goto fail;
    buf_lit(&message, "[\"register\",");
    buf_put(&message, fields.p, fields.len);
    buf_lit(&message, "}]");
    public = tool_message(ctx, &message);
    if (JS_IsException(public)) goto fail;
    if (JS_VALUE_GET_TAG(public) != JS_TAG_STRING) {
        JS_ThrowTypeError(ctx, "tools cannot be registered here");
        goto fail;
    }
    struct registration *r = registration_of(name, false);
    if (!r) {
        if (tools.own_len == tools.own_cap) {
            uint32_t cap = tools.own_cap ? tools.own_cap * 2 : 8;
            void *p = realloc(tools.own, cap * sizeof *tools.own);
            if (!p) {
                JS_ThrowOutOfMemory(ctx);
                goto fail;
            }
            tools.own = p;
            tools.own_cap = cap;
        }
        r = &tools.own[tools.own_len++];
    } else {
        registration_free(ctx, r);
    }
    buf_put(&definition, fields.p, fields.len);
    buf_lit(&definition, ",\"publicName\":");
    json_string(&definition, JS_VALUE_GET_STRING(public));
    buf_putc(&definition, '}');
    *r = (struct registration){name, js_dup(public), js_dup(argv[3]), JS_NewStringLen(ctx, definition.p, definition.len)};
    buf_lit(&line, "(input)  ");
    buf_utf8_of(&line, ctx, description);
    tool_forget(ctx, public);
    tool_add(ctx, js_dup(public), JS_NewStringLen(ctx, line.p, line.len), true);
    name = JS_UNDEFINED;
    goto end;
fail:
    JS_FreeValue(ctx, public);
    public = JS_EXCEPTION;
end:
    JS_FreeValue(ctx, name);
    JS_FreeValue(ctx, description);
    JS_FreeValue(ctx, title);
    buf_free(&fields);
    buf_free(&message);
    buf_free(&definition);
    buf_free(&line);
    return public;
}

static JSValue unregister_tool(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val;
    JSValue name = argc > 0 && JS_IsString(argv[0]) ? flat_string(ctx, argv[0]) : JS_UNDEFINED;
    struct registration *r = registration_of(name, true);
    JS_FreeValue(ctx, name);
    if (!r) return JS_FALSE;
    struct buf b = {0};
    buf_lit(&b, "[\"unregister\",");
    json_string(&b, JS_VALUE_GET_STRING(r->name));
    buf_putc(&b, ']');
    JSValue v = tool_message(ctx, &b);
    buf_free(&b);
    if (JS_IsException(v)) return v;
    JSAtom public = JS_NewAtomStr(ctx, JS_VALUE_GET_STRING(js_dup(r->public)));
    tool_forget(ctx, r->public);
    delete_property(ctx, JS_VALUE_GET_OBJ(holder_of(tools.root)), public);
    JS_FreeAtom(ctx, public);
    registration_free(ctx, r);
    *r = tools.own[--tools.own_len];
    JS_FreeValue(ctx, v);
    return JS_TRUE;
}

static JSValue definition_of(JSContext *ctx, const struct registration *r) {
    struct buf b = {0};
    buf_utf8_of(&b, ctx, r->definition);
    buf_putc(&b, 0);
    JSValue v = b.failed ? JS_ThrowOutOfMemory(ctx) : JS_ParseJSON(ctx, b.p, b.len - 1, "<tool>");
    buf_free(&b);
    return v;
}

static JSValue get_tool(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val;
    JSValue name = argc > 0 && JS_IsString(argv[0]) ? flat_string(ctx, argv[0]) : JS_UNDEFINED;
    struct registration *r = registration_of(name, true);
    JS_FreeValue(ctx, name);
    return r ? definition_of(ctx, r) : JS_UNDEFINED;
}

static JSValue list_tools(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    JSValue list = JS_NewArray(ctx);
    for (uint32_t i = 0; i < tools.own_len && !JS_IsException(list); i++) {
        JSValue one = definition_of(ctx, &tools.own[i]);
        if (JS_IsException(one) || JS_DefinePropertyValueUint32(ctx, list, i, one, JS_PROP_C_W_E) < 0) {
            JS_FreeValue(ctx, list);
            return JS_EXCEPTION;
        }
    }
    return list;
}

/* Tells the host how a handler has ended. */
static void handled(JSContext *ctx, uint32_t id, bool ok, JSValueConst value) {
    struct buf b = {0};
    struct encoder e;
    struct reply r;
    uint32_t kept = attachments.len, i = 0;
    while (i < calls.len && calls.items[i].id != id) i++;
    if (i == calls.len || !calls.items[i].handling) return; /* of an earlier cell: nobody waits for it */
    calls.items[i].handling = false;
    calls.handling--;
    buf_printf(&b, "[%u,%s,", id, ok ? "true" : "false");
    size_t start = b.len;
    encoder_init(&e, ctx, &b, 64u << 20, MAX_DEPTH);
    int failed = 0;
    if (ok) {
        e.long_text = true;
        failed = enc_item(&e, value);
    } else {
        bool is_error = JS_IsError(value);
        buf_lit(&b, "{\"type\":");
        enc_text(&e, is_error ? error_name(ctx, value) : JS_NewString(ctx, "Error"));
        buf_lit(&b, ",\"message\":");
        JSValueConst args[2] = {value, js_uint32(2000)};
        JSValue text = is_error ? error_message(ctx, value) : JS_IsString(value) ? js_dup(value) : inner_call(g.fn[FN_INSPECT], 2, args);
        if (JS_IsException(text)) text = (JS_FreeValue(ctx, JS_GetException(ctx)), JS_UNDEFINED);
        enc_text(&e, text);
        buf_putc(&b, '}');
    }
    if (failed || !JS_IsUninitialized(e.thrown) || !JS_IsUndefined(e.waits)) {
        attachments_cut(ctx, kept);
        b.len = start;
        b.failed = false;
        b.len -= ok ? 5 : 6; /* "true," or "false," */
        buf_str(&b, "false,{\"type\":\"TypeError\",\"message\":"
                    "\"the handler's result is too large, or holds a promise that is not settled\"}");
    }
    buf_putc(&b, ']');
    if (!e.stopped) {
        send(WH_CALL_HANDLED, &b, kept, &r);
        reply_free(&r);
    }
    attachments_cut(ctx, kept);
    JS_FreeValue(ctx, e.waits);
    JS_FreeValue(ctx, e.thrown);
    buf_free(&b);
}

static JSValue handler_ended(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int ok, JSValueConst *data) {
    (void)this_val;
    handled(ctx, (uint32_t)JS_VALUE_GET_INT(data[0]), ok != 0, argc > 0 ? argv[0] : JS_UNDEFINED);
    return JS_UNDEFINED;
}

static JSValue handler_call(JSContext *ctx, JSValueConst name, JSValueConst input) {
    struct registration *r = registration_of(name, true);
    if (!r) return JS_ThrowReferenceError(ctx, "no tool of that name is registered any more");
    JSValue handler = js_dup(r->handler), v = JS_Call(ctx, handler, JS_UNDEFINED, 1, &input);
    JS_FreeValue(ctx, handler);
    return v;
}

/* Runs the handler for the call of that id; its end is reported whenever it comes. false: a stop. */
static bool handler_run(JSContext *ctx, uint32_t id, JSValueConst name, JSValueConst input) {
    uint32_t i = 0;
    while (i < calls.len && calls.items[i].id != id) i++;
    if (i == calls.len) return true;
    calls.items[i].handling = true;
    calls.handling++;
    JSValue v = handler_call(ctx, name, input);
    if (JS_IsException(v)) {
        if (took_stop(ctx)) return false;
        v = JS_GetException(ctx);
        handled(ctx, id, false, v);
        JS_FreeValue(ctx, v);
        return !g.stop;
    }
    JSValue promise = JS_IsPromise(v) ? js_dup(v) : JS_NewSettledPromise(ctx, false, v), number = js_int32((int32_t)id);
    JS_FreeValue(ctx, v);
    JSValue then[2];
    for (int bad = 0; bad < 2; bad++) then[bad] = JS_NewCFunctionData(ctx, handler_ended, 1, !bad, 1, vc(&number));
    JSValue next = JS_IsException(promise) ? JS_EXCEPTION : JS_PromiseThen(ctx, promise, then[0], then[1]);
    bool ok = !JS_IsException(next);
    JS_FreeValue(ctx, next);
    JS_FreeValue(ctx, then[0]);
    JS_FreeValue(ctx, then[1]);
    JS_FreeValue(ctx, promise);
    return ok;
}

/* ---- the manifest, and the globals ----------------------------------------------------------------------------------------- */

/* "(path: string): Promise<string>  Reads a file": the signature, and the first line of the text. */
static JSValue tool_line(JSContext *ctx, JSValueConst entry) {
    struct buf b = {0};
    JSValue signature = own_data(ctx, entry, "signature"), doc = own_data(ctx, entry, "doc");
    buf_utf8_of(&b, ctx, signature);
    size_t at = b.len ? b.len : (buf_lit(&b, "(...)"), b.len);
    buf_lit(&b, "  ");
    buf_utf8_of(&b, ctx, doc);
    char *nl = b.p ? memchr(b.p + at, '\n', b.len - at) : NULL;
    if (nl) b.len = (size_t)(nl - b.p);
    while (b.len && b.p[b.len - 1] == ' ') b.len--;
    JSValue v = JS_NewStringLen(ctx, b.p ? b.p : "", b.len);
    buf_free(&b);
    JS_FreeValue(ctx, signature);
    JS_FreeValue(ctx, doc);
    return v;
}

static bool is_tool(JSValueConst v) {
    JSCFunctionDataRecord *r = JS_GetOpaque(v, JS_CLASS_C_FUNCTION_DATA);
    return r && r->func == tool_call;
}

/* The first parts of the names as globals, where nothing of that name is there. */
static void bare_names(JSContext *ctx) {
    JSValueConst members = holder_of(tools.root);
    JSObject *p = JS_VALUE_GET_OBJ(members), *global = JS_VALUE_GET_OBJ(ctx->global_obj);
    JSProperty *pr;
    for (int i = 0; i < p->shape->prop_count; i++) {
        JSAtom name = get_shape_prop(p->shape)[i].atom;
        if (name == JS_ATOM_NULL || find_own_property(&pr, JS_VALUE_GET_OBJ(ctx->global_var_obj), name)) continue;
        JSShapeProperty *prs = find_own_property(&pr, global, name);
        JSValueConst value = p->prop[i].u.value;
        if (prs) { /* ours of an earlier manifest: the tool may have become another function */
            bool ours = (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL && obj_of(pr->u.value) &&
                        (space_of(pr->u.value) || is_tool(pr->u.value));
            if (ours) set_value(ctx, &pr->u.value, js_dup(value));
        } else if (!find_own_property(&pr, JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_OBJECT]), name)) {
            pr = add_property(ctx, global, name, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
            if (pr) pr->u.value = js_dup(value);
        }
    }
}

/* offered(name): whether the host offers a tool of that name. */
static JSValue tool_is_offered(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    for (uint32_t i = 0; i < tools.len; i++)
        if (!tools.items[i].registered && js_strict_eq(ctx, tools.items[i].name, argv[0])) return JS_TRUE;
    return JS_FALSE;
}

static void add_global(JSContext *ctx, JSAtom name, JSValueConst value) {
    JSProperty *pr;
    JSObject *global = JS_VALUE_GET_OBJ(ctx->global_obj);
    if (find_own_property(&pr, JS_VALUE_GET_OBJ(ctx->global_var_obj), name) || find_own_property(&pr, global, name)) return;
    pr = add_property(ctx, global, name, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    if (pr) pr->u.value = js_dup(value);
}

static bool is_short_form(JSContext *ctx, JSAtom name, JSValueConst value) {
    JSProperty *pr;
    JSObject *p = obj_of(tools.forms);
    return p && find_own_property(&pr, p, name) && js_strict_eq(ctx, pr->u.value, value);
}

/* Those of an earlier manifest go, but for what a cell has put in their place. */
static void short_forms_drop(JSContext *ctx) {
    JSObject *global = JS_VALUE_GET_OBJ(ctx->global_obj), *p = obj_of(tools.forms);
    for (int i = 0; p && i < p->shape->prop_count; i++) {
        JSAtom name = get_shape_prop(p->shape)[i].atom;
        JSProperty *pr;
        JSShapeProperty *prs = name == JS_ATOM_NULL ? NULL : find_own_property(&pr, global, name);
        bool ours = prs && (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL && js_strict_eq(ctx, pr->u.value, p->prop[i].u.value);
        if (ours && (prs->flags & JS_PROP_CONFIGURABLE)) delete_property(ctx, global, name);
    }
    set_value(ctx, &tools.forms, JS_UNDEFINED);
}

/* Short forms of what is offered, and the repository's hint, where no name of the guest's stands. */
static void short_forms_add(JSContext *ctx, JSValueConst hint) {
    JSValue offered = JS_NewCFunction(ctx, tool_is_offered, "offered", 1);
    JSValue args[] = {js_dup(tools.root), offered};
    JSValue made = JS_Call(ctx, tools.short_forms, JS_UNDEFINED, 2, vc(args));
    JS_FreeValue(ctx, args[0]);
    JS_FreeValue(ctx, args[1]);
    JSObject *p = obj_of(made);
    if (!p) {
        JS_FreeValue(ctx, JS_IsException(made) ? JS_GetException(ctx) : made);
        return;
    }
    if (JS_IsString(hint) && JS_VALUE_GET_STRING(hint)->len) JS_DefinePropertyValueStr(ctx, made, "repoHint", js_dup(hint), JS_PROP_C_W_E);
    for (int i = 0; i < p->shape->prop_count; i++) {
        JSAtom name = get_shape_prop(p->shape)[i].atom;
        if (name != JS_ATOM_NULL) add_global(ctx, name, p->prop[i].u.value);
    }
    set_value(ctx, &tools.forms, made);
}

static void tools_manifest(JSContext *ctx, char *json, size_t len) {
    JSValue v = JS_ParseJSON(ctx, json, len, "<tools>"), *items;
    uint32_t n;
    if (!obj_of(v)) {
        JS_FreeValue(ctx, JS_IsException(v) ? JS_GetException(ctx) : v);
        return;
    }
    JSValue list = own_data(ctx, v, "tools"), bare = own_data(ctx, v, "bare");
    for (uint32_t i = tools.len; i-- > 0;)
        if (!tools.items[i].registered) tool_drop(ctx, i);
    if (js_get_fast_array(ctx, list, &items, &n))
        for (uint32_t i = 0; i < n; i++) {
            JSValue name = obj_of(items[i]) ? own_data(ctx, items[i], "name") : JS_UNDEFINED;
            if (JS_VALUE_GET_TAG(name) != JS_TAG_STRING || registration_of(name, true)) JS_FreeValue(ctx, name);
            else tool_add(ctx, name, tool_line(ctx, items[i]), false);
        }
    tools_replace(ctx);
    tools.offered = true;
    tools.bare = JS_VALUE_GET_TAG(bare) == JS_TAG_BOOL && JS_VALUE_GET_BOOL(bare);
    if (tools.bare) bare_names(ctx);
    JSValue helpers = own_data(ctx, v, "helpers"), hint = own_data(ctx, v, "hint");
    tools.helpers = JS_VALUE_GET_TAG(helpers) == JS_TAG_BOOL && JS_VALUE_GET_BOOL(helpers);
    short_forms_drop(ctx);
    if (tools.helpers) short_forms_add(ctx, hint);
    JS_FreeValue(ctx, helpers);
    JS_FreeValue(ctx, hint);
    JS_FreeValue(ctx, list);
    JS_FreeValue(ctx, bare);
    JS_FreeValue(ctx, v);
}

/* A global as it should be, whatever a cell did to it. */
static void put_back(JSContext *ctx, JSAtom name, JSValueConst value) {
    JSObject *global = JS_VALUE_GET_OBJ(ctx->global_obj), *scope = JS_VALUE_GET_OBJ(ctx->global_var_obj);
    const uint32_t flags = JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE;
    JSProperty *pr;
    JSShapeProperty *prs = find_own_property(&pr, scope, name);
    if (prs) {
        if (!js_shape_prepare_update(ctx, scope, &prs)) prs->flags |= JS_PROP_CONFIGURABLE;
        delete_property(ctx, scope, name);
    }
    prs = find_own_property(&pr, global, name);
    if (prs && (prs->flags & (JS_PROP_TMASK | JS_PROP_C_W_E)) == flags && obj_of(pr->u.value) == obj_of(value)) return;
    if (prs) {
        if (!js_shape_prepare_update(ctx, global, &prs)) prs->flags |= JS_PROP_CONFIGURABLE;
        delete_property(ctx, global, name);
    }
    pr = add_property(ctx, global, name, (int)flags);
    if (pr) pr->u.value = js_dup(value);
}

/* Before each cell: the managed globals are there, and with the short forms an empty `o`. */
static void managed_put_back(JSContext *ctx) {
    if (!tools.offered) return;
    for (size_t i = 0; i < countof(managed_names); i++) put_back(ctx, tools.managed_atoms[i], tools.managed[i]);
    if (!tools.helpers) return;
    JSProperty *pr;
    if (find_own_property(&pr, JS_VALUE_GET_OBJ(ctx->global_var_obj), tools.object_atom)) return; /* a variable of the guest's */
    set_value(ctx, &tools.object, JS_NewObject(ctx));
    if (obj_of(tools.object)) put_back(ctx, tools.object_atom, tools.object);
}

/* `o`, if the cell has put something into it or in its place; else undefined. */
static JSValue prepared_object(JSContext *ctx) {
    JSProperty *pr;
    if (!tools.helpers || find_own_property(&pr, JS_VALUE_GET_OBJ(ctx->global_var_obj), tools.object_atom)) return JS_UNDEFINED;
    JSShapeProperty *prs = find_own_property(&pr, JS_VALUE_GET_OBJ(ctx->global_obj), tools.object_atom);
    if (!prs || (prs->flags & JS_PROP_TMASK) != JS_PROP_NORMAL) return JS_UNDEFINED;
    JSObject *p = obj_of(pr->u.value);
    bool untouched = p && p == obj_of(tools.object) && p->shape->prop_count == p->shape->deleted_prop_count;
    return untouched ? JS_UNDEFINED : js_dup(pr->u.value);
}

/* lib.shortForms(make): make(tools, offered) gives the short forms of what is offered. */
static JSValue lib_short_forms(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    set_value(ctx, &tools.short_forms, js_dup(argv[0]));
    return JS_UNDEFINED;
}

static JSValue lib_cell(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    return JS_NewUint32(ctx, g.cell);
}

/* lib.inspectText(value): as console.log shows it. */
static JSValue lib_inspect_text(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_val, (void)argc;
    JSValueConst args[] = {argv[0], js_uint32(100000)};
    return inner_call(g.fn[FN_INSPECT], 2, args);
}

/* lib.pledge(name, promise): the promise as that of a call, which says so where it was not awaited. */
static JSValue lib_pledge(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    const char *text = JS_ToCString(ctx, argv[0]);
    if (!text) return JS_EXCEPTION;
    char name[64];
    snprintf(name, sizeof name, "%c%s", SHORT_FORM, text);
    JS_FreeCString(ctx, text);
    JSValue label = JS_NewString(ctx, name), promise = promise_of(ctx, label), settle[2];
    JS_FreeValue(ctx, label);
    if (JS_IsException(promise)) return promise;
    if (js_create_resolving_functions(ctx, settle, promise)) {
        JS_FreeValue(ctx, promise);
        return JS_EXCEPTION;
    }
    JS_FreeValue(ctx, JS_Call(ctx, settle[0], JS_UNDEFINED, 1, &argv[1]));
    JS_FreeValue(ctx, settle[0]);
    JS_FreeValue(ctx, settle[1]);
    return promise;
}

/* lib.tools(object): the listing of `tools` or of a namespace, for the inspector. */
static JSValue lib_tools(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct space *s = space_of(argv[0]);
    if (!s) return JS_UNDEFINED;
    struct buf b = {0}, prefix = {0};
    const uint32_t most = 200;
    uint32_t shown = 0;
    buf_utf8_of(&prefix, ctx, s->path);
    if (prefix.len) buf_putc(&prefix, '.');
    for (uint32_t i = 0; i < tools.len; i++) {
        struct buf name = {0};
        buf_utf8_of(&name, ctx, tools.items[i].name);
        if (name.len >= prefix.len && !memcmp(name.p, prefix.p ? prefix.p : "", prefix.len) && shown++ < most) {
            if (b.len) buf_putc(&b, '\n');
            put_path(&b, ctx, tools.items[i].name);
            buf_utf8_of(&b, ctx, tools.items[i].line);
        }
        buf_free(&name);
    }
    if (shown > most) buf_printf(&b, "\n... %u more", shown - most);
    if (!shown) buf_lit(&b, "tools {}");
    JSValue v = JS_NewStringLen(ctx, b.p, b.len);
    buf_free(&b);
    buf_free(&prefix);
    return v;
}

static bool calls_init(JSContext *ctx) {
    static const JSCFunctionListEntry as_text[] = {
        JS_CFUNC_DEF("toString", 0, not_awaited), JS_CFUNC_DEF("toJSON", 0, not_awaited),
        JS_CFUNC_DEF("[Symbol.toPrimitive]", 1, not_awaited),
    };
    static JSCFunction *const bodies[] = {NULL, register_tool, unregister_tool, list_tools, get_tool};
    static const int lengths[] = {0, 5, 1, 0, 1};
    JSClassDef def = {"Tools", .finalizer = space_finalize, .gc_mark = space_mark, .exotic = (JSClassExoticMethods *)(void *)&space_methods};
    JS_NewClassID(ctx->rt, &tools.class_id);
    if (JS_NewClass(ctx->rt, tools.class_id, &def)) return false;
    JS_SetClassProto(ctx, tools.class_id, js_dup(ctx->class_proto[JS_CLASS_OBJECT]));
    tools.root = space_new(ctx, JS_NewString(ctx, ""));
    tools.managed[0] = tools.root;
    for (size_t i = 1; i < countof(bodies); i++) tools.managed[i] = JS_NewCFunction(ctx, bodies[i], managed_names[i], lengths[i]);
    for (size_t i = 0; i < countof(bodies); i++) {
        tools.managed_atoms[i] = JS_NewAtom(ctx, managed_names[i]);
        JS_DefinePropertyValue(ctx, ctx->global_obj, tools.managed_atoms[i], js_dup(tools.managed[i]),
                               JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    }
    tools.promise_proto = JS_NewObjectProto(ctx, ctx->class_proto[JS_CLASS_PROMISE]);
    JS_SetPropertyFunctionList(ctx, tools.promise_proto, as_text, countof(as_text));
    /* its own: awaiting the promise works whatever was done to Promise.prototype */
    JS_DefinePropertyValue(ctx, tools.promise_proto, JS_ATOM_constructor, js_dup(ctx->promise_ctor), 0);
    JS_FreezeObject(ctx, tools.promise_proto);
    JSValue symbol = JS_NewPrivateSymbol(ctx, "tool");
    tools.tool_atom = js_symbol_to_atom(ctx, symbol);
    tools.object_atom = JS_NewAtom(ctx, "o");
    tools.short_forms = tools.forms = tools.object = JS_UNDEFINED;
    return !JS_IsException(tools.root);
}
