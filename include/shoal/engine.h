/* SPDX-License-Identifier: BSD-3-Clause
 * Engines, which run a batch on one backend, device and precision. */
#ifndef SHOAL_ENGINE_H
#define SHOAL_ENGINE_H

#include "shoal/batch.h"
#include "shoal/grid.h"
#include "shoal/sums.h"
#include "shoal/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_engine shoal_engine;

typedef enum shoal_precision {
    SHOAL_PRECISION_AUTO = 0, /* float on OpenCL; on the cpu float to relax, double for energies */
    SHOAL_PRECISION_FLOAT,
    SHOAL_PRECISION_DOUBLE,
} shoal_precision;
/* "auto", "float", "double"; NULL out of range. */
SHOAL_API const char *shoal_precision_name(int precision);

/* Zero means the default in every member. Isolated systems sum all pairs (vdw: those within 10 x);
 * periodic ones sum vdw over images and Coulomb by Ewald's method: in 3-D with conducting
 * surroundings and a uniform background for a net charge, which the result's warning names; in 2-D and
 * 1-D as exact sums of a slab and of a chain, which need a net charge of zero. */
typedef struct shoal_engine_options {
    /* "ref", "cpu", "opencl", "opencl:WHICH", "auto" (a GPU, else the cpu), or "shadow:DEVICE", which
     * checks that device against ref; NULL means "cpu" */
    const char *device;
    shoal_precision precision;
    uint32_t terms_off; /* bit t switches SHOAL_TERM_t off */
    shoal_mixing mixing;
    double coulomb_damping; /* d in kC q q / sqrt(r^2 + d^2), angstrom */
    double vdw_cutoff;      /* periodic systems: switched off from 5/6 of it on; 0 = 12 A */
    double ewald_tolerance; /* relative, of the Coulomb energy; 0 = 1e-10; float: 1e-7 at least */
    int32_t n_threads;      /* 0: as many as the machine gives */
    /* OpenCL: about as much memory of the device is used at a time, more only if one system needs it; 0:
     * three tenths of what it has, so that three engines can live side by side. Results do not depend on
     * it. */
    int64_t device_bytes;
    /* All systems stand on this surface; NULL: on none. The engine takes references of its own. Of
     * a periodic system the periodic vectors must be periods of the surface, be its cell a supercell
     * of them. A system with an atom below the lowest terrace, at the start or at the end of a run,
     * gets SHOAL_SYSTEM_BELOW_SURFACE. */
    shoal_surface *surface;
    /* Of that surface, or with its own if none is given; NULL: direct sums. ref sums directly. */
    shoal_grid *grid;
    /* Every bonded term by itself, without the fast paths that share work among those of one bond or
     * centre: slower, the same but for rounding. For tests. */
    bool plain_terms;
    /* Adds to the vdW energy what the cut-off leaves out, taken as if the atoms were spread evenly: a constant for
     * a cell that repeats in three directions, without forces. Other systems have no such tail. */
    bool vdw_tail;
    shoal_ewald ewald;
    /* For bad starts: two atoms nearer than this share of the distance of their vdW minimum push each other as they do
     * there, by vdW and Coulomb, and the energy of the pair goes on along a straight line; not pairs that are terms, nor the
     * surface. 0.6 keeps most below some 10 eV/angstrom; 0: no clamp; at most 0.95. Rows that end with such pairs say so. */
    double pair_clamp;
} shoal_engine_options;

/* Compiles a batch for a backend. The engine copies what it needs. Fails with SHOAL_E_DEVICE for
 * an unknown device; never runs on another one than asked. */
SHOAL_API shoal_status shoal_engine_create(shoal_engine **out, const shoal_batch *batch,
                                           const shoal_engine_options *options);
/* Frees it, with all that was borrowed from it; NULL is fine. */
SHOAL_API void shoal_engine_destroy(shoal_engine *engine);

/* How a batch would be worked on, and the memory that takes. */
typedef struct shoal_plan {
    char name[128]; /* of the device; "" for the processor */
    int32_t n_systems, n_untyped;
    int64_t n_atoms;
    int32_t n_topologies;     /* that differ */
    int32_t n_small, n_large; /* systems by schedule; ref does not tell them apart */
    int32_t n_slices;         /* parts that fit into the device, one after the other */
    int64_t host_bytes;       /* of the engine on the processor, about; batch and topologies not */
    int64_t device_bytes;  /* the most at a time, of a relaxation by L-BFGS; 0 for the processor */
    int64_t device_memory; /* what the device has */
    bool relaxes;          /* false for ref, which computes single points only */
} shoal_plan;

/* Finds that out by formula, before anything is allocated on the device; nothing is run. Fails as
 * shoal_engine_create would. */
SHOAL_API shoal_status shoal_engine_plan(const shoal_batch *batch,
                                         const shoal_engine_options *options, shoal_plan *out);

/* Energies and forces of all systems. Untyped and non-finite systems get their status, and so do
 * periodic ones that no sum is known for (SHOAL_SYSTEM_UNTYPED, with the reason). */
SHOAL_API shoal_status shoal_engine_eval(shoal_engine *engine);

typedef enum shoal_method {
    SHOAL_METHOD_LBFGS = 0,
    SHOAL_METHOD_FIRE,
} shoal_method;

/* A system on its way; pointers are borrowed for the call. */
typedef struct shoal_relax_frame {
    int32_t i_system;
    int32_t steps;             /* evaluations so far */
    const double (*pos)[3];    /* [n_atoms], angstrom; then electron pairs and directions */
    const double (*forces)[3]; /* [n_atoms], eV/angstrom */
    double energy, fmax;       /* eV, eV/angstrom */
    const double *terms;       /* [shoal_term_count()] eV */
    /* Of dynamics, where steps are those; otherwise NULL and 0: */
    const double (*velocities)[3]; /* [n_atoms], angstrom/fs, at the time of the coordinates */
    const double *masses;          /* [n_atoms], amu */
    double time;                   /* fs */
    double kinetic;                /* eV */
    double temperature, bath;      /* K, of the atoms and of the thermostat */
} shoal_relax_frame;

/* What of the cells is relaxed. Of a system that repeats in two directions or one it is what lies along them; one
 * that does not repeat has nothing. */
typedef enum shoal_cell {
    SHOAL_CELL_FIXED = 0,
    SHOAL_CELL_FULL,
    SHOAL_CELL_SHAPE,   /* at constant volume */
    SHOAL_CELL_VOLUME,  /* at constant shape */
    SHOAL_CELL_XY,      /* what lies in the xy plane */
    SHOAL_CELL_LENGTHS, /* lengths of vectors, all angles stay */
} shoal_cell;

/* Zero means the default in every member. */
typedef struct shoal_relax_options {
    shoal_method method;
    double fmax;       /* eV/angstrom: converged when no atom feels more; 0 = 0.001 */
    int32_t max_steps; /* evaluations per system; 0 = 5000 */
    double max_move;   /* angstrom: longest move of an atom in one step; 0 = 0.2 */
    /* Frames of a trajectory: at the start, every so many evaluations and at the end of every system that has
     * numbers, in the order of its steps, on the calling thread. They are evaluated in the precision of
     * energies and change no bit of the result. A failure ends the run. A system that the monitor stopped has
     * no last frame; going on from its state gives the frames that it has not had. */
    int32_t every; /* 0: none */
    shoal_status (*frame)(void *user, const shoal_relax_frame *frame);
    void *frame_user;
    /* Goes on from what shoal_engine_save took of an engine of the same system, device and options, as if it had
     * never been interrupted; NULL: from the start. What does not fit or is damaged is SHOAL_E_ARGUMENT. */
    const void *state;
    size_t state_size;
    /* Cells move with the atoms, fixed ones too: passes over the atoms at fixed cells, as long as strains
     * lower the energy plus the pressure times the volume. Charges stay. Not on surfaces, without frames and
     * without states. */
    shoal_cell cell;
    uint32_t cell_vectors; /* of LENGTHS: 1 for a, 2 for b, 4 for c */
    double
        pressure; /* eV/angstrom^3; by area or length of systems that repeat in two directions or one */
    double
        stress; /* in the same unit: converged when no component of stress and pressure that may move is more; 0 =
                      0.01 GPa */
    double
        elastic; /* size of strains by which the stress of what has converged is differentiated; 0: it is not */
    /* Operations that crystals have to within 0.01 angstrom are kept, in atoms and cell; a crystal whose forces lack them is
     * untyped. Without frames and states. */
    bool keep_symmetry;
} shoal_relax_options;

/* How far a long run has come. */
typedef struct shoal_progress {
    int64_t n_systems, n_done, n_failed;
    int64_t n_evaluations;
    double energy, fmax; /* eV, eV/angstrom: of the only system, where known; NaN otherwise */
} shoal_progress;

/* Called now and then from the calling thread; returns false to stop early. Systems that were not
 * finished keep their geometry and get SHOAL_SYSTEM_MAX_STEPS. */
typedef bool shoal_monitor(void *user, const shoal_progress *progress);

/* Relaxes every system on the engine's device until it converges, fails or runs out of steps.
 * options and monitor may be NULL. */
SHOAL_API shoal_status shoal_engine_relax(shoal_engine *engine, const shoal_relax_options *options,
                                          shoal_monitor *monitor, void *user);

/* Appends the state of the relaxation or dynamics that is under way, or that its monitor stopped, to out; to be called
 * inside the monitor, which changes no bit of the result, or after the run has returned. That of dynamics is of the
 * last end of a segment, of all systems; relaxations are saved in engines of one system. It fails with
 * SHOAL_E_UNSUPPORTED otherwise, and where no relaxation is under way or was stopped. Some 200 to 500 bytes per
 * atom. */
SHOAL_API shoal_status shoal_engine_save(const shoal_engine *engine, shoal_string *out);

/* Moves the atoms of one system, pos[n_atoms][3] in angstrom; the next run starts there. */
SHOAL_API shoal_status shoal_engine_set_positions(shoal_engine *engine, int32_t i_system,
                                                  const double (*pos)[3]);

/* Present cell of one system, cell[3][3] rows a, b, c with zeros where it does not repeat, borrowed until the next run.
 * NULL for an index out of range. */
SHOAL_API const double (*shoal_engine_cell(const shoal_engine *engine, int32_t i_system))[3];

/* Moves the atoms of all systems, one after the other: pos[starts[n_systems]][3] as in shoal_engine_view. */
SHOAL_API shoal_status shoal_engine_set_all_positions(shoal_engine *engine, const double (*pos)[3]);

/* Present coordinates of one system, pos[n_atoms][3], borrowed until the next run. NULL for an
 * index out of range. */
SHOAL_API const double (*shoal_engine_positions(const shoal_engine *engine, int32_t i_system))[3];

/* Unless the status is ok, converged, max_steps, stalled or collapsed, the numbers are NaN; with the status
 * differs they are what the shadowed device found, NaN or not. A collapsed system keeps its numbers and its
 * geometry, for looking at; the reason names the atoms. */
typedef struct shoal_result {
    shoal_system_status status;
    const char *reason;        /* borrowed; "" if there is nothing to say */
    double energy;             /* eV */
    int32_t n_terms;           /* shoal_term_count(), or without directions SHOAL_TERM_SIGMA_PI */
    const double *terms;       /* [n_terms] eV; borrowed until the next run */
    double fmax;               /* eV/angstrom: largest length of a force on a free atom */
    const double (*forces)[3]; /* borrowed until the next run, forces[n_atoms][3] */
    /* After a relaxation: */
    int32_t steps;        /* evaluations */
    double energy0;       /* eV, before */
    const double *terms0; /* [n_terms] */
    /* What looks wrong with a relaxed geometry, and a net charge that a background balances; "" if
     * there is nothing. */
    const char *warning;
    /* Of a system that repeats: xx, yy, zz, yz, xz, xy of the slope of the energy by strain over the volume of the
     * cell, eV/angstrom^3, positive where the cell is stretched; over its area where it repeats in two directions,
     * eV/angstrom^2, over its length in one, eV/angstrom. Charges, directions and places that atoms are held at
     * do not take part in the strain. NaN of other systems, on a surface, in dynamics and live runs, and without numbers. */
    double stress[6];
    double measure;          /* the volume, area or length; NaN of a system that does not repeat */
    double measure0;         /* the same before a relaxation of the cell */
    double pressure;         /* of a cell that was relaxed, as stress; NaN of others */
    shoal_ewald coulomb_sum; /* MESH where charges were summed over a mesh, PLAIN otherwise */
    int32_t n_symmetry;      /* operations that were kept, the identity among them; 0: none */
    double symmetry_moved;   /* angstrom: the largest move of an atom back to its place */
    const double (*elastic)[6]; /* for shoal_elastic_find, NULL: none; until the next run */
} shoal_result;

/* Result of the last eval or relax for one system. */
SHOAL_API shoal_status shoal_engine_result(const shoal_engine *engine, int32_t i_system,
                                           shoal_result *out);

/* Results of all systems as flat arrays, borrowed until the next run; units as in shoal_result. Atoms of
 * system i are starts[i] .. starts[i + 1]. */
typedef struct shoal_engine_results_view {
    int32_t n_systems, n_terms;
    const int32_t *starts;         /* [n_systems + 1] */
    const double (*positions)[3];  /* [starts[n_systems]] */
    const double (*forces)[3];     /* [starts[n_systems]] */
    const double *energies, *fmax; /* [n_systems] */
    const double *terms;           /* [n_systems][n_terms] */
    const shoal_system_status *status;
    const int32_t *steps; /* evaluations of a relaxation */
} shoal_engine_results_view;

/* Fails with SHOAL_E_ARGUMENT before the first run. */
SHOAL_API shoal_status shoal_engine_view(shoal_engine *engine, shoal_engine_results_view *out);

/* One interaction, as --explain shows it. */
typedef struct shoal_term_row {
    int32_t term;         /* SHOAL_TERM_ */
    int32_t kind;         /* SHOAL_KIND_ of a bonded term; -1 for others */
    int32_t index;        /* among the topology's terms of the kind, or among the restraints; -1 for
                             pairs and the surface */
    int32_t n_atoms;      /* 2, 3 or 4; 1 for the restraint of a position and the surface */
    shoal_image atoms[4]; /* in the order of the term, images as in its record */
    double value;  /* distance in angstrom, angle in degrees; surface: height above its top */
    double energy; /* eV */
    double parameters
        [3]; /* pairs: vdw x, D and, of a pair model, H, or the two charges; restraints: k and
                             the value aimed at; otherwise zero */
} shoal_term_row;

typedef void shoal_term_visitor(void *user, const shoal_term_row *row);

/* Calls visit for every interaction of one system at its present geometry, in double precision. The
 * Ewald sum of a periodic system is no sum over pairs and is left out; vdw pairs are listed within
 * the cut-off. A system that is untyped or not finite to begin with has no rows. */
SHOAL_API shoal_status shoal_engine_explain(const shoal_engine *engine, int32_t i_system,
                                            shoal_term_visitor *visit, void *user);

/* A field of the plan of a system, as numbers in rows. */
typedef struct shoal_field {
    int32_t rows, n_columns;
    double *values;      /* [rows][n_columns], until shoal_field_free; NULL: there is none */
    const char *columns; /* their names, separated by blanks; static, and so are the others */
    const char *unit;
    const char *missing; /* why there is none; "" otherwise */
} shoal_field;

/* Evaluates the only system of an engine where it is and reads one field from the memory of its device:
 * "positions", "forces" and "energies" (by term), "charges" (of the topology), "slots" (forces of single terms
 * in the order of kinds, then of pairs, k-vectors and energies of every atom; w is the device's own), "gather"
 * (atoms and slots of terms that they add up) or "neighbours" (atoms i and j, and the way from i to the image of j).
 * OpenCL has slots, of periodic systems lists; otherwise missing says why not. Results of earlier runs are gone. */
SHOAL_API shoal_status shoal_engine_field(shoal_engine *engine, const char *name, shoal_field *out);
SHOAL_API void shoal_field_free(shoal_field *field);
/* Writes a field that is there as an array of NumPy, PATH.npy. */
SHOAL_API shoal_status shoal_field_write(const shoal_field *field, const char *path);
/* Name of field k; NULL beyond the last. */
SHOAL_API const char *shoal_field_name(int32_t k);

#ifdef __cplusplus
}
#endif

#endif
