/* SPDX-License-Identifier: BSD-3-Clause
 * Grid files in HDF5. Root attributes: format, version, units, shape, cells, cell, origin, step,
 * switch_z, limit, levels, errors, checksum; /source_coulomb, ..: where a channel comes from elsewhere; /surface: the substrate and its parameters; /channels:
 * float32 spline coefficients [n_a][n_b][n_z + 2] of the channels that are not zero; /level1, ..: the
 * coarser levels, with shape, origin, step and channels of their own. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "surf/grid.h"
#include "surf/grid_build.h"
#include "surf/surface.h"

#ifdef SHOAL_HAVE_HDF5
#include "base/hdf5_file.h"

#define FORMAT "shoal-grid"
#define UNITS "eV, angstrom, e"
#define MOST_ATOMS 10000000
#define MODEL "pair model"
#define SOURCE_NUMBERS 6

static uint64_t find_checksum(const shoal_grid *grid)
{
    uint64_t sum = HASH_START;
    for (; grid; grid = grid->above) {
        const shoal_grid_view *v = &grid->view;
        sum = hash_words(sum, v->shape, sizeof v->shape);
        sum = hash_words(sum, v->cell, sizeof v->cell);
        sum = hash_words(sum, &v->cells, sizeof v->cells);
        sum = hash_words(sum, v->origin, sizeof v->origin);
        sum = hash_words(sum, v->step, sizeof v->step);
        sum = hash_words(sum, &v->switch_z, sizeof v->switch_z);
        sum = hash_words(sum, v->limit, SHOAL_CHANNEL_KINDS * sizeof *v->limit);
        for (int c = 0; c < SHOAL_N_CHANNELS; ++c)
            if (grid->channel[c])
                sum = hash_words(sum, grid->channel[c],
                                 grid_count_coefficients(grid) * sizeof(float));
    }
    return sum;
}

static void put_pairs(hdf5_file *f, hid_t group, const shoal_pair_settings *p)
{
    double n[SURFACE_PAIR_NUMBERS];
    surface_pair_numbers(p, n);
    hdf5_put_attribute(f, group, "pairs", *f->h5->NATIVE_DOUBLE, SURFACE_PAIR_NUMBERS, n);
}

static void put_surface(hdf5_file *f, const shoal_surface_view *s)
{
    const hdf5_library *h5 = f->h5;
    const hid_t group = h5->Gcreate2(f->id, "surface", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t n[2] = {(hsize_t)s->n_atoms, 3};
    hdf5_note(f, group < 0, "surface");
    if (group < 0) return;
    hdf5_put_text(f, group, "form",
                  s->pairs                      ? MODEL
                  : s->form == SHOAL_SURFACE_LJ ? "lj"
                                                : "morse");
    if (s->pairs) put_pairs(f, group, s->pairs);
    hdf5_put_attribute(f, group, "alpha", *h5->NATIVE_DOUBLE, 1, &s->alpha);
    hdf5_put_attribute(f, group, "damping", *h5->NATIVE_DOUBLE, 1, &s->damping);
    hdf5_put_attribute(f, group, "cell", *h5->NATIVE_DOUBLE, 4, s->cell);
    hdf5_put_attribute(f, group, "hash", *h5->NATIVE_UINT64, 1, &s->hash);
    hdf5_put_array(f, group, "elements", *h5->NATIVE_INT32, 1, n, s->elements);
    hdf5_put_array(f, group, "pos", *h5->NATIVE_DOUBLE, 2, n, s->pos);
    hdf5_put_array(f, group, "radius", *h5->NATIVE_DOUBLE, 1, n, s->radius);
    hdf5_put_array(f, group, "depth", *h5->NATIVE_DOUBLE, 1, n, s->depth);
    hdf5_put_array(f, group, "charges", *h5->NATIVE_DOUBLE, 1, n, s->charges);
    hdf5_put_array(f, group, "hbond", *h5->NATIVE_DOUBLE, 1, n, s->hbond);
    (void)h5->Gclose(group);
}

/* Channels from elsewhere: attributes of a group each. */
static void put_sources(hdf5_file *f, const shoal_grid_view *v)
{
    const hdf5_library *h5 = f->h5;
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c) {
        const shoal_grid_source *s = &v->sources[c];
        if (!s->there) continue;
        const double numbers[SOURCE_NUMBERS] = {s->max_e, s->max_f, s->top,
                                                s->end,   s->cut,   s->zero};
        char name[32];
        (void)snprintf(name, sizeof name, "source_%s", shoal_channel_name(c));
        const hid_t group = h5->Gcreate2(f->id, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        hdf5_note(f, group < 0, name);
        if (group < 0) return;
        hdf5_put_text(f, group, "mesh", s->name[0] ? s->name : "-");
        hdf5_put_attribute(f, group, "numbers", *h5->NATIVE_DOUBLE, SOURCE_NUMBERS, numbers);
        (void)h5->Gclose(group);
    }
}

static bool has_sources(const shoal_grid_view *v)
{
    bool any = false;
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c) any = any || v->sources[c].there;
    return any;
}

/* What differs from level to level, in the group of the level. */
static void put_level(hdf5_file *f, hid_t at, const shoal_grid *grid)
{
    const hdf5_library *h5 = f->h5;
    const shoal_grid_view *v = &grid->view;
    const hsize_t shape[3] = {(hsize_t)v->shape[0], (hsize_t)v->shape[1], (hsize_t)v->shape[2] + 2};
    hdf5_put_attribute(f, at, "shape", *h5->NATIVE_INT32, 3, v->shape);
    hdf5_put_attribute(f, at, "origin", *h5->NATIVE_DOUBLE, 3, v->origin);
    hdf5_put_attribute(f, at, "step", *h5->NATIVE_DOUBLE, 3, v->step);
    const hid_t group = h5->Gcreate2(at, "channels", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hdf5_note(f, group < 0, "channels");
    for (int c = 0; c < SHOAL_N_CHANNELS && group >= 0; ++c)
        if (grid->channel[c])
            hdf5_put_array(f, group, shoal_channel_name(c), *h5->NATIVE_FLOAT, 3, shape,
                           grid->channel[c]);
    if (group >= 0) (void)h5->Gclose(group);
}

static void put_levels(hdf5_file *f, const shoal_grid *grid)
{
    const hdf5_library *h5 = f->h5;
    int number = 1;
    for (const shoal_grid *level = grid->above; level; level = level->above, ++number) {
        char name[16];
        (void)snprintf(name, sizeof name, "level%d", number);
        const hid_t group = h5->Gcreate2(f->id, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        hdf5_note(f, group < 0, name);
        if (group < 0) return;
        put_level(f, group, level);
        (void)h5->Gclose(group);
    }
}

static void put_grid(hdf5_file *f, const shoal_grid *grid)
{
    const hdf5_library *h5 = f->h5;
    const shoal_grid_view *v = &grid->view;
    const int32_t version = has_sources(v) ? GRID_SOURCES_VERSION : GRID_FILE_VERSION;
    const uint64_t checksum = find_checksum(grid);
    const shoal_grid_errors *e = &v->errors;
    const double errors[5] = {(double)e->samples, e->rms_e, e->max_e, e->rms_f, e->max_f};
    hdf5_put_text(f, f->id, "format", FORMAT);
    hdf5_put_text(f, f->id, "units", UNITS);
    hdf5_put_attribute(f, f->id, "version", *h5->NATIVE_INT32, 1, &version);
    hdf5_put_attribute(f, f->id, "cells", *h5->NATIVE_INT32, 1, &v->cells);
    hdf5_put_attribute(f, f->id, "cell", *h5->NATIVE_DOUBLE, 4, v->cell);
    hdf5_put_attribute(f, f->id, "switch_z", *h5->NATIVE_DOUBLE, 1, &v->switch_z);
    hdf5_put_attribute(f, f->id, "limit", *h5->NATIVE_DOUBLE, SHOAL_CHANNEL_KINDS, v->limit);
    hdf5_put_attribute(f, f->id, "levels", *h5->NATIVE_INT32, 1, &v->n_levels);
    hdf5_put_attribute(f, f->id, "errors", *h5->NATIVE_DOUBLE, 5, errors);
    hdf5_put_attribute(f, f->id, "checksum", *h5->NATIVE_UINT64, 1, &checksum);
    put_surface(f, &grid->surface->view);
    if (has_sources(v)) put_sources(f, v);
    put_level(f, f->id, grid);
    put_levels(f, grid);
}

static void put_all(hdf5_file *f, const void *grid)
{
    put_grid(f, grid);
}

shoal_status shoal_grid_write(const shoal_grid *grid, const char *path)
{
    shoal_clear_error();
    if (!grid || !path) return shoal_fail(SHOAL_E_ARGUMENT, "grid: no grid or no file name");
    return hdf5_write(path, put_all, grid);
}

shoal_status shoal_grid_write_probe(const char *path)
{
    shoal_clear_error();
    if (!path) return shoal_fail(SHOAL_E_ARGUMENT, "grid: no file name");
    const hdf5_library *h5;
    SHOAL_TRY(hdf5_library_get(&h5));
    char *temporary = hdf5_temporary_name(path);
    if (!temporary) return SHOAL_E_MEMORY;
    FILE *made = fopen(temporary, "wbx");
    shoal_status status = SHOAL_OK;
    if (!made || fclose(made) != 0 || remove(temporary) != 0)
        status = shoal_fail(SHOAL_E_IO, "%s: cannot be created: %s", path, strerror(errno));
    free(temporary);
    return status;
}

/* An attribute of n numbers; anything else is noted as a failure. */
static void get_attribute(hdf5_file *f, hid_t at, const char *name, hid_t type, hssize_t n,
                          void *out)
{
    const hdf5_library *h5 = f->h5;
    const hid_t id = f->failed ? -1 : h5->Aopen(at, name, H5P_DEFAULT);
    const hid_t space = id >= 0 ? h5->Aget_space(id) : -1;
    hdf5_note(f,
              id < 0 || space < 0 || h5->Sget_simple_extent_npoints(space) != n ||
                  h5->Aread(id, type, out) < 0,
              name);
    if (space >= 0) (void)h5->Sclose(space);
    if (id >= 0) (void)h5->Aclose(id);
}

static void get_text(hdf5_file *f, hid_t at, const char *name, size_t size, char *out)
{
    const hdf5_library *h5 = f->h5;
    const hid_t id = f->failed ? -1 : h5->Aopen(at, name, H5P_DEFAULT);
    const hid_t have = id >= 0 ? h5->Aget_type(id) : -1;
    const bool fits = have >= 0 && h5->Tget_class(have) == H5T_STRING &&
                      h5->Tis_variable_str(have) == 0 && h5->Tget_size(have) <= size;
    memset(out, 0, size);
    hdf5_note(f, !fits || h5->Aread(id, have, out) < 0, name);
    out[size - 1] = '\0';
    if (have >= 0) (void)h5->Tclose(have);
    if (id >= 0) (void)h5->Aclose(id);
}

/* A dataset of a known shape. */
static void get_array(hdf5_file *f, hid_t at, const char *name, hid_t type, int rank,
                      const hsize_t *shape, void *out)
{
    const hdf5_library *h5 = f->h5;
    hsize_t have[3] = {0, 0, 0};
    const hid_t id = f->failed ? -1 : h5->Dopen2(at, name, H5P_DEFAULT);
    const hid_t space = id >= 0 ? h5->Dget_space(id) : -1;
    bool good = space >= 0 && h5->Sget_simple_extent_ndims(space) == rank &&
                h5->Sget_simple_extent_dims(space, have, NULL) == rank;
    for (int k = 0; k < rank; ++k) good = good && have[k] == shape[k];
    hdf5_note(f, !good || h5->Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0, name);
    if (space >= 0) (void)h5->Sclose(space);
    if (id >= 0) (void)h5->Dclose(id);
}

static shoal_status damaged(const hdf5_file *f)
{
    return shoal_fail(SHOAL_E_FORMAT, "%s: damaged: '%s' is missing or not as expected", f->path,
                      f->what);
}

/* Number of atoms: the length of the list of elements. */
static int32_t count_atoms(hdf5_file *f, hid_t group)
{
    const hdf5_library *h5 = f->h5;
    hsize_t n = 0;
    const hid_t id = group < 0 ? -1 : h5->Dopen2(group, "elements", H5P_DEFAULT);
    const hid_t space = id >= 0 ? h5->Dget_space(id) : -1;
    const bool good = space >= 0 && h5->Sget_simple_extent_ndims(space) == 1 &&
                      h5->Sget_simple_extent_dims(space, &n, NULL) == 1 && n >= 1 &&
                      n <= MOST_ATOMS;
    hdf5_note(f, !good, "elements");
    if (space >= 0) (void)h5->Sclose(space);
    if (id >= 0) (void)h5->Dclose(id);
    return good ? (int32_t)n : 0;
}

static void get_pairs(hdf5_file *f, hid_t group, shoal_pair_settings *out)
{
    double n[SURFACE_PAIR_NUMBERS] = {0};
    get_attribute(f, group, "pairs", *f->h5->NATIVE_DOUBLE, SURFACE_PAIR_NUMBERS, n);
    const bool sensible = n[0] >= 0 && n[0] < SHOAL_FORM_FORMULA && n[2] >= 0 &&
                          n[2] <= SHOAL_HBOND_NONE && n[3] >= 0 && n[3] <= SHOAL_COULOMB_NONE;
    hdf5_note(f, !sensible, "pairs");
    *out = (shoal_pair_settings){0};
    if (f->failed) return;
    out->form = (shoal_pair_form)n[0];
    out->alpha = n[1];
    out->hbond = (shoal_hbond)n[2];
    out->coulomb = (shoal_coulomb)n[3];
    out->coulomb_damping = n[4];
    out->lambda = n[5];
    out->radius_charge = n[6];
    out->dispersion_damping = n[7];
}

static shoal_status get_surface(hdf5_file *f, shoal_surface **out)
{
    const hdf5_library *h5 = f->h5;
    const hid_t group = h5->Gopen2(f->id, "surface", H5P_DEFAULT);
    char form[32] = "";
    shoal_pair_settings pairs;
    shoal_surface_view v = {.n_atoms = count_atoms(f, group)};
    const hsize_t n[2] = {(hsize_t)v.n_atoms, 3};
    const size_t count = (size_t)v.n_atoms;
    uint64_t hash = 0;
    int32_t *elements = shoal_alloc(count, sizeof *elements);
    double *numbers = shoal_alloc(7 * count, sizeof *numbers);
    shoal_status status = elements && numbers ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK && !f->failed) {
        get_text(f, group, "form", sizeof form, form);
        get_attribute(f, group, "alpha", *h5->NATIVE_DOUBLE, 1, &v.alpha);
        get_attribute(f, group, "damping", *h5->NATIVE_DOUBLE, 1, &v.damping);
        get_attribute(f, group, "cell", *h5->NATIVE_DOUBLE, 4, v.cell);
        get_attribute(f, group, "hash", *h5->NATIVE_UINT64, 1, &hash);
        get_array(f, group, "elements", *h5->NATIVE_INT32, 1, n, elements);
        get_array(f, group, "pos", *h5->NATIVE_DOUBLE, 2, n, numbers);
        static const char *const names[] = {"radius", "depth", "charges", "hbond"};
        for (size_t k = 0; k < 4; ++k)
            get_array(f, group, names[k], *h5->NATIVE_DOUBLE, 1, n, numbers + (3 + k) * count);
        v.form = strcmp(form, "morse") == 0 ? SHOAL_SURFACE_MORSE : SHOAL_SURFACE_LJ;
        if (strcmp(form, MODEL) == 0) get_pairs(f, group, &pairs);
        if (strcmp(form, MODEL) == 0) v.pairs = &pairs;
        v.elements = elements;
        v.pos = (const double(*)[3])(void *)numbers;
        v.radius = numbers + 3 * count;
        v.depth = numbers + 4 * count;
        v.charges = numbers + 5 * count;
        v.hbond = numbers + 6 * count;
    }
    if (status == SHOAL_OK && f->failed) status = damaged(f);
    /* Nothing is made of numbers that are not those that were written. */
    if (status == SHOAL_OK && surface_hash(&v) != hash)
        status = shoal_fail(SHOAL_E_FORMAT, "%s: damaged: its substrate does not have its hash",
                            f->path);
    if (status == SHOAL_OK) status = surface_assemble(out, &v);
    free(elements);
    free(numbers);
    if (group >= 0) (void)h5->Gclose(group);
    return status;
}

static bool is_sensible(const shoal_grid_view *v)
{
    for (int k = 0; k < 3; ++k)
        if (v->shape[k] < 4 || v->shape[k] > GRID_MOST_NODES || !(v->step[k] > 0) ||
            !isfinite(v->origin[k]))
            return false;
    const double area = v->cell[0][0] * v->cell[1][1] - v->cell[0][1] * v->cell[1][0];
    return isfinite(v->switch_z) && isfinite(area) && area != 0 && v->cells >= 1 &&
           v->n_levels >= 0 && v->n_levels <= SHOAL_GRID_LEVELS;
}

/* What differs from level to level. */
static shoal_status get_shape(hdf5_file *f, hid_t at, shoal_grid_view *v)
{
    const hdf5_library *h5 = f->h5;
    get_attribute(f, at, "shape", *h5->NATIVE_INT32, 3, v->shape);
    get_attribute(f, at, "origin", *h5->NATIVE_DOUBLE, 3, v->origin);
    get_attribute(f, at, "step", *h5->NATIVE_DOUBLE, 3, v->step);
    if (f->failed) return damaged(f);
    if (!is_sensible(v))
        return shoal_fail(SHOAL_E_FORMAT, "%s: damaged: its shape makes no sense", f->path);
    return SHOAL_OK;
}

static shoal_status get_sources(hdf5_file *f, shoal_grid_view *v)
{
    const hdf5_library *h5 = f->h5;
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c) {
        shoal_grid_source *s = &v->sources[c];
        double n[SOURCE_NUMBERS] = {0};
        char name[32];
        (void)snprintf(name, sizeof name, "source_%s", shoal_channel_name(c));
        const hid_t group = h5->Gopen2(f->id, name, H5P_DEFAULT);
        if (group < 0) continue;
        get_text(f, group, "mesh", sizeof s->name, s->name);
        get_attribute(f, group, "numbers", *h5->NATIVE_DOUBLE, SOURCE_NUMBERS, n);
        (void)h5->Gclose(group);
        if (f->failed) return damaged(f);
        s->there = true;
        s->max_e = n[0], s->max_f = n[1], s->top = n[2], s->end = n[3], s->cut = n[4],
        s->zero = n[5];
    }
    if (has_sources(v)) return SHOAL_OK;
    return shoal_fail(SHOAL_E_FORMAT,
                      "%s: damaged: no channel from elsewhere, which its version has", f->path);
}

static shoal_status get_view(hdf5_file *f, shoal_grid_view *v)
{
    const hdf5_library *h5 = f->h5;
    char format[32];
    int32_t version = 0;
    double errors[5];
    get_text(f, f->id, "format", sizeof format, format);
    if (f->failed || strcmp(format, FORMAT) != 0)
        return shoal_fail(SHOAL_E_FORMAT, "%s: an HDF5 file, but not a grid of shoal", f->path);
    get_attribute(f, f->id, "version", *h5->NATIVE_INT32, 1, &version);
    if (!f->failed && version != GRID_FILE_VERSION && version != GRID_SOURCES_VERSION)
        return shoal_fail(SHOAL_E_FORMAT,
                          "%s: version %d, expected %d or %d%s; build the grid again", f->path,
                          version, GRID_FILE_VERSION, GRID_SOURCES_VERSION,
                          version == 1   ? ": the fields of such a grid end too low"
                          : version == 2 ? ": such a grid is wrong near planes of atoms"
                                         : "");
    get_attribute(f, f->id, "cells", *h5->NATIVE_INT32, 1, &v->cells);
    get_attribute(f, f->id, "cell", *h5->NATIVE_DOUBLE, 4, v->cell);
    get_attribute(f, f->id, "levels", *h5->NATIVE_INT32, 1, &v->n_levels);
    get_attribute(f, f->id, "switch_z", *h5->NATIVE_DOUBLE, 1, &v->switch_z);
    get_attribute(f, f->id, "limit", *h5->NATIVE_DOUBLE, SHOAL_CHANNEL_KINDS, v->limit);
    get_attribute(f, f->id, "errors", *h5->NATIVE_DOUBLE, 5, errors);
    SHOAL_TRY(get_shape(f, f->id, v));
    const int64_t samples = errors[0] > 0 && errors[0] < 1e15 ? (int64_t)errors[0] : 0;
    v->errors = (shoal_grid_errors){samples, errors[1], errors[2], errors[3], errors[4]};
    return version == GRID_SOURCES_VERSION ? get_sources(f, v) : SHOAL_OK;
}

static shoal_status get_channels(hdf5_file *f, hid_t at, shoal_grid *grid)
{
    const hdf5_library *h5 = f->h5;
    const shoal_grid_view *v = &grid->view;
    const hsize_t shape[3] = {(hsize_t)v->shape[0], (hsize_t)v->shape[1], (hsize_t)v->shape[2] + 2};
    const hid_t group = h5->Gopen2(at, "channels", H5P_DEFAULT);
    hdf5_note(f, group < 0, "channels");
    for (int c = 0; c < SHOAL_N_CHANNELS && group >= 0; ++c)
        if (grid->channel[c])
            get_array(f, group, shoal_channel_name(c), *h5->NATIVE_FLOAT, 3, shape,
                      grid->channel[c]);
    if (group >= 0) (void)h5->Gclose(group);
    return f->failed ? damaged(f) : SHOAL_OK;
}

/* One level on top of those that are there; what they share is theirs. */
static shoal_status get_level(hdf5_file *f, int number, shoal_grid *grid)
{
    const hdf5_library *h5 = f->h5;
    shoal_grid_view view = grid->view;
    shoal_grid *level = NULL;
    char name[16];
    (void)snprintf(name, sizeof name, "level%d", number);
    const hid_t group = h5->Gopen2(f->id, name, H5P_DEFAULT);
    hdf5_note(f, group < 0, name);
    if (group < 0) return damaged(f);
    shoal_status status = get_shape(f, group, &view);
    if (status == SHOAL_OK) status = grid_allocate(&level, &view, grid->surface);
    if (status == SHOAL_OK) status = get_channels(f, group, level);
    if (status == SHOAL_OK)
        grid_put_level(grid, level);
    else
        shoal_grid_destroy(level);
    (void)h5->Gclose(group);
    return status;
}

static shoal_status get_levels(hdf5_file *f, int32_t n, shoal_grid *grid)
{
    uint64_t checksum = 0;
    SHOAL_TRY(get_channels(f, f->id, grid));
    for (int32_t k = 1; k <= n; ++k) SHOAL_TRY(get_level(f, k, grid));
    get_attribute(f, f->id, "checksum", *f->h5->NATIVE_UINT64, 1, &checksum);
    if (f->failed) return damaged(f);
    if (checksum != find_checksum(grid))
        return shoal_fail(SHOAL_E_FORMAT, "%s: damaged: its checksum does not agree", f->path);
    return SHOAL_OK;
}

static shoal_status read_file(hdf5_file *f, shoal_grid **out, const shoal_surface *wanted)
{
    shoal_grid_view view = {0};
    shoal_surface *surface = NULL;
    SHOAL_TRY(get_view(f, &view));
    shoal_status status = get_surface(f, &surface);
    if (status == SHOAL_OK && wanted && wanted->view.hash != surface->view.hash)
        status = shoal_fail(SHOAL_E_FORMAT,
                            "%s: the grid of another surface or of other parameters (hash %016llx, "
                            "expected %016llx); build it again",
                            f->path, (unsigned long long)surface->view.hash,
                            (unsigned long long)wanted->view.hash);
    if (status == SHOAL_OK) {
        memcpy(view.has_channel, surface->view.has_channel, sizeof view.has_channel);
        for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c) view.has_channel[c] |= view.sources[c].there;
        status = grid_allocate(out, &view, surface);
    }
    shoal_surface_destroy(surface);
    if (status == SHOAL_OK) status = get_levels(f, view.n_levels, *out);
    if (status != SHOAL_OK) {
        shoal_grid_destroy(*out);
        *out = NULL;
    }
    return status;
}

shoal_status shoal_grid_read(shoal_grid **out, const char *path, const shoal_surface *surface)
{
    shoal_clear_error();
    if (!out || !path) return shoal_fail(SHOAL_E_ARGUMENT, "grid: no file name or no place");
    *out = NULL;
    FILE *there = fopen(path, "rb");
    if (!there) return shoal_fail(SHOAL_E_IO, "%s: cannot be opened", path);
    (void)fclose(there);
    const hdf5_library *h5;
    if (surface) SHOAL_TRY(grid_refuse(surface));
    SHOAL_TRY(hdf5_library_get(&h5));
    const hdf5_quiet before = hdf5_library_lock(h5);
    shoal_status status;
    hdf5_file f = {.h5 = h5, .path = path, .id = -1};
    if (h5->Fis_hdf5(path) <= 0)
        status = shoal_fail(SHOAL_E_FORMAT, "%s: not an HDF5 file, expected a grid", path);
    else if ((f.id = h5->Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)) < 0)
        status = shoal_fail(SHOAL_E_FORMAT, "%s: damaged, or cut short: HDF5 cannot open it", path);
    else
        status = read_file(&f, out, surface);
    if (f.id >= 0) (void)h5->Fclose(f.id);
    hdf5_library_unlock(h5, before);
    return status;
}

#else

static shoal_status refuse(const char *path)
{
    return shoal_fail(SHOAL_E_UNSUPPORTED,
                      "%s: this build has no HDF5, so that grids can be neither written nor read; "
                      "they can be built in memory",
                      path);
}

shoal_status shoal_grid_write(const shoal_grid *grid, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(grid && path);
    return refuse(path);
}

shoal_status shoal_grid_write_probe(const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(path);
    return refuse(path);
}

shoal_status shoal_grid_read(shoal_grid **out, const char *path, const shoal_surface *surface)
{
    shoal_clear_error();
    (void)surface;
    SHOAL_NEED(out && path);
    *out = NULL;
    return refuse(path);
}
#endif
