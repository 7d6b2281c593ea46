/* SPDX-License-Identifier: BSD-3-Clause
 * How many hydrogen atoms a molecule lacks, and adding them.
 *
 * Where a file states orders and charges, the valences tell (RDKit's implicit hydrogens). Bare coordinates
 * have neither, and perception explains what is short of a valence as a multiple bond, an ion or a radical.
 * There a single hydrogen cannot be missed; but whoever leaves hydrogens out does so for all carbon atoms of
 * a molecule, and lengths and angles tell that from a molecule that has none. */
#include "chem/hydrogens.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"

#define MOST_LACKING 4 /* an atom short of more is a mistake in its charge */
#define MOST_PLAIN 128 /* atoms of a molecule that is looked through at once */
/* Longest double and triple bonds of carbon, over the sum of radii, that raise no suspicion. */
#define LONG_DOUBLE 0.965
#define LONG_TRIPLE 0.86

static bool takes_hydrogen(int32_t z)
{
    /* clang-format off */
    switch (z) {
    case 5: case 6: case 7: case 8: case 9: case 14: case 15: case 16: case 17: case 32: case 33:
    case 34: case 35: case 51: case 52: case 53: case 85: return true;
    default: return false;
    }
    /* clang-format on */
}

/* A charged atom has the valences of the element with as many electrons; group 14 loses one either way. */
static int32_t charge_shift(int32_t z, int32_t charge)
{
    switch (element_get(z)->outer) {
    case 3: return -charge;
    case 4: return charge < 0 ? charge : -charge;
    default: return charge;
    }
}

/* Up to the smallest allowed valence that holds all bonds and unpaired electrons. */
static int32_t lacking(int32_t z, int32_t charge, int32_t used)
{
    const element *e = element_get(z);
    const int32_t shift = charge_shift(z, charge);
    for (int32_t k = 0; k < e->n_valences; ++k) {
        const int32_t n = e->valences[k] + shift - used;
        if (n >= 0) return n <= MOST_LACKING ? n : 0;
    }
    return 0;
}

int32_t hydrogens_lacking(int32_t z, int32_t charge, int32_t used)
{
    return z != 1 && takes_hydrogen(z) ? lacking(z, charge, used) : 0;
}

atom_bonds hydrogens_look(const shoal_molecule *mol, int32_t atom)
{
    atom_bonds a = {0};
    for (int32_t b = mol->first_bond[atom]; b >= 0;) {
        const shoal_bond *bond = &mol->bonds[b];
        const bool second = bond->i != atom;
        const int32_t z = mol->element[second ? bond->i : bond->j];
        const int32_t ends = bond->i == bond->j ? 2 : 1; /* an own image is two partners */
        a.valence += ends * bond_valence(bond, atom);
        a.degree += ends;
        a.n_double += bond->order == SHOAL_ORDER_DOUBLE;
        a.n_triple += bond->order == SHOAL_ORDER_TRIPLE || bond->order == SHOAL_ORDER_QUADRUPLE;
        a.metal = a.metal || element_is_metal(z);
        b = mol->next_bond[b][second];
    }
    return a;
}

/* The valence of a neutral atom that lacks none, -1 of those that are looked at more closely. */
static int32_t plain_valence(int32_t z)
{
    static const int8_t plain[36] = {[1] = 1, [5] = 3,  [6] = 4,  [7] = 3,  [8] = 2,
                                     [9] = 1, [14] = 4, [16] = 2, [17] = 1, [35] = 1};
    return z < 36 && plain[z] ? plain[z] : -1;
}

/* True if all atoms plainly lack none: in one pass over the bonds, as every molecule of a stream is asked. */
static bool is_plain(const shoal_molecule *mol)
{
    uint8_t valence[MOST_PLAIN] = {0};
    if (mol->n_atoms > MOST_PLAIN) return false;
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *bond = &mol->bonds[b];
        const int32_t order = bond->order;
        if (order < SHOAL_ORDER_SINGLE || order > SHOAL_ORDER_TRIPLE) return false;
        valence[bond->i] = (uint8_t)(valence[bond->i] + order);
        valence[bond->j] = (uint8_t)(valence[bond->j] + order);
    }
    int32_t other = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        other |=
            (valence[i] - plain_valence(mol->element[i])) | mol->formal_charge[i] | mol->radical[i];
    return other == 0;
}

/* Orders and charges are given. */
static int32_t count_stated(const shoal_molecule *mol, int32_t *counts)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const atom_bonds a = hydrogens_look(mol, i);
        const int32_t used = a.valence + mol->radical[i];
        const int32_t n =
            a.metal ? 0 : hydrogens_lacking(mol->element[i], mol->formal_charge[i], used);
        if (counts) counts[i] = n;
        sum += n;
    }
    return sum;
}

static int32_t known_charge(const shoal_molecule *mol, int32_t atom)
{
    return mol->has_formal_charges ? mol->formal_charge[atom] : 0;
}

/* Bonds that perception made multiple although they are long or bent. */
static bool is_forced(const shoal_molecule *mol, int32_t atom, const atom_bonds *a)
{
    if (a->degree == 2 && (a->n_triple || a->n_double == 2) && !hydrogens_is_linear(mol, atom))
        return true;
    for (int32_t b = mol->first_bond[atom]; b >= 0;) {
        const shoal_bond *bond = &mol->bonds[b];
        const bool multiple = bond->order == SHOAL_ORDER_DOUBLE;
        if (multiple || bond->order == SHOAL_ORDER_TRIPLE)
            if (hydrogens_ratio(mol, b) > (multiple ? LONG_DOUBLE : LONG_TRIPLE)) return true;
        b = mol->next_bond[b][bond->i != atom];
    }
    return false;
}

/* Bonds to hydrogen are the last in most files, and the first in the chain of an atom. */
static bool bears_hydrogen(const shoal_molecule *mol, int32_t atom)
{
    for (int32_t b = mol->first_bond[atom]; b >= 0;) {
        const bool second = mol->bonds[b].i != atom;
        if (mol->element[second ? mol->bonds[b].i : mol->bonds[b].j] == 1) return true;
        b = mol->next_bond[b][second];
    }
    return false;
}

/* Carbon without hydrogen whose bonds ask for it. Most molecules have none, and cost no more than this. */
static bool is_odd_carbon(const shoal_molecule *mol, int32_t atom)
{
    if (mol->element[atom] != 6 || bears_hydrogen(mol, atom)) return false;
    const atom_bonds a = hydrogens_look(mol, atom);
    if (a.metal || a.degree >= 4) return false;
    if (lacking(6, known_charge(mol, atom), a.valence + mol->radical[atom])) return true;
    return mol->orders_found && is_forced(mol, atom, &a);
}

/* Atoms joined by bonds. */
typedef struct fragment {
    int32_t n_atoms, n_carbon, n_hydrogen;
    bool has_ch;   /* a carbon atom bears hydrogen */
    bool infinite; /* bonds lead to an image of itself */
} fragment;

typedef struct fragments {
    int32_t *of; /* [n_atoms] fragment of an atom */
    int32_t *order, (*shift)[3];
    fragment *list; /* [n] */
    int32_t n;
    bool *chosen; /* [n_atoms] of a fragment whose carbon atoms may have lost their hydrogen */
} fragments;

static void visit(const shoal_molecule *mol, fragments *f, int32_t atom, int32_t *end)
{
    fragment *part = &f->list[f->of[atom]];
    for (int32_t b = mol->first_bond[atom]; b >= 0;) {
        const shoal_bond *bond = &mol->bonds[b];
        const bool second = bond->i != atom;
        const int32_t to = second ? bond->i : bond->j;
        int32_t at[3];
        for (int k = 0; k < 3; ++k)
            at[k] = f->shift[atom][k] + (second ? -bond->shift[k] : bond->shift[k]);
        if (f->of[to] < 0) {
            f->of[to] = f->of[atom];
            memcpy(f->shift[to], at, sizeof at);
            f->order[(*end)++] = to;
        } else if (memcmp(f->shift[to], at, sizeof at) != 0) {
            part->infinite = true;
        }
        part->has_ch = part->has_ch || (mol->element[atom] == 6 && mol->element[to] == 1);
        b = mol->next_bond[b][second];
    }
    ++part->n_atoms;
    part->n_carbon += mol->element[atom] == 6;
    part->n_hydrogen += mol->element[atom] == 1;
}

static shoal_status find_fragments(const shoal_molecule *mol, fragments *f, arena *memory)
{
    const size_t n = (size_t)mol->n_atoms;
    f->of = arena_alloc_dirty(memory, n, sizeof *f->of);
    f->order = arena_alloc_dirty(memory, n, sizeof *f->order);
    f->shift = arena_alloc(memory, n, sizeof *f->shift);
    f->list = arena_alloc(memory, n, sizeof *f->list);
    f->chosen = arena_alloc(memory, n, sizeof *f->chosen);
    if (!f->of || !f->order || !f->shift || !f->list || !f->chosen) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < mol->n_atoms; ++i) f->of[i] = -1;
    for (int32_t i = 0, end = 0, next = 0; i < mol->n_atoms; ++i) {
        if (f->of[i] >= 0) continue;
        f->of[i] = f->n++;
        f->order[end++] = i;
        while (next < end) visit(mol, f, f->order[next++], &end);
    }
    /* C2, CO, cyanide and the like are whole as they are. */
    const int32_t fewest = mol->orders_found ? 2 : 1;
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const fragment *part = &f->list[f->of[i]];
        f->chosen[i] = !part->has_ch && part->n_carbon >= fewest && part->n_atoms > fewest;
    }
    return SHOAL_OK;
}

/* The anion of a nitro group, an azide, an amine oxide or an isonitrile. */
static bool is_beside_cation(const shoal_molecule *mol, int32_t atom, const atom_bonds *a)
{
    if (a->degree != 1 || (mol->element[atom] == 6 && !a->n_triple)) return false;
    const shoal_bond *bond = &mol->bonds[mol->first_bond[atom]];
    const int32_t to = bond->i == atom ? bond->j : bond->i;
    return mol->element[to] == 7 && hydrogens_look(mol, to).valence == 4;
}

/* Of an atom in a fragment that lost hydrogen. Where hydrogen stands on other elements, those that have none
 * are meant so; in an endless net of three-coordinate carbon, bonds are longer than elsewhere. */
static int32_t lacking_found(const shoal_molecule *mol, const fragment *part, int32_t i)
{
    const int32_t z = mol->element[i];
    if (z == 1 || !takes_hydrogen(z) || (z != 6 && part->n_hydrogen > 0)) return 0;
    const atom_bonds a = hydrogens_look(mol, i);
    if (a.metal || a.degree == 0 || is_beside_cation(mol, i, &a)) return 0;
    if (part->infinite && a.degree >= 3) return 0;
    if (z == 7 && a.valence > 3) return 0; /* a cation, as it will be explained */
    return lacking(z, known_charge(mol, i), a.valence + mol->radical[i]);
}

/* How much an atom that lacks hydrogen says about its fragment: carbon with one or two partners everything,
 * a pyramid of three little, as it may be a radical or a crude geometry. */
static int64_t evidence(const shoal_molecule *mol, const fragment *part, int32_t i, int32_t lacks)
{
    if (mol->element[i] != 6 || lacks == 0) return 0;
    if (hydrogens_look(mol, i).degree <= 2) return (int64_t)lacks * part->n_carbon;
    return hydrogens_is_pyramid(mol, i);
}

/* What makes a fragment one that lost hydrogen: half of its carbon atoms if they are pyramids. Carbonate,
 * cyanide and fullerenes are whole. */
static int64_t least_evidence(const fragment *part)
{
    return part->n_carbon > 2 ? (part->n_carbon + 1) / 2 : 2;
}

/* counts[n_atoms], for a molecule whose orders are final. */
static shoal_status count_fragments(const shoal_molecule *mol, const fragments *f, int32_t *counts,
                                    int32_t *sum, arena *memory)
{
    int64_t *seen = arena_alloc(memory, (size_t)f->n, sizeof *seen);
    if (!seen) return SHOAL_E_MEMORY;
    *sum = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const fragment *part = &f->list[f->of[i]];
        counts[i] = f->chosen[i] ? lacking_found(mol, part, i) : 0;
        seen[f->of[i]] += evidence(mol, part, i, counts[i]);
    }
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        if (seen[f->of[i]] < least_evidence(&f->list[f->of[i]])) counts[i] = 0;
        *sum += counts[i];
    }
    return SHOAL_OK;
}

/* mol is a copy whose orders may be guessed anew. */
static shoal_status count_found(shoal_molecule *mol, int32_t *counts, int32_t *sum)
{
    arena memory = {0};
    fragments f = {0};
    shoal_status status = find_fragments(mol, &f, &memory);
    if (!mol->has_formal_charges) /* those found belong to other orders */
        memset(mol->formal_charge, 0, (size_t)mol->n_atoms * sizeof *mol->formal_charge);
    if (status == SHOAL_OK && mol->orders_found) status = hydrogens_guess_orders(mol, f.chosen);
    if (status == SHOAL_OK) status = count_fragments(mol, &f, counts, sum, &memory);
    arena_free(&memory);
    return status;
}

static bool is_stated(const shoal_molecule *mol)
{
    return mol->has_formal_charges && !mol->orders_found;
}

static bool has_odd_carbon(const shoal_molecule *mol)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        if (is_odd_carbon(mol, i)) return true;
    return false;
}

/* *copy is left with the orders that the counts belong to, NULL where those of mol stay. */
static shoal_status count(const shoal_molecule *mol, int32_t *counts, int32_t *sum,
                          shoal_molecule **copy)
{
    *copy = NULL;
    *sum = 0;
    if (counts) memset(counts, 0, (size_t)mol->n_atoms * sizeof *counts);
    if (is_stated(mol)) {
        if (!is_plain(mol)) *sum = count_stated(mol, counts);
        return SHOAL_OK;
    }
    if (!has_odd_carbon(mol)) return SHOAL_OK;
    int32_t *own = counts ? counts : shoal_alloc((size_t)mol->n_atoms, sizeof *own);
    if (!own) return SHOAL_E_MEMORY;
    shoal_status status = shoal_molecule_create(copy);
    if (status == SHOAL_OK) status = shoal_molecule_copy(*copy, mol);
    if (status == SHOAL_OK) status = count_found(*copy, own, sum);
    if (!counts) free(own);
    return status;
}

int32_t shoal_molecule_missing_hydrogens(const shoal_molecule *mol, int32_t *counts)
{
    shoal_molecule *copy;
    int32_t sum;
    shoal_clear_error();
    if (!mol) return 0;
    if (!mol->perceived || mol->n_atoms == 0) {
        if (counts && mol->n_atoms > 0) memset(counts, 0, (size_t)mol->n_atoms * sizeof *counts);
        return 0;
    }
    const shoal_status status = count(mol, counts, &sum, &copy);
    shoal_molecule_destroy(copy);
    return status == SHOAL_OK ? sum : -1;
}

/* All memory is there before the first atom comes. */
static shoal_status add_placed(shoal_molecule *mol, const int32_t *counts, int32_t sum,
                               const shoal_molecule *ordered)
{
    const int32_t n = mol->n_atoms;
    double(*pos)[3] = shoal_alloc((size_t)sum, sizeof *pos);
    shoal_status status = pos ? hydrogens_place(ordered, counts, pos) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = molecule_reserve_atoms(mol, n + sum);
    if (status == SHOAL_OK) status = molecule_reserve_bonds(mol, mol->n_bonds + sum);
    if (status == SHOAL_OK) {
        for (int32_t b = 0; b < mol->n_bonds; ++b) mol->bonds[b].order = ordered->bonds[b].order;
        for (int32_t i = 0, k = 0; i < n; ++i)
            for (int32_t h = 0; h < counts[i]; ++h, ++k) {
                molecule_push_atom(mol, 1, pos[k]);
                molecule_push_bond(mol, i, n + k, SHOAL_ORDER_SINGLE);
            }
    }
    free(pos);
    return status;
}

shoal_status shoal_molecule_add_hydrogens(shoal_molecule *mol, int32_t *n_added)
{
    shoal_molecule *copy = NULL;
    int32_t sum = 0;
    shoal_clear_error();
    if (n_added) *n_added = 0;
    if (!mol) return shoal_fail(SHOAL_E_ARGUMENT, "hydrogens: no molecule given");
    SHOAL_TRY(shoal_molecule_perceive(mol, NULL));
    int32_t *counts = shoal_alloc((size_t)mol->n_atoms, sizeof *counts);
    if (!counts) return SHOAL_E_MEMORY;
    shoal_status status = count(mol, counts, &sum, &copy);
    if (status == SHOAL_OK && sum > INT32_MAX / 2 - mol->n_atoms)
        status = shoal_fail(SHOAL_E_MEMORY, "hydrogens: %d are too many", sum);
    if (status == SHOAL_OK && sum > 0) {
        status = add_placed(mol, counts, sum, copy ? copy : mol);
        mol->n_first = 0; /* those of the first fragment stand behind the second */
        shoal_molecule_remove_property(mol, "n0");
    }
    if (status == SHOAL_OK && n_added) *n_added = sum;
    free(counts);
    shoal_molecule_destroy(copy);
    return status;
}
