/* SPDX-License-Identifier: BSD-3-Clause
 * One interaction of a system, computed by ref and on the device. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "jobs/check.h"
#include "shoal/explain.h"

static bool is_pair_term(int term)
{
    return term == SHOAL_TERM_VDW || term == SHOAL_TERM_COULOMB;
}

/* TERM:INDEX, TERM:I,J or TERM:I,J,A,B,C with the image of j. */
static shoal_status parse(const char *text, shoal_term_row *row, uint32_t *flags)
{
    const char *colon = strchr(text, ':');
    char rest;
    const int term = colon ? shoal_term_by_name(text, (size_t)(colon - text)) : -1;
    *row = (shoal_term_row){.term = term, .kind = -1, .index = -1, .n_atoms = 1};
    *flags = 0;
    if (term >= 0) {
        int32_t *s = row->atoms[1].shift, *i = &row->atoms[0].atom, *j = &row->atoms[1].atom;
        const int n = is_pair_term(term)
                          ? sscanf(colon + 1, "%d,%d,%d,%d,%d%c", i, j, &s[0], &s[1], &s[2], &rest)
                          : sscanf(colon + 1, "%d%c", i, &rest);
        if (n == 2) *flags = SHOAL_LONE_IMAGES;
        if (is_pair_term(term) && (n == 2 || (n == 5 && term == SHOAL_TERM_VDW))) {
            row->n_atoms = 2;
            return SHOAL_OK;
        }
        if (!is_pair_term(term) && n == 1) return SHOAL_OK;
    }
    return shoal_fail(
        SHOAL_E_ARGUMENT,
        "'%s': expected bond:N, angle:N, torsion:N, inversion:N, sigma_pi:N, "
        "pi_pi:N, "
        "restraint:N, surface:ATOM, vdw:I,J, coulomb:I,J, or vdw:I,J,A,B,C with an image of J",
        text);
}

/* The record that counts for the term and is number index among those, or the special pair of two atoms. */
static bool find_record(const shoal_topology_view *v, shoal_term_row *row)
{
    int32_t index = row->atoms[0].atom, n;
    for (int kind = 0; kind < shoal_term_kind_count(); ++kind) {
        shoal_term_kind info;
        const shoal_term *terms = shoal_topology_terms(v, kind, &n);
        if (!shoal_term_kind_get(kind, &info) || info.term != row->term) continue;
        const int32_t i = row->atoms[0].atom, j = row->atoms[1].atom;
        int32_t at = is_pair_term(row->term) ? 0 : index;
        while (is_pair_term(row->term) && at < n &&
               !(terms[at].atoms[0] == i && terms[at].atoms[1] == j) &&
               !(terms[at].atoms[0] == j && terms[at].atoms[1] == i))
            ++at;
        index -= n;
        if (at < 0 || at >= n) continue;
        *row =
            (shoal_term_row){.term = row->term, .kind = kind, .index = at, .n_atoms = info.n_atoms};
        for (int32_t k = 0; k < info.n_atoms; ++k) {
            row->atoms[k].atom = terms[at].atoms[k];
            memcpy(row->atoms[k].shift, terms[at].shifts[k], sizeof row->atoms[k].shift);
        }
        return true;
    }
    return false;
}

static int32_t count_of(const shoal_topology_view *v, int term)
{
    int32_t sum = 0, n;
    for (int kind = 0; kind < shoal_term_kind_count(); ++kind) {
        shoal_term_kind info;
        (void)shoal_topology_terms(v, kind, &n);
        if (shoal_term_kind_get(kind, &info) && info.term == term) sum += n;
    }
    return sum;
}

/* Which interaction of the system is meant. */
static shoal_status locate(const shoal_check *check, const char *what, const check_system *held,
                           shoal_checked_interaction *s)
{
    shoal_term_row *row = &s->row;
    const int32_t index = row->atoms[0].atom;
    int32_t n = 0;
    if (row->term == SHOAL_TERM_RESTRAINT) {
        n = held->system.n_restraints;
        if (index >= 0 && index < n) {
            const shoal_restraint *r = &held->system.restraints[index];
            row->index = index;
            row->n_atoms = (int32_t)r->kind + 1;
            for (int32_t k = 0; k < row->n_atoms; ++k) row->atoms[k].atom = r->atoms[k];
            return SHOAL_OK;
        }
    } else if (row->term == SHOAL_TERM_SURFACE) {
        if (check->engine.surface) return SHOAL_OK;
        return shoal_fail(SHOAL_E_ARGUMENT, "%s: there is no surface", what);
    } else {
        if (find_record(&s->view, row) || is_pair_term(row->term)) return SHOAL_OK;
        n = count_of(&s->view, row->term);
    }
    return shoal_fail(SHOAL_E_ARGUMENT, "%s: the system has %d of them, counted from 0", what, n);
}

static void keep_row(void *user, const shoal_term_row *row)
{
    *(shoal_term_row *)user = *row;
}

/* Measured in double where the interaction is alone with its atoms; NaN where it is no single pair. */
static shoal_status measure(const shoal_check *check, const check_system *held, uint32_t flags,
                            shoal_checked_interaction *s)
{
    shoal_engine_options options = check_ref(&check->engine);
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_term_row row = {.value = NAN};
    options.terms_off = ~(1u << s->row.term);
    shoal_status status = shoal_batch_create(&batch);
    if (status == SHOAL_OK)
        status = shoal_batch_add_interaction(batch, &held->system, &options, &s->row,
                                             flags | SHOAL_LONE_OWN_ATOMS);
    if (status == SHOAL_OK) status = shoal_engine_create(&engine, batch, &options);
    if (status == SHOAL_OK) status = shoal_engine_explain(engine, 0, keep_row, &row);
    s->row.value = flags && s->view.pbc[0] | s->view.pbc[1] | s->view.pbc[2] ? NAN : row.value;
    memcpy(s->row.parameters, row.parameters, sizeof row.parameters);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return status;
}

static shoal_status compute(shoal_check *check, const check_system *held, uint32_t flags,
                            shoal_checked_interaction *s)
{
    shoal_engine_options options = check->engine;
    shoal_batch *batch = NULL;
    shoal_result r[2];
    options.terms_off = ~(1u << s->row.term);
    check_destroy(check->engines);
    shoal_status status = shoal_batch_create(&batch);
    if (status == SHOAL_OK)
        status = shoal_batch_add_interaction(batch, &held->system, &options, &s->row, flags);
    if (status == SHOAL_OK) status = check_evaluate(batch, &options, check->engines);
    shoal_batch_destroy(batch);
    if (status != SHOAL_OK) return status;
    check_results(check->engines, 0, r);
    s->ref = r[0];
    s->device = r[1];
    return SHOAL_OK;
}

static void judge(const shoal_check *check, shoal_checked_interaction *s)
{
    const bool periodic = s->view.pbc[0] || s->view.pbc[1] || s->view.pbc[2];
    shoal_compare_interaction(&s->ref, &s->device, shoal_mover_count(&s->view), s->row.term,
                              periodic, &s->c);
    s->row.energy = s->ref.energy;
    s->tolerance = check_tolerance(check, s->row.term);
    s->differs = check_differs(&s->c, s->tolerance);
}

shoal_status shoal_check_interaction(shoal_check *check, const shoal_stream_system *system,
                                     const char *what, shoal_checked_interaction *out)
{
    uint32_t flags; /* SHOAL_LONE_IMAGES: of a pair without a certain image */
    check_system held = {0};
    shoal_clear_error();
    SHOAL_NEED(check && system && what && out && system->topology);
    *out = (shoal_checked_interaction){0};
    SHOAL_TRY(parse(what, &out->row, &flags));
    shoal_topology_get(system->topology, &out->view);
    if (shoal_topology_status(system->topology) != SHOAL_SYSTEM_OK)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s: the system is untyped: %s", what,
                          shoal_topology_reason(system->topology));
    shoal_status status = check_hold(check, system, &held);
    if (status == SHOAL_OK) status = locate(check, what, &held, out);
    if (status == SHOAL_OK) status = compute(check, &held, flags, out);
    if (status == SHOAL_OK) status = measure(check, &held, flags, out);
    if (status == SHOAL_OK) judge(check, out);
    check_release(&held);
    return status;
}
