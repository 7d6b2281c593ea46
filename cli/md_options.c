/* SPDX-License-Identifier: BSD-3-Clause
 * Options of dynamics. */
#include "md_options.h"

#include <stdlib.h>
#include <string.h>

#define HEAVIEST_HYDROGEN 20.0 /* amu */

static const cli_word thermostats[] = {{"none", SHOAL_THERMOSTAT_NONE},
                                       {"langevin", SHOAL_THERMOSTAT_LANGEVIN},
                                       {"nose-hoover", SHOAL_THERMOSTAT_NOSE_HOOVER},
                                       {0}};
static const cli_word velocity_sources[] = {{"drawn", false}, {"file", true}, {0}};

const cli_option md_option_table[] = {
    {"steps", 0, "N", "steps of every system (default 1000)",
     CLI_COUNT(md_settings, md.n_steps, 1, 2000000000)},
    {"dt", 0, "T", "length of a step, fs (default 0.5)", CLI_NUMBER(md_settings, md.dt, 1e-9)},
    {"temperature", 0, "T",
     "K, of thermostat and initial velocities: T, or a ramp T:T over the run (default 300)"},
    {"anneal", 0, "T:T:..", "K, several ramps of equal length"},
    {"temperatures", 0, "T,T,..", "K, one for each copy"},
    {"thermostat", 0, "NAME", "none (default), langevin or nose-hoover",
     CLI_WORD(md_settings, md.thermostat, thermostats)},
    {"friction", 0, "F", "friction of langevin, 1/fs (default 0.01)",
     CLI_NUMBER(md_settings, md.friction, 1e-9)},
    {"tau", 0, "T", "of nose-hoover: its period over 2 pi, fs (default 20)",
     CLI_NUMBER(md_settings, md.tau, 1e-9)},
    {"velocities", 0, "SOURCE", "initial velocities: drawn (default), or file, if it has momenta",
     CLI_WORD(md_settings, md.own_velocities, velocity_sources)},
    {"seed", 0, "S", "seed of all random numbers (default 0)", CLI_SEED(md_settings, md.seed)},
    {"stride", 0, "K", "frames and samples every K steps (default 100)",
     CLI_COUNT(md_settings, md.stride, 1, 2000000000)},
    {"copies", 0, "N", "N copies of every system, with other velocities",
     CLI_COUNT(md_settings, n_copies, 1, 2000000000)},
    {"exchange", 0, "N", "replica exchange: copies may swap temperatures every N steps",
     CLI_COUNT(md_settings, md.exchange_every, 1, 2000000000)},
    {"remove-motion", 0, "N", "remove overall motion every N steps (default: at the start)",
     CLI_COUNT(md_settings, md.remove_every, 1, 2000000000)},
    {"hydrogen-mass", 0, "M", "mass of bonded hydrogens, amu, taken from their neighbours",
     CLI_NUMBER(md_settings, md.hydrogen_mass, 1e-9)},
    {"rigid-bonds", 0, NULL, "bonds to hydrogen keep their lengths, for --dt 2",
     CLI_FLAG(md_settings, md.rigid_bonds)},
    {NULL, 0, NULL, NULL},
};

/* Temperatures separated by a character; returns how many there are, 0 after a message. */
static int take_list(const char *name, const char *value, char between, double *out)
{
    const int n = cli_numbers(value, between, MD_TEMPERATURES, out);
    bool good = n > 0;
    for (int k = 0; k < n; ++k) good = good && out[k] >= 0 && out[k] <= 1e6;
    if (good) return n;
    cli_complain("--%s '%s': expected up to %d temperatures in K, e.g. 300%c600", name, value,
                 MD_TEMPERATURES, between);
    return 0;
}

bool take_md_option(void *target, const char *name, const char *value)
{
    md_settings *s = target;
    const bool of_copies = strcmp(name, "temperatures") == 0;
    const int n =
        take_list(name, value, of_copies ? ',' : ':', of_copies ? s->kelvin_of_copies : s->kelvin);
    if (n > 2 && strcmp(name, "temperature") == 0)
        return cli_refuse("--temperature '%s': expected T or T:T; --anneal takes more", value);
    if (of_copies)
        s->md.n_copies = n;
    else
        s->md.n_temperatures = n;
    return n > 0;
}

/* Copies differ by their numbers alone, which their velocities are drawn by. */
static shoal_status make_copy(void *user, const shoal_stream_system *system,
                              const shoal_stream_system *earlier, int32_t n_earlier,
                              double (*pos)[3], shoal_restraint *restraints)
{
    (void)user, (void)system, (void)earlier, (void)n_earlier, (void)pos, (void)restraints;
    return SHOAL_OK;
}

int md_settings_settle(md_settings *s)
{
    shoal_md_options *o = &s->md;
    const int n_kelvin = o->n_copies;
    if (n_kelvin > 0 && s->n_copies == 0) s->n_copies = n_kelvin;
    if (n_kelvin > 0 && (o->n_temperatures > 0 || s->n_copies % n_kelvin != 0))
        return cli_misuse("--temperatures gives %d copies one each; expected no --temperature or "
                          "--anneal, and --copies a multiple of that",
                          n_kelvin);
    if (o->exchange_every > 0 && (n_kelvin < 2 || o->thermostat == SHOAL_THERMOSTAT_NONE))
        return cli_misuse(
            "--exchange needs --temperatures of two copies or more, and a thermostat");
    if (o->friction > 0 && o->thermostat != SHOAL_THERMOSTAT_LANGEVIN)
        return cli_misuse("--friction belongs to --thermostat langevin");
    if (o->tau > 0 && o->thermostat != SHOAL_THERMOSTAT_NOSE_HOOVER)
        return cli_misuse("--tau belongs to --thermostat nose-hoover");
    if (o->remove_every > 0 && o->thermostat == SHOAL_THERMOSTAT_LANGEVIN)
        return cli_misuse(
            "--remove-motion: langevin drives the overall motion, too; expected another "
            "thermostat");
    if (o->n_temperatures > 1 && o->thermostat == SHOAL_THERMOSTAT_NONE)
        return cli_misuse(
            "a temperature that changes needs a bath; expected --thermostat langevin or "
            "nose-hoover");
    if (o->hydrogen_mass > HEAVIEST_HYDROGEN)
        return cli_misuse("--hydrogen-mass is %g, expected %g amu at most", o->hydrogen_mass,
                          HEAVIEST_HYDROGEN);
    if (o->n_temperatures > 0) o->temperatures = s->kelvin;
    if (n_kelvin > 0) o->copy_temperatures = s->kelvin_of_copies;
    if (s->n_copies > 0)
        s->variants = (shoal_variants){
            .n = s->n_copies, .group = o->exchange_every > 0 ? n_kelvin : 0, .make = make_copy};
    return EXIT_ALL_FINE;
}
