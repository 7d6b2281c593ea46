/* SPDX-License-Identifier: BSD-3-Clause
 * Merging the outputs of shards into that of the whole run. */
#ifndef SHOAL_MERGE_H
#define SHOAL_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "shoal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was found. */
typedef struct shoal_merge_report {
    int64_t n_systems;     /* written */
    int64_t n_again;       /* systems that were there more than once, the same each time */
    int64_t n_missing;     /* numbers between 0 and the largest that no file has */
    int64_t first_missing; /* -1: none */
} shoal_merge_report;

/* Puts the systems of all files in the order of their numbers into one file of the same format: .xyz, .extxyz,
 * .sdf, .jsonl, .csv (each also .gz) or .h5, written by runs of shards of one input. The result is that of
 * one run over all of it, byte for byte (HDF5: dataset for dataset). Files may be given twice, and shards may
 * have been run twice: what is there again must be the same, or it fails with SHOAL_E_FORMAT. The output appears
 * under its name when it is complete, and may not be one of the files. report may be NULL. */
SHOAL_API shoal_status shoal_merge(const char *output, const char *const *files, int32_t n_files,
                                   shoal_merge_report *report);

#ifdef __cplusplus
}
#endif

#endif
