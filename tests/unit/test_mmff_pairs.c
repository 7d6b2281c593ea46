/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of MMFFsp3: golden energies of the original, hydrogen bonds, and company: UFF systems in the same batch, a
 * substrate, periodic cells. */
#include <math.h>

#include "mmff_fixture.h"
#include "surface_fixture.h"

#include "constants.h"

#define ORIGINAL_CONSTANT 14.3996448915 /* eV angstrom/e^2 */

static const char *const devices[] = {"ref", "cpu"};

static const struct {
    const char *name, *xyz;
    double vdw, coulomb; /* eV; the original's, 1-4 pairs and beyond */
} golden[] = {
    {"formic acid",
     "5\nProperties=species:S:1:pos:R:3:charge:R:1\nC 0 0 0 .6\nO 1.2 .1 0 -.5\n"
     "O -.65 1.15 .05 -.6\nH -.55 -.95 .1 .05\nH -1.5 1 .4 .45\n",
     0.029677576002, -0.930115422400},
    {"ethylene",
     "6\n\nC 0 0 0\nC 1.34 .02 -.01\nH -.56 .92 .1\nH -.58 -.93 -.05\nH 1.9 .94 -.15\n"
     "H 1.88 -.9 .2\n",
     -0.002005634588, 0},
    {"benzene",
     "12\n\nC 1.397 0 .05\nC .699 1.21 -.05\nC -.698 1.21 .05\nC -1.397 0 -.05\nC -.699 -1.21 .05\n"
     "C .698 -1.21 -.05\nH 2.48 0 -.1\nH 1.24 2.148 .05\nH -1.24 2.148 .05\nH -2.48 0 -.1\n"
     "H -1.24 -2.148 .05\nH 1.24 -2.148 .05\n",
     0.420642237917, 0},
    {"acetamide",
     "9\n\nC 0 0 0\nC 1.5 .05 .02\nO 2.15 1.08 -.05\nN 2.12 -1.15 .1\nH -.38 1.02 .05\n"
     "H -.38 -.5 .89\nH -.37 -.54 -.88\nH 1.6 -2 .25\nH 3.12 -1.2 -.05\n",
     0.072100213684, 0},
};

/* Systems in one engine. */
typedef struct company {
    shoal_batch *batch;
    shoal_engine *engine;
    shoal_result results[4];
} company;

static void meet(company *c, const char *device, int32_t n, const shoal_system *systems,
                 const shoal_engine_options *more)
{
    shoal_engine_options options = more ? *more : (shoal_engine_options){0};
    options.device = device;
    options.n_threads = 1;
    options.precision = SHOAL_PRECISION_DOUBLE;
    CHECK(shoal_batch_create(&c->batch) == SHOAL_OK);
    for (int32_t i = 0; i < n; ++i) CHECK(shoal_batch_add(c->batch, &systems[i]) == SHOAL_OK);
    CHECK(shoal_engine_create(&c->engine, c->batch, &options) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    CHECK(shoal_engine_eval(c->engine) == SHOAL_OK);
    for (int32_t i = 0; i < n; ++i) {
        CHECK(shoal_engine_result(c->engine, i, &c->results[i]) == SHOAL_OK);
        CHECK(c->results[i].status == SHOAL_SYSTEM_OK);
        CHECK_TEXT(c->results[i].reason, "");
    }
}

static void part(company *c)
{
    shoal_engine_destroy(c->engine);
    shoal_batch_destroy(c->batch);
}

static void test_golden(void)
{
    for (size_t k = 0; k < sizeof golden / sizeof golden[0]; ++k)
        for (int d = 0; d < 2; ++d) {
            const int before = check_failures;
            shoal_molecule *mol = chem_xyz(golden[k].xyz);
            uff u;
            company c;
            uff_make_typed(&u, mol, &mmff_original);
            meet(&c, devices[d], 1,
                 &(shoal_system){.topology = u.topology, .pos = (const double(*)[3])mol->pos},
                 NULL);
            CHECK_NEAR(c.results[0].terms[SHOAL_TERM_VDW], golden[k].vdw, 1e-11);
            CHECK_NEAR(c.results[0].terms[SHOAL_TERM_COULOMB] / COULOMB_CONSTANT,
                       golden[k].coulomb / ORIGINAL_CONSTANT, 1e-11);
            part(&c);
            uff_free(&u);
            shoal_molecule_destroy(mol);
            if (check_failures > before) (void)printf("in %s on %s\n", golden[k].name, devices[d]);
        }
}

/* Water and water: the repulsion of H and O is weaker by 1 + h h, R0 is the sum of the radii. */
static void test_hbond(void)
{
    shoal_molecule *mol = chem_xyz("6\n\nO 0 0 0\nH .96 0 0\nH -.24 .93 0\nO 2.9 0 0\nH 3.2 .9 .1\n"
                                   "H 3.2 -.6 -.7\n");
    uff u;
    uff_make_typed(&u, mol, &mmff_own);
    const shoal_topology_view *v = &u.view;
    double want = 0;
    for (int32_t i = 0; i < 3; ++i)
        for (int32_t j = 3; j < 6; ++j) {
            double r2 = 0;
            for (int c = 0; c < 3; ++c) r2 += pow(mol->pos[i][c] - mol->pos[j][c], 2);
            const double u6 = pow(0.25 * pow(v->vdw_x[i] + v->vdw_x[j], 2) / r2, 3);
            const double h = fmin(0, v->hbonds[i] * v->hbonds[j]);
            want += sqrt(v->vdw_d[i] * v->vdw_d[j]) * ((1 + h) * u6 * u6 - 2 * u6);
        }
    CHECK(v->hbonds[1] * v->hbonds[3] < -0.8);
    for (int d = 0; d < 2; ++d) {
        company c;
        meet(&c, devices[d], 1,
             &(shoal_system){.topology = u.topology, .pos = (const double(*)[3])mol->pos}, NULL);
        CHECK_NEAR(c.results[0].terms[SHOAL_TERM_VDW], want, 1e-12);
        part(&c);
    }
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

static const shoal_typing_options with_pairs = {.forcefield = SHOAL_FORCEFIELD_MMFFSP3,
                                                .electron_pairs = true};
static const shoal_typing_options *const kinds[4] = {NULL, &mmff_own, &mmff_original, &with_pairs};

/* The same molecule by four force fields in one batch has the energies that it has alone; and on a substrate, and in
 * a cell, ref and cpu agree. */
static void check_company(const shoal_engine_options *o, const double (*cell)[3])
{
    shoal_molecule *mol = chem_xyz(golden[0].xyz);
    double energies[2][4];
    uff u[4];
    shoal_system systems[4];
    for (int32_t i = 0; i < mol->n_atoms; ++i) mol->pos[i][2] += 4;
    if (cell) chem_cell(mol, cell, 3);
    for (int k = 0; k < 4; ++k) {
        uff_make_typed(&u[k], mol, kinds[k]);
        systems[k] = (shoal_system){
            .topology = u[k].topology, .pos = (const double(*)[3])mol->pos, .cell = cell};
    }
    for (int d = 0; d < 2; ++d) {
        company all, alone;
        meet(&all, devices[d], 4, systems, o);
        for (int k = 0; k < 4; ++k) {
            meet(&alone, devices[d], 1, &systems[k], o);
            CHECK(alone.results[0].energy == all.results[k].energy);
            energies[d][k] = all.results[k].energy;
            if (o && o->surface) CHECK(all.results[k].terms[SHOAL_TERM_SURFACE] != 0);
            part(&alone);
        }
        part(&all);
    }
    for (int k = 0; k < 4; ++k) {
        CHECK_NEAR(energies[1][k], energies[0][k], 1e-9);
        uff_free(&u[k]);
    }
    shoal_molecule_destroy(mol);
}

static void test_company(void)
{
    static const double cell[3][3] = {{9, 0, 0}, {1, 10, 0}, {0, 2, 11}};
    shoal_molecule *salt = fixture_salt(2, 2, 0.7);
    shoal_surface *surface = fixture_surface(salt, NULL);
    check_company(NULL, NULL);
    check_company(&(shoal_engine_options){.surface = surface}, NULL);
    check_company(NULL, cell);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(salt);
}

int main(void)
{
    test_golden();
    test_hbond();
    test_company();
    return check_done();
}
