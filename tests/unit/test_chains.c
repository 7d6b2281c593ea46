/* SPDX-License-Identifier: BSD-3-Clause
 * Charged chains, periodic in one direction, on every device: constants from outside, ref, finite differences,
 * supercells, images, the order of atoms, threads, net charges. */
#include "periodic_fixture.h"
#include "shoal/device.h"

#include "constants.h"

static const double cell[3][3] = {{4.1, 1.2, -0.7}, {0, 0, 0}, {0, 0, 0}};
enum { ATOMS = 23 };

typedef struct place {
    const char *device;
    shoal_precision precision;
    double tolerance;     /* of forces, relative to the largest, and of energies */
    double force, energy; /* what was found at worst */
} place;

static place places[5];
static int n_places;

static shoal_engine_options options_of(const place *at)
{
    return (shoal_engine_options){
        .device = at->device, .precision = at->precision, .terms_off = ~(1u << SHOAL_TERM_COULOMB)};
}

static void run_one(const set *s, int32_t i, const shoal_engine_options *engine, outcome *out)
{
    const run_options o = {.engine = *engine};
    run_set(s, &i, 1, &o, out);
}

static double energy_of(const set *s, int32_t i, const shoal_engine_options *engine)
{
    outcome out;
    run_one(s, i, engine, &out);
    CHECK(out.r.status == SHOAL_SYSTEM_OK);
    outcomes_free(&out, 1);
    return out.r.energy;
}

/* Atoms too far apart for bonds, scattered over the cell and spread across it, with charges that add up to
 * net. */
static shoal_molecule *make_row(double spread, double net)
{
    double pos[ATOMS][3], charges[ATOMS] = {0};
    int32_t z[ATOMS];
    uint64_t seed = 91;
    for (int32_t i = 0; i < ATOMS; ++i) {
        z[i] = 18;
        const double f = 3.0 * set_random(&seed); /* some cells away from home */
        for (int c = 0; c < 3; ++c) pos[i][c] = f * cell[0][c] + 0.3 * set_random(&seed);
        pos[i][1] += spread * (i % 5);
        pos[i][2] += spread * (i / 5);
        charges[i] += set_random(&seed);
        net -= charges[i];
    }
    charges[0] += net;
    return periodic_molecule(ATOMS, z, (const double(*)[3])pos, charges, cell, 1);
}

/* Charges in turn along a line: -2 ln 2 kC q^2 / a for every pair of neighbours at a. */
static void test_line(void)
{
    static set s;
    static const double edge[3][3] = {{0, 0, 0}, {0, 8.4, 0}, {0, 0, 0}};
    static const double pos[2][3] = {{0, 0, 0}, {0, 4.2, 0}}, charges[2] = {0.7, -0.7};
    static const int32_t argon[2] = {18, 18}, five[3] = {1, 5, 1};
    for (int k = 0; k < 2; ++k) {
        shoal_molecule *mol = periodic_molecule(2, argon, pos, charges, edge, 0);
        CHECK(shoal_molecule_set_cell(mol, edge, (const bool[3]){false, true, false}) == SHOAL_OK);
        (void)periodic_add(&s, k ? periodic_repeat(mol, five) : mol, "line", 0.0);
    }
    const double want = -2 * log(2.0) * COULOMB_CONSTANT * 0.49 / 4.2;
    for (int p = 0; p < n_places; ++p) {
        const shoal_engine_options o = options_of(&places[p]);
        CHECK_NEAR(energy_of(&s, 0, &o), want, places[p].tolerance);
        CHECK_NEAR(energy_of(&s, 1, &o), 5 * want, 5 * places[p].tolerance);
    }
    set_free(&s);
}

/* How far a device is from ref. */
static void compare(const set *s, int32_t i, place *at, double damping, const outcome *want)
{
    shoal_engine_options o = options_of(at);
    outcome got;
    double worst = 0;
    o.coulomb_damping = damping;
    run_one(s, i, &o, &got);
    for (int32_t a = 0; a < s->systems[i].n_atoms; ++a)
        for (int c = 0; c < 3; ++c)
            worst = fmax(worst, fabs(got.forces[a][c] - want->forces[a][c]));
    worst /= fmax(1, want->r.fmax);
    const double e = fabs(got.r.energy - want->r.energy);
    if (!(worst <= at->tolerance && e <= 10 * at->tolerance))
        (void)printf("%s on %s: force %.1e, energy %.1e\n", s->systems[i].name, at->device, worst,
                     e);
    at->force = fmax(at->force, worst);
    at->energy = fmax(at->energy, e);
    CHECK(worst <= at->tolerance);
    CHECK(e <= 10 * at->tolerance);
    outcomes_free(&got, 1);
}

/* What ref says, with and without damping, near the axis and as far from it as many cells. */
static void test_devices(void)
{
    static set s;
    static const double spreads[3] = {3.9, 12.0, 300.0};
    for (int k = 0; k < 3; ++k) (void)periodic_add(&s, make_row(spreads[k], 0.0), "row", 0.0);
    (void)periodic_add(&s, make_row(3.9, 5e-4), "rounding of a file", 0.0);
    periodic_add_layers(&s);
    for (int32_t i = 0; i < s.n; ++i)
        for (int damped = 0; damped < 2; ++damped) {
            shoal_engine_options o = options_of(&places[0]);
            outcome want;
            o.coulomb_damping = damped ? 0.8 : 0;
            run_one(&s, i, &o, &want);
            for (int p = 1; p < n_places; ++p) compare(&s, i, &places[p], o.coulomb_damping, &want);
            outcomes_free(&want, 1);
        }
    set_free(&s);
}

/* The force is the slope of the energy: fourth-order differences. */
static void test_differences(void)
{
    static set s;
    set_system *sys = periodic_add(&s, make_row(3.9, 0.0), "row", 0.0);
    const double h = 2e-3;
    for (int p = 0; p < n_places; ++p) {
        const shoal_engine_options o = options_of(&places[p]);
        if (o.precision == SHOAL_PRECISION_FLOAT) continue;
        outcome middle;
        run_one(&s, 0, &o, &middle);
        for (int32_t i = 0; i < ATOMS; i += 11)
            for (int c = 0; c < 3; ++c) {
                double e[5];
                const double at = sys->pos[i][c];
                for (int k = -2; k <= 2; ++k) {
                    sys->pos[i][c] = at + k * h;
                    e[k + 2] = energy_of(&s, 0, &o);
                }
                sys->pos[i][c] = at;
                const double slope = (8 * (e[3] - e[1]) - (e[4] - e[0])) / (12 * h);
                CHECK_NEAR(middle.forces[i][c], -slope, 1e-8 * fmax(1, middle.r.fmax));
            }
        outcomes_free(&middle, 1);
    }
    set_free(&s);
}

/* Two cells have twice the energy; atoms may be counted in any order and stand in any cell. */
static void test_images(void)
{
    static set s;
    static const int32_t two[3] = {2, 1, 1};
    (void)periodic_add(&s, make_row(3.9, 0.0), "row", 0.0);
    (void)periodic_add(&s, periodic_repeat(make_row(3.9, 0.0), two), "two cells", 0.0);
    shoal_molecule *plain = make_row(3.9, 0.0), *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t i = 0; i < ATOMS; ++i) {
        const int32_t from = 7 * i % ATOMS;
        double r[3];
        for (int c = 0; c < 3; ++c)
            r[c] = shoal_molecule_positions(plain)[from][c] + (i % 9 - 4) * cell[0][c];
        CHECK(shoal_molecule_add_atom(mol, 18, r) == SHOAL_OK);
        CHECK(shoal_molecule_set_charge(mol, i, shoal_molecule_charges(plain)[from]) == SHOAL_OK);
    }
    CHECK(shoal_molecule_set_cell(mol, cell, (const bool[3]){true, false, false}) == SHOAL_OK);
    shoal_molecule_destroy(plain);
    (void)periodic_add(&s, mol, "in another order", 0.0);
    for (int p = 0; p < n_places; ++p) {
        const shoal_engine_options o = options_of(&places[p]);
        const double energy = energy_of(&s, 0, &o);
        CHECK_NEAR(energy_of(&s, 1, &o), 2 * energy, 20 * places[p].tolerance);
        CHECK_NEAR(energy_of(&s, 2, &o), energy, 10 * places[p].tolerance);
    }
    set_free(&s);
}

/* Threads inside a chain change no bit. */
static void test_threads(void)
{
    static set s;
    static const int32_t thirty[3] = {30, 1, 1};
    (void)periodic_add(&s, periodic_repeat(make_row(3.9, 0.0), thirty), "690 atoms", 0.05);
    for (int p = 1; p < 3; ++p) {
        shoal_engine_options o = options_of(&places[p]);
        outcome one, four;
        o.n_threads = 1;
        run_one(&s, 0, &o, &one);
        o.n_threads = 4;
        run_one(&s, 0, &o, &four);
        CHECK(outcome_same(&one, &four, s.systems[0].n_atoms));
        outcomes_free(&one, 1);
        outcomes_free(&four, 1);
    }
    set_free(&s);
}

/* A relaxation with all terms ends where the device finds no force, and ref none. */
static void test_relaxation(void)
{
    static set s;
    const shoal_relax_options relax = {.fmax = 1e-3};
    periodic_add_layers(&s);
    for (int32_t i = s.n - 2; i < s.n; ++i)
        for (int p = 1; p < n_places; ++p) {
            run_options o = {.engine = options_of(&places[p]), .relax = &relax};
            outcome got, want;
            o.engine.terms_off = 0;
            run_set(&s, &i, 1, &o, &got);
            CHECK(got.r.status == SHOAL_SYSTEM_CONVERGED);
            memcpy(s.systems[i].pos, got.pos, (size_t)s.systems[i].n_atoms * sizeof *got.pos);
            const shoal_engine_options ref = {.device = "ref"};
            run_one(&s, i, &ref, &want);
            CHECK(want.r.fmax < 1.5e-3);
            CHECK_NEAR(got.r.energy, want.r.energy, 100 * places[p].tolerance);
            outcomes_free(&got, 1);
            outcomes_free(&want, 1);
        }
    set_free(&s);
}

static void test_net_charge(void)
{
    static set s;
    shoal_batch *batch = NULL;
    (void)periodic_add(&s, make_row(3.9, 0.01), "net charge", 0.0);
    const shoal_system system = {.topology = s.systems[0].topology,
                                 .pos = (const double(*)[3])s.systems[0].pos,
                                 .cell = (const double(*)[3])s.systems[0].cell};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    for (int p = 0; p < n_places; ++p) {
        shoal_engine *engine = NULL;
        shoal_result r;
        const shoal_engine_options o = options_of(&places[p]);
        CHECK(shoal_engine_create(&engine, batch, &o) == SHOAL_OK);
        CHECK(shoal_engine_eval(engine) == SHOAL_OK);
        CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
        CHECK(r.status == SHOAL_SYSTEM_UNTYPED);
        CHECK_TEXT(r.reason, "a chain with a net charge has no finite Coulomb energy; make its "
                             "charges add up to zero");
        shoal_engine_destroy(engine);
    }
    shoal_batch_destroy(batch);
    set_free(&s);
}

int main(void)
{
    const char *named = getenv("SHOAL_TEST_DEVICE"), *device = named ? named : "opencl:cpu";
    const bool found = shoal_device_check(device) == SHOAL_OK;
    places[n_places++] = (place){"ref", SHOAL_PRECISION_DOUBLE, 1e-11, 0, 0};
    places[n_places++] = (place){"cpu", SHOAL_PRECISION_DOUBLE, 1e-10, 0, 0};
    places[n_places++] = (place){"cpu", SHOAL_PRECISION_FLOAT, 5e-5, 0, 0};
    if (found) {
        places[n_places++] = (place){device, SHOAL_PRECISION_DOUBLE, 1e-10, 0, 0};
        places[n_places++] = (place){device, SHOAL_PRECISION_FLOAT, 5e-5, 0, 0};
    } else {
        (void)printf("%s left out: %s\n", device, shoal_error_text());
    }
    CHECK(found || !getenv("CI")); /* there nothing is left out */
    test_line();
    test_devices();
    test_differences();
    test_images();
    test_threads();
    test_relaxation();
    test_net_charge();
    for (int p = 1; p < n_places; ++p)
        (void)printf("%s in %s: force %.1e, energy %.1e eV\n", places[p].device,
                     places[p].precision == SHOAL_PRECISION_FLOAT ? "float" : "double",
                     places[p].force, places[p].energy);
    return check_done();
}
