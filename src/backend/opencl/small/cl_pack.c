/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies packed into the flat arrays that kernels read. */
#include "backend/opencl/small/cl_pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ff/auxiliary.h"

#include "constants.h"

void *cl_array_append(cl_array *a, int32_t n)
{
    if ((a->n + n > a->capacity || !a->data) &&
        shoal_grow(&a->data, &a->capacity, a->n + n, a->size) != SHOAL_OK)
        return NULL;
    void *p = (unsigned char *)a->data + (size_t)a->n * a->size;
    a->n += n;
    return p;
}

bool cl_array_is_like(const cl_array *a, const cl_array *b)
{
    return a->n == b->n && a->size == b->size;
}

bool cl_array_is_equal(const cl_array *a, const cl_array *b)
{
    return cl_array_is_like(a, b) &&
           (a->n == 0 || memcmp(a->data, b->data, (size_t)a->n * a->size) == 0);
}

shoal_status cl_array_renew(cl_buffer *buffer, const cl_array *before, const cl_array *now)
{
    if (cl_array_is_equal(before, now)) return SHOAL_OK;
    return cl_buffer_write(buffer, 0, (size_t)now->n * now->size, now->data);
}

void cl_pack_begin(cl_pack *pack, bool is_double, const shoal_engine_options *options,
                   size_t local_limit, int32_t group)
{
    const size_t real = is_double ? sizeof(double) : sizeof(float);
    *pack = (cl_pack){
        .is_double = is_double, .options = options, .local_limit = local_limit, .group = group};
    pack->records.size = sizeof(topology_record);
    pack->shapes.size = sizeof(cl_shape);
    pack->bonds.size = pack->angles.size = pack->torsions.size = pack->plain.size =
        pack->centres.size = sizeof(cl_word4);
    pack->forms.size = pack->atoms.size = 4 * real;
    pack->numbers.size = sizeof(double);
    pack->gather_start.size = sizeof(int32_t);
    pack->gather.size = sizeof(cl_word4);
    pack->exclude.size = sizeof(uint32_t);
    pack->sites.size = sizeof(cl_word4);
    pack->slots.size = sizeof(int32_t);
}

void cl_pack_free(cl_pack *pack)
{
    cl_array *const all[] = {&pack->records,  &pack->shapes,  &pack->bonds,        &pack->angles,
                             &pack->torsions, &pack->plain,   &pack->centres,      &pack->forms,
                             &pack->atoms,    &pack->numbers, &pack->gather_start, &pack->gather,
                             &pack->exclude,  &pack->slots,   &pack->sites};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) free(all[k]->data);
    *pack = (cl_pack){0};
}

bool cl_pack_word(cl_pack *pack, double value, uint32_t *out)
{
    if (!pack->is_double) {
        const float f = (float)value;
        memcpy(out, &f, sizeof f);
        return true;
    }
    double *p = cl_array_append(&pack->numbers, 1);
    if (!p) return false;
    *p = value;
    *out = (uint32_t)(pack->numbers.n - 1);
    return true;
}

bool cl_pack_four(cl_pack *pack, cl_array *to, double x, double y, double z, double w)
{
    void *p = cl_array_append(to, 1);
    if (!p) return false;
    if (pack->is_double)
        memcpy(p, (double[4]){x, y, z, w}, 4 * sizeof(double));
    else
        memcpy(p, (float[4]){(float)x, (float)y, (float)z, (float)w}, 4 * sizeof(float));
    return true;
}

uint32_t cl_pack_atoms2(int32_t low, int32_t high)
{
    return (uint32_t)low | (uint32_t)high << 16;
}

int32_t cl_pack_count(const cl_pack *pack, const shoal_topology_view *view, int kind)
{
    return terms_count_on(view, kind, pack->options->terms_off);
}

bool cl_pack_is_taken(const cl_pack *pack, const shoal_topology_view *view, int kind, int32_t k)
{
    return pack->taken[view->term_start[kind] + k];
}

void cl_pack_take(cl_pack *pack, const shoal_topology_view *view, int kind, int32_t k)
{
    pack->taken[view->term_start[kind] + k] = true;
}

/* Compact records of bonds and angles; their slots follow all others, in this order. */
static bool pack_bonds(cl_pack *pack, const shoal_topology_view *v)
{
    const shoal_term *bonds = terms_of(v, SHOAL_KIND_BOND);
    for (int32_t b = 0; b < cl_pack_count(pack, v, SHOAL_KIND_BOND); ++b) {
        const shoal_term *s = &bonds[b];
        if (cl_pack_is_taken(pack, v, SHOAL_KIND_BOND, b)) continue;
        cl_word4 w = {{cl_pack_atoms2(s->atoms[0], s->atoms[1]), 0, 0, 0}};
        if (!cl_pack_word(pack, s->p[SHOAL_BOND_K], &w.v[1]) ||
            !cl_pack_word(pack, s->p[SHOAL_BOND_R0], &w.v[2]))
            return false;
        cl_word4 *p = cl_array_append(&pack->bonds, 1);
        if (!p || !cl_pack_slots(pack, s->atoms, 2)) return false;
        *p = w;
    }
    return true;
}

bool cl_pack_guard(cl_pack *pack, const double numbers[TERM_NUMBERS], uint32_t *out)
{
    *out = 0;
    if (!(numbers[5] > 0)) return true;
    if (!cl_pack_four(pack, &pack->forms, numbers[5], numbers[6], 0, 0)) return false;
    *out = (uint32_t)pack->forms.n;
    return true;
}

static bool pack_angles(cl_pack *pack, const shoal_topology_view *v)
{
    const shoal_term *angles = terms_of(v, SHOAL_KIND_ANGLE);
    for (int32_t a = 0; a < cl_pack_count(pack, v, SHOAL_KIND_ANGLE); ++a) {
        const int32_t *at = angles[a].atoms;
        cl_word4 w[2] = {{{cl_pack_atoms2(at[0], at[1]), (uint32_t)at[2], 0, 0}}, {{0, 0, 0, 0}}};
        double c[TERM_NUMBERS];
        if (cl_pack_is_taken(pack, v, SHOAL_KIND_ANGLE, a)) continue;
        term_numbers(&angles[a], v, pack->options, c);
        for (int k = 0; k < 5; ++k)
            if (!cl_pack_word(pack, c[k], &w[(k + 2) / 4].v[(k + 2) % 4])) return false;
        if (!cl_pack_guard(pack, c, &w[1].v[3])) return false;
        cl_word4 *p = cl_array_append(&pack->angles, 2);
        if (!p || !cl_pack_slots(pack, at, 3)) return false;
        memcpy(p, w, sizeof w);
    }
    return true;
}

/* A term of any kind. */
static bool pack_plain(cl_pack *pack, const shoal_topology_view *v, const shoal_term *t)
{
    double numbers[TERM_NUMBERS];
    cl_word4 w[TERM_WORDS] = {
        {{cl_pack_atoms2(t->atoms[0], t->atoms[1]), cl_pack_atoms2(t->atoms[2], t->atoms[3]),
          (uint32_t)pack->slots.n, (uint32_t)t->kind}}};
    term_numbers(t, v, pack->options, numbers);
    for (int k = 0; k < TERM_NUMBERS; ++k)
        if (!cl_pack_word(pack, numbers[k], &w[1 + k / 4].v[k % 4])) return false;
    cl_word4 *p = cl_array_append(&pack->plain, TERM_WORDS);
    if (!p || !cl_pack_slots(pack, t->atoms, term_shapes[t->kind].n_atoms)) return false;
    memcpy(p, w, sizeof w);
    return true;
}

/* What no fast path took; bonds and angles have loops of their own. */
static bool pack_rest(cl_pack *pack, const shoal_topology_view *v)
{
    const bool all = pack->options->plain_terms;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) {
        if (!all && (kind == SHOAL_KIND_BOND || kind == SHOAL_KIND_ANGLE)) continue;
        for (int32_t k = 0; k < cl_pack_count(pack, v, kind); ++k) {
            if (cl_pack_is_taken(pack, v, kind, k)) continue;
            if (!pack_plain(pack, v, &terms_of(v, kind)[k])) return false;
            cl_pack_take(pack, v, kind, k);
        }
    }
    return true;
}

bool cl_pack_slots(cl_pack *pack, const int32_t *atoms, int32_t n)
{
    int32_t *p = cl_array_append(&pack->slots, n);
    if (p) memcpy(p, atoms, (size_t)n * sizeof *p);
    return p != NULL;
}

/* A number as the device will have it. */
static double stored(const cl_pack *pack, double x)
{
    return pack->is_double ? x : (double)(float)x;
}

int32_t cl_pack_form(cl_pack *pack, const double c[3])
{
    const int32_t room = sizeof pack->inversion_forms / sizeof pack->inversion_forms[0];
    for (int32_t n = 0; n < pack->n_inversion_forms; ++n) {
        const int32_t f = pack->inversion_forms[n];
        double have[3];
        for (int k = 0; k < 3; ++k)
            have[k] = pack->is_double ? ((double *)pack->forms.data)[4 * f + k]
                                      : (double)((float *)pack->forms.data)[4 * f + k];
        if (have[0] == stored(pack, c[0]) && have[1] == stored(pack, c[1]) &&
            have[2] == stored(pack, c[2]))
            return f;
    }
    if (!cl_pack_four(pack, &pack->forms, c[0], c[1], c[2], 0)) return -1;
    if (pack->n_inversion_forms < room)
        pack->inversion_forms[pack->n_inversion_forms++] = pack->forms.n - 1;
    return pack->forms.n - 1;
}

/* Particles of a pair model. */
static bool pack_model(cl_pack *pack, const shoal_topology_view *v)
{
    if (v->model->settings.form == SHOAL_FORM_BUFFERED) return cl_pack_kinds(pack, v);
    for (int32_t i = 0; i < v->n_atoms + v->n_sites; ++i) {
        double row[4];
        cl_model_row(v, pack->options, i, row);
        if (!cl_pack_four(pack, &pack->atoms, row[0], row[1], row[2], row[3])) return false;
    }
    return true;
}

static bool pack_atoms(cl_pack *pack, const shoal_topology_view *v)
{
    if (v->model) return pack_model(pack, v);
    const shoal_engine_options *o = pack->options;
    const bool vdw = !(o->terms_off >> SHOAL_TERM_VDW & 1);
    const bool coulomb = !(o->terms_off >> SHOAL_TERM_COULOMB & 1);
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        const bool arithmetic = o->mixing == SHOAL_MIXING_ARITHMETIC;
        const double x = v->vdw_x[i], x3 = arithmetic ? 1 : x * x * x;
        if (!cl_pack_four(pack, &pack->atoms, arithmetic ? 0.5 * x : x3,
                          vdw ? sqrt(12 * v->vdw_d[i]) * x3 : 0,
                          coulomb ? sqrt(COULOMB_CONSTANT) * v->charges[i] : 0, x))
            return false;
    }
    return true;
}

/* Bits of the pairs that do not interact, an atom with itself among them. */
static bool pack_exclusions(cl_pack *pack, const shoal_topology_view *v, int32_t n_words)
{
    const int32_t n = v->n_atoms + v->n_sites;
    uint32_t *bits = cl_array_append(&pack->exclude, n * n_words);
    if (!bits) return false;
    memset(bits, 0, (size_t)n * (size_t)n_words * sizeof *bits);
    const uint32_t beyond = n % 32 ? ~0u << (n % 32) : 0;
    for (int32_t i = 0; i < n; ++i) {
        uint32_t *row = bits + (size_t)i * (size_t)n_words;
        row[n_words - 1] = beyond;
        row[i / 32] |= 1u << (i % 32);
        for (int32_t e = v->exclude_start[i]; e < v->exclude_start[i + 1]; ++e)
            row[v->excluded[e].atom / 32] |= 1u << (v->excluded[e].atom % 32);
    }
    return true;
}

size_t cl_pack_slot_bytes(const cl_pack *pack)
{
    return 4 * (pack->is_double ? sizeof(double) : sizeof(float));
}

typedef struct slot_list {
    int32_t *count; /* [movers + 1] fours, then where the next slot goes */
    uint32_t *out;  /* NULL while counting */
    size_t bytes;   /* of a slot */
} slot_list;

static void visit_slot(slot_list *s, int32_t atom, int32_t slot)
{
    if (s->out)
        s->out[s->count[atom]++] = (uint32_t)((size_t)slot * s->bytes);
    else
        ++s->count[atom + 1];
}

/* Every slot with its atom, in the order in which forces are summed. Slot 0 holds zero. */
static void visit_slots(slot_list *s, const cl_pack *pack)
{
    for (int32_t slot = 1; slot < pack->slots.n; ++slot)
        visit_slot(s, ((const int32_t *)pack->slots.data)[slot], slot);
}

static bool pack_gather(cl_pack *pack, const shoal_topology_view *v)
{
    const int32_t n = mover_count(v);
    int32_t *start = cl_array_append(&pack->gather_start, n + 1);
    int32_t *fill = calloc((size_t)n + 1, sizeof *fill);
    if (!start || !fill) {
        free(fill);
        return false;
    }
    slot_list s = {.count = fill, .bytes = cl_pack_slot_bytes(pack)};
    visit_slots(&s, pack);
    for (int32_t i = 0; i < n; ++i) fill[i + 1] = (fill[i + 1] + 3) / 4 + fill[i];
    memcpy(start, fill, ((size_t)n + 1) * sizeof *start);
    s.out = cl_array_append(&pack->gather, fill[n]);
    if (s.out) {
        memset(s.out, 0, (size_t)fill[n] * sizeof(cl_word4));
        for (int32_t i = 0; i < n; ++i) fill[i] *= 4;
        visit_slots(&s, pack);
    }
    free(fill);
    return s.out != NULL;
}

/* Measured on an H200: enough work-items that every atom has one, few that idle. */
static int32_t choose_group_size(const cl_pack *pack, int32_t n)
{
    if (pack->group > 0) return pack->group;
    return n <= 28 ? 32 : n <= 60 ? 64 : 128;
}

/* Local memory that a work-group needs (n_slots without those of pairs), rounded up to an eighth of its power of
 * two, so that systems of like size share a launch. */
static size_t local_bytes_of(const cl_pack *pack, const shoal_topology_view *v, int32_t n_slots)
{
    const size_t four_reals = pack->is_double ? 32 : 16;
    const int32_t n = v->n_atoms + v->n_sites, n_movers = mover_count(v);
    const int32_t places = PADDED(n) > PADDED(n_movers) ? PADDED(n) : PADDED(n_movers);
    const size_t vectors = (size_t)(places + PADDED(n) + 2 * n_movers) +
                           (size_t)LBFGS_SLOTS(n_movers, n_slots + n - n_movers) +
                           LBFGS_PRODUCTS / 4;
    const size_t bytes = (vectors + (size_t)RED_SIZE(choose_group_size(pack, n))) * four_reals;
    size_t step = 64;
    while (16 * step < bytes) step *= 2;
    return (bytes + step - 1) / step * step;
}

static bool pack_bonded(cl_pack *pack, const shoal_topology_view *v, topology_record *r)
{
    const int32_t none = 0;
    pack->slots.n = 0; /* of this topology; slot 0 belongs to nobody */
    const bool fused = !pack->options->plain_terms;
    if (!cl_pack_slots(pack, &none, 1) || (fused && !cl_pack_torsions(pack, v)) ||
        (fused && !cl_pack_centres(pack, v)))
        return false;
    r->node = pack->centres.n;
    if ((fused && !cl_pack_nodes(pack, v, &r->n_nodes)) || !pack_rest(pack, v)) return false;
    r->at_angle = pack->slots.n;
    if (!pack_angles(pack, v) || !pack_bonds(pack, v) || !cl_pack_sites(pack, v)) return false;
    r->n_torsions = pack->torsions.n / 2 - r->torsion;
    r->n_terms = pack->plain.n / TERM_WORDS - r->term;
    r->n_centres = (r->node - r->centre) / CENTRE_WORDS;
    r->n_angles = pack->angles.n / 2 - r->angle;
    r->n_bonds = pack->bonds.n - r->bond;
    r->n_slots = pack->slots.n;
    return true;
}

static bool pack_terms(cl_pack *pack, const shoal_topology_view *v, topology_record *r)
{
    pack->taken = calloc((size_t)v->n_terms + 1, sizeof *pack->taken);
    bool ok = pack->taken && pack_bonded(pack, v, r);
    r->pairs = pack->forms.n;
    ok = ok && pack_atoms(pack, v) && pack_exclusions(pack, v, r->n_words) && pack_gather(pack, v);
    free(pack->taken);
    pack->taken = NULL;
    return ok;
}

/* Back to as many objects as there were. */
static void cut_back(cl_pack *pack, const cl_pack *before)
{
    cl_array *const now[] = {&pack->records,  &pack->shapes,       &pack->bonds,   &pack->angles,
                             &pack->torsions, &pack->plain,        &pack->centres, &pack->atoms,
                             &pack->numbers,  &pack->gather_start, &pack->gather,  &pack->exclude,
                             &pack->sites};
    const cl_array *const then[] = {
        &before->records, &before->shapes,  &before->bonds, &before->angles,  &before->torsions,
        &before->plain,   &before->centres, &before->atoms, &before->numbers, &before->gather_start,
        &before->gather,  &before->exclude, &before->sites};
    for (size_t k = 0; k < sizeof now / sizeof now[0]; ++k) now[k]->n = then[k]->n;
}

shoal_status cl_pack_add(cl_pack *pack, const shoal_topology_view *view, bool *small)
{
    const size_t most = pack->local_limit < 47 * 1024 ? pack->local_limit : 47 * 1024;
    const cl_pack before = *pack;
    topology_record r = {.n_points = view->n_atoms,
                         .bond = pack->bonds.n,
                         .angle = pack->angles.n / 2,
                         .torsion = pack->torsions.n / 2,
                         .term = pack->plain.n / TERM_WORDS,
                         .centre = pack->centres.n,
                         .gather_start = pack->gather_start.n,
                         .gather = pack->gather.n,
                         .exclude = pack->exclude.n,
                         .n_words = (view->n_atoms + view->n_sites + 31) / 32,
                         .atom = pack->atoms.n,
                         .site = pack->sites.n,
                         .n_sites = view->n_sites,
                         .n_directions = view->n_directions};
    *small =
        !view->pbc[0] && !view->pbc[1] && !view->pbc[2] && local_bytes_of(pack, view, 0) <= most;
    if (!*small) return SHOAL_OK;
    topology_record *record = cl_array_append(&pack->records, 1);
    cl_shape *shape = cl_array_append(&pack->shapes, 1);
    if (!record || !shape || !pack_terms(pack, view, &r))
        return shoal_fail(SHOAL_E_MEMORY, "out of memory: packing a topology of %d atoms",
                          view->n_atoms);
    *shape = (cl_shape){.group_size = choose_group_size(pack, r.n_points + r.n_sites),
                        .local_bytes = local_bytes_of(pack, view, r.n_slots)};
    *record = r;
    *small = shape->local_bytes <= most;
    if (!*small) cut_back(pack, &before);
    return SHOAL_OK;
}
