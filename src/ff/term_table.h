/* SPDX-License-Identifier: BSD-3-Clause
 * The table of kinds (kernels/term_kinds.h) as constants, and the terms of a kind in a view. */
#ifndef SHOAL_FF_TERM_TABLE_H
#define SHOAL_FF_TERM_TABLE_H

#include "shoal/topology.h"

#include "term_kinds.h"

/* Terms of the energy; users ask shoal_term_count. */
enum { SHOAL_N_TERMS = N_ENERGIES };

/* Energies that are shown: those that every system has, or all where some force field adds to these. */
enum { TERMS_ALWAYS = SHOAL_TERM_RESTRAINT + 1 };
static inline int32_t terms_shown(bool all)
{
    return all ? SHOAL_N_TERMS : TERMS_ALWAYS;
}

enum { TERM_SHAPE_smooth, TERM_SHAPE_straight };

typedef struct term_shape {
    int32_t energy; /* SHOAL_TERM_ */
    int32_t n_atoms, n_arms, n_numbers;
    bool straight;                           /* has singular geometries */
    int32_t tip[TERM_ARMS], base[TERM_ARMS]; /* of the arms */
} term_shape;

/* Constant, so that loops of one kind know their sizes when they are compiled. */
static const term_shape term_shapes[TERM_N_KINDS] = {
#define TERM_SHAPE(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par, units,   \
                   form, t0, b0, t1, b1, t2, b2)                                                   \
    {SHOAL_TERM_##ENERGY,                                                                          \
     n_atoms,                                                                                      \
     TERM_ARM_COUNT(n_atoms, t0, b0),                                                              \
     n_num,                                                                                        \
     TERM_SHAPE_##shape == TERM_SHAPE_straight,                                                    \
     {t0, t1, t2},                                                                                 \
     {b0, b1, b2}},
    TERM_KINDS(TERM_SHAPE)
#undef TERM_SHAPE
};

/* Whether an arm is a direction, and not a difference. */
static inline bool term_arm_is_direction(const term_shape *s, int arm)
{
    return s->tip[arm] == s->base[arm];
}

/* Whether one of the atoms of a kind is a direction. */
static inline bool term_is_direction(const term_shape *s, int atom)
{
    for (int a = 0; a < s->n_arms; ++a)
        if (term_arm_is_direction(s, a) && s->tip[a] == atom) return true;
    return false;
}

/* term_start of a topology without terms. */
extern const int32_t terms_none[TERM_N_KINDS + 1];

static inline const shoal_term *terms_of(const shoal_topology_view *v, int kind)
{
    return v->terms + v->term_start[kind];
}

static inline int32_t terms_count(const shoal_topology_view *v, int kind)
{
    return v->term_start[kind + 1] - v->term_start[kind];
}

/* The same with the energies of the bits left out. */
static inline int32_t terms_count_on(const shoal_topology_view *v, int kind, uint32_t off)
{
    return off >> term_shapes[kind].energy & 1 ? 0 : terms_count(v, kind);
}

#endif
