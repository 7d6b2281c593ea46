/* SPDX-License-Identifier: BSD-3-Clause
 * shoal check --relax: a relaxation on the device, every geometry of which ref looks at. Paths of two devices part
 * sooner or later, as rounding grows; so ref is asked about the device's own. The first steps, before that, are
 * compared with those of the cpu in double. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "results.h"

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

/* What became of a system. */
typedef struct path {
    int32_t n_compared;
    int32_t differs_at; /* step, -1: nowhere */
    shoal_comparison c; /* there */
    int term;
    double worst; /* verdict of all steps */
    int32_t worst_step;
    double (*early)[3]; /* [EARLY + 1][n_atoms] of the witness */
    int32_t n_early;
    int32_t parted_at; /* first early step that leads elsewhere, -1: none */
    double parted;     /* angstrom */
    int32_t parted_atom;
} path;

struct check_relax {
    const check_options *options;
    int64_t n_systems, n_differ, n_frames;
    double worst;
    json line;
    /* The systems in hand: */
    const shoal_stream_system *systems;
    check_system *held;
    path *paths;
    frame frames[FRAMES];
    int32_t n_waiting;
    shoal_batch *batch; /* of the frames, for ref */
    int code;
};

check_relax *check_relax_create(const check_options *o)
{
    check_relax *relax = calloc(1, sizeof *relax);
    if (relax) relax->options = o;
    return relax;
}

void check_relax_destroy(check_relax *relax)
{
    if (relax) json_free(&relax->line);
    free(relax);
}

static int32_t n_atoms_of(const check_relax *x, int32_t i)
{
    return shoal_molecule_n_atoms(x->systems[i].mol);
}

/* --- what ref says --------------------------------------------------------------------------- */

/* Energies of frames are sums of terms, and measured as those are. */
static void compare_frame(const check_relax *x, const frame *f, const shoal_result *ref,
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

static shoal_status note_frame(check_relax *x, const frame *f, const shoal_engine *ref, int32_t k)
{
    const double most = check_tolerance(x->options);
    path *p = &x->paths[f->i];
    shoal_result r;
    shoal_comparison c;
    shoal_status status = shoal_engine_result(ref, k, &r);
    if (status != SHOAL_OK) return status;
    compare_frame(x, f, &r, &c);
    const bool differs =
        !c.same_status || (c.comparable && !(c.verdict <= most && c.energy_error <= most));
    ++p->n_compared;
    ++x->n_frames;
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
    double error;
    return check_blame(x->options, &at, n_atoms_of(x, f->i), &p->term, &error);
}

static int flush(check_relax *x)
{
    shoal_engine *ref = NULL;
    shoal_engine_options options = x->options->compute.engine;
    options.device = "ref";
    options.precision = SHOAL_PRECISION_DOUBLE;
    if (x->n_waiting == 0) return x->code;
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
    if (status != SHOAL_OK && x->code == EXIT_ALL_FINE) x->code = complain_of_status(status);
    return x->code;
}

/* --- the two paths --------------------------------------------------------------------------- */

static void compare_path(path *p, const shoal_relax_frame *f, int32_t n, double max_move)
{
    if (f->steps >= p->n_early || p->parted_at >= 0) return;
    const double(*there)[3] = (const double(*)[3])p->early + (size_t)f->steps * (size_t)n;
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
    check_relax *x = user;
    const int32_t n = n_atoms_of(x, f->i_system);
    const double max_move = x->options->steps.max_move > 0 ? x->options->steps.max_move : 0.2;
    frame *to = &x->frames[x->n_waiting];
    shoal_system at = x->held[f->i_system].system;
    compare_path(&x->paths[f->i_system], f, n, max_move);
    /* Where atoms are not all that moves, ref would not be where the device is. */
    if (check_count_movers(&x->systems[f->i_system]) > n) return SHOAL_OK;
    shoal_status status = x->batch ? SHOAL_OK : shoal_batch_create(&x->batch);
    at.pos = f->pos;
    if (status == SHOAL_OK) status = shoal_batch_add(x->batch, &at);
    if (status != SHOAL_OK) return status;
    *to = (frame){.i = f->i_system, .step = f->steps, .energy = f->energy};
    to->forces = malloc((size_t)(n + 1) * sizeof *to->forces);
    if (!to->forces) return SHOAL_E_MEMORY;
    memcpy(to->forces, f->forces, (size_t)n * sizeof *to->forces);
    if (++x->n_waiting == FRAMES) (void)flush(x);
    return SHOAL_OK;
}

/* The first steps of the cpu in double, by the same method. */
static shoal_status keep_early(void *user, const shoal_relax_frame *f)
{
    check_relax *x = user;
    path *p = &x->paths[f->i_system];
    const size_t n = (size_t)n_atoms_of(x, f->i_system);
    if (f->steps > EARLY) return SHOAL_OK;
    if (!p->early) p->early = calloc((EARLY + 1) * (n + 1), sizeof *p->early);
    if (!p->early) return SHOAL_E_MEMORY;
    memcpy(p->early + (size_t)f->steps * n, f->pos, n * sizeof *p->early);
    p->n_early = f->steps + 1;
    return SHOAL_OK;
}

static shoal_status run(check_relax *x, const shoal_batch *batch, bool witness,
                        shoal_engine **engine)
{
    shoal_engine_options options = x->options->compute.engine;
    shoal_relax_options steps = x->options->steps;
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

/* --- what is said ---------------------------------------------------------------------------- */

static void print_path(const check_relax *x, int32_t i, const shoal_result *r, bool differs)
{
    char buffer[32];
    const path *p = &x->paths[i];
    const shoal_stream_system *s = &x->systems[i];
    shoal_topology_view v;
    shoal_topology_get(s->topology, &v);
    (void)printf("%-24.24s %-10s%7d%10d%12.2g%8d  ", system_title(s->mol, s->index, buffer),
                 shoal_system_status_name(r->status), r->steps, p->n_compared, p->worst,
                 p->worst_step);
    if (p->differs_at >= 0)
        (void)printf("differs at step %d, atom %d (%s), %s term: force off by %.2g of %.3g eV/A, "
                     "energy by %.2g",
                     p->differs_at, p->c.atom, v.types[p->c.atom], shoal_term_name(p->term),
                     p->c.force_error, p->c.force, p->c.energy_error);
    else if (p->parted_at >= 0)
        (void)printf("leaves the way of the cpu in double at step %d: atom %d (%s) is %.2g A off",
                     p->parted_at, p->parted_atom, v.types[p->parted_atom], p->parted);
    else
        (void)printf("%s", differs         ? "differs: the cpu in double has numbers"
                           : p->n_compared ? "agrees"
                                           : "its first steps are the cpu's; no forces compared");
    (void)printf("\n");
}

static void json_path(check_relax *x, int32_t i, const shoal_result *r, bool differs)
{
    const path *p = &x->paths[i];
    const shoal_stream_system *s = &x->systems[i];
    json *j = &x->line;
    json_reset(j);
    json_open(j, NULL, '{');
    json_integer(j, "index", s->index);
    json_text(j, "name", shoal_molecule_name(s->mol));
    json_text(j, "status", shoal_system_status_name(r->status));
    json_integer(j, "steps", r->steps);
    json_integer(j, "compared", p->n_compared);
    json_number(j, "verdict", p->worst);
    json_integer(j, "worst_step", p->worst_step);
    json_boolean(j, "differs", differs);
    if (p->differs_at >= 0) {
        json_open(j, "first", '{');
        json_integer(j, "step", p->differs_at);
        json_integer(j, "atom", p->c.atom);
        json_text(j, "term", shoal_term_name(p->term));
        json_number(j, "force_error", p->c.force_error);
        json_number(j, "verdict", p->c.verdict);
        json_number(j, "energy_error", p->c.energy_error);
        json_close(j, '}');
    }
    if (p->parted_at >= 0) {
        json_open(j, "parted", '{');
        json_integer(j, "step", p->parted_at);
        json_integer(j, "atom", p->parted_atom);
        json_number(j, "distance", p->parted);
        json_close(j, '}');
    }
    json_print_line(j);
}

/* Where one of them came to its end, it stands still while the other may go on: that is no parting. */
static void excuse(path *p, const shoal_result *device, const shoal_result *witness)
{
    if (p->parted_at >= device->steps || p->parted_at >= witness->steps) p->parted_at = -1;
}

static void tell(check_relax *x, const shoal_engine *device, const shoal_engine *witness, int32_t n)
{
    if (!x->options->systems.json && x->n_systems == 0)
        (void)printf("%-24s %-10s%7s%10s%12s%8s\n", "name", "status", "steps", "compared", "dF/F",
                     "at step");
    for (int32_t i = 0; i < n; ++i) {
        shoal_result r, w;
        path *p = &x->paths[i];
        if (shoal_engine_result(device, i, &r) != SHOAL_OK) continue;
        if (shoal_engine_result(witness, i, &w) != SHOAL_OK) continue;
        excuse(p, &r, &w);
        /* Of a step that has no numbers there is no geometry to look at. */
        const bool lost = r.status == SHOAL_SYSTEM_NOT_FINITE && w.status != r.status;
        const bool differs = p->differs_at >= 0 || p->parted_at >= 0 || lost;
        x->n_differ += differs;
        x->worst = fmax(x->worst, p->worst);
        if (x->options->systems.json)
            json_path(x, i, &r, differs);
        else if (differs || !x->options->systems.quiet)
            print_path(x, i, &r, differs);
    }
}

/* --- systems --------------------------------------------------------------------------------- */

static bool hold_all(check_relax *x, int32_t n)
{
    x->held = calloc((size_t)n, sizeof *x->held);
    x->paths = calloc((size_t)n, sizeof *x->paths);
    if (!x->held || !x->paths) return false;
    for (int32_t i = 0; i < n; ++i) {
        x->paths[i].differs_at = x->paths[i].parted_at = -1;
        if (!check_hold(x->options, &x->systems[i], &x->held[i])) return false;
    }
    return true;
}

static void release_all(check_relax *x, int32_t n)
{
    for (int32_t i = 0; i < n && x->held; ++i) check_release(&x->held[i]);
    for (int32_t i = 0; i < n && x->paths; ++i) free(x->paths[i].early);
    for (int32_t k = 0; k < x->n_waiting; ++k) free(x->frames[k].forces);
    x->n_waiting = 0;
    shoal_batch_destroy(x->batch);
    x->batch = NULL;
    free(x->held);
    free(x->paths);
    x->held = NULL;
    x->paths = NULL;
}

int check_relax_visit(check_relax *x, const shoal_stream_system *systems, int32_t n)
{
    shoal_batch *batch = NULL;
    shoal_engine *witness = NULL, *device = NULL;
    x->systems = systems;
    x->code = EXIT_ALL_FINE;
    if (!hold_all(x, n)) x->code = EXIT_DEVICE;
    if (x->code == EXIT_ALL_FINE) x->code = check_batch(x->options, systems, n, &batch);
    if (x->code == EXIT_ALL_FINE) {
        shoal_status status = run(x, batch, true, &witness);
        if (status == SHOAL_OK) status = run(x, batch, false, &device);
        if (status != SHOAL_OK) x->code = complain_of_status(status);
    }
    if (x->code == EXIT_ALL_FINE && flush(x) == EXIT_ALL_FINE) tell(x, device, witness, n);
    x->n_systems += n;
    shoal_engine_destroy(witness);
    shoal_engine_destroy(device);
    shoal_batch_destroy(batch);
    release_all(x, n);
    return x->code;
}

int check_relax_conclude(check_relax *x)
{
    const engine_settings *e = &x->options->compute;
    if (x->options->systems.json) {
        json *j = &x->line;
        json_reset(j);
        json_open(j, NULL, '{');
        json_text(j, "device", e->engine.device);
        json_text(j, "precision", precision_name(e->engine.precision));
        json_integer(j, "systems", x->n_systems);
        json_integer(j, "compared", x->n_frames);
        json_integer(j, "differ", x->n_differ);
        json_number(j, "max", x->worst);
        json_print_line(j);
    } else {
        (void)printf("%lld systems relaxed on %s (%s), %lld geometries looked at by ref: %lld "
                     "systems differ, largest force error %.2g\n",
                     (long long)x->n_systems, e->engine.device, precision_name(e->engine.precision),
                     (long long)x->n_frames, (long long)x->n_differ, x->worst);
    }
    return x->n_differ > 0 ? EXIT_SOME_FAILED : EXIT_ALL_FINE;
}
