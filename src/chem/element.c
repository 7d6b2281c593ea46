/* SPDX-License-Identifier: BSD-3-Clause
 * Facts about elements, from the table generated out of data/elements.tsv. */
#include "chem/element.h"

#include <string.h>

#include "shoal/molecule.h"

const element element_table[ELEMENT_MAX + 1] = {
#include "element_table.inc"
};

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/* Index of a one- or two-letter symbol: first letter times 27 plus second letter, or -1. */
static int symbol_key(const char *symbol, int32_t n)
{
    if (n < 1 || n > 2) return -1;
    const int first = lower((unsigned char)symbol[0]) - 'a';
    if (first < 0 || first > 25) return -1;
    if (n == 1) return first * 27;
    const int second = lower((unsigned char)symbol[1]) - 'a';
    return second < 0 || second > 25 ? -1 : first * 27 + second + 1;
}

int32_t element_by_symbol(const char *symbol, int32_t n)
{
    static const int8_t by_key[26 * 27] = {
#include "symbol_table.inc"
    };
    const int key = symbol_key(symbol, n);
    return key < 0 ? 0 : by_key[key];
}

const char *shoal_element_symbol(int32_t z)
{
    return z >= 1 && z <= ELEMENT_MAX ? element_table[z].symbol : "?";
}

int32_t shoal_element_number(const char *symbol)
{
    const size_t n = symbol ? strlen(symbol) : 0;
    return n <= 2 ? element_by_symbol(symbol, (int32_t)n) : 0;
}
