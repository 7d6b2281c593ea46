/* SPDX-License-Identifier: BSD-3-Clause
 * Units against the constants of the SI, which statuses have numbers, what jobs and files are estimated to hold. */
#include "shoal/units.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "shoal/io.h"
#include "shoal/md.h"
#include "shoal/stream.h"

/* Exact in the SI of 2019, but for the vacuum: CODATA 2018. */
static const double e = 1.602176634e-19, avogadro = 6.02214076e23, k_b = 1.380649e-23;
static const double eps0 = 8.8541878128e-12, pi = 3.14159265358979323846;

static void test_units(void)
{
    CHECK_NEAR(shoal_unit_value(SHOAL_UNIT_KCAL_PER_MOL), 4184 / (avogadro * e), 1e-13);
    CHECK_NEAR(shoal_unit_value(SHOAL_UNIT_BOLTZMANN), k_b / e, 1e-19);
    CHECK_NEAR(shoal_unit_value(SHOAL_UNIT_DEGREE), pi / 180, 0);
    CHECK_NEAR(shoal_unit_value(SHOAL_UNIT_COULOMB), e / (4 * pi * eps0) * 1e10, 1e-8);
    CHECK_NEAR(shoal_unit_value(SHOAL_UNIT_GIGAPASCAL), 1e9 / e * 1e-30, 1e-17);
    CHECK_NEAR(shoal_unit_value(SHOAL_UNIT_HARTREE) * shoal_unit_value(SHOAL_UNIT_BOHR),
               shoal_unit_value(SHOAL_UNIT_COULOMB), 1e-8);
    CHECK_NEAR(shoal_unit_value(SHOAL_UNIT_BOHR), 0.529177210903, 1e-12);
    CHECK(shoal_unit_value((shoal_unit)99) == 0);
}

static void test_numbers(void)
{
    static const bool has[] = {[SHOAL_SYSTEM_OK] = true,        [SHOAL_SYSTEM_CONVERGED] = true,
                               [SHOAL_SYSTEM_MAX_STEPS] = true, [SHOAL_SYSTEM_STALLED] = true,
                               [SHOAL_SYSTEM_COLLAPSED] = true, [SHOAL_SYSTEM_DIFFERS] = true,
                               [SHOAL_SYSTEM_UNSTABLE] = false};
    for (int s = 0; s <= SHOAL_SYSTEM_UNSTABLE; ++s)
        CHECK(shoal_system_has_numbers((shoal_system_status)s, 1.0) == has[s]);
    CHECK(!shoal_system_has_numbers(SHOAL_SYSTEM_DIFFERS, NAN));
    CHECK(!shoal_system_has_numbers((shoal_system_status)99, 1.0));
}

static void test_jobs(void)
{
    const shoal_relax_options few = {.max_steps = 20}, many = {.max_steps = 5000};
    const shoal_md_options long_run = {.n_steps = 70000}, usual = {0};
    CHECK(shoal_job_evaluations(SHOAL_JOB_ENERGY, NULL, NULL) == 1);
    CHECK(shoal_job_evaluations(SHOAL_JOB_RELAX, NULL, NULL) == 150);
    CHECK(shoal_job_evaluations(SHOAL_JOB_RELAX, &many, NULL) == 150);
    CHECK(shoal_job_evaluations(SHOAL_JOB_RELAX, &few, NULL) == 20);
    CHECK(shoal_job_evaluations(SHOAL_JOB_MD, NULL, &long_run) == 70000);
    CHECK(shoal_job_evaluations(SHOAL_JOB_MD, NULL, &usual) == 1000);
    CHECK(shoal_job_evaluations(SHOAL_JOB_MODES, NULL, NULL) == 500);
}

static void make_file(const char *path, off_t size)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fclose(file) == 0 && truncate(path, size) == 0);
}

static void test_atoms(void)
{
    char top[256], xyz[300], packed[300];
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(top, sizeof top, "%s/shoal-test-XXXXXX",
                   temporary && *temporary ? temporary : ".");
    CHECK(mkdtemp(top) != NULL);
    (void)snprintf(xyz, sizeof xyz, "%s/a.xyz", top);
    (void)snprintf(packed, sizeof packed, "%s/a.sdf.gz", top);
    const char *files[] = {xyz, packed, "no such file.sdf"}, *pipe[] = {xyz, "-"};
    const char *device[] = {"/dev/null"};
    make_file(xyz, 3600);
    make_file(packed, 3600);
    CHECK_NEAR(shoal_format_count_atoms(files, 1, SHOAL_FORMAT_AUTO), 80, 1e-12);
    CHECK_NEAR(shoal_format_count_atoms(files, 1, SHOAL_FORMAT_SDF), 45, 1e-12);
    CHECK_NEAR(shoal_format_count_atoms(files, 3, SHOAL_FORMAT_AUTO), 80 + 225, 1e-12);
    CHECK(isinf(shoal_format_count_atoms(pipe, 2, SHOAL_FORMAT_AUTO)));
    CHECK(isinf(shoal_format_count_atoms(device, 1, SHOAL_FORMAT_AUTO)));
    CHECK(shoal_format_count_atoms(NULL, 3, SHOAL_FORMAT_AUTO) == 0);
    (void)unlink(xyz);
    (void)unlink(packed);
    CHECK(rmdir(top) == 0);
}

int main(void)
{
    test_units();
    test_numbers();
    test_jobs();
    test_atoms();
    return check_done();
}
