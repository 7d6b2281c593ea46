/* SPDX-License-Identifier: BSD-3-Clause
 * Results of systems as lines of JSON; docs/json.md has the keys. Energies are in eV. */
#ifndef SHOAL_ROW_H
#define SHOAL_ROW_H

#include "shoal/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What rows show besides. */
typedef struct shoal_row_style {
    const char *const *files; /* of the input */
    bool positions, forces;   /* of every atom, in JSON */
    bool devices;             /* there are several: which one computed a system */
    bool adsorption;          /* energies of adsorption */
    bool copies;              /* of dynamics: which copy it is */
    const char *metals;       /* shoal_surface_view.metals of their surface; NULL as "" */
} shoal_row_style;

/* What a system is called: its molecule's name, or "#index", written into the buffer. */
SHOAL_API const char *shoal_row_title(const shoal_stream_system *system, char buffer[32]);

/* The line of a system of a job, SHOAL_JOB_TYPE to SHOAL_JOB_MODES. */
SHOAL_API shoal_status shoal_row_json(shoal_job job, const shoal_row_style *style,
                                      const shoal_stream_system *system, shoal_string *out);

/* Parts of it, as keys of an open object: the first ones (index, name, natoms, status, file, record), energies of a
 * single point with these, .. */
SHOAL_API void shoal_row_open(shoal_json *j, const shoal_row_style *style,
                              const shoal_stream_system *system);
SHOAL_API void shoal_row_energy(shoal_json *j, const shoal_row_style *style,
                                const shoal_stream_system *system);
/* .. energies by term, of the molecule alone and of adsorption where they are known, .. */
SHOAL_API void shoal_row_terms(shoal_json *j, const shoal_result *result);
SHOAL_API void shoal_row_adsorption(shoal_json *j, const shoal_stream_system *system);
/* .. and the last ones: reason, warning, positions, forces. */
SHOAL_API void shoal_row_details(shoal_json *j, const shoal_row_style *style,
                                 const shoal_stream_system *system);
/* The latter two alone. */
SHOAL_API void shoal_row_atoms(shoal_json *j, const shoal_row_style *style,
                               const shoal_stream_system *system);
/* All interactions of a system that an engine holds, as "interactions". */
SHOAL_API shoal_status shoal_row_interactions(shoal_json *j, const shoal_stream_system *system);

#ifdef __cplusplus
}
#endif

#endif
