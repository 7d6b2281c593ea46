/* SPDX-License-Identifier: BSD-3-Clause
 * The second line of an xyz frame: a name, an extended xyz list of keys, or a "lvs" cell. */
#ifndef SHOAL_IO_XYZ_H
#define SHOAL_IO_XYZ_H

#include "io/reader.h"

#define ASE_TIME 10.18050571 /* fs: angstrom sqrt(amu/eV) */

/* Sets name, cell and properties of mol and the layout of the reader. */
shoal_status xyz_comment_read(shoal_reader *rd, shoal_molecule *mol, shoal_span line);
/* With n0 and Etot among its data fields, the molecule is two: see chem/fragments.h. After its atoms. */
shoal_status xyz_frame_settle(shoal_reader *rd, shoal_molecule *mol);

#endif
