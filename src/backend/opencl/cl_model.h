/* SPDX-License-Identifier: BSD-3-Clause
 * Pair models on OpenCL devices: what their programs are built with, their constants, and rows of particles. */
#ifndef SHOAL_BACKEND_CL_MODEL_H
#define SHOAL_BACKEND_CL_MODEL_H

#include "cl/cl_routine.h"
#include "ff/pair_model.h"
#include "shoal/engine.h"

/* Constants in the order of model_numbers (kernels/model_terms.h). */
enum { CL_MODEL_A, CL_MODEL_B, CL_MODEL_K, CL_MODEL_BETA, CL_MODEL_D, CL_MODEL_NUMBERS };

typedef struct cl_model {
    const shoal_pair_model *model;
    shoal_string
        text; /* definitions before the source of a program; equal ones make equal programs */
    double numbers[CL_MODEL_NUMBERS];
    int coulomb;   /* SHOAL_COULOMB_, the engine's damping counted in */
    double length; /* of that damping, angstrom */
} cl_model;

shoal_status cl_model_create(cl_model *out, const shoal_pair_model *model,
                             const shoal_engine_options *options);
void cl_model_free(cl_model *model);

/* The four reals of particle i: R, sqrt(E), charge, h. The charge is in units that make kC = 1, but in e for a
 * formula. What the options switch off is 0. */
void cl_model_row(const shoal_topology_view *view, const shoal_engine_options *options, int32_t i,
                  double row[4]);

/* Sets the constants as arguments of a kernel from index *next on, and moves it. */
shoal_status cl_model_bind(const cl_model *model, cl_routine *routine, int32_t *next);

#endif
