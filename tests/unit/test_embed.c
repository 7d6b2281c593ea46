/* SPDX-License-Identifier: BSD-3-Clause
 * Distance geometry: bounds, configurations, checks that refuse, and conformers that depend on nothing but their
 * molecule, number and seed. */
#include "io_fixture.h"

#include <math.h>

#include "chem/element.h"
#include "embed/embed.h"
#include "geom/vector.h"
#include "shoal/ensemble.h"

enum { MOST_ATOMS = 64, MOST_PLACES = 24 };

typedef struct problem {
    fixture f;
    embed_problem *p;
} problem;

static problem make(const char *smiles)
{
    problem x;
    fixture_first(&x.f, smiles, SHOAL_FORMAT_SMILES);
    CHECK(embed_problem_create(&x.p, x.f.mol) == SHOAL_OK);
    return x;
}

static void drop(problem *x)
{
    embed_problem_destroy(x->p);
    fixture_close(&x->f);
}

static double bound(const embed_problem *p, bool upper, int32_t i, int32_t j)
{
    return (upper ? p->bounds.upper : p->bounds.lower)[i * p->bounds.n + j];
}

static bool holds(const embed_problem *p, int32_t i, int32_t j, double r)
{
    return bound(p, false, i, j) <= r && r <= bound(p, true, i, j);
}

/* Distances in angstrom of molecules whose geometry is known. */
static void test_bounds(void)
{
    problem x = make("CCO");
    CHECK(holds(x.p, 0, 1, 1.514) && holds(x.p, 0, 2, 2.40) && holds(x.p, 2, 0, 2.40));
    drop(&x);
    x = make("c1ccccc1"); /* meta and para carbon atoms */
    CHECK(holds(x.p, 0, 2, 2.41) && holds(x.p, 0, 3, 2.78) && bound(x.p, true, 0, 3) < 3);
    drop(&x);
    x = make("F/C=C/F");
    CHECK(bound(x.p, false, 0, 3) > 3.2);
    drop(&x);
    x = make("F/C=C\\F");
    CHECK(bound(x.p, true, 0, 3) < 3.1);
    drop(&x);
    x = make("C1CC1"); /* 60 degrees, whatever carbon likes */
    CHECK(holds(x.p, 0, 2, 1.51));
    drop(&x);
    x = make("[Na+].[Cl-]"); /* nothing is known of parts */
    CHECK(bound(x.p, true, 0, 1) == 0);
    drop(&x);
}

/* Angles at an atom by the bounds of its partners: from a table of what chemistry expects, degrees. */
static void test_angles(void)
{
    static const struct {
        const char *smiles;
        int32_t i, j, k;
        double low, high;
    } cases[] = {{"CCC", 0, 1, 2, 104.5, 114.5}, {"COC", 0, 1, 2, 104, 114},
                 {"CNC", 0, 1, 2, 104, 114},     {"CSC", 0, 1, 2, 94, 104},
                 {"CPC", 0, 1, 2, 95, 105},      {"C=CC", 0, 1, 2, 114, 126},
                 {"C#CC", 0, 1, 2, 172, 180},    {"CC(C)=O", 0, 1, 2, 114, 126},
                 {"C=NC", 0, 1, 2, 112, 124},    {"CC1CC1", 0, 1, 2, 113, 123},
                 {"CC1CCC1", 0, 1, 2, 107, 121}, {"CC1CCCC1", 0, 1, 2, 104, 118}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        problem x = make(cases[k].smiles);
        double length[2] = {0}, angle[2];
        for (int32_t b = 0; b < x.f.mol->n_bonds; ++b) {
            const shoal_bond *bond = &x.f.mol->bonds[b];
            for (int e = 0; e < 2; ++e) {
                const int32_t end = e ? cases[k].k : cases[k].i;
                if ((bond->i == end && bond->j == cases[k].j) ||
                    (bond->j == end && bond->i == cases[k].j))
                    length[e] = x.p->bounds.length[b];
            }
        }
        for (int e = 0; e < 2; ++e) {
            const double r = bound(x.p, e == 1, cases[k].i, cases[k].k);
            angle[e] = acos(fmax(-1, (length[0] * length[0] + length[1] * length[1] - r * r) /
                                         (2 * length[0] * length[1]))) *
                       57.29577951308232;
        }
        if (fabs(angle[0] - cases[k].low) > 1e-6 || fabs(angle[1] - cases[k].high) > 1e-6)
            (void)printf("%s: %.6f to %.6f\n", cases[k].smiles, angle[0], angle[1]);
        CHECK_NEAR(angle[0], cases[k].low, 1e-6);
        CHECK_NEAR(angle[1], cases[k].high, 1e-5);
        drop(&x);
    }
}

/* All bounds of molecules with every kind of ring and torsion, each with a weight of its own: nothing of it changes
 * unnoticed. Change a number where a rule changes. */
static void test_all_bounds(void)
{
    static const struct {
        const char *smiles;
        double lower, upper;
    } cases[] = {{"CC(C)Cc1ccc(cc1)[C@@H](C)C(=O)O", 5335.6607182, 13260.4072561},
                 {"CNC(C)=O", 563.7682113, 907.8836864},
                 {"CC(=O)OC", 442.3594504, 686.5860589},
                 {"NC=O", 141.9524511, 152.0742430},
                 {"C1CC1C", 555.2812929, 808.3806301},
                 {"C1CCC1O", 677.2442968, 1055.0153883},
                 {"O=C1CCCC1", 874.0550379, 1359.4257112},
                 {"CS(C)=O", 352.1273644, 496.1173095},
                 {"C1CCCCCC1", 1989.5660617, 3677.5092290},
                 {"C1=CCCCCCC1", 2100.5786247, 4053.1886150},
                 {"F/C=C/Cl", 157.5295143, 162.1203723},
                 {"CC=C(C)C", 909.6191339, 1713.6179682},
                 {"OCCO", 325.8956107, 455.6708085},
                 {"c1cc[nH]c1", 377.5317544, 443.6581892},
                 {"FS(F)(F)(F)(F)F", 225.0983998, 340.9078111},
                 {"FP(F)(F)(F)F", 139.1207477, 207.1214958},
                 {"C1CC2CCC1C2", 1418.0965203, 2413.2521308},
                 {"O=C1CCCN1", 695.6480534, 1038.1322258},
                 {"OCCCN", 870.3931012, 1564.4118742},
                 {"C1=CCCCC1", 1014.4466526, 1612.4013817},
                 {"CC=O.O", 358.8040043, 208.7325148},
                 {"C1CCCCCCCCC1", 3975.7291628, 8917.1399831}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        problem x = make(cases[k].smiles);
        double sum[2] = {0};
        for (int32_t i = 0; i < x.p->bounds.n; ++i)
            for (int32_t j = 0; j < i; ++j)
                for (int e = 0; e < 2; ++e)
                    sum[e] += (1 + i % 7 + 0.1 * (j % 11)) * bound(x.p, e == 1, i, j);
        if (fabs(sum[0] - cases[k].lower) > 1e-6 || fabs(sum[1] - cases[k].upper) > 1e-6)
            (void)printf("        {\"%s\", %.7f, %.7f},\n", cases[k].smiles, sum[0], sum[1]);
        CHECK_NEAR(sum[0], cases[k].lower, 1e-6);
        CHECK_NEAR(sum[1], cases[k].upper, 1e-6);
        drop(&x);
    }
}

static void test_triangles(void)
{
    problem x = make("CC(C)Cc1ccc(cc1)[C@@H](C)C(=O)O");
    const int32_t n = x.p->bounds.n;
    int bad = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
            for (int32_t k = 0; k < n; ++k) {
                if (i == j || j == k || i == k) continue;
                bad +=
                    bound(x.p, true, i, j) > bound(x.p, true, i, k) + bound(x.p, true, k, j) + 1e-9;
            }
    CHECK(bad == 0);
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j) CHECK(bound(x.p, false, i, j) <= bound(x.p, true, i, j));
    drop(&x);
}

static double positions[MOST_PLACES][MOST_ATOMS][3];

static embed_place place_of(const problem *x, int64_t conformer, int32_t k)
{
    CHECK(x->f.mol->n_atoms <= MOST_ATOMS);
    return (embed_place){.problem = x->p, .conformer = conformer, .pos = positions[k]};
}

static void run(embed_place *places, int32_t n, uint64_t seed)
{
    const shoal_engine_options engine = {.n_threads = 1};
    const embed_options o = {.seed = seed, .engine = &engine};
    CHECK(embed_run(places, n, &o) == SHOAL_OK);
}

/* Both configurations come out as stated; each is wrong for the other. */
static void test_configurations(void)
{
    static const char *const pairs[][2] = {{"N[C@@H](C)C(=O)O", "N[C@H](C)C(=O)O"},
                                           {"C[S@](=O)CC", "C[S@@](=O)CC"},
                                           {"C/C=C/C", "C/C=C\\C"},
                                           {"C1C[C@H]2CC[C@@H]1O2", "C1C[C@@H]2CC[C@H]1O2"},
                                           {"CC/C=C/1CCCC[C@@H]1C", "CC/C=C\\1CCCC[C@H]1C"}};
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; ++k) {
        problem x[2] = {make(pairs[k][0]), make(pairs[k][1])};
        embed_place places[4];
        char reason[160] = "";
        for (int32_t c = 0; c < 4; ++c) places[c] = place_of(&x[c / 2], c % 2, c);
        run(places, 4, 1);
        for (int32_t c = 0; c < 4; ++c) {
            const double(*pos)[3] = (const double(*)[3])positions[c];
            CHECK(places[c].found && embed_check(x[c / 2].p, pos, 1, reason) == NULL);
            if (!places[c].found) (void)printf("%s: %s\n", pairs[k][c / 2], places[c].reason);
            /* The third pair of rings is a mirror image of itself: meso. */
            if (k != 3) CHECK(embed_check_graph(x[1 - c / 2].p, pos, reason) != NULL);
        }
        drop(&x[0]);
        drop(&x[1]);
    }
}

/* Double bonds between two atoms without hydrogen come out as stated by one distance alone, nearly at the first try. */
static void test_single_distances(void)
{
    static const char *const stated[] = {"C/N=N/C", "c1ccccc1/N=N/c1ccccc1", "C/N=N\\C",
                                         "c1ccccc1/C=N/O"};
    for (size_t k = 0; k < sizeof stated / sizeof stated[0]; ++k) {
        problem x = make(stated[k]);
        embed_place places[MOST_PLACES];
        int n_tries = 0;
        for (int32_t c = 0; c < MOST_PLACES; ++c) places[c] = place_of(&x, c, c);
        run(places, MOST_PLACES, 1);
        for (int32_t c = 0; c < MOST_PLACES; ++c) {
            CHECK(places[c].found);
            n_tries += places[c].n_tries;
        }
        if (n_tries > MOST_PLACES + 4) (void)printf("%s: %d tries\n", stated[k], n_tries);
        CHECK(n_tries <= MOST_PLACES + 4);
        drop(&x);
    }
}

/* A centre that leaves the tetrahedron of its partners does not change their volume, but has no configuration any more. */
static void test_inside(void)
{
    char reason[160] = "";
    problem x = make("N[C@@H](C)C(=O)O");
    embed_place place = place_of(&x, 0, 0);
    double(*pos)[3] = positions[0], d[3];
    int32_t h = -1;
    run(&place, 1, 1);
    CHECK(place.found);
    for (int32_t k = 0; k < x.f.mol->n_bonds; ++k) {
        const shoal_bond *b = &x.f.mol->bonds[k];
        if (b->i == 1 && x.f.mol->element[b->j] == 1) h = b->j;
    }
    CHECK(h > 0);
    vector_subtract(pos[1], pos[h], d);
    for (int c = 0; c < 3; ++c) pos[1][c] -= 1.6 * d[c];
    const char *wrong = embed_check_graph(x.p, (const double(*)[3])pos, reason);
    CHECK_TEXT(wrong ? wrong : "", "the configuration of atom 1 does not come out");
    drop(&x);
}

/* Alone, among others, in another order: the same bits; another number or seed: others. */
static void test_laws(void)
{
    static double alone[MOST_ATOMS][3];
    problem x = make("CC(C)Cc1ccc(cc1)[C@@H](C)C(=O)O ibuprofen"), y = make("OCC(O)CO glycerol");
    embed_place one = place_of(&x, 3, 0), many[MOST_PLACES], other = place_of(&x, 3, 1);
    const size_t size = (size_t)x.f.mol->n_atoms * sizeof alone[0];
    run(&one, 1, 7);
    CHECK(one.found);
    memcpy(alone, positions[0], size);
    for (int32_t k = 0; k < MOST_PLACES; ++k)
        many[k] = place_of(k % 3 ? &x : &y, MOST_PLACES - k, k);
    run(many, MOST_PLACES, 7);
    for (int32_t k = 0; k < MOST_PLACES; ++k) {
        CHECK(many[k].found);
        if (k % 3 == 0) continue;
        CHECK((memcmp(positions[k], alone, size) == 0) == (many[k].conformer == 3));
    }
    run(&other, 1, 8);
    CHECK(memcmp(positions[1], alone, size) != 0);
    drop(&x);
    drop(&y);
}

/* A bond through a ring, and atoms on top of each other. */
static void test_refusals(void)
{
    char reason[160] = "";
    problem x = make("C1CCCCC1.CC");
    double(*pos)[3] = positions[0];
    for (int32_t i = 0; i < x.f.mol->n_atoms; ++i) {
        pos[i][0] = 20 + 3 * i;
        pos[i][1] = pos[i][2] = 0;
    }
    for (int32_t i = 0; i < 6; ++i) {
        pos[i][0] = 1.5 * cos(i * 1.0471975512);
        pos[i][1] = 1.5 * sin(i * 1.0471975512);
    }
    pos[6][0] = pos[7][0] = 0.1;
    pos[6][2] = -0.75;
    pos[7][2] = 0.75;
    CHECK_TEXT(embed_check_graph(x.p, (const double(*)[3])pos, reason),
               "the bond of atoms 6 and 7 passes through the ring of atom 0");
    pos[6][2] = 0.5;
    pos[7][2] = 2;
    CHECK(embed_check_graph(x.p, (const double(*)[3])pos, reason) == NULL);
    pos[6][0] = 1.5;
    pos[6][2] = 0.3;
    CHECK_TEXT(embed_check_graph(x.p, (const double(*)[3])pos, reason),
               "atoms 0 and 6 are 0.30 A apart");
    drop(&x);
}

/* What is asked of configurations: which there are, and their volumes. */
static void test_asked(void)
{
    static const struct {
        const char *smiles;
        int32_t n_centres, n_torsions;
    } cases[] = {{"C[N@](CC)CCC", 0, 0},   {"C[N@]1CC1C", 1, 0},    {"CC1C[N@]2CCC1CC2", 1, 0},
                 {"C[N@]1CCCCC1C", 0, 0},  {"C1CCCC/C=C\\1", 0, 0}, {"C1CCCCC/C=C\\1", 0, 1},
                 {"C1CCCCCC/C=C/1", 0, 1}, {"C/C=C/C=C/C", 0, 2},   {"C[P@](CC)CCC", 1, 0},
                 {"c1ccccc1", 0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        problem x = make(cases[k].smiles);
        int32_t n = 0;
        for (int32_t i = 0; i < x.p->n_volumes; ++i) n += x.p->volumes[i].centre >= 0;
        if (n != cases[k].n_centres || x.p->n_torsions != cases[k].n_torsions)
            (void)printf("%s: %d centres, %d bonds\n", cases[k].smiles, n, x.p->n_torsions);
        CHECK(n == cases[k].n_centres && x.p->n_torsions == cases[k].n_torsions);
        drop(&x);
    }
    /* A plane within 0.2 cubic angstrom; a tetrahedral centre with 0.55 of the volume of its four partners. */
    problem x = make("C=O");
    CHECK(x.p->n_volumes == 1 && x.p->volumes[0].centre == -1);
    CHECK(x.p->volumes[0].high == 0.2 && x.p->volumes[0].low == -0.2);
    drop(&x);
    x = make("F[C@](Cl)(Br)I");
    const embed_volume *v = &x.p->volumes[0];
    double g[3][3], at[4][4];
    for (int r = 0; r < 4; ++r)
        for (int s = 0; s < 4; ++s)
            at[r][s] = 0.5 * (bound(x.p, false, v->atoms[r], v->atoms[s]) +
                              bound(x.p, true, v->atoms[r], v->atoms[s]));
    for (int r = 0; r < 3; ++r)
        for (int s = 0; s < 3; ++s)
            g[r][s] = 0.5 * (at[0][r + 1] * at[0][r + 1] + at[0][s + 1] * at[0][s + 1] -
                             (r == s ? 0 : at[r + 1][s + 1] * at[r + 1][s + 1]));
    const double det = g[0][0] * g[1][1] * g[2][2] + 2 * g[0][1] * g[1][2] * g[0][2] -
                       g[0][0] * g[1][2] * g[1][2] - g[1][1] * g[0][2] * g[0][2] -
                       g[2][2] * g[0][1] * g[0][1];
    CHECK(x.p->n_volumes == 1 && v->centre == 1);
    CHECK_NEAR(v->high < 0 ? -v->high : v->low, 0.55 * sqrt(det), 1e-9);
    CHECK((v->high < 0 ? -v->low : v->high) == 1e6);
    drop(&x);
}

/* Parts stand side by side, 3.5 A of space between them, their middles on one line. */
static void test_parts(void)
{
    problem x = make("O.C.[Na+]");
    embed_place place = place_of(&x, 0, 0);
    double low[3][3], high[3][3];
    run(&place, 1, 1);
    CHECK(place.found && x.p->bounds.n_parts == 3);
    for (int k = 0; k < 3; ++k)
        for (int c = 0; c < 3; ++c) {
            low[k][c] = INFINITY, high[k][c] = -INFINITY;
            for (int32_t i = 0; i < x.f.mol->n_atoms; ++i) {
                if (x.p->bounds.part[i] != k) continue;
                low[k][c] = fmin(low[k][c], place.pos[i][c]);
                high[k][c] = fmax(high[k][c], place.pos[i][c]);
            }
            if (c > 0) CHECK_NEAR(low[k][c] + high[k][c], 0, 1e-9);
        }
    CHECK_NEAR(low[0][0], 0, 1e-9);
    for (int k = 1; k < 3; ++k) CHECK_NEAR(low[k][0] - high[k - 1][0], 3.5, 1e-9);
    drop(&x);
}

static bool stop_at_once(void *user)
{
    ++*(int *)user;
    return true;
}

static bool never_stop(void *user)
{
    ++*(int *)user;
    return false;
}

/* It is asked before every round, and no further one begins. */
static void test_stops(void)
{
    problem x = make("CCO");
    for (int k = 0; k < 2; ++k) {
        int n = 0;
        embed_place place = place_of(&x, 0, 0);
        const embed_options o = {.seed = 1, .stop = k ? never_stop : stop_at_once, .user = &n};
        CHECK(embed_run(&place, 1, &o) == SHOAL_OK);
        CHECK(place.found == (k == 1) && n == (k ? 2 : 1) && place.n_tries == k);
    }
    drop(&x);
}

/* Atoms nearer than half the sum of their covalent radii; rings of ten are looked through, larger ones are not; a bond
 * passes between its two ends and within the ring alone, from either side. */
static void test_limits(void)
{
    static const struct {
        double a, b, aside; /* heights of the ends, and their distance from the axis, in radii */
        bool passes;
    } cases[] = {{-0.75, 0.75, 0.1, true}, {0.75, -0.75, 0.1, true},  {2.0, 0.5, 0.1, false},
                 {0.5, 2.0, 0.1, false},   {-0.75, 0.75, 1.4, false}, {0.75, -0.75, -1.4, false}};
    static const char *const rings[] = {"C1CCCCCCCCC1.CC", "C1CCCCCCCCCC1.CC"};
    char reason[160] = "";
    for (int32_t size = 10; size < 12; ++size) {
        problem x = make(rings[size - 10]);
        double(*pos)[3] = positions[0];
        const double radius = 0.75 / sin(3.14159265358979 / size);
        for (int32_t i = 0; i < x.f.mol->n_atoms; ++i) {
            pos[i][0] = 20 + 3 * i;
            pos[i][1] = pos[i][2] = 0;
        }
        for (int32_t i = 0; i < size; ++i) {
            pos[i][0] = radius * cos(i * 6.28318530717959 / size);
            pos[i][1] = radius * sin(i * 6.28318530717959 / size);
        }
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
            for (int e = 0; e < 2; ++e) {
                /* Between two of the ring's atoms. */
                pos[size + e][0] = cases[k].aside * radius * cos(3.14159265358979 / size);
                pos[size + e][1] = cases[k].aside * radius * sin(3.14159265358979 / size);
                pos[size + e][2] = e ? cases[k].b : cases[k].a;
            }
            const char *wrong = embed_check_graph(x.p, (const double(*)[3])pos, reason);
            CHECK((wrong != NULL) == (cases[k].passes && size == 10));
        }
        drop(&x);
    }
    problem x = make("[Na+].[Cl-]");
    const double radii = element_get(11)->radius + element_get(17)->radius;
    double pos[2][3] = {{0}};
    for (int k = 0; k < 2; ++k) {
        pos[1][1] = (k ? 0.505 : 0.495) * radii;
        CHECK((embed_check_graph(x.p, (const double(*)[3])pos, reason) == NULL) == (k == 1));
    }
    drop(&x);
    /* A torsion of 70 degrees is neither cis nor trans, one of 110 neither. */
    x = make("F/C=C/F");
    embed_place place = place_of(&x, 0, 0);
    run(&place, 1, 1);
    for (int k = 0; k < 18; ++k) {
        const double t = (10 * k + 5) * 3.14159265358979 / 180;
        double at[6][3];
        memcpy(at, place.pos, sizeof at);
        const double four[4][3] = {
            {-0.5, 1.2, 0}, {0, 0, 0}, {1.33, 0, 0}, {1.83, 1.2 * cos(t), 1.2 * sin(t)}};
        memcpy(at, four, sizeof four);
        for (int h = 4; h < 6; ++h) at[h][0] = 5 * h, at[h][1] = 9, at[h][2] = 0;
        const char *wrong = embed_check_graph(x.p, (const double(*)[3])at, reason);
        CHECK((wrong == NULL) == (10 * k + 5 > 120));
    }
    drop(&x);
}

/* What a choice among conformers depends on is in its fingerprint. */
static void test_choice(void)
{
    const shoal_ensemble e = {
        .most = 3, .window = 0.5, .rmsd = 0.25, .temperature = 400, .keep_alike = true};
    const double want[5] = {3, 0.5, 0.25, 400, 1};
    shoal_choice choice = {0};
    CHECK(shoal_ensemble_choice(&e, &choice) == SHOAL_OK && choice.choose);
    for (int k = 0; k < 5; ++k) CHECK(choice.numbers[k] == want[k]);
    for (int k = 0; k < 4; ++k) {
        shoal_ensemble bad = e;
        *(k == 1 ? &bad.window : k == 2 ? &bad.rmsd : &bad.temperature) = -1e-9;
        if (k == 0) bad.most = -1;
        CHECK(shoal_ensemble_choice(&bad, &choice) == SHOAL_E_ARGUMENT);
    }
}

/* Degrees, of four atoms in a row. */
static double torsion(const double (*pos)[3], const int32_t a[4])
{
    double e[3][3], n[2][3], cross[3];
    for (int k = 0; k < 3; ++k) vector_subtract(pos[a[k + 1]], pos[a[k]], e[k]);
    vector_cross(e[0], e[1], n[0]);
    vector_cross(e[1], e[2], n[1]);
    vector_cross(n[0], n[1], cross);
    const double sine = vector_dot(cross, e[1]) / sqrt(vector_dot(e[1], e[1]));
    return atan2(sine, vector_dot(n[0], n[1])) * 57.29577951308232;
}

/* 1 or -1 by the first torsion of a ring that is a chair, 0 if it is none. */
static int chair_of(const double (*pos)[3], const int32_t ring[6])
{
    int n_turns = 0, first = 0;
    for (int k = 0; k < 6; ++k) {
        const int32_t four[4] = {ring[k], ring[(k + 1) % 6], ring[(k + 2) % 6], ring[(k + 3) % 6]};
        const double t = torsion(pos, four) * (k % 2 ? -1 : 1);
        if (k == 0) first = t > 0 ? 1 : -1;
        n_turns += t * first > 25;
    }
    return n_turns == 6 ? first : 0;
}

/* Conformers whose two rings are chairs; of three out of four they have to be, where every shape goes. n_up: of one kind. */
static int count_chairs(const char *smiles, int32_t rings[2][6], bool free, int n_up[2])
{
    problem x = make(smiles);
    embed_place places[MOST_PLACES];
    int n_chairs = 0;
    CHECK(x.p->n_chairs == 2 && x.p->n_shapes == EMBED_SHAPES);
    for (int32_t c = 0; c < MOST_PLACES; ++c) places[c] = place_of(&x, c, c);
    run(places, MOST_PLACES, 3);
    for (int32_t c = 0; c < MOST_PLACES; ++c) {
        const double(*pos)[3] = (const double(*)[3])positions[c];
        const int kinds[2] = {chair_of(pos, rings[0]), chair_of(pos, rings[1])};
        CHECK(places[c].found);
        CHECK(!free || c % 4 == 3 || (kinds[0] != 0 && kinds[1] != 0));
        for (int r = 0; r < 2; ++r) n_up[r] += kinds[r] > 0;
        n_chairs += kinds[0] != 0 && kinds[1] != 0;
    }
    drop(&x);
    return n_chairs;
}

static void test_chairs(void)
{
    int32_t joined[2][6] = {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}};
    int32_t fused[2][6] = {{0, 1, 2, 3, 8, 9}, {3, 4, 5, 6, 7, 8}};
    int n_up[2] = {0, 0};
    const int n = count_chairs("CC1CCN(CC1)C1CCOCC1", joined, true, n_up);
    CHECK(n < MOST_PLACES); /* boats stay possible */
    for (int r = 0; r < 2; ++r) CHECK(n_up[r] > 3 && n_up[r] < MOST_PLACES - 3);
    /* trans-Decalin: one shape in four fits; without them one in twenty comes out. */
    CHECK(count_chairs("C1CC[C@H]2CCCC[C@@H]2C1", fused, false, n_up) > MOST_PLACES / 2);
    problem x = make("C1CC2CCC1CC2"); /* boats alone */
    CHECK(x.p->n_chairs == 0);
    drop(&x);
    x = make("c1ccc2c(c1)CCCC2");
    CHECK(x.p->n_chairs == 0);
    drop(&x);
}

/* Chains are stretched often, and bent as often. */
static void test_chains(void)
{
    problem x = make("OCCCCCC=O");
    embed_place places[MOST_PLACES];
    int n_straight = 0, n_bent = 0;
    for (int32_t c = 0; c < MOST_PLACES; ++c) places[c] = place_of(&x, c, c);
    run(places, MOST_PLACES, 3);
    for (int32_t c = 0; c < MOST_PLACES; ++c) {
        int n_anti = 0;
        CHECK(places[c].found);
        for (int32_t k = 0; k < 4; ++k) {
            const int32_t four[4] = {k, k + 1, k + 2, k + 3};
            n_anti += fabs(torsion((const double(*)[3])positions[c], four)) > 150;
        }
        n_straight += n_anti == 4;
        n_bent += n_anti < 3;
    }
    CHECK(n_straight >= 2 && n_bent >= 8); /* at random one in 81 is straight */
    drop(&x);
}

/* Bicyclo[3.3.1] and its like: a hydrogen inside costs 4 eV, and nothing in the SMILES forbids it. */
static void test_isomers(void)
{
    problem x = make("C1CC2CCCC1CCC2");
    shoal_topology *t = NULL;
    embed_place places[MOST_PLACES];
    CHECK(x.p->n_open == 2);
    CHECK(shoal_topology_create(&t, x.f.mol, NULL) == SHOAL_OK);
    for (int32_t c = 0; c < MOST_PLACES; ++c) {
        places[c] = place_of(&x, c, c);
        places[c].topology = t;
    }
    run(places, MOST_PLACES, 0);
    for (int32_t c = 0; c < MOST_PLACES; ++c) {
        CHECK(places[c].found && places[c].relaxed);
        const double(*pos)[3] = (const double(*)[3])positions[c];
        for (int32_t k = 0; k < x.f.mol->n_bonds; ++k) {
            const shoal_bond *b = &x.f.mol->bonds[k];
            const int32_t other = b->i == 2 || b->j == 2 ? 6 : 2;
            double d[2][3];
            if (x.f.mol->element[b->j] != 1 || (b->i != 2 && b->i != 6)) continue;
            vector_subtract(pos[b->j], pos[b->i], d[0]);
            vector_subtract(pos[other], pos[b->i], d[1]);
            CHECK(vector_dot(d[0], d[1]) < 0); /* away from the other bridgehead */
        }
    }
    shoal_topology_destroy(t);
    drop(&x);
}

/* Which rings may be chairs, the volumes that make them one, and that two rings meet in all four ways. */
static void test_chair_rules(void)
{
    static const struct {
        const char *smiles;
        int32_t n_chairs, n_shapes;
    } cases[] = {{"C1CCCCC1", 1, 2},     {"C1=CCCCC1", 0, 0},         {"O=C1CCCCC1", 1, 2},
                 {"O=C1CCCCC1=O", 0, 0}, {"C1CCC2CCCCC2C1", 2, 4},    {"C1CCCCC1C1CCCCC1", 2, 4},
                 {"c1ccccc1", 0, 0},     {"C1CCC2(CC1)CCCCC2", 2, 4}, {"C1CCCC1", 0, 0},
                 {"C1CC2CCC1CC2", 0, 0}, {"O1CCNCC1", 1, 2},          {"C1CCCCCC1", 0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        problem x = make(cases[k].smiles);
        if (x.p->n_chairs != cases[k].n_chairs)
            (void)printf("%s: %d chairs\n", cases[k].smiles, x.p->n_chairs);
        CHECK(x.p->n_chairs == cases[k].n_chairs && x.p->n_shapes == cases[k].n_shapes);
        drop(&x);
    }
    problem x = make("C1CCCCC1C1CCCCC1");
    int seen = 0;
    for (int32_t shape = 0; shape < 4; ++shape) {
        int signs = 0;
        for (int32_t ring = 0; ring < 2; ++ring) {
            embed_volume v[6];
            embed_chair_volumes(x.p, ring, shape, v);
            for (int m = 0; m < 6; ++m) {
                double least = 1.8;
                for (int c = 0; c < 3; ++c) {
                    const int32_t i = v[m].atoms[c], j = v[m].atoms[c + 1];
                    least *= 0.5 * (bound(x.p, false, i, j) + bound(x.p, true, i, j)) / 1.54;
                }
                const bool up = v[m].low > 0;
                CHECK_NEAR(up ? v[m].low : -v[m].high, least, 1e-12);
                CHECK((up ? v[m].high : -v[m].low) == 1e6 && v[m].centre == v[m].atoms[0]);
                CHECK(up == ((v[0].low > 0) == (m % 2 == 0)));
            }
            signs |= (v[0].low > 0) << ring;
        }
        seen |= 1 << signs;
    }
    CHECK(seen == 15);
    drop(&x);
}

/* A chain out of gauche becomes anti in half of three quarters of all cases, lengths and angles as they were; where something is in
 * the way it stays. */
static void test_stretching(void)
{
    enum { KEYS = 4000 };
    problem x = make("CCCC");
    embed_place place = place_of(&x, 0, 0);
    int n_turned = 0;
    run(&place, 1, 3);
    CHECK(place.found);
    double start[MOST_ATOMS][3], axis[3], n[2][3], e[3][3];
    memcpy(start, positions[0], sizeof start);
    for (int key = 0; key < KEYS; ++key) {
        double at[MOST_ATOMS][3];
        memcpy(at, start, sizeof at);
        CHECK(embed_prefer(x.p, (uint64_t)key * 7919 + 1, at) == SHOAL_OK);
        const bool turned = memcmp(at, start, (size_t)x.f.mol->n_atoms * sizeof *at) != 0;
        n_turned += turned;
        if (!turned || n_turned > 3) continue;
        for (int k = 0; k < 3; ++k) vector_subtract(at[k + 1], at[k], e[k]);
        vector_cross(e[0], e[1], n[0]);
        vector_cross(e[1], e[2], n[1]);
        vector_cross(n[0], n[1], axis);
        CHECK_NEAR(vector_dot(n[0], n[1]) / vector_norm(n[0]) / vector_norm(n[1]), -1, 1e-9);
        for (int32_t i = 0; i < x.f.mol->n_atoms; ++i)
            for (int32_t j = 0; j < i; ++j)
                if (x.p->bounds.apart[i * x.p->bounds.n + j] < 3)
                    CHECK_NEAR(vector_distance(at[i], at[j]), vector_distance(start[i], start[j]),
                               1e-9);
    }
    const double share = 0.5 * 0.75;
    CHECK_NEAR((double)n_turned / KEYS, share, 4 * sqrt(share * (1 - share) / KEYS));
    drop(&x);
}

int main(void)
{
    test_chair_rules();
    test_stretching();
    test_chairs();
    test_chains();
    test_isomers();
    test_choice();
    test_angles();
    test_all_bounds();
    test_asked();
    test_parts();
    test_stops();
    test_limits();
    test_bounds();
    test_triangles();
    test_configurations();
    test_single_distances();
    test_inside();
    test_laws();
    test_refusals();
    return check_done();
}
