/* SPDX-License-Identifier: BSD-3-Clause
 * Tables of atom types: reading, refusing, finding, writing without loss. */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "io/atom_types.h"
#include "shoal/atom_types.h"

static const char table[] =
    "# UFF-derived; RvdW = x1/2\n"
    "#name parent element epair nv ne npi sym Ruff RvdW EvdW Qbase Hb\n"
    "\n"
    "O_3   O  O E_O3 2 2 0 0 0.658 1.75 0.00260185 -0.4 -0.50  1.5 2.5  # sp3\n"
    "H_O\tH H E_HO 1 0 0 0 0.354 1.4870 0.0006808\n"
    "C#    * C  E    4 0 0 0 0.757 1.9255 0.00455323 0.0 # name with a sign\n";

static shoal_atom_types *read_text(const char *text)
{
    shoal_atom_types *types = NULL;
    (void)shoal_atom_types_read_memory(&types, text, strlen(text), "types");
    return types;
}

static void test_values(void)
{
    shoal_atom_types *types = read_text(table);
    CHECK_TEXT(shoal_error_text(), "");
    CHECK(shoal_atom_types_count(types) == 3);
    const shoal_atom_type *o = shoal_atom_types_get(types, shoal_atom_types_find(types, "O_3"));
    CHECK_TEXT(o->epair, "E_O3");
    CHECK_TEXT(o->element, "O");
    CHECK(o->valence == 2 && o->n_epair == 2 && o->n_pi == 0 && o->sym == 0);
    CHECK(o->r == 1.75 && o->e == 0.00260185 && o->q == -0.4 && o->h == -0.5);
    CHECK(o->r_covalent == 0.658);
    const shoal_atom_type *h = shoal_atom_types_get(types, shoal_atom_types_find(types, "H_O"));
    CHECK(h->q == 0.0 && h->h == 0.0);
    CHECK(shoal_atom_types_find(types, "C#") == 2);
    CHECK(shoal_atom_types_find(types, "O_") == -1);
    CHECK(shoal_atom_types_get(types, 3) == NULL);
    CHECK(shoal_atom_types_find(NULL, "O_3") == -1 && shoal_atom_types_find(types, NULL) == -1);
    shoal_atom_types_destroy(types);
}

static void write_and_compare(const shoal_atom_types *types, const char *comment, const char *want)
{
    char path[] = "test_atom_types_XXXXXX", got[2048] = "";
    const int fd = mkstemp(path);
    CHECK(fd >= 0);
    (void)close(fd);
    shoal_output *out;
    CHECK(shoal_output_open(&out, path) == SHOAL_OK);
    if (comment) atom_types_put_comment(out, comment);
    atom_types_put(out, types);
    CHECK(shoal_output_close(out) == SHOAL_OK);
    shoal_output_destroy(out);
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL);
    if (f) {
        got[fread(got, 1, sizeof got - 1, f)] = '\0';
        (void)fclose(f);
    }
    (void)remove(path);
    CHECK_TEXT(got, want);
}

static void test_writing(void)
{
    shoal_atom_types *types = read_text(table), *copy = NULL;
    write_and_compare(types, NULL, table);
    CHECK(shoal_atom_types_copy(&copy, types) == SHOAL_OK);
    CHECK(shoal_atom_types_set(copy, 0, 1.625, 0.00260185, -0.4, -0.25) == SHOAL_OK);
    CHECK(shoal_atom_types_set(copy, 1, 1.4870, 0.0006808, 0.25, 0.5) == SHOAL_OK);
    CHECK(shoal_atom_types_set(copy, 2, 1.9255, 0.00455323, 0.0, 0.125) == SHOAL_OK);
    write_and_compare(copy, "fitted\nonce",
                      "# fitted\n# once\n"
                      "# UFF-derived; RvdW = x1/2\n"
                      "#name parent element epair nv ne npi sym Ruff RvdW EvdW Qbase Hb\n"
                      "\n"
                      "O_3   O  O E_O3 2 2 0 0 0.658 1.625 0.00260185 -0.4 -0.25  1.5 2.5  # sp3\n"
                      "H_O\tH H E_HO 1 0 0 0 0.354 1.4870 0.0006808 0.25 0.5\n"
                      "C#    * C  E    4 0 0 0 0.757 1.9255 0.00455323 0.0 0.125 # name with a "
                      "sign\n");
    CHECK(shoal_atom_types_set(copy, 3, 1, 0, 0, 0) == SHOAL_E_ARGUMENT);
    CHECK(shoal_atom_types_set(copy, 0, -1, 0, 0, 0) == SHOAL_E_ARGUMENT);
    shoal_atom_types_destroy(copy);
    shoal_atom_types_destroy(types);
}

/* Rows are taken back with what was written behind them; where there are no more, all stays. */
static void test_truncating(void)
{
    static const char text[] = "A * C E 4 0 0 0 0.7 1.9 0.004\n# remark\n"
                               "B * C E 4 0 0 0 0.7 1.8 0.004\n# the last line\n";
    shoal_atom_types *types = read_text(text);
    atom_types_truncate(types, 3);
    atom_types_truncate(types, 2);
    CHECK(shoal_atom_types_count(types) == 2);
    write_and_compare(types, NULL, text);
    atom_types_truncate(types, 1);
    CHECK(shoal_atom_types_count(types) == 1 && shoal_atom_types_find(types, "A") == 0 &&
          shoal_atom_types_find(types, "B") == -1);
    write_and_compare(types, NULL, "A * C E 4 0 0 0 0.7 1.9 0.004\n# remark\n");
    shoal_atom_types_destroy(types);
}

/* Columns 12 and 13 may be missing; what is written can be read again. */
static void test_writing_short(void)
{
    shoal_atom_types *types = read_text("O_3 * O E 2 2 0 0 0.66 1.75 0.0026\n"
                                        "H_O * H E 1 0 0 0 0.35 1.40 0.0010 0.2 # donor\n"
                                        "C_3 * C E 4 0 0 0 0.75 1.90 0.0045 # none\n"
                                        "N_3 * N E 3 1 0 0 0.70 1.80 0.0030\n");
    CHECK(shoal_atom_types_set(types, 0, 2.2, 0.0026, 0.0, 0.0) == SHOAL_OK);
    CHECK(shoal_atom_types_set(types, 1, 1.5, 0.0010, 0.2, 0.0) == SHOAL_OK);
    CHECK(shoal_atom_types_set(types, 2, 1.9, 0.0045, 0.0, 0.5) == SHOAL_OK);
    CHECK(shoal_atom_types_set(types, 3, 1.8, 0.0030, -0.5, 0.0) == SHOAL_OK);
    write_and_compare(types, NULL,
                      "O_3 * O E 2 2 0 0 0.66 2.2 0.0026\n"
                      "H_O * H E 1 0 0 0 0.35 1.5 0.0010 0.2 # donor\n"
                      "C_3 * C E 4 0 0 0 0.75 1.90 0.0045 0 0.5 # none\n"
                      "N_3 * N E 3 1 0 0 0.70 1.80 0.0030 -0.5\n");
    shoal_atom_types_destroy(types);
}

/* Depths that would look like kcal/mol: the unit is written once, and read. */
static void test_units(void)
{
    shoal_atom_types *types = read_text("O_3 * O E 2 2 0 0 0.66 1.75 0.0026\n"), *again,
                     *copy = NULL;
    CHECK(shoal_atom_types_set(types, 0, 1.75, 0.25, 0.0, 0.0) == SHOAL_OK);
    const char *deep = "# units: eV\nO_3 * O E 2 2 0 0 0.66 1.75 0.25\n";
    write_and_compare(types, NULL, deep);
    again = read_text(deep);
    CHECK(again && shoal_atom_types_get(again, 0)->e == 0.25);
    write_and_compare(again, NULL, deep);
    CHECK(shoal_atom_types_copy(&copy, again) == SHOAL_OK);
    write_and_compare(copy, NULL, deep);
    shoal_atom_types_destroy(copy);
    shoal_atom_types_destroy(again);
    shoal_atom_types_destroy(types);
}

static void refuse(const char *text, const char *why)
{
    shoal_atom_types *types = read_text(text);
    CHECK(types == NULL);
    CHECK_TEXT(shoal_error_text(), why);
    shoal_atom_types_destroy(types);
}

static void test_refusals(void)
{
    refuse("\n# nothing\n", "types:2: no types (''), expected a table of atom types");
    refuse("O_3 * O E 0 0 0 0 0.6 1.75\n",
           "types:1: too few columns ('O_3 * O E 0 0 0 0 0.6 1.75'), expected name parent element "
           "epair valence n_epair npi sym Ruff RvdW EvdW, at least 11 words, found 10");
    refuse("O_3 * O E 0 0 0 0 0.6 1.75 0.06\nO_3 * O E 0 0 0 0 0.6 1.75 0.06\n",
           "types:2: type defined twice ('O_3'), expected every name once");
    refuse("S_3 * S E 0 0 0 0 1.0 2.0 0.274\n",
           "types:1: EvdW too large ('0.274'), expected column 11 in eV, at most 0.1; this looks "
           "like kcal/mol (divide by 23.060548; if it is eV, say so in a line '# units: eV' at the "
           "top)");
    refuse("O_3 * O E 0 0 0 0 0.6 1.75 0.06\n# units: eV\nS_3 * S E 0 0 0 0 1.0 2.0 0.274\n",
           "types:3: EvdW too large ('0.274'), expected column 11 in eV, at most 0.1; this looks "
           "like kcal/mol (divide by 23.060548; if it is eV, say so in a line '# units: eV' at the "
           "top)");
    refuse("O_3 * O E 0 0 0 0 0.6 x 0.06\n",
           "types:1: bad number ('x'), expected RvdW (column 10) in angstrom, a number of at "
           "least 0");
    refuse("O_3 * O E 0 1.5 0 0 0.6 1 0.06\n",
           "types:1: bad number ('1.5'), expected lone pairs (column 6), a whole number");
    refuse("O_3 * O E 0 1 0 0 0.6 1 0.06 nan\n",
           "types:1: bad number ('nan'), expected Qbase (column 12) in e, a finite number");
    refuse("O_3_and_some_more * O E 0 1 0 0 0.6 1 0.06\n",
           "types:1: name too long ('O_3_and_some_more'), expected the type of at most 15 "
           "characters");
    shoal_atom_types *types = NULL;
    CHECK(shoal_atom_types_read(&types, "no_such_file.dat") == SHOAL_E_IO);
    CHECK(types == NULL);
}

int main(void)
{
    test_values();
    test_writing();
    test_truncating();
    test_writing_short();
    test_units();
    test_refusals();
    return check_done();
}
