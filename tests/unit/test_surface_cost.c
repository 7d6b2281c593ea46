/* SPDX-License-Identifier: BSD-3-Clause
 * What surfaces cost: how far their sums reach, and what a grid is estimated to take, counted by hand. */
#include "surf/grid_lattice.h"
#include "surf/surface_sum.h"
#include "surface_fixture.h"

#include "constants.h"

enum { N_PLANES = 40 };

/* A square cell of 4 A with a carbon atom in each of n planes, `apart` angstrom from each other. */
static shoal_molecule *stack_of(int n, double apart)
{
    static const double cell[3][3] = {{4, 0, 0}, {0, 4, 0}, {0, 0, 99}};
    static const bool pbc[3] = {true, true, false};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int k = 0; k < n; ++k)
        CHECK(shoal_molecule_add_atom(mol, 6, (const double[3]){2.0 * (k % 2), 0, -apart * k}) ==
              SHOAL_OK);
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    return mol;
}

/* --- reach ---------------------------------------------------------------------------------------- */

/* The London sum beyond r is at most 2 pi / area sum |w| (r + 1/alpha) / alpha exp(-alpha r). */
static double london_beyond(const shoal_surface *s, double r)
{
    const double alpha = s->view.alpha;
    double sum = 0;
    for (int32_t i = 0; i < s->view.n_atoms; ++i) sum += fabs(s->weight[i][SHOAL_CHANNEL_L]);
    return 2 * PI * sum / s->view.area * (r + 1 / alpha) / alpha * exp(-alpha * r);
}

/* Morse sums end, but for 4 A of neighbours, in the first quarter of an angstrom where the rest is the tolerance times the
 * share of the weakest atom where a probe of 2 A touches it; with charges not before 12 A. */
static void test_morse_reach(void)
{
    for (int k = 0; k < 3; ++k) {
        const double alpha = k == 1 ? 0.9 : 1.5;
        const shoal_surface_options o = {.form = SHOAL_SURFACE_MORSE, .alpha = alpha};
        shoal_molecule *mol = fixture_salt(1, 2, 0);
        shoal_surface *s = fixture_surface(mol, &o);
        const surface_sum *sums[2] = {s->sum, s->coarse};
        double least = INFINITY;
        for (int32_t i = 0; i < s->view.n_atoms; ++i)
            least = fmin(least, fabs(s->weight[i][SHOAL_CHANNEL_L]) *
                                    exp(-alpha * (s->view.radius[i] + 2)));
        for (int t = 0; t < 2; ++t) {
            const double wanted = (t ? 1e-8 : 1e-12) * least, r = sums[t]->reach - 4;
            CHECK(london_beyond(s, r) <= wanted && london_beyond(s, r - 0.25) > wanted);
            CHECK(sums[t]->single == (t == 1) && sums[t]->eta == 0);
        }
        shoal_surface_destroy(s);
        shoal_molecule_destroy(mol);
    }
    const shoal_surface_options steep = {.form = SHOAL_SURFACE_MORSE, .alpha = 9};
    for (int charged = 0; charged < 2; ++charged) {
        shoal_molecule *mol = fixture_salt(1, 2, charged ? 0.7 : 0);
        shoal_surface *s = fixture_surface(mol, &steep);
        CHECK(charged ? s->coarse->reach == 12 : s->coarse->reach < 12);
        if (charged) CHECK_NEAR(s->coarse->eta, sqrt(-log(1e-8)) / 12, 1e-12);
        shoal_surface_destroy(s);
        shoal_molecule_destroy(mol);
    }
}

/* Powers reach 20 A at the full tolerance, and less as the root of its logarithm. */
static void test_power_reach(void)
{
    shoal_molecule *mol = fixture_salt(1, 2, 0.7);
    shoal_surface *s = fixture_surface(mol, &(shoal_surface_options){.form = SHOAL_SURFACE_LJ});
    CHECK_NEAR(s->sum->reach, 20, 1e-12);
    CHECK_NEAR(s->coarse->reach, 20 * sqrt(8.0 / 12), 1e-12);
    CHECK_NEAR(s->sum->eta * s->sum->reach, sqrt(12 * log(10)), 1e-12);
    shoal_surface_destroy(s);
    shoal_molecule_destroy(mol);
}

/* --- estimates ------------------------------------------------------------------------------------ */

/* What a grid with a step of 0.25 A is made of: planes of atoms and a period of the surface. */
typedef struct parts {
    double heights[N_PLANES];
    int n_heights;
    double sides[2], area, n_atoms; /* of the period */
    double height;                  /* of the finest level above the top */
} parts;

/* Planes of atoms closer than 1.2 A, 3.2 A where there are more than 32, are summed over atoms within reach, and of powers
 * over k-vectors to 2 sqrt(40) / A besides; the others over k-vectors to exp(-40), at most 33.6 / A. */
static double seconds_of_plane(const shoal_surface *s, const parts *p, int channel, double z)
{
    const double nodes = ceil(p->sides[0] / 0.25) * ceil(p->sides[1] / 0.25);
    const double each = p->n_atoms / p->n_heights, far = p->n_heights > 32 ? 3.2 : 1.2;
    const bool power = s->view.form == SHOAL_SURFACE_LJ, charge = channel == SHOAL_CHANNEL_Q;
    double sum = 1e-7 * nodes;
    for (int k = 0; k < p->n_heights; ++k) {
        const double d = fabs(z - p->heights[k]);
        double longest = fmin(40 / fmax(d, 0.1), 33.6);
        if (!charge && d < far) {
            const double reach = grid_lattice_reach(s, channel);
            const double atoms = each / p->area * PI * fmax(reach * reach - d * d, 0);
            sum += nodes * (power ? 1.2e-8 : 1.5e-9) * atoms;
            longest = power ? 2 * sqrt(40) : 0;
        }
        const double kvecs = p->area * longest * longest / (8 * PI); /* half of a disc */
        sum += kvecs * (1.5e-9 * each + (charge ? 6e-8 : 2e-7));
    }
    return sum;
}

static void check_estimate(const shoal_surface *s, const parts *p, const shoal_grid_options *o)
{
    const shoal_surface_view *v = &s->view;
    shoal_grid_plan plan;
    const double bottom = v->floor - 0.5;
    const double planes = ceil((v->top + p->height - bottom) / 0.25) + 16;
    const double nodes = ceil(p->sides[0] / 0.25) * ceil(p->sides[1] / 0.25) * planes * 1.12;
    double seconds = 0;
    int n_channels = 0;
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
        n_channels += v->has_channel[c];
        for (int k = 0; k < (int)planes && v->has_channel[c]; ++k)
            seconds += seconds_of_plane(s, p, c, bottom + 0.25 * (k - 8));
    }
    CHECK(shoal_grid_estimate(&plan, s, o) == SHOAL_OK);
    CHECK_NEAR((double)plan.nodes, nodes, 1);
    CHECK_NEAR((double)plan.bytes, 4 * n_channels * nodes, 4);
    CHECK_NEAR((double)(plan.build_bytes - plan.bytes), 8 * nodes, 8);
    CHECK_NEAR(plan.build_seconds / (1.12 * seconds), 1, 1e-9);
    const double pairs = p->n_atoms / p->area * PI * s->sum->reach * s->sum->reach;
    const double kvecs = (double)s->sum->n_kvecs * s->sum->n_kvec_channels;
    CHECK_NEAR(plan.direct_seconds / (1.2e-8 * pairs + 3.5e-8 * kvecs), 1, 1e-12);
}

/* A salt of two layers, 2 x 2 periods of four atoms; charges and forms change the channels. */
static void test_salt(void)
{
    for (int k = 0; k < 6; ++k) {
        const shoal_surface_options form = {.form = k % 2 ? SHOAL_SURFACE_MORSE : SHOAL_SURFACE_LJ};
        const bool whole = k == 2 || k == 5;
        const shoal_grid_options o = {.step = 0.25,
                                      .whole_cell = whole,
                                      .height = k == 3   ? 4
                                                : k == 4 ? 14
                                                         : 0};
        shoal_molecule *mol = fixture_salt(2, 2, k < 4 ? 0.7 : 0);
        shoal_surface *s = fixture_surface(mol, &form);
        const double side = s->view.cell[0][0] / (whole ? 1 : 2);
        double low = s->view.top;
        for (int32_t i = 0; i < s->view.n_atoms; ++i) low = fmin(low, s->view.pos[i][2]);
        const parts p = {.heights = {s->view.top, low},
                         .n_heights = 2,
                         .sides = {side, side},
                         .area = side * side,
                         .n_atoms = whole ? s->view.n_atoms : 4,
                         .height = k == 3 ? 4 : 10};
        CHECK(s->view.n_atoms == 16 && low < s->view.top - 1);
        check_estimate(s, &p, &o);
        if (k == 0) CHECK(s->sum->n_kvec_channels > 1);
        shoal_surface_destroy(s);
        shoal_molecule_destroy(mol);
    }
}

/* More than 32 planes of atoms have no use for k-vectors; atoms as good as level are one plane. */
static void test_stacks(void)
{
    for (int k = 0; k < 3; ++k) {
        const int n = k == 0 ? N_PLANES : k == 1 ? 32 : 2;
        const double apart = k == 2 ? 5e-7 : 0.9;
        shoal_molecule *mol = stack_of(n, apart);
        shoal_surface *s =
            fixture_surface(mol, &(shoal_surface_options){.form = SHOAL_SURFACE_MORSE});
        parts p = {
            .n_heights = k == 2 ? 1 : n, .sides = {4, 4}, .area = 16, .n_atoms = n, .height = 10};
        for (int i = 0; i < p.n_heights; ++i) p.heights[i] = -apart * i;
        if (k == 2) p.heights[0] = -apart;
        check_estimate(s, &p, &(shoal_grid_options){.step = 0.25, .whole_cell = true});
        shoal_surface_destroy(s);
        shoal_molecule_destroy(mol);
    }
}

int main(void)
{
    test_morse_reach();
    test_power_reach();
    test_salt();
    test_stacks();
    return check_done();
}
