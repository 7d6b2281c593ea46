/* SPDX-License-Identifier: BSD-3-Clause
 * Options of all commands that compute. */
#include "engine_options.h"

#include <string.h>

static const cli_word precisions[] = {{"float", SHOAL_PRECISION_FLOAT},
                                      {"double", SHOAL_PRECISION_DOUBLE},
                                      {"auto", SHOAL_PRECISION_AUTO},
                                      {0}};
static const cli_word mixings[] = {
    {"geometric", SHOAL_MIXING_GEOMETRIC}, {"arithmetic", SHOAL_MIXING_ARITHMETIC}, {0}};
static const cli_word ewalds[] = {
    {"auto", SHOAL_EWALD_AUTO}, {"plain", SHOAL_EWALD_PLAIN}, {"mesh", SHOAL_EWALD_MESH}, {0}};

const cli_option engine_option_table[] = {
    {"device", 0, "NAME", "cpu, opencl[:WHICH], auto, ref or shadow:NAME; see shoal devices"},
    {"precision", 0, "P",
     "float, double or auto (default: auto: float, but energies on cpu in double)",
     CLI_WORD(engine_settings, engine.precision, precisions)},
    {"terms", 0, "LIST",
     "terms to keep: bond,angle,torsion,inversion,sigma_pi,pi_pi,vdw,coulomb,surface; restraint "
     "always stays"},
    {"mixing", 0, "RULE", "mixing of vdW distances: geometric (default) or arithmetic",
     CLI_WORD(engine_settings, engine.mixing, mixings)},
    {"damping", 0, "D", "damped Coulomb kC q q / sqrt(r^2 + D^2), D in angstrom (default 0)",
     CLI_NUMBER(engine_settings, engine.coulomb_damping, 0)},
    {"pair-clamp", 0, "C",
     "bad starts: constant pair forces below C times the vdW distance, e.g. 0.6 (default 0: off)",
     CLI_NUMBER(engine_settings, engine.pair_clamp, 0)},
    {"vdw-cutoff", 0, "R", "periodic systems: vdW switched off at R angstrom (default 12)",
     CLI_NUMBER(engine_settings, engine.vdw_cutoff, 1)},
    {"vdw-tail", 0, NULL, "crystals: add the mean vdW energy that the cut-off leaves out",
     CLI_FLAG(engine_settings, engine.vdw_tail)},
    {"ewald", 0, "SUM",
     "Coulomb sums of crystals: plain, mesh, or auto, whichever is faster (default)",
     CLI_WORD(engine_settings, engine.ewald, ewalds)},
    {"ewald-tolerance", 0, "E",
     "relative error of these sums (default 1e-10; in float at least 1e-7)",
     CLI_NUMBER(engine_settings, engine.ewald_tolerance, 1e-15)},
    {"device-memory", 0, "MIB", "OpenCL: use about MIB MiB of its memory (default: 30 %)"},
    {NULL, 0, NULL, NULL},
};

const cli_option table_options[] = {
    {"kcal", 0, NULL, "energies in kcal/mol instead of eV (JSON is always in eV)",
     CLI_FLAG(engine_settings, kcal)},
    {NULL, 0, NULL, NULL},
};

/* Switches all terms off but the listed ones; restraints were asked for, so they stay. */
static bool choose_terms(engine_settings *s, const char *list)
{
    uint32_t on = 1u << SHOAL_TERM_RESTRAINT;
    for (const char *at = list; *at;) {
        const size_t n = strcspn(at, ",");
        const int term = shoal_term_by_name(at, n);
        if (term < 0)
            return cli_refuse(
                "--terms '%s': unknown term '%.*s'; expected some of bond, angle, torsion, "
                "inversion, sigma_pi, pi_pi, vdw, coulomb, surface, restraint",
                list, (int)n, at);
        on |= 1u << term;
        at += n + (at[n] == ',');
    }
    s->engine.terms_off = ~on;
    return true;
}

/* Kernels are compiled anew each time where they cannot be kept. */
static void tell_of_cache(const char *device)
{
    if (strstr(device, "opencl") && shoal_cache_folder(NULL, 0) == SHOAL_E_IO)
        cli_complain("warning: %s", shoal_error_text());
}

/* "auto" becomes the name of a device here, so that results can tell which one it was. */
static bool choose_device(engine_settings *s, const char *value)
{
    s->engine.device = value;
    if (strcmp(value, "auto") != 0) {
        tell_of_cache(value);
        return true;
    }
    if (shoal_device_resolve(value, s->device) != SHOAL_OK)
        return cli_refuse("--device auto: %s", shoal_error_text());
    s->engine.device = s->device;
    cli_complain("--device auto: %s", s->device);
    tell_of_cache(s->device);
    return true;
}

static bool choose_memory(engine_settings *s, const char *value)
{
    int mib;
    if (!cli_integer("device-memory", value, 1, 1 << 30, &mib)) return false;
    s->engine.device_bytes = (int64_t)mib << 20;
    return true;
}

bool take_engine_option(void *target, const char *name, const char *value)
{
    engine_settings *s = target;
    if (strcmp(name, "terms") == 0) return choose_terms(s, value);
    if (strcmp(name, "device") == 0) return choose_device(s, value);
    return choose_memory(s, value);
}

/* Terms that a force field does not have: switching them on is a mistake. */
static bool terms_agree(const engine_settings *s, shoal_forcefield forcefield)
{
    static const int of_others[2][2] = {{SHOAL_TERM_SIGMA_PI, SHOAL_TERM_PI_PI},
                                        {SHOAL_TERM_TORSION, SHOAL_TERM_INVERSION}};
    const bool is_mmffsp3 = forcefield == SHOAL_FORCEFIELD_MMFFSP3;
    if (s->engine.terms_off == 0) return true;
    for (int k = 0; k < 2; ++k) {
        const int term = of_others[is_mmffsp3][k];
        if (s->engine.terms_off >> term & 1u) continue;
        return cli_refuse("--terms %s: %s has no such term", shoal_term_name(term),
                          is_mmffsp3 ? "mmffsp3" : "uff");
    }
    return true;
}

bool settings_agree(const engine_settings *s, shoal_forcefield forcefield)
{
    const bool is_auto = s->engine.device == s->device;
    if (forcefield == SHOAL_FORCEFIELD_MMFFSP3 && s->engine.mixing != SHOAL_MIXING_DEFAULT)
        return cli_refuse("--mixing is a choice of uff; mmffsp3 has a rule of its own");
    if (s->engine.device_bytes > 0 && !is_auto && !strstr(s->engine.device, "opencl"))
        return cli_refuse("--device-memory applies to OpenCL devices; '%s' is not one",
                          s->engine.device);
    return terms_agree(s, forcefield);
}

bool settings_repeat(const engine_settings *s)
{
    const shoal_engine_options *e = &s->engine;
    return e->vdw_cutoff > 0 || e->vdw_tail || e->ewald || e->ewald_tolerance > 0;
}

double settings_unit(const engine_settings *s)
{
    return s->kcal ? shoal_unit_value(SHOAL_UNIT_KCAL_PER_MOL) : 1;
}

const char *settings_unit_name(const engine_settings *s)
{
    return s->kcal ? "kcal/mol" : "eV";
}
