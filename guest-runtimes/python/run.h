/* A cell while it runs: shared by result.c, task.c and abi.c. */
#ifndef WASMHOST_PYTHON_RUN_H
#define WASMHOST_PYTHON_RUN_H

#include "guest.h"

/* What ends a cell before its time. */
enum wh_ending { GOES_ON, STOPPED, DEADLOCKED, CANCELLED, RAISED_ELSEWHERE };

struct wh_run {
    uint32_t number;
    struct wh_limits limits;
    uint32_t text_chars;
    PyObject *task; /* runs a cell that awaits; NULL at all other times */
    enum wh_ending ending;
    PyObject *type, *message; /* CANCELLED and DEADLOCKED: what the failure is to be called */
    PyObject *exc;            /* RAISED_ELSEWHERE: what came out of a task other than the cell's own */
    int cancels;
    bool resolving; /* the value of the cell is there, and what it holds of awaitables is awaited */
};
extern struct wh_run wh_run;

/* ---- result.c: frames for the host --------------------------------------------------------------------------------- */

int wh_result_init(void);
void wh_result_begin(void); /* gives back what the frame before this one pointed to */
void wh_note(const char *text);
const struct wh_frame *wh_finish(PyObject *value); /* takes the reference */
const struct wh_frame *wh_fail(PyObject *exc);
const struct wh_frame *wh_fail_raised(void);
const struct wh_frame *wh_waiting(int64_t timer);
void wh_remember(PyObject *value); /* as _, and what was _ as __ */

/* ---- task.c: cells that await -------------------------------------------------------------------------------------- */

const struct wh_frame *wh_task_start(PyObject *coroutine); /* takes the reference; NULL: with an exception */
const struct wh_frame *wh_task_go_on(void);
void wh_task_stop(void);                                    /* a stop request was seen outside of the cell's own code */
void wh_task_cancel(PyObject *type, PyObject *message);     /* then wh_task_go_on gives the failure of that name */

#endif
