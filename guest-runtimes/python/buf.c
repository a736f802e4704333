/* Bytes that grow, and JSON text in them. */
#include "guest.h"

#include <stdlib.h>
#include <string.h>

static bool reserve(struct wh_buf *b, size_t n) {
    if (n <= b->cap - b->len) return true;
    size_t cap = (b->len + n) + (b->len + n) / 2 + 1024;
    if (cap > b->limit || cap < n) cap = b->limit;
    char *p = realloc(b->p, cap);
    if (!p) return false;
    b->p = p;
    b->cap = cap;
    return true;
}

void wh_buf_add(struct wh_buf *b, const void *p, size_t n) {
    if (b->full) return;
    if (n > b->limit - b->len || !reserve(b, n)) {
        b->full = true;
        return;
    }
    memcpy(b->p + b->len, p, n);
    b->len += n;
}

void wh_buf_rewind(struct wh_buf *b, size_t len) {
    b->len = len;
    b->full = false;
}

void wh_buf_text(struct wh_buf *b, const char *text) { wh_buf_add(b, text, strlen(text)); }

void wh_buf_i64(struct wh_buf *b, int64_t v) {
    char text[24];
    char *end = text + sizeof text, *p = end;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do *--p = (char)('0' + u % 10);
    while (u /= 10);
    if (v < 0) *--p = '-';
    wh_buf_add(b, p, (size_t)(end - p));
}

/* Room for one escaped character: \uXXXX, twice for what lies beyond the basic plane. */
enum { MAX_ESCAPE = 12 };

static const char hex_digits[] = "0123456789abcdef";

static char *put_u(char *p, Py_UCS4 c) {
    *p++ = '\\';
    *p++ = 'u';
    for (int shift = 12; shift >= 0; shift -= 4) *p++ = hex_digits[(c >> shift) & 15];
    return p;
}

#define ONES 0x0101010101010101u
#define HIGH 0x8080808080808080u

static bool is_plain_ascii(Py_UCS4 c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

static char *put_char(char *p, Py_UCS4 c) {
    if (is_plain_ascii(c)) {
        *p++ = (char)c;
    } else if (c < 0x80) {
        static const char named[] = "\"\"\\\\\nn\rr\tt\bb\ff";
        for (const char *k = named; *k; k += 2) {
            if ((Py_UCS4)*k != c) continue;
            *p++ = '\\';
            *p++ = k[1];
            return p;
        }
        p = put_u(p, c);
    } else if (c < 0x800) {
        *p++ = (char)(0xc0 | c >> 6);
        *p++ = (char)(0x80 | (c & 0x3f));
    } else if (c >= 0xd800 && c < 0xe000) {
        p = put_u(p, c); /* a lone surrogate: UTF-8 has no form for it, JSON has */
    } else if (c < 0x10000) {
        *p++ = (char)(0xe0 | c >> 12);
        *p++ = (char)(0x80 | (c >> 6 & 0x3f));
        *p++ = (char)(0x80 | (c & 0x3f));
    } else {
        *p++ = (char)(0xf0 | c >> 18);
        *p++ = (char)(0x80 | (c >> 12 & 0x3f));
        *p++ = (char)(0x80 | (c >> 6 & 0x3f));
        *p++ = (char)(0x80 | (c & 0x3f));
    }
    return p;
}

/* The high bit of each byte of `w` that is less than n (up to 128), and maybe of a byte above such a one. */
static uint64_t bytes_below(uint64_t w, uint64_t n) { return (w - ONES * n) & ~w & HIGH; }

/* Eight characters at a time: is each of them plain? */
static bool all_plain(uint64_t w) {
    return ((w & HIGH) | bytes_below(w, 0x20) | bytes_below(w ^ ONES * '"', 1) | bytes_below(w ^ ONES * '\\', 1)) == 0;
}

static Py_ssize_t plain_run(const Py_UCS1 *s, Py_ssize_t i, Py_ssize_t end) {
    for (uint64_t w; end - i >= 8; i += 8) {
        memcpy(&w, s + i, 8);
        if (!all_plain(w)) break;
    }
    while (i < end && is_plain_ascii(s[i])) i++;
    return i;
}

/* Most text is plain ASCII: copied in runs. */
static void add_narrow(struct wh_buf *b, const Py_UCS1 *s, Py_ssize_t i, Py_ssize_t end) {
    while (i < end && !b->full) {
        Py_ssize_t run = plain_run(s, i, end);
        if (run > i) wh_buf_add(b, s + i, (size_t)(run - i));
        if (run < end) {
            char c[MAX_ESCAPE];
            wh_buf_add(b, c, (size_t)(put_char(c, s[run]) - c));
        }
        i = run + 1;
    }
}

void wh_buf_chars(struct wh_buf *b, PyObject *str, Py_ssize_t start, Py_ssize_t end) {
    int kind = PyUnicode_KIND(str);
    const void *data = PyUnicode_DATA(str);
    if (kind == PyUnicode_1BYTE_KIND) {
        add_narrow(b, data, start, end);
        return;
    }
    enum { BLOCK = 64 };
    char block[BLOCK * MAX_ESCAPE];
    for (Py_ssize_t i = start; i < end && !b->full;) {
        char *p = block;
        for (int k = 0; k < BLOCK && i < end; k++, i++) p = put_char(p, PyUnicode_READ(kind, data, i));
        wh_buf_add(b, block, (size_t)(p - block));
    }
}

void wh_buf_str(struct wh_buf *b, PyObject *str) {
    wh_buf_add(b, "\"", 1);
    wh_buf_chars(b, str, 0, PyUnicode_GET_LENGTH(str));
    wh_buf_add(b, "\"", 1);
}

void wh_buf_utf8(struct wh_buf *b, const char *text) {
    wh_buf_add(b, "\"", 1);
    for (const char *s = text; *s; s++) {
        char c[MAX_ESCAPE];
        if ((unsigned char)*s >= 0x80) wh_buf_add(b, s, 1);
        else wh_buf_add(b, c, (size_t)(put_char(c, (unsigned char)*s) - c));
    }
    wh_buf_add(b, "\"", 1);
}
