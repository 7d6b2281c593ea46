/* SPDX-License-Identifier: BSD-3-Clause
 * Energies of molecules without their surface, once per record, and what files say of that and of variants. */
#include "stream_fixture.h"
#include "surface_fixture.h"

enum { N_RECORDS = 9, N_VARIANTS = 7 };
static const shoal_placement lifted = {.height = 3};
static const char few_path[] = "test_stream_adsorption_few.xyz";

typedef struct seen {
    double energy[N_RECORDS * N_VARIANTS], isolated[N_RECORDS * N_VARIANTS];
    int64_t n, n_evaluations;
} seen;

static shoal_status look(void *user, const shoal_stream_system *systems, int32_t n)
{
    seen *out = user;
    for (int32_t i = 0; i < n; ++i) {
        const int64_t at = systems[i].index;
        if (at < 0 || at >= N_RECORDS * N_VARIANTS) return SHOAL_E_ARGUMENT;
        out->energy[at] = systems[i].result.energy;
        out->isolated[at] = systems[i].isolated_energy;
    }
    out->n += n;
    return SHOAL_OK;
}

static bool count(void *user, const shoal_stream_progress *p)
{
    ((seen *)user)->n_evaluations = p->n_evaluations;
    return true;
}

static shoal_status run_on(shoal_stream_options o, seen *out)
{
    static const char *const files[] = {few_path};
    *out = (seen){0};
    o.input.files = files;
    o.input.n_files = 1;
    o.output.visit = look;
    o.output.monitor = count;
    o.output.user = out;
    return shoal_stream_run(&o);
}

static shoal_status lift(void *user, const shoal_stream_system *s,
                         const shoal_stream_system *earlier, int32_t n_earlier, double (*pos)[3],
                         shoal_restraint *restraints)
{
    (void)user;
    (void)earlier;
    (void)n_earlier;
    (void)restraints;
    for (int32_t i = 0; i < shoal_molecule_n_atoms(s->mol); ++i)
        pos[i][2] += 0.1 * (double)s->variant;
    return SHOAL_OK;
}

/* What molecules have alone is what a stream without a surface finds, whatever else is done with them. */
static void test_alone(shoal_surface *surface)
{
    const shoal_engine_options bare = {.device = "cpu"}, on = {.device = "cpu", .surface = surface};
    const shoal_relax_options relax = {.max_steps = 400};
    const int32_t fixed[] = {0};
    shoal_variants v = {.n = N_VARIANTS, .make = lift};
    static seen alone, plain, with;
    shoal_stream_options o = {
        .job = SHOAL_JOB_RELAX, .compute.engine = &bare, .compute.relax = &relax};
    CHECK(run_on(o, &alone) == SHOAL_OK && alone.n == N_RECORDS);
    for (int64_t i = 0; i < N_RECORDS; ++i) CHECK(isnan(alone.isolated[i]));
    o.compute.engine = &on;
    o.build.placement = &lifted;
    o.constraints.fixed = fixed;
    o.constraints.n_fixed = 1;
    for (int k = 0; k < 12; ++k) {
        o.job = k % 2 ? SHOAL_JOB_RELAX : SHOAL_JOB_ENERGY;
        o.build.variants = k < 2 ? NULL : &v;
        v.series = k / 4 == 1 ? N_VARIANTS : 0;
        o.compute.n_threads = 1 + k % 3;
        o.compute.slice_systems = k < 6 ? 0 : 2;
        o.compute.adsorption = false;
        CHECK(run_on(o, &plain) == SHOAL_OK && isnan(plain.isolated[0]));
        o.compute.adsorption = true;
        CHECK(run_on(o, &with) == SHOAL_OK && with.n == plain.n);
        CHECK(with.n == (k < 2 ? N_RECORDS : N_RECORDS * N_VARIANTS));
        const int64_t n_each = with.n / N_RECORDS;
        for (int64_t i = 0; i < with.n; ++i) {
            CHECK(with.isolated[i] == alone.energy[i / n_each]);
            CHECK(with.energy[i] == plain.energy[i]);
        }
        /* Once per record: blocks know what others have found, unless they look at the same time. */
        CHECK(with.n_evaluations > plain.n_evaluations);
        CHECK(o.compute.n_threads > 1 ||
              with.n_evaluations - plain.n_evaluations == alone.n_evaluations);
    }
}

/* One that does not get there has none, and without a surface nobody is asked. */
static void test_none(shoal_surface *surface)
{
    const shoal_engine_options on = {.device = "cpu", .surface = surface};
    const shoal_relax_options relax = {.max_steps = 2};
    static seen r;
    shoal_stream_options o = {.job = SHOAL_JOB_ENERGY,
                              .compute.engine = &on,
                              .compute.relax = &relax,
                              .build.placement = &lifted,
                              .compute.adsorption = true};
    CHECK(run_on(o, &r) == SHOAL_OK && r.n == N_RECORDS);
    for (int64_t i = 0; i < N_RECORDS; ++i) CHECK(isnan(r.isolated[i]) && isfinite(r.energy[i]));
    o.job = SHOAL_JOB_TYPE;
    CHECK(run_on(o, &r) == SHOAL_E_ARGUMENT);
    o.job = SHOAL_JOB_ENERGY;
    o.compute.engine = NULL;
    CHECK(run_on(o, &r) == SHOAL_E_ARGUMENT && strstr(shoal_error_text(), "surface"));
}

/* --- files --------------------------------------------------------------------------------------- */

static double number_of(const shoal_string *from, const char *name, bool whole)
{
    const void *data;
    size_t size;
    double real;
    int64_t integer;
    CHECK(shoal_results_record_field(shoal_string_data(from), shoal_string_size(from), name, &data,
                                     &size) == SHOAL_OK &&
          size == 8);
    memcpy(&real, data, 8);
    memcpy(&integer, data, 8);
    return whole ? (double)integer : real;
}

static void test_files(void)
{
    static const char *const files[] = {"in.xyz"};
    const shoal_results_what what = {.variants = true, .adsorption = true};
    double terms[32] = {0};
    shoal_string *text;
    shoal_stream_system s = {
        .index = 50,
        .variant = 8,
        .n_variants = 42,
        .record = 1,
        .device = "cpu",
        .isolated_energy = 2.0,
        .result = {.reason = "", .warning = "", .energy = 1.5, .terms = terms}};
    CHECK(shoal_molecule_create(&s.mol) == SHOAL_OK);
    CHECK(shoal_string_create(&text) == SHOAL_OK);
    CHECK(shoal_results_format(&what, &s, text) == SHOAL_OK);
    CHECK(number_of(text, "systems/variant", true) == 8);
    CHECK(number_of(text, "systems/adsorption_energy", false) == -0.5);
    CHECK(number_of(text, "systems/energy", false) == 1.5);
    shoal_string_clear(text);
    CHECK(shoal_results_csv(&what, &s, files, 1, text) == SHOAL_OK);
    CHECK(strstr(shoal_string_data(text), "50,in.xyz,1,") == shoal_string_data(text));
    CHECK(strstr(shoal_string_data(text), ",cpu,,,8,-0.5\n") != NULL);
    shoal_string_clear(text);
    shoal_results_csv_header(&what, text);
    CHECK(strstr(shoal_string_data(text), ",warning,variant,adsorption_energy\n") != NULL);
    shoal_string_clear(text);
    s.isolated_energy = NAN;
    CHECK(shoal_results_csv(&what, &s, files, 1, text) == SHOAL_OK);
    CHECK(strstr(shoal_string_data(text), ",cpu,,,8,\n") != NULL);
    /* Molecule files. */
    const double origin[3] = {0, 0, 0};
    const shoal_frame frame = {.is_result = true,
                               .file = "in.xyz",
                               .index = 50,
                               .record = 1,
                               .variant = &s.variant,
                               .has_adsorption = true,
                               .adsorption_energy = -0.5};
    CHECK(shoal_molecule_add_atom(s.mol, 18, origin) == SHOAL_OK);
    shoal_string_clear(text);
    CHECK(shoal_frame_format(text, SHOAL_FORMAT_XYZ, s.mol, &frame) == SHOAL_OK);
    CHECK(strstr(shoal_string_data(text), "shoal_record=1 shoal_variant=8 shoal_file=in.xyz"));
    CHECK(strstr(shoal_string_data(text), "adsorption_energy=-0.5"));
    shoal_string_clear(text);
    CHECK(shoal_frame_format(text, SHOAL_FORMAT_SDF, s.mol, &frame) == SHOAL_OK);
    CHECK(strstr(shoal_string_data(text), "> <shoal_variant>\n8\n") != NULL);
    shoal_molecule_destroy(s.mol);
    shoal_string_destroy(text);
}

/* A file of results with variants, read back and written on. */
static void test_results_file(void)
{
    static const char path[] = "test_stream_adsorption.h5";
    static const char *const files[] = {"in.xyz"};
    const shoal_results_what what = {.variants = true, .adsorption = true};
    const shoal_results_header header = {.what = what, .files = files, .n_files = 1};
    const double origin[3] = {0, 0, 0};
    double terms[32] = {0};
    shoal_results *out;
    shoal_results_reader *in;
    shoal_results_header back;
    shoal_string *text;
    shoal_stream_system s = {
        .n_variants = 4,
        .device = "cpu",
        .line = 1,
        .isolated_energy = 2.0,
        .result = {.reason = "", .warning = "", .energy = 1.5, .terms = terms}};
    if (shoal_results_create(&out, path, &header, -1) == SHOAL_E_UNSUPPORTED) return;
    CHECK(shoal_molecule_create(&s.mol) == SHOAL_OK);
    CHECK(shoal_molecule_add_atom(s.mol, 18, origin) == SHOAL_OK);
    CHECK(shoal_string_create(&text) == SHOAL_OK);
    for (; s.index < 4; ++s.index, ++s.variant)
        CHECK(shoal_results_format(&what, &s, text) == SHOAL_OK);
    CHECK(shoal_results_write(out, shoal_string_data(text), shoal_string_size(text)) == SHOAL_OK);
    shoal_string_clear(text);
    CHECK(shoal_results_format(&(shoal_results_what){.variants = true}, &s, text) == SHOAL_OK);
    CHECK(shoal_results_write(out, shoal_string_data(text), shoal_string_size(text)) ==
          SHOAL_E_ARGUMENT);
    CHECK(shoal_results_close(out) == SHOAL_OK);
    shoal_results_destroy(out);
    CHECK(shoal_results_open(&in, path) == SHOAL_OK && shoal_results_n_systems(in) == 4);
    CHECK(shoal_results_header_get(in, &back) == SHOAL_OK);
    CHECK(back.what.variants && back.what.adsorption && !back.what.forces);
    shoal_string_clear(text);
    CHECK(shoal_results_read(in, 3, text) == SHOAL_OK);
    CHECK(number_of(text, "systems/variant", true) == 3);
    CHECK(number_of(text, "systems/adsorption_energy", false) == -0.5);
    shoal_results_reader_destroy(in);
    /* As input it is what a molecule file would say. */
    record r = nothing;
    CHECK(run((shoal_stream_options){.job = SHOAL_JOB_READ}, path, &r) == SHOAL_OK);
    CHECK(r.n_systems == 4 && r.n_unreadable == 0);
    free(r.text);
    shoal_molecule_destroy(s.mol);
    shoal_string_destroy(text);
    (void)remove(path);
}

int main(void)
{
    shoal_molecule *slab = fixture_salt(2, 2, 0.7);
    shoal_surface *surface = fixture_surface(slab, NULL);
    FILE *file = begin(few_path);
    put_many(file, N_RECORDS);
    CHECK(fclose(file) == 0);
    test_alone(surface);
    test_none(surface);
    test_files();
    test_results_file();
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(slab);
    (void)remove(few_path);
    return check_done();
}
