/* SPDX-License-Identifier: BSD-3-Clause
 * Bad input: one clear line that names file, line, value and expectation. */
#include "io_fixture.h"

#define HEAD "x\n\n\n"
#define V2000 "  0  0  0  0  0  0  0  0999 V2000\n"
#define ATOM "    0.0000    1.0000   -2.5000 C   0  0  0\n"
#define V3000 HEAD "  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n"
#define V3000_ATOMS(n) V3000 "M  V30 COUNTS " n "\nM  V30 BEGIN ATOM\n"
#define MOL2 "@<TRIPOS>MOLECULE\nm\n2 1\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n1 A 0 0 0 C.3\n"
#define LATTICE "Lattice=\"4 0 0 0 5 0 0 0 6\" "

typedef struct refusal {
    const char *text;
    const char *want; /* a part of the error text */
} refusal;

static const refusal bad_xyz[] = {
    {"x\n", "text:1: bad first line of a frame ('x'), expected the number of atoms"},
    {"-1\n\n", "text:1: bad first line of a frame ('-1')"},
    {"3 x\n\n", "text:1: bad first line of a frame ('3 x')"},
    {"99999999999\n\n", "text:1: bad first line of a frame ('99999999999')"},
    {"2000000000\n\nC 0 0 0\n", "text:3: end of record, expected the line of atom 2 of 2000000000"},
    {"3", "text:1: end of record, expected a comment line"},
    {"2\n\nC 0 0 0", "text:3: end of record, expected the line of atom 2 of 2"},
    {"1\n\nC 0 0\n", "text:3: too few columns ('C 0 0'), expected name x y z"},
    {"1\n\n\n", "text:3: too few columns (''), expected name x y z"},
    {"1\n\nC 0 nan 0\n", "text:3: bad coordinate ('nan'), expected a finite number"},
    {"1\n\nC 0 0 -inf\n", "text:3: bad coordinate ('-inf'), expected a finite number"},
    {"1\n\nC 0 0 1e999\n", "text:3: bad coordinate ('1e999'), expected a finite number"},
    {"1\n\nC 0 0 1.5x\n", "text:3: bad coordinate ('1.5x'), expected a finite number"},
    {"1\n\nXx 0 0 0\n", "text:3: unknown element ('Xx'), expected a symbol"},
    {"1\n\nCab 0 0 0\n", "text:3: unknown element ('Cab')"},
    {"1\n\n0 0 0 0\n", "text:3: unknown element ('0'), expected a symbol or an atomic number"},
    {"1\n\n119 0 0 0\n", "text:3: unknown element ('119')"},
    {"1\n\n\x01\xfe 0 0 0\n", "text:3: unknown element ('\\x01\\xfe')"},
    {"1\n\nC 0 0 0\n\nC 1 1 1\n",
     "text:5: text behind the last atom ('C 1 1 1'), expected 1 atoms"},
    {"1\nLattice=\"1 2 3\"\nC 0 0 0\n", "text:2: bad Lattice ('1 2 3'), expected nine finite"},
    {"1\nLattice=\"1 0 0 0 1 0 0 0 x\"\nC 0 0 0\n", "text:2: bad Lattice ('1 0 0 0 1 0 0 0 x')"},
    {"1\nLattice=\"1 0 0 0 1 0 0 0 1 1\"\nC 0 0 0\n", "text:2: bad Lattice"},
    {"1\nLattice=\"1 0 0 0 1 0 0 0 0\"\nC 0 0 0\n", "text:2: bad cell ('1 0 0 0 1 0 0 0 0'): "},
    {"1\nLattice=\"1 0 0 0\nC 0 0 0\n", "text:2: broken key or value ('Lattice'), expected key="},
    {"1\n" LATTICE "a='it''s'\nC 0 0 0\n", "text:2: broken key or value ('a')"},
    {"1\n" LATTICE "a=[1\nC 0 0 0\n", "text:2: broken key or value ('a')"},
    {"1\n" LATTICE "pbc=\"T T\"\nC 0 0 0\n", "text:2: bad pbc ('T T'), expected three of T or F"},
    {"1\npbc=\"T T T\"\nC 0 0 0\n", "text:2: pbc without a cell ('T T T'), expected Lattice"},
    {"1\nlvs 1 2 3\nC 0 0 0\n", "text:2: bad lvs ('1 2 3'), expected nine finite numbers"},
    {"1\nlvs 1 0 0 0 1 0 0 0 1 7\nC 0 0 0\n", "text:2: text behind lvs ('7'), expected nine"},
    {"1\nlvs 1 0 0 2 0 0 0 0 1\nC 0 0 0\n", "text:2: bad cell ('1 0 0 2 0 0 0 0 1'): "},
    {"1\nProperties=species:S:1\nC 0 0 0\n", "text:2: Properties without species or pos"},
    {"1\nProperties=species:S:1:pos:R:2\nC 0 0\n",
     "bad column in Properties ('pos'), expected pos:R:3"},
    {"1\nProperties=species:X:1\nC\n", "text:2: bad column type in Properties ('X'), expected S,"},
    {"1\nProperties=species:S\nC\n", "text:2: bad column width in Properties (''), expected a pos"},
    {"1\nProperties=species:S:1:pos:R:3:a:R:2000000000\nC 0 0 0 1\n", "text:3: too few columns"},
    {"1\nProperties=species:S:1:pos:R:3\nC 0 0 0 1\n", "text:3: too many columns ('1'), expected"},
    {"1\nProperties=species:S:1:pos:R:3:q:R:1\nC 0 0 0 x\n", "text:3: bad charge ('x'), expected"},
    {"1\nProperties=species:S:1:pos:R:3:formal_charge:I:1\nC 0 0 0 1.5\n",
     "bad formal charge ('1.5')"},
    {"1\nProperties=species:S:1:pos:R:3:formal_charge:I:1\nC 0 0 0 99\n",
     "text:3: bad charge ('99'): "},
    {"1\nProperties=species:S:1:pos:R:3:uff_type:S:1\nC 0 0 0 C_3456789\n",
     "bad uff_type ('C_3456789')"},
};

static const refusal bad_sdf[] = {
    {"x\n", "text:1: end of record, expected the counts line of a record"},
    {HEAD "abc\n", "text:4: unknown version ('abc'), expected V2000 or V3000"},
    {HEAD " -1  0" V2000, "text:4: bad counts line ("},
    {HEAD "1 0 0\n",
     "text:4: bad counts line ('1 0 0'), expected the numbers of atoms and bonds in"},
    {HEAD "  1  0  0  0  0  0  0  0  0  0999 V4000\n", "text:4: unknown version ('V4000')"},
    {"\n\n\n\n\nx\n", "text:6: text behind blank lines ('x')"},
    {HEAD "  2  0" V2000 ATOM, "text:5: end of record, expected the line of atom 2 of 2"},
    {HEAD "999999" V2000 ATOM, "text:5: end of record, expected the line of atom 2 of 999"},
    {HEAD "  1  1" V2000 ATOM, "text:5: end of record, expected the line of bond 1 of 1"},
    {HEAD "  1  0" V2000 ATOM, "text:5: end of record, expected 'M  END'"},
    {HEAD "  1  0" V2000 "    0.0000       nan    0.0000 C\n",
     "text:5: bad coordinate ('nan'), expected a finite number in columns 11-20"},
    {HEAD "  1  0" V2000 "0 0 0 C\n", "text:5: bad coordinate ('0 0 0 C')"},
    {HEAD "  1  0" V2000 "    0.0000    0.0000    0.0000\n", "text:5: unknown element ('')"},
    {HEAD "  1  0" V2000 "    0.0000    0.0000    0.0000", "text:5: unknown element ('')"},
    {HEAD "  1  0" V2000 "    0.0000    0.0000    0.0000 R#\n", "text:5: unknown element ('R#')"},
    {HEAD "  1  0" V2000 "    0.0000    0.0000    0.0000 C   0  9\n",
     "text:5: bad charge code ('9'), expected 0 to 7"},
    {HEAD "  1  0" V2000 ATOM ATOM "M  END\n", "text:6: no property line ("},
    {HEAD "  2  1" V2000 ATOM ATOM "  1  3  1\n",
     "text:7: no such atom ('3'), expected an atom number from 1 to 2"},
    {HEAD "  2  1" V2000 ATOM ATOM "  0  2  1\n", "text:7: no such atom ('0')"},
    {HEAD "  2  1" V2000 ATOM ATOM "  1  1  1\n", "text:7: bad bond ('1 1'), expected two atoms"},
    {HEAD "  2  2" V2000 ATOM ATOM "  1  2  1\n  2  1  2\n", "text:8: bad bond ('2 1'), expected"},
    {HEAD "  2  1" V2000 ATOM ATOM "  1  2  6\n", "text:7: bond type of a query ('6'), expected 1"},
    {HEAD "  2  1" V2000 ATOM ATOM "  1  2  0\n", "text:7: unknown bond type ('0')"},
    {HEAD "  2  1" V2000 ATOM ATOM "  1  2\n", "text:7: bad bond type ('')"},
    {HEAD "  2  1" V2000 ATOM ATOM "  1  2  1\n  1  2  1\nM  END\n", "text:8: no property line"},
    {HEAD "  1  0" V2000 ATOM "M  CHG  1   2   1\nM  END\n", "text:6: no such atom ('2')"},
    {HEAD "  1  0" V2000 ATOM "M  CHG  1   1  99\nM  END\n", "text:6: bad formal charge ('99')"},
    {HEAD "  1  0" V2000 ATOM "M  CHG  9\n", "text:6: bad count of pairs ('9'), expected 1 to 8"},
    {HEAD "  1  0" V2000 ATOM "M  CHG  1   1   1   1   1\n", "text:6: too many values ('1')"},
    {HEAD "  1  0" V2000 ATOM "M  RAD  1   1   4\n", "text:6: bad radical ('4'), expected 0, 1, 2"},
    {HEAD "  1  0" V2000 ATOM "$$$$\n", "text:6: no property line ('$$$$'), expected 'M  ...'"},
    {HEAD "  1  0" V2000 ATOM "M  END\njunk\n",
     "text:7: unexpected line ('junk'), expected '> <key>'"},
    {HEAD "  1  0" V2000 ATOM "M  END\n> <>\n", "text:7: data field without a name"},
    {HEAD "  1  0" V2000 ATOM "M  END\n> <a>\n1",
     "text:8: end of record, expected the rest of a data field"},
    {HEAD "  1  0" V2000 ATOM "M  END\n> <Lattice>\n1 2\n\n$$$$\n", "bad Lattice ('1 2')"},
    {V3000 "M  V30 COUNTS -1 0\n", "text:6: bad counts line ('COUNTS -1 0')"},
    {V3000_ATOMS("1 0") "M  V30 END ATOM\n",
     "text:8: end of the atoms ('END ATOM'), expected 1 atoms, found 0"},
    {V3000_ATOMS("0 0") "M  V30 1 C 0 0 0 0\n", "text:8: one atom too many"},
    {V3000_ATOMS("1 0") "M  V30 1 C 0 0 x 0\n", "text:8: bad coordinate ('x')"},
    {V3000_ATOMS("1 0") "M  V30 0 C 0 0 0 0\n", "text:8: bad atom index ('0')"},
    {V3000_ATOMS("1 0") "M  V30 1 [C,N] 0 0 0 0\n", "text:8: unknown element ('[C,N]')"},
    {V3000_ATOMS("1 0") "M  V30 1 C 0 0 0 0 CHG=x\n", "text:8: bad formal charge ('x')"},
    {V3000_ATOMS("1 0") "M  V30 1 C 0 0 0 0 -\n", "text:8: end of record, expected END ATOM"},
    {V3000_ATOMS("1 0") "M  V31 1 C 0 0 0 0\n", "text:8: no V3000 line ('M  V31 1 C 0 0 0 0')"},
    {V3000_ATOMS("2 0") "M  V30 3 C 0 0 0 0\nM  V30 3 C 0 0 1 0\nM  V30 END ATOM\n",
     "text:10: end of the atoms ('END ATOM'), expected each index once, found 3 twice"},
    {V3000_ATOMS("1 1") "M  V30 1 C 0 0 0 0\nM  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 1 1 2\n",
     "text:11: no such atom ('2'), expected an index of the atom block"},
    {V3000_ATOMS("1 1") "M  V30 1 C 0 0 0 0\nM  V30 END ATOM\nM  V30 END CTAB\n",
     "text:10: end of the table ('END CTAB'), expected 1 atoms and 1 bonds, found 1 and 0"},
};

static const refusal bad_mol2[] = {
    {"hello\n", "text:1: unexpected line ('hello'), expected @<TRIPOS>MOLECULE"},
    {"@<TRIPOS>MOLECULE\n", "text:1: end of record, expected the name of a molecule"},
    {"@<TRIPOS>MOLECULE\nm\nx\n", "text:3: bad counts line ('x')"},
    {"@<TRIPOS>MOLECULE\nm\n-1 0\n", "text:3: bad counts line ('-1 0')"},
    {MOL2, "text:7: end of a molecule ('m'), expected 2 atoms and 1 bonds, found 1 and 0"},
    {MOL2 "2 A 0 0 0 C.3\n3 A 0 0 0 C.3\n", "text:9: one atom too many ('3 A 0 0 0 C.3')"},
    {MOL2 "2 A 0 0 0 Du\n", "text:8: unknown atom type ('Du'), expected a SYBYL type"},
    {MOL2 "2 A 0 0 0 ca\n", "text:8: unknown atom type ('ca')"},
    {MOL2 "2 A 0 0 0 Het\n", "text:8: unknown atom type ('Het')"},
    {MOL2 "2 A 0 0 0\n", "text:8: unknown atom type ('')"},
    {MOL2 "2 A 0 nan 0 C.3\n", "text:8: bad coordinate ('nan')"},
    {MOL2 "1 A 0 0 0 C.3\n", "text:8: end of a section ('@<TRIPOS>ATOM'), expected each id once"},
    {MOL2 "2 A 1 0 0 C.3\n@<TRIPOS>BOND\n1 1 5 1\n", "text:10: no such atom ('5')"},
    {MOL2 "2 A 1 0 0 C.3\n@<TRIPOS>BOND\n1 1 2 4\n", "text:10: unknown bond type ('4')"},
    {MOL2 "2 A 1 0 0 C.3\n@<TRIPOS>BOND\n1 1 1 1\n", "text:10: bad bond ('1 1 1 1')"},
    {MOL2 "2 A 1 0 0 C.3\n@<TRIPOS>BOND\n1 1 2 1\n2 1 2 1\n", "text:11: one bond too many"},
    {MOL2 "2 A 1 0 0 C.3\n@<TRIPOS>CRYSIN\n1 1 1 90 90 180\n", "text:10: bad CRYSIN"},
    {MOL2 "2 A 1 0 0 C.3\n@<TRIPOS>CRYSIN\n1 1 1 30 30 90\n", "text:10: bad cell"},
    {MOL2 "2 A 1 0 0 C.3\n@junk\n", "text:9: unknown section ('@junk')"},
    {"@<TRIPOS>MOLECULE\nm\n1 0\nSMALL\nUSER_CHARGES\n@<TRIPOS>ATOM\n1 A 0 0 0 C.3 1 X\n",
     "text:7: bad charge (''), expected a finite number in column 9"},
};

/* Reads until it fails, in the last record. The copy has no byte to spare, so
 * that a sanitizer sees a reader that looks too far. */
static void check_refusal(const void *data, size_t size, shoal_format format, const char *want)
{
    fixture f = {0};
    char first[1024];
    void *copy = malloc(size);
    CHECK(copy != NULL);
    if (!copy) return;
    memcpy(copy, data, size);
    CHECK(shoal_molecule_create(&f.mol) == SHOAL_OK);
    CHECK(shoal_reader_open_memory(&f.reader, copy, size, "text", format) == SHOAL_OK);
    shoal_status status = SHOAL_OK;
    for (f.found = true; f.found && status == SHOAL_OK;)
        status = shoal_reader_next(f.reader, f.mol, &f.found);
    (void)snprintf(first, sizeof first, "%s", shoal_error_text());
    CHECK(status == SHOAL_E_FORMAT);
    CHECK(!f.found);
    CHECK(shoal_molecule_n_atoms(f.mol) == 0);
    CHECK(strchr(first, '\n') == NULL);
    ++check_count;
    if (!strstr(first, want)) {
        ++check_failures;
        (void)printf("found    %s\nexpected %s\n", first, want);
    }
    fixture_end(&f);
    free(copy);
}

static void check_table(const refusal *rows, size_t n, shoal_format format)
{
    for (size_t i = 0; i < n; ++i)
        check_refusal(rows[i].text, strlen(rows[i].text), format, rows[i].want);
}

static void test_junk(void)
{
    static const char zero[] = "1\nab\0c\nAr 0 0 0\n";
    check_refusal(zero, sizeof zero - 1, SHOAL_FORMAT_XYZ,
                  "text:2: binary data ('ab\\x00c'), expected text without NUL bytes");
    check_refusal(zero, sizeof zero - 1, SHOAL_FORMAT_SDF, "text:2: binary data");
    check_refusal(zero, sizeof zero - 1, SHOAL_FORMAT_MOL2, "text:1: unexpected line ('1')");
    const size_t n = 1000000;
    char *line = malloc(n);
    CHECK(line != NULL);
    if (!line) return;
    memset(line, '7', n);
    const char *want = "('7777777777777777777777777777777777777777...'), expected";
    check_refusal(line, n, SHOAL_FORMAT_XYZ, want);
    check_refusal(line, n, SHOAL_FORMAT_MOL2, want);
    memcpy(line, "1\n\nC 0 ", 7);
    check_refusal(line, n, SHOAL_FORMAT_XYZ, "text:3: bad coordinate ('7777");
    free(line);
}

static void test_opening(void)
{
    shoal_reader *reader;
    CHECK(shoal_reader_open(&reader, "no such file.xyz", SHOAL_FORMAT_AUTO) == SHOAL_E_IO);
    CHECK(reader == NULL);
    CHECK(strstr(shoal_error_text(), "no such file.xyz: cannot open: ") != NULL);
    CHECK(shoal_reader_open(&reader, SHOAL_TEST_DATA, SHOAL_FORMAT_XYZ) == SHOAL_E_IO);
    CHECK(shoal_reader_open(&reader, "molecule.pdbqt", SHOAL_FORMAT_AUTO) == SHOAL_E_IO);
    CHECK(shoal_reader_open(&reader, "-", SHOAL_FORMAT_AUTO) == SHOAL_E_ARGUMENT);
    CHECK(shoal_format_by_name("SDF") == SHOAL_FORMAT_SDF);
    CHECK(shoal_format_by_name("pdbqt") == SHOAL_FORMAT_AUTO);
}

int main(void)
{
    check_table(bad_xyz, sizeof bad_xyz / sizeof bad_xyz[0], SHOAL_FORMAT_XYZ);
    check_table(bad_sdf, sizeof bad_sdf / sizeof bad_sdf[0], SHOAL_FORMAT_SDF);
    check_table(bad_mol2, sizeof bad_mol2 / sizeof bad_mol2[0], SHOAL_FORMAT_MOL2);
    test_junk();
    test_opening();
    return check_done();
}
