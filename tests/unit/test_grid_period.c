/* SPDX-License-Identifier: BSD-3-Clause
 * The smallest period of a slab: that of cells which were made by repeating a smaller one, whatever their shape, the order
 * of their atoms and the images that these are named by; and none where atoms alike in most things differ in one. */
#include "base/random.h"
#include "surf/grid_lattice.h"
#include "surf/surface.h"
#include "surface_fixture.h"

enum { MOST_BASIS = 4, MOST_ATOMS = 400 };

typedef struct basis_atom {
    int32_t z;
    double u, v, height, charge; /* u, v: fractions of the small cell */
} basis_atom;

typedef struct small {
    double a[2], b[2];
    int32_t n;
    basis_atom atoms[MOST_BASIS];
} small;

static double draw(uint64_t *key)
{
    return (double)(random_key(77, ++*key) >> 11) * 0x1p-53;
}

/* Adds the atoms of the small cell that lie in the big one, which rows m of whole numbers make of it, in an order and in
 * images that are drawn; extra_charge goes from one atom to another. */
static shoal_molecule *repeat(const small *s, const int m[4], uint64_t seed, double extra_charge)
{
    static const bool pbc[3] = {true, true, false};
    static basis_atom list[MOST_ATOMS];
    static double at[MOST_ATOMS][2];
    const int det = m[0] * m[3] - m[1] * m[2];
    const double cell[3][3] = {
        {m[0] * s->a[0] + m[1] * s->b[0], m[0] * s->a[1] + m[1] * s->b[1], 0},
        {m[2] * s->a[0] + m[3] * s->b[0], m[2] * s->a[1] + m[3] * s->b[1], 0},
        {0, 0, 30}};
    int32_t n = 0;
    for (int p = -20; p <= 20; ++p)
        for (int q = -20; q <= 20; ++q) {
            /* Fractions of the big cell times its size; exact. */
            const int f = p * m[3] - q * m[2], g = q * m[0] - p * m[1], size = abs(det);
            const int way = det > 0 ? 1 : -1;
            if (way * f < 0 || way * f >= size || way * g < 0 || way * g >= size) continue;
            for (int32_t i = 0; i < s->n && n < MOST_ATOMS; ++i, ++n) {
                list[n] = s->atoms[i];
                at[n][0] = (p + list[n].u) * s->a[0] + (q + list[n].v) * s->b[0];
                at[n][1] = (p + list[n].u) * s->a[1] + (q + list[n].v) * s->b[1];
            }
        }
    CHECK(n == s->n * abs(det));
    list[n - 1].charge += extra_charge;
    list[0].charge -= extra_charge;
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t k = 0; k < n; ++k) {
        const int32_t other = k + (int32_t)(draw(&seed) * (n - k));
        const int x = (int)(draw(&seed) * 5) - 2, y = (int)(draw(&seed) * 5) - 2;
        for (int deep = 0; deep < 2;
             ++deep) { /* below each atom one that makes up for its charge */
            const double pos[3] = {at[other][0] + x * cell[0][0] + y * cell[1][0],
                                   at[other][1] + x * cell[0][1] + y * cell[1][1],
                                   list[other].height - 6 * deep};
            const double q = list[other].charge;
            CHECK(shoal_molecule_add_atom(mol, deep ? 9 : list[other].z, pos) == SHOAL_OK);
            CHECK(shoal_molecule_set_charge(mol, 2 * k + deep, deep ? -q : q) == SHOAL_OK);
        }
        list[other] = list[k];
        memcpy(at[other], at[k], sizeof at[k]);
    }
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    return mol;
}

static double cross(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

/* The period found has so many times less area, turns as the cell does, is as short as can be, and is made of whole
 * vectors of the small cell. */
static void check_period(const small *s, const int m[4], uint64_t seed, int32_t want,
                         double extra_charge)
{
    shoal_molecule *mol = repeat(s, m, seed, extra_charge);
    shoal_surface *surface = fixture_surface(mol, NULL);
    double cell[2][2] = {{0}};
    int32_t cells = 0;
    CHECK(grid_period_find(surface, cell, &cells) == SHOAL_OK);
    if (cells != want)
        (void)printf("  %d %d %d %d, %d atoms: %d cells, expected %d\n", m[0], m[1], m[2], m[3],
                     s->n, cells, want);
    CHECK(cells == want);
    const double det = cross(s->a, s->b) * (m[0] * m[3] - m[1] * m[2]);
    CHECK_NEAR(cross(cell[0], cell[1]) * want, det, 1e-6 * fabs(det));
    for (int k = 0; k < 2; ++k) {
        const double u = cross(cell[k], s->b) / cross(s->a, s->b);
        const double v = cross(s->a, cell[k]) / cross(s->a, s->b);
        CHECK_NEAR(u, round(u), 1e-6);
        CHECK_NEAR(v, round(v), 1e-6);
    }
    if (want > 1) {
        const double dot = cell[0][0] * cell[1][0] + cell[0][1] * cell[1][1];
        const double a2 = cell[0][0] * cell[0][0] + cell[0][1] * cell[0][1];
        const double b2 = cell[1][0] * cell[1][0] + cell[1][1] * cell[1][1];
        CHECK(2 * fabs(dot) <= fmin(a2, b2) * (1 + 1e-9));
    }
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(mol);
}

/* Cells drawn at random, of up to four atoms of kinds, heights and charges that repeat. */
static void test_random(void)
{
    static const int supercells[][4] = {{1, 0, 0, 1}, {2, 0, 0, 1},  {0, 1, -3, 0}, {2, 1, 1, 3},
                                        {1, 2, 2, 1}, {3, -1, 1, 2}, {4, 0, 1, 1},  {1, 1, 1, -1}};
    uint64_t key = 5;
    for (int k = 0; k < 60; ++k) {
        const int *m = supercells[k % 8];
        small s = {.n = 1 + k % MOST_BASIS};
        const double turn = 6.3 * draw(&key), angle = 1.2 + 0.7 * draw(&key);
        const double a = 2.5 + 2 * draw(&key), b = 2.5 + 2 * draw(&key);
        s.a[0] = a * cos(turn), s.a[1] = a * sin(turn);
        s.b[0] = b * cos(turn + angle), s.b[1] = b * sin(turn + angle);
        for (int32_t i = 0; i < s.n; ++i)
            s.atoms[i] =
                (basis_atom){i % 2 ? 8 : 12, draw(&key), draw(&key), -2.1 * (i / 2), 0.1 * (i % 3)};
        check_period(&s, m, key, abs(m[0] * m[3] - m[1] * m[2]), 0);
    }
}

/* Two atoms that half a vector takes upon each other in the plane: one lattice if they are alike, and not if they differ in
 * their element, in their charge, in their height, however little. */
static void test_alike(void)
{
    static const int once[4] = {1, 0, 0, 1}, twice[4] = {2, 0, 0, 1};
    static const basis_atom others[] = {{12, 0.6, 0.7, 0, 0.3},    {13, 0.6, 0.7, 0, 0.3},
                                        {12, 0.6, 0.7, 0, 0.3001}, {12, 0.6, 0.7, 0.002, 0.3},
                                        {12, 0.6, 0.7001, 0, 0.3}, {12, 0.6, 0.7, -0.002, 0.3}};
    for (int k = 0; k < 6; ++k) {
        const small s = {.a = {4.2, 0.4},
                         .b = {-1.1, 3.9},
                         .n = 2,
                         .atoms = {{12, 0.1, 0.2, 0, 0.3}, others[k]}};
        const small half = {
            .a = {4.2, 0.4}, .b = {1.55, 2.15}, .n = 1, .atoms = {{12, 0, 0, 0, 0}}};
        if (k > 0) {
            check_period(&s, once, 3, 1, 0);
            check_period(&s, twice, 4, 2, 0);
        } else {
            shoal_molecule *mol = repeat(&s, twice, 9, 0);
            shoal_surface *surface = fixture_surface(mol, NULL);
            double cell[2][2];
            int32_t cells;
            CHECK(grid_period_find(surface, cell, &cells) == SHOAL_OK && cells == 4);
            CHECK_NEAR(fabs(cross(cell[0], cell[1])), fabs(cross(half.a, half.b)), 1e-9);
            shoal_surface_destroy(surface);
            shoal_molecule_destroy(mol);
        }
    }
}

/* One atom of many with another charge leaves the whole cell. */
static void test_odd_one(void)
{
    static const int many[4] = {4, 1, -1, 3};
    const small s = {.a = {3.1, 0}, .b = {0.7, 2.8}, .n = 1, .atoms = {{47, 0.3, 0.8, 1.5, 0}}};
    check_period(&s, many, 1, 13, 0);
    check_period(&s, many, 1, 1, 1e-3);
}

/* Atoms of one element that a pair model tells apart by their types, whatever their charges. */
static void test_types(void)
{
    static const char text[] = "shoal_pair_model 1\nform %s\nhbond %s\ncoulomb plain\ntypes\n"
                               "C_3 * C E 4 0 0 0 0.757 1.92 0.0045 0.0 0.0\n"
                               "C_2 * C E 3 0 1 0 0.757 %s %s 0.0 %s\n";
    static const char *const seconds[][3] = {{"1.92", "0.0045", "0.0"},
                                             {"1.88", "0.0045", "0.0"},
                                             {"1.92", "0.0047", "0.0"},
                                             {"1.92", "0.0045", "-0.1"}};
    static const double pos[2][3] = {{0.3, 0.2, 0}, {2.3, 2.2, 0}};
    static const double cell[3][3] = {{4, 0, 0}, {0, 4, 0}, {0, 0, 20}};
    static const bool pbc[3] = {true, true, false};
    for (int k = 0; k < 8; ++k) {
        const char *const *s = seconds[k / 2];
        char model_text[600];
        shoal_pair_model *model = NULL;
        shoal_molecule *mol = NULL;
        const int n = snprintf(model_text, sizeof model_text, text, k % 2 ? "morse" : "lj",
                               "repulsion", s[0], s[1], s[2]);
        CHECK(shoal_pair_model_read_memory(&model, model_text, (size_t)n, "model") == SHOAL_OK);
        if (!model) (void)printf("%s\n", shoal_error_text());
        CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
        for (int i = 0; i < 2; ++i) {
            CHECK(shoal_molecule_add_atom(mol, 6, pos[i]) == SHOAL_OK);
            CHECK(shoal_molecule_set_type(mol, i, i ? "C_2" : "C_3") == SHOAL_OK);
        }
        CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
        shoal_surface *surface = fixture_surface(mol, &(shoal_surface_options){.model = model});
        double found[2][2];
        int32_t cells = 0;
        CHECK(grid_period_find(surface, found, &cells) == SHOAL_OK);
        if (cells != (k < 2 ? 2 : 1)) (void)printf("  types %d: %d cells\n", k, cells);
        CHECK(cells == (k < 2 ? 2 : 1));
        shoal_surface_destroy(surface);
        shoal_molecule_destroy(mol);
        shoal_pair_model_destroy(model);
    }
}

/* More kinds of atoms than a surface keeps apart by channels: their numbers still differ. */
static void test_many_types(void)
{
    enum { HALF = SHOAL_N_KINDS + 2, N = 2 * HALF };
    static const bool pbc[3] = {true, true, false};
    const double cell[3][3] = {{1.5 * N, 0, 0}, {0, 4, 0}, {0, 0, 20}};
    for (int odd = 0; odd < 2; ++odd) {
        char text[4000];
        int used = snprintf(text, sizeof text,
                            "shoal_pair_model 1\nform morse\nhbond none\ncoulomb none\ntypes\n");
        for (int k = 0; k <= HALF; ++k)
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "T%d * C E 4 0 0 0 0.757 %.3f 0.0045 0.0 0.0\n", k, 1.8 + 0.01 * k);
        shoal_pair_model *model = NULL;
        shoal_molecule *mol = NULL;
        CHECK(shoal_pair_model_read_memory(&model, text, (size_t)used, "model") == SHOAL_OK);
        CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
        for (int i = 0; i < N; ++i) {
            const double pos[3] = {1.5 * i, 0.3, 0};
            char name[8];
            (void)snprintf(name, sizeof name, "T%d", odd && i == N - 1 ? HALF : i % HALF);
            CHECK(shoal_molecule_add_atom(mol, 6, pos) == SHOAL_OK);
            CHECK(shoal_molecule_set_type(mol, i, name) == SHOAL_OK);
        }
        CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
        shoal_surface *surface = fixture_surface(mol, &(shoal_surface_options){.model = model});
        double found[2][2];
        int32_t cells = 0;
        CHECK(grid_period_find(surface, found, &cells) == SHOAL_OK);
        CHECK(cells == (odd ? 1 : 2));
        shoal_surface_destroy(surface);
        shoal_molecule_destroy(mol);
        shoal_pair_model_destroy(model);
    }
}

int main(void)
{
    test_random();
    test_alike();
    test_odd_one();
    test_types();
    test_many_types();
    return check_done();
}
