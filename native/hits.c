/* The retrieved judged documents in rank order. */

#include "native.h"

#define SPARSE 4 /* up to this many ranks per document, a slot for every rank is faster than sorting */

enum { STARTS_GIVEN, RANK_GIVEN, GRADE_GIVEN, N_GIVEN }; /* followed by other columns; all but grades have 32 bits */
enum { UNIT, RANK, GRADE, N_MADE };                      /* all have 64 bits */

#define MOST_COLUMNS 8

typedef struct {
    int64_t rank;
    size_t row;
} Ranked;

static int by_rank(const void *one, const void *other)
{
    int64_t first = ((const Ranked *)one)->rank, second = ((const Ranked *)other)->rank;
    return (first > second) - (first < second);
}

/* Sort the rows of a query by rank; all ranks must be distinct. */
static int sorted_by_rank(Ranked *row, size_t n, int64_t deepest, size_t **slot, size_t *most_slots)
{
    if (deepest > (int64_t)(SPARSE * n)) {
        qsort(row, n, sizeof *row, by_rank);
        for (size_t i = 1; i < n; i++)
            if (row[i].rank == row[i - 1].rank)
                return IRREGULAR;
        return DONE;
    }
    if (!grown(slot, most_slots, (size_t)deepest + 1, sizeof(size_t)))
        return NO_MEMORY;
    memset(*slot, 0, ((size_t)deepest + 1) * sizeof(size_t));
    for (size_t i = 0; i < n; i++) {
        if ((*slot)[row[i].rank])
            return IRREGULAR;
        (*slot)[row[i].rank] = row[i].row + 1;
    }
    for (int64_t rank = 1; rank <= deepest; rank++)
        if ((*slot)[rank]) {
            row->rank = rank;
            (row++)->row = (*slot)[rank] - 1;
        }
    return DONE;
}

/* Fill the columns with the rows that have a rank. */
static int fill(const Py_buffer *given, int64_t **column, int n_columns, size_t n_queries, size_t n_made, Ranked *row)
{
    const int32_t *starts = given[STARTS_GIVEN].buf, *rank = given[RANK_GIVEN].buf;
    size_t *slot = NULL, most_slots = 0, to = 0;
    int outcome = DONE;
    for (size_t unit = 0; unit < n_queries && outcome == DONE; unit++) {
        size_t n = 0;
        int64_t deepest = 0;
        for (int32_t i = starts[unit]; i < starts[unit + 1]; i++)
            if (rank[i] > 0) {
                Ranked ranked = {rank[i], (size_t)i};
                row[n++] = ranked;
                deepest = rank[i] > deepest ? rank[i] : deepest;
            }
        if (n > n_made - to)
            outcome = IRREGULAR; /* the ranks were changed after they were counted */
        else if (n > 1)
            outcome = sorted_by_rank(row, n, deepest, &slot, &most_slots);
        for (size_t i = 0; i < n && outcome == DONE; i++, to++) {
            column[UNIT][to] = (int64_t)unit;
            column[RANK][to] = row[i].rank;
            column[GRADE][to] = ((const int64_t *)given[GRADE_GIVEN].buf)[row[i].row];
            for (int c = N_MADE; c < n_columns; c++)
                column[c][to] = ((const int32_t *)given[c].buf)[row[i].row];
        }
    }
    free(slot);
    return outcome == DONE && to < n_made ? IRREGULAR : outcome;
}

/* The largest number of documents of a query. */
static size_t most_rows(const int32_t *starts, size_t n_queries)
{
    int32_t most = 0;
    for (size_t q = 0; q < n_queries; q++)
        most = starts[q + 1] - starts[q] > most ? starts[q + 1] - starts[q] : most;
    return (size_t)most;
}

/* The number of rows with a rank; -1 if the columns are inconsistent. */
static int64_t n_ranked(const Py_buffer *given, int n_given, size_t n_queries)
{
    const int32_t *starts = given[STARTS_GIVEN].buf, *rank = given[RANK_GIVEN].buf;
    int64_t n_rows = given[RANK_GIVEN].len / 4, n = 0;
    if (given[STARTS_GIVEN].len < 4 || starts[0] != 0 || starts[n_queries] != n_rows)
        return -1;
    for (size_t q = 0; q < n_queries; q++)
        if (starts[q] > starts[q + 1])
            return -1;
    for (int i = RANK_GIVEN; i < n_given; i++)
        if (given[i].len != (i == GRADE_GIVEN ? 8 : 4) * n_rows)
            return -1;
    for (int64_t i = 0; i < n_rows; i++)
        n += rank[i] > 0;
    return n;
}

static PyObject *ranked_columns(const Py_buffer *given, int n_columns)
{
    PyObject *result = PyTuple_New(n_columns);
    int64_t *column[MOST_COLUMNS];
    size_t n_queries = given[STARTS_GIVEN].len >= 4 ? (size_t)given[STARTS_GIVEN].len / 4 - 1 : 0;
    int64_t n = n_ranked(given, n_columns, n_queries);
    Ranked *row = n < 0 ? NULL : malloc((most_rows(given[STARTS_GIVEN].buf, n_queries) + 1) * sizeof(Ranked));
    int outcome = n < 0 ? IRREGULAR : row && result ? DONE : NO_MEMORY;
    for (int i = 0; i < n_columns && outcome == DONE; i++) {
        PyObject *bytes = as_bytes(NULL, 8 * (size_t)n);
        column[i] = bytes ? (int64_t *)PyBytes_AsString(bytes) : NULL;
        outcome = bytes && PyTuple_SetItem(result, i, bytes) == 0 ? DONE : NO_MEMORY;
    }
    if (outcome == DONE) {
        Py_BEGIN_ALLOW_THREADS
        outcome = fill(given, column, n_columns, n_queries, (size_t)n, row);
        Py_END_ALLOW_THREADS
    }
    free(row);
    if (outcome == DONE)
        return result;
    Py_XDECREF(result);
    return outcome == NO_MEMORY ? PyErr_NoMemory() : Py_NewRef(Py_None);
}

/* ranked(first document of each query, ranks, grades, another column of each document, …): the query, rank and grade of
   each document that has a rank, and its values in the other columns, sorted by query and rank; None if two have the
   same rank. Grades and all returned columns have 64 bits, other columns 32. */
PyObject *ranked(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *result = NULL;
    Py_buffer given[MOST_COLUMNS];
    Py_ssize_t n_columns = PyTuple_Size(arguments);
    int n = 0;
    if (n_columns < N_GIVEN || n_columns > MOST_COLUMNS) {
        PyErr_SetString(PyExc_TypeError, "ranked takes the starts, ranks, grades and at most five other columns");
        return NULL;
    }
    while (n < n_columns && PyObject_GetBuffer(PyTuple_GetItem(arguments, n), &given[n], PyBUF_SIMPLE) == 0)
        n++;
    if (n == n_columns)
        result = ranked_columns(given, n);
    while (n-- > 0)
        PyBuffer_Release(&given[n]);
    return result;
}
