/* SPDX-License-Identifier: BSD-3-Clause
 * Scans: coordinates read and set, points in their order, minima and barriers, streams of points. */
#include <stdlib.h>

#include "chem_fixture.h"
#include "engine/engine.h"
#include "geom/rotation.h"
#include "geom/vector.h"
#include "jobs/coordinate.h"
#include "jobs/scan.h"
#include "surface_fixture.h"

#include "constants.h"

/* --- text ---------------------------------------------------------------------------------------- */

static void test_parse(void)
{
    shoal_coordinate c;
    CHECK(shoal_coordinate_parse("torsion:3,1,0,2=0:360:5", &c) == SHOAL_OK);
    CHECK(c.kind == SHOAL_COORDINATE_TORSION && c.atoms[0] == 3 && c.atoms[3] == 2 && c.n == 73);
    CHECK_NEAR(c.to, 360, 0);
    CHECK(shoal_coordinate_parse("z=6:2:-0.1", &c) == SHOAL_OK && c.n == 41);
    CHECK_NEAR(scan_value(&c, 40), 2, 0);
    CHECK_NEAR(scan_value(&c, 0), 6, 0);
    CHECK_NEAR(scan_value(&c, 1), 5.9, 1e-14);
    CHECK(shoal_coordinate_parse("distance:0,1=1:2:0.3", &c) == SHOAL_OK && c.n == 4);
    CHECK_NEAR(c.to, 1.9, 1e-12); /* 2 is no point */
    CHECK(shoal_coordinate_parse("angle:0,1,2=90:120:n7", &c) == SHOAL_OK && c.n == 7);
    CHECK(shoal_coordinate_parse("rz=15", &c) == SHOAL_OK && c.n == 1);
    CHECK(shoal_coordinate_parse("volume=0.9:1.1:0.05", &c) == SHOAL_OK && c.n == 5);
    CHECK(shoal_coordinate_parse("z=0:0.3:0.1", &c) == SHOAL_OK &&
          c.n == 4); /* 2.9999999999999996 */
    CHECK_NEAR(scan_value(&c, 3), 0.3, 0);
    /* Torsions go round, angles do not. */
    CHECK_NEAR(coordinate_difference(SHOAL_COORDINATE_TORSION, 170, -170), -20, 1e-12);
    CHECK_NEAR(coordinate_difference(SHOAL_COORDINATE_TORSION, -350, 15), -5, 1e-12);
    CHECK_NEAR(coordinate_difference(SHOAL_COORDINATE_ANGLE, 170, -30), 200, 1e-12);
    static const char *const wrong[] = {"z",
                                        "z=",
                                        "z=1:2",
                                        "z=1:2:0",
                                        "z=1:2:-0.1",
                                        "z=1:2:n1",
                                        "z=0:1:1e-12",
                                        "z:1=0:1:0.1",
                                        "w=0:1:0.1",
                                        "z=1:2:0.1x",
                                        "torsion:0,1,2=5",
                                        "distance:0,1,2=1:2:0.1",
                                        "torsion=0:1:1",
                                        "angle:0,1,0=90",
                                        "distance:0,1=0:2:0.1",
                                        "angle:0,1,2=0:190:10",
                                        "z=nan:1:0.1",
                                        "torsion:0,1,-2,3=0:10:1",
                                        "volume:0=1",
                                        "volume=0:1:0.1",
                                        "volume=100:110:1"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k) {
        const bool refused = shoal_coordinate_parse(wrong[k], &c) == SHOAL_E_ARGUMENT;
        CHECK(refused && shoal_error_text()[0]);
        if (!refused) (void)printf("accepted: %s\n", wrong[k]);
    }
}

/* --- setting ------------------------------------------------------------------------------------- */

/* A chain of six with a branch at the third, atoms 6 and 7; atom 8 lies apart. */
static shoal_molecule *make_chain(void)
{
    static const double pos[9][3] = {{0, 0, 0},      {1.2, 0.9, 0},  {2.5, 0.1, 0.3},
                                     {3.6, 1.1, 0},  {4.9, 0.3, .2}, {6.1, 1.2, 0},
                                     {2.6, -1, 1.2}, {2.7, -2, .4},  {9, 4, 1}};
    static const int32_t bonds[7][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {2, 6}, {6, 7}};
    shoal_molecule *mol = chem_new();
    for (int i = 0; i < 9; ++i) chem_atom(mol, "C", pos[i][0], pos[i][1], pos[i][2]);
    for (int i = 0; i < 7; ++i) chem_bond(mol, bonds[i][0], bonds[i][1], SHOAL_ORDER_SINGLE);
    return mol;
}

static int32_t count_moved(const shoal_molecule *mol, const double (*pos)[3])
{
    int32_t n = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) n += vector_distance(mol->pos[i], pos[i]) > 1e-9;
    return n;
}

/* Bonds keep their lengths, but for one. */
static void check_bonds(const shoal_molecule *mol, const double (*pos)[3], int32_t but)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *bond = &mol->bonds[b];
        if (b == but) continue;
        CHECK_NEAR(vector_distance(pos[bond->i], pos[bond->j]),
                   vector_distance(mol->pos[bond->i], mol->pos[bond->j]), 1e-12);
    }
}

static void test_set(void)
{
    static const struct {
        shoal_coordinate c;
        int32_t n_moved, bond; /* atoms that move, the bond that changes */
    } cases[] = {
        {{.kind = SHOAL_COORDINATE_TORSION, .atoms = {1, 2, 3, 4}}, 2, -1}, /* 3 lies on the axis */
        {{.kind = SHOAL_COORDINATE_TORSION, .atoms = {4, 3, 2, 1}}, 2, -1},
        {{.kind = SHOAL_COORDINATE_TORSION, .atoms = {0, 1, 2, 6}}, 1, -1}, /* atom 0 alone */
        {{.kind = SHOAL_COORDINATE_ANGLE, .atoms = {1, 2, 6}}, 2, -1},
        {{.kind = SHOAL_COORDINATE_ANGLE, .atoms = {6, 2, 3}}, 2, -1},
        {{.kind = SHOAL_COORDINATE_DISTANCE, .atoms = {2, 6}}, 2, 5},
        {{.kind = SHOAL_COORDINATE_DISTANCE, .atoms = {8, 0}}, 1, -1}, /* another molecule */
        {{.kind = SHOAL_COORDINATE_DISTANCE, .atoms = {4, 3}}, 2, 3},
    };
    shoal_molecule *mol = make_chain();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const shoal_coordinate *c = &cases[k].c;
        for (double value = 15; value < 180; value += 40) {
            const double to = c->kind == SHOAL_COORDINATE_DISTANCE ? value / 10 : value;
            double pos[9][3];
            bool found = false;
            memcpy(pos, mol->pos, sizeof pos);
            CHECK(coordinate_set(c, mol, to, pos, &found) == SHOAL_OK && found);
            CHECK_NEAR(coordinate_measure(c, (const double(*)[3])pos), to, 1e-9);
            CHECK(count_moved(mol, (const double(*)[3])pos) == cases[k].n_moved);
            check_bonds(mol, (const double(*)[3])pos, cases[k].bond);
        }
    }
    shoal_molecule_destroy(mol);
}

/* Where parts hang together twice, nothing moves; straight atoms can be bent. */
static void test_hard_cases(void)
{
    static const shoal_coordinate closed[] = {
        {.kind = SHOAL_COORDINATE_TORSION, .atoms = {3, 0, 1, 2}},
        {.kind = SHOAL_COORDINATE_DISTANCE, .atoms = {0, 1}},
        {.kind = SHOAL_COORDINATE_DISTANCE, .atoms = {0, 2}},
        {.kind = SHOAL_COORDINATE_ANGLE, .atoms = {0, 1, 2}},
    };
    shoal_molecule *ring = chem_skeleton(4, "0-1 1-2 2-3 3-0", SHOAL_ORDER_SINGLE);
    for (size_t k = 0; k < sizeof closed / sizeof closed[0]; ++k) {
        bool found = true;
        double pos[4][3];
        memcpy(pos, ring->pos, sizeof pos);
        CHECK(coordinate_set(&closed[k], ring, 20, pos, &found) == SHOAL_OK && !found);
        CHECK(count_moved(ring, (const double(*)[3])pos) == 0);
    }
    shoal_molecule_destroy(ring);
    shoal_molecule *line = chem_skeleton(3, "0-1 1-2", SHOAL_ORDER_SINGLE);
    const shoal_coordinate bend = {.kind = SHOAL_COORDINATE_ANGLE, .atoms = {0, 1, 2}};
    /* Both ends of a torsion on one side of its bond: turning that side leaves it as it is. */
    shoal_molecule *fork = chem_skeleton(8, "0-1 1-2 2-3 2-4 0-5 5-6 6-7", SHOAL_ORDER_SINGLE);
    static const int32_t forks[2][4] = {{4, 1, 2, 3}, {3, 2, 1, 4}};
    for (int k = 0; k < 2; ++k) {
        shoal_coordinate c = {.kind = SHOAL_COORDINATE_TORSION};
        bool moved = true;
        double pos[8][3];
        memcpy(c.atoms, forks[k], sizeof forks[k]);
        memcpy(pos, fork->pos, sizeof pos);
        CHECK(coordinate_set(&c, fork, 20, pos, &moved) == SHOAL_OK && !moved);
        CHECK(count_moved(fork, (const double(*)[3])pos) == 0);
    }
    shoal_molecule_destroy(fork);
    bool found = false;
    CHECK(coordinate_set(&bend, line, 120, line->pos, &found) == SHOAL_OK && found);
    CHECK_NEAR(coordinate_measure(&bend, (const double(*)[3])line->pos), 120, 1e-9);
    shoal_molecule_destroy(line);
}

/* --- points -------------------------------------------------------------------------------------- */

static shoal_scan *make_scan(const shoal_scan_options *o)
{
    shoal_scan *scan = NULL;
    CHECK(shoal_scan_create(&scan, o) == SHOAL_OK);
    if (!scan) (void)printf("%s\n", shoal_error_text());
    return scan;
}

static void test_points(void)
{
    const shoal_coordinate c[3] = {
        {.kind = SHOAL_COORDINATE_TORSION, .atoms = {0, 1, 2, 3}, .from = 0, .to = 30, .n = 4},
        {.kind = SHOAL_COORDINATE_TORSION, .atoms = {1, 2, 3, 4}, .from = 5, .to = 7, .n = 3},
        {.kind = SHOAL_COORDINATE_TORSION, .atoms = {2, 3, 4, 5}, .from = 1, .to = 2, .n = 2}};
    shoal_scan_options o = {.coordinates = c, .n_coordinates = 3};
    shoal_scan *scan = make_scan(&o);
    double v[3];
    int64_t place;
    CHECK(shoal_scan_size(scan) == 24);
    CHECK(shoal_scan_locate(scan, 9, v, &place) == SHOAL_OK && place == 9);
    CHECK(v[0] == 10 && v[1] == 6 && v[2] == 2);
    CHECK(shoal_scan_locate(scan, 24, v, NULL) == SHOAL_E_ARGUMENT);
    shoal_scan_destroy(scan);
    o.relaxed = o.follow = true;
    scan = make_scan(&o);
    shoal_variants variants;
    int32_t n;
    CHECK(shoal_scan_variants(scan, &variants) == SHOAL_OK && variants.n == 24 &&
          variants.group == 24 && variants.calm == 6 && variants.again);
    CHECK(shoal_scan_restraints(scan, &n) != NULL && n == 3);
    shoal_scan_destroy(scan);
}

static void test_refusals(void)
{
    shoal_coordinate c[4] = {{.kind = SHOAL_COORDINATE_Z, .from = 1, .to = 2, .n = 3}};
    shoal_scan_options o = {.coordinates = c, .n_coordinates = 1};
    shoal_scan *scan = NULL;
    CHECK(shoal_scan_create(&scan, &o) == SHOAL_E_ARGUMENT && !scan); /* above nothing */
    const int32_t move[1] = {0};
    o.move = move;
    o.n_move = 1;
    CHECK(shoal_scan_create(&scan, &o) == SHOAL_OK);
    shoal_scan_destroy(scan);
    o.relaxed = true;
    CHECK(shoal_scan_create(&scan, &o) == SHOAL_E_ARGUMENT);
    for (int k = 0; k < 4; ++k)
        c[k] = (shoal_coordinate){
            .kind = SHOAL_COORDINATE_TORSION, .atoms = {k, 8, 9, 10}, .to = 360, .n = 361};
    o = (shoal_scan_options){.coordinates = c, .n_coordinates = 4};
    CHECK(shoal_scan_create(&scan, &o) == SHOAL_E_ARGUMENT && strstr(shoal_error_text(), "points"));
    o.n_coordinates = 1;
    o.follow = true;
    CHECK(shoal_scan_create(&scan, &o) == SHOAL_E_ARGUMENT); /* rigid */
    o.follow = false;
    o.starts = 2;
    CHECK(shoal_scan_create(&scan, &o) == SHOAL_E_ARGUMENT); /* the same */
    o = (shoal_scan_options){0};
    CHECK(shoal_scan_create(&scan, &o) == SHOAL_E_ARGUMENT);
}

/* --- minima -------------------------------------------------------------------------------------- */

static shoal_scan *make_curve(double from, double to, int64_t n)
{
    const shoal_coordinate c = {
        .kind = SHOAL_COORDINATE_TORSION, .atoms = {0, 1, 2, 3}, .from = from, .to = to, .n = n};
    const shoal_scan_options o = {.coordinates = &c, .n_coordinates = 1};
    return make_scan(&o);
}

/* Butane as if by hand: minima at 180 and +-60, barriers at +-120 and the highest at 0. */
static void test_curve(void)
{
    double e[73];
    shoal_scan_minimum m[8];
    int64_t tops[8];
    int32_t n;
    for (int i = 0; i < 73; ++i) {
        const double t = 5 * i * DEGREE;
        e[i] = 0.5 * (1 + cos(3 * t)) + 0.2 * (1 + cos(t));
    }
    shoal_scan *scan = make_curve(0, 360, 73);
    CHECK(shoal_scan_minima(scan, e, m, 8, &n) == SHOAL_OK && n == 3);
    CHECK(m[0].place == 36 && m[0].barrier == -1 && !m[0].at_edge);
    CHECK(m[1].place == 12 && m[1].barrier == 24);
    CHECK(m[2].place == 60 && m[2].barrier == 48);
    CHECK(shoal_scan_maxima(scan, e, tops, 8, &n) == SHOAL_OK && n == 3);
    CHECK(tops[0] == m[1].barrier && tops[1] == m[2].barrier && (tops[2] == 0 || tops[2] == 72));
    shoal_scan_destroy(scan);
    scan = make_curve(0, 350, 36); /* its minimum is where it closes */
    for (int i = 0; i < 36; ++i) e[i] = -cos((10 * i + 7) * DEGREE);
    CHECK(shoal_scan_minima(scan, e, m, 8, &n) == SHOAL_OK && n == 1);
    CHECK(m[0].place == 35 && !m[0].at_edge);
    CHECK(shoal_scan_maxima(scan, e, tops, 8, &n) == SHOAL_OK && n == 1 && tops[0] == 17);
    for (int i = 0; i < 36; ++i) e[i] = 1e-6 * i; /* flat */
    CHECK(shoal_scan_maxima(scan, e, tops, 8, &n) == SHOAL_OK && n == 0);
    shoal_scan_destroy(scan);
    scan = make_curve(60, 240, 73); /* open: its ends are no minima of a circle */
    for (int i = 0; i < 73; ++i) e[i] = i < 40 ? i : 100 - 2 * i;
    CHECK(shoal_scan_minima(scan, e, m, 8, &n) == SHOAL_OK && n == 2);
    CHECK(m[0].place == 72 && m[0].at_edge && m[1].place == 0 && m[1].at_edge);
    CHECK(m[1].barrier == 39);
    for (int i = 0; i < 73; ++i) e[i] = 5e-5 * (i % 2) + 1e-6 * i; /* dents */
    CHECK(shoal_scan_minima(scan, e, m, 8, &n) == SHOAL_OK && n == 1 && m[0].place == 0);
    CHECK(shoal_scan_maxima(scan, e, tops, 8, &n) == SHOAL_OK && n == 0);
    for (int i = 0; i < 73; ++i) e[i] = 3e-4 * (i % 36 == 1) + 1e-6 * i; /* and more than dents */
    CHECK(shoal_scan_minima(scan, e, m, 8, &n) == SHOAL_OK && n == 3);
    CHECK(shoal_scan_maxima(scan, e, tops, 8, &n) == SHOAL_OK && n == 2 && tops[1] == 37);
    for (int i = 0; i < 73; ++i) e[i] = 1e-5 * (i % 2) + i; /* one that failed */
    e[30] = NAN;
    CHECK(shoal_scan_minima(scan, e, m, 8, &n) == SHOAL_OK && n == 2); /* either side of the gap */
    CHECK(m[0].place == 0 && m[1].place == 31 && m[1].barrier == -1);
    CHECK(shoal_scan_maxima(scan, e, tops, 8, &n) == SHOAL_OK && n == 0);
    e[30] = 30;
    CHECK(shoal_scan_minima(scan, e, m, 8, &n) == SHOAL_OK && n == 1);
    shoal_scan_destroy(scan);
}

/* Two wells with a ridge between them that has a gap, found by trying all heights of water. */
static void test_map(void)
{
    const shoal_coordinate c[2] = {{.kind = SHOAL_COORDINATE_X, .from = 0, .to = 10, .n = 11},
                                   {.kind = SHOAL_COORDINATE_Y, .from = 0, .to = 6, .n = 7}};
    const int32_t move[1] = {0};
    const shoal_scan_options o = {.coordinates = c, .n_coordinates = 2, .move = move, .n_move = 1};
    shoal_scan *scan = make_scan(&o);
    double e[77];
    shoal_scan_minimum m[4];
    int32_t n;
    for (int x = 0; x < 11; ++x)
        for (int y = 0; y < 7; ++y)
            e[x * 7 + y] =
                x == 5 ? (y == 5 ? 3 : 9)
                       : 0.1 * abs(x - (x < 5 ? 2 : 8)) + 0.1 * abs(y - 2) + (x < 5 ? 0 : 0.5);
    CHECK(shoal_scan_minima(scan, e, m, 4, &n) == SHOAL_OK && n == 2);
    CHECK(m[0].place == 2 * 7 + 2 && m[1].place == 8 * 7 + 2);
    CHECK(m[1].barrier == 5 * 7 + 5 && !m[1].at_edge);
    CHECK_NEAR(m[1].barrier_energy, 3, 0);
    CHECK(shoal_scan_maxima(scan, e, NULL, 0, &n) == SHOAL_E_ARGUMENT);
    const shoal_scan_figure figure = {.title = "map"};
    CHECK(shoal_scan_plot(scan, e, &figure, "test_scan_map.svg") == SHOAL_OK);
    CHECK(remove("test_scan_map.svg") == 0);
    CHECK(shoal_scan_plot(scan, e, &figure, "no_such/directory/map.svg") == SHOAL_E_IO);
    shoal_scan_destroy(scan);
    /* A coordinate of one point has no edge. */
    const shoal_coordinate line[2] = {c[0],
                                      {.kind = SHOAL_COORDINATE_Y, .from = 1, .to = 1, .n = 1}};
    const shoal_scan_options one = {
        .coordinates = line, .n_coordinates = 2, .move = move, .n_move = 1};
    scan = make_scan(&one);
    for (int x = 0; x < 11; ++x) e[x] = abs(x - 4);
    CHECK(shoal_scan_minima(scan, e, m, 4, &n) == SHOAL_OK && n == 1);
    CHECK(m[0].place == 4 && !m[0].at_edge);
    shoal_scan_destroy(scan);
}

/* --- variants ------------------------------------------------------------------------------------ */

/* Makes one variant of a molecule by hand. */
static shoal_status make(shoal_scan *scan, shoal_molecule *mol, int64_t variant,
                         const shoal_stream_system *earlier, double (*pos)[3], shoal_restraint *r)
{
    shoal_variants v;
    const shoal_stream_system s = {.index = variant, .variant = variant, .mol = mol};
    CHECK(shoal_scan_variants(scan, &v) == SHOAL_OK);
    memcpy(pos, mol->pos, (size_t)mol->n_atoms * sizeof *pos);
    return v.make(v.user, &s, earlier, earlier ? 1 : 0, pos, r);
}

static void test_moves(void)
{
    const int32_t move[1] = {8};
    const shoal_coordinate c[2] = {{.kind = SHOAL_COORDINATE_Z, .from = 1, .to = 5, .n = 5},
                                   {.kind = SHOAL_COORDINATE_X, .from = -1, .to = -1, .n = 1}};
    const shoal_scan_options o = {.coordinates = c, .n_coordinates = 2, .move = move, .n_move = 1};
    shoal_scan *scan = make_scan(&o);
    shoal_molecule *mol = make_chain();
    double pos[9][3], rest[3];
    CHECK(make(scan, mol, 3, NULL, pos, NULL) == SHOAL_OK);
    geom_centre((const double(*)[3])pos, 8, rest);
    CHECK_NEAR(pos[8][2] - rest[2], 4, 1e-12);
    CHECK_NEAR(pos[8][0] - rest[0], -1, 1e-12);
    CHECK_NEAR(pos[8][1], mol->pos[8][1], 0);
    CHECK(count_moved(mol, (const double(*)[3])pos) == 1);
    shoal_scan_destroy(scan);
    shoal_molecule_destroy(mol);
}

/* Three atoms, turned about their own centre and moved relative to that of the other six. */
static void test_turns(void)
{
    const int32_t move[3] = {6, 7, 8};
    for (int axis = 0; axis < 3; ++axis) {
        const shoal_coordinate c[2] = {
            {.kind = (shoal_coordinate_kind)(SHOAL_COORDINATE_RX + axis), .from = 90, .n = 1},
            {.kind = SHOAL_COORDINATE_Y, .from = 2, .to = 2, .n = 1}};
        const shoal_scan_options o = {
            .coordinates = c, .n_coordinates = 2, .move = move, .n_move = 3};
        shoal_scan *scan = make_scan(&o);
        shoal_molecule *mol = make_chain();
        double pos[9][3], rest[3], own[3];
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        CHECK(make(scan, mol, 0, NULL, pos, NULL) == SHOAL_OK);
        geom_centre((const double(*)[3])pos, 6, rest);
        geom_centre((const double(*)[3])pos + 6, 3, own);
        CHECK_NEAR(own[1] - rest[1], 2, 1e-12);
        CHECK_NEAR(own[0], (2.6 + 2.7 + 9) / 3, 1e-12);
        for (int i = 6; i < 8; ++i) { /* a quarter turn: u to v, v to -u */
            CHECK_NEAR(pos[i][axis] - pos[8][axis], mol->pos[i][axis] - mol->pos[8][axis], 1e-12);
            CHECK_NEAR(pos[i][v] - pos[8][v], mol->pos[i][u] - mol->pos[8][u], 1e-12);
            CHECK_NEAR(pos[i][u] - pos[8][u], -(mol->pos[i][v] - mol->pos[8][v]), 1e-12);
        }
        CHECK(count_moved(mol, (const double(*)[3])pos) == 3);
        shoal_scan_destroy(scan);
        shoal_molecule_destroy(mol);
    }
}

/* Copies differ by the jitter of their record and number, not of the point; restraints are in radians and have their
 * springs. */
static void test_copies(void)
{
    const shoal_coordinate c[2] = {
        {.kind = SHOAL_COORDINATE_TORSION, .atoms = {1, 2, 3, 4}, .from = 30, .to = 60, .n = 2},
        {.kind = SHOAL_COORDINATE_DISTANCE, .atoms = {0, 1}, .from = 1.4, .to = 1.6, .n = 2}};
    shoal_scan_options o = {.coordinates = c, .n_coordinates = 1};
    o.copies = (shoal_jitter){.n_copies = 3, .distance = 0.1, .seed = 5};
    shoal_scan *scan = make_scan(&o);
    shoal_molecule *mol = make_chain();
    double pos[9][3], wanted[9][3];
    for (int64_t variant = 0; variant < 6; ++variant) {
        shoal_variants v;
        bool found;
        const shoal_stream_system s = {.index = 7 * 6 + variant, .variant = variant, .mol = mol};
        CHECK(shoal_scan_variants(scan, &v) == SHOAL_OK && v.n == 6);
        memcpy(pos, mol->pos, sizeof pos);
        memcpy(wanted, mol->pos, sizeof pos);
        CHECK(v.make(v.user, &s, NULL, 0, pos, NULL) == SHOAL_OK);
        CHECK(shoal_jitter_move(&o.copies, 7, variant / 2, 9, wanted) == SHOAL_OK);
        CHECK(coordinate_set(&c[0], mol, variant % 2 ? 60 : 30, wanted, &found) == SHOAL_OK);
        CHECK(memcmp(pos, wanted, sizeof pos) == 0);
    }
    shoal_scan_destroy(scan);
    o = (shoal_scan_options){.coordinates = c, .n_coordinates = 2, .relaxed = true};
    scan = make_scan(&o);
    int32_t n;
    const shoal_restraint *r = shoal_scan_restraints(scan, &n);
    CHECK(n == 2 && r[0].kind == SHOAL_RESTRAINT_TORSION && r[1].kind == SHOAL_RESTRAINT_DISTANCE);
    CHECK_NEAR(r[0].value, 30 * 0.017453292519943295, 1e-15);
    CHECK_NEAR(r[1].value, 1.4, 0);
    CHECK(r[0].k == 4000 && r[1].k == 2000); /* eV, eV/angstrom^2 */
    shoal_scan_destroy(scan);
    o.spring_angle = 10;
    o.spring_length = 20;
    scan = make_scan(&o);
    r = shoal_scan_restraints(scan, &n);
    CHECK(r[0].k == 10 && r[1].k == 20);
    shoal_scan_destroy(scan);
    shoal_molecule_destroy(mol);
}

/* Above a surface: from the neighbour's geometry, the centre goes where the point says and is held there; what was held
 * is told in angstrom and degrees. */
static void test_neighbour(void)
{
    const shoal_coordinate c[2] = {
        {.kind = SHOAL_COORDINATE_TORSION, .atoms = {1, 2, 3, 4}, .from = 100, .to = 100, .n = 1},
        {.kind = SHOAL_COORDINATE_Z, .from = 6, .to = 8, .n = 3}};
    shoal_molecule *mol = make_chain(), *relaxed = make_chain(), *slab = fixture_salt(2, 2, 0);
    shoal_surface *surface = fixture_surface(slab, NULL);
    const shoal_scan_options o = {
        .coordinates = c, .n_coordinates = 2, .relaxed = true, .follow = true, .surface = surface};
    shoal_scan *scan = make_scan(&o);
    shoal_stream_system unit[3] = {{.mol = mol}, {.mol = relaxed}, {.mol = mol}};
    double pos[9][3], centre[3], before_x[3], held[2];
    int32_t n;
    bool wanted = false;
    shoal_restraint r[2];
    for (int k = 0; k < 3; ++k) unit[k].index = unit[k].variant = k;
    CHECK(shoal_scan_restraints(scan, &n) && n == 2);
    memcpy(r, shoal_scan_restraints(scan, &n), sizeof r);
    for (int i = 0; i < 9; ++i)
        for (int k = 0; k < 3; ++k) relaxed->pos[i][k] += 0.1 * (i % 3) + 6 * (k == 2) - 0.05 * k;
    geom_centre((const double(*)[3])relaxed->pos, 9, before_x);
    memcpy(pos, mol->pos, sizeof pos);
    /* Rounds 1 and 2 go along the torsion, which has one value, 3 and 4 along z: down, then up. */
    CHECK(scan_again(scan, unit, 2, 3, pos, r, &wanted) == SHOAL_OK && wanted);
    geom_centre((const double(*)[3])pos, 9, centre);
    CHECK_NEAR(centre[2], scan->top + 8, 1e-9);
    CHECK(fabs(centre[0] - before_x[0]) <
          0.5); /* the torsion moves it a little, and nobody moves it back */
    CHECK_NEAR(coordinate_measure(&c[0], (const double(*)[3])pos), 100, 1e-9);
    CHECK(r[1].kind == SHOAL_RESTRAINT_CENTRE && r[1].atoms[0] == 0 && r[1].atoms[1] == 8);
    CHECK_NEAR(r[1].target[2], scan->top + 8, 1e-9);
    CHECK_NEAR(r[0].value, 100 * DEGREE, 1e-12);
    /* What became of it: the torsion 3 degrees too far, the centre 0.2 angstrom too high. */
    bool found;
    CHECK(coordinate_set(&c[0], mol, 103, pos, &found) == SHOAL_OK && found);
    memcpy(relaxed->pos, pos, sizeof pos);
    geom_centre((const double(*)[3])pos, 9, centre);
    r[1].target[2] = centre[2] - 0.2;
    backend_system system = {.restraints = r, .n_restraints = 2};
    shoal_engine engine = {.n_systems = 1, .systems = &system};
    unit[1].engine = &engine;
    CHECK(shoal_scan_held(scan, &unit[1], held) == SHOAL_OK);
    CHECK_NEAR(held[0], 3, 1e-9);
    CHECK_NEAR(held[1], 0.2, 1e-9);
    shoal_scan_destroy(scan);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(slab);
    shoal_molecule_destroy(relaxed);
    shoal_molecule_destroy(mol);
}

/* Volumes: a cell of its own for every point, and the neighbour's fractions of it. */
static void test_volumes(void)
{
    const shoal_coordinate c = {.kind = SHOAL_COORDINATE_VOLUME, .from = 8, .to = 1, .n = 2};
    const double cell[3][3] = {{9, 0, 0}, {1, 8, 0}, {0, 2, 7}};
    const bool pbc[3] = {true, true, true};
    const shoal_scan_options o = {
        .coordinates = &c, .n_coordinates = 1, .relaxed = true, .follow = true};
    shoal_molecule *mol[2] = {make_chain(), make_chain()};
    shoal_scan *scan = make_scan(&o);
    shoal_stream_system unit[2] = {{.mol = mol[0]}, {.index = 1, .variant = 1, .mol = mol[1]}};
    double pos[9][3];
    bool wanted = false;
    for (int k = 0; k < 2; ++k) {
        CHECK(shoal_molecule_set_cell(mol[k], cell, pbc) == SHOAL_OK);
        CHECK(make(scan, mol[k], k, NULL, pos, NULL) == SHOAL_OK);
        CHECK_NEAR(pos[5][0], 6.1 * (2 - k), 1e-12);
        CHECK_NEAR(mol[k]->cell[2][1], 2 * (2 - k), 1e-12);
    }
    mol[0]->pos[3][1] = 5;
    CHECK(scan_again(scan, unit, 1, 1, pos, NULL, &wanted) == SHOAL_OK && wanted);
    CHECK_NEAR(pos[3][1], 2.5, 1e-12);
    CHECK_NEAR(mol[1]->cell[0][0], 9, 0);
    shoal_scan_destroy(scan);
    for (int k = 0; k < 2; ++k) shoal_molecule_destroy(mol[k]);
}

/* Whether a point of a curve is started again in a round; from the molecule in which an atom stands at x. */
static bool is_again(shoal_scan *scan, const shoal_stream_system *unit, int32_t i, int32_t round)
{
    double pos[9][3];
    bool wanted = false;
    int32_t n;
    shoal_restraint r = *shoal_scan_restraints(scan, &n);
    memcpy(pos, unit[i].mol->pos, sizeof pos);
    CHECK(scan_again(scan, unit, i, round, pos, &r, &wanted) == SHOAL_OK);
    return wanted;
}

/* Rounds: first the other starts of all points, then from neighbours, one direction after the other, as long as there is
 * news; a circle has no end. */
static void test_rounds(void)
{
    shoal_coordinate c = {
        .kind = SHOAL_COORDINATE_TORSION, .atoms = {1, 2, 3, 4}, .from = 0, .to = 240, .n = 3};
    shoal_scan_options o = {.coordinates = &c, .n_coordinates = 1, .relaxed = true, .starts = 3};
    shoal_molecule *mol = make_chain();
    shoal_stream_system unit[3];
    shoal_scan *scan = make_scan(&o);
    for (int k = 0; k < 3; ++k)
        unit[k] = (shoal_stream_system){.index = k, .variant = k, .mol = mol};
    CHECK(is_again(scan, unit, 0, 1) && is_again(scan, unit, 2, 2) && !is_again(scan, unit, 0, 3));
    shoal_scan_destroy(scan);
    o.follow = true;
    scan = make_scan(&o);
    for (int32_t i = 0; i < 3; ++i)
        CHECK(is_again(scan, unit, i, 3) && is_again(scan, unit, i, 4) &&
              !is_again(scan, unit, i, 5));
    unit[2].round = 4; /* it fell in the last round: news for 0, and later for 1 */
    CHECK(is_again(scan, unit, 0, 5) && !is_again(scan, unit, 1, 5) && !is_again(scan, unit, 2, 5));
    CHECK(is_again(scan, unit, 1, 6) && !is_again(scan, unit, 0, 6) && !is_again(scan, unit, 0, 7));
    unit[2].result = (shoal_result){.status = SHOAL_SYSTEM_NOT_FINITE, .energy = NAN};
    CHECK(!is_again(scan, unit, 1, 6)); /* nobody starts from nothing */
    shoal_scan_destroy(scan);
    unit[2].result = unit[1].result;
    c.to = 200; /* open */
    scan = make_scan(&o);
    CHECK(!is_again(scan, unit, 0, 3) && is_again(scan, unit, 1, 3) && is_again(scan, unit, 0, 4) &&
          !is_again(scan, unit, 2, 4));
    shoal_scan_destroy(scan);
    shoal_molecule_destroy(mol);
}

/* Heights are above the topmost layer, also where that moves with the molecule; it is not moved by the scan. */
static void test_layers(void)
{
    shoal_molecule *slab = fixture_salt(2, 3, 0), *mol = make_chain();
    shoal_surface *whole = fixture_surface(slab, NULL), *rest, *movable;
    shoal_surface_view v;
    const shoal_coordinate c = {.kind = SHOAL_COORDINATE_Z, .from = 5, .to = 5, .n = 1};
    double pos[64][3], centre[3];
    CHECK(shoal_surface_split(whole, 1, &rest, &movable) == SHOAL_OK);
    shoal_surface_get(movable, &v);
    for (int32_t i = 0; i < v.n_atoms; ++i)
        CHECK(shoal_molecule_add_atom(mol, v.elements[i], v.pos[i]) == SHOAL_OK);
    const shoal_scan_options o = {
        .coordinates = &c, .n_coordinates = 1, .surface = rest, .movable = movable};
    shoal_scan *scan = make_scan(&o);
    CHECK(make(scan, mol, 0, NULL, pos, NULL) == SHOAL_OK);
    geom_centre((const double(*)[3])pos, 9, centre);
    CHECK_NEAR(centre[2], v.top + 5, 1e-9);
    CHECK(count_moved(mol, (const double(*)[3])pos) == 9);
    shoal_scan_destroy(scan);
    shoal_surface_destroy(whole);
    shoal_surface_destroy(rest);
    shoal_surface_destroy(movable);
    shoal_molecule_destroy(slab);
    shoal_molecule_destroy(mol);
}

/* Two torsions about one bond contradict each other; a ring cannot be turned; atoms may be missing. */
static void test_failures(void)
{
    shoal_coordinate c[2] = {
        {.kind = SHOAL_COORDINATE_TORSION, .atoms = {1, 2, 3, 4}, .from = 10, .to = 10, .n = 1},
        {.kind = SHOAL_COORDINATE_TORSION, .atoms = {6, 2, 3, 4}, .from = 10, .to = 10, .n = 1}};
    shoal_scan_options o = {.coordinates = c, .n_coordinates = 2};
    shoal_molecule *mol = make_chain();
    shoal_scan *scan = make_scan(&o);
    double pos[9][3];
    CHECK(make(scan, mol, 0, NULL, pos, NULL) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), "contradict") != NULL);
    shoal_scan_destroy(scan);
    c[1].atoms[0] = 9;
    scan = make_scan(&o);
    CHECK(make(scan, mol, 0, NULL, pos, NULL) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), "names atom 9, the system has 9 atoms") != NULL);
    shoal_scan_destroy(scan);
    shoal_molecule_destroy(mol);
    mol = chem_skeleton(4, "0-1 1-2 2-3 3-0", SHOAL_ORDER_SINGLE);
    c[0] = (shoal_coordinate){
        .kind = SHOAL_COORDINATE_TORSION, .atoms = {3, 0, 1, 2}, .from = 10, .to = 20, .n = 2};
    o.n_coordinates = 1;
    scan = make_scan(&o);
    CHECK(make(scan, mol, 0, NULL, pos, NULL) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), "ring") != NULL);
    shoal_scan_destroy(scan);
    o.relaxed = true;
    scan = make_scan(&o);
    int32_t n;
    shoal_restraint r = *shoal_scan_restraints(scan, &n);
    const double soft = r.k;
    CHECK(n == 1 && make(scan, mol, 1, NULL, pos, &r) == SHOAL_OK);
    CHECK_NEAR(r.value, 20 * DEGREE, 0);
    CHECK(r.k > soft); /* rings pull harder */
    shoal_scan_destroy(scan);
    shoal_molecule_destroy(mol);
}

static void test_frames(void)
{
    shoal_molecule *mol = make_chain(), *other = make_chain(), *short_one = chem_atoms("C", 8);
    const double at[3] = {7, 7, 7};
    CHECK(shoal_molecule_set_position(other, 5, at) == SHOAL_OK);
    const shoal_molecule *const frames[3] = {mol, other, short_one};
    const shoal_scan_options o = {.frames = frames, .n_frames = 3};
    shoal_scan *scan = make_scan(&o);
    double pos[9][3], v[1];
    CHECK(shoal_scan_n_values(scan) == 1 && shoal_scan_locate(scan, 1, v, NULL) == SHOAL_OK);
    CHECK(v[0] == 1 && make(scan, mol, 1, NULL, pos, NULL) == SHOAL_OK && pos[5][1] == 7);
    CHECK(make(scan, mol, 2, NULL, pos, NULL) == SHOAL_E_ARGUMENT);
    shoal_scan_destroy(scan);
    shoal_molecule_destroy(mol);
    shoal_molecule_destroy(other);
    shoal_molecule_destroy(short_one);
}

int main(void)
{
    test_parse();
    test_set();
    test_hard_cases();
    test_points();
    test_refusals();
    test_curve();
    test_map();
    test_moves();
    test_turns();
    test_copies();
    test_neighbour();
    test_volumes();
    test_rounds();
    test_layers();
    test_failures();
    test_frames();
    return check_done();
}
