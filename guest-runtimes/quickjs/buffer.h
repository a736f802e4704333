/* A growing byte buffer, and text in the three forms that leave the guest: UTF-8, JSON strings, JavaScript literals. */

struct buf {
    char *p;
    size_t len, cap;
    bool owned;  /* p comes from malloc; the first bytes of a buffer are static, so that small results need no allocation */
    bool failed; /* out of memory: everything after is dropped */
};

static void buf_init(struct buf *b, char *first, size_t cap) { *b = (struct buf){.p = first, .cap = cap}; }

static void buf_free(struct buf *b) {
    if (b->owned) free(b->p);
    *b = (struct buf){0};
}

static no_inline bool buf_grow(struct buf *b, size_t n) {
    size_t cap = b->cap * 2 > b->len + n ? b->cap * 2 : b->len + n + 64;
    char *p = b->failed ? NULL : b->owned ? realloc(b->p, cap) : malloc(cap);
    if (!p) {
        b->failed = true;
        return false;
    }
    if (!b->owned && b->len) memcpy(p, b->p, b->len);
    b->p = p;
    b->cap = cap;
    b->owned = true;
    return true;
}

/* Room for n bytes at the end; NULL when there is no memory. */
static inline char *buf_room(struct buf *b, size_t n) {
    if (unlikely(b->cap - b->len < n) && !buf_grow(b, n)) return NULL;
    return b->p + b->len;
}

static inline void buf_putc(struct buf *b, char c) {
    char *p = buf_room(b, 1);
    if (p) {
        *p = c;
        b->len++;
    }
}

static inline void buf_put(struct buf *b, const void *s, size_t n) {
    char *p = buf_room(b, n);
    if (p && n) {
        memcpy(p, s, n);
        b->len += n;
    }
}

#define buf_lit(b, s) buf_put(b, "" s, sizeof(s) - 1)
static void buf_str(struct buf *b, const char *s) { buf_put(b, s, strlen(s)); }

static __attribute__((format(printf, 2, 3))) void buf_printf(struct buf *b, const char *fmt, ...) {
    char tmp[128];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(tmp, sizeof tmp, fmt, ap);
    va_end(ap);
    if (n > 0) buf_put(b, tmp, (size_t)n < sizeof tmp ? (size_t)n : sizeof tmp - 1);
}

/* ---- code points ------------------------------------------------------------------------------------------- */

static inline bool is_lead(uint32_t c) { return (c & 0xfffffc00) == 0xd800; }
static inline bool is_trail(uint32_t c) { return (c & 0xfffffc00) == 0xdc00; }

/* The code point at *i of a string, *i moved behind it; a lone surrogate comes out as itself. */
static uint32_t str_next(JSString *s, uint32_t *i) {
    uint32_t c = (uint32_t)string_get(s, (int)*i);
    (*i)++;
    if (is_lead(c) && *i < s->len && is_trail((uint32_t)string_get(s, (int)*i)))
        c = 0x10000 + ((c & 0x3ff) << 10) + ((uint32_t)string_get(s, (int)(*i)++) & 0x3ff);
    return c;
}

static inline size_t utf8_put(char *p, uint32_t c) {
    if (c < 0x80) {
        p[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        p[0] = (char)(0xc0 | c >> 6);
        p[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        p[0] = (char)(0xe0 | c >> 12);
        p[1] = (char)(0x80 | (c >> 6 & 63));
        p[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    p[0] = (char)(0xf0 | c >> 18);
    p[1] = (char)(0x80 | (c >> 12 & 63));
    p[2] = (char)(0x80 | (c >> 6 & 63));
    p[3] = (char)(0x80 | (c & 63));
    return 4;
}

static size_t ascii_run(const uint8_t *p, size_t n) {
    size_t i = 0;
    for (uint64_t w; n - i >= 8; i += 8) {
        memcpy(&w, p + i, 8);
        if (w & 0x8080808080808080u) break;
    }
    while (i < n && p[i] < 0x80) i++;
    return i;
}

/* UTF-8 of a flat string; lone surrogates become U+FFFD, as every stream does it. False: there were any. */
static bool buf_utf8(struct buf *b, JSString *s) {
    bool exact = true;
    uint32_t i = 0;
    if (!s->is_wide_char) {
        size_t run = ascii_run(str8(s), s->len);
        buf_put(b, str8(s), run);
        i = (uint32_t)run;
    }
    while (i < s->len) {
        enum { BLOCK = 256 };
        char *first = buf_room(b, BLOCK * 4), *p = first;
        if (!p) return false;
        for (int k = 0; k < BLOCK && i < s->len; k++) {
            uint32_t c = str_next(s, &i);
            if (is_lead(c) || is_trail(c)) {
                c = 0xfffd;
                exact = false;
            }
            p += utf8_put(p, c);
        }
        b->len += (size_t)(p - first);
    }
    return exact;
}

/* ---- JSON strings ------------------------------------------------------------------------------------------ */

static void json_escape(struct buf *b, uint32_t c) {
    static const char names[32] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    if (c == '"' || c == '\\') {
        buf_putc(b, '\\');
        buf_putc(b, (char)c);
    } else if (c < 32 && names[c]) {
        buf_putc(b, '\\');
        buf_putc(b, names[c]);
    } else {
        buf_printf(b, "\\u%04x", c);
    }
}

static inline bool json_plain(uint32_t c) { return c >= 32 && c != '"' && c != '\\' && c < 0x7f; }

static void json_chars8(struct buf *b, const uint8_t *s, size_t n) {
    size_t i = 0;
    while (i < n) {
        size_t from = i;
        while (i < n && json_plain(s[i])) i++;
        buf_put(b, s + from, i - from);
        if (i == n) return;
        if (s[i] < 0x7f) {
            json_escape(b, s[i]);
        } else {
            char *p = buf_room(b, 4);
            if (!p) return;
            b->len += utf8_put(p, s[i]);
        }
        i++;
    }
}

static void json_chars16(struct buf *b, JSString *s) {
    for (uint32_t i = 0; i < s->len;) {
        uint32_t c = str_next(s, &i);
        char *p = buf_room(b, 4);
        if (!p) return;
        if (json_plain(c)) {
            *p = (char)c;
            b->len++;
        } else if (c < 32 || c == '"' || c == '\\' || is_lead(c) || is_trail(c)) {
            json_escape(b, c);
        } else {
            b->len += utf8_put(p, c);
        }
    }
}

static void json_string(struct buf *b, JSString *s) {
    buf_putc(b, '"');
    if (s->is_wide_char)
        json_chars16(b, s);
    else
        json_chars8(b, str8(s), s->len);
    buf_putc(b, '"');
}

/* s is UTF-8 already: only what JSON must escape is. */
static void json_utf8(struct buf *b, const char *s, size_t n) {
    buf_putc(b, '"');
    for (size_t i = 0; i < n; i++) {
        uint8_t c = (uint8_t)s[i];
        if (c < 32 || c == '"' || c == '\\')
            json_escape(b, c);
        else
            buf_putc(b, s[i]);
    }
    buf_putc(b, '"');
}
static void json_cstr(struct buf *b, const char *s) { json_utf8(b, s, strlen(s)); }
