/* SPDX-License-Identifier: BSD-3-Clause
 * Lattice constants at room temperature and default charges of common slabs. */
#include <stddef.h>

#include "chem/element.h"
#include "surf/slab.h"

/* Shares of the formal charge: 0.9 of strong salts, as charges of electron densities tell and as binds water to
 * NaCl(001) with UFF's LJ as strongly as it is; 0.5552 of the others, from the potentials of CeO2 and actinide
 * oxides of Cooper, Rushton and Grimes, J. Phys. Condens. Matter 26 (2014) 105401. */
#define IONIC_SHARE 0.9
#define POLAR_SHARE 0.5552
#define BORON_CHARGE 0.4 /* e, in h-BN: at the lower end of the 0.37 to 0.9 of its force fields */

/* Angstrom. Salts, oxides, bcc and hcp metals: Wyckoff, Crystal Structures 1 (1963); NaCl, fcc metals, V, Cr,
 * Fe, Ta: Swanson et al., NBS Circular 539 (1953 to 1955); h-BN: Pease, Acta Cryst. 5 (1952) 356. */
typedef struct constant {
    int32_t a, b;
    double length, c; /* c where there is one */
} constant;

static const constant of_rocksalt[] = {
    {11, 17, 5.6402, 0}, {3, 9, 4.0173, 0},   {3, 17, 5.1295, 0},  {3, 35, 5.5013, 0},
    {3, 53, 6.0, 0},     {11, 9, 4.62, 0},    {11, 35, 5.9732, 0}, {11, 53, 6.4728, 0},
    {19, 9, 5.347, 0},   {19, 17, 6.2929, 0}, {19, 35, 6.6, 0},    {19, 53, 7.0656, 0},
    {37, 9, 5.64, 0},    {37, 17, 6.581, 0},  {37, 35, 6.854, 0},  {37, 53, 7.342, 0},
    {55, 9, 6.01, 0},    {12, 8, 4.2112, 0},  {20, 8, 4.8105, 0},  {38, 8, 5.1602, 0},
    {56, 8, 5.523, 0},   {25, 8, 4.4448, 0},  {27, 8, 4.2667, 0},  {28, 8, 4.1684, 0},
    {48, 8, 4.6953, 0},  {47, 17, 5.547, 0},  {47, 35, 5.7745, 0},
};
static const constant of_fcc[] = {
    {13, 0, 4.0494, 0}, {20, 0, 5.576, 0},  {28, 0, 3.5238, 0}, {29, 0, 3.615, 0},
    {38, 0, 6.0847, 0}, {45, 0, 3.8031, 0}, {46, 0, 3.8898, 0}, {47, 0, 4.0862, 0},
    {77, 0, 3.8394, 0}, {78, 0, 3.9231, 0}, {79, 0, 4.0786, 0}, {82, 0, 4.9505, 0},
};
static const constant of_bcc[] = {
    {3, 0, 3.5093, 0},  {11, 0, 4.2906, 0}, {19, 0, 5.32, 0},   {23, 0, 3.0278, 0},
    {24, 0, 2.8839, 0}, {26, 0, 2.8664, 0}, {41, 0, 3.3004, 0}, {42, 0, 3.1473, 0},
    {56, 0, 5.025, 0},  {73, 0, 3.3058, 0}, {74, 0, 3.165, 0},
};
static const constant of_hcp[] = {
    {4, 0, 2.2866, 3.5833},  {12, 0, 3.2095, 5.2107}, {21, 0, 3.309, 5.2733},
    {22, 0, 2.95, 4.686},    {27, 0, 2.507, 4.069},   {30, 0, 2.6649, 4.9468},
    {39, 0, 3.6474, 5.7306}, {40, 0, 3.232, 5.147},   {44, 0, 2.7039, 4.2817},
    {48, 0, 2.9789, 5.6177}, {72, 0, 3.1967, 5.0578}, {75, 0, 2.7608, 4.4582},
    {76, 0, 2.7352, 4.319},
};
static const constant of_fluorite[] = {
    {20, 9, 5.463, 0},  {38, 9, 5.7996, 0}, {48, 9, 5.388, 0},  {56, 9, 6.2001, 0},
    {82, 9, 5.9273, 0}, {40, 8, 5.07, 0},   {58, 8, 5.411, 0},  {72, 8, 5.115, 0},
    {90, 8, 5.5997, 0}, {92, 8, 5.4682, 0}, {93, 8, 5.4341, 0}, {94, 8, 5.396, 0},
};
static const constant of_graphene[] = {{6, 0, 2.46, 6.71}};
static const constant of_boron_nitride[] = {{5, 7, 2.504, 6.661}};

#define TABLE(list) list, sizeof(list) / sizeof(list)[0]

static const struct {
    const constant *list;
    size_t n;
} tables[SHOAL_N_SLABS] = {
    [SHOAL_SLAB_ROCKSALT] = {TABLE(of_rocksalt)},
    [SHOAL_SLAB_FCC100] = {TABLE(of_fcc)},
    [SHOAL_SLAB_FCC111] = {TABLE(of_fcc)},
    [SHOAL_SLAB_GRAPHENE] = {TABLE(of_graphene)},
    [SHOAL_SLAB_FCC110] = {TABLE(of_fcc)},
    [SHOAL_SLAB_BCC100] = {TABLE(of_bcc)},
    [SHOAL_SLAB_BCC110] = {TABLE(of_bcc)},
    [SHOAL_SLAB_BCC111] = {TABLE(of_bcc)},
    [SHOAL_SLAB_HCP0001] = {TABLE(of_hcp)},
    [SHOAL_SLAB_ROCKSALT110] = {TABLE(of_rocksalt)},
    [SHOAL_SLAB_FLUORITE111] = {TABLE(of_fluorite)},
    [SHOAL_SLAB_FLUORITE110] = {TABLE(of_fluorite)},
    [SHOAL_SLAB_BORON_NITRIDE] = {TABLE(of_boron_nitride)},
};

static const constant *find(shoal_slab_kind kind, int32_t a, int32_t b)
{
    const slab_pattern *p = slab_pattern_of(kind);
    if (!p) return NULL;
    if (p->n_elements == 1) b = 0;
    for (size_t k = 0; k < tables[kind].n; ++k)
        if (tables[kind].list[k].a == a && tables[kind].list[k].b == b)
            return &tables[kind].list[k];
    return NULL;
}

double shoal_slab_constant(shoal_slab_kind kind, int32_t a, int32_t b)
{
    const constant *found = find(kind, a, b);
    return found ? found->length : 0.0;
}

double shoal_slab_constant_c(shoal_slab_kind kind, int32_t a, int32_t b)
{
    const constant *found = find(kind, a, b);
    return found ? found->c : 0.0;
}

/* Charge of an anion by its group, 0 if it is none. */
static int32_t anion_valence(int32_t z)
{
    if (z == 9 || z == 17 || z == 35 || z == 53) return 1;
    return z == 8 || z == 16 || z == 34 || z == 52 ? 2 : 0;
}

/* Alkali and alkaline earth metals but beryllium, whose compounds are nearly ionic. */
static bool gives_its_electrons(int32_t z)
{
    static const int32_t list[] = {3, 11, 19, 37, 55, 12, 20, 38, 56};
    for (size_t k = 0; k < sizeof list / sizeof list[0]; ++k)
        if (list[k] == z) return true;
    return false;
}

double slab_class_charge(int32_t a, int32_t b, double ratio)
{
    const double formal = ratio * anion_valence(b);
    if (gives_its_electrons(a)) return IONIC_SHARE * formal;
    return element_is_metal(a) ? POLAR_SHARE * formal : 0.0;
}

double shoal_slab_charge(shoal_slab_kind kind, int32_t a, int32_t b)
{
    const slab_pattern *p = slab_pattern_of(kind);
    if (!p || p->n_elements < 2) return 0.0;
    if (kind == SHOAL_SLAB_BORON_NITRIDE) return a == 5 && b == 7 ? BORON_CHARGE : 0.0;
    return slab_class_charge(a, b, p->n_b);
}
