/* SPDX-License-Identifier: BSD-3-Clause
 * Names of atoms in tables of types. */
#include "ff/table_names.h"

#include <stdio.h>
#include <string.h>

#include "chem/element.h"

/* A hydrogen is called by its neighbour: H_O, H_N, H_Cl, and H_C1, H_C2, H_C3 by the hybridisation
 * of a carbon. One without neighbour, or with several, keeps its label. */
static void name_hydrogen(const shoal_molecule *mol, const graph *g, const char *const *labels,
                          int32_t atom, char out[SHOAL_TYPE_NAME_SIZE])
{
    if (graph_degree(g, atom) != 1) return;
    const int32_t other = g->ends[g->start[atom]].atom;
    const int32_t z = mol->element[other];
    if (z == 1) return;
    if (z != 6) {
        (void)snprintf(out, SHOAL_TYPE_NAME_SIZE, "H_%s", element_get(z)->symbol);
        return;
    }
    const char kind = labels[other][2];
    (void)snprintf(out, SHOAL_TYPE_NAME_SIZE, "H_C%c", kind == 'R' ? '2' : kind);
}

void table_name(const shoal_molecule *mol, const graph *g, const char *const *labels, int32_t atom,
                char out[SHOAL_TYPE_NAME_SIZE])
{
    const char *label = labels[atom];
    (void)snprintf(out, SHOAL_TYPE_NAME_SIZE, "%s", label);
    if (mol->element[atom] == 1) name_hydrogen(mol, g, labels, atom, out);
    if (strcmp(label, "N_R") == 0 || strcmp(label, "N_2") == 0)
        (void)snprintf(out, SHOAL_TYPE_NAME_SIZE, "N_%c", graph_degree(g, atom) == 2 ? '2' : 'R');
}

/* Neighbours of an element; 0: of neither C nor H. */
static int32_t count_neighbours(const shoal_molecule *mol, const graph *g, int32_t atom, int32_t z)
{
    int32_t n = 0;
    for (int32_t e = g->start[atom]; e < g->start[atom + 1]; ++e) {
        const int32_t other = mol->element[g->ends[e].atom];
        n += z > 0 ? other == z : other != 1 && other != 6;
    }
    return n;
}

void table_finer_name(const shoal_molecule *mol, const graph *g, const char *name, int32_t atom,
                      char out[SHOAL_TYPE_NAME_SIZE])
{
    const int32_t z = mol->element[atom];
    int32_t carbon = z == 6 ? atom : -1;
    (void)snprintf(out, SHOAL_TYPE_NAME_SIZE, "%s", name);
    if (z == 1 && graph_degree(g, atom) == 1) carbon = g->ends[g->start[atom]].atom;
    if (carbon >= 0 && mol->element[carbon] == 6) {
        if (count_neighbours(mol, g, carbon, 0) > 0)
            (void)snprintf(out, SHOAL_TYPE_NAME_SIZE, "%.14sx", name);
        return;
    }
    if (z != 7 && z != 8 && z != 15 && z != 16) return;
    const int32_t n = count_neighbours(mol, g, atom, 1);
    if (n > 0 && n < 10) (void)snprintf(out, SHOAL_TYPE_NAME_SIZE, "%.13sh%d", name, (int)n);
}

bool table_is_finer(const char *name, const char *parent)
{
    const size_t n = strlen(parent);
    if (n == 0 || strncmp(name, parent, n) != 0) return false;
    const char *rest = name + n;
    return strcmp(rest, "x") == 0 ||
           (rest[0] == 'h' && rest[1] >= '1' && rest[1] <= '9' && !rest[2]);
}

/* Marks all atoms that bonds join to one; queue[n_atoms]. Returns how many there are. */
static int32_t collect(const graph *g, int32_t from, bool *seen, int32_t *queue)
{
    int32_t n = 0;
    queue[n++] = from;
    seen[from] = true;
    for (int32_t k = 0; k < n; ++k)
        for (int32_t e = g->start[queue[k]]; e < g->start[queue[k] + 1]; ++e) {
            const int32_t j = g->ends[e].atom;
            if (seen[j]) continue;
            seen[j] = true;
            queue[n++] = j;
        }
    return n;
}

const int32_t *table_charges(const shoal_molecule *mol, const graph *g, arena *memory)
{
    const size_t n_atoms = (size_t)mol->n_atoms;
    int32_t *charge = arena_alloc(memory, n_atoms, sizeof *charge);
    int32_t *queue = arena_alloc(memory, n_atoms, sizeof *queue);
    bool *seen = arena_alloc(memory, n_atoms, sizeof *seen);
    if (!charge || !queue || !seen) return NULL;
    /* The images of a crystal are one thing, whatever bonds they have. */
    const bool whole = shoal_molecule_is_periodic(mol);
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        if (whole) charge[i] = mol->total_charge;
        if (whole || seen[i]) continue;
        const int32_t n = collect(g, i, seen, queue);
        int32_t sum = 0;
        for (int32_t k = 0; k < n; ++k) sum += mol->formal_charge[queue[k]];
        for (int32_t k = 0; k < n; ++k) charge[queue[k]] = sum;
    }
    return charge;
}

void table_ion_name(int32_t charge, const char *name, char out[SHOAL_TYPE_NAME_SIZE])
{
    (void)snprintf(out, SHOAL_TYPE_NAME_SIZE, "%.14s%s", name, charge > 0 ? "+" : "-");
}

bool table_is_polar(const shoal_molecule *mol, const graph *g, int32_t atom)
{
    if (mol->element[atom] == 6) return false;
    if (mol->element[atom] != 1 || graph_degree(g, atom) != 1) return true;
    return mol->element[g->ends[g->start[atom]].atom] != 6;
}
