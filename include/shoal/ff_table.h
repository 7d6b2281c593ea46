/* SPDX-License-Identifier: BSD-3-Clause
 * Tables of force fields: parameters of the user that take the place of those of a force field, by types or by atoms
 * (docs/ff-tables.md). One row per line, words between blanks or tabs, comments behind '#':
 *
 *   type LABEL SYMBOL r1 theta0 x1 D1 zeta Z1 Vi Uj Xi hard radius     a type of UFF, in its units
 *   atom WHERE x D [q]                                                 vdW in angstrom and eV, charge in e
 *   KIND WHERE .. PARAMETER ..                                         a bonded term (shoal_term_kind)
 *   exclude I J                                                        no vdW and no Coulomb energy
 *   pair I J vdw_scale coulomb_scale [x D]                             a special pair
 *   molecule SYMBOL .. [I-J ..]                                        what follows is of this molecule alone
 *
 * WHERE is a type, '*', or the number of an atom, perhaps with its image (3@1,0,0). */
#ifndef SHOAL_FF_TABLE_H
#define SHOAL_FF_TABLE_H

#include "shoal/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "-" is standard input. The error text names file, line, word and expectation. The caller owns *out. */
SHOAL_API shoal_status shoal_ff_table_read(shoal_ff_table **out, const char *path);
SHOAL_API shoal_status shoal_ff_table_read_memory(shoal_ff_table **out, const void *data,
                                                  size_t size, const char *label);
SHOAL_API void shoal_ff_table_destroy(shoal_ff_table *table);

/* Rows in it; 0 for NULL. */
SHOAL_API int32_t shoal_ff_table_size(const shoal_ff_table *table);

/* Rows of atoms and terms that have fitted nothing in the molecules that were typed so far, *line the first of them; 0 before
 * the first molecule. */
SHOAL_API int32_t shoal_ff_table_idle(const shoal_ff_table *table, int32_t *line);

/* Appends all that a topology has of atoms and bonded terms as rows of its molecule, which, read back, give the same
 * topology bit for bit, with the force field that made it. An untyped one has no rows. */
SHOAL_API shoal_status shoal_ff_table_put(shoal_string *out, const shoal_molecule *mol,
                                          const shoal_topology *topology);

#ifdef __cplusplus
}
#endif

#endif
