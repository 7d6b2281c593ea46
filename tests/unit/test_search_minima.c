/* SPDX-License-Identifier: BSD-3-Clause
 * Minima of a search: symmetry of molecules and substrates, planted duplicates, order. */
#include "jobs/search_copies.h"
#include "jobs/search_minima.h"
#include "jobs/search_random.h"
#include "search_fixture.h"
#include "surf/surface.h"
#include "surface_fixture.h"

#define MOST 24

/* --- symmetry of molecules ------------------------------------------------------------------------ */

static search_symmetry symmetry_of(shoal_molecule *mol)
{
    search_symmetry s;
    CHECK(search_symmetry_find(&s, mol, shoal_molecule_n_atoms(mol), NULL) == SHOAL_OK);
    return s;
}

/* Every map must keep elements and bonds. */
static void check_maps(const search_symmetry *s, const shoal_molecule *mol)
{
    const int32_t *z = shoal_molecule_elements(mol);
    for (int32_t m = 0; m < s->n_maps; ++m) {
        const int32_t *map = s->maps + m * s->n_atoms;
        for (int32_t i = 0; i < s->n_atoms; ++i) CHECK(z[i] == z[map[i]]);
        for (int32_t b = 0; b < shoal_molecule_n_bonds(mol); ++b) {
            const shoal_bond *bond = &shoal_molecule_bonds(mol)[b];
            CHECK(molecule_has_bond(mol, map[bond->i], map[bond->j]));
        }
    }
}

static void test_molecules(void)
{
    shoal_molecule *butane = search_molecule(search_butane);
    search_symmetry s = symmetry_of(butane);
    CHECK(s.n_maps == 2 && s.n_groups == 4 && s.n_core == 4); /* the chain, and its reverse */
    check_maps(&s, butane);
    search_symmetry_free(&s);
    int32_t labels[14] = {[0] = 1};
    CHECK(search_symmetry_find(&s, butane, 14, labels) == SHOAL_OK && s.n_maps == 1);
    search_symmetry_free(&s);
    shoal_molecule_destroy(butane);

    shoal_molecule *ring = search_molecule(search_cyclohexane);
    s = symmetry_of(ring);
    CHECK(s.n_maps == 12 && !s.cut);
    check_maps(&s, ring);
    search_symmetry_free(&s);
    shoal_molecule_destroy(ring);

    /* Too small for groups: all 24 exchanges of methane's hydrogens. Two atoms do not say how ethane lies: 2 x 6 x 6
     * exchanges of all its atoms. */
    static const struct {
        int n_maps;
        const char *text;
    } small[] = {
        {24, "5\nmethane\nC 0 0 0\nH .63 .63 .63\n"
             "H .63 -.63 -.63\nH -.63 .63 -.63\nH -.63 -.63 .63\n"},
        {72, "8\nethane\nC 0 0 0\nC 1.53 0 0\nH -.38 1.03 0\nH -.38 -.51 .89\n"
             "H -.38 -.51 -.89\nH 1.91 -1.03 0\nH 1.91 .51 -.89\nH 1.91 .51 .89\n"},
    };
    for (int k = 0; k < 2; ++k) {
        shoal_molecule *mol = search_molecule(small[k].text);
        s = symmetry_of(mol);
        CHECK(s.n_maps == small[k].n_maps && s.n_groups == 0);
        search_symmetry_free(&s);
        shoal_molecule_destroy(mol);
    }
}

/* --- symmetry of substrates ----------------------------------------------------------------------- */

static search_substrate substrate_of(shoal_molecule *slab)
{
    shoal_surface *surface;
    search_substrate s = {.n_motions = 0};
    CHECK(shoal_surface_create(&surface, slab, NULL) == SHOAL_OK);
    CHECK(search_substrate_find(&s, surface, NULL) == SHOAL_OK);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(slab);
    return s;
}

static shoal_molecule *make_slab(shoal_slab_kind kind, int32_t layers, const int32_t *vacancy)
{
    shoal_molecule *slab = NULL;
    const shoal_slab_options o = {.kind = kind,
                                  .size = {2, 2},
                                  .layers = layers,
                                  .vacancies = vacancy,
                                  .n_vacancies = vacancy != NULL};
    CHECK(shoal_molecule_create(&slab) == SHOAL_OK);
    CHECK(shoal_slab_build(slab, &o) == SHOAL_OK);
    return slab;
}

/* Motions are different turns or reflections, which keep lengths. */
static void check_motions(const search_substrate *s)
{
    for (int32_t m = 0; m < s->n_motions; ++m) {
        const double(*t)[2] = (const double(*)[2])s->motions[m].turn;
        CHECK_NEAR(fabs(t[0][0] * t[1][1] - t[0][1] * t[1][0]), 1, 1e-9);
        CHECK_NEAR(hypot(t[0][0], t[1][0]), 1, 1e-9);
        for (int32_t k = 0; k < m; ++k) {
            double apart = 0;
            for (int x = 0; x < 4; ++x)
                apart += fabs(t[x / 2][x % 2] - s->motions[k].turn[x / 2][x % 2]);
            CHECK(apart > 0.1);
        }
    }
}

static void test_substrates(void)
{
    const int32_t hole = 0;
    search_substrate s = substrate_of(fixture_salt(4, 3, 0.9));
    CHECK(s.n_motions == 8); /* p4mm */
    check_motions(&s);
    CHECK_NEAR(hypot(s.cell[0][0], s.cell[0][1]), 5.6402 / sqrt(2), 0.05);
    CHECK(substrate_of(make_slab(SHOAL_SLAB_GRAPHENE, 1, NULL)).n_motions == 12); /* p6mm */
    CHECK(substrate_of(make_slab(SHOAL_SLAB_FCC111, 3, NULL)).n_motions == 6);    /* p3m1 */
    CHECK(substrate_of(make_slab(SHOAL_SLAB_FCC110, 3, NULL)).n_motions == 4);    /* p2mm */
    CHECK(substrate_of(make_slab(SHOAL_SLAB_BCC100, 2, NULL)).n_motions == 8);
    CHECK(substrate_of(fixture_oblique()).n_motions == 1);
    /* A hole at a site of high symmetry keeps its motions in the large cell. */
    s = substrate_of(make_slab(SHOAL_SLAB_FCC100, 1, &hole));
    CHECK(s.n_motions == 8);
    CHECK_NEAR(hypot(s.cell[0][0], s.cell[0][1]), 2 * 4.07 / sqrt(2), 0.05);
}

/* Like atoms with unlike charges are not like: graphene loses the half of its motions that exchange its atoms. */
static void test_charged(void)
{
    shoal_molecule *slab = make_slab(SHOAL_SLAB_GRAPHENE, 1, NULL);
    for (int32_t i = 0; i < shoal_molecule_n_atoms(slab); ++i)
        CHECK(shoal_molecule_set_charge(slab, i, i % 2 ? 0.2 : -0.2) == SHOAL_OK);
    CHECK(substrate_of(slab).n_motions == 6);
}

/* So do atoms whose radius, depth or part in hydrogen bonds differs. */
static void test_unlike(void)
{
    for (int k = 0; k < 4; ++k) {
        shoal_molecule *slab = make_slab(SHOAL_SLAB_GRAPHENE, 1, NULL);
        shoal_surface *surface;
        search_substrate s;
        CHECK(shoal_surface_create(&surface, slab, NULL) == SHOAL_OK);
        const shoal_surface_view *v = &surface->view;
        const double *const columns[4] = {v->hbond, v->radius, v->depth, v->charges};
        for (int32_t i = 0; i < v->n_atoms; i += 2) ((double *)(uintptr_t)columns[k])[i] += 0.01;
        CHECK(search_substrate_find(&s, surface, NULL) == SHOAL_OK && s.n_motions == 6);
        shoal_surface_destroy(surface);
        shoal_molecule_destroy(slab);
    }
}

/* Layers that move: the cell is small where they have it, too, and large where one of their atoms is missing. */
static void test_movable(void)
{
    for (int hole = 0; hole < 2; ++hole) {
        const int32_t atom = 0;
        shoal_molecule *slab = make_slab(SHOAL_SLAB_FCC100, 3, hole ? &atom : NULL);
        shoal_surface *whole, *rest, *movable;
        search_substrate s;
        const shoal_surface_options uff = {.metals = SHOAL_METALS_UFF};
        CHECK(shoal_surface_create(&whole, slab, &uff) == SHOAL_OK);
        CHECK(shoal_surface_split(whole, 1, &rest, &movable) == SHOAL_OK);
        CHECK(search_substrate_find(&s, rest, movable) == SHOAL_OK);
        CHECK(s.n_motions == 8 && fabs(s.top) < 1e-9);
        CHECK_NEAR(hypot(s.cell[0][0], s.cell[0][1]), (1 + hole) * 4.07 / sqrt(2), 0.05);
        shoal_surface_destroy(whole);
        shoal_surface_destroy(rest);
        shoal_surface_destroy(movable);
        shoal_molecule_destroy(slab);
    }
}

/* --- planted duplicates --------------------------------------------------------------------------- */

static void rotate(const double q[4], const double shift[3], int32_t n, double (*pos)[3])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int32_t i = 0; i < n; ++i) {
        const double r[3] = {pos[i][0], pos[i][1], pos[i][2]};
        for (int k = 0; k < 3; ++k)
            pos[i][k] = m[k][0] * r[0] + m[k][1] * r[1] + m[k][2] * r[2] + shift[k];
    }
}

/* Atom i where map[i] was. */
static void relabel(const int32_t *map, int32_t n, double (*pos)[3])
{
    double from[MOST][3];
    memcpy(from, pos, (size_t)n * sizeof *from);
    for (int32_t i = 0; i < n; ++i) memcpy(pos[i], from[map[i]], sizeof *from);
}

static double rmsd(const search_symmetry *s, const search_substrate *on, const double (*a)[3],
                   const double (*b)[3], double limit)
{
    double mean[2][MOST], work[5 * MOST];
    search_geometry_measure(a, s->n_atoms, mean[0]);
    search_geometry_measure(b, s->n_atoms, mean[1]);
    return search_rmsd(s, on, (search_geometry){a, mean[0]}, (search_geometry){b, mean[1]}, limit,
                       work);
}

/* Turned, moved, the chain reversed and methyl hydrogens exchanged, each atom off by up to 0.03. */
static void test_free(void)
{
    shoal_molecule *mol = search_molecule(search_butane);
    search_symmetry s = symmetry_of(mol);
    search_random r = random_begin(5, 0, 0, 0);
    double pos[14][3], mirror[14][3];
    for (int trial = 0; trial < 20; ++trial) {
        double q[4];
        const double shift[3] = {random_next(&r) * 9, random_next(&r) * 9, random_next(&r) * 9};
        memcpy(pos, shoal_molecule_positions(mol), sizeof pos);
        relabel(s.maps + 14 * (trial % 2), 14, pos);
        const symmetry_group *g = &s.groups[trial % 4];
        int32_t exchange[14];
        for (int32_t i = 0; i < 14; ++i) exchange[i] = i;
        exchange[g->atoms[0]] = g->atoms[1];
        exchange[g->atoms[1]] = g->atoms[0];
        relabel(exchange, 14, pos);
        random_direction(&r, 4, q);
        rotate(q, shift, 14, pos);
        CHECK_NEAR(rmsd(&s, NULL, (const double(*)[3])pos, shoal_molecule_positions(mol), 1e-5), 0,
                   1e-6);
        for (int i = 0; i < 14; ++i)
            for (int k = 0; k < 3; ++k) pos[i][k] += 0.06 * (random_next(&r) - 0.5);
        const double off =
            rmsd(&s, NULL, (const double(*)[3])pos, shoal_molecule_positions(mol), 0.1);
        CHECK(off > 0.005 && off < 0.06);
    }
    /* The mirror image of a twisted chain is another conformer. */
    memcpy(mirror, shoal_molecule_positions(mol), sizeof mirror);
    for (int i = 0; i < 14; ++i) mirror[i][2] = -mirror[i][2];
    CHECK(rmsd(&s, NULL, (const double(*)[3])mirror, shoal_molecule_positions(mol), 0.1) > 0.2);
    search_symmetry_free(&s);
    shoal_molecule_destroy(mol);
}

/* Methyl hydrogens passed on in a circle are the same; a methyl group turned by a sixth is not. */
static void test_methyl(void)
{
    shoal_molecule *mol = search_molecule(search_butane);
    search_symmetry s = symmetry_of(mol);
    const double(*from)[3] = shoal_molecule_positions(mol);
    double pos[14][3], axis[3], length = 0;
    int32_t circle[14];
    for (int32_t i = 0; i < 14; ++i) circle[i] = i;
    circle[7] = 8, circle[8] = 9, circle[9] = 7;
    memcpy(pos, from, sizeof pos);
    relabel(circle, 14, pos);
    CHECK_NEAR(rmsd(&s, NULL, (const double(*)[3])pos, from, 1e-5), 0, 1e-6);
    memcpy(pos, from, sizeof pos);
    for (int k = 0; k < 3; ++k) axis[k] = from[3][k] - from[2][k];
    for (int k = 0; k < 3; ++k) length += axis[k] * axis[k];
    for (int i = 7; i < 10; ++i) { /* by 180 degrees: through the axis to the other side */
        double along = 0;
        for (int k = 0; k < 3; ++k) along += axis[k] * (from[i][k] - from[3][k]) / length;
        for (int k = 0; k < 3; ++k) pos[i][k] = 2 * (from[3][k] + along * axis[k]) - from[i][k];
    }
    const double off = rmsd(&s, NULL, (const double(*)[3])pos, from, 10);
    CHECK(off > 0.3 && off < 1.03 * sqrt(3.0 / 14) + 0.01); /* three atoms by 1.03 angstrom */
    search_symmetry_free(&s);
    shoal_molecule_destroy(mol);
}

/* What bounds the distance from below never hides one that is within the limit: a ring that breathes changes its mean
 * distances most. */
static void test_bound(void)
{
    shoal_molecule *mol = chem_new();
    for (int k = 0; k < 12; ++k) {
        const double r = k < 6 ? 1.4 : 2.48, t = k * 1.0471975511965976;
        chem_atom(mol, k < 6 ? "C" : "H", r * cos(t), r * sin(t), 0);
    }
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    search_symmetry s = symmetry_of(mol);
    search_random r = random_begin(9, 0, 0, 0);
    const double(*from)[3] = shoal_molecule_positions(mol);
    double pos[12][3];
    CHECK(s.n_core == 12 && s.n_maps == 12);
    for (int trial = 0; trial < 40; ++trial) {
        const double scale = 1 + 0.002 * (trial % 10), noise = 0.002 * (trial / 10);
        for (int i = 0; i < 12; ++i)
            for (int k = 0; k < 3; ++k)
                pos[i][k] = scale * from[i][k] + noise * (random_next(&r) - 0.5);
        const double off = rmsd(&s, NULL, (const double(*)[3])pos, from, 10);
        CHECK_NEAR(off, 0.002 * (trial % 10) * sqrt((1.4 * 1.4 + 2.48 * 2.48) / 2), noise + 1e-9);
        CHECK_NEAR(rmsd(&s, NULL, (const double(*)[3])pos, from, 1.001 * off + 1e-9), off, 1e-9);
    }
    search_symmetry_free(&s);
    shoal_molecule_destroy(mol);
}

/* On a substrate its motions and translations lead to the same minimum, and nothing else does. */
static void test_placed(void)
{
    shoal_molecule *mol = search_molecule(search_butane);
    search_symmetry s = symmetry_of(mol);
    search_substrate on = substrate_of(fixture_salt(2, 2, 0.9));
    double pos[14][3], base[14][3];
    memcpy(base, shoal_molecule_positions(mol), sizeof base);
    for (int i = 0; i < 14; ++i) base[i][2] += 4;
    for (int32_t m = 0; m < on.n_motions; ++m) {
        memcpy(pos, base, sizeof pos);
        for (int i = 0; i < 14; ++i) {
            substrate_move(&on.motions[m], base[i], pos[i]);
            for (int x = 0; x < 2; ++x) pos[i][x] += (m + 1) * on.cell[0][x] - 3 * on.cell[1][x];
        }
        relabel(s.maps + 14 * (m % 2), 14, pos);
        CHECK_NEAR(rmsd(&s, &on, (const double(*)[3])pos, (const double(*)[3])base, 1e-5), 0, 1e-6);
        for (int side = -1; side < 2; side += 2) { /* a little to either side: by just that */
            for (int i = 0; i < 14; ++i) pos[i][0] += 0.05 * side;
            CHECK_NEAR(rmsd(&s, &on, (const double(*)[3])pos, (const double(*)[3])base, 0.06), 0.05,
                       1e-9);
            for (int i = 0; i < 14; ++i) pos[i][0] -= 0.05 * side;
        }
        for (int i = 0; i < 14; ++i) pos[i][2] += 0.05;
        CHECK_NEAR(rmsd(&s, &on, (const double(*)[3])pos, (const double(*)[3])base, 0.06), 0.05,
                   1e-9);
        for (int i = 0; i < 14; ++i) pos[i][2] -= 0.05;
        for (int i = 0; i < 14; ++i) pos[i][0] += 0.5;
        CHECK(rmsd(&s, &on, (const double(*)[3])pos, (const double(*)[3])base, 0.1) > 0.3);
        for (int i = 0; i < 14; ++i) pos[i][0] -= 0.5, pos[i][2] += 0.2;
        CHECK(rmsd(&s, &on, (const double(*)[3])pos, (const double(*)[3])base, 0.1) > 0.19);
    }
    search_symmetry_free(&s);
    shoal_molecule_destroy(mol);
}

/* --- known minima --------------------------------------------------------------------------------- */

static search_outcome take(search_minima *m, const search_rules *rules, const double (*pos)[3],
                           double energy, int32_t *i)
{
    char record[] = "record";
    const search_minimum minimum = {.energy = energy, .record = record, .record_size = 6};
    memcpy(m->pos, pos, (size_t)m->n_atoms * sizeof *pos);
    const search_outcome outcome = search_minima_judge(m, rules, energy, i);
    CHECK(search_minima_count(m, outcome, *i, &minimum) == SHOAL_OK);
    return outcome;
}

static void test_known(void)
{
    shoal_molecule *mol = search_molecule(search_butane);
    const search_rules rules = {.same_energy = 0.002, .same_rmsd = 0.1, .window = 0.5};
    search_minima m = {.n_atoms = 0};
    double a[14][3], b[14][3], changed[14][3];
    int32_t i;
    CHECK(search_minima_begin(&m, mol, 14, NULL) == SHOAL_OK);
    memcpy(a, shoal_molecule_positions(mol), sizeof a);
    memcpy(b, a, sizeof b);
    b[3][0] += 1; /* far enough to be another one */
    CHECK(take(&m, &rules, (const double(*)[3])a, 1.0, &i) == SEARCH_NEW && i == 0);
    CHECK(take(&m, &rules, (const double(*)[3])a, 1.001, &i) == SEARCH_SAME && i == 0);
    CHECK(take(&m, &rules, (const double(*)[3])b, 1.001, &i) == SEARCH_NEW && i == 1);
    CHECK(take(&m, &rules, (const double(*)[3])a, 1.01, &i) == SEARCH_NEW && i == 2); /* energy */
    CHECK(take(&m, &rules, (const double(*)[3])b, 0.9995, &i) == SEARCH_BETTER && i == 1);
    CHECK(take(&m, &rules, (const double(*)[3])a, 1.6, &i) == SEARCH_ABOVE);
    CHECK(m.n == 3 && m.by_energy[0] == 1 && m.by_energy[1] == 0 && m.by_energy[2] == 2);
    CHECK(m.of[0].count == 2 && m.of[1].count == 2 && m.of[2].count == 1);
    CHECK(m.since_new == 2 && m.taken == 6 && m.above == 1);
    /* Of minima with the same energy, as mirror images have it, the first found is the first. */
    b[3][0] += 1;
    CHECK(take(&m, &rules, (const double(*)[3])b, 1.01, &i) == SEARCH_NEW && i == 3);
    CHECK(m.by_energy[2] == 2 && m.by_energy[3] == 3);
    /* Two partners of a centre exchanged: another configuration. */
    memcpy(changed, a, sizeof a);
    memcpy(changed[10], a[11], sizeof a[0]);
    memcpy(changed[11], a[10], sizeof a[0]);
    CHECK(take(&m, &rules, (const double(*)[3])changed, 1.0, &i) == SEARCH_CHANGED);
    search_minima_free(&m);
    shoal_molecule_destroy(mol);
}

/* --- copies --------------------------------------------------------------------------------------- */

#define MOST_PLACED 8

/* Whether a is b, atom by atom, but for a vector of the lattice. */
static bool is_image(const search_substrate *on, const double (*a)[3], const double (*b)[3],
                     int32_t n)
{
    double apart[2] = {a[0][0] - b[0][0], a[0][1] - b[0][1]}, f[2], off = 0;
    substrate_fractions(on, apart, f);
    for (int x = 0; x < 2; ++x)
        apart[x] = round(f[0]) * on->cell[0][x] + round(f[1]) * on->cell[1][x];
    for (int32_t i = 0; i < n; ++i)
        off += fabs(a[i][0] - b[i][0] - apart[0]) + fabs(a[i][1] - b[i][1] - apart[1]) +
               fabs(a[i][2] - b[i][2]);
    return off < 1e-3;
}

/* Distinct places of numbered atoms that motions of the substrate and a swap of atoms 1 and 2 make of one. */
static int count_images(const search_substrate *on, const double (*pos)[3])
{
    double images[2 * SUBSTRATE_MOST_MOTIONS][3][3];
    int n = 0;
    for (int32_t k = 0; k < 2 * on->n_motions; ++k) {
        double(*to)[3] = images[n];
        for (int i = 0; i < 3; ++i) {
            const int from = k % 2 && i > 0 ? 3 - i : i;
            substrate_move(&on->motions[k / 2], pos[from], to[i]);
            to[i][2] = pos[from][2];
        }
        bool known = false;
        for (int j = 0; j < n && !known; ++j)
            known = is_image(on, (const double(*)[3])to, (const double(*)[3])images[j], 3);
        n += !known;
    }
    return n;
}

/* Water upright and lying above an ion, between two, and anywhere: as many copies as images can be told apart. */
static void test_copies_placed(void)
{
    static const double water[MOST_PLACED][3][3] = {
        {{0, 0, 3}, {0.76, 0, 3.59}, {-0.76, 0, 3.59}},        /* upright, along an axis .. */
        {{0, 0, 3}, {0.54, 0.54, 3.59}, {-0.54, -0.54, 3.59}}, /* .. along a diagonal .. */
        {{0, 0, 3}, {0.7, 0.29, 3.59}, {-0.7, -0.29, 3.59}},   /* .. and turned */
        {{0, 0, 3}, {0.59, 0.76, 3}, {0.59, -0.76, 3}},        /* lying */
        {{1.41, 0, 3}, {2.17, 0, 3.59}, {0.65, 0, 3.59}},      /* beside the ion */
        {{0.9, 0.5, 3}, {1.66, 0.5, 3.59}, {0.14, 0.5, 3.59}}, /* off all sites */
        {{0, 0, 3}, {0.5, 0.3, 3.8}, {-0.9, 0.1, 3.3}},
        {{0.3, 0.8, 3}, {0.8, 1.1, 3.8}, {-0.6, 0.9, 3.3}},
    };
    shoal_molecule *mol = search_molecule("3\nwater\nO 0 0 3\nH .76 0 3.59\nH -.76 0 3.59\n");
    search_substrate on = substrate_of(fixture_salt(2, 2, 0.9));
    const search_rules rules = {.same_energy = 0.002, .same_rmsd = 0.1, .substrate = &on};
    search_minima m = {.n_atoms = 0};
    int64_t copies[MOST_PLACED];
    int images[MOST_PLACED], fewest = 99, most = 0;
    CHECK(search_minima_begin(&m, mol, 3, NULL) == SHOAL_OK);
    for (int32_t k = 0, i; k < MOST_PLACED; ++k) {
        CHECK(take(&m, &rules, water[k], k, &i) == SEARCH_NEW);
        images[k] = count_images(&on, water[k]);
        if (images[k] < fewest) fewest = images[k];
        if (images[k] > most) most = images[k];
    }
    CHECK(fewest == 4 && most == 16); /* all of 2 exchanges and 8 motions are there */
    search_copies_count(&m, &rules, MOST_PLACED, copies);
    for (int k = 0; k < MOST_PLACED; ++k) CHECK(copies[k] == images[k] / fewest);
    search_minima_free(&m);
    shoal_molecule_destroy(mol);
}

/* Copies of the n geometries of a molecule, all of different energy but for pairs that `same` counts from the end. */
static void count_copies(const char *const *xyz, int32_t n, int32_t same, int64_t *copies)
{
    const search_rules rules = {.same_energy = 0.002, .same_rmsd = 0.1};
    search_minima m = {.n_atoms = 0};
    for (int32_t k = 0, i; k < n; ++k) {
        shoal_molecule *mol = search_molecule(xyz[k]);
        if (k == 0)
            CHECK(search_minima_begin(&m, mol, shoal_molecule_n_atoms(mol), NULL) == SHOAL_OK);
        const double energy = k < n - same ? k : n - same - 1;
        CHECK(take(&m, &rules, shoal_molecule_positions(mol), energy, &i) == SEARCH_NEW);
        shoal_molecule_destroy(mol);
    }
    search_copies_count(&m, &rules, n, copies);
    search_minima_free(&m);
}

/* Hydrogen peroxide: flat forms are their own mirror images, a twisted one counts for both unless both are there. */
static void test_copies_mirrored(void)
{
    static const char *const peroxide[] = {
        "4\ntrans\nO .73 0 0\nO -.73 0 0\nH .9 .95 0\nH -.9 -.95 0\n",
        "4\nleft\nO .73 0 0\nO -.73 0 0\nH .9 .95 0\nH -.9 -.1 .94\n",
        "4\nright\nO .73 0 0\nO -.73 0 0\nH .9 .95 0\nH -.9 -.1 -.94\n"};
    int64_t copies[3];
    count_copies(peroxide, 3, 1, copies);
    CHECK(copies[0] == 1 && copies[1] == 1 && copies[2] == 1);
    count_copies(peroxide, 2, 0, copies);
    CHECK(copies[0] == 1 && copies[1] == 2);
}

/* No conformer of a chiral molecule has a mirror image among the others: all count alike. */
static void test_copies_chiral(void)
{
    static const char *const alcohol[] = {
        "6\nanti\nC 0 0 0\nF .8 .8 .8\nCl 1.02 -1.02 -1.02\nH -.63 .63 -.63\nO -.82 -.82 .82\n"
        "H -1.3 -.35 1.5\n",
        "6\ngauche\nC 0 0 0\nF .8 .8 .8\nCl 1.02 -1.02 -1.02\nH -.63 .63 -.63\nO -.82 -.82 .82\n"
        "H -.35 -1.5 1.3\n"};
    int64_t copies[2];
    count_copies(alcohol, 2, 0, copies);
    CHECK(copies[0] == 1 && copies[1] == 1);
}

/* A centre with four partners in one plane has no hand: bent to either side it is what it was, and a tetrahedron is that of
 * its mirror image only if it was turned inside out. */
static void test_flat_centre(void)
{
    static const char *const texts[] = {
        "5\nflat\nPt 0 0 0.03\nCl 2.3 0 0\nCl 0 2.3 0.01\nCl -2.3 0 0\nCl 0 -2.3 0.01\n",
        "5\ntetrahedron\nC 0 0 0\nF .8 .8 .8\nCl 1 -1 -1\nBr -1.1 1.1 -1.1\nI -1.2 -1.2 1.2\n"};
    for (int k = 0; k < 2; ++k) {
        shoal_molecule *mol = chem_xyz(texts[k]);
        const search_rules rules = {.same_energy = 0.002, .same_rmsd = 0.1};
        search_minima m = {0};
        double mirror[5][3];
        int32_t i;
        if (k == 0)
            for (int32_t a = 1; a < 5; ++a)
                CHECK(shoal_molecule_add_bond(mol, 0, a, SHOAL_ORDER_SINGLE, NULL) == SHOAL_OK);
        else
            CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
        memcpy(mirror, shoal_molecule_positions(mol), sizeof mirror);
        for (int a = 0; a < 5; ++a) mirror[a][2] *= -1;
        CHECK(search_minima_begin(&m, mol, 5, NULL) == SHOAL_OK && m.configuration.n_centres == 1);
        CHECK(m.configuration.hand[0] == 0 || k == 1);
        CHECK(take(&m, &rules, shoal_molecule_positions(mol), -1, &i) == SEARCH_NEW);
        CHECK((take(&m, &rules, (const double(*)[3])mirror, -0.5, &i) == SEARCH_CHANGED) ==
              (k == 1));
        search_minima_free(&m);
        shoal_molecule_destroy(mol);
    }
}

int main(void)
{
    test_molecules();
    test_substrates();
    test_charged();
    test_unlike();
    test_movable();
    test_free();
    test_methyl();
    test_bound();
    test_placed();
    test_known();
    test_flat_centre();
    test_copies_placed();
    test_copies_mirrored();
    test_copies_chiral();
    return check_done();
}
