/* SPDX-License-Identifier: BSD-3-Clause
 * Reading lines of SMILES: a molecule with all its hydrogens and a Kekule structure, without coordinates. */
#include "io/smiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chem/hydrogens.h"
#include "chem/perceive.h"
#include "io/reader.h"

static const double nowhere[3] = {0, 0, 0};

/* --- bonds between rings -------------------------------------------------------------------------- */

/* A walk through the graph: an atom, the bond it was reached by, and the end to be looked at next. */
typedef struct walk_step {
    int32_t atom, bond, end;
} walk_step;

typedef struct walk {
    const graph *g;
    walk_step *steps;
    int32_t n;
    int32_t *seen,
        *low;      /* order of the visit, from 1, and the earliest that is reached from there */
    bool *in_ring; /* by bond */
    int32_t n_seen;
} walk;

static void enter(walk *w, int32_t atom, int32_t bond)
{
    w->seen[atom] = w->low[atom] = ++w->n_seen;
    w->steps[w->n++] = (walk_step){atom, bond, w->g->start[atom]};
}

/* A bond is in no ring if nothing behind it leads back to an atom before it. */
static void leave(walk *w)
{
    const walk_step *last = &w->steps[--w->n];
    if (w->n == 0) return;
    const int32_t before = w->steps[w->n - 1].atom;
    if (w->low[last->atom] < w->low[before]) w->low[before] = w->low[last->atom];
    w->in_ring[last->bond] = w->low[last->atom] <= w->seen[before];
}

static void walk_from(walk *w, int32_t atom)
{
    enter(w, atom, -1);
    while (w->n > 0) {
        walk_step *top = &w->steps[w->n - 1];
        if (top->end == w->g->start[top->atom + 1]) {
            leave(w);
            continue;
        }
        const graph_end *end = &w->g->ends[top->end++];
        if (end->bond == top->bond) continue;
        if (w->seen[end->atom] == 0) {
            enter(w, end->atom, end->bond);
            continue;
        }
        w->in_ring[end->bond] = true;
        if (w->seen[end->atom] < w->low[top->atom]) w->low[top->atom] = w->seen[end->atom];
    }
}

/* in_ring[n_bonds] */
static shoal_status find_ring_bonds(const shoal_molecule *mol, const graph *g, bool **in_ring,
                                    arena *memory)
{
    const size_t n = (size_t)mol->n_atoms;
    walk w = {.g = g};
    w.steps = arena_alloc_dirty(memory, n + 1, sizeof *w.steps);
    w.seen = arena_alloc(memory, n, sizeof *w.seen);
    w.low = arena_alloc(memory, n, sizeof *w.low);
    w.in_ring = arena_alloc(memory, (size_t)mol->n_bonds, sizeof *w.in_ring);
    if (!w.steps || !w.seen || !w.low || !w.in_ring) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        if (w.seen[i] == 0) walk_from(&w, i);
    *in_ring = w.in_ring;
    return SHOAL_OK;
}

/* --- from the text to a molecule ------------------------------------------------------------------ */

static int32_t written_order(const smiles_graph *g, const smiles_bond *b)
{
    switch (b->symbol) {
    case '=': return SHOAL_ORDER_DOUBLE;
    case '#': return SHOAL_ORDER_TRIPLE;
    case '$': return SHOAL_ORDER_QUADRUPLE;
    case ':': return SHOAL_ORDER_AROMATIC;
    case '-': return SHOAL_ORDER_SINGLE;
    default: break;
    }
    const bool aromatic = g->atoms[b->a].aromatic && g->atoms[b->b].aromatic && b->up == 0;
    return aromatic ? SHOAL_ORDER_AROMATIC : SHOAL_ORDER_SINGLE;
}

static shoal_status add_hydrogens(shoal_molecule *mol, int32_t atom, int32_t n)
{
    SHOAL_TRY(molecule_reserve_atoms(mol, mol->n_atoms + n));
    SHOAL_TRY(molecule_reserve_bonds(mol, mol->n_bonds + n));
    for (int32_t k = 0; k < n; ++k) {
        molecule_push_atom(mol, 1, nowhere);
        molecule_push_bond(mol, atom, mol->n_atoms - 1, SHOAL_ORDER_SINGLE);
    }
    return SHOAL_OK;
}

/* Atoms and bonds as written, then the hydrogens that brackets state. */
static shoal_status take_atoms(const smiles_graph *g, shoal_molecule *mol)
{
    SHOAL_TRY(molecule_reserve_atoms(mol, g->n_atoms));
    SHOAL_TRY(molecule_reserve_bonds(mol, g->n_bonds));
    for (int32_t i = 0; i < g->n_atoms; ++i) {
        molecule_push_atom(mol, g->atoms[i].z, nowhere);
        mol->formal_charge[i] = g->atoms[i].charge;
        SHOAL_TRY(molecule_set_mark(&mol->isotope, i, g->atoms[i].isotope));
    }
    for (int32_t k = 0; k < g->n_bonds; ++k)
        molecule_push_bond(mol, g->bonds[k].a, g->bonds[k].b, written_order(g, &g->bonds[k]));
    for (int32_t i = 0; i < g->n_atoms; ++i)
        if (g->atoms[i].n_h > 0) SHOAL_TRY(add_hydrogens(mol, i, g->atoms[i].n_h));
    mol->has_bonds = mol->has_formal_charges = true;
    mol->geometry = SHOAL_GEOMETRY_NONE;
    return SHOAL_OK;
}

/* A Kekule structure. Between aromatic atoms of two rings nothing written means a single bond. */
static shoal_status find_orders(smiles_graph *g, shoal_molecule *mol)
{
    graph bonds;
    bool *in_ring;
    if (!valence_has_free_bonds(mol)) return SHOAL_OK;
    arena_reset(&g->memory);
    SHOAL_TRY(graph_build(&bonds, mol, &g->memory));
    SHOAL_TRY(find_ring_bonds(mol, &bonds, &in_ring, &g->memory));
    for (int32_t k = 0; k < g->n_bonds; ++k)
        if (!in_ring[k] && g->bonds[k].symbol == '\0') mol->bonds[k].order = SHOAL_ORDER_SINGLE;
    return valence_find_orders(mol, &bonds, &g->memory);
}

/* Bare symbols get the hydrogens that their valence asks for; what atoms in brackets lack are unpaired
 * electrons. */
static shoal_status fill_valences(const smiles_graph *g, shoal_molecule *mol)
{
    for (int32_t i = 0; i < g->n_atoms; ++i) {
        const int32_t used = hydrogens_look(mol, i).valence;
        const int32_t n = hydrogens_lacking(g->atoms[i].z, g->atoms[i].charge, used);
        if (g->atoms[i].n_h < 0)
            SHOAL_TRY(add_hydrogens(mol, i, n));
        else
            mol->radical[i] = n;
    }
    return SHOAL_OK;
}

static shoal_status keep_maps(shoal_reader *rd, shoal_molecule *mol)
{
    const smiles_graph *g = &rd->smiles;
    rd->value.size = 0;
    for (int32_t i = 0; i < g->n_atoms; ++i) {
        if (g->atoms[i].map == 0) continue;
        if (rd->value.size > 0) shoal_string_put(&rd->value, " ", 1);
        shoal_string_put_integer(&rd->value, i + 1);
        shoal_string_put(&rd->value, ":", 1);
        shoal_string_put_integer(&rd->value, g->atoms[i].map);
    }
    SHOAL_TRY(rd->value.status);
    if (rd->value.size == 0) return SHOAL_OK;
    return molecule_add_property(mol, shoal_span_of("atom_maps"), shoal_string_span(&rd->value));
}

static shoal_status refuse(const shoal_reader *rd, shoal_span text, const smiles_error *error)
{
    char what[128];
    (void)snprintf(what, sizeof what, "%s in column %d", error->what, error->column);
    return shoal_input_fail(rd->in, text, what, "%s", error->expected);
}

shoal_status smiles_take(shoal_reader *rd, shoal_molecule *mol, shoal_span text)
{
    smiles_error error = {0};
    shoal_status status = smiles_parse(&rd->smiles, text, &error);
    if (status == SHOAL_OK) status = take_atoms(&rd->smiles, mol);
    if (status == SHOAL_OK) status = smiles_set_stereo(&rd->smiles, mol, &error);
    if (status == SHOAL_E_FORMAT) return refuse(rd, text, &error);
    if (status == SHOAL_OK) status = find_orders(&rd->smiles, mol);
    if (status == SHOAL_E_FORMAT) return shoal_input_refuse(rd->in, text, "bad SMILES", status);
    SHOAL_TRY(status);
    SHOAL_TRY(fill_valences(&rd->smiles, mol));
    SHOAL_TRY(molecule_add_property(mol, shoal_span_of("smiles"), text));
    return keep_maps(rd, mol);
}

/* A SMILES, blanks, and a name up to the end of the line; without one the SMILES is the name. A first line whose first
 * word is "smiles" is a heading. */
shoal_status smiles_read(shoal_reader *rd, shoal_molecule *mol, bool *found)
{
    shoal_span line, text;
    do {
        SHOAL_TRY(shoal_input_line(rd->in, &line, found));
        if (!*found) return SHOAL_OK;
        text = shoal_span_word(&line);
    } while (text.size == 0 ||
             (shoal_input_at(rd->in) == 1 && shoal_span_equal_nocase(text, "smiles")));
    line = shoal_span_trim(line);
    SHOAL_TRY(molecule_set_name(mol, line.size > 0 ? line : text));
    return smiles_take(rd, mol, text);
}
