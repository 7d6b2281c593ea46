/* SPDX-License-Identifier: BSD-3-Clause
 * Frames of two fragments as molecules, labels against the engine's, models that are only evaluated. */
#include <math.h>
#include <string.h>

#include "chem/molecule.h"
#include "fit_fixture.h"
#include "shoal/shoal.h"

#define WATER "O 0 0 0.1173 -0.8\nH 0 0.7572 -0.4692 0.4\nH 0 -0.7572 -0.4692 0.4\n"
/* An oxygen 1.4 A above the other: bonded, if nobody knew better. */
#define NEAR_WATER "O 0 0 1.5173 -0.8\nH 0.7572 0 2.1038 0.4\nH -0.7572 0 2.1038 0.4\n"
#define AMMONIUM                                                                                   \
    "N 0 0 4 %s\nH 0.59 0.59 4.59 %s\nH 0.59 -0.59 3.41 %s\nH -0.59 0.59 3.41 %s\n"                \
    "H -0.59 -0.59 4.59 %s\n"

static shoal_status read_frame(shoal_molecule *mol, const char *text)
{
    shoal_reader *reader;
    bool found;
    CHECK(shoal_reader_open_memory(&reader, text, strlen(text), "frame", SHOAL_FORMAT_XYZ) ==
          SHOAL_OK);
    const shoal_status status = shoal_reader_next(reader, mol, &found);
    shoal_reader_destroy(reader);
    return status;
}

static int32_t charge_of(const shoal_molecule *mol, int32_t first, int32_t last)
{
    int32_t sum = 0;
    for (int32_t i = first; i < last; ++i) sum += shoal_molecule_formal_charges(mol)[i];
    return sum;
}

/* n0 alone says who belongs together; copies know it, too. */
static void test_two_molecules(void)
{
    shoal_molecule *mol, *copy;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK && shoal_molecule_create(&copy) == SHOAL_OK);
    CHECK(read_frame(mol, "6\n# n0 3 Etot -0.1 x0 1 a:1\n" WATER NEAR_WATER) == SHOAL_OK);
    CHECK_TEXT(shoal_molecule_name(mol), "a:1");
    CHECK_TEXT(shoal_molecule_property(mol, "x0"), "1");
    CHECK(shoal_molecule_copy(copy, mol) == SHOAL_OK);
    CHECK(shoal_molecule_perceive(copy, NULL) == SHOAL_OK && shoal_molecule_n_bonds(copy) == 4);
    for (int32_t b = 0; b < shoal_molecule_n_bonds(copy); ++b) {
        const shoal_bond *bond = &shoal_molecule_bonds(copy)[b];
        CHECK((bond->i < 3) == (bond->j < 3));
    }
    const shoal_perceive_options again = {.rebuild_bonds = true};
    CHECK(shoal_molecule_perceive(copy, &again) == SHOAL_OK && shoal_molecule_n_bonds(copy) == 4);
    /* the same as an ordinary file */
    CHECK(read_frame(mol, "6\na:1\n" WATER NEAR_WATER) == SHOAL_OK);
    (void)shoal_molecule_perceive(mol, NULL);
    CHECK(shoal_molecule_n_bonds(mol) > 4);
    CHECK(read_frame(mol, "6\n# n0 6 Etot 0 a\n" WATER NEAR_WATER) == SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), "frame:8: bad n0 ('6'), expected at least 1"));
    CHECK(read_frame(mol, "6\n# n0 3 Etot 0 charge_a 0.5 a\n" WATER NEAR_WATER) == SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), "bad charge of a fragment ('0.5')"));
    CHECK(read_frame(mol, "6\n# n0 3 Etot 0 charge_a 0.06 a\n" WATER NEAR_WATER) == SHOAL_E_FORMAT);
    CHECK(read_frame(mol, "6\n# n0 3 Etot 0 charge_a 0.04 a\n" WATER NEAR_WATER) == SHOAL_OK);
    CHECK(read_frame(mol, "6\n# n0 3 Etot x a\n" WATER NEAR_WATER) == SHOAL_E_FORMAT);
    /* Words that only look alike, and fields of somebody else. */
    CHECK(read_frame(mol, "6\nn0 as of Etot\n" WATER NEAR_WATER) == SHOAL_OK);
    CHECK(read_frame(mol, "6\nn0=0 Etot=-3\n" WATER NEAR_WATER) == SHOAL_OK);
    shoal_molecule_destroy(mol);
    shoal_molecule_destroy(copy);
}

static void ammonium_frame(char *out, size_t size, const char *keys, const char *q_n,
                           const char *q_h)
{
    char rows[400];
    (void)snprintf(rows, sizeof rows, AMMONIUM, q_n, q_h, q_h, q_h, q_h);
    (void)snprintf(out, size,
                   "8\n# n0 3 Etot 0 %s a\nO 0 0 0.1173%s\nH 0 0.7572 -0.4692%s\n"
                   "H 0 -0.7572 -0.4692%s\n%s",
                   keys, *q_n ? " -0.8" : "", *q_n ? " 0.4" : "", *q_n ? " 0.4" : "", rows);
}

/* The charge of a fragment: stated, of its charges, or what fits its bonds. */
static void test_charges(void)
{
    const struct {
        const char *keys, *q_n, *q_h;
        int32_t asked;
        shoal_status status;
    } cases[] = {{"", "-0.4", "0.35", 0, SHOAL_OK},
                 {"", "", "", 0, SHOAL_OK},
                 {"charge_b 1", "", "", 0, SHOAL_OK},
                 {"charge_b 0", "", "", 0, SHOAL_E_FORMAT},
                 {"charge_a -1 charge_b 1", "", "", 0, SHOAL_E_FORMAT},
                 {"", "-0.4", "0.35", 1, SHOAL_OK},
                 {"", "-0.4", "0.35", 2, SHOAL_E_FORMAT}};
    shoal_molecule *mol;
    char text[800];
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const shoal_perceive_options asked = {.total_charge = cases[k].asked};
        ammonium_frame(text, sizeof text, cases[k].keys, cases[k].q_n, cases[k].q_h);
        CHECK(read_frame(mol, text) == SHOAL_OK);
        CHECK(shoal_molecule_perceive(mol, &asked) == cases[k].status);
        if (cases[k].status != SHOAL_OK) continue;
        CHECK(charge_of(mol, 0, 3) == 0 && charge_of(mol, 3, 8) == 1);
        /* moved and perceived again, it has the same charge */
        CHECK(shoal_molecule_set_position(mol, 0, (const double[3]){0, 0, 0.12}) == SHOAL_OK);
        CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK && charge_of(mol, 0, 8) == 1);
    }
    /* one of them alone, without charges in the file */
    ammonium_frame(text, sizeof text, "", "", "");
    CHECK(read_frame(mol, text) == SHOAL_OK);
    CHECK(shoal_molecule_keep_fragment(mol, 3) == SHOAL_E_ARGUMENT);
    CHECK(shoal_molecule_keep_fragment(mol, 2) == SHOAL_OK);
    CHECK(shoal_molecule_n_atoms(mol) == 5 && !shoal_molecule_property(mol, "n0"));
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK && charge_of(mol, 0, 5) == 1);
    CHECK(shoal_molecule_keep_fragment(mol, 1) == SHOAL_E_FORMAT);
    shoal_molecule_destroy(mol);
}

/* Beside a cation, water keeps its own types: the sign follows each molecule. */
static void test_ion_types(void)
{
    static const char types[] = "O_3  * O E 2 2 0 0 0.66 1.10 0.001 0 0\n"
                                "O_3+ * O E 2 2 0 0 0.66 1.20 0.001 0 0\n"
                                "H_O  * H E 1 0 0 0 0.35 1.30 0.001 0 0\n"
                                "H_N+ * H E 1 0 0 0 0.35 1.40 0.001 0 0\n"
                                "N_3+ * N E 1 0 0 0 0.70 1.50 0.001 0 0\n";
    shoal_molecule *mol;
    shoal_topology *topology;
    shoal_pair_model *model;
    shoal_topology_view v;
    char text[800];
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_pair_model_read_memory(&model, types, strlen(types), "types") == SHOAL_OK);
    ammonium_frame(text, sizeof text, "", "-0.4", "0.35");
    CHECK(read_frame(mol, text) == SHOAL_OK);
    const shoal_typing_options typing = {.model = model};
    CHECK(shoal_topology_create(&topology, mol, &typing) == SHOAL_OK);
    CHECK_TEXT(shoal_topology_reason(topology), "");
    shoal_topology_get(topology, &v);
    CHECK(v.vdw_x[0] == 2 * 1.10 && v.vdw_x[1] == 2 * 1.30);
    CHECK(v.vdw_x[3] == 2 * 1.50 && v.vdw_x[4] == 2 * 1.40);
    shoal_topology_destroy(topology);
    shoal_pair_model_destroy(model);
    shoal_molecule_destroy(mol);
}

static shoal_dataset *dataset_of(const char *types, const char *frames)
{
    shoal_atom_types *table = NULL;
    shoal_dataset *data = NULL;
    CHECK(shoal_atom_types_read_memory(&table, types, strlen(types), "types") == SHOAL_OK);
    CHECK(shoal_dataset_create(&data, table) == SHOAL_OK);
    CHECK(shoal_dataset_add_memory(data, frames, strlen(frames), "frames", 1.0) == SHOAL_OK);
    shoal_atom_types_destroy(table);
    return data;
}

#define LABELLED(o, h)                                                                             \
    o " 0 0 0.1173 -0.8\n" h " 0 0.7572 -0.4692 0.4\n" h " 0 -0.7572 -0.4692 0.4\n"
#define LABELLED_UP(o, h)                                                                          \
    o " 0 0 3.1173 -0.8\n" h " 0 0.7572 2.5308 0.4\n" h " 0 -0.7572 2.5308 0.4\n"

static void test_labels(void)
{
    static const char types[] = "O_3 * O E 2 2 0 0 0.66 1.1 0.001 0 0\n"
                                "OW  * O E 2 2 0 0 0.66 1.1 0.001 0 0\n"
                                "H_O * H E 1 0 0 0 0.35 1.3 0.001 0 0\n"
                                "HW  * H E 1 0 0 0 0.35 1.3 0.001 0 0\n"
                                "Rf6 * Rf E 1 0 0 0 0.35 1.3 0.001 0 0\n"
                                "E_O3 * E E 0 0 0 0 0.35 1.3 0.0 0 0\n";
    shoal_label_difference d[2];
    shoal_label_check check;
    shoal_dataset *data =
        dataset_of(types, "6\n# n0 3 Etot 0 a\n" LABELLED("O_3", "H_O")
                              LABELLED_UP("OW", "HW") "7\n# n0 3 Etot 0 b\n" LABELLED("O_3", "H_O")
                                  LABELLED_UP("OW", "H_O") "E_O3 0 0 3.5 0 3\n"
                                                           "4\n# n0 3 Etot 0 c\n" LABELLED(
                                                               "O_3", "H_O") "Rf6 0 0 4 0\n");
    CHECK(shoal_dataset_check_labels(data, d, 2, &check) == SHOAL_OK);
    CHECK(check.n_differences == 2 && check.n_atoms == 4);
    CHECK_TEXT(d[0].label, "OW");
    CHECK_TEXT(d[0].name, "O_3");
    CHECK(d[0].n_atoms == 2 && d[0].sample == 0 && d[0].atom == 3);
    CHECK_TEXT(d[1].label, "HW");
    CHECK(d[1].n_atoms == 2 && d[1].sample == 0 && d[1].atom == 4);
    CHECK(check.n_untyped == 1 && check.untyped == 2 && strstr(check.reason, "Rf"));
    CHECK(shoal_dataset_check_labels(data, NULL, 0, &check) == SHOAL_OK);
    CHECK(check.n_differences == 2);
    shoal_dataset_destroy(data);
}

/* Energies of a model are those of the fit with the same settings. */
static void test_model(void)
{
    static const char head[] = "shoal_pair_model 1\nform morse\nalpha 1.7\nlambda 0.8\n"
                               "coulomb damped\ncoulomb_damping 0.7\nhbond both\ncharges_of H_O\n"
                               "neutral yes\ntypes\n";
    char text[sizeof head + sizeof fixture_types];
    shoal_pair_model *model;
    shoal_dataset *data = fixture_data(2, 0.0);
    shoal_fit *given, *fitted, *plain;
    const int32_t n = shoal_dataset_samples(data);
    double(*a)[SHOAL_N_PARTS] = calloc((size_t)n, sizeof *a);
    double(*b)[SHOAL_N_PARTS] = calloc((size_t)n, sizeof *b);
    (void)snprintf(text, sizeof text, "%s%s", head, fixture_types);
    CHECK(shoal_pair_model_read_memory(&model, text, strlen(text), "model") == SHOAL_OK);
    CHECK(shoal_fit_create_model(&given, data, model, 1) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    const shoal_fit_options o = {.alpha = 1.7,
                                 .hbond = SHOAL_HBOND_BOTH,
                                 .coulomb = SHOAL_COULOMB_DAMPED,
                                 .coulomb_damping = 0.7,
                                 .neutral = true};
    CHECK(shoal_fit_create_memory(&fitted, data,
                                  "* lambda 0.5 2 1 0 0 0 0 0.8\nH_O Q 0 1 1 0 0 0 0 0.2\n", "dofs",
                                  &o) == SHOAL_OK);
    CHECK(shoal_fit_create_fixed(&plain, data, NULL) == SHOAL_OK);
    CHECK(shoal_fit_predict(given, a) == SHOAL_OK && shoal_fit_predict(fitted, b) == SHOAL_OK);
    double apart = 0.0;
    for (int32_t s = 0; s < n; ++s)
        for (int k = 0; k < SHOAL_N_PARTS; ++k) CHECK_NEAR(a[s][k], b[s][k], 1e-14);
    CHECK(shoal_fit_predict(plain, b) == SHOAL_OK);
    for (int32_t s = 0; s < n; ++s) apart += fabs(a[s][0] - b[s][0]) + fabs(a[s][2] - b[s][2]);
    CHECK(apart > 1e-3);
    free(a);
    free(b);
    shoal_fit_destroy(given);
    shoal_fit_destroy(fitted);
    shoal_fit_destroy(plain);
    shoal_pair_model_destroy(model);
    shoal_dataset_destroy(data);
}

int main(void)
{
    test_two_molecules();
    test_charges();
    test_ion_types();
    test_labels();
    test_model();
    return check_done();
}
