/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzz target: tables with a column of SMILES. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_read(data, size, SHOAL_FORMAT_TABLE);
}
