/* SPDX-License-Identifier: BSD-3-Clause
 * Water and ethane with their UFF terms written out by hand, against numbers of an independent
 * program (double precision; its forces are central differences, good to 1e-5 eV/A). Arithmetic
 * mixing, charges damped by 1 A. */
#include "ref_probe.h"

#include "constants.h"

#define STIFFNESS 28.7989689090648 /* 664.12 kcal/mol A, in eV A */

/* Type: natural radius, effective charge, electronegativity, angle, vdw distance and depth. */
typedef struct type {
    double r, z, chi, degrees, x, depth;
} type;

static const type hydrogen = {0.354, 0.712, 4.528, 180.0, 2.886, 0.00190802059};
static const type carbon = {0.757, 1.912, 5.343, 109.47, 3.851, 0.00455323095};
static const type oxygen = {0.658, 2.300, 8.741, 104.51, 3.500, 0.00260184625};

typedef struct atom {
    const type *type;
    double charge, pos[3];
} atom;

static double natural_length(const type *a, const type *b)
{
    const double d = sqrt(a->chi) - sqrt(b->chi);
    return a->r + b->r - a->r * b->r * d * d / (a->chi * a->r + b->chi * b->r);
}

static void set_atoms(probe *p, const atom *atoms, int32_t n)
{
    probe_init(p, n);
    p->system.view.has_charges = true;
    p->options.terms_off = 0;
    p->options.mixing = SHOAL_MIXING_ARITHMETIC;
    p->options.coulomb_damping = 1.0;
    for (int32_t i = 0; i < n; ++i) {
        memcpy(p->pos[i], atoms[i].pos, sizeof p->pos[i]);
        p->charges[i] = atoms[i].charge;
        p->vdw_x[i] = atoms[i].type->x;
        p->vdw_d[i] = atoms[i].type->depth;
    }
}

static void add_bond(probe *p, const atom *atoms, int32_t i, int32_t j)
{
    const type *a = atoms[i].type, *b = atoms[j].type;
    const int32_t home[3] = {0};
    const double r0 = natural_length(a, b);
    probe_add(p, bond_record(i, j, STIFFNESS * a->z * b->z / (r0 * r0 * r0), r0));
    probe_exclude(p, i, j, home);
}

static void add_angle(probe *p, const atom *atoms, int32_t i, int32_t j, int32_t k)
{
    const double c = cos(atoms[j].type->degrees / DEGREES), s2 = 1.0 - c * c;
    const double a = natural_length(atoms[i].type, atoms[j].type);
    const double b = natural_length(atoms[j].type, atoms[k].type);
    const double r2 = a * a + b * b - 2.0 * a * b * c, c2 = 0.25 / s2;
    const int32_t home[3] = {0};
    const double force_k = STIFFNESS * atoms[i].type->z * atoms[k].type->z / pow(r2, 2.5) *
                           (3.0 * a * b * s2 - r2 * c);
    const double series[5] = {c2 * (2.0 * c * c + 1.0), -4.0 * c2 * c, c2};
    probe_add(p, angle_record(i, j, k, force_k, series));
    probe_exclude(p, i, k, home);
}

static void check_terms(probe *p, const double want[6], double total)
{
    CHECK_NEAR(probe_energy(p), total, 1e-6);
    for (int t = 0; t < 6; ++t) CHECK_NEAR(p->result.terms[t], want[t], 1e-6);
    CHECK(probe_force_error(p, 5e-4) <= 1e-9);
}

static void check_force(const probe *p, int32_t i, double x, double y, double z)
{
    CHECK_NEAR(p->forces[i][0], x, 2e-5);
    CHECK_NEAR(p->forces[i][1], y, 2e-5);
    CHECK_NEAR(p->forces[i][2], z, 2e-5);
}

static void test_water(void)
{
    static probe p;
    const atom atoms[3] = {{&oxygen, -0.8, {0.0, 0.0, 0.0}},
                           {&hydrogen, 0.4, {0.95, 0.1, 0.0}},
                           {&hydrogen, 0.4, {-0.3, 0.9, 0.1}}};
    set_atoms(&p, atoms, 3);
    add_bond(&p, atoms, 0, 1);
    add_bond(&p, atoms, 0, 2);
    add_angle(&p, atoms, 1, 0, 2);
    const double want[6] = {0.061782, 0.003725};
    check_terms(&p, want, 0.065507);
    check_force(&p, 0, -0.95971, -1.57039, -0.15773);
    check_force(&p, 1, 1.71248, -0.02810, -0.02237);
    check_force(&p, 2, -0.75277, 1.59849, 0.18010);
}

static void test_ethane(void)
{
    static probe p;
    const atom atoms[8] = {
        {&carbon, -0.27, {0.0, 0.0, 0.0}},        {&carbon, -0.27, {1.54, 0.0, 0.0}},
        {&hydrogen, 0.09, {-0.36, 1.03, 0.0}},    {&hydrogen, 0.09, {-0.36, -0.51, 0.89}},
        {&hydrogen, 0.09, {-0.36, -0.51, -0.89}}, {&hydrogen, 0.09, {1.90, -0.95, 0.40}},
        {&hydrogen, 0.09, {1.90, 0.13, -1.02}},   {&hydrogen, 0.09, {1.90, 0.82, 0.62}}};
    const int32_t around[2][4] = {{1, 2, 3, 4}, {0, 5, 6, 7}};
    set_atoms(&p, atoms, 8);
    add_bond(&p, atoms, 0, 1);
    for (int c = 0; c < 2; ++c)
        for (int a = 0; a < 4; ++a) {
            if (a > 0) add_bond(&p, atoms, c, around[c][a]);
            for (int b = 0; b < a; ++b) add_angle(&p, atoms, around[c][b], c, around[c][a]);
        }
    for (int a = 2; a < 5; ++a)
        for (int b = 5; b < 8; ++b) {
            shoal_term torsion = torsion_record(0.09188853689 / 18.0, -1.0, 3);
            memcpy(torsion.atoms, (const int32_t[]){a, 0, 1, b}, sizeof torsion.atoms);
            probe_add(&p, torsion);
        }
    CHECK(terms_count(&p.system.view, SHOAL_KIND_BOND) == 7);
    CHECK(terms_count(&p.system.view, SHOAL_KIND_ANGLE) == 12);
    const double want[6] = {0.045326, 0.000309, 0.029090, 0.0, 0.019183, 0.370621};
    check_terms(&p, want, 0.464529);
    check_force(&p, 0, 1.44544, 0.14307, -0.00069);
    check_force(&p, 1, -1.40709, -0.05815, 0.01748);
    check_force(&p, 2, -0.31023, 0.51328, -0.05866);
    check_force(&p, 5, 0.31568, -0.47381, 0.13484);
}

int main(void)
{
    test_water();
    test_ethane();
    return check_done();
}
