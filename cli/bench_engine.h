/* SPDX-License-Identifier: BSD-3-Clause
 * 'shoal bench --what engine': how long an engine takes to be made, used for the first time, read and
 * destroyed, the first of a process and those after it. */
#ifndef SHOAL_CLI_BENCH_ENGINE_H
#define SHOAL_CLI_BENCH_ENGINE_H

#include "json.h"
#include "shoal/shoal.h"

/* What is timed, in the order in which it is done. */
typedef enum bench_phase {
    PHASE_CREATE,
    PHASE_FIRST_EVAL, /* with the programs that are not built yet */
    PHASE_EVAL,
    PHASE_FIRST_RELAX, /* likewise */
    PHASE_RELAX,
    PHASE_READ, /* all results as flat arrays */
    PHASE_DESTROY,
    N_PHASES
} bench_phase;

typedef struct bench_engine {
    double open; /* s: driver, context and self-test; next to nothing where none is needed */
    double first[N_PHASES]; /* s: of the first engine */
    double later[N_PHASES]; /* s: the median of those after it */
    double first_result; /* s: from the start of the process to the first energies; 0: not known */
} bench_engine;

/* Makes 1 + repeats engines of a batch, one after the other; a relaxation does so many steps. */
shoal_status bench_engine_measure(const shoal_batch *batch, const shoal_engine_options *options,
                                  int steps, int repeats, bench_engine *out);

void bench_engine_json(const bench_engine *b, json *j);
void bench_engine_table(const bench_engine *b, int systems);

#endif
