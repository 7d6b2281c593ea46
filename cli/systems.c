/* SPDX-License-Identifier: BSD-3-Clause
 * The systems of a command: options that concern them. */
#include "systems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forcefield_options.h"

const cli_word charge_sources[] = {{"auto", SHOAL_CHARGES_AUTO},
                                   {"none", SHOAL_CHARGES_NONE},
                                   {"file", SHOAL_CHARGES_FILE},
                                   {"qeq", SHOAL_CHARGES_QEQ},
                                   {"mmff94", SHOAL_CHARGES_MMFF94},
                                   {"qeq-molecules", SHOAL_CHARGES_QEQ_MOLECULES},
                                   {0}};

const cli_option input_options[] = {
    {"json", 0, NULL, "one JSON object per line and system on stdout",
     CLI_FLAG(systems_options, json)},
    {"smiles",
     0,
     "TEXT",
     "a SMILES, with or without a name after it; read after FILES; repeatable",
     {.kind = CLI_A_FILE}},
    {"verbose", 'v', NULL, "print version and build on stderr", CLI_FLAG(systems_options, verbose)},
    {NULL, 0, NULL, NULL},
};

const cli_option reading_options[] = {
    {"smiles-column", 0, "NAME", "column of tables (.csv, .tsv) with the SMILES (default: smiles)",
     CLI_TEXT(systems_options, read.smiles_column)},
    {"format", 0, "NAME",
     "format of the input: xyz, sdf, mol, mol2, smi, csv, cif, poscar, pdb, h5 (default: by name "
     "or content)"},
    {"threads", 0, "N", "threads to use (default: all)",
     CLI_COUNT(systems_options, n_threads, 1, 4096)},
    {"strict", 0, NULL, "stop at a record that cannot be read (default: only that record fails)",
     CLI_FLAG(systems_options, strict)},
    {"quiet", 'q', NULL, "no progress and no warnings", CLI_FLAG(systems_options, quiet)},
    {NULL, 0, NULL, NULL},
};

const cli_option output_options[] = {
    {"output", 'o', "FILE",
     "write results: .xyz, .extxyz, .sdf, .jsonl, .csv (also .gz), .h5; repeatable"},
    {"output-format", 0, "NAME",
     "format of outputs whose names do not tell it, such as -: xyz, sdf, jsonl, csv, h5"},
    {"positions", 0, NULL, "JSON: the position of every atom, A",
     CLI_FLAG(systems_options, positions)},
    {"forces", 0, NULL, "JSON: the force on every atom, eV/A", CLI_FLAG(systems_options, forces)},
    {NULL, 0, NULL, NULL},
};

const cli_option trajectory_options[] = {
    {"trajectory", 0, "FILE",
     "write the geometries of each relaxation to FILE (.xyz or .extxyz, also .gz)",
     CLI_TEXT(systems_options, trajectory)},
    {"every", 0, "N", "write a geometry every N evaluations (default 10)",
     CLI_COUNT(systems_options, trajectory_every, 1, 1000000000)},
    {NULL, 0, NULL, NULL},
};

const cli_option run_options[] = {
    {"resume", 0, NULL, "continue from the checkpoint of an earlier run, if there is one",
     CLI_FLAG(systems_options, resume)},
    {"checkpoint", 0, "FILE", "checkpoint of the run (default: beside the first output)",
     CLI_TEXT(systems_options, checkpoint)},
    {"checkpoint-every", 0, "S", "seconds between checkpoints (default 60)",
     CLI_NUMBER(systems_options, checkpoint_seconds, 1e-3)},
    {"max-hours", 0, "H", "stop with a checkpoint after H hours",
     CLI_NUMBER(systems_options, max_hours, 1e-9)},
    {"shard", 0, "I/N", "every N-th system, from the I-th on (I = 0 .. N-1); see shoal merge"},
    {"log", 0, "FILE", "append a log (options, inputs, devices, failures) to FILE, as JSON lines",
     CLI_TEXT(systems_options, log)},
    {NULL, 0, NULL, NULL},
};

const cli_option conformer_options[] = {
    {"conformers", 0, "N", "make N conformers of every molecule from its bonds; each is a system",
     CLI_COUNT(systems_options, conformers.n, 1, 1000000)},
    {"conformer-seed", 0, "S", "seed of the random starts of conformers (default 0)",
     CLI_SEED(systems_options, conformers.seed)},
    {NULL, 0, NULL, NULL},
};

const cli_option typing_options[] = {
    {"dialect", 0, "NAME", "dialect of uff: rdkit (default), paper or firecore"},
    {"charges", 0, "SOURCE",
     "auto (default: the file's, if any), none, file, qeq, qeq-molecules or mmff94",
     CLI_WORD(systems_options, typing.charges, charge_sources)},
    {"type", 0, "ATOMS=LABEL",
     "type of atoms: 3=C_R, 3-10=C_R, element:S=S_3+6, ..; may be repeated"},
    {"bond-order", 0, "I,J=ORDER", "bond order for the parameters, e.g. 0,1=1.41; repeatable"},
    {"add-hydrogens", 0, NULL, "add missing hydrogen atoms, by valence",
     CLI_FLAG(systems_options, add_hydrogens)},
    {"keep-flat", 0, NULL, "compute flat drawings as they are",
     CLI_FLAG(systems_options, keep_flat)},
    {"file-types", 0, NULL, "use the types that an earlier run of Shoal wrote into the file",
     CLI_FLAG(systems_options, file_types)},
    {"drop-solvent", 0, NULL, "frameworks: remove solvent and ions that are not bonded to them",
     CLI_FLAG(systems_options, drop_solvent)},
    {"primitive", 0, NULL, "crystals: use the primitive cell (needs spglib)",
     CLI_FLAG(systems_options, primitive)},
    {"space-group", 0, NULL, "crystals: add the space group to JSON and outputs (needs spglib)",
     CLI_FLAG(systems_options, space_group)},
    {"fragment", 0, "N", "1 or 2: one molecule of dimers (n0 and Etot in the comment), or all"},
    {NULL, 0, NULL, NULL},
};

const cli_option perceiving_options[] = {
    {"charge", 0, "Q",
     "total charge, if formal charges must be found (default: the file's, else 0)"},
    {"rebuild-bonds", 0, NULL, "ignore the file's bonds and find them from distances",
     CLI_FLAG(systems_options, perceive.rebuild_bonds)},
    {"bond-slack", 0, "D",
     "bonds reach D angstrom beyond covalent radii (default 0.3, to H 0.45, metals 0.4)",
     CLI_NUMBER(systems_options, perceive.bond_slack, 1e-6)},
    {"major-part", 0, NULL, "disordered crystals: keep the groups with the largest occupancy",
     CLI_FLAG(systems_options, read.major_part)},
    {NULL, 0, NULL, NULL},
};

int systems_load_table(systems_options *o)
{
    shoal_status status = SHOAL_OK;
    if (o->topology && (o->forcefield || o->params || o->ff_table || o->like || o->dialect ||
                        o->typing.charges != SHOAL_CHARGES_AUTO || o->n_types > 0 ||
                        o->n_orders > 0 || o->file_types || o->typing.no_angle_guard))
        return cli_misuse("--topology has all parameters; expected no option that chooses others");
    if (o->topology) status = shoal_topology_read(&o->typing.topology, o->topology);
    if (o->ff_table) status = shoal_ff_table_read(&o->table, o->ff_table);
    o->typing.table = o->table;
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

int systems_load_params(systems_options *o, shoal_engine_options *engine)
{
    const int code = systems_load_table(o);
    if (code != EXIT_ALL_FINE) return code;
    if (o->like && o->params)
        return cli_misuse("--like %s has pairs of its own; expected no --params", o->like);
    const double damping = engine->coulomb_damping;
    if (o->like && shoal_like(o->like, NULL, engine) != SHOAL_OK)
        return complain_of_status(SHOAL_E_ARGUMENT);
    if (cli_was_given("damping")) engine->coulomb_damping = damping; /* also if it is 0 */
    if (!o->params) return EXIT_ALL_FINE;
    const shoal_status status = shoal_pair_model_read(&o->pair_model, o->params);
    if (status != SHOAL_OK) return complain_of_status(status);
    o->typing.model = o->pair_model;
    if (engine->mixing == SHOAL_MIXING_GEOMETRIC)
        return cli_misuse(
            "--mixing geometric: the pair model of --params has R0 = Ri + Rj; expected "
            "no --mixing, or arithmetic");
    engine->mixing = SHOAL_MIXING_ARITHMETIC;
    return EXIT_ALL_FINE;
}

shoal_status systems_read_frame(const char *option, const char *path, shoal_molecule **out)
{
    shoal_molecule **frames;
    int32_t n;
    const shoal_status status = shoal_molecules_read(&frames, &n, path);
    if (status != SHOAL_OK) {
        cli_complain("--%s: %s", option, shoal_error_text());
        return status;
    }
    if (n == 1) *out = frames[0];
    for (int32_t k = 0; k < n && n > 1; ++k) shoal_molecule_destroy(frames[k]);
    free((void *)frames);
    if (n == 1) return SHOAL_OK;
    cli_complain("--%s %s: the file has %d frames, expected one", option, path, n);
    return SHOAL_E_FORMAT;
}

bool take_input_option(void *target, const char *name, const char *value)
{
    systems_options *o = target;
    o->format = shoal_format_by_name(value);
    if (o->format != SHOAL_FORMAT_AUTO) return true;
    return cli_refuse(
        "--%s '%s': expected xyz, extxyz, sdf, mol, mol2, smi, csv, cif, poscar, pdb or h5", name,
        value);
}

static bool add_output(systems_options *o, const char *path)
{
    const char **more = realloc((void *)o->outputs, (size_t)(o->n_outputs + 1) * sizeof *more);
    if (!more) return cli_refuse("out of memory");
    o->outputs = more;
    o->outputs[o->n_outputs++] = path;
    return true;
}

bool output_agrees(const systems_options *o)
{
    const char *option = o->positions ? "positions" : o->forces ? "forces" : NULL;
    bool has = o->json;
    for (int k = 0; k < o->n_outputs; ++k) {
        shoal_run_output to = {0};
        has = has || (shoal_run_output_choose(&to, o->outputs[k], o->output_format) == SHOAL_OK &&
                      to.kind == SHOAL_OUTPUT_TEXT);
    }
    if (!option || has) return true;
    return cli_refuse("--%s applies to JSON; expected --json or an output such as .jsonl", option);
}

static bool choose_output_format(systems_options *o, const char *name)
{
    shoal_run_output to;
    o->output_format = name;
    if (shoal_run_output_choose(&to, "output", name) == SHOAL_OK) return true;
    return cli_refuse("--output-format %s", shoal_error_text());
}

bool take_output_option(void *target, const char *name, const char *value)
{
    return strcmp(name, "output") == 0 ? add_output(target, value)
                                       : choose_output_format(target, value);
}

bool take_run_option(void *target, const char *name, const char *value)
{
    systems_options *o = target;
    char rest;
    if (strlen(value) < 20 && sscanf(value, "%9d/%9d%c", &o->shard, &o->n_shards, &rest) == 2 &&
        o->n_shards > 0 && o->shard >= 0 && o->shard < o->n_shards)
        return true;
    return cli_refuse("--%s '%s': expected I/N with I from 0 to N-1, e.g. 0/3", name, value);
}

/* ATOMS=LABEL; no label has an equals sign, and neither has a selection. */
static bool add_type(systems_options *o, const char *value)
{
    shoal_type_override t = {0};
    char atoms[256];
    const char *equals = strchr(value, '=');
    const size_t size = equals ? (size_t)(equals - value) : 0;
    if (size == 0 || size >= sizeof atoms || !equals[1] || strlen(equals + 1) >= sizeof t.label)
        return cli_refuse("--type '%s': expected ATOMS=LABEL, e.g. 3=C_R or element:S=S_3+6",
                          value);
    memcpy(atoms, value, size);
    atoms[size] = '\0';
    memcpy(t.label, equals + 1, strlen(equals + 1));
    shoal_type_override *more = realloc(o->types, (size_t)(o->n_types + 1) * sizeof *more);
    if (!more) return false;
    o->types = more;
    if (shoal_selection_create(&t.where, atoms) != SHOAL_OK)
        return cli_refuse("--type: %s", shoal_error_text());
    o->types[o->n_types++] = t;
    return true;
}

static bool add_order(systems_options *o, const char *value)
{
    shoal_bond_override b = {0};
    char rest;
    if (sscanf(value, "%d,%d=%lf%c", &b.i, &b.j, &b.order, &rest) != 3 || b.i < 0 || b.j < 0 ||
        !(b.order > 0) || b.order > 6)
        return cli_refuse("--bond-order '%s': expected I,J=ORDER, e.g. 0,1=1.5", value);
    shoal_bond_override *more = realloc(o->orders, (size_t)(o->n_orders + 1) * sizeof *more);
    if (!more) return false;
    o->orders = more;
    o->orders[o->n_orders++] = b;
    o->typing.orders = o->orders;
    o->typing.n_orders = o->n_orders;
    return true;
}

bool take_typing_option(void *target, const char *name, const char *value)
{
    systems_options *o = target;
    if (strcmp(name, "type") == 0) return add_type(o, value);
    if (strcmp(name, "bond-order") == 0) return add_order(o, value);
    if (strcmp(name, "dialect") == 0) return take_dialect(o, value);
    if (strcmp(name, "charge") == 0) {
        o->perceive.has_total_charge = true;
        return cli_integer(name, value, -1000, 1000, &o->perceive.total_charge);
    }
    o->fragment = 0;
    return strcmp(value, "all") == 0 || cli_integer(name, value, 1, 2, &o->fragment);
}

static void say_idle_rows(const systems_options *o)
{
    int32_t line = 0;
    const int32_t n = shoal_ff_table_idle(o->table, &line);
    if (n > 0)
        cli_complain("warning: %s: %d row%s nothing in these molecules, the first in line %d",
                     o->ff_table, n, n == 1 ? " fits" : "s fit", line);
}

void systems_options_free(systems_options *o)
{
    say_idle_rows(o);
    free((void *)o->outputs);
    for (int k = 0; k < o->n_types; ++k) shoal_selection_destroy(o->types[k].where);
    free(o->types);
    free(o->orders);
    shoal_pair_model_destroy(o->pair_model);
    shoal_ff_table_destroy(o->table);
    shoal_topology_destroy(o->typing.topology);
}

int exit_of_status(shoal_status status)
{
    switch (status) {
    case SHOAL_OK: return EXIT_ALL_FINE;
    case SHOAL_E_DEVICE:
    case SHOAL_E_UNSUPPORTED:
    case SHOAL_E_MEMORY: return EXIT_DEVICE;
    case SHOAL_E_FORMAT:
    case SHOAL_E_IO: return EXIT_FILES;
    default: return EXIT_USAGE;
    }
}

int complain_of_status(shoal_status status)
{
    cli_complain("%s", shoal_error_text());
    return exit_of_status(status);
}

int complain_of_output(void)
{
    cli_complain("%s", shoal_error_text());
    return EXIT_FILES;
}
