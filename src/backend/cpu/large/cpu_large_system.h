/* SPDX-License-Identifier: BSD-3-Clause
 * A large or periodic system made ready to run in one precision; included by the template
 * cpu_kernels.c. Positions are doubles, so that differences across a large cell keep their digits;
 * parameters, forces and the arithmetic of terms have the precision of the template. */

#include "backend/cpu/large/cpu_ewald.h"
#include "backend/cpu/large/cpu_neighbours.h"
#include "backend/strain.h"
#include "backend/vdw_tail.h"
#include "geom/fft.h"
#include "geom/vector.h"

/* Atoms of a tile, terms of a chunk: the pieces that threads work on. Sums are taken piece by piece,
 * so these numbers belong to the result, and the number of threads does not. */
enum { LARGE_TILE = 256, LARGE_CHUNK = 256 };

#define SKIN 1.0         /* angstrom: a list serves until an atom has gone half of it */
#define FLOAT_EWALD 1e-7 /* smaller tolerances mean nothing in float */

typedef enum large_coulomb {
    LARGE_NO_CHARGES = 0,
    LARGE_ALL_PAIRS, /* isolated */
    LARGE_MESH,      /* Ewald sums in three dimensions over a mesh */
    LARGE_VOLUME,    /* plain ones in three, two and one dimensions */
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
    real *x, *y, *z;         /* [n_blocks * WIDE] relative to the centre of the block */
    real *u, *s, *q, *w, *h; /* parameters, as of atoms */
} large_sites;

/* Numbers of a pair model that all pairs share: a = ca A, b = cb B, k = ck or ck/R0, and the share that
 * hydrogen bonds have in a and b. */
typedef struct large_form {
    real ca, cb, ck, on_a, on_b, beta, damping;
} large_form;

/* A lone pair or sigma hole. These are called frames here: sites are places in the list of neighbours. */
typedef struct large_frame {
    site_row row;
    double shift[3][3]; /* of the arms: r[to] - r[from] + shift */
} large_frame;

/* A mesh of charges, then of their potential, and its Fourier sums: see cpu_large_mesh.h. */
typedef struct large_mesh {
    int32_t row;  /* numbers in a row of nodes, which is repeated beyond its end */
    real *values; /* [n0][n1][row] */
    real *spectrum
        [2]; /* [n0/2 + 1][n1][n2, padded] parts of modes; the others are opposite to these */
    real *influence;     /* [n0/2 + 1][n2][n1, padded] potential of a mode of charge */
    real (*turns[3])[2]; /* [n] along each axis: cosines and sines */
    double *moduli[3];   /* [n] */
    int32_t (*first)[3]; /* [n_particles] the first node each one gives to */
    real *splines;       /* [n_particles][3][2][order] shares of the nodes and slopes */
    int32_t *start;      /* [n0 + 1] of the particles of every first plane in sorted */
    int32_t *sorted;     /* [n_particles] */
    double *energy;      /* [n0/2 + 1] of planes of modes */
    double (*strain)[6]; /* the same */
    v3 *force;           /* [n_particles] */
} large_mesh;

typedef struct large {
    arena memory;
    const backend_system *system;
    const shoal_engine_options *options;
    thread_pool *pool;
    geom_lattice lattice;
    cpu_ewald ewald;
    large_mesh mesh;
    cpu_neighbours near;
    large_sites sites;
    int32_t n, n_tiles; /* atoms */
    int32_t n_particles,
        n_particle_tiles; /* atoms and frames, which follow them in arrays of pairs */
    int32_t n_directions; /* behind these in some; there are no frames then */
    bool vdw, arithmetic;
    cpu_model model; /* NULL in it: UFF's LJ */
    large_form form;
    double damping; /* of Coulomb, angstrom */
    real clamp2;    /* of pairs, squared; 0: none */
    int32_t failed; /* memory was out in a piece; written atomically */
    large_frame *frames;
    int32_t n_frame_tiles, *frame_flags; /* as tile_flags */
    large_coulomb coulomb;
    double origin[3];
    int32_t (*wrap)[3]; /* [n] cells between an atom and where it is computed */
    double (*base)[3];  /* [n] where the atoms start, wrapped, relative to origin; directions */
    double (*r)[3];     /* [n_particles + n_directions] where they are */
    double (*built)[3]; /* [n_particles] where they were when the list was made */
    double skin;        /* 0: the list is for one evaluation */
    double tail;        /* of vdW beyond the cut-off, eV */
    double vdw_range, coulomb_range; /* angstrom; 0 without the term */
    bool is_built;
    /* [n_particles] x^3 (arithmetic mixing: x/2), sqrt(12 D) (pair models: sqrt(D)), charge in units of kC = 1; exp(alpha x/2)
     * (without a model: x) and strength of hydrogen bonds of pair models. */
    real *u, *s, *q, *w, *h;
    int32_t *exclude_start; /* [n_particles + 1] */
    cpu_image *excluded;    /* shifts of computed atoms */
    int32_t n_slots, n_chunks;
    large_kind kinds[TERM_N_KINDS];
    v3 *slots;                /* [n_slots] forces on the corners of terms, kind by kind */
    int32_t *gather_start;    /* [n_particles + n_directions + 1] */
    int32_t *gather;          /* [n_slots] slots of every atom, rising */
    double *chunk_energy;     /* [n_chunks] */
    v3 *pair_force;           /* [n_particles] */
    double (*pair_energy)[2]; /* [n_particles] vdw and Coulomb */
    v3 *force;                /* [n_particles + n_directions] all but restraints */
    double (*strain)[6];      /* [n_particles] slope by strain of pairs, eV; NULL: not wanted */
    int32_t *tile_flags;      /* [n_tiles] see large_move */
    int32_t n_padded;         /* n_particles rounded up to WIDE */
    real *phase_cos[3], *phase_sin[3]; /* [last + 1][n_padded] along the axes of ewald */
    real *coefficients;                /* [n_places][4] of the k-vectors' forces */
    double (*row_sums)[4];             /* [n_places] S(+m) and S(-m) */
    double *row_energy;                /* [n_row_chunks] */
    int32_t n_row_chunks;
    real *kvec_q, *slab_z;     /* [n_padded] charges, zero at the end; heights */
    real *slab_cos, *slab_sin; /* [n_kvecs][n_padded] */
    real *chain_at[3];         /* [n_padded] coordinates along and across a chain, angstrom */
    v3 *slab_force;            /* [n_particles] and of chains */
    double *slab_energy;       /* [n_particles] */
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
    for (int32_t i = g->n; i < g->n + g->n_directions; ++i)
        memcpy(g->base[i], pos[i], sizeof *g->base);
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
    const int32_t n = g->n_particles + g->n_directions;
    for (int32_t i = 0; i < n; ++i) start[i + 1] += start[i];
    for (int kind = TERM_N_KINDS - 1; kind >= 0; --kind) /* from the end, using it up */
        for (int32_t s = g->kinds[kind].n * term_shapes[kind].n_atoms - 1; s >= 0; --s)
            g->gather[--start[g->kinds[kind].atoms[s] + 1]] = g->kinds[kind].slot + s;
    for (int32_t i = 0; i < n; ++i) start[i] = start[i + 1];
    start[n] = g->n_slots;
}

/* The factors of pair_model.c's forms. */
static large_form large_form_of(const cpu_model *m)
{
    const shoal_pair_settings *s = &m->from->settings;
    const double al = s->alpha, c = 1.0 / (al - 6.0), e = exp(al);
    const bool both = s->hbond == SHOAL_HBOND_BOTH;
    large_form f = {.ca = 2, .cb = 1, .beta = (real)m->beta, .damping = (real)m->damping};
    f.on_a = both || s->hbond == SHOAL_HBOND_ATTRACTION ? R(1.0) : R(0.0);
    f.on_b = both || s->hbond == SHOAL_HBOND_REPULSION ? R(1.0) : R(0.0);
    f.ck = (real)(s->form == SHOAL_FORM_BUCK || s->form == SHOAL_FORM_BUCK6 ? 2 * al : al);
    if (s->form == SHOAL_FORM_LJ8) f.ca = 4, f.cb = 3;
    if (s->form == SHOAL_FORM_LJ9) f.ca = 3, f.cb = 2;
    if (s->form == SHOAL_FORM_MORSE6) f.ca = (real)(2 * e);
    if (s->form == SHOAL_FORM_MORSE6 || s->form == SHOAL_FORM_BUCK6) f.cb = (real)(e * e);
    if (s->form == SHOAL_FORM_EXP6) f.ca = (real)(al * c), f.cb = (real)(6 * c * e);
    return f;
}

static void large_fill_numbers(large *g, const shoal_topology_view *v, int32_t i)
{
    const double x = v->vdw_x[i], d = v->vdw_d[i];
    const double alpha = g->model.from ? g->model.from->settings.alpha : 0;
    g->u[i] = (real)(v->model ? pair_model_radius(v, i) : g->arithmetic ? 0.5 * x : x * x * x);
    g->s[i] = (real)sqrt(g->model.from ? d : 12 * d);
    g->q[i] = g->coulomb ? (real)(sqrt(pair_model_unit(v->model)) * v->charges[i]) : 0;
    g->w[i] = (real)(v->model ? exp(0.5 * alpha * x) : x);
    g->h[i] = v->hbonds ? (real)v->hbonds[i] : 0;
    if (g->model.family == FORM_BUFFERED) {
        const buffered_atom b = buffered_atom_of(v, i);
        g->s[i] = (real)b.strength;
        g->w[i] = (real)b.share;
        g->h[i] = b.donor ? R(-1.0) : b.acceptor ? R(1.0) : 0;
    }
}

static void large_fill_atoms(large *g, const shoal_topology_view *v)
{
    if (g->model.from) g->form = large_form_of(&g->model);
    for (int32_t i = 0; i < g->n_particles; ++i) {
        large_fill_numbers(g, v, i);
        g->exclude_start[i + 1] = v->exclude_start[i + 1];
        for (int32_t e = v->exclude_start[i]; e < v->exclude_start[i + 1]; ++e) {
            g->excluded[e].atom = v->excluded[e].atom;
            large_shift(g, i, v->excluded[e].atom, v->excluded[e].shift, g->excluded[e].shift);
        }
    }
}

/* A frame is in the cell of its atom. */
static void large_fill_frames(large *g, const shoal_topology_view *v)
{
    for (int32_t n = 0; n < v->n_sites; ++n) {
        const shoal_site *s = &v->sites[n];
        large_frame *f = &g->frames[n];
        f->row = site_row_of(s);
        memcpy(g->wrap[g->n + n], g->wrap[s->host], sizeof *g->wrap);
        for (int k = 0; k < 3; ++k)
            large_displace(g, s->from[k], s->to[k], s->shift[k], f->shift[k]);
    }
}

static shoal_status large_allot_atoms(large *g, const shoal_topology_view *v)
{
    arena *m = &g->memory;
    const size_t n = (size_t)g->n_particles, n_vectors = n + (size_t)g->n_directions;
    g->wrap = large_allot(m, n_vectors, sizeof *g->wrap);
    g->base = large_allot(m, n_vectors, sizeof *g->base);
    g->r = large_allot(m, n_vectors, sizeof *g->r);
    g->built = large_allot(m, n, sizeof *g->built);
    g->u = large_allot(m, n, sizeof *g->u);
    g->s = large_allot(m, n, sizeof *g->s);
    g->q = large_allot(m, n, sizeof *g->q);
    g->w = large_allot(m, n, sizeof *g->w);
    g->h = large_allot(m, n, sizeof *g->h);
    g->frames = large_allot(m, (size_t)v->n_sites, sizeof *g->frames);
    g->n_frame_tiles = (v->n_sites + LARGE_TILE - 1) / LARGE_TILE;
    g->frame_flags = large_allot(m, (size_t)g->n_frame_tiles, sizeof *g->frame_flags);
    g->exclude_start = large_allot(m, n + 1, sizeof *g->exclude_start);
    g->excluded = large_allot(m, (size_t)v->exclude_start[g->n_particles], sizeof *g->excluded);
    g->pair_force = large_allot(m, n, sizeof *g->pair_force);
    g->pair_energy = large_allot(m, n, sizeof *g->pair_energy);
    g->force = large_allot(m, n_vectors, sizeof *g->force);
    g->tile_flags = large_allot(m, (size_t)g->n_tiles, sizeof *g->tile_flags);
    return g->wrap && g->base && g->r && g->built && g->u && g->s && g->q && g->w && g->h &&
                   g->frames && g->frame_flags && g->exclude_start && g->excluded &&
                   g->pair_force && g->pair_energy && g->force && g->tile_flags
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
    const size_t n_vectors = (size_t)(g->n_particles + g->n_directions);
    g->gather_start = large_allot(m, n_vectors + 1, sizeof *g->gather_start);
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
    g->model = cpu_model_of(v, g->options);
    g->damping = cpu_coulomb_damping(v, g->options);
    g->clamp2 = clamp2_of(g->system);
    g->arithmetic = v->model || g->options->mixing == SHOAL_MIXING_ARITHMETIC;
    bool charged = false;
    for (int32_t i = 0; i < g->n_particles; ++i) charged = charged || v->charges[i] != 0;
    if (v->model) charged = charged && g->model.coulomb != FORM_COULOMB_NONE;
    if (v->has_charges && charged && !(off >> SHOAL_TERM_COULOMB & 1))
        g->coulomb = g->lattice.n_periodic == 0   ? LARGE_ALL_PAIRS
                     : g->lattice.n_periodic == 3 ? LARGE_VOLUME
                     : g->lattice.n_periodic == 2 ? LARGE_SLAB
                                                  : LARGE_CHAIN;
}

/* How far Coulomb's form differs from 1/r and from what Ewald sums know, angstrom: erfc(6.5) is 4e-20. */
static double large_bent_range(const cpu_model *m)
{
    if (m->coulomb == FORM_COULOMB_ERF) return 6.5 * m->damping;
    return m->coulomb == FORM_COULOMB_CLAMP || m->coulomb == FORM_COULOMB_SMOOTH ? 1.0 : 0;
}

/* Coulomb's form as pairs have it, FORM_COULOMB_. */
static int large_coulomb_form(const large *g)
{
    if (g->model.from) return g->model.coulomb;
    return g->damping > 0 ? FORM_COULOMB_DAMPED : FORM_COULOMB_PLAIN;
}

/* How far pairs are clamped, at most, angstrom. */
static double large_clamp_range(const large *g, const shoal_topology_view *v)
{
    double longest = 2;
    for (int32_t i = 0; i < g->n_particles; ++i) longest = fmax(longest, v->vdw_x[i]);
    return longest * sqrt((double)g->clamp2);
}

/* How far pairs reach. Isolated systems have no vdW beyond 10 x; those of a pair model, all of it. */
static void large_reach(large *g, const shoal_topology_view *v)
{
    double longest = 0;
    for (int32_t i = 0; i < g->n; ++i)
        if (v->vdw_d[i] > 0 && v->vdw_x[i] > longest) longest = v->vdw_x[i];
    if (g->vdw)
        g->vdw_range = g->lattice.n_periodic > 0 ? g->options->vdw_cutoff
                       : v->model                ? INFINITY
                                                 : 10 * longest + 1e-3;
    if (g->coulomb)
        g->coulomb_range =
            g->coulomb == LARGE_ALL_PAIRS
                ? INFINITY
                : fmax(large_clamp_range(g, v), fmax(g->ewald.r_cut, large_bent_range(&g->model)));
}
