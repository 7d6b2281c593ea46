/* SPDX-License-Identifier: BSD-3-Clause
 * Named fields of a plan, read from the memory of the device after a single point. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "engine/engine.h"

enum { POSITIONS, FORCES, ENERGIES, CHARGES, SLOTS, GATHER, NEIGHBOURS, N_FIELDS };

static const struct {
    const char *name, *columns, *unit, *missing;
} fields[N_FIELDS] = {
    {"positions", "x y z", "A", ""},
    {"forces", "x y z", "eV/A", ""},
#define COLUMN(NAME, name, is_bonded) " " #name
    {"energies", &TERM_ENERGIES(COLUMN)[1], "eV", ""},
#undef COLUMN
    {"charges", "q", "e", ""},
    {"slots", "x y z w", "eV/A", "this schedule adds forces up as it goes: it keeps no slots"},
    {"gather", "mover slot", "1", "this schedule adds forces up as it goes: it gathers nothing"},
    {"neighbours", "i j x y z", "A", "this schedule keeps no neighbour list"},
};

const char *shoal_field_name(int32_t k)
{
    return k >= 0 && k < N_FIELDS ? fields[k].name : NULL;
}

void shoal_field_free(shoal_field *field)
{
    if (!field) return;
    free(field->values);
    *field = (shoal_field){0};
}

static shoal_status copy(const double *from, int32_t rows, int32_t columns, shoal_field *out)
{
    const size_t n = (size_t)rows * (size_t)columns;
    out->values = shoal_alloc(n + 1, sizeof *out->values);
    if (!out->values) return SHOAL_E_MEMORY;
    if (n > 0) memcpy(out->values, from, n * sizeof *from);
    out->rows = rows;
    out->n_columns = columns;
    return SHOAL_OK;
}

/* Of schedules that have it. */
static shoal_status ask_backend(shoal_engine *engine, int which, shoal_field *out)
{
    backend_field field = {0};
    if (engine->backend->field)
        SHOAL_TRY(engine->backend->field(engine->exact.plan, fields[which].name, &field));
    out->values = field.values;
    out->rows = field.rows;
    out->n_columns = field.columns;
    out->missing = field.values ? "" : fields[which].missing;
    return SHOAL_OK;
}

/* One evaluation, and the part it leaves on the device. */
static shoal_status read_field(shoal_engine *engine, int which, shoal_field *out)
{
    const shoal_backend *b = engine->backend;
    const backend_system *s = &engine->systems[0];
    backend_result *r = &engine->results[0];
    void *plan = engine->exact.plan;
    const uint32_t wanted = BACKEND_POSITIONS | BACKEND_FORCES | BACKEND_TERMS;
    const int32_t n = engine_n_atoms(engine, 0);
    backend_part part;
    SHOAL_TRY(b->first(plan, NULL, engine->results));
    SHOAL_TRY(b->next(plan, engine->results, &part));
    if (part.n == 0) return shoal_fail(SHOAL_E_ARGUMENT, "field: %s", r->reason);
    SHOAL_TRY(b->eval(plan, wanted));
    SHOAL_TRY(b->read(plan, wanted, engine->results));
    switch (which) {
    case POSITIONS: return copy(n > 0 ? r->pos[0] : NULL, n, 3, out);
    case FORCES: return copy(n > 0 ? r->forces[0] : NULL, n, 3, out);
    case ENERGIES: return copy(r->terms, 1, SHOAL_N_TERMS, out);
    case CHARGES: return copy(s->view.charges, n, 1, out);
    default: return ask_backend(engine, which, out);
    }
}

shoal_status shoal_engine_field(shoal_engine *engine, const char *name, shoal_field *out)
{
    shoal_clear_error();
    if (!engine || !name || !out)
        return shoal_fail(SHOAL_E_ARGUMENT, "field: no engine, no name or no place for it");
    *out = (shoal_field){0};
    int which = 0;
    while (which < N_FIELDS && strcmp(name, fields[which].name) != 0) ++which;
    if (which == N_FIELDS)
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "unknown field '%s', expected positions, forces, energies, charges, slots, gather "
            "or neighbours",
            name);
    if (engine->n_systems != 1)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "field: of engines with one system, not %d",
                          engine->n_systems);
    if (engine->systems[0].skip)
        return shoal_fail(SHOAL_E_ARGUMENT, "field: the system is untyped: %s",
                          shoal_topology_reason(engine->topologies[0]));
    out->columns = fields[which].columns;
    out->unit = fields[which].unit;
    out->missing = "";
    SHOAL_TRY(engine_begin_run(engine));
    return read_field(engine, which, out);
}

/* Version 1.0 of the format: magic, length of the header, a Python dictionary filled up with blanks to a
 * multiple of 64 bytes, numbers. Doubles lie in memory as they do in the file on all machines that Shoal is
 * built for. */
shoal_status shoal_field_write(const shoal_field *f, const char *path)
{
    char header[128];
    shoal_clear_error();
    SHOAL_NEED(f && path);
    if (!f->values) return shoal_fail(SHOAL_E_ARGUMENT, "%s: the field has no values", path);
    FILE *file = fopen(path, "wb");
    const size_t n = (size_t)f->rows * (size_t)f->n_columns;
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    const int used = snprintf(header + 10, sizeof header - 10,
                              "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
                              f->rows, f->n_columns);
    header[10 + used] = ' ';
    header[sizeof header - 1] = '\n';
    bool fine = file && fwrite(header, sizeof header, 1, file) == 1 &&
                fwrite(f->values, sizeof *f->values, n, file) == n;
    int why = errno;
    if (file && fclose(file) != 0 && fine) {
        fine = false;
        why = errno;
    }
    if (fine) return SHOAL_OK;
    if (file) (void)remove(path);
    return shoal_fail(SHOAL_E_IO, "%s: %s", path, strerror(why));
}
