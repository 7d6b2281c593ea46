/* SPDX-License-Identifier: BSD-3-Clause
 * What holds the atoms of every system of a command: --fix and --restrain. */
#include "constraints.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RADIANS shoal_unit_value(SHOAL_UNIT_DEGREE) /* in a degree */

const cli_option constraint_options[] = {
    {"fix", 0, "ATOMS", "atoms that do not move: 0,3-10, element:C&below:2.5, ..; repeatable"},
    {"restrain", 0, "WHAT", "a harmonic pull k/2 (x - value)^2, in eV, A and degrees; repeatable"},
    {NULL, 0, NULL, NULL},
};

/* Takes a comma-separated atom index off the text. */
static bool take_index(const char **at, int32_t *out)
{
    char *end;
    errno = 0;
    const long x = strtol(*at, &end, 10);
    if (end == *at || errno || x < 0 || x > INT32_MAX) return false;
    *out = (int32_t)x;
    *at = end;
    return true;
}

static bool take_number(const char **at, double *out)
{
    char *end;
    const double x = strtod(*at, &end);
    if (end == *at || !isfinite(x)) return false;
    *out = x;
    *at = end;
    return true;
}

static bool take_char(const char **at, char c)
{
    if (**at != c) return false;
    ++*at;
    return true;
}

bool constraints_take_atoms(const char *name, const char *value, int32_t **atoms, int *n)
{
    for (const char *at = value;; ++at) {
        int32_t *more = realloc(*atoms, (size_t)(*n + 1) * sizeof *more);
        if (!more) return cli_refuse("out of memory");
        *atoms = more;
        if (!take_index(&at, &more[*n])) break;
        ++*n;
        if (*at == '\0') return true;
        if (*at != ',') break;
    }
    return cli_refuse("--%s '%s': expected atom indices, e.g. 0,5,7", name, value);
}

static bool add_fixed(constraints *c, const char *value)
{
    shoal_selection **more = realloc(c->fix, (size_t)(c->n_fix + 1) * sizeof *more);
    if (!more) return cli_refuse("out of memory");
    c->fix = more;
    if (shoal_selection_create(&c->fix[c->n_fix], value) != SHOAL_OK)
        return cli_refuse("--fix: %s", shoal_error_text());
    ++c->n_fix;
    return true;
}

static const char *const kinds[] = {"position:", "distance:", "angle:", "torsion:"};
static int n_atoms_of(const shoal_restraint *r)
{
    return (int)r->kind + 1;
}

/* x, y, z, xy, xz or yz before a colon: the directions of a position that are left free; 0 where it is none of them. */
static int free_directions(const char *text)
{
    int held = 0, last = 0;
    for (; *text && *text != ':'; ++text) {
        const int direction = *text - 'x';
        if (direction < 0 || direction > 2 || 1 << direction <= last) return 0;
        last = 1 << direction;
        held |= last;
    }
    return *text == ':' && held > 0 && held < 7 ? 7 - held : 0;
}

/* KIND:I[,J[,K[,L]]]=[VALUE,]K */
static bool parse_restraint(const char *text, shoal_restraint *r)
{
    int kind = 0;
    const int free = free_directions(text);
    while (kind < 4 && strncmp(text, kinds[kind], strlen(kinds[kind])) != 0) ++kind;
    if (kind == 4 && free == 0) return false;
    kind = free ? 0 : kind;
    const char *at = strchr(text, ':') + 1;
    *r = (shoal_restraint){.kind = (shoal_restraint_kind)kind, .value = free};
    for (int k = 0; k <= kind; ++k)
        if ((k > 0 && !take_char(&at, ',')) || !take_index(&at, &r->atoms[k])) return false;
    if (!take_char(&at, '=')) return false;
    if (kind > 0 && (!take_number(&at, &r->value) || !take_char(&at, ','))) return false;
    if (kind > 1) r->value *= RADIANS;
    return take_number(&at, &r->k) && r->k >= 0 && *at == '\0';
}

/* What no geometry can have; the library's own checks come too late to name the option. */
static bool check_restraint(const char *text, const shoal_restraint *r)
{
    const char *wrong = NULL;
    for (int k = 0; k < n_atoms_of(r); ++k)
        for (int l = 0; l < k; ++l)
            if (r->atoms[k] == r->atoms[l]) wrong = "expected different atoms";
    if (r->kind == SHOAL_RESTRAINT_DISTANCE && r->value < 0)
        wrong = "expected a distance of 0 angstrom or more";
    if (r->kind == SHOAL_RESTRAINT_ANGLE && !(r->value >= 0 && r->value <= 180 * RADIANS))
        wrong = "expected an angle from 0 to 180 degrees";
    if (wrong) cli_complain("--restrain '%s': %s", text, wrong);
    return !wrong;
}

static bool add_restraint(constraints *c, const char *value)
{
    shoal_restraint *more =
        realloc(c->restraints, (size_t)(c->n_restraints + 1) * sizeof *c->restraints);
    if (!more) return cli_refuse("out of memory");
    c->restraints = more;
    if (!parse_restraint(value, &c->restraints[c->n_restraints]))
        return cli_refuse(
            "--restrain '%s': expected position:I=K, xy:I=K, distance:I,J=ANGSTROM,K, "
            "angle:I,J,K=DEGREES,K or torsion:I,J,K,L=DEGREES,K",
            value);
    if (!check_restraint(value, &c->restraints[c->n_restraints])) return false;
    ++c->n_restraints;
    return true;
}

bool take_constraint_option(void *target, const char *name, const char *value)
{
    constraints *c = target;
    return strcmp(name, "fix") == 0 ? add_fixed(c, value) : add_restraint(c, value);
}

void constraints_attach(const constraints *c, shoal_stream_options *stream)
{
    stream->constraints.fix = c->fix;
    stream->constraints.n_fix = c->n_fix;
    stream->constraints.restraints = c->restraints;
    stream->constraints.n_restraints = c->n_restraints;
}

void constraints_free(constraints *c)
{
    for (int k = 0; k < c->n_fix; ++k) shoal_selection_destroy(c->fix[k]);
    free(c->fix);
    free(c->restraints);
}
