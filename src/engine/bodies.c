/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bodies: atoms, images and shapes of those of a system, from labels of its atoms. */
#include "engine/bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "geom/eigen.h"

#define SHOAL_REAL double
#include "step_body.h"

#define LINEAR                                                                                     \
    0.01 /* angstrom: root mean square distance of its atoms from the axis of a linear body */

/* One system while its bodies are made. */
typedef struct maker {
    const backend_system *system;
    const double (*pos)[3];
    const double *masses; /* NULL: all alike */
    int32_t (*shifts)[3]; /* [n_atoms] NULL: isolated */
    backend_body *of;
    int32_t *atoms, (*own_shifts)[3];
    double (*shape)[3], *weights;
} maker;

/* --- images --------------------------------------------------------------------------------------- */

static bool is_periodic(const backend_system *s)
{
    return s->view.pbc[0] || s->view.pbc[1] || s->view.pbc[2];
}

static bool is_inside(const backend_system *s, const shoal_term *bond)
{
    const int32_t a = s->bodies[bond->atoms[0]];
    return a >= 0 && a == s->bodies[bond->atoms[1]];
}

/* Goes along the bonds once, from atoms whose images are known; true if there were new ones. */
static bool follow_bonds(const backend_system *s, bool *known, int32_t (*shifts)[3])
{
    static const int kinds[2] = {SHOAL_KIND_BOND, SHOAL_KIND_QUARTIC_BOND};
    bool any = false;
    for (int m = 0; m < 2; ++m)
        for (int32_t k = 0; k < terms_count(&s->view, kinds[m]); ++k) {
            const shoal_term *t = terms_of(&s->view, kinds[m]) + k;
            const int32_t i = t->atoms[0], j = t->atoms[1];
            if (!is_inside(s, t) || known[i] == known[j]) continue;
            const int32_t from = known[i] ? i : j, to = known[i] ? j : i, sign = known[i] ? 1 : -1;
            for (int c = 0; c < 3; ++c)
                shifts[to][c] = shifts[from][c] + sign * (t->shifts[1][c] - t->shifts[0][c]);
            known[to] = any = true;
        }
    return any;
}

/* A body whose bonds lead to an image of itself is none. Returns such an atom, or -1. */
static int32_t find_endless(const backend_system *s, const int32_t (*shifts)[3])
{
    static const int kinds[2] = {SHOAL_KIND_BOND, SHOAL_KIND_QUARTIC_BOND};
    for (int m = 0; m < 2; ++m)
        for (int32_t k = 0; k < terms_count(&s->view, kinds[m]); ++k) {
            const shoal_term *t = terms_of(&s->view, kinds[m]) + k;
            if (!is_inside(s, t)) continue;
            for (int c = 0; c < 3; ++c)
                if (shifts[t->atoms[1]][c] - shifts[t->atoms[0]][c] !=
                    t->shifts[1][c] - t->shifts[0][c])
                    return t->atoms[0];
        }
    return -1;
}

/* Images in which the bodies of a periodic system are whole; parts without a bond to the others are where they are. */
static bool find_images(const backend_system *s, int32_t (*shifts)[3])
{
    const size_t n = (size_t)s->view.n_atoms + 1;
    bool *known = shoal_alloc(n, sizeof *known), *begun = shoal_alloc(n, sizeof *begun);
    if (!known || !begun) {
        free(known);
        free(begun);
        return false;
    }
    for (bool more = true; more;) { /* one part of every body at a time */
        more = false;
        memset(begun, 0, n * sizeof *begun);
        for (int32_t i = 0; i < s->view.n_atoms; ++i)
            if (s->bodies[i] >= 0 && !known[i] && !begun[s->bodies[i]])
                known[i] = begun[s->bodies[i]] = more = true;
        while (follow_bonds(s, known, shifts)) continue;
    }
    free(known);
    free(begun);
    return true;
}

bool bodies_check(const shoal_engine *engine, int32_t i_system, char reason[BACKEND_REASON_SIZE])
{
    const backend_system *s = &engine->systems[i_system];
    if (!s->bodies) return true;
    if (engine_n_movers(engine, i_system) > engine_n_atoms(engine, i_system)) {
        (void)snprintf(reason, BACKEND_REASON_SIZE,
                       "rigid bodies: electron pairs and directions of MMFFsp3 do not follow them");
        return false;
    }
    for (int32_t i = 0; i < s->view.n_atoms && s->fixed; ++i)
        if (s->bodies[i] >= 0 && s->fixed[i]) {
            (void)snprintf(reason, BACKEND_REASON_SIZE,
                           "rigid bodies: atom %d is fixed and belongs to one", i);
            return false;
        }
    if (!is_periodic(s)) return true;
    int32_t(*shifts)[3] = shoal_alloc((size_t)s->view.n_atoms + 1, sizeof *shifts);
    int32_t endless = -1;
    if (shifts && find_images(s, shifts)) endless = find_endless(s, (const int32_t(*)[3])shifts);
    free(shifts);
    if (endless < 0) return true;
    (void)snprintf(reason, BACKEND_REASON_SIZE,
                   "rigid bodies: that of atom %d is bound to its own image", endless);
    return false;
}

/* --- shapes --------------------------------------------------------------------------------------- */

/* Where atom k is, in the image that belongs to its body. */
static void place(const maker *m, const backend_body *b, int32_t k, double to[3])
{
    const int32_t i = b->atoms[k];
    for (int c = 0; c < 3; ++c) {
        to[c] = m->pos[i][c];
        for (int q = 0; q < 3 && b->shifts; ++q) to[c] += b->shifts[k][q] * m->system->cell[q][c];
    }
}

static void find_centre(const maker *m, const backend_body *b, double centre[3])
{
    double first[3], sum = 0, off[3] = {0};
    place(m, b, 0, first);
    for (int32_t k = 0; k < b->n; ++k) {
        double r[3];
        place(m, b, k, r);
        for (int c = 0; c < 3; ++c) off[c] += b->weights[k] * (r[c] - first[c]);
        sum += b->weights[k];
    }
    for (int c = 0; c < 3; ++c) centre[c] = first[c] + off[c] / sum;
}

/* Rows x, y, z of the principal axes, the last one that of the least moment; and the moments. */
static bool find_axes(const maker *m, const backend_body *b, const double centre[3],
                      double axes[3][3], double moments[3])
{
    double a[9] = {0}, values[3], work[3];
    for (int32_t k = 0; k < b->n; ++k) {
        double r[3], r2 = 0;
        place(m, b, k, r);
        for (int c = 0; c < 3; ++c) r[c] -= centre[c], r2 += r[c] * r[c];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                a[3 * i + j] += b->weights[k] * ((i == j ? r2 : 0) - r[i] * r[j]);
    }
    if (!eigen_symmetric(3, a, values, work)) return false;
    memcpy(axes[2], a, sizeof axes[2]);
    memcpy(axes[0], a + 3, sizeof axes[0]);
    for (int c = 0; c < 3; ++c) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        axes[1][c] = axes[2][d] * axes[0][e] - axes[2][e] * axes[0][d];
    }
    moments[0] = values[1];
    moments[1] = values[2];
    moments[2] = values[0];
    return true;
}

static v3 corner(const backend_body *b, int32_t k)
{
    return v3_sub(v3_make(b->shape[k][0], b->shape[k][1], b->shape[k][2]),
                  v3_make(b->shape[0][0], b->shape[0][1], b->shape[0][2]));
}

/* How good an atom would be as corner number n: far from the centre, from the first, from the line of two. */
static double merit(const backend_body *b, int n, int32_t k)
{
    const double *r = b->shape[k];
    if (n == 0) return r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    const v3 d = corner(b, k);
    if (n == 1) return v3_dot(d, d);
    const v3 area = v3_cross(corner(b, 1), d);
    return v3_dot(area, area);
}

static void swap_atoms(maker *m, backend_body *b, int32_t i, int32_t j)
{
    const ptrdiff_t at = b->atoms - m->atoms;
    const int32_t atom = m->atoms[at + i];
    const double weight = m->weights[at + i];
    double r[3];
    int32_t shift[3];
    m->atoms[at + i] = m->atoms[at + j];
    m->atoms[at + j] = atom;
    m->weights[at + i] = m->weights[at + j];
    m->weights[at + j] = weight;
    memcpy(r, m->shape[at + i], sizeof r);
    memcpy(m->shape[at + i], m->shape[at + j], sizeof r);
    memcpy(m->shape[at + j], r, sizeof r);
    if (!m->own_shifts) return;
    memcpy(shift, m->own_shifts[at + i], sizeof shift);
    memcpy(m->own_shifts[at + i], m->own_shifts[at + j], sizeof shift);
    memcpy(m->own_shifts[at + j], shift, sizeof shift);
}

/* Puts the corners first. */
static void choose_corners(maker *m, backend_body *b)
{
    for (int n = 0; n < 3 && n < b->n; ++n) {
        int32_t best = n;
        for (int32_t k = n + 1; k < b->n; ++k)
            if (merit(b, n, k) > merit(b, n, best)) best = k;
        if (best != n) swap_atoms(m, b, n, best);
    }
}

/* Images are counted from that of the first atom. */
static void come_home(maker *m, const backend_body *b)
{
    int32_t(*shifts)[3] = m->own_shifts ? m->own_shifts + (b->atoms - m->atoms) : NULL, home[3];
    if (!shifts) return;
    memcpy(home, shifts[0], sizeof home);
    for (int32_t k = 0; k < b->n; ++k)
        for (int c = 0; c < 3; ++c) shifts[k][c] -= home[c];
}

/* A straight shape has other moments than the atoms that are nearly on its axis. */
static void straighten(const maker *m, const backend_body *b, double moments[3])
{
    const ptrdiff_t at = b->atoms - m->atoms;
    moments[0] = 0;
    for (int32_t k = 0; k < b->n; ++k)
        moments[0] += b->weights[k] * m->shape[at + k][2] * m->shape[at + k][2];
    moments[1] = moments[0];
}

/* A body whose atoms, images and weights are known. False: its shape is no number, and it stays without atoms. */
static bool shape_body(maker *m, backend_body *b)
{
    const ptrdiff_t at = b->atoms - m->atoms;
    double centre[3], axes[3][3], moments[3], mass = 0;
    v3 frame[3];
    find_centre(m, b, centre);
    if (!find_axes(m, b, centre, axes, moments)) return false;
    for (int32_t k = 0; k < b->n; ++k) mass += b->weights[k];
    const bool linear = moments[2] < LINEAR * LINEAR * mass;
    if (!(moments[0] > 0 && moments[1] > 0)) return false; /* all atoms in one place */
    for (int32_t k = 0; k < b->n; ++k) {
        double r[3];
        place(m, b, k, r);
        for (int q = 0; q < 3; ++q) {
            double sum = 0;
            for (int c = 0; c < 3; ++c) sum += axes[q][c] * (r[c] - centre[c]);
            m->shape[at + k][q] = linear && q < 2 ? 0 : sum;
        }
    }
    if (linear) straighten(m, b, moments);
    choose_corners(m, b);
    come_home(m, b);
    b->per_mass = 1 / mass;
    for (int q = 0; q < 3; ++q) b->per_moment[q] = linear && q == 2 ? 0 : 1 / moments[q];
    body_corners(corner(b, 1), corner(b, b->n > 2 ? 2 : 1), linear, frame);
    for (int k = 0; k < 3; ++k) {
        b->frame[k][0] = frame[k].x;
        b->frame[k][1] = frame[k].y;
        b->frame[k][2] = frame[k].z;
    }
    return true;
}

/* --- systems -------------------------------------------------------------------------------------- */

/* Atoms of bodies, and how many bodies these are at most. */
static int32_t count_atoms(const backend_system *s, int32_t *n_bodies)
{
    int32_t n = 0;
    *n_bodies = 0;
    for (int32_t i = 0; i < s->view.n_atoms && s->bodies; ++i) {
        n += s->bodies[i] >= 0;
        if (s->bodies[i] >= *n_bodies) *n_bodies = s->bodies[i] + 1;
    }
    return n;
}

/* Memory for the bodies of a system; numbers first, which need to be aligned most. */
static void *make_room(maker *m, int32_t n_atoms, int32_t n_bodies)
{
    const size_t n = (size_t)n_atoms, images = m->shifts ? n : 0;
    const size_t size = (size_t)n_bodies * sizeof *m->of +
                        n * (sizeof *m->shape + sizeof *m->weights + sizeof *m->atoms) +
                        images * sizeof *m->own_shifts;
    unsigned char *room = shoal_alloc(size + 1, 1);
    if (!room) return NULL;
    m->of = (void *)room;
    m->shape = (void *)(m->of + n_bodies);
    m->weights = (void *)(m->shape + n);
    m->atoms = (void *)(m->weights + n);
    m->own_shifts = m->shifts ? (void *)(m->atoms + n) : NULL;
    return room;
}

/* Lists atoms by their label; end[label]: where its list ends then. */
static void list_atoms(maker *m, int32_t n_labels, int32_t *end)
{
    const backend_system *s = m->system;
    int32_t at = 0;
    for (int32_t i = 0; i < s->view.n_atoms; ++i)
        if (s->bodies[i] >= 0) ++end[s->bodies[i]];
    for (int32_t label = 0; label < n_labels; ++label) {
        const int32_t n = end[label];
        end[label] = at;
        at += n;
    }
    for (int32_t i = 0; i < s->view.n_atoms; ++i)
        if (s->bodies[i] >= 0) m->atoms[end[s->bodies[i]]++] = i;
}

/* Body of the atoms from entry `at` to `end` of the list. */
static void gather_body(maker *m, int32_t at, int32_t end, backend_body *b)
{
    *b = (backend_body){.n = end - at,
                        .atoms = m->atoms + at,
                        .shifts = m->own_shifts ? (const int32_t(*)[3])(m->own_shifts + at) : NULL,
                        .shape = (const double(*)[3])(m->shape + at),
                        .weights = m->weights + at};
    for (int32_t k = at; k < end; ++k) {
        const int32_t i = m->atoms[k];
        if (m->own_shifts) memcpy(m->own_shifts[k], m->shifts[i], sizeof m->shifts[i]);
        m->weights[k] = m->masses ? m->masses[i] : 1.0 / b->n;
    }
}

static shoal_status make_bodies(maker *m, backend_bodies *out, void **room)
{
    int32_t n_labels, n_atoms = count_atoms(m->system, &n_labels), at = 0;
    const size_t n = (size_t)m->system->view.n_atoms + 1;
    if (is_periodic(m->system)) {
        m->shifts = shoal_alloc(n, sizeof *m->shifts);
        if (!m->shifts || !find_images(m->system, m->shifts)) {
            free(m->shifts);
            return SHOAL_E_MEMORY;
        }
    }
    int32_t *end = shoal_alloc((size_t)n_labels + 1, sizeof *end);
    *room = end ? make_room(m, n_atoms, n_labels) : NULL;
    if (*room) list_atoms(m, n_labels, end);
    for (int32_t label = 0; label < n_labels && *room; at = end[label++]) {
        backend_body *b = &m->of[out->n];
        gather_body(m, at, end[label], b);
        if (b->n > 0) out->n += shape_body(m, b);
    }
    out->of = m->of;
    free(m->shifts);
    free(end);
    return *room ? SHOAL_OK : SHOAL_E_MEMORY;
}

static shoal_status make_system(const shoal_engine *engine, int32_t i, const double *masses,
                                backend_bodies *out, void **room)
{
    maker m = {.system = &engine->systems[i],
               .pos = (const double(*)[3])engine->results[i].pos,
               .masses = masses ? masses + engine_first_mover(engine, i) : NULL};
    char why[BACKEND_REASON_SIZE];
    *out = (backend_bodies){0};
    if (!m.system->bodies || m.system->skip || !bodies_check(engine, i, why)) return SHOAL_OK;
    return make_bodies(&m, out, room);
}

typedef struct makers {
    const shoal_engine *engine;
    const double *masses;
    engine_bodies *to;
    _Atomic int failed;
} makers;

static void make_one(void *what, int32_t i)
{
    makers *all = what;
    if (make_system(all->engine, i, all->masses, &all->to->of[i], &all->to->rooms[i]) != SHOAL_OK)
        all->failed = 1;
}

shoal_status bodies_create(engine_bodies **out, const shoal_engine *engine, const double *masses)
{
    *out = NULL;
    if (!engine->bodies) return SHOAL_OK;
    engine_bodies *b = shoal_alloc(1, sizeof *b);
    if (!b) return SHOAL_E_MEMORY;
    b->n_systems = engine->n_systems;
    b->of = shoal_alloc((size_t)b->n_systems, sizeof *b->of);
    b->rooms = shoal_alloc((size_t)b->n_systems, sizeof *b->rooms);
    makers all = {engine, masses, b, 0};
    if (b->of && b->rooms) thread_pool_for(engine->pool, engine->n_systems, make_one, &all);
    if (!b->of || !b->rooms || all.failed) {
        bodies_destroy(b);
        return shoal_fail(SHOAL_E_MEMORY, "out of memory: rigid bodies");
    }
    *out = b;
    return SHOAL_OK;
}

void bodies_destroy(engine_bodies *bodies)
{
    if (!bodies) return;
    for (int32_t i = 0; i < bodies->n_systems && bodies->rooms; ++i) free(bodies->rooms[i]);
    free(bodies->rooms);
    free(bodies->of);
    free(bodies);
}

const backend_bodies *bodies_of(const engine_bodies *bodies)
{
    return bodies ? bodies->of : NULL;
}

/* --- what follows from them ----------------------------------------------------------------------- */

int32_t bodies_frozen(const engine_bodies *bodies, int32_t i)
{
    int32_t n = 0;
    for (int32_t k = 0; bodies && k < bodies->of[i].n; ++k) {
        const backend_body *b = &bodies->of[i].of[k];
        n += 3 * b->n - (b->per_moment[2] > 0 ? 6 : 5);
    }
    return n;
}

static v3 vector_of(const double r[3])
{
    return v3_make(r[0], r[1], r[2]);
}

/* Where atom k is from the first one. */
static v3 apart(const backend_system *s, const backend_body *b, const double (*pos)[3], int32_t k)
{
    const maker m = {.system = s, .pos = pos};
    double r[3], first[3];
    place(&m, b, k, r);
    place(&m, b, 0, first);
    return v3_sub(vector_of(r), vector_of(first));
}

static body_numbers numbers_of(const backend_body *b)
{
    body_numbers n = {.per_mass = b->per_mass, .per_moment = vector_of(b->per_moment)};
    for (int k = 0; k < 3; ++k) n.frame[k] = vector_of(b->frame[k]);
    return n;
}

static body_axes axes_of(const backend_system *s, const backend_body *b, const double (*pos)[3])
{
    const body_numbers n = numbers_of(b);
    return body_find(&n, apart(s, b, pos, 1), apart(s, b, pos, b->n > 2 ? 2 : 1));
}

/* The motion that vectors of the atoms give a body; weighted: velocities. */
static body_motion motion_of(const backend_body *b, const body_axes *a, const double (*rows)[3],
                             bool weighted)
{
    const body_numbers n = numbers_of(b);
    v3 sum = v3_make(0, 0, 0), turn = sum;
    for (int32_t k = 0; k < b->n; ++k) {
        const v3 f = v3_scale(weighted ? b->weights[k] : 1, vector_of(rows[b->atoms[k]]));
        sum = v3_add(sum, f);
        turn = v3_add(turn, v3_cross(body_out(a, vector_of(b->shape[k])), f));
    }
    return body_motion_of(&n, a, sum, turn);
}

void bodies_velocities(const engine_bodies *bodies, const shoal_engine *engine, int32_t i,
                       double (*v)[3])
{
    for (int32_t m = 0; bodies && m < bodies->of[i].n; ++m) {
        const backend_body *b = &bodies->of[i].of[m];
        const body_axes a =
            axes_of(&engine->systems[i], b, (const double(*)[3])engine->results[i].pos);
        const body_motion motion = motion_of(b, &a, (const double(*)[3])v, true);
        for (int32_t k = 0; k < b->n; ++k) {
            const v3 own = body_velocity(&motion, body_out(&a, vector_of(b->shape[k])));
            double *to = v[b->atoms[k]];
            to[0] = own.x;
            to[1] = own.y;
            to[2] = own.z;
        }
    }
}

uint64_t bodies_sum(const engine_bodies *bodies, int32_t i, uint64_t sum)
{
    for (int32_t m = 0; bodies && m < bodies->of[i].n; ++m) {
        const backend_body *b = &bodies->of[i].of[m];
        const size_t n = (size_t)b->n;
        sum = hash_bytes(sum, b->atoms, n * sizeof *b->atoms);
        sum = hash_bytes(sum, b->weights, n * sizeof *b->weights);
        sum = hash_bytes(sum, b->shape, n * sizeof *b->shape);
    }
    return sum;
}

void bodies_fmax(const shoal_engine *engine, int32_t i)
{
    const backend_system *s = &engine->systems[i];
    backend_result *r = &engine->results[i];
    backend_bodies own;
    void *room = NULL;
    double most2 = 0;
    if (!s->bodies || !isfinite(r->fmax)) return;
    if (make_system(engine, i, NULL, &own, &room) != SHOAL_OK) return;
    for (int32_t a = 0; a < s->view.n_atoms; ++a) {
        const v3 f = vector_of(r->forces[a]);
        if (s->bodies[a] < 0) most2 = fmax(most2, v3_dot(f, f));
    }
    for (int32_t m = 0; m < own.n; ++m) {
        const backend_body *b = &own.of[m];
        const body_axes a = axes_of(s, b, (const double(*)[3])r->pos);
        const body_motion push = motion_of(b, &a, (const double(*)[3])r->forces, false);
        for (int32_t k = 0; k < b->n; ++k) {
            const v3 f = body_velocity(&push, body_out(&a, vector_of(b->shape[k])));
            most2 = fmax(most2, v3_dot(f, f));
        }
    }
    free(room);
    r->fmax = sqrt(most2);
}
