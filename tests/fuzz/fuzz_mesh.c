/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzz target: potentials on a mesh, .cube, .xsf and .npy by what is in them. */
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const shoal_mesh_options options = {.cell = {{4, 0, 0}, {1, 4, 0}, {0, 0, 9}}};
    const double r[3] = {0.5, 0.5, 3.0};
    double field[4];
    char path[64];
    shoal_mesh *mesh = NULL;
    const int id = memfd_create("input", 0);
    if (id < 0 || write(id, data, size) != (ssize_t)size) abort();
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", id);
    fuzz_judge(shoal_mesh_read(&mesh, path, &options));
    shoal_mesh_field(mesh, r, field);
    shoal_mesh_destroy(mesh);
    (void)close(id);
    return 0;
}
