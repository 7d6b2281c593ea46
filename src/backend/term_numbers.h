/* SPDX-License-Identifier: BSD-3-Clause
 * Records of bonded terms in the form that kernels work with. */
#ifndef SHOAL_BACKEND_TERM_NUMBERS_H
#define SHOAL_BACKEND_TERM_NUMBERS_H

#include "ff/term_table.h"
#include "shoal/engine.h"

/* The numbers that a kind's function of kernels/bonded_terms.h takes; the rest is zero. */
void term_numbers(const shoal_term *term, const shoal_topology_view *view,
                  const shoal_engine_options *options, double out[TERM_NUMBERS]);

/* Shift of the tip of an arm against its base, in cells. */
void term_arm_shift(const shoal_term *term, int arm, int32_t out[3]);

#endif
