/* SPDX-License-Identifier: BSD-3-Clause
 * Slopes of stress by strain of relaxed crystals. */
#ifndef SHOAL_ENGINE_ELASTIC_H
#define SHOAL_ENGINE_ELASTIC_H

#include "engine/relax.h"

/* Strains every system that has converged and repeats in three directions both ways in each of six strains, with atoms
 * relaxed; afterwards all is as it was, but for the slopes, and warnings where there are none. */
shoal_status elastic_measure(relax_run *run);

#endif
