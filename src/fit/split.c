/* SPDX-License-Identifier: BSD-3-Clause
 * Samples shared out among devices and ranks. */
#include "fit/split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/text.h"

/* Consecutive blocks of samples, as a problem of its own. */
typedef struct split_part {
    fit_problem problem;
    fit_block *blocks;
    int32_t *block_of;
    int64_t *row_start;
    fit_evaluator *evaluator; /* NULL on other ranks */
    int32_t first;            /* of its samples */
    shoal_status status;
    char failure[200];
} split_part;

/* Messages of one rank that came before they were wanted. */
typedef struct split_queue {
    shoal_string *messages;
    int32_t n, capacity;
} split_queue;

typedef struct split {
    fit_evaluator base;
    split_part *parts; /* [n_parts]: n_devices of each rank */
    int32_t n_parts, n_devices;
    const shoal_peers *peers; /* NULL: this process alone */
    split_queue *queues;      /* [peers->size] */
    char *name;
} split;

static int32_t rank_of(const split *s)
{
    return s->peers ? s->peers->rank : 0;
}

/* --- parts -------------------------------------------------------------------------------------------- */

/* Pairs of atoms in a block: what it costs. */
static double cost_of(const fit_problem *problem, const fit_block *block)
{
    const fit_sample *x = &problem->data->samples[problem->source[block->first]];
    return (double)block->n * x->n_first * (x->n_atoms - x->n_first);
}

/* The first block behind this share of the cost. */
static int32_t cut(const fit_problem *problem, double share)
{
    double all = 0.0, sum = 0.0;
    int32_t b = 0;
    for (int32_t k = 0; k < problem->n_blocks; ++k) all += cost_of(problem, &problem->blocks[k]);
    while (b < problem->n_blocks && sum + 0.5 * cost_of(problem, &problem->blocks[b]) < share * all)
        sum += cost_of(problem, &problem->blocks[b++]);
    return b;
}

static int32_t first_of(const fit_problem *problem, int32_t block)
{
    return block < problem->n_blocks ? problem->blocks[block].first : problem->n_samples;
}

static shoal_status make_part(split_part *part, const fit_problem *whole, int32_t from, int32_t to)
{
    const int32_t first = first_of(whole, from), n = first_of(whole, to) - first;
    part->first = first;
    part->blocks = shoal_alloc((size_t)(to - from) + 1, sizeof *part->blocks);
    part->block_of = shoal_alloc((size_t)n + 1, sizeof *part->block_of);
    part->row_start = shoal_alloc((size_t)n + 1, sizeof *part->row_start);
    if (!part->blocks || !part->block_of || !part->row_start) return SHOAL_E_MEMORY;
    for (int32_t b = from; b < to; ++b) {
        part->blocks[b - from] = whole->blocks[b];
        part->blocks[b - from].first -= first;
    }
    for (int32_t i = 0; i < n; ++i) part->block_of[i] = whole->block_of[first + i] - from;
    for (int32_t i = 0; i <= n; ++i)
        part->row_start[i] = whole->row_start[first + i] - whole->row_start[first];
    part->problem = *whole;
    part->problem.n_samples = n;
    part->problem.source = whole->source + first;
    part->problem.part_scale = whole->part_scale + first;
    part->problem.n_blocks = to - from;
    part->problem.blocks = part->blocks;
    part->problem.block_of = part->block_of;
    part->problem.row_start = part->row_start;
    return SHOAL_OK;
}

/* --- messages ------------------------------------------------------------------------------------------- */

static shoal_status put_away(split_queue *q, shoal_string message)
{
    SHOAL_TRY(SHOAL_RESERVE(&q->messages, &q->capacity, q->n + 1));
    q->messages[q->n++] = message;
    return SHOAL_OK;
}

/* The next message of a rank; the caller frees it. */
static shoal_status next_of(split *s, int32_t rank, shoal_string *out)
{
    const struct timespec a_little = {0, 20000};
    split_queue *q = &s->queues[rank];
    while (q->n == 0) {
        shoal_string message = {0};
        int32_t from;
        bool found;
        shoal_status status = s->peers->receive(s->peers->user, &from, &message, &found);
        if (status == SHOAL_OK && found)
            status = put_away(&s->queues[from], message);
        else
            shoal_string_free(&message);
        if (status != SHOAL_OK) return status;
        if (!found) (void)nanosleep(&a_little, NULL);
    }
    *out = q->messages[0];
    memmove(q->messages, q->messages + 1, (size_t)--q->n * sizeof *q->messages);
    return SHOAL_OK;
}

static shoal_status tell_all(const split *s, const shoal_string *message)
{
    for (int32_t r = 0; r < s->peers->size; ++r)
        if (r != s->peers->rank)
            SHOAL_TRY(s->peers->send(s->peers->user, r, shoal_string_data(message),
                                     shoal_string_size(message)));
    return SHOAL_OK;
}

/* The samples of a rank: from *first on, n of them. */
static int32_t samples_of(const split *s, int32_t rank, int32_t *first)
{
    const split_part *a = &s->parts[rank * s->n_devices], *b = a + s->n_devices - 1;
    *first = a->first;
    return b->first + b->problem.n_samples - a->first;
}

/* What a rank found: its failure, or energies and rows (which may be NULL). */
static void put_results(const split *s, shoal_status status, const double *energy,
                        const double *rows, shoal_string *out)
{
    int32_t first;
    const int32_t n = samples_of(s, rank_of(s), &first), failed = (int32_t)status;
    const int64_t *start = s->base.problem->row_start;
    shoal_string_put(out, (const char *)&failed, sizeof failed);
    if (status != SHOAL_OK) {
        shoal_string_put_text(out, shoal_error_text());
        return;
    }
    shoal_string_put(out, (const char *)(energy + first), (size_t)n * sizeof *energy);
    if (rows)
        shoal_string_put(out, (const char *)(rows + start[first]),
                         (size_t)(start[first + n] - start[first]) * sizeof *rows);
}

static shoal_status take_results(const split *s, int32_t rank, const shoal_string *message,
                                 double *energy, double *rows)
{
    int32_t first, failed = 0;
    const int32_t n = samples_of(s, rank, &first);
    const int64_t *start = s->base.problem->row_start;
    const size_t energies = (size_t)n * sizeof *energy;
    const size_t slopes = rows ? (size_t)(start[first + n] - start[first]) * sizeof *rows : 0;
    const char *at = shoal_string_data(message);
    const size_t size = shoal_string_size(message);
    if (size < sizeof failed)
        return shoal_fail(SHOAL_E_IO, "rank %d sent %zu bytes", (int)rank, size);
    memcpy(&failed, at, sizeof failed);
    if (failed != 0)
        return shoal_fail((shoal_status)failed, "rank %d: %.*s", (int)rank,
                          (int)(size - sizeof failed), at + sizeof failed);
    if (size != sizeof failed + energies + slopes)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "rank %d sent %zu bytes, expected %zu: the ranks have not the same data",
                          (int)rank, size, sizeof failed + energies + slopes);
    memcpy(energy + first, at + sizeof failed, energies);
    if (slopes > 0) memcpy(rows + start[first], at + sizeof failed + energies, slopes);
    return SHOAL_OK;
}

static shoal_status exchange(split *s, shoal_status status, double *energy, double *rows)
{
    shoal_string own = {0};
    put_results(s, status, energy, rows, &own);
    shoal_status sent = shoal_string_status(&own);
    if (sent == SHOAL_OK) sent = tell_all(s, &own);
    shoal_string_free(&own);
    if (status == SHOAL_OK) status = sent;
    if (sent != SHOAL_OK) return status;
    /* Also after a failure all of them are taken, so that the next evaluation finds its own; the first failure counts. */
    char failure[200];
    (void)snprintf(failure, sizeof failure, "%.190s", status != SHOAL_OK ? shoal_error_text() : "");
    for (int32_t r = 0; r < s->peers->size; ++r) {
        shoal_string message = {0};
        if (r == s->peers->rank) continue;
        SHOAL_TRY(next_of(s, r, &message));
        const shoal_status theirs = take_results(s, r, &message, energy, rows);
        shoal_string_free(&message);
        if (status != SHOAL_OK || theirs == SHOAL_OK) continue;
        status = theirs;
        (void)snprintf(failure, sizeof failure, "%.190s", shoal_error_text());
    }
    return status == SHOAL_OK ? SHOAL_OK : shoal_fail(status, "%s", failure);
}

shoal_status fit_split_agree(fit_evaluator *ev, bool *flag)
{
    split *s = (split *)ev;
    shoal_string message = {0};
    const char says[] = {*flag ? 'y' : 'n'};
    if (rank_of(s) == 0) {
        shoal_string_put(&message, says, sizeof says);
        const shoal_status status = tell_all(s, &message);
        shoal_string_free(&message);
        return status;
    }
    SHOAL_TRY(next_of(s, 0, &message));
    *flag = shoal_string_size(&message) == 1 && *shoal_string_data(&message) == 'y';
    shoal_string_free(&message);
    return SHOAL_OK;
}

/* --- the evaluator -------------------------------------------------------------------------------------- */

static void run_part(const split *s, split_part *part, const double *p, double *energy,
                     double *rows)
{
    fit_evaluator *ev = part->evaluator;
    const int64_t at = s->base.problem->row_start[part->first];
    part->status = SHOAL_OK;
    if (part->problem.n_samples > 0)
        part->status = rows ? ev->rows(ev, p, energy + part->first, rows + at)
                            : ev->energies(ev, p, energy + part->first);
    if (part->status != SHOAL_OK) /* texts belong to threads */
        (void)snprintf(part->failure, sizeof part->failure, "%.190s", shoal_error_text());
}

static shoal_status evaluate(split *s, const double *p, double *energy, double *rows)
{
    const int32_t n = s->n_devices;
    split_part *parts = &s->parts[rank_of(s) * n];
    shoal_status status = SHOAL_OK;
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads((int)n) if (n > 1)
#endif
    for (int32_t k = 0; k < n; ++k) run_part(s, &parts[k], p, energy, rows);
    for (int32_t k = 0; k < n && status == SHOAL_OK; ++k)
        if (parts[k].status != SHOAL_OK)
            status = shoal_fail(parts[k].status, "%s", parts[k].failure);
    return s->peers ? exchange(s, status, energy, rows) : status;
}

static shoal_status energies(fit_evaluator *ev, const double *p, double *energy)
{
    return evaluate((split *)ev, p, energy, NULL);
}

static shoal_status rows_of(fit_evaluator *ev, const double *p, double *energy, double *rows)
{
    return evaluate((split *)ev, p, energy, rows);
}

static void destroy(fit_evaluator *base)
{
    split *s = (split *)base;
    if (!s) return;
    for (int32_t k = 0; s->parts && k < s->n_parts; ++k) {
        split_part *part = &s->parts[k];
        if (part->evaluator) part->evaluator->destroy(part->evaluator);
        free(part->blocks);
        free(part->block_of);
        free(part->row_start);
    }
    for (int32_t r = 0; s->queues && r < s->peers->size; ++r) {
        for (int32_t k = 0; k < s->queues[r].n; ++k) shoal_string_free(&s->queues[r].messages[k]);
        free(s->queues[r].messages);
    }
    free(s->queues);
    free(s->parts);
    free(s->name);
    free(s);
}

static shoal_status make_parts(split *s, bool single, split_make *make)
{
    const fit_problem *whole = s->base.problem;
    const int32_t own = rank_of(s) * s->n_devices;
    char name[64];
    for (int32_t k = 0; k < s->n_parts; ++k)
        SHOAL_TRY(make_part(&s->parts[k], whole, k > 0 ? cut(whole, (double)k / s->n_parts) : 0,
                            cut(whole, k + 1 < s->n_parts ? (k + 1.0) / s->n_parts : 2.0)));
    const char *at = s->name;
    for (int32_t k = 0; k < s->n_devices; ++k) {
        const size_t n = strcspn(at, ",");
        (void)snprintf(name, sizeof name, "%.*s", (int)n, at);
        at += n + (at[n] == ',');
        /* a part without samples still needs no evaluator */
        if (s->parts[own + k].problem.n_samples == 0) continue;
        SHOAL_TRY(make(&s->parts[own + k].evaluator, &s->parts[own + k].problem, name, single));
    }
    return SHOAL_OK;
}

shoal_status fit_split_create(fit_evaluator **out, const fit_problem *problem, const char *names,
                              bool single, const shoal_peers *peers, split_make *make)
{
    *out = NULL;
    split *s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_E_MEMORY;
    s->peers = peers && peers->size > 1 ? peers : NULL;
    s->n_devices = 1;
    for (const char *c = names; *c; ++c) s->n_devices += *c == ',';
    s->n_parts = s->n_devices * (s->peers ? s->peers->size : 1);
    s->name = strdup(names);
    s->parts = shoal_alloc((size_t)s->n_parts, sizeof *s->parts);
    if (s->peers) s->queues = shoal_alloc((size_t)s->peers->size, sizeof *s->queues);
    s->base = (fit_evaluator){.name = s->name,
                              .problem = problem,
                              .energies = energies,
                              .rows = rows_of,
                              .destroy = destroy};
    const bool complete = s->name && s->parts && (s->queues || !s->peers);
    const shoal_status status = complete ? make_parts(s, single, make) : SHOAL_E_MEMORY;
    if (status != SHOAL_OK) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return SHOAL_OK;
}
