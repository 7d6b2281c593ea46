/* SPDX-License-Identifier: BSD-3-Clause
 * Atoms in files, about, by the sizes of the files alone. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "shoal/io.h"

#define PACKED 5 /* times as much text in a .gz file */

/* Characters that an atom takes in a file, with its share of bonds and headers. */
static double bytes_per_atom(const char *path, shoal_format format)
{
    const size_t n = strlen(path);
    const double packed = n > 3 && strcmp(path + n - 3, ".gz") == 0 ? PACKED : 1;
    if (format == SHOAL_FORMAT_AUTO) format = shoal_format_by_path(path);
    return (format == SHOAL_FORMAT_XYZ || format == SHOAL_FORMAT_HDF5 ? 45 : 80) / packed;
}

double shoal_format_count_atoms(const char *const *files, int32_t n_files, shoal_format format)
{
    double sum = 0;
    shoal_clear_error();
    for (int32_t k = 0; files && k < n_files; ++k) {
        struct stat info;
        if (!files[k]) continue;
        if (strcmp(files[k], "-") == 0) return INFINITY;
        if (stat(files[k], &info) != 0) continue; /* the run will say so */
        if (!S_ISREG(info.st_mode)) return INFINITY;
        sum += (double)info.st_size / bytes_per_atom(files[k], format);
    }
    return sum;
}
