/* SPDX-License-Identifier: BSD-3-Clause
 * Data for tests of fits: bent molecules at six distances, with energies of known parameters. */
#ifndef SHOAL_TESTS_FIT_PLANTED_H
#define SHOAL_TESTS_FIT_PLANTED_H

#include "fit/objective.h"
#include "fit_fixture.h"

/* Values of fixture_dofs that the data are made with; H on both sides has a common factor that
 * nothing determines, so that the donor's is not fitted. */
static const double planted[] = {1.66, 0.0049, -0.62, 1.31, 0.0011, 0.38, 1.98, 0.0031};
static const char dofs[] = "O_3 R 1.2 2.2 1.2 2.2 0 0 0\n"
                           "O_3 E 0.0001 0.02 0.0001 0.02 0 0 0\n"
                           "O_3 H -0.95 -0.01 -0.9 -0.02 0 0 0\n"
                           "H_O R 0.8 2.0 0.8 2.0 0 0 0\n"
                           "H_O E 0.0001 0.02 0.0001 0.02 0 0 0\n"
                           "H_O Q 0.0 0.6 0.0 0.6 0 0 0\n"
                           "C_3 R 1.2 2.4 1.2 2.4 0 0 0\n"
                           "C_3 E 0.0001 0.02 0.0001 0.02 0 0 0\n";
enum { N_PLANTED = 8 };

/* A bent molecule turned at random. */
static inline void turn(double out[3][3], uint64_t stream)
{
    static const double bent[3][3] = {{0, 0, 0}, {0.76, 0.59, 0}, {-0.76, 0.59, 0}};
    double q[4], n = 0.0;
    for (int k = 0; k < 4; ++k) {
        q[k] = 2.0 * fit_random(3, stream, (uint64_t)k) - 1.0;
        n += q[k] * q[k];
    }
    for (int k = 0; k < 4; ++k) q[k] /= sqrt(n);
    for (int i = 0; i < 3; ++i) {
        const double x = bent[i][0], y = bent[i][1];
        out[i][0] = (1 - 2 * (q[2] * q[2] + q[3] * q[3])) * x + 2 * (q[1] * q[2] - q[0] * q[3]) * y;
        out[i][1] = 2 * (q[1] * q[2] + q[0] * q[3]) * x + (1 - 2 * (q[1] * q[1] + q[3] * q[3])) * y;
        out[i][2] = 2 * (q[1] * q[3] - q[0] * q[2]) * x + 2 * (q[2] * q[3] + q[0] * q[1]) * y;
    }
}

/* Moves b along z until no atom is nearer than least to one of a. */
static inline void set_apart(double a[3][3], double b[3][3], double least)
{
    for (bool near = true; near;) {
        near = false;
        for (int i = 0; i < 3; ++i) b[i][2] += 0.02;
        for (int i = 0; i < 9; ++i) {
            const double *p = a[i / 3], *q = b[i % 3];
            const double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
            near = near || x * x + y * y + z * z < least * least;
        }
    }
}

static inline void print_atoms(shoal_string *text, int kind, double pos[3][3])
{
    static const char *const names[2][3] = {{"O_3", "H_O", "H_O"}, {"C_3", "H_O", "O_3"}};
    for (int i = 0; i < 3; ++i) {
        char line[160];
        (void)snprintf(line, sizeof line, "%s %.6f %.6f %.6f %.2f\n", names[kind][i], pos[i][0],
                       pos[i][1], pos[i][2], i == 0 ? -0.6 : 0.3);
        (void)shoal_string_append(text, shoal_span_of(line));
    }
}

/* Dimers at six distances each; energy[] or zero. With skip > 0 every skip-th is left out. */
static inline shoal_dataset *make_data(int n_dimers, const double *energy, int skip)
{
    shoal_atom_types *types = NULL;
    shoal_dataset *data = NULL;
    shoal_string text = {0};
    for (int d = 0; d < n_dimers; ++d) {
        double a[3][3], b[3][3];
        if (skip > 0 && d % skip == 0) continue;
        turn(a, (uint64_t)(2 * d));
        turn(b, (uint64_t)(2 * d + 1));
        for (int k = 0; k < 6; ++k) {
            char line[160];
            (void)snprintf(line, sizeof line, "6\n# n0 3 Etot %.17g x0 %d z 0 pair%d\n",
                           energy ? energy[6 * d + k] : 0.0, k, d);
            (void)shoal_string_append(&text, shoal_span_of(line));
            set_apart(a, b, 2.0 + 0.3 * k);
            print_atoms(&text, d % 2, a);
            print_atoms(&text, d % 3 == 0, b);
        }
    }
    CHECK(shoal_atom_types_read_memory(&types, fixture_types, strlen(fixture_types), "types") ==
          SHOAL_OK);
    CHECK(shoal_dataset_create(&data, types) == SHOAL_OK);
    CHECK(shoal_dataset_add_memory(data, text.data, (size_t)text.size, "frames", 1.0) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    shoal_atom_types_destroy(types);
    shoal_string_free(&text);
    return data;
}

/* About Gaussian with a variance of 1, of a stream. */
static inline double planted_noise(uint64_t seed, uint64_t stream)
{
    double sum = -6.0;
    for (uint64_t k = 0; k < 12; ++k) sum += fit_random(seed, stream, k);
    return sum;
}

/* Data whose energies are those of the planted parameters and some noise, eV: of every sample, and one
 * common to the samples of a dimer. */
static inline shoal_dataset *plant_by_dimers(int n_dimers, const shoal_fit_options *options,
                                             double noise, double by_dimer)
{
    shoal_dataset *data = make_data(n_dimers, NULL, 0);
    shoal_fit *fit = NULL;
    const int32_t n = shoal_dataset_samples(data);
    double(*parts)[SHOAL_N_PARTS] = calloc((size_t)n, sizeof *parts);
    double *energy = calloc((size_t)n, sizeof *energy);
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", options) == SHOAL_OK);
    for (int32_t i = 0; i < N_PLANTED; ++i)
        CHECK(shoal_fit_set_value(fit, i, planted[i]) == SHOAL_OK);
    CHECK(shoal_fit_predict(fit, parts) == SHOAL_OK);
    for (int32_t s = 0; s < n; ++s) {
        for (int k = 0; k < SHOAL_N_PARTS; ++k) energy[s] += parts[s][k];
        if (by_dimer > 0.0) energy[s] += by_dimer * planted_noise(12, (uint64_t)(s / 6));
        energy[s] += noise * planted_noise(11, (uint64_t)s);
    }
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
    data = make_data(n_dimers, energy, 0);
    free(parts);
    free(energy);
    return data;
}

static inline shoal_dataset *plant(int n_dimers, const shoal_fit_options *options, double noise)
{
    return plant_by_dimers(n_dimers, options, noise, 0.0);
}

#endif
