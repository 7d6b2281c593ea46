/* SPDX-License-Identifier: BSD-3-Clause
 * What a scan says of its points together: minima, barriers, how well coordinates were held, figures. */
#ifndef SHOAL_CLI_SCAN_REPORT_H
#define SHOAL_CLI_SCAN_REPORT_H

#include <stdio.h>

#include "engine_options.h"
#include "systems.h"

/* Beyond so many points they are not kept, and nothing is said. */
#define SCAN_REPORT_MOST 10000000

typedef struct scan_report {
    const shoal_scan *scan;
    const engine_settings *compute;
    const shoal_coordinate *coordinates;
    int32_t n_coordinates;
    const char *plot; /* figure; NULL: none */
    double range[2];  /* that it shows, in the unit of energies; both 0: all that is worth it */
    bool quiet, relaxed;
    char *kept_name; /* file of the energies so far, that a resumed run needs; NULL: none */
    FILE *kept;
    double *energies, *by_place; /* [size] of the variants so far, and by place; eV */
    int64_t of; /* which record and copy of it, counted in the whole input; -1: none yet */
    int64_t n_seen;
    int64_t n_told;
    char title[64];
    double worst_length, worst_angle; /* angstrom, degrees: how far coordinates were missed by */
    int64_t worst_index;
} scan_report;

/* Begins; first: the file that a run writes first, NULL without one. Returns an exit code. */
int scan_report_begin(scan_report *r, const char *first, bool resumes);
/* A systems_job's visit. */
int scan_report_visit(scan_report *r, const shoal_stream_system *systems, int32_t n);
/* Says what is left to say; complete: the run came to its end. Returns an exit code. */
int scan_report_end(scan_report *r, bool complete);

/* Energy without that of restraints, eV. */
double scan_energy(const shoal_result *result);

#endif
