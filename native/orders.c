/* Sorting of rows: by score, and by name if scores are equal. */

#include "native.h"

#define FEW 32    /* rows that are sorted by insertion */
#define MANY 8192 /* rows, so many that two bytes leave too many of them equal */

/* A sort key that is smaller for higher scores. */
static uint64_t key_of(double score)
{
    uint64_t bits;
    score += 0.0; /* -0.0 is 0.0 */
    memcpy(&bits, &score, 8);
    return bits >> 63 ? bits : ~bits & ~((uint64_t)1 << 63);
}

/* Insertion sort; 0 if it takes too many steps. */
static int insert_by_score(Count *count, size_t n, size_t most_steps)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t key = count->key[i];
        uint32_t row = count->by_score[i];
        size_t at = i;
        for (; at > 0 && count->key[at - 1] > key; at--) {
            count->key[at] = count->key[at - 1];
            count->by_score[at] = count->by_score[at - 1];
        }
        count->key[at] = key;
        count->by_score[at] = row;
        if (i - at > most_steps)
            return 0;
        most_steps -= i - at;
    }
    return 1;
}

/* Radix sort by some bytes of the keys minus the smallest, starting at a bit; stable. */
static void sort_by_bytes(Count *count, size_t n, uint64_t least, int first_bit, int n_bytes)
{
    uint32_t n_with[8][256];
    memset(n_with, 0, (size_t)n_bytes * sizeof *n_with);
    for (size_t i = 0; i < n; i++) {
        uint64_t key = (count->key[i] - least) >> first_bit;
        for (int byte = 0; byte < n_bytes; byte++, key >>= 8)
            n_with[byte][key & 255]++;
    }
    for (int byte = 0; byte < n_bytes; byte++) {
        uint32_t *next = n_with[byte], before = 0;
        if (next[(count->key[0] - least) >> (first_bit + 8 * byte) & 255] == n)
            continue; /* the same in all keys */
        for (int value = 0; value < 256; value++) {
            uint32_t here = next[value];
            next[value] = before;
            before += here;
        }
        for (size_t i = 0; i < n; i++) {
            uint32_t to = next[(count->key[i] - least) >> (first_bit + 8 * byte) & 255]++;
            count->spare_key[to] = count->key[i];
            count->spare_row[to] = count->by_score[i];
        }
        uint64_t *key = count->key;
        count->key = count->spare_key;
        count->spare_key = key;
        uint32_t *row = count->by_score;
        count->by_score = count->spare_row;
        count->spare_row = row;
    }
}

/* Stable sort by key. Sorting by the highest bits in which keys differ leaves few rows out of order, unless most scores
   are very close to each other. */
static void sort_by_score(Count *count, size_t n)
{
    uint64_t least = UINT64_MAX, greatest = 0;
    int n_bits = 0, n_bytes = n < MANY ? 2 : 4;
    if (n > FEW) {
        for (size_t i = 0; i < n; i++) {
            least = count->key[i] < least ? count->key[i] : least;
            greatest = count->key[i] > greatest ? count->key[i] : greatest;
        }
        while (n_bits < 64 && (greatest - least) >> n_bits)
            n_bits++;
        sort_by_bytes(count, n, least, n_bits > 8 * n_bytes ? n_bits - 8 * n_bytes : 0, n_bytes);
    }
    if (!insert_by_score(count, n, n <= FEW ? FEW * FEW : 2 * n))
        sort_by_bytes(count, n, least, 0, 8);
}

/* Whether the scores are descending, and whether some are equal. */
static int is_descending(const double *score, size_t n, int *tied)
{
    int rises = 0, equal = 0;
    for (size_t i = 1; i < n; i++) {
        rises |= score[i] > score[i - 1];
        equal |= score[i] == score[i - 1];
    }
    *tied = equal;
    return !rises;
}

/* The scores in descending order, rounded if requested. */
int rank_by_score(Count *count, size_t n, double *score)
{
    int tied;
    for (size_t i = 0; count->single && i < n; i++)
        score[i] = (double)(float)score[i];
    int descending = is_descending(score, n, &tied);
    count->as_ranked = descending && !tied;
    if (count->as_ranked)
        return 0;
    for (size_t i = 0; i < n; i++)
        count->by_score[i] = (uint32_t)i;
    if (!descending) {
        count->n_disordered++;
        for (size_t i = 0; i < n; i++)
            count->key[i] = key_of(score[i]);
        sort_by_score(count, n);
    }
    for (size_t i = 0; i < n; i++)
        count->ranked[i] = score[count->by_score[i]];
    if (!descending)
        is_descending(count->ranked, n, &tied); /* they are sorted now, so equal scores are adjacent */
    for (size_t i = 0; i < n; i++)
        count->at[count->by_score[i]] = (uint32_t)i;
    count->n_tied += tied;
    return tied;
}

int comes_first(Text one, size_t size, Text other, size_t other_size, int order)
{
    int difference = memcmp(one, other, size < other_size ? size : other_size);
    if (difference == 0)
        difference = (size > other_size) - (size < other_size);
    return order == DESCENDING ? difference > 0 : difference < 0;
}

/* Sort rows by name with a merge sort. */
void sort_by_name(uint32_t *row, uint32_t *spare, size_t n, const Text *name, const uint32_t *size, int order)
{
    uint32_t *from = row, *to = spare;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t start = 0; start < n; start += 2 * width) {
            size_t middle = start + width < n ? start + width : n, end = middle + width < n ? middle + width : n;
            for (size_t a = start, b = middle, i = start; i < end; i++) {
                int left = b == end || (a < middle && !comes_first(name[from[b]], size[from[b]], name[from[a]],
                                                                   size[from[a]], order));
                to[i] = from[left ? a++ : b++];
            }
        }
        uint32_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != row)
        memcpy(row, from, n * sizeof *row);
}
