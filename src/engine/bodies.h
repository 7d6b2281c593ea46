/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bodies of the systems of an engine: what they are, and the shapes that they have where a run begins. */
#ifndef SHOAL_ENGINE_BODIES_H
#define SHOAL_ENGINE_BODIES_H

#include "engine/engine.h"

/* The bodies of all systems in the shapes that these have now; destroy takes NULL. */
typedef struct engine_bodies {
    int32_t n_systems;
    backend_bodies *of; /* [n_systems] for drivers */
    void **rooms;       /* [n_systems] memory of each */
} engine_bodies;

/* Whether system i can have the bodies that it is said to have; if not, why. */
bool bodies_check(const shoal_engine *engine, int32_t i, char reason[BACKEND_REASON_SIZE]);

/* *out is NULL if no system has any. masses: of all movers of the engine, as weights; NULL: of a relaxation. */
shoal_status bodies_create(engine_bodies **out, const shoal_engine *engine, const double *masses);
void bodies_destroy(engine_bodies *bodies);
/* For drivers; NULL of NULL. */
const backend_bodies *bodies_of(const engine_bodies *bodies);

/* Degrees of freedom that the bodies of system i take from its atoms. */
int32_t bodies_frozen(const engine_bodies *bodies, int32_t i);
/* Leaves of velocities of system i what its bodies can do where they are. */
void bodies_velocities(const engine_bodies *bodies, const shoal_engine *engine, int32_t i,
                       double (*v)[3]);
/* Adds the bodies of system i to the checksum of a state. */
uint64_t bodies_sum(const engine_bodies *bodies, int32_t i, uint64_t sum);

/* The largest force of system i, of bodies that on the atom where the whole force and the torque of the body are most: |F/1 + a x r|,
 * as if all of it were one atom. */
void bodies_fmax(const shoal_engine *engine, int32_t i);

#endif
