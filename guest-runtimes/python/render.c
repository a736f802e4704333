/* The text of a value as a REPL shows it, bounded while it is made: a list of ten million items must not first become a
 * string of a hundred megabytes. Containers are written here, item by item; everything else by its own repr.
 *
 * Two rounds. The first writes everything and gives up at the limit, which most values never reach. The second gives each
 * container a share of the room and says in each how much was left out, so that the end of a value is not hidden by one
 * huge item near its beginning. */
#include "guest.h"

#include <string.h>

#include "pycore_long.h"
#include "pycore_setobject.h"

enum {
    MAX_DEPTH = 100,   /* deeper containers are shown as [...] */
    MIN_SHARE = 24,    /* characters that even the last item of a crowded container gets */
    MORE = 20,         /* room for ", ... 12345678 more" */
    SAFE_DIGITS = 4000 /* str() of an int refuses a little above that */
};

struct render {
    struct wh_buf *b;
    size_t left; /* characters that may still be written */
    bool cut;    /* something was left out */
    bool shares; /* second round */
    bool raised; /* an exception is set that must end the cell */
    int depth;
    PyObject *open[MAX_DEPTH]; /* containers around this value, against cycles */
    PyObject *reprs;           /* {address: repr} of the first round, so that no repr is called twice */
};

static void render(struct render *r, PyObject *v, size_t share);

static void put_chars(struct render *r, PyObject *text, Py_ssize_t n) {
    if ((size_t)n > r->left) {
        n = (Py_ssize_t)r->left;
        r->cut = true;
    }
    wh_buf_chars(r->b, text, 0, n);
    r->left -= (size_t)n;
}

static void put(struct render *r, const char *ascii) {
    size_t n = strlen(ascii);
    if (n > r->left) {
        n = r->left;
        r->cut = true;
    }
    wh_buf_add(r->b, ascii, n);
    r->left -= n;
}

static bool give_up(const struct render *r) { return r->raised || r->left == 0 || (r->cut && !r->shares); }

/* ---- what is not a container --------------------------------------------------------------------------------------- */

static void put_text(struct render *r, PyObject *text, size_t share) {
    size_t n = (size_t)PyUnicode_GET_LENGTH(text);
    if (n <= share) {
        put_chars(r, text, (Py_ssize_t)n);
        return;
    }
    put_chars(r, text, (Py_ssize_t)(share > 3 ? share - 3 : 0));
    put(r, "...");
    r->cut = true;
}

PyObject *wh_type_name(PyTypeObject *t, bool with_module) {
    PyObject *name, *module = NULL;
    if (t->tp_flags & Py_TPFLAGS_HEAPTYPE) {
        PyHeapTypeObject *heap = (PyHeapTypeObject *)t;
        name = Py_NewRef(with_module ? heap->ht_qualname : heap->ht_name);
        if (with_module && t->tp_dict) module = Py_XNewRef(PyDict_GetItemString(t->tp_dict, "__module__"));
    } else {
        const char *dot = strrchr(t->tp_name, '.');
        name = PyUnicode_FromString(dot ? dot + 1 : t->tp_name);
        if (with_module && dot) module = PyUnicode_FromStringAndSize(t->tp_name, dot - t->tp_name);
    }
    bool plain = !module || !PyUnicode_CheckExact(module) || PyUnicode_EqualToUTF8(module, "builtins") ||
                 PyUnicode_EqualToUTF8(module, "__main__");
    if (name && !plain) Py_SETREF(name, PyUnicode_FromFormat("%U.%U", module, name));
    Py_XDECREF(module);
    return name;
}

bool wh_must_end(void) {
    if (PyErr_ExceptionMatches(wh.stop_type)) return true;
    PyErr_Clear();
    return false;
}

/* "; its repr raised ValueError: no repr today", whatever the exception does when it is asked for its text. */
static PyObject *text_of_failed_repr(PyObject *v, PyObject *exc) {
    PyObject *name = wh_type_name(Py_TYPE(v), false), *exc_name = wh_type_name(Py_TYPE(exc), false);
    PyObject *message = PyObject_Str(exc), *text = NULL;
    if (!message && wh_must_end()) goto done;
    if (message && !PyUnicode_CheckExact(message)) Py_SETREF(message, PyUnicode_FromObject(message));
    if (message) Py_SETREF(message, PyUnicode_Substring(message, 0, 300));
    if (name && exc_name) {
        bool some = message && PyUnicode_GET_LENGTH(message) > 0;
        const char *colon = some ? ": " : "";
        text = PyUnicode_FromFormat("<%U object; its repr raised %U%s%V>", name, exc_name, colon, some ? message : NULL, "");
    }
done:
    Py_XDECREF(name);
    Py_XDECREF(exc_name);
    Py_XDECREF(message);
    return text;
}

static PyObject *call_repr(PyObject *v) {
    PyObject *text = PyObject_Repr(v);
    if (text) {
        if (!PyUnicode_CheckExact(text)) Py_SETREF(text, PyUnicode_FromObject(text));
        return text;
    }
    if (PyErr_ExceptionMatches(wh.stop_type)) return NULL;
    PyObject *exc = PyErr_GetRaisedException();
    text = text_of_failed_repr(v, exc);
    Py_DECREF(exc);
    return text;
}

static PyObject *remembered_repr(struct render *r, PyObject *v) {
    PyObject *key = PyLong_FromVoidPtr(v), *text = NULL;
    if (key && r->reprs) text = Py_XNewRef(PyDict_GetItemWithError(r->reprs, key));
    if (key && !text) {
        text = call_repr(v);
        if (!r->reprs && text) r->reprs = PyDict_New();
        if (r->reprs && text) PyDict_SetItem(r->reprs, key, text);
    }
    Py_XDECREF(key);
    return text;
}

static void render_by_repr(struct render *r, PyObject *v, size_t share) {
    PyObject *text = r->depth ? remembered_repr(r, v) : call_repr(v);
    if (text) put_text(r, text, share);
    if (PyErr_Occurred() && wh_must_end()) r->raised = true;
    else if (!text) put(r, "<no memory for a repr>");
    Py_XDECREF(text);
}

/* Only the beginning of a long string is made into its repr. */
static void render_sequence_of_chars(struct render *r, PyObject *v, size_t share) {
    size_t room = share < r->left ? share : r->left, n = (size_t)PyObject_Length(v);
    if (n <= room) {
        render_by_repr(r, v, share);
        return;
    }
    PyObject *head = PySequence_GetSlice(v, 0, (Py_ssize_t)(room > MORE ? room - MORE : room));
    PyObject *text = head ? PyObject_Repr(head) : NULL;
    if (text) {
        put_chars(r, text, Py_MIN(PyUnicode_GET_LENGTH(text), (Py_ssize_t)room));
        put(r, "...");
    }
    PyErr_Clear();
    r->cut = true;
    Py_XDECREF(head);
    Py_XDECREF(text);
}

static void render_int(struct render *r, PyObject *v, size_t share) {
    size_t bits = _PyLong_NumBits(v);
    if (bits < SAFE_DIGITS * 3) {
        render_by_repr(r, v, share);
        return;
    }
    PyObject *text = PyUnicode_FromFormat("<int of %zu bits>", bits);
    if (text) put_text(r, text, share);
    PyErr_Clear();
    Py_XDECREF(text);
}

/* ---- containers ---------------------------------------------------------------------------------------------------- */

struct items {
    size_t begin, share; /* room when the container began; what it may take of it */
    Py_ssize_t i, n;
};

static size_t used(const struct render *r, const struct items *s) { return s->begin - r->left; }

/* Writes what stands before the next item. False: no item may follow. */
static bool next_item(struct render *r, struct items *s) {
    if (give_up(r)) return false;
    if (r->shares && s->i > 0 && used(r, s) + MORE > s->share) {
        char text[48];
        PyOS_snprintf(text, sizeof text, ", ... %zd more", s->n - s->i);
        put(r, text);
        r->cut = true;
        return false;
    }
    if (s->i++ > 0) put(r, ", ");
    return true;
}

static size_t item_share(const struct render *r, const struct items *s) {
    if (!r->shares) return SIZE_MAX;
    size_t rest = s->share > used(r, s) ? s->share - used(r, s) : 0;
    size_t share = rest / (size_t)Py_MAX(1, Py_MIN(s->n - s->i + 1, 4));
    return Py_MAX(share, MIN_SHARE);
}

/* Lists and tuples may be changed by the repr of their items: lengths are read again each time, items are held. */
static void render_list(struct render *r, PyObject *v, struct items *s) {
    put(r, "[");
    while (s->i < PyList_GET_SIZE(v)) {
        s->n = PyList_GET_SIZE(v);
        if (!next_item(r, s)) break;
        PyObject *item = Py_NewRef(PyList_GET_ITEM(v, s->i - 1));
        render(r, item, item_share(r, s));
        Py_DECREF(item);
    }
    put(r, "]");
}

static void render_tuple(struct render *r, PyObject *v, struct items *s) {
    s->n = PyTuple_GET_SIZE(v);
    put(r, "(");
    while (s->i < s->n && next_item(r, s)) render(r, PyTuple_GET_ITEM(v, s->i - 1), item_share(r, s));
    put(r, s->n == 1 ? ",)" : ")");
}

static void render_dict(struct render *r, PyObject *v, struct items *s) {
    Py_ssize_t pos = 0;
    PyObject *key, *value;
    put(r, "{");
    while (PyDict_Next(v, &pos, &key, &value)) {
        s->n = PyDict_GET_SIZE(v);
        Py_INCREF(key);
        Py_INCREF(value);
        bool more = next_item(r, s);
        if (more) {
            size_t share = item_share(r, s);
            render(r, key, share);
            put(r, ": ");
            if (!give_up(r)) render(r, value, share);
        }
        Py_DECREF(key);
        Py_DECREF(value);
        if (!more) break;
    }
    put(r, "}");
}

static void render_set(struct render *r, PyObject *v, struct items *s) {
    Py_ssize_t pos = 0;
    PyObject *item;
    Py_hash_t hash;
    bool frozen = PyFrozenSet_CheckExact(v);
    if (PySet_GET_SIZE(v) == 0) {
        put(r, frozen ? "frozenset()" : "set()");
        return;
    }
    put(r, frozen ? "frozenset({" : "{");
    while (_PySet_NextEntryRef(v, &pos, &item, &hash)) {
        s->n = PySet_GET_SIZE(v);
        bool more = next_item(r, s);
        if (more) render(r, item, item_share(r, s));
        Py_DECREF(item);
        if (!more) break;
    }
    put(r, frozen ? "})" : "}");
}

typedef void container_fn(struct render *, PyObject *, struct items *);

static bool is_open(const struct render *r, PyObject *v) {
    for (int i = 0; i < r->depth; i++)
        if (r->open[i] == v) return true;
    return false;
}

static void render_container(struct render *r, PyObject *v, size_t share, container_fn *fn, const char *cycle) {
    bool deep = r->depth == MAX_DEPTH;
    if (deep || is_open(r, v)) {
        r->cut |= deep;
        put(r, cycle);
        return;
    }
    struct items s = {.begin = r->left, .share = share};
    r->open[r->depth++] = v;
    fn(r, v, &s);
    r->depth--;
}

static void render(struct render *r, PyObject *v, size_t share) {
    PyTypeObject *t = Py_TYPE(v);
    if (t == &PyUnicode_Type || t == &PyBytes_Type || t == &PyByteArray_Type) render_sequence_of_chars(r, v, share);
    else if (t == &PyLong_Type) render_int(r, v, share);
    /* Subclasses that kept the repr of their base are shown by it anyway. */
    else if (t->tp_repr == PyList_Type.tp_repr) render_container(r, v, share, render_list, "[...]");
    else if (t->tp_repr == PyTuple_Type.tp_repr) render_container(r, v, share, render_tuple, "(...)");
    else if (t->tp_repr == PyDict_Type.tp_repr) render_container(r, v, share, render_dict, "{...}");
    else if (t == &PySet_Type || t == &PyFrozenSet_Type) render_container(r, v, share, render_set, "{...}");
    else render_by_repr(r, v, share);
}

enum wh_verdict wh_render(struct wh_buf *b, PyObject *v, uint32_t chars, bool *cut) {
    size_t start = b->len;
    struct render r = {.b = b, .left = chars};
    render(&r, v, SIZE_MAX);
    if (r.cut && !r.raised && !b->full) {
        struct render second = {.b = b, .left = chars, .shares = true, .reprs = r.reprs};
        wh_buf_rewind(b, start);
        render(&second, v, chars > 4 * MORE ? chars - MORE : chars);
        second.cut = true; /* also where the second round found room for all */
        r = second;
    }
    Py_XDECREF(r.reprs);
    if (r.raised) return WH_RAISED;
    *cut = r.cut;
    return b->full ? WH_TOO_LARGE : WH_WELL;
}
