/* SPDX-License-Identifier: BSD-3-Clause
 * What shoal check says. */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "results.h"

/* --- whole systems --------------------------------------------------------------------------- */

static void json_compared(const check_run *run, const shoal_checked *x)
{
    json line = {0}, *j = &line;
    const shoal_comparison *c = &x->c;
    shoal_stream_system compared = *x->system;
    compared.result.status = x->device.status;
    json_open(j, NULL, '{');
    shoal_row_open(j, &run->style, &compared);
    json_put(j, "ref_status", shoal_system_status_name(x->ref.status), "differs", x->differs);
    if (c->comparable) {
        json_put(j, "force_error", c->force_error, "relative", c->relative, "verdict", c->verdict,
                 "atom", c->atom, "energy_error", c->energy_error, "energy_term",
                 shoal_term_name(c->term));
    }
    (void)json_print_line(j);
}

static void tell_compared(const check_run *run, const shoal_checked *x)
{
    const systems_options *o = &run->options->systems;
    if (o->json) json_compared(run, x);
    if (x->differs && !o->quiet)
        cli_complain("%lld %s differs: %s, ref %s, force error %.2g, energy error %.2g",
                     (long long)x->system->index, shoal_molecule_name(x->system->mol),
                     shoal_system_status_name(x->device.status),
                     shoal_system_status_name(x->ref.status), x->c.verdict, x->c.energy_error);
}

static void conclude_systems(const check_options *o, const shoal_check_counts *x)
{
    const engine_settings *e = &o->compute;
    const char *term = shoal_term_name(x->term);
    if (o->systems.json) {
        json line = {0}, *j = &line;
        json_open(j, NULL, '{');
        json_put(j, "device", e->engine.device, "precision", precision_name(e->engine.precision),
                 "systems", x->systems, "compared", x->compared, "differ", x->differ, "median",
                 x->median, "max", x->largest);
        if (x->compared > 0) {
            json_open(j, "worst", '{');
            json_put(j, "index", x->index, "name", x->name, "atom", x->c.atom, "term", term,
                     "force_error", x->c.force_error, "relative", x->c.relative, "verdict",
                     x->c.verdict);
            json_close(j, '}');
        }
        (void)json_print_line(j);
        return;
    }
    (void)printf("%lld systems on %s (%s) against ref: %lld compared, %lld differ\n",
                 (long long)x->systems, e->engine.device, precision_name(e->engine.precision),
                 (long long)x->compared, (long long)x->differ);
    if (x->compared == 0) return;
    (void)printf("force error / largest force of a system (1 eV/A at least): median %.2g, largest "
                 "%.2g\n",
                 x->median, x->largest);
    (void)printf("worst: system %lld %s, atom %d (%s): %.2g eV/A of %.3g eV/A, by the %s term\n",
                 (long long)x->index, x->name, x->c.atom, x->type, x->c.force_error, x->c.force,
                 term);
}

/* --- steps ----------------------------------------------------------------------------------- */

static void print_path(const shoal_checked *p)
{
    char buffer[32];
    const shoal_stream_system *s = p->system;
    const shoal_result *r = &p->device;
    shoal_topology_view v;
    shoal_topology_get(s->topology, &v);
    (void)printf("%-24.24s %-10s%7d%10d%12.2g%8d  ", system_title(s->mol, s->index, buffer),
                 shoal_system_status_name(r->status), r->steps, p->n_compared, p->worst,
                 p->worst_step);
    if (p->differs_at >= 0)
        (void)printf("differs at step %d, atom %d (%s), %s term: force off by %.2g of %.3g eV/A, "
                     "energy by %.2g",
                     p->differs_at, p->c.atom, v.types[p->c.atom], shoal_term_name(p->term),
                     p->c.force_error, p->c.force, p->c.energy_error);
    else if (p->parted_at >= 0)
        (void)printf("leaves the way of the cpu in double at step %d: atom %d (%s) is %.2g A off",
                     p->parted_at, p->parted_atom, v.types[p->parted_atom], p->parted);
    else
        (void)printf("%s", p->differs      ? "differs: the cpu in double has numbers"
                           : p->n_compared ? "agrees"
                                           : "its first steps are the cpu's; no forces compared");
    (void)printf("\n");
}

static void json_path(const shoal_checked *p)
{
    const shoal_stream_system *s = p->system;
    const shoal_result *r = &p->device;
    json line = {0}, *j = &line;
    json_open(j, NULL, '{');
    json_put(j, "index", s->index, "name", shoal_molecule_name(s->mol), "status",
             shoal_system_status_name(r->status), "steps", r->steps, "compared", p->n_compared,
             "verdict", p->worst, "worst_step", p->worst_step, "differs", p->differs);
    if (p->differs_at >= 0) {
        json_open(j, "first", '{');
        json_put(j, "step", p->differs_at, "atom", p->c.atom, "term", shoal_term_name(p->term),
                 "force_error", p->c.force_error, "verdict", p->c.verdict, "energy_error",
                 p->c.energy_error);
        json_close(j, '}');
    }
    if (p->parted_at >= 0) {
        json_open(j, "parted", '{');
        json_put(j, "step", p->parted_at, "atom", p->parted_atom, "distance", p->parted);
        json_close(j, '}');
    }
    (void)json_print_line(j);
}

static void tell_path(check_run *run, const shoal_checked *p)
{
    const systems_options *o = &run->options->systems;
    if (!o->json && run->n_told++ == 0)
        (void)printf("%-24s %-10s%7s%10s%12s%8s\n", "name", "status", "steps", "compared", "dF/F",
                     "at step");
    if (o->json)
        json_path(p);
    else if (p->differs || !o->quiet)
        print_path(p);
}

static void conclude_steps(const check_options *o, const shoal_check_counts *x)
{
    const engine_settings *e = &o->compute;
    if (o->systems.json) {
        json line = {0}, *j = &line;
        json_open(j, NULL, '{');
        json_put(j, "device", e->engine.device, "precision", precision_name(e->engine.precision),
                 "systems", x->systems, "compared", x->compared, "differ", x->differ, "max",
                 x->largest);
        (void)json_print_line(j);
    } else {
        (void)printf("%lld systems relaxed on %s (%s), %lld geometries looked at by ref: %lld "
                     "systems differ, largest force error %.2g\n",
                     (long long)x->systems, e->engine.device, precision_name(e->engine.precision),
                     (long long)x->compared, (long long)x->differ, x->largest);
    }
}

/* --- terms ----------------------------------------------------------------------------------- */

static const char *line_name(const shoal_check_term *l)
{
    shoal_term_kind kind;
    return shoal_term_kind_get(l->kind, &kind) ? kind.name : shoal_term_name(l->term);
}

static void print_line(const shoal_check_term *l)
{
    (void)printf("%-14s%14lld%12lld%8lld%11.2g%11.2g%11.2g  ", line_name(l), (long long)l->n,
                 (long long)l->compared, (long long)l->differ, l->tolerance, l->energy_error,
                 l->force_error);
    if (l->compared == 0)
        (void)printf("\n");
    else if (l->whole)
        (void)printf("%lld %s, atom %d\n", (long long)l->index, l->name, l->atom);
    else
        (void)printf("%lld %s, atoms %s\n", (long long)l->index, l->name, l->atoms);
}

static void json_line(const shoal_check_term *l)
{
    json j = {0};
    json_open(&j, NULL, '{');
    json_put(&j, "term", shoal_term_name(l->term), "kind", l->whole ? "whole" : line_name(l),
             l->whole ? "systems" : "interactions", l->n, "compared", l->compared, "differ",
             l->differ, "tolerance", l->tolerance, "energy_error", l->energy_error, "force_error",
             l->force_error);
    if (l->compared > 0) {
        json_open(&j, "worst", '{');
        json_put(&j, "system", l->index, "name", l->name);
        if (l->whole) {
            json_integer(&j, "atom", l->atom);
        } else {
            json_open(&j, "atoms", '[');
            for (int32_t k = 0; k < l->row.n_atoms; ++k)
                json_integer(&j, NULL, l->row.atoms[k].atom);
            json_close(&j, ']');
            if (l->row.index >= 0) json_integer(&j, "index", l->row.index);
            json_text(&j, "where", l->atoms);
        }
        json_number(&j, "force", l->force);
        json_close(&j, '}');
    }
    (void)json_print_line(&j);
}

static void print_section(const shoal_check *check, bool whole)
{
    (void)printf("%-14s%14s%12s%8s%11s%11s%11s  %s\n", whole ? "as a whole" : "one by one",
                 whole ? "systems" : "interactions", "compared", "differ", "tolerance", "dE, eV",
                 "dF/F", "worst: system, where");
    for (int32_t k = 0; k < shoal_check_n_terms(check); ++k) {
        shoal_check_term row;
        if (shoal_check_term_get(check, k, &row) == SHOAL_OK && row.whole == whole)
            print_line(&row);
    }
}

static void conclude_terms(const check_options *o, const shoal_check *check,
                           const shoal_check_counts *x)
{
    if (!o->systems.json) {
        (void)printf("%lld systems on %s (%s) against ref: %s\n", (long long)x->systems,
                     o->compute.engine.device, precision_name(o->compute.engine.precision),
                     x->differ ? "some terms differ" : "all terms agree");
        print_section(check, true);
        print_section(check, false);
    }
    for (int32_t k = 0; k < shoal_check_n_terms(check) && o->systems.json; ++k) {
        shoal_check_term row;
        if (shoal_check_term_get(check, k, &row) == SHOAL_OK) json_line(&row);
    }
}

/* --- one interaction ------------------------------------------------------------------------- */

static void print_forces(const shoal_checked_interaction *s)
{
    for (int32_t k = 0; k < s->row.n_atoms; ++k) {
        const int32_t i = s->row.atoms[k].atom;
        bool seen = false;
        for (int32_t l = 0; l < k; ++l) seen |= s->row.atoms[l].atom == i;
        for (int c = 0; c < 3 && !seen; ++c) {
            const double a = s->ref.forces[i][c], b = s->device.forces[i][c];
            (void)printf("force on %-8d %c, eV/A%23.16g%24.16g%12.2g\n", i, "xyz"[c], a, b, b - a);
        }
    }
}

static void print_text(const check_options *o, const shoal_checked_interaction *s,
                       shoal_string *line)
{
    const engine_settings *e = &o->compute;
    const double a = s->ref.energy, b = s->device.energy;
    char device[64];
    (void)snprintf(device, sizeof device, "%s (%s)", e->engine.device,
                   precision_name(e->engine.precision));
    (void)printf("%s", shoal_term_name(s->row.term));
    if (s->row.index >= 0) (void)printf(" %d", s->row.index);
    shoal_string_clear(line);
    shoal_explain_atoms(&s->row, &s->view, line);
    (void)printf(", atoms %s\n", shoal_string_data(line));
    if (isfinite(s->row.value))
        (void)printf("value %.10g %s\n", s->row.value, shoal_explain_unit(&s->row));
    shoal_string_clear(line);
    shoal_explain_parameters(&s->row, &s->view, line);
    (void)printf("parameters %s\n", shoal_string_data(line));
    if (s->c.comparable) {
        (void)printf("%-22s%24s%24s%12s\n", "", "ref", device, "difference");
        (void)printf("%-22s%24.16g%24.16g%12.2g\n", "energy, eV", a, b, b - a);
        print_forces(s);
    } else {
        (void)printf("ref: %s %s\n%s: %s %s\n", shoal_system_status_name(s->ref.status),
                     s->ref.reason, device, shoal_system_status_name(s->device.status),
                     s->device.reason);
    }
    (void)printf("%s: forces to %.2g, energy to %.2g, tolerance %.2g\n",
                 s->differs ? "differs" : "agrees", s->c.verdict, s->c.energy_error, s->tolerance);
}

static void json_side(json *j, const char *key, const shoal_checked_interaction *s,
                      const shoal_result *r)
{
    json_open(j, key, '{');
    json_put(j, "status", shoal_system_status_name(r->status), "energy", r->energy);
    json_open(j, "forces", '[');
    for (int32_t k = 0; k < s->row.n_atoms; ++k)
        json_numbers(j, NULL, r->forces[s->row.atoms[k].atom], 3);
    json_close(j, ']');
    json_close(j, '}');
}

static void print_json(const check_options *o, const shoal_checked_interaction *s)
{
    json j = {0};
    json_open(&j, NULL, '{');
    json_put(&j, "device", o->compute.engine.device, "precision",
             precision_name(o->compute.engine.precision), "system", o->system);
    shoal_explain_json(&s->row, &s->view, &j);
    json_side(&j, "ref", s, &s->ref);
    json_side(&j, "computed", s, &s->device);
    json_put(&j, "force_error", s->c.force_error, "verdict", s->c.verdict, "energy_error",
             s->c.energy_error, "tolerance", s->tolerance, "differs", s->differs);
    (void)json_print_line(&j);
}

int check_show_interaction(const check_options *o, const shoal_checked_interaction *s)
{
    shoal_string *line = NULL;
    if (o->systems.json) {
        print_json(o, s);
    } else {
        const shoal_status status = shoal_string_create(&line);
        if (status != SHOAL_OK) return complain_of_status(status);
        print_text(o, s, line);
        shoal_string_destroy(line);
    }
    return s->differs ? EXIT_SOME_FAILED : EXIT_ALL_FINE;
}

/* --- all of them ----------------------------------------------------------------------------- */

void check_show_system(void *user, const shoal_checked *checked)
{
    check_run *run = user;
    if (run->options->relax)
        tell_path(run, checked);
    else
        tell_compared(run, checked);
}

int check_show_end(const check_options *o, shoal_check *check)
{
    shoal_check_counts x;
    shoal_check_count(check, &x);
    if (o->each_term)
        conclude_terms(o, check, &x);
    else if (o->relax)
        conclude_steps(o, &x);
    else
        conclude_systems(o, &x);
    return x.differ > 0 ? EXIT_SOME_FAILED : EXIT_ALL_FINE;
}
