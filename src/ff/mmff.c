/* SPDX-License-Identifier: BSD-3-Clause
 * From a molecule to its terms by MMFFsp3. */
#include "ff/mmff.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "ff/builder.h"

static shoal_status check_options(const shoal_typing_options *o)
{
    const double values[] = {o->bond_scale, o->pi_inertia, o->pi_softening};
    static const char *const names[] = {"bond_scale", "pi_inertia", "pi_softening"};
    for (int k = 0; k < 3; ++k)
        if (!(values[k] >= 0) || !isfinite(values[k]))
            return shoal_fail(SHOAL_E_ARGUMENT, "MMFFsp3: %s is %g, expected 0 or more", names[k],
                              values[k]);
    if (o->dialect != SHOAL_DIALECT_RDKIT && o->dialect != SHOAL_DIALECT_FIRECORE)
        return shoal_fail(SHOAL_E_ARGUMENT, "MMFFsp3: it has no dialect but firecore");
    return SHOAL_OK;
}

/* Arrays of atoms and electron pairs; these have atomic number 0. */
static shoal_status begin(mmff_builder *m)
{
    uff_builder *b = m->base;
    const int32_t n = b->mol->n_atoms, n_points = n + m->n_pairs;
    int32_t *elements = arena_alloc(b->scratch, (size_t)n_points, sizeof *elements);
    if (!elements) return SHOAL_E_MEMORY;
    if (n > 0) memcpy(elements, b->mol->element, (size_t)n * sizeof *elements);
    SHOAL_TRY(builder_begin(b->out, b->topology, n_points, elements));
    memcpy(b->topology->view.pbc, b->mol->pbc, sizeof b->topology->view.pbc);
    return SHOAL_OK;
}

static shoal_status keep_directions(mmff_builder *m)
{
    shoal_topology *t = m->base->topology;
    const double inertia = m->base->options->pi_inertia;
    const size_t n = (size_t)m->n_directions;
    int32_t *atoms = arena_alloc(&t->memory, n, sizeof *atoms);
    double *inertias = arena_alloc(&t->memory, n, sizeof *inertias);
    if (!atoms || !inertias) return SHOAL_E_MEMORY;
    for (int32_t i = 0, k = 0; i < m->base->mol->n_atoms; ++i) {
        if (m->atoms[i].direction < 0) continue;
        atoms[k] = i;
        inertias[k++] = inertia > 0 ? inertia : 1;
    }
    t->view.direction_atoms = atoms;
    t->view.inertias = inertias;
    return SHOAL_OK;
}

/* Electron pairs are atoms to all of this. */
static shoal_status build_terms(mmff_builder *m)
{
    uff_builder *b = m->base;
    b->g = &m->slots;
    SHOAL_TRY(builder_reserve(b->out, mmff_most_terms(m) + 2 * topology_most_14(b)));
    SHOAL_TRY(mmff_build_bonds(m));
    if (b->topology->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
    SHOAL_TRY(uff_build_exclusions(b));
    SHOAL_TRY(topology_add_14(b));
    mmff_build_nodes(m);
    SHOAL_TRY(builder_place_terms(b->out));
    SHOAL_TRY(keep_directions(m));
    if (!b->options->model) return SHOAL_OK;
    SHOAL_TRY(topology_add_sites(b)); /* the model alone: it has none */
    return topology_settle_charges(b);
}

static shoal_status assign(mmff_builder *m)
{
    uff_builder *b = m->base;
    SHOAL_TRY(mmff_check_model(b));
    if (b->topology->status == SHOAL_SYSTEM_OK) SHOAL_TRY(mmff_assign_types(m));
    if (b->topology->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
    SHOAL_TRY(mmff_find_slots(m));
    mmff_number_directions(m);
    return SHOAL_OK;
}

shoal_status mmff_build(uff_builder *b)
{
    mmff_builder m = {.base = b, .original = b->options->dialect == SHOAL_DIALECT_FIRECORE};
    shoal_topology *t = b->topology;
    SHOAL_TRY(check_options(b->options));
    m.atoms = arena_alloc(b->scratch, (size_t)b->mol->n_atoms, sizeof *m.atoms);
    if (!m.atoms) return SHOAL_E_MEMORY;
    if (t->status == SHOAL_SYSTEM_OK) SHOAL_TRY(assign(&m));
    if (t->status != SHOAL_SYSTEM_OK) m.n_pairs = 0;
    SHOAL_TRY(begin(&m));
    if (t->status == SHOAL_SYSTEM_OK) SHOAL_TRY(mmff_set_params(&m));
    if (t->status == SHOAL_SYSTEM_OK) SHOAL_TRY(build_terms(&m));
    t->view.n_atoms = b->mol->n_atoms;
    const bool typed = t->status == SHOAL_SYSTEM_OK;
    t->view.n_pairs = typed ? m.n_pairs : 0;
    t->view.n_directions = typed ? m.n_directions : 0;
    if (typed) return SHOAL_OK;
    t->view.n_terms = t->view.n_special_pairs =
        0; /* those that were made may name electron pairs */
    t->view.term_start = terms_none;
    return SHOAL_OK;
}
