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

/* Solves P x = v in place for the atoms, with the rough Hessian P of the topology: see stiffness.h. */
static void LANE(precondition)(const preconditioner *p, LANE(block) *restrict v)
{
    const stiffness *k = &p->stiff;
    for (int32_t q = 0; q < p->n_points; ++q)
        for (int32_t m = k->start[q]; m < k->start[q + 1]; ++m)
            LANE(add_scaled)(&v[k->later[m]], p->share[m], &v[k->order[q]]);
    for (int32_t q = p->n_points - 1; q >= 0; --q) {
        LANE(block) *to = &v[k->order[q]];
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) to->v[c][l] *= p->inverse[q];
        }
        for (int32_t m = k->start[q]; m < k->start[q + 1]; ++m)
            LANE(add_scaled)(to, p->share[m], &v[k->later[m]]);
    }
}

#if LANES > 1
/* The same for one lane, whose quads begin at v. */
static void precondition_quads(const preconditioner *p, real *v)
{
    const stiffness *k = &p->stiff;
    for (int32_t q = 0; q < p->n_points; ++q) {
        const quad from = quad_get(v + QUAD_ATOM * k->order[q]);
        for (int32_t m = k->start[q]; m < k->start[q + 1]; ++m) {
            real *to = v + QUAD_ATOM * k->later[m];
            quad_put(to, quad_get(to) + p->share[m] * from);
        }
    }
    for (int32_t q = p->n_points - 1; q >= 0; --q) {
        real *to = v + QUAD_ATOM * k->order[q];
        quad sum = quad_get(to) * p->inverse[q];
        for (int32_t m = k->start[q]; m < k->start[q + 1]; ++m)
            sum += p->share[m] * quad_get(v + QUAD_ATOM * k->later[m]);
        quad_put(to, sum);
    }
}

/* The same for lanes that differ. */
static void precondition_lanes(const LANE(lanes) * s, LANE(block) * v)
{
    for (int32_t i = 0; i < s->n_points; ++i)
        quads_split(LANE(get_all)(&v[i]), (vec *)(void *)(s->quads + QUAD_ATOM * i));
    for (int l = 0; l < LANES; ++l)
        if (s->task[l]) precondition_quads(s->precond[l], s->quads + quad_place(l));
    for (int32_t i = 0; i < s->n_points; ++i)
        LANE(put_all)(&v[i], quads_join((const vec *)(const void *)(s->quads + QUAD_ATOM * i)));
}
#endif

/* The same for the directions, which are coupled to nothing. */
static void LANE(precondition_directions)(const LANE(lanes) * s, LANE(block) * v)
{
    for (int32_t k = 0; k < s->n_directions; ++k) {
        LANE(block) *to = &v[s->directions + k];
        real by[LANES] = {0};
        for (int l = 0; l < LANES; ++l)
            if (s->task[l] && s->own_points[l] + k < s->own_n[l])
                by[l] = s->precond[l]->inverse[s->own_points[l] + k];
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) to->v[c][l] *= by[l];
        }
    }
}

/* The same for all lanes, together where these have one preconditioner. */
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
#if LANES > 1
    if (!alike) precondition_lanes(s, v);
#endif
    LANE(precondition_directions)(s, v);
}

/* trial = x + length d */
static void LANE(propose)(LANE(lanes) * s)
{
    real length[LANES];
    for (int l = 0; l < LANES; ++l) length[l] = s->lbfgs[l].length;
    FOR_PARTS (h) {
        LANE(row) *trial = LANE(rows)(s->trial, h);
        const LANE(row) *x = LANE(rows)(s->v[VECTOR_X], h), *d = LANE(rows)(s->v[VECTOR_D], h);
        const LANE(row) by = LANE(part)(length, h);
        FOR_ROWS (r, s->n) trial[r] = x[r] + by * d[r];
    }
    if (s->steps->driver.bodies) LANE(propose_bodies)(s, length);
}

/* 1/|u| of a direction that is not there is any number. */
SHOAL_FN real LANE(inverse_length)(const LANE(block) * u, int l)
{
    const v3 a = LANE(get)(u, l);
    return real_rsqrt(real_max(v3_dot(a, a), R(1e-30)));
}

SHOAL_FN void LANE(scale_lane)(LANE(block) * a, const LANE(block) * u, int l)
{
    LANE(put)(a, l, v3_scale(LANE(inverse_length)(u, l), LANE(get)(a, l)));
}

/* Divides vectors of directions by the lengths of these. */
static void LANE(divide_by_lengths)(const LANE(lanes) * s, LANE(block) * a)
{
    for (int32_t k = 0; k < s->n_directions; ++k) {
        OVER_LANES
        for (int l = 0; l < LANES; ++l) LANE(scale_lane)(&a[s->directions + k], &s->whole[k], l);
    }
}

/* Forces at the trial points; directions have the length 1 there, see kernels/step_direction.h. */
static void LANE(try)(LANE(lanes) * s)
{
    const size_t size = (size_t)s->n_directions * sizeof *s->whole;
    memcpy(s->whole, s->trial + s->directions, size);
    LANE(divide_by_lengths)(s, s->trial);
    LANE(evaluate)(s, s->trial, s->ft);
    memcpy(s->trial + s->directions, s->whole, size);
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
        step[l] = lbfgs_judge(&s->lbfgs[l], &sums, &s->limit[l]);
        if (step[l] == LBFGS_TAKEN) taken[l] = 1;
        s->has_moved[l] |= step[l] == LBFGS_TAKEN && !first;
    }
}

/* Takes the trial points over where taken is set; leaves the changes of the gradient and the three products
 * of one vector. */
static void LANE(accept)(LANE(lanes) * s, const real taken[LANES], real dots[LBFGS_N_DOTS][LANES],
                         int h)
{
    LANE(row) *x = LANE(rows)(s->v[VECTOR_X], h), *f = LANE(rows)(s->v[VECTOR_F], h);
    LANE(row) *sf = LANE(rows)(s->v[VECTOR_SF], h), *y = LANE(rows)(s->change, h);
    LANE(row) *sy = LANE(rows)(s->soft_change, h);
    const LANE(row) *trial = LANE(rows)(s->trial, h), *ft = LANE(rows)(s->ft, h);
    const LANE(row) *soft = LANE(rows)(s->soft, h);
    const LANE(row_mask) take = ROW_MASK(LANE(part)(taken, h));
    LANE(row) fsf = {0}, yy = {0}, ff = {0};
    FOR_ROWS (r, s->n) {
        const LANE(row) force = ROW_SELECT(take, ft[r], f[r]);
        const LANE(row) soft_force = ROW_SELECT(take, soft[r], sf[r]), change = f[r] - force;
        y[r] = change;
        sy[r] = sf[r] - soft_force;
        x[r] = ROW_SELECT(take, trial[r], x[r]);
        f[r] = force;
        sf[r] = soft_force;
        fsf += force * soft_force;
        yy += change * change;
        ff += force * force;
    }
    LANE(put_part)(dots[LBFGS_DOT_FSF], h, fsf);
    LANE(put_part)(dots[LBFGS_DOT_YY], h, yy);
    LANE(put_part)(dots[LBFGS_DOT_FF], h, ff);
}

/* Pair j of the history, replaced where it is the newest, and its products with the newest change and
 * force. replace: it is the newest somewhere. */
SHOAL_FN void LANE(use_pair)(LANE(lanes) * s, int j, bool replace, const real fresh[LANES],
                             const real length[LANES], real (*dots)[LANES], int h)
{
    LANE(row) *sj = LANE(rows)(s->v[VECTOR_MOVE + j], h);
    LANE(row) *syj = LANE(rows)(s->v[VECTOR_SOFT_CHANGE + j], h);
    const LANE(row) *d = LANE(rows)(s->v[VECTOR_D], h), *y = LANE(rows)(s->change, h);
    const LANE(row) *sy = LANE(rows)(s->soft_change, h), *f = LANE(rows)(s->v[VECTOR_F], h);
    const LANE(row) by = LANE(part)(length, h);
    const LANE(row_mask) newest = ROW_MASK(LANE(part)(fresh, h));
    LANE(row) ys = {0}, ysy = {0}, fs = {0}, fsy = {0};
    FOR_ROWS (r, s->n) {
        const LANE(row) a = replace ? ROW_SELECT(newest, by * d[r], sj[r]) : sj[r];
        const LANE(row) e = replace ? ROW_SELECT(newest, sy[r], syj[r]) : syj[r];
        if (replace) {
            sj[r] = a;
            syj[r] = e;
        }
        ys += y[r] * a;
        ysy += y[r] * e;
        fs += f[r] * a;
        fsy += f[r] * e;
    }
    LANE(put_part)(dots[0], h, ys);
    LANE(put_part)(dots[1], h, ysy);
    LANE(put_part)(dots[2], h, fs);
    LANE(put_part)(dots[3], h, fsy);
}

/* Puts the steps that were taken into the history, with their products. */
static void LANE(remember)(LANE(lanes) * s, const real taken[LANES], const real length[LANES])
{
    real dots[LBFGS_N_DOTS][LANES], fresh[LANES];
    memcpy(s->soft, s->ft, (size_t)s->n * sizeof *s->soft);
    LANE(precondition_all)(s, s->soft);
    FOR_PARTS (h) LANE(accept)(s, taken, dots, h);
    for (int j = 0; j < LBFGS_PAIRS; ++j) {
        bool replace = false;
        for (int l = 0; l < LANES; ++l) {
            fresh[l] = s->lbfgs[l].place == j ? taken[l] : R(0.0);
            replace |= fresh[l] != R(0.0);
        }
        FOR_PARTS (h) {
            if (replace)
                LANE(use_pair)(s, j, true, fresh, length, dots + LBFGS_PAIR_DOTS * j, h);
            else
                LANE(use_pair)(s, j, false, fresh, length, dots + LBFGS_PAIR_DOTS * j, h);
        }
    }
    for (int l = 0; l < LANES; ++l)
        if (taken[l] != R(0.0))
            lbfgs_keep_products(s->lbfgs[l].place, &dots[0][l], LANES, s->products[l]);
}

/* d from the coefficients of every lane; a direction that stays comes out as it was. */
static void LANE(combine_direction)(LANE(lanes) * s, real longest2[LANES])
{
    real of_soft[LANES], of_force[LANES], a[LBFGS_PAIRS][LANES], b[LBFGS_PAIRS][LANES];
    for (int l = 0; l < LANES; ++l) {
        const lbfgs_coefficients *c = &s->direction[l];
        of_soft[l] = c->of_soft;
        of_force[l] = c->of_force;
        for (int k = 0; k < LBFGS_PAIRS; ++k) {
            a[k][l] = lbfgs_get4(c->of_change, k);
            b[k][l] = lbfgs_get4(c->of_move, k);
        }
    }
    FOR_PARTS (h) {
        LANE(row) *d = LANE(rows)(s->v[VECTOR_D], h), by_a[LBFGS_PAIRS], by_b[LBFGS_PAIRS];
        const LANE(row) *f = LANE(rows)(s->v[VECTOR_F], h), *sf = LANE(rows)(s->v[VECTOR_SF], h);
        const LANE(row) * move[LBFGS_PAIRS], *soft[LBFGS_PAIRS];
        for (int k = 0; k < LBFGS_PAIRS; ++k) {
            by_a[k] = LANE(part)(a[k], h);
            by_b[k] = LANE(part)(b[k], h);
            move[k] = LANE(rows)(s->v[VECTOR_MOVE + k], h);
            soft[k] = LANE(rows)(s->v[VECTOR_SOFT_CHANGE + k], h);
        }
        const LANE(row) by_soft = LANE(part)(of_soft, h), by_force = LANE(part)(of_force, h);
        FOR_ROWS (r, s->n) {
            LANE(row) sum = by_soft * sf[r] + by_force * f[r];
            sum += by_b[0] * move[0][r] - by_a[0] * soft[0][r];
            sum += by_b[1] * move[1][r] - by_a[1] * soft[1][r];
            sum += by_b[2] * move[2][r] - by_a[2] * soft[2][r];
            sum += by_b[3] * move[3][r] - by_a[3] * soft[3][r];
            d[r] = sum;
        }
    }
    if (s->steps->driver.bodies) LANE(stiffen)(s, s->v[VECTOR_D]);
    LANE(largest2)(s->v[VECTOR_D], s->n, longest2);
}

static void LANE(lbfgs_round)(LANE(lanes) * s)
{
    int step[LANES];
    real taken[LANES], length[LANES], longest2[LANES];
    LANE(propose)(s);
    LANE(try)(s);
    LANE(judge)(s, step, taken, length);
    LANE(divide_by_lengths)(s, s->ft);
    if (s->steps->driver.bodies) LANE(divide_by_atoms)(s, s->ft);
    LANE(remember)(s, taken, length);
    for (int l = 0; l < LANES; ++l)
        if (s->task[l] && step[l] != LBFGS_REFUSED)
            s->direction[l] = lbfgs_direct(&s->lbfgs[l], step[l], s->products[l]);
    LANE(combine_direction)(s, longest2);
    for (int l = 0; l < LANES; ++l) {
        if (!s->task[l]) continue;
        if (step[l] != LBFGS_REFUSED) lbfgs_set_length(&s->lbfgs[l], longest2[l], &s->limit[l]);
        if (s->lbfgs[l].outcome != STEP_GOING) LANE(release)(s, l);
    }
}
