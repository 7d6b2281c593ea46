/* SPDX-License-Identifier: BSD-3-Clause
 * Pair models of every form and molecules that make all of it matter: hydrogen bonds, charges that nearly touch, lone
 * pairs in every kind of frame, sigma holes. */
#ifndef SHOAL_TESTS_PAIR_MODEL_FIXTURE_H
#define SHOAL_TESTS_PAIR_MODEL_FIXTURE_H

#include "cpu_fixture.h"

enum {
    MODEL_FORMS = SHOAL_FORM_FORMULA, /* built-in ones */
    MODEL_HBONDS = SHOAL_HBOND_NONE + 1,
    MODEL_COULOMBS = SHOAL_COULOMB_NONE + 1,
    MODEL_TEXT = 4096
};

/* One model. */
typedef struct model_case {
    int form, hbond, coulomb;
    bool damped; /* dispersion, where the form has u^6 */
    bool sites;
    const char *formula; /* instead of all this */
} model_case;

/* A formula with every input, one without charges, and one with columns of the table. */
#define MODEL_FORMULA                                                                              \
    "E0*((1+H)*exp(-2*b*(r-R0))-2*exp(-b*(r-R0)))+0.9*kC*Q/sqrt(r*r+c)+s*(Ei*Rj+Ej*Ri)*exp(-r)"
#define MODEL_FORMULA_NEUTRAL "E0*((1+0.5*H)*(R0/r)^9-b*(R0/r)^6)+c*(Ei*Hj+Ej*Hi)*exp(-r)"

#define MODEL_FORMULA_COLUMNS                                                                      \
    "E0*((1+H)*(R0/r)^9-b*(R0/r)^6)-c*poli*polj*exp(-(wi+wj)*r)+0.05*(poli*Hj+polj*Hi)*exp(-r)"

static inline bool model_has_columns(const model_case *c)
{
    return c->formula && strstr(c->formula, "poli");
}

static inline bool model_has_u6(int form)
{
    return form != SHOAL_FORM_MORSE && form != SHOAL_FORM_MORSE6;
}

/* Whether a case is one of its own: there is something to damp. */
static inline bool model_is_sound(const model_case *c)
{
    return !c->damped || model_has_u6(c->form);
}

static const char model_types[] =
    "types\n"
    "# name parent element epair valence n_epair npi sym Ruff RvdW EvdW Qbase Hb pol w\n"
    "O_3  * O E 2 2 0 0 0.658 1.65 0.0041  0.0 -0.55 0.80 1.9\n"
    "O_2  * O E 1 2 1 0 0.634 1.58 0.0052  0.0 -0.40 0.75 2.0\n"
    "N_3  * N E 3 1 0 0 0.700 1.83 0.0036  0.0 -0.62 1.05 1.7\n"
    "C_3  * C E 4 0 0 0 0.757 1.92 0.0045  0.0  0.0 1.70 1.4\n"
    "C_2  * C E 3 0 1 0 0.732 1.88 0.0047  0.0  0.05 1.60 1.5\n"
    "Cl   * Cl E 1 3 0 0 1.044 1.97 0.0098  0.0 -0.12 2.20 1.3\n"
    "H_O  * H E 1 0 0 0 0.354 1.21 0.0015  0.0  0.70 0.25 2.4\n"
    "H_N  * H E 1 0 0 0 0.354 1.30 0.0017  0.0  0.45 0.30 2.3\n"
    "H_C2 * H E 1 0 0 0 0.354 1.44 0.0020  0.0  0.10 0.40 2.2\n"
    "H_C3 * H E 1 0 0 0 0.354 1.43 0.0019  0.0  0.0 0.42 2.1\n"
    "E_O3 * E * 0 0 0 0 0 1 0 -0.21 0 0 0\n"
    "E_O2 * E * 0 0 0 0 0 1 0 -0.17 0 0 0\n"
    "E_N3 * E * 0 0 0 0 0 1 0 -0.33 0 0 0\n"
    "E_Cl * E * 0 0 0 0 0 1 0  0.09 0 0 0\n"
    "E_H  * E * 0 0 0 0 0 1 0  0.12 0 0 0\n";

/* Lone pairs behind one, two and three neighbours, a sigma hole, and hydrogens whose site comes near the lone pair of
 * another water, so that bent Coulomb forms matter. */
static const char model_sites[] = "site O_3 lone_pairs 2 E_O3 0.65\n"
                                  "site O_2 lone_pairs 2 E_O2 0.40\n"
                                  "site N_3 lone_pairs 1 E_N3 0.55\n"
                                  "site Cl beyond 1 E_Cl 0.70\n"
                                  "site H_O beyond 1 E_H 0.95\n";

static inline shoal_pair_model *model_make(const model_case *c)
{
    static const char *const hbonds[] = {"repulsion", "attraction", "both", "none"};
    static const char *const coulombs[] = {"plain", "clamp", "smooth", "damped", "erf", "none"};
    char text[MODEL_TEXT];
    int n = 0;
    shoal_pair_model *model = NULL;
    if (c->formula) {
        n = snprintf(
            text, sizeof text,
            "shoal_pair_model 1\nform formula\nformula %s\nconstant b 1.55\nconstant c 0.3\n%s%s",
            c->formula, strstr(c->formula, "+s*") ? "constant s 0.8\n" : "",
            model_has_columns(c) ? "column pol\ncolumn w\n" : "");
    } else {
        n = snprintf(text, sizeof text, "shoal_pair_model 1\nform %s\nhbond %s\ncoulomb %s\n",
                     shoal_pair_form_name(c->form), hbonds[c->hbond], coulombs[c->coulomb]);
        if (c->coulomb == SHOAL_COULOMB_DAMPED || c->coulomb == SHOAL_COULOMB_ERF)
            n += snprintf(text + n, sizeof text - (size_t)n, "coulomb_damping 0.8\n");
        if (c->damped) n += snprintf(text + n, sizeof text - (size_t)n, "dispersion_damping 2.4\n");
        n += snprintf(text + n, sizeof text - (size_t)n, "lambda 0.87\nradius_charge 0.06\n%s",
                      c->sites ? model_sites : "");
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "%s", model_types);
    CHECK(n > 0 && n < MODEL_TEXT);
    CHECK(shoal_pair_model_read_memory(&model, text, (size_t)n, "model") == SHOAL_OK);
    if (!model) (void)printf("%s\n", shoal_error_text());
    return model;
}

/* Molecules to build systems of; charges are small, so that radii stay positive. */
typedef struct model_atom {
    int32_t z;
    double pos[3], q;
} model_atom;

static const model_atom model_water[] = {
    {8, {0, 0, 0}, -0.80}, {1, {0.96, 0, 0}, 0.4}, {1, {-0.24, 0.93, 0}, 0.4}};
static const model_atom model_ammonia[] = {{7, {0, 0, 0}, -0.9},
                                           {1, {0.94, 0, 0.38}, 0.3},
                                           {1, {-0.47, 0.81, 0.38}, 0.3},
                                           {1, {-0.47, -0.81, 0.38}, 0.3}};
static const model_atom model_formaldehyde[] = {{6, {0, 0, 0}, 0.4},
                                                {8, {1.22, 0, 0}, -0.4},
                                                {1, {-0.55, 0.94, 0.05}, 0.02},
                                                {1, {-0.55, -0.94, 0}, -0.02}};
static const model_atom model_chloromethane[] = {{6, {0, 0, 0}, -0.05},
                                                 {17, {1.78, 0, 0}, -0.19},
                                                 {1, {-0.37, 1.02, 0}, 0.08},
                                                 {1, {-0.37, -0.51, 0.88}, 0.08},
                                                 {1, {-0.37, -0.51, -0.88}, 0.08}};

/* Turned about (1, 1, 1) by a multiple of 120 degrees and about z by angle. */
static inline void model_put(shoal_molecule *mol, const model_atom *atoms, int32_t n,
                             const double at[3], double angle, int turns)
{
    for (int32_t i = 0; i < n; ++i) {
        const double *p = atoms[i].pos;
        const double r[3] = {cos(angle) * p[0] - sin(angle) * p[1],
                             sin(angle) * p[0] + cos(angle) * p[1], p[2]};
        const int32_t k = set_atom(mol, atoms[i].z, at[0] + r[turns % 3],
                                   at[1] + r[(turns + 1) % 3], at[2] + r[(turns + 2) % 3]);
        CHECK(shoal_molecule_set_charge(mol, k, atoms[i].q) == SHOAL_OK);
    }
}

/* 19 atoms. The second water gives a hydrogen bond to the first: hydrogen's site and lone pair are 0.2 angstrom
 * apart. */
static inline shoal_molecule *model_cluster(void)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    model_put(mol, model_water, 3, (const double[3]){0, 0, 0}, 0, 0);
    model_put(mol, model_water, 3, (const double[3]){-0.86, -0.2, 2.38}, 0.9, 1);
    model_put(mol, model_ammonia, 4, (const double[3]){3.9, 0.2, 0.1}, 0.4, 0);
    model_put(mol, model_formaldehyde, 4, (const double[3]){0.6, 4.1, 0.4}, 0.2, 2);
    model_put(mol, model_chloromethane, 5, (const double[3]){3.7, 3.6, 2.9}, 1.1, 1);
    return mol;
}

/* n waters on a lattice of 3 angstrom, each turned otherwise. */
static inline shoal_molecule *model_waters(int32_t n, int32_t side)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t k = 0; k < n; ++k)
        model_put(
            mol, model_water, 3,
            (const double[3]){3.1 * (k % side), 3.1 * (k / side % side), 3.1 * (k / side / side)},
            0.7 * k, k);
    return mol;
}

/* The cluster in a skew cell that repeats in n_periodic directions; two atoms stand in neighbouring cells, so that bonds
 * and frames cross the border. */
static inline shoal_molecule *model_crystal(int n_periodic)
{
    static const double cell[3][3] = {{8.6, 0, 0}, {1.3, 8.9, 0}, {-0.8, 1.1, 7.4}};
    const bool pbc[3] = {n_periodic > 0, n_periodic > 1, n_periodic > 2};
    shoal_molecule *from = model_cluster(), *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t i = 0; i < shoal_molecule_n_atoms(from); ++i) {
        double r[3];
        for (int c = 0; c < 3; ++c) {
            r[c] = shoal_molecule_positions(from)[i][c];
            if (i == 1) r[c] += cell[0][c];
            if (i == 11 && n_periodic > 1) r[c] -= cell[1][c];
        }
        (void)set_atom(mol, shoal_molecule_elements(from)[i], r[0], r[1], r[2]);
        CHECK(shoal_molecule_set_charge(mol, i, shoal_molecule_charges(from)[i]) == SHOAL_OK);
    }
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    shoal_molecule_destroy(from);
    return mol;
}

/* Types a molecule by a model and appends it n times: as it is, and with all atoms moved by h along a direction drawn
 * at random, back and forth. */
static inline void model_add(set *s, shoal_molecule *mol, const model_case *c, double h)
{
    shoal_pair_model *model = model_make(c);
    shoal_topology *topology = NULL;
    shoal_topology_view v;
    CHECK(shoal_topology_create(&topology, mol, &(shoal_typing_options){.model = model}) ==
          SHOAL_OK);
    if (shoal_topology_status(topology) != SHOAL_SYSTEM_OK)
        (void)printf("%s\n", shoal_topology_reason(topology));
    CHECK(shoal_topology_status(topology) == SHOAL_SYSTEM_OK);
    shoal_topology_get(topology, &v);
    CHECK((v.n_sites > 0) == c->sites);
    for (int way = 0; way < (h > 0 ? 3 : 1); ++way) {
        set_system *sys = &s->systems[s->n++];
        uint64_t seed = 42;
        bool pbc[3];
        memset(sys, 0, sizeof *sys);
        sys->topology = shoal_topology_retain(topology);
        sys->n_atoms = shoal_molecule_n_atoms(mol);
        sys->pos = malloc((size_t)sys->n_atoms * sizeof *sys->pos);
        shoal_molecule_cell(mol, sys->cell, pbc);
        for (int32_t i = 0; i < sys->n_atoms; ++i)
            for (int k = 0; k < 3; ++k)
                sys->pos[i][k] = shoal_molecule_positions(mol)[i][k] + (way == 1   ? h
                                                                        : way == 2 ? -h
                                                                                   : 0) *
                                                                           set_random(&seed);
    }
    shoal_topology_destroy(topology);
    shoal_pair_model_destroy(model);
}

/* What model_add moved by. */
static inline double model_work(const outcome *at, int32_t n_atoms)
{
    uint64_t seed = 42;
    double sum = 0;
    for (int32_t i = 0; i < n_atoms; ++i)
        for (int k = 0; k < 3; ++k) sum += at->forces[i][k] * set_random(&seed);
    return sum;
}

#endif
