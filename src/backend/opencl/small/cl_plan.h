/* SPDX-License-Identifier: BSD-3-Clause
 * The small systems of a batch, compiled for an OpenCL device. */
#ifndef SHOAL_BACKEND_CL_PLAN_H
#define SHOAL_BACKEND_CL_PLAN_H

#include "backend/opencl/cl_body.h"
#include "backend/opencl/cl_direct.h"
#include "backend/opencl/cl_surface.h"
#include "backend/opencl/small/cl_pack.h"
#include "backend/state.h"
#include "cl/cl_real.h"
#include "cl/cl_routine.h"

/* CL_MD_RIGID: the program of CL_MD with rigid bonds. */
enum { CL_EVAL, CL_FIRE, CL_LBFGS, CL_MD, CL_MD_RIGID, CL_SLOTS, CL_N_KERNELS };

/* A kernel and what it was told. */
typedef struct cl_kernel_entry {
    cl_code code;       /* built at first use */
    cl_routine routine; /* with all arguments that last as long as the plan */
    int32_t next;       /* index of the first argument that is the kernel's own */
    int32_t at_steps;   /* argument of a driver's kernel: the number of steps */
    size_t local_bytes; /* told last; 0: nothing yet */
} cl_kernel_entry;

/* Systems that share programs. Chosen from each system alone, so that its neighbours in the batch cannot
 * change its result. */
typedef struct cl_variant {
    int32_t group_size;
    bool charged, plain, nodes, sites, directions, hbonds, clamped; /* what its systems have */
    bool rigid;                                                     /* bodies, which drivers know */
    int32_t model;                                                  /* of the plan; -1: none */
    cl_kernel_entry kernels[CL_N_KERNELS];
} cl_variant;

/* Systems of a variant that need as much local memory. How many classes share a launch changes nothing in
 * their results. */
typedef struct cl_class {
    int32_t variant;
    size_t local_bytes;
} cl_class;

/* A part of the batch that fits into the device at once. */
typedef struct cl_slice {
    int32_t first, n; /* range of plan->order */
    int32_t n_movers;
    int32_t n_preconditioner; /* reals */
} cl_slice;

/* A system in the order of work. */
typedef struct cl_place {
    int32_t system, class, record;
    int32_t n_points, n_movers; /* directions follow the atoms */
    const bool *fixed;          /* [n_movers], NULL: all of it moves */
    const int32_t *bodies;      /* [n_points] as backend_system has them */
    int32_t atom_start;         /* within its slice */
    int32_t restraint;          /* within the batch */
    int32_t n_restraints;
    int32_t preconditioner; /* matrix of its topology, fixed atoms and bodies, within its slice */
    double origin[3];       /* coordinates on the device are relative to it, angstrom */
} cl_place;

/* What may be on its way from the device. */
enum {
    CL_POSITIONS,
    CL_FORCES,
    CL_TERMS,
    CL_COUNTERS,
    CL_LOWS,
    CL_VELOCITIES,
    CL_STATES,
    CL_N_ARRIVALS
};

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
    cl_class *classes; /* by variant, then by local memory */
    int32_t n_classes;
    cl_array variants; /* cl_variant */
    cl_array models;   /* cl_model, those of the topologies */
    cl_slice *slices;
    int32_t n_slices;
    cl_slice most; /* the most of each that a slice has */
    /* Shared by all slices. */
    cl_buffer restraints, records, bonds, angles, torsions, plain, centres, forms, atoms, numbers,
        gather_start, gather, exclude, sites;
    /* For one slice. velocities and what follows are made by drivers. */
    cl_buffer systems, positions, forces, terms, counters, states, velocities, history,
        preconditioners, products;
    cl_buffer lows;                       /* dynamics: second parts of the coordinates */
    cl_buffer rigid_atoms, rigid_lengths; /* dynamics with rigid bonds, see kernels/md_atoms.h */
    cl_buffer bodies[CL_BODY_BUFFERS];    /* drivers with rigid bodies */
    const cl_slice *preconditioned;       /* the slice that preconditioners belong to; NULL: none */
    system_record *host_systems;          /* [most.n] */
    const cl_slice *sent;   /* all records of this slice are on the device; NULL: a part */
    cl_staging staging;     /* holds the arrays below, which the device copies from and to */
    size_t staging_size;    /* bytes */
    void *host_positions;   /* [most.n_movers][4] reals */
    void *host_forces;      /* [most.n_movers][4] reals */
    void *host_terms;       /* [most.n][N_ENERGIES] reals */
    int32_t *host_counters; /* [most.n][STEP_INTS] */
    cl_staging md_staging;  /* of dynamics alone: */
    void *host_lows;        /* [most.n_movers][4] reals */
    void *host_velocities;  /* [most.n_movers][4] reals */
    void *host_states;      /* [most.n][STEP_REALS] reals */
    void *host_restraints;  /* of all systems, LAYOUT_RESTRAINT reals each */
    size_t n_restraints;
    cl_arrival arrivals[CL_N_ARRIVALS];
    bool dynamics; /* the present run: coordinates have two parts */
    /* The present part. */
    const cl_slice *slice;
    int32_t *part; /* [most.n] its active systems */
    int32_t n_part;
    bool used_steps; /* some of them have used evaluations before */
    bool *active;    /* [most.n] by place in the slice */
    bool *going;     /* [most.n] whose driver has not come to an end */
    int32_t n_going;
    int kernel;                      /* of the driver, CL_FIRE .. */
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

/* cl_change.c: see backend.h. */
shoal_status cl_plan_change(cl_plan *plan, const backend_change *change, bool *taken);

/* cl_launch.c: the programs that single points or a driver want, appended to requests as far as there is room. */
void cl_plan_request(const cl_plan *plan, int which, cl_code_request *requests, int32_t *n);
/* The kernel of a variant, made if it is new, with all arguments that single points have. */
cl_variant *cl_plan_variant(const cl_plan *plan, int32_t variant);
shoal_status cl_plan_kernel(cl_plan *plan, int32_t variant, int which, cl_kernel_entry **out);
/* Launches a kernel for those places of the part that are marked, class by class. */
shoal_status cl_plan_launch(cl_plan *plan, const bool *marked, bool all, int which);
void cl_plan_free_kernels(cl_plan *plan);

/* Single points of the part, see backend.h; the fields that are wanted are sent to the host. */
shoal_status cl_plan_eval(cl_plan *plan, uint32_t wanted);
shoal_status cl_plan_read(cl_plan *plan, uint32_t wanted, backend_result *results);

/* cl_field.c: "slots" or "gather" of the only system, after an evaluation. */
shoal_status cl_plan_field(cl_plan *plan, const char *name, backend_field *out);

/* cl_driver.c: buffers that a driver needs beyond those of single points, and the driver. */
shoal_status cl_plan_driver_buffers(cl_plan *plan, int kernel);
shoal_status cl_plan_start(cl_plan *plan, const backend_driver *driver,
                           const backend_result *results);
shoal_status cl_plan_step(cl_plan *plan, int32_t n_steps, uint32_t wanted);

/* cl_dynamics.c: whether a kernel is one of dynamics. */
static inline bool cl_is_md(int kernel)
{
    return kernel == CL_MD || kernel == CL_MD_RIGID;
}

/* Memory that dynamics need, on both sides. */
shoal_status cl_plan_md_memory(cl_plan *plan);
/* Where dynamics begin or go on: velocities and states to the device. */
shoal_status cl_plan_md_place(cl_plan *plan, const backend_md *md, const backend_result *results);
/* The second parts of the coordinates of a place, which begin at its origin. */
void cl_plan_place_lows(const cl_plan *plan, const cl_place *p, const double (*pos)[3]);
void cl_plan_take_lows(const cl_plan *plan, const cl_place *p, double (*pos)[3]);

/* cl_state.c: the state of the driver of the only system. */
shoal_status cl_plan_pass(cl_plan *plan, state_pass *to);

/* cl_transfer.c: numbers on their way. */
shoal_status cl_plan_upload(cl_plan *plan, const backend_result *results);
/* Has fields sent to the host; work in between is free. */
shoal_status cl_plan_fetch(cl_plan *plan, uint32_t wanted);
/* Waits for all that is on its way and not wanted any more. */
void cl_plan_settle(cl_plan *plan);

/* The inverse stiffness of every topology of a slice to the device, for L-BFGS (cl_preconditioner.c). */
shoal_status cl_plan_precondition(cl_plan *plan, const cl_slice *slice);

#endif
