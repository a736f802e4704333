/* Use of host functions. Requests and replies are JSON, or packed frames where bytes have to cross: see wasmhost_abi.h. */
#include "guest.h"

#include <stdlib.h>
#include <string.h>

static const char magic[4] = {'W', 'H', 'P', '1'};
enum { SMALL_REPLY = 4096, MAX_REQUEST = 256 << 20, REQUEST_DEPTH = 200 };

static void add_u32(struct wh_buf *b, uint32_t v) { wh_buf_add(b, &v, sizeof v); }

/* ---- there --------------------------------------------------------------------------------------------------------- */

static void pack(struct wh_buf *out, const struct wh_buf *head, const struct wh_attachments *a) {
    wh_buf_add(out, magic, sizeof magic);
    add_u32(out, (uint32_t)head->len);
    add_u32(out, a->len);
    for (uint32_t i = 0; i < a->len; i++) add_u32(out, a->spans[i].len);
    wh_buf_add(out, head->p, head->len);
    for (uint32_t i = 0; i < a->len; i++) wh_buf_add(out, a->views[i].buf, a->spans[i].len);
}

static bool encode_request(struct wh_buf *out, PyObject *value) {
    struct wh_buf head = {.limit = MAX_REQUEST};
    struct wh_attachments a = {0};
    struct wh_limits limits = {.bytes = MAX_REQUEST, .depth = REQUEST_DEPTH, .long_text = true};
    bool tagged;
    enum wh_verdict verdict = wh_encode(&head, &a, value, limits, &tagged);
    bool plain = verdict == WH_WELL && a.len == 0;
    if (plain) *out = head;
    else if (verdict == WH_WELL) pack(out, &head, &a);
    wh_attachments_free(&a);
    free(a.spans);
    free(a.views);
    if (!plain) free(head.p);
    if (verdict == WH_RAISED) return false;
    if (verdict == WH_WELL && !out->full) return true;
    PyErr_SetString(PyExc_ValueError, "the arguments are too large to be passed to the host");
    return false;
}

/* ---- and back ------------------------------------------------------------------------------------------------------ */

struct reader {
    const char *p;
    size_t left;
};

static const char *take(struct reader *r, size_t n) {
    if (n > r->left) return NULL;
    const char *p = r->p;
    r->p += n;
    r->left -= n;
    return p;
}

static bool take_u32(struct reader *r, uint32_t *v) {
    const char *p = take(r, sizeof *v);
    if (p) memcpy(v, p, sizeof *v);
    return p != NULL;
}

static PyObject *malformed(void) { return PyErr_Format(PyExc_RuntimeError, "malformed message from the host"); }

static PyObject *unpacked(const char *head, size_t n, PyObject *attachments) {
    return Py_BuildValue("(NN)", PyUnicode_DecodeUTF8(head, (Py_ssize_t)n, "surrogatepass"), attachments);
}

/* (head as str, attachments as tuple of bytes) */
PyObject *wh_unpack(const char *p, size_t n) {
    struct reader r = {p, n};
    uint32_t head_len, count;
    if (n && (*p == '[' || *p == '{')) return unpacked(p, n, PyTuple_New(0));
    const char *m = take(&r, sizeof magic);
    if (!m || memcmp(m, magic, sizeof magic) != 0 || !take_u32(&r, &head_len) || !take_u32(&r, &count)) return malformed();
    const char *lengths = count <= n / 4 ? take(&r, (size_t)count * 4) : NULL, *head = lengths ? take(&r, head_len) : NULL;
    if (!head) return malformed();
    PyObject *attachments = PyTuple_New(count);
    for (uint32_t i = 0; attachments && i < count; i++) {
        uint32_t len;
        memcpy(&len, lengths + i * 4, sizeof len);
        const char *bytes = take(&r, len);
        PyObject *o = bytes ? PyBytes_FromStringAndSize(bytes, len) : malformed();
        if (o) PyTuple_SET_ITEM(attachments, i, o);
        else Py_CLEAR(attachments);
    }
    if (!attachments) return NULL;
    return unpacked(head, head_len, attachments);
}

static PyObject *ask(int kind, const struct wh_buf *request) {
    char small[SMALL_REPLY];
    int32_t n = wh_host_call(kind, request->p, (uint32_t)request->len, small, sizeof small);
    if (n < 0) return PyErr_Format(PyExc_RuntimeError, "the host does not take calls");
    if (n <= SMALL_REPLY) return n ? wh_unpack(small, (size_t)n) : Py_NewRef(Py_None);
    char *large = malloc((size_t)n);
    if (!large) return PyErr_NoMemory();
    wh_host_take(large, (uint32_t)n);
    PyObject *r = wh_unpack(large, (size_t)n);
    free(large);
    return r;
}

/* call(kind, value): the reply unpacked, or None where there is none. */
PyObject *wh_native_call(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    struct wh_buf request = {.limit = MAX_REQUEST};
    (void)self;
    if (n != 2) return PyErr_Format(PyExc_TypeError, "call(kind, value)");
    int kind = PyLong_AsInt(args[0]);
    if (kind == -1 && PyErr_Occurred()) return NULL;
    PyObject *reply = NULL;
    wh.called = true;
    if (encode_request(&request, args[1])) {
        wh_out_flush();
        reply = ask(kind, &request);
    }
    free(request.p);
    if (reply && wh_stop_take()) Py_CLEAR(reply);
    return reply;
}

/* add_pending(+1 or -1): calls that have been started and are not settled. */
PyObject *wh_native_add_pending(PyObject *self, PyObject *by) {
    int n = PyLong_AsInt(by);
    (void)self;
    if (n == -1 && PyErr_Occurred()) return NULL;
    wh.pending_calls = n < 0 && wh.pending_calls == 0 ? 0 : wh.pending_calls + (uint32_t)n;
    Py_RETURN_NONE;
}
