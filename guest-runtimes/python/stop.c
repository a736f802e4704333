/* Stop requests, and calls into the prelude.
 *
 * The host asks a running guest to stop by writing two words: the address of an exception class into the thread state, and
 * the bit of the eval breaker that makes the interpreter look there. CPython then raises that class at the next call or
 * backward jump. Code that runs no bytecode for long (a regular expression, a sort) is the business of the host's hard stop. */
#include "guest.h"

#include "pycore_ceval.h"

enum { KEPT_DEPTH = 200 }; /* Python frames that the prelude may always use, whatever recursion limit the guest has set */

/* Whoever raises it, the interpreter or code that got hold of the class: a stop has been seen in this cell. */
static PyObject *stopped_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    (void)args;
    wh.stop_raised = true;
    PyObject *message = Py_BuildValue("(s)", "the host asked this cell to stop");
    if (!message) return NULL;
    PyObject *exc = ((PyTypeObject *)PyExc_BaseException)->tp_new(type, message, kwargs);
    Py_DECREF(message);
    return exc;
}

static int stopped_init(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self, (void)args, (void)kwargs; /* keeps the arguments that stopped_new has set */
    return 0;
}

int wh_stop_init(void) {
    static PyType_Slot slots[] = {{Py_tp_new, stopped_new}, {Py_tp_init, stopped_init}, {0, NULL}};
    static PyType_Spec spec = {"builtins.ExecutionStopped", 0, 0, Py_TPFLAGS_DEFAULT, slots};
    wh.stop_type = PyType_FromSpecWithBases(&spec, PyExc_BaseException);
    if (!wh.stop_type) return -1;
    /* The interpreter gives up a reference each time it takes the class from the thread state. */
    wh.stop_type->ob_refcnt = _Py_IMMORTAL_REFCNT;
    return 0;
}

void wh_stop_describe(struct wh_info *info) {
    uint32_t exc = (uint32_t)(uintptr_t)&wh.ts->async_exc, breaker = (uint32_t)(uintptr_t)&wh.ts->eval_breaker;
    info->pokes[0] = (struct wh_poke){0, exc, (uint32_t)(uintptr_t)wh.stop_type};
    info->pokes[1] = (struct wh_poke){1, breaker, _PY_ASYNC_EXCEPTION_BIT};
    info->pokes_len = 2;
}

static bool forget_request(void) {
    bool was = wh.ts->async_exc != NULL;
    wh.ts->async_exc = NULL; /* immortal: no reference to give up */
    _Py_unset_eval_breaker_bit(wh.ts, _PY_ASYNC_EXCEPTION_BIT);
    return was;
}

void wh_stop_clear(void) {
    forget_request();
    wh.stop_raised = false;
}

bool wh_stop_take(void) {
    if (!forget_request()) return false;
    PyErr_SetNone(wh.stop_type);
    return true;
}

/* sys.unraisablehook. A stop that is raised in a __del__ or a callback of the collector ends only that; it is asked for again, so
 * that it ends what stands around it too. */
static PyObject *unraisable(PyObject *original, PyObject *args) {
    PyObject *type = PyObject_GetAttrString(args, "exc_type");
    bool stop = type == wh.stop_type;
    Py_XDECREF(type);
    if (!stop) return PyObject_CallOneArg(original, args);
    wh.ts->async_exc = wh.stop_type;
    _Py_set_eval_breaker_bit(wh.ts, _PY_ASYNC_EXCEPTION_BIT);
    Py_RETURN_NONE;
}

static PyMethodDef unraisable_method = {"unraisablehook", unraisable, METH_O, "unraisablehook(unraisable, /)"};

int wh_stop_install(void) {
    PyObject *original = PySys_GetObject("unraisablehook"), *name = PyUnicode_FromString("sys");
    PyObject *hook = original && name ? PyCFunction_NewEx(&unraisable_method, original, name) : NULL;
    Py_XDECREF(name);
    if (!hook || PySys_SetObject("unraisablehook", hook) < 0 || PySys_SetObject("__unraisablehook__", hook) < 0) return -1;
    Py_DECREF(hook);
    return 0;
}

PyObject *wh_call_hook(enum wh_hook hook, PyObject *const *args, size_t n) {
    if (!wh.hooks[hook]) {
        PyErr_SetString(PyExc_SystemError, "hook is not bound");
        return NULL;
    }
    PyThreadState *ts = wh.ts;
    ts->py_recursion_remaining += KEPT_DEPTH;
    PyThreadState_EnterTracing(ts);
    PyObject *r = PyObject_Vectorcall(wh.hooks[hook], args, n, NULL);
    PyThreadState_LeaveTracing(ts);
    ts->py_recursion_remaining -= KEPT_DEPTH;
    return r;
}
