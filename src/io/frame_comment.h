/* SPDX-License-Identifier: BSD-3-Clause
 * The comment of a frame of two fragments: "# n0 INT Etot eV [x0 r] [z angle] [grp g] .. name". */
#ifndef SHOAL_IO_FRAME_COMMENT_H
#define SHOAL_IO_FRAME_COMMENT_H

#include "io/input.h"

/* The key of what gave the charges, a shoal_charge_source_name. */
#define FRAME_CHARGES "charges"

/* Keys of a comment that carry the terms of symmetry-adapted perturbation theory, eV. */
enum { SAPT_ELST = 0, SAPT_EXCH, SAPT_IND, SAPT_DISP, N_SAPT };
extern const char *const frame_sapt_keys[N_SAPT];

typedef struct frame_comment {
    int32_t n_first;                /* atoms of the first fragment */
    double energy;                  /* eV */
    double x0, angle, sapt[N_SAPT]; /* NaN without them */
    double charge[2];               /* of the fragments, e; NaN without charge_a and charge_b */
    bool has_n_first, has_energy;
    shoal_span group, name; /* parts of the line */
    shoal_span charges;     /* what gave the atoms their charges: the word behind that key */
} frame_comment;

/* Words come as "key value"; the last word that is no value is the name. Fails for a key whose value is
 * no number; n0 and Etot may be missing. */
shoal_status frame_comment_parse(shoal_input *in, shoal_span line, frame_comment *c);
/* True for a word that a value follows. */
bool frame_comment_is_key(shoal_span word);
/* The next key of a comment and its value, which is empty for a word that is no key; false at the end. */
bool frame_comment_next(shoal_span *rest, shoal_span *key, shoal_span *value);
/* True if the words n0 with a whole number and Etot (or E_tot) are in a line. */
bool frame_comment_is_frame(shoal_span line);

#endif
