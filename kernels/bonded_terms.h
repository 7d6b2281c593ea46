/* SPDX-License-Identifier: BSD-3-Clause
 * Any bonded term by its kind, generated from term_kinds.h: the plain path of all schedules. With a
 * constant kind the compiler keeps that one alone. */
#ifndef SHOAL_KERNELS_BONDED_TERMS_H
#define SHOAL_KERNELS_BONDED_TERMS_H

#include "bonded_pair_terms.h"
#include "node_terms.h"
#include "range_terms.h"
#include "term_kinds.h"
#include "uff_terms.h"

#define TERM_CHECK_smooth(name, arms) 0
#define TERM_CHECK_straight(name, arms) term_##name##_is_straight(arms)
#define TERM_SAFE_smooth(name, p, arms, f) term_##name(p, arms, f)
#define TERM_SAFE_straight(name, p, arms, f) term_##name##_straight(p, arms, f)

/* The plain formula, without a branch. */
SHOAL_FN real bonded_plain(int kind, const real *p, const v3 *arms, v3 *f)
{
    switch (kind) {
#define TERM_CASE(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par, units,    \
                  form, t0, b0, t1, b1, t2, b2)                                                    \
    case TERM_KIND_##NAME: return term_##name(p, arms, f);
        TERM_KINDS(TERM_CASE)
#undef TERM_CASE
    default: return R(0.0);
    }
}

/* Whether the plain formula breaks down. */
SHOAL_FN int bonded_is_straight(int kind, const v3 *arms)
{
    switch (kind) {
#define TERM_CASE(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par, units,    \
                  form, t0, b0, t1, b1, t2, b2)                                                    \
    case TERM_KIND_##NAME: return TERM_CHECK_##shape(name, arms);
        TERM_KINDS(TERM_CASE)
#undef TERM_CASE
    default: return 0;
    }
}

/* The formula that serves there. */
SHOAL_FN real bonded_straight(int kind, const real *p, const v3 *arms, v3 *f)
{
    switch (kind) {
#define TERM_CASE(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par, units,    \
                  form, t0, b0, t1, b1, t2, b2)                                                    \
    case TERM_KIND_##NAME: return TERM_SAFE_##shape(name, p, arms, f);
        TERM_KINDS(TERM_CASE)
#undef TERM_CASE
    default: return R(0.0);
    }
}

SHOAL_FN real bonded_term(int kind, const real *p, const v3 *arms, v3 *f)
{
    if (bonded_is_straight(kind, arms)) return bonded_straight(kind, p, arms, f);
    return bonded_plain(kind, p, arms, f);
}

#endif
