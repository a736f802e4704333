/* TypeScript to JavaScript: tree-sitter parses, types are overwritten with spaces, and what has a meaning at run time (enums,
 * namespaces, parameter properties) is written out around what is there. Lines stay; columns stay wherever only types go.
 *
 * One walk over the tree, without recursion, collects edits; they are applied at the end. Nothing here judges the JavaScript
 * in between: that is left to the engine, which parses the result. */
#include "typescript.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_typescript(void);

/* ---- kinds of nodes ------------------------------------------------------------------------------------------------ */

#define KINDS(NAMED, TOKEN)                                                                                             \
    NAMED(abstract_class_declaration) NAMED(abstract_method_signature) NAMED(accessibility_modifier)                    \
    NAMED(ambient_declaration) NAMED(array_type) NAMED(arrow_function) NAMED(as_expression) NAMED(asserts_annotation)   \
    NAMED(binary_expression) NAMED(call_expression) NAMED(class_body) NAMED(class_declaration) NAMED(comment)           \
    NAMED(computed_property_name) NAMED(decorator) NAMED(enum_assignment) NAMED(enum_declaration) NAMED(export_clause)  \
    NAMED(export_statement) NAMED(expression_statement) NAMED(formal_parameters) NAMED(function_declaration)            \
    NAMED(function_signature) NAMED(generator_function_declaration) NAMED(identifier) NAMED(implements_clause)          \
    NAMED(import_alias) NAMED(import_statement) NAMED(index_signature) NAMED(interface_declaration)                     \
    NAMED(internal_module) NAMED(lexical_declaration) NAMED(lookup_type) NAMED(member_expression)                       \
    NAMED(method_definition) NAMED(method_signature) NAMED(module) NAMED(nested_identifier) NAMED(non_null_expression)  \
    NAMED(number) NAMED(optional_parameter) NAMED(override_modifier) NAMED(property_identifier)                         \
    NAMED(public_field_definition) NAMED(required_parameter) NAMED(return_statement) NAMED(satisfies_expression)        \
    NAMED(shorthand_property_identifier_pattern) NAMED(statement_block) NAMED(string) NAMED(subscript_expression)       \
    NAMED(super) NAMED(template_string) NAMED(this) NAMED(throw_statement) NAMED(type_alias_declaration)                \
    NAMED(type_annotation) NAMED(type_arguments) NAMED(type_assertion) NAMED(type_parameters)                           \
    NAMED(type_predicate_annotation) NAMED(variable_declaration) NAMED(variable_declarator)                             \
    TOKEN(abstract, "abstract") TOKEN(accessor, "accessor") TOKEN(async, "async") TOKEN(bang, "!") TOKEN(comma, ",")    \
    TOKEN(const, "const") TOKEN(declare, "declare") TOKEN(default, "default") TOKEN(export, "export")                   \
    TOKEN(question, "?") TOKEN(readonly, "readonly") TOKEN(semicolon, ";") TOKEN(type, "type")

enum kind {
    K_OTHER,
#define NAMED(name) K_##name,
#define TOKEN(name, text) T_##name,
    KINDS(NAMED, TOKEN)
#undef NAMED
#undef TOKEN
    K_ERROR
};

static uint8_t kinds[1024]; /* of the symbols of the grammar */

void ts_prepare(void) {
    static const struct {
        const char *name;
        bool named;
    } names[] = {
        {"", false},
#define NAMED(name) {#name, true},
#define TOKEN(name, text) {text, false},
        KINDS(NAMED, TOKEN)
#undef NAMED
#undef TOKEN
    };
    const TSLanguage *language = tree_sitter_typescript();
    uint32_t count = ts_language_symbol_count(language);
    for (uint32_t symbol = 0; symbol < count && symbol < sizeof kinds; symbol++)
        for (uint8_t k = 1; k < sizeof names / sizeof *names; k++) {
            bool named = ts_language_symbol_type(language, (TSSymbol)symbol) == TSSymbolTypeRegular;
            if (named == names[k].named && !strcmp(ts_language_symbol_name(language, (TSSymbol)symbol), names[k].name))
                kinds[symbol] = k;
        }
}

static enum kind kind_of(TSNode n) {
    if (ts_node_is_null(n)) return K_OTHER;
    TSSymbol symbol = ts_node_symbol(n);
    return symbol == (TSSymbol)-1 ? K_ERROR : symbol < sizeof kinds ? (enum kind)kinds[symbol] : K_OTHER;
}

/* ---- memory of the parser ------------------------------------------------------------------------------------------ */

/* tree-sitter ends the process where it gets no memory. So all of it comes from blocks that are freed together, and from a reserve
 * once the heap is exhausted: enough to come to the next place where it asks whether to stop. */

#define BLOCK_BYTES (64u << 10)
#define RESERVE_BYTES (1u << 20)
#define CLASSES 64 /* of small pieces by size, in multiples of eight */

struct block {
    struct block *next, *before;
    size_t used, size;
};

/* Before each piece. */
union head {
    size_t size; /* of the piece with its head */
    uint64_t align;
};

static struct {
    struct block *small, *large, *reserve; /* a large piece has a block of its own */
    union head *freed[CLASSES];            /* small pieces to be used again; each holds the address of the next */
    bool exhausted;
} arena;

static struct block *block_add(struct block **list, size_t size) {
    struct block *b = arena.exhausted ? NULL : malloc(sizeof *b + size);
    if (!b) {
        arena.exhausted = true;
        return NULL;
    }
    *b = (struct block){.next = *list, .size = size};
    if (b->next) b->next->before = b;
    return *list = b;
}

static void *piece_of(struct block *b, size_t size) {
    union head *h = (union head *)(void *)((char *)(b + 1) + b->used);
    b->used += size;
    h->size = size;
    return h + 1;
}

static bool has_room(const struct block *b, size_t size) { return b && b->size - b->used >= size; }

static void *arena_alloc(size_t n) {
    size_t size = sizeof(union head) + (((n ? n : 1) + 7) & ~(size_t)7);
    union head *freed = size / 8 < CLASSES ? arena.freed[size / 8] : NULL;
    struct block *b = size > BLOCK_BYTES / 4 ? NULL : arena.small;
    if (freed) {
        memcpy(&arena.freed[size / 8], freed + 1, sizeof freed);
        return freed + 1;
    }
    if (!has_room(b, size)) b = size > BLOCK_BYTES / 4 ? block_add(&arena.large, size) : block_add(&arena.small, BLOCK_BYTES);
    if (!b) b = arena.reserve;
    if (!has_room(b, size)) abort(); /* the host sees a guest that crashed, and restores the session */
    return piece_of(b, size);
}

static void *arena_calloc(size_t n, size_t size) {
    void *p = arena_alloc(n * size);
    return memset(p, 0, n * size);
}

static void arena_free(void *p) {
    if (!p) return;
    union head *h = (union head *)p - 1;
    if (h->size / 8 < CLASSES) {
        memcpy(p, &arena.freed[h->size / 8], sizeof h);
        arena.freed[h->size / 8] = h;
    } else if (h->size > BLOCK_BYTES / 4) {
        const char *reserve = (const char *)arena.reserve, *at = (const char *)h;
        if (at > reserve && at < reserve + sizeof(struct block) + RESERVE_BYTES) return;
        struct block *b = (struct block *)(void *)h - 1;
        if (b->next) b->next->before = b->before;
        *(b->before ? &b->before->next : &arena.large) = b->next;
        free(b);
    }
}

static void *arena_realloc(void *old, size_t n) {
    size_t had = old ? ((union head *)old - 1)->size - sizeof(union head) : 0;
    if (old && n <= had) return old;
    void *p = arena_alloc(n);
    if (old) memcpy(p, old, had);
    arena_free(old);
    return p;
}

static bool arena_open(void) {
    memset(&arena, 0, sizeof arena);
    ts_set_allocator(arena_alloc, arena_calloc, arena_realloc, arena_free);
    return block_add(&arena.reserve, RESERVE_BYTES) != NULL;
}

static void blocks_free(struct block *b) {
    for (struct block *next; b; b = next) {
        next = b->next;
        free(b);
    }
}

static void arena_close(void) {
    blocks_free(arena.small);
    blocks_free(arena.large);
    blocks_free(arena.reserve);
    memset(&arena, 0, sizeof arena);
}

/* ---- edits --------------------------------------------------------------------------------------------------------- */

/* The bytes from start to end become spaces, their newlines stay; `text` comes before them, and where `over` is set it takes the
 * place of as many of them. */
struct edit {
    uint32_t start, end, seq, text, text_len;
    bool over;
};

struct work {
    const char *src;
    uint32_t len;
    const volatile uint32_t *stop;
    uint32_t steps;
    struct edit *edits;
    uint32_t edits_len, edits_cap;
    char *pool; /* the texts of the edits */
    uint32_t pool_len, pool_cap;
    char *copy;  /* of the source, where it had to be changed */
    bool failed; /* no memory */
    bool halted; /* *stop was set */
    uint32_t skip_from, skip; /* what lies between is gone, and not looked at */
    TSTreeCursor cursor, scan;
    struct ts_erased *out;
};

static void pool_put(struct work *w, const char *p, size_t n) {
    if (w->failed || !n) return;
    if (w->pool_cap - w->pool_len < n) {
        size_t cap = (w->pool_cap + n) * 2 + 256;
        char *fresh = cap < UINT32_MAX ? realloc(w->pool, cap) : NULL;
        if (!fresh) {
            w->failed = true;
            return;
        }
        w->pool = fresh;
        w->pool_cap = (uint32_t)cap;
    }
    memcpy(w->pool + w->pool_len, p, n);
    w->pool_len += (uint32_t)n;
}

static struct edit *edit_add(struct work *w, uint32_t start, uint32_t end) {
    static struct edit lost;
    if (w->edits_len == w->edits_cap && !w->failed) {
        uint32_t cap = w->edits_cap ? w->edits_cap * 2 : 64;
        void *fresh = realloc(w->edits, cap * sizeof *w->edits);
        w->failed = !fresh;
        if (fresh) w->edits = fresh, w->edits_cap = cap;
    }
    struct edit *e = w->failed ? &lost : &w->edits[w->edits_len++];
    *e = (struct edit){.start = start, .end = end, .seq = w->edits_len, .text = w->pool_len};
    return e;
}

/* A text made of pieces: "%s" a string, "%n" the text of a node, "%q" that as a string literal. */
static void pool_format(struct work *w, const char *format, va_list args) {
    for (const char *p = format; *p;) {
        size_t plain = strcspn(p, "%");
        pool_put(w, p, plain);
        p += plain;
        if (!*p) break;
        if (p[1] == 's') {
            const char *s = va_arg(args, const char *);
            pool_put(w, s, strlen(s));
        } else {
            TSNode n = va_arg(args, TSNode);
            uint32_t start = ts_node_start_byte(n), end = ts_node_end_byte(n);
            bool quote = p[1] == 'q' && w->src[start] != '"' && w->src[start] != '\'';
            if (quote) pool_put(w, "\"", 1);
            pool_put(w, w->src + start, end - start);
            if (quote) pool_put(w, "\"", 1);
        }
        p += 2;
    }
}

static void put(struct work *w, bool over, uint32_t start, uint32_t end, const char *format, ...) {
    uint32_t from = w->pool_len;
    struct edit *e = edit_add(w, start, end);
    va_list args;
    va_start(args, format);
    pool_format(w, format, args);
    va_end(args);
    e->over = over;
    e->text = from;
    e->text_len = w->pool_len - from;
}

#define INSERT(w, at, ...) put(w, false, at, at, __VA_ARGS__)
#define REPLACE(w, start, end, ...) put(w, true, start, end, __VA_ARGS__)

static int edit_order(const void *a, const void *b) {
    const struct edit *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return x->seq < y->seq ? -1 : 1;
}

/* The length of a line terminator at p, 0 if there is none. */
static uint32_t newline_at(const char *p, const char *end) {
    if (*p == '\n' || *p == '\r') return 1;
    return end - p >= 3 && p[0] == '\xe2' && p[1] == '\x80' && (p[2] == '\xa8' || p[2] == '\xa9') ? 3 : 0;
}

static void blank_bytes(char **out, const char *p, const char *end) {
    while (p < end) {
        uint32_t n = newline_at(p, end);
        if (n) {
            memcpy(*out, p, n);
            *out += n;
            p += n;
        } else {
            *(*out)++ = *p == '\t' ? '\t' : ' ';
            p++;
        }
    }
}

/* Space for as many bytes as the text has, as long as they are not newlines. */
static const char *after_text(const char *p, const char *end, uint32_t n) {
    while (n && p < end && !newline_at(p, end)) n--, p++;
    return p;
}

static bool apply(struct work *w) {
    if (w->edits_len) qsort(w->edits, w->edits_len, sizeof *w->edits, edit_order);
    char *out = w->out->text = malloc((size_t)w->len + w->pool_len + 1);
    if (!out) return false;
    uint32_t at = 0;
    for (uint32_t i = 0; i < w->edits_len; i++) {
        const struct edit *e = &w->edits[i];
        if (e->end < at || (e->start < at && e->end > e->start)) continue; /* inside of what is gone */
        if (e->start > at) {
            memcpy(out, w->src + at, e->start - at);
            out += e->start - at;
            at = e->start;
        }
        if (e->text_len) memcpy(out, w->pool + e->text, e->text_len);
        out += e->text_len;
        const char *from = w->src + at, *end = w->src + e->end;
        blank_bytes(&out, e->over ? after_text(from, end, e->text_len) : from, end);
        at = e->end;
    }
    memcpy(out, w->src + at, w->len - at);
    out += w->len - at;
    *out = 0;
    w->out->len = (size_t)(out - w->out->text);
    return true;
}

/* ---- looking at nodes ---------------------------------------------------------------------------------------------- */

static bool stopped(struct work *w) {
    if (*w->stop || arena.exhausted) w->halted = true;
    return w->halted || w->failed;
}

static uint32_t start_of(TSNode n) { return ts_node_start_byte(n); }
static uint32_t end_of(TSNode n) { return ts_node_end_byte(n); }
static TSNode field_of(TSNode n, const char *name) {
    return ts_node_child_by_field_name(n, name, (uint32_t)strlen(name));
}

static bool has_newline(struct work *w, uint32_t start, uint32_t end) {
    for (const char *p = w->src + start; p < w->src + end; p++)
        if (newline_at(p, w->src + end)) return true;
    return false;
}

static bool text_is(struct work *w, TSNode n, const char *text) {
    uint32_t start = start_of(n), len = end_of(n) - start;
    return len == strlen(text) && !memcmp(w->src + start, text, len);
}

static bool same_text(struct work *w, TSNode a, TSNode b) {
    uint32_t len = end_of(a) - start_of(a);
    return len == end_of(b) - start_of(b) && !memcmp(w->src + start_of(a), w->src + start_of(b), len);
}

static bool word_at(struct work *w, uint32_t at, const char *word) {
    size_t n = strlen(word);
    return w->len - at >= n && !memcmp(w->src + at, word, n);
}

/* Children by a cursor, which is linear; one of a number is not. Not to be nested. */
#define EACH_CHILD(w, parent, child)                                                                                       \
    for (bool more_ = (ts_tree_cursor_reset(&(w)->scan, parent), ts_tree_cursor_goto_first_child(&(w)->scan));            \
         more_ && !stopped(w); more_ = ts_tree_cursor_goto_next_sibling(&(w)->scan))                                      \
        for (TSNode child = ts_tree_cursor_current_node(&(w)->scan), *once_ = &child; once_; once_ = NULL)

static TSNode child_of_kind(struct work *w, TSNode n, enum kind kind) {
    EACH_CHILD(w, n, c) {
        if (kind_of(c) == kind) return c;
    }
    return (TSNode){0};
}

static bool has(struct work *w, TSNode n, enum kind kind) { return !ts_node_is_null(child_of_kind(w, n, kind)); }

static TSNode last_child(TSNode n) {
    uint32_t count = ts_node_child_count(n);
    return count ? ts_node_child(n, count - 1) : (TSNode){0};
}

/* ---- errors -------------------------------------------------------------------------------------------------------- */

static void complain(struct work *w, enum ts_status status, uint32_t at, const char *format, ...) {
    if (w->out->status == status ? w->out->at <= at : w->out->status > status) return;
    va_list args;
    va_start(args, format);
    vsnprintf(w->out->message, sizeof w->out->message, format, args);
    va_end(args);
    w->out->status = status;
    w->out->at = at;
}

/* Where the parser first had no way to go on, which the tree does not tell: it is parsed once more and followed by what the
 * parser logs. Of the ways that it tries in parallel, the one that came farthest counts. */
struct trace {
    struct work *w;
    TSPoint now, farthest;
    bool found, over;
};

static void on_log(void *payload, TSLogType type, const char *text) {
    struct trace *t = payload;
    unsigned row, column;
    const char *where;
    if (t->over || type != TSLogTypeParse) return;
    if (!strncmp(text, "process version:", 16)) {
        where = strstr(text, "row:");
        if (where && sscanf(where, "row:%u, col:%u", &row, &column) == 2) t->now = (TSPoint){row, column};
    } else if (!strncmp(text, "detect_error", 12)) {
        bool farther = t->now.row != t->farthest.row ? t->now.row > t->farthest.row : t->now.column > t->farthest.column;
        if (farther || !t->found) t->farthest = t->now;
        t->found = true;
    } else if (!strncmp(text, "resume", 6)) {
        t->over = true;
    }
}

static bool on_trace_progress(TSParseState *state) {
    struct trace *t = state->payload;
    return t->over || stopped(t->w);
}

static uint32_t after_space(struct work *w, uint32_t at) {
    while (at < w->len) {
        const char *p = w->src + at, *end = w->src + w->len;
        if (*p == ' ' || (*p >= '\t' && *p <= '\r')) {
            at++;
        } else if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
            while (at < w->len && w->src[at] != '\n') at++;
        } else if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
            const char *close = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);
            if (!close) return at;
            at = (uint32_t)(close + 2 - w->src);
        } else {
            break;
        }
    }
    return at;
}

static bool is_word(char c) { return c == '_' || c == '$' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'); }

static void complain_unexpected(struct work *w, uint32_t at) {
    at = after_space(w, at);
    uint32_t n = 1;
    if (at < w->len && is_word(w->src[at]))
        while (at + n < w->len && n < 40 && is_word(w->src[at + n])) n++;
    else
        while (at + n < w->len && (w->src[at + n] & 0xc0) == 0x80) n++; /* one character */
    if (at >= w->len)
        complain(w, TS_ERROR, w->len, "unexpected end of the code");
    else if (w->src[at] < ' ' && w->src[at] >= 0)
        complain(w, TS_ERROR, at, "unexpected character");
    else
        complain(w, TS_ERROR, at, "unexpected token: '%.*s'", (int)n, w->src + at);
}

static uint32_t offset_of(struct work *w, TSPoint point) {
    uint32_t at = 0;
    for (uint32_t row = 0; row < point.row && at < w->len; at++) row += w->src[at] == '\n';
    return at + point.column < w->len ? at + point.column : w->len;
}

static void find_error(struct work *w, TSParser *parser, TSInput input) {
    struct trace t = {.w = w};
    TSParseOptions options = {.payload = &t, .progress_callback = on_trace_progress};
    ts_parser_reset(parser);
    ts_parser_set_logger(parser, (TSLogger){.payload = &t, .log = on_log});
    ts_parser_parse_with_options(parser, NULL, input, options);
    complain_unexpected(w, offset_of(w, t.farthest));
}

/* ---- erasing ------------------------------------------------------------------------------------------------------- */

static void blank(struct work *w, uint32_t start, uint32_t end) {
    if (end > start) edit_add(w, start, end);
}
static void blank_node(struct work *w, TSNode n) { blank(w, start_of(n), end_of(n)); }

/* A type ends before a line that begins with [, which the grammar takes for a part of it. What is there must not get lost. */
static void check_brackets(struct work *w, TSNode n) {
    for (uint32_t at = start_of(n); at < end_of(n) && !stopped(w); at++) {
        if (w->src[at] != '\n') continue;
        uint32_t next = after_space(w, at);
        if (next >= end_of(n) || w->src[next] != '[') continue;
        TSNode parent = ts_node_parent(ts_node_descendant_for_byte_range(n, next, next + 1));
        enum kind k = ts_node_is_null(parent) ? K_OTHER : kind_of(parent);
        if (k == K_array_type || k == K_lookup_type)
            complain(w, TS_REFUSED, next, "this line goes on with the type before it: put a semicolon between them");
    }
}

static void skip_node(struct work *w, TSNode n) {
    w->skip_from = start_of(n);
    w->skip = end_of(n);
}

/* A whole statement or member of a class. The semicolon keeps what stands before it apart from what comes after it. */
static void blank_statement(struct work *w, TSNode n) { REPLACE(w, start_of(n), end_of(n), ";"); }

static bool is_erased_statement(enum kind k) {
    return k == K_interface_declaration || k == K_type_alias_declaration || k == K_ambient_declaration || k == K_function_signature;
}

/* Where a statement without a semicolon ends in something that is erased, the next line could become part of it. */
static void guard_end(struct work *w, TSNode statement) {
    TSNode n = statement, last;
    while (!ts_node_is_null(last = last_child(n)) && end_of(last) == end_of(statement)) {
        switch (kind_of(last)) {
        case T_semicolon:
        case K_statement_block:
        case K_class_body: return;
        case K_as_expression:
        case K_satisfies_expression:
        case K_non_null_expression:
        case K_type_annotation:
        case K_type_arguments: INSERT(w, end_of(statement), ";"); return;
        default: n = last;
        }
    }
}

/* ( before `=>` must be on the line of `=>`: it is set again at the end of the type that goes. */
static void arrow(struct work *w, TSNode n) {
    TSNode type = field_of(n, "return_type"), parameters = field_of(n, "parameters");
    TSNode generics = field_of(n, "type_parameters");
    if (ts_node_is_null(parameters)) return;
    if (!ts_node_is_null(type) && has_newline(w, end_of(parameters), end_of(type))) {
        blank(w, end_of(parameters) - 1, end_of(parameters));
        blank(w, start_of(type), end_of(type) - 1);
        REPLACE(w, end_of(type) - 1, end_of(type), ")");
    }
    if (!ts_node_is_null(generics) && has_newline(w, start_of(generics), start_of(parameters)) && has(w, n, T_async)) {
        REPLACE(w, start_of(generics), end_of(generics), "(");
        blank(w, start_of(parameters), start_of(parameters) + 1);
    }
}

static void type_assertion(struct work *w, TSNode n) {
    TSNode type = child_of_kind(w, n, K_type_arguments), value = last_child(n);
    if (ts_node_is_null(type) || ts_node_is_null(value)) return;
    uint32_t at = start_of(value);
    static const char *const words[] = {"{", "function", "class", "async", "let"};
    bool wrap = has_newline(w, start_of(n), at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) wrap = wrap || word_at(w, at, words[i]);
    if (!wrap) return;
    REPLACE(w, start_of(type), end_of(type), "(");
    INSERT(w, end_of(n), ")");
}

/* `x as T` ends a statement at a line that begins with ( or [, which the grammar takes for a call. */
static void split_call(struct work *w, TSNode n) {
    TSNode value = ts_node_child(n, 0);
    enum kind k = kind_of(value);
    if (k != K_as_expression && k != K_satisfies_expression) return;
    if (has_newline(w, end_of(value), start_of(ts_node_child(n, 1)))) INSERT(w, end_of(value), ";");
}

/* The grammar takes a tagged template with type arguments for two comparisons. */
static void tagged_template(struct work *w, TSNode n) {
    TSNode left = field_of(n, "left"), right = field_of(n, "right"), op = field_of(n, "operator");
    if (ts_node_is_null(left) || ts_node_is_null(right) || kind_of(right) != K_template_string || !text_is(w, op, ">")) return;
    TSNode inner = kind_of(left) == K_binary_expression ? field_of(left, "operator") : (TSNode){0};
    if (!ts_node_is_null(inner) && text_is(w, inner, "<")) {
        blank(w, start_of(inner), end_of(op));
        w->skip_from = start_of(inner);
        w->skip = end_of(op);
    }
}

static void import_statement(struct work *w, TSNode n) {
    if (has(w, n, T_type)) {
        blank_statement(w, n);
        skip_node(w, n);
    }
}

/* ---- parameters and classes ---------------------------------------------------------------------------------------- */

static bool is_modifier(enum kind k) {
    return k == K_accessibility_modifier || k == K_override_modifier || k == T_readonly;
}

static void parameters(struct work *w, TSNode n) {
    bool gone = false;
    EACH_CHILD(w, n, c) {
        if (gone && kind_of(c) == T_comma) blank_node(w, c);
        gone = false;
        enum kind k = kind_of(c);
        if (k == K_required_parameter || k == K_optional_parameter) {
            TSNode pattern = field_of(c, "pattern");
            gone = !ts_node_is_null(pattern) && kind_of(pattern) == K_this;
            if (gone) blank_node(w, c);
        }
    }
}

static void parameter(struct work *w, TSNode n) {
    EACH_CHILD(w, n, c) {
        enum kind k = kind_of(c);
        if (is_modifier(k) || k == T_question) blank_node(w, c);
        if (k == K_decorator) complain(w, TS_REFUSED, start_of(c), "decorators of parameters are not supported");
    }
}

static bool is_parameter_property(struct work *w, TSNode n) {
    enum kind k = kind_of(n);
    if (k != K_required_parameter && k != K_optional_parameter) return false;
    uint32_t count = ts_node_child_count(n);
    for (uint32_t i = 0; i < count && i < 8; i++)
        if (is_modifier(kind_of(ts_node_child(n, i)))) return true;
    return false;
}

static TSNode parameter_name(TSNode n) {
    TSNode pattern = field_of(n, "pattern");
    return !ts_node_is_null(pattern) && kind_of(pattern) == K_identifier ? pattern : (TSNode){0};
}

/* Where parameter properties are assigned: after the call of super, else at the start, behind directives. */
static uint32_t assign_at(struct work *w, TSNode body) {
    uint32_t at = start_of(body) + 1;
    bool directives = true;
    EACH_CHILD(w, body, c) {
        if (kind_of(c) != K_expression_statement) {
            directives = directives && (!ts_node_is_named(c) || kind_of(c) == K_comment);
            continue;
        }
        TSNode value = ts_node_named_child(c, 0);
        if (kind_of(value) == K_string && directives) at = end_of(c);
        else directives = false;
        if (kind_of(value) == K_call_expression && kind_of(field_of(value, "function")) == K_super) return end_of(c);
    }
    return at;
}

static void constructor(struct work *w, TSNode class_body, TSNode method) {
    TSNode list = field_of(method, "parameters"), body = field_of(method, "body");
    if (ts_node_is_null(list) || ts_node_is_null(body)) return;
    uint32_t count = 0, fields = start_of(class_body) + 1, at = 0;
    TSTreeCursor c = ts_tree_cursor_new(list);
    for (bool more = ts_tree_cursor_goto_first_child(&c); more && !stopped(w); more = ts_tree_cursor_goto_next_sibling(&c)) {
        TSNode p = ts_tree_cursor_current_node(&c);
        if (!is_parameter_property(w, p)) continue;
        TSNode name = parameter_name(p);
        if (ts_node_is_null(name)) {
            complain(w, TS_ERROR, start_of(p), "a parameter property may not be declared using a binding pattern");
            continue;
        }
        if (!count++) at = assign_at(w, body);
        INSERT(w, fields, " %n;", name);
        INSERT(w, at, count == 1 ? "; this.%n = %n;" : " this.%n = %n;", name, name);
    }
    ts_tree_cursor_delete(&c);
}

static bool is_constructor(struct work *w, TSNode method) {
    TSNode name = field_of(method, "name");
    return !ts_node_is_null(name) && (text_is(w, name, "constructor") || text_is(w, name, "'constructor'") ||
                                      text_is(w, name, "\"constructor\""));
}

static void class_body(struct work *w, TSNode n) {
    TSNode found = {0};
    EACH_CHILD(w, n, c) {
        enum kind k = kind_of(c);
        if (k == T_comma) REPLACE(w, start_of(c), end_of(c), ";");
        if (k == K_method_definition && is_constructor(w, c)) found = c;
    }
    if (!ts_node_is_null(found)) constructor(w, n, found);
}

/* Modifiers at the start of a member leave a semicolon: what follows may begin with * or [. */
static void member(struct work *w, TSNode n) {
    bool first = true;
    EACH_CHILD(w, n, c) {
        enum kind k = kind_of(c);
        if (is_modifier(k) || k == T_question || k == T_bang) {
            if (first)
                REPLACE(w, start_of(c), end_of(c), ";");
            else
                blank_node(w, c);
        }
        if (k == T_accessor) complain(w, TS_REFUSED, start_of(c), "accessor fields are not supported: write get and set");
        first = false;
    }
}

static void field(struct work *w, TSNode n) {
    bool gone = false;
    TSNode last = {0};
    EACH_CHILD(w, n, c) {
        enum kind k = kind_of(c);
        gone = gone || k == T_declare || k == T_abstract;
        last = c;
    }
    if (gone) {
        blank_statement(w, n);
        skip_node(w, n);
        return;
    }
    member(w, n);
    enum kind k = ts_node_is_null(last) ? K_OTHER : kind_of(last);
    if (k == K_type_annotation || k == T_question || k == T_bang)
        INSERT(w, end_of(n), ";");
    else
        guard_end(w, n);
}

/* ---- enums and namespaces ------------------------------------------------------------------------------------------ */

static const char *const reserved[] = {
    "await",  "break",  "case",   "catch",      "class",  "const",    "continue", "debugger",  "default",  "delete", "do",
    "else",   "enum",   "export", "extends",    "false",  "finally",  "for",      "function",  "if",       "import", "in",
    "let",    "new",    "null",   "instanceof", "return", "static",   "super",    "switch",    "this",     "throw",  "true",
    "try",    "typeof", "var",    "void",       "while",  "with",     "yield",    "interface", "package",  "private",
    "public", "eval",   "arguments", "protected", "implements"};

static bool is_reserved(struct work *w, TSNode n) {
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (text_is(w, n, reserved[i])) return true;
    return false;
}

static TSNode name_of(TSNode n) { return field_of(n, "name"); }

/* `namespace A.B`: its outermost and its innermost name. */
static bool is_nested(TSNode name) { return kind_of(name) == K_nested_identifier || kind_of(name) == K_member_expression; }
static TSNode outer_name(TSNode name) {
    while (is_nested(name)) name = field_of(name, "object");
    return name;
}
static TSNode inner_name(TSNode name) { return is_nested(name) ? field_of(name, "property") : name; }

/* A declaration, or the one that an export or an expression statement is about: `namespace` may be parsed as one. */
static TSNode declaration_in(TSNode n) {
    if (kind_of(n) == K_export_statement) {
        TSNode inside = field_of(n, "declaration");
        return ts_node_is_null(inside) ? n : inside;
    }
    if (kind_of(n) == K_expression_statement && ts_node_named_child_count(n)) return ts_node_named_child(n, 0);
    return n;
}

static bool is_module(enum kind k) { return k == K_internal_module || k == K_module; }

/* Whether a namespace has anything in it that runs. */
static bool has_content(struct work *w, TSNode module, int depth) {
    TSNode body = field_of(module, "body");
    if (ts_node_is_null(body) || depth > 40) return !ts_node_is_null(body);
    bool content = false;
    TSTreeCursor c = ts_tree_cursor_new(body);
    for (bool more = ts_tree_cursor_goto_first_child(&c); more && !content && !stopped(w); more = ts_tree_cursor_goto_next_sibling(&c)) {
        TSNode statement = ts_tree_cursor_current_node(&c), n = declaration_in(statement);
        enum kind k = kind_of(n);
        if (!ts_node_is_named(n) || k == K_comment || is_erased_statement(k)) continue;
        content = is_module(k) ? has_content(w, n, depth + 1) : true;
    }
    ts_tree_cursor_delete(&c);
    return content;
}

/* Whether the name of this declaration was declared before in the same block: then it is added to. The walk stands at it. */
static bool is_declared_before(struct work *w, TSNode n, TSNode name) {
    ts_tree_cursor_reset_to(&w->scan, &w->cursor);
    do {
        if (!ts_tree_cursor_goto_parent(&w->scan)) return false;
        enum kind k = kind_of(ts_tree_cursor_current_node(&w->scan));
        if (k != K_export_statement && k != K_expression_statement) break;
    } while (true);
    for (bool more = ts_tree_cursor_goto_first_child(&w->scan); more && !stopped(w); more = ts_tree_cursor_goto_next_sibling(&w->scan)) {
        TSNode other = declaration_in(ts_tree_cursor_current_node(&w->scan));
        if (start_of(other) >= start_of(n)) return false;
        switch (kind_of(other)) {
        case K_internal_module:
        case K_module:
        case K_enum_declaration:
        case K_class_declaration:
        case K_abstract_class_declaration:
        case K_function_declaration:
        case K_generator_function_declaration: break;
        default: continue;
        }
        TSNode its = name_of(other);
        if (ts_node_is_null(its) || !same_text(w, outer_name(its), name)) continue;
        if (!is_module(kind_of(other)) || has_content(w, other, 0)) return true;
    }
    return false;
}

/* `let E = ((E) => {` ... `return E; })({})`, and a second time `{ let __done = ((E) => {` ... `return E; })(E); }`. Both are
 * declarations: they leave the value of the cell alone. */
static void open_enum(struct work *w, uint32_t start, uint32_t end, TSNode name, bool again) {
    REPLACE(w, start, end, again ? "{ let __done = ((%n) => {" : "let %n = ((%n) => {", name, name);
}
static void close_enum(struct work *w, uint32_t at, TSNode name, bool again) {
    REPLACE(w, at, at + 1, again ? "; return %n; })(%n); }" : "; return %n; })({});", name, name);
}

static void enum_member(struct work *w, TSNode e, TSNode c, TSNode previous, bool named) {
    TSNode name = kind_of(c) == K_enum_assignment ? name_of(c) : c, value = field_of(c, "value");
    if (kind_of(name) == K_computed_property_name) name = ts_node_named_child(name, 0);
    if (!ts_node_is_null(value)) {
        put(w, false, start_of(c), start_of(value), "if (typeof (%n[%q] = (", e, name);
        INSERT(w, end_of(value), ")) !== \"string\") %n[%n[%q]] = %q;", e, e, name, name);
    } else if (ts_node_is_null(previous)) {
        REPLACE(w, start_of(c), end_of(c), "%n[%n[%q] = 0] = %q;", e, e, name, name);
    } else {
        REPLACE(w, start_of(c), end_of(c), "%n[%n[%q] = %n[%q] + 1] = %q;", e, e, name, e, previous, name);
    }
    /* initialisers may speak of it by its bare name */
    if (named && kind_of(name) == K_property_identifier && !is_reserved(w, name) && !same_text(w, name, e))
        INSERT(w, end_of(c), " const %n = %n.%n;", name, e, name);
}

static void enumeration(struct work *w, TSNode n) {
    TSNode name = name_of(n), body = field_of(n, "body"), previous = {0};
    if (ts_node_is_null(name) || ts_node_is_null(body)) return;
    bool again = is_declared_before(w, n, name), named = false;
    EACH_CHILD(w, body, c) {
        TSNode value = kind_of(c) == K_enum_assignment ? field_of(c, "value") : (TSNode){0};
        named = named || (!ts_node_is_null(value) && kind_of(value) != K_number && kind_of(value) != K_string);
    }
    open_enum(w, start_of(n), start_of(body) + 1, name, again);
    EACH_CHILD(w, body, c) {
        if (kind_of(c) == T_comma) blank_node(w, c);
        if (!ts_node_is_named(c) || kind_of(c) == K_comment || kind_of(c) == K_ERROR) continue;
        enum_member(w, name, c, previous, named);
        previous = kind_of(c) == K_enum_assignment ? name_of(c) : c;
        if (kind_of(previous) == K_computed_property_name) previous = ts_node_named_child(previous, 0);
    }
    close_enum(w, end_of(body) - 1, name, again);
}

/* `let N = {}; { let __done = ((__ns) => {` ... `})(N); }`: a declaration and a block without a value. What is exported goes to __ns,
 * since the body may have another N. */
#define NAMESPACE_OPEN "{ let __done = ((__ns) => {"
#define NAMESPACE_CLOSE " })(%n); }"
enum { NAMES = 16 };

/* Whether the walk stands at what a namespace exports. */
static bool is_exported(struct work *w) {
    ts_tree_cursor_reset_to(&w->scan, &w->cursor);
    return ts_tree_cursor_goto_parent(&w->scan) &&
           kind_of(ts_tree_cursor_current_node(&w->scan)) == K_export_statement &&
           ts_tree_cursor_goto_parent(&w->scan) && ts_tree_cursor_goto_parent(&w->scan) &&
           is_module(kind_of(ts_tree_cursor_current_node(&w->scan)));
}

static void name_space(struct work *w, TSNode n) {
    TSNode name = name_of(n), body = field_of(n, "body");
    if (ts_node_is_null(name) || kind_of(name) == K_string) return;
    if (ts_node_is_null(body) || !has_content(w, n, 0)) {
        blank_statement(w, n);
        skip_node(w, n);
        return;
    }
    TSNode outer = outer_name(name), path[NAMES];
    bool again = is_declared_before(w, n, outer);
    const char *open = again ? "" : is_exported(w) ? "let %n = __ns.%n ?? {}; " : "let %n = {}; ";
    put(w, true, start_of(n), start_of(body) + 1, open, outer, outer);
    INSERT(w, start_of(body) + 1, "%s", NAMESPACE_OPEN);
    /* the names behind the first: from the outside inwards to open, the other way round to close */
    int depth = 0;
    for (TSNode at = name; is_nested(at); at = field_of(at, "object")) {
        if (depth == NAMES) {
            complain(w, TS_REFUSED, start_of(name), "the name of this namespace has more than %d parts", NAMES);
            return;
        }
        path[depth++] = inner_name(at);
    }
    for (int i = depth; i-- > 0;) INSERT(w, start_of(body) + 1, " let %n = __ns.%n ?\?= {}; %s", path[i], path[i], NAMESPACE_OPEN);
    uint32_t end = end_of(body);
    for (int i = 0; i < depth; i++) INSERT(w, end - 1, ";" NAMESPACE_CLOSE, path[i]);
    REPLACE(w, end - 1, end, ";" NAMESPACE_CLOSE, outer);
}

/* Whether the walk stands directly in the body of a namespace. */
static bool in_namespace(struct work *w) {
    ts_tree_cursor_reset_to(&w->scan, &w->cursor);
    return ts_tree_cursor_goto_parent(&w->scan) && ts_tree_cursor_goto_parent(&w->scan) &&
           is_module(kind_of(ts_tree_cursor_current_node(&w->scan)));
}

/* Every name that a declaration with let, const or var binds. A const is copied; the others can change, and are looked at. */
static void export_variables(struct work *w, TSNode declaration, uint32_t at) {
    bool constant = has(w, declaration, T_const);
    TSTreeCursor c = ts_tree_cursor_new(declaration);
    uint32_t skip = 0;
    for (bool more = true; more && !stopped(w);) {
        TSNode n = ts_tree_cursor_current_node(&c);
        enum kind k = kind_of(n);
        if (k == K_variable_declarator) {
            TSNode pattern = name_of(n);
            skip = ts_node_is_null(pattern) ? end_of(n) : end_of(pattern);
        }
        bool in_pattern = end_of(n) <= skip;
        if (in_pattern && (k == K_identifier || k == K_shorthand_property_identifier_pattern)) {
            if (constant)
                INSERT(w, at, "; __ns.%n = %n;", n, n);
            else
                INSERT(w, at, "; Object.defineProperty(__ns, %q, { enumerable: true, configurable: true, get: () => %n, set: (__v) => { %n = __v; } });",
                       n, n, n);
        }
        bool value = !in_pattern && k != K_variable_declarator && k != K_lexical_declaration && k != K_variable_declaration;
        if (!value && k != K_type_annotation && ts_tree_cursor_goto_first_child(&c)) continue;
        while (!(more = ts_tree_cursor_goto_next_sibling(&c)))
            if (!ts_tree_cursor_goto_parent(&c)) break;
    }
    ts_tree_cursor_delete(&c);
}

static void export_statement(struct work *w, TSNode n) {
    TSNode declaration = field_of(n, "declaration"), keyword = child_of_kind(w, n, T_export);
    TSNode clause = child_of_kind(w, n, K_export_clause);
    /* `export {}` says nothing but that this is a module, where await is allowed */
    bool nothing = !ts_node_is_null(clause) && !ts_node_named_child_count(clause) && ts_node_is_null(field_of(n, "source"));
    bool types = nothing || has(w, n, T_type);
    if (types || (!ts_node_is_null(declaration) &&
                  (is_erased_statement(kind_of(declaration)) ||
                   (is_module(kind_of(declaration)) && !has_content(w, declaration, 0))))) {
        blank_statement(w, n);
        skip_node(w, n);
        return;
    }
    if (!in_namespace(w) || ts_node_is_null(declaration) || has(w, n, T_default)) return; /* a module: the engine says so */
    blank_node(w, keyword);
    switch (kind_of(declaration)) {
    case K_lexical_declaration:
    case K_variable_declaration: export_variables(w, declaration, end_of(n)); break;
    case K_import_alias: {
        TSNode name = ts_node_named_child(declaration, 0);
        INSERT(w, end_of(n), "; __ns.%n = %n;", name, name);
        break;
    }
    default: {
        TSNode name = name_of(declaration);
        if (!ts_node_is_null(name)) name = outer_name(name);
        if (!ts_node_is_null(name)) INSERT(w, end_of(n), "; __ns.%n = %n;", name, name);
    }
    }
}

/* ---- the walk ------------------------------------------------------------------------------------------------------ */

/* What is to be done at a node before its children are looked at. False: they are not. */
static bool enter(struct work *w, TSNode n) {
    switch (kind_of(n)) {
    case K_type_alias_declaration: check_brackets(w, n); blank_statement(w, n); return false;
    case K_interface_declaration:
    case K_ambient_declaration:
    case K_function_signature:
    case K_method_signature:
    case K_abstract_method_signature:
    case K_index_signature: blank_statement(w, n); return false;

    case K_type_annotation: check_brackets(w, n); blank_node(w, n); return false;
    case K_asserts_annotation:
    case K_type_predicate_annotation:
    case K_type_arguments:
    case K_type_parameters:
    case K_implements_clause: blank_node(w, n); return false;

    case K_as_expression:
    case K_satisfies_expression: {
        TSNode value = ts_node_child(n, 0), type = last_child(n);
        blank(w, end_of(value), end_of(n));
        if (!ts_node_is_null(type)) check_brackets(w, type);
        return true;
    }
    case K_non_null_expression: blank_node(w, last_child(n)); return true;
    case K_type_assertion: type_assertion(w, n); return true;
    case K_binary_expression: tagged_template(w, n); return true;
    case K_call_expression:
    case K_subscript_expression: split_call(w, n); return true;
    case K_arrow_function: arrow(w, n); return true;
    case K_variable_declarator: {
        TSNode bang = child_of_kind(w, n, T_bang);
        if (!ts_node_is_null(bang)) blank_node(w, bang);
        return true;
    }
    case K_expression_statement:
    case K_lexical_declaration:
    case K_variable_declaration:
    case K_return_statement:
    case K_throw_statement: guard_end(w, n); return true;

    case K_formal_parameters: parameters(w, n); return true;
    case K_required_parameter:
    case K_optional_parameter: parameter(w, n); return true;
    case K_abstract_class_declaration: blank_node(w, child_of_kind(w, n, T_abstract)); return true;
    case K_class_body: class_body(w, n); return true;
    case K_method_definition: member(w, n); return true;
    case K_public_field_definition: field(w, n); return true;
    case K_decorator: complain(w, TS_REFUSED, start_of(n), "decorators are not supported"); return true;

    case K_enum_declaration: enumeration(w, n); return true;
    case K_internal_module:
    case K_module: name_space(w, n); return true;
    case K_export_statement: export_statement(w, n); return true;
    case K_import_statement: import_statement(w, n); return true;
    case K_import_alias: REPLACE(w, start_of(n), start_of(n) + 6, "const"); return true;
    default: return true;
    }
}

static void walk(struct work *w, TSNode root) {
    w->cursor = ts_tree_cursor_new(root);
    w->scan = ts_tree_cursor_new(root);
    for (bool more = true; more;) {
        if (!(++w->steps & 63) && stopped(w)) break;
        TSNode n = ts_tree_cursor_current_node(&w->cursor);
        bool gone = start_of(n) >= w->skip_from && end_of(n) <= w->skip;
        bool into = !gone && enter(w, n) && !(start_of(n) >= w->skip_from && end_of(n) <= w->skip);
        if (into && ts_tree_cursor_goto_first_child(&w->cursor)) continue;
        while (!(more = ts_tree_cursor_goto_next_sibling(&w->cursor)))
            if (!ts_tree_cursor_goto_parent(&w->cursor)) break;
    }
}

static bool on_progress(TSParseState *state) {
    struct work *w = state->payload;
    return stopped(w);
}

static const char *read_source(void *payload, uint32_t at, TSPoint position, uint32_t *n) {
    (void)position;
    struct work *w = payload;
    *n = at < w->len ? w->len - at : 0;
    return w->src + (at < w->len ? at : w->len);
}

/* The start of the word that ends before `at`, spaces aside. */
static uint32_t word_before(struct work *w, uint32_t at, uint32_t *end) {
    while (at && strchr(" \t\r\n", w->src[at - 1])) at--;
    *end = at;
    while (at && is_word(w->src[at - 1])) at--;
    return at;
}

static bool clear(struct work *w, uint32_t start, uint32_t end) {
    if (!w->copy) {
        w->copy = malloc(w->len + 1);
        if (!w->copy) return false;
        memcpy(w->copy, w->src, w->len);
        w->src = w->copy;
    }
    for (uint32_t i = start; i < end; i++)
        if (w->copy[i] != '\n') w->copy[i] = ' ';
    return true;
}

/* tag<T[]>`text`: a type that cannot be read as a comparison is an error to the grammar, at the template. */
static bool clear_arguments_of_tag(struct work *w) {
    uint32_t end = w->out->at, start;
    if (end >= w->len || end < 3 || w->src[end] != '`' || w->src[end - 1] != '>') return false;
    int depth = 0;
    for (start = end; start; start--) {
        char c = w->src[start - 1];
        if (c == '>' && start > 1 && w->src[start - 2] != '=') depth++;
        if (c == '<' && --depth == 0) break;
        if (c == ';' || c == '`') return false;
    }
    return start > 1 && is_word(w->src[start - 2]) && clear(w, start - 1, end);
}

/* `<in T, out U>`: the grammar does not know these words, and stops at them or behind them. They are cleared in a copy. */
static bool clear_variance(struct work *w) {
    uint32_t start = w->out->at, end = start;
    while (end < w->len && is_word(w->src[end])) end++;
    for (int i = 0; i < 2; i++) {
        uint32_t before_end, before = word_before(w, start, &before_end);
        bool variance = (end - start == 2 && word_at(w, start, "in")) || (end - start == 3 && word_at(w, start, "out"));
        bool opens = before_end && (w->src[before_end - 1] == '<' || w->src[before_end - 1] == ',');
        if (variance && opens) return clear(w, start, end);
        start = before;
        end = before_end;
    }
    return false;
}

static void run(struct work *w) {
    enum { TRIES = 32 };
    TSParser *parser = ts_parser_new();
    TSInput input = {.payload = w, .read = read_source, .encoding = TSInputEncodingUTF8};
    TSParseOptions options = {.payload = w, .progress_callback = on_progress};
    ts_parser_set_language(parser, tree_sitter_typescript());
    for (int i = 0;; i++) {
        TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, options);
        if (!tree) return;
        TSNode root = ts_tree_root_node(tree);
        if (!ts_node_has_error(root)) w->out->status = TS_ERASED;
        else find_error(w, parser, input);
        if (w->out->status == TS_ERASED || i == TRIES || !(clear_variance(w) || clear_arguments_of_tag(w))) {
            walk(w, root);
            return;
        }
        w->out->status = TS_ERASED;
        ts_parser_reset(parser);
        ts_parser_set_logger(parser, (TSLogger){0});
    }
}

void ts_erase(const char *src, size_t len, const volatile uint32_t *stop, struct ts_erased *out) {
    struct work w = {.src = src, .len = (uint32_t)len, .stop = stop, .out = out};
    *out = (struct ts_erased){.status = TS_ERASED};
    bool room = len < UINT32_MAX / 4 && arena_open();
    if (room) run(&w);
    bool exhausted = !room || arena.exhausted || w.failed;
    if (!exhausted && !*stop) exhausted = !apply(&w);
    if (*stop)
        out->status = TS_STOPPED;
    else if (exhausted)
        out->status = TS_MEMORY;
    arena_close();
    free(w.edits);
    free(w.pool);
    free(w.copy);
}
