/* SPDX-License-Identifier: BSD-3-Clause
 * Writers of the single formats. */
#ifndef SHOAL_IO_WRITER_H
#define SHOAL_IO_WRITER_H

#include "chem/molecule.h"
#include "io/result_fields.h"
#include "shoal/io.h"

/* How many threads may compress; before anything is written. */
void writer_share(shoal_writer *writer, int32_t n_threads);

/* Append one frame; frame may not be NULL. Nothing is appended if the molecule is refused. */
shoal_status xyz_write(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame);
shoal_status sdf_write(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame);
/* Of crystals and molecules alone: what the frame says has no place in them. */
shoal_status cif_write(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame);
shoal_status poscar_write(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame);
shoal_status pdb_write(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame);
shoal_status mol2_write(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame);

/* Refuses left-handed cells: lengths and angles do not state the hand. */
shoal_status writer_check_hand(const shoal_molecule *mol, const char *format);
/* One line: control characters become blanks. */
void writer_line(shoal_string *out, const char *text);
bool writer_has_cell(const shoal_molecule *mol);
/* ax ay az bx by bz cx cy cz, and T or F three times, separated by blanks. */
void writer_cell(shoal_string *out, const shoal_molecule *mol);
void writer_pbc(shoal_string *out, const shoal_molecule *mol);
/* True for the data fields that repeat the partial charges. */
bool writer_is_charges(const char *key);
/* The label of an atom to write, "" without one: the frame's, else the molecule's override. */
const char *writer_type(const shoal_molecule *mol, const shoal_frame *frame, int32_t i);
bool writer_has_types(const shoal_molecule *mol, const shoal_frame *frame);

#endif
