/* SPDX-License-Identifier: BSD-3-Clause
 * How the molecules of a command are put before they are computed, and copies of them. */
#include "placement_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_word orients[] = {{"flat", SHOAL_ORIENT_FLAT},
                                   {"upright", SHOAL_ORIENT_UPRIGHT},
                                   {"asis", SHOAL_ORIENT_AS_IS},
                                   {0}};

const cli_option placement_option_table[] = {
    {"orient", 0, "HOW", "flat, upright (by axes of inertia) or asis (default)",
     CLI_WORD(placement_settings, placement.orient, orients)},
    {"rotate", 0, "RX,RY,RZ", "then rotate about x, y and z through the centre, degrees"},
    {"at", 0, "X,Y", "then move the centre of every molecule to X,Y, angstrom"},
    {"with-slab", 0, NULL, "write the atoms and the cell of the substrate to molecule files, too",
     CLI_FLAG(placement_settings, with_slab)},
    {"adsorption", 0, NULL,
     "also relax every molecule alone, and print the adsorption energy: total minus alone",
     CLI_FLAG(placement_settings, adsorption)},
    {NULL, 0, NULL, NULL},
};

const cli_option copies_option_table[] = {
    {"copies", 0, "N", "N copies of every molecule; the first is unchanged"},
    {"jitter", 0, "D", "displace x, y and z of atoms in the other copies by up to D angstrom",
     CLI_NUMBER(placement_settings, jitter.distance, 1e-12)},
    {"seed", 0, "S", "seed of the random numbers (default 1); the same seed gives the same copies",
     CLI_SEED(placement_settings, jitter.seed)},
    {NULL, 0, NULL, NULL},
};

static bool take_copies(placement_settings *p, const char *value)
{
    int n;
    if (!cli_integer("copies", value, 1, 1000000000, &n)) return false;
    p->jitter.n_copies = n;
    return true;
}

bool take_placement_option(void *target, const char *name, const char *value)
{
    placement_settings *p = target;
    if (strcmp(name, "copies") == 0) return take_copies(p, value);
    if (strcmp(name, "rotate") == 0) return cli_take_numbers(name, value, 3, p->placement.rotate);
    p->placement.has_at = true;
    return cli_take_numbers(name, value, 2, p->placement.at);
}

static int complain_of_option(const char *option, const char *needs)
{
    return cli_misuse("--%s needs --%s", option, needs);
}

int placement_attach_alone(placement_settings *p, const surface_settings *surface, systems_job *job)
{
    if (p->with_slab && !surface->surface) return complain_of_option("with-slab", "surface");
    if (p->adsorption && !surface->surface) return complain_of_option("adsorption", "surface");
    if (p->jitter.distance > 0 && p->jitter.n_copies == 0)
        return complain_of_option("jitter", "copies");
    if (cli_was_given("seed") && p->jitter.n_copies == 0 && !p->draws)
        return complain_of_option("seed", "copies");
    if (!cli_was_given("seed")) p->jitter.seed = 1;
    p->placement.height = surface->height;
    p->jitter.movable = surface->movable;
    job->stream.build.placement = &p->placement;
    job->stream.compute.adsorption = p->adsorption;
    job->stream.compute.alone = shoal_search_conformers();
    job->slab = p->with_slab ? surface->surface : NULL;
    memcpy(job->slab_c, surface->c, sizeof job->slab_c);
    return EXIT_ALL_FINE;
}

int placement_attach(placement_settings *p, const surface_settings *surface, systems_job *job)
{
    const int code = placement_attach_alone(p, surface, job);
    if (code != EXIT_ALL_FINE || p->jitter.n_copies == 0) return code;
    if (shoal_jitter_variants(&p->jitter, &p->variants) != SHOAL_OK)
        return complain_of_status(SHOAL_E_ARGUMENT);
    job->stream.build.variants = &p->variants;
    return EXIT_ALL_FINE;
}
