/* SPDX-License-Identifier: BSD-3-Clause
 * Problems made of molecules, and tries until every conformer is found or given up. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "embed/embed.h"

#include "constants.h"
#include "term_kinds.h"

#define MOST_TRIES 30
#define MOST_STEPS 500
#define MOST_MOVE 1.0 /* angstrom, of an atom in one step */
#define SMALLEST_FORCE 2e-3
#define STRAINED 0.3     /* eV of bonds and angles for each atom at which isomers differ .. */
#define MOST_ISOMERS 8   /* .. from which on so many are compared */
#define ROUGH_FORCE 0.05 /* eV/angstrom, in the force field */
#define ROUGH_STEPS 300
#define BOX                                                                                        \
    2.0 /* angstrom, times the cube root of the number of atoms: half the edge of the starts */
#define ANY_RING 4    /* every so many conformers have rings as they come */
#define CHAIR_TRIES 5 /* and so have later tries */
#define VOLUME_K 0.03 /* eV/angstrom^6 */
#define PLANE_K 0.2
#define PART_GAP 3.5 /* angstrom, between parts that have no bonds to each other */

/* --- problems ------------------------------------------------------------------------------------- */

static shoal_status add_volume(shoal_topology_builder *out, const embed_volume *v)
{
    const double par[3] = {v->centre < 0 ? PLANE_K : VOLUME_K, v->low, v->high};
    return shoal_topology_add_term(out, SHOAL_KIND_VOLUME, v->atoms, NULL, par);
}

/* shape < 0: rings as they come. */
static shoal_status add_terms(const embed_problem *p, int32_t shape, shoal_topology_builder *out)
{
    const embed_bounds *b = &p->bounds;
    for (int32_t i = 0; i < b->n; ++i) {
        for (int32_t j = i + 1; j < b->n; ++j) {
            const size_t ij = (size_t)i * (size_t)b->n + (size_t)j;
            const int32_t atoms[2] = {i, j};
            const double par[3] = {1, b->lower[ij], b->upper[ij]};
            if (!(b->upper[ij] > 0)) continue;
            SHOAL_TRY(shoal_topology_add_term(out, SHOAL_KIND_RANGE, atoms, NULL, par));
        }
    }
    for (int32_t k = 0; k < p->n_volumes; ++k) SHOAL_TRY(add_volume(out, &p->volumes[k]));
    for (int32_t k = 0; k < p->n_chairs && shape >= 0; ++k) {
        embed_volume six[6];
        embed_chair_volumes(p, k, shape, six);
        for (int m = 0; m < 6; ++m) SHOAL_TRY(add_volume(out, &six[m]));
    }
    return SHOAL_OK;
}

static shoal_status make_topology(const embed_problem *p, int32_t shape, shoal_topology **out)
{
    shoal_topology_builder *b;
    SHOAL_TRY(shoal_topology_begin(&b, p->mol->n_atoms, p->mol->element));
    const shoal_status status = add_terms(p, shape, b);
    if (status == SHOAL_OK) return shoal_topology_finish(b, SHOAL_EXCLUDE_NAMED, out);
    shoal_topology_abandon(b);
    return status;
}

/* Conformers are those of the graph, whatever the molecule is called and wherever it stands. */
static uint64_t key_of(const shoal_molecule *mol)
{
    uint64_t key = (uint64_t)mol->n_atoms;
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        key = random_key(key, (uint64_t)mol->element[i]);
        key = random_key(key, (uint64_t)mol->formal_charge[i]);
        key = random_key(key, (uint64_t)molecule_mark(&mol->stereo, i));
    }
    for (int32_t k = 0; k < mol->n_bonds; ++k) {
        key = random_key(key, (uint64_t)mol->bonds[k].i);
        key = random_key(key, (uint64_t)mol->bonds[k].j);
        key = random_key(key, (uint64_t)mol->bonds[k].order);
        key = random_key(key, (uint64_t)molecule_mark(&mol->cis_trans, k));
    }
    return key;
}

static shoal_status fill(embed_problem *p)
{
    p->rings = &p->mol->perception->rings;
    p->key = key_of(p->mol);
    SHOAL_TRY(embed_find_bounds(p));
    SHOAL_TRY(embed_find_stereo(p));
    SHOAL_TRY(embed_find_chairs(p));
    for (int32_t k = 0; k < p->n_shapes; ++k) SHOAL_TRY(make_topology(p, k, &p->shapes[k]));
    return make_topology(p, -1, &p->topology);
}

shoal_status embed_problem_create(embed_problem **out, shoal_molecule *mol)
{
    *out = NULL;
    if (shoal_molecule_is_periodic(mol))
        return shoal_fail(SHOAL_E_FORMAT,
                          "embedding: the molecule is periodic; expected an isolated one");
    SHOAL_TRY(shoal_molecule_perceive(mol, NULL));
    embed_problem *p = shoal_alloc(1, sizeof *p);
    if (!p) return SHOAL_E_MEMORY;
    p->mol = mol;
    const shoal_status status = fill(p);
    if (status == SHOAL_OK)
        *out = p;
    else
        embed_problem_destroy(p);
    return status;
}

void embed_problem_destroy(embed_problem *p)
{
    if (!p) return;
    shoal_topology_destroy(p->topology);
    for (int32_t k = 0; k < p->n_shapes; ++k) shoal_topology_destroy(p->shapes[k]);
    free(p->volumes);
    free(p->torsions);
    arena_free(&p->memory);
    free(p);
}

/* --- tries ---------------------------------------------------------------------------------------- */

/* Of the random numbers of a try. */
static uint64_t key_of_try(const embed_place *place, uint64_t seed)
{
    const uint64_t parts[3] = {seed, (uint64_t)place->conformer, (uint64_t)place->n_tries};
    uint64_t key = place->problem->key;
    for (int k = 0; k < 3; ++k) key = random_key(key, parts[k]);
    return key;
}

static void make_start(const embed_place *place, uint64_t seed, double (*pos)[3])
{
    const embed_problem *p = place->problem;
    const double edge = BOX * cbrt(p->mol->n_atoms);
    const uint64_t key = key_of_try(place, seed);
    for (int32_t i = 0; i < p->mol->n_atoms; ++i)
        for (int c = 0; c < 3; ++c)
            pos[i][c] =
                edge *
                (2 * random_fraction(random_mix(key + (uint64_t)(3 * i + c + 1) * RANDOM_STEP)) -
                 1);
}

/* Parts without bonds between them are put side by side. */
static void part(const embed_problem *p, double (*pos)[3])
{
    double right = 0;
    for (int32_t k = 0; k < p->bounds.n_parts; ++k) {
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (int32_t i = 0; i < p->mol->n_atoms; ++i)
            for (int c = 0; c < 3 && p->bounds.part[i] == k; ++c) {
                low[c] = fmin(low[c], pos[i][c]);
                high[c] = fmax(high[c], pos[i][c]);
            }
        for (int32_t i = 0; i < p->mol->n_atoms; ++i) {
            if (p->bounds.part[i] != k) continue;
            pos[i][0] += right - low[0];
            for (int c = 1; c < 3; ++c) pos[i][c] -= 0.5 * (low[c] + high[c]);
        }
        right += high[0] - low[0] + PART_GAP;
    }
}

/* Of a stage: what is computed, and how far. */
typedef struct embed_stage {
    bool geometry; /* by ranges and volumes; otherwise in the force field */
    shoal_relax_options relax;
} embed_stage;

static const embed_stage stages[2] = {
    {true, {.fmax = SMALLEST_FORCE, .max_steps = MOST_STEPS, .max_move = MOST_MOVE}},
    {false, {.fmax = ROUGH_FORCE, .max_steps = ROUGH_STEPS}},
};

/* Rings that meet in an atom without a stated configuration may have its last partner inside: of several such isomers the
 * lowest is taken, where there is strain. Whether the try is the last one. */
static bool choose_isomer(embed_place *place, const shoal_result *r)
{
    const embed_problem *p = place->problem;
    const size_t size = (size_t)p->mol->n_atoms * sizeof *place->pos;
    const double strain = r->terms[SHOAL_TERM_BOND] + r->terms[SHOAL_TERM_ANGLE];
    if (p->n_open == 0 || !isfinite(r->energy) || (!place->best && strain < STRAINED * p->n_open))
        return true;
    if (!place->best) place->best = malloc(size > 0 ? size : 1);
    if (!place->best) return true;
    if (place->n_isomers++ == 0 || r->energy < place->energy) {
        memcpy(place->best, place->pos, size);
        place->energy = r->energy;
    }
    return strain < STRAINED * p->n_open || place->n_isomers >= MOST_ISOMERS;
}

/* Takes the result of a stage over; the place is found if it is good. */
static shoal_status judge(embed_place *place, const embed_stage *stage, uint64_t seed,
                          const shoal_result *r, const double (*pos)[3])
{
    const embed_problem *p = place->problem;
    char reason[sizeof place->reason] = "";
    memcpy(place->pos, pos, (size_t)p->mol->n_atoms * sizeof *pos);
    const double(*at)[3] = (const double(*)[3])place->pos;
    const uint64_t key = key_of_try(place, seed);
    if (stage->geometry) {
        part(p, place->pos);
        ++place->n_tries;
    }
    const char *wrong = stage->geometry ? embed_check(p, at, place->n_tries, reason)
                                        : embed_check_graph(p, at, reason);
    place->found = wrong == NULL;
    place->relaxed = place->found && !stage->geometry;
    (void)snprintf(place->reason, sizeof place->reason, "%s", wrong ? wrong : "");
    if (place->found && stage->geometry) return embed_prefer(p, key, place->pos);
    if (place->relaxed) place->found = place->relaxed = choose_isomer(place, r);
    return SHOAL_OK;
}

/* The best of several isomers, if one of them was good. */
static void end_place(embed_place *place)
{
    if (!place->best) return;
    memcpy(place->pos, place->best, (size_t)place->problem->mol->n_atoms * sizeof *place->pos);
    place->found = place->relaxed = true;
    free(place->best);
    place->best = NULL;
}

static shoal_status minimise(shoal_batch *batch, const embed_options *o, const embed_stage *stage,
                             shoal_engine **out)
{
    shoal_engine_options engine = o->engine ? *o->engine : (shoal_engine_options){0};
    engine.surface = NULL;
    engine.grid = NULL;
    engine.vdw_tail = false;
    if (stage->geometry) {
        engine.precision = SHOAL_PRECISION_FLOAT;
        engine.mixing = SHOAL_MIXING_DEFAULT;
        engine.terms_off =
            ((1u << N_ENERGIES) - 1) & ~(1u << SHOAL_TERM_BOND | 1u << SHOAL_TERM_INVERSION);
    }
    if (o->no_charges) engine.terms_off |= 1u << SHOAL_TERM_COULOMB;
    SHOAL_TRY(shoal_engine_create(out, batch, &engine));
    return shoal_engine_relax(*out, &stage->relax, NULL, NULL);
}

/* Whether a place takes part in this stage of a round. */
static bool takes_part(const embed_place *place, const embed_stage *stage, int32_t most)
{
    if (stage->geometry) return !place->found && place->n_tries < most;
    return place->found && !place->relaxed && place->topology != NULL;
}

/* Rings are chairs in most conformers, unless that does not go. */
static shoal_topology *geometry_of(const embed_place *place, uint64_t seed)
{
    const embed_problem *p = place->problem;
    const bool any = place->conformer % ANY_RING == ANY_RING - 1 || place->n_tries >= CHAIR_TRIES;
    if (p->n_shapes == 0 || any) return p->topology;
    return p->shapes[key_of_try(place, seed) % (uint64_t)p->n_shapes];
}

static shoal_status add_place(embed_place *place, const embed_options *o, const embed_stage *stage,
                              shoal_batch *batch)
{
    if (stage->geometry) make_start(place, o->seed, place->pos);
    const shoal_system system = {.topology = stage->geometry ? geometry_of(place, o->seed)
                                                             : place->topology,
                                 .pos = (const double(*)[3])place->pos};
    return shoal_batch_add(batch, &system);
}

static shoal_status take_result(embed_place *place, const embed_stage *stage, uint64_t seed,
                                const shoal_engine *engine, int32_t i)
{
    shoal_result r;
    SHOAL_TRY(shoal_engine_result(engine, i, &r));
    return judge(place, stage, seed, &r, shoal_engine_positions(engine, i));
}

static shoal_status run_stage(embed_place *places, int32_t n, const embed_options *o,
                              const embed_stage *stage, int32_t most, int32_t *n_done)
{
    shoal_batch *batch;
    shoal_engine *engine = NULL;
    SHOAL_TRY(shoal_batch_create(&batch));
    shoal_status status = SHOAL_OK;
    for (int32_t k = 0; k < n && status == SHOAL_OK; ++k)
        if (takes_part(&places[k], stage, most)) status = add_place(&places[k], o, stage, batch);
    *n_done = shoal_batch_size(batch);
    if (status == SHOAL_OK && *n_done > 0) status = minimise(batch, o, stage, &engine);
    for (int32_t k = 0, i = 0; k < n && status == SHOAL_OK && *n_done > 0; ++k)
        if (takes_part(&places[k], stage, most))
            status = take_result(&places[k], stage, o->seed, engine, i++);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return status;
}

shoal_status embed_run(embed_place *places, int32_t n, const embed_options *options)
{
    const int32_t most = options->most_tries > 0 ? options->most_tries : MOST_TRIES;
    int32_t n_tried = 1, n_relaxed;
    shoal_status status = SHOAL_OK;
    while (n_tried > 0 && status == SHOAL_OK) {
        if (options->stop && options->stop(options->user)) break;
        status = run_stage(places, n, options, &stages[0], most, &n_tried);
        if (status == SHOAL_OK)
            status = run_stage(places, n, options, &stages[1], most, &n_relaxed);
    }
    for (int32_t k = 0; k < n; ++k) end_place(&places[k]);
    return status;
}
