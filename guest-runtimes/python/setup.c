/* Making the interpreter, once, when the image is built; and putting its namespace in order before each cell. */
#include "guest.h"
#include "setup.h"

#include <string.h>

#include "pycore_import.h"
#include "pycore_interp.h"
#include "pycore_pystate.h"
#include "pycore_tstate.h"

extern const struct _frozen wh_frozen[];
extern PyObject *PyInit__sqlite3(void);

static PyObject *text_io, *file_io, *modules_copy, *finders_copy, *random_seed, *random_instance;

/* ---- the interpreter ----------------------------------------------------------------------------------------------- */

static int start_interpreter(void) {
    PyPreConfig pre;
    PyConfig config;
    PyImport_FrozenModules = wh_frozen;
    if (PyImport_AppendInittab("_sqlite3", PyInit__sqlite3) < 0) return -1;
    PyPreConfig_InitIsolatedConfig(&pre);
    pre.utf8_mode = 1;
    pre.configure_locale = 0;
    if (PyStatus_Exception(Py_PreInitialize(&pre))) return -1;

    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    config.module_search_paths_set = 1; /* and none are set: nothing is looked for in files */
    config.use_frozen_modules = 1;
    config.install_signal_handlers = 0;
    config.pathconfig_warnings = 0;
    config.write_bytecode = 0;
    config.use_hash_seed = 1; /* one image for all: fixed, as everything in it */
    config.hash_seed = 0;
    config.parse_argv = 0;
    config.faulthandler = 0;
    config.buffered_stdio = 0;
    PyConfig_SetString(&config, &config.program_name, L"python");
    wchar_t **const empty[] = {&config.executable,  &config.base_executable,  &config.prefix,     &config.exec_prefix,
                               &config.base_prefix, &config.base_exec_prefix, &config.stdlib_dir, &config.home};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(empty); i++) PyConfig_SetString(&config, empty[i], L"");
    PyStatus status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    return PyStatus_Exception(status) ? -1 : 0;
}

/* ---- streams ------------------------------------------------------------------------------------------------------- */

static PyObject *attr(const char *module, const char *name) {
    PyObject *m = PyImport_ImportModule(module), *v = m ? PyObject_GetAttrString(m, name) : NULL;
    Py_XDECREF(m);
    return v;
}

/* Writes through, since wh_out_write has a buffer; never fails for want of an encoding. */
static PyObject *make_stream(int fd) {
    PyObject *raw = PyObject_CallFunction(file_io, "isO", fd, "wb", Py_False), *stream = NULL;
    PyObject *name = PyUnicode_FromString(fd == 1 ? "<stdout>" : "<stderr>");
    if (raw && name && PyObject_SetAttrString(raw, "name", name) == 0)
        stream = PyObject_CallFunction(text_io, "OsssOO", raw, "utf-8", "backslashreplace", "\n", Py_False, Py_True);
    PyObject *mode = PyUnicode_FromString("w");
    if (stream && mode) PyObject_SetAttrString(stream, "mode", mode);
    Py_XDECREF(mode);
    Py_XDECREF(name);
    Py_XDECREF(raw);
    return stream;
}

static const char *const stream_names[2][2] = {{"stdout", "__stdout__"}, {"stderr", "__stderr__"}};

static int install_stream(int i) {
    PyObject *stream = make_stream(i + 1);
    if (!stream) return -1;
    Py_XSETREF(wh.out[i], stream);
    PySys_SetObject(stream_names[i][0], stream);
    return PySys_SetObject(stream_names[i][1], stream);
}

static bool is_usable(PyObject *stream) {
    PyObject *closed = PyObject_GetAttrString(stream, "closed"); /* raises when detached */
    bool usable = closed == Py_False;
    PyErr_Clear();
    Py_XDECREF(closed);
    return usable;
}

/* A cell that redirects output and fails before it puts things right must not silence all cells after it. */
static void restore_stream(int i) {
    PyObject *now = PySys_GetObject(stream_names[i][0]);
    if (!is_usable(wh.out[i])) install_stream(i);
    else if (now != wh.out[i]) PySys_SetObject(stream_names[i][0], wh.out[i]);
    PyErr_Clear();
}

/* ---- the namespace ------------------------------------------------------------------------------------------------- */

static PyObject *name_builtins, *name_name, *name_main, *name_registry, *name_sys, *name_tools;

static int intern_names(void) {
    name_builtins = PyUnicode_InternFromString("__builtins__");
    name_name = PyUnicode_InternFromString("__name__");
    name_main = PyUnicode_InternFromString("__main__");
    name_registry = PyUnicode_InternFromString("__warningregistry__");
    name_tools = PyUnicode_InternFromString("tools");
    name_sys = PyUnicode_InternFromString("sys");
    wh.name_last = PyUnicode_InternFromString("_");
    wh.name_before_last = PyUnicode_InternFromString("__");
    return PyErr_Occurred() ? -1 : 0;
}

static void ensure(PyObject *dict, PyObject *name, PyObject *value, bool exactly) {
    PyObject *now = PyDict_GetItemWithError(dict, name);
    if (!now || (exactly && now != value)) PyDict_SetItem(dict, name, value);
    PyErr_Clear();
}

static void restore_modules(void) {
    PyObject *modules = wh.ts->interp->imports.modules;
    if (PySys_GetObject("modules") != modules) PySys_SetObject("modules", modules);
    if (!PyDict_CheckExact(modules)) return;
    if (!PyDict_GetItemWithError(modules, name_sys)) PyDict_Merge(modules, modules_copy, 0);
    ensure(modules, name_main, wh.main_module, true);
    PyObject *finders = PySys_GetObject("meta_path");
    if (!finders || !PyList_CheckExact(finders) || PyList_GET_SIZE(finders) == 0) {
        finders = PyList_GetSlice(finders_copy, 0, PyList_GET_SIZE(finders_copy));
        if (finders) PySys_SetObject("meta_path", finders);
        Py_XDECREF(finders);
    }
}

static int builtins_watcher(PyDict_WatchEvent event, PyObject *dict, PyObject *key, PyObject *value) {
    (void)dict;
    if (key == wh.name_last || key == wh.name_before_last) return 0;
    if (event == PyDict_EVENT_ADDED || (event == PyDict_EVENT_MODIFIED && PyCallable_Check(value))) return 0;
    wh.builtins_changed = true;
    return 0;
}

/* A function that was replaced by another stays so, like in any Python session; what was deleted or made useless comes back. */
static void restore_builtins(void) {
    Py_ssize_t pos = 0;
    PyObject *name, *value;
    if (!wh.builtins_changed) return;
    while (PyDict_Next(wh.machine_builtins, &pos, &name, &value)) {
        PyObject *now = PyDict_GetItemWithError(wh.builtins_dict, name);
        if (!now || (PyCallable_Check(value) && !PyCallable_Check(now))) PyDict_SetItem(wh.builtins_dict, name, value);
    }
    PyErr_Clear();
    wh.builtins_changed = false;
}

void wh_restore_namespace(void) {
    ensure(wh.main_dict, name_builtins, wh.builtins, true);
    ensure(wh.main_dict, name_name, name_main, false);
    if (wh.tools) ensure(wh.main_dict, name_tools, wh.tools, true);
    /* "once per line" is kept by line number alone, and every cell has a line 1 */
    PyObject *registry = PyDict_GetItemWithError(wh.main_dict, name_registry);
    if (registry) PyDict_DelItem(wh.main_dict, name_registry);
    Py_CLEAR(((_PyThreadStateImpl *)wh.ts)->asyncio_running_loop); /* a cell may have set it by hand */
    Py_CLEAR(wh.ts->interp->audit_hooks); /* one that raises would refuse every cell to come */
    restore_modules();
    restore_builtins();
    restore_stream(0);
    restore_stream(1);
    PyErr_Clear();
}

/* ---- random numbers ------------------------------------------------------------------------------------------------ */

void wh_seed(const uint8_t seed[32]) {
    if (!wh.seeded) wh_clock_begin();
    wh.seeded = true;
    /* The top bit is set, so that seeding takes the same number of steps for each seed: equal programs use equal fuel. */
    uint8_t number[32];
    memcpy(number, seed, sizeof number);
    number[31] |= 0x80;
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)seed, 32), *r;
    PyObject *n = _PyLong_FromByteArray(number, sizeof number, 1, 0);
    if (n && !wh.seeded_by_user) {
        r = PyObject_CallFunctionObjArgs(random_seed, random_instance, n, NULL);
        Py_XDECREF(r);
        PyObject_SetAttrString(random_instance, "gauss_next", Py_None);
    }
    if (bytes && wh.hooks[WH_HOOK_RESEED]) {
        r = wh_call_hook(WH_HOOK_RESEED, &bytes, 1);
        Py_XDECREF(r);
    }
    Py_XDECREF(n);
    Py_XDECREF(bytes);
    PyErr_Clear();
}

/* ---- all together -------------------------------------------------------------------------------------------------- */

static int find_main(void) {
    wh.main_module = PyImport_AddModuleRef("__main__");
    wh.builtins = PyImport_ImportModule("builtins");
    if (!wh.main_module || !wh.builtins) return -1;
    wh.main_dict = Py_NewRef(PyModule_GetDict(wh.main_module));
    wh.builtins_dict = Py_NewRef(PyModule_GetDict(wh.builtins));
    PyDict_SetItemString(wh.main_dict, "__builtins__", wh.builtins);
    wh.sources = PyDict_New();
    wh.context = PyContext_New();
    return wh.sources && wh.context ? 0 : -1;
}

int wh_setup(void) {
    if (start_interpreter() < 0) return 1;
    wh.ts = PyThreadState_Get();
    if (find_main() < 0 || intern_names() < 0) return 2;
    text_io = attr("io", "TextIOWrapper");
    file_io = attr("io", "FileIO");
    if (!text_io || !file_io || install_stream(0) < 0 || install_stream(1) < 0) return 3;
    if (wh_stop_init() < 0 || wh_stop_install() < 0 || wh_loop_init() < 0 || wh_cell_init() < 0) return 4;
    wh.native = wh_native_create();
    wh.machine_builtins = PyDict_Copy(wh.builtins_dict);
    return wh.native && wh.machine_builtins ? 0 : 5;
}

int wh_setup_end(void) {
    PyObject *type = attr("_random", "Random");
    random_instance = attr("random", "_inst");
    random_seed = type ? PyObject_GetAttrString(type, "seed") : NULL;
    Py_XDECREF(type);
    if (!random_instance || !random_seed || wh_encode_init() < 0 || wh_float_init() < 0) return -1;
    /* Builtins that the prelude has added are part of what comes back. `_` and `__` get their places now: a new key later
     * would undo what the interpreter has learned about every builtin name. */
    PyDict_SetItem(wh.builtins_dict, wh.name_last, Py_None);
    PyDict_SetItem(wh.builtins_dict, wh.name_before_last, Py_None);
    PyDict_Update(wh.machine_builtins, wh.builtins_dict);
    modules_copy = PyDict_Copy(wh.ts->interp->imports.modules);
    finders_copy = PySequence_List(PySys_GetObject("meta_path"));
    int watcher = PyDict_AddWatcher(builtins_watcher);
    if (watcher < 0 || PyDict_Watch(watcher, wh.builtins_dict) < 0) return -1;
    return modules_copy && finders_copy ? 0 : -1;
}
