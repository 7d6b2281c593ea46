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

/* The constraints of one system; an index out of range is reported by name. */
static int hold(holder *h, const constraints *held, const shoal_molecule *mol, int64_t index,
                shoal_system *system)
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
    for (int k = 0; k < held->n_fixed; ++k) {
        if (held->fixed[k] >= n) {
            char buffer[32];
            cli_complain("--fix %d: %s has atoms 0 to %d only", held->fixed[k],
                         system_title(mol, index, buffer), n - 1);
            return EXIT_USAGE;
        }
        h->fixed[held->fixed[k]] = true;
    }
    for (int k = 0; k < held->n_restraints; ++k) {
        shoal_restraint *r = &h->restraints[k];
        *r = held->restraints[k];
        if (r->kind == SHOAL_RESTRAINT_POSITION && r->atoms[0] < n)
            memcpy(r->target, shoal_molecule_positions(mol)[r->atoms[0]], sizeof r->target);
    }
    system->restraints = h->restraints;
    system->n_restraints = held->n_restraints;
    return EXIT_ALL_FINE;
}

static int add_system(shoal_batch *batch, const systems_chunk *chunk, int32_t i,
                      const constraints *held, holder *h)
{
    const loaded_system *s = &chunk->systems[i];
    double cell[3][3];
    bool pbc[3];
    shoal_molecule_cell(s->mol, cell, pbc);
    shoal_system system = {.topology = s->topology,
                           .pos = shoal_molecule_positions(s->mol),
                           .cell = shoal_molecule_is_periodic(s->mol) ? (const double(*)[3])cell
                                                                      : NULL};
    const int code = held ? hold(h, held, s->mol, chunk->first + i, &system) : EXIT_ALL_FINE;
    if (code != EXIT_ALL_FINE) return code;
    const shoal_status status = shoal_batch_add(batch, &system);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
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
        code = add_system(*out, chunk, i, held, &h);
    free(h.fixed);
    free(h.restraints);
    if (code != EXIT_ALL_FINE) {
        shoal_batch_destroy(*out);
        *out = NULL;
    }
    return code;
}

void json_terms(json *j, const double terms[SHOAL_N_TERMS])
{
    json_open(j, "terms", '{');
    for (int t = 0; t < SHOAL_N_TERMS; ++t) json_number(j, shoal_term_name(t), terms[t]);
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
