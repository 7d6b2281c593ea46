/* SPDX-License-Identifier: BSD-3-Clause
 * Directions in large and periodic systems on OpenCL: against ref, through borders of cells, above surfaces,
 * relaxations, states, batch laws. Runs on the processor (PoCL), or on the device that SHOAL_TEST_DEVICE names. */
#include "backend/state.h"
#include "geom/vector.h"
#include "grid_fixture.h"
#include "layout.h"
#include "network_fixture.h"

static const char *device = "opencl:cpu";
static const char *const witness = "ref";

static net nets[MOST_NETS];
static net *all[MOST_NETS];
static int n_nets;

static net *next_net(void)
{
    CHECK(n_nets < MOST_NETS);
    all[n_nets] = &nets[n_nets];
    return all[n_nets++];
}

static void free_nets(void)
{
    for (int k = 0; k < n_nets; ++k) net_free(&nets[k]);
    n_nets = 0;
}

static const char *precision_name(int p)
{
    return p == SHOAL_PRECISION_FLOAT ? "float" : "double";
}

/* Largest difference of forces on the movers from..to of two results, relative to the largest force of all. */
static double force_error(const backend_result *got, const backend_result *want, int32_t from,
                          int32_t to)
{
    double worst = 0, largest = 0.1;
    for (int32_t i = 0; i < to; ++i) {
        double d[3];
        for (int c = 0; c < 3; ++c) d[c] = got->forces[i][c] - want->forces[i][c];
        if (i >= from) worst = fmax(worst, vector_norm(d));
        largest = fmax(largest, vector_norm(want->forces[i]));
    }
    return worst / largest;
}

static double energy_error(const backend_result *got, const backend_result *want)
{
    double worst = 0, size = 1;
    for (int t = 0; t < SHOAL_N_TERMS; ++t) size += fabs(want->terms[t]);
    for (int t = 0; t < SHOAL_N_TERMS; ++t)
        worst = fmax(worst, fabs(got->terms[t] - want->terms[t]));
    return worst / size;
}

/* Isolated and too large for local memory; through borders of cells in one to three directions; with charges;
 * tilted directions, a restraint and fixed atoms. */
static void add_all(void)
{
    net *g = net_sheet(next_net(), "flake", 12, 12, 1, 0);
    g->tilted = true;
    net_finish(net_shake(g, 0.05));
    net_finish(net_shake(net_chain(next_net(), "chain of one turn", 1, false), 0.05));
    net_finish(net_shake(net_chain(next_net(), "charged chain", 6, true), 0.05));
    net_finish(net_shake(net_sheet(next_net(), "sheet of one cell", 1, 1, 1, 2), 0.05));
    g = net_sheet(next_net(), "charged sheet", 4, 3, 1, 2);
    for (int32_t i = 0; i < g->n; ++i) g->q[i] = i % 2 ? 0.1 : -0.1;
    g->soft = 0;
    net_finish(net_shake(g, 0.05));
    g = net_sheet(next_net(), "charged stack", 4, 4, 3, 3);
    for (int32_t i = 0; i < g->n; ++i) g->q[i] = i % 2 ? 0.1 : -0.1;
    g->tilted = true;
    net_finish(net_shake(g, 0.05));
    g = net_sheet(next_net(), "held stack", 3, 4, 2, 3);
    g->fixed = calloc((size_t)g->n, sizeof *g->fixed);
    g->fixed[1] = g->fixed[g->n - 1] = true;
    g->restraint = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 9}, .k = 2.0, .value = 2.0};
    g->n_restraints = 1;
    net_finish(net_shake(g, 0.05));
}

static void check_plan(void)
{
    shoal_batch *batch = NULL;
    shoal_plan plan;
    const shoal_engine_options options = {.device = device};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    const shoal_system flake = {.topology = nets[0].topology,
                                .pos = (const double(*)[3])nets[0].pos};
    CHECK(shoal_batch_add(batch, &flake) == SHOAL_OK);
    CHECK(shoal_engine_plan(batch, &options, &plan) == SHOAL_OK && plan.n_large == 1);
    shoal_batch_destroy(batch);
}

static void test_ref(void)
{
    add_all();
    check_plan();
    shoal_engine *ref =
        net_engine(all, n_nets,
                   (shoal_engine_options){.device = witness, .precision = SHOAL_PRECISION_DOUBLE});
    CHECK(shoal_engine_eval(ref) == SHOAL_OK);
    for (int p = SHOAL_PRECISION_FLOAT; p <= SHOAL_PRECISION_DOUBLE; ++p) {
        const double most = p == SHOAL_PRECISION_FLOAT ? 2e-5 : 1e-9;
        shoal_engine *e = net_engine(
            all, n_nets, (shoal_engine_options){.device = device, .precision = (shoal_precision)p});
        CHECK(shoal_engine_eval(e) == SHOAL_OK);
        for (int k = 0; k < n_nets; ++k) {
            const backend_result *got = &e->results[k], *want = &ref->results[k];
            const double of_atoms = force_error(got, want, 0, nets[k].n);
            const double of_ways = force_error(got, want, nets[k].n, net_movers(&nets[k]));
            const double energy = energy_error(got, want);
            (void)printf("%s, %s: atoms %.1e, directions %.1e, energies %.1e\n", nets[k].name,
                         precision_name(p), of_atoms, of_ways, energy);
            CHECK(of_atoms <= most && of_ways <= most && energy <= most);
            CHECK_NEAR(got->fmax, want->fmax, most * want->fmax);
            CHECK(want->terms[SHOAL_TERM_SIGMA_PI] > 0.01 && want->terms[SHOAL_TERM_PI_PI] > 0.01);
        }
        shoal_engine_destroy(e);
    }
    shoal_engine_destroy(ref);
    free_nets();
}

/* A piece of the network in other cells, with bonds through their borders: the same numbers. */
static void test_borders(int p)
{
    static const int32_t by[3][3] = {{1, 0, 0}, {-2, 3, 0}, {1, -1, 2}};
    const double most = p == SHOAL_PRECISION_FLOAT ? 1e-5 : 1e-12;
    for (int n_periodic = 1; n_periodic <= 3; ++n_periodic)
        for (int moved = 0; moved < 2; ++moved) {
            net *g = next_net();
            if (n_periodic == 1)
                net_chain(g, "chain", 4, true);
            else
                net_sheet(g, "sheets", 4, 4, n_periodic == 3 ? 2 : 1, n_periodic);
            net_shake(g, 0.05);
            for (int32_t i = 0; i < g->n && moved; ++i)
                if (i % 5 < 2) net_move(g, i, by[n_periodic - 1]);
            net_finish(g);
        }
    shoal_engine *e = net_engine(
        all, n_nets, (shoal_engine_options){.device = device, .precision = (shoal_precision)p});
    CHECK(shoal_engine_eval(e) == SHOAL_OK);
    for (int k = 0; k < n_nets; k += 2) {
        const backend_result *moved = &e->results[k + 1], *plain = &e->results[k];
        const double force = force_error(moved, plain, 0, net_movers(&nets[k]));
        (void)printf("moved %s, %s: forces %.1e, energies %.1e\n", nets[k].name, precision_name(p),
                     force, energy_error(moved, plain));
        CHECK(force <= most && energy_error(moved, plain) <= most);
    }
    shoal_engine_destroy(e);
    free_nets();
}

/* Above a grid: all terms but that of the surface as without it, so that pairs of bonded atoms and of ends of angles
 * stay left out, and no force of the surface on directions. */
static void test_grid(int p)
{
    const double most = p == SHOAL_PRECISION_FLOAT ? 2e-5 : 1e-9;
    shoal_surface *surface = make_salt(2);
    shoal_grid *grid = make_grid(surface, 0.2, false);
    net *g = net_shake(net_sheet(next_net(), "flake", 12, 12, 1, 0), 0.05);
    for (int32_t i = 0; i < g->n; ++i) g->pos[i][2] += 3.3;
    net_finish(g);
    shoal_engine *ref =
        net_engine(all, 1,
                   (shoal_engine_options){
                       .device = witness, .precision = SHOAL_PRECISION_DOUBLE, .surface = surface});
    shoal_engine *bare = net_engine(
        all, 1, (shoal_engine_options){.device = witness, .precision = SHOAL_PRECISION_DOUBLE});
    shoal_engine *e = net_engine(
        all, 1,
        (shoal_engine_options){
            .device = device, .precision = (shoal_precision)p, .surface = surface, .grid = grid});
    CHECK(shoal_engine_eval(ref) == SHOAL_OK && shoal_engine_eval(bare) == SHOAL_OK);
    CHECK(shoal_engine_eval(e) == SHOAL_OK);
    CHECK(e->results[0].status == SHOAL_SYSTEM_OK);
    for (int t = 0; t < SHOAL_N_TERMS; ++t)
        if (t != SHOAL_TERM_SURFACE)
            CHECK_NEAR(e->results[0].terms[t], bare->results[0].terms[t],
                       most * (1 + fabs(bare->results[0].energy)));
    CHECK(e->results[0].terms[SHOAL_TERM_SURFACE] < -0.1);
    CHECK(force_error(&e->results[0], &bare->results[0], g->n, net_movers(g)) <= most);
    const double above = force_error(&e->results[0], &ref->results[0], 0, g->n);
    (void)printf("grid, %s: forces on atoms %.1e\n", precision_name(p), above);
    CHECK(above <= 2e-4);
    shoal_engine_destroy(ref);
    shoal_engine_destroy(bare);
    shoal_engine_destroy(e);
    shoal_grid_destroy(grid);
    shoal_surface_destroy(surface);
    free_nets();
}

static void add_relaxed(void)
{
    net_finish(net_shake(net_sheet(next_net(), "flake", 12, 12, 1, 0), 0.05));
    net_finish(net_shake(net_chain(next_net(), "charged chain", 6, true), 0.05));
    net_finish(net_shake(net_sheet(next_net(), "sheet", 4, 3, 1, 2), 0.05));
    net_finish(net_shake(net_sheet(next_net(), "stack", 4, 4, 1, 3), 0.05));
}

static double wrong_length(const backend_result *r, const net *g)
{
    double worst = 0;
    for (int32_t k = g->n; k < net_movers(g); ++k)
        worst = fmax(worst, fabs(vector_norm(r->pos[k]) - 1));
    return worst;
}

/* Both methods end in the same minimum, where ref finds no force either. */
static void test_minima(int p)
{
    const bool is_float = p == SHOAL_PRECISION_FLOAT;
    const shoal_engine_options options = {.device = device, .precision = (shoal_precision)p};
    shoal_engine *ends[2];
    add_relaxed();
    for (int m = 0; m < 2; ++m) {
        const backend_driver driver = {.method = m ? SHOAL_METHOD_LBFGS : SHOAL_METHOD_FIRE,
                                       .fmax = is_float ? 5e-3 : 1e-4,
                                       .max_move = 0.2,
                                       .max_steps = 4000};
        ends[m] = net_engine(all, n_nets, options);
        net_relax(ends[m], &driver);
        shoal_engine *ref = net_engine(
            all, n_nets,
            (shoal_engine_options){.device = witness, .precision = SHOAL_PRECISION_DOUBLE});
        for (int k = 0; k < n_nets; ++k)
            memcpy(ref->results[k].pos, ends[m]->results[k].pos,
                   (size_t)net_movers(&nets[k]) * sizeof *ref->results[k].pos);
        CHECK(shoal_engine_eval(ref) == SHOAL_OK);
        for (int k = 0; k < n_nets; ++k) {
            const backend_result *r = &ends[m]->results[k], *want = &ref->results[k];
            (void)printf("%s, %s %s: %d steps, %.9g eV (ref %.9g), fmax %.1e (ref %.1e)\n",
                         nets[k].name, m ? "lbfgs" : "fire", precision_name(p), r->steps, r->energy,
                         want->energy, r->fmax, want->fmax);
            CHECK(r->outcome == STEP_CONVERGED && r->fmax <= 1.01 * driver.fmax);
            CHECK(want->fmax <= (is_float ? 1.5 : 1.01) * driver.fmax);
            CHECK(wrong_length(r, &nets[k]) <= 1e-15);
            CHECK_NEAR(r->energy, want->energy, is_float ? 1e-4 : 1e-9);
            if (m) CHECK(r->steps < ends[0]->results[k].steps);
            if (m) CHECK_NEAR(r->energy, ends[0]->results[k].energy, is_float ? 2e-3 : 5e-5);
        }
        shoal_engine_destroy(ref);
    }
    for (int m = 0; m < 2; ++m) shoal_engine_destroy(ends[m]);
    free_nets();
}

/* Alone, together and backwards, beside systems without directions: the same bits. */
static void test_laws(shoal_method method)
{
    const shoal_engine_options options = {.device = device, .precision = SHOAL_PRECISION_FLOAT};
    const backend_driver driver = {
        .method = method, .fmax = 1e-3, .max_move = 0.2, .max_steps = 40};
    net *backwards[MOST_NETS];
    add_all();
    (void)net_alkane(next_net(), "alkane in a box", 12, true);
    (void)net_alkane(next_net(), "alkane", 5, false);
    for (int k = 0; k < n_nets; ++k) backwards[k] = all[n_nets - 1 - k];
    shoal_engine *together = net_engine(all, n_nets, options);
    shoal_engine *turned = net_engine(backwards, n_nets, options);
    net_relax(together, &driver);
    net_relax(turned, &driver);
    for (int k = 0; k < n_nets; ++k) {
        shoal_engine *alone = net_engine(&all[k], 1, options);
        net_relax(alone, &driver);
        const size_t size = (size_t)net_movers(&nets[k]) * 3 * sizeof(double);
        const backend_result *a = &together->results[k], *b = &turned->results[n_nets - 1 - k],
                             *c = &alone->results[0];
        CHECK(a->steps > 10 && a->steps == b->steps && a->steps == c->steps);
        if (nets[k].n_nodes > 0) CHECK(memcmp(a->pos + nets[k].n, nets[k].way, 24) != 0);
        CHECK(memcmp(a->pos, b->pos, size) == 0 && memcmp(a->pos, c->pos, size) == 0);
        CHECK(memcmp(a->forces, b->forces, size) == 0 && memcmp(a->forces, c->forces, size) == 0);
        CHECK(memcmp(a->terms, b->terms, sizeof a->terms) == 0);
        CHECK(memcmp(a->terms, c->terms, sizeof a->terms) == 0);
        shoal_engine_destroy(alone);
    }
    shoal_engine_destroy(together);
    shoal_engine_destroy(turned);
    free_nets();
}

static void begin_steps(shoal_engine *e, const backend_driver *driver)
{
    backend_part part;
    engine_begin_run(e);
    CHECK(e->backend->first(e->exact.plan, driver, e->results) == SHOAL_OK);
    CHECK(e->backend->next(e->exact.plan, e->results, &part) == SHOAL_OK && part.n == 1);
    CHECK(e->backend->start(e->exact.plan, driver, e->results) == SHOAL_OK);
}

/* A relaxation that goes on from what another engine saved ends with the same bits. */
static void test_state(const net *g, shoal_method method)
{
    enum { N_FIRST = 23, N_REST = 21 };
    const shoal_engine_options options = {.device = device, .precision = SHOAL_PRECISION_FLOAT};
    const backend_driver driver = {
        .method = method, .fmax = 1e-5, .max_move = 0.2, .max_steps = 100};
    const backend_poll poll = {net_always, NULL};
    net *const one[1] = {(net *)g};
    shoal_engine *e[2] = {net_engine(one, 1, options), net_engine(one, 1, options)};
    shoal_string *state = NULL;
    CHECK(shoal_string_create(&state) == SHOAL_OK);
    begin_steps(e[0], &driver);
    CHECK(e[0]->backend->step(e[0]->exact.plan, N_FIRST, 0, &poll) == SHOAL_OK);
    CHECK(e[0]->backend->save(e[0]->exact.plan, e[0]->results, state) == SHOAL_OK);
    begin_steps(e[1], &driver);
    CHECK(e[1]->backend->load(e[1]->exact.plan, shoal_string_data(state),
                              shoal_string_size(state)) == SHOAL_OK);
    for (int k = 0; k < 2; ++k) {
        CHECK(e[k]->backend->step(e[k]->exact.plan, N_REST, 0, &poll) == SHOAL_OK);
        CHECK(e[k]->backend->read(e[k]->exact.plan, BACKEND_POSITIONS | BACKEND_STEPS,
                                  e[k]->results) == SHOAL_OK);
    }
    /* Where rounding has it converge sooner, both do so after the same step, and behind the one that was saved. */
    const int32_t steps = e[0]->results[0].steps;
    CHECK(steps == e[1]->results[0].steps && steps > N_FIRST);
    CHECK(steps == N_FIRST + N_REST || e[0]->results[0].outcome == STEP_CONVERGED);
    CHECK(memcmp(e[0]->results[0].pos, e[1]->results[0].pos, (size_t)net_movers(g) * 24) == 0);
    shoal_string_destroy(state);
    for (int k = 0; k < 2; ++k) shoal_engine_destroy(e[k]);
}

int main(void)
{
    const char *wanted = getenv("SHOAL_TEST_DEVICE");
    if (wanted) device = wanted;
    if (shoal_device_check(device) != SHOAL_OK) {
        (void)printf("skipped: %s: %s\n", device, shoal_error_text());
        return 77;
    }
    test_ref();
    const int most = check_thorough() ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_FLOAT;
    for (int p = SHOAL_PRECISION_FLOAT; p <= most; ++p) {
        test_borders(p);
        test_grid(p);
        test_minima(p);
    }
    for (int m = 0; m < 2; ++m) {
        const shoal_method method = m ? SHOAL_METHOD_LBFGS : SHOAL_METHOD_FIRE;
        test_laws(method);
        add_relaxed();
        for (int k = 0; k < n_nets; ++k) test_state(&nets[k], method);
        free_nets();
    }
    return check_done();
}
