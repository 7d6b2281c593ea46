/* SPDX-License-Identifier: BSD-3-Clause
 * Frameworks without what lies in their pores. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"
#include "chem/molecule.h"
#include "chem/perceive.h"

/* Connected parts of a molecule: number of each atom, and whether a part leads to images of itself. */
typedef struct parts {
    int32_t n;
    int32_t *of;        /* [n_atoms] */
    bool *endless;      /* [n] */
    int32_t *list;      /* [n_atoms] room for a walk */
    int32_t (*cell)[3]; /* [n_atoms] where the walk came to an atom first */
} parts;

static void parts_free(parts *p)
{
    free(p->of);
    free(p->endless);
    free(p->list);
    free(p->cell);
}

static void walk(const graph *g, int32_t root, parts *p)
{
    int32_t n = 1;
    p->list[0] = root;
    p->of[root] = p->n;
    for (int32_t k = 0; k < n; ++k) {
        const int32_t i = p->list[k];
        for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
            const int32_t j = g->ends[e].atom;
            int32_t at[3];
            for (int c = 0; c < 3; ++c) at[c] = p->cell[i][c] + g->ends[e].shift[c];
            if (p->of[j] >= 0) {
                p->endless[p->n] |= memcmp(at, p->cell[j], sizeof at) != 0;
                continue;
            }
            p->of[j] = p->n;
            memcpy(p->cell[j], at, sizeof at);
            p->list[n++] = j;
        }
    }
    ++p->n;
}

static shoal_status find_parts(const shoal_molecule *mol, parts *p)
{
    const size_t n = (size_t)mol->n_atoms;
    *p = (parts){.of = shoal_alloc(n, sizeof *p->of),
                 .endless = shoal_alloc(n, sizeof *p->endless),
                 .list = shoal_alloc(n, sizeof *p->list),
                 .cell = shoal_alloc(n, sizeof *p->cell)};
    if (!p->of || !p->endless || !p->list || !p->cell) return SHOAL_E_MEMORY;
    for (size_t i = 0; i < n; ++i) p->of[i] = -1;
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        if (p->of[i] < 0) walk(&mol->perception->graph, i, p);
    return SHOAL_OK;
}

/* Carbon, hydrogen, then the others by number: C3H7NO, with the charge behind it. */
static void write_formula(const shoal_molecule *mol, const parts *p, int32_t part, char text[96])
{
    int32_t count[ELEMENT_MAX + 1] = {0}, charge = 0;
    size_t used = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        if (p->of[i] != part) continue;
        ++count[mol->element[i]];
        charge += mol->formal_charge[i];
    }
    for (int32_t k = -2; k <= ELEMENT_MAX && used + 16 < 96; ++k) {
        const int32_t z = k == -2 ? 6 : k == -1 ? 1 : k;
        if (z < 1 || count[z] == 0 || (k > 0 && (z == 6 || z == 1))) continue;
        used += (size_t)snprintf(text + used, 96 - used, "%s", element_get(z)->symbol);
        if (count[z] > 1) used += (size_t)snprintf(text + used, 96 - used, "%d", count[z]);
    }
    if (charge != 0) (void)snprintf(text + used, 96 - used, "(%+d)", charge);
}

enum { KINDS = 12, TEXT_SIZE = KINDS * 112 };

/* "12 H2O, 2 C3H7NO, 4 Cl(-1)" */
static void tell_dropped(const shoal_molecule *mol, const parts *p, char text[TEXT_SIZE])
{
    char kind[KINDS][96];
    int32_t n[KINDS] = {0}, n_kinds = 0, n_others = 0;
    size_t used = 0;
    for (int32_t k = 0; k < p->n; ++k) {
        char formula[96] = "";
        int32_t m = 0;
        if (p->endless[k]) continue;
        write_formula(mol, p, k, formula);
        while (m < n_kinds && strcmp(kind[m], formula) != 0) ++m;
        if (m == KINDS) {
            ++n_others;
            continue;
        }
        if (m == n_kinds) memcpy(kind[n_kinds++], formula, sizeof formula);
        ++n[m];
    }
    for (int32_t m = 0; m < n_kinds; ++m)
        used += (size_t)snprintf(text + used, TEXT_SIZE - used, "%s%d %s", m ? ", " : "", n[m],
                                 kind[m]);
    if (n_others > 0) (void)snprintf(text + used, TEXT_SIZE - used, ", %d others", n_others);
}

static shoal_status copy_atoms(shoal_molecule *to, const shoal_molecule *from, const parts *p,
                               int32_t *place)
{
    for (int32_t i = 0; i < from->n_atoms; ++i) {
        const int32_t k = to->n_atoms;
        place[i] = -1;
        if (!p->endless[p->of[i]]) continue;
        SHOAL_TRY(shoal_molecule_add_atom(to, from->element[i], from->pos[i]));
        place[i] = k;
        to->formal_charge[k] = from->formal_charge[i];
        to->radical[k] = from->radical[i];
        to->charge[k] = from->charge[i];
        memcpy(to->type[k], from->type[i], sizeof to->type[k]);
        SHOAL_TRY(molecule_set_mark(&to->isotope, k, molecule_mark(&from->isotope, i)));
    }
    to->has_charges = from->has_charges;
    to->has_formal_charges = from->has_formal_charges;
    return SHOAL_OK;
}

static shoal_status copy_bonds(shoal_molecule *to, const shoal_molecule *from, const int32_t *place)
{
    for (int32_t b = 0; b < from->n_bonds; ++b) {
        shoal_bond bond = from->bonds[b];
        if (place[bond.i] < 0) continue;
        bond.i = place[bond.i];
        bond.j = place[bond.j];
        SHOAL_TRY(shoal_molecule_add_bonds(to, 1, &bond));
    }
    to->has_bonds = from->has_bonds;
    return SHOAL_OK;
}

/* What the file gave of the parts without end. */
static shoal_status keep_endless(shoal_molecule *mol, const shoal_molecule *perceived,
                                 const parts *p)
{
    char text[TEXT_SIZE] = "";
    shoal_molecule *part = NULL;
    SHOAL_TRY(shoal_molecule_create(&part));
    tell_dropped(perceived, p, text);
    shoal_status status = molecule_set_name(part, shoal_span_of(mol->name));
    if (status == SHOAL_OK)
        status = shoal_molecule_set_cell(part, (const double(*)[3])mol->cell, mol->pbc);
    if (status == SHOAL_OK) status = copy_atoms(part, mol, p, p->list);
    if (status == SHOAL_OK) status = copy_bonds(part, mol, p->list);
    for (int32_t k = 0; k < mol->n_properties && status == SHOAL_OK; ++k)
        status = molecule_add_property(part, shoal_span_of(mol->properties[k].key),
                                       shoal_span_of(mol->properties[k].value));
    if (status == SHOAL_OK)
        status = molecule_set_property(part, shoal_span_of("dropped"), shoal_span_of(text));
    if (status == SHOAL_OK) status = shoal_molecule_copy(mol, part);
    shoal_molecule_destroy(part);
    return status;
}

static shoal_status drop_from(shoal_molecule *mol, const shoal_molecule *perceived,
                              int32_t *n_dropped)
{
    parts p;
    shoal_status status = find_parts(perceived, &p);
    int32_t n_endless = 0;
    for (int32_t i = 0; i < mol->n_atoms && status == SHOAL_OK; ++i)
        n_endless += p.endless[p.of[i]];
    *n_dropped = n_endless > 0 ? mol->n_atoms - n_endless : 0;
    if (status == SHOAL_OK && *n_dropped > 0) status = keep_endless(mol, perceived, &p);
    parts_free(&p);
    return status;
}

shoal_status shoal_molecule_drop_solvent(shoal_molecule *mol, const shoal_perceive_options *options,
                                         int32_t *n_dropped)
{
    shoal_molecule *perceived = NULL;
    int32_t n = 0;
    shoal_clear_error();
    SHOAL_NEED(mol);
    if (n_dropped) *n_dropped = 0;
    if (!shoal_molecule_is_periodic(mol) || mol->n_atoms == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_molecule_create(&perceived));
    shoal_status status = shoal_molecule_copy(perceived, mol);
    if (status == SHOAL_OK) status = shoal_molecule_perceive(perceived, options);
    if (status == SHOAL_OK) status = drop_from(mol, perceived, &n);
    shoal_molecule_destroy(perceived);
    if (n_dropped) *n_dropped = n;
    return status;
}
