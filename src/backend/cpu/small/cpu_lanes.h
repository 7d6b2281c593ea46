/* SPDX-License-Identifier: BSD-3-Clause
 * Forces of LANES systems of one topology at once; included by the template cpu_kernels.c for one
 * and for many lanes. Every lane does the same operations in the same order as a lone system, so
 * the number of lanes does not change a bit. Names end in the number of lanes. */

typedef struct LANE(block) {
    real v[3][LANES]; /* one vector of every lane */
} LANE(block);

typedef struct LANE(energies) {
    real e[SHOAL_N_TERMS][LANES];
} LANE(energies);

SHOAL_FN v3 LANE(get)(const LANE(block) * p, int l)
{
    return v3_make(p->v[0][l], p->v[1][l], p->v[2][l]);
}

SHOAL_FN void LANE(add)(LANE(block) * p, int l, v3 f)
{
    p->v[0][l] += f.x;
    p->v[1][l] += f.y;
    p->v[2][l] += f.z;
}

SHOAL_FN void LANE(subtract)(LANE(block) * p, int l, v3 f)
{
    p->v[0][l] -= f.x;
    p->v[1][l] -= f.y;
    p->v[2][l] -= f.z;
}

/* The bodies of the loops over lanes are functions of their own: compilers keep a struct that is
 * local to such a loop in memory, and then do not vectorise it. */

/* Forces of one term in one lane. */
SHOAL_FN void LANE(put)(LANE(block) * p, int l, v3 f)
{
    p->v[0][l] = f.x;
    p->v[1][l] = f.y;
    p->v[2][l] = f.z;
}

/* The difference vectors of a term in one lane; r are its atoms. */
SHOAL_FN void LANE(get_arms)(int kind, const LANE(block) * r0, const LANE(block) * r1,
                             const LANE(block) * r2, const LANE(block) * r3, int l, v3 arms[3])
{
    const term_shape *s = &term_shapes[kind];
    const LANE(block) *const r[4] = {r0, r1, r2, r3};
    for (int a = 0; a < TERM_ARMS; ++a)
        if (a < s->n_arms) {
            arms[a] = LANE(get)(r[s->tip[a]], l);
            if (s->tip[a] != s->base[a]) arms[a] = v3_sub(arms[a], LANE(get)(r[s->base[a]], l));
        }
}

/* A term without singular geometries: forces go where they belong at once. */
SHOAL_FN void LANE(smooth_term)(int kind, const real *p, const int32_t *atoms,
                                const LANE(block) *restrict pos, LANE(block) *restrict force,
                                real *restrict e, int l)
{
    const int n = term_shapes[kind].n_atoms;
    v3 arms[3], f[4];
    LANE(get_arms)
    (kind, &pos[atoms[0]], &pos[atoms[1]], &pos[atoms[n > 2 ? 2 : 0]], &pos[atoms[n > 3 ? 3 : 0]],
     l, arms);
    e[l] += bonded_plain(kind, p, arms, f);
    LANE(add)(&force[atoms[0]], l, f[0]);
    LANE(add)(&force[atoms[1]], l, f[1]);
    if (n > 2) LANE(add)(&force[atoms[2]], l, f[2]);
    if (n > 3) LANE(add)(&force[atoms[3]], l, f[3]);
}

/* What one term does to its atoms, kept apart until it is known that no lane needs the regularised
 * form. */
typedef struct LANE(piece) {
    LANE(block) f[4];
    real e[LANES];
    int straight[LANES]; /* the plain formula does not hold */
} LANE(piece);

SHOAL_FN void LANE(scatter)(const LANE(piece) * q, int n_atoms, const int32_t *atoms,
                            LANE(block) *restrict force, real *restrict e)
{
    for (int corner = 0; corner < n_atoms; ++corner)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) force[atoms[corner]].v[c][l] += q->f[corner].v[c][l];
        }
    OVER_LANES
    for (int l = 0; l < LANES; ++l) e[l] += q->e[l];
}

SHOAL_FN int LANE(any)(const int flags[LANES])
{
    int any = 0;
    for (int l = 0; l < LANES; ++l) any |= flags[l];
    return any;
}

SHOAL_FN void LANE(put_piece)(int kind, LANE(piece) * q, int l, const v3 f[4])
{
    const int n = term_shapes[kind].n_atoms;
    LANE(put)(&q->f[0], l, f[0]);
    LANE(put)(&q->f[1], l, f[1]);
    if (n > 2) LANE(put)(&q->f[2], l, f[2]);
    if (n > 3) LANE(put)(&q->f[3], l, f[3]);
}

/* The plain formula, and whether it holds. */
SHOAL_FN void LANE(try_term)(int kind, const real *p, const LANE(block) * r0,
                             const LANE(block) * r1, const LANE(block) * r2, const LANE(block) * r3,
                             LANE(piece) * q, int l)
{
    v3 arms[3], f[4];
    LANE(get_arms)(kind, r0, r1, r2, r3, l, arms);
    q->e[l] = bonded_plain(kind, p, arms, f);
    q->straight[l] = bonded_is_straight(kind, arms);
    LANE(put_piece)(kind, q, l, f);
}

/* The regularised form in one lane. */
SHOAL_FN void LANE(redo_lane)(int kind, const real *p, const LANE(block) * r0,
                              const LANE(block) * r1, const LANE(block) * r2,
                              const LANE(block) * r3, LANE(piece) * q, int l)
{
    v3 arms[3], f[4];
    LANE(get_arms)(kind, r0, r1, r2, r3, l, arms);
    q->e[l] = bonded_straight(kind, p, arms, f);
    LANE(put_piece)(kind, q, l, f);
}

SHOAL_FN void LANE(redo_term)(int kind, const real *p, const LANE(block) * r0,
                              const LANE(block) * r1, const LANE(block) * r2,
                              const LANE(block) * r3, LANE(piece) * q)
{
    for (int l = 0; l < LANES; ++l)
        if (q->straight[l]) LANE(redo_lane)(kind, p, r0, r1, r2, r3, q, l);
}

/* All terms of a kind that no fast path took; kind is a constant. */
SHOAL_FN void LANE(eval_kind)(int kind, const kind_table *k, const LANE(block) *restrict pos,
                              LANE(block) *restrict force, LANE(energies) *restrict energies)
{
    const term_shape *s = &term_shapes[kind];
    real *restrict e = energies->e[s->energy];
    for (int32_t n = 0; n < k->n; ++n) {
        const int32_t *atoms = k->atoms + s->n_atoms * n;
        real p[TERM_NUMBERS];
        for (int32_t c = 0; c < s->n_numbers; ++c) p[c] = k->numbers[s->n_numbers * n + c];
        if (s->straight) {
            const LANE(block) *r0 = &pos[atoms[0]], *r1 = &pos[atoms[1]];
            const LANE(block) *r2 = &pos[atoms[s->n_atoms > 2 ? 2 : 0]];
            const LANE(block) *r3 = &pos[atoms[s->n_atoms > 3 ? 3 : 0]];
            LANE(piece) q;
            OVER_LANES
            for (int l = 0; l < LANES; ++l) LANE(try_term)(kind, p, r0, r1, r2, r3, &q, l);
            if (LANE(any)(q.straight)) LANE(redo_term)(kind, p, r0, r1, r2, r3, &q);
            LANE(scatter)(&q, s->n_atoms, atoms, force, e);
        } else {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) LANE(smooth_term)(kind, p, atoms, pos, force, e, l);
        }
    }
}

/* --- centres and rotors: see cpu_centres.h ------------------------------------------------------ */

typedef struct LANE(field) {
    const LANE(block) * pos;
    LANE(block) * force;
} LANE(field);

#if LANES == 1
#define NUMBER real
#define VECTOR v3
#define ON(name) name
#define V3(name) v3_##name
#define AT(x, l) (*((void)(l), &(x)))
#define ANY(x) (x)
#define SELECT(c, a, b) ((c) ? (a) : (b))
#define ON_RSQRT real_rsqrt
#define PAR(x) (x)
#define THERE(t) 1
#else
#define NUMBER vec
#define VECTOR vec3
#define ON(name) name##_vec
#define V3(name) vec3_##name
#define AT(x, l) (x)[l]
#define ANY(x) vec_any(x)
#define SELECT(c, a, b) vec_select(c, a, b)
#define ON_RSQRT vec_rsqrt
#define PAR(x) ((vec){0} + (x))
#define THERE(t) (~(vec_mask){0})
#endif
#define AT3(p, l) v3_make(AT((p).x, l), AT((p).y, l), AT((p).z, l))
#define ROW(t, l) (t)
#define MODE(name) LANE(name)
#define MODE_LANES LANES
#define CENTRE centre_row
#define ROTOR rotor_row
#define NODE node_row
#define FIELD LANE(field)
#define GET(at, atom) LANE(get_all)(&(at)->pos[atom])
#define PUT(at, atom, f) LANE(add_all)(&(at)->force[atom], f)
#define GET_LANE(at, atom, l) LANE(get)(&(at)->pos[atom], l)
#define PUT_LANE(at, atom, l, f) LANE(add)(&(at)->force[atom], l, f)
#define MULTIPLY_ANGLE(t, m, n, c, s, cn, sn)                                                      \
    ON(uff_multiply_angle)((n) ? (n) : (t)->n[m], c, s, cn, sn)
#define PERIOD(t, m, l) (t)->n[m]

/* One atom of all lanes. */
SHOAL_FN VECTOR LANE(get_all)(const LANE(block) * p)
{
    const NUMBER *r = (const NUMBER *)(const void *)p;
    return (VECTOR){r[0], r[1], r[2]};
}

SHOAL_FN void LANE(add_all)(LANE(block) * p, VECTOR f)
{
    NUMBER *r = (NUMBER *)(void *)p;
    r[0] += f.x;
    r[1] += f.y;
    r[2] += f.z;
}

SHOAL_FN void LANE(put_all)(LANE(block) * p, VECTOR f)
{
    NUMBER *r = (NUMBER *)(void *)p;
    r[0] = f.x;
    r[1] = f.y;
    r[2] = f.z;
}

SHOAL_FN void LANE(add_energy)(LANE(energies) * e, int term, const void *sums)
{
    const real *s = sums;
    OVER_LANES
    for (int l = 0; l < LANES; ++l) e->e[term][l] += s[l];
}

#include "backend/cpu/small/cpu_ranges.h"

#include "backend/cpu/small/cpu_fused.h"

static void LANE(eval_all_nodes)(const tables *t, const LANE(field) * at, LANE(energies) * e)
{
    LANE(node_sums) sums = {0};
    LANE(eval_nodes)(t->nodes, t->n_nodes, at, &sums);
    LANE(add_energy)(e, SHOAL_TERM_BOND, &sums.bond);
    LANE(add_energy)(e, SHOAL_TERM_ANGLE, &sums.angle);
    LANE(add_energy)(e, SHOAL_TERM_SIGMA_PI, &sums.tilt);
    LANE(add_energy)(e, SHOAL_TERM_PI_PI, &sums.twist);
}

/* Bonded terms: centres, rotors, nodes, then what these did not take, kind by kind. */
static void LANE(eval_bonded)(const tables *t, const LANE(block) * pos, LANE(block) * force,
                              LANE(energies) * e)
{
    const LANE(field) at = {pos, force};
    LANE(sums) sums = {0};
    LANE(eval_centres)(t->centres, t->n_centres, &at, &sums);
    LANE(eval_rotors)(t->rotors, t->n_rotors, &at, &sums);
    LANE(add_energy)(e, SHOAL_TERM_BOND, &sums.bond);
    LANE(add_energy)(e, SHOAL_TERM_ANGLE, &sums.angle);
    LANE(add_energy)(e, SHOAL_TERM_TORSION, &sums.torsion);
    LANE(add_energy)(e, SHOAL_TERM_INVERSION, &sums.inversion);
    if (t->n_nodes > 0) LANE(eval_all_nodes)(t, &at, e);
#define EVAL_KIND(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par, units,    \
                  form, t0, b0, t1, b1, t2, b2)                                                    \
    if (TERM_KIND_##NAME == TERM_KIND_RANGE)                                                       \
        LANE(eval_all_ranges)(t, pos, force, e);                                                   \
    else                                                                                           \
        LANE(eval_kind)(TERM_KIND_##NAME, &t->kinds[TERM_KIND_##NAME], pos, force, e);
    TERM_KINDS(EVAL_KIND)
#undef EVAL_KIND
}

#if LANES == 1
#include "backend/cpu/small/cpu_pairs_single.h"
#else
#include "backend/cpu/small/cpu_pairs_many.h"
#endif

#include "backend/cpu/small/cpu_formula.h"
#include "backend/cpu/small/cpu_sites.h"

/* All pairs of tables that have what clamps need. */
static void LANE(eval_clamped_pairs)(const tables *t, const LANE(block) * pos, LANE(block) * force,
                                     LANE(energies) * e, const real clamp2[LANES])
{
    int loops[2];
    const int n = t->model.from ? model_loops(&t->model, loops) : 0;
    for (int k = 0; k < n; ++k) {
        const clamp_loop c = clamp_loop_of(loops[k], t->constants);
        LANE(eval_clamped)(&c, t, pos, force, e, clamp2);
    }
    const clamp_loop uff = {.has_vdw = true, .charged = t->has_charges, .damping2 = t->damping2};
    const bool off = t->terms_off >> SHOAL_TERM_VDW & 1 && !t->has_charges;
    if (!t->model.from && !off) LANE(eval_clamped)(&uff, t, pos, force, e, clamp2);
}

static void LANE(eval_model)(const tables *t, const LANE(block) * pos, LANE(block) * force,
                             LANE(energies) * e)
{
    int loops[2];
    const int n = model_loops(&t->model, loops);
    for (int k = 0; k < n; ++k) LANE(run_model_loop)(loops[k], t, pos, force, e);
}

SHOAL_FN void LANE(project_lane)(const LANE(block) * p, LANE(block) * f, int l)
{
    LANE(put)(f, l, direction_tangent(LANE(get)(f, l), LANE(get)(p, l)));
}

/* Forces on n directions become tangent. */
static void LANE(project)(const LANE(block) *restrict pos, LANE(block) *restrict force, int32_t n)
{
    for (int32_t k = 0; k < n; ++k) {
        OVER_LANES
        for (int l = 0; l < LANES; ++l) LANE(project_lane)(&pos[k], &force[k], l);
    }
}

/* Energies by term and forces of all lanes. Coordinates and forces go on with the sites: these are put where
 * they belong, and the forces on them wait for spread_sites. clamp2: squares of the clamps of pairs; room: of
 * formula_room_create. */
static void LANE(eval)(const tables *t, LANE(block) *restrict pos, LANE(block) *restrict force,
                       LANE(energies) *restrict e, const real clamp2[LANES], formula_room *room)
{
    memset(force, 0, (size_t)(t->n_particles + t->n_directions) * sizeof *force);
    memset(e, 0, sizeof *e);
    LANE(place_sites)(t, pos);
    LANE(eval_bonded)(t, pos, force, e);
    if (t->model.family == FORM_FORMULA)
        LANE(eval_formula)(t, pos, force, e, clamp2, room);
    else if (t->reach2 || t->reach_rows)
        LANE(eval_clamped_pairs)(t, pos, force, e, clamp2);
    else if (t->model.from)
        LANE(eval_model)(t, pos, force, e);
    else if (t->has_charges)
        LANE(eval_pairs)(t, pos, force, e, true);
    else if (!(t->terms_off >> SHOAL_TERM_VDW & 1))
        LANE(eval_pairs)(t, pos, force, e, false);
    LANE(project)(pos + t->n_points, force + t->n_points, t->n_directions);
}
