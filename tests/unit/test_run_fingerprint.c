/* SPDX-License-Identifier: BSD-3-Clause
 * The fingerprint of a stream: everything that decides on results changes it, and nothing else does. */
#include <stdlib.h>

#include "grid_fixture.h"
#include "surf/grid.h"
#include "water_fixture.h"

/* Options with something in every place, which a change then alters. */
typedef struct bench {
    shoal_stream_options o;
    shoal_engine_options engine;
    shoal_typing_options typing;
    shoal_perceive_options perceive;
    shoal_qeq_options qeq;
    shoal_relax_options relax;
    shoal_md_options md;
    shoal_modes_options modes;
    shoal_placement placement;
    shoal_variants variants;
    shoal_bond_override order;
    shoal_type_override type;
    shoal_restraint restraint, own_restraint;
    shoal_record records[2];
    int32_t fixed[1];
    double temperatures[2], copy_temperatures[1], pos[3][3];
    bool own_fixed[3];
    shoal_molecule *mol;
    shoal_topology *topology;
    shoal_selection *fix;
} bench;

static shoal_surface *salt, *other_salt;
static shoal_grid *grid;
static shoal_selection *first, *second;
static shoal_pair_model *model, *other_model;
static shoal_topology *other_topology;

static const char table[] = "# units: eV\n"
                            "O_3 * O E 2 2 0 0 0.658 1.75 0.0026 0.0 -0.5\n"
                            "H_ * H E 1 0 0 0 0.3 1.4 0.0007 0.0 0.5\n";
static const char other_table[] = "# units: eV\n"
                                  "O_3 * O E 2 2 0 0 0.658 1.75 0.0026 0.0 -0.5\n"
                                  "H_ * H E 1 0 0 0 0.3 1.4 0.0008 0.0 0.5\n";

static shoal_topology *make_topology(shoal_forcefield forcefield)
{
    shoal_molecule *mol = make_water();
    shoal_topology *topology = NULL;
    const shoal_typing_options typing = {.forcefield = forcefield};
    CHECK(shoal_topology_create(&topology, mol, &typing) == SHOAL_OK);
    shoal_molecule_destroy(mol);
    return topology;
}

static void fill(bench *b)
{
    *b = (bench){.engine = {.device = "cpu", .surface = salt},
                 .typing = {.orders = &b->order, .n_orders = 1, .model = model, .qeq = &b->qeq},
                 .order = {0, 1, 1.5},
                 .type = {.label = "O_3"},
                 .restraint = {.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 1}, .k = 1},
                 .own_restraint = {.kind = SHOAL_RESTRAINT_POSITION, .k = 2},
                 .temperatures = {300, 400},
                 .copy_temperatures = {300},
                 .fix = first};
    b->mol = make_water();
    b->topology = make_topology(SHOAL_FORCEFIELD_UFF);
    b->md = (shoal_md_options){.temperatures = b->temperatures,
                               .n_temperatures = 2,
                               .copy_temperatures = b->copy_temperatures,
                               .n_copies = 1};
    b->records[0] = (shoal_record){.molecule = b->mol,
                                   .pos = (const double(*)[3])b->pos,
                                   .topology = b->topology,
                                   .fixed = b->own_fixed,
                                   .restraints = &b->own_restraint,
                                   .n_restraints = 1};
    b->records[1] = (shoal_record){.molecule = b->mol};
    b->o = (shoal_stream_options){
        .input = {.records = b->records, .n_records = 2},
        .typing = {.perceive = &b->perceive,
                   .forcefield = &b->typing,
                   .types = &b->type,
                   .n_types = 1},
        .build = {.placement = &b->placement, .variants = &b->variants, .movable = salt},
        .constraints = {.fixed = b->fixed,
                        .n_fixed = 1,
                        .fix = &b->fix,
                        .n_fix = 1,
                        .restraints = &b->restraint,
                        .n_restraints = 1},
        .compute = {.engine = &b->engine, .relax = &b->relax, .md = &b->md, .modes = &b->modes}};
}

static void empty(bench *b)
{
    shoal_molecule_destroy(b->mol);
    shoal_topology_destroy(b->topology);
}

static void look(const bench *b, char out[65])
{
    out[0] = '\0';
    CHECK(shoal_stream_fingerprint(&b->o, false, out) == SHOAL_OK);
}

static char base[65];
static bench b;

/* A change that matters, and one that does not. */
#define MATTERS(...) try_it((fill(&b), (void)(__VA_ARGS__), &b), true, #__VA_ARGS__)
#define DOES_NOT(...) try_it((fill(&b), (void)(__VA_ARGS__), &b), false, #__VA_ARGS__)

static void try_it(bench *changed, bool matters, const char *what)
{
    char digest[65];
    look(changed, digest);
    const bool differs = strcmp(digest, base) != 0;
    CHECK(differs == matters);
    if (differs != matters) (void)printf("  of %s\n", what);
    empty(changed);
}

/* Coordinates of a record may be those of its molecule, and the record before it have others of its own. */
static void test_shared(void)
{
    char found[2][65];
    for (int moved = 0; moved < 2; ++moved) {
        fill(&b);
        b.records[1].topology = b.records[0].topology;
        if (moved)
            CHECK(shoal_molecule_set_positions(b.mol, (const double[3][3]){{0, 0, 1}, {1, 0, 0}}) ==
                  SHOAL_OK);
        look(&b, found[moved]);
        empty(&b);
    }
    CHECK(strcmp(found[0], found[1]) != 0);
}

static void test_input(void)
{
    MATTERS(b.o.job = SHOAL_JOB_RELAX);
    MATTERS(b.o.input.format = SHOAL_FORMAT_SDF);
    MATTERS(b.o.input.strict = true);
    MATTERS(b.o.input.shard = 1);
    MATTERS(b.o.input.n_shards = 2);
    MATTERS(b.o.input.n_records = 1);
    MATTERS(b.records[1].molecule = NULL);
    MATTERS(b.pos[2][1] = 0.1);
    MATTERS(b.own_fixed[2] = true);
    MATTERS(b.records[0].bodies = (const int32_t[]){0, 0, -1});
    MATTERS(b.o.constraints.rigid_molecules = true);
    MATTERS(b.records[0].n_restraints = 0);
    MATTERS(b.own_restraint.target[2] = 1);
    MATTERS(b.records[0].topology = NULL);
    MATTERS(b.records[0].topology = other_topology);
    MATTERS(shoal_molecule_set_charges(b.mol, (const double[]){-0.2, 0.1, 0.1}));
    MATTERS(shoal_molecule_set_formal_charges(b.mol, (const int32_t[]){1, 0, 0}));
    MATTERS(shoal_molecule_add_bond(b.mol, 0, 1, SHOAL_ORDER_SINGLE, NULL));
    MATTERS(shoal_molecule_set_positions(b.mol, (const double[3][3]){{0, 0, 1}, {1, 0, 0}}));
    MATTERS(shoal_molecule_set_type(b.mol, 0, "O_2"));
    MATTERS(shoal_molecule_set_radical(b.mol, 0, 1));
    MATTERS(shoal_molecule_set_isotope(b.mol, 1, 2));
    MATTERS(shoal_molecule_set_property(b.mol, "uff_types", "O_3 H_ H_"));
    DOES_NOT(b.o.input.first = 7);
    DOES_NOT(b.o.resume.seconds = 7);
}

static void test_typing(void)
{
    MATTERS(b.o.typing.file_types = true);
    MATTERS(b.o.typing.add_hydrogens = true);
    MATTERS(b.o.typing.fragment = 1);
    MATTERS(b.perceive.bond_scale = 1.1);
    MATTERS(b.perceive.bond_slack = 0.1);
    MATTERS(b.perceive.rebuild_bonds = true);
    MATTERS(b.perceive.total_charge = 1);
    MATTERS(b.perceive.has_total_charge = true);
    MATTERS(b.o.typing.n_types = 0);
    MATTERS(b.type.atom = 1);
    MATTERS(b.type.label[2] = '2');
    MATTERS(b.type.where = first);
    MATTERS(b.typing.forcefield = SHOAL_FORCEFIELD_MMFFSP3);
    MATTERS(b.typing.dialect = SHOAL_DIALECT_PAPER);
    MATTERS(b.typing.charges = SHOAL_CHARGES_QEQ);
    MATTERS(b.order.order = 2);
    MATTERS(b.typing.no_angle_guard = true);
    MATTERS(b.typing.electron_pairs = true);
    MATTERS(b.typing.bond_scale = 1.1);
    MATTERS(b.typing.pi_inertia = 1.1);
    MATTERS(b.typing.pi_softening = 1.1);
    MATTERS(b.typing.model = NULL);
    MATTERS(b.typing.model = other_model);
    MATTERS(b.qeq.total_charge = 1);
    MATTERS(b.qeq.tolerance = 1e-3);
    DOES_NOT(b.qeq.n_threads = 3);
}

static void test_work(void)
{
    MATTERS(b.engine.device = "ref");
    MATTERS(b.engine.precision = SHOAL_PRECISION_FLOAT);
    MATTERS(b.engine.terms_off = 1);
    MATTERS(b.engine.mixing = SHOAL_MIXING_ARITHMETIC);
    MATTERS(b.engine.coulomb_damping = 1);
    MATTERS(b.engine.vdw_cutoff = 9);
    MATTERS(b.engine.ewald_tolerance = 1e-5);
    MATTERS(b.engine.plain_terms = true);
    MATTERS(b.engine.vdw_tail = true);
    MATTERS(b.engine.ewald = SHOAL_EWALD_MESH);
    MATTERS(b.engine.surface = other_salt);
    MATTERS(b.engine.grid = grid);
    MATTERS(b.relax.method = SHOAL_METHOD_FIRE);
    MATTERS(b.relax.fmax = 0.1);
    MATTERS(b.relax.max_steps = 7);
    MATTERS(b.relax.max_move = 0.1);
    MATTERS(b.relax.every = 3);
    MATTERS(b.md.n_steps = 7);
    MATTERS(b.md.dt = 1);
    MATTERS(b.md.thermostat = SHOAL_THERMOSTAT_LANGEVIN);
    MATTERS(b.md.friction = 1);
    MATTERS(b.md.tau = 1);
    MATTERS(b.md.seed = 1);
    MATTERS(b.md.stride = 1);
    MATTERS(b.md.remove_every = 1);
    MATTERS(b.md.exchange_every = 1);
    MATTERS(b.md.hydrogen_mass = 2);
    MATTERS(b.md.rigid_bonds = true);
    MATTERS(b.temperatures[1] = 401);
    MATTERS(b.copy_temperatures[0] = 301);
    MATTERS(b.modes.no_relax = true);
    MATTERS(b.modes.fmax = 1);
    MATTERS(b.modes.step = 1);
    MATTERS(b.modes.temperature = 1);
    MATTERS(b.modes.pressure = 1);
    MATTERS(b.modes.symmetry_number = 1);
    MATTERS(b.modes.vectors = true);
    MATTERS(b.o.compute.adsorption = true);
    DOES_NOT(b.engine.n_threads = 3);
    DOES_NOT(b.engine.device_bytes = 3);
    DOES_NOT(b.o.compute.n_threads = 3);
    DOES_NOT(b.o.compute.slice_systems = 3);
    DOES_NOT(b.o.compute.memory_bytes = 3);
}

static void test_build(void)
{
    MATTERS(b.placement.orient = SHOAL_ORIENT_FLAT);
    MATTERS(b.placement.rotate[2] = 1);
    MATTERS(b.placement.has_at = true);
    MATTERS(b.placement.at[1] = 1);
    MATTERS(b.placement.height = 1);
    MATTERS(b.variants.n = 3);
    MATTERS(b.variants.series = 3);
    MATTERS(b.variants.group = 3);
    MATTERS(b.variants.stage = 3);
    MATTERS(b.o.build.movable = NULL);
    MATTERS(b.o.build.movable_spring = 1);
    MATTERS(b.fixed[0] = 2);
    MATTERS(b.o.constraints.n_fixed = 0);
    MATTERS(b.fix = second);
    MATTERS(b.restraint.kind = SHOAL_RESTRAINT_POSITION);
    MATTERS(b.restraint.atoms[1] = 2);
    MATTERS(b.restraint.k = 2);
    MATTERS(b.restraint.value = 2);
}

/* A model is its settings, rules and types: each of these texts differs from all others in one word. */
static void test_models(void)
{
    static const struct {
        const char *settings, *more; /* behind the last column of every type */
    } models[] = {{"form lj\n", ""},
                  {"form morse\n", ""},
                  {"form morse\nalpha 1.7\n", ""},
                  {"form lj\nlambda 0.9\n", ""},
                  {"form lj\ndispersion_damping 3.5\n", ""},
                  {"form lj\nradius_charge -0.1\n", ""},
                  {"form lj\ncoulomb erf\ncoulomb_damping 0.7\n", ""},
                  {"form lj\ncoulomb erf\ncoulomb_damping 0.8\n", ""},
                  {"form lj\nhbond both\n", ""},
                  {"form lj\nscale_14 0.5 1\n", ""},
                  {"form lj\nscale_14 1 0.5\n", ""},
                  {"form lj\nneutral yes\n", ""},
                  {"form lj\ncharges_of O_3\n", ""},
                  {"form lj\ncharges_of H_O\n", ""},
                  {"form lj\ncharges_of O_3 H_O\n", ""},
                  {"form lj\nincrement O_3 H_O 0.05\n", ""},
                  {"form lj\nincrement H_O O_3 0.05\n", ""},
                  {"form lj\nincrement O_3 H_O 0.06\n", ""},
                  {"form lj\nsite O_3 lone_pairs 2 E_O 0.3\n", ""},
                  {"form lj\nsite O_3 lone_pairs 1 E_O 0.3\n", ""},
                  {"form lj\nsite O_3 lone_pairs 2 E_O 0.4\n", ""},
                  {"form lj\nsite O_3 lone_pairs 2 E_P 0.3\n", ""},
                  {"form lj\nsite O_3 beyond 1 E_O 0.3\n", ""},
                  {"form lj\nsite H_O beyond 1 E_O 0.3\n", ""},
                  {"form lj\nsite H_O beyond 1 E_O 0.3\nsite O_3 beyond 1 E_O 0.3\n", ""},
                  {"form formula\nformula b*E0/r\nconstant b 2\n", ""},
                  {"form formula\nformula b*E0/r\nconstant b 3\n", ""},
                  {"form formula\nformula c*E0/r\nconstant c 2\n", ""},
                  {"form formula\nformula wi*wj*E0/r\ncolumn w\n", " 1"},
                  {"form formula\nformula wi*wj*E0/r\ncolumn w\n", " 2"},
                  {"form formula\nformula vi*vj*E0/r\ncolumn v\n", " 2"}};
    enum { N = sizeof models / sizeof models[0] };
    char digests[N][65], text[2048];
    for (int k = 0; k < N; ++k) {
        shoal_pair_model *m = NULL;
        (void)snprintf(text, sizeof text,
                       "shoal_pair_model 1\n%stypes\n"
                       "O_3 * O E 0 0 0 0 0.66 1.75 0.0026 -0.8 -0.5%s\n"
                       "H_O * H E 0 0 0 0 0.35 1.44 0.0019 0.4 0.5%s\n"
                       "E_P * E E 0 0 0 0 0 0 0 -0.1 0%s\nE_O * E E 0 0 0 0 0 0 0 -0.2 0%s\n",
                       models[k].settings, models[k].more, models[k].more, models[k].more,
                       models[k].more);
        CHECK(shoal_pair_model_read_memory(&m, text, strlen(text), "m") == SHOAL_OK);
        fill(&b);
        b.typing.model = m;
        look(&b, digests[k]);
        empty(&b);
        shoal_pair_model_destroy(m);
        for (int i = 0; i < k; ++i) {
            CHECK(strcmp(digests[i], digests[k]) != 0);
            if (strcmp(digests[i], digests[k]) == 0) (void)printf("  of models %d and %d\n", i, k);
        }
    }
}

static void put_file(const char *text)
{
    FILE *file = fopen("test_run_fingerprint.tmp", "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* All bytes of files, if asked for. */
static void test_files(void)
{
    static const char *const names[] = {"test_run_fingerprint.tmp"};
    const shoal_stream_options o = {.input = {.files = names, .n_files = 1}};
    char one[65], two[65], plain[65];
    put_file("abcdefghijklmnopqrstuvwxyz");
    CHECK(shoal_stream_fingerprint(&o, true, one) == SHOAL_OK);
    CHECK(shoal_stream_fingerprint(&o, false, plain) == SHOAL_OK);
    put_file("abcdefghijklmNopqrstuvwxyz");
    CHECK(shoal_stream_fingerprint(&o, true, two) == SHOAL_OK && strcmp(one, two) != 0);
    CHECK(shoal_stream_fingerprint(&o, false, two) == SHOAL_OK && strcmp(plain, two) == 0);
    (void)remove(names[0]);
}

/* The same field of a file of another version may be read otherwise. */
static void test_grid_version(void)
{
    char now[65], before[65];
    fill(&b);
    b.engine.grid = grid;
    look(&b, now);
    --grid->version;
    look(&b, before);
    ++grid->version;
    CHECK(strcmp(now, before) != 0);
    empty(&b);
}

/* A channel from elsewhere, and another one. */
static void test_grid_source(void)
{
    char own[65], one[65], two[65];
    fill(&b);
    b.engine.grid = grid;
    look(&b, own);
    grid->view.sources[SHOAL_CHANNEL_Q] = (shoal_grid_source){.there = true, .max_e = 1e-4};
    look(&b, one);
    grid->view.sources[SHOAL_CHANNEL_Q].max_e = 2e-4;
    look(&b, two);
    grid->view.sources[SHOAL_CHANNEL_Q] = (shoal_grid_source){0};
    CHECK(strcmp(own, one) != 0 && strcmp(one, two) != 0);
    empty(&b);
}

/* What the environment asks of kernels is of devices that have some. */
static void test_kernel_choices(void)
{
    static const struct {
        const char *device;
        bool matters;
    } cases[] = {{NULL, false},          {"cpu", false},       {"ref", false},
                 {"shadow:cpu", false},  {"opencl:cpu", true}, {"auto", true},
                 {"shadow:opencl", true}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        char digests[3][65];
        for (int n = 0; n < 3; ++n) {
            CHECK(setenv("SHOAL_CL_GROUP", n == 1 ? "64" : "", 1) == 0);
            CHECK(setenv("SHOAL_CL_OPTIONS", n == 2 ? "-DA" : "", 1) == 0);
            fill(&b);
            b.engine.device = cases[k].device;
            look(&b, digests[n]);
            empty(&b);
        }
        CHECK((strcmp(digests[0], digests[1]) != 0) == cases[k].matters);
        CHECK((strcmp(digests[0], digests[2]) != 0) == cases[k].matters);
    }
    CHECK(unsetenv("SHOAL_CL_GROUP") == 0 && unsetenv("SHOAL_CL_OPTIONS") == 0);
}

int main(void)
{
    salt = make_salt(1);
    other_salt = make_salt(2);
    shoal_surface *below = make_salt(1);
    grid = make_grid(below, 0.5, false);
    CHECK(shoal_selection_create(&first, "0-1") == SHOAL_OK);
    CHECK(shoal_selection_create(&second, "0-2") == SHOAL_OK);
    CHECK(shoal_pair_model_read_memory(&model, table, sizeof table - 1, "a") == SHOAL_OK);
    CHECK(shoal_pair_model_read_memory(&other_model, other_table, sizeof other_table - 1, "b") ==
          SHOAL_OK);
    other_topology = make_topology(SHOAL_FORCEFIELD_MMFFSP3);
    fill(&b);
    look(&b, base);
    empty(&b);
    DOES_NOT((void)0);
    test_shared();
    test_input();
    test_typing();
    test_work();
    test_build();
    test_models();
    test_files();
    test_grid_version();
    test_grid_source();
    test_kernel_choices();
    shoal_surface_destroy(salt);
    shoal_surface_destroy(other_salt);
    shoal_grid_destroy(grid);
    shoal_surface_destroy(below);
    shoal_selection_destroy(first);
    shoal_selection_destroy(second);
    shoal_pair_model_destroy(model);
    shoal_pair_model_destroy(other_model);
    shoal_topology_destroy(other_topology);
    return check_done();
}
