/* SPDX-License-Identifier: BSD-3-Clause
 * Options that choose a force field. */
#include "forcefield_options.h"

#include <string.h>

static const cli_word dielectrics[] = {{"constant", 0}, {"distance", 1}, {0}};

const cli_option forcefield_options[] = {
    {"forcefield", 0, "NAME",
     "uff (default), uff:paper, uff:firecore, uff4mof, mmff94, mmff94s, mmffsp3 or "
     "mmffsp3:firecore"},
    {"dielectric", 0, "KIND",
     "mmff94: constant (default) or distance, 1 in angstrom times the distance",
     CLI_WORD(systems_options, typing.far_dielectric, dielectrics)},
    {"like", 0, "PROGRAM",
     "settings of another program: firecore (uff:firecore, arithmetic mixing, damping 1)"},
    {"topology", 0, "FILE",
     "use a topology that Python saved: types, terms and pairs of the molecules",
     CLI_TEXT(systems_options, topology)},
    {"ff-table", 0, "FILE",
     "table of parameters that replace those of the force field, by types or atoms",
     CLI_TEXT(systems_options, ff_table)},
    {"electron-pairs", 0, NULL, "mmffsp3: lone pairs as separate charged points",
     CLI_FLAG(systems_options, typing.electron_pairs)},
    {NULL, 0, NULL, NULL},
};

const cli_option params_options[] = {
    {"params", 0, "FILE",
     "pair model: noncovalent, a file of 'shoal fit -o', or a table of atom types (LJ 12-6); "
     "replaces the force field's LJ",
     CLI_TEXT(systems_options, params)},
    {"bond-scale", 0, "X", "mmffsp3: bond constants times X (default 1)",
     CLI_NUMBER(systems_options, typing.bond_scale, 1e-6)},
    {"pi-softening", 0, "D",
     "mmffsp3: cosine over which the cusp of crossed pi vectors is rounded (default 0)",
     CLI_NUMBER(systems_options, typing.pi_softening, 0)},
    {"no-angle-guard", 0, NULL, "uff: no guard against coinciding neighbours of an atom",
     CLI_FLAG(systems_options, typing.no_angle_guard)},
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
    o->like = value;
    if (shoal_like(value, NULL, NULL) != SHOAL_OK)
        return cli_refuse("--like: %s", shoal_error_text());
    return settle(o);
}

bool forcefield_agrees(const systems_options *o)
{
    static const char *const of_mmffsp3[] = {"electron-pairs", "bond-scale", "pi-softening",
                                             "pi-inertia"};
    const char *own = NULL;
    for (size_t k = 0; k < sizeof of_mmffsp3 / sizeof of_mmffsp3[0] && !own; ++k)
        if (cli_was_given(of_mmffsp3[k])) own = of_mmffsp3[k];
    const shoal_forcefield field = o->typing.forcefield;
    const bool is_mmffsp3 = field == SHOAL_FORCEFIELD_MMFFSP3;
    const bool is_mmff94 = field == SHOAL_FORCEFIELD_MMFF94 || field == SHOAL_FORCEFIELD_MMFF94S;
    if (cli_was_given("dielectric") && !is_mmff94)
        cli_complain("--dielectric needs --forcefield mmff94 or mmff94s");
    else if (own && !is_mmffsp3)
        cli_complain("--%s needs --forcefield mmffsp3", own);
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
