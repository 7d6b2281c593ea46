/* SPDX-License-Identifier: BSD-3-Clause
 * What the ways of shoal check share: its options, and two engines over the same systems. */
#ifndef SHOAL_CLI_CHECK_H
#define SHOAL_CLI_CHECK_H

#include "constraints.h"
#include "engine_options.h"
#include "json.h"
#include "surface_options.h"
#include "systems.h"

typedef struct check_options {
    systems_options systems;
    engine_settings compute;
    surface_settings surface;
    constraints held;
    double tolerance;        /* negative: by the precision */
    const char *interaction; /* TERM:INDEX or TERM:I,J, NULL for none */
    int system;              /* that it belongs to */
    bool has_system;         /* it was given */
    bool each_term, relax;
    shoal_relax_options steps;  /* of relax */
    const char *dump, *dump_to; /* names of fields, and a folder; NULL: none */
} check_options;

/* Largest error that passes: of whole systems, or of one term, which a grid concerns only if it is the surface's. */
double check_tolerance(const check_options *o);
double check_term_tolerance(const check_options *o, int term);

/* A system as it stands in the batch; held belongs to it and is freed by check_release. */
typedef struct check_system {
    shoal_system system;
    double cell[3][3];
    bool *fixed;
    shoal_restraint *restraints;
} check_system;

/* Restraints of every system: those of --restrain, then the springs of movable layers. */
int32_t check_count_restraints(const check_options *o);
bool check_hold(const check_options *o, const shoal_stream_system *from, check_system *out);
void check_release(check_system *held);
/* Systems with what holds their atoms. Returns an exit code; the caller owns *batch. */
int check_batch(const check_options *o, const shoal_stream_system *systems, int32_t n,
                shoal_batch **batch);

/* ref (0) and the device (1) over one batch, evaluated; to be destroyed, whatever comes of it. */
shoal_status check_evaluate(const shoal_batch *batch, const shoal_engine_options *device,
                            shoal_engine *engines[2]);
void check_destroy(shoal_engine *engines[2]);

/* Vectors of a system that have forces: atoms, electron pairs and directions. */
int32_t check_count_movers(const shoal_stream_system *system);

/* The term that a system owes most of its error to, by computing each alone; error: of the forces, eV/angstrom. */
shoal_status check_blame(const check_options *o, const shoal_system *system, int32_t n_movers,
                         int *term, double *error);

/* check_interaction.c: one interaction on both sides. Returns an exit code. */
int check_interaction(const check_options *o, const shoal_stream_system *system);

/* check_dump.c: fields of the plan of a system, on standard output or as files. Returns an exit code. */
int check_dump(const check_options *o, const shoal_stream_system *system);
/* False after naming a field that is not known. */
bool check_dump_parse(const char *list);

/* check_terms.c: every term, as a whole and one by one. */
typedef struct check_terms check_terms;
check_terms *check_terms_create(const check_options *o); /* NULL: no memory */
void check_terms_destroy(check_terms *terms);
/* Looks at some more systems. Returns an exit code. */
int check_terms_visit(check_terms *terms, const shoal_stream_system *systems, int32_t n);
/* Prints the table; EXIT_SOME_FAILED where something differs. */
int check_terms_conclude(check_terms *terms);

/* check_relax.c: every step of a relaxation. */
typedef struct check_relax check_relax;
check_relax *check_relax_create(const check_options *o); /* NULL: no memory */
void check_relax_destroy(check_relax *relax);
int check_relax_visit(check_relax *relax, const shoal_stream_system *systems, int32_t n);
int check_relax_conclude(check_relax *relax);

#endif
