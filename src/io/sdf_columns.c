/* SPDX-License-Identifier: BSD-3-Clause
 * V2000 atom and bond lines in their usual form, read from fixed columns. */
#include "chem/element.h"
#include "io/sdf.h"

/* The same byte eight times. */
#define EIGHT(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Eight characters, the first in the lowest byte; as digits 0..9, where a blank is 0x10 and '-' 0x1d. */
static inline uint64_t load_digits(const char *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x ^ EIGHT('0');
}

/* 0xff for bytes that are no digits but may be blanks or signs; the others are left to are_digits. */
static inline uint64_t mask_of_blanks(uint64_t x)
{
    return (x >> 4 & EIGHT(1)) * 0xff;
}

static inline bool are_digits(uint64_t x)
{
    return (((x + EIGHT(6)) | x) & EIGHT(0xf0)) == 0;
}

/* The number that eight digits make: two, four, and all of them at a time. */
static inline uint64_t join_digits(uint64_t x)
{
    const uint64_t low = UINT64_C(0x000000ff000000ff);
    x = x * 10 + (x >> 8);
    return ((x & low) * ((UINT64_C(1000000) << 32) + 100) +
            (x >> 16 & low) * ((UINT64_C(10000) << 32) + 1)) >>
           32;
}

/* A number of ten columns with four decimals (%10.4f) and a blank first, rounded correctly: both
 * operands of the division are exact. Signs and widths change all the time, so there are no branches on
 * them: blanks and a sign are a mask over the lowest bytes. */
static inline bool take_coordinate(const char *p, double *out)
{
    const uint64_t before = load_digits(p) >> 8 & UINT32_MAX; /* p[1..4] */
    const uint64_t x = before | (load_digits(p + 2) & ~(uint64_t)UINT32_MAX);
    const uint64_t blanks = mask_of_blanks(x), last = blanks ^ blanks >> 8;
    const uint64_t odd = (x ^ EIGHT(0x10)) & blanks, sign = EIGHT(0x1d ^ 0x10) & last;
    if (p[0] != ' ' || p[5] != '.' || (blanks & (blanks + 1)) || blanks >> 24 ||
        !(odd == 0 || odd == sign) || !are_digits(x & ~blanks))
        return false;
    *out = (double)(int64_t)join_digits(x & ~blanks) / (odd ? -1e4 : 1e4);
    return true;
}

/* Three numbers of three columns each, right-aligned and without signs. */
static inline bool take_triples(const char *p, int32_t v[3])
{
    const uint64_t x = load_digits(p), blanks = mask_of_blanks(x), d = x & ~blanks;
    const uint64_t firsts = UINT64_C(0x00ff0000ff0000ff), thirds = UINT64_C(0x0000ff0000ff0000);
    /* No blank behind a digit, none in the last column. */
    if ((blanks >> 8 & ~blanks & firsts) || (blanks & thirds) ||
        (x & blanks) != (EIGHT(0x10) & blanks) || !are_digits(d) || p[8] < '0' || p[8] > '9')
        return false;
    v[0] = (int32_t)((d & 15) * 100 + (d >> 8 & 15) * 10 + (d >> 16 & 15));
    v[1] = (int32_t)((d >> 24 & 15) * 100 + (d >> 32 & 15) * 10 + (d >> 40 & 15));
    v[2] = (int32_t)((d >> 48 & 15) * 100 + (d >> 56 & 15) * 10) + (p[8] - '0');
    return true;
}

/* True if a column of three holds 0, or the line ends before it. */
static inline bool is_zero(const char *p)
{
    return p[0] == '\n' || p[0] == '\r' || (p[0] == ' ' && p[1] == ' ' && p[2] == '0');
}

/* xxxxx.xxxxyyyyy.yyyyzzzzz.zzzz aaaddcccsss: three columns of symbol, two of a mass difference and three of a
 * parity, which must be 0 here, and the charge code between them. */
static inline bool take_atom(const char *p, shoal_molecule *mol)
{
    double pos[3];
    for (int k = 0; k < 3; ++k)
        if (!take_coordinate(p + 10 * k, &pos[k])) return false;
    if (p[30] != ' ' || p[33] != ' ' || p[34] != ' ' || (p[35] != '0' && p[35] != ' ') ||
        p[36] != ' ' || p[37] != ' ' || p[38] < '0' || p[38] > '7' || !is_zero(p + 39))
        return false;
    const int32_t z = element_by_symbol(p + 31, p[32] == ' ' ? 1 : 2), code = p[38] - '0';
    if (z == 0) return false;
    molecule_push_atom(mol, z, pos);
    mol->formal_charge[mol->n_atoms - 1] = sdf_code_charges[code];
    mol->radical[mol->n_atoms - 1] = code == 4;
    return true;
}

/* 111222tttsss: two atoms, the type, and a stereo mark that must be 0 here. */
static inline bool take_bond(const char *p, shoal_molecule *mol)
{
    int32_t v[3];
    if (!take_triples(p, v) || !is_zero(p + 9)) return false;
    const int32_t i = v[0] - 1, j = v[1] - 1, order = v[2];
    if (i < 0 || j < 0 || i >= mol->n_atoms || j >= mol->n_atoms || i == j) return false;
    if ((order < 1 || order > 4) && order != 9) return false;
    if (molecule_has_bond(mol, i, j)) return false;
    molecule_push_bond(mol, i, j, order);
    return true;
}

/* Takes lines of at least so many columns, which hold no end of a line, as long as one is like that. */
static inline int32_t take_lines(shoal_input *in, shoal_molecule *mol, int32_t n, ptrdiff_t width,
                                 bool (*take)(const char *p, shoal_molecule *mol))
{
    const shoal_span window = shoal_input_window(in);
    const char *p = window.text, *end = p + window.size;
    int32_t taken = 0;
    if (!shoal_input_is_clean(in)) return 0;
    while (taken < n && end - p > width) {
        const char *newline = memchr(p + width, '\n', (size_t)(end - p - width));
        if (!newline || !take(p, mol)) break;
        p = newline + 1;
        ++taken;
    }
    shoal_input_take(in, (size_t)(p - window.text), taken);
    return taken;
}

int32_t sdf_take_atoms(shoal_input *in, shoal_molecule *mol, int32_t n)
{
    return take_lines(in, mol, n, 39, take_atom);
}

int32_t sdf_take_bonds(shoal_input *in, shoal_molecule *mol, int32_t n)
{
    return take_lines(in, mol, n, 9, take_bond);
}
