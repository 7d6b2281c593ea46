/* SPDX-License-Identifier: BSD-3-Clause
 * What files keep: the user's data always, results of an earlier run only where nothing was computed anew. */
#include <math.h>

#include "io_fixture.h"

#define ATOMS                                                                                      \
    "    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\n"                      \
    "    1.0000    0.0000    0.0000 O   0  0  0  0  0  0  0  0  0  0  0  0\n"
#define MOL "m\n\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n" ATOMS "  1  2  2  0\nM  END\n"

/* Two molecules to read into, and texts made of them. */
typedef struct pair {
    shoal_molecule *mol;
    shoal_string *text;
} pair;

static void pair_open(pair *p)
{
    CHECK(shoal_molecule_create(&p->mol) == SHOAL_OK);
    CHECK(shoal_string_create(&p->text) == SHOAL_OK);
}

static void pair_close(pair *p)
{
    shoal_molecule_destroy(p->mol);
    shoal_string_destroy(p->text);
}

static void read_text(pair *p, const char *text, shoal_format format)
{
    shoal_reader *reader;
    bool found = false;
    CHECK(shoal_reader_open_memory(&reader, text, strlen(text), "text", format) == SHOAL_OK);
    CHECK(shoal_reader_next(reader, p->mol, &found) == SHOAL_OK && found);
    CHECK_TEXT(shoal_error_text(), "");
    shoal_reader_destroy(reader);
}

static const char *write_text(pair *p, shoal_format format, const shoal_frame *frame)
{
    shoal_string_clear(p->text);
    CHECK(shoal_frame_format(p->text, format, p->mol, frame) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    return shoal_string_data(p->text);
}

/* Writes the molecule and reads it again. */
static void pass_through(pair *p, shoal_format format, const shoal_frame *frame)
{
    char *copy = strdup(write_text(p, format, frame));
    CHECK(copy != NULL);
    if (copy) read_text(p, copy, format);
    free(copy);
}

static void check_field(const pair *p, const char *key, const char *want)
{
    const char *value = shoal_molecule_property(p->mol, key);
    CHECK_TEXT(value ? value : "(none)", want);
    if (strcmp(value ? value : "(none)", want) != 0) (void)printf("field %s\n", key);
}

static const shoal_format formats[] = {SHOAL_FORMAT_SDF, SHOAL_FORMAT_XYZ};

static const double energy = -1.5, energy0 = 2.25, fmax_value = 0.0099;
static const int32_t steps = 12;
static const double forces[2][3] = {{0.125, 0, -1}, {0, 1e-5, 3}};
static const char *const labels[] = {"C_2", "O_2"};
static const shoal_frame full = {.is_result = true,
                                 .energy = &energy,
                                 .forces = forces,
                                 .types = labels,
                                 .status = "max_steps",
                                 .reason = "no \"luck\"",
                                 .warning = "far apart",
                                 .fmax = &fmax_value,
                                 .energy0 = &energy0,
                                 .steps = &steps,
                                 .file = "a dir/b.sdf",
                                 .index = 17,
                                 .record = 3};
static const shoal_frame bare = {.is_result = true, .status = "converged"};

static void check_full(const pair *p)
{
    check_field(p, "shoal", SHOAL_VERSION);
    check_field(p, "shoal_index", "17");
    check_field(p, "shoal_record", "3");
    check_field(p, "shoal_file", "a dir/b.sdf");
    check_field(p, "status", "max_steps");
    check_field(p, "reason", "no \"luck\"");
    check_field(p, "warning", "far apart");
    check_field(p, "energy", "-1.5");
    check_field(p, "energy0", "2.25");
    check_field(p, "fmax", "0.0099");
    check_field(p, "steps", "12");
    check_field(p, "uff_types", "C_2 O_2");
    check_field(p, "forces", "0.125 0 -1\n0 0.00001 3");
    check_field(p, "mine", "yes");
    check_field(p, "shoal_positions", "(none)");
    CHECK_TEXT(shoal_molecule_type(p->mol, 0), "");
    CHECK(shoal_molecule_n_properties(p->mol) == 14);
}

/* Results are stated, kept by every conversion, and gone after the next run. */
static void test_results(void)
{
    for (int k = 0; k < 4; ++k) {
        const shoal_format first = formats[k % 2], second = formats[k / 2];
        pair p;
        pair_open(&p);
        read_text(&p, MOL "> <mine>\nyes\n\n$$$$\n", SHOAL_FORMAT_SDF);
        CHECK_TEXT(shoal_molecule_property_key(p.mol, 0), "mine");
        CHECK_TEXT(shoal_molecule_property_value(p.mol, 0), "yes");
        CHECK(!shoal_molecule_property_key(p.mol, 1) && !shoal_molecule_property_key(p.mol, -1));
        pass_through(&p, first, &full);
        check_full(&p);
        for (int turn = 0; turn < 3; ++turn) {
            if (first == SHOAL_FORMAT_XYZ) CHECK(shoal_molecule_perceive(p.mol, NULL) == SHOAL_OK);
            pass_through(&p, second, NULL);
            check_full(&p);
        }
        CHECK(shoal_frame_renamed_field(p.mol) == NULL);
        CHECK(shoal_molecule_perceive(p.mol, NULL) == SHOAL_OK);
        pass_through(&p, second, &bare);
        check_field(&p, "shoal", SHOAL_VERSION);
        check_field(&p, "status", "converged");
        check_field(&p, "mine", "yes");
        CHECK(shoal_molecule_n_properties(p.mol) == 3);
        pair_close(&p);
    }
}

/* The place of the index is known: behind the mark, at the head of the fields. */
static void test_places(void)
{
    const shoal_frame frame = {.is_result = true, .file = "f", .index = 5, .record = 2};
    pair p;
    pair_open(&p);
    read_text(&p, MOL "> <a>\n\n$$$$\n", SHOAL_FORMAT_SDF);
    CHECK(strstr(write_text(&p, SHOAL_FORMAT_SDF, &frame),
                 "M  END\n> <shoal>\n" SHOAL_VERSION "\n\n> <shoal_index>\n5\n\n> <shoal_record>\n2"
                 "\n\n> <shoal_file>\nf\n\n> <a>\n\n> <status>\nok\n\n> <shoal_positions>\n"));
    CHECK(strncmp(write_text(&p, SHOAL_FORMAT_XYZ, &frame),
                  "2\nshoal=" SHOAL_VERSION
                  " shoal_index=5 shoal_record=2 shoal_file=f Properties=",
                  60) == 0);
    CHECK(strncmp(write_text(&p, SHOAL_FORMAT_XYZ, NULL), "2\nProperties=", 13) == 0);
    pair_close(&p);
}

/* A user's field under the name of a result gets another name, once. */
static void test_renamed(void)
{
    static const char text[] =
        MOL "> <energy>\n-7\n\n> <status>\nmine\n\n> <energy>\n-8\n\n"
            "> <stress>\n1 2\n\n> <fmax_input>\nold\n\n> <fmax>\n3\n\n$$$$\n";
    for (int k = 0; k < 2; ++k) {
        pair p;
        char *second;
        pair_open(&p);
        read_text(&p, text, SHOAL_FORMAT_SDF);
        CHECK_TEXT(shoal_frame_renamed_field(p.mol), "energy");
        pass_through(&p, formats[k], NULL);
        check_field(&p, "energy", "-7");
        check_field(&p, "stress", "1 2");
        CHECK(shoal_molecule_perceive(p.mol, NULL) == SHOAL_OK);
        pass_through(&p, formats[k], &full);
        CHECK(shoal_frame_renamed_field(p.mol) == NULL);
        check_field(&p, "energy", "-1.5");
        check_field(&p, "energy_input", "-7");
        check_field(&p, "status", "max_steps");
        check_field(&p, "status_input", "mine");
        check_field(&p, "stress_input", "1 2");
        check_field(&p, "fmax", "0.0099");
        check_field(&p, "fmax_input", "old");
        check_field(&p, "fmax_input_2", "3");
        CHECK(shoal_molecule_n_properties(p.mol) == 13 + 6);
        CHECK(shoal_molecule_perceive(p.mol, NULL) == SHOAL_OK);
        second = strdup(write_text(&p, formats[k], &full));
        pass_through(&p, formats[k], &full);
        CHECK(shoal_molecule_perceive(p.mol, NULL) == SHOAL_OK);
        CHECK_TEXT(write_text(&p, formats[k], &full), second);
        free(second);
        pair_close(&p);
    }
}

/* Labels of the user's decide on types; those that Shoal wrote only if it is asked for. */
static void test_types(void)
{
    static const char mine[] = "1\nProperties=species:S:1:pos:R:3:uff_type:S:1\nC 0 0 0 C_R\n";
    pair p;
    pair_open(&p);
    read_text(&p, mine, SHOAL_FORMAT_XYZ);
    CHECK_TEXT(shoal_molecule_type(p.mol, 0), "C_R");
    pass_through(&p, SHOAL_FORMAT_XYZ, NULL);
    CHECK_TEXT(shoal_molecule_type(p.mol, 0), "C_R");
    pass_through(&p, SHOAL_FORMAT_XYZ, &bare);
    CHECK_TEXT(shoal_molecule_type(p.mol, 0), "");
    check_field(&p, "uff_types", "C_R");
    CHECK(shoal_molecule_use_file_types(p.mol) == SHOAL_OK);
    CHECK_TEXT(shoal_molecule_type(p.mol, 0), "C_R");
    CHECK(shoal_molecule_set_property(p.mol, "uff_types", "C_3 C_2") == SHOAL_OK);
    CHECK(shoal_molecule_use_file_types(p.mol) == SHOAL_E_FORMAT);
    CHECK_TEXT(shoal_error_text(), "the data field uff_types does not have 1 labels");
    CHECK(shoal_molecule_set_property(p.mol, "uff_types", "C_345678") == SHOAL_OK);
    CHECK(shoal_molecule_use_file_types(p.mol) == SHOAL_E_FORMAT);
    shoal_molecule_remove_property(p.mol, "uff_types");
    CHECK(shoal_molecule_use_file_types(p.mol) == SHOAL_OK);
    CHECK_TEXT(shoal_molecule_type(p.mol, 0), "C_R");
    read_text(&p, MOL "> <uff_types>\nC_3 -\n\n$$$$\n", SHOAL_FORMAT_SDF);
    CHECK_TEXT(shoal_molecule_type(p.mol, 0), "");
    CHECK(shoal_molecule_use_file_types(p.mol) == SHOAL_OK);
    CHECK_TEXT(shoal_molecule_type(p.mol, 0), "C_3");
    CHECK_TEXT(shoal_molecule_type(p.mol, 1), "");
    pair_close(&p);
}

/* A field that is stated anew stands once, whoever wrote the first. */
static void test_stated_anew(void)
{
    const shoal_frame frames[2] = {{.types = labels}, {.forces = forces}};
    static const char *const keys[2] = {"<uff_types>", "<forces>"};
    for (int k = 0; k < 2; ++k) {
        pair p;
        pair_open(&p);
        read_text(&p, MOL "> <uff_types>\nC_3 O_3\n\n> <forces>\n1 2 3\n4 5 6\n\n$$$$\n",
                  SHOAL_FORMAT_SDF);
        const char *text = write_text(&p, SHOAL_FORMAT_SDF, &frames[k]),
                   *first = strstr(text, keys[k]);
        CHECK(first && !strstr(first + 1, keys[k]));
        CHECK(strstr(text, k ? "0.125 0 -1" : "C_2 O_2") && strstr(text, keys[1 - k]));
        pair_close(&p);
    }
}

/* Everything that V2000 states and Shoal has no use for. */
static const char marked_v2000[] =
    "name\n  RDKit          3D\nthird line\n"
    "  5  4  0  0  1  0  0  0  0  0999 V2000\n"
    "    0.0000    0.0000    0.0000 C   0  0  2  0  0  0  0  0  0  0  0  0\n"
    "    1.0000    0.0000    0.0000 H   0  0  0  0  0  0  0  0  0  0  0  0\n"
    "    0.0000    1.0000    0.0000 N   0  0  0  0  0  0  0  0  0  0  0  0\n"
    "    0.0000    0.0000    1.0000 F   0  0  0  0  0  0  0  0  0  0  0  0\n"
    "   -1.0000    0.0000    0.0000 C   0  0  1  0  0  0  0  0  0  0  0  0\n"
    "  1  2  1  0\n  3  1  2  3\n  1  4  1  1\n  1  5  1  6\n"
    "M  ISO  2   1  13   2   2\nM  END\n"
    "> <b>\n1\n\n> <a>\n2\n\n> <b>\n3\nand\n\n> <a>\n\n$$$$\n";

static void check_marks(pair *p)
{
    CHECK(shoal_molecule_isotope(p->mol, 0) == 13 && shoal_molecule_isotope(p->mol, 1) == 2);
    CHECK(shoal_molecule_isotope(p->mol, 2) == 0 && shoal_molecule_isotope(p->mol, 99) == 0);
    CHECK_TEXT(write_text(p, SHOAL_FORMAT_SDF, NULL), marked_v2000);
}

static void test_marks(void)
{
    pair p, copy;
    pair_open(&p);
    pair_open(&copy);
    read_text(&p, marked_v2000, SHOAL_FORMAT_SDF);
    check_marks(&p);
    CHECK(shoal_molecule_copy(copy.mol, p.mol) == SHOAL_OK);
    check_marks(&copy);
    /* Nothing of one frame is left in the next. */
    read_text(&copy, MOL "$$$$\n", SHOAL_FORMAT_SDF);
    CHECK_TEXT(write_text(&copy, SHOAL_FORMAT_SDF, NULL),
               "m\n  shoal             3D\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n" ATOMS
               "  1  2  2  0\nM  END\n$$$$\n");
    /* Coordinates that V2000 cannot hold make it V3000, and back. */
    CHECK(shoal_molecule_set_position(p.mol, 4, (const double[3]){-1e7, 0, 0}) == SHOAL_OK);
    CHECK(strstr(write_text(&p, SHOAL_FORMAT_SDF, NULL), "V3000") != NULL);
    pass_through(&p, SHOAL_FORMAT_SDF, NULL);
    CHECK(shoal_molecule_set_position(p.mol, 4, (const double[3]){-1, 0, 0}) == SHOAL_OK);
    check_marks(&p);
    pair_close(&p);
    pair_close(&copy);
}

/* xyz keeps isotopes in a column and the rest as data fields, through both formats. */
static void test_marks_in_xyz(void)
{
    pair p;
    pair_open(&p);
    read_text(&p, marked_v2000, SHOAL_FORMAT_SDF);
    for (int turn = 0; turn < 3; ++turn) {
        pass_through(&p, formats[(turn + 1) % 2], NULL);
        CHECK(shoal_molecule_isotope(p.mol, 0) == 13 && shoal_molecule_isotope(p.mol, 1) == 2);
        check_field(&p, "chiral", "1");
        check_field(&p, "atom_parity", "1:2 5:1");
        check_field(&p, "bond_stereo", "3-1:3 1-4:1 1-5:6");
        check_field(&p, "comment", "third line");
        CHECK_TEXT(shoal_molecule_property_key(p.mol, 2), "b");
        CHECK_TEXT(shoal_molecule_property_value(p.mol, 2), "3\nand");
        CHECK(shoal_molecule_n_properties(p.mol) == 4 + 5);
        CHECK(shoal_molecule_perceive(p.mol, NULL) == SHOAL_OK);
    }
    read_text(&p, "3\nfree text, kept\nD 0 0 0\nT 0 0 1\nH 0 0 2\n", SHOAL_FORMAT_XYZ);
    for (int turn = 0; turn < 2; ++turn) {
        CHECK(shoal_molecule_isotope(p.mol, 0) == 2 && shoal_molecule_isotope(p.mol, 1) == 3);
        CHECK(shoal_molecule_isotope(p.mol, 2) == 0);
        CHECK_TEXT(shoal_molecule_name(p.mol), "free text, kept");
        pass_through(&p, SHOAL_FORMAT_XYZ, NULL);
    }
    pair_close(&p);
}

/* No line of the header ends the record. */
static void test_dollars(void)
{
    pair p;
    pair_open(&p);
    read_text(&p, MOL "$$$$\n", SHOAL_FORMAT_SDF);
    CHECK(shoal_molecule_set_name(p.mol, "$$$$ 9") == SHOAL_OK);
    for (int turn = 0; turn < 2; ++turn) {
        pass_through(&p, SHOAL_FORMAT_SDF, NULL);
        CHECK_TEXT(shoal_molecule_name(p.mol), "$$$$ 9");
        CHECK(shoal_molecule_n_atoms(p.mol) == 2);
    }
    pair_close(&p);
}

/* Isotopes by the other ways that files have. */
static void test_isotopes(void)
{
    pair p;
    pair_open(&p);
    read_text(&p,
              "m\n\n\n  3  0  0  0  0  0  0  0  0  0999 V2000\n"
              "    0.0000    0.0000    0.0000 C   1  0\n"
              "    0.0000    0.0000    2.0000 Cl -1  0\n"
              "    0.0000    0.0000    4.0000 D   0  0\nM  END\n$$$$\n",
              SHOAL_FORMAT_SDF);
    CHECK(shoal_molecule_isotope(p.mol, 0) == 13 && shoal_molecule_isotope(p.mol, 1) == 34);
    CHECK(shoal_molecule_isotope(p.mol, 2) == 2 && shoal_molecule_elements(p.mol)[2] == 1);
    read_text(&p,
              "m\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n"
              "M  V30 COUNTS 2 1 0 0 1\nM  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0 MASS=14 CFG=3\n"
              "M  V30 2 O 0 0 1 0\nM  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 2 1 2 CFG=2\n"
              "M  V30 END BOND\nM  V30 END CTAB\nM  END\n$$$$\n",
              SHOAL_FORMAT_SDF);
    CHECK(shoal_molecule_isotope(p.mol, 0) == 14);
    CHECK_TEXT(write_text(&p, SHOAL_FORMAT_SDF, NULL),
               "m\n  shoal             3D\n\n  2  1  0  0  1  0  0  0  0  0999 V2000\n"
               "    0.0000    0.0000    0.0000 C   0  0  3  0  0  0  0  0  0  0  0  0\n"
               "    0.0000    0.0000    1.0000 O   0  0  0  0  0  0  0  0  0  0  0  0\n"
               "  1  2  2  3\nM  ISO  1   1  14\nM  END\n$$$$\n");
    CHECK(shoal_molecule_set_isotope(p.mol, 0, -1) == SHOAL_E_ARGUMENT);
    CHECK(shoal_molecule_set_isotope(p.mol, 2, 1) == SHOAL_E_ARGUMENT);
    CHECK(shoal_molecule_set_isotope(p.mol, 0, 0) == SHOAL_OK);
    CHECK(!strstr(write_text(&p, SHOAL_FORMAT_SDF, NULL), "ISO"));
    pair_close(&p);
}

/* A wedge begins at the atom that is named first, also when perception turns the bond. */
static void test_turned_bond(void)
{
    pair p;
    pair_open(&p);
    read_text(&p,
              "m\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n"
              "M  V30 COUNTS 2 1 0 0 0\nM  V30 BEGIN ATOM\nM  V30 1 B 0 0 0 0\n"
              "M  V30 2 N 0 0 1.6 0\nM  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 1 1 2 CFG=1\n"
              "M  V30 END BOND\nM  V30 END CTAB\nM  END\n$$$$\n",
              SHOAL_FORMAT_SDF);
    CHECK(shoal_molecule_perceive(p.mol, NULL) == SHOAL_OK);
    const char *text = write_text(&p, SHOAL_FORMAT_SDF, NULL);
    CHECK(strstr(text, "\n  1  2  1  1\n") || strstr(text, " 1 2 CFG=1\n"));
    pair_close(&p);
}

/* Results in SDF read back bit for bit; but columns that somebody changed are meant. */
static void test_digits(void)
{
    double pos[2][3] = {{1.0 / 3.0, -2.0 / 7.0, 1e-9}, {123.45678901234567, -0.00005, 0.99995}};
    const double wide[3] = {1e6 / 3.0, 0, 0};
    pair p;
    pair_open(&p);
    read_text(&p, MOL "$$$$\n", SHOAL_FORMAT_SDF);
    for (int i = 0; i < 2; ++i) CHECK(shoal_molecule_set_position(p.mol, i, pos[i]) == SHOAL_OK);
    for (int turn = 0; turn < 3; ++turn) {
        pass_through(&p, SHOAL_FORMAT_SDF, turn == 0 ? &bare : NULL);
        CHECK(memcmp(shoal_molecule_positions(p.mol), pos, sizeof pos) == 0);
    }
    char *text = strdup(write_text(&p, SHOAL_FORMAT_SDF, &bare));
    char *column = text ? strstr(text, "123.4568") : NULL;
    CHECK(column != NULL);
    if (column) {
        column[7] = '9';
        read_text(&p, text, SHOAL_FORMAT_SDF);
        CHECK(shoal_molecule_positions(p.mol)[1][0] == 123.4569);
        CHECK(shoal_molecule_positions(p.mol)[0][0] == 0.3333);
    }
    free(text);
    CHECK(shoal_molecule_set_position(p.mol, 0, wide) == SHOAL_OK);
    pass_through(&p, SHOAL_FORMAT_SDF, &bare);
    CHECK(memcmp(shoal_molecule_positions(p.mol)[0], wide, sizeof wide) == 0);
    /* Without the mark it is a field like others. */
    read_text(&p, MOL "> <shoal_positions>\n0.00001 0 0 1 0 0\n\n$$$$\n", SHOAL_FORMAT_SDF);
    CHECK(shoal_molecule_positions(p.mol)[0][0] == 0.0);
    check_field(&p, "shoal_positions", "0.00001 0 0 1 0 0");
    pair_close(&p);
}

int main(void)
{
    test_results();
    test_places();
    test_renamed();
    test_types();
    test_stated_anew();
    test_marks();
    test_marks_in_xyz();
    test_isotopes();
    test_dollars();
    test_turned_bond();
    test_digits();
    return check_done();
}
