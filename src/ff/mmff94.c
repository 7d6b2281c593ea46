/* SPDX-License-Identifier: BSD-3-Clause
 * Types and charges of a molecule by MMFF94. */
#include "ff/mmff94.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

#define LEAST_DIFFERENCE 1e-6 /* e, of sums of charges */

static const char *symbol_of(const mmff94 *m, int32_t i)
{
    return element_get(mmff94_z(m, i))->symbol;
}

static shoal_status allocate(mmff94 *m, arena *scratch, int32_t **found, bool **is_found)
{
    const size_t n = (size_t)m->mol->n_atoms;
    m->aromatic = arena_alloc(scratch, n, sizeof *m->aromatic);
    m->aromatic_bond = arena_alloc(scratch, (size_t)m->mol->n_bonds, sizeof *m->aromatic_bond);
    m->type = arena_alloc(scratch, n, sizeof *m->type);
    m->formal = arena_alloc(scratch, n, sizeof *m->formal);
    m->charge = arena_alloc(scratch, n, sizeof *m->charge);
    *found = arena_alloc(scratch, n, sizeof **found);
    *is_found = arena_alloc(scratch, n, sizeof **is_found);
    if (!m->aromatic || !m->aromatic_bond || !m->type || !m->formal || !m->charge || !*found ||
        !*is_found)
        return SHOAL_E_MEMORY;
    return mmff94_list_rings(m, scratch);
}

static bool has_type(int32_t z)
{
    static const uint8_t elements[] = {1,  3,  6,  7,  8,  9,  11, 12, 14, 15,
                                       16, 17, 19, 20, 26, 29, 30, 35, 53};
    for (size_t k = 0; k < sizeof elements; ++k)
        if (elements[k] == z) return true;
    return false;
}

static shoal_status reject(const mmff94 *m, int32_t i, shoal_topology *t)
{
    const int32_t n = mmff94_degree(m, i), q = m->mol->formal_charge[i];
    if (!has_type(mmff94_z(m, i)))
        return topology_reject(t, "atom %d (%s): MMFF94 has no type for this element", i,
                               symbol_of(m, i));
    if (element_is_metal(mmff94_z(m, i)) && n > 0)
        return topology_reject(t,
                               "atom %d (%s, %d bond%s): MMFF94 knows this element as an ion, "
                               "without bonds",
                               i, symbol_of(m, i), n, n == 1 ? "" : "s");
    return topology_reject(t,
                           "atom %d (%s, %d bond%s, valence %d, charge %d): no rule of MMFF94 "
                           "gives it a type",
                           i, symbol_of(m, i), n, n == 1 ? "" : "s", m->atoms[i].valence, q);
}

/* A type that the molecule's user gave, by symbol or number. */
static shoal_status take_given(mmff94 *m, int32_t i, shoal_topology *t)
{
    const char *name = m->mol->type[i];
    const int32_t type = mmff94_type_by_name(name);
    if (!type)
        return topology_reject(t, "atom %d (%s): '%s' is no MMFF94 type", i, symbol_of(m, i), name);
    if (mmff94_type_get(type)->z != mmff94_z(m, i))
        return topology_reject(t, "atom %d (%s): type '%s' belongs to %s", i, symbol_of(m, i), name,
                               element_get(mmff94_type_get(type)->z)->symbol);
    m->type[i] = type;
    return SHOAL_OK;
}

/* Hydrogens after all others, which name them. */
static shoal_status find_types(mmff94 *m, bool given, shoal_topology *t)
{
    for (int hydrogens = 0; hydrogens < 2; ++hydrogens)
        for (int32_t i = 0; i < m->mol->n_atoms; ++i) {
            if ((mmff94_z(m, i) == 1) != (hydrogens == 1)) continue;
            const bool is_given =
                given && m->mol->type[i][0] && strcmp(m->mol->type[i], symbol_of(m, i)) != 0;
            if (is_given)
                SHOAL_TRY(take_given(m, i, t));
            else
                m->type[i] = hydrogens ? mmff94_hydrogen_type(m, i) : mmff94_heavy_type(m, i);
            if (t->status == SHOAL_SYSTEM_OK && !m->type[i]) SHOAL_TRY(reject(m, i, t));
            if (t->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
        }
    return SHOAL_OK;
}

/* Where the types share another charge than the molecule has. */
static void warn_of_total(const mmff94 *m, shoal_topology *t)
{
    double sum = 0;
    int32_t total = 0;
    for (int32_t i = 0; i < m->mol->n_atoms; ++i) {
        sum += m->charge[i];
        total += m->mol->formal_charge[i];
    }
    if (fabs(sum - total) > LEAST_DIFFERENCE)
        topology_warn(t, "the charges of MMFF94 add up to %.4g e, formal charges to %d e",
                      fabs(sum) > LEAST_DIFFERENCE ? sum : 0.0, total);
}

shoal_status mmff94_assign(mmff94 *m, const shoal_molecule *mol, bool given, shoal_topology *t,
                           arena *scratch)
{
    const chem_perception *p = mol->perception;
    int32_t *found;
    bool *is_found;
    *m = (mmff94){.mol = mol, .g = &p->graph, .atoms = p->atoms, .rings = &p->rings};
    SHOAL_TRY(allocate(m, scratch, &found, &is_found));
    SHOAL_TRY(mmff94_mark_aromatic(m, scratch));
    SHOAL_TRY(find_types(m, given, t));
    if (t->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
    mmff94_share_charges(m, found, is_found);
    mmff94_set_charges(m);
    warn_of_total(m, t);
    return SHOAL_OK;
}
