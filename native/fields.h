/* Lines of fields between blanks, found one after another. */

#ifndef CRANFIELD_FIELDS_H
#define CRANFIELD_FIELDS_H

#include "native.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define MOST_FIELDS 8 /* that are looked at */
#define IS_DIGIT(c) ((unsigned char)((c) - '0') < 10)

enum { INSIDE, BLANK, LINE_END, ZERO };

static const unsigned char kind_of[256] = {
    [0] = ZERO, ['\n'] = LINE_END, [' '] = BLANK, ['\t'] = BLANK, ['\r'] = BLANK, ['\v'] = BLANK, ['\f'] = BLANK};

/* Which byte of a word has its highest bit set, the first in memory counting. */
static inline int first_byte(uint64_t marked)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return __builtin_ctzll(marked) >> 3;
#else
    const unsigned char *byte = (const unsigned char *)&marked;
    int n = 0;
    while (!byte[n])
        n++;
    return n;
#endif
}

/* What is left of some lines. The byte at the end is a zero, as of every bytes object, so that no step has to ask
   whether it is there. */
typedef struct {
    Text at, end;
    Text window;     /* where the 64 bytes end whose blanks are known */
    uint64_t blanks; /* a bit for each of these that is at or after `at` */
} Lines;

static inline Lines lines_of(Text data, Text end)
{
    Lines lines = {data, end, data, 0};
    return lines;
}

#ifdef __SSE2__
/* A bit for each of 64 bytes that is at most a blank. */
static inline uint64_t blanks_in(Text at)
{
    const __m128i blank = _mm_set1_epi8(' ');
    uint64_t blanks = 0;
    for (int i = 0; i < 64; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(at + i));
        blanks |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, blank), bytes)) << i;
    }
    return blanks;
}
#endif

/* Where a field ends: eight bytes at a time, the first of which that is at most a blank is found by a carry. */
static inline Text field_end_from(Text at, Text end)
{
    const uint64_t ones = 0x0101010101010101u;
    for (; end - at >= 8; at += 8) {
        uint64_t bytes = word(at), low = (bytes - 0x21 * ones) & ~bytes & 0x80 * ones;
        if (low) {
            at += first_byte(low);
            break;
        }
    }
    while (kind_of[*at] == INSIDE)
        at++;
    return at;
}

/* A line whose fields are separated by one blank each, as most are; 0 for any other, which is left where it is. */
static inline int regular_line(Lines *lines, int n_fields, Text *field, Text *field_end)
{
#if defined(__SSE2__) && defined(__GNUC__)
    Text at = lines->at, window = lines->window;
    uint64_t blanks = lines->blanks;
    if (at == lines->end || *at == '#')
        return 0;
    for (int n = 0; n < n_fields; n++) {
        while (!blanks) {
            if (lines->end - window < 64)
                return 0;
            blanks = blanks_in(window);
            window += 64;
        }
        Text stop = window - 64 + __builtin_ctzll(blanks);
        blanks &= blanks - 1;
        if (stop == at || (n + 1 == n_fields ? *stop != '\n' : *stop != ' ' && *stop != '\t'))
            return 0;
        field[n] = at;
        field_end[n] = stop;
        at = stop + 1;
    }
    lines->at = at;
    lines->window = window;
    lines->blanks = blanks;
    return n_fields;
#else
    (void)lines, (void)n_fields, (void)field, (void)field_end;
    return 0;
#endif
}

/* The number of fields of the next line that holds something, 0 at the end, -1 if it is not plain. */
static inline int any_line(Lines *lines, const Layout *layout, Text *field, Text *field_end)
{
    Text at = lines->at, end = lines->end;
    int n = 0;
    for (;;) {
        while (kind_of[*at] == BLANK)
            at++;
        if (*at == '#') { /* a comment */
            at = memchr(at, '\n', end - at);
            if (!at)
                return 0;
        }
        if (*at == '\n')
            at++;
        else
            break;
    }
    if (at == end)
        return 0;
    for (; kind_of[*at] == INSIDE; n++) {
        Text start = at;
        at = field_end_from(at, end);
        if (n < MOST_FIELDS) {
            field[n] = start;
            field_end[n] = at;
        }
        while (kind_of[*at] == BLANK)
            at++;
    }
    if (*at == '\n')
        at++;
    else if (at < end)
        return -1;
    lines->at = lines->window = at;
    lines->blanks = 0;
    return n < layout->n_fields || (n > layout->n_fields && !layout->spare) ? -1 : n;
}

static inline int next_line(Lines *lines, const Layout *layout, Text *field, Text *field_end)
{
    int n = regular_line(lines, layout->n_fields, field, field_end);
    return n ? n : any_line(lines, layout, field, field_end);
}

#endif
