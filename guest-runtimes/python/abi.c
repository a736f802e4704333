/* The exports: a cell from its start to its result. See wasmhost_abi.h. */
#include "guest.h"
#include "setup.h"

#include <stdlib.h>
#include <string.h>

struct wh_guest wh;

enum {
    IN_CAP = 64 * 1024,
    HEAD_START = 16 * 1024,    /* room for a result that needs no allocation */
    HEAD_KEEP = 256 * 1024,    /* more than that is given back before the next cell */
    HEAD_LIMIT = 1 << 30,
    REPORT_BYTES = 1024 * 1024,
    SPARE = 768 * 1024,        /* set free when memory has run out, so that the failure can be told */
    MAX_CANCELS = 3
};

static uint8_t in_buf[IN_CAP] __attribute__((aligned(16)));
static struct wh_buf head = {.limit = HEAD_LIMIT};
static struct wh_attachments attachments;
static struct wh_frame frame;
static void *spare;

/* What ends a cell before its time. */
enum ending { GOES_ON, STOPPED, DEADLOCKED, CANCELLED, RAISED_ELSEWHERE };

static struct {
    uint32_t number;
    struct wh_limits limits;
    uint32_t text_chars;
    PyObject *task;     /* runs a cell that awaits; NULL at all other times */
    PyObject *notes;    /* list of str, or NULL */
    enum ending ending;
    PyObject *type, *message; /* CANCELLED and DEADLOCKED: what the failure is to be called */
    PyObject *exc;            /* RAISED_ELSEWHERE: what came out of a task other than the cell's own */
    int cancels;
} cell;

static const struct wh_frame *fail(PyObject *exc);
static const struct wh_frame *fail_raised(void);

/* ---- frames ------------------------------------------------------------------------------------------------------------ */

static const struct wh_frame *give(enum wh_status status) {
    frame.status = status;
    if (head.full) { /* no memory even for the head */
        static const char text[] = "{\"e\":{\"type\":\"MemoryError\",\"message\":\"out of memory\",\"text\":\"MemoryError: out of memory\",\"frames\":[]}}";
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
    if (!cell.notes) cell.notes = PyList_New(0);
    if (cell.notes && note) PyList_Append(cell.notes, note);
    PyErr_Clear();
}

static void add_note_text(const char *text) {
    PyObject *note = PyUnicode_FromString(text);
    add_note(note);
    Py_XDECREF(note);
}

/* ,"notes":[...] after what stands in the head already. */
static void put_notes(void) {
    if (!cell.notes || PyList_GET_SIZE(cell.notes) == 0) return;
    wh_buf_text(&head, head.len > 1 ? ",\"notes\":[" : "\"notes\":[");
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(cell.notes); i++) {
        PyObject *note = PyList_GET_ITEM(cell.notes, i);
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

/* ---- tasks that are left ------------------------------------------------------------------------------------------------- */

static void forget_cell(void) {
    Py_CLEAR(cell.task);
    Py_CLEAR(cell.type);
    Py_CLEAR(cell.message);
    Py_CLEAR(cell.exc);
    cell.ending = GOES_ON;
    cell.cancels = 0;
}

/* Notes about tasks that go on, and on stderr the exceptions of tasks that nobody has looked at. */
static void look_at_tasks(void) {
    if (!wh.tasks || PySet_GET_SIZE(wh.tasks) == 0) return;
    PyObject *notes = wh_call_hook(WH_HOOK_AFTERMATH, NULL, 0);
    for (Py_ssize_t i = 0; notes && PyList_Check(notes) && i < PyList_GET_SIZE(notes); i++) add_note(PyList_GET_ITEM(notes, i));
    PyErr_Clear();
    Py_XDECREF(notes);
}

/* ---- results ----------------------------------------------------------------------------------------------------------------- */

/* _ and __, as in a REPL. In the builtins, where they hide no variable. */
static void remember(PyObject *v) {
    PyObject *before = PyDict_GetItemString(wh.builtins_dict, "_");
    if (before) {
        Py_INCREF(before);
        PyDict_SetItemString(wh.builtins_dict, "__", before);
        Py_DECREF(before);
    }
    PyDict_SetItemString(wh.builtins_dict, "_", v);
    PyErr_Clear();
}

static enum wh_verdict put_value(PyObject *v) {
    bool tagged, cut = false;
    wh_buf_text(&head, "\"v\":");
    enum wh_verdict verdict = wh_encode(&head, &attachments, v, cell.limits, &tagged);
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
    verdict = wh_render(&head, v, cell.text_chars, &cut);
    if (cut) frame.flags |= WH_FRAME_TRUNCATED;
    wh_buf_text(&head, "\"");
    return verdict;
}

static const struct wh_frame *finish(PyObject *v) {
    start_head();
    if (!Py_IsNone(v)) {
        remember(v);
        if (PyCoro_CheckExact(v)) add_note_text("the value is a coroutine that has not been awaited: put `await` before it");
        if (put_value(v) == WH_RAISED) return fail_raised();
    }
    forget_cell();
    look_at_tasks();
    put_notes();
    wh_buf_text(&head, "}");
    return give(WH_DONE);
}

/* ---- failures ------------------------------------------------------------------------------------------------------------------ */

static void put_member(const char *name, PyObject *v) {
    wh_buf_text(&head, name);
    if (v && PyUnicode_Check(v)) wh_buf_str(&head, v);
    else wh_buf_text(&head, "\"\"");
}

/* The report of the prelude: (type, message, text, frames, notes). */
static bool put_report(PyObject *report) {
    bool tagged;
    struct wh_limits limits = {REPORT_BYTES, 10};
    if (!PyTuple_Check(report) || PyTuple_GET_SIZE(report) != 5) return false;
    put_member("\"e\":{\"type\":", PyTuple_GET_ITEM(report, 0));
    put_member(",\"message\":", PyTuple_GET_ITEM(report, 1));
    put_member(",\"text\":", PyTuple_GET_ITEM(report, 2));
    wh_buf_text(&head, ",\"frames\":");
    bool well = wh_encode(&head, NULL, PyTuple_GET_ITEM(report, 3), limits, &tagged) == WH_WELL;
    if (!well) wh_buf_text(&head, "[]");
    wh_buf_text(&head, "}");
    PyObject *notes = PyTuple_GET_ITEM(report, 4);
    for (Py_ssize_t i = 0; PyList_Check(notes) && i < PyList_GET_SIZE(notes); i++) add_note(PyList_GET_ITEM(notes, i));
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
    PyObject *kind = PyUnicode_FromString(bare ? "bare" : kinds[cell.ending]);
    PyObject *args[] = {exc, kind, cell.type ? cell.type : Py_None, cell.message ? cell.message : Py_None};
    PyObject *report = kind ? wh_call_hook(WH_HOOK_REPORT, args, 4) : NULL;
    Py_XDECREF(kind);
    return report;
}

static void free_spare(void) {
    free(spare);
    spare = NULL;
}

static const struct wh_frame *fail(PyObject *exc) {
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
    forget_cell();
    look_at_tasks();
    put_notes();
    wh_buf_text(&head, "}");
    return give(WH_FAILED);
}

static const struct wh_frame *fail_raised(void) {
    PyObject *exc = PyErr_GetRaisedException();
    if (!exc) { /* seen when memory runs out in a very deep recursion */
        PyErr_SetString(PyExc_MemoryError, "out of memory");
        exc = PyErr_GetRaisedException();
    }
    const struct wh_frame *f = fail(exc);
    Py_DECREF(exc);
    return f;
}

/* ---- cells that await ------------------------------------------------------------------------------------------------------------ */

static const struct wh_frame *waiting(int64_t timer) {
    start_head();
    wh_buf_text(&head, "\"timer\":");
    if (timer < 0) wh_buf_text(&head, "null");
    else wh_buf_i64(&head, timer);
    wh_buf_text(&head, ",\"pending\":");
    wh_buf_i64(&head, wh.pending_calls);
    wh_buf_text(&head, "}");
    return give(WH_WAITING);
}

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
    PyObject *result, *exc = outcome(cell.task, &result);
    const struct wh_frame *f;
    if (!exc && cell.ending == CANCELLED) { /* the host does not want the result any more */
        Py_CLEAR(result);
        exc = PyObject_CallFunctionObjArgs(PyExc_RuntimeError, cell.message, NULL);
    }
    if (!exc) f = finish(result);
    else {
        bool by_us = cell.ending != GOES_ON && is_cancelled_error(exc);
        if (by_us && cell.exc) Py_SETREF(exc, Py_NewRef(cell.exc));
        if (!by_us && cell.ending != CANCELLED) cell.ending = GOES_ON; /* the code's own failure, told as such */
        f = fail(exc);
    }
    Py_XDECREF(result);
    Py_XDECREF(exc);
    return f;
}

static void cancel_task(void) {
    PyObject *r = PyObject_CallMethod(cell.task, "cancel", "O", cell.message ? cell.message : Py_None);
    PyErr_Clear();
    Py_XDECREF(r);
    cell.cancels++;
}

/* The cell has not ended although it was cancelled again and again: its task is closed, and is no task to asyncio any more. */
static const struct wh_frame *give_up(void) {
    PyObject *coroutine = PyObject_CallMethod(cell.task, "get_coro", NULL);
    PyObject *r = coroutine ? PyObject_CallMethod(coroutine, "close", NULL) : NULL;
    PyObject *reference = PyWeakref_NewRef(cell.task, NULL);
    if (reference && wh.tasks) PySet_Discard(wh.tasks, reference);
    PyObject_SetAttrString(cell.task, "_log_destroy_pending", Py_False);
    PyErr_Clear();
    Py_XDECREF(reference);
    Py_XDECREF(r);
    Py_XDECREF(coroutine);
    PyObject *exc = PyObject_CallFunctionObjArgs(PyExc_RuntimeError, cell.message, NULL);
    if (!exc) return fail_raised();
    const struct wh_frame *f = fail(exc);
    Py_DECREF(exc);
    return f;
}

static void begin_ending(enum ending ending) {
    if (cell.ending == GOES_ON) cell.ending = ending;
}

/* What the task waits for, in words, becomes the message of the DeadlockError. */
static void begin_deadlock(void) {
    begin_ending(DEADLOCKED);
    PyObject *message = wh_call_hook(WH_HOOK_STUCK, &cell.task, 1);
    if (!message || !PyUnicode_Check(message)) Py_XSETREF(message, PyUnicode_FromString("nothing can end this wait"));
    PyErr_Clear();
    Py_XSETREF(cell.message, message);
    Py_XSETREF(cell.type, PyUnicode_FromString("DeadlockError"));
    PyErr_Clear();
}

/* An exception that is no Exception came out of the loop: from the cell's own task, which is then done, or from another. */
static void take_escaped(void) {
    PyObject *exc = PyErr_GetRaisedException();
    if (wh_future_done(cell.task)) Py_DECREF(exc);
    else {
        begin_ending(RAISED_ELSEWHERE);
        Py_XSETREF(cell.exc, exc);
    }
}

static const struct wh_frame *go_on(void) {
    for (;;) {
        if (wh_loop_pump(wh.session, cell.task) < 0) take_escaped();
        if (wh_future_done(cell.task)) return finish_task();
        if (wh.stop_raised || wh_stop_take()) begin_ending(STOPPED);
        PyErr_Clear();
        int64_t timer = wh_loop_timer(wh.session);
        bool may_wait = timer >= 0 || wh.pending_calls > 0;
        if (cell.ending == GOES_ON && !may_wait) begin_deadlock();
        else if (may_wait && (cell.ending == GOES_ON || (cell.ending == DEADLOCKED && cell.cancels))) return waiting(timer);
        if (cell.cancels == MAX_CANCELS) return give_up();
        wh.stop_raised = false; /* seen; the code that cleans up now may be stopped once more */
        cancel_task();
    }
}

static const struct wh_frame *start_task(const struct wh_code *code) {
    PyObject *coroutine = wh_cell_coroutine(code), *name = PyUnicode_FromFormat("cell %u", cell.number);
    PyObject *method = PyObject_GetAttrString(wh.session, "create_task");
    PyObject *names = Py_BuildValue("(ss)", "name", "context");
    if (coroutine && name && method && names) {
        PyObject *args[] = {coroutine, name, wh.context};
        cell.task = PyObject_Vectorcall(method, args, 1, names);
    }
    Py_XDECREF(coroutine);
    Py_XDECREF(name);
    Py_XDECREF(method);
    Py_XDECREF(names);
    return cell.task ? go_on() : fail_raised();
}

/* ---- cells ----------------------------------------------------------------------------------------------------------------------- */

/* Remembers the source: for our own tracebacks, and in linecache for whoever looks there. */
static void keep_source(PyObject *filename, PyObject *source) {
    PyDict_SetItem(wh.sources, filename, source);
    PyObject *lines = PyUnicode_Splitlines(source, 1);
    PyObject *entry = lines ? Py_BuildValue("(nOOO)", PyUnicode_GET_LENGTH(source), Py_None, lines, filename) : NULL;
    if (entry) PyDict_SetItem(wh.line_cache, filename, entry);
    PyErr_Clear();
    Py_XDECREF(entry);
    Py_XDECREF(lines);
}

static PyObject *run_in_context(const struct wh_code *code) {
    if (PyContext_Enter(wh.context) < 0) return NULL;
    PyObject *v = wh_cell_run(code), *exc = v ? NULL : PyErr_GetRaisedException();
    PyContext_Exit(wh.context);
    if (exc) PyErr_SetRaisedException(exc);
    return v;
}

static const struct wh_frame *run_cell(const char *text, size_t n) {
    struct wh_code code;
    PyObject *filename = PyUnicode_FromFormat("<cell %u>", cell.number), *source = wh_cell_source(text, n), *v = NULL;
    int r = -1;
    if (filename && source) {
        keep_source(filename, source);
        r = wh_cell_compile(&code, source, filename);
    }
    Py_XDECREF(filename);
    Py_XDECREF(source);
    if (r < 0) return fail_raised();
    const struct wh_frame *f;
    if (code.async) f = start_task(&code);
    else {
        v = run_in_context(&code);
        f = v ? finish(v) : fail_raised();
    }
    Py_XDECREF(v);
    wh_cell_forget(&code);
    return f;
}

static void begin_export(void) {
    wh_stop_clear();
    wh_attachments_free(&attachments);
    if (head.cap > HEAD_KEEP) {
        free(head.p);
        head.p = malloc(HEAD_START);
        head.cap = head.p ? HEAD_START : 0;
    }
    wh_buf_rewind(&head, 0);
    frame = (struct wh_frame){0};
    Py_CLEAR(cell.notes);
    if (!spare) spare = malloc(SPARE);
}

static const struct wh_frame *misuse(const char *what) {
    PyErr_SetString(PyExc_SystemError, what);
    return fail_raised();
}

static void request_cancel(PyObject *args) {
    begin_ending(CANCELLED);
    Py_XSETREF(cell.type, Py_NewRef(PyTuple_GET_ITEM(args, 0)));
    Py_XSETREF(cell.message, Py_NewRef(PyTuple_GET_ITEM(args, 1)));
    cell.ending = CANCELLED;
    cell.cancels = 0;
    cancel_task();
}

/* The host has started another cell without having ended one that waits. */
static void abandon(void) {
    PyObject *why = Py_BuildValue("(ss)", "CancelledError", "another cell was started");
    if (why) {
        request_cancel(why);
        go_on();
    }
    PyErr_Clear();
    Py_XDECREF(why);
    forget_cell();
    begin_export();
    add_note_text("the cell before this one was still waiting and has been cancelled");
}

const struct wh_frame *wh_start(const struct wh_start_in *in, uint32_t n) {
    begin_export();
    if (n < sizeof *in || in->source_len > n - sizeof *in) return misuse("malformed input of wh_start");
    if (cell.task) abandon();
    cell.number = in->cell;
    cell.limits = (struct wh_limits){in->value_bytes, in->value_depth};
    cell.text_chars = in->text_chars;
    wh_out_live(in->flags & WH_START_LIVE);
    wh_restore_namespace();
    if (in->flags & WH_START_SEED) wh_seed(in->seed);
    return run_cell((const char *)(in + 1), in->source_len);
}

const struct wh_frame *wh_resume(const char *json, uint32_t n) {
    begin_export();
    if (!cell.task) return misuse("wh_resume without a cell that waits");
    PyObject *bytes = PyBytes_FromStringAndSize(json, n);
    PyObject *cancel = bytes ? wh_call_hook(WH_HOOK_SETTLE, &bytes, 1) : NULL; /* None or (type, message) */
    Py_XDECREF(bytes);
    if (!cancel) {
        PyObject *exc = PyErr_GetRaisedException();
        if (PyErr_GivenExceptionMatches(exc, wh.stop_type)) begin_ending(STOPPED);
        Py_DECREF(exc);
    } else if (PyTuple_Check(cancel)) request_cancel(cancel);
    Py_XDECREF(cancel);
    return go_on();
}

void *wh_alloc(uint32_t n) { return malloc(n ? n : 1); }
void wh_free(void *p) { free(p); }

/* ---- build ------------------------------------------------------------------------------------------------------------------------- */

/* The build prints what went wrong; at run time no such message exists. */
static int build_failed(int code) {
    if (PyErr_Occurred()) PyErr_Print();
    wh_out_flush();
    return code;
}

int32_t wh_init(void) {
    head.p = malloc(HEAD_START);
    head.cap = HEAD_START;
    spare = malloc(SPARE);
    int r = wh_setup();
    return r ? build_failed(r) : 0;
}

/* Runs a file of the prelude as module native.<name>, with builtins that the guest cannot change. */
int32_t wh_load(const char *name, uint32_t name_len, const char *src, uint32_t src_len) {
    PyObject *label = PyUnicode_FromStringAndSize(name, name_len), *source = PyUnicode_FromStringAndSize(src, src_len);
    PyObject *filename = label ? PyUnicode_FromFormat("<wasmhost %U>", label) : NULL;
    PyObject *module = label ? PyModule_NewObject(label) : NULL, *code = NULL, *r = NULL;
    if (source && filename && module) {
        PyObject *dict = PyModule_GetDict(module);
        PyDict_SetItemString(dict, "__builtins__", wh.machine_builtins);
        PyDict_SetItemString(dict, "native", wh.native);
        code = Py_CompileStringObject(PyUnicode_AsUTF8(source), filename, Py_file_input, NULL, -1);
        r = code ? PyEval_EvalCode(code, dict, dict) : NULL;
    }
    int result = r && PyObject_SetAttr(wh.native, label, module) == 0 ? 0 : build_failed(1);
    Py_XDECREF(label);
    Py_XDECREF(source);
    Py_XDECREF(filename);
    Py_XDECREF(module);
    Py_XDECREF(code);
    Py_XDECREF(r);
    return result;
}

/* Runs a cell as a host would. */
static void warm_up(const char *text, Py_ssize_t n) {
    struct wh_start_in *in = (struct wh_start_in *)in_buf;
    *in = (struct wh_start_in){.cell = 1, .flags = WH_START_SEED, .value_bytes = 1 << 20, .value_depth = 64, .text_chars = 10000};
    in->source_len = (uint32_t)Py_MIN((size_t)n, sizeof in_buf - sizeof *in);
    memcpy(in + 1, text, in->source_len);
    for (int32_t status = (int32_t)wh_start(in, sizeof in_buf)->status; status == WH_WAITING;)
        status = (int32_t)wh_resume("{}", 2)->status;
}

/* The cells of prelude/90_warm.py. Nothing of them stays but what the interpreter has learned. */
static int run_warm_ups(void) {
    PyObject *module = PyObject_GetAttrString(wh.native, "warm"), *names = PyDict_Copy(wh.main_dict);
    PyObject *cells = module ? PyObject_GetAttrString(module, "CELLS") : NULL;
    if (!cells || !names || !PyList_Check(cells)) return -1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(cells); i++) {
        Py_ssize_t n;
        const char *text = PyUnicode_AsUTF8AndSize(PyList_GET_ITEM(cells, i), &n);
        if (!text) return -1;
        warm_up(text, n);
    }
    begin_export();
    memset(in_buf, 0, sizeof in_buf);
    PyDict_Clear(wh.main_dict);
    PyDict_Update(wh.main_dict, names);
    PyDict_Clear(wh.sources);
    PyDict_Clear(wh.line_cache);
    for (int i = 0; i < 2; i++) PyDict_SetItemString(wh.builtins_dict, i ? "__" : "_", Py_None);
    Py_DECREF(module);
    Py_DECREF(cells);
    Py_DECREF(names);
    return PyErr_Occurred() ? -1 : 0;
}

int32_t wh_seal(void) {
    for (int i = 0; i < WH_HOOKS; i++)
        if (!wh.hooks[i]) return build_failed(10 + i);
    wh.line_cache = PyObject_GetAttrString(PyImport_AddModule("linecache"), "cache");
    if (!wh.line_cache || !wh.session || !wh.tasks) return build_failed(2);
    if (wh_setup_end() < 0) return build_failed(3);
    if (run_warm_ups() < 0) return build_failed(4);
    wh_freeze();
    wh_out_flush();
    return 0;
}

const struct wh_info *wh_describe(void) {
    static struct wh_info info;
    info = (struct wh_info){.magic = WH_MAGIC, .abi_version = WH_ABI_VERSION};
    info.in_buf = (uint32_t)(uintptr_t)in_buf;
    info.in_cap = IN_CAP;
    wh_out_describe(&info);
    wh_stop_describe(&info);
    return &info;
}
