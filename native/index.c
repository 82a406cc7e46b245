/* The index of judged documents: from names to queries and documents. */

#include "native.h"

#define FEW 16 /* judged documents of a query */
#define VERY_FEW 2 /* judged documents, too few for a table */
#define MANY (1u << 20) /* names, so many that empty slots cost too much memory */

static Names names_of(const Index *index, int first)
{
    Names names = {index->view[first].buf, index->view[first + 1].buf, index->view[first + 2].buf};
    return names;
}

static int put(Slot *slot, uint32_t mask, uint64_t hash, size_t place)
{
    uint32_t at = (uint32_t)hash & mask;
    for (int steps = 0; slot[at]; at = (at + 1) & mask)
        if (++steps > MOST_STEPS)
            return 0;
    slot[at] = slot_for(hash, mask, place);
    return 1;
}

static int put_document(const Index *index, size_t query, size_t first, size_t place)
{
    Names names = names_of(index, DOCUMENT_DATA);
    uint64_t hash = hashed(names.data + names.start[place], (size_t)names.length[place], index->seed);
    return put(index->document + index->table[query], index->mask[query], hash, place - first);
}

/* The index of a name, or -1. */
static int64_t find(const Slot *slot, uint32_t mask, uint64_t hash, Names names, Text name, size_t size)
{
    for (uint32_t at = (uint32_t)hash & mask; slot[at]; at = (at + 1) & mask) {
        size_t place = place_in(slot[at], mask);
        if (may_be(slot[at], hash, mask) && same_name(names.data + names.start[place], (size_t)names.length[place], name, size))
            return (int64_t)place;
    }
    return -1;
}

int64_t find_query(const Index *index, Text name, size_t size)
{
    uint64_t hash = hashed(name, size, index->seed);
    return find(index->query, index->query_mask, hash, names_of(index, QUERY_DATA), name, size);
}

/* Prefetch step by step: the slot of a query, its name and the start of its documents, the first of these. */
void fetch_query(const Index *index, Text name, size_t size, int step)
{
    const Slot *slot = &index->query[(uint32_t)hashed(name, size, index->seed) & index->query_mask];
    Names query = names_of(index, QUERY_DATA), document = names_of(index, DOCUMENT_DATA);
    if (step == 0) {
        FETCH(slot);
        return;
    }
    if (!*slot)
        return;
    size_t place = place_in(*slot, index->query_mask);
    const int32_t *first = (const int32_t *)index->view[STARTS].buf + place;
    if (step == 1) {
        FETCH(query.start + place);
        FETCH(query.length + place);
        FETCH(first);
    } else if (step == 2) {
        FETCH(query.data + query.start[place]);
        FETCH(document.start + *first);
        FETCH(document.length + *first);
    } else if (*first < first[1])
        FETCH(document.data + document.start[*first]);
}

static void free_index(PyObject *capsule)
{
    Index *index = PyCapsule_GetPointer(capsule, "cranfield.index");
    for (int i = 0; i < index->n_views; i++)
        PyBuffer_Release(&index->view[i]);
    free(index->query);
    free(index->table);
    free(index->mask);
    free(index->document);
    free_workspaces(index);
    free(index);
}

/* Whether every name lies within its data and the ranges of all queries cover the documents exactly. */
static int is_sound(const Index *index, size_t n_queries, size_t n_documents)
{
    const int32_t *starts = index->view[STARTS].buf;
    if (index->view[STARTS].len != (Py_ssize_t)(4 * (n_queries + 1)) || starts[0] != 0 ||
        (size_t)starts[n_queries] != n_documents || n_documents >= 1u << 30 || n_queries >= 1u << 30)
        return 0;
    for (size_t q = 0; q < n_queries; q++)
        if (starts[q] > starts[q + 1])
            return 0;
    for (int first = QUERY_DATA; first <= DOCUMENT_DATA; first += DOCUMENT_DATA) {
        Names names = names_of(index, first);
        size_t n = first == QUERY_DATA ? n_queries : n_documents;
        if (index->view[first + 1].len != (Py_ssize_t)(4 * n) || index->view[first + 2].len != (Py_ssize_t)(2 * n))
            return 0;
        for (size_t i = 0; i < n; i++)
            if (names.start[i] < 0 || names.start[i] > index->view[first].len - names.length[i])
                return 0;
    }
    return 1;
}

static int fill_queries(Index *index, size_t n_queries)
{
    Names query = names_of(index, QUERY_DATA);
    uint32_t n = n_slots(n_queries);
    index->query_mask = n - 1;
    index->query = calloc(n, sizeof(Slot));
    if (!index->query)
        return NO_MEMORY;
    for (size_t q = 0; q < n_queries; q++)
        if (!put(index->query, index->query_mask, hashed(query.data + query.start[q], query.length[q], index->seed), q))
            return IRREGULAR;
    return DONE;
}

static int needs_tables(const int32_t *starts, size_t n_queries)
{
    for (size_t q = 0; q < n_queries; q++)
        if (starts[q + 1] - starts[q] > VERY_FEW)
            return 1;
    return 0;
}

static int fill_documents(Index *index, size_t n_queries)
{
    const int32_t *starts = index->view[STARTS].buf;
    size_t total = 0;
    uint64_t few = (uint32_t)starts[n_queries] < MANY ? FEW : 0;
    if (!needs_tables(starts, n_queries))
        return DONE;
    index->table = calloc(n_queries + 1, sizeof(uint32_t));
    index->mask = calloc(n_queries + 1, sizeof(uint32_t));
    if (!index->table || !index->mask)
        return NO_MEMORY;
    for (size_t q = 0; q < n_queries; q++) {
        index->table[q] = (uint32_t)total;
        uint64_t n_names = (uint64_t)(starts[q + 1] - starts[q]);
        if (n_names <= VERY_FEW) {
            index->mask[q] = SCANNED;
            continue;
        }
        index->mask[q] = n_slots(n_names <= few ? 4 * n_names : n_names) - 1; /* mostly empty if there are few names */
        total += (size_t)index->mask[q] + 1;
        if (total > UINT32_MAX)
            return IRREGULAR;
    }
    index->document = malloc((total + 1) * sizeof(Slot));
    if (!index->document)
        return NO_MEMORY;
    memset(index->document, 0, (total + 1) * sizeof(Slot)); /* calloc's pages would be faulted in twice */
    for (size_t q = 0; q < n_queries; q++)
        for (int32_t d = starts[q]; index->mask[q] != SCANNED && d < starts[q + 1]; d++)
            if (!put_document(index, q, (size_t)starts[q], (size_t)d))
                return IRREGULAR;
    return DONE;
}

/* index(seed, query data, starts and lengths, document data, starts, lengths, first document of each query), where
   lengths have 16 bits, and other numbers but the seed 32;
   None if names collide, or take more than 4 GB. */
PyObject *new_index(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *given[N_VIEWS], *capsule;
    unsigned long long seed;
    if (!PyArg_ParseTuple(arguments, "KOOOOOOO", &seed, &given[0], &given[1], &given[2], &given[3], &given[4],
                          &given[5], &given[6]))
        return NULL;
    Index *index = calloc(1, sizeof(Index));
    if (!index)
        return PyErr_NoMemory();
    index->seed = seed;
    capsule = PyCapsule_New(index, "cranfield.index", free_index);
    if (!capsule) {
        free(index);
        return NULL;
    }
    for (; index->n_views < N_VIEWS; index->n_views++)
        if (PyObject_GetBuffer(given[index->n_views], &index->view[index->n_views], PyBUF_SIMPLE) < 0)
            goto failed;
    size_t n_queries = index->view[QUERY_START].len / 4, n_documents = index->view[DOCUMENT_START].len / 4;
    if (!is_sound(index, n_queries, n_documents)) {
        PyErr_SetString(PyExc_ValueError, "the names do not lie within their data");
        goto failed;
    }
    int outcome = index->view[DOCUMENT_DATA].len < UINT32_MAX ? fill_queries(index, n_queries) : IRREGULAR;
    if (outcome == DONE)
        outcome = fill_documents(index, n_queries);
    if (outcome == DONE)
        return capsule;
    Py_DECREF(capsule);
    return outcome == NO_MEMORY ? PyErr_NoMemory() : Py_NewRef(Py_None);
failed:
    Py_DECREF(capsule);
    return NULL;
}
