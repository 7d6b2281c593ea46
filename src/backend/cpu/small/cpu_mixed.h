/* SPDX-License-Identifier: BSD-3-Clause
 * Forces of SHOAL_LANES unlike systems at once, by the tables of cpu_mixed_tables.h; atoms are reached by
 * quads (cpu_quads.h). Included by the template cpu_kernels.c after cpu_lanes.h. */

typedef struct mixed_field {
    const real *pos;
    real *force;
} mixed_field;

SHOAL_FN v3 mixed_get_lane(const mixed_field *at, int32_t place)
{
    return v3_make(at->pos[place], at->pos[place + 1], at->pos[place + 2]);
}

SHOAL_FN void mixed_add_lane(const mixed_field *at, int32_t place, v3 f)
{
    at->force[place] += f.x;
    at->force[place + 1] += f.y;
    at->force[place + 2] += f.z;
}

/* uff_multiply_angle where n differs from lane to lane. */
SHOAL_FN void mixed_multiply_angle(vec_mask n, vec c, vec s, vec *cn, vec *sn)
{
    const vec_mask even = (n == 2) | (n == 4), five = n == 5, more = five | (n == 4) | (n == 6);
    const vec c2 = c * c - s * s, s2 = R(2.0) * c * s;
    const vec c3 = c2 * c - s2 * s, s3 = c2 * s + s2 * c;
    const vec cm = vec_select(even, c2, vec_select(n == 1, c, c3));
    const vec sm = vec_select(even, s2, vec_select(n == 1, s, s3));
    const vec cf = vec_select(five, c2, cm), sf = vec_select(five, s2, sm);
    *cn = vec_select(more, cm * cf - sm * sf, cm);
    *sn = vec_select(more, cm * sf + sm * cf, sm);
}

/* The same to the last bit where every n is 2, 3 or 6, or does not matter. */
SHOAL_FN void mixed_multiply_usual(vec_mask n, vec c, vec s, vec *cn, vec *sn)
{
    const vec_mask two = n == 2, six = n == 6;
    const vec c2 = c * c - s * s, s2 = R(2.0) * c * s;
    const vec c3 = c2 * c - s2 * s, s3 = c2 * s + s2 * c;
    const vec cm = vec_select(two, c2, c3), sm = vec_select(two, s2, s3);
    *cn = vec_select(six, cm * cm - sm * sm, cm);
    *sn = vec_select(six, cm * sm + sm * cm, sm);
}

SHOAL_FN void mixed_turn_angle(vec_mask n, int common, bool usual, vec c, vec s, vec *cn, vec *sn)
{
    if (common)
        uff_multiply_angle_vec(common, c, s, cn, sn);
    else if (usual)
        mixed_multiply_usual(n, c, s, cn, sn);
    else
        mixed_multiply_angle(n, c, s, cn, sn);
}

#define NUMBER vec
#define VECTOR vec3
#define ON(name) name##_vec
#define V3(name) vec3_##name
#define AT(x, l) (x)[l]
#define AT3(p, l) v3_make(AT((p).x, l), AT((p).y, l), AT((p).z, l))
#define ANY(x) vec_any(x)
#define SELECT(c, a, b) vec_select(c, a, b)
#define ON_RSQRT vec_rsqrt
#define PAR(x) (x)
#define THERE(t) (t)->inverted
#define ROW(t, l) (t)->row[l]
#define MODE(name) mixed_##name
#define MODE_LANES SHOAL_LANES
#define CENTRE mixed_centres
#define ROTOR mixed_rotors
#define NODE mixed_nodes
#define FIELD mixed_field
#define GET(at, atom) quads_load((at)->pos, atom)
#define PUT(at, atom, f) quads_add((at)->force, atom, f)
#define GET_LANE(at, atom, l) mixed_get_lane(at, (atom)[l])
#define PUT_LANE(at, atom, l, f) mixed_add_lane(at, (atom)[l], f)
#define MULTIPLY_ANGLE(t, m, n, c, s, cn, sn)                                                      \
    mixed_turn_angle((t)->n[m], n, (t)->common == ROTOR_USUAL, c, s, cn, sn)
#define PERIOD(t, m, l) (int)(t)->n[m][l]

#include "backend/cpu/small/cpu_fused.h"

/* Rows that lie between the atoms that are in and the directions are zero. */
static void mixed_eval_all_nodes(mixed_block *b, const LANE(block) * pos, LANE(block) * force,
                                 LANE(energies) * e)
{
    const int32_t first = b->most_points, last = first + b->n_directions, n = b->n_points;
    const mixed_field at = {b->pos, b->force};
    mixed_node_sums sums = {0};
    for (int32_t i = first; i < last; ++i)
        quads_split(LANE(get_all)(&pos[i]), (vec *)(void *)(b->pos + QUAD_ATOM * i));
    memset(b->force + QUAD_ATOM * first, 0, (size_t)b->n_directions * QUAD_ATOM * sizeof *b->force);
    mixed_eval_nodes(b->nodes, b->n_nodes, &at, &sums);
    for (int32_t i = first; i < last; ++i)
        LANE(put_all)(&force[i], quads_join((const vec *)(const void *)(b->force + QUAD_ATOM * i)));
    LANE(project)(pos + first, force + first, b->n_directions);
    if (b->n_directions > 0) memset(force + n, 0, (size_t)(first - n) * sizeof *force);
    LANE(add_energy)(e, SHOAL_TERM_BOND, &sums.bond);
    LANE(add_energy)(e, SHOAL_TERM_ANGLE, &sums.angle);
    LANE(add_energy)(e, SHOAL_TERM_SIGMA_PI, &sums.tilt);
    LANE(add_energy)(e, SHOAL_TERM_PI_PI, &sums.twist);
}

/* A term in one lane. */
SHOAL_FN void mixed_try_term(int kind, const mixed_term *t, const LANE(block) r[4], LANE(piece) * q,
                             int l)
{
    real p[TERM_NUMBERS];
    for (int c = 0; c < term_shapes[kind].n_numbers; ++c) p[c] = t->p[c][l];
    LANE(try_term)(kind, p, &r[0], &r[1], &r[2], &r[3], q, l);
}

SHOAL_FN void mixed_redo_term(int kind, const mixed_term *t, const LANE(block) r[4],
                              LANE(piece) * q)
{
    for (int l = 0; l < SHOAL_LANES; ++l) {
        real p[TERM_NUMBERS];
        if (!q->straight[l] || !t->there[l]) continue;
        for (int c = 0; c < term_shapes[kind].n_numbers; ++c) p[c] = t->p[c][l];
        LANE(redo_lane)(kind, p, &r[0], &r[1], &r[2], &r[3], q, l);
    }
}

/* All terms of a kind as LANE(eval_kind) has them; kind is a constant. */
SHOAL_FN void mixed_eval_kind(int kind, const mixed_block *b, LANE(energies) * energies)
{
    const term_shape *s = &term_shapes[kind];
    real *e = energies->e[s->energy];
    for (int32_t n = 0; n < b->kinds[kind].n; ++n) {
        const mixed_term *t = &b->kinds[kind].terms[n];
        _Alignas(vec) LANE(block) r[4];
        _Alignas(vec) LANE(piece) q;
        for (int k = 0; k < 4; ++k)
            LANE(put_all)(&r[k], quads_load(b->pos, t->atom[k < s->n_atoms ? k : 0]));
        OVER_LANES
        for (int l = 0; l < SHOAL_LANES; ++l) mixed_try_term(kind, t, r, &q, l);
        if (s->straight && LANE(any)(q.straight)) mixed_redo_term(kind, t, r, &q);
        for (int k = 0; k < s->n_atoms; ++k)
            quads_add(b->force, t->atom[k], LANE(get_all)(&q.f[k]));
        OVER_LANES
        for (int l = 0; l < SHOAL_LANES; ++l) e[l] += t->there[l] ? q.e[l] : R(0.0);
    }
}

SHOAL_FN vec3 vec3_where(vec_mask there, vec3 a)
{
    return vec3_make((vec)((vec_mask)a.x & there), (vec)((vec_mask)a.y & there),
                     (vec)((vec_mask)a.z & there));
}

/* All ranges, in the order of the terms; forces begin with them. */
static void mixed_eval_ranges(mixed_block *b, const LANE(block) *restrict pos,
                              LANE(block) *restrict force, LANE(energies) *restrict e)
{
    const vec zero = {0};
    vec energy = {0};
    memset(force, 0, (size_t)b->n_points * sizeof *force);
    for (int32_t i = 0; i < b->n_points; ++i) {
        const mixed_range *row = b->ranges + i * b->most_points;
        const vec3 ri = LANE(get_all)(&pos[i]);
        vec3 fi = LANE(get_all)(&force[i]);
        for (int32_t j = i + 1; j < b->n_points; ++j) {
            const vec_mask there = row[j].k != zero;
            const vec3 arm = vec3_sub(LANE(get_all)(&pos[j]), ri);
            vec own;
            const vec pull =
                range_pull_vec(vec3_dot(arm, arm), row[j].k, row[j].lower2, row[j].upper, &own);
            const vec3 f = vec3_where(there, vec3_scale(pull, arm));
            fi = vec3_add(fi, f);
            LANE(put_all)(&force[j], vec3_sub(LANE(get_all)(&force[j]), f));
            energy += (vec)((vec_mask)own & there);
        }
        LANE(put_all)(&force[i], fi);
    }
    LANE(add_energy)(e, SHOAL_TERM_BOND, &energy);
}

static void mixed_bonded(mixed_block *b, const LANE(block) * pos, LANE(block) * force,
                         LANE(energies) * e)
{
    const mixed_field at = {b->pos, b->force};
    mixed_sums sums = {0};
    for (int32_t i = 0; i < b->n_points; ++i)
        quads_split(LANE(get_all)(&pos[i]), (vec *)(void *)(b->pos + QUAD_ATOM * i));
    if (b->ranges) mixed_eval_ranges(b, pos, force, e);
    for (int32_t i = 0; i < b->n_points && b->ranges; ++i)
        quads_split(LANE(get_all)(&force[i]), (vec *)(void *)(b->force + QUAD_ATOM * i));
    if (!b->ranges) memset(b->force, 0, (size_t)b->n_points * QUAD_ATOM * sizeof *b->force);
    mixed_eval_centres(b->centres, b->n_centres, &at, &sums);
    mixed_eval_rotors(b->rotors, b->n_rotors, &at, &sums);
    if (b->n_nodes > 0) mixed_eval_all_nodes(b, pos, force, e);
    LANE(add_energy)(e, SHOAL_TERM_BOND, &sums.bond);
    LANE(add_energy)(e, SHOAL_TERM_ANGLE, &sums.angle);
    LANE(add_energy)(e, SHOAL_TERM_TORSION, &sums.torsion);
    LANE(add_energy)(e, SHOAL_TERM_INVERSION, &sums.inversion);
#define EVAL_KIND(NAME) mixed_eval_kind(SHOAL_KIND_##NAME, b, e);
    CPU_MIXED_KINDS(EVAL_KIND)
#undef EVAL_KIND
    for (int32_t i = 0; i < b->n_points; ++i)
        LANE(put_all)(&force[i], quads_join((const vec *)(const void *)(b->force + QUAD_ATOM * i)));
}

/* The pairs of atom i with those from first to before last. */
SHOAL_FN void mixed_row(const mixed_block *b, int32_t i, int32_t first, int32_t last,
                        const LANE(block) * pos, LANE(block) * force, bool charged, pair_sum *a)
{
    const int32_t row = i * b->most_points;
    const vec zero = {0};
    for (int32_t j = first; j < last; ++j) {
        const mixed_pair *q = &b->pairs[row + j];
        const pair_row p = {q->x6, q->c6, charged ? b->kqq[row + j] : zero};
        add_pair(a, &p, p.x6 >= zero, &pos[j], &force[j], charged, b->damping2);
    }
}

/* All pairs in the order of cpu_pairs_many.h. */
SHOAL_FN void mixed_eval_pairs(const mixed_block *b, const LANE(block) *restrict pos,
                               LANE(block) *restrict force, LANE(energies) *restrict e,
                               bool charged)
{
    vec vdw = {0}, coulomb = {0};
    for (int32_t tile = 0; tile < b->n_points; tile += PAIR_TILE) {
        const int32_t end = tile + PAIR_TILE < b->n_points ? tile + PAIR_TILE : b->n_points;
        for (int32_t i = 0; i + 1 < end; ++i) {
            pair_sum a = pair_sum_begin(&pos[i], &force[i]);
            mixed_row(b, i, i < tile ? tile : i + 1, end, pos, force, charged, &a);
            pair_sum_end(&a, &force[i], &vdw, &coulomb);
        }
    }
    LANE(add_pair_energies)(e, vdw, coulomb);
}

/* The same for a pair model. */
SHOAL_FN void mixed_model_loop(model_loop loop, const mixed_block *b,
                               const LANE(block) *restrict pos, LANE(block) *restrict force,
                               LANE(energies) *restrict e)
{
    const model_constants c = b->constants;
    const vec zero = {0};
    vec vdw = {0}, coulomb = {0};
    for (int32_t tile = 0; tile < b->n_points; tile += PAIR_TILE) {
        const int32_t end = tile + PAIR_TILE < b->n_points ? tile + PAIR_TILE : b->n_points;
        for (int32_t i = 0; i + 1 < end; ++i) {
            const model_row *row = b->models + i * b->most_points;
            pair_sum a = pair_sum_begin(&pos[i], &force[i]);
            for (int32_t j = i < tile ? tile : i + 1; j < end; ++j)
                add_model_pair(loop, c, &a, &row[j], row[j].k >= zero,
                               model_distance_of(&a, &pos[j]), &pos[j], &force[j]);
            pair_sum_end(&a, &force[i], &vdw, &coulomb);
        }
    }
    LANE(add_model_energies)(e, vdw, coulomb);
}

static void mixed_eval_model(const mixed_block *b, const LANE(block) * pos, LANE(block) * force,
                             LANE(energies) * e)
{
    int loops[2];
    const int n = model_loops(&b->model, loops);
    for (int k = 0; k < n; ++k) switch (loops[k]) {
#define RUN_LOOP(family, damped, coulomb)                                                          \
    case MODEL_LOOP_NUMBER(family, damped, coulomb):                                               \
        mixed_model_loop((model_loop){family, coulomb, damped}, b, pos, force, e);                 \
        break;
            MODEL_LOOPS(RUN_LOOP)
#undef RUN_LOOP
        default: break;
        }
}

/* The pairs of a loop, clamped. */
static void mixed_clamped(const clamp_loop *c, const mixed_block *b, const LANE(block) * pos,
                          LANE(block) * force, LANE(energies) * e, vec clamp2)
{
    const vec zero = {0};
    vec vdw = {0}, coulomb = {0};
    for (int32_t tile = 0; tile < b->n_points; tile += PAIR_TILE) {
        const int32_t end = tile + PAIR_TILE < b->n_points ? tile + PAIR_TILE : b->n_points;
        for (int32_t i = 0; i + 1 < end; ++i) {
            pair_sum a = pair_sum_begin(&pos[i], &force[i]);
            for (int32_t j = i < tile ? tile : i + 1; j < end; ++j) {
                const int32_t at = i * b->most_points + j;
                pair_row p = {zero, zero, zero};
                if (!c->is_model) p = (pair_row){b->pairs[at].x6, b->pairs[at].c6, b->kqq[at]};
                const model_row *m = c->is_model ? &b->models[at] : NULL;
                add_clamped_pair(c, &a, clamp2 * b->reach2[at], &p, m,
                                 m ? m->k >= zero : p.x6 >= zero, &pos[j], &force[j]);
            }
            pair_sum_end(&a, &force[i], &vdw, &coulomb);
        }
    }
    if (c->is_model)
        LANE(add_model_energies)(e, vdw, coulomb);
    else
        LANE(add_pair_energies)(e, vdw, coulomb);
}

static void mixed_eval_clamped(const mixed_block *b, const LANE(block) * pos, LANE(block) * force,
                               LANE(energies) * e, const real clamp2[SHOAL_LANES])
{
    vec c2;
    int loops[2];
    memcpy(&c2, clamp2, sizeof c2);
    const int n = b->model.from ? model_loops(&b->model, loops) : 0;
    for (int k = 0; k < n; ++k) {
        const clamp_loop c = clamp_loop_of(loops[k], b->constants);
        mixed_clamped(&c, b, pos, force, e, c2);
    }
    const clamp_loop uff = {.has_vdw = true, .charged = b->charged, .damping2 = b->damping2};
    if (!b->model.from) mixed_clamped(&uff, b, pos, force, e, c2);
}

/* Energies by term and forces of the systems that are in. */
static void mixed_eval(mixed_block *b, const LANE(block) *restrict pos, LANE(block) *restrict force,
                       LANE(energies) *restrict e, const real clamp2[SHOAL_LANES])
{
    memset(e, 0, sizeof *e);
    mixed_bonded(b, pos, force, e);
    if (b->ranges) return;
    if (b->reach2)
        mixed_eval_clamped(b, pos, force, e, clamp2);
    else if (b->model.from)
        mixed_eval_model(b, pos, force, e);
    else if (b->charged)
        mixed_eval_pairs(b, pos, force, e, true);
    else
        mixed_eval_pairs(b, pos, force, e, false);
}
