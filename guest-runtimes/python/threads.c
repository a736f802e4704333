/* Waiting for another thread, where there is none. The libc traps in pthread_cond_wait, since nobody could ever signal the
 * condition; that would cost a session. Here the wait ends as if by a signal whose handler raises: CPython's locks run pending
 * calls then, and pass on what those raise. */
#include "guest.h"

#include <pthread.h>

enum { PATIENCE = 10000 }; /* of locks that do not look at pending calls: those of the interpreter itself */

static PyObject *deadlock_error;
static int waits;

static int raise_deadlock(void *unused) {
    (void)unused;
    waits = 0;
    PyErr_SetString(deadlock_error, "waiting for a lock or a queue that nothing can release: there are no threads in this sandbox");
    return -1;
}

int pthread_cond_wait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex) {
    (void)condition, (void)mutex;
    if (waits++ == 0) Py_AddPendingCall(raise_deadlock, NULL);
    if (waits > PATIENCE) __builtin_trap();
    return 0;
}

PyObject *wh_threads_init(void) {
    static const char doc[] = "Nothing that is left can end the wait.";
    deadlock_error = PyErr_NewExceptionWithDoc("builtins.DeadlockError", doc, PyExc_RuntimeError, NULL);
    return deadlock_error;
}
