/* Cells that await: a task on the loop of the session, from its start to its end, which may be asked for or forced. */
#include "run.h"

enum { MAX_CANCELS = 3 };

/* The exception of a finished task, or NULL with its result in *result. */
static PyObject *outcome(PyObject *task, PyObject **result) {
    *result = PyObject_CallMethod(task, "result", NULL);
    return *result ? NULL : PyErr_GetRaisedException();
}

static bool is_cancelled_error(PyObject *exc) {
    PyObject *name = wh_type_name(Py_TYPE(exc), true);
    bool yes = name && PyUnicode_EqualToUTF8(name, "asyncio.exceptions.CancelledError");
    PyErr_Clear();
    Py_XDECREF(name);
    return yes;
}

static const struct wh_frame *finish_task(void) {
    PyObject *result, *exc = outcome(wh_run.task, &result);
    const struct wh_frame *f;
    if (!exc && wh_run.ending == CANCELLED) { /* the host does not want the result any more */
        Py_CLEAR(result);
        exc = PyObject_CallFunctionObjArgs(PyExc_RuntimeError, wh_run.message, NULL);
    }
    if (!exc) f = wh_finish(result);
    else {
        bool by_us = wh_run.ending != GOES_ON && is_cancelled_error(exc);
        if (by_us && wh_run.exc) Py_SETREF(exc, Py_NewRef(wh_run.exc));
        if (!by_us && wh_run.ending != CANCELLED) wh_run.ending = GOES_ON; /* the code's own failure, told as such */
        f = wh_fail(exc);
    }
    Py_XDECREF(exc);
    return f;
}

static void cancel_task(void) {
    PyObject *r = PyObject_CallMethod(wh_run.task, "cancel", "O", wh_run.message ? wh_run.message : Py_None);
    PyErr_Clear();
    Py_XDECREF(r);
    wh_run.cancels++;
}

/* The cell has not ended although it was cancelled again and again: its task is closed, and is no task to asyncio any more. */
static const struct wh_frame *give_up(void) {
    PyObject *coroutine = PyObject_CallMethod(wh_run.task, "get_coro", NULL);
    PyObject *r = coroutine ? PyObject_CallMethod(coroutine, "close", NULL) : NULL;
    PyObject *reference = PyWeakref_NewRef(wh_run.task, NULL);
    if (reference && wh.tasks) PySet_Discard(wh.tasks, reference);
    PyObject_SetAttrString(wh_run.task, "_log_destroy_pending", Py_False);
    PyErr_Clear();
    Py_XDECREF(reference);
    Py_XDECREF(r);
    Py_XDECREF(coroutine);
    PyObject *exc = PyObject_CallFunctionObjArgs(PyExc_RuntimeError, wh_run.message, NULL);
    if (!exc) return wh_fail_raised();
    const struct wh_frame *f = wh_fail(exc);
    Py_DECREF(exc);
    return f;
}

static void begin_ending(enum wh_ending ending) {
    if (wh_run.ending == GOES_ON) wh_run.ending = ending;
}

/* What the task waits for, in words, becomes the message of the DeadlockError. */
static void begin_deadlock(void) {
    begin_ending(DEADLOCKED);
    PyObject *message = wh_call_hook(WH_HOOK_STUCK, &wh_run.task, 1);
    if (!message || !PyUnicode_Check(message)) Py_XSETREF(message, PyUnicode_FromString("nothing can end this wait"));
    PyErr_Clear();
    Py_XSETREF(wh_run.message, message);
    Py_XSETREF(wh_run.type, PyUnicode_FromString("DeadlockError"));
    PyErr_Clear();
}

/* An exception that is no Exception came out of the loop: from the cell's own task, which is then done, or from another. */
static void take_escaped(void) {
    PyObject *exc = PyErr_GetRaisedException();
    if (wh_future_done(wh_run.task)) Py_DECREF(exc);
    else {
        begin_ending(RAISED_ELSEWHERE);
        Py_XSETREF(wh_run.exc, exc);
    }
}

const struct wh_frame *wh_task_go_on(void) {
    for (;;) {
        if (wh_loop_pump(wh.session, wh_run.task) < 0) take_escaped();
        if (wh_future_done(wh_run.task)) return finish_task();
        if (wh.stop_raised || wh_stop_take()) begin_ending(STOPPED);
        PyErr_Clear();
        int64_t timer = wh_loop_timer(wh.session);
        bool may_wait = timer >= 0 || wh.pending_calls > 0;
        bool patient = wh_run.ending == GOES_ON || (wh_run.ending == DEADLOCKED && wh_run.cancels > 0);
        if (may_wait && patient) return wh_waiting(timer);
        if (wh_run.ending == GOES_ON) begin_deadlock();
        if (wh_run.cancels == MAX_CANCELS) return give_up();
        wh.stop_raised = false; /* seen; the code that cleans up now may be stopped once more */
        cancel_task();
    }
}

const struct wh_frame *wh_task_start(PyObject *coroutine) {
    if (!coroutine) return wh_fail_raised();
    PyObject *name = PyUnicode_FromFormat("cell %u", wh_run.number);
    PyObject *method = PyObject_GetAttrString(wh.session, "create_task");
    PyObject *names = Py_BuildValue("(ss)", "name", "context");
    if (coroutine && name && method && names) {
        PyObject *args[] = {coroutine, name, wh.context};
        wh_run.task = PyObject_Vectorcall(method, args, 1, names);
    }
    Py_DECREF(coroutine);
    Py_XDECREF(name);
    Py_XDECREF(method);
    Py_XDECREF(names);
    return wh_run.task ? wh_task_go_on() : wh_fail_raised();
}

void wh_task_stop(void) { begin_ending(STOPPED); }

void wh_task_cancel(PyObject *type, PyObject *message) {
    Py_XSETREF(wh_run.type, Py_NewRef(type));
    Py_XSETREF(wh_run.message, Py_NewRef(message));
    wh_run.ending = CANCELLED;
    wh_run.cancels = 0;
    cancel_task();
}
