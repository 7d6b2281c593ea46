/* SPDX-License-Identifier: BSD-3-Clause
 * Operations of crystals that are known, in cells of any shape, and means over them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "geom/crystal_group.h"

enum { MOST = 64 };

typedef struct structure {
    double cell[3][3], pos[MOST][3];
    int32_t kinds[MOST], n;
} structure;

static void add(structure *s, int32_t kind, double x, double y, double z)
{
    const double f[3] = {x, y, z};
    for (int c = 0; c < 3; ++c)
        s->pos[s->n][c] = f[0] * s->cell[0][c] + f[1] * s->cell[1][c] + f[2] * s->cell[2][c];
    s->kinds[s->n++] = kind;
}

static structure box(double a, double b, double c)
{
    return (structure){.cell = {{a, 0, 0}, {0, b, 0}, {0, 0, c}}};
}

static int32_t count(const structure *s)
{
    crystal_group g;
    CHECK(crystal_group_find(&g, (const double(*)[3])s->cell, s->n, s->kinds,
                             (const double(*)[3])s->pos, 0.01) == SHOAL_OK);
    const int32_t n = g.n;
    crystal_group_free(&g);
    return n;
}

/* The cube of a face-centred lattice; second: where another atom of each point is. */
static structure cube(double second, int32_t kind)
{
    static const double f[4][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    structure s = box(5, 5, 5);
    for (int k = 0; k < 4; ++k) {
        add(&s, 0, f[k][0], f[k][1], f[k][2]);
        if (second > 0) add(&s, kind, f[k][0] + second, f[k][1] + second, f[k][2] + second);
    }
    return s;
}

static void test_known(void)
{
    structure s = cube(0, 0);
    CHECK(count(&s) == 192); /* F m -3 m */
    s = cube(0.25, 0);
    CHECK(count(&s) == 192); /* F d -3 m */
    s = cube(0.25, 1);
    CHECK(count(&s) == 96); /* F -4 3 m */
    s = cube(0.5, 1);
    CHECK(count(&s) == 192); /* rock salt */
    s = box(4, 4, 7);
    add(&s, 0, 0, 0, 0);
    CHECK(count(&s) == 16); /* P 4/m m m */
    add(&s, 1, 0.1, 0.2, 0.3);
    CHECK(count(&s) == 1);
    add(&s, 1, 0.9, 0.8, 0.7);
    CHECK(count(&s) == 2);
    s.pos[2][0] += 0.02;
    CHECK(count(&s) == 1);
    s = (structure){.cell = {{4, 0, 0}, {-2, 2 * sqrt(3), 0}, {0, 0, 6}}};
    add(&s, 0, 0, 0, 0);
    CHECK(count(&s) == 24); /* P 6/m m m */
}

/* Another cell of the same lattice has the same operations, a larger one as many more shifts. */
static void test_cells(void)
{
    structure s = cube(0.25, 1);
    for (int c = 0; c < 3; ++c) {
        s.cell[1][c] += 3 * s.cell[0][c];
        s.cell[2][c] -= 2 * s.cell[1][c];
    }
    CHECK(count(&s) == 96);
    structure twice = cube(0.25, 1);
    const int32_t n = twice.n;
    for (int32_t i = 0; i < n; ++i) {
        memcpy(twice.pos[n + i], twice.pos[i], sizeof twice.pos[i]);
        twice.pos[n + i][2] += 5;
        twice.kinds[n + i] = twice.kinds[i];
    }
    twice.n = 2 * n;
    twice.cell[2][2] *= 2;
    CHECK(count(&twice) == 2 * 96 / 3); /* of the three axes one is left */
}

static void test_means(void)
{
    structure s = cube(0.25, 1);
    const double(*cell)[3] = (const double(*)[3])s.cell;
    double before[MOST][3], v[MOST][3] = {{0}},
                            e[3][3] = {{0.3, 0.1, 0}, {0.1, 0.6, 0}, {0, 0, 0.9}};
    double mean[3][3];
    crystal_group g;
    int32_t at;
    memcpy(before, s.pos, sizeof before);
    for (int32_t i = 0; i < s.n; ++i) s.pos[i][i % 3] += 1e-3 * sin(7.0 * i);
    CHECK(crystal_group_find(&g, cell, s.n, s.kinds, (const double(*)[3])s.pos, 0.01) == SHOAL_OK);
    CHECK(g.n == 96);
    const double moved = crystal_group_place(&g, cell, s.pos);
    CHECK(moved > 1e-4 && moved < 2e-3);
    CHECK(crystal_group_place(&g, cell, s.pos) < 1e-12);
    for (int32_t i = 1; i < s.n; ++i) /* the whole may have moved */
        for (int c = 0; c < 3; ++c)
            CHECK_NEAR(s.pos[i][c] - s.pos[0][c], before[i][c] - before[0][c], 1e-9);
    CHECK(crystal_group_spread(&g, cell, (const double(*)[3])v, &at) == 0);
    v[5][1] = 0.5;
    CHECK(crystal_group_spread(&g, cell, (const double(*)[3])v, &at) > 0.4 && at == 5);
    crystal_group_mean(&g, cell, (const double(*)[3])e, mean);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) CHECK_NEAR(mean[i][k], i == k ? 0.6 : 0, 1e-12);
    crystal_group_free(&g);
}

int main(void)
{
    test_known();
    test_cells();
    test_means();
    return check_done();
}
