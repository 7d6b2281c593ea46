/* SPDX-License-Identifier: BSD-3-Clause
 * Whether the clamp of pairs still acts where a run has ended. */
#include <math.h>
#include <stdio.h>

#include "backend/system_check.h"
#include "engine/engine.h"
#include "ff/pair_model.h"
#include "ff/topology.h"
#include "geom/lattice.h"
#include "geom/vector.h"

/* The pairs of a system that are clamped, and the one that is nearest to each other for its reach. */
typedef struct clamped {
    const backend_system *s;
    geom_lattice cell;
    const double (*pos)[3];
    bool arithmetic;
    int32_t n, i, j;
    double share, r, reach;
} clamped;

static void look_at(clamped *c, int32_t i, int32_t j, const int32_t shift[3], const double d[3],
                    double reach)
{
    double image[3];
    lattice_vector(&c->cell, shift, image);
    for (int k = 0; k < 3; ++k) image[k] += d[k];
    const double r = vector_norm(image);
    if (!(r < reach) || topology_excludes(&c->s->view, i, j, shift)) return;
    ++c->n;
    if (r >= c->share * reach) return;
    c->share = r / reach;
    c->i = i;
    c->j = j;
    c->r = r;
    c->reach = reach;
}

/* All images of two atoms; of an atom and itself those above alone. */
static void look_at_images(clamped *c, int32_t i, int32_t j)
{
    const shoal_topology_view *v = &c->s->view;
    const double reach = c->s->pair_clamp * sqrt(pair_model_reach2(v, c->arithmetic, i, j));
    int32_t first[3] = {0}, last[3] = {0}, n[3];
    double d[3];
    for (int k = 0; k < 3; ++k) d[k] = c->pos[j][k] - c->pos[i][k];
    for (int k = 0; k < 3; ++k) {
        if (!c->cell.pbc[k]) continue;
        const double f = lattice_fraction(&c->cell, d, k);
        const double wide = reach * vector_norm(c->cell.dual[k]);
        first[k] = (int32_t)ceil(-wide - f);
        last[k] = (int32_t)floor(wide - f);
    }
    for (n[0] = first[0]; n[0] <= last[0]; ++n[0])
        for (n[1] = first[1]; n[1] <= last[1]; ++n[1])
            for (n[2] = first[2]; n[2] <= last[2]; ++n[2]) {
                const int32_t sign = n[0] != 0 ? n[0] : n[1] != 0 ? n[1] : n[2];
                if (i != j || sign > 0) look_at(c, i, j, n, d, reach);
            }
}

static void warn(void *what, int32_t i_system)
{
    shoal_engine *engine = what;
    const backend_system *s = &engine->systems[i_system];
    const backend_result *r = &engine->results[i_system];
    char names[2][SYSTEM_NAME_SIZE], text[BACKEND_REASON_SIZE];
    clamped c = {.s = s, .pos = (const double(*)[3])r->pos, .share = INFINITY};
    const bool pairs =
        ~engine->options.terms_off & (1u << SHOAL_TERM_VDW | 1u << SHOAL_TERM_COULOMB);
    c.arithmetic = engine->options.mixing == SHOAL_MIXING_ARITHMETIC;
    if (!pairs || !r->active || !(s->pair_clamp > 0)) return;
    if (!lattice_init(&c.cell, s->cell, s->view.pbc)) return;
    for (int32_t i = 0; i < s->view.n_atoms; ++i)
        for (int32_t j = i; j < s->view.n_atoms; ++j) look_at_images(&c, i, j);
    if (c.n == 0) return;
    system_name_mover(&s->view, c.i, names[0]);
    system_name_mover(&s->view, c.j, names[1]);
    (void)snprintf(text, sizeof text,
                   "%d clamped pair%s: %s and %s are %.2f A apart and act as at %.2f", c.n,
                   c.n > 1 ? "s" : "", names[0], names[1], c.r, c.reach);
    engine_warn(engine, i_system, text);
}

void engine_warn_of_clamps(shoal_engine *engine)
{
    if (engine->options.pair_clamp > 0)
        thread_pool_for(engine->pool, engine->n_systems, warn, engine);
}
