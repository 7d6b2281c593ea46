/* SPDX-License-Identifier: BSD-3-Clause
 * The path that FIRE takes on every schedule, step by step, against FIRE from the textbook over single
 * points of ref: free, with fixed atoms and restraints, and where neighbour lists grow old. */
#include "driver_fixture.h"

enum { MOST_ATOMS = 40, MOST_SYSTEMS = 8, N_ROD = 32 };
static const int32_t looks[] = {1, 2, 5, 10, 30, 60};
enum { N_LOOKS = (int)(sizeof looks / sizeof looks[0]), LAST_LOOK = 60 };

/* FIRE of one system: Bitzek et al., Phys. Rev. Lett. 97 (2006) 170201, unit masses. */
typedef struct textbook {
    double v[MOST_ATOMS][3], r[MOST_ATOMS][3];
    double dt, mixing;
    int quiet, n_uphill;
} textbook;

static double dot(const double (*a)[3], const double (*b)[3], int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) sum += a[i][c] * b[i][c];
    return sum;
}

static void textbook_step(textbook *t, const double (*f)[3], int32_t n)
{
    const double(*v)[3] = (const double(*)[3])t->v;
    const bool uphill = dot(f, v, n) < 0;
    if (uphill) {
        t->dt = fmax(0.5 * t->dt, 0.002);
        t->mixing = 0.1;
        t->quiet = 0;
        ++t->n_uphill;
    } else if (++t->quiet > 5) {
        t->dt = fmin(1.1 * t->dt, 0.12);
        t->mixing *= 0.99;
    }
    const double keep = uphill ? 0 : 1 - t->mixing;
    const double turn = uphill ? 0 : t->mixing * sqrt(dot(v, v, n) / fmax(dot(f, f, n), 1e-20));
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) {
            t->v[i][c] = keep * t->v[i][c] + (t->dt + turn) * f[i][c];
            t->r[i][c] += t->dt * t->v[i][c];
        }
}

/* paths[look][system]: places after so many evaluations. Returns how often a system went uphill. */
static int follow(const set *s, double cutoff, double paths[N_LOOKS][MOST_SYSTEMS][MOST_ATOMS][3])
{
    static textbook t[MOST_SYSTEMS];
    static outcome at[MOST_SYSTEMS];
    const run_options o = {.engine = {.device = "ref", .vdw_cutoff = cutoff}};
    set now = *s;
    int n_uphill = 0;
    for (int32_t k = 0; k < s->n; ++k) {
        t[k] = (textbook){.dt = 0.02, .mixing = 0.1};
        memcpy(t[k].r, s->systems[k].pos, (size_t)s->systems[k].n_atoms * sizeof t[k].r[0]);
        now.systems[k].pos = t[k].r;
    }
    for (int step = 1, look = 0; step <= LAST_LOOK; ++step) {
        for (int32_t k = 0; k < s->n && step == looks[look]; ++k)
            memcpy(paths[look][k], t[k].r, sizeof t[k].r);
        look += step == looks[look];
        run_set(&now, NULL, s->n, &o, at);
        for (int32_t k = 0; k < s->n; ++k)
            textbook_step(&t[k], (const double(*)[3])at[k].forces, s->systems[k].n_atoms);
        outcomes_free(at, s->n);
    }
    for (int32_t k = 0; k < s->n; ++k) n_uphill += t[k].n_uphill;
    return n_uphill;
}

/* The same on a schedule, where no step is too long to be taken whole. */
static void compare_paths(const set *s, const schedule *c, double cutoff,
                          double paths[N_LOOKS][MOST_SYSTEMS][MOST_ATOMS][3])
{
    static outcome out[MOST_SYSTEMS];
    for (int look = 0; look < N_LOOKS; ++look) {
        const shoal_relax_options relax = {
            .method = SHOAL_METHOD_FIRE, .max_steps = looks[look], .max_move = 10, .fmax = 1e-9};
        const run_options o = {
            .engine = {.device = c->device, .precision = c->precision, .vdw_cutoff = cutoff},
            .relax = &relax};
        run_set(s, NULL, s->n, &o, out);
        for (int32_t k = 0; k < s->n; ++k) {
            const double off =
                largest_difference((const double(*)[3])out[k].pos,
                                   (const double(*)[3])paths[look][k], s->systems[k].n_atoms);
            const double most = is_float(c) ? 1e-4 : 1e-8;
            CHECK(out[k].r.status == SHOAL_SYSTEM_MAX_STEPS && out[k].r.steps == looks[look]);
            if (!(off <= most))
                (void)printf("%s, after %d steps: %g angstrom off\n", s->systems[k].name,
                             looks[look], off);
            CHECK(off <= most);
        }
        outcomes_free(out, s->n);
    }
}

/* Bonded molecules, free and held. */
static void fill_molecules(set *s, const schedule *c)
{
    (void)driver_alkane(s, c, 3, 0.1);
    set_system *sys = driver_alkane(s, c, 4, 0.1);
    hold_atom(sys, 0);
    hold_atom(sys, 7);
    hold_atom(sys, 12);
    sys = driver_alkane(s, c, 4, 0.05);
    const shoal_restraint torsion = {
        .kind = SHOAL_RESTRAINT_TORSION, .atoms = {0, 4, 7, 10}, .k = 1, .value = 2.2};
    const shoal_restraint angle = {
        .kind = SHOAL_RESTRAINT_ANGLE, .atoms = {4, 7, 10}, .k = 3, .value = 1.6};
    const shoal_restraint stretch = {
        .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 10}, .k = 0.5, .value = 3.0};
    const shoal_restraint place = {
        .kind = SHOAL_RESTRAINT_POSITION, .atoms = {1}, .k = 2, .target = {-0.7, 0.9, 0.3}};
    restrain(sys, torsion);
    restrain(sys, angle);
    restrain(sys, stretch);
    restrain(sys, place);
    driver_read(s, c, "cases/glycine.sdf", 1);
}

#define MIDDLE 100.0 /* angstrom: nobody is wrapped to the other side of the box */

/* A rod of 32 argon atoms, as many as two blocks of sites, and four atoms beyond its end, from where a
 * list made at the start, of a reach of 5 angstrom and a skin of 1, does or does not know them. The rod is
 * held and the four are drawn to it, or its end is drawn to the four. The cut-off is short, so that
 * what a list lacks is felt. */
static void fill_travellers(set *s, const schedule *c)
{
    static const double starts[] = {5.02, 5.3, 5.97, 6.03, 6.6, 8.1};
    for (int k = 0; k < 6; ++k) {
        const int first = k % 2 ? 0 : N_ROD; /* of those that are drawn */
        double pos[N_ROD + 4][3];
        for (int i = 0; i < N_ROD + 4; ++i) {
            pos[i][0] = MIDDLE + (i < N_ROD ? -3.7 * (i / 4) : starts[k] + 0.01 * (i % 4));
            pos[i][1] = 3.7 * (i % 2) + 0.02 * (i / 4);
            pos[i][2] = 3.7 * (i / 2 % 2) - 0.03 * (i % 3);
        }
        set_system *sys = driver_argon(s, c, N_ROD + 4, (const double(*)[3])pos);
        for (int i = k % 2 ? 4 : 0; i < N_ROD; ++i) hold_atom(sys, i);
        for (int i = 0; i < 4; ++i) {
            const shoal_restraint pull = {
                .kind = SHOAL_RESTRAINT_POSITION,
                .atoms = {first + i},
                .k = k < 3 ? 0.1 : 0.4,
                .target = {MIDDLE + (k % 2 ? 1.9 : 3.3), 3.7 * (i % 2), 3.7 * (i / 2 % 2)}};
            restrain(sys, pull);
        }
    }
}

/* How far the first of those that are drawn went. */
static double way_of(const set *s, int32_t k, double path[MOST_ATOMS][3])
{
    const int32_t i = k % 2 ? 0 : N_ROD;
    return fabs(path[i][0] - s->systems[k].pos[i][0]);
}

static void test_molecules(const schedule *c)
{
    static double paths[N_LOOKS][MOST_SYSTEMS][MOST_ATOMS][3];
    static set s;
    fill_molecules(&s, c);
    check_schedule(&s, c);
    const int n_uphill = follow(&s, 0, paths);
    CHECK(n_uphill >= 3); /* or nothing is known of that */
    compare_paths(&s, c, 0, paths);
    set_free(&s);
}

static void test_lists(const schedule *c)
{
    static double paths[N_LOOKS][MOST_SYSTEMS][MOST_ATOMS][3];
    static set s;
    if (!c->large) return; /* isolated systems have no lists */
    fill_travellers(&s, c);
    (void)follow(&s, 5, paths);
    for (int32_t k = 0; k < s.n; ++k) /* they travel */
        CHECK(fmax(way_of(&s, k, paths[N_LOOKS - 1][k]), way_of(&s, k, paths[N_LOOKS - 2][k])) >
              0.8);
    compare_paths(&s, c, 5, paths);
    set_free(&s);
}

/* A list that lacks pairs ends a relaxation where there are forces left. */
static void test_ends(const schedule *c, shoal_method method)
{
    static set s;
    static outcome out[MOST_SYSTEMS], want[MOST_SYSTEMS];
    const shoal_relax_options relax = {.method = method, .fmax = 2e-3, .max_steps = 1000};
    run_options o = {.engine = {.device = c->device, .precision = c->precision, .vdw_cutoff = 5},
                     .relax = &relax};
    if (!c->large) return;
    fill_travellers(&s, c);
    run_set(&s, NULL, s.n, &o, out);
    set end = s;
    for (int32_t k = 0; k < s.n; ++k) end.systems[k].pos = out[k].pos;
    o = (run_options){.engine = {.device = "ref", .vdw_cutoff = 5}};
    run_set(&end, NULL, s.n, &o, want);
    for (int32_t k = 0; k < s.n; ++k) {
        CHECK(out[k].r.status == SHOAL_SYSTEM_CONVERGED);
        CHECK(want[k].r.fmax <= 2e-3);
        CHECK_NEAR(out[k].r.energy, want[k].r.energy, 1e-5);
    }
    outcomes_free(want, s.n);
    outcomes_free(out, s.n);
    set_free(&s);
}

/* Steps too long are shortened alike on all schedules: those of the cpu are the measure. */
static void test_long_moves(const schedule *c, const schedule *first)
{
    static const int32_t steps[] = {2, 3, 6, 20};
    for (int k = 0; k < 4; ++k) {
        static set s, measure;
        outcome out, want;
        const shoal_relax_options relax = {
            .method = SHOAL_METHOD_FIRE, .max_steps = steps[k], .max_move = 0.02, .fmax = 1e-9};
        (void)driver_alkane(&s, c, 3, 0.25);
        (void)driver_alkane(&measure, first, 3, 0.25);
        drive(&s, c, &relax, &out);
        drive(&measure, first, &relax, &want);
        const double off = largest_difference((const double(*)[3])out.pos,
                                              (const double(*)[3])want.pos, s.systems[0].n_atoms);
        CHECK_NEAR(off, 0, is_float(c) ? 1e-4 : 1e-8);
        if (k == 0) { /* the longest move of the first step is as long as allowed */
            double longest = 0;
            for (int32_t i = 0; i < s.systems[0].n_atoms; ++i) {
                const double ends[2][3] = {
                    {out.pos[i][0], out.pos[i][1], out.pos[i][2]},
                    {s.systems[0].pos[i][0], s.systems[0].pos[i][1], s.systems[0].pos[i][2]}};
                longest = fmax(longest, distance(ends, 0, 1));
            }
            CHECK(longest <= 0.02 * (1 + 1e-4));
        }
        outcomes_free(&out, 1);
        outcomes_free(&want, 1);
        set_free(&s);
        set_free(&measure);
    }
}

int main(void)
{
    schedule list[MOST_SCHEDULES];
    const int n = find_schedules(list);
    for (int k = 0; k < n; ++k) {
        int before = mark_failures();
        test_molecules(&list[k]);
        tell_failures(before, &list[k], "molecules");
        before = mark_failures();
        test_lists(&list[k]);
        tell_failures(before, &list[k], "lists");
        for (int m = 0; m < N_METHODS; ++m) {
            before = mark_failures();
            test_ends(&list[k], (shoal_method)m);
            tell_failures(before, &list[k], method_name((shoal_method)m));
        }
        before = mark_failures();
        test_long_moves(&list[k], &list[1]);
        tell_failures(before, &list[k], "long moves");
    }
    return check_done();
}
