/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies of large and periodic systems packed into flat arrays. */
#include "backend/opencl/large/cl_large_pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/stiffness.h"
#include "base/alloc.h"
#include "cl/cl_real.h"

#define SHOAL_REAL double
#include "pair_terms.h"

#define MOST_SHIFT 511 /* cells: ten bits of a code */

typedef struct four_ints {
    int32_t v[4];
} four_ints;

typedef struct two_ints {
    int32_t v[2];
} two_ints;

int32_t cl_large_shift_code(const int32_t shift[3])
{
    return (shift[0] + 512) | (shift[1] + 512) << 10 | (shift[2] + 512) << 20;
}

static bool fits(const int32_t shift[3])
{
    return abs(shift[0]) <= MOST_SHIFT && abs(shift[1]) <= MOST_SHIFT &&
           abs(shift[2]) <= MOST_SHIFT;
}

static int32_t n_particles(const shoal_topology_view *v)
{
    return v->n_atoms + v->n_sites;
}

/* Rows of all arrays that have one per particle or mover. */
static int32_t n_rows(const shoal_topology_view *v)
{
    return v->n_atoms + v->n_sites + v->n_directions;
}

bool cl_large_pack_fits(const shoal_topology_view *v)
{
    for (int32_t k = 0; k < v->n_terms; ++k)
        for (int a = 0; a < term_shapes[v->terms[k].kind].n_arms; ++a) {
            int32_t shift[3];
            term_arm_shift(&v->terms[k], a, shift);
            if (!fits(shift)) return false;
        }
    for (int32_t e = 0; e < v->exclude_start[n_particles(v)]; ++e)
        if (!fits(v->excluded[e].shift)) return false;
    for (int32_t k = 0; k < v->n_sites; ++k)
        for (int a = 0; a < 3; ++a)
            if (!fits(v->sites[k].shift[a])) return false;
    return true;
}

void cl_large_pack_begin(cl_large_pack *pack, bool is_double, const shoal_engine_options *options)
{
    *pack = (cl_large_pack){.is_double = is_double, .options = options};
    pack->topologies.size = sizeof(large_topology);
    pack->term_atoms.size = pack->term_shifts.size = sizeof(four_ints);
    pack->term_numbers.size = pack->atoms.size = 4 * cl_real_size(is_double);
    pack->gather_start.size = pack->exclude_start.size = pack->link_start.size =
        pack->link_atoms.size = sizeof(int32_t);
    pack->link_shares.size = pack->link_scales.size = cl_real_size(is_double);
    pack->site_atoms.size = sizeof(four_ints);
    pack->site_numbers.size = 4 * cl_real_size(is_double);
    pack->gather.size = sizeof(cl_word4);
    pack->exclude.size = sizeof(two_ints);
}

void cl_large_pack_free(cl_large_pack *pack)
{
    cl_array *const all[] = {&pack->topologies,    &pack->term_atoms,   &pack->term_shifts,
                             &pack->term_numbers,  &pack->gather_start, &pack->gather,
                             &pack->exclude_start, &pack->exclude,      &pack->atoms,
                             &pack->link_start,    &pack->link_atoms,   &pack->link_shares,
                             &pack->link_scales,   &pack->site_atoms,   &pack->site_numbers};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) free(all[k]->data);
    *pack = (cl_large_pack){0};
}

/* One term: atoms, shift codes of its arms, eight numbers. */
static bool put_term(cl_large_pack *pack, const shoal_topology_view *v, const shoal_term *t)
{
    four_ints *a = cl_array_append(&pack->term_atoms, 1);
    four_ints *s = cl_array_append(&pack->term_shifts, 1);
    void *r = cl_array_append(&pack->term_numbers, 2);
    double numbers[TERM_NUMBERS];
    if (!a || !s || !r) return false;
    memcpy(a->v, t->atoms, sizeof a->v);
    *s = (four_ints){{0}};
    for (int arm = 0; arm < term_shapes[t->kind].n_arms; ++arm) {
        int32_t shift[3];
        term_arm_shift(t, arm, shift);
        s->v[arm] = cl_large_shift_code(shift);
    }
    term_numbers(t, v, pack->options, numbers);
    for (size_t k = 0; k < TERM_NUMBERS; ++k) cl_real_set(pack->is_double, r, k, numbers[k]);
    return true;
}

static bool put_terms(cl_large_pack *pack, const shoal_topology_view *v)
{
    for (int kind = 0; kind < TERM_N_KINDS; ++kind)
        for (int32_t k = 0; k < terms_count_on(v, kind, pack->options->terms_off); ++k)
            if (!put_term(pack, v, &terms_of(v, kind)[k])) return false;
    return true;
}

/* x^3 and sqrt(12 D) x^3 (arithmetic mixing: x/2 and sqrt(12 D)), the charge in units of kC = 1, x; or the row of a pair
 * model. */
static bool put_atoms(cl_large_pack *pack, const shoal_topology_view *v)
{
    const shoal_engine_options *o = pack->options;
    const bool arithmetic = o->mixing == SHOAL_MIXING_ARITHMETIC;
    const bool vdw = !(o->terms_off >> SHOAL_TERM_VDW & 1);
    const bool coulomb = !(o->terms_off >> SHOAL_TERM_COULOMB & 1);
    void *to = cl_array_append(&pack->atoms, n_particles(v));
    if (!to) return false;
    for (int32_t i = 0; i < n_particles(v); ++i) {
        const double x = v->vdw_x[i], x3 = arithmetic ? 1 : x * x * x;
        double numbers[4] = {arithmetic ? 0.5 * x : x3, vdw ? sqrt(12 * v->vdw_d[i]) * x3 : 0,
                             coulomb ? sqrt(COULOMB_CONSTANT) * v->charges[i] : 0, x};
        if (v->model) cl_model_row(v, o, i, numbers);
        for (size_t c = 0; c < 4; ++c)
            cl_real_set(pack->is_double, to, 4 * (size_t)i + c, numbers[c]);
    }
    return true;
}

static bool put_exclusions(cl_large_pack *pack, const shoal_topology_view *v)
{
    const int32_t n = v->exclude_start[n_particles(v)];
    int32_t *start = cl_array_append(&pack->exclude_start, n_rows(v) + 1);
    two_ints *list = cl_array_append(&pack->exclude, n);
    if (!start || !list) return false;
    memcpy(start, v->exclude_start, ((size_t)n_particles(v) + 1) * sizeof *start);
    for (int32_t k = 0; k < v->n_directions; ++k) start[n_particles(v) + 1 + k] = n;
    for (int32_t e = 0; e < n; ++e)
        list[e] = (two_ints){{v->excluded[e].atom, cl_large_shift_code(v->excluded[e].shift)}};
    return true;
}

/* Sites: host, arms and frames, weights and coordinates. Arms count up to the last that has a weight. */
static bool put_sites(cl_large_pack *pack, const shoal_topology_view *v)
{
    int32_t *words = cl_array_append(&pack->site_atoms, LARGE_SITE_FOURS * v->n_sites);
    void *numbers = cl_array_append(&pack->site_numbers, LARGE_SITE_FOURS * v->n_sites);
    if (!words || !numbers) return false;
    for (int32_t k = 0; k < v->n_sites; ++k, words += 4 * LARGE_SITE_FOURS) {
        const shoal_site *s = &v->sites[k];
        words[LARGE_S_HOST] = s->host;
        words[LARGE_S_ARMS] = cl_pack_count_arms(s);
        words[LARGE_S_PLAIN] = s->local[1] == 0 && s->local[2] == 0;
        for (size_t a = 0; a < 3; ++a) {
            const size_t at = 4 * LARGE_SITE_FOURS * (size_t)k + a;
            words[LARGE_S_FROM + a] = s->from[a];
            words[LARGE_S_TO + a] = s->to[a];
            words[LARGE_S_SHIFT + a] = cl_large_shift_code(s->shift[a]);
            cl_real_set(pack->is_double, numbers, at, s->x[a]);
            cl_real_set(pack->is_double, numbers, at + 3, s->y[a]);
            cl_real_set(pack->is_double, numbers, at + 6, s->local[a]);
        }
    }
    return true;
}

/* What terms add to the stiffness of directions. */
static void add_directions(const cl_large_pack *pack, const shoal_topology_view *v, double *scale)
{
    const uint32_t off = pack->options->terms_off;
    const shoal_term *tilts = terms_of(v, SHOAL_KIND_SIGMA_PI);
    for (int32_t k = 0; k < terms_count_on(v, SHOAL_KIND_SIGMA_PI, off); ++k)
        scale[tilts[k].atoms[0]] += 2 * STIFFNESS_BOND_SHARE * fmax(tilts[k].p[SHOAL_SIGMA_K], 0);
    const shoal_term *twists = terms_of(v, SHOAL_KIND_PI_PI);
    for (int32_t k = 0; k < terms_count_on(v, SHOAL_KIND_PI_PI, off); ++k)
        for (int c = 0; c < 2; ++c)
            scale[twists[k].atoms[c]] += STIFFNESS_BOND_SHARE * fmax(twists[k].p[SHOAL_PI_K], 0);
}

/* The matrix of backend/stiffness.h, scaled to ones on its diagonal: what every bonded neighbour
 * takes off. The scale of an atom or direction is the root of the inverse diagonal. Sites and directions have no
 * neighbours. */
static bool put_links(cl_large_pack *pack, const shoal_topology_view *v)
{
    const size_t n = (size_t)n_rows(v);
    int32_t n_bonds;
    const shoal_term *bonds = shoal_topology_bonds(v, &n_bonds);
    if (pack->options->terms_off >> SHOAL_TERM_BOND & 1) n_bonds = 0;
    int32_t *start = cl_array_append(&pack->link_start, n_rows(v) + 1);
    void *scales = cl_array_append(&pack->link_scales, n_rows(v) + 1);
    int32_t *atoms = cl_array_append(&pack->link_atoms, 2 * n_bonds);
    void *shares = cl_array_append(&pack->link_shares, 2 * n_bonds);
    double *scale = shoal_alloc(n + 1, sizeof *scale);
    int32_t *fill = shoal_alloc(n + 1, sizeof *fill);
    const bool good = start && scales && atoms && shares && scale && fill;
    if (good) {
        for (size_t i = 0; i < n; ++i) scale[i] = STIFFNESS_ANCHOR;
        add_directions(pack, v, scale);
        for (int32_t k = 0; k < n_bonds; ++k) {
            const int32_t *ends = bonds[k].atoms;
            for (int c = 0; c < 2; ++c) {
                scale[ends[c]] += stiffness_of_bond(&bonds[k]);
                ++fill[ends[c] + 1];
            }
        }
        for (size_t i = 0; i < n; ++i) {
            fill[i + 1] += fill[i];
            scale[i] = 1 / sqrt(scale[i]);
            cl_real_set(pack->is_double, scales, i, scale[i]);
        }
        memcpy(start, fill, (n + 1) * sizeof *start);
        for (int32_t k = 0; k < n_bonds; ++k) {
            const int32_t *ends = bonds[k].atoms;
            const double share = stiffness_of_bond(&bonds[k]) * scale[ends[0]] * scale[ends[1]];
            for (int c = 0; c < 2; ++c) {
                const int32_t at = fill[ends[c]]++;
                atoms[at] = ends[1 - c];
                cl_real_set(pack->is_double, shares, (size_t)at, share);
            }
        }
    }
    free(scale);
    free(fill);
    return good;
}

static void visit_slot(int32_t atom, int32_t slot, int32_t *fill, uint32_t *out)
{
    if (out)
        out[fill[atom]++] = (uint32_t)slot;
    else
        ++fill[atom + 1];
}

/* Every slot with its atom, in the order in which forces are summed: counts them, or, where out is given, writes them
 * to out[fill[atom]++]. */
static void visit_slots(const cl_large_pack *pack, const large_topology *t, int32_t *fill,
                        uint32_t *out)
{
    const four_ints *atoms = pack->term_atoms.data;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) {
        const int32_t corners = term_shapes[kind].n_atoms;
        for (int32_t k = 0; k < t->n_terms[kind]; ++k)
            for (int32_t c = 0; c < corners; ++c) {
                const int32_t atom = atoms[t->term[kind] + k].v[c];
                visit_slot(atom, t->slot[kind] + corners * k + c, fill, out);
            }
    }
    for (int32_t k = 0; k < t->n_sites; ++k) {
        const int32_t *words = (const int32_t *)pack->site_atoms.data +
                               (size_t)(4 * LARGE_SITE_FOURS) * (size_t)(t->site + k);
        const int32_t slot = t->site_slot + LARGE_SITE_SLOTS * k;
        visit_slot(words[LARGE_S_HOST], slot, fill, out);
        for (int32_t a = 0; a < words[LARGE_S_ARMS]; ++a) {
            visit_slot(words[LARGE_S_TO + a], slot + 1 + 2 * a, fill, out);
            visit_slot(words[LARGE_S_FROM + a], slot + 2 + 2 * a, fill, out);
        }
    }
}

static bool put_gather(cl_large_pack *pack, const large_topology *t)
{
    const int32_t n = t->n_points + t->n_directions;
    int32_t *start = cl_array_append(&pack->gather_start, n + 1);
    int32_t *fill = shoal_alloc((size_t)n + 1, sizeof *fill);
    uint32_t *out = NULL;
    if (!start || !fill) goto done;
    visit_slots(pack, t, fill, NULL);
    for (int32_t i = 0; i < n; ++i) fill[i + 1] = (fill[i + 1] + 3) / 4 + fill[i];
    memcpy(start, fill, ((size_t)n + 1) * sizeof *start);
    out = cl_array_append(&pack->gather, fill[n]);
    if (!out) goto done;
    memset(out, 0, (size_t)fill[n] * sizeof(cl_word4));
    for (int32_t i = 0; i < n; ++i) fill[i] *= 4;
    visit_slots(pack, t, fill, out);
done:
    free(fill);
    return out != NULL;
}

static large_topology begin_topology(const cl_large_pack *pack, const shoal_topology_view *v)
{
    large_topology t = {.n_points = v->n_atoms,
                        .atom = pack->atoms.n,
                        .gather_start = pack->gather_start.n,
                        .gather = pack->gather.n,
                        .exclude_start = pack->exclude_start.n,
                        .exclude = pack->exclude.n,
                        .link = pack->link_atoms.n,
                        .n_sites = v->n_sites,
                        .n_directions = v->n_directions,
                        .site = pack->site_atoms.n / LARGE_SITE_FOURS,
                        .n_slots = 1};
    int32_t term = pack->term_atoms.n;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) {
        const int32_t n = terms_count_on(v, kind, pack->options->terms_off);
        t.n_terms[kind] = n;
        t.term[kind] = term;
        t.slot[kind] = t.n_slots;
        term += n;
        t.n_slots += term_shapes[kind].n_atoms * n;
    }
    t.site_slot = t.n_slots;
    t.n_slots += LARGE_SITE_SLOTS * v->n_sites;
    return t;
}

shoal_status cl_large_pack_add(cl_large_pack *pack, const shoal_topology_view *view)
{
    const large_topology t = begin_topology(pack, view);
    large_topology *record = cl_array_append(&pack->topologies, 1);
    if (!record || !put_terms(pack, view) || !put_atoms(pack, view) || !put_sites(pack, view) ||
        !put_exclusions(pack, view) || !put_gather(pack, &t) || !put_links(pack, view))
        return shoal_fail(SHOAL_E_MEMORY, "out of memory: packing a topology of %d atoms",
                          view->n_atoms);
    *record = t;
    return SHOAL_OK;
}
