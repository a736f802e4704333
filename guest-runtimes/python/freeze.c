/* Makes the heap of the image immortal. Reference counts of modules, functions, code objects, names and constants would
 * otherwise be written all the time, and each such write costs a private page in every sandbox. What is in the image stays
 * for good anyway: no instance gives memory of the image back. */
#include "guest.h"
#include "setup.h"

#include <stdlib.h>

#include "pycore_gc.h"
#include "pycore_interp.h"
#include "pycore_unicodeobject.h"

static int visit(PyObject *o, void *unused);

static void visit_code(PyCodeObject *code) {
    PyObject *const parts[] = {
        code->co_consts,          code->co_names,    code->co_exceptiontable, code->co_localsplusnames,
        code->co_localspluskinds, code->co_filename, code->co_name,           code->co_qualname,
        code->co_linetable,
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(parts); i++) visit(parts[i], NULL);
}

/* The collector does not know code objects, and it has untracked tuples and dicts that hold nothing it cares for. */
static int visit(PyObject *o, void *unused) {
    (void)unused;
    if (!o || _Py_IsImmortal(o)) return 0;
    o->ob_refcnt = _Py_IMMORTAL_REFCNT;
    if (PyCode_Check(o)) visit_code((PyCodeObject *)o);
    else if (PyObject_IS_GC(o) && !_PyObject_GC_IS_TRACKED(o) && Py_TYPE(o)->tp_traverse) Py_TYPE(o)->tp_traverse(o, visit, NULL);
    return 0;
}

/* ---- holes --------------------------------------------------------------------------------------------------------- */

/* Free blocks lie scattered over the heap that the build has left behind, and an allocation in such a hole costs a page of its
 * own. They are filled for good, so that what a sandbox allocates lies close together. */

enum { POOL = 4096, SMALL = 512, STEP = 8, LARGE = 128 * 1024 };

/* A pool of pymalloc begins with the number of its blocks in use. */
static uint32_t blocks_in_use(void *block) { return *(uint32_t *)((uintptr_t)block & ~(uintptr_t)(POOL - 1)); }

static void fill_pools(void) {
    for (size_t size = STEP; size <= SMALL; size += STEP) {
        void *block;
        do block = PyObject_Malloc(size);
        while (block && blocks_in_use(block) != 1);
        PyObject_Free(block); /* of a pool that was empty, and is again */
    }
}

static void fill_malloc(void) {
    char *top = malloc(LARGE); /* above all holes that are smaller */
    for (size_t size = LARGE; size >= 16; size -= size > 4096 ? 1024 : 16) {
        char *p;
        do p = malloc(size);
        while (p && p < top);
        free(p);
    }
    free(top);
}

void wh_freeze(void) {
    PyInterpreterState *interp = wh.ts->interp;
    PyGC_Collect();
    _PyGC_Freeze(interp);
    PyGC_Head *list = &interp->gc.permanent_generation.head;
    for (PyGC_Head *g = _PyGCHead_NEXT(list); g != list; g = _PyGCHead_NEXT(g)) {
        PyObject *o = _Py_FROM_GC(g);
        o->ob_refcnt = _Py_IMMORTAL_REFCNT;
        Py_TYPE(o)->tp_traverse(o, visit, NULL);
    }
    fill_pools();
    fill_malloc();
}
