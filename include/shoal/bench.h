/* SPDX-License-Identifier: BSD-3-Clause
 * How fast built-in systems are computed: as many slightly different copies as wanted, compared with ref before
 * anything is timed. */
#ifndef SHOAL_BENCH_H
#define SHOAL_BENCH_H

#include "shoal/compare.h"
#include "shoal/stream.h"
#include "shoal/surface.h"
#include "shoal/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_bench shoal_bench;

/* A molecule, or many unlike ones. */
typedef struct shoal_bench_case {
    const char *name, *about;
    int32_t systems; /* unless told otherwise */
} shoal_bench_case;

/* Case k; false beyond the last. */
SHOAL_API bool shoal_bench_case_get(int32_t k, shoal_bench_case *out);

typedef enum shoal_bench_what {
    SHOAL_BENCH_EVAL = 0,
    SHOAL_BENCH_RELAX,    /* so many steps, converged or not */
    SHOAL_BENCH_CONVERGE, /* to the usual force */
    SHOAL_BENCH_MD,
    SHOAL_BENCH_LANGEVIN,
    SHOAL_BENCH_TYPING, /* perception and types */
    SHOAL_BENCH_GRID,   /* of the whole cell of the surface */
    SHOAL_BENCH_ENGINE, /* shoal_bench_life */
    SHOAL_N_BENCHES
} shoal_bench_what;
/* "eval", "relax", ..; NULL beyond the last. */
SHOAL_API const char *shoal_bench_what_name(int what);

/* Zero and NULL mean none or the default. Pointers are borrowed until the bench is destroyed. */
typedef struct shoal_bench_options {
    shoal_bench_what what;
    shoal_method method; /* of relax and converge */
    int32_t systems, steps;
    int32_t n_threads;                  /* of typing and grids */
    int64_t seed;                       /* of the differences between copies */
    const shoal_engine_options *engine; /* its surface is what copies are spread over */
    const shoal_typing_options *typing;
    shoal_surface *surface; /* that copies are put on, or that the grid is of */
    double height;          /* angstrom above the surface; 0: 3 */
} shoal_bench_options;

/* A slab of rock salt that needs no file, "nacl" or "nacl:16x16x3" (cells, cells, layers); false for any other name. */
SHOAL_API bool shoal_bench_slab(const char *name, shoal_slab_options *out);

/* Loads a case and types it. Fails with SHOAL_E_ARGUMENT for an unknown name, and with SHOAL_E_UNSUPPORTED where a
 * molecule has no types. The caller owns *out. */
SHOAL_API shoal_status shoal_bench_create(shoal_bench **out, const char *name,
                                          const shoal_bench_options *options);
SHOAL_API void shoal_bench_destroy(shoal_bench *bench);

/* How far the first systems are from ref. */
typedef struct shoal_bench_check {
    double verdict;  /* the largest */
    int32_t differs; /* the first system that is not right, -1: all are; of it: */
    shoal_system_status status;
    shoal_comparison c;
} shoal_bench_check;
SHOAL_API shoal_status shoal_bench_compare(shoal_bench *bench, shoal_bench_check *out);

/* What there is, and what the last repeat has done. */
typedef struct shoal_bench_counts {
    int32_t systems, steps, n_atoms; /* n_atoms: of the largest */
    int64_t evaluations;             /* steps of dynamics, nodes of a grid */
    int64_t converged;
} shoal_bench_counts;
SHOAL_API void shoal_bench_count(const shoal_bench *bench, shoal_bench_counts *out);

/* The life of an engine, in the order in which things are done. */
typedef enum shoal_bench_phase {
    SHOAL_PHASE_CREATE = 0,
    SHOAL_PHASE_FIRST_EVAL, /* with the programs that are not built yet */
    SHOAL_PHASE_EVAL,
    SHOAL_PHASE_FIRST_RELAX, /* likewise */
    SHOAL_PHASE_RELAX,
    SHOAL_PHASE_READ, /* all results as flat arrays */
    SHOAL_PHASE_DESTROY,
    SHOAL_N_PHASES
} shoal_bench_phase;
SHOAL_API const char *shoal_bench_phase_name(int phase); /* NULL beyond the last */

typedef struct shoal_bench_life {
    double open; /* s: driver, context and self-test; next to nothing where none is needed */
    double first[SHOAL_N_PHASES]; /* s: of the first engine */
    double later[SHOAL_N_PHASES]; /* s: the median of those after it */
    double first_result; /* s: from the start of the process to the first energies; 0: not known */
} shoal_bench_life;

/* Benches by turns, so that what else the machine does meets all: each once to warm up, which grids need not, and
 * repeats times. Of SHOAL_BENCH_ENGINE: lives of 1 + repeats engines, one after the other. */
SHOAL_API shoal_status shoal_bench_measure(shoal_bench *const *benches, int32_t n_benches,
                                           int32_t repeats);

/* What came of it. */
typedef struct shoal_bench_figures {
    char device[128];      /* what the device calls itself */
    const char *unit;      /* what is counted: "evaluations", "steps", "molecules", "nodes" */
    double median;         /* s */
    double spread;         /* (slowest - fastest) / median */
    double rate;           /* units per s of the median */
    bool on_engine;        /* not types, not a grid: shoal_bench_compare is about it */
    bool fell_short;       /* relaxations ended before their steps were done */
    shoal_bench_life life; /* of SHOAL_BENCH_ENGINE */
} shoal_bench_figures;
SHOAL_API shoal_status shoal_bench_report(const shoal_bench *bench, shoal_bench_figures *out);

/* The same as keys of an open object. against: the same work with another force field, NULL: none. forcefields: of
 * both, NULL where they need no names; surface: what it is called, NULL: none. */
SHOAL_API shoal_status shoal_bench_json(shoal_json *j, const shoal_bench *bench,
                                        const shoal_bench *against,
                                        const char *const forcefields[2], const char *surface);

/* --- whole runs: from files to texts ---- */

typedef struct shoal_bench_files_options {
    shoal_job job; /* to SHOAL_JOB_RELAX */
    const shoal_engine_options *engine;
    const shoal_typing_options *typing;
    const char *output; /* molecules are written there; NULL: texts are made and dropped */
    int32_t n_threads, repeats;
} shoal_bench_files_options;

typedef struct shoal_bench_files_result {
    bool same;              /* all runs gave the same texts; otherwise nothing is right */
    double seconds, spread; /* median of the repeats; (slowest - fastest) / median */
    double first_seconds;   /* of the one before them */
    int64_t n_systems, n_failed, n_bytes;
    shoal_stream_progress last; /* of the median: what its threads spent their time on */
} shoal_bench_files_result;

/* Runs a job over all files, repeats times after once to warm up. */
SHOAL_API shoal_status shoal_bench_files(const shoal_bench_files_options *options,
                                         const char *const *files, int32_t n_files,
                                         shoal_bench_files_result *out);
SHOAL_API void shoal_bench_files_json(shoal_json *j, const shoal_bench_files_options *options,
                                      const shoal_bench_files_result *result);

#ifdef __cplusplus
}
#endif

#endif
