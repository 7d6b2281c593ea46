/* SPDX-License-Identifier: BSD-3-Clause
 * Distance geometry: bounds, configurations, checks that refuse, and conformers that depend on nothing but their
 * molecule, number and seed. */
#include "io_fixture.h"

#include <math.h>

#include "embed/embed.h"
#include "geom/vector.h"

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

int main(void)
{
    test_bounds();
    test_triangles();
    test_configurations();
    test_single_distances();
    test_inside();
    test_laws();
    test_refusals();
    return check_done();
}
