/* SPDX-License-Identifier: BSD-3-Clause
 * MMFF94 and MMFF94s: energies of RDKit, forces against differences, the schedules against ref, systems alone and among
 * others, and what is refused. */
#include "device_fixture.h"
#include "uff_fixture.h"

static const shoal_typing_options plain = {.forcefield = SHOAL_FORCEFIELD_MMFF94};
static const shoal_typing_options planar = {.forcefield = SHOAL_FORCEFIELD_MMFF94S};
static const shoal_typing_options far_charges = {.forcefield = SHOAL_FORCEFIELD_MMFF94,
                                                 .far_dielectric = true};

static void check_energy(shoal_molecule *mol, const shoal_typing_options *options, const char *kcal)
{
    uff u;
    uff_run run;
    uff_make_typed(&u, mol, options);
    uff_run_make(&run, &u, mol);
    CHECK_NEAR(run.result.energy / KCAL, strtod(kcal, NULL), 1e-6);
    uff_run_free(&run);
    uff_free(&u);
}

static void test_energies(void)
{
    fixture f;
    int n = 0;
    fixture_open_file(&f, SHOAL_TEST_DATA "/mmff94.sdf");
    while (fixture_next(&f) == SHOAL_OK && f.found) {
        if (!shoal_molecule_property(f.mol, "mmff94")) continue; /* RDKit has another */
        check_energy(f.mol, &plain, shoal_molecule_property(f.mol, "mmff94"));
        check_energy(f.mol, &planar, shoal_molecule_property(f.mol, "mmff94s"));
        ++n;
    }
    CHECK(n > 100);
    shoal_reader_destroy(f.reader);
    shoal_molecule_destroy(f.mol);
}

/* The molecules of the file as far as there is room: one after the other, or as one. */
enum { MOST = 8, LARGE_ATOMS = 1100, MOST_UNLIKE = 60, MOST_ATOMS = 40 };

typedef struct many {
    shoal_molecule *mols[MOST];
    int n;
} many;

static void read_many(many *m, int every)
{
    fixture f;
    fixture_open_file(&f, SHOAL_TEST_DATA "/mmff94.sdf");
    m->n = 0;
    for (int k = 0; fixture_next(&f) == SHOAL_OK && f.found && m->n < MOST; ++k) {
        if (k % every != 3) continue;
        m->mols[m->n] = chem_new();
        CHECK(shoal_molecule_copy(m->mols[m->n++], f.mol) == SHOAL_OK);
    }
    shoal_reader_destroy(f.reader);
    shoal_molecule_destroy(f.mol);
}

static void free_many(many *m)
{
    for (int k = 0; k < m->n; ++k) shoal_molecule_destroy(m->mols[k]);
}

/* All molecules of the file in one, again and again until there are enough atoms, 9 angstrom apart. */
static shoal_molecule *make_large(void)
{
    shoal_molecule *all = chem_new();
    for (int turn = 0; all->n_atoms < LARGE_ATOMS; ++turn) {
        fixture f;
        fixture_open_file(&f, SHOAL_TEST_DATA "/mmff94.sdf");
        for (int k = 0; fixture_next(&f) == SHOAL_OK && f.found; ++k) {
            const int32_t first = all->n_atoms;
            const double at[3] = {9.0 * (k % 5), 9.0 * (k / 5 % 5), 9.0 * (k / 25 + 5 * turn)};
            for (int32_t i = 0; i < f.mol->n_atoms; ++i) {
                double pos[3];
                for (int c = 0; c < 3; ++c) pos[c] = f.mol->pos[i][c] + at[c];
                CHECK(shoal_molecule_add_atom(all, f.mol->element[i], pos) == SHOAL_OK);
                CHECK(shoal_molecule_set_formal_charge(all, first + i, f.mol->formal_charge[i]) ==
                      SHOAL_OK);
            }
            for (int32_t b = 0; b < f.mol->n_bonds; ++b)
                CHECK(shoal_molecule_add_bond(
                          all, first + f.mol->bonds[b].i, first + f.mol->bonds[b].j,
                          (shoal_bond_order)f.mol->bonds[b].order, NULL) == SHOAL_OK);
        }
        shoal_reader_destroy(f.reader);
        shoal_molecule_destroy(f.mol);
    }
    return all;
}

static shoal_engine *make_engine(const uff *u, shoal_molecule *const *mols, int n,
                                 const char *device, shoal_precision precision)
{
    shoal_batch *batch;
    shoal_engine *engine;
    const shoal_engine_options options = {.device = device, .precision = precision, .n_threads = 1};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int k = 0; k < n; ++k) {
        const shoal_system system = {.topology = u[k].topology,
                                     .pos = (const double(*)[3])mols[k]->pos};
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    }
    CHECK(shoal_engine_create(&engine, batch, &options) == SHOAL_OK);
    shoal_batch_destroy(batch);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    return engine;
}

/* Energy by term and forces relative to the largest. */
static void check_system(shoal_molecule *mol, const shoal_typing_options *options,
                         const char *device, shoal_precision precision, double most)
{
    uff u;
    uff_run want;
    shoal_result got;
    double worst = 0;
    uff_make_typed(&u, mol, options);
    uff_run_make(&want, &u, mol);
    shoal_engine *engine = make_engine(&u, &mol, 1, device, precision);
    CHECK(shoal_engine_result(engine, 0, &got) == SHOAL_OK);
    CHECK(got.status == SHOAL_SYSTEM_OK);
    for (int t = 0; t < SHOAL_N_TERMS; ++t)
        CHECK_NEAR(got.terms[t], want.result.terms[t],
                   most * (1 + fabs(want.result.terms[t])) * sqrt(mol->n_atoms));
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        for (int c = 0; c < 3; ++c)
            worst = fmax(worst, fabs(got.forces[i][c] - want.result.forces[i][c]));
    if (!(worst <= most * want.result.fmax))
        printf("%s on %s: %g of %g\n", mol->name, device, worst, want.result.fmax);
    CHECK(worst <= most * want.result.fmax);
    shoal_engine_destroy(engine);
    uff_run_free(&want);
    uff_free(&u);
}

static void test_schedules(const char *device)
{
    many m;
    read_many(&m, 12);
    for (int k = 0; k < m.n; ++k) {
        check_system(m.mols[k], &plain, device, SHOAL_PRECISION_DOUBLE, 1e-11);
        if (k > 2) continue;
        check_system(m.mols[k], &far_charges, device, SHOAL_PRECISION_DOUBLE, 1e-11);
        check_system(m.mols[k], &planar, device, SHOAL_PRECISION_FLOAT, 3e-5);
    }
    free_many(&m);
    shoal_molecule *large = make_large();
    check_system(large, &plain, device, SHOAL_PRECISION_DOUBLE, 1e-10);
    shoal_molecule_destroy(large);
}

/* A system has the bits that it has alone, between UFF and MMFFsp3. */
static void test_mixed(const char *device)
{
    static const shoal_typing_options fields[] = {
        {.forcefield = SHOAL_FORCEFIELD_MMFF94},
        {.forcefield = SHOAL_FORCEFIELD_UFF},
        {.forcefield = SHOAL_FORCEFIELD_MMFFSP3},
        {.forcefield = SHOAL_FORCEFIELD_MMFF94, .far_dielectric = true},
    };
    enum { N = 8 };
    many m;
    shoal_molecule *mols[N];
    uff u[N];
    read_many(&m, 30);
    for (int k = 0; k < N; ++k) {
        mols[k] = m.mols[k / 4];
        uff_make_typed(&u[k], mols[k], &fields[k % 4]);
    }
    shoal_engine *all = make_engine(u, mols, N, device, SHOAL_PRECISION_FLOAT);
    for (int k = 0; k < N; ++k) {
        shoal_result together, alone;
        shoal_engine *one = make_engine(&u[k], &mols[k], 1, device, SHOAL_PRECISION_FLOAT);
        CHECK(shoal_engine_result(all, k, &together) == SHOAL_OK);
        CHECK(shoal_engine_result(one, 0, &alone) == SHOAL_OK);
        CHECK(together.energy == alone.energy);
        CHECK(memcmp(together.forces, alone.forces,
                     (size_t)mols[k]->n_atoms * sizeof *alone.forces) == 0);
        shoal_engine_destroy(one);
    }
    shoal_engine_destroy(all);
    for (int k = 0; k < N; ++k) uff_free(&u[k]);
    free_many(&m);
}

/* What a relaxation of so many steps leaves of a system. */
typedef struct relaxed {
    double energy, pos[MOST_ATOMS][3];
    int64_t status; /* no padding, they are compared byte by byte */
} relaxed;

static void relax_all(const uff *u, shoal_molecule *const *mols, int n, shoal_method method,
                      relaxed *out)
{
    const shoal_relax_options options = {.method = method, .max_steps = 40};
    shoal_engine *engine = make_engine(u, mols, n, "cpu", SHOAL_PRECISION_FLOAT);
    CHECK(shoal_engine_relax(engine, &options, NULL, NULL) == SHOAL_OK);
    for (int k = 0; k < n; ++k) {
        shoal_result r;
        CHECK(shoal_engine_result(engine, k, &r) == SHOAL_OK);
        out[k] = (relaxed){.energy = r.energy, .status = r.status};
        memcpy(out[k].pos, shoal_engine_positions(engine, k),
               (size_t)mols[k]->n_atoms * sizeof *out[k].pos);
    }
    shoal_engine_destroy(engine);
}

/* Unlike systems share lanes, and each has the bits that it has alone: three, so that most lanes idle, and more than there are
 * lanes. */
static void test_lanes(shoal_method method)
{
    static relaxed together[MOST_UNLIKE], alone;
    shoal_molecule *mols[MOST_UNLIKE];
    uff u[MOST_UNLIKE];
    fixture f;
    int n = 0;
    fixture_open_file(&f, SHOAL_TEST_DATA "/mmff94.sdf");
    for (; n < MOST_UNLIKE && fixture_next(&f) == SHOAL_OK && f.found;) {
        if (f.mol->n_atoms > MOST_ATOMS) continue;
        mols[n] = chem_new();
        CHECK(shoal_molecule_copy(mols[n], f.mol) == SHOAL_OK);
        uff_make_typed(&u[n], mols[n], &plain);
        if (shoal_topology_status(u[n].topology) == SHOAL_SYSTEM_OK)
            ++n;
        else
            shoal_molecule_destroy(mols[n]);
    }
    CHECK(n > 20);
    for (int count = 3; count > 0; count = count < n ? n : 0) {
        relax_all(u, mols, count, method, together);
        for (int k = 0; k < count; ++k) {
            relax_all(&u[k], &mols[k], 1, method, &alone);
            CHECK(alone.status != SHOAL_SYSTEM_NOT_FINITE);
            CHECK(memcmp(&together[k], &alone, sizeof alone) == 0);
        }
    }
    for (int k = 0; k < n; ++k) {
        uff_free(&u[k]);
        shoal_molecule_destroy(mols[k]);
    }
    shoal_reader_destroy(f.reader);
    shoal_molecule_destroy(f.mol);
}

static void check_reason(shoal_molecule *mol, const char *reason)
{
    uff u;
    uff_make(&u, mol, &plain);
    CHECK(shoal_topology_status(u.topology) == SHOAL_SYSTEM_UNTYPED);
    CHECK_TEXT(shoal_topology_reason(u.topology), reason);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

static void test_refusals(void)
{
    shoal_molecule *mol = chem_drawn("O H H", "0-1 0-2");
    chem_cell(mol, (const double[3][3]){{30, 0, 0}, {0, 30, 0}, {0, 0, 30}}, 3);
    check_reason(mol, "the molecule is periodic: MMFF94 has no lattice sum");
    mol = chem_drawn("O H H", "0-1 0-2");
    CHECK(shoal_molecule_set_type(mol, 0, "CR") == SHOAL_OK);
    check_reason(mol, "atom 0 (O): type 'CR' belongs to C");
    mol = chem_drawn("O H H", "0-1 0-2");
    CHECK(shoal_molecule_set_type(mol, 0, "O_3") == SHOAL_OK);
    check_reason(mol, "atom 0 (O): 'O_3' is no MMFF94 type");
}

/* A table that lacks a type names the force field that it is a type of. */
static void test_table_without_type(void)
{
    static const char table[] = "O_3 * O * 2 0 0 0 0.66 1.6 0.003 -0.6 -0.5\n";
    uff u;
    shoal_pair_model *model;
    shoal_molecule *mol = chem_drawn("O H H", "0-1 0-2");
    CHECK(shoal_pair_model_read_memory(&model, table, strlen(table), "table") == SHOAL_OK);
    shoal_typing_options options = planar;
    options.model = model;
    uff_make(&u, mol, &options);
    CHECK_TEXT(shoal_topology_reason(u.topology),
               "atom 0 (O, MMFF94 type OH2): the table of parameters has no OH2");
    uff_free(&u);
    shoal_pair_model_destroy(model);
    shoal_molecule_destroy(mol);
}

/* By symbol or number, both are taken. */
static void test_given_types(void)
{
    uff u;
    shoal_molecule *mol = chem_drawn("O H H", "0-1 0-2");
    CHECK(shoal_molecule_set_type(mol, 0, "6") == SHOAL_OK);
    CHECK(shoal_molecule_set_type(mol, 1, "HOR") == SHOAL_OK);
    uff_make_typed(&u, mol, &plain);
    CHECK_TEXT(u.view.types[0], "OR");
    CHECK_TEXT(u.view.types[1], "HOR");
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    const char *opencl = find_test_device();
    test_energies();
    test_refusals();
    test_given_types();
    test_table_without_type();
    test_schedules("cpu");
    test_mixed("cpu");
    test_lanes(SHOAL_METHOD_LBFGS);
    test_lanes(SHOAL_METHOD_FIRE);
    if (opencl) {
        test_schedules(opencl);
        test_mixed(opencl);
    } else {
        printf("no OpenCL device: its schedules are not tested\n");
    }
    return check_done();
}
