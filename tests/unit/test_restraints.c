/* SPDX-License-Identifier: BSD-3-Clause
 * Restraints: energies by hand, finite differences, no net force or torque, the cpu backend against
 * ref, straight atoms. */
#include "cpu_fixture.h"
#include "ref_probe.h"

#include "constants.h"

static const shoal_restraint kinds[] = {
    {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {2}, .k = 3.0, .target = {0.4, -0.2, 0.9}},
    {.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 3}, .k = 5.0, .value = 2.1},
    {.kind = SHOAL_RESTRAINT_ANGLE, .atoms = {3, 1, 0}, .k = 2.0, .value = 1.3},
    {.kind = SHOAL_RESTRAINT_TORSION, .atoms = {0, 1, 2, 3}, .k = 1.5, .value = 2.9},
    {.kind = SHOAL_RESTRAINT_TORSION, .atoms = {3, 0, 2, 1}, .k = 1.5, .value = -9.0},
    {.kind = SHOAL_RESTRAINT_CENTRE, .atoms = {1, 3}, .k = 3.0, .target = {0.4, -0.2, 0.9}},
};
enum { N_KINDS = (int)(sizeof kinds / sizeof kinds[0]) };

static void hold(probe *p, const shoal_restraint *r, int32_t n)
{
    probe_init(p, 4);
    p->system.restraints = r;
    p->system.n_restraints = n;
}

static void place(probe *p, int32_t i, double x, double y, double z)
{
    p->pos[i][0] = x;
    p->pos[i][1] = y;
    p->pos[i][2] = z;
}

static void test_by_hand(void)
{
    static probe p;
    shoal_restraint r = {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {1}, .k = 2.0};
    hold(&p, &r, 1);
    place(&p, 1, 1.0, 2.0, 2.0);
    CHECK_NEAR(probe_energy(&p), 9.0, 1e-14);
    CHECK_NEAR(p.forces[1][2], -4.0, 1e-14);
    CHECK_NEAR(p.result.terms[SHOAL_TERM_RESTRAINT], 9.0, 1e-14);
    r.value = SHOAL_FREE_X | SHOAL_FREE_Z; /* y alone is held */
    CHECK_NEAR(probe_energy(&p), 4.0, 1e-14);
    CHECK_NEAR(p.forces[1][1], -4.0, 1e-14);
    CHECK(p.forces[1][0] == 0.0 && p.forces[1][2] == 0.0);
    r = (shoal_restraint){.kind = SHOAL_RESTRAINT_CENTRE, .atoms = {0, 3}, .k = 2.0};
    CHECK_NEAR(probe_energy(&p), 9.0 / 16, 1e-14); /* of four atoms, one is 3 angstrom away */
    for (int i = 0; i < 4; ++i) CHECK_NEAR(p.forces[i][1], -0.25, 1e-14);
    r.value = SHOAL_FREE_X | SHOAL_FREE_Z;
    CHECK_NEAR(probe_energy(&p), 0.25, 1e-14);
    CHECK(p.forces[2][0] == 0.0 && p.forces[3][2] == 0.0);
    r.atoms[1] = 0; /* a centre of one atom is its position */
    CHECK_NEAR(probe_energy(&p), 0.0, 1e-14);
    r = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 1}, .k = 2.0, .value = 2.0};
    CHECK_NEAR(probe_energy(&p), 1.0, 1e-14); /* 3 angstrom apart */
    CHECK_NEAR(p.forces[1][0], -2.0 / 3.0, 1e-14);
    place(&p, 2, 0.0, 0.0, 1.5);
    place(&p, 1, 0.0, 0.0, 0.0);
    place(&p, 0, 1.0, 0.0, 0.0);
    r = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_ANGLE, .atoms = {0, 1, 2}, .k = 1.0, .value = PI / 3};
    CHECK_NEAR(probe_energy(&p), 0.5 * PI * PI / 36, 1e-14);
    CHECK_NEAR(p.forces[0][2], PI / 6, 1e-14); /* closes the angle */
    place(&p, 3, 0.0, 1.0, 1.5);
    r = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_TORSION, .atoms = {0, 1, 2, 3}, .k = 1.0, .value = -PI / 2};
    const double e = probe_energy(&p);
    r.value = PI / 2; /* one of the two signs is right, the other half a turn away */
    CHECK_NEAR(fmin(e, probe_energy(&p)), 0.0, 1e-14);
    CHECK_NEAR(fmax(e, probe_energy(&p)), 0.5 * PI * PI, 1e-12);
    r.value += 6 * PI; /* the nearest turn counts */
    CHECK_NEAR(fmin(e, probe_energy(&p)), 0.0, 1e-12);
    p.options.terms_off |= 1u << SHOAL_TERM_RESTRAINT;
    CHECK(probe_energy(&p) == 0.0);
}

static void test_differences(void)
{
    static probe p;
    uint64_t seed = 11;
    for (int k = 0; k < N_KINDS; ++k)
        for (int trial = 0; trial < 20; ++trial) {
            double force, torque;
            hold(&p, &kinds[k], 1);
            probe_scatter(&p, &seed, 4.0);
            if (probe_sin2(&p, 0, 1, 2) < 0.01 || probe_sin2(&p, 1, 2, 3) < 0.01 ||
                probe_sin2(&p, 3, 0, 2) < 0.01 || probe_sin2(&p, 0, 2, 1) < 0.01)
                continue;
            (void)probe_energy(&p);
            const shoal_restraint *r = &kinds[k];
            if (r->kind == SHOAL_RESTRAINT_TORSION && p.result.energy > 0.45 * PI * PI * r->k)
                continue; /* half a turn away the force jumps */
            CHECK_NEAR(probe_force_error(&p, 1e-4), 0.0, 1e-7);
            if (r->kind == SHOAL_RESTRAINT_POSITION || r->kind == SHOAL_RESTRAINT_CENTRE) continue;
            probe_balance(&p, &force, &torque);
            CHECK_NEAR(force, 0.0, 1e-12);
            CHECK_NEAR(torque, 0.0, 1e-11);
        }
}

/* Finite everywhere: straight and coincident atoms. */
static void test_straight(void)
{
    static probe p;
    for (int k = 0; k < N_KINDS; ++k)
        for (int shape = 0; shape < 3; ++shape) {
            hold(&p, &kinds[k], 1);
            for (int32_t i = 0; i < 4; ++i)
                place(&p, i, shape * 1.1 * i, shape > 1 ? 1e-5 * i * i : 0, 0);
            (void)probe_energy(&p);
            CHECK(p.result.status == SHOAL_SYSTEM_OK);
        }
}

static double largest(const outcome *o, int32_t n)
{
    double f = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) f = fmax(f, fabs(o->forces[i][c]));
    return f;
}

/* Restraints alone, on the atoms of a molecule that is shaken hard. */
static void test_cpu(void)
{
    static set s;
    static outcome want[40], got[40];
    for (int32_t k = 0; k < 40; ++k) {
        uint64_t seed = 50u + (uint64_t)k;
        set_system *sys = set_add_size(&s, 5, false);
        for (int32_t i = 0; i < 5; ++i)
            for (int c = 0; c < 3; ++c) sys->pos[i][c] += 0.5 * set_random(&seed) + 10.0 * k;
        for (int n = 0; n < SET_RESTRAINTS; ++n) {
            sys->restraints[n] = kinds[k % 3 == 2 ? (n + 1) % N_KINDS : n];
            for (int c = 0; c < 3; ++c) sys->restraints[n].target[c] += 10.0 * k;
        }
        sys->n_restraints = k % 2 ? SET_RESTRAINTS : 1;
    }
    for (int32_t i = 0; i < 3; ++i) /* straight */
        for (int c = 0; c < 3; ++c) s.systems[7].pos[i][c] = 1.2 * i * (c == 0);
    run_options o = {.engine = {.device = "ref", .terms_off = ~(1u << SHOAL_TERM_RESTRAINT)}};
    run_set(&s, NULL, s.n, &o, want);
    o.engine.device = "cpu";
    for (int p = 0; p < 2; ++p) {
        const double most = p ? 1e-10 : 2e-5;
        o.engine.precision = p ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_FLOAT;
        run_set(&s, NULL, s.n, &o, got);
        for (int32_t k = 0; k < s.n; ++k) {
            const double f = largest(&want[k], 5);
            CHECK(got[k].r.status == SHOAL_SYSTEM_OK && want[k].r.status == SHOAL_SYSTEM_OK);
            CHECK_NEAR(got[k].r.terms[SHOAL_TERM_RESTRAINT], want[k].r.energy,
                       most * (1 + want[k].r.energy));
            for (int32_t i = 0; i < 5; ++i)
                for (int c = 0; c < 3; ++c)
                    CHECK_NEAR(got[k].forces[i][c], want[k].forces[i][c], most * (1 + f));
        }
        outcomes_free(got, s.n);
    }
    outcomes_free(want, s.n);
    set_free(&s);
}

/* A restraint whose atoms do not exist is refused by name. */
static void test_refusal(void)
{
    static set s;
    shoal_batch *batch = NULL;
    shoal_restraint r = {.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 5}, .k = 1.0};
    (void)set_add_size(&s, 5, false);
    shoal_system system = {.topology = s.systems[0].topology,
                           .pos = (const double(*)[3])s.systems[0].pos,
                           .restraints = &r,
                           .n_restraints = 1};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    CHECK(shoal_batch_add(batch, &system) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), "system 0: restraint on atom 5, expected 0 to 4");
    r.atoms[1] = 4;
    r.k = -1.0;
    CHECK(shoal_batch_add(batch, &system) == SHOAL_E_ARGUMENT);
    r.k = 1.0;
    r.value = -1e-3;
    CHECK(shoal_batch_add(batch, &system) == SHOAL_E_ARGUMENT);
    r.value = 0.0;
    CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    r = (shoal_restraint){.kind = SHOAL_RESTRAINT_ANGLE, .atoms = {0, 1, 2}, .k = 1.0};
    for (int trial = 0; trial < 4; ++trial) {
        static const double values[] = {-0.1, 3.2, 0.0, PI};
        r.value = values[trial];
        CHECK(shoal_batch_add(batch, &system) == (trial < 2 ? SHOAL_E_ARGUMENT : SHOAL_OK));
    }
    r = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_TORSION, .atoms = {0, 1, 2, 3}, .k = 1.0, .value = -9.0};
    CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    for (int k = 0; k < 4; ++k) /* every two of the atoms differ */
        for (int l = 0; l < k; ++l) {
            r = (shoal_restraint){
                .kind = (shoal_restraint_kind)k, .atoms = {0, 1, 2, 3}, .k = 1.0, .value = 1.0};
            r.atoms[k] = r.atoms[l];
            CHECK(shoal_batch_add(batch, &system) == SHOAL_E_ARGUMENT);
            CHECK(strstr(shoal_error_text(), "twice") != NULL);
        }
    shoal_batch_destroy(batch);
    set_free(&s);
}

int main(void)
{
    test_by_hand();
    test_differences();
    test_straight();
    test_cpu();
    test_refusal();
    return check_done();
}
