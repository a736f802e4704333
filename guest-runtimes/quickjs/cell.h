/* From source to a function that runs: compiling a cell, and the names that it declares.
 *
 * The engine's parser is driven directly here instead of through JS_Eval, for what JS_Eval cannot do: a cell that is one
 * object literal, `return` at the top level, and a completion value that arrives as it is (JS_Eval wraps it into an object
 * and a promise, where guest code can interfere through Object.prototype.then). */

struct parse {
    bool object;  /* the whole cell is one expression that begins with a brace */
    bool returns; /* `return` is allowed at the top level */
};

/* ---- parsing ----------------------------------------------------------------------------------------------- */

static const char no_modules[] =
    "modules are not available here: there is no import, no export and no require; use the built-in globals, and the "
    "functions in `tools` for everything outside";

static int parse_no_modules(JSParseState *s) {
    int tok = s->token.val;
    if (tok == TOK_EXPORT) return js_parse_error(s, "%s", no_modules);
    if (tok != TOK_IMPORT) return 0;
    int next = peek_token(s, false);
    return next == '(' || next == '.' ? 0 : js_parse_error(s, "%s", no_modules);
}

/* Statements that can hold a `return` of the cell itself. The parser refuses `return` where is_eval is set, and uses is_eval
 * for little else: above all to put lexical declarations of the top level into the global scope, which these are not. */
static bool may_hold_return(int tok) {
    switch (tok) {
    case TOK_RETURN:
    case TOK_IF:
    case TOK_FOR:
    case TOK_WHILE:
    case TOK_DO:
    case TOK_TRY:
    case TOK_SWITCH:
    case TOK_WITH:
    case '{': return true;
    default: return false;
    }
}

static int parse_statements(JSParseState *s, bool returns) {
    JSFunctionDef *fd = s->cur_func;
    while (s->token.val != TOK_EOF) {
        if (parse_no_modules(s)) return -1;
        bool lax = returns && (may_hold_return(s->token.val) || is_label(s));
        fd->is_eval = !lax;
        int r = js_parse_source_element(s);
        fd->is_eval = true;
        if (r) return -1;
    }
    return 0;
}

static int parse_object(JSParseState *s) {
    if (js_parse_expr(s)) return -1;
    emit_op(s, OP_put_loc);
    emit_u16(s, s->cur_func->eval_ret_idx);
    return s->token.val == TOK_EOF ? 0 : js_parse_error(s, "not one expression");
}

/* The end of the cell is reached: it returns its completion value. */
static void emit_completion(JSParseState *s) {
    emit_op(s, OP_get_loc);
    emit_u16(s, s->cur_func->eval_ret_idx);
    emit_return(s, true);
}

static int parse_cell(JSParseState *s, struct parse how) {
    JSFunctionDef *fd = s->cur_func;
    if (next_token(s) || js_parse_directives(s)) return -1;
    fd->is_global_var = true;
    fd->eval_ret_idx = add_var(s->ctx, fd, JS_ATOM__ret_);
    if (fd->eval_ret_idx < 0) return -1;
    if (how.object ? parse_object(s) : parse_statements(s, how.returns)) return -1;
    emit_completion(s);
    return 0;
}

/* An async function without a parameter whose code is the cell, in the global scope. */
static JSValue compile_as(JSContext *ctx, const char *src, size_t len, const char *file, struct parse how) {
    JSParseState state, *s = &state;
    js_parse_init(ctx, s, src, len, file, 1);
    skip_shebang(&s->buf_ptr, s->buf_end);
    JSFunctionDef *fd = js_new_function_def(ctx, NULL, true, false, file, 1, 1);
    if (!fd) return JS_EXCEPTION;
    s->cur_func = fd;
    s->allow_html_comments = true;
    fd->eval_type = JS_EVAL_TYPE_GLOBAL;
    fd->has_this_binding = true;
    fd->arguments_allowed = true;
    fd->in_function_body = true;
    fd->func_kind = JS_FUNC_ASYNC;
    fd->func_name = JS_DupAtom(ctx, JS_ATOM__eval_);
    push_scope(s);
    fd->body_scope = fd->scope_level;
    if (parse_cell(s, how)) {
        free_token(s, &s->token);
        js_free_function_def(ctx, fd);
        return JS_EXCEPTION;
    }
    return js_create_function(ctx, fd);
}

/* ---- which way to parse -------------------------------------------------------------------------------------- */

/* The first character of the code that is neither space nor comment. */
static char first_char(const char *p, const char *end) {
    while (p < end) {
        if (*p == ' ' || (*p >= '\t' && *p <= '\r')) {
            p++;
        } else if (p + 1 < end && p[0] == '/' && p[1] == '/') {
            p = memchr(p, '\n', (size_t)(end - p));
            if (!p) return 0;
        } else if (p + 1 < end && p[0] == '/' && p[1] == '*') {
            const char *close = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);
            if (!close) return 0;
            p = close + 2;
        } else {
            return *p;
        }
    }
    return 0;
}

static bool is_return_error(JSContext *ctx) {
    JSValue m = error_message(ctx, ctx->rt->current_exception);
    JSString *s = JS_IsString(m) ? JS_VALUE_GET_STRING(m) : NULL;
    static const char text[] = "return not in a function"; /* the parser's words */
    bool r = s && !s->is_wide_char && s->len == sizeof text - 1 && !memcmp(str8(s), text, s->len);
    JS_FreeValue(ctx, m);
    return r;
}

static JSValue compile_some_way(JSContext *ctx, const char *src, size_t len, const char *file) {
    const uint8_t *code = (const uint8_t *)src;
    skip_shebang(&code, code + len);
    if (first_char((const char *)code, src + len) == '{') {
        JSValue f = compile_as(ctx, src, len, file, (struct parse){.object = true});
        if (!JS_IsException(f)) return f;
        JS_FreeValue(ctx, JS_GetException(ctx));
    }
    JSValue f = compile_as(ctx, src, len, file, (struct parse){0});
    if (!JS_IsException(f) || !is_return_error(ctx)) return f;
    JS_FreeValue(ctx, JS_GetException(ctx));
    return compile_as(ctx, src, len, file, (struct parse){.returns = true});
}

static JSValue compile_cell(JSContext *ctx, const char *src, size_t len, const char *file) {
    uintptr_t limit = stack_share(ctx->rt, PARSER_SHARE);
    JSValue f = compile_some_way(ctx, src, len, file);
    ctx->rt->stack_limit = limit;
    return f;
}

/* ---- names --------------------------------------------------------------------------------------------------- */

/* A lexical name that this cell declares, and what an earlier cell had bound to it. That comes back when the cell ends
 * without having initialised the name: a failed cell loses nothing, and leaves no name in its temporal dead zone. */
struct binding {
    JSAtom name;
    bool lexical, had;
    int flags;
    JSValue old;
};

static struct {
    struct binding *items;
    uint32_t len, cap;
} bindings HOT;

/* The prologue of the bytecode checks each declared name: OP_check_define_var, name, flags. */
static bool next_declared(JSFunctionBytecode *b, uint32_t *pos, JSAtom *name, bool *lexical) {
    const uint8_t *p = b->byte_code_buf + *pos;
    if (*pos + 6 > (uint32_t)b->byte_code_len || *p != OP_check_define_var) return false;
    *name = get_u32(p + 1);
    *lexical = (p[5] & DEFINE_GLOBAL_LEX_VAR) != 0;
    *pos += 6;
    return true;
}

static struct binding *binding_add(void) {
    if (bindings.len == bindings.cap) {
        uint32_t cap = bindings.cap ? bindings.cap * 2 : 16;
        void *p = realloc(bindings.items, cap * sizeof *bindings.items);
        if (!p) return NULL;
        bindings.items = p;
        bindings.cap = cap;
    }
    return &bindings.items[bindings.len++];
}

/* A global that a `var` or `function` of an earlier cell made cannot be deleted by the language; a lexical declaration takes
 * its place all the same. What a cell froze on purpose stays. */
static void drop_declared_global(JSContext *ctx, JSAtom name) {
    JSObject *global = JS_VALUE_GET_OBJ(ctx->global_obj);
    JSProperty *pr;
    JSShapeProperty *prs = find_own_property(&pr, global, name);
    const int made = JS_PROP_ENUMERABLE | JS_PROP_WRITABLE;
    if (!prs || (prs->flags & JS_PROP_TMASK) != JS_PROP_NORMAL) return;
    if ((prs->flags & (made | JS_PROP_CONFIGURABLE)) != made) return;
    if (js_shape_prepare_update(ctx, global, &prs)) return;
    prs->flags |= JS_PROP_CONFIGURABLE;
    delete_property(ctx, global, name);
}

/* Makes room for the names of a cell that is about to run. */
static int bindings_prepare(JSContext *ctx, JSFunctionBytecode *b) {
    JSObject *scope = JS_VALUE_GET_OBJ(ctx->global_var_obj);
    uint32_t pos = 0;
    JSAtom name;
    bool lexical;
    while (next_declared(b, &pos, &name, &lexical)) {
        JSProperty *pr;
        JSShapeProperty *prs = find_own_property(&pr, scope, name);
        if (!prs && !lexical) continue;
        struct binding *n = binding_add();
        if (!n) {
            JS_ThrowOutOfMemory(ctx);
            return -1;
        }
        *n = (struct binding){.name = JS_DupAtom(ctx, name), .lexical = lexical, .old = JS_UNDEFINED};
        if (prs && !JS_IsUninitialized(pr->u.value)) {
            n->had = true;
            n->flags = (int)prs->flags;
            n->old = js_dup(pr->u.value);
        }
        if (prs) delete_property(ctx, scope, name);
        if (lexical) drop_declared_global(ctx, name);
    }
    return 0;
}

static void binding_settle(JSContext *ctx, struct binding *n) {
    JSObject *scope = JS_VALUE_GET_OBJ(ctx->global_var_obj);
    JSProperty *pr;
    JSShapeProperty *prs = find_own_property(&pr, scope, n->name);
    bool dead = prs && JS_IsUninitialized(pr->u.value);
    if (dead) delete_property(ctx, scope, n->name);
    if (n->lexical && n->had && (dead || !prs)) {
        pr = add_property(ctx, scope, n->name, n->flags);
        if (pr) {
            pr->u.value = n->old;
            n->old = JS_UNDEFINED;
        }
    }
    JS_FreeValue(ctx, n->old);
    JS_FreeAtom(ctx, n->name);
}

/* At the end of a cell, however it ended. */
static void bindings_settle(JSContext *ctx) {
    for (uint32_t i = 0; i < bindings.len; i++) binding_settle(ctx, &bindings.items[i]);
    bindings.len = 0;
}
