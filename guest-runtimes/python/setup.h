#ifndef WASMHOST_PYTHON_SETUP_H
#define WASMHOST_PYTHON_SETUP_H

#include <stdint.h>

int wh_setup(void);     /* before the prelude is loaded; 0: well */
int wh_setup_end(void); /* after it */
void wh_freeze(void);   /* freeze.c: the last thing before the image is taken */
/* What every cell may rely on, whatever the one before it did. */
void wh_restore_namespace(void);
void wh_seed(const uint8_t seed[32]);

#endif
