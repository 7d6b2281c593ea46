/* SPDX-License-Identifier: BSD-3-Clause
 * Every backend against ref: sizes around every lane and block, many elements, charges, damping,
 * mixing, every term alone, singular geometries; float and double. OpenCL runs on the processor
 * (PoCL), or on the device that SHOAL_TEST_DEVICE names. */
#include "periodic_fixture.h"

/* Where forces cancel, what is left of them is rounding. eV/angstrom */
#define LEAST_FORCE 0.1

static double length(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Largest error of a force relative to the largest force. */
static double force_error(const outcome *got, const outcome *want, int32_t n_atoms)
{
    double worst = 0, largest = LEAST_FORCE;
    for (int32_t i = 0; i < n_atoms; ++i) {
        double d[3];
        for (int c = 0; c < 3; ++c) d[c] = got->forces[i][c] - want->forces[i][c];
        if (!(length(d) <= worst)) worst = length(d);
        largest = fmax(largest, length(want->forces[i]));
    }
    return worst / largest;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double energy_error(const outcome *got, const outcome *want)
{
    double worst = 0, size = 1;
    for (int t = 0; t < SHOAL_N_TERMS; ++t) size += fabs(want->r.terms[t]);
    for (int t = 0; t < SHOAL_N_TERMS; ++t)
        worst = fmax(worst, fabs(got->r.terms[t] - want->r.terms[t]));
    return fmax(worst, fabs(got->r.energy - want->r.energy)) / size;
}

/* One case list, one set of options, both precisions. */
static void compare(const char *device, const set *s, const char *what,
                    shoal_engine_options options)
{
    static outcome want[SET_SYSTEMS], got[SET_SYSTEMS];
    static double errors[SET_SYSTEMS];
    run_options o = {.engine = options};
    o.engine.device = "ref";
    run_set(s, NULL, s->n, &o, want);
    for (int p = 0; p < 2; ++p) {
        const bool is_float = p == 0;
        const double most = is_float ? 1e-4 : 1e-9, most_median = is_float ? 5e-6 : 1e-10;
        int32_t n = 0;
        o.engine.device = device;
        o.engine.precision = is_float ? SHOAL_PRECISION_FLOAT : SHOAL_PRECISION_DOUBLE;
        run_set(s, NULL, s->n, &o, got);
        for (int32_t i = 0; i < s->n; ++i) {
            CHECK(got[i].r.status == want[i].r.status);
            if (want[i].r.status != SHOAL_SYSTEM_OK) continue;
            errors[n] = force_error(&got[i], &want[i], s->systems[i].n_atoms);
            const double e = energy_error(&got[i], &want[i]);
            if (!(errors[n] <= most) || !(e <= most))
                (void)printf("%s, %s, %s, %s: force %g, energy %g\n", device, what,
                             is_float ? "float" : "double", s->systems[i].name, errors[n], e);
            CHECK(errors[n] <= most);
            CHECK(e <= most);
            ++n;
        }
        CHECK(n > 0);
        qsort(errors, (size_t)n, sizeof errors[0], compare_doubles);
        CHECK_NEAR(errors[n / 2], 0.0, most_median);
        outcomes_free(got, s->n);
    }
    outcomes_free(want, s->n);
}

/* Straight torsions, upright inversions, a bond of no length, atoms on top of each other. */
static void add_singular(set *s)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int k = 0; k < 4; ++k) (void)set_atom(mol, k % 3 ? 6 : 1, 1.1 * k, 0.0, 0.0);
    for (int k = 0; k < 3; ++k)
        CHECK(shoal_molecule_add_bond(mol, k, k + 1, k % 2 ? 3 : 1, NULL) == 0);
    (void)set_add(s, mol, "straight acetylene", 0.0);
    shoal_molecule_clear(mol);
    for (int k = 0; k < 4; ++k) (void)set_atom(mol, 6, 1.5 * k, 0.0, 0.0);
    for (int k = 0; k < 3; ++k)
        CHECK(shoal_molecule_add_bond(mol, k, k + 1, k == 1 ? 2 : 1, NULL) == 0);
    for (int k = 0; k < 4; ++k) {
        const int32_t h = set_atom(mol, 1, 1.5 * k, 1.0, 0.0);
        CHECK(shoal_molecule_add_bond(mol, k, h, 1, NULL) == SHOAL_OK);
    }
    set_system *sys = set_add(s, mol, "straight butene, upright hydrogen", 0.0);
    sys->pos[5][1] = 0.0;
    sys->pos[5][2] = 1.1;
    shoal_molecule_clear(mol);
    (void)set_atom(mol, 8, 0.0, 0.0, 0.0);
    (void)set_atom(mol, 1, 0.0, 0.0, 0.0);
    (void)set_atom(mol, 1, 0.9, 0.3, 0.0);
    for (int k = 1; k < 3; ++k) CHECK(shoal_molecule_add_bond(mol, 0, k, 1, NULL) == SHOAL_OK);
    (void)set_add(s, mol, "a bond of no length", 0.0);
    shoal_molecule_destroy(mol);
    sys = set_add_size(s, 32, true);
    memcpy(sys->pos[1], sys->pos[30], sizeof sys->pos[1]); /* not bonded */
    sys = set_add_size(s, 33, false);
    sys->pos[4][1] = NAN;
}

static void add_all(set *s)
{
    static const int32_t sizes[] = {1, 2, 5, 31, 32, 33, 63, 64, 65, 128, 257, 1000};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        (void)set_add_size(s, sizes[k], false);
        (void)set_add_size(s, sizes[k], true);
    }
    set_read(s, "types.sdf", SET_SYSTEMS - s->n - 8);
}

static void test_device(const char *device)
{
    static set s, strange;
    add_all(&s);
    compare(device, &s, "plain", (shoal_engine_options){0});
    compare(device, &s, "every term by itself", (shoal_engine_options){.plain_terms = true});
    compare(device, &s, "damped", (shoal_engine_options){.coulomb_damping = 0.7});
    compare(device, &s, "arithmetic", (shoal_engine_options){.mixing = SHOAL_MIXING_ARITHMETIC});
    for (int t = SHOAL_TERM_BOND; t <= SHOAL_TERM_COULOMB; ++t)
        compare(device, &s, shoal_term_name(t), (shoal_engine_options){.terms_off = ~(1u << t)});
    for (int32_t i = 0; i < s.n; ++i) /* far from home, as docked molecules are */
        for (int32_t k = 0; k < s.systems[i].n_atoms; ++k) s.systems[i].pos[k][0] += 300.0;
    compare(device, &s, "far away", (shoal_engine_options){0});
    add_singular(&strange);
    compare(device, &strange, "singular", (shoal_engine_options){0});
    compare(device, &strange, "singular, by itself", (shoal_engine_options){.plain_terms = true});
    set_free(&s);
    set_free(&strange);
}

/* Moves atoms by whole cells, each by others: nothing may change. */
static void scatter_cells(set *s)
{
    for (int32_t n = 0; n < s->n; ++n) {
        set_system *sys = &s->systems[n];
        shoal_topology_view v;
        shoal_topology_get(sys->topology, &v);
        if (terms_count(&v, SHOAL_KIND_BOND) > 0) continue; /* bonds know their images */
        for (int32_t i = 0; i < sys->n_atoms; ++i)
            for (int k = 0; k < 3; ++k)
                for (int c = 0; c < 3; ++c) sys->pos[i][c] += (40 * i - 7 * k) * sys->cell[k][c];
    }
}

static void test_large(const char *device)
{
    static set s;
    (void)set_add_size(&s, 1030, false);
    (void)set_add_size(&s, 1030, true);
    periodic_add_volumes(&s);
    periodic_add_layers(&s);
    compare(device, &s, "large", (shoal_engine_options){0});
    compare(device, &s, "large, damped", (shoal_engine_options){.coulomb_damping = 0.7});
    compare(device, &s, "large, short cut-off",
            (shoal_engine_options){.vdw_cutoff = 6, .mixing = SHOAL_MIXING_ARITHMETIC});
    for (int t = SHOAL_TERM_BOND; t <= SHOAL_TERM_COULOMB; ++t)
        compare(device, &s, shoal_term_name(t), (shoal_engine_options){.terms_off = ~(1u << t)});
    for (int32_t i = 0; i < s.n; ++i) /* the whole crystal moves */
        for (int32_t k = 0; k < s.systems[i].n_atoms; ++k) s.systems[i].pos[k][2] -= 500.0;
    scatter_cells(&s);
    compare(device, &s, "large, far away", (shoal_engine_options){0});
    set_free(&s);
}

int main(void)
{
    const char *device = getenv("SHOAL_TEST_DEVICE");
    test_device("cpu");
    test_large("cpu");
    if (!device) device = "opencl:cpu";
    if (strcmp(device, "cpu") == 0) return check_done();
    if (shoal_device_check(device) == SHOAL_OK) {
        test_device(device);
        test_large(device);
    } else {
        (void)printf("%s left out: %s\n", device, shoal_error_text());
    }
    CHECK(!getenv("CI") || shoal_device_check(device) == SHOAL_OK); /* there nothing is left out */
    return check_done();
}
