/* SPDX-License-Identifier: BSD-3-Clause
 * Starts: joints turned, molecules put on a substrate. */
#include "jobs/search_starts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"
#include "chem/graph.h"
#include "geom/eigen.h"
#include "jobs/search_breed.h"

#define TRIES 12            /* of a start whose atoms are too close */
#define MOST_LOOKED_AT 1024 /* atoms: larger molecules are not looked at */
#define TOO_CLOSE 1.1       /* times the covalent radii .. */
#define CLOSE_SLACK 0.3     /* .. and so many angstrom */
#define MOST_SYSTEMATIC 1e15
#define FLAP 0.9          /* tangent of the angle at which a corner leaves its ring */
#define CONTACT 2.2       /* angstrom: the lowest atom is put so high .. */
#define CONTACT_RANGE 1.0 /* .. or up to so much higher */
#define LEAST_HEIGHT 1.8  /* angstrom: the lowest that a kick may leave */
#define SHAKE 0.3         /* angstrom: kick of what has no joints */
#define TREMBLE 0.02      /* angstrom: no start is so symmetric that it stays on a ridge */

static const double third[3][2] = {
    {1, 0}, {-0.5, 0.86602540378443865}, {-0.5, -0.86602540378443865}};

/* --- plans ---------------------------------------------------------------------------------------- */

/* Squares of the distances below which atoms are too close; 0 for bonded atoms and partners of one atom. */
static shoal_status fill_closest(search_plan *p, const shoal_molecule *mol)
{
    const size_t n = (size_t)p->n_atoms;
    graph g;
    if (n > MOST_LOOKED_AT) return SHOAL_OK;
    p->closest = shoal_alloc(n * n, sizeof *p->closest);
    if (!p->closest) return SHOAL_E_MEMORY;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            const double d = TOO_CLOSE * (element_get(mol->element[i])->radius +
                                          element_get(mol->element[j])->radius) +
                             CLOSE_SLACK;
            p->closest[i * n + j] = i == j ? 0 : (float)(d * d);
        }
    SHOAL_TRY(graph_build(&g, mol, &p->joints.memory));
    for (size_t i = 0; i < n; ++i)
        for (int32_t e = g.start[i]; e < g.start[i + 1]; ++e) {
            const size_t j = (size_t)g.ends[e].atom;
            if (j < n) p->closest[i * n + j] = 0;
            for (int32_t k = g.start[i]; k < g.start[i + 1] && j < n; ++k)
                if ((size_t)g.ends[k].atom < n) p->closest[j * n + (size_t)g.ends[k].atom] = 0;
        }
    return SHOAL_OK;
}

int64_t search_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Combinations, if there are few enough, and a step that visits all of them with neighbours far apart. */
static void count_combinations(search_plan *p, const search_setting *setting)
{
    const search_joints *j = &p->joints;
    double n = 1;
    for (int32_t k = 0; k < j->n_rotors && n < MOST_SYSTEMATIC; ++k) n *= j->rotors[k].flat ? 2 : 3;
    for (int32_t k = 0; k < j->n_corners + j->n_pyramids && n < MOST_SYSTEMATIC; ++k) n *= 2;
    const double most = setting->substrate ? (double)setting->starts / 8 : (double)setting->starts;
    if (n <= 1 || n > most) return;
    p->n_systematic = (int64_t)n;
    p->stride = (int64_t)(0.61803398874989485 * n) | 1;
    while (search_common_divisor(p->n_systematic, p->stride) != 1) p->stride += 2;
}

static shoal_status find_configuration(search_plan *p, const shoal_molecule *mol,
                                       const double (*pos)[3])
{
    graph g;
    SHOAL_TRY(graph_build(&g, mol, &p->joints.memory));
    return search_configuration_find(&p->configuration, mol, &g, p->n_atoms, pos,
                                     &p->joints.memory);
}

shoal_status search_plan_make(search_plan *out, const search_setting *setting, int64_t molecule,
                              const shoal_molecule *mol, int32_t n_atoms, const double (*pos)[3],
                              const bool *fixed)
{
    *out = (search_plan){.molecule = molecule, .n_atoms = n_atoms, .has_fixed = fixed != NULL};
    shoal_status status = search_joints_find(&out->joints, mol, n_atoms, pos, fixed);
    if (status == SHOAL_OK) status = fill_closest(out, mol);
    if (status == SHOAL_OK) status = find_configuration(out, mol, pos);
    if (status == SHOAL_OK) {
        out->pos = shoal_alloc((size_t)n_atoms, sizeof *out->pos);
        status = out->pos ? SHOAL_OK : SHOAL_E_MEMORY;
    }
    if (status != SHOAL_OK) {
        search_plan_free(out);
        return status;
    }
    memcpy(out->pos, pos, (size_t)n_atoms * sizeof *pos);
    count_combinations(out, setting);
    return SHOAL_OK;
}

void search_plan_free(search_plan *plan)
{
    search_kin_free(plan->kin);
    search_joints_free(&plan->joints);
    free(plan->pos);
    free(plan->closest);
    *plan = (search_plan){0};
}

/* --- shapes --------------------------------------------------------------------------------------- */

bool search_too_close(const search_plan *p, const double (*pos)[3])
{
    const size_t n = (size_t)p->n_atoms;
    for (size_t i = 1; i < n && p->closest; ++i) {
        const float *row = p->closest + i * n;
        int32_t close = 0;
        for (size_t j = 0; j < i; ++j) {
            const double x = pos[i][0] - pos[j][0], y = pos[i][1] - pos[j][1],
                         z = pos[i][2] - pos[j][2];
            close += x * x + y * y + z * z < (double)row[j];
        }
        if (close > 0) return true;
    }
    return false;
}

/* About the same angle: up to 20 degrees aside. */
static void turn_about(const search_rotor *rotor, const double to[2], double aside,
                       double (*pos)[3])
{
    const double c = 1 / sqrt(1 + aside * aside), s = aside * c;
    search_turn(rotor, to[0] * c - to[1] * s, to[0] * s + to[1] * c, pos);
}

/* Any angle; of flat rotors mostly as it is or turned by half. */
static void draw_turn(const search_rotor *rotor, search_random *r, double (*pos)[3])
{
    double to[2];
    const bool flat = rotor->flat && random_next(r) < 0.8;
    random_direction(r, 2, to);
    if (flat)
        turn_about(rotor, (const double[2]){to[0] > 0 ? 1 : -1, 0}, 0.36 * to[1], pos);
    else
        search_turn(rotor, to[0], to[1], pos);
}

static void draw_joints(const search_plan *p, search_random *r, double (*pos)[3])
{
    const search_joints *j = &p->joints;
    for (int32_t k = 0; k < j->n_corners; ++k)
        if (random_next(r) < 0.5)
            search_flap(&j->corners[k], 1.3 * FLAP * (2 * random_next(r) - 1), pos);
    for (int32_t k = 0; k < j->n_pyramids; ++k)
        if (random_next(r) < 0.5) search_invert(&j->pyramids[k], pos);
    for (int32_t k = 0; k < j->n_rotors; ++k) draw_turn(&j->rotors[k], r, pos);
}

void search_flap_over(const search_corner *c, double (*pos)[3])
{
    const double t = search_tangent(c, (const double(*)[3])pos);
    search_flap(c, t > 0 ? -fmax(t, FLAP) : fmax(-t, FLAP), pos);
}

void search_turn_over(const search_joints *j, int32_t k, double (*pos)[3])
{
    if (k < j->n_corners)
        search_flap_over(&j->corners[k], pos);
    else
        search_invert(&j->pyramids[k - j->n_corners], pos);
}

int64_t search_turn_combination(const search_joints *j, int64_t code, double (*pos)[3])
{
    for (int32_t k = 0; k < j->n_corners + j->n_pyramids; ++k, code /= 2)
        if (code % 2 == 1) search_turn_over(j, k, pos);
    return code;
}

/* Combination k of all joints; `aside` of the angles by chance where that was too close. */
static void set_joints(const search_plan *p, int64_t k, double aside, search_random *r,
                       double (*pos)[3])
{
    const search_joints *j = &p->joints;
    static const double half[2][2] = {{1, 0}, {-1, 0}};
    int64_t code = search_turn_combination(j, k * p->stride % p->n_systematic, pos);
    for (int32_t c = 0; c < j->n_rotors; ++c) {
        const search_rotor *rotor = &j->rotors[c];
        const int n = rotor->flat ? 2 : 3;
        turn_about(rotor, rotor->flat ? half[code % n] : third[code % n],
                   aside * (2 * random_next(r) - 1), pos);
        code /= n;
    }
}

static void shape(const search_plan *p, const search_setting *setting, int64_t k, int attempt,
                  search_random *r, double (*pos)[3])
{
    memcpy(pos, p->pos, (size_t)p->n_atoms * sizeof *pos);
    if (k == 0 || p->joints.n_rotors + p->joints.n_corners + p->joints.n_pyramids == 0) return;
    /* On a substrate the first quarter goes through the combinations again and again. */
    const int64_t until = setting->substrate ? setting->starts / 4 : p->n_systematic;
    if (p->n_systematic > 0 && k < until && attempt < TRIES / 2)
        set_joints(p, k % p->n_systematic, 0.1 * attempt, r, pos);
    else
        draw_joints(p, r, pos);
}

static void shake(const search_plan *p, double most, search_random *r, double (*pos)[3])
{
    for (int32_t i = 0; i < p->n_atoms; ++i)
        for (int k = 0; k < 3; ++k) pos[i][k] += most * (2 * random_next(r) - 1);
}

void search_tremble(const search_plan *plan, search_random *r, double (*pos)[3])
{
    shake(plan, TREMBLE, r, pos);
}

/* --- places --------------------------------------------------------------------------------------- */

static void centre_of(const search_plan *p, const double (*pos)[3], double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int32_t i = 0; i < p->n_atoms; ++i)
        for (int k = 0; k < 3; ++k) out[k] += pos[i][k] / p->n_atoms;
}

/* Rotates about the centre by the quaternion q. */
static void rotate_all(const search_plan *p, const double q[4], double (*pos)[3])
{
    double centre[3];
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    centre_of(p, (const double(*)[3])pos, centre);
    for (int32_t i = 0; i < p->n_atoms; ++i) {
        const double d[3] = {pos[i][0] - centre[0], pos[i][1] - centre[1], pos[i][2] - centre[2]};
        for (int k = 0; k < 3; ++k)
            pos[i][k] = centre[k] + m[k][0] * d[0] + m[k][1] * d[1] + m[k][2] * d[2];
    }
}

/* The direction in which a molecule is thinnest; of the two that with a positive largest component. */
static void thinnest(const search_plan *p, const double (*pos)[3], double out[3])
{
    double centre[3], m[3][3] = {{0}}, squares[3], work[3];
    centre_of(p, pos, centre);
    for (int32_t i = 0; i < p->n_atoms; ++i)
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                m[a][b] += (pos[i][a] - centre[a]) * (pos[i][b] - centre[b]);
    if (!eigen_symmetric(3, m[0], squares, work)) {
        memcpy(out, (double[]){0, 0, 1}, 3 * sizeof *out); /* places that are not finite */
        return;
    }
    int most = 0;
    for (int k = 1; k < 3; ++k)
        if (fabs(m[0][k]) > fabs(m[0][most])) most = k;
    for (int k = 0; k < 3; ++k) out[k] = m[0][most] < 0 ? -m[0][k] : m[0][k];
}

/* Rotates the unit vector `from` to +z or -z, up: whichever is asked for. */
static void lay_flat(const search_plan *p, const double from[3], bool up, double (*pos)[3])
{
    const double to = up ? 1 : -1, c = from[2] * to;
    /* Half the angle: q = (1 + c, from x to), whose axis lies in the plane. */
    double q[4] = {1 + c, from[1] * to, -from[0] * to, 0}, n = 0;
    if (q[0] < 1e-9) q[0] = 0, q[1] = 1, q[2] = 0; /* upside down */
    for (int k = 0; k < 4; ++k) n += q[k] * q[k];
    for (int k = 0; k < 4; ++k) q[k] /= sqrt(n);
    rotate_all(p, q, pos);
}

static void draw_orientation(const search_plan *p, search_random *r, double (*pos)[3])
{
    double q[4], half[2], axis[3];
    if (random_next(r) < 1.0 / 3) {
        const bool up = random_next(r) < 0.5;
        thinnest(p, (const double(*)[3])pos, axis);
        lay_flat(p, axis, up, pos);
        random_direction(r, 2, half);
        const double about_z[4] = {half[0], 0, 0, half[1]};
        rotate_all(p, about_z, pos);
        return;
    }
    random_direction(r, 4, q);
    rotate_all(p, q, pos);
}

static double lowest(const search_plan *p, const double (*pos)[3])
{
    double z = pos[0][2];
    for (int32_t i = 1; i < p->n_atoms; ++i) z = fmin(z, pos[i][2]);
    return z;
}

static void shift_all(const search_plan *p, double x, double y, double z, double (*pos)[3])
{
    for (int32_t i = 0; i < p->n_atoms; ++i) {
        pos[i][0] += x;
        pos[i][1] += y;
        pos[i][2] += z;
    }
}

static double draw_height(const search_setting *setting, search_random *r)
{
    const double u = random_next(r);
    return setting->height > 0 ? setting->height : CONTACT + CONTACT_RANGE * u;
}

/* Start k goes to the k-th place of a sequence that fills the cell evenly (R2 of Roberts, 2018), which begins
 * at a place drawn by the seed. */
static void draw_place(const search_plan *p, const search_setting *setting, int64_t k,
                       search_random *r, double (*pos)[3])
{
    static const double step[2] = {0.75487766624669276, 0.56984029099805327};
    const search_substrate *s = setting->substrate;
    search_random offset = random_begin(setting->seed, p->molecule, -1, 0);
    double f[2], at[2], centre[3];
    for (int x = 0; x < 2; ++x) {
        const double t = random_next(&offset) + (double)(k % 67108864) * step[x];
        f[x] = t - floor(t);
    }
    for (int x = 0; x < 2; ++x) at[x] = f[0] * s->cell[0][x] + f[1] * s->cell[1][x];
    search_substrate_fold(s, at);
    centre_of(p, (const double(*)[3])pos, centre);
    const double z = s->top + draw_height(setting, r) - lowest(p, (const double(*)[3])pos);
    shift_all(p, at[0] - centre[0], at[1] - centre[1], z, pos);
}

void search_start(const search_plan *plan, const search_setting *setting, int64_t k,
                  double (*pos)[3])
{
    for (int attempt = 0; attempt < TRIES; ++attempt) {
        search_random r = random_begin(setting->seed, plan->molecule, k, attempt);
        shape(plan, setting, k, attempt, &r, pos);
        if (attempt + 1 < TRIES && k > 0 && search_too_close(plan, (const double(*)[3])pos))
            continue;
        if (!plan->has_fixed) search_tremble(plan, &r, pos);
        if (!setting->substrate) return;
        draw_orientation(plan, &r, pos);
        draw_place(plan, setting, k, &r, pos);
        return;
    }
}

/* --- kicks ---------------------------------------------------------------------------------------- */

static void kick_joint(const search_plan *p, search_random *r, double (*pos)[3])
{
    const search_joints *j = &p->joints;
    const int32_t k = random_choose(r, j->n_rotors + j->n_corners + j->n_pyramids);
    if (k < j->n_rotors)
        draw_turn(&j->rotors[k], r, pos);
    else
        search_turn_over(j, k - j->n_rotors, pos);
}

/* Turns and moves the whole molecule on its substrate. */
static void kick_body(const search_plan *p, const search_setting *setting, search_random *r,
                      double (*pos)[3])
{
    const search_substrate *s = setting->substrate;
    double half[2];
    if (random_next(r) < 0.3) {
        draw_orientation(p, r, pos);
    } else {
        random_direction(r, 2, half);
        const double about_z[4] = {half[0], 0, 0, half[1]};
        rotate_all(p, about_z, pos);
    }
    const double a = random_next(r) - 0.5, b = random_next(r) - 0.5;
    const double z = s->top + draw_height(setting, r) - lowest(p, (const double(*)[3])pos);
    shift_all(p, a * s->cell[0][0] + b * s->cell[1][0], a * s->cell[0][1] + b * s->cell[1][1], z,
              pos);
}

static void kick_once(const search_plan *p, const search_setting *setting, search_random *r,
                      double (*pos)[3])
{
    const int32_t n_joints = p->joints.n_rotors + p->joints.n_corners + p->joints.n_pyramids;
    const bool body = setting->substrate && (n_joints == 0 || random_next(r) < 0.5);
    const int32_t times = 1 + random_choose(r, n_joints < 3 ? n_joints + 1 : 3);
    if (body)
        kick_body(p, setting, r, pos);
    else if (n_joints == 0 && !p->has_fixed)
        shake(p, SHAKE, r, pos);
    for (int32_t k = 0; k < times && !body && n_joints > 0; ++k) kick_joint(p, r, pos);
    if (!setting->substrate) return;
    const double below =
        setting->substrate->top + LEAST_HEIGHT - lowest(p, (const double(*)[3])pos);
    if (below > 0) shift_all(p, 0, 0, below, pos);
}

shoal_status search_kick(const search_plan *plan, const search_setting *setting, int64_t k,
                         int64_t kick, double (*pos)[3])
{
    const size_t n = (size_t)plan->n_atoms;
    double(*from)[3] = shoal_alloc(n, sizeof *from);
    if (!from) return SHOAL_E_MEMORY;
    memcpy(from, pos, n * sizeof *from);
    for (int attempt = 0; attempt < TRIES; ++attempt) {
        search_random r = random_begin(setting->seed, plan->molecule, k, kick * TRIES + attempt);
        memcpy(pos, from, n * sizeof *from);
        kick_once(plan, setting, &r, pos);
        if (!search_too_close(plan, (const double(*)[3])pos)) break;
    }
    free(from);
    return SHOAL_OK;
}
