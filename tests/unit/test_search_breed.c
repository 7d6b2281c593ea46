/* SPDX-License-Identifier: BSD-3-Clause
 * Generations of a search: configurations, torsions that are set, parts of rings that turn, parents, and what is made of
 * them. */
#include "jobs/search_breed.h"
#include "jobs/search_kin.h"
#include "search_fixture.h"

#define PI 3.14159265358979323846

static search_plan plan_of(const shoal_molecule *mol, const search_setting *setting, int32_t island)
{
    search_plan plan;
    CHECK(search_plan_make(&plan, setting, 0, mol, shoal_molecule_n_atoms(mol),
                           shoal_molecule_positions(mol), NULL) == SHOAL_OK);
    CHECK(search_kin_make(&plan, mol, island) == SHOAL_OK);
    return plan;
}

/* --- configurations ------------------------------------------------------------------------------- */

static bool holds_mirrored(const char *atoms, const char *bonds, int32_t n_centres,
                           int32_t n_doubles)
{
    shoal_molecule *mol = chem_placed(atoms, bonds);
    search_configuration c;
    arena memory = {0};
    graph g;
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    CHECK(graph_build(&g, mol, &memory) == SHOAL_OK);
    const double(*pos)[3] = shoal_molecule_positions(mol);
    CHECK(search_configuration_find(&c, mol, &g, mol->n_atoms, pos, &memory) == SHOAL_OK);
    CHECK(c.n_centres == n_centres && c.n_doubles == n_doubles);
    CHECK(search_configuration_holds(&c, pos));
    for (int32_t i = 0; i < mol->n_atoms; ++i) mol->pos[i][2] *= -1;
    const bool holds = search_configuration_holds(&c, shoal_molecule_positions(mol));
    arena_free(&memory);
    shoal_molecule_destroy(mol);
    return holds;
}

/* Sulfur with three unlike partners has a configuration, nitrogen has none, and neither has sulfur between two like ends. */
static void test_centres(void)
{
    CHECK(!holds_mirrored("S 0 0 .5 O 1.4 0 -.2 C -.8 1.4 -.2 F -.8 -1.4 -.2 "
                          "H -1.8 1.4 -.2 H -.3 2.2 .4 H -.3 2 -1",
                          "0=1 0-2 0-3 2-4 2-5 2-6", 2, 0));
    CHECK(
        holds_mirrored("S 0 0 .5 Cl 1.9 0 -.2 F -.8 1.4 -.2 F -.8 -1.4 -.2", "0-1 0-2 0-3", 0, 0));
    CHECK(holds_mirrored("N 0 0 .3 Cl 1.7 0 -.2 F -.7 1.2 -.2 H -.5 -.9 -.2", "0-1 0-2 0-3", 0, 0));
}

/* Cis and trans differ; an end with two like atoms has neither. */
static void test_double_bonds(void)
{
    static const char bonds[] = "0=1 0-2 0-3 1-4 1-5";
    shoal_molecule *mol = chem_placed("C 0 0 0 C 1.33 0 0 F -.7 1.1 0 H -.5 -.9 0 "
                                      "F 2 1.1 0 H 1.9 -.9 0",
                                      bonds);
    search_configuration c;
    arena memory = {0};
    graph g;
    double turned[6][3];
    CHECK(graph_build(&g, mol, &memory) == SHOAL_OK);
    CHECK(search_configuration_find(&c, mol, &g, 6, shoal_molecule_positions(mol), &memory) ==
          SHOAL_OK);
    CHECK(c.n_doubles == 1 && c.cis[0] == 1);
    memcpy(turned, shoal_molecule_positions(mol), sizeof turned);
    CHECK(search_configuration_holds(&c, (const double(*)[3])turned));
    for (int k = 4; k < 6; ++k) turned[k][1] *= -1;
    CHECK(!search_configuration_holds(&c, (const double(*)[3])turned));
    arena_free(&memory);
    shoal_molecule_destroy(mol);
    CHECK(holds_mirrored("C 0 0 0 C 1.33 0 0 F -.7 1.1 .1 H -.5 -.9 0 H 2 1.1 0 H 1.9 -.9 0", bonds,
                         0, 0));
}

/* --- parents -------------------------------------------------------------------------------------- */

/* The ten lowest, in order, and the lower one of those that are alike in energy. */
static void test_parents(void)
{
    static const double energies[14] = {5, 3.0003, 3, 9, 1, 8, 7, 6, 4, 2, 12, 11, 0.5, 10};
    static const double want[SEARCH_PARENTS] = {0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    static double pos[14][1][3];
    search_parents p = {0};
    for (int k = 0; k < 14; ++k) search_parents_add(&p, energies[k], (const double(*)[3])pos[k]);
    CHECK(p.n == SEARCH_PARENTS);
    for (int k = 0; k < SEARCH_PARENTS; ++k) {
        CHECK_NEAR(p.energy[k], want[k], 1e-12);
        int from = 0;
        while (energies[from] != p.energy[k]) ++from;
        CHECK(p.pos[k] == (const double(*)[3])pos[from]);
    }
}

/* --- starts --------------------------------------------------------------------------------------- */

static double torsion_of(const search_plan *plan, const double (*pos)[3])
{
    double to[2];
    CHECK(search_torsion(&plan->joints.rotors[0], pos, to));
    return atan2(to[1], to[0]) * 180 / PI;
}

/* Torsions of starts are preferred ones, whatever they are in the file; first all three, then some at any angle. */
static void test_torsions(void)
{
    shoal_molecule *mol = search_molecule(search_butane);
    const search_setting setting = {.seed = 3};
    search_plan plan = plan_of(mol, &setting, 400);
    const search_parents none = {0};
    double pos[14][3], from[14][3], to[2];
    CHECK(plan.joints.n_rotors == 1 && plan.joints.rotors[0].fold == 3);
    CHECK(search_torsion(&plan.joints.rotors[0], shoal_molecule_positions(mol), to));
    for (int k = 0; k < 14; ++k) memcpy(from[k], mol->pos[k], sizeof from[k]);
    search_turn(&plan.joints.rotors[0], 0, 1, from); /* the sign: a turn of 90 degrees adds them */
    const double turned = torsion_of(&plan, (const double(*)[3])from) -
                          torsion_of(&plan, shoal_molecule_positions(mol));
    CHECK_NEAR(turned - 360 * round((turned - 90) / 360), 90, 1e-6);
    int32_t n_near = 0, sides[3] = {0};
    for (int64_t k = 1; k < 400; ++k) {
        CHECK(search_breed(&plan, &setting, k, k, &none, pos) == SHOAL_OK);
        const double t = torsion_of(&plan, (const double(*)[3])pos);
        const double off = t - 120 * floor(t / 120) - 60; /* of 60, 180 or -60 */
        n_near += fabs(off) < 23;
        ++sides[(int)floor((t + 180) / 120) % 3];
        if (k < 3) CHECK(fabs(off) < 3);
    }
    /* 0.85 + 0.15 x 46 / 120 of 399; 4 sigma */
    CHECK_NEAR(n_near, 362, 24);
    for (int k = 0; k < 3; ++k) CHECK_NEAR(sides[k], 133, 38);
    search_plan_free(&plan);
    shoal_molecule_destroy(mol);
}

/* What is made is a function of seed and number, and of parents. */
static void test_numbers(void)
{
    shoal_molecule *mol = search_molecule(search_butane);
    const search_setting one = {.seed = 1}, two = {.seed = 2};
    search_plan plan = plan_of(mol, &one, 40);
    const search_parents none = {0};
    double a[14][3], b[14][3];
    for (int64_t k = 5; k < 9; ++k) {
        CHECK(search_breed(&plan, &one, k, k, &none, a) == SHOAL_OK);
        CHECK(search_breed(&plan, &one, k + 9, k + 9, &none, b) == SHOAL_OK);
        CHECK(memcmp(a, b, sizeof a) != 0);
        CHECK(search_breed(&plan, &two, k, k, &none, b) == SHOAL_OK);
        CHECK(memcmp(a, b, sizeof a) != 0);
        CHECK(search_breed(&plan, &one, k, k, &none, b) == SHOAL_OK);
        CHECK(memcmp(a, b, sizeof a) == 0);
    }
    search_plan_free(&plan);
    shoal_molecule_destroy(mol);
}

/* A chain of carbons in a zigzag, with hydrogens. */
static shoal_molecule *make_chain(int32_t n)
{
    shoal_molecule *mol = chem_new();
    for (int i = 0; i < n; ++i) chem_atom(mol, "C", 1.25 * i, i % 2 ? 0.88 : 0, 0);
    for (int i = 0; i < n; ++i) {
        const double y = i % 2 ? 1.51 : -0.63;
        for (int k = 0; k < 2; ++k) {
            chem_atom(mol, "H", 1.25 * i, y, k ? 0.89 : -0.89);
            chem_bond(mol, i, n + 2 * i + k, SHOAL_ORDER_SINGLE);
        }
        if (i > 0) chem_bond(mol, i - 1, i, SHOAL_ORDER_SINGLE);
    }
    for (int k = 0; k < 2; ++k) {
        chem_atom(mol, "H", k ? 1.25 * n - 0.35 : -0.9, k ? (n % 2 ? 0.62 : 0.26) : 0.62, 0);
        chem_bond(mol, k ? n - 1 : 0, 3 * n + k, SHOAL_ORDER_SINGLE);
    }
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    return mol;
}

/* Children of two geometries have the torsions of one or the other, but for a few that are kicked, and are none of
 * those that are known. */
static void test_children(void)
{
    enum { N = 8, ATOMS = 3 * N + 2, ROTORS = N - 3, MADE = 300 };
    shoal_molecule *mol = make_chain(N);
    const search_setting setting = {.seed = 5};
    search_plan plan = plan_of(mol, &setting, 300);
    static double parent[2][ATOMS][3], pos[ATOMS][3];
    const search_joints *j = &plan.joints;
    CHECK(j->n_rotors == ROTORS);
    for (int p = 0; p < 2; ++p) {
        memcpy(parent[p], shoal_molecule_positions(mol), sizeof parent[p]);
        for (int32_t k = 0; k < ROTORS; ++k) /* 10 degrees from anti, or 75 */
            search_turn(&j->rotors[k], cos(p ? 1.83 : 0.17), sin(p ? 1.83 : 0.17), parent[p]);
    }
    const double(*known[2])[3] = {(const double(*)[3])parent[0], (const double(*)[3])parent[1]};
    search_parents parents = {.n_known = 2, .known = known};
    for (int p = 0; p < 2; ++p) search_parents_add(&parents, p, known[p]);
    int32_t n_inherited = 0, n_mixed = 0, n_known = 0;
    for (int64_t k = 100; k < 100 + MADE; ++k) {
        int32_t of[2] = {0, 0};
        CHECK(search_breed(&plan, &setting, k, k, &parents, pos) == SHOAL_OK);
        for (int32_t r = 0; r < ROTORS; ++r)
            for (int p = 0; p < 2; ++p) {
                double x[2], y[2];
                CHECK(search_torsion(&j->rotors[r], (const double(*)[3])pos, x));
                CHECK(search_torsion(&j->rotors[r], known[p], y));
                of[p] += x[0] * y[0] + x[1] * y[1] > 0.985; /* trembling has its share */
            }
        n_inherited += of[0] + of[1];
        n_mixed += of[0] > 0 && of[1] > 0;
        n_known += of[0] == ROTORS || of[1] == ROTORS;
    }
    CHECK(n_inherited > 3 * ROTORS * MADE / 4);
    CHECK(n_mixed > MADE / 2);
    CHECK(n_known < MADE / 50);
    search_plan_free(&plan);
    shoal_molecule_destroy(mol);
}

/* In the second half of an island three of four are neighbours of the lowest: one rotor stands elsewhere, and each
 * neighbour comes once before any comes again. */
static void test_neighbours(void)
{
    enum { N = 8, ATOMS = 3 * N + 2, ROTORS = N - 3, ISLAND = 80, ROUND = 2 * ROTORS };
    shoal_molecule *mol = make_chain(N);
    const search_setting setting = {.seed = 5};
    search_plan plan = plan_of(mol, &setting, ISLAND);
    const double(*lowest)[3] = shoal_molecule_positions(mol);
    static double pos[ATOMS][3];
    search_parents parents = {.n_known = 1, .known = &lowest};
    bool seen[ROUND] = {false};
    search_parents_add(&parents, 0, lowest);
    const int64_t first = ISLAND + ISLAND / 2; /* of the second island */
    CHECK(plan.joints.n_rotors == ROTORS);
    for (int64_t k = first, n = 0; n < ROUND; ++k) {
        if ((k - first) % 4 == 3) continue;
        CHECK(search_breed(&plan, &setting, k, k, &parents, pos) == SHOAL_OK);
        int32_t n_changed = 0, which = 0;
        for (int32_t r = 0; r < ROTORS; ++r) {
            double x[2], y[2];
            CHECK(search_torsion(&plan.joints.rotors[r], (const double(*)[3])pos, x));
            CHECK(search_torsion(&plan.joints.rotors[r], lowest, y));
            const double cosine = x[0] * y[0] + x[1] * y[1], sine = x[1] * y[0] - x[0] * y[1];
            if (cosine > 0.98) continue;
            CHECK_NEAR(cosine, -0.5, 0.1);
            which = 2 * r + (sine > 0);
            ++n_changed;
        }
        CHECK(n_changed == 1 && !seen[which]);
        seen[which] = true;
        ++n;
    }
    search_plan_free(&plan);
    shoal_molecule_destroy(mol);
}

/* --- rings ---------------------------------------------------------------------------------------- */

/* A ring of n carbons with hydrogens, as it is embedded. */
static shoal_molecule *make_ring(int32_t n)
{
    shoal_molecule *mol = chem_new();
    for (int i = 0; i < n; ++i) {
        const double t = 2 * PI * i / n, r = 0.24 * n, z = i % 2 ? 0.3 : -0.3;
        chem_atom(mol, "C", r * cos(t), r * sin(t), z);
    }
    for (int i = 0; i < n; ++i) {
        const double t = 2 * PI * i / n, r = 0.24 * n, z = i % 2 ? 0.3 : -0.3;
        chem_atom(mol, "H", (r + 0.7) * cos(t), (r + 0.7) * sin(t), z + (i % 2 ? 0.8 : -0.8));
        chem_atom(mol, "H", (r - 0.2) * cos(t), (r - 0.2) * sin(t), z + (i % 2 ? 1.05 : -1.05));
        chem_bond(mol, i, n + 2 * i, SHOAL_ORDER_SINGLE);
        chem_bond(mol, i, n + 2 * i + 1, SHOAL_ORDER_SINGLE);
        chem_bond(mol, i, (i + 1) % n, SHOAL_ORDER_SINGLE);
    }
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    return mol;
}

static double between(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* A part of a ring turns as a whole: bonds keep their lengths, centres their hands, angles are those of rings. */
static void test_cranks(void)
{
    enum { N = 18 };
    shoal_molecule *mol = make_ring(N);
    const search_setting setting = {.seed = 7};
    search_plan plan = plan_of(mol, &setting, 60);
    const search_ring *ring = plan.joints.rings;
    static double pos[3 * N][3];
    int32_t n_turned = 0, n_refused = 0;
    CHECK(plan.joints.n_rings == 1 && ring->n == N && ring->n_pivots == N);
    CHECK(plan.joints.n_corners == 0 && !plan.joints.stiff_rings);
    for (int32_t k = 0; k < 200; ++k) {
        const double t = 2 * PI * k / 200;
        memcpy(pos, shoal_molecule_positions(mol), sizeof pos);
        if (!search_crank(ring, k % N, 1 + k % 7, cos(t), sin(t), pos)) {
            ++n_refused;
            CHECK(memcmp(pos, shoal_molecule_positions(mol), sizeof pos) == 0);
            continue;
        }
        ++n_turned;
        for (int32_t b = 0; b < mol->n_bonds; ++b) {
            const int32_t i = mol->bonds[b].i, l = mol->bonds[b].j;
            CHECK_NEAR(between(pos[i], pos[l]), between(mol->pos[i], mol->pos[l]), 1e-9);
        }
        for (int32_t i = 0; i < N; ++i) {
            const double a = between(pos[ring->atoms[i]], pos[ring->atoms[(i + 2) % N]]),
                         b = between(pos[ring->atoms[i]], pos[ring->atoms[(i + 1) % N]]),
                         c = between(pos[ring->atoms[(i + 1) % N]], pos[ring->atoms[(i + 2) % N]]);
            const double cosine = (b * b + c * c - a * a) / (2 * b * c);
            CHECK(cosine < 0.35 && cosine > -0.95);
        }
        CHECK(search_configuration_holds(&plan.configuration, (const double(*)[3])pos));
    }
    CHECK(n_turned > 20 && n_refused > 20);
    search_plan_free(&plan);
    shoal_molecule_destroy(mol);
}

/* Embedded starts of a ring: other shapes, with every hydrogen on its side. */
static void test_embedded(void)
{
    enum { N = 18, MADE = 12 };
    shoal_molecule *mol = make_ring(N);
    const search_setting setting = {.seed = 2};
    search_plan plan = plan_of(mol, &setting, 60);
    const search_parents none = {0};
    static double pos[3 * N][3];
    int32_t n_other = 0;
    CHECK(search_kin_embeds(plan.kin) && search_kin_starts(plan.kin) == 12);
    for (int64_t k = 1; k <= MADE; ++k) {
        CHECK(search_breed(&plan, &setting, k, k, &none, pos) == SHOAL_OK);
        CHECK(search_configuration_holds(&plan.configuration, (const double(*)[3])pos));
        n_other += fabs(between(pos[0], pos[N / 2]) - between(mol->pos[0], mol->pos[N / 2])) > 1;
    }
    CHECK(n_other > MADE / 3);
    search_plan_free(&plan);
    shoal_molecule_destroy(mol);
}

/* --- parts ---------------------------------------------------------------------------------------- */

/* Two molecules of one record come from all sides, near and not into each other. */
static void test_parts(void)
{
    shoal_molecule *mol = chem_placed(
        "O 0 0 0 H .96 0 0 H -.24 .93 0 O 9 0 0 H 9.96 0 0 H 8.76 .93 0", "0-1 0-2 3-4 3-5");
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    const search_setting setting = {.seed = 2};
    search_plan plan = plan_of(mol, &setting, 100);
    const search_parents none = {0};
    double pos[6][3], sum[3] = {0, 0, 0};
    CHECK(plan.kin->n_parts == 2);
    for (int64_t k = 1; k <= 100; ++k) {
        double least = INFINITY;
        CHECK(search_breed(&plan, &setting, k, k, &none, pos) == SHOAL_OK);
        for (int i = 0; i < 3; ++i)
            for (int l = 3; l < 6; ++l) least = fmin(least, between(pos[i], pos[l]));
        CHECK(least > 1.5 && least < 4);
        CHECK_NEAR(between(pos[3], pos[4]), 0.96, 0.08);
        for (int x = 0; x < 3; ++x) sum[x] += (pos[3][x] - pos[0][x]) / between(pos[3], pos[0]);
    }
    for (int x = 0; x < 3; ++x) CHECK_NEAR(sum[x] / 100, 0, 0.25);
    search_plan_free(&plan);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_centres();
    test_double_bonds();
    test_parents();
    test_torsions();
    test_numbers();
    test_children();
    test_neighbours();
    test_cranks();
    test_embedded();
    test_parts();
    return check_done();
}
