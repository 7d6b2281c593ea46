/* SPDX-License-Identifier: BSD-3-Clause
 * Memory of the device as numbers, for looking at it. */
#include <string.h>

#include "backend/opencl/large/cl_large.h"
#include "base/alloc.h"

static shoal_status field_alloc(backend_field *out, int64_t rows, int32_t columns)
{
    out->rows = (int32_t)rows;
    out->columns = columns;
    out->values = shoal_alloc((size_t)rows * (size_t)columns + 1, sizeof *out->values);
    return out->values ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* Those of terms in the order of their kinds and of sites, then three per particle: pairs, k-vectors, energies. */
static shoal_status read_slots(cl_large *large, const cl_large_place *p, backend_field *out)
{
    void *slots;
    const large_topology *t = cl_large_topology(large, p);
    SHOAL_TRY(cl_large_read(large, CL_LARGE_slots, &slots));
    SHOAL_TRY(field_alloc(out, (int64_t)t->n_slots + 3 * ((int64_t)t->n_points + t->n_sites), 4));
    for (size_t k = 0; k < 4 * (size_t)out->rows; ++k)
        out->values[k] = cl_real_get(large->is_double, slots, 4 * (size_t)p->layout.slot + k);
    return SHOAL_OK;
}

/* Rows of a mover and a slot that it adds up; lists are filled up with slot 0, which is left out. */
static shoal_status read_gather(const cl_large *large, const cl_large_place *p, backend_field *out)
{
    const large_topology *t = cl_large_topology(large, p);
    const int32_t *start = (const int32_t *)large->pack.gather_start.data + t->gather_start;
    const uint32_t *gather = (const uint32_t *)large->pack.gather.data + 4 * (ptrdiff_t)t->gather;
    const int32_t n = t->n_points + t->n_directions;
    int32_t rows = 0;
    SHOAL_TRY(field_alloc(out, 4 * (int64_t)(start[n] - start[0]), 2));
    for (int32_t i = 0; i < n; ++i)
        for (int32_t k = 4 * start[i]; k < 4 * start[i + 1]; ++k) {
            if (gather[k] == 0) continue;
            out->values[2 * rows] = i;
            out->values[2 * rows++ + 1] = gather[k];
        }
    out->rows = rows;
    return SHOAL_OK;
}

/* Four numbers of an atom, or of an entry of a table. */
static const double *vector_at(const cl_large *large, const void *from, size_t k, double out[4])
{
    for (size_t c = 0; c < 4; ++c) out[c] = cl_real_get(large->is_double, from, 4 * k + c);
    return out;
}

/* Rows i, j and the way from i to the image of j. */
static shoal_status read_neighbours(cl_large *large, const cl_large_place *p, backend_field *out)
{
    void *list, *origins, *wrapped, *table;
    const large_system *s = &p->layout;
    const large_topology *t = cl_large_topology(large, p);
    const int32_t n = t->n_points + t->n_sites;
    const uint32_t low = ((uint32_t)1 << s->atom_bits) - 1u;
    double ri[4], rj[4], turn[4], *row;
    int64_t rows = 0;
    if (!s->periodic) return SHOAL_OK;
    SHOAL_TRY(cl_large_read(large, CL_LARGE_list, &list));
    SHOAL_TRY(cl_large_read(large, CL_LARGE_origins, &origins));
    SHOAL_TRY(cl_large_read(large, CL_LARGE_wrapped, &wrapped));
    SHOAL_TRY(cl_large_read(large, CL_LARGE_table, &table));
    for (int32_t i = 0; i < n; ++i)
        rows += (int64_t)vector_at(large, origins, (size_t)(s->atom + i), ri)[3];
    if (rows > INT32_MAX)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "neighbours: %lld of them", (long long)rows);
    SHOAL_TRY(field_alloc(out, rows, 5));
    row = out->values;
    for (int32_t i = 0; i < n; ++i) {
        const int32_t count = (int32_t)vector_at(large, origins, (size_t)(s->atom + i), ri)[3];
        const uint32_t *entries = (const uint32_t *)list + (size_t)s->list * LARGE_ENTRIES +
                                  (size_t)i * (size_t)s->capacity;
        (void)vector_at(large, wrapped, (size_t)(s->atom + i), ri);
        for (int32_t k = 0; k < count; ++k, row += 5) {
            const uint32_t j = entries[k] & low, at = entries[k] >> s->atom_bits;
            (void)vector_at(large, wrapped, (size_t)s->atom + j, rj);
            (void)vector_at(large, table, (size_t)s->table + at, turn);
            row[0] = i;
            row[1] = j;
            for (int c = 0; c < 3; ++c) row[2 + c] = rj[c] + turn[c] - ri[c];
        }
    }
    return SHOAL_OK;
}

shoal_status cl_large_field(cl_large *large, const char *name, backend_field *out)
{
    const cl_large_place *p = cl_large_at(large, 0);
    if (strcmp(name, "slots") == 0) return read_slots(large, p, out);
    return strcmp(name, "gather") == 0 ? read_gather(large, p, out)
                                       : read_neighbours(large, p, out);
}
