/* Memory that is kept for the moment when there is none left: without it not even that could be told, and no cell could start that
 * frees some. */

/* TREE_ROOM: a cell of TypeScript needs room for its syntax tree as well. */
enum { SPARE = 256 << 10, TREE_ROOM = 1536 << 10, CELL_ROOM = 256 << 10, START_ROOM = 128 << 10 };
static void *reserve HOT;
static bool with_tree; /* cells of this session are TypeScript */
static bool shortage;  /* there was no room for the reserve, after a cell that ran out of memory */

static bool has_room(size_t n) { return wh_has_room(n + (with_tree ? TREE_ROOM : 0)); }

static void reserve_take(void) {
    if (!reserve) reserve = malloc(SPARE + (with_tree ? TREE_ROOM : 0));
}

/* At the start of a cell. After one that ran out of memory there is a reserve only if a small cell still has room beside it: that
 * cell may be the one that frees memory. */
static void reserve_keep(void) {
    bool grows = !with_tree && (g.in.flags & WH_START_TYPESCRIPT);
    bool was_short = g.exhausted || shortage;
    g.exhausted = false;
    if (!was_short && !grows) return;
    if (grows) with_tree = true;
    free(reserve);
    reserve = NULL;
    bool room = has_room(SPARE + CELL_ROOM);
    if (room) reserve_take();
    shortage = was_short && !room;
}

/* Gives the reserve away if an allocation failed in this cell. */
static void reserve_give(void) {
    if (!g.exhausted) return;
    free(reserve);
    reserve = NULL;
}

/* What the engine takes for its next few names: all of their table again where that is full. */
static size_t names_room(void) {
    enum { NAMES = 16 };
    JSRuntime *rt = g.rt;
    uint32_t at = rt->atom_free_index;
    for (int i = 0; i < NAMES && at; i++) at = atom_get_free(rt->atom_array[at]);
    return at ? 0 : (size_t)rt->atom_size / 2 * 3 * sizeof *rt->atom_array;
}

/* Whether the next cell could not even free what this one holds. */
static bool leaves_no_room(void) {
    if (!g.exhausted && !shortage) return false;
    bool had = reserve != NULL;
    free(reserve);
    reserve = NULL;
    bool room = has_room(START_ROOM + names_room());
    if (had) reserve_take();
    return !room;
}
