/* SPDX-License-Identifier: BSD-3-Clause
 * Bond and angle terms. Rappe et al., J. Am. Chem. Soc. 114 (1992) 10024, equations 2-13. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "chem/orders.h"
#include "ff/builder.h"
#include "geom/vector.h"

#include "constants.h"

#define STIFFNESS 664.12 /* kcal/mol angstrom: twice 332.06 */
#define TETRAHEDRAL (109.47 * DEGREE)
#define COS_50 0.6427876096865394
#define COS_63 0.4539904997395468
#define COS_68 0.3746065934159120
#define COS_70 0.3420201433256688
#define COS_80 ANGLE_TIGHT
#define COS_90 0.0
#define COS_120 -0.5
#define COS_150 -0.8660254037844387

static double perceived_order(const shoal_bond *bond)
{
    if (bond->aromatic) return 1.5;
    if (bond->shared > 0) return bond->shared;
    switch (bond->order) {
    case SHOAL_ORDER_DOUBLE: return 2;
    case SHOAL_ORDER_TRIPLE: return 3;
    case SHOAL_ORDER_QUADRUPLE: return 4;
    default: return 1;
    }
}

/* The paper's resonance order of an amide C-N bond. */
static bool is_amide_bond(const uff_builder *b, const shoal_bond *bond)
{
    const int32_t zi = b->mol->element[bond->i], zj = b->mol->element[bond->j];
    const char *ti = b->types[bond->i]->label, *tj = b->types[bond->j]->label;
    return !bond->aromatic && bond->order == SHOAL_ORDER_SINGLE &&
           ((zi == 6 && zj == 7) || (zi == 7 && zj == 6)) && ti[2] == 'R' && tj[2] == 'R' &&
           !b->mol->perception->atoms[zi == 7 ? bond->i : bond->j].aromatic &&
           !b->mol->perception->atoms[zi == 6 ? bond->i : bond->j].aromatic;
}

/* Lone pairs of nitrogen are shared with boron: 1.44 angstrom rather than 1.52. */
static bool is_sheet_bond(const uff_builder *b, const shoal_bond *bond)
{
    return b->sheet && b->sheet[bond->i] && b->sheet[bond->j] && bond->order == SHOAL_ORDER_SINGLE;
}

/* Tetrahedra of a framework are alike, wherever a structure draws the double bonds of phosphorus. */
static bool is_framework_bond(const uff_builder *b, const shoal_bond *bond)
{
    return b->framework && (strcmp(b->types[bond->i]->label, "O_3_z") == 0 ||
                            strcmp(b->types[bond->j]->label, "O_3_z") == 0);
}

static bool names_bond(const shoal_bond_override *o, const shoal_bond *bond)
{
    return (o->i == bond->i && o->j == bond->j) || (o->i == bond->j && o->j == bond->i);
}

static bool is_oxo(const uff_builder *b, const shoal_bond *bond)
{
    const shoal_molecule *mol = b->mol;
    return bond->order == SHOAL_ORDER_DOUBLE && mol->orders_found &&
           element_is_metal(mol->element[bond->i]) != element_is_metal(mol->element[bond->j]);
}

/* Lone pairs of an oxo group make its bond up to triple; the length tells how far, as types of metals do not (Mn6+2 is the only one of
 * manganese). */
static double oxo_order(const uff_builder *b, const shoal_bond *bond)
{
    const uff_type *ti = b->types[bond->i], *tj = b->types[bond->j];
    const double r = bond_length(b->mol, bond);
    b->topology->uses_positions = true;
    const double off2 = fabs(r - uff_natural_length(ti, tj, 2));
    return off2 <= fabs(r - uff_natural_length(ti, tj, 3)) ? 2 : 3;
}

double uff_bond_order(const uff_builder *b, const shoal_bond *bond)
{
    const shoal_typing_options *o = b->options;
    for (int32_t k = 0; k < o->n_orders; ++k)
        if (names_bond(&o->orders[k], bond)) return o->orders[k].order;
    const double of_node = is_uff4mof(b) ? uff4mof_bond_order(b, bond) : 0;
    if (of_node > 0) return of_node;
    if (o->dialect == SHOAL_DIALECT_PAPER && is_amide_bond(b, bond)) return 1.41;
    if (is_sheet_bond(b, bond)) return 1.5;
    if (is_framework_bond(b, bond)) return 1;
    if (b->found_order) return b->found_order[bond - b->mol->bonds];
    if (is_oxo(b, bond)) return oxo_order(b, bond);
    return perceived_order(bond);
}

double uff_natural_length(const uff_type *i, const uff_type *j, double order)
{
    const double sum = i->r1 + j->r1;
    const double root = sqrt(i->xi) - sqrt(j->xi);
    const double by_charge = i->r1 * j->r1 * root * root / (i->xi * i->r1 + j->xi * j->r1);
    const double by_order = order == 1 ? 0 : -0.1332 * sum * log(order);
    return sum + by_order - by_charge;
}

double uff_bond_constant(const uff_type *i, const uff_type *j, double r0)
{
    return KCAL_EV * STIFFNESS * i->z1 * j->z1 / (r0 * r0 * r0);
}

/* An order given for two atoms that are not bonded is a mistake worth knowing. */
shoal_status uff_check_orders(const uff_builder *b)
{
    for (int32_t k = 0; k < b->options->n_orders; ++k) {
        const shoal_bond_override *o = &b->options->orders[k];
        int32_t n = 0;
        while (n < b->mol->n_bonds && !names_bond(o, &b->mol->bonds[n])) ++n;
        if (n == b->mol->n_bonds)
            return topology_reject(b->topology,
                                   "there is no bond %d-%d that could have the order %g", o->i,
                                   o->j, o->order);
    }
    return SHOAL_OK;
}

shoal_status uff_build_bonds(uff_builder *b)
{
    const shoal_molecule *mol = b->mol;
    const size_t n = (size_t)mol->n_bonds;
    SHOAL_TRY(uff_check_orders(b));
    if (b->topology->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
    b->order = arena_alloc_dirty(b->scratch, n, sizeof *b->order);
    b->natural = arena_alloc_dirty(b->scratch, n, sizeof *b->natural);
    if (!b->order || !b->natural) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < mol->n_bonds; ++k) {
        const shoal_bond *bond = &mol->bonds[k];
        const uff_type *ti = b->types[bond->i], *tj = b->types[bond->j];
        const double order = uff_bond_order(b, bond), r0 = uff_natural_length(ti, tj, order);
        b->order[k] = order;
        b->natural[k] = r0;
        shoal_term *t = builder_next(b->out, SHOAL_KIND_BOND);
        t->atoms[0] = bond->i;
        t->atoms[1] = bond->j;
        memcpy(t->shifts[1], bond->shift, sizeof bond->shift);
        t->p[SHOAL_BOND_K] = uff_bond_constant(ti, tj, r0);
        t->p[SHOAL_BOND_R0] = r0;
        t->p[SHOAL_BOND_ORDER] = order;
    }
    return SHOAL_OK;
}

/* Force constant in eV for the cosine of the natural angle between natural lengths a and c. */
static double angle_constant(const uff_type *ti, const uff_type *tk, double a, double c,
                             double cosine)
{
    const double r2 = a * a + c * c - 2 * a * c * cosine;
    const double r5 = r2 * r2 * sqrt(r2);
    return KCAL_EV * STIFFNESS * ti->z1 * tk->z1 / r5 *
           (3 * a * c * (1 - cosine * cosine) - r2 * cosine);
}

/* E = k/n^2 (1 - cos n t), with the sign that puts the minimum at 180 degrees for n = 1. */
static void set_periodic(shoal_term *t, double k, int n)
{
    t->p[SHOAL_ANGLE_K] = k / (n * n);
    t->p[SHOAL_ANGLE_C0] = 1;
    t->p[SHOAL_ANGLE_C0 + n] = n == 1 ? 1 : -1;
}

static void set_general(shoal_term *t, double k, double cosine)
{
    const double sine2 = 1 - cosine * cosine;
    const double c2 = 1 / (4 * sine2);
    double *c = t->p + SHOAL_ANGLE_C0;
    t->p[SHOAL_ANGLE_K] = k;
    c[2] = c2;
    c[1] = -4 * c2 * cosine;
    c[0] = c2 * (2 * cosine * cosine + 1);
}

/* Natural angle at an sp2 centre in a small ring: 60 or 90 degrees inside, 150 or 135 outside;
 * 0 where the normal rule holds. RDKit asks only whether the atoms lie in some such ring. */
static double small_ring_angle(const uff_builder *b, int32_t i, int32_t j, int32_t k)
{
    const atom_state *a = b->mol->perception->atoms;
    if (b->options->dialect != SHOAL_DIALECT_RDKIT) return 0;
    if (a[j].in_ring3) {
        const int ends = a[i].in_ring3 + a[k].in_ring3;
        return ends == 2 ? 60 : ends == 1 ? 150 : 0;
    }
    if (a[j].in_ring4) {
        const int ends = a[i].in_ring4 + a[k].in_ring4;
        return ends == 2 ? 90 : ends == 1 ? 135 : 0;
    }
    return 0;
}

typedef struct axial_pair {
    int32_t first, second; /* positions in the neighbour list, -1 without one */
} axial_pair;

static void bond_vector(const shoal_molecule *mol, int32_t j, const graph_end *end, double out[3])
{
    double r2 = 0;
    for (int c = 0; c < 3; ++c) {
        out[c] = mol->pos[end->atom][c] - mol->pos[j][c];
        for (int k = 0; k < 3; ++k) out[c] += end->shift[k] * mol->cell[k][c];
        r2 += out[c] * out[c];
    }
    for (int c = 0; c < 3; ++c) out[c] /= r2 > 0 ? sqrt(r2) : 1;
}

/* The most obtuse pair of neighbours at the given geometry. */
static axial_pair find_axial(const uff_builder *b, int32_t j)
{
    const graph *g = b->g;
    axial_pair axial = {-1, -1};
    double least = 2;
    b->topology->uses_positions = true;
    for (int32_t e = g->start[j]; e < g->start[j + 1]; ++e) {
        double u[3], v[3];
        bond_vector(b->mol, j, &g->ends[e], u);
        for (int32_t f = e + 1; f < g->start[j + 1]; ++f) {
            bond_vector(b->mol, j, &g->ends[f], v);
            const double cosine = vector_dot(u, v);
            if (!(cosine < least)) continue;
            least = cosine;
            axial = (axial_pair){e, f};
        }
    }
    return axial;
}

/* Trigonal bipyramid, complete or with lone pairs in the equatorial plane. RDKit knows complete ones
 * only; where it types an atom with lone pairs (P, Sb, Te), the general form is its answer. */
bool uff_is_bipyramid(const uff_builder *b, int32_t j)
{
    const int32_t degree = graph_degree(b->g, j);
    if (b->hyb[j] != HYB_SP3D || degree > 5) return false;
    return degree == 5 || b->options->dialect != SHOAL_DIALECT_RDKIT ||
           !uff_has_fixed_digit(b->mol->element[j]);
}

static void set_bipyramid(shoal_term *t, double k, double cosine, const axial_pair *axial,
                          int32_t e, int32_t f)
{
    const int n_axial =
        (e == axial->first || e == axial->second) + (f == axial->first || f == axial->second);
    if (n_axial == 2)
        set_periodic(t, k, 2);
    else if (n_axial == 0)
        set_periodic(t, k, 3);
    else
        set_general(t, k, cosine);
}

/* Where angles are at. */
typedef struct angle_centre {
    double cosine;    /* of the natural angle */
    axial_pair axial; /* of a bipyramid */
} angle_centre;

/* A straight natural angle has no general form, so hypervalent halogens, bridging alkali metals and the like
 * take the angle of their electron pairs. */
static angle_centre look_at_centre(const uff_builder *b, int32_t j)
{
    const double natural = b->types[j]->theta0;
    double theta0 = natural * DEGREE;
    const bool octahedral = uff_type_hybridization(b->types[j]) == HYB_SP3D2;
    if ((natural == 180 || octahedral) && b->hyb[j] == HYB_SP3) theta0 = TETRAHEDRAL;
    if (natural == 180 && b->hyb[j] == HYB_SP3D) theta0 = 90 * DEGREE;
    angle_centre centre = {cos(theta0), {-1, -1}};
    if (uff_is_bipyramid(b, j)) centre.axial = find_axial(b, j);
    return centre;
}

static void set_angle(const uff_builder *b, shoal_term *t, int32_t e, int32_t f,
                      const angle_centre *centre)
{
    const graph *g = b->g;
    const int32_t i = t->atoms[0], j = t->atoms[1], k_end = t->atoms[2];
    const uff_type *ti = b->types[i], *tk = b->types[k_end];
    const double a = b->natural[g->ends[e].bond], c = b->natural[g->ends[f].bond];
    const hybridization hyb = b->hyb[j];
    const double ring = hyb == HYB_SP2 ? small_ring_angle(b, i, j, k_end) : 0;
    if (ring > 0) {
        const double cosine = cos(ring * DEGREE);
        set_general(t, angle_constant(ti, tk, a, c, cosine), cosine);
        return;
    }
    const bool straight = b->types[j]->theta0 == 180;
    const double k = angle_constant(ti, tk, a, c, centre->cosine);
    if (hyb == HYB_SP || (straight && (hyb == HYB_S || hyb == HYB_UNSPECIFIED)))
        set_periodic(t, k, 1);
    else if (hyb == HYB_SP2)
        set_periodic(t, k, 3);
    else if (hyb == HYB_SP3D2 || hyb == HYB_SP2D)
        set_periodic(t, k, 4);
    else if (centre->axial.first >= 0)
        set_bipyramid(t, k, centre->cosine, &centre->axial, e, f);
    else
        set_general(t, k, centre->cosine);
}

/* Whether the ends of an angle have a neighbour in common beside the centre j: the bite of a ligand. Images of an atom are not
 * the same neighbour. */
static bool is_bite(const graph *g, int32_t j, const graph_end *i, const graph_end *k)
{
    for (int32_t e = g->start[i->atom]; e < g->start[i->atom + 1]; ++e)
        for (int32_t f = g->start[k->atom]; f < g->start[k->atom + 1]; ++f) {
            const graph_end *a = &g->ends[e], *b = &g->ends[f];
            bool same = a->atom == b->atom, home = a->atom == j;
            for (int c = 0; c < 3; ++c) {
                same &= i->shift[c] + a->shift[c] == k->shift[c] + b->shift[c];
                home &= i->shift[c] + a->shift[c] == 0;
            }
            if (same && !home) return true;
        }
    return false;
}

typedef struct angle_guard {
    double strength; /* in force constants */
    double from;     /* cosine of the angle where it begins */
} angle_guard;

/* How often the form of an angle goes up and down over half a circle. */
static int periods(const shoal_term *t)
{
    const double *c = t->p + SHOAL_ANGLE_C0;
    return c[4] == -1 ? 4 : c[3] == -1 ? 3 : c[2] == -1 ? 2 : 1;
}

/* 1 - cos nt is 0 at t = 0 too, and from n = 2 on the angle falls towards it from 180/n degrees. A guard leaves
 * no minimum there (docs/decisions/0017-angle-guard.md). Bites of ligands and crowded centres have small
 * angles of their own: theirs begins later. */
static angle_guard choose_guard(const uff_builder *b, const shoal_term *t, bool bites)
{
    static const angle_guard trigonal = {10, COS_80}, octahedral = {10, COS_70},
                             crowded = {30, COS_68};
    static const angle_guard late = {30, COS_63}, latest = {30, COS_50}, none = {0, 0};
    const int32_t degree = graph_degree(b->g, t->atoms[1]);
    switch (periods(t)) {
    case 4: return bites || degree > 9 ? latest : degree > 6 ? crowded : octahedral;
    case 3: return degree > 3 || bites ? late : trigonal;
    default: return degree > 4 ? late : none;
    }
}

/* Axial neighbours are those of the first geometry. From one that is far from a bipyramid, neighbours meet half way and
 * stay there unless each kind of angle has a guard that begins well above (docs/decisions/0029-bipyramids.md). */
static angle_guard choose_bipyramid_guard(const shoal_term *t, bool bites)
{
    static const angle_guard axial = {5, COS_120}, equatorial = {10, COS_90};
    static const angle_guard mixed = {20, COS_70}, bite = {30, COS_63};
    const int n = periods(t);
    if (n == 2) return axial;
    return bites ? bite : n == 3 ? equatorial : mixed;
}

/* Ends that are bonded stay apart by themselves. */
static bool needs_guard(const uff_builder *b, const graph_end *i, const graph_end *k)
{
    return !b->options->no_angle_guard && !graph_are_joined(b->g, i, k);
}

static void guard_angle(const uff_builder *b, shoal_term *t, int32_t e, int32_t f)
{
    const graph_end *i = &b->g->ends[e], *k = &b->g->ends[f];
    const int n = periods(t);
    if (!needs_guard(b, i, k)) return;
    const angle_guard guard = choose_guard(b, t, is_bite(b->g, t->atoms[1], i, k));
    if (guard.strength == 0) return;
    t->p[SHOAL_ANGLE_GUARD] = guard.strength * n * n * t->p[SHOAL_ANGLE_K];
    t->p[SHOAL_ANGLE_GUARD_FROM] = guard.from;
}

static graph_end end_of(const shoal_term *t, int k)
{
    graph_end end = {.atom = t->atoms[k]};
    memcpy(end.shift, t->shifts[k], sizeof end.shift);
    return end;
}

static bool is_end(const shoal_term *t, int k, const graph_end *end)
{
    return t->atoms[k] == end->atom && memcmp(t->shifts[k], end->shift, sizeof end->shift) == 0;
}

/* Whether a term is the angle between the neighbours of a pair. */
static bool is_angle(const uff_builder *b, const shoal_term *t, const axial_pair *pair)
{
    const graph_end *i = &b->g->ends[pair->first], *k = &b->g->ends[pair->second];
    return (is_end(t, 0, i) && is_end(t, 2, k)) || (is_end(t, 0, k) && is_end(t, 2, i));
}

/* A guard of angle number n; there is room for all of them. */
static shoal_term *add_guard(uff_builder *b, int32_t n)
{
    shoal_term *g = builder_next(b->out, SHOAL_KIND_GUARD);
    const shoal_term *t = &b->out->terms[n];
    memcpy(g->atoms, t->atoms, sizeof g->atoms);
    memcpy(g->shifts, t->shifts, sizeof g->shifts);
    return g;
}

/* Pairs of neighbours that are opposite to each other at a centre of the fourfold form, which is as low at 90 as at
 * 180 degrees: a see-saw would be as good as a square. */
static int32_t count_opposite(const uff_builder *b, int32_t j)
{
    const int32_t degree = graph_degree(b->g, j), z = b->mol->element[j];
    if (b->hyb[j] != HYB_SP2D && b->hyb[j] != HYB_SP3D2) return 0;
    /* An octahedral metal may lack any two of its neighbours. */
    return degree < 4 || degree > 6 ||
                   (degree == 4 && b->hyb[j] == HYB_SP3D2 && element_is_metal(z))
               ? 0
               : degree / 2;
}

static bool is_taken(const axial_pair *pairs, int32_t n, int32_t e)
{
    for (int32_t k = 0; k < n; ++k)
        if (pairs[k].first == e || pairs[k].second == e) return true;
    return false;
}

/* The most obtuse pair among neighbours that are not in the n pairs; returns its cosine. */
static double find_opposite(const uff_builder *b, int32_t j, axial_pair *pairs, int32_t n)
{
    const graph *g = b->g;
    double least = 2;
    for (int32_t e = g->start[j]; e < g->start[j + 1]; ++e) {
        double u[3], v[3];
        if (is_taken(pairs, n, e)) continue;
        bond_vector(b->mol, j, &g->ends[e], u);
        for (int32_t f = e + 1; f < g->start[j + 1]; ++f) {
            const graph_end *i = &g->ends[e], *k = &g->ends[f];
            if (is_taken(pairs, n, f) || !needs_guard(b, i, k) || is_bite(g, j, i, k)) continue;
            bond_vector(b->mol, j, k, v);
            const double cosine = vector_dot(u, v);
            if (!(cosine < least)) continue;
            least = cosine;
            pairs[n] = (axial_pair){e, f};
        }
    }
    return least;
}

/* From a start that is no octahedron or square, opposite neighbours are driven apart to where their form goes on to 180
 * degrees: from 150, well beyond its barrier at 135. */
static void guard_opposite(uff_builder *b, int32_t j)
{
    const int32_t n = count_opposite(b, j);
    axial_pair pairs[3];
    double worst = -1;
    for (int32_t k = 0; k < n; ++k) worst = fmax(worst, find_opposite(b, j, pairs, k));
    if (n > 0) b->topology->uses_positions = true;
    if (worst < COS_150 || worst > 1) return;
    for (int32_t m = 0, n_terms = b->out->n_terms; m < n_terms; ++m) {
        const shoal_term *t = &b->out->terms[m];
        if (t->kind != SHOAL_KIND_ANGLE || t->atoms[1] != j) continue;
        for (int32_t k = 0; k < n; ++k) {
            if (!is_angle(b, t, &pairs[k])) continue;
            shoal_term *g = add_guard(b, m);
            g->p[SHOAL_GUARD_K] = 400 * b->out->terms[m].p[SHOAL_ANGLE_K];
            g->p[SHOAL_GUARD_FROM] = COS_150;
        }
    }
}

void uff_build_guards(uff_builder *b)
{
    const int32_t n_terms = b->out->n_terms;
    for (int32_t j = 0; j < b->g->n_atoms; ++j) guard_opposite(b, j);
    for (int32_t n = 0; n < n_terms; ++n) {
        const shoal_term *t = &b->out->terms[n];
        if (t->kind != SHOAL_KIND_ANGLE || !uff_is_bipyramid(b, t->atoms[1])) continue;
        const graph_end i = end_of(t, 0), k = end_of(t, 2);
        if (!needs_guard(b, &i, &k)) continue;
        const angle_guard guard = choose_bipyramid_guard(t, is_bite(b->g, t->atoms[1], &i, &k));
        const int periodic = periods(t);
        shoal_term *g = add_guard(b, n);
        g->p[SHOAL_GUARD_K] = guard.strength * periodic * periodic * t->p[SHOAL_ANGLE_K];
        g->p[SHOAL_GUARD_FROM] = guard.from;
    }
}

void uff_build_angles(uff_builder *b)
{
    const graph *g = b->g;
    for (int32_t j = 0; j < g->n_atoms; ++j) {
        if (graph_degree(g, j) < 2) continue;
        if (b->mol->element[j] == 1 && b->options->dialect == SHOAL_DIALECT_FIRECORE) continue;
        const angle_centre centre = look_at_centre(b, j);
        for (int32_t e = g->start[j]; e < g->start[j + 1]; ++e)
            for (int32_t f = e + 1; f < g->start[j + 1]; ++f) {
                shoal_term *t = builder_next(b->out, SHOAL_KIND_ANGLE);
                t->atoms[0] = g->ends[e].atom;
                t->atoms[1] = j;
                t->atoms[2] = g->ends[f].atom;
                if (b->shifted) {
                    memcpy(t->shifts[0], g->ends[e].shift, sizeof t->shifts[0]);
                    memcpy(t->shifts[2], g->ends[f].shift, sizeof t->shifts[2]);
                }
                set_angle(b, t, e, f, &centre);
                if (centre.axial.first < 0) guard_angle(b, t, e, f);
            }
    }
}
