/* SPDX-License-Identifier: BSD-3-Clause
 * What a run would compute, and the memory that it would take, without computing anything. */
#ifndef SHOAL_PLANNER_H
#define SHOAL_PLANNER_H

#include "shoal/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_planner shoal_planner;

typedef struct shoal_need {
    int64_t chunks, systems, untyped, atoms, topologies, small, large, slices;
    int64_t host_bytes;    /* about, of the whole process */
    int64_t device_bytes;  /* of the chunk that takes most */
    int64_t device_memory; /* that there is; 0: no device of its own */
    char name[128];        /* of the device */
} shoal_need;

/* For an engine and n_threads threads (0: all); relaxes: a device that cannot is refused with SHOAL_E_UNSUPPORTED. The
 * engine's options are borrowed until the planner is destroyed. The caller owns *out. */
SHOAL_API shoal_status shoal_planner_create(shoal_planner **out, const shoal_engine_options *engine,
                                            bool relaxes, int32_t n_threads);
SHOAL_API void shoal_planner_destroy(shoal_planner *planner);
/* Takes n more systems, as the visitor of a stream of SHOAL_JOB_TYPE gets them. */
SHOAL_API shoal_status shoal_planner_visit(shoal_planner *planner,
                                           const shoal_stream_system *systems, int32_t n);
/* After the last of them. The memory of the host is what reading, typing and planning took at most, and that of engines
 * and threads on top. */
SHOAL_API shoal_status shoal_planner_finish(shoal_planner *planner, shoal_need *out);

#ifdef __cplusplus
}
#endif

#endif
