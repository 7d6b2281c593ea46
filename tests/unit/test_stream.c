/* SPDX-License-Identifier: BSD-3-Clause
 * Streams: what comes out depends on neither threads, slices, memory nor device slots, comes in the order of
 * the input, and is complete up to a failure. */
#include "stream_fixture.h"

/* --- tests --------------------------------------------------------------------------------------- */

/* The constraints of a stream on one system; false if it lacks one of their atoms. */
static bool constrain(const shoal_stream_options *o, const shoal_molecule *mol, bool fixed[32],
                      shoal_restraint restraints[2], shoal_system *system)
{
    const int32_t n = shoal_molecule_n_atoms(mol);
    memset(fixed, 0, 32 * sizeof *fixed);
    for (int32_t k = 0; k < o->constraints.n_fixed; ++k) {
        if (o->constraints.fixed[k] >= n) return false;
        fixed[o->constraints.fixed[k]] = true;
        system->fixed = fixed;
    }
    for (int32_t k = 0; k < o->constraints.n_restraints; ++k) {
        restraints[k] = o->constraints.restraints[k];
        for (int a = 0; a <= (int)restraints[k].kind; ++a)
            if (restraints[k].atoms[a] >= n) return false;
        memcpy(restraints[k].target, shoal_molecule_positions(mol)[restraints[k].atoms[0]],
               sizeof restraints[k].target);
        system->restraints = restraints;
        system->n_restraints = o->constraints.n_restraints;
    }
    return true;
}

/* The text of every system computed on its own. */
static void check_alone(const shoal_stream_options *o, const record *together)
{
    shoal_reader *reader;
    shoal_molecule *mol;
    bool found = true;
    const char *line = together->text;
    CHECK(shoal_reader_open(&reader, many_path, SHOAL_FORMAT_AUTO) == SHOAL_OK);
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int k = 0; k < N_MANY && line && *line; ++k) {
        shoal_topology *topology = NULL;
        shoal_batch *batch = NULL;
        shoal_engine *e = NULL;
        shoal_result r;
        char want[160];
        CHECK(shoal_reader_next(reader, mol, &found) == SHOAL_OK && found);
        (void)shoal_molecule_perceive(mol, NULL);
        CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
        shoal_system system = {.topology = topology, .pos = shoal_molecule_positions(mol)};
        bool fixed[32];
        shoal_restraint restraints[2];
        const bool whole = constrain(o, mol, fixed, restraints, &system);
        if (!whole) system = (shoal_system){.topology = topology, .pos = system.pos};
        CHECK(shoal_batch_create(&batch) == SHOAL_OK &&
              shoal_batch_add(batch, &system) == SHOAL_OK);
        CHECK(shoal_engine_create(&e, batch, o->compute.engine) == SHOAL_OK);
        CHECK(shoal_engine_relax(e, NULL, NULL, NULL) == SHOAL_OK);
        CHECK(shoal_engine_result(e, 0, &r) == SHOAL_OK);
        const int32_t n = shoal_molecule_n_atoms(mol);
        const double *last = shoal_engine_positions(e, 0)[n - 1];
        (void)snprintf(want, sizeof want, " %s %d %a %a %d %a ", shoal_molecule_name(mol),
                       (int)r.status, r.energy, r.fmax, r.steps, last[0] + last[1] + last[2]);
        const char *end = strchr(line, '\n'), *at = strstr(line, want);
        CHECK(!whole || (end && at && at < end));
        line = end ? end + 1 : NULL;
        shoal_engine_destroy(e);
        shoal_batch_destroy(batch);
        shoal_topology_destroy(topology);
    }
    shoal_molecule_destroy(mol);
    shoal_reader_destroy(reader);
}

/* Threads, slices and memory change nothing, and a system gets what it gets alone. */
static void test_laws(const char *device)
{
    const shoal_engine_options engine = {.device = device};
    const shoal_stream_options first = {
        .job = SHOAL_JOB_RELAX, .compute.engine = &engine, .compute.n_threads = 1};
    record want = nothing;
    CHECK(run(first, many_path, &want) == SHOAL_OK);
    CHECK(want.n_systems == N_MANY && want.last.n_done == N_MANY && want.last.n_read == N_MANY);
    CHECK(want.last.n_failed == 2);
    CHECK_NEAR(want.last.part, 1, 1e-12);
    check_ways(&first, many_path, &want, device);
    check_alone(&first, &want);
    free(want.text);
}

static void test_files(void)
{
    const char *files[] = {more_path, many_path, more_path};
    const char *with_gap[] = {more_path, "test_stream_no_such.xyz", many_path};
    shoal_stream_options o = {
        .job = SHOAL_JOB_TYPE, .input.files = files, .input.n_files = 3, .compute.n_threads = 3};
    record r = nothing;
    CHECK(run(o, NULL, &r) == SHOAL_OK);
    CHECK(r.n_systems == N_MANY + 6 && r.in_order);
    CHECK(r.text && strncmp(r.text, "0 0 0 water", 11) == 0);
    CHECK(r.text && strstr(r.text, "\n3 1 0 chain0 ") != NULL);
    CHECK(r.text && strstr(r.text, "\n605 2 2 water ") != NULL);
    free(r.text);
    o.input.files = with_gap;
    CHECK(run(o, NULL, &r) == SHOAL_E_IO);
    CHECK(strstr(shoal_error_text(), "test_stream_no_such.xyz") != NULL);
    CHECK(r.n_systems == 3);
    free(r.text);
    o.input.files = &files[1];
    o.input.n_files = 0;
    CHECK(run(o, NULL, &r) == SHOAL_OK && r.n_systems == 0);
}

/* Strictly, what comes before a bad record is handed on, nothing behind it, and the line is named. */
static void test_bad_record(void)
{
    for (int32_t n_threads = 1; n_threads <= 3; n_threads += 2)
        for (int job = SHOAL_JOB_READ; job <= SHOAL_JOB_ENERGY; ++job) {
            const shoal_stream_options o = {
                .job = (shoal_job)job, .compute.n_threads = n_threads, .input.strict = true};
            record r = nothing;
            CHECK(run(o, bad_path, &r) == SHOAL_E_FORMAT);
            CHECK(strstr(shoal_error_text(), "test_stream_bad.xyz:") != NULL);
            CHECK(strstr(shoal_error_text(), "'here'") != NULL);
            CHECK(r.n_systems == 50 && r.in_order);
            free(r.text);
        }
}

static void test_large(const char *device)
{
    const shoal_engine_options engine = {.device = device};
    const shoal_relax_options relax = {.fmax = 0.3, .max_steps = 60};
    shoal_stream_options o = {
        .job = SHOAL_JOB_RELAX, .compute.engine = &engine, .compute.relax = &relax};
    record r[2] = {nothing, nothing};
    for (int k = 0; k < 2; ++k) {
        o.compute.n_threads = k == 0 ? 1 : 4;
        CHECK(run(o, large_path, &r[k]) == SHOAL_OK);
        CHECK(r[k].n_systems == LARGE_AT + 61 && r[k].in_order);
        CHECK(r[k].last.large_index == -1);
    }
    check_same(&r[0], &r[1], "a large system among small ones");
    CHECK(r[0].text && strstr(r[0].text, "\n40 0 40 chain1 ") != NULL);
    free(r[0].text);
    free(r[1].text);
}

/* A stopped run ends in order, with what is finished. */
static void test_stop(void)
{
    const shoal_relax_options forever = {.fmax = 1e-11, .max_steps = 100000000};
    shoal_stream_options o = {
        .job = SHOAL_JOB_RELAX, .compute.relax = &forever, .compute.n_threads = 2};
    record r = nothing;
    r.stop_at = 0;
    CHECK(run(o, large_path, &r) == SHOAL_OK);
    CHECK(r.in_order && r.n_systems <= LARGE_AT + 61);
    int64_t n_lines = 0;
    for (const char *c = r.text; c && *c; ++c) n_lines += *c == '\n';
    CHECK(n_lines == r.n_systems - r.n_unfinished);
    free(r.text);
    o = (shoal_stream_options){.job = SHOAL_JOB_ENERGY, .compute.n_threads = 2};
    r = nothing;
    r.fail_at = 0;
    CHECK(run(o, many_path, &r) == SHOAL_E_ARGUMENT);
    CHECK(r.size == 0 && r.n_systems < N_MANY);
    free(r.text);
    r = nothing;
    r.sink_fails = true;
    CHECK(run(o, many_path, &r) == SHOAL_E_IO);
    r = nothing;
    r.refuse = 7;
    CHECK(run(o, many_path, &r) == SHOAL_OK);
    CHECK(r.n_systems == N_MANY && r.n_refused == 1 && r.text && !strstr(r.text, "\n7 0 7 "));
    CHECK(r.text && strstr(r.text, "\n8 0 8 "));
    free(r.text);
}

/* Options that name atoms, and systems that lack them. */
static void test_constraints(void)
{
    static const shoal_type_override types[] = {{.atom = 2, .label = "H_"}};
    static const int32_t fixed[] = {0, 4};
    static const shoal_restraint pulls[] = {
        {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {1}, .k = 0.5},
        {.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 7}, .k = 1, .value = 3},
    };
    shoal_stream_options o = {.job = SHOAL_JOB_RELAX, .compute.n_threads = 2};
    record r = nothing;
    o.constraints.fixed = fixed;
    o.constraints.n_fixed = 2;
    CHECK(run(o, many_path, &r) == SHOAL_OK);
    CHECK(r.text && strstr(r.text, "fix 4 names atom 4, the system has 3 atoms"));
    check_alone(&o, &r);
    free(r.text);
    o.typing.types = types;
    o.typing.n_types = 1;
    CHECK(run(o, many_path, &r) == SHOAL_OK);
    CHECK(r.text && strstr(r.text, "type 2=H_ names atom 2, the system has 2 atoms"));
    free(r.text);
    o = (shoal_stream_options){.job = SHOAL_JOB_RELAX, .compute.n_threads = 2};
    o.constraints.restraints = pulls;
    o.constraints.n_restraints = 2;
    CHECK(run(o, many_path, &r) == SHOAL_OK);
    CHECK(r.text && strstr(r.text, "restraint distance:0,7 names atom 7, the system has 3 atoms"));
    check_alone(&o, &r);
    free(r.text);
}

static void test_arguments(void)
{
    const char *none[] = {NULL};
    shoal_stream_options o = {.input.files = none, .input.n_files = 1};
    CHECK(shoal_stream_run(NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_stream_run(&o) == SHOAL_E_ARGUMENT);
    o.input.n_files = 0;
    o.job = (shoal_job)17;
    CHECK(shoal_stream_run(&o) == SHOAL_E_ARGUMENT);
    o.job = SHOAL_JOB_ENERGY;
    const shoal_restraint bad[] = {{.kind = SHOAL_RESTRAINT_POSITION, .atoms = {-1}, .k = 1},
                                   {.kind = (shoal_restraint_kind)9, .k = 1}};
    for (int k = 0; k < 2; ++k) {
        o.constraints.restraints = &bad[k];
        o.constraints.n_restraints = 1;
        CHECK(shoal_stream_run(&o) == SHOAL_E_ARGUMENT);
    }
    o.constraints.n_restraints = 0;
    o.typing.types = &(shoal_type_override){.atom = -1, .label = "H_"};
    o.typing.n_types = 1;
    CHECK(shoal_stream_run(&o) == SHOAL_E_ARGUMENT);
    o.typing.n_types = 0;
    o.compute.engine = &(shoal_engine_options){.device = "no such device"};
    CHECK(shoal_stream_run(&o) == SHOAL_E_DEVICE);
    CHECK_TEXT(shoal_stage_name(SHOAL_STAGE_COMPUTE), "compute");
    CHECK_TEXT(shoal_stage_name(SHOAL_N_STAGES), "");
}

int main(void)
{
    const char *device = getenv("SHOAL_TEST_DEVICE");
    if (!device) device = "opencl:cpu";
    make_files("test_stream");
    test_laws("cpu");
    test_large("cpu");
    if (shoal_device_check(device) == SHOAL_OK) {
        test_laws(device);
        test_large(device);
    } else {
        (void)printf("%s left out: %s\n", device, shoal_error_text());
        CHECK(!getenv("CI"));
    }
    test_files();
    test_bad_record();
    test_stop();
    test_constraints();
    test_arguments();
    remove_files();
    return check_done();
}
