/* SPDX-License-Identifier: BSD-3-Clause
 * Selections: what texts mean, what is refused, atoms that a molecule lacks, and streams that hold and type by them. */
#include <stdlib.h>

#include "chem/selection.h"
#include "chem_fixture.h"

/* C0 H1 H2 O3 H4 at heights 0, 1, -1, 2, 3. */
static shoal_molecule *five(void)
{
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "C", 0, 0, 0);
    chem_atom(mol, "H", 1, 0, 1);
    chem_atom(mol, "H", 2, 0, -1);
    chem_atom(mol, "O", 3, 0, 2);
    chem_atom(mol, "H", 4, 0, 3);
    return mol;
}

/* The atoms as a text of 0 and 1; "refused" where the text is none. */
static const char *atoms_of(const char *text, const shoal_molecule *mol)
{
    static char found[16];
    shoal_selection *s = NULL;
    bool chosen[5] = {false};
    if (shoal_selection_create(&s, text) != SHOAL_OK) return "refused";
    CHECK_TEXT(shoal_selection_text(s), text);
    CHECK(shoal_selection_apply(s, mol, chosen) == SHOAL_OK);
    int32_t n = 0;
    for (int i = 0; i < 5; ++i) {
        found[i] = chosen[i] ? '1' : '0';
        n += chosen[i];
    }
    found[5] = '\0';
    CHECK(shoal_selection_count(s) == n);
    CHECK(shoal_selection_apply(s, mol, chosen) == SHOAL_OK);
    CHECK(shoal_selection_count(s) == 2 * n);
    shoal_selection_destroy(s);
    return found;
}

static void test_meaning(void)
{
    static const char *const cases[][2] = {
        {"0", "10000"},
        {"1-3", "01110"},
        {"3-", "00011"},
        {"9-", "00000"},
        {"0,4", "10001"},
        {"all", "11111"},
        {"!all", "00000"},
        {"element:H", "01101"},
        {"element:h", "01101"},
        {"!element:H", "10010"},
        {"below:0", "00100"},
        {"above:0", "01011"},
        {"above:-0.5&below:2", "11000"},
        {"element:H&above:0", "01001"},
        {"element:H&above:0,3", "01011"},
        {"0,element:H&!4", "11100"},
        {"element:H&0-1,element:O&0-1,4", "01001"},
        {" 1 - 2 , element: O ", "01110"},
        {"below:1e1", "11111"},
        {"element:Fe", "00000"},
    };
    static const char *const wrong[] = {"",
                                        ",",
                                        "1,",
                                        "-1",
                                        "3-1",
                                        "1.5",
                                        "C",
                                        "element:",
                                        "below:",
                                        "below:x",
                                        "above:nan",
                                        "elements:H",
                                        "0&",
                                        "0 1",
                                        "element:Xx",
                                        "!",
                                        "element:Carbon",
                                        "99999999999",
                                        "1-2-3",
                                        "below:inf"};
    shoal_molecule *mol = five();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
        CHECK_TEXT(atoms_of(cases[k][0], mol), cases[k][1]);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k)
        CHECK_TEXT(atoms_of(wrong[k], mol), "refused");
    shoal_molecule_destroy(mol);
}

static int32_t missing_of(const char *text, int32_t n_atoms)
{
    shoal_selection *s = NULL;
    CHECK(shoal_selection_create(&s, text) == SHOAL_OK);
    shoal_span what;
    const int32_t found = selection_missing(s, n_atoms, &what);
    shoal_selection_destroy(s);
    return found;
}

static void test_missing(void)
{
    CHECK(missing_of("2", 3) == -1);
    CHECK(missing_of("3", 3) == 3);
    CHECK(missing_of("7", 3) == 7);
    CHECK(missing_of("1-10", 3) == 3);
    CHECK(missing_of("0,5-6", 3) == 5);
    CHECK(missing_of("0-,element:H,below:3,all", 1) == -1);
    CHECK(missing_of("5-", 3) == -1);
    CHECK(missing_of("!4", 3) == 4);
}

/* --- streams ------------------------------------------------------------------------------------- */

#define PATH "test_selection.xyz"

/* Two molecules of unlike size, the second higher. */
static void put_file(void)
{
    FILE *file = fopen(PATH, "w");
    CHECK(file != NULL);
    if (!file) return;
    (void)fprintf(file, "3\nwater\nO 0 0 0\nH 0.9 0 0.5\nH -0.9 0 0.5\n");
    (void)fprintf(file, "5\nmethane\nC 0 0 2\nH 0.6 0.6 2.7\nH 0.6 -0.6 1.3\nH -0.6 0.6 1.3\n"
                        "H -0.6 -0.6 2.7\n");
    (void)fclose(file);
}

typedef struct seen {
    int n;
    char moved[2][8]; /* 0 or 1 by atom */
    char types[2][64];
    char reason[2][160];
    shoal_molecule *before[2];
} seen;

static shoal_status look(void *user, const shoal_stream_system *systems, int32_t n)
{
    seen *s = user;
    for (int32_t k = 0; k < n && s->n < 2; ++k, ++s->n) {
        const shoal_stream_system *one = &systems[k];
        shoal_topology_view v;
        shoal_topology_get(one->topology, &v);
        (void)snprintf(s->reason[s->n], sizeof s->reason[0], "%s", one->result.reason);
        for (int32_t i = 0; i < v.n_atoms; ++i) {
            const double *a = shoal_molecule_positions(one->mol)[i];
            const double *b = shoal_molecule_positions(s->before[s->n])[i];
            s->moved[s->n][i] = memcmp(a, b, 3 * sizeof *a) != 0 ? '1' : '0';
            const size_t used = strlen(s->types[s->n]);
            if (v.types && v.types[i])
                (void)snprintf(s->types[s->n] + used, 64 - used, "%s ", v.types[i]);
        }
    }
    return SHOAL_OK;
}

static void read_before(seen *s)
{
    shoal_reader *reader = NULL;
    bool found = false;
    CHECK(shoal_reader_open(&reader, PATH, SHOAL_FORMAT_XYZ) == SHOAL_OK);
    for (int k = 0; k < 2; ++k) {
        s->before[k] = chem_new();
        CHECK(shoal_reader_next(reader, s->before[k], &found) == SHOAL_OK && found);
    }
    shoal_reader_destroy(reader);
}

static seen run_stream(shoal_job job, const char *fix, const char *where, const char *label)
{
    static const char *const files[] = {PATH};
    seen s = {0};
    shoal_selection *fixed = NULL;
    shoal_type_override type = {0};
    shoal_stream_options o = {.input.files = files,
                              .input.n_files = 1,
                              .job = job,
                              .compute.n_threads = 2,
                              .output.visit = look,
                              .output.user = &s};
    read_before(&s);
    if (fix) CHECK(shoal_selection_create(&fixed, fix) == SHOAL_OK);
    if (where) CHECK(shoal_selection_create(&type.where, where) == SHOAL_OK);
    if (label) (void)snprintf(type.label, sizeof type.label, "%s", label);
    o.constraints.fix = &fixed;
    o.constraints.n_fix = fix != NULL;
    o.typing.types = &type;
    o.typing.n_types = where != NULL;
    CHECK(shoal_stream_run(&o) == SHOAL_OK);
    CHECK(s.n == 2);
    shoal_selection_destroy(fixed);
    shoal_selection_destroy(type.where);
    for (int k = 0; k < 2; ++k) shoal_molecule_destroy(s.before[k]);
    return s;
}

static void test_streams(void)
{
    put_file();
    seen s = run_stream(SHOAL_JOB_RELAX, "element:H", NULL, NULL);
    CHECK_TEXT(s.moved[0], "100");
    CHECK(strcmp(s.moved[1], "11111") != 0 && strncmp(s.moved[1] + 1, "0000", 4) == 0);
    s = run_stream(SHOAL_JOB_RELAX, "below:1.5", NULL, NULL);
    CHECK_TEXT(s.moved[0], "000");
    CHECK_TEXT(s.moved[1], "11001");
    s = run_stream(SHOAL_JOB_RELAX, "0-3", NULL, NULL);
    CHECK_TEXT(s.reason[0], "fix 0-3 names atom 3, the system has 3 atoms");
    CHECK_TEXT(s.moved[1], "00001");
    s = run_stream(SHOAL_JOB_TYPE, NULL, "element:O", "O_2");
    CHECK_TEXT(s.types[0], "O_2 H_ H_ ");
    CHECK_TEXT(s.types[1], "C_3 H_ H_ H_ H_ ");
    s = run_stream(SHOAL_JOB_TYPE, NULL, "3-4", "H_");
    CHECK_TEXT(s.reason[0], "type 3-4=H_ names atom 3, the system has 3 atoms");
    CHECK_TEXT(s.reason[1], "");
    (void)remove(PATH);
}

int main(void)
{
    test_meaning();
    test_missing();
    test_streams();
    return check_done();
}
