/* SPDX-License-Identifier: BSD-3-Clause
 * Interactions of a system in words: what moves in it, what a term acts on, with what parameters. */
#ifndef SHOAL_EXPLAIN_H
#define SHOAL_EXPLAIN_H

#include "shoal/engine.h"
#include "shoal/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What moves: atoms, electron pairs, directions, numbered in this order. How many there are. */
SHOAL_API int32_t shoal_mover_count(const shoal_topology_view *view);
/* The atom that a mover stands at: itself, the host of an electron pair, the node of a direction. */
SHOAL_API int32_t shoal_mover_host(const shoal_topology_view *view, int32_t i);

enum { SHOAL_MOVER_SIZE = 48 };
/* "C_R", "E", "pi(C_R)"; returns out. */
SHOAL_API const char *shoal_mover_type(const shoal_topology_view *view, int32_t i,
                                       char out[SHOAL_MOVER_SIZE]);
/* "3:C_R", "8:E(3)", "pi(3:C_R)"; returns out. */
SHOAL_API const char *shoal_mover_name(const shoal_topology_view *view, int32_t i,
                                       char out[SHOAL_MOVER_SIZE]);

/* All interactions of a system, as shoal_engine_explain shows them, those of the largest energies first. The caller
 * frees *out. */
SHOAL_API shoal_status shoal_explain_rows(const shoal_engine *engine, int32_t i_system,
                                          shoal_term_row **out, int64_t *n);

/* Atoms of an interaction, "0:C_3 1:H_(0,0,1)", and its parameters in eV, angstrom and degrees, appended as text. */
SHOAL_API void shoal_explain_atoms(const shoal_term_row *row, const shoal_topology_view *view,
                                   shoal_string *out);
SHOAL_API void shoal_explain_parameters(const shoal_term_row *row, const shoal_topology_view *view,
                                        shoal_string *out);
/* Unit of its value, "A" or "degrees". */
SHOAL_API const char *shoal_explain_unit(const shoal_term_row *row);
/* Keys of an open object: term, kind, index, atoms, types, hosts, shifts (where one is not zero), parameters by name,
 * value, unit, energy. */
SHOAL_API void shoal_explain_json(const shoal_term_row *row, const shoal_topology_view *view,
                                  shoal_json *j);

#ifdef __cplusplus
}
#endif

#endif
