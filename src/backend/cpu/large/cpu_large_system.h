/* SPDX-License-Identifier: BSD-3-Clause
 * A large or periodic system made ready to run in one precision; included by the template
 * cpu_kernels.c. Positions are doubles, so that differences across a large cell keep their digits;
 * parameters, forces and the arithmetic of terms have the precision of the template. */

#include "backend/cpu/large/cpu_ewald.h"
#include "backend/cpu/large/cpu_neighbours.h"
#include "backend/vdw_tail.h"

/* Atoms of a tile, terms of a chunk: the pieces that threads work on. Sums are taken piece by piece,
 * so these numbers belong to the result, and the number of threads does not. */
enum { LARGE_TILE = 256, LARGE_CHUNK = 256 };

#define SKIN 1.0         /* angstrom: a list serves until an atom has gone half of it */
#define FLOAT_EWALD 1e-7 /* smaller tolerances mean nothing in float */

typedef enum large_coulomb {
    LARGE_NO_CHARGES = 0,
    LARGE_ALL_PAIRS, /* isolated */
    LARGE_VOLUME,    /* Ewald sums in three, two and one dimensions */
    LARGE_SLAB,
    LARGE_CHAIN,
} large_coulomb;

/* All terms of one kind: arrays with as many entries per term as the kind has atoms, numbers, arms. */
typedef struct large_kind {
    int32_t n, slot; /* terms; first slot, one for every atom of a term */
    int32_t *atoms;
    real *numbers;
    double (*shift)[3]; /* of the arms: r[tip] - r[base] + shift */
} large_kind;

typedef struct large_sites {
    arena memory;
    real *x, *y, *z; /* [n_blocks * WIDE] relative to the centre of the block */
    real *u, *s, *q; /* parameters, as of atoms */
} large_sites;

typedef struct large {
    arena memory;
    const backend_system *system;
    const shoal_engine_options *options;
    thread_pool *pool;
    geom_lattice lattice;
    cpu_ewald ewald;
    cpu_neighbours near;
    large_sites sites;
    int32_t n, n_tiles;
    bool vdw, arithmetic;
    large_coulomb coulomb;
    double origin[3];
    int32_t (*wrap)[3];              /* [n] cells between an atom and where it is computed */
    double (*base)[3];               /* [n] where the atoms start, wrapped, relative to origin */
    double (*r)[3];                  /* [n] where they are */
    double (*built)[3];              /* [n] where they were when the list was made */
    double skin;                     /* 0: the list is for one evaluation */
    double tail;                     /* of vdW beyond the cut-off, eV */
    double vdw_range, coulomb_range; /* angstrom; 0 without the term */
    bool is_built;
    real *u, *s, *q; /* [n] x^3 (arithmetic mixing: x/2), sqrt(12 D), charge in units of kC = 1 */
    int32_t *exclude_start; /* [n + 1] */
    cpu_image *excluded;    /* shifts of computed atoms */
    int32_t n_slots, n_chunks;
    large_kind kinds[TERM_N_KINDS];
    v3 *slots;                         /* [n_slots] forces on the corners of terms, kind by kind */
    int32_t *gather_start;             /* [n + 1] */
    int32_t *gather;                   /* [n_slots] slots of every atom, rising */
    double *chunk_energy;              /* [n_chunks] */
    v3 *pair_force;                    /* [n] */
    double (*pair_energy)[2];          /* [n] vdw and Coulomb */
    v3 *force;                         /* [n] all but restraints */
    int32_t *tile_flags;               /* [n_tiles] see large_move */
    int32_t n_padded;                  /* n rounded up to WIDE */
    real *phase_cos[3], *phase_sin[3]; /* [last + 1][n_padded] along the axes of ewald */
    real *coefficients;                /* [n_places][4] of the k-vectors' forces */
    double (*row_sums)[4];             /* [n_places] S(+m) and S(-m) */
    double *row_energy;                /* [n_row_chunks] */
    int32_t n_row_chunks;
    real *kvec_q, *slab_z;     /* [n_padded] charges, zero at the end; heights */
    real *slab_cos, *slab_sin; /* [n_kvecs][n_padded] */
    real *chain_at[3];         /* [n_padded] coordinates along and across a chain, angstrom */
    v3 *slab_force;            /* [n] and of chains */
    double *slab_energy;       /* [n] */
    surface_tables *surface;   /* a grid; NULL: none */
    direct_tables *direct;     /* a surface without a grid; NULL: none */
    preconditioner precond;    /* of steps */
} large;

/* Aligned for vectors. */
static void *large_allot(arena *memory, size_t n, size_t size)
{
    unsigned char *p = arena_alloc(memory, n * size + 64, 1);
    return p ? p + (64 - (uintptr_t)p % 64) % 64 : NULL;
}

static void large_destroy(void *p)
{
    large *g = p;
    if (!g) return;
    surface_tables_destroy(g->surface);
    direct_destroy(g->direct);
    cpu_neighbours_free(&g->near);
    arena_free(&g->sites.memory);
    arena memory = g->memory; /* holds g itself */
    arena_free(&memory);
}

/* Puts every atom into the cell, and the middle of all into the origin. */
static void large_place(large *g, const double (*pos)[3])
{
    for (int32_t i = 0; i < g->n; ++i) {
        double back[3];
        for (int k = 0; k < 3; ++k)
            if (g->lattice.pbc[k])
                g->wrap[i][k] = (int32_t)floor(lattice_fraction(&g->lattice, pos[i], k));
        lattice_vector(&g->lattice, g->wrap[i], back);
        for (int c = 0; c < 3; ++c) g->base[i][c] = pos[i][c] - back[c];
    }
    for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int32_t i = 0; i < g->n; ++i) sum += g->base[i][c];
        g->origin[c] = g->n > 0 ? sum / g->n : 0;
        for (int32_t i = 0; i < g->n; ++i) g->base[i][c] -= g->origin[c];
    }
}

/* Shift of atom j (given, relative to atom i) between the places where they are computed. */
static void large_shift(const large *g, int32_t i, int32_t j, const int32_t given[3],
                        int32_t shift[3])
{
    lattice_convert(&g->lattice, given, shift);
    for (int k = 0; k < 3; ++k) shift[k] += g->wrap[j][k] - g->wrap[i][k];
}

/* The same as a displacement: r_j + *out - r_i is the vector that was meant. */
static void large_displace(const large *g, int32_t i, int32_t j, const int32_t given[3],
                           double out[3])
{
    int32_t shift[3];
    large_shift(g, i, j, given, shift);
    lattice_vector(&g->lattice, shift, out);
}

static void large_fill_kind(large *g, const shoal_topology_view *v, int kind)
{
    const term_shape *s = &term_shapes[kind];
    const shoal_term *terms = terms_of(v, kind);
    large_kind *k = &g->kinds[kind];
    for (int32_t n = 0; n < k->n; ++n) {
        double numbers[TERM_NUMBERS];
        term_numbers(&terms[n], v, g->options, numbers);
        for (int32_t c = 0; c < s->n_atoms; ++c) k->atoms[s->n_atoms * n + c] = terms[n].atoms[c];
        for (int32_t c = 0; c < s->n_numbers; ++c)
            k->numbers[s->n_numbers * n + c] = (real)numbers[c];
        for (int32_t a = 0; a < s->n_arms; ++a) {
            int32_t shift[3];
            term_arm_shift(&terms[n], a, shift);
            large_displace(g, terms[n].atoms[s->base[a]], terms[n].atoms[s->tip[a]], shift,
                           k->shift[s->n_arms * n + a]);
        }
    }
}

static void large_fill_gather(large *g)
{
    int32_t *start = g->gather_start;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind)
        for (int32_t s = 0; s < g->kinds[kind].n * term_shapes[kind].n_atoms; ++s)
            ++start[g->kinds[kind].atoms[s] + 1];
    for (int32_t i = 0; i < g->n; ++i) start[i + 1] += start[i];
    for (int kind = TERM_N_KINDS - 1; kind >= 0; --kind) /* from the end, using it up */
        for (int32_t s = g->kinds[kind].n * term_shapes[kind].n_atoms - 1; s >= 0; --s)
            g->gather[--start[g->kinds[kind].atoms[s] + 1]] = g->kinds[kind].slot + s;
    for (int32_t i = 0; i < g->n; ++i) start[i] = start[i + 1];
    start[g->n] = g->n_slots;
}

static void large_fill_atoms(large *g, const shoal_topology_view *v)
{
    for (int32_t i = 0; i < g->n; ++i) {
        const double x = v->vdw_x[i];
        g->u[i] = (real)(g->arithmetic ? 0.5 * x : x * x * x);
        g->s[i] = (real)sqrt(12 * v->vdw_d[i]);
        g->q[i] = g->coulomb ? (real)(sqrt(COULOMB_CONSTANT) * v->charges[i]) : 0;
        g->exclude_start[i + 1] = v->exclude_start[i + 1];
        for (int32_t e = v->exclude_start[i]; e < v->exclude_start[i + 1]; ++e) {
            g->excluded[e].atom = v->excluded[e].atom;
            large_shift(g, i, v->excluded[e].atom, v->excluded[e].shift, g->excluded[e].shift);
        }
    }
}

static shoal_status large_allot_atoms(large *g, const shoal_topology_view *v)
{
    arena *m = &g->memory;
    const size_t n = (size_t)g->n;
    g->wrap = large_allot(m, n, sizeof *g->wrap);
    g->base = large_allot(m, n, sizeof *g->base);
    g->r = large_allot(m, n, sizeof *g->r);
    g->built = large_allot(m, n, sizeof *g->built);
    g->u = large_allot(m, n, sizeof *g->u);
    g->s = large_allot(m, n, sizeof *g->s);
    g->q = large_allot(m, n, sizeof *g->q);
    g->exclude_start = large_allot(m, n + 1, sizeof *g->exclude_start);
    g->excluded = large_allot(m, (size_t)v->exclude_start[g->n], sizeof *g->excluded);
    g->pair_force = large_allot(m, n, sizeof *g->pair_force);
    g->pair_energy = large_allot(m, n, sizeof *g->pair_energy);
    g->force = large_allot(m, n, sizeof *g->force);
    g->tile_flags = large_allot(m, (size_t)g->n_tiles, sizeof *g->tile_flags);
    return g->wrap && g->base && g->r && g->built && g->u && g->s && g->q && g->exclude_start &&
                   g->excluded && g->pair_force && g->pair_energy && g->force && g->tile_flags
               ? SHOAL_OK
               : SHOAL_E_MEMORY;
}

static shoal_status large_allot_terms(large *g)
{
    arena *m = &g->memory;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) {
        const term_shape *s = &term_shapes[kind];
        large_kind *k = &g->kinds[kind];
        k->atoms = large_allot(m, (size_t)(k->n * s->n_atoms), sizeof *k->atoms);
        k->numbers = large_allot(m, (size_t)(k->n * s->n_numbers), sizeof *k->numbers);
        k->shift = large_allot(m, (size_t)(k->n * s->n_arms), sizeof *k->shift);
        if (!k->atoms || !k->numbers || !k->shift) return SHOAL_E_MEMORY;
    }
    g->slots = large_allot(m, (size_t)g->n_slots, sizeof *g->slots);
    g->gather = large_allot(m, (size_t)g->n_slots, sizeof *g->gather);
    g->gather_start = large_allot(m, (size_t)g->n + 1, sizeof *g->gather_start);
    g->chunk_energy = large_allot(m, (size_t)g->n_chunks, sizeof *g->chunk_energy);
    return g->slots && g->gather && g->gather_start && g->chunk_energy ? SHOAL_OK : SHOAL_E_MEMORY;
}

static int32_t large_chunks(int32_t n_terms)
{
    return (n_terms + LARGE_CHUNK - 1) / LARGE_CHUNK;
}

static void large_count(large *g, const shoal_topology_view *v)
{
    const uint32_t off = g->options->terms_off;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) {
        g->kinds[kind].n = terms_count_on(v, kind, off);
        g->kinds[kind].slot = g->n_slots;
        g->n_slots += g->kinds[kind].n * term_shapes[kind].n_atoms;
        g->n_chunks += large_chunks(g->kinds[kind].n);
    }
    g->vdw = !(off >> SHOAL_TERM_VDW & 1);
    g->arithmetic = g->options->mixing == SHOAL_MIXING_ARITHMETIC;
    bool charged = false;
    for (int32_t i = 0; i < g->n; ++i) charged = charged || v->charges[i] != 0;
    if (v->has_charges && charged && !(off >> SHOAL_TERM_COULOMB & 1))
        g->coulomb = g->lattice.n_periodic == 0   ? LARGE_ALL_PAIRS
                     : g->lattice.n_periodic == 3 ? LARGE_VOLUME
                     : g->lattice.n_periodic == 2 ? LARGE_SLAB
                                                  : LARGE_CHAIN;
}

/* How far pairs reach. Isolated systems have no vdW beyond 10 x. */
static void large_reach(large *g, const shoal_topology_view *v)
{
    double longest = 0;
    for (int32_t i = 0; i < g->n; ++i)
        if (v->vdw_d[i] > 0 && v->vdw_x[i] > longest) longest = v->vdw_x[i];
    if (g->vdw)
        g->vdw_range = g->lattice.n_periodic > 0 ? g->options->vdw_cutoff : 10 * longest + 1e-3;
    if (g->coulomb) g->coulomb_range = g->coulomb == LARGE_ALL_PAIRS ? INFINITY : g->ewald.r_cut;
}
