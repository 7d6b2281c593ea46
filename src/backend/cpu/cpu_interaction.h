/* SPDX-License-Identifier: BSD-3-Clause
 * Single interactions by the formulas and in the precision of the schedule; included by the
 * template cpu_kernels.c. */

static v3 at(const cpu_interaction *in, int k)
{
    return v3_make((real)in->pos[k][0], (real)in->pos[k][1], (real)in->pos[k][2]);
}

static real one_restraint(const cpu_interaction *in, real *value, v3 f[4])
{
    const shoal_restraint *r = in->restraint;
    block_1 x[4];
    shoal_restraint own = *r;
    const double origin[3] = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        own.atoms[k] = k;
        for (int c = 0; c < 3; ++c) x[k].v[c][0] = (real)in->pos[k][c];
    }
    const v3 a = v3_sub(at(in, 0), at(in, 1)), b = v3_sub(at(in, 2), at(in, 1));
    const real e = restraint_1(&own, x, 0, origin, f);
    if (r->kind == SHOAL_RESTRAINT_POSITION) {
        const v3 target = v3_make((real)r->target[0], (real)r->target[1], (real)r->target[2]);
        const v3 d = restraint_offset(v3_sub(at(in, 0), target), (real)r->value);
        *value = real_sqrt(v3_dot(d, d));
    } else if (r->kind == SHOAL_RESTRAINT_DISTANCE) {
        *value = real_sqrt(v3_dot(a, a));
    } else if (r->kind == SHOAL_RESTRAINT_ANGLE) {
        *value = R(DEGREES) * restraint_measure_angle(a, b);
    } else {
        *value = R(DEGREES) *
                 restraint_measure_torsion(a, b, v3_sub(at(in, 3), at(in, 2)), R(1.0), R(0.0));
    }
    return e;
}

/* A pair by a formula: in double, as everywhere. */
static real formula_pair(const cpu_interaction *in, double r, real *s)
{
    const shoal_pair_model *m = in->view->model;
    const bool ordered = in->pair[0] < in->pair[1];
    arena memory = {0};
    formula_room *room = formula_room_create(m, &memory);
    double inputs[FORMULA_N_PAIR], e = NAN, slope = NAN;
    pair_model_inputs(in->view, in->pair[!ordered], in->pair[ordered], inputs);
    inputs[FORMULA_IN_R] = r;
    formula_block block = {.n = 1, .energy = &e};
    for (int k = 0; k < FORMULA_N_PAIR; ++k) block.inputs[k] = &inputs[k];
    block.slopes[FORMULA_IN_R] = &slope;
    if (room) formula_eval(m->formula, room->registers, FORMULA_WIDTH, &block);
    arena_free(&memory);
    *s = (real)(-r * slope);
    return (real)e;
}

/* A pair by a model; *s = -r dE/dr. */
static real model_pair(const cpu_interaction *in, real r2, real *s)
{
    const cpu_model m = cpu_model_of(in->view, in->options);
    const model_par p = model_parameters(in->view, &m, in->pair[0], in->pair[1]);
    const real ir = real_rsqrt(r2), r = r2 * ir;
    *s = 0;
    if (in->term == SHOAL_TERM_COULOMB)
        return m.coulomb == FORM_COULOMB_NONE
                   ? R(0.0)
                   : form_coulomb(m.coulomb, p.kqq, (real)m.damping, r, ir, s);
    if (m.family == FORM_FORMULA) return formula_pair(in, sqrt((double)r2), s);
    return m.family == CPU_NO_VDW
               ? R(0.0)
               : form_vdw(m.family, m.damped, p.a, p.b, p.k, (real)m.beta, r, ir, ir * ir, s);
}

static real one_pair(const cpu_interaction *in, real *value, v3 f[4])
{
    const pair_par p = pair_parameters(in->view, in->options, in->pair[0], in->pair[1]);
    const v3 d = v3_sub(at(in, 0), at(in, 1));
    const bool arithmetic = in->options->mixing == SHOAL_MIXING_ARITHMETIC;
    const real clamp = (real)in->pair_clamp, near2 = v3_dot(d, d);
    const real reach2 =
        clamp * clamp * (real)pair_model_reach2(in->view, arithmetic, in->pair[0], in->pair[1]);
    real longer, share;
    const real r2 = pair_clamp(near2, reach2, &longer, &share);
    const real damping = (real)in->options->coulomb_damping;
    const real ir2 = R(1.0) / r2, id = real_rsqrt(r2 + damping * damping);
    const bool by_model = in->view->model;
    real s = 0, e;
    if (by_model)
        e = model_pair(in, r2, &s);
    else if (in->term == SHOAL_TERM_VDW)
        e = pair_vdw(p.x6, p.c6, ir2 * ir2 * ir2, &s) / R(12.0);
    else
        e = pair_coulomb(p.kqq, id);
    const real at = by_model || in->term == SHOAL_TERM_VDW ? s * ir2 : e * id * id;
    const real g = longer * at;
    e += at * r2 * share;
    *value = real_sqrt(near2);
    f[0] = v3_scale(g, d);
    f[1] = v3_scale(-g, d);
    return e;
}

/* What a kind measures, from its arms: angstrom or degrees. */
static real measure_distance(const v3 *arms)
{
    return real_sqrt(v3_dot(arms[0], arms[0]));
}

static real measure_angle(const v3 *arms)
{
    return R(DEGREES) * restraint_measure_angle(arms[0], arms[1]);
}

static real measure_torsion(const v3 *arms)
{
    return R(DEGREES) * restraint_measure_torsion(arms[0], arms[1], arms[2], R(1.0), R(0.0));
}

static real measure_elevation(const v3 *arms)
{
    const v3 n = v3_cross(arms[0], arms[1]), c = arms[2];
    const real up = v3_dot(n, c), flat2 = real_max(v3_dot(n, n) * v3_dot(c, c) - up * up, R(0.0));
    return R(DEGREES) * real_atan2(up, real_sqrt(flat2));
}

/* Between the bond and the direction. */
static real measure_tilt(const v3 *arms)
{
    return R(DEGREES) * restraint_measure_angle(arms[0], arms[1]);
}

/* Between two directions, whatever their signs. */
static real measure_twist(const v3 *arms)
{
    const real angle = R(DEGREES) * restraint_measure_angle(arms[0], arms[1]);
    return real_min(angle, R(180.0) - angle);
}

/* Of the parallelepiped, with its sign. */
static real measure_volume(const v3 *arms)
{
    return v3_dot(arms[0], v3_cross(arms[1], arms[2]));
}

static real measure_term(int kind, const v3 *arms)
{
    switch (kind) {
#define MEASURE(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par, units,      \
                form, t0, b0, t1, b1, t2, b2)                                                      \
    case TERM_KIND_##NAME: return measure_##value(arms);
        TERM_KINDS(MEASURE)
#undef MEASURE
    default: return R(0.0);
    }
}

static real one_bonded(const cpu_interaction *in, real *value, v3 f[4])
{
    const int kind = in->record->kind;
    const term_shape *s = &term_shapes[kind];
    double numbers[TERM_NUMBERS];
    real p[TERM_NUMBERS];
    v3 arms[TERM_ARMS];
    memset(arms, 0, sizeof arms);
    term_numbers(in->record, in->view, in->options, numbers);
    for (int k = 0; k < TERM_NUMBERS; ++k) p[k] = (real)numbers[k];
    for (int a = 0; a < s->n_arms; ++a) {
        arms[a] = at(in, s->tip[a]);
        if (s->tip[a] != s->base[a]) arms[a] = v3_sub(arms[a], at(in, s->base[a]));
    }
    *value = measure_term(kind, arms);
    return bonded_term(kind, p, arms, f);
}

static double interaction(const cpu_interaction *in, double *value, double forces[4][3])
{
    v3 f[4];
    real measured = 0;
    memset(f, 0, sizeof f);
    const real e = in->record      ? one_bonded(in, &measured, f)
                   : in->restraint ? one_restraint(in, &measured, f)
                                   : one_pair(in, &measured, f);
    *value = (double)measured;
    for (int k = 0; k < 4; ++k) {
        forces[k][0] = (double)f[k].x;
        forces[k][1] = (double)f[k].y;
        forces[k][2] = (double)f[k].z;
    }
    return (double)e;
}

static shoal_status surface_energies(const shoal_topology_view *view, const shoal_surface *surface,
                                     const double (*pos)[3], double *energies)
{
    direct_tables *d = direct_create(view, surface);
    if (!d) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < view->n_atoms; ++i) {
        v3 force;
        energies[i] = (double)direct_field(d, i, pos[i], &force);
    }
    direct_destroy(d);
    return SHOAL_OK;
}
