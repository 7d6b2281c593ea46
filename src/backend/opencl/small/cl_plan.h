/* SPDX-License-Identifier: BSD-3-Clause
 * The small systems of a batch, compiled for an OpenCL device. */
#ifndef SHOAL_BACKEND_CL_PLAN_H
#define SHOAL_BACKEND_CL_PLAN_H

#include "backend/opencl/cl_direct.h"
#include "backend/opencl/cl_surface.h"
#include "backend/opencl/small/cl_pack.h"
#include "cl/cl_real.h"
#include "cl/cl_routine.h"

enum { CL_EVAL, CL_FIRE, CL_LBFGS, CL_N_KERNELS };

/* Systems that share a program and a launch. Chosen from each system alone, so that its neighbours
 * in the batch cannot change its result. */
typedef struct cl_class {
    cl_shape shape;
    bool charged, plain;              /* has charges; has plain terms */
    cl_routine kernels[CL_N_KERNELS]; /* made at first use */
    int32_t at_steps;                 /* argument of the driver's kernel: the number of steps */
} cl_class;

/* A program that was built; at most one for every kernel, group size, charges or none, plain
 * terms or none. */
enum { CL_MAX_PROGRAMS = 64 };

typedef struct cl_program_entry {
    char source[32], options[256];
    cl_code code;
} cl_program_entry;

/* A part of the batch that fits into the device at once. */
typedef struct cl_slice {
    int32_t first, n; /* range of plan->order */
    int32_t n_atoms;
    int32_t n_preconditioner; /* reals */
} cl_slice;

/* A system in the order of work. */
typedef struct cl_place {
    int32_t system, class, record;
    int32_t n_atoms;
    const bool *fixed;  /* [n_atoms], NULL: all atoms move */
    int32_t atom_start; /* within its slice */
    int32_t restraint;  /* within the batch */
    int32_t n_restraints;
    int32_t preconditioner; /* matrix of its topology and fixed atoms, within its slice */
    double origin[3];       /* coordinates on the device are relative to it, angstrom */
} cl_place;

/* What may be on its way from the device. */
enum { CL_POSITIONS, CL_FORCES, CL_TERMS, CL_COUNTERS, CL_N_ARRIVALS };

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
    /* For one slice. velocities and what follows are made by drivers. */
    cl_buffer systems, positions, forces, terms, counters, states, velocities, history,
        preconditioners, products;
    const cl_slice *preconditioned; /* the slice that preconditioners belong to; NULL: none */
    system_record *host_systems;    /* [most.n] */
    const cl_slice *sent;           /* all records of this slice are on the device; NULL: a part */
    cl_staging staging;     /* holds the arrays below, which the device copies from and to */
    size_t staging_size;    /* bytes */
    void *host_positions;   /* [most.n_atoms][4] reals */
    void *host_forces;      /* [most.n_atoms][4] reals */
    void *host_terms;       /* [most.n][LAYOUT_TERMS] reals */
    int32_t *host_counters; /* [most.n][STEP_INTS] */
    void *host_restraints;  /* of all systems, LAYOUT_RESTRAINT reals each */
    size_t n_restraints;
    cl_arrival arrivals[CL_N_ARRIVALS];
    /* The present part. */
    const cl_slice *slice;
    int32_t *part; /* [most.n] its active systems */
    int32_t n_part;
    bool used_steps; /* some of them have used evaluations before */
    bool *active;    /* [most.n] by place in the slice */
    bool *going;     /* [most.n] whose driver has not come to an end */
    int32_t n_going;
    int kernel;                      /* of the driver, CL_FIRE or CL_LBFGS */
    uint32_t fetched;                /* BACKEND_ fields on their way or here */
    int32_t *large_systems, n_large; /* too large or periodic: not of this schedule */
} cl_plan;

/* Compiles the small systems of a batch and lists the others. The target stays the caller's. */
shoal_status cl_plan_create(cl_plan **out, cl_target *target, const backend_input *input);
void cl_plan_destroy(cl_plan *plan);

/* Sorts the systems by class, then by topology, and cuts them where the device would be full
 * (cl_slices.c). */
shoal_status cl_plan_cut(cl_plan *plan);

/* Makes slice k the present part: its active systems, their coordinates, restraints and fixed atoms to the
 * device. */
shoal_status cl_plan_select(cl_plan *plan, int32_t k, const backend_result *results);

/* The kernel of a class, its shared arguments set; *next is the index of the first argument that
 * is the kernel's own. */
shoal_status cl_plan_kernel(cl_plan *plan, cl_class *c, int which, cl_routine **out, int32_t *next);

/* Launches a kernel for those places of the part that are marked, class by class. */
shoal_status cl_plan_launch(cl_plan *plan, const bool *marked, bool all, int which);

/* Single points of the part, see backend.h; the fields that are wanted are sent to the host. */
shoal_status cl_plan_eval(cl_plan *plan, uint32_t wanted);
shoal_status cl_plan_read(cl_plan *plan, uint32_t fields, backend_result *results);

/* cl_driver.c: buffers that a driver needs beyond those of single points, and the driver. */
shoal_status cl_plan_driver_buffers(cl_plan *plan, int kernel);
shoal_status cl_plan_start(cl_plan *plan, const backend_driver *driver,
                           const backend_result *results);
shoal_status cl_plan_step(cl_plan *plan, int32_t n_steps, uint32_t wanted);

/* cl_transfer.c: numbers on their way. */
shoal_status cl_plan_upload(cl_plan *plan, const backend_result *results);
/* Has fields sent to the host; work in between is free. */
shoal_status cl_plan_fetch(cl_plan *plan, uint32_t fields);
/* Waits for all that is on its way and not wanted any more. */
void cl_plan_settle(cl_plan *plan);

/* The inverse stiffness of every topology of a slice to the device, for L-BFGS (cl_preconditioner.c). */
shoal_status cl_plan_precondition(cl_plan *plan, const cl_slice *slice);

#endif
