/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of groups of options that commands have alike; o: the options of a command, with the members that the rows name. */
#ifndef SHOAL_CLI_GROUPS_H
#define SHOAL_CLI_GROUPS_H

#include "constraints.h"
#include "dry_run.h"
#include "engine_options.h"
#include "forcefield_options.h"
#include "placement_options.h"
#include "surface_options.h"
#include "systems.h"

/* clang-format off */
#define GROUPS_OF_INPUT(systems) \
    {"options:", input_options, NULL, systems}, {NULL, reading_options, take_input_option, systems}
/* Of what has options of its own before them. */
#define GROUPS_OF_READING(systems) \
    {NULL, reading_options, take_input_option, systems}, \
    {NULL, perceiving_options, take_typing_option, systems}
#define GROUPS_OF_TYPING(systems) \
    {"typing:", typing_options, take_typing_option, systems}, \
    {NULL, perceiving_options, take_typing_option, systems}
#define GROUPS_OF_FILES(systems) \
    GROUPS_OF_INPUT(systems), \
    {"output:", output_options, take_output_option, systems}
#define GROUPS_OF_TERMS(systems) \
    {"force field:", forcefield_options, take_forcefield_option, systems}, \
    GROUPS_OF_TYPING(systems), \
    {"parameters:", params_options, NULL, systems}
#define GROUP_OF_CONFORMERS(systems) {"conformers:", conformer_options, NULL, systems}
#define GROUP_OF_RUNS(systems) {"long runs:", run_options, take_run_option, systems}
#define GROUP_OF_CONSTRAINTS(o) {"constraints:", constraint_options, take_constraint_option, &(o).held}

/* What computes, on what surface, by what terms. */
#define GROUPS_OF_COMPUTING(o) \
    {"computing:", engine_option_table, take_engine_option, &(o).compute}, \
    {"tables:", table_options, NULL, &(o).compute}, \
    {"surface:", surface_option_table, take_surface_option, &(o).surface}, \
    GROUP_OF_CONFORMERS(&(o).systems), \
    GROUPS_OF_TERMS(&(o).systems)
/* The same for systems that can be planned and placed. */
#define GROUPS_OF_PLACING(o) \
    {"computing:", engine_option_table, take_engine_option, &(o).compute}, \
    {"tables:", table_options, NULL, &(o).compute}, \
    {"planning:", dry_run_options, NULL, &(o).dry}, \
    {"surface:", surface_option_table, take_surface_option, &(o).surface}, \
    {"placement:", placement_option_table, take_placement_option, &(o).placement}, \
    GROUP_OF_CONFORMERS(&(o).systems)
/* All of them, with copies that are held somewhere. */
#define GROUPS_OF_COPIES(o) \
    GROUP_OF_CONSTRAINTS(o), \
    GROUPS_OF_PLACING(o), \
    {"copies:", copies_option_table, take_placement_option, &(o).placement}, \
    GROUPS_OF_TERMS(&(o).systems)
/* clang-format on */

#endif
