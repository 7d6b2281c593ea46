/* SPDX-License-Identifier: BSD-3-Clause
 * UFF4MOF: types of metal nodes by the number of partners, and orders of their bonds. M. A. Addicoat, N. Vankova,
 * I. F. Akter, T. Heine, J. Chem. Theory Comput. 10 (2014) 880; D. E. Coupry, M. A. Addicoat, T. Heine, ibid. 12 (2016)
 * 5215. */
#include <math.h>
#include <string.h>

#include "chem/element.h"
#include "ff/topology.h"
#include "geom/vector.h"

static const uff_type table[] = {
#include "uff4mof_table.inc"
};

enum { N_TYPES = (int)(sizeof table / sizeof table[0]) };

const uff_type *uff4mof_type_by_label(const char *label)
{
    for (int t = 0; t < N_TYPES; ++t)
        if (strcmp(table[t].label, label) == 0) return &table[t];
    return uff_type_by_label(label);
}

static bool is_metal(const uff_builder *b, int32_t i)
{
    return element_is_metal(b->mol->element[i]);
}

/* Partners that are metal atoms, and of one element. */
static int32_t count_metals(const uff_builder *b, int32_t i)
{
    int32_t n = 0;
    for (int32_t e = b->g->start[i]; e < b->g->start[i + 1]; ++e)
        n += is_metal(b, b->g->ends[e].atom);
    return n;
}

static int32_t count_element(const uff_builder *b, int32_t i, int32_t z)
{
    int32_t n = 0;
    for (int32_t e = b->g->start[i]; e < b->g->start[i + 1]; ++e)
        n += b->mol->element[b->g->ends[e].atom] == z;
    return n;
}

/* --- metals -------------------------------------------------------------------------------------- */

static const uff_type *find(int32_t z, char digit, const char *tag)
{
    for (int t = 0; t < N_TYPES; ++t)
        if (table[t].z == z && table[t].label[2] == digit &&
            (!tag || strcmp(table[t].label + 3, tag) == 0))
            return &table[t];
    int32_t n;
    const uff_type *types = uff_types_of(z, &n);
    for (int32_t t = 0; t < n; ++t)
        if (types[t].label[2] == digit && (!tag || strcmp(types[t].label + 3, tag) == 0))
            return &types[t];
    return NULL;
}

/* Types fitted to frameworks (f) come first. Those of paddlewheels (+2) are for squares below another metal atom. */
static const uff_type *find_digit(int32_t z, char digit, bool paddlewheel)
{
    static const char *const tags[] = {"f1", "f2", "f3", "f4", "+3"};
    const uff_type *type = paddlewheel ? find(z, digit, "+2") : NULL;
    for (size_t k = 0; k < sizeof tags / sizeof tags[0] && !type; ++k)
        type = find(z, digit, tags[k]);
    return type ? type : find(z, digit, NULL);
}

static void bond_unit(const uff_builder *b, int32_t i, const graph_end *end, double out[3])
{
    double r2 = 0;
    for (int c = 0; c < 3; ++c) {
        out[c] = b->mol->pos[end->atom][c] - b->mol->pos[i][c];
        for (int k = 0; k < 3; ++k) out[c] += end->shift[k] * b->mol->cell[k][c];
        r2 += out[c] * out[c];
    }
    for (int c = 0; c < 3; ++c) out[c] /= r2 > 0 ? sqrt(r2) : 1;
}

/* Four partners of a square have two angles of 180 degrees, of a tetrahedron none beyond 110: half way between them. */
static bool is_square(const uff_builder *b, int32_t i)
{
    double least[2] = {2, 2};
    b->topology->uses_positions = true;
    for (int32_t e = b->g->start[i]; e < b->g->start[i + 1]; ++e)
        for (int32_t f = e + 1; f < b->g->start[i + 1]; ++f) {
            double u[3], v[3];
            bond_unit(b, i, &b->g->ends[e], u);
            bond_unit(b, i, &b->g->ends[f], v);
            const double cosine = vector_dot(u, v);
            if (cosine < least[0]) {
                least[1] = least[0];
                least[0] = cosine;
            } else if (cosine < least[1]) {
                least[1] = cosine;
            }
        }
    return least[0] + least[1] < 2 * -0.82; /* cos 145 degrees */
}

/* Digits of labels in the order in which they are tried. */
static const char *digits_of(const uff_builder *b, int32_t i)
{
    const int32_t n = graph_degree(b->g, i);
    const bool pair = count_element(b, i, b->mol->element[i]) > 0;
    switch (n) {
    case 0:
    case 1: return "";
    case 2: return "13";
    case 3: return "23";
    case 4: return is_square(b, i) ? "46" : "3";
    case 5: return pair ? "46" : "64";
    case 6: return pair ? "46" : "64";
    default: return "86";
    }
}

static hybridization form_of(const uff_type *type)
{
    return type->label[2] == '8' ? HYB_SP3 : uff_type_hybridization(type);
}

static void set_type(uff_builder *b, int32_t i, const uff_type *type)
{
    if (b->mol->type[i][0] || !type) return;
    b->types[i] = type;
    b->hyb[i] = form_of(type);
}

/* Atoms with one partner or none are ions, which have the type of UFF. */
static shoal_status type_metal(uff_builder *b, int32_t i)
{
    const int32_t z = b->mol->element[i], n = graph_degree(b->g, i);
    const bool pair = count_element(b, i, z) > 0 && n > 4;
    const char *digits = digits_of(b, i);
    const uff_type *type = NULL;
    if (b->mol->type[i][0] || n < 2) return SHOAL_OK;
    for (const char *d = digits; *d && !type; ++d) type = find_digit(z, *d, pair && *d == '4');
    set_type(b, i, type);
    if (type) return SHOAL_OK;
    return topology_reject(b->topology, "atom %d (%s, %d neighbours%s): UFF4MOF has no type for it",
                           i, element_get(z)->symbol, n,
                           n == 4 ? digits[0] == '4' ? " in a square" : " in a tetrahedron" : "");
}

/* --- partners ------------------------------------------------------------------------------------ */

/* Bridges of zeolites keep O_3_z, and water O_3. */
static void type_oxygen(uff_builder *b, int32_t i)
{
    const int32_t n = graph_degree(b->g, i), n_metal = count_metals(b, i);
    const int32_t n_h = count_element(b, i, 1), n_c = count_element(b, i, 6);
    if (n_metal == 0 || strcmp(b->types[i]->label, "O_3_z") == 0 || n_h > 1) return;
    if (n == 2 && n_metal + n_c == 2) set_type(b, i, uff_type_by_label("O_2"));
    if (n == 3 && n_metal == 3)
        set_type(b, i, uff4mof_type_by_label(count_element(b, i, 40) == 3 ? "O_3_f" : "O_2_z"));
    if (n == 3 && n_metal == 2) set_type(b, i, uff_type_by_label("O_2"));
    if (n == 4 && n_metal + n_h == 4) set_type(b, i, uff4mof_type_by_label("O_3_f"));
}

/* Carbon between oxygen atoms of which one holds a metal atom. */
static bool is_carboxylate(const uff_builder *b, int32_t i)
{
    bool held = false;
    if (b->mol->element[i] != 6 || graph_degree(b->g, i) != 3 || count_element(b, i, 8) < 2)
        return false;
    for (int32_t e = b->g->start[i]; e < b->g->start[i + 1]; ++e) {
        const int32_t j = b->g->ends[e].atom;
        held = held || (b->mol->element[j] == 8 && count_metals(b, j) > 0);
    }
    return held;
}

shoal_status uff4mof_assign(uff_builder *b)
{
    int32_t pair[2];
    for (int32_t i = 0; i < b->mol->n_atoms; ++i) {
        if (!is_metal(b, i)) continue;
        if (uff_is_haptic(b, i, pair))
            return topology_reject(b->topology,
                                   "atom %d (%s) is bonded side-on to a pi system (atoms %d, %d "
                                   "..): UFF4MOF has no terms for haptic bonds",
                                   i, element_get(b->mol->element[i])->symbol, pair[0], pair[1]);
        SHOAL_TRY(type_metal(b, i));
        if (b->topology->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
    }
    for (int32_t i = 0; i < b->mol->n_atoms; ++i) {
        if (b->mol->element[i] == 8) type_oxygen(b, i);
        if (b->mol->element[i] == 16 && graph_degree(b->g, i) == 4 && count_metals(b, i) == 4)
            set_type(b, i, uff4mof_type_by_label("S_3_f"));
        if (is_carboxylate(b, i)) set_type(b, i, uff_type_by_label("C_R"));
    }
    return SHOAL_OK;
}

/* --- bond orders --------------------------------------------------------------------------------- */

/* The oxygen in the middle of three metal atoms. */
static double middle_order(const char *metal)
{
    static const char *const whole[] = {"Sc6+3", "V_6+3", "Al6+3", "Cr6f3", "Fe6+3"};
    for (size_t k = 0; k < sizeof whole / sizeof whole[0]; ++k)
        if (strcmp(metal, whole[k]) == 0) return 1;
    return 0.5;
}

static double metal_order(const char *a, const char *b)
{
    if (strcmp(a, "V_4+2") == 0 && strcmp(b, "V_4+2") == 0) return 3;
    if (strcmp(a, "Cr4+2") == 0 && strcmp(b, "Cr4+2") == 0) return 4;
    return 0.25;
}

double uff4mof_bond_order(const uff_builder *b, const shoal_bond *bond)
{
    const int32_t *z = b->mol->element;
    const bool metal[2] = {is_metal(b, bond->i), is_metal(b, bond->j)};
    const char *label[2] = {b->types[bond->i]->label, b->types[bond->j]->label};
    if (metal[0] && metal[1]) return metal_order(label[0], label[1]);
    if (metal[0] || metal[1]) {
        const int32_t other = metal[0] ? bond->j : bond->i;
        if (strcmp(label[metal[0]], "O_2_z") == 0) return middle_order(label[metal[1]]);
        return z[other] == 8 ? 0.5 : 1;
    }
    const int32_t carbon = z[bond->i] == 6 ? bond->i : bond->j;
    const int32_t other = carbon == bond->i ? bond->j : bond->i;
    if (z[other] == 8 && is_carboxylate(b, carbon)) return 1.5;
    return z[other] == 6 && (is_carboxylate(b, carbon) || is_carboxylate(b, other)) ? 1 : 0;
}

/* Plain UFF of a crystal whose metal atoms have types of their own here. */
void uff4mof_hint(uff_builder *b)
{
    int32_t n = 0, first = -1;
    for (int32_t i = 0; i < b->mol->n_atoms; ++i) {
        bool has = false;
        if (!is_metal(b, i) || graph_degree(b->g, i) < 2) continue;
        for (int t = 0; t < N_TYPES && !has; ++t) has = table[t].z == b->mol->element[i];
        n += has;
        if (has && first < 0) first = i;
    }
    if (n > 0)
        topology_warn(b->topology,
                      "%d metal atom%s (atom %d, %s) of nodes: UFF4MOF has types for them", n,
                      n > 1 ? "s" : "", first, element_get(b->mol->element[first])->symbol);
}
