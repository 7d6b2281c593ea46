/* SPDX-License-Identifier: BSD-3-Clause
 * One fuzz run: reads all frames of an input and looks at each of them; cut into blocks of records and
 * parsed one by one they must be the same. */
#ifndef SHOAL_TESTS_FUZZ_READER_H
#define SHOAL_TESTS_FUZZ_READER_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "records_probe.h"
#include "shoal/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What every molecule that was read must satisfy. */
static inline void fuzz_check(const shoal_molecule *mol)
{
    const int32_t n = shoal_molecule_n_atoms(mol);
    const shoal_bond *bonds = shoal_molecule_bonds(mol);
    const double *charges = shoal_molecule_charges(mol);
    for (int32_t i = 0; i < n; ++i) {
        const int32_t z = shoal_molecule_elements(mol)[i];
        if (z < 1 || z > 118 || shoal_element_number(shoal_element_symbol(z)) != z) abort();
        for (int k = 0; k < 3; ++k)
            if (!isfinite(shoal_molecule_positions(mol)[i][k])) abort();
        if (charges && !isfinite(charges[i])) abort();
        if (strlen(shoal_molecule_type(mol, i)) > 7) abort();
    }
    for (int32_t b = 0; b < shoal_molecule_n_bonds(mol); ++b)
        if (bonds[b].i < 0 || bonds[b].i >= n || bonds[b].j < 0 || bonds[b].j >= n) abort();
    for (int32_t p = 0; p < shoal_molecule_n_properties(mol); ++p)
        if (!shoal_molecule_property(mol, shoal_molecule_property_key(mol, p))) abort();
    (void)strlen(shoal_molecule_name(mol));
}

/* What was read can be written as a result, if its bonds can be stated, and read again. */
static inline void fuzz_write(const shoal_molecule *mol, shoal_format format)
{
    const shoal_frame frame = {.is_result = true, .file = "input"};
    shoal_string *text = NULL;
    shoal_molecule *again = NULL;
    shoal_reader *reader = NULL;
    bool found = false;
    if (shoal_string_create(&text) != SHOAL_OK || shoal_molecule_create(&again) != SHOAL_OK)
        abort();
    if (shoal_frame_format(text, format, mol, &frame) == SHOAL_OK) {
        if (shoal_reader_open_memory(&reader, shoal_string_data(text), shoal_string_size(text),
                                     "written", format) != SHOAL_OK ||
            shoal_reader_next(reader, again, &found) != SHOAL_OK || !found)
            abort();
        const size_t size = (size_t)shoal_molecule_n_atoms(mol) * 3 * sizeof(double);
        if (shoal_molecule_n_atoms(again) != shoal_molecule_n_atoms(mol) ||
            (size > 0 &&
             memcmp(shoal_molecule_positions(again), shoal_molecule_positions(mol), size) != 0))
            abort();
    }
    shoal_reader_destroy(reader);
    shoal_molecule_destroy(again);
    shoal_string_destroy(text);
}

static inline int fuzz_read(const uint8_t *data, size_t size, shoal_format format)
{
    shoal_molecule *mol = NULL;
    shoal_reader *reader = NULL;
    bool found = true;
    int n_failures = 0; /* a file that cannot be read on fails for ever */
    shoal_status status = shoal_molecule_create(&mol);
    if (status == SHOAL_OK) status = shoal_reader_open_memory(&reader, data, size, "input", format);
    while (reader && (found || status != SHOAL_OK) && n_failures < 100) {
        status = shoal_reader_next(reader, mol, &found);
        if ((status != SHOAL_OK) != (shoal_error_text()[0] != '\0')) abort();
        n_failures += status != SHOAL_OK;
        if (status != SHOAL_OK || !found) continue;
        fuzz_check(mol);
        fuzz_write(mol, SHOAL_FORMAT_XYZ);
        fuzz_write(mol, SHOAL_FORMAT_SDF);
    }
    shoal_reader_destroy(reader);
    shoal_molecule_destroy(mol);
    if (probe_text(data, size, format, 1 + (int32_t)(size % 3), size / 2)) abort();
    return 0;
}

#endif
