/* SPDX-License-Identifier: BSD-3-Clause
 * Torsions packed for kernels: those about one bond that share three atoms become one record. */
#include <stdlib.h>
#include <string.h>

#include "backend/opencl/small/cl_pack.h"

/* One torsion with the side that repeats least in front. */
typedef struct torsion_row {
    int32_t atoms[4];
    uint32_t code;
    double v;
} torsion_row;

static int compare_row(const void *a, const void *b)
{
    const torsion_row *x = a, *y = b;
    if (x->atoms[0] != y->atoms[0]) return x->atoms[0] < y->atoms[0] ? -1 : 1;
    return (x->atoms[3] > y->atoms[3]) - (x->atoms[3] < y->atoms[3]);
}

static int32_t count_distinct(const shoal_term *t, int32_t n, bool last)
{
    int32_t distinct = 0;
    for (int32_t a = 0; a < n; ++a) {
        int32_t b = 0;
        while (b < a && t[b].atoms[last ? 3 : 0] != t[a].atoms[last ? 3 : 0]) ++b;
        distinct += b == a;
    }
    return distinct;
}

/* Up to three torsions with the same i, j, k as one record. */
static bool pack_torsion_run(cl_pack *pack, const torsion_row *rows, int32_t n)
{
    const int32_t *f = rows[0].atoms;
    const int32_t l1 = n > 1 ? rows[1].atoms[3] : 0, l2 = n > 2 ? rows[2].atoms[3] : 0;
    cl_word4 w[2] = {{{cl_pack_atoms2(f[0], f[1]), cl_pack_atoms2(f[2], f[3]),
                       cl_pack_atoms2(l1, l2), (uint32_t)n << 24}},
                     {{0, 0, 0, (uint32_t)pack->slots.n}}};
    for (int32_t m = 0; m < n; ++m) {
        w[0].v[3] |= rows[m].code << (8 * m);
        if (!cl_pack_word(pack, rows[m].v, &w[1].v[m])) return false;
    }
    const int32_t atoms[6] = {f[0], f[1], f[2], f[3], l1, l2};
    cl_word4 *p = cl_array_append(&pack->torsions, 2);
    if (!p || !cl_pack_slots(pack, atoms, 3 + n)) return false;
    memcpy(p, w, sizeof w);
    return true;
}

/* All torsions about one bond: n terms of the topology. */
static bool pack_bond_torsions(cl_pack *pack, const shoal_term *t, int32_t n)
{
    torsion_row *rows = malloc((size_t)n * sizeof *rows);
    if (!rows) return false;
    const bool reverse = count_distinct(t, n, false) > count_distinct(t, n, true);
    for (int32_t k = 0; k < n; ++k) {
        for (int c = 0; c < 4; ++c) rows[k].atoms[c] = t[k].atoms[reverse ? 3 - c : c];
        rows[k].code = (uint32_t)t[k].p[SHOAL_TORSION_N] | (t[k].p[SHOAL_TORSION_D] < 0 ? 8u : 0u);
        rows[k].v = t[k].p[SHOAL_TORSION_V];
    }
    qsort(rows, (size_t)n, sizeof *rows, compare_row);
    bool ok = true;
    for (int32_t first = 0, last; first < n && ok; first = last) {
        last = first + 1;
        while (last < n && last < first + 3 && rows[last].atoms[0] == rows[first].atoms[0]) ++last;
        ok = pack_torsion_run(pack, rows + first, last - first);
    }
    free(rows);
    return ok;
}

bool cl_pack_torsions(cl_pack *pack, const shoal_topology_view *v)
{
    const shoal_term *t = terms_of(v, SHOAL_KIND_TORSION);
    const int32_t n = cl_pack_count(pack, v, SHOAL_KIND_TORSION);
    for (int32_t first = 0, last; first < n; first = last) {
        last = first + 1;
        while (last < n && t[last].atoms[1] == t[first].atoms[1] &&
               t[last].atoms[2] == t[first].atoms[2])
            ++last;
        if (!pack_bond_torsions(pack, t + first, last - first)) return false;
        for (int32_t k = first; k < last; ++k) cl_pack_take(pack, v, SHOAL_KIND_TORSION, k);
    }
    return true;
}
