/* SPDX-License-Identifier: BSD-3-Clause
 * Degrees of freedom: the file that lists them, their scales, and which of them the data hold. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/families.h"
#include "fit/formula_model.h"
#include "io/atom_types.h"
#include "io/input.h"

enum { N_NUMBERS = 9, N_REQUIRED = 7 }; /* behind type and comp */

/* A step of this size in p is a moderate change: angstrom, sqrt(eV), e, 1, angstrom. */
static const double comp_scales[FIT_EXTRA] = {0.1, 0.01, 0.1, 0.2, 0.1};

const char *fit_comp_name(const fit_problem *problem, int32_t comp)
{
    static const char *const names[FIT_EXTRA] = {"R", "E", "Q", "H", "L"};
    return comp < FIT_EXTRA ? names[comp] : problem->model.extra[comp - FIT_EXTRA];
}

/* The same for all types, so that those of an element can be compared: a tenth of the mean size in the table. */
static double scale_of(const fit_problem *problem, int32_t comp)
{
    double sum = 0.0;
    if (comp < FIT_EXTRA) return comp_scales[comp];
    for (int32_t t = 0; t < problem->n_types; ++t)
        sum += fabs(shoal_atom_types_column(problem->data->types, t, comp - FIT_EXTRA));
    return fmax(0.1 * sum / problem->n_types, 0.001);
}

double fit_dof_scaled(const fit_dof *dof, double x)
{
    return (dof->type >= 0 && dof->comp == FIT_Y ? sqrt(x) : x) / dof->scale;
}

double fit_dof_value(const fit_dof *dof, double u)
{
    const double p = u * dof->scale;
    return dof->type >= 0 && dof->comp == FIT_Y ? p * p : p;
}

double fit_dof_rate(const fit_dof *dof, double u)
{
    return dof->type >= 0 && dof->comp == FIT_Y ? 2.0 * u * dof->scale * dof->scale : dof->scale;
}

const char *fit_dof_frozen_why(const fit_dof *dof)
{
    if (dof->min == dof->max) return "its bounds are equal";
    if (dof->n_atoms == 0) return "the data have no such atoms";
    return dof->why;
}

static shoal_status parse_comp(const fit_problem *problem, shoal_input *in, shoal_span word,
                               int32_t *comp)
{
    const int32_t n_extra = problem->model.n_extra;
    for (int32_t k = 0; k < FIT_EXTRA + n_extra; ++k) {
        const char digit[] = {(char)('0' + k), '\0'};
        *comp = k;
        if (shoal_span_equal(word, fit_comp_name(problem, k)) ||
            (k < FIT_EXTRA && shoal_span_equal(word, digit)))
            return SHOAL_OK;
    }
    return shoal_input_fail(in, word, "unknown component",
                            "0 or R, 1 or E, 2 or Q, 3 or H, 4 or L%s",
                            n_extra > 0 ? ", or a column of the formula" : "");
}

/* Whether the energy depends on a fixed global. A formula brings its own constants in place of c, beta
 * and d. */
static bool has_meaning(const fit_problem *problem, int32_t global)
{
    const bool own = fit_formula_of(&problem->model) != NULL;
    const bool soft =
        problem->coulomb == SHOAL_COULOMB_DAMPED || problem->coulomb == SHOAL_COULOMB_ERF;
    switch (global) {
    case FIT_ALPHA: return problem->model.globals_used & 1u << FIT_ALPHA;
    case FIT_RADIUS_C: return !own;
    case FIT_BETA: return !own && problem->model.disperses;
    case FIT_COULOMB_D: return !own && soft;
    default: return true;
    }
}

/* Global parameter of a name, -1 if there is none. */
static int32_t global_by_name(const fit_problem *problem, shoal_span name)
{
    static const char *const names[FIT_N_FIXED_GLOBALS] = {"alpha", "lambda", "L",
                                                           "c",     "beta",   "d"};
    for (int32_t k = 0; k < problem->model.n_constants; ++k)
        if (shoal_span_equal(name, problem->model.constants[k])) return FIT_N_FIXED_GLOBALS + k;
    for (int k = 0; k < FIT_N_FIXED_GLOBALS; ++k)
        if (shoal_span_equal(name, names[k])) return k;
    return -1;
}

static double global_scale(int32_t global, double start)
{
    if (global < FIT_N_FIXED_GLOBALS) return 0.1;
    return fmax(0.1 * fabs(start), 0.01);
}

/* "type comp" or "* name". */
static shoal_status parse_target(shoal_fit *fit, shoal_input *in, shoal_span type, shoal_span comp,
                                 fit_dof *dof)
{
    const fit_problem *problem = &fit->problem;
    const int32_t globals = FIT_N_COMPS * problem->n_types;
    if (shoal_span_equal(type, "*")) {
        dof->type = -1;
        dof->comp = global_by_name(problem, comp);
        if (dof->comp < 0)
            return shoal_input_fail(in, comp, "unknown global parameter",
                                    "alpha, lambda, L, c, beta, d or a constant of the formula");
        if (!has_meaning(problem, dof->comp))
            return shoal_input_fail(
                in, comp, dof->comp == FIT_ALPHA ? "no alpha in this model" : "not in this model",
                "a DOF that the model %s has", problem->model.name);
        dof->slot = globals + dof->comp;
        dof->start = problem->fixed[dof->slot];
        (void)snprintf(dof->name, sizeof dof->name, "%.*s", (int)comp.size, comp.text);
        return SHOAL_OK;
    }
    dof->type = atom_types_find_span(problem->data->types, type);
    if (dof->type < 0)
        return shoal_input_fail(in, type, "unknown type", "a name of the table of atom types");
    SHOAL_TRY(parse_comp(problem, in, comp, &dof->comp));
    dof->slot = FIT_N_COMPS * dof->type + dof->comp;
    dof->scale = scale_of(problem, dof->comp);
    dof->start = problem->fixed[dof->slot];
    if (dof->comp == FIT_Y) dof->start *= dof->start;
    (void)snprintf(dof->name, sizeof dof->name, "%.*s.%s", (int)type.size, type.text,
                   fit_comp_name(problem, dof->comp));
    return SHOAL_OK;
}

/* Lengths are not negative, and exp-6 has a pole at alpha = 6. */
static shoal_status check_length(const shoal_fit *fit, shoal_input *in, shoal_span line,
                                 const fit_dof *dof)
{
    const bool own = dof->type >= 0;
    const bool length = own ? dof->comp == FIT_R || dof->comp == FIT_L : dof->comp == FIT_SITE_L;
    const bool above = !own && (dof->comp == FIT_BETA || dof->comp == FIT_COULOMB_D);
    if (above && !(dof->min > 0.0))
        return shoal_input_fail(in, line, "bad damping", "min (column 3) above 0");
    if (!own && dof->comp == FIT_LAMBDA && dof->min < 0.0)
        return shoal_input_fail(in, line, "bad lambda", "min (column 3) of at least 0");
    if (length && dof->min < 0.0)
        return shoal_input_fail(in, line, "bad length", "min (column 3) of at least 0 A");
    if (!own && dof->comp == FIT_ALPHA && dof->min <= 6.0 &&
        strcmp(fit->problem.model.name, "exp6") == 0)
        return shoal_input_fail(in, line, "bad alpha", "min (column 3) above 6, the pole of exp6");
    return SHOAL_OK;
}

/* A depth that the table has passes even where one from elsewhere would look like kcal/mol. */
static shoal_status check_depth(const shoal_fit *fit, shoal_input *in, shoal_span line,
                                const fit_dof *dof)
{
    const double of_table = shoal_atom_types_get(fit->problem.data->types, dof->type)->e;
    const double most = fmax(ATOM_TYPE_E_LIMIT, of_table);
    if (dof->min >= 0.0 && dof->start <= most) return SHOAL_OK;
    return shoal_input_fail(in, line, "bad E", "a depth in eV from 0 to %g, not its root", most);
}

static shoal_status check_dof(const shoal_fit *fit, shoal_input *in, shoal_span line, fit_dof *dof)
{
    const bool depth = dof->type >= 0 && dof->comp == FIT_Y;
    if (!(dof->min <= dof->max))
        return shoal_input_fail(in, line, "bad bounds", "min (column 3) not above max (column 4)");
    if (!(dof->start >= dof->min && dof->start <= dof->max))
        return shoal_input_fail(in, line, "bad start", "%g between the bounds %g and %g",
                                dof->start, dof->min, dof->max);
    if (depth) SHOAL_TRY(check_depth(fit, in, line, dof));
    if (dof->type >= 0 && dof->comp == FIT_H && (dof->min < -1.0 || dof->max > 1.0))
        return shoal_input_fail(in, line, "bad H",
                                "bounds within -1 and 1, or the repulsion changes its sign");
    if (dof->klo < 0.0 || dof->khi < 0.0 || dof->k0 < 0.0)
        return shoal_input_fail(in, line, "negative stiffness", "Klo, Khi and K0 of at least 0");
    SHOAL_TRY(check_length(fit, in, line, dof));
    dof->walls = dof->xlo <= dof->xhi;
    if (!dof->walls && (dof->klo > 0.0 || dof->khi > 0.0))
        return shoal_input_fail(in, line, "bad walls", "xlo (column 5) not above xhi (column 6)");
    for (int32_t i = 0; i < fit->n_dofs; ++i)
        if (fit->dofs[i].slot == dof->slot)
            return shoal_input_fail(in, line, "DOF listed twice", "every DOF once");
    return SHOAL_OK;
}

static shoal_status parse_line(shoal_fit *fit, shoal_input *in, shoal_span line)
{
    static const char *const columns[N_NUMBERS] = {"min", "max", "xlo",    "xhi",    "Klo",
                                                   "Khi", "K0",  "xstart", "invMass"};
    fit_dof dof = {.inv_mass = 1.0, .column = -1};
    shoal_span rest = line;
    const shoal_span type = shoal_span_word(&rest);
    const shoal_span comp = shoal_span_word(&rest);
    SHOAL_TRY(parse_target(fit, in, type, comp, &dof));
    double *const numbers[N_NUMBERS] = {&dof.min, &dof.max, &dof.xlo,   &dof.xhi,     &dof.klo,
                                        &dof.khi, &dof.k0,  &dof.start, &dof.inv_mass};
    for (int k = 0; k < N_NUMBERS; ++k) {
        const shoal_span word = shoal_span_word(&rest);
        if (word.size == 0 && k >= N_REQUIRED) break;
        if (word.size == 0)
            return shoal_input_fail(in, line, "too few columns",
                                    "type comp min max xlo xhi Klo Khi K0 [xstart [invMass]], no "
                                    "%s found",
                                    columns[k]);
        if (!shoal_text_double(word, numbers[k]))
            return shoal_input_fail(in, word, "bad number", "%s (column %d), a finite number",
                                    columns[k], k + 3);
    }
    const shoal_span extra = shoal_span_word(&rest);
    if (extra.size > 0)
        return shoal_input_fail(in, extra, "too many columns",
                                "type comp min max xlo xhi Klo Khi K0 [xstart [invMass]]");
    if (dof.type < 0) dof.scale = global_scale(dof.comp, dof.start);
    SHOAL_TRY(check_dof(fit, in, line, &dof));
    SHOAL_TRY(SHOAL_RESERVE(&fit->dofs, &fit->dof_capacity, fit->n_dofs + 1));
    fit->dofs[fit->n_dofs++] = dof;
    return SHOAL_OK;
}

static shoal_status read_lines(shoal_fit *fit, shoal_input *in)
{
    for (;;) {
        shoal_span line;
        bool found;
        SHOAL_TRY(shoal_input_line(in, &line, &found));
        if (!found) break;
        for (size_t i = 0; i < line.size; ++i)
            if (line.text[i] == '#' && (i == 0 || shoal_is_blank(line.text[i - 1]))) line.size = i;
        line = shoal_span_trim(line);
        if (line.size > 0) SHOAL_TRY(parse_line(fit, in, line));
    }
    return SHOAL_OK;
}

shoal_status fit_dofs_read(shoal_fit *fit, const char *path)
{
    shoal_input *in;
    SHOAL_TRY(shoal_input_open(&in, path, NULL));
    const shoal_status status = read_lines(fit, in);
    shoal_input_destroy(in);
    return status;
}

shoal_status fit_dofs_read_memory(shoal_fit *fit, const char *text, const char *label)
{
    shoal_input *in;
    SHOAL_TRY(shoal_input_open_memory(&in, text, strlen(text), label));
    const shoal_status status = read_lines(fit, in);
    shoal_input_destroy(in);
    return status;
}

static bool has_global(const shoal_fit *fit, int32_t global)
{
    for (int32_t i = 0; i < fit->n_dofs; ++i)
        if (fit->dofs[i].type < 0 && fit->dofs[i].comp == global) return true;
    return false;
}

/* What --fit-alpha and --fit-lambda ask for, unless the file has them. */
static shoal_status add_asked(shoal_fit *fit)
{
    char line[128];
    const double alpha = fit->problem.fixed[FIT_N_COMPS * fit->problem.n_types + FIT_ALPHA];
    if (fit->options.fit_alpha && !has_global(fit, FIT_ALPHA)) {
        /* exp-6 has a pole at 6 */
        const double least = strcmp(fit->problem.model.name, "exp6") == 0 ? 7.0 : 0.5 * alpha;
        (void)snprintf(line, sizeof line, "* alpha %.17g %.17g 1 0 0 0 0", least, 2.0 * alpha);
        SHOAL_TRY(fit_dofs_read_memory(fit, line, "fitted alpha"));
    }
    if (fit->options.fit_lambda && !has_global(fit, FIT_LAMBDA))
        SHOAL_TRY(fit_dofs_read_memory(fit, "* lambda 0.2 3 1 0 0 0 0", "fitted lambda"));
    if (fit->options.fit_radius_charge && !has_global(fit, FIT_RADIUS_C))
        SHOAL_TRY(fit_dofs_read_memory(fit, "* c -0.6 0.6 1 0 0 0 0", "fitted c of radii"));
    if (fit->options.fit_dispersion_damping && !has_global(fit, FIT_BETA))
        SHOAL_TRY(fit_dofs_read_memory(fit, "* beta 0.5 20 1 0 0 0 0", "fitted beta"));
    if (fit->options.fit_coulomb_damping && !has_global(fit, FIT_COULOMB_D))
        SHOAL_TRY(fit_dofs_read_memory(fit, "* d 0.05 4 1 0 0 0 0", "fitted d of Coulomb"));
    return SHOAL_OK;
}

/* A charge of a type of sites or of a bond, unless the file has it. */
static shoal_status add_charge(shoal_fit *fit, const char *type, const char *label)
{
    const int32_t row = shoal_atom_types_find(fit->problem.data->types, type);
    char line[128];
    for (int32_t i = 0; i < fit->n_dofs; ++i)
        if (fit->dofs[i].slot == FIT_N_COMPS * row + FIT_Q) return SHOAL_OK;
    (void)snprintf(line, sizeof line, "%s Q -1 1 1 0 0 0 0", type);
    return fit_dofs_read_memory(fit, line, label);
}

/* Types of the hosts of sites, -1 for types that are no sites; by rules, and of frames that came with sites. */
static shoal_status find_hosts(shoal_fit *fit)
{
    const shoal_dataset *data = fit->problem.data;
    const int32_t n = fit->problem.n_types;
    fit->site_host = arena_alloc(&fit->memory, (size_t)n, sizeof *fit->site_host);
    if (!fit->site_host) return SHOAL_E_MEMORY;
    for (int32_t t = 0; t < n; ++t) fit->site_host[t] = -1;
    for (int32_t r = 0; r < data->n_site_rules; ++r)
        fit->site_host[shoal_atom_types_find(data->types, data->site_rules[r].site)] =
            shoal_atom_types_find(data->types, data->site_rules[r].host);
    for (int32_t s = 0; s < data->n_samples && data->n_site_rules == 0; ++s) {
        const int32_t start = data->samples[s].atom_start;
        for (int32_t i = start; i < start + data->samples[s].n_atoms; ++i)
            if (data->host[i] >= 0 && fit->site_host[data->type[i]] < 0)
                fit->site_host[data->type[i]] = data->type[start + data->host[i]];
    }
    return SHOAL_OK;
}

static shoal_status add_charges(shoal_fit *fit)
{
    const shoal_dataset *data = fit->problem.data;
    for (int32_t t = 0; fit->options.fit_site_charges && t < fit->problem.n_types; ++t)
        if (fit->site_host[t] >= 0)
            SHOAL_TRY(add_charge(fit, shoal_atom_types_get(data->types, t)->name,
                                 "fitted charges of sites"));
    for (int32_t k = 0; fit->options.fit_increments && k < data->n_increments; ++k)
        SHOAL_TRY(add_charge(fit,
                             shoal_atom_types_get(data->types, data->first_increment + k)->name,
                             "fitted increments"));
    return SHOAL_OK;
}

/* Atoms of samples that count, by type. */
static int32_t *count_types(const shoal_fit *fit)
{
    const shoal_dataset *data = fit->problem.data;
    int32_t *count = shoal_alloc((size_t)fit->problem.n_types, sizeof *count);
    for (int32_t s = 0; count && s < data->n_samples; ++s) {
        const fit_sample *sample = &data->samples[s];
        if (dataset_weight(data, s) <= 0.0) continue;
        for (int32_t i = 0; i < sample->n_atoms; ++i) count[data->type[sample->atom_start + i]]++;
        for (int32_t k = 0; k < sample->n_bonds; ++k)
            count[data->bonds[sample->bond_start + k].type]++;
    }
    return count;
}

/* Rare types have little say in the data; their tether grows as their number falls. */
static void set_tethers(shoal_fit *fit)
{
    double sum = 0.0;
    int32_t n = 0;
    for (int32_t i = 0; i < fit->n_dofs; ++i) {
        const fit_dof *dof = &fit->dofs[i];
        if (dof->frozen || dof->type < 0) continue;
        sum += dof->n_atoms;
        ++n;
    }
    for (int32_t i = 0; i < fit->n_dofs && n > 0; ++i) {
        fit_dof *dof = &fit->dofs[i];
        if (dof->frozen || dof->type < 0) continue;
        dof->tether = fit->options.tether * (sum / n) / dof->n_atoms;
    }
}

/* Element of a type, for sites that of their atoms. */
static const char *element_of(const shoal_fit *fit, int32_t type)
{
    const int32_t host = fit->site_host[type];
    return shoal_atom_types_get(fit->problem.data->types, host >= 0 ? host : type)->element;
}

/* Kind of the rule that puts sites of a type there, -1 if there is none. */
static int kind_of(const shoal_dataset *data, int32_t type)
{
    const char *name = shoal_atom_types_get(data->types, type)->name;
    for (int32_t r = 0; r < data->n_site_rules; ++r)
        if (strcmp(data->site_rules[r].site, name) == 0) return (int)data->site_rules[r].kind;
    return -1;
}

static bool is_increment(const shoal_dataset *data, int32_t type)
{
    return data->n_increments > 0 && type >= data->first_increment;
}

/* Same component, same element; of sites also the same kind. */
static bool are_alike(const shoal_fit *fit, const fit_dof *a, const fit_dof *b)
{
    const shoal_dataset *data = fit->problem.data;
    const bool site_a = fit->site_host[a->type] >= 0, site_b = fit->site_host[b->type] >= 0;
    if (is_increment(data, a->type) || is_increment(data, b->type)) return false;
    return a->comp == b->comp && site_a == site_b &&
           kind_of(data, a->type) == kind_of(data, b->type) &&
           strcmp(element_of(fit, a->type), element_of(fit, b->type)) == 0;
}

/* Charges of sites and increments are small. */
static void mark_small(shoal_fit *fit)
{
    const shoal_dataset *data = fit->problem.data;
    for (int32_t i = 0; i < fit->n_dofs; ++i) {
        fit_dof *dof = &fit->dofs[i];
        dof->small = dof->type >= 0 && dof->comp == FIT_Q &&
                     (fit->site_host[dof->type] >= 0 || is_increment(data, dof->type));
    }
}

/* Groups of free DOFs of one element and component; a DOF alone has none. */
static void set_groups(shoal_fit *fit)
{
    for (int32_t i = 0; i < fit->n_dofs; ++i) fit->dofs[i].group = -1;
    for (int32_t i = 0; i < fit->n_dofs; ++i) {
        fit_dof *dof = &fit->dofs[i];
        if (dof->frozen || dof->type < 0 || dof->group >= 0) continue;
        bool alone = true;
        for (int32_t k = i + 1; k < fit->n_dofs; ++k) {
            fit_dof *other = &fit->dofs[k];
            if (other->frozen || other->type < 0 || !are_alike(fit, dof, other)) continue;
            other->group = dof->group = fit->n_groups;
            alone = false;
        }
        if (alone &&
            dof->small) { /* it has a group, so that the stage with the pool is not left out */
            dof->group = fit->n_groups;
            alone = false;
        }
        fit->n_groups += !alone;
    }
}

/* No H enters the energy. */
static bool without_hbonds(const fit_problem *problem)
{
    return problem->model.hbond == SHOAL_HBOND_NONE && !fit_formula_of(&problem->model) &&
           !problem->site_model;
}

/* Nothing but the data counts, whatever the file of DOFs says. */
static void drop_pulls(shoal_fit *fit)
{
    fit->options.pool = -1.0;
    fit->options.tether = 0.0;
    for (int32_t i = 0; i < fit->n_dofs; ++i) {
        fit->dofs[i].klo = fit->dofs[i].khi = fit->dofs[i].k0 = 0.0;
    }
}

shoal_status fit_dofs_settle(shoal_fit *fit)
{
    SHOAL_TRY(find_hosts(fit));
    SHOAL_TRY(add_asked(fit));
    SHOAL_TRY(add_charges(fit));
    if (fit->options.unregularized) drop_pulls(fit);
    mark_small(fit);
    int32_t *count = count_types(fit);
    if (!count) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < fit->n_dofs; ++i) {
        fit_dof *dof = &fit->dofs[i];
        dof->n_atoms = dof->type >= 0 ? count[dof->type] : fit->problem.data->n_atoms;
        dof->frozen = dof->n_atoms == 0 || dof->min == dof->max;
        if (dof->type >= 0 && dof->comp >= FIT_EXTRA &&
            !formula_uses_column(fit_formula_of(&fit->problem.model), dof->comp - FIT_EXTRA)) {
            dof->frozen = true;
            dof->why = "the formula does not use this column";
        }
        if (dof->type < 0 || dof->comp != FIT_H || !without_hbonds(&fit->problem)) continue;
        dof->frozen = true;
        dof->why = "the model has no hydrogen bonds";
    }
    free(count);
    if (fit->options.tether > 0.0) set_tethers(fit);
    set_groups(fit);
    fit_set_families(fit);
    return SHOAL_OK;
}
