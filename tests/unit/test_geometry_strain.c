/* SPDX-License-Identifier: BSD-3-Clause
 * What is said of angles that cost too much, by numbers worked out by hand: topologies built term by term, at home and in
 * an oblique cell, where partners of an atom stand in other images. */
#include "check.h"
#include "engine/geometry.h"
#include "shoal/topology_builder.h"

enum { MOST = 12 };

/* An atom with partners around it: hydrogens at 1.1 angstrom, each in an image of its own. */
typedef struct star {
    shoal_topology *topology;
    int32_t n;
    double pos[MOST][3];
    double cell[3][3];
    bool fixed[MOST];
} star;

static const double oblique[3][3] = {{9, 0, 0}, {2.5, 8, 0}, {-1.5, 2, 7}};
static const int32_t images[MOST][3] = {{0, 0, 0}, {1, -2, 1}, {-1, 0, 2}, {0, 1, -1}};

/* One angle of the star: its ends and E = k (c0 + c1 cos t + .. + c4 cos 4t) + guard (cos t - from)^3. */
typedef struct bend {
    int32_t i, centre, j;
    double k, c[5], guard, from;
} bend;

/* Atom 0 at the origin (and atom n / 2, if there are two centres, far away), partners by degrees in the plane. */
static void begin(star *s, shoal_topology_builder **b, int32_t n, const double *degrees,
                  bool periodic)
{
    static const bool pbc[3] = {true, true, true};
    int32_t z[MOST];
    *s = (star){.n = n};
    for (int32_t i = 0; i < n; ++i) {
        z[i] = i == 0 ? 6 : 1;
        const double t = degrees[i] / 57.29577951308232, r = i ? 1.1 : 0;
        const double at[3] = {r * cos(t), r * sin(t), 0};
        for (int c = 0; c < 3; ++c) {
            s->pos[i][c] = at[c];
            for (int k = 0; k < 3 && periodic; ++k) s->pos[i][c] -= images[i][k] * oblique[k][c];
        }
    }
    memcpy(s->cell, oblique, sizeof s->cell);
    CHECK(shoal_topology_begin(b, n, z) == SHOAL_OK);
    if (periodic) CHECK(shoal_topology_set_periodic(*b, pbc) == SHOAL_OK);
    for (int32_t i = 1; i < n; ++i)
        CHECK(shoal_topology_add_bond(*b, 0, i, periodic ? images[i] : NULL, 30, 1.1) == SHOAL_OK);
}

static void add(shoal_topology_builder *b, const bend *t, bool periodic)
{
    const int32_t atoms[3] = {t->i, t->centre, t->j};
    int32_t shifts[3][3] = {{0}};
    double p[SHOAL_TERM_PARAMETERS] = {0};
    for (int k = 0; k < 3 && periodic; ++k) memcpy(shifts[k], images[atoms[k]], sizeof shifts[k]);
    p[SHOAL_ANGLE_K] = t->k;
    memcpy(p + SHOAL_ANGLE_C0, t->c, sizeof t->c);
    p[SHOAL_ANGLE_GUARD] = t->guard;
    p[SHOAL_ANGLE_GUARD_FROM] = t->guard > 0 ? t->from : 0.2;
    CHECK(shoal_topology_add_term(b, SHOAL_KIND_ANGLE, atoms, (const int32_t(*)[3])shifts, p) ==
          SHOAL_OK);
}

static void finish(star *s, shoal_topology_builder *b)
{
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &s->topology) == SHOAL_OK);
    if (!s->topology) (void)printf("%s\n", shoal_error_text());
}

static const char *look(const star *s, shoal_system_status status, int32_t n_restraints)
{
    static char text[BACKEND_REASON_SIZE + 1];
    static const shoal_restraint free_one = {.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 1}};
    backend_system system = {
        .fixed = s->fixed, .restraints = &free_one, .n_restraints = n_restraints};
    backend_result result = {.status = status, .pos = (double(*)[3])(void *)s->pos, .energy = -0.1};
    result.terms[SHOAL_TERM_VDW] = -0.1;
    result.terms[SHOAL_TERM_ANGLE] = 100;
    shoal_topology_get(s->topology, &system.view);
    memcpy(system.cell, s->cell, sizeof system.cell);
    text[0] = '!';
    return text + !geometry_check(&system, NULL, &result, text + 1);
}

static const char *look_at(const star *s)
{
    return look(s, SHOAL_SYSTEM_CONVERGED, 0);
}

/* cos n t from cos t. */
static double energy_of(const bend *t, double x)
{
    const double over = x > t->from ? x - t->from : 0;
    return t->k *
               (t->c[0] + t->c[1] * x + t->c[2] * (2 * x * x - 1) +
                t->c[3] * (4 * x * x * x - 3 * x) + t->c[4] * (8 * x * x * x * x - 8 * x * x + 1)) +
           (t->guard > 0 ? t->guard * over * over * over : 0);
}

/* The energy that is told is that of the formula, each of its terms. */
static void test_energy(void)
{
    static const bend bends[] = {
        {1, 0, 2, 3.0, {2, -0.5, 0, 0, 0}, 0, 0},       {1, 0, 2, 4.0, {1, 0, -1, 0, 0}, 0, 0},
        {1, 0, 2, 3.0, {1.5, 0, 0, 1, 0}, 0, 0},        {1, 0, 2, 5.0, {2, 0, 0, 0, 1}, 0, 0},
        {2, 0, 1, 2.0, {2, 0.3, 0.2, -0.4, 0.1}, 0, 0}, {1, 0, 2, 0.5, {1, 0, 0, 0, 0}, 40, 0.2}};
    static const double degrees[] = {70, 52, 100, 131};
    for (int k = 0; k < 6 * 4 * 2; ++k) {
        const bend *t = &bends[k % 6];
        const double angle = degrees[k / 6 % 4], e = energy_of(t, cos(angle / 57.29577951308232));
        const bool periodic = k >= 24;
        shoal_topology_builder *b;
        star s;
        char want[120];
        begin(&s, &b, 3, (const double[]){0, 20, 20 + angle}, periodic);
        add(b, t, periodic);
        finish(&s, b);
        (void)snprintf(want, sizeof want, "angle %d-0-%d (H-C-H) of %.0f degrees costs %.1f eV",
                       t->i, t->j, angle, e);
        CHECK_TEXT(look_at(&s), e > 2.5 ? want : "");
        CHECK_TEXT(look(&s, SHOAL_SYSTEM_MAX_STEPS, 0), ""); /* it may still come down */
        CHECK_TEXT(look(&s, SHOAL_SYSTEM_CONVERGED, 1), ""); /* somebody pulls */
        s.fixed[1] = s.fixed[2] = true;
        CHECK_TEXT(look_at(&s), ""); /* nobody's fault but the user's */
        shoal_topology_destroy(s.topology);
    }
}

/* Angles of an atom add up, if each costs half an eV, and those of another atom do not count. */
static void test_sum(void)
{
    static const struct {
        double each;
        int n;
        bool warns;
    } cases[] = {
        {2.1, 4, true}, {2.1, 3, false}, {0.45, 10, false}, {1.0, 9, true}, {1.0, 8, false}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_topology_builder *b;
        star s;
        int n = 0;
        begin(&s, &b, 6, (const double[]){0, 0, 72, 144, 216, 288}, false);
        for (int32_t i = 1; i < 6; ++i)
            for (int32_t j = i + 1; j < 6 && n < cases[k].n; ++j, ++n)
                add(b, &(bend){i, 0, j, 1, {cases[k].each, 0, 0, 0, 0}, 0, 0}, false);
        finish(&s, b);
        CHECK_TEXT(look_at(&s),
                   cases[k].warns ? "the angles at atom 0 (C) cost more than 8 eV" : "");
        shoal_topology_destroy(s.topology);
    }
    /* The same number at two atoms. */
    shoal_topology_builder *b;
    star s;
    begin(&s, &b, 6, (const double[]){0, 0, 72, 144, 216, 288}, false);
    for (int32_t j = 2; j < 5; ++j) {
        add(b, &(bend){1, 0, j, 1, {2.1, 0, 0, 0, 0}, 0, 0}, false);
        add(b, &(bend){j, 5, 0, 1, {2.1, 0, 0, 0, 0}, 0, 0}, false);
    }
    finish(&s, b);
    CHECK_TEXT(look_at(&s), "");
    shoal_topology_destroy(s.topology);
}

/* The angles of a three-membered ring are what they must be, whichever end its third bond is named from. */
static void test_ring(void)
{
    for (int k = 0; k < 3; ++k) {
        shoal_topology_builder *b;
        star s;
        begin(&s, &b, 3, (const double[]){0, 10, 70}, false);
        add(b, &(bend){1, 0, 2, 1, {4, 0, 0, 0, 0}, 0, 0}, false);
        if (k > 0)
            CHECK(shoal_topology_add_bond(b, k == 1 ? 1 : 2, k == 1 ? 2 : 1, NULL, 30, 1.1) ==
                  SHOAL_OK);
        finish(&s, b);
        CHECK_TEXT(look_at(&s), k ? "" : "angle 1-0-2 (H-C-H) of 60 degrees costs 4.0 eV");
        shoal_topology_destroy(s.topology);
    }
}

/* Bonds as parts of their length, through an oblique cell, and those of atoms that are held. */
static void test_lengths(void)
{
    static const double parts[] = {0.45, 0.55, 0.8, 0.87, 1, 1.13, 1.2, 1.6};
    static const char *const says[] = {"!bond 0-1 (C-H) is 0.45 times its length",
                                       "bond 0-1 (C-H) is 0.55 times its length",
                                       "bond 0-1 (C-H) is 0.80 times its length",
                                       "",
                                       "",
                                       "",
                                       "bond 0-1 (C-H) is 1.20 times its length",
                                       "bond 0-1 (C-H) is 1.60 times its length"};
    for (int k = 0; k < 16; ++k) {
        const bool periodic = k >= 8;
        shoal_topology_builder *b;
        star s;
        begin(&s, &b, 2, (const double[]){0, 35}, periodic);
        finish(&s, b);
        s.pos[1][0] += 1.1 * (parts[k % 8] - 1) * cos(35 / 57.29577951308232);
        s.pos[1][1] += 1.1 * (parts[k % 8] - 1) * sin(35 / 57.29577951308232);
        CHECK_TEXT(look_at(&s), says[k % 8]);
        s.fixed[1] = true;
        CHECK_TEXT(look_at(&s), says[k % 8]);
        s.fixed[0] = true;
        if (parts[k % 8] > 0.5) CHECK_TEXT(look_at(&s), "");
        shoal_topology_destroy(s.topology);
    }
}

int main(void)
{
    test_energy();
    test_sum();
    test_ring();
    test_lengths();
    return check_done();
}
