/* What the parts of the extension share: names and their hashes, the index of judged documents, rows and ranks.

   Only plain input is dealt with here. Whatever else is found (a missing field, a score that is no number, a document
   that comes twice) is IRREGULAR: the readers in Python go through it again, to repair it or to name the line. */

#ifndef CRANFIELD_NATIVE_H
#define CRANFIELD_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { IRREGULAR, DONE, NO_MEMORY, SCATTERED }; /* SCATTERED: the rows of a query do not stand together */
enum { DESCENDING, ASCENDING, AS_GIVEN };       /* the order of documents with the same score, by name */

#define MOST_STEPS 1000 /* through a hash table: far more than names take by chance */

typedef const unsigned char *Text;

#ifdef __GNUC__
#define FETCH(at) __builtin_prefetch(at)
#else
#define FETCH(at) ((void)(at))
#endif

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static inline uint64_t word(Text at)
{
    uint64_t value;
    memcpy(&value, at, 8);
    return value;
}

/* Fewer than eight bytes, as one number. */
static inline uint64_t part(Text at, size_t size)
{
    uint32_t low, high;
    if (size >= 4) {
        memcpy(&low, at, 4);
        memcpy(&high, at + size - 4, 4); /* overlaps the first four */
        return low | (uint64_t)high << 32;
    }
    return size ? at[0] | (uint64_t)at[size / 2] << 8 | (uint64_t)at[size - 1] << 16 : 0;
}

static inline uint64_t mixed(uint64_t value)
{
    value *= 0x9E3779B97F4A7C15u;
    return value ^ (value >> 29);
}

/* Names are compared in full, so that the hash only saves time. Its seed is random, and too many steps through a table
   are refused: a file whose names collide is left to Python. */
static inline uint64_t hashed(Text name, size_t size, uint64_t seed)
{
    uint64_t hash = mixed(seed ^ size);
    if (size < 8)
        return mixed(mixed(hash ^ part(name, size)) + seed);
    for (size_t at = 0; at + 8 < size; at += 8)
        hash = mixed(hash ^ word(name + at));
    return mixed(mixed(hash ^ word(name + size - 8)) + seed);
}

/* Whether two names are the same, byte by byte; most are so short that calling a function would take longer. */
static inline int same_name(Text one, size_t size, Text other, size_t other_size)
{
    if (size != other_size)
        return 0;
    if (size < 8)
        return part(one, size) == part(other, size);
    if (word(one) != word(other) || word(one + size - 8) != word(other + size - 8))
        return 0;
    return size <= 16 || memcmp(one + 8, other + 8, size - 16) == 0;
}

/* A column of names. */
typedef struct {
    Text data;
    const int32_t *start;
    const uint16_t *length;
} Names;

/* ---- Hash tables of names ----------------------------------------------------------------------------------------- */

/* Where a name is, counting from 1, in the bits of the mask of its table, and bits of its hash in all others, to spare
   most comparisons of names; 0 for an empty slot. A table has more slots than names. */
typedef uint32_t Slot;

static inline Slot slot_for(uint64_t hash, uint32_t mask, size_t place)
{
    return ((uint32_t)(hash >> 32) & ~mask) | (uint32_t)(place + 1);
}

static inline int may_be(Slot slot, uint64_t hash, uint32_t mask)
{
    return ((slot ^ (uint32_t)(hash >> 32)) & ~mask) == 0;
}

static inline size_t place_in(Slot slot, uint32_t mask)
{
    return (slot & mask) - 1;
}

/* The number of slots for this many names: a power of two, at least one and a half times as large. */
static inline uint32_t n_slots(uint64_t n_names)
{
    uint64_t n = 2, least = n_names + n_names / 2;
    while (n < least)
        n *= 2;
    return (uint32_t)n;
}

/* ---- The index of judged documents ------------------------------------------------------------------------------- */

enum { QUERY_DATA, QUERY_START, QUERY_LENGTH, DOCUMENT_DATA, DOCUMENT_START, DOCUMENT_LENGTH, STARTS, N_VIEWS };

#define SCANNED UINT32_MAX

/* A hash table of queries, and one of documents for each query: while a ranking is scanned, its table is in the cache.
   A query with one or two documents has none: millions of such queries would take more memory than their names. Where
   all queries are so small, `table` and `mask` are NULL. */
typedef struct {
    Py_buffer view[N_VIEWS];
    int n_views;
    uint64_t seed;
    uint32_t query_mask;
    Slot *query;
    uint32_t *table; /* where the documents of a query begin in `document` */
    uint32_t *mask;  /* of the slots of a query; SCANNED if it has none */
    Slot *document;  /* places among the documents of the query */
    struct Workspace *spare; /* memory for the next blocks, taken and put back while the lock is held */
} Index;

int64_t find_query(const Index *index, Text name, size_t size); /* -1 if not judged */
void fetch_query(const Index *index, Text name, size_t size, int step); /* from memory, for `find_query` */

#define N_STEPS 4 /* of fetching what a query takes, each of which needs what the one before fetched */

/* The mask of the slots of a query. */
static inline uint32_t mask_of(const Index *index, int64_t unit)
{
    return index->mask ? index->mask[unit] : SCANNED;
}

/* The place of a document among the few judged ones of a query, which are compared one by one, or -1. */
static inline int64_t scan_documents(const Index *index, int64_t unit, Text name, size_t size)
{
    const int32_t *first = (const int32_t *)index->view[STARTS].buf + unit;
    const int32_t *start = index->view[DOCUMENT_START].buf;
    const uint16_t *length = index->view[DOCUMENT_LENGTH].buf;
    const Text data = index->view[DOCUMENT_DATA].buf;
    for (int64_t place = first[0]; place < first[1]; place++)
        if (same_name(data + start[place], (size_t)length[place], name, size))
            return place;
    return -1;
}

/* The place of a document among the judged ones of a query, or -1. */
static inline int64_t find_document(const Index *index, int64_t unit, uint64_t hash, Text name, size_t size)
{
    uint32_t mask = mask_of(index, unit);
    if (mask == SCANNED)
        return scan_documents(index, unit, name, size);
    const Slot *slot = index->document + index->table[unit];
    const Text data = index->view[DOCUMENT_DATA].buf;
    int32_t first = ((const int32_t *)index->view[STARTS].buf)[unit];
    const int32_t *start = (const int32_t *)index->view[DOCUMENT_START].buf + first;
    const uint16_t *length = (const uint16_t *)index->view[DOCUMENT_LENGTH].buf + first;
    for (uint32_t at = (uint32_t)hash & mask; slot[at]; at = (at + 1) & mask) {
        size_t place = place_in(slot[at], mask);
        if (may_be(slot[at], hash, mask) && same_name(data + start[place], (size_t)length[place], name, size))
            return first + (int64_t)place;
    }
    return -1;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* The bytes of an object while they are read; a zero follows the last of them. */
typedef struct {
    Py_buffer view;
    Text at, end;
} Data;

int hold(Data *data, PyObject *bytes); /* -1 if an error was raised */
void release(Data *data);

typedef struct {
    Text query;
    uint32_t query_size, first; /* the row that it begins with */
} Stretch;                      /* of rows with the same query */

/* The rows of a run, each a document and its score. */
typedef struct {
    size_t n_rows, most_rows, n_stretches, most_stretches, n_long, most_long;
    double *score;
    Text *name;
    uint32_t *size; /* of the name */
    Stretch *stretch;
    size_t *long_number; /* row, start and length of scores that Python converts */
} Rows;

typedef struct {
    int query, document, score; /* which fields these are */
    int n_fields, spare;        /* how many fields a line must have, and whether it may have more */
} Layout;

int is_known(const Layout *layout);
int read_rows(Rows *rows, const Layout *layout, Text data, Text end); /* no byte but a zero is read at the end */
int convert_long_numbers(const Rows *rows, Text data);                /* with the lock; -1 if an error was raised */
void free_rows(Rows *rows);
int grown(void *array, size_t *most, size_t needed, size_t size); /* whether there is room for so many */
size_t n_lines(Text data, Text end);

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t place, rank, tie_start, tie_size; /* of a judged document */
} Hit;

typedef struct {
    int32_t unit;                      /* the place of the query of a ranking */
    uint32_t n_retrieved, start, size; /* and where its name stands in the data */
} Ranking;

typedef struct {
    int64_t unit;
    size_t n;
} Sample; /* of the documents of a ranking */

/* What is counted, and the room that it takes for one ranking at a time. */
typedef struct {
    const Index *index;
    int order, single;             /* how ties are broken; whether scores are rounded to 32 bits */
    int as_ranked;                 /* whether the rows of the ranking came in the order of their ranks */
    Py_ssize_t n_some, n_of_each;  /* how many rankings, and how many documents of each, are sampled */
    size_t n_rankings, most_rankings, n_hits, most_hits, most_room;
    size_t n_samples, most_samples, n_sampled, most_sizes, n_sample_bytes, most_bytes;
    int64_t n_disordered, n_tied;
    Ranking *ranking;
    Hit *hit;
    Sample *sample;
    char *sample_bytes; /* the names of the samples, one after another */
    uint32_t *sample_size;
    uint64_t *met;                            /* a bit for each hash of a document, and for each that came again */
    uint32_t *table;                          /* rows by the hash of their document, counting from 1 */
    uint64_t *hash, *key, *spare_key;         /* of each row of a ranking */
    uint32_t *by_score, *spare_row, *at, *tie; /* rows by score; the place of each row there; where its ties begin */
    double *ranked;
} Count;

/* Count one ranking, of a query that stands somewhere in the data; its scores may be rounded in place. */
int count_ranking(Count *count, Ranking ranking, double *score, const Text *name, const uint32_t *size);
PyObject *counted(const Count *count, int outcome, PyObject *data); /* what Python gets */
void free_count(Count *count);

/* Memory for the rows and counts of a block, which blocks use one after another: new memory is slow at first. */
typedef struct Workspace {
    struct Workspace *next;
    Rows rows;
    Count count;
} Workspace;

Workspace *take_workspace(Index *index); /* with the lock; NULL if there is no memory */
void put_back(Index *index, Workspace *workspace);
void free_workspaces(Index *index);

/* The steps of counting a ranking, for rows whose hits were found in another way. */
int has_room(Count *count, size_t n);
int add_hit(Count *count, int64_t place, size_t row);
int add_ranking(Count *count, const Ranking *ranking, const Text *name, const uint32_t *size); /* of the sample */
int rank_by_score(Count *count, size_t n, double *score);                                     /* whether some tie */
void rank_hits(Count *count, size_t n, size_t first_hit, const Text *name, const uint32_t *size, int tied);

/* Which of two names comes first, and rows sorted by their names. */
int comes_first(Text one, size_t size, Text other, size_t other_size, int order);
void sort_by_name(uint32_t *row, uint32_t *spare, size_t n, const Text *name, const uint32_t *size, int order);

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

enum { NO_NUMBER, NUMBER, LONG_NUMBER };

#define EXACT 9007199254740992.0 /* 2**53: integers beyond may be equal as doubles, which Python looks into */
#define LONGEST_NUMBER 300

/* What stands at the end is no part of a number; bytes up to the end of the data may be read. */
int number(Text at, Text end, Text data_end, double *value);

/* ---- What Python calls ------------------------------------------------------------------------------------------- */

PyObject *new_index(PyObject *module, PyObject *arguments);
PyObject *count_block(PyObject *module, PyObject *arguments);
PyObject *gather_block(PyObject *module, PyObject *arguments);
PyObject *gathered_blocks(PyObject *module, PyObject *blocks);
PyObject *count_gathered(PyObject *module, PyObject *arguments);
PyObject *columns(PyObject *module, PyObject *arguments);
PyObject *line_ends(PyObject *module, PyObject *bytes);
PyObject *ranked(PyObject *module, PyObject *arguments);
PyObject *judged_order(PyObject *module, PyObject *arguments);
PyObject *judged_dicts(PyObject *module, PyObject *dicts);
PyObject *count_dicts(PyObject *module, PyObject *arguments);

PyObject *as_bytes(const void *data, size_t size);

#endif
