/* SPDX-License-Identifier: BSD-3-Clause
 * Makes the geometry of a point of a scan, and what holds it there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "batch/batch.h"
#include "chem/cell.h"
#include "geom/rotation.h"
#include "geom/vector.h"
#include "jobs/scan.h"

#include "constants.h"

#define SET_WELL 1e-6 /* angstrom, degrees: coordinates that are set as they should be */
#define RING_FACTOR 5 /* restraints of rings are stiffer: what they strain pulls harder */

typedef struct point {
    const shoal_scan *scan;
    const shoal_molecule *mol;
    const double *values;
    double (*pos)[3];
    int32_t n; /* atoms of the molecule itself */
} point;

/* --- coordinates of atoms ------------------------------------------------------------------------ */

static shoal_status check_atoms(const point *p)
{
    const shoal_scan_options *o = &p->scan->options;
    for (int32_t k = 0; k < o->n_coordinates; ++k) {
        const shoal_coordinate *c = &o->coordinates[k];
        for (int a = 0; a < coordinate_n_atoms(c->kind); ++a)
            if (c->atoms[a] < 0 || c->atoms[a] >= p->n)
                return shoal_fail(
                    SHOAL_E_ARGUMENT, "the coordinate %s names atom %d, the system has %d atom%s",
                    shoal_coordinate_name((int)c->kind), c->atoms[a], p->n, p->n == 1 ? "" : "s");
    }
    for (int32_t k = 0; k < o->n_move; ++k)
        if (o->move[k] < 0 || o->move[k] >= p->n)
            return shoal_fail(SHOAL_E_ARGUMENT, "move names atom %d, the system has %d atom%s",
                              o->move[k], p->n, p->n == 1 ? "" : "s");
    if (o->has_anchor && o->anchor >= p->n)
        return shoal_fail(SHOAL_E_ARGUMENT, "the anchor is atom %d, the system has %d atom%s",
                          o->anchor, p->n, p->n == 1 ? "" : "s");
    if (o->n_move == p->n && !o->surface)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "all %d atoms move: expected others that they move relative to", p->n);
    return SHOAL_OK;
}

static shoal_status no_part(const shoal_coordinate *c)
{
    static const char *const which[] = {"the two", "the first and the last", "the middle two"};
    return shoal_fail(
        SHOAL_E_ARGUMENT,
        "the coordinate %s of atom %d and %d others: %s of them hang together "
        "otherwise, too, as in a ring, so that no part of the molecule can move as it "
        "is; expected a relaxed scan",
        shoal_coordinate_name((int)c->kind), c->atoms[0], coordinate_n_atoms(c->kind) - 1,
        which[c->kind]);
}

/* Distances first, then angles, then torsions: what comes later leaves the earlier ones alone. is_free[k]: a coordinate
 * that restraints alone must bring to its value. */
static shoal_status set_internals(const point *p, bool *is_free)
{
    const shoal_scan_options *o = &p->scan->options;
    for (int kind = SHOAL_COORDINATE_DISTANCE; kind <= SHOAL_COORDINATE_TORSION; ++kind) {
        for (int32_t k = 0; k < o->n_coordinates; ++k) {
            const shoal_coordinate *c = &o->coordinates[k];
            bool found;
            if ((int)c->kind != kind) continue;
            SHOAL_TRY(coordinate_set(c, p->mol, p->values[k], p->pos, &found));
            is_free[k] = !found;
            if (!found && !o->relaxed) return no_part(c);
        }
    }
    return SHOAL_OK;
}

/* Coordinates may contradict each other: two torsions about one bond. */
static shoal_status check_internals(const point *p, const bool *is_free)
{
    const shoal_scan_options *o = &p->scan->options;
    for (int32_t k = 0; k < o->n_coordinates && !o->relaxed; ++k) {
        const shoal_coordinate *c = &o->coordinates[k];
        if (!coordinate_is_internal(c->kind) || is_free[k]) continue;
        const double is = coordinate_measure(c, (const double(*)[3])p->pos);
        if (!(fabs(coordinate_difference(c->kind, is, p->values[k])) < SET_WELL))
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "the coordinate %s of atom %d .. is %g and not %g as the point says: "
                              "coordinates contradict each other, or its atoms lie on a line",
                              shoal_coordinate_name((int)c->kind), c->atoms[0], is, p->values[k]);
    }
    return SHOAL_OK;
}

/* --- where the molecule is ----------------------------------------------------------------------- */

/* Atom i of those that move. */
static int32_t mover(const point *p, int32_t i)
{
    return p->scan->options.n_move > 0 ? p->scan->move[i] : i;
}

static int32_t n_movers(const point *p)
{
    return p->scan->options.n_move > 0 ? p->scan->options.n_move : p->n;
}

static void centre_of(const point *p, const double (*pos)[3], double out[3])
{
    const int32_t n = n_movers(p);
    for (int k = 0; k < 3; ++k) out[k] = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) out[k] += pos[mover(p, i)][k];
    for (int k = 0; k < 3; ++k) out[k] /= n;
}

/* Where x, y and z are 0: the centre of the other atoms, or the top of the surface. */
static void origin_of(const point *p, double out[3])
{
    double all[3], own[3];
    const int32_t n = n_movers(p), rest = p->n - n;
    const double top[3] = {0, 0, p->scan->top};
    memcpy(out, top, sizeof top);
    if (p->scan->options.n_move == 0 || rest <= 0) return;
    geom_centre((const double(*)[3])p->pos, p->n, all);
    centre_of(p, (const double(*)[3])p->pos, own);
    for (int k = 0; k < 3; ++k) out[k] = (p->n * all[k] - n * own[k]) / rest;
}

static bool find_shifts(const point *p, double to[3], bool set[3], double turn[3])
{
    const shoal_scan_options *o = &p->scan->options;
    bool any = false;
    for (int k = 0; k < 3; ++k) {
        set[k] = false;
        to[k] = turn[k] = 0;
    }
    for (int32_t k = 0; k < o->n_coordinates; ++k) {
        const shoal_coordinate_kind kind = o->coordinates[k].kind;
        const bool turns = coordinate_is_turn(kind), shifts = coordinate_is_shift(kind);
        any = any || turns || shifts;
        if (turns) turn[(int)kind - SHOAL_COORDINATE_RX] = p->values[k];
        if (shifts) to[(int)kind - SHOAL_COORDINATE_X] = p->values[k];
        if (shifts) set[(int)kind - SHOAL_COORDINATE_X] = true;
    }
    return any;
}

/* What x, y and z say the place of: the anchor, or the centre. */
static void place_of(const point *p, double out[3])
{
    if (p->scan->options.has_anchor)
        memcpy(out, p->pos[p->scan->options.anchor], 3 * sizeof *out);
    else
        centre_of(p, (const double(*)[3])p->pos, out);
}

/* Turns the molecule about its place, then moves it. */
static shoal_status set_place(const point *p)
{
    double to[3], turn[3], place[3], origin[3], m[3][3];
    bool set[3];
    if (!find_shifts(p, to, set, turn)) return SHOAL_OK;
    const bool turns = turn[0] != 0 || turn[1] != 0 || turn[2] != 0;
    if (turns && shoal_molecule_is_periodic(p->mol) && p->scan->options.n_move == 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "it repeats and cannot be turned");
    place_of(p, place);
    origin_of(p, origin);
    if (turns) rotation_by_degrees(turn, m);
    for (int32_t i = 0; i < n_movers(p); ++i) {
        double *r = p->pos[mover(p, i)];
        if (turns) rotation_turn((const double(*)[3])m, place, r);
        for (int k = 0; k < 3; ++k)
            if (set[k]) r[k] += origin[k] + to[k] - place[k];
    }
    return SHOAL_OK;
}

/* --- volumes ------------------------------------------------------------------------------------- */

/* Lengths of a point by those of the record; 1 where no volume is scanned. */
static double scale_of(const shoal_scan *scan, const shoal_molecule *mol, const double *values)
{
    const int32_t k = scan_find_volume(scan);
    const int n = mol->pbc[0] + mol->pbc[1] + mol->pbc[2];
    return k < 0 || n == 0 ? 1 : pow(values[k], 1.0 / n);
}

/* Scales the places of all atoms in the directions in which the system repeats. */
static void scale_places(const point *p, double by)
{
    double whole[3][3], dual[3][3], height[3];
    cell_complete((const double(*)[3])p->mol->cell, p->mol->pbc, whole);
    cell_dual((const double(*)[3])whole, dual, height);
    for (int32_t i = 0; i < p->n; ++i) {
        double add[3] = {0};
        for (int k = 0; k < 3; ++k) {
            const double along = (by - 1) * vector_dot(dual[k], p->pos[i]);
            for (int c = 0; p->mol->pbc[k] && c < 3; ++c) add[c] += along * whole[k][c];
        }
        for (int c = 0; c < 3; ++c) p->pos[i][c] += add[c];
    }
}

/* A cell and all that is in it, before anything else moves. The molecule stays the same one: bonds and orders are those of
 * the record. */
static shoal_status set_volume(const point *p, shoal_molecule *mol)
{
    const double by = scale_of(p->scan, mol, p->values);
    if (scan_find_volume(p->scan) < 0) return SHOAL_OK;
    if (!shoal_molecule_is_periodic(mol))
        return shoal_fail(SHOAL_E_ARGUMENT, "it repeats in no direction and has no volume");
    scale_places(p, by);
    for (int k = 0; k < 3; ++k)
        for (int c = 0; c < 3 && mol->pbc[k]; ++c) mol->cell[k][c] *= by;
    return SHOAL_OK;
}

/* --- the variant --------------------------------------------------------------------------------- */

static shoal_status take_frame(const point *p, int64_t i)
{
    const shoal_molecule *frame = p->scan->frames[i];
    if (frame->n_atoms != p->n)
        return shoal_fail(SHOAL_E_ARGUMENT, "frame %lld has %d atoms, the system has %d",
                          (long long)i, frame->n_atoms, p->n);
    for (int32_t k = 0; k < p->n; ++k)
        if (frame->element[k] != p->mol->element[k])
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "atom %d of frame %lld is %s, that of the system %s", k, (long long)i,
                              shoal_element_symbol(frame->element[k]),
                              shoal_element_symbol(p->mol->element[k]));
    memcpy(p->pos, frame->pos, (size_t)p->n * sizeof *p->pos);
    return SHOAL_OK;
}

static void aim(const point *p, const bool *is_free, shoal_restraint *restraints)
{
    const shoal_scan *scan = p->scan;
    int32_t n = 0;
    for (int32_t k = 0; k < scan->options.n_coordinates; ++k) {
        const shoal_coordinate *c = &scan->coordinates[k];
        if (!coordinate_is_internal(c->kind)) continue;
        shoal_restraint *r = &restraints[n++];
        r->value = c->kind == SHOAL_COORDINATE_DISTANCE ? p->values[k] : p->values[k] * DEGREE;
        r->k = scan->restraints[n - 1].k * (is_free[k] ? RING_FACTOR : 1);
    }
    if (n == scan->n_restraints) return;
    shoal_restraint *r = &restraints[n];
    r->atoms[0] = scan->options.has_anchor ? scan->options.anchor : 0;
    r->atoms[1] = scan->options.has_anchor ? scan->options.anchor : p->n - 1;
    restraint_place(r, (const double(*)[3])p->pos, r->target);
}

/* Coordinates and restraints of a point whose atoms are where it starts. */
static shoal_status set_point(const point *p, bool *is_free, shoal_restraint *restraints)
{
    const shoal_scan_options *o = &p->scan->options;
    SHOAL_TRY(set_internals(p, is_free));
    SHOAL_TRY(check_internals(p, is_free));
    SHOAL_TRY(set_place(p));
    if (o->relaxed) aim(p, is_free, restraints + o->n_restraints);
    return SHOAL_OK;
}

static shoal_status make(const point *p, const shoal_stream_system *system, bool *is_free,
                         shoal_restraint *restraints)
{
    const shoal_scan_options *o = &p->scan->options;
    const int64_t n = p->scan->size * o->copies.n_copies;
    if (p->n < 1) return shoal_fail(SHOAL_E_ARGUMENT, "a molecule without atoms has no points");
    SHOAL_TRY(check_atoms(p));
    if (o->starts > 1 && shoal_molecule_is_periodic(p->mol) && p->n == p->mol->n_atoms)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "a molecule that repeats has one start");
    if (o->n_frames > 0) SHOAL_TRY(take_frame(p, system->variant % p->scan->size));
    SHOAL_TRY(shoal_jitter_move(&o->copies, (system->index - system->variant) / n,
                                system->variant / p->scan->size, p->n, p->pos));
    SHOAL_TRY(set_volume(p, system->mol));
    return o->n_frames > 0 ? SHOAL_OK : set_point(p, is_free, restraints);
}

enum { FEW_COORDINATES = 8 };

/* Memory of a point; room for few coordinates without asking for any. */
typedef struct point_memory {
    double few_values[FEW_COORDINATES], *values;
    bool few_free[FEW_COORDINATES], *is_free;
} point_memory;

static shoal_status point_begin(point_memory *m, const shoal_scan *scan,
                                const shoal_stream_system *system, double (*pos)[3], point *out)
{
    shoal_surface_view v;
    const int32_t n = shoal_scan_n_values(scan);
    shoal_surface_get(scan->options.movable, &v);
    memset(m->few_free, 0, sizeof m->few_free);
    m->values = n > FEW_COORDINATES ? shoal_alloc((size_t)n, sizeof *m->values) : m->few_values;
    m->is_free = n > FEW_COORDINATES ? shoal_alloc((size_t)n, 1) : m->few_free;
    if (!m->values || !m->is_free) return SHOAL_E_MEMORY;
    *out = (point){.scan = scan,
                   .mol = system->mol,
                   .values = m->values,
                   .pos = pos,
                   .n = system->mol->n_atoms - v.n_atoms};
    return shoal_scan_locate(scan, system->variant, m->values, NULL);
}

static void point_end(point_memory *m)
{
    if (m->values != m->few_values) free(m->values);
    if (m->is_free != m->few_free) free(m->is_free);
}

shoal_status scan_make(void *user, const shoal_stream_system *system,
                       const shoal_stream_system *earlier, int32_t n_earlier, double (*pos)[3],
                       shoal_restraint *restraints)
{
    point_memory memory;
    point p;
    (void)earlier;
    (void)n_earlier;
    shoal_status status = point_begin(&memory, user, system, pos, &p);
    if (status == SHOAL_OK) status = make(&p, system, memory.is_free, restraints);
    point_end(&memory);
    return status;
}

/* --- rounds -------------------------------------------------------------------------------------- */

/* NULL where all atoms move; the caller's. */
static shoal_status find_fixed(const point *p, bool **out)
{
    const shoal_scan_options *o = &p->scan->options;
    if (o->n_fix == 0) return SHOAL_OK;
    bool *fixed = *out = shoal_alloc((size_t)p->mol->n_atoms, sizeof *fixed);
    if (!fixed) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < o->n_fix; ++k)
        SHOAL_TRY(shoal_selection_apply(o->fix[k], p->mol, fixed));
    return SHOAL_OK;
}

/* Start k of a point, as a search has them: joints turned, on a surface also the molecule. */
static shoal_status draw_start(const point *p, const shoal_stream_system *system, int32_t k)
{
    const shoal_scan *scan = p->scan;
    const int64_t n = scan->size * scan->options.copies.n_copies;
    const int64_t record = (system->index - system->variant) / n;
    const int64_t copy = system->variant / scan->size;
    search_plan plan;
    bool *fixed = NULL;
    shoal_status status = find_fixed(p, &fixed);
    if (status == SHOAL_OK)
        status = search_plan_make(&plan, &scan->setting, record, p->mol, p->n,
                                  (const double(*)[3])p->pos, fixed);
    free(fixed);
    if (status != SHOAL_OK) return status;
    search_start(&plan, &scan->setting, k + copy * scan->options.starts, p->pos);
    search_plan_free(&plan);
    return SHOAL_OK;
}

/* The neighbour that a point starts from in a round: one direction after the other, there and back. NULL: nothing has
 * changed there since it was asked last. */
static const shoal_stream_system *find_neighbour(const shoal_scan *scan,
                                                 const shoal_stream_system *unit, int32_t i,
                                                 int32_t round, int32_t n_starts)
{
    const int32_t n_ways = 2 * scan->options.n_coordinates, step = round - n_starts;
    const int32_t way = step % n_ways;
    const int64_t at = scan_neighbour(scan, i, way / 2, way % 2 == 0 ? -1 : 1);
    if (!scan->options.follow || at < 0 || at == i) return NULL;
    const shoal_stream_system *from = &unit[at];
    const bool news = step < n_ways || from->round >= round - n_ways;
    return news && shoal_system_has_numbers(from->result.status, from->result.energy) ? from : NULL;
}

/* Starts from what a neighbour has come to, in the cell of the point. */
static shoal_status take_neighbour(const point *p, const shoal_stream_system *from)
{
    const int32_t n = shoal_scan_n_values(p->scan);
    memcpy(p->pos, from->mol->pos, (size_t)p->mol->n_atoms * sizeof *p->pos);
    if (scan_find_volume(p->scan) < 0) return SHOAL_OK;
    double *values = shoal_alloc((size_t)n, sizeof *values);
    if (!values) return SHOAL_E_MEMORY;
    const shoal_status status = shoal_scan_locate(p->scan, from->variant, values, NULL);
    const double own = scale_of(p->scan, p->mol, p->values);
    if (status == SHOAL_OK) scale_places(p, own / scale_of(p->scan, p->mol, values));
    free(values);
    return status;
}

shoal_status scan_again(void *user, const shoal_stream_system *unit, int32_t i, int32_t round,
                        double (*pos)[3], shoal_restraint *restraints, bool *wanted)
{
    const shoal_scan *scan = user;
    const int32_t n_starts = scan->options.starts > 1 ? scan->options.starts : 1;
    const shoal_stream_system *from = NULL;
    point_memory memory;
    point p;
    if (round >= n_starts) {
        from = find_neighbour(scan, unit, i, round, n_starts);
        if (!from) return SHOAL_OK;
    }
    shoal_status status = point_begin(&memory, scan, &unit[i], pos, &p);
    if (status == SHOAL_OK && from) status = take_neighbour(&p, from);
    if (status == SHOAL_OK && !from) status = draw_start(&p, &unit[i], round);
    if (status == SHOAL_OK) status = set_point(&p, memory.is_free, restraints);
    point_end(&memory);
    *wanted = status == SHOAL_OK;
    return status;
}
