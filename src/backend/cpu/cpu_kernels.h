/* SPDX-License-Identifier: BSD-3-Clause
 * One build of the CPU schedule for an instruction set and a precision, as seen from outside. */
#ifndef SHOAL_BACKEND_CPU_KERNELS_H
#define SHOAL_BACKEND_CPU_KERNELS_H

#include "backend/backend.h"
#include "backend/cpu/small/cpu_shape.h"
#include "backend/state.h"

/* One system to work on; many with the same tables make a group. */
typedef struct cpu_task {
    const backend_system *system;
    const void *tables;           /* of its topology; NULL for large systems */
    const backend_bath *bath;     /* of dynamics */
    const backend_bodies *bodies; /* NULL: nothing is rigid */
    backend_pace pace;            /* of a minimiser */
    backend_result *result;       /* pos in and out, forces, energies, steps, outcome */
    void **saved; /* the state of a driver that has not come to an end; NULL in it: none */
} cpu_task;

/* Watches a call of step: told the evaluations of every round, says whether to go on. */
typedef struct cpu_watch cpu_watch;
struct cpu_watch {
    bool (*go_on)(cpu_watch *watch, int32_t n_evaluations);
    bool alone;          /* one large system is all there is to do, .. */
    double energy, fmax; /* .. and is doing so: eV, eV/angstrom */
    /* Of the only system there is, while go_on is asked: writes results and state back. NULL: they are. */
    bool one;
    shoal_status (*keep)(void *lanes);
    void *lanes;
};

/* States of systems that stay in lanes between calls of step. */
typedef struct cpu_kept cpu_kept;
struct cpu_kept {
    void (*hand_back)(const cpu_kept *kept); /* coordinates and velocities to the results */
    shoal_status (*save)(cpu_kept *kept);    /* the same, and all states to where tasks have them */
    void (*destroy)(cpu_kept *kept);
};

/* Calls of no more steps leave systems in their lanes. */
enum { CPU_KEPT_STEPS = 16 };

/* Systems of one topology that a thread takes at a time: many, so that lanes seldom idle at the end,
 * but enough pieces for all threads. */
enum { CPU_ITEM_LEAST = 64, CPU_ITEM_MOST = 512 };

/* Steps that are wanted. */
typedef struct cpu_steps {
    backend_driver driver;
    int32_t n_steps; /* at most, of every system */
    cpu_watch *watch;
} cpu_steps;

/* One interaction and where its atoms are: a bonded term, a restraint, or else a pair. */
typedef struct cpu_interaction {
    int term; /* of a pair: SHOAL_TERM_VDW or _COULOMB */
    const shoal_topology_view *view;
    const shoal_engine_options *options;
    const shoal_restraint *restraint;
    const shoal_term *record; /* of a bonded term */
    int32_t pair[2];          /* atoms of a pair */
    double pair_clamp;        /* as in backend_system */
    double pos[4][3];         /* angstrom, in the order of the term */
} cpu_interaction;

typedef struct cpu_kernels {
    const char *name;
    int32_t lanes;
    /* Parameters of a topology in this precision, for one system (lanes = pairs) or for many (lanes =
     * systems), which does not change a bit of the results; NULL when memory is out. */
    void *(*tables_create)(const shoal_topology_view *view, const cpu_shape *shape,
                           const shoal_engine_options *options, bool one_system);
    void (*tables_destroy)(void *tables);
    /* Adds what L-BFGS needs; false when memory is out. */
    bool (*tables_precondition)(void *tables, const shoal_topology_view *view);
    /* Energies and forces of n tasks that share the tables. */
    shoal_status (*eval)(const void *tables, const cpu_task *tasks, int32_t n);
    /* Steps of n tasks, LANES at a time; a system that is done for now gives its lane to the next. Where
     * it is not at its end, its state is saved, or it is left in *kept, which is NULL or of the same tasks. */
    shoal_status (*step)(const void *tables, const cpu_task *tasks, int32_t n,
                         const cpu_steps *steps, cpu_kept **kept);
    /* Steps of tasks of unlike topologies, whose shapes mix and whose tables are for one system; the bits
     * are those of a system on its own. Tasks of like size should follow one another. */
    shoal_status (*step_mixed)(const cpu_task *tasks, int32_t n, const cpu_steps *steps,
                               cpu_kept **kept);
    /* The same for one large or periodic system, by a thread pool; NULL: the caller alone. strain: also the slope by
     * strain. */
    shoal_status (*eval_large)(const cpu_task *task, const shoal_engine_options *options,
                               bool strain, thread_pool *pool);
    shoal_status (*step_large)(const cpu_task *task, const shoal_engine_options *options,
                               const cpu_steps *steps, thread_pool *pool);
    void (*saved_destroy)(void *saved);
    /* The state of the driver of a system between two calls of step, written or read. */
    shoal_status (*pass_state)(const cpu_task *task, const shoal_engine_options *options,
                               const backend_driver *driver, bool is_large, state_pass *to);
    /* Value (angstrom or degrees), energy returned and forces on the atoms. */
    double (*interaction)(const cpu_interaction *in, double *value, double forces[4][3]);
    /* Energies of the atoms above a surface by direct sums, eV; pos is absolute. */
    shoal_status (*surface)(const shoal_topology_view *view, const shoal_surface *surface,
                            const double (*pos)[3], double *energies);
} cpu_kernels;

extern const cpu_kernels cpu_kernels_base_float, cpu_kernels_base_double;
extern const cpu_kernels cpu_kernels_avx2_float, cpu_kernels_avx2_double;
extern const cpu_kernels cpu_kernels_avx512_float, cpu_kernels_avx512_double;

/* The best build for this processor; SHOAL_CPU=base|avx2|avx512 in the environment asks for a
 * lesser one. */
const cpu_kernels *cpu_kernels_choose(shoal_precision precision);

#endif
