/* SPDX-License-Identifier: BSD-3-Clause
 * The options of shoal check, and what it says. */
#ifndef SHOAL_CLI_CHECK_H
#define SHOAL_CLI_CHECK_H

#include "constraints.h"
#include "engine_options.h"
#include "json.h"
#include "surface_options.h"
#include "systems.h"

typedef struct check_options {
    systems_options systems;
    engine_settings compute;
    surface_settings surface;
    constraints held;
    double tolerance;        /* negative: by the precision */
    const char *interaction; /* TERM:INDEX or TERM:I,J, NULL for none */
    int system;              /* that it belongs to */
    bool has_system;         /* it was given */
    bool each_term, relax;
    shoal_relax_options steps;  /* of relax */
    const char *dump, *dump_to; /* names of fields, and a folder; NULL: none */
} check_options;

typedef struct check_run {
    const check_options *options;
    row_style style;
    shoal_check *check;
    int64_t n_seen; /* systems that --interaction or --dump were about */
    int64_t n_told;
} check_run;

/* check_show.c: what is told of systems and of all of them; the latter returns an exit code. */
void check_show_system(void *user, const shoal_checked *checked); /* user: a check_run */
int check_show_end(const check_options *o, shoal_check *check);
/* One interaction. */
int check_show_interaction(const check_run *run, const shoal_stream_system *system,
                           const shoal_checked_interaction *s);

/* check_dump.c: fields of the plan of a system, on standard output or as files. Returns an exit code. */
int check_dump(const check_options *o, const shoal_check *check, const shoal_stream_system *system);
/* False after naming a field that is not known. */
bool check_dump_parse(const char *list);

#endif
