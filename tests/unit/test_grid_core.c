/* SPDX-License-Identifier: BSD-3-Clause
 * Grids of the LJ form close to the nuclei of salts: whatever the atom and its charge, the inside is a
 * hill and nothing that an atom could fall into. */
#include "grid_fixture.h"

#define KCAL 0.0433641153 /* eV */

/* UFF's distances (angstrom) and depths (kcal/mol) of lone atoms, Rappe 1992. */
static const struct {
    const char *name;
    double x, d;
} ATOMS[] = {
    {"H", 2.886, 0.044},  {"He", 2.362, 0.056}, {"Li", 2.451, 0.025}, {"Be", 2.745, 0.085},
    {"B", 4.083, 0.180},  {"C", 3.851, 0.105},  {"N", 3.660, 0.069},  {"O", 3.500, 0.060},
    {"F", 3.364, 0.050},  {"Na", 2.983, 0.030}, {"Mg", 3.021, 0.111}, {"Al", 4.499, 0.505},
    {"Si", 4.295, 0.402}, {"P", 4.147, 0.305},  {"S", 4.035, 0.274},  {"Cl", 3.947, 0.227},
    {"K", 3.812, 0.035},  {"Sc", 3.295, 0.019}, {"Ti", 3.175, 0.017}, {"Mn", 2.961, 0.013},
    {"Fe", 2.912, 0.013}, {"Cu", 3.495, 0.005}, {"Zn", 2.763, 0.124}, {"Br", 4.189, 0.251},
    {"I", 4.500, 0.339},
};
enum { N_ATOMS = sizeof ATOMS / sizeof ATOMS[0] };

static double energy(const shoal_grid *grid, const double w[SHOAL_N_CHANNELS], const double r[3])
{
    double v[SHOAL_N_CHANNELS][4], sum = 0;
    shoal_grid_fields(grid, r, v);
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) sum += w[c] * v[c][0];
    return sum;
}

/* The lowest energy above a nucleus, outside of it. */
static double contact(const shoal_grid *grid, const double w[SHOAL_N_CHANNELS], const double at[3])
{
    double least = INFINITY;
    for (double z = 1.3; z < 6; z += 0.02) {
        const double r[3] = {at[0], at[1], at[2] + z};
        least = fmin(least, energy(grid, w, r));
    }
    return least;
}

/* The lowest energy within 1.2 A of a nucleus, at points all around it. */
static double inside(const shoal_grid *grid, const double w[SHOAL_N_CHANNELS], const double at[3])
{
    double least = INFINITY;
    for (int k = 0; k < 400; ++k) { /* spirals (Vogel 1979) on spheres that grow */
        const double c = 1 - 2 * (k + 0.5) / 400, s = sqrt(1 - c * c), turn = 2.399963 * k;
        const double d = 1.2 * fmod(0.618034 * k, 1);
        const double r[3] = {at[0] + d * s * cos(turn), at[1] + d * s * sin(turn), at[2] + d * c};
        shoal_grid_view v;
        shoal_grid_get(grid, &v);
        if (r[2] > v.origin[2]) least = fmin(least, energy(grid, w, r));
    }
    return least;
}

static void test_salt(int32_t cation, int32_t anion, double charge, double most)
{
    const shoal_slab_options slab = {.size = {1, 1}, .elements = {cation, anion}, .charge = charge};
    const shoal_surface_options options = {.form = SHOAL_SURFACE_LJ};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_slab_build(mol, &slab) == SHOAL_OK);
    shoal_surface *surface = fixture_surface(mol, &options);
    shoal_grid *grid = make_grid(surface, 0, false);
    double worst = INFINITY;
    for (int32_t s = 0; s < 2; ++s)
        for (int k = 0; k < N_ATOMS; ++k)
            for (double q = -most; q <= most; q += 0.5) {
                const shoal_probe probe = {
                    .radius = 0.5 * ATOMS[k].x, .depth = KCAL * ATOMS[k].d, .charge = q};
                const double *at = shoal_molecule_positions(mol)[s];
                double w[SHOAL_N_CHANNELS];
                shoal_surface_weights(surface, &probe, w);
                const double gap = inside(grid, w, at) - contact(grid, w, at);
                if (!(gap > 0))
                    (void)printf("%s with %g e at atom %d of %d: %g eV below contact\n",
                                 ATOMS[k].name, q, s, cation, -gap);
                CHECK(gap > 0);
                worst = fmin(worst, gap);
            }
    (void)printf("%d %d: the inside is at least %.2f eV above contact\n", cation, anion, worst);
    shoal_grid_destroy(grid);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_salt(11, 17, 0.9, 2);
    test_salt(12, 8, 2.0, 2);
    test_salt(3, 9, 1.0, 1);
    return check_done();
}
