/* SPDX-License-Identifier: BSD-3-Clause
 * Coordinates of a scan, read from text: C=FROM:TO:STEP. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "jobs/coordinate.h"

#define MOST_POINTS 1e9
#define LEAST_VOLUME 0.1
#define MOST_VOLUME 10.0
#define WHOLE 1e-6 /* of a step: so near a whole number of steps is one */

static const char *const names[SHOAL_N_COORDINATES] = {
    "distance", "angle", "torsion", "x", "y", "z", "rx", "ry", "rz", "volume"};

const char *shoal_coordinate_name(int kind)
{
    return kind >= 0 && kind < SHOAL_N_COORDINATES ? names[kind] : NULL;
}

/* What stands before the first c, which is taken off with it; all of it without one. */
static shoal_span take_until(shoal_span *rest, char c, bool *found)
{
    const char *at = memchr(rest->text, c, rest->size);
    const shoal_span part = {rest->text, at ? (size_t)(at - rest->text) : rest->size};
    *rest = shoal_span_after(*rest, part.size + (at != NULL));
    *found = at != NULL;
    return part;
}

static shoal_status expected(const char *text)
{
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "'%s': expected distance:I,J=FROM:TO:STEP, angle:I,J,K=.., "
                      "torsion:I,J,K,L=.., x=.., y=.., z=.., rx=.., ry=.., rz=.. or volume=..",
                      text);
}

/* NAME or NAME:I,J,.. */
static bool parse_what(shoal_span what, shoal_coordinate *out)
{
    bool more;
    const shoal_span name = take_until(&what, ':', &more);
    int kind = 0;
    while (kind < SHOAL_N_COORDINATES && !shoal_span_equal(name, names[kind])) ++kind;
    if (kind == SHOAL_N_COORDINATES) return false;
    out->kind = (shoal_coordinate_kind)kind;
    const int n = coordinate_n_atoms(out->kind);
    if (more != (n > 0)) return false;
    for (int k = 0; k < n; ++k) {
        const shoal_span atom = take_until(&what, ',', &more);
        if (!shoal_text_int(atom, &out->atoms[k]) || out->atoms[k] < 0 || more != (k < n - 1))
            return false;
    }
    return true;
}

/* n points by a step, or as many as are asked for. */
static shoal_status count_points(const char *text, shoal_span step, shoal_coordinate *out)
{
    int32_t n;
    double by;
    const double range = out->to - out->from;
    if (step.size > 1 && step.text[0] == 'n') {
        if (!shoal_text_int(shoal_span_after(step, 1), &n) || n < 1 || (n == 1 && range != 0))
            return shoal_fail(SHOAL_E_ARGUMENT, "'%s': expected 2 or more points, e.g. n10", text);
        out->n = n;
        return SHOAL_OK;
    }
    if (!shoal_text_double(step, &by)) return expected(text);
    if (by == 0) return shoal_fail(SHOAL_E_ARGUMENT, "'%s': the step is 0", text);
    if (range / by < 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "'%s': a step of %g leads away from %g", text, by,
                          out->to);
    const double steps = floor(range / by + WHOLE);
    if (!(steps < MOST_POINTS))
        return shoal_fail(SHOAL_E_ARGUMENT, "'%s': more than %g points", text, MOST_POINTS);
    out->n = (int64_t)steps + 1;
    /* The last value is as it was given if it is a point. */
    if (fabs(range / by - steps) > WHOLE) out->to = out->from + steps * by;
    return SHOAL_OK;
}

static shoal_status check_values(const char *text, const shoal_coordinate *c)
{
    const double low = fmin(c->from, c->to), high = fmax(c->from, c->to);
    for (int k = 0; k < coordinate_n_atoms(c->kind); ++k)
        for (int l = 0; l < k; ++l)
            if (c->atoms[k] == c->atoms[l])
                return shoal_fail(SHOAL_E_ARGUMENT, "'%s': atom %d twice, expected different atoms",
                                  text, c->atoms[k]);
    if (c->kind == SHOAL_COORDINATE_DISTANCE && !(low > 0))
        return shoal_fail(SHOAL_E_ARGUMENT, "'%s': expected distances above 0 angstrom", text);
    if (c->kind == SHOAL_COORDINATE_ANGLE && !(low >= 0 && high <= 180))
        return shoal_fail(SHOAL_E_ARGUMENT, "'%s': expected angles from 0 to 180 degrees", text);
    if (c->kind == SHOAL_COORDINATE_VOLUME && !(low >= LEAST_VOLUME && high <= MOST_VOLUME))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "'%s': expected volumes of %g to %g times that of the file, such as "
                          "volume=0.9:1.1:n9",
                          text, LEAST_VOLUME, MOST_VOLUME);
    return SHOAL_OK;
}

shoal_status shoal_coordinate_parse(const char *text, shoal_coordinate *out)
{
    bool more;
    shoal_clear_error();
    SHOAL_NEED(text && out);
    shoal_span rest = shoal_span_of(text);
    *out = (shoal_coordinate){.n = 1};
    if (!parse_what(take_until(&rest, '=', &more), out) || !more) return expected(text);
    if (!shoal_text_double(take_until(&rest, ':', &more), &out->from)) return expected(text);
    out->to = out->from;
    if (!more) return check_values(text, out);
    if (!shoal_text_double(take_until(&rest, ':', &more), &out->to) || !more) return expected(text);
    SHOAL_TRY(count_points(text, rest, out));
    return check_values(text, out);
}
