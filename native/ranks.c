/* The ranks of the judged documents of one ranking: by score, and by name among documents with the same score. */

#include "native.h"

#define BITS_PER_ROW 32 /* bits per row, at least, of the filter that finds duplicate documents */
#define MANY 256 /* slots, more than fit in the cache */
#define AHEAD 8  /* rows to prefetch while earlier ones are processed */

int has_room(Count *count, size_t n)
{
    if (n <= count->most_room)
        return 1;
    size_t most = 2 * n + 1024, table = 2048;
    while (table < 2 * most)
        table *= 2; /* larger than any power of two needed below */
    void **room[] = {(void **)&count->hash,      (void **)&count->key, (void **)&count->spare_key, (void **)&count->ranked,
                     (void **)&count->by_score, (void **)&count->at,  (void **)&count->spare_row, (void **)&count->tie};
    for (int i = 0; i < 8; i++) {
        free(*room[i]);
        *room[i] = malloc(most * (i < 4 ? 8 : 4));
        if (!*room[i])
            return count->most_room = 0;
    }
    free(count->table);
    free(count->met);
    count->table = malloc(table * sizeof(uint32_t));
    count->met = malloc(table * BITS_PER_ROW / 8); /* twice, for half as many rows */
    count->most_room = count->table && count->met ? most : 0;
    return count->most_room > 0;
}

int add_hit(Count *count, int64_t place, size_t row)
{
    if (!grown(&count->hit, &count->most_hits, count->n_hits + 1, sizeof(Hit)))
        return 0;
    Hit hit = {(uint32_t)place, (uint32_t)row, 0, 1}; /* the row, until ranks are known */
    count->hit[count->n_hits++] = hit;
    return 1;
}

/* IRREGULAR if two of these rows have the same document. */
static int are_different(Count *count, const uint32_t *row, size_t n, const Text *name, const uint32_t *size)
{
    size_t n_slots = 64;
    while (n_slots < 2 * n)
        n_slots *= 2; /* a table no larger than needed, which stays in the cache */
    memset(count->table, 0, n_slots * sizeof(uint32_t));
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = count->hash[row[i]];
        size_t at = hash >> 32 & (n_slots - 1); /* the lower halves of these hashes are similar */
        for (int steps = 0; count->table[at]; at = (at + 1) & (n_slots - 1)) {
            size_t other = count->table[at] - 1;
            if (count->hash[other] == hash && same_name(name[other], size[other], name[row[i]], size[row[i]]))
                return IRREGULAR;
            if (++steps > MOST_STEPS)
                return IRREGULAR;
        }
        count->table[at] = row[i] + 1;
    }
    return DONE;
}

/* Hash the documents; IRREGULAR if one occurs twice. With one bit per hash, only a few rows need to be compared: those
   whose bit was already set, and those that had set it. */
static int hash_names(Count *count, size_t n, const Text *name, const uint32_t *size)
{
    size_t n_bits = 1024, n_suspects = 0;
    while (n_bits < BITS_PER_ROW * n)
        n_bits *= 2;
    uint64_t *met = count->met, *again = count->met + n_bits / 64;
    memset(met, 0, n_bits / 4);
    for (size_t row = 0; row < n; row++) {
        uint64_t hash = count->hash[row] = hashed(name[row], size[row], count->index->seed);
        size_t at = (hash & (n_bits - 1)) / 64;
        uint64_t bit = (uint64_t)1 << (hash & 63);
        again[at] |= met[at] & bit;
        met[at] |= bit;
    }
    for (size_t row = 0; row < n; row++) {
        uint64_t hash = count->hash[row];
        count->spare_row[n_suspects] = (uint32_t)row;
        n_suspects += again[(hash & (n_bits - 1)) / 64] >> (hash & 63) & 1;
    }
    return are_different(count, count->spare_row, n_suspects, name, size);
}

/* Find the judged documents; slots and names are prefetched while earlier rows are processed. */
static int find_hits(Count *count, int64_t unit, size_t n, const Text *name, const uint32_t *size)
{
    const Index *index = count->index;
    uint32_t mask = mask_of(index, unit);
    const Slot *slot = mask == SCANNED ? NULL : index->document + index->table[unit];
    const Text judged = index->view[DOCUMENT_DATA].buf;
    int32_t first = ((const int32_t *)index->view[STARTS].buf)[unit];
    const int32_t *start = (const int32_t *)index->view[DOCUMENT_START].buf + first;
    const uint16_t *length = (const uint16_t *)index->view[DOCUMENT_LENGTH].buf + first;
    size_t ahead = mask < MANY || mask == SCANNED ? 0 : AHEAD;
    for (size_t row = 0; row < n; row++) {
        if (row + 3 * ahead < n && ahead) {
            FETCH(slot + ((uint32_t)count->hash[row + 3 * ahead] & mask));
            uint32_t later = slot[(uint32_t)count->hash[row + 2 * ahead] & mask] & mask;
            FETCH(start + later - (later > 0));
            FETCH(length + later - (later > 0));
            uint32_t next = slot[(uint32_t)count->hash[row + ahead] & mask] & mask;
            FETCH(judged + start[next - (next > 0)]);
        }
        int64_t place = find_document(index, unit, count->hash[row], name[row], size[row]);
        if (place >= 0 && !add_hit(count, place, row))
            return NO_MEMORY;
    }
    return DONE;
}

/* The start and size of the tie group of each hit; ties are ordered by name unless they stay as given. */
static void break_ties(Count *count, size_t n, size_t first_hit, const Text *name, const uint32_t *size)
{
    for (size_t i = 0; i < n; i++)
        count->tie[i] = i && count->ranked[i] == count->ranked[i - 1] ? count->tie[i - 1] : (uint32_t)i;
    uint64_t *end = count->spare_key; /* of the tie group that begins here, with a flag once it is sorted */
    for (size_t i = 0; i < n; i++)
        end[count->tie[i]] = i + 1;
    const uint64_t sorted = (uint64_t)1 << 63;
    for (size_t h = first_hit; h < count->n_hits; h++) {
        Hit *hit = &count->hit[h];
        size_t start = count->tie[count->at[hit->rank]], n_tied = (end[start] & ~sorted) - start;
        hit->tie_start = (uint32_t)start;
        hit->tie_size = (uint32_t)n_tied;
        if (n_tied == 1 || count->order == AS_GIVEN || end[start] & sorted)
            continue;
        end[start] |= sorted;
        sort_by_name(count->by_score + start, count->spare_row, n_tied, name, size, count->order);
        for (size_t i = start; i < start + n_tied; i++)
            count->at[count->by_score[i]] = (uint32_t)i;
    }
}

/* Keep the first documents of the first judged rankings. */
static int sampled(Count *count, const Ranking *ranking, const Text *name, const uint32_t *size)
{
    size_t n = (size_t)ranking->n_retrieved, most = (size_t)count->n_of_each;
    if (ranking->unit < 0 || n == 0 || count->n_samples >= (size_t)count->n_some)
        return 1;
    n = n < most ? n : most;
    size_t n_bytes = count->n_sample_bytes;
    for (size_t i = 0; i < n; i++)
        n_bytes += size[i];
    if (!grown(&count->sample, &count->most_samples, count->n_samples + 1, sizeof(Sample)) ||
        !grown(&count->sample_bytes, &count->most_bytes, n_bytes + 1, 1) ||
        !grown(&count->sample_size, &count->most_sizes, count->n_sampled + n, sizeof(uint32_t)))
        return 0;
    Sample sample = {ranking->unit, n};
    count->sample[count->n_samples++] = sample;
    for (size_t i = 0; i < n; i++) { /* copied: whoever owns the names may drop them before they are returned */
        memcpy(count->sample_bytes + count->n_sample_bytes, name[i], size[i]);
        count->n_sample_bytes += size[i];
        count->sample_size[count->n_sampled++] = size[i];
    }
    return 1;
}

int add_ranking(Count *count, const Ranking *ranking, const Text *name, const uint32_t *size)
{
    if (!sampled(count, ranking, name, size) ||
        !grown(&count->ranking, &count->most_rankings, count->n_rankings + 1, sizeof(Ranking)))
        return 0;
    count->ranking[count->n_rankings++] = *ranking;
    return 1;
}

void rank_hits(Count *count, size_t n, size_t first_hit, const Text *name, const uint32_t *size, int tied)
{
    if (tied)
        break_ties(count, n, first_hit, name, size);
    for (size_t h = first_hit; h < count->n_hits; h++) {
        Hit *hit = &count->hit[h];
        hit->rank = (count->as_ranked ? hit->rank : count->at[hit->rank]) + 1;
        hit->tie_start = tied ? hit->tie_start + 1 : hit->rank;
    }
}

int count_ranking(Count *count, Ranking ranking, double *score, const Text *name, const uint32_t *size)
{
    size_t first_hit = count->n_hits, n = (size_t)ranking.n_retrieved;
    if (!has_room(count, n) || !add_ranking(count, &ranking, name, size))
        return NO_MEMORY;
    int alone = n == 1 && (ranking.unit < 0 || mask_of(count->index, ranking.unit) == SCANNED);
    int outcome = alone ? DONE : hash_names(count, n, name, size); /* a single name is compared directly */
    if (outcome == DONE && ranking.unit >= 0)
        outcome = find_hits(count, ranking.unit, n, name, size);
    if (outcome == DONE)
        rank_hits(count, n, first_hit, name, size, rank_by_score(count, n, score));
    return outcome;
}

/* [(unit, [document, …]), …] */
static PyObject *sample_of(const Count *count)
{
    PyObject *samples = PyList_New(0);
    const uint32_t *size = count->sample_size;
    const char *bytes = count->sample_bytes;
    for (size_t s = 0; samples && s < count->n_samples; s++) {
        const Sample *sample = &count->sample[s];
        PyObject *names = PyList_New((Py_ssize_t)sample->n), *each = NULL;
        for (size_t i = 0; names && i < sample->n; i++, bytes += *size++) {
            PyObject *name = as_bytes(bytes, *size);
            if (!name || PyList_SetItem(names, (Py_ssize_t)i, name) < 0)
                Py_CLEAR(names);
        }
        if (names)
            each = Py_BuildValue("(LN)", (long long)sample->unit, names);
        if (!each || PyList_Append(samples, each) < 0)
            Py_CLEAR(samples);
        Py_XDECREF(each);
    }
    return samples;
}

void free_count(Count *count)
{
    void *room[] = {count->ranking, count->hit, count->sample, count->sample_bytes, count->sample_size,
                    count->table,   count->met,   count->hash, count->key,   count->spare_key,   count->ranked,
                    count->tie,     count->at,   count->by_score, count->spare_row};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        free(room[i]);
}

PyObject *counted(const Count *count, int outcome, PyObject *data)
{
    PyObject *result = NULL;
    if (outcome == DONE)
        result = Py_BuildValue("(ONNLLN)", data, as_bytes(count->ranking, count->n_rankings * sizeof(Ranking)),
                               as_bytes(count->hit, count->n_hits * sizeof(Hit)), (long long)count->n_disordered,
                               (long long)count->n_tied, sample_of(count));
    else if (outcome == NO_MEMORY)
        PyErr_NoMemory();
    else if (outcome >= 0)
        result = PyLong_FromLong(outcome);
    return result;
}
