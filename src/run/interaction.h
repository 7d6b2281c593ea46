/* SPDX-License-Identifier: BSD-3-Clause
 * Single interactions, by ref and by the formulas the other backends share. */
#ifndef SHOAL_RUN_INTERACTION_H
#define SHOAL_RUN_INTERACTION_H

#include "backend/backend.h"

/* See shoal_engine_interaction. The position of the target of a restraint is absolute. */
shoal_status interaction_compare(const backend_system *system, const double (*pos)[3],
                                 const shoal_engine_options *options, int term,
                                 const int32_t which[2], shoal_precision precision,
                                 shoal_interaction *ref, shoal_interaction *shared);

#endif
