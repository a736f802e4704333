/* The event loop: ready callbacks, timers, and nothing else. There is no selector, since there is nothing to select on; what
 * waits is woken by a timer or by the host. In C so that a stop request, which can be raised at any bytecode, is raised in the
 * guest's code and never between two lines of the loop. The rest of asyncio's loop interface is in prelude/40_loop.py. */
#include "run.h"

#include <math.h>
#include <stdlib.h>

#include "pycore_ceval.h"
#include "pycore_tstate.h"

struct loop;

struct handle {
    PyObject_HEAD
    PyObject *callback, *args, *context; /* callback and args are NULL once cancelled */
    struct loop *loop;                   /* of a timer, which counts its cancelled handles */
    int64_t when;                        /* of a timer, in nanoseconds of the monotonic clock */
    uint64_t order;                      /* timers of one moment run in the order they were made */
    uint32_t cell;                       /* that made it; 0: background has made it */
    bool cancelled, is_timer;
};

struct loop {
    PyObject_HEAD
    struct handle **ready; /* ring of `cap`, a power of two; `len` entries from `head` */
    uint32_t head, len, cap;
    struct handle **timers; /* heap, the earliest first */
    uint32_t timers_len, timers_cap, timers_cancelled;
    uint64_t order;
    PyObject *gen_first, *gen_final; /* hooks for async generators while the loop runs */
    bool running, stopping, closed, debug;
};

/* ---- handles ------------------------------------------------------------------------------------------------------- */

static int handle_traverse(PyObject *o, visitproc visit, void *arg) {
    struct handle *h = (struct handle *)o;
    Py_VISIT(h->callback);
    Py_VISIT(h->args);
    Py_VISIT(h->context);
    Py_VISIT(h->loop);
    return 0;
}

static int handle_clear(PyObject *o) {
    struct handle *h = (struct handle *)o;
    Py_CLEAR(h->callback);
    Py_CLEAR(h->args);
    Py_CLEAR(h->context);
    Py_CLEAR(h->loop);
    return 0;
}

static void handle_dealloc(PyObject *o) {
    PyObject_GC_UnTrack(o);
    handle_clear(o);
    PyObject_GC_Del(o);
}

static PyObject *handle_cancel(PyObject *o, PyObject *unused) {
    struct handle *h = (struct handle *)o;
    (void)unused;
    if (!h->cancelled) {
        h->cancelled = true;
        if (h->loop) h->loop->timers_cancelled++;
        Py_CLEAR(h->callback);
        Py_CLEAR(h->args);
    }
    Py_RETURN_NONE;
}

static PyObject *handle_cancelled(PyObject *o, PyObject *unused) {
    (void)unused;
    return PyBool_FromLong(((struct handle *)o)->cancelled);
}

static PyObject *handle_context(PyObject *o, PyObject *unused) {
    (void)unused;
    return Py_NewRef(((struct handle *)o)->context);
}

static PyObject *handle_when(PyObject *o, PyObject *unused) {
    struct handle *h = (struct handle *)o;
    (void)unused;
    if (!h->is_timer) return PyErr_Format(PyExc_AttributeError, "not a timer");
    return PyFloat_FromDouble((double)h->when / 1e9);
}

static PyObject *handle_repr(PyObject *o) {
    struct handle *h = (struct handle *)o;
    const char *kind = h->is_timer ? "TimerHandle" : "Handle";
    if (!h->callback) return PyUnicode_FromFormat("<%s%s>", kind, h->cancelled ? " cancelled" : "");
    return PyUnicode_FromFormat("<%s %R>", kind, h->callback);
}

static PyMethodDef handle_methods[] = {
    {"cancel", handle_cancel, METH_NOARGS, NULL},
    {"cancelled", handle_cancelled, METH_NOARGS, NULL},
    {"get_context", handle_context, METH_NOARGS, NULL},
    {"when", handle_when, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

PyTypeObject wh_handle_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "asyncio.Handle",
    .tp_basicsize = sizeof(struct handle),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = handle_dealloc,
    .tp_traverse = handle_traverse,
    .tp_clear = handle_clear,
    .tp_repr = handle_repr,
    .tp_methods = handle_methods,
};

static struct handle *new_handle(PyObject *callback, PyObject *const *args, Py_ssize_t n, PyObject *context) {
    struct handle *h = PyObject_GC_New(struct handle, &wh_handle_type);
    if (!h) return NULL;
    h->callback = Py_NewRef(callback);
    h->loop = NULL;
    h->cancelled = h->is_timer = false;
    h->cell = wh.background ? 0 : wh_run.number;
    h->context = context ? Py_NewRef(context) : PyContext_CopyCurrent();
    h->args = n ? PyTuple_New(n) : NULL;
    for (Py_ssize_t i = 0; h->args && i < n; i++) PyTuple_SET_ITEM(h->args, i, Py_NewRef(args[i]));
    PyObject_GC_Track(h);
    if (h->context && (h->args || !n)) return h;
    Py_DECREF(h);
    return NULL;
}

/* ---- ring and heap ------------------------------------------------------------------------------------------------- */

static bool push_ready(struct loop *l, struct handle *h) {
    if (l->len == l->cap) {
        uint32_t cap = l->cap ? l->cap * 2 : 64;
        struct handle **ready = malloc(cap * sizeof *ready);
        if (!ready) return PyErr_NoMemory(), false;
        for (uint32_t i = 0; i < l->len; i++) ready[i] = l->ready[(l->head + i) & (l->cap - 1)];
        free(l->ready);
        l->ready = ready;
        l->cap = cap;
        l->head = 0;
    }
    l->ready[(l->head + l->len++) & (l->cap - 1)] = (struct handle *)Py_NewRef(h);
    return true;
}

static struct handle *pop_ready(struct loop *l) {
    struct handle *h = l->ready[l->head];
    l->head = (l->head + 1) & (l->cap - 1);
    l->len--;
    return h;
}

static bool earlier(const struct handle *a, const struct handle *b) {
    return a->when != b->when ? a->when < b->when : a->order < b->order;
}

static void sift_up(struct handle **heap, uint32_t i) {
    struct handle *h = heap[i];
    for (; i > 0 && earlier(h, heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = h;
}

static void sift_down(struct handle **heap, uint32_t n, uint32_t i) {
    struct handle *h = heap[i];
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && earlier(heap[child + 1], heap[child])) child++;
        if (!earlier(heap[child], h)) break;
        heap[i] = heap[child];
    }
    heap[i] = h;
}

static bool push_timer(struct loop *l, struct handle *h) {
    if (l->timers_len == l->timers_cap) {
        uint32_t cap = l->timers_cap ? l->timers_cap * 2 : 64;
        struct handle **timers = realloc(l->timers, cap * sizeof *timers);
        if (!timers) return PyErr_NoMemory(), false;
        l->timers = timers;
        l->timers_cap = cap;
    }
    l->timers[l->timers_len] = (struct handle *)Py_NewRef(h);
    sift_up(l->timers, l->timers_len++);
    return true;
}

static struct handle *pop_timer(struct loop *l) {
    struct handle *h = l->timers[0];
    l->timers[0] = l->timers[--l->timers_len];
    if (l->timers_len) sift_down(l->timers, l->timers_len, 0);
    if (h->cancelled) l->timers_cancelled--;
    Py_CLEAR(h->loop); /* no longer counted */
    return h;
}

/* Programs that set a long timeout around each of many short steps would otherwise keep all of them. */
static void drop_cancelled_timers(struct loop *l) {
    while (l->timers_len && l->timers[0]->cancelled) Py_DECREF(pop_timer(l));
    if (l->timers_cancelled < 100 || l->timers_cancelled * 2 < l->timers_len) return;
    uint32_t kept = 0, n = l->timers_len;
    struct handle **dropped = l->timers;
    for (uint32_t i = 0; i < n; i++) { /* live ones to the front, in place */
        struct handle *h = dropped[i];
        if (h->cancelled) continue;
        dropped[i] = dropped[kept];
        dropped[kept++] = h;
    }
    l->timers_len = kept;
    l->timers_cancelled = 0;
    for (uint32_t i = kept / 2; i-- > 0;) sift_down(l->timers, kept, i);
    for (uint32_t i = kept; i < n; i++) {
        Py_CLEAR(dropped[i]->loop);
        Py_DECREF(dropped[i]);
    }
}

static bool move_due_timers(struct loop *l) {
    drop_cancelled_timers(l);
    if (!l->timers_len) return true;
    int64_t now = wh_host_clock(1);
    while (l->timers_len && l->timers[0]->when <= now) {
        struct handle *h = pop_timer(l);
        bool well = h->cancelled || push_ready(l, h);
        Py_DECREF(h);
        if (!well) return false;
    }
    return true;
}

/* ---- running ------------------------------------------------------------------------------------------------------- */

/* What the thread knows about the running loop, set aside while another one runs. */
struct outer {
    PyObject *loop, *first, *final;
};

static struct outer enter_loop(struct loop *l) {
    _PyThreadStateImpl *ts = (_PyThreadStateImpl *)wh.ts;
    struct outer o = {ts->asyncio_running_loop, ts->base.async_gen_firstiter, ts->base.async_gen_finalizer};
    ts->asyncio_running_loop = Py_NewRef(l);
    ts->base.async_gen_firstiter = Py_XNewRef(l->gen_first);
    ts->base.async_gen_finalizer = Py_XNewRef(l->gen_final);
    l->running = true;
    return o;
}

static void leave_loop(struct loop *l, struct outer o) {
    _PyThreadStateImpl *ts = (_PyThreadStateImpl *)wh.ts;
    l->running = false;
    Py_XSETREF(ts->asyncio_running_loop, o.loop);
    Py_XSETREF(ts->base.async_gen_firstiter, o.first);
    Py_XSETREF(ts->base.async_gen_finalizer, o.final);
}

static PyObject *call_in_context(struct handle *h) {
    /* held, since the callback may cancel its own handle */
    PyObject *callback = Py_NewRef(h->callback), *args = Py_XNewRef(h->args), *context = Py_NewRef(h->context), *r = NULL;
    if (PyContext_Enter(context) == 0) {
        r = args ? PyObject_Call(callback, args, NULL) : PyObject_CallNoArgs(callback);
        PyObject *exc = r ? NULL : PyErr_GetRaisedException();
        PyContext_Exit(context);
        if (exc) PyErr_SetRaisedException(exc);
    }
    Py_DECREF(callback);
    Py_XDECREF(args);
    Py_DECREF(context);
    return r;
}

static int tell_handler(struct loop *l, struct handle *h) {
    PyObject *exc = PyErr_GetRaisedException();
    PyObject *r = PyObject_CallMethod((PyObject *)l, "_callback_failed", "OO", h, exc);
    Py_DECREF(exc);
    if (!r && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_WriteUnraisable((PyObject *)l);
    Py_XDECREF(r);
    return PyErr_Occurred() ? -1 : 0;
}

/* The task that goes on when this is called, or NULL. New reference. */
static PyObject *task_of(PyObject *callback) {
    if (Py_TYPE(callback) == wh.step_type) return PyObject_GetAttrString(callback, "__self__");
    PyObject *self = PyCFunction_Check(callback) ? PyCFunction_GET_SELF(callback) : NULL;
    return self && Py_TYPE(self) == wh.task_type ? Py_NewRef(self) : NULL;
}

static bool is_held(PyObject *task) {
    PyObject *reference = PyWeakref_NewRef(task, NULL);
    bool yes = reference && PySet_Contains(wh.held, reference) == 1;
    PyErr_Clear();
    Py_XDECREF(reference);
    return yes;
}

/* A task is of the cell that made it, whoever wakes it; another callback of the cell in which it came to the loop. */
static bool is_background(struct handle *h) {
    if (h->cell == wh_run.number && PySet_GET_SIZE(wh.held) == 0) return false;
    PyObject *task = task_of(h->callback);
    PyErr_Clear();
    if (!task) return h->cell != wh_run.number;
    bool yes = is_held(task);
    Py_DECREF(task);
    return yes;
}

/* What is left makes a task: that is no task of this cell. */
static void hold_new_task(PyObject *callback) {
    PyObject *task = Py_TYPE(callback) == wh.step_type ? task_of(callback) : NULL;
    PyObject *reference = task && Py_TYPE(task) == wh.task_type ? PyWeakref_NewRef(task, NULL) : NULL;
    if (reference) PySet_Add(wh.held, reference);
    PyErr_Clear();
    Py_XDECREF(reference);
    Py_XDECREF(task);
}

static int call_handle(struct loop *l, struct handle *h) {
    PyObject *r = call_in_context(h);
    if (!r) return PyErr_ExceptionMatches(PyExc_Exception) ? tell_handler(l, h) : -1;
    Py_DECREF(r);
    return 0;
}

/* Takes the reference: the last one of a task, whose end is told when it goes. */
static int run_handle(struct loop *l, struct handle *h) {
    bool begins = !h->cancelled && !wh.background && is_background(h);
    if (begins) {
        wh.background = true;
        wh_out_background(true);
    }
    int r = h->cancelled ? 0 : call_handle(l, h);
    PyObject *exc = r < 0 ? PyErr_GetRaisedException() : NULL;
    Py_DECREF(h);
    if (exc) PyErr_SetRaisedException(exc);
    if (begins) {
        wh.background = false;
        wh_out_background(false);
    }
    return r;
}

bool wh_future_done(PyObject *future) {
    PyObject *r = PyObject_CallMethod(future, "done", NULL);
    bool done = r && PyObject_IsTrue(r) == 1;
    PyErr_Clear();
    Py_XDECREF(r);
    return done;
}

static bool stop_seen(void) { return wh.stop_raised || wh.ts->async_exc; }

static int pump(struct loop *l, PyObject *until) {
    for (;;) {
        if (!move_due_timers(l)) return -1;
        uint32_t n = l->len; /* what becomes ready meanwhile waits for the next round, after the timers */
        if (n == 0 && !l->stopping) return 0;
        for (uint32_t i = 0; i < n && l->len > 0; i++) {
            int r = run_handle(l, pop_ready(l));
            if (r < 0) return r;
        }
        if ((until && wh_future_done(until)) || l->stopping || stop_seen()) return 0;
    }
}

int wh_loop_pump(PyObject *loop, PyObject *until) {
    struct loop *l = (struct loop *)loop;
    struct outer o = enter_loop(l);
    int r = pump(l, until);
    leave_loop(l, o);
    return r;
}

int64_t wh_loop_timer(PyObject *loop) {
    struct loop *l = (struct loop *)loop;
    drop_cancelled_timers(l);
    if (!l->timers_len) return -1;
    int64_t left = l->timers[0]->when - wh_host_clock(1);
    return left > 0 ? left : 0;
}

bool wh_loop_is_busy(PyObject *loop) {
    struct loop *l = (struct loop *)loop;
    return l->len > 0 || l->timers_len > l->timers_cancelled;
}

bool wh_loop_has_ours(PyObject *loop) {
    struct loop *l = (struct loop *)loop;
    for (uint32_t i = 0; i < l->timers_len; i++)
        if (!l->timers[i]->cancelled && l->timers[i]->cell == wh_run.number) return true;
    return false;
}

/* Whether code of a cell gave this to the loop, and not asyncio. */
static bool is_of_a_cell(PyObject *callback) {
    static PyObject *prefix;
    if (!prefix) prefix = PyUnicode_InternFromString("<cell ");
    if (PyMethod_Check(callback)) callback = PyMethod_GET_FUNCTION(callback);
    if (PyFunction_Check(callback)) {
        PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(callback);
        return prefix && PyUnicode_Tailmatch(code->co_filename, prefix, 0, PY_SSIZE_T_MAX, -1) == 1;
    }
    PyObject *task = task_of(callback);
    PyErr_Clear();
    Py_XDECREF(task);
    return !task;
}

PyObject *wh_loop_callbacks(PyObject *self, PyObject *unused) {
    enum { NAMED = 5 };
    struct loop *l = (struct loop *)wh.session;
    Py_ssize_t count = 0;
    PyObject *some = PyList_New(0);
    (void)self, (void)unused;
    for (uint32_t i = 0; some && i < l->len + l->timers_len; i++) {
        struct handle *h = i < l->len ? l->ready[(l->head + i) & (l->cap - 1)] : l->timers[i - l->len];
        if (h->cancelled || !is_of_a_cell(h->callback)) continue;
        if (count++ < NAMED && PyList_Append(some, h->callback) < 0) Py_CLEAR(some);
    }
    return some ? Py_BuildValue("(nN)", count, some) : NULL;
}

/* A stop has come out of the loop. Whoever drives it is told once, so that he can still run what cleans up. */
static PyObject *give_stop(void) {
    if (!PyErr_Occurred()) PyErr_SetNone(wh.stop_type);
    wh.stop_raised = false;
    return NULL;
}

/* _drive(until): True: `until` is done; False: stop() was called; None: nothing is left that could go on. */
static PyObject *loop_drive(PyObject *self, PyObject *until) {
    struct loop *l = (struct loop *)self;
    PyObject *future = Py_IsNone(until) ? NULL : until;
    for (;;) {
        if (wh_loop_pump(self, future) < 0) return NULL;
        if (wh_stop_take()) return give_stop();
        if (future && wh_future_done(future)) Py_RETURN_TRUE;
        if (wh.stop_raised) return give_stop(); /* some task has swallowed it, or died of it */
        if (l->stopping) {
            l->stopping = false;
            Py_RETURN_FALSE;
        }
        int64_t ns = wh_loop_timer(self);
        if (ns < 0) Py_RETURN_NONE;
        if (ns > 0 && wh_sleep_ns(ns) < 0) return give_stop();
    }
}

/* ---- methods ------------------------------------------------------------------------------------------------------- */

/* The `context` of call_soon and its kin: NULL where the current one is to be copied. */
static bool parse_context(PyObject *const *args, Py_ssize_t n, PyObject *names, PyObject **context) {
    *context = NULL;
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++) {
        if (!PyUnicode_EqualToUTF8(PyTuple_GET_ITEM(names, i), "context")) {
            PyErr_Format(PyExc_TypeError, "unexpected keyword argument %R", PyTuple_GET_ITEM(names, i));
            return false;
        }
        if (!Py_IsNone(args[n + i])) *context = args[n + i];
    }
    return true;
}

static bool check_call(struct loop *l, const char *name, PyObject *const *args, Py_ssize_t n, Py_ssize_t need) {
    if (n < need) PyErr_Format(PyExc_TypeError, "%s() needs at least %zd arguments", name, need);
    else if (l->closed) PyErr_SetString(PyExc_RuntimeError, "Event loop is closed");
    else if (!PyCallable_Check(args[need - 1]))
        PyErr_Format(PyExc_TypeError, "a callable object was expected by %s(), got %R", name, args[need - 1]);
    else return true;
    return false;
}

static PyObject *loop_call_soon(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    struct loop *l = (struct loop *)self;
    PyObject *context;
    if (!check_call(l, "call_soon", args, n, 1) || !parse_context(args, n, names, &context)) return NULL;
    struct handle *h = new_handle(args[0], args + 1, n - 1, context);
    if (h && !push_ready(l, h)) Py_CLEAR(h);
    if (h && wh.background) hold_new_task(args[0]);
    return (PyObject *)h;
}

static PyObject *add_timer(struct loop *l, int64_t when, PyObject *const *args, Py_ssize_t n, PyObject *context) {
    struct handle *h = new_handle(args[1], args + 2, n - 2, context);
    if (!h) return NULL;
    h->is_timer = true;
    h->when = when;
    h->order = l->order++;
    h->loop = (struct loop *)Py_NewRef(l);
    if (!push_timer(l, h)) Py_CLEAR(h);
    return (PyObject *)h;
}

enum { NS = 1000000000 };

/* Seconds to nanoseconds, rounded up so that no timer comes early, and cut to what an int64 holds with room to add. */
static int64_t to_ns(double s) {
    double ns = ceil(s * NS);
    if (!(ns < 4e18)) return (int64_t)4e18;
    return ns < -4e18 ? (int64_t)-4e18 : (int64_t)ns;
}

static PyObject *loop_call_later(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    struct loop *l = (struct loop *)self;
    PyObject *context;
    if (!check_call(l, "call_later", args, n, 2) || !parse_context(args, n, names, &context)) return NULL;
    double delay = PyFloat_AsDouble(args[0]);
    if (delay == -1 && PyErr_Occurred()) return NULL;
    return add_timer(l, wh_host_clock(1) + to_ns(delay), args, n, context);
}

static PyObject *loop_call_at(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    struct loop *l = (struct loop *)self;
    PyObject *context;
    if (!check_call(l, "call_at", args, n, 2) || !parse_context(args, n, names, &context)) return NULL;
    double when = PyFloat_AsDouble(args[0]);
    if (when == -1 && PyErr_Occurred()) return NULL;
    return add_timer(l, to_ns(when), args, n, context);
}

static PyObject *loop_time(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    return PyFloat_FromDouble((double)wh_host_clock(1) / NS);
}

static PyObject *loop_stop(PyObject *self, PyObject *unused) {
    (void)unused;
    ((struct loop *)self)->stopping = true;
    Py_RETURN_NONE;
}

static PyObject *loop_is_running(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyBool_FromLong(((struct loop *)self)->running);
}

static PyObject *loop_is_closed(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyBool_FromLong(((struct loop *)self)->closed);
}

static PyObject *loop_get_debug(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyBool_FromLong(((struct loop *)self)->debug);
}

static PyObject *loop_set_debug(PyObject *self, PyObject *on) {
    int yes = PyObject_IsTrue(on);
    if (yes < 0) return NULL;
    ((struct loop *)self)->debug = yes;
    Py_RETURN_NONE;
}

static PyObject *loop_set_hooks(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    struct loop *l = (struct loop *)self;
    if (n != 2) return PyErr_Format(PyExc_TypeError, "two hooks expected");
    Py_XSETREF(l->gen_first, Py_NewRef(args[0]));
    Py_XSETREF(l->gen_final, Py_NewRef(args[1]));
    Py_RETURN_NONE;
}

static void drop_all(struct loop *l) {
    while (l->len) Py_DECREF(pop_ready(l));
    while (l->timers_len) Py_DECREF(pop_timer(l));
}

static PyObject *loop_close(PyObject *self, PyObject *unused) {
    struct loop *l = (struct loop *)self;
    (void)unused;
    if (l->running) return PyErr_Format(PyExc_RuntimeError, "Cannot close a running event loop");
    l->closed = true;
    drop_all(l);
    Py_RETURN_NONE;
}

static PyObject *loop_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    (void)args, (void)kwargs;
    return type->tp_alloc(type, 0); /* zeroed */
}

static int loop_traverse(PyObject *self, visitproc visit, void *arg) {
    struct loop *l = (struct loop *)self;
    for (uint32_t i = 0; i < l->len; i++) Py_VISIT(l->ready[(l->head + i) & (l->cap - 1)]);
    for (uint32_t i = 0; i < l->timers_len; i++) Py_VISIT(l->timers[i]);
    Py_VISIT(l->gen_first);
    Py_VISIT(l->gen_final);
    return 0;
}

static int loop_clear(PyObject *self) {
    struct loop *l = (struct loop *)self;
    drop_all(l);
    Py_CLEAR(l->gen_first);
    Py_CLEAR(l->gen_final);
    return 0;
}

static void loop_dealloc(PyObject *self) {
    struct loop *l = (struct loop *)self;
    PyObject_GC_UnTrack(self);
    loop_clear(self);
    free(l->ready);
    free(l->timers);
    Py_TYPE(self)->tp_free(self);
}

#define WITH_KEYWORDS(f) (PyCFunction)(void (*)(void)) f, METH_FASTCALL | METH_KEYWORDS
static PyMethodDef loop_methods[] = {
    {"call_soon", WITH_KEYWORDS(loop_call_soon), NULL},
    {"call_soon_threadsafe", WITH_KEYWORDS(loop_call_soon), NULL},
    {"call_later", WITH_KEYWORDS(loop_call_later), NULL},
    {"call_at", WITH_KEYWORDS(loop_call_at), NULL},
    {"time", loop_time, METH_NOARGS, NULL},
    {"stop", loop_stop, METH_NOARGS, NULL},
    {"is_running", loop_is_running, METH_NOARGS, NULL},
    {"is_closed", loop_is_closed, METH_NOARGS, NULL},
    {"get_debug", loop_get_debug, METH_NOARGS, NULL},
    {"set_debug", loop_set_debug, METH_O, NULL},
    {"close", loop_close, METH_NOARGS, NULL},
    {"_drive", loop_drive, METH_O, NULL},
    {"_set_hooks", (PyCFunction)(void (*)(void))loop_set_hooks, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

PyTypeObject wh_loop_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "asyncio.BaseLoop",
    .tp_basicsize = sizeof(struct loop),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_new = loop_new,
    .tp_dealloc = loop_dealloc,
    .tp_traverse = loop_traverse,
    .tp_clear = loop_clear,
    .tp_methods = loop_methods,
};

int wh_loop_init(void) {
    if (PyType_Ready(&wh_handle_type) < 0) return -1;
    return PyType_Ready(&wh_loop_type);
}
