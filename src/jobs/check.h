/* SPDX-License-Identifier: BSD-3-Clause
 * What the ways of a check share: systems with what holds their atoms, and two engines over them. */
#ifndef SHOAL_JOBS_CHECK_H
#define SHOAL_JOBS_CHECK_H

#include "shoal/check.h"

struct shoal_check {
    const shoal_stream_options *stream;
    shoal_engine_options engine; /* of the device */
    shoal_check_options options;
    shoal_check_counts counts;
    double *errors; /* verdicts of systems that were compared */
    int32_t n_errors, error_capacity;
    shoal_check_term *terms; /* room for all that there can be */
    int32_t n_terms;
    shoal_engine *engines[2]; /* of an interaction that was asked for */
};

/* Largest error that passes: of whole systems (term -1), or of a term, which a grid concerns only if it is the
 * surface's. */
double check_tolerance(const shoal_check *check, int term);
bool check_differs(const shoal_comparison *c, double most);

/* A system as it stands in the batch; freed by check_release, whatever comes of it. */
typedef struct check_system {
    shoal_system system;
    double cell[3][3];
    bool *fixed;
    shoal_restraint *restraints;
} check_system;

int32_t check_count_restraints(const shoal_check *check);
shoal_status check_hold(const shoal_check *check, const shoal_stream_system *from,
                        check_system *out);
void check_release(check_system *held);
/* The caller owns *batch, whatever comes of it. */
shoal_status check_batch(const shoal_check *check, const shoal_stream_system *systems, int32_t n,
                         shoal_batch **batch);

/* Options of ref for the same systems. */
shoal_engine_options check_ref(const shoal_engine_options *device);
/* ref (0) and the device (1) over one batch, evaluated; to be destroyed, whatever comes of it. */
shoal_status check_evaluate(const shoal_batch *batch, const shoal_engine_options *device,
                            shoal_engine *engines[2]);
void check_destroy(shoal_engine *engines[2]);
void check_results(shoal_engine *const engines[2], int32_t i, shoal_result out[2]);

/* Vectors of a system that have forces. */
int32_t check_count_movers(const shoal_stream_system *system);

/* The term that a system owes most of its error to, by computing each alone. */
shoal_status check_blame(const shoal_check *check, const shoal_system *system, int32_t n_movers,
                         int *term);

shoal_status check_visit_terms(shoal_check *check, const shoal_stream_system *systems, int32_t n);
shoal_status check_visit_steps(shoal_check *check, const shoal_stream_system *systems, int32_t n);

#endif
