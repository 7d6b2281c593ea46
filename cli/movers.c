/* SPDX-License-Identifier: BSD-3-Clause
 * What moves in a system, and how it is called. */
#include "movers.h"

#include <stdio.h>

int32_t movers_of(const shoal_topology_view *v)
{
    return v->n_atoms + v->n_pairs + v->n_directions;
}

/* An electron pair hangs on one bond. */
static int32_t pair_host(const shoal_topology_view *v, int32_t i)
{
    int32_t n;
    const shoal_term *bonds = shoal_topology_terms(v, SHOAL_KIND_BOND, &n);
    for (int32_t b = 0; b < n; ++b)
        for (int k = 0; k < 2; ++k)
            if (bonds[b].atoms[k] == i) return bonds[b].atoms[1 - k];
    return i;
}

int32_t mover_host(const shoal_topology_view *v, int32_t i)
{
    const int32_t n_points = v->n_atoms + v->n_pairs;
    if (i >= n_points) return v->direction_atoms[i - n_points];
    return i < v->n_atoms ? i : pair_host(v, i);
}

const char *mover_type(const shoal_topology_view *v, int32_t i, mover_text out)
{
    const bool is_direction = i >= v->n_atoms + v->n_pairs;
    (void)snprintf(out, sizeof(mover_text), is_direction ? "pi(%.15s)" : "%.15s",
                   v->types[is_direction ? mover_host(v, i) : i]);
    return out;
}

const char *mover_name(const shoal_topology_view *v, int32_t i, mover_text out)
{
    const int32_t host = mover_host(v, i);
    if (i >= v->n_atoms + v->n_pairs)
        (void)snprintf(out, sizeof(mover_text), "pi(%d:%.15s)", host, v->types[host]);
    else if (i >= v->n_atoms)
        (void)snprintf(out, sizeof(mover_text), "%d:%.15s(%d)", i, v->types[i], host);
    else
        (void)snprintf(out, sizeof(mover_text), "%d:%.15s", i, v->types[i]);
    return out;
}
