/* Where the first cells of an instance find their memory. An instance shares the pages of its image until it writes to them, and
 * the free blocks that the build leaves behind lie all over it, a page for each size. So at the end of the build a few blocks
 * of every size are laid side by side, as small arenas of the engine's own allocator at the heads of its lists, and the
 * holes of the heap are filled, so that larger blocks come out of one place too. */

enum { SMALL_BLOCKS = 8, MEDIUM_BLOCKS = 4, LARGE_BLOCKS = 2 };

static int nursery_blocks(int size) { return size <= 128 ? SMALL_BLOCKS : size <= 256 ? MEDIUM_BLOCKS : LARGE_BLOCKS; }

/* The engine's arena_new, with fewer blocks and at a given place. Its count of used blocks starts at one, so that the engine
 * never takes it for empty and gives it back to the libc. */
static size_t nursery_arena(JSRuntime *rt, void *at, int size_idx) {
    JSArena *ar = at;
    int size = arena_block_sizes[size_idx], n = nursery_blocks(size);
    ar->block_size_idx = (uint8_t)size_idx;
    ar->n_blocks = (uint16_t)(n + 1);
    ar->n_used_blocks = 1;
    ar->first_free_block = 0;
    for (int i = 0; i < n; i++) {
        JSMallocBlockHeader *b = arena_get_block(ar, (unsigned)i, (unsigned)size);
        b->u.free_next = i + 1 < n ? (uint16_t)(i + 1) : JS_ARENA_FREE_NIL;
        b->block_size_idx = (uint8_t)size_idx;
    }
    list_add(&ar->link, &rt->arena_state.arena_list[size_idx]);
    list_add(&ar->free_link, &rt->arena_state.free_arena_list[size_idx]);
    return sizeof *ar + (size_t)n * (size_t)size;
}

static void nursery_lay(JSRuntime *rt) {
    size_t total = 0;
    for (int i = 0; i < JS_ARENA_BLOCK_SIZE_COUNT; i++)
        total += sizeof(JSArena) + (size_t)nursery_blocks(arena_block_sizes[i]) * arena_block_sizes[i];
    char *p = aligned_alloc(4096, (total + 4095) & ~(size_t)4095);
    if (!p) return;
    for (int i = 0; i < JS_ARENA_BLOCK_SIZE_COUNT; i++) p += nursery_arena(rt, p, i);
}

/* A page for what the first cells ask malloc for. A block that is cut off a free one changes a word at the end of that one
 * too, and the free one at the end of the heap ends in a page of its own. Returns what is to be freed when no other hole is left. */
static void *hole_make(void) {
    void *before = aligned_alloc(4096, 16), *hole = malloc(4096 - 128), *behind = malloc(16);
    return before && behind ? hole : NULL;
}

/* Takes every free chunk below the end of the heap, for good, and clears it: it would be dead weight in the image. */
static void holes_fill(void) {
    const size_t most = 64u << 10;
    char *mark = malloc(most + 16); /* larger than any hole: it lies at the end */
    for (size_t n = most; mark && n >= 8; n -= n > 1024 ? 512 : 8) {
        char *p;
        while ((p = malloc(n)) && p < mark) memset(p, 0, n);
        free(p);
    }
    free(mark);
}
