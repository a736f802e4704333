/* The functions that the prelude gets from C. The module object is handed to each prelude file as `native`; it is in neither
 * sys.modules nor the table of built-in modules, so that code of a guest does not come upon it by an import. */
#include "run.h"
#include "setup.h"

#include <stdlib.h>
#include <time.h>

#include "pycore_interp.h"
#include "pycore_time.h"

/* ---- hooks and objects that C must know ---------------------------------------------------------------------------- */

static const char *const hook_names[WH_HOOKS] = {
    [WH_HOOK_REPORT] = "report", [WH_HOOK_SETTLE] = "settle", [WH_HOOK_AFTERMATH] = "aftermath",
    [WH_HOOK_STUCK] = "stuck",   [WH_HOOK_RESEED] = "reseed", [WH_HOOK_MISSING] = "missing",
    [WH_HOOK_TOOLS] = "tools",   [WH_HOOK_HANDLER] = "handler", [WH_HOOK_CALLS_END] = "calls_end",
    [WH_HOOK_PREPARED] = "prepared", [WH_HOOK_LOOK] = "look", [WH_HOOK_RESOLVED] = "resolved",
};

static PyObject *native_bind(PyObject *self, PyObject *args) {
    const char *name;
    PyObject *fn;
    (void)self;
    if (!PyArg_ParseTuple(args, "sO", &name, &fn)) return NULL;
    for (int i = 0; i < WH_HOOKS; i++) {
        if (strcmp(name, hook_names[i]) != 0) continue;
        Py_XSETREF(wh.hooks[i], Py_NewRef(fn));
        return Py_NewRef(fn);
    }
    return PyErr_Format(PyExc_LookupError, "no hook %s", name);
}

static PyObject *native_set_session(PyObject *self, PyObject *loop) {
    (void)self;
    if (!PyObject_TypeCheck(loop, &wh_loop_type)) return PyErr_Format(PyExc_TypeError, "not a loop");
    Py_XSETREF(wh.session, Py_NewRef(loop));
    Py_RETURN_NONE;
}

/* The object that every cell finds as `tools`. */
static PyObject *native_set_tools(PyObject *self, PyObject *tools) {
    (void)self;
    Py_XSETREF(wh.tools, Py_NewRef(tools));
    Py_RETURN_NONE;
}

/* A call was made that the end of the cell has to look at. */
static PyObject *native_mark_called(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    wh.called = true;
    Py_RETURN_NONE;
}

/* set_tasks(tasks, held, Task, type of its steps) */
static PyObject *native_set_tasks(PyObject *self, PyObject *args) {
    PyObject *tasks, *held, *task_type, *step_type;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!O!O!O!", &PySet_Type, &tasks, &PySet_Type, &held, &PyType_Type, &task_type, &PyType_Type, &step_type))
        return NULL;
    Py_XSETREF(wh.tasks, Py_NewRef(tasks));
    Py_XSETREF(wh.held, Py_NewRef(held));
    wh.task_type = (PyTypeObject *)Py_NewRef(task_type);
    wh.step_type = (PyTypeObject *)Py_NewRef(step_type);
    Py_RETURN_NONE;
}

/* ---- output, clock, sleep ------------------------------------------------------------------------------------------ */

/* write(1 or 2, text), 3 or 4: of what an earlier cell has left. Past sys.stdout and sys.stderr, which a guest may have replaced. */
static PyObject *native_write(PyObject *self, PyObject *args) {
    int fd;
    PyObject *text;
    (void)self;
    if (!PyArg_ParseTuple(args, "iU", &fd, &text)) return NULL;
    PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    if (!bytes) return NULL;
    wh_out_background(fd > 2 || wh.background);
    wh_out_write(fd > 2 ? fd - 2 : fd, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
    wh_out_background(wh.background);
    Py_DECREF(bytes);
    Py_RETURN_NONE;
}

int wh_sleep_ns(int64_t ns) {
    wh_out_flush();
    wh_host_sleep(ns);
    return wh_stop_take() ? -1 : 0;
}

/* time.sleep. The libc's would go on waiting after a stop request, as after a signal whose handler raised nothing. */
static PyObject *time_sleep(PyObject *self, PyObject *seconds) {
    PyTime_t ns;
    (void)self;
    if (_PyTime_FromSecondsObject(&ns, seconds, _PyTime_ROUND_TIMEOUT) < 0) return NULL;
    if (ns < 0) return PyErr_Format(PyExc_ValueError, "sleep length must be non-negative");
    if (ns > 0 && wh_sleep_ns(ns) < 0) return NULL;
    Py_RETURN_NONE;
}

static int64_t first_cell; /* monotonic time of the first cell since the image was made */

void wh_clock_begin(void) { first_cell = wh_host_clock(1); }

/* Processor time, for which the time since the first cell stands. The libc's counts from when the image was made. */
clock_t __clock(void);
clock_t __clock(void) { return wh_host_clock(1) - first_cell; }
clock_t clock(void) { return __clock(); }

static PyMethodDef sleep_method = {
    "sleep", time_sleep, METH_O,
    "sleep(seconds)\n\nDelay execution for a given number of seconds.  The argument may be\n"
    "a floating-point number for subsecond precision."};

static PyObject *make_sleep(void) {
    PyObject *module = PyUnicode_FromString("time"), *fn = module ? PyCFunction_NewEx(&sleep_method, NULL, module) : NULL;
    Py_XDECREF(module);
    return fn;
}

/* ---- types --------------------------------------------------------------------------------------------------------- */

static PyObject *native_type_name(PyObject *self, PyObject *args) {
    PyTypeObject *type;
    int with_module;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!p", &PyType_Type, &type, &with_module)) return NULL;
    return wh_type_name(type, with_module);
}

/* ---- imports of what is not there ---------------------------------------------------------------------------------- */

static PyObject *import_code; /* code object of importlib's _find_and_load_unlocked */

static PyObject *native_set_import_code(PyObject *self, PyObject *code) {
    (void)self;
    Py_XSETREF(import_code, Py_NewRef(code));
    Py_RETURN_NONE;
}

/* True inside an import statement, false inside importlib.util.find_spec, which asks the same finders. */
static bool called_by_import(void) {
    PyFrameObject *finder = PyEval_GetFrame(), *caller = finder ? PyFrame_GetBack(finder) : NULL;
    PyCodeObject *code = caller ? PyFrame_GetCode(caller) : NULL;
    bool yes = code && (PyObject *)code == import_code;
    Py_XDECREF(code);
    Py_XDECREF(caller);
    return yes;
}

static bool is_last_finder(PyObject *self) {
    PyObject *path = PySys_GetObject("meta_path"), *last, *method;
    if (!path || !PyList_CheckExact(path) || PyList_GET_SIZE(path) == 0) return false;
    last = PyList_GET_ITEM(path, PyList_GET_SIZE(path) - 1);
    method = PyObject_GetAttrString(last, "find_spec");
    PyErr_Clear();
    bool yes = method && PyCFunction_Check(method) && PyCFunction_GET_SELF(method) == self;
    Py_XDECREF(method);
    return yes;
}

/* find_spec(name, path, target) of the last finder. In C, so that no frame of ours is in the traceback of the import. */
static PyObject *native_find_spec(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    if (n < 1 || (n > 1 && !Py_IsNone(args[1])) || !called_by_import() || !is_last_finder(self)) Py_RETURN_NONE;
    PyObject *message = wh_call_hook(WH_HOOK_MISSING, args, 1);
    if (!message || Py_IsNone(message)) return message;
    PyErr_SetImportErrorSubclass(PyExc_ModuleNotFoundError, message, args[0], NULL);
    Py_DECREF(message);
    return NULL;
}

static PyObject *native_unpack(PyObject *self, PyObject *bytes) {
    (void)self;
    if (!PyBytes_Check(bytes)) return PyErr_Format(PyExc_TypeError, "bytes expected");
    return wh_unpack(PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
}

/* ---- seeds --------------------------------------------------------------------------------------------------------- */

static PyObject *native_seeded_by_user(PyObject *self, PyObject *yes) {
    (void)self;
    wh.seeded_by_user = PyObject_IsTrue(yes) == 1;
    Py_RETURN_NONE;
}

/* reseed(bytes of 32) */
static PyObject *native_reseed(PyObject *self, PyObject *seed) {
    (void)self;
    if (!PyBytes_Check(seed) || PyBytes_GET_SIZE(seed) != 32) return PyErr_Format(PyExc_ValueError, "32 bytes expected");
    wh_seed((const uint8_t *)PyBytes_AS_STRING(seed));
    Py_RETURN_NONE;
}

/* shown(value, chars): its repr as the result of a cell shows it. */
static PyObject *native_shown(PyObject *self, PyObject *args) {
    PyObject *value;
    int chars;
    bool cut = false;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oi", &value, &chars)) return NULL;
    struct wh_buf b = {.limit = 1 << 20};
    PyObject *text = NULL;
    if (wh_render(&b, value, (uint32_t)chars, &cut) == WH_WELL) {
        PyObject *quoted = PyUnicode_FromFormat("\"%.*s\"", (int)b.len, b.p ? b.p : "");
        PyObject *json = PyImport_ImportModule("_json"), *scan = json ? PyObject_GetAttrString(json, "scanstring") : NULL;
        PyObject *pair = scan && quoted ? PyObject_CallFunction(scan, "Oii", quoted, 1, 0) : NULL;
        if (pair && PyTuple_Check(pair)) text = Py_NewRef(PyTuple_GET_ITEM(pair, 0));
        Py_XDECREF(pair);
        Py_XDECREF(scan);
        Py_XDECREF(json);
        Py_XDECREF(quoted);
    }
    free(b.p);
    if (!text && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "it cannot be shown");
    return text;
}

static PyObject *native_set_helpers(PyObject *self, PyObject *yes) {
    (void)self;
    wh.helpers = PyObject_IsTrue(yes) == 1;
    Py_RETURN_NONE;
}

static PyObject *native_cell_number(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    return PyLong_FromUnsignedLong(wh_run.number);
}

/* ---- the module ---------------------------------------------------------------------------------------------------- */

#define FAST(f) (PyCFunction)(void (*)(void)) f, METH_FASTCALL
static PyMethodDef methods[] = {
    {"bind", native_bind, METH_VARARGS, NULL},
    {"set_session", native_set_session, METH_O, NULL},
    {"set_tasks", native_set_tasks, METH_VARARGS, NULL},
    {"callbacks_left", wh_loop_callbacks, METH_NOARGS, NULL},
    {"set_tools", native_set_tools, METH_O, NULL},
    {"shown", native_shown, METH_VARARGS, NULL},
    {"set_helpers", native_set_helpers, METH_O, NULL},
    {"cell_number", native_cell_number, METH_NOARGS, NULL},
    {"mark_called", native_mark_called, METH_NOARGS, NULL},
    {"set_import_code", native_set_import_code, METH_O, NULL},
    {"reseed", native_reseed, METH_O, NULL},
    {"seeded_by_user", native_seeded_by_user, METH_O, NULL},
    {"write", native_write, METH_VARARGS, NULL},
    {"type_name", native_type_name, METH_VARARGS, NULL},
    {"find_spec", FAST(native_find_spec), NULL},
    {"call", FAST(wh_native_call), NULL},
    {"unpack", native_unpack, METH_O, NULL},
    {"add_pending", wh_native_add_pending, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "wasmhost", .m_size = -1, .m_methods = methods};

PyObject *wh_native_create(void) {
    PyObject *m = PyModule_Create(&module);
    if (!m || PyModule_AddObjectRef(m, "BaseLoop", (PyObject *)&wh_loop_type) < 0) return NULL;
    if (PyModule_AddObjectRef(m, "Stopped", wh.stop_type) < 0) return NULL;
    if (PyModule_AddObjectRef(m, "DeadlockError", wh_threads_init()) < 0) return NULL;
    if (PyModule_AddObjectRef(m, "cell_sources", wh.sources) < 0) return NULL;
    if (PyModule_AddObjectRef(m, "context", wh.context) < 0) return NULL;
    if (PyModule_AddObjectRef(m, "main", wh.main_module) < 0) return NULL;
    if (PyModule_Add(m, "sleep", make_sleep()) < 0) return NULL;
    return m;
}
