/* SPDX-License-Identifier: BSD-3-Clause
 * What is printed about grids: as tables or as JSON. */
#ifndef SHOAL_CLI_GRID_REPORT_H
#define SHOAL_CLI_GRID_REPORT_H

#include "shoal/shoal.h"

void grid_report_info(const char *path, const shoal_grid *grid, bool as_json);
void grid_report_errors(const shoal_grid_report *report, bool as_json);

#endif
