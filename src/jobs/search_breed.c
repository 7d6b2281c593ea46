/* SPDX-License-Identifier: BSD-3-Clause
 * Starts by preferred torsions and by embedding, crossings and kicks. */
#include "jobs/search_breed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "jobs/search_kin.h"
#include "shoal/md.h"

#include "constants.h"

#define TRIES 12      /* of a child whose atoms are too close */
#define EMBED_TRIES 5 /* of an embedded start */
#define USUAL 0.85    /* share of torsions that are near a preferred one */
#define ASIDE 0.36    /* tangent of 20 degrees: torsions are drawn so near to a preferred one */
#define LIKE 0.866    /* cosine of 30 degrees: torsions so near are one */
#define FLAP 0.9      /* tangent of the angle at which a corner leaves its ring */

#define NEIGHBOURS 3 /* of four in the second half of an island: neighbours of the lowest */

#define HOT 850       /* K: dynamics of a parent, .. */
#define HOT_RANGE 400 /* .. up to so much hotter .. */
#define HOT_STEPS 600 /* .. of 1 fs */

/* --- torsions ------------------------------------------------------------------------------------- */

static void set_torsion(const search_rotor *rotor, const double to[2], double (*pos)[3])
{
    double at[2];
    if (!search_torsion(rotor, (const double(*)[3])pos, at)) return;
    search_turn(rotor, to[0] * at[0] + to[1] * at[1], to[1] * at[0] - to[0] * at[1], pos);
}

/* The k-th preferred torsion of a rotor. */
static const double *preferred(const search_rotor *rotor, int32_t k)
{
    static const double six[6][2] = {
        {1, 0},  {0.5, 0.86602540378443865},   {-0.5, 0.86602540378443865},
        {-1, 0}, {-0.5, -0.86602540378443865}, {0.5, -0.86602540378443865}};
    return rotor->fold == 6   ? six[k % 6]
           : rotor->fold == 3 ? six[2 * (k % 3) + 1]
                              : six[3 * (k % 2)];
}

static void put_aside(const double from[2], double tangent, double out[2])
{
    const double c = 1 / sqrt(1 + tangent * tangent), s = tangent * c;
    out[0] = from[0] * c - from[1] * s;
    out[1] = from[0] * s + from[1] * c;
}

/* Near a preferred torsion, or seldom at any angle. Amides and esters seldom turn over. */
static void draw_torsion(const search_rotor *rotor, search_random *r, double (*pos)[3])
{
    double to[2];
    const double any = random_next(r);
    const double aside = ASIDE * (2 * random_next(r) - 1);
    if (rotor->kept) {
        put_aside(any < 0.85 ? (const double[2]){1, 0} : (const double[2]){-1, 0}, aside, to);
        search_turn(rotor, to[0], to[1], pos);
        return;
    }
    if (any < USUAL)
        put_aside(preferred(rotor, random_choose(r, rotor->fold)), aside, to);
    else
        random_direction(r, 2, to);
    set_torsion(rotor, to, pos);
}

/* --- starts --------------------------------------------------------------------------------------- */

static void draw_parts(const search_plan *p, search_random *r, double (*pos)[3])
{
    for (int32_t k = 1; k < p->kin->n_parts; ++k) search_draw_part(p, k, k, r, pos);
}

static void draw_joints(const search_plan *p, bool rings, search_random *r, double (*pos)[3])
{
    const search_joints *j = &p->joints;
    for (int32_t k = 0; k < j->n_corners && rings; ++k)
        if (random_next(r) < 0.5)
            search_flap(&j->corners[k], 1.3 * FLAP * (2 * random_next(r) - 1), pos);
    for (int32_t k = 0; k < j->n_pyramids; ++k)
        if (random_next(r) < 0.5) search_invert(&j->pyramids[k], pos);
    for (int32_t k = 0; k < j->n_rotors; ++k) draw_torsion(&j->rotors[k], r, pos);
}

/* Combination k of all joints. */
static void set_joints(const search_plan *p, int64_t k, double aside, search_random *r,
                       double (*pos)[3])
{
    const search_joints *j = &p->joints;
    int64_t code = search_turn_combination(j, k * p->kin->stride % p->kin->n_systematic, pos);
    for (int32_t c = 0; c < j->n_rotors; ++c) {
        const search_rotor *rotor = &j->rotors[c];
        const int n = search_combinations(rotor);
        double to[2];
        put_aside(preferred(rotor, (int32_t)(code % n)), aside * (2 * random_next(r) - 1), to);
        if (!rotor->kept) set_torsion(rotor, to, pos);
        code /= n;
    }
}

/* Like end atoms change places where a centre came out as its mirror image. */
static void straighten(const search_plan *p, double (*pos)[3])
{
    const search_configuration *c = &p->configuration;
    for (int32_t k = 0; k < c->n_centres; ++k) {
        const int32_t *like = p->kin->like[k];
        if (like[0] < 0 || c->hand[k] * search_volume(c->partners[k], (const double(*)[3])pos) >= 0)
            continue;
        double kept[3];
        memcpy(kept, pos[like[0]], sizeof kept);
        memcpy(pos[like[0]], pos[like[1]], sizeof kept);
        memcpy(pos[like[1]], kept, sizeof kept);
    }
}

/* A geometry by the bonds alone; false where none is found. */
static shoal_status embed_start(const search_plan *p, const search_setting *setting, int64_t k,
                                double (*pos)[3], bool *found)
{
    const shoal_engine_options engine = {.device = "cpu", .n_threads = 1};
    const embed_options options = {
        .seed = (uint64_t)setting->seed, .most_tries = EMBED_TRIES, .engine = &engine};
    embed_place place = {.problem = p->kin->problem, .conformer = k, .pos = pos};
    SHOAL_TRY(embed_run(&place, 1, &options));
    straighten(p, pos);
    *found = place.found && search_configuration_holds(&p->configuration, (const double(*)[3])pos);
    return SHOAL_OK;
}

/* How many starts in a hundred are embedded. */
static int32_t embedded_share(const search_plan *p)
{
    if (!p->kin->problem) return 0;
    return p->joints.n_rings > 0 || p->joints.stiff_rings ? 70 : 30;
}

static shoal_status draw_start(const search_plan *p, const search_setting *setting, int64_t k,
                               int64_t number, double (*pos)[3])
{
    const search_kin *kin = p->kin;
    const size_t size = (size_t)p->n_atoms * sizeof *pos;
    search_random r = random_begin(setting->seed, p->molecule, k, -2);
    bool embedded = false;
    memcpy(pos, p->pos, size);
    if (number == 0) return SHOAL_OK;
    const bool combined = number < kin->n_systematic;
    if (!combined && random_next(&r) * 100 < embedded_share(p))
        SHOAL_TRY(embed_start(p, setting, k, pos, &embedded));
    double(*from)[3] = shoal_alloc((size_t)p->n_atoms, sizeof *from);
    if (!from) return SHOAL_E_MEMORY;
    memcpy(from, embedded ? (const double(*)[3])pos : (const double(*)[3])p->pos, size);
    for (int attempt = 0; attempt < TRIES; ++attempt) {
        r = random_begin(setting->seed, p->molecule, k, attempt);
        memcpy(pos, from, size);
        if (combined && attempt < TRIES / 2)
            set_joints(p, number, 0.1 * attempt, &r, pos);
        else
            draw_joints(p, !embedded, &r, pos);
        draw_parts(p, &r, pos);
        if (!search_too_close(p, (const double(*)[3])pos)) break;
    }
    free(from);
    return SHOAL_OK;
}

/* --- children ------------------------------------------------------------------------------------- */

/* Turns a part of a ring between two pivots by chance. */
static void draw_crank(const search_ring *ring, search_random *r, double (*pos)[3])
{
    for (int attempt = 0; attempt < 2 * TRIES; ++attempt) {
        const int32_t first = random_choose(r, ring->n), n = 1 + random_choose(r, ring->n - 3);
        double to[2];
        random_direction(r, 2, to);
        bool free_to = ring->pivot[first] && ring->pivot[(first + n + 1) % ring->n];
        for (int32_t k = 1; k <= n && free_to; ++k) free_to = ring->inner[(first + k) % ring->n];
        if (!free_to || to[0] > 0.94) continue;
        if (search_crank(ring, first, n, to[0], to[1], pos)) return;
    }
}

static void kick_joint(const search_plan *p, search_random *r, double (*pos)[3])
{
    const search_joints *j = &p->joints;
    int32_t n = j->n_rotors + j->n_corners + j->n_pyramids;
    int32_t n_cranks = 0, n_bodies = p->kin->n_parts > 1 ? 2 * p->kin->n_parts : 0;
    for (int32_t k = 0; k < j->n_rings; ++k) n_cranks += j->rings[k].n_pivots;
    int32_t k = random_choose(r, n + n_cranks + n_bodies);
    if (n + n_cranks + n_bodies == 0) return;
    if (k >= n + n_cranks) {
        search_draw_part(p, (k - n - n_cranks) / 2, p->kin->n_parts, r, pos);
        return;
    }
    if (k >= n) {
        k -= n;
        for (int32_t i = 0; i < j->n_rings; k -= j->rings[i++].n_pivots) {
            if (k >= j->rings[i].n_pivots) continue;
            draw_crank(&j->rings[i], r, pos);
            return;
        }
        return;
    }
    if (k < j->n_rotors)
        draw_torsion(&j->rotors[k], r, pos);
    else
        search_turn_over(j, k - j->n_rotors, pos);
}

/* The joints of a child that are those of the other parent: each by chance, or a row of them. */
static bool is_of_other(bool row, int32_t from, int32_t to, int32_t k, search_random *r)
{
    return row ? k >= from && k < to : random_next(r) < 0.5;
}

/* Gives joints of another geometry to pos; how many were different there. */
static int32_t cross(const search_plan *p, const double (*other)[3], search_random *r,
                     double (*pos)[3])
{
    const search_joints *j = &p->joints;
    const int32_t n = j->n_rotors + j->n_corners;
    const bool row = random_next(r) < 0.5;
    const int32_t a = random_choose(r, n + 1), b = random_choose(r, n + 1);
    int32_t changed = 0;
    for (int32_t k = 0; k < n; ++k) {
        double to[2], at[2];
        if (!is_of_other(row, a < b ? a : b, a < b ? b : a, k, r)) continue;
        if (k >= j->n_rotors) {
            const search_corner *c = &j->corners[k - j->n_rotors];
            const double mine = search_tangent(c, (const double(*)[3])pos),
                         theirs = search_tangent(c, other);
            changed += mine * theirs < 0;
            search_flap(c, theirs, pos);
            continue;
        }
        if (!search_torsion(&j->rotors[k], other, to) ||
            !search_torsion(&j->rotors[k], (const double(*)[3])pos, at))
            continue;
        changed += to[0] * at[0] + to[1] * at[1] < 0.87;
        set_torsion(&j->rotors[k], to, pos);
    }
    return changed;
}

/* One of the low minima, the lower the more often. */
static int32_t choose_parent(const search_parents *parents, search_random *r)
{
    const double u = random_next(r);
    return (int32_t)(u * u * parents->n) % parents->n;
}

static void make_child(const search_plan *p, const search_parents *parents, bool crossed,
                       search_random *r, double (*pos)[3])
{
    const int32_t a = choose_parent(parents, r);
    const int32_t b = (a + 1 + random_choose(r, parents->n - 1)) % parents->n;
    memcpy(pos, parents->pos[a], (size_t)p->n_atoms * sizeof *pos);
    if (crossed && cross(p, parents->pos[b], r, pos) > 0 && random_next(r) < 0.7) return;
    const int32_t times = crossed ? 1 : 1 + random_choose(r, 3);
    for (int32_t k = 0; k < times; ++k) kick_joint(p, r, pos);
}

/* Whether all joints are, within 30 degrees, as in a geometry that is known: its relaxation would most often lead there
 * again. */
static bool is_like(const search_plan *p, const double (*a)[3], const double (*b)[3])
{
    const search_joints *j = &p->joints;
    for (int32_t k = 0; k < j->n_rotors; ++k) {
        double x[2], y[2];
        if (!search_torsion(&j->rotors[k], a, x) || !search_torsion(&j->rotors[k], b, y)) continue;
        if (x[0] * y[0] + x[1] * y[1] < LIKE) return false;
    }
    for (int32_t k = 0; k < j->n_corners; ++k)
        if (search_tangent(&j->corners[k], a) * search_tangent(&j->corners[k], b) < 0) return false;
    return true;
}

static bool is_known(const search_plan *p, const search_parents *parents, const double (*pos)[3])
{
    if (p->joints.n_rings > 0 || p->kin->n_parts > 1 ||
        p->joints.n_pyramids + p->joints.n_rotors == 0)
        return false;
    for (int32_t k = 0; k < parents->n_known; ++k)
        if (is_like(p, pos, parents->known[k])) return true;
    return false;
}

/* A parent after short dynamics at high temperature: rings change there as a whole. */
static shoal_status heat(const search_plan *p, const search_setting *setting, int64_t k,
                         const search_parents *parents, double (*pos)[3])
{
    shoal_batch *batch;
    shoal_engine *engine = NULL;
    search_random r = random_begin(setting->seed, p->molecule, k, -4);
    const double temperature = HOT + HOT_RANGE * random_next(&r);
    const shoal_md_system keyed = {.key = k};
    const shoal_md_options md = {.n_steps = HOT_STEPS,
                                 .dt = 1,
                                 .thermostat = SHOAL_THERMOSTAT_LANGEVIN,
                                 .temperatures = &temperature,
                                 .n_temperatures = 1,
                                 .seed = (uint64_t)setting->seed,
                                 .systems = &keyed};
    const shoal_engine_options options = {.device = "cpu", .n_threads = 1};
    const shoal_system system = {.topology = parents->topology,
                                 .pos = parents->pos[choose_parent(parents, &r)]};
    memcpy(pos, system.pos, (size_t)p->n_atoms * sizeof *pos);
    SHOAL_TRY(shoal_batch_create(&batch));
    shoal_status status = shoal_batch_add(batch, &system);
    if (status == SHOAL_OK) status = shoal_engine_create(&engine, batch, &options);
    if (status == SHOAL_OK) status = shoal_engine_md(engine, &md, NULL, NULL);
    if (status == SHOAL_OK)
        memcpy(pos, shoal_engine_positions(engine, 0), (size_t)p->n_atoms * sizeof *pos);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return status;
}

/* --- neighbours of the lowest ---------------------------------------------------------------------- */

static bool has_large_rings(const search_plan *p)
{
    return p->joints.n_rings > 0 || p->joints.stiff_rings;
}

static int32_t count_turns(const search_rotor *rotor)
{
    return rotor->kept ? 1 : rotor->fold - 1;
}

static int32_t count_neighbours(const search_plan *p)
{
    const search_joints *j = &p->joints;
    int32_t n = j->n_corners + j->n_pyramids;
    for (int32_t k = 0; k < j->n_rotors; ++k) n += count_turns(&j->rotors[k]);
    return n;
}

/* Neighbour k of a geometry: a rotor turns by steps of its fold, or a corner or a pyramid turns over. */
static void step_aside(const search_plan *p, int32_t k, double (*pos)[3])
{
    const search_joints *j = &p->joints;
    for (int32_t i = 0; i < j->n_rotors; k -= count_turns(&j->rotors[i++])) {
        const search_rotor *rotor = &j->rotors[i];
        if (k >= count_turns(rotor)) continue;
        const double angle = 2 * PI * (k + 1) / (count_turns(rotor) + 1);
        search_turn(rotor, cos(angle), sin(angle), pos);
        return;
    }
    if (k < j->n_corners)
        search_flap_over(&j->corners[k], pos);
    else
        search_invert(&j->pyramids[k - j->n_corners], pos);
}

/* One joint of the lowest minimum changes: in the second half of an island all of them by turns, because the lowest is
 * often missed by a single one; after a whole round sometimes two. False where none is to be tried, or all are known. */
static bool make_neighbour(const search_plan *p, const search_setting *setting, int64_t k,
                           const search_parents *parents, double (*pos)[3])
{
    const int64_t at = k % p->kin->island - p->kin->island / 2, turn = at % (NEIGHBOURS + 1);
    const int32_t n = count_neighbours(p);
    if (parents->n < 1 || n == 0 || has_large_rings(p) || p->kin->n_parts > 1) return false;
    if (at < 0 || turn == NEIGHBOURS) return false;
    const int64_t first = at / (NEIGHBOURS + 1) * NEIGHBOURS + turn;
    int64_t stride = (int64_t)(0.61803398874989485 * n) | 1;
    while (search_common_divisor(n, stride) != 1) stride += 2;
    for (int64_t i = 0; i < n; ++i) {
        const int32_t chosen = (int32_t)((first + i) * stride % n);
        const bool pyramid = chosen >= n - p->joints.n_pyramids; /* which is_known does not see */
        memcpy(pos, parents->pos[0], (size_t)p->n_atoms * sizeof *pos);
        step_aside(p, chosen, pos);
        if (first >= n && turn == 0) {
            search_random r = random_begin(setting->seed, p->molecule, k, i);
            step_aside(p, random_choose(&r, n), pos);
        }
        if (search_too_close(p, (const double(*)[3])pos)) continue;
        if (pyramid || !is_known(p, parents, (const double(*)[3])pos)) return true;
    }
    return false;
}

/* --- the schedule --------------------------------------------------------------------------------- */

/* Shares of what follows the starts, in percent: crossings, starts, and dynamics; the others are kicks. */
static void shares(const search_plan *p, int32_t out[3])
{
    const search_joints *j = &p->joints;
    const bool large = has_large_rings(p);
    out[0] = j->n_rotors + j->n_corners < 2 ? 0 : large ? 3 : 75;
    out[1] = large ? 8 : 3;
    out[2] = large ? 50 : 10;
}

shoal_status search_breed(const search_plan *plan, const search_setting *setting, int64_t k,
                          int64_t number, const search_parents *parents, double (*pos)[3])
{
    int32_t share[3];
    search_random r = random_begin(setting->seed, plan->molecule, k, -1);
    const double u = 100 * random_next(&r);
    shares(plan, share);
    shoal_status status = SHOAL_OK;
    if (make_neighbour(plan, setting, k, parents, pos))
        status = SHOAL_OK;
    else if (parents->n < 2 || u < share[1])
        status = draw_start(plan, setting, k, number, pos);
    else if (u >= 100 - share[2] && parents->topology && !plan->has_fixed)
        status = heat(plan, setting, k, parents, pos);
    else
        for (int attempt = 0; attempt < TRIES; ++attempt) {
            r = random_begin(setting->seed, plan->molecule, k, attempt);
            make_child(plan, parents, u < share[0] + share[1], &r, pos);
            if (!search_too_close(plan, (const double(*)[3])pos) &&
                (attempt >= TRIES / 2 || !is_known(plan, parents, (const double(*)[3])pos)))
                break;
        }
    r = random_begin(setting->seed, plan->molecule, k, -3);
    if (!plan->has_fixed) search_tremble(plan, &r, pos);
    return status;
}
