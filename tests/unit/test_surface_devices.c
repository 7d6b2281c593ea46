/* SPDX-License-Identifier: BSD-3-Clause
 * Molecules on surfaces by direct sums: ref against the fields and finite differences, every device
 * against ref, the laws of batches, and systems that stand where they must not. */
#include "cpu_fixture.h"
#include "geom/vector.h"
#include "surface_fixture.h"

/* Moves all systems so that their lowest atom is at a height z. */
static void lift(set *s, double z)
{
    for (int32_t k = 0; k < s->n; ++k) {
        double low = INFINITY;
        for (int32_t i = 0; i < s->systems[k].n_atoms; ++i)
            low = fmin(low, s->systems[k].pos[i][2]);
        for (int32_t i = 0; i < s->systems[k].n_atoms; ++i) s->systems[k].pos[i][2] += z - low;
    }
}

static void make_set(set *s)
{
    static const int32_t sizes[] = {1, 2, 5, 33, 64};
    for (int k = 0; k < 5; ++k) {
        (void)set_add_size(s, sizes[k], true);
        (void)set_add_size(s, sizes[k], false);
    }
    lift(s, 2.3);
}

/* Few, and of one kind: devices build their programs anew for every kind. */
static void make_small_set(set *s)
{
    (void)set_add_size(s, 5, true);
    (void)set_add_size(s, 8, true);
    lift(s, 2.3);
}

/* Only the surface, so that errors are measured against its own forces. */
static run_options only_surface(shoal_surface *surface, const char *device)
{
    return (run_options){
        .engine = {.device = device, .surface = surface, .terms_off = ~(1u << SHOAL_TERM_SURFACE)}};
}

/* ref, pair by pair, and the tables of src/surf know nothing of each other. */
static void test_ref(const set *s, shoal_surface *surface)
{
    static outcome out[SET_SYSTEMS];
    const run_options o = only_surface(surface, "ref");
    run_set(s, NULL, s->n, &o, out);
    for (int32_t k = 0; k < s->n; ++k) {
        shoal_topology_view v;
        shoal_topology_get(s->systems[k].topology, &v);
        double energy = 0.0, largest = 0.0;
        for (int32_t i = 0; i < v.n_atoms; ++i) {
            double w[SHOAL_N_CHANNELS], f[SHOAL_N_CHANNELS][4], force[3] = {0};
            const shoal_probe probe = {0.5 * v.vdw_x[i], v.vdw_d[i], v.charges[i], 0.0};
            shoal_surface_weights(surface, &probe, w);
            shoal_surface_fields(surface, s->systems[k].pos[i], f);
            for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
                energy += w[c] * f[c][0];
                for (int x = 0; x < 3; ++x) force[x] += w[c] * f[c][1 + x];
            }
            for (int x = 0; x < 3; ++x) force[x] += out[k].forces[i][x];
            largest = fmax(largest, vector_norm(force));
        }
        CHECK_NEAR(out[k].r.terms[SHOAL_TERM_SURFACE], energy, 1e-10 * (1.0 + fabs(energy)));
        CHECK_NEAR(largest, 0.0, 1e-10 * (1.0 + out[k].r.fmax));
    }
    outcomes_free(out, s->n);
}

/* Far above a sheet the Lennard-Jones energy falls off like z^-4, wherever that is. */
static void test_far(void)
{
    const shoal_slab_options sheet = {.kind = SHOAL_SLAB_GRAPHENE, .size = {1, 1}};
    const shoal_surface_options lj = {.form = SHOAL_SURFACE_LJ};
    static const double heights[4] = {40.0, 80.0, 160.0, 640.0};
    static set s;
    static outcome out[4];
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_slab_build(mol, &sheet) == SHOAL_OK);
    shoal_surface *surface = fixture_surface(mol, &lj);
    for (int k = 0; k < 4; ++k) set_add_size(&s, 1, false)->pos[0][2] = heights[k];
    const run_options o = only_surface(surface, "ref");
    run_set(&s, NULL, 4, &o, out);
    for (int k = 0; k < 4; ++k) {
        const double want = out[0].r.energy * pow(heights[0] / heights[k], 4);
        CHECK_NEAR(out[k].r.energy / want, 1.0, 1e-6);
        CHECK_NEAR(out[k].forces[0][2] * heights[k] / (4.0 * want), 1.0, 1e-6);
    }
    outcomes_free(out, 4);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(mol);
    set_free(&s);
}

static void test_device(const set *s, shoal_surface *surface, const char *device, const char *what,
                        shoal_precision precision)
{
    static outcome want[SET_SYSTEMS], got[SET_SYSTEMS];
    run_options o = only_surface(surface, "ref");
    run_set(s, NULL, s->n, &o, want);
    o = only_surface(surface, device);
    o.engine.precision = precision;
    const double bar = precision == SHOAL_PRECISION_FLOAT ? 1e-4 : 1e-9;
    double worst = 0.0;
    run_set(s, NULL, s->n, &o, got);
    for (int32_t k = 0; k < s->n; ++k) {
        for (int32_t i = 0; i < s->systems[k].n_atoms; ++i) {
            double d[3];
            for (int x = 0; x < 3; ++x) d[x] = got[k].forces[i][x] - want[k].forces[i][x];
            worst = fmax(worst, vector_norm(d) / want[k].r.fmax);
        }
        CHECK_NEAR(got[k].r.energy, want[k].r.energy, bar * (fabs(want[k].r.energy) + 0.1));
    }
    (void)printf("%s, %s, %s: forces within %.2g\n", device, what,
                 precision == SHOAL_PRECISION_FLOAT ? "float" : "double", worst);
    CHECK(worst <= bar);
    outcomes_free(got, s->n);
    outcomes_free(want, s->n);
}

/* Bits do not depend on neighbours, order or threads. */
static void test_laws(const set *s, shoal_surface *surface, const char *device)
{
    static outcome all[SET_SYSTEMS], alone, turned[SET_SYSTEMS];
    int32_t order[SET_SYSTEMS];
    run_options o = only_surface(surface, device);
    o.engine.terms_off = 0;
    run_set(s, NULL, s->n, &o, all);
    for (int32_t k = 0; k < s->n; ++k) order[k] = s->n - 1 - k;
    o.engine.n_threads = 1;
    run_set(s, order, s->n, &o, turned);
    for (int32_t k = 0; k < s->n; ++k) {
        run_set(s, &k, 1, &o, &alone);
        const size_t size = (size_t)s->systems[k].n_atoms * sizeof alone.forces[0];
        CHECK(memcmp(alone.forces, all[k].forces, size) == 0);
        CHECK(memcmp(turned[s->n - 1 - k].forces, all[k].forces, size) == 0);
        CHECK(alone.r.energy == all[k].r.energy);
        outcomes_free(&alone, 1);
    }
    outcomes_free(all, s->n);
    outcomes_free(turned, s->n);
}

static shoal_engine *make_engine(const set *s, const shoal_engine_options *options)
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int32_t k = 0; k < s->n; ++k) {
        const shoal_system system = {.topology = s->systems[k].topology,
                                     .pos = (const double(*)[3])s->systems[k].pos};
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    }
    CHECK(shoal_engine_create(&engine, batch, options) == SHOAL_OK);
    shoal_batch_destroy(batch);
    return engine;
}

/* One system below the surface harms no other and stays where it is. */
static void test_below(const char *device)
{
    static set s;
    set_free(&s);
    for (int k = 0; k < 3; ++k) (void)set_add_size(&s, 5, false);
    lift(&s, 2.8);
    for (int32_t i = 0; i < 5; ++i) s.systems[1].pos[i][2] -= 3.1;
    shoal_molecule *mol = fixture_salt(2, 2, 0.9);
    shoal_surface *surface = fixture_surface(mol, NULL);
    const shoal_engine_options o = {.device = device, .surface = surface};
    shoal_engine *engine = make_engine(&s, &o);
    shoal_surface_destroy(surface); /* the engine has its own reference */
    shoal_result r;
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 1, &r) == SHOAL_OK);
    CHECK(r.status == SHOAL_SYSTEM_BELOW_SURFACE && isnan(r.energy));
    CHECK(strstr(r.reason, "is below the surface, whose lowest terrace is at z = 0.000") != NULL);
    CHECK(shoal_engine_result(engine, 2, &r) == SHOAL_OK);
    CHECK(r.status == SHOAL_SYSTEM_OK && r.terms[SHOAL_TERM_SURFACE] < 0.0);
    if (strcmp(device, "ref") != 0) {
        CHECK(shoal_engine_relax(engine, NULL, NULL, NULL) == SHOAL_OK);
        for (int32_t k = 0; k < 3; ++k) {
            CHECK(shoal_engine_result(engine, k, &r) == SHOAL_OK);
            CHECK(r.status == (k == 1 ? SHOAL_SYSTEM_BELOW_SURFACE : SHOAL_SYSTEM_CONVERGED));
        }
        CHECK(memcmp(shoal_engine_positions(engine, 1), s.systems[1].pos, 5 * 3 * sizeof(double)) ==
              0);
    }
    shoal_engine_destroy(engine);
    shoal_molecule_destroy(mol);
    set_free(&s);
}

/* Coordinates that are no numbers: a status, and no other system suffers. */
static void test_not_finite(const char *device)
{
    static set s;
    set_free(&s);
    for (int k = 0; k < 5; ++k) (void)set_add_size(&s, k == 4 ? 5 : 1, false);
    lift(&s, 3.0);
    s.systems[0].pos[0][0] = NAN;
    s.systems[1].pos[0][2] = INFINITY;
    s.systems[2].pos[0][1] = 1e300;
    shoal_molecule *mol = fixture_salt(2, 2, 0.0);
    shoal_surface *surface = fixture_surface(mol, NULL);
    const shoal_engine_options o = {.device = device, .surface = surface};
    shoal_engine *engine = make_engine(&s, &o);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    for (int32_t k = 0; k < 5; ++k) {
        shoal_result r;
        CHECK(shoal_engine_result(engine, k, &r) == SHOAL_OK);
        if (k < 3) CHECK(r.status == SHOAL_SYSTEM_NOT_FINITE && r.reason[0]);
        if (k > 2) CHECK(r.status == SHOAL_SYSTEM_OK && r.terms[SHOAL_TERM_SURFACE] < 0.0);
    }
    shoal_engine_destroy(engine);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(mol);
    set_free(&s);
}

static void count_rows(void *user, const shoal_term_row *row)
{
    ((double *)user)[row->term] += row->energy;
}

/* Surface and pairs switch independently; rows add up to the term. */
static void test_switches(const set *s, shoal_surface *surface)
{
    static outcome on[SET_SYSTEMS], off[SET_SYSTEMS];
    run_options o = {.engine = {.device = "cpu", .surface = surface}};
    run_set(s, NULL, s->n, &o, on);
    o.engine.terms_off = 1u << SHOAL_TERM_SURFACE;
    run_set(s, NULL, s->n, &o, off);
    shoal_engine *engine = make_engine(s, &(shoal_engine_options){.surface = surface});
    for (int32_t k = 0; k < s->n; ++k) {
        double rows[SHOAL_N_TERMS] = {0};
        CHECK(off[k].r.terms[SHOAL_TERM_SURFACE] == 0.0);
        CHECK(on[k].r.terms[SHOAL_TERM_VDW] == off[k].r.terms[SHOAL_TERM_VDW]);
        CHECK_NEAR(on[k].r.energy - off[k].r.energy, on[k].r.terms[SHOAL_TERM_SURFACE], 1e-9);
        CHECK(shoal_engine_explain(engine, k, count_rows, rows) == SHOAL_OK);
        CHECK_NEAR(rows[SHOAL_TERM_SURFACE], on[k].r.terms[SHOAL_TERM_SURFACE], 1e-9);
    }
    shoal_engine_destroy(engine);
    outcomes_free(on, s->n);
    outcomes_free(off, s->n);
}

/* Salt whose chlorine takes hydrogen bonds; H_ gives them, C_3 takes them. */
static shoal_surface *make_hbonding(const shoal_molecule *salt)
{
    static const char text[] = "Na * Na E 1 0 0 0 1.0 1.4915 0.0013 0.9 0.4\n"
                               "Cl * Cl E 1 0 0 0 1.0 1.9735 0.0098 -0.9 -0.7\n"
                               "H_ * H E 1 0 0 0 0.3 1.443 0.0019 0.0 0.8\n"
                               "C_3 * C E 1 0 0 0 0.7 1.9255 0.0045 0.0 -0.6\n";
    shoal_atom_types *types = NULL;
    CHECK(shoal_atom_types_read_memory(&types, text, sizeof text - 1, "text") == SHOAL_OK);
    shoal_surface *surface = fixture_surface(
        salt, &(shoal_surface_options){.form = SHOAL_SURFACE_MORSE, .types = types});
    shoal_atom_types_destroy(types);
    return surface;
}

/* Argon in a cell of its own, a edge long: the status of its energy on salt. */
static void test_periodic(shoal_surface *surface, double edge, shoal_system_status want)
{
    static const bool pbc[3] = {true, true, false};
    static const double above[3] = {1.0, 0.5, 3.5};
    const double cell[3][3] = {{edge, 0.0, 0.0}, {0.0, edge, 0.0}, {0.0, 0.0, 20.0}};
    shoal_molecule *mol = NULL;
    shoal_topology *topology = NULL;
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result r;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_molecule_add_atom(mol, 18, above) == SHOAL_OK);
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    const shoal_system system = {.topology = topology, .pos = &above, .cell = cell};
    CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    const shoal_engine_options o = {.device = "ref", .surface = surface};
    CHECK(shoal_engine_create(&engine, batch, &o) == SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    CHECK(r.status == want);
    if (want != SHOAL_SYSTEM_OK)
        CHECK_TEXT(r.reason, "the cell vector a is no lattice vector of the surface");
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    static set s, few;
    make_set(&s);
    make_small_set(&few);
    shoal_molecule *salt = fixture_salt(3, 3, 0.9), *oblique = fixture_oblique();
    const shoal_surface_options lj = {.form = SHOAL_SURFACE_LJ, .damping = 0.8};
    const shoal_surface_options soft = {.form = SHOAL_SURFACE_MORSE};
    const char *second = getenv("SHOAL_TEST_DEVICE");
    if (!second) second = "opencl:cpu";
    const bool has_second = shoal_device_check(second) == SHOAL_OK;
    if (!has_second) (void)printf("%s left out: %s\n", second, shoal_error_text());
    shoal_surface *morse = fixture_surface(salt, &soft), *split = fixture_surface(oblique, &lj);
    shoal_surface *hbonding = make_hbonding(salt);
    test_ref(&s, morse);
    test_ref(&s, split);
    test_far();
    fixture_skew(oblique);
    shoal_surface *skewed = fixture_surface(oblique, &lj);
    test_ref(&s, skewed);
    test_device(&s, skewed, "cpu", "skewed, LJ, damped", SHOAL_PRECISION_DOUBLE);
    shoal_surface_destroy(skewed);
    for (int p = SHOAL_PRECISION_FLOAT; p <= SHOAL_PRECISION_DOUBLE; ++p) {
        test_device(&s, morse, "cpu", "salt", (shoal_precision)p);
        test_device(&s, split, "cpu", "oblique, LJ, damped", (shoal_precision)p);
        test_device(&s, hbonding, "cpu", "hydrogen bonds", (shoal_precision)p);
    }
    test_laws(&s, morse, "cpu");
    test_laws(&s, split, "cpu");
    if (has_second) {
        test_device(&few, morse, second, "salt", SHOAL_PRECISION_FLOAT);
        test_device(&few, hbonding, second, "hydrogen bonds", SHOAL_PRECISION_FLOAT);
        test_device(&few, split, second, "oblique, LJ, damped", SHOAL_PRECISION_DOUBLE);
        test_laws(&few, morse, second);
        test_below(second);
        test_not_finite(second);
    }
    test_switches(&s, morse);
    test_below("ref");
    test_below("cpu");
    test_not_finite("ref");
    test_not_finite("cpu");
    test_periodic(morse, 2 * 3 * 5.6402 / sqrt(2), SHOAL_SYSTEM_OK);
    test_periodic(morse, 13.0, SHOAL_SYSTEM_UNTYPED);
    shoal_surface_destroy(hbonding);
    shoal_surface_destroy(morse);
    shoal_surface_destroy(split);
    shoal_molecule_destroy(salt);
    shoal_molecule_destroy(oblique);
    set_free(&s);
    set_free(&few);
    return check_done();
}
