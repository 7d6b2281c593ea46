/* SPDX-License-Identifier: BSD-3-Clause
 * Parts of an SDF record that the readers of V2000 and V3000 share. */
#ifndef SHOAL_IO_SDF_H
#define SHOAL_IO_SDF_H

#include "io/reader.h"

/* Lines of V2000 atoms and bonds as programs write them, read from their columns without looking for
 * words. Both take lines as long as they are like that and there is nothing wrong with them, n at most,
 * and return how many; the line behind them needs a closer look. There must be room in mol. */
int32_t sdf_take_atoms(shoal_input *in, shoal_molecule *mol, int32_t n);
int32_t sdf_take_bonds(shoal_input *in, shoal_molecule *mol, int32_t n);
/* Formal charge of a code 0..7 in an atom line; 4 is a doublet radical. */
extern const int32_t sdf_code_charges[8];

/* A V3000 connection table, from the line behind the counts up to and with "M  END". */
shoal_status sdf_v3000_read(shoal_reader *rd, shoal_molecule *mol);
/* The data fields behind "M  END", up to and with "$$$$"; uses those that Shoal knows. */
shoal_status sdf_data_read(shoal_reader *rd, shoal_molecule *mol);

/* The code from 0 to most that a word is; 0 for anything else, since nothing depends on it. */
int32_t sdf_code(shoal_span word, int32_t most);
shoal_status sdf_set_charge(shoal_reader *rd, shoal_molecule *mol, int32_t i, shoal_span word);
/* The word is a spin multiplicity: 0 none, 1 singlet, 2 doublet, 3 triplet. */
shoal_status sdf_set_radical(shoal_reader *rd, shoal_molecule *mol, int32_t i, shoal_span word);
/* type is the word of the file: 1 to 4 or 9. */
shoal_status sdf_add_bond(shoal_reader *rd, shoal_molecule *mol, int32_t i, int32_t j,
                          shoal_span type);

#endif
