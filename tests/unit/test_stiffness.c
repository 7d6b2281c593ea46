/* SPDX-License-Identifier: BSD-3-Clause
 * The factorised and inverted rough Hessian of a topology against its definition. */
#include "check.h"

#include <stdlib.h>

#include "backend/stiffness.h"
#include "term_fixture.h"

#define MOST 200

/* m and the share of a bond constant, as the header states them. */
static const double anchor = 0.5, bond_share = 1.0 / 3;

typedef struct skeleton {
    int32_t n_atoms, n_bonds;
    shoal_term bonds[4 * MOST];
} skeleton;

static void add_bond(skeleton *s, int32_t i, int32_t j, double k)
{
    s->bonds[s->n_bonds++] = bond_record(i, j, k, 1.0);
}

static shoal_topology_view view_of(const skeleton *s, int32_t start[TERM_N_KINDS + 1])
{
    start[0] = 0;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) start[kind + 1] = s->n_bonds;
    return (shoal_topology_view){
        .n_atoms = s->n_atoms, .n_terms = s->n_bonds, .terms = s->bonds, .term_start = start};
}

static shoal_status factorise(const skeleton *s, arena *memory, stiffness *out)
{
    int32_t start[TERM_N_KINDS + 1];
    const shoal_topology_view view = view_of(s, start);
    return stiffness_factorise(out, &view, NULL, NULL, memory);
}

/* As the header says; the library has its own. */
static void solve(const stiffness *f, double *x)
{
    for (int32_t p = 0; p < f->n; ++p)
        for (int32_t m = f->start[p]; m < f->start[p + 1]; ++m)
            x[f->later[m]] += f->share[m] * x[f->order[p]];
    for (int32_t p = f->n - 1; p >= 0; --p) {
        double *to = &x[f->order[p]];
        *to *= f->inverse[p];
        for (int32_t m = f->start[p]; m < f->start[p + 1]; ++m) *to += f->share[m] * x[f->later[m]];
    }
}

static void multiply(const skeleton *s, const double *x, double *out)
{
    for (int32_t i = 0; i < s->n_atoms; ++i) out[i] = anchor * x[i];
    for (int32_t b = 0; b < s->n_bonds; ++b) {
        const int32_t i = s->bonds[b].atoms[0], j = s->bonds[b].atoms[1];
        const double pull = bond_share * s->bonds[b].p[SHOAL_BOND_K] * (x[i] - x[j]);
        out[i] += pull;
        out[j] -= pull;
    }
}

/* P times every column of its inverse. */
static void check_inverse(const skeleton *s, const stiffness *f)
{
    const size_t n = (size_t)s->n_atoms;
    double *inverse = malloc(n * n * sizeof *inverse), back[MOST];
    stiffness_invert(f, inverse);
    for (size_t j = 0; j < n; ++j) {
        multiply(s, inverse + j * n, back);
        for (size_t i = 0; i < n; ++i) CHECK_NEAR(back[i], i == j ? 1.0 : 0.0, 1e-11);
    }
    free(inverse);
}

/* Right-hand sides of all kinds; returns how many couplings the factor has. */
static int32_t check_solves(const skeleton *s)
{
    arena memory = {0};
    stiffness f;
    CHECK(factorise(s, &memory, &f) == SHOAL_OK);
    for (int k = 0; k < 3; ++k) {
        double b[MOST] = {0}, x[MOST] = {0}, back[MOST] = {0};
        for (int32_t i = 0; i < s->n_atoms; ++i)
            x[i] = b[i] = k == 0 ? 1.0 : k == 1 ? (double)(i == 0) : sin(1.0 + i);
        solve(&f, x);
        multiply(s, x, back);
        for (int32_t i = 0; i < s->n_atoms; ++i) CHECK_NEAR(back[i], b[i], 1e-11);
    }
    check_inverse(s, &f);
    const int32_t n = f.start[f.n];
    arena_free(&memory);
    return n;
}

static void test_tree(void)
{
    skeleton *s = calloc(1, sizeof *s);
    s->n_atoms = 100;
    for (int32_t i = 1; i < s->n_atoms; ++i) add_bond(s, i, i / 3, 20.0 + i);
    CHECK(check_solves(s) == 99); /* no coupling that is not a bond */
    free(s);
}

static void test_rings(void)
{
    skeleton *s = calloc(1, sizeof *s);
    s->n_atoms = 150; /* a ladder that closes on itself */
    for (int32_t i = 0; i < 75; ++i) {
        add_bond(s, i, (i + 1) % 75, 30.0);
        add_bond(s, 75 + i, 75 + (i + 1) % 75, 45.0);
        add_bond(s, i, 75 + i, 60.0);
    }
    CHECK(check_solves(s) < 4 * 150);
    free(s);
}

static void test_odd_ones(void)
{
    skeleton *s = calloc(1, sizeof *s);
    CHECK(check_solves(s) == 0);
    s->n_atoms =
        3; /* no bond at all; one to an image of itself; one without stiffness; one twice */
    CHECK(check_solves(s) == 0);
    add_bond(s, 1, 1, 30.0);
    add_bond(s, 0, 2, 0.0);
    CHECK(check_solves(s) == 0);
    add_bond(s, 0, 1, 30.0);
    add_bond(s, 1, 0, 30.0);
    CHECK(check_solves(s) == 1);
    free(s);
}

/* Fixed atoms do not move, and the others feel bonds to something that does not. */
static void test_fixed(void)
{
    skeleton *s = calloc(1, sizeof *s);
    arena memory = {0};
    stiffness f;
    bool fixed[40] = {false};
    double b[40], x[40], back[40];
    s->n_atoms = 40;
    for (int32_t i = 1; i < s->n_atoms; ++i) add_bond(s, i, i / 2, 25.0 + i);
    fixed[3] = fixed[7] = fixed[20] = true;
    int32_t start[TERM_N_KINDS + 1];
    const shoal_topology_view view = view_of(s, start);
    CHECK(stiffness_factorise(&f, &view, fixed, NULL, &memory) == SHOAL_OK);
    for (int32_t i = 0; i < s->n_atoms; ++i) x[i] = b[i] = fixed[i] ? 0 : cos(3.0 * i);
    solve(&f, x);
    multiply(s, x, back);
    for (int32_t i = 0; i < s->n_atoms; ++i)
        CHECK_NEAR(fixed[i] ? x[i] : back[i], fixed[i] ? 0 : b[i], 1e-11);
    arena_free(&memory);
    free(s);
}

/* All bonded to all: too many partners, so the factor is not exact, but it stays positive. */
static void test_crowd(void)
{
    skeleton *s = calloc(1, sizeof *s);
    arena memory = {0};
    stiffness f;
    s->n_atoms = 38;
    for (int32_t i = 0; i < s->n_atoms; ++i)
        for (int32_t j = 0; j < i; ++j) add_bond(s, i, j, 30.0);
    CHECK(factorise(s, &memory, &f) == SHOAL_OK);
    for (int32_t p = 0; p < f.n; ++p) CHECK(f.inverse[p] > 0 && f.inverse[p] <= 1 / anchor);
    for (int32_t m = 0; m < f.start[f.n]; ++m) CHECK(f.share[m] > 0 && f.share[m] <= 1);
    arena_free(&memory);
    free(s);
}

/* Rows of directions: a diagonal from their terms, behind the atoms, which do not notice. */
static void test_directions(void)
{
    static const shoal_term terms[] = {
        {.kind = SHOAL_KIND_BOND, .atoms = {0, 1}, .p = {30, 1.3}},
        {.kind = SHOAL_KIND_SIGMA_PI, .atoms = {2, 0, 1}, .p = {1.5, 0}},
        {.kind = SHOAL_KIND_SIGMA_PI, .atoms = {3, 1, 0}, .p = {0.6, 0}},
        {.kind = SHOAL_KIND_PI_PI, .atoms = {2, 3}, .p = {1.2, 0}},
    };
    int32_t start[TERM_N_KINDS + 1] = {0};
    for (int kind = 0; kind < TERM_N_KINDS; ++kind)
        start[kind + 1] = start[kind] + (kind == SHOAL_KIND_BOND       ? 1
                                         : kind == SHOAL_KIND_SIGMA_PI ? 2
                                         : kind == SHOAL_KIND_PI_PI    ? 1
                                                                       : 0);
    shoal_topology_view view = {
        .n_atoms = 2, .n_directions = 2, .n_terms = 4, .terms = terms, .term_start = start};
    arena memory = {0};
    stiffness f, bare;
    double inverse[4][4];
    CHECK(stiffness_factorise(&f, &view, NULL, NULL, &memory) == SHOAL_OK);
    view.n_directions = 0;
    start[TERM_N_KINDS] = start[TERM_N_KINDS - 1] = start[TERM_N_KINDS - 2] = 1;
    CHECK(stiffness_factorise(&bare, &view, NULL, NULL, &memory) == SHOAL_OK);
    CHECK(f.n == 4 && bare.n == 2 && f.start[4] == bare.start[2]);
    for (int p = 0; p < 2; ++p)
        CHECK(f.order[p] == bare.order[p] && f.inverse[p] == bare.inverse[p]);
    stiffness_invert(&f, &inverse[0][0]);
    CHECK_NEAR(inverse[2][2], 1 / (0.5 + 2 * 1.5 / 3 + 1.2 / 3), 1e-14);
    CHECK_NEAR(inverse[3][3], 1 / (0.5 + 2 * 0.6 / 3 + 1.2 / 3), 1e-14);
    CHECK(inverse[2][3] == 0 && inverse[0][2] == 0 && inverse[3][1] == 0);
    arena_free(&memory);
}

int main(void)
{
    test_directions();
    test_tree();
    test_rings();
    test_odd_ones();
    test_crowd();
    test_fixed();
    return check_done();
}
