/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks of a probe scan as files of HDF5, and their planes as pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/figure.h"
#include "jobs/tip.h"
#ifdef SHOAL_HAVE_HDF5
#include "base/hdf5_file.h"
#endif

/* Shifts of a block, [n[0]][n[1]][n_z]; NULL without an oscillator. */
typedef struct shift_block {
    const shoal_tip_block *block;
    const shoal_tip_oscillator *oscillator;
    double *shifts;
    int32_t n_z;
} shift_block;

static shoal_status find_shifts(shift_block *s)
{
    const shoal_tip_view *v = &s->block->view;
    if (!s->oscillator) return SHOAL_OK;
    SHOAL_TRY(shoal_tip_shifts(s->block, s->oscillator, NULL, &s->n_z));
    s->shifts =
        shoal_alloc_dirty((size_t)v->n[0] * (size_t)v->n[1] * (size_t)s->n_z, sizeof *s->shifts);
    if (!s->shifts) return SHOAL_E_MEMORY;
    return shoal_tip_shifts(s->block, s->oscillator, s->shifts, &s->n_z);
}

#ifdef SHOAL_HAVE_HDF5
static void put_block(hdf5_file *f, const void *user)
{
    const shift_block *s = user;
    const shoal_tip_view *v = &s->block->view;
    const hid_t number = *f->h5->NATIVE_DOUBLE;
    const hsize_t shape[4] = {(hsize_t)v->n[0], (hsize_t)v->n[1], (hsize_t)v->n[2], 3};
    const int32_t version = 1;
    hdf5_put_text(f, f->id, "format", "shoal-probe");
    hdf5_put_attribute(f, f->id, "version", *f->h5->NATIVE_INT32, 1, &version);
    hdf5_put_text(f, f->id, "units", "eV, angstrom, Hz, N/m");
    hdf5_put_attribute(f, f->id, "origin", number, 3, v->origin);
    hdf5_put_attribute(f, f->id, "step", number, 3, v->step);
    hdf5_put_array(f, f->id, "energy", number, 3, shape, v->energies);
    hdf5_put_array(f, f->id, "force", number, 4, shape, v->forces);
    if (!s->shifts) return;
    const hsize_t shifted[3] = {shape[0], shape[1], (hsize_t)s->n_z};
    hdf5_put_attribute(f, f->id, "frequency", number, 1, &s->oscillator->frequency);
    hdf5_put_attribute(f, f->id, "stiffness", number, 1, &s->oscillator->stiffness);
    hdf5_put_attribute(f, f->id, "amplitude", number, 1, &s->oscillator->amplitude);
    hdf5_put_array(f, f->id, "frequency_shift", number, 3, shifted, s->shifts);
}
#endif

shoal_status shoal_tip_block_write(const shoal_tip_block *block,
                                   const shoal_tip_oscillator *oscillator, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(block && path);
    shift_block s = {.block = block, .oscillator = oscillator};
    shoal_status status = find_shifts(&s);
#ifdef SHOAL_HAVE_HDF5
    if (status == SHOAL_OK) status = hdf5_write(path, put_block, &s);
#else
    if (status == SHOAL_OK)
        status = shoal_fail(SHOAL_E_UNSUPPORTED,
                            "%s: this build has no HDF5, so that blocks cannot be written", path);
#endif
    free(s.shifts);
    return status;
}

/* --- pictures ------------------------------------------------------------------------------------- */

/* The plane of points nearest to a height, of so many. */
static int32_t nearest_plane(const shoal_tip_view *v, double height, int32_t n_z)
{
    const double at = v->step[2] > 0.0 ? round((height - v->origin[2]) / v->step[2]) : 0.0;
    return at < 0.0 ? 0 : at > n_z - 1 ? n_z - 1 : (int32_t)at;
}

static void fill_map(const shift_block *s, int32_t iz, double *x, double *y, double *values)
{
    const shoal_tip_view *v = &s->block->view;
    for (int32_t i = 0; i < v->n[0]; ++i) x[i] = v->origin[0] + i * v->step[0];
    for (int32_t i = 0; i < v->n[1]; ++i) y[i] = v->origin[1] + i * v->step[1];
    for (int32_t i = 0; i < v->n[0]; ++i)
        for (int32_t k = 0; k < v->n[1]; ++k) {
            const size_t column = (size_t)i * (size_t)v->n[1] + (size_t)k;
            values[(size_t)k * (size_t)v->n[0] + (size_t)i] =
                s->shifts ? s->shifts[column * (size_t)s->n_z + (size_t)iz]
                          : v->forces[tip_index(v, i, k, iz)][2];
        }
}

static shoal_status draw_plane(const shift_block *s, double height, const char *path)
{
    const shoal_tip_view *v = &s->block->view;
    const size_t n = (size_t)v->n[0] * (size_t)v->n[1];
    const int32_t iz = nearest_plane(v, height, s->shifts ? s->n_z : v->n[2]);
    double *x = shoal_alloc(n + (size_t)v->n[0] + (size_t)v->n[1], sizeof *x);
    char title[80];
    if (!x) return SHOAL_E_MEMORY;
    double *y = x + v->n[0], *values = y + v->n[1];
    fill_map(s, iz, x, y, values);
    const figure_map map = {.label = s->shifts ? "frequency shift, Hz" : "F_z, eV/A",
                            .n_x = v->n[0],
                            .n_y = v->n[1],
                            .x = x,
                            .y = y,
                            .values = values};
    const figure_panel panel = {.x = {.label = "x, A"}, .y = {.label = "y, A"}, .map = &map};
    (void)snprintf(title, sizeof title, "z = %.3f A", v->origin[2] + iz * v->step[2]);
    const shoal_status status = figure_write(path, title, &panel, 1, 1);
    free(x);
    return status;
}

shoal_status shoal_tip_plot(const shoal_tip_block *block, const shoal_tip_oscillator *oscillator,
                            double height, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(block && path);
    if (block->view.n[0] < 2 || block->view.n[1] < 2)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "%s: a picture needs two points or more along x and along y", path);
    shift_block s = {.block = block, .oscillator = oscillator};
    shoal_status status = find_shifts(&s);
    if (status == SHOAL_OK) status = draw_plane(&s, height, path);
    free(s.shifts);
    return status;
}
