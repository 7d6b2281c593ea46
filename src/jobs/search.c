/* SPDX-License-Identifier: BSD-3-Clause
 * Searches: options, and the starts that a stream asks for. */
#include "jobs/search.h"
#include "jobs/search_breed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#include "constants.h"

#define STARTS 1000
#define CONFORMERS 50
#define KICK_TEMPERATURE 300 /* K */
#define ISLAND 500           /* relaxations of a molecule that are bred together, at most */
#define GENERATIONS 20       /* of an island, about */
#define LEAST_GENERATION 8   /* relaxations */
#define SAME_ENERGY 0.002    /* eV */
#define SAME_RMSD 0.1        /* angstrom */
#define TEMPERATURE 298.15   /* K */

/* --- options -------------------------------------------------------------------------------------- */

static double or_default(double value, double if_zero)
{
    return value > 0 ? value : if_zero;
}

static shoal_status check_options(const shoal_search_options *o)
{
    const double positive[] = {o->kick_temperature, o->window,      o->same_energy,
                               o->same_rmsd,        o->temperature, o->height};
    for (size_t k = 0; k < sizeof positive / sizeof positive[0]; ++k)
        if (!(positive[k] >= 0) || !isfinite(positive[k]))
            return shoal_fail(SHOAL_E_ARGUMENT, "search: %g where a positive number is expected",
                              positive[k]);
    if (o->starts < 0 || o->starts > INT32_MAX || o->kicks < 0 || o->kicks > 1000000)
        return shoal_fail(SHOAL_E_ARGUMENT, "search: %lld starts with %d kicks each",
                          (long long)o->starts, o->kicks);
    if (o->rigid && !o->surface)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "search: rigid molecules have no conformers; expected a surface");
    if (o->surface && o->n_fix > 0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "search: molecules with fixed atoms cannot be put on a surface");
    return SHOAL_OK;
}

static shoal_status settle(shoal_search *s)
{
    shoal_search_options *o = &s->options;
    if (o->starts == 0) o->starts = STARTS;
    o->kick_temperature = or_default(o->kick_temperature, KICK_TEMPERATURE);
    o->temperature = or_default(o->temperature, TEMPERATURE);
    s->rules = (search_rules){.same_energy = or_default(o->same_energy, SAME_ENERGY),
                              .same_rmsd = or_default(o->same_rmsd, SAME_RMSD),
                              .window = o->window,
                              .isomers = o->isomers};
    s->setting = (search_setting){.seed = o->seed, .starts = o->starts, .height = o->height};
    if (o->surface) {
        SHOAL_TRY(search_substrate_find(&s->substrate, o->surface, o->movable));
        s->rules.substrate = s->setting.substrate = &s->substrate;
    }
    if (o->movable) {
        shoal_surface_view v;
        shoal_surface_get(o->movable, &v);
        s->n_movable = v.n_atoms;
    }
    return SHOAL_OK;
}

/* --- plans ---------------------------------------------------------------------------------------- */

/* The slot of a molecule's plan, or one whose plan nobody uses; NULL where all are in use. */
static plan_slot *choose_slot(shoal_search *s, int64_t molecule)
{
    plan_slot *oldest = NULL;
    for (int k = 0; k < SEARCH_PLANS; ++k) {
        plan_slot *slot = &s->slots[k];
        if (slot->plan && slot->plan->molecule == molecule) return slot;
        if (slot->users == 0 && (!oldest || slot->last_use < oldest->last_use)) oldest = slot;
    }
    return oldest;
}

static void throw_plan(search_plan *plan)
{
    if (!plan) return;
    search_plan_free(plan);
    free(plan);
}

static bool repeats(const shoal_search *s, const shoal_molecule *mol)
{
    return s->n_movable == 0 && shoal_molecule_is_periodic(mol);
}

/* A ring that neither turns in parts nor is embedded, nor has corners that flap. */
static bool has_unmoved_ring(const shoal_search *s, const search_plan *plan)
{
    const search_joints *j = &plan->joints;
    if (s->options.rigid) return false;
    if (plan->kin) return j->stiff_rings && !search_kin_embeds(plan->kin);
    for (int32_t k = 0; k < j->n_rings; ++k)
        if (j->rings[k].n > SEARCH_LARGEST_FLAP) return true;
    return j->stiff_rings && j->n_corners == 0;
}

/* NULL where all atoms move; the caller's. Nothing within a rigid molecule does. */
static shoal_status find_fixed(const shoal_search *s, const shoal_molecule *mol, bool **out)
{
    const shoal_search_options *o = &s->options;
    if (o->n_fix == 0 && !o->rigid) return SHOAL_OK;
    const size_t n = (size_t)shoal_molecule_n_atoms(mol);
    bool *fixed = *out = shoal_alloc(n, sizeof *fixed);
    if (!fixed) return SHOAL_E_MEMORY;
    if (o->rigid) memset(fixed, true, n * sizeof *fixed);
    for (int32_t k = 0; k < o->n_fix; ++k) SHOAL_TRY(shoal_selection_apply(o->fix[k], mol, fixed));
    return SHOAL_OK;
}

/* Free molecules come in generations, unless kicks were asked for. */
static bool is_bred(const shoal_search *s)
{
    return !s->options.surface && s->options.kicks == 0;
}

static shoal_status make_plan(const shoal_search *s, int64_t molecule, const shoal_molecule *mol,
                              const double (*pos)[3], search_plan **out)
{
    const int32_t n = shoal_molecule_n_atoms(mol) - s->n_movable;
    bool *fixed = NULL;
    if (repeats(s, mol))
        return shoal_fail(SHOAL_E_UNSUPPORTED, "search: periodic molecules cannot be searched");
    if (n < 1) return shoal_fail(SHOAL_E_ARGUMENT, "search: a molecule without atoms");
    search_plan *plan = shoal_alloc(1, sizeof *plan);
    shoal_status status = plan ? find_fixed(s, mol, &fixed) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK)
        status = search_plan_make(plan, &s->setting, molecule, mol, n, pos, fixed);
    if (status == SHOAL_OK && is_bred(s)) {
        status = search_kin_make(plan, mol, s->variants.series);
        if (status != SHOAL_OK) search_plan_free(plan);
    }
    free(fixed);
    if (status != SHOAL_OK) free(plan);
    if (status == SHOAL_OK) *out = plan;
    return status;
}

/* The plan of a molecule, to be given back. Who finds none makes it, perhaps at the same time as others: the first
 * that is ready stays. *slot is NULL where there was no room: then the plan is the caller's. */
static shoal_status borrow_plan(shoal_search *s, int64_t molecule, const shoal_molecule *mol,
                                const double (*pos)[3], plan_slot **slot, search_plan **plan)
{
    search_plan *made = NULL;
    for (;;) {
        (void)pthread_mutex_lock(&s->lock);
        *slot = choose_slot(s, molecule);
        const bool found = *slot && (*slot)->plan && (*slot)->plan->molecule == molecule;
        search_plan *thrown = made;
        if (*slot && !found && made) {
            thrown = (*slot)->plan;
            (*slot)->plan = made;
        }
        if (*slot && (found || made)) {
            *plan = (*slot)->plan;
            ++(*slot)->users;
            (*slot)->last_use = ++s->uses;
        } else if (made) {
            *plan = made; /* no room */
            thrown = NULL;
        }
        (void)pthread_mutex_unlock(&s->lock);
        if (found || made) {
            throw_plan(thrown);
            return SHOAL_OK;
        }
        SHOAL_TRY(make_plan(s, molecule, mol, pos, &made));
        if (has_unmoved_ring(s, made)) atomic_store(&s->unmoved, true);
    }
}

static void give_plan_back(shoal_search *s, plan_slot *slot, search_plan *plan)
{
    if (!slot) {
        throw_plan(plan);
        return;
    }
    (void)pthread_mutex_lock(&s->lock);
    --slot->users;
    (void)pthread_mutex_unlock(&s->lock);
}

/* --- variants ------------------------------------------------------------------------------------- */

static bool has_geometry(const shoal_stream_system *system)
{
    const shoal_result *r = &system->result;
    return r->status == SHOAL_SYSTEM_CONVERGED ||
           (r->status == SHOAL_SYSTEM_STALLED && r->fmax < SEARCH_STALLED);
}

/* The member of a series that the next kick begins at: each that was no worse, or by chance not much worse, than the
 * one before it was accepted (Metropolis). -1: none has converged. */
static int32_t accepted(const shoal_search *s, int64_t molecule, int64_t start,
                        const shoal_stream_system *earlier, int32_t n)
{
    const double kt = BOLTZMANN * s->options.kick_temperature;
    int32_t at = -1;
    for (int32_t k = 0; k < n; ++k) {
        if (!has_geometry(&earlier[k])) continue;
        search_random r = random_begin(s->options.seed, molecule, start, -1 - (int64_t)k);
        const double up = at < 0 ? 0 : earlier[k].result.energy - earlier[at].result.energy;
        if (up <= 0 || random_next(&r) < exp(-up / kt)) at = k;
    }
    return at;
}

/* Number k of an island, from the lowest minima before its generation. */
static shoal_status make_bred(const shoal_search *s, const search_plan *plan,
                              shoal_topology *topology, const shoal_stream_system *earlier,
                              int32_t n_earlier, int64_t variant, double (*pos)[3])
{
    const int32_t n_starts = search_kin_starts(plan->kin);
    const int64_t island = variant / s->variants.series, k = variant % s->variants.series;
    search_parents parents = {.topology = topology,
                              .known = shoal_alloc((size_t)n_earlier, sizeof *parents.known)};
    if (!parents.known) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n_earlier && n_earlier >= n_starts; ++i) {
        const double(*at)[3] = shoal_molecule_positions(earlier[i].mol);
        if (!has_geometry(&earlier[i]) || !search_configuration_holds(&plan->configuration, at))
            continue;
        parents.known[parents.n_known++] = at;
        search_parents_add(&parents, earlier[i].result.energy, at);
    }
    const shoal_status status =
        search_breed(plan, &s->setting, variant, island * n_starts + k, &parents, pos);
    free(parents.known);
    return status;
}

static shoal_status make_variant(void *user, const shoal_stream_system *system,
                                 const shoal_stream_system *earlier, int32_t n_earlier,
                                 double (*pos)[3], shoal_restraint *restraints)
{
    shoal_search *s = user;
    const int64_t series = s->variants.series > 1 ? s->variants.series : 1;
    const int64_t molecule = system->index / s->variants.n, start = system->variant / series;
    plan_slot *slot = NULL;
    search_plan *plan = NULL;
    (void)restraints;
    (void)pthread_mutex_lock(&s->lock);
    const bool over = s->over == molecule;
    (void)pthread_mutex_unlock(&s->lock);
    if (over) return shoal_fail(SHOAL_E_ARGUMENT, "the search of this molecule has ended");
    SHOAL_TRY(borrow_plan(s, molecule, system->mol, (const double(*)[3])pos, &slot, &plan));
    if (plan->kin) {
        const shoal_status bred =
            make_bred(s, plan, system->topology, earlier, n_earlier, system->variant, pos);
        give_plan_back(s, slot, plan);
        return bred;
    }
    const int32_t from = accepted(s, molecule, start, earlier, n_earlier);
    shoal_status status = SHOAL_OK;
    if (from < 0) {
        /* A start, or one more where the series has no minimum yet. */
        search_start(plan, &s->setting, start + n_earlier * s->options.starts, pos);
    } else {
        memcpy(pos, shoal_molecule_positions(earlier[from].mol),
               (size_t)shoal_molecule_n_atoms(system->mol) * sizeof *pos);
        status = search_kick(plan, &s->setting, start, n_earlier, pos);
    }
    give_plan_back(s, slot, plan);
    return status;
}

/* Start number `variant` of a molecule by itself. */
static shoal_status make_conformer(void *user, const shoal_stream_system *system,
                                   const shoal_stream_system *earlier, int32_t n_earlier,
                                   double (*pos)[3], shoal_restraint *restraints)
{
    const search_setting setting = {.starts = CONFORMERS};
    const shoal_molecule *mol = system->mol;
    const int32_t n = shoal_molecule_n_atoms(mol);
    search_plan plan;
    (void)user, (void)earlier, (void)n_earlier, (void)restraints;
    if (n < 1 || shoal_molecule_is_periodic(mol))
        return shoal_fail(SHOAL_E_UNSUPPORTED, "search: nothing that has conformers");
    SHOAL_TRY(search_plan_make(&plan, &setting, 0, mol, n, (const double(*)[3])pos, NULL));
    const search_joints *j = &plan.joints;
    const bool stiff = j->n_rotors + j->n_corners + j->n_pyramids == 0;
    const int64_t most = stiff ? 1 : plan.n_systematic > 0 ? plan.n_systematic : CONFORMERS;
    if (system->variant < most) search_start(&plan, &setting, system->variant, pos);
    search_plan_free(&plan);
    return system->variant < most ? SHOAL_OK
                                  : shoal_fail(SHOAL_E_ARGUMENT, "search: no more conformers");
}

const shoal_variants *shoal_search_conformers(void)
{
    static const shoal_variants conformers = {.n = CONFORMERS, .make = make_conformer};
    return &conformers;
}

/* A listed minimum of the search that is refined, as it is. */
static shoal_status make_refined(void *user, const shoal_stream_system *system,
                                 const shoal_stream_system *earlier, int32_t n_earlier,
                                 double (*pos)[3], shoal_restraint *restraints)
{
    const shoal_search *s = user;
    const shoal_minimum *m = search_listed(s->from, system->index / s->variants.n, system->variant);
    (void)earlier;
    (void)n_earlier;
    (void)restraints;
    if (!m) return shoal_fail(SHOAL_E_ARGUMENT, "this molecule has fewer minima");
    search_positions(m, shoal_molecule_n_atoms(system->mol), pos);
    return SHOAL_OK;
}

shoal_status shoal_search_refine(shoal_search **out, const shoal_search *search)
{
    shoal_clear_error();
    SHOAL_NEED(out && search);
    int32_t most = 0;
    for (int64_t i = 0; i < search->n_ranked; ++i)
        if (search->ranked[i].rank > most) most = search->ranked[i].rank;
    if (most == 0) return shoal_fail(SHOAL_E_ARGUMENT, "search: there is no minimum to refine");
    shoal_search_options options = search->options;
    options.starts = most;
    options.kicks = 0;
    options.patience = 0;
    SHOAL_TRY(shoal_search_create(out, &options));
    (*out)->from = search;
    (*out)->variants.make = make_refined;
    (*out)->variants.own_charges = true;
    return SHOAL_OK;
}

const shoal_variants *shoal_search_variants(const shoal_search *search)
{
    return search ? &search->variants : NULL;
}

/* --- life ----------------------------------------------------------------------------------------- */

/* Series of kicks, or islands of generations; of the latter all have as many relaxations. */
static void arrange(shoal_search *s)
{
    const int64_t starts = s->options.starts, n_islands = (starts + ISLAND - 1) / ISLAND;
    const int32_t series = 1 + s->options.kicks, island = (int32_t)((starts - 1) / n_islands + 1);
    const int32_t generation = island / GENERATIONS;
    s->variants = (shoal_variants){.make = make_variant, .user = s};
    if (is_bred(s)) {
        s->variants.n = n_islands * island;
        s->variants.series = island;
        s->variants.stage = generation > LEAST_GENERATION ? generation : LEAST_GENERATION;
    } else {
        s->variants.n = starts * series;
        s->variants.series = series > 1 ? series : 0;
    }
}

shoal_status shoal_search_create(shoal_search **out, const shoal_search_options *options)
{
    shoal_clear_error();
    SHOAL_NEED(out && options);
    SHOAL_NEED(options->n_fix == 0 || options->fix);
    SHOAL_TRY(check_options(options));
    shoal_search *s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_E_MEMORY;
    s->options = *options;
    s->over = -1;
    (void)pthread_mutex_init(&s->lock, NULL);
    const shoal_status status = settle(s);
    if (status != SHOAL_OK) {
        shoal_search_destroy(s);
        return status;
    }
    arrange(s);
    *out = s;
    return SHOAL_OK;
}

void shoal_search_destroy(shoal_search *search)
{
    if (!search) return;
    for (int k = 0; k < SEARCH_PLANS; ++k) throw_plan(search->slots[k].plan);
    for (int32_t m = 0; m < search->n_molecules; ++m) search_minima_free(&search->molecules[m]);
    free(search->molecules);
    free(search->ranked);
    (void)pthread_mutex_destroy(&search->lock);
    free(search);
}
