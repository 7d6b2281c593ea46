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

static inline int fuzz_read(const uint8_t *data, size_t size, shoal_format format)
{
    shoal_molecule *mol = NULL;
    shoal_reader *reader = NULL;
    bool found = true;
    shoal_status status = shoal_molecule_create(&mol);
    if (status == SHOAL_OK) status = shoal_reader_open_memory(&reader, data, size, "input", format);
    while (status == SHOAL_OK && found) {
        status = shoal_reader_next(reader, mol, &found);
        if (status == SHOAL_OK && found) fuzz_check(mol);
    }
    if ((status != SHOAL_OK) != (shoal_error_text()[0] != '\0')) abort();
    shoal_reader_destroy(reader);
    shoal_molecule_destroy(mol);
    if (probe_text(data, size, format, 1 + (int32_t)(size % 3), size / 2)) abort();
    return 0;
}

#endif
