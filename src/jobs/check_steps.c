/* SPDX-License-Identifier: BSD-3-Clause
 * A check of the steps of a relaxation on the device, every geometry of which ref looks at. Paths of two devices part
 * sooner or later, as rounding grows; so ref is asked about the device's own. The first steps, before that, are
 * compared with those of the cpu in double. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "jobs/check.h"

enum { FRAMES = 256, EARLY = 8 }; /* geometries that ref sees at a time; steps that paths share */

/* How far from the witness an early step may lead, of the longest move; in float it is 0.0003 on molecules that
 * were shaken by 0.3 A. */
#define PARTED 0.005

/* A geometry of the device, and what it found there. */
typedef struct frame {
    int32_t i, step;
    double energy;
    double (*forces)[3];
} frame;

/* The first steps of the witness. */
typedef struct early_steps {
    double (*pos)[3]; /* [EARLY + 1][n_atoms] */
    int32_t n;
} early_steps;

typedef struct check_steps {
    shoal_check *check;
    const shoal_stream_system *systems;
    check_system *held;
    shoal_checked *paths;
    early_steps *early;
    frame frames[FRAMES];
    int32_t n_waiting;
    shoal_batch *batch; /* of the frames, for ref */
    shoal_status status;
    shoal_relax_options relax;
} check_steps;

static int32_t n_atoms_of(const check_steps *x, int32_t i)
{
    return shoal_molecule_n_atoms(x->systems[i].mol);
}

/* --- what ref says --------------------------------------------------------------------------- */

/* Energies of frames are sums of terms, and measured as those are. */
static void compare_frame(const check_steps *x, const frame *f, const shoal_result *ref,
                          shoal_comparison *c)
{
    double size = 1;
    const shoal_result device = {.status = SHOAL_SYSTEM_OK,
                                 .n_terms = 1,
                                 .terms = &f->energy,
                                 .energy = f->energy,
                                 .forces = (const double(*)[3])f->forces};
    shoal_result sum = *ref;
    sum.n_terms = 1;
    sum.terms = &ref->energy;
    for (int t = 0; t < ref->n_terms; ++t) size += fabs(ref->terms[t]);
    shoal_compare(&sum, &device, n_atoms_of(x, f->i), c);
    c->energy_error = fabs(f->energy - ref->energy) / size;
}

static shoal_status note_frame(check_steps *x, const frame *f, const shoal_engine *ref, int32_t k)
{
    const double most = check_tolerance(x->check, -1);
    shoal_checked *p = &x->paths[f->i];
    shoal_result r;
    shoal_comparison c;
    shoal_status status = shoal_engine_result(ref, k, &r);
    if (status != SHOAL_OK) return status;
    compare_frame(x, f, &r, &c);
    const bool differs = check_differs(&c, most);
    ++p->n_compared;
    ++x->check->counts.compared;
    if (isnan(c.verdict)) c.verdict = INFINITY;
    if (c.comparable && c.verdict > p->worst) {
        p->worst = c.verdict;
        p->worst_step = f->step;
    }
    if (!differs || p->differs_at >= 0) return SHOAL_OK;
    p->differs_at = f->step;
    p->c = c;
    shoal_system at = x->held[f->i].system;
    at.pos = shoal_engine_positions(ref, k);
    return check_blame(x->check, &at, n_atoms_of(x, f->i), &p->term);
}

static shoal_status flush(check_steps *x)
{
    shoal_engine *ref = NULL;
    const shoal_engine_options options = check_ref(&x->check->engine);
    if (x->n_waiting == 0) return x->status;
    shoal_status status = shoal_engine_create(&ref, x->batch, &options);
    if (status == SHOAL_OK) status = shoal_engine_eval(ref);
    for (int32_t k = 0; k < x->n_waiting; ++k) {
        if (status == SHOAL_OK) status = note_frame(x, &x->frames[k], ref, k);
        free(x->frames[k].forces);
    }
    x->n_waiting = 0;
    shoal_engine_destroy(ref);
    shoal_batch_destroy(x->batch);
    x->batch = NULL;
    if (x->status == SHOAL_OK) x->status = status;
    return x->status;
}

/* --- the two paths --------------------------------------------------------------------------- */

static void compare_path(shoal_checked *p, const early_steps *early, const shoal_relax_frame *f,
                         int32_t n, double max_move)
{
    if (f->steps >= early->n || p->parted_at >= 0) return;
    const double(*there)[3] = (const double(*)[3])early->pos + (size_t)f->steps * (size_t)n;
    for (int32_t i = 0; i < n; ++i) {
        double d2 = 0;
        for (int c = 0; c < 3; ++c)
            d2 += (f->pos[i][c] - there[i][c]) * (f->pos[i][c] - there[i][c]);
        if (sqrt(d2) <= PARTED * max_move || sqrt(d2) <= p->parted) continue;
        p->parted_at = f->steps;
        p->parted = sqrt(d2);
        p->parted_atom = i;
    }
}

static shoal_status take_frame(void *user, const shoal_relax_frame *f)
{
    check_steps *x = user;
    const int32_t n = n_atoms_of(x, f->i_system);
    const double max_move = x->relax.max_move > 0 ? x->relax.max_move : 0.2;
    frame *to = &x->frames[x->n_waiting];
    shoal_system at = x->held[f->i_system].system;
    compare_path(&x->paths[f->i_system], &x->early[f->i_system], f, n, max_move);
    /* Where atoms are not all that moves, ref would not be where the device is. */
    if (check_count_movers(&x->systems[f->i_system]) > n) return SHOAL_OK;
    shoal_status status = x->batch ? SHOAL_OK : shoal_batch_create(&x->batch);
    at.pos = f->pos;
    if (status == SHOAL_OK) status = shoal_batch_add(x->batch, &at);
    if (status != SHOAL_OK) return status;
    *to = (frame){.i = f->i_system, .step = f->steps, .energy = f->energy};
    to->forces = shoal_alloc((size_t)n, sizeof *to->forces);
    if (!to->forces) return SHOAL_E_MEMORY;
    memcpy(to->forces, f->forces, (size_t)n * sizeof *to->forces);
    if (++x->n_waiting == FRAMES) (void)flush(x);
    return SHOAL_OK;
}

/* The first steps of the cpu in double, by the same method. */
static shoal_status keep_early(void *user, const shoal_relax_frame *f)
{
    check_steps *x = user;
    early_steps *e = &x->early[f->i_system];
    const size_t n = (size_t)n_atoms_of(x, f->i_system);
    if (f->steps > EARLY) return SHOAL_OK;
    if (!e->pos) e->pos = shoal_alloc((EARLY + 1) * n, sizeof *e->pos);
    if (!e->pos) return SHOAL_E_MEMORY;
    memcpy(e->pos + (size_t)f->steps * n, f->pos, n * sizeof *e->pos);
    e->n = f->steps + 1;
    return SHOAL_OK;
}

static shoal_status run(check_steps *x, const shoal_batch *batch, bool witness,
                        shoal_engine **engine)
{
    shoal_engine_options options = x->check->engine;
    shoal_relax_options steps = x->relax;
    steps.every = 1;
    steps.frame = witness ? keep_early : take_frame;
    steps.frame_user = x;
    if (witness) {
        options.device = "cpu";
        options.precision = SHOAL_PRECISION_DOUBLE;
        steps.max_steps = EARLY + 2;
    }
    const shoal_status status = shoal_engine_create(engine, batch, &options);
    return status == SHOAL_OK ? shoal_engine_relax(*engine, &steps, NULL, NULL) : status;
}

/* --- what comes of it ------------------------------------------------------------------------ */

/* Where one of them came to its end, it stands still while the other may go on: that is no parting. */
static void excuse(shoal_checked *p, const shoal_result *device, const shoal_result *witness)
{
    if (p->parted_at >= device->steps || p->parted_at >= witness->steps) p->parted_at = -1;
}

static void tell(check_steps *x, const shoal_engine *device, const shoal_engine *witness, int32_t n)
{
    const shoal_check_options *o = &x->check->options;
    shoal_check_counts *counts = &x->check->counts;
    for (int32_t i = 0; i < n; ++i) {
        shoal_checked *p = &x->paths[i];
        if (shoal_engine_result(device, i, &p->device) != SHOAL_OK) continue;
        if (shoal_engine_result(witness, i, &p->ref) != SHOAL_OK) continue;
        excuse(p, &p->device, &p->ref);
        /* Of a step that has no numbers there is no geometry to look at. */
        const bool lost =
            p->device.status == SHOAL_SYSTEM_NOT_FINITE && p->ref.status != p->device.status;
        p->differs = p->differs_at >= 0 || p->parted_at >= 0 || lost;
        counts->differ += p->differs;
        counts->largest = fmax(counts->largest, p->worst);
        if (o->tell) o->tell(o->user, p);
    }
}

/* --- systems --------------------------------------------------------------------------------- */

static shoal_status hold_all(check_steps *x, int32_t n)
{
    x->held = shoal_alloc((size_t)n, sizeof *x->held);
    x->paths = shoal_alloc((size_t)n, sizeof *x->paths);
    x->early = shoal_alloc((size_t)n, sizeof *x->early);
    if (!x->held || !x->paths || !x->early) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n; ++i) {
        x->paths[i] = (shoal_checked){.system = &x->systems[i], .differs_at = -1, .parted_at = -1};
        SHOAL_TRY(check_hold(x->check, &x->systems[i], &x->held[i]));
    }
    return SHOAL_OK;
}

static void release_all(check_steps *x, int32_t n)
{
    for (int32_t i = 0; i < n && x->held; ++i) check_release(&x->held[i]);
    for (int32_t i = 0; i < n && x->early; ++i) free(x->early[i].pos);
    for (int32_t k = 0; k < x->n_waiting; ++k) free(x->frames[k].forces);
    shoal_batch_destroy(x->batch);
    free(x->held);
    free(x->paths);
    free(x->early);
    free(x);
}

shoal_status check_visit_steps(shoal_check *check, const shoal_stream_system *systems, int32_t n)
{
    shoal_batch *batch = NULL;
    shoal_engine *witness = NULL, *device = NULL;
    check_steps *x = shoal_alloc(1, sizeof *x);
    if (!x) return SHOAL_E_MEMORY;
    x->check = check;
    x->systems = systems;
    if (check->options.relax) x->relax = *check->options.relax;
    shoal_status status = hold_all(x, n);
    if (status == SHOAL_OK) status = check_batch(check, systems, n, &batch);
    if (status == SHOAL_OK) status = run(x, batch, true, &witness);
    if (status == SHOAL_OK) status = run(x, batch, false, &device);
    if (status == SHOAL_OK) status = flush(x);
    if (status == SHOAL_OK) tell(x, device, witness, n);
    check->counts.systems += n;
    shoal_engine_destroy(witness);
    shoal_engine_destroy(device);
    shoal_batch_destroy(batch);
    release_all(x, n);
    return status;
}
