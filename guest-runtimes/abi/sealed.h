/* The sealed system layer that both guests link first: the system functions of the libc, output buffers, clock, random. */
#ifndef WASMHOST_SEALED_H
#define WASMHOST_SEALED_H

#include <stddef.h>

#include "wasmhost_abi.h"

#define WH_OUT_CAP 8192u

/* Appends to the buffer of fd (1 or 2); goes to the host when the buffer is full, with WH_START_LIVE at each newline, and
 * before the other stream is written to, so that the order of the two is kept. */
void wh_out_write(int fd, const void *p, size_t n);
void wh_out_flush(void);
void wh_out_live(int live);
/* Whether what is written from now on is the output of what an earlier cell has left. */
void wh_out_background(int on);
/* Fills out_buf, out_len, out_cap of info. */
void wh_out_describe(struct wh_info *info);

#endif
