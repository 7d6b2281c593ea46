/* SPDX-License-Identifier: BSD-3-Clause
 * Values of a grid for other programs: Gaussian cube, XCrySDen xsf, NumPy npy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "surf/grid.h"
#include "surf/surface.h"

#include "constants.h"

typedef struct exporter {
    const shoal_grid *grid;
    const double *weights;
    FILE *to;
} exporter;

/* Value at a node: (1, 4, 1) / 6 of the coefficients around it in each direction. */
static double value_at(const exporter *x, int32_t a, int32_t b, int32_t z)
{
    static const double w[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
    const shoal_grid_view *v = &x->grid->view;
    double sum = 0;
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
        const float *from = x->grid->channel[c];
        double value = v->limit[c];
        for (int k = 0; k < 27 && from && x->weights[c] != 0; ++k) {
            const int32_t i = (a + k / 9 - 1 + v->shape[0]) % v->shape[0];
            const int32_t j = (b + k / 3 % 3 - 1 + v->shape[1]) % v->shape[1];
            const size_t at =
                ((size_t)i * (size_t)v->shape[1] + (size_t)j) * ((size_t)v->shape[2] + 2) +
                (size_t)(z + k % 3);
            value += w[k / 9] * w[k / 3 % 3] * w[k % 3] * (double)from[at];
        }
        sum += x->weights[c] * value;
    }
    return sum;
}

static void write_cube(const exporter *x)
{
    const shoal_grid_view *v = &x->grid->view;
    const shoal_surface_view *s = &x->grid->surface->view;
    (void)fprintf(x->to, "shoal grid, hartree\na, b, z; z runs fastest\n%5d %.8f %.8f %.8f\n",
                  s->n_atoms, v->origin[0] / BOHR, v->origin[1] / BOHR, v->origin[2] / BOHR);
    for (int k = 0; k < 2; ++k)
        (void)fprintf(x->to, "%5d %.8f %.8f %.8f\n", v->shape[k],
                      v->cell[k][0] / v->shape[k] / BOHR, v->cell[k][1] / v->shape[k] / BOHR, 0.0);
    (void)fprintf(x->to, "%5d %.8f %.8f %.8f\n", v->shape[2], 0.0, 0.0, v->step[2] / BOHR);
    for (int32_t i = 0; i < s->n_atoms; ++i)
        (void)fprintf(x->to, "%5d %.6f %.8f %.8f %.8f\n", s->elements[i], s->charges[i],
                      s->pos[i][0] / BOHR, s->pos[i][1] / BOHR, s->pos[i][2] / BOHR);
    for (int32_t a = 0; a < v->shape[0]; ++a)
        for (int32_t b = 0; b < v->shape[1]; ++b)
            for (int32_t z = 0; z < v->shape[2]; ++z)
                (void)fprintf(x->to, "%.6e%s", value_at(x, a, b, z) / HARTREE,
                              z % 6 == 5 || z + 1 == v->shape[2] ? "\n" : " ");
}

/* A general xsf grid repeats its first layer at the end of periodic directions. */
static void write_xsf(const exporter *x)
{
    const shoal_grid_view *v = &x->grid->view;
    const shoal_surface_view *s = &x->grid->surface->view;
    const double height = (v->shape[2] - 1) * v->step[2];
    (void)fprintf(x->to, "SLAB\nPRIMVEC\n");
    for (int k = 0; k < 2; ++k)
        (void)fprintf(x->to, "%.8f %.8f 0.0\n", s->cell[k][0], s->cell[k][1]);
    (void)fprintf(x->to, "0.0 0.0 %.8f\nPRIMCOORD\n%d 1\n", height, s->n_atoms);
    for (int32_t i = 0; i < s->n_atoms; ++i)
        (void)fprintf(x->to, "%d %.8f %.8f %.8f\n", s->elements[i], s->pos[i][0], s->pos[i][1],
                      s->pos[i][2]);
    (void)fprintf(x->to, "BEGIN_BLOCK_DATAGRID_3D\nshoal_eV\nBEGIN_DATAGRID_3D_field\n%d %d %d\n",
                  v->shape[0] + 1, v->shape[1] + 1, v->shape[2]);
    (void)fprintf(x->to, "%.8f %.8f %.8f\n", v->origin[0], v->origin[1], v->origin[2]);
    for (int k = 0; k < 2; ++k)
        (void)fprintf(x->to, "%.8f %.8f 0.0\n", v->cell[k][0], v->cell[k][1]);
    (void)fprintf(x->to, "0.0 0.0 %.8f\n", height);
    for (int32_t z = 0; z < v->shape[2]; ++z)
        for (int32_t b = 0; b <= v->shape[1]; ++b)
            for (int32_t a = 0; a <= v->shape[0]; ++a)
                (void)fprintf(x->to, "%.6e%s", value_at(x, a % v->shape[0], b % v->shape[1], z),
                              a == v->shape[0] ? "\n" : " ");
    (void)fprintf(x->to, "END_DATAGRID_3D\nEND_BLOCK_DATAGRID_3D\n");
}

/* Version 1.0 of the format: a header padded to a multiple of 64 bytes, then the numbers. */
static void write_npy(const exporter *x)
{
    const shoal_grid_view *v = &x->grid->view;
    char text[128];
    const int size = snprintf(text, sizeof text,
                              "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d, %d), }",
                              v->shape[0], v->shape[1], v->shape[2]);
    const int padded = (10 + size + 1 + 63) / 64 * 64 - 10;
    const unsigned char length[2] = {(unsigned char)(padded % 256), (unsigned char)(padded / 256)};
    (void)fwrite("\x93NUMPY\x01\x00", 1, 8, x->to);
    (void)fwrite(length, 1, 2, x->to);
    (void)fprintf(x->to, "%-*s\n", padded - 1, text);
    for (int32_t a = 0; a < v->shape[0]; ++a)
        for (int32_t b = 0; b < v->shape[1]; ++b)
            for (int32_t z = 0; z < v->shape[2]; ++z) {
                const double value = value_at(x, a, b, z);
                (void)fwrite(&value, sizeof value, 1, x->to);
            }
}

static bool ends_with(const char *path, const char *end)
{
    const size_t n = strlen(path), m = strlen(end);
    return n > m && strcmp(path + n - m, end) == 0;
}

typedef void writer(const exporter *x);

static writer *choose_writer(const char *path)
{
    if (ends_with(path, ".cube")) return write_cube;
    if (ends_with(path, ".xsf")) return write_xsf;
    if (ends_with(path, ".npy")) return write_npy;
    return NULL;
}

shoal_status shoal_grid_export(const shoal_grid *grid, const char *path,
                               const double weights[SHOAL_N_CHANNELS])
{
    shoal_clear_error();
    if (!grid || !path || !weights) return shoal_fail(SHOAL_E_ARGUMENT, "grid: nothing to export");
    writer *write = choose_writer(path);
    if (!write)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s: expected a name ending in .cube, .xsf or .npy",
                          path);
    const size_t size = strlen(path) + 6;
    char *temporary = shoal_alloc(size, 1);
    if (!temporary) return SHOAL_E_MEMORY;
    (void)snprintf(temporary, size, "%s.part", path);
    exporter x = {.grid = grid, .weights = weights, .to = fopen(temporary, "wb")};
    shoal_status status = SHOAL_OK;
    if (!x.to) {
        status = shoal_fail(SHOAL_E_IO, "%s: cannot be created", path);
    } else {
        write(&x);
        const bool bad = ferror(x.to) != 0;
        if (fclose(x.to) != 0 || bad || rename(temporary, path) != 0) {
            (void)remove(temporary);
            status = shoal_fail(SHOAL_E_IO, "%s: cannot be written", path);
        }
    }
    free(temporary);
    return status;
}
