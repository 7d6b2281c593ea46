/* SPDX-License-Identifier: BSD-3-Clause
 * The same sums, fed to the decisions of FIRE and L-BFGS on the processor and on an OpenCL device, give the
 * same decisions: integers equal, numbers as rounding allows. */
#include <math.h>
#include <stdint.h>

#include "backend/pace.h"
#include "check.h"
#include "cl/cl_routine.h"
#include "cl_fixture.h"

#define SHOAL_REAL double
#include "step_fire.h"
#include "step_lbfgs.h"

enum { N_SYSTEMS = 64, N_STEPS = 300, N_SUMS = 4, N_OUT = 16 };

/* Replays the sums of every system, one work-item each; writes the state after every step. */
static const char probe[] =
    "#define WG 1\n"
    "#include \"step_state.h\"\n"
    "kernel void replay_fire(global const real *sums, const int n_steps, global int *n, global "
    "real *x,\n"
    "                        global int *decisions, global real *numbers)\n"
    "{\n"
    "    const int k = (int)get_global_id(0);\n"
    "    const step_limits limit = {R(1e-4), R(0.2), 250};\n"
    "    for (int i = 0; i < n_steps; ++i) {\n"
    "        fire_state s = fire_load(n + STEP_INTS * k, x + STEP_REALS * k);\n"
    "        if (s.outcome != STEP_GOING) return;\n"
    "        global const real *in = sums + 4 * (k * n_steps + i);\n"
    "        const fire_sums all = {in[0], in[1], in[2], in[3]};\n"
    "        const fire_move m = fire_decide(&s, &all, &limit);\n"
    "        global int *d = decisions + 4 * (k * n_steps + i);\n"
    "        global real *o = numbers + 16 * (k * n_steps + i);\n"
    "        d[0] = s.outcome, d[1] = s.quiet, d[2] = m.retreat, d[3] = s.progress.idle;\n"
    "        o[0] = m.keep, o[1] = m.push, o[2] = m.move, o[3] = s.dt, o[4] = s.mixing, o[5] = "
    "s.speed;\n"
    "        o[6] = s.work;\n"
    "        fire_save(n + STEP_INTS * k, x + STEP_REALS * k, &s);\n"
    "    }\n"
    "}\n"
    "kernel void replay_lbfgs(global const real *sums, const int n_steps, global int *n, global "
    "real *x,\n"
    "                         global int *decisions, global real *numbers, global const real "
    "*dots)\n"
    "{\n"
    "    const int k = (int)get_group_id(0);\n"
    "    local real4 near[LBFGS_PRODUCTS / 4];\n"
    "    local real *products = (local real *)near;\n"
    "    const step_limits limit = {R(1e-4), R(0.2), 250};\n"
    "    for (int p = 0; p < LBFGS_PRODUCTS; ++p) products[p] = 0;\n"
    "    for (int i = 0; i < n_steps; ++i) {\n"
    "        lbfgs_state s = lbfgs_load(n + STEP_INTS * k, x + STEP_REALS * k);\n"
    "        if (s.outcome != STEP_GOING) return;\n"
    "        global const real *in = sums + 4 * (k * n_steps + i);\n"
    "        global const real *own = dots + LBFGS_N_DOTS * (k * n_steps + i);\n"
    "        const lbfgs_sums all = {in[0], in[1], in[2]};\n"
    "        lbfgs_coefficients c = {(real4)(0, 0, 0, 0), (real4)(0, 0, 0, 0), 0, 0};\n"
    "        const int step = lbfgs_judge(&s, &all, &limit);\n"
    "        for (int p = 0; p < LBFGS_N_DOTS && step == LBFGS_TAKEN; ++p)\n"
    "            lbfgs_keep_product(p, s.place, own[p], products);\n"
    "        if (step != LBFGS_REFUSED) {\n"
    "            c = lbfgs_direct(&s, step, products);\n"
    "            lbfgs_set_length(&s, in[3], &limit);\n"
    "        }\n"
    "        global int *d = decisions + 4 * (k * n_steps + i);\n"
    "        global real *o = numbers + 16 * (k * n_steps + i);\n"
    "        d[0] = s.outcome, d[1] = step, d[2] = s.place, d[3] = s.backtracks;\n"
    "        o[0] = s.length, o[1] = s.slope, o[2] = s.gamma, o[3] = s.energy, o[4] = c.of_soft;\n"
    "        o[5] = c.of_force, o[6] = c.of_move.x, o[7] = c.of_move.w, o[8] = c.of_change.y;\n"
    "        o[9] = s.rho.x + s.rho.y + s.rho.z + s.rho.w;\n"
    "        lbfgs_save(n + STEP_INTS * k, x + STEP_REALS * k, &s);\n"
    "    }\n"
    "}\n";

typedef struct record {
    int32_t decisions[N_SYSTEMS][N_STEPS][4];
    double numbers[N_SYSTEMS][N_STEPS][N_OUT];
} record;

static double sums[N_SYSTEMS][N_STEPS][N_SUMS];
static double dots[N_SYSTEMS][N_STEPS][LBFGS_N_DOTS];
static record host, device;

/* In [0, 1): Knuth's MMIX generator. */
static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

/* A descent with uphill steps and, in some systems, forces that are no numbers; the last ones converge. */
static void make_fire_sums(void)
{
    uint64_t seed = 7;
    for (int k = 0; k < N_SYSTEMS; ++k)
        for (int i = 0; i < N_STEPS; ++i) {
            double *s = sums[k][i];
            const double size = exp(-0.02 * i * (1 + k % 5)) + 0.02 * (k % 3 > 0);
            s[3] = size * (0.5 + draw(&seed));
            s[0] = s[3] * (1 + 9 * draw(&seed));
            s[1] = draw(&seed);
            s[2] = sqrt(s[0] * s[1]) * (draw(&seed) - (i % 17 == 16 ? 0.9 : 0.1));
            if (k % 7 == 3 && (i == k / 7 || i % 40 == 39)) s[3] = NAN;
        }
}

static void make_lbfgs_sums(void)
{
    uint64_t seed = 11;
    for (int k = 0; k < N_SYSTEMS; ++k)
        for (int i = 0; i < N_STEPS; ++i) {
            double *s = sums[k][i], *d = dots[k][i];
            const bool worse = i % 13 == 12 || (k % 5 == 4 && i > 60);
            s[0] = 5 - 0.01 * i + (worse ? 1 + draw(&seed) : 0.001 * draw(&seed));
            s[1] = 20;
            s[2] = k % 3 ? 1 + draw(&seed) : exp(-0.1 * i);
            s[3] = 0.3 * draw(&seed);
            if (k % 9 == 5 && i == 20) s[0] = NAN;
            for (int p = 0; p < LBFGS_N_DOTS; ++p) d[p] = 0.2 * (draw(&seed) - 0.5);
            for (int j = 0; j < LBFGS_PAIRS;
                 ++j) { /* curvature of the newest pair is mostly positive */
                d[LBFGS_PAIR_DOTS * j] = draw(&seed) - (i % 11 == 10 ? 1.0 : 0.0);
                d[LBFGS_PAIR_DOTS * j + 1] = 0.5 + draw(&seed);
            }
            d[LBFGS_DOT_FSF] = 1 + draw(&seed);
            d[LBFGS_DOT_YY] = 0.5 + draw(&seed);
            d[LBFGS_DOT_FF] = 1 + draw(&seed);
        }
}

static void replay_fire(int k)
{
    const step_limits limit = {1e-4, 0.2, 250};
    fire_state s = fire_begin(0, fire_usual());
    for (int i = 0; i < N_STEPS && s.outcome == STEP_GOING; ++i) {
        const double *in = sums[k][i];
        const fire_sums all = {in[0], in[1], in[2], in[3]};
        const fire_move m = fire_decide(&s, &all, &limit);
        const int32_t d[4] = {s.outcome, s.quiet, m.retreat, s.progress.idle};
        const double o[7] = {m.keep, m.push, m.move, s.dt, s.mixing, s.speed, s.work};
        memcpy(host.decisions[k][i], d, sizeof d);
        memcpy(host.numbers[k][i], o, sizeof o);
    }
}

static void replay_lbfgs(int k)
{
    const step_limits limit = {1e-4, 0.2, 250};
    lbfgs_state s = lbfgs_begin(0);
    double products[LBFGS_PRODUCTS] = {0};
    for (int i = 0; i < N_STEPS && s.outcome == STEP_GOING; ++i) {
        const double *in = sums[k][i];
        const lbfgs_sums all = {in[0], in[1], in[2]};
        lbfgs_coefficients c = {0};
        const int step = lbfgs_judge(&s, &all, &limit);
        for (int p = 0; p < LBFGS_N_DOTS && step == LBFGS_TAKEN; ++p)
            lbfgs_keep_product(p, s.place, dots[k][i][p], products);
        if (step != LBFGS_REFUSED) {
            c = lbfgs_direct(&s, step, products);
            lbfgs_set_length(&s, in[3], &limit);
        }
        const int32_t d[4] = {s.outcome, step, s.place, s.backtracks};
        const double o[10] = {s.length,      s.slope,
                              s.gamma,       s.energy,
                              c.of_soft,     c.of_force,
                              c.of_move.x,   c.of_move.w,
                              c.of_change.y, s.rho.x + s.rho.y + s.rho.z + s.rho.w};
        memcpy(host.decisions[k][i], d, sizeof d);
        memcpy(host.numbers[k][i], o, sizeof o);
    }
}

/* The probe, and all that it may include. */
static void copy_sources(scratch_directory *kernels)
{
    scratch_write(kernels, "step_probe.cl", probe);
    copy_kernel_headers(kernels);
}

static void on_device(cl_target *target, const char *name)
{
    cl_code code;
    cl_routine routine;
    cl_buffer in, ints, reals, decisions, numbers, extra;
    static const int32_t zeros[N_SYSTEMS * STEP_INTS];
    static double none[N_SYSTEMS * STEP_REALS];
    const backend_pace pace = backend_pace_usual();
    for (int k = 0; k < N_SYSTEMS; ++k) backend_pace_write(&pace, none + STEP_REALS * k);
    CHECK(cl_code_build(&code, target, "step_probe.cl", "-DSHOAL_DOUBLE") == SHOAL_OK);
    CHECK(cl_routine_create(&routine, &code, name) == SHOAL_OK);
    memset(&device, 0, sizeof device);
    CHECK(cl_buffer_create(&in, target, "sums", sizeof sums / 8, 8, sums) == SHOAL_OK);
    CHECK(cl_buffer_create(&ints, target, "ints", sizeof zeros / 4, 4, zeros) == SHOAL_OK);
    CHECK(cl_buffer_create(&reals, target, "reals", sizeof none / 8, 8, none) == SHOAL_OK);
    CHECK(cl_buffer_create(&decisions, target, "decisions", sizeof device.decisions / 4, 4,
                           device.decisions) == SHOAL_OK);
    CHECK(cl_buffer_create(&numbers, target, "numbers", sizeof device.numbers / 8, 8,
                           device.numbers) == SHOAL_OK);
    CHECK(cl_buffer_create(&extra, target, "dots", sizeof dots / 8, 8, dots) == SHOAL_OK);
    CHECK(cl_routine_buffer(&routine, 0, "sums", &in) == SHOAL_OK);
    CHECK(cl_routine_int(&routine, 1, "n_steps", N_STEPS) == SHOAL_OK);
    CHECK(cl_routine_buffer(&routine, 2, "ints", &ints) == SHOAL_OK);
    CHECK(cl_routine_buffer(&routine, 3, "reals", &reals) == SHOAL_OK);
    CHECK(cl_routine_buffer(&routine, 4, "decisions", &decisions) == SHOAL_OK);
    CHECK(cl_routine_buffer(&routine, 5, "numbers", &numbers) == SHOAL_OK);
    if (strcmp(name, "replay_lbfgs") == 0)
        CHECK(cl_routine_buffer(&routine, 6, "dots", &extra) == SHOAL_OK);
    CHECK(cl_routine_launch(&routine, N_SYSTEMS, 1) == SHOAL_OK);
    CHECK(cl_buffer_read(&decisions, 0, sizeof device.decisions, device.decisions) == SHOAL_OK);
    CHECK(cl_buffer_read(&numbers, 0, sizeof device.numbers, device.numbers) == SHOAL_OK);
    cl_buffer *const all[] = {&in, &ints, &reals, &decisions, &numbers, &extra};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) cl_buffer_free(all[k]);
    cl_routine_free(&routine);
    cl_code_free(&code);
}

static void compare(void)
{
    int seen[5] = {0}, n_steps = 0;
    for (int k = 0; k < N_SYSTEMS; ++k)
        for (int i = 0; i < N_STEPS; ++i) {
            const bool same = memcmp(host.decisions[k][i], device.decisions[k][i],
                                     sizeof host.decisions[k][i]) == 0;
            CHECK(same);
            for (int o = 0; o < N_OUT && same; ++o) {
                const double a = host.numbers[k][i][o], b = device.numbers[k][i][o];
                CHECK(fabs(a - b) <= 1e-9 * (1 + fabs(a)));
            }
            n_steps += host.numbers[k][i][0] != 0;
            ++seen[host.decisions[k][i][0]];
        }
    (void)printf("%d steps; converged %d, max_steps %d, not_finite %d, stalled %d\n", n_steps,
                 seen[STEP_CONVERGED], seen[STEP_MAX_STEPS], seen[STEP_NOT_FINITE],
                 seen[STEP_STALLED]);
    CHECK(seen[STEP_CONVERGED] > 0 && seen[STEP_MAX_STEPS] > 0 && n_steps > 1000);
}

int main(void)
{
    const char *which = device_for_tests();
    cl_target *target;
    if (!which) return SKIPPED;
    scratch_directory kernels = scratch_make();
    copy_sources(&kernels);
    (void)setenv("SHOAL_CACHE", "0", 1);
    CHECK(cl_target_open(&target, which, false) == SHOAL_OK);
    (void)setenv("SHOAL_KERNEL_DIR", kernels.path, 1);
    make_fire_sums();
    for (int k = 0; k < N_SYSTEMS; ++k) replay_fire(k);
    on_device(target, "replay_fire");
    compare();
    memset(&host, 0, sizeof host);
    make_lbfgs_sums();
    for (int k = 0; k < N_SYSTEMS; ++k) replay_lbfgs(k);
    on_device(target, "replay_lbfgs");
    compare();
    cl_target_close(target);
    scratch_remove(&kernels);
    return check_done();
}
