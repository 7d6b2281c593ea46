/* SPDX-License-Identifier: BSD-3-Clause
 * Pair models on every device and schedule: every form, hydrogen bonds, Coulomb, damping, sites and a formula; isolated
 * (small and large) and periodic. Forces against differences of energies, both against ref, no net force. Numbers of ref
 * come from outside in test_pair_model_golden.c. */
#include "pair_model_fixture.h"
#include "strain_fixture.h"

/* A device, and what it can do by now. */
typedef struct model_device {
    const char *name; /* NULL: that of SHOAL_TEST_DEVICE, PoCL unless it is set */
    shoal_precision precision;
    bool models, sites, formulas, periodic;
    bool thorough; /* every combination; programs that are compiled for each take too long */
} model_device;

static const model_device devices[] = {
    {"ref", SHOAL_PRECISION_DOUBLE, true, true, true, true, true},
    {"cpu", SHOAL_PRECISION_DOUBLE, true, true, true, true, true},
    {"cpu", SHOAL_PRECISION_FLOAT, true, true, true, true, true},
    {NULL, SHOAL_PRECISION_DOUBLE, true, true, true, true, false},
    {NULL, SHOAL_PRECISION_FLOAT, true, true, true, true, false},
};
enum { N_DEVICES = sizeof devices / sizeof devices[0] };

static const uint32_t pairs_only = ~(1u << SHOAL_TERM_VDW | 1u << SHOAL_TERM_COULOMB);

/* Programs are compiled for every case: in double for every third form and for formulas, unless there is time for all. */
static bool can(const model_device *d, const model_case *c)
{
    const bool compiled = !d->name && d->precision == SHOAL_PRECISION_DOUBLE && !check_thorough();
    const bool wanted = !compiled || c->formula || c->form % 3 == 0;
    return wanted && d->models && (!c->sites || d->sites) && (!c->formula || d->formulas);
}

static void say(const model_device *d, const model_case *c, const char *what, double error)
{
    (void)printf("%s %s, %s: %s, hbond %d, coulomb %d%s%s: %g\n", d->name ? d->name : "device",
                 d->precision == SHOAL_PRECISION_FLOAT ? "float" : "double", what,
                 c->formula ? c->formula : shoal_pair_form_name(c->form), c->hbond, c->coulomb,
                 c->damped ? ", damped" : "", c->sites ? ", sites" : "", error);
}

static void check_small(const model_device *d, const model_case *c, const char *what, double error,
                        double most)
{
    if (!(error <= most)) say(d, c, what, error);
    CHECK(error <= most);
}

static double size_of(const outcome *o)
{
    double size = 1e-3;
    for (int t = 0; t < SHOAL_N_TERMS; ++t) size += fabs(o->r.terms[t]);
    return size;
}

/* Energies and forces against those of ref. */
static void against_ref(const model_device *d, const model_case *c, const outcome *got,
                        const outcome *want, int32_t n_atoms, bool periodic)
{
    const bool is_float = d->precision == SHOAL_PRECISION_FLOAT;
    double energy = fabs(got->r.energy - want->r.energy), force = 0;
    for (int t = 0; t < SHOAL_N_TERMS; ++t)
        energy = fmax(energy, fabs(got->r.terms[t] - want->r.terms[t]));
    for (int32_t i = 0; i < n_atoms; ++i)
        for (int k = 0; k < 3; ++k)
            force = fmax(force, fabs(got->forces[i][k] - want->forces[i][k]));
    /* In float, terms are what is left of attraction and repulsion, or of the charges of crystals and of a thousand atoms,
     * which are much larger. */
    const double most = !is_float ? 1e-9 : !periodic && n_atoms < 100 ? 2e-5 : 5e-5;
    check_small(d, c, "energy", energy / size_of(want), most);
    check_small(d, c, "force", force / fmax(want->r.fmax, 0.1), is_float ? 1e-4 : 1e-9);
    double strain = 0, largest = 1;
    for (int k = 0; k < 6 && periodic; ++k) {
        const double x = want->r.stress[k] * want->r.measure;
        const double off = fabs(got->r.stress[k] * got->r.measure - x);
        largest = fmax(largest, fabs(x));
        if (!(off <= strain)) strain = off;
    }
    check_small(d, c, "strain", strain / largest, is_float ? 1e-4 : 1e-9);
}

/* The slope of the energy along one direction, and the sum of forces. Floats are compared with ref instead. */
static void check_differences(const model_device *d, const model_case *c, const outcome at[3],
                              int32_t n_atoms, double h)
{
    double net[3] = {0};
    if (d->precision == SHOAL_PRECISION_FLOAT) return;
    const double slope = (at[1].r.energy - at[2].r.energy) / (2 * h);
    const double size = fmax(at[0].r.fmax * sqrt((double)n_atoms), 1);
    check_small(d, c, "differences", fabs(slope + model_work(&at[0], n_atoms)) / size, 2e-6);
    for (int32_t i = 0; i < n_atoms; ++i)
        for (int k = 0; k < 3; ++k) net[k] += at[0].forces[i][k];
    for (int k = 0; k < 3; ++k)
        check_small(d, c, "net force", fabs(net[k]) / fmax(at[0].r.fmax, 1), 1e-9);
}

/* One molecule and one model on all devices. */
static void check_model(shoal_molecule *mol, const model_case *c, bool periodic, bool thorough)
{
    static set s;
    outcome want[3], got[3];
    const double h = 1e-5;
    shoal_engine_options o = {
        .device = "ref", .mixing = SHOAL_MIXING_ARITHMETIC, .terms_off = pairs_only};
    if (periodic) o.vdw_cutoff = 7.0;
    s.n = 0;
    model_add(&s, mol, c, h);
    run_set(&s, NULL, 3, &(run_options){.engine = o}, want);
    for (int k = 0; k < 3; ++k) CHECK(want[k].r.status == SHOAL_SYSTEM_OK);
    check_differences(&devices[0], c, want, s.systems[0].n_atoms, h);
    if (periodic)
        check_small(&devices[0], c, "strain", strain_off(&s.systems[0], &want[0], o), 1e-6);
    for (int k = 1; k < N_DEVICES; ++k) {
        const model_device *d = &devices[k];
        const char *named = getenv("SHOAL_TEST_DEVICE");
        if (!can(d, c) || (thorough && !d->thorough) || (periodic && !d->periodic)) continue;
        o.device = d->name ? d->name : named ? named : "opencl:cpu";
        o.precision = d->precision;
        if (shoal_device_check(o.device) != SHOAL_OK) continue;
        run_set(&s, NULL, 3, &(run_options){.engine = o}, got);
        CHECK(got[0].r.status == SHOAL_SYSTEM_OK);
        against_ref(d, c, &got[0], &want[0], s.systems[0].n_atoms, periodic);
        check_differences(d, c, got, s.systems[0].n_atoms, h);
        outcomes_free(got, 3);
    }
    outcomes_free(want, 3);
    set_free(&s);
}

/* Every combination. */
static void test_all(void)
{
    shoal_molecule *mol = model_cluster();
    for (int n = 0; n < MODEL_FORMS * MODEL_HBONDS * MODEL_COULOMBS * 4; ++n) {
        const model_case c = {.form = n / 4 % MODEL_FORMS,
                              .hbond = n / 4 / MODEL_FORMS % MODEL_HBONDS,
                              .coulomb = n / 4 / MODEL_FORMS / MODEL_HBONDS,
                              .damped = n % 2,
                              .sites = n / 2 % 2};
        if (model_is_sound(&c)) check_model(mol, &c, false, true);
    }
    shoal_molecule_destroy(mol);
}

/* Every form, every kind of hydrogen bonds, every Coulomb form, with and without damping and sites, though not every
 * combination of them; then formulas. */
enum { N_SAMPLES = MODEL_FORMS + 5 };
static model_case sample_case(int k)
{
    if (k == MODEL_FORMS + 4) return (model_case){.formula = MODEL_FORMULA_COLUMNS};
    if (k >= MODEL_FORMS + 2)
        return (model_case){.formula = k % 2 ? MODEL_FORMULA_NEUTRAL : MODEL_FORMULA};
    if (k >= MODEL_FORMS) /* the kinds of Coulomb that the row below has no sites with */
        return (model_case){.form = k == MODEL_FORMS ? SHOAL_FORM_EXP6 : SHOAL_FORM_LJ8,
                            .hbond = SHOAL_HBOND_BOTH,
                            .coulomb =
                                k == MODEL_FORMS ? SHOAL_COULOMB_SMOOTH : SHOAL_COULOMB_DAMPED,
                            .damped = k == MODEL_FORMS,
                            .sites = true};
    return (model_case){.form = k,
                        .hbond = k % MODEL_HBONDS,
                        .coulomb = (k + k / MODEL_COULOMBS) % MODEL_COULOMBS,
                        .damped = k % 2 && model_has_u6(k),
                        .sites = k % 3 != 0};
}

static void test_samples(shoal_molecule *mol, int n_periodic, int first, int step)
{
    for (int k = first; k < N_SAMPLES; k += step) {
        const model_case c = sample_case(k);
        if (n_periodic > 0 && c.formula && strstr(c.formula, "Q")) continue; /* refused */
        check_model(mol, &c, n_periodic > 0, false);
    }
    shoal_molecule_destroy(mol);
}

/* Bent Coulomb forms must have something to bend, hydrogen bonds something to strengthen. */
static void test_cases_matter(void)
{
    static set s;
    outcome out[4];
    const shoal_engine_options o = {.device = "ref", .terms_off = pairs_only};
    shoal_molecule *mol = model_cluster();
    model_case c = {.form = SHOAL_FORM_MORSE, .sites = true};
    for (int k = 0; k < 4; ++k) {
        c.coulomb = k < 3 ? k : 0;
        c.hbond = k < 3 ? SHOAL_HBOND_REPULSION : SHOAL_HBOND_ATTRACTION;
        model_add(&s, mol, &c, 0);
    }
    run_set(&s, NULL, 4, &(run_options){.engine = o}, out);
    for (int k = 1; k < 4; ++k) CHECK(fabs(out[k].r.energy - out[k - 1].r.energy) > 1e-3);
    CHECK(out[2].r.terms[SHOAL_TERM_VDW] == out[0].r.terms[SHOAL_TERM_VDW]);
    outcomes_free(out, 4);
    set_free(&s);
    shoal_molecule_destroy(mol);
}

/* Systems with unlike models in one batch are what they are alone, to the last bit; compiled in float, unless there is time
 * for all. */
static void test_together(void)
{
    static set s;
    outcome all[N_SAMPLES], alone;
    for (int k = 0; k < N_DEVICES; ++k) {
        const model_device *d = &devices[k];
        const char *named = getenv("SHOAL_TEST_DEVICE");
        const shoal_engine_options o = {.device = d->name ? d->name
                                                  : named ? named
                                                          : "opencl:cpu",
                                        .precision = d->precision};
        const bool compiled = !d->name && d->precision == SHOAL_PRECISION_DOUBLE;
        if (!d->models || (compiled && !check_thorough())) continue;
        if (shoal_device_check(o.device) != SHOAL_OK) continue;
        shoal_molecule *mol = model_cluster();
        s.n = 0;
        for (int n = 0; n < N_SAMPLES; ++n) {
            const model_case c = sample_case(n);
            if (can(d, &c)) model_add(&s, mol, &c, 0);
        }
        run_set(&s, NULL, s.n, &(run_options){.engine = o}, all);
        for (int32_t n = 0; n < s.n; ++n) {
            run_set(&s, &n, 1, &(run_options){.engine = o}, &alone);
            CHECK(alone.r.status == SHOAL_SYSTEM_OK);
            CHECK(outcome_same(&alone, &all[n], s.systems[n].n_atoms));
            outcomes_free(&alone, 1);
        }
        outcomes_free(all, s.n);
        set_free(&s);
        shoal_molecule_destroy(mol);
    }
}

int main(void)
{
    test_cases_matter();
    test_all();
    test_samples(model_cluster(), 0, 0, 1);
    test_samples(model_waters(360, 8), 0, 0, 3);
    test_samples(model_crystal(1), 1, 1, 4);
    test_samples(model_crystal(2), 2, 2, 4);
    test_samples(model_crystal(3), 3, 0, 1);
    test_together();
    return check_done();
}
