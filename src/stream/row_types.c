/* SPDX-License-Identifier: BSD-3-Clause
 * What perception and typing made of a system, as JSON. */
#include "shoal/explain.h"
#include "shoal/json.h"
#include "stream/row.h"

static void put_bonds(shoal_json *j, const shoal_stream_system *s, const shoal_topology_view *v)
{
    int32_t n_bonds;
    const shoal_term *bonds = shoal_topology_terms(v, SHOAL_KIND_BOND, &n_bonds);
    shoal_json_open(j, "bonds", '[');
    for (int32_t b = 0; b < n_bonds; ++b) {
        const shoal_term *t = &bonds[b];
        if (t->atoms[0] >= v->n_atoms || t->atoms[1] >= v->n_atoms) continue; /* electron pairs */
        shoal_json_open(j, NULL, '[');
        shoal_json_integer(j, NULL, t->atoms[0]);
        shoal_json_integer(j, NULL, t->atoms[1]);
        shoal_json_number(j, NULL, t->p[SHOAL_BOND_ORDER]);
        for (int c = 0; c < 3 && shoal_molecule_is_periodic(s->mol); ++c)
            shoal_json_integer(j, NULL, t->shifts[1][c]);
        shoal_json_close(j, ']');
    }
    shoal_json_close(j, ']');
}

/* Atoms with a pi vector, and electron pairs with the atoms that they belong to. */
static void put_auxiliary(shoal_json *j, const shoal_topology_view *v)
{
    if (v->n_directions > 0) {
        shoal_json_open(j, "pi", '[');
        for (int32_t k = 0; k < v->n_directions; ++k)
            shoal_json_integer(j, NULL, v->direction_atoms[k]);
        shoal_json_close(j, ']');
    }
    if (v->n_pairs == 0) return;
    shoal_json_open(j, "electron_pairs", '[');
    for (int32_t i = v->n_atoms; i < v->n_atoms + v->n_pairs; ++i) {
        shoal_json_open(j, NULL, '{');
        shoal_json_put(j, "atom", shoal_mover_host(v, i), "charge", v->charges[i]);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, ']');
}

void row_put_types(shoal_json *j, const shoal_row_style *style, const shoal_stream_system *s)
{
    shoal_topology_view v = {0};
    const shoal_result *r = &s->result;
    const bool typed = r->status == SHOAL_SYSTEM_OK;
    if (s->topology) shoal_topology_get(s->topology, &v);
    shoal_row_open(j, style, s);
    if (!typed) shoal_json_text(j, "reason", r->reason);
    if (r->warning && r->warning[0]) shoal_json_text(j, "warning", r->warning);
    shoal_json_open(j, "types", '[');
    for (int32_t i = 0; i < v.n_atoms && typed; ++i) shoal_json_text(j, NULL, v.types[i]);
    shoal_json_close(j, ']');
    shoal_json_numbers(j, "charges", v.charges, v.n_atoms);
    shoal_json_integers(j, "formal_charges", shoal_molecule_formal_charges(s->mol), v.n_atoms);
    if (s->topology) put_bonds(j, s, &v);
    put_auxiliary(j, &v);
    shoal_row_atoms(j, style, s);
}
