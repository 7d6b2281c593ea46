/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of MMFFsp3: LJ 12-6 that mixes radii by their sum, hydrogen bonds on the repulsion, and charges. */
#include "base/error.h"
#include "ff/builder.h"
#include "ff/mmff.h"

#define PAIR_CHARGE (-0.2) /* e, of an electron pair; its atom lacks it */
#define PAIR_MASS 1.0      /* amu: as fast as the pi vectors, and no faster than hydrogen */
#define PAIR_RADIUS 0.3    /* angstrom, of a point without vdW energy */

/* One of each for all topologies, so that equal ones have the same. Nobody drops the last reference. Electron
 * pairs have no wall that would keep a charge from them: with them Coulomb is damped, as it is in the original. */
static shoal_pair_model plain_model = {.references = 1, .settings = {.lambda = 1}};
static shoal_pair_model damped_model = {
    .references = 1,
    .settings = {.lambda = 1, .coulomb = SHOAL_COULOMB_DAMPED, .coulomb_damping = 1.0}};

shoal_status mmff_check_model(uff_builder *b)
{
    const shoal_pair_model *model = b->options->model;
    if (model && model->settings.n_sites > 0)
        return topology_reject(b->topology, "the pair model has sites, which MMFFsp3 cannot have: "
                                            "its lone pairs are pi vectors or electron pairs");
    if (model && model->settings.n_columns > 0 && b->options->electron_pairs)
        return topology_reject(b->topology, "the formula of the pair model names columns of its "
                                            "table, where electron pairs have no row");
    return SHOAL_OK;
}

/* Of electron pairs by the table of a model, where it has them. */
static mmff_vdw vdw_of_pairs(const mmff_builder *m)
{
    const shoal_pair_model *model = m->base->options->model;
    const shoal_atom_type *row =
        model ? shoal_atom_types_get(model->types, shoal_atom_types_find(model->types, "E")) : NULL;
    return row ? (mmff_vdw){row->r, row->e, row->h} : (mmff_vdw){PAIR_RADIUS, 0, 0};
}

static void fill_pairs(const mmff_builder *m, double *h)
{
    const shoal_topology_builder *out = m->base->out;
    const mmff_vdw vdw = vdw_of_pairs(m);
    for (int32_t p = m->base->mol->n_atoms; p < m->slots.n_atoms; ++p) {
        out->types[p] = "E";
        out->masses[p] = PAIR_MASS;
        out->x[p] = 2 * vdw.r;
        out->d[p] = vdw.eps;
        h[p] = vdw.hb;
    }
}

/* Only where atoms have charges: pairs move charge that is there. */
static void charge_pairs(const mmff_builder *m)
{
    double *q = m->base->out->q;
    for (int32_t p = m->base->mol->n_atoms; p < m->slots.n_atoms; ++p) {
        q[p] = PAIR_CHARGE;
        q[m->slots.ends[m->slots.start[p]].atom] -= PAIR_CHARGE;
    }
}

const shoal_pair_model *pair_model_damped_outside(const shoal_pair_model *model, double damping)
{
    return model == &damped_model && damping > 0 ? &plain_model : model;
}

shoal_status mmff_set_params(mmff_builder *m)
{
    uff_builder *b = m->base;
    const shoal_molecule *mol = b->mol;
    shoal_topology *t = b->topology;
    shoal_topology_builder *out = b->out;
    double *h = arena_alloc(&t->memory, (size_t)m->slots.n_atoms, sizeof *h);
    if (!h) return SHOAL_E_MEMORY;
    t->view.hbonds = h;
    topology_note_charges(b);
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const mmff_vdw vdw = mmff_vdw_of(m, i);
        out->types[i] = m->atoms[i].type->label;
        out->x[i] = 2 * vdw.r;
        out->d[i] = vdw.eps;
        h[i] = vdw.hb;
        if (b->charges) out->q[i] = b->charges[i];
    }
    shoal_pair_model *model = m->original || m->n_pairs > 0 ? &damped_model : &plain_model;
    if (b->options->model) {
        model = (shoal_pair_model *)b->options->model;
        SHOAL_TRY(topology_set_params(b, &(atom_parameters){out->x, out->d, out->q, h}));
    } else {
        t->view.model = model;
    }
    t->model = shoal_pair_model_retain(model);
    fill_pairs(m, h);
    if (t->view.has_charges) charge_pairs(m);
    return SHOAL_OK;
}
