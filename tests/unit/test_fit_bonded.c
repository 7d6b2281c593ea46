/* SPDX-License-Identifier: BSD-3-Clause
 * Fits of bonded parameters: slopes against differences, known parameters found again, energies of the engine, relaxed
 * geometries. */
#include "check.h"
#include "shoal/fit_bonded.h"
#include "shoal/shoal.h"

enum { N_FRAMES = 12, N_ATOMS = 9 };

/* Ethanol; its hydroxyl group is turned, and all atoms are moved a little. */
static const double ethanol[N_ATOMS][3] = {
    {-0.75, 0.01, 0.03},  {0.65, 0.62, -0.01},   {1.61, -0.43, 0.02},
    {-0.88, -0.62, 0.92}, {-0.88, -0.62, -0.86}, {-1.52, 0.80, 0.02},
    {0.77, 1.28, 0.87},   {0.77, 1.23, -0.92},   {2.49, -0.03, 0.10}};
static const char *const symbols[N_ATOMS] = {"C", "C", "O", "H", "H", "H", "H", "H", "H"};

/* Turns atom 8 about the bond from 1 to 2. */
static void turn(double angle, double pos[N_ATOMS][3])
{
    double k[3], v[3], x[3], length = 0.0, along = 0.0;
    memcpy(pos, ethanol, sizeof ethanol);
    for (int c = 0; c < 3; ++c) {
        k[c] = ethanol[2][c] - ethanol[1][c];
        v[c] = ethanol[8][c] - ethanol[2][c];
        length += k[c] * k[c];
    }
    for (int c = 0; c < 3; ++c) along += (k[c] /= sqrt(length)) * v[c];
    for (int c = 0; c < 3; ++c)
        x[c] = k[(c + 1) % 3] * v[(c + 2) % 3] - k[(c + 2) % 3] * v[(c + 1) % 3];
    for (int c = 0; c < 3; ++c)
        pos[8][c] = ethanol[2][c] + v[c] * cos(angle) + x[c] * sin(angle) +
                    k[c] * along * (1.0 - cos(angle));
}

static double wobble(int frame, int at)
{
    return 0.03 * sin(1.7 * frame + 2.9 * at);
}

/* Frames with these energies and, unless NULL, forces. */
static void write_frames(char *text, size_t size, const double *energy,
                         double (*forces)[N_ATOMS][3])
{
    size_t used = 0;
    for (int f = 0; f < N_FRAMES; ++f) {
        double pos[N_ATOMS][3];
        turn(2.0 * acos(-1.0) * f / N_FRAMES, pos);
        used += (size_t)snprintf(text + used, size - used,
                                 "%d\nProperties=species:S:1:pos:R:3%s energy=%.15g\n", N_ATOMS,
                                 forces ? ":forces:R:3" : "", energy[f]);
        for (int i = 0; i < N_ATOMS; ++i) {
            used += (size_t)snprintf(text + used, size - used, "%s %.15g %.15g %.15g", symbols[i],
                                     pos[i][0] + wobble(f, 3 * i), pos[i][1] + wobble(f, 3 * i + 1),
                                     pos[i][2] + wobble(f, 3 * i + 2));
            for (int c = 0; c < 3 && forces; ++c)
                used += (size_t)snprintf(text + used, size - used, " %.15g", forces[f][i][c]);
            used += (size_t)snprintf(text + used, size - used, "\n");
        }
    }
}

static shoal_bonded_fit *make_fit(const shoal_bonded_options *o, const char *text)
{
    shoal_bonded_fit *fit = NULL;
    CHECK(shoal_bonded_fit_create(&fit, o) == SHOAL_OK);
    CHECK(shoal_bonded_fit_add_memory(fit, text, strlen(text), "frames") == SHOAL_OK);
    return fit;
}

/* Energies and forces of the frames in a force field with this table, or none. */
static void compute(const char *text, const char *rows, double *energy,
                    double (*forces)[N_ATOMS][3])
{
    shoal_typing_options typing = {0};
    shoal_ff_table *table = NULL;
    shoal_reader *reader;
    shoal_molecule *mol;
    if (rows) CHECK(shoal_ff_table_read_memory(&table, rows, strlen(rows), "rows") == SHOAL_OK);
    typing.table = table;
    CHECK(shoal_reader_open_memory(&reader, text, strlen(text), "frames", SHOAL_FORMAT_XYZ) ==
          SHOAL_OK);
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int f = 0; f < N_FRAMES; ++f) {
        shoal_topology *t;
        shoal_batch *batch;
        shoal_engine *engine;
        shoal_result r;
        bool found;
        CHECK(shoal_reader_next(reader, mol, &found) == SHOAL_OK && found);
        CHECK(shoal_topology_create(&t, mol, &typing) == SHOAL_OK);
        const shoal_system system = {.topology = t, .pos = shoal_molecule_positions(mol)};
        CHECK(shoal_batch_create(&batch) == SHOAL_OK);
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
        CHECK(shoal_engine_create(&engine, batch, &(shoal_engine_options){.device = "ref"}) ==
              SHOAL_OK);
        CHECK(shoal_engine_eval(engine) == SHOAL_OK);
        CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
        energy[f] = r.energy;
        if (forces) memcpy(forces[f], r.forces, sizeof forces[f]);
        shoal_engine_destroy(engine);
        shoal_batch_destroy(batch);
        shoal_topology_destroy(t);
    }
    shoal_molecule_destroy(mol);
    shoal_reader_destroy(reader);
    shoal_ff_table_destroy(table);
}

static void check_slopes(shoal_bonded_fit *fit, double h, double tolerance)
{
    int32_t n;
    double j, gradient[64], scale = 0.0;
    CHECK(shoal_bonded_fit_parameters(fit, &n) == SHOAL_OK && n > 0 && n <= 64);
    for (int32_t k = 0; k < n; ++k) { /* away from where slopes are small */
        shoal_bonded_parameter p;
        CHECK(shoal_bonded_fit_parameter(fit, k, &p) == SHOAL_OK);
        CHECK(shoal_bonded_fit_set_value(fit, k, p.value + 0.3 * p.width * sin(k + 1.0)) ==
              SHOAL_OK);
    }
    CHECK(shoal_bonded_fit_objective(fit, &j, gradient) == SHOAL_OK);
    for (int32_t k = 0; k < n; ++k) scale = fmax(scale, fabs(gradient[k]));
    for (int32_t k = 0; k < n; ++k) {
        shoal_bonded_parameter p;
        double more, less;
        CHECK(shoal_bonded_fit_parameter(fit, k, &p) == SHOAL_OK);
        const double d = h * p.width;
        CHECK(shoal_bonded_fit_set_value(fit, k, p.value + d) == SHOAL_OK);
        CHECK(shoal_bonded_fit_objective(fit, &more, NULL) == SHOAL_OK);
        CHECK(shoal_bonded_fit_set_value(fit, k, p.value - d) == SHOAL_OK);
        CHECK(shoal_bonded_fit_objective(fit, &less, NULL) == SHOAL_OK);
        CHECK(shoal_bonded_fit_set_value(fit, k, p.value) == SHOAL_OK);
        CHECK_NEAR(gradient[k], (more - less) / (2.0 * d), tolerance * scale);
    }
    (void)printf("slopes of %d parameters\n", (int)n);
}

static char text[40000];
static double energy[N_FRAMES], forces[N_FRAMES][N_ATOMS][3];

static void check_all_slopes(void)
{
    const uint32_t all = 1u << SHOAL_TERM_BOND | 1u << SHOAL_TERM_ANGLE | 1u << SHOAL_TERM_TORSION;
    for (int by_bond = 0; by_bond < 2; ++by_bond) {
        const shoal_bonded_options o = {.terms = all, .force_weight = 0.7, .by_bond = by_bond};
        shoal_bonded_fit *fit = make_fit(&o, text);
        check_slopes(fit, 1e-3, 1e-6);
        shoal_bonded_fit_destroy(fit);
    }
}

/* A soft restraint gives way, so that energies depend on how geometries answer. */
static void check_relaxed_slopes(void)
{
    const int32_t held[1][4] = {{0, 1, 2, 8}};
    for (int soft = 0; soft < 2; ++soft) {
        const shoal_bonded_options o = {.held = held,
                                        .n_held = 1,
                                        .held_k = soft ? 0.3 : 0.0,
                                        .by_bond = true,
                                        .terms = 1u << SHOAL_TERM_TORSION | 1u << SHOAL_TERM_ANGLE};
        shoal_bonded_fit *fit = make_fit(&o, text);
        check_slopes(fit, 2e-2, 2e-3);
        shoal_bonded_fit_destroy(fit);
    }
}

/* Energies of a table that is known are met by another one, which gives the same energies in the engine. */
static void check_found_again(bool by_bond)
{
    const char *rows = "periodic C_3 C_3 O_3 H_ 0.06 1 0\nperiodic C_3 C_3 O_3 H_ 0.03 3 0\n"
                       "periodic H_ C_3 O_3 H_ 0.02 2 3.14159265358979\nbond C_3 O_3 40 1.45 1\n";
    double wanted[N_FRAMES], got[N_FRAMES], shift = 0.0;
    static double pull[N_FRAMES][N_ATOMS][3];
    static char known[40000];
    shoal_bonded_result r;
    shoal_string *table;
    compute(text, rows, wanted, pull);
    write_frames(known, sizeof known, wanted, pull);
    const shoal_bonded_options o = {.terms = 1u << SHOAL_TERM_TORSION | 1u << SHOAL_TERM_BOND,
                                    .by_bond = by_bond,
                                    .force_weight = 1.0,
                                    .freedom = 1e4,
                                    .max_steps = 200};
    shoal_bonded_fit *fit = make_fit(&o, known);
    CHECK(shoal_bonded_fit_run(fit, &r) == SHOAL_OK);
    CHECK(r.converged && r.n_geometries == N_FRAMES && r.n_molecules == 1);
    CHECK(r.rmse < 1e-5 && r.rmse_before > 0.01);
    CHECK(r.force_rmse < 1e-5 && r.force_rmse_before > 0.01);
    CHECK(shoal_string_create(&table) == SHOAL_OK);
    CHECK(shoal_bonded_fit_table(fit, table) == SHOAL_OK);
    compute(text, shoal_string_data(table), got, forces);
    for (int f = 0; f < N_FRAMES; ++f) shift += (got[f] - wanted[f]) / N_FRAMES;
    for (int f = 0; f < N_FRAMES; ++f) CHECK_NEAR(got[f] - shift, wanted[f], 1e-4);
    shoal_string_destroy(table);
    shoal_bonded_fit_destroy(fit);
}

/* The pull keeps a torsion that the data say nothing about. */
static void check_pull(void)
{
    const int32_t bond[1][2] = {{0, 1}};
    const shoal_bonded_options o = {.bonds = bond, .n_bonds = 1, .by_bond = true, .freedom = 1e-4};
    shoal_bonded_fit *fit = make_fit(&o, text);
    shoal_bonded_result r;
    shoal_bonded_parameter p;
    CHECK(shoal_bonded_fit_run(fit, &r) == SHOAL_OK);
    for (int32_t k = 0; k < r.n_parameters; ++k) {
        CHECK(shoal_bonded_fit_parameter(fit, k, &p) == SHOAL_OK);
        CHECK(strncmp(p.name, "0:0-1 ", 6) == 0);
        CHECK_NEAR(p.value, p.start, 1e-3);
    }
    shoal_bonded_fit_destroy(fit);
}

/* Names, numbers of terms, starts and widths of parameters: by types, about one bond or all of them. */
static void check_parameters(void)
{
    const uint32_t all = 1u << SHOAL_TERM_BOND | 1u << SHOAL_TERM_ANGLE | 1u << SHOAL_TERM_TORSION;
    const int32_t bond[1][2] = {{2, 1}};
    static const struct {
        const char *name;
        int32_t n_terms;
    } wanted[] = {{"C_3 C_3 O_3 H_ cos 1phi", 1},
                  {"H_ C_3 C_3 H_ cos 3phi", 6},
                  {"H_ C_3 C_3 O_3 cos 3phi", 3},
                  {"H_ C_3 O_3 H_ cos 4phi", 2},
                  {"C_3 H_ k", 5},
                  {"C_3 H_ r0", 5},
                  {"C_3 O_3 r0", 1},
                  {"H_ O_3 k", 1},
                  {"H_ C_3 H_ k", 4}};
    for (int freedom = 1; freedom < 4; freedom += 2) {
        const shoal_bonded_options o = {.terms = all, .freedom = freedom};
        shoal_bonded_fit *fit = make_fit(&o, text);
        int32_t n;
        CHECK(shoal_bonded_fit_parameters(fit, &n) == SHOAL_OK);
        int n_found = 0;
        for (int32_t k = 0; k < n; ++k) {
            shoal_bonded_parameter q;
            CHECK(shoal_bonded_fit_parameter(fit, k, &q) == SHOAL_OK);
            const char *last = strrchr(q.name, ' ') + 1;
            const double width = strstr(q.name, " cos ")   ? 0.05
                                 : strcmp(last, "k") == 0  ? 0.2 * q.start
                                 : strcmp(last, "r0") == 0 ? 0.02
                                                           : 0.05;
            CHECK_NEAR(q.width, freedom * width, 1e-12);
            CHECK(q.value == q.start);
            for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; ++w) {
                if (strcmp(q.name, wanted[w].name) != 0) continue;
                CHECK(q.n_terms == wanted[w].n_terms);
                ++n_found;
            }
            /* UFF: natural length of C_3 and H_, 0.757 and 0.354 A, less the correction for electronegativity. */
            if (strcmp(q.name, "C_3 H_ r0") == 0) CHECK_NEAR(q.start, 1.1094, 2e-4);
        }
        CHECK(n_found == (int)(sizeof wanted / sizeof wanted[0]));
        shoal_bonded_fit_destroy(fit);
    }
    /* Of two kinds of torsions, which have three minima in UFF: those periods and that one; 0 means four. */
    static const int32_t n_of[7] = {8, 4, 6, 6, 8, 10, 12};
    for (int by_bond = 0; by_bond < 2; ++by_bond)
        for (int periods = 0; periods <= 6; ++periods) {
            const shoal_bonded_options o = {
                .bonds = bond, .n_bonds = 1, .by_bond = by_bond, .periods = periods};
            shoal_bonded_fit *fit = make_fit(&o, text);
            int32_t n;
            CHECK(shoal_bonded_fit_parameters(fit, &n) == SHOAL_OK && n == n_of[periods]);
            shoal_bonded_fit_destroy(fit);
        }
}

/* J = (rmse^2 + w force_rmse^2) / 2 where nothing pulls; errors of forces are means over components; units are of both. */
static void check_objective(void)
{
    static char off[40000];
    static double pull[N_FRAMES][N_ATOMS][3];
    double plain[N_FRAMES], mean = 0, squares = 0, force_squares = 0, j;
    compute(text, NULL, plain, pull);
    for (int f = 0; f < N_FRAMES; ++f) mean += (energy[f] - plain[f]) / N_FRAMES;
    for (int f = 0; f < N_FRAMES; ++f) {
        squares += pow(energy[f] - plain[f] - mean, 2) / N_FRAMES;
        for (int k = 0; k < 3 * N_ATOMS; ++k) {
            const double d = 0.02 * cos(k + 2.0 * f);
            pull[f][k / 3][k % 3] += d;
            force_squares += d * d / (3 * N_ATOMS * N_FRAMES);
        }
    }
    for (int unit = 1; unit < 3; ++unit) {
        double in_unit[N_FRAMES];
        for (int f = 0; f < N_FRAMES; ++f) in_unit[f] = energy[f] / unit;
        for (int k = 0; k < 3 * N_ATOMS * N_FRAMES && unit == 2; ++k)
            pull[k / (3 * N_ATOMS)][k / 3 % N_ATOMS][k % 3] /= unit;
        write_frames(off, sizeof off, in_unit, pull);
        const shoal_bonded_options o = {.force_weight = 0.3, .energy_unit = unit, .max_steps = 1};
        shoal_bonded_fit *fit = make_fit(&o, off);
        shoal_bonded_result r;
        CHECK(shoal_bonded_fit_objective(fit, &j, NULL) == SHOAL_OK);
        CHECK_NEAR(j, 0.5 * squares + 0.5 * 0.3 * force_squares, 1e-9);
        CHECK(shoal_bonded_fit_run(fit, &r) == SHOAL_OK && r.steps == 1);
        CHECK_NEAR(r.rmse_before, sqrt(squares), 1e-8);
        CHECK_NEAR(r.force_rmse_before, sqrt(force_squares), 1e-8);
        shoal_bonded_fit_destroy(fit);
    }
    const shoal_bonded_options plain_fit = {.max_steps = 1};
    shoal_bonded_fit *fit = make_fit(&plain_fit, text);
    shoal_bonded_result r;
    CHECK(shoal_bonded_fit_run(fit, &r) == SHOAL_OK && isnan(r.force_rmse) &&
          isnan(r.force_rmse_before));
    shoal_bonded_fit_destroy(fit);
}

static void check_refused(void)
{
    const int32_t one[1][4] = {{0, 1, 2, 8}}, low[1][4] = {{0, 1, 2, -1}};
    const shoal_bonded_options bad[] = {
        {.freedom = -1e-9},
        {.force_weight = -1e-9},
        {.held_k = -1e-9},
        {.energy_unit = -1e-9},
        {.periods = -1},
        {.held = one, .n_held = 1, .force_weight = 1},
        {.terms = 1u << SHOAL_TERM_TORSION | 1u << SHOAL_TERM_COULOMB}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        shoal_bonded_fit *none = NULL;
        CHECK(shoal_bonded_fit_create(&none, &bad[k]) == SHOAL_E_ARGUMENT && !none);
    }
    shoal_bonded_fit *beyond = NULL;
    CHECK(shoal_bonded_fit_create(&beyond, &(shoal_bonded_options){.held = low, .n_held = 1}) ==
          SHOAL_OK);
    CHECK(shoal_bonded_fit_add_memory(beyond, text, strlen(text), "low") == SHOAL_E_ARGUMENT);
    shoal_bonded_fit_destroy(beyond);
    const int32_t next[1][4] = {{0, 1, 2, N_ATOMS}};
    CHECK(shoal_bonded_fit_create(&beyond, &(shoal_bonded_options){.held = next, .n_held = 1}) ==
          SHOAL_OK);
    CHECK(shoal_bonded_fit_add_memory(beyond, text, strlen(text), "next") == SHOAL_E_ARGUMENT);
    shoal_bonded_fit_destroy(beyond);
    shoal_bonded_fit *fit = NULL;
    const int32_t far[1][4] = {{0, 1, 2, 99}};
    CHECK(shoal_bonded_fit_create(&fit, &(shoal_bonded_options){.periods = 7}) == SHOAL_E_ARGUMENT);
    CHECK(shoal_bonded_fit_create(&fit, &(shoal_bonded_options){.terms = 1u << SHOAL_TERM_VDW}) ==
          SHOAL_E_ARGUMENT);
    CHECK(shoal_bonded_fit_create(&fit, &(shoal_bonded_options){.held = far, .n_held = 1}) ==
          SHOAL_OK);
    CHECK(shoal_bonded_fit_add_memory(fit, text, strlen(text), "far") == SHOAL_E_ARGUMENT);
    shoal_bonded_fit_destroy(fit);
    CHECK(shoal_bonded_fit_create(&fit, NULL) == SHOAL_OK);
    const char *bare = "1\n\nHe 0 0 0\n";
    CHECK(shoal_bonded_fit_add_memory(fit, bare, strlen(bare), "bare") == SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), "energy"));
    shoal_bonded_fit_destroy(fit);
}

int main(void)
{
    for (int f = 0; f < N_FRAMES; ++f)
        energy[f] = 0.1 * cos(f * 0.5236) + 0.03 * cos(3 * f * 0.5236);
    write_frames(text, sizeof text, energy, NULL);
    compute(text, NULL, energy, forces);
    for (int f = 0; f < N_FRAMES; ++f) energy[f] += 0.1 * cos(f * 0.5236) + 0.03 * cos(f * 1.1);
    write_frames(text, sizeof text, energy, forces);
    check_all_slopes();
    check_relaxed_slopes();
    check_found_again(false);
    check_found_again(true);
    check_pull();
    write_frames(text, sizeof text, energy, NULL);
    check_parameters();
    check_objective();
    check_refused();
    return check_done();
}
