/* SPDX-License-Identifier: BSD-3-Clause
 * L-BFGS and FIRE over lanes; included by cpu_relax.h. */

/* Shortened steps before a lane forgets its history; twice as many make it stall. */
enum { LANE(BACKTRACKS) = 12 };

/* Judges the trial point of one lane. Returns true if it is accepted, and otherwise shortens the
 * step to the minimum of a parabola. */
static bool LANE(judge)(LANE(state) * s, int l)
{
    const double total = LANE(trial_energy)(s, l), before = s->total[l];
    const double linear = (double)(s->step[l] * s->slope[l]), rise = total - before - linear;
    /* Rounding of a sum of energies must not look like a rise. */
    if (!s->started[l] || total <= before + 1e-4 * linear + s->noise[l]) {
        s->total[l] = total;
        return true;
    }
    double shrink = isfinite(total) && rise > 0 ? -linear / (2 * rise) : 0.1;
    shrink = shrink < 0.1 ? 0.1 : shrink > 0.5 ? 0.5 : shrink;
    s->step[l] *= (real)shrink;
    return false;
}

/* Solves P x = v in place, with the rough Hessian P of the topology: see stiffness.h. */
static void LANE(soften)(const softness *soft, LANE(block) *restrict v)
{
    const stiffness *k = &soft->stiff;
    const real *share = soft->share;
    for (int32_t p = 0; p < k->n; ++p)
        for (int32_t m = k->start[p]; m < k->start[p + 1]; ++m)
            LANE(add_scaled)(&v[k->later[m]], share[m], &v[k->order[p]]);
    for (int32_t p = k->n - 1; p >= 0; --p) {
        LANE(block) *to = &v[k->order[p]];
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) to->v[c][l] *= soft->inverse[p];
        }
        for (int32_t m = k->start[p]; m < k->start[p + 1]; ++m)
            LANE(add_scaled)(to, share[m], &v[k->later[m]]);
    }
}

/* The same for one lane. */
static void LANE(soften_lane)(const softness *soft, LANE(block) * v, int l)
{
    const stiffness *k = &soft->stiff;
    for (int c = 0; c < 3; ++c) {
        for (int32_t p = 0; p < k->n; ++p)
            for (int32_t m = k->start[p]; m < k->start[p + 1]; ++m)
                v[k->later[m]].v[c][l] += soft->share[m] * v[k->order[p]].v[c][l];
        for (int32_t p = k->n - 1; p >= 0; --p) {
            real *to = &v[k->order[p]].v[c][l];
            *to *= soft->inverse[p];
            for (int32_t m = k->start[p]; m < k->start[p + 1]; ++m)
                *to += soft->share[m] * v[k->later[m]].v[c][l];
        }
    }
}

/* The same for all lanes, together where the same atoms are fixed in all of them. */
static void LANE(soften_all)(const LANE(state) * s, LANE(block) * v)
{
    const softness *common = NULL;
    bool alike = true;
    for (int l = 0; l < LANES; ++l) {
        if (!s->task[l]) continue;
        if (!common) common = s->soft[l];
        alike &= s->soft[l] == common;
    }
    if (alike && common) LANE(soften)(common, v);
    for (int l = 0; l < LANES && !alike; ++l)
        if (s->task[l]) LANE(soften_lane)(s->soft[l], v, l);
}

/* Notes the curvature along the newest pair: whether it is worth keeping, and the scale of the
 * inverse Hessian, move . change / change . P^-1 change. */
static void LANE(measure)(LANE(state) * s, const bool keep[LANES], const real sy[LANES],
                          const real yy[LANES])
{
    const LANE(block) *change = s->y + (size_t)s->place * (size_t)s->n;
    LANE(block) *soft = s->ft; /* free until the next evaluation */
    real scale[LANES];
    memcpy(soft, change, (size_t)s->n * sizeof *soft);
    LANE(soften_all)(s, soft);
    LANE(dot)(change, soft, s->n, scale);
    for (int l = 0; l < LANES; ++l) {
        /* sy / yy is an inverse stiffness; nothing is stiffer than 1e6 eV/angstrom^2. */
        const bool curved = keep[l] && s->started[l] && yy[l] > R(0.0) && sy[l] > R(1e-6) * yy[l] &&
                            scale[l] > R(0.0);
        s->rho[s->place][l] = curved ? R(1.0) / sy[l] : R(0.0);
        if (curved) s->gamma[l] = sy[l] / scale[l];
    }
}

/* Takes the trial point over where keep is set, and puts the pair of this step into the history;
 * elsewhere the place stays empty. */
static void LANE(accept)(LANE(state) * s, const bool keep[LANES])
{
    LANE(block) *restrict move = s->s + (size_t)s->place * (size_t)s->n;
    LANE(block) *restrict change = s->y + (size_t)s->place * (size_t)s->n;
    LANE(block) *restrict x = s->x, *restrict f = s->f;
    const LANE(block) *trial = s->trial, *ft = s->ft;
    LANE(block) sy = {0}, yy = {0};
    real take[LANES];
    for (int l = 0; l < LANES; ++l) take[l] = keep[l] ? R(1.0) : R(0.0);
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) {
                const real to = take[l] != R(0.0) ? trial[i].v[c][l] : x[i].v[c][l];
                const real force = take[l] != R(0.0) ? ft[i].v[c][l] : f[i].v[c][l];
                const real dx = to - x[i].v[c][l], dg = f[i].v[c][l] - force;
                move[i].v[c][l] = dx;
                change[i].v[c][l] = dg;
                x[i].v[c][l] = to;
                f[i].v[c][l] = force;
                sy.v[c][l] += dx * dg;
                yy.v[c][l] += dg * dg;
            }
        }
    real a[LANES], b[LANES];
    for (int l = 0; l < LANES; ++l) {
        a[l] = sy.v[0][l] + sy.v[1][l] + sy.v[2][l];
        b[l] = yy.v[0][l] + yy.v[1][l] + yy.v[2][l];
    }
    LANE(measure)(s, keep, a, b);
}

/* d = H f by the two-loop recursion (Nocedal, Math. Comput. 35 (1980) 773), newest pairs first, with
 * gamma P^-1 for the first guess of H; every pass also prepares the product that the next one needs. Empty places have rho = 0 and do
 * nothing. */
static void LANE(two_loop)(LANE(state) * s, real down[LANES])
{
    const int m = LANE(MEMORY);
    const size_t n = (size_t)s->n;
    real alpha[LANE(MEMORY)][LANES], factor[LANES], product[LANES];
    memcpy(s->d, s->f, n * sizeof *s->d);
    LANE(dot)(s->s + (size_t)s->place * n, s->d, s->n, product);
    for (int k = 0; k < m; ++k) {
        const int at = (s->place + m - k) % m, next = (at + m - 1) % m;
        for (int l = 0; l < LANES; ++l) {
            alpha[at][l] = s->rho[at][l] * product[l];
            factor[l] = -alpha[at][l];
        }
        LANE(add_dot)(s->d, factor, s->y + (size_t)at * n, s->s + (size_t)next * n, s->n, product);
    }
    LANE(soften_all)(s, s->d);
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) s->d[i].v[c][l] *= s->gamma[l];
        }
    LANE(dot)(s->y + (size_t)((s->place + 1) % m) * n, s->d, s->n, product);
    for (int k = m - 1; k >= 0; --k) {
        const int at = (s->place + m - k) % m, next = (at + 1) % m;
        for (int l = 0; l < LANES; ++l) factor[l] = alpha[at][l] - s->rho[at][l] * product[l];
        LANE(add_dot)
        (s->d, factor, s->s + (size_t)at * n, k > 0 ? s->y + (size_t)next * n : s->f, s->n,
         product);
    }
    memcpy(down, product, sizeof product);
}

static void LANE(forget_history)(LANE(state) * s, int l)
{
    for (int m = 0; m < LANE(MEMORY); ++m) s->rho[m][l] = 0;
    s->gamma[l] = START_SCALE;
}

/* Falls back to the plain force as direction of a lane. */
static void LANE(follow_force)(LANE(state) * s, int l)
{
    LANE(forget_history)(s, l);
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) s->d[i].v[c][l] = PLAIN_STEP * s->f[i].v[c][l];
}

/* A new direction for the lanes that moved; a step no longer than max_move for any atom. */
static void LANE(choose_step)(LANE(state) * s, const bool moved[LANES])
{
    const int32_t n = s->n;
    real longest2[LANES], down[LANES];
    LANE(block) *old = s->trial; /* free until the next proposal */
    s->trial = s->d;
    s->d = old;
    LANE(two_loop)(s, down);
    for (int l = 0; l < LANES; ++l) {
        if (moved[l] && !(down[l] > R(0.0))) {
            real ff = 0;
            LANE(follow_force)(s, l);
            for (int32_t i = 0; i < n; ++i) {
                const v3 g = LANE(get)(&s->f[i], l);
                ff += v3_dot(g, g);
            }
            down[l] = PLAIN_STEP * ff;
        }
        for (int32_t i = 0; i < n && !moved[l]; ++i) /* still on the old direction */
            for (int c = 0; c < 3; ++c) s->d[i].v[c][l] = s->trial[i].v[c][l];
    }
    LANE(largest_force2)(s->d, n, longest2);
    for (int l = 0; l < LANES; ++l) {
        if (!moved[l]) continue;
        const real longest = real_sqrt(longest2[l]), most = (real)s->r->max_move;
        s->slope[l] = -down[l];
        s->step[l] = longest > most ? most / longest : R(1.0);
    }
}

/* One round of L-BFGS for all lanes. */
static void LANE(lbfgs_round)(LANE(state) * s)
{
    bool keep[LANES], moved[LANES];
    real fmax2[LANES];
    LANE(propose)(s);
    LANE(try)(s);
    for (int l = 0; l < LANES; ++l) keep[l] = moved[l] = s->task[l] && LANE(judge)(s, l);
    s->place = (s->place + 1) % LANE(MEMORY);
    LANE(accept)(s, keep);
    LANE(largest_force2)(s->f, s->n, fmax2);
    for (int l = 0; l < LANES; ++l) {
        if (!s->task[l]) continue;
        const bool stuck = LANE(is_stuck)(s, l, fmax2[l]);
        shoal_system_status end = LANE(verdict)(s, l, fmax2[l]);
        if (stuck && end == SHOAL_SYSTEM_OK) end = SHOAL_SYSTEM_STALLED;
        if (keep[l]) {
            if (!s->started[l] && !(isfinite(fmax2[l]) && isfinite(s->total[l])))
                end = SHOAL_SYSTEM_NOT_FINITE;
            s->has_moved[l] = s->started[l];
            s->started[l] = true;
            s->backtracks[l] = 0;
        } else if (++s->backtracks[l] == LANE(BACKTRACKS)) {
            LANE(forget_history)(s, l); /* start again */
            moved[l] = true;
        } else if (s->backtracks[l] == 2 * LANE(BACKTRACKS) && end == SHOAL_SYSTEM_OK) {
            end = SHOAL_SYSTEM_STALLED;
        }
        if (end != SHOAL_SYSTEM_OK) LANE(finish)(s, l, end);
    }
    LANE(choose_step)(s, moved);
}

/* FIRE (Bitzek et al., Phys. Rev. Lett. 97 (2006) 170201) with unit masses; d holds velocities. */
static void LANE(fire_step)(LANE(state) * s)
{
    real power[LANES], vv[LANES], ff[LANES], v_old[LANES], v_force[LANES], longest2[LANES];
    LANE(dot)(s->d, s->f, s->n, power);
    LANE(dot)(s->d, s->d, s->n, vv);
    LANE(dot)(s->f, s->f, s->n, ff);
    for (int l = 0; l < LANES; ++l) {
        const bool uphill = !(power[l] >= R(0.0));
        if (uphill) {
            s->dt[l] = real_max(R(0.5) * s->dt[l], R(0.002));
            s->mix[l] = R(0.1);
            s->quiet[l] = 0;
        } else if (++s->quiet[l] > 5) {
            s->dt[l] = real_min(R(1.1) * s->dt[l], R(0.12));
            s->mix[l] *= R(0.99);
        }
        v_old[l] = uphill ? R(0.0) : R(1.0) - s->mix[l];
        v_force[l] =
            s->dt[l] + (uphill ? R(0.0) : s->mix[l] * real_sqrt(vv[l] / real_max(ff[l], R(1e-20))));
    }
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l)
                s->d[i].v[c][l] = v_old[l] * s->d[i].v[c][l] + v_force[l] * s->f[i].v[c][l];
        }
    LANE(largest_force2)(s->d, s->n, longest2);
    for (int l = 0; l < LANES; ++l) {
        /* One factor for all atoms of a system, so that its momentum is kept. */
        const real longest = s->dt[l] * real_sqrt(longest2[l]), most = (real)s->r->max_move;
        s->step[l] = longest > most ? s->dt[l] * most / longest : s->dt[l];
    }
}

/* Back to the last finite point, at rest and with a shorter time step. */
static void LANE(fire_retreat)(LANE(state) * s, int l)
{
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            s->x[i].v[c][l] = s->trial[i].v[c][l];
            s->f[i].v[c][l] = s->ft[i].v[c][l];
            s->d[i].v[c][l] = 0;
        }
    s->dt[l] *= R(0.2);
    ++s->backtracks[l];
}

static void LANE(fire_round)(LANE(state) * s)
{
    real fmax2[LANES];
    LANE(propose)(s);
    LANE(try)(s);
    LANE(block) *x = s->x, *f = s->f;
    s->x = s->trial;
    s->f = s->ft;
    s->trial = x;
    s->ft = f;
    LANE(largest_force2)(s->f, s->n, fmax2);
    for (int l = 0; l < LANES; ++l) {
        if (!s->task[l]) continue;
        s->total[l] = LANE(trial_energy)(s, l);
        const bool stuck = LANE(is_stuck)(s, l, fmax2[l]);
        shoal_system_status end = LANE(verdict)(s, l, fmax2[l]);
        if (stuck && end == SHOAL_SYSTEM_OK) end = SHOAL_SYSTEM_STALLED;
        if (isfinite(fmax2[l])) {
            s->has_moved[l] = s->started[l];
        } else {
            LANE(fire_retreat)(s, l);
            if (!s->started[l])
                end = SHOAL_SYSTEM_NOT_FINITE;
            else if (s->backtracks[l] > LANE(BACKTRACKS))
                end = SHOAL_SYSTEM_STALLED;
        }
        s->started[l] = true;
        if (end != SHOAL_SYSTEM_OK) LANE(finish)(s, l, end);
    }
    LANE(fire_step)(s);
}
