/* SPDX-License-Identifier: BSD-3-Clause
 * What holds the atoms of every system of a command: --fix, --rigid and --restrain. */
#include "constraints.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const cli_option constraint_options[] = {
    {"fix", 0, "ATOMS", "atoms that do not move: 0,3-10, element:C&below:2.5, ..; repeatable"},
    {"rigid", 0, "WHAT",
     "moves as a rigid body: molecules, or atoms such as 0-11 or all; repeatable"},
    {"restrain", 0, "WHAT",
     "harmonic restraint k/2 (x - value)^2, in eV, A and degrees; repeatable"},
    {NULL, 0, NULL, NULL},
};

bool constraints_take_atoms(const char *name, const char *value, int32_t **atoms, int *n)
{
    for (const char *at = value;; ++at) {
        int32_t *more = realloc(*atoms, (size_t)(*n + 1) * sizeof *more);
        if (!more) return cli_refuse("out of memory");
        *atoms = more;
        char *end;
        errno = 0;
        const long x = strtol(at, &end, 10);
        if (end == at || errno || x < 0 || x > INT32_MAX) break;
        more[(*n)++] = (int32_t)x;
        at = end;
        if (*at == '\0') return true;
        if (*at != ',') break;
    }
    return cli_refuse("--%s '%s': expected atom indices, e.g. 0,5,7", name, value);
}

static bool add_selection(const char *name, const char *value, shoal_selection ***list, int *n)
{
    shoal_selection **more = realloc(*list, (size_t)(*n + 1) * sizeof *more);
    if (!more) return cli_refuse("out of memory");
    *list = more;
    if (shoal_selection_create(&more[*n], value) != SHOAL_OK)
        return cli_refuse("--%s: %s", name, shoal_error_text());
    ++*n;
    return true;
}

static bool add_rigid(constraints *c, const char *value)
{
    const bool molecules = strcmp(value, "molecules") == 0;
    if (c->molecules || (molecules && c->n_rigid > 0))
        return cli_refuse("--rigid molecules and --rigid again");
    c->molecules = molecules;
    return molecules || add_selection("rigid", value, &c->rigid, &c->n_rigid);
}

static bool add_restraint(constraints *c, const char *value)
{
    shoal_restraint *more =
        realloc(c->restraints, (size_t)(c->n_restraints + 1) * sizeof *c->restraints);
    if (!more) return cli_refuse("out of memory");
    c->restraints = more;
    if (shoal_restraint_parse(value, &c->restraints[c->n_restraints]) != SHOAL_OK)
        return cli_refuse("--restrain %s", shoal_error_text());
    ++c->n_restraints;
    return true;
}

bool take_constraint_option(void *target, const char *name, const char *value)
{
    constraints *c = target;
    if (strcmp(name, "rigid") == 0) return add_rigid(c, value);
    return strcmp(name, "fix") == 0 ? add_selection(name, value, &c->fix, &c->n_fix)
                                    : add_restraint(c, value);
}

void constraints_attach(const constraints *c, shoal_stream_options *stream)
{
    stream->constraints.fix = c->fix;
    stream->constraints.n_fix = c->n_fix;
    stream->constraints.rigid = c->rigid;
    stream->constraints.n_rigid = c->n_rigid;
    stream->constraints.rigid_molecules = c->molecules;
    stream->constraints.restraints = c->restraints;
    stream->constraints.n_restraints = c->n_restraints;
}

void constraints_free(constraints *c)
{
    for (int k = 0; k < c->n_fix; ++k) shoal_selection_destroy(c->fix[k]);
    for (int k = 0; k < c->n_rigid; ++k) shoal_selection_destroy(c->rigid[k]);
    free(c->fix);
    free(c->rigid);
    free(c->restraints);
}
