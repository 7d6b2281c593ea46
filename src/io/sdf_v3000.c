/* SPDX-License-Identifier: BSD-3-Clause
 * Reading the V3000 connection table of an SDF record. */
#include "io/sdf.h"

static const char prefix[] = "M  V30 ";

/* The next logical line without its prefix; a dash at the end continues on the next line. */
static shoal_status next_line(shoal_reader *rd, shoal_span *out, const char *expected)
{
    bool joined = false;
    for (;;) {
        shoal_span line;
        SHOAL_TRY(shoal_input_need(rd->in, &line, "%s", expected));
        if (!shoal_span_starts(line, prefix))
            return shoal_input_fail(rd->in, line, "no V3000 line", "'%s%s'", prefix, expected);
        line = shoal_span_after(line, sizeof prefix - 1);
        const bool more = line.size > 0 && line.text[line.size - 1] == '-';
        if (more) --line.size;
        if (!more && !joined) {
            *out = line;
            return SHOAL_OK;
        }
        SHOAL_TRY(joined ? shoal_string_append(&rd->value, line)
                         : shoal_string_set(&rd->value, line));
        joined = true;
        if (!more) {
            *out = shoal_string_span(&rd->value);
            return SHOAL_OK;
        }
    }
}

/* True if the words of a line begin with these two. */
static bool has_words(shoal_span line, const char *first, const char *second)
{
    return shoal_span_equal(shoal_span_word(&line), first) &&
           shoal_span_equal(shoal_span_word(&line), second);
}

static shoal_status read_counts(shoal_reader *rd, shoal_molecule *mol, int32_t *n_atoms,
                                int32_t *n_bonds)
{
    shoal_span line, rest;
    SHOAL_TRY(next_line(rd, &line, "BEGIN CTAB"));
    if (!has_words(line, "BEGIN", "CTAB"))
        return shoal_input_fail(rd->in, line, "unexpected line", "'BEGIN CTAB'");
    SHOAL_TRY(next_line(rd, &line, "COUNTS"));
    rest = line;
    if (!shoal_span_equal(shoal_span_word(&rest), "COUNTS") ||
        !shoal_text_int(shoal_span_word(&rest), n_atoms) || *n_atoms < 0 ||
        !shoal_text_int(shoal_span_word(&rest), n_bonds) || *n_bonds < 0)
        return shoal_input_fail(rd->in, line, "bad counts line",
                                "COUNTS and the numbers of atoms and bonds");
    for (int k = 0; k < 2; ++k) (void)shoal_span_word(&rest);
    mol->chiral = shoal_span_equal(shoal_span_word(&rest), "1");
    return SHOAL_OK;
}

/* What follows the six words of an atom. */
static shoal_status read_option(shoal_reader *rd, shoal_molecule *mol, int32_t i, shoal_span word)
{
    const shoal_span value = shoal_span_after(word, 4);
    if (shoal_span_starts(word, "CHG=")) return sdf_set_charge(rd, mol, i, value);
    if (shoal_span_starts(word, "RAD=")) return sdf_set_radical(rd, mol, i, value);
    if (shoal_span_starts(word, "CFG="))
        return molecule_set_mark(&mol->parity, i, sdf_code(value, 3));
    if (shoal_span_starts(word, "MASS="))
        return reader_isotope(rd, mol, i, shoal_span_after(value, 1));
    return SHOAL_OK;
}

/* index type x y z map [CHG=c] [RAD=r] [MASS=m] [CFG=p] ... */
static shoal_status read_atom(shoal_reader *rd, shoal_molecule *mol, shoal_span line)
{
    shoal_span rest = line;
    int32_t id, z, isotope;
    double pos[3];
    const shoal_span index = shoal_span_word(&rest);
    if (!shoal_text_int(index, &id) || id < 1)
        return shoal_input_fail(rd->in, index, "bad atom index", "a positive integer");
    SHOAL_TRY(reader_symbol(rd, shoal_span_word(&rest), &z, &isotope));
    for (int k = 0; k < 3; ++k) SHOAL_TRY(reader_coordinate(rd, shoal_span_word(&rest), &pos[k]));
    SHOAL_TRY(shoal_molecule_add_atom(mol, z, pos));
    SHOAL_TRY(atom_ids_add(&rd->ids, id));
    (void)shoal_span_word(&rest);
    const int32_t i = mol->n_atoms - 1;
    SHOAL_TRY(molecule_set_mark(&mol->isotope, i, isotope));
    for (shoal_span word; (word = shoal_span_word(&rest)).size > 0;)
        SHOAL_TRY(read_option(rd, mol, i, word));
    return SHOAL_OK;
}

/* CFG= of the last bond: 1 up, 2 either, 3 down. */
static shoal_status read_configuration(shoal_molecule *mol, shoal_span word)
{
    const int32_t b = mol->n_bonds - 1;
    const int32_t codes[] = {0, 1, mol->bonds[b].order == SHOAL_ORDER_DOUBLE ? 3 : 4, 6};
    return molecule_set_mark(&mol->bond_stereo, b, codes[sdf_code(word, 3)]);
}

/* index type atom1 atom2 [CFG=c] ... */
static shoal_status read_bond(shoal_reader *rd, shoal_molecule *mol, shoal_span line)
{
    int32_t unused, ids[2], atoms[2];
    const shoal_span index = shoal_span_word(&line), type = shoal_span_word(&line);
    if (!shoal_text_int(index, &unused))
        return shoal_input_fail(rd->in, index, "bad bond index", "an integer");
    for (int k = 0; k < 2; ++k) {
        const shoal_span word = shoal_span_word(&line);
        atoms[k] = shoal_text_int(word, &ids[k]) ? atom_ids_find(&rd->ids, ids[k]) : -1;
        if (atoms[k] < 0)
            return shoal_input_fail(rd->in, word, "no such atom", "an index of the atom block");
    }
    SHOAL_TRY(sdf_add_bond(rd, mol, atoms[0], atoms[1], type));
    for (shoal_span word; (word = shoal_span_word(&line)).size > 0;)
        if (shoal_span_starts(word, "CFG="))
            SHOAL_TRY(read_configuration(mol, shoal_span_after(word, 4)));
    return SHOAL_OK;
}

static shoal_status read_atom_block(shoal_reader *rd, shoal_molecule *mol, int32_t n_atoms)
{
    shoal_span line;
    int32_t twice;
    if (mol->n_atoms > 0)
        return shoal_input_fail(rd->in, shoal_span_of("BEGIN ATOM"), "a second atom block", "one");
    for (;;) {
        SHOAL_TRY(next_line(rd, &line, "END ATOM"));
        if (has_words(line, "END", "ATOM")) break;
        if (mol->n_atoms == n_atoms)
            return shoal_input_fail(rd->in, line, "one atom too many", "%d atoms", n_atoms);
        SHOAL_TRY(read_atom(rd, mol, line));
    }
    if (mol->n_atoms != n_atoms)
        return shoal_input_fail(rd->in, line, "end of the atoms", "%d atoms, found %d", n_atoms,
                                mol->n_atoms);
    atom_ids_finish(&rd->ids, &twice);
    if (twice > 0)
        return shoal_input_fail(rd->in, line, "end of the atoms", "each index once, found %d twice",
                                twice);
    return SHOAL_OK;
}

static shoal_status read_bond_block(shoal_reader *rd, shoal_molecule *mol, int32_t n_bonds)
{
    for (;;) {
        shoal_span line;
        SHOAL_TRY(next_line(rd, &line, "END BOND"));
        if (has_words(line, "END", "BOND")) return SHOAL_OK;
        if (mol->n_bonds == n_bonds)
            return shoal_input_fail(rd->in, line, "one bond too many", "%d bonds", n_bonds);
        SHOAL_TRY(read_bond(rd, mol, line));
    }
}

/* Blocks of no interest, up to the line that ends the outermost of them. */
static shoal_status skip_block(shoal_reader *rd)
{
    for (int64_t depth = 1; depth > 0;) {
        shoal_span line;
        SHOAL_TRY(next_line(rd, &line, "END"));
        const shoal_span word = shoal_span_word(&line);
        depth += shoal_span_equal(word, "BEGIN");
        depth -= shoal_span_equal(word, "END");
    }
    return SHOAL_OK;
}

static shoal_status read_table(shoal_reader *rd, shoal_molecule *mol, int32_t n_atoms,
                               int32_t n_bonds)
{
    for (;;) {
        shoal_span line;
        SHOAL_TRY(next_line(rd, &line, "END CTAB"));
        if (has_words(line, "END", "CTAB")) {
            if (mol->n_atoms == n_atoms && mol->n_bonds == n_bonds) return SHOAL_OK;
            return shoal_input_fail(rd->in, line, "end of the table",
                                    "%d atoms and %d bonds, found %d and %d", n_atoms, n_bonds,
                                    mol->n_atoms, mol->n_bonds);
        }
        if (has_words(line, "BEGIN", "ATOM"))
            SHOAL_TRY(read_atom_block(rd, mol, n_atoms));
        else if (has_words(line, "BEGIN", "BOND"))
            SHOAL_TRY(read_bond_block(rd, mol, n_bonds));
        else if (shoal_span_equal(shoal_span_word(&line), "BEGIN"))
            SHOAL_TRY(skip_block(rd));
    }
}

shoal_status sdf_v3000_read(shoal_reader *rd, shoal_molecule *mol)
{
    int32_t n_atoms, n_bonds;
    atom_ids_clear(&rd->ids);
    SHOAL_TRY(read_counts(rd, mol, &n_atoms, &n_bonds));
    SHOAL_TRY(read_table(rd, mol, n_atoms, n_bonds));
    for (;;) {
        shoal_span line;
        SHOAL_TRY(shoal_input_need(rd->in, &line, "'M  END'"));
        if (shoal_span_starts(line, "M  END")) return SHOAL_OK;
        if (!shoal_span_starts(line, prefix))
            return shoal_input_fail(rd->in, line, "unexpected line", "'M  END'");
    }
}
