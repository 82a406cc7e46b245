/* The canonical order of judgments: by query, and best grade first. */

#include "native.h"

enum { UNITS, GRADES, NAME_DATA, NAME_START, NAME_LENGTH, N_COLUMNS };

typedef struct {
    uint64_t seed;
    Names documents;
    Slot *slot; /* the documents of a query */
    size_t most_slots, most_grades;
    double *grade;
    Count count; /* room for sorting */
} Sorter;

/* Whether no document is judged twice for a query; also 0 if too many names collide. */
static int are_distinct(Sorter *sorter, const int64_t *row, size_t n)
{
    Names names = sorter->documents;
    uint32_t mask = n_slots(n) - 1;
    memset(sorter->slot, 0, ((size_t)mask + 1) * sizeof(Slot));
    for (size_t i = 0; i < n; i++) {
        Text name = names.data + names.start[row[i]];
        size_t size = names.length[row[i]];
        uint64_t hash = hashed(name, size, sorter->seed);
        uint32_t at = (uint32_t)hash & mask;
        for (int steps = 0; sorter->slot[at]; at = (at + 1) & mask) {
            int64_t other = row[place_in(sorter->slot[at], mask)];
            if (++steps > MOST_STEPS || (may_be(sorter->slot[at], hash, mask) &&
                                         same_name(names.data + names.start[other], names.length[other], name, size)))
                return 0;
        }
        sorter->slot[at] = slot_for(hash, mask, i);
    }
    return 1;
}

/* Sort the rows of a query by descending grade; rows with the same grade keep their order. */
static int sort_by_grade(Sorter *sorter, const double *grade, int64_t *row, int64_t *spare, size_t n)
{
    if (!grown(&sorter->slot, &sorter->most_slots, n_slots(n), sizeof(Slot)) ||
        !grown(&sorter->grade, &sorter->most_grades, n, sizeof(double)) || !has_room(&sorter->count, n))
        return NO_MEMORY;
    if (!are_distinct(sorter, row, n))
        return IRREGULAR;
    for (size_t i = 0; i < n; i++)
        sorter->grade[i] = grade[row[i]];
    rank_by_score(&sorter->count, n, sorter->grade);
    if (sorter->count.as_ranked)
        return DONE;
    memcpy(spare, row, n * sizeof *row);
    for (size_t i = 0; i < n; i++)
        row[i] = spare[sorter->count.by_score[i]];
    return DONE;
}

static int64_t n_units(const int64_t *unit, size_t n_rows)
{
    int64_t most = -1;
    for (size_t i = 0; i < n_rows; i++) {
        if (unit[i] < 0 || unit[i] >= (int64_t)n_rows)
            return -1;
        most = unit[i] > most ? unit[i] : most;
    }
    return most + 1;
}

static int sort_rows(Sorter *sorter, const int64_t *unit, const double *grade, int64_t *order, size_t n_rows)
{
    int64_t n = n_units(unit, n_rows);
    size_t *end = n < 0 ? NULL : calloc((size_t)n + 1, sizeof(size_t)); /* of the rows of each unit, when they are placed */
    int64_t *spare = malloc((n_rows + 1) * sizeof(int64_t));
    int outcome = n < 0 ? IRREGULAR : end && spare ? DONE : NO_MEMORY;
    for (size_t i = 0; i < n_rows && outcome == DONE; i++)
        end[unit[i] + 1]++;
    for (int64_t u = 0; u < n && outcome == DONE; u++)
        end[u + 1] += end[u];
    for (size_t i = 0; i < n_rows && outcome == DONE; i++)
        order[end[unit[i]]++] = (int64_t)i;
    for (int64_t u = 0; u < n && outcome == DONE; u++) {
        size_t first = u ? end[u - 1] : 0;
        if (end[u] - first > 1)
            outcome = sort_by_grade(sorter, grade, order + first, spare, end[u] - first);
    }
    free(end);
    free(spare);
    return outcome;
}

/* Whether the columns have one entry per row, and every name lies within its data. */
static int are_sound(const Py_buffer *column, size_t n_rows)
{
    const int32_t *start = column[NAME_START].buf;
    const uint16_t *length = column[NAME_LENGTH].buf;
    if (n_rows >= 1u << 30 || column[UNITS].len != (Py_ssize_t)(8 * n_rows) ||
        column[GRADES].len != (Py_ssize_t)(8 * n_rows) || column[NAME_START].len != (Py_ssize_t)(4 * n_rows) ||
        column[NAME_LENGTH].len != (Py_ssize_t)(2 * n_rows))
        return 0;
    for (size_t i = 0; i < n_rows; i++)
        if (start[i] < 0 || start[i] > column[NAME_DATA].len - length[i])
            return 0;
    return 1;
}

/* judged_order(seed, query of each row, its grade, and the data, starts and lengths of the names of documents): the rows
   by query, best grade first; None if a document is judged twice for a query, or names collide. Queries, grades and the
   rows that are returned have 64 bits, starts 32 and lengths 16. */
PyObject *judged_order(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *given[N_COLUMNS], *result = NULL;
    Py_buffer column[N_COLUMNS];
    unsigned long long seed;
    int n = 0;
    if (!PyArg_ParseTuple(arguments, "KOOOOO", &seed, &given[0], &given[1], &given[2], &given[3], &given[4]))
        return NULL;
    while (n < N_COLUMNS && PyObject_GetBuffer(given[n], &column[n], PyBUF_SIMPLE) == 0)
        n++;
    if (n < N_COLUMNS)
        goto done;
    size_t n_rows = (size_t)column[UNITS].len / 8;
    if (!are_sound(column, n_rows)) {
        PyErr_SetString(PyExc_ValueError, "the columns of judgments do not belong together");
        goto done;
    }
    Sorter sorter = {.seed = seed,
                     .documents = {column[NAME_DATA].buf, column[NAME_START].buf, column[NAME_LENGTH].buf}};
    result = as_bytes(NULL, 8 * n_rows);
    int outcome = NO_MEMORY;
    if (result) {
        int64_t *order = (int64_t *)PyBytes_AsString(result);
        Py_BEGIN_ALLOW_THREADS
        outcome = sort_rows(&sorter, column[UNITS].buf, column[GRADES].buf, order, n_rows);
        Py_END_ALLOW_THREADS
    }
    free(sorter.slot);
    free(sorter.grade);
    free_count(&sorter.count);
    if (outcome != DONE) {
        Py_CLEAR(result);
        result = outcome == NO_MEMORY ? PyErr_NoMemory() : Py_NewRef(Py_None);
    }
done:
    while (n-- > 0)
        PyBuffer_Release(&column[n]);
    return result;
}
