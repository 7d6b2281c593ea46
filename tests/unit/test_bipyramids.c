/* SPDX-License-Identifier: BSD-3-Clause
 * Centres of five and seven neighbours find their shape from any start (docs/decisions/0029-bipyramids.md), and the guards
 * that see to it are on every schedule as on ref. */
#include "driver_fixture.h"

typedef struct centre {
    const char *name;
    int32_t z, ligand, first; /* elements; first: of the first ligand */
    int n_ligands, order;     /* order of the bond to the first ligand */
    int charge;
    double r; /* angstrom */
    double least,
        above; /* degrees: smallest angle in the end; how far above the lowest (eV) isomers are */
    int n_opposite; /* straight angles; 0: any number */
} centre;

static const centre centres[] = {
    {"PF5", 15, 9, 9, 5, 1, 0, 1.56, 90, 0.01, 0},
    {"PCl5", 15, 17, 17, 5, 1, 0, 2.05, 90, 0.01, 0},
    {"SbF5", 51, 9, 9, 5, 1, 0, 1.85, 90, 0.01, 0},
    {"AsF5", 33, 9, 9, 5, 1, 0, 1.7, 90, 0.01, 0},
    {"SiF5-", 14, 9, 9, 5, 1, -1, 1.65, 90, 0.01, 0},
    {"NbF5", 41, 9, 9, 5, 1, 0, 1.9, 90, 0.01, 0},
    {"SOF4", 16, 9, 8, 5, 2, 0, 1.55, 84, 0.2, 0},
    {"PF4Cl", 15, 9, 17, 5, 1, 0, 1.6, 87, 0.05, 0},
    {"SF4", 16, 9, 9, 4, 1, 0, 1.6, 90, 0.01, 0},
    {"ClF3", 17, 9, 9, 3, 1, 0, 1.65, 85, 0.01, 0},
    {"ReF7", 75, 9, 9, 7, 1, 0, 1.85, 66, 0.05, 0},
    {"IF7", 53, 9, 9, 7, 1, 0, 1.85, 66, 0.05, 0},
    /* squares and octahedra: one start in ten ended elsewhere, or as a see-saw that is as low */
    {"XeF4", 54, 9, 9, 4, 1, 0, 1.95, 90, 0.01, 2},
    {"PtCl4", 78, 17, 17, 4, 1, -2, 2.3, 90, 0.01, 2},
    {"IOF5", 53, 9, 8, 6, 2, 0, 1.85, 90, 0.01, 3},
    {"UF6", 92, 9, 9, 6, 1, 0, 2.0, 90, 0.01, 3},
    {"BrF5", 35, 9, 9, 5, 1, 0, 1.75, 90, 0.01, 2},
};
enum { N_CENTRES = sizeof centres / sizeof centres[0], N_STARTS = 5 };

/* A number from -1 to 1. */
static double next_number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 40) / (double)(1 << 23) - 1;
}

/* A point on the unit sphere. */
static void next_direction(uint64_t *state, double u[3])
{
    double r2;
    do {
        r2 = 0;
        for (int c = 0; c < 3; ++c) {
            u[c] = next_number(state);
            r2 += u[c] * u[c];
        }
    } while (r2 > 1 || r2 < 0.01);
    for (int c = 0; c < 3; ++c) u[c] /= sqrt(r2);
}

static void add_centre(set *s, const schedule *c, const centre *a, uint64_t *state)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    (void)set_atom(mol, a->z, 0, 0, 0);
    for (int k = 0; k < a->n_ligands; ++k) {
        double u[3];
        next_direction(state, u);
        const int32_t i =
            set_atom(mol, k == 0 ? a->first : a->ligand, a->r * u[0], a->r * u[1], a->r * u[2]);
        CHECK(shoal_molecule_add_bond(mol, 0, i, k == 0 ? a->order : 1, NULL) == SHOAL_OK);
    }
    if (a->charge) CHECK(shoal_molecule_set_formal_charge(mol, 0, a->charge) == SHOAL_OK);
    (void)driver_add(s, c, mol, a->name, 0);
}

static void add_all(set *s, const schedule *c)
{
    uint64_t state = 11;
    s->n = 0;
    for (int m = 0; m < N_CENTRES; ++m)
        for (int k = 0; k < N_STARTS; ++k) add_centre(s, c, &centres[m], &state);
}

static int count_straight(const double (*pos)[3], int32_t n)
{
    int straight = 0;
    for (int32_t i = 1; i < n; ++i)
        for (int32_t j = i + 1; j < n; ++j) {
            double uv = 0, uu = 0, vv = 0;
            for (int c = 0; c < 3; ++c) {
                const double u = pos[i][c] - pos[0][c], v = pos[j][c] - pos[0][c];
                uv += u * v;
                uu += u * u;
                vv += v * v;
            }
            straight += uv < -0.985 * sqrt(uu * vv); /* 170 degrees */
        }
    return straight;
}

static void check_start(const set *s, const outcome *out, int m, int k)
{
    const centre *a = &centres[m];
    const outcome *o = &out[m * N_STARTS + k];
    double lowest = o->r.energy;
    for (int n = 0; n < N_STARTS; ++n) lowest = fmin(lowest, out[m * N_STARTS + n].r.energy);
    const double least = smallest_angle((const double(*)[3])o->pos, a->n_ligands + 1);
    const int straight = count_straight((const double(*)[3])o->pos, a->n_ligands + 1);
    const bool right = least > a->least - 4 && o->r.energy < lowest + a->above &&
                       (a->n_opposite == 0 || straight == a->n_opposite);
    CHECK(o->r.status == SHOAL_SYSTEM_CONVERGED && right);
    if (!right)
        (void)printf("  %s: %.1f degrees, %d straight, %.3f eV above\n",
                     s->systems[m * N_STARTS + k].name, least, straight, o->r.energy - lowest);
}

static void test_any_start(const schedule *c, shoal_method method)
{
    static set s;
    static outcome out[SET_SYSTEMS];
    const shoal_relax_options relax = {.method = method, .max_steps = 3000};
    add_all(&s, c);
    drive(&s, c, &relax, out);
    for (int m = 0; m < N_CENTRES; ++m)
        for (int k = 0; k < N_STARTS; ++k) check_start(&s, out, m, k);
    outcomes_free(out, s.n);
    set_free(&s);
}

/* Energies and forces of the starts, where most guards are on. */
static void test_like_ref(const schedule *c)
{
    static set s;
    static outcome out[SET_SYSTEMS], want[SET_SYSTEMS];
    const run_options ref = {.engine = {.device = "ref"}};
    const double most = is_float(c) ? 2e-5 : 1e-10;
    add_all(&s, c);
    drive(&s, c, NULL, out);
    run_set(&s, NULL, s.n, &ref, want);
    for (int32_t k = 0; k < s.n; ++k) {
        CHECK_NEAR(out[k].r.energy, want[k].r.energy, most * (1 + fabs(want[k].r.energy)));
        CHECK(largest_difference((const double(*)[3])out[k].forces,
                                 (const double(*)[3])want[k].forces,
                                 s.systems[k].n_atoms) <= most * fmax(want[k].r.fmax, 1));
    }
    outcomes_free(out, s.n);
    outcomes_free(want, s.n);
    set_free(&s);
}

/* Guards of a bipyramid by hand: E = g K max(0, cos t - cos t_g)^3 with g and t_g by how many of the ends are axial. */
static void test_numbers(void)
{
    static set s;
    static const double strength[] = {10, 20, 5}, from[] = {0, 0.3420201433256687, -0.5};
    const schedule small = {.device = "cpu"};
    shoal_topology_view v;
    int32_t n_angles, n_guards, n_of[3] = {0};
    uint64_t state = 3;
    s.n = 0;
    add_centre(&s, &small, &centres[0], &state);
    shoal_topology_get(s.systems[0].topology, &v);
    const shoal_term *angles = shoal_topology_terms(&v, SHOAL_KIND_ANGLE, &n_angles);
    const shoal_term *guards = shoal_topology_terms(&v, SHOAL_KIND_GUARD, &n_guards);
    CHECK(n_angles == 10 && n_guards == 10);
    for (int32_t k = 0; k < n_guards && n_guards == n_angles; ++k) {
        const double *c = angles[k].p + SHOAL_ANGLE_C0;
        const int n = c[3] == -1 ? 3 : c[2] == -1 ? 2 : 1, axial = n == 3 ? 0 : n == 2 ? 2 : 1;
        const double whole = n * n * angles[k].p[SHOAL_ANGLE_K];
        CHECK(memcmp(guards[k].atoms, angles[k].atoms, sizeof guards[k].atoms) == 0);
        CHECK_NEAR(guards[k].p[SHOAL_GUARD_K], strength[axial] * whole, 1e-12 * whole);
        CHECK_NEAR(guards[k].p[SHOAL_GUARD_FROM], from[axial], 1e-15);
        CHECK(angles[k].p[SHOAL_ANGLE_GUARD] == 0);
        ++n_of[axial];
    }
    CHECK(n_of[0] == 3 && n_of[1] == 6 && n_of[2] == 1);
    set_free(&s);
}

int main(void)
{
    schedule schedules[MOST_SCHEDULES];
    const int n = find_schedules(schedules);
    test_numbers();
    for (int k = 0; k < n; ++k) {
        const int before = mark_failures();
        test_like_ref(&schedules[k]);
        tell_failures(before, &schedules[k], "like ref");
        for (int method = 0; method < N_METHODS; ++method) {
            const int failed = mark_failures();
            test_any_start(&schedules[k], (shoal_method)method);
            tell_failures(failed, &schedules[k], method_name((shoal_method)method));
        }
    }
    return check_done();
}
