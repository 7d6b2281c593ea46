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
    static const char alcohol[] = "8\npropargyl alcohol\nC 0 0 0\nC 1.2 0 0\nC 2.66 0 0\n"
                                  "O 3.15 1.34 0\nH -1.06 0 0\nH 3.04 -0.52 0.88\n"
                                  "H 3.04 -0.52 -0.88\nH 4.1 1.3 0.05\n";
    static const char amide[] =
        "6\nformamide\nC 0 0 0\nO 1.21 0 0\nN -0.7 1.16 0\nH -0.55 -0.96 0\n"
        "H -1.7 1.15 0\nH -0.2 2.04 0\n";
    static const char nitrile[] = "6\nacetonitrile\nC 0 0 0\nC 1.46 0 0\nN 2.62 0 0\n"
                                  "H -0.36 1.03 0\nH -0.36 -0.51 0.89\nH -0.36 -0.51 -0.89\n";
    static const char difluoroethane[] =
        "8\ndifluoroethane\nC 0 0 0\nC 1.53 0 0\nF -.45 1.3 0\nH -.38 -.51 .89\nH -.38 -.51 -.89\n"
        "F 1.98 -1.3 0\nH 1.91 .51 -.89\nH 1.91 .51 .89\n";
    const struct {
        const char *text;
        int32_t n_rotors, n_pyramids;
    } cases[] = {{difluoroethane, 1, 0}, /* ends are alike where all three are */
                 {search_butane, 1, 0},  {methanol, 0, 0}, {ethylamine, 1, 1},
                 {acid, 1, 0},           {nitrile, 0, 0},  {search_cyclohexane, 0, 0},
                 {alcohol, 1, 0}, /* what lies on the axis does not turn */
                 {amide, 1, 0}};  /* a planar nitrogen is no pyramid */
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

static search_plan plan_of(shoal_molecule *mol, const search_setting *setting)
{
    search_plan plan;
    CHECK(search_plan_make(&plan, setting, 0, mol, shoal_molecule_n_atoms(mol),
                           shoal_molecule_positions(mol), NULL) == SHOAL_OK);
    return plan;
}

/* Starts tremble by up to 0.02 angstrom and kicks of what has no joints shake by 0.3, evenly to all sides. */
static void test_shakes(void)
{
    shoal_molecule *mol = search_molecule("5\nmethane\nC 0 0 0\nH .63 .63 .63\n"
                                          "H .63 -.63 -.63\nH -.63 .63 -.63\nH -.63 -.63 .63\n");
    const double(*from)[3] = shoal_molecule_positions(mol);
    static const double most[2] = {0.02, 0.3};
    for (int kick = 0; kick < 2; ++kick) {
        double sum = 0, square = 0, low = 0, high = 0, pos[5][3];
        for (int64_t seed = 0; seed < 400; ++seed) {
            const search_setting setting = {.seed = seed, .starts = 10};
            search_plan plan = plan_of(mol, &setting);
            memcpy(pos, from, sizeof pos);
            if (kick)
                CHECK(search_kick(&plan, &setting, 3, 1, pos) == SHOAL_OK);
            else
                search_start(&plan, &setting, 0, pos);
            for (int i = 0; i < 15; ++i) {
                const double d = pos[i / 3][i % 3] - from[i / 3][i % 3];
                sum += d / 6000;
                square += d * d / 6000;
                low = fmin(low, d);
                high = fmax(high, d);
            }
            search_plan_free(&plan);
        }
        CHECK_NEAR(sum / most[kick], 0, 0.03); /* 4 sigma */
        CHECK_NEAR(square / (most[kick] * most[kick]), 1.0 / 3, 0.016);
        CHECK(low < -0.99 * most[kick] && low >= -most[kick] - 1e-12);
        CHECK(high > 0.99 * most[kick] && high <= most[kick] + 1e-12);
    }
    shoal_molecule_destroy(mol);
}

/* Conjugated bonds stay within 20 degrees of flat in four cases of five, on either side alike; the fifth goes all round. */
static void test_flat_rotors(void)
{
    shoal_molecule *mol = search_molecule("5\nformic acid\nC 0 0 0\nO 0.66 1.03 0\n"
                                          "O 0.69 -1.15 0\nH -1.1 0 0\nH 1.65 -1.0 0\n");
    const search_setting setting = {.seed = 3, .starts = 1002};
    search_plan plan = plan_of(mol, &setting);
    double pos[5][3];
    int32_t n_near[2] = {0}, n_left = 0;
    CHECK(plan.n_systematic == 2 && plan.joints.rotors[0].flat);
    for (int64_t k = 2; k < setting.starts; ++k) {
        search_start(&plan, &setting, k, pos);
        const double t = torsion((const double(*)[3])pos, 1, 0, 2, 4) * 180 / PI;
        n_near[fabs(t) > 90] += fabs(t) < 24 || fabs(t) > 156; /* with what trembling adds */
        n_left += t > 0;
    }
    /* 0.8 + 0.2 x 96 / 360 of 1000, and half of them; 4 sigma */
    CHECK_NEAR(n_near[0] + n_near[1], 853, 45);
    CHECK_NEAR(n_near[0] - n_near[1], 0, 120);
    CHECK_NEAR(n_left, 500, 64);
    search_plan_free(&plan);
    shoal_molecule_destroy(mol);
}

/* A corner does not leave its ring with a fixed atom on it. */
static void test_fixed_corner(void)
{
    shoal_molecule *mol = search_molecule(search_cyclohexane);
    const shoal_bond *bonds = shoal_molecule_bonds(mol);
    bool fixed[18] = {false};
    for (int32_t b = 0; b < shoal_molecule_n_bonds(mol); ++b) {
        const int32_t i = bonds[b].i, j = bonds[b].j, *z = shoal_molecule_elements(mol);
        if ((i == 0 && z[j] == 1) || (j == 0 && z[i] == 1)) fixed[i == 0 ? j : i] = true;
    }
    search_joints joints = joints_of(mol, fixed);
    CHECK(joints.n_corners == 5);
    for (int32_t k = 0; k < joints.n_corners; ++k) CHECK(joints.corners[k].corner != 0);
    search_joints_free(&joints);
    shoal_molecule_destroy(mol);
}

/* Corners of rings are drawn to both sides; a kick takes one to the other side of its ring. */
static void test_corners(void)
{
    shoal_molecule *mol = search_molecule(search_cyclohexane);
    const search_setting setting = {.seed = 4, .starts = 40};
    search_plan plan = plan_of(mol, &setting);
    const search_joints *j = &plan.joints;
    double pos[18][3];
    int32_t n_down = 0, n_up = 0, n_turned = 0;
    CHECK(plan.n_systematic == 0 && j->n_corners == 6); /* 64 combinations are too many */
    for (int64_t k = 1; k < 400; ++k) {
        search_start(&plan, &setting, k, pos);
        const double t = search_tangent(&j->corners[5], (const double(*)[3])pos);
        n_down += t < -0.95;
        n_up += t > 0.95;
    }
    CHECK(n_down > 10 && n_up > 10);
    for (int64_t k = 0; k < 200; ++k) {
        bool turned = false;
        memcpy(pos, shoal_molecule_positions(mol), sizeof pos);
        CHECK(search_kick(&plan, &setting, k, 1, pos) == SHOAL_OK);
        for (int c = 0; c < 6; ++c) {
            const double before = search_tangent(&j->corners[c], shoal_molecule_positions(mol));
            const double after = search_tangent(&j->corners[c], (const double(*)[3])pos);
            turned = turned || (before * after < 0 && fabs(after) > 0.89);
        }
        n_turned += turned;
    }
    CHECK(n_turned > 120); /* but for those that came back */
    search_plan_free(&plan);
    shoal_molecule_destroy(mol);
}

/* A flat ring with one corner that may leave it: drawn in half of the starts, evenly to both sides. */
static void test_one_corner(void)
{
    static const double at[11][3] = {{0, 1.21, 0},      {1.18, 0.29, 0},  {0.73, -1, 0},
                                     {-0.73, -1, 0},    {-1.18, 0.29, 0}, {0, 1.87, 0.88},
                                     {0, 1.87, -0.88},  {2.21, 0.61, 0},  {1.35, -1.89, 0},
                                     {-1.35, -1.89, 0}, {-2.21, 0.61, 0}};
    static const int bonds[11][3] = {{0, 1, 1}, {1, 2, 2}, {2, 3, 1}, {3, 4, 2},
                                     {4, 0, 1}, {0, 5, 1}, {0, 6, 1}, {1, 7, 1},
                                     {2, 8, 1}, {3, 9, 1}, {4, 10, 1}};
    const search_setting setting = {.seed = 4, .starts = 1};
    shoal_molecule *mol = chem_new(); /* cyclopentadiene */
    double pos[11][3];
    int32_t n_down = 0, n_up = 0;
    for (int i = 0; i < 11; ++i) chem_atom(mol, i < 5 ? "C" : "H", at[i][0], at[i][1], at[i][2]);
    for (int b = 0; b < 11; ++b)
        chem_bond(mol, bonds[b][0], bonds[b][1],
                  bonds[b][2] == 2 ? SHOAL_ORDER_DOUBLE : SHOAL_ORDER_SINGLE);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    search_plan plan = plan_of(mol, &setting);
    CHECK(plan.joints.n_corners == 1 && plan.joints.n_rotors == 0 && plan.n_systematic == 0);
    for (int64_t k = 1; k <= 2000 && plan.joints.n_corners == 1; ++k) {
        search_start(&plan, &setting, k, pos);
        const double t = search_tangent(&plan.joints.corners[0], (const double(*)[3])pos);
        n_down += t < -0.3;
        n_up += t > 0.3;
        CHECK(fabs(t) < 1.3 * 0.9 + 0.1);
    }
    /* Half of 2000 times 0.87 / 2.34 to each side, 4 sigma. */
    CHECK_NEAR(n_down, 372, 70);
    CHECK_NEAR(n_up, 372, 70);
    search_plan_free(&plan);
    shoal_molecule_destroy(mol);
}

/* A kick turns one joint, or up to three in a row, of all kinds. */
static void test_kicks(void)
{
    static const char pentane[] =
        "17\npentane\nC 0 0 0\nC 1.25 .88 0\nC 2.5 0 0\nC 3.75 .88 0\nC 5 0 0\n"
        "H -.9 .62 0\nH 0 -.63 .89\nH 0 -.63 -.89\nH 1.25 1.51 .89\nH 1.25 1.51 -.89\n"
        "H 2.5 -.63 .89\nH 2.5 -.63 -.89\nH 3.75 1.51 .89\nH 3.75 1.51 -.89\n"
        "H 5.9 .62 0\nH 5 -.63 .89\nH 5 -.63 -.89\n";
    static const char ethylamine[] =
        "10\nethylamine\nC 0 0 0\nC 1.53 0 0\nN 2.05 1.37 0\n"
        "H -0.38 -1.03 0\nH -0.38 0.52 0.89\nH -0.38 0.52 -0.89\n"
        "H 1.88 -0.54 0.89\nH 1.88 -0.54 -0.89\nH 3.06 1.37 0.1\nH 1.72 1.87 0.82\n";
    const search_setting setting = {.seed = 6, .starts = 1000};
    shoal_molecule *mol = search_molecule(pentane);
    search_plan plan = plan_of(mol, &setting);
    double pos[17][3];
    int32_t n_both = 0, n_inverted = 0;
    CHECK(plan.joints.n_rotors == 2);
    for (int64_t k = 0; k < 1000; ++k) {
        memcpy(pos, shoal_molecule_positions(mol), sizeof pos);
        CHECK(search_kick(&plan, &setting, k, 1, pos) == SHOAL_OK);
        const double a = torsion((const double(*)[3])pos, 0, 1, 2, 3),
                     b = torsion((const double(*)[3])pos, 1, 2, 3, 4);
        n_both += fabs(a) < PI - 1e-6 && fabs(b) < PI - 1e-6;
    }
    /* One, two or three times one of two: both with (0 + 1/2 + 3/4) / 3. */
    CHECK_NEAR(n_both, 1000 * 5.0 / 12, 63);
    search_plan_free(&plan);
    shoal_molecule_destroy(mol);
    mol = search_molecule(ethylamine);
    plan = plan_of(mol, &setting);
    CHECK(plan.joints.n_rotors == 1 && plan.joints.n_pyramids == 1);
    for (int64_t k = 0; k < 1000; ++k) {
        memcpy(pos, shoal_molecule_positions(mol), 10 * sizeof *pos);
        CHECK(search_kick(&plan, &setting, k, 1, pos) == SHOAL_OK);
        double v = torsion((const double(*)[3])pos, 1, 2, 8, 9); /* sign of the pyramid */
        n_inverted += v * torsion(shoal_molecule_positions(mol), 1, 2, 8, 9) < 0;
    }
    /* An odd number of inversions among one to three halves: (1/2 + 1/2 + 1/2) / 3. */
    CHECK_NEAR(n_inverted, 500, 64);
    search_plan_free(&plan);
    shoal_molecule_destroy(mol);
}

/* A chain of twelve carbons, zigzag. */
static shoal_molecule *make_dodecane(void)
{
    shoal_molecule *mol = chem_new();
    for (int i = 0; i < 12; ++i) chem_atom(mol, "C", 1.25 * i, i % 2 ? 0.88 : 0, 0);
    for (int i = 0; i < 12; ++i) {
        const double y = i % 2 ? 1.51 : -0.63;
        for (int k = 0; k < 2; ++k) {
            chem_atom(mol, "H", 1.25 * i, y, k ? 0.89 : -0.89);
            chem_bond(mol, i, 12 + 2 * i + k, SHOAL_ORDER_SINGLE);
        }
        if (i > 0) chem_bond(mol, i - 1, i, SHOAL_ORDER_SINGLE);
    }
    chem_atom(mol, "H", -0.9, 0.62, 0);
    chem_bond(mol, 0, 36, SHOAL_ORDER_SINGLE);
    chem_atom(mol, "H", 14.65, 0.26, 0);
    chem_bond(mol, 11, 37, SHOAL_ORDER_SINGLE);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    return mol;
}

/* Carbons that are no neighbours stay farther apart than 1.1 x 1.52 + 0.3 angstrom, in starts and after kicks. */
static void test_crowding(void)
{
    const search_setting setting = {.seed = 8, .starts = 300};
    shoal_molecule *mol = make_dodecane();
    search_plan plan = plan_of(mol, &setting);
    double pos[38][3];
    int32_t n_close = 0;
    for (int32_t k = 0; k < plan.joints.n_rotors; ++k) /* the smaller side turns */
        CHECK(plan.joints.rotors[k].behind.n <= 38 / 2);
    for (int64_t k = 1; k < 300; ++k) {
        double least = INFINITY;
        search_start(&plan, &setting, k, pos);
        if (k % 2) CHECK(search_kick(&plan, &setting, k, 1, pos) == SHOAL_OK);
        for (int i = 0; i < 12; ++i)
            for (int j = 0; j + 2 < i; ++j) least = fmin(least, distance(pos[i], pos[j]));
        n_close += least < 1.9; /* a little of it for trembling */
    }
    CHECK(n_close == 0);
    /* Where every second try is too close, each kick still has tries of its own. */
    enum { KICKS = 40 };
    static double kicked[KICKS][38][3];
    int32_t n_alike = 0;
    search_start(&plan, &setting, 5, pos);
    for (int k = 0; k < KICKS; ++k) {
        memcpy(kicked[k], pos, sizeof pos);
        CHECK(search_kick(&plan, &setting, 5, k, kicked[k]) == SHOAL_OK);
        for (int l = 0; l < k; ++l) n_alike += memcmp(kicked[k], kicked[l], sizeof pos) == 0;
    }
    CHECK(n_alike == 0);
    search_plan_free(&plan);
    shoal_molecule_destroy(mol);
}

/* A substrate without symmetry: places follow the sequence of Roberts, heights are as asked for, kicks of the whole
 * molecule go half a cell to all sides and leave its shape. */
static void test_oblique(void)
{
    shoal_molecule *mol = search_molecule(search_butane), *slab = fixture_oblique();
    shoal_surface *surface = fixture_surface(slab, NULL);
    search_substrate on;
    double pos[14][3], f[2], last[2] = {0}, sum[2] = {0}, square[2] = {0}, product = 0;
    int32_t n_body = 0, n_thirds = 0, n_other = 0;
    CHECK(search_substrate_find(&on, surface, NULL) == SHOAL_OK && on.n_motions == 1);
    const search_setting setting = {.seed = 1, .starts = 400, .substrate = &on, .height = 3};
    search_plan plan = plan_of(mol, &setting);
    const double first = torsion(shoal_molecule_positions(mol), 0, 1, 2, 3);
    CHECK(plan.n_systematic == 3);
    for (int64_t k = 0; k < 400; ++k) {
        double at[2] = {0, 0}, lowest = INFINITY;
        search_start(&plan, &setting, k, pos);
        for (int i = 0; i < 14; ++i) {
            lowest = fmin(lowest, pos[i][2]);
            for (int x = 0; x < 2; ++x) at[x] += pos[i][x] / 14;
        }
        CHECK_NEAR(lowest, on.top + 3, 1e-9);
        substrate_fractions(&on, at, f);
        for (int x = 0; x < 2; ++x) {
            static const double step[2] = {0.7548776662466927, 0.5698402909980532};
            const double d = f[x] - last[x] - step[x];
            if (k > 0) CHECK_NEAR(d - round(d), 0, 1e-9);
            last[x] = f[x];
        }
        /* The first quarter goes through the thirds again and again, the others all around. */
        double t = 3 * (torsion((const double(*)[3])pos, 0, 1, 2, 3) - first) / (2 * PI);
        const bool third = fabs(t - round(t)) < 0.12;
        n_thirds += k < 100 && third;
        n_other += k >= 100 && !third;
    }
    CHECK(n_thirds > 95 && n_other > 180);
    for (int64_t k = 0; k < 2000; ++k) {
        double from[14][3], at[2] = {0, 0}, lowest = INFINITY;
        search_start(&plan, &setting, 0, from);
        memcpy(pos, from, sizeof pos);
        for (int i = 0; i < 14; ++i) pos[i][2] -= 2.5; /* 0.5 angstrom above the top */
        CHECK(search_kick(&plan, &setting, k, 1, pos) == SHOAL_OK);
        for (int i = 0; i < 14; ++i) {
            lowest = fmin(lowest, pos[i][2]);
            for (int x = 0; x < 2; ++x) at[x] += (pos[i][x] - from[i][x]) / 14;
        }
        const bool body = fabs(torsion((const double(*)[3])pos, 0, 1, 2, 3) -
                               torsion((const double(*)[3])from, 0, 1, 2, 3)) < 1e-9;
        n_body += body;
        CHECK_NEAR(lowest, body ? on.top + 3 : on.top + 1.8, body ? 1e-9 : 2);
        CHECK(body || lowest > on.top + 1.8 - 1e-9);
        substrate_fractions(&on, at, f);
        for (int x = 0; x < 2 && body; ++x) {
            sum[x] += f[x];
            square[x] += f[x] * f[x];
            CHECK(fabs(f[x]) <= 0.5 + 1e-9);
        }
        if (body) product += f[0] * f[1];
    }
    CHECK_NEAR(n_body, 1000, 90);
    for (int x = 0; x < 2; ++x) {
        CHECK_NEAR(sum[x] / n_body, 0, 0.037);
        CHECK_NEAR(square[x] / n_body, 1.0 / 12, 0.01);
    }
    CHECK_NEAR(product / n_body, 0, 0.011);
    search_plan_free(&plan);
    /* Combinations are gone through where an eighth of the starts is enough for them. */
    for (int64_t starts = 16; starts <= 24; starts += 8) {
        const search_setting few = {.starts = starts, .substrate = &on};
        plan = plan_of(mol, &few);
        CHECK(plan.n_systematic == (starts == 24 ? 3 : 0));
        search_plan_free(&plan);
    }
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(slab);
    shoal_molecule_destroy(mol);
}

/* What is flat lies flat in a third of the starts and more, with either face up. */
static void test_faces(void)
{
    shoal_molecule *mol = chem_new(), *slab = fixture_oblique();
    shoal_surface *surface = fixture_surface(slab, NULL);
    search_substrate on;
    double pos[12][3];
    int32_t n_up = 0, n_down = 0;
    for (int k = 0; k < 12; ++k) {
        const double r = k < 6 ? 1.4 : 2.48, t = k * PI / 3;
        chem_atom(mol, k < 6 ? "C" : "H", r * cos(t), r * sin(t), 0);
    }
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    CHECK(search_substrate_find(&on, surface, NULL) == SHOAL_OK);
    const search_setting setting = {.seed = 1, .starts = 300, .substrate = &on};
    search_plan plan = plan_of(mol, &setting);
    for (int64_t k = 0; k < 300; ++k) {
        search_start(&plan, &setting, k, pos);
        const double a[2] = {pos[0][0] - pos[3][0], pos[0][1] - pos[3][1]},
                     b[2] = {pos[1][0] - pos[4][0], pos[1][1] - pos[4][1]};
        const double normal = (a[0] * b[1] - a[1] * b[0]) / (2.8 * 2.8 * 0.86603);
        n_up += normal > 0.99;
        n_down += normal < -0.99;
    }
    CHECK(n_up > 30 && n_down > 30 && n_up + n_down > 85 && n_up + n_down < 140);
    search_plan_free(&plan);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(slab);
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
    test_shakes();
    test_flat_rotors();
    test_fixed_corner();
    test_corners();
    test_one_corner();
    test_kicks();
    test_crowding();
    test_places();
    test_oblique();
    test_faces();
    return check_done();
}
