/* SPDX-License-Identifier: BSD-3-Clause
 * Writing: round trips, compressed files, and files that appear only when they are complete. */
#include <sys/stat.h>
#include <unistd.h>

#include "io_fixture.h"

/* Files are made in the working directory and removed at the end of each test. */
static const char xyz_path[] = "test_io_write.xyz";
static const char sdf_path[] = "test_io_write.sdf";
static const char gz_path[] = "test_io_write.xyz.gz";

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static void write_one(const char *path, const shoal_molecule *mol, const shoal_frame *frame)
{
    shoal_writer *writer;
    CHECK(shoal_writer_open(&writer, path, SHOAL_FORMAT_AUTO) == SHOAL_OK);
    CHECK(shoal_writer_put(writer, mol, frame) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    CHECK(!exists(path));
    CHECK(shoal_writer_close(writer) == SHOAL_OK);
    CHECK(exists(path));
    shoal_writer_destroy(writer);
}

static shoal_molecule *make_molecule(void)
{
    static const double pos[3][3] = {{0.1, 1.0 / 3.0, -1e-7}, {1.5, -2.25, 1e3}, {0.1 + 0.2, 0, 7}};
    static const int32_t z[3] = {7, 6, 8};
    shoal_molecule *mol;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int i = 0; i < 3; ++i) CHECK(shoal_molecule_add_atom(mol, z[i], pos[i]) == SHOAL_OK);
    CHECK(shoal_molecule_add_bond(mol, 0, 1, SHOAL_ORDER_TRIPLE, NULL) == SHOAL_OK);
    CHECK(shoal_molecule_add_bond(mol, 1, 2, SHOAL_ORDER_SINGLE, NULL) == SHOAL_OK);
    CHECK(shoal_molecule_set_name(mol, "a \"name\"\nof two lines") == SHOAL_OK);
    CHECK(shoal_molecule_set_formal_charge(mol, 2, -1) == SHOAL_OK);
    CHECK(shoal_molecule_set_radical(mol, 0, 1) == SHOAL_OK);
    return mol;
}

static void check_positions(const shoal_molecule *a, const shoal_molecule *b, double tolerance)
{
    const int32_t n = shoal_molecule_n_atoms(a);
    CHECK(shoal_molecule_n_atoms(b) == n);
    if (shoal_molecule_n_atoms(b) != n) return;
    for (int32_t i = 0; i < n; ++i) {
        CHECK(shoal_molecule_elements(a)[i] == shoal_molecule_elements(b)[i]);
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(shoal_molecule_positions(b)[i][k], shoal_molecule_positions(a)[i][k],
                       tolerance);
    }
}

static void check_bonds(const shoal_molecule *a, const shoal_molecule *b)
{
    CHECK(shoal_molecule_n_bonds(a) == shoal_molecule_n_bonds(b));
    if (shoal_molecule_n_bonds(a) != shoal_molecule_n_bonds(b)) return;
    for (int32_t i = 0; i < shoal_molecule_n_bonds(a); ++i) {
        const shoal_bond *x = &shoal_molecule_bonds(a)[i], *y = &shoal_molecule_bonds(b)[i];
        CHECK(x->i == y->i && x->j == y->j && x->order == y->order);
    }
    for (int32_t i = 0; i < shoal_molecule_n_atoms(a); ++i) {
        CHECK(shoal_molecule_formal_charges(a)[i] == shoal_molecule_formal_charges(b)[i]);
        CHECK(shoal_molecule_radicals(a)[i] == shoal_molecule_radicals(b)[i]);
    }
}

/* True if the first 64 KiB of a file hold the text. */
static bool has_text(const char *path, const char *text)
{
    static char bytes[(1 << 16) + 1];
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    bytes[fread(bytes, 1, sizeof bytes - 1, file)] = '\0';
    (void)fclose(file);
    return strstr(bytes, text) != NULL;
}

static void test_xyz(void)
{
    static const double cell[3][3] = {{10.0 / 3.0, 0, 0}, {0, 5, 0}, {0.1, 0, 0}};
    static const bool pbc[3] = {true, true, false};
    static const double forces[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    static const char *const types[] = {"N_1", "C_1", NULL};
    const double energy = -1.0 / 7.0;
    shoal_molecule *mol = make_molecule();
    double cell2[3][3];
    bool pbc2[3];
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    CHECK(shoal_molecule_set_charge(mol, 1, 1.0 / 9.0) == SHOAL_OK);
    CHECK(shoal_molecule_set_property(mol, "a key", "x=\"1\\2\"\ny") == SHOAL_OK);
    CHECK(shoal_molecule_set_property(mol, "energy", "77") == SHOAL_OK);
    CHECK(shoal_molecule_set_property(mol, "empty", "") == SHOAL_OK);
    CHECK(shoal_molecule_set_property(mol, "pbc", "mine") == SHOAL_OK);
    const shoal_frame frame = {
        .energy = &energy, .forces = forces, .types = types, .status = "converged"};
    write_one(xyz_path, mol, &frame);
    CHECK(has_text(xyz_path, " 1 2 3 0 0 N_1\n") && has_text(xyz_path, " 7 7 8 9 0 -1 -\n"));
    fixture f;
    fixture_open_file(&f, xyz_path);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    check_positions(mol, f.mol, 0);
    CHECK_TEXT(shoal_molecule_name(f.mol), "a \"name\"\nof two lines");
    CHECK_TEXT(fixture_property(&f, "a key"), "x=\"1\\2\"\ny");
    CHECK_TEXT(fixture_property(&f, "energy"), "-0.14285714285714285");
    CHECK_TEXT(fixture_property(&f, "status"), "converged");
    CHECK_TEXT(fixture_property(&f, "empty"), "");
    CHECK_TEXT(fixture_property(&f, "sd_pbc"), "mine");
    CHECK_TEXT(shoal_molecule_type(f.mol, 0), "N_1");
    CHECK_TEXT(shoal_molecule_type(f.mol, 2), "");
    CHECK(shoal_molecule_charges(f.mol) && shoal_molecule_charges(f.mol)[1] == 1.0 / 9.0);
    shoal_molecule_cell(f.mol, cell2, pbc2);
    CHECK(memcmp(cell, cell2, sizeof cell) == 0 && memcmp(pbc, pbc2, sizeof pbc) == 0);
    fixture_end(&f);
    shoal_molecule_destroy(mol);
    CHECK(remove(xyz_path) == 0);
}

static void test_sdf(void)
{
    static const double cell[3][3] = {{4, 0, 0}, {0, 5, 0}, {0, 0, 6}};
    static const bool pbc[3] = {true, true, false};
    static const double forces[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9.5}};
    static const char *const types[] = {"N_1", "C_1", "O_3"};
    const double energy = -0.5;
    shoal_molecule *mol = make_molecule();
    double cell2[3][3];
    bool pbc2[3];
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    CHECK(shoal_molecule_set_charge(mol, 1, 0.25) == SHOAL_OK);
    CHECK(shoal_molecule_set_property(mol, "a<k>", "one\n\n> <two>\n$$$$") == SHOAL_OK);
    CHECK(shoal_molecule_set_property(mol, "none", "") == SHOAL_OK);
    const shoal_frame frame = {.energy = &energy, .forces = forces, .types = types, .status = "ok"};
    write_one(sdf_path, mol, &frame);
    CHECK(has_text(sdf_path, "    0.1000    0.3333    0.0000 N ")); /* -1e-7 has no sign there */
    fixture f;
    fixture_open_file(&f, sdf_path);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    check_positions(mol, f.mol, 0.5e-4);
    check_bonds(mol, f.mol);
    CHECK_TEXT(shoal_molecule_name(f.mol), "a \"name\" of two lines");
    CHECK_TEXT(fixture_property(&f, "a_k_"), "one\n\n > <two>\n $$$$");
    CHECK_TEXT(fixture_property(&f, "none"), "");
    CHECK_TEXT(fixture_property(&f, "energy"), "-0.5");
    CHECK_TEXT(fixture_property(&f, "status"), "ok");
    CHECK_TEXT(fixture_property(&f, "uff_types"), "N_1 C_1 O_3");
    CHECK_TEXT(fixture_property(&f, "forces"), "1 2 3\n4 5 6\n7 8 9.5");
    CHECK_TEXT(fixture_property(&f, "partial_charges"), "0 0.25 0");
    CHECK(shoal_molecule_charges(f.mol) && shoal_molecule_charges(f.mol)[1] == 0.25);
    shoal_molecule_cell(f.mol, cell2, pbc2);
    CHECK(memcmp(cell, cell2, sizeof cell) == 0 && memcmp(pbc, pbc2, sizeof pbc) == 0);
    fixture_end(&f);
    shoal_molecule_destroy(mol);
    CHECK(remove(sdf_path) == 0);
}

/* True if the file at sdf_path has the text in its first 300 bytes. */
static bool starts_with_text(const char *text)
{
    char head[301];
    FILE *file = fopen(sdf_path, "r");
    if (!file) return false;
    head[fread(head, 1, sizeof head - 1, file)] = '\0';
    (void)fclose(file);
    return strstr(head, text) != NULL;
}

static void check_v3000(shoal_molecule *mol)
{
    fixture f;
    write_one(sdf_path, mol, NULL);
    CHECK(starts_with_text("V3000"));
    fixture_open_file(&f, sdf_path);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    check_positions(mol, f.mol, 0);
    check_bonds(mol, f.mol);
    fixture_end(&f);
    shoal_molecule_destroy(mol);
    CHECK(remove(sdf_path) == 0);
}

static void test_v3000(void)
{
    shoal_molecule *mol = make_molecule();
    CHECK(shoal_molecule_add_atom(mol, 78, (const double[3]){0.1, 0.2, 1.0 / 3.0}) == SHOAL_OK);
    CHECK(shoal_molecule_add_bond(mol, 2, 3, SHOAL_ORDER_DATIVE, NULL) == SHOAL_OK);
    check_v3000(mol);
    mol = make_molecule();
    const double far[3] = {-10000.0 / 3.0 * 3.1, 123456.0 + 1.0 / 7.0, 1.0 / 3.0};
    CHECK(shoal_molecule_set_position(mol, 2, far) == SHOAL_OK);
    check_v3000(mol);
    for (int k = 0; k < 2; ++k) { /* what ten columns hold depends on the sign */
        const double wide[3] = {k ? 100000.0 : -10000.0, 0, 1};
        mol = make_molecule();
        CHECK(shoal_molecule_set_position(mol, 1, wide) == SHOAL_OK);
        check_v3000(mol);
    }
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int i = 0; i < 1000; ++i) {
        CHECK(shoal_molecule_add_atom(mol, 6, (const double[3]){i / 3.0, i, -i}) == SHOAL_OK);
        if (i > 0) CHECK(!shoal_molecule_add_bond(mol, i - 1, i, SHOAL_ORDER_SINGLE, NULL));
        if (i != 998) continue; /* 999 atoms: three columns hold their number */
        write_one(sdf_path, mol, NULL);
        CHECK(starts_with_text("V2000") && remove(sdf_path) == 0);
    }
    check_v3000(mol);
}

/* More charges than one line holds. */
static void test_many_charges(void)
{
    shoal_molecule *mol;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int i = 0; i < 17; ++i) {
        CHECK(shoal_molecule_add_atom(mol, 11, (const double[3]){i, 0, 0}) == SHOAL_OK);
        CHECK(shoal_molecule_set_formal_charge(mol, i, i == 3 ? 0 : i - 8) == SHOAL_OK);
        CHECK(shoal_molecule_set_radical(mol, i, i % 3) == SHOAL_OK);
        if (i > 0) CHECK(!shoal_molecule_add_bond(mol, i - 1, i, SHOAL_ORDER_SINGLE, NULL));
    }
    write_one(sdf_path, mol, NULL);
    CHECK(starts_with_text("V2000"));
    CHECK(has_text(sdf_path, "M  CHG  8   1  -8   2  -7")); /* as many as a line may hold */
    CHECK(has_text(sdf_path, "M  RAD  8   2   2   3   3   5   2   6   3")); /* doublets, triplets */
    fixture f;
    fixture_open_file(&f, sdf_path);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    check_bonds(mol, f.mol);
    fixture_end(&f);
    shoal_molecule_destroy(mol);
    CHECK(remove(sdf_path) == 0);
}

static char *load(const char *path, size_t *size)
{
    static char bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    *size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) (void)fclose(file);
    return bytes;
}

/* Reads all frames; returns their number or the failure. */
static int count_frames(const void *data, size_t size)
{
    fixture f = {0};
    int n = 0;
    CHECK(shoal_molecule_create(&f.mol) == SHOAL_OK);
    shoal_status status = shoal_reader_open_memory(&f.reader, data, size, "gz", SHOAL_FORMAT_XYZ);
    if (status == SHOAL_OK) {
        while ((status = shoal_reader_next(f.reader, f.mol, &f.found)) == SHOAL_OK && f.found) ++n;
    }
    fixture_close(&f);
    return status == SHOAL_OK ? n : (int)status;
}

static void test_gzip(void)
{
    if (!fixture_has_zlib()) {
        (void)printf("skipped: gzip, built without zlib\n");
        return;
    }
    shoal_molecule *mol = make_molecule();
    size_t size;
    write_one(gz_path, mol, NULL);
    shoal_molecule_destroy(mol);
    char *bytes = load(gz_path, &size);
    CHECK(size > 20 && (unsigned char)bytes[0] == 0x1f && (unsigned char)bytes[1] == 0x8b);
    CHECK(count_frames(bytes, size) == 1);
    memcpy(bytes + size, bytes, size);
    CHECK(count_frames(bytes, 2 * size) == 2);
    CHECK(count_frames(bytes, size + size / 2) == SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), ": truncated gzip data (") != NULL);
    for (size_t cut = 2; cut < size; ++cut) CHECK(count_frames(bytes, cut) == SHOAL_E_FORMAT);
    bytes[size - 8] ^= 1;
    CHECK(count_frames(bytes, size) == SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), "damaged gzip data ('incorrect data check')") != NULL);
    bytes[size - 8] ^= 1;
    memcpy(bytes + size, "junk", 4);
    CHECK(count_frames(bytes, size + 4) == SHOAL_E_FORMAT);
    fixture f;
    fixture_open_file(&f, gz_path);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK(shoal_molecule_n_atoms(f.mol) == 3);
    fixture_end(&f);
    CHECK(remove(gz_path) == 0);
}

static void check_put(const shoal_molecule *mol, const char *path, shoal_status want,
                      const char *text)
{
    shoal_writer *writer;
    CHECK(shoal_writer_open(&writer, path, SHOAL_FORMAT_AUTO) == SHOAL_OK);
    CHECK(shoal_writer_put(writer, mol, NULL) == want);
    CHECK(strstr(shoal_error_text(), text) != NULL);
    shoal_writer_destroy(writer);
    CHECK(!exists(path));
}

static void test_refusals(void)
{
    static const double cell[3][3] = {{4, 0, 0}, {0, 5, 0}, {0, 0, 6}};
    static const bool pbc[3] = {true, true, true};
    static const int32_t shift[3] = {1, 0, 0};
    shoal_writer *writer;
    CHECK(shoal_writer_open(&writer, "a.smi", SHOAL_FORMAT_AUTO) == SHOAL_E_ARGUMENT);
    CHECK(shoal_writer_open(&writer, "a.pdbqt", SHOAL_FORMAT_AUTO) == SHOAL_E_ARGUMENT);
    CHECK(shoal_writer_open(&writer, "no/such/folder/a.xyz", SHOAL_FORMAT_AUTO) == SHOAL_E_IO);
    CHECK(strstr(shoal_error_text(), "no/such/folder/a.xyz: cannot write: ") != NULL);
    CHECK(shoal_writer_open(&writer, ".", SHOAL_FORMAT_XYZ) == SHOAL_E_IO);
    shoal_molecule *mol;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_molecule_add_atom(mol, 6, cell[0]) == SHOAL_OK);
    CHECK(shoal_molecule_add_atom(mol, 6, cell[1]) == SHOAL_OK);
    check_put(mol, sdf_path, SHOAL_E_ARGUMENT, "the bonds are not known, expected a perceived");
    CHECK(shoal_molecule_add_bond(mol, 0, 1, SHOAL_ORDER_UNKNOWN, NULL) == SHOAL_OK);
    check_put(mol, sdf_path, SHOAL_E_ARGUMENT, "the bond of atoms 1 and 2 has no order");
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    CHECK(shoal_molecule_add_bond(mol, 0, 1, SHOAL_ORDER_SINGLE, shift) == SHOAL_OK);
    check_put(mol, xyz_path, SHOAL_OK, "");
    CHECK(shoal_molecule_set_position(mol, 1, (const double[3]){0, (double)NAN, 0}) == SHOAL_OK);
    check_put(mol, xyz_path, SHOAL_E_ARGUMENT, "atom 2 has coordinate nan, expected a finite");
    shoal_molecule_destroy(mol);
    mol = make_molecule();
    CHECK(shoal_molecule_add_bond(mol, 0, 2, SHOAL_ORDER_SINGLE, shift) == SHOAL_OK);
    check_put(mol, sdf_path, SHOAL_E_UNSUPPORTED, "crosses the cell's border");
    shoal_molecule_destroy(mol);
}

/* The old file stays until the new one is complete; a link stays a link. */
static void test_replacement(void)
{
    static const char link_path[] = "test_io_write_link.xyz";
    shoal_molecule *mol = make_molecule();
    shoal_writer *writer;
    struct stat info;
    write_one(xyz_path, mol, NULL);
    CHECK(symlink(xyz_path, link_path) == 0);
    CHECK(stat(xyz_path, &info) == 0);
    const long size = (long)info.st_size;
    CHECK(shoal_writer_open(&writer, link_path, SHOAL_FORMAT_AUTO) == SHOAL_OK);
    for (int i = 0; i < 5000; ++i) CHECK(shoal_writer_put(writer, mol, NULL) == SHOAL_OK);
    CHECK(stat(xyz_path, &info) == 0 && (long)info.st_size == size);
    CHECK(shoal_writer_close(writer) == SHOAL_OK);
    CHECK(shoal_writer_put(writer, mol, NULL) == SHOAL_E_ARGUMENT);
    shoal_writer_destroy(writer);
    CHECK(stat(xyz_path, &info) == 0 && (long)info.st_size == 5000 * size);
    CHECK(lstat(link_path, &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(shoal_writer_open(&writer, "/dev/null", SHOAL_FORMAT_XYZ) == SHOAL_OK);
    CHECK(shoal_writer_put(writer, mol, NULL) == SHOAL_OK);
    CHECK(shoal_writer_close(writer) == SHOAL_OK);
    shoal_writer_destroy(writer);
    CHECK(exists("/dev/null"));
    shoal_molecule_destroy(mol);
    CHECK(remove(link_path) == 0 && remove(xyz_path) == 0);
}

static void test_full_disk(void)
{
    if (!exists("/dev/full")) {
        (void)printf("skipped: full disk, the system has no /dev/full\n");
        return;
    }
    shoal_molecule *mol = make_molecule();
    shoal_writer *writer;
    CHECK(shoal_writer_open(&writer, "/dev/full", SHOAL_FORMAT_SDF) == SHOAL_OK);
    CHECK(shoal_writer_put(writer, mol, NULL) == SHOAL_OK);
    CHECK(shoal_writer_close(writer) == SHOAL_E_IO);
    CHECK(strstr(shoal_error_text(), "/dev/full: cannot write: ") != NULL);
    shoal_writer_destroy(writer);
    shoal_molecule_destroy(mol);
}

/* What was read from the example files and written is read as the same again. */
static void test_cases(void)
{
    fixture a, b;
    shoal_writer *writer;
    CHECK(shoal_writer_open(&writer, sdf_path, SHOAL_FORMAT_AUTO) == SHOAL_OK);
    fixture_open_file(&a, SHOAL_TEST_DATA "/glycine.sdf");
    while (fixture_next(&a) == SHOAL_OK && a.found)
        CHECK(shoal_writer_put(writer, a.mol, NULL) == SHOAL_OK);
    CHECK(shoal_writer_close(writer) == SHOAL_OK);
    shoal_writer_destroy(writer);
    fixture_close(&a);
    fixture_open_file(&a, SHOAL_TEST_DATA "/glycine.sdf");
    fixture_open_file(&b, sdf_path);
    while (fixture_next(&a) == SHOAL_OK && a.found) {
        CHECK(fixture_next(&b) == SHOAL_OK && b.found);
        check_positions(a.mol, b.mol, 0);
        check_bonds(a.mol, b.mol);
        CHECK_TEXT(fixture_property(&b, "note"), fixture_property(&a, "note"));
    }
    fixture_close(&a);
    fixture_end(&b);
    CHECK(remove(sdf_path) == 0);
}

int main(void)
{
    test_xyz();
    test_sdf();
    test_v3000();
    test_many_charges();
    test_gzip();
    test_refusals();
    test_replacement();
    test_full_disk();
    test_cases();
    return check_done();
}
