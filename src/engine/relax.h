/* SPDX-License-Identifier: BSD-3-Clause
 * A relaxation that is under way, and its state outside of the engine. */
#ifndef SHOAL_ENGINE_RELAX_H
#define SHOAL_ENGINE_RELAX_H

#include "engine/engine.h"

/* Which steps are made: in the only precision; or first in float, then in that of energies. */
typedef enum relax_phase {
    RELAX_ONLY = 0,
    RELAX_FAST,
    RELAX_EXACT,
} relax_phase;

/* What was saved of a relaxation of one system; pointers into the caller's memory, which need not be aligned. */
typedef struct relax_state {
    relax_phase phase;
    int32_t steps, outcome;
    int32_t framed;                        /* evaluations at its last frame; -1: it had none */
    double energy0, terms0[SHOAL_N_TERMS]; /* eV */
    const unsigned char *start, *pos; /* double [n_movers][3]: where the phase began, and now */
    const unsigned char *driver;
    size_t driver_size;
} relax_state;

typedef struct relax_cells_state relax_cells_state;
typedef struct relax_symmetry relax_symmetry;

typedef struct relax_run {
    shoal_engine *engine;
    shoal_relax_options options;
    shoal_monitor *monitor;
    void *user;
    bool stop;
    int64_t n_done, n_failed; /* of parts that are behind */
    int64_t n_evaluations;
    backend_part part; /* the present one */
    int64_t n_stepped; /* evaluations of it before the present call of step */
    relax_phase phase;
    void *plan;         /* of the phase */
    double (*start)[3]; /* where the phase began; NULL: of many systems, which are not saved */
    int32_t *framed;    /* [n_systems] evaluations at the last frame; NULL: none are wanted */
    relax_cells_state *cells;     /* NULL: these stay */
    relax_symmetry *symmetry;     /* NULL: it is not looked for */
    struct engine_bodies *bodies; /* NULL: nothing is rigid */
    const relax_state *from;      /* what is to be gone on with; NULL: nothing, or it was */
} relax_run;

/* Fills the defaults in; fails with SHOAL_E_ARGUMENT where a number makes no sense. */
shoal_status relax_fill_options(const shoal_relax_options *given, shoal_relax_options *options);
/* How systems move in a plan, down to forces of fmax in eV/angstrom. */
backend_driver relax_driver(const relax_run *run, const engine_plan *in, double fmax);
/* Relaxes the atoms of all active systems at fixed cells. */
shoal_status relax_atoms(relax_run *run);
/* The same, with symmetry kept where that is asked for. */
shoal_status relax_own_atoms(relax_run *run);
/* The verdict on an active system: of its numbers, and of its geometry. */
void relax_judge(const relax_run *run, int32_t i);

/* Appends the state of a run of one system, whose driver was started. */
shoal_status relax_state_save(const relax_run *run, shoal_string *out);
/* Looks at what was saved; fails with SHOAL_E_ARGUMENT unless it belongs to this run. */
shoal_status relax_state_open(relax_state *out, const relax_run *run, const void *data,
                              size_t size);
/* Takes the state of the driver over, in a plan whose driver was started where the phase began. */
shoal_status relax_state_load(relax_run *run);

/* relax_frames.c: frames are wanted, or not. */
shoal_status relax_frames_begin(relax_run *run);
/* Steps until the next frame of a system of the part is due. */
int32_t relax_frames_round(const relax_run *run);
/* Frames of all systems of the part that go on and have one due; results are evaluated anew. */
shoal_status relax_frames_show(relax_run *run);
/* The last frame of every system that has come to its end. */
shoal_status relax_frames_end(relax_run *run);

#endif
