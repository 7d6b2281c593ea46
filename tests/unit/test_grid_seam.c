/* SPDX-License-Identifier: BSD-3-Clause
 * Grids of the LJ form along lines of heights, through all distances from planes of atoms where the way changes in which
 * their nodes are summed, against sums that share nothing with the library. */
#include <stdlib.h>

#include "grid_fixture.h"

#define KCAL 0.0433641153 /* eV */
#define COULOMB 14.3996454784
#define PI 3.14159265358979323846

/* UFF's hydrogen and oxygen (distance of the minimum and depth, Rappe 1992) with the charges that they have in ions. */
typedef struct probe {
    int32_t z;
    double x, d, q;
} probe;
static const probe PROBES[] = {{1, 2.886, 0.044 * KCAL, 0.4}, {8, 3.500, 0.060 * KCAL, -0.8}};
enum { N_PROBES = 2, MOST_POINTS = 1000 };

/* Energy and gradient. */
typedef struct energy {
    double v[4];
} energy;

/* Images each way that may be within a distance in the plane. */
static void count_images(const shoal_surface_view *s, double cut, int32_t n[2])
{
    for (int k = 0; k < 2; ++k)
        n[k] = (int32_t)(cut * hypot(s->cell[1 - k][0], s->cell[1 - k][1]) / s->area) + 2;
}

/* LJ pairs up to a distance in the plane, and the continuum of 1/r^6 beyond it. */
static void add_pairs(const shoal_surface_view *s, const probe *p, const double r[3], energy *e)
{
    const double cut = 30;
    int32_t n[2];
    count_images(s, cut, n);
    for (int32_t i = 0; i < s->n_atoms; ++i) {
        const double x = sqrt(2 * s->radius[i] * p->x), d = sqrt(s->depth[i] * p->d);
        const double z = r[2] - s->pos[i][2], far = cut * cut + z * z, x6 = pow(x, 6);
        e->v[0] -= 2 * d * x6 * PI / (2 * s->area) / (far * far);
        e->v[3] += 8 * d * x6 * PI / (2 * s->area) * z / (far * far * far);
        for (int32_t a = -n[0]; a <= n[0]; ++a)
            for (int32_t b = -n[1]; b <= n[1]; ++b) {
                const double dx = r[0] - s->pos[i][0] - a * s->cell[0][0] - b * s->cell[1][0];
                const double dy = r[1] - s->pos[i][1] - a * s->cell[0][1] - b * s->cell[1][1];
                if (dx * dx + dy * dy > cut * cut) continue;
                const double r2 = dx * dx + dy * dy + z * z, u6 = x6 / (r2 * r2 * r2);
                const double slope = -12 * d * (u6 * u6 - u6) / r2, by[3] = {dx, dy, z};
                e->v[0] += d * (u6 * u6 - 2 * u6);
                for (int k = 0; k < 3; ++k) e->v[1 + k] += slope * by[k];
            }
    }
}

/* Charges under a Gaussian window exp(-rho^2/l^2), less its mean over the plane, which is known:
 * pi^(3/2) l exp(z^2/l^2) erfc(z/l) / area. What is left differs from the potential by powers of 1/l^2. */
static void add_window(const shoal_surface_view *s, double l, double weight, const double r[3],
                       energy *e)
{
    const double cut = 5.7 * l, l2 = l * l;
    int32_t n[2];
    count_images(s, cut, n);
    for (int32_t i = 0; i < s->n_atoms; ++i) {
        const double q = weight * s->charges[i], z = r[2] - s->pos[i][2], h = fabs(z);
        const double mean = pow(PI, 1.5) * l * exp(z * z / l2) * erfc(h / l) / s->area;
        if (q == 0) continue;
        e->v[0] -= q * mean;
        e->v[3] -= q * (2 * h / l2 * mean - 2 * PI / s->area) * copysign(1, z);
        for (int32_t a = -n[0]; a <= n[0]; ++a)
            for (int32_t b = -n[1]; b <= n[1]; ++b) {
                const double dx = r[0] - s->pos[i][0] - a * s->cell[0][0] - b * s->cell[1][0];
                const double dy = r[1] - s->pos[i][1] - a * s->cell[0][1] - b * s->cell[1][1];
                const double rho2 = dx * dx + dy * dy, r2 = rho2 + z * z;
                if (rho2 > cut * cut) continue;
                const double v = q * exp(-rho2 / l2) / sqrt(r2);
                e->v[0] += v;
                e->v[1] -= v * dx * (1 / r2 + 2 / l2);
                e->v[2] -= v * dy * (1 / r2 + 2 / l2);
                e->v[3] -= v * z / r2;
            }
    }
}

/* The windows at l^2, 2 l^2 and 4 l^2, extrapolated; the mean is that of planes of charge. */
static energy potential(const shoal_surface_view *s, const double r[3])
{
    energy e = {{0}};
    const double l =
        1.8 * fmax(hypot(s->cell[0][0], s->cell[0][1]), hypot(s->cell[1][0], s->cell[1][1]));
    add_window(s, l, 1.0 / 3, r, &e);
    add_window(s, l * sqrt(2), -2, r, &e);
    add_window(s, 2 * l, 8.0 / 3, r, &e);
    for (int32_t i = 0; i < s->n_atoms; ++i) {
        const double z = r[2] - s->pos[i][2], q = 2 * PI / s->area * s->charges[i];
        e.v[0] -= q * fabs(z);
        e.v[3] -= q * copysign(1, z);
    }
    for (int k = 0; k < 4; ++k) e.v[k] *= COULOMB;
    return e;
}

static shoal_topology *make_atom(const probe *p)
{
    shoal_topology_builder *builder = NULL;
    shoal_topology *out = NULL;
    const shoal_atom_parameters numbers = {.vdw_x = p->x, .vdw_d = p->d, .charge = p->q};
    CHECK(shoal_topology_begin(&builder, 1, &p->z) == SHOAL_OK);
    CHECK(shoal_topology_set_atom(builder, 0, &numbers) == SHOAL_OK);
    CHECK(shoal_topology_finish(builder, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &out) == SHOAL_OK);
    return out;
}

/* Points with their energies, of one probe. */
typedef struct line {
    int32_t n;
    double pos[MOST_POINTS][3];
    energy want[MOST_POINTS];
} line;

/* From 2.5 A above the top downward, to where each probe meets +2 eV. */
static void walk(const shoal_surface_view *s, double fa, double fb, line out[N_PROBES])
{
    bool met[N_PROBES] = {false};
    for (double z = s->top + 2.5; z > s->floor && !(met[0] && met[1]); z -= 0.031) {
        const double r[3] = {fa * s->cell[0][0] + fb * s->cell[1][0],
                             fa * s->cell[0][1] + fb * s->cell[1][1], z};
        const energy v = potential(s, r);
        for (int p = 0; p < N_PROBES; ++p) {
            energy e = v;
            for (int k = 0; k < 4; ++k) e.v[k] *= PROBES[p].q;
            add_pairs(s, &PROBES[p], r, &e);
            met[p] = met[p] || e.v[0] > 2;
            if (met[p] || out[p].n == MOST_POINTS) continue;
            memcpy(out[p].pos[out[p].n], r, sizeof r);
            out[p].want[out[p].n++] = e;
        }
    }
}

/* The largest errors of energies and forces on a device. */
static void compare(const line *l, const probe *p, shoal_engine_options *o, double worst[2])
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_topology *atom = make_atom(p);
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int32_t i = 0; i < l->n; ++i) {
        const shoal_system system = {.topology = atom, .pos = &l->pos[i]};
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    }
    CHECK(shoal_engine_create(&engine, batch, o) == SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    for (int32_t i = 0; i < l->n; ++i) {
        shoal_result r;
        double f2 = 0;
        CHECK(shoal_engine_result(engine, i, &r) == SHOAL_OK && r.status == SHOAL_SYSTEM_OK);
        for (int k = 0; k < 3; ++k) f2 += pow(r.forces[0][k] + l->want[i].v[1 + k], 2);
        worst[0] = fmax(worst[0], fabs(r.energy - l->want[i].v[0]));
        worst[1] = fmax(worst[1], sqrt(f2));
    }
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(atom);
}

/* Default grids, over atoms, bridges, hollows and places between; ref says that the sums above are right. */
static void test_surface(const char *name, const shoal_slab_options *slab)
{
    static const double places[][2] = {{0, 0}, {0.5, 0}, {0.5, 0.5}, {0.33, 0.33}, {0.21, 0.64}};
    static line lines[N_PROBES];
    const shoal_surface_options form = {.form = SHOAL_SURFACE_LJ};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_slab_build(mol, slab) == SHOAL_OK);
    shoal_surface *surface = fixture_surface(mol, &form);
    shoal_grid *grid = make_grid(surface, 0, false);
    shoal_surface_view s;
    shoal_surface_get(surface, &s);
    lines[0].n = lines[1].n = 0;
    for (int k = 0; k < 5; ++k) walk(&s, places[k][0], places[k][1], lines);
    for (int p = 0; p < N_PROBES; ++p) {
        double spline[2] = {0, 0}, direct[2] = {0, 0};
        const line *l = &lines[p];
        shoal_engine_options o = {
            .device = "cpu", .precision = SHOAL_PRECISION_DOUBLE, .surface = surface, .grid = grid};
        compare(l, &PROBES[p], &o, spline);
        o.device = "ref";
        o.grid = NULL;
        compare(l, &PROBES[p], &o, direct);
        (void)printf("%s, z = %d, %d points: %.1e eV, %.1e eV/A; direct %.1e eV, %.1e eV/A\n", name,
                     PROBES[p].z, l->n, spline[0], spline[1], direct[0], direct[1]);
        CHECK(l->n > 100);
        CHECK(spline[0] < 1e-3 && spline[1] < 5e-3);
        CHECK(direct[0] < 1e-4 && direct[1] < 1e-4);
    }
    shoal_grid_destroy(grid);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_surface("KBr(001)",
                 &(shoal_slab_options){.size = {1, 1}, .layers = 2, .elements = {19, 35}});
    test_surface("CaF2(111)", &(shoal_slab_options){
                                  .kind = SHOAL_SLAB_FLUORITE111, .size = {1, 1}, .layers = 2});
    test_surface("Ag(110)", &(shoal_slab_options){
                                .kind = SHOAL_SLAB_FCC110, .size = {1, 1}, .elements = {47}});
    test_surface("stepped NaCl", &(shoal_slab_options){.size = {1, 2}, .layers = 2, .step = 1});
    return check_done();
}
