/* SPDX-License-Identifier: BSD-3-Clause
 * Live engines: runs that go on from where the last one ended, arrays that one can hold and change between them, and
 * switches.
 *
 * All systems of a live engine stay on the device, in the precision of its energies. What runs find comes to the host
 * when it is asked for, and belongs to one moment: whatever is asked for after a run is of the end of that run. Asking
 * changes what the engine holds: one thread at a time, also for functions that take a const engine. */
#ifndef SHOAL_LIVE_H
#define SHOAL_LIVE_H

#include "shoal/md.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How atoms move. Zero means the default in every member. */
typedef struct shoal_motion {
    bool dynamics; /* false: a relaxation */
    /* Of relaxations, as in shoal_relax_options: */
    shoal_method method;
    double fmax;     /* eV/angstrom */
    double max_move; /* angstrom; 0: that of the array max_move, 0.2 unless somebody writes it */
    /* Of dynamics, as in shoal_md_options: */
    double dt; /* fs */
    shoal_thermostat thermostat;
    double friction;    /* 1/fs */
    double tau;         /* fs */
    double temperature; /* K: of the bath, and of velocities that are drawn; 0 = 300 */
    uint64_t seed;
} shoal_motion;

/* Makes n_steps more steps of every system: evaluations of a relaxation, which ends for a system that has converged or
 * failed, or time steps. motion may be NULL.
 *
 * Goes on from the state of the last call (history of the minimiser, velocities, thermostat, random numbers) if the motion
 * is the same and nothing was changed meanwhile: k steps and k more are 2 k steps, bit for bit. Otherwise relaxations
 * begin anew where the atoms are; dynamics keep their velocities and take other random numbers. Dynamics that follow
 * on anything else draw velocities.
 *
 * Systems that are under way have the status max_steps in relaxations, ok in dynamics; steps are counted from where the
 * motion began anew. Fails with SHOAL_E_UNSUPPORTED where the device cannot hold all systems at once, and for small
 * systems beside large or periodic ones on OpenCL, whose schedules take turns; the text says how many there is room for.
 * A monitor may end the call early, between rounds of steps. */
SHOAL_API shoal_status shoal_engine_run(shoal_engine *engine, const shoal_motion *motion,
                                        int32_t n_steps, shoal_monitor *monitor, void *user);

/* What a row of an array belongs to. */
typedef enum shoal_rows {
    SHOAL_ROWS_ATOMS = 0,      /* of the systems, one after the other */
    SHOAL_ROWS_SYSTEMS,        /* one each */
    SHOAL_ROWS_RESTRAINTS,     /* of the systems, one after the other */
    SHOAL_ROWS_TOPOLOGY_ATOMS, /* of the topologies; electron pairs are atoms here */
    SHOAL_ROWS_TERMS,          /* of one kind, of the topologies, one after the other */
} shoal_rows;

typedef enum shoal_number {
    SHOAL_NUMBER_DOUBLE = 0,
    SHOAL_NUMBER_INT,  /* int32_t */
    SHOAL_NUMBER_BYTE, /* uint8_t, 0 or 1 */
} shoal_number;

/* An array of an engine. */
typedef struct shoal_array {
    char name[48], unit[48]; /* "1" for plain numbers */
    const char *what;        /* static */
    shoal_rows rows;
    shoal_number number;
    bool writable;
    int32_t n_columns;
    int32_t n_blocks;      /* systems, or topologies that differ */
    const int32_t *starts; /* [n_blocks + 1] first row of each */
    /* [starts[n_blocks]][n_columns]; the same memory whenever it is asked for, and filled then. */
    void *data;
} shoal_array;

/* The table of arrays: what number k is, without an engine's blocks and data; false beyond the last. Parameters of bonded
 * terms are called after their kinds and parameters, "bond.k". */
SHOAL_API bool shoal_array_describe(int32_t k, shoal_array *out);

/* Array of a name, with what the last run left there. Fails with SHOAL_E_ARGUMENT, naming the known ones, for an unknown
 * name, and for results before the first run. */
SHOAL_API shoal_status shoal_engine_array(shoal_engine *engine, const char *name, shoal_array *out);

/* Takes over what was written into a writable array, for the next run or evaluation; results of the last one are gone. Values
 * that make no sense (not finite, negative radii or masses ..) fail with SHOAL_E_ARGUMENT, and the array is what it was.
 * Parameters belong to all systems of a topology: see shoal_engine_split. */
SHOAL_API shoal_status shoal_engine_changed(shoal_engine *engine, const char *name);

/* Gives every system parameters of its own: from now on topologies in arrays are systems. Unlike parameters cost the
 * device more time, and more memory. */
SHOAL_API shoal_status shoal_engine_split(shoal_engine *engine);

/* Number of the topology of every system, [n_systems], borrowed until shoal_engine_split. */
SHOAL_API const int32_t *shoal_engine_topology_numbers(shoal_engine *engine);

/* Terms that are switched off (bit t: SHOAL_TERM_t), from the next run on. */
SHOAL_API shoal_status shoal_engine_set_terms_off(shoal_engine *engine, uint32_t terms_off);

/* Appends all that the engine is at the present moment to out: its writable arrays, places, and the state of its motion.
 * Changes no bit of what follows. */
SHOAL_API shoal_status shoal_engine_write_state(shoal_engine *engine, shoal_string *out);

/* Puts an engine of the same systems, options, device and precision where another one was when shoal_engine_write_state
 * wrote that: it goes on bit for bit. What does not fit or is damaged is SHOAL_E_ARGUMENT, and the engine is as it was. */
SHOAL_API shoal_status shoal_engine_read_state(shoal_engine *engine, const void *state,
                                               size_t size);

#ifdef __cplusplus
}
#endif

#endif
