/* SPDX-License-Identifier: BSD-3-Clause
 * Records of results, rows of CSV, and files that give back what was written, whatever the pieces. */
#include "results_fixture.h"

#include "chem/molecule.h"
#include "results/results_record.h"

static const char path[] = "test_results.h5";
static const char other_path[] = "test_results_other.h5";

/* --- records -------------------------------------------------------------------------------------- */

static const void *field(const shoal_string *record, const char *name, size_t want)
{
    const void *data = NULL;
    size_t size = 0;
    CHECK(shoal_results_record_field(shoal_string_data(record), shoal_string_size(record), name,
                                     &data, &size) == SHOAL_OK);
    CHECK(size == want);
    return size == want ? data : NULL;
}

static double get_double(const shoal_string *record, const char *name)
{
    double value = -1;
    const void *data = field(record, name, sizeof value);
    if (data) memcpy(&value, data, sizeof value);
    return value;
}

static int64_t get_int(const shoal_string *record, const char *name, size_t size)
{
    int64_t value = 0; /* little-endian and not negative */
    const void *data = field(record, name, size);
    if (data) memcpy(&value, data, size);
    return value;
}

/* A field of n bytes that begins with want[n_want]. */
static void check_start(const shoal_string *record, const char *name, size_t n, const char *want,
                        size_t n_want)
{
    const void *data = field(record, name, n);
    CHECK(data && n >= n_want && memcmp(data, want, n_want) == 0);
}

static void check_text(const shoal_string *record, const char *name, const char *want, size_t n)
{
    check_start(record, name, n, want, n);
}

static void test_fields(void)
{
    shoal_string *record = fixture_text();
    const int64_t k = 16; /* 23 atoms, periodic, computed, with two data fields */
    double pos[3], force[3], cell[9];
    int16_t shift[3];
    fixture_put(record, k, true);
    const size_t n = (size_t)fixture_n_atoms(k);
    CHECK(get_int(record, "systems/index", 8) == 2 * k);
    CHECK(get_int(record, "systems/record", 8) == k);
    CHECK(get_int(record, "systems/line", 8) == 161);
    CHECK(get_int(record, "systems/file", 4) == 1);
    CHECK(get_int(record, "systems/status", 4) == SHOAL_SYSTEM_CONVERGED);
    CHECK(get_int(record, "systems/natoms", 4) == (int64_t)n);
    CHECK(get_int(record, "systems/steps", 4) == 16);
    CHECK(get_double(record, "systems/energy") == fixture_number(k, 1));
    CHECK(get_double(record, "systems/energy0") == fixture_number(k, 2));
    CHECK(get_double(record, "systems/fmax") == 0.01);
    check_text(record, "systems/name", "system 16", 9);
    check_start(record, "systems/device", 24, "opencl:0\0", 10);
    check_text(record, "systems/pbc", "\1\0\1", 3);
    check_text(record, "data/bytes", "key\0system 16\0lines\0one\ntwo", 28);
    memcpy(cell, field(record, "systems/cell", sizeof cell), sizeof cell);
    CHECK(cell[0] == 9 && cell[3] == 0.5 && cell[8] == 11);
    memcpy(pos, (const char *)field(record, "atoms/position", 24 * n) + 24, sizeof pos);
    memcpy(force, (const char *)field(record, "atoms/force", 24 * n) + 24, sizeof force);
    CHECK(pos[0] == fixture_number(k, 3) && pos[1] == -fixture_number(k, 4) && pos[2] == 1e-300);
    CHECK(force[0] == fixture_number(k, 10));
    memcpy(shift, field(record, "bonds/shift", 6 * (n - 1)), sizeof shift);
    CHECK(shift[0] == 1 && shift[1] == 0 && shift[2] == -2);
    check_start(record, "atoms/number", n, "\x11\x12\x13", 3);
    check_start(record, "atoms/formal_charge", n, "\xff\0\1\2\xfe", 5);
    shoal_string_clear(record);
    fixture_put(record, 0, true); /* computed in no steps: not relaxed */
    CHECK(get_double(record, "atoms/charge") == 0.25);
    CHECK(isnan(get_double(record, "systems/energy0")));
    CHECK(get_double(record, "systems/fmax") == 0.01);
    shoal_string_destroy(record);
}

static void test_unreadable(void)
{
    shoal_string *record = fixture_text();
    fixture_put(record, 4, true);
    CHECK(get_int(record, "systems/natoms", 4) == 0);
    CHECK(get_int(record, "systems/status", 4) == SHOAL_SYSTEM_UNREADABLE);
    CHECK(get_int(record, "systems/line", 8) == 41);
    CHECK(isnan(get_double(record, "systems/energy")));
    check_text(record, "systems/reason", "expected 3 coordinates", 22);
    CHECK(field(record, "atoms/position", 0) != NULL);
    shoal_string_destroy(record);
}

/* A typed molecule brings labels and charges. */
static void test_types(void)
{
    static const double pos[3][3] = {{0, 0, 0}, {0.96, 0, 0}, {-0.24, 0.93, 0}};
    const shoal_results_what what = {.forces = false};
    shoal_string *record = fixture_text();
    shoal_stream_system system = {.device = ""};
    CHECK(shoal_molecule_create(&system.mol) == SHOAL_OK);
    for (int i = 0; i < 3; ++i)
        CHECK(shoal_molecule_add_atom(system.mol, i == 0 ? 8 : 1, pos[i]) == SHOAL_OK);
    CHECK(shoal_topology_create(&system.topology, system.mol, NULL) == SHOAL_OK);
    CHECK(shoal_results_format(&what, &system, record) == SHOAL_OK);
    check_text(record, "atoms/type", "O_3\0\0\0\0\0H_\0\0\0\0\0\0H_\0\0\0\0\0", 24);
    const void *data;
    size_t size;
    CHECK(shoal_results_record_field(shoal_string_data(record), shoal_string_size(record),
                                     "atoms/force", &data, &size) == SHOAL_E_ARGUMENT);
    shoal_topology_destroy(system.topology);
    shoal_molecule_destroy(system.mol);
    shoal_string_destroy(record);
}

static void test_walk(void)
{
    shoal_string *text = fixture_text();
    for (int64_t k = 0; k < 20; ++k) fixture_put(text, k, false);
    const char *at = shoal_string_data(text), *end = at + shoal_string_size(text);
    int64_t index = -1, n = 0;
    size_t size = 0;
    for (; at < end; at += size, ++n) {
        CHECK(shoal_results_record_index(at, (size_t)(end - at), &index, &size) == SHOAL_OK);
        CHECK(index == 2 * n);
        CHECK(shoal_results_record_index(at, size - 1, &index, &size) == SHOAL_E_FORMAT);
    }
    CHECK(n == 20);
    CHECK(shoal_results_record_index("SHR1 is not enough", 18, &index, &size) == SHOAL_E_FORMAT);
    shoal_string_destroy(text);
}

/* --- molecules ------------------------------------------------------------------------------------ */

/* A radical cation with marks of all kinds, in an SD record. */
static const char marked_sdf[] =
    "odd one\n  maker 3D\na comment\n"
    "  4  3  0  0  1  0  0  0  0  0999 V2000\n"
    "    0.0000    0.0000    0.0000 C   0  0  2  0\n"
    "    1.5000    0.0000    0.0000 N   0  0  0  0\n"
    "   -0.5000    1.0000    0.0000 F   0  0  0  0\n"
    "    0.0000    0.0000    1.0000 H   0  0  0  0\n"
    "  1  2  1  6\n  1  3  1  0\n  4  1  1  1\n"
    "M  CHG  1   2   1\nM  RAD  2   1   2   2   3\nM  ISO  1   4   2\nM  END\n"
    "> <note>\nfirst\n\n> <energy>\n-1.5\n\n> <note>\nsecond\nline\n\n"
    "> <partial_charges>\n0.25 0.5 -0.5 -0.25\n\n"
    "> <Lattice>\n9 0 0 0.5 8 0 0 0 11\n\n> <pbc>\nT F T\n\n$$$$\n";

static void read_marked(shoal_molecule *mol)
{
    shoal_reader *reader = NULL;
    bool found = false;
    CHECK(shoal_reader_open_memory(&reader, marked_sdf, sizeof marked_sdf - 1, "text",
                                   SHOAL_FORMAT_SDF) == SHOAL_OK);
    CHECK(shoal_reader_next(reader, mol, &found) == SHOAL_OK && found);
    shoal_reader_destroy(reader);
}

static shoal_status make_again(const shoal_string *record, shoal_molecule *mol)
{
    return results_make_molecule(shoal_string_span(record), "in.sdf", "shoal 7.8", mol);
}

/* The text that a molecule gives as an SD record says all that is known of it. */
static void check_text_of(const shoal_molecule *mol, const char *want)
{
    shoal_string *have = fixture_text();
    CHECK(shoal_frame_format(have, SHOAL_FORMAT_SDF, mol, NULL) == SHOAL_OK);
    CHECK_TEXT(shoal_string_data(have), want);
    shoal_string_destroy(have);
}

/* What was only read comes back as it was, with all bits. */
static void test_molecule(void)
{
    shoal_stream_system system = {.device = ""};
    shoal_molecule *again = NULL;
    shoal_string *record = fixture_text(), *want = fixture_text();
    const double pos[3] = {1.0 / 3.0, -1e-17, 12345.678901234567};
    CHECK(shoal_molecule_create(&system.mol) == SHOAL_OK);
    CHECK(shoal_molecule_create(&again) == SHOAL_OK);
    read_marked(system.mol);
    CHECK(shoal_molecule_set_position(system.mol, 2, pos) == SHOAL_OK);
    molecule_turn_bond(system.mol, 0); /* its mark is seen from the other end */
    CHECK(shoal_results_format(&(shoal_results_what){.forces = true}, &system, record) == SHOAL_OK);
    CHECK(make_again(record, again) == SHOAL_OK);
    CHECK(shoal_frame_format(want, SHOAL_FORMAT_SDF, system.mol, NULL) == SHOAL_OK);
    CHECK(strstr(shoal_string_data(want), "> <Lattice>") &&
          strstr(shoal_string_data(want), "M  RAD"));
    check_text_of(again, shoal_string_data(want));
    CHECK(memcmp(again->pos, system.mol->pos, 4 * sizeof *again->pos) == 0);
    CHECK(molecule_mark(&again->bond_stereo, 0) == -6 && molecule_mark(&again->parity, 0) == 2);
    CHECK(again->radical[0] == 1 && again->radical[1] == 2 && again->chiral);
    CHECK(again->has_bonds && again->has_formal_charges && again->has_charges && again->pbc[2]);
    CHECK_TEXT(molecule_line(again, MOLECULE_COMMENT), "a comment");
    CHECK_TEXT(shoal_molecule_property(again, "energy"), "-1.5");
    CHECK(again->n_properties == system.mol->n_properties && again->n_properties == 4);
    shoal_molecule_destroy(system.mol);
    shoal_molecule_destroy(again);
    shoal_string_destroy(record);
    shoal_string_destroy(want);
}

/* A cage has more bonds than atoms: marks of its last bonds are no damage. */
static void test_marks_of_bonds(void)
{
    shoal_stream_system system = {.device = ""};
    shoal_molecule *again = NULL;
    shoal_string *record = fixture_text();
    CHECK(shoal_molecule_create(&system.mol) == SHOAL_OK);
    CHECK(shoal_molecule_create(&again) == SHOAL_OK);
    for (int i = 0; i < 4; ++i)
        CHECK(shoal_molecule_add_atom(system.mol, 6, (double[3]){i % 2, i / 2, i == 3}) ==
              SHOAL_OK);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j)
            CHECK(shoal_molecule_add_bond(system.mol, i, j, SHOAL_ORDER_SINGLE, NULL) == SHOAL_OK);
    CHECK(molecule_set_mark(&system.mol->bond_stereo, 5, 1) == SHOAL_OK);
    CHECK(shoal_results_format(&(shoal_results_what){.forces = false}, &system, record) ==
          SHOAL_OK);
    CHECK(make_again(record, again) == SHOAL_OK && molecule_mark(&again->bond_stereo, 5) == 1);
    shoal_molecule_destroy(system.mol);
    shoal_molecule_destroy(again);
    shoal_string_destroy(record);
}

/* What was found is marked as a result, and drops out where it is written again. */
static void test_result_fields(void)
{
    const double terms[FIXTURE_TERMS] = {0}, forces[4][3] = {{1, 2, 0.5}};
    shoal_stream_system system = {.index = 12,
                                  .record = 3,
                                  .device = "cpu",
                                  .result = {.status = SHOAL_SYSTEM_CONVERGED,
                                             .reason = "",
                                             .warning = "odd",
                                             .energy = -2.5,
                                             .energy0 = -2.25,
                                             .fmax = 0.01,
                                             .steps = 7,
                                             .terms = terms,
                                             .forces = forces}};
    shoal_molecule *again = NULL;
    shoal_string *record = fixture_text(), *text = fixture_text();
    CHECK(shoal_molecule_create(&system.mol) == SHOAL_OK);
    CHECK(shoal_molecule_create(&again) == SHOAL_OK);
    read_marked(system.mol);
    CHECK(shoal_results_format(&(shoal_results_what){.forces = true}, &system, record) == SHOAL_OK);
    CHECK(make_again(record, again) == SHOAL_OK);
    static const char *const want[][2] = {
        {"shoal", "7.8"},         {"shoal_index", "12"},
        {"shoal_record", "3"},    {"shoal_file", "in.sdf"},
        {"energy", "-2.5"},       {"energy0", "-2.25"},
        {"fmax", "0.01"},         {"steps", "7"},
        {"warning", "odd"},       {"status", "converged"},
        {"energy_input", "-1.5"}, {"forces", "1 2 0.5\n0 0 0\n0 0 0\n0 0 0"}};
    for (size_t k = 0; k < sizeof want / sizeof want[0]; ++k) {
        const char *value = shoal_molecule_property(again, want[k][0]);
        CHECK_TEXT(value ? value : want[k][0], want[k][1]);
    }
    CHECK(!shoal_molecule_property(again, "reason") &&
          !shoal_molecule_property(again, "uff_types"));
    CHECK(again->type[0][0] == '\0');
    /* A version has digits and a dot; without one it is that of this program. */
    static const char *const programs[] = {"shoal 78", "shoal x.y", "shoal", NULL};
    for (int k = 0; k < 4; ++k) {
        CHECK(results_make_molecule(shoal_string_span(record), "in.sdf", programs[k], again) ==
              SHOAL_OK);
        const char *version = shoal_molecule_property(again, "shoal");
        CHECK_TEXT(version ? version : "none", SHOAL_VERSION);
    }
    CHECK(make_again(record, again) == SHOAL_OK);
    const shoal_frame frame = {.is_result = true};
    CHECK(shoal_frame_format(text, SHOAL_FORMAT_SDF, again, &frame) == SHOAL_OK);
    CHECK(!strstr(shoal_string_data(text), "-2.5") && !strstr(shoal_string_data(text), "odd\n\n"));
    CHECK(strstr(shoal_string_data(text), "> <energy_input>\n-1.5\n") != NULL);
    shoal_molecule_destroy(system.mol);
    shoal_molecule_destroy(again);
    shoal_string_destroy(record);
    shoal_string_destroy(text);
}

/* All systems of the fixture, of which some cannot be read and none may stop the others; then damage. */
static void test_all_molecules(void)
{
    shoal_molecule *want = NULL, *have = NULL;
    shoal_string *record = fixture_text();
    CHECK(shoal_molecule_create(&want) == SHOAL_OK && shoal_molecule_create(&have) == SHOAL_OK);
    for (int64_t k = 0; k < 100; ++k) {
        shoal_string_clear(record);
        shoal_molecule_clear(want);
        fixture_put(record, k, k % 2);
        fixture_fill(want, k);
        if (fixture_is_unreadable(k)) {
            CHECK(make_again(record, have) == SHOAL_E_FORMAT);
            CHECK_TEXT(shoal_error_text(), "expected 3 coordinates");
            continue;
        }
        CHECK(make_again(record, have) == SHOAL_OK);
        CHECK(have->n_atoms == want->n_atoms && have->n_bonds == want->n_bonds);
        CHECK(want->n_atoms == 0 ||
              memcmp(have->pos, want->pos, (size_t)want->n_atoms * sizeof *want->pos) == 0);
        CHECK(want->n_bonds == 0 ||
              memcmp(have->bonds, want->bonds, (size_t)want->n_bonds * sizeof *want->bonds) == 0);
        CHECK(memcmp(have->cell, want->cell, sizeof want->cell) == 0);
        CHECK(have->has_charges == want->has_charges && have->has_bonds == want->has_bonds);
        CHECK_TEXT(shoal_molecule_name(have), shoal_molecule_name(want));
    }
    shoal_string_clear(record);
    fixture_put(record, 16, true);
    char *bytes = record->data;
    static const char *const columns[] = {"atoms/number", "bonds/atoms", "bonds/order",
                                          "atoms/position"};
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; ++k) {
        const void *data = NULL;
        size_t size = 0;
        CHECK(shoal_results_record_field(bytes, record->size, columns[k], &data, &size) ==
              SHOAL_OK);
        char *at = bytes + ((const char *)data - bytes), kept[8];
        memcpy(kept, at, size < 8 ? size : 8);
        memset(at, 0xff, size < 8 ? size : 8);
        CHECK(make_again(record, have) == SHOAL_E_FORMAT);
        memcpy(at, kept, size < 8 ? size : 8);
    }
    CHECK(make_again(record, have) == SHOAL_OK);
    shoal_string_destroy(record);
    shoal_molecule_destroy(want);
    shoal_molecule_destroy(have);
}

/* --- CSV ------------------------------------------------------------------------------------------ */

static void test_csv(void)
{
    double terms[FIXTURE_TERMS] = {0.5};
    shoal_string *text = fixture_text(), *want = fixture_text();
    shoal_stream_system system = {.index = 12,
                                  .record = 3,
                                  .i_file = 2,
                                  .device = "cpu",
                                  .result = {.status = SHOAL_SYSTEM_MAX_STEPS,
                                             .reason = "far, \"very\" far",
                                             .warning = "two\nlines",
                                             .energy = -1.5,
                                             .energy0 = NAN,
                                             .fmax = 0.25,
                                             .steps = 9,
                                             .terms = terms}};
    CHECK(shoal_molecule_create(&system.mol) == SHOAL_OK);
    CHECK(shoal_molecule_set_name(system.mol, " blank") == SHOAL_OK);
    CHECK(shoal_results_csv(NULL, &system, fixture_files, 3, text) == SHOAL_OK);
    shoal_string_put_text(want, "12,\"a file, \"\"quoted\"\".xyz\",3,\" blank\",0,max_steps,-1.5,"
                                ",0.25,9,0.5");
    for (int t = 1; t < SHOAL_TERM_SIGMA_PI; ++t) shoal_string_put_text(want, ",0");
    shoal_string_put_text(want, ",cpu,\"far, \"\"very\"\" far\",\"two\nlines\"\n");
    CHECK_TEXT(shoal_string_data(text), shoal_string_data(want));
    /* Without steps there is no energy before them. */
    shoal_string_clear(text);
    system.result.energy0 = 2.5;
    system.result.steps = 0;
    CHECK(shoal_results_csv(NULL, &system, fixture_files, 3, text) == SHOAL_OK);
    CHECK(strstr(shoal_string_data(text), ",max_steps,-1.5,,0.25,,0.5,") != NULL);
    /* Terms that the system has not are zero, unless there is no energy at all. */
    for (int k = 0; k < 2; ++k) {
        const shoal_results_what all = {.directions = true};
        system.result.energy = k ? NAN : -1.5;
        system.result.n_terms = SHOAL_TERM_SIGMA_PI;
        shoal_string_clear(text);
        shoal_string_clear(want);
        CHECK(shoal_results_csv(&all, &system, fixture_files, 3, text) == SHOAL_OK);
        for (int t = 1; t < shoal_term_count(); ++t)
            shoal_string_put_text(want, t < SHOAL_TERM_SIGMA_PI || k == 0 ? ",0" : ",");
        shoal_string_put_text(want, ",cpu,");
        CHECK(strstr(shoal_string_data(text), shoal_string_data(want)) != NULL);
    }
    shoal_string_clear(text);
    system.result = (shoal_result){.status = SHOAL_SYSTEM_UNREADABLE, .reason = "no"};
    system.device = "";
    CHECK(shoal_results_csv(NULL, &system, NULL, 0, text) == SHOAL_OK);
    shoal_string_clear(want);
    shoal_string_put_text(want, "12,,3,\" blank\",0,unreadable,,,,");
    for (int t = 0; t < SHOAL_TERM_SIGMA_PI; ++t) shoal_string_put_text(want, ",");
    shoal_string_put_text(want, ",,no,\n");
    CHECK_TEXT(shoal_string_data(text), shoal_string_data(want));
    shoal_string_clear(text);
    shoal_results_csv_header(NULL, text);
    CHECK(strncmp(shoal_string_data(text), "index,file,record,name,natoms,status,energy,", 44) ==
          0);
    shoal_molecule_destroy(system.mol);
    shoal_string_destroy(text);
    shoal_string_destroy(want);
}

/* The number of a variant is told of the only one, too, and of none where there are none. */
static void test_frame_variant(void)
{
    shoal_frame frame;
    shoal_stream_system system = {.variant = 0, .n_variants = 1, .result = {.reason = ""}};
    shoal_frame_of_system(&frame, &system, NULL);
    CHECK(frame.variant == &system.variant);
    system.n_variants = 0;
    shoal_frame_of_system(&frame, &system, NULL);
    CHECK(!frame.variant);
}

/* --- files ---------------------------------------------------------------------------------------- */

static shoal_results *begin(const char *name, int64_t keep)
{
    shoal_results *results = NULL;
    CHECK(shoal_results_create(&results, name, &fixture_header, keep) == SHOAL_OK);
    if (!results) (void)printf("  %s\n", shoal_error_text());
    return results;
}

static void finish(shoal_results *results)
{
    CHECK(shoal_results_close(results) == SHOAL_OK);
    shoal_results_destroy(results);
}

/* In pieces of any size, with a sync anywhere, the same comes back. */
static void test_round_trip(void)
{
    enum { N = 5000 };
    int64_t n = -1;
    shoal_results *results = begin(path, -1);
    CHECK(fixture_write(results, 0, 1, 1) == SHOAL_OK);
    CHECK(shoal_results_sync(results, &n) == SHOAL_OK && n == 1);
    CHECK(fixture_write(results, 1, 1500, 1) == SHOAL_OK);
    CHECK(shoal_results_sync(results, &n) == SHOAL_OK && n == 1500);
    CHECK(fixture_write(results, 1500, N, 977) == SHOAL_OK);
    finish(results);
    CHECK(fixture_holds(path, N, &n) && n == N);
    CHECK(access("test_results.h5.lock", F_OK) != 0);
    results = begin(other_path, -1);
    CHECK(fixture_write(results, 0, N, N) == SHOAL_OK);
    finish(results);
    CHECK(fixture_holds(other_path, N, &n) && n == N);
}

static void test_header(void)
{
    shoal_results_reader *reader = NULL;
    shoal_results_header h = {.n_files = 0};
    shoal_string *record = fixture_text();
    CHECK(shoal_results_open(&reader, path) == SHOAL_OK);
    CHECK(shoal_results_header_get(reader, &h) == SHOAL_OK);
    CHECK(h.what.forces && h.n_files == 3 && h.seed == -7);
    for (int i = 0; i < h.n_files; ++i) CHECK_TEXT(h.files[i], fixture_files[i]);
    CHECK_TEXT(h.program, fixture_header.program);
    CHECK_TEXT(h.command, fixture_header.command);
    CHECK_TEXT(h.options, fixture_header.options);
    CHECK_TEXT(h.device, "cpu");
    CHECK_TEXT(h.driver, "");
    CHECK_TEXT(h.start_time, fixture_header.start_time);
    CHECK(shoal_results_read(reader, 5000, record) == SHOAL_E_ARGUMENT);
    CHECK(shoal_results_read(reader, 5001, record) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), "test_results.h5: no system 5001, there are 5000");
    /* Backwards, too. */
    CHECK(shoal_results_read(reader, 4999, record) == SHOAL_OK);
    CHECK(get_int(record, "systems/index", 8) == 9998);
    shoal_string_clear(record);
    CHECK(shoal_results_read(reader, 3, record) == SHOAL_OK);
    CHECK(get_int(record, "systems/index", 8) == 6);
    shoal_string_destroy(record);
    shoal_results_reader_destroy(reader);
}

/* Texts of any length: command lines with thousands of names. */
static void test_long_header(void)
{
    enum { LONG = 300000 };
    shoal_results_header h = {.n_files = 0};
    shoal_results *results = NULL;
    shoal_results_reader *reader = NULL;
    char *text = malloc(LONG + 1);
    memset(text, 'x', LONG);
    text[LONG] = '\0';
    h.command = text;
    CHECK(shoal_results_create(&results, path, &h, -1) == SHOAL_OK);
    finish(results);
    CHECK(shoal_results_open(&reader, path) == SHOAL_OK);
    CHECK(shoal_results_n_systems(reader) == 0);
    CHECK(shoal_results_header_get(reader, &h) == SHOAL_OK);
    CHECK_TEXT(h.command, text);
    CHECK(h.n_files == 0 && !h.what.forces);
    shoal_results_reader_destroy(reader);
    free(text);
}

/* What is refused leaves the file as it was. */
static void test_refused(void)
{
    shoal_string *text = fixture_text();
    shoal_results *results = begin(path, -1), *second = NULL;
    int64_t n = -1;
    CHECK(shoal_results_create(&second, path, &fixture_header, -1) == SHOAL_E_IO);
    CHECK(strstr(shoal_error_text(), "another") != NULL && !second);
    fixture_put(text, 0, false);
    CHECK(shoal_results_write(results, shoal_string_data(text), shoal_string_size(text)) ==
          SHOAL_E_ARGUMENT);
    shoal_string_clear(text);
    fixture_put(text, 0, true);
    fixture_put(text, 1, true);
    CHECK(shoal_results_write(results, shoal_string_data(text), shoal_string_size(text) - 1) ==
          SHOAL_E_FORMAT);
    CHECK(fixture_write(results, 0, 10, 3) == SHOAL_OK);
    finish(results);
    CHECK(fixture_holds(path, 10, &n) && n == 10);
    CHECK(shoal_results_create(&second, "no/such/directory.h5", &fixture_header, -1) == SHOAL_E_IO);
    CHECK(strstr(shoal_error_text(), "No such file") != NULL);
    shoal_string_destroy(text);
}

static void test_not_results(void)
{
    shoal_results_reader *reader = NULL;
    CHECK(shoal_results_open(&reader, "test_results_none.h5") == SHOAL_E_IO && !reader);
    FILE *file = fopen(other_path, "w");
    (void)fputs("no HDF5", file);
    (void)fclose(file);
    CHECK(shoal_results_open(&reader, other_path) == SHOAL_E_FORMAT && !reader);
}

static bool is_complete(void)
{
    shoal_results_reader *reader = NULL;
    CHECK(shoal_results_open(&reader, path) == SHOAL_OK);
    const bool complete = shoal_results_is_complete(reader);
    shoal_results_reader_destroy(reader);
    return complete;
}

/* A file can be read while this process writes it. */
static void test_own_reader(void)
{
    shoal_results *results = begin(path, -1);
    int64_t n = -1;
    CHECK(fixture_write(results, 0, 100, 10) == SHOAL_OK);
    CHECK(shoal_results_sync(results, &n) == SHOAL_OK && n == 100);
    CHECK(fixture_holds(path, 100, &n) && n == 100);
    CHECK(!is_complete());
    CHECK(fixture_write(results, 100, 200, 10) == SHOAL_OK);
    finish(results);
    CHECK(fixture_holds(path, 200, &n) && n == 200);
    CHECK(is_complete());
    results = begin(path, 150); /* goes on, and is ended without a close */
    CHECK(!is_complete());
    shoal_results_destroy(results);
    CHECK(fixture_holds(path, 150, &n) && n == 150 && !is_complete());
}

int main(void)
{
    CHECK(shoal_term_count() <= FIXTURE_TERMS);
    test_fields();
    test_unreadable();
    test_types();
    test_walk();
    test_molecule();
    test_marks_of_bonds();
    test_result_fields();
    test_all_molecules();
    test_csv();
    test_frame_variant();
    if (!fixture_has_hdf5()) {
        (void)printf("skipped: files, as this build has no HDF5\n");
        return check_failures ? check_done() : 77;
    }
    test_round_trip();
    test_header();
    test_long_header();
    test_refused();
    test_not_results();
    test_own_reader();
    (void)remove(path);
    (void)remove(other_path);
    return check_done();
}
