/* SPDX-License-Identifier: BSD-3-Clause
 * What dynamics should obey: energy is kept to the square of the step, Langevin's thermostat samples the distribution
 * of its temperature, replicas are independent. Seeds are fixed: what passes once passes always. */
#include <stdlib.h>

#include "constants.h"
#include "driver_fixture.h"
#include "shoal/md.h"

static const schedule plain = {
    .name = "cpu double", .device = "cpu", .precision = SHOAL_PRECISION_DOUBLE};

static shoal_engine *make_engine(const set *s, int32_t n_copies, shoal_precision precision)
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    const shoal_engine_options options = {.device = "cpu", .precision = precision, .n_threads = 2};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int32_t k = 0; k < n_copies; ++k) {
        const shoal_system system = {.topology = s->systems[0].topology,
                                     .pos = (const double(*)[3])s->systems[0].pos};
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    }
    CHECK(shoal_engine_create(&engine, batch, &options) == SHOAL_OK);
    shoal_batch_destroy(batch);
    return engine;
}

static double mean_of(const double *x, int32_t n, double *error)
{
    double sum = 0, sum2 = 0;
    for (int32_t k = 0; k < n; ++k) sum += x[k];
    for (int32_t k = 0; k < n; ++k) sum2 += (x[k] - sum / n) * (x[k] - sum / n);
    *error = sqrt(sum2 / n / (n - 1));
    return sum / n;
}

/* --- energy --------------------------------------------------------------------------------------- */

enum { N_KEPT = 16 };

/* Mean fluctuation over copies, and the drift with its error in kT/ns per degree of freedom. */
static double run_kept(const set *s, double dt, double time, shoal_precision precision,
                       double *drift, double *error)
{
    shoal_engine *engine = make_engine(s, N_KEPT, precision);
    double sum = 0, drifts[N_KEPT];
    const shoal_md_options o = {
        .n_steps = (int32_t)(time / dt + 0.5), .dt = dt, .stride = 7, .seed = 1};
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
    for (int32_t k = 0; k < N_KEPT; ++k) {
        const shoal_md_result *m = shoal_engine_md_result(engine, k);
        sum += m ? m->fluctuation / N_KEPT : NAN;
        drifts[k] = m ? m->drift / (300 * BOLTZMANN) : NAN;
    }
    *drift = mean_of(drifts, N_KEPT, error);
    shoal_engine_destroy(engine);
    return sum;
}

/* --- what the steps keep -------------------------------------------------------------------------- */

enum { MOST_COPIES = 64, MOST_ATOMS = 24, WINDOW = 400 };

/* Velocity Verlet keeps not H but H + dt^2 (v.V''.v / 12 - f.f / (24 m)), but for terms of the fourth order (Hairer,
 * Lubich and Wanner, Geometric Numerical Integration, IX). Its mean over a window tells drifts that the ripple of H
 * hides. V''.v is the difference of the forces of the next and of the last step. */
typedef struct shadow {
    int32_t n_atoms;
    double mean[MOST_COPIES];
    double f[MOST_COPIES][2][MOST_ATOMS][3],
        v[MOST_COPIES][MOST_ATOMS][3]; /* last but one and last */
    double h[MOST_COPIES];             /* of the last, without v.V''.v */
} shadow;

static shoal_status shadow_take(void *user, const shoal_relax_frame *f)
{
    shadow *s = user;
    const int32_t i = f->i_system;
    const size_t size = (size_t)s->n_atoms * sizeof f->pos[0];
    double bend = 0, f2 = 0;
    for (int32_t a = 0; a < s->n_atoms; ++a)
        for (int k = 0; k < 3; ++k) {
            bend -= s->v[i][a][k] * (f->forces[a][k] - s->f[i][0][a][k]); /* over 2 dt */
            f2 += f->forces[a][k] * f->forces[a][k] * ACCELERATION / f->masses[a];
        }
    if (f->steps >= 2) s->mean[i] += (s->h[i] + 0.25 * bend / 12) / (WINDOW - 1);
    memcpy(s->f[i][0], s->f[i][1], size);
    memcpy(s->f[i][1], f->forces, size);
    memcpy(s->v[i], f->velocities, size);
    s->h[i] = f->energy + f->kinetic - 0.25 * f2 / 24;
    return SHOAL_OK;
}

/* 0.5 fs; goes on with the velocities of the run before, if there was one. */
static void run_on(shoal_engine *engine, int32_t n, int32_t n_steps, shadow *look)
{
    shoal_md_system own[MOST_COPIES] = {{0}};
    static double v[MOST_COPIES][MOST_ATOMS][3];
    for (int32_t k = 0; k < n; ++k) {
        const shoal_md_result *m = shoal_engine_md_result(engine, k);
        own[k].key = k;
        if (!m) continue;
        memcpy(v[k], m->velocities, 20 * sizeof v[k][0]);
        own[k].velocities = (const double(*)[3])v[k];
    }
    const shoal_md_options o = {.n_steps = n_steps,
                                .dt = 0.5,
                                .seed = 2,
                                .stride = look ? 1 : n_steps,
                                .systems = own,
                                .frame = look ? shadow_take : NULL,
                                .frame_user = look};
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
}

/* kT/ns per degree of freedom, between two windows n_steps apart. */
static double find_drift(const set *s, int32_t n, int32_t n_steps, shoal_precision precision,
                         double *error)
{
    static shadow begin, end;
    shoal_engine *engine = make_engine(s, n, precision);
    double drifts[MOST_COPIES];
    begin = end = (shadow){.n_atoms = s->systems[0].n_atoms};
    run_on(engine, n, 2000, NULL);
    run_on(engine, n, WINDOW, &begin);
    run_on(engine, n, n_steps, NULL);
    run_on(engine, n, WINDOW, &end);
    const double time = 0.5e-6 * (n_steps + WINDOW); /* ns */
    for (int32_t k = 0; k < n; ++k)
        drifts[k] = (end.mean[k] - begin.mean[k]) / time / 54 / (300 * BOLTZMANN);
    shoal_engine_destroy(engine);
    return mean_of(drifts, n, error);
}

static void test_drift(const set *s, int32_t n, int32_t n_steps)
{
    double error;
    for (int k = 0; k < 2; ++k) {
        const shoal_precision precision = k ? SHOAL_PRECISION_FLOAT : SHOAL_PRECISION_DOUBLE;
        const double drift = find_drift(s, n, n_steps, precision, &error);
        (void)printf("drift in %s: %.2g +- %.2g kT/ns/dof, %d copies, %g ps\n",
                     k ? "float" : "double", drift, error, n, 0.5e-3 * n_steps);
        CHECK(fabs(drift) < 3 * error + (k ? 1e-4 : 1e-6));
        CHECK(error < 5e-3);
    }
}

static void test_energy(const set *s)
{
    double rms[3], drift, error;
    for (int k = 0; k < 3; ++k)
        rms[k] = run_kept(s, 0.25 * (1 << k), 1000, SHOAL_PRECISION_DOUBLE, &drift, &error);
    (void)printf("fluctuation %.3g, %.3g, %.3g eV at 0.25, 0.5, 1 fs\n", rms[0], rms[1], rms[2]);
    CHECK_NEAR(rms[1] / rms[0], 4, 0.3);
    CHECK_NEAR(rms[2] / rms[1], 4, 0.6);
}

/* --- Langevin ------------------------------------------------------------------------------------- */

enum { N_COPIES = 64, N_SAMPLES = 40, N_BLOCKS = 16 };

typedef struct sampler {
    int32_t n[N_COPIES];
    double u[N_COPIES][N_SAMPLES], t[N_COPIES][N_SAMPLES]; /* eV, K */
} sampler;

static shoal_status sampler_take(void *user, const shoal_relax_frame *f)
{
    sampler *s = user;
    const int32_t k = s->n[f->i_system];
    if (f->time < 400 || k == N_SAMPLES) return SHOAL_OK; /* it has to warm up */
    s->u[f->i_system][k] = f->energy;
    s->t[f->i_system][k] = f->temperature;
    ++s->n[f->i_system];
    return SHOAL_OK;
}

static void run_langevin(const set *s, double kelvin, uint64_t seed, sampler *out)
{
    shoal_engine *engine = make_engine(s, N_COPIES, SHOAL_PRECISION_DOUBLE);
    const shoal_md_options o = {.n_steps = 800 + 200 * N_SAMPLES,
                                .thermostat = SHOAL_THERMOSTAT_LANGEVIN,
                                .friction = 0.05,
                                .temperatures = &kelvin,
                                .n_temperatures = 1,
                                .stride = 200,
                                .seed = seed,
                                .frame = sampler_take,
                                .frame_user = out};
    *out = (sampler){0};
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
    for (int32_t k = 0; k < N_COPIES; ++k) CHECK(out->n[k] == N_SAMPLES);
    shoal_engine_destroy(engine);
}

/* Distribution of chi squared with an even number of degrees of freedom. */
static double chi2(double x, int dof)
{
    double term = 1, sum = 1;
    for (int j = 1; j < dof / 2; ++j) sum += term *= 0.5 * x / j;
    return 1 - sum * exp(-0.5 * x);
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kinetic energies have the distribution of Maxwell and Boltzmann. */
static void check_kinetic(const sampler *s, double kelvin, int n_dof)
{
    enum { N = N_COPIES * N_SAMPLES };
    static double x[N];
    double means[N_COPIES], squares[N_COPIES], error, worst = 0;
    for (int32_t k = 0; k < N_COPIES; ++k) {
        means[k] = squares[k] = 0;
        for (int32_t j = 0; j < N_SAMPLES; ++j) {
            const double y = s->t[k][j] / kelvin;
            means[k] += y / N_SAMPLES;
            squares[k] += (y - 1) * (y - 1) / N_SAMPLES;
            x[k * N_SAMPLES + j] = y * n_dof;
        }
    }
    const double mean = mean_of(means, N_COPIES, &error);
    (void)printf("%g K: kinetic %.4f +- %.4f", kelvin, mean, error);
    CHECK_NEAR(mean, 1, 3 * error);
    const double square = mean_of(squares, N_COPIES, &error);
    (void)printf(", variance %.4f +- %.4f", square * n_dof / 2, error * n_dof / 2);
    CHECK_NEAR(square, 2.0 / n_dof, 3 * error);
    qsort(x, N, sizeof *x, compare_numbers);
    for (int k = 0; k < N; ++k) worst = fmax(worst, fabs(chi2(x[k], n_dof) - (k + 0.5) / N));
    (void)printf(", KS %.2f\n", worst * sqrt(N));
    CHECK(worst * sqrt(N) < 1.63); /* 1 in 100 */
}

/* The slope of ln p2(U)/p1(U) by maximum likelihood (Shirts, J. Chem. Theory Comput. 9 (2013) 909), of some copies. */
static double find_slope(const sampler *cold, const sampler *hot, int32_t first, int32_t n)
{
    double a = 0, b = 0, mean = 0;
    for (int32_t k = first; k < first + n; ++k)
        for (int32_t j = 0; j < N_SAMPLES; ++j)
            mean += (cold->u[k][j] + hot->u[k][j]) / (2.0 * n * N_SAMPLES);
    for (int step = 0; step < 30; ++step) {
        double ga = 0, gb = 0, haa = 0, hab = 0, hbb = 0;
        for (int32_t k = first; k < first + n; ++k)
            for (int32_t j = 0; j < 2 * N_SAMPLES; ++j) {
                const bool is_hot = j % 2;
                const double u = (is_hot ? hot : cold)->u[k][j / 2] - mean;
                const double p = 1 / (1 + exp(-a - b * u)), w = p * (1 - p);
                ga += is_hot - p;
                gb += (is_hot - p) * u;
                haa += w;
                hab += w * u;
                hbb += w * u * u;
            }
        const double det = haa * hbb - hab * hab;
        a += (hbb * ga - hab * gb) / det;
        b += (haa * gb - hab * ga) / det;
    }
    return b;
}

/* Potential energies at two temperatures have the ratio of their Boltzmann factors. */
static void check_ratio(const sampler *cold, const sampler *hot, double t1, double t2)
{
    double slopes[N_BLOCKS], error;
    const int32_t n = N_COPIES / N_BLOCKS;
    for (int32_t k = 0; k < N_BLOCKS; ++k) slopes[k] = find_slope(cold, hot, k * n, n);
    const double slope = mean_of(slopes, N_BLOCKS, &error);
    const double wanted = (1 / t1 - 1 / t2) / BOLTZMANN;
    (void)printf("ratio of distributions: %.4f +- %.4f, expected %.4f /eV\n", slope, error, wanted);
    CHECK_NEAR(slope, wanted, 3 * error);
    CHECK(error < 0.1 * wanted);
}

/* Of all pairs of neighbours, at the same times. */
static void check_replicas(const sampler *s)
{
    double sum = 0, var = 0, mean = 0;
    const int n = N_COPIES * N_SAMPLES;
    for (int k = 0; k < n; ++k) mean += s->u[k / N_SAMPLES][k % N_SAMPLES] / n;
    for (int k = 0; k < n; ++k) {
        const double x = s->u[k / N_SAMPLES][k % N_SAMPLES] - mean;
        const double y = s->u[(k / N_SAMPLES + 1) % N_COPIES][k % N_SAMPLES] - mean;
        sum += x * y;
        var += x * x;
    }
    (void)printf("correlation of replicas %.3f sigma\n", sum / var * sqrt(n));
    CHECK_NEAR(sum / var * sqrt(n), 0, 3.5);
}

static void test_langevin(const set *s)
{
    static sampler cold, hot;
    run_langevin(s, 300, 7, &cold);
    run_langevin(s, 360, 8, &hot);
    check_kinetic(&cold, 300, 24);
    check_kinetic(&hot, 360, 24);
    check_ratio(&cold, &hot, 300, 360);
    check_replicas(&cold);
}

/* With a number: drifts alone, over so many steps of 64 copies. */
int main(int argc, char **argv)
{
    static set s, small;
    (void)driver_alkane(&s, &plain, 6, 0.02); /* 20 atoms */
    (void)driver_alkane(&small, &plain, 2, 0.02);
    test_drift(&s, argc > 1 ? MOST_COPIES : 16,
               argc > 1 ? (int32_t)strtol(argv[1], NULL, 10) : 4000);
    if (argc > 1) return check_done();
    test_energy(&s);
    test_langevin(&small);
    set_free(&s);
    set_free(&small);
    return check_done();
}
