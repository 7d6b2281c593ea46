/* SPDX-License-Identifier: BSD-3-Clause
 * NULL where molecules, readers and writers need something: refused with a text, or nothing seen. */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "shoal/shoal.h"

/* A call that must fail, and whose text must name what is missing. */
#define REFUSED(call, text)                                                                        \
    do {                                                                                           \
        CHECK((call) == SHOAL_E_ARGUMENT);                                                         \
        CHECK_TEXT(shoal_error_text(), text);                                                      \
    } while (0)

static const double origin[3];
static const double cell[3][3] = {{9, 0, 0}, {0, 9, 0}, {0, 0, 9}};
static const bool pbc[3] = {true, true, true};

static void test_no_molecule(void)
{
    REFUSED(shoal_molecule_create(NULL), "molecule: no place for the result given");
    REFUSED(shoal_molecule_add_atom(NULL, 1, origin), "molecule: no molecule given");
    REFUSED(shoal_molecule_add_bond(NULL, 0, 1, SHOAL_ORDER_SINGLE, NULL),
            "molecule: no molecule given");
    REFUSED(shoal_molecule_set_name(NULL, "x"), "molecule: no molecule given");
    REFUSED(shoal_molecule_set_cell(NULL, cell, pbc), "molecule: no molecule given");
    REFUSED(shoal_molecule_set_position(NULL, 0, origin), "molecule: no molecule given");
    REFUSED(shoal_molecule_set_formal_charge(NULL, 0, 1), "molecule: no molecule given");
    REFUSED(shoal_molecule_set_radical(NULL, 0, 1), "molecule: no molecule given");
    REFUSED(shoal_molecule_set_charge(NULL, 0, 0.5), "molecule: no molecule given");
    REFUSED(shoal_molecule_set_type(NULL, 0, "C_3"), "molecule: no molecule given");
    REFUSED(shoal_molecule_set_property(NULL, "k", "v"), "molecule: no molecule given");
    REFUSED(shoal_molecule_perceive(NULL, NULL), "perception: no molecule given");
    CHECK(shoal_molecule_equilibrate(NULL, NULL) != SHOAL_OK);
    shoal_molecule_clear(NULL);
    shoal_molecule_destroy(NULL);
    shoal_molecule_remove_property(NULL, "k");
}

static void test_no_values(shoal_molecule *mol)
{
    REFUSED(shoal_molecule_copy(NULL, mol), "molecule: no molecule given");
    REFUSED(shoal_molecule_copy(mol, NULL), "molecule: no source given");
    REFUSED(shoal_molecule_add_atom(mol, 1, NULL), "molecule: no position given");
    REFUSED(shoal_molecule_set_name(mol, NULL), "molecule: no name given");
    REFUSED(shoal_molecule_set_cell(mol, NULL, pbc), "molecule: no cell given");
    REFUSED(shoal_molecule_set_cell(mol, cell, NULL), "molecule: no cell given");
    REFUSED(shoal_molecule_set_position(mol, 0, NULL), "molecule: no position given");
    REFUSED(shoal_molecule_set_type(mol, 0, NULL), "molecule: no type given");
    REFUSED(shoal_molecule_set_property(mol, NULL, "v"), "molecule: no key given");
    REFUSED(shoal_molecule_set_property(mol, "k", NULL), "molecule: no value given");
    shoal_molecule_remove_property(mol, NULL);
    CHECK(shoal_molecule_property(mol, NULL) == NULL);
    CHECK(shoal_molecule_n_atoms(mol) == 1); /* as it was */
    CHECK_TEXT(shoal_molecule_name(mol), "argon");
}

static void test_getters(const shoal_molecule *mol)
{
    double got[3][3] = {{1}};
    bool repeats[3] = {true, true, true};
    CHECK(shoal_molecule_n_atoms(NULL) == 0 && shoal_molecule_n_bonds(NULL) == 0);
    CHECK_TEXT(shoal_molecule_name(NULL), "");
    CHECK_TEXT(shoal_molecule_type(NULL, 0), "");
    CHECK(!shoal_molecule_elements(NULL) && !shoal_molecule_positions(NULL));
    CHECK(!shoal_molecule_formal_charges(NULL) && !shoal_molecule_radicals(NULL));
    CHECK(!shoal_molecule_bonds(NULL) && !shoal_molecule_charges(NULL));
    CHECK(!shoal_molecule_is_periodic(NULL) && shoal_molecule_n_properties(NULL) == 0);
    CHECK(!shoal_molecule_property_key(NULL, 0) && !shoal_molecule_property_value(NULL, 0));
    CHECK(!shoal_molecule_property(NULL, "k"));
    shoal_molecule_cell(NULL, got, repeats);
    CHECK(got[0][0] == 0.0 && !repeats[0] && !repeats[2]);
    shoal_molecule_cell(mol, NULL, repeats);
    shoal_molecule_cell(mol, got, NULL);
    CHECK(shoal_element_number(NULL) == 0);
}

static void test_reader(shoal_molecule *mol)
{
    static const char text[] = "1\nargon\nAr 0 0 0\n";
    shoal_reader *reader = NULL;
    bool found = true;
    uint64_t done = 1, total = 1;
    CHECK(shoal_format_by_name(NULL) == SHOAL_FORMAT_AUTO);
    REFUSED(shoal_reader_open(NULL, "x.xyz", SHOAL_FORMAT_AUTO),
            "reader: no place for the result given");
    REFUSED(shoal_reader_open(&reader, NULL, SHOAL_FORMAT_XYZ), "reader: no path given");
    REFUSED(shoal_reader_open_memory(NULL, text, 1, "x", SHOAL_FORMAT_XYZ),
            "reader: no place for the result given");
    REFUSED(shoal_reader_open_memory(&reader, NULL, 1, "x", SHOAL_FORMAT_XYZ),
            "reader: no data given");
    REFUSED(shoal_reader_open_memory(&reader, text, 1, NULL, SHOAL_FORMAT_XYZ),
            "reader: no label given");
    CHECK(reader == NULL);
    REFUSED(shoal_reader_next(NULL, mol, &found), "reader: no reader given");
    CHECK(!found);
    CHECK(shoal_reader_open_memory(&reader, text, sizeof text - 1, "x", SHOAL_FORMAT_XYZ) ==
          SHOAL_OK);
    REFUSED(shoal_reader_next(reader, NULL, &found), "reader: no molecule given");
    REFUSED(shoal_reader_next(reader, mol, NULL), "reader: no place for the answer given");
    CHECK(shoal_reader_next(reader, mol, &found) == SHOAL_OK && found); /* it has not failed */
    shoal_reader_progress(reader, NULL, NULL);
    shoal_reader_progress(NULL, &done, &total);
    CHECK(done == 0 && total == 0);
    shoal_reader_destroy(reader);
    shoal_reader_destroy(NULL);
}

static void test_writer(const shoal_molecule *mol)
{
    char path[] = "test_null_XXXXXX";
    const int fd = mkstemp(path);
    shoal_writer *writer = NULL;
    CHECK(fd >= 0);
    (void)close(fd);
    REFUSED(shoal_writer_open(NULL, path, SHOAL_FORMAT_XYZ),
            "writer: no place for the result given");
    REFUSED(shoal_writer_open(&writer, NULL, SHOAL_FORMAT_XYZ), "writer: no path given");
    REFUSED(shoal_writer_put(NULL, mol, NULL), "writer: no writer given");
    REFUSED(shoal_writer_close(NULL), "writer: no writer given");
    REFUSED(shoal_writer_close_as(NULL, path), "writer: no writer given");
    CHECK(shoal_writer_part(NULL) == NULL);
    CHECK(shoal_writer_format(NULL) == SHOAL_FORMAT_AUTO);
    CHECK(shoal_writer_open(&writer, path, SHOAL_FORMAT_XYZ) == SHOAL_OK);
    CHECK(shoal_writer_part(writer) && access(shoal_writer_part(writer), F_OK) == 0);
    REFUSED(shoal_writer_put(writer, NULL, NULL), "writer: no molecule given");
    REFUSED(shoal_writer_close_as(writer, NULL), "writer: no path given");
    CHECK(shoal_writer_put(writer, mol, NULL) == SHOAL_OK);
    CHECK(shoal_writer_close(writer) == SHOAL_OK);
    shoal_writer_destroy(writer);
    shoal_writer_destroy(NULL);
    (void)remove(path);
}

int main(void)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_molecule_add_atom(mol, 18, origin) == SHOAL_OK);
    CHECK(shoal_molecule_set_name(mol, "argon") == SHOAL_OK);
    test_no_molecule();
    test_no_values(mol);
    test_getters(mol);
    test_writer(mol);
    test_reader(mol);
    shoal_molecule_destroy(mol);
    return check_done();
}
