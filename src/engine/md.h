/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics that is under way. All systems of an engine make the same segment of steps, part by part; between segments
 * everything lies in doubles on the processor, and that is what a state holds. */
#ifndef SHOAL_ENGINE_MD_H
#define SHOAL_ENGINE_MD_H

#include "engine/engine.h"
#include "shoal/md.h"

#define MD_SEGMENT 1000 /* steps */
#define MD_STEPS 1000   /* of a run, unless it says otherwise */
#define MD_MOST 0.5     /* angstrom: that an atom may move in a step */

/* --- statistics (md_stats.c) ---------------------------------------------------------------------- */

/* A mean and its error by averages over blocks of 1, 2, 4, .. values (Flyvbjerg and Petersen, J. Chem. Phys. 91 (1989)
 * 461), with the values of each length so far. */
enum { MD_LEVELS = 32 };
typedef struct md_series {
    int64_t n[MD_LEVELS];
    double sum[MD_LEVELS], sum2[MD_LEVELS]; /* of what the first value is subtracted from */
    double half[MD_LEVELS];                 /* first half of a block that waits for its second */
    double first;
} md_series;

void md_series_add(md_series *s, double value);
double md_series_mean(const md_series *s);
/* NaN where there are too few values. */
double md_series_error(const md_series *s);

/* A line through values at times. */
typedef struct md_line {
    int64_t n;
    double first; /* that values are counted from */
    double t, tt, y, ty, yy;
} md_line;

void md_line_add(md_line *line, double t, double value);
/* NaN of less than two times. */
double md_line_slope(const md_line *line);
/* Root mean square about the line. */
double md_line_rms(const md_line *line);

/* --- overall motion (md_motion.c) ----------------------------------------------------------------- */

/* Takes momentum, and with angular also angular momentum, out of velocities; returns the degrees of freedom that are
 * gone. All of n points move; n_directions unit vectors follow them in all arrays, with inertias in place of masses. */
int32_t md_remove_motion(int32_t n, int32_t n_directions, const double *masses,
                         const double (*pos)[3], bool angular, double (*velocities)[3]);

/* --- runs ----------------------------------------------------------------------------------------- */

/* One system at the end of a segment: with its coordinates and velocities all that a state holds, as it is; backends have
 * the rest of md_state (kernels/step_md.h) of the options. */
typedef struct md_walker {
    int32_t step;    /* that its coordinates and velocities belong to */
    int32_t sampled; /* step of the last sample; -1: none */
    int32_t rung;    /* of its temperature among those of its copies */
    int32_t n_tried, n_swapped;
    double n_dof;
    double etot0, etot; /* eV */
    double energy0;     /* eV */
    double terms0[SHOAL_N_TERMS];
    double thermostat[4]; /* of backend_result */
    md_line line, conserved;
    md_series temperature, potential;
} md_walker;

/* What an engine keeps of its last run. Arrays of movers (engine_n_movers) are those of all systems together. */
struct engine_md {
    double (*velocities)[3]; /* of the results: half a step behind */
    double (*whole)[3];      /* those at the time of the coordinates */
    double *masses;
    shoal_md_result *results; /* [n_systems] */
};

typedef struct md_run {
    shoal_engine *engine;
    shoal_md_options options; /* defaults filled in */
    shoal_monitor *monitor;
    void *user;
    bool stop;
    backend_md md;
    struct engine_bodies *bodies; /* NULL: nothing is rigid */
    backend_bath *baths;          /* [n_systems] */
    md_walker *walkers;           /* [n_systems] */
    bool *gone;                   /* [n_systems] takes no part any more */
    int32_t *framed;              /* [n_systems] step of the last frame; -1: none */
    int32_t step;                 /* where the present segment began */
    int64_t n_done, n_failed;
    int64_t n_made; /* steps of all systems before the present call of the backend */
    /* The last end of a segment, for states: */
    double (*kept_pos)[3], (*kept_velocities)[3];
    md_walker *kept;
} md_run;

/* md_begin.c: fills in and checks options; allocates; masses, degrees of freedom and velocities of all systems. */
shoal_status md_fill_options(const shoal_engine *engine, const shoal_md_options *given,
                             shoal_md_options *options);
shoal_status md_begin(md_run *run);
void md_end(md_run *run);
/* What backends are told, of the options. */
void md_set_numbers(md_run *run);
/* The verdict on a system whose steps came to a bad end. */
void md_reject(md_run *run, int32_t i);
/* What the options say of system i, with its defaults. */
shoal_md_system md_system_of(const md_run *run, int32_t i);
/* K: of the bath of system i at a step. */
double md_temperature(const md_run *run, int32_t i, int32_t step);
/* The next step at which temperatures bend, from this one on. */
int32_t md_next_bend(const md_run *run, int32_t step);
/* True if nothing outside holds the system, so that its momentum is kept. */
bool md_is_free(const shoal_engine *engine, int32_t i);
bool md_is_periodic(const backend_system *s);

/* md_rigid.c: finds the rigid bonds of a system, which has its masses, gives them their lengths, and rejects what cannot
 * have them. */
shoal_status md_rigid_begin(md_run *run, int32_t i);
int32_t md_rigid_count(const backend_bath *bath);
/* Takes from velocities of a system what would change the lengths of rigid bonds where it is. */
void md_rigid_velocities(const md_run *run, int32_t i, double (*v)[3]);
/* True if the last step could not keep a bond. */
bool md_rigid_is_lost(const md_run *run, int32_t i);

/* md_sample.c: velocities at the time of the coordinates, which were evaluated, and what is made of them: samples of
 * systems[n] at a step, and their frames. */
shoal_status md_sample(md_run *run, const int32_t *systems, int32_t n, int32_t step);
void md_make_results(md_run *run);
/* Velocities of one system at the time of its coordinates, which were evaluated, and its kinetic energy in eV; step: 0 if
 * they are so already. */
double md_meet_positions(const md_run *run, int32_t i, int32_t step);

/* md_exchange.c: swaps of temperatures after a step, of systems that were evaluated there. */
void md_exchange(md_run *run, int32_t step);

/* md_state.c */
shoal_status md_state_save(const md_run *run, shoal_string *out);
/* True if a state holds the system of a key. */
bool md_state_has(const void *state, size_t size, int64_t key);
/* Puts systems whose keys are in a state where they were; the first that has a key counts. */
shoal_status md_state_load(md_run *run);

void engine_md_free(struct engine_md *md);

#endif
