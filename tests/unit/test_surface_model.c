/* SPDX-License-Identifier: BSD-3-Clause
 * Pair models on surfaces by direct sums: numbers by hand, the fields, differences, every device and schedule against
 * ref, sites, and what is refused. */
#include "pair_model_fixture.h"
#include "surface_fixture.h"

enum { LARGE_WATERS = 145 }; /* more atoms than small schedules take */

typedef struct substrate_atom {
    const char *type;
    int32_t z;
    double q, pos[3];
} substrate_atom;

/* An oblique cell with four heights, a dipole, and two atoms of one type: with the radii by charge all five differ. */
static const substrate_atom atoms[] = {{"C_3", 6, 0.30, {0.3, 0.2, 0.0}},
                                       {"C_2", 6, -0.25, {2.4, 1.1, -0.7}},
                                       {"H_C2", 1, 0.35, {1.1, 3.0, 0.4}},
                                       {"C_2", 6, -0.60, {4.0, 2.2, -0.7}},
                                       {"H_C3", 1, 0.20, {3.2, 4.1, -2.1}}};

static shoal_molecule *make_substrate(const substrate_atom *list, int n, const double cell[3][3])
{
    static const bool pbc[3] = {true, true, false};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int i = 0; i < n; ++i) {
        CHECK(shoal_molecule_add_atom(mol, list[i].z, list[i].pos) == SHOAL_OK);
        CHECK(shoal_molecule_set_type(mol, i, list[i].type) == SHOAL_OK);
        CHECK(shoal_molecule_set_charge(mol, i, list[i].q) == SHOAL_OK);
    }
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    return mol;
}

static shoal_molecule *make_oblique(void)
{
    static const double cell[3][3] = {{5.1, 0.0, 0.0}, {1.9, 4.7, 0.0}, {0.0, 0.0, 25.0}};
    return make_substrate(atoms, 5, cell);
}

static shoal_surface *make_surface(const shoal_molecule *mol, const model_case *c)
{
    shoal_pair_model *model = model_make(c);
    shoal_surface *surface = fixture_surface(mol, &(shoal_surface_options){.model = model});
    shoal_pair_model_destroy(model); /* the surface keeps what it needs */
    return surface;
}

static run_options only_surface(shoal_surface *surface, const char *device,
                                shoal_precision precision)
{
    return (run_options){.engine = {.device = device,
                                    .precision = precision,
                                    .surface = surface,
                                    .terms_off = ~(1u << SHOAL_TERM_SURFACE)}};
}

/* Moves all systems up by as much as puts the lowest atom of the first to z. */
static void lift(set *s, double z)
{
    double low = INFINITY;
    for (int32_t i = 0; i < s->systems[0].n_atoms; ++i) low = fmin(low, s->systems[0].pos[i][2]);
    for (int32_t k = 0; k < s->n; ++k)
        for (int32_t i = 0; i < s->systems[k].n_atoms; ++i) s->systems[k].pos[i][2] += z - low;
}

/* E of a pair as shoal/pair_model.h has it, written out once more. */
static double by_hand(int form, bool damped, double r0, double h[2], double r)
{
    const double u = r0 / r, u6 = pow(u, 6), e = exp(-1.6 * (r - r0)), e6 = exp(-6 * (r / r0 - 1));
    const double x = 2.4 * r, e12 = exp(-12 * (r / r0 - 1));
    double sum = 0, term = 1;
    for (int k = 0; k <= 6; term *= x / ++k) sum += term;
    const double f6 = damped ? u6 * (1 - exp(-x) * sum) : u6;
    switch (form) {
    case SHOAL_FORM_LJ: return h[0] * u6 * u6 - 2 * h[1] * f6;
    case SHOAL_FORM_LJ8: return 3 * h[0] * pow(u, 8) - 4 * h[1] * f6;
    case SHOAL_FORM_LJ9: return 2 * h[0] * pow(u, 9) - 3 * h[1] * f6;
    case SHOAL_FORM_MORSE: return h[0] * e * e - 2 * h[1] * e;
    case SHOAL_FORM_BUCK: return h[0] * e * e - 2 * h[1] * f6;
    case SHOAL_FORM_MORSE6: return h[0] * e6 * e6 - 2 * h[1] * e6;
    case SHOAL_FORM_BUCK6: return h[0] * e6 * e6 - 2 * h[1] * f6;
    default: return h[0] * e12 - 2 * h[1] * f6; /* 12/(12 - 6) and 6/(12 - 6) */
    }
}

/* One atom in a wide cell, which might as well be alone: its images count for 1e-6 of it. */
static void test_by_hand(int form, int hbond, bool damped)
{
    static const substrate_atom one = {"H_C2", 1, 0, {0, 0, 0}};
    static const double cell[3][3] = {{60, 0, 0}, {0, 60, 0}, {0, 0, 25}};
    static set s;
    outcome out;
    const model_case c = {.form = form, .hbond = hbond, .damped = damped};
    shoal_molecule *mol = model_cluster(), *substrate = make_substrate(&one, 1, cell);
    shoal_surface *surface = make_surface(substrate, &c);
    shoal_topology_view v;
    double want = 0, size = 0;
    model_add(&s, mol, &c, 0);
    lift(&s, 2.0);
    const run_options o = only_surface(surface, "ref", SHOAL_PRECISION_DOUBLE);
    run_set(&s, NULL, 1, &o, &out);
    shoal_topology_get(s.systems[0].topology, &v);
    for (int32_t i = 0; i < v.n_atoms; ++i) {
        const double *p = s.systems[0].pos[i], e0 = sqrt(v.vdw_d[i] * 0.0020);
        const double both = hbond == SHOAL_HBOND_NONE ? 0 : fmin(0, v.hbonds[i] * 0.10);
        double h[2] = {hbond == SHOAL_HBOND_ATTRACTION ? 1 : 1 + both,
                       hbond == SHOAL_HBOND_REPULSION ? 1 : 1 - both};
        const double r = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        const double e = e0 * by_hand(form, damped, 0.5 * v.vdw_x[i] + 1.44, h, r);
        want += e;
        size += fabs(e);
    }
    CHECK(size > 1e-3);
    CHECK_NEAR(out.r.energy, want, 3e-6 * size);
    outcomes_free(&out, 1);
    set_free(&s);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(substrate);
    shoal_molecule_destroy(mol);
}

/* The tables of src/surf, weights and fields, know nothing of ref. */
static void test_fields(const set *s, shoal_surface *surface, const outcome *want)
{
    shoal_topology_view v;
    double energy = 0;
    shoal_topology_get(s->systems[0].topology, &v);
    for (int32_t i = 0; i < v.n_atoms; ++i) {
        double w[SHOAL_N_CHANNELS], f[SHOAL_N_CHANNELS][4];
        const shoal_probe probe = {0.5 * v.vdw_x[i], v.vdw_d[i], v.charges[i], v.hbonds[i]};
        shoal_surface_weights(surface, &probe, w);
        shoal_surface_fields(surface, s->systems[0].pos[i], f);
        for (int c = 0; c < SHOAL_N_CHANNELS; ++c) energy += w[c] * f[c][0];
    }
    CHECK_NEAR(energy, want->r.energy, 1e-9 * (1 + fabs(energy)));
}

static double far_apart(const outcome *a, const outcome *b, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) most = fmax(most, fabs(a->forces[i][k] - b->forces[i][k]));
    return most;
}

static void test_device(const set *s, shoal_surface *surface, const model_case *c,
                        const char *device, shoal_precision precision, const outcome *want)
{
    outcome got[3];
    const bool is_float = precision == SHOAL_PRECISION_FLOAT;
    const run_options o = only_surface(surface, device, precision);
    run_set(s, NULL, s->n, &o, got);
    CHECK(got[0].r.status == SHOAL_SYSTEM_OK);
    const double e = fabs(got[0].r.energy - want->r.energy) / (fabs(want->r.energy) + 0.1);
    const double f = far_apart(&got[0], want, s->systems[0].n_atoms) / fmax(want->r.fmax, 0.01);
    if (!(e <= (is_float ? 1e-4 : 1e-9)) || !(f <= (is_float ? 1e-4 : 1e-9)))
        (void)printf("%s %s: %s, hbond %d, coulomb %d, damped %d, sites %d: %g %g\n", device,
                     is_float ? "float" : "double", shoal_pair_form_name(c->form), c->hbond,
                     c->coulomb, c->damped, c->sites, e, f);
    CHECK(e <= (is_float ? 1e-4 : 1e-9));
    CHECK(f <= (is_float ? 1e-4 : 1e-9));
    outcomes_free(got, s->n);
}

/* A system for the large schedule, against ref. */
static void test_large(const model_case *c, const char *device)
{
    static set s;
    outcome want;
    shoal_molecule *mol = model_waters(LARGE_WATERS, 20), *substrate = make_oblique();
    shoal_surface *surface = make_surface(substrate, c);
    const run_options o = only_surface(surface, "ref", SHOAL_PRECISION_DOUBLE);
    s.n = 0;
    model_add(&s, mol, c, 0);
    lift(&s, 2.2);
    run_set(&s, NULL, 1, &o, &want);
    test_device(&s, surface, c, device, SHOAL_PRECISION_FLOAT, &want);
    test_device(&s, surface, c, device, SHOAL_PRECISION_DOUBLE, &want);
    outcomes_free(&want, 1);
    set_free(&s);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(substrate);
    shoal_molecule_destroy(mol);
}

/* One model: a device against differences and ref, ref against the fields. */
static void test_case(shoal_molecule *mol, const model_case *c, const char *device)
{
    static set s;
    outcome want, moved[3];
    const double h = 1e-5;
    shoal_molecule *substrate = make_oblique();
    shoal_surface *surface = make_surface(substrate, c);
    const run_options o = only_surface(surface, "ref", SHOAL_PRECISION_DOUBLE);
    const run_options own = only_surface(surface, device, SHOAL_PRECISION_DOUBLE);
    const bool one_field =
        c->form != SHOAL_FORM_MORSE6 && c->form != SHOAL_FORM_BUCK6 && c->form != SHOAL_FORM_EXP6;
    s.n = 0;
    model_add(&s, mol, c, h);
    lift(&s, 2.2);
    run_set(&s, NULL, 1, &o, &want);
    run_set(&s, NULL, 3, &own, moved);
    CHECK(want.r.status == SHOAL_SYSTEM_OK);
    const double slope = (moved[1].r.energy - moved[2].r.energy) / (2 * h);
    CHECK_NEAR(slope, -model_work(&moved[0], s.systems[0].n_atoms), 1e-6 * (1 + want.r.fmax));
    if (one_field && !c->sites) test_fields(&s, surface, &want);
    outcomes_free(moved, 3);
    s.n = 1;
    test_device(&s, surface, c, device, SHOAL_PRECISION_FLOAT, &want);
    test_device(&s, surface, c, device, SHOAL_PRECISION_DOUBLE, &want);
    s.n = 3;
    outcomes_free(&want, 1);
    set_free(&s);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(substrate);
}

static model_case sample(int k)
{
    return (model_case){.form = k % MODEL_FORMS,
                        .hbond = (k + k / MODEL_FORMS) % MODEL_HBONDS,
                        .coulomb = (k + k / MODEL_COULOMBS) % MODEL_COULOMBS,
                        .damped = k % 2 && model_has_u6(k % MODEL_FORMS),
                        .sites = k % 3 == 0};
}

static void check_refused(const shoal_molecule *mol, const shoal_surface_options *options,
                          const char *why)
{
    shoal_surface *surface = NULL;
    CHECK(shoal_surface_create(&surface, mol, options) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), why) != NULL);
    if (surface) (void)printf("not refused: %s\n", why);
    shoal_surface_destroy(surface);
}

static void test_refusals(void)
{
    shoal_molecule *mol = make_oblique();
    shoal_pair_model *plain = model_make(&(model_case){.form = SHOAL_FORM_EXP6});
    shoal_pair_model *own = model_make(&(model_case){.formula = MODEL_FORMULA});
    shoal_pair_model *sites = model_make(&(model_case){.sites = true});
    check_refused(mol, &(shoal_surface_options){.model = own}, "a formula");
    check_refused(mol, &(shoal_surface_options){.model = plain, .alpha = 1.5},
                  "those of the pair model");
    check_refused(mol, &(shoal_surface_options){.model = plain, .no_hbonds = true},
                  "those of the pair model");
    CHECK(shoal_molecule_set_type(mol, 0, "O_3") == SHOAL_OK);
    check_refused(mol, &(shoal_surface_options){.model = sites}, "puts sites beside atoms");
    CHECK(shoal_molecule_set_type(mol, 0, "X_9") == SHOAL_OK);
    check_refused(mol, &(shoal_surface_options){.model = plain}, "has no 'X_9'");
    CHECK(shoal_molecule_set_type(mol, 0, "C_3") == SHOAL_OK);
    shoal_surface *surface = fixture_surface(mol, &(shoal_surface_options){.model = plain});
    shoal_surface *rest = NULL, *movable = NULL;
    shoal_grid *grid = NULL;
    CHECK(shoal_surface_split(surface, 1, &rest, &movable) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), "cannot move with a pair model") != NULL);
    CHECK(shoal_grid_build(&grid, surface, NULL) == SHOAL_E_UNSUPPORTED);
    CHECK(strstr(shoal_error_text(), "direct sums can do it") != NULL);
    shoal_surface_destroy(surface);
    shoal_pair_model_destroy(plain);
    shoal_pair_model_destroy(own);
    shoal_pair_model_destroy(sites);
    shoal_molecule_destroy(mol);
}

/* Radii and charges that act: 0.06 angstrom less for every e, and the root of lambda. */
static void test_numbers(void)
{
    shoal_molecule *mol = make_oblique();
    shoal_surface *surface = make_surface(mol, &(model_case){.form = SHOAL_FORM_LJ});
    shoal_surface_view v;
    shoal_surface_get(surface, &v);
    CHECK_NEAR(v.radius[0], 1.92 - 0.06 * 0.30, 1e-14);
    CHECK_NEAR(v.radius[3], 1.88 + 0.06 * 0.60, 1e-14);
    CHECK_NEAR(v.charges[3], -0.60 * sqrt(0.87), 1e-14);
    CHECK(v.depth[3] == 0.0047 && v.hbond[3] == 0.05 && v.pairs->form == SHOAL_FORM_LJ);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(mol);
}

/* A system and a surface must have the same pairs. */
static void test_strangers(void)
{
    static set s;
    outcome out;
    shoal_molecule *mol = model_cluster(), *substrate = make_oblique();
    const model_case morse = {.form = SHOAL_FORM_MORSE}, lj = {.form = SHOAL_FORM_LJ};
    shoal_molecule *salt = fixture_salt(2, 2, 0.9);
    shoal_surface *surfaces[2] = {make_surface(substrate, &lj), fixture_surface(salt, NULL)};
    model_add(&s, mol, &morse, 0);
    lift(&s, 2.2);
    for (int k = 0; k < 2; ++k) {
        const run_options o = only_surface(surfaces[k], "cpu", SHOAL_PRECISION_DOUBLE);
        run_set(&s, NULL, 1, &o, &out);
        CHECK(out.r.status == SHOAL_SYSTEM_UNTYPED);
        outcomes_free(&out, 1);
        shoal_surface_destroy(surfaces[k]);
    }
    set_free(&s);
    shoal_molecule_destroy(salt);
    shoal_molecule_destroy(substrate);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    const char *named = getenv("SHOAL_TEST_DEVICE"), *device = named ? named : "opencl:cpu";
    test_refusals();
    test_numbers();
    test_strangers();
    for (int form = 0; form < MODEL_FORMS; ++form) {
        test_by_hand(form, form % MODEL_HBONDS, false);
        if (model_has_u6(form)) test_by_hand(form, SHOAL_HBOND_BOTH, true);
    }
    shoal_molecule *mol = model_cluster();
    for (int k = 0; k < 12; ++k) {
        const model_case c = sample(k);
        test_case(mol, &c, "cpu");
    }
    const model_case large = {.form = SHOAL_FORM_MORSE, .sites = true};
    test_large(&large, "cpu");
    for (int k = 0; k < MODEL_FORMS && shoal_device_check(device) == SHOAL_OK; k += 3) {
        const model_case c = sample(k);
        test_case(mol, &c, device);
    }
    if (shoal_device_check(device) == SHOAL_OK) test_large(&large, device);
    shoal_molecule_destroy(mol);
    return check_done();
}
