/* SPDX-License-Identifier: BSD-3-Clause
 * What belongs to single systems and not to their topology: where they lie, their restraints and
 * fixed atoms. Included by cpu_single.h; lane by lane. */

/* Coordinates of one lane relative to the middle of the system, so that the precision does not
 * depend on where it lies; origin is where that is. */
static void LANE(load)(LANE(block) * to, int l, const cpu_task *task, int32_t n, double origin[3])
{
    for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int32_t i = 0; i < n; ++i) sum += task->result->pos[i][c];
        origin[c] = n > 0 ? sum / n : 0;
        for (int32_t i = 0; i < n; ++i) to[i].v[c][l] = (real)(task->result->pos[i][c] - origin[c]);
    }
}

/* Directions of one lane, which are the same from any origin. */
static void LANE(load_directions)(LANE(block) * to, int l, const cpu_task *task)
{
    const shoal_topology_view *v = &task->system->view;
    for (int32_t k = 0; k < v->n_directions; ++k)
        for (int c = 0; c < 3; ++c) to[k].v[c][l] = (real)task->result->pos[v->n_atoms + k][c];
}

/* One restraint: energy returned, forces on its atoms in f[4]. */
static real LANE(restraint)(const shoal_restraint *r, const LANE(block) * x, int l,
                            const double origin[3], v3 f[4])
{
    const real k = (real)r->k;
    const v3 ri = LANE(get)(&x[r->atoms[0]], l);
    if (r->kind == SHOAL_RESTRAINT_POSITION) {
        const v3 target =
            v3_make((real)(r->target[0] - origin[0]), (real)(r->target[1] - origin[1]),
                    (real)(r->target[2] - origin[2]));
        return restraint_position(k, restraint_offset(v3_sub(ri, target), (real)r->value), &f[0]);
    }
    const v3 rj = LANE(get)(&x[r->atoms[1]], l), a = v3_sub(ri, rj);
    if (r->kind == SHOAL_RESTRAINT_DISTANCE) {
        const real e = restraint_distance(k, (real)r->value, a, &f[0]);
        f[1] = v3_scale(R(-1.0), f[0]);
        return e;
    }
    const v3 rk = LANE(get)(&x[r->atoms[2]], l), b = v3_sub(rk, rj);
    if (r->kind == SHOAL_RESTRAINT_ANGLE) {
        const real e = restraint_angle(k, (real)r->value, a, b, &f[0], &f[2]);
        f[1] = v3_scale(R(-1.0), v3_add(f[0], f[2]));
        return e;
    }
    const v3 c = v3_sub(LANE(get)(&x[r->atoms[3]], l), rk);
    return restraint_torsion(k, (real)cos(r->value), (real)sin(r->value), a, b, c, &f[0], &f[1],
                             &f[2], &f[3]);
}

/* A pull on the centre of atoms: energy returned, the force on each of them in *f. */
static real LANE(pull_centre)(const shoal_restraint *r, const double centre[3], v3 *f)
{
    const real share = R(1.0) / (real)(r->atoms[1] - r->atoms[0] + 1);
    const v3 d = v3_make((real)(centre[0] - r->target[0]), (real)(centre[1] - r->target[1]),
                         (real)(centre[2] - r->target[2]));
    return restraint_centre((real)r->k, share, restraint_offset(d, (real)r->value), f);
}

static real LANE(restrain_centre)(const shoal_restraint *r, const LANE(block) * x, int l,
                                  const double origin[3], LANE(block) * force)
{
    const int32_t first = r->atoms[0], last = r->atoms[1];
    double centre[3];
    v3 f;
    for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int32_t i = first; i <= last; ++i) sum += (double)x[i].v[c][l];
        centre[c] = origin[c] + sum / (last - first + 1);
    }
    const real e = LANE(pull_centre)(r, centre, &f);
    for (int32_t i = first; i <= last; ++i) LANE(add)(&force[i], l, f);
    return e;
}

/* Adds the restraints of the system in one lane, and lets its fixed atoms feel nothing. */
static void LANE(constrain)(const tables *t, const cpu_task *task, const LANE(block) * x,
                            LANE(block) * force, LANE(energies) * e, int l, const double origin[3])
{
    const backend_system *s = task->system;
    const bool off = t->terms_off >> SHOAL_TERM_RESTRAINT & 1;
    for (int32_t n = 0; n < s->n_restraints && !off; ++n) {
        const shoal_restraint *r = &s->restraints[n];
        v3 f[4];
        if (r->kind == SHOAL_RESTRAINT_CENTRE) {
            e->e[SHOAL_TERM_RESTRAINT][l] += LANE(restrain_centre)(r, x, l, origin, force);
            continue;
        }
        e->e[SHOAL_TERM_RESTRAINT][l] += LANE(restraint)(r, x, l, origin, f);
        for (int k = 0; k <= (int)r->kind; ++k) LANE(add)(&force[r->atoms[k]], l, f[k]);
    }
    for (int32_t i = 0; i < t->n_points && s->fixed; ++i)
        for (int c = 0; c < 3; ++c)
            if (s->fixed[i]) force[i].v[c][l] = 0;
}
