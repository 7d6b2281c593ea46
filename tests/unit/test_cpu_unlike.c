/* SPDX-License-Identifier: BSD-3-Clause
 * Unlike molecules share the lanes of the cpu, bitwise: a system alone (one system), among copies of
 * itself (lanes of one topology) and among unlike ones (mixed lanes) has the same energies, forces, path
 * and end, for any number of companions, order, threads and instruction set. Lanes are filled again with
 * smaller and larger systems; singular and broken ones harm no other. */
#include <math.h>

#include "hand_fixture.h"

enum { MOST = SET_SYSTEMS, N_COPIES = 9, NO_LENGTH = 41 /* a system with a bond of no length */ };

typedef struct mode {
    const char *name;
    shoal_precision precision;
    bool relax;
    shoal_method method;
    int32_t max_steps; /* some converge, some do not */
} mode;

static const mode modes[] = {
    {"single points, float", SHOAL_PRECISION_FLOAT, false, 0, 0},
    {"single points, double", SHOAL_PRECISION_DOUBLE, false, 0, 0},
    {"lbfgs, float", SHOAL_PRECISION_FLOAT, true, SHOAL_METHOD_LBFGS, 150},
    {"lbfgs, double", SHOAL_PRECISION_DOUBLE, true, SHOAL_METHOD_LBFGS, 60},
    {"fire, float", SHOAL_PRECISION_FLOAT, true, SHOAL_METHOD_FIRE, 200},
};
enum { N_MODES = (int)(sizeof modes / sizeof modes[0]) };

static void run_mode(const set *s, const int32_t *list, int32_t n, const mode *m, int32_t n_threads,
                     outcome *out)
{
    const shoal_relax_options relax = {
        .method = m->method, .fmax = 0.05, .max_steps = m->max_steps};
    const run_options o = {
        .engine = {.device = "cpu", .precision = m->precision, .n_threads = n_threads},
        .relax = m->relax ? &relax : NULL};
    run_set(s, list, n, &o, out);
}

static void expect_same(const set *s, const int32_t *list, int32_t n, const mode *m,
                        int32_t n_threads, const outcome *alone, const char *what)
{
    static outcome got[MOST];
    run_mode(s, list, n, m, n_threads, got);
    for (int32_t k = 0; k < n; ++k) {
        const int32_t i = list[k];
        const bool same = outcome_same(&got[k], &alone[i], s->systems[i].n_atoms);
        if (!same)
            (void)printf("%s, %s: system %d, %s: %d and %d steps, energies %.17g and %.17g\n",
                         m->name, what, i, s->systems[i].name, got[k].r.steps, alone[i].r.steps,
                         got[k].r.energy, alone[i].r.energy);
        CHECK(same);
    }
    outcomes_free(got, n);
}

/* --- systems ------------------------------------------------------------------------------------ */

static void copy_place(double to[3], const double from[3], const double by[3], double times)
{
    for (int c = 0; c < 3; ++c) to[c] = from[c] + times * by[c];
}

/* The first torsion gets an arm in line with its bond, nearly or to the last bit. */
static void make_straight(set_system *sys, double off)
{
    shoal_topology_view v;
    shoal_topology_get(sys->topology, &v);
    const shoal_term *t = terms_of(&v, SHOAL_KIND_TORSION);
    const double *j = sys->pos[t->atoms[1]], *k = sys->pos[t->atoms[2]];
    const double b[3] = {j[0] - k[0], j[1] - k[1], j[2] - k[2]};
    copy_place(sys->pos[t->atoms[0]], j, b, 0.8);
    sys->pos[t->atoms[0]][1] += off;
}

/* The first inversion gets an arm that stands upright on its plane. */
static void make_upright(set_system *sys)
{
    shoal_topology_view v;
    shoal_topology_get(sys->topology, &v);
    CHECK(terms_count(&v, SHOAL_KIND_INVERSION) > 0);
    const shoal_term *t = terms_of(&v, SHOAL_KIND_INVERSION);
    const double *i = sys->pos[t->atoms[0]], *j = sys->pos[t->atoms[1]], *k = sys->pos[t->atoms[2]];
    const double a[3] = {i[0] - j[0], i[1] - j[1], i[2] - j[2]};
    const double b[3] = {k[0] - j[0], k[1] - j[1], k[2] - j[2]};
    const double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    copy_place(sys->pos[t->atoms[3]], j, n, 0.6);
}

static void add_odd_sizes(set *s)
{
    static const int32_t sizes[] = {1, 2, 5, 23, 47, 48, 49, 65, 97, 130};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k)
        (void)set_add_size(s, sizes[k], k % 3 == 1);
}

/* Chains whose torsions have any periodicity, not those of UFF alone; about one bond there are two of them. */
static void add_periods(set *s)
{
    static const int periods[4][3] = {{1, 3, 2}, {4, 6, 3}, {5, 2, 6}, {6, 1, 5}};
    static const int32_t elements[HAND_ATOMS] = {1, 8, 6, 6, 7, 1, 9};
    for (int t = 0; t < 4; ++t) {
        set_system *sys = hand_add(s, false, true);
        shoal_topology_builder *b = NULL;
        shoal_topology_destroy(sys->topology);
        CHECK(shoal_topology_begin(&b, HAND_ATOMS, elements) == SHOAL_OK);
        for (int32_t i = 0; i < HAND_ATOMS; ++i) {
            const shoal_atom_parameters p = {hand_x[i], hand_d[i], 0, 0, NULL};
            CHECK(shoal_topology_set_atom(b, i, &p) == SHOAL_OK);
        }
        for (int k = 0; k < 6; ++k) {
            const int32_t *bond = hand_bonds[k];
            CHECK(shoal_topology_add_bond(b, bond[0], bond[1], NULL, hand_bond_k(k),
                                          hand_bond_r0(k)) == SHOAL_OK);
            CHECK(shoal_topology_add_angle(b, hand_angles[k], NULL, 2.0 + 0.1 * k, hand_angle) ==
                  SHOAL_OK);
        }
        hand_add_torsion(b, false, 0, 1, 2, 3, 0.2, 1, periods[t][0]);
        hand_add_torsion(b, false, 0, 1, 2, 6, 0.3, -1, periods[t][1]);
        hand_add_torsion(b, false, 1, 2, 3, 4, 0.1, 1, periods[t][2]);
        CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &sys->topology) == SHOAL_OK);
        sys->pos[0][t % 3] += 0.1 * t;
    }
}

/* Some of the unlike ones are held, singular or broken; a few topologies occur twice. */
static void fill(set *s)
{
    set_read(s, "../../data/bench/unlike.sdf", 64);
    CHECK(s->n == 64);
    make_straight(&s->systems[3], 0);
    make_straight(&s->systems[10], 1e-4);
    for (int32_t i = 0; i < 64; ++i) {
        shoal_topology_view v;
        shoal_topology_get(s->systems[i].topology, &v);
        if (i % 9 != 4 || terms_count(&v, SHOAL_KIND_INVERSION) == 0) continue;
        make_upright(&s->systems[i]);
    }
    for (int32_t i = 5; i < 64; i += 11) {
        set_system *sys = &s->systems[i];
        sys->fixed = calloc((size_t)sys->n_atoms, sizeof *sys->fixed);
        sys->fixed[1] = sys->fixed[i % 2 ? 3 : 7] = true; /* the same atoms of unlike systems */
    }
    s->systems[7].restraints[0] = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 9}, .k = 3.0, .value = 4.0};
    s->systems[7].n_restraints = 1;
    s->systems[20].pos[4][1] = NAN;
    memcpy(s->systems[30].pos[2], s->systems[30].pos[12], sizeof s->systems[30].pos[2]);
    memcpy(s->systems[NO_LENGTH].pos[0], s->systems[NO_LENGTH].pos[1],
           sizeof s->systems[NO_LENGTH].pos[0]);
    s->systems[52].pos[3][0] += 1e22; /* squares overflow */
    set_read(s, "types.sdf", 40);
    add_odd_sizes(s);
    add_periods(s);
    set_read(s, "../../data/bench/unlike.sdf", 3);
    CHECK(s->n > 80 && s->n < MOST);
}

/* --- laws --------------------------------------------------------------------------------------- */

static void test_orders(const set *s, const mode *m, const outcome *alone)
{
    int32_t list[MOST];
    for (int32_t n_threads = 1; n_threads <= 5; n_threads += 2) {
        for (int32_t k = 0; k < s->n; ++k) list[k] = k;
        expect_same(s, list, s->n, m, n_threads, alone, "together");
    }
    for (int32_t k = 0; k < s->n; ++k) list[k] = s->n - 1 - k;
    expect_same(s, list, s->n, m, 1, alone, "backwards");
    uint64_t seed = 5;
    for (int32_t k = s->n - 1; k > 0; --k) {
        const int32_t at = (int32_t)(0.5 * (set_random(&seed) + 1.0) * (k + 1)), old = list[k];
        list[k] = list[at];
        list[at] = old;
    }
    expect_same(s, list, s->n, m, 2, alone, "shuffled");
}

/* From one companion to more than all lanes. */
static void test_companions(const set *s, const mode *m, const outcome *alone)
{
    int32_t list[MOST];
    for (int32_t n = 2; n <= 18; ++n) {
        for (int32_t k = 0; k < n; ++k) list[k] = (7 * n + 5 * k) % s->n;
        expect_same(s, list, n, m, 1, alone, "a few");
    }
}

static void test_copies(const set *s, const mode *m, const outcome *alone)
{
    int32_t list[N_COPIES];
    for (int32_t i = 0; i < s->n; i += 5) {
        for (int32_t k = 0; k < N_COPIES; ++k) list[k] = i;
        expect_same(s, list, N_COPIES, m, 1, alone, "copies");
    }
}

static void test_instruction_sets(const set *s, const mode *m, const outcome *alone)
{
    static const char *const names[] = {"base", "avx2", "avx512"};
    int32_t list[MOST];
    for (int32_t k = 0; k < s->n; ++k) list[k] = k;
    for (int k = 0; k < 3; ++k) {
        CHECK(setenv("SHOAL_CPU", names[k], 1) == 0);
        expect_same(s, list, s->n, m, 1, alone, names[k]);
    }
    CHECK(unsetenv("SHOAL_CPU") == 0);
}

/* Singular geometries are those of the reference too. */
static void test_singular(const set *s)
{
    static outcome ref[MOST], cpu[MOST];
    run_options o = {.engine = {.device = "ref"}};
    run_set(s, NULL, s->n, &o, ref);
    o.engine = (shoal_engine_options){.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE};
    run_set(s, NULL, s->n, &o, cpu);
    for (int32_t i = 0; i < s->n; ++i) {
        const shoal_result *a = &ref[i].r, *b = &cpu[i].r;
        CHECK(a->status == b->status);
        /* A torsion about a bond of no length has no value that could be compared. */
        if (a->status != SHOAL_SYSTEM_OK || a->fmax > 1e6 || i == NO_LENGTH) continue;
        double off = fabs(a->energy - b->energy);
        for (int32_t k = 0; k < 3 * s->systems[i].n_atoms; ++k)
            off = fmax(off, fabs(ref[i].forces[k / 3][k % 3] - cpu[i].forces[k / 3][k % 3]));
        if (off > 1e-6 * (1 + a->fmax)) (void)printf("%s: off by %g\n", s->systems[i].name, off);
        CHECK(off <= 1e-6 * (1 + a->fmax));
    }
    outcomes_free(ref, s->n);
    outcomes_free(cpu, s->n);
}

/* Lanes must have been filled again by systems that need other numbers of steps. */
static void check_steps(const set *s, const outcome *alone)
{
    int32_t fewest = INT32_MAX, most = 0, n_converged = 0;
    for (int32_t i = 0; i < s->n; ++i) {
        const shoal_result *r = &alone[i].r;
        n_converged += r->status == SHOAL_SYSTEM_CONVERGED;
        if (r->status != SHOAL_SYSTEM_CONVERGED) continue;
        fewest = r->steps < fewest ? r->steps : fewest;
        most = r->steps > most ? r->steps : most;
    }
    CHECK(n_converged > 8 && n_converged < s->n && most > 3 * fewest);
    CHECK(alone[20].r.status == SHOAL_SYSTEM_NOT_FINITE);
}

int main(void)
{
    static set s;
    static outcome alone[MOST];
    fill(&s);
    test_singular(&s);
    for (int k = 0; k < N_MODES; ++k) {
        const mode *m = &modes[k];
        for (int32_t i = 0; i < s.n; ++i) run_mode(&s, &i, 1, m, 1, &alone[i]);
        if (m->relax) check_steps(&s, alone);
        test_orders(&s, m, alone);
        test_companions(&s, m, alone);
        test_copies(&s, m, alone);
        test_instruction_sets(&s, m, alone);
        outcomes_free(alone, s.n);
    }
    set_free(&s);
    return check_done();
}
