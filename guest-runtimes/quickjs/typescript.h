/* TypeScript to JavaScript of the same lines, as far as possible of the same columns. Knows nothing of the engine. */
#ifndef WASMHOST_TYPESCRIPT_H
#define WASMHOST_TYPESCRIPT_H

#include <stddef.h>
#include <stdint.h>

enum ts_status {
    TS_ERASED, /* text is JavaScript */
    TS_ERROR,  /* the source has an error at `at`, which `message` tells; text is what could be made of it all the same */
    TS_REFUSED, /* the source is well formed, and something in it at `at` is not supported */
    TS_STOPPED, /* *stop was set */
    TS_MEMORY,
};

struct ts_erased {
    enum ts_status status;
    char *text; /* of the libc's heap, with a zero after it; NULL where there is none */
    size_t len;
    uint32_t at; /* an offset in bytes */
    char message[160];
};

/* Once, at build time: what is looked up by name. */
void ts_prepare(void);
void ts_erase(const char *src, size_t len, const volatile uint32_t *stop, struct ts_erased *out);
#endif
