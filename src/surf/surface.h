/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a surface: its atoms, what the channels weigh, and the tables of the direct sum. */
#ifndef SHOAL_SURF_SURFACE_H
#define SHOAL_SURF_SURFACE_H

#include "base/arena.h"
#include "shoal/surface.h"

/* Name of a type and its h, for the atoms of molecules. */
typedef struct surface_hbond {
    char label[8];
    double h;
} surface_hbond;

struct shoal_surface {
    int32_t references; /* changed atomically */
    arena memory;       /* owns the arrays below */
    shoal_surface_view view;
    /* What atom s puts into the pair sum of each channel, [n_atoms][SHOAL_N_CHANNELS]:
     * V_c = sum_s weight[s][c] K_c(r), K = e^2, e, 1/d, e^2, e^2 with e = exp(-alpha r) for Morse,
     * 1/r^12, 1/r^6, 1/d, 1/r^12, 1/r^12 for LJ. Signs, -2 and kC are in the weights. */
    double (*weight)[SHOAL_N_CHANNELS];
    surface_hbond *hbonds;
    int32_t n_hbonds;
};

/* h of an atom of a molecule by its UFF label, 0 if the types do not know it. */
double surface_hbond_of(const shoal_surface *surface, const char *label);

#endif
