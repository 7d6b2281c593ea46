/* SPDX-License-Identifier: BSD-3-Clause
 * The loops of L-BFGS and FIRE over lanes; included by cpu_relax.h. */

/* What a lane can end with after an evaluation; SHOAL_SYSTEM_OK means it goes on. */
static shoal_system_status LANE(verdict)(const LANE(state) * s, int l, real fmax2)
{
    /* A little below the limit, so that forces in double precision agree. */
    const double limit = s->r->fmax * (sizeof(real) == 4 ? 0.99 : 1.0);
    if ((double)fmax2 <= limit * limit) return SHOAL_SYSTEM_CONVERGED;
    if (s->n_evals[l] >= s->r->max_steps) return SHOAL_SYSTEM_MAX_STEPS;
    return SHOAL_SYSTEM_OK;
}

/* First evaluation of a lane: keeps the energies before, or gives up at once. */
static bool LANE(note_start)(LANE(state) * s, int l)
{
    backend_result *r = s->task[l]->result;
    r->energy0 = LANE(sum_terms)(&s->et, l, r->terms0);
    return isfinite(r->energy0);
}

/* One round of L-BFGS for all lanes. */
static void LANE(lbfgs_round)(LANE(state) * s)
{
    bool keep[LANES], moved[LANES];
    real fmax2[LANES];
    double total[LANES];
    LANE(propose)(s);
    LANE(eval)(s->t, s->trial, s->ft, &s->et);
    for (int l = 0; l < LANES; ++l) {
        double terms[SHOAL_N_TERMS];
        keep[l] = moved[l] = false;
        total[l] = 0;
        if (!s->task[l]) continue;
        ++s->n_evals[l];
        LANE(hold)(s->ft, l, s->task[l], s->n);
        total[l] = LANE(sum_terms)(&s->et, l, terms);
        keep[l] = moved[l] = LANE(judge)(s, l, total[l]);
    }
    s->place = (s->place + 1) % LANE(MEMORY);
    LANE(accept)(s, keep);
    LANE(largest_force2)(s->f, s->n, fmax2);
    for (int l = 0; l < LANES; ++l) {
        if (!s->task[l]) continue;
        if (keep[l]) {
            s->total[l] = total[l];
            s->backtracks[l] = 0;
            if (!s->started[l] && (!LANE(note_start)(s, l) || !isfinite(fmax2[l]))) {
                LANE(finish)(s, l, SHOAL_SYSTEM_NOT_FINITE, fmax2[l]);
                continue;
            }
            s->started[l] = true;
        } else if (++s->backtracks[l] == 12) {
            LANE(reset_lane)(s, l); /* start again from the force */
            moved[l] = true;
        } else if (s->backtracks[l] > 30) {
            LANE(finish)(s, l, SHOAL_SYSTEM_STALLED, fmax2[l]);
            continue;
        }
        const shoal_system_status end = LANE(verdict)(s, l, fmax2[l]);
        if (end != SHOAL_SYSTEM_OK) LANE(finish)(s, l, end, fmax2[l]);
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

static void LANE(fire_round)(LANE(state) * s)
{
    real fmax2[LANES];
    LANE(propose)(s);
    LANE(block) *old = s->x;
    s->x = s->trial;
    s->trial = old;
    LANE(eval)(s->t, s->x, s->f, &s->e);
    for (int l = 0; l < LANES; ++l)
        if (s->task[l]) LANE(hold)(s->f, l, s->task[l], s->n);
    LANE(largest_force2)(s->f, s->n, fmax2);
    for (int l = 0; l < LANES; ++l) {
        if (!s->task[l]) continue;
        ++s->n_evals[l];
        if (!s->started[l]) {
            s->et = s->e;
            (void)LANE(note_start)(s, l);
            s->started[l] = true;
        }
        shoal_system_status end = LANE(verdict)(s, l, fmax2[l]);
        if (!isfinite(fmax2[l])) end = SHOAL_SYSTEM_NOT_FINITE;
        if (end != SHOAL_SYSTEM_OK) LANE(finish)(s, l, end, fmax2[l]);
    }
    LANE(fire_step)(s);
}

static shoal_status LANE(allot_state)(LANE(state) * s, arena *memory)
{
    const size_t n = (size_t)s->n, m = (size_t)LANE(MEMORY);
    LANE(block) * *const parts[] = {&s->x, &s->f, &s->trial, &s->ft, &s->d, &s->s, &s->y};
    for (size_t k = 0; k < 7; ++k) {
        unsigned char *p = arena_alloc(memory, (k < 5 ? n : m * n) * sizeof **parts[k] + 64, 1);
        if (!p) return SHOAL_E_MEMORY;
        *parts[k] = (LANE(block) *)(void *)(p + (64 - (uintptr_t)p % 64) % 64);
    }
    return SHOAL_OK;
}

static shoal_status LANE(relax_tasks)(const tables *t, const cpu_task *tasks, int32_t n_tasks,
                                      const cpu_relax *r, int64_t *evaluations)
{
    arena memory = {0};
    LANE(state) *s = arena_alloc(&memory, 1, sizeof *s);
    shoal_status status = s ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) {
        *s = (LANE(state)){.t = t, .r = r, .n = t->n_atoms};
        status = LANE(allot_state)(s, &memory);
    }
    int32_t next = 0, n_active = n_tasks;
    while (status == SHOAL_OK && n_active > 0) {
        n_active = 0;
        for (int l = 0; l < LANES; ++l) {
            if (!s->task[l] && next < n_tasks) LANE(start)(s, l, &tasks[next++]);
            n_active += s->task[l] != NULL;
        }
        if (n_active == 0) break;
        *evaluations += n_active;
        if (r->method == SHOAL_METHOD_FIRE)
            LANE(fire_round)(s);
        else
            LANE(lbfgs_round)(s);
    }
    arena_free(&memory);
    return status;
}
