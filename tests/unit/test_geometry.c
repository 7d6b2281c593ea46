/* SPDX-License-Identifier: BSD-3-Clause
 * Warnings about relaxed geometries: bonds, partners and strangers, at home and through images. */
#include "periodic_fixture.h"
#include "run/geometry.h"

static const double cube[3][3] = {{8, 0, 0}, {0, 8, 0}, {0, 0, 8}};

/* The warning about a system with this vdW energy, eV. */
static const char *look(const set_system *sys, double vdw)
{
    static char warning[BACKEND_REASON_SIZE];
    backend_system system = {.skip = false};
    backend_result result = {.status = SHOAL_SYSTEM_CONVERGED, .pos = sys->pos, .energy = vdw};
    result.terms[SHOAL_TERM_VDW] = vdw;
    shoal_topology_get(sys->topology, &system.view);
    memcpy(system.cell, sys->cell, sizeof system.cell);
    geometry_check(&system, &result, warning);
    return warning;
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
    CHECK_TEXT(look(sys, -0.1), "atoms 1 and 2 are 0.20 A apart");
    CHECK_TEXT(look(sys, NAN), ""); /* without numbers there is nothing to warn about */
    sys->pos[2][0] = 6.5;
    CHECK(strstr(look(sys, -0.1), "bond 0-2") != NULL);
    sys->pos[2][0] = 8.5 - 0.76 + 0.3; /* squeezed to a half */
    sys->pos[2][1] = 4.2;
    CHECK(strstr(look(sys, -0.1), "bond 0-2 (O_3-H_) is 0.5") != NULL);
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
        const char *want = n > 0 ? "atoms 0 and 1 are 0.10 A apart" : "";
        CHECK_TEXT(look(sys, 1e9), want);
        CHECK_TEXT(look(sys, 0.0), want); /* vdW may be switched off */
        CHECK_TEXT(look(sys, -0.1), "");  /* such an energy has no pair so near */
    }
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
        geometry_check(&system, &result, warning);
        CHECK((strstr(warning, "torsion 0,1,2,3 is restrained, but its angle 1-2-3") != NULL) ==
              (k >= 2));
    }
    r.k = 0;
    geometry_check(&system, &result, warning);
    CHECK_TEXT(warning, "");
    r = (shoal_restraint){.kind = SHOAL_RESTRAINT_ANGLE, .atoms = {1, 2, 3}, .k = 1.0};
    geometry_check(&system, &result, warning); /* an angle may well be straight */
    CHECK_TEXT(warning, "");
    set_free(&s);
}

int main(void)
{
    test_restrained_torsion();
    test_partners();
    test_strangers();
    return check_done();
}
