/* SPDX-License-Identifier: BSD-3-Clause
 * Types and charges of fragments on their own. */
#include "fit/fragment_types.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "chem/fragments.h"
#include "chem/perceive.h"
#include "ff/table_names.h"
#include "fit/polarity.h"
#include "geom/vector.h"

#define CHARGE_UNIT                                                                                \
    1e-6 /* e; charges are rounded to it, so that files of frames hold all of them */

/* A fragment that was typed. */
typedef struct known_fragment {
    typed_fragment typed;
    const int32_t *element;
    const double (*pos)[3];
    int32_t charge; /* that it was typed with, or UNSTATED */
    int32_t next;   /* with the same bucket, -1 at the end */
} known_fragment;

enum { N_BUCKETS = 256, UNSTATED = INT32_MAX };

struct fragment_typer {
    arena memory;
    shoal_typing_options typing;
    double tolerance;
    shoal_molecule *part;
    known_fragment **known;
    int32_t n, capacity;
    int32_t bucket[N_BUCKETS];
};

shoal_status fragment_typer_create(fragment_typer **out, const shoal_typing_options *typing,
                                   double tolerance)
{
    *out = NULL;
    fragment_typer *typer = shoal_alloc(1, sizeof *typer);
    if (!typer) return SHOAL_E_MEMORY;
    typer->typing = *typing;
    typer->tolerance = tolerance;
    for (int k = 0; k < N_BUCKETS; ++k) typer->bucket[k] = -1;
    const shoal_status status = shoal_molecule_create(&typer->part);
    if (status == SHOAL_OK)
        *out = typer;
    else
        free(typer);
    return status;
}

void fragment_typer_destroy(fragment_typer *typer)
{
    if (!typer) return;
    shoal_molecule_destroy(typer->part);
    arena_free(&typer->memory);
    free((void *)typer->known);
    free(typer);
}

/* The charge that perception will be told: the one that the file states, else that of partial charges. */
static int32_t stated_charge(const shoal_molecule *part)
{
    double sum = 0.0;
    if (part->has_fragment_charge[0]) return part->fragment_charge[0];
    if (!part->has_charges) return UNSTATED;
    for (int32_t i = 0; i < part->n_atoms; ++i) sum += part->charge[i];
    return fabs(sum) < 1e6 ? (int32_t)lround(sum) : 0;
}

static bool is_same(const fragment_typer *typer, const known_fragment *k, int32_t charge)
{
    const shoal_molecule *part = typer->part;
    if (k->typed.n != part->n_atoms || k->charge != charge) return false;
    if (memcmp(k->element, part->element, (size_t)part->n_atoms * sizeof *part->element) != 0)
        return false;
    for (int32_t i = 0; i < part->n_atoms; ++i)
        for (int32_t j = 0; j < i; ++j)
            if (!(fabs(vector_distance(k->pos[i], k->pos[j]) -
                       vector_distance(part->pos[i], part->pos[j])) < typer->tolerance))
                return false;
    return true;
}

static uint32_t bucket_of(const shoal_molecule *part)
{
    const uint32_t h = hash_name(part->element, (size_t)part->n_atoms * sizeof *part->element);
    return (h ^ h >> 16) % N_BUCKETS;
}

/* Places around an atom for bonds and lone pairs, by the geometry that its label tells. */
static int32_t places(const char *label)
{
    const char kind = strlen(label) > 2 ? label[2] : '\0';
    return kind == '1' ? 2 : kind == '2' || kind == 'R' ? 3 : 4;
}

static void describe_atom(const shoal_molecule *mol, const char *const *labels,
                          const int32_t *charges, int32_t i, fragment_atom *a)
{
    const graph *g = &mol->perception->graph;
    int32_t orders = 0;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e)
        orders += bond_valence(&mol->bonds[g->ends[e].bond], i);
    table_name(mol, g, labels, i, a->base);
    memcpy(a->name, a->base, sizeof a->name);
    table_finer_name(mol, g, labels, a->base, i, a->finer);
    if (charges[i] != 0 && table_is_polar(mol, g, i)) table_ion_name(charges[i], a->base, a->name);
    (void)snprintf(a->label, sizeof a->label, "%s", labels[i]);
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e)
        a->polarity += polarity_of_polar_bond(mol->element[i], mol->element[g->ends[e].atom]);
    a->n_bonds = graph_degree(g, i);
    a->n_pi = orders > a->n_bonds ? orders - a->n_bonds : 0;
    a->ion = charges[i];
    const int32_t z = mol->element[i];
    const int32_t left = element_get(z)->outer - orders - mol->formal_charge[i];
    const int32_t room = places(labels[i]) - a->n_bonds;
    if (z == 1 || element_is_metal(z) || left < 2 || room < 1) return;
    a->n_pairs = left / 2 < room ? left / 2 : room;
}

/* Rounded, with what rounding adds taken from the largest, so that the sum stays a whole number. */
static void take_charges(const double *from, int32_t n, fragment_atom *atoms)
{
    double sum = 0.0, rounded = 0.0;
    int32_t largest = 0;
    for (int32_t i = 0; i < n; ++i) {
        atoms[i].charge = nearbyint(from[i] / CHARGE_UNIT) * CHARGE_UNIT;
        sum += from[i];
        rounded += atoms[i].charge;
        if (fabs(from[i]) > fabs(from[largest])) largest = i;
    }
    const double left = nearbyint(sum) - rounded;
    atoms[largest].charge = nearbyint((atoms[largest].charge + left) / CHARGE_UNIT) * CHARGE_UNIT;
}

static bool has_sum(const fragment_atom *atoms, int32_t n, int32_t charge)
{
    double sum = -charge;
    for (int32_t i = 0; i < n; ++i) sum += atoms[i].charge;
    return fabs(sum) < 0.5; /* sums are whole */
}

static shoal_status describe(fragment_typer *typer, const shoal_topology *topology,
                             typed_fragment *out)
{
    const shoal_molecule *part = typer->part;
    shoal_topology_view v;
    arena scratch = {0};
    fragment_atom *atoms = arena_alloc(&typer->memory, (size_t)part->n_atoms, sizeof *atoms);
    shoal_status status = atoms ? shoal_molecule_perceive(typer->part, NULL) : SHOAL_E_MEMORY;
    const int32_t *charges =
        status == SHOAL_OK ? table_charges(part, &part->perception->graph, &scratch) : NULL;
    if (status == SHOAL_OK && !charges) status = SHOAL_E_MEMORY;
    shoal_topology_get(topology, &v);
    for (int32_t i = 0; i < part->n_atoms && status == SHOAL_OK; ++i)
        describe_atom(part, v.types, charges, i, &atoms[i]);
    for (int32_t i = 0; i < part->n_atoms && status == SHOAL_OK; ++i)
        out->formal_charge += part->formal_charge[i];
    const bool charged = typer->typing.charges != SHOAL_CHARGES_NONE;
    if (status == SHOAL_OK && charged) take_charges(v.charges, part->n_atoms, atoms);
    arena_free(&scratch);
    const bool whole =
        status != SHOAL_OK || !charged || has_sum(atoms, part->n_atoms, out->formal_charge);
    if (status == SHOAL_OK && !whole)
        (void)snprintf(
            out->reason, sizeof out->reason, "the charges of %s do not add up to its charge, %d e",
            shoal_charge_source_name((int)typer->typing.charges), (int)out->formal_charge);
    out->atoms = whole ? atoms : NULL;
    return status;
}

static shoal_status type_part(fragment_typer *typer, typed_fragment *out)
{
    shoal_topology *topology = NULL;
    SHOAL_TRY(shoal_topology_create(&topology, typer->part, &typer->typing));
    shoal_status status = SHOAL_OK;
    if (shoal_topology_status(topology) == SHOAL_SYSTEM_OK)
        status = describe(typer, topology, out);
    else
        (void)snprintf(out->reason, sizeof out->reason, "%s", shoal_topology_reason(topology));
    shoal_topology_destroy(topology);
    return status;
}

static shoal_status remember(fragment_typer *typer, int32_t charge, known_fragment **out)
{
    const shoal_molecule *part = typer->part;
    const size_t n = (size_t)part->n_atoms;
    known_fragment *k = arena_alloc(&typer->memory, 1, sizeof *k);
    int32_t *z = arena_alloc(&typer->memory, n, sizeof *z);
    double(*pos)[3] = arena_alloc(&typer->memory, n, sizeof *pos);
    if (!k || !z || !pos) return SHOAL_E_MEMORY;
    SHOAL_TRY(SHOAL_RESERVE(&typer->known, &typer->capacity, typer->n + 1));
    memcpy(z, part->element, n * sizeof *z);
    memcpy(pos, part->pos, n * sizeof *pos);
    *k = (known_fragment){.typed = {.n = part->n_atoms},
                          .element = z,
                          .pos = (const double(*)[3])pos,
                          .charge = charge};
    SHOAL_TRY(type_part(typer, &k->typed));
    int32_t *head = &typer->bucket[bucket_of(part)];
    k->next = *head;
    *head = typer->n;
    typer->known[typer->n++] = k;
    *out = k;
    return SHOAL_OK;
}

shoal_status fragment_typer_find(fragment_typer *typer, const shoal_molecule *mol, int32_t k,
                                 const typed_fragment **out)
{
    known_fragment *found = NULL;
    SHOAL_TRY(fragment_copy(typer->part, mol, k));
    const int32_t charge = stated_charge(typer->part);
    for (int32_t i = typer->bucket[bucket_of(typer->part)]; i >= 0; i = typer->known[i]->next) {
        if (!is_same(typer, typer->known[i], charge)) continue;
        *out = &typer->known[i]->typed;
        return SHOAL_OK;
    }
    SHOAL_TRY(remember(typer, charge, &found));
    *out = &found->typed;
    return SHOAL_OK;
}
