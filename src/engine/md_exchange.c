/* SPDX-License-Identifier: BSD-3-Clause
 * Replica exchange: neighbours on the ladder of temperatures swap places with the probability of Metropolis (Sugita and
 * Okamoto, Chem. Phys. Lett. 314 (1999) 141). Copies keep their coordinates, their temperatures travel. */
#include <math.h>

#include "constants.h"
#include "engine/md.h"
#include "layout.h"

#define SHOAL_REAL double
#include "random.h"

/* The copy of a group that is on a rung. */
static int32_t find_rung(const md_run *run, int32_t first, int32_t rung)
{
    int32_t i = first;
    while (run->walkers[i].rung != rung) ++i;
    return i;
}

/* Of the group, the step and the rung. */
static double draw(const md_run *run, int32_t first, int32_t step, int32_t rung)
{
    const uint64_t key = (uint64_t)md_system_of(run, first).key, seed = run->options.seed;
    const random_words counter = {
        {(random_word)rung, (random_word)step, (random_word)key, (random_word)(key >> 32)}};
    return random_uniform(
        random_make(counter, (random_word)seed, (random_word)(seed >> 32) + RANDOM_EXCHANGE).w[0]);
}

/* Velocities of whole steps are scaled; those half a step behind lack half a kick. */
static void scale_velocities(const md_run *run, int32_t i, double scale)
{
    const backend_system *s = &run->engine->systems[i];
    backend_result *r = &run->engine->results[i];
    for (int32_t a = 0; a < mover_count(&s->view); ++a) {
        if (s->fixed && s->fixed[a]) continue;
        const double push = 0.5 * run->options.dt * ACCELERATION / run->baths[i].masses[a];
        for (int k = 0; k < 3; ++k)
            r->velocities[a][k] =
                scale * r->velocities[a][k] + (scale - 1) * push * r->forces[a][k];
    }
}

static void try_swap(md_run *run, int32_t first, int32_t rung, int32_t step)
{
    const int32_t a = find_rung(run, first, rung), b = find_rung(run, first, rung + 1);
    /* A state may hold copies that are ahead. */
    if (!run->engine->results[a].active || !run->engine->results[b].active) return;
    const double cold = md_temperature(run, a, step), hot = md_temperature(run, b, step);
    const double gain = (1 / (BOLTZMANN * cold) - 1 / (BOLTZMANN * hot)) *
                        (run->engine->results[a].energy - run->engine->results[b].energy);
    ++run->walkers[a].n_tried;
    ++run->walkers[b].n_tried;
    if (gain < 0 && draw(run, first, step, rung) >= exp(gain)) return;
    ++run->walkers[a].n_swapped;
    ++run->walkers[b].n_swapped;
    run->walkers[a].rung = rung + 1;
    run->walkers[b].rung = rung;
    scale_velocities(run, a, sqrt(hot / cold));
    scale_velocities(run, b, sqrt(cold / hot));
}

void md_exchange(md_run *run, int32_t step)
{
    const int32_t n = run->options.n_copies;
    const int32_t odd = step / run->options.exchange_every % 2 == 0; /* the first swaps 0 and 1 */
    for (int32_t first = 0; first < run->engine->n_systems; first += n)
        for (int32_t rung = odd; rung + 1 < n; rung += 2) try_swap(run, first, rung, step);
}
