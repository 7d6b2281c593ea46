/* SPDX-License-Identifier: BSD-3-Clause
 * Systems with directions, built by hand: carbon networks with a unit vector at every carbon, isolated and repeating
 * in one to three directions, and runs of them through the calls of a backend. */
#ifndef SHOAL_TESTS_NETWORK_FIXTURE_H
#define SHOAL_TESTS_NETWORK_FIXTURE_H

#include "cpu_fixture.h"
#include "engine/engine.h"

enum { NET_ATOMS = 640, NET_BONDS = 1000, NET_SLOTS = 4, MOST_NETS = 16 };

/* Atoms and bonds; a bond leads from i to the image of j that shift names. */
typedef struct net {
    char name[48];
    int32_t n, n_bonds;
    int32_t z[NET_ATOMS];
    double pos[NET_ATOMS][3], q[NET_ATOMS];
    struct {
        int32_t i, j, shift[3];
    } bonds[NET_BONDS];
    double cell[3][3];
    bool pbc[3];
    bool tilted;              /* some directions lean towards their bonds */
    double depth;             /* of vdw, eV; 0: none */
    double soft;              /* of pi_pi */
    int32_t n_nodes;          /* carbons, which have directions */
    uint64_t seed;            /* of where these point, .. */
    double scatter;           /* .. about as far from z */
    shoal_topology *topology; /* once it is finished */
    double way[NET_ATOMS][3]; /* [n_nodes] directions */
    shoal_restraint restraint;
    int32_t n_restraints;
    bool *fixed; /* NULL: none */
} net;

static inline int32_t net_atom(net *g, int32_t z, double x, double y, double w)
{
    CHECK(g->n < NET_ATOMS);
    g->z[g->n] = z;
    g->pos[g->n][0] = x;
    g->pos[g->n][1] = y;
    g->pos[g->n][2] = w;
    g->n_nodes += z == 6;
    return g->n++;
}

/* Bonds between atoms of neighbouring cells that are close enough. */
static inline void net_connect(net *g)
{
    for (int32_t i = 0; i < g->n; ++i)
        for (int32_t j = i; j < g->n; ++j)
            for (int code = 0; code < 27; ++code) {
                const int32_t s[3] = {code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1};
                const bool upper = code > 13; /* an atom and its image are met from both sides */
                double r2 = 0;
                bool real = i != j || upper;
                for (int c = 0; c < 3; ++c) {
                    double d = g->pos[j][c] - g->pos[i][c];
                    for (int k = 0; k < 3; ++k) d += s[k] * g->cell[k][c];
                    r2 += d * d;
                    real = real && (s[c] == 0 || g->pbc[c]);
                }
                const double reach = g->z[i] + g->z[j] == 12 ? 1.75 : 1.3;
                if (!real || r2 > reach * reach || g->z[i] + g->z[j] < 7) continue;
                CHECK(g->n_bonds < NET_BONDS);
                g->bonds[g->n_bonds].i = i;
                g->bonds[g->n_bonds].j = j;
                memcpy(g->bonds[g->n_bonds].shift, s, sizeof s);
                ++g->n_bonds;
            }
}

/* Moves atom i by whole cells; its bonds stay what they are. */
static inline void net_move(net *g, int32_t i, const int32_t by[3])
{
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 3; ++k) g->pos[i][c] += by[k] * g->cell[k][c];
    for (int32_t b = 0; b < g->n_bonds; ++b)
        for (int k = 0; k < 3; ++k) {
            if (g->bonds[b].i == i) g->bonds[b].shift[k] += by[k];
            if (g->bonds[b].j == i) g->bonds[b].shift[k] -= by[k];
        }
}

typedef struct net_slot {
    int32_t atom, shift[3];
} net_slot;

/* Neighbours of an atom, and their images. */
static inline int net_slots(const net *g, int32_t i, net_slot slots[NET_SLOTS])
{
    int n = 0;
    for (int32_t b = 0; b < g->n_bonds; ++b)
        for (int end = 0; end < 2; ++end) {
            const int32_t own = end ? g->bonds[b].j : g->bonds[b].i;
            if (own != i) continue;
            CHECK(n < NET_SLOTS);
            slots[n].atom = end ? g->bonds[b].i : g->bonds[b].j;
            for (int k = 0; k < 3; ++k)
                slots[n].shift[k] = end ? -g->bonds[b].shift[k] : g->bonds[b].shift[k];
            ++n;
        }
    return n;
}

/* Angles of a node, and its direction with all of its bonds. */
static inline void net_add_node(const net *g, shoal_topology_builder *b, int32_t i, int32_t way)
{
    net_slot slots[NET_SLOTS];
    const int n = net_slots(g, i, slots);
    const double lean = g->tilted && i % 7 == 3 ? -0.33 : 0.0;
    for (int s = 0; s < n; ++s) {
        const int32_t *a = slots[s].shift;
        const int32_t atoms[3] = {way, i, slots[s].atom};
        const int32_t shifts[3][3] = {{0}, {0}, {a[0], a[1], a[2]}};
        CHECK(shoal_topology_add_term(b, SHOAL_KIND_SIGMA_PI, atoms, shifts,
                                      (const double[8]){1.6 + 0.1 * (i % 3), lean}) == SHOAL_OK);
        for (int t = 0; t < s; ++t) {
            const int32_t *c = slots[t].shift, corners[3] = {slots[s].atom, i, slots[t].atom};
            const int32_t turns[3][3] = {{a[0], a[1], a[2]}, {0}, {c[0], c[1], c[2]}};
            CHECK(shoal_topology_add_term(b, SHOAL_KIND_HALF_ANGLE, corners, turns,
                                          (const double[8]){14.0, 2.0943951}) == SHOAL_OK);
        }
    }
}

/* Makes the topology, and directions that point somewhere. */
static inline void net_finish(net *g)
{
    shoal_topology_builder *b = NULL;
    int32_t way[NET_ATOMS], n = 0;
    CHECK(shoal_topology_begin(&b, g->n, g->z) == SHOAL_OK);
    CHECK(shoal_topology_set_periodic(b, g->pbc) == SHOAL_OK);
    for (int32_t i = 0; i < g->n; ++i) {
        const shoal_atom_parameters p = {
            .vdw_x = g->z[i] == 6 ? 3.4 : 2.6, .vdw_d = g->depth, .charge = g->q[i]};
        CHECK(shoal_topology_set_atom(b, i, &p) == SHOAL_OK);
        if (g->z[i] != 6) continue;
        CHECK(shoal_topology_add_direction(b, i, 1.0 + 0.2 * (i % 3), &way[i]) == SHOAL_OK);
        double r2 = 0, *to = g->way[n++];
        for (int c = 0; c < 3; ++c) {
            to[c] = (c == 2 ? (i % 2 ? -1.0 : 1.0) : 0.0) + g->scatter * set_random(&g->seed);
            r2 += to[c] * to[c];
        }
        for (int c = 0; c < 3; ++c) to[c] /= sqrt(r2);
    }
    for (int32_t i = 0; i < g->n; ++i)
        if (g->z[i] == 6) net_add_node(g, b, i, way[i]);
    for (int32_t k = 0; k < g->n_bonds; ++k) {
        const int32_t i = g->bonds[k].i, j = g->bonds[k].j, *s = g->bonds[k].shift;
        const bool node = g->z[i] == 6 && g->z[j] == 6;
        CHECK(shoal_topology_add_bond(b, i, j, s, node ? 20.0 : 28.0, node ? 1.42 : 1.09) ==
              SHOAL_OK);
        if (node && i != j)
            CHECK(shoal_topology_add_term(b, SHOAL_KIND_PI_PI, (const int32_t[2]){way[i], way[j]},
                                          NULL, (const double[8]){1.3 + 0.1 * (k % 4), g->soft}) ==
                  SHOAL_OK);
    }
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &g->topology) == SHOAL_OK);
}

static inline void net_free(net *g)
{
    shoal_topology_destroy(g->topology);
    free(g->fixed);
    memset(g, 0, sizeof *g);
}

static inline net *net_begin(net *g, const char *name)
{
    memset(g, 0, sizeof *g);
    (void)snprintf(g->name, sizeof g->name, "%s", name);
    g->seed = 4711;
    g->scatter = 0.3;
    g->depth = 0.003;
    g->soft = 0.05;
    return g;
}

/* Graphene of na x nb cells of two atoms, layers of it 3.4 angstrom apart; n_periodic directions repeat. */
static inline net *net_sheet(net *g, const char *name, int na, int nb, int layers, int n_periodic)
{
    const double a = 1.42 * sqrt(3.0), cell[3][3] = {
                                           {na * a, 0, 0},
                                           {0.5 * nb * a, nb * a * sqrt(0.75), 0},
                                           {0, 0, 3.4 * layers},
                                       };
    net_begin(g, name);
    for (int k = 0; k < na * nb * layers; ++k) {
        const int u = k % na, v = k / na % nb, w = k / na / nb;
        const double x = (u + 0.5 * v) * a, y = v * a * sqrt(0.75);
        (void)net_atom(g, 6, x + 0.02 * w, y, 3.4 * w);
        (void)net_atom(g, 6, x + 0.5 * a + 0.02 * w, y + 0.71, 3.4 * w);
    }
    for (int k = 0; k < n_periodic; ++k) {
        g->pbc[k] = true;
        memcpy(g->cell[k], cell[k], sizeof cell[k]);
    }
    net_connect(g);
    return g;
}

/* Polyacetylene along x, n turns of C2H2; charged: bonds with dipoles. */
static inline net *net_chain(net *g, const char *name, int n, bool charged)
{
    net_begin(g, name);
    for (int k = 0; k < 2 * n; ++k) {
        const double up = k % 2 ? 1.0 : -1.0;
        (void)net_atom(g, 6, 1.23 * k, 0.35 * up, 0);
        (void)net_atom(g, 1, 1.23 * k, 1.44 * up, 0);
    }
    for (int32_t i = 0; i < g->n && charged; ++i) g->q[i] = g->z[i] == 6 ? -0.15 : 0.15;
    g->pbc[0] = true;
    g->cell[0][0] = 2.46 * n;
    net_connect(g);
    return g;
}

/* Atoms somewhere near where they are. */
static inline net *net_shake(net *g, double by)
{
    for (int32_t i = 0; i < g->n; ++i)
        for (int c = 0; c < 3; ++c) g->pos[i][c] += by * set_random(&g->seed);
    return g;
}

/* An alkane of UFF, without directions; in a box that repeats it is worked on as large systems are. */
static inline net *net_alkane(net *g, const char *name, int32_t n, bool boxed)
{
    static const double box[3][3] = {{60, 0, 0}, {0, 60, 0}, {0, 0, 60}};
    static const bool pbc[3] = {true, false, false};
    shoal_molecule *mol = NULL;
    net_begin(g, name);
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    set_alkane(mol, n, 0);
    if (boxed) CHECK(shoal_molecule_set_cell(mol, box, pbc) == SHOAL_OK);
    CHECK(shoal_topology_create(&g->topology, mol, NULL) == SHOAL_OK);
    g->n = shoal_molecule_n_atoms(mol);
    memcpy(g->pos, shoal_molecule_positions(mol), (size_t)g->n * sizeof g->pos[0]);
    if (boxed) memcpy(g->cell, box, sizeof box);
    g->pbc[0] = boxed;
    shoal_molecule_destroy(mol);
    return net_shake(g, 0.05);
}

/* --- runs ------------------------------------------------------------------------------------------ */

static inline int32_t net_movers(const net *g)
{
    return g->n + g->n_nodes;
}

/* An engine with the listed systems (NULL: all), their directions where they point to. */
static inline shoal_engine *net_engine(net *const *list, int n, shoal_engine_options options)
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int k = 0; k < n; ++k) {
        const net *g = list[k];
        const bool periodic = g->pbc[0] || g->pbc[1] || g->pbc[2];
        const shoal_system system = {.topology = g->topology,
                                     .pos = (const double(*)[3])g->pos,
                                     .cell = periodic ? (const double(*)[3])g->cell : NULL,
                                     .fixed = g->fixed,
                                     .restraints = &g->restraint,
                                     .n_restraints = g->n_restraints};
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    }
    const shoal_status made = shoal_engine_create(&engine, batch, &options);
    if (made != SHOAL_OK) (void)printf("%s: %s\n", options.device, shoal_error_text());
    CHECK(made == SHOAL_OK);
    shoal_batch_destroy(batch);
    for (int k = 0; k < n; ++k)
        memcpy(engine->results[k].pos + list[k]->n, list[k]->way,
               (size_t)list[k]->n_nodes * sizeof list[k]->way[0]);
    return engine;
}

static inline bool net_always(void *user, int64_t n_evaluations, int64_t n_done, double energy,
                              double fmax)
{
    (void)user;
    (void)energy;
    (void)fmax;
    return n_evaluations >= 0 && n_done >= 0;
}

/* Relaxes all systems by steps of the exact plan, and evaluates them where they end. */
static inline void net_relax(shoal_engine *e, const backend_driver *driver)
{
    const shoal_backend *b = e->backend;
    const backend_poll poll = {net_always, NULL};
    const uint32_t fields = BACKEND_FORCES | BACKEND_TERMS | BACKEND_POSITIONS | BACKEND_STEPS;
    backend_part part;
    engine_begin_run(e);
    CHECK(b->first(e->exact.plan, driver, e->results) == SHOAL_OK);
    for (;;) {
        CHECK(b->next(e->exact.plan, e->results, &part) == SHOAL_OK);
        if (part.n == 0) return;
        CHECK(b->start(e->exact.plan, driver, e->results) == SHOAL_OK);
        for (int32_t k = 0; k < driver->max_steps; k += part.round)
            CHECK(b->step(e->exact.plan, part.round, BACKEND_STEPS, &poll) == SHOAL_OK);
        CHECK(b->eval(e->exact.plan, fields) == SHOAL_OK);
        CHECK(b->read(e->exact.plan, fields, e->results) == SHOAL_OK);
    }
}

#endif
