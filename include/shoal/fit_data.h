/* SPDX-License-Identifier: BSD-3-Clause
 * Frames of two fragments for fits: made of plain dimers, and compared with what the engine would call
 * their atoms. docs/fitting.md describes the files.
 *
 * NULL where something is needed fails with SHOAL_E_ARGUMENT. */
#ifndef SHOAL_FIT_DATA_H
#define SHOAL_FIT_DATA_H

#include "shoal/fit.h"
#include "shoal/io.h"
#include "shoal/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Told what the user should know, a line at a time. */
typedef void shoal_fit_note(void *user, const char *text);

/* Zero means the default in every member. Files that are NULL are not written. */
typedef struct shoal_prepare_options {
    shoal_format format; /* of the input */
    /* auto: the file's, unless those of a molecule are the wrong way around, else QEq of each molecule */
    shoal_charge_source charges;
    shoal_dialect dialect;
    bool finer;      /* types that know more of the neighbourhood; their parents are in the table */
    const char *map; /* file of two columns: what Shoal calls a type, what is written */
    const char *frames;   /* files to write */
    const char *types;    /* table to start a fit from: UFF's radii and depths */
    const char *dofs;     /* R and E of all types, H of polar ones */
    shoal_fit_note *note; /* may be NULL */
    void *user;
} shoal_prepare_options;

typedef struct shoal_prepare_result {
    int32_t n_frames, n_left_out, n_types;
    int32_t
        n_mended; /* frames with a molecule whose charges in the file contradicted electronegativity */
} shoal_prepare_result;

/* Types and charges every fragment of the dimers on its own. In xyz files a dimer is a frame whose comment
 * has n0 and Etot, in others it is two molecules in a row, of which one has the data field Etot. One with a
 * fragment that cannot be typed is left out, counted and noted. Charges of a neutral fragment that point the other way than
 * electronegativities do, all in all, are replaced under auto, by those of MMFF94 or else of QEq; the first of each file is
 * noted. */
SHOAL_API shoal_status shoal_fit_prepare(const char *const *paths, int32_t n_paths,
                                         const shoal_prepare_options *options,
                                         shoal_prepare_result *result);

/* Labels of the data set's files that are read as others: a file of two columns. Before
 * shoal_dataset_add. */
SHOAL_API shoal_status shoal_dataset_map_labels(shoal_dataset *data, const char *path);

/* Atoms that the engine would give another type of the data set's table. */
typedef struct shoal_label_difference {
    char label[SHOAL_TYPE_NAME_SIZE]; /* in the data */
    char name[SHOAL_TYPE_NAME_SIZE];  /* in the engine; the table need not have it */
    int32_t n_atoms;
    int32_t sample, atom; /* the first */
} shoal_label_difference;

typedef struct shoal_label_check {
    int32_t n_differences; /* kinds of them */
    int32_t n_atoms;       /* all of them */
    int32_t n_untyped;     /* frames that the engine would not type at all */
    int32_t untyped;       /* the first of these, -1 without one */
    char reason[256];      /* why not */
} shoal_label_check;

/* The most frequent differences go to list[capacity]. */
SHOAL_API shoal_status shoal_dataset_check_labels(const shoal_dataset *data,
                                                  shoal_label_difference *list, int32_t capacity,
                                                  shoal_label_check *check);

/* A fit without degrees of freedom, to evaluate a table with a model: shoal_fit_predict gives energies.
 * options may be NULL. The caller owns *out. */
SHOAL_API shoal_status shoal_fit_create_fixed(shoal_fit **out, const shoal_dataset *data,
                                              const shoal_fit_options *options);
/* The same of a pair model, whose table is that of the data set. Sites of the model are put into the data
 * set, which has none before. Fails with SHOAL_E_UNSUPPORTED for settings that fits do not know. */
SHOAL_API shoal_status shoal_fit_create_model(shoal_fit **out, shoal_dataset *data,
                                              const shoal_pair_model *model, int32_t n_threads);

#ifdef __cplusplus
}
#endif

#endif
