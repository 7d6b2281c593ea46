/* SPDX-License-Identifier: BSD-3-Clause
 * Input of fits: frames, DOFs and weights, and what is said about mistakes in them. */
#include <unistd.h>

#include "fit/objective.h"
#include "fit_fixture.h"

static shoal_dataset *empty(void)
{
    shoal_atom_types *types = NULL;
    shoal_dataset *data = NULL;
    CHECK(shoal_atom_types_read_memory(&types, fixture_types, strlen(fixture_types), "types") ==
          SHOAL_OK);
    CHECK(shoal_dataset_create(&data, types) == SHOAL_OK);
    shoal_atom_types_destroy(types);
    return data;
}

static shoal_status add(shoal_dataset *data, const char *text)
{
    return shoal_dataset_add_memory(data, text, strlen(text), "frames", 1.0);
}

static void test_frames(void)
{
    shoal_dataset *data = empty();
    shoal_sample_info s;
    CHECK(add(data, "2\n# n0 1 Etot -0.25 x0 0.9 z 30 grp OH-O split train w:1\n"
                    "O_3 0 0 0 -0.5\nH_O 0 0 2\n\n"
                    "3\n# n0 2 E_tot 1e-2 Elst 1 Exch 2 Ind 3 Disp 4 other\n"
                    "O_3 0 0 0\nE_O3 0.5 0 0 -0.1 0\nH_O 0 0 2 0.1 -1\n") == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    CHECK(shoal_dataset_samples(data) == 2 && shoal_dataset_dimers(data) == 2);
    CHECK(shoal_dataset_pairs(data) == 3);
    CHECK(shoal_dataset_sample(data, 0, &s) == SHOAL_OK);
    CHECK_TEXT(s.name, "w:1");
    CHECK_TEXT(s.group, "OH-O");
    CHECK(s.x0 == 0.9 && s.angle == 30.0 && s.reference == -0.25 && s.n_first == 1);
    CHECK(shoal_dataset_sample(data, 1, &s) == SHOAL_OK);
    CHECK(isnan(s.x0) && s.reference == 0.01);
    CHECK(data->samples[1].sapt[SAPT_DISP] == 4.0);
    CHECK(data->has_sites && data->host[3] == 0 && data->dir[3][0] == 1.0);
    CHECK(data->charge[0] == -0.5 && data->charge[1] == 0.0);
    /* a set of the same weight counts as much with one frame as with two */
    CHECK(add(data, "2\n# n0 1 Etot 0 x\nO_3 0 0 0\nH_O 0 0 2\n") == SHOAL_OK);
    CHECK(dataset_weight(data, 2) == dataset_weight(data, 0) + dataset_weight(data, 1));
    shoal_dataset_destroy(data);
}

/* Frames without a name are points of one curve until x0 falls; the same place twice is no new curve, a set is. */
static void test_curves(void)
{
    static const double x0[] = {1, 1, 2, 1.5, 3, 3};
    static const int32_t dimer[] = {0, 0, 0, 1, 1, 1};
    shoal_dataset *data = empty();
    char text[1000] = "";
    for (int k = 0; k < 6; ++k)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text),
                       "2\n# n0 1 Etot 0 x0 %g\nO_3 0 0 0\nH_O 0 0 2\n", x0[k]);
    CHECK(add(data, text) == SHOAL_OK && shoal_dataset_dimers(data) == 2);
    for (int32_t k = 0; k < 6; ++k) CHECK(data->samples[k].dimer == dimer[k]);
    CHECK(add(data, "2\n# n0 1 Etot 0 x0 4\nO_3 0 0 0\nH_O 0 0 7\n") == SHOAL_OK);
    CHECK(shoal_dataset_dimers(data) == 3);
    shoal_dataset_destroy(data);
}

static void refuse(const char *text, const char *why)
{
    shoal_dataset *data = empty();
    CHECK(add(data, text) == SHOAL_E_FORMAT);
    CHECK_TEXT(shoal_error_text(), why);
    CHECK(shoal_dataset_sets(data) == 0 && shoal_dataset_samples(data) == 0);
    shoal_dataset_destroy(data);
}

static void test_bad_frames(void)
{
    refuse("", "frames:0: no frames (''), expected frames of two fragments");
    refuse("2\n# n0 1 E 3\nO_3 0 0 0\nH_O 0 0 2\n",
           "frames:2: no Etot ('# n0 1 E 3'), expected Etot and the interaction energy in eV");
    refuse("2\n# Etot 3\nO_3 0 0 0\nH_O 0 0 2\n",
           "frames:2: no n0 ('# Etot 3'), expected n0 and the atoms of the first fragment");
    refuse("2\n# n0 2 Etot 3\nO_3 0 0 0\nH_O 0 0 2\n",
           "frames:2: bad n0 ('# n0 2 Etot 3'), expected at least 1 and fewer than the 2 atoms of "
           "the frame, found 2");
    refuse("2\n# n0 1 Etot x\nO_3 0 0 0\nH_O 0 0 2\n",
           "frames:2: bad number ('x'), expected a finite number behind Etot");
    refuse("2\n# n0 1 Etot 0\nO_3 0 0 0\nXx 0 0 2\n",
           "frames:4: unknown type ('Xx'), expected a name of the table of atom types");
    refuse("2\n# n0 1 Etot 0\nO_3 0 0\nH_O 0 0 2\n",
           "frames:3: bad coordinate (''), expected z, a finite number in angstrom");
    refuse("2\n# n0 1 Etot 0\nO_3 0 0 0 q\nH_O 0 0 2\n",
           "frames:3: bad charge ('q'), expected a finite number in e");
    refuse("2\n# n0 1 Etot 0\nO_3 0 0 0 1 0\nH_O 0 0 2\n",
           "frames:4: bad host (''), expected atom 0 of the frame to have an atom of its fragment "
           "as host, not 0");
    refuse("two\n", "frames:1: bad number of atoms ('two'), expected a whole number from 2 to "
                    "1000000, alone on its line");
    refuse("2\n# n0 1 Etot 0\nO_3 0 0 0\n",
           "frames:3: end of file, expected an atom: type x y z [q]");
    refuse("2\n# n0 1 Etot 0 near\nO_3 0 0 0\nH_O 0 0 0.1\n",
           "frames:4: atoms on top of each other ('near'), expected atoms 0 and 1 of the two "
           "fragments at least 0.3 A apart");
}

static void refuse_dofs(const shoal_dataset *data, const char *text, const char *why)
{
    shoal_fit *fit = NULL;
    CHECK(shoal_fit_create_memory(&fit, data, text, "dofs", NULL) != SHOAL_OK);
    CHECK(fit == NULL);
    CHECK_TEXT(shoal_error_text(), why);
}

/* Between 5 and 13 exp-6 has a pole. */
static void test_pole(const shoal_dataset *data)
{
    shoal_fit *fit = NULL;
    const shoal_fit_options o = {.model = "exp6"};
    CHECK(shoal_fit_create_memory(&fit, data, "* alpha 5 13 1 0 0 0 0\n", "dofs", &o) ==
          SHOAL_E_FORMAT);
    CHECK(fit == NULL);
    CHECK(shoal_fit_create_memory(&fit, data, "* alpha 6 13 1 0 0 0 0\n", "dofs", &o) ==
          SHOAL_E_FORMAT);
    CHECK(shoal_fit_create_memory(&fit, data, "* alpha 7 13 1 0 0 0 0\n", "dofs", &o) == SHOAL_OK);
    shoal_fit_destroy(fit);
}

static void test_bad_dofs(const shoal_dataset *data)
{
    refuse_dofs(data, "Xx R 1 2 1 2 0 0 0\n",
                "dofs:1: unknown type ('Xx'), expected a name of the table of atom types");
    refuse_dofs(data, "# c\nO_3 7 1 2 1 2 0 0 0\n",
                "dofs:2: unknown component ('7'), expected 0 or R, 1 or E, 2 or Q, 3 or H, 4 or L");
    refuse_dofs(data, "O_3 0 1 2 1 2 0 0\n",
                "dofs:1: too few columns ('O_3 0 1 2 1 2 0 0'), expected type comp min max xlo xhi "
                "Klo Khi K0 [xstart [invMass]], no K0 found");
    refuse_dofs(data, "O_3 0 1 2 1 2 0 0 0 1.5 1 9\n",
                "dofs:1: too many columns ('9'), expected type comp min max xlo xhi Klo Khi K0 "
                "[xstart [invMass]]");
    refuse_dofs(data, "O_3 0 1 x 1 2 0 0 0\n",
                "dofs:1: bad number ('x'), expected max (column 4), a finite number");
    refuse_dofs(data, "O_3 0 2 1 1 2 0 0 0\n",
                "dofs:1: bad bounds ('O_3 0 2 1 1 2 0 0 0'), expected min (column 3) not above max "
                "(column 4)");
    refuse_dofs(data, "O_3 0 1 1.5 1 2 0 0 0\n",
                "dofs:1: bad start ('O_3 0 1 1.5 1 2 0 0 0'), expected 1.75 between the bounds 1 "
                "and 1.5");
    refuse_dofs(data, "O_3 1 0 1 1 2 0 0 0 0.2\n",
                "dofs:1: bad E ('O_3 1 0 1 1 2 0 0 0 0.2'), expected a depth in eV from 0 to 0.1, "
                "not its root");
    refuse_dofs(data, "O_3 3 -2 0 1 0 0 0 0\n",
                "dofs:1: bad H ('O_3 3 -2 0 1 0 0 0 0'), expected bounds within -1 and 1, or the "
                "repulsion changes its sign");
    refuse_dofs(
        data, "O_3 R -1 2 1 2 0 0 0\n",
        "dofs:1: bad length ('O_3 R -1 2 1 2 0 0 0'), expected min (column 3) of at least 0 "
        "A");
    refuse_dofs(data, "* lambda -0.1 2 1 0 0 0 0\n",
                "dofs:1: bad lambda ('* lambda -0.1 2 1 0 0 0 0'), expected min (column 3) of at "
                "least 0");
    refuse_dofs(data, "O_3 0 1 2 2 1 1 0 0\n",
                "dofs:1: bad walls ('O_3 0 1 2 2 1 1 0 0'), expected xlo (column 5) not above xhi "
                "(column 6)");
    refuse_dofs(data, "O_3 0 1 2 1 2 0 0 -1\n",
                "dofs:1: negative stiffness ('O_3 0 1 2 1 2 0 0 -1'), expected Klo, Khi and K0 of "
                "at least 0");
    refuse_dofs(data, "O_3 0 1 2 1 2 0 0 0\nO_3 R 1 2 1 2 0 0 0\n",
                "dofs:2: DOF listed twice ('O_3 R 1 2 1 2 0 0 0'), expected every DOF once");
    refuse_dofs(data, "O_3 0 1 2 2 1 0 1 0\n",
                "dofs:1: bad walls ('O_3 0 1 2 2 1 0 1 0'), expected xlo (column 5) not above xhi "
                "(column 6)");
    refuse_dofs(data, "O_3 0 1 2 1 2 0 -1 0\n",
                "dofs:1: negative stiffness ('O_3 0 1 2 1 2 0 -1 0'), expected Klo, Khi and K0 of "
                "at least 0");
    refuse_dofs(data, "O_3 3 -1 2 1 0 0 0 0\n",
                "dofs:1: bad H ('O_3 3 -1 2 1 0 0 0 0'), expected bounds within -1 and 1, or the "
                "repulsion changes its sign");
    refuse_dofs(data, "O_3 0 1 2 1 2 0 0 0#1\n",
                "dofs:1: bad number ('0#1'), expected K0 (column 9), a finite number");
    refuse_dofs(data, "* d 0.1 2 1 2 0 0 0 1.5\n",
                "dofs:1: not in this model ('d'), expected a DOF that the model morse has");
    refuse_dofs(data, "* beta 1 2 1 2 0 0 0 1.5\n",
                "dofs:1: not in this model ('beta'), expected a DOF that the model morse has");
    refuse_dofs(data, "* gamma 1 2 1 2 0 0 0\n",
                "dofs:1: unknown global parameter ('gamma'), expected alpha, lambda, L, c, beta, d "
                "or a constant "
                "of the formula");
    refuse_dofs(data, "E_O3 R 0.1 2 1 2 0 0 0\n", "dofs: no DOF of a type that occurs in the data");
}

/* Bounds of DOFs that options ask for, at and behind the first DOF of a fit. */
static void check_bounds(shoal_fit *fit, int32_t first, int32_t n, const double (*bounds)[2])
{
    static const char *const names[] = {"alpha", "lambda", "c", "beta", "d"};
    CHECK(fit && shoal_fit_dofs(fit) == first + n);
    for (int32_t k = 0; k < n && fit; ++k) {
        shoal_dof_info d;
        CHECK(shoal_fit_dof(fit, first + k, &d) == SHOAL_OK);
        CHECK_TEXT(d.type, "*");
        CHECK_TEXT(d.comp, names[k]);
        CHECK(d.min == bounds[k][0] && d.max == bounds[k][1] && !d.frozen);
    }
    shoal_fit_destroy(fit);
}

/* What options ask for gets usual bounds, unless the file has it. */
static void test_asked(const shoal_dataset *data)
{
    static const char radius[] = "O_3 R 1 2 1 0 0 0 0\n";
    static const char own[] = "* alpha 8 20 1 0 0 0 0\n* lambda 0.5 2 1 0 0 0 0\n"
                              "* c -0.1 0.1 1 0 0 0 0\n* beta 1 9 1 0 0 0 0\n"
                              "* d 0.5 3 1 0 0 0 0\n";
    static const double usual[5][2] = {{7, 26}, {0.2, 3}, {-0.6, 0.6}, {0.5, 20}, {0.05, 4}};
    static const double given[5][2] = {{8, 20}, {0.5, 2}, {-0.1, 0.1}, {1, 9}, {0.5, 3}};
    static const double of_morse[2][2] = {{0.75, 3}, {0.2, 3}};
    shoal_fit_options o = {.model = "exp6",
                           .alpha = 13.0,
                           .coulomb = SHOAL_COULOMB_DAMPED,
                           .coulomb_damping = 1.0,
                           .fit_alpha = true,
                           .fit_lambda = true,
                           .fit_radius_charge = true,
                           .fit_dispersion_damping = true,
                           .fit_coulomb_damping = true};
    shoal_fit *fit = NULL;
    CHECK(shoal_fit_create_memory(&fit, data, radius, "dofs", &o) == SHOAL_OK);
    check_bounds(fit, 1, 5, usual);
    CHECK(shoal_fit_create_memory(&fit, data, own, "dofs", &o) == SHOAL_OK);
    check_bounds(fit, 0, 5, given);
    CHECK(shoal_fit_create_memory(&fit, data, "* d 0 3 1 0 0 0 0\n", "dofs", &o) == SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), "bad damping") != NULL);
    o = (shoal_fit_options){.model = "morse", .alpha = 1.5, .fit_alpha = true, .fit_lambda = true};
    CHECK(shoal_fit_create_memory(&fit, data, radius, "dofs", &o) == SHOAL_OK);
    check_bounds(fit, 1, 2, of_morse);
}

/* Atoms of samples without a weight do not count: a type that only they have is frozen. */
static void test_uncounted(void)
{
    shoal_dataset *data = empty();
    CHECK(add(data, "2\n# n0 1 Etot 0 a\nO_3 0 0 0 0\nC_3 0 0 4 0\n"
                    "2\n# n0 1 Etot 0 b\nO_3 0 0 0 0\nO_3 0 0 4 0\n") == SHOAL_OK);
    data->samples[0].weight = 0.0;
    shoal_fit *fit = NULL;
    shoal_dof_info d[2];
    CHECK(shoal_fit_create_memory(&fit, data, "O_3 R 1 2 1 0 0 0 0\nC_3 R 1 2 1 0 0 0 0\n", "dofs",
                                  NULL) == SHOAL_OK);
    for (int32_t k = 0; k < 2; ++k) CHECK(shoal_fit_dof(fit, k, &d[k]) == SHOAL_OK);
    CHECK(d[0].n_atoms == 2 && !d[0].frozen && d[1].n_atoms == 0 && d[1].frozen);
    CHECK_TEXT(d[1].why, "the data have no such atoms");
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* Dimers and monomers are told apart by set, name and charges, and numbered as they appear. */
static void test_numbers(void)
{
    static const int32_t dimers[5] = {0, 1, 0, 2, 3},
                         monomers[5][2] = {{0, 1}, {0, 2}, {0, 1}, {1, 0}, {0, 1}};
    shoal_dataset *data = empty();
    CHECK(add(data, "3\n# n0 2 Etot 1 b\nO_3 0 0 0 0.1\nH_O 0 0 1 0\nH_O 0 0 4 0.2\n"
                    "3\n# n0 2 Etot -3 a\nO_3 0 0 0 0.1\nH_O 0 0 1 0\nH_O 0 0 4 0.3\n"
                    "3\n# n0 2 Etot 5 b\nO_3 0 0 0 0.1\nH_O 0 0 1 0\nH_O 0 0 5 0.2\n") == SHOAL_OK);
    static const char other[] = /* atoms of a molecule in another order, and with a site */
        "3\n# n0 1 Etot 2 b\nH_O 0 0 5.5 0.2\nH_O 0 0 1 0\nO_3 0 0 0 0.1\n"
        "4\n# n0 3 Etot 2 c\nO_3 0 0 0 0.1\nE_O3 0.5 0 0 -0.1 0\nH_O 0 0 1 0\nH_O 0 0 6 0.2\n";
    CHECK(shoal_dataset_add_memory(data, other, sizeof other - 1, "other", 5.0) == SHOAL_OK);
    CHECK(shoal_dataset_dimers(data) == 4 && shoal_dataset_monomers(data) == 3);
    for (int k = 0; k < 5; ++k) {
        CHECK(data->samples[k].dimer == dimers[k]);
        for (int m = 0; m < 2; ++m) CHECK(data->samples[k].monomers[m] == monomers[k][m]);
    }
    CHECK_NEAR(dataset_weight(data, 0), 1.0 / 3, 1e-15);
    CHECK_NEAR(dataset_weight(data, 3), 5.0 / 2, 1e-15);
    shoal_set_info info;
    CHECK(shoal_dataset_set(data, 0, &info) == SHOAL_OK);
    CHECK(info.n_dimers == 2 && info.n_samples == 3 && info.n_atoms == 9);
    CHECK(info.least == -3 && info.most == 5);
    CHECK_NEAR(info.rms, sqrt(35.0 / 3), 1e-15);
    /* of the curve with energies 1 and 5 the first is lowest, of that with 2 both sets differ */
    CHECK(shoal_dataset_weigh_curves(data, 2.0, 0.5) == SHOAL_OK);
    CHECK(data->samples[0].weight == 1.0 && data->samples[1].weight == 1.0 &&
          data->samples[3].weight == 1.0);
    CHECK_NEAR(data->samples[2].weight, exp(-2.0 * 4 / 1.5), 1e-15);
    shoal_dataset_destroy(data);
}

/* A dimer of another file is the same one, whatever its name, types, charges and the order of its atoms and fragments: one
 * frame tells. Within a file names tell. */
static void test_repeats(void)
{
    static const int32_t dimers[6] = {0, 0, 1, 0, 0, 2};
    shoal_dataset *data = empty();
    int32_t first = 7, second = 7;
    CHECK(add(data, "3\n# n0 2 Etot 1 b\nO_3 0 0 0 0.1\nH_O 0 0 1 0\nH_O 0 0 4 0.2\n"
                    "3\n# n0 2 Etot 2 b\nO_3 0 0 0 0.1\nH_O 0 0 1 0\nH_O 0 0 5 0.2\n"
                    "3\n# n0 2 Etot 3 a\nO_3 0 0 0 0.1\nH_O 0 0 1 0\nH_O 0 0 5 0.2\n") == SHOAL_OK);
    CHECK(shoal_dataset_repeats(data, &first, &second) == 0 && first == -1 && second == -1);
    CHECK(add(data,
              "3\n# n0 1 Etot 2 x\nH_O 9 0 0 0\nH_O 6 0 0 0\nO_3 5.001 0 0 0.7\n"
              "3\n# n0 1 Etot 2 x\nH_O 9 0 0 0\nH_O 2 0 0 0\nO_3 1 0 0 0.7\n"
              "3\n# n0 2 Etot 2 y\nO_3 0 0 0 0.1\nH_O 0 0 1 0\nH_O 0 0 4.01 0.2\n") == SHOAL_OK);
    CHECK(shoal_dataset_repeats(data, &first, &second) == 1 && first == 0 && second == 3);
    CHECK(shoal_dataset_dimers(data) == 3);
    for (int k = 0; k < 6; ++k) CHECK(data->samples[k].dimer == dimers[k]);
    shoal_set_info info;
    CHECK(shoal_dataset_set(data, 1, &info) == SHOAL_OK && info.n_dimers == 2);
    shoal_dataset_destroy(data);
}

static void test_weights(void)
{
    shoal_dataset *data = fixture_data(1, 0.0);
    char path[] = "test_fit_input_XXXXXX";
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, "2 # all\n-1\n0.5\n", 15) == 15);
    CHECK(shoal_dataset_read_weights(data, path) == SHOAL_OK);
    CHECK_NEAR(dataset_weight(data, 0), 2.0 / 3.0, 1e-15);
    CHECK(dataset_weight(data, 1) == 0.0);
    CHECK(write(fd, "1\n", 2) == 2);
    CHECK(shoal_dataset_read_weights(data, path) == SHOAL_E_FORMAT);
    CHECK(
        strstr(shoal_error_text(), "one weight too many ('1'), expected 3, one for every sample"));
    (void)close(fd);
    (void)remove(path);
    CHECK(shoal_dataset_weigh_curves(data, -1.0, 0.1) == SHOAL_E_ARGUMENT);
    /* energies -0.05, -0.03, -0.01 of one dimer */
    CHECK(shoal_dataset_weigh_curves(data, 3.0, 0.1) == SHOAL_OK);
    CHECK_NEAR(data->samples[2].weight / 0.5, exp(-3.0 * 0.04 / 0.15), 1e-14);
    shoal_dataset_destroy(data);
}

int main(void)
{
    shoal_dataset *data = fixture_data(1, 0.0);
    test_frames();
    test_curves();
    test_bad_frames();
    test_bad_dofs(data);
    test_pole(data);
    test_asked(data);
    test_uncounted();
    test_numbers();
    test_repeats();
    test_weights();
    shoal_dataset_destroy(data);
    return check_done();
}
