/* SPDX-License-Identifier: BSD-3-Clause
 * L-BFGS over lanes: sums, vectors and the preconditioner for kernels/step_lbfgs.h. Included by
 * cpu_step.h. */

SHOAL_FN void LANE(add_scaled)(LANE(block) *restrict to, real factor,
                               const LANE(block) *restrict from)
{
    for (int c = 0; c < 3; ++c) {
        OVER_LANES
        for (int l = 0; l < LANES; ++l) to->v[c][l] += factor * from->v[c][l];
    }
}

/* Solves P x = v in place, with the rough Hessian P of the topology: see stiffness.h. */
static void LANE(precondition)(const preconditioner *p, LANE(block) *restrict v)
{
    const stiffness *k = &p->stiff;
    for (int32_t q = 0; q < k->n; ++q)
        for (int32_t m = k->start[q]; m < k->start[q + 1]; ++m)
            LANE(add_scaled)(&v[k->later[m]], p->share[m], &v[k->order[q]]);
    for (int32_t q = k->n - 1; q >= 0; --q) {
        LANE(block) *to = &v[k->order[q]];
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) to->v[c][l] *= p->inverse[q];
        }
        for (int32_t m = k->start[q]; m < k->start[q + 1]; ++m)
            LANE(add_scaled)(to, p->share[m], &v[k->later[m]]);
    }
}

/* The same for one lane. */
static void LANE(precondition_lane)(const preconditioner *p, LANE(block) * v, int l)
{
    const stiffness *k = &p->stiff;
    for (int c = 0; c < 3; ++c) {
        for (int32_t q = 0; q < k->n; ++q)
            for (int32_t m = k->start[q]; m < k->start[q + 1]; ++m)
                v[k->later[m]].v[c][l] += p->share[m] * v[k->order[q]].v[c][l];
        for (int32_t q = k->n - 1; q >= 0; --q) {
            real *to = &v[k->order[q]].v[c][l];
            *to *= p->inverse[q];
            for (int32_t m = k->start[q]; m < k->start[q + 1]; ++m)
                *to += p->share[m] * v[k->later[m]].v[c][l];
        }
    }
}

/* The same for all lanes, together where the same atoms are fixed in all of them. */
static void LANE(precondition_all)(const LANE(lanes) * s, LANE(block) * v)
{
    const preconditioner *common = NULL;
    bool alike = true;
    for (int l = 0; l < LANES; ++l) {
        if (!s->task[l]) continue;
        if (!common) common = s->precond[l];
        alike &= s->precond[l] == common;
    }
    if (alike && common) LANE(precondition)(common, v);
    for (int l = 0; l < LANES && !alike; ++l)
        if (s->task[l]) LANE(precondition_lane)(s->precond[l], v, l);
}

/* trial = x + length d */
static void LANE(propose)(LANE(lanes) * s)
{
    LANE(block) *restrict trial = s->trial;
    const LANE(block) *x = s->v[VECTOR_X], *d = s->v[VECTOR_D];
    real length[LANES];
    for (int l = 0; l < LANES; ++l) length[l] = s->lbfgs[l].length;
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l)
                trial[i].v[c][l] = x[i].v[c][l] + length[l] * d[i].v[c][l];
        }
}

/* Judges the trial points; taken[l] is 1 where one is, step[l] what became of it. */
static void LANE(judge)(LANE(lanes) * s, int step[LANES], real taken[LANES], real length[LANES])
{
    real f2[LANES];
    LANE(largest2)(s->ft, s->n, f2);
    if (LANE(bound_forces)(s->ft, s->n, f2)) LANE(largest2)(s->ft, s->n, f2);
    for (int l = 0; l < LANES; ++l) {
        step[l] = LBFGS_REFUSED;
        taken[l] = 0;
        length[l] = s->lbfgs[l].length;
        if (!s->task[l]) continue;
        double terms[SHOAL_N_TERMS], size = 0;
        const double energy = LANE(sum_terms)(&s->e, l, terms);
        for (int k = 0; k < SHOAL_N_TERMS; ++k) size += fabs(terms[k]);
        const lbfgs_sums sums = {(real)energy, (real)size, f2[l]};
        const bool first = s->lbfgs[l].started == 0;
        step[l] = lbfgs_judge(&s->lbfgs[l], &sums, &s->limit);
        if (step[l] == LBFGS_TAKEN) taken[l] = 1;
        s->has_moved[l] |= step[l] == LBFGS_TAKEN && !first;
    }
}

/* Takes the trial points over where taken is set; leaves the changes of the gradient and the three products
 * of one vector. */
static void LANE(accept)(LANE(lanes) * s, const real taken[LANES], real dots[LBFGS_N_DOTS][LANES])
{
    LANE(block) *restrict x = s->v[VECTOR_X], *restrict f = s->v[VECTOR_F];
    LANE(block) *restrict sf = s->v[VECTOR_SF], *restrict y = s->change;
    LANE(block) *restrict sy = s->soft_change;
    const LANE(block) *trial = s->trial, *ft = s->ft, *soft = s->soft;
    LANE(block) fsf = {0}, yy = {0}, ff = {0};
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) {
                const int take = taken[l] != R(0.0);
                const real force = take ? ft[i].v[c][l] : f[i].v[c][l];
                const real mild = take ? soft[i].v[c][l] : sf[i].v[c][l];
                const real dg = f[i].v[c][l] - force;
                y[i].v[c][l] = dg;
                sy[i].v[c][l] = sf[i].v[c][l] - mild;
                x[i].v[c][l] = take ? trial[i].v[c][l] : x[i].v[c][l];
                f[i].v[c][l] = force;
                sf[i].v[c][l] = mild;
                fsf.v[c][l] += force * mild;
                yy.v[c][l] += dg * dg;
                ff.v[c][l] += force * force;
            }
        }
    for (int l = 0; l < LANES; ++l) {
        dots[LBFGS_DOT_FSF][l] = fsf.v[0][l] + fsf.v[1][l] + fsf.v[2][l];
        dots[LBFGS_DOT_YY][l] = yy.v[0][l] + yy.v[1][l] + yy.v[2][l];
        dots[LBFGS_DOT_FF][l] = ff.v[0][l] + ff.v[1][l] + ff.v[2][l];
    }
}

/* Pair j of the history, replaced where it is the newest, and its five products with the newest move,
 * change and force. */
static void LANE(use_pair)(LANE(lanes) * s, int j, const real fresh[LANES],
                           const real length[LANES], real (*dots)[LANES])
{
    LANE(block) *restrict sj = s->v[VECTOR_MOVE + j], *restrict yj = s->v[VECTOR_CHANGE + j];
    LANE(block) *restrict syj = s->v[VECTOR_SOFT_CHANGE + j];
    const LANE(block) *d = s->v[VECTOR_D], *y = s->change, *sy = s->soft_change;
    const LANE(block) *f = s->v[VECTOR_F];
    LANE(block) five[5] = {0};
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) {
                const int newest = fresh[l] != R(0.0);
                const real move = length[l] * d[i].v[c][l], change = y[i].v[c][l];
                const real a = newest ? move : sj[i].v[c][l], b = newest ? change : yj[i].v[c][l];
                const real e = newest ? sy[i].v[c][l] : syj[i].v[c][l], force = f[i].v[c][l];
                sj[i].v[c][l] = a;
                yj[i].v[c][l] = b;
                syj[i].v[c][l] = e;
                five[0].v[c][l] += move * b;
                five[1].v[c][l] += change * a;
                five[2].v[c][l] += change * e;
                five[3].v[c][l] += force * a;
                five[4].v[c][l] += force * e;
            }
        }
    for (int k = 0; k < 5; ++k)
        for (int l = 0; l < LANES; ++l)
            dots[k][l] = five[k].v[0][l] + five[k].v[1][l] + five[k].v[2][l];
}

/* Puts the steps that were taken into the history, with their products. */
static void LANE(remember)(LANE(lanes) * s, const real taken[LANES], const real length[LANES])
{
    real dots[LBFGS_N_DOTS][LANES], fresh[LANES];
    memcpy(s->soft, s->ft, (size_t)s->n * sizeof *s->soft);
    LANE(precondition_all)(s, s->soft);
    LANE(accept)(s, taken, dots);
    for (int j = 0; j < LBFGS_PAIRS; ++j) {
        for (int l = 0; l < LANES; ++l) fresh[l] = s->lbfgs[l].place == j ? taken[l] : R(0.0);
        LANE(use_pair)(s, j, fresh, length, dots + 5 * j);
    }
    for (int l = 0; l < LANES; ++l)
        for (int k = 0; k < LBFGS_N_DOTS && taken[l] != R(0.0); ++k)
            lbfgs_keep_product(k, s->lbfgs[l].place, dots[k][l], s->products[l]);
}

/* d from the coefficients of every lane; a direction that stays comes out as it was. */
static void LANE(combine_direction)(LANE(lanes) * s, real longest2[LANES])
{
    real of_soft[LANES], of_force[LANES], a[LBFGS_PAIRS][LANES], b[LBFGS_PAIRS][LANES];
    LANE(block) *restrict d = s->v[VECTOR_D];
    const LANE(block) *f = s->v[VECTOR_F], *sf = s->v[VECTOR_SF];
    for (int l = 0; l < LANES; ++l) {
        const lbfgs_coefficients *c = &s->direction[l];
        of_soft[l] = c->of_soft;
        of_force[l] = c->of_force;
        for (int k = 0; k < LBFGS_PAIRS; ++k) {
            a[k][l] = lbfgs_get4(c->of_change, k);
            b[k][l] = lbfgs_get4(c->of_move, k);
        }
    }
    const LANE(block) *const *move = (const LANE(block) *const *)&s->v[VECTOR_MOVE];
    const LANE(block) *const *soft = (const LANE(block) *const *)&s->v[VECTOR_SOFT_CHANGE];
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) {
                real sum = of_soft[l] * sf[i].v[c][l];
                sum += b[0][l] * move[0][i].v[c][l] - a[0][l] * soft[0][i].v[c][l];
                sum += b[1][l] * move[1][i].v[c][l] - a[1][l] * soft[1][i].v[c][l];
                sum += b[2][l] * move[2][i].v[c][l] - a[2][l] * soft[2][i].v[c][l];
                sum += b[3][l] * move[3][i].v[c][l] - a[3][l] * soft[3][i].v[c][l];
                d[i].v[c][l] = sum + of_force[l] * f[i].v[c][l];
            }
        }
    LANE(largest2)(d, s->n, longest2);
}

static void LANE(lbfgs_round)(LANE(lanes) * s)
{
    int step[LANES];
    real taken[LANES], length[LANES], longest2[LANES];
    LANE(propose)(s);
    LANE(evaluate)(s, s->trial, s->ft);
    LANE(judge)(s, step, taken, length);
    LANE(remember)(s, taken, length);
    for (int l = 0; l < LANES; ++l)
        if (s->task[l] && step[l] != LBFGS_REFUSED)
            s->direction[l] = lbfgs_direct(&s->lbfgs[l], step[l], s->products[l]);
    LANE(combine_direction)(s, longest2);
    for (int l = 0; l < LANES; ++l) {
        if (!s->task[l]) continue;
        if (step[l] != LBFGS_REFUSED) lbfgs_set_length(&s->lbfgs[l], longest2[l], &s->limit);
        if (s->lbfgs[l].outcome != STEP_GOING) LANE(release)(s, l);
    }
}
