/* The exports. See wasmhost_abi.h. */
#include "run.h"
#include "setup.h"

#include <stdlib.h>
#include <string.h>

enum { IN_CAP = 64 * 1024 };

struct wh_guest wh;
static uint8_t in_buf[IN_CAP] __attribute__((aligned(16)));

/* ---- cells --------------------------------------------------------------------------------------------------------- */

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
    PyObject *filename = PyUnicode_FromFormat("<cell %u>", wh_run.number), *source = wh_cell_source(text, n);
    int r = -1;
    if (filename && source) {
        keep_source(filename, source);
        r = wh_cell_compile(&code, source, filename);
    }
    Py_XDECREF(filename);
    Py_XDECREF(source);
    if (r < 0) return wh_fail_raised();
    const struct wh_frame *f;
    if (code.async) f = wh_task_start(wh_cell_coroutine(&code));
    else {
        PyObject *v = run_in_context(&code);
        f = v ? wh_finish(v) : wh_fail_raised();
    }
    wh_cell_forget(&code);
    return f;
}

/* Calls a hook with a text of the host. */
static PyObject *hook_with_text(enum wh_hook hook, const char *text, size_t n) {
    PyObject *str = PyUnicode_DecodeUTF8(text, (Py_ssize_t)n, "surrogatepass"), *r = str ? wh_call_hook(hook, &str, 1) : NULL;
    Py_XDECREF(str);
    return r;
}

static void begin_export(void) {
    wh_stop_clear();
    wh_result_begin();
}

static const struct wh_frame *misuse(const char *what) {
    PyErr_SetString(PyExc_SystemError, what);
    return wh_fail_raised();
}

/* The host has started another cell without having ended one that waits. */
static void abandon(void) {
    PyObject *type = PyUnicode_FromString("CancelledError"), *message = PyUnicode_FromString("another cell was started");
    if (type && message) {
        wh_task_cancel(type, message);
        wh_task_go_on();
    }
    PyErr_Clear();
    Py_XDECREF(type);
    Py_XDECREF(message);
    begin_export();
    wh_note("the cell before this one was still waiting and has been cancelled");
}

/* No instance may run with the random numbers of the image, should the host forget the seed. */
static void seed_anyway(void) {
    uint8_t seed[32];
    wh_host_random(seed, sizeof seed);
    wh_seed(seed);
}

const struct wh_frame *wh_start(const struct wh_start_in *in, uint32_t n) {
    begin_export();
    if (n < sizeof *in || in->source_len > n - sizeof *in || in->tools_len > n - sizeof *in - in->source_len)
        return misuse("malformed input of wh_start");
    if (wh_run.task) abandon();
    wh.background = false;
    wh_out_background(false);
    wh_run.number = in->cell;
    wh_run.limits = (struct wh_limits){.bytes = in->value_bytes, .depth = in->value_depth};
    wh_run.text_chars = in->text_chars;
    wh_out_live(in->flags & WH_START_LIVE);
    const char *source = (const char *)(in + 1);
    if (in->flags & WH_START_TOOLS) {
        PyObject *r = hook_with_text(WH_HOOK_TOOLS, source + in->source_len, in->tools_len);
        if (!r) return wh_fail_raised();
        Py_DECREF(r);
    }
    wh_run.resolving = false;
    if (in->flags & WH_START_LOOK) {
        PyObject *v = hook_with_text(WH_HOOK_LOOK, source, in->source_len);
        return v ? wh_finish(v) : wh_fail_raised();
    }
    wh_restore_namespace();
    if (wh.helpers) {
        PyObject *begins = Py_True;
        Py_XDECREF(wh_call_hook(WH_HOOK_PREPARED, &begins, 1));
        PyErr_Clear();
    }
    if (in->flags & WH_START_SEED) wh_seed(in->seed);
    else if (!wh.seeded) seed_anyway();
    if (in->flags & WH_START_HANDLER) return wh_task_start(hook_with_text(WH_HOOK_HANDLER, source, in->source_len));
    return run_cell(source, in->source_len);
}

const struct wh_frame *wh_resume(const char *json, uint32_t n) {
    begin_export();
    if (!wh_run.task) return misuse("wh_resume without a cell that waits");
    PyObject *bytes = PyBytes_FromStringAndSize(json, n);
    PyObject *cancel = bytes ? wh_call_hook(WH_HOOK_SETTLE, &bytes, 1) : NULL; /* None or (type, message) */
    Py_XDECREF(bytes);
    if (!cancel) {
        PyObject *exc = PyErr_GetRaisedException();
        if (PyErr_GivenExceptionMatches(exc, wh.stop_type)) wh_task_stop();
        Py_DECREF(exc);
    } else if (PyTuple_Check(cancel)) wh_task_cancel(PyTuple_GET_ITEM(cancel, 0), PyTuple_GET_ITEM(cancel, 1));
    Py_XDECREF(cancel);
    return wh_task_go_on();
}

void *wh_alloc(uint32_t n) { return malloc(n ? n : 1); }
void wh_free(void *p) { free(p); }

/* ---- build --------------------------------------------------------------------------------------------------------- */

/* The build prints what went wrong; at run time no such message exists. */
static int build_failed(int code) {
    if (PyErr_Occurred()) PyErr_Print();
    wh_out_flush();
    return code;
}

int32_t wh_init(void) {
    int r = wh_result_init() < 0 ? 6 : wh_setup();
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
    wh_remember(Py_None);
    wh_remember(Py_None);
    wh.seeded = wh.seeded_by_user = false;
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
