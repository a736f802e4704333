/* Cells: source to code objects, and running those. */
#include "guest.h"

#include <stdlib.h>
#include <string.h>

#include "pycore_ast.h"
#include "pycore_compile.h"
#include "pycore_genobject.h"
#include "pycore_parser.h"
#include "pycore_pyarena.h"

/* ---- compiling ----------------------------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

/* Length of the white space before the first line that holds code. */
static size_t first_indent(const char *s, const char **start) {
    for (;;) {
        const char *p = s;
        while (is_blank(*p)) p++;
        if (*p == '\r') p++;
        if (*p != '\n' && *p != '#') {
            *start = s;
            return *p ? (size_t)(p - s) : 0;
        }
        s = strchr(p, '\n');
        if (!s) return 0;
        s++;
    }
}

static size_t common_prefix(const char *a, const char *b, size_t n) {
    size_t i = 0;
    while (i < n && a[i] == b[i]) i++;
    return i;
}

/* Code cut out of an indented place: takes the indentation of its first line from every line that has it. */
static PyObject *dedent(PyObject *source) {
    Py_ssize_t n;
    const char *s = PyUnicode_AsUTF8AndSize(source, &n), *prefix, *end = s + n;
    if (!s) return NULL;
    size_t indent = first_indent(s, &prefix);
    if (indent == 0) return Py_NewRef(source);
    char *out = malloc((size_t)n + 1), *p = out;
    if (!out) return PyErr_NoMemory();
    for (const char *line = s; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        line += common_prefix(line, prefix, Py_MIN(indent, (size_t)(next - line)));
        memcpy(p, line, (size_t)(next - line));
        p += next - line;
        line = next;
    }
    PyObject *r = PyUnicode_FromStringAndSize(out, p - out);
    free(out);
    return r;
}

static PyObject *code_of(mod_ty mod, PyObject *filename, PyCompilerFlags *flags, PyArena *arena) {
    return (PyObject *)_PyAST_Compile(mod, filename, flags, -1, arena);
}

/* If the last statement is an expression it becomes a code object of its own, whose value is that of the cell. */
static int split_and_compile(struct wh_code *code, mod_ty mod, PyObject *filename, PyArena *arena) {
    PyCompilerFlags flags = {.cf_flags = PyCF_ALLOW_TOP_LEVEL_AWAIT | wh.flags, .cf_feature_version = PY_MINOR_VERSION};
    asdl_stmt_seq *body = mod->v.Module.body;
    Py_ssize_t n = asdl_seq_LEN(body);
    stmt_ty end = n > 0 ? asdl_seq_GET(body, n - 1) : NULL;
    mod_ty last = NULL;
    if (end && end->kind == Expr_kind) {
        last = _PyAST_Expression(end->v.Expr.value, arena);
        if (!last) return -1;
        body->size = n - 1;
    }
    if (asdl_seq_LEN(body) > 0 && !(code->body = code_of(mod, filename, &flags, arena))) return -1;
    if (last && !(code->last = code_of(last, filename, &flags, arena))) return -1;
    wh.flags = flags.cf_flags & PyCF_MASK;
    return 0;
}

static bool is_async(PyObject *code) { return code && ((PyCodeObject *)code)->co_flags & CO_COROUTINE; }

int wh_cell_compile(struct wh_code *code, PyObject *source, PyObject *filename) {
    Py_ssize_t n;
    const char *text = PyUnicode_AsUTF8AndSize(source, &n);
    *code = (struct wh_code){0};
    if (!text) return -1;
    if (strlen(text) != (size_t)n) {
        PyErr_SetString(PyExc_SyntaxError, "source code string cannot contain null bytes");
        return -1;
    }
    PyArena *arena = _PyArena_New();
    if (!arena) return -1;
    PyCompilerFlags flags = {.cf_flags = PyCF_ALLOW_TOP_LEVEL_AWAIT | PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE | wh.flags,
                             .cf_feature_version = PY_MINOR_VERSION};
    mod_ty mod = _PyParser_ASTFromString(text, filename, Py_file_input, &flags, arena);
    int r = mod ? split_and_compile(code, mod, filename, arena) : -1;
    _PyArena_Free(arena);
    if (r < 0) wh_cell_forget(code);
    else code->async = is_async(code->body) || is_async(code->last);
    return r;
}

PyObject *wh_cell_source(const char *text, size_t n) {
    static const char mark[] = "\xef\xbb\xbf"; /* of byte order, as some editors put before UTF-8 */
    const size_t len = sizeof mark - 1;
    if (n >= len && memcmp(text, mark, len) == 0) text += len, n -= len;
    PyObject *source = PyUnicode_DecodeUTF8(text, (Py_ssize_t)n, "surrogatepass");
    if (!source) return NULL;
    PyObject *r = dedent(source);
    if (!r && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) { /* lone surrogates: compiling says what is wrong */
        PyErr_Clear();
        return source;
    }
    Py_DECREF(source);
    return r;
}

void wh_cell_forget(struct wh_code *code) {
    Py_CLEAR(code->body);
    Py_CLEAR(code->last);
}

/* ---- running in place ---------------------------------------------------------------------------------------------- */

static PyObject *eval(PyObject *code) { return PyEval_EvalCode(code, wh.main_dict, wh.main_dict); }

PyObject *wh_cell_run(const struct wh_code *code) {
    if (code->body) {
        PyObject *r = eval(code->body);
        if (!r) return NULL;
        Py_DECREF(r);
    }
    return code->last ? eval(code->last) : Py_NewRef(Py_None);
}

/* ---- running as a coroutine ---------------------------------------------------------------------------------------- */

/* Awaits the two code objects of a cell one after the other. In C, so that no frame of ours stands below the guest's. */
struct cell_coroutine {
    PyObject_HEAD
    PyObject *parts[2]; /* still to be run */
    PyObject *current;  /* coroutine of the part that runs */
};

static struct cell_coroutine *cell_coroutine(PyObject *o) { return (struct cell_coroutine *)o; }

/* Begins the next part. 1: it waits in `current`; 0: *value is the result of the cell; -1: exception. */
static int next_part(struct cell_coroutine *c, PyObject **value) {
    for (int i = 0; i < 2; i++) {
        PyObject *code = c->parts[i];
        if (!code) continue;
        bool waits = is_async(code);
        c->parts[i] = NULL;
        PyObject *v = eval(code);
        Py_DECREF(code);
        if (!v) return -1;
        if (waits) {
            c->current = v;
            return 1;
        }
        Py_XSETREF(*value, v);
    }
    return 0;
}

static PySendResult go_on(struct cell_coroutine *c, PyObject *value, PyObject **result) {
    for (;;) {
        *result = NULL; /* a task looks at it, and not at the status alone */
        int more = next_part(c, &value);
        if (more < 0) {
            Py_XDECREF(value);
            return PYGEN_ERROR;
        }
        if (more == 0) {
            *result = value ? value : Py_NewRef(Py_None);
            return PYGEN_RETURN;
        }
        Py_CLEAR(value);
        PySendResult r = PyIter_Send(c->current, Py_None, result);
        if (r == PYGEN_NEXT) return r;
        Py_CLEAR(c->current);
        if (r == PYGEN_ERROR) return r;
        value = *result;
    }
}

static PySendResult coroutine_send(PyObject *self, PyObject *arg, PyObject **result) {
    struct cell_coroutine *c = cell_coroutine(self);
    if (!c->current) return go_on(c, NULL, result);
    PySendResult r = PyIter_Send(c->current, arg, result);
    if (r == PYGEN_NEXT) return r;
    Py_CLEAR(c->current);
    return r == PYGEN_ERROR ? r : go_on(c, *result, result);
}

static void drop_parts(struct cell_coroutine *c) {
    Py_CLEAR(c->parts[0]);
    Py_CLEAR(c->parts[1]);
}

/* The generator protocol tells the end by StopIteration. */
static PyObject *as_generator(PySendResult r, PyObject *result) {
    if (r == PYGEN_NEXT) return result;
    if (r == PYGEN_RETURN) {
        _PyGen_SetStopIterationValue(result);
        Py_DECREF(result);
    }
    return NULL;
}

static PyObject *coroutine_send_method(PyObject *self, PyObject *arg) {
    PyObject *result = NULL;
    PySendResult r = coroutine_send(self, arg, &result);
    return as_generator(r, result);
}

static PyObject *coroutine_next(PyObject *self) { return coroutine_send_method(self, Py_None); }

static PyObject *coroutine_throw(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    struct cell_coroutine *c = cell_coroutine(self);
    if (n < 1) return PyErr_Format(PyExc_TypeError, "throw expected at least 1 argument");
    if (!c->current) {
        drop_parts(c);
        PyErr_SetObject(PyExceptionInstance_Check(args[0]) ? (PyObject *)Py_TYPE(args[0]) : args[0], n > 1 ? args[1] : args[0]);
        return NULL;
    }
    PyObject *method = PyObject_GetAttrString(c->current, "throw");
    PyObject *yielded = method ? PyObject_Vectorcall(method, args, (size_t)n, NULL) : NULL, *value = NULL, *result = NULL;
    Py_XDECREF(method);
    if (yielded) return yielded;
    Py_CLEAR(c->current);
    if (_PyGen_FetchStopIterationValue(&value) < 0) return NULL;
    PySendResult r = go_on(c, value, &result);
    return as_generator(r, result);
}

static PyObject *coroutine_close(PyObject *self, PyObject *unused) {
    struct cell_coroutine *c = cell_coroutine(self);
    (void)unused;
    drop_parts(c);
    if (!c->current) Py_RETURN_NONE;
    PyObject *current = c->current, *r;
    c->current = NULL;
    r = PyObject_CallMethod(current, "close", NULL);
    Py_DECREF(current);
    return r;
}

static PyObject *coroutine_name(PyObject *self, void *unused) {
    (void)self, (void)unused;
    return PyUnicode_FromString("cell");
}

static PyObject *coroutine_await(PyObject *self, void *unused) {
    struct cell_coroutine *c = cell_coroutine(self);
    (void)unused;
    return Py_NewRef(c->current ? c->current : Py_None);
}

static int coroutine_traverse(PyObject *self, visitproc visit, void *arg) {
    struct cell_coroutine *c = cell_coroutine(self);
    Py_VISIT(c->parts[0]);
    Py_VISIT(c->parts[1]);
    Py_VISIT(c->current);
    return 0;
}

static int coroutine_clear(PyObject *self) {
    drop_parts(cell_coroutine(self));
    Py_CLEAR(cell_coroutine(self)->current);
    return 0;
}

static void coroutine_dealloc(PyObject *self) {
    PyObject_GC_UnTrack(self);
    coroutine_clear(self);
    PyObject_GC_Del(self);
}

static PyMethodDef coroutine_methods[] = {
    {"send", coroutine_send_method, METH_O, NULL},
    {"throw", (PyCFunction)(void (*)(void))coroutine_throw, METH_FASTCALL, NULL},
    {"close", coroutine_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef coroutine_getset[] = {
    {"__name__", coroutine_name, NULL, NULL, NULL},
    {"__qualname__", coroutine_name, NULL, NULL, NULL},
    {"cr_await", coroutine_await, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyAsyncMethods coroutine_async = {.am_await = PyObject_SelfIter, .am_send = coroutine_send};

PyTypeObject wh_cell_coroutine_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "cell",
    .tp_basicsize = sizeof(struct cell_coroutine),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = coroutine_dealloc,
    .tp_traverse = coroutine_traverse,
    .tp_clear = coroutine_clear,
    .tp_as_async = &coroutine_async,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = coroutine_next,
    .tp_methods = coroutine_methods,
    .tp_getset = coroutine_getset,
};

PyObject *wh_cell_coroutine(const struct wh_code *code) {
    struct cell_coroutine *c = PyObject_GC_New(struct cell_coroutine, &wh_cell_coroutine_type);
    if (!c) return NULL;
    c->parts[0] = Py_XNewRef(code->body);
    c->parts[1] = Py_XNewRef(code->last);
    c->current = NULL;
    PyObject_GC_Track(c);
    return (PyObject *)c;
}

int wh_cell_init(void) { return PyType_Ready(&wh_cell_coroutine_type); }
