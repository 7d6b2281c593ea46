/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzz target: files of grids. */
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz_base base;
    char path[64];
    shoal_grid *grid = NULL;
    if (!base.bytes) base = fuzz_base_read("grid.h5.gz");
    const int id = fuzz_file(&base, data, size, path);
    fuzz_judge(shoal_grid_read(&grid, path, NULL));
    if (grid) {
        const double r[3] = {0.5, 0.5, 3.0};
        shoal_grid_view view;
        double fields[SHOAL_N_CHANNELS][4];
        shoal_grid_get(grid, &view);
        shoal_grid_fields(grid, r, fields);
    }
    shoal_grid_destroy(grid);
    (void)close(id);
    return 0;
}
