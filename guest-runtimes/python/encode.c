/* Values for the host: docs/values.md. JSON text goes into a buffer, bytes become attachments that are not copied.
 *
 * Exact types and subclasses of the basic types are read through their C structures, so nothing that a guest class overrides
 * is called for them. Opaque values are shown by their repr, which may run guest code at that moment: whatever is held here
 * across an item is a strong reference, and sizes are read again. */
#include "guest.h"

#include <datetime.h>
#include <stdlib.h>
#include <string.h>

#include "pycore_dict.h"
#include "pycore_long.h"
#include "pycore_object.h"
#include "pycore_setobject.h"

enum {
    MAX_DEPTH = 500,       /* recursion of this file; the limit that the host gives is usually far lower */
    LONG_TEXT = 4096,      /* characters from which on a text may be an attachment */
    OPAQUE_CHARS = 1000,   /* of the text of an opaque value */
    DEEP_CHARS = 200       /* of a container that lies too deep */
};

struct encoder {
    struct wh_buf *b;
    struct wh_attachments *a;
    size_t bytes_limit, attached; /* attached: bytes in attachments so far */
    int depth, depth_limit;
    bool tagged, long_text;
    enum wh_verdict verdict;
    PyObject *open[MAX_DEPTH]; /* containers around this value, against cycles */
};

/* Types of the standard library that have a form of their own. */
static struct {
    PyObject *enum_type, *decimal, *decimal_str, *fraction, *numerator, *denominator, *uuid, *uuid_int, *array, *field, *field_kind;
    PyObject *isoformat[3]; /* datetime, date, time */
    PyObject *dataclass_fields, *field_kind_name, *name_marker;
} known;

static void encode(struct encoder *e, PyObject *v);

static bool stopped(struct encoder *e) {
    if (e->b->full) e->verdict = WH_TOO_LARGE;
    return e->verdict != WH_WELL;
}

static void text(struct encoder *e, const char *s) { wh_buf_text(e->b, s); }

/* {"$wasmhost":"<tag>",  ... the caller closes the brace */
static void open_tag(struct encoder *e, const char *tag) {
    e->tagged = true;
    text(e, "{\"$wasmhost\":\"");
    text(e, tag);
    text(e, "\",");
}

static void simple_tag(struct encoder *e, const char *tag, PyObject *str) {
    open_tag(e, tag);
    text(e, "\"v\":");
    wh_buf_str(e->b, str);
    text(e, "}");
}

/* ---- what is shown as text ----------------------------------------------------------------------------------------- */

static void encode_opaque_text(struct encoder *e, PyObject *v, uint32_t chars) {
    PyObject *name = wh_type_name(Py_TYPE(v), false);
    bool cut;
    open_tag(e, "opaque");
    text(e, "\"type\":");
    if (name) wh_buf_str(e->b, name);
    else text(e, "\"object\"");
    PyErr_Clear();
    Py_XDECREF(name);
    text(e, ",\"v\":\"");
    enum wh_verdict verdict = wh_render(e->b, v, chars, &cut);
    if (verdict != WH_WELL) e->verdict = verdict;
    text(e, "\"}");
}

static void encode_opaque(struct encoder *e, PyObject *v) { encode_opaque_text(e, v, OPAQUE_CHARS); }

/* ---- numbers and text ---------------------------------------------------------------------------------------------- */

static void encode_int(struct encoder *e, PyObject *v) {
    int overflow;
    long long n = PyLong_AsLongLongAndOverflow(v, &overflow);
    if (!overflow && n != LLONG_MIN) {
        wh_buf_i64(e->b, n);
        return;
    }
    PyObject *hex = _PyLong_Format(v, 16);
    if (!hex) {
        e->verdict = WH_TOO_LARGE;
        PyErr_Clear();
        return;
    }
    simple_tag(e, "int", hex);
    Py_DECREF(hex);
}

static void encode_complex(struct encoder *e, PyObject *v) {
    Py_complex c = ((PyComplexObject *)v)->cval;
    open_tag(e, "complex");
    text(e, "\"v\":[");
    wh_buf_double(e->b, c.real);
    text(e, ",");
    wh_buf_double(e->b, c.imag);
    text(e, "]}");
}

/* The result of a function of the standard library as tagged text; what cannot be told that way is opaque. */
static void encode_text_of(struct encoder *e, const char *tag, PyObject *v, PyObject *str) {
    if (str && PyUnicode_CheckExact(str)) simple_tag(e, tag, str);
    else if (!str && wh_must_end()) e->verdict = WH_RAISED;
    else encode_opaque(e, v);
    Py_XDECREF(str);
}

static PyObject *slot(PyObject *member, PyObject *v) { return Py_TYPE(member)->tp_descr_get(member, v, (PyObject *)Py_TYPE(v)); }

static PyObject *text_of_fraction(PyObject *v) {
    PyObject *n = slot(known.numerator, v), *d = n ? slot(known.denominator, v) : NULL, *str = NULL;
    if (d && PyLong_CheckExact(n) && PyLong_CheckExact(d)) str = PyUnicode_FromFormat("%S/%S", n, d);
    else if (d) PyErr_SetString(PyExc_TypeError, "not a fraction");
    Py_XDECREF(n);
    Py_XDECREF(d);
    return str;
}

static PyObject *text_of_uuid(PyObject *v) {
    unsigned char b[16];
    char s[40], *p = s;
    PyObject *n = slot(known.uuid_int, v);
    if (!n) return NULL;
    bool well = PyLong_CheckExact(n) && _PyLong_AsByteArray((PyLongObject *)n, b, sizeof b, 0, 0, 1) == 0;
    Py_DECREF(n);
    if (!well) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "not a UUID");
        return NULL;
    }
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *p++ = '-';
        p += PyOS_snprintf(p, 3, "%02x", b[i]);
    }
    return PyUnicode_FromStringAndSize(s, p - s);
}

static void encode_timedelta(struct encoder *e, PyObject *v) {
    open_tag(e, "timedelta");
    text(e, "\"v\":[");
    wh_buf_i64(e->b, PyDateTime_DELTA_GET_DAYS(v));
    text(e, ",");
    wh_buf_i64(e->b, PyDateTime_DELTA_GET_SECONDS(v));
    text(e, ",");
    wh_buf_i64(e->b, PyDateTime_DELTA_GET_MICROSECONDS(v));
    text(e, "]}");
}

static void encode_exception(struct encoder *e, PyObject *v) {
    PyObject *name = wh_type_name(Py_TYPE(v), false), *message = PyObject_Str(v);
    if (!message && wh_must_end()) e->verdict = WH_RAISED;
    open_tag(e, "error");
    text(e, "\"type\":");
    if (name) wh_buf_str(e->b, name);
    else text(e, "\"Exception\"");
    text(e, ",\"message\":");
    if (message) wh_buf_str(e->b, message);
    else text(e, "\"\"");
    text(e, "}");
    Py_XDECREF(name);
    Py_XDECREF(message);
}

/* ---- bytes --------------------------------------------------------------------------------------------------------- */

static bool grow_attachments(struct wh_attachments *a) {
    if (a->len < a->cap) return true;
    uint32_t cap = a->cap ? a->cap * 2 : 8;
    struct wh_span *spans = realloc(a->spans, cap * sizeof *spans);
    if (spans) a->spans = spans;
    Py_buffer *views = spans ? realloc(a->views, cap * sizeof *views) : NULL;
    if (!views) return false;
    a->views = views;
    a->cap = cap;
    return true;
}

void wh_attachments_free(struct wh_attachments *a) {
    while (a->len > 0) PyBuffer_Release(&a->views[--a->len]);
    if (a->cap > 64) { /* else kept for the next cell */
        free(a->spans);
        free(a->views);
        *a = (struct wh_attachments){0};
    }
}

static bool attach_text(struct encoder *e, PyObject *v) {
    struct wh_attachments *a = e->a;
    Py_ssize_t n;
    const char *utf8 = PyUnicode_AsUTF8AndSize(v, &n);
    if (!utf8 || !grow_attachments(a) || PyBuffer_FillInfo(&a->views[a->len], v, (void *)utf8, n, 1, PyBUF_SIMPLE) < 0) {
        PyErr_Clear(); /* lone surrogates, or no memory for it */
        return false;
    }
    a->spans[a->len++] = (struct wh_span){(uint32_t)(uintptr_t)utf8, (uint32_t)n};
    e->attached += (size_t)n;
    if (e->attached > e->bytes_limit) e->verdict = WH_TOO_LARGE;
    return true;
}

/* Adds the bytes of v, whose buffer is asked for in the way of `base`, a type of C. Returns its index, or -1. */
static int64_t attach(struct encoder *e, PyObject *v, PyTypeObject *base) {
    struct wh_attachments *a = e->a;
    Py_buffer *view;
    if (!a || !grow_attachments(a)) {
        e->verdict = WH_TOO_LARGE;
        return -1;
    }
    view = &a->views[a->len];
    if (base->tp_as_buffer->bf_getbuffer(v, view, PyBUF_FULL_RO) < 0) return -1;
    e->attached += (size_t)view->len;
    if (e->attached > e->bytes_limit) {
        PyBuffer_Release(view);
        e->verdict = WH_TOO_LARGE;
        return -1;
    }
    a->spans[a->len] = (struct wh_span){(uint32_t)(uintptr_t)view->buf, (uint32_t)view->len};
    return a->len++;
}

static void end_attached(struct encoder *e, int64_t index) {
    text(e, "\"at\":");
    wh_buf_i64(e->b, index);
    text(e, "}");
}

static void encode_str(struct encoder *e, PyObject *v) {
    if (PyUnicode_GET_LENGTH(v) >= LONG_TEXT && e->long_text && e->a && attach_text(e, v)) {
        open_tag(e, "text");
        end_attached(e, e->a->len - 1);
    } else {
        wh_buf_str(e->b, v);
    }
}

static void encode_bytes(struct encoder *e, PyObject *v, PyTypeObject *base) {
    int64_t index = attach(e, v, base);
    if (index >= 0) {
        open_tag(e, base == &PyByteArray_Type ? "bytearray" : "bytes");
        end_attached(e, index);
    } else if (e->verdict == WH_WELL) {
        PyErr_Clear();
        encode_opaque(e, v);
    }
}

/* A view that is not contiguous has no single span of memory: its bytes are copied. */
static void encode_memoryview(struct encoder *e, PyObject *v) {
    const Py_buffer *view = PyMemoryView_GET_BUFFER(v);
    if (PyBuffer_IsContiguous(view, 'C')) {
        encode_bytes(e, v, &PyMemoryView_Type);
        return;
    }
    PyObject *copy = PyBytes_FromObject(v);
    if (copy) encode_bytes(e, copy, &PyBytes_Type);
    else PyErr_Clear(), encode_opaque(e, v);
    Py_XDECREF(copy);
}

static const char *array_type(char code, Py_ssize_t size) {
    static const char *const ints[][2] = {{"i1", "u1"}, {"i2", "u2"}, {"i4", "u4"}, {"i8", "u8"}};
    if (code == 'f') return "f4";
    if (code == 'd') return "f8";
    if (!strchr("bBhHiIlLqQ", code)) return NULL;
    int k = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
    return ints[k][code < 'a'];
}

static void encode_array(struct encoder *e, PyObject *v) {
    int64_t index = attach(e, v, (PyTypeObject *)known.array);
    if (e->verdict != WH_WELL) return;
    const Py_buffer *view = index >= 0 ? &e->a->views[index] : NULL;
    const char *type = view && view->format ? array_type(view->format[0], view->itemsize) : NULL;
    if (!type) {
        if (view) PyBuffer_Release(&e->a->views[--e->a->len]);
        PyErr_Clear();
        encode_opaque(e, v);
        return;
    }
    open_tag(e, "array");
    text(e, "\"type\":\"");
    text(e, type);
    text(e, "\",");
    end_attached(e, index);
}

/* ---- containers ---------------------------------------------------------------------------------------------------- */

static bool is_open(const struct encoder *e, PyObject *v) {
    for (int i = 0; i < e->depth; i++)
        if (e->open[i] == v) return true;
    return false;
}

/* False: v is a cycle or lies too deep, and has been written as that. */
static bool enter(struct encoder *e, PyObject *v, const char *cycle) {
    if (is_open(e, v)) {
        PyObject *name = wh_type_name(Py_TYPE(v), false);
        open_tag(e, "opaque");
        text(e, "\"type\":");
        if (name) wh_buf_str(e->b, name);
        else text(e, "\"object\"");
        text(e, ",\"v\":\"");
        text(e, cycle);
        text(e, "\"}");
        Py_XDECREF(name);
        return false;
    }
    if (e->depth == e->depth_limit) {
        encode_opaque_text(e, v, DEEP_CHARS);
        return false;
    }
    e->open[e->depth++] = v;
    return true;
}

static void encode_list(struct encoder *e, PyObject *v) {
    if (!enter(e, v, "[...]")) return;
    text(e, "[");
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(v) && !stopped(e); i++) {
        PyObject *item = Py_NewRef(PyList_GET_ITEM(v, i));
        if (i) text(e, ",");
        encode(e, item);
        Py_DECREF(item);
    }
    text(e, "]");
    e->depth--;
}

static void encode_tuple(struct encoder *e, PyObject *v) {
    if (!enter(e, v, "(...)")) return;
    open_tag(e, "tuple");
    text(e, "\"v\":[");
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(v) && !stopped(e); i++) {
        if (i) text(e, ",");
        encode(e, PyTuple_GET_ITEM(v, i));
    }
    text(e, "]}");
    e->depth--;
}

static void encode_set(struct encoder *e, PyObject *v) {
    Py_ssize_t pos = 0;
    PyObject *item;
    Py_hash_t hash;
    if (!enter(e, v, "{...}")) return;
    open_tag(e, PyType_IsSubtype(Py_TYPE(v), &PyFrozenSet_Type) ? "frozenset" : "set");
    text(e, "\"v\":[");
    for (bool first = true; !stopped(e) && _PySet_NextEntryRef(v, &pos, &item, &hash); first = false) {
        if (!first) text(e, ",");
        encode(e, item);
        Py_DECREF(item);
    }
    text(e, "]}");
    e->depth--;
}

enum key_kind { KEYS_STR, KEYS_MARKED, KEYS_OTHER };

/* All keys str: an object; one of them "$wasmhost": an object that must be escaped; else a map. */
static enum key_kind kind_of_keys(PyObject *v) {
    Py_ssize_t pos = 0;
    PyObject *key, *value;
    enum key_kind kind = KEYS_STR;
    while (PyDict_Next(v, &pos, &key, &value)) {
        if (!PyUnicode_Check(key)) return KEYS_OTHER;
        if (PyUnicode_GET_LENGTH(key) == 9 && _PyUnicode_Equal(key, known.name_marker)) kind = KEYS_MARKED;
    }
    return kind;
}

static void encode_pair(struct encoder *e, PyObject *key, PyObject *value, bool first, bool map) {
    if (!first) text(e, ",");
    if (map) {
        text(e, "[");
        encode(e, key);
        text(e, ",");
        encode(e, value);
        text(e, "]");
    } else {
        /* A dict of str keys may have been given another key by a repr that ran in between. */
        if (PyUnicode_Check(key)) wh_buf_str(e->b, key);
        else text(e, "\"\"");
        text(e, ":");
        encode(e, value);
    }
}

static void encode_items(struct encoder *e, PyObject *v, bool map) {
    Py_ssize_t pos = 0;
    PyObject *key, *value;
    for (bool first = true; !stopped(e) && PyDict_Next(v, &pos, &key, &value); first = false) {
        Py_INCREF(key);
        Py_INCREF(value);
        encode_pair(e, key, value, first, map);
        Py_DECREF(key);
        Py_DECREF(value);
    }
}

/* move_to_end changes the order of an OrderedDict, but not that of the dict below it. */
static void encode_ordered_items(struct encoder *e, PyObject *v, bool map) {
    PyObject *keys = PyODict_Type.tp_iter(v), *key;
    for (bool first = true; keys && !stopped(e) && (key = Py_TYPE(keys)->tp_iternext(keys)); first = false) {
        PyObject *value = Py_XNewRef(PyDict_GetItemWithError(v, key));
        if (value) encode_pair(e, key, value, first, map);
        Py_DECREF(key);
        Py_XDECREF(value);
        if (!value) break;
    }
    if (PyErr_Occurred() && wh_must_end()) e->verdict = WH_RAISED;
    Py_XDECREF(keys);
}

static void encode_dict(struct encoder *e, PyObject *v) {
    if (!enter(e, v, "{...}")) return;
    enum key_kind kind = kind_of_keys(v);
    bool map = kind == KEYS_OTHER;
    if (kind == KEYS_MARKED) open_tag(e, "object"), text(e, "\"v\":");
    if (map) open_tag(e, "map"), text(e, "\"v\":");
    text(e, map ? "[" : "{");
    if (PyODict_Check(v)) encode_ordered_items(e, v, map);
    else encode_items(e, v, map);
    text(e, map ? "]" : "}");
    if (kind != KEYS_STR) text(e, "}");
    e->depth--;
}

/* ---- dataclasses --------------------------------------------------------------------------------------------------- */

static PyObject *fields_of(PyObject *v) {
    PyObject *fields = _PyType_Lookup(Py_TYPE(v), known.dataclass_fields);
    return fields && PyDict_CheckExact(fields) ? fields : NULL;
}

/* ClassVar and InitVar are in the table of fields too, but are no fields. */
static bool is_field(PyObject *name, PyObject *field) {
    if (!PyUnicode_CheckExact(name) || Py_TYPE(field) != (PyTypeObject *)known.field) return false;
    PyObject *kind = PyObject_GetAttr(field, known.field_kind_name);
    bool yes = kind == known.field_kind;
    PyErr_Clear();
    Py_XDECREF(kind);
    return yes;
}

/* The value that is stored for a field, without calling a property: in a slot, in the instance, or a default of the class. */
static PyObject *stored_field(PyObject *v, PyObject *name) {
    PyObject *in_class = Py_XNewRef(_PyType_Lookup(Py_TYPE(v), name)), *value = NULL;
    if (in_class && Py_IS_TYPE(in_class, &PyMemberDescr_Type)) value = slot(in_class, v);
    else {
        PyObject *dict = PyObject_GenericGetDict(v, NULL);
        if (dict && PyDict_Check(dict)) value = Py_XNewRef(PyDict_GetItemWithError(dict, name));
        Py_XDECREF(dict);
        if (!value && in_class && !Py_TYPE(in_class)->tp_descr_get) value = Py_NewRef(in_class);
    }
    Py_XDECREF(in_class);
    return value;
}

static void encode_dataclass(struct encoder *e, PyObject *v, PyObject *fields) {
    Py_ssize_t pos = 0;
    PyObject *name, *field;
    bool first = true;
    if (!enter(e, v, "{...}")) return;
    Py_INCREF(fields);
    text(e, "{");
    while (!stopped(e) && PyDict_Next(fields, &pos, &name, &field)) {
        if (!is_field(name, field)) continue;
        Py_INCREF(name);
        PyObject *value = stored_field(v, name);
        if (value) encode_pair(e, name, value, first, false);
        else if (PyErr_Occurred() && wh_must_end()) e->verdict = WH_RAISED;
        first = first && !value;
        Py_XDECREF(value);
        Py_DECREF(name);
    }
    text(e, "}");
    Py_DECREF(fields);
    e->depth--;
}

/* ---- everything ---------------------------------------------------------------------------------------------------- */

static bool is_a(PyObject *v, PyObject *type) { return PyObject_TypeCheck(v, (PyTypeObject *)type); }

static bool encode_basic_subclass(struct encoder *e, PyObject *v) {
    unsigned long flags = Py_TYPE(v)->tp_flags;
    bool enum_member = PyObject_TypeCheck((PyObject *)Py_TYPE(v), (PyTypeObject *)known.enum_type);
    if (flags & Py_TPFLAGS_LONG_SUBCLASS) encode_int(e, v);
    else if (flags & Py_TPFLAGS_UNICODE_SUBCLASS) encode_str(e, v);
    else if (enum_member) encode_opaque(e, v);
    else if (flags & Py_TPFLAGS_DICT_SUBCLASS) encode_dict(e, v);
    else if (flags & Py_TPFLAGS_LIST_SUBCLASS) encode_list(e, v);
    else if (flags & Py_TPFLAGS_TUPLE_SUBCLASS) encode_tuple(e, v);
    else if (flags & Py_TPFLAGS_BYTES_SUBCLASS) encode_bytes(e, v, &PyBytes_Type);
    else if (PyFloat_Check(v)) wh_buf_double(e->b, PyFloat_AS_DOUBLE(v));
    else if (PyAnySet_Check(v)) encode_set(e, v);
    else if (PyByteArray_Check(v)) encode_bytes(e, v, &PyByteArray_Type);
    else if (PyMemoryView_Check(v)) encode_memoryview(e, v);
    else if (PyComplex_Check(v)) encode_complex(e, v);
    else return false;
    return true;
}

static void encode_other(struct encoder *e, PyObject *v) {
    PyObject *fields;
    if (encode_basic_subclass(e, v)) return;
    if (PyDateTime_Check(v)) encode_text_of(e, "datetime", v, PyObject_CallOneArg(known.isoformat[0], v));
    else if (PyDate_Check(v)) encode_text_of(e, "date", v, PyObject_CallOneArg(known.isoformat[1], v));
    else if (PyTime_Check(v)) encode_text_of(e, "time", v, PyObject_CallOneArg(known.isoformat[2], v));
    else if (PyDelta_Check(v)) encode_timedelta(e, v);
    else if (is_a(v, known.decimal)) encode_text_of(e, "decimal", v, PyObject_CallOneArg(known.decimal_str, v));
    else if (is_a(v, known.fraction)) encode_text_of(e, "fraction", v, text_of_fraction(v));
    else if (is_a(v, known.uuid)) encode_text_of(e, "uuid", v, text_of_uuid(v));
    else if (is_a(v, known.array)) encode_array(e, v);
    else if (PyExceptionInstance_Check(v)) encode_exception(e, v);
    else if ((fields = fields_of(v))) encode_dataclass(e, v, fields);
    else encode_opaque(e, v);
}

static void encode(struct encoder *e, PyObject *v) {
    PyTypeObject *t = Py_TYPE(v);
    if (stopped(e)) return;
    if (t == &PyUnicode_Type) encode_str(e, v);
    else if (t == &PyLong_Type) encode_int(e, v);
    else if (v == Py_None) text(e, "null");
    else if (t == &PyBool_Type) text(e, v == Py_True ? "true" : "false");
    else if (t == &PyFloat_Type) wh_buf_double(e->b, PyFloat_AS_DOUBLE(v));
    else if (t == &PyDict_Type) encode_dict(e, v);
    else if (t == &PyList_Type) encode_list(e, v);
    else if (t == &PyTuple_Type) encode_tuple(e, v);
    else encode_other(e, v);
}

enum wh_verdict wh_encode(struct wh_buf *b, struct wh_attachments *a, PyObject *v, struct wh_limits limits, bool *tagged) {
    struct encoder e = {.b = b, .a = a, .bytes_limit = limits.bytes, .long_text = limits.long_text, .verdict = WH_WELL};
    size_t start = b->len, limit = b->limit;
    e.depth_limit = (int)Py_MIN(limits.depth, MAX_DEPTH);
    if (limits.bytes < limit - start) b->limit = start + limits.bytes;
    encode(&e, v);
    if (b->full || b->len - start + e.attached > limits.bytes)
        if (e.verdict == WH_WELL) e.verdict = WH_TOO_LARGE;
    b->limit = limit;
    if (e.verdict != WH_WELL) wh_buf_rewind(b, start);
    if (e.verdict != WH_RAISED) PyErr_Clear();
    *tagged = e.tagged;
    return e.verdict;
}

static PyObject *attr(const char *module, const char *name) {
    PyObject *m = PyImport_ImportModule(module), *v = m ? PyObject_GetAttrString(m, name) : NULL;
    Py_XDECREF(m);
    return v;
}

static PyObject *attr_of(PyObject *o, const char *name) { return o ? PyObject_GetAttrString(o, name) : NULL; }

int wh_encode_init(void) {
    PyDateTime_IMPORT;
    if (!PyDateTimeAPI) return -1;
    known.isoformat[0] = attr_of((PyObject *)PyDateTimeAPI->DateTimeType, "isoformat");
    known.isoformat[1] = attr_of((PyObject *)PyDateTimeAPI->DateType, "isoformat");
    known.isoformat[2] = attr_of((PyObject *)PyDateTimeAPI->TimeType, "isoformat");
    known.enum_type = attr("enum", "EnumType");
    known.decimal = attr("decimal", "Decimal");
    known.decimal_str = attr_of(known.decimal, "__str__");
    known.fraction = attr("fractions", "Fraction");
    known.numerator = attr_of(known.fraction, "_numerator");
    known.denominator = attr_of(known.fraction, "_denominator");
    known.uuid = attr("uuid", "UUID");
    known.uuid_int = attr_of(known.uuid, "int");
    known.array = attr("array", "array");
    known.field = attr("dataclasses", "Field");
    known.field_kind = attr("dataclasses", "_FIELD");
    known.dataclass_fields = PyUnicode_InternFromString("__dataclass_fields__");
    known.field_kind_name = PyUnicode_InternFromString("_field_type");
    known.name_marker = PyUnicode_InternFromString("$wasmhost");
    return PyErr_Occurred() ? -1 : 0;
}
