/* SPDX-License-Identifier: BSD-3-Clause
 * Restraints as text. */
#include "shoal/restraint.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "batch/batch.h"
#include "shoal/units.h"

#define RADIANS shoal_unit_value(SHOAL_UNIT_DEGREE) /* in a degree */

/* Takes an atom index off the text. */
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

static const char *const kinds[] = {"position:", "distance:", "angle:", "torsion:"};

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

/* -J behind the first atom of a position: the centre of atoms I to J. */
static bool take_range(const char **at, shoal_restraint *r)
{
    if (!take_char(at, '-')) return true;
    r->kind = SHOAL_RESTRAINT_CENTRE;
    return take_index(at, &r->atoms[1]);
}

/* KIND:I[,J[,K[,L]]]=[VALUE,]K, or position:I-J=K */
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
    if (kind == 0 && !take_range(&at, r)) return false;
    if (!take_char(&at, '=')) return false;
    if (kind > 0 && (!take_number(&at, &r->value) || !take_char(&at, ','))) return false;
    if (kind > 1) r->value *= RADIANS;
    return take_number(&at, &r->k) && r->k >= 0 && *at == '\0';
}

/* What no geometry can have; NULL: nothing is wrong. */
static const char *find_mistake(const shoal_restraint *r)
{
    if (r->kind == SHOAL_RESTRAINT_CENTRE)
        return r->atoms[0] < r->atoms[1] ? NULL : "expected the first and the last atom";
    for (int k = 0; k < restraint_n_atoms(r->kind); ++k)
        for (int l = 0; l < k; ++l)
            if (r->atoms[k] == r->atoms[l]) return "expected different atoms";
    if (r->kind == SHOAL_RESTRAINT_DISTANCE && r->value < 0)
        return "expected a distance of 0 angstrom or more";
    if (r->kind == SHOAL_RESTRAINT_ANGLE && !(r->value >= 0 && r->value <= 180 * RADIANS))
        return "expected an angle from 0 to 180 degrees";
    return NULL;
}

shoal_status shoal_restraint_parse(const char *text, shoal_restraint *out)
{
    shoal_clear_error();
    SHOAL_NEED(text && out);
    if (!parse_restraint(text, out))
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "'%s': expected position:I=K, position:I-J=K, xy:I=K, distance:I,J=ANGSTROM,K, "
            "angle:I,J,K=DEGREES,K or torsion:I,J,K,L=DEGREES,K",
            text);
    const char *wrong = find_mistake(out);
    return wrong ? shoal_fail(SHOAL_E_ARGUMENT, "'%s': %s", text, wrong) : SHOAL_OK;
}
