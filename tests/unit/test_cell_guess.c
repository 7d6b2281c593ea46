/* SPDX-License-Identifier: BSD-3-Clause
 * What bonds say of a strained cell, against a chain whose answer is a line of algebra. */
#include <string.h>

#include "check.h"
#include "engine/cell_guess.h"
#include "term_fixture.h"

enum { N_BONDS = 2 };

/* Two atoms along x in a cell of 3.5 angstrom, bonds of 1.5 and 2 angstrom between them and their images. */
static const double pos[2][3] = {{0.25, 1, 2}, {1.75, 1, 2}};
static const double strains[2][3][3] = {{{1, 0, 0}}, {{0}, {0, 1, 0}}}; /* along x, and across */

typedef struct chain {
    shoal_term bonds[N_BONDS];
    int32_t start[TERM_N_KINDS + 1];
    backend_system system;
} chain;

static void make(chain *c, double k1, double k2, int32_t n_bonds)
{
    memset(c, 0, sizeof *c);
    c->bonds[0] = bond_record(0, 1, k1, 1.5);
    c->bonds[1] = bond_record(1, 0, k2, 2);
    c->bonds[1].shifts[1][0] = 1;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) c->start[kind + 1] = n_bonds;
    c->system.view = (shoal_topology_view){
        .n_atoms = 2, .n_terms = n_bonds, .terms = c->bonds, .term_start = c->start};
    for (int k = 0; k < 3; ++k) c->system.cell[k][k] = k == 0 ? 3.5 : 20;
}

static bool guess(const chain *c, double (*response)[CELL_STRAINS][3],
                  double stiff[CELL_STRAINS][CELL_STRAINS])
{
    bool found = false;
    CHECK(cell_guess(&c->system, pos, 2, strains, response, stiff, &found) == SHOAL_OK);
    return found;
}

/* The soft bond takes nearly all of the strain. u = v1 - v0 makes
 * w1/2 (1.5 + u)^2 + w2/2 (2 - u)^2 + m/4 u^2 least, w = k/3, m = 0.5; what is left stretches the bonds. */
static void test_chain(void)
{
    const double k1 = 60, k2 = 3, w1 = k1 / 3, w2 = k2 / 3;
    const double u = (w2 * 2 - w1 * 1.5) / (w1 + w2 + 0.25);
    double response[2][CELL_STRAINS][3] = {{{0}}}, stiff[CELL_STRAINS][CELL_STRAINS];
    chain c;
    make(&c, k1, k2, N_BONDS);
    CHECK(guess(&c, response, stiff));
    CHECK_NEAR(response[1][0][0], u / 2, 1e-12);
    CHECK_NEAR(response[0][0][0], -u / 2, 1e-12);
    CHECK_NEAR(stiff[0][0], k1 * (1.5 + u) * (1.5 + u) + k2 * (2 - u) * (2 - u), 1e-10);
    CHECK(stiff[0][0] < 0.3 * (k1 * 1.5 * 1.5 + k2 * 2 * 2)); /* of bonds that all follow */
    CHECK(stiff[0][1] == 0 && stiff[1][1] == 0);              /* nothing lies across */
    CHECK(response[0][1][1] == 0 && response[1][0][1] == 0);
}

/* An atom that is fixed follows the cell alone; without bonds there is nothing. */
static void test_others(void)
{
    const bool fixed[2] = {true, false};
    double response[2][CELL_STRAINS][3] = {{{0}}}, stiff[CELL_STRAINS][CELL_STRAINS];
    chain c;
    make(&c, 60, 3, N_BONDS);
    c.system.fixed = fixed;
    CHECK(guess(&c, response, stiff));
    CHECK(response[0][0][0] == 0 && response[1][0][0] < -0.5);
    make(&c, 60, 3, 0);
    CHECK(!guess(&c, response, stiff) && stiff[0][0] == 0);
}

int main(void)
{
    test_chain();
    test_others();
    return check_done();
}
