/* SPDX-License-Identifier: BSD-3-Clause
 * Which conformers of a molecule are kept: low ones that differ. */
#include "shoal/ensemble.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "jobs/search_compare.h"
#include "shoal/stream.h"

#include "constants.h"

#define RMSD 0.5 /* angstrom */
#define TEMPERATURE 298.15

/* Of a record: its conformers by energy, and geometries of atoms other than hydrogen where there are such. */
typedef struct ensemble_list {
    const shoal_ensemble *options;
    shoal_stream_system *systems;
    int32_t n;
    int32_t *order; /* [n_order], ascending in energy */
    int32_t n_order;
    int32_t *kept; /* [n_kept], indices of systems */
    int32_t n_kept;
    shoal_molecule *heavy;
    int32_t *atoms; /* [n_atoms] of the molecule */
    int32_t n_atoms;
    search_symmetry symmetry;
    double (*pos)[3]; /* [n_kept + 1][n_atoms] */
    double *mean;     /* [n_kept + 1][n_atoms] */
    double *work;     /* [5 n_atoms] */
} ensemble_list;

static bool has_ended(const shoal_result *r)
{
    return shoal_system_has_numbers(r->status, r->energy) &&
           (r->status == SHOAL_SYSTEM_OK || r->status == SHOAL_SYSTEM_CONVERGED ||
            r->status == SHOAL_SYSTEM_STALLED);
}

static double energy_of(const ensemble_list *e, int32_t k)
{
    return e->systems[e->order[k]].result.energy;
}

/* Few enough for sorting by insertion, and equal energies stay in the order of their numbers. */
static void sort(ensemble_list *e)
{
    for (int32_t i = 0; i < e->n; ++i) {
        const shoal_result *r = &e->systems[i].result;
        if (!has_ended(r)) continue;
        int32_t k = e->n_order++;
        for (; k > 0 && r->energy < energy_of(e, k - 1); --k) e->order[k] = e->order[k - 1];
        e->order[k] = i;
    }
}

/* --- geometries ----------------------------------------------------------------------------------- */

static shoal_status add_heavy_atoms(ensemble_list *e, const shoal_molecule *mol, bool all)
{
    int32_t *place = shoal_alloc((size_t)mol->n_atoms, sizeof *place);
    if (!place) return SHOAL_E_MEMORY;
    shoal_status status = SHOAL_OK;
    for (int32_t i = 0; i < mol->n_atoms && status == SHOAL_OK; ++i) {
        place[i] = -1;
        if (mol->element[i] == 1 && !all) continue;
        place[i] = e->n_atoms;
        e->atoms[e->n_atoms++] = i;
        status = shoal_molecule_add_atom(e->heavy, mol->element[i], mol->pos[i]);
    }
    for (int32_t k = 0; k < mol->n_bonds && status == SHOAL_OK; ++k) {
        const shoal_bond *b = &mol->bonds[k];
        if (place[b->i] >= 0 && place[b->j] >= 0)
            status = shoal_molecule_add_bond(e->heavy, place[b->i], place[b->j],
                                             (shoal_bond_order)b->order, NULL);
    }
    free(place);
    return status;
}

/* Atoms of unlike charge or with other numbers of hydrogens do not stand for each other. */
static shoal_status find_symmetry(ensemble_list *e, const shoal_molecule *mol)
{
    int32_t *labels = shoal_alloc((size_t)mol->n_atoms, sizeof *labels), *of = NULL;
    of = shoal_alloc((size_t)e->n_atoms, sizeof *of);
    shoal_status status = labels && of ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t k = 0; k < mol->n_bonds && status == SHOAL_OK; ++k) {
        labels[mol->bonds[k].i] += mol->element[mol->bonds[k].j] == 1;
        labels[mol->bonds[k].j] += mol->element[mol->bonds[k].i] == 1;
    }
    for (int32_t k = 0; k < e->n_atoms && status == SHOAL_OK; ++k)
        of[k] = 64 * (mol->formal_charge[e->atoms[k]] + 64) + labels[e->atoms[k]];
    if (status == SHOAL_OK) status = search_symmetry_find(&e->symmetry, e->heavy, e->n_atoms, of);
    free(labels);
    free(of);
    return status;
}

static shoal_status begin_geometries(ensemble_list *e)
{
    const shoal_molecule *mol = e->systems[e->order[0]].mol;
    int32_t n_heavy = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) n_heavy += mol->element[i] != 1;
    e->atoms = shoal_alloc((size_t)mol->n_atoms, sizeof *e->atoms);
    if (!e->atoms) return SHOAL_E_MEMORY;
    SHOAL_TRY(shoal_molecule_create(&e->heavy));
    SHOAL_TRY(add_heavy_atoms(e, mol, n_heavy == 0));
    SHOAL_TRY(find_symmetry(e, mol));
    const size_t n = (size_t)e->n_atoms, most = (size_t)e->n_order + 1;
    e->pos = shoal_alloc(most * n, sizeof *e->pos);
    e->mean = shoal_alloc(most * n, sizeof *e->mean);
    e->work = shoal_alloc(5 * n, sizeof *e->work);
    return e->pos && e->mean && e->work ? SHOAL_OK : SHOAL_E_MEMORY;
}

static search_geometry geometry_of(const ensemble_list *e, int32_t k)
{
    const size_t at = (size_t)k * (size_t)e->n_atoms;
    return (search_geometry){(const double(*)[3])e->pos + at, e->mean + at};
}

/* Its geometry becomes the one behind those that are kept. */
static bool is_new(ensemble_list *e, int32_t system)
{
    const shoal_molecule *mol = e->systems[system].mol;
    const double limit = e->options->rmsd > 0 ? e->options->rmsd : RMSD;
    const size_t at = (size_t)e->n_kept * (size_t)e->n_atoms;
    if (e->options->keep_alike) return true;
    for (int32_t i = 0; i < e->n_atoms; ++i)
        for (int c = 0; c < 3; ++c) e->pos[at + (size_t)i][c] = mol->pos[e->atoms[i]][c];
    search_geometry_measure((const double(*)[3])e->pos + at, e->n_atoms, e->mean + at);
    for (int32_t k = 0; k < e->n_kept; ++k)
        if (search_rmsd(&e->symmetry, NULL, geometry_of(e, e->n_kept), geometry_of(e, k), limit,
                        e->work) <= limit)
            return false;
    return true;
}

/* --- the choice ----------------------------------------------------------------------------------- */

static shoal_status keep_low_ones(ensemble_list *e)
{
    const shoal_ensemble *o = e->options;
    if (!o->keep_alike) SHOAL_TRY(begin_geometries(e));
    for (int32_t k = 0; k < e->n_order; ++k) {
        if (o->most > 0 && e->n_kept == o->most) break;
        if (o->window > 0 && energy_of(e, k) - energy_of(e, 0) > o->window) break;
        if (is_new(e, e->order[k])) e->kept[e->n_kept++] = e->order[k];
    }
    return SHOAL_OK;
}

static shoal_status put_number(shoal_molecule *mol, const char *key, double value)
{
    shoal_string text = {0};
    shoal_string_put_number(&text, value);
    shoal_status status = shoal_string_status(&text);
    if (status == SHOAL_OK)
        status = shoal_molecule_set_property(mol, key, shoal_string_data(&text));
    shoal_string_free(&text);
    return status;
}

static shoal_status weigh(const ensemble_list *e)
{
    const double kt =
        BOLTZMANN * (e->options->temperature > 0 ? e->options->temperature : TEMPERATURE);
    double sum = 0;
    for (int32_t k = 0; k < e->n_kept; ++k)
        sum += exp(-(e->systems[e->kept[k]].result.energy - energy_of(e, 0)) / kt);
    for (int32_t k = 0; k < e->n_kept; ++k) {
        shoal_stream_system *s = &e->systems[e->kept[k]];
        const double height = s->result.energy - energy_of(e, 0);
        s->rank = k + 1;
        SHOAL_TRY(put_number(s->mol, "conformer_rank", s->rank));
        SHOAL_TRY(put_number(s->mol, "conformer_relative_energy", height));
        SHOAL_TRY(put_number(s->mol, "conformer_weight", exp(-height / kt) / sum));
    }
    return SHOAL_OK;
}

static shoal_status choose(void *user, shoal_stream_system *systems, int32_t n)
{
    ensemble_list e = {.options = user, .systems = systems, .n = n};
    e.order = shoal_alloc((size_t)n, sizeof *e.order);
    e.kept = shoal_alloc((size_t)n, sizeof *e.kept);
    shoal_status status = e.order && e.kept ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n; ++i) systems[i].rank = -1;
    if (status == SHOAL_OK) sort(&e);
    if (e.n_order == 0)
        systems[0].rank = 0;
    else if (status == SHOAL_OK)
        status = keep_low_ones(&e);
    if (status == SHOAL_OK) status = weigh(&e);
    search_symmetry_free(&e.symmetry);
    shoal_molecule_destroy(e.heavy);
    free(e.order);
    free(e.kept);
    free(e.atoms);
    free(e.pos);
    free(e.mean);
    free(e.work);
    return status;
}

shoal_status shoal_ensemble_choice(const shoal_ensemble *ensemble, shoal_choice *out)
{
    shoal_clear_error();
    SHOAL_NEED(ensemble && out);
    const double numbers[4] = {ensemble->most, ensemble->window, ensemble->rmsd,
                               ensemble->temperature};
    for (int k = 0; k < 4; ++k)
        if (!(numbers[k] >= 0) || !isfinite(numbers[k]))
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "ensemble: %g of them, window %g eV, rmsd %g A, %g K, expected none "
                              "below 0",
                              numbers[0], numbers[1], numbers[2], numbers[3]);
    *out = (shoal_choice){.choose = choose, .user = (void *)(uintptr_t)ensemble};
    for (int k = 0; k < 4; ++k) out->numbers[k] = numbers[k];
    out->numbers[4] = ensemble->keep_alike;
    return SHOAL_OK;
}
