/* SPDX-License-Identifier: BSD-3-Clause
 * A device against ref: whole systems. */
#include "jobs/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "shoal/explain.h"

shoal_status shoal_check_create(shoal_check **out, const shoal_stream_options *stream,
                                const shoal_check_options *options)
{
    shoal_clear_error();
    SHOAL_NEED(out && stream && options);
    *out = NULL;
    if (!stream->compute.engine)
        return shoal_fail(SHOAL_E_ARGUMENT, "a check needs the options of an engine");
    shoal_check *check = shoal_alloc(1, sizeof *check);
    if (!check) return SHOAL_E_MEMORY;
    check->stream = stream;
    check->engine = *stream->compute.engine;
    check->options = *options;
    const size_t most = 2 * (size_t)shoal_term_count() + (size_t)shoal_term_kind_count();
    check->terms = shoal_alloc(most, sizeof *check->terms);
    if (!check->terms) {
        shoal_check_destroy(check);
        return SHOAL_E_MEMORY;
    }
    *out = check;
    return SHOAL_OK;
}

void shoal_check_destroy(shoal_check *check)
{
    if (!check) return;
    check_destroy(check->engines);
    free(check->errors);
    free(check->terms);
    free(check);
}

static void note_worst(shoal_check *check, const shoal_stream_system *s, const shoal_comparison *c)
{
    shoal_check_counts *n = &check->counts;
    char type[SHOAL_MOVER_SIZE], buffer[32];
    shoal_topology_view v;
    shoal_topology_get(s->topology, &v);
    n->c = *c;
    n->index = s->index;
    (void)snprintf(n->name, sizeof n->name, "%.63s", shoal_row_title(s, buffer));
    (void)snprintf(n->type, sizeof n->type, "%.23s", shoal_mover_type(&v, c->atom, type));
}

/* Compares systems; *worst is the one with the largest error so far, -1 if none of them is. */
static shoal_status compare_systems(shoal_check *check, const shoal_stream_system *systems,
                                    int32_t n, shoal_engine *const engines[2], int32_t *worst)
{
    shoal_check_counts *counts = &check->counts;
    for (int32_t i = 0; i < n; ++i) {
        shoal_checked of = {.system = &systems[i], .differs_at = -1, .parted_at = -1};
        shoal_result r[2];
        check_results(engines, i, r);
        of.ref = r[0];
        of.device = r[1];
        shoal_compare(&r[0], &r[1], check_count_movers(of.system), &of.c);
        of.differs = check_differs(&of.c, check_tolerance(check, -1));
        counts->differ += of.differs;
        ++counts->systems;
        if (isnan(of.c.verdict)) of.c.verdict = INFINITY;
        if (of.c.comparable) {
            SHOAL_TRY(SHOAL_RESERVE(&check->errors, &check->error_capacity, check->n_errors + 1));
            check->errors[check->n_errors++] = of.c.verdict;
            if (of.c.verdict > counts->c.verdict || check->n_errors == 1) {
                note_worst(check, of.system, &of.c);
                *worst = i;
            }
        }
        if (check->options.tell) check->options.tell(check->options.user, &of);
    }
    return SHOAL_OK;
}

static shoal_status visit_systems(shoal_check *check, const shoal_stream_system *systems, int32_t n)
{
    shoal_batch *batch = NULL;
    shoal_engine *engines[2] = {NULL, NULL};
    check_system held = {0};
    int32_t worst = -1;
    shoal_status status = check_batch(check, systems, n, &batch);
    if (status == SHOAL_OK) status = check_evaluate(batch, &check->engine, engines);
    if (status == SHOAL_OK) status = compare_systems(check, systems, n, engines, &worst);
    check_destroy(engines);
    shoal_batch_destroy(batch);
    if (status != SHOAL_OK || worst < 0) return status;
    status = check_hold(check, &systems[worst], &held);
    if (status == SHOAL_OK)
        status = check_blame(check, &held.system, check_count_movers(&systems[worst]),
                             &check->counts.term);
    check_release(&held);
    return status;
}

shoal_status shoal_check_visit(shoal_check *check, const shoal_stream_system *systems, int32_t n)
{
    shoal_clear_error();
    SHOAL_NEED(check && systems);
    switch (check->options.way) {
    case SHOAL_CHECK_TERMS: return check_visit_terms(check, systems, n);
    case SHOAL_CHECK_STEPS: return check_visit_steps(check, systems, n);
    case SHOAL_CHECK_SYSTEMS: break;
    }
    return visit_systems(check, systems, n);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void shoal_check_count(shoal_check *check, shoal_check_counts *out)
{
    if (!out) return;
    *out = (shoal_check_counts){0};
    if (!check) return;
    shoal_check_counts *counts = &check->counts;
    const int32_t n = check->n_errors;
    if (n > 0) {
        qsort(check->errors, (size_t)n, sizeof *check->errors, compare_doubles);
        counts->compared = n;
        counts->median = check->errors[n / 2];
        counts->largest = check->errors[n - 1];
    }
    *out = *counts;
}

int32_t shoal_check_n_terms(const shoal_check *check)
{
    return check ? check->n_terms : 0;
}

shoal_status shoal_check_term_get(const shoal_check *check, int32_t k, shoal_check_term *out)
{
    shoal_clear_error();
    SHOAL_NEED(check && out);
    if (k < 0 || k >= check->n_terms)
        return shoal_fail(SHOAL_E_ARGUMENT, "row %d: expected one of %d", k, check->n_terms);
    *out = check->terms[k];
    out->tolerance = check_tolerance(check, out->term);
    return SHOAL_OK;
}

shoal_status shoal_check_add(const shoal_check *check, const shoal_stream_system *system,
                             shoal_batch *batch)
{
    check_system held = {0};
    shoal_clear_error();
    SHOAL_NEED(check && system && system->mol && batch);
    shoal_status status = check_hold(check, system, &held);
    if (status == SHOAL_OK) status = shoal_batch_add(batch, &held.system);
    check_release(&held);
    return status;
}
