/* SPDX-License-Identifier: BSD-3-Clause
 * Single interactions, by ref and by the formulas the other backends share. */
#include "run/interaction.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_kernels.h"
#include "backend/ref/ref.h"
#include "base/alloc.h"

/* The record number index among those that count for an energy; NULL if there are not so many. */
static const shoal_term *find_record(const shoal_topology_view *v, int term, int32_t index)
{
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) {
        if (term_shapes[kind].energy != term) continue;
        if (index < terms_count(v, kind)) return index >= 0 ? &terms_of(v, kind)[index] : NULL;
        index -= terms_count(v, kind);
    }
    return NULL;
}

/* The record of a special pair of two atoms; NULL if there is none. */
static const shoal_term *find_pair(const shoal_topology_view *v, int term, const int32_t which[2])
{
    const shoal_term *t;
    for (int32_t k = 0; (t = find_record(v, term, k)); ++k)
        if ((t->atoms[0] == which[0] && t->atoms[1] == which[1]) ||
            (t->atoms[0] == which[1] && t->atoms[1] == which[0]))
            return t;
    return NULL;
}

static bool is_pair_term(int term)
{
    return term == SHOAL_TERM_VDW || term == SHOAL_TERM_COULOMB;
}

static int32_t count_of(const backend_system *s, int term)
{
    int32_t n = term == SHOAL_TERM_RESTRAINT ? s->n_restraints : 0;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind)
        if (term_shapes[kind].energy == term) n += terms_count(&s->view, kind);
    return n;
}

static shoal_status check_which(const backend_system *s, int term, const int32_t which[2])
{
    if (is_pair_term(term)) {
        const int32_t n = s->view.n_atoms;
        if (s->view.pbc[0] || s->view.pbc[1] || s->view.pbc[2])
            return shoal_fail(SHOAL_E_UNSUPPORTED,
                              "%s %d,%d: in a periodic system two atoms meet through many images, "
                              "so that there is no single pair",
                              shoal_term_name(term), which[0], which[1]);
        for (int k = 0; k < 2; ++k)
            if (which[k] < 0 || which[k] >= n || which[0] == which[1])
                return shoal_fail(SHOAL_E_ARGUMENT, "pair %d,%d, expected two atoms from 0 to %d",
                                  which[0], which[1], n - 1);
        return SHOAL_OK;
    }
    if (term < 0 || term >= SHOAL_N_TERMS || term == SHOAL_TERM_SURFACE)
        return shoal_fail(SHOAL_E_ARGUMENT, "no single interactions of the term %d are known",
                          term);
    const int32_t n = count_of(s, term);
    if (which[0] >= 0 && which[0] < n) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "%s %d, but the system has %d of them",
                      shoal_term_name(term), which[0], n);
}

/* A system reduced to the one interaction that is asked for: a restraint, or a pair of atoms that
 * exclude nothing. */
typedef struct lone {
    backend_system system;
    shoal_engine_options options;
    int32_t elements[2], exclude_start[3];
    double vdw_x[2], vdw_d[2], charges[2], pair_pos[2][3];
    const double (*pos)[3];
    shoal_term_row row;
} lone;

static void keep_pair(lone *l, const backend_system *s, const double (*pos)[3],
                      const int32_t which[2])
{
    shoal_topology_view *v = &l->system.view;
    for (int k = 0; k < 2; ++k) {
        l->elements[k] = s->view.elements[which[k]];
        l->vdw_x[k] = s->view.vdw_x[which[k]];
        l->vdw_d[k] = s->view.vdw_d[which[k]];
        l->charges[k] = s->view.charges[which[k]];
        memcpy(l->pair_pos[k], pos[which[k]], sizeof l->pair_pos[k]);
    }
    v->n_atoms = 2;
    v->elements = l->elements;
    v->vdw_x = l->vdw_x;
    v->vdw_d = l->vdw_d;
    v->charges = l->charges;
    v->exclude_start = l->exclude_start;
    l->pos = (const double(*)[3])l->pair_pos;
}

static void keep_one(lone *l, const backend_system *s, int term, const int32_t which[2])
{
    l->system.view.term_start = terms_none;
    l->options.terms_off = ~(1u << term);
    l->system.fixed = NULL;
    l->system.n_restraints = term == SHOAL_TERM_RESTRAINT;
    if (term == SHOAL_TERM_RESTRAINT)
        l->system.restraints += which[0];
    else
        keep_pair(l, s, l->pos, which);
}

static void catch_row(void *user, const shoal_term_row *row)
{
    *(shoal_term_row *)user = *row;
}

static shoal_status by_ref(const backend_system *s, const double (*pos)[3],
                           const shoal_engine_options *options, int term, const int32_t which[2],
                           shoal_interaction *out)
{
    lone l = {.system = *s, .options = *options, .pos = pos};
    const bool is_pair = is_pair_term(term);
    keep_one(&l, s, term, which);
    /* What stays of a pair that is too far apart, or has no charges, to be listed. */
    l.row =
        (shoal_term_row){.term = term, .kind = -1, .index = -1, .n_atoms = 2, .atoms[1].atom = 1};
    backend_result result = {.forces =
                                 shoal_alloc((size_t)l.system.view.n_atoms, 3 * sizeof(double))};
    if (!result.forces) return SHOAL_E_MEMORY;
    result.pos = (double(*)[3])l.pos; /* only read */
    ref_explain(&l.system, l.pos, &l.options, catch_row, &l.row);
    ref_compute(&l.system, &l.options, &result);
    *out = (shoal_interaction){.row = l.row};
    for (int32_t k = 0; k < l.row.n_atoms; ++k) {
        memcpy(out->forces[k], result.forces[l.row.atoms[k].atom], sizeof out->forces[k]);
        if (is_pair) out->row.atoms[k].atom = which[k];
    }
    if (!is_pair) out->row.index = which[0];
    const shoal_status status = result.status == SHOAL_SYSTEM_OK
                                    ? SHOAL_OK
                                    : shoal_fail(SHOAL_E_ARGUMENT, "%s", result.reason);
    free(result.forces);
    return status;
}

/* Positions of the atoms of a row relative to the middle of the system, images included. */
static void place(const backend_system *s, const double (*from)[3], const shoal_term_row *row,
                  double pos[4][3], double middle[3])
{
    for (int c = 0; c < 3; ++c) {
        middle[c] = 0;
        for (int32_t i = 0; i < s->view.n_atoms; ++i) middle[c] += from[i][c];
        middle[c] /= s->view.n_atoms;
        for (int32_t k = 0; k < row->n_atoms; ++k) {
            const shoal_image *a = &row->atoms[k];
            pos[k][c] = from[a->atom][c] - middle[c];
            for (int d = 0; d < 3; ++d) pos[k][c] += a->shift[d] * s->cell[d][c];
        }
    }
}

shoal_status interaction_compare(const backend_system *system, const double (*pos)[3],
                                 const shoal_engine_options *options, int term,
                                 const int32_t which[2], shoal_precision precision,
                                 shoal_interaction *ref, shoal_interaction *shared)
{
    SHOAL_TRY(check_which(system, term, which));
    const shoal_term *record = is_pair_term(term) ? find_pair(&system->view, term, which)
                                                  : find_record(&system->view, term, which[0]);
    if (record) {
        const int32_t index = (int32_t)(record - terms_of(&system->view, record->kind));
        SHOAL_TRY(
            ref_compute_term(system, pos, options, record->kind, index, &ref->row, ref->forces));
    } else {
        SHOAL_TRY(by_ref(system, pos, options, term, which, ref));
    }
    cpu_interaction in = {.term = term,
                          .view = &system->view,
                          .options = options,
                          .record = record,
                          .pair = {which[0], which[1]}};
    shoal_restraint restraint;
    double middle[3];
    place(system, pos, &ref->row, in.pos, middle);
    if (term == SHOAL_TERM_RESTRAINT) {
        restraint = system->restraints[which[0]];
        for (int c = 0; c < 3; ++c) restraint.target[c] -= middle[c];
        in.restraint = &restraint;
    }
    *shared = (shoal_interaction){.row = ref->row};
    const cpu_kernels *kernels = cpu_kernels_choose(
        precision == SHOAL_PRECISION_DOUBLE ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_FLOAT);
    shared->row.energy = kernels->interaction(&in, &shared->row.value, shared->forces);
    return SHOAL_OK;
}
