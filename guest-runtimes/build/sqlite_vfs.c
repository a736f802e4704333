/* What SQLite takes for a file system in a sandbox without files: databases live in memory, every other name is refused. */
#include <time.h>
#include <unistd.h>

#include "sqlite3.h"

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
    (void)vfs, (void)name, (void)flags, (void)out_flags;
    file->pMethods = 0;
    return SQLITE_CANTOPEN;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs, (void)name, (void)sync;
    return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result)
{
    (void)vfs, (void)name, (void)flags;
    *result = 0;
    return SQLITE_OK;
}

static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
    (void)vfs;
    sqlite3_snprintf(size, out, "%s", name);
    return SQLITE_OK;
}

static int vfs_randomness(sqlite3_vfs *vfs, int n, char *out)
{
    (void)vfs;
    for (int done = 0; done < n; done += 256)
        getentropy(out + done, n - done < 256 ? (size_t)(n - done) : 256);
    return n;
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    return microseconds;
}

static int vfs_current_time_int64(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds)
{
    (void)vfs;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const sqlite3_int64 epoch = 24405875 * (sqlite3_int64)8640000; /* Julian day 2440587.5 in milliseconds */
    *milliseconds = epoch + now.tv_sec * (sqlite3_int64)1000 + now.tv_nsec / 1000000;
    return SQLITE_OK;
}

static int vfs_current_time(sqlite3_vfs *vfs, double *days)
{
    sqlite3_int64 milliseconds;
    vfs_current_time_int64(vfs, &milliseconds);
    *days = (double)milliseconds / 86400000.0;
    return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *out)
{
    (void)vfs;
    if (size > 0)
        *out = 0;
    return 0;
}

int sqlite3_os_init(void)
{
    static sqlite3_vfs vfs = {
        .iVersion = 2,
        .szOsFile = sizeof(sqlite3_file),
        .mxPathname = 512,
        .zName = "sealed",
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_pathname,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_current_time,
        .xGetLastError = vfs_last_error,
        .xCurrentTimeInt64 = vfs_current_time_int64,
    };
    return sqlite3_vfs_register(&vfs, 1);
}

int sqlite3_os_end(void) { return SQLITE_OK; }
