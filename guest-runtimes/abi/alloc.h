/* The allocator that both guests are linked with, in place of the libc's. */
#ifndef WASMHOST_ALLOC_H
#define WASMHOST_ALLOC_H

#include <stdbool.h>
#include <stdlib.h>

/* Whether malloc would give that much. (Of a malloc whose result is only freed, a compiler assumes that it succeeds.) */
static inline bool wh_has_room(size_t n) {
    void *volatile probe = malloc(n);
    bool room = probe != NULL;
    free(probe);
    return room;
}

extern bool wh_memory_was_short; /* malloc has failed since this was last set to false */

#endif
