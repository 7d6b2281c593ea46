/* SPDX-License-Identifier: BSD-3-Clause
 * UFF atom types from perceived chemistry. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "chem/element.h"
#include "ff/ff_table.h"
#include "ff/topology.h"

bool uff_has_fixed_digit(int32_t z)
{
    /* clang-format off */
    switch (z) {
    case 12: case 13: case 14: case 15: case 50: case 51: case 52: case 80: case 81: case 82:
    case 83: case 84: return true;
    default: return false;
    }
    /* clang-format on */
}

static bool is_amide_carbon(const uff_builder *b, int32_t i)
{
    const shoal_molecule *mol = b->mol;
    bool oxygen = false, nitrogen = false;
    if (mol->element[i] != 6 || graph_degree(b->g, i) != 3) return false;
    for (int32_t e = b->g->start[i]; e < b->g->start[i + 1]; ++e) {
        const int32_t j = b->g->ends[e].atom, order = mol->bonds[b->g->ends[e].bond].order;
        if (mol->element[j] == 8 && order == SHOAL_ORDER_DOUBLE) oxygen = true;
        if (mol->element[j] == 7 && order == SHOAL_ORDER_SINGLE && graph_degree(b->g, j) == 3)
            nitrogen = true;
    }
    return oxygen && nitrogen;
}

/* In the paper R stands for resonance: aromatic atoms, and C and N of an amide. */
static bool is_resonant(const uff_builder *b, int32_t i)
{
    const atom_state *a = &b->mol->perception->atoms[i];
    if (b->digit) return false; /* said there */
    if (a->aromatic) return true;
    if (b->options->dialect != SHOAL_DIALECT_PAPER) return a->conjugated;
    if (is_amide_carbon(b, i)) return true;
    if (b->mol->element[i] != 7 || graph_degree(b->g, i) != 3) return false;
    for (int32_t e = b->g->start[i]; e < b->g->start[i + 1]; ++e)
        if (b->mol->bonds[b->g->ends[e].bond].order == SHOAL_ORDER_SINGLE &&
            is_amide_carbon(b, b->g->ends[e].atom))
            return true;
    return false;
}

/* Without resonance, a conjugated lone pair does not make its atom planar: in the paper an ester
 * oxygen is O_3. */
static hybridization paper_hybridization(const uff_builder *b, int32_t i)
{
    const atom_state *a = &b->mol->perception->atoms[i];
    const int32_t z = b->mol->element[i];
    const bool multiple = a->valence > graph_degree(b->g, i) || a->shares;
    if (a->hyb == HYB_SP2 && !multiple && (z == 7 || z == 8 || z == 16) && !is_resonant(b, i))
        return HYB_SP3;
    return a->hyb;
}

static char digit_of(hybridization h, bool resonant)
{
    switch (h) {
    case HYB_SP: return '1';
    case HYB_SP2: return resonant ? 'R' : '2';
    case HYB_SP3: return '3';
    case HYB_SP2D: return '4';
    case HYB_SP3D: return '5';
    case HYB_SP3D2: return '6';
    default: return '\0';
    }
}

/* The type of an element with the wanted digit and, where tags differ, the wanted tag ("" = any). */
static const uff_type *pick(const uff_type *types, int32_t n, char digit, const char *tag)
{
    for (int32_t t = 0; t < n; ++t)
        if (types[t].label[2] == digit && (!*tag || strcmp(types[t].label + 3, tag) == 0))
            return &types[t];
    return NULL;
}

/* Sulphide ions have the type of other sulphur of oxidation state -2. */
static const uff_type *sulfur_type(const uff_builder *b, int32_t i, char digit)
{
    int32_t n;
    const uff_type *types = uff_types_of(16, &n);
    const int32_t valence = b->mol->perception->atoms[i].valence;
    if (digit == '2' || digit == 'R') return pick(types, n, digit, "");
    if (valence == 2 || graph_degree(b->g, i) == 0) return pick(types, n, '3', "+2");
    return pick(types, n, '3', valence == 4 ? "+4" : "+6");
}

/* Charge of a metal atom if all its bonds were ionic. Terminal atoms that lack a bond, as oxygen does where
 * orders were found, have it with the metal. */
static int32_t oxidation_state(const uff_builder *b, int32_t i)
{
    int32_t state = b->mol->formal_charge[i];
    for (int32_t e = b->g->start[i]; e < b->g->start[i + 1]; ++e) {
        const int32_t j = b->g->ends[e].atom;
        if (element_is_metal(b->mol->element[j])) continue;
        state += bond_valence(&b->mol->bonds[b->g->ends[e].bond], i);
        if (graph_degree(b->g, j) == 1) state += b->mol->perception->atoms[j].radicals;
    }
    return state;
}

/* An image of an atom, relative to the cell of a metal atom. */
typedef struct image {
    int32_t atom, shift[3];
} image;

/* Whether so many bonds or fewer lead from an image to another one, past the metal atom. */
static bool is_within(const graph *g, const image *from, const image *to, int32_t metal,
                      int32_t n_bonds)
{
    for (int32_t e = g->start[from->atom]; e < g->start[from->atom + 1] && n_bonds > 0; ++e) {
        image next = {.atom = g->ends[e].atom};
        for (int c = 0; c < 3; ++c) next.shift[c] = from->shift[c] + g->ends[e].shift[c];
        const bool home = next.shift[0] == 0 && next.shift[1] == 0 && next.shift[2] == 0;
        if (next.atom == metal && home) continue;
        if (memcmp(&next, to, sizeof next) == 0) return true;
        if (is_within(g, &next, to, metal, n_bonds - 1)) return true;
    }
    return false;
}

/* The donors of a macrocycle, or of a chain of four, hold a metal atom in their plane: neighbours among them are
 * joined in rings of five to seven atoms, opposite ones are not. In frameworks all of them are, or none. */
static bool is_in_macrocycle(const uff_builder *b, int32_t i)
{
    const graph *g = b->g;
    int32_t n_joined = 0;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e)
        for (int32_t f = e + 1; f < g->start[i + 1]; ++f) {
            image from = {.atom = g->ends[e].atom}, to = {.atom = g->ends[f].atom};
            memcpy(from.shift, g->ends[e].shift, sizeof from.shift);
            memcpy(to.shift, g->ends[f].shift, sizeof to.shift);
            n_joined += is_within(g, &from, &to, i, 5) && !is_within(g, &from, &to, i, 2);
        }
    return n_joined == 3 || n_joined == 4;
}

/* Metals with several types: four partners or fewer stand at the corners of a tetrahedron, more of them, and those
 * of a macrocycle, at those of an octahedron. RDKit asks the electrons, which are no guide to d shells. */
static const uff_type *metal_type(const uff_builder *b, int32_t i)
{
    const int32_t z = b->mol->element[i], degree = graph_degree(b->g, i);
    const char digit = degree > 4 || (degree == 4 && is_in_macrocycle(b, i)) ? '6' : '3';
    int32_t n;
    const uff_type *types = uff_types_of(z, &n);
    const bool high = z == 74 && digit == '3' && oxidation_state(b, i) > 4;
    const uff_type *type = pick(types, n, digit, high ? "+6" : "");
    return type ? type : &types[0];
}

static const uff_type *choose_type(const uff_builder *b, int32_t i, char digit)
{
    const int32_t z = b->mol->element[i], degree = graph_degree(b->g, i);
    const int32_t valence = b->mol->perception->atoms[i].valence;
    int32_t n;
    const uff_type *types = uff_types_of(z, &n);
    if (n == 0) return NULL;
    switch (z) {
    case 1: return &types[degree >= 2]; /* H_, then H_b for bridges */
    case 5: return pick(types, n, digit == '1' ? '2' : digit, "");
    case 6:
    case 7:
    case 8: return pick(types, n, digit, "");
    case 15: return pick(types, n, '3', valence == 3 || degree == 0 ? "+3" : "+5");
    case 16: return sulfur_type(b, i, digit);
    default: return n == 1 ? &types[0] : metal_type(b, i);
    }
}

static shoal_status reject_untypable(uff_builder *b, int32_t i, char digit)
{
    const int32_t z = b->mol->element[i];
    const char *symbol = element_get(z)->symbol;
    char known[96] = "";
    size_t used = 0;
    int32_t n;
    const uff_type *types = uff_types_of(z, &n);
    for (int32_t t = 0; t < n && used < sizeof known - 10; ++t)
        used += (size_t)snprintf(known + used, sizeof known - used, " %s", types[t].label);
    return topology_reject(
        b->topology,
        "atom %d (%s, valence %d, %d neighbours, charge %d): no UFF type %s%s%c; the table has%s",
        i, symbol, b->mol->perception->atoms[i].valence, graph_degree(b->g, i),
        b->mol->formal_charge[i], symbol, symbol[1] ? "" : "_", digit ? digit : '?',
        n ? known : " none for this element");
}

static void find_geometry(const uff_builder *b, int32_t i, hybridization *hyb, char *digit)
{
    const int32_t z = b->mol->element[i];
    if (b->digit && b->digit[i]) {
        *digit = b->digit[i];
        *hyb = *digit == '1' ? HYB_SP : *digit == '3' ? HYB_SP3 : HYB_SP2;
        return;
    }
    *hyb = b->options->dialect == SHOAL_DIALECT_RDKIT ? b->mol->perception->atoms[i].hyb
                                                      : paper_hybridization(b, i);
    *digit = digit_of(*hyb, (z == 6 || z == 7 || z == 8 || z == 16) && is_resonant(b, i));
}

/* Whether five neighbours of an atom form a bipyramid although the table knows it as tetrahedral: those of the p block and
 * of group 5 (AsF5, GeF5-, NbF5). Zinc and the like have square pyramids as often. */
static bool is_expanded(const uff_builder *b, int32_t i, hybridization hyb)
{
    const int32_t z = b->mol->element[i];
    const bool is_p = (z > 30 && z < 37) || (z > 48 && z < 55) || (z > 80 && z < 87);
    const bool is_group_5 = z == 23 || z == 41 || z == 73;
    return hyb == HYB_SP3D && graph_degree(b->g, i) == 5 && (is_p || is_group_5);
}

/* Whether an atom of four neighbours has double bonds with two of them or more, xenon with all: permanganate, chromyl chloride, osmium and
 * xenon tetroxide are tetrahedra, though the only type of their element is octahedral or square. */
static bool is_tetroxide(const uff_builder *b, int32_t i)
{
    int32_t n = 0;
    const int32_t z = b->mol->element[i];
    if (graph_degree(b->g, i) != 4 || !(z == 54 || element_is_metal(z))) return false;
    for (int32_t e = b->g->start[i]; e < b->g->start[i + 1]; ++e)
        n += b->mol->bonds[b->g->ends[e].bond].order == SHOAL_ORDER_DOUBLE;
    return n >= (z == 54 ? 4 : 2);
}

/* The type that perception leads to, or NULL; *hyb and *digit say what was wanted. */
static const uff_type *find_type(const uff_builder *b, int32_t i, hybridization *hyb, char *digit)
{
    const int32_t z = b->mol->element[i];
    find_geometry(b, i, hyb, digit);
    const uff_type *type = choose_type(b, i, *digit);
    if (!type) return NULL;
    /* A bridge bends to the natural angle of its type. */
    if (z == 1 && graph_degree(b->g, i) >= 2) *hyb = uff_type_hybridization(type);
    /* Where the table has one geometry only for an element, it decides: Zn is tetrahedral, Pt
     * square planar, noble gases too. */
    if (!uff_has_fixed_digit(z) && z > 16 && type->label[2] != '\0' && type->label[2] != *digit &&
        uff_type_hybridization(type) != HYB_S && !is_expanded(b, i, *hyb))
        *hyb = uff_type_hybridization(type);
    if ((*hyb == HYB_SP3D2 || *hyb == HYB_SP2D) && is_tetroxide(b, i)) *hyb = HYB_SP3;
    /* IF7: no form is made for seven neighbours, and that of an octahedron comes nearest. */
    if (*hyb == HYB_UNSPECIFIED && graph_degree(b->g, i) > 5) *hyb = HYB_SP3D2;
    return type;
}

/* The type with a label: of the table of the user, else of the force field; NULL: none. */
static const uff_type *type_by_label(const uff_builder *b, const char *label)
{
    const uff_type *own = ff_table_type(b->options->table, label);
    return own ? own : is_uff4mof(b) ? uff4mof_type_by_label(label) : uff_type_by_label(label);
}

/* A given label brings its geometry, unless perception would choose the same label: P_3+5 with five
 * partners stays a bipyramid. */
static shoal_status assign_given(uff_builder *b, int32_t i)
{
    const char *label = b->mol->type[i];
    const uff_type *type = type_by_label(b, label);
    const char *symbol = element_get(b->mol->element[i])->symbol;
    hybridization hyb;
    char digit;
    if (!type)
        return topology_reject(b->topology, "atom %d (%s): '%s' is no %s type", i, symbol, label,
                               is_uff4mof(b) ? "UFF4MOF" : "UFF");
    if (type->z != b->mol->element[i])
        return topology_reject(b->topology, "atom %d (%s): type '%s' belongs to %s", i, symbol,
                               label, element_get(type->z)->symbol);
    b->types[i] = type;
    b->hyb[i] = find_type(b, i, &hyb, &digit) == type ? hyb
                : type->label[2] == '8'               ? HYB_SP3
                                                      : uff_type_hybridization(type);
    return SHOAL_OK;
}

static shoal_status assign_found(uff_builder *b, int32_t i)
{
    char digit;
    b->types[i] = find_type(b, i, &b->hyb[i], &digit);
    return b->types[i] ? SHOAL_OK : reject_untypable(b, i, digit);
}

bool uff_is_haptic(const uff_builder *b, int32_t metal, int32_t pair[2])
{
    const graph *g = b->g;
    for (int32_t e = g->start[metal]; e < g->start[metal + 1]; ++e)
        for (int32_t f = g->start[metal]; f < e; ++f) {
            pair[0] = g->ends[f].atom;
            pair[1] = g->ends[e].atom;
            if (b->mol->element[pair[0]] == 6 && b->mol->element[pair[1]] == 6 &&
                graph_are_joined(g, &g->ends[f], &g->ends[e]))
                return true;
        }
    return false;
}

/* Where bonds come from distances, each carbon atom of a ring below a metal has one with it and would be tetrahedral. Files that
 * give bonds and orders say how it is meant. */
static shoal_status reject_haptic(uff_builder *b)
{
    int32_t pair[2];
    for (int32_t i = 0; i < b->mol->n_atoms; ++i) {
        if (!element_is_metal(b->mol->element[i]) || !uff_is_haptic(b, i, pair)) continue;
        return topology_reject(
            b->topology,
            "atom %d (%s) is bonded side-on to a pi system (atoms %d, %d ..): UFF has no "
            "terms for haptic bonds",
            i, element_get(b->mol->element[i])->symbol, pair[0], pair[1]);
    }
    return SHOAL_OK;
}

static bool has_metal(const uff_builder *b, int32_t i)
{
    for (int32_t e = b->g->start[i]; e < b->g->start[i + 1]; ++e)
        if (element_is_metal(b->mol->element[b->g->ends[e].atom])) return true;
    return element_is_metal(b->mol->element[i]);
}

/* Whether an atom and its neighbours are of the elements of organic molecules, whose valences count; in sheets they may end anywhere. */
static bool is_organic(const uff_builder *b, int32_t i)
{
    const graph *g = b->g;
    const int32_t z = b->mol->element[i];
    bool is_sheet = z == 6;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        const int32_t k = b->mol->element[g->ends[e].atom];
        if (k != 1 && !(k >= 6 && k <= 9) && k != 16 && k != 17 && k != 35 && k != 53) return false;
        is_sheet &= k == 6;
    }
    return !is_sheet && z >= 6 && z <= 8;
}

/* In crystals: disorder, and hydrogen atoms that are not in the file. */
static void warn_of_radicals(uff_builder *b)
{
    const bool periodic = shoal_molecule_is_periodic(b->mol);
    int32_t n = 0, first = -1;
    for (int32_t i = 0; i < b->mol->n_atoms; ++i) {
        const int32_t radicals = b->mol->perception->atoms[i].radicals;
        if (radicals == 0 || graph_degree(b->g, i) == 0 || has_metal(b, i)) continue;
        if (periodic && !is_organic(b, i)) continue;
        n += radicals;
        if (first < 0) first = i;
    }
    if (n > 0)
        topology_warn(b->topology,
                      "%d unpaired electron%s (atom %d, %s): UFF has no types for radicals", n,
                      n > 1 ? "s" : "", first, element_get(b->mol->element[first])->symbol);
}

shoal_status uff_assign_types(uff_builder *b)
{
    uff_solid_marks marks = 0;
    if (b->options->dialect == SHOAL_DIALECT_FIRECORE) SHOAL_TRY(firecore_find_digits(b));
    if (b->mol->orders_found) SHOAL_TRY(reject_haptic(b));
    if (b->topology->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
    warn_of_radicals(b);
    for (int32_t i = 0; i < b->mol->n_atoms; ++i) {
        SHOAL_TRY(b->mol->type[i][0] ? assign_given(b, i) : assign_found(b, i));
        if (b->topology->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
        marks |= uff_solid_mark(b->mol->element[i]);
    }
    if (marks) SHOAL_TRY(uff_type_solids(b, marks));
    if (is_uff4mof(b)) SHOAL_TRY(uff4mof_assign(b));
    for (int32_t i = 0; b->options->table && i < b->mol->n_atoms; ++i)
        if (b->types[i]) b->types[i] = type_by_label(b, b->types[i]->label);
    if (!is_uff4mof(b) && (marks & UFF_HAS_METAL) && shoal_molecule_is_periodic(b->mol))
        uff4mof_hint(b);
    return SHOAL_OK;
}
