/* SPDX-License-Identifier: BSD-3-Clause
 * Non-bonded pairs as vectors of SHOAL_LANES numbers, one pair in every lane: of so many systems, or
 * of so many partners of an atom. The operations are the same as on single numbers. Included by the
 * template cpu_kernels.c. */

/* Partners of an atom are worked on in tiles of so many: 18 kB of coordinates and forces for 16 lanes
 * in float. */
#define PAIR_TILE 48
#define TILE_VECTORS (PAIR_TILE / SHOAL_LANES)

/* A pair as systems of one topology share it. */
typedef struct pair_par {
    int32_t j;
    real x6, c6, kqq; /* as in pair_terms.h */
} pair_par;

/* One pair in every lane; in the tables of a single system those of an atom with so many atoms in a row,
 * and x6 is -1 where there is no pair. */
typedef struct pair_row {
    vec x6, c6, kqq;
} pair_row;

/* One pair in every lane from its squared distance: returns g, the force on i is g (r_i - r_j);
 * energies as pair_terms.h has them. Lanes that are not there get zeros, wherever their atoms are. share: of
 * clamp_terms.h; NULL: pairs are not clamped. */
SHOAL_FN vec pair_strength(vec r2, const pair_row *p, vec_mask there, bool charged, real damping2,
                           const vec *share, vec *vdw, vec *coulomb)
{
    const vec ir2 = (vec)((vec_mask)(R(1.0) / r2) & there), ir6 = ir2 * ir2 * ir2;
    const vec_mask near = p->x6 * ir6 > VDW_NEAR;
    vec s;
    *vdw = pair_vdw_vec(p->x6, (vec)((vec_mask)p->c6 & near), ir6, &s);
    vec g = s * ir2;
    if (share) *vdw += R(12.0) * s * *share;
    if (charged) {
        const vec id = (vec)((vec_mask)vec_rsqrt(r2 + damping2) & there);
        *coulomb = pair_coulomb_vec(p->kqq, id);
        const vec more = *coulomb * id * id;
        g += more;
        if (share) *coulomb += more * r2 * *share;
    }
    return g;
}

/* --- pair models: E = b B(r) - a A(r) + kqq g(r), see form_terms.h --------------------------------- */

/* A pair as systems of one topology share it. */
typedef struct model_par {
    int32_t j;
    real a, b, k, kqq;
} model_par;

/* One pair in every lane; k is -1 where there is no pair. */
typedef struct model_row {
    vec a, b, k, kqq;
} model_row;

/* Which loop over pairs it is: constants, so that none of them is asked for a pair. */
typedef struct model_loop {
    int family, coulomb; /* FORM_, CPU_NO_VDW; FORM_COULOMB_ */
    int damped;
} model_loop;

/* Numbers that all pairs share. */
typedef struct model_constants {
    real beta, damping;
} model_constants;

/* One pair in every lane, as pair_strength, ir being 1/r; energies in eV. */
SHOAL_FN vec model_strength(model_loop loop, model_constants c, vec r2, vec ir, const model_row *p,
                            const vec *share, vec *vdw, vec *coulomb)
{
    const vec zero = {0}, r = r2 * ir, ir2 = ir * ir;
    vec s = zero, sc;
    if (loop.family != CPU_NO_VDW)
        *vdw =
            form_vdw_vec(loop.family, loop.damped, p->a, p->b, p->k, zero + c.beta, r, ir, ir2, &s);
    if (share && loop.family != CPU_NO_VDW) *vdw += s * *share;
    if (loop.coulomb != FORM_COULOMB_NONE) {
        *coulomb = form_coulomb_vec(loop.coulomb, p->kqq, zero + c.damping, r, ir, &sc);
        s = s + sc;
        if (share) *coulomb += sc * *share;
    }
    return s * ir2;
}

/* All loops there are: of a family with Coulomb's 1/r or without it, and of the other forms of Coulomb alone,
 * which follow such a loop. */
#define MODEL_LOOPS_OF(LOOP, family, damped)                                                       \
    LOOP(family, damped, FORM_COULOMB_NONE) LOOP(family, damped, FORM_COULOMB_PLAIN)
#define MODEL_LOOPS(LOOP)                                                                          \
    MODEL_LOOPS_OF(LOOP, FORM_MORSE, 0)                                                            \
    MODEL_LOOPS_OF(LOOP, FORM_POWER_12, 0)                                                         \
    MODEL_LOOPS_OF(LOOP, FORM_POWER_12, 1)                                                         \
    MODEL_LOOPS_OF(LOOP, FORM_POWER_9, 0)                                                          \
    MODEL_LOOPS_OF(LOOP, FORM_POWER_9, 1)                                                          \
    MODEL_LOOPS_OF(LOOP, FORM_POWER_8, 0)                                                          \
    MODEL_LOOPS_OF(LOOP, FORM_POWER_8, 1)                                                          \
    MODEL_LOOPS_OF(LOOP, FORM_BUCK, 0)                                                             \
    MODEL_LOOPS_OF(LOOP, FORM_BUCK, 1)                                                             \
    LOOP(CPU_NO_VDW, 0, FORM_COULOMB_PLAIN)                                                        \
    LOOP(CPU_NO_VDW, 0, FORM_COULOMB_CLAMP)                                                        \
    LOOP(CPU_NO_VDW, 0, FORM_COULOMB_SMOOTH)                                                       \
    LOOP(CPU_NO_VDW, 0, FORM_COULOMB_DAMPED)                                                       \
    LOOP(CPU_NO_VDW, 0, FORM_COULOMB_ERF)                                                          \
    LOOP(CPU_NO_VDW, 0, FORM_COULOMB_BUFFERED)                                                     \
    LOOP(CPU_NO_VDW, 0, FORM_COULOMB_BUFFERED_FAR)                                                 \
    LOOP(FORM_BUFFERED, 0, FORM_COULOMB_NONE)                                                      \
    LOOP(FORM_BUFFERED, 0, FORM_COULOMB_BUFFERED)
#define MODEL_LOOP_NUMBER(family, damped, coulomb)                                                 \
    ((((family) + 1) * 2 + (damped)) * FORM_N_COULOMB + (coulomb))

SHOAL_FN model_loop model_loop_of(int number)
{
    const int way = number / FORM_N_COULOMB;
    return (model_loop){way / 2 - 1, number % FORM_N_COULOMB, way % 2};
}

/* Numbers of the loops that a model needs, one after the other; returns how many: 2 at most. */
static int model_loops(const cpu_model *m, int out[2])
{
    const bool both = m->family == FORM_BUFFERED && m->coulomb == FORM_COULOMB_BUFFERED;
    const bool apart = m->family != CPU_NO_VDW && m->coulomb > FORM_COULOMB_PLAIN && !both;
    const int with = apart ? FORM_COULOMB_NONE : m->coulomb;
    const int damped = m->family != CPU_NO_VDW && m->damped;
    int n = 0;
    if (m->family != CPU_NO_VDW || m->coulomb != FORM_COULOMB_NONE)
        out[n++] = MODEL_LOOP_NUMBER(m->family, damped, with);
    if (apart && m->coulomb != FORM_COULOMB_NONE)
        out[n++] = MODEL_LOOP_NUMBER(CPU_NO_VDW, 0, m->coulomb);
    return n;
}

/* --- clamped pairs: see clamp_terms.h ---------------------------------------------------------------- */

/* A loop over clamped pairs. They are for bad starts: one function that asks of every pair what it is serves all. */
typedef struct clamp_loop {
    bool is_model, has_vdw, charged;
    model_loop loop; /* of a pair model */
    model_constants constants;
    real damping2;
} clamp_loop;

/* The row is that of a pair model, or else of UFF. Lanes that are not there get zeros. */
static __attribute__((noinline)) vec clamped_strength(const clamp_loop *c, vec r2, vec reach2,
                                                      const pair_row *p, const model_row *m,
                                                      vec_mask there, vec *vdw, vec *coulomb)
{
    const vec zero = {0};
    vec longer, share, g, e = zero, ec = zero;
    const vec at2 = pair_clamp_vec(r2, reach2, &longer, &share);
    if (c->is_model)
        g = model_strength(c->loop, c->constants, at2, vec_rsqrt(at2), m, &share, &e, &ec);
    else
        g = pair_strength(at2, p, there, c->charged, c->damping2, &share, &e, &ec);
    *vdw = (vec)((vec_mask)e & there);
    *coulomb = (vec)((vec_mask)ec & there);
    return (vec)((vec_mask)(longer * g) & there);
}

static clamp_loop clamp_loop_of(int number, model_constants constants)
{
    const model_loop loop = model_loop_of(number);
    return (clamp_loop){.is_model = true,
                        .has_vdw = loop.family != CPU_NO_VDW,
                        .charged = loop.coulomb != FORM_COULOMB_NONE,
                        .loop = loop,
                        .constants = constants};
}
