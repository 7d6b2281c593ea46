/* SPDX-License-Identifier: BSD-3-Clause
 * Joints of molecules drawn for them: sizes of rings, what hangs on corners, branches of pyramids, straight rotors; and
 * what fixed atoms take away. */
#include "chem_fixture.h"
#include "jobs/search_joints.h"

static search_joints joints_of(const shoal_molecule *mol, const bool *fixed)
{
    search_joints joints;
    CHECK(search_joints_find(&joints, mol, mol->n_atoms, (const double(*)[3])mol->pos, fixed) ==
          SHOAL_OK);
    return joints;
}

/* Rings of 4 to 16 atoms have corners, all of them. */
static void test_rings(void)
{
    for (int32_t n = 3; n <= 18; ++n) {
        shoal_molecule *mol = chem_atoms("C", n);
        for (int32_t i = 0; i < n; ++i) chem_bond(mol, i, (i + 1) % n, SHOAL_ORDER_SINGLE);
        search_joints joints = joints_of(mol, NULL);
        CHECK(joints.n_corners == (n >= 4 && n <= 16 ? n : 0) && joints.n_rotors == 0);
        for (int32_t k = 0; k < joints.n_corners; ++k) {
            const search_corner *c = &joints.corners[k];
            const int32_t at = c->corner;
            CHECK(c->ring.n == n);
            for (int side = 0; side < 2; ++side) { /* one step and two steps along the ring */
                const int32_t by = (c->sides[side] - at + n) % n;
                CHECK(by == 1 || by == n - 1);
                CHECK((c->next[side] - at + n) % n == (by == 1 ? 2 : n - 2));
            }
        }
        search_joints_free(&joints);
        shoal_molecule_destroy(mol);
    }
}

/* Five carbon atoms in a ring, two hydrogens on atoms 0 and 1 each. */
static void test_fixed_rings(void)
{
    shoal_molecule *mol = chem_drawn("C C C C C H H H H", "0-1 1-2 2-3 3-4 4-0 0-5 0-6 1-7 1-8");
    for (int32_t held = -1; held < 9; ++held) {
        bool fixed[9] = {false};
        const int32_t host = held < 5 ? held : held < 7 ? 0 : 1; /* that cannot flap */
        if (held >= 0) fixed[held] = true;
        search_joints joints = joints_of(mol, fixed);
        CHECK(joints.n_corners == (held < 0 ? 5 : 4));
        for (int32_t k = 0; k < joints.n_corners; ++k) {
            const search_corner *c = &joints.corners[k];
            CHECK(c->corner != host && c->at_corner.n == (c->corner < 2 ? 2 : 0));
            for (int side = 0; side < 2; ++side) {
                const bool still = held >= 5 && c->sides[side] == host; /* it follows nobody */
                CHECK(c->at_side[side].n == (c->sides[side] < 2 && !still ? 2 : 0));
            }
        }
        search_joints_free(&joints);
    }
    shoal_molecule_destroy(mol);
}

/* Nitrogen with branches of one, two and three atoms: the smallest that is free turns over. */
static void test_pyramids(void)
{
    shoal_molecule *mol = chem_drawn("N C C C C C C", "0-1 0-2 0-3 2-4 3-5 5-6");
    for (int held = 0; held <= 3; ++held) {
        bool fixed[7] = {false};
        for (int k = 1; k <= held; ++k) fixed[k == 3 ? 6 : k] = true;
        search_joints joints = joints_of(mol, fixed);
        CHECK(joints.n_pyramids == (held < 3));
        if (held < 3) {
            const search_pyramid *p = joints.pyramids;
            CHECK(p->top == 0 && p->branch == held + 1 && p->behind.n == held + 1);
            CHECK(p->sides[0] + p->sides[1] + p->branch == 6);
        }
        search_joints_free(&joints);
    }
    shoal_molecule_destroy(mol);
    static const char *const none[] = {"0-1 0-2", "0-1 0-2 0-3 0-4", "0=1 0-2 0-3"};
    for (int k = 0; k < 3; ++k) {
        mol = chem_drawn("N C C C C", none[k]);
        search_joints joints = joints_of(mol, NULL);
        CHECK(joints.n_pyramids == 0);
        search_joints_free(&joints);
        shoal_molecule_destroy(mol);
    }
    mol = chem_drawn("P C C C", "0-1 0-2 0-3");
    search_joints joints = joints_of(mol, NULL);
    CHECK(joints.n_pyramids == 0);
    search_joints_free(&joints);
    shoal_molecule_destroy(mol);
}

/* Cyclohexene: the two atoms of the double bond do not flap, wherever it stands among the bonds. */
static void test_double_bond(void)
{
    for (int32_t at = 0; at < 12; ++at) {
        shoal_molecule *mol = chem_atoms("C", 6);
        for (int32_t k = 0; k < 6; ++k) {
            const int32_t i = at < 6 ? k : 5 - k;
            chem_bond(mol, i, (i + 1) % 6, i == at % 6 ? SHOAL_ORDER_DOUBLE : SHOAL_ORDER_SINGLE);
        }
        search_joints joints = joints_of(mol, NULL);
        CHECK(joints.n_corners == 4);
        for (int32_t k = 0; k < joints.n_corners; ++k)
            CHECK(joints.corners[k].corner != at % 6 && joints.corners[k].corner != (at + 1) % 6);
        search_joints_free(&joints);
        shoal_molecule_destroy(mol);
    }
}

/* A bond between atoms that carry others within 0.15 A of its axis has nothing to turn. */
static void test_straight(void)
{
    static const double origin[3] = {0.7, -5, 3}; /* wherever it stands */
    for (int k = 0; k < 4; ++k) {
        const double off = k % 2 ? 0.2 : 0.1;
        shoal_molecule *mol = chem_drawn("C C C C", "0-1 1-2 2-3");
        for (int i = 0; i < 4; ++i)
            for (int c = 0; c < 3; ++c) mol->pos[i][c] = origin[c] + (c == 0 ? 1.4 * i : 0);
        mol->pos[k < 2 ? 3 : 0][1] += off;
        mol->pos[k < 2 ? 0 : 3][2] += 1; /* the other end is bent anyway */
        search_joints joints = joints_of(mol, NULL);
        CHECK(joints.n_rotors == k % 2);
        search_joints_free(&joints);
        shoal_molecule_destroy(mol);
    }
}

int main(void)
{
    test_rings();
    test_fixed_rings();
    test_pyramids();
    test_double_bond();
    test_straight();
    return check_done();
}
