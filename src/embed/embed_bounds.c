/* SPDX-License-Identifier: BSD-3-Clause
 * Distances that follow from bonds, angles and torsions, and the least distances of all others. Lengths are those
 * of UFF; angles follow from hybridisation and rings. They are starts of a relaxation: a few degrees do not matter,
 * but every conformer of the molecule has to fit in. */
#include <math.h>
#include <string.h>

#include "chem/element.h"
#include "embed/embed.h"
#include "ff/term_table.h"

#include "constants.h"

#define SLACK_12 0.01 /* angstrom, of bonds .. */
#define SLACK_14 0.06 /* .. and on top of what angles and torsions allow */
/* Least distances over UFF's: of atoms four bonds apart, five, and more. */
#define NEAR_15 0.58
#define NEAR_16 0.70
#define NEAR_FAR 0.80
#define NEAR_HBOND 1.7 /* angstrom, of a hydrogen bond */

/* degrees */
typedef struct span {
    double low, high;
} span;

static span around(double middle, double half)
{
    return (span){middle - half, middle + half};
}

static const atom_state *state(const embed_problem *p, int32_t i)
{
    return &p->mol->perception->atoms[i];
}

static const graph *graph_of(const embed_problem *p)
{
    return &p->mol->perception->graph;
}

/* Atoms of the smallest ring that passes these n atoms one after the other; 0 if none does. */
static int32_t ring_through(const embed_problem *p, const int32_t *atoms, int n)
{
    const ring_set *rings = p->rings;
    int32_t best = 0;
    for (int32_t r = 0; r < rings->n_rings; ++r) {
        const int32_t *of = rings->atoms + rings->start[r];
        const int32_t size = rings->start[r + 1] - rings->start[r];
        if (size < n || (best && size >= best)) continue;
        for (int32_t k = 0; k < size; ++k) {
            if (of[k] != atoms[0]) continue;
            int forward = 1, back = 1;
            while (forward < n && of[(k + forward) % size] == atoms[forward]) ++forward;
            while (back < n && of[(k + size - back) % size] == atoms[back]) ++back;
            if (forward == n || back == n) best = size;
        }
    }
    return best;
}

static bool ring_holds(const embed_problem *p, int32_t r, int32_t atom)
{
    for (int32_t k = p->rings->start[r]; k < p->rings->start[r + 1]; ++k)
        if (p->rings->atoms[k] == atom) return true;
    return false;
}

/* The smallest ring with a bond, -1 without one. */
static int32_t ring_of_bond(const embed_problem *p, int32_t bond)
{
    const ring_set *rings = p->rings;
    int32_t best = -1, least = INT32_MAX;
    for (int32_t r = 0; r < rings->n_rings; ++r) {
        const int32_t size = rings->start[r + 1] - rings->start[r];
        for (int32_t k = rings->start[r]; k < rings->start[r + 1] && size < least; ++k) {
            if (rings->bonds[k] != bond) continue;
            best = r;
            least = size;
        }
    }
    return best;
}

/* --- angles --------------------------------------------------------------------------------------- */

static bool is_planar(const embed_problem *p, int32_t i)
{
    return state(p, i)->hyb == HYB_SP2;
}

static span ring_angle(const embed_problem *p, int32_t j, int32_t size)
{
    const bool flat = is_planar(p, j);
    switch (size) {
    case 3: return around(60, 2);
    case 4: return around(89, 3);
    case 5: return flat ? around(109, 5) : around(104, 5);
    case 6: return flat ? around(120, 4) : around(110.5, 5);
    case 7: return flat ? around(125, 8) : around(114, 7);
    default: break;
    }
    if (state(p, j)->hyb == HYB_SP) return around(165, 14);
    return flat ? around(123, 9) : around(113, 8);
}

/* Rings through pairs of bonds of a centre: sizes by the ends of its list of partners. */
typedef struct corner {
    int32_t n;        /* pairs in rings */
    int32_t smallest; /* of these rings, 0 for none */
    double sum;       /* of their angles, degrees */
    bool crowded;     /* three pairs and more: bridges and cages bend far */
} corner;

static corner look_at_corner(const embed_problem *p, int32_t j)
{
    const graph *g = graph_of(p);
    corner c = {0};
    for (int32_t e = g->start[j]; e < g->start[j + 1]; ++e) {
        for (int32_t f = e + 1; f < g->start[j + 1]; ++f) {
            const int32_t path[3] = {g->ends[e].atom, j, g->ends[f].atom};
            const int32_t size = ring_through(p, path, 3);
            if (size == 0) continue;
            const span s = ring_angle(p, j, size);
            c.sum += 0.5 * (s.low + s.high);
            if (c.smallest == 0 || size < c.smallest) c.smallest = size;
            ++c.n;
        }
    }
    c.crowded = c.n >= 3;
    return c;
}

/* Of an sp3 centre outside of rings. */
static double tetrahedral(int32_t z, int32_t degree)
{
    if (degree >= 4 || z == 6) return 109.5;
    if (z == 8) return 109;
    if (z == 7) return 109;
    if (z == 16 || z == 34 || z == 52) return degree == 3 ? 103 : 99;
    if (z == 15 || z == 33 || z == 51) return 100;
    return 109.5;
}

static span open_angle(const embed_problem *p, int32_t j, const corner *c)
{
    const int32_t degree = graph_degree(graph_of(p), j);
    switch (state(p, j)->hyb) {
    case HYB_SP: return around(176, 4);
    case HYB_SP2:
        if (degree == 3 && c->n > 0 && c->n < 3) return around((360 - c->sum) / (3 - c->n), 6);
        return around(degree == 2 ? 118 : 120, 6);
    case HYB_SP3:
        if (degree > 4) break;
        if (c->smallest == 3) return around(118, 5);
        if (c->smallest == 4) return around(114, 7);
        if (c->n > 0) return around(111, 7);
        return around(tetrahedral(p->mol->element[j], degree), 5);
    default: break;
    }
    if (degree == 2) return (span){90, 180};
    if (degree == 3) return (span){95, 125};
    return (span){degree > 6 ? 55 : 75, 180};
}

static span angle_at(const embed_problem *p, const int32_t path[3])
{
    const corner c = look_at_corner(p, path[1]);
    const int32_t size = ring_through(p, path, 3);
    if (size == 0) return open_angle(p, path[1], &c);
    span s = ring_angle(p, path[1], size);
    if (graph_degree(graph_of(p), path[1]) > 4 || state(p, path[1])->hyb > HYB_SP3)
        return (span){60, 180};
    const double more = c.crowded && size > 3 ? (is_planar(p, path[1]) ? 6 : 9) : 0;
    return (span){s.low - more, fmin(s.high + more, 180)};
}

/* --- distances ------------------------------------------------------------------------------------ */

static double third_side(double a, double b, double degrees)
{
    return sqrt(fmax(a * a + b * b - 2 * a * b * cos(degrees * DEGREE), 0));
}

/* Between the ends of three bonds. */
static double across(const double length[3], double first, double second, double torsion)
{
    const double a = first * DEGREE, b = second * DEGREE, t = torsion * DEGREE;
    const double x = length[1] - length[0] * cos(a) - length[2] * cos(b);
    const double y = length[0] * sin(a) - length[2] * sin(b) * cos(t);
    const double z = length[2] * sin(b) * sin(t);
    return sqrt(x * x + y * y + z * z);
}

/* Narrows the bounds of a pair that was not set by fewer bonds; ways that disagree widen them. */
static void set_pair(embed_bounds *b, int32_t i, int32_t j, int bonds, double low, double high)
{
    const size_t ij = (size_t)i * (size_t)b->n + (size_t)j,
                 ji = (size_t)j * (size_t)b->n + (size_t)i;
    if (i == j || b->apart[ij] != bonds) return;
    double l = low, u = high;
    if (b->upper[ij] > 0) {
        l = fmax(low, b->lower[ij]);
        u = fmin(high, b->upper[ij]);
        if (l > u) {
            l = fmin(low, b->lower[ij]);
            u = fmax(high, b->upper[ij]);
        }
    }
    b->lower[ij] = b->lower[ji] = l;
    b->upper[ij] = b->upper[ji] = u;
}

static void set_bonds(embed_problem *p)
{
    for (int32_t k = 0; k < p->mol->n_bonds; ++k) {
        const shoal_bond *bond = &p->mol->bonds[k];
        const double r = p->bounds.length[k];
        set_pair(&p->bounds, bond->i, bond->j, 1, r - SLACK_12, r + SLACK_12);
    }
}

static void set_angles(embed_problem *p)
{
    const graph *g = graph_of(p);
    for (int32_t j = 0; j < p->mol->n_atoms; ++j) {
        for (int32_t e = g->start[j]; e < g->start[j + 1]; ++e) {
            for (int32_t f = e + 1; f < g->start[j + 1]; ++f) {
                const int32_t path[3] = {g->ends[e].atom, j, g->ends[f].atom};
                const double a = p->bounds.length[g->ends[e].bond];
                const double b = p->bounds.length[g->ends[f].bond];
                const span s = angle_at(p, path);
                set_pair(&p->bounds, path[0], path[2], 2, third_side(a, b, s.low),
                         third_side(a, b, s.high));
            }
        }
    }
}

/* --- torsions ------------------------------------------------------------------------------------- */

#define CIS ((span){0, 12})
#define TRANS ((span){168, 180})
#define ANY ((span){0, 180})

static bool is_double(const shoal_bond *b)
{
    return b->aromatic || b->order == SHOAL_ORDER_DOUBLE;
}

/* Whether the partners of one end besides the other are two alike, as hydrogens, so that no matter which is which. */
static bool has_like_ends(const embed_problem *p, int32_t i, int32_t other)
{
    const graph *g = graph_of(p);
    int32_t z = 0, n = 0;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        const int32_t to = g->ends[e].atom;
        if (to == other) continue;
        if (graph_degree(g, to) != 1 || (n++ > 0 && p->mol->element[to] != z)) return false;
        z = p->mol->element[to];
    }
    return n == 2;
}

/* Of the lowest partners of a double bond: cis where nothing is stated and it makes no difference; otherwise open. */
static int32_t double_mark(const embed_problem *p, int32_t bond)
{
    const shoal_bond *b = &p->mol->bonds[bond];
    const int32_t mark = molecule_mark(&p->mol->cis_trans, bond);
    if (mark != 0) return mark;
    return has_like_ends(p, b->i, b->j) || has_like_ends(p, b->j, b->i) ? 1 : 0;
}

static span double_torsion(const embed_problem *p, int32_t bond, const int32_t path[4])
{
    const int32_t mark = double_mark(p, bond);
    const bool first = path[0] == embed_lowest_partner(graph_of(p), path[1], path[2]);
    const bool last = path[3] == embed_lowest_partner(graph_of(p), path[2], path[1]);
    if (mark == 0) return ANY;
    return (first == last) == (mark > 0) ? CIS : TRANS;
}

static span ring_torsion(const embed_problem *p, int32_t bond, const int32_t path[4], int32_t size)
{
    const shoal_bond *b = &p->mol->bonds[bond];
    const bool stiff = is_double(b), flat = is_planar(p, path[1]) && is_planar(p, path[2]);
    if (b->aromatic || (stiff && size < 8)) return CIS;
    if (stiff && double_mark(p, bond) != 0) return double_torsion(p, bond, path);
    switch (size) {
    case 4: return (span){0, 35};
    case 5: return (span){0, flat ? 25 : 48};
    case 6: return (span){0, flat ? 45 : 68};
    case 7: return (span){0, 95};
    case 8: return stiff ? (span){0, 25} : (span){0, 125};
    default: return ANY;
    }
}

/* A bond of order one between a carbonyl and an atom with a lone pair is as flat as a double one: the partner of O, S or N
 * and hydrogen on N have their habits. */
static span amide_torsion(const embed_problem *p, const int32_t path[4])
{
    const graph *g = graph_of(p);
    const int32_t *z = p->mol->element, c = path[1], x = path[2];
    const int32_t degree = graph_degree(g, x);
    int32_t oxygen = -1, n_h = 0;
    if (z[c] != 6 || graph_degree(g, c) != 3) return ANY;
    for (int32_t e = g->start[c]; e < g->start[c + 1]; ++e) {
        const shoal_bond *b = &p->mol->bonds[g->ends[e].bond];
        const int32_t to = g->ends[e].atom;
        if (b->order == SHOAL_ORDER_DOUBLE && !b->aromatic && (z[to] == 8 || z[to] == 16))
            oxygen = to;
    }
    for (int32_t e = g->start[x]; e < g->start[x + 1]; ++e) n_h += z[g->ends[e].atom] == 1;
    if (oxygen < 0) return ANY;
    const bool from_oxygen = path[0] == oxygen;
    if (z[x] == 8 && degree == 2) return from_oxygen ? CIS : TRANS;
    if (z[x] != 7 || degree != 3 || n_h == 0) return ANY;
    const bool to_hydrogen =
        n_h == 1 ? z[path[3]] == 1 : path[3] == embed_lowest_partner(graph_of(p), x, c);
    return from_oxygen == to_hydrogen ? TRANS : CIS;
}

static span open_torsion(const embed_problem *p, int32_t bond, const int32_t path[4])
{
    const shoal_bond *b = &p->mol->bonds[bond];
    const int32_t ring = ring_of_bond(p, bond);
    const bool small = ring >= 0 && p->rings->start[ring + 1] - p->rings->start[ring] < 8;
    if (is_double(b) && small)
        return ring_holds(p, ring, path[0]) == ring_holds(p, ring, path[3]) ? CIS : TRANS;
    if (is_double(b)) return double_torsion(p, bond, path);
    if (ring >= 0) return ANY;
    const int32_t turned[4] = {path[3], path[2], path[1], path[0]};
    span s = amide_torsion(p, path);
    if (s.high - s.low > 90) s = amide_torsion(p, turned);
    const bool staggered = state(p, path[1])->hyb == HYB_SP3 && state(p, path[2])->hyb == HYB_SP3;
    if (s.high - s.low > 90 && staggered) return (span){40, 180};
    return s;
}

static void set_torsion(embed_problem *p, int32_t bond, const int32_t path[4],
                        const double length[3])
{
    const int32_t size = ring_through(p, path, 4);
    const span t = size ? ring_torsion(p, bond, path, size) : open_torsion(p, bond, path);
    const span a = angle_at(p, path), b = angle_at(p, path + 1);
    const double low = across(length, a.low, b.low, t.low),
                 high = across(length, a.high, b.high, t.high);
    const double mid_a = 0.5 * (a.low + a.high), mid_b = 0.5 * (b.low + b.high);
    /* In a plane both angles cannot be at their ends at the same time. */
    const double m_low = across(length, mid_a, mid_b, t.low),
                 m_high = across(length, mid_a, mid_b, t.high);
    if (ring_of_bond(p, bond) < 0 && is_double(&p->mol->bonds[bond]) && t.high - t.low < 90) {
        /* It may be all that tells cis from trans: angles that give way would leave it half turned. */
        set_pair(&p->bounds, path[0], path[3], 3, m_low, m_high);
        return;
    }
    set_pair(&p->bounds, path[0], path[3], 3, 0.5 * (low + m_low) - SLACK_14,
             0.5 * (high + m_high) + SLACK_14);
}

static void set_torsions(embed_problem *p)
{
    const graph *g = graph_of(p);
    for (int32_t k = 0; k < p->mol->n_bonds; ++k) {
        const shoal_bond *b = &p->mol->bonds[k];
        for (int32_t e = g->start[b->i]; e < g->start[b->i + 1]; ++e) {
            for (int32_t f = g->start[b->j]; f < g->start[b->j + 1]; ++f) {
                const int32_t path[4] = {g->ends[e].atom, b->i, b->j, g->ends[f].atom};
                if (path[0] == b->j || path[3] == b->i || path[0] == path[3]) continue;
                const double length[3] = {p->bounds.length[g->ends[e].bond], p->bounds.length[k],
                                          p->bounds.length[g->ends[f].bond]};
                set_torsion(p, k, path, length);
            }
        }
    }
}

/* --- atoms without a word about them ---------------------------------------------------------------- */

static bool takes_hydrogen_bond(const embed_problem *p, int32_t h, int32_t to)
{
    const graph *g = graph_of(p);
    const int32_t *z = p->mol->element;
    if (z[h] != 1 || (z[to] != 7 && z[to] != 8 && z[to] != 9) || graph_degree(g, h) != 1)
        return false;
    const int32_t at = z[g->ends[g->start[h]].atom];
    return at == 7 || at == 8;
}

static void set_rest(embed_problem *p, const double *vdw_x)
{
    embed_bounds *b = &p->bounds;
    double reach = 0;
    for (int32_t k = 0; k < p->mol->n_bonds; ++k) reach += b->length[k];
    for (int32_t i = 0; i < b->n; ++i) {
        for (int32_t j = i + 1; j < b->n; ++j) {
            const size_t ij = (size_t)i * (size_t)b->n + (size_t)j,
                         ji = (size_t)j * (size_t)b->n + (size_t)i;
            if (b->upper[ij] > 0) continue;
            const int apart = b->apart[ij];
            double least = 0.5 * (vdw_x[i] + vdw_x[j]) *
                           (apart <= 4   ? NEAR_15
                            : apart == 5 ? NEAR_16
                                         : NEAR_FAR);
            if (takes_hydrogen_bond(p, i, j) || takes_hydrogen_bond(p, j, i))
                least = fmin(least, NEAR_HBOND);
            b->lower[ij] = b->lower[ji] = least;
            b->upper[ij] = b->upper[ji] = b->part[i] == b->part[j] ? reach : 0;
        }
    }
}

/* --- the graph ------------------------------------------------------------------------------------ */

/* Bonds from atom i to all others, as far as they count. */
static void walk(embed_problem *p, int32_t i, int32_t *queue)
{
    const graph *g = graph_of(p);
    embed_bounds *b = &p->bounds;
    uint8_t *apart = b->apart + (size_t)i * (size_t)b->n;
    int32_t n = 0;
    memset(apart, EMBED_NO_WAY, (size_t)b->n);
    apart[i] = 0;
    queue[n++] = i;
    if (b->part[i] < 0) b->part[i] = b->n_parts++;
    for (int32_t k = 0; k < n; ++k) {
        const int32_t at = queue[k];
        for (int32_t e = g->start[at]; e < g->start[at + 1]; ++e) {
            const int32_t to = g->ends[e].atom;
            if (apart[to] != EMBED_NO_WAY) continue;
            apart[to] = (uint8_t)(apart[at] < EMBED_FARTHEST ? apart[at] + 1 : EMBED_FARTHEST);
            b->part[to] = b->part[i];
            queue[n++] = to;
        }
    }
}

/* Natural lengths of UFF, and its radii; covalent ones where it has no type. */
static shoal_status find_lengths(embed_problem *p, double *vdw_x)
{
    shoal_topology *topology;
    shoal_topology_view v;
    shoal_molecule *copy;
    SHOAL_TRY(shoal_molecule_create(&copy));
    shoal_status status = shoal_molecule_copy(copy, p->mol);
    if (status == SHOAL_OK) status = shoal_topology_create(&topology, copy, NULL);
    if (status != SHOAL_OK) {
        shoal_molecule_destroy(copy);
        return status;
    }
    shoal_topology_get(topology, &v);
    for (int32_t k = 0; k < p->mol->n_bonds; ++k) {
        const shoal_bond *b = &p->mol->bonds[k];
        p->bounds.length[k] =
            element_get(p->mol->element[b->i])->radius + element_get(p->mol->element[b->j])->radius;
    }
    const bool typed = shoal_topology_status(topology) == SHOAL_SYSTEM_OK;
    for (int32_t i = 0; i < p->mol->n_atoms; ++i) vdw_x[i] = typed ? v.vdw_x[i] : 3.5;
    const int32_t n = typed ? terms_count(&v, SHOAL_KIND_BOND) : 0;
    for (int32_t t = 0; t < n; ++t) {
        const shoal_term *term = &terms_of(&v, SHOAL_KIND_BOND)[t];
        const graph *g = graph_of(p);
        for (int32_t e = g->start[term->atoms[0]]; e < g->start[term->atoms[0] + 1]; ++e)
            if (g->ends[e].atom == term->atoms[1])
                p->bounds.length[g->ends[e].bond] = term->p[SHOAL_BOND_R0];
    }
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(copy);
    return SHOAL_OK;
}

shoal_status embed_find_bounds(embed_problem *p)
{
    const size_t n = (size_t)p->mol->n_atoms;
    embed_bounds *b = &p->bounds;
    b->n = p->mol->n_atoms;
    b->lower = arena_alloc(&p->memory, n * n, sizeof *b->lower);
    b->upper = arena_alloc(&p->memory, n * n, sizeof *b->upper);
    b->apart = arena_alloc(&p->memory, n * n, sizeof *b->apart);
    b->length = arena_alloc(&p->memory, (size_t)p->mol->n_bonds, sizeof *b->length);
    b->part = arena_alloc(&p->memory, n, sizeof *b->part);
    int32_t *queue = arena_alloc(&p->memory, n, sizeof *queue);
    double *vdw_x = arena_alloc(&p->memory, n, sizeof *vdw_x);
    if (!b->lower || !b->upper || !b->apart || !b->length || !b->part || !queue || !vdw_x)
        return SHOAL_E_MEMORY;
    SHOAL_TRY(find_lengths(p, vdw_x));
    for (int32_t i = 0; i < b->n; ++i) b->part[i] = -1;
    for (int32_t i = 0; i < b->n; ++i) walk(p, i, queue);
    set_bonds(p);
    set_angles(p);
    set_torsions(p);
    set_rest(p, vdw_x);
    embed_smooth(b);
    return SHOAL_OK;
}

/* Bounds to atom i over atom k, u and l away, to all others of one part; written so that compilers make vectors of it. */
static void tighten(size_t n, double u, double l, const double *restrict uk,
                    const double *restrict lk, double *restrict ui, double *restrict li)
{
    for (size_t j = 0; j < n; ++j) {
        const double most = u + uk[j], a = l - uk[j], b = lk[j] - u;
        const double least = a > b ? a : b;
        ui[j] = most < ui[j] ? most : ui[j];
        li[j] = least > li[j] ? least : li[j];
    }
}

/* Upper bounds by the shortest way over other atoms; then lower ones, which no way may undercut. Bounds that contradict
 * each other meet. */
void embed_smooth(embed_bounds *b)
{
    const size_t n = (size_t)b->n;
    for (size_t k = 0; k < n; ++k) {
        const double *uk = b->upper + k * n, *lk = b->lower + k * n;
        for (size_t i = 0; i < n; ++i) {
            if (i == k || b->part[i] != b->part[k]) continue;
            double *ui = b->upper + i * n, *li = b->lower + i * n;
            const double u = ui[k], l = li[k];
            if (b->n_parts == 1) {
                tighten(n, u, l, uk, lk, ui, li);
                li[i] = 0; /* of contradictions */
                continue;
            }
            for (size_t j = 0; j < n; ++j) {
                if (j == i || j == k || b->part[j] != b->part[k]) continue;
                if (u + uk[j] < ui[j]) ui[j] = u + uk[j];
                const double least = fmax(l - uk[j], lk[j] - u);
                if (least > li[j]) li[j] = least;
            }
        }
    }
    for (size_t ij = 0; ij < n * n; ++ij)
        if (b->upper[ij] > 0 && b->lower[ij] > b->upper[ij]) b->lower[ij] = b->upper[ij];
}
