/* SPDX-License-Identifier: BSD-3-Clause
 * Surfaces: the fields of the direct sum against sums written out, and what must not change them. */
#include "surface_fixture.h"

#include "surf/surface.h"

#include "constants.h"

/* Parameters of the example below: R, depth, charge. */
static const char example_types[] = "Na * Na E 1 0 0 0 1.0 1.4915 0.00130092313 0.7 0.0\n"
                                    "Cl * Cl E 1 0 0 0 1.0 1.9735 0.00984365166 -0.7 0.0\n";

/* A published example of the factorisation: O above Na and Cl, alpha 1.5, no images. The pair
 * functions are written out; the weights are the library's. */
static void test_example(void)
{
    static const double cell[3][3] = {{300, 0, 0}, {0, 300, 0}, {0, 0, 50}};
    static const double sites[2][3] = {{0, 0, 0}, {2.83, 0, 0}}, r[3] = {0.8, 0.5, 3.1};
    static const bool pbc[3] = {true, true, false};
    shoal_atom_types *types = NULL;
    shoal_molecule *mol = NULL;
    CHECK(shoal_atom_types_read_memory(&types, example_types, sizeof example_types - 1,
                                       "example") == SHOAL_OK);
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_molecule_add_atom(mol, 11, sites[0]) == SHOAL_OK);
    CHECK(shoal_molecule_add_atom(mol, 17, sites[1]) == SHOAL_OK);
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    const shoal_surface_options options = {.form = SHOAL_SURFACE_MORSE, .types = types};
    shoal_surface *s = fixture_surface(mol, &options);
    double V[3] = {0}, w[SHOAL_N_CHANNELS], fields[SHOAL_N_CHANNELS][4];
    for (int i = 0; i < 2; ++i) {
        const double dx = r[0] - sites[i][0], dy = r[1], dz = r[2];
        const double d = sqrt(dx * dx + dy * dy + dz * dz);
        V[0] += s->weight[i][SHOAL_CHANNEL_P] * exp(-3.0 * d);
        V[1] += s->weight[i][SHOAL_CHANNEL_L] * exp(-1.5 * d);
        V[2] += s->weight[i][SHOAL_CHANNEL_Q] / d;
    }
    const shoal_probe oxygen = {1.75, 0.00260184625, -0.4, 0.0};
    shoal_surface_weights(s, &oxygen, w);
    CHECK_NEAR(V[0], 6.867346e-4, 1e-10);
    CHECK_NEAR(V[1], -1.9276128e-2, 1e-9);
    CHECK_NEAR(V[2] * 14.3996448915 / 14.3996454784, 0.41491241, 1e-8); /* its kC */
    CHECK_NEAR(w[SHOAL_CHANNEL_P], 9.7204606, 1e-7);
    CHECK_NEAR(w[SHOAL_CHANNEL_L], 0.70414780, 1e-8);
    CHECK_NEAR(w[0] * V[0] + w[1] * V[1] + w[2] * V[2], -0.17286283, 1e-8);
    /* The images are 300 angstrom away. */
    shoal_surface_fields(s, r, fields);
    CHECK_NEAR(fields[SHOAL_CHANNEL_P][0], V[0], 1e-14);
    CHECK_NEAR(fields[SHOAL_CHANNEL_L][0], V[1], 1e-13);
    shoal_surface_destroy(s);
    shoal_molecule_destroy(mol);
    shoal_atom_types_destroy(types);
}

/* Plain sums over images m a + n b with |m|, |n| <= reach of the pair functions of P and L. */
static void sum_images(const shoal_surface *s, const double r[3], int reach, double out[2])
{
    const shoal_surface_view *v = &s->view;
    out[0] = out[1] = 0.0;
    for (int m = -reach; m <= reach; ++m)
        for (int n = -reach; n <= reach; ++n)
            for (int32_t i = 0; i < v->n_atoms; ++i) {
                const double x = r[0] - v->pos[i][0] - m * v->cell[0][0] - n * v->cell[1][0];
                const double y = r[1] - v->pos[i][1] - m * v->cell[0][1] - n * v->cell[1][1];
                const double z = r[2] - v->pos[i][2], d2 = x * x + y * y + z * z, d = sqrt(d2);
                const double e = exp(-v->alpha * d), u = 1.0 / (d2 * d2 * d2);
                const bool morse = v->form == SHOAL_SURFACE_MORSE;
                out[0] += s->weight[i][SHOAL_CHANNEL_P] * (morse ? e * e : u * u);
                out[1] += s->weight[i][SHOAL_CHANNEL_L] * (morse ? e : u);
            }
}

static const double points[][3] = {
    {0.8, 0.5, 3.1}, {-3.7, 9.2, 2.2}, {1.99, 1.99, 4.0}, {100.3, -57.1, 6.5}, {0.1, 0.0, 11.0}};
enum { N_POINTS = sizeof points / sizeof points[0] };

static void test_pairs(const shoal_molecule *mol, shoal_surface_form form, int reach, double bar)
{
    const shoal_surface_options options = {.form = form};
    shoal_surface *s = fixture_surface(mol, &options);
    for (int k = 0; k < N_POINTS; ++k) {
        double fields[SHOAL_N_CHANNELS][4], sums[2], home[3];
        memcpy(home, points[k], sizeof home);
        home[0] = fmod(home[0], 4.0); /* not a lattice vector: another point, near the cell */
        home[1] = fmod(home[1], 4.0);
        shoal_surface_fields(s, home, fields);
        sum_images(s, home, reach, sums);
        CHECK_NEAR(fields[SHOAL_CHANNEL_P][0] / sums[0], 1.0, bar);
        CHECK_NEAR(fields[SHOAL_CHANNEL_L][0] / sums[1], 1.0, bar);
    }
    shoal_surface_destroy(s);
}

/* Images weighed by exp(-(rho/L)^2), rho sideways from the point; what is missing is a series in
 * 1/L. */
static double sum_charges(const shoal_surface *s, const double r[3], double L)
{
    const shoal_surface_view *v = &s->view;
    const int reach = (int)(6.0 * L / fmin(v->cell[0][0], v->cell[1][1])) + 4;
    double sum = 0.0;
    for (int m = -reach; m <= reach; ++m)
        for (int n = -reach; n <= reach; ++n)
            for (int32_t i = 0; i < v->n_atoms; ++i) {
                const double x = r[0] - v->pos[i][0] - m * v->cell[0][0] - n * v->cell[1][0];
                const double y = r[1] - v->pos[i][1] - m * v->cell[0][1] - n * v->cell[1][1];
                const double z = r[2] - v->pos[i][2], rho2 = x * x + y * y;
                if (rho2 < 37.0 * L * L)
                    sum += exp(-rho2 / (L * L)) * 14.3996454784 * v->charges[i] /
                           sqrt(rho2 + z * z + v->damping * v->damping);
            }
    return sum;
}

/* L, 2L, 4L, .. extrapolated to infinity. */
static double sum_charges_to_infinity(const shoal_surface *s, const double r[3])
{
    enum { ROUNDS = 6 };
    double table[ROUNDS];
    for (int k = 0; k < ROUNDS; ++k) {
        table[k] = sum_charges(s, r, 30.0 * (1 << k));
        for (int j = k - 1; j >= 0; --j) {
            const double factor = (double)(1 << (k - j));
            table[j] = (factor * table[j + 1] - table[j]) / (factor - 1.0);
        }
    }
    return table[0];
}

static void test_charges(const shoal_molecule *mol, double damping)
{
    const shoal_surface_options options = {.damping = damping};
    shoal_surface *s = fixture_surface(mol, &options);
    for (int k = 0; k < 3; ++k) {
        double fields[SHOAL_N_CHANNELS][4];
        shoal_surface_fields(s, points[k], fields);
        CHECK_NEAR(fields[SHOAL_CHANNEL_Q][0], sum_charges_to_infinity(s, points[k]), 1e-8);
    }
    shoal_surface_destroy(s);
}

/* k-vectors alone, 2 pi kC/(A G) exp(-G Z), which converge above the slab; G = 0: -2 pi kC/A q Z. */
static void test_plane_waves(const shoal_molecule *mol, double damping)
{
    const shoal_surface_options options = {.damping = damping};
    shoal_surface *s = fixture_surface(mol, &options);
    const shoal_surface_view *v = &s->view;
    const double r[3] = {1.3, -0.4, 3.0}, det = v->cell[0][0] * v->cell[1][1];
    double sum = 0.0, fields[SHOAL_N_CHANNELS][4];
    for (int m = -24; m <= 24; ++m)
        for (int n = -24; n <= 24; ++n)
            for (int32_t i = 0; i < v->n_atoms; ++i) {
                const double gx = 2 * PI * m / v->cell[0][0];
                const double gy = 2 * PI * (n * v->cell[0][0] - m * v->cell[1][0]) / det;
                const double g = hypot(gx, gy), Z = hypot(r[2] - v->pos[i][2], damping);
                const double phase = gx * (r[0] - v->pos[i][0]) + gy * (r[1] - v->pos[i][1]);
                const double kvec = g > 0 ? exp(-g * Z) * cos(phase) / g : -Z;
                sum += 2 * PI * 14.3996454784 / v->area * v->charges[i] * kvec;
            }
    shoal_surface_fields(s, r, fields);
    CHECK_NEAR(fields[SHOAL_CHANNEL_Q][0], sum, 1e-10);
    shoal_surface_destroy(s);
}

/* Far above, the potential is 2 pi kC/A times the dipole of the cell, and has no slope. */
static void test_dipole(const shoal_molecule *mol)
{
    shoal_surface *s = fixture_surface(mol, NULL);
    const shoal_surface_view *v = &s->view;
    double dipole = 0.0, fields[SHOAL_N_CHANNELS][4];
    for (int32_t i = 0; i < v->n_atoms; ++i) dipole += v->charges[i] * v->pos[i][2];
    for (double z = 30.0; z < 200.0; z += 31.0) {
        const double r[3] = {0.3, 0.1, z};
        shoal_surface_fields(s, r, fields);
        CHECK_NEAR(fields[SHOAL_CHANNEL_Q][0], 2 * PI * 14.3996454784 / v->area * dipole, 1e-10);
        CHECK_NEAR(fields[SHOAL_CHANNEL_Q][3], 0.0, 1e-11);
    }
    CHECK(fabs(dipole) > 0.1);
    shoal_surface_destroy(s);
}

/* Gradients against central differences; lattice translations; points in and beside the slab. */
static void test_gradients(const shoal_molecule *mol, const shoal_surface_options *options)
{
    shoal_surface *s = fixture_surface(mol, options);
    const shoal_surface_view *v = &s->view;
    for (int k = 0; k < N_POINTS; ++k) {
        double at[SHOAL_N_CHANNELS][4], up[SHOAL_N_CHANNELS][4], down[SHOAL_N_CHANNELS][4];
        shoal_surface_fields(s, points[k], at);
        const double h = 1e-3;
        for (int i = 0; i < 3; ++i) {
            double sum[SHOAL_N_CHANNELS] = {0}; /* fourth order */
            for (int step = 1; step <= 2; ++step) {
                double r[3] = {points[k][0], points[k][1], points[k][2]};
                r[i] = points[k][i] + step * h;
                shoal_surface_fields(s, r, up);
                r[i] = points[k][i] - step * h;
                shoal_surface_fields(s, r, down);
                for (int c = 0; c < SHOAL_N_CHANNELS; ++c)
                    sum[c] += (step == 1 ? 8.0 : -1.0) * (up[c][0] - down[c][0]) / (12.0 * h);
            }
            for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
                const double size = fabs(at[c][1]) + fabs(at[c][2]) + fabs(at[c][3]) + 1e-3;
                CHECK_NEAR(at[c][1 + i] / size, sum[c] / size, 1e-8);
            }
        }
        double moved[3] = {points[k][0] + 3 * v->cell[0][0] - 2 * v->cell[1][0],
                           points[k][1] + 3 * v->cell[0][1] - 2 * v->cell[1][1], points[k][2]};
        shoal_surface_fields(s, moved, up);
        for (int c = 0; c < SHOAL_N_CHANNELS; ++c)
            for (int i = 0; i < 4; ++i)
                CHECK_NEAR(up[c][i], at[c][i], 1e-11 * (1.0 + fabs(at[c][i])));
    }
    shoal_surface_destroy(s);
}

static void check_same_fields(const shoal_surface *s, const shoal_surface *t)
{
    for (int k = 0; k < N_POINTS; ++k) {
        double a[SHOAL_N_CHANNELS][4], b[SHOAL_N_CHANNELS][4];
        shoal_surface_fields(s, points[k], a);
        shoal_surface_fields(t, points[k], b);
        for (int c = 0; c < SHOAL_N_CHANNELS; ++c)
            for (int i = 0; i < 4; ++i) CHECK_NEAR(b[c][i] - a[c][i], 0.0, 1e-11);
    }
}

/* Another cell of the same lattice. */
static void test_skewed(shoal_surface_form form)
{
    const shoal_surface_options options = {.form = form};
    shoal_molecule *mol = fixture_oblique();
    shoal_surface *s = fixture_surface(mol, &options);
    fixture_skew(mol);
    shoal_surface *t = fixture_surface(mol, &options);
    check_same_fields(s, t);
    shoal_surface_destroy(s);
    shoal_surface_destroy(t);
    shoal_molecule_destroy(mol);
}

/* A larger cell of the same crystal has other k-vectors, another reach of bins, and the same fields. */
static void test_supercell(shoal_surface_form form)
{
    const shoal_surface_options options = {.form = form};
    shoal_molecule *small = fixture_salt(1, 3, 0.9), *large = fixture_salt(5, 3, 0.9);
    shoal_surface *s = fixture_surface(small, &options), *t = fixture_surface(large, &options);
    check_same_fields(s, t);
    shoal_surface_destroy(s);
    shoal_surface_destroy(t);
    shoal_molecule_destroy(small);
    shoal_molecule_destroy(large);
}

/* h of the substrate goes to the channel of its sign, and removes the share h_i h_s of the wall. */
static void test_hbonds(void)
{
    static const char text[] = "Na * Na E 1 0 0 0 1.0 1.4915 0.0013 0.9 0.3\n"
                               "Cl * Cl E 1 0 0 0 1.0 1.9735 0.0098 -0.9 -0.5\n"
                               "H_O * H E 1 0 0 0 0.3 1.443 0.0019 0.4 0.8\n";
    shoal_atom_types *types = NULL;
    CHECK(shoal_atom_types_read_memory(&types, text, sizeof text - 1, "text") == SHOAL_OK);
    shoal_molecule *mol = fixture_salt(1, 1, 0.9);
    const shoal_surface_options options = {.types = types};
    const shoal_surface_options without = {.types = types, .no_hbonds = true};
    shoal_surface *s = fixture_surface(mol, &options), *plain = fixture_surface(mol, &without);
    double a[SHOAL_N_CHANNELS][4], b[SHOAL_N_CHANNELS][4], w[SHOAL_N_CHANNELS];
    shoal_surface_fields(s, points[0], a);
    shoal_surface_fields(plain, points[0], b);
    CHECK_NEAR(a[SHOAL_CHANNEL_DONOR][0] / 0.3 - a[SHOAL_CHANNEL_ACCEPTOR][0] / 0.5,
               b[SHOAL_CHANNEL_P][0], 1e-12);
    CHECK(a[SHOAL_CHANNEL_ACCEPTOR][0] < 0.0 && b[SHOAL_CHANNEL_ACCEPTOR][0] == 0.0);
    CHECK(s->view.hash != plain->view.hash);
    const char *const label = "H_O";
    shoal_topology_view atom = {.n_atoms = 1, .types = &label};
    const double own = 0.3;
    CHECK_NEAR(surface_hbond_of(s, &atom, 0), 0.8, 0.0);
    CHECK_NEAR(surface_hbond_of(plain, &atom, 0), 0.0, 0.0);
    atom.hbonds = &own;
    CHECK_NEAR(surface_hbond_of(s, &atom, 0), 0.3, 0.0);
    shoal_surface_weights(s, &(shoal_probe){1.443, 0.0019, 0.4, 0.8}, w);
    CHECK_NEAR(w[SHOAL_CHANNEL_ACCEPTOR], 0.8 * w[SHOAL_CHANNEL_P], 1e-12);
    CHECK_NEAR(w[SHOAL_CHANNEL_DONOR], 0.0, 0.0);
    shoal_surface_destroy(s);
    shoal_surface_destroy(plain);
    shoal_molecule_destroy(mol);
    shoal_atom_types_destroy(types);
}

/* No two atoms of the same height. */
static void test_rough(void)
{
    shoal_molecule *mol = fixture_salt(1, 3, 0.9);
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol); ++i) {
        double r[3];
        memcpy(r, shoal_molecule_positions(mol)[i], sizeof r);
        r[2] += 0.05 * sin(7.0 * i);
        CHECK(shoal_molecule_set_position(mol, i, r) == SHOAL_OK);
    }
    test_pairs(mol, SHOAL_SURFACE_MORSE, 12, 1e-10);
    test_pairs(mol, SHOAL_SURFACE_LJ, 150, 1e-6);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    shoal_molecule *salt = fixture_salt(1, 3, 0.9), *oblique = fixture_oblique();
    test_example();
    test_pairs(salt, SHOAL_SURFACE_MORSE, 12, 1e-10);
    test_pairs(oblique, SHOAL_SURFACE_MORSE, 12, 1e-10);
    test_pairs(salt, SHOAL_SURFACE_LJ, 400, 1e-8);
    test_pairs(oblique, SHOAL_SURFACE_LJ, 400, 1e-8);
    test_rough();
    test_charges(salt, 0.0);
    test_charges(oblique, 0.0);
    test_charges(oblique, 1.2);
    test_plane_waves(salt, 0.0);
    test_plane_waves(oblique, 0.7);
    test_dipole(oblique);
    const shoal_surface_options lj = {.form = SHOAL_SURFACE_LJ, .damping = 0.5};
    test_gradients(salt, NULL);
    test_gradients(oblique, NULL);
    test_gradients(oblique, &lj);
    test_supercell(SHOAL_SURFACE_MORSE);
    test_supercell(SHOAL_SURFACE_LJ);
    test_skewed(SHOAL_SURFACE_MORSE);
    test_skewed(SHOAL_SURFACE_LJ);
    test_hbonds();
    shoal_molecule_destroy(salt);
    shoal_molecule_destroy(oblique);
    return check_done();
}
