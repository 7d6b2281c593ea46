/* SPDX-License-Identifier: BSD-3-Clause
 * Tables of SHOAL_LANES unlike systems, which go in and out one by one. Row m of a block is the centre,
 * rotor or atom number m of every lane; rows are as long as the longest of them. A lane does the operations
 * of its system in the same order as alone; where others have more it does these too, and all of that adds
 * zeros: an arm that is missing points to its own atom, a centre or rotor that is missing to an atom that
 * is nowhere, and sums that start at +0 never become -0. Included by the template cpu_kernels.c. */

/* Rows of vectors over lanes: atoms, then directions. */
typedef struct lane_rows {
    int32_t n_points, n_directions;
} lane_rows;

typedef struct mixed_centres {
    int32_t n_arms; /* the most of all lanes */
    bool inverts;   /* some lane does */
    bool guards;    /* some lane has angles with a guard */
    vec_mask inverted;
    const centre_row *row[SHOAL_LANES];                       /* for what is seldom looked at */
    int32_t atom[SHOAL_LANES], arm[CENTRE_ARMS][SHOAL_LANES]; /* places of quads */
    vec k[CENTRE_ARMS], r0[CENTRE_ARMS];
    vec angle[CENTRE_ANGLES][5];
    vec inversion[CENTRE_INVERSIONS][4];
} mixed_centres;

typedef struct mixed_rotors {
    int32_t n_near, n_far; /* the most of all lanes */
    int32_t common;        /* periodicity in all lanes, as in rotor_row */
    int32_t j[SHOAL_LANES], k[SHOAL_LANES], arm[ROTOR_ARMS][SHOAL_LANES];
    vec_mask n[ROTOR_TORSIONS];
    vec v[ROTOR_TORSIONS], d[ROTOR_TORSIONS], slope[ROTOR_TORSIONS];
} mixed_rotors;

typedef struct mixed_nodes {
    int32_t n_arms, n_twists;                                 /* the most of all lanes */
    bool turns;                                               /* some lane does */
    int32_t atom[SHOAL_LANES], arm[CENTRE_ARMS][SHOAL_LANES]; /* places of quads */
    int32_t direction[SHOAL_LANES], partner[CENTRE_ARMS][SHOAL_LANES];
    vec k[CENTRE_ARMS], r0[CENTRE_ARMS];
    vec angle[CENTRE_ANGLES][3];
    vec tilt[CENTRE_ARMS][2], twist[CENTRE_ARMS][3];
} mixed_nodes;

/* A term of a kind that is evaluated as it is (CPU_MIXED_KINDS). */
typedef struct mixed_term {
    vec_mask there;
    int32_t atom[4][SHOAL_LANES]; /* places of quads */
    vec p[TERM_NUMBERS];
} mixed_term;

typedef struct mixed_kind {
    int32_t most, n; /* room, and the most of the systems that are in */
    mixed_term *terms;
} mixed_kind;

typedef struct mixed_pair {
    vec x6, c6; /* x6 is -1 where there is no pair */
} mixed_pair;

/* A range, with the numbers of the term; k is 0 where there is none. */
typedef struct mixed_range {
    vec k, lower2, upper;
} mixed_range;

typedef struct mixed_block {
    int32_t most_points, most_centres, most_rotors, most_nodes; /* room */
    int32_t n_points, n_centres, n_rotors, n_nodes;             /* of the systems that are in */
    int32_t most_directions, n_directions; /* from row most_points on in all lanes */
    bool charged;
    real damping2;
    const tables *in[SHOAL_LANES]; /* NULL: idle */
    mixed_centres *centres;
    mixed_rotors *rotors;
    mixed_nodes *nodes;
    mixed_kind kinds[TERM_N_KINDS];
    mixed_pair *pairs;   /* [most_points][most_points], i < j */
    vec *kqq;            /* the same */
    vec *reach2;         /* the same, where pairs may be clamped; else NULL */
    mixed_range *ranges; /* the same, of distance geometry, which has no pairs; else NULL */
    cpu_model model;     /* of all systems; NULL in it: UFF's LJ */
    model_constants constants;
    model_row *models; /* pairs of a pair model, as pairs; k is -1 where there is no pair */
    real *pos, *force; /* quads of the atoms, of the directions and of one that is nowhere */
} mixed_block;

/* --- a system moves in -------------------------------------------------------------------------- */

SHOAL_FN int32_t mixed_place(int32_t atom, int l)
{
    return QUAD_ATOM * atom + quad_place(l);
}

static void mix_centre(mixed_centres *to, int l, const centre_row *c, int32_t nowhere)
{
    static const centre_row none = {0};
    const centre_row *from = c ? c : &none;
    to->inverted[l] = from->inverts ? -1 : 0;
    to->row[l] = from;
    to->atom[l] = mixed_place(c ? c->atom : nowhere, l);
    for (int a = 0; a < CENTRE_ARMS; ++a) {
        to->arm[a][l] = a < from->n_arms ? mixed_place(from->arm[a], l) : to->atom[l];
        to->k[a][l] = from->k[a];
        to->r0[a][l] = from->r0[a];
    }
    for (int n = 0; n < CENTRE_ANGLES; ++n)
        for (int k = 0; k < 5; ++k) to->angle[n][k][l] = from->angle[n][k];
    for (int n = 0; n < CENTRE_INVERSIONS; ++n)
        for (int k = 0; k < 4; ++k) to->inversion[n][k][l] = from->inversion[n][k];
}

static void mix_rotor(mixed_rotors *to, int l, const rotor_row *r, int32_t nowhere)
{
    static const rotor_row none = {0};
    const rotor_row *from = r ? r : &none;
    to->j[l] = mixed_place(r ? r->j : nowhere, l);
    to->k[l] = mixed_place(r ? r->k : nowhere, l);
    for (int a = 0; a < ROTOR_SIDE; ++a) {
        const int b = ROTOR_SIDE + a;
        to->arm[a][l] = a < from->n_near ? mixed_place(from->arm[a], l) : to->j[l];
        to->arm[b][l] = a < from->n_far ? mixed_place(from->arm[b], l) : to->k[l];
    }
    for (int m = 0; m < ROTOR_TORSIONS; ++m) {
        to->n[m][l] = from->n[m];
        to->v[m][l] = from->v[m];
        to->d[m][l] = from->d[m];
        to->slope[m][l] = from->slope[m];
    }
}

/* A system's own numbers of directions begin behind its atoms. */
static int32_t mixed_direction(const mixed_block *b, int32_t direction, int32_t n_points, int l)
{
    return mixed_place(b->most_points + (direction - n_points), l);
}

static void mix_node(const mixed_block *b, mixed_nodes *to, int l, const node_row *c,
                     int32_t n_points)
{
    static const node_row none = {0};
    const node_row *from = c ? c : &none;
    const int32_t nowhere = mixed_place(b->most_points + b->most_directions, l);
    to->atom[l] = c ? mixed_place(c->atom, l) : nowhere;
    to->direction[l] = from->turns ? mixed_direction(b, from->direction, n_points, l) : nowhere;
    for (int a = 0; a < CENTRE_ARMS; ++a) {
        to->arm[a][l] = a < from->n_arms ? mixed_place(from->arm[a], l) : to->atom[l];
        to->partner[a][l] =
            a < from->n_twists ? mixed_direction(b, from->partner[a], n_points, l) : nowhere;
        to->k[a][l] = from->k[a];
        to->r0[a][l] = from->r0[a];
        for (int k = 0; k < 2; ++k) to->tilt[a][k][l] = from->tilt[a][k];
        for (int k = 0; k < 3; ++k) to->twist[a][k][l] = from->twist[a][k];
    }
    for (int n = 0; n < CENTRE_ANGLES; ++n)
        for (int k = 0; k < 3; ++k) to->angle[n][k][l] = from->angle[n][k];
}

/* Term m of a kind, or none. */
static void mix_term(mixed_term *to, int l, int kind, const kind_table *k, int32_t m,
                     int32_t nowhere)
{
    const term_shape *s = &term_shapes[kind];
    const bool there = m < k->n;
    to->there[l] = there ? -1 : 0;
    for (int32_t c = 0; c < s->n_atoms; ++c)
        to->atom[c][l] = mixed_place(there ? k->atoms[s->n_atoms * m + c] : nowhere, l);
    for (int32_t c = 0; c < s->n_numbers; ++c)
        to->p[c][l] = there ? k->numbers[s->n_numbers * m + c] : R(0.0);
}

/* One pair from a lane of a row of a single system. */
static void mix_pair(mixed_block *b, int l, int32_t at, const tables *t, int32_t row, int k)
{
    if (b->reach2) b->reach2[at][l] = t->reach_rows[row][k];
    if (b->models) {
        const model_row *from = &t->model_rows[row];
        model_row *to = &b->models[at];
        to->a[l] = from->a[k];
        to->b[l] = from->b[k];
        to->k[l] = from->k[k];
        to->kqq[l] = from->kqq[k];
        return;
    }
    b->pairs[at].x6[l] = t->rows[row].x6[k];
    b->pairs[at].c6[l] = t->rows[row].c6[k];
    b->kqq[at][l] = t->has_charges ? t->rows[row].kqq[k] : R(0.0);
}

static void mix_no_pairs(mixed_block *b, int l)
{
    for (int32_t i = 0; i < b->most_points; ++i)
        for (int32_t j = i + 1; j < b->most_points; ++j)
            if (b->models)
                b->models[i * b->most_points + j].k[l] = -1;
            else
                b->pairs[i * b->most_points + j].x6[l] = -1;
}

/* Pairs from the rows of a single system, which are listed by list_rows. */
static void mix_pairs(mixed_block *b, int l, const tables *t)
{
    int32_t row = 0;
    mix_no_pairs(b, l);
    for (int32_t tile = 0; tile < t->n_points; tile += PAIR_TILE) {
        const int32_t end = tile + PAIR_TILE < t->n_points ? tile + PAIR_TILE : t->n_points;
        for (int32_t i = 0; i + 1 < end; ++i) {
            const int32_t skip = i < tile ? 0 : (i + 1 - tile) / SHOAL_LANES * SHOAL_LANES;
            for (int32_t first = tile + skip; first < end; first += SHOAL_LANES, ++row)
                for (int k = 0; k < SHOAL_LANES && first + k < end; ++k)
                    if (first + k > i) mix_pair(b, l, i * b->most_points + first + k, t, row, k);
        }
    }
}

static void mix_ranges(mixed_block *b, int l, const kind_table *k)
{
    for (int32_t at = 0; at < b->most_points * b->most_points; ++at) {
        mixed_range *r = &b->ranges[at];
        r->k[l] = r->lower2[l] = r->upper[l] = 0;
    }
    for (int32_t n = 0; n < k->n; ++n) {
        mixed_range *r = &b->ranges[k->atoms[2 * n] * b->most_points + k->atoms[2 * n + 1]];
        const real *p = k->numbers + 3 * n;
        r->k[l] = p[0];
        r->lower2[l] = p[1];
        r->upper[l] = p[2];
    }
}

/* Puts a system into a lane. */
static void mix_in(mixed_block *b, int l, const tables *t)
{
    const int32_t nowhere = b->most_points + b->most_directions;
    for (int32_t m = 0; m < b->most_centres; ++m)
        mix_centre(&b->centres[m], l, m < t->n_centres ? &t->centres[m] : NULL, nowhere);
    for (int32_t m = 0; m < b->most_rotors; ++m)
        mix_rotor(&b->rotors[m], l, m < t->n_rotors ? &t->rotors[m] : NULL, nowhere);
    for (int32_t m = 0; m < b->most_nodes; ++m)
        mix_node(b, &b->nodes[m], l, m < t->n_nodes ? &t->nodes[m] : NULL, t->n_points);
    for (int kind = 0; kind < TERM_N_KINDS; ++kind)
        for (int32_t m = 0; m < b->kinds[kind].most; ++m)
            mix_term(&b->kinds[kind].terms[m], l, kind, &t->kinds[kind], m, nowhere);
    if (b->ranges)
        mix_ranges(b, l, &t->kinds[TERM_KIND_RANGE]);
    else
        mix_pairs(b, l, t);
    b->damping2 = t->damping2;
    b->in[l] = t;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static void widen_rotor(mixed_rotors *to, const rotor_row *from)
{
    const bool first = to->n_near == 0;
    to->n_near = larger(to->n_near, from->n_near);
    to->n_far = larger(to->n_far, from->n_far);
    to->common = first ? from->common : rotor_common(to->common, from->common);
}

static void widen_node(mixed_nodes *to, const node_row *from)
{
    to->n_arms = larger(to->n_arms, from->n_arms);
    to->n_twists = larger(to->n_twists, from->n_twists);
    to->turns |= from->turns;
}

/* The same of those with nodes. */
static void mix_shape_nodes(mixed_block *b)
{
    b->n_nodes = b->n_directions = 0;
    for (int32_t m = 0; m < b->most_nodes; ++m)
        b->nodes[m].n_arms = b->nodes[m].n_twists = b->nodes[m].turns = 0;
    for (int l = 0; l < SHOAL_LANES; ++l) {
        const tables *t = b->in[l];
        if (!t) continue;
        b->n_nodes = larger(b->n_nodes, t->n_nodes);
        b->n_directions = larger(b->n_directions, t->n_directions);
        for (int32_t m = 0; m < t->n_nodes; ++m) widen_node(&b->nodes[m], &t->nodes[m]);
    }
}

/* The same of the terms of every kind. */
static void mix_shape_kinds(mixed_block *b)
{
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) {
        b->kinds[kind].n = 0;
        for (int l = 0; l < SHOAL_LANES && b->kinds[kind].most > 0; ++l)
            if (b->in[l]) b->kinds[kind].n = larger(b->kinds[kind].n, b->in[l]->kinds[kind].n);
    }
}

/* Sizes of all rows from the systems that are in. */
static void mix_shape(mixed_block *b)
{
    if (b->most_nodes > 0) mix_shape_nodes(b);
    mix_shape_kinds(b);
    b->n_points = b->n_centres = b->n_rotors = 0;
    b->charged = false;
    for (int32_t m = 0; m < b->most_centres; ++m)
        b->centres[m].n_arms = b->centres[m].inverts = b->centres[m].guards = 0;
    for (int32_t m = 0; m < b->most_rotors; ++m) b->rotors[m].n_near = b->rotors[m].n_far = 0;
    for (int l = 0; l < SHOAL_LANES; ++l) {
        const tables *t = b->in[l];
        if (!t) continue;
        b->n_points = larger(b->n_points, t->n_points);
        b->n_centres = larger(b->n_centres, t->n_centres);
        b->n_rotors = larger(b->n_rotors, t->n_rotors);
        b->charged |= t->has_charges;
        for (int32_t m = 0; m < t->n_centres; ++m) {
            b->centres[m].n_arms = larger(b->centres[m].n_arms, t->centres[m].n_arms);
            b->centres[m].inverts |= t->centres[m].inverts;
            b->centres[m].guards |= t->centres[m].guards;
        }
        for (int32_t m = 0; m < t->n_rotors; ++m) widen_rotor(&b->rotors[m], &t->rotors[m]);
    }
}

/* Lanes begin idle, with terms of atoms that are nowhere: what comes out of these may be no number. */
static bool mixed_create_kinds(mixed_block *b, const cpu_task *tasks, int32_t n_tasks,
                               arena *memory)
{
    static const kind_table none;
    const int32_t nowhere = b->most_points + b->most_directions;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) {
        mixed_kind *k = &b->kinds[kind];
        for (int32_t n = 0; n < n_tasks && kind != TERM_KIND_RANGE; ++n) {
            const tables *t = tasks[n].tables;
            k->most = larger(k->most, t->kinds[kind].n);
        }
        k->terms = allot(memory, (size_t)k->most, sizeof *k->terms);
        if (!k->terms) return false;
        for (int32_t m = 0; m < k->most; ++m)
            for (int l = 0; l < SHOAL_LANES; ++l)
                mix_term(&k->terms[m], l, kind, &none, 0, nowhere);
    }
    return true;
}

/* Room for all systems of the tasks, which have one model; false when memory is out. */
static lane_rows mixed_rows(const cpu_task *tasks, int32_t n_tasks)
{
    lane_rows rows = {0};
    for (int32_t k = 0; k < n_tasks; ++k) {
        const tables *t = tasks[k].tables;
        rows.n_points = larger(rows.n_points, t->n_points);
        rows.n_directions = larger(rows.n_directions, t->n_directions);
    }
    return rows;
}

static bool mixed_create(mixed_block *b, const cpu_task *tasks, int32_t n_tasks, arena *memory)
{
    *b = (mixed_block){0};
    for (int32_t k = 0; k < n_tasks; ++k) {
        const tables *t = tasks[k].tables;
        b->most_points = larger(b->most_points, t->n_points);
        b->most_centres = larger(b->most_centres, t->n_centres);
        b->most_rotors = larger(b->most_rotors, t->n_rotors);
        b->most_nodes = larger(b->most_nodes, t->n_nodes);
        b->most_directions = larger(b->most_directions, t->n_directions);
    }
    const size_t n = (size_t)b->most_points;
    const size_t quads = (n + (size_t)b->most_directions + 1) * QUAD_ATOM;
    b->nodes = allot(memory, (size_t)b->most_nodes, sizeof *b->nodes);
    b->centres = allot(memory, (size_t)b->most_centres, sizeof *b->centres);
    b->rotors = allot(memory, (size_t)b->most_rotors, sizeof *b->rotors);
    const tables *any = tasks[0].tables;
    b->model = any->model;
    b->constants = any->constants;
    const size_t n_pairs = b->model.from || any->has_ranges ? 0 : n * n;
    if (b->model.from)
        b->models = allot(memory, n * n, sizeof *b->models);
    else if (any->has_ranges)
        b->ranges = allot(memory, n * n, sizeof *b->ranges);
    else
        b->pairs = allot(memory, n_pairs, sizeof *b->pairs);
    b->kqq = allot(memory, n_pairs, sizeof *b->kqq);
    if (any->reach_rows) {
        b->reach2 = allot(memory, n * n, sizeof *b->reach2);
        if (!b->reach2) return false;
    }
    b->pos = allot(memory, quads, sizeof *b->pos);
    b->force = allot(memory, quads, sizeof *b->force);
    return b->centres && b->rotors && b->nodes && (b->pairs || b->models || b->ranges) && b->kqq &&
           b->pos && b->force && mixed_create_kinds(b, tasks, n_tasks, memory);
}
