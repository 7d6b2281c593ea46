/* SPDX-License-Identifier: BSD-3-Clause
 * Tables of results against the records that they were made of, and against files of results. */
#include "records_fixture.h"
#include "results/results_record.h"

static const shoal_results_what whats[] = {
    {0}, {.forces = true}, {.forces = true, .variants = true, .adsorption = true}};
enum { N_WHATS = sizeof whats / sizeof whats[0] };

static const char sdf_path[] = "test_table.sdf", h5_path[] = "test_table.h5";

/* Isotopes, stereo marks, radicals, header lines, data fields (one of them under the name of a result), a record that
 * cannot be read, one without atoms. */
static void make_odd(void)
{
    FILE *file = begin(sdf_path);
    (void)fprintf(file, "odd\n  program\na comment\n  3  2  0  0  1  0  0  0  0  0999 V2000\n"
                        "    0.0000    0.0000    0.0000 C   0  0  1\n"
                        "    1.3000    0.0000    0.0000 O   0  0\n"
                        "   -0.5000    0.9000    0.0000 H   0  0\n"
                        "  1  2  2  0\n  1  3  1  1\nM  RAD  1   1   2\nM  ISO  1   3   2\nM  END\n"
                        ">  <key>\na value\nof two lines\n\n>  <energy>\n-1.5\n\n$$$$\n");
    (void)fprintf(file, "broken\n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n"
                        "    0.0000    here      0.0000 C   0  0\nM  END\n$$$$\n");
    (void)fprintf(file, "nothing\n\n\n  0  0  0  0  0  0  0  0  0  0999 V2000\nM  END\n$$$$\n");
    CHECK(fclose(file) == 0);
}

typedef struct bytes_sink {
    shoal_results_what what;
    shoal_string *bytes;
} bytes_sink;

static shoal_status format_into(void *user, const shoal_stream_system *s, shoal_string *out)
{
    return shoal_results_format(&((bytes_sink *)user)->what, s, out);
}

static shoal_status write_into(void *user, const char *bytes, size_t n)
{
    shoal_string_put(((bytes_sink *)user)->bytes, bytes, n);
    return SHOAL_OK;
}

/* Records of several files, and the table that the same stream has filled. */
static shoal_string *run_both(shoal_job job, const shoal_results_what *what, shoal_table **table)
{
    const char *files[] = {many_path, sdf_path, more_path};
    bytes_sink user = {.what = *what};
    shoal_sink sinks[2];
    CHECK(shoal_string_create(&user.bytes) == SHOAL_OK);
    CHECK(shoal_table_create(table, what) == SHOAL_OK);
    CHECK(shoal_table_sink(*table, &sinks[0]) == SHOAL_OK);
    sinks[1] = (shoal_sink){.format = format_into, .write = write_into, .user = &user};
    const shoal_stream_options o = {.input.files = files,
                                    .input.n_files = 3,
                                    .job = job,
                                    .compute.n_threads = 2,
                                    .output.sinks = sinks,
                                    .output.n_sinks = 2};
    CHECK(shoal_stream_run(&o) == SHOAL_OK);
    return user.bytes;
}

/* Rows give back the bytes that they were made of. */
static void check_rows(const shoal_table *table, const shoal_string *bytes)
{
    const char *at = shoal_string_data(bytes);
    size_t left = shoal_string_size(bytes), size = 0;
    int64_t index, i = 0;
    shoal_string *row = NULL;
    CHECK(shoal_string_create(&row) == SHOAL_OK);
    for (; left > 0 && check_failures == 0; ++i, at += size, left -= size) {
        CHECK(shoal_results_record_index(at, left, &index, &size) == SHOAL_OK);
        shoal_string_clear(row);
        CHECK(shoal_table_record(table, i, row) == SHOAL_OK);
        CHECK(shoal_string_size(row) == size && memcmp(shoal_string_data(row), at, size) == 0);
        CHECK(((const int64_t *)find_column(table, "systems/index").data)[i] == index);
    }
    CHECK(i == shoal_table_size(table) && i == N_MANY + 6);
    CHECK(shoal_table_record(table, i, row) == SHOAL_E_ARGUMENT);
    CHECK(shoal_table_record(table, -1, row) == SHOAL_E_ARGUMENT);
    shoal_string_destroy(row);
}

/* In whatever pieces they come. */
static void check_pieces(const shoal_table *table, const shoal_string *bytes,
                         const shoal_results_what *what)
{
    const char *at = shoal_string_data(bytes);
    size_t left = shoal_string_size(bytes), size = 0;
    int64_t index;
    shoal_table *other = NULL;
    CHECK(shoal_table_create(&other, what) == SHOAL_OK);
    CHECK(shoal_table_reserve(other, 10, 100) == SHOAL_OK);
    for (; left > 0; at += size, left -= size) {
        CHECK(shoal_results_record_index(at, left, &index, &size) == SHOAL_OK);
        CHECK(shoal_table_take(other, at, size) == SHOAL_OK);
    }
    CHECK(count_unlike(table, other, "") == 0);
    shoal_table_destroy(other);
}

/* A file of the same records holds the same values. */
static void check_file(const shoal_table *table, const shoal_string *bytes,
                       const shoal_results_what *what)
{
    const char *files[] = {many_path, sdf_path, more_path};
    const shoal_results_header header = {.what = *what, .files = files, .n_files = 3};
    shoal_results *results = NULL;
    shoal_results_reader *reader = NULL;
    shoal_string *row = NULL;
    shoal_table *back = NULL;
    const shoal_status status = shoal_results_create(&results, h5_path, &header, -1);
    if (status == SHOAL_E_UNSUPPORTED) return; /* built without HDF5 */
    CHECK(status == SHOAL_OK);
    CHECK(shoal_results_write(results, shoal_string_data(bytes), shoal_string_size(bytes)) ==
          SHOAL_OK);
    CHECK(shoal_results_close(results) == SHOAL_OK);
    shoal_results_destroy(results);
    CHECK(shoal_results_open(&reader, h5_path) == SHOAL_OK);
    CHECK(shoal_string_create(&row) == SHOAL_OK);
    CHECK(shoal_table_create(&back, what) == SHOAL_OK);
    CHECK(shoal_results_n_systems(reader) == shoal_table_size(table));
    for (int64_t i = 0; i < shoal_results_n_systems(reader); ++i) {
        shoal_string_clear(row);
        CHECK(shoal_results_read(reader, i, row) == SHOAL_OK);
        CHECK(shoal_table_take(back, shoal_string_data(row), shoal_string_size(row)) == SHOAL_OK);
    }
    CHECK(count_unlike(table, back, "") == 0);
    shoal_table_destroy(back);
    shoal_string_destroy(row);
    shoal_results_reader_destroy(reader);
    (void)remove(h5_path);
}

/* --- columns ------------------------------------------------------------------------------------- */

static void check_columns(const shoal_table *table, const shoal_results_what *what)
{
    shoal_column c;
    int32_t n = 0;
    bool has_forces = false, has_variant = false, has_velocity = false;
    const int64_t *starts = find_column(table, "atoms/starts").data;
    const int32_t *natoms = find_column(table, "systems/natoms").data;
    const int64_t n_systems = shoal_table_size(table);
    for (; shoal_table_column(table, n, &c) == SHOAL_OK; ++n) {
        has_forces = has_forces || strcmp(c.name, "atoms/force") == 0;
        has_variant = has_variant || strcmp(c.name, "systems/variant") == 0;
        has_velocity = has_velocity || strcmp(c.name, "atoms/velocity") == 0;
        CHECK((c.data != NULL) == (c.n_rows > 0));
        if (strcmp(c.name, "systems/terms") == 0) CHECK(c.width == SHOAL_TERM_SIGMA_PI);
        if (strncmp(c.name, "atoms/", 6) == 0 && strcmp(c.name, "atoms/starts") != 0)
            CHECK(c.n_rows == starts[n_systems]);
    }
    CHECK(shoal_table_column(table, -1, &c) == SHOAL_E_ARGUMENT);
    CHECK(n > 40 && has_forces == what->forces && has_variant == what->variants && !has_velocity);
    CHECK(find_column(table, "atoms/starts").n_rows == n_systems + 1 && starts[0] == 0);
    for (int64_t i = 0; i < n_systems; ++i) CHECK(starts[i + 1] - starts[i] == natoms[i]);
}

/* --- molecules ----------------------------------------------------------------------------------- */

static void check_molecules(const shoal_table *table)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_table_molecule(table, 2, mol) == SHOAL_OK);
    CHECK_TEXT(shoal_molecule_name(mol), "chain2");
    const int64_t first = ((const int64_t *)find_column(table, "atoms/starts").data)[2];
    const int32_t n = shoal_molecule_n_atoms(mol);
    CHECK(n == 11 && shoal_molecule_n_bonds(mol) == 10);
    CHECK(memcmp(shoal_molecule_positions(mol), numbers(table, "atoms/position") + 3 * first,
                 (size_t)n * 3 * sizeof(double)) == 0);
    CHECK(shoal_table_molecule(table, N_MANY, mol) == SHOAL_OK);
    CHECK_TEXT(shoal_molecule_name(mol), "odd");
    CHECK_TEXT(shoal_molecule_property(mol, "key"), "a value\nof two lines");
    CHECK_TEXT(shoal_molecule_property(mol, "energy_input"), "-1.5");
    CHECK(shoal_molecule_n_properties(mol) == 2 && shoal_molecule_isotope(mol, 2) == 2);
    CHECK(shoal_table_molecule(table, N_MANY + 1, mol) == SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), "here"));
    CHECK(shoal_table_molecule(table, N_MANY + 6, mol) == SHOAL_E_ARGUMENT);
    CHECK(shoal_molecule_n_atoms(mol) == 0);
    shoal_molecule_destroy(mol);
}

/* A record of a version with a term less: the table has as many columns of energies as its first record. */
static void check_terms(const shoal_string *bytes)
{
    results_head head, fewer;
    shoal_table *table = NULL;
    shoal_string *back = NULL;
    CHECK(results_head_read(shoal_string_data(bytes), shoal_string_size(bytes), &head) == SHOAL_OK);
    fewer = head;
    --fewer.n_terms;
    results_head_finish(&fewer);
    CHECK(fewer.size + 8 == head.size);
    char *made = malloc(fewer.size), *to = made;
    const char *from = shoal_string_data(bytes) + sizeof head;
    if (!made) return;
    memcpy(to, &fewer, sizeof fewer);
    to += sizeof fewer;
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) {
        const results_column *column = &results_columns[c];
        const size_t rows = head.rows[column->axis];
        const size_t size = rows * results_row_size(column, head.flags, fewer.n_terms);
        memcpy(to, from, size);
        to += size;
        from += rows * results_row_size(column, head.flags, head.n_terms);
    }
    CHECK(to == made + fewer.size);
    CHECK(shoal_table_create(&table, NULL) == SHOAL_OK);
    CHECK(shoal_string_create(&back) == SHOAL_OK);
    CHECK(shoal_table_take(table, made, fewer.size) == SHOAL_OK);
    CHECK(find_column(table, "systems/terms").width == (int32_t)fewer.n_terms);
    CHECK(shoal_table_record(table, 0, back) == SHOAL_OK);
    CHECK(shoal_string_size(back) == fewer.size &&
          memcmp(shoal_string_data(back), made, fewer.size) == 0);
    CHECK(shoal_table_take(table, shoal_string_data(bytes), head.size) == SHOAL_E_ARGUMENT);
    shoal_string_destroy(back);
    shoal_table_destroy(table);
    free(made);
}

/* --- refusals ------------------------------------------------------------------------------------ */

/* What does not fit leaves the table as it was. */
static void test_refusals(void)
{
    shoal_table *table = NULL, *other = NULL;
    shoal_column c;
    shoal_string *bytes = run_both(SHOAL_JOB_TYPE, &whats[1], &table);
    const size_t n = shoal_string_size(bytes);
    CHECK(shoal_table_create(&other, NULL) == SHOAL_OK);
    CHECK(shoal_table_size(other) == 0 && find_column(other, "atoms/starts").n_rows == 1);
    CHECK(shoal_table_column(other, 0, &c) == SHOAL_OK && c.n_rows == 0 && !c.data);
    CHECK(shoal_table_take(other, shoal_string_data(bytes), n) == SHOAL_E_ARGUMENT);
    CHECK(shoal_table_size(other) == 0);
    const int64_t before = shoal_table_size(table);
    CHECK(shoal_table_take(table, shoal_string_data(bytes), n - 1) == SHOAL_E_FORMAT);
    CHECK(shoal_table_take(table, "no record", 9) == SHOAL_E_FORMAT);
    CHECK(shoal_table_take(table, "", 0) == SHOAL_OK);
    CHECK(shoal_table_size(table) == before);
    CHECK(shoal_table_reserve(table, -1, 0) == SHOAL_E_ARGUMENT);
    shoal_results_what what;
    shoal_table_what(table, &what);
    CHECK(what.forces && !what.variants && !what.dynamics);
    shoal_string_destroy(bytes);
    shoal_table_destroy(table);
    shoal_table_destroy(other);
}

/* --- damage -------------------------------------------------------------------------------------- */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* What is taken of bytes that may be damaged comes back as it is, and makes molecules or is refused; what is refused
 * leaves nothing. Returns whether it was taken. */
static bool take_damaged(const char *bytes, size_t n)
{
    shoal_table *table = NULL;
    shoal_molecule *mol = NULL;
    shoal_string *back = NULL;
    CHECK(shoal_table_create(&table, &whats[1]) == SHOAL_OK);
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_string_create(&back) == SHOAL_OK);
    const shoal_status status = shoal_table_take(table, bytes, n);
    CHECK(status == SHOAL_OK || status == SHOAL_E_FORMAT || status == SHOAL_E_ARGUMENT);
    CHECK((shoal_table_size(table) > 0) == (status == SHOAL_OK));
    for (int64_t i = 0; i < shoal_table_size(table); ++i) {
        CHECK(shoal_table_record(table, i, back) == SHOAL_OK);
        const shoal_status made = shoal_table_molecule(table, i, mol);
        CHECK(made == SHOAL_OK || made == SHOAL_E_FORMAT);
    }
    if (status == SHOAL_OK)
        CHECK(shoal_string_size(back) == n && memcmp(shoal_string_data(back), bytes, n) == 0);
    shoal_string_destroy(back);
    shoal_molecule_destroy(mol);
    shoal_table_destroy(table);
    return status == SHOAL_OK;
}

/* Records whose heads state other numbers of rows, and the size that follows from those. */
static void check_heads(const char *bytes, size_t n)
{
    for (int axis = 0; axis < RESULTS_N_AXES; ++axis)
        for (uint32_t more = 0; more < 3; ++more) {
            results_head head;
            memcpy(&head, bytes, sizeof head);
            if (head.rows[axis] + more < 1) continue;
            head.rows[axis] += more - 1; /* one less, as many, one more */
            results_head_finish(&head);
            char *copy = calloc(head.size, 1);
            if (!copy) continue;
            memcpy(copy, bytes, n < head.size ? n : head.size);
            memcpy(copy, &head, sizeof head);
            CHECK(take_damaged(copy, head.size) == (head.rows[RESULTS_SYSTEM] == 1));
            free(copy);
        }
}

/* Some records cut short everywhere, and with bytes that were changed: half of the time in a head. */
static void test_damage(void)
{
    enum { N_RECORDS = 5, N_ROUNDS = 4000 };
    shoal_table *table = NULL;
    shoal_string *bytes = run_both(SHOAL_JOB_TYPE, &whats[1], &table), *some = NULL;
    size_t starts[N_RECORDS + 1];
    int n_taken = 0;
    uint32_t random = 1;
    CHECK(shoal_string_create(&some) == SHOAL_OK);
    for (int k = 0; k < N_RECORDS; ++k) {
        starts[k] = shoal_string_size(some);
        CHECK(shoal_table_record(table, N_MANY - 2 + k, some) == SHOAL_OK);
    }
    const size_t n = starts[N_RECORDS] = shoal_string_size(some);
    for (size_t size = 1; size <= n; ++size) {
        char *copy = malloc(size); /* no byte more */
        if (!copy) break;
        memcpy(copy, shoal_string_data(some), size);
        n_taken += take_damaged(copy, size);
        free(copy);
    }
    CHECK(n_taken == N_RECORDS);
    for (int k = 0; k < N_RECORDS; ++k)
        check_heads(shoal_string_data(some) + starts[k], starts[k + 1] - starts[k]);
    char *copy = malloc(n);
    for (int round = 0; copy && round < N_ROUNDS; ++round) {
        memcpy(copy, shoal_string_data(some), n);
        for (uint32_t left = 1 + next_random(&random) % 3; left > 0; --left) {
            const size_t head = starts[next_random(&random) % N_RECORDS];
            const size_t at =
                round % 2 ? next_random(&random) % n : head + next_random(&random) % 56;
            copy[at] = (char)(round % 4 < 2 ? (int)(next_random(&random) % 256) : copy[at] + 1);
        }
        n_taken += take_damaged(copy, n);
    }
    CHECK(n_taken > N_RECORDS + N_ROUNDS / 8);
    free(copy);
    shoal_string_destroy(some);
    shoal_string_destroy(bytes);
    shoal_table_destroy(table);
}

int main(void)
{
    make_files("test_table");
    make_odd();
    for (int k = 0; k < N_WHATS; ++k)
        for (int job = SHOAL_JOB_READ; job <= SHOAL_JOB_RELAX; ++job) {
            shoal_table *table = NULL;
            shoal_string *bytes = run_both((shoal_job)job, &whats[k], &table);
            check_rows(table, bytes);
            check_pieces(table, bytes, &whats[k]);
            check_columns(table, &whats[k]);
            if (k == 0) check_terms(bytes);
            if (job == SHOAL_JOB_RELAX) {
                check_file(table, bytes, &whats[k]);
                check_molecules(table);
            }
            shoal_string_destroy(bytes);
            shoal_table_destroy(table);
        }
    test_refusals();
    test_damage();
    remove_files();
    (void)remove(sdf_path);
    return check_done();
}
