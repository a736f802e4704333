/* What the files of the Python guest share. The guest is CPython plus: cells (cell.c), an event loop that the host pumps
 * (loop.c), values and their text on the way out (encode.c, render.c), and the end of all this in the exports (abi.c).
 * What is easier said in Python lies in prelude/ and is reached through hooks. */
#ifndef WASMHOST_PYTHON_GUEST_H
#define WASMHOST_PYTHON_GUEST_H

#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1 /* the parser's tree, eval breaker, frozen heap: no public API reaches these */
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

#include "alloc.h"
#include "sealed.h"

/* ---- hooks: functions of the prelude that C calls ------------------------------------------------------------------ */

enum wh_hook {
    WH_HOOK_REPORT,    /* report(exc, kind, message, type): (type, message, text, frames, notes) */
    WH_HOOK_SETTLE,    /* settle(text): answers of calls, as the host wrote them */
    WH_HOOK_AFTERMATH, /* aftermath(): notes about tasks left over; prints exceptions that nobody looked at */
    WH_HOOK_STUCK,     /* stuck(task): what the task waits for, in words */
    WH_HOOK_RESEED,    /* reseed(bytes): generators other than that of `random` */
    WH_HOOK_MISSING,   /* missing(name): message for a module that is not there, or None */
    WH_HOOK_TOOLS,     /* tools(text): the manifest of what the host offers */
    WH_HOOK_HANDLER,   /* handler(text): a coroutine that runs the handler of a registered tool */
    WH_HOOK_LOOK,      /* look(text): variables of the session, or names that may come next */
    WH_HOOK_RESOLVED,  /* resolved(value): a coroutine that awaits what the value holds of awaitables */
    WH_HOOK_PREPARED,  /* prepared(begins): makes `o` anew, or gives what is in it */
    WH_HOOK_CALLS_END, /* calls_end(): the cell has ended, and with it the calls it has made */
    WH_HOOKS
};

struct wh_guest {
    PyThreadState *ts;
    PyObject *main_module, *main_dict;
    PyObject *builtins, *builtins_dict; /* the guest's own, which its code may change */
    PyObject *machine_builtins;         /* a copy for the prelude, which it cannot */
    PyObject *native;                   /* module object handed to the prelude; not importable */
    PyObject *sources;                  /* {"<cell 1>": text}: the truth behind linecache */
    PyObject *line_cache;               /* linecache.cache as it was made */
    PyObject *name_last, *name_before_last; /* "_" and "__" */
    PyObject *context;                  /* contextvars.Context in which all cells run */
    PyObject *hooks[WH_HOOKS];
    PyObject *session;                  /* its event loop */
    PyObject *tools;                    /* the global of that name, or NULL while there are none */
    PyObject *tasks;                    /* set behind asyncio's WeakSet of tasks: empty when there are none */
    PyObject *held;                     /* set of weak references to tasks that earlier cells have left */
    PyTypeObject *task_type, *step_type; /* asyncio's Task, and what it gives to the loop to be called */
    PyObject *out[2];   /* sys.stdout and sys.stderr as made */
    PyObject *stop_type; /* raised at a stop request; immortal, its address is in wh_info */
    bool stop_raised;    /* an instance of it was made since the cell began */
    bool builtins_changed;
    bool seeded; /* since the image was made */
    bool seeded_by_user;
    int flags;    /* compiler flags from `from __future__`, kept like in a REPL */
    uint32_t pending_calls;
    bool background; /* what runs is of an earlier cell */
    bool helpers; /* short forms and `o` are there */
    bool called; /* a call of a tool was made since the last cell ended */
};
extern struct wh_guest wh;

/* ---- buf.c: bytes that grow, and JSON text ------------------------------------------------------------------------- */

struct wh_buf {
    char *p;
    size_t len, cap;
    size_t limit; /* no more than that many bytes */
    bool full;    /* something did not fit (limit or memory); nothing is added any more */
};
void wh_buf_add(struct wh_buf *b, const void *p, size_t n);
void wh_buf_text(struct wh_buf *b, const char *text); /* as it is, without quotes or escapes */
void wh_buf_i64(struct wh_buf *b, int64_t v);
/* Goes back to an earlier length, so that what was added since is undone. */
void wh_buf_rewind(struct wh_buf *b, size_t len);
/* Characters from start to end of a str, escaped for JSON. */
void wh_buf_chars(struct wh_buf *b, PyObject *str, Py_ssize_t start, Py_ssize_t end);
void wh_buf_str(struct wh_buf *b, PyObject *str); /* a JSON string */
/* UTF-8 text that we made ourselves, as a JSON string. */
void wh_buf_utf8(struct wh_buf *b, const char *text);

/* ---- float.c: numbers as JSON -------------------------------------------------------------------------------------- */

/* Text that is read back as exactly d; not always the shortest. NaN, Infinity, -Infinity are written as these words. */
void wh_buf_double(struct wh_buf *b, double d);
int wh_float_init(void); /* build time: the table of powers of ten */

/* ---- render.c: text of a value, bounded while it is made ----------------------------------------------------------- */

enum wh_verdict {
    WH_WELL,
    WH_TOO_LARGE, /* a limit was reached */
    WH_RAISED     /* an exception is set that must end the cell: a stop request or no memory */
};
/* repr of v, at most `chars` characters, escaped for JSON and without quotes. *cut: there would have been more. */
enum wh_verdict wh_render(struct wh_buf *b, PyObject *v, uint32_t chars, bool *cut);
/* True if the exception that is set must not be swallowed by code of ours. Else it is cleared. */
bool wh_must_end(void);
/* "Name" or "module.Name" of a type, without asking its metaclass. New reference. */
PyObject *wh_type_name(PyTypeObject *t, bool with_module);

/* ---- encode.c: values for the host --------------------------------------------------------------------------------- */

struct wh_attachments {
    struct wh_span *spans;
    Py_buffer *views; /* keep the bytes alive until wh_attachments_free */
    uint32_t len, cap;
};
void wh_attachments_free(struct wh_attachments *a);

struct wh_limits {
    uint32_t bytes, depth;
    bool long_text; /* long texts are attachments: for messages, not for results */
};
enum wh_verdict wh_encode(struct wh_buf *b, struct wh_attachments *a, PyObject *v, struct wh_limits limits, bool *tagged);
/* Looks up the types of the standard library that have a form of their own. Build time. */
int wh_encode_init(void);

/* ---- loop.c: event loop -------------------------------------------------------------------------------------------- */

extern PyTypeObject wh_handle_type, wh_loop_type;
int wh_loop_init(void);
/* Runs what is ready until `until` is done or nothing is ready. -1: something other than an Exception came out. */
int wh_loop_pump(PyObject *loop, PyObject *until);
/* Nanoseconds until the next timer, or -1 if there is none. */
int64_t wh_loop_timer(PyObject *loop);
bool wh_future_done(PyObject *future);
/* Whether something is left in the loop: at the end of a cell, what a later one goes on with. */
bool wh_loop_is_busy(PyObject *loop);
/* Whether a timer is left that this cell made, or what it has set going. */
bool wh_loop_has_ours(PyObject *loop);
/* (number of callbacks that cells have given to the loop of the session, the first of them). New reference. */
PyObject *wh_loop_callbacks(PyObject *self, PyObject *unused);

/* ---- cell.c -------------------------------------------------------------------------------------------------------- */

struct wh_code {
    PyObject *body, *last; /* code objects: all but the last expression, and that expression; either may be NULL */
    bool async;
};
/* Text of a cell as a str, dedented if its first line is indented. New reference. */
PyObject *wh_cell_source(const char *text, size_t n);
int wh_cell_compile(struct wh_code *code, PyObject *source, PyObject *filename);
/* Runs body and last in place. New reference; NULL with an exception. */
PyObject *wh_cell_run(const struct wh_code *code);
/* A coroutine that runs them one after the other. */
PyObject *wh_cell_coroutine(const struct wh_code *code);
void wh_cell_forget(struct wh_code *code);
int wh_cell_init(void);
extern PyTypeObject wh_cell_coroutine_type;

/* ---- stop.c: stop requests and the state of the thread ------------------------------------------------------------- */

int wh_stop_init(void);    /* the exception */
int wh_stop_install(void); /* sys.unraisablehook */
void wh_stop_describe(struct wh_info *info);
/* Undoes what the host poked. Before any Python code of a cell runs. */
void wh_stop_clear(void);
/* A request that no code has seen so far: taken, raised, true. */
bool wh_stop_take(void);
/* Calls into the prelude: some recursion depth is kept back for it, and the guest's trace functions do not see it. */
PyObject *wh_call_hook(enum wh_hook hook, PyObject *const *args, size_t n);

/* ---- native.c ------------------------------------------------------------------------------------------------------ */

PyObject *wh_native_create(void);
void wh_clock_begin(void);
int wh_sleep_ns(int64_t ns); /* -1: a stop was requested and its exception is set */

/* ---- threads.c ----------------------------------------------------------------------------------------------------- */

PyObject *wh_threads_init(void); /* the type DeadlockError */

/* ---- calls.c: use of host functions -------------------------------------------------------------------------------- */

PyObject *wh_native_call(PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *wh_native_add_pending(PyObject *self, PyObject *by);
/* A message of the host, JSON or packed frame, as (head, attachments). */
PyObject *wh_unpack(const char *p, size_t n);

#endif
