/* SPDX-License-Identifier: BSD-3-Clause
 * A small fit for tests: clusters of water and methane-like atoms facing each other. */
#ifndef SHOAL_TESTS_FIT_FIXTURE_H
#define SHOAL_TESTS_FIT_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "shoal/fit.h"

static const char fixture_types[] = "O_3  * O E_O3 2 2 0 0 0.66 1.75 0.0026 -0.4 -0.5\n"
                                    "H_O  * H *    1 0 0 0 0.35 1.40 0.0007  0.2  0.6\n"
                                    "C_3  * C *    4 0 0 0 0.75 1.90 0.0045  0.1  0.0\n"
                                    "E_O3 * E *    0 0 0 0 0.00 0.80 0.0000 -0.1 -0.3\n";

/* The same with two columns behind Hb. */
static const char fixture_column_types[] =
    "O_3  * O E_O3 2 2 0 0 0.66 1.75 0.0026 -0.4 -0.5 0.8 1.9\n"
    "H_O  * H *    1 0 0 0 0.35 1.40 0.0007  0.2  0.6 0.3 2.3\n"
    "C_3  * C *    4 0 0 0 0.75 1.90 0.0045  0.1  0.0 1.6 1.5\n"
    "E_O3 * E *    0 0 0 0 0.00 0.80 0.0000 -0.1 -0.3 0.0 0.0\n";

static const char fixture_dofs[] = "O_3 R 1.2 2.2 1.2 2.2 0 0 0\n"
                                   "O_3 E 0.0001 0.02 0.0001 0.02 0 0 0\n"
                                   "O_3 H -0.95 -0.01 -0.9 -0.01 0 0 0\n"
                                   "H_O R 0.8 2.0 0.8 2.0 0 0 0\n"
                                   "H_O E 0.0001 0.02 0.0001 0.02 0 0 0\n"
                                   "H_O H 0.01 0.95 0.01 0.95 0 0 0\n"
                                   "H_O Q 0.0 0.6 0.0 0.6 0 0 0\n"
                                   "C_3 R 1.2 2.4 1.2 2.4 0 0 0\n"
                                   "C_3 E 0.0001 0.02 0.0001 0.02 0 0 0\n";

/* n waters and one carbon at z, their hydrogens turned away from the other fragment. */
static inline int fixture_cluster(char *out, size_t size, int n, double z, double side)
{
    int used = snprintf(out, size, "C_3 %.6f -2.5 %.6f 0.1\n", 0.3 * side, z);
    for (int k = 0; k < n; ++k) {
        const double x = 2.9 * (k % 4) + 0.1 * k, y = 2.9 * (k / 4) + 0.17 * side;
        used += snprintf(out + used, size - (size_t)used,
                         "O_3 %.6f %.6f %.6f -0.5\nH_O %.6f %.6f %.6f 0.2\n"
                         "H_O %.6f %.6f %.6f 0.3\n",
                         x, y, z + 0.05 * k, x + 0.76, y, z + 0.05 * k + 0.59 * side, x - 0.76,
                         y + 0.1, z + 0.05 * k + 0.59 * side);
    }
    return used;
}

/* Frames of clusters of 1, 2, .. n_waters waters, each at three distances. The caller frees it. */
static inline char *fixture_frames(int n_waters)
{
    const size_t size = (size_t)(200 + 400 * n_waters) * 3 * (size_t)(n_waters + 1);
    char *text = malloc(size);
    int used = 0;
    if (!text) return NULL;
    for (int n = 1; n <= n_waters; ++n)
        for (int d = 0; d < 3; ++d) {
            const int atoms = 1 + 3 * n;
            used += snprintf(text + used, size - (size_t)used,
                             "%d\n# n0 %d Etot %.6f x0 %d z 0 cluster%d\n", 2 * atoms, atoms,
                             -0.05 * n + 0.02 * d, d + 1, n);
            used += fixture_cluster(text + used, size - (size_t)used, n, 0.0, -1.0);
            used += fixture_cluster(text + used, size - (size_t)used, n, 2.7 + 0.5 * d, 1.0);
        }
    return text;
}

/* A data set of such frames with a table of types; site_distance 0: without sites. */
static inline shoal_dataset *fixture_data_of(const char *table, int n_waters, double site_distance)
{
    shoal_atom_types *types = NULL;
    shoal_dataset *data = NULL;
    char *text = fixture_frames(n_waters);
    CHECK(text != NULL);
    if (!text) return NULL;
    CHECK(shoal_atom_types_read_memory(&types, table, strlen(table), "types") == SHOAL_OK);
    CHECK(shoal_dataset_create(&data, types) == SHOAL_OK);
    CHECK(shoal_dataset_add_memory(data, text, strlen(text), "frames", 1.0) == SHOAL_OK);
    if (site_distance > 0.0) CHECK(shoal_dataset_add_sites(data, site_distance) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    shoal_atom_types_destroy(types);
    free(text);
    return data;
}

static inline shoal_dataset *fixture_data(int n_waters, double site_distance)
{
    return fixture_data_of(fixture_types, n_waters, site_distance);
}

#endif
