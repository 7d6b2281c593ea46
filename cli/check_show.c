/* SPDX-License-Identifier: BSD-3-Clause
 * What shoal check says. */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "results.h"

/* --- whole systems --------------------------------------------------------------------------- */

static void print_json(const check_run *run, const shoal_checked *x)
{
    json line = {0};
    json_open(&line, NULL, '{');
    shoal_checked_json(&line, run->check, &run->style, x);
    (void)json_print_line(&line);
}

static void tell_compared(const check_run *run, const shoal_checked *x)
{
    const systems_options *o = &run->options->systems;
    if (o->json) print_json(run, x);
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
    (void)printf("%lld systems on %s (%s) against ref: %lld compared, %lld differ\n",
                 (long long)x->systems, e->engine.device,
                 shoal_precision_name((int)e->engine.precision), (long long)x->compared,
                 (long long)x->differ);
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
    (void)printf("%-24.24s %-10s%7d%10d%12.2g%8d  ", shoal_row_title(s, buffer),
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

static void tell_path(check_run *run, const shoal_checked *p)
{
    const systems_options *o = &run->options->systems;
    if (!o->json && run->n_told++ == 0)
        (void)printf("%-24s %-10s%7s%10s%12s%8s\n", "name", "status", "steps", "compared", "dF/F",
                     "at step");
    if (o->json)
        print_json(run, p);
    else if (p->differs || !o->quiet)
        print_path(p);
}

static void conclude_steps(const check_options *o, const shoal_check_counts *x)
{
    const engine_settings *e = &o->compute;
    (void)printf("%lld systems relaxed on %s (%s), %lld geometries looked at by ref: %lld systems "
                 "differ, largest force error %.2g\n",
                 (long long)x->systems, e->engine.device,
                 shoal_precision_name((int)e->engine.precision), (long long)x->compared,
                 (long long)x->differ, x->largest);
}

/* --- terms ----------------------------------------------------------------------------------- */

static void print_line(const shoal_check_term *l)
{
    (void)printf("%-14s%14lld%12lld%8lld%11.2g%11.2g%11.2g  ", shoal_check_term_title(l),
                 (long long)l->n, (long long)l->compared, (long long)l->differ, l->tolerance,
                 l->energy_error, l->force_error);
    if (l->compared == 0)
        (void)printf("\n");
    else if (l->whole)
        (void)printf("%lld %s, atom %d\n", (long long)l->index, l->name, l->atom);
    else
        (void)printf("%lld %s, atoms %s\n", (long long)l->index, l->name, l->atoms);
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
    (void)printf("%lld systems on %s (%s) against ref: %s\n", (long long)x->systems,
                 o->compute.engine.device, shoal_precision_name((int)o->compute.engine.precision),
                 x->differ ? "some terms differ" : "all terms agree");
    print_section(check, true);
    print_section(check, false);
}

static void json_terms(const shoal_check *check)
{
    for (int32_t k = 0; k < shoal_check_n_terms(check); ++k) {
        shoal_check_term row;
        json line = {0};
        if (shoal_check_term_get(check, k, &row) != SHOAL_OK) continue;
        json_open(&line, NULL, '{');
        shoal_check_term_json(&line, &row);
        (void)json_print_line(&line);
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
                   shoal_precision_name((int)e->engine.precision));
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

int check_show_interaction(const check_run *run, const shoal_stream_system *system,
                           const shoal_checked_interaction *s)
{
    const check_options *o = run->options;
    json line = {0};
    if (o->systems.json) {
        json_open(&line, NULL, '{');
        shoal_check_interaction_json(&line, run->check, system, s);
        (void)json_print_line(&line);
    } else {
        shoal_string *text = NULL;
        const shoal_status status = shoal_string_create(&text);
        if (status != SHOAL_OK) return complain_of_status(status);
        print_text(o, s, text);
        shoal_string_destroy(text);
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
    json line = {0};
    shoal_check_count(check, &x);
    if (o->systems.json && o->each_term) {
        json_terms(check);
    } else if (o->systems.json) {
        json_open(&line, NULL, '{');
        shoal_check_json(&line, check);
        (void)json_print_line(&line);
    } else if (o->each_term) {
        conclude_terms(o, check, &x);
    } else if (o->relax) {
        conclude_steps(o, &x);
    } else {
        conclude_systems(o, &x);
    }
    return x.differ > 0 ? EXIT_SOME_FAILED : EXIT_ALL_FINE;
}
