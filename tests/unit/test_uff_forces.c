/* SPDX-License-Identifier: BSD-3-Clause
 * Whole molecules through the public interface, on the reference backend: energies of RDKit, forces
 * against differences of the energy, no net force and no torque. */
#include "uff_fixture.h"

/* Energy with atom i moved by h along an axis, from the same terms. */
static double displaced(const uff *u, shoal_molecule *mol, int32_t i, int axis, double h)
{
    const double x = mol->pos[i][axis];
    uff_run run;
    mol->pos[i][axis] = x + h;
    uff_run_make(&run, u, mol);
    mol->pos[i][axis] = x;
    const double energy = run.result.energy;
    uff_run_free(&run);
    return energy;
}

/* Central differences of fourth order; their own error is below 1e-9 of the largest force. */
static double force_error(const uff *u, shoal_molecule *mol, const shoal_result *r)
{
    const double h = 1e-3;
    double worst = 0, largest = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            const double near = displaced(u, mol, i, axis, h) - displaced(u, mol, i, axis, -h);
            const double far =
                displaced(u, mol, i, axis, 2 * h) - displaced(u, mol, i, axis, -2 * h);
            const double wanted = -(8 * near - far) / (12 * h);
            const double error = fabs(wanted - r->forces[i][axis]);
            if (!(error <= worst)) worst = error;
            largest = fmax(largest, fabs(r->forces[i][axis]));
        }
    return worst / largest;
}

static void check_balance(const shoal_molecule *mol, const shoal_result *r)
{
    double force[3] = {0}, torque[3] = {0};
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        for (int c = 0; c < 3; ++c) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            force[c] += r->forces[i][c];
            torque[c] += mol->pos[i][d] * r->forces[i][e] - mol->pos[i][e] * r->forces[i][d];
        }
    for (int c = 0; c < 3; ++c) {
        CHECK_NEAR(force[c] / r->fmax, 0, 1e-12);
        CHECK_NEAR(torque[c] / r->fmax, 0, 1e-11);
    }
}

static void check_sums(const shoal_molecule *mol, const shoal_result *r)
{
    double sum = 0, largest = 0;
    for (int t = 0; t < SHOAL_N_TERMS; ++t) sum += r->terms[t];
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const double *f = r->forces[i];
        largest = fmax(largest, sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
    }
    CHECK_NEAR(sum, r->energy, 1e-12 * fabs(r->energy));
    CHECK_NEAR(r->fmax, largest, 1e-12 * largest);
}

/* All molecules of the table up to a size have right forces, and RDKit's energy where it has one. */
static void test_table(int32_t most_atoms)
{
    fixture f;
    int32_t n = 0, n_compared = 0;
    fixture_open_file(&f, SHOAL_TEST_DATA "/types.sdf");
    while (fixture_next(&f) == SHOAL_OK && f.found) {
        const int before = check_failures;
        const char *kcal = shoal_molecule_property(f.mol, "rdkit_kcal");
        uff u;
        uff_run run;
        uff_make_typed(&u, f.mol, NULL);
        uff_run_make(&run, &u, f.mol);
        CHECK(run.result.status == SHOAL_SYSTEM_OK);
        if (kcal) {
            const double want = KCAL * atof(kcal);
            CHECK_NEAR(run.result.energy, want, 1e-10 * fmax(fabs(want), KCAL));
            ++n_compared;
        }
        check_sums(f.mol, &run.result);
        check_balance(f.mol, &run.result);
        if (f.mol->n_atoms <= most_atoms) {
            CHECK_NEAR(force_error(&u, f.mol, &run.result), 0, 1e-8);
            ++n;
        }
        uff_run_free(&run);
        uff_free(&u);
        if (check_failures > before) (void)printf("in %s\n", shoal_molecule_name(f.mol));
    }
    fixture_close(&f);
    CHECK(n_compared == 81);
    CHECK(n >= 60);
}

/* With charges and in the other dialects. */
static void test_variants(const char *name)
{
    for (int d = 0; d < 3; ++d) {
        shoal_molecule *mol = uff_case(name);
        for (int32_t i = 0; i < mol->n_atoms; ++i)
            CHECK(shoal_molecule_set_charge(mol, i, i % 2 ? 0.3 : -0.25) == SHOAL_OK);
        const shoal_typing_options options = {.dialect = (shoal_dialect)d};
        uff u;
        uff_run run;
        uff_make_typed(&u, mol, &options);
        uff_run_make(&run, &u, mol);
        CHECK(run.result.terms[SHOAL_TERM_COULOMB] != 0);
        CHECK_NEAR(force_error(&u, mol, &run.result), 0, 1e-8);
        uff_run_free(&run);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

int main(void)
{
    test_table(16);
    test_variants("methyl_acetate");
    test_variants("formamide");
    test_variants("trimethylphosphine");
    return check_done();
}
