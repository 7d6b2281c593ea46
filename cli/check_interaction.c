/* SPDX-License-Identifier: BSD-3-Clause
 * shoal check --interaction: one interaction, computed by ref and on the device that was asked for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "explain.h"
#include "movers.h"

typedef struct sides {
    shoal_term_row row; /* value and energy are ref's */
    uint32_t flags;     /* SHOAL_LONE_IMAGES: of a pair without a certain image */
    shoal_topology_view view;
    shoal_result results[2]; /* of ref and the device */
    shoal_comparison c;
    bool differs;
} sides;

static bool is_pair_term(int term)
{
    return term == SHOAL_TERM_VDW || term == SHOAL_TERM_COULOMB;
}

/* TERM:INDEX, TERM:I,J or TERM:I,J,A,B,C with the image of j. */
static bool parse(const char *text, shoal_term_row *row, uint32_t *flags)
{
    const char *colon = strchr(text, ':');
    char rest;
    const int term = colon ? term_by_name(text, (size_t)(colon - text)) : shoal_term_count();
    *row = (shoal_term_row){.term = term, .kind = -1, .index = -1, .n_atoms = 1};
    *flags = 0;
    if (term < shoal_term_count()) {
        int32_t *s = row->atoms[1].shift, *i = &row->atoms[0].atom, *j = &row->atoms[1].atom;
        const int n = is_pair_term(term)
                          ? sscanf(colon + 1, "%d,%d,%d,%d,%d%c", i, j, &s[0], &s[1], &s[2], &rest)
                          : sscanf(colon + 1, "%d%c", i, &rest);
        if (n == 2) *flags = SHOAL_LONE_IMAGES;
        if (is_pair_term(term) && (n == 2 || (n == 5 && term == SHOAL_TERM_VDW))) {
            row->n_atoms = 2;
            return true;
        }
        if (!is_pair_term(term) && n == 1) return true;
    }
    cli_complain(
        "--interaction '%s': expected bond:N, angle:N, torsion:N, inversion:N, sigma_pi:N, "
        "pi_pi:N, "
        "restraint:N, surface:ATOM, vdw:I,J, coulomb:I,J, or vdw:I,J,A,B,C with an image of J",
        text);
    return false;
}

/* The record that counts for the term and is number index among those, or the special pair of two atoms. */
static bool find_record(const shoal_topology_view *v, shoal_term_row *row)
{
    int32_t index = row->atoms[0].atom, n;
    for (int kind = 0; kind < shoal_term_kind_count(); ++kind) {
        shoal_term_kind info;
        const shoal_term *terms = shoal_topology_terms(v, kind, &n);
        if (!shoal_term_kind_get(kind, &info) || info.term != row->term) continue;
        const int32_t i = row->atoms[0].atom, j = row->atoms[1].atom;
        int32_t at = is_pair_term(row->term) ? 0 : index;
        while (is_pair_term(row->term) && at < n &&
               !(terms[at].atoms[0] == i && terms[at].atoms[1] == j) &&
               !(terms[at].atoms[0] == j && terms[at].atoms[1] == i))
            ++at;
        index -= n;
        if (at < 0 || at >= n) continue;
        *row =
            (shoal_term_row){.term = row->term, .kind = kind, .index = at, .n_atoms = info.n_atoms};
        for (int32_t k = 0; k < info.n_atoms; ++k) {
            row->atoms[k].atom = terms[at].atoms[k];
            memcpy(row->atoms[k].shift, terms[at].shifts[k], sizeof row->atoms[k].shift);
        }
        return true;
    }
    return false;
}

static int32_t count_of(const shoal_topology_view *v, int term)
{
    int32_t sum = 0, n;
    for (int kind = 0; kind < shoal_term_kind_count(); ++kind) {
        shoal_term_kind info;
        (void)shoal_topology_terms(v, kind, &n);
        if (shoal_term_kind_get(kind, &info) && info.term == term) sum += n;
    }
    return sum;
}

/* Which interaction of the system is meant; false after saying that there is none. */
static bool locate(const check_options *o, const check_system *held, sides *s)
{
    shoal_term_row *row = &s->row;
    const int32_t index = row->atoms[0].atom;
    int32_t n = 0;
    if (row->term == SHOAL_TERM_RESTRAINT) {
        n = held->system.n_restraints;
        if (index >= 0 && index < n) {
            const shoal_restraint *r = &held->system.restraints[index];
            row->index = index;
            row->n_atoms = (int32_t)r->kind + 1;
            for (int32_t k = 0; k < row->n_atoms; ++k) row->atoms[k].atom = r->atoms[k];
            return true;
        }
    } else if (row->term == SHOAL_TERM_SURFACE) {
        if (o->compute.engine.surface) return true;
        cli_complain("--interaction %s: there is no --surface", o->interaction);
        return false;
    } else {
        if (find_record(&s->view, row) || is_pair_term(row->term)) return true;
        n = count_of(&s->view, row->term);
    }
    cli_complain("--interaction %s: the system has %d of them, counted from 0", o->interaction, n);
    return false;
}

static void keep_row(void *user, const shoal_term_row *row)
{
    *(shoal_term_row *)user = *row;
}

/* Measured in double where the interaction is alone with its atoms; NaN where it is no single pair. */
static shoal_status measure(const check_options *o, const check_system *held, sides *s)
{
    shoal_engine_options options = o->compute.engine;
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_term_row row = {.value = NAN};
    options.device = "ref";
    options.precision = SHOAL_PRECISION_DOUBLE;
    options.terms_off = ~(1u << s->row.term);
    shoal_status status = shoal_batch_create(&batch);
    if (status == SHOAL_OK)
        status = shoal_batch_add_interaction(batch, &held->system, &options, &s->row,
                                             s->flags | SHOAL_LONE_OWN_ATOMS);
    if (status == SHOAL_OK) status = shoal_engine_create(&engine, batch, &options);
    if (status == SHOAL_OK) status = shoal_engine_explain(engine, 0, keep_row, &row);
    s->row.value = s->flags && s->view.pbc[0] | s->view.pbc[1] | s->view.pbc[2] ? NAN : row.value;
    memcpy(s->row.parameters, row.parameters, sizeof row.parameters);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return status;
}

/* --- what is shown --------------------------------------------------------------------------- */

static void print_forces(const sides *s)
{
    for (int32_t k = 0; k < s->row.n_atoms; ++k) {
        const int32_t i = s->row.atoms[k].atom;
        bool seen = false;
        for (int32_t l = 0; l < k; ++l) seen |= s->row.atoms[l].atom == i;
        for (int c = 0; c < 3 && !seen; ++c) {
            const double a = s->results[0].forces[i][c], b = s->results[1].forces[i][c];
            (void)printf("force on %-8d %c, eV/A%23.16g%24.16g%12.2g\n", i, "xyz"[c], a, b, b - a);
        }
    }
}

static void print_text(const check_options *o, const sides *s, shoal_string *line)
{
    const engine_settings *e = &o->compute;
    const double a = s->results[0].energy, b = s->results[1].energy;
    char device[64];
    (void)snprintf(device, sizeof device, "%s (%s)", e->engine.device,
                   precision_name(e->engine.precision));
    (void)printf("%s", shoal_term_name(s->row.term));
    if (s->row.index >= 0) (void)printf(" %d", s->row.index);
    shoal_string_clear(line);
    explain_atoms(&s->row, &s->view, line);
    (void)printf(", atoms %s\n", shoal_string_data(line));
    if (isfinite(s->row.value))
        (void)printf("value %.10g %s\n", s->row.value, explain_unit(&s->row));
    shoal_string_clear(line);
    explain_parameters(&s->row, &s->view, line);
    (void)printf("parameters %s\n", shoal_string_data(line));
    if (s->c.comparable) {
        (void)printf("%-22s%24s%24s%12s\n", "", "ref", device, "difference");
        (void)printf("%-22s%24.16g%24.16g%12.2g\n", "energy, eV", a, b, b - a);
        print_forces(s);
    } else {
        for (int k = 0; k < 2; ++k)
            (void)printf("%s: %s %s\n", k ? device : "ref",
                         shoal_system_status_name(s->results[k].status), s->results[k].reason);
    }
    (void)printf("%s: forces to %.2g, energy to %.2g, tolerance %.2g\n",
                 s->differs ? "differs" : "agrees", s->c.verdict, s->c.energy_error,
                 check_term_tolerance(o, s->row.term));
}

static void json_side(json *j, const char *key, const sides *s, const shoal_result *r)
{
    json_open(j, key, '{');
    json_text(j, "status", shoal_system_status_name(r->status));
    json_number(j, "energy", r->energy);
    json_open(j, "forces", '[');
    for (int32_t k = 0; k < s->row.n_atoms; ++k) json_vector(j, r->forces[s->row.atoms[k].atom]);
    json_close(j, ']');
    json_close(j, '}');
}

static void print_json(const check_options *o, const sides *s)
{
    json j = {0};
    json_open(&j, NULL, '{');
    json_text(&j, "device", o->compute.engine.device);
    json_text(&j, "precision", precision_name(o->compute.engine.precision));
    json_integer(&j, "system", o->system);
    explain_json_row(&j, &s->row, &s->view);
    json_side(&j, "ref", s, &s->results[0]);
    json_side(&j, "computed", s, &s->results[1]);
    json_number(&j, "force_error", s->c.force_error);
    json_number(&j, "verdict", s->c.verdict);
    json_number(&j, "energy_error", s->c.energy_error);
    json_number(&j, "tolerance", check_term_tolerance(o, s->row.term));
    json_boolean(&j, "differs", s->differs);
    json_print_line(&j);
    json_free(&j);
}

/* --- both sides ------------------------------------------------------------------------------ */

static void judge(const check_options *o, sides *s, int32_t n_movers)
{
    const double most = check_term_tolerance(o, s->row.term);
    const bool periodic = s->view.pbc[0] || s->view.pbc[1] || s->view.pbc[2];
    shoal_compare_interaction(&s->results[0], &s->results[1], n_movers, s->row.term, periodic,
                              &s->c);
    s->row.energy = s->results[0].energy;
    s->differs = !s->c.same_status ||
                 (s->c.comparable && !(s->c.verdict <= most && s->c.energy_error <= most));
}

static shoal_status compute(const check_options *o, const check_system *held, sides *s,
                            shoal_engine *engines[2])
{
    shoal_engine_options options = o->compute.engine;
    shoal_batch *batch = NULL;
    options.terms_off = ~(1u << s->row.term);
    shoal_status status = shoal_batch_create(&batch);
    if (status == SHOAL_OK)
        status = shoal_batch_add_interaction(batch, &held->system, &options, &s->row, s->flags);
    if (status == SHOAL_OK) status = check_evaluate(batch, &options, engines);
    for (int k = 0; k < 2 && status == SHOAL_OK; ++k)
        status = shoal_engine_result(engines[k], 0, &s->results[k]);
    shoal_batch_destroy(batch);
    return status;
}

static int show(const check_options *o, const check_system *held, sides *s)
{
    shoal_engine *engines[2] = {NULL, NULL};
    shoal_string *line = NULL;
    if (shoal_topology_status(held->system.topology) != SHOAL_SYSTEM_OK) {
        cli_complain("--interaction %s: the system is untyped: %s", o->interaction,
                     shoal_topology_reason(held->system.topology));
        return EXIT_USAGE;
    }
    if (!locate(o, held, s)) return EXIT_USAGE;
    shoal_status status = compute(o, held, s, engines);
    if (status == SHOAL_OK) status = measure(o, held, s);
    if (status == SHOAL_OK) status = shoal_string_create(&line);
    if (status == SHOAL_OK) {
        judge(o, s, movers_of(&s->view));
        if (o->systems.json)
            print_json(o, s);
        else
            print_text(o, s, line);
    }
    shoal_string_destroy(line);
    check_destroy(engines);
    if (status != SHOAL_OK) return complain_of_status(status);
    return s->differs ? EXIT_SOME_FAILED : EXIT_ALL_FINE;
}

int check_interaction(const check_options *o, const shoal_stream_system *system)
{
    sides s = {0};
    check_system held;
    if (!parse(o->interaction, &s.row, &s.flags)) return EXIT_USAGE;
    if (!check_hold(o, system, &held)) return EXIT_DEVICE;
    shoal_topology_get(system->topology, &s.view);
    const int code = show(o, &held, &s);
    check_release(&held);
    return code;
}
