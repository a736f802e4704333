/* What a cell gives back: the frames of wh_start and wh_resume. */
#include "run.h"

#include <stdlib.h>

enum {
    HEAD_START = 16 * 1024, /* room for a result that needs no allocation */
    HEAD_KEEP = 256 * 1024, /* more than that is given back before the next cell */
    HEAD_LIMIT = 1 << 30,
    REPORT_BYTES = 1024 * 1024,
    SPARE = 1280 * 1024, /* set free when memory has run out, so that the failure can be told */
    CELL_ROOM = 1024 * 1024,
    START_ROOM = 640 * 1024 /* a cell that frees memory runs in that */
};

struct wh_run wh_run;
static struct wh_buf head = {.limit = HEAD_LIMIT};
static struct wh_attachments attachments;
static struct wh_frame frame;
static PyObject *notes; /* list of str, or NULL */
static void *spare;

/* ---- frames -------------------------------------------------------------------------------------------------------- */

int wh_result_init(void) {
    head.p = malloc(HEAD_START);
    head.cap = HEAD_START;
    spare = malloc(SPARE);
    return head.p && spare ? 0 : -1;
}

/* After a shortage only if a small cell still has room beside it: the cell may be the one that frees memory. */
static void keep_spare(void) {
    if (!wh_memory_was_short) return;
    free(spare);
    wh_memory_was_short = !wh_has_room(SPARE + CELL_ROOM);
    spare = wh_memory_was_short ? NULL : malloc(SPARE);
}

/* Whether the next cell could not even free what this one holds. A spare that is still there is room for it. */
static bool leaves_no_room(void) { return wh_memory_was_short && !spare && !wh_has_room(START_ROOM); }

void wh_result_begin(void) {
    wh_attachments_free(&attachments);
    if (head.cap > HEAD_KEEP) {
        free(head.p);
        head.p = malloc(HEAD_START);
        head.cap = head.p ? HEAD_START : 0;
    }
    wh_buf_rewind(&head, 0);
    frame = (struct wh_frame){0};
    Py_CLEAR(notes);
    keep_spare();
}

static const struct wh_frame *give(enum wh_status status) {
    frame.status = status;
    if (status != WH_WAITING && leaves_no_room()) frame.flags |= WH_FRAME_FULL;
    if (head.full) { /* no memory even for the head */
        static const char text[] = "{\"e\":{\"type\":\"MemoryError\",\"message\":\"out of memory\",\"text\":"
                                   "\"MemoryError: out of memory\",\"frames\":[]}}";
        frame.status = WH_FAILED;
        frame.head = (struct wh_span){(uint32_t)(uintptr_t)text, sizeof text - 1};
        return &frame;
    }
    frame.head = (struct wh_span){(uint32_t)(uintptr_t)head.p, (uint32_t)head.len};
    frame.attachments = (uint32_t)(uintptr_t)attachments.spans;
    frame.attachments_len = attachments.len;
    return &frame;
}

static void add_note(PyObject *note) {
    if (!notes) notes = PyList_New(0);
    if (notes && note) PyList_Append(notes, note);
    PyErr_Clear();
}

static void add_notes(PyObject *list) {
    for (Py_ssize_t i = 0; PyList_Check(list) && i < PyList_GET_SIZE(list); i++) add_note(PyList_GET_ITEM(list, i));
}

void wh_note(const char *text) {
    PyObject *note = PyUnicode_FromString(text);
    add_note(note);
    Py_XDECREF(note);
}

/* ,"notes":[...] after what stands in the head already. */
static void put_notes(void) {
    if (!notes || PyList_GET_SIZE(notes) == 0) return;
    wh_buf_text(&head, head.len > 1 ? ",\"notes\":[" : "\"notes\":[");
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(notes); i++) {
        PyObject *note = PyList_GET_ITEM(notes, i);
        if (i) wh_buf_text(&head, ",");
        if (PyUnicode_Check(note)) wh_buf_str(&head, note);
        else wh_buf_text(&head, "\"\"");
    }
    wh_buf_text(&head, "]");
}

static void start_head(void) {
    wh_buf_rewind(&head, 0);
    wh_attachments_free(&attachments);
    frame.flags = 0;
    wh_buf_text(&head, "{");
}

/* ---- the end of a cell --------------------------------------------------------------------------------------------- */

static void forget_cell(void) {
    Py_CLEAR(wh_run.task);
    Py_CLEAR(wh_run.type);
    Py_CLEAR(wh_run.message);
    Py_CLEAR(wh_run.exc);
    wh_run.ending = GOES_ON;
    wh_run.cancels = 0;
}

/* Notes about tasks and callbacks that go on, and on stderr the exceptions of tasks that nobody has looked at. */
static void look_at_tasks(void) {
    if (!wh.tasks) return;
    if (PySet_GET_SIZE(wh.tasks) == 0) {
        if (PySet_GET_SIZE(wh.held) > 0) PySet_Clear(wh.held);
        if (!wh_loop_is_busy(wh.session)) return;
    }
    PyObject *list = wh_call_hook(WH_HOOK_AFTERMATH, NULL, 0);
    if (list) add_notes(list);
    PyErr_Clear();
    Py_XDECREF(list);
}

/* Calls in flight end with the cell, and those that were never started are told to the host. */
static void end_calls(void) {
    if (!wh.called && wh.pending_calls == 0) return;
    wh.called = false;
    Py_XDECREF(wh_call_hook(WH_HOOK_CALLS_END, NULL, 0));
    PyErr_Clear();
    wh.pending_calls = 0;
}

static const struct wh_frame *end(enum wh_status status) {
    forget_cell();
    end_calls();
    look_at_tasks();
    put_notes();
    wh_buf_text(&head, "}");
    return give(status);
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

/* _ and __, as in a REPL. In the builtins, where they hide no variable. */
void wh_remember(PyObject *v) {
    PyObject *before = Py_XNewRef(PyDict_GetItemWithError(wh.builtins_dict, wh.name_last));
    if (before) PyDict_SetItem(wh.builtins_dict, wh.name_before_last, before);
    PyDict_SetItem(wh.builtins_dict, wh.name_last, v);
    PyErr_Clear();
    Py_XDECREF(before);
}

/* Whether `_` is to hold it. A finaliser that does not come to its end would otherwise do so in a later cell. */
static bool is_memorable(PyObject *v) {
    static PyObject *name;
    if (!name) name = PyUnicode_InternFromString("__del__");
    return !(Py_TYPE(v)->tp_flags & Py_TPFLAGS_HEAPTYPE) || !_PyType_Lookup(Py_TYPE(v), name);
}

static enum wh_verdict put_value(PyObject *v) {
    bool tagged, cut = false;
    wh_buf_text(&head, "\"v\":");
    enum wh_verdict verdict = wh_encode(&head, &attachments, v, wh_run.limits, &tagged);
    if (verdict == WH_RAISED) return verdict;
    if (verdict == WH_TOO_LARGE) {
        wh_attachments_free(&attachments);
        wh_buf_rewind(&head, 1);
        frame.flags |= WH_FRAME_TRUNCATED;
    } else {
        if (tagged) frame.flags |= WH_FRAME_TAGS;
        wh_buf_text(&head, ",");
    }
    wh_buf_text(&head, "\"t\":\"");
    verdict = wh_render(&head, v, wh_run.text_chars, &cut);
    if (verdict == WH_TOO_LARGE) { /* no memory for the text */
        wh_attachments_free(&attachments);
        wh_buf_rewind(&head, 1);
        frame.flags |= WH_FRAME_TRUNCATED;
        return verdict;
    }
    if (cut) frame.flags |= WH_FRAME_TRUNCATED;
    wh_buf_text(&head, "\"");
    return verdict;
}

static enum wh_verdict put_result(PyObject *v) {
    if (Py_IsNone(v)) return WH_WELL;
    if (is_memorable(v)) wh_remember(v);
    if (PyCoro_CheckExact(v)) wh_note("the value is a coroutine that has not been awaited: put `await` before it");
    return put_value(v);
}

/* What the cell has put into `o` stands for a value that it does not have. Takes the reference. */
static PyObject *or_prepared(PyObject *v) {
    PyObject *begins = Py_False, *o = wh_call_hook(WH_HOOK_PREPARED, &begins, 1);
    PyErr_Clear();
    if (!o) return v;
    Py_DECREF(v);
    return o;
}

enum { RESOLVED_DEPTH = 5, RESOLVED_ITEMS = 10000 }; /* how far a value is searched for what is to be awaited */

static bool is_pending(PyObject *v) {
    PyTypeObject *t = Py_TYPE(v);
    if (!t->tp_as_async || !t->tp_as_async->am_await) return false;
    return strcmp(t->tp_name, "_asyncio.Task") != 0; /* a task goes on by itself */
}

static bool holds_pending(PyObject *v, int depth, int *left) {
    if (is_pending(v)) return true;
    if (depth == RESOLVED_DEPTH) return false;
    if (PyList_CheckExact(v) || PyTuple_CheckExact(v)) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(v) && (*left)-- > 0; i++)
            if (holds_pending(PySequence_Fast_GET_ITEM(v, i), depth + 1, left)) return true;
    } else if (PyDict_CheckExact(v)) {
        Py_ssize_t at = 0;
        PyObject *item;
        while (PyDict_Next(v, &at, NULL, &item) && (*left)-- > 0)
            if (holds_pending(item, depth + 1, left)) return true;
    }
    return false;
}

/* Goes on with awaiting what the value holds; takes the reference. */
static const struct wh_frame *resolve(PyObject *v) {
    wh_run.resolving = true;
    PyObject *coroutine = wh_call_hook(WH_HOOK_RESOLVED, &v, 1);
    Py_DECREF(v);
    Py_CLEAR(wh_run.task);
    return wh_task_start(coroutine);
}

const struct wh_frame *wh_finish(PyObject *v) {
    int left = RESOLVED_ITEMS;
    if (!wh_run.resolving && wh_run.ending == GOES_ON && holds_pending(v, 0, &left)) return resolve(v);
    if (wh.helpers && Py_IsNone(v)) v = or_prepared(v);
    start_head();
    enum wh_verdict verdict = put_result(v);
    PyObject *exc = verdict == WH_RAISED ? PyErr_GetRaisedException() : NULL;
    forget_cell();
    Py_DECREF(v); /* runs its finaliser, which belongs to this cell */
    if (exc) PyErr_SetRaisedException(exc);
    if (verdict == WH_RAISED || wh_stop_take()) return wh_fail_raised();
    return end(WH_DONE);
}

/* ---- failures ------------------------------------------------------------------------------------------------------ */

static void put_member(const char *name, PyObject *v) {
    wh_buf_text(&head, name);
    if (v && PyUnicode_Check(v)) wh_buf_str(&head, v);
    else wh_buf_text(&head, "\"\"");
}

/* The report of the prelude: (type, message, text, frames, notes). */
static bool put_report(PyObject *report) {
    bool tagged;
    struct wh_limits limits = {.bytes = REPORT_BYTES, .depth = 10};
    if (!PyTuple_Check(report) || PyTuple_GET_SIZE(report) != 5) return false;
    put_member("\"e\":{\"type\":", PyTuple_GET_ITEM(report, 0));
    put_member(",\"message\":", PyTuple_GET_ITEM(report, 1));
    put_member(",\"text\":", PyTuple_GET_ITEM(report, 2));
    wh_buf_text(&head, ",\"frames\":");
    bool well = wh_encode(&head, NULL, PyTuple_GET_ITEM(report, 3), limits, &tagged) == WH_WELL;
    if (!well) wh_buf_text(&head, "[]");
    wh_buf_text(&head, "}");
    add_notes(PyTuple_GET_ITEM(report, 4));
    PyErr_Clear();
    return true;
}

/* Where the prelude could not report (no memory, or a second stop): type and message alone. */
static void put_bare_report(PyObject *exc) {
    bool stopped = Py_TYPE(exc) == (PyTypeObject *)wh.stop_type;
    PyObject *type = stopped ? PyUnicode_FromString("InterruptedError") : wh_type_name(Py_TYPE(exc), false);
    PyObject *args = PyException_GetArgs(exc), *message = NULL;
    if (args && PyTuple_GET_SIZE(args) == 1 && PyUnicode_Check(PyTuple_GET_ITEM(args, 0))) message = PyTuple_GET_ITEM(args, 0);
    PyErr_Clear();
    put_member("\"e\":{\"type\":", type);
    put_member(",\"message\":", message);
    put_member(",\"text\":", type);
    wh_buf_text(&head, ",\"frames\":[]}");
    Py_XDECREF(type);
    Py_XDECREF(args);
}

static PyObject *call_report(PyObject *exc, bool bare) {
    static const char *const kinds[] = {
        [GOES_ON] = "", [STOPPED] = "stop", [DEADLOCKED] = "deadlock", [CANCELLED] = "cancel", [RAISED_ELSEWHERE] = ""};
    PyObject *kind = PyUnicode_FromString(bare ? "bare" : kinds[wh_run.ending]);
    PyObject *args[] = {exc, kind, wh_run.type ? wh_run.type : Py_None, wh_run.message ? wh_run.message : Py_None};
    PyObject *report = kind ? wh_call_hook(WH_HOOK_REPORT, args, 4) : NULL;
    Py_XDECREF(kind);
    return report;
}

static void free_spare(void) {
    free(spare);
    spare = NULL;
}

const struct wh_frame *wh_fail(PyObject *exc) {
    start_head();
    if (PyErr_GivenExceptionMatches(exc, PyExc_MemoryError)) free_spare();
    PyObject *report = call_report(exc, false);
    if (!report) { /* there was no memory, or code of the exception itself did not come to an end */
        PyErr_Clear();
        free_spare();
        report = call_report(exc, true);
        PyErr_Clear();
    }
    if (!report || !put_report(report)) put_bare_report(exc);
    Py_XDECREF(report);
    return end(WH_FAILED);
}

const struct wh_frame *wh_fail_raised(void) {
    PyObject *exc = PyErr_GetRaisedException();
    if (!exc) { /* seen when memory runs out in a very deep recursion */
        PyErr_SetString(PyExc_MemoryError, "out of memory");
        exc = PyErr_GetRaisedException();
    }
    const struct wh_frame *f = wh_fail(exc);
    Py_DECREF(exc);
    return f;
}

/* ---- waiting ------------------------------------------------------------------------------------------------------- */

const struct wh_frame *wh_waiting(int64_t timer) {
    start_head();
    wh_buf_text(&head, "\"timer\":");
    if (timer < 0) wh_buf_text(&head, "null");
    else wh_buf_i64(&head, timer);
    wh_buf_text(&head, ",\"pending\":");
    wh_buf_i64(&head, wh.pending_calls);
    if (wh.pending_calls > 0 && timer >= 0 && !wh_loop_has_ours(wh.session)) wh_buf_text(&head, ",\"held\":true");
    wh_buf_text(&head, "}");
    return give(WH_WAITING);
}
