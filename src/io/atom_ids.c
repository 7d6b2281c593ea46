/* SPDX-License-Identifier: BSD-3-Clause
 * From the numbers that a file gives its atoms, mostly 1, 2, 3, ..., to their indices. */
#include <stdlib.h>

#include "base/alloc.h"
#include "io/reader.h"

void atom_ids_clear(atom_ids *ids)
{
    ids->n = 0;
    ids->sequential = true;
}

shoal_status atom_ids_add(atom_ids *ids, int32_t id)
{
    SHOAL_TRY(SHOAL_RESERVE(&ids->rows, &ids->capacity, ids->n + 1));
    ids->rows[ids->n] = (atom_id){id, ids->n};
    ids->n++;
    ids->sequential = ids->sequential && id == ids->n;
    return SHOAL_OK;
}

static int compare(const void *a, const void *b)
{
    const int32_t x = ((const atom_id *)a)->id, y = ((const atom_id *)b)->id;
    return (x > y) - (x < y);
}

void atom_ids_finish(atom_ids *ids, int32_t *twice)
{
    *twice = 0;
    if (ids->sequential) return;
    qsort(ids->rows, (size_t)ids->n, sizeof *ids->rows, compare);
    for (int32_t i = 1; i < ids->n; ++i)
        if (ids->rows[i].id == ids->rows[i - 1].id) *twice = ids->rows[i].id;
}

int32_t atom_ids_find(const atom_ids *ids, int32_t id)
{
    if (ids->sequential) return id >= 1 && id <= ids->n ? id - 1 : -1;
    const atom_id wanted = {id, 0};
    const atom_id *row = bsearch(&wanted, ids->rows, (size_t)ids->n, sizeof *ids->rows, compare);
    return row ? row->atom : -1;
}
