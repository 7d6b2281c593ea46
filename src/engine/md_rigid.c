/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bonds to hydrogen: the stars of a system, and what is done to places and velocities outside of steps. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "constants.h"
#include "engine/md.h"

#define SHOAL_REAL double
#include "step_rigid.h"

typedef struct star_search {
    const backend_system *system;
    backend_star *stars; /* [n] */
    int32_t n;
    int32_t *star_of; /* [n_atoms] star that it is in the middle of, -1: none */
    bool *held;       /* [n_atoms] */
    char why[120];    /* that it cannot be */
} star_search;

/* The middle of the star of an atom, begun if there is none. */
static backend_star *need_star(star_search *f, int32_t middle)
{
    if (f->star_of[middle] < 0) {
        f->star_of[middle] = f->n++;
        f->stars[f->star_of[middle]] = (backend_star){.atoms = {middle}};
    }
    return &f->stars[f->star_of[middle]];
}

static bool refuse(star_search *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(star_search *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(f->why, sizeof f->why, format, arguments);
    va_end(arguments);
    return false;
}

/* Adds the bond of a term if one of its ends is a hydrogen; two of them have the first one in the middle. */
static bool add_bond(star_search *f, const shoal_term *t)
{
    const int32_t *elements = f->system->view.elements;
    const bool *fixed = f->system->fixed;
    const int end = elements[t->atoms[1]] == 1 ? 1 : 0;
    const int32_t h = t->atoms[end], middle = t->atoms[1 - end];
    if (elements[h] != 1 || (fixed && fixed[h] && fixed[middle])) return true;
    if (fixed && fixed[h])
        return refuse(f,
                      "rigid bonds: hydrogen %d is fixed and atom %d, which it is bound to, is not",
                      h, middle);
    if (f->held[h] || f->star_of[h] >= 0 || f->held[middle])
        return refuse(f, "rigid bonds: hydrogen %d has more than one bond",
                      f->held[middle] ? middle : h);
    backend_star *star = need_star(f, middle);
    if (star->n == RIGID_MOST)
        return refuse(f, "rigid bonds: atom %d has bonds to more than %d hydrogens", middle,
                      RIGID_MOST);
    for (int c = 0; c < 3; ++c)
        star->shifts[star->n][c] =
            end == 1 ? t->shifts[1][c] - t->shifts[0][c] : t->shifts[0][c] - t->shifts[1][c];
    star->lengths[star->n] = t->p[SHOAL_BOND_R0];
    star->atoms[++star->n] = h;
    f->held[h] = true;
    return true;
}

static bool add_bonds(star_search *f)
{
    static const int kinds[2] = {SHOAL_KIND_BOND, SHOAL_KIND_QUARTIC_BOND};
    const shoal_topology_view *v = &f->system->view;
    for (int m = 0; m < 2; ++m)
        for (int32_t k = v->term_start[kinds[m]]; k < v->term_start[kinds[m] + 1]; ++k)
            if (!add_bond(f, &v->terms[k])) return false;
    return true;
}

/* --- places and velocities ------------------------------------------------------------------------ */

static rigid_stars star_at(const md_run *run, int32_t i, const backend_star *star,
                           const double (*pos)[3])
{
    const backend_system *s = &run->engine->systems[i];
    rigid_stars b = {.most = star->n};
    for (int k = 0; k <= star->n; ++k) {
        const int32_t a = star->atoms[k];
        b.w[k][0] = s->fixed && s->fixed[a] ? 0 : ACCELERATION / run->baths[i].masses[a];
    }
    for (int k = 0; k < star->n; ++k) {
        const double *from = pos[star->atoms[0]], *to = pos[star->atoms[k + 1]];
        for (int c = 0; c < 3; ++c) {
            b.s[k].v[c][0] = to[c] - from[c];
            for (int m = 0; m < 3; ++m) b.s[k].v[c][0] += star->shifts[k][m] * s->cell[m][c];
        }
        b.d2[k][0] = star->lengths[k] * star->lengths[k];
    }
    return b;
}

static void get(const backend_star *star, const double (*from)[3], rigid_block *to)
{
    for (int k = 0; k <= star->n; ++k)
        for (int c = 0; c < 3; ++c) to[k].v[c][0] = from[star->atoms[k]][c];
}

static void put(const backend_star *star, const rigid_block *from, double (*to)[3])
{
    for (int k = 0; k <= star->n; ++k)
        for (int c = 0; c < 3; ++c) to[star->atoms[k]][c] = from[k].v[c][0];
}

/* Gives all bonds their lengths; false where that is too far away. */
static bool place_star(const md_run *run, int32_t i, const backend_star *star, double (*pos)[3])
{
    static const double one = 1;
    rigid_stars b = star_at(run, i, star, (const double(*)[3])pos);
    rigid_block x[RIGID_MOST + 1];
    get(star, (const double(*)[3])pos, x);
    rigid_products(&b);
    rigid_close(&b, b.s);
    rigid_add(&b, x, 1, &one);
    put(star, x, pos);
    return b.lost[0] == 0;
}

void md_rigid_velocities(const md_run *run, int32_t i, double (*v)[3])
{
    const double(*pos)[3] = (const double(*)[3])run->engine->results[i].pos;
    for (int32_t m = 0; m < run->baths[i].n_stars; ++m) {
        const backend_star *star = &run->baths[i].stars[m];
        rigid_stars b = star_at(run, i, star, pos);
        rigid_block own[RIGID_MOST + 1];
        get(star, (const double(*)[3])v, own);
        rigid_velocities(&b, own);
        put(star, own, v);
    }
}

bool md_rigid_is_lost(const md_run *run, int32_t i)
{
    const backend_result *r = &run->engine->results[i];
    for (int32_t m = 0; m < run->baths[i].n_stars; ++m) {
        const double *v = r->velocities[run->baths[i].stars[m].atoms[0]];
        if (!(fabs(v[0]) * run->options.dt <= run->md.most)) return true;
    }
    return false;
}

/* --- a system ------------------------------------------------------------------------------------- */

int32_t md_rigid_count(const backend_bath *bath)
{
    int32_t n = 0;
    for (int32_t m = 0; m < bath->n_stars; ++m) n += bath->stars[m].n;
    return n;
}

static bool find_stars(md_run *run, int32_t i, star_search *f)
{
    backend_bath *bath = &run->baths[i];
    double(*pos)[3] = run->engine->results[i].pos;
    for (int32_t a = 0; a < f->system->view.n_atoms; ++a) f->star_of[a] = -1;
    if (!add_bonds(f)) return false;
    bath->stars = f->stars;
    bath->n_stars = f->n;
    for (int32_t m = 0; m < f->n; ++m)
        if (!place_star(run, i, &f->stars[m], pos))
            return refuse(f, "rigid bonds: those of atom %d are too far from their lengths",
                          f->stars[m].atoms[0]);
    return true;
}

shoal_status md_rigid_begin(md_run *run, int32_t i)
{
    shoal_engine *engine = run->engine;
    const size_t n = (size_t)engine->systems[i].view.n_atoms + 1;
    star_search f = {.system = &engine->systems[i],
                     .stars = shoal_alloc(n, sizeof *f.stars),
                     .star_of = shoal_alloc(n, sizeof *f.star_of),
                     .held = shoal_alloc(n, sizeof *f.held)};
    const bool room = f.stars && f.star_of && f.held;
    const bool found = room && find_stars(run, i, &f);
    free(f.star_of);
    free(f.held);
    if (run->baths[i].stars != f.stars) free(f.stars);
    if (!room) return SHOAL_E_MEMORY;
    if (!found)
        shoal_backend_reject(&engine->results[i], engine_n_movers(engine, i), SHOAL_SYSTEM_UNTYPED,
                             "%s", f.why);
    return SHOAL_OK;
}
