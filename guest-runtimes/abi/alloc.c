/* malloc and its kin. That of zig's libc rounds every block up to a power of two and never joins free blocks: half of each
 * arena of pymalloc would be lost, and memory that one program has used for small blocks would be of no use to the next.
 *
 * Two-level segregated fit (Masmano, Ripoll, Crespo, Real, 2004): free blocks are kept in lists by size, 16 lists for each power
 * of two; two levels of bit maps find a list that holds a block large enough; free neighbours are joined at once. Both malloc and
 * free take a bounded number of steps. */
#include "alloc.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALIGN = 16,
    LISTS_LOG = 4, /* lists for each power of two */
    LISTS = 1 << LISTS_LOG,
    LINEAR = ALIGN * LISTS, /* below that one list for each multiple of ALIGN */
    LINEAR_LOG = 8,
    ROWS = 32 - LINEAR_LOG + 1,
    WASM_PAGE = 64 * 1024,
    GROW = 16 /* pages: memory is asked for in pieces of a megabyte if the limit allows */
};

/* A block begins at 8 modulo 16. What the program gets begins at `next` and reaches into `before` of the block that follows,
 * which is needed only while this one is free. */
struct block {
    struct block *before; /* the block that ends here; valid while that is free */
    uint32_t size;        /* to the next block; a multiple of 16, and flags */
    struct block *next, *previous; /* in its list, while free */
};
enum { FREE = 1, BEFORE_FREE = 2, FLAGS = FREE | BEFORE_FREE };
enum { OVERHEAD = 4, OFFSET = offsetof(struct block, next), SMALLEST = 16 };

static struct {
    uint32_t rows;        /* bit r: row r has a list with a block in it */
    uint32_t lists[ROWS]; /* bit l: list l of that row has one */
    struct block *first[ROWS][LISTS];
    struct block *end; /* behind the last block: size 0 */
} heap __attribute__((section("hot"))); /* beside what else every cell writes to */

extern char __heap_base;

/* ---- blocks -------------------------------------------------------------------------------------------------------- */

static uint32_t size_of(const struct block *b) { return b->size & ~(uint32_t)FLAGS; }
static struct block *after(const struct block *b) { return (struct block *)((char *)b + size_of(b)); }
static void *payload(struct block *b) { return (char *)b + OFFSET; }
static struct block *block_of(void *p) { return (struct block *)((char *)p - OFFSET); }
static uint32_t log2_of(uint32_t n) { return 31 - (uint32_t)__builtin_clz(n); }

struct place {
    uint32_t row, list;
};

static struct place place_of(uint32_t size) {
    if (size < LINEAR) return (struct place){0, size / ALIGN};
    uint32_t log = log2_of(size);
    return (struct place){log - LINEAR_LOG + 1, size >> (log - LISTS_LOG) & (LISTS - 1)};
}

static void insert(struct block *b) {
    struct place p = place_of(size_of(b));
    struct block *head = heap.first[p.row][p.list];
    b->next = head;
    b->previous = NULL;
    if (head) head->previous = b;
    heap.first[p.row][p.list] = b;
    heap.lists[p.row] |= 1u << p.list;
    heap.rows |= 1u << p.row;
    b->size |= FREE;
    after(b)->before = b;
    after(b)->size |= BEFORE_FREE;
}

static void take_out(struct block *b) {
    struct place p = place_of(size_of(b));
    if (b->next) b->next->previous = b->previous;
    if (b->previous) b->previous->next = b->next;
    else if (!(heap.first[p.row][p.list] = b->next)) {
        heap.lists[p.row] &= ~(1u << p.list);
        if (!heap.lists[p.row]) heap.rows &= ~(1u << p.row);
    }
    b->size &= ~(uint32_t)FREE;
    after(b)->size &= ~(uint32_t)BEFORE_FREE;
}

/* A free block of at least `size`, still in its list. Sizes are rounded up to the next list, all of whose blocks fit. */
static struct block *find(uint32_t size) {
    if (size >= LINEAR) size += (1u << (log2_of(size) - LISTS_LOG)) - 1;
    struct place p = place_of(size);
    uint32_t lists = heap.lists[p.row] & (~0u << p.list);
    if (!lists) {
        uint32_t rows = p.row + 1 < ROWS ? heap.rows & (~0u << (p.row + 1)) : 0;
        if (!rows) return NULL;
        p.row = (uint32_t)__builtin_ctz(rows);
        lists = heap.lists[p.row];
    }
    return heap.first[p.row][__builtin_ctz(lists)];
}

/* Gives back what a used block does not need. */
static void trim(struct block *b, uint32_t size) {
    uint32_t rest = size_of(b) - size;
    if (rest < SMALLEST) return;
    b->size -= rest;
    struct block *r = after(b);
    r->size = rest;
    if (after(r)->size & FREE) {
        take_out(after(r));
        r->size += size_of(after(r));
    }
    insert(r);
}

static void release(struct block *b) {
    if (b->size & BEFORE_FREE) {
        struct block *before = b->before;
        take_out(before);
        before->size += size_of(b);
        b = before;
    }
    if (after(b)->size & FREE) {
        struct block *next = after(b);
        take_out(next);
        b->size += size_of(next);
    }
    insert(b);
}

/* ---- memory -------------------------------------------------------------------------------------------------------- */

/* The end of the heap moves up to `to`; what lies between becomes free. */
static void extend(char *to) {
    struct block *b = heap.end, *end = (struct block *)(((uintptr_t)to & ~(uintptr_t)(ALIGN - 1)) - OFFSET);
    uint32_t flags = b->size & BEFORE_FREE;
    end->size = 0;
    heap.end = end;
    b->size = (uint32_t)((char *)end - (char *)b) | flags;
    release(b);
}

static char *memory_end(void) { return (char *)(__builtin_wasm_memory_size(0) * WASM_PAGE); }

static void begin(void) {
    heap.end = (struct block *)((((uintptr_t)&__heap_base + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1)) + ALIGN - OFFSET);
    heap.end->size = 0;
    if ((char *)heap.end + 4 * ALIGN < memory_end()) extend(memory_end());
}

static bool grow(uint32_t size) {
    size_t pages = ((size_t)size + (size >> LISTS_LOG) + 4 * ALIGN + WASM_PAGE - 1) / WASM_PAGE;
    if (pages >= GROW || __builtin_wasm_memory_grow(0, GROW) == SIZE_MAX)
        if (__builtin_wasm_memory_grow(0, pages) == SIZE_MAX) return false;
    extend(memory_end());
    return true;
}

/* ---- the functions of the libc ------------------------------------------------------------------------------------- */

enum { TOO_LARGE = 0x7fffff00 };

static uint32_t block_size(size_t n) {
    uint32_t size = ((uint32_t)n + OVERHEAD + ALIGN - 1) & ~(uint32_t)(ALIGN - 1);
    return size < SMALLEST ? SMALLEST : size;
}

static struct block *get(size_t n) {
    if (n > TOO_LARGE) return NULL;
    uint32_t size = block_size(n);
    if (!heap.end) begin();
    struct block *b = find(size);
    if (!b && !(grow(size) && (b = find(size)))) return NULL;
    take_out(b);
    return b;
}

bool wh_memory_was_short;

static void *no_memory(void) {
    wh_memory_was_short = true;
    errno = ENOMEM;
    return NULL;
}

/* Not malloc itself: the compiler knows that one, and would make a call of calloc out of the body of calloc. */
static void *allocate(size_t n) {
    struct block *b = get(n);
    if (!b) return no_memory();
    trim(b, block_size(n));
    return payload(b);
}

void *malloc(size_t n) { return allocate(n); }

void free(void *p) {
    if (p) release(block_of(p));
}

void *calloc(size_t n, size_t each) {
    size_t bytes;
    if (__builtin_mul_overflow(n, each, &bytes)) return no_memory();
    void *p = allocate(bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

size_t malloc_usable_size(void *p);
size_t malloc_usable_size(void *p) { return p ? size_of(block_of(p)) - OVERHEAD : 0; }

/* In place, if the block is large enough or what follows is free and makes it so. */
static bool fits_in_place(struct block *b, uint32_t size) {
    struct block *next = after(b);
    if (size > size_of(b) && next->size & FREE && size <= size_of(b) + size_of(next)) {
        take_out(next);
        b->size += size_of(next);
    }
    if (size > size_of(b)) return false;
    trim(b, size);
    return true;
}

void *realloc(void *p, size_t n) {
    if (!p) return allocate(n);
    if (n > TOO_LARGE) return no_memory();
    if (fits_in_place(block_of(p), block_size(n))) return p;
    void *moved = allocate(n);
    if (!moved) return NULL;
    memcpy(moved, p, malloc_usable_size(p));
    free(p);
    return moved;
}

void *reallocarray(void *p, size_t n, size_t each);
void *reallocarray(void *p, size_t n, size_t each) {
    size_t bytes;
    return __builtin_mul_overflow(n, each, &bytes) ? no_memory() : realloc(p, bytes);
}

void *aligned_alloc(size_t align, size_t n) {
    if (align <= ALIGN) return allocate(n);
    if (n > TOO_LARGE - align - SMALLEST) return no_memory();
    struct block *b = get(n + align + SMALLEST);
    if (!b) return no_memory();
    uintptr_t start = (uintptr_t)payload(b), aligned = (start + align - 1) & ~(uintptr_t)(align - 1);
    if (aligned != start) { /* a multiple of 16 in front, so a block of its own */
        struct block *a = block_of((void *)aligned);
        uint32_t gap = (uint32_t)(aligned - start);
        a->size = size_of(b) - gap;
        b->size = gap | (b->size & BEFORE_FREE);
        release(b);
        b = a;
    }
    trim(b, block_size(n));
    return payload(b);
}

int posix_memalign(void **p, size_t align, size_t n) {
    if (align < sizeof(void *) || align & (align - 1)) return EINVAL;
    void *r = aligned_alloc(align, n);
    if (!r) return ENOMEM;
    *p = r;
    return 0;
}

void *memalign(size_t align, size_t n);
void *memalign(size_t align, size_t n) { return aligned_alloc(align, n); }
void *valloc(size_t n);
void *valloc(size_t n) { return aligned_alloc(WASM_PAGE, n); }
