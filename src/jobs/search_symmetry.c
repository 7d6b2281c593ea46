/* SPDX-License-Identifier: BSD-3-Clause
 * Automorphisms of a molecular graph: classes by refinement, then a bounded search. */
#include "jobs/search_symmetry.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "chem/graph.h"

#define MOST_TRIES 2000000 /* steps of the search for automorphisms */

typedef struct finder {
    search_symmetry *s;
    const shoal_molecule *mol;
    graph graph;
    int32_t
        *order; /* [n_core]: core atoms, each but the first of a fragment next to an earlier one */
    int32_t *image; /* [n_atoms]: -1 while it has none */
    bool *taken;    /* [n_atoms] */
    int32_t n_order;
    int64_t tries;
    int32_t capacity;
} finder;

static bool is_inside(const finder *f, int32_t atom)
{
    return atom < f->s->n_atoms;
}

/* --- classes -------------------------------------------------------------------------------------- */

typedef struct colour {
    uint64_t key;
    int32_t atom;
} colour;

static int compare_colours(const void *a, const void *b)
{
    const colour *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->atom > y->atom) - (x->atom < y->atom);
}

/* Numbers the keys in order; how many there are. */
static int32_t number_classes(colour *colours, int32_t n, int32_t *class_of)
{
    int32_t last = -1;
    qsort(colours, (size_t)n, sizeof *colours, compare_colours);
    for (int32_t k = 0; k < n; ++k) {
        if (k == 0 || colours[k].key != colours[k - 1].key) ++last;
        class_of[colours[k].atom] = last;
    }
    return last + 1;
}

/* An atom's class and those of its partners, in no order. */
static uint64_t refined_key(const finder *f, int32_t i)
{
    uint64_t sum = 0;
    for (int32_t e = f->graph.start[i]; e < f->graph.start[i + 1]; ++e)
        if (is_inside(f, f->graph.ends[e].atom))
            sum += random_key(0, (uint64_t)f->s->class_of[f->graph.ends[e].atom]);
    return random_key(random_key(1, (uint64_t)f->s->class_of[i]), sum);
}

static shoal_status find_classes(finder *f, const int32_t *labels)
{
    search_symmetry *s = f->s;
    const int32_t n = s->n_atoms;
    colour *colours = arena_alloc(&s->memory, (size_t)n, sizeof *colours);
    if (!colours) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n; ++i)
        colours[i] = (colour){(uint64_t)f->mol->element[i] << 48 |
                                  (uint64_t)graph_degree(&f->graph, i) << 32 |
                                  (uint32_t)(labels ? labels[i] : 0),
                              i};
    int32_t before = 0, classes = number_classes(colours, n, s->class_of);
    while (classes > before) {
        before = classes;
        for (int32_t i = 0; i < n; ++i) colours[i] = (colour){refined_key(f, i), i};
        classes = number_classes(colours, n, s->class_of);
    }
    return SHOAL_OK;
}

/* --- groups --------------------------------------------------------------------------------------- */

static bool is_end(const finder *f, int32_t i)
{
    return graph_degree(&f->graph, i) == 1;
}

/* End atoms of one class at an atom; the largest such set, in `out`. */
static void collect_ends(const finder *f, int32_t parent, symmetry_group *out)
{
    *out = (symmetry_group){0};
    for (int32_t e = f->graph.start[parent]; e < f->graph.start[parent + 1]; ++e) {
        symmetry_group g = {0};
        const int32_t first = f->graph.ends[e].atom;
        if (!is_inside(f, first) || !is_end(f, first)) continue;
        for (int32_t k = f->graph.start[parent]; k < f->graph.start[parent + 1]; ++k) {
            const int32_t other = f->graph.ends[k].atom;
            if (is_inside(f, other) && is_end(f, other) &&
                f->s->class_of[other] == f->s->class_of[first] && g.n < SYMMETRY_MOST_LIKE)
                g.atoms[g.n++] = other;
        }
        if (g.n > out->n ||
            (g.n == out->n && f->s->class_of[first] < f->s->class_of[out->atoms[0]]))
            *out = g;
    }
}

/* Few core atoms do not say how two geometries lie upon each other: then all atoms are core. */
static void find_groups(finder *f)
{
    search_symmetry *s = f->s;
    int32_t n_single = 0;
    for (int32_t i = 0; i < s->n_atoms; ++i) n_single += !is_end(f, i);
    for (int32_t i = 0; i < s->n_atoms; ++i) s->group_at[i] = -1;
    for (int32_t i = 0; i < s->n_atoms && n_single >= 3; ++i) {
        symmetry_group g;
        if (is_end(f, i)) continue;
        collect_ends(f, i, &g);
        if (g.n < 2 || s->n_atoms - g.n < 3) continue;
        s->group_at[i] = s->n_groups;
        s->parent[s->n_groups] = i;
        s->groups[s->n_groups++] = g;
        for (int32_t k = 0; k < g.n; ++k) s->grouped[g.atoms[k]] = true;
    }
    for (int32_t i = 0; i < s->n_atoms; ++i)
        if (!s->grouped[i]) s->core[s->n_core++] = i;
}

/* --- automorphisms -------------------------------------------------------------------------------- */

/* Core atoms, fragment by fragment, each after one of its partners. */
static void put_in_order(finder *f)
{
    search_symmetry *s = f->s;
    for (int32_t c = 0; c < s->n_core; ++c) {
        if (f->taken[s->core[c]]) continue;
        f->taken[s->core[c]] = true;
        int32_t next = f->n_order;
        f->order[f->n_order++] = s->core[c];
        for (; next < f->n_order; ++next)
            for (int32_t e = f->graph.start[f->order[next]]; e < f->graph.start[f->order[next] + 1];
                 ++e) {
                const int32_t to = f->graph.ends[e].atom;
                if (!is_inside(f, to) || s->grouped[to] || f->taken[to]) continue;
                f->taken[to] = true;
                f->order[f->n_order++] = to;
            }
    }
    memset(f->taken, 0, (size_t)s->n_atoms * sizeof *f->taken);
}

static bool are_bonded(const finder *f, int32_t i, int32_t j)
{
    for (int32_t e = f->graph.start[i]; e < f->graph.start[i + 1]; ++e)
        if (f->graph.ends[e].atom == j) return true;
    return false;
}

/* Whether atom i may go to j, as far as its partners have images. */
static bool fits(const finder *f, int32_t i, int32_t j)
{
    const search_symmetry *s = f->s;
    if (f->taken[j] || s->class_of[i] != s->class_of[j]) return false;
    for (int32_t e = f->graph.start[i]; e < f->graph.start[i + 1]; ++e) {
        const int32_t k = f->graph.ends[e].atom;
        if (is_inside(f, k) && f->image[k] >= 0 && !are_bonded(f, j, f->image[k])) return false;
    }
    return true;
}

/* Keeps what image says; the atoms of a group go to those of its image in their order. */
static shoal_status keep_map(finder *f)
{
    search_symmetry *s = f->s;
    if (s->n_maps == SYMMETRY_MOST_MAPS) {
        s->cut = true;
        return SHOAL_OK;
    }
    if (s->n_maps == f->capacity) {
        const int32_t more = f->capacity > 0 ? 2 * f->capacity : 4;
        int32_t *maps = arena_alloc(&s->memory, (size_t)more * (size_t)s->n_atoms, sizeof *maps);
        if (!maps) return SHOAL_E_MEMORY;
        if (s->n_maps > 0)
            memcpy(maps, s->maps, (size_t)s->n_maps * (size_t)s->n_atoms * sizeof *maps);
        s->maps = maps;
        f->capacity = more;
    }
    int32_t *map = s->maps + (size_t)s->n_maps++ * (size_t)s->n_atoms;
    memcpy(map, f->image, (size_t)s->n_atoms * sizeof *map);
    for (int32_t g = 0; g < s->n_groups; ++g) {
        const symmetry_group *to = &s->groups[s->group_at[f->image[s->parent[g]]]];
        for (int32_t k = 0; k < s->groups[g].n; ++k) map[s->groups[g].atoms[k]] = to->atoms[k];
    }
    return SHOAL_OK;
}

/* The candidate behind `after` for the atom at a place of the order; -1: none. */
static int32_t next_candidate(finder *f, int32_t place, int32_t after)
{
    for (int32_t j = after + 1; j < f->s->n_atoms; ++j)
        if (!f->s->grouped[j] && fits(f, f->order[place], j)) return j;
    return -1;
}

static bool is_identity(const finder *f)
{
    for (int32_t k = 0; k < f->n_order; ++k)
        if (f->image[f->order[k]] != f->order[k]) return false;
    return true;
}

/* Goes through all images but the identity, which is kept already. */
static shoal_status find_maps(finder *f)
{
    search_symmetry *s = f->s;
    int32_t place = 0;
    for (int32_t i = 0; i < s->n_atoms; ++i) f->image[i] = -1;
    while (place >= 0 && !s->cut && f->tries++ < MOST_TRIES) {
        if (place == f->n_order) {
            if (!is_identity(f)) SHOAL_TRY(keep_map(f));
            --place;
            continue;
        }
        const int32_t i = f->order[place], before = f->image[i];
        if (before >= 0) f->taken[before] = false;
        f->image[i] = -1;
        const int32_t j = next_candidate(f, place, before);
        if (j < 0) {
            --place;
            continue;
        }
        f->image[i] = j;
        f->taken[j] = true;
        ++place;
    }
    s->cut = s->cut || f->tries >= MOST_TRIES;
    return SHOAL_OK;
}

static shoal_status keep_identity(finder *f)
{
    for (int32_t i = 0; i < f->s->n_atoms; ++i) f->image[i] = i;
    return keep_map(f);
}

shoal_status search_symmetry_find(search_symmetry *out, const shoal_molecule *mol, int32_t n_atoms,
                                  const int32_t *labels)
{
    *out = (search_symmetry){.n_atoms = n_atoms};
    finder f = {.s = out, .mol = mol};
    arena *memory = &out->memory;
    SHOAL_TRY(graph_build(&f.graph, mol, memory));
    const size_t n = (size_t)n_atoms;
    out->class_of = arena_alloc(memory, n, sizeof *out->class_of);
    out->grouped = arena_alloc(memory, n, sizeof *out->grouped);
    out->core = arena_alloc(memory, n, sizeof *out->core);
    out->groups = arena_alloc(memory, n, sizeof *out->groups);
    out->group_at = arena_alloc(memory, n, sizeof *out->group_at);
    out->parent = arena_alloc(memory, n, sizeof *out->parent);
    f.order = arena_alloc(memory, n, sizeof *f.order);
    f.image = arena_alloc(memory, n, sizeof *f.image);
    f.taken = arena_alloc(memory, n, sizeof *f.taken);
    if (!out->class_of || !out->grouped || !out->core || !out->groups || !out->group_at ||
        !out->parent || !f.order || !f.image || !f.taken)
        return SHOAL_E_MEMORY;
    SHOAL_TRY(find_classes(&f, labels));
    find_groups(&f);
    put_in_order(&f);
    SHOAL_TRY(keep_identity(&f));
    return find_maps(&f);
}

void search_symmetry_free(search_symmetry *s)
{
    arena_free(&s->memory);
    *s = (search_symmetry){0};
}
