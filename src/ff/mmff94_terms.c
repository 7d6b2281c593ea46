/* SPDX-License-Identifier: BSD-3-Clause
 * From a molecule to its terms by MMFF94. Constants of the tables are in md; 143.9325 kcal/mol are one md angstrom in the
 * publications and in what is compared with them, and 332.0716 kcal/mol angstrom is e^2 / (4 pi eps0). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "ff/builder.h"
#include "ff/mmff94_rules.h"

#define MILLIDYNE (143.9325 * KCAL_EV) /* eV */
#define CUBIC_STRETCH (-2.0)           /* 1/angstrom */
#define CUBIC_BEND (-0.4)              /* 1/radian */
#define BUFFER 0.05                    /* angstrom */
#define SLATER_KIRKWOOD (181.16 * KCAL_EV)
#define SCALE_14 0.75

/* One of each for all topologies, so that equal ones have the same. Nobody drops the last reference. */
static shoal_pair_model constant_model = {
    .references = 1,
    .settings = {.form = SHOAL_FORM_BUFFERED,
                 .hbond = SHOAL_HBOND_NONE,
                 .coulomb = SHOAL_COULOMB_BUFFERED,
                 .coulomb_damping = BUFFER,
                 .lambda = 332.0716 * KCAL_EV / COULOMB_CONSTANT}};
static shoal_pair_model far_model = {.references = 1,
                                     .settings = {.form = SHOAL_FORM_BUFFERED,
                                                  .hbond = SHOAL_HBOND_NONE,
                                                  .coulomb = SHOAL_COULOMB_BUFFERED_FAR,
                                                  .coulomb_damping = BUFFER,
                                                  .lambda = 332.0716 * KCAL_EV / COULOMB_CONSTANT}};

shoal_pair_model *mmff94_pair_model(bool far)
{
    return shoal_pair_model_retain(far ? &far_model : &constant_model);
}

static void put_atom(shoal_term *t, int k, int32_t atom, const int32_t shift[3])
{
    t->atoms[k] = atom;
    if (shift) memcpy(t->shifts[k], shift, sizeof t->shifts[k]);
}

static shoal_status build_bonds(const uff_builder *b, const mmff94 *m)
{
    for (int32_t k = 0; k < b->mol->n_bonds; ++k) {
        const shoal_bond *bond = &b->mol->bonds[k];
        mmff94_bond found;
        if (!mmff94_bond_of(m, k, &found))
            return topology_reject(b->topology,
                                   "bond %d-%d (%s-%s): MMFF94 has neither a row nor a rule for it",
                                   bond->i, bond->j, mmff94_type_get(m->type[bond->i])->symbol,
                                   mmff94_type_get(m->type[bond->j])->symbol);
        shoal_term *t = builder_next(b->out, SHOAL_KIND_QUARTIC_BOND);
        put_atom(t, 0, bond->i, NULL);
        put_atom(t, 1, bond->j, bond->shift);
        t->p[SHOAL_BOND_K] = MILLIDYNE * found.k;
        t->p[SHOAL_BOND_R0] = found.r0;
        t->p[SHOAL_BOND_ORDER] = m->aromatic_bond[k] ? 1.5 : mmff94_order(m, k);
        t->p[SHOAL_QUARTIC_C] = CUBIC_STRETCH;
    }
    return SHOAL_OK;
}

/* E = k (1 + cos t) at linear centres, which have no stretch-bends; all others have both. */
static void build_angle(const uff_builder *b, const mmff94 *m, bool linear, int32_t j,
                        const graph_end *i, const graph_end *k)
{
    mmff94_angle angle;
    mmff94_bond ij, jk;
    mmff94_stretch_bend sb;
    if (!mmff94_angle_of(m, j, i, k, &angle) || angle.linear != linear) return;
    shoal_term *t = builder_next(b->out, angle.linear ? SHOAL_KIND_ANGLE : SHOAL_KIND_BEND);
    put_atom(t, 0, i->atom, i->shift);
    put_atom(t, 1, j, NULL);
    put_atom(t, 2, k->atom, k->shift);
    t->p[0] = MILLIDYNE * angle.ka;
    if (angle.linear) {
        t->p[SHOAL_ANGLE_C0] = t->p[SHOAL_ANGLE_C0 + 1] = 1;
        return;
    }
    (void)mmff94_bond_of(m, i->bond, &ij);
    (void)mmff94_bond_of(m, k->bond, &jk);
    mmff94_stretch_bend_of(m, j, i, k, &angle, &sb);
    t->p[SHOAL_BEND_T0] = angle.theta0 * DEGREE;
    t->p[SHOAL_BEND_C] = CUBIC_BEND;
    t->p[SHOAL_BEND_KI] = MILLIDYNE * sb.kijk;
    t->p[SHOAL_BEND_KK] = MILLIDYNE * sb.kkji;
    t->p[SHOAL_BEND_RI] = ij.r0;
    t->p[SHOAL_BEND_RK] = jk.r0;
}

static void build_angles(const uff_builder *b, const mmff94 *m, bool linear)
{
    const graph *g = b->g;
    for (int32_t j = 0; j < g->n_atoms; ++j)
        for (int32_t s = g->start[j]; s < g->start[j + 1]; ++s)
            for (int32_t e = s + 1; e < g->start[j + 1]; ++e)
                build_angle(b, m, linear, j, &g->ends[s], &g->ends[e]);
}

static void build_torsions(const uff_builder *b, const mmff94 *m, bool is_s)
{
    const graph *g = b->g;
    for (int32_t j = 0; j < g->n_atoms; ++j)
        for (int32_t c = g->start[j]; c < g->start[j + 1]; ++c) {
            const graph_end *jk = &g->ends[c];
            /* Once, from the end that the bond names first. */
            if (b->mol->bonds[jk->bond].i != j ||
                (b->mol->bonds[jk->bond].j == j && jk->shift[0] < 0))
                continue;
            for (int32_t s = g->start[j]; s < g->start[j + 1]; ++s)
                for (int32_t e = g->start[jk->atom]; e < g->start[jk->atom + 1]; ++e) {
                    const mmff94_chain chain = {
                        .j = j, .a = &g->ends[s], .jk = jk, .b = &g->ends[e]};
                    int32_t l[3];
                    mmff94_torsion found;
                    if (chain.a->bond == jk->bond || chain.b->bond == jk->bond) continue;
                    for (int x = 0; x < 3; ++x) l[x] = jk->shift[x] + chain.b->shift[x];
                    const bool ring3 =
                        chain.a->atom == chain.b->atom && memcmp(chain.a->shift, l, sizeof l) == 0;
                    if (ring3) continue;
                    mmff94_torsion_of(m, &chain, is_s, &found);
                    if (found.v[0] == 0 && found.v[1] == 0 && found.v[2] == 0) continue;
                    shoal_term *t = builder_next(b->out, SHOAL_KIND_FOURIER);
                    put_atom(t, 0, chain.a->atom, chain.a->shift);
                    put_atom(t, 1, j, NULL);
                    put_atom(t, 2, jk->atom, jk->shift);
                    put_atom(t, 3, chain.b->atom, l);
                    for (int x = 0; x < 3; ++x) t->p[x] = KCAL_EV * found.v[x];
                }
        }
}

static void build_out_of_plane(const uff_builder *b, const mmff94 *m, bool is_s)
{
    for (int32_t j = 0; j < b->g->n_atoms; ++j) {
        const graph_end *ends = &b->g->ends[b->g->start[j]];
        if (graph_degree(b->g, j) != 3) continue;
        const double k = mmff94_out_of_plane(m, j, is_s);
        if (k == 0) continue;
        shoal_term *t = builder_next(b->out, SHOAL_KIND_WILSON);
        put_atom(t, 0, ends[0].atom, ends[0].shift);
        put_atom(t, 1, j, NULL);
        put_atom(t, 2, ends[1].atom, ends[1].shift);
        put_atom(t, 3, ends[2].atom, ends[2].shift);
        t->p[SHOAL_WILSON_K] = MILLIDYNE * k;
    }
}

/* Pairs count all 1-4 partners in full: of their Coulomb energy a quarter is taken back. */
static shoal_status build_14(const uff_builder *b)
{
    const shoal_topology_view *v = &b->topology->view;
    if (!v->has_charges || b->options->model) return SHOAL_OK;
    shoal_special_pair *pairs = arena_alloc(b->scratch, topology_most_chains(b), sizeof *pairs);
    if (!pairs) return SHOAL_E_MEMORY;
    const int32_t n = topology_find_14(b, pairs);
    for (int32_t k = 0; k < n; ++k) {
        if (b->out->q[pairs[k].i] == 0 || b->out->q[pairs[k].j] == 0) continue;
        shoal_term *t = builder_next(b->out, SHOAL_KIND_PAIR_BUFFERED);
        put_atom(t, 0, pairs[k].i, NULL);
        put_atom(t, 1, pairs[k].j, pairs[k].shift);
        t->p[SHOAL_BUFFERED_SCALE] = SCALE_14 - 1;
        t->p[SHOAL_BUFFERED_DELTA] = BUFFER;
        t->p[SHOAL_BUFFERED_N] = b->options->far_dielectric ? 2 : 1;
    }
    return SHOAL_OK;
}

static size_t most_terms(const uff_builder *b)
{
    size_t n = (size_t)b->mol->n_bonds + 2 * topology_most_chains(b) + 2 * topology_most_14(b);
    for (int32_t j = 0; j < b->g->n_atoms; ++j) {
        const size_t degree = (size_t)graph_degree(b->g, j);
        n += degree * degree / 2 + 1;
    }
    return n;
}

/* In the order of the kinds. */
static shoal_status build_terms(uff_builder *b, const mmff94 *m)
{
    const bool is_s = b->options->forcefield == SHOAL_FORCEFIELD_MMFF94S;
    SHOAL_TRY(builder_reserve(b->out, most_terms(b)));
    SHOAL_TRY(uff_build_exclusions(b));
    build_angles(b, m, true);
    SHOAL_TRY(topology_add_14(b));
    SHOAL_TRY(build_bonds(b, m));
    if (b->topology->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
    build_angles(b, m, false);
    build_out_of_plane(b, m, is_s);
    build_torsions(b, m, is_s);
    SHOAL_TRY(build_14(b));
    SHOAL_TRY(builder_place_terms(b->out));
    return b->options->model ? topology_settle_charges(b) : SHOAL_OK;
}

/* vdw of like atoms: the distance of the minimum, its depth, and what pairs mix by. */
static void set_vdw(const mmff94_type *type, double *x, double *d, double *h)
{
    const double share = sqrt(type->alpha / type->n_effective),
                 r = type->a * pow(type->alpha, 0.25);
    const double strength = type->g * type->alpha;
    *x = r;
    *d = SLATER_KIRKWOOD * strength * strength / (2 * share * pow(r, 6));
    *h = buffered_mark(share, type->da);
}

static shoal_status set_atoms(uff_builder *b, const mmff94 *m)
{
    shoal_topology *t = b->topology;
    shoal_topology_builder *out = b->out;
    const shoal_charge_source source = b->options->charges;
    const double *charges = source == SHOAL_CHARGES_AUTO ? m->charge : b->charges;
    double *h = arena_alloc(&t->memory, (size_t)b->mol->n_atoms, sizeof *h);
    if (!h) return SHOAL_E_MEMORY;
    t->view.hbonds = h;
    t->view.has_charges = charges != NULL;
    t->view.charges_from = source != SHOAL_CHARGES_AUTO ? source : SHOAL_CHARGES_MMFF94;
    for (int32_t i = 0; i < b->mol->n_atoms; ++i) {
        const mmff94_type *type = mmff94_type_get(m->type[i]);
        out->types[i] = type->symbol;
        if (charges) out->q[i] = charges[i];
        set_vdw(type, &out->x[i], &out->d[i], &h[i]);
    }
    if (b->options->model) {
        t->model = shoal_pair_model_retain((shoal_pair_model *)b->options->model);
        return topology_set_params(b, &(atom_parameters){out->x, out->d, out->q, h});
    }
    t->model = b->options->far_dielectric ? &far_model : &constant_model;
    t->view.model = shoal_pair_model_retain(t->model);
    return SHOAL_OK;
}

static shoal_status check_molecule(const uff_builder *b)
{
    const shoal_pair_model *model = b->options->model;
    if (shoal_molecule_is_periodic(b->mol))
        return topology_reject(b->topology, "the molecule is periodic: MMFF94 has no lattice sum");
    if (b->options->n_orders > 0)
        return topology_reject(b->topology, "bond orders were given, and MMFF94 has its own: its "
                                            "parameters do not depend on a number");
    if (model && model->settings.n_sites > 0)
        return topology_reject(b->topology, "the pair model has sites, which go with UFF only");
    return SHOAL_OK;
}

shoal_status mmff94_build(uff_builder *b)
{
    shoal_topology *t = b->topology;
    mmff94 m = {0};
    if (b->options->dialect != SHOAL_DIALECT_RDKIT)
        return shoal_fail(SHOAL_E_ARGUMENT, "MMFF94 has no dialects");
    if (t->status == SHOAL_SYSTEM_OK) SHOAL_TRY(check_molecule(b));
    if (t->status == SHOAL_SYSTEM_OK) SHOAL_TRY(mmff94_assign(&m, b->mol, true, t, b->scratch));
    SHOAL_TRY(builder_begin(b->out, t, b->mol->n_atoms, b->mol->element));
    memcpy(t->view.pbc, b->mol->pbc, sizeof t->view.pbc);
    if (t->status == SHOAL_SYSTEM_OK) SHOAL_TRY(set_atoms(b, &m));
    if (t->status == SHOAL_SYSTEM_OK) SHOAL_TRY(build_terms(b, &m));
    if (t->status == SHOAL_SYSTEM_OK) return SHOAL_OK;
    t->view.n_terms = t->view.n_special_pairs = 0;
    t->view.term_start = terms_none;
    return SHOAL_OK;
}
