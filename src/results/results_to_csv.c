/* SPDX-License-Identifier: BSD-3-Clause
 * The table of a run from its files of results. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "shoal/run.h"

/* Files that are read one after the other; entry 0 of the table is its header. */
typedef struct table_source {
    shoal_results_reader **readers; /* [n] */
    shoal_results_header *headers;  /* [n] */
    int32_t n, at;
    int64_t next; /* of the file at */
    shoal_results_what what;
    shoal_string record;
} table_source;

static shoal_status open_all(table_source *s, const char *const *files, int64_t *n_rows)
{
    for (int32_t k = 0; k < s->n; ++k) {
        SHOAL_TRY(shoal_results_open(&s->readers[k], files[k]));
        SHOAL_TRY(shoal_results_header_get(s->readers[k], &s->headers[k]));
        const shoal_results_what *w = &s->headers[k].what;
        s->what.variants = s->what.variants || w->variants;
        s->what.adsorption = s->what.adsorption || w->adsorption;
        s->what.stress = s->what.stress || w->stress;
        s->what.directions = s->what.directions || w->directions;
        *n_rows += shoal_results_n_systems(s->readers[k]);
    }
    return SHOAL_OK;
}

static shoal_status put_entry(void *user, int64_t i, shoal_string *out)
{
    table_source *s = user;
    if (i == 0) {
        shoal_results_csv_header(&s->what, out);
        return SHOAL_OK;
    }
    while (s->next == shoal_results_n_systems(s->readers[s->at])) {
        ++s->at;
        s->next = 0;
    }
    const shoal_results_header *header = &s->headers[s->at];
    shoal_string_clear(&s->record);
    SHOAL_TRY(shoal_results_read(s->readers[s->at], s->next++, &s->record));
    return shoal_results_csv_record(&s->what, shoal_string_data(&s->record),
                                    shoal_string_size(&s->record), header->files, header->n_files,
                                    out);
}

shoal_status shoal_results_to_csv(const char *path, const char *const *files, int32_t n_files)
{
    shoal_clear_error();
    SHOAL_NEED(path && files && n_files > 0);
    const shoal_run_output to = {.path = path, .kind = SHOAL_OUTPUT_CSV};
    table_source s = {.n = n_files};
    int64_t n_rows = 0;
    s.readers = shoal_alloc((size_t)n_files, sizeof *s.readers);
    s.headers = shoal_alloc((size_t)n_files, sizeof *s.headers);
    shoal_status status = s.readers && s.headers ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t k = 0; k < n_files && status == SHOAL_OK; ++k)
        if (shoal_path_is_same(path, files[k]))
            status = shoal_fail(SHOAL_E_ARGUMENT,
                                "%s is an input, too; expected another name for the output", path);
    if (status == SHOAL_OK) status = open_all(&s, files, &n_rows);
    if (status == SHOAL_OK) status = shoal_run_output_write(&to, NULL, n_rows + 1, put_entry, &s);
    for (int32_t k = 0; s.readers && k < n_files; ++k) shoal_results_reader_destroy(s.readers[k]);
    shoal_string_free(&s.record);
    free((void *)s.readers);
    free(s.headers);
    return status;
}
