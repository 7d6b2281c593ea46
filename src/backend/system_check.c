/* SPDX-License-Identifier: BSD-3-Clause
 * Whether a system can be computed at its present coordinates. */
#include "backend/system_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ff/auxiliary.h"
#include "ff/pair_model.h"
#include "geom/ewald.h"
#include "geom/lattice.h"

#include "form_numbers.h"

/* More images than this in one pair's sum mean a cell far too small to be meant; a primitive cell
 * of diamond needs some 3e3 for a cut-off of 12 angstrom. */
#define MAX_IMAGES 1e6

/* Atoms further than this many cells from home would overflow image indices. */
#define MAX_CELLS 1e6

/* Largest net charge of a slab or a chain that passes for rounding in a file, e. */
#define NEUTRAL 1e-3

/* A net charge of a crystal below this is rounding, e. */
#define NO_CHARGE 1e-6

void system_name_mover(const shoal_topology_view *view, int32_t i, char name[SYSTEM_NAME_SIZE])
{
    const bool direction = i >= view->n_atoms;
    const int32_t atom = direction ? view->direction_atoms[i - view->n_atoms] : i;
    const int32_t element = view->elements[atom];
    if (element == 0)
        (void)snprintf(name, SYSTEM_NAME_SIZE, "electron pair %d", atom);
    else
        (void)snprintf(name, SYSTEM_NAME_SIZE, "%satom %d (%s)",
                       direction ? "the direction at " : "", atom, shoal_element_symbol(element));
}

static bool term_is_on(const shoal_engine_options *options, int term)
{
    return !(options->terms_off >> term & 1u);
}

int32_t system_find_far(const double (*pos)[3], int32_t n)
{
    for (int32_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            if (isfinite(pos[i][k]) && fabs(pos[i][k]) > SYSTEM_FAR) return i;
    return -1;
}

/* Directions are nowhere; they can only not be finite. */
static bool check_mover(const backend_system *s, const geom_lattice *cell, int32_t i,
                        backend_result *result)
{
    const int32_t n = mover_count(&s->view);
    const double *r = result->pos[i];
    const bool finite = isfinite(r[0]) && isfinite(r[1]) && isfinite(r[2]);
    bool far = false, far_cell = false;
    for (int k = 0; k < 3 && finite && i < s->view.n_atoms; ++k) {
        far = far || !(fabs(r[k]) <= SYSTEM_FAR);
        far_cell = far_cell || (cell->pbc[k] && !(fabs(lattice_fraction(cell, r, k)) <= MAX_CELLS));
    }
    if (finite && !far && !far_cell) return true;
    char name[SYSTEM_NAME_SIZE];
    system_name_mover(&s->view, i, name);
    if (!finite)
        shoal_backend_reject(result, n, SHOAL_SYSTEM_NOT_FINITE, "the position of %s is not finite",
                             name);
    else if (far)
        shoal_backend_reject(result, n, SHOAL_SYSTEM_NOT_FINITE,
                             "%s is more than %g angstrom away from the origin", name, SYSTEM_FAR);
    else
        shoal_backend_reject(result, n, SHOAL_SYSTEM_NOT_FINITE,
                             "%s is more than %.0f cells away from the origin", name, MAX_CELLS);
    return false;
}

/* Why the Coulomb sum of a periodic system cannot be done; NULL if it can. */
static const char *coulomb_obstacle(const backend_system *s, const geom_lattice *cell,
                                    const shoal_engine_options *options)
{
    const int32_t n_particles = s->view.n_atoms + s->view.n_sites;
    double charge = 0, size = 0;
    for (int32_t i = 0; i < n_particles; ++i) {
        charge += s->view.charges[i];
        size += fabs(s->view.charges[i]);
    }
    if (size == 0) return NULL;
    if (cell->n_periodic < 3 && fabs(charge) > NEUTRAL)
        return cell->n_periodic == 2 ? "a slab with a net charge has no finite Coulomb energy; "
                                       "make its charges add up to zero"
                                     : "a chain with a net charge has no finite Coulomb energy; "
                                       "make its charges add up to zero";
    if (cell->n_periodic == 1) return NULL;
    const double alpha = ewald_balance(cell->n_periodic, cell->measure, n_particles);
    const double r_cut = ewald_reach(options->ewald_tolerance) / alpha;
    if (lattice_count_images(cell, r_cut) > MAX_IMAGES)
        return "the cell is too thin for a Coulomb sum; make it a supercell";
    return NULL;
}

/* Why the engine's damping of Coulomb cannot be honoured; NULL if it can. */
static const char *damping_obstacle(const backend_system *s, const shoal_engine_options *options)
{
    const shoal_pair_settings *p = shoal_pair_model_settings(s->view.model);
    const bool own = p && (p->form == SHOAL_FORM_FORMULA || p->coulomb != SHOAL_COULOMB_PLAIN);
    const bool same =
        own && p->coulomb == SHOAL_COULOMB_DAMPED && p->coulomb_damping == options->coulomb_damping;
    if (!own || same || !s->view.has_charges || !(options->coulomb_damping > 0) ||
        !term_is_on(options, SHOAL_TERM_COULOMB))
        return NULL;
    return "its pair model has a Coulomb form of its own, which a damping from outside does not go "
           "with";
}

/* Why the pair model of a periodic system cannot be honoured; NULL if it can. */
static const char *model_obstacle(const backend_system *s, const geom_lattice *cell,
                                  const shoal_engine_options *options)
{
    const shoal_pair_model *m = s->view.model;
    if (!m || !term_is_on(options, SHOAL_TERM_VDW)) return NULL;
    const formula *f = m->formula;
    if (f && (formula_uses(f, FORMULA_IN_Q) || formula_uses(f, FORMULA_IN_QI) ||
              formula_uses(f, FORMULA_IN_QJ)))
        return "its pairs are a formula with charges, which is cut off in a periodic system; "
               "leave Coulomb to a model with an Ewald sum";
    const bool lj = pair_model_family(m) == FORM_POWER_12 && !(m->settings.dispersion_damping > 0);
    if (options->vdw_tail && cell->n_periodic == 3 && !lj)
        return "the tail beyond the cut-off is known for undamped LJ 12-6 alone, and its pair "
               "model is another";
    return NULL;
}

/* What the pairs of MMFF94 have no meaning for. */
static const char *buffered_obstacle(const geom_lattice *cell, const shoal_engine_options *options)
{
    if (cell->n_periodic > 0) return "it is periodic: MMFF94 has no lattice sum";
    if (options->surface && term_is_on(options, SHOAL_TERM_SURFACE))
        return "MMFF94 has no types for the atoms of a substrate, and so no pairs with them";
    return NULL;
}

/* Rejects systems that are sound but beyond what can be computed. */
static bool check_support(const backend_system *s, const geom_lattice *cell,
                          const shoal_engine_options *options, backend_result *result)
{
    const int32_t n = mover_count(&s->view);
    const char *obstacle = damping_obstacle(s, options);
    if (!obstacle && s->view.model && s->view.model->settings.form == SHOAL_FORM_BUFFERED)
        obstacle = buffered_obstacle(cell, options);
    if (obstacle) shoal_backend_reject(result, n, SHOAL_SYSTEM_UNTYPED, "%s", obstacle);
    if (obstacle || cell->n_periodic == 0) return !obstacle;
    if (term_is_on(options, SHOAL_TERM_VDW) &&
        lattice_count_images(cell, options->vdw_cutoff) > MAX_IMAGES) {
        shoal_backend_reject(result, n, SHOAL_SYSTEM_UNTYPED,
                             "the cell is so small that more than %.0f images lie within the "
                             "van der Waals cut-off",
                             MAX_IMAGES);
        return false;
    }
    const bool coulomb =
        term_is_on(options, SHOAL_TERM_COULOMB) && pair_model_has_coulomb(&s->view);
    obstacle = model_obstacle(s, cell, options);
    if (!obstacle && coulomb) obstacle = coulomb_obstacle(s, cell, options);
    if (obstacle) shoal_backend_reject(result, n, SHOAL_SYSTEM_UNTYPED, "%s", obstacle);
    return !obstacle;
}

bool system_check(const backend_system *system, const shoal_engine_options *options,
                  backend_result *result)
{
    geom_lattice cell;
    if (!lattice_init(&cell, system->cell, system->view.pbc)) {
        shoal_backend_reject(result, mover_count(&system->view), SHOAL_SYSTEM_NOT_FINITE,
                             "the cell is not finite or its periodic vectors are dependent");
        return false;
    }
    for (int32_t i = 0; i < mover_count(&system->view); ++i)
        if (!check_mover(system, &cell, i, result)) return false;
    return check_support(system, &cell, options, result);
}

static void note_background(const backend_system *system, const shoal_engine_options *options,
                            char note[BACKEND_REASON_SIZE])
{
    const shoal_topology_view *v = &system->view;
    const shoal_pair_settings *p = shoal_pair_model_settings(v->model);
    double charge = 0;
    if (!v->pbc[0] || !v->pbc[1] || !v->pbc[2] || !pair_model_has_coulomb(v) ||
        !term_is_on(options, SHOAL_TERM_COULOMB))
        return;
    for (int32_t i = 0; i < v->n_atoms + v->n_sites; ++i) charge += v->charges[i];
    if (p) charge /= sqrt(p->lambda); /* what acts has its root in it */
    if (fabs(charge) > NO_CHARGE)
        (void)snprintf(note, BACKEND_REASON_SIZE,
                       "net charge %+.*f e: neutralised by a uniform background",
                       fabs(charge) < 1e-3 ? 6 : 3, charge);
}

/* Where a mesh was asked for. */
static void note_plain_sum(const backend_system *system, const shoal_engine_options *options,
                           char note[BACKEND_REASON_SIZE])
{
    const shoal_topology_view *v = &system->view;
    const int n_periodic = v->pbc[0] + v->pbc[1] + v->pbc[2];
    bool charged = false;
    for (int32_t i = 0; i < v->n_atoms + v->n_sites; ++i) charged = charged || v->charges[i] != 0;
    if (options->ewald == SHOAL_EWALD_MESH && charged && pair_model_has_coulomb(v) &&
        term_is_on(options, SHOAL_TERM_COULOMB) && (n_periodic == 1 || n_periodic == 2))
        (void)snprintf(
            note, BACKEND_REASON_SIZE,
            "its Coulomb sum is plain: a mesh needs a system that is periodic in three directions");
}

void system_note(const backend_system *system, const shoal_engine_options *options,
                 char note[BACKEND_REASON_SIZE])
{
    note[0] = '\0';
    note_background(system, options, note);
    note_plain_sum(system, options, note);
    const size_t used = strlen(note);
    char why[BACKEND_REASON_SIZE];
    if (!term_is_on(options, SHOAL_TERM_SURFACE) ||
        shoal_grid_passes(options->grid, why, sizeof why))
        return;
    (void)snprintf(note + used, BACKEND_REASON_SIZE - used, "%s%s", used ? "; " : "", why);
}
