/* SPDX-License-Identifier: BSD-3-Clause
 * Options that choose a force field. */
#include "forcefield_options.h"

#include <string.h>

const cli_option forcefield_options[] = {
    {"forcefield", 0, "NAME",
     "uff (default), uff:paper, uff:firecore, uff4mof, mmff94, mmff94s, mmffsp3 or "
     "mmffsp3:firecore"},
    {"dielectric", 0, "KIND",
     "mmff94: constant (default) or distance, 1 in angstrom times the distance"},
    {"like", 0, "PROGRAM",
     "numbers of another program: firecore (uff:firecore, arithmetic mixing, damping 1)"},
    {"topology", 0, "FILE",
     "types, terms and pairs of the molecules: a topology that Python saved"},
    {"ff-table", 0, "FILE",
     "parameters that take the place of those of the force field, by types or atoms"},
    {"electron-pairs", 0, NULL, "mmffsp3: lone pairs as points with charges of their own"},
    {NULL, 0, NULL, NULL},
};

const cli_option params_options[] = {
    {"params", 0, "FILE",
     "pair model of 'shoal fit -o', or a table of atom types (LJ 12-6), instead of the force "
     "field's LJ"},
    {"bond-scale", 0, "X", "mmffsp3: bond constants times X (default 1)"},
    {"pi-softening", 0, "D",
     "mmffsp3: cosine over which the cusp of crossed pi vectors is rounded (default 0)"},
    {"no-angle-guard", 0, NULL, "uff: let neighbours of an atom coincide where its angles do"},
    {NULL, 0, NULL, NULL},
};

/* --forcefield and --dialect in either order; a bare "uff" leaves the dialect open. */
static bool settle(systems_options *o)
{
    if (o->forcefield && shoal_forcefield_by_name(o->forcefield, &o->typing) != SHOAL_OK)
        return cli_refuse("--forcefield: %s", shoal_error_text());
    if (o->like && (o->forcefield || o->dialect))
        return cli_refuse("--like %s chooses the force field; expected no --%s", o->like,
                          o->forcefield ? "forcefield" : "dialect");
    if (o->like) return shoal_like(o->like, &o->typing, NULL) == SHOAL_OK;
    if (!o->dialect) return true;
    const shoal_dialect dialect = (shoal_dialect)shoal_dialect_by_name(o->dialect);
    const bool is_open = !o->forcefield || strcmp(o->forcefield, "uff") == 0;
    if (!is_open && (dialect != o->typing.dialect || !strchr(o->forcefield, ':')))
        return cli_refuse("--dialect %s contradicts --forcefield %s; dialects are those of uff",
                          o->dialect, o->forcefield);
    o->typing.dialect = dialect;
    return true;
}

bool take_dialect(systems_options *o, const char *value)
{
    if (shoal_dialect_by_name(value) < 0)
        return cli_refuse("--dialect '%s': expected rdkit, paper or firecore", value);
    o->dialect = value;
    return settle(o);
}

bool take_forcefield_option(void *target, const char *name, const char *value)
{
    systems_options *o = target;
    if (strcmp(name, "forcefield") == 0) {
        o->forcefield = value;
        return settle(o);
    }
    if (strcmp(name, "like") == 0) {
        o->like = value;
        if (shoal_like(value, NULL, NULL) != SHOAL_OK)
            return cli_refuse("--like: %s", shoal_error_text());
        return settle(o);
    }
    if (strcmp(name, "topology") == 0) {
        o->topology = value;
        return true;
    }
    if (strcmp(name, "ff-table") == 0) {
        o->ff_table = value;
        return true;
    }
    if (strcmp(name, "params") == 0) {
        o->params = value;
        return true;
    }
    if (strcmp(name, "no-angle-guard") == 0) {
        o->typing.no_angle_guard = true;
        return true;
    }
    if (strcmp(name, "dielectric") == 0) {
        static const cli_word kinds[] = {{"constant", 0}, {"distance", 1}, {0}};
        int kind = 0;
        o->of_mmff94 = name;
        if (!cli_choose(name, value, kinds, &kind)) return false;
        o->typing.far_dielectric = kind == 1;
        return true;
    }
    o->of_mmffsp3 = name;
    if (strcmp(name, "bond-scale") == 0)
        return cli_number(name, value, 1e-6, &o->typing.bond_scale);
    if (strcmp(name, "pi-inertia") == 0)
        return cli_number(name, value, 1e-6, &o->typing.pi_inertia);
    if (strcmp(name, "pi-softening") == 0)
        return cli_number(name, value, 0, &o->typing.pi_softening);
    o->typing.electron_pairs = true;
    return true;
}

bool forcefield_agrees(const systems_options *o)
{
    const shoal_forcefield field = o->typing.forcefield;
    const bool is_mmffsp3 = field == SHOAL_FORCEFIELD_MMFFSP3;
    const bool is_mmff94 = field == SHOAL_FORCEFIELD_MMFF94 || field == SHOAL_FORCEFIELD_MMFF94S;
    if (o->of_mmff94 && !is_mmff94)
        cli_complain("--%s goes with --forcefield mmff94 or mmff94s", o->of_mmff94);
    else if (o->of_mmffsp3 && !is_mmffsp3)
        cli_complain("--%s goes with --forcefield mmffsp3", o->of_mmffsp3);
    else if (o->typing.no_angle_guard && field != SHOAL_FORCEFIELD_UFF &&
             field != SHOAL_FORCEFIELD_UFF4MOF)
        cli_complain("--no-angle-guard is a choice of uff; %s has no such guard",
                     is_mmffsp3 ? "mmffsp3" : "mmff94");
    else
        return true;
    return false;
}

const char *forcefield_name(const systems_options *o)
{
    static const char *const of_dialects[] = {"uff", "uff:paper", "uff:firecore"};
    return o->typing.forcefield == SHOAL_FORCEFIELD_UFF ? of_dialects[o->typing.dialect]
                                                        : o->forcefield;
}
