/* SPDX-License-Identifier: BSD-3-Clause
 * A scan: its points, and what it asks of a stream. */
#include "jobs/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "batch/batch.h"
#include "engine/engine.h"
#include "geom/rotation.h"

#include "constants.h"

#define MOST_POINTS 1000000000
#define MOST_FOLLOWING 1000000
/* Stiff enough to hold a torsion to 0.1 degree against 7 eV/radian, a double bond's being below 2. */
#define SPRING_ANGLE 4000.0
#define SPRING_LENGTH 2000.0
#define WORTH 1e-3 /* eV: a point is not changed for less */

double scan_value(const shoal_coordinate *c, int64_t i)
{
    if (c->n <= 1 || i == 0) return c->from;
    if (i == c->n - 1) return c->to;
    const double x = c->from + (c->to - c->from) * (double)i / (double)(c->n - 1);
    const double decimal = round(x * 1e9) / 1e9; /* 1.4 where 1.4000000000000001 is meant */
    return fabs(decimal - x) < 1e-12 ? decimal : x;
}

bool scan_is_closed(const shoal_coordinate *c, bool *same)
{
    const bool turns = c->kind == SHOAL_COORDINATE_TORSION || coordinate_is_turn(c->kind);
    const double range = fabs(c->to - c->from);
    *same = turns && c->n > 2 && fabs(range - 360) < 1e-6;
    if (!turns || c->n < 3) return false;
    return *same || fabs(range + range / (double)(c->n - 1) - 360) < 1e-6;
}

/* --- making -------------------------------------------------------------------------------------- */

static shoal_status check_coordinate(const shoal_scan_options *o, int32_t k)
{
    const shoal_coordinate *c = &o->coordinates[k];
    const char *name = shoal_coordinate_name((int)c->kind);
    if (!name || c->n < 1 || !isfinite(c->from) || !isfinite(c->to))
        return shoal_fail(SHOAL_E_ARGUMENT, "coordinate %d of a scan has no kind or no points", k);
    for (int32_t l = 0; l < k; ++l)
        if (o->coordinates[l].kind == c->kind &&
            memcmp(o->coordinates[l].atoms, c->atoms, sizeof c->atoms) == 0)
            return shoal_fail(SHOAL_E_ARGUMENT, "the coordinate %s is given twice", name);
    if (coordinate_is_internal(c->kind)) return SHOAL_OK;
    if (c->kind == SHOAL_COORDINATE_VOLUME)
        return o->surface ? shoal_fail(SHOAL_E_ARGUMENT, "the coordinate volume, but the cell of "
                                                         "systems on a surface is the surface's")
                          : SHOAL_OK;
    if (o->n_move == 0 && !o->surface)
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "the coordinate %s needs a surface, or atoms to move: a molecule alone is "
            "the same everywhere",
            name);
    if (o->relaxed && !coordinate_is_shift(c->kind))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "the coordinate %s cannot be held while the molecule is relaxed", name);
    if (o->relaxed && o->n_move > 0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "the coordinate %s of atoms to move cannot be held while they are "
                          "relaxed; a distance can",
                          name);
    return SHOAL_OK;
}

static int32_t find_volume(const shoal_scan_options *o)
{
    int32_t found = -1;
    for (int32_t k = 0; k < o->n_coordinates; ++k)
        if (o->coordinates[k].kind == SHOAL_COORDINATE_VOLUME) found = k;
    return found;
}

static shoal_status check_options(const shoal_scan_options *o)
{
    bool moves = false;
    if ((o->n_frames > 0) == (o->n_coordinates > 0))
        return shoal_fail(SHOAL_E_ARGUMENT, "a scan has coordinates or frames, expected %s",
                          o->n_frames > 0 ? "one of them" : "some");
    if ((o->n_frames > 0 || !o->relaxed) && (o->follow || o->starts > 1))
        return shoal_fail(SHOAL_E_ARGUMENT, "only points of a relaxed scan can %s",
                          o->follow ? "follow each other" : "have several starts");
    if (o->rigid && (o->starts > 1 || o->copies.distance > 0))
        return shoal_fail(SHOAL_E_ARGUMENT, "%s would change the shapes of rigid bodies",
                          o->starts > 1 ? "several starts of a point" : "copies with moved atoms");
    if (o->rigid && find_volume(o) >= 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "a volume would change the shapes of rigid bodies");
    if (o->starts < 0 || (o->n_fix > 0 && !o->fix))
        return shoal_fail(SHOAL_E_ARGUMENT, "%d starts of a point, or selections are missing",
                          o->starts);
    if (o->starts > 1 && o->surface && o->n_fix > 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "several starts of molecules on a surface that have "
                                            "fixed atoms");
    if (o->shape && (!o->relaxed || o->follow || find_volume(o) < 0))
        return shoal_fail(SHOAL_E_ARGUMENT, "the shape of cells is relaxed at their volumes; %s",
                          o->follow    ? "their points cannot follow each other"
                          : o->relaxed ? "expected the coordinate volume"
                                       : "expected a relaxed scan");
    if (o->n_frames > 0 && o->relaxed)
        return shoal_fail(SHOAL_E_ARGUMENT, "frames have nothing that could be held while they are "
                                            "relaxed");
    for (int32_t k = 0; k < o->n_coordinates; ++k) {
        SHOAL_TRY(check_coordinate(o, k));
        const shoal_coordinate_kind kind = o->coordinates[k].kind;
        moves = moves || coordinate_is_shift(kind) || coordinate_is_turn(kind);
    }
    if (o->has_anchor && (o->n_move > 0 || !moves || o->anchor < 0))
        return shoal_fail(SHOAL_E_ARGUMENT, "an anchor, but %s",
                          o->n_move > 0   ? "atoms to move, whose centre is moved"
                          : o->anchor < 0 ? "no atom has a number below 0"
                                          : "none of the coordinates x .. rz that move it");
    if (o->n_move > 0 && !moves)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "atoms to move, but none of the coordinates x .. rz that move them");
    return SHOAL_OK;
}

static shoal_status count_points(shoal_scan *scan)
{
    double product = 1;
    const int32_t n = scan->options.n_coordinates;
    for (int32_t k = 0; k < n; ++k) product *= (double)scan->coordinates[k].n;
    if (product > MOST_POINTS)
        return shoal_fail(SHOAL_E_ARGUMENT, "a scan of %.3g points, expected at most %d", product,
                          MOST_POINTS);
    if (product > MOST_FOLLOWING && scan->options.follow)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "%.3g points that follow each other, expected at most %d", product,
                          MOST_FOLLOWING);
    scan->size = 1;
    for (int32_t k = n - 1; k >= 0; --k) {
        scan->strides[k] = scan->size;
        scan->size *= scan->coordinates[k].n;
    }
    if (scan->options.n_frames > 0) scan->size = scan->options.n_frames;
    return SHOAL_OK;
}

/* One per distance, angle and torsion; and one of the centre of the molecule, or of the atom that is its anchor. */
static void make_restraints(shoal_scan *scan)
{
    const shoal_scan_options *o = &scan->options;
    int free = SHOAL_FREE_X | SHOAL_FREE_Y | SHOAL_FREE_Z;
    for (int32_t k = 0; k < o->n_coordinates; ++k) {
        const shoal_coordinate *c = &scan->coordinates[k];
        if (coordinate_is_shift(c->kind)) free &= ~(1 << (c->kind - SHOAL_COORDINATE_X));
        if (!coordinate_is_internal(c->kind)) continue;
        shoal_restraint *r = &scan->restraints[scan->n_restraints++];
        *r = (shoal_restraint){.kind = (shoal_restraint_kind)((int)c->kind + 1)};
        memcpy(r->atoms, c->atoms, sizeof r->atoms);
        const bool length = c->kind == SHOAL_COORDINATE_DISTANCE;
        r->k = length ? o->spring_length : o->spring_angle;
        r->value = length ? c->from : c->from * DEGREE;
    }
    if (free != 7)
        scan->restraints[scan->n_restraints++] =
            (shoal_restraint){.kind = SHOAL_RESTRAINT_CENTRE, .k = o->spring_length, .value = free};
}

static int compare_atoms(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

/* In order, each once: an atom that is named twice would move twice. */
static shoal_status sort_move(int32_t *move, int32_t n)
{
    if (n > 0) qsort(move, (size_t)n, sizeof *move, compare_atoms);
    for (int32_t k = 1; k < n; ++k)
        if (move[k] == move[k - 1])
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "atom %d is to move twice, expected different atoms", move[k]);
    return SHOAL_OK;
}

static void *copy_of(const void *from, int32_t n, size_t size)
{
    void *to = shoal_alloc((size_t)n, size);
    if (to && n > 0) memcpy(to, from, (size_t)n * size);
    return to;
}

static shoal_status copy_frames(shoal_scan *scan, const shoal_scan_options *o)
{
    scan->frames = shoal_alloc((size_t)o->n_frames, sizeof *scan->frames);
    if (!scan->frames) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < o->n_frames; ++k) {
        SHOAL_TRY(shoal_molecule_create(&scan->frames[k]));
        SHOAL_TRY(shoal_molecule_copy(scan->frames[k], o->frames[k]));
    }
    return SHOAL_OK;
}

static shoal_status fill(shoal_scan *scan, const shoal_scan_options *o)
{
    shoal_surface_view v;
    const int32_t n = o->n_coordinates;
    scan->options = *o;
    if (!(o->spring_length > 0)) scan->options.spring_length = SPRING_LENGTH;
    if (!(o->spring_angle > 0)) scan->options.spring_angle = SPRING_ANGLE;
    scan->has_copies = o->copies.n_copies > 0;
    if (!scan->has_copies) scan->options.copies.n_copies = 1;
    scan->coordinates = copy_of(o->coordinates, n, sizeof *scan->coordinates);
    scan->strides = shoal_alloc((size_t)n, sizeof *scan->strides);
    scan->move = copy_of(o->move, o->n_move, sizeof *scan->move);
    scan->restraints = shoal_alloc((size_t)n + 1, sizeof *scan->restraints);
    if (!scan->coordinates || !scan->strides || !scan->move || !scan->restraints)
        return SHOAL_E_MEMORY;
    scan->options.coordinates = scan->coordinates;
    scan->options.move = scan->move;
    SHOAL_TRY(sort_move(scan->move, o->n_move));
    SHOAL_TRY(copy_frames(scan, o));
    shoal_surface_get(o->movable ? o->movable : o->surface, &v);
    scan->top = v.top;
    SHOAL_TRY(count_points(scan));
    if (o->relaxed) make_restraints(scan);
    scan->setting = (search_setting){.seed = (int64_t)o->copies.seed, .starts = o->starts};
    if (o->starts > 1 && o->surface && o->n_move == 0) {
        SHOAL_TRY(search_substrate_find(&scan->substrate, o->surface, o->movable));
        scan->setting.substrate = &scan->substrate;
    }
    return SHOAL_OK;
}

shoal_status shoal_scan_create(shoal_scan **out, const shoal_scan_options *options)
{
    shoal_clear_error();
    SHOAL_NEED(out && options);
    *out = NULL;
    SHOAL_TRY(check_options(options));
    shoal_scan *scan = shoal_alloc(1, sizeof *scan);
    if (!scan) return SHOAL_E_MEMORY;
    const shoal_status status = fill(scan, options);
    if (status != SHOAL_OK)
        shoal_scan_destroy(scan);
    else
        *out = scan;
    return status;
}

void shoal_scan_destroy(shoal_scan *scan)
{
    if (!scan) return;
    for (int32_t k = 0; scan->frames && k < scan->options.n_frames; ++k)
        shoal_molecule_destroy(scan->frames[k]);
    free(scan->frames);
    free(scan->coordinates);
    free(scan->strides);
    free(scan->move);
    free(scan->restraints);
    free(scan);
}

/* --- points -------------------------------------------------------------------------------------- */

int64_t shoal_scan_size(const shoal_scan *scan)
{
    return scan ? scan->size : 0;
}

int32_t scan_find_volume(const shoal_scan *scan)
{
    return find_volume(&scan->options);
}

int32_t shoal_scan_n_values(const shoal_scan *scan)
{
    if (!scan) return 0;
    return scan->options.n_frames > 0 ? 1 : scan->options.n_coordinates;
}

shoal_status shoal_scan_locate(const shoal_scan *scan, int64_t variant, double *values,
                               int64_t *place)
{
    shoal_clear_error();
    SHOAL_NEED(scan);
    if (variant < 0 || variant / scan->size >= scan->options.copies.n_copies)
        return shoal_fail(SHOAL_E_ARGUMENT, "variant %lld of a scan of %lld points",
                          (long long)variant, (long long)scan->size);
    const int64_t i = variant % scan->size;
    if (scan->options.n_frames > 0 && values) values[0] = (double)i;
    for (int32_t k = 0; values && k < scan->options.n_coordinates; ++k)
        values[k] =
            scan_value(&scan->coordinates[k], i / scan->strides[k] % scan->coordinates[k].n);
    if (place) *place = i;
    return SHOAL_OK;
}

/* --- the stream ---------------------------------------------------------------------------------- */

shoal_status shoal_scan_variants(shoal_scan *scan, shoal_variants *out)
{
    shoal_clear_error();
    SHOAL_NEED(scan && out);
    const shoal_scan_options *o = &scan->options;
    *out = (shoal_variants){
        .n = scan->size * o->copies.n_copies, .make = scan_make, .own_charges = true, .user = scan};
    if (o->follow || o->starts > 1) {
        out->again = scan_again;
        out->group = o->follow ? (int32_t)scan->size : 0;
        out->calm = o->follow ? 2 * o->n_coordinates : 1;
        out->gain = WORTH;
    }
    return SHOAL_OK;
}

const shoal_restraint *shoal_scan_restraints(const shoal_scan *scan, int32_t *n)
{
    if (n) *n = scan ? scan->n_restraints : 0;
    return scan ? scan->restraints : NULL;
}

/* The restraints that a system was computed with. */
static const shoal_restraint *restraints_of(const shoal_scan *scan,
                                            const shoal_stream_system *system)
{
    const shoal_engine *engine = system->engine;
    if (!engine || system->i_engine < 0 || system->i_engine >= engine->n_systems) return NULL;
    const backend_system *s = &engine->systems[system->i_engine];
    const int32_t before = scan->options.n_restraints;
    return s->n_restraints < before + scan->n_restraints ? NULL : s->restraints + before;
}

shoal_status shoal_scan_held(const shoal_scan *scan, const shoal_stream_system *system,
                             double *held)
{
    shoal_clear_error();
    SHOAL_NEED(scan && system && held);
    const shoal_restraint *r = scan->options.relaxed ? restraints_of(scan, system) : NULL;
    if (!r || !isfinite(system->result.energy))
        return shoal_fail(SHOAL_E_ARGUMENT, "a system without numbers, or of a rigid scan");
    const double(*pos)[3] = (const double(*)[3])system->mol->pos;
    const shoal_restraint *place = scan->n_restraints > 0 ? &r[scan->n_restraints - 1] : NULL;
    double at[3] = {0};
    if (place && place->kind == SHOAL_RESTRAINT_CENTRE) restraint_place(place, pos, at);
    for (int32_t k = 0, n = 0; k < scan->options.n_coordinates; ++k) {
        const shoal_coordinate *c = &scan->coordinates[k];
        if (!coordinate_is_internal(c->kind)) { /* a volume is what it is set to */
            const int axis = (int)c->kind - SHOAL_COORDINATE_X;
            held[k] = coordinate_is_shift(c->kind) ? at[axis] - place->target[axis] : 0;
            continue;
        }
        const bool length = c->kind == SHOAL_COORDINATE_DISTANCE;
        const double value = length ? r[n].value : r[n].value / DEGREE;
        held[k] = coordinate_difference(c->kind, coordinate_measure(c, pos), value);
        ++n;
    }
    return SHOAL_OK;
}
