/* SPDX-License-Identifier: BSD-3-Clause
 * Systems with made-up results for tests of files of results: each is told by its number alone. */
#ifndef SHOAL_TESTS_RESULTS_FIXTURE_H
#define SHOAL_TESTS_RESULTS_FIXTURE_H

#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "shoal/shoal.h"

enum { FIXTURE_ATOMS = 30, FIXTURE_TERMS = 32 };

static const char *const fixture_files[] = {"first.sdf", "", "a file, \"quoted\".xyz"};
static const shoal_results_header fixture_header = {.what = {.forces = true},
                                                    .files = fixture_files,
                                                    .n_files = 3,
                                                    .program = "shoal 0",
                                                    .command = "shoal relax x",
                                                    .options = "{\"method\":\"lbfgs\"}",
                                                    .device = "cpu",
                                                    .start_time = "2026-01-01T00:00:00Z",
                                                    .seed = -7};

/* Systems differ in size, one in nine cannot be read, one in seven is periodic, one in five was not computed. */
static inline bool fixture_is_unreadable(int64_t k)
{
    return k % 9 == 4;
}

static inline bool fixture_is_computed(int64_t k)
{
    return !fixture_is_unreadable(k) && k % 5 != 3;
}

static inline int32_t fixture_n_atoms(int64_t k)
{
    return fixture_is_unreadable(k) ? 0 : (int32_t)(1 + k * 7 % FIXTURE_ATOMS);
}

static inline double fixture_number(int64_t k, int i)
{
    return (double)((k * 1103 + i * 12345) % 100003) / 7.0;
}

static inline void fixture_fill(shoal_molecule *mol, int64_t k)
{
    static const double cell[3][3] = {{9, 0, 0}, {0.5, 8, 0}, {0, 0, 11}};
    static const bool pbc[3] = {true, false, true};
    const int32_t shift[3] = {1, 0, -2};
    char text[64];
    const int32_t n = fixture_n_atoms(k);
    (void)snprintf(text, sizeof text, "system %lld", (long long)k);
    (void)shoal_molecule_set_name(mol, k % 11 == 0 ? "" : text);
    for (int32_t i = 0; i < n; ++i) {
        const double pos[3] = {fixture_number(k, 3 * i), -fixture_number(k, 3 * i + 1), 1e-300 * i};
        (void)shoal_molecule_add_atom(mol, 1 + (int32_t)((k + i) % 118), pos);
        (void)shoal_molecule_set_formal_charge(mol, i, (int32_t)((k + i) % 5) - 2);
    }
    if (k % 7 == 2 && n > 0) (void)shoal_molecule_set_cell(mol, cell, pbc);
    for (int32_t i = 1; i < n; ++i)
        (void)shoal_molecule_add_bond(mol, i - 1, i, (shoal_bond_order)(1 + i % 4),
                                      k % 7 == 2 ? shift : NULL);
    if (k % 3 == 0 && n > 0) (void)shoal_molecule_set_charge(mol, 0, 0.25);
    if (k % 4 == 0) (void)shoal_molecule_set_property(mol, "key", text);
    if (k % 8 == 0) (void)shoal_molecule_set_property(mol, "lines", "one\ntwo");
}

/* Appends the record of system k; what is computed has energies that are not all numbers. */
static inline void fixture_put(shoal_string *out, int64_t k, bool forces)
{
    static double terms[FIXTURE_TERMS], numbers[FIXTURE_ATOMS][3];
    const shoal_results_what what = {.forces = forces};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    fixture_fill(mol, k);
    for (int t = 0; t < FIXTURE_TERMS; ++t) terms[t] = fixture_number(k, 1000 + t);
    for (int i = 0; i < 3 * FIXTURE_ATOMS; ++i) numbers[i / 3][i % 3] = fixture_number(k, i + 7);
    shoal_stream_system system = {.index = 2 * k,
                                  .record = k,
                                  .line = 10 * k + 1,
                                  .i_file = (int32_t)(k % 3),
                                  .mol = mol,
                                  .device = "",
                                  .result = {.reason = "", .warning = k % 6 == 1 ? "odd" : ""}};
    if (fixture_is_unreadable(k)) {
        system.result.status = SHOAL_SYSTEM_UNREADABLE;
        system.result.reason = "expected 3 coordinates";
    }
    if (fixture_is_computed(k)) {
        system.device = "opencl:0";
        system.result.status = SHOAL_SYSTEM_CONVERGED;
        system.result.energy = k % 10 == 0 ? NAN : fixture_number(k, 1);
        system.result.energy0 = fixture_number(k, 2);
        system.result.fmax = 0.01;
        system.result.steps = (int32_t)(k % 100);
        system.result.n_terms = shoal_term_count();
        system.result.terms = terms;
        system.result.forces = (const double(*)[3])numbers;
    }
    CHECK(shoal_results_format(&what, &system, out) == SHOAL_OK);
    shoal_molecule_destroy(mol);
}

static inline shoal_string *fixture_text(void)
{
    shoal_string *text = NULL;
    CHECK(shoal_string_create(&text) == SHOAL_OK);
    return text;
}

/* Whether the first n systems of a file are those of the fixture, bit for bit; what there is beyond is counted. */
static inline bool fixture_holds(const char *path, int64_t n, int64_t *there)
{
    shoal_results_reader *reader = NULL;
    shoal_string *want = fixture_text(), *have = fixture_text();
    bool good = shoal_results_open(&reader, path) == SHOAL_OK;
    if (!good) (void)printf("  %s\n", shoal_error_text());
    *there = shoal_results_n_systems(reader);
    good = good && *there >= n;
    for (int64_t k = 0; good && k < n; ++k) {
        shoal_string_clear(want);
        shoal_string_clear(have);
        fixture_put(want, k, true);
        good =
            shoal_results_read(reader, k, have) == SHOAL_OK &&
            shoal_string_size(want) == shoal_string_size(have) &&
            memcmp(shoal_string_data(want), shoal_string_data(have), shoal_string_size(want)) == 0;
        if (!good) (void)printf("  system %lld: %s\n", (long long)k, shoal_error_text());
    }
    shoal_string_destroy(want);
    shoal_string_destroy(have);
    shoal_results_reader_destroy(reader);
    return good;
}

/* Writes systems first .. last of the fixture, pieces of up to at_once in one call. */
static inline shoal_status fixture_write(shoal_results *results, int64_t first, int64_t last,
                                         int64_t at_once)
{
    shoal_string *text = fixture_text();
    shoal_status status = SHOAL_OK;
    for (int64_t k = first; k < last && status == SHOAL_OK; ++k) {
        fixture_put(text, k, true);
        if ((k - first + 1) % at_once != 0 && k + 1 < last) continue;
        status = shoal_results_write(results, shoal_string_data(text), shoal_string_size(text));
        shoal_string_clear(text);
    }
    shoal_string_destroy(text);
    return status;
}

/* False in a build without HDF5, which is then said. */
static inline bool fixture_has_hdf5(void)
{
    shoal_results_reader *reader = NULL;
    return shoal_results_open(&reader, "test_results_none.h5") != SHOAL_E_UNSUPPORTED;
}

#endif
