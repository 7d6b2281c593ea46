/* SPDX-License-Identifier: BSD-3-Clause
 * Slabs cut from crystals: the lattice of a plane by whole numbers, and where a slab may end. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "geom/lattice.h"
#include "geom/vector.h"
#include "surf/slab.h"

#define SAME 0.01        /* angstrom: atoms that a translation brings there are one */
#define MAX_CRYSTAL 4000 /* atoms, whose translations are looked for pair by pair */
#define MAX_INDEX 1000
#define NOISE 1e-9 /* of fractions */

/* A plane of atoms that a slab may end with. */
typedef struct cut_end {
    double top, gap, dipole; /* in layers; angstrom; e angstrom, across a layer, without its sign */
} cut_end;

/* An atom of the layer: height in layers, 0 to 1, and what it is. */
typedef struct cut_atom {
    double u, v, height, charge;
    int32_t z, plane;
} cut_atom;

typedef struct cut_crystal {
    const shoal_slab_options *o;
    const shoal_molecule *mol;
    double cell[3][3], (*frac)[3];
    int32_t n;
    int32_t n_shifts;    /* translations of the crystal in the cell, the identity too */
    int64_t basis[3][3]; /* rows in 1/n_shifts of the cell; the first two lie in the plane */
    double rows[3][3];   /* the same, angstrom */
    double spacing;      /* angstrom */
    double lateral[2];   /* of the third row along the first two */
    cut_atom *atoms;     /* of a layer */
    int32_t n_atoms;
    cut_end *ends;
    int32_t n_ends;
    bool has_charges;
} cut_crystal;

/* Fractions with a denominator of crystals lose what arithmetic left on them. */
static double exact(double x)
{
    const double whole = round(x * 24.0);
    return fabs(x * 24.0 - whole) < 24.0 * NOISE ? whole / 24.0 : x;
}

static double into_cell(double x)
{
    const double rest = exact(x - floor(x));
    return rest >= 1.0 ? 0.0 : rest;
}

/* --- translations -------------------------------------------------------------------------------- */

static bool is_same_place(const cut_crystal *c, const double a[3], const double b[3])
{
    double d[3], r[3];
    for (int k = 0; k < 3; ++k) d[k] = b[k] - a[k] - round(b[k] - a[k]);
    for (int k = 0; k < 3; ++k)
        r[k] = d[0] * c->cell[0][k] + d[1] * c->cell[1][k] + d[2] * c->cell[2][k];
    return vector_norm(r) < SAME;
}

static bool is_same_kind(const cut_crystal *c, int32_t i, int32_t j)
{
    const int32_t *z = shoal_molecule_elements(c->mol);
    const double *q = shoal_molecule_charges(c->mol);
    return z[i] == z[j] && (!q || fabs(q[i] - q[j]) < 1e-6);
}

/* The atom that atom i comes to by a translation; -1 without one. */
static int32_t image_of(const cut_crystal *c, int32_t i, const double shift[3])
{
    double to[3];
    for (int k = 0; k < 3; ++k) to[k] = c->frac[i][k] + shift[k];
    for (int32_t j = 0; j < c->n; ++j)
        if (is_same_kind(c, i, j) && is_same_place(c, to, c->frac[j])) return j;
    return -1;
}

static bool is_translation(const cut_crystal *c, const double shift[3])
{
    for (int32_t i = 0; i < c->n; ++i)
        if (image_of(c, i, shift) < 0) return false;
    return true;
}

/* An atom whose element is the rarest. */
static int32_t rarest_atom(const cut_crystal *c)
{
    const int32_t *z = shoal_molecule_elements(c->mol);
    int32_t count[128] = {0}, best = 0;
    for (int32_t i = 0; i < c->n; ++i) ++count[z[i]];
    for (int32_t i = 0; i < c->n; ++i)
        if (count[z[i]] < count[z[best]]) best = i;
    return best;
}

/* All of them, as shifts[n_shifts] in fractions of the cell; the caller frees. */
static shoal_status find_translations(cut_crystal *c, double (**shifts)[3])
{
    const int32_t from = rarest_atom(c);
    *shifts = shoal_alloc((size_t)c->n, sizeof **shifts);
    if (!*shifts) return SHOAL_E_MEMORY;
    for (int32_t j = 0; j < c->n; ++j) {
        double d[3];
        vector_subtract(c->frac[j], c->frac[from], d);
        if (is_same_kind(c, from, j) && is_translation(c, d))
            memcpy((*shifts)[c->n_shifts++], d, sizeof d);
    }
    return SHOAL_OK;
}

/* --- whole numbers ------------------------------------------------------------------------------- */

static void subtract_row(int64_t *row, const int64_t *other, int64_t times)
{
    for (int k = 0; k < 3; ++k) row[k] -= times * other[k];
}

/* Joins a vector to a lattice whose rows are triangular: row k has zeros before column k. */
static void join_vector(int64_t rows[3][3], int64_t v[3])
{
    for (int k = 0; k < 3; ++k)
        while (v[k] != 0) {
            subtract_row(rows[k], v, rows[k][k] / v[k]);
            for (int m = 0; m < 3; ++m) {
                const int64_t kept = rows[k][m];
                rows[k][m] = v[m];
                v[m] = kept;
            }
        }
}

/* The primitive lattice, in 1/n_shifts of the cell. */
static void find_primitive(cut_crystal *c, const double (*shifts)[3])
{
    memset(c->basis, 0, sizeof c->basis);
    for (int k = 0; k < 3; ++k) c->basis[k][k] = c->n_shifts;
    for (int32_t s = 0; s < c->n_shifts; ++s) {
        int64_t v[3];
        for (int k = 0; k < 3; ++k) v[k] = llround(shifts[s][k] * c->n_shifts);
        join_vector(c->basis, v);
    }
}

static int64_t height_of(const cut_crystal *c, const int64_t row[3])
{
    return c->o->hkl[0] * row[0] + c->o->hkl[1] * row[1] + c->o->hkl[2] * row[2];
}

static void swap_rows(int64_t a[3], int64_t b[3])
{
    for (int k = 0; k < 3; ++k) {
        const int64_t kept = a[k];
        a[k] = b[k];
        b[k] = kept;
    }
}

/* Rows 0 and 1 come to lie in the plane, row 2 leads to the next one above: Euclid's algorithm on the heights. */
static void turn_into_plane(cut_crystal *c)
{
    for (int k = 0; k < 2; ++k)
        while (height_of(c, c->basis[k]) != 0) {
            subtract_row(c->basis[2], c->basis[k],
                         height_of(c, c->basis[2]) / height_of(c, c->basis[k]));
            swap_rows(c->basis[2], c->basis[k]);
        }
    if (height_of(c, c->basis[2]) < 0)
        for (int k = 0; k < 3; ++k) c->basis[2][k] = -c->basis[2][k];
}

static void measure_rows(cut_crystal *c)
{
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            c->rows[i][k] = 0.0;
            for (int m = 0; m < 3; ++m)
                c->rows[i][k] += (double)c->basis[i][m] / c->n_shifts * c->cell[m][k];
        }
}

/* Short vectors a and b of the plane, right-handed seen from above, at an acute angle. */
static void reduce_plane(cut_crystal *c)
{
    double normal[3];
    measure_rows(c);
    for (int turn = 0; turn < 1000; ++turn) {
        const double *a = c->rows[0], *b = c->rows[1];
        const double times = round(vector_dot(a, b) / vector_dot(a, a) * (1.0 - 1e-9));
        subtract_row(c->basis[1], c->basis[0], (int64_t)times);
        measure_rows(c);
        if (vector_dot(b, b) >= vector_dot(a, a) * (1.0 - 1e-9)) break;
        swap_rows(c->basis[0], c->basis[1]);
        measure_rows(c);
    }
    vector_cross(c->rows[0], c->rows[1], normal);
    if (vector_dot(normal, c->rows[2]) < 0.0) subtract_row(c->basis[1], c->basis[1], 2);
    measure_rows(c);
    const double dot = vector_dot(c->rows[0], c->rows[1]);
    if (dot < -1e-6 * vector_dot(c->rows[0], c->rows[0]))
        subtract_row(c->basis[1], c->basis[0], -1);
    measure_rows(c);
}

/* Spacing of the layers, and how far along a and b the next one is shifted. */
static void measure_layers(cut_crystal *c)
{
    const double *a = c->rows[0], *b = c->rows[1], *up = c->rows[2];
    double normal[3];
    vector_cross(a, b, normal);
    (void)vector_normalise(normal, 0.0);
    c->spacing = vector_dot(up, normal);
    const double aa = vector_dot(a, a), bb = vector_dot(b, b), ab = vector_dot(a, b);
    const double ua = vector_dot(up, a), ub = vector_dot(up, b), det = aa * bb - ab * ab;
    c->lateral[0] = exact((ua * bb - ub * ab) / det);
    c->lateral[1] = exact((ub * aa - ua * ab) / det);
}

/* --- the layer ----------------------------------------------------------------------------------- */

/* Fractions of the rows of the basis. */
static void in_basis(const cut_crystal *c, const double frac[3], double out[3])
{
    const int64_t(*m)[3] = c->basis;
    double minor[3][3], det = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            minor[i][k] = (double)(m[i1][k1] * m[i2][k2] - m[i1][k2] * m[i2][k1]);
        }
    for (int k = 0; k < 3; ++k) det += (double)m[0][k] * minor[0][k];
    for (int i = 0; i < 3; ++i) out[i] = exact(c->n_shifts * vector_dot(minor[i], frac) / det);
}

/* Whether an atom is the first of those that translations make of one. */
static bool is_first(const cut_crystal *c, const double (*shifts)[3], int32_t i)
{
    for (int32_t s = 0; s < c->n_shifts; ++s)
        if (image_of(c, i, shifts[s]) < i) return false;
    return true;
}

/* Atoms of a layer, of the crystal's order, lateral places with what their heights add. */
static shoal_status collect_atoms(cut_crystal *c, const double (*shifts)[3])
{
    const double *charges = shoal_molecule_charges(c->mol);
    c->atoms = shoal_alloc((size_t)c->n, sizeof *c->atoms);
    if (!c->atoms) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < c->n; ++i) {
        double at[3];
        if (!is_first(c, shifts, i)) continue;
        in_basis(c, c->frac[i], at);
        c->atoms[c->n_atoms++] = (cut_atom){.u = at[0],
                                            .v = at[1],
                                            .height = into_cell(at[2]),
                                            .charge = charges ? charges[i] : 0.0,
                                            .z = shoal_molecule_elements(c->mol)[i]};
    }
    return SHOAL_OK;
}

/* Charges of a salt of two elements, the first with that charge. */
static void charge_salt(cut_crystal *c, const int32_t z[2], const int32_t count[2])
{
    const double ratio = (double)count[1] / count[0];
    double first = c->o->charge;
    if (first == 0.0) first = slab_class_charge(z[0], z[1], ratio);
    if (first == 0.0) first = -slab_class_charge(z[1], z[0], 1.0 / ratio) * ratio;
    if (first == 0.0) return;
    c->has_charges = true;
    for (int32_t i = 0; i < c->n_atoms; ++i)
        c->atoms[i].charge = c->atoms[i].z == z[0] ? first : -first / ratio;
}

static shoal_status choose_charges(cut_crystal *c)
{
    int32_t z[2] = {c->atoms[0].z, 0}, count[2] = {0}, others = 0;
    c->has_charges = shoal_molecule_charges(c->mol) && !c->o->no_charges && c->o->charge == 0.0;
    if (c->has_charges) return SHOAL_OK;
    for (int32_t i = 0; i < c->n_atoms; ++i) {
        c->atoms[i].charge = 0.0;
        if (c->atoms[i].z != z[0] && z[1] == 0) z[1] = c->atoms[i].z;
        if (c->atoms[i].z == z[0])
            ++count[0];
        else if (c->atoms[i].z == z[1])
            ++count[1];
        else
            ++others;
    }
    if (c->o->charge != 0.0 && (count[1] == 0 || others > 0))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "slab: a charge of the first element is for crystals of two elements");
    if (!c->o->no_charges && count[1] > 0 && others == 0) charge_salt(c, z, count);
    return SHOAL_OK;
}

/* --- where it ends ------------------------------------------------------------------------------- */

static int higher(const void *left, const void *right)
{
    const double a = ((const cut_atom *)left)->height, b = ((const cut_atom *)right)->height;
    return (a < b) - (a > b);
}

/* Height below a top, in layers: 0 at it, less than 1. */
static double below(double top, double height)
{
    const double d = top - height;
    return d < -NOISE ? d + 1.0 : fmax(d, 0.0);
}

static double dipole_of(const cut_crystal *c, double top)
{
    double sum = 0.0;
    for (int32_t i = 0; i < c->n_atoms; ++i)
        sum += c->atoms[i].charge * below(top, c->atoms[i].height);
    return fabs(sum * c->spacing);
}

static int better(const void *left, const void *right)
{
    const cut_end *a = left, *b = right;
    if (fabs(a->dipole - b->dipole) > 1e-6) return a->dipole < b->dipole ? -1 : 1;
    if (fabs(a->gap - b->gap) > 1e-6) return a->gap > b->gap ? -1 : 1;
    return a->top > b->top ? -1 : 1;
}

/* Planes from the highest on: heights that begin one are more than LAYER_GAP below the one before, the first counted
 * from the lowest of the layer above. */
static shoal_status find_ends(cut_crystal *c)
{
    cut_atom *sorted = shoal_alloc((size_t)c->n_atoms, sizeof *sorted);
    c->ends = shoal_alloc((size_t)c->n_atoms, sizeof *c->ends);
    if (!sorted || !c->ends) {
        free(sorted);
        return SHOAL_E_MEMORY;
    }
    memcpy(sorted, c->atoms, (size_t)c->n_atoms * sizeof *sorted);
    qsort(sorted, (size_t)c->n_atoms, sizeof *sorted, higher);
    for (int32_t i = 0; i < c->n_atoms; ++i) {
        const double above = i > 0 ? sorted[i - 1].height : sorted[c->n_atoms - 1].height + 1.0;
        const double gap = (above - sorted[i].height) * c->spacing, top = sorted[i].height;
        if (gap > LAYER_GAP) c->ends[c->n_ends++] = (cut_end){top, gap, dipole_of(c, top)};
    }
    if (c->n_ends == 0)
        c->ends[c->n_ends++] = (cut_end){sorted[0].height, 0.0, dipole_of(c, sorted[0].height)};
    qsort(c->ends, (size_t)c->n_ends, sizeof *c->ends, better);
    free(sorted);
    return SHOAL_OK;
}

static const cut_end *chosen_end(const cut_crystal *c)
{
    const int32_t k = c->o->termination;
    return &c->ends[k > 0 ? k - 1 : 0];
}

/* --- the crystal --------------------------------------------------------------------------------- */

static shoal_status check_crystal(const cut_crystal *c, const bool pbc[3])
{
    const int32_t *h = c->o->hkl;
    if (c->n == 0) return shoal_fail(SHOAL_E_ARGUMENT, "slab: the crystal has no atoms");
    if (!pbc[0] || !pbc[1] || !pbc[2])
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: Miller indices cut crystals that repeat in "
                                            "three directions; this one does not");
    if (h[0] == 0 && h[1] == 0 && h[2] == 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: a crystal needs Miller indices, not all zero");
    for (int k = 0; k < 3; ++k)
        if (abs(h[k]) > MAX_INDEX)
            return shoal_fail(SHOAL_E_ARGUMENT, "slab: the Miller index %d, expected -%d to %d",
                              h[k], MAX_INDEX, MAX_INDEX);
    if (c->n > MAX_CRYSTAL)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: %d atoms in the cell of the crystal, at most %d",
                          c->n, MAX_CRYSTAL);
    return SHOAL_OK;
}

static shoal_status fill_fractions(cut_crystal *c)
{
    geom_lattice lattice;
    const bool pbc[3] = {true, true, true};
    const double(*pos)[3] = shoal_molecule_positions(c->mol);
    c->frac = shoal_alloc((size_t)c->n, sizeof *c->frac);
    if (!c->frac) return SHOAL_E_MEMORY;
    (void)lattice_init(&lattice, (const double(*)[3])c->cell, pbc);
    for (int32_t i = 0; i < c->n; ++i)
        for (int k = 0; k < 3; ++k) c->frac[i][k] = exact(lattice_fraction(&lattice, pos[i], k));
    return SHOAL_OK;
}

static shoal_status cut_open(cut_crystal *c, const shoal_slab_options *o)
{
    bool pbc[3];
    double(*shifts)[3] = NULL;
    *c = (cut_crystal){.o = o, .mol = o->crystal, .n = shoal_molecule_n_atoms(o->crystal)};
    shoal_molecule_cell(c->mol, c->cell, pbc);
    SHOAL_TRY(check_crystal(c, pbc));
    SHOAL_TRY(fill_fractions(c));
    shoal_status status = find_translations(c, &shifts);
    if (status == SHOAL_OK) {
        find_primitive(c, (const double(*)[3])shifts);
        turn_into_plane(c);
        reduce_plane(c);
        measure_layers(c);
        status = collect_atoms(c, (const double(*)[3])shifts);
    }
    free(shifts);
    SHOAL_TRY(status);
    SHOAL_TRY(choose_charges(c));
    SHOAL_TRY(find_ends(c));
    if (o->termination >= 0 && o->termination <= c->n_ends) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "slab: termination %d, expected 1 to %d", o->termination,
                      c->n_ends);
}

static void cut_close(cut_crystal *c)
{
    free(c->frac);
    free(c->atoms);
    free(c->ends);
}

/* --- words --------------------------------------------------------------------------------------- */

static int32_t divisor(int32_t a, int32_t b)
{
    return b == 0 ? a : divisor(b, a % b);
}

/* Elements of the atoms from one depth below a top to another, in the order of the crystal: "Ca2C2O6". */
static void put_formula(shoal_string *s, const cut_crystal *c, double top, double from, double to)
{
    int32_t count[128] = {0};
    for (int32_t i = 0; i < c->n_atoms; ++i) {
        const double depth = below(top, c->atoms[i].height);
        count[c->atoms[i].z] += depth >= from && depth <= to;
    }
    for (int32_t i = 0; i < c->n_atoms; ++i) {
        const int32_t z = c->atoms[i].z, n = count[z];
        if (n > 0) shoal_string_put_text(s, shoal_element_symbol(z));
        if (n > 1) shoal_string_put_integer(s, n);
        count[z] = 0;
    }
}

/* The same of the whole crystal, reduced: "CaCO3". */
static void put_name(shoal_string *s, const cut_crystal *c)
{
    int32_t count[128] = {0}, common = 0;
    for (int32_t i = 0; i < c->n_atoms; ++i) ++count[c->atoms[i].z];
    for (int32_t z = 1; z < 128; ++z) common = divisor(common, count[z]);
    for (int32_t i = 0; i < c->n_atoms; ++i) {
        const int32_t z = c->atoms[i].z, n = count[z] / common;
        if (n > 0) shoal_string_put_text(s, shoal_element_symbol(z));
        if (n > 1) shoal_string_put_integer(s, n);
        count[z] = 0;
    }
}

/* Depth of the lowest atom of the plane at a top, in layers. */
static double plane_depth(const cut_crystal *c, double top)
{
    double depth = 0.0;
    for (bool grown = true; grown;) {
        grown = false;
        for (int32_t i = 0; i < c->n_atoms; ++i) {
            const double d = below(top, c->atoms[i].height);
            if (d <= depth || (d - depth) * c->spacing > LAYER_GAP) continue;
            depth = d;
            grown = true;
        }
    }
    return depth;
}

static shoal_status list_ends(const cut_crystal *c, shoal_string *out)
{
    for (int32_t k = 0; k < c->n_ends; ++k) {
        const cut_end *end = &c->ends[k];
        const double depth = plane_depth(c, end->top);
        shoal_string_print(out, "%d: ", k + 1);
        put_formula(out, c, end->top, 0.0, depth + NOISE);
        if (c->n_ends > 1) {
            shoal_string_put_text(out, " above ");
            put_formula(out, c, end->top, depth + NOISE, 1.0);
        }
        shoal_string_print(out, ", %.2f A from the layer above", end->gap);
        if (c->has_charges && end->dipole > 1e-3)
            shoal_string_print(out, ", polar: %.2f e A in each layer", end->dipole);
        shoal_string_put_text(out, "\n");
    }
    return shoal_string_status(out);
}

static void put_indices(shoal_string *s, const int32_t h[3])
{
    const bool wide = abs(h[0]) > 9 || abs(h[1]) > 9 || abs(h[2]) > 9;
    for (int k = 0; k < 3; ++k) shoal_string_print(s, "%s%d", wide && k > 0 ? " " : "", h[k]);
}

static shoal_status name_plan(slab_plan *plan, const cut_crystal *c)
{
    shoal_string *s = NULL;
    SHOAL_TRY(shoal_string_create(&s));
    put_name(s, c);
    if (shoal_string_size(s) > 30) shoal_string_cut(s, 30);
    shoal_string_put_text(s, "(");
    put_indices(s, c->o->hkl);
    shoal_string_put_text(s, ")");
    (void)snprintf(plan->name, sizeof plan->name, "%s", shoal_string_data(s));
    shoal_string_destroy(s);
    return SHOAL_OK;
}

/* --- the plan ------------------------------------------------------------------------------------ */

/* After how many layers the shifts are whole; a number that no slab reaches where they never are. */
static int32_t period_of(const double shift[2])
{
    for (int32_t n = 1; n <= 48; ++n) {
        const double u = n * shift[0], v = n * shift[1];
        if (fabs(u - round(u)) < NOISE && fabs(v - round(v)) < NOISE) return n;
    }
    return INT32_MAX;
}

/* Of the two ways to turn a and b about the normal, the one whose next layer is nearer to the corner. */
static double choose_turn(slab_plan *plan, const cut_crystal *c)
{
    const double down[2] = {into_cell(-c->lateral[0]), into_cell(-c->lateral[1])};
    const double back[2] = {into_cell(c->lateral[0]), into_cell(c->lateral[1])};
    const bool turned = back[0] + back[1] < down[0] + down[1] - NOISE;
    memcpy(plan->shift, turned ? back : down, sizeof plan->shift);
    return turned ? -1.0 : 1.0;
}

/* Planes count from the top. */
static void number_planes(cut_crystal *c, double top)
{
    for (int32_t i = 0; i < c->n_atoms; ++i) {
        c->atoms[i].plane = 0;
        for (int32_t k = 0; k < c->n_ends; ++k) {
            const double end = below(top, c->ends[k].top);
            c->atoms[i].plane += end > NOISE && end <= below(top, c->atoms[i].height) + NOISE;
        }
    }
}

/* Places of a layer from its top, in the order of the crystal in each plane; the first of them is at the corner. */
static shoal_status fill_places(slab_plan *plan, cut_crystal *c)
{
    const double top = chosen_end(c)->top, sign = choose_turn(plan, c);
    int32_t n = 0;
    plan->places = shoal_alloc((size_t)c->n_atoms, sizeof *plan->places);
    if (!plan->places) return SHOAL_E_MEMORY;
    number_planes(c, top);
    for (int32_t plane = 0; n < c->n_atoms; ++plane)
        for (int32_t i = 0; i < c->n_atoms; ++i) {
            const cut_atom *a = &c->atoms[i];
            if (a->plane != plane) continue;
            const double depth = below(top, a->height), height = top - depth;
            plan->places[n++] = (slab_place){sign * (a->u + height * c->lateral[0]),
                                             sign * (a->v + height * c->lateral[1]),
                                             depth * c->spacing, a->charge, a->z};
        }
    plan->n_places = n;
    const double u = plan->places[0].u, v = plan->places[0].v;
    for (int32_t i = 0; i < n; ++i) {
        plan->places[i].u = into_cell(plan->places[i].u - u);
        plan->places[i].v = into_cell(plan->places[i].v - v);
    }
    return SHOAL_OK;
}

static void fill_cell(slab_plan *plan, const double a[3], const double b[3])
{
    plan->edge = sqrt(vector_dot(a, a));
    const double x = vector_dot(a, b) / plan->edge;
    plan->b[0] = exact(x / plan->edge) + 0.0; /* no -0 */
    plan->b[1] = sqrt(vector_dot(b, b) - x * x) / plan->edge;
}

static shoal_status plan_crystal(slab_plan *plan, const shoal_slab_options *o)
{
    cut_crystal c;
    shoal_status status = cut_open(&c, o);
    if (status == SHOAL_OK) {
        fill_cell(plan, c.rows[0], c.rows[1]);
        plan->spacing = c.spacing;
        status = fill_places(plan, &c);
        plan->period = period_of(plan->shift);
    }
    if (status == SHOAL_OK) status = name_plan(plan, &c);
    cut_close(&c);
    return status;
}

/* --- slabs as they are --------------------------------------------------------------------------- */

static shoal_status plan_slab(slab_plan *plan, const shoal_slab_options *o, double cell[3][3])
{
    const shoal_molecule *mol = o->crystal;
    const int32_t n = shoal_molecule_n_atoms(mol);
    const double(*pos)[3] = shoal_molecule_positions(mol), *q = shoal_molecule_charges(mol);
    geom_lattice lattice;
    double top = -INFINITY;
    if (n == 0) return shoal_fail(SHOAL_E_ARGUMENT, "slab: there are no atoms in it");
    if (o->hkl[0] || o->hkl[1] || o->hkl[2] || o->termination || o->layers > 1 || o->charge != 0.0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "slab: a slab that is one already is taken as it is; expected no Miller "
                          "indices, termination, layers or charge");
    if (cell[0][2] != 0.0 || cell[1][2] != 0.0)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: a and b do not lie in the xy plane");
    const bool pbc[3] = {true, true, false};
    (void)lattice_init(&lattice, (const double(*)[3])cell, pbc);
    plan->places = shoal_alloc((size_t)n, sizeof *plan->places);
    if (!plan->places) return SHOAL_E_MEMORY;
    plan->n_places = n;
    plan->period = 1;
    fill_cell(plan, cell[0], cell[1]);
    plan->b[1] = copysign(plan->b[1], cell[0][0] * cell[1][1] - cell[0][1] * cell[1][0]);
    for (int32_t i = 0; i < n; ++i) top = fmax(top, pos[i][2]);
    for (int32_t i = 0; i < n; ++i)
        plan->places[i] =
            (slab_place){exact(lattice_fraction(&lattice, pos[i], 0)),
                         exact(lattice_fraction(&lattice, pos[i], 1)), top - pos[i][2],
                         q && !o->no_charges ? q[i] : 0.0, shoal_molecule_elements(mol)[i]};
    (void)snprintf(plan->name, sizeof plan->name, "%.50s", shoal_molecule_name(mol));
    return SHOAL_OK;
}

shoal_status slab_plan_cut(slab_plan *plan, const shoal_slab_options *o)
{
    double cell[3][3];
    bool pbc[3];
    shoal_molecule_cell(o->crystal, cell, pbc);
    if (pbc[0] && pbc[1] && !pbc[2]) return plan_slab(plan, o, cell);
    return plan_crystal(plan, o);
}

shoal_status shoal_slab_terminations(const shoal_slab_options *options, shoal_string *out)
{
    shoal_clear_error();
    SHOAL_NEED(options && options->crystal && out);
    shoal_slab_options o = *options;
    o.termination = 0;
    cut_crystal c;
    shoal_status status = cut_open(&c, &o);
    if (status == SHOAL_OK) status = list_ends(&c, out);
    cut_close(&c);
    return status;
}
