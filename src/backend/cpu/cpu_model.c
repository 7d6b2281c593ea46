/* SPDX-License-Identifier: BSD-3-Clause
 * Pair models as the CPU schedule sees them. */
#include "backend/cpu/cpu_model.h"

static bool is_off(const shoal_engine_options *options, int term)
{
    return options->terms_off >> term & 1u;
}

cpu_model cpu_model_of(const shoal_topology_view *view, const shoal_engine_options *options)
{
    cpu_model m = {.from = view->model, .family = CPU_NO_VDW, .coulomb = FORM_COULOMB_NONE};
    if (!view->model) return m;
    const shoal_pair_settings *s = &view->model->settings;
    if (!is_off(options, SHOAL_TERM_VDW)) m.family = pair_model_family(view->model);
    m.damped = s->dispersion_damping > 0;
    m.beta = s->dispersion_damping;
    if (s->form == SHOAL_FORM_FORMULA || !view->has_charges || is_off(options, SHOAL_TERM_COULOMB))
        return m;
    m.coulomb = (int)s->coulomb;
    m.damping = s->coulomb_damping;
    if (s->coulomb == SHOAL_COULOMB_PLAIN && options->coulomb_damping > 0) {
        m.coulomb = FORM_COULOMB_DAMPED;
        m.damping = options->coulomb_damping;
    }
    return m;
}

double cpu_coulomb_damping(const shoal_topology_view *view, const shoal_engine_options *options)
{
    if (!view->model) return options->coulomb_damping;
    const cpu_model m = cpu_model_of(view, options);
    return m.coulomb == FORM_COULOMB_DAMPED ? m.damping : 0.0;
}
