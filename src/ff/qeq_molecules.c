/* SPDX-License-Identifier: BSD-3-Clause
 * Charge equilibration of each molecule of a system alone. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/perceive.h"
#include "ff/qeq.h"

/* The molecule that is being equilibrated. */
typedef struct lone {
    shoal_molecule *part;
    int32_t *atoms;     /* [n] of the system, in the order of the part */
    int32_t (*cell)[3]; /* [n_atoms] image of an atom in its molecule */
    bool *seen;         /* [n_atoms] */
    int32_t n;
    bool endless; /* it leads to images of itself */
} lone;

static void lone_free(lone *l)
{
    shoal_molecule_destroy(l->part);
    free(l->atoms);
    free(l->cell);
    free(l->seen);
}

/* Atoms that bonds lead to from one of them, and where. */
static void walk(const graph *g, int32_t root, lone *l)
{
    l->n = 1;
    l->endless = false;
    l->atoms[0] = root;
    l->seen[root] = true;
    for (int32_t k = 0; k < l->n; ++k) {
        const int32_t i = l->atoms[k];
        for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
            const graph_end *end = &g->ends[e];
            int32_t at[3];
            for (int c = 0; c < 3; ++c) at[c] = l->cell[i][c] + end->shift[c];
            if (l->seen[end->atom]) {
                l->endless |= memcmp(at, l->cell[end->atom], sizeof at) != 0;
                continue;
            }
            l->seen[end->atom] = true;
            memcpy(l->cell[end->atom], at, sizeof at);
            l->atoms[l->n++] = end->atom;
        }
    }
}

/* The atoms as a molecule in one piece; what has no end keeps its cell. */
static shoal_status take_part(const shoal_molecule *mol, lone *l)
{
    shoal_molecule_clear(l->part);
    for (int32_t k = 0; k < l->n; ++k) {
        const int32_t i = l->atoms[k];
        double pos[3];
        memcpy(pos, mol->pos[i], sizeof pos);
        for (int c = 0; c < 3 && !l->endless; ++c)
            for (int a = 0; a < 3; ++a) pos[c] += l->cell[i][a] * mol->cell[a][c];
        SHOAL_TRY(shoal_molecule_add_atom(l->part, mol->element[i], pos));
    }
    if (!l->endless) return SHOAL_OK;
    return shoal_molecule_set_cell(l->part, (const double(*)[3])mol->cell, mol->pbc);
}

static shoal_status equilibrate_part(shoal_molecule *mol, const shoal_qeq_options *options, lone *l)
{
    shoal_qeq_options own = *options;
    own.total_charge = 0.0;
    for (int32_t k = 0; k < l->n; ++k) own.total_charge += mol->formal_charge[l->atoms[k]];
    SHOAL_TRY(take_part(mol, l));
    SHOAL_TRY(shoal_molecule_equilibrate(l->part, &own));
    for (int32_t k = 0; k < l->n; ++k)
        SHOAL_TRY(shoal_molecule_set_charge(mol, l->atoms[k], l->part->charge[k]));
    return SHOAL_OK;
}

shoal_status qeq_equilibrate_molecules(shoal_molecule *mol, const shoal_qeq_options *options)
{
    const size_t n = (size_t)mol->n_atoms;
    lone l = {.atoms = shoal_alloc(n, sizeof *l.atoms),
              .cell = shoal_alloc(n, sizeof *l.cell),
              .seen = shoal_alloc(n, sizeof *l.seen)};
    shoal_status status = shoal_molecule_create(&l.part);
    if (n > 0 && !(l.atoms && l.cell && l.seen)) status = SHOAL_E_MEMORY;
    for (int32_t i = 0; i < mol->n_atoms && status == SHOAL_OK; ++i) {
        if (l.seen[i]) continue;
        walk(&mol->perception->graph, i, &l);
        status = equilibrate_part(mol, options, &l);
    }
    mol->charges_computed = status == SHOAL_OK;
    lone_free(&l);
    return status;
}
