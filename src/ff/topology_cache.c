/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies by molecule. The key is all that the second half of perception and typing read: elements, formal
 * charges, radicals, bonds with their orders and images, whether these were found, given types and charges, directions that repeat.
 * Positions decide on bonds and orders in the first half of perception, which every molecule goes through;
 * beyond that they decide on QEq charges, trigonal bipyramids, squares, octahedra, oxo groups and sites of pair models, which are never shared. */
#include "ff/topology_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/molecule.h"
#include "chem/perceive.h"
#include "ff/topology.h"

enum {
    N_WAYS = 4, /* entries that a hash may lie in; the one that was used longest ago gives way */
    N_ENTRIES = 4096,
    MAX_ATOMS = 32768,
    MOST_KEYED = 1 << 26, /* atoms and bonds that a key has room for */
};

/* A molecule as it was before the second half of perception (the key) and after it. */
typedef struct cache_entry {
    uint64_t hash;
    int64_t used;     /* when, by the clock of the cache */
    uint64_t *memory; /* key[n_words], bonds, formal charges */
    int32_t capacity; /* words of the memory */
    int32_t n_words;  /* of the key */
    int32_t n_atoms, n_bonds;
    int32_t total_charge;
    shoal_topology *topology; /* NULL: the entry is empty */
} cache_entry;

struct topology_cache {
    shoal_perceive_options perceive;
    shoal_typing_options forcefield;
    bool asks_molecules; /* for their total charge, as no options of perception were given */
    int32_t max_atoms;
    cache_entry *entries; /* [N_ENTRIES] */
    int32_t hand;         /* the entry that gives way next where atoms are too many */
    int64_t clock;
    topology_cache_counts counts;
    uint64_t *key; /* of the present molecule */
    int32_t n_words, capacity;
    /* Of the molecule that is being typed; their memory is used again. */
    chem_perception *perception;
    arena scratch;
};

topology_cache *topology_cache_create(const typing_options *options)
{
    topology_cache *c = shoal_alloc(1, sizeof *c);
    if (!c) return NULL;
    c->entries = shoal_alloc(N_ENTRIES, sizeof *c->entries);
    if (!c->entries) {
        free(c);
        return NULL;
    }
    if (options && options->forcefield) c->forcefield = *options->forcefield;
    c->asks_molecules = !options || !options->perceive;
    if (!c->asks_molecules) c->perceive = *options->perceive;
    c->max_atoms = options && options->max_atoms > 0 ? options->max_atoms : MAX_ATOMS;
    return c;
}

void topology_cache_destroy(topology_cache *cache)
{
    if (!cache) return;
    for (int32_t k = 0; k < N_ENTRIES; ++k) {
        shoal_topology_destroy(cache->entries[k].topology);
        free(cache->entries[k].memory);
    }
    free(cache->entries);
    free(cache->key);
    perception_destroy(cache->perception);
    arena_free(&cache->scratch);
    free(cache);
}

topology_cache_counts topology_cache_count(const topology_cache *cache)
{
    return cache->counts;
}

/* Two atoms to a word. False where a number does not fit; readers give none of those. */
static bool put_atoms(uint64_t *to, const shoal_molecule *mol)
{
    uint32_t beyond = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const uint32_t z = (uint32_t)mol->element[i], radical = (uint32_t)mol->radical[i];
        const uint32_t charge = (uint32_t)mol->formal_charge[i] + 0x8000;
        beyond |= z >> 8 | radical >> 8 | charge >> 16;
        const uint64_t packed = z | radical << 8 | charge << 16;
        to[i / 2] = i % 2 ? to[i / 2] | packed << 32 : packed;
    }
    return beyond == 0;
}

/* A bond to a word; *shifted: some of them lead to other images. */
static bool put_bonds(uint64_t *to, const shoal_molecule *mol, bool *shifted)
{
    uint32_t beyond = 0;
    int32_t shifts = 0;
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *bond = &mol->bonds[b];
        beyond |= (uint32_t)bond->order >> 8;
        shifts |= bond->shift[0] | bond->shift[1] | bond->shift[2];
        to[b] = (uint64_t)bond->i | (uint64_t)bond->j << 28 | (uint64_t)bond->order << 56;
    }
    *shifted = shifts != 0;
    return beyond == 0;
}

static void put_shifts(uint64_t *to, const shoal_molecule *mol)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b, to += 2) {
        const int32_t *s = mol->bonds[b].shift;
        to[0] = (uint32_t)s[0] | (uint64_t)(uint32_t)s[1] << 32;
        to[1] = (uint32_t)s[2];
    }
}

static bool has_shared(const shoal_molecule *mol)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b)
        if (mol->bonds[b].shared > 0) return true;
    return false;
}

static bool has_types(const shoal_molecule *mol)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        if (mol->type[i][0]) return true;
    return false;
}

/* The key of a molecule whose orders are known; *keyed: it has one. What is left out of most keys (types,
 * charges, shifts) is announced in the second word. */
static shoal_status make_key(topology_cache *c, const shoal_molecule *mol, bool *keyed)
{
    const int32_t n = mol->n_atoms, m = mol->n_bonds;
    *keyed = n > 0 && n < MOST_KEYED && m < MOST_KEYED;
    if (!*keyed) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&c->key, &c->capacity, 3 + 3 * n + 4 * m));
    const bool types = has_types(mol);
    const bool charges = mol->has_charges && c->forcefield.charges != SHOAL_CHARGES_NONE;
    bool shifted;
    uint64_t *to = c->key + 2;
    *keyed = put_atoms(to, mol);
    to += (n + 1) / 2;
    *keyed = put_bonds(to, mol, &shifted) && *keyed;
    to += m;
    if (types) memcpy(to, mol->type, (size_t)n * sizeof *mol->type);
    to += types ? n : 0;
    if (charges) memcpy(to, mol->charge, (size_t)n * sizeof *mol->charge);
    to += charges ? n : 0;
    if (shifted) put_shifts(to, mol);
    to += shifted ? 2 * m : 0;
    const bool shared = has_shared(mol);
    for (int32_t b = 0; b < m && shared; ++b)
        memcpy(to++, &mol->bonds[b].shared, sizeof mol->bonds[b].shared);
    const uint32_t flags =
        (uint32_t)mol->has_formal_charges | (uint32_t)mol->has_charges << 1 | (uint32_t)types << 2 |
        (uint32_t)shifted << 3 | (uint32_t)mol->pbc[0] << 4 | (uint32_t)mol->pbc[1] << 5 |
        (uint32_t)mol->pbc[2] << 6 | (uint32_t)mol->orders_found << 7 | (uint32_t)shared << 8;
    c->key[0] = (uint32_t)n | (uint64_t)(uint32_t)m << 32;
    c->key[1] = (uint32_t)mol->total_charge | (uint64_t)flags << 32;
    c->n_words = (int32_t)(to - c->key);
    return SHOAL_OK;
}

static uint64_t hash_key(const uint64_t *key, int32_t n)
{
    uint64_t hash = (uint64_t)n;
    for (int32_t k = 0; k < n; ++k) {
        hash = (hash ^ key[k]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    hash *= UINT64_C(0x9E3779B97F4A7C15); /* the last word reaches all bits, too */
    return hash ^ hash >> 32;
}

/* The entry of the present key, or the one that it may take; *found tells which. */
static cache_entry *find_entry(topology_cache *c, uint64_t hash, bool *found)
{
    cache_entry *ways = &c->entries[hash % (N_ENTRIES / N_WAYS) * N_WAYS], *oldest = ways;
    for (int k = 0; k < N_WAYS; ++k) {
        cache_entry *e = &ways[k];
        *found = e->topology && e->hash == hash && e->n_words == c->n_words &&
                 memcmp(e->memory, c->key, (size_t)c->n_words * sizeof *c->key) == 0;
        if (*found) return e;
        if (e->used < oldest->used) oldest = e;
    }
    return oldest;
}

static void forget(topology_cache *c, cache_entry *e)
{
    if (!e->topology) return;
    shoal_topology_destroy(e->topology);
    e->topology = NULL;
    e->used = 0;
    c->counts.n_atoms -= e->n_atoms;
    --c->counts.n_kept;
}

/* The largest molecules are remembered too, alone. */
static void make_room(topology_cache *c, int32_t n_atoms)
{
    while (c->counts.n_kept > 0 && c->counts.n_atoms > c->max_atoms - n_atoms) {
        forget(c, &c->entries[c->hand]);
        c->hand = (c->hand + 1) % N_ENTRIES;
    }
}

static shoal_bond *entry_bonds(const cache_entry *e)
{
    return (shoal_bond *)(void *)(e->memory + e->n_words);
}

static int32_t *entry_charges(const cache_entry *e)
{
    return (int32_t *)(void *)(entry_bonds(e) + e->n_bonds);
}

/* Remembers a molecule that has just been typed. Without memory for it, nothing happens. */
static void remember(topology_cache *c, cache_entry *e, uint64_t hash, const shoal_molecule *mol,
                     shoal_topology *topology)
{
    const size_t n = (size_t)mol->n_atoms, m = (size_t)mol->n_bonds;
    const size_t bytes = m * sizeof *mol->bonds + n * sizeof *mol->formal_charge;
    const size_t words = (size_t)c->n_words + (bytes + 7) / 8;
    make_room(c, mol->n_atoms);
    forget(c, e);
    if (words > INT32_MAX / 2 || SHOAL_RESERVE(&e->memory, &e->capacity, (int32_t)words)) {
        shoal_clear_error();
        return;
    }
    e->n_words = c->n_words;
    e->n_atoms = mol->n_atoms;
    e->n_bonds = mol->n_bonds;
    e->total_charge = mol->total_charge;
    e->hash = hash;
    e->used = ++c->clock;
    memcpy(e->memory, c->key, (size_t)c->n_words * sizeof *c->key);
    if (m > 0) memcpy(entry_bonds(e), mol->bonds, m * sizeof *mol->bonds);
    memcpy(entry_charges(e), mol->formal_charge, n * sizeof *mol->formal_charge);
    e->topology = shoal_topology_retain(topology);
    c->counts.n_atoms += e->n_atoms;
    ++c->counts.n_kept;
}

/* Perception from its second half on, and typing. */
static shoal_status type_unknown(topology_cache *c, shoal_molecule *mol, shoal_topology **out)
{
    const shoal_status status = perceive_rest(mol);
    if (status != SHOAL_OK && status != SHOAL_E_FORMAT) return status;
    arena_reset(&c->scratch);
    return topology_create(out, mol, &c->forcefield, &c->scratch);
}

static shoal_status type_or_share(topology_cache *c, shoal_molecule *mol, shoal_topology **out)
{
    const shoal_perceive_options asked = {.total_charge = mol->asked_charge,
                                          .has_total_charge = mol->has_asked_charge};
    const shoal_perceive_options *options = c->asks_molecules ? &asked : &c->perceive;
    bool keyed = false, found = false;
    cache_entry *e = NULL;
    uint64_t hash = 0;
    const shoal_status status = perceive_orders(mol, options);
    if (status == SHOAL_E_FORMAT) return shoal_topology_create(out, mol, &c->forcefield);
    SHOAL_TRY(status);
    if (!topology_equilibrates(&c->forcefield)) SHOAL_TRY(make_key(c, mol, &keyed));
    if (keyed) {
        hash = hash_key(c->key, c->n_words);
        e = find_entry(c, hash, &found);
    }
    if (found) {
        perception_adopt(mol, entry_bonds(e), entry_charges(e), e->total_charge);
        e->used = ++c->clock;
        ++c->counts.n_shared;
        *out = shoal_topology_retain(e->topology);
        return SHOAL_OK;
    }
    ++c->counts.n_typed;
    SHOAL_TRY(type_unknown(c, mol, out));
    if (keyed && (*out)->status == SHOAL_SYSTEM_OK && !(*out)->uses_positions)
        remember(c, e, hash, mol, *out);
    return SHOAL_OK;
}

shoal_status topology_cache_type(topology_cache *cache, shoal_molecule *mol, shoal_topology **out)
{
    shoal_clear_error();
    SHOAL_NEED(cache && mol && out);
    *out = NULL;
    if (mol->perceived && !cache->perceive.rebuild_bonds) {
        if (!cache->asks_molecules) perception_ask(mol, &cache->perceive);
        ++cache->counts.n_typed;
        return shoal_topology_create(out, mol, &cache->forcefield);
    }
    /* Perceived with the memory of the molecule before; who wants to know more asks perception again. */
    chem_perception *own = mol->perception;
    mol->perception = cache->perception;
    const shoal_status status = type_or_share(cache, mol, out);
    cache->perception = mol->perception;
    mol->perception = own;
    mol->adopted = mol->perceived;
    return status;
}
