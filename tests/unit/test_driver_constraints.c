/* SPDX-License-Identifier: BSD-3-Clause
 * Fixed atoms and restraints on every schedule, by both methods: forces against ref away from the
 * target, where relaxations end, and systems of one molecule that are held in different ways. */
#include "driver_fixture.h"

enum { MOST = 24 };

/* Energies and forces of single points against ref. */
static void compare_single_points(const set *s, const schedule *c, uint32_t terms_off)
{
    static outcome want[MOST], got[MOST];
    run_options o = {.engine = {.device = "ref", .terms_off = terms_off}};
    run_set(s, NULL, s->n, &o, want);
    o.engine.device = c->device;
    o.engine.precision = c->precision;
    run_set(s, NULL, s->n, &o, got);
    for (int32_t k = 0; k < s->n; ++k) {
        double largest = 0.1;
        for (int32_t i = 0; i < s->systems[k].n_atoms; ++i)
            for (int d = 0; d < 3; ++d) largest = fmax(largest, fabs(want[k].forces[i][d]));
        const double most = (is_float(c) ? 2e-5 : 1e-10) * largest;
        const double off =
            largest_difference((const double(*)[3])got[k].forces,
                               (const double(*)[3])want[k].forces, s->systems[k].n_atoms);
        if (!(off <= most)) (void)printf("%s, system %d: forces\n", s->systems[k].name, k);
        CHECK_NEAR(off, 0, most);
        CHECK_NEAR(got[k].r.terms[SHOAL_TERM_RESTRAINT], want[k].r.terms[SHOAL_TERM_RESTRAINT],
                   (is_float(c) ? 2e-5 : 1e-10) * (1 + want[k].r.terms[SHOAL_TERM_RESTRAINT]));
        CHECK_NEAR(got[k].r.fmax, want[k].r.fmax, most);
        for (int32_t i = 0; i < s->systems[k].n_atoms && s->systems[k].fixed; ++i)
            for (int d = 0; d < 3 && s->systems[k].fixed[i]; ++d) CHECK(got[k].forces[i][d] == 0.0);
    }
    outcomes_free(want, s->n);
    outcomes_free(got, s->n);
}

/* Kinds on atoms 0, 4, 7, 10 (carbons) and 1, 12 of butane; both sides of every target. */
static const shoal_restraint restraints[] = {
    {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {4}, .k = 2, .target = {1.9, -0.3, 0.8}},
    {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {12}, .k = 0.7, .target = {4.9, -0.9, -0.4}},
    {.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 10}, .k = 3, .value = 2.5},
    {.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {10, 0}, .k = 3, .value = 4.6},
    {.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {12, 1}, .k = 0.3, .value = 4.0},
    {.kind = SHOAL_RESTRAINT_ANGLE, .atoms = {0, 4, 7}, .k = 4, .value = 1.5},
    {.kind = SHOAL_RESTRAINT_ANGLE, .atoms = {10, 7, 4}, .k = 4, .value = 2.4},
    {.kind = SHOAL_RESTRAINT_ANGLE, .atoms = {1, 0, 12}, .k = 1, .value = 0.9},
    {.kind = SHOAL_RESTRAINT_TORSION, .atoms = {0, 4, 7, 10}, .k = 1.5, .value = 2.0},
    {.kind = SHOAL_RESTRAINT_TORSION, .atoms = {0, 4, 7, 10}, .k = 1.5, .value = -2.0},
    {.kind = SHOAL_RESTRAINT_TORSION, .atoms = {1, 0, 4, 12}, .k = 0.5, .value = 7.0},
    {.kind = SHOAL_RESTRAINT_POSITION,
     .atoms = {7},
     .k = 4,
     .value = SHOAL_FREE_Y,
     .target = {2.1, 9.0, -1.1}},
    {.kind = SHOAL_RESTRAINT_POSITION,
     .atoms = {0},
     .k = 4,
     .value = SHOAL_FREE_X | SHOAL_FREE_Z,
     .target = {9.0, 0.7, -9.0}},
    {.kind = SHOAL_RESTRAINT_CENTRE, .atoms = {0, 13}, .k = 300, .target = {1.4, 0.6, -0.3}},
    {.kind = SHOAL_RESTRAINT_CENTRE,
     .atoms = {2, 9},
     .k = 90,
     .value = SHOAL_FREE_Z,
     .target = {2.0, -0.5, 9.0}},
};
enum { N_RESTRAINTS = (int)(sizeof restraints / sizeof restraints[0]) };

/* Every restraint alone, several together, none, and fixed atoms below them; one batch. */
static void fill_restrained(set *s, const schedule *c)
{
    for (int k = 0; k < N_RESTRAINTS; ++k) restrain(driver_alkane(s, c, 4, 0.15), restraints[k]);
    for (int k = 0; k < 4; ++k) {
        set_system *sys = driver_alkane(s, c, 4, 0.15);
        for (int n = 0; n < 1 + k; ++n) restrain(sys, restraints[(3 * k + 4 * n) % N_RESTRAINTS]);
        if (k == 2) hold_atom(sys, 4);
        if (k == 3) {
            hold_atom(sys, 0);
            hold_atom(sys, 10);
        }
    }
    (void)driver_alkane(s, c, 4, 0.15);
}

static void test_forces(const schedule *c)
{
    static set s;
    fill_restrained(&s, c);
    check_schedule(&s, c);
    compare_single_points(&s, c, 0);
    compare_single_points(&s, c, ~(1u << SHOAL_TERM_RESTRAINT));
    set_free(&s);
}

static double angle(const double (*pos)[3], int32_t i, int32_t j, int32_t k)
{
    const double a = distance(pos, i, j), b = distance(pos, j, k), c = distance(pos, i, k);
    return acos((a * a + b * b - c * c) / (2 * a * b));
}

/* Unsigned, from the distances. */
static double torsion(const double (*pos)[3], int32_t i, int32_t j, int32_t k, int32_t l)
{
    const double a = distance(pos, i, j), b = distance(pos, j, k), c = distance(pos, k, l);
    const double t1 = angle(pos, i, j, k), t2 = angle(pos, j, k, l), d = distance(pos, i, l);
    const double along = b - a * cos(t1) - c * cos(t2), p = a * sin(t1), q = c * sin(t2);
    return acos((along * along + p * p + q * q - d * d) / (2 * p * q));
}

/* Strong pulls are met. */
static void test_targets(const schedule *c, shoal_method method)
{
    static set s;
    static outcome out[4];
    static const shoal_restraint strong[4] = {
        {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {7}, .k = 50, .target = {2.9, -0.6, 0.4}},
        {.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {4, 7}, .k = 900, .value = 1.7},
        {.kind = SHOAL_RESTRAINT_ANGLE, .atoms = {4, 7, 10}, .k = 300, .value = 2.2},
        {.kind = SHOAL_RESTRAINT_TORSION, .atoms = {0, 4, 7, 10}, .k = 20, .value = 1.0},
    };
    const shoal_relax_options relax = {.method = method, .fmax = 0.005, .max_steps = 3000};
    for (int k = 0; k < 4; ++k) restrain(driver_alkane(&s, c, 4, 0.05), strong[k]);
    drive(&s, c, &relax, out);
    for (int k = 0; k < 4; ++k) {
        CHECK(out[k].r.status == SHOAL_SYSTEM_CONVERGED);
        CHECK(out[k].r.terms[SHOAL_TERM_RESTRAINT] < 0.3);
    }
    for (int d = 0; d < 3; ++d) CHECK_NEAR(out[0].pos[7][d], strong[0].target[d], 2e-3);
    CHECK_NEAR(distance((const double(*)[3])out[1].pos, 4, 7), 1.7, 0.01);
    CHECK_NEAR(angle((const double(*)[3])out[2].pos, 4, 7, 10), 2.2, 0.02);
    CHECK_NEAR(torsion((const double(*)[3])out[3].pos, 0, 4, 7, 10), 1.0, 0.03);
    outcomes_free(out, 4);
    set_free(&s);
}

/* Two springs in a row, by hand: atoms that feel nothing else. A is bound to its place at 0 by 2
 * eV/A^2, B to its place at 30 by 3 eV/A^2, both to each other by 1 eV/A^2 at 18 A. The one force F
 * along all of them moves A by F/2 and B by -F/3, so that 30 - F/2 - F/3 - 18 = F. */
static void test_springs(const schedule *c, shoal_method method)
{
    static const double pos[2][3] = {{0.4, 0, 0}, {29, 0.2, 0}};
    static set s;
    outcome out;
    const double f = 12.0 / (1 + 0.5 + 1.0 / 3), left = f / 2, right = 30 - f / 3;
    const shoal_restraint springs[3] = {
        {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 2, .target = {0, 0, 0}},
        {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {1}, .k = 3, .target = {30, 0, 0}},
        {.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 1}, .k = 1, .value = 18}};
    const shoal_relax_options relax = {.method = method, .fmax = 1e-3, .max_steps = 1000};
    set_system *sys = driver_argon(&s, c, 2, pos);
    for (int k = 0; k < 3; ++k) restrain(sys, springs[k]);
    drive(&s, c, &relax, &out);
    CHECK(out.r.status == SHOAL_SYSTEM_CONVERGED);
    CHECK_NEAR(out.pos[0][0], left, 1e-3);
    CHECK_NEAR(out.pos[1][0], right, 1e-3);
    CHECK_NEAR(out.r.terms[SHOAL_TERM_RESTRAINT], 0.5 * f * f * (1 + 0.5 + 1.0 / 3), 1e-3);
    outcomes_free(&out, 1);
    set_free(&s);
}

/* 40 systems of one molecule, more than there are lanes, with unlike fixed atoms. */
static void fill_fixed(set *s, const schedule *c)
{
    for (int32_t k = 0; k < 40; ++k) {
        set_system *sys = driver_alkane(s, c, 2, 0.02 + 0.004 * (k % 7));
        for (int32_t i = 0; i < sys->n_atoms && k % 5 != 0; ++i)
            if ((i + k) % (2 + k % 4) == 0) hold_atom(sys, i);
    }
}

/* Where doubles on the cpu end. */
static void measure_fixed(const schedule *c, outcome *out)
{
    static set s;
    schedule exact = *c;
    const shoal_relax_options relax = {.fmax = 1e-6};
    exact.device = "cpu";
    exact.precision = SHOAL_PRECISION_DOUBLE;
    fill_fixed(&s, &exact);
    drive(&s, &exact, &relax, out);
    set_free(&s);
}

static void test_fixed(const schedule *c, shoal_method method)
{
    static set s;
    static outcome out[40], want[40];
    const shoal_relax_options relax = {.method = method, .fmax = 2e-3, .max_steps = 2000};
    fill_fixed(&s, c);
    measure_fixed(c, want);
    drive(&s, c, &relax, out);
    for (int32_t k = 0; k < s.n; ++k) {
        const set_system *sys = &s.systems[k];
        CHECK(out[k].r.status == SHOAL_SYSTEM_CONVERGED);
        CHECK_NEAR(out[k].r.energy, want[k].r.energy, 1e-4);
        for (int32_t i = 0; i < sys->n_atoms; ++i) {
            const bool fixed = sys->fixed && sys->fixed[i];
            const bool stayed = memcmp(out[k].pos[i], sys->pos[i], sizeof out[k].pos[i]) == 0;
            CHECK(stayed == fixed);
            if (fixed)
                CHECK(out[k].forces[i][0] == 0 && out[k].forces[i][1] == 0 &&
                      out[k].forces[i][2] == 0);
        }
    }
    outcomes_free(out, s.n);
    outcomes_free(want, s.n);
    set_free(&s);
}

/* Nothing to do where nothing may move. */
static void test_all_fixed(const schedule *c, shoal_method method)
{
    static set s;
    outcome out;
    const shoal_relax_options relax = {.method = method};
    set_system *sys = driver_alkane(&s, c, 2, 0.1);
    for (int32_t i = 0; i < sys->n_atoms; ++i) hold_atom(sys, i);
    drive(&s, c, &relax, &out);
    CHECK(out.r.status == SHOAL_SYSTEM_CONVERGED && out.r.fmax == 0.0 && out.r.steps == 1);
    CHECK(memcmp(out.pos, sys->pos, (size_t)sys->n_atoms * sizeof out.pos[0]) == 0);
    outcomes_free(&out, 1);
    set_free(&s);
}

int main(void)
{
    schedule list[MOST_SCHEDULES];
    const int n = find_schedules(list);
    for (int k = 0; k < n; ++k) {
        int before = mark_failures();
        test_forces(&list[k]);
        tell_failures(before, &list[k], "single points");
        for (int m = 0; m < N_METHODS; ++m) {
            before = mark_failures();
            test_targets(&list[k], (shoal_method)m);
            test_springs(&list[k], (shoal_method)m);
            test_fixed(&list[k], (shoal_method)m);
            test_all_fixed(&list[k], (shoal_method)m);
            tell_failures(before, &list[k], method_name((shoal_method)m));
        }
    }
    return check_done();
}
