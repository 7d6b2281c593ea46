/* SPDX-License-Identifier: BSD-3-Clause
 * A large or periodic system made ready to run in one precision; included by the template
 * cpu_kernels.c. Positions are doubles, so that differences across a large cell keep their digits;
 * parameters, forces and the arithmetic of terms have the precision of the template. */

#include "backend/cpu/large/cpu_ewald.h"
#include "backend/cpu/large/cpu_neighbours.h"

/* Atoms of a tile, terms of a chunk: the pieces that threads work on. Sums are taken piece by piece,
 * so these numbers belong to the result, and the number of threads does not. */
enum { LARGE_TILE = 256, LARGE_CHUNK = 256 };

#define SKIN 1.0         /* angstrom: a list serves until an atom has gone half of it */
#define FLOAT_EWALD 1e-7 /* smaller tolerances mean nothing in float */

typedef enum large_coulomb {
    LARGE_NO_CHARGES = 0,
    LARGE_ALL_PAIRS, /* isolated */
    LARGE_VOLUME,    /* Ewald sums in three and two dimensions */
    LARGE_SLAB,
} large_coulomb;

/* Terms with the displacements of their images: the arms are r_i - r_j + shift. */
typedef struct large_bond {
    int32_t atoms[2];
    bond_par p;
    double shift[3];
} large_bond;

typedef struct large_angle {
    int32_t atoms[3];
    angle_par p;
    double shift[2][3]; /* of i and k */
} large_angle;

typedef struct large_torsion {
    int32_t atoms[4];
    torsion_par p;
    double shift[3][3]; /* of i - j, k - j, l - k */
} large_torsion;

typedef struct large_inversion {
    int32_t atoms[4];
    inversion_par p;
    double shift[3][3]; /* of i, k, l; j is the centre */
} large_inversion;

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
    double vdw_range, coulomb_range; /* angstrom; 0 without the term */
    bool is_built;
    real *u, *s, *q; /* [n] x^3 (arithmetic mixing: x/2), sqrt(12 D), charge in units of kC = 1 */
    int32_t *exclude_start; /* [n + 1] */
    cpu_image *excluded;    /* shifts of computed atoms */
    int32_t n_bonds, n_angles, n_torsions, n_inversions, n_slots, n_chunks;
    large_bond *bonds;
    large_angle *angles;
    large_torsion *torsions;
    large_inversion *inversions;
    v3 *slots;                         /* [n_slots] forces on the corners of terms, bonds first */
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
    v3 *slab_force;            /* [n] */
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

static void large_fill_short(large *g, const shoal_topology_view *v)
{
    for (int32_t n = 0; n < g->n_bonds; ++n) {
        const shoal_bond_term *s = &v->bonds[n];
        g->bonds[n] = (large_bond){.atoms = {s->i, s->j}, .p = bond_parameters(s)};
        large_displace(g, s->i, s->j, s->shift, g->bonds[n].shift);
        for (int c = 0; c < 3; ++c) g->bonds[n].shift[c] *= -1; /* the arm is r_i - r_j */
    }
    for (int32_t n = 0; n < g->n_angles; ++n) {
        const shoal_angle_term *s = &v->angles[n];
        g->angles[n] = (large_angle){.atoms = {s->i, s->j, s->k}, .p = angle_parameters(s)};
        large_displace(g, s->j, s->i, s->shift_i, g->angles[n].shift[0]);
        large_displace(g, s->j, s->k, s->shift_k, g->angles[n].shift[1]);
    }
}

static void large_fill_long(large *g, const shoal_topology_view *v)
{
    for (int32_t n = 0; n < g->n_torsions; ++n) {
        const shoal_torsion_term *s = &v->torsions[n];
        large_torsion *t = &g->torsions[n];
        *t = (large_torsion){.atoms = {s->i, s->j, s->k, s->l}, .p = torsion_parameters(s)};
        large_displace(g, s->j, s->i, s->shift_i, t->shift[0]);
        large_displace(g, s->j, s->k, s->shift_k, t->shift[1]);
        large_displace(g, s->j, s->l, s->shift_l, t->shift[2]);
        for (int c = 0; c < 3; ++c) t->shift[2][c] -= t->shift[1][c];
    }
    for (int32_t n = 0; n < g->n_inversions; ++n) {
        const shoal_inversion_term *s = &v->inversions[n];
        large_inversion *t = &g->inversions[n];
        *t = (large_inversion){.atoms = {s->i, s->j, s->k, s->l}, .p = inversion_parameters(s)};
        large_displace(g, s->j, s->i, s->shift_i, t->shift[0]);
        large_displace(g, s->j, s->k, s->shift_k, t->shift[1]);
        large_displace(g, s->j, s->l, s->shift_l, t->shift[2]);
    }
}

/* Atom of a slot. */
static int32_t large_slot_atom(const large *g, int32_t slot)
{
    if (slot < 2 * g->n_bonds) return g->bonds[slot / 2].atoms[slot % 2];
    slot -= 2 * g->n_bonds;
    if (slot < 3 * g->n_angles) return g->angles[slot / 3].atoms[slot % 3];
    slot -= 3 * g->n_angles;
    if (slot < 4 * g->n_torsions) return g->torsions[slot / 4].atoms[slot % 4];
    slot -= 4 * g->n_torsions;
    return g->inversions[slot / 4].atoms[slot % 4];
}

static void large_fill_gather(large *g)
{
    int32_t *start = g->gather_start;
    for (int32_t s = 0; s < g->n_slots; ++s) ++start[large_slot_atom(g, s) + 1];
    for (int32_t i = 0; i < g->n; ++i) start[i + 1] += start[i];
    for (int32_t s = g->n_slots - 1; s >= 0; --s) /* from the end, using it up */
        g->gather[--start[large_slot_atom(g, s) + 1]] = s;
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
    g->bonds = large_allot(m, (size_t)g->n_bonds, sizeof *g->bonds);
    g->angles = large_allot(m, (size_t)g->n_angles, sizeof *g->angles);
    g->torsions = large_allot(m, (size_t)g->n_torsions, sizeof *g->torsions);
    g->inversions = large_allot(m, (size_t)g->n_inversions, sizeof *g->inversions);
    g->slots = large_allot(m, (size_t)g->n_slots, sizeof *g->slots);
    g->gather = large_allot(m, (size_t)g->n_slots, sizeof *g->gather);
    g->gather_start = large_allot(m, (size_t)g->n + 1, sizeof *g->gather_start);
    g->chunk_energy = large_allot(m, (size_t)g->n_chunks, sizeof *g->chunk_energy);
    return g->bonds && g->angles && g->torsions && g->inversions && g->slots && g->gather &&
                   g->gather_start && g->chunk_energy
               ? SHOAL_OK
               : SHOAL_E_MEMORY;
}

static int32_t large_chunks(int32_t n_terms)
{
    return (n_terms + LARGE_CHUNK - 1) / LARGE_CHUNK;
}

static void large_count(large *g, const shoal_topology_view *v)
{
    const uint32_t off = g->options->terms_off;
    g->n_bonds = off >> SHOAL_TERM_BOND & 1 ? 0 : v->n_bonds;
    g->n_angles = off >> SHOAL_TERM_ANGLE & 1 ? 0 : v->n_angles;
    g->n_torsions = off >> SHOAL_TERM_TORSION & 1 ? 0 : v->n_torsions;
    g->n_inversions = off >> SHOAL_TERM_INVERSION & 1 ? 0 : v->n_inversions;
    g->n_slots = 2 * g->n_bonds + 3 * g->n_angles + 4 * (g->n_torsions + g->n_inversions);
    g->n_chunks = large_chunks(g->n_bonds) + large_chunks(g->n_angles) +
                  large_chunks(g->n_torsions) + large_chunks(g->n_inversions);
    g->vdw = !(off >> SHOAL_TERM_VDW & 1);
    g->arithmetic = g->options->mixing == SHOAL_MIXING_ARITHMETIC;
    bool charged = false;
    for (int32_t i = 0; i < g->n; ++i) charged = charged || v->charges[i] != 0;
    if (v->has_charges && charged && !(off >> SHOAL_TERM_COULOMB & 1))
        g->coulomb = g->lattice.n_periodic == 0   ? LARGE_ALL_PAIRS
                     : g->lattice.n_periodic == 3 ? LARGE_VOLUME
                                                  : LARGE_SLAB;
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
