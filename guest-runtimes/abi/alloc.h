/* The allocator that both guests are linked with, in place of the libc's. */
#ifndef WASMHOST_ALLOC_H
#define WASMHOST_ALLOC_H

#include <stdbool.h>

extern bool wh_memory_was_short; /* malloc has failed since this was last set to false */

#endif
