/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of one system: an atom meets its partners in a tile, one of them in every lane, and the
 * results are added one by one in the order in which many systems add theirs, so that the bits are
 * the same. Included by cpu_lanes.h. */

/* The atoms of a tile, and what an atom and each of them do to each other. */
typedef struct pair_tile {
    int32_t start, n;      /* first atom, and how many */
    real e_vdw, e_coulomb; /* sums over all tiles so far */
    vec r[3][TILE_VECTORS], f[3][TILE_VECTORS];
    vec pull[3][TILE_VECTORS]; /* forces on the atom, -0 where there is no pair */
    vec vdw[TILE_VECTORS], coulomb[TILE_VECTORS];
} pair_tile;

/* The numbers of vectors, one after the other. */
SHOAL_FN real *numbers(vec *v)
{
    return (real *)(void *)v;
}

static __attribute__((noinline)) void load_tile(pair_tile *tile, const block_1 *pos,
                                                const block_1 *force)
{
    for (int32_t j = 0; j < PAIR_TILE; ++j)
        for (int c = 0; c < 3; ++c) {
            const bool there = j < tile->n;
            numbers(tile->r[c])[j] = there ? pos[tile->start + j].v[c][0] : R(0.0);
            numbers(tile->f[c])[j] = there ? force[tile->start + j].v[c][0] : R(0.0);
        }
}

/* -0 can be added to any number without changing a bit of it. */
SHOAL_FN vec or_nothing(vec x, vec_mask is_pair)
{
    const vec zero = {0};
    return (vec)(((vec_mask)x & is_pair) | ((vec_mask)-zero & ~is_pair));
}

/* One vector of partners. */
SHOAL_FN void meet(pair_tile *tile, int32_t v, const real r[3], const pair_row *row, bool charged,
                   real damping2)
{
    const vec zero = {0}, d[3] = {r[0] - tile->r[0][v], r[1] - tile->r[1][v], r[2] - tile->r[2][v]};
    const vec_mask is_pair = row->x6 >= zero;
    vec vdw, coulomb = zero;
    const vec r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const vec g = pair_strength(r2, row, ~(vec_mask){0}, charged, damping2, NULL, &vdw, &coulomb);
    for (int c = 0; c < 3; ++c) {
        const vec pull = g * d[c];
        /* x - 0 is x, to the last bit. */
        tile->f[c][v] -= (vec)((vec_mask)pull & is_pair);
        tile->pull[c][v] = or_nothing(pull, is_pair);
    }
    tile->vdw[v] = or_nothing(vdw, is_pair);
    if (charged) tile->coulomb[v] = or_nothing(coulomb, is_pair);
}

/* The same for a pair model. */
SHOAL_FN void meet_model(model_loop loop, model_constants c, pair_tile *tile, int32_t v,
                         const real r[3], const model_row *row)
{
    const vec zero = {0}, d[3] = {r[0] - tile->r[0][v], r[1] - tile->r[1][v], r[2] - tile->r[2][v]};
    const vec_mask is_pair = row->k >= zero;
    vec vdw = zero, coulomb = zero;
    const vec r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const vec g = model_strength(loop, c, r2, vec_rsqrt(r2), row, NULL, &vdw, &coulomb);
    for (int x = 0; x < 3; ++x) {
        const vec pull = g * d[x];
        tile->f[x][v] -= (vec)((vec_mask)pull & is_pair);
        tile->pull[x][v] = or_nothing(pull, is_pair);
    }
    if (loop.family != CPU_NO_VDW) tile->vdw[v] = or_nothing(vdw, is_pair);
    if (loop.coulomb != FORM_COULOMB_NONE) tile->coulomb[v] = or_nothing(coulomb, is_pair);
}

/* The same for clamped pairs; the row is one of the two. */
static void meet_clamped(const clamp_loop *way, pair_tile *tile, int32_t v, const real r[3],
                         vec reach2, const pair_row *p, const model_row *m)
{
    const vec zero = {0}, d[3] = {r[0] - tile->r[0][v], r[1] - tile->r[1][v], r[2] - tile->r[2][v]};
    const vec_mask is_pair = way->is_model ? m->k >= zero : p->x6 >= zero;
    const vec r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    vec vdw, coulomb;
    const vec g = clamped_strength(way, r2, reach2, p, m, is_pair, &vdw, &coulomb);
    for (int c = 0; c < 3; ++c) {
        const vec pull = g * d[c];
        tile->f[c][v] -= (vec)((vec_mask)pull & is_pair);
        tile->pull[c][v] = or_nothing(pull, is_pair);
    }
    if (way->has_vdw) tile->vdw[v] = or_nothing(vdw, is_pair);
    if (way->charged) tile->coulomb[v] = or_nothing(coulomb, is_pair);
}

/* Adds what the partners from first on did to an atom, in order. */
SHOAL_FN void sum_row(pair_tile *tile, int32_t first, bool has_vdw, bool charged, real f[3])
{
    const real *x = numbers(tile->pull[0]), *y = numbers(tile->pull[1]);
    const real *z = numbers(tile->pull[2]), *vdw = numbers(tile->vdw);
    const real *coulomb = numbers(tile->coulomb);
    const int32_t last = tile->n;
    real fx = f[0], fy = f[1], fz = f[2], e_vdw = 0, e_coulomb = 0;
    for (int32_t j = first; j < last; ++j) {
        fx += x[j];
        fy += y[j];
        fz += z[j];
        if (has_vdw) e_vdw += vdw[j];
        if (charged) e_coulomb += coulomb[j];
    }
    f[0] = fx;
    f[1] = fy;
    f[2] = fz;
    tile->e_vdw += e_vdw;
    tile->e_coulomb += e_coulomb;
}

/* All partners of an atom from vector v on by a pair model. There is a function for every loop; what is not the formula of a
 * pair is compiled once. */
typedef void meet_partners(model_constants c, pair_tile *tile, int32_t v, const real r[3],
                           const model_row *row);
#define MEET_BY_LOOP(family, damped, coulomb)                                                      \
    static void meet_##family##_##damped##_##coulomb(                                              \
        model_constants c, pair_tile *tile, int32_t v, const real r[3], const model_row *row)      \
    {                                                                                              \
        for (; v * SHOAL_LANES < tile->n; ++v, ++row)                                              \
            meet_model((model_loop){family, coulomb, damped}, c, tile, v, r, row);                 \
    }
MODEL_LOOPS(MEET_BY_LOOP)
#undef MEET_BY_LOOP

static meet_partners *find_meeting(int number)
{
    switch (number) {
#define FIND_LOOP(family, damped, coulomb)                                                         \
    case MODEL_LOOP_NUMBER(family, damped, coulomb): return meet_##family##_##damped##_##coulomb;
        MODEL_LOOPS(FIND_LOOP)
#undef FIND_LOOP
    default: return NULL;
    }
}

/* What the partners of an atom do to it: as UFF has it, or by a pair model. Constants but for the function. */
typedef struct tile_way {
    bool is_model, has_vdw, charged;
    meet_partners *meet;
    const clamp_loop *clamped; /* NULL: they are not */
    real clamp2;
} tile_way;

/* All pairs of the atoms up to a tile with higher ones of the tile; returns the next row. */
SHOAL_FN int32_t eval_tile(tile_way way, pair_tile *tile, const tables *t, int32_t row,
                           const block_1 *pos, block_1 *force)
{
    const int32_t n = tile->n, n_vectors = (n + SHOAL_LANES - 1) / SHOAL_LANES;
    const real damping2 = t->damping2;
    const model_constants c = t->constants;
    for (int32_t i = 0; i < tile->start + n; ++i) {
        const int32_t own = i - tile->start, first = own < 0 ? 0 : own + 1;
        const real r[3] = {pos[i].v[0][0], pos[i].v[1][0], pos[i].v[2][0]};
        real f[3];
        for (int x = 0; x < 3; ++x) f[x] = own < 0 ? force[i].v[x][0] : numbers(tile->f[x])[own];
        int32_t v = first < n ? first / SHOAL_LANES : n_vectors;
        for (; v < n_vectors && way.clamped; ++v, ++row)
            meet_clamped(way.clamped, tile, v, r, way.clamp2 * t->reach_rows[row],
                         way.is_model ? NULL : &t->rows[row],
                         way.is_model ? &t->model_rows[row] : NULL);
        if (way.is_model && v < n_vectors) {
            way.meet(c, tile, v, r, &t->model_rows[row]);
            row += n_vectors - v;
        }
        for (; v < n_vectors && !way.is_model; ++v, ++row)
            meet(tile, v, r, &t->rows[row], way.charged, damping2);
        sum_row(tile, first, way.has_vdw, way.charged, f);
        for (int x = 0; x < 3; ++x) force[i].v[x][0] = f[x];
    }
    return row;
}

/* All pairs of particles; energies as the way gives them. */
SHOAL_FN void eval_tiles(tile_way way, const tables *t, const block_1 *restrict pos,
                         block_1 *restrict force, real *e_vdw, real *e_coulomb)
{
    int32_t row = 0;
    pair_tile tile;
    tile.e_vdw = tile.e_coulomb = 0;
    for (tile.start = 0; tile.start < t->n_particles; tile.start += PAIR_TILE) {
        const int32_t left = t->n_particles - tile.start;
        tile.n = left < PAIR_TILE ? left : PAIR_TILE;
        load_tile(&tile, pos, force);
        row = eval_tile(way, &tile, t, row, pos, force);
    }
    *e_vdw = tile.e_vdw;
    *e_coulomb = tile.e_coulomb;
}

SHOAL_FN void eval_pairs_1(const tables *t, const block_1 *restrict pos, block_1 *restrict force,
                           energies_1 *restrict e, bool charged)
{
    const tile_way way = {.has_vdw = true, .charged = charged};
    real vdw, coulomb;
    eval_tiles(way, t, pos, force, &vdw, &coulomb);
    e->e[SHOAL_TERM_VDW][0] += vdw / R(12.0);
    e->e[SHOAL_TERM_COULOMB][0] += coulomb;
}

/* One loop over the pairs of a model, by its number. */
static void run_model_loop_1(int number, const tables *t, const block_1 *pos, block_1 *force,
                             energies_1 *e)
{
    const model_loop loop = model_loop_of(number);
    meet_partners *by_loop = find_meeting(number);
    const tile_way both = {.is_model = true, .has_vdw = true, .charged = true, .meet = by_loop};
    const tile_way vdw_only = {.is_model = true, .has_vdw = true, .meet = by_loop};
    const tile_way charges = {.is_model = true, .charged = true, .meet = by_loop};
    real vdw, coulomb;
    if (loop.family == CPU_NO_VDW)
        eval_tiles(charges, t, pos, force, &vdw, &coulomb);
    else if (loop.coulomb == FORM_COULOMB_NONE)
        eval_tiles(vdw_only, t, pos, force, &vdw, &coulomb);
    else
        eval_tiles(both, t, pos, force, &vdw, &coulomb);
    e->e[SHOAL_TERM_VDW][0] += vdw;
    e->e[SHOAL_TERM_COULOMB][0] += coulomb;
}

/* All pairs of a loop, clamped. */
static void eval_clamped_1(const clamp_loop *c, const tables *t, const block_1 *pos, block_1 *force,
                           energies_1 *e, const real clamp2[1])
{
    const tile_way way = {.is_model = c->is_model,
                          .has_vdw = c->has_vdw,
                          .charged = c->charged,
                          .clamped = c,
                          .clamp2 = clamp2[0]};
    real vdw, coulomb;
    eval_tiles(way, t, pos, force, &vdw, &coulomb);
    e->e[SHOAL_TERM_VDW][0] += c->is_model ? vdw : vdw / R(12.0);
    e->e[SHOAL_TERM_COULOMB][0] += coulomb;
}
