/* SPDX-License-Identifier: BSD-3-Clause
 * Cells that are relaxed with their atoms, on every device: crystals whose lattices are known, pressures, what each
 * choice leaves as it is, layers and chains, and the laws of batches. */
#include "periodic_fixture.h"
#include "shoal/units.h"

#include "geom/lattice.h"
#include "geom/vector.h"

#define STRESS 1e-5 /* eV/angstrom^3 */

enum { MOST = 24 };

static const char *devices[] = {"cpu", "opencl:cpu"};

/* Relaxed systems and where their cells have come to. */
typedef struct relaxed {
    outcome of[MOST];
    double cell[MOST][3][3];
} relaxed;

static void run_cells(const set *s, const int32_t *list, int32_t n, const char *device,
                      shoal_relax_options how, relaxed *out)
{
    const shoal_engine_options options = {.device = device, .vdw_cutoff = 20};
    shoal_engine *engine = set_engine(s, list, n, &options);
    how.stress = how.stress > 0 ? how.stress : STRESS;
    CHECK(shoal_engine_relax(engine, &how, NULL, NULL) == SHOAL_OK);
    for (int32_t k = 0; k < n; ++k) {
        const set_system *sys = &s->systems[list ? list[k] : k];
        outcome_take(engine, k, (size_t)sys->n_atoms * sizeof sys->pos[0], &out->of[k]);
        memcpy(out->cell[k], shoal_engine_cell(engine, k), sizeof out->cell[k]);
    }
    shoal_engine_destroy(engine);
}

/* An atom in a cell of the face-centred lattice, which is none to begin with. */
static void add_argon(set *s)
{
    static const int32_t z[1] = {18};
    static const double pos[1][3] = {{0.3, -0.2, 0.9}};
    static const double cell[3][3] = {{0.1, 2.6, 2.7}, {2.9, 0, 2.6}, {2.6, 2.8, 0.2}};
    (void)periodic_add(s, periodic_molecule(1, z, pos, NULL, cell, 3), "argon", 0);
}

/* What is known of a lattice of Lennard-Jones atoms: nearest neighbours at (A12/A6)^(1/6) x (Kittel, Introduction to
 * Solid State Physics, chapter 3: 12.13188, 14.45392), all angles 60 degrees. */
static void test_argon(const char *device)
{
    static set s;
    static relaxed got;
    shoal_topology_view v;
    add_argon(&s);
    shoal_topology_get(s.systems[0].topology, &v);
    run_cells(&s, NULL, 1, device, (shoal_relax_options){.cell = SHOAL_CELL_FULL}, &got);
    CHECK(got.of[0].r.status == SHOAL_SYSTEM_CONVERGED);
    const double near = pow(12.13188 / 14.45392, 1.0 / 6) * v.vdw_x[0];
    for (int k = 0; k < 3; ++k) {
        const double *a = got.cell[0][k], *b = got.cell[0][(k + 1) % 3];
        CHECK_NEAR(vector_norm(a), near, 2e-3 * near); /* vdW ends at 20 angstrom */
        CHECK_NEAR(vector_dot(a, b) / vector_dot(a, a), 0.5, 2e-3);
        CHECK_NEAR(got.of[0].r.stress[k], 0, STRESS);
        CHECK_NEAR(got.of[0].r.stress[3 + k], 0, STRESS);
    }
    outcomes_free(got.of, 1);
    set_free(&s);
}

/* The stress withstands the pressure, and the cell is smaller. */
static void test_pressure(const char *device)
{
    static set s;
    static relaxed free_cell, pressed;
    const double p = 1 * shoal_unit_value(SHOAL_UNIT_GIGAPASCAL);
    add_argon(&s);
    (void)periodic_add(&s, periodic_water(), "water", 0.03);
    const shoal_relax_options how = {.cell = SHOAL_CELL_FULL};
    run_cells(&s, NULL, s.n, device, how, &free_cell);
    run_cells(&s, NULL, s.n, device, (shoal_relax_options){.cell = SHOAL_CELL_FULL, .pressure = p},
              &pressed);
    for (int32_t i = 0; i < s.n; ++i) {
        CHECK(free_cell.of[i].r.status == SHOAL_SYSTEM_CONVERGED);
        CHECK(pressed.of[i].r.status == SHOAL_SYSTEM_CONVERGED);
        CHECK(pressed.of[i].r.measure < 0.99 * free_cell.of[i].r.measure);
        CHECK(pressed.of[i].r.energy > free_cell.of[i].r.energy);
        CHECK_NEAR(pressed.of[i].r.pressure, p, 1e-15);
        for (int k = 0; k < 6; ++k) {
            CHECK_NEAR(free_cell.of[i].r.stress[k], 0, STRESS);
            CHECK_NEAR(pressed.of[i].r.stress[k], k < 3 ? -p : 0, STRESS);
        }
    }
    outcomes_free(free_cell.of, s.n);
    outcomes_free(pressed.of, s.n);
    set_free(&s);
}

/* What each choice leaves as it is. */
static void test_choices(const char *device)
{
    static const int32_t three[3] = {2, 2, 2};
    static const shoal_cell choices[] = {SHOAL_CELL_SHAPE, SHOAL_CELL_VOLUME, SHOAL_CELL_XY,
                                         SHOAL_CELL_LENGTHS};
    static set s;
    static relaxed got;
    (void)periodic_add(&s, periodic_repeat(periodic_water(), three), "water", 0.03);
    const double(*from)[3] = (const double(*)[3])s.systems[0].cell;
    for (int c = 0; c < 4; ++c) {
        double volume = 0, before = 0;
        geom_lattice a, b;
        run_cells(&s, NULL, 1, device, (shoal_relax_options){.cell = choices[c], .cell_vectors = 2},
                  &got);
        const double(*to)[3] = (const double(*)[3])got.cell[0];
        const bool pbc[3] = {true, true, true};
        CHECK(got.of[0].r.status == SHOAL_SYSTEM_CONVERGED);
        CHECK(lattice_init(&a, from, pbc) && lattice_init(&b, to, pbc));
        before = a.measure;
        volume = b.measure;
        CHECK_NEAR(got.of[0].r.measure, volume, 1e-9 * volume);
        if (choices[c] == SHOAL_CELL_SHAPE) {
            CHECK_NEAR(volume, before, 1e-9 * before);
        } else {
            CHECK(fabs(volume - before) > 1e-3 * before);
        }
        const double scale = cbrt(volume / before);
        for (int k = 0; k < 3; ++k) {
            if (choices[c] == SHOAL_CELL_VOLUME)
                for (int i = 0; i < 3; ++i) CHECK_NEAR(to[k][i], scale * from[k][i], 1e-9);
            if (choices[c] == SHOAL_CELL_XY) CHECK_NEAR(to[k][2], from[k][2], 1e-12);
            if (choices[c] == SHOAL_CELL_XY && k < 2) CHECK(fabs(to[k][k] - from[k][k]) > 1e-9);
            const double along = choices[c] == SHOAL_CELL_LENGTHS && k == 1
                                     ? vector_norm(to[1]) / vector_norm(from[1])
                                     : 1;
            for (int i = 0; i < 3 && choices[c] == SHOAL_CELL_LENGTHS; ++i)
                CHECK_NEAR(to[k][i], along * from[k][i], 1e-9);
        }
        outcomes_free(got.of, 1);
    }
    set_free(&s);
}

/* Systems of one to three directions together, alone and again: to the last bit. */
static void test_laws(const char *device)
{
    static set s;
    static relaxed all, again, alone;
    static const int32_t carbon[2] = {6, 6};
    static const double diamond[2][3] = {{0, 0, 0}, {0.8917, 0.8917, 0.8917}};
    static const double fcc[3][3] = {{0, 1.7835, 1.7835}, {1.7835, 0, 1.7835}, {1.7835, 1.7835, 0}};
    const shoal_relax_options how = {.cell = SHOAL_CELL_FULL};
    add_argon(&s);
    (void)periodic_add(&s, periodic_molecule(2, carbon, diamond, NULL, fcc, 3), "diamond", 0.05);
    (void)periodic_add(&s, periodic_silica(periodic_plain), "silica", 0.05);
    periodic_add_layers(&s);
    (void)set_add_size(&s, 5, false);
    run_cells(&s, NULL, s.n, device, how, &all);
    run_cells(&s, NULL, s.n, device, how, &again);
    for (int32_t i = 0; i < s.n; ++i) {
        const set_system *sys = &s.systems[i];
        if (all.of[i].r.status != SHOAL_SYSTEM_CONVERGED)
            (void)printf("%s, %s: %s after %d, fmax %g\n", device, sys->name,
                         shoal_system_status_name(all.of[i].r.status), all.of[i].r.steps,
                         all.of[i].r.fmax);
        CHECK(all.of[i].r.status == SHOAL_SYSTEM_CONVERGED);
        CHECK(outcome_same(&all.of[i], &again.of[i], sys->n_atoms));
        CHECK(memcmp(all.cell[i], again.cell[i], sizeof all.cell[i]) == 0);
        run_cells(&s, &i, 1, device, how, &alone);
        CHECK(outcome_same(&all.of[i], &alone.of[0], sys->n_atoms));
        CHECK(memcmp(all.cell[i], alone.cell[0], sizeof all.cell[i]) == 0);
        outcomes_free(alone.of, 1);
    }
    outcomes_free(all.of, s.n);
    outcomes_free(again.of, s.n);
    set_free(&s);
}

/* In the middle of a relaxation. */
static bool try_save(void *user, const shoal_progress *p)
{
    shoal_string *state = NULL;
    (void)p;
    CHECK(shoal_string_create(&state) == SHOAL_OK);
    CHECK(shoal_engine_save(user, state) == SHOAL_E_UNSUPPORTED);
    shoal_string_destroy(state);
    return true;
}

/* A cell that moves has no state; one that is stopped has not converged. */
static bool stop(void *user, const shoal_progress *p)
{
    (void)p;
    return ++*(int *)user < 3;
}

static void test_monitors(void)
{
    static set s;
    int n_calls = 0;
    shoal_result r;
    const shoal_engine_options options = {.device = "cpu"};
    const shoal_relax_options how = {.cell = SHOAL_CELL_FULL};
    add_argon(&s);
    shoal_engine *engine = set_engine(&s, NULL, 1, &options);
    CHECK(shoal_engine_relax(engine, &how, try_save, engine) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK && r.status == SHOAL_SYSTEM_CONVERGED);
    shoal_engine_destroy(engine);
    engine = set_engine(&s, NULL, 1, &options);
    CHECK(shoal_engine_relax(engine, &how, stop, &n_calls) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK && r.status == SHOAL_SYSTEM_MAX_STEPS);
    CHECK(isfinite(r.energy) && n_calls == 3);
    shoal_engine_destroy(engine);
    set_free(&s);
}

static shoal_status try_relax(const set *s, shoal_relax_options how)
{
    const shoal_engine_options options = {.device = "cpu"};
    shoal_engine *engine = set_engine(s, NULL, s->n, &options);
    const shoal_status status = shoal_engine_relax(engine, &how, NULL, NULL);
    shoal_engine_destroy(engine);
    return status;
}

static void test_refusals(void)
{
    static set s;
    add_argon(&s);
    CHECK(try_relax(&s, (shoal_relax_options){.pressure = 1}) == SHOAL_E_ARGUMENT);
    CHECK(try_relax(&s, (shoal_relax_options){.cell = SHOAL_CELL_LENGTHS}) == SHOAL_E_ARGUMENT);
    CHECK(try_relax(&s, (shoal_relax_options){.cell = (shoal_cell)9}) == SHOAL_E_ARGUMENT);
    CHECK(try_relax(&s, (shoal_relax_options){.cell = SHOAL_CELL_FULL, .every = 1}) ==
          SHOAL_E_UNSUPPORTED);
    CHECK(try_relax(&s, (shoal_relax_options){.cell = SHOAL_CELL_FULL, .pressure = NAN}) ==
          SHOAL_E_ARGUMENT);
    CHECK(shoal_engine_cell(NULL, 0) == NULL);
    set_free(&s);
}

int main(void)
{
    test_refusals();
    test_monitors();
    for (int d = 0; d < 2; ++d) {
        if (shoal_device_check(devices[d]) != SHOAL_OK) {
            (void)printf("%s left out: %s\n", devices[d], shoal_error_text());
            CHECK(!getenv("CI"));
            continue;
        }
        test_argon(devices[d]);
        test_pressure(devices[d]);
        test_choices(devices[d]);
        test_laws(devices[d]);
    }
    return check_done();
}
