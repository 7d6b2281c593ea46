/* SPDX-License-Identifier: BSD-3-Clause
 * Bonded terms of every kind on every schedule: a topology built by hand against numbers worked out
 * here and against ref, finite differences, net force and torque, fast paths against the plain one. */
#include "hand_fixture.h"

#include "constants.h"

typedef struct vec3 {
    double v[3];
} vec3;

static vec3 between(const double (*pos)[3], int32_t from, int32_t to)
{
    return (vec3){
        {pos[to][0] - pos[from][0], pos[to][1] - pos[from][1], pos[to][2] - pos[from][2]}};
}

static double dot(vec3 a, vec3 b)
{
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

static vec3 cross(vec3 a, vec3 b)
{
    return (vec3){{a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2],
                   a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}

static double distance(const double (*pos)[3], int32_t i, int32_t j)
{
    const vec3 d = between(pos, i, j);
    return sqrt(dot(d, d));
}

static double angle_of(const double (*pos)[3], int32_t i, int32_t j, int32_t k)
{
    return acos(dot(between(pos, j, i), between(pos, j, k)) / distance(pos, i, j) /
                distance(pos, j, k));
}

/* |phi|: torsions are even in it. */
static double torsion_of(const double (*pos)[3], const int32_t at[4])
{
    const vec3 b = between(pos, at[1], at[2]);
    const vec3 m = cross(between(pos, at[1], at[0]), b), n = cross(between(pos, at[2], at[3]), b);
    return acos(dot(m, n) / sqrt(dot(m, m) * dot(n, n)));
}

/* phi by its sign, that of IUPAC: positive where the last bond is turned clockwise, seen along the middle one. */
static double signed_torsion_of(const double (*pos)[3], const int32_t at[4])
{
    const vec3 turn = cross(between(pos, at[1], at[2]), between(pos, at[2], at[3]));
    const double phi = torsion_of(pos, at);
    return dot(between(pos, at[0], at[1]), turn) < 0 ? -phi : phi;
}

static double elevation_of(const double (*pos)[3], const int32_t at[4])
{
    const vec3 n = cross(between(pos, at[1], at[0]), between(pos, at[1], at[2]));
    const vec3 w = between(pos, at[1], at[3]);
    return asin(dot(n, w) / sqrt(dot(n, n) * dot(w, w)));
}

/* Energies of the bonded terms of the topology made by hand, eV. */
static void work_out_bonded(double e[4])
{
    const double(*r)[3] = hand_pos;
    memset(e, 0, 4 * sizeof *e);
    for (int k = 0; k < 6; ++k) {
        const double s = distance(r, hand_bonds[k][0], hand_bonds[k][1]) - hand_bond_r0(k);
        const double t = angle_of(r, hand_angles[k][0], hand_angles[k][1], hand_angles[k][2]);
        double sum = 0;
        for (int n = 0; n < 5; ++n) sum += hand_angle[n] * cos(n * t);
        e[0] += 0.5 * hand_bond_k(k) * s * s;
        e[1] += (2.0 + 0.1 * k) * sum;
    }
    for (int n = 1; n <= 6; ++n)
        for (int d = -1; d <= 1; d += 2) {
            const int32_t first[4] = {0, 1, 2, d > 0 ? 3 : 6}, second[4] = {5, 4, 3, 2};
            const int32_t third[4] = {6, 2, 1, 0};
            e[2] += 0.02 * n * (1 - d * cos(n * torsion_of(r, first)));
            e[2] += 0.03 * n * (1 - d * cos(n * torsion_of(r, second)));
            e[2] += 0.01 * n * (1 - d * cos(n * torsion_of(r, third)));
        }
    for (int t = 0; t < HAND_PERIODIC; ++t)
        e[2] += hand_periodic_k(t) *
                (1 + cos(t % 7 * signed_torsion_of(r, hand_periodic[t]) - hand_periodic_phase(t)));
    const int32_t inversions[4][4] = {{1, 2, 3, 6}, {3, 2, 6, 1}, {6, 2, 1, 3}, {6, 2, 1, 3}};
    for (int k = 0; k < 4; ++k) {
        const double w = elevation_of(r, inversions[k]), *c = hand_inversion;
        e[3] += (k < 3 ? 0.4 : 0.15) * (c[0] + c[1] * cos(w) + c[2] * cos(2 * w));
    }
}

static double lennard_jones(double x, double d, double r)
{
    return d * (pow(x / r, 12) - 2 * pow(x / r, 6));
}

static const shoal_special_pair *find_special(int32_t i, int32_t j)
{
    for (int k = 0; k < HAND_PAIRS; ++k)
        if ((hand_pairs[k].i == i && hand_pairs[k].j == j) ||
            (hand_pairs[k].i == j && hand_pairs[k].j == i))
            return &hand_pairs[k];
    return NULL;
}

static bool is_bonded(int32_t i, int32_t j)
{
    for (int k = 0; k < 6; ++k) {
        const int32_t *b = hand_bonds[k], *a = hand_angles[k];
        if ((b[0] == i && b[1] == j) || (b[0] == j && b[1] == i)) return true;
        if ((a[0] == i && a[2] == j) || (a[0] == j && a[2] == i)) return true;
    }
    return i + j == 5 && i * j == 0; /* excluded by name */
}

/* vdW and Coulomb energies of the isolated molecule; special: those of special pairs alone. */
static void work_out_pairs(bool special, double e[2])
{
    e[0] = e[1] = 0;
    for (int32_t i = 0; i < HAND_ATOMS; ++i)
        for (int32_t j = 0; j < i; ++j) {
            const shoal_special_pair *p = find_special(i, j);
            const double r = distance(hand_pos, i, j), d = sqrt(hand_d[i] * hand_d[j]);
            const double x = sqrt(hand_x[i] * hand_x[j]);
            const double kqq = COULOMB_CONSTANT * hand_q[i] * hand_q[j];
            if (p) {
                e[0] += p->vdw_scale * lennard_jones(p->x > 0 ? p->x : x, p->x > 0 ? p->d : d, r);
                e[1] += p->coulomb_scale * kqq / r;
            } else if (!special && !is_bonded(i, j)) {
                e[0] += lennard_jones(x, d, r);
                e[1] += kqq / r;
            }
        }
}

/* Isolated with special pairs, periodic with and without them: small and large systems. */
static void test_by_hand(const char *device, shoal_precision precision, bool plain)
{
    static set s;
    outcome got[3];
    double bonded[4], pairs[2], special[2];
    const double near = precision == SHOAL_PRECISION_DOUBLE ? 1e-11 : 1e-5;
    run_options o = {.engine = {.device = device, .precision = precision, .plain_terms = plain}};
    s.n = 0;
    (void)hand_add(&s, false, true);
    (void)hand_add(&s, true, true);
    (void)hand_add(&s, true, false);
    run_set(&s, NULL, 3, &o, got);
    work_out_bonded(bonded);
    work_out_pairs(false, pairs);
    work_out_pairs(true, special);
    for (int k = 0; k < 3; ++k) {
        CHECK(got[k].r.status == SHOAL_SYSTEM_OK && got[k].r.n_terms == SHOAL_TERM_SIGMA_PI);
        for (int t = 0; t < 4; ++t)
            CHECK_NEAR(got[k].r.terms[SHOAL_TERM_BOND + t], bonded[t], near);
    }
    CHECK_NEAR(got[0].r.terms[SHOAL_TERM_VDW], pairs[0], near);
    CHECK_NEAR(got[1].r.terms[SHOAL_TERM_VDW], pairs[0], near); /* images are out of reach */
    CHECK_NEAR(got[0].r.terms[SHOAL_TERM_COULOMB], pairs[1], near);
    /* The Ewald sum leaves the named images of special pairs out; they come back scaled. */
    CHECK_NEAR(got[1].r.terms[SHOAL_TERM_COULOMB] - got[2].r.terms[SHOAL_TERM_COULOMB], special[1],
               2 * near);
    CHECK_NEAR(got[1].r.terms[SHOAL_TERM_VDW] - got[2].r.terms[SHOAL_TERM_VDW], special[0], near);
    outcomes_free(got, 3);
    set_free(&s);
}

/* Forces of a device against ref: relative to the largest. */
static void test_against_ref(const char *device, shoal_precision precision, bool plain)
{
    static set s;
    outcome want[2], got[2];
    const double most = precision == SHOAL_PRECISION_DOUBLE ? 1e-10 : 2e-5;
    run_options o = {.engine = {.device = "ref", .coulomb_damping = 0.3}};
    o.engine.mixing = SHOAL_MIXING_ARITHMETIC;
    s.n = 0;
    (void)hand_add(&s, false, true);
    (void)hand_add(&s, true, true);
    run_set(&s, NULL, 2, &o, want);
    o.engine.device = device;
    o.engine.precision = precision;
    o.engine.plain_terms = plain;
    run_set(&s, NULL, 2, &o, got);
    for (int k = 0; k < 2; ++k) {
        double worst = 0;
        for (int32_t i = 0; i < HAND_ATOMS; ++i)
            for (int c = 0; c < 3; ++c)
                worst = fmax(worst, fabs(got[k].forces[i][c] - want[k].forces[i][c]));
        CHECK(worst <= most * want[k].r.fmax);
        CHECK_NEAR(got[k].r.energy, want[k].r.energy, 20 * most);
    }
    outcomes_free(want, 2);
    outcomes_free(got, 2);
    set_free(&s);
}

/* --- one term at a time ------------------------------------------------------------------------ */

enum { LONE_ATOMS = 4, LONE_DIRECTIONS = 2, LONE_MOVED = (LONE_ATOMS + LONE_DIRECTIONS) * 3 * 2 };

/* Parameters that make every coefficient matter. */
static void lone_parameters(int kind, int variant, double p[SHOAL_TERM_PARAMETERS])
{
    for (int k = 0; k < SHOAL_TERM_PARAMETERS; ++k) p[k] = 0.9 + 0.35 * k;
    p[SHOAL_TORSION_D] = kind != SHOAL_KIND_TORSION ? 1.25 : variant % 2 ? 1 : -1;
    if (kind == SHOAL_KIND_TORSION) p[SHOAL_TORSION_N] = 1 + variant / 2;
    if (kind == SHOAL_KIND_ANGLE) p[SHOAL_ANGLE_GUARD_FROM] = variant < 2 ? 0.4 : 0.98;
    if (kind == SHOAL_KIND_GUARD) p[SHOAL_GUARD_FROM] = variant < 2 ? 0.4 : -0.5;
    if (kind == SHOAL_KIND_PAIR_FORM) p[SHOAL_FORM_FAMILY] = variant % 5;
    if (kind == SHOAL_KIND_RANGE) p[SHOAL_RANGE_LOWER] = variant < 2 ? 0 : 3;
    if (kind == SHOAL_KIND_RANGE) p[SHOAL_RANGE_UPPER] = variant < 2 ? 0.7 : 0;
    if (kind == SHOAL_KIND_SIGMA_PI) p[SHOAL_SIGMA_C0] = variant < 2 ? 0 : -0.3;
    if (kind == SHOAL_KIND_VOLUME) {
        p[SHOAL_VOLUME_LOW] = variant < 2 ? -1 : 3;
        p[SHOAL_VOLUME_HIGH] = variant < 2 ? 0.4 : 4;
    }
    if (kind == SHOAL_KIND_BEND) p[SHOAL_BEND_C] = variant < 2 ? -0.4 : 0;
    if (kind == SHOAL_KIND_PAIR_BUFFERED) p[SHOAL_BUFFERED_N] = 1 + variant % 2;
    if (kind == SHOAL_KIND_PERIODIC) p[SHOAL_PERIODIC_N] = 1 + 5 * variant / 3;
    if (kind == SHOAL_KIND_PI_PI) p[SHOAL_PI_SOFT] = variant < 2 ? 0 : 0.3;
}

/* Directions at the first two atoms, and a term of the first atoms and directions. */
static void lone_add_term(shoal_topology_builder *b, int kind, const shoal_term_kind *info,
                          const double *p)
{
    int32_t atoms[SHOAL_TERM_ATOMS], directions[LONE_DIRECTIONS], n_atoms = 0, n_directions = 0;
    for (int32_t k = 0; k < LONE_DIRECTIONS && info->directions; ++k)
        CHECK(shoal_topology_add_direction(b, k, 1, &directions[k]) == SHOAL_OK);
    for (int k = 0; k < info->n_atoms; ++k)
        atoms[k] = info->directions >> k & 1u ? directions[n_directions++] : n_atoms++;
    CHECK(shoal_topology_add_term(b, kind, atoms, NULL, p) == SHOAL_OK);
}

static shoal_topology *lone_term(int kind, int variant, bool periodic)
{
    static const int32_t elements[LONE_ATOMS] = {6, 6, 6, 6};
    shoal_topology_builder *b = NULL;
    shoal_topology *out = NULL;
    shoal_term_kind info;
    double p[SHOAL_TERM_PARAMETERS];
    lone_parameters(kind, variant, p);
    CHECK(shoal_term_kind_get(kind, &info));
    CHECK(shoal_topology_begin(&b, LONE_ATOMS, elements) == SHOAL_OK);
    CHECK(shoal_topology_set_periodic(b, (const bool[3]){periodic, periodic, periodic}) ==
          SHOAL_OK);
    for (int32_t i = 0; i < LONE_ATOMS; ++i)
        CHECK(shoal_topology_set_atom(
                  b, i, &(shoal_atom_parameters){3.2, 0, 0.2 - 0.1 * i, 0, NULL}) == SHOAL_OK);
    for (int32_t i = 0; i < LONE_ATOMS; ++i)
        for (int32_t j = 0; j < i; ++j)
            if (i > 1 || info.term == SHOAL_TERM_BOND)
                CHECK(shoal_topology_exclude(b, i, j, NULL) == SHOAL_OK);
    const shoal_special_pair pair = {.i = 0,
                                     .j = 1,
                                     .vdw_scale = kind == SHOAL_KIND_PAIR_VDW ? 0.6 : 0,
                                     .coulomb_scale = kind == SHOAL_KIND_PAIR_COULOMB ? 0.6 : 0,
                                     .x = 1.9,
                                     .d = 0.2};
    if (kind == SHOAL_KIND_PAIR_VDW || kind == SHOAL_KIND_PAIR_COULOMB)
        CHECK(shoal_topology_add_pair(b, &pair) == SHOAL_OK);
    else
        lone_add_term(b, kind, &info, p);
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_NAMED, &out) == SHOAL_OK);
    return out;
}

static void normalise(double a[3])
{
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int c = 0; c < 3; ++c) a[c] /= length;
}

/* One term at a bent geometry (tight: at a small angle) and with every coordinate moved both ways; directions stay unit
 * vectors. */
static void add_moved(set *s, shoal_topology *topology, bool periodic, bool tight, double h)
{
    static const double beside[3] = {1.0, 0.7, -0.2}; /* atom 2, 48 degrees away */
    static const double pos[LONE_ATOMS + LONE_DIRECTIONS][3] = {
        {0.1, 1.1, -0.2}, {0.0, 0.0, 0.1},  {1.35, -0.2, 0.3},
        {1.8, 0.7, 1.15}, {0.4, -0.3, 0.8}, {-0.2, -0.5, -0.9}};
    shoal_topology_view v;
    shoal_topology_get(topology, &v);
    for (int m = -1; m < (LONE_ATOMS + v.n_directions) * 6; ++m) {
        set_system *sys = &s->systems[s->n++];
        memset(sys, 0, sizeof *sys);
        sys->topology = shoal_topology_retain(topology);
        sys->n_atoms = LONE_ATOMS;
        sys->n_auxiliary = v.n_directions;
        sys->pos = malloc(sizeof pos);
        memcpy(sys->pos, pos, sizeof pos);
        if (tight) memcpy(sys->pos[0], beside, sizeof beside);
        for (int k = 0; k < LONE_DIRECTIONS; ++k) normalise(sys->pos[LONE_ATOMS + k]);
        if (m >= 0) sys->pos[m / 6][m / 2 % 3] += m % 2 ? h : -h;
        for (int k = 0; k < LONE_DIRECTIONS; ++k) normalise(sys->pos[LONE_ATOMS + k]);
        for (int k = 0; k < 3 && periodic; ++k) sys->cell[k][k] = 40;
    }
}

/* No net force on the atoms and no net torque on all. */
static void check_balance(const set_system *sys, const outcome *o, double size)
{
    double net[3] = {0}, torque[3] = {0};
    for (int32_t i = 0; i < sys->n_atoms + sys->n_auxiliary; ++i)
        for (int c = 0; c < 3; ++c) {
            const int a = (c + 1) % 3, b = (c + 2) % 3;
            if (i < sys->n_atoms) net[c] += o->forces[i][c];
            torque[c] += sys->pos[i][a] * o->forces[i][b] - sys->pos[i][b] * o->forces[i][a];
        }
    for (int c = 0; c < 3; ++c) {
        CHECK_NEAR(net[c] / size, 0, 1e-12);
        CHECK_NEAR(torque[c] / size, 0, 1e-11);
    }
}

/* Against ref, against differences, without net force or torque. A new kind is tested here without a
 * further line. */
static void check_lone(const char *device, int kind, int variant, bool periodic)
{
    static set s;
    static outcome out[LONE_MOVED + 1];
    outcome want;
    const double h = 1e-4;
    shoal_term_kind info;
    CHECK(shoal_term_kind_get(kind, &info));
    shoal_topology *topology = lone_term(kind, variant, periodic);
    run_options o = {.engine = {.device = device,
                                .precision = SHOAL_PRECISION_DOUBLE,
                                .plain_terms = variant % 3 == 0,
                                .terms_off = ~(1u << info.term)}};
    s.n = 0;
    /* Charges of a periodic system bring images along; ref and the tests above look at those. */
    if (info.term == SHOAL_TERM_COULOMB && periodic) {
        shoal_topology_destroy(topology);
        return;
    }
    add_moved(&s, topology, periodic, kind == SHOAL_KIND_ANGLE || kind == SHOAL_KIND_GUARD, h);
    run_set(&s, NULL, s.n, &o, out);
    const double size = fmax(out[0].r.fmax, 1e-3);
    o.engine.device = "ref";
    run_set(&s, NULL, 1, &o, &want);
    CHECK_NEAR(out[0].r.energy, want.r.energy, 1e-12 * (1 + fabs(want.r.energy)));
    for (int32_t i = 0; i < LONE_ATOMS + s.systems[0].n_auxiliary; ++i)
        for (int c = 0; c < 3; ++c)
            CHECK_NEAR(out[0].forces[i][c] / size, want.forces[i][c] / size, 1e-10);
    outcomes_free(&want, 1);
    CHECK(out[0].r.fmax > 1e-3 && out[0].r.terms[info.term] != 0);
    for (int m = 0; m + 1 < s.n; m += 2) {
        const double slope = (out[m + 2].r.energy - out[m + 1].r.energy) / (2 * h);
        CHECK_NEAR(out[0].forces[m / 6][m / 2 % 3] / size, -slope / size, 2e-6);
    }
    check_balance(&s.systems[0], &out[0], size);
    outcomes_free(out, s.n);
    set_free(&s);
    shoal_topology_destroy(topology);
}

static void test_lone(const char *device)
{
    for (int kind = 0; kind < shoal_term_kind_count(); ++kind)
        for (int variant = 0; variant < (kind == SHOAL_KIND_TORSION ? 12 : 4); ++variant)
            check_lone(device, kind, variant, variant % 2);
}

/* --- fast paths --------------------------------------------------------------------------------- */

/* What shares work among terms against every term by itself, for molecules of all sorts. */
static void test_fused(const char *device, shoal_precision precision)
{
    static set s;
    static outcome fused[SET_SYSTEMS], plain[SET_SYSTEMS];
    const double most = precision == SHOAL_PRECISION_DOUBLE ? 1e-11 : 5e-5;
    run_options o = {.engine = {.device = device, .precision = precision}};
    int32_t n_moved = 0;
    s.n = 0;
    set_read(&s, "types.sdf", 60);
    (void)hand_add(&s, false, true);
    run_set(&s, NULL, s.n, &o, fused);
    o.engine.plain_terms = true;
    run_set(&s, NULL, s.n, &o, plain);
    for (int32_t k = 0; k < s.n; ++k) {
        double worst = 0;
        for (int32_t i = 0; i < s.systems[k].n_atoms; ++i)
            for (int c = 0; c < 3; ++c)
                worst = fmax(worst, fabs(fused[k].forces[i][c] - plain[k].forces[i][c]));
        n_moved += worst > 0;
        CHECK(worst <= most * fmax(plain[k].r.fmax, 1));
        for (int t = 0; t < plain[k].r.n_terms; ++t)
            CHECK_NEAR(fused[k].r.terms[t], plain[k].r.terms[t],
                       most * (1 + fabs(plain[k].r.terms[t])));
    }
    CHECK(n_moved > 0); /* the two are not one and the same code */
    outcomes_free(fused, s.n);
    outcomes_free(plain, s.n);
    set_free(&s);
}

/* --- rows of explain ---------------------------------------------------------------------------- */

static void add_row(void *user, const shoal_term_row *row)
{
    ((double *)user)[row->term] += row->energy;
}

static void test_explain(void)
{
    double rows[SHOAL_N_TERMS] = {0};
    shoal_topology *t = hand_topology(false, true);
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result r;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    CHECK(shoal_batch_add(batch, &(shoal_system){.topology = t, .pos = hand_pos}) == SHOAL_OK);
    CHECK(shoal_engine_create(&engine, batch, NULL) == SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    CHECK(shoal_engine_explain(engine, 0, add_row, rows) == SHOAL_OK);
    for (int k = 0; k < r.n_terms; ++k) CHECK_NEAR(rows[k], r.terms[k], 1e-12);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(t);
}

int main(void)
{
    const char *device = getenv("SHOAL_TEST_DEVICE");
    if (!device) device = "opencl:cpu";
    const char *const devices[2] = {"cpu", device};
    test_by_hand("ref", SHOAL_PRECISION_DOUBLE, false);
    test_lone("ref");
    test_explain();
    const bool has_device = shoal_device_check(device) == SHOAL_OK;
    CHECK(has_device || !getenv("CI"));
    if (!has_device) (void)printf("%s left out: %s\n", device, shoal_error_text());
    for (int d = 0; d < (has_device ? 2 : 1); ++d) {
        for (int k = 0; k < 4; ++k) {
            const shoal_precision p = k % 2 ? SHOAL_PRECISION_FLOAT : SHOAL_PRECISION_DOUBLE;
            test_by_hand(devices[d], p, k / 2);
            test_against_ref(devices[d], p, k / 2);
        }
        test_lone(devices[d]);
        test_fused(devices[d], SHOAL_PRECISION_DOUBLE);
        test_fused(devices[d], SHOAL_PRECISION_FLOAT);
    }
    return check_done();
}
