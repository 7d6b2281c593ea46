/* SPDX-License-Identifier: BSD-3-Clause
 * shoal check --dump: fields of the plan of one system, as JSON or as files of NumPy. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"

static void json_values(json *j, const shoal_field *f)
{
    json_open(j, "values", '[');
    for (int32_t i = 0; i < f->rows; ++i)
        json_numbers(j, NULL, f->values + (ptrdiff_t)i * f->n_columns, f->n_columns);
    json_close(j, ']');
}

static int put_field(const check_options *o, json *j, const char *name, const shoal_field *f)
{
    char path[1024];
    json_open(j, name, '{');
    if (!f->values) {
        json_text(j, "missing", f->missing);
        json_close(j, '}');
        return EXIT_ALL_FINE;
    }
    json_put(j, "columns", f->columns, "unit", f->unit, "rows", f->rows);
    int code = EXIT_ALL_FINE;
    if (o->dump_to) {
        const int n = snprintf(path, sizeof path, "%s/%s.npy", o->dump_to, name);
        if (n >= (int)sizeof path) {
            cli_complain("--dump-to %s: the name is too long", o->dump_to);
            code = EXIT_FILES;
        } else if (shoal_field_write(f, path) != SHOAL_OK) {
            code = complain_of_output();
        }
        json_text(j, "file", path);
    } else {
        json_values(j, f);
    }
    json_close(j, '}');
    return code;
}

/* Field after field of the list. */
static int put_fields(const check_options *o, shoal_engine *engine, json *j)
{
    int code = EXIT_ALL_FINE;
    for (const char *at = o->dump; *at && code == EXIT_ALL_FINE;) {
        char name[32];
        shoal_field field;
        const size_t n = strcspn(at, ",");
        (void)snprintf(name, sizeof name, "%.*s", (int)n, at);
        at += n + (at[n] == ',');
        const shoal_status status = shoal_engine_field(engine, name, &field);
        code = status == SHOAL_OK ? put_field(o, j, name, &field) : complain_of_status(status);
        shoal_field_free(&field);
    }
    return code;
}

bool check_dump_parse(const char *list)
{
    for (const char *at = list; *at;) {
        const size_t n = strcspn(at, ",");
        int32_t k = 0;
        const char *name;
        while ((name = shoal_field_name(k)) && (strlen(name) != n || strncmp(name, at, n) != 0))
            ++k;
        if (!name)
            return cli_refuse(
                "--dump '%s': unknown field '%.*s'; expected some of positions, forces, "
                "energies, charges, slots, neighbours",
                list, (int)n, at);
        at += n + (at[n] == ',');
    }
    return true;
}

int check_dump(const check_options *o, const shoal_check *check, const shoal_stream_system *system)
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    json j = {0};
    if (o->dump_to && mkdir(o->dump_to, 0777) != 0 && errno != EEXIST) {
        cli_complain("--dump-to %s: %s", o->dump_to, strerror(errno));
        return EXIT_FILES;
    }
    shoal_status status = shoal_batch_create(&batch);
    if (status == SHOAL_OK) status = shoal_check_add(check, system, batch);
    if (status == SHOAL_OK) status = shoal_engine_create(&engine, batch, &o->compute.engine);
    int code = status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
    if (code == EXIT_ALL_FINE) {
        json_open(&j, NULL, '{');
        json_put(&j, "device", o->compute.engine.device, "precision",
                 shoal_precision_name((int)o->compute.engine.precision), "system", system->index,
                 "name", shoal_molecule_name(system->mol));
        json_open(&j, "fields", '{');
        code = put_fields(o, engine, &j);
        json_close(&j, '}');
        if (code == EXIT_ALL_FINE) (void)json_print_line(&j);
    }
    json_free(&j);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return code;
}
