/* SPDX-License-Identifier: BSD-3-Clause
 * Nudged elastic bands: barriers of ethane and butane against relaxed scans, bands that do not see each other, ends that
 * are turned, and what is refused. */
#include <stdlib.h>
#include <string.h>

#include "device_fixture.h"
#include "geom/vector.h"
#include "jobs/band.h"
#include "periodic_fixture.h"
#include "surface_fixture.h"

#define PI 3.14159265358979323846
enum { MOST = 32 };

typedef struct chain {
    shoal_molecule *mol;
    shoal_topology *topology;
    int32_t n;
} chain;

static const shoal_engine_options exact = {.precision = SHOAL_PRECISION_DOUBLE, .n_threads = 1};

/* An alkane of n carbons in all-anti form: carbons 0 .. n - 1, then hydrogens. */
static void make_chain(chain *c, int n)
{
    double at[MOST][3];
    CHECK(shoal_molecule_create(&c->mol) == SHOAL_OK);
    for (int i = 0; i < n; ++i) {
        const double r[3] = {1.27 * i, i % 2 ? 0.85 : 0.0, 0.0};
        memcpy(at[i], r, sizeof r);
        CHECK(shoal_molecule_add_atom(c->mol, 6, r) == SHOAL_OK);
    }
    for (int i = 0; i < n; ++i) {
        const double side = i % 2 ? 1.0 : -1.0;
        for (int k = 0; k < 2; ++k) {
            const double r[3] = {at[i][0], at[i][1] + side * 0.63, k ? 0.89 : -0.89};
            CHECK(shoal_molecule_add_atom(c->mol, 1, r) == SHOAL_OK);
        }
        if (i > 0 && i < n - 1) continue;
        const double way = i == 0 ? -1.0 : 1.0;
        const double r[3] = {at[i][0] + way * 1.03, at[i][1] - side * 0.36, 0.0};
        CHECK(shoal_molecule_add_atom(c->mol, 1, r) == SHOAL_OK);
    }
    CHECK(shoal_topology_create(&c->topology, c->mol, NULL) == SHOAL_OK);
    c->n = shoal_molecule_n_atoms(c->mol);
    CHECK(c->n == 3 * n + 2);
}

static void free_chain(chain *c)
{
    shoal_topology_destroy(c->topology);
    shoal_molecule_destroy(c->mol);
}

/* Relaxes pos in place, with a torsion held at an angle if there is one (degrees); energy without the restraint. */
static double relax(const chain *c, double (*pos)[3], const int32_t *torsion, double angle)
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result r = {0};
    shoal_restraint pull = {.kind = SHOAL_RESTRAINT_TORSION, .k = 500, .value = angle * PI / 180};
    if (torsion) memcpy(pull.atoms, torsion, sizeof pull.atoms);
    const shoal_system s = {.topology = c->topology,
                            .pos = (const double(*)[3])pos,
                            .restraints = &pull,
                            .n_restraints = torsion ? 1 : 0};
    const shoal_relax_options o = {.fmax = 1e-5, .max_steps = 20000};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK && shoal_batch_add(batch, &s) == SHOAL_OK);
    CHECK(shoal_engine_create(&engine, batch, &exact) == SHOAL_OK);
    CHECK(shoal_engine_relax(engine, &o, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    CHECK(r.status == SHOAL_SYSTEM_CONVERGED || r.status == SHOAL_SYSTEM_STALLED);
    memcpy(pos, shoal_engine_positions(engine, 0), (size_t)c->n * sizeof *pos);
    const double energy = r.energy - r.terms[SHOAL_TERM_RESTRAINT];
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return energy;
}

static void start_of(const chain *c, double (*pos)[3])
{
    memcpy(pos, shoal_molecule_positions(c->mol), (size_t)c->n * sizeof *pos);
}

/* The highest energy of a relaxed scan of a torsion, by 1 degree. */
static double scan_top(const chain *c, const int32_t torsion[4], double from, double to,
                       double (*pos)[3])
{
    double top = -INFINITY;
    const double step = from < to ? 1.0 : -1.0;
    for (double a = from; step * (to - a) > -0.5; a += step)
        top = fmax(top, relax(c, pos, torsion, a));
    return top;
}

static void ethane_ends(const chain *c, double (*first)[3], double (*last)[3])
{
    start_of(c, first);
    (void)relax(c, first, NULL, 0);
    memcpy(last, first, (size_t)c->n * sizeof *last);
    for (int k = 0; k < 3; ++k) memcpy(last[2 + k], first[2 + (k + 1) % 3], sizeof *last);
}

static shoal_bands *find(const shoal_band *band, int32_t n, const shoal_engine_options *e,
                         const shoal_band_options *o)
{
    shoal_bands *bands = NULL;
    CHECK(shoal_bands_find(&bands, band, n, e, o, NULL, NULL) == SHOAL_OK);
    if (!bands) (void)printf("%s\n", shoal_error_text());
    return bands;
}

static void check_saddle(const shoal_bands *bands, int32_t i, const shoal_band *band, double want)
{
    shoal_band_result b;
    shoal_band_verdict v;
    CHECK(shoal_bands_get(bands, i, &b) == SHOAL_OK);
    CHECK(b.status == SHOAL_SYSTEM_CONVERGED);
    CHECK_NEAR(b.barrier, want, 1e-3);
    CHECK(b.saddle > 0 && b.saddle < b.n_images - 1);
    CHECK(shoal_bands_judge(bands, i, band, NULL, &v) == SHOAL_OK);
    CHECK(v.verdict == SHOAL_VERDICT_SADDLE && v.order == 1 && v.frequency < -20);
}

/* Ethane on each device, and with its last end turned and moved. */
static void test_ethane(void)
{
    static const int32_t torsion[4] = {2, 0, 1, 5};
    const char *devices[] = {"cpu", "ref", find_test_device()};
    double first[MOST][3], last[MOST][3], pos[MOST][3];
    chain c;
    make_chain(&c, 2);
    ethane_ends(&c, first, last);
    memcpy(pos, first, sizeof pos);
    const double floor = relax(&c, pos, NULL, 0);
    const double top = scan_top(&c, torsion, 10, -10, pos) - floor;
    CHECK(top > 0.05 && top < 0.3);
    for (int turned = 0; turned < 2; ++turned) {
        for (int i = 0; turned && i < c.n; ++i) {
            const double r[3] = {last[i][1] + 3, -last[i][0] - 2, last[i][2] + 1};
            memcpy(last[i], r, sizeof r);
        }
        for (int d = 0; d < 3; ++d) {
            const shoal_engine_options e = {.device = devices[d]};
            const shoal_band band = {c.topology, (const double(*)[3])first,
                                     (const double(*)[3])last, NULL, NULL};
            if (!devices[d] || (turned && d > 0)) continue;
            shoal_bands *bands = find(&band, 1, &e, NULL);
            check_saddle(bands, 0, &band, top);
            shoal_bands_destroy(bands);
        }
    }
    free_chain(&c);
}

/* Butane from anti to gauche, on its own and among 100 others; the same bits. */
static void test_butane(void)
{
    static const int32_t torsion[4] = {0, 1, 2, 3};
    enum { N = 100 };
    static double first[MOST][3], last[MOST][3], pos[MOST][3], ends[2][MOST][3];
    static shoal_band list[N];
    shoal_band_result a, b;
    chain c, ethane;
    make_chain(&c, 4);
    make_chain(&ethane, 2);
    ethane_ends(&ethane, ends[0], ends[1]);
    start_of(&c, first);
    const double floor = relax(&c, first, NULL, 0);
    memcpy(pos, first, sizeof pos);
    const double top = scan_top(&c, torsion, 180, 100, pos) - floor;
    (void)scan_top(&c, torsion, 99, 65, pos);
    memcpy(last, pos, sizeof last);
    (void)relax(&c, last, NULL, 0);
    const shoal_band band = {c.topology, (const double(*)[3])first, (const double(*)[3])last, NULL,
                             NULL};
    shoal_bands *alone = find(&band, 1, NULL, NULL);
    check_saddle(alone, 0, &band, top);
    for (int i = 0; i < N; ++i)
        list[i] = i == 57 ? band
                          : (shoal_band){ethane.topology, (const double(*)[3])ends[0],
                                         (const double(*)[3])ends[1], NULL, NULL};
    shoal_bands *many = find(list, N, NULL, NULL);
    CHECK(shoal_bands_get(alone, 0, &a) == SHOAL_OK && shoal_bands_get(many, 57, &b) == SHOAL_OK);
    CHECK(a.steps == b.steps && a.n_images == 11);
    CHECK(memcmp(a.energies, b.energies, 11 * sizeof(double)) == 0);
    CHECK(memcmp(a.positions, b.positions, 11 * (size_t)c.n * 24) == 0);
    CHECK(a.lengths[10] > a.lengths[9] && a.lengths[0] == 0.0);
    CHECK(a.ends_fmax < 1e-4);
    CHECK(a.fmax <= 0.002 && a.fmax > 1e-5);
    shoal_bands_destroy(alone);
    shoal_bands_destroy(many);
    free_chain(&c);
    free_chain(&ethane);
}

/* Without climbing the highest image lies below the saddle; a band whose ends are one minimum has no barrier. */
static void test_options(void)
{
    double first[MOST][3], last[MOST][3];
    chain c;
    shoal_band_result b[3];
    make_chain(&c, 2);
    ethane_ends(&c, first, last);
    const shoal_band band = {c.topology, (const double(*)[3])first, (const double(*)[3])last, NULL,
                             NULL};
    const shoal_band_options climbs = {.n_images = 4}, stays = {.n_images = 4, .no_climb = true};
    const shoal_band_options few = {.max_steps = 3};
    const shoal_band_options *const all[3] = {&climbs, &stays, &few};
    shoal_bands *bands[3];
    for (int k = 0; k < 3; ++k) {
        bands[k] = find(&band, 1, &exact, all[k]);
        CHECK(shoal_bands_get(bands[k], 0, &b[k]) == SHOAL_OK);
    }
    CHECK(b[0].status == SHOAL_SYSTEM_CONVERGED && b[1].status == SHOAL_SYSTEM_CONVERGED);
    CHECK(b[0].barrier > b[1].barrier + 1e-3);
    CHECK(b[2].status == SHOAL_SYSTEM_MAX_STEPS && b[2].steps == 3);
    const shoal_band none = {c.topology, (const double(*)[3])first, (const double(*)[3])first, NULL,
                             NULL};
    shoal_bands *flat = find(&none, 1, &exact, NULL);
    CHECK(shoal_bands_get(flat, 0, &b[0]) == SHOAL_OK);
    CHECK_NEAR(b[0].barrier, 0.0, 1e-6);
    shoal_bands_destroy(flat);
    for (int k = 0; k < 3; ++k) shoal_bands_destroy(bands[k]);
    free_chain(&c);
}

/* The forces of a band on an image between two others, as equations 8 to 11 and 16.8 have them. */
static void test_forces(void)
{
    /* The way turns by an angle whose cosine is cos_turn; half of the springs acts across it at 60 degrees, all of them
     * beyond 90. */
    static const double turns[3][2] = {{0.0, 1.0}, {0.5, 0.5}, {-0.6, 1.0}};
    static const double force[3] = {0.3, -0.2, 0.5};
    for (int k = 0; k < 3; ++k) {
        const double c = turns[k][0], side = sqrt(1.0 - c * c);
        double pos[3][3] = {{0}, {1, 0, 0}, {1 + 2 * c, 2 * side, 0}}, forces[3][3] = {{0}};
        double energies[3] = {0.0, 1.0, 0.4}, velocities[3][3] = {{0}}, along = 0, across = 0;
        band_state b = {.n_atoms = 1,
                        .n_images = 3,
                        .pos = pos,
                        .forces = forces,
                        .velocities = velocities,
                        .energies = energies,
                        .spring = 3};
        /* A top: the larger difference, 1 eV, weighs the way to the higher neighbour, 0.6 the other. */
        double t[3] = {0.6 + 2 * c, 2 * side, 0}, want[3];
        const double bend[3] = {2 * c - 1, 2 * side, 0};
        const double length = sqrt(t[0] * t[0] + t[1] * t[1]);
        memcpy(forces[1], force, sizeof force);
        for (int i = 0; i < 3; ++i) t[i] /= length;
        for (int i = 0; i < 3; ++i) along += force[i] * t[i];
        for (int i = 0; i < 3; ++i) across += bend[i] * t[i];
        for (int i = 0; i < 3; ++i)
            want[i] = force[i] + (3.0 * (2 - 1) - along) * t[i] +
                      turns[k][1] * 3.0 * (bend[i] - across * t[i]);
        band_nudge(&b);
        for (int i = 0; i < 3; ++i) CHECK_NEAR(forces[1][i], want[i], 1e-12);
        b.climbs = true; /* no springs, and uphill along the way */
        memcpy(forces[1], force, sizeof force);
        band_nudge(&b);
        for (int i = 0; i < 3; ++i) CHECK_NEAR(forces[1][i], force[i] - 2 * along * t[i], 1e-12);
    }
}

/* What is left on either end is told. */
static void test_ends(void)
{
    static const shoal_band_options one = {.n_images = 1, .max_steps = 1};
    double first[MOST][3], last[MOST][3], left[2];
    chain c;
    shoal_band_result b;
    make_chain(&c, 2);
    ethane_ends(&c, first, last);
    last[4][0] += 0.1;
    for (int k = 0; k < 2; ++k) {
        const shoal_band band = {c.topology, (const double(*)[3])(k ? last : first),
                                 (const double(*)[3])(k ? first : last), NULL, NULL};
        shoal_bands *bands = find(&band, 1, &exact, &one);
        CHECK(shoal_bands_get(bands, 0, &b) == SHOAL_OK);
        left[k] = b.ends_fmax;
        CHECK_NEAR(b.barrier - b.back, b.energies[2] - b.energies[0], 1e-12);
        shoal_bands_destroy(bands);
    }
    CHECK(left[0] > 0.5);
    CHECK_NEAR(left[0], left[1], 1e-9);
    free_chain(&c);
}

/* Fixed atoms stay, and a band over a surface is not turned. */
static void test_held(void)
{
    double first[MOST][3], last[MOST][3];
    bool fixed[MOST] = {true, true};
    chain c;
    shoal_band_result b;
    make_chain(&c, 2);
    ethane_ends(&c, first, last);
    const shoal_band band = {c.topology, (const double(*)[3])first, (const double(*)[3])last, NULL,
                             fixed};
    shoal_bands *bands = find(&band, 1, &exact, NULL);
    CHECK(shoal_bands_get(bands, 0, &b) == SHOAL_OK && b.status == SHOAL_SYSTEM_CONVERGED);
    for (int k = 0; k < b.n_images; ++k)
        CHECK(memcmp(b.positions[k * c.n], first, 2 * sizeof *first) == 0);
    CHECK(b.barrier > 0.05);
    shoal_band_verdict v;
    CHECK(shoal_bands_judge(bands, 0, &band, &exact, &v) == SHOAL_OK && v.order == 1);
    shoal_bands_destroy(bands);
    free_chain(&c);
}

/* Without forces nothing relaxes: atoms lie where the turn and the hop put them. */
static void test_moves(void)
{
    const shoal_engine_options none = {.terms_off = ~0u, .precision = SHOAL_PRECISION_DOUBLE};
    const shoal_band_move move = {.shift = {1.5, -2.0, 0.25}, .turn = 90};
    double first[8][3], last[8][3], middle[2] = {0, 0};
    shoal_band_ends ends = {.last = last, .n_failed = 9};
    chain c;
    make_chain(&c, 2);
    start_of(&c, first);
    const shoal_band band = {.topology = c.topology, .first = (const double(*)[3])first};
    CHECK(shoal_bands_move(&band, 1, &move, &none, NULL, &ends) == SHOAL_OK && ends.n_failed == 0);
    for (int i = 0; i < 8; ++i)
        for (int x = 0; x < 2; ++x) middle[x] += first[i][x] / 8;
    for (int i = 0; i < 8; ++i) {
        CHECK_NEAR(last[i][0], middle[0] - (first[i][1] - middle[1]) + 1.5, 1e-9);
        CHECK_NEAR(last[i][1], middle[1] + (first[i][0] - middle[0]) - 2.0, 1e-9);
        CHECK_NEAR(last[i][2], first[i][2] + 0.25, 1e-9);
    }
    const shoal_band_move endless = {.turn = INFINITY};
    CHECK(shoal_bands_move(&band, 1, &endless, NULL, NULL, &ends) == SHOAL_E_ARGUMENT);
    free_chain(&c);
}

static void test_refusals(void)
{
    double first[MOST][3], last[MOST][3];
    chain c;
    shoal_bands *bands = NULL;
    shoal_band_result b;
    make_chain(&c, 2);
    ethane_ends(&c, first, last);
    shoal_band band = {c.topology, (const double(*)[3])first, NULL, NULL, NULL};
    CHECK(shoal_bands_find(&bands, &band, 1, NULL, NULL, NULL, NULL) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), "band 0: no topology or no ends");
    last[3][1] = NAN;
    band.last = (const double(*)[3])last;
    CHECK(shoal_bands_find(&bands, &band, 1, NULL, NULL, NULL, NULL) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), "band 0: atom 3 is not finite");
    band.last = (const double(*)[3])first;
    const shoal_band_options none = {.n_images = -1}, soft = {.spring = -1};
    CHECK(shoal_bands_find(&bands, &band, 1, NULL, &none, NULL, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_bands_find(&bands, &band, 1, NULL, &soft, NULL, NULL) == SHOAL_E_ARGUMENT);
    CHECK(bands == NULL && shoal_bands_get(NULL, 0, &b) == SHOAL_E_ARGUMENT);
    const shoal_typing_options typing = {.forcefield = SHOAL_FORCEFIELD_MMFFSP3};
    static const double ethene[6][3] = {{-0.67, 0, 0},     {0.67, 0, 0},    {-1.24, 0.93, 0},
                                        {-1.24, -0.93, 0}, {1.24, 0.93, 0}, {1.24, -0.93, 0}};
    shoal_topology *turning = NULL;
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int i = 0; i < 6; ++i)
        CHECK(shoal_molecule_add_atom(mol, i < 2 ? 6 : 1, ethene[i]) == SHOAL_OK);
    CHECK(shoal_topology_create(&turning, mol, &typing) == SHOAL_OK);
    shoal_molecule_destroy(mol);
    band = (shoal_band){.topology = turning, .first = ethene, .last = ethene};
    CHECK(shoal_bands_find(&bands, &band, 1, NULL, NULL, NULL, NULL) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), "band 0: electron pairs and directions") != NULL);
    shoal_topology_destroy(turning);
    free_chain(&c);
}

/* Two argon atoms past each other, one of them across the border of a cell; and the same as what is held. */
typedef struct pair {
    shoal_topology *topology;
    double first[2][3], last[2][3], cell[3][3];
} pair;

static void make_pair(pair *p)
{
    static const int32_t argon[2] = {18, 18};
    const pair at = {.first = {{0.4, 1, 5}, {5, 4.2, 5}},
                     .last = {{11.6, 1, 5}, {5, 4.4, 5}},
                     .cell = {{16, 0, 0}, {0, 9, 0}, {0, 0, 11}}};
    *p = at;
    shoal_molecule *mol = periodic_molecule(2, argon, at.first, NULL, at.cell, 3);
    CHECK(shoal_topology_create(&p->topology, mol, NULL) == SHOAL_OK);
    shoal_molecule_destroy(mol);
}

typedef struct told {
    int64_t n_evaluations;
    int32_t n_calls, n_done[MOST];
} told;

static bool listen(void *user, const shoal_progress *p)
{
    told *t = user;
    if (t->n_calls < MOST) t->n_done[t->n_calls] = (int32_t)p->n_done;
    ++t->n_calls;
    t->n_evaluations = p->n_evaluations;
    CHECK(p->n_systems == 2);
    return true;
}

/* Energies, heights and lengths are those of the images, computed once more one by one. */
static void check_images(const pair *p, const shoal_band_result *b)
{
    double length = 0;
    for (int32_t k = 0; k < b->n_images; ++k) {
        const double(*at)[3] = b->positions + 2 * k;
        shoal_batch *batch = NULL;
        shoal_engine *engine = NULL;
        shoal_result r = {0};
        const shoal_system s = {
            .topology = p->topology, .pos = at, .cell = (const double(*)[3])p->cell};
        CHECK(shoal_batch_create(&batch) == SHOAL_OK && shoal_batch_add(batch, &s) == SHOAL_OK);
        CHECK(shoal_engine_create(&engine, batch, &exact) == SHOAL_OK);
        CHECK(shoal_engine_eval(engine) == SHOAL_OK);
        CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
        CHECK_NEAR(b->energies[k], r.energy, 1e-12);
        double square = 0;
        for (int c = 0; k > 0 && c < 6; ++c)
            square += (at[c / 3][c % 3] - at[c / 3 - 2][c % 3]) *
                      (at[c / 3][c % 3] - at[c / 3 - 2][c % 3]);
        length += sqrt(square);
        CHECK_NEAR(b->lengths[k], length, 1e-9);
        CHECK(b->energies[k] <= b->energies[b->saddle]);
        shoal_engine_destroy(engine);
        shoal_batch_destroy(batch);
    }
    CHECK(b->barrier == b->energies[b->saddle] - b->energies[0]);
    CHECK(b->back == b->energies[b->saddle] - b->energies[b->n_images - 1]);
}

static void test_periodic(void)
{
    static const bool fixed[2] = {false, true};
    const shoal_band_options few = {.max_steps = 12};
    shoal_band_result b;
    shoal_band_verdict v;
    shoal_bands *bands = NULL;
    told t = {0};
    pair p;
    make_pair(&p);
    const shoal_band list[2] = {{p.topology, (const double(*)[3])p.first,
                                 (const double(*)[3])p.last, (const double(*)[3])p.cell, NULL},
                                {p.topology, (const double(*)[3])p.first,
                                 (const double(*)[3])p.last, (const double(*)[3])p.cell, fixed}};
    CHECK(shoal_bands_find(&bands, list, 2, &exact, &few, listen, &t) == SHOAL_OK);
    CHECK(t.n_calls == 12 && t.n_evaluations == 12 * 2 * 11);
    CHECK(t.n_done[0] == 0 && t.n_done[10] == 0 && t.n_done[11] == 2);
    for (int32_t i = 0; i < 2; ++i) {
        CHECK(shoal_bands_get(bands, i, &b) == SHOAL_OK && b.steps == 12 && b.n_images == 11);
        CHECK(memcmp(b.positions, p.first, sizeof p.first) == 0);
        CHECK(memcmp(b.positions + 20, p.last, sizeof p.last) == 0);
        check_images(&p, &b);
    }
    /* Three modes of one atom in the field of the other, which is held. */
    shoal_modes_result *modes = NULL;
    const shoal_system saddle = {.topology = p.topology,
                                 .pos = b.positions + 2 * b.saddle,
                                 .cell = (const double(*)[3])p.cell,
                                 .fixed = fixed};
    const shoal_modes_options how = {.fmax = fmax(2 * b.fmax, 1e-3)};
    CHECK(shoal_bands_judge(bands, 1, &list[1], &exact, &v) == SHOAL_OK);
    CHECK(shoal_modes_find(&modes, &saddle, NULL, &exact, &how) == SHOAL_OK);
    CHECK(v.order == modes->order && v.verdict == modes->verdict && modes->n_modes == 3);
    CHECK_NEAR(v.frequency, modes->frequencies[0], 1e-6);
    shoal_modes_result_destroy(modes);
    CHECK(shoal_bands_get(bands, 2, &b) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), "band 2, expected 0 to 1");
    shoal_bands_destroy(bands);
    shoal_topology_destroy(p.topology);
}

/* Ends of several bands one after the other, of cells and with atoms that are held; what has not converged is counted. */
static void test_moved_ends(void)
{
    static const bool fixed[2] = {true, false};
    const shoal_engine_options none = {.terms_off = ~0u, .precision = SHOAL_PRECISION_DOUBLE};
    const shoal_relax_options few = {.fmax = 1e-12, .max_steps = 1};
    const shoal_band_move move = {.shift = {1, 2, 3}, .turn = 90};
    double first[MOST][3], last[12][3];
    shoal_band_ends ends = {.last = last};
    chain c;
    pair p;
    make_chain(&c, 2);
    make_pair(&p);
    start_of(&c, first);
    const shoal_band list[3] = {
        {p.topology, (const double(*)[3])p.first, NULL, (const double(*)[3])p.cell, fixed},
        {c.topology, (const double(*)[3])first, NULL, NULL, NULL},
        {p.topology, (const double(*)[3])p.first, NULL, (const double(*)[3])p.cell, NULL}};
    CHECK(shoal_bands_move(list, 3, &move, &none, NULL, &ends) == SHOAL_OK && ends.n_failed == 0);
    for (int x = 0; x < 3; ++x) {
        CHECK(last[0][x] == p.first[0][x]);
        CHECK_NEAR(last[1][x], p.first[1][x] + move.shift[x], 1e-9); /* about itself */
    }
    CHECK_NEAR(last[2][2], first[0][2] + 3, 1e-9);
    CHECK_NEAR(last[10][0], 2.7 - (1 - 2.6) + 1, 1e-9);
    CHECK_NEAR(last[11][1], 2.6 + (5 - 2.7) + 2, 1e-9);
    CHECK(shoal_bands_move(list, 3, &move, &exact, &few, &ends) == SHOAL_OK && ends.n_failed == 3);
    /* Each in its own cell, as if it were alone. */
    const shoal_relax_options some = {.fmax = 1e-12, .max_steps = 6};
    const double small[3][3] = {{8, 0, 0}, {0, 9, 0}, {0, 0, 11}};
    double both[4][3], alone[2][3];
    const shoal_band two[2] = {list[2],
                               {p.topology, (const double(*)[3])p.first, NULL, small, NULL}};
    ends.last = both;
    CHECK(shoal_bands_move(two, 2, &move, &exact, &some, &ends) == SHOAL_OK);
    ends.last = alone;
    CHECK(shoal_bands_move(&two[1], 1, &move, &exact, &some, &ends) == SHOAL_OK);
    CHECK(memcmp(both[2], alone, sizeof alone) == 0 && memcmp(both[0], alone, sizeof alone) != 0);
    shoal_topology_destroy(p.topology);
    free_chain(&c);
}

/* Distances change evenly along the first path, from each end. */
static void test_even(void)
{
    enum { N = 5 };
    double pos[N][3][3] = {{{0}}}, forces[N][3][3], velocities[N][3][3] = {{{0}}}, energies[N];
    band_state b = {.n_atoms = 3,
                    .n_images = N,
                    .pos = pos[0],
                    .forces = forces[0],
                    .velocities = velocities[0],
                    .energies = energies,
                    .spring = 2};
    const double ends[2][3][3] = {{{0, 0, 0}, {1.0, 0, 0}, {0, 1.2, 0}},
                                  {{0, 0, 0}, {0.6, 1.9, 0}, {-2.1, 0.4, 0}}};
    memcpy(pos[0], ends[0], sizeof pos[0]);
    memcpy(pos[N - 1], ends[1], sizeof pos[0]);
    band_fill(&b);
    for (int x = 0; x < 3; ++x)
        CHECK_NEAR(pos[1][1][x], 0.75 * ends[0][1][x] + 0.25 * ends[1][1][x], 1e-15);
    band_even(&b);
    for (int k = 1; k < N - 1; ++k)
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3;
            const double from = vector_distance(ends[0][i], ends[0][j]);
            const double to = vector_distance(ends[1][i], ends[1][j]);
            CHECK_NEAR(vector_distance(pos[k][i], pos[k][j]), from + k * (to - from) / (N - 1),
                       0.2);
        }
    for (int k = 0; k < N * 9; ++k) CHECK(((double *)velocities)[k] == 0.0);
}

/* The highest of equals is the first; no step is longer than 0.1 A. */
static void test_steps(void)
{
    double pos[3][3] = {{0}, {1, 0, 0}, {2, 0, 0}}, forces[3][3] = {{0}, {1e6, 0, 0}, {0}};
    double velocities[3][3] = {{0}}, energies[3] = {1, 1, 1};
    band_state b = {.n_atoms = 1,
                    .n_images = 3,
                    .pos = pos,
                    .forces = forces,
                    .velocities = velocities,
                    .energies = energies,
                    .spring = 3,
                    .fire = fire_begin(0, fire_usual())};
    CHECK(band_saddle(&b) == 0);
    CHECK(band_step(&b, 1e-3, 100) && b.fmax == 1e6);
    CHECK_NEAR(pos[1][0], 1.1, 1e-12);
}

int main(void)
{
    test_periodic();
    test_moved_ends();
    test_even();
    test_steps();
    test_ethane();
    test_butane();
    test_options();
    test_forces();
    test_ends();
    test_held();
    test_moves();
    test_refusals();
    return check_done();
}
