/* SPDX-License-Identifier: BSD-3-Clause
 * Verdicts on relaxed geometries: bonds, partners and strangers, at home and through images, contacts
 * with a surface. */
#include "engine/geometry.h"
#include "periodic_fixture.h"

static const double cube[3][3] = {{8, 0, 0}, {0, 8, 0}, {0, 0, 8}};

/* What is said about a system with these energies of vdW and angles, eV, behind "!" if it has collapsed. */
static const char *look_with(const set_system *sys, double vdw, double angle, const bool *fixed,
                             const shoal_surface *surface)
{
    static char text[BACKEND_REASON_SIZE + 1];
    backend_system system = {.fixed = fixed};
    backend_result result = {.status = SHOAL_SYSTEM_CONVERGED, .pos = sys->pos, .energy = vdw};
    result.terms[SHOAL_TERM_VDW] = vdw;
    result.terms[SHOAL_TERM_ANGLE] = angle;
    shoal_topology_get(sys->topology, &system.view);
    memcpy(system.cell, sys->cell, sizeof system.cell);
    text[0] = '!';
    return text + !geometry_check(&system, surface, &result, text + 1);
}

static const char *look_at(const set_system *sys, double vdw, const bool *fixed,
                           const shoal_surface *surface)
{
    return look_with(sys, vdw, 0, fixed, surface);
}

static const char *look(const set_system *sys, double vdw)
{
    return look_at(sys, vdw, NULL, NULL);
}

/* Water whose second hydrogen lies in the next cell, where its image meets the first one. */
static void test_partners(void)
{
    static set s;
    static const int32_t z[3] = {8, 1, 1};
    static const double pos[3][3] = {{0.5, 4, 4}, {1.26, 4.6, 4}, {7.74, 4.6, 4}};
    set_system *sys =
        periodic_add(&s, periodic_molecule(3, z, pos, NULL, cube, 3), "water, cut in two", 0.0);
    shoal_topology_view v;
    shoal_topology_get(sys->topology, &v);
    CHECK(terms_count(&v, SHOAL_KIND_BOND) == 2 &&
          (terms_of(&v, SHOAL_KIND_BOND)[0].shifts[1][0] != 0 ||
           terms_of(&v, SHOAL_KIND_BOND)[1].shifts[1][0] != 0));
    CHECK_TEXT(look(sys, -0.1), "");
    sys->pos[2][0] = sys->pos[1][0] + 8.2; /* its image next to the other one */
    CHECK_TEXT(look(sys, -0.1), "!atoms 1 (H) and 2 (H) are 0.20 A apart");
    CHECK_TEXT(look_at(sys, -0.1, (const bool[]){false, true, true}, NULL), ""); /* held so */
    CHECK(look_at(sys, -0.1, (const bool[]){true, true, false}, NULL)[0] == '!');
    CHECK_TEXT(look(sys, NAN), ""); /* without numbers there is nothing to warn about */
    sys->pos[2][0] = 6.5;
    CHECK(strstr(look(sys, -0.1), "bond 0-2") != NULL);
    sys->pos[2][0] = 8.5 - 0.53; /* squeezed */
    sys->pos[2][1] = 4.2;
    CHECK(strncmp(look(sys, -0.1), "bond 0-2 (O_3-H_) is 0.5", 24) == 0);
    sys->pos[2][0] = 8.5 - 0.36; /* crushed */
    CHECK(strncmp(look(sys, -0.1), "!bond 0-2 (O_3-H_) is 0.4", 25) == 0);
    set_free(&s);
}

/* Two argon atoms that meet through the boundary, where the system repeats. */
static void test_strangers(void)
{
    static set s;
    static const int32_t z[2] = {18, 18};
    static const double pos[2][3] = {{1, 1, 1}, {5, 1, 1}};
    for (int n = 0; n <= 3; ++n)
        (void)periodic_add(&s, periodic_molecule(2, z, pos, NULL, cube, n), "argon", 0.0);
    for (int n = 0; n <= 3; ++n) {
        set_system *sys = &s.systems[n];
        const int along = n > 0 ? n - 1 : 0;
        CHECK_TEXT(look(sys, 1e9), "");
        memcpy(sys->pos[1], sys->pos[0], sizeof sys->pos[1]);
        sys->pos[1][along] += 16.1;
        const char *want = n > 0 ? "!atoms 0 (Ar) and 1 (Ar) are 0.10 A apart" : "";
        CHECK_TEXT(look(sys, 1e9), want);
        CHECK_TEXT(look(sys, 0.0), want); /* vdW may be switched off */
        CHECK_TEXT(look(sys, -0.1), "");  /* such an energy has no pair so near */
    }
    set_free(&s);
}

/* Large atoms are told apart from a meeting beyond 1 angstrom; small ones meet nearer. */
static void test_large_strangers(void)
{
    static set s;
    static const int32_t z[2][2] = {{54, 54}, {2, 2}};
    static const double pos[2][3] = {{1, 1, 1}, {5, 1, 1}};
    static const double apart[4] = {1.2, 0.95, 0.52, 0.48};
    static const bool meets[2][4] = {{false, true, true, true}, {false, false, false, true}};
    for (int k = 0; k < 2; ++k) {
        set_system *sys =
            periodic_add(&s, periodic_molecule(2, z[k], pos, NULL, cube, 0), "strangers", 0.0);
        for (int n = 0; n < 4; ++n) {
            sys->pos[1][0] = 1 + apart[n];
            CHECK((look(sys, 1e9)[0] == '!') == meets[k][n]);
        }
    }
    set_free(&s);
}

/* Two hydrogens of water that crowd each other, both in the cell behind the oxygen's. */
static void test_crowd_beyond(void)
{
    static set s;
    static const int32_t z[3] = {8, 1, 1};
    static const double pos[3][3] = {{0.2, 4, 4}, {7.6, 4.77, 4}, {7.6, 3.23, 4}};
    set_system *sys =
        periodic_add(&s, periodic_molecule(3, z, pos, NULL, cube, 3), "water, next door", 0.0);
    CHECK_TEXT(look(sys, -0.1), "");
    sys->pos[1][0] = sys->pos[2][0] = 7.27;
    sys->pos[1][1] = 4.27;
    sys->pos[2][1] = 3.73;
    CHECK_TEXT(look(sys, -0.1), "atoms 1 (H) and 2 (H) are 0.54 A apart");
    set_free(&s);
}

/* Two chlorines of phosphorus that close in on each other: bonded atoms are 2.0 A apart. */
static void test_ligands(void)
{
    static set s;
    static const int32_t z[4] = {15, 17, 17, 17};
    static const double pos[4][3] = {{0, 0, 0}, {2.03, 0, 0}, {0, 2.03, 0}, {0, 0, 2.03}};
    set_system *sys = periodic_add(&s, periodic_molecule(4, z, pos, NULL, cube, 0), "PCl3", 0.0);
    CHECK_TEXT(look(sys, -0.1), "");
    static const double degrees[] = {60, 54, 53, 34, 31};
    static const char *const want[] = {"", "", "atoms 1 (Cl) and 2 (Cl) are 1.81 A apart",
                                       "atoms 1 (Cl) and 2 (Cl) are 1.19 A apart",
                                       "!atoms 1 (Cl) and 2 (Cl) are 1.08 A apart"};
    for (int k = 0; k < 5; ++k) {
        const double angle = degrees[k] / 57.29577951308232;
        sys->pos[2][0] = 2.03 * cos(angle);
        sys->pos[2][1] = 2.03 * sin(angle);
        CHECK_TEXT(look(sys, -0.1), want[k]);
    }
    set_free(&s);
}

/* Three atoms of a ring are bonded to each other: an angle of 60 degrees is no crowd. */
static void test_ring(void)
{
    static set s;
    static const int32_t z[3] = {6, 6, 6};
    static const double pos[3][3] = {{0, 0, 0}, {1.28, 0, 0}, {0.64, 1.3, 0}};
    set_system *sys = periodic_add(&s, periodic_molecule(3, z, pos, NULL, cube, 0), "C3", 0.0);
    CHECK_TEXT(look(sys, -0.1), "");
    set_free(&s);
}

/* Carbon dioxide, bent to 120 degrees, with arms of unlike length: E = K (1 + cos). */
static void test_bent(void)
{
    static set s;
    static const int32_t z[3] = {6, 8, 8};
    static const double pos[3][3] = {{0, 0, 0}, {1.16, 0, 0}, {-1.16, 0, 0}};
    char want[80];
    set_system *sys = periodic_add(&s, periodic_molecule(3, z, pos, NULL, cube, 0), "CO2", 0.0);
    shoal_topology_view v;
    shoal_topology_get(sys->topology, &v);
    CHECK(terms_count(&v, SHOAL_KIND_ANGLE) == 1);
    CHECK_TEXT(look(sys, -0.1), "");
    sys->pos[2][0] = -1.3 * 0.5;
    sys->pos[2][1] = 1.3 * sqrt(0.75);
    (void)snprintf(want, sizeof want, "angle 1-0-2 (%s-C_1-%s) of 120 degrees costs %.1f eV",
                   v.types[1], v.types[2],
                   0.5 * terms_of(&v, SHOAL_KIND_ANGLE)[0].p[SHOAL_ANGLE_K]);
    CHECK_TEXT(look_with(sys, -0.1, 5, NULL, NULL), want);
    CHECK_TEXT(look_with(sys, -0.1, 2.4, NULL, NULL), ""); /* all angles together cost less */
    CHECK_TEXT(look_with(sys, -0.1, 5, (const bool[]){false, true, true}, NULL), ""); /* held */
    set_free(&s);
}

static shoal_surface *make_surface(const shoal_slab_options *slab, shoal_surface_view *v)
{
    shoal_molecule *mol = NULL;
    shoal_surface *surface = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK && shoal_slab_build(mol, slab) == SHOAL_OK);
    CHECK(shoal_surface_create(&surface, mol, NULL) == SHOAL_OK);
    shoal_surface_get(surface, v);
    shoal_molecule_destroy(mol);
    return surface;
}

/* An oxygen atom above sodium and chlorine, in the cell and in an image of it. */
static void test_surface(void)
{
    static set s;
    static const int32_t z[1] = {8};
    static const double pos[1][3] = {{0, 0, 2.3}};
    set_system *sys = periodic_add(&s, periodic_molecule(1, z, pos, NULL, cube, 0), "O", 0.0);
    const shoal_slab_options salt = {.size = {2, 2}, .charge = 0.9};
    shoal_surface_view v;
    shoal_surface *surface = make_surface(&salt, &v);
    for (int n = -2; n <= 2; ++n) {
        const double x = v.pos[0][0] + n * v.cell[0][0], y = v.pos[0][1] + 3 * n * v.cell[1][1];
        memcpy(sys->pos[0], (const double[3]){x, y, v.top + 1.87}, sizeof sys->pos[0]);
        CHECK_TEXT(look_at(sys, -0.1, NULL, surface), ""); /* 0.8 (0.66 + 1.66) = 1.856 */
        sys->pos[0][2] = v.top + 1.84;
        CHECK_TEXT(look_at(sys, -0.1, NULL, surface),
                   "!atom 0 (O) is 1.84 A from atom 0 (Na) of the surface");
        CHECK_TEXT(look_at(sys, -0.1, (const bool[]){true}, surface), "");
        CHECK_TEXT(look_at(sys, -0.1, NULL, NULL), "");
        sys->pos[0][0] += v.pos[1][0] - v.pos[0][0]; /* above chlorine: 1.344 */
        sys->pos[0][1] += v.pos[1][1] - v.pos[0][1];
        sys->pos[0][2] = v.top + 1.36;
        CHECK_TEXT(look_at(sys, -0.1, NULL, surface), "");
        sys->pos[0][2] = v.top + 1.30;
        CHECK_TEXT(look_at(sys, -0.1, NULL, surface),
                   "!atom 0 (O) is 1.30 A from atom 1 (Cl) of the surface");
    }
    shoal_surface_destroy(surface);
    set_free(&s);
}

/* Hydrogen and chlorine are small: no contact below 1.2 angstrom is meant, whatever 0.8 (0.31 + 1.02) is. */
static void test_closest_contact(void)
{
    static set s;
    static const int32_t z[1] = {1};
    static const double pos[1][3] = {{0, 0, 30}};
    set_system *sys = periodic_add(&s, periodic_molecule(1, z, pos, NULL, cube, 0), "H", 0.0);
    const shoal_slab_options salt = {.size = {2, 2}};
    shoal_molecule *mol = NULL;
    shoal_surface *surface = NULL;
    shoal_surface_view v;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK && shoal_slab_build(mol, &salt) == SHOAL_OK);
    CHECK(shoal_surface_create(&surface, mol, NULL) == SHOAL_OK);
    shoal_surface_get(surface, &v);
    memcpy(sys->pos[0], v.pos[1], sizeof sys->pos[0]);
    sys->pos[0][2] = v.top + 1.21;
    CHECK_TEXT(look_at(sys, -0.1, NULL, surface), "");
    sys->pos[0][2] = v.top + 1.19;
    CHECK_TEXT(look_at(sys, -0.1, NULL, surface),
               "!atom 0 (H) is 1.19 A from atom 1 (Cl) of the surface");
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(mol);
    set_free(&s);
}

/* Of several contacts the nearest is told, wherever it stands. */
static void test_nearest_contact(void)
{
    static set s;
    static const int32_t z[3] = {8, 8, 8};
    static const double far[3][3] = {{0, 0, 30}, {9, 0, 30}, {18, 0, 30}};
    set_system *sys = periodic_add(&s, periodic_molecule(3, z, far, NULL, cube, 0), "O", 0.0);
    const shoal_slab_options salt = {.size = {8, 8}, .no_charges = true};
    shoal_surface_view v;
    shoal_surface *surface = make_surface(&salt, &v);
    for (int nearest = 0; nearest < 3; ++nearest) {
        char want[80];
        for (int i = 0; i < 3; ++i) {
            memcpy(sys->pos[i], v.pos[0], sizeof sys->pos[i]);
            sys->pos[i][0] += 9 * i * v.cell[0][0]; /* the same place, cells apart */
            sys->pos[i][2] += i == nearest ? 1.5 : 1.7;
        }
        (void)snprintf(want, sizeof want, "!atom %d (O) is 1.50 A from atom 0 (Na) of the surface",
                       nearest);
        CHECK_TEXT(look_at(sys, -0.1, NULL, surface), want);
    }
    shoal_surface_destroy(surface);
    set_free(&s);
}

/* Four argon atoms, the angle 1-2-3 of which closes in on straight. */
static void test_restrained_torsion(void)
{
    static set s;
    static const int32_t z[4] = {18, 18, 18, 18};
    static const double pos[4][3] = {{0, 4, 0}, {0, 0, 0}, {4, 0, 0}, {8, 0, 0}};
    static const double degrees[] = {1.0, 0.12, 0.08, 0.0};
    shoal_restraint r = {.kind = SHOAL_RESTRAINT_TORSION, .atoms = {0, 1, 2, 3}, .k = 1.0};
    set_system *sys = periodic_add(&s, periodic_molecule(4, z, pos, NULL, cube, 0), "argon", 0.0);
    char warning[BACKEND_REASON_SIZE];
    backend_system system = {.restraints = &r, .n_restraints = 1};
    backend_result result = {.status = SHOAL_SYSTEM_CONVERGED, .pos = sys->pos, .energy = -0.1};
    result.terms[SHOAL_TERM_VDW] = -0.1;
    shoal_topology_get(sys->topology, &system.view);
    for (int k = 0; k < 4; ++k) {
        const double angle = degrees[k] / 57.29577951308232;
        sys->pos[3][0] = 4 + 4 * cos(angle);
        sys->pos[3][2] = 4 * sin(angle);
        (void)geometry_check(&system, NULL, &result, warning);
        CHECK((strstr(warning, "torsion 0,1,2,3 is restrained, but its angle 1-2-3") != NULL) ==
              (k >= 2));
    }
    r.k = 0;
    (void)geometry_check(&system, NULL, &result, warning);
    CHECK_TEXT(warning, "");
    r = (shoal_restraint){.kind = SHOAL_RESTRAINT_ANGLE, .atoms = {1, 2, 3}, .k = 1.0};
    (void)geometry_check(&system, NULL, &result, warning); /* an angle may well be straight */
    CHECK_TEXT(warning, "");
    set_free(&s);
}

int main(void)
{
    test_restrained_torsion();
    test_partners();
    test_strangers();
    test_ligands();
    test_ring();
    test_bent();
    test_surface();
    test_large_strangers();
    test_crowd_beyond();
    test_closest_contact();
    test_nearest_contact();
    return check_done();
}
