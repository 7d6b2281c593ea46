/* SPDX-License-Identifier: BSD-3-Clause
 * A batch compiled for an OpenCL device. */
#ifndef SHOAL_BACKEND_CL_PLAN_H
#define SHOAL_BACKEND_CL_PLAN_H

#include "backend/opencl/cl_direct.h"
#include "backend/opencl/cl_surface.h"
#include "backend/opencl/large/cl_large.h"
#include "backend/opencl/small/cl_pack.h"
#include "cl/cl_routine.h"

enum { CL_EVAL, CL_FIRE, CL_LBFGS, CL_N_KERNELS };

/* Systems that share a program and a launch. Chosen from each system alone, so that its neighbours
 * in the batch cannot change its result. */
typedef struct cl_class {
    cl_shape shape;
    bool charged, plain;              /* has charges; has plain terms */
    cl_routine kernels[CL_N_KERNELS]; /* made at first use */
} cl_class;

/* A program that was built; at most one for every kernel, group size, charge and place of memory. */
enum { CL_MAX_PROGRAMS = 64 };

typedef struct cl_program_entry {
    char source[32], options[256];
    cl_code code;
} cl_program_entry;

/* A part of the batch that fits into the device at once. */
typedef struct cl_slice {
    int32_t first, n; /* range of plan->order */
    int32_t n_atoms;
    int32_t n_softness; /* reals */
} cl_slice;

/* A system in the order of work. */
typedef struct cl_place {
    int32_t system, class, record;
    int32_t n_atoms;
    const bool *fixed;  /* [n_atoms], NULL: all atoms move */
    int32_t atom_start; /* within its slice */
    int32_t restraint;  /* within the batch */
    int32_t n_restraints;
    int32_t softness; /* matrix of its topology and fixed atoms, within its slice */
    double origin[3]; /* coordinates on the device are relative to it, angstrom */
} cl_place;

/* What may be on its way from the device. */
enum { CL_POSITIONS, CL_FORCES, CL_TERMS, CL_TERMS0, CL_STATES, CL_N_ARRIVALS };

typedef struct cl_plan {
    const backend_input *input;
    cl_target *target;
    bool is_double;
    size_t real; /* bytes of a real */
    cl_pack pack;
    cl_surface surface; /* a grid */
    cl_direct direct;   /* a surface without a grid */
    cl_place *order;    /* by class, then by topology */
    int32_t n_order;
    cl_class *classes;
    int32_t n_classes;
    cl_program_entry programs[CL_MAX_PROGRAMS];
    int32_t n_programs;
    cl_slice *slices;
    int32_t n_slices;
    cl_slice most; /* the most of each that a slice has */
    /* Shared by all slices. */
    cl_buffer restraints, records, bonds, angles, torsions, plain, centres, forms, atoms, numbers,
        gather_start, gather, exclude;
    /* For one slice. velocities and what follows are made by relaxations. */
    cl_buffer systems, positions, forces, terms, states, velocities, history, softness, products;
    const cl_slice *softened;    /* the slice that softness belongs to; NULL: none */
    system_record *host_systems; /* [most.n] */
    const cl_slice *sent;        /* all records of this slice are on the device; NULL: a part */
    cl_staging staging;          /* holds the arrays below, which the device copies from and to */
    size_t staging_size;         /* bytes */
    void *host_positions;        /* [most.n_atoms][4] reals */
    void *host_forces;           /* [most.n_atoms][4] reals */
    void *host_terms;            /* [most.n][LAYOUT_TERMS] reals */
    void *host_terms0;           /* [most.n][LAYOUT_TERMS] reals, before a relaxation */
    void *host_states;           /* [most.n][LAYOUT_STATE] reals */
    cl_arrival arrivals[CL_N_ARRIVALS];
    cl_large *large; /* large and periodic systems; NULL if there are none */
    int32_t *large_systems, n_large;
} cl_plan;

/* Sorts the systems by class, then by topology, and cuts them where the device would be full
 * (cl_slices.c). */
shoal_status cl_plan_cut(cl_plan *plan);

/* The kernel of a class, its shared arguments set; *next is the index of the first argument that
 * is the kernel's own. */
shoal_status cl_plan_kernel(cl_plan *plan, cl_class *c, int which, cl_routine **out, int32_t *next);

/* A loop over the systems of a slice: crew_run_many(plan->input->thread pool, slice->n, work, &pass). */
typedef struct cl_pass {
    cl_plan *plan;
    const cl_slice *slice;
    backend_result *results;
} cl_pass;

/* Coordinates of a slice to the device (this and what follows: cl_transfer.c). */
shoal_status cl_plan_upload(cl_plan *plan, const cl_slice *slice, backend_result *results);

/* Has an array of a slice sent to the host, and waits for it. Work in between is free. */
shoal_status cl_plan_fetch(cl_plan *plan, const cl_slice *slice, int what);
shoal_status cl_plan_wait(cl_plan *plan, int what);
/* Waits for all that is on its way and not wanted any more. */
void cl_plan_settle(cl_plan *plan);

/* What was fetched of system k of a slice: its coordinates; its forces and energies; and energies by
 * term of CL_TERMS or CL_TERMS0, with their sum. Statuses are left alone. */
void cl_plan_take_positions(const cl_plan *plan, const cl_slice *slice, int32_t k,
                            backend_result *results);
void cl_plan_take_forces(const cl_plan *plan, const cl_slice *slice, int32_t k,
                         backend_result *results);
double cl_plan_take_terms(const cl_plan *plan, int what, int32_t k, double terms[SHOAL_N_TERMS]);

/* Sends the records of the places of a slice that are active (NULL: all) to the device, and
 * launches the kernel for them, class by class. */
shoal_status cl_plan_launch(cl_plan *plan, const cl_slice *slice, const bool *active, int which);

/* The inverse stiffness of every topology of a slice to the device, for L-BFGS (cl_softness.c). */
shoal_status cl_plan_soften(cl_plan *plan, const cl_slice *slice);

/* Single points of all slices. */
shoal_status cl_plan_eval(void *plan, backend_result *results);

/* Buffers that relaxations by a kernel need beyond those of single points (cl_relax.c). */
shoal_status cl_plan_relax_buffers(cl_plan *plan, int kernel);

/* Relaxes all slices (cl_relax.c). */
shoal_status cl_plan_relax(void *plan, const backend_relax *relax, backend_result *results);

#endif
