/* SPDX-License-Identifier: BSD-3-Clause
 * Pair models: what may stand in one, and what it makes of a pair of atoms. */
#include "ff/pair_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

#include "constants.h"
#include "form_numbers.h"

static const char *const form_names[] = {"lj",     "lj8",   "lj9",  "morse",  "buck",
                                         "morse6", "buck6", "exp6", "formula"};
enum { N_FORMS = sizeof form_names / sizeof form_names[0] };

const char *shoal_pair_form_name(int form)
{
    return form >= 0 && form < N_FORMS ? form_names[form] : NULL;
}

int shoal_pair_form_by_name(const char *name)
{
    for (int k = 0; name && k < N_FORMS; ++k)
        if (strcmp(name, form_names[k]) == 0) return k;
    return -1;
}

static double usual_alpha(shoal_pair_form form)
{
    switch (form) {
    case SHOAL_FORM_MORSE:
    case SHOAL_FORM_BUCK: return 1.6;
    case SHOAL_FORM_MORSE6:
    case SHOAL_FORM_BUCK6: return 6.0;
    case SHOAL_FORM_EXP6: return 12.0;
    default: return 0.0;
    }
}

static bool is_one_of(int value, int n)
{
    return value >= 0 && value < n;
}

static shoal_status check_numbers(const shoal_pair_settings *s)
{
    const double numbers[] = {s->alpha,         s->coulomb_damping,    s->lambda,
                              s->radius_charge, s->dispersion_damping, s->vdw_14,
                              s->coulomb_14};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k)
        if (!isfinite(numbers[k]))
            return shoal_fail(SHOAL_E_ARGUMENT, "pair model: one of its numbers is not finite");
    if (!is_one_of((int)s->form, N_FORMS) || !is_one_of((int)s->hbond, SHOAL_HBOND_NONE + 1) ||
        !is_one_of((int)s->coulomb, SHOAL_COULOMB_NONE + 1))
        return shoal_fail(SHOAL_E_ARGUMENT, "pair model: unknown form, hydrogen bonds or Coulomb");
    if (!is_one_of((int)s->charges, SHOAL_N_CHARGE_SOURCES) || s->charges == SHOAL_CHARGES_TYPES)
        return shoal_fail(SHOAL_E_ARGUMENT, "pair model: unknown source of charges");
    if (s->alpha < 0 || (s->form == SHOAL_FORM_EXP6 && s->alpha > 0 && s->alpha <= 6))
        return shoal_fail(SHOAL_E_ARGUMENT, "pair model: alpha is %g: expected more than %d",
                          s->alpha, s->form == SHOAL_FORM_EXP6 ? 6 : 0);
    if (s->lambda < 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "pair model: lambda is %g: expected more than 0",
                          s->lambda);
    const bool damped = s->coulomb == SHOAL_COULOMB_DAMPED || s->coulomb == SHOAL_COULOMB_ERF;
    if (s->coulomb_damping < 0 || (damped && s->coulomb_damping == 0))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "pair model: the damping length of Coulomb is %g: expected more than 0",
                          s->coulomb_damping);
    if (s->dispersion_damping < 0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "pair model: the damping of dispersion is %g: expected 0 or more",
                          s->dispersion_damping);
    return SHOAL_OK;
}

/* Numbers that nothing would use. */
static shoal_status check_idle(const shoal_pair_settings *s)
{
    const bool damped = s->coulomb == SHOAL_COULOMB_DAMPED || s->coulomb == SHOAL_COULOMB_ERF;
    if (s->alpha > 0 && usual_alpha(s->form) == 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "pair model: alpha, but %s has none",
                          form_names[s->form]);
    if (s->coulomb_damping > 0 && !damped)
        return shoal_fail(SHOAL_E_ARGUMENT, "pair model: a damping length, but Coulomb is neither "
                                            "damped nor erf");
    if (s->form == SHOAL_FORM_FORMULA &&
        (s->hbond != SHOAL_HBOND_REPULSION || s->coulomb != SHOAL_COULOMB_PLAIN))
        return shoal_fail(SHOAL_E_ARGUMENT, "pair model: hydrogen bonds and Coulomb energies of a "
                                            "formula are those that stand in it");
    return SHOAL_OK;
}

static bool has_u6(shoal_pair_form form)
{
    return form != SHOAL_FORM_MORSE && form != SHOAL_FORM_MORSE6 && form != SHOAL_FORM_FORMULA;
}

/* Settings that would be ignored are refused: nobody shall believe that they count. */
static shoal_status check_together(const shoal_pair_settings *s)
{
    const bool own = s->form == SHOAL_FORM_FORMULA;
    if (own != (s->formula != NULL))
        return shoal_fail(SHOAL_E_ARGUMENT, own ? "pair model: its formula is missing"
                                                : "pair model: a formula, but another form");
    if (s->dispersion_damping > 0 && !has_u6(s->form))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "pair model: damping of dispersion, but %s has no u^6 to damp",
                          form_names[s->form]);
    if (!own && s->n_constants > 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "pair model: constants without a formula");
    if (!own && s->n_columns > 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "pair model: columns without a formula");
    if (own && ((s->lambda != 0 && s->lambda != 1) || s->n_sites > 0 || s->vdw_14 != 0 ||
                s->coulomb_14 != 0))
        return shoal_fail(SHOAL_E_ARGUMENT, "pair model: a formula goes with neither lambda, nor "
                                            "sites, nor factors of 1-4 pairs");
    if ((s->vdw_14 != 0 || s->coulomb_14 != 0) &&
        (s->n_sites > 0 || s->coulomb == SHOAL_COULOMB_ERF))
        return shoal_fail(SHOAL_E_ARGUMENT, "pair model: factors of 1-4 pairs go with neither "
                                            "sites nor Coulomb erf");
    if (s->vdw_14 < -1 || s->coulomb_14 < -1)
        return shoal_fail(SHOAL_E_ARGUMENT, "pair model: a factor of 1-4 pairs is below 0");
    return SHOAL_OK;
}

static shoal_status find_type(const shoal_atom_types *types, const char *name, const char *what,
                              int32_t *out)
{
    *out = memchr(name, 0, SHOAL_TYPE_NAME_SIZE) ? shoal_atom_types_find(types, name) : -1;
    if (*out >= 0) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "pair model: %s '%.15s' is not in the table of types", what,
                      name);
}

static shoal_status check_sites(const shoal_pair_settings *s, const shoal_atom_types *types)
{
    for (int32_t k = 0; k < s->n_sites; ++k) {
        const shoal_site_rule *r = &s->sites[k];
        int32_t type;
        SHOAL_TRY(find_type(types, r->host, "the atom of a site", &type));
        SHOAL_TRY(find_type(types, r->site, "the type of a site", &type));
        if (!is_one_of((int)r->kind, 2) || r->n < 1 || r->n > 3 ||
            (r->kind == SHOAL_SITE_BEYOND && r->n != 1))
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "pair model: %d sites of %s: expected 1 to 3 lone "
                              "pairs, or one site beyond the atom",
                              (int)r->n, r->host);
        if (!(r->distance > 0 && r->distance < 10))
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "pair model: sites of %s at %g angstrom: expected 0 to 10", r->host,
                              r->distance);
    }
    return SHOAL_OK;
}

static shoal_status check_increments(const shoal_pair_settings *s, const shoal_atom_types *types)
{
    for (int32_t k = 0; k < s->n_increments; ++k) {
        const shoal_charge_increment *x = &s->increments[k];
        int32_t type;
        SHOAL_TRY(find_type(types, x->from, "the type of an increment", &type));
        SHOAL_TRY(find_type(types, x->to, "the type of an increment", &type));
        if (strcmp(x->from, x->to) == 0)
            return shoal_fail(SHOAL_E_ARGUMENT, "pair model: an increment of %s and itself",
                              x->from);
        if (!isfinite(x->value))
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "pair model: the increment of %s and %s is not "
                              "finite",
                              x->from, x->to);
    }
    return SHOAL_OK;
}

/* Lists have as many entries as they say. */
static bool has_lists(const shoal_pair_settings *s)
{
    const int32_t n[] = {s->n_constants, s->n_sites, s->n_increments, s->n_charged_types,
                         s->n_columns};
    const void *lists[] = {s->constants, s->sites, s->increments, s->charged_types, s->columns};
    for (int k = 0; k < 5; ++k)
        if (n[k] < 0 || (n[k] > 0 && !lists[k])) return false;
    return true;
}

static void *copy(arena *memory, const void *from, int32_t n, size_t size)
{
    void *to = arena_alloc(memory, (size_t)n + 1, size);
    if (to && n > 0) memcpy(to, from, (size_t)n * size);
    return to;
}

static shoal_status copy_settings(shoal_pair_model *m, const shoal_pair_settings *s)
{
    shoal_pair_settings *to = &m->settings;
    arena *a = &m->memory;
    *to = *s;
    to->constants = copy(a, s->constants, s->n_constants, sizeof *s->constants);
    to->sites = copy(a, s->sites, s->n_sites, sizeof *s->sites);
    to->increments = copy(a, s->increments, s->n_increments, sizeof *s->increments);
    to->charged_types =
        copy(a, (const void *)s->charged_types, s->n_charged_types, SHOAL_TYPE_NAME_SIZE);
    to->columns = copy(a, (const void *)s->columns, s->n_columns, sizeof *s->columns);
    if (!to->constants || !to->sites || !to->increments || !to->charged_types || !to->columns)
        return SHOAL_E_MEMORY;
    if (s->formula) {
        to->formula = copy(a, s->formula, (int32_t)strlen(s->formula), 1);
        if (!to->formula) return SHOAL_E_MEMORY;
    }
    if (to->alpha == 0) to->alpha = usual_alpha(s->form);
    if (to->lambda == 0) to->lambda = 1;
    return SHOAL_OK;
}

/* Every name of the formula has a value, and every value a name. */
static shoal_status take_constants(shoal_pair_model *m)
{
    const shoal_pair_settings *s = &m->settings;
    for (int32_t k = 0; k < formula_n_inputs(m->formula) - FORMULA_N_PAIR; ++k) {
        const char *name = formula_input_name(m->formula, FORMULA_N_PAIR + k);
        int32_t c = 0;
        while (c < s->n_constants && strcmp(s->constants[c].name, name) != 0) ++c;
        if (c == s->n_constants)
            return shoal_fail(SHOAL_E_ARGUMENT, "pair model: the constant %s has no value", name);
        m->named[k] = s->constants[c].value;
    }
    for (int32_t c = 0; c < s->n_constants; ++c) {
        bool used = false;
        for (int32_t k = 0; k < c; ++k)
            if (strcmp(s->constants[c].name, s->constants[k].name) == 0)
                return shoal_fail(SHOAL_E_ARGUMENT, "pair model: two values of %.31s",
                                  s->constants[c].name);
        for (int32_t k = FORMULA_N_PAIR; k < formula_n_inputs(m->formula); ++k)
            used = used || strcmp(s->constants[c].name, formula_input_name(m->formula, k)) == 0;
        if (!used)
            return shoal_fail(SHOAL_E_ARGUMENT, "pair model: the formula does not use %.31s",
                              s->constants[c].name);
    }
    return SHOAL_OK;
}

/* The formula, and the numbers of all types in the columns that it names. */
static shoal_status take_formula(shoal_pair_model *m)
{
    const shoal_pair_settings *s = &m->settings;
    const int32_t n = shoal_atom_types_count(m->types);
    formula_columns names = {0};
    for (int32_t k = 0; k < s->n_columns; ++k)
        SHOAL_TRY(formula_columns_add(
            &names, (shoal_span){s->columns[k], strnlen(s->columns[k], sizeof *s->columns)}));
    double *values = arena_alloc(&m->memory, (size_t)(n * names.n) + 1, sizeof *values);
    if (!values) return SHOAL_E_MEMORY;
    for (int32_t t = 0; t < n; ++t)
        for (int32_t k = 0; k < names.n; ++k)
            SHOAL_TRY(formula_column_value(&names, m->types, t, k, &values[t * names.n + k]));
    m->columns = values;
    SHOAL_TRY(formula_create_with(&m->formula, s->formula, &names));
    return take_constants(m);
}

static shoal_status mark_charged(shoal_pair_model *m)
{
    const shoal_pair_settings *s = &m->settings;
    const int32_t n = shoal_atom_types_count(m->types);
    bool *charged = arena_alloc(&m->memory, (size_t)n + 1, sizeof *charged);
    if (!charged) return SHOAL_E_MEMORY;
    for (int32_t t = 0; t < n; ++t) charged[t] = s->all_charged;
    for (int32_t k = 0; k < s->n_charged_types; ++k) {
        int32_t type;
        SHOAL_TRY(find_type(m->types, s->charged_types[k], "the type with a charge", &type));
        charged[type] = true;
    }
    m->charged = charged;
    return SHOAL_OK;
}

static shoal_status fill(shoal_pair_model *m, const shoal_pair_settings *s,
                         const shoal_atom_types *types)
{
    SHOAL_TRY(check_numbers(s));
    SHOAL_TRY(check_together(s));
    SHOAL_TRY(check_idle(s));
    SHOAL_TRY(check_sites(s, types));
    SHOAL_TRY(check_increments(s, types));
    SHOAL_TRY(copy_settings(m, s));
    SHOAL_TRY(shoal_atom_types_copy(&m->types, types));
    SHOAL_TRY(mark_charged(m));
    if (!s->formula) return SHOAL_OK;
    return take_formula(m);
}

shoal_status shoal_pair_model_create(shoal_pair_model **out, const shoal_pair_settings *settings,
                                     const shoal_atom_types *types)
{
    shoal_clear_error();
    SHOAL_NEED(out && settings && types && has_lists(settings));
    *out = NULL;
    shoal_pair_model *m = shoal_alloc(1, sizeof *m);
    if (!m) return SHOAL_E_MEMORY;
    m->references = 1;
    const shoal_status status = fill(m, settings, types);
    if (status == SHOAL_OK)
        *out = m;
    else
        shoal_pair_model_destroy(m);
    return status;
}

shoal_pair_model *shoal_pair_model_retain(shoal_pair_model *model)
{
    if (model) (void)__atomic_add_fetch(&model->references, 1, __ATOMIC_RELAXED);
    return model;
}

void shoal_pair_model_destroy(shoal_pair_model *model)
{
    if (!model || __atomic_sub_fetch(&model->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    formula_destroy(model->formula);
    shoal_atom_types_destroy(model->types);
    arena_free(&model->memory);
    free(model);
}

const shoal_pair_settings *shoal_pair_model_settings(const shoal_pair_model *model)
{
    return model ? &model->settings : NULL;
}

const shoal_atom_types *shoal_pair_model_types(const shoal_pair_model *model)
{
    return model ? model->types : NULL;
}

bool pair_model_is_plain(const shoal_pair_model *model)
{
    const shoal_pair_settings *s = &model->settings;
    if (s->form != SHOAL_FORM_LJ || s->coulomb != SHOAL_COULOMB_PLAIN || s->n_sites > 0 ||
        s->dispersion_damping > 0)
        return false;
    for (int32_t t = 0; t < shoal_atom_types_count(model->types); ++t)
        if (s->hbond != SHOAL_HBOND_NONE && shoal_atom_types_get(model->types, t)->h != 0.0)
            return false;
    return true;
}

int pair_model_family(const shoal_pair_model *model)
{
    switch (model->settings.form) {
    case SHOAL_FORM_LJ: return FORM_POWER_12;
    case SHOAL_FORM_LJ9: return FORM_POWER_9;
    case SHOAL_FORM_LJ8: return FORM_POWER_8;
    case SHOAL_FORM_MORSE:
    case SHOAL_FORM_MORSE6: return FORM_MORSE;
    case SHOAL_FORM_BUCK:
    case SHOAL_FORM_BUCK6:
    case SHOAL_FORM_EXP6: return FORM_BUCK;
    case SHOAL_FORM_BUFFERED: return FORM_BUFFERED;
    case SHOAL_FORM_FORMULA: break;
    }
    return FORM_FORMULA;
}

double pair_model_hbond(const shoal_pair_model *model, const shoal_topology_view *view, int32_t i,
                        int32_t j)
{
    if (!view->hbonds || model->settings.hbond == SHOAL_HBOND_NONE) return 0.0;
    const double h = view->hbonds[i] * view->hbonds[j];
    return h < 0.0 ? h : 0.0;
}

/* A and B of the form with its factors, as numbers of the family. */
static pair_numbers form_numbers(const shoal_pair_settings *s, double r0)
{
    const double r6 = r0 * r0 * r0 * r0 * r0 * r0, al = s->alpha, c = 1.0 / (al - 6.0);
    const double e = exp(al * r0), e6 = exp(al);
    switch (s->form) {
    case SHOAL_FORM_LJ: return (pair_numbers){2.0 * r6, r6 * r6, 0.0};
    case SHOAL_FORM_LJ8: return (pair_numbers){4.0 * r6, 3.0 * r6 * r0 * r0, 0.0};
    case SHOAL_FORM_LJ9: return (pair_numbers){3.0 * r6, 2.0 * r6 * r0 * r0 * r0, 0.0};
    case SHOAL_FORM_MORSE: return (pair_numbers){2.0 * e, e * e, al};
    case SHOAL_FORM_MORSE6: return (pair_numbers){2.0 * e6, e6 * e6, al / r0};
    case SHOAL_FORM_BUCK: return (pair_numbers){2.0 * r6, e * e, 2.0 * al};
    case SHOAL_FORM_BUCK6: return (pair_numbers){2.0 * r6, e6 * e6, 2.0 * al / r0};
    case SHOAL_FORM_EXP6: return (pair_numbers){al * c * r6, 6.0 * c * e6, al / r0};
    case SHOAL_FORM_BUFFERED:
    case SHOAL_FORM_FORMULA: break;
    }
    return (pair_numbers){0};
}

double pair_model_unit(const shoal_pair_model *model)
{
    const bool own = model && !model->types;
    return own ? COULOMB_CONSTANT * model->settings.lambda : COULOMB_CONSTANT;
}

/* See buffered_atom. */
enum { ACCEPTOR = 1 << 20 };

double buffered_mark(double share, char da)
{
    return da == 'D' ? -share : da == 'A' ? ACCEPTOR * share : share;
}

buffered_atom buffered_atom_of(const shoal_topology_view *view, int32_t i)
{
    const double mark = view->hbonds[i], x = view->vdw_x[i];
    buffered_atom a = {.r = x, .share = fabs(mark), .donor = mark<0, .acceptor = mark> 1024};
    if (a.acceptor) a.share /= ACCEPTOR;
    a.strength = sqrt(2 * a.share * view->vdw_d[i]) * x * x * x;
    return a;
}

/* The distance of the minimum is longer than the mean for unlike atoms, unless one of them is a donor; the depth is that
 * of Slater and Kirkwood. A donor and an acceptor come closer, with half the depth. */
static pair_numbers buffered_numbers(const shoal_topology_view *view, int32_t i, int32_t j)
{
    const buffered_atom a = buffered_atom_of(view, i), b = buffered_atom_of(view, j);
    const double gamma = (a.r - b.r) / (a.r + b.r);
    const double beyond = a.donor || b.donor ? 0 : 0.2 * (1 - exp(-12 * gamma * gamma));
    const double r = 0.5 * (a.r + b.r) * (1 + beyond), r2 = r * r;
    const double e = a.strength * b.strength / ((a.share + b.share) * r2 * r2 * r2);
    const bool bridge = (a.donor && b.acceptor) || (a.acceptor && b.donor);
    return bridge ? (pair_numbers){.a = 0.5 * e, .k = 0.8 * r} : (pair_numbers){.a = e, .k = r};
}

pair_numbers pair_model_numbers(const shoal_pair_model *model, const shoal_topology_view *view,
                                int32_t i, int32_t j)
{
    const shoal_pair_settings *s = &model->settings;
    if (i >= view->n_atoms || j >= view->n_atoms)
        return (pair_numbers){0}; /* sites: charges alone */
    if (s->form == SHOAL_FORM_BUFFERED) return buffered_numbers(view, i, j);
    const double e0 = sqrt(view->vdw_d[i] * view->vdw_d[j]);
    const double h = pair_model_hbond(model, view, i, j);
    const bool on_b = s->hbond == SHOAL_HBOND_REPULSION || s->hbond == SHOAL_HBOND_BOTH;
    const bool on_a = s->hbond == SHOAL_HBOND_ATTRACTION || s->hbond == SHOAL_HBOND_BOTH;
    pair_numbers n = form_numbers(s, 0.5 * (view->vdw_x[i] + view->vdw_x[j]));
    n.a *= e0 * (on_a ? 1.0 - h : 1.0);
    n.b *= e0 * (on_b ? 1.0 + h : 1.0);
    return n;
}

double pair_model_radius(const shoal_topology_view *view, int32_t i)
{
    const bool own = view->model->settings.form == SHOAL_FORM_FORMULA;
    return own || view->vdw_d[i] > 0 ? 0.5 * view->vdw_x[i] : 1;
}

double pair_model_reach2(const shoal_topology_view *view, bool arithmetic, int32_t i, int32_t j)
{
    const double xi = view->vdw_x[i], xj = view->vdw_x[j];
    if (!view->model) return arithmetic ? 0.25 * (xi + xj) * (xi + xj) : xi * xj;
    const bool buffered = view->model->settings.form == SHOAL_FORM_BUFFERED;
    const double reach = buffered ? pair_model_numbers(view->model, view, i, j).k
                                  : pair_model_radius(view, i) + pair_model_radius(view, j);
    return reach * reach;
}

bool pair_model_has_coulomb(const shoal_topology_view *view)
{
    const shoal_pair_settings *s = shoal_pair_model_settings(view->model);
    return view->has_charges &&
           !(s && (s->form == SHOAL_FORM_FORMULA || s->coulomb == SHOAL_COULOMB_NONE));
}

const double *pair_model_columns(const shoal_topology_view *view, int32_t i)
{
    const int32_t n = view->model->settings.n_columns;
    return view->table_types && n > 0 ? &view->model->columns[n * view->table_types[i]] : NULL;
}

void pair_model_inputs(const shoal_topology_view *v, int32_t i, int32_t j,
                       double in[FORMULA_N_PAIR])
{
    const double hi = v->hbonds ? v->hbonds[i] : 0.0, hj = v->hbonds ? v->hbonds[j] : 0.0;
    in[FORMULA_IN_R] = 0.0;
    in[FORMULA_IN_R0] = 0.5 * (v->vdw_x[i] + v->vdw_x[j]);
    in[FORMULA_IN_E0] = sqrt(v->vdw_d[i] * v->vdw_d[j]);
    in[FORMULA_IN_Q] = v->charges[i] * v->charges[j];
    in[FORMULA_IN_H] = hi * hj < 0.0 ? hi * hj : 0.0;
    in[FORMULA_IN_RI] = 0.5 * v->vdw_x[i];
    in[FORMULA_IN_RJ] = 0.5 * v->vdw_x[j];
    in[FORMULA_IN_EI] = v->vdw_d[i];
    in[FORMULA_IN_EJ] = v->vdw_d[j];
    in[FORMULA_IN_QI] = v->charges[i];
    in[FORMULA_IN_QJ] = v->charges[j];
    in[FORMULA_IN_HI] = hi;
    in[FORMULA_IN_HJ] = hj;
    const double *ci = pair_model_columns(v, i), *cj = pair_model_columns(v, j);
    for (int32_t k = 0; k < FORMULA_N_COLUMNS; ++k) {
        const bool known = ci && k < v->model->settings.n_columns;
        in[FORMULA_IN_COLUMNS + 2 * k] = known ? ci[k] : 0.0;
        in[FORMULA_IN_COLUMNS + 2 * k + 1] = known ? cj[k] : 0.0;
    }
}
