/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies as JSON: rows of terms are atoms, their images where the topology repeats, parameters. */
#include "ff/builder.h"
#include "shoal/json.h"

static void put_pairs(shoal_json *j, const shoal_topology *t)
{
    const shoal_pair_settings *s = shoal_pair_model_settings(t->model);
    if (!s) return;
    const char *form = shoal_pair_form_name((int)s->form);
    shoal_json_open(j, "pairs", '{');
    shoal_json_put(j, "form", form ? form : TOPOLOGY_MMFF94, "acts", (bool)(t->view.model), "alpha",
                   s->alpha, "hbond", (int32_t)s->hbond, "coulomb", (int32_t)s->coulomb,
                   "coulomb_damping", s->coulomb_damping, "lambda", s->lambda, "radius_charge",
                   s->radius_charge, "dispersion_damping", s->dispersion_damping);
    shoal_json_put(j, "vdw_14", s->vdw_14, "coulomb_14", s->coulomb_14);
    if (s->formula) shoal_json_text(j, "formula", s->formula);
    if (s->formula) shoal_json_open(j, "constants", '{');
    for (int32_t k = 0; s->formula && k < s->n_constants; ++k)
        shoal_json_number(j, s->constants[k].name, s->constants[k].value);
    if (s->formula) shoal_json_close(j, '}');
    shoal_json_close(j, '}');
}

static void put_atoms(shoal_json *j, const shoal_topology_view *v)
{
    const int32_t n = v->n_atoms;
    shoal_json_integers(j, "elements", v->elements, n);
    shoal_json_open(j, "types", '[');
    for (int32_t i = 0; i < n; ++i) shoal_json_text(j, NULL, v->types[i]);
    shoal_json_close(j, ']');
    shoal_json_numbers(j, "masses", v->masses, n);
    shoal_json_numbers(j, "vdw_x", v->vdw_x, n);
    shoal_json_numbers(j, "vdw_d", v->vdw_d, n);
    shoal_json_numbers(j, "charges", v->charges, n);
    if (v->hbonds) shoal_json_numbers(j, "hbonds", v->hbonds, n);
    shoal_json_put(j, "has_charges", v->has_charges, "charges_from",
                   shoal_charge_source_name((int)v->charges_from));
    shoal_json_open(j, "pbc", '[');
    for (int c = 0; c < 3; ++c) shoal_json_boolean(j, NULL, v->pbc[c]);
    shoal_json_close(j, ']');
    shoal_json_open(j, "directions", '{');
    shoal_json_integers(j, "atoms", v->direction_atoms, v->n_directions);
    shoal_json_numbers(j, "inertias", v->inertias, v->n_directions);
    shoal_json_close(j, '}');
}

static bool repeats(const shoal_topology_view *v)
{
    return v->pbc[0] || v->pbc[1] || v->pbc[2];
}

static void put_integers(shoal_json *j, const int32_t *numbers, int32_t n)
{
    for (int32_t k = 0; k < n; ++k) shoal_json_integer(j, NULL, numbers[k]);
}

static void put_terms(shoal_json *j, const shoal_topology_view *v)
{
    shoal_json_open(j, "terms", '{');
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) {
        const shoal_term *t = terms_of(v, kind);
        shoal_term_kind info = {0};
        (void)shoal_term_kind_get(kind, &info);
        if (terms_count(v, kind) == 0) continue;
        shoal_json_open(j, info.name, '[');
        for (int32_t k = 0; k < terms_count(v, kind); ++k) {
            shoal_json_open(j, NULL, '[');
            put_integers(j, t[k].atoms, info.n_atoms);
            if (repeats(v)) put_integers(j, t[k].shifts[0], 3 * info.n_atoms);
            for (int32_t p = 0; p < info.n_parameters; ++p) shoal_json_number(j, NULL, t[k].p[p]);
            shoal_json_close(j, ']');
        }
        shoal_json_close(j, ']');
    }
    shoal_json_close(j, '}');
}

/* Each pair one way. */
static void put_exclusions(shoal_json *j, const shoal_topology_view *v)
{
    shoal_json_open(j, "excluded", '[');
    for (int32_t i = 0; i < v->n_atoms; ++i)
        for (int32_t k = v->exclude_start[i]; k < v->exclude_start[i + 1]; ++k) {
            const shoal_image *x = &v->excluded[k];
            if (x->atom < i) continue;
            shoal_json_open(j, NULL, '[');
            put_integers(j, &i, 1);
            put_integers(j, &x->atom, 1);
            if (repeats(v)) put_integers(j, x->shift, 3);
            shoal_json_close(j, ']');
        }
    shoal_json_close(j, ']');
}

static void put_special_pairs(shoal_json *j, const shoal_topology_view *v)
{
    shoal_json_open(j, "special_pairs", '[');
    for (int32_t k = 0; k < v->n_special_pairs; ++k) {
        const shoal_special_pair *p = &v->special_pairs[k];
        const double numbers[4] = {p->vdw_scale, p->coulomb_scale, p->x, p->d};
        shoal_json_open(j, NULL, '[');
        put_integers(j, &p->i, 1);
        put_integers(j, &p->j, 1);
        if (repeats(v)) put_integers(j, p->shift, 3);
        for (int c = 0; c < 4; ++c) shoal_json_number(j, NULL, numbers[c]);
        shoal_json_close(j, ']');
    }
    shoal_json_close(j, ']');
}

shoal_status shoal_topology_put(shoal_string *out, const shoal_topology *topology)
{
    shoal_clear_error();
    SHOAL_NEED(out && topology);
    const shoal_topology_view *v = &topology->view;
    if (topology->status != SHOAL_SYSTEM_OK)
        return shoal_fail(SHOAL_E_ARGUMENT, "topology: untyped, there is nothing to write: %s",
                          topology->reason);
    if (v->n_pairs + v->n_sites > 0 || v->table_types)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "topology: electron pairs, sites and columns of a "
                                               "formula cannot be written");
    shoal_json j = {.text = out};
    shoal_json_open(&j, NULL, '{');
    shoal_json_put(&j, "format", TOPOLOGY_FORMAT, "version", (int32_t)TOPOLOGY_VERSION);
    put_atoms(&j, v);
    put_pairs(&j, topology);
    put_terms(&j, v);
    put_exclusions(&j, v);
    put_special_pairs(&j, v);
    shoal_json_end(&j);
    return shoal_json_status(&j);
}
