/* Runs and judgments that are dicts of dicts, read without copying them.

   A dict is read in one step, in which no code of the user can run and no other thread: nothing that is allocated there
   can start the garbage collector, and no error is raised before the reading ends. What is used later is owned. */

#include "native.h"

#define MANY 4   /* up to this many rows per judged document, a table of judged documents is faster than lookups */
#define AHEAD 16 /* objects to prefetch while earlier ones are processed */

/* The rows of one dict. */
typedef struct {
    size_t n, most_numbers, most_keys, most_values, most_names, most_sizes, most_sorted;
    double *number;
    PyObject **key, **value;
    Text *name;
    uint32_t *size;
    uint32_t *sorted; /* tied rows sorted by name; from `n` on, the end of each group of ties */
    int named;        /* whether all names were read */
    size_t most_slots;
    uint32_t mask;
    Slot *slot;       /* the judged documents of a query with many of them */
} Entries;

static void free_entries(Entries *rows)
{
    free(rows->number);
    free(rows->key);
    free(rows->value);
    free(rows->name);
    free(rows->size);
    free(rows->sorted);
    free(rows->slot);
}

static int has_entries(Entries *rows, size_t n)
{
    return grown(&rows->number, &rows->most_numbers, n + 1, sizeof(double)) &&
           grown(&rows->key, &rows->most_keys, n + 1, sizeof(PyObject *)) &&
           grown(&rows->value, &rows->most_values, n + 1, sizeof(PyObject *)) &&
           grown(&rows->name, &rows->most_names, n + 1, sizeof(Text)) &&
           grown(&rows->size, &rows->most_sizes, n + 1, sizeof(uint32_t)) &&
           grown(&rows->sorted, &rows->most_sorted, 2 * (n + 1), sizeof(uint32_t));
}

/* A float or an integer as a double; NaN for anything else, and for integers of more than 64 bits, which other functions
   would report by an exception, whose allocation can run code of the user. */
static double plain_number(PyObject *value)
{
    int overflow = 0;
    if (PyFloat_Check(value))
        return PyFloat_AsDouble(value);
    if (!PyLong_CheckExact(value))
        return NAN;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow ? NAN : (double)number;
}

/* The keys and numbers of a dict; IRREGULAR unless all keys are str and all values plain numbers. */
static int read_entries(Entries *rows, PyObject *dict)
{
    Py_ssize_t at = 0;
    rows->n = 0;
    if (!PyDict_CheckExact(dict) || PyDict_Size(dict) > INT32_MAX)
        return IRREGULAR;
    if (!has_entries(rows, (size_t)PyDict_Size(dict)))
        return NO_MEMORY;
    for (; PyDict_Next(dict, &at, &rows->key[rows->n], &rows->value[rows->n]); rows->n++)
        ;
    for (size_t i = 0; i < rows->n; i++) {
        size_t next = i + AHEAD < rows->n ? i + AHEAD : i;
        FETCH(rows->key[next]);
        FETCH(rows->value[next]);
        rows->number[i] = plain_number(rows->value[i]);
        if (!PyUnicode_CheckExact(rows->key[i]) || isnan(rows->number[i]))
            return IRREGULAR;
    }
    return DONE;
}

/* ---- Judgments as dicts ------------------------------------------------------------------------------------------ */

/* The documents of all dicts, which are owned, and their grades. */
typedef struct {
    size_t n, most_texts, most_grades;
    PyObject **text;
    double *grade;
} Judged;

/* Add the documents and grades of a dict, best grade first. */
static int add_judged(Judged *judged, Count *count, Entries *rows, PyObject *dict)
{
    int outcome = read_entries(rows, dict);
    if (outcome != DONE)
        return outcome;
    if (!has_room(count, rows->n) || !grown(&judged->text, &judged->most_texts, judged->n + rows->n, sizeof(PyObject *)) ||
        !grown(&judged->grade, &judged->most_grades, judged->n + rows->n, sizeof(double)))
        return NO_MEMORY;
    rank_by_score(count, rows->n, rows->number);
    for (size_t i = 0; i < rows->n; i++) {
        size_t row = count->as_ranked ? i : count->by_score[i];
        if (!isfinite(rows->number[row]))
            return IRREGULAR;
        judged->grade[judged->n] = rows->number[row];
        judged->text[judged->n++] = Py_NewRef(rows->key[row]);
    }
    return DONE;
}

/* The documents as a list, which takes them over; NULL if an error was raised. */
static PyObject *list_of(Judged *judged)
{
    PyObject *texts = PyList_New((Py_ssize_t)judged->n);
    for (size_t i = 0; texts && i < judged->n; i++)
        PyList_SetItem(texts, (Py_ssize_t)i, judged->text[i]);
    if (texts)
        judged->n = 0;
    return texts;
}

/* judged_dicts(dicts): the documents of each dict, best grade first, their grades, and how many each dict has; None if a
   key is not a str or a value is not a finite number */
PyObject *judged_dicts(PyObject *module, PyObject *dicts)
{
    (void)module;
    size_t n_dicts = PyList_Check(dicts) ? (size_t)PyList_Size(dicts) : 0;
    Count count = {0};
    Entries rows = {0};
    Judged judged = {0};
    PyObject *result = NULL;
    int64_t *size = malloc((n_dicts + 1) * sizeof(int64_t));
    int outcome = size ? DONE : NO_MEMORY;
    for (size_t i = 0; i < n_dicts && outcome == DONE; i++) {
        outcome = add_judged(&judged, &count, &rows, PyList_GetItem(dicts, (Py_ssize_t)i));
        size[i] = (int64_t)rows.n;
    }
    if (outcome == DONE) {
        PyObject *grades = as_bytes(judged.grade, judged.n * sizeof(double));
        PyObject *sizes = as_bytes(size, n_dicts * sizeof(int64_t));
        result = Py_BuildValue("(NNN)", list_of(&judged), grades, sizes);
    } else
        result = outcome == IRREGULAR ? Py_NewRef(Py_None) : PyErr_NoMemory();
    while (judged.n > 0)
        Py_DECREF(judged.text[--judged.n]);
    free(judged.text);
    free(judged.grade);
    free(size);
    free_entries(&rows);
    free_count(&count);
    return result;
}

/* ---- Runs as dicts ----------------------------------------------------------------------------------------------- */

/* The judged documents as str; those of query q begin at start[q]. */
typedef struct {
    PyObject *texts; /* a list */
    const int32_t *starts;
    size_t n_queries;
} Judgments;

/* The bytes of a str, which it keeps; NULL if they are not UTF-8: that raises an error, so the reading ends there. */
static Text name_of(PyObject *text, size_t *size)
{
    Py_ssize_t n = 0;
    Py_INCREF(text); /* the error may run code that drops it */
    Text name = (Text)PyUnicode_AsUTF8AndSize(text, &n);
    if (!name)
        PyErr_Clear();
    Py_DECREF(text);
    *size = (size_t)n;
    return n > INT32_MAX ? NULL : name;
}

/* The bytes of the first names; 0 if one is not UTF-8. */
static int read_names(Entries *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t size;
        rows->name[i] = name_of(rows->key[i], &size);
        if (!rows->name[i])
            return 0;
        rows->size[i] = (uint32_t)size;
    }
    return 1;
}

/* The number of descending values above this one, by binary search without unpredictable branches. */
static size_t n_above(const double *descending, size_t n, double number)
{
    size_t above = 0;
    for (; n > 1; n -= n / 2)
        above += descending[above + n / 2 - 1] > number ? n / 2 : 0;
    return above + (n && descending[above] > number);
}

/* The end of the group of ties that begins at an index; a group is sorted by name when it is first needed. 0 if a name
   is not UTF-8. */
static size_t end_of_ties(const Count *count, Entries *rows, size_t start)
{
    uint32_t *sorted = rows->sorted, *end_of = rows->sorted + rows->n; /* by start of the group; 0 if not yet known */
    size_t end = start + 1;
    if (end_of[start])
        return end_of[start];
    while (end < rows->n && count->ranked[end] == count->ranked[start])
        end++;
    if (end - start > 1) {
        if (!rows->named && !read_names(rows, rows->n))
            return 0;
        rows->named = 1;
        memcpy(sorted + start, count->by_score + start, (end - start) * sizeof *sorted);
        sort_by_name(sorted + start, count->spare_row, end - start, rows->name, rows->size, ASCENDING);
    }
    end_of[start] = (uint32_t)end;
    return end;
}

/* The row of the document with this name among tied ones; -1 if the name is not UTF-8. */
static int64_t tied_row(const Entries *rows, size_t start, size_t end, PyObject *text)
{
    size_t size;
    Text name = name_of(text, &size);
    if (!name)
        return -1;
    while (end - start > 1) {
        size_t middle = start + (end - start) / 2, row = rows->sorted[middle];
        if (comes_first(name, size, rows->name[row], rows->size[row], ASCENDING))
            end = middle;
        else
            start = middle;
    }
    return rows->sorted[start];
}

/* The row of a document with this score; -1 if a name is not UTF-8. */
static int64_t row_of(const Count *count, Entries *rows, double score, PyObject *text, int tied)
{
    if (count->as_ranked)
        return (int64_t)n_above(rows->number, rows->n, score);
    size_t start = n_above(count->ranked, rows->n, score), end = tied ? end_of_ties(count, rows, start) : start + 1;
    if (end <= start)
        return -1;
    return end - start > 1 ? tied_row(rows, start, end, text) : count->by_score[start];
}

/* Look up the judged documents of a query in the run; the place of each in the ranking follows from its score. */
static int find_few(Count *count, const Judgments *judged, PyObject *dict, int64_t unit, Entries *rows, int tied)
{
    int64_t last = judged->starts[unit + 1] - 1;
    rows->named = 0;
    if (tied)
        memset(rows->sorted + rows->n, 0, rows->n * sizeof *rows->sorted);
    for (int64_t place = judged->starts[unit]; place <= last; place++) {
        FETCH(PyList_GetItem(judged->texts, (Py_ssize_t)(place + AHEAD < last ? place + AHEAD : last)));
        PyObject *text = PyList_GetItem(judged->texts, (Py_ssize_t)place);
        if (!text || !PyUnicode_CheckExact(text))
            return text ? IRREGULAR : -1;
        PyObject *value = PyDict_GetItemWithError(dict, text); /* all keys are str, so no code of the user is run */
        if (!value && PyErr_Occurred())
            return -1;
        if (!value)
            continue;
        double score = count->single ? (double)(float)plain_number(value) : plain_number(value);
        int64_t row = row_of(count, rows, score, text, tied);
        if (row < 0 || !add_hit(count, place, (size_t)row))
            return row < 0 ? IRREGULAR : NO_MEMORY;
    }
    return DONE;
}

/* Store the judged documents of a query in a hash table; IRREGULAR if one is not a str. */
static int fill_table(Entries *rows, PyObject *texts, int64_t first, size_t n)
{
    size_t n_slots = 64;
    while (n_slots < 2 * n)
        n_slots *= 2;
    if (!grown(&rows->slot, &rows->most_slots, n_slots, sizeof(Slot)))
        return NO_MEMORY;
    memset(rows->slot, 0, n_slots * sizeof(Slot));
    rows->mask = (uint32_t)(n_slots - 1);
    for (size_t i = 0; i < n; i++) {
        FETCH(PyList_GetItem(texts, (Py_ssize_t)first + (Py_ssize_t)(i + AHEAD < n ? i + AHEAD : i)));
        PyObject *text = PyList_GetItem(texts, (Py_ssize_t)first + (Py_ssize_t)i);
        if (!text || !PyUnicode_CheckExact(text))
            return text ? IRREGULAR : -1;
        uint64_t hash = mixed((uint64_t)PyObject_Hash(text));
        size_t at = hash & rows->mask;
        for (int steps = 0; rows->slot[at]; at = (at + 1) & rows->mask)
            if (++steps > MOST_STEPS)
                return IRREGULAR;
        rows->slot[at] = slot_for(hash, rows->mask, i);
    }
    return DONE;
}

/* Look up the documents of the run in the table of a query with many judged documents. */
static int find_many(Count *count, const Judgments *judged, int64_t unit, Entries *rows, int tied)
{
    int64_t first = judged->starts[unit];
    if (tied && !read_names(rows, rows->n))
        return IRREGULAR;
    int outcome = fill_table(rows, judged->texts, first, (size_t)(judged->starts[unit + 1] - first));
    for (size_t row = 0; row < rows->n && outcome == DONE; row++) {
        uint64_t hash = mixed((uint64_t)PyObject_Hash(rows->key[row]));
        for (size_t at = hash & rows->mask; rows->slot[at]; at = (at + 1) & rows->mask) {
            int64_t place = first + (int64_t)place_in(rows->slot[at], rows->mask);
            if (!may_be(rows->slot[at], hash, rows->mask) ||
                PyUnicode_Compare(rows->key[row], PyList_GetItem(judged->texts, (Py_ssize_t)place)) != 0)
                continue;
            if (!add_hit(count, place, row))
                return NO_MEMORY;
            break;
        }
    }
    return outcome == DONE && PyErr_Occurred() ? -1 : outcome;
}

static int is_exact(const Entries *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        if (isfinite(rows->number[i]) && fabs(rows->number[i]) >= EXACT)
            return 0;
    return 1;
}

static int count_dict(Count *count, const Judgments *judged, PyObject *dict, int64_t unit, Entries *rows)
{
    size_t first_hit = count->n_hits;
    int outcome = read_entries(rows, dict);
    if (outcome != DONE || !is_exact(rows))
        return outcome == DONE ? IRREGULAR : outcome;
    Ranking ranking = {(int32_t)unit, (uint32_t)rows->n, 0, 0};
    size_t n_named = rows->n < (size_t)count->n_of_each ? rows->n : (size_t)count->n_of_each;
    if (unit >= 0 && rows->n && count->n_samples < (size_t)count->n_some && !read_names(rows, n_named))
        return IRREGULAR;
    if (!has_room(count, rows->n) || !add_ranking(count, &ranking, rows->name, rows->size))
        return NO_MEMORY;
    int tied = rank_by_score(count, rows->n, rows->number);
    if (unit >= 0)
        outcome = (size_t)(judged->starts[unit + 1] - judged->starts[unit]) > rows->n / MANY
                      ? find_many(count, judged, unit, rows, tied)
                      : find_few(count, judged, dict, unit, rows, tied);
    if (outcome == DONE)
        rank_hits(count, rows->n, first_hit, rows->name, rows->size, tied);
    return outcome;
}

/* Whether the ranges of all queries cover the judged documents exactly. */
static int is_sound(const Judgments *judged, Py_ssize_t n_bytes)
{
    const int32_t *starts = judged->starts;
    if (n_bytes < 4 || starts[0] != 0 || starts[judged->n_queries] != PyList_Size(judged->texts))
        return 0;
    for (size_t q = 0; q < judged->n_queries; q++)
        if (starts[q] > starts[q + 1])
            return 0;
    return 1;
}

/* count_dicts(judged documents, first document of each query, dicts, place of each query, settings as for
   count_block); 0 if a key is not a str or a value is not a plain number */
PyObject *count_dicts(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *starts, *dicts, *units;
    Judgments judged = {0};
    Count count = {0};
    Entries rows = {0};
    Py_buffer view[2];
    if (!PyArg_ParseTuple(arguments, "O!OO!O(ipnn)", &PyList_Type, &judged.texts, &starts, &PyList_Type, &dicts, &units,
                          &count.order, &count.single, &count.n_some, &count.n_of_each) ||
        PyObject_GetBuffer(starts, &view[0], PyBUF_SIMPLE) < 0)
        return NULL;
    if (PyObject_GetBuffer(units, &view[1], PyBUF_SIMPLE) < 0) {
        PyBuffer_Release(&view[0]);
        return NULL;
    }
    judged.starts = view[0].buf;
    judged.n_queries = view[0].len >= 4 ? (size_t)view[0].len / 4 - 1 : 0;
    const int64_t *unit = view[1].buf;
    Py_ssize_t n = PyList_Size(dicts);
    int outcome = view[1].len == 8 * n && is_sound(&judged, view[0].len) ? DONE : IRREGULAR;
    for (Py_ssize_t i = 0; i < n && outcome == DONE; i++)
        outcome = unit[i] < (int64_t)judged.n_queries
                      ? count_dict(&count, &judged, PyList_GetItem(dicts, i), unit[i], &rows)
                      : IRREGULAR;
    PyBuffer_Release(&view[0]);
    PyBuffer_Release(&view[1]);
    free_entries(&rows);
    PyObject *result = counted(&count, outcome, Py_None);
    free_count(&count);
    return result;
}
