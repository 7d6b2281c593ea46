/* SPDX-License-Identifier: BSD-3-Clause
 * Single interactions by the formulas and in the precision of the schedule; included by the
 * template cpu_kernels.c. */

static v3 at(const cpu_interaction *in, int k)
{
    return v3_make((real)in->pos[k][0], (real)in->pos[k][1], (real)in->pos[k][2]);
}

static real measure_torsion(v3 a, v3 b, v3 c)
{
    return R(DEGREES) * restraint_measure_torsion(a, b, c, R(1.0), R(0.0));
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
        const v3 d =
            v3_sub(at(in, 0), v3_make((real)r->target[0], (real)r->target[1], (real)r->target[2]));
        *value = real_sqrt(v3_dot(d, d));
    } else if (r->kind == SHOAL_RESTRAINT_DISTANCE) {
        *value = real_sqrt(v3_dot(a, a));
    } else if (r->kind == SHOAL_RESTRAINT_ANGLE) {
        *value = R(DEGREES) * restraint_measure_angle(a, b);
    } else {
        *value = measure_torsion(a, b, v3_sub(at(in, 3), at(in, 2)));
    }
    return e;
}

static real one_pair(const cpu_interaction *in, real *value, v3 f[4])
{
    const pair_par p = pair_parameters(in->view, in->options, in->pair[0], in->pair[1]);
    const v3 d = v3_sub(at(in, 0), at(in, 1));
    const real r2 = v3_dot(d, d), damping = (real)in->options->coulomb_damping;
    const real ir2 = R(1.0) / r2, id = real_rsqrt(r2 + damping * damping);
    real s = 0, e;
    if (in->term == SHOAL_TERM_VDW)
        e = pair_vdw(p.x6, p.c6, ir2 * ir2 * ir2, &s) / R(12.0);
    else
        e = pair_coulomb(p.kqq, id);
    const real g = in->term == SHOAL_TERM_VDW ? s * ir2 : e * id * id;
    *value = real_sqrt(r2);
    f[0] = v3_scale(g, d);
    f[1] = v3_scale(-g, d);
    return e;
}

static real one_torsion(const cpu_interaction *in, real *value, v3 f[4])
{
    const torsion_par p = torsion_parameters(&in->view->torsions[in->index]);
    const v3 a = v3_sub(at(in, 0), at(in, 1)), b = v3_sub(at(in, 2), at(in, 1));
    const v3 c = v3_sub(at(in, 3), at(in, 2));
    *value = measure_torsion(a, b, c);
    if (uff_torsion_is_straight(a, b, c))
        return uff_torsion_straight(p, a, b, c, &f[0], &f[1], &f[2], &f[3]);
    return uff_torsion(p, a, b, c, &f[0], &f[1], &f[2], &f[3]);
}

static real one_inversion(const cpu_interaction *in, real *value, v3 f[4])
{
    const inversion_par p = inversion_parameters(&in->view->inversions[in->index]);
    const v3 rj = at(in, 1), a = v3_sub(at(in, 0), rj), b = v3_sub(at(in, 2), rj);
    const v3 c = v3_sub(at(in, 3), rj), n = v3_cross(a, b);
    const real up = v3_dot(n, c), flat2 = real_max(v3_dot(n, n) * v3_dot(c, c) - up * up, R(0.0));
    *value = R(DEGREES) * real_atan2(up, real_sqrt(flat2));
    const real e = uff_inversion_is_straight(a, b, c)
                       ? uff_inversion_straight(p, a, b, c, &f[0], &f[2], &f[3])
                       : uff_inversion(p, a, b, c, &f[0], &f[2], &f[3]);
    f[1] = v3_scale(R(-1.0), v3_add(v3_add(f[0], f[2]), f[3]));
    return e;
}

static real one_bond_or_angle(const cpu_interaction *in, real *value, v3 f[4])
{
    const v3 a = v3_sub(at(in, 0), at(in, 1)), b = v3_sub(at(in, 2), at(in, 1));
    real e;
    if (in->term == SHOAL_TERM_BOND) {
        e = uff_bond(bond_parameters(&in->view->bonds[in->index]), a, &f[0]);
        *value = real_sqrt(v3_dot(a, a));
        f[1] = v3_scale(R(-1.0), f[0]);
    } else {
        e = uff_angle(angle_parameters(&in->view->angles[in->index]), a, b, &f[0], &f[2]);
        *value = R(DEGREES) * restraint_measure_angle(a, b);
        f[1] = v3_scale(R(-1.0), v3_add(f[0], f[2]));
    }
    return e;
}

static double interaction(const cpu_interaction *in, double *value, double forces[4][3])
{
    v3 f[4];
    real e, measured = 0;
    memset(f, 0, sizeof f);
    switch (in->term) {
    case SHOAL_TERM_BOND:
    case SHOAL_TERM_ANGLE: e = one_bond_or_angle(in, &measured, f); break;
    case SHOAL_TERM_TORSION: e = one_torsion(in, &measured, f); break;
    case SHOAL_TERM_INVERSION: e = one_inversion(in, &measured, f); break;
    case SHOAL_TERM_RESTRAINT: e = one_restraint(in, &measured, f); break;
    default: e = one_pair(in, &measured, f); break;
    }
    *value = (double)measured;
    for (int k = 0; k < 4; ++k) {
        forces[k][0] = (double)f[k].x;
        forces[k][1] = (double)f[k].y;
        forces[k][2] = (double)f[k].z;
    }
    return (double)e;
}
