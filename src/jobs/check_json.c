/* SPDX-License-Identifier: BSD-3-Clause
 * What a check found, as JSON. */
#include <stddef.h>

#include "jobs/check.h"
#include "shoal/explain.h"
#include "shoal/json.h"

#define put shoal_json_put

/* --- systems ------------------------------------------------------------------------------------- */

static void put_first(shoal_json *j, const shoal_checked *x)
{
    if (x->differs_at >= 0) {
        shoal_json_open(j, "first", '{');
        put(j, "step", x->differs_at, "atom", x->c.atom, "term", shoal_term_name(x->term),
            "force_error", x->c.force_error, "verdict", x->c.verdict, "energy_error",
            x->c.energy_error);
        shoal_json_close(j, '}');
    }
    if (x->parted_at >= 0) {
        shoal_json_open(j, "parted", '{');
        put(j, "step", x->parted_at, "atom", x->parted_atom, "distance", x->parted);
        shoal_json_close(j, '}');
    }
}

void shoal_checked_json(shoal_json *j, const shoal_check *check, const shoal_row_style *style,
                        const shoal_checked *x)
{
    if (!j || !check || !style || !x || !x->system || !x->system->mol) return;
    const shoal_comparison *c = &x->c;
    shoal_stream_system s = *x->system;
    s.result.status = x->device.status;
    if (check->options.way == SHOAL_CHECK_STEPS) {
        put(j, "index", s.index, "name", shoal_molecule_name(s.mol), "status",
            shoal_system_status_name(x->device.status), "steps", x->device.steps, "compared",
            x->n_compared, "verdict", x->worst, "worst_step", x->worst_step, "differs", x->differs);
        put_first(j, x);
        return;
    }
    shoal_row_open(j, style, &s);
    put(j, "ref_status", shoal_system_status_name(x->ref.status), "differs", x->differs);
    if (c->comparable)
        put(j, "force_error", c->force_error, "relative", c->relative, "verdict", c->verdict,
            "atom", c->atom, "energy_error", c->energy_error, "energy_term",
            shoal_term_name(c->term));
}

/* --- all of them --------------------------------------------------------------------------------- */

static void put_device(shoal_json *j, const shoal_check *check)
{
    const shoal_engine_options *e = &check->engine;
    put(j, "device", e->device, "precision", shoal_precision_name((int)e->precision));
}

void shoal_check_json(shoal_json *j, shoal_check *check)
{
    shoal_check_counts x;
    if (!j || !check) return;
    const bool whole = check->options.way == SHOAL_CHECK_SYSTEMS;
    shoal_check_count(check, &x);
    put_device(j, check);
    put(j, "systems", x.systems, "compared", x.compared, "differ", x.differ);
    if (whole) shoal_json_number(j, "median", x.median);
    shoal_json_number(j, "max", x.largest);
    if (!whole || x.compared == 0) return;
    shoal_json_open(j, "worst", '{');
    put(j, "index", x.index, "name", x.name, "atom", x.c.atom, "term", shoal_term_name(x.term),
        "force_error", x.c.force_error, "relative", x.c.relative, "verdict", x.c.verdict);
    shoal_json_close(j, '}');
}

const char *shoal_check_term_title(const shoal_check_term *term)
{
    shoal_term_kind kind;
    if (!term) return NULL;
    return shoal_term_kind_get(term->kind, &kind) ? kind.name : shoal_term_name(term->term);
}

void shoal_check_term_json(shoal_json *j, const shoal_check_term *x)
{
    if (!j || !x) return;
    put(j, "term", shoal_term_name(x->term), "kind", x->whole ? "whole" : shoal_check_term_title(x),
        x->whole ? "systems" : "interactions", x->n, "compared", x->compared, "differ", x->differ,
        "tolerance", x->tolerance, "energy_error", x->energy_error, "force_error", x->force_error);
    if (x->compared == 0) return;
    shoal_json_open(j, "worst", '{');
    put(j, "system", x->index, "name", x->name);
    if (x->whole) {
        shoal_json_integer(j, "atom", x->atom);
    } else {
        shoal_json_open(j, "atoms", '[');
        for (int32_t k = 0; k < x->row.n_atoms; ++k)
            shoal_json_integer(j, NULL, x->row.atoms[k].atom);
        shoal_json_close(j, ']');
        if (x->row.index >= 0) shoal_json_integer(j, "index", x->row.index);
        shoal_json_text(j, "where", x->atoms);
    }
    shoal_json_number(j, "force", x->force);
    shoal_json_close(j, '}');
}

/* --- one interaction ----------------------------------------------------------------------------- */

static void put_side(shoal_json *j, const char *key, const shoal_term_row *row,
                     const shoal_result *r)
{
    shoal_json_open(j, key, '{');
    put(j, "status", shoal_system_status_name(r->status), "energy", r->energy);
    shoal_json_open(j, "forces", '[');
    for (int32_t k = 0; k < row->n_atoms && r->forces; ++k)
        shoal_json_numbers(j, NULL, r->forces[row->atoms[k].atom], 3);
    shoal_json_close(j, ']');
    shoal_json_close(j, '}');
}

void shoal_check_interaction_json(shoal_json *j, const shoal_check *check,
                                  const shoal_stream_system *system,
                                  const shoal_checked_interaction *x)
{
    if (!j || !check || !system || !x || !x->view.types) return;
    put_device(j, check);
    shoal_json_integer(j, "system", system->index);
    shoal_explain_json(&x->row, &x->view, j);
    put_side(j, "ref", &x->row, &x->ref);
    put_side(j, "computed", &x->row, &x->device);
    put(j, "force_error", x->c.force_error, "verdict", x->c.verdict, "energy_error",
        x->c.energy_error, "tolerance", x->tolerance, "differs", x->differs);
}
