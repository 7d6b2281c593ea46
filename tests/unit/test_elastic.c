/* SPDX-License-Identifier: BSD-3-Clause
 * Elastic constants against formulas: springs between neighbours, rock salt with two kinds of springs, and diamond with
 * angles, whose atoms move inside the cell; powders of an isotropic solid; what leaves no stiffness. */
#include "periodic_fixture.h"
#include "shoal/elastic.h"
#include "shoal/topology_builder.h"

#define SIZE 4.0 /* angstrom: edge of the cube */

static const char *devices[] = {"cpu", "opencl:cpu"};

/* A cell of two atoms of one face-centred lattice each. */
typedef struct crystal {
    shoal_topology *topology;
    double pos[2][3], cell[3][3];
} crystal;

static const bool pbc[3] = {true, true, true};

static shoal_topology_builder *begin(crystal *c, double second)
{
    static const int32_t z[2] = {6, 6};
    shoal_topology_builder *b = NULL;
    for (int k = 0; k < 3; ++k) {
        c->pos[0][k] = 0;
        c->pos[1][k] = second * SIZE;
        for (int i = 0; i < 3; ++i) c->cell[k][i] = i == k ? 0 : SIZE / 2;
    }
    CHECK(shoal_topology_begin(&b, 2, z) == SHOAL_OK);
    CHECK(shoal_topology_set_periodic(b, pbc) == SHOAL_OK);
    return b;
}

static void place(const crystal *c, int32_t atom, const int32_t shift[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = c->pos[atom][i];
        for (int k = 0; k < 3; ++k) out[i] += shift[k] * c->cell[k][i];
    }
}

/* Springs at rest of all images of j that are this far from i, each pair once. */
static int add_springs(const crystal *c, shoal_topology_builder *b, const int32_t ij[2], double far,
                       double k)
{
    int n = 0;
    for (int s = 0; s < 125; ++s) {
        const int32_t shift[3] = {s / 25 - 2, s / 5 % 5 - 2, s % 5 - 2};
        double r[3], d2 = 0;
        if (ij[0] == ij[1] && s <= 62) continue;
        place(c, ij[1], shift, r);
        for (int i = 0; i < 3; ++i) d2 += (r[i] - c->pos[ij[0]][i]) * (r[i] - c->pos[ij[0]][i]);
        if (fabs(sqrt(d2) - far) > 1e-6) continue;
        CHECK(shoal_topology_add_bond(b, ij[0], ij[1], shift, k, far) == SHOAL_OK);
        ++n;
    }
    return n;
}

static void end(crystal *c, shoal_topology_builder *b)
{
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_NAMED, &c->topology) == SHOAL_OK);
}

static shoal_engine *engine_of(const crystal *c, const char *device)
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    const shoal_engine_options options = {.device = device};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    const shoal_system system = {.topology = c->topology,
                                 .pos = (const double(*)[3])c->pos,
                                 .cell = (const double(*)[3])c->cell};
    CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    CHECK(shoal_engine_create(&engine, batch, &options) == SHOAL_OK);
    shoal_batch_destroy(batch);
    return engine;
}

/* The cubic constants, with atoms that had been pushed aside. */
static void check_cubic(crystal *c, const char *device, double c11, double c12, double c44)
{
    shoal_elastic e;
    shoal_result r;
    c->pos[1][0] += 0.05;
    const bool is_exact = strcmp(device, "cpu") == 0;
    shoal_engine *engine = engine_of(c, device);
    const shoal_relax_options how = {.fmax = is_exact ? 1e-6 : 1e-3,
                                     .elastic = is_exact ? 1e-3 : 1e-2};
    CHECK(shoal_engine_relax(engine, &how, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    CHECK(r.status == SHOAL_SYSTEM_CONVERGED && r.elastic && r.steps > 1);
    for (int k = 0; k < 6; ++k) CHECK_NEAR(r.stress[k], 0, 1e-4);
    CHECK(shoal_elastic_find(r.elastic, &e) == SHOAL_OK);
    const double tolerance = (is_exact ? 2e-4 : 2e-3) * c11;
    CHECK(e.stable && e.asymmetry < 2 * tolerance);
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k)
            CHECK_NEAR(e.stiffness[i][k],
                       i < 3 && k < 3 ? (i == k ? c11 : c12)
                       : i == k       ? c44
                                      : 0,
                       tolerance);
    CHECK_NEAR(e.bulk, (c11 + 2 * c12) / 3, tolerance);
    CHECK_NEAR(e.shear_voigt, (c11 - c12 + 3 * c44) / 5, tolerance);
    CHECK_NEAR(e.shear_reuss, 5 * (c11 - c12) * c44 / (4 * c44 + 3 * (c11 - c12)), tolerance);
    for (int k = 0; k < 3; ++k) CHECK_NEAR(shoal_engine_cell(engine, 0)[k][k], 0, 1e-12);
    /* All is where it was before the strains. */
    const shoal_relax_options plain = {.fmax = how.fmax};
    shoal_engine *other = engine_of(c, device);
    shoal_result p;
    CHECK(shoal_engine_relax(other, &plain, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_result(other, 0, &p) == SHOAL_OK && p.energy == r.energy);
    CHECK(p.steps == r.steps && p.fmax == r.fmax &&
          memcmp(p.stress, r.stress, sizeof r.stress) == 0);
    CHECK(memcmp(p.forces, r.forces, 2 * sizeof *r.forces) == 0);
    CHECK(memcmp(shoal_engine_positions(other, 0), shoal_engine_positions(engine, 0), 48) == 0);
    shoal_engine_destroy(other);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK && !r.elastic);
    shoal_engine_destroy(engine);
    shoal_topology_destroy(c->topology);
}

/* Springs a between unlike neighbours, at half an edge, and b between like ones, at the half diagonal of a face: each bond
 * k r^2 n_i n_j n_k n_l over the volume (Born and Huang, Dynamical Theory of Crystal Lattices, 1954). */
static void test_rock_salt(const char *device)
{
    static const int32_t unlike[2] = {0, 1}, like[2][2] = {{0, 0}, {1, 1}};
    const double a = 9, b = 4;
    crystal c;
    shoal_topology_builder *builder = begin(&c, 0.5);
    CHECK(add_springs(&c, builder, unlike, SIZE / 2, a) == 6);
    for (int k = 0; k < 2; ++k) CHECK(add_springs(&c, builder, like[k], SIZE / sqrt(2), b) == 6);
    end(&c, builder);
    check_cubic(&c, device, 2 * (a + 2 * b) / SIZE, 2 * b / SIZE, 2 * b / SIZE);
}

/* E = k/2 (angle - tetrahedron)^2 to the second order. */
static void add_angles(shoal_topology_builder *b, double k)
{
    static const double terms[5] = {11.0 / 32, 3.0 / 8, 9.0 / 32, 0, 0};
    for (int32_t centre = 0; centre < 2; ++centre)
        for (int p = 0; p < 4; ++p)
            for (int q = 0; q < p; ++q) {
                const int32_t sign = centre == 0 ? -1 : 1,
                              atoms[3] = {1 - centre, centre, 1 - centre};
                int32_t shifts[3][3] = {{0}};
                if (p < 3) shifts[0][p] = sign;
                if (q < 3) shifts[2][q] = sign;
                CHECK(shoal_topology_add_angle(b, atoms, (const int32_t(*)[3])shifts, k, terms) ==
                      SHOAL_OK);
            }
}

/* Bonds k and angles h, g = h / r^2, a cube of the edge a: pressure stretches all bonds alike, B = k / 3a; C11 - C12 bends
 * angles alone, 6 g / a; a shear moves the two lattices, along w = u / sqrt(3), and costs 2 k (w + r s / 3)^2 +
 * 16 g (w - r s / 6)^2, at the best w C44 = 6 k g / (k + 8 g) / a. */
static void test_diamond(const char *device)
{
    static const int32_t unlike[2] = {0, 1};
    const double k = 20, h = 6, r = SIZE * sqrt(3) / 4, g = h / (r * r);
    crystal c;
    shoal_topology_builder *builder = begin(&c, 0.25);
    CHECK(add_springs(&c, builder, unlike, r, k) == 4);
    add_angles(builder, h);
    end(&c, builder);
    const double bulk = k / (3 * SIZE), shear = 6 * g / SIZE;
    check_cubic(&c, device, bulk + 2 * shear / 3, bulk - shear / 3, 6 * k * g / (k + 8 * g) / SIZE);
}

/* An isotropic solid is its own powder; what costs nothing is not stable. */
static void test_powder(void)
{
    double m[6][6] = {{0}};
    shoal_elastic e;
    const double bulk = 3, shear = 0.7;
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k)
            m[i][k] = i < 3 && k < 3 ? bulk + shear * (i == k ? 4.0 / 3 : -2.0 / 3)
                      : i == k       ? shear
                                     : 0;
    CHECK(shoal_elastic_find((const double(*)[6])m, &e) == SHOAL_OK && e.stable);
    CHECK_NEAR(e.bulk_voigt, bulk, 1e-12);
    CHECK_NEAR(e.bulk_reuss, bulk, 1e-12);
    CHECK_NEAR(e.shear_voigt, shear, 1e-12);
    CHECK_NEAR(e.shear_reuss, shear, 1e-12);
    CHECK_NEAR(e.eigenvalues[0], 2 * shear, 1e-12);
    CHECK_NEAR(e.eigenvalues[5], 3 * bulk, 1e-12);
    m[3][3] = 0;
    CHECK(shoal_elastic_find((const double(*)[6])m, &e) == SHOAL_OK && !e.stable);
    CHECK(isnan(e.bulk) && isfinite(e.bulk_voigt));
    m[0][1] += 0.5;
    CHECK(shoal_elastic_find((const double(*)[6])m, &e) == SHOAL_OK);
    CHECK_NEAR(e.asymmetry, 0.5, 1e-12);
    m[5][0] = NAN;
    CHECK(shoal_elastic_find((const double(*)[6])m, &e) == SHOAL_E_ARGUMENT);
}

int main(void)
{
    test_powder();
    for (int d = 0; d < 2; ++d) {
        if (shoal_device_check(devices[d]) != SHOAL_OK) {
            (void)printf("%s left out: %s\n", devices[d], shoal_error_text());
            CHECK(!getenv("CI"));
            continue;
        }
        test_rock_salt(devices[d]);
        test_diamond(devices[d]);
    }
    return check_done();
}
