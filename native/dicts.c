/* Dicts of dicts, gone through without copying them. */

#include "native.h"

/* numbers(dicts): all values as doubles, one dict after the other; None if one is neither a float nor an integer that
   fits, or is NaN. */
PyObject *numbers(PyObject *module, PyObject *dicts)
{
    (void)module;
    Py_ssize_t total = 0, n_dicts = PyList_Check(dicts) ? PyList_Size(dicts) : 0;
    for (Py_ssize_t i = 0; i < n_dicts; i++) {
        Py_ssize_t size = PyDict_Size(PyList_GetItem(dicts, i)); /* an error if it is no dict */
        if (size < 0)
            return NULL;
        total += size;
    }
    PyObject *result = PyBytes_FromStringAndSize(NULL, 8 * total);
    if (!result)
        return NULL;
    double *number = (double *)PyBytes_AsString(result);
    for (Py_ssize_t i = 0; i < n_dicts; i++) {
        Py_ssize_t at = 0;
        PyObject *key, *value;
        while (PyDict_Next(PyList_GetItem(dicts, i), &at, &key, &value)) {
            int is_number = PyFloat_Check(value) || PyLong_CheckExact(value);
            *number = is_number ? PyFloat_AsDouble(value) : NAN; /* of these types, it runs no code of anybody */
            if (isnan(*number) || (*number == -1 && PyErr_Occurred())) {
                PyErr_Clear();
                Py_DECREF(result);
                Py_RETURN_NONE;
            }
            number++;
        }
    }
    return result;
}

/* Whether all keys of a dict are texts. */
PyObject *has_text_keys(PyObject *module, PyObject *dict)
{
    (void)module;
    Py_ssize_t at = 0;
    PyObject *key, *value;
    if (!PyDict_CheckExact(dict))
        Py_RETURN_FALSE;
    while (PyDict_Next(dict, &at, &key, &value))
        if (!PyUnicode_CheckExact(key))
            Py_RETURN_FALSE;
    Py_RETURN_TRUE;
}

/* ---- Runs as dicts ----------------------------------------------------------------------------------------------- */

#define TEXT_INDEX "cranfield.text_index"
#define AHEAD 16 /* objects that are fetched from memory while others are looked at */

/* The judged documents of each query as texts, by the hashes that these carry. */
typedef struct {
    PyObject *texts; /* a tuple, which keeps them */
    PyObject **text;
    size_t n_queries;
    size_t *table;
    uint32_t *mask;
    Slot *slot;
} TextIndex;

static void free_text_index(TextIndex *index)
{
    Py_XDECREF(index->texts);
    free(index->text);
    free(index->table);
    free(index->mask);
    free(index->slot);
    free(index);
}

static void free_text_index_capsule(PyObject *capsule)
{
    free_text_index(PyCapsule_GetPointer(capsule, TEXT_INDEX));
}

/* Python's hash, whose lower bits are good ones; never an error, for a text. */
static uint64_t hash_of(PyObject *text)
{
    return (uint64_t)PyObject_Hash(text);
}

static int fill(TextIndex *index, const int64_t *starts)
{
    size_t total = 0;
    for (size_t q = 0; q < index->n_queries; q++) {
        index->table[q] = total;
        index->mask[q] = n_slots((uint64_t)(starts[q + 1] - starts[q])) - 1;
        total += (size_t)index->mask[q] + 1;
    }
    index->slot = calloc(total + 1, sizeof(Slot));
    if (!index->slot)
        return NO_MEMORY;
    int64_t n = starts[index->n_queries];
    for (size_t q = 0; q < index->n_queries; q++)
        for (int64_t d = starts[q]; d < starts[q + 1]; d++) {
            FETCH(index->text[d + AHEAD < n ? d + AHEAD : d]);
            if (!PyUnicode_CheckExact(index->text[d]))
                return IRREGULAR;
            uint64_t hash = hash_of(index->text[d]);
            uint32_t at = (uint32_t)hash & index->mask[q];
            for (int steps = 0; index->slot[index->table[q] + at].place; at = (at + 1) & index->mask[q])
                if (++steps > MOST_STEPS)
                    return IRREGULAR;
            Slot slot = {(uint32_t)(hash >> 32), (uint32_t)d + 1};
            index->slot[index->table[q] + at] = slot;
        }
    return DONE;
}

/* text_index(texts, starts): the judged documents, those of a query from its start on; None if hashes collide */
PyObject *new_text_index(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *texts, *given, *result = NULL;
    Py_buffer view;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyList_Type, &texts, &given) ||
        PyObject_GetBuffer(given, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    const int64_t *starts = view.buf;
    size_t n = view.len >= 8 ? (size_t)view.len / 8 - 1 : 0;
    int is_sound = view.len >= 8 && starts[0] == 0 && starts[n] == PyList_Size(texts) && starts[n] < 1 << 30;
    for (size_t q = 0; is_sound && q < n; q++)
        is_sound = starts[q] <= starts[q + 1];
    TextIndex *index = is_sound ? calloc(1, sizeof(TextIndex)) : NULL;
    if (!is_sound)
        PyErr_SetString(PyExc_ValueError, "the queries do not share out the texts");
    if (index) {
        index->n_queries = n;
        index->texts = PyList_AsTuple(texts);
        index->text = malloc(((size_t)starts[n] + 1) * sizeof(PyObject *));
        index->table = malloc((n + 1) * sizeof(size_t));
        index->mask = malloc((n + 1) * sizeof(uint32_t));
        int outcome = index->texts && index->text && index->table && index->mask ? DONE : NO_MEMORY;
        for (int64_t d = 0; outcome == DONE && d < starts[n]; d++)
            index->text[d] = PyTuple_GetItem(index->texts, (Py_ssize_t)d);
        outcome = outcome == DONE ? fill(index, starts) : outcome;
        if (outcome == DONE)
            result = PyCapsule_New(index, TEXT_INDEX, free_text_index_capsule);
        else
            result = outcome == IRREGULAR ? Py_NewRef(Py_None) : PyErr_NoMemory();
        if (outcome != DONE || !result)
            free_text_index(index);
    } else if (is_sound)
        PyErr_NoMemory();
    PyBuffer_Release(&view);
    return result;
}

static int64_t find(const TextIndex *index, int64_t unit, uint64_t hash, PyObject *key)
{
    const Slot *slot = index->slot + index->table[unit];
    for (uint32_t at = (uint32_t)hash & index->mask[unit]; slot[at].place; at = (at + 1) & index->mask[unit]) {
        PyObject *text = index->text[slot[at].place - 1];
        if (slot[at].tag == (uint32_t)(hash >> 32) && (text == key || PyUnicode_Compare(text, key) == 0))
            return (int64_t)slot[at].place - 1;
    }
    return -1;
}

/* The text that is compared first with a key of this hash. */
static const void *first_text(const TextIndex *index, int64_t unit, uint64_t hash)
{
    const Slot *slot = index->slot + index->table[unit] + ((uint32_t)hash & index->mask[unit]);
    return slot->place ? index->text[slot->place - 1] : (const void *)slot;
}

/* The rows of one dict. */
typedef struct {
    size_t n, most_scores, most_keys, most_values, most_names, most_sizes;
    double *score;
    PyObject **key, **value;
    Text *name;
    uint32_t *size;
} Entries;

static int has_entries(Entries *rows, size_t n)
{
    rows->n = 0;
    return grown(&rows->score, &rows->most_scores, n + 1, sizeof(double)) &&
           grown(&rows->key, &rows->most_keys, n + 1, sizeof(PyObject *)) &&
           grown(&rows->value, &rows->most_values, n + 1, sizeof(PyObject *)) &&
           grown(&rows->name, &rows->most_names, n + 1, sizeof(Text)) &&
           grown(&rows->size, &rows->most_sizes, n + 1, sizeof(uint32_t));
}

/* The bytes of the first names; 0 if one is no UTF-8. */
static int read_names(Entries *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        Py_ssize_t size;
        rows->name[i] = (Text)PyUnicode_AsUTF8AndSize(rows->key[i], &size);
        if (!rows->name[i] || size > INT32_MAX) {
            PyErr_Clear();
            return 0;
        }
        rows->size[i] = (uint32_t)size;
    }
    return 1;
}

/* The scores of a dict, and the hashes of its keys. With these types, nobody's code is run. */
static int read_entries(Entries *rows, uint64_t *hash)
{
    for (size_t i = 0; i < rows->n; i++) {
        size_t next = i + AHEAD < rows->n ? i + AHEAD : i;
        FETCH(rows->key[next]);
        FETCH(rows->value[next]);
        PyObject *value = rows->value[i];
        double score = PyFloat_CheckExact(value) || PyLong_CheckExact(value) ? PyFloat_AsDouble(value) : NAN;
        if (!PyUnicode_CheckExact(rows->key[i]) || isnan(score) || (isfinite(score) && fabs(score) >= EXACT) ||
            (score == -1 && PyErr_Occurred())) {
            PyErr_Clear();
            return IRREGULAR;
        }
        rows->score[i] = score;
        hash[i] = hash_of(rows->key[i]);
    }
    return DONE;
}

static int find_hits(Count *count, const TextIndex *index, int64_t unit, const Entries *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        FETCH(first_text(index, unit, count->hash[i + AHEAD < rows->n ? i + AHEAD : i]));
        int64_t place = find(index, unit, count->hash[i], rows->key[i]);
        if (place >= 0 && !add_hit(count, place, i))
            return NO_MEMORY;
    }
    return DONE;
}

static int count_dict(Count *count, const TextIndex *index, PyObject *dict, int64_t unit, Entries *rows)
{
    Py_ssize_t at = 0, n = PyDict_Size(dict);
    size_t first_hit = count->n_hits;
    if (!has_entries(rows, (size_t)n) || !has_room(count, (size_t)n))
        return NO_MEMORY;
    for (; PyDict_Next(dict, &at, &rows->key[rows->n], &rows->value[rows->n]); rows->n++)
        ;
    int outcome = read_entries(rows, count->hash);
    if (outcome == DONE && unit >= 0)
        outcome = find_hits(count, index, unit, rows);
    if (outcome != DONE)
        return outcome;
    size_t n_named = rows->n < (size_t)count->n_of_each ? rows->n : (size_t)count->n_of_each;
    Ranking ranking = {unit, (int64_t)rows->n, 0, 0};
    if (unit >= 0 && rows->n && count->n_samples < (size_t)count->n_some && !read_names(rows, n_named))
        return IRREGULAR;
    if (!add_ranking(count, &ranking, rows->name, rows->size))
        return NO_MEMORY;
    int tied = rank_by_score(count, rows->n, rows->score);
    if (tied && count->n_hits > first_hit && count->order != AS_GIVEN && !read_names(rows, rows->n))
        return IRREGULAR;
    rank_hits(count, rows->n, first_hit, rows->name, rows->size, tied);
    return DONE;
}

/* count_dicts(text index, dicts, place of each query, settings as for count_block); 0 if some key is no text, or some
   value no plain number */
PyObject *count_dicts(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *dicts, *units;
    Count count = {0};
    Entries rows = {0};
    Py_buffer view;
    if (!PyArg_ParseTuple(arguments, "OO!O(ipnn)", &capsule, &PyList_Type, &dicts, &units, &count.order, &count.single,
                          &count.n_some, &count.n_of_each))
        return NULL;
    const TextIndex *index = PyCapsule_GetPointer(capsule, TEXT_INDEX);
    if (!index || PyObject_GetBuffer(units, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    const int64_t *unit = view.buf;
    Py_ssize_t n = PyList_Size(dicts);
    int outcome = view.len == 8 * n ? DONE : IRREGULAR;
    for (Py_ssize_t i = 0; i < n && outcome == DONE; i++) {
        PyObject *dict = PyList_GetItem(dicts, i);
        outcome = PyDict_CheckExact(dict) && unit[i] < (int64_t)index->n_queries
                      ? count_dict(&count, index, dict, unit[i], &rows)
                      : IRREGULAR;
    }
    PyBuffer_Release(&view);
    free(rows.score);
    free(rows.key);
    free(rows.value);
    free(rows.name);
    free(rows.size);
    return counted(&count, outcome, Py_None);
}
