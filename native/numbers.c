/* Parsing of numbers; the results are those of Python's float(). */

#include "native.h"
#include <float.h>

static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#if LDBL_MANT_DIG == 64
static const long double long_power[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                         1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                         1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
#endif

static const uint64_t whole_power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* digits * 10**exponent, if one operation rounds it correctly. */
static int nearest(uint64_t digits, int exponent, double *value)
{
    int size = exponent < 0 ? -exponent : exponent;
#if FLT_EVAL_METHOD == 0
    if (digits <= (uint64_t)1 << 53 && size <= 22) { /* both numbers are exact */
        *value = exponent < 0 ? (double)digits / power[size] : (double)digits * power[size];
        return NUMBER;
    }
#endif
#if LDBL_MANT_DIG == 64
    if (size <= 27) { /* exact too; rounding again to 53 bits is correct unless the result looks like a midpoint */
        long double wide = digits;
        uint64_t bits;
        wide = exponent < 0 ? wide / long_power[size] : wide * long_power[size];
        memcpy(&bits, &wide, 8);
        if ((bits & 0x7ff) != 0x400) {
            *value = (double)wide;
            return NUMBER;
        }
    }
#endif
    return LONG_NUMBER; /* left to Python's own conversion */
}

#define IS_DIGIT(c) ((unsigned char)((c) - '0') < 10)

/* The number of digits without leading zeros; a decimal point is not counted. */
static int n_significant(Text digit, int n_digits)
{
    int n = 0;
    for (; n_digits; digit++)
        if (*digit != '.') {
            n += n || *digit != '0';
            n_digits--;
        }
    return n;
}

/* Up to eight digits, as one number: the tens and ones of each pair, then of pairs of pairs, and again. Eight bytes are
   read. */
static inline int few_digits(Text at, size_t n, uint64_t *value)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t ones = 0x0101010101010101u;
    uint64_t digits = (word(at) ^ '0' * ones) << 8 * (8 - n); /* shifts out what follows; zeros come first */
    if ((digits | (digits + (0x80 - 10) * ones)) & 0x80 * ones)
        return 0;
    digits = 10 * digits + (digits >> 8);
    digits = (digits & 0x00ff00ff00ff00ffu) * 100 + ((digits >> 16) & 0x00ff00ff00ff00ffu);
    *value = (digits & 0xffff) * 10000 + (digits >> 32 & 0xffff);
    return 1;
#else
    (void)at, (void)n, (void)value;
    return 0;
#endif
}

int number(Text at, Text end, Text data_end, double *value)
{
    uint64_t digits = 0;
    int negative = *at == '-', exponent = 0;
    at += negative || *at == '+';
    Text first = at;
    for (; IS_DIGIT(*at); at++)
        digits = 10 * digits + (*at - '0'); /* overflows beyond 19 digits and is then not used */
    size_t n_digits = at - first, n_fraction = 0;
    if (*at == '.') {
        Text point = at++;
        size_t n = (size_t)(end - at);
        uint64_t fraction;
        if (n > 0 && n <= 8 && data_end - at >= 8 && few_digits(at, n, &fraction)) {
            digits = digits * whole_power[n] + fraction;
            at = end;
        }
        for (; IS_DIGIT(*at); at++)
            digits = 10 * digits + (*at - '0');
        n_fraction = at - point - 1;
        n_digits += n_fraction;
    }
    if (!n_digits || n_digits > LONGEST_NUMBER)
        return NO_NUMBER;
    if ((*at | 32) == 'e') {
        int down = *++at == '-';
        at += *at == '-' || *at == '+';
        if (at == end || end - at > 5)
            return NO_NUMBER;
        for (; IS_DIGIT(*at); at++)
            exponent = 10 * exponent + (*at - '0');
        exponent = down ? -exponent : exponent;
    }
    if (at != end)
        return NO_NUMBER;
    int is_long = n_digits > 19 && n_significant(first, (int)n_digits) > 19, kind = NUMBER;
    if (digits == 0 && !is_long)
        *value = 0;
    else
        kind = is_long ? LONG_NUMBER : nearest(digits, exponent - (int)n_fraction, value);
    if (kind == NUMBER && negative)
        *value = -*value;
    return kind;
}
