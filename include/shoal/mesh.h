/* SPDX-License-Identifier: BSD-3-Clause
 * Potentials on a mesh that another program computed: .cube, .xsf and .npy files, or numbers in memory.
 *
 * Conventions. Nodes lie at origin + i/shape[0] A + j/shape[1] B + k/shape[2] C; A and B lie in the xy plane, repeat, and are
 * what the mesh repeats by; C leads out of the plane. Values are in eV: of a potential the energy of a charge of +1 e, so that
 * nuclei are hills; of `pauli` and `london` what shoal_surface_weights multiplies. A cube has bohr and hartree (angstrom where
 * its numbers of voxels are negative), an xsf angstrom and eV, unless the options name another unit. Other programs write the
 * energy of an electron, in which nuclei are wells: then of_electron turns the sign. */
#ifndef SHOAL_MESH_H
#define SHOAL_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shoal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_mesh shoal_mesh;

typedef enum shoal_mesh_unit {
    SHOAL_MESH_UNIT_USUAL = 0, /* of the format: hartree in .cube, else eV */
    SHOAL_MESH_EV,
    SHOAL_MESH_HARTREE,
    SHOAL_MESH_RYDBERG,
} shoal_mesh_unit;

/* Zero means the default in every member. */
typedef struct shoal_mesh_options {
    shoal_mesh_unit unit;
    bool of_electron; /* energies of an electron: their sign is turned */
    bool
        repeats; /* along C as well, as a calculation in a cell; files of crystals (.xsf) say so themselves */
    bool x_fastest; /* values of shape [n_c][n_b][n_a]; .npy and memory */
    double cell
        [3]
        [3]; /* angstrom: rows A, B, C of a mesh whose file does not have them (.npy), or in memory */
    double shift[3]; /* angstrom, added to the places of nodes and atoms */
} shoal_mesh_options;

/* Reads a mesh; options may be NULL. By the end of the name (.cube, .cub, .xsf, .npy; text may be gzip), else by what is in
 * it. A general xsf grid repeats its first nodes at the end of A and B, and of C in a crystal; where it does not, its nodes divide the
 * vectors evenly, as FireCore writes them. Fails with SHOAL_E_FORMAT, naming file, line and expectation, for files
 * that are cut, go on behind the last value, hold several grids, or have A and B out of the xy plane. */
SHOAL_API shoal_status shoal_mesh_read(shoal_mesh **out, const char *path,
                                       const shoal_mesh_options *options);
/* A mesh of values[shape[0]][shape[1]][shape[2]] in memory (with x_fastest the other way round), which are copied; options->cell is
 * needed. The name, at most 63 letters of it, is what a grid keeps of it. */
SHOAL_API shoal_status shoal_mesh_create(shoal_mesh **out, const char *name, const int32_t shape[3],
                                         const double *values, const shoal_mesh_options *options);
SHOAL_API void shoal_mesh_destroy(shoal_mesh *mesh);

/* Borrowed, valid as long as the mesh lives. */
typedef struct shoal_mesh_view {
    const char *name; /* of the file, without its folder */
    int32_t shape[3];
    double origin[3], cell[3][3]; /* angstrom */
    bool repeats;                 /* along C */
    const double *values;         /* [shape[0]][shape[1]][shape[2]] eV */
    double rounding;              /* of a value by its digits in the file, as a share of it */
    int32_t n_atoms;              /* that the file has, 0: none */
    const int32_t *elements;
    const double (*pos)[3]; /* [n_atoms] angstrom */
} shoal_mesh_view;
SHOAL_API void shoal_mesh_get(const shoal_mesh *mesh, shoal_mesh_view *view);

/* The value and its slopes along x, y and z at a point, by the cubic spline through all nodes: out[4], eV and eV/angstrom. Beyond
 * the first and the last nodes along C, where the mesh does not repeat, it goes on straight. */
SHOAL_API void shoal_mesh_field(const shoal_mesh *mesh, const double r[3], double out[4]);

#ifdef __cplusplus
}
#endif

#endif
