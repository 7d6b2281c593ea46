/* SPDX-License-Identifier: BSD-3-Clause
 * Errors of fitted parameters: by dimers, by bootstrap, and as if points were independent. */
#include "fit_planted.h"

static shoal_fit *fit_of(const shoal_dataset *data, const char *text, int32_t n_threads)
{
    const shoal_fit_options o = {.n_threads = n_threads};
    shoal_fit *fit = NULL;
    shoal_fit_result r;
    CHECK(shoal_fit_create_memory(&fit, data, text, "dofs", &o) == SHOAL_OK);
    for (int32_t i = 0; i < N_PLANTED && text == dofs; ++i)
        CHECK(shoal_fit_set_value(fit, i, 1.02 * planted[i]) == SHOAL_OK);
    CHECK(shoal_fit_run(fit, NULL, &r) == SHOAL_OK);
    CHECK(shoal_fit_analyse(fit) == SHOAL_OK);
    return fit;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_value);
    return 0.5 * (x[(n - 1) / 2] + x[n / 2]);
}

/* Where the points of a curve err together, errors by dimers are those of the bootstrap, and errors of
 * independent points are too small; where they do not, all agree. */
static void test_agreement(void)
{
    static const double common[] = {0.004, 0.0};
    for (int k = 0; k < 2; ++k) {
        double ratio[N_PLANTED], false_ratio[N_PLANTED];
        shoal_dataset *data =
            plant_by_dimers(60, &(shoal_fit_options){.n_threads = 1}, 0.001, common[k]);
        shoal_fit *fit = fit_of(data, dofs, 0);
        CHECK(shoal_fit_bootstrap(fit, &(shoal_bootstrap_options){.n = 150, .seed = 5}) ==
              SHOAL_OK);
        for (int32_t i = 0; i < N_PLANTED; ++i) {
            shoal_dof_info d;
            CHECK(shoal_fit_dof(fit, i, &d) == SHOAL_OK);
            ratio[i] = d.uncertainty / d.bootstrap;
            false_ratio[i] = d.independent / d.bootstrap;
            CHECK(ratio[i] > 0.5 && ratio[i] < 2.0);
            CHECK(d.low < d.high && d.low > d.value - 5.0 * d.bootstrap &&
                  d.high < d.value + 5.0 * d.bootstrap);
            CHECK(d.high - d.low > 2.5 * d.bootstrap && d.high - d.low < 5.0 * d.bootstrap);
        }
        const double middle = median(ratio, N_PLANTED), wrong = median(false_ratio, N_PLANTED);
        CHECK(middle > 0.8 && middle < 1.3);
        if (k == 0) CHECK(wrong < 0.65);
        if (k == 1) CHECK(wrong > 0.75 && wrong < 1.3);
        shoal_fit_destroy(fit);
        shoal_dataset_destroy(data);
    }
}

/* Leaving out one dimer after the other by whole fits gives the errors that one step promises. */
static void test_jackknife(void)
{
    enum { N_DIMERS = 24 };
    shoal_dataset *data =
        plant_by_dimers(N_DIMERS, &(shoal_fit_options){.n_threads = 1}, 0.0002, 0.0005);
    shoal_fit *fit = fit_of(data, dofs, 1);
    double sum[N_PLANTED] = {0}, u[N_PLANTED];
    for (int32_t left = 0; left < N_DIMERS; ++left) {
        fit_objective *o;
        bool keep[6 * N_DIMERS];
        fit_descent d = {.max_steps = 200};
        for (int32_t s = 0; s < 6 * N_DIMERS; ++s) keep[s] = s / 6 != left;
        CHECK(objective_create(&o, fit, false) == SHOAL_OK);
        CHECK(objective_select(o, keep) == SHOAL_OK);
        for (int32_t i = 0; i < N_PLANTED; ++i) u[i] = fit_dof_scaled(&fit->dofs[i], fit->value[i]);
        CHECK(fit_descend(o, SHOAL_FIT_LM, u, &d) == SHOAL_OK);
        for (int32_t i = 0; i < N_PLANTED; ++i) {
            const double moved = fit_dof_value(&fit->dofs[i], u[i]) - fit->value[i];
            sum[i] += moved * moved * (N_DIMERS - 1) / N_DIMERS;
        }
        objective_destroy(o);
    }
    for (int32_t i = 0; i < N_PLANTED; ++i) {
        shoal_dof_info d;
        CHECK(shoal_fit_dof(fit, i, &d) == SHOAL_OK);
        CHECK_NEAR(d.uncertainty / sqrt(sum[i]), 1.0, 0.1);
    }
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* Replicates are drawn by counter: threads change no bit, another seed does. */
static void test_repeat(void)
{
    shoal_dataset *data = plant(20, &(shoal_fit_options){.n_threads = 1}, 0.003);
    double first[N_PLANTED];
    for (int k = 0; k < 3; ++k) {
        shoal_fit *fit = fit_of(data, dofs, k == 1 ? 3 : 1);
        const shoal_bootstrap_options o = {.n = 20, .seed = k == 2 ? 8 : 7};
        CHECK(shoal_fit_bootstrap(fit, &o) == SHOAL_OK);
        for (int32_t i = 0; i < N_PLANTED; ++i) {
            shoal_dof_info d;
            CHECK(shoal_fit_dof(fit, i, &d) == SHOAL_OK);
            if (k == 0) first[i] = d.bootstrap;
            CHECK((d.bootstrap == first[i]) == (k < 2));
        }
        CHECK(shoal_fit_bootstrap(fit, &(shoal_bootstrap_options){.n = 1}) == SHOAL_E_ARGUMENT);
        shoal_fit_destroy(fit);
    }
    shoal_dataset_destroy(data);
}

/* Two replicates a < b have the interval from a + 0.025 (b - a) to a + 0.975 (b - a) and the deviation
 * (b - a) / sqrt(2). */
static void test_interval(void)
{
    shoal_dataset *data = plant(20, &(shoal_fit_options){.n_threads = 1}, 0.003);
    shoal_fit *fit = fit_of(data, "O_3 R 1.2 2.2 1.2 2.2 0 0 0\nH_O R 0.8 2 0.8 2 0 0 0\n", 1);
    for (uint64_t seed = 0; seed < 3; ++seed) {
        CHECK(shoal_fit_bootstrap(fit, &(shoal_bootstrap_options){.n = 2, .seed = seed}) ==
              SHOAL_OK);
        for (int32_t i = 0; i < 2; ++i) {
            shoal_dof_info d;
            CHECK(shoal_fit_dof(fit, i, &d) == SHOAL_OK);
            CHECK(d.bootstrap > 0.0);
            CHECK_NEAR((d.high - d.low) / d.bootstrap, 0.95 * sqrt(2.0), 1e-9);
        }
    }
    shoal_dof_info usual, asked; /* 200 replicates unless asked otherwise */
    CHECK(shoal_fit_bootstrap(fit, NULL) == SHOAL_OK);
    CHECK(shoal_fit_dof(fit, 0, &usual) == SHOAL_OK);
    CHECK(shoal_fit_bootstrap(fit, &(shoal_bootstrap_options){.n = 200}) == SHOAL_OK);
    CHECK(shoal_fit_dof(fit, 0, &asked) == SHOAL_OK);
    CHECK(usual.bootstrap == asked.bootstrap);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* Replicates that drew no dimer of a type say nothing about it. Of three dimers that count, one has carbon. */
static void test_absent_type(void)
{
    shoal_dataset *data = plant(5, &(shoal_fit_options){.n_threads = 1}, 0.003);
    for (int32_t s = 0; s < 30; ++s)
        if (s / 6 % 2 == 1) data->samples[s].weight = 0.0;
    shoal_fit *fit = fit_of(data, "O_3 R 1.2 2.2 1.2 2.2 0 0 0\nC_3 R 1.2 2.4 1.2 2.4 0 0 0\n", 1);
    int n_unknown = 0;
    for (uint64_t seed = 0; seed < 10; ++seed) {
        shoal_dof_info oxygen, carbon;
        CHECK(shoal_fit_bootstrap(fit, &(shoal_bootstrap_options){.n = 2, .seed = seed}) ==
              SHOAL_OK);
        CHECK(shoal_fit_dof(fit, 0, &oxygen) == SHOAL_OK);
        CHECK(shoal_fit_dof(fit, 1, &carbon) == SHOAL_OK);
        CHECK(isfinite(oxygen.bootstrap));
        n_unknown += isnan(carbon.bootstrap);
    }
    CHECK(n_unknown > 0 && n_unknown < 10);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* One dimer tells nothing about how dimers vary. */
static void test_one_dimer(void)
{
    shoal_dataset *data = plant(1, &(shoal_fit_options){.n_threads = 1}, 0.001);
    shoal_fit *fit = fit_of(data, "O_3 R 1.2 2.2 1.2 2.2 0 0 0\n", 1);
    shoal_dof_info d;
    CHECK(shoal_fit_dof(fit, 0, &d) == SHOAL_OK);
    CHECK(isnan(d.uncertainty) && d.independent > 0.0);
    CHECK(shoal_fit_bootstrap(fit, NULL) == SHOAL_E_ARGUMENT);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* Energies of all samples, eV, with the only DOF at a value. */
static void predict(shoal_fit *fit, double x, double *energy)
{
    const int32_t n = fit->problem.data->n_samples;
    double(*parts)[SHOAL_N_PARTS] = calloc((size_t)n, sizeof *parts);
    CHECK(shoal_fit_set_value(fit, 0, x) == SHOAL_OK);
    CHECK(shoal_fit_predict(fit, parts) == SHOAL_OK);
    for (int32_t s = 0; s < n; ++s) {
        energy[s] = 0.0;
        for (int k = 0; k < SHOAL_N_PARTS; ++k) energy[s] += parts[s][k];
    }
    free(parts);
}

/* One parameter x of residuals r with slopes g: sigma^2 = sum r^2 / (n - 1), error sigma / sqrt(sum g^2). A depth
 * is the square of what is fitted, which adds error^2 / (8^(1/2) x) at right angles. */
static void test_one_parameter(void)
{
    enum { N_DIMERS = 8, N = 6 * N_DIMERS };
    static const char *const texts[] = {"O_3 R 1.2 2.2 1.2 2.2 0 0 0\n",
                                        "C_3 E 0.0001 0.5 0.0001 0.5 0 0 0\n"};
    for (int k = 0; k < 2; ++k) {
        shoal_dataset *data =
            plant(N_DIMERS, &(shoal_fit_options){.n_threads = 1}, k ? 0.05 : 0.003);
        shoal_fit *fit = fit_of(data, texts[k], 1);
        double at[N], below[N], above[N], squares = 0.0, slopes = 0.0, moves = 0.0;
        double of_dimer[N_DIMERS][2] = {{0}}; /* sums of r g and g^2 */
        shoal_dof_info d;
        CHECK(shoal_fit_dof(fit, 0, &d) == SHOAL_OK);
        const double x = d.value, h = 1e-4 * x;
        predict(fit, x - h, below);
        predict(fit, x + h, above);
        predict(fit, x, at);
        for (int32_t s = 0; s < N; ++s) {
            const double r = at[s] - data->samples[s].reference,
                         g = (above[s] - below[s]) / (2 * h);
            squares += r * r;
            slopes += g * g;
            of_dimer[s / 6][0] += r * g;
            of_dimer[s / 6][1] += g * g;
        }
        const double error = sqrt(squares / (N - 1) / slopes);
        const double bent = k ? error * error / (sqrt(8.0) * x) : 0.0;
        CHECK_NEAR(d.independent / sqrt(error * error + bent * bent), 1.0, 1e-4);
        CHECK(k == 0 || bent > 0.1 * error);
        /* Without a dimer x moves by its sum of r g over the sum of g^2 of the others: (n - 1) / n times the squares. */
        for (int32_t i = 0; i < N_DIMERS; ++i)
            moves += pow(of_dimer[i][0] / (slopes - of_dimer[i][1]), 2);
        const double by_dimers = sqrt(moves * (N_DIMERS - 1) / N_DIMERS);
        if (k == 0) CHECK_NEAR(d.uncertainty / by_dimers, 1.0, 1e-3);
        shoal_fit_destroy(fit);
        shoal_dataset_destroy(data);
    }
}

/* A spring, unlike a wall, is knowledge: with it the parameter is as certain as the spring is stiff. */
static void test_spring(void)
{
    shoal_dataset *data = plant(30, &(shoal_fit_options){.n_threads = 1}, 0.003);
    shoal_dof_info free_one, held;
    shoal_fit *fit = fit_of(data, "O_3 R 1.2 2.2 1.2 2.2 0 0 0\n", 1);
    shoal_fit *sprung = fit_of(data, "O_3 R 1.2 2.2 1.2 2.2 0 0 1e6\n", 1);
    CHECK(shoal_fit_dof(fit, 0, &free_one) == SHOAL_OK);
    CHECK(shoal_fit_dof(sprung, 0, &held) == SHOAL_OK);
    CHECK(held.uncertainty < 0.05 * free_one.uncertainty);
    shoal_fit_destroy(fit);
    shoal_fit_destroy(sprung);
    shoal_dataset_destroy(data);
}

/* A soft wall says nothing about the side that the data would choose: leaning on it makes no
 * parameter certain. */
static void test_wall(void)
{
    shoal_dataset *data = plant(30, &(shoal_fit_options){.n_threads = 1}, 0.003);
    shoal_dof_info free_one, held;
    shoal_fit *fit = fit_of(data, "O_3 R 1.2 2.2 1.2 2.2 0 0 0\n", 1);
    CHECK(shoal_fit_dof(fit, 0, &free_one) == SHOAL_OK);
    char text[128];
    (void)snprintf(text, sizeof text, "O_3 R 1.2 2.2 1.2 %.9f 1e4 1e4 0\n",
                   free_one.value - 0.1 * free_one.uncertainty);
    shoal_fit *walled = fit_of(data, text, 1);
    CHECK(shoal_fit_dof(walled, 0, &held) == SHOAL_OK);
    CHECK(held.value < free_one.value - 0.05 * free_one.uncertainty);
    CHECK_NEAR(held.uncertainty / free_one.uncertainty, 1.0, 0.2);
    shoal_fit_destroy(fit);
    shoal_fit_destroy(walled);
    shoal_dataset_destroy(data);
}

/* Samples that weights leave out change neither folds nor errors, but are predicted. */
static void test_left_out(void)
{
    enum { N_DIMERS = 40, SKIP = 4 };
    double energy[6 * N_DIMERS];
    shoal_dataset *whole = plant(N_DIMERS, &(shoal_fit_options){.n_threads = 1}, 0.003);
    for (int32_t s = 0; s < 6 * N_DIMERS; ++s) {
        energy[s] = whole->samples[s].reference;
        if (s / 6 % SKIP != 0) continue;
        whole->samples[s].weight = 0.0;
        whole->samples[s].reference = 5.0;
    }
    shoal_dataset *without = make_data(N_DIMERS, energy, SKIP);
    for (int k = 0; k < 2; ++k) {
        const shoal_cv_options o = {.n_folds = k == 0 ? 5 : 0, .seed = 2};
        shoal_cv_result a, b;
        shoal_fit *first = fit_of(whole, dofs, 1), *second = fit_of(without, dofs, 1);
        CHECK(shoal_fit_cross_validate(first, &o, &a) == SHOAL_OK);
        CHECK(shoal_fit_cross_validate(second, &o, &b) == SHOAL_OK);
        CHECK(a.n_folds == b.n_folds && a.n_dimers == b.n_dimers);
        CHECK_NEAR(a.rmse / b.rmse, 1.0, 1e-6);
        CHECK_NEAR(a.median / b.median, 1.0, 1e-5);
        CHECK_NEAR(a.std / b.std, 1.0, 1e-5);
        for (int32_t f = 0; f < a.n_folds; ++f) { /* monomers are numbered as they appear */
            int32_t g = 0;
            while (g + 1 < b.n_folds && strcmp(a.folds[f].label, b.folds[g].label) != 0) ++g;
            CHECK(a.folds[f].n_dimers == b.folds[g].n_dimers);
            CHECK_NEAR(a.folds[f].rmse / b.folds[g].rmse, 1.0, 1e-6);
        }
        CHECK_TEXT(a.dimers[0].name, b.dimers[0].name);
        for (int32_t s = 0; s < 6; ++s) CHECK_NEAR(a.predicted[s], energy[s], 0.05);
        const shoal_cv_options each = {.n_folds = 30, .run = {.max_steps = 1}};
        CHECK(shoal_fit_cross_validate(first, &each, &a) == SHOAL_OK && a.n_folds == 30);
        static const int32_t impossible[] = {-1, 1, 31};
        for (int i = 0; i < 3; ++i) {
            const shoal_cv_options wrong = {.n_folds = impossible[i]};
            CHECK(shoal_fit_cross_validate(first, &wrong, &a) == SHOAL_E_ARGUMENT);
        }
        shoal_dof_info da, db;
        const shoal_bootstrap_options draw = {.n = 8, .seed = 4};
        CHECK(shoal_fit_bootstrap(first, &draw) == SHOAL_OK);
        CHECK(shoal_fit_bootstrap(second, &draw) == SHOAL_OK);
        CHECK(shoal_fit_dof(first, 0, &da) == SHOAL_OK &&
              shoal_fit_dof(second, 0, &db) == SHOAL_OK);
        CHECK_NEAR(da.bootstrap / db.bootstrap, 1.0, 1e-4);
        shoal_fit_destroy(first);
        shoal_fit_destroy(second);
    }
    shoal_dataset_destroy(whole);
    shoal_dataset_destroy(without);
}

/* A fold knows nothing of what it keeps back: where all samples of a type are, their energies are those of the
 * start value, whatever the fit to all samples found. One step from the start leads nowhere, so that folds go on
 * from the present values. */
static void test_no_leak(void)
{
    enum { N_DIMERS = 24 };
    shoal_dataset *data = plant(N_DIMERS, &(shoal_fit_options){.n_threads = 1}, 0.001);
    double first[6 * N_DIMERS], energy[6 * N_DIMERS];
    for (int k = 0; k < 2; ++k) {
        const shoal_cv_options o = {.run = {.max_steps = 1}};
        shoal_cv_result r;
        shoal_fit *fit = fit_of(data, dofs, 1);
        CHECK(shoal_fit_set_value(fit, 6, 1.7 + 0.4 * k) == SHOAL_OK);     /* C_3 R */
        CHECK(shoal_fit_set_value(fit, 7, 0.002 + 0.004 * k) == SHOAL_OK); /* C_3 E */
        CHECK(shoal_fit_cross_validate(fit, &o, &r) == SHOAL_OK);
        CHECK(r.n_folds == 2);
        memcpy(k ? energy : first, r.predicted, sizeof energy);
        shoal_fit_destroy(fit);
    }
    for (int d = 3; d < N_DIMERS; d += 6) /* carbon on both sides: kept back once */
        CHECK(memcmp(&energy[6 * d], &first[6 * d], 6 * sizeof *energy) == 0);
    CHECK(memcmp(energy, first, sizeof energy) != 0);
    shoal_dataset_destroy(data);
}

/* One figure: the errors of single samples have the total's mean square, whether folds are dimers or
 * monomers; the median and the worst dimers are theirs. */
static void test_one_figure(void)
{
    shoal_dataset *data = plant(30, &(shoal_fit_options){.n_threads = 1}, 0.003);
    const int32_t n = shoal_dataset_samples(data);
    shoal_fit *fit = fit_of(data, dofs, 0);
    for (int k = 0; k < 2; ++k) {
        shoal_cv_result r;
        double squares = 0.0, worst = 0.0;
        double *sorted = calloc((size_t)n, sizeof *sorted);
        CHECK(shoal_fit_cross_validate(fit, &(shoal_cv_options){.n_folds = k == 0 ? 3 : 0}, &r) ==
              SHOAL_OK);
        for (int32_t s = 0; s < n; ++s) {
            squares += r.error[s] * r.error[s] / n;
            worst = fmax(worst, r.error[s]);
            sorted[s] = r.error[s];
            const double d = fabs(r.predicted[s] - data->samples[s].reference);
            CHECK(k == 0 ? d == r.error[s] : d <= r.error[s] * (1.0 + 1e-12));
        }
        CHECK_NEAR(sqrt(squares) / r.rmse, 1.0, 1e-12);
        CHECK(r.median == median(sorted, n));
        double largest = 0.0;
        for (int32_t d = 0; d < r.n_dimers; ++d) {
            CHECK(r.dimers[d].n_samples == 6 && r.dimers[d].largest >= r.dimers[d].rmse);
            CHECK(d == 0 || r.dimers[d].rmse <= r.dimers[d - 1].rmse);
            largest = fmax(largest, r.dimers[d].largest);
        }
        CHECK(r.n_dimers == 30 && largest == worst);
        free(sorted);
    }
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* With as many folds as dimers, fold k keeps back the k-th dimer of the shuffled order: ties go to the first fold. */
static void test_dealing(void)
{
    enum { N_DIMERS = 6 };
    shoal_dataset *data = plant(N_DIMERS, &(shoal_fit_options){.n_threads = 1}, 0.003);
    shoal_fit *fit = fit_of(data, dofs, 1);
    const shoal_cv_options o = {.n_folds = N_DIMERS, .seed = 5, .run = {.max_steps = 1}};
    shoal_cv_result r;
    double order[N_DIMERS][2]; /* number drawn, dimer */
    for (int k = 0; k < N_DIMERS; ++k) {
        order[k][0] = fit_random(5, UINT64_C(0x666f6c64), (uint64_t)k);
        order[k][1] = k;
    }
    qsort(order, N_DIMERS, sizeof order[0], by_value);
    CHECK(shoal_fit_cross_validate(fit, &o, &r) == SHOAL_OK && r.n_dimers == N_DIMERS);
    for (int k = 0; k < N_DIMERS; ++k)
        for (int d = 0; d < N_DIMERS; ++d)
            CHECK((fabs(r.dimers[d].rmse / r.folds[k].rmse - 1) < 1e-9) ==
                  (r.dimers[d].dimer == (int32_t)order[k][1]));
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* Frames of single oxygen atoms, monomers known by their charges. Dimer k of those in the order dealt out has samples[k]
 * frames; frame f is as far apart as f says. The last is not dealt out: it has no weight, and the place of the second. */
enum { N_DEALT = 4 };
static shoal_dataset *dealt_data(const int32_t order[N_DEALT], const char *const pairs[N_DEALT],
                                 const int32_t samples[N_DEALT])
{
    shoal_atom_types *types = NULL;
    shoal_dataset *data = NULL;
    char text[8000] = "";
    for (int32_t d = 0; d <= N_DEALT; ++d) {
        int k = 0;
        while (d < N_DEALT && order[k] != d) ++k;
        if (d == N_DEALT) k = 1;
        for (int32_t f = 0; f < (d < N_DEALT ? samples[k] : 1); ++f)
            (void)snprintf(text + strlen(text), sizeof text - strlen(text),
                           "2\n# n0 1 Etot %g Elst 0.1 Exch 0.2 Ind 0 Disp 0.%d d%d\n"
                           "O_3 0 0 0 %g\nO_3 0 0 %g %g\n",
                           0.01 * k + 0.003 * f, 1 + k, d, 0.01 * (pairs[k][0] - 'A'),
                           3.0 + 0.2 * f, 0.01 * (pairs[k][1] - 'A'));
    }
    CHECK(shoal_atom_types_read_memory(&types, fixture_types, strlen(fixture_types), "types") ==
          SHOAL_OK);
    CHECK(shoal_dataset_create(&data, types) == SHOAL_OK);
    CHECK(shoal_dataset_add_memory(data, text, strlen(text), "frames", 1.0) == SHOAL_OK);
    data->samples[data->n_samples - 1].weight = 0.0;
    shoal_atom_types_destroy(types);
    return data;
}

/* A dimer goes where fewest of its two monomers are, then to the smaller fold; no fold has more than its share. Fits of
 * components count a sample once. What is not dealt out is predicted by the last fold. */
static void test_dealing_monomers(void)
{
    static const char *const pairs[2][N_DEALT] = {{"AA", "BB", "BC", "BD"},
                                                  {"AA", "BB", "CA", "EF"}};
    static const int32_t samples[N_DEALT] = {1, 2, 4, 8}, wanted[2][2] = {{5, 10}, {9, 6}};
    double drawn[N_DEALT][2];
    int32_t order[N_DEALT];
    for (int k = 0; k < N_DEALT; ++k) {
        drawn[k][0] = fit_random(5, UINT64_C(0x666f6c64), (uint64_t)k);
        drawn[k][1] = k;
    }
    qsort(drawn, N_DEALT, sizeof drawn[0], by_value);
    for (int k = 0; k < N_DEALT; ++k) order[k] = (int32_t)drawn[k][1];
    for (int k = 0; k < 4; ++k) {
        const shoal_fit_options o = {.n_threads = 1, .components = k >= 2};
        const shoal_cv_options folds = {.n_folds = 2, .seed = 5};
        shoal_dataset *data = dealt_data(order, pairs[k % 2], samples);
        shoal_fit *fit = NULL;
        shoal_cv_result r;
        CHECK(shoal_fit_create_memory(&fit, data, "O_3 R 1.2 2.2 1 0 0 0 0\n", "dofs", &o) ==
              SHOAL_OK);
        CHECK(shoal_fit_cross_validate(fit, &folds, &r) == SHOAL_OK && r.n_dimers == N_DEALT);
        for (int f = 0; f < 2; ++f)
            CHECK(r.folds[f].n_samples == wanted[k % 2][f] && r.folds[f].n_dimers == 2);
        for (int32_t s = 0; s < data->n_samples && k >= 2; ++s) { /* Elst, Exch, Ind + Disp */
            const double *sapt = data->samples[s].sapt;
            CHECK(fit->reference[s] == 0.1 && fit->reference[data->n_samples + s] == 0.2);
            CHECK(fit->reference[2 * data->n_samples + s] == sapt[SAPT_DISP] &&
                  sapt[SAPT_DISP] >= 0.1);
        }
        int32_t second = 0; /* its first sample */
        while (data->samples[second].dimer != order[1]) ++second;
        if (k < 2) CHECK(r.predicted[data->n_samples - 1] == r.predicted[second]);
        shoal_fit_destroy(fit);
        shoal_dataset_destroy(data);
    }
}

/* Folds of monomers that nothing counts of have no share in mean and deviation; sites are not in their names. */
static void test_monomer_folds(void)
{
    static const int32_t order[N_DEALT] = {0, 1, 2, 3}, samples[N_DEALT] = {3, 3, 3, 3};
    static const char *const pairs[N_DEALT] = {"AA", "BB", "AB", "CD"};
    shoal_dataset *data = dealt_data(order, pairs, samples);
    shoal_fit *fit = NULL;
    shoal_cv_result r;
    double mean = 0.0, squares = 0.0;
    for (int32_t s = 0; s < data->n_samples; ++s)
        if (data->samples[s].dimer == 3) data->samples[s].weight = 0.0;
    CHECK(shoal_fit_create_memory(&fit, data, "O_3 R 1.2 2.2 1 0 0 0 0\n", "dofs", NULL) ==
          SHOAL_OK);
    CHECK(shoal_fit_cross_validate(fit, NULL, &r) == SHOAL_OK && r.n_folds == 4);
    for (int f = 0; f < 4; ++f) {
        CHECK(r.folds[f].n_samples == (f < 2 ? 6 : 0) && (r.folds[f].rmse > 0) == (f < 2));
        mean += r.folds[f].rmse / 2;
        CHECK_TEXT(r.folds[f].label, "O");
    }
    for (int f = 0; f < 2; ++f) squares += pow(r.folds[f].rmse - mean, 2);
    CHECK_NEAR(r.std / sqrt(squares), 1.0, 1e-9);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
    data = fixture_data(2, 0.5);
    CHECK(data->has_sites);
    const shoal_cv_options once = {.run = {.max_steps = 1}};
    CHECK(shoal_fit_create_memory(&fit, data, fixture_dofs, "dofs", NULL) == SHOAL_OK);
    CHECK(shoal_fit_cross_validate(fit, &once, &r) == SHOAL_OK && r.n_folds == 2);
    CHECK_TEXT(r.folds[0].label, "COH2");
    CHECK_TEXT(r.folds[1].label, "CO2H4");
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* J of a fit at scaled values u[n], which may be NULL: those of the fit; and its slope g[n]. */
static double value_at(const shoal_fit *fit, const double *u, double pool, double *g)
{
    fit_objective *o;
    double own[16], j = NAN;
    CHECK(objective_create(&o, fit, false) == SHOAL_OK);
    for (int32_t i = 0; i < o->n; ++i)
        own[i] = fit_dof_scaled(&fit->dofs[fit->free_dofs[i]], fit->value[fit->free_dofs[i]]);
    o->pool = pool;
    CHECK(objective_value(o, u ? u : own, &j, g) == SHOAL_OK);
    objective_destroy(o);
    return j;
}

/* Walls: k/2 (x - xlo)^2 below, k'/2 (x - xhi)^2 above, k in (kcal/mol)^2 per square of the unit; nothing between. A
 * radius, and a depth, whose root is what is fitted: its curvature is that of differences of slopes. */
static void test_walls(void)
{
    static const char *const walled[2] = {"O_3 R 1.2 2.2 1.5 1.8 200 500 0 1.6\n",
                                          "O_3 E 0.0001 0.02 0.005 0.01 2e6 5e6 0 0.006\n"};
    static const char *const bare[2] = {"O_3 R 1.2 2.2 1.5 1.8 0 0 0 1.6\n",
                                        "O_3 E 0.0001 0.02 0.005 0.01 0 0 0 0.006\n"};
    static const double values[2][3] = {{1.4, 1.6, 2.0}, {0.003, 0.006, 0.014}};
    static const double wanted[2][3] = {{0.5 * 200 * 0.01, 0, 0.5 * 500 * 0.04},
                                        {0.5 * 2e6 * 4e-6, 0, 0.5 * 5e6 * 1.6e-5}};
    const double kcal = 0.0433641042; /* eV */
    shoal_dataset *data = plant(4, &(shoal_fit_options){.n_threads = 1}, 0.003);
    for (int k = 0; k < 2; ++k) {
        shoal_fit *with = fit_of(data, walled[k], 1), *without = fit_of(data, bare[k], 1);
        for (int v = 0; v < 3; ++v) {
            const double u = fit_dof_scaled(&with->dofs[0], values[k][v]), h = 1e-4 * u;
            double g[2], a[2], slope[2], other, j;
            const double wall = value_at(with, &u, 0, &g[0]) - value_at(without, &u, 0, &g[1]);
            CHECK_NEAR(wall / (kcal * kcal), wanted[k][v], 1e-5);
            for (int side = 0; side < 2; ++side) {
                const double at = u + (side ? h : -h);
                (void)value_at(with, &at, 0, &slope[side]);
                (void)value_at(without, &at, 0, &other);
                slope[side] -= other;
            }
            for (int w = 0; w < 2; ++w) {
                fit_objective *o;
                CHECK(objective_create(&o, w ? without : with, false) == SHOAL_OK);
                CHECK(objective_matrix(o, &u, &j, &other, &a[w], NULL) == SHOAL_OK);
                objective_destroy(o);
            }
            CHECK_NEAR(a[0] - a[1], fmax((slope[1] - slope[0]) / (2 * h), 0.0),
                       1e-4 * fabs(a[0] - a[1]) + 1e-9);
        }
        shoal_fit_destroy(with);
        shoal_fit_destroy(without);
    }
    shoal_dataset_destroy(data);
}

/* What is alike is drawn to its mean: radii as if they varied by 0.45 A, roots of depths by 0.08, hydrogen bonds by 0.09
 * and charges of sites by 0.025 e; these are drawn to zero as well, as if they were 0.1 e, and increments 0.07 e. */
static void test_pool(void)
{
    static const int32_t pairs[5][2] = {{0, 3}, {1, 4}, {2, 5}, {6, 6}, {6, 0}};
    static const double widths[5] = {0.45, 0.08, 0.09, 0.025, 0.025};
    shoal_dataset *data = plant(4, &(shoal_fit_options){.n_threads = 1}, 0.003);
    shoal_fit *fit = fit_of(data, fixture_dofs, 1);
    double g[16];
    static const double at[7] = {1.7, 0.004, -0.4, 1.3, 0.001, 0.3, 0.25};
    for (int32_t i = 0; i < 7; ++i) CHECK(shoal_fit_set_value(fit, i, at[i]) == SHOAL_OK);
    for (int k = 0; k < 5; ++k) {
        double x[2], wanted = 0.0;
        for (int32_t i = 0; i < fit->n_dofs; ++i) {
            fit->dofs[i].group = i == pairs[k][0] || i == pairs[k][1] ? 0 : -1;
            fit->dofs[i].small = k >= 3 && fit->dofs[i].group == 0;
            if (k == 4 && fit->dofs[i].small) fit->site_host[fit->dofs[i].type] = 0;
        }
        fit->n_groups = 1;
        for (int c = 0; c < 2; ++c) {
            x[c] = fit->value[pairs[k][c]];
            if (k == 1) x[c] = sqrt(x[c]);
        }
        for (int c = 0; c < 2; ++c)
            wanted += 0.5 * pow((x[c] - 0.5 * (x[0] + x[1])) / widths[k], 2);
        for (int c = 0; c < k - 2; ++c) wanted += 0.5 * pow(x[c] / (k == 4 ? 0.1 : 0.07), 2);
        const double pull = (value_at(fit, NULL, 3.0, g) - value_at(fit, NULL, 0.0, g)) / 3.0;
        CHECK_NEAR(pull, wanted, 1e-9 * (1 + wanted));
        CHECK(wanted > 0.0);
    }
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* J, and the curvature of the only or first DOF in the scaled variable u. */
static double curvature_at(const shoal_fit *fit, const double *u, bool open_walls, double *j)
{
    fit_objective *o;
    double g[2], a[4] = {NAN};
    CHECK(objective_create(&o, fit, false) == SHOAL_OK);
    o->open_walls = open_walls;
    CHECK(objective_matrix(o, u, j, g, a, NULL) == SHOAL_OK);
    objective_destroy(o);
    return a[0];
}

/* Tethers of 6 oxygen and 12 hydrogen atoms are 9 / 6 and 9 / 12 of what is asked for, in (kcal/mol)^2 per square of the
 * scaled variable. */
static void test_tethers(void)
{
    static const char text[] = "O_3 R 1.2 2.2 1 0 0 0 0 1.6\nH_O R 0.8 2 1 0 0 0 0 1.3\n";
    const double kcal = 0.0433641042; /* eV */
    shoal_dataset *data = fixture_data(1, 0.0);
    const shoal_fit_options held = {.n_threads = 1, .tether = 4.0}, loose = {.n_threads = 1};
    shoal_fit *with = NULL, *without = NULL;
    CHECK(shoal_fit_create_memory(&with, data, text, "dofs", &held) == SHOAL_OK);
    CHECK(shoal_fit_create_memory(&without, data, text, "dofs", &loose) == SHOAL_OK);
    CHECK(with->dofs[0].tether == 6.0 && with->dofs[1].tether == 3.0);
    const double u[2] = {18.0, 12.0}; /* 1.8 and 1.2 A */
    double j[2];
    const double more =
        curvature_at(with, u, false, &j[0]) - curvature_at(without, u, false, &j[1]);
    CHECK_NEAR((j[0] - j[1]) / (kcal * kcal), 0.5 * 6 * 4 + 0.5 * 3 * 1, 1e-6);
    CHECK_NEAR(more / (kcal * kcal), 6.0, 1e-6);
    shoal_fit_destroy(with);
    shoal_fit_destroy(without);
    shoal_dataset_destroy(data);
}

/* With walls opened, the spring K0 stays: of a depth x = (s u)^2 it has the curvature K0 (4 s^2 x + 2 s^2 (x - x0)). */
static void test_open_walls(void)
{
    static const char sprung[] = "O_3 E 0.0001 0.02 0.005 0.007 3e6 3e6 2e6 0.006\n";
    static const char bare[] = "O_3 E 0.0001 0.02 0.005 0.007 0 0 0 0.006\n";
    const double kcal = 0.0433641042, x = 0.009, s = 0.01, u = sqrt(x) / s;
    shoal_dataset *data = plant(4, &(shoal_fit_options){.n_threads = 1}, 0.003);
    shoal_fit *with = fit_of(data, sprung, 1), *without = fit_of(data, bare, 1);
    double j[2];
    const double more =
        curvature_at(with, &u, true, &j[0]) - curvature_at(without, &u, true, &j[1]);
    CHECK_NEAR(more / (kcal * kcal), 2e6 * s * s * (4 * x + 2 * (x - 0.006)), 1e-5);
    shoal_fit_destroy(with);
    shoal_fit_destroy(without);
    shoal_dataset_destroy(data);
}

/* At a bound a slope that leads outwards does not count; dimers without a weight are none. */
static void test_bounds_and_dimers(void)
{
    enum { N_DIMERS = 5 };
    shoal_dataset *data = plant(N_DIMERS, &(shoal_fit_options){.n_threads = 1}, 0.003);
    shoal_fit *fit = fit_of(data, dofs, 1);
    fit_objective *o;
    double u[N_PLANTED], g[N_PLANTED] = {0};
    bool keep[6 * N_DIMERS];
    CHECK(objective_create(&o, fit, false) == SHOAL_OK && o->n_dimers == N_DIMERS);
    for (int32_t i = 0; i < N_PLANTED; ++i) u[i] = 0.5 * (o->lower[i] + o->upper[i]);
    g[2] = -1.0;
    for (int side = -1; side <= 1; ++side)
        for (int slope = -3; slope <= 3; slope += 6) {
            u[4] = side < 0   ? o->lower[4]
                   : side > 0 ? o->upper[4]
                              : 0.5 * (o->lower[4] + o->upper[4]);
            g[4] = slope;
            CHECK(objective_projected(o, u, g) == (side * slope < 0 ? 1.0 : 3.0));
        }
    for (int32_t s = 0; s < 6 * N_DIMERS; ++s) keep[s] = s / 6 == 1 || s / 6 == 4;
    CHECK(objective_select(o, keep) == SHOAL_OK && o->n_dimers == 2);
    objective_destroy(o);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

int main(void)
{
    test_tethers();
    test_open_walls();
    test_bounds_and_dimers();
    test_agreement();
    test_jackknife();
    test_dealing();
    test_dealing_monomers();
    test_monomer_folds();
    test_walls();
    test_pool();
    test_repeat();
    test_interval();
    test_absent_type();
    test_one_dimer();
    test_one_parameter();
    test_spring();
    test_wall();
    test_left_out();
    test_no_leak();
    test_one_figure();
    return check_done();
}
