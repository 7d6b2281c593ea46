/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics of directions in large and periodic systems on OpenCL: energy and angular momentum, temperatures, bits. Runs
 * on the processor (PoCL), or on the device that SHOAL_TEST_DEVICE names. */
#include "constants.h"
#include "device_fixture.h"
#include "geom/vector.h"
#include "layout.h"
#include "network_fixture.h"

#define KT 0.0258520 /* eV: 300 K */

static const char *device;

typedef struct dynamics {
    shoal_engine *engine;
    net *const *list;
    int n;
    backend_md md;
    backend_bath baths[MOST_NETS];
    double *masses[MOST_NETS]; /* inertias behind them */
    double (*v[MOST_NETS])[3], (*pos0[MOST_NETS])[3], (*v0[MOST_NETS])[3]; /* at step 0 */
} dynamics;

/* Nearly normal, of the system and the mover alone. */
static double deviate(const net *g, int32_t i, int c)
{
    uint64_t seed = 977u * (uint64_t)g->n + 3u * (uint64_t)i + (uint64_t)c + 1u;
    double sum = 0;
    for (int k = 0; k < 24; ++k) {
        const double x = set_random(&seed);
        sum += k < 12 ? 0 : x;
    }
    return 0.5 * sum;
}

static void set_system_up(dynamics *d, int k)
{
    const net *g = d->list[k];
    const shoal_topology_view *view = &d->engine->systems[k].view;
    const size_t n = (size_t)net_movers(g);
    d->masses[k] = calloc(n, sizeof(double));
    d->v[k] = calloc(n, sizeof *d->v[k]);
    d->v0[k] = calloc(n, sizeof *d->v[k]);
    d->pos0[k] = calloc(n, sizeof *d->v[k]);
    memcpy(d->pos0[k], d->engine->results[k].pos, n * sizeof *d->v[k]);
    for (int32_t i = 0; i < (int32_t)n; ++i) {
        d->masses[k][i] = i < g->n ? view->masses[i] : view->inertias[i - g->n];
        double *v = d->v0[k][i];
        for (int c = 0; c < 3; ++c)
            v[c] = sqrt(KT * ACCELERATION / d->masses[k][i]) * deviate(g, i, c);
        const double along = vector_dot(v, d->pos0[k][i]);
        for (int c = 0; c < 3 && i >= g->n; ++c) v[c] -= along * d->pos0[k][i][c];
    }
    d->baths[k] = (backend_bath){.masses = d->masses[k],
                                 .kt = KT,
                                 .n_dof = 3.0 * g->n + 2.0 * g->n_nodes,
                                 .key = (uint64_t)g->n << 32 | 5u};
}

static void create(dynamics *d, net *const *list, int n, int precision, int32_t thermostat)
{
    memset(d, 0, sizeof *d);
    d->list = list;
    d->n = n;
    d->engine = net_engine(
        list, n, (shoal_engine_options){.device = device, .precision = (shoal_precision)precision});
    d->md = (backend_md){.dt = 0.5,
                         .friction = 0.02,
                         .tau = 10,
                         .most = 0.5,
                         .seed = 0x123456789abcdef0u,
                         .thermostat = thermostat,
                         .baths = d->baths};
    for (int k = 0; k < n; ++k) set_system_up(d, k);
}

static void destroy(dynamics *d)
{
    shoal_engine_destroy(d->engine);
    for (int k = 0; k < d->n; ++k) {
        free(d->masses[k]);
        free(d->v[k]);
        free(d->v0[k]);
        free(d->pos0[k]);
    }
}

/* From step 0, where everything was at first. */
static void begin(dynamics *d)
{
    const backend_driver driver = {.md = &d->md};
    const shoal_backend *b = d->engine->backend;
    void *plan = d->engine->exact.plan;
    backend_part part;
    engine_begin_run(d->engine);
    for (int k = 0; k < d->n; ++k) {
        backend_result *r = &d->engine->results[k];
        const size_t size = (size_t)net_movers(d->list[k]) * sizeof *d->v[k];
        memcpy(r->pos, d->pos0[k], size);
        memcpy(d->v[k], d->v0[k], size);
        memset(r->thermostat, 0, sizeof r->thermostat);
        r->velocities = d->v[k];
        r->steps = 0;
    }
    CHECK(b->first(plan, &driver, d->engine->results) == SHOAL_OK);
    CHECK(b->next(plan, d->engine->results, &part) == SHOAL_OK && part.n == d->n);
    CHECK(b->start(plan, &driver, d->engine->results) == SHOAL_OK);
}

static void step(dynamics *d, int32_t n)
{
    const backend_poll poll = {net_always, NULL};
    CHECK(d->engine->backend->step(d->engine->exact.plan, n, 0, &poll) == SHOAL_OK);
}

static void read_all(dynamics *d)
{
    CHECK(d->engine->backend->read(d->engine->exact.plan,
                                   BACKEND_POSITIONS | BACKEND_VELOCITIES | BACKEND_STEPS,
                                   d->engine->results) == SHOAL_OK);
}

static void look(dynamics *d)
{
    const uint32_t fields = BACKEND_FORCES | BACKEND_TERMS;
    CHECK(d->engine->backend->eval(d->engine->exact.plan, fields) == SHOAL_OK);
    CHECK(d->engine->backend->read(d->engine->exact.plan,
                                   fields | BACKEND_POSITIONS | BACKEND_VELOCITIES | BACKEND_STEPS,
                                   d->engine->results) == SHOAL_OK);
}

/* Kinetic energy of movers from..to at the time of their coordinates, after a look; eV. */
static double kinetic(const dynamics *d, int k, int32_t from, int32_t to)
{
    const backend_result *r = &d->engine->results[k];
    const double half = r->steps > 0 ? 0.5 * d->md.dt : 0;
    double sum = 0;
    for (int32_t i = from; i < to; ++i) {
        const double w = ACCELERATION / d->masses[k][i];
        for (int c = 0; c < 3; ++c) {
            const double v = r->velocities[i][c] + half * w * r->forces[i][c];
            sum += 0.5 * v * v / w;
        }
    }
    return sum;
}

/* Sum of m r x v of all movers: a direction has its inertia and itself for m and r. amu angstrom^2/fs. */
static void angular(const dynamics *d, int k, double out[3])
{
    const backend_result *r = &d->engine->results[k];
    out[0] = out[1] = out[2] = 0;
    for (int32_t i = 0; i < net_movers(d->list[k]); ++i)
        for (int c = 0; c < 3; ++c)
            out[c] += d->masses[k][i] * (r->pos[i][(c + 1) % 3] * r->velocities[i][(c + 2) % 3] -
                                         r->pos[i][(c + 2) % 3] * r->velocities[i][(c + 1) % 3]);
}

/* A flake in so long a box that no image is near: a large system in which nothing pulls from outside. */
static net *add_boxed(net *g)
{
    net_sheet(g, "boxed flake", 4, 4, 1, 0);
    g->pbc[0] = true;
    g->cell[0][0] = 400;
    net_finish(net_shake(g, 0.02));
    return g;
}

/* Without a thermostat energy and angular momentum stay; directions stay unit vectors, velocities tangent. */
static void test_conserved(int precision)
{
    enum { N_LOOKS = 60, STEPS = 30 };
    static net g;
    const bool is_float = precision == SHOAL_PRECISION_FLOAT;
    net *const one[1] = {add_boxed(&g)};
    dynamics d;
    double early = 0, late = 0, first[3], last[3], longest = 0, worst = 0;
    create(&d, one, 1, precision, 0);
    begin(&d);
    step(&d, 1);
    read_all(&d);
    angular(&d, 0, first);
    for (int k = 0; k < N_LOOKS; ++k) {
        step(&d, STEPS);
        look(&d);
        const double e = d.engine->results[0].energy + kinetic(&d, 0, 0, net_movers(&g));
        if (k < N_LOOKS / 3) early += e / (N_LOOKS / 3);
        if (k >= N_LOOKS - N_LOOKS / 3) late += e / (N_LOOKS / 3);
        for (int32_t i = g.n; i < net_movers(&g); ++i) {
            const double *p = d.engine->results[0].pos[i], *v = d.v[0][i];
            longest = fmax(longest, fabs(vector_dot(p, p) - 1));
            worst = fmax(worst, fabs(vector_dot(p, v)) / sqrt(vector_dot(v, v) + 1e-10));
        }
    }
    angular(&d, 0, last);
    double change = 0;
    for (int c = 0; c < 3; ++c) change = fmax(change, fabs(last[c] - first[c]));
    (void)printf("%s: energy %.1e eV, angular momentum %.1e of %.1e, length %.1e, tangent %.1e\n",
                 is_float ? "float" : "double", late - early, change,
                 sqrt(vector_dot(first, first)), longest, worst);
    CHECK(fabs(late - early) <= (is_float ? 2e-3 : 5e-4));
    CHECK(change <= (is_float ? 1e-4 : 1e-10));
    CHECK(longest <= (is_float ? 1e-6 : 1e-14) && worst <= (is_float ? 1e-6 : 1e-14));
    destroy(&d);
    net_free(&g);
}

/* Langevin's thermostat gives every direction kT, and every atom 3/2 kT. */
static void test_temperature(void)
{
    enum { N_LOOKS = 150, STEPS = 20, SKIP = 30 };
    static net g;
    net *const one[1] = {&g};
    dynamics d;
    double atoms = 0, ways = 0;
    net_finish(net_shake(net_sheet(&g, "sheet", 5, 5, 1, 2), 0.02));
    create(&d, one, 1, SHOAL_PRECISION_FLOAT, MD_LANGEVIN);
    d.md.friction = 0.05;
    begin(&d);
    for (int k = 0; k < N_LOOKS; ++k) {
        step(&d, STEPS);
        look(&d);
        if (k < SKIP) continue;
        atoms += kinetic(&d, 0, 0, g.n) / (1.5 * KT * g.n) / (N_LOOKS - SKIP);
        ways += kinetic(&d, 0, g.n, net_movers(&g)) / (KT * g.n_nodes) / (N_LOOKS - SKIP);
    }
    (void)printf("temperature over that of the bath: atoms %.3f, directions %.3f\n", atoms, ways);
    CHECK(fabs(atoms - 1) <= 0.06 && fabs(ways - 1) <= 0.06);
    destroy(&d);
    net_free(&g);
}

static bool same(const dynamics *a, int k, const dynamics *b, int m)
{
    const size_t size = (size_t)net_movers(a->list[k]) * sizeof *a->v[k];
    const backend_result *x = &a->engine->results[k], *y = &b->engine->results[m];
    return memcmp(x->pos, y->pos, size) == 0 && memcmp(a->v[k], b->v[m], size) == 0 &&
           memcmp(x->thermostat, y->thermostat, sizeof x->thermostat) == 0 && x->steps == y->steps;
}

/* In one go, in pieces with looks in between, and alone: the same bits. */
static void test_bits(int precision, int32_t thermostat)
{
    enum { N_STEPS = 24, N = 4 };
    static net nets[N];
    net *const list[N] = {&nets[0], &nets[1], &nets[2], &nets[3]};
    dynamics once, pieces, alone;
    net_finish(net_shake(net_sheet(&nets[0], "stack", 3, 3, 2, 3), 0.03));
    net_finish(net_shake(net_chain(&nets[1], "chain", 5, true), 0.03));
    (void)net_alkane(&nets[2], "alkane", 6, true);
    net_finish(net_shake(net_sheet(&nets[3], "sheet", 9, 8, 1, 2), 0.03));
    create(&once, list, N, precision, thermostat);
    create(&pieces, list, N, precision, thermostat);
    begin(&once);
    step(&once, N_STEPS);
    read_all(&once);
    begin(&pieces);
    for (int32_t n = 0; n < N_STEPS; n += 4) {
        step(&pieces, 4);
        look(&pieces);
    }
    read_all(&pieces);
    for (int k = 0; k < N; ++k) {
        const net *g = list[k];
        CHECK(once.engine->results[k].steps == N_STEPS && same(&once, k, &pieces, k));
        if (g->n_nodes > 0) CHECK(memcmp(once.engine->results[k].pos[g->n], g->way[0], 24) != 0);
        create(&alone, list + k, 1, precision, thermostat);
        begin(&alone);
        step(&alone, N_STEPS);
        read_all(&alone);
        CHECK(same(&once, k, &alone, 0));
        destroy(&alone);
    }
    destroy(&once);
    destroy(&pieces);
    for (int k = 0; k < N; ++k) net_free(&nets[k]);
}

int main(void)
{
    if (!(device = find_test_device())) return 77;
    for (int p = SHOAL_PRECISION_FLOAT; p <= SHOAL_PRECISION_DOUBLE; ++p) {
        test_conserved(p);
        for (int32_t thermostat = 0; thermostat < 3; ++thermostat) test_bits(p, thermostat);
    }
    test_temperature();
    return check_done();
}
