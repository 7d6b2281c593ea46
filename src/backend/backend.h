/* SPDX-License-Identifier: BSD-3-Clause
 * The seam between the run layer and backends: coarse calls over a whole batch.
 *
 * A device is opened once per process. A plan is a batch compiled for a device in one precision; the state
 * of a driver of steps lives in it between calls. A batch that a device cannot hold at once is worked on in
 * parts, one after the other:
 *     first; while next gives a part: eval, or start and step, in any order, and read what is wanted.
 * eval and step may return before the device is done: read waits. */
#ifndef SHOAL_BACKEND_BACKEND_H
#define SHOAL_BACKEND_BACKEND_H

#include "base/thread_pool.h"
#include "ff/term_table.h"
#include "rigid_layout.h"
#include "shoal/engine.h"

#define BACKEND_REASON_SIZE 160

/* One system as a backend sees it. Arrays of vectors (coordinates, forces, velocities, masses) have its directions
 * behind its atoms. */
typedef struct backend_system {
    shoal_topology_view view; /* electron pairs count as atoms: n_pairs is 0 */
    int32_t topology;         /* number of its topology in the batch: equal ones have the same */
    double cell[3][3];        /* rows a, b, c; all zero for an isolated system */
    const bool *fixed;        /* [n_movers], NULL: all of it moves */
    const int32_t *bodies;    /* [n_atoms] rigid body of an atom, -1: none; NULL: there are none */
    const shoal_restraint *restraints;
    int32_t n_restraints;
    double pair_clamp; /* as in shoal_engine_options, a float's number */
    bool skip;         /* untyped: never computed */
} backend_system;

/* The engine keeps all of it alive and in place as long as the plan lives. */
typedef struct backend_input {
    int32_t n_systems;
    const backend_system *systems;
    const shoal_engine_options *options; /* defaults filled in */
    shoal_precision precision;           /* of this plan: float or double */
    bool dry;          /* nothing is run, only described: no memory of the device is taken */
    thread_pool *pool; /* for short loops over many systems; NULL: the caller alone */
} backend_input;

/* What travels between the run layer and a plan, system by system; units as in shoal_result. What every loop
 * over a batch looks at stands first, in one line of the cache. */
typedef struct backend_result {
    bool active;                /* takes part in the present run; others are left alone */
    bool refused;               /* rejected before the run began: no backend has seen it */
    shoal_system_status status; /* the verdict; backends write it only where they reject a system */
    int32_t steps;              /* evaluations that a driver has used */
    int32_t outcome;            /* STEP_ of kernels/layout.h */
    bool mesh;                  /* charges were summed over a mesh */
    double (*pos)[3];           /* [n_movers] the engine's memory, and so are the forces */
    double (*forces)[3];        /* [n_movers], eV/angstrom; of directions tangent, eV */
    double energy, fmax;
    double energy0;  /* before a relaxation */
    double measure0; /* of the cell before that, where it moved */
    double terms[SHOAL_N_TERMS], terms0[SHOAL_N_TERMS];
    /* Slope of the energy by strain, eV: xx, yy, zz, yz, xz, xy. A strain e moves what is at r, and the periodic
     * vectors, by e r; directions, and places that atoms are held at, stay. NaN where it is not known. */
    double strain[6];
    /* Of dynamics: [n_movers] angstrom/fs (directions: 1/fs), the engine's memory, NULL otherwise.
     * At step 0 they belong to the same time as the coordinates, then they are half a step behind. */
    double (*velocities)[3];
    double thermostat[4]; /* Nose-Hoover: x and v of md_state in kernels/step_md.h */
    char reason[BACKEND_REASON_SIZE];
} backend_result;

/* Named fields. */
enum {
    BACKEND_POSITIONS = 1,
    BACKEND_FORCES = 2,      /* with fmax */
    BACKEND_TERMS = 4,       /* with their sum */
    BACKEND_STEPS = 8,       /* steps and outcome */
    BACKEND_VELOCITIES = 16, /* with the state of the thermostat; of dynamics */
    BACKEND_STRAIN = 32,     /* of systems that repeat; what eval was told to want */
};

/* A field that not every schedule has: numbers in rows, of the only system of a part. */
typedef struct backend_field {
    int32_t rows, columns;
    double *values; /* [rows][columns], allocated; NULL: the schedule has no such field */
} backend_field;

/* Rigid bonds to one atom, the first; see kernels/step_rigid.h. No atom is in two stars. */
typedef struct backend_star {
    int32_t n; /* bonds */
    int32_t atoms[RIGID_MOST + 1];
    int32_t shifts[RIGID_MOST][3]; /* images of the others, the first at home */
    double lengths[RIGID_MOST];    /* angstrom */
} backend_star;

/* A rigid body of two atoms or more, none of which is fixed; see kernels/step_body.h. The first three atoms are its
 * corners, two of a linear one. */
typedef struct backend_body {
    int32_t n;
    const int32_t *atoms;           /* [n] */
    const int32_t (*shifts)[3];     /* [n] images of the atoms, the first at home; NULL: all are */
    const double (*shape)[3];       /* [n] angstrom: from the centre, along the principal axes */
    const double *weights;          /* [n] */
    double per_mass, per_moment[3]; /* of body_numbers, and so is this */
    double frame[3][3];
} backend_body;

/* The bodies of a system, which share no atoms. */
typedef struct backend_bodies {
    int32_t n;
    const backend_body *of;
} backend_bodies;

/* Of one system in dynamics. */
typedef struct backend_bath {
    const double *masses;      /* [n_movers] amu, inertias; not looked at for fixed atoms */
    double kt, kt_change;      /* eV: at the step that it starts with, and what every step adds */
    double n_dof;              /* degrees of freedom */
    uint64_t key;              /* of its random numbers */
    const backend_star *stars; /* [n_stars] none without backend_md.rigid */
    int32_t n_stars;
} backend_bath;

/* Dynamics, see kernels/step_md.h; units: fs, angstrom. */
typedef struct backend_md {
    double dt, tau;
    double friction;    /* 1/fs: of Langevin's thermostat, or of the end of a Nose-Hoover chain */
    double most;        /* angstrom: that an atom may move in a step */
    int32_t thermostat; /* MD_ of kernels/layout.h */
    uint64_t seed;
    bool rigid;                /* stars may be there */
    const backend_bath *baths; /* [n_systems] of the batch */
} backend_md;

/* How fast the minimiser of one system goes; see kernels/step_fire.h. Time in angstrom/sqrt(eV). */
typedef struct backend_pace {
    double dt, dt_max; /* FIRE: at first and at most */
    double alpha,
        damping;     /* FIRE: the mixing at first, and what a step downhill multiplies it by */
    double max_move; /* angstrom, of an atom in one step */
} backend_pace;

/* How systems move. */
typedef struct backend_driver {
    const backend_md *
        md; /* dynamics: what follows is not looked at; NULL: a relaxation. Borrowed from first to the
                             end of the run. */
    shoal_method method;
    double fmax;     /* eV/angstrom */
    double max_move; /* angstrom, of all systems; 0: that of their paces */
    int32_t max_steps;
    const backend_pace
        *paces; /* [n_systems] of the batch, borrowed as above; NULL: the usual one */
    /* [n_systems] the same; NULL: nothing is rigid. Weights are masses in dynamics; in relaxations those of a body are
     * equal and add up to 1. */
    const backend_bodies *bodies;
} backend_driver;

/* Asked now and then, from the thread that called step, whether to go on; n_evaluations since step was
 * called. When it says no, step returns early and what was reached is kept. */
typedef struct backend_poll {
    /* energy and fmax: of a large system that is worked on alone; NaN otherwise. */
    bool (*go_on)(void *user, int64_t n_evaluations, int64_t n_done, double energy, double fmax);
    void *user;
} backend_poll;

/* Systems that are worked on together. */
typedef struct backend_part {
    int32_t n;
    const int32_t *systems; /* their numbers in the batch; borrowed until the next part */
    int32_t round;          /* steps that are worth asking for at a time */
} backend_part;

/* Parameters that have other values than before; there are as many of everything, and charges where there were some. */
typedef struct backend_change {
    bool atoms, terms;      /* of atoms; of terms, or these stand elsewhere in memory */
    const bool *topologies; /* by number: those that have changed */
} backend_change;

/* A device string is "name" or "name:argument". Calls that a backend lacks are NULL. */
typedef struct shoal_backend {
    const char *name;
    shoal_precision precision; /* of energies, where none is asked for */
    /* Relaxations begin in float where none is asked for, and go on in that precision where float cannot. */
    bool mixed;
    /* One device for all threads, which is full only with thousands of systems; otherwise every thread may
     * compute by itself. */
    bool shared;
    /* The device that an argument names ("" if nothing follows the name); shared, and never closed. */
    shoal_status (*open)(void **device, const char *argument);
    shoal_status (*create)(void **plan, void *device, const backend_input *input);
    void (*destroy)(void *plan);
    /* Begins with the active systems at results[i].pos; driver: what steps are to come, NULL for single
     * points alone. May reject systems. */
    shoal_status (*first)(void *plan, const backend_driver *driver, backend_result *results);
    /* The next part, with coordinates, restraints and fixed atoms as they are now; n = 0 at the end. */
    shoal_status (*next)(void *plan, const backend_result *results, backend_part *part);
    /* Energies and forces of the part where its systems are now; wanted: fields that will be read. The
     * state of a driver is left alone. */
    shoal_status (*eval)(void *plan, uint32_t wanted);
    /* Puts the driver into its first state, with results[i].steps evaluations already used. In dynamics velocities and
     * chain are those of the results. */
    shoal_status (*start)(void *plan, const backend_driver *driver, const backend_result *results);
    /* At most n_steps more evaluations of every system that is still going; in dynamics so many steps. */
    shoal_status (*step)(void *plan, int32_t n_steps, uint32_t wanted, const backend_poll *poll);
    /* Fields of the part into the results. */
    shoal_status (*read)(void *plan, uint32_t fields, backend_result *results);
    /* After eval, in a batch of one system: "slots" or "neighbours" as shoal_engine_field describes them, where the
     * schedule keeps them in the memory of the device. */
    shoal_status (*field)(void *plan, const char *name, backend_field *out);
    /* Appends the state of the driver of all systems of the part, of which there was no other; positions, steps and
     * outcome go to the results. Of a relaxation of one system also while poll is asked in the middle of step. */
    shoal_status (*save)(void *plan, backend_result *results, shoal_string *out);
    /* After start, of systems that stand where they stood when start was called then: puts the driver where
     * save found it. Fails with SHOAL_E_ARGUMENT for what is no such state. */
    shoal_status (*load)(void *plan, const void *state, size_t size);
    /* Between two runs: takes other parameters of its systems over, as if it had been created with them. *taken: it did;
     * otherwise, and after a failure, the plan is of no use any more. */
    shoal_status (*change)(void *plan, const backend_change *change, bool *taken);
    /* Adds what a relaxation of a dry plan would take: how the systems are worked on, and memory. May
     * reject systems. */
    shoal_status (*describe)(void *plan, backend_result *results, shoal_plan *out);
} shoal_backend;

/* Backend of a device string (NULL means "cpu") and what follows the colon ("" if nothing). Fails
 * with SHOAL_E_DEVICE, naming the known devices, or the instruction set of SHOAL_CPU that is not known. */
shoal_status shoal_backend_find(const char *device, const shoal_backend **backend,
                                const char **argument);

/* Gives a result a status other than ok, a reason, and NaN for every number, and takes it out of the run. */
void shoal_backend_reject(backend_result *result, int32_t n_movers, shoal_system_status status,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same for a result whose energies or forces are not finite, naming the term. */
void shoal_backend_not_finite(backend_result *result, int32_t n_movers);

/* Length of the longest of n forces; NaN if any of them is. */
double shoal_backend_fmax(const double (*forces)[3], int32_t n);

#endif
