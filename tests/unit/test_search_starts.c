/* SPDX-License-Identifier: BSD-3-Clause
 * Starts of a search: which joints a molecule has, what they move, and that starts depend on their number alone and
 * cover what there is. */
#include "jobs/search_starts.h"
#include "search_fixture.h"
#include "surface_fixture.h"

#define PI 3.14159265358979323846

static search_joints joints_of(shoal_molecule *mol, const bool *fixed)
{
    search_joints joints;
    CHECK(search_joints_find(&joints, mol, shoal_molecule_n_atoms(mol),
                             shoal_molecule_positions(mol), fixed) == SHOAL_OK);
    return joints;
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* Lengths of bonds and distances of partners of one atom, which no rotor may change. */
static double worst_angle_change(const shoal_molecule *mol, const double (*pos)[3])
{
    const double(*from)[3] = shoal_molecule_positions(mol);
    const shoal_bond *b = shoal_molecule_bonds(mol);
    const int32_t n = shoal_molecule_n_bonds(mol);
    double worst = 0;
    for (int32_t k = 0; k < n; ++k)
        for (int32_t m = 0; m < n; ++m) {
            const int32_t ends[4] = {b[k].i, b[k].j, b[m].i, b[m].j};
            for (int p = 0; p < 2; ++p)
                for (int q = 2; q < 4; ++q)
                    if (ends[1 - p] == ends[5 - q])
                        worst = fmax(worst, fabs(distance(pos[ends[p]], pos[ends[q]]) -
                                                 distance(from[ends[p]], from[ends[q]])));
            worst = fmax(worst, fabs(distance(pos[b[k].i], pos[b[k].j]) -
                                     distance(from[b[k].i], from[b[k].j])));
        }
    return worst;
}

static double torsion(const double (*p)[3], int i, int j, int k, int l)
{
    double a[3], b[3], c[3], n[3], m[3], x = 0, y = 0, length = 0;
    for (int q = 0; q < 3; ++q) {
        a[q] = p[j][q] - p[i][q];
        b[q] = p[k][q] - p[j][q];
        c[q] = p[l][q] - p[k][q];
    }
    for (int q = 0; q < 3; ++q) {
        n[q] = a[(q + 1) % 3] * b[(q + 2) % 3] - a[(q + 2) % 3] * b[(q + 1) % 3];
        m[q] = b[(q + 1) % 3] * c[(q + 2) % 3] - b[(q + 2) % 3] * c[(q + 1) % 3];
    }
    for (int q = 0; q < 3; ++q) {
        x += n[q] * m[q];
        y += a[q] * m[q];
        length += b[q] * b[q];
    }
    return atan2(y * sqrt(length), x);
}

/* Methyl groups are no rotors; hydroxyl and amino groups are, and ring bonds and double bonds are not. */
static void test_rotors(void)
{
    static const char methanol[] = "6\nmethanol\nC 0 0 0\nO 1.41 0 0\nH 1.73 0.9 0\n"
                                   "H -0.36 1.03 0\nH -0.36 -0.51 0.89\nH -0.36 -0.51 -0.89\n";
    static const char ethylamine[] =
        "10\nethylamine\nC 0 0 0\nC 1.53 0 0\nN 2.05 1.37 0\n"
        "H -0.38 -1.03 0\nH -0.38 0.52 0.89\nH -0.38 0.52 -0.89\n"
        "H 1.88 -0.54 0.89\nH 1.88 -0.54 -0.89\nH 3.06 1.37 0.1\nH 1.72 1.87 0.82\n";
    static const char acid[] = "5\nformic acid\nC 0 0 0\nO 0.66 1.03 0\nO 0.69 -1.15 0\n"
                               "H -1.1 0 0\nH 1.65 -1.0 0\n";
    static const char nitrile[] = "6\nacetonitrile\nC 0 0 0\nC 1.46 0 0\nN 2.62 0 0\n"
                                  "H -0.36 1.03 0\nH -0.36 -0.51 0.89\nH -0.36 -0.51 -0.89\n";
    const struct {
        const char *text;
        int32_t n_rotors, n_pyramids;
    } cases[] = {{search_butane, 1, 0}, {methanol, 0, 0}, {ethylamine, 1, 1},
                 {acid, 1, 0},          {nitrile, 0, 0},  {search_cyclohexane, 0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_molecule *mol = search_molecule(cases[k].text);
        search_joints joints = joints_of(mol, NULL);
        if (joints.n_rotors != cases[k].n_rotors || joints.n_pyramids != cases[k].n_pyramids)
            printf("%s: %d rotors, %d pyramids\n", shoal_molecule_name(mol), joints.n_rotors,
                   joints.n_pyramids);
        CHECK(joints.n_rotors == cases[k].n_rotors && joints.n_pyramids == cases[k].n_pyramids);
        search_joints_free(&joints);
        shoal_molecule_destroy(mol);
    }
}

static void test_turns(void)
{
    shoal_molecule *mol = search_molecule(search_butane);
    search_joints joints = joints_of(mol, NULL);
    double pos[14][3];
    memcpy(pos, shoal_molecule_positions(mol), sizeof pos);
    const double before = torsion((const double(*)[3])pos, 0, 1, 2, 3);
    search_turn(&joints.rotors[0], cos(1.0), sin(1.0), pos);
    const double turned = torsion((const double(*)[3])pos, 0, 1, 2, 3) - before;
    CHECK_NEAR(fabs(turned - 2 * PI * round(turned / (2 * PI))), 1.0, 1e-9);
    CHECK(worst_angle_change(mol, (const double(*)[3])pos) < 1e-9);
    search_joints_free(&joints);
    /* The side without fixed atoms turns; with some on both sides nothing does. */
    bool fixed[14] = {[3] = true};
    joints = joints_of(mol, fixed);
    CHECK(joints.n_rotors == 1 && joints.rotors[0].j == 1);
    search_joints_free(&joints);
    fixed[0] = true;
    joints = joints_of(mol, fixed);
    CHECK(joints.n_rotors == 0);
    search_joints_free(&joints);
    shoal_molecule_destroy(mol);
}

/* A corner goes to the other side of its ring; lengths of the ring and of its own bonds stay. */
static void test_flaps(void)
{
    shoal_molecule *mol = search_molecule(search_cyclohexane);
    search_joints joints = joints_of(mol, NULL);
    double pos[18][3];
    CHECK(joints.n_corners == 6);
    for (int32_t k = 0; k < joints.n_corners; ++k) {
        const search_corner *c = &joints.corners[k];
        memcpy(pos, shoal_molecule_positions(mol), sizeof pos);
        const double before = search_tangent(c, (const double(*)[3])pos);
        CHECK(fabs(before) > 0.3);
        search_flap(c, -before, pos);
        CHECK_NEAR(search_tangent(c, (const double(*)[3])pos), -before, 1e-9);
        for (int32_t b = 0; b < shoal_molecule_n_bonds(mol); ++b) {
            const shoal_bond *bond = &shoal_molecule_bonds(mol)[b];
            const double(*from)[3] = shoal_molecule_positions(mol);
            CHECK_NEAR(distance(pos[bond->i], pos[bond->j]), distance(from[bond->i], from[bond->j]),
                       1e-9);
        }
    }
    search_joints_free(&joints);
    shoal_molecule_destroy(mol);
}

static void test_inversion(void)
{
    shoal_molecule *mol = search_molecule("4\nammonia\nN 0 0 0.12\nH 0.94 0 -0.26\n"
                                          "H -0.47 0.81 -0.26\nH -0.47 -0.81 -0.26\n");
    search_joints joints = joints_of(mol, NULL);
    double pos[4][3], v[2];
    memcpy(pos, shoal_molecule_positions(mol), sizeof pos);
    CHECK(joints.n_pyramids == 1);
    for (int k = 0; k < 2; ++k) {
        double d[3][3];
        for (int a = 0; a < 3; ++a)
            for (int x = 0; x < 3; ++x) d[a][x] = pos[a + 1][x] - pos[0][x];
        v[k] = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
               d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
               d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
        search_invert(&joints.pyramids[0], pos);
    }
    CHECK_NEAR(v[0], -v[1], 1e-9);
    search_joints_free(&joints);
    shoal_molecule_destroy(mol);
}

/* A start is the same whenever and in whatever order it is asked for; seeds and molecules differ. */
static void test_numbers(void)
{
    shoal_molecule *mol = search_molecule(search_butane);
    const search_setting one = {.seed = 1, .starts = 40}, two = {.seed = 2, .starts = 40};
    search_plan plan, other;
    double a[14][3], b[14][3];
    const double(*pos)[3] = shoal_molecule_positions(mol);
    CHECK(search_plan_make(&plan, &one, 0, mol, 14, pos, NULL) == SHOAL_OK);
    CHECK(search_plan_make(&other, &one, 7, mol, 14, pos, NULL) == SHOAL_OK);
    search_start(&plan, &one, 20, a);
    search_start(&plan, &one, 3, b);
    CHECK(memcmp(a, b, sizeof a) != 0);
    search_start(&plan, &one, 20, b);
    CHECK(memcmp(a, b, sizeof a) == 0);
    search_start(&plan, &two, 20, b);
    CHECK(memcmp(a, b, sizeof a) != 0);
    search_start(&other, &one, 20, b);
    CHECK(memcmp(a, b, sizeof a) != 0);
    search_start(&plan, &one, 0, a);
    for (int i = 0; i < 14; ++i)
        CHECK(distance(a[i], pos[i]) < 0.04); /* as it was given, almost .. */
    CHECK(memcmp(a, pos, sizeof a) != 0);     /* .. not to stay on a ridge */
    memcpy(a, pos, sizeof a);
    memcpy(b, pos, sizeof b);
    CHECK(search_kick(&plan, &one, 5, 1, a) == SHOAL_OK);
    CHECK(search_kick(&plan, &one, 5, 2, b) == SHOAL_OK);
    CHECK(memcmp(a, b, sizeof a) != 0 && memcmp(a, pos, sizeof a) != 0);
    CHECK(worst_angle_change(mol, (const double(*)[3])a) < 1e-9);
    search_plan_free(&plan);
    search_plan_free(&other);
    shoal_molecule_destroy(mol);
}

/* The first starts go through all three turns, the others all around. */
static void test_spread(void)
{
    shoal_molecule *mol = search_molecule(search_butane);
    const search_setting setting = {.seed = 3, .starts = 243};
    search_plan plan;
    double pos[14][3];
    int32_t thirds[3] = {0}, sectors[12] = {0};
    CHECK(search_plan_make(&plan, &setting, 0, mol, 14, shoal_molecule_positions(mol), NULL) ==
          SHOAL_OK);
    CHECK(plan.n_systematic == 3);
    const double first = torsion(shoal_molecule_positions(mol), 0, 1, 2, 3);
    for (int64_t k = 0; k < setting.starts; ++k) {
        search_start(&plan, &setting, k, pos);
        double t = (torsion((const double(*)[3])pos, 0, 1, 2, 3) - first) / (2 * PI);
        t -= floor(t);
        if (k < 3) ++thirds[(int32_t)(3 * t + 0.5) % 3];
        if (k >= 3) ++sectors[(int32_t)(12 * t) % 12];
    }
    for (int k = 0; k < 3; ++k) CHECK(thirds[k] == 1);
    for (int k = 0; k < 12; ++k) CHECK(sectors[k] >= 5 && sectors[k] <= 45);
    search_plan_free(&plan);
    shoal_molecule_destroy(mol);
}

/* On a substrate: near contact, all over the irreducible part, in all orientations. */
static void test_places(void)
{
    shoal_molecule *mol = search_molecule(search_butane), *slab = fixture_salt(2, 2, 0.9);
    shoal_surface *surface;
    search_substrate substrate;
    search_plan plan;
    double pos[14][3];
    int32_t n_up = 0, n_flat = 0, quarters[4] = {0};
    CHECK(shoal_surface_create(&surface, slab, NULL) == SHOAL_OK);
    CHECK(search_substrate_find(&substrate, surface, NULL) == SHOAL_OK);
    const search_setting setting = {.seed = 1, .starts = 400, .substrate = &substrate};
    CHECK(search_plan_make(&plan, &setting, 0, mol, 14, shoal_molecule_positions(mol), NULL) ==
          SHOAL_OK);
    for (int64_t k = 0; k < setting.starts; ++k) {
        double lowest = INFINITY, highest = -INFINITY, at[2] = {0, 0}, folded[2];
        search_start(&plan, &setting, k, pos);
        for (int i = 0; i < 14; ++i) {
            lowest = fmin(lowest, pos[i][2]);
            highest = fmax(highest, pos[i][2]);
            for (int x = 0; x < 2; ++x) at[x] += pos[i][x] / 14;
        }
        CHECK(lowest > 2.1 && lowest < 3.3);
        n_flat += highest - lowest < 2.5;
        n_up += pos[0][2] < pos[3][2];
        memcpy(folded, at, sizeof at);
        search_substrate_fold(&substrate, folded);
        CHECK_NEAR(hypot(folded[0] - at[0], folded[1] - at[1]), 0, 1e-6);
        double f[2];
        substrate_fractions(&substrate, at, f);
        ++quarters[(f[0] > 0.2) + 2 * (f[1] > 0.2)];
        CHECK(worst_angle_change(mol, (const double(*)[3])pos) < 0.1);
    }
    CHECK(n_up > 120 && n_up < 280 && n_flat > 40);
    CHECK(quarters[0] > 20 && quarters[1] + quarters[2] + quarters[3] > 20);
    search_plan_free(&plan);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(slab);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_rotors();
    test_turns();
    test_flaps();
    test_inversion();
    test_numbers();
    test_spread();
    test_places();
    return check_done();
}
