/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies with directions made by hand, and runs of them on a backend without an engine around it. Parameters are
 * those of MMFFsp3. */
#ifndef SHOAL_TESTS_DIRECTION_FIXTURE_H
#define SHOAL_TESTS_DIRECTION_FIXTURE_H

#include <math.h>
#include <stdlib.h>

#include "backend/backend.h"
#include "check.h"
#include "constants.h"
#include "ff/auxiliary.h"
#include "ff/topology.h"
#include "layout.h"
#include "shoal/topology_builder.h"

enum { DIR_ATOMS = 1120, DIR_NEAR = 4, DIR_SYSTEMS = 24 };

#define DIR_BOX 400.0 /* angstrom: images are out of reach */

typedef struct node_type {
    double angle, tilt; /* degrees */
    double kss, ksp, kpp;
} node_type;

static const node_type type_c2 = {120, 0, 4.21, 1.6, 2.0}, type_cr = {120, 0, 6.34, 1.6, 1.3};
static const node_type type_ccoo = {120, 0, 5.94, 2.2, 1.0}, type_opcoo = {120, 0, 8.02, 2.2, 1.0};
static const node_type type_oscoo = {109.5, -19.5, 5.99, 1.0, 0.5};
static const node_type type_c3 = {109.47, -19.47, 6.32, 0, 0};

/* A molecule before it is a topology. */
typedef struct sketch {
    int32_t n, elements[DIR_ATOMS];
    const node_type *types[DIR_ATOMS]; /* NULL: not a node */
    double pos[DIR_ATOMS][3], p[DIR_ATOMS][3], charge[DIR_ATOMS];
    int32_t n_near[DIR_ATOMS], near[DIR_ATOMS][DIR_NEAR];
    double length[DIR_ATOMS][DIR_NEAR], k[DIR_ATOMS][DIR_NEAR];
    int32_t n_bonds, bonds[2 * DIR_ATOMS][2];
} sketch;

static inline int32_t sketch_atom(sketch *s, int32_t z, const node_type *type, double x, double y,
                                  double w)
{
    const int32_t i = s->n++;
    s->elements[i] = z;
    s->types[i] = type;
    s->pos[i][0] = x;
    s->pos[i][1] = y;
    s->pos[i][2] = w;
    s->p[i][2] = 1;
    return i;
}

static inline void sketch_bond(sketch *s, int32_t i, int32_t j, double length, double k)
{
    const int32_t ends[2] = {i, j};
    memcpy(s->bonds[s->n_bonds++], ends, sizeof ends);
    for (int e = 0; e < 2; ++e) {
        const int32_t a = ends[e], m = s->n_near[a]++;
        s->near[a][m] = ends[1 - e];
        s->length[a][m] = length;
        s->k[a][m] = k;
    }
}

static inline void sketch_direction(sketch *s, int32_t i, double x, double y, double z)
{
    s->p[i][0] = x;
    s->p[i][1] = y;
    s->p[i][2] = z;
}

static inline bool is_turning(const node_type *t)
{
    return t && (t->ksp > 0 || t->kpp > 0);
}

static inline void sketch_terms(const sketch *s, shoal_topology_builder *b, int32_t i,
                                const int32_t *direction)
{
    const node_type *t = s->types[i];
    const double half[2] = {4 * t->kss, t->angle / DEGREES};
    const double tilt[2] = {t->ksp, sin(t->tilt / DEGREES)};
    for (int a = 0; a < s->n_near[i]; ++a) {
        const int32_t j = s->near[i][a];
        for (int c = a + 1; c < s->n_near[i]; ++c)
            CHECK(shoal_topology_add_term(b, SHOAL_KIND_HALF_ANGLE,
                                          (const int32_t[]){j, i, s->near[i][c]}, NULL,
                                          half) == SHOAL_OK);
        if (t->ksp > 0)
            CHECK(shoal_topology_add_term(b, SHOAL_KIND_SIGMA_PI,
                                          (const int32_t[]){direction[i], i, j}, NULL,
                                          tilt) == SHOAL_OK);
        const double twist[2] = {s->types[j] ? sqrt(t->kpp * s->types[j]->kpp) : 0, 0};
        if (i < j && twist[0] > 1e-6)
            CHECK(shoal_topology_add_term(b, SHOAL_KIND_PI_PI,
                                          (const int32_t[]){direction[i], direction[j]}, NULL,
                                          twist) == SHOAL_OK);
    }
}

/* The topology; pairs: with vdW and charges. pbc: repeats along x. */
static inline shoal_topology *sketch_topology(const sketch *s, bool pairs, bool repeats)
{
    shoal_topology_builder *b = NULL;
    shoal_topology *out = NULL;
    int32_t direction[DIR_ATOMS];
    CHECK(shoal_topology_begin(&b, s->n, s->elements) == SHOAL_OK);
    if (repeats)
        CHECK(shoal_topology_set_periodic(b, (const bool[]){true, false, false}) == SHOAL_OK);
    for (int32_t i = 0; i < s->n; ++i) {
        const shoal_atom_parameters p = {.vdw_x = s->elements[i] == 1 ? 2.6 : 3.6,
                                         .vdw_d = pairs ? 0.003 : 0,
                                         .charge = pairs ? s->charge[i] : 0};
        CHECK(shoal_topology_set_atom(b, i, &p) == SHOAL_OK);
        if (is_turning(s->types[i]))
            CHECK(shoal_topology_add_direction(b, i, 1.0 + 0.1 * i, &direction[i]) == SHOAL_OK);
    }
    for (int32_t i = 0; i < s->n; ++i)
        for (int a = 0; a < s->n_near[i]; ++a)
            if (i < s->near[i][a])
                CHECK(shoal_topology_add_bond(b, i, s->near[i][a], NULL, s->k[i][a],
                                              s->length[i][a]) == SHOAL_OK);
    for (int32_t i = 0; i < s->n; ++i)
        if (s->types[i]) sketch_terms(s, b, i, direction);
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &out) == SHOAL_OK);
    return out;
}

/* Coordinates, then directions at their length. */
static inline void sketch_place(const sketch *s, double (*pos)[3])
{
    int32_t n = s->n;
    memcpy(pos, s->pos, (size_t)n * sizeof *pos);
    for (int32_t i = 0; i < s->n; ++i) {
        if (!is_turning(s->types[i])) continue;
        const double *p = s->p[i], length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        for (int c = 0; c < 3; ++c) pos[n][c] = p[c] / length;
        ++n;
    }
}

static inline sketch sketch_formic(void)
{
    sketch s = {0};
    (void)sketch_atom(&s, 6, &type_ccoo, 0, 0, 0);
    (void)sketch_atom(&s, 8, &type_opcoo, 1.2, .1, 0);
    (void)sketch_atom(&s, 8, &type_oscoo, -.65, 1.15, .05);
    (void)sketch_atom(&s, 1, NULL, -.55, -.95, .1);
    (void)sketch_atom(&s, 1, NULL, -1.5, 1, .4);
    sketch_direction(&s, 0, .05, -.03, 1);
    sketch_direction(&s, 1, -.1, .2, 1);
    sketch_direction(&s, 2, .5, .4, .8);
    sketch_bond(&s, 0, 1, 1.225, 27.545);
    sketch_bond(&s, 0, 2, 1.423, 12.723);
    sketch_bond(&s, 0, 3, 1.095, 16.457);
    sketch_bond(&s, 2, 4, 0.973, 24.436);
    static const double charges[] = {.60, -.50, -.60, .05, .45};
    memcpy(s.charge, charges, sizeof charges);
    return s;
}

static inline sketch sketch_ethylene(void)
{
    sketch s = {0};
    (void)sketch_atom(&s, 6, &type_c2, 0, 0, 0);
    (void)sketch_atom(&s, 6, &type_c2, 1.34, .02, -.01);
    (void)sketch_atom(&s, 1, NULL, -.56, .92, .1);
    (void)sketch_atom(&s, 1, NULL, -.58, -.93, -.05);
    (void)sketch_atom(&s, 1, NULL, 1.9, .94, -.15);
    (void)sketch_atom(&s, 1, NULL, 1.88, -.9, .2);
    sketch_direction(&s, 0, .05, .1, 1);
    sketch_direction(&s, 1, -.03, -.2, -1);
    sketch_bond(&s, 0, 1, 1.334, 20.893);
    for (int32_t h = 2; h < 6; ++h) sketch_bond(&s, h / 4, h, 1.095, 16.457);
    return s;
}

static inline sketch sketch_benzene(void)
{
    static const double x[] = {1.397, .699, -.698, -1.397, -.699, .698};
    static const double y[] = {0, 1.210, 1.210, 0, -1.210, -1.210};
    static const double hx[] = {2.48, 1.24, -1.24, -2.48, -1.24, 1.24};
    static const double hy[] = {0, 2.148, 2.148, 0, -2.148, -2.148};
    static const double hz[] = {-.10, .05, .05, -.10, .05, .05}, sign[] = {1, 1, -1, 1, 1, -1};
    sketch s = {0};
    for (int k = 0; k < 6; ++k)
        sketch_direction(&s, sketch_atom(&s, 6, &type_cr, x[k], y[k], k % 2 ? -.05 : .05),
                         .05 * k - .1, .08, sign[k]);
    for (int k = 0; k < 6; ++k) (void)sketch_atom(&s, 1, NULL, hx[k], hy[k], hz[k]);
    for (int k = 0; k < 6; ++k) sketch_bond(&s, k, (k + 1) % 6, 1.334, 20.893);
    for (int k = 0; k < 6; ++k) sketch_bond(&s, k, k + 6, 1.095, 16.457);
    return s;
}

/* n atoms: a chain of planar carbons that ends in a methyl group, and lone atoms that fill it up. */
static inline sketch sketch_chain(int32_t n)
{
    sketch s = {0};
    const int32_t n_carbons = (n - 3) / 2;
    int32_t last = -1;
    for (int32_t k = 0; k < n_carbons; ++k) {
        const double x = 1.2 * k, side = k % 2 ? 1 : -1;
        const bool end = k == n_carbons - 1;
        const int32_t c =
            sketch_atom(&s, 6, end ? &type_c3 : &type_cr, x, 0.35 * side, 0.05 * side);
        if (last >= 0) sketch_bond(&s, last, c, end ? 1.538 : 1.40, end ? 10.082 : 15.4);
        sketch_direction(&s, c, 0.1 * side, -0.05 * (k % 3), k % 4 == 1 ? -1 : 1);
        const int32_t h = sketch_atom(&s, 1, NULL, x, 1.4 * side, 0.1);
        sketch_bond(&s, c, h, 1.095, 16.457);
        if (k == 0 || end) {
            const int32_t g = sketch_atom(&s, 1, NULL, k ? x + 0.9 : -0.95, -0.2 * side, -0.1);
            sketch_bond(&s, c, g, 1.095, 16.457);
        }
        last = c;
    }
    while (s.n < n) (void)sketch_atom(&s, 18, NULL, 3.0 * (s.n % 5), 4.0, 1.5 * (n - s.n));
    for (int32_t i = 0; i < n - n % 2; ++i) s.charge[i] = i % 2 ? 0.1 : -0.1;
    return s;
}

/* --- systems on a backend ------------------------------------------------------------------------ */

typedef struct dir_run {
    const shoal_backend *backend;
    shoal_engine_options options;
    backend_input input;
    int32_t n;
    shoal_topology *topologies[DIR_SYSTEMS];
    backend_system systems[DIR_SYSTEMS];
    backend_result results[DIR_SYSTEMS];
    double pos[DIR_SYSTEMS][2 * DIR_ATOMS][3], forces[DIR_SYSTEMS][2 * DIR_ATOMS][3];
    double velocities[DIR_SYSTEMS][2 * DIR_ATOMS][3], masses[DIR_SYSTEMS][2 * DIR_ATOMS];
    backend_bath baths[DIR_SYSTEMS];
    backend_md md;
    void *plan;
} dir_run;

/* In [-1, 1): Knuth's MMIX generator. */
static inline double dir_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* Of a shape that says whether the schedule for large systems is wanted. */
typedef struct dir_shape {
    bool pairs, large;
} dir_shape;

static inline int32_t dir_movers(const dir_run *r, int32_t k)
{
    return mover_count(&r->systems[k].view);
}

/* Appends a system, atoms moved by up to shake and directions turned by as much. kind: those of one kind are of one
 * topology. */
static inline void dir_add(dir_run *r, const sketch *s, int32_t kind, dir_shape shape, double shake,
                           uint64_t seed)
{
    const int32_t k = r->n++;
    backend_system *to = &r->systems[k];
    shoal_topology *t = sketch_topology(s, shape.pairs, shape.large);
    r->topologies[k] = t;
    to->view = t->view;
    to->topology = kind;
    for (int c = 0; c < 3 && shape.large; ++c) to->cell[c][c] = DIR_BOX;
    sketch_place(s, r->pos[k]);
    for (int32_t i = 0; i < dir_movers(r, k); ++i) {
        double *x = r->pos[k][i], length2 = 0;
        for (int c = 0; c < 3; ++c) x[c] += shake * dir_random(&seed);
        for (int c = 0; c < 3; ++c) length2 += x[c] * x[c];
        for (int c = 0; c < 3 && i >= s->n; ++c) x[c] /= sqrt(length2);
        for (int c = 0; c < 3; ++c) r->velocities[k][i][c] = 0.01 * dir_random(&seed);
        r->masses[k][i] = i < s->n ? to->view.masses[i] : to->view.inertias[i - to->view.n_atoms];
    }
    for (int32_t i = s->n; i < dir_movers(r, k); ++i) {
        double *v = r->velocities[k][i], *p = r->pos[k][i], dot = 0;
        for (int c = 0; c < 3; ++c) dot += v[c] * p[c];
        for (int c = 0; c < 3; ++c) v[c] -= dot * p[c];
    }
    r->results[k] = (backend_result){
        .active = true, .pos = r->pos[k], .forces = r->forces[k], .velocities = r->velocities[k]};
    r->baths[k] = (backend_bath){.masses = r->masses[k],
                                 .kt = 0.03,
                                 .n_dof = 3.0 * s->n + 2.0 * to->view.n_directions,
                                 .key = seed};
}

static inline void dir_open(dir_run *r, const char *device, shoal_precision precision)
{
    const char *argument = "";
    void *opened = NULL;
    r->options.vdw_cutoff = 12;
    r->options.ewald_tolerance = 1e-10;
    if (r->options.n_threads == 0) r->options.n_threads = 1;
    r->input = (backend_input){
        .n_systems = r->n, .systems = r->systems, .options = &r->options, .precision = precision};
    CHECK(shoal_backend_find(device, &r->backend, &argument) == SHOAL_OK);
    CHECK(r->backend->open(&opened, argument) == SHOAL_OK);
    CHECK(r->backend->create(&r->plan, opened, &r->input) == SHOAL_OK);
}

static inline void dir_close(dir_run *r)
{
    r->backend->destroy(r->plan);
    for (int32_t k = 0; k < r->n; ++k) shoal_topology_destroy(r->topologies[k]);
    free(r);
}

static inline void dir_eval(dir_run *r)
{
    const uint32_t wanted = BACKEND_FORCES | BACKEND_TERMS;
    backend_part part;
    CHECK(r->backend->first(r->plan, NULL, r->results) == SHOAL_OK);
    while (r->backend->next(r->plan, r->results, &part) == SHOAL_OK && part.n > 0) {
        CHECK(r->backend->eval(r->plan, wanted) == SHOAL_OK);
        CHECK(r->backend->read(r->plan, wanted, r->results) == SHOAL_OK);
    }
}

enum { DIR_FIRE, DIR_LBFGS, DIR_NVE, DIR_LANGEVIN, DIR_NOSE_HOOVER, N_DIR_DRIVERS };

static inline backend_driver dir_driver(dir_run *r, int how, int32_t max_steps, double fmax)
{
    backend_driver d = {.method = how == DIR_FIRE ? SHOAL_METHOD_FIRE : SHOAL_METHOD_LBFGS,
                        .fmax = fmax,
                        .max_move = 0.1,
                        .max_steps = max_steps};
    r->md = (backend_md){.dt = 0.5,
                         .friction = 0.02,
                         .tau = 50,
                         .most = 1,
                         .thermostat = how == DIR_LANGEVIN      ? MD_LANGEVIN
                                       : how == DIR_NOSE_HOOVER ? MD_NOSE_HOOVER
                                                                : MD_NONE,
                         .seed = 42,
                         .baths = r->baths};
    if (how >= DIR_NVE) d.md = &r->md;
    return d;
}

/* So many steps from where the systems are, round at a time. */
static inline void dir_steps(dir_run *r, int how, int32_t n_steps, int32_t round, double fmax)
{
    const backend_driver driver = dir_driver(r, how, n_steps, fmax);
    const uint32_t wanted =
        BACKEND_STEPS | BACKEND_POSITIONS | (driver.md ? BACKEND_VELOCITIES : 0u);
    backend_part part;
    CHECK(r->backend->first(r->plan, &driver, r->results) == SHOAL_OK);
    while (r->backend->next(r->plan, r->results, &part) == SHOAL_OK && part.n > 0) {
        CHECK(r->backend->start(r->plan, &driver, r->results) == SHOAL_OK);
        for (int32_t n = 0; n < n_steps; n += round)
            CHECK(r->backend->step(r->plan, n_steps - n < round ? n_steps - n : round, wanted,
                                   NULL) == SHOAL_OK);
        CHECK(r->backend->read(r->plan, wanted, r->results) == SHOAL_OK);
    }
}

/* Whether two systems are where they are to the last bit. */
static inline bool dir_same(const dir_run *a, int32_t i, const dir_run *b, int32_t j, bool moving)
{
    const size_t size = (size_t)dir_movers(a, i) * sizeof(double[3]);
    return memcmp(a->pos[i], b->pos[j], size) == 0 &&
           (!moving || memcmp(a->velocities[i], b->velocities[j], size) == 0) &&
           a->results[i].steps == b->results[j].steps &&
           a->results[i].outcome == b->results[j].outcome;
}

static inline dir_run *dir_new(void)
{
    dir_run *r = calloc(1, sizeof *r);
    CHECK(r);
    return r;
}

#endif
