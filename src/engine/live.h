/* SPDX-License-Identifier: BSD-3-Clause
 * The live part of an engine: a state on the device that goes on, and parameters of the engine's own. */
#ifndef SHOAL_ENGINE_LIVE_H
#define SHOAL_ENGINE_LIVE_H

#include "engine/md.h"
#include "engine/relax.h"
#include "shoal/live.h"

/* Parameters of all topologies that differ, one after the other, in place of those that users gave. */
typedef struct live_parameters {
    int32_t n; /* topologies, or systems after a split */
    bool split;
    int32_t *numbers;        /* [n_systems] topology of each */
    int32_t *firsts;         /* [n] a system of each */
    int32_t *atom_starts;    /* [n + 1] */
    int32_t *term_starts;    /* [n + 1] */
    double *x, *d, *charges; /* [atom_starts[n]] */
    shoal_term *terms;       /* [term_starts[n]] */
} live_parameters;

/* What a user holds of an array that the engine keeps in another form. */
typedef struct live_buffer {
    void *data;
    int32_t *starts; /* NULL: those of the engine or of the parameters */
} live_buffer;

typedef struct engine_live {
    shoal_motion motion; /* defaults filled in */
    bool on;             /* the device holds a state that goes on */
    bool has_md;         /* md was begun: velocities are known */
    backend_driver driver;
    backend_part part;
    bool placed;     /* the host has the coordinates of the present moment .. */
    bool settled;    /* .. and all else */
    relax_run relax; /* engine and options, for verdicts */
    md_run md;
    shoal_md_system *md_systems; /* [n_systems] */
    double (*start)[3];          /* [movers] where the state began; NULL: none did */
    int32_t step;                /* time steps since the motion began anew */
    uint64_t n_begun;            /* how often it did: part of the keys of random numbers */
    backend_pace *paces;         /* [n_systems] of minimisers; NULL: the usual one */
    double *masses;              /* [atoms] given; NULL: none */
    double (*velocities)[3];     /* [atoms] given before there were any; NULL: none */
    live_parameters *own;        /* NULL: those of the topologies */
    live_buffer *buffers;        /* [live_array_count()] */
} engine_live;

/* live.c: the live part, made if there is none yet. */
shoal_status engine_live_need(shoal_engine *engine);
void engine_live_free(engine_live *live);
/* Coordinates of the present moment to the host. */
shoal_status engine_live_place(shoal_engine *engine);
/* All results of the present moment to the host, with verdicts. */
shoal_status engine_live_settle(shoal_engine *engine);
/* The state on the device comes to its end; what it found is on the host. */
shoal_status engine_live_pause(shoal_engine *engine);
/* Dynamics of another kind take the engine's memory over. */
void engine_live_drop_md(shoal_engine *engine);

/* A state as it is at its beginning; or of dynamics that are not on what these need. */
shoal_status engine_live_begin(shoal_engine *engine, const shoal_motion *motion, bool on,
                               bool has_md);

/* live_parameters.c: the engine's own copies, made if there are none yet. */
shoal_status live_parameters_need(shoal_engine *engine);
/* Before a change: systems look at them from now on. *moved: they did not before. */
shoal_status live_parameters_use(shoal_engine *engine, bool *moved);
/* After it: plans take over what has changed, or are made anew when they are needed. */
shoal_status live_parameters_tell(shoal_engine *engine, const backend_change *change);
/* One topology for each system; plans are made anew. */
shoal_status live_parameters_split(shoal_engine *engine);
void live_parameters_free(live_parameters *own);
/* After a change of what plans were compiled from. */
shoal_status live_forget_plans(shoal_engine *engine);

/* live_arrays.c */
int32_t live_array_count(void);
size_t live_array_size(const shoal_array *a); /* bytes */

#endif
