/* SPDX-License-Identifier: BSD-3-Clause
 * Streams of records in memory: what files give, bit for bit, and what only records can have. */
#include "records_fixture.h"
#include "surface_fixture.h"
#include "variants_fixture.h"

static loaded many;
static const shoal_results_what forces = {.forces = true};

/* --- like files ---------------------------------------------------------------------------------- */

/* The same from a file and from memory, with one thread and with two. */
static void compare(shoal_stream_options o, const char *path, const loaded *l,
                    shoal_results_what what)
{
    shoal_table *tables[3];
    for (int k = 0; k < 3; ++k) {
        o.compute.n_threads = k < 2 ? 1 : 2;
        tables[k] = table_of(o, k == 0 ? path : NULL, l->records, l->n, what);
    }
    CHECK(shoal_table_size(tables[0]) > 0);
    CHECK(count_unlike(tables[0], tables[1], "systems/line") == 0);
    CHECK(count_unlike(tables[1], tables[2], "") == 0);
    for (int k = 0; k < 3; ++k) shoal_table_destroy(tables[k]);
}

/* Among them one that has no type and one that is not finite. */
static void test_jobs(void)
{
    for (int job = SHOAL_JOB_READ; job <= SHOAL_JOB_RELAX; ++job)
        compare((shoal_stream_options){.job = (shoal_job)job}, many_path, &many, forces);
    const shoal_typing_options qeq = {.charges = SHOAL_CHARGES_QEQ};
    compare((shoal_stream_options){.job = SHOAL_JOB_ENERGY, .typing.forcefield = &qeq}, many_path,
            &many, forces);
}

/* Systems are passed over by their numbers; blocks of few. */
static void test_numbers(void)
{
    shoal_stream_options o = {
        .job = SHOAL_JOB_ENERGY, .input.first = 77, .compute.slice_systems = 5};
    compare(o, many_path, &many, forces);
    o.input.n_shards = 3;
    o.input.shard = 2;
    compare(o, many_path, &many, forces);
    shoal_table *t = table_of(o, NULL, many.records, many.n, forces);
    const int64_t *index = find_column(t, "systems/index").data;
    const int64_t *number = find_column(t, "systems/record").data;
    const int64_t *line = find_column(t, "systems/line").data;
    CHECK(shoal_table_size(t) == 175 && index[0] == 77 && index[174] == 599);
    CHECK(number[0] == 77 && line[0] == 0);
    shoal_table_destroy(t);
}

static double each_by = 0.01; /* angstrom */

static void test_variants(void)
{
    static const int32_t fixed[] = {0};
    const shoal_restraint held = {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 0.5};
    shoal_variants v = {.n = 4, .make = raise_first, .user = &each_by};
    shoal_stream_options o = {.job = SHOAL_JOB_RELAX,
                              .build.variants = &v,
                              .constraints.restraints = &held,
                              .constraints.n_restraints = 1,
                              .constraints.fixed = fixed,
                              .constraints.n_fixed = 1};
    const shoal_results_what what = {.variants = true};
    loaded l = {0};
    load(good_path, &l);
    compare(o, good_path, &l, what);
    v.series = 2;
    compare(o, good_path, &l, what);
    unload(&l);
}

/* A chain of three atoms without hydrogens; x of the second one, element of the third. */
static void put_skeleton(FILE *file, const char *name, double x, char last)
{
    (void)fprintf(file,
                  "%s\n\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n"
                  "    0.0000    0.0000    0.0000 C   0  0\n"
                  "%10.4f    0.0000    0.0000 C   0  0\n"
                  "    2.0000    1.3500    0.0000 %c   0  0\n"
                  "  1  2  1  0\n  2  3  1  0\nM  END\n$$$$\n",
                  name, x, last);
}

/* Hydrogens are added, types are given, molecules are put on a surface whose first layer moves. */
static void test_preparation(void)
{
    static const char bare[] = "test_stream_records_bare.sdf";
    const shoal_type_override type = {.atom = 0, .label = "C_3"};
    shoal_molecule *salt = fixture_salt(2, 2, 0.7);
    shoal_surface *surface = fixture_surface(salt, NULL), *rest = NULL, *movable = NULL;
    loaded l = {0};
    FILE *file = begin(bare);
    for (int k = 0; k < 3; ++k) put_skeleton(file, "ethanol", 1.5 + 0.01 * k, 'O');
    CHECK(fclose(file) == 0);
    load(bare, &l);
    shoal_stream_options o = {.job = SHOAL_JOB_RELAX, .typing.types = &type, .typing.n_types = 1};
    compare(o, bare, &l, forces);
    o.typing.add_hydrogens = true;
    compare(o, bare, &l, forces);
    CHECK(shoal_surface_split(surface, 1, &rest, &movable) == SHOAL_OK);
    const shoal_engine_options on = {.device = "cpu", .surface = rest};
    const shoal_placement lifted = {.orient = SHOAL_ORIENT_FLAT, .height = 3};
    const shoal_relax_options few = {.max_steps = 20};
    o.compute.engine = &on;
    o.compute.relax = &few;
    o.build.placement = &lifted;
    o.build.movable = movable;
    o.build.movable_spring = 0.5;
    o.compute.adsorption = true;
    compare(o, bare, &l, (shoal_results_what){.adsorption = true});
    unload(&l);
    (void)remove(bare);
    shoal_surface_destroy(movable);
    shoal_surface_destroy(rest);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(salt);
}

/* Large systems, and a molecule that was perceived before: what perception found stays. */
static void test_others(void)
{
    const shoal_relax_options few = {.max_steps = 10};
    loaded l = {0};
    load(large_path, &l);
    compare((shoal_stream_options){.job = SHOAL_JOB_RELAX, .compute.relax = &few}, large_path, &l,
            forces);
    unload(&l);
    load(more_path, &l);
    for (int64_t i = 0; i < l.n; ++i) CHECK(shoal_molecule_perceive(l.mols[i], NULL) == SHOAL_OK);
    compare((shoal_stream_options){.job = SHOAL_JOB_RELAX}, more_path, &l, forces);
    unload(&l);
}

/* --- conformers ---------------------------------------------------------------------------------- */

enum { N_CONFORMERS = 40 };

/* One molecule with many coordinates is what as many molecules are; interleaved with another one. */
static void check_conformers(const char *path, int64_t i, int64_t j, bool perceive,
                             const shoal_typing_options *typing, bool add_hydrogens)
{
    static double pos[N_CONFORMERS][32][3];
    shoal_record shared[N_CONFORMERS], single[N_CONFORMERS];
    shoal_molecule *copies[N_CONFORMERS];
    loaded l = {0};
    load(path, &l);
    for (int k = 0; k < N_CONFORMERS; ++k) {
        const shoal_molecule *from = l.mols[k % 5 == 4 ? j : i];
        const int32_t n = shoal_molecule_n_atoms(from);
        CHECK(n <= 32 && n > 1);
        memcpy(pos[k], shoal_molecule_positions(from), (size_t)n * sizeof pos[k][0]);
        pos[k][1][0] += 0.002 * k;
        CHECK(shoal_molecule_create(&copies[k]) == SHOAL_OK);
        CHECK(shoal_molecule_copy(copies[k], from) == SHOAL_OK);
        CHECK(shoal_molecule_set_positions(copies[k], (const double(*)[3])pos[k]) == SHOAL_OK);
        shared[k] = (shoal_record){.molecule = from, .pos = (const double(*)[3])pos[k]};
        single[k] = (shoal_record){.molecule = copies[k]};
    }
    if (perceive) {
        CHECK(shoal_molecule_perceive(l.mols[i], NULL) == SHOAL_OK);
        CHECK(shoal_molecule_perceive(l.mols[j], NULL) == SHOAL_OK);
    }
    for (int job = SHOAL_JOB_TYPE; job <= SHOAL_JOB_RELAX; ++job) {
        const shoal_stream_options o = {
            .job = (shoal_job)job,
            .compute.n_threads = 2,
            .typing = {.forcefield = typing, .add_hydrogens = add_hydrogens}};
        shoal_table *a = table_of(o, NULL, shared, N_CONFORMERS, forces);
        shoal_table *b = table_of(o, NULL, single, N_CONFORMERS, forces);
        CHECK(count_unlike(a, b, "") == 0);
        CHECK(status_of(a, 3) ==
              (job == SHOAL_JOB_RELAX ? SHOAL_SYSTEM_CONVERGED : SHOAL_SYSTEM_OK));
        shoal_table_destroy(a);
        shoal_table_destroy(b);
    }
    for (int k = 0; k < N_CONFORMERS; ++k) shoal_molecule_destroy(copies[k]);
    unload(&l);
}

/* A trigonal bipyramid has its axis where the coordinates say: what one conformer is typed as is not true of all. */
static void test_axes(void)
{
    static const int32_t z[6] = {15, 9, 9, 9, 9, 9};
    static const double pos[2][6][3] = {
        {{0, 0, 0}, {0, 0, 1.6}, {0, 0, -1.6}, {1.55, 0, 0}, {-0.77, 1.34, 0}, {-0.77, -1.34, 0}},
        {{0, 0, 0}, {1.55, 0, 0}, {-0.77, 1.34, 0}, {0, 0, 1.6}, {0, 0, -1.6}, {-0.77, -1.34, 0}}};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_molecule_add_atoms(mol, 6, z, pos[0]) == SHOAL_OK);
    for (int i = 1; i < 6; ++i)
        CHECK(shoal_molecule_add_bond(mol, 0, i, SHOAL_ORDER_SINGLE, NULL) == SHOAL_OK);
    CHECK(shoal_molecule_set_formal_charges(mol, (const int32_t[6]){0}) == SHOAL_OK);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    const shoal_record records[] = {{.molecule = mol, .pos = pos[0]},
                                    {.molecule = mol, .pos = pos[1]}};
    const shoal_stream_options o = {.job = SHOAL_JOB_ENERGY, .compute.n_threads = 1};
    shoal_table *t = table_of(o, NULL, records, 2, forces);
    const double *energy = numbers(t, "systems/energy");
    CHECK_NEAR(energy[0], energy[1], 1e-9); /* the same molecule, its atoms counted otherwise */
    shoal_table_destroy(t);
    shoal_molecule_destroy(mol);
}

/* Bonds of a molecule that was not perceived are those of the coordinates of each record, others stay. */
static void test_bonds(void)
{
    static const int32_t z[3] = {8, 1, 1};
    static const double pos[2][3][3] = {{{0, 0, 0}, {0.96, 0, 0}, {-0.24, 0.93, 0}},
                                        {{0, 0, 9}, {0.74, 0, 0}, {0, 0, 0}}};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_molecule_add_atoms(mol, 3, z, pos[0]) == SHOAL_OK);
    shoal_record records[6];
    for (int k = 0; k < 6; ++k)
        records[k] = (shoal_record){.molecule = mol, .pos = k % 3 == 2 ? pos[1] : pos[0]};
    for (int perceived = 0; perceived < 2; ++perceived) {
        if (perceived) CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
        const shoal_stream_options o = {.job = SHOAL_JOB_TYPE, .compute.n_threads = 1};
        shoal_table *t = table_of(o, NULL, records, 6, forces);
        const int64_t *starts = find_column(t, "bonds/starts").data;
        for (int k = 0; k < 6; ++k)
            CHECK(starts[k + 1] - starts[k] == (k % 3 == 2 && !perceived ? 1 : 2));
        shoal_table_destroy(t);
    }
    shoal_molecule_destroy(mol);
}

static void test_conformers(void)
{
    const shoal_typing_options qeq = {.charges = SHOAL_CHARGES_QEQ};
    static const char bare[] = "test_stream_records_skeletons.sdf";
    check_conformers(more_path, 0, 1, false, NULL, false);
    check_conformers(more_path, 0, 1, true, NULL, false);
    check_conformers(more_path, 0, 1, true, &qeq, false);
    check_conformers(many_path, 3, 1, false, NULL, false); /* bonds by distance */
    check_conformers(many_path, 3, 1, true, NULL, false);
    /* Without hydrogens, which is a warning, or they go where the atoms of each are. */
    FILE *file = begin(bare);
    for (int k = 0; k < 2; ++k) put_skeleton(file, "skeleton", 1.5, k ? 'O' : 'C');
    CHECK(fclose(file) == 0);
    check_conformers(bare, 0, 1, false, NULL, false);
    check_conformers(bare, 0, 1, false, NULL, true);
    (void)remove(bare);
    test_axes();
    test_bonds();
}

/* --- what records have of their own -------------------------------------------------------------- */

static double distance(const double (*pos)[3], int i, int j)
{
    double sum = 0;
    for (int c = 0; c < 3; ++c) sum += (pos[i][c] - pos[j][c]) * (pos[i][c] - pos[j][c]);
    return sqrt(sum);
}

/* Each of the records has other constraints; with variants, all variants have those of their record. */
static void test_constraints(void)
{
    static const bool first[5] = {true, false, false, false, false}, last[5] = {[4] = true};
    static const shoal_restraint away = {
        .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {1, 2}, .k = 1e4, .value = 2.0};
    static const shoal_restraint there[2] = {
        {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 1e4, .target = {1, 2, 3}},
        {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {1}, .k = 1e4, .target = {NAN, NAN, NAN}}};
    static const int32_t fixed[] = {2};
    const shoal_molecule *mol = many.mols[0]; /* methane */
    const double(*start)[3] = shoal_molecule_positions(mol);
    const shoal_record records[] = {{.molecule = mol},
                                    {.molecule = mol, .fixed = first},
                                    {.molecule = mol, .fixed = last},
                                    {.molecule = mol, .restraints = &away, .n_restraints = 1},
                                    {.molecule = mol, .restraints = there, .n_restraints = 2}};
    const shoal_variants v = {.n = 2, .make = raise_first, .user = &each_by};
    shoal_stream_options o = {.job = SHOAL_JOB_RELAX,
                              .compute.n_threads = 2,
                              .constraints.fixed = fixed,
                              .constraints.n_fixed = 1};
    CHECK(shoal_molecule_n_atoms(mol) == 5);
    for (int k = 0; k < 2; ++k) {
        const int n = k == 0 ? 1 : 2;
        o.build.variants = k == 0 ? NULL : &v;
        shoal_table *t = table_of(o, NULL, records, 5, forces);
        CHECK(shoal_table_size(t) == 5 * n);
        for (int i = 0; i < n; ++i) {
            const double(*p[5])[3];
            for (int r = 0; r < 5; ++r)
                p[r] = (const double(*)[3])numbers(t, "atoms/position") + 5 * (n * r + i);
            for (int r = 0; r < 4; ++r)
                CHECK(memcmp(p[r][2], start[2], sizeof start[2]) == 0); /* by the options */
            CHECK(memcmp(p[0][0], start[0], sizeof start[0]) != 0);
            CHECK(memcmp(p[0][4], start[4], sizeof start[4]) != 0);
            if (i == 0) CHECK(memcmp(p[1][0], start[0], sizeof start[0]) == 0);
            CHECK(memcmp(p[1][4], start[4], sizeof start[4]) != 0);
            CHECK(memcmp(p[2][4], start[4], sizeof start[4]) == 0);
            CHECK_NEAR(distance(p[3], 1, 2), 2.0, 0.01);
            CHECK_NEAR(p[4][0][2], 3.0, 0.05);
            for (int c = 0; c < 3; ++c) CHECK_NEAR(p[4][1][c], start[1][c], 0.01);
        }
        shoal_table_destroy(t);
    }
}

/* A topology of its own is taken as it is, and a wrong one is the reason why a system fails. */
static void test_topologies(void)
{
    static const double charges[11] = {-0.3, 0.1, 0.1, -0.2, 0.1, 0.1, -0.2, 0.1, 0.1, 0.1, 0};
    shoal_molecule *typed = NULL;
    shoal_topology *own = NULL;
    const shoal_molecule *series = many.mols[2], *water = many.mols[1];
    CHECK(shoal_molecule_create(&typed) == SHOAL_OK);
    CHECK(shoal_molecule_copy(typed, series) == SHOAL_OK);
    CHECK(shoal_molecule_set_charges(typed, charges) == SHOAL_OK);
    CHECK(shoal_molecule_perceive(typed, NULL) == SHOAL_OK);
    CHECK(shoal_topology_create(&own, typed, NULL) == SHOAL_OK);
    const shoal_record records[] = {{.molecule = series},
                                    {.molecule = series, .topology = own},
                                    {.molecule = water, .topology = own},
                                    {.molecule = series, .topology = own}};
    const shoal_record charged = {.molecule = typed};
    const shoal_stream_options o = {.job = SHOAL_JOB_ENERGY, .compute.n_threads = 2};
    shoal_table *t = table_of(o, NULL, records, 4, forces);
    shoal_table *p = table_of(o, NULL, &charged, 1, forces);
    const double *energy = numbers(t, "systems/energy"), *wanted = numbers(p, "systems/energy");
    CHECK(energy[1] == wanted[0] && energy[3] == wanted[0] && energy[0] != wanted[0]);
    CHECK(status_of(t, 2) == SHOAL_SYSTEM_UNTYPED);
    CHECK(says(t, "systems/reason", 2, "a topology of 11 atoms was given for 3"));
    shoal_table_destroy(t);
    shoal_table_destroy(p);
    shoal_topology_destroy(own);
    shoal_molecule_destroy(typed);
}

/* --- nonsense ------------------------------------------------------------------------------------ */

static void test_failures(void)
{
    static const shoal_restraint wrong[] = {
        {.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 3}, .k = 1, .value = 1},
        {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {-1}, .k = 1, .target = {NAN, NAN, NAN}},
        {.kind = (shoal_restraint_kind)7},
        {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 1, .target = {NAN, 0, 0}}};
    static const double nowhere[3][3] = {{NAN, 0, 0}, {1, INFINITY, 0}, {0, 0, 1}};
    const shoal_molecule *water = many.mols[1];
    shoal_molecule *none = NULL;
    CHECK(shoal_molecule_create(&none) == SHOAL_OK);
    shoal_record records[9] = {{.molecule = water}, {0}, {.molecule = water, .pos = nowhere}};
    for (int k = 0; k < 4; ++k)
        records[3 + k] =
            (shoal_record){.molecule = water, .restraints = &wrong[k], .n_restraints = 1};
    records[7] = (shoal_record){.molecule = water, .n_restraints = 2};
    records[8] = (shoal_record){.molecule = none};
    for (int threads = 1; threads <= 2; ++threads) {
        shoal_stream_options o = {.job = SHOAL_JOB_RELAX, .compute.n_threads = threads};
        shoal_table *t = table_of(o, NULL, records, 9, forces);
        CHECK(shoal_table_size(t) == 9 && status_of(t, 0) == SHOAL_SYSTEM_CONVERGED);
        CHECK(status_of(t, 1) == SHOAL_SYSTEM_UNREADABLE);
        CHECK(says(t, "systems/reason", 1, "record 1 in memory has no molecule"));
        CHECK(status_of(t, 2) != SHOAL_SYSTEM_CONVERGED);
        for (int k = 3; k < 8; ++k) {
            CHECK(status_of(t, k) == SHOAL_SYSTEM_UNTYPED);
            CHECK(says(t, "systems/reason", k, "restraint"));
        }
        o.input.strict = true;
        o.input.records = records;
        o.input.n_records = 9;
        CHECK(shoal_stream_run(&o) == SHOAL_E_FORMAT);
        shoal_table_destroy(t);
    }
    shoal_molecule_destroy(none);
}

static shoal_status lose_second(void *user, const shoal_stream_system *s,
                                const shoal_stream_system *earlier, int32_t n_earlier,
                                double (*pos)[3], shoal_restraint *restraints)
{
    (void)user;
    (void)earlier;
    (void)n_earlier;
    (void)restraints;
    if (s->variant == 1) pos[0][0] = NAN;
    return SHOAL_OK;
}

/* An atom that is nowhere cannot be held there: its system fails, and no other. */
static void test_nowhere(void)
{
    static const double nowhere[3][3] = {{NAN, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    static const shoal_restraint held = {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 1};
    static const shoal_restraint there = {
        .kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 1, .target = {NAN, NAN, NAN}};
    const shoal_record two[] = {{.molecule = many.mols[1]},
                                {.molecule = many.mols[1], .pos = nowhere}};
    const shoal_record one = {.molecule = many.mols[1], .restraints = &there, .n_restraints = 1};
    const shoal_variants lose = {.n = 2, .make = lose_second};
    shoal_stream_options o = {.job = SHOAL_JOB_RELAX,
                              .compute.n_threads = 1,
                              .constraints.restraints = &held,
                              .constraints.n_restraints = 1};
    for (int k = 0; k < 2; ++k) {
        o.build.variants = k == 0 ? NULL : &lose;
        o.constraints.n_restraints = k == 0;
        shoal_table *t = table_of(o, NULL, k == 0 ? two : &one, k == 0 ? 2 : 1, forces);
        CHECK(shoal_table_size(t) == 2 && status_of(t, 0) == SHOAL_SYSTEM_CONVERGED);
        CHECK(says(t, "systems/reason", 1, "the position of atom 0 (O) is not finite"));
        shoal_table_destroy(t);
    }
}

static shoal_status send_none(void *user, int32_t to, const void *bytes, size_t n)
{
    (void)user;
    (void)to;
    (void)bytes;
    (void)n;
    return SHOAL_OK;
}

/* Nobody is there. */
static shoal_status receive_none(void *user, int32_t *from, shoal_string *out, bool *found)
{
    (void)user;
    (void)from;
    (void)out;
    *found = false;
    return SHOAL_E_IO;
}

static void test_refusals(void)
{
    const char *file = many_path;
    const shoal_peers peers = {.size = 2, .send = send_none, .receive = receive_none};
    shoal_stream_options o = {.input.records = many.records, .input.n_records = many.n};
    o.input.files = &file;
    o.input.n_files = 1;
    CHECK(shoal_stream_run(&o) == SHOAL_E_ARGUMENT);
    o.input.n_files = 0;
    o.peers = &peers;
    CHECK(shoal_stream_run(&o) == SHOAL_E_UNSUPPORTED);
    o.peers = NULL;
    o.input.n_records = -1;
    CHECK(shoal_stream_run(&o) == SHOAL_E_ARGUMENT);
    o.input.n_records = 3;
    o.input.records = NULL;
    CHECK(shoal_stream_run(&o) == SHOAL_E_ARGUMENT);
    o.input.n_records = 0;
    CHECK(shoal_stream_run(&o) == SHOAL_OK);
}

/* --- progress ------------------------------------------------------------------------------------ */

typedef struct watched {
    double part;
    int64_t n_done, n_wrong, n, stop_at, n_all;
} watched;

static bool watch(void *user, const shoal_stream_progress *p)
{
    watched *w = user;
    w->n_wrong += fabs(p->part - (double)p->n_done / (double)w->n_all) > 1e-12;
    w->part = p->part;
    w->n_done = p->n_done;
    ++w->n;
    return p->n_done < w->stop_at;
}

static void test_progress(void)
{
    const shoal_variants v = {.n = 5, .make = raise_first, .user = &each_by};
    watched w = {.n_all = 5 * many.n, .stop_at = INT64_MAX};
    shoal_stream_options o = {.input.records = many.records,
                              .input.n_records = many.n,
                              .job = SHOAL_JOB_RELAX,
                              .build.variants = &v,
                              .compute.n_threads = 2,
                              .output.monitor = watch,
                              .output.user = &w};
    CHECK(shoal_stream_run(&o) == SHOAL_OK);
    CHECK(w.part == 1 && w.n_done == 5 * many.n && w.n_wrong == 0);
    w = (watched){.n_all = many.n, .stop_at = 1};
    o.build.variants = NULL;
    o.compute.slice_systems = 4;
    CHECK(shoal_stream_run(&o) == SHOAL_OK);
    CHECK(w.n_wrong == 0 && w.part > 0);
}

/* --- frames -------------------------------------------------------------------------------------- */

static void test_frames(shoal_job job)
{
    const shoal_md_options md = {.n_steps = 20, .stride = 5, .seed = 3};
    const shoal_relax_options relax = {.every = 3};
    const shoal_results_what what = {.forces = true, .dynamics = job == SHOAL_JOB_MD};
    const char *file = good_path;
    shoal_table *tables[2];
    loaded l = {0};
    load(good_path, &l);
    for (int k = 0; k < 2; ++k) {
        shoal_sink sink;
        shoal_stream_options o = {.job = job,
                                  .compute.md = &md,
                                  .compute.relax = &relax,
                                  .compute.n_threads = 1 + k,
                                  .output.sinks = &sink,
                                  .output.n_sinks = 1};
        CHECK(shoal_table_create(&tables[k], &what) == SHOAL_OK);
        CHECK(shoal_table_frame_sink(tables[k], &sink) == SHOAL_OK);
        if (k == 0) {
            o.input.files = &file;
            o.input.n_files = 1;
        } else {
            o.input.records = l.records;
            o.input.n_records = l.n;
        }
        CHECK(shoal_stream_run(&o) == SHOAL_OK);
    }
    CHECK(count_unlike(tables[0], tables[1], "systems/line") == 0);
    const int64_t n = shoal_table_size(tables[1]);
    const int64_t *index = find_column(tables[1], "systems/index").data;
    const int32_t *steps = find_column(tables[1], "systems/steps").data;
    CHECK(n > 2 * l.n);
    for (int64_t i = 1; i < n; ++i)
        CHECK(index[i] > index[i - 1] || (index[i] == index[i - 1] && steps[i] > steps[i - 1]));
    if (job == SHOAL_JOB_MD) {
        const double *time = numbers(tables[1], "systems/time");
        CHECK(time[0] == 0 && steps[1] == 5 && fabs(time[1] - 2.5) < 1e-12);
        CHECK(isfinite(numbers(tables[1], "atoms/velocity")[0]));
    }
    shoal_table_destroy(tables[0]);
    shoal_table_destroy(tables[1]);
    unload(&l);
}

/* Labels of atoms by number, as the stream was told them. */
static shoal_status check_type(void *user, const shoal_stream_system *system, shoal_string *out)
{
    shoal_topology_view v;
    (void)out;
    CHECK(system->topology != NULL);
    if (!system->topology) return SHOAL_OK;
    shoal_topology_get(system->topology, &v);
    CHECK_TEXT(v.types[0], user ? "C_R" : "C_3");
    CHECK_TEXT(v.types[1], "H_");
    return SHOAL_OK;
}

static void test_type_of_atom(void)
{
    static const char path[] = "test_stream_records_type.xyz";
    const char *files[] = {path};
    const shoal_type_override label = {.atom = 0, .label = "C_R"};
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    (void)fputs("5\nmethane\nC 0 0 0\nH 0.63 0.63 0.63\nH -0.63 -0.63 0.63\n"
                "H 0.63 -0.63 -0.63\nH -0.63 0.63 -0.63\n",
                file);
    CHECK(fclose(file) == 0);
    for (int k = 0; k < 2; ++k) {
        const shoal_sink sink = {.format = check_type, .user = k ? (void *)files : NULL};
        const shoal_stream_options o = {.input.files = files,
                                        .input.n_files = 1,
                                        .job = SHOAL_JOB_TYPE,
                                        .typing.types = &label,
                                        .typing.n_types = k,
                                        .output.sinks = &sink,
                                        .output.n_sinks = 1};
        CHECK(shoal_stream_run(&o) == SHOAL_OK);
    }
    (void)remove(path);
}

int main(void)
{
    make_files("test_stream_records");
    load(many_path, &many);
    CHECK(many.n == N_MANY);
    test_jobs();
    test_numbers();
    test_variants();
    test_preparation();
    test_others();
    test_conformers();
    test_constraints();
    test_topologies();
    test_failures();
    test_nowhere();
    test_refusals();
    test_progress();
    test_frames(SHOAL_JOB_RELAX);
    test_frames(SHOAL_JOB_MD);
    unload(&many);
    remove_files();
    test_type_of_atom();
    return check_done();
}
