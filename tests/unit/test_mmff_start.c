/* SPDX-License-Identifier: BSD-3-Clause
 * Where directions and electron pairs of MMFFsp3 begin: energies of a start, the same in all orientations, and nothing
 * that is no number wherever atoms are. */
#include <math.h>

#include "ff/auxiliary.h"
#include "geom/vector.h"
#include "mmff_fixture.h"

enum { MOST = 64 };

static const char formic_acid[] = "5\n\n"
                                  "C 0 0 0\nO 1.2 .1 0\nO -.65 1.15 .05\nH -.55 -.95 .1\n"
                                  "H -1.5 1 .4\n";
static const char acetamide[] = "9\n\n"
                                "C 0 0 0\nC 1.5 .05 .02\nO 2.15 1.08 -.05\nN 2.12 -1.15 .1\n"
                                "H -.38 1.02 .05\nH -.38 -.5 .89\nH -.37 -.54 -.88\nH 1.6 -2 .25\n"
                                "H 3.12 -1.2 -.05\n";
static const char disulfide[] = "10\n\n"
                                "C -1.9 1.3 .4\nS -.9 -.2 .5\nS .9 .3 -.5\nC 1.9 -1.2 -.3\n"
                                "H -1.3 2.1 0\nH -2.8 1.2 -.2\nH -2.2 1.5 1.4\nH 1.3 -2.1 -.5\n"
                                "H 2.8 -1.2 -1\nH 2.2 -1.3 .7\n";

/* A system at its start. */
typedef struct start {
    shoal_molecule *mol;
    uff u;
    double pos[MOST][3];
    double sigma, pi; /* eV */
} start;

static double sigma_energy(const start *s)
{
    const shoal_topology_view *v = &s->u.view;
    const shoal_term *t = terms_of(v, SHOAL_KIND_SIGMA_PI);
    double sum = 0;
    for (int32_t k = 0; k < terms_count(v, SHOAL_KIND_SIGMA_PI); ++k) {
        double h[3];
        for (int c = 0; c < 3; ++c) h[c] = s->pos[t[k].atoms[2]][c] - s->pos[t[k].atoms[1]][c];
        const double cosine = vector_dot(h, s->pos[t[k].atoms[0]]) / sqrt(vector_dot(h, h));
        sum += t[k].p[SHOAL_SIGMA_K] * pow(cosine - t[k].p[SHOAL_SIGMA_C0], 2);
    }
    return sum;
}

static double pi_energy(const start *s)
{
    const shoal_topology_view *v = &s->u.view;
    const shoal_term *t = terms_of(v, SHOAL_KIND_PI_PI);
    double sum = 0;
    for (int32_t k = 0; k < terms_count(v, SHOAL_KIND_PI_PI); ++k)
        sum += t[k].p[SHOAL_PI_K] *
               (1 - fabs(vector_dot(s->pos[t[k].atoms[0]], s->pos[t[k].atoms[1]])));
    return sum;
}

static void place(start *s)
{
    const shoal_topology_view *v = &s->u.view;
    CHECK(mover_count(v) <= MOST);
    auxiliary_place(v, (const double(*)[3])s->mol->cell, s->pos);
    for (int32_t k = 0; k < v->n_directions; ++k) {
        const double *p = s->pos[v->n_atoms + v->n_pairs + k];
        CHECK_NEAR(vector_dot(p, p), 1, 1e-14);
    }
    s->sigma = sigma_energy(s);
    s->pi = pi_energy(s);
}

static void begin(start *s, const char *xyz, const shoal_typing_options *o)
{
    *s = (start){.mol = chem_xyz(xyz)};
    uff_make_typed(&s->u, s->mol, o);
    for (int32_t i = 0; i < s->mol->n_atoms; ++i)
        for (int c = 0; c < 3; ++c) s->pos[i][c] = s->mol->pos[i][c];
    place(s);
}

static void end(start *s)
{
    uff_free(&s->u);
    shoal_molecule_destroy(s->mol);
}

/* A random rotation by a unit quaternion, with a reflection before it if asked for. */
static void random_turn(uint64_t *seed, bool mirrored, double m[3][3])
{
    double q[4], norm = 0;
    for (int c = 0; c < 4; ++c) {
        q[c] = chem_random(seed, 2000001) * 1e-6 - 1;
        norm += q[c] * q[c];
    }
    for (int c = 0; c < 4; ++c) q[c] /= sqrt(norm);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double turn[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) m[r][c] = (mirrored ? -1 : 1) * turn[r][c];
}

/* The same molecule, turned: energies, and places of electron pairs. */
static void check_turned(const start *from, uint64_t *seed, bool mirrored)
{
    const shoal_topology_view *v = &from->u.view;
    double m[3][3];
    start s = *from;
    random_turn(seed, mirrored, m);
    for (int32_t i = 0; i < v->n_atoms; ++i)
        for (int c = 0; c < 3; ++c) s.pos[i][c] = vector_dot(m[c], from->pos[i]);
    place(&s);
    CHECK_NEAR(s.sigma, from->sigma, 1e-12);
    CHECK_NEAR(s.pi, from->pi, 1e-12);
    for (int32_t i = v->n_atoms; i < v->n_atoms + v->n_pairs; ++i)
        for (int c = 0; c < 3; ++c) CHECK_NEAR(s.pos[i][c], vector_dot(m[c], from->pos[i]), 1e-12);
}

static void check_orientations(const char *xyz, const shoal_typing_options *o, double most_sigma,
                               double most_pi)
{
    uint64_t seed = 7;
    start s;
    begin(&s, xyz, o);
    CHECK(s.sigma < most_sigma && s.pi < most_pi);
    for (int k = 0; k < 20; ++k) check_turned(&s, &seed, false);
    for (int k = 0; k < 5; ++k) check_turned(&s, &seed, true);
    end(&s);
}

static const shoal_typing_options with_pairs = {.forcefield = SHOAL_FORCEFIELD_MMFFSP3,
                                                .electron_pairs = true};

static void test_orientations(void)
{
    const shoal_typing_options *both[] = {&mmff_own, &mmff_original, &with_pairs};
    for (int k = 0; k < 3; ++k) {
        check_orientations(formic_acid, both[k], 0.1, 0.3);
        check_orientations(acetamide, both[k], 0.1, 0.3);
        check_orientations(disulfide, both[k], 0.3, 0.5);
    }
}

/* --- chains of partners -------------------------------------------------------------------------*/

/* The oxygen of a ketone follows its carbon, one of a nitro group its nitrogen; a planar molecule costs nothing. */
static void test_partners(void)
{
    start s;
    begin(&s, "4\n\nC 0 0 0\nO 1.22 0 0\nH -.6 .94 0\nH -.6 -.94 0\n", &mmff_own);
    CHECK(s.u.view.n_directions == 2);
    CHECK_NEAR(s.sigma + s.pi, 0, 1e-14);
    end(&s);
    begin(&s, "4\n\nC 0 0 0\nC 0 0 1.2\nH 0 0 -1.06\nH 0 0 2.26\n", &mmff_own); /* in line */
    CHECK(s.u.view.n_directions == 2);
    CHECK_NEAR(s.sigma, 0, 1e-14);
    end(&s);
    begin(&s, "3\n\nC 0 0 0\nO 1.16 0 0\nO -1.16 0 0\n", &mmff_own);
    CHECK_NEAR(s.sigma, 0, 1e-14);
    end(&s);
}

/* The lone pair of a twisted hydroxyl group is the one of two that is more along the pi axis of its carbon. */
static void test_lone_pair(void)
{
    start s;
    begin(&s, "5\n\nC 0 0 0\nO 1.2 .1 0\nO -.65 1.15 0\nH -.55 -.95 0\nH -1.3 1.1 .7\n", &mmff_own);
    const double *carbon = s.pos[5], *lone = s.pos[7];
    double a[3], b[3], n[3], other[3];
    for (int c = 0; c < 3; ++c) {
        a[c] = s.pos[0][c] - s.pos[2][c];
        b[c] = s.pos[4][c] - s.pos[2][c];
    }
    for (int c = 0; c < 3; ++c)
        n[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
    for (int c = 0; c < 3; ++c)
        other[c] = lone[c] - 2 * vector_dot(lone, n) / vector_dot(n, n) * n[c];
    CHECK(fabs(vector_dot(lone, carbon)) > fabs(vector_dot(other, carbon)) + 0.1);
    CHECK(vector_dot(lone, a) < 0 && vector_dot(lone, b) < 0);
    end(&s);
}

/* --- electron pairs -----------------------------------------------------------------------------*/

static double angle(const double *a, const double *at, const double *b)
{
    double u[3], v[3];
    for (int c = 0; c < 3; ++c) {
        u[c] = a[c] - at[c];
        v[c] = b[c] - at[c];
    }
    return acos(vector_dot(u, v) / sqrt(vector_dot(u, u) * vector_dot(v, v))) * 57.29577951308232;
}

static double distance(const double *a, const double *b)
{
    double u[3];
    for (int c = 0; c < 3; ++c) u[c] = a[c] - b[c];
    return sqrt(vector_dot(u, u));
}

static void test_pairs(void)
{
    start s;
    begin(&s, "3\n\nO 0 0 0\nH .76 .59 0\nH -.76 .59 0\n", &with_pairs); /* tetrahedral */
    CHECK(s.u.view.n_pairs == 2);
    CHECK_NEAR(angle(s.pos[3], s.pos[0], s.pos[4]), 109.47, 0.01);
    CHECK_NEAR(distance(s.pos[3], s.pos[0]), 0.5, 1e-12);
    CHECK(s.pos[3][1] < 0 && s.pos[4][1] < 0);
    end(&s);
    begin(&s, "4\n\nN 0 0 0\nH .94 0 .38\nH -.47 .81 .38\nH -.47 -.81 .38\n", &with_pairs);
    CHECK_NEAR(s.pos[4][2], -0.5, 1e-3); /* away from the bonds */
    end(&s);
    begin(&s, "4\n\nC 0 0 0\nO 1.22 0 0\nH -.6 .94 0\nH -.6 -.94 0\n", &with_pairs); /* in plane */
    CHECK(s.u.view.n_pairs == 2);
    CHECK_NEAR(angle(s.pos[4], s.pos[1], s.pos[0]), 120, 1e-9);
    CHECK_NEAR(angle(s.pos[5], s.pos[1], s.pos[0]), 120, 1e-9);
    CHECK_NEAR(angle(s.pos[4], s.pos[1], s.pos[5]), 120, 1e-9);
    CHECK_NEAR(s.pos[4][2], 0, 1e-12);
    end(&s);
    begin(&s, "3\n\nN 1.15 0 0\nC 0 0 0\nH -1.06 0 0\n", &with_pairs); /* behind */
    CHECK_NEAR(s.pos[3][0], 1.65, 1e-12);
    end(&s);
    begin(&s, "5\n\nN 0 0 0\nC 1.28 0 0\nH -.5 .87 0\nH 1.85 .93 0\nH 1.85 -.93 0\n", &with_pairs);
    CHECK(s.u.view.n_pairs == 1);
    CHECK_NEAR(s.pos[5][2], 0, 1e-12);
    CHECK(s.pos[5][0] < 0 && s.pos[5][1] < 0);
    end(&s);
}

/* --- anywhere -----------------------------------------------------------------------------------*/

/* Coincident atoms, atoms in line and far away: unit vectors, electron pairs at numbers, twice the same bits. */
static void test_degenerate(void)
{
    uint64_t seed = 3;
    const char *molecules[] = {formic_acid, acetamide, disulfide};
    for (int n = 0; n < 3; ++n)
        for (int k = 0; k < 200; ++k) {
            start s, again;
            begin(&s, molecules[n], k % 2 ? &with_pairs : &mmff_own);
            for (int32_t i = 0; i < s.mol->n_atoms; ++i)
                for (int c = 0; c < 3; ++c)
                    s.pos[i][c] = (chem_random(&seed, 3) - 1) * (k % 5 == 4 ? 1e150 : 1.0);
            again = s;
            place(&s);
            place(&again);
            const int32_t n_movers = mover_count(&s.u.view);
            CHECK(memcmp(s.pos, again.pos, (size_t)n_movers * sizeof *s.pos) == 0);
            for (int32_t i = 0; i < n_movers; ++i)
                CHECK(isfinite(s.pos[i][0]) && isfinite(s.pos[i][1]) && isfinite(s.pos[i][2]));
            end(&s);
        }
}

/* A fragment that is a lattice vector away begins as the whole molecule does. */
static void test_images(void)
{
    static const double cell[3][3] = {{9, 0, 0}, {1, 10, 0}, {0, 2, 11}};
    start s;
    begin(&s, acetamide, &with_pairs);
    shoal_molecule *mol = chem_xyz(acetamide);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    shoal_molecule *torn = chem_bare(mol, NULL);
    chem_cell(torn, cell, 3);
    for (int32_t i = 1; i < 4; ++i)
        for (int c = 0; c < 3; ++c) torn->pos[i][c] += cell[1][c];
    start t = {.mol = torn};
    uff_make_typed(&t.u, torn, &with_pairs);
    for (int32_t i = 0; i < torn->n_atoms; ++i)
        for (int c = 0; c < 3; ++c) t.pos[i][c] = torn->pos[i][c];
    const shoal_topology_view *v = &t.u.view;
    auxiliary_place(v, cell, t.pos);
    for (int32_t i = 9; i < 9 + v->n_pairs; ++i) /* both belong to the oxygen, which moved */
        for (int c = 0; c < 3; ++c) CHECK_NEAR(t.pos[i][c], s.pos[i][c] + cell[1][c], 1e-12);
    for (int32_t i = 9 + v->n_pairs; i < mover_count(v); ++i)
        CHECK_NEAR(fabs(vector_dot(t.pos[i], s.pos[i])), 1, 1e-12);
    end(&s);
    end(&t);
    shoal_molecule_destroy(mol);
}

/* --- engines ------------------------------------------------------------------------------------*/

/* An engine begins with the directions of auxiliary_place, wherever atoms are put. */
static void check_engine(const char *device, const start *s)
{
    const shoal_engine_options options = {
        .device = device, .n_threads = 1, .precision = SHOAL_PRECISION_DOUBLE};
    const shoal_system system = {.topology = s->u.topology, .pos = (const double(*)[3])s->pos};
    shoal_batch *batch;
    shoal_engine *engine;
    shoal_result r;
    double m[3][3], turned[MOST][3];
    uint64_t seed = 5;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    CHECK(shoal_engine_create(&engine, batch, &options) == SHOAL_OK);
    for (int k = 0; k < 6; ++k) {
        CHECK(shoal_engine_eval(engine) == SHOAL_OK);
        CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
        CHECK_TEXT(r.reason, "");
        CHECK_NEAR(r.terms[SHOAL_TERM_SIGMA_PI], s->sigma, 1e-12);
        CHECK_NEAR(r.terms[SHOAL_TERM_PI_PI], s->pi, 1e-12);
        random_turn(&seed, k % 2, m);
        for (int32_t i = 0; i < s->mol->n_atoms; ++i)
            for (int c = 0; c < 3; ++c) turned[i][c] = vector_dot(m[c], s->pos[i]);
        CHECK(shoal_engine_set_positions(engine, 0, (const double(*)[3])turned) == SHOAL_OK);
    }
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
}

static void test_engines(void)
{
    const char *texts[] = {formic_acid, acetamide, disulfide};
    for (int k = 0; k < 9; ++k) {
        start s;
        begin(&s, texts[k % 3], k < 3 ? &mmff_own : k < 6 ? &mmff_original : &with_pairs);
        check_engine("ref", &s);
        check_engine("cpu", &s);
        end(&s);
    }
}

int main(void)
{
    test_engines();
    test_orientations();
    test_partners();
    test_lone_pair();
    test_pairs();
    test_degenerate();
    test_images();
    return check_done();
}
