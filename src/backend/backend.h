/* SPDX-License-Identifier: BSD-3-Clause
 * The seam between engines and backends: coarse calls over a whole batch. */
#ifndef SHOAL_BACKEND_BACKEND_H
#define SHOAL_BACKEND_BACKEND_H

#include "base/thread_pool.h"
#include "ff/term_table.h"
#include "shoal/engine.h"

#define BACKEND_REASON_SIZE 160

/* One system as a backend sees it. */
typedef struct backend_system {
    shoal_topology_view view;
    const double (*pos)[3]; /* pos[n_atoms][3], angstrom */
    double cell[3][3];      /* rows a, b, c; all zero for an isolated system */
    const bool *fixed;      /* [n_atoms], NULL: all atoms move */
    const shoal_restraint *restraints;
    int32_t n_restraints;
    bool skip; /* untyped: its result is left alone */
} backend_system;

/* The engine keeps all of it alive and in place as long as the plan lives. */
typedef struct backend_input {
    int32_t n_systems;
    const backend_system *systems;
    const shoal_engine_options *options; /* defaults filled in */
    bool dry;          /* nothing is run, only described: no memory of the device is taken */
    thread_pool *pool; /* for short loops over many systems; NULL: the caller alone */
} backend_input;

/* Units, and when numbers are NaN, as in shoal_result. */
typedef struct backend_result {
    shoal_system_status status;
    char reason[BACKEND_REASON_SIZE];
    double energy, terms[SHOAL_N_TERMS], fmax;
    double (*forces)[3]; /* forces[n_atoms][3], the engine's memory; NULL: not wanted */
    /* After a relaxation: */
    int32_t steps;
    double energy0, terms0[SHOAL_N_TERMS];
    double (*pos)[3]; /* relaxed coordinates, the engine's memory */
} backend_result;

/* A relaxation: options with defaults filled in, and whom to tell. */
typedef struct backend_relax {
    shoal_relax_options options;
    shoal_monitor *monitor; /* may be NULL */
    void *user;
} backend_relax;

/* A device string is "name" or "name:argument". A plan is a batch compiled for one device; calls
 * that a backend lacks are NULL. */
typedef struct shoal_backend {
    const char *name;
    shoal_status (*create)(void **plan, const char *argument, const backend_input *input);
    void (*destroy)(void *plan);
    shoal_status (*eval)(void *plan, backend_result *results);
    /* Relaxes every system from the coordinates in results[i].pos to those it leaves there. */
    shoal_status (*relax)(void *plan, const backend_relax *relax, backend_result *results);
    /* Adds what a relaxation of a dry plan would take: how the systems are worked on, and memory. May
     * reject systems. */
    shoal_status (*describe)(void *plan, backend_result *results, shoal_plan *out);
} shoal_backend;

/* Backend of a device string (NULL means "cpu") and what follows the colon ("" if nothing). Fails
 * with SHOAL_E_DEVICE, naming the known devices, or the instruction set of SHOAL_CPU that is not known. */
shoal_status shoal_backend_find(const char *device, const shoal_backend **backend,
                                const char **argument);

/* Gives a result a status other than ok, a reason, and NaN for every number. */
void shoal_backend_reject(backend_result *result, int32_t n_atoms, shoal_system_status status,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same for a result whose energies or forces are not finite, naming the term. */
void shoal_backend_not_finite(backend_result *result, int32_t n_atoms);

#endif
