/* SPDX-License-Identifier: BSD-3-Clause
 * A device against ref, over systems of a stream: whole systems, every term and every interaction of it, or every
 * step of a relaxation. */
#ifndef SHOAL_CHECK_H
#define SHOAL_CHECK_H

#include "shoal/compare.h"
#include "shoal/row.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_check shoal_check;

typedef enum shoal_check_way {
    SHOAL_CHECK_SYSTEMS = 0, /* energies and forces of whole systems */
    SHOAL_CHECK_TERMS,       /* every term as a whole, and its interactions one by one */
    SHOAL_CHECK_STEPS,       /* every geometry of a relaxation on the device */
} shoal_check_way;

/* What was found of a system; borrowed for the call that tells it. */
typedef struct shoal_checked {
    const shoal_stream_system *system;
    bool differs;
    shoal_result ref, device; /* of steps: at the end; ref is then the cpu in double */
    shoal_comparison c;       /* of the system, or of the first step that differs */
    /* Of steps: */
    int32_t n_compared;
    double worst; /* verdict of all */
    int32_t worst_step;
    int32_t differs_at; /* step; -1: none */
    int term;           /* that this is owed to */
    /* The first steps are compared with those of the cpu in double: */
    int32_t parted_at;   /* step that leads elsewhere; -1: none */
    int32_t parted_atom; /* that is furthest from its place, .. */
    double parted;       /* .. angstrom */
} shoal_checked;

typedef struct shoal_check_options {
    shoal_check_way way;
    double tolerance; /* largest verdict and energy_error that pass; < 0: shoal_compare_tolerance */
    const shoal_relax_options *relax; /* of steps; NULL: as usual */
    /* Told of every system, in order; not of terms. May be NULL. */
    void (*tell)(void *user, const shoal_checked *checked);
    void *user;
} shoal_check_options;

/* All systems so far. */
typedef struct shoal_check_counts {
    int64_t systems, differ;
    int64_t compared;       /* systems that have numbers, or geometries */
    double median, largest; /* verdict; the median is not known of steps */
    /* The worst of whole systems, if any was compared: */
    int64_t index;
    char name[64], type[24]; /* of the system, and of the mover with the largest error */
    shoal_comparison c;
    int term; /* that the error is owed to */
} shoal_check_counts;

/* A term, as a whole or one kind of its interactions one by one. */
typedef struct shoal_check_term {
    int term, kind; /* SHOAL_TERM_; SHOAL_KIND_ or -1 */
    bool whole;
    int64_t n;                        /* systems, or interactions that there are */
    int64_t compared, differ;         /* of these */
    double tolerance;                 /* of this term */
    double energy_error, force_error; /* the largest: eV, verdict */
    double worst;                     /* of both, relative; its place: */
    int64_t index;                    /* of the system */
    char name[64];                    /* of the system, or "#index" */
    double force;                     /* eV/angstrom */
    int32_t atom;                     /* of a whole one */
    shoal_term_row row;               /* otherwise */
    char atoms[160];                  /* in words */
} shoal_check_term;

/* One interaction on both sides. */
typedef struct shoal_checked_interaction {
    shoal_term_row row; /* value and energy are ref's */
    shoal_topology_view view;
    shoal_result ref, device; /* borrowed until the next call for this check */
    shoal_comparison c;
    double tolerance;
    bool differs;
} shoal_checked_interaction;

/* A check of systems that a stream of SHOAL_JOB_TYPE hands on. Of its options the engine of compute, constraints and
 * movable layers are looked at; both are borrowed until the check is destroyed. The caller owns *out. */
SHOAL_API shoal_status shoal_check_create(shoal_check **out, const shoal_stream_options *stream,
                                          const shoal_check_options *options);
SHOAL_API void shoal_check_destroy(shoal_check *check);

/* Looks at n more systems, as stream.output.visit gets them. */
SHOAL_API shoal_status shoal_check_visit(shoal_check *check, const shoal_stream_system *systems,
                                         int32_t n);
SHOAL_API void shoal_check_count(shoal_check *check, shoal_check_counts *out);
/* How many rows terms have, and one of them. */
SHOAL_API int32_t shoal_check_n_terms(const shoal_check *check);
SHOAL_API shoal_status shoal_check_term_get(const shoal_check *check, int32_t k,
                                            shoal_check_term *out);

/* A system as the check computes it: with what holds its atoms. */
SHOAL_API shoal_status shoal_check_add(const shoal_check *check, const shoal_stream_system *system,
                                       shoal_batch *batch);

/* One interaction of a system: TERM:INDEX, TERM:I,J or vdw:I,J,A,B,C with the image of J. Fails with SHOAL_E_ARGUMENT
 * where there is none. */
SHOAL_API shoal_status shoal_check_interaction(shoal_check *check,
                                               const shoal_stream_system *system, const char *what,
                                               shoal_checked_interaction *out);

/* "vdw" of a whole term, "torsion" and so on of a kind of interaction. */
SHOAL_API const char *shoal_check_term_title(const shoal_check_term *term);

/* Keys of an open object, as docs/cli.md has them: of a system, .. */
SHOAL_API void shoal_checked_json(shoal_json *j, const shoal_check *check,
                                  const shoal_row_style *style, const shoal_checked *checked);
/* .. of all systems, of a term, .. */
SHOAL_API void shoal_check_json(shoal_json *j, shoal_check *check);
SHOAL_API void shoal_check_term_json(shoal_json *j, const shoal_check_term *term);
/* .. and of one interaction. */
SHOAL_API void shoal_check_interaction_json(shoal_json *j, const shoal_check *check,
                                            const shoal_stream_system *system,
                                            const shoal_checked_interaction *checked);

#ifdef __cplusplus
}
#endif

#endif
