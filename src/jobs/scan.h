/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a scan. */
#ifndef SHOAL_JOBS_SCAN_H
#define SHOAL_JOBS_SCAN_H

#include "jobs/coordinate.h"
#include "jobs/search_starts.h"
#include "shoal/scan.h"

struct shoal_scan {
    shoal_scan_options options; /* its arrays are copies */
    shoal_coordinate *coordinates;
    int64_t *strides; /* [n_coordinates] of places */
    int32_t *move;
    shoal_molecule **frames;
    int64_t size;
    bool has_copies;             /* they were asked for */
    shoal_restraint *restraints; /* one per distance, angle, torsion, then that of the place */
    int32_t n_restraints;
    double top;             /* z of the topmost atom of the surface, angstrom */
    search_setting setting; /* of starts beside the record's, on .. */
    search_substrate substrate;
};

/* The coordinate that is the volume; -1: there is none. */
int32_t scan_find_volume(const shoal_scan *scan);

/* The value of step i of a coordinate. */
double scan_value(const shoal_coordinate *c, int64_t i);
/* Whether its last point is followed by its first one: it goes round. *same: they are one point. */
bool scan_is_closed(const shoal_coordinate *c, bool *same);

/* scan_minima.c: the place one step away along coordinate k; -1 beyond its end. */
int64_t scan_neighbour(const shoal_scan *scan, int64_t place, int32_t k, int by);

/* scan_make.c: what makes shoal_variants; user is the scan. */
shoal_status scan_make(void *user, const shoal_stream_system *system,
                       const shoal_stream_system *earlier, int32_t n_earlier, double (*pos)[3],
                       shoal_restraint *restraints);
shoal_status scan_again(void *user, const shoal_stream_system *unit, int32_t i, int32_t round,
                        double (*pos)[3], shoal_restraint *restraints, bool *wanted);

#endif
