/* SPDX-License-Identifier: BSD-3-Clause
 * Systems with directions on every backend against ref: random trees of atoms and directions with random parameters,
 * isolated, repeating and on a surface, of sizes around every lane and block; singular ones; plain terms and what shares
 * work among them. */
#include "conformance_fixture.h"
#include "device_fixture.h"
#include "strain_fixture.h"
#include "surface_fixture.h"

#include "constants.h"

enum { TREE_ATOMS = 300, TREE_SLOTS = 4 };

/* Atoms with up to four neighbours, and where they are. */
typedef struct tree {
    int32_t n, n_slots[TREE_ATOMS], slots[TREE_ATOMS][TREE_SLOTS];
    int32_t direction[TREE_ATOMS]; /* number in terms, -1 without one */
    int32_t moved[TREE_ATOMS][3];  /* cells away from home */
    double pos[TREE_ATOMS][3];
    uint64_t seed;
} tree;

static double pick(tree *t, double low, double high)
{
    return low + 0.5 * (high - low) * (1 + set_random(&t->seed));
}

/* A point about a bond away from another that is not too near to any. */
static bool find_place(tree *t, int32_t host)
{
    double *r = t->pos[t->n], d[3];
    for (int k = 0; k < 60; ++k) {
        double length2 = 0, least2 = 1e9;
        for (int c = 0; c < 3; ++c) d[c] = set_random(&t->seed);
        for (int c = 0; c < 3; ++c) length2 += d[c] * d[c];
        const double bond = pick(t, 1.0, 1.5) / sqrt(length2 + 1e-9);
        for (int c = 0; c < 3; ++c) r[c] = t->pos[host][c] + bond * d[c];
        for (int32_t i = 0; i < t->n; ++i) {
            double r2 = 0;
            for (int c = 0; c < 3; ++c) r2 += pow(r[c] - t->pos[i][c], 2);
            if (r2 < least2) least2 = r2;
        }
        if (length2 > 0.1 && least2 > 0.9) return true;
    }
    return false;
}

static void grow(tree *t, int32_t n)
{
    t->n = 1;
    for (int tries = 0; t->n < n; ++tries) {
        /* Mostly near the end, so that the tree is long and thin. */
        const int32_t back = (int32_t)pick(t, 0, tries % 8 ? 6 : t->n);
        const int32_t host = back < t->n ? t->n - 1 - back : 0;
        if (t->n_slots[host] == TREE_SLOTS || !find_place(t, host)) continue;
        t->slots[host][t->n_slots[host]++] = t->n;
        t->slots[t->n][t->n_slots[t->n]++] = host;
        ++t->n;
    }
}

static void add(tree *t, shoal_topology_builder *b, int kind, int32_t n, const int32_t *atoms,
                const double *p)
{
    int32_t shifts[4][3] = {{0}};
    for (int32_t k = 0; k < n; ++k)
        for (int c = 0; c < 3 && atoms[k] < t->n; ++c) shifts[k][c] = -t->moved[atoms[k]][c];
    CHECK(shoal_topology_add_term(b, kind, atoms, (const int32_t(*)[3])shifts, p) == SHOAL_OK);
}

/* The terms of one node with its neighbours. */
static void add_node(tree *t, shoal_topology_builder *b, int32_t i)
{
    static const double angles[4] = {104.51, 120, 180, 109.47};
    const int32_t *near = t->slots[i], n = t->n_slots[i];
    const double half[2] = {pick(t, 10, 30), angles[(int)pick(t, 0, 3.99)] / DEGREES};
    const double sigma[2] = {pick(t, 0.5, 3), i % 3 ? 0 : pick(t, -0.5, 0.5)};
    for (int32_t k = 0; k < n; ++k) {
        const int32_t j = near[k];
        for (int32_t m = k + 1; m < n; ++m)
            add(t, b, SHOAL_KIND_HALF_ANGLE, 3, (const int32_t[]){j, i, near[m]}, half);
        if (t->direction[i] >= 0)
            add(t, b, SHOAL_KIND_SIGMA_PI, 3, (const int32_t[]){t->direction[i], i, j}, sigma);
        if (i > j) continue;
        const double bond[3] = {pick(t, 10, 35), pick(t, 1.0, 1.5), 1};
        const double pi[2] = {pick(t, 0.3, 2.5), (i + j) % 2 ? 0 : 0.05};
        add(t, b, SHOAL_KIND_BOND, 2, (const int32_t[]){i, j}, bond);
        if (t->direction[i] >= 0 && t->direction[j] >= 0)
            add(t, b, SHOAL_KIND_PI_PI, 2, (const int32_t[]){t->direction[i], t->direction[j]}, pi);
    }
}

static shoal_topology *finish(tree *t, int n_periodic, int32_t *n_directions)
{
    static const int32_t kinds[4] = {6, 7, 8, 16};
    int32_t elements[TREE_ATOMS];
    shoal_topology_builder *b = NULL;
    shoal_topology *out = NULL;
    for (int32_t i = 0; i < t->n; ++i) elements[i] = t->n_slots[i] == 1 ? 1 : kinds[i % 4];
    CHECK(shoal_topology_begin(&b, t->n, elements) == SHOAL_OK);
    CHECK(shoal_topology_set_periodic(
              b, (const bool[3]){n_periodic > 0, n_periodic > 1, n_periodic > 2}) == SHOAL_OK);
    *n_directions = 0;
    for (int32_t i = 0; i < t->n; ++i) {
        const double q = i == t->n - 1 && t->n % 2 ? 0 : i % 2 ? 0.2 : -0.2; /* neutral */
        const shoal_atom_parameters p = {
            .vdw_x = pick(t, 1.6, 2.4), .vdw_d = pick(t, 0.001, 0.01), .charge = q};
        CHECK(shoal_topology_set_atom(b, i, &p) == SHOAL_OK);
        t->direction[i] = -1;
        if (pick(t, 0, 1) < 0.3 || (t->n_slots[i] == 1 && i % 3)) continue;
        CHECK(shoal_topology_add_direction(b, i, pick(t, 0.5, 2), &t->direction[i]) == SHOAL_OK);
        ++*n_directions;
    }
    for (int32_t i = 0; i < t->n; ++i) add_node(t, b, i);
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &out) == SHOAL_OK);
    return out;
}

/* A random system of n atoms that repeats so many ways, with atoms of it in other cells. */
static set_system *add_tree(set *s, int32_t n, int n_periodic, uint64_t seed)
{
    static tree t;
    set_system *sys = &s->systems[s->n++];
    memset(&t, 0, sizeof t);
    memset(sys, 0, sizeof *sys);
    t.seed = seed * 977 + (uint64_t)n;
    grow(&t, n);
    for (int k = 0; k < n_periodic; ++k) {
        double low = 0, high = 0;
        for (int32_t i = 0; i < n; ++i) {
            low = fmin(low, t.pos[i][k]);
            high = fmax(high, t.pos[i][k]);
        }
        sys->cell[k][k] = high - low + 2.5;
        sys->cell[k][(k + 1) % 3] = n_periodic == 3 ? 0.4 : 0;
        for (int32_t i = 0; i < n; ++i) t.moved[i][k] = (int32_t)pick(&t, -1.99, 1.99);
    }
    sys->topology = finish(&t, n_periodic, &sys->n_auxiliary);
    sys->n_atoms = n;
    sys->pos = calloc((size_t)(n + sys->n_auxiliary), sizeof *sys->pos);
    (void)snprintf(sys->name, sizeof sys->name, "%d atoms, %d directions, %d ways", n,
                   sys->n_auxiliary, n_periodic);
    for (int32_t i = 0; i < n + sys->n_auxiliary; ++i) {
        double *r = sys->pos[i], length2 = 0;
        for (int c = 0; c < 3; ++c) r[c] = i < n ? t.pos[i][c] : set_random(&t.seed);
        for (int c = 0; c < 3; ++c) length2 += r[c] * r[c];
        for (int k = 0; k < 3 && i < n; ++k)
            for (int c = 0; c < 3; ++c) r[c] += t.moved[i][k] * sys->cell[k][c];
        for (int c = 0; c < 3 && i >= n; ++c) r[c] /= sqrt(length2);
    }
    return sys;
}

/* Plain terms are sums of their own; both must be what ref has. */
static void compare_both(const char *device, const set *s, const char *what,
                         shoal_engine_options options)
{
    compare(device, s, what, options);
    options.plain_terms = true;
    compare(device, s, what, options);
}

static void test_isolated(const char *device)
{
    static const int32_t sizes[] = {1, 2, 5, 16, 31, 32, 33, 48, 64, 65, 128, 257};
    static set s;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k)
        for (int copy = 0; copy < 3; ++copy) (void)add_tree(&s, sizes[k], 0, (uint64_t)copy + 1);
    compare_both(device, &s, "isolated", (shoal_engine_options){0});
    for (int t = 0; t < SHOAL_N_TERMS; ++t)
        if (t == SHOAL_TERM_ANGLE || t >= SHOAL_TERM_SIGMA_PI)
            compare(device, &s, shoal_term_name(t),
                    (shoal_engine_options){.terms_off = ~(1u << t)});
    for (int32_t i = 0; i < s.n; ++i) /* directions stay where they are */
        for (int32_t k = 0; k < s.systems[i].n_atoms; ++k) s.systems[i].pos[k][0] += 300.0;
    compare(device, &s, "far away", (shoal_engine_options){0});
    set_free(&s);
}

/* ref's slope by strain, where directions stay, against differences. */
static void check_strain(const set *s, shoal_engine_options options)
{
    static outcome got[SET_SYSTEMS];
    options.device = "ref";
    run_set(s, NULL, s->n, &(run_options){.engine = options}, got);
    for (int32_t i = 0; i < s->n; ++i)
        CHECK_NEAR(strain_off(&s->systems[i], &got[i], options), 0, 1e-6);
    outcomes_free(got, s->n);
}

static void test_periodic(const char *device)
{
    static set s;
    for (int n_periodic = 1; n_periodic <= 3; ++n_periodic)
        for (int32_t n = 2; n <= 70; n += 17)
            (void)add_tree(&s, n, n_periodic, (uint64_t)n_periodic);
    compare_both(device, &s, "periodic", (shoal_engine_options){.vdw_cutoff = 7});
    if (strcmp(device, "cpu") == 0) check_strain(&s, (shoal_engine_options){.vdw_cutoff = 7});
    set_free(&s);
}

/* Alone and repeating over NaCl. */
static void test_surface(const char *device)
{
    static set s;
    shoal_molecule *salt = fixture_salt(1, 3, 0.9);
    shoal_surface *surface = fixture_surface(salt, NULL);
    for (int32_t n = 3; n <= 65; n += 31) {
        set_system *sys = add_tree(&s, n, 0, 5);
        double low = 0;
        for (int32_t i = 0; i < n; ++i) low = fmin(low, sys->pos[i][2]);
        for (int32_t i = 0; i < n; ++i) sys->pos[i][2] += 2.5 - low;
    }
    compare_both(device, &s, "surface", (shoal_engine_options){.surface = surface});
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(salt);
    set_free(&s);
}

/* Bonds of no length, straight angles, directions along bonds and at right angles to each other. */
static void test_singular(const char *device)
{
    static set s;
    for (int how = 0; how < 4; ++how) {
        set_system *sys = add_tree(&s, 12, 0, 7);
        shoal_topology_view v;
        shoal_topology_get(sys->topology, &v);
        const shoal_term *bend = terms_of(&v, SHOAL_KIND_HALF_ANGLE);
        const shoal_term *pi = terms_of(&v, SHOAL_KIND_PI_PI);
        const shoal_term *sigma = terms_of(&v, SHOAL_KIND_SIGMA_PI);
        double *a = sys->pos[bend->atoms[0]], *b = sys->pos[bend->atoms[1]];
        double *p = sys->pos[pi->atoms[0]], *q = sys->pos[pi->atoms[1]];
        const double axes[2][3] = {{0, 0, 1}, {0, 1, 0}};
        if (how == 0) memcpy(a, b, 3 * sizeof *a);
        for (int c = 0; c < 3 && how == 1; ++c)
            sys->pos[bend->atoms[2]][c] = b[c] + 1.25 * (b[c] - a[c]);
        if (how == 2) memcpy(p, axes[0], sizeof axes[0]), memcpy(q, axes[1], sizeof axes[1]);
        if (how == 3) {
            double *to = sys->pos[sigma->atoms[2]];
            memcpy(to, sys->pos[sigma->atoms[1]], 3 * sizeof *to);
            to[2] += 1.2;
            memcpy(sys->pos[sigma->atoms[0]], axes[0], sizeof axes[0]);
        }
    }
    const uint32_t pairs = 1u << SHOAL_TERM_VDW | 1u << SHOAL_TERM_COULOMB;
    compare_both(device, &s, "singular", (shoal_engine_options){.terms_off = pairs});
    set_free(&s);
}

int main(void)
{
    const char *device = find_test_device();
    const char *const devices[2] = {"cpu", device};
    for (int d = 0; d < (device ? 2 : 1); ++d) {
        test_isolated(devices[d]);
        test_periodic(devices[d]);
        test_surface(devices[d]);
        test_singular(devices[d]);
    }
    return check_done();
}
