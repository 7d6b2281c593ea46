/* SPDX-License-Identifier: BSD-3-Clause
 * Guards of angles: on every schedule as on ref, away from where they begin without a trace, and neighbours
 * that begin on top of each other come apart (docs/decisions/0017-angle-guard.md). */
#include "driver_fixture.h"

#include "ff/term_table.h"

#define RADIAN 0.017453292519943295

/* Which molecule, and how far two of its ligands are apart at first. */
typedef struct tight {
    const char *name;
    int32_t centre, ligand, other; /* elements; other: of the fourth ligand */
    int n_ligands, order;          /* order of the bond to the first ligand */
    int charge;
    double r, natural; /* angstrom; smallest angle in degrees that is right in the end */
} tight;

static const tight molecules[] = {
    {"SF6", 16, 9, 9, 6, 1, 0, 1.6, 90},    {"PF6-", 15, 9, 9, 6, 1, -1, 1.6, 90},
    {"SF5Cl", 16, 9, 17, 6, 1, 0, 1.6, 90}, {"WCl6", 74, 17, 17, 6, 1, 0, 2.3, 90},
    {"MoF6", 42, 9, 9, 6, 1, 0, 1.85, 90},  {"UF6", 92, 9, 9, 6, 1, 0, 2.0, 90},
    {"CH2O", 6, 1, 1, 3, 2, 0, 1.1, 120},   {"CF2O", 6, 9, 9, 3, 2, 0, 1.3, 120},
};
enum { N_MOLECULES = sizeof molecules / sizeof molecules[0] };

/* Ligand 1 stands so many degrees from ligand 2; of three, ligand 0 is the oxygen. */
static void direct(const tight *t, double degrees, double out[6][3])
{
    static const double octahedron[6][3] = {{1, 0, 0},  {0, 0, 1},  {0, 1, 0},
                                            {0, -1, 0}, {-1, 0, 0}, {0, 0, -1}};
    const double a = degrees * RADIAN, b = t->n_ligands == 3 ? 120 * RADIAN : 90 * RADIAN;
    memcpy(out, octahedron, sizeof octahedron);
    out[2][0] = cos(b);
    out[2][1] = sin(b);
    out[1][0] = t->n_ligands == 3 ? cos(b + a) : 0;
    out[1][1] = t->n_ligands == 3 ? sin(b + a) : cos(a);
    out[1][2] = t->n_ligands == 3 ? 0 : sin(a);
}

static void add_tight(set *s, const schedule *c, const tight *t, double degrees, double shake)
{
    double u[6][3];
    shoal_molecule *mol = NULL;
    direct(t, degrees, u);
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    (void)set_atom(mol, t->centre, 0, 0, 0);
    for (int k = 0; k < t->n_ligands; ++k) {
        const int32_t z = k == 0 && t->order == 2 ? 8 : k == 3 ? t->other : t->ligand;
        const int32_t i = set_atom(mol, z, t->r * u[k][0], t->r * u[k][1], t->r * u[k][2]);
        CHECK(shoal_molecule_add_bond(mol, 0, i, k == 0 ? t->order : 1, NULL) == SHOAL_OK);
    }
    if (t->charge) CHECK(shoal_molecule_set_formal_charge(mol, 0, t->charge) == SHOAL_OK);
    (void)driver_add(s, c, mol, t->name, shake);
}

static void check_like(const set_system *sys, const outcome *a, const outcome *b, double most)
{
    const double size = fmax(b->r.fmax, 1);
    CHECK(a->r.status == SHOAL_SYSTEM_OK && b->r.status == SHOAL_SYSTEM_OK);
    for (int t = 0; t < b->r.n_terms; ++t)
        CHECK_NEAR(a->r.terms[t], b->r.terms[t], most * (1 + fabs(b->r.terms[t])));
    CHECK(largest_difference((const double(*)[3])a->forces, (const double(*)[3])b->forces,
                             sys->n_atoms) <= most * size);
}

/* Around the angles where guards begin, and down to 0. */
static void test_like_ref(const schedule *c)
{
    static const double degrees[] = {0, 0.01, 1, 10, 30, 49, 51, 64, 69, 71, 79, 81};
    static set s;
    static outcome out[SET_SYSTEMS], want[SET_SYSTEMS];
    const run_options ref = {.engine = {.device = "ref"}};
    s.n = 0;
    for (int m = 0; m < N_MOLECULES; ++m)
        for (size_t d = 0; d < sizeof degrees / sizeof degrees[0]; ++d)
            add_tight(&s, c, &molecules[m], degrees[d], 0.02);
    check_schedule(&s, c);
    drive(&s, c, NULL, out);
    run_set(&s, NULL, s.n, &ref, want);
    for (int32_t k = 0; k < s.n; ++k)
        check_like(&s.systems[k], &out[k], &want[k], is_float(c) ? 2e-5 : 1e-10);
    outcomes_free(out, s.n);
    outcomes_free(want, s.n);
    set_free(&s);
}

static void add_all(set *s, const schedule *c, double degrees)
{
    for (int m = 0; m < N_MOLECULES; ++m) add_tight(s, c, &molecules[m], degrees, 1e-3);
}

/* Two ligands on top of each other come apart. */
static void test_comes_apart(const schedule *c, shoal_method method)
{
    static set s;
    static outcome out[SET_SYSTEMS];
    const shoal_relax_options relax = {.method = method};
    s.n = 0;
    add_all(&s, c, 0);
    add_all(&s, c, 1);
    add_all(&s, c, 10);
    drive(&s, c, &relax, out);
    for (int32_t k = 0; k < s.n; ++k) {
        const double least = smallest_angle((const double(*)[3])out[k].pos, s.systems[k].n_atoms);
        const bool right = fabs(least - molecules[k % N_MOLECULES].natural) < 10;
        CHECK(out[k].r.status == SHOAL_SYSTEM_CONVERGED && right);
        if (!right) (void)printf("  %s: %.1f degrees\n", s.systems[k].name, least);
    }
    outcomes_free(out, s.n);
    set_free(&s);
}

/* Among unlike ones the same bits as alone. */
static void test_mates(const schedule *c)
{
    static set s;
    static outcome together[SET_SYSTEMS];
    const shoal_relax_options relax = {.max_steps = 60};
    const run_options o = {.engine = {.device = c->device, .precision = c->precision},
                           .relax = &relax};
    s.n = 0;
    for (int m = 6; m < N_MOLECULES; ++m)
        for (int d = 0; d < 8; ++d) add_tight(&s, c, &molecules[m], 1 + 9 * d, 1e-2);
    (void)driver_alkane(&s, c, 3, 0.02);
    (void)driver_alkane(&s, c, 2, 0.02);
    run_set(&s, NULL, s.n, &o, together);
    for (int32_t k = 0; k < s.n; ++k) {
        outcome alone;
        run_set(&s, &k, 1, &o, &alone);
        CHECK(memcmp(alone.pos, together[k].pos,
                     (size_t)s.systems[k].n_atoms * sizeof *alone.pos) == 0);
        CHECK(memcmp(&alone.r.energy, &together[k].r.energy, sizeof alone.r.energy) == 0);
        outcomes_free(&alone, 1);
    }
    outcomes_free(together, s.n);
    set_free(&s);
}

/* A set with the guards of another one left out. */
static void leave_guards_out(const set *from, const schedule *c, set *to)
{
    const shoal_typing_options options = {.no_angle_guard = true};
    *to = *from;
    for (int32_t k = 0; k < to->n; ++k) {
        set_system *sys = &to->systems[k];
        shoal_topology_view v;
        double(*pos)[3] = malloc(((size_t)sys->n_atoms + 1) * sizeof *pos);
        memcpy(pos, sys->pos, (size_t)sys->n_atoms * sizeof *pos);
        sys->pos = pos;
        shoal_topology_get(sys->topology, &v);
        shoal_molecule *mol = NULL;
        int32_t n;
        const shoal_term *bonds = shoal_topology_terms(&v, SHOAL_KIND_BOND, &n);
        CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
        for (int32_t i = 0; i < v.n_atoms; ++i)
            (void)set_atom(mol, v.elements[i], pos[i][0], pos[i][1], pos[i][2]);
        for (int32_t b = 0; b < n; ++b)
            CHECK(shoal_molecule_add_bond(mol, bonds[b].atoms[0], bonds[b].atoms[1],
                                          (int32_t)bonds[b].p[SHOAL_BOND_ORDER], NULL) == SHOAL_OK);
        if (c->large)
            CHECK(shoal_molecule_set_cell(mol, (const double(*)[3])sys->cell,
                                          (const bool[3]){true, false, false}) == SHOAL_OK);
        CHECK(shoal_topology_create(&sys->topology, mol, &options) == SHOAL_OK);
        shoal_molecule_destroy(mol);
    }
}

/* Where angles are larger than those where guards begin, every bit is as without them; below it is not. */
static void test_no_trace(const schedule *c)
{
    static set with, without;
    static outcome a[SET_SYSTEMS], b[SET_SYSTEMS];
    const shoal_relax_options relax = {.max_steps = 30};
    with.n = 0;
    add_all(&with, c, 85);
    add_all(&with, c, 90);
    add_all(&with, c, 60);
    leave_guards_out(&with, c, &without);
    for (int pass = 0; pass < 2; ++pass) {
        drive(&with, c, pass ? &relax : NULL, a);
        drive(&without, c, pass ? &relax : NULL, b);
        for (int32_t k = 0; k < with.n; ++k) {
            const bool below = k >= 2 * N_MOLECULES;
            const size_t size = (size_t)with.systems[k].n_atoms * sizeof *a[k].forces;
            if (molecules[k % N_MOLECULES].charge) continue; /* not rebuilt from its terms */
            CHECK((memcmp(a[k].forces, b[k].forces, size) == 0) == !below);
            CHECK((a[k].r.energy == b[k].r.energy) == !below || pass);
        }
        outcomes_free(a, with.n);
        outcomes_free(b, without.n);
    }
    set_free(&with);
    set_free(&without);
}

/* A guard of its own for a record made by hand must begin where fast paths look. */
static void test_refused(void)
{
    static const int32_t atoms[3] = {0, 1, 2}, elements[3] = {1, 8, 1};
    double p[SHOAL_TERM_PARAMETERS] = {1, 1, 0, 0, -1, 0, 5, 0.17};
    shoal_topology_builder *b = NULL;
    CHECK(shoal_topology_begin(&b, 3, elements) == SHOAL_OK);
    CHECK(shoal_topology_add_term(b, SHOAL_KIND_ANGLE, atoms, NULL, p) == SHOAL_E_ARGUMENT);
    p[SHOAL_ANGLE_GUARD] = -1;
    p[SHOAL_ANGLE_GUARD_FROM] = 0.5;
    CHECK(shoal_topology_add_term(b, SHOAL_KIND_ANGLE, atoms, NULL, p) == SHOAL_E_ARGUMENT);
    p[SHOAL_ANGLE_GUARD] = 5;
    CHECK(shoal_topology_add_term(b, SHOAL_KIND_ANGLE, atoms, NULL, p) == SHOAL_OK);
    shoal_topology_abandon(b);
}

/* Guards of a molecule: how many angles have one, and the largest cosine where one begins. */
static int count_guards(shoal_molecule *mol, double *from)
{
    shoal_topology *topology = NULL;
    shoal_topology_view v;
    int32_t n;
    int count = 0;
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    shoal_topology_get(topology, &v);
    const shoal_term *t = shoal_topology_terms(&v, SHOAL_KIND_ANGLE, &n);
    *from = 0;
    for (int32_t k = 0; k < n; ++k) {
        if (t[k].p[SHOAL_ANGLE_GUARD] == 0) continue;
        *from = fmax(*from, t[k].p[SHOAL_ANGLE_GUARD_FROM]);
        ++count;
    }
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
    return count;
}

/* A metal with ligands 0 and 1, which are bonded to each other or by way of a third atom. */
static shoal_molecule *make_bite(int32_t ligand, int32_t bridge)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    (void)set_atom(mol, 74, 0, 0, 0);
    const int32_t a = set_atom(mol, ligand, 1.8, 1.0, 0), b = set_atom(mol, ligand, 1.8, -1.0, 0);
    CHECK(shoal_molecule_add_bond(mol, 0, a, 1, NULL) == SHOAL_OK);
    CHECK(shoal_molecule_add_bond(mol, 0, b, 1, NULL) == SHOAL_OK);
    if (!bridge) {
        CHECK(shoal_molecule_add_bond(mol, a, b, 1, NULL) == SHOAL_OK);
    } else {
        const int32_t c = set_atom(mol, bridge, 2.6, 0, 0);
        CHECK(shoal_molecule_add_bond(mol, a, c, 1, NULL) == SHOAL_OK);
        CHECK(shoal_molecule_add_bond(mol, b, c, 1, NULL) == SHOAL_OK);
    }
    for (int k = 0; k < 4; ++k) {
        const double x = k < 2 ? 0 : -1.6, y = k < 2 ? 0 : k == 2 ? 1.6 : -1.6;
        const int32_t f = set_atom(mol, 9, x, y, k < 2 ? 4.0 * k - 2 : 0);
        CHECK(shoal_molecule_add_bond(mol, 0, f, 1, NULL) == SHOAL_OK);
    }
    return mol;
}

static void test_typing(void)
{
    static set s;
    const schedule small = {.device = "cpu"};
    double from;
    shoal_topology_view v;
    s.n = 0;
    add_all(&s, &small, 90);
    for (int32_t k = 0; k < s.n; ++k) {
        int32_t n;
        shoal_topology_get(s.systems[k].topology, &v);
        const shoal_term *t = shoal_topology_terms(&v, SHOAL_KIND_ANGLE, &n);
        const bool octahedral = molecules[k].n_ligands == 6;
        CHECK(n == (octahedral ? 15 : 3));
        for (int32_t a = 0; a < n; ++a) {
            const double k0 = (octahedral ? 16 : 9) * t[a].p[SHOAL_ANGLE_K];
            CHECK_NEAR(t[a].p[SHOAL_ANGLE_GUARD], 10 * k0, 1e-12 * k0);
            CHECK_NEAR(t[a].p[SHOAL_ANGLE_GUARD_FROM], cos((octahedral ? 70 : 80) * RADIAN), 1e-15);
        }
    }
    set_free(&s);
    /* 14 of 15 where two ligands are bonded; the bite of four-membered rings begins at 50 degrees. */
    CHECK(count_guards(make_bite(8, 0), &from) == 14);
    CHECK_NEAR(from, cos(70 * RADIAN), 1e-15);
    CHECK(count_guards(make_bite(8, 16), &from) == 15);
    CHECK_NEAR(from, cos(50 * RADIAN), 1e-15);
}

int main(void)
{
    schedule schedules[MOST_SCHEDULES];
    const int n = find_schedules(schedules);
    test_typing();
    test_refused();
    for (int k = 0; k < n; ++k) {
        const schedule *c = &schedules[k];
        const int before = mark_failures();
        test_like_ref(c);
        tell_failures(before, c, "like ref");
        for (int method = 0; method < N_METHODS; ++method) {
            const int failed = mark_failures();
            test_comes_apart(c, (shoal_method)method);
            tell_failures(failed, c, method_name((shoal_method)method));
        }
        const int so_far = mark_failures();
        test_mates(c);
        test_no_trace(c);
        tell_failures(so_far, c, "bits");
    }
    return check_done();
}
