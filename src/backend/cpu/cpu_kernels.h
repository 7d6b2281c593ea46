/* SPDX-License-Identifier: BSD-3-Clause
 * One build of the CPU schedule for an instruction set and a precision, as seen from outside. */
#ifndef SHOAL_BACKEND_CPU_KERNELS_H
#define SHOAL_BACKEND_CPU_KERNELS_H

#include "backend/backend.h"
#include "base/thread_pool.h"

/* One system to work on; many with the same tables make a group. */
typedef struct cpu_task {
    const backend_system *system;
    backend_result *result; /* status, energies, fmax, steps */
    double (*pos)[3];       /* in: start, out: end of a relaxation */
    double (*forces)[3];    /* out, may be NULL */
    int32_t steps;          /* evaluations that a relaxation has already used up */
} cpu_task;

/* What a relaxation needs to know, in plain numbers. */
typedef struct cpu_relax {
    shoal_method method;
    double fmax, max_move;
    int32_t max_steps;
    /* Called after every round with the evaluations so far; false ends the relaxation. NULL: not
     * wanted. */
    bool (*poll)(void *user, int64_t evaluations);
    void *user;
} cpu_relax;

/* One interaction and where its atoms are: a bonded term, a restraint, or else a pair. */
typedef struct cpu_interaction {
    int term; /* of a pair: SHOAL_TERM_VDW or _COULOMB */
    const shoal_topology_view *view;
    const shoal_engine_options *options;
    const shoal_restraint *restraint;
    const shoal_term *record; /* of a bonded term */
    int32_t pair[2];          /* atoms of a pair */
    double pos[4][3];         /* angstrom, in the order of the term */
} cpu_interaction;

typedef struct cpu_kernels {
    const char *name;
    int32_t lanes;
    /* Parameters of a topology in this precision, for one system (lanes = pairs) or for many (lanes =
     * systems), which does not change a bit of the results; NULL when memory is out. */
    void *(*tables_create)(const shoal_topology_view *view, const shoal_engine_options *options,
                           bool single);
    void (*tables_destroy)(void *tables);
    /* Energies and forces of n tasks that share the tables. */
    shoal_status (*eval)(const void *tables, const cpu_task *tasks, int32_t n);
    /* Relaxes n tasks; finished ones are replaced in their lane by the next. Adds to *evaluations. */
    shoal_status (*relax)(const void *tables, const cpu_task *tasks, int32_t n,
                          const cpu_relax *relax, int64_t *evaluations);
    /* The same for one large or periodic system, by a pool; NULL: alone. */
    shoal_status (*eval_large)(const cpu_task *task, const shoal_engine_options *options,
                               thread_pool *pool);
    shoal_status (*relax_large)(const cpu_task *task, const shoal_engine_options *options,
                                const cpu_relax *relax, thread_pool *pool, int64_t *evaluations);
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
