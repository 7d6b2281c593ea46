/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a probe scan. */
#ifndef SHOAL_JOBS_TIP_H
#define SHOAL_JOBS_TIP_H

#include "base/error.h"
#include "shoal/tip.h"

struct shoal_tip_block {
    shoal_tip_view view;
    double *energies, (*forces)[3];
};

/* Place of a point in the arrays. */
static inline size_t tip_index(const shoal_tip_view *v, int32_t ix, int32_t iy, int32_t iz)
{
    return ((size_t)ix * (size_t)v->n[1] + (size_t)iy) * (size_t)v->n[2] + (size_t)iz;
}

#endif
