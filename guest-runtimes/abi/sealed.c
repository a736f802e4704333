/* The sealed system layer. Defining every __imported_wasi_snapshot_preview1_* symbol here, first on the link line, wins over
 * the import declarations of the libc: the finished module has no WASI import, so there is nothing a host could configure
 * wrongly. What a guest may have (output, clock, random, sleep, exit) goes to the imports of wasmhost_abi.h; the rest is
 * refused with the errno that a system without files and sockets gives. */
#include "sealed.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* By nature nearly every function below ignores its parameters, and the refusals do not even name them. */
#pragma clang diagnostic ignored "-Wunused-parameter"
#pragma clang diagnostic ignored "-Wc23-extensions"
#pragma clang diagnostic ignored "-Wmissing-prototypes"

enum { OK = 0, BADF = 8, INVAL = 28, NOENT = 44, NOSYS = 52, SPIPE = 70 };

#define WASI(name) __imported_wasi_snapshot_preview1_##name
#define REFUSE(name, code, ...) \
    int32_t WASI(name)(__VA_ARGS__) { return code; }

typedef int32_t i32;
typedef int64_t i64;

static bool is_std(i32 fd) { return fd >= 0 && fd <= 2; }

/* ---- output -------------------------------------------------------------------------------------------------- */

/* The counters lie apart from the bytes: a cell that prints nothing touches only this line of memory. */
static struct {
    uint32_t len[2]; /* with BACKGROUND where the bytes are of that kind */
    bool live, background;
} out;
#define BACKGROUND 0x80000000u
static char out_bytes[2][WH_OUT_CAP] __attribute__((aligned(16)));

static void flush_one(int i) {
    uint32_t n = out.len[i];
    if (n == 0) return;
    out.len[i] = 0;
    wh_host_write(i + (n & BACKGROUND ? 3 : 1), out_bytes[i], n & ~BACKGROUND);
}

void wh_out_flush(void) {
    flush_one(0);
    flush_one(1);
}

void wh_out_live(int live) {
    if (out.live != (live != 0)) out.live = live != 0; /* a write would cost every instance the page */
}

void wh_out_background(int on) {
    if (out.background != (on != 0)) out.background = on != 0;
}

void wh_out_write(int fd, const void *p, size_t n) {
    int i = fd - 1;
    if ((i != 0 && i != 1) || n == 0) return;
    uint32_t mark = out.background ? BACKGROUND : 0;
    flush_one(!i); /* at most one stream holds bytes at any time, so that the host sees both in order */
    if ((out.len[i] & BACKGROUND) != mark || n > WH_OUT_CAP - (out.len[i] & ~BACKGROUND)) flush_one(i);
    if (n > WH_OUT_CAP) {
        wh_host_write(fd + (mark ? 2 : 0), p, (uint32_t)n);
        return;
    }
    memcpy(out_bytes[i] + (out.len[i] & ~BACKGROUND), p, n);
    out.len[i] = (out.len[i] + (uint32_t)n) | mark;
    if (out.live && memchr(p, '\n', n)) flush_one(i);
}

void wh_out_describe(struct wh_info *info) {
    for (int i = 0; i < 2; i++) {
        info->out_buf[i] = (uint32_t)(uintptr_t)out_bytes[i];
        info->out_len[i] = (uint32_t)(uintptr_t)&out.len[i];
    }
    info->out_cap = WH_OUT_CAP;
}

struct iovec_in {
    const char *p;
    uint32_t n;
};

i32 WASI(fd_write)(i32 fd, const struct iovec_in *v, i32 count, uint32_t *written) {
    uint32_t total = 0;
    if (fd != 1 && fd != 2) return BADF;
    for (i32 k = 0; k < count; k++) {
        wh_out_write(fd, v[k].p, v[k].n);
        total += v[k].n;
    }
    *written = total;
    return OK;
}

/* ---- clock, random, sleep, exit ------------------------------------------------------------------------------ */

enum { CLOCK_REAL = 0, CLOCK_MONO = 1 };

/* Processor-time clocks (2, 3) have no meaning of their own here: the monotonic one stands in for them. */
static i64 now(i32 id) { return wh_host_clock(id == CLOCK_REAL ? CLOCK_REAL : CLOCK_MONO); }

i32 WASI(clock_time_get)(i32 id, i64 precision, i64 *t) {
    if (id < 0 || id > 3) return INVAL;
    *t = now(id);
    return OK;
}

i32 WASI(clock_res_get)(i32 id, i64 *res) {
    if (id < 0 || id > 3) return INVAL;
    *res = 1;
    return OK;
}

i32 WASI(random_get)(void *p, uint32_t n) {
    wh_host_random(p, n);
    return OK;
}

_Noreturn void WASI(proc_exit)(i32 code) {
    wh_out_flush();
    wh_host_exit(code);
}

i32 WASI(sched_yield)(void) { return OK; }

enum { SUB_CLOCK = 0, SUB_READ = 1, SUB_WRITE = 2, SUB_ABSTIME = 1 };

struct subscription {
    uint64_t userdata;
    uint8_t tag;
    union {
        struct {
            i32 id;
            i64 timeout, precision;
            uint16_t flags;
        } clock;
        struct {
            i32 fd;
        } io;
    } u;
};
_Static_assert(sizeof(struct subscription) == 48, "layout of preview1");

struct event {
    uint64_t userdata;
    uint16_t error;
    uint8_t type;
    uint64_t nbytes;
    uint16_t flags;
};
_Static_assert(sizeof(struct event) == 32, "layout of preview1");

static struct event event_of(const struct subscription *s, uint16_t error) {
    return (struct event){.userdata = s->userdata, .error = error, .type = s->tag};
}

static i64 time_left(const struct subscription *s) {
    i64 t = s->u.clock.timeout;
    if (s->u.clock.flags & SUB_ABSTIME) t -= now(s->u.clock.id);
    return t > 0 ? t : 0;
}

/* A descriptor is ready at once (standard streams) or wrong at once; so time passes only if there are clocks alone. A stop
 * request during the wait is told as the end of the wait: the interpreter then comes to its loop, where it sees the flag. */
i32 WASI(poll_oneoff)(const struct subscription *in, struct event *events, i32 n, i32 *stored) {
    const struct subscription *first = NULL;
    i32 k = 0;
    if (n < 1) return INVAL;
    for (i32 i = 0; i < n; i++) {
        if (in[i].tag == SUB_CLOCK) {
            if (!first || time_left(&in[i]) < time_left(first)) first = &in[i];
        } else {
            events[k++] = event_of(&in[i], is_std(in[i].u.io.fd) ? OK : BADF);
        }
    }
    if (k == 0 && first) {
        i64 ns = time_left(first);
        wh_out_flush();
        if (ns > 0) wh_host_sleep(ns);
        events[k++] = event_of(first, OK);
    }
    *stored = k;
    return OK;
}

/* ---- nothing to start with ----------------------------------------------------------------------------------- */

static i32 no_strings(uint32_t *count, uint32_t *size) {
    *count = *size = 0;
    return OK;
}
i32 WASI(args_sizes_get)(uint32_t *count, uint32_t *size) { return no_strings(count, size); }
i32 WASI(environ_sizes_get)(uint32_t *count, uint32_t *size) { return no_strings(count, size); }
REFUSE(args_get, OK, void *, void *)
REFUSE(environ_get, OK, void *, void *)

/* ---- the standard streams as descriptors --------------------------------------------------------------------- */

struct fdstat {
    uint8_t filetype; /* 0, unknown: neither a file nor a terminal */
    uint16_t flags;
    uint64_t rights, rights_inherited;
};
enum { RIGHT_READ = 1 << 1, RIGHT_WRITE = 1 << 6 };

i32 WASI(fd_fdstat_get)(i32 fd, struct fdstat *s) {
    if (!is_std(fd)) return BADF;
    *s = (struct fdstat){.rights = fd ? RIGHT_WRITE : RIGHT_READ};
    return OK;
}

i32 WASI(fd_filestat_get)(i32 fd, void *stat) {
    if (!is_std(fd)) return BADF;
    memset(stat, 0, 64);
    return OK;
}

i32 WASI(fd_read)(i32 fd, const void *v, i32 count, uint32_t *read) {
    if (fd != 0) return BADF;
    *read = 0; /* end of file */
    return OK;
}

static i32 close_std(i32 fd) { return is_std(fd) ? OK : BADF; }
static i32 no_seek(i32 fd) { return is_std(fd) ? SPIPE : BADF; }
i32 WASI(fd_close)(i32 fd) { return close_std(fd); }
i32 WASI(fd_seek)(i32 fd, i64 offset, i32 whence, void *pos) { return no_seek(fd); }
i32 WASI(fd_tell)(i32 fd, void *pos) { return no_seek(fd); }

/* zig's libc has a close of its own that imports fd_close past the symbol above. */

int close(int fd);
int close(int fd) {
    if (close_std(fd) == OK) return 0;
    errno = EBADF;
    return -1;
}

/* ---- refused ------------------------------------------------------------------------------------------------- */

REFUSE(fd_advise, BADF, i32, i64, i64, i32)
REFUSE(fd_allocate, BADF, i32, i64, i64)
REFUSE(fd_datasync, BADF, i32)
REFUSE(fd_fdstat_set_flags, BADF, i32, i32)
REFUSE(fd_fdstat_set_rights, BADF, i32, i64, i64)
REFUSE(fd_filestat_set_size, BADF, i32, i64)
REFUSE(fd_filestat_set_times, BADF, i32, i64, i64, i32)
REFUSE(fd_pread, BADF, i32, i32, i32, i64, i32)
REFUSE(fd_prestat_get, BADF, i32, i32)
REFUSE(fd_prestat_dir_name, BADF, i32, i32, i32)
REFUSE(fd_pwrite, BADF, i32, i32, i32, i64, i32)
REFUSE(fd_readdir, BADF, i32, i32, i32, i64, i32)
REFUSE(fd_renumber, BADF, i32, i32)
REFUSE(fd_sync, BADF, i32)
REFUSE(path_create_directory, NOSYS, i32, i32, i32)
REFUSE(path_filestat_get, NOENT, i32, i32, i32, i32, i32)
REFUSE(path_filestat_set_times, NOSYS, i32, i32, i32, i32, i64, i64, i32)
REFUSE(path_link, NOSYS, i32, i32, i32, i32, i32, i32, i32)
REFUSE(path_open, NOENT, i32, i32, i32, i32, i32, i64, i64, i32, i32)
REFUSE(path_readlink, NOENT, i32, i32, i32, i32, i32, i32)
REFUSE(path_remove_directory, NOSYS, i32, i32, i32)
REFUSE(path_rename, NOSYS, i32, i32, i32, i32, i32, i32)
REFUSE(path_symlink, NOSYS, i32, i32, i32, i32, i32)
REFUSE(path_unlink_file, NOENT, i32, i32, i32)
REFUSE(proc_raise, NOSYS, i32)
REFUSE(sock_accept, NOSYS, i32, i32, i32)
REFUSE(sock_recv, NOSYS, i32, i32, i32, i32, i32, i32)
REFUSE(sock_send, NOSYS, i32, i32, i32, i32, i32)
REFUSE(sock_shutdown, NOSYS, i32, i32)
