/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies packed into the flat arrays that kernels read. */
#include "backend/opencl/cl_pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define COULOMB_CONSTANT 14.3996454784 /* eV angstrom / e^2 */
#define LARGE_GROUP 256                /* work-items for systems beyond local memory */

static void *append(cl_array *a, int32_t n)
{
    if (a->n + n > a->capacity && shoal_grow(&a->data, &a->capacity, a->n + n, a->size) != SHOAL_OK)
        return NULL;
    void *p = (unsigned char *)a->data + (size_t)a->n * a->size;
    a->n += n;
    return p;
}

void cl_pack_begin(cl_pack *pack, bool is_double, const shoal_engine_options *options,
                   size_t local_limit)
{
    const size_t real = is_double ? sizeof(double) : sizeof(float);
    *pack = (cl_pack){.is_double = is_double, .options = options, .local_limit = local_limit};
    pack->records.size = sizeof(topology_record);
    pack->shapes.size = sizeof(cl_shape);
    pack->bonds.size = pack->angles.size = pack->torsions.size = pack->inversions.size =
        sizeof(cl_word4);
    pack->forms.size = pack->atoms.size = 4 * real;
    pack->numbers.size = sizeof(double);
    pack->gather_start.size = sizeof(int32_t);
    pack->gather.size = sizeof(uint32_t);
    pack->exclude.size = sizeof(uint32_t);
}

void cl_pack_free(cl_pack *pack)
{
    cl_array *const all[] = {&pack->records,  &pack->shapes,       &pack->bonds,  &pack->angles,
                             &pack->torsions, &pack->inversions,   &pack->forms,  &pack->atoms,
                             &pack->numbers,  &pack->gather_start, &pack->gather, &pack->exclude};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) free(all[k]->data);
    *pack = (cl_pack){0};
}

/* A parameter as a word: its bits, or where it stands among the numbers. */
static bool word(cl_pack *pack, double value, uint32_t *out)
{
    if (!pack->is_double) {
        const float f = (float)value;
        memcpy(out, &f, sizeof f);
        return true;
    }
    double *p = append(&pack->numbers, 1);
    if (!p) return false;
    *p = value;
    *out = (uint32_t)(pack->numbers.n - 1);
    return true;
}

static bool four(cl_pack *pack, cl_array *to, double x, double y, double z)
{
    void *p = append(to, 1);
    if (!p) return false;
    if (pack->is_double)
        memcpy(p, (double[4]){x, y, z, 0}, 4 * sizeof(double));
    else
        memcpy(p, (float[4]){(float)x, (float)y, (float)z, 0}, 4 * sizeof(float));
    return true;
}

/* Atoms as 16-bit numbers: a system has at most 65536 of them. */
static uint32_t atoms2(int32_t a, int32_t b)
{
    return (uint32_t)a | (uint32_t)b << 16;
}

static bool pack_bonds(cl_pack *pack, const shoal_topology_view *v)
{
    for (int32_t b = 0; b < v->n_bonds; ++b) {
        const shoal_bond_term *s = &v->bonds[b];
        cl_word4 w = {{atoms2(s->i, s->j), 0, 0, 0}};
        if (!word(pack, s->k, &w.v[1]) || !word(pack, s->r0, &w.v[2])) return false;
        cl_word4 *p = append(&pack->bonds, 1);
        if (!p) return false;
        *p = w;
    }
    return true;
}

static bool pack_angles(cl_pack *pack, const shoal_topology_view *v)
{
    for (int32_t a = 0; a < v->n_angles; ++a) {
        const shoal_angle_term *s = &v->angles[a];
        const double *c = s->c, k = s->force_k;
        cl_word4 w[2] = {{{atoms2(s->i, s->j), (uint32_t)s->k, 0, 0}}, {{0, 0, 0, 0}}};
        if (!word(pack, k * (c[0] - c[2] + c[4]), &w[0].v[2]) ||
            !word(pack, k * (c[1] - 3 * c[3]), &w[0].v[3]) ||
            !word(pack, k * (2 * c[2] - 8 * c[4]), &w[1].v[0]) ||
            !word(pack, k * 4 * c[3], &w[1].v[1]) || !word(pack, k * 8 * c[4], &w[1].v[2]))
            return false;
        cl_word4 *p = append(&pack->angles, 2);
        if (!p) return false;
        memcpy(p, w, sizeof w);
    }
    return true;
}

static bool pack_torsions(cl_pack *pack, const shoal_topology_view *v)
{
    for (int32_t n = 0; n < v->n_torsions; ++n) {
        const shoal_torsion_term *s = &v->torsions[n];
        cl_word4 w = {
            {atoms2(s->i, s->j), atoms2(s->k, s->l), 0, (uint32_t)s->n | (s->d < 0 ? 8u : 0u)}};
        if (!word(pack, s->v, &w.v[2])) return false;
        cl_word4 *p = append(&pack->torsions, 1);
        if (!p) return false;
        *p = w;
    }
    return true;
}

/* Index of the coefficients of an inversion; there are a handful of forms in all. */
static int32_t find_form(cl_pack *pack, const double c[3])
{
    for (int32_t f = 0; f < pack->forms.n; ++f) {
        double have[3];
        for (int k = 0; k < 3; ++k)
            have[k] = pack->is_double ? ((double *)pack->forms.data)[4 * f + k]
                                      : (double)((float *)pack->forms.data)[4 * f + k];
        const double tolerance = pack->is_double ? 0 : 1e-6;
        if (fabs(have[0] - c[0]) <= tolerance && fabs(have[1] - c[1]) <= tolerance &&
            fabs(have[2] - c[2]) <= tolerance)
            return f;
    }
    return four(pack, &pack->forms, c[0], c[1], c[2]) ? pack->forms.n - 1 : -1;
}

static bool pack_inversions(cl_pack *pack, const shoal_topology_view *v)
{
    for (int32_t n = 0; n < v->n_inversions; ++n) {
        const shoal_inversion_term *s = &v->inversions[n];
        const int32_t form = find_form(pack, s->c);
        cl_word4 w = {{atoms2(s->i, s->j), atoms2(s->k, s->l), 0, (uint32_t)form}};
        if (form < 0 || !word(pack, s->force_k, &w.v[2])) return false;
        cl_word4 *p = append(&pack->inversions, 1);
        if (!p) return false;
        *p = w;
    }
    return true;
}

static bool pack_atoms(cl_pack *pack, const shoal_topology_view *v)
{
    const shoal_engine_options *o = pack->options;
    const bool vdw = !(o->terms_off >> SHOAL_TERM_VDW & 1);
    const bool coulomb = !(o->terms_off >> SHOAL_TERM_COULOMB & 1);
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        const double x = o->mixing == SHOAL_MIXING_ARITHMETIC ? 0.5 * v->vdw_x[i] : v->vdw_x[i];
        if (!four(pack, &pack->atoms, x, vdw ? sqrt(v->vdw_d[i]) : 0,
                  coulomb ? sqrt(COULOMB_CONSTANT) * v->charges[i] : 0))
            return false;
    }
    return true;
}

/* Bits of the pairs that do not interact, an atom with itself among them. */
static bool pack_exclusions(cl_pack *pack, const shoal_topology_view *v, int32_t n_words)
{
    uint32_t *bits = append(&pack->exclude, v->n_atoms * n_words);
    if (!bits) return false;
    memset(bits, 0, (size_t)v->n_atoms * (size_t)n_words * sizeof *bits);
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        uint32_t *row = bits + (size_t)i * (size_t)n_words;
        row[i / 32] |= 1u << (i % 32);
        for (int32_t e = v->exclude_start[i]; e < v->exclude_start[i + 1]; ++e)
            row[v->excluded[e].atom / 32] |= 1u << (v->excluded[e].atom % 32);
    }
    return true;
}

typedef struct slot_list {
    int32_t *count; /* [n_atoms + 1] */
    uint32_t *out;  /* NULL while counting */
} slot_list;

static void visit_slot(slot_list *s, int32_t atom, int32_t slot, bool negative)
{
    if (s->out)
        s->out[s->count[atom]++] = (uint32_t)(2 * slot + negative);
    else
        ++s->count[atom + 1];
}

/* Every slot with its atom, in the order in which forces are summed. */
static void visit_slots(slot_list *s, const shoal_topology_view *v)
{
    int32_t slot = 0;
    for (int32_t n = 0; n < v->n_torsions; ++n) {
        const shoal_torsion_term *t = &v->torsions[n];
        const int32_t atoms[4] = {t->i, t->j, t->k, t->l};
        for (int c = 0; c < 4; ++c) visit_slot(s, atoms[c], slot++, false);
    }
    for (int32_t n = 0; n < v->n_inversions; ++n) {
        const shoal_inversion_term *t = &v->inversions[n];
        const int32_t atoms[4] = {t->i, t->j, t->k, t->l};
        for (int c = 0; c < 4; ++c) visit_slot(s, atoms[c], slot++, false);
    }
    for (int32_t n = 0; n < v->n_angles; ++n) {
        const shoal_angle_term *t = &v->angles[n];
        const int32_t atoms[3] = {t->i, t->j, t->k};
        for (int c = 0; c < 3; ++c) visit_slot(s, atoms[c], slot++, false);
    }
    for (int32_t n = 0; n < v->n_bonds; ++n, ++slot) {
        visit_slot(s, v->bonds[n].i, slot, false);
        visit_slot(s, v->bonds[n].j, slot, true);
    }
}

static bool pack_gather(cl_pack *pack, const shoal_topology_view *v)
{
    const int32_t n = v->n_atoms;
    int32_t *start = append(&pack->gather_start, n + 1);
    int32_t *fill = calloc((size_t)n + 1, sizeof *fill);
    if (!start || !fill) {
        free(fill);
        return false;
    }
    slot_list s = {.count = fill};
    visit_slots(&s, v);
    for (int32_t i = 0; i < n; ++i) fill[i + 1] += fill[i];
    memcpy(start, fill, ((size_t)n + 1) * sizeof *start);
    s.out = append(&pack->gather, fill[n]);
    if (s.out) visit_slots(&s, v);
    free(fill);
    return s.out != NULL;
}

/* Work-items per system, and into how many chunks the partners of an atom are cut so that they are
 * all busy. The weights are instructions, roughly: 30 for a pair, 8 for a slot. */
static int32_t choose_chunks(int32_t n, int32_t group_size)
{
    int32_t best = 1;
    if (getenv("SHOAL_CL_CHUNKS")) return atoi(getenv("SHOAL_CL_CHUNKS"));
    double least = INFINITY;
    for (int32_t chunks = 1; chunks <= 8 && chunks <= n; ++chunks) {
        const double rounds = ceil((double)n * chunks / group_size);
        const double cost = rounds * (30 * ceil((double)n / chunks) + 20) +
                            8 * chunks * ceil((double)n / group_size);
        if (cost >= least) continue;
        least = cost;
        best = chunks;
    }
    return best;
}

static int32_t choose_group_size(int32_t n)
{
    if (getenv("SHOAL_CL_GROUP")) return atoi(getenv("SHOAL_CL_GROUP"));
    return n <= 28 ? 32 : n <= 60 ? 64 : 128;
}

static cl_shape choose_shape(const cl_pack *pack, topology_record *r)
{
    static const size_t classes[] = {4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 36, 40, 46};
    const size_t four_reals = pack->is_double ? 32 : 16;
    cl_shape shape = {.group_size = choose_group_size(r->n_atoms)};
    r->n_chunks = choose_chunks(r->n_atoms, shape.group_size);
    shape.n_vectors = 4 * r->n_atoms + r->n_slots + r->n_atoms * r->n_chunks;
    const size_t bytes = ((size_t)shape.n_vectors + (size_t)shape.group_size) * four_reals;
    for (size_t k = 0; k < sizeof classes / sizeof classes[0]; ++k) {
        shape.local_bytes = classes[k] * 1024;
        if (bytes <= shape.local_bytes && shape.local_bytes <= pack->local_limit) return shape;
    }
    r->n_chunks = choose_chunks(r->n_atoms, LARGE_GROUP);
    return (cl_shape){.group_size = LARGE_GROUP,
                      .local_bytes = LARGE_GROUP * four_reals,
                      .large = true,
                      .n_vectors = 4 * r->n_atoms + r->n_slots + r->n_atoms * r->n_chunks};
}

/* The view with the terms left out that are switched off. */
static shoal_topology_view select_terms(const shoal_topology_view *view, uint32_t off)
{
    shoal_topology_view v = *view;
    if (off >> SHOAL_TERM_BOND & 1) v.n_bonds = 0;
    if (off >> SHOAL_TERM_ANGLE & 1) v.n_angles = 0;
    if (off >> SHOAL_TERM_TORSION & 1) v.n_torsions = 0;
    if (off >> SHOAL_TERM_INVERSION & 1) v.n_inversions = 0;
    return v;
}

shoal_status cl_pack_add(cl_pack *pack, const shoal_topology_view *view)
{
    const shoal_topology_view v = select_terms(view, pack->options->terms_off);
    topology_record r = {.n_atoms = v.n_atoms,
                         .n_bonds = v.n_bonds,
                         .n_angles = v.n_angles,
                         .n_torsions = v.n_torsions,
                         .n_inversions = v.n_inversions,
                         .bond = pack->bonds.n,
                         .angle = pack->angles.n / 2,
                         .torsion = pack->torsions.n,
                         .inversion = pack->inversions.n,
                         .gather_start = pack->gather_start.n,
                         .gather = pack->gather.n,
                         .exclude = pack->exclude.n,
                         .n_words = (v.n_atoms + 31) / 32,
                         .atom = pack->atoms.n};
    r.n_slots = 4 * (v.n_torsions + v.n_inversions) + 3 * v.n_angles + v.n_bonds;
    const cl_shape shape = choose_shape(pack, &r);
    topology_record *record = append(&pack->records, 1);
    cl_shape *s = append(&pack->shapes, 1);
    if (!record || !s || !pack_bonds(pack, &v) || !pack_angles(pack, &v) ||
        !pack_torsions(pack, &v) || !pack_inversions(pack, &v) || !pack_atoms(pack, &v) ||
        !pack_exclusions(pack, &v, r.n_words) || !pack_gather(pack, &v))
        return shoal_fail(SHOAL_E_MEMORY, "out of memory: packing a topology of %d atoms",
                          v.n_atoms);
    *record = r;
    *s = shape;
    return SHOAL_OK;
}
