/* SPDX-License-Identifier: BSD-3-Clause
 * What moves in a system: atoms, electron pairs, directions, numbered in this order; and how it is called. */
#ifndef SHOAL_CLI_MOVERS_H
#define SHOAL_CLI_MOVERS_H

#include "shoal/shoal.h"

typedef char mover_text[48];

/* How many there are. */
int32_t movers_of(const shoal_topology_view *v);

/* The atom that a mover stands at: itself, the host of an electron pair, the node of a direction. */
int32_t mover_host(const shoal_topology_view *v, int32_t i);

/* "C_R", "E", "pi(C_R)". */
const char *mover_type(const shoal_topology_view *v, int32_t i, mover_text out);

/* "3:C_R", "8:E(3)", "pi(3:C_R)". */
const char *mover_name(const shoal_topology_view *v, int32_t i, mover_text out);

#endif
