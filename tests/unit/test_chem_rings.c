/* SPDX-License-Identifier: BSD-3-Clause
 * Rings of molecular graphs: known cages and fused systems, all relevant cycles of random graphs
 * against exhaustive search, and endless sheets and chains. */
#include "chem/rings.h"
#include "chem_fixture.h"

/* Bonds of a ring must join its atoms in turn. */
static bool is_closed_walk(const shoal_molecule *mol, const ring_set *rings, int32_t r)
{
    const int32_t first = rings->start[r], n = rings->start[r + 1] - first;
    for (int32_t k = 0; k < n; ++k) {
        const shoal_bond *b = &mol->bonds[rings->bonds[first + k]];
        const int32_t here = rings->atoms[first + k], next = rings->atoms[first + (k + 1) % n];
        if (!((b->i == here && b->j == next) || (b->i == next && b->j == here))) return false;
    }
    return true;
}

/* Ring sizes of a molecule as "size:count ...". */
static const char *sizes_of(const shoal_molecule *mol, char text[256])
{
    int32_t count[128] = {0};
    arena memory = {0};
    graph g;
    ring_set rings;
    CHECK(graph_build(&g, mol, &memory) == SHOAL_OK);
    CHECK(rings_find(&rings, &g, mol, &memory) == SHOAL_OK);
    for (int32_t r = 0; r < rings.n_rings; ++r) {
        const int32_t n = rings.start[r + 1] - rings.start[r];
        CHECK(n > 0 && n < 128 && is_closed_walk(mol, &rings, r));
        if (n > 0 && n < 128) ++count[n];
    }
    arena_free(&memory);
    text[0] = '\0';
    for (int32_t n = 1, used = 0; n < 128; ++n)
        if (count[n])
            used +=
                snprintf(text + used, 256 - (size_t)used, "%s%d:%d", used ? " " : "", n, count[n]);
    return text;
}

static void check_sizes(shoal_molecule *mol, const char *want)
{
    char text[256];
    CHECK_TEXT(sizes_of(mol, text), want);
    shoal_molecule_destroy(mol);
}

static void check_skeleton(int32_t n, const char *bonds, const char *want)
{
    check_sizes(chem_skeleton(n, bonds, SHOAL_ORDER_SINGLE), want);
}

static void test_small(void)
{
    check_skeleton(1, "", "");
    check_skeleton(4, "0-1 1-2 2-3", "");
    check_skeleton(3, "0-1 1-2 2-0", "3:1");
    check_skeleton(6, "0-1 1-2 2-3 3-4 4-5 5-0", "6:1");
    /* naphthalene; biphenyl; two separate rings */
    check_skeleton(10, "0-1 1-2 2-3 3-4 4-5 5-0 4-6 6-7 7-8 8-9 9-5", "6:2");
    check_skeleton(12, "0-1 1-2 2-3 3-4 4-5 5-0 0-6 6-7 7-8 8-9 9-10 10-11 11-6", "6:2");
    check_skeleton(8, "0-1 1-2 2-0 3-4 4-5 5-6 6-7 7-3", "3:1 5:1");
    /* spiro[4.5]decane */
    check_skeleton(10, "0-1 1-2 2-3 3-4 4-0 0-5 5-6 6-7 7-8 8-9 9-0", "5:1 6:1");
    /* norbornane: the six-membered ring is the sum of the two five-membered ones */
    check_skeleton(7, "0-1 1-2 2-3 3-4 4-5 5-0 0-6 6-3", "5:2");
    /* bicyclo[2.2.2]octane: any two of the three would span the third */
    check_skeleton(8, "0-1 1-2 2-3 3-4 4-5 5-0 0-6 6-7 7-3", "6:3");
    /* bicyclobutane, tetrahedrane */
    check_skeleton(4, "0-1 1-2 2-3 3-0 0-2", "3:2");
    check_skeleton(4, "0-1 0-2 0-3 1-2 1-3 2-3", "3:4");
    /* cubane: six faces of which any five span the space */
    check_skeleton(8, "0-1 1-2 2-3 3-0 4-5 5-6 6-7 7-4 0-4 1-5 2-6 3-7", "4:6");
    /* adamantane: four, all of them relevant */
    check_skeleton(10, "0-4 4-1 0-5 5-2 0-6 6-3 1-7 7-2 1-8 8-3 2-9 9-3", "6:4");
    /* K3,3: nine squares */
    check_skeleton(6, "0-3 0-4 0-5 1-3 1-4 1-5 2-3 2-4 2-5", "4:9");
}

static void test_macrocycle(void)
{
    shoal_molecule *mol = chem_atoms("C", 100);
    for (int32_t i = 0; i < 100; ++i) chem_bond(mol, i, (i + 1) % 100, SHOAL_ORDER_SINGLE);
    check_sizes(mol, "100:1");
    /* porphine: four five-membered rings and inner ones of sixteen */
    check_skeleton(24,
                   "0-1 1-2 2-3 3-4 4-0 5-6 6-7 7-8 8-9 9-5 10-11 11-12 12-13 13-14 14-10 "
                   "15-16 16-17 17-18 18-19 19-15 1-20 20-9 6-21 21-14 11-22 22-19 16-23 23-4",
                   "5:4 16:1");
}

/* C60 from its coordinates: all even permutations of (0, 1, 3p), (1, 2+p, 2p), (p, 2, 2p+1) with
 * all signs, p the golden ratio; edges have length 2. */
static void test_buckminsterfullerene(void)
{
    const double p = (1 + sqrt(5)) / 2;
    const double corner[3][3] = {{0, 1, 3 * p}, {1, 2 + p, 2 * p}, {p, 2, 2 * p + 1}};
    shoal_molecule *mol = chem_new();
    for (int k = 0; k < 3; ++k)
        for (int turn = 0; turn < 3; ++turn)
            for (int sign = 0; sign < 8; ++sign) {
                double r[3];
                for (int c = 0; c < 3; ++c)
                    r[(c + turn) % 3] = corner[k][c] * ((sign >> c) & 1 ? -1 : 1);
                if (k == 0 && (sign & 1)) continue; /* 0 has no sign */
                chem_atom(mol, "C", r[0], r[1], r[2]);
            }
    CHECK(mol->n_atoms == 60);
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        for (int32_t j = 0; j < i; ++j) {
            double r2 = 0;
            for (int c = 0; c < 3; ++c) r2 += pow(mol->pos[i][c] - mol->pos[j][c], 2);
            if (fabs(r2 - 4) < 1e-6) chem_bond(mol, i, j, SHOAL_ORDER_SINGLE);
        }
    CHECK(mol->n_bonds == 90);
    check_sizes(mol, "5:12 6:20");
}

/* A flake of n x n hexagons; from n = 26 on it has more bonds than the exact search takes. */
static void test_flake(int32_t n, const char *want)
{
    const int32_t width = 2 * n + 2;
    shoal_molecule *mol = chem_atoms("C", width * (n + 1));
    for (int32_t row = 0; row <= n; ++row)
        for (int32_t k = 0; k < width; ++k) {
            const int32_t i = row * width + k;
            if (k + 1 < width) chem_bond(mol, i, i + 1, SHOAL_ORDER_SINGLE);
            if (row < n && k % 2 == 0 && k + 1 < width)
                chem_bond(mol, i, (row + 1) * width + k + 1, SHOAL_ORDER_SINGLE);
        }
    check_sizes(mol, want);
}

/* --- random graphs against exhaustive search ----------------------------------------------------*/

enum { MAX_EDGES = 16, MAX_CYCLES = 4096 };

typedef struct cycles {
    int32_t n_atoms, n_edges;
    int32_t edges[MAX_EDGES][2];
    uint32_t found[MAX_CYCLES]; /* bit sets of edges */
    int32_t n;
} cycles;

static int32_t count_bits(uint32_t x)
{
    int32_t n = 0;
    for (; x; x &= x - 1) ++n;
    return n;
}

/* Every set of edges in which all used vertices have two and which hangs together. */
static bool is_cycle(const cycles *c, uint32_t set)
{
    int32_t degree[16] = {0}, parent[16], parts = 0;
    for (int32_t i = 0; i < c->n_atoms; ++i) parent[i] = i;
    for (int32_t e = 0; e < c->n_edges; ++e) {
        if (!((set >> e) & 1)) continue;
        int32_t a = c->edges[e][0], b = c->edges[e][1];
        ++degree[a];
        ++degree[b];
        while (parent[a] != a) a = parent[a];
        while (parent[b] != b) b = parent[b];
        parent[a] = b;
    }
    for (int32_t i = 0; i < c->n_atoms; ++i) {
        if (degree[i] != 0 && degree[i] != 2) return false;
        parts += degree[i] == 2 && parent[i] == i;
    }
    return parts == 1;
}

static bool in_span(uint32_t x, const uint32_t basis[32])
{
    for (int bit = 31; bit >= 0; --bit)
        if ((x >> bit) & 1) x ^= basis[bit];
    return x == 0;
}

static void add_to_span(uint32_t x, uint32_t basis[32])
{
    for (int bit = 31; bit >= 0; --bit) {
        if (!((x >> bit) & 1)) continue;
        if (!basis[bit]) {
            basis[bit] = x;
            return;
        }
        x ^= basis[bit];
    }
}

/* Relevant: no sum of shorter cycles. */
static void keep_relevant(cycles *c)
{
    uint32_t basis[32] = {0}, kept[MAX_CYCLES];
    int32_t n = 0;
    for (int32_t length = 3; length <= c->n_edges; ++length) {
        const int32_t first = n;
        for (int32_t k = 0; k < c->n; ++k)
            if (count_bits(c->found[k]) == length && !in_span(c->found[k], basis))
                kept[n++] = c->found[k];
        for (int32_t k = first; k < n; ++k) add_to_span(kept[k], basis);
    }
    memcpy(c->found, kept, (size_t)n * sizeof *kept);
    c->n = n;
}

static bool same_rings(const cycles *c)
{
    shoal_molecule *mol = chem_atoms("C", c->n_atoms);
    for (int32_t e = 0; e < c->n_edges; ++e)
        chem_bond(mol, c->edges[e][0], c->edges[e][1], SHOAL_ORDER_SINGLE);
    arena memory = {0};
    graph g;
    ring_set rings;
    CHECK(graph_build(&g, mol, &memory) == SHOAL_OK);
    CHECK(rings_find(&rings, &g, mol, &memory) == SHOAL_OK);
    bool same = rings.n_rings == c->n;
    for (int32_t r = 0; r < rings.n_rings && same; ++r) {
        uint32_t set = 0;
        for (int32_t k = rings.start[r]; k < rings.start[r + 1]; ++k) set |= 1u << rings.bonds[k];
        bool found = false;
        for (int32_t k = 0; k < c->n; ++k) found = found || c->found[k] == set;
        same = found;
    }
    arena_free(&memory);
    shoal_molecule_destroy(mol);
    return same;
}

static void test_random_graphs(void)
{
    static cycles c;
    uint64_t seed = 1;
    int32_t n_different = 0;
    for (int round = 0; round < 150; ++round) {
        c = (cycles){.n_atoms = 4 + chem_random(&seed, 6)};
        const int32_t wanted = c.n_atoms + chem_random(&seed, 5);
        for (int32_t i = 0; i < c.n_atoms && c.n_edges < wanted && c.n_edges < 13; ++i)
            for (int32_t j = 0; j < i && c.n_edges < wanted && c.n_edges < 13; ++j) {
                if (chem_random(&seed, 100) >= 45) continue;
                c.edges[c.n_edges][0] = i;
                c.edges[c.n_edges++][1] = j;
            }
        for (uint32_t set = 1; set < 1u << c.n_edges; ++set)
            if (is_cycle(&c, set)) c.found[c.n++] = set;
        keep_relevant(&c);
        n_different += !same_rings(&c);
    }
    CHECK(n_different == 0);
}

/* --- periodic -----------------------------------------------------------------------------------*/

/* n x n cells of graphene with its bonds: A(x, y) to B(x, y), B(x - 1, y), B(x, y - 1). */
static shoal_molecule *graphene(int32_t n)
{
    const double cell[3][3] = {{2.46 * n, 0, 0}, {1.23 * n, 2.13042 * n, 0}, {0, 0, 20}};
    shoal_molecule *mol = chem_atoms("C", 2 * n * n);
    chem_cell(mol, cell, 2);
    for (int32_t x = 0; x < n; ++x)
        for (int32_t y = 0; y < n; ++y)
            for (int k = 0; k < 3; ++k) {
                const int32_t u = x - (k == 1), v = y - (k == 2);
                const int32_t shift[3] = {u < 0 ? -1 : 0, v < 0 ? -1 : 0, 0};
                CHECK(shoal_molecule_add_bond(mol, 2 * (x * n + y),
                                              2 * ((u + n) % n * n + (v + n) % n) + 1,
                                              SHOAL_ORDER_SINGLE, shift) == SHOAL_OK);
            }
    return mol;
}

static void test_sheets(void)
{
    check_sizes(graphene(1), "6:1");
    check_sizes(graphene(2), "6:4");
    check_sizes(graphene(3), "6:9");
    check_sizes(graphene(7), "6:49");
}

/* One atom bonded to its own images along n_periodic axes: squares, but no ring along an axis. The
 * search in endless graphs takes all rings without a short cut, so the four hexagons around a cube's
 * corners count, though they are sums of squares. */
static void test_own_images(int n_periodic, const char *want)
{
    const double cell[3][3] = {{2.3, 0, 0}, {0, 2.3, 0}, {0, 0, 2.3}};
    shoal_molecule *mol = chem_atoms("Si", 1);
    chem_cell(mol, cell, n_periodic);
    for (int k = 0; k < n_periodic; ++k) {
        int32_t shift[3] = {0, 0, 0};
        shift[k] = 1;
        CHECK(shoal_molecule_add_bond(mol, 0, 0, SHOAL_ORDER_SINGLE, shift) == SHOAL_OK);
    }
    check_sizes(mol, want);
}

static void test_chain(void)
{
    const double cell[3][3] = {{6, 0, 0}, {0, 20, 0}, {0, 0, 20}};
    const int32_t across[3] = {1, 0, 0};
    for (int32_t n = 2; n <= 6; ++n) {
        shoal_molecule *mol = chem_atoms("C", n);
        chem_cell(mol, cell, 1);
        for (int32_t i = 0; i + 1 < n; ++i) chem_bond(mol, i, i + 1, SHOAL_ORDER_SINGLE);
        CHECK(shoal_molecule_add_bond(mol, n - 1, 0, SHOAL_ORDER_SINGLE, across) == SHOAL_OK);
        check_sizes(mol, "");
    }
}

/* Benzene in a cell, its bonds crossing the border back and forth. */
static void test_wrapped(void)
{
    const double cell[3][3] = {{8, 0, 0}, {0, 8, 0}, {0, 0, 8}};
    const int32_t out[3] = {1, 0, -1}, back[3] = {-1, 0, 1};
    shoal_molecule *mol = chem_atoms("C", 6);
    chem_cell(mol, cell, 3);
    for (int32_t i = 0; i < 6; ++i)
        CHECK(shoal_molecule_add_bond(mol, i, (i + 1) % 6, SHOAL_ORDER_SINGLE,
                                      i == 1   ? out
                                      : i == 4 ? back
                                               : NULL) == SHOAL_OK);
    check_sizes(mol, "6:1");
}

/* Diamond in its cell of two atoms: every atom lies on twelve rings, so there are four per cell. */
static void test_diamond(void)
{
    const double cell[3][3] = {{0, 1.78, 1.78}, {1.78, 0, 1.78}, {1.78, 1.78, 0}};
    shoal_molecule *mol = chem_atoms("C", 2);
    chem_cell(mol, cell, 3);
    for (int k = -1; k < 3; ++k) {
        int32_t shift[3] = {0, 0, 0};
        if (k >= 0) shift[k] = -1;
        CHECK(shoal_molecule_add_bond(mol, 0, 1, SHOAL_ORDER_SINGLE, shift) == SHOAL_OK);
    }
    check_sizes(mol, "6:4");
}

/* A cell smaller than an atom: the search gives up instead of listing rings without end. */
static void test_tiny_cell(double edge)
{
    const double cell[3][3] = {{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}};
    shoal_molecule *mol = chem_atoms("Ar", 1);
    chem_cell(mol, cell, 3);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), "atom 0 (Ar) has ") != NULL);
    shoal_molecule_destroy(mol);
}

/* The densest of usual metals: 8 + 6 partners in iron, were they bonded. */
static void test_metal(void)
{
    static const int32_t shifts[7][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1},
                                         {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
    const double cell[3][3] = {{-1.43, 1.43, 1.43}, {1.43, -1.43, 1.43}, {1.43, 1.43, -1.43}};
    shoal_molecule *mol = chem_atoms("Fe", 1);
    chem_cell(mol, cell, 3);
    for (int k = 0; k < 7; ++k)
        CHECK(shoal_molecule_add_bond(mol, 0, 0, SHOAL_ORDER_SINGLE, shifts[k]) == SHOAL_OK);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    CHECK(mol->perception->rings.n_rings > 0);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_small();
    test_macrocycle();
    test_buckminsterfullerene();
    test_flake(3, "6:9");
    test_flake(27, "6:729");
    test_random_graphs();
    test_sheets();
    test_own_images(1, "");
    test_own_images(2, "4:1");
    test_own_images(3, "4:3 6:4");
    test_chain();
    test_wrapped();
    test_diamond();
    test_tiny_cell(0.2);
    test_tiny_cell(0.8);
    test_tiny_cell(1.2);
    test_metal();
    return check_done();
}
