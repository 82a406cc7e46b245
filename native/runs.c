/* Runs in blocks of lines. If the lines of each query are contiguous, a block is counted at once. If they are
   scattered, the rows of each block are kept as documents and scores, and counted once all blocks have been read. */

#include "native.h"

#define INDEX "cranfield.index"
#define BLOCK "cranfield.block"
#define GATHERED "cranfield.gathered"
#define MOST_FETCHED 64 /* rows of a piece; the processor finds further ones itself */
#define AHEAD 8 /* rows, or pieces of a ranking, to prefetch while earlier ones are processed */

/* Numbers names in the order of their first occurrence. */
typedef struct {
    uint64_t seed;
    size_t n, most, most_sizes, most_heads, n_slots;
    Text *name;
    uint32_t *size;
    uint64_t *head; /* the first eight bytes, which suffice to compare short names without leaving the cache */
    Slot *slot;
} Numbered;

static inline uint64_t head_of(Text name, size_t size)
{
    return size < 8 ? part(name, size) : word(name);
}

static int more_slots(Numbered *names)
{
    size_t n_slots = names->n_slots ? 4 * names->n_slots : 256;
    Slot *slot = calloc(n_slots, sizeof(Slot));
    if (!slot)
        return 0;
    for (size_t i = 0; i < names->n; i++) {
        uint64_t hash = hashed(names->name[i], names->size[i], names->seed);
        size_t at = hash & (n_slots - 1);
        while (slot[at])
            at = (at + 1) & (n_slots - 1);
        slot[at] = slot_for(hash, (uint32_t)(n_slots - 1), i);
    }
    free(names->slot);
    names->slot = slot;
    names->n_slots = n_slots;
    return 1;
}

/* The number of a name; the highest number if the name is new. */
static int number_of(Numbered *names, Text name, size_t size, uint32_t *number)
{
    if (2 * (names->n + 1) > names->n_slots && !more_slots(names))
        return NO_MEMORY;
    uint64_t hash = hashed(name, size, names->seed), head = head_of(name, size);
    uint32_t mask = (uint32_t)(names->n_slots - 1), at = (uint32_t)hash & mask;
    for (int steps = 0; names->slot[at]; at = (at + 1) & mask) {
        *number = (uint32_t)place_in(names->slot[at], mask);
        if (may_be(names->slot[at], hash, mask) && names->head[*number] == head && names->size[*number] == size &&
            (size <= 8 || same_name(names->name[*number], size, name, size)))
            return DONE;
        if (++steps > MOST_STEPS)
            return IRREGULAR;
    }
    if (!grown(&names->name, &names->most, names->n + 1, sizeof(Text)) ||
        !grown(&names->size, &names->most_sizes, names->n + 1, sizeof(uint32_t)) ||
        !grown(&names->head, &names->most_heads, names->n + 1, sizeof(uint64_t)) || names->n >= 1u << 30)
        return NO_MEMORY;
    *number = (uint32_t)names->n++;
    names->slot[at] = slot_for(hash, mask, *number);
    names->name[*number] = name;
    names->size[*number] = (uint32_t)size;
    names->head[*number] = head;
    return DONE;
}

static void free_numbered(Numbered *names)
{
    free(names->name);
    free(names->size);
    free(names->head);
    free(names->slot);
}

static size_t end_of(const Rows *rows, size_t stretch)
{
    return stretch + 1 < rows->n_stretches ? rows->stretch[stretch + 1].first : rows->n_rows;
}

/* ---- Contiguous queries ------------------------------------------------------------------------------------------ */

/* The queries of a block seen so far: a bit for each judged one, and the names of the others. */
typedef struct {
    unsigned char *judged;
    Numbered others;
} Met;

/* SCATTERED if a query occurred before. */
static int meet(Met *met, int64_t unit, const Stretch *stretch)
{
    if (unit < 0) {
        uint32_t number, n = (uint32_t)met->others.n;
        int outcome = number_of(&met->others, stretch->query, stretch->query_size, &number);
        return outcome == DONE && number < n ? SCATTERED : outcome;
    }
    unsigned char bit = (unsigned char)(1 << (unit & 7));
    if (met->judged[unit >> 3] & bit)
        return SCATTERED;
    met->judged[unit >> 3] |= bit;
    return DONE;
}

/* Prefetch the queries of the next stretches step by step; the nearest one is in the last step. */
static void fetch_ahead(const Index *index, const Rows *rows, size_t i)
{
    for (int step = 0; step < N_STEPS; step++) {
        size_t ahead = i + (size_t)(N_STEPS - step) * AHEAD;
        if (ahead < rows->n_stretches)
            fetch_query(index, rows->stretch[ahead].query, rows->stretch[ahead].query_size, step);
    }
}

static int count_rows(Count *count, Rows *rows, Text data)
{
    Met met = {calloc((size_t)count->index->view[STARTS].len / 32 + 1, 1), {.seed = count->index->seed}};
    int outcome = met.judged && grown(&count->ranking, &count->most_rankings, rows->n_stretches, sizeof(Ranking)) &&
                          grown(&count->hit, &count->most_hits, rows->n_stretches, sizeof(Hit))
                      ? DONE
                      : NO_MEMORY; /* room for one hit per query: growing would copy millions of hits */
    for (size_t i = 0; i < rows->n_stretches && outcome == DONE; i++) {
        const Stretch *stretch = &rows->stretch[i];
        fetch_ahead(count->index, rows, i);
        Ranking ranking = {(int32_t)find_query(count->index, stretch->query, stretch->query_size),
                           (uint32_t)(end_of(rows, i) - stretch->first), (uint32_t)(stretch->query - data),
                           stretch->query_size};
        outcome = meet(&met, ranking.unit, stretch);
        if (outcome == DONE)
            outcome = count_ranking(count, ranking, rows->score + stretch->first, rows->name + stretch->first,
                                    rows->size + stretch->first);
    }
    free(met.judged);
    free_numbered(&met.others);
    return outcome;
}

/* The rows of a block of lines; -1 if an error was raised. */
static int rows_of(Rows *rows, const Layout *layout, const Data *lines)
{
    int outcome;
    if (!is_known(layout) || lines->end - lines->at >= INT32_MAX)
        return IRREGULAR;
    Py_BEGIN_ALLOW_THREADS
    outcome = read_rows(rows, layout, lines->at, lines->end);
    Py_END_ALLOW_THREADS
    return outcome == DONE ? convert_long_numbers(rows, lines->at) : outcome;
}

#define LAYOUT(layout) &(layout).query, &(layout).document, &(layout).score, &(layout).n_fields, &(layout).spare
#define SETTINGS(count) &(count).order, &(count).single, &(count).n_some, &(count).n_of_each

/* count_block(index, data, (place of the query, of the document, of the score, number of fields, whether more may
   follow), (order of ties, whether scores are rounded, rankings in the sample, documents of each)) */
PyObject *count_block(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *data;
    Layout layout;
    Count given = {0};
    if (!PyArg_ParseTuple(arguments, "OO(iiiip)(ipnn)", &capsule, &data, LAYOUT(layout), SETTINGS(given)))
        return NULL;
    Index *index = PyCapsule_GetPointer(capsule, INDEX);
    Data lines;
    if (!index || hold(&lines, data) < 0)
        return NULL;
    Workspace *workspace = take_workspace(index);
    if (!workspace) {
        release(&lines);
        return PyErr_NoMemory();
    }
    Count *count = &workspace->count;
    count->index = index;
    count->order = given.order;
    count->single = given.single;
    count->n_some = given.n_some;
    count->n_of_each = given.n_of_each;
    int outcome = rows_of(&workspace->rows, &layout, &lines);
    if (outcome == DONE) {
        Py_BEGIN_ALLOW_THREADS
        outcome = count_rows(count, &workspace->rows, lines.at);
        Py_END_ALLOW_THREADS
    }
    PyObject *result = counted(count, outcome, data);
    put_back(index, workspace);
    release(&lines);
    return result;
}

/* ---- Scattered queries ------------------------------------------------------------------------------------------- */

/* The rows of a block, grouped by query, with copies of their names. */
typedef struct {
    size_t n_rows;
    uint32_t n_queries;
    uint32_t *first, *query_start; /* the first row of each query and the start of its name; finally, the ends */
    uint32_t *start;               /* the start of the name of each document; finally, the end */
    double *score;
    unsigned char *query, *name;
} Block;

static void free_block(Block *block)
{
    free(block->first);
    free(block->query_start);
    free(block->start);
    free(block->score);
    free(block->query);
    free(block->name);
    free(block);
}

static void free_block_capsule(PyObject *capsule)
{
    free_block(PyCapsule_GetPointer(capsule, BLOCK));
}

/* Allocate room for the rows and names of this many queries. */
static int has_columns(Block *block, const Rows *rows, const Numbered *queries)
{
    size_t n_name_bytes = 1, n_query_bytes = 1;
    for (size_t row = 0; row < rows->n_rows; row++)
        n_name_bytes += rows->size[row];
    for (size_t query = 0; query < queries->n; query++)
        n_query_bytes += queries->size[query];
    block->n_rows = rows->n_rows;
    block->n_queries = (uint32_t)queries->n;
    block->first = calloc(queries->n + 1, sizeof(uint32_t));
    block->query_start = calloc(queries->n + 1, sizeof(uint32_t));
    block->start = malloc((rows->n_rows + 1) * sizeof(uint32_t));
    block->score = malloc(rows->n_rows * sizeof(double));
    block->query = malloc(n_query_bytes);
    block->name = malloc(n_name_bytes);
    return block->first && block->query_start && block->start && block->score && block->query && block->name;
}

static int group(Block *block, const Rows *rows, const Numbered *queries, const uint32_t *number)
{
    if (!has_columns(block, rows, queries))
        return NO_MEMORY;
    for (uint32_t query = 0; query < block->n_queries; query++) {
        memcpy(block->query + block->query_start[query], queries->name[query], queries->size[query]);
        block->query_start[query + 1] = block->query_start[query] + queries->size[query];
    }
    for (size_t i = 0; i < rows->n_stretches; i++)
        block->first[number[i] + 1] += (uint32_t)(end_of(rows, i) - rows->stretch[i].first);
    for (uint32_t query = 0; query < block->n_queries; query++)
        block->first[query + 1] += block->first[query];
    uint32_t *next = malloc((queries->n + 1) * sizeof(uint32_t)), *row_at = malloc(rows->n_rows * sizeof(uint32_t));
    if (!next || !row_at) {
        free(next);
        free(row_at);
        return NO_MEMORY;
    }
    memcpy(next, block->first, (queries->n + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < rows->n_stretches; i++)
        for (size_t row = rows->stretch[i].first; row < end_of(rows, i); row++)
            row_at[next[number[i]]++] = (uint32_t)row;
    uint32_t n_bytes = 0;
    for (size_t to = 0; to < rows->n_rows; to++) {
        size_t row = row_at[to], last = rows->n_rows - 1;
        size_t next_row = row_at[to + AHEAD < last ? to + AHEAD : last];
        size_t far_row = row_at[to + 2 * AHEAD < last ? to + 2 * AHEAD : last];
        FETCH(&rows->name[far_row]);
        FETCH(&rows->score[far_row]);
        FETCH(&rows->size[far_row]);
        FETCH(rows->name[next_row]);
        block->score[to] = rows->score[row];
        block->start[to] = n_bytes;
        memcpy(block->name + n_bytes, rows->name[row], rows->size[row]);
        n_bytes += rows->size[row];
    }
    block->start[rows->n_rows] = n_bytes;
    free(next);
    free(row_at);
    return DONE;
}

static int gather(Block *block, const Rows *rows, uint64_t seed)
{
    Numbered queries = {.seed = seed};
    uint32_t *number = malloc(rows->n_stretches * sizeof(uint32_t));
    int outcome = number ? DONE : NO_MEMORY;
    for (size_t i = 0; i < rows->n_stretches && outcome == DONE; i++)
        outcome = number_of(&queries, rows->stretch[i].query, rows->stretch[i].query_size, &number[i]);
    if (outcome == DONE)
        outcome = group(block, rows, &queries, number);
    free(number);
    free_numbered(&queries);
    return outcome;
}

/* gather_block(index, data, layout as for count_block): the rows of a block, grouped by query; 0 if it is not plain */
PyObject *gather_block(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *data, *result = NULL;
    Layout layout;
    Data lines;
    if (!PyArg_ParseTuple(arguments, "OO(iiiip)", &capsule, &data, LAYOUT(layout)))
        return NULL;
    Index *index = PyCapsule_GetPointer(capsule, INDEX);
    if (!index || hold(&lines, data) < 0)
        return NULL;
    Workspace *workspace = take_workspace(index);
    Block *block = workspace ? calloc(1, sizeof(Block)) : NULL;
    int outcome = block ? rows_of(&workspace->rows, &layout, &lines) : NO_MEMORY;
    if (outcome == DONE) {
        Py_BEGIN_ALLOW_THREADS
        outcome = gather(block, &workspace->rows, index->seed);
        Py_END_ALLOW_THREADS
    }
    if (workspace)
        put_back(index, workspace);
    release(&lines);
    if (outcome == DONE)
        result = PyCapsule_New(block, BLOCK, free_block_capsule);
    else if (outcome == NO_MEMORY)
        PyErr_NoMemory();
    else if (outcome == IRREGULAR)
        result = PyLong_FromLong(IRREGULAR);
    if (block && (outcome != DONE || !result))
        free_block(block);
    return result;
}

/* The rows of a query in one block. */
typedef struct {
    uint32_t block, query;
} Piece;

/* All blocks of a run: the queries by name, and the pieces of each. */
typedef struct {
    PyObject *blocks; /* that contain the pieces */
    const Block **block;
    Numbered queries;
    uint32_t *by_name;
    size_t *first; /* the first piece of each query; finally, the end */
    Piece *piece;
} Gathered;

static void free_gathered(Gathered *all)
{
    Py_XDECREF(all->blocks);
    free(all->block);
    free_numbered(&all->queries);
    free(all->by_name);
    free(all->first);
    free(all->piece);
    free(all);
}

static void free_gathered_capsule(PyObject *capsule)
{
    free_gathered(PyCapsule_GetPointer(capsule, GATHERED));
}

static int number_queries(Gathered *all, size_t n_blocks, uint32_t *number)
{
    for (size_t b = 0, i = 0; b < n_blocks; b++)
        for (uint32_t q = 0; q < all->block[b]->n_queries; q++, i++) {
            const uint32_t *start = all->block[b]->query_start + q;
            int outcome = number_of(&all->queries, all->block[b]->query + start[0], start[1] - start[0], &number[i]);
            if (outcome != DONE)
                return outcome;
        }
    return DONE;
}

static int put_together(Gathered *all, size_t n_blocks)
{
    size_t n_pieces = 0, n;
    for (size_t b = 0; b < n_blocks; b++)
        n_pieces += all->block[b]->n_queries;
    uint32_t *number = malloc((n_pieces + 1) * sizeof(uint32_t)), *spare = NULL;
    size_t *next = NULL;
    int outcome = number ? number_queries(all, n_blocks, number) : NO_MEMORY;
    if (outcome != DONE)
        goto done;
    n = all->queries.n;
    all->by_name = malloc((n + 1) * sizeof(uint32_t));
    all->first = calloc(n + 1, sizeof(size_t));
    all->piece = malloc((n_pieces + 1) * sizeof(Piece));
    spare = malloc((n + 1) * sizeof(uint32_t));
    next = malloc((n + 1) * sizeof(size_t));
    if (!all->by_name || !all->first || !all->piece || !spare || !next) {
        outcome = NO_MEMORY;
        goto done;
    }
    for (size_t q = 0; q < n; q++)
        all->by_name[q] = (uint32_t)q;
    sort_by_name(all->by_name, spare, n, all->queries.name, all->queries.size, ASCENDING);
    for (size_t i = 0; i < n_pieces; i++)
        all->first[number[i] + 1]++;
    for (size_t q = 0; q < n; q++)
        all->first[q + 1] += all->first[q];
    memcpy(next, all->first, (n + 1) * sizeof(size_t));
    for (size_t b = 0, i = 0; b < n_blocks; b++)
        for (uint32_t q = 0; q < all->block[b]->n_queries; q++, i++) {
            Piece piece = {(uint32_t)b, q};
            all->piece[next[number[i]]++] = piece;
        }
done:
    free(number);
    free(spare);
    free(next);
    return outcome;
}

/* gathered(index, blocks): all blocks as one run; 0 if names collide */
PyObject *gathered_blocks(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *given, *result = NULL;
    if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyList_Type, &given))
        return NULL;
    const Index *index = PyCapsule_GetPointer(capsule, INDEX);
    if (!index)
        return NULL;
    Gathered *all = calloc(1, sizeof(Gathered));
    PyObject *blocks = all ? PyList_AsTuple(given) : NULL;
    size_t n_blocks = blocks ? (size_t)PyTuple_Size(blocks) : 0;
    if (!blocks) {
        free(all);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    all->blocks = blocks;
    all->queries.seed = index->seed;
    all->block = malloc((n_blocks + 1) * sizeof(Block *));
    int outcome = all->block ? DONE : NO_MEMORY;
    for (size_t b = 0; b < n_blocks && outcome == DONE; b++) {
        all->block[b] = PyCapsule_GetPointer(PyTuple_GetItem(blocks, (Py_ssize_t)b), BLOCK);
        outcome = all->block[b] ? DONE : -1;
    }
    if (outcome == DONE) {
        Py_BEGIN_ALLOW_THREADS
        outcome = put_together(all, n_blocks);
        Py_END_ALLOW_THREADS
    }
    if (outcome == DONE)
        result = PyCapsule_New(all, GATHERED, free_gathered_capsule);
    else if (outcome == NO_MEMORY)
        PyErr_NoMemory();
    else if (outcome == IRREGULAR)
        result = PyLong_FromLong(IRREGULAR);
    if (outcome != DONE || !result)
        free_gathered(all);
    return result;
}

/* The rows of one ranking, gathered from blocks. */
typedef struct {
    size_t n, most_scores, most_names, most_sizes;
    double *score;
    Text *name;
    uint32_t *size;
} Scratch;

/* Prefetch the content of a piece of a ranking, whose place in the block is already in the cache. */
static void fetch_piece(const Gathered *all, Piece piece)
{
    const Block *block = all->block[piece.block];
    uint32_t first = block->first[piece.query], end = block->first[piece.query + 1];
    end = end - first > MOST_FETCHED ? first + MOST_FETCHED : end;
    for (uint32_t row = first; row < end; row += 8)
        FETCH(block->score + row);
    for (uint32_t row = first; row <= end; row += 16)
        FETCH(block->start + row);
}

static int fill(Scratch *rows, const Gathered *all, uint32_t query)
{
    size_t last = all->first[all->queries.n] - 1; /* the pieces of the next query follow */
    rows->n = 0;
    for (size_t p = all->first[query]; p < all->first[query + 1]; p++) {
        Piece far = all->piece[p + 2 * AHEAD < last ? p + 2 * AHEAD : last];
        FETCH(all->block[far.block]->first + far.query);
        fetch_piece(all, all->piece[p + AHEAD < last ? p + AHEAD : last]);
        const Block *block = all->block[all->piece[p].block];
        size_t row = block->first[all->piece[p].query], end = block->first[all->piece[p].query + 1];
        if (!grown(&rows->score, &rows->most_scores, rows->n + end - row, sizeof(double)) ||
            !grown(&rows->name, &rows->most_names, rows->n + end - row, sizeof(Text)) ||
            !grown(&rows->size, &rows->most_sizes, rows->n + end - row, sizeof(uint32_t)))
            return NO_MEMORY;
        for (; row < end; row++, rows->n++) {
            rows->score[rows->n] = block->score[row];
            rows->name[rows->n] = block->name + block->start[row];
            FETCH(rows->name[rows->n]);
            rows->size[rows->n] = block->start[row + 1] - block->start[row];
        }
    }
    return rows->n < UINT32_MAX ? DONE : IRREGULAR;
}

static int count_share(Count *count, const Gathered *all, size_t first, size_t end)
{
    Scratch rows = {0};
    int outcome = DONE;
    uint32_t n_bytes = 0;
    for (size_t i = first; i < end && outcome == DONE; i++) {
        uint32_t query = all->by_name[i], size = all->queries.size[query];
        outcome = size < UINT32_MAX - n_bytes ? fill(&rows, all, query) : IRREGULAR;
        if (outcome != DONE)
            break;
        Ranking ranking = {(int32_t)find_query(count->index, all->queries.name[query], size), (uint32_t)rows.n, n_bytes,
                           size};
        n_bytes += size;
        outcome = count_ranking(count, ranking, rows.score, rows.name, rows.size);
    }
    free(rows.score);
    free(rows.name);
    free(rows.size);
    return outcome;
}

/* The names of some queries, concatenated. */
static PyObject *names_of_share(const Gathered *all, size_t first, size_t end)
{
    size_t n_bytes = 0;
    for (size_t i = first; i < end; i++)
        n_bytes += all->queries.size[all->by_name[i]];
    PyObject *names = as_bytes(NULL, n_bytes);
    char *to = names ? PyBytes_AsString(names) : NULL;
    for (size_t i = first; names && i < end; i++) {
        uint32_t query = all->by_name[i];
        memcpy(to, all->queries.name[query], all->queries.size[query]);
        to += all->queries.size[query];
    }
    return names;
}

/* count_gathered(index, gathered, (share, number of shares), settings as for count_block) */
PyObject *count_gathered(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *index, *gathered;
    Py_ssize_t share, n_shares;
    Count count = {0};
    if (!PyArg_ParseTuple(arguments, "OO(nn)(ipnn)", &index, &gathered, &share, &n_shares, SETTINGS(count)))
        return NULL;
    count.index = PyCapsule_GetPointer(index, INDEX);
    const Gathered *all = count.index ? PyCapsule_GetPointer(gathered, GATHERED) : NULL;
    if (!all || share < 0 || share >= n_shares) {
        if (all)
            PyErr_SetString(PyExc_ValueError, "there is no such share");
        return NULL;
    }
    size_t first = all->queries.n * (size_t)share / (size_t)n_shares;
    size_t end = all->queries.n * ((size_t)share + 1) / (size_t)n_shares;
    int outcome;
    Py_BEGIN_ALLOW_THREADS
    outcome = count_share(&count, all, first, end);
    Py_END_ALLOW_THREADS
    PyObject *names = outcome == DONE ? names_of_share(all, first, end) : Py_NewRef(Py_None);
    PyObject *result = counted(&count, names ? outcome : -1, names);
    free_count(&count);
    Py_XDECREF(names);
    return result;
}
