/* SPDX-License-Identifier: BSD-3-Clause
 * Names of terms, and what the kinds of bonded terms are. */
#include "ff/term_table.h"

#include <string.h>

static const char *const term_names[SHOAL_N_TERMS] = {
#define NAME_OF(NAME, name, is_bonded) #name,
    TERM_ENERGIES(NAME_OF)
#undef NAME_OF
};

#define UNIT_distance "A"
#define UNIT_angle "degrees"
#define UNIT_torsion "degrees"
#define UNIT_elevation "degrees"
#define UNIT_tilt "degrees"
#define UNIT_twist "degrees"
#define UNIT_volume "A^3"

static const shoal_term_kind kinds[TERM_N_KINDS] = {
#define KIND(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par, units, form,   \
             t0, b0, t1, b1, t2, b2)                                                               \
    {#name, SHOAL_TERM_##ENERGY, n_atoms, 0, n_par, par, units, #value, UNIT_##value, form},
    TERM_KINDS(KIND)
#undef KIND
};

/* The public names count as the tables do, and records have room for every kind. */
#define CHECK(NAME, name, is_bonded)                                                               \
    _Static_assert((int)SHOAL_TERM_##NAME == (int)ENERGY_##NAME, "order of SHOAL_TERM_");
TERM_ENERGIES(CHECK)
#undef CHECK
#define CHECK(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par, units, form,  \
              t0, b0, t1, b1, t2, b2)                                                              \
    _Static_assert((int)SHOAL_KIND_##NAME == (int)TERM_KIND_##NAME, "order of SHOAL_KIND_");       \
    _Static_assert(n_atoms <= SHOAL_TERM_ATOMS, "atoms of " #name);                                \
    _Static_assert(TERM_ARM_COUNT(n_atoms, t0, b0) <= TERM_ARMS, "arms of " #name);                \
    _Static_assert(n_par <= SHOAL_TERM_PARAMETERS && n_num <= TERM_NUMBERS, "numbers of " #name);
TERM_KINDS(CHECK)
#undef CHECK

const int32_t terms_none[TERM_N_KINDS + 1] = {0};

int shoal_term_count(void)
{
    return SHOAL_N_TERMS;
}

const char *shoal_term_name(int term)
{
    return term >= 0 && term < SHOAL_N_TERMS ? term_names[term] : NULL;
}

int shoal_term_by_name(const char *name, size_t n)
{
    for (int term = 0; term < SHOAL_N_TERMS && name; ++term)
        if (strlen(term_names[term]) == n && strncmp(term_names[term], name, n) == 0) return term;
    return -1;
}

int shoal_term_kind_count(void)
{
    return TERM_N_KINDS;
}

bool shoal_term_kind_get(int kind, shoal_term_kind *out)
{
    if (kind < 0 || kind >= TERM_N_KINDS || !out) return false;
    *out = kinds[kind];
    for (int k = 0; k < out->n_atoms; ++k)
        if (term_is_direction(&term_shapes[kind], k)) out->directions |= 1u << k;
    return true;
}

int shoal_term_kind_by_name(const char *name)
{
    for (int kind = 0; name && kind < TERM_N_KINDS; ++kind)
        if (strcmp(name, kinds[kind].name) == 0) return kind;
    return -1;
}

const shoal_term *shoal_topology_terms(const shoal_topology_view *view, int kind, int32_t *n)
{
    const bool known = view && view->term_start && kind >= 0 && kind < TERM_N_KINDS;
    if (n) *n = known ? terms_count(view, kind) : 0;
    return known ? terms_of(view, kind) : NULL;
}
