/* SPDX-License-Identifier: BSD-3-Clause
 * Second derivatives of systems with electron pairs and directions, which follow the atoms at once: with H of
 * atoms a and of the others d, H_aa - H_ad H_dd^-1 H_da. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/engine.h"
#include "engine/modes.h"
#include "geom/eigen.h"
#include "geom/vector.h"

#define SETTLED 1e-7   /* eV/angstrom, eV: where they are relaxed to, .. */
#define UNSETTLED 1e-4 /* .. and where it is no use to go on */
#define SETTLE_STEPS 5000
/* eV/angstrom^2, eV: what turns with less of a force turns freely, as the axis of a straight molecule does. */
#define FREE 1e-4

/* --- where they settle ---------------------------------------------------------------------------- */

/* Two unit vectors perpendicular to p and to each other. */
static void find_axes(const double p[3], double axes[2][3])
{
    vector_any_aside(p, axes[0]);
    vector_cross(p, axes[0], axes[1]);
}

/* An engine of the system with these atoms fixed, and what is no atom where it was found last. */
static shoal_status open_engine(const modes_system *s, const bool *fixed,
                                const shoal_engine_options *options, shoal_engine **out)
{
    shoal_batch *batch = NULL;
    shoal_system system = s->system;
    system.fixed = fixed;
    const size_t size = (size_t)(s->n_pairs + s->n_directions) * sizeof *s->auxiliary;
    shoal_status status = shoal_batch_create(&batch);
    if (status == SHOAL_OK) status = shoal_batch_add(batch, &system);
    if (status == SHOAL_OK) status = shoal_engine_create(out, batch, options);
    if (status == SHOAL_OK && s->start) memcpy((*out)->results[0].pos + s->n_atoms, s->start, size);
    shoal_batch_destroy(batch);
    return status;
}

/* With all atoms held, whose forces nobody tells. */
static shoal_status relax(modes_system *s, const bool *all, const shoal_engine_options *options)
{
    static const shoal_relax_options settle = {.fmax = SETTLED, .max_steps = SETTLE_STEPS};
    const int32_t n = s->n_pairs + s->n_directions;
    shoal_engine *engine = NULL;
    shoal_status status = open_engine(s, all, options, &engine);
    if (status == SHOAL_OK) status = shoal_engine_relax(engine, &settle, NULL, NULL);
    if (status == SHOAL_OK)
        memcpy(s->auxiliary, engine->results[0].pos + s->n_atoms, (size_t)n * sizeof *s->auxiliary);
    if (status == SHOAL_OK && !(engine->results[0].fmax < UNSETTLED))
        (void)snprintf(s->failure, sizeof s->failure,
                       "modes: electron pairs or directions do not settle: forces of %g are left",
                       engine->results[0].fmax);
    shoal_engine_destroy(engine);
    s->start = (const double(*)[3])s->auxiliary;
    for (int32_t k = 0; k < s->n_directions; ++k)
        find_axes(s->auxiliary[s->n_pairs + k], s->axes[k]);
    return status;
}

/* Energy and forces there. */
static shoal_status look(modes_system *s, const shoal_engine_options *options)
{
    shoal_engine *engine = NULL;
    shoal_status status = open_engine(s, s->system.fixed, options, &engine);
    if (status == SHOAL_OK) status = shoal_engine_eval(engine);
    if (status == SHOAL_OK) {
        s->energy = engine->results[0].energy;
        s->fmax = engine->results[0].fmax;
    }
    shoal_engine_destroy(engine);
    return status;
}

shoal_status modes_auxiliary_settle(modes_system *s, const shoal_engine_options *engine)
{
    bool *fixed = shoal_alloc((size_t)s->n_atoms, sizeof *fixed);
    s->auxiliary = shoal_alloc((size_t)(s->n_pairs + s->n_directions), sizeof *s->auxiliary);
    s->axes = shoal_alloc((size_t)s->n_directions + 1, sizeof *s->axes);
    for (int32_t i = 0; fixed && i < s->n_atoms; ++i) fixed[i] = true;
    shoal_status status = fixed && s->auxiliary && s->axes ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = relax(s, fixed, engine);
    if (status == SHOAL_OK && !s->failure[0]) status = look(s, engine);
    free(fixed);
    return status;
}

/* --- differences ---------------------------------------------------------------------------------- */

void modes_auxiliary_displace(const modes_system *s, int32_t c, double by, double (*out)[3])
{
    const int32_t of_pair = c - 3 * s->n_free, of_direction = of_pair - 3 * s->n_pairs;
    memcpy(out, s->auxiliary, (size_t)(s->n_pairs + s->n_directions) * sizeof *out);
    if (of_direction >= 0) {
        const double *axis = s->axes[of_direction / 2][of_direction % 2];
        double *p = out[s->n_pairs + of_direction / 2];
        for (int k = 0; k < 3; ++k) p[k] = cos(by) * p[k] + sin(by) * axis[k];
    } else if (of_pair >= 0) {
        out[of_pair / 3][of_pair % 3] += by;
    }
}

double modes_auxiliary_force(const modes_system *s, int32_t c, const double (*forces)[3])
{
    const int32_t of_pair = c - 3 * s->n_free, of_direction = of_pair - 3 * s->n_pairs;
    if (of_direction < 0) return forces[s->n_atoms + of_pair / 3][of_pair % 3];
    const double *axis = s->axes[of_direction / 2][of_direction % 2];
    const double *f = forces[s->n_atoms + s->n_pairs + of_direction / 2];
    return vector_dot(f, axis);
}

/* --- elimination ---------------------------------------------------------------------------------- */

/* One motion of the others with its stiffness: what atoms gain where it follows them. row and column: [n]. */
static void follow(double *h, size_t n, size_t n_atoms, const double *u, double stiffness,
                   double *row, double *column)
{
    for (size_t i = 0; i < n_atoms; ++i) {
        row[i] = column[i] = 0;
        for (size_t d = n_atoms; d < n; ++d) {
            column[i] += h[i * n + d] * u[d - n_atoms];
            row[i] += u[d - n_atoms] * h[d * n + i];
        }
    }
    for (size_t i = 0; i < n_atoms; ++i)
        for (size_t j = 0; j < n_atoms; ++j) h[i * n + j] -= column[i] * row[j] / stiffness;
}

/* dd[m][m], values[m], work[2 n]: memory. */
static bool eliminate(double *h, size_t n, size_t n_atoms, double *dd, double *values, double *work)
{
    const size_t m = n - n_atoms;
    for (size_t a = 0; a < m; ++a)
        for (size_t b = 0; b < m; ++b)
            dd[a * m + b] =
                0.5 * (h[(n_atoms + a) * n + n_atoms + b] + h[(n_atoms + b) * n + n_atoms + a]);
    if (!eigen_symmetric((int32_t)m, dd, values, work)) return false;
    for (size_t k = 0; k < m; ++k)
        if (fabs(values[k]) > FREE) follow(h, n, n_atoms, dd + k * m, values[k], work, work + n);
    for (size_t i = 0; i < n_atoms; ++i) memmove(h + i * n_atoms, h + i * n, n_atoms * sizeof *h);
    return true;
}

shoal_status modes_auxiliary_eliminate(modes_system *s)
{
    const size_t n = (size_t)modes_n_coordinates(s), n_atoms = 3 * (size_t)s->n_free,
                 m = n - n_atoms;
    if (m == 0) return SHOAL_OK;
    double *dd = shoal_alloc(m * m, sizeof *dd);
    double *values = shoal_alloc(m, sizeof *values), *work = shoal_alloc(2 * n, sizeof *work);
    const bool memory = dd && values && work;
    if (memory && !(eliminate(s->hessian, n, n_atoms, dd, values, work) &&
                    eliminate(s->coarse, n, n_atoms, dd, values, work)))
        (void)snprintf(s->failure, sizeof s->failure,
                       "modes: second derivatives that are not finite");
    free(dd);
    free(values);
    free(work);
    return memory ? SHOAL_OK : SHOAL_E_MEMORY;
}
