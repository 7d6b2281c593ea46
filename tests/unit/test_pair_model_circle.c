/* SPDX-License-Identifier: BSD-3-Clause
 * From the fit to the engine: E(AB) - E(A) - E(B) by a pair model is the energy that the fit has for the dimer, for every
 * form, with hydrogen bonds, lambda, charged radii, sites and a formula, on every device. */
#include "pair_model_fixture.h"
#include "shoal/fit.h"

#include <float.h>

enum { MOST_FRAMES = 48, FRAME_ATOMS = 12, TEXT = 1 << 16 };

typedef struct frame {
    int32_t n, n_first, z[FRAME_ATOMS];
    double pos[FRAME_ATOMS][3], q[FRAME_ATOMS];
    char types[FRAME_ATOMS][SHOAL_TYPE_NAME_SIZE];
} frame;

static frame frames[MOST_FRAMES];
static int32_t n_frames;

/* --- dimers ------------------------------------------------------------------------------------- */

typedef struct monomer {
    const model_atom *atoms;
    int32_t n;
    const char *types[5];
} monomer;

static const monomer monomers[] = {
    {model_water, 3, {"O_3", "H_O", "H_O"}},
    {model_ammonia, 4, {"N_3", "H_N", "H_N", "H_N"}},
    {model_formaldehyde, 4, {"C_2", "O_2", "H_C2", "H_C2"}},
    {model_chloromethane, 5, {"C_3", "Cl", "H_C3", "H_C3", "H_C3"}},
};
enum { N_MONOMERS = sizeof monomers / sizeof monomers[0] };

static void put(frame *f, const monomer *m, double x, int turns)
{
    for (int32_t i = 0; i < m->n; ++i, ++f->n) {
        f->z[f->n] = m->atoms[i].z;
        f->q[f->n] = m->atoms[i].q;
        (void)snprintf(f->types[f->n], sizeof f->types[0], "%s", m->types[i]);
        for (int c = 0; c < 3; ++c) f->pos[f->n][c] = m->atoms[i].pos[(c + turns) % 3];
        f->pos[f->n][0] += x;
    }
}

/* Every two molecules, near and not so near. */
static void make_frames(void)
{
    for (int a = 0; a < N_MONOMERS; ++a)
        for (int b = a; b < N_MONOMERS; ++b)
            for (int d = 0; d < 2; ++d) {
                frame *f = &frames[n_frames++];
                put(f, &monomers[a], 0, a);
                f->n_first = f->n;
                put(f, &monomers[b], 4.1 + 1.3 * d, a + b + 1);
            }
}

static int32_t element_of(const char *type)
{
    return type[0] == 'O' ? 8 : type[0] == 'C' ? 6 : 1;
}

/* Those that the examples fit, every tenth of them. */
static void read_frames(void)
{
    char line[256];
    FILE *in = fopen(SHOAL_TEST_DATA "/../../examples/fit/dimers.xyz", "r");
    CHECK(in != NULL);
    for (int k = 0, n; in && fgets(line, sizeof line, in) && sscanf(line, "%d", &n) == 1; ++k) {
        frame *f = &frames[n_frames];
        memset(f, 0, sizeof *f);
        CHECK(n <= FRAME_ATOMS && fgets(line, sizeof line, in) &&
              sscanf(line, "# n0 %d", &f->n_first) == 1);
        for (f->n = 0; f->n < n; ++f->n) {
            double *r = f->pos[f->n];
            CHECK(fgets(line, sizeof line, in) &&
                  sscanf(line, "%15s %lf %lf %lf %lf", f->types[f->n], &r[0], &r[1], &r[2],
                         &f->q[f->n]) == 5);
            f->z[f->n] = element_of(f->types[f->n]);
        }
        if (k % 10 == 0 && n_frames + 1 < MOST_FRAMES) ++n_frames;
    }
    if (in) (void)fclose(in);
    CHECK(n_frames > 30);
}

/* --- what the fit says -------------------------------------------------------------------------- */

static shoal_dataset *make_data(const shoal_pair_settings *s)
{
    static char text[TEXT];
    shoal_atom_types *types = NULL;
    shoal_dataset *data = NULL;
    int used = 0;
    const char *table = model_types + strlen("types\n");
    for (int32_t k = 0; k < n_frames; ++k) {
        const frame *f = &frames[k];
        used += snprintf(text + used, sizeof text - (size_t)used, "%d\n# n0 %d Etot 0 dimer%d\n",
                         f->n, f->n_first, k);
        for (int32_t i = 0; i < f->n; ++i)
            used +=
                snprintf(text + used, sizeof text - (size_t)used, "%s %.17g %.17g %.17g %.17g\n",
                         f->types[i], f->pos[i][0], f->pos[i][1], f->pos[i][2], f->q[i]);
    }
    CHECK(used < TEXT);
    CHECK(shoal_atom_types_read_memory(&types, table, strlen(table), "types") == SHOAL_OK);
    CHECK(shoal_dataset_create(&data, types) == SHOAL_OK);
    CHECK(shoal_dataset_add_memory(data, text, strlen(text), "frames", 1) == SHOAL_OK);
    if (s->n_sites > 0) CHECK(shoal_dataset_put_sites(data, s->sites, s->n_sites) == SHOAL_OK);
    shoal_atom_types_destroy(types);
    return data;
}

/* Energies of all frames, eV. */
static void fit_energies(const model_case *c, const shoal_pair_settings *s, double *energies)
{
    static double parts[MOST_FRAMES][SHOAL_N_PARTS];
    const char *dofs = c->formula ? "O_3 R 1 3 1 0 0 0 0 1.65\n"
                                  : "O_3 R 1 3 1 0 0 0 0 1.65\n* lambda 0.1 2 1 0 0 0 0 0.87\n";
    const shoal_fit_options options = {
        .model = c->formula ? c->formula : shoal_pair_form_name(c->form),
        .constants = !c->formula                 ? NULL
                     : strstr(c->formula, "+s*") ? "b=1.55 c=0.3 s=0.8"
                                                 : "b=1.55 c=0.3",
        .columns = model_has_columns(c) ? "pol w" : NULL,
        .hbond = s->hbond,
        .coulomb = s->coulomb,
        .coulomb_damping = s->coulomb_damping,
        .fit_lambda = !c->formula,
        .radius_charge = s->radius_charge,
        .dispersion_damping = s->dispersion_damping,
        .evaluator = "pairs",
        .pool = -1};
    shoal_dataset *data = make_data(s);
    shoal_fit *fit = NULL;
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &options) == SHOAL_OK);
    if (!fit) (void)printf("%s\n", shoal_error_text());
    if (fit) CHECK(shoal_fit_predict(fit, parts) == SHOAL_OK);
    for (int32_t k = 0; k < n_frames; ++k) {
        energies[k] = 0;
        for (int p = 0; p < SHOAL_N_PARTS; ++p) energies[k] += parts[k][p];
    }
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* --- what the engine says ----------------------------------------------------------------------- */

/* Atoms first .. end of a frame as a system. */
static void add_system(set *s, const frame *f, int32_t first, int32_t end,
                       const shoal_pair_model *model)
{
    set_system *sys = &s->systems[s->n++];
    shoal_molecule *mol = NULL;
    memset(sys, 0, sizeof *sys);
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    sys->n_atoms = end - first;
    sys->pos = malloc((size_t)sys->n_atoms * sizeof *sys->pos);
    memcpy(sys->pos, f->pos[first], (size_t)sys->n_atoms * sizeof *sys->pos);
    for (int32_t i = first; i < end; ++i) {
        const int32_t k = set_atom(mol, f->z[i], f->pos[i][0], f->pos[i][1], f->pos[i][2]);
        CHECK(shoal_molecule_set_charge(mol, k, f->q[i]) == SHOAL_OK);
    }
    CHECK(shoal_topology_create(&sys->topology, mol, &(shoal_typing_options){.model = model}) ==
          SHOAL_OK);
    CHECK(shoal_topology_status(sys->topology) == SHOAL_SYSTEM_OK);
    shoal_molecule_destroy(mol);
}

/* Largest difference, relative to the energy of the fit, beyond what rounding does to the three sums. */
static double compare(const set *s, const double *want, shoal_engine_options o, bool pairs)
{
    const double epsilon = o.precision == SHOAL_PRECISION_FLOAT ? FLT_EPSILON : DBL_EPSILON;
    static outcome out[SET_SYSTEMS];
    double worst = 0;
    run_set(s, NULL, s->n, &(run_options){.engine = o}, out);
    for (int32_t k = 0; 3 * k < s->n; ++k) {
        double e[3];
        for (int p = 0; p < 3; ++p) {
            const shoal_result *r = &out[3 * k + p].r;
            CHECK(r->status == SHOAL_SYSTEM_OK);
            e[p] = pairs ? r->terms[SHOAL_TERM_VDW] + r->terms[SHOAL_TERM_COULOMB] : r->energy;
        }
        const double rounding = epsilon * (fabs(e[0]) + fabs(e[1]) + fabs(e[2]));
        const double error = fabs(e[0] - e[1] - e[2] - want[k]) - rounding;
        CHECK(isfinite(error));
        worst = fmax(worst, error / (fabs(want[k]) + 1e-3));
    }
    outcomes_free(out, s->n);
    return worst;
}

static void check_device(const char *device, shoal_precision precision, const set *s,
                         const double *want, const model_case *c)
{
    const bool is_float = precision == SHOAL_PRECISION_FLOAT;
    const shoal_engine_options o = {
        .device = device, .precision = precision, .mixing = SHOAL_MIXING_ARITHMETIC};
    if (shoal_device_check(device) != SHOAL_OK) return;
    const double error = compare(s, want, o, is_float), most = is_float ? 1e-4 : 1e-9;
    if (!(error <= most))
        (void)printf("%s %s, %s: %g\n", device, is_float ? "float" : "double",
                     c->formula ? c->formula : shoal_pair_form_name(c->form), error);
    CHECK(error <= most);
}

static void test_case(const model_case *c)
{
    static set s;
    static double want[MOST_FRAMES];
    const char *named = getenv("SHOAL_TEST_DEVICE");
    shoal_pair_model *model = model_make(c);
    fit_energies(c, shoal_pair_model_settings(model), want);
    s.n = 0;
    for (int32_t k = 0; k < n_frames; ++k) {
        const frame *f = &frames[k];
        add_system(&s, f, 0, f->n, model);
        add_system(&s, f, 0, f->n_first, model);
        add_system(&s, f, f->n_first, f->n, model);
    }
    check_device("ref", SHOAL_PRECISION_DOUBLE, &s, want, c);
    check_device("cpu", SHOAL_PRECISION_DOUBLE, &s, want, c);
    check_device("cpu", SHOAL_PRECISION_FLOAT, &s, want, c);
    if (named) {
        check_device(named, SHOAL_PRECISION_DOUBLE, &s, want, c);
        check_device(named, SHOAL_PRECISION_FLOAT, &s, want, c);
    }
    set_free(&s);
    shoal_pair_model_destroy(model);
}

int main(void)
{
    make_frames();
    read_frames();
    for (int form = 0; form < MODEL_FORMS; ++form) {
        test_case(&(model_case){.form = form}); /* hydrogen bonds on the repulsion */
        test_case(&(model_case){.form = form,
                                .hbond = form % MODEL_HBONDS,
                                .coulomb = form % SHOAL_COULOMB_NONE,
                                .damped = model_has_u6(form),
                                .sites = true});
    }
    test_case(&(model_case){.form = SHOAL_FORM_LJ, .hbond = SHOAL_HBOND_NONE});
    test_case(&(model_case){.formula = MODEL_FORMULA});
    test_case(&(model_case){.formula = MODEL_FORMULA_NEUTRAL});
    test_case(&(model_case){.formula = MODEL_FORMULA_COLUMNS});
    return check_done();
}
