/* SPDX-License-Identifier: BSD-3-Clause
 * Every interaction of a system, one by one, by the formulas that the devices share. */
#ifndef SHOAL_ENGINE_EXPLAIN_H
#define SHOAL_ENGINE_EXPLAIN_H

#include "backend/backend.h"

/* See shoal_engine_explain. The system must have passed system_check. */
shoal_status explain_interactions(const backend_system *system, const double (*pos)[3],
                                  const shoal_engine_options *options, shoal_term_visitor *visit,
                                  void *user);

#endif
