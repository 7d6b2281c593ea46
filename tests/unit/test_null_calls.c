/* SPDX-License-Identifier: BSD-3-Clause
 * Every public function with NULL for each pointer alone and for all of them: none crashes, and those that
 * return a status say SHOAL_E_ARGUMENT with a text, unless their header allows NULL there.
 *
 * The calls are written by tools/make_null_calls.py from the headers, so that none is missing; each
 * runs in a child of its own. A new type that only the library makes needs a given_TYPE() here. */
#include <dirent.h>
#include <signal.h>
#include <stdalign.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fit_fixture.h"
#include "grid_fixture.h"
#include "shoal/shoal.h"
#include "water_fixture.h"

enum { MAX_POINTERS = 8, MEMORY_BYTES = 1 << 16, EXIT_NO_TEXT = 64, SECONDS = 120 };

typedef struct null_call {
    const char *name;
    shoal_status (*call)(unsigned null); /* bit p: the p-th pointer is NULL */
    bool returns_status;
    int n_pointers;
    const char *names[MAX_POINTERS];
} null_call;

/* Where headers allow NULL. */
static const char *const optional[] = {
    "shoal_pair_model_write.comment",
    "shoal_batch_add_interaction.options",
    "shoal_cache_folder.path",
    "shoal_certificate_create.forcefield",
    "shoal_grid_choose.device",
    "shoal_device_check.device", /* "cpu" */
    "shoal_device_resolve.device",
    "shoal_doctor_run.worst",
    "shoal_bands_find.engine",
    "shoal_bands_find.options",
    "shoal_bands_find.monitor",
    "shoal_bands_find.user",
    "shoal_bands_judge.engine",
    "shoal_bonded_fit_create.options",
    "shoal_bonded_fit_objective.gradient",
    "shoal_bonded_fit_energies.energy",
    "shoal_bonded_fit_energies.reference",
    "shoal_tip_scan.engine",
    "shoal_tip_scan.monitor",
    "shoal_tip_scan.user",
    "shoal_tip_shifts.out",
    "shoal_tip_block_write.oscillator",
    "shoal_tip_plot.oscillator",
    "shoal_engine_create.options",
    "shoal_engine_plan.options",
    "shoal_engine_relax.options",
    "shoal_engine_relax.monitor",
    "shoal_engine_relax.user",
    "shoal_engine_md.options",
    "shoal_engine_md.monitor",
    "shoal_engine_md.user",
    "shoal_engine_explain.user",
    "shoal_modes_find.masses",
    "shoal_modes_find.engine",
    "shoal_modes_find.options",
    "shoal_dataset_check_labels.list", /* of no capacity */
    "shoal_fit_create.options",
    "shoal_fit_create_fixed.options",
    "shoal_fit_create_memory.options",
    "shoal_ff_table_read_memory.data", /* of no bytes */
    "shoal_fit_objective.gradient",
    "shoal_fit_start_from.n_taken",
    "shoal_reader_open_with.options",
    "shoal_topology_read_memory.data", /* of no bytes */
    "shoal_topology_set_model.hbonds",
    "shoal_fit_run.options",
    "shoal_fit_cross_validate.options",
    "shoal_fit_bootstrap.options",
    "shoal_fit_check_derivative.options",
    "shoal_fit_json_result.cv",
    "shoal_fit_plot.cv",
    "shoal_fit_set_errors.cv",
    "shoal_fit_write_samples.cv",
    "shoal_grid_build.options",
    "shoal_grid_estimate.options",
    "shoal_grid_check.samples",
    "shoal_grid_read.surface",
    "shoal_mesh_read.options",
    "shoal_frame_format.frame",
    "shoal_results_csv.what",
    "shoal_results_csv.files", /* of none */
    "shoal_results_csv_record.what",
    "shoal_results_csv_record.files",
    "shoal_writer_put.frame",
    "shoal_molecule_add_atoms.z", /* of no atoms */
    "shoal_molecule_add_atoms.pos",
    "shoal_molecule_add_bond.shift",
    "shoal_molecule_add_bonds.bonds", /* of none */
    "shoal_molecule_perceive.options",
    "shoal_molecule_add_hydrogens.n_added",
    "shoal_molecule_equilibrate.options",
    "shoal_molecule_drop_solvent.options",
    "shoal_molecule_drop_solvent.n_dropped",
    "shoal_run_output_choose.format",
    "shoal_run_output_write.header",
    "shoal_search_take.journal",
    "shoal_table_create.what",
    "shoal_surface_create.options",
    "shoal_topology_begin.elements", /* of no atoms */
    "shoal_slab_build.options",
    "shoal_topology_create.options",
    "shoal_placement_apply.surface",
    "shoal_molecule_set_velocities.velocities", /* takes them away */
    "shoal_scan_locate.values",
    "shoal_scan_locate.place",
    "shoal_scan_minima.out", /* of which none are wanted */
    "shoal_scan_maxima.out",
};
enum { N_OPTIONAL = sizeof optional / sizeof optional[0] };

static char directory[] = "test_null_calls_XXXXXX";

/* --- valid arguments, made in the child ----------------------------------------------------------- */

static inline void *given_memory(const char *type, int slot)
{
    static alignas(64) unsigned char memory[MAX_POINTERS][MEMORY_BYTES];
    static const shoal_slab_options small = {.size = {1, 1}, .layers = 1};
    static const shoal_fit_run_options short_run = {.max_steps = 2};
    static const shoal_cv_options short_cv = {.n_folds = 2, .run = {.max_steps = 1}};
    void *out = memory[slot];
    if (strcmp(type, "shoal_slab_options") == 0) memcpy(out, &small, sizeof small);
    if (strcmp(type, "shoal_fit_run_options") == 0) memcpy(out, &short_run, sizeof short_run);
    if (strcmp(type, "shoal_cv_options") == 0) memcpy(out, &short_cv, sizeof short_cv);
    return out;
}

static inline const char *given_path(void)
{
    static char path[sizeof directory + 16];
    (void)snprintf(path, sizeof path, "%s/file.xyz", directory);
    return path;
}

static inline const char *given_text(const char *parameter)
{
    if (strcmp(parameter, "device") == 0) return "cpu";
    if (strcmp(parameter, "evaluator") == 0) return "pairs";
    if (strcmp(parameter, "dofs_text") == 0) return fixture_dofs;
    return "x";
}

static inline void use_text(const char *text)
{
    if (text && strlen(text) > 1000000) abort();
}

static inline shoal_molecule *given_shoal_molecule(void)
{
    return make_water();
}

static inline shoal_bench *given_shoal_bench(void)
{
    static const shoal_engine_options engine = {.device = "cpu"};
    static const shoal_bench_options options = {.engine = &engine, .systems = 1, .steps = 1};
    shoal_bench *bench = NULL;
    CHECK(shoal_bench_create(&bench, "formic_acid", &options) == SHOAL_OK);
    return bench;
}

static inline shoal_planner *given_shoal_planner(void)
{
    static const shoal_engine_options engine = {.device = "cpu"};
    shoal_planner *planner = NULL;
    CHECK(shoal_planner_create(&planner, &engine, false, 1) == SHOAL_OK);
    return planner;
}

static inline shoal_check *given_shoal_check(void)
{
    static const shoal_engine_options engine = {.device = "cpu"};
    static const shoal_stream_options stream = {.job = SHOAL_JOB_TYPE, .compute.engine = &engine};
    static const shoal_check_options options = {.tolerance = -1};
    shoal_check *check = NULL;
    CHECK(shoal_check_create(&check, &stream, &options) == SHOAL_OK);
    return check;
}

static inline shoal_string *given_shoal_string(void)
{
    shoal_string *text = NULL;
    CHECK(shoal_string_create(&text) == SHOAL_OK);
    return text;
}

static inline shoal_reader *given_shoal_reader(void)
{
    static const char text[] = "1\n\nAr 0 0 0\n";
    shoal_reader *reader = NULL;
    CHECK(shoal_reader_open_memory(&reader, text, strlen(text), "text", SHOAL_FORMAT_XYZ) ==
          SHOAL_OK);
    return reader;
}

static inline shoal_writer *given_shoal_writer(void)
{
    shoal_writer *writer = NULL;
    CHECK(shoal_writer_open(&writer, given_path(), SHOAL_FORMAT_XYZ) == SHOAL_OK);
    return writer;
}

static inline shoal_atom_types *given_shoal_atom_types(void)
{
    shoal_atom_types *types = NULL;
    CHECK(shoal_atom_types_read_memory(&types, fixture_types, strlen(fixture_types), "types") ==
          SHOAL_OK);
    return types;
}

static inline shoal_pair_model *given_shoal_pair_model(void)
{
    shoal_pair_model *model = NULL;
    CHECK(shoal_pair_model_read_memory(&model, fixture_types, strlen(fixture_types), "types") ==
          SHOAL_OK);
    return model;
}

static inline shoal_ff_table *given_shoal_ff_table(void)
{
    static const char row[] = "atom C_3 3.851 0.004553\n";
    shoal_ff_table *table = NULL;
    CHECK(shoal_ff_table_read_memory(&table, row, sizeof row - 1, "table") == SHOAL_OK);
    return table;
}

static inline shoal_dataset *given_shoal_dataset(void)
{
    return fixture_data(2, 0.0);
}

static inline shoal_fit *given_shoal_fit(void)
{
    static const shoal_fit_options options = {.n_threads = 1};
    shoal_fit *fit = NULL;
    CHECK(shoal_fit_create_memory(&fit, fixture_data(2, 0.0), fixture_dofs, "dofs", &options) ==
          SHOAL_OK);
    return fit;
}

static inline shoal_bonded_fit *given_shoal_bonded_fit(void)
{
    static const char peroxide[] =
        "4\nProperties=species:S:1:pos:R:3 energy=0.1\nO 0 0.73 -0.05\nO 0 -0.73 -0.05\n"
        "H 0.8 0.9 0.4\nH -0.8 -0.9 0.4\n";
    shoal_bonded_fit *fit = NULL;
    CHECK(shoal_bonded_fit_create(&fit, NULL) == SHOAL_OK);
    CHECK(shoal_bonded_fit_add_memory(fit, peroxide, sizeof peroxide - 1, "peroxide") == SHOAL_OK);
    return fit;
}

static inline shoal_topology *given_shoal_topology(void)
{
    shoal_topology *topology = NULL;
    CHECK(shoal_topology_create(&topology, given_shoal_molecule(), NULL) == SHOAL_OK);
    return topology;
}

static inline shoal_topology_builder *given_shoal_topology_builder(void)
{
    static const int32_t elements[4] = {6, 6, 6, 6};
    shoal_topology_builder *builder = NULL;
    CHECK(shoal_topology_begin(&builder, 4, elements) == SHOAL_OK);
    return builder;
}

static inline shoal_batch *given_shoal_batch(void)
{
    shoal_batch *batch = NULL;
    const shoal_system system = {.topology = given_shoal_topology(),
                                 .pos = shoal_molecule_positions(given_shoal_molecule())};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    return batch;
}

static inline shoal_engine *given_shoal_engine(void)
{
    static const shoal_engine_options options = {.n_threads = 1};
    shoal_engine *engine = NULL;
    CHECK(shoal_engine_create(&engine, given_shoal_batch(), &options) == SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    return engine;
}

static inline shoal_surface *given_shoal_surface(void)
{
    return make_salt(1);
}

static inline shoal_grid *given_shoal_grid(void)
{
    return make_grid(make_salt(1), 0.5, false);
}

static inline shoal_mesh *given_shoal_mesh(void)
{
    static const int32_t shape[3] = {6, 6, 6};
    static const double values[216];
    static const shoal_mesh_options options = {.cell = {{3, 0, 0}, {0, 3, 0}, {0, 0, 9}}};
    shoal_mesh *mesh = NULL;
    CHECK(shoal_mesh_create(&mesh, "zero", shape, values, &options) == SHOAL_OK);
    return mesh;
}

static inline shoal_certificate *given_shoal_certificate(void)
{
    static const shoal_stream_options stream;
    shoal_certificate *certificate = NULL;
    CHECK(shoal_certificate_create(&certificate, &stream, NULL) == SHOAL_OK);
    return certificate;
}

/* NULL in a build without HDF5. */
static inline shoal_search *given_shoal_search(void)
{
    shoal_search *search = NULL;
    CHECK(shoal_search_create(&search, &(shoal_search_options){.starts = 2}) == SHOAL_OK);
    return search;
}

static inline shoal_results *given_shoal_results(void)
{
    static const shoal_results_header header = {.program = "x"};
    shoal_results *results = NULL;
    (void)shoal_results_create(&results, given_path(), &header, -1);
    return results;
}

static inline shoal_results_reader *given_shoal_results_reader(void)
{
    shoal_results_reader *reader = NULL;
    shoal_results_destroy(given_shoal_results());
    (void)shoal_results_open(&reader, given_path());
    return reader;
}

static inline shoal_table *given_shoal_table(void)
{
    shoal_table *table = NULL;
    CHECK(shoal_table_create(&table, NULL) == SHOAL_OK);
    return table;
}

static inline shoal_selection *given_shoal_selection(void)
{
    shoal_selection *selection = NULL;
    CHECK(shoal_selection_create(&selection, "0-1,element:H") == SHOAL_OK);
    return selection;
}

static inline shoal_modes_result *given_shoal_modes_result(void)
{
    shoal_modes_result *result = NULL;
    const shoal_system system = {.topology = given_shoal_topology(),
                                 .pos = shoal_molecule_positions(given_shoal_molecule())};
    CHECK(shoal_modes_find(&result, &system, NULL, NULL, NULL) == SHOAL_OK);
    return result;
}

static inline shoal_scan *given_shoal_scan(void)
{
    shoal_scan *scan = NULL;
    const shoal_coordinate c = {.kind = SHOAL_COORDINATE_DISTANCE, .from = 1, .to = 2, .n = 3};
    const shoal_scan_options options = {.coordinates = &c, .n_coordinates = 1};
    CHECK(shoal_scan_create(&scan, &options) == SHOAL_OK);
    return scan;
}

static inline shoal_bands *given_shoal_bands(void)
{
    shoal_bands *bands = NULL;
    const double(*pos)[3] = shoal_molecule_positions(given_shoal_molecule());
    const shoal_band band = {.topology = given_shoal_topology(), .first = pos, .last = pos};
    const shoal_band_options options = {.n_images = 1, .max_steps = 1};
    CHECK(shoal_bands_find(&bands, &band, 1, NULL, &options, NULL, NULL) == SHOAL_OK);
    return bands;
}

static inline shoal_tip_block *given_shoal_tip_block(void)
{
    shoal_tip_block *block = NULL;
    const shoal_system system = {.topology = given_shoal_topology(),
                                 .pos = shoal_molecule_positions(given_shoal_molecule())};
    const shoal_tip_options options = {.n = {2, 2, 4}, .origin = {0, 0, 9}, .step = {1, 1, 1}};
    CHECK(shoal_tip_scan(&block, &system, &system, NULL, &options, NULL, NULL) == SHOAL_OK);
    return block;
}

static inline shoal_scan_summary *given_shoal_scan_summary(void)
{
    shoal_scan_summary *summary = NULL;
    CHECK(shoal_scan_summary_create(&summary, given_shoal_scan(),
                                    &(shoal_scan_summary_options){0}) == SHOAL_OK);
    return summary;
}

static inline bool given_shoal_monitor(void *user, const shoal_progress *progress)
{
    return (void)user, progress != NULL;
}

static inline shoal_status given_shoal_output_entry(void *user, int64_t i, shoal_string *out)
{
    (void)user;
    (void)i;
    (void)out;
    return SHOAL_OK;
}

static inline void given_shoal_term_visitor(void *user, const shoal_term_row *row)
{
    (void)user;
    (void)row;
}

#include "null_calls.inc"

/* --- the calls ------------------------------------------------------------------------------------ */

static bool is_optional(const null_call *c, int pointer)
{
    char name[128];
    (void)snprintf(name, sizeof name, "%s.%s", c->name, c->names[pointer]);
    for (int i = 0; i < N_OPTIONAL; ++i)
        if (strcmp(optional[i], name) == 0) return true;
    return false;
}

/* Minus the status of a call with these pointers NULL, EXIT_NO_TEXT for a failure without a text, or minus
 * the signal that ended it. */
static int run(const null_call *c, unsigned null)
{
    int how = 0;
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(SECONDS);
        check_failures = 0;
        const shoal_status status = c->call(null);
        const bool silent = status != SHOAL_OK && !shoal_error_text()[0];
        if (check_failures) (void)fflush(stdout);
        _exit(check_failures || silent ? EXIT_NO_TEXT : -(int)status);
    }
    if (child < 0 || waitpid(child, &how, 0) != child) return EXIT_NO_TEXT;
    return WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
}

/* Whether the outcome of a call with these pointers NULL is as it should be. */
static bool as_expected(const null_call *c, unsigned null, int outcome, int without)
{
    bool needed = false;
    for (int p = 0; p < c->n_pointers; ++p)
        needed = needed || ((null >> p & 1u) && !is_optional(c, p));
    /* Memory does not run out here, but a sanitizer ends with the same 1. */
    if (outcome < 0 || outcome == EXIT_NO_TEXT || outcome == -SHOAL_E_MEMORY) return false;
    if (!c->returns_status) return outcome == 0;
    if (null == 0) return true;
    if (needed) return outcome == -SHOAL_E_ARGUMENT;
    return outcome != -SHOAL_E_ARGUMENT || without == -SHOAL_E_ARGUMENT;
}

static void check_call(const null_call *c, unsigned null, int outcome, int without)
{
    const bool good = as_expected(c, null, outcome, without);
    CHECK(good);
    if (good) return;
    (void)printf("  %s with NULL for", c->name);
    for (int p = 0; p < c->n_pointers; ++p)
        if (null >> p & 1u) (void)printf(" %s", c->names[p]);
    if (null == 0) (void)printf(" nothing");
    if (outcome < 0)
        (void)printf(": %s\n", strsignal(-outcome));
    else
        (void)printf(": status %d%s\n", -outcome, outcome == EXIT_NO_TEXT ? " (no text)" : "");
}

static void test_function(const null_call *c)
{
    const unsigned all = (1u << c->n_pointers) - 1u;
    const int without = run(c, 0);
    check_call(c, 0, without, without);
    for (int p = 0; p < c->n_pointers; ++p) check_call(c, 1u << p, run(c, 1u << p), without);
    if (c->n_pointers > 1) check_call(c, all, run(c, all), without);
}

/* An entry of optional[] that names nothing would excuse nothing, or the wrong thing. */
static void test_optional_names(void)
{
    const size_t n = sizeof calls / sizeof calls[0];
    int found = 0;
    for (size_t i = 0; i < n; ++i)
        for (int p = 0; p < calls[i].n_pointers; ++p) found += is_optional(&calls[i], p);
    CHECK(found == N_OPTIONAL);
}

static void remove_directory(void)
{
    char path[512];
    DIR *list = opendir(directory);
    for (struct dirent *e; list && (e = readdir(list));) {
        (void)snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
        (void)unlink(path);
    }
    if (list) (void)closedir(list);
    (void)rmdir(directory);
}

/* Without arguments all functions, otherwise those named. */
int main(int argc, char **argv)
{
    const size_t n = sizeof calls / sizeof calls[0];
    if (!mkdtemp(directory)) return 1;
    test_optional_names();
    for (size_t i = 0; i < n; ++i) {
        bool wanted = argc < 2;
        for (int a = 1; a < argc; ++a) wanted = wanted || strcmp(argv[a], calls[i].name) == 0;
        if (wanted) test_function(&calls[i]);
    }
    remove_directory();
    (void)printf("%zu functions\n", n);
    return check_done();
}
