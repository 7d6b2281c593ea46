/* SPDX-License-Identifier: BSD-3-Clause
 * Batches made of the systems that were read, and what commands say about their results. */
#include "results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for the constraints of one system after the other. */
typedef struct holder {
    bool *fixed;
    int32_t capacity;
    shoal_restraint *restraints;
} holder;

static int out_of_memory(void)
{
    cli_complain("out of memory");
    return EXIT_DEVICE;
}

/* The first constraint that names an atom which a system of n atoms lacks: its text and the atom, or
 * -1 if there is none. */
static int32_t missing_atom(const constraints *held, int32_t n, char what[RESTRAINT_TEXT])
{
    for (int k = 0; k < held->n_fixed; ++k) {
        if (held->fixed[k] < n) continue;
        (void)snprintf(what, RESTRAINT_TEXT, "fix %d", held->fixed[k]);
        return held->fixed[k];
    }
    for (int k = 0; k < held->n_restraints; ++k) {
        const shoal_restraint *r = &held->restraints[k];
        for (int a = 0; a < restraint_n_atoms(r); ++a) {
            if (r->atoms[a] < n) continue;
            restraint_text(r, what);
            return r->atoms[a];
        }
    }
    return -1;
}

/* The constraints of one system, which has all their atoms. */
static int hold(holder *h, const constraints *held, const shoal_molecule *mol, shoal_system *system)
{
    const int32_t n = shoal_molecule_n_atoms(mol);
    if (held->n_fixed > 0 && n > h->capacity) {
        bool *more = realloc(h->fixed, (size_t)n * sizeof *more);
        if (!more) return out_of_memory();
        h->fixed = more;
        h->capacity = n;
    }
    if (held->n_fixed > 0) {
        memset(h->fixed, 0, (size_t)n * sizeof *h->fixed);
        system->fixed = h->fixed;
    }
    for (int k = 0; k < held->n_fixed; ++k) h->fixed[held->fixed[k]] = true;
    for (int k = 0; k < held->n_restraints; ++k) {
        shoal_restraint *r = &h->restraints[k];
        *r = held->restraints[k];
        if (r->kind == SHOAL_RESTRAINT_POSITION)
            memcpy(r->target, shoal_molecule_positions(mol)[r->atoms[0]], sizeof r->target);
    }
    system->restraints = h->restraints;
    system->n_restraints = held->n_restraints;
    return EXIT_ALL_FINE;
}

static int add_system(shoal_batch *batch, const loaded_system *s, const constraints *held,
                      holder *h)
{
    double cell[3][3];
    bool pbc[3];
    char what[RESTRAINT_TEXT];
    shoal_topology *rejected = NULL;
    shoal_status status = SHOAL_OK;
    int code = EXIT_ALL_FINE;
    shoal_molecule_cell(s->mol, cell, pbc);
    shoal_system system = {.topology = s->topology,
                           .pos = shoal_molecule_positions(s->mol),
                           .cell = shoal_molecule_is_periodic(s->mol) ? (const double(*)[3])cell
                                                                      : NULL};
    const int32_t missing = held ? missing_atom(held, shoal_molecule_n_atoms(s->mol), what) : -1;
    const bool typed = shoal_topology_status(s->topology) == SHOAL_SYSTEM_OK;
    if (held && missing < 0) {
        code = hold(h, held, s->mol, &system);
        if (code != EXIT_ALL_FINE) return code;
    } else if (missing >= 0 && typed) { /* an untyped one has a reason already */
        status = reject_system(s->mol, what, missing, &rejected);
        system.topology = rejected;
    }
    if (status == SHOAL_OK) status = shoal_batch_add(batch, &system);
    if (status != SHOAL_OK) code = complain_of_status(status);
    shoal_topology_destroy(rejected);
    return code;
}

int chunk_batch(const systems_chunk *chunk, const constraints *held, shoal_batch **out)
{
    holder h = {0};
    if (shoal_batch_create(out) != SHOAL_OK) return out_of_memory();
    int code = EXIT_ALL_FINE;
    if (held && held->n_restraints > 0) {
        h.restraints = calloc((size_t)held->n_restraints, sizeof *h.restraints);
        if (!h.restraints) code = out_of_memory();
    }
    for (int32_t i = 0; i < chunk->n && code == EXIT_ALL_FINE; ++i)
        code = add_system(*out, &chunk->systems[i], held, &h);
    free(h.fixed);
    free(h.restraints);
    if (code != EXIT_ALL_FINE) {
        shoal_batch_destroy(*out);
        *out = NULL;
    }
    return code;
}

void json_terms(json *j, const double *terms, int32_t n_terms)
{
    json_open(j, "terms", '{');
    for (int t = 0; t < n_terms; ++t) json_number(j, shoal_term_name(t), terms[t]);
    json_close(j, '}');
}

void table_number(double value, int width, int decimals)
{
    char text[400]; /* room for the largest number */
    const int n = snprintf(text, sizeof text, "%.*f", decimals, value);
    if (n < width)
        (void)printf("%*s", width, text);
    else
        (void)printf("%*.*e", width, width - 9, value); /* sign, point, e+308 and a blank */
}

void json_system(json *j, const shoal_molecule *mol, int64_t index, shoal_system_status status)
{
    json_integer(j, "index", index);
    json_text(j, "name", shoal_molecule_name(mol));
    json_integer(j, "natoms", shoal_molecule_n_atoms(mol));
    json_text(j, "status", shoal_system_status_name(status));
}

void failures_add(failure_list *list, const shoal_molecule *mol, int64_t index,
                  const shoal_result *r)
{
    char buffer[32];
    if (list->n < FAILURES_SHOWN) {
        char *line = list->lines[list->n];
        const int used =
            snprintf(line, sizeof list->lines[0], "%lld %.40s: %s", (long long)index,
                     system_title(mol, index, buffer), shoal_system_status_name(r->status));
        const size_t left = sizeof list->lines[0] - (size_t)used;
        if (r->reason[0])
            (void)snprintf(line + used, left, ", %s", r->reason);
        else
            (void)snprintf(line + used, left, ", fmax %.4g eV/A after %d evaluations", r->fmax,
                           r->steps);
    }
    ++list->n;
}

void failures_print(const failure_list *list)
{
    for (int64_t k = 0; k < list->n && k < FAILURES_SHOWN; ++k)
        (void)fprintf(stderr, "  %s\n", list->lines[k]);
    if (list->n > FAILURES_SHOWN)
        (void)fprintf(stderr, "  and %lld more\n", (long long)(list->n - FAILURES_SHOWN));
}
