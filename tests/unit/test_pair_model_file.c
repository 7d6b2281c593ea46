/* SPDX-License-Identifier: BSD-3-Clause
 * Pair models: their files, what they refuse, and what they make of a molecule. */
#include <stdlib.h>

#include "check.h"
#include "shoal/shoal.h"

#define TYPES                                                                                      \
    "O_3 * O E 0 0 0 0 0.66 1.75 0.0026 -0.8 -0.5\n"                                               \
    "H_O * H E 0 0 0 0 0.35 1.44 0.0019 0.4 0.5\n"                                                 \
    "C_3 * C E 0 0 0 0 0.76 1.92 0.0045 0 0\n"                                                     \
    "H_C3 * H E 0 0 0 0 0.35 1.44 0.0019 0 0\n"                                                    \
    "E_O * E E 0 0 0 0 0 0 0 -0.2 0\n"

static shoal_status read_text(shoal_pair_model **out, const char *settings)
{
    char text[4096];
    (void)snprintf(text, sizeof text, "# made\nshoal_pair_model 1\n%stypes\n" TYPES, settings);
    return shoal_pair_model_read_memory(out, text, strlen(text), "m.dat");
}

static shoal_pair_model *model_of(const char *settings)
{
    shoal_pair_model *m = NULL;
    CHECK(read_text(&m, settings) == SHOAL_OK);
    return m;
}

/* Everything that is written is read again, to the last bit. */
static void test_round_trip(void)
{
    char path[] = "pair_model_XXXXXX";
    const int fd = mkstemp(path);
    shoal_pair_model *m = model_of("form exp6\nalpha 13.123456789012345\nhbond both # comment\n"
                                   "coulomb erf\ncoulomb_damping 0.7\nlambda 0.93\n"
                                   "radius_charge -0.11\ndispersion_damping 3.5\n"
                                   "site O_3 lone_pairs 2 E_O 0.35\nsite H_O beyond 1 E_O 0.2\n"
                                   "increment C_3 H_C3 0.05\ncharges_of O_3 H_O\nneutral yes\n"),
                     *again = NULL;
    CHECK(fd >= 0 && shoal_pair_model_write(m, path, "two\nlines") == SHOAL_OK);
    CHECK(shoal_pair_model_read(&again, path) == SHOAL_OK);
    const shoal_pair_settings *a = shoal_pair_model_settings(m),
                              *b = shoal_pair_model_settings(again);
    CHECK(b && a->form == b->form && a->alpha == b->alpha && a->hbond == b->hbond);
    CHECK(a->coulomb == b->coulomb && a->coulomb_damping == b->coulomb_damping);
    CHECK(a->lambda == b->lambda && a->radius_charge == b->radius_charge);
    CHECK(a->dispersion_damping == b->dispersion_damping && b->neutral);
    CHECK(b->n_sites == 2 && b->sites[1].kind == SHOAL_SITE_BEYOND && b->sites[0].n == 2);
    CHECK(b->sites[0].distance == 0.35);
    CHECK_TEXT(b->sites[0].site, "E_O");
    CHECK(b->n_increments == 1 && b->increments[0].value == 0.05);
    CHECK(b->n_charged_types == 2);
    CHECK_TEXT(b->charged_types[1], "H_O");
    CHECK(shoal_atom_types_count(shoal_pair_model_types(again)) == 5);
    shoal_pair_model_destroy(m);
    shoal_pair_model_destroy(again);
    (void)remove(path);
}

static void test_formula(void)
{
    shoal_pair_model *m = NULL;
    CHECK(read_text(&m, "form formula\nformula E0*(u12(r)-b)\n") == SHOAL_E_FORMAT && !m);
    m = model_of("form formula\nformula E0*((R0/r)^12 - b*(R0/r)^6) + kC*Q/r\nconstant b 2\n");
    const shoal_pair_settings *s = shoal_pair_model_settings(m);
    CHECK(s && s->n_constants == 1 && s->constants[0].value == 2);
    shoal_pair_model_destroy(m);
}

/* Each is refused, and the text says why. */
static void test_refusals(void)
{
    static const struct {
        const char *text, *why;
    } cases[] = {{"form cube\n", "m.dat:3"},
                 {"colour blue\n", "unknown setting"},
                 {"alpha x\n", "bad number"},
                 {"form morse 2\n", "too many words"},
                 {"form exp6\nalpha 5\n", "more than 6"},
                 {"lambda -1\n", "lambda"},
                 {"coulomb damped\n", "damping length"},
                 {"form morse\ndispersion_damping 3\n", "no u^6"},
                 {"site O_3 lone_pairs 2 E_X 0.3\n", "E_X"},
                 {"site O_3 lone_pairs 4 E_O 0.3\n", "1 to 3"},
                 {"site O_3 lone_pairs 2 E_O 0\n", "0 to 10"},
                 {"constant b 2\n", "without a formula"},
                 {"form formula\nformula E0/r\nconstant b 2\n", "does not use"},
                 {"form formula\nformula b*E0/r\n", "no value"},
                 {"form formula\nformula E0/r\nlambda 0.5\n", "neither lambda"},
                 {"form formula\nformula E0/r\ncoulomb erf\ncoulomb_damping 1\n", "formula"},
                 {"form formula\n", "m.dat: pair model: its formula is missing"},
                 {"form lj\nalpha 2\n", "lj has none"},
                 {"coulomb plain\ncoulomb_damping 0.5\n", "a damping length"},
                 {"lambda 0\n", "more than 0"},
                 {"form lj\nlambda 0.9\nform morse\n", "a second time"},
                 {"form formula\nformula b*E0/r\nconstant b 2\nconstant b 3\n", "two values of b"},
                 {"increment O_3 X_3 0.1\n", "X_3"},
                 {"increment O_3 O_3 0.1\n", "and itself"},
                 {"site O_3 lone_pairs 1.5 E_O 0.3\n", "1 to 3"},
                 {"form lj\ntypes of atoms\n", "too many words"},
                 {"charges_of X_3\n", "X_3"},
                 {"scale_14 0.5 0.5\nsite O_3 lone_pairs 2 E_O 0.3\n", "1-4"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_pair_model *m = NULL;
        CHECK(read_text(&m, cases[k].text) == SHOAL_E_FORMAT && !m);
        if (!strstr(shoal_error_text(), cases[k].why)) {
            CHECK_TEXT(shoal_error_text(), cases[k].why);
        }
    }
}

static shoal_molecule *water(void)
{
    static const double pos[3][3] = {{0, 0, 0}, {0.7572, 0.5865, 0}, {-0.7572, 0.5865, 0}};
    static const int32_t elements[3] = {8, 1, 1};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int i = 0; i < 3; ++i)
        CHECK(shoal_molecule_add_atom(mol, elements[i], pos[i]) == SHOAL_OK);
    return mol;
}

static shoal_topology *typed(shoal_molecule *mol, const shoal_pair_model *m, shoal_topology_view *v)
{
    const shoal_typing_options o = {.model = m};
    shoal_topology *t = NULL;
    CHECK(shoal_topology_create(&t, mol, &o) == SHOAL_OK);
    CHECK_TEXT(shoal_topology_reason(t), "");
    shoal_topology_get(t, v);
    shoal_molecule_destroy(mol);
    return t;
}

/* Two lone pairs of water: charges move, radii follow the whole charge, and nothing is lost. */
static void test_water(void)
{
    shoal_pair_model *m = model_of("form morse\nlambda 0.81\nradius_charge 0.1\n"
                                   "site O_3 lone_pairs 2 E_O 0.35\n");
    shoal_topology_view v;
    shoal_topology *t = typed(water(), m, &v);
    CHECK(v.model == m && v.n_sites == 2 && v.has_charges);
    CHECK_NEAR(v.charges[0], 0.9 * -0.4, 1e-15);
    CHECK_NEAR(v.charges[1], 0.9 * 0.4, 1e-15);
    CHECK_NEAR(v.charges[4], 0.9 * -0.2, 1e-15);
    CHECK_NEAR(v.vdw_x[0], 2 * (1.75 + 0.08), 1e-15);
    CHECK_NEAR(v.vdw_x[1], 2 * (1.44 - 0.04), 1e-15);
    CHECK(v.vdw_d[3] == 0 && v.hbonds[3] == 0 && v.sites[1].host == 0);
    CHECK_TEXT(v.types[3], "E_O");
    /* Everybody excludes everybody else. */
    for (int32_t i = 0; i < 5; ++i) {
        CHECK(v.exclude_start[i + 1] - v.exclude_start[i] == 4);
        for (int32_t e = v.exclude_start[i], at = 0; e < v.exclude_start[i + 1]; ++e, ++at)
            CHECK(v.excluded[e].atom == at + (at >= i));
    }
    shoal_topology_destroy(t);
    shoal_pair_model_destroy(m);
}

/* Charges of types that leave a rest, spread over the atoms that have them. */
static void test_neutral(void)
{
    shoal_pair_model *m = model_of("form morse\ncharges_of O_3\nneutral yes\n");
    shoal_molecule *mol = water();
    static const double q[3] = {-0.6, 0.3, 0.3};
    shoal_topology_view v;
    for (int32_t i = 0; i < 3; ++i) CHECK(shoal_molecule_set_charge(mol, i, q[i]) == SHOAL_OK);
    shoal_topology *t = typed(mol, m, &v);
    CHECK_NEAR(v.charges[0], -0.6, 1e-15); /* the only one to take what it brings */
    CHECK_NEAR(v.charges[1], 0.3, 1e-15);
    shoal_topology_destroy(t);
    shoal_pair_model_destroy(m);
    m = model_of("form morse\ncharges_of O_3\n");
    mol = water();
    for (int32_t i = 0; i < 3; ++i) CHECK(shoal_molecule_set_charge(mol, i, q[i]) == SHOAL_OK);
    t = typed(mol, m, &v);
    CHECK_NEAR(v.charges[0], -0.8, 1e-15);
    shoal_topology_destroy(t);
    shoal_pair_model_destroy(m);
}

int main(void)
{
    test_round_trip();
    test_formula();
    test_refusals();
    test_water();
    test_neutral();
    return check_done();
}
