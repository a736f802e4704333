/* Compiles Python source to marshalled code objects: CPython 3.13 before it has a single frozen module, linked as a small
 * reactor that the build runs in wasmtime. It takes the place of the native Python of the same version that a cross build
 * asks for otherwise, so the build needs no compiler for the machine it runs on. Modelled on Programs/_freeze_module.c. */
#include <Python.h>

#include <marshal.h>
#include <pycore_import.h>
#include <stdlib.h>
#include <string.h>

#include "wasmhost_abi.h"

static const struct _frozen no_modules[] = {{0}};
static const struct _module_alias no_aliases[] = {{0}};

const struct _frozen *_PyImport_FrozenBootstrap = no_modules;
const struct _frozen *_PyImport_FrozenStdlib = no_modules;
const struct _frozen *_PyImport_FrozenTest = no_modules;
const struct _frozen *PyImport_FrozenModules = no_modules;
const struct _module_alias *_PyImport_FrozenAliases = no_aliases;

static PyObject *last;

WH_EXPORT(freezer_alloc) void *freezer_alloc(uint32_t n) { return malloc(n); }
WH_EXPORT(freezer_free) void freezer_free(void *p) { free(p); }

WH_EXPORT(freezer_init) int32_t freezer_init(void)
{
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    config.use_hash_seed = 1;
    config.hash_seed = 0;
    config._install_importlib = 0; /* there is nothing yet that it could be loaded from */
    config._init_main = 0;
    PyStatus status = PyConfig_SetString(&config, &config.program_name, L"freezer");
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (!PyStatus_Exception(status))
        return 0;
    fprintf(stderr, "%s: %s\n", status.func ? status.func : "freezer_init", status.err_msg ? status.err_msg : "?");
    return 1;
}

/* name and source end with a zero byte, source is UTF-8. The result is null after an error, which is printed. */
WH_EXPORT(freezer_compile) const char *freezer_compile(const char *name, const char *source)
{
    Py_CLEAR(last);
    PyCompilerFlags flags = _PyCompilerFlags_INIT;
    flags.cf_flags = PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE;
    PyObject *filename = PyUnicode_FromFormat("<frozen %s>", name);
    PyObject *code = filename ? Py_CompileStringObject(source, filename, Py_file_input, &flags, 0) : NULL;
    last = code ? PyMarshal_WriteObjectToString(code, Py_MARSHAL_VERSION) : NULL;
    Py_XDECREF(code);
    Py_XDECREF(filename);
    if (last)
        return PyBytes_AS_STRING(last);
    PyErr_Print();
    return NULL;
}

WH_EXPORT(freezer_size) uint32_t freezer_size(void) { return last ? (uint32_t)PyBytes_GET_SIZE(last) : 0; }
