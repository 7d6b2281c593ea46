/* SPDX-License-Identifier: BSD-3-Clause
 * Salts and metals among atoms that are near each other: who has no covalent bonds although distances are short.
 *
 * An *anion* here is a non-metal atom without a partner among the non-metals; it is *packed* when more metal
 * atoms surround it than bonds could hold. Metals of groups 1 and 2 are ions of whatever is beside them, others
 * where anions surround them as in a salt. Metal atoms in heaps are a metal. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/bonds_inner.h"
#include "chem/element.h"

enum {
    PACKED = 5,        /* metals about an anion of a salt; four fit about O and S in bonds */
    PACKED_HALIDE = 4, /* bridges of complexes have two or three */
    PEROVSKITE = 6,    /* metals about an anion between two that may have bonds */
    CROWDED = 4, /* metals about an anion, in salts whose metals have more than four of them */
    CROWDED_HALIDE = 3, /* unless there are bonds between the metals, as in clusters */
    SHARED = 3,         /* the same, more than six of them */
    HEAP = 5,           /* metal partners in a metal; the clusters of carbonyls have four */
    NAKED_HEAP = 3,     /* metal atoms of a cluster without ligands */
    NAKED_PARTNERS = 3, /* metal atoms without ligands below an atom of a surface */
};

typedef enum metal_class {
    METAL_COVALENT, /* Be, Al, Ga, In: never an ion; as such UFF makes them larger than their oxides allow */
    METAL_BONDS, /* shares electrons with its partners, as far as nothing else is known */
    METAL_MG, /* magnesium: an ion among anions and solvent, but has bonds with molecules alone */
    METAL_LIGHT, /* Li, Na: an ion, unless bonded to carbon */
    METAL_IONS,  /* heavier ones of groups 1 and 2: always ions */
} metal_class;

typedef struct solid_atom {
    /* Partners within the reach of bonds: */
    int32_t n_metal;
    int32_t n_bonding; /* metals that may have bonds */
    int32_t n_other;
    int32_t n_hetero;   /* N, O, halogens and the like */
    int32_t n_holding;  /* of them: those with a metal of their own */
    int32_t n_neutral;  /* oxygen and nitrogen that are complete without the metal */
    int32_t n_covalent; /* carbon and the like */
    int32_t n_anion, n_packed, n_crowded, n_shared, n_released; /* anions, and kinds of them */
    /* Neighbours, contacts included: */
    int32_t near_metal, near_other;
    int32_t near_naked; /* metal atoms with metal neighbours alone */
    int32_t degree;     /* bonds that are left */
    int32_t heap;       /* the atom that stands for a heap of metal atoms */
    bool metal, anion, packed, ion;
    bool released; /* an anion of a metal that is an ion because of its anions */
} solid_atom;

typedef struct solid {
    shoal_molecule *mol;
    bond_pair *pairs;
    int32_t n_pairs;
    solid_atom *atoms;
} solid;

static metal_class class_of(int32_t z)
{
    /* clang-format off */
    switch (z) {
    case 4: case 13: case 31: case 49: return METAL_COVALENT;
    case 3: case 11: return METAL_LIGHT;
    case 12: return METAL_MG;
    case 19: case 20: case 37: case 38: case 55: case 56: case 87: case 88: return METAL_IONS;
    default: return METAL_BONDS;
    }
    /* clang-format on */
}

/* Charge of an atom alone with a full shell, 0 for those that have none. */
static int32_t anion_charge(int32_t z)
{
    /* clang-format off */
    switch (z) {
    case 1: case 9: case 17: case 35: case 53: case 85: return -1;
    case 8: case 16: case 34: case 52: return -2;
    case 7: case 15: case 33: return -3;
    case 6: return -4;
    default: return 0;
    }
    /* clang-format on */
}

/* Charge of a metal that has but one in salts, otherwise 0. */
static int32_t cation_charge(int32_t z)
{
    /* clang-format off */
    switch (z) {
    case 3: case 11: case 19: case 37: case 55: case 87: return 1;
    case 12: case 20: case 38: case 56: case 88: case 30: case 48: return 2;
    case 21: case 39: case 57: return 3;
    default: return 0;
    }
    /* clang-format on */
}

static bool is_halide(int32_t z)
{
    return z != 1 && anion_charge(z) == -1;
}

/* The metal of a pair of a metal and another atom comes first; NULL where both are alike. */
static bool order_ends(const solid *s, const bond_pair *p, int32_t *metal, int32_t *other)
{
    const bool first = s->atoms[p->i].metal;
    if (first == s->atoms[p->j].metal) return false;
    *metal = first ? p->i : p->j;
    *other = first ? p->j : p->i;
    return true;
}

static bool is_hetero(int32_t z)
{
    return z != 6 && z != 1 && anion_charge(z) != 0;
}

static void count_partners(solid *s)
{
    for (int32_t k = 0; k < s->n_pairs; ++k) {
        const bond_pair *p = &s->pairs[k];
        for (int end = 0; end < 2; ++end) {
            solid_atom *a = &s->atoms[end ? p->j : p->i];
            const int32_t j = end ? p->i : p->j, z = s->mol->element[j];
            const bool metal = s->atoms[j].metal;
            a->near_metal += metal;
            a->near_other += !metal;
            if (p->contact) continue;
            a->n_metal += metal;
            a->n_bonding += metal && class_of(z) <= METAL_MG;
            a->n_other += !metal;
            a->n_hetero += is_hetero(z);
        }
    }
    for (int32_t k = 0; k < s->n_pairs; ++k) {
        const bond_pair *p = &s->pairs[k];
        if (p->contact) continue;
        s->atoms[p->i].n_holding += is_hetero(s->mol->element[p->j]) && s->atoms[p->j].n_metal > 0;
        s->atoms[p->j].n_holding += is_hetero(s->mol->element[p->i]) && s->atoms[p->i].n_metal > 0;
    }
    for (int32_t i = 0; i < s->mol->n_atoms; ++i) {
        solid_atom *a = &s->atoms[i];
        const int32_t z = s->mol->element[i];
        a->anion = !a->metal && a->n_other == 0 && anion_charge(z) != 0;
        a->packed = a->anion && (a->n_bonding >= (is_halide(z) ? PACKED_HALIDE : PACKED) ||
                                 (a->n_bonding >= 2 && a->near_metal >= PEROVSKITE));
    }
}

/* Carbon and its like that have room for a metal (that of a carboxylate or ketone only comes along with its oxygen, cyanide is an
 * ion, but 2-pyridyl has its bond), and hydrogen between one or two of them. */
static bool is_covalent_partner(const solid *s, int32_t i)
{
    const solid_atom *a = &s->atoms[i];
    switch (s->mol->element[i]) {
    case 1: return a->anion && a->n_metal <= 2;
    case 5:
    case 6:
    case 14:
    case 32:
        if (a->packed || a->n_other > 3) return false;
        return a->n_hetero == 0 || (a->n_hetero == 1 && a->n_other > 1 && a->n_holding == 0);
    default: return false;
    }
}

/* Water, ethers, ammonia, amines. */
static bool is_solvent(const solid *s, int32_t i)
{
    const int32_t z = s->mol->element[i], n = s->atoms[i].n_other;
    return (z == 8 && n >= 2) || (z == 7 && n >= 3);
}

static void count_anions(solid *s)
{
    for (int32_t k = 0; k < s->n_pairs; ++k) {
        int32_t metal, other;
        if (s->pairs[k].contact || !order_ends(s, &s->pairs[k], &metal, &other)) continue;
        solid_atom *m = &s->atoms[metal];
        const solid_atom *a = &s->atoms[other];
        m->n_covalent += is_covalent_partner(s, other);
        m->n_neutral += is_solvent(s, other);
        if (!a->anion) continue;
        const bool halide = is_halide(s->mol->element[other]) && m->n_metal == 0;
        ++m->n_anion;
        m->n_packed += a->packed;
        m->n_crowded += a->n_bonding >= (halide ? CROWDED_HALIDE : CROWDED);
        m->n_shared += a->n_bonding >= SHARED;
    }
}

/* Whether the anions about a metal atom are those of a salt, rather than its ligands. */
static bool is_in_salt(const solid_atom *a)
{
    return (a->n_anion > 0 && 2 * a->n_packed >= a->n_other) ||
           (a->n_anion > 4 && 2 * a->n_crowded > a->n_other) ||
           (a->n_anion > 6 && 2 * a->n_shared > a->n_other) || 2 * a->n_released > a->n_other;
}

static bool is_ion(const solid *s, int32_t i)
{
    const solid_atom *a = &s->atoms[i];
    const metal_class class = class_of(s->mol->element[i]);
    if (!a->metal || a->near_other == 0 || class == METAL_COVALENT) return false;
    if (class == METAL_IONS || is_in_salt(a)) return true;
    if (a->n_covalent > 0) return false;
    if (class == METAL_MG)
        return a->n_anion > 0 &&
               (2 * a->n_anion >= a->n_other || a->n_anion + a->n_neutral == a->n_other);
    return class == METAL_LIGHT;
}

/* The anions of a salt are at its surface, too: metals that have most of their partners among them are ions. */
static bool spread_ions(solid *s)
{
    bool changed = false;
    for (int32_t i = 0; i < s->mol->n_atoms; ++i) {
        const bool ion = is_ion(s, i);
        changed = changed || ion != s->atoms[i].ion;
        s->atoms[i].ion = ion;
        s->atoms[i].n_released = 0;
    }
    for (int pass = 0; pass < 2 && changed; ++pass)
        for (int32_t k = 0; k < s->n_pairs; ++k) {
            int32_t metal, other;
            if (s->pairs[k].contact || !order_ends(s, &s->pairs[k], &metal, &other)) continue;
            solid_atom *m = &s->atoms[metal], *a = &s->atoms[other];
            if (pass)
                m->n_released += a->released;
            else if (a->anion && m->ion && class_of(s->mol->element[metal]) <= METAL_MG)
                a->released = true;
        }
    return changed;
}

static void drop_ions(solid *s)
{
    while (spread_ions(s)) {
    }
    for (int32_t k = 0; k < s->n_pairs; ++k) {
        bond_pair *p = &s->pairs[k];
        int32_t metal, other;
        if (order_ends(s, p, &metal, &other))
            p->dropped =
                s->atoms[metal].ion ||
                (s->atoms[other].packed && class_of(s->mol->element[metal]) != METAL_COVALENT);
        else if (s->atoms[p->i].metal)
            p->dropped = s->atoms[p->i].ion || s->atoms[p->j].ion;
    }
}

/* Oxygen and fluorine hold two metals apart: these are near each other for their sake. So do other anions where
 * the metals are not as near as their radii would let them. */
static bool holds_apart(int32_t z, double stretch)
{
    return z == 8 || z == 9 || (stretch > 1 && is_hetero(z));
}

/* Partners that hold metals apart, by metal atom: pairs of atom i are list[start[i] .. start[i + 1]). */
typedef struct bridge_list {
    int32_t *start, *list;
} bridge_list;

static shoal_status list_bridges(bridge_list *out, const solid *s)
{
    const int32_t n = s->mol->n_atoms;
    out->start = shoal_alloc((size_t)n + 2, sizeof *out->start);
    out->list = shoal_alloc((size_t)s->n_pairs, sizeof *out->list);
    if (!out->start || !out->list) return SHOAL_E_MEMORY;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t k = 0; k < s->n_pairs; ++k) {
            int32_t metal, other;
            if (s->pairs[k].contact || !order_ends(s, &s->pairs[k], &metal, &other) ||
                !is_hetero(s->mol->element[other]))
                continue;
            if (pass)
                out->list[out->start[metal + 1]++] = k;
            else
                ++out->start[metal + 2];
        }
        for (int32_t i = 0; i < n && !pass; ++i) out->start[i + 2] += out->start[i + 1];
    }
    return SHOAL_OK;
}

/* Image of a bridge relative to the metal atom at one end of the pair. */
static void bridge_shift(const bond_pair *p, int32_t metal, int32_t out[3])
{
    for (int c = 0; c < 3; ++c) out[c] = p->i == metal ? p->shift[c] : -p->shift[c];
}

/* Whether the two metals of a pair have the same image of the same bridge. */
static bool is_bridged(const solid *s, const bridge_list *b, const bond_pair *p)
{
    for (int32_t e = b->start[p->i]; e < b->start[p->i + 1]; ++e) {
        const bond_pair *x = &s->pairs[b->list[e]];
        const int32_t other = x->i == p->i ? x->j : x->i;
        int32_t from_i[3], from_j[3];
        bridge_shift(x, p->i, from_i);
        for (int32_t f = b->start[p->j]; f < b->start[p->j + 1]; ++f) {
            const bond_pair *y = &s->pairs[b->list[f]];
            if ((y->i == p->j ? y->j : y->i) != other ||
                !holds_apart(s->mol->element[other], p->stretch))
                continue;
            bridge_shift(y, p->j, from_j);
            for (int c = 0; c < 3; ++c) from_j[c] += p->shift[c];
            if (memcmp(from_i, from_j, sizeof from_i) == 0) return true;
        }
    }
    return false;
}

static shoal_status drop_bridged(solid *s)
{
    bridge_list bridges = {NULL, NULL};
    const shoal_status status = list_bridges(&bridges, s);
    for (int32_t k = 0; k < s->n_pairs && status == SHOAL_OK; ++k) {
        bond_pair *p = &s->pairs[k];
        if (p->dropped || !s->atoms[p->i].metal || !s->atoms[p->j].metal) continue;
        p->dropped = is_bridged(s, &bridges, p);
    }
    free(bridges.start);
    free(bridges.list);
    return status;
}

/* Contacts count where there are metals alone: in bulk the radii of bonds are exceeded. */
static bool joins_metals(const solid *s, const bond_pair *p)
{
    const solid_atom *a = &s->atoms[p->i], *b = &s->atoms[p->j];
    return !p->dropped && a->metal && b->metal &&
           (!p->contact || (a->near_other == 0 && b->near_other == 0));
}

static int32_t find_heap(solid_atom *atoms, int32_t i)
{
    while (atoms[i].heap != i) i = atoms[i].heap = atoms[atoms[i].heap].heap;
    return i;
}

/* What is known of a heap of metal atoms. */
typedef struct metal_heap {
    int32_t n_atoms;
    bool dense;   /* an atom has many metal partners */
    bool ligands; /* an atom has another partner */
} metal_heap;

/* Metal atoms joined by bonds are a metal if one of them has more partners than clusters of complexes have, or if
 * there is nothing else in the heap. */
static shoal_status drop_metals(solid *s)
{
    const int32_t n = s->mol->n_atoms;
    metal_heap *heaps = shoal_alloc((size_t)n, sizeof *heaps);
    if (!heaps) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n; ++i) {
        s->atoms[i].heap = i;
        s->atoms[i].n_metal = s->atoms[i].n_other = 0;
    }
    for (int32_t k = 0; k < s->n_pairs; ++k) {
        const bond_pair *p = &s->pairs[k];
        const bool metals = joins_metals(s, p);
        if (p->dropped || (p->contact && !metals)) continue;
        for (int end = 0; end < 2; ++end) {
            solid_atom *a = &s->atoms[end ? p->j : p->i];
            a->n_metal += metals;
            a->n_other += !metals;
        }
        if (metals) s->atoms[find_heap(s->atoms, p->i)].heap = find_heap(s->atoms, p->j);
    }
    for (int32_t i = 0; i < n; ++i) {
        metal_heap *h = &heaps[find_heap(s->atoms, i)];
        ++h->n_atoms;
        h->dense = h->dense || s->atoms[i].n_metal >= HEAP;
        h->ligands = h->ligands || s->atoms[i].n_other > 0;
    }
    for (int32_t k = 0; k < s->n_pairs; ++k) {
        bond_pair *p = &s->pairs[k];
        if (!joins_metals(s, p)) continue;
        const metal_heap *h = &heaps[find_heap(s->atoms, p->i)];
        p->dropped = h->dense || (!h->ligands && h->n_atoms >= NAKED_HEAP);
    }
    free(heaps);
    return SHOAL_OK;
}

/* Part of a metal: among metal atoms alone, or on top of such. */
static bool is_metallic(const solid_atom *a)
{
    return a->metal &&
           ((a->near_other == 0 && a->near_metal > 0) || a->near_naked >= NAKED_PARTNERS);
}

static void count_neighbours(solid *s)
{
    for (int32_t k = 0; k < s->n_pairs; ++k) {
        const bond_pair *p = &s->pairs[k];
        solid_atom *a = &s->atoms[p->i], *b = &s->atoms[p->j];
        a->degree += !p->contact && !p->dropped;
        b->degree += !p->contact && !p->dropped;
        a->near_naked += b->metal && b->near_other == 0;
        b->near_naked += a->metal && a->near_other == 0;
    }
}

/* Anions beside metal atoms that are no metal, and the cations that belong to them. */
static void mark_charged(solid *s)
{
    for (int32_t i = 0; i < s->mol->n_atoms; ++i) s->atoms[i].ion = false;
    for (int32_t k = 0; k < s->n_pairs; ++k) {
        int32_t metal, other;
        if (!order_ends(s, &s->pairs[k], &metal, &other)) continue;
        solid_atom *m = &s->atoms[metal], *a = &s->atoms[other];
        if (m->degree > 0 || is_metallic(m)) continue;
        m->ion = true;
        a->ion = a->ion || (a->anion && a->degree == 0);
    }
}

/* Charges of the ions; metals that have several share what the others leave, so that salts are neutral. */
static void set_charges(solid *s)
{
    shoal_molecule *mol = s->mol;
    int32_t sum = 0, n_open = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const solid_atom *a = &s->atoms[i];
        const int32_t z = mol->element[i];
        const int32_t outer = element_get(z)->outer;
        mol->formal_charge[i] = !a->ion ? 0 : a->metal ? cation_charge(z) : anion_charge(z);
        sum += mol->formal_charge[i];
        n_open += a->ion && a->metal && mol->formal_charge[i] == 0;
        /* A neutral atom of groups 1 and 2 is known from an ion by its unpaired electrons. */
        if (class_of(z) >= METAL_MG) mol->radical[i] = a->degree == 0 && is_metallic(a) ? outer : 0;
    }
    for (int32_t i = 0; i < mol->n_atoms && n_open > 0 && sum < 0; ++i) {
        if (!s->atoms[i].ion || !s->atoms[i].metal || mol->formal_charge[i] != 0) continue;
        mol->formal_charge[i] = -sum / n_open;
        sum += mol->formal_charge[i];
        --n_open;
    }
}

static shoal_status look(solid *s)
{
    for (int32_t i = 0; i < s->mol->n_atoms; ++i)
        s->atoms[i].metal = element_is_metal(s->mol->element[i]);
    count_partners(s);
    count_anions(s);
    drop_ions(s);
    SHOAL_TRY(drop_metals(s));
    SHOAL_TRY(drop_bridged(s));
    if (s->mol->has_formal_charges) return SHOAL_OK;
    count_neighbours(s);
    mark_charged(s);
    set_charges(s);
    return SHOAL_OK;
}

shoal_status solids_take_out(shoal_molecule *mol, bond_pair *pairs, int32_t *n_pairs)
{
    solid s = {.mol = mol, .pairs = pairs, .n_pairs = *n_pairs};
    s.atoms = shoal_alloc((size_t)mol->n_atoms, sizeof *s.atoms);
    if (!s.atoms) return SHOAL_E_MEMORY;
    const shoal_status status = look(&s);
    free(s.atoms);
    int32_t n = 0;
    for (int32_t k = 0; k < *n_pairs; ++k)
        if (!pairs[k].contact && !pairs[k].dropped) pairs[n++] = pairs[k];
    *n_pairs = n;
    return status;
}
