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

/* Behind a name: x for a neighbour that is neither carbon nor hydrogen, x2 for two of them .. */
static void put_hetero(const shoal_molecule *mol, const graph *g, int32_t atom,
                       char out[SHOAL_TYPE_NAME_SIZE])
{
    const int32_t n = count_neighbours(mol, g, atom, 0);
    const size_t used = strlen(out);
    if (n < 1 || n > 9) return;
    (void)snprintf(out + used, SHOAL_TYPE_NAME_SIZE - used, n > 1 ? "x%d" : "x", (int)n);
}

/* Behind the name of a hydrogen: what carbon has; p on a planar atom; the number of hydrogens where there is nothing else,
 * as in water and ammonia. */
static void put_place_of_hydrogen(const shoal_molecule *mol, const graph *g,
                                  const char *const *labels, int32_t atom,
                                  char out[SHOAL_TYPE_NAME_SIZE])
{
    const int32_t other = g->ends[g->start[atom]].atom, z = mol->element[other];
    const size_t used = strlen(out);
    if (z == 6) put_hetero(mol, g, other, out);
    if (z != 7 && z != 8) return;
    const char kind = labels[other][2];
    const int32_t n = count_neighbours(mol, g, other, 1);
    if (kind == 'R' || kind == '2')
        (void)snprintf(out + used, SHOAL_TYPE_NAME_SIZE - used, "p");
    else if (n > 1 && n == graph_degree(g, other))
        (void)snprintf(out + used, SHOAL_TYPE_NAME_SIZE - used, "h%d", (int)n);
}

static bool counts_hydrogens(int32_t z)
{
    return z == 7 || z == 8 || z == 15 || z == 16 || z == 9 || z == 17 || z == 35 || z == 53;
}

void table_finer_name(const shoal_molecule *mol, const graph *g, const char *const *labels,
                      const char *name, int32_t atom, char out[SHOAL_TYPE_NAME_SIZE])
{
    const int32_t z = mol->element[atom];
    (void)snprintf(out, SHOAL_TYPE_NAME_SIZE, "%.10s", name);
    if (z == 1 && graph_degree(g, atom) == 1) put_place_of_hydrogen(mol, g, labels, atom, out);
    if (z == 6) put_hetero(mol, g, atom, out);
    if (!counts_hydrogens(z)) return;
    const int32_t n = count_neighbours(mol, g, atom, 1);
    const size_t used = strlen(out);
    if (n > 0 && n < 10) (void)snprintf(out + used, SHOAL_TYPE_NAME_SIZE - used, "h%d", (int)n);
    if (count_neighbours(mol, g, atom, 0) > 0 && used + 4 < SHOAL_TYPE_NAME_SIZE) strcat(out, "x");
}

static bool is_digit_of(char c, char least)
{
    return c >= least && c <= '9';
}

/* What may stand behind the name of a parent: h1, h2x, x, x3, p .. */
static bool is_suffix(const char *rest)
{
    if (strcmp(rest, "p") == 0) return true;
    if (rest[0] == 'h' && is_digit_of(rest[1], '1')) {
        rest += 2;
        if (!*rest) return true;
    }
    return rest[0] == 'x' && (!rest[1] || (is_digit_of(rest[1], '2') && !rest[2]));
}

bool table_is_finer(const char *name, const char *parent)
{
    const size_t n = strlen(parent);
    return n > 0 && strncmp(name, parent, n) == 0 && is_suffix(name + n);
}

/* One refinement less: x3, x2, x, nothing. False for a name that has none. */
static bool make_coarser(char *name)
{
    const size_t n = strlen(name);
    for (size_t k = n > 4 ? n - 4 : 1; k < n; ++k) {
        if (!is_suffix(name + k)) continue;
        char *last = &name[n - 1];
        if (*last == '2' && last[-1] == 'x')
            *last = '\0';
        else if (is_digit_of(*last, '2'))
            --*last;
        else
            last[*last == '1' ? -1 : 0] = '\0';
        return true;
    }
    return false;
}

int32_t table_find_finer(const shoal_atom_types *types, const char *name)
{
    char rest[SHOAL_TYPE_NAME_SIZE];
    int32_t found = shoal_atom_types_find(types, name);
    (void)snprintf(rest, sizeof rest, "%s", name);
    while (found < 0 && make_coarser(rest)) found = shoal_atom_types_find(types, rest);
    for (int32_t k = 0; k < shoal_atom_types_count(types) && found < 0; ++k) {
        const shoal_atom_type *t = shoal_atom_types_get(types, k);
        if (strcmp(t->parent, rest) == 0 && table_is_finer(t->name, rest)) found = k;
    }
    return found;
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
