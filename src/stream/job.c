/* SPDX-License-Identifier: BSD-3-Clause
 * What jobs take, about. */
#include "engine/md.h"
#include "stream/stream.h"

#define RELAXATION 150 /* evaluations until a system has converged */
#define MODES 500      /* of a relaxation and of differences */

double shoal_job_evaluations(shoal_job job, const shoal_relax_options *relax,
                             const shoal_md_options *md)
{
    shoal_clear_error();
    switch (job) {
    case SHOAL_JOB_RELAX:
        return relax && relax->max_steps > 0 && relax->max_steps < RELAXATION ? relax->max_steps
                                                                              : RELAXATION;
    case SHOAL_JOB_MD: return md && md->n_steps > 0 ? md->n_steps : MD_STEPS;
    case SHOAL_JOB_MODES: return MODES;
    default: return 1;
    }
}
