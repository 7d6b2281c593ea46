/* SPDX-License-Identifier: BSD-3-Clause
 * The table of arrays of a live engine: their shapes and units, where they come from, and what a change of them does. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pace.h"
#include "base/alloc.h"
#include "base/error.h"
#include "batch/batch.h"
#include "engine/live.h"
#include "engine/placement.h"
#include "ff/builder.h"

enum {
    POSITIONS,
    VELOCITIES,
    FORCES,
    ENERGIES,
    TERMS,
    FMAX,
    STATUS,
    STEPS,
    MASSES,
    CHARGES,
    VDW_X,
    VDW_D,
    FIXED,
    RESTRAINT_K,
    RESTRAINT_VALUE,
    RESTRAINT_TARGET,
    CELL,
    FIRE_DT,
    FIRE_DT_MAX,
    FIRE_ALPHA,
    FIRE_DAMPING,
    MAX_MOVE,
    PAIR_CLAMP,
    N_ARRAYS /* parameters of bonded terms follow */
};

static const struct {
    const char *name, *unit, *what;
    shoal_rows rows;
    shoal_number number;
    int32_t n_columns;
    bool writable;
} table[N_ARRAYS] = {
    {"positions", "A", "coordinates of atoms", SHOAL_ROWS_ATOMS, SHOAL_NUMBER_DOUBLE, 3, true},
    {"velocities", "A/fs", "of dynamics, at the time of the positions", SHOAL_ROWS_ATOMS,
     SHOAL_NUMBER_DOUBLE, 3, true},
    {"forces", "eV/A", "on atoms", SHOAL_ROWS_ATOMS, SHOAL_NUMBER_DOUBLE, 3, false},
    {"energies", "eV", "total energy", SHOAL_ROWS_SYSTEMS, SHOAL_NUMBER_DOUBLE, 1, false},
    {"terms", "eV", "energy by term", SHOAL_ROWS_SYSTEMS, SHOAL_NUMBER_DOUBLE, SHOAL_N_TERMS,
     false},
    {"fmax", "eV/A", "largest force on a free atom", SHOAL_ROWS_SYSTEMS, SHOAL_NUMBER_DOUBLE, 1,
     false},
    {"status", "1", "code of the status", SHOAL_ROWS_SYSTEMS, SHOAL_NUMBER_INT, 1, false},
    {"steps", "1", "evaluations or time steps", SHOAL_ROWS_SYSTEMS, SHOAL_NUMBER_INT, 1, false},
    {"masses", "amu", "of atoms, in dynamics", SHOAL_ROWS_ATOMS, SHOAL_NUMBER_DOUBLE, 1, true},
    {"charges", "e", "as used in energies", SHOAL_ROWS_TOPOLOGY_ATOMS, SHOAL_NUMBER_DOUBLE, 1,
     true},
    {"vdw_x", "A", "distance of the minimum of two like atoms", SHOAL_ROWS_TOPOLOGY_ATOMS,
     SHOAL_NUMBER_DOUBLE, 1, true},
    {"vdw_d", "eV", "depth of that minimum", SHOAL_ROWS_TOPOLOGY_ATOMS, SHOAL_NUMBER_DOUBLE, 1,
     true},
    {"fixed", "1", "1 for an atom that does not move", SHOAL_ROWS_ATOMS, SHOAL_NUMBER_BYTE, 1,
     true},
    {"restraint_k", "eV/A^2 or eV/radian^2", "force constant", SHOAL_ROWS_RESTRAINTS,
     SHOAL_NUMBER_DOUBLE, 1, true},
    {"restraint_value", "A or radian", "target distance or angle", SHOAL_ROWS_RESTRAINTS,
     SHOAL_NUMBER_DOUBLE, 1, true},
    {"restraint_target", "A", "target position", SHOAL_ROWS_RESTRAINTS, SHOAL_NUMBER_DOUBLE, 3,
     true},
    {"cell", "A", "vectors a, b, c; zero of isolated systems", SHOAL_ROWS_SYSTEMS,
     SHOAL_NUMBER_DOUBLE, 9, true},
    {"fire_dt", "A/eV^0.5", "first time step of FIRE", SHOAL_ROWS_SYSTEMS, SHOAL_NUMBER_DOUBLE, 1,
     true},
    {"fire_dt_max", "A/eV^0.5", "its longest time step", SHOAL_ROWS_SYSTEMS, SHOAL_NUMBER_DOUBLE, 1,
     true},
    {"fire_alpha", "1", "initial mixing of velocities towards the forces", SHOAL_ROWS_SYSTEMS,
     SHOAL_NUMBER_DOUBLE, 1, true},
    {"fire_damping", "1", "factor by which that changes whenever the time step grows",
     SHOAL_ROWS_SYSTEMS, SHOAL_NUMBER_DOUBLE, 1, true},
    {"max_move", "A", "longest move of an atom in a step of a minimiser", SHOAL_ROWS_SYSTEMS,
     SHOAL_NUMBER_DOUBLE, 1, true},
    {"pair_clamp", "1",
     "force and energy of closer pairs are continued from this fraction of their minimum distance; "
     "0: no clamp",
     SHOAL_ROWS_SYSTEMS, SHOAL_NUMBER_DOUBLE, 1, true},
};

/* --- names ---------------------------------------------------------------------------------------- */

/* Kind and number of the parameter that has the number k among all of them. */
static bool find_parameter(int32_t k, int *kind, int32_t *number)
{
    shoal_term_kind info;
    for (*kind = 0; shoal_term_kind_get(*kind, &info); ++*kind) {
        if (k < info.n_parameters) {
            *number = k;
            return true;
        }
        k -= info.n_parameters;
    }
    return false;
}

/* Word k of a text behind what stands in out. */
static void put_word(char *out, size_t size, const char *text, int32_t k)
{
    const size_t used = strlen(out);
    for (; k > 0; --k) text = strchr(text, ' ') + 1;
    (void)snprintf(out + used, size - used, "%.*s", (int)strcspn(text, " "), text);
}

static bool describe_parameter(int32_t k, shoal_array *out)
{
    int kind;
    int32_t number;
    shoal_term_kind info;
    if (!find_parameter(k, &kind, &number)) return false;
    (void)shoal_term_kind_get(kind, &info);
    *out = (shoal_array){
        .what = info.formula, .rows = SHOAL_ROWS_TERMS, .n_columns = 1, .writable = true};
    (void)snprintf(out->name, sizeof out->name, "%s.", info.name);
    put_word(out->name, sizeof out->name, info.parameters, number);
    put_word(out->unit, sizeof out->unit, info.units, number);
    return true;
}

bool shoal_array_describe(int32_t k, shoal_array *out)
{
    if (k < 0 || !out) return false;
    if (k >= N_ARRAYS) return describe_parameter(k - N_ARRAYS, out);
    *out = (shoal_array){.what = table[k].what,
                         .rows = table[k].rows,
                         .number = table[k].number,
                         .writable = table[k].writable,
                         .n_columns = table[k].n_columns};
    (void)snprintf(out->name, sizeof out->name, "%s", table[k].name);
    (void)snprintf(out->unit, sizeof out->unit, "%s", table[k].unit);
    return true;
}

int32_t live_array_count(void)
{
    shoal_array a;
    int32_t n = 0;
    while (shoal_array_describe(n, &a)) ++n;
    return n;
}

/* Number of a name; fails with SHOAL_E_ARGUMENT for an unknown one. */
static shoal_status find_array(const char *name, int32_t *k, shoal_array *out)
{
    for (*k = 0; shoal_array_describe(*k, out); ++*k)
        if (strcmp(out->name, name) == 0) return SHOAL_OK;
    return shoal_fail(
        SHOAL_E_ARGUMENT,
        "engine: no array '%s'; there are positions, velocities, forces, energies, terms, fmax, "
        "status, steps, masses, charges, vdw_x, vdw_d, fixed, restraint_k, "
        "restraint_value, restraint_target, cell, fire_dt, fire_dt_max, fire_alpha, fire_damping, "
        "max_move, pair_clamp and parameters such as bond.k",
        name);
}

/* --- shapes --------------------------------------------------------------------------------------- */

static int32_t terms_of_kind(const shoal_engine *engine, int32_t t, int kind)
{
    return terms_count(&engine->systems[engine->live->own->firsts[t]].view, kind);
}

static int32_t rows_of(const shoal_engine *engine, shoal_rows rows, int32_t block, int kind)
{
    switch (rows) {
    case SHOAL_ROWS_RESTRAINTS: return engine->systems[block].n_restraints;
    case SHOAL_ROWS_TERMS: return terms_of_kind(engine, block, kind);
    default: return 1;
    }
}

/* First rows of blocks that the engine has no list of. */
static shoal_status need_starts(shoal_engine *engine, live_buffer *buffer, shoal_array *out,
                                int kind)
{
    if (!buffer->starts)
        buffer->starts = shoal_alloc((size_t)out->n_blocks + 1, sizeof *buffer->starts);
    if (!buffer->starts) return SHOAL_E_MEMORY;
    for (int32_t b = 0; b < out->n_blocks; ++b)
        buffer->starts[b + 1] = buffer->starts[b] + rows_of(engine, out->rows, b, kind);
    out->starts = buffer->starts;
    return SHOAL_OK;
}

static shoal_status find_shape(shoal_engine *engine, int32_t k, shoal_array *out, int kind)
{
    const live_parameters *own = engine->live->own;
    const bool of_topologies =
        out->rows == SHOAL_ROWS_TOPOLOGY_ATOMS || out->rows == SHOAL_ROWS_TERMS;
    out->n_blocks = of_topologies ? own->n : engine->n_systems;
    if (out->rows == SHOAL_ROWS_ATOMS)
        out->starts = engine->starts;
    else if (out->rows == SHOAL_ROWS_TOPOLOGY_ATOMS)
        out->starts = own->atom_starts;
    else
        return need_starts(engine, &engine->live->buffers[k], out, kind);
    return SHOAL_OK;
}

size_t live_array_size(const shoal_array *a)
{
    const size_t one = a->number == SHOAL_NUMBER_DOUBLE ? sizeof(double)
                       : a->number == SHOAL_NUMBER_INT  ? sizeof(int32_t)
                                                        : 1;
    return (size_t)a->starts[a->n_blocks] * (size_t)a->n_columns * one;
}

/* Memory that is the user's to write into. */
static shoal_status need_buffer(shoal_engine *engine, int32_t k, shoal_array *out)
{
    live_buffer *buffer = &engine->live->buffers[k];
    if (!buffer->data) buffer->data = shoal_alloc(live_array_size(out) + 1, 1);
    out->data = buffer->data;
    return buffer->data ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* --- values --------------------------------------------------------------------------------------- */

/* Rows of atoms out of rows of all that moves, or back. */
static void pass_atoms(const shoal_engine *engine, double (*of_atoms)[3], double (*of_movers)[3],
                       bool back)
{
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        double(*a)[3] = of_atoms + engine->starts[i];
        double(*m)[3] = of_movers + engine_first_mover(engine, i);
        const size_t size = (size_t)engine_n_atoms(engine, i) * sizeof *a;
        if (size > 0) memcpy(back ? m : a, back ? a : m, size);
    }
}

/* Parameter number of all terms of a kind, or back. */
static void pass_parameter(const live_parameters *own, const shoal_engine *engine, int kind,
                           int32_t number, double *values, bool back)
{
    for (int32_t t = 0; t < own->n; ++t) {
        const shoal_topology_view *v = &engine->systems[own->firsts[t]].view;
        shoal_term *terms = own->terms + own->term_starts[t] + v->term_start[kind];
        for (int32_t m = 0; m < terms_count(v, kind); ++m, ++values) {
            if (back)
                terms[m].p[number] = *values;
            else
                *values = terms[m].p[number];
        }
    }
}

/* Field k of a restraint. */
static double *restraint_field(shoal_restraint *r, int32_t k)
{
    return k == RESTRAINT_K ? &r->k : k == RESTRAINT_VALUE ? &r->value : r->target;
}

/* That of all restraints, which stand in the order of their systems, or back. */
static void pass_restraints(shoal_engine *engine, int32_t k, double *values, bool back)
{
    const size_t columns = (size_t)table[k].n_columns;
    shoal_restraint *r = engine->restraints;
    for (int32_t i = 0; i < engine->n_systems; ++i)
        for (int32_t m = 0; m < engine->systems[i].n_restraints; ++m, ++r, values += columns) {
            double *place = restraint_field(r, k);
            memcpy(back ? place : values, back ? values : place, columns * sizeof *values);
        }
}

static void get_fixed(const shoal_engine *engine, uint8_t *to)
{
    for (int32_t i = 0; i < engine->n_systems; ++i)
        for (int32_t a = 0; a < engine_n_atoms(engine, i); ++a)
            *to++ = engine->systems[i].fixed && engine->systems[i].fixed[a];
}

static void get_masses(const shoal_engine *engine, double *to)
{
    const engine_live *live = engine->live;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        const double *from = live->has_md   ? engine->md->masses + engine_first_mover(engine, i)
                             : live->masses ? live->masses + engine->starts[i]
                                            : engine->systems[i].view.masses;
        const int32_t n = engine_n_atoms(engine, i);
        if (n > 0) memcpy(to + engine->starts[i], from, (size_t)n * sizeof *to);
    }
}

static shoal_status get_velocities(shoal_engine *engine, double (*to)[3])
{
    const engine_live *live = engine->live;
    const size_t size = (size_t)engine->starts[engine->n_systems] * sizeof *to;
    if (!live->has_md && !live->velocities) { /* at rest, for who writes into them */
        if (size > 0) memset(to, 0, size);
        return SHOAL_OK;
    }
    SHOAL_TRY(engine_live_settle(engine));
    if (live->has_md)
        pass_atoms(engine, to, engine->md->whole, false);
    else
        memcpy(to, live->velocities, size);
    return SHOAL_OK;
}

/* What a run has found: views of the engine's own memory. */
static shoal_status get_result(shoal_engine *engine, int32_t k, shoal_array *out)
{
    shoal_engine_results_view v;
    SHOAL_TRY(shoal_engine_view(engine, &v));
    const void *const data[] = {[FORCES] = v.forces, [ENERGIES] = v.energies, [TERMS] = v.terms,
                                [FMAX] = v.fmax,     [STATUS] = v.status,     [STEPS] = v.steps};
    out->data = (void *)data[k];
    return SHOAL_OK;
}

static shoal_status get_positions(shoal_engine *engine, shoal_array *out)
{
    const engine_live *live = engine->live;
    /* What is written into coordinates must not meet forces that are yet to be found. */
    SHOAL_TRY(live->motion.dynamics ? engine_live_settle(engine) : engine_live_place(engine));
    out->data = engine->pos;
    if (engine->n_auxiliary == 0) return SHOAL_OK;
    SHOAL_TRY(need_buffer(engine, POSITIONS, out));
    pass_atoms(engine, out->data, engine->pos, false);
    return SHOAL_OK;
}

static double *pace_field(backend_pace *p, int32_t k)
{
    double *const fields[] = {&p->dt, &p->dt_max, &p->alpha, &p->damping, &p->max_move};
    return fields[k - FIRE_DT];
}

static void get_paces(const shoal_engine *engine, int32_t k, double *to)
{
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        backend_pace p = engine->live->paces ? engine->live->paces[i] : backend_pace_usual();
        to[i] = *pace_field(&p, k);
    }
}

static double *own_of(const live_parameters *own, int32_t k)
{
    return k == CHARGES ? own->charges : k == VDW_X ? own->x : own->d;
}

static shoal_status fill(shoal_engine *engine, int32_t k, shoal_array *out)
{
    const live_parameters *own = engine->live->own;
    if (k == POSITIONS) return get_positions(engine, out);
    if (k >= FORCES && k <= STEPS) return get_result(engine, k, out);
    SHOAL_TRY(need_buffer(engine, k, out));
    switch (k) {
    case VELOCITIES: return get_velocities(engine, out->data);
    case MASSES: get_masses(engine, out->data); break;
    case CHARGES:
    case VDW_X:
    case VDW_D: memcpy(out->data, own_of(own, k), live_array_size(out)); break;
    case FIXED: get_fixed(engine, out->data); break;
    case RESTRAINT_K:
    case RESTRAINT_VALUE:
    case RESTRAINT_TARGET: pass_restraints(engine, k, out->data, false); break;
    case CELL:
        for (int32_t i = 0; i < engine->n_systems; ++i)
            memcpy((double(*)[9])out->data + i, engine->systems[i].cell, 9 * sizeof(double));
        break;
    case PAIR_CLAMP:
        for (int32_t i = 0; i < engine->n_systems; ++i)
            ((double *)out->data)[i] = engine->systems[i].pair_clamp;
        break;
    default: get_paces(engine, k, out->data); break;
    }
    return SHOAL_OK;
}

shoal_status shoal_engine_array(shoal_engine *engine, const char *name, shoal_array *out)
{
    int32_t k, number = 0;
    int kind = 0;
    shoal_clear_error();
    SHOAL_NEED(engine && name && out);
    SHOAL_TRY(find_array(name, &k, out));
    SHOAL_TRY(engine_live_need(engine));
    SHOAL_TRY(live_parameters_need(engine));
    if (k >= N_ARRAYS) (void)find_parameter(k - N_ARRAYS, &kind, &number);
    SHOAL_TRY(find_shape(engine, k, out, kind));
    if (k < N_ARRAYS) return fill(engine, k, out);
    SHOAL_TRY(need_buffer(engine, k, out));
    pass_parameter(engine->live->own, engine, kind, number, out->data, false);
    return SHOAL_OK;
}

/* --- changes -------------------------------------------------------------------------------------- */

static shoal_status check_values(const shoal_array *a, double low, bool open)
{
    const double *values = a->data;
    const int64_t n = (int64_t)a->starts[a->n_blocks] * a->n_columns;
    for (int64_t k = 0; k < n; ++k)
        if (!isfinite(values[k]) || values[k] < low || (open && values[k] <= low))
            return shoal_fail(SHOAL_E_ARGUMENT, "engine: %s of row %lld is %g, expected %s %g",
                              a->name, (long long)(k / a->n_columns), values[k],
                              open ? "more than" : "a finite number of at least", low);
    return SHOAL_OK;
}

/* A topology that had no charges may have got some: other programs of the device, true is returned. */
static bool note_charges(shoal_engine *engine)
{
    const live_parameters *own = engine->live->own;
    bool flipped = false;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        const int32_t t = own->numbers[i];
        bool any = engine->systems[i].view.has_charges;
        for (int32_t a = own->atom_starts[t]; a < own->atom_starts[t + 1]; ++a)
            any = any || own->charges[a] != 0;
        flipped |= any != engine->systems[i].view.has_charges;
        engine->systems[i].view.has_charges = any;
    }
    return flipped;
}

static shoal_status change_atoms(shoal_engine *engine, int32_t k, const shoal_array *a)
{
    const live_parameters *own = engine->live->own;
    const double low = k == CHARGES ? -1e3 : 0, *values = a->data;
    double *to = own_of(own, k);
    backend_change what = {.atoms = true};
    SHOAL_TRY(check_values(a, low, k == VDW_X));
    bool *changed = shoal_alloc((size_t)own->n, sizeof *changed);
    if (!changed) return SHOAL_E_MEMORY;
    shoal_status status = live_parameters_use(engine, &what.terms);
    if (status == SHOAL_OK) {
        for (int32_t t = 0; t < own->n; ++t) {
            const size_t at = (size_t)own->atom_starts[t], n = (size_t)own->atom_starts[t + 1] - at;
            changed[t] = n > 0 && memcmp(to + at, values + at, n * sizeof *to) != 0;
        }
        memcpy(to, values, live_array_size(a));
        what.topologies = changed;
        if (k == CHARGES && note_charges(engine))
            status = live_forget_plans(engine);
        else
            status = live_parameters_tell(engine, &what);
    }
    free(changed);
    return status;
}

/* Topologies whose terms are to get other values. */
static void note_terms(const shoal_engine *engine, int kind, int32_t number, const double *values,
                       bool *changed)
{
    const live_parameters *own = engine->live->own;
    for (int32_t t = 0; t < own->n; ++t) {
        const shoal_topology_view *v = &engine->systems[own->firsts[t]].view;
        const shoal_term *terms = own->terms + own->term_starts[t] + v->term_start[kind];
        for (int32_t m = 0; m < terms_count(v, kind); ++m)
            changed[t] |= terms[m].p[number] != *values++;
    }
}

/* All terms are looked at before the first of them changes. */
static shoal_status change_parameter(shoal_engine *engine, int kind, int32_t number,
                                     const shoal_array *a)
{
    const live_parameters *own = engine->live->own;
    const double *values = a->data;
    shoal_term_kind info;
    (void)shoal_term_kind_get(kind, &info);
    for (int32_t t = 0; t < own->n; ++t) {
        const shoal_topology_view *v = &engine->systems[own->firsts[t]].view;
        const shoal_term *terms = own->terms + own->term_starts[t] + v->term_start[kind];
        for (int32_t m = 0; m < terms_count(v, kind); ++m, ++values) {
            double p[SHOAL_TERM_PARAMETERS];
            memcpy(p, terms[m].p, sizeof p);
            p[number] = *values;
            SHOAL_TRY(builder_check_parameters(kind, &info, p));
        }
    }
    bool moved, *changed = shoal_alloc((size_t)own->n, sizeof *changed);
    if (!changed) return SHOAL_E_MEMORY;
    shoal_status status = live_parameters_use(engine, &moved);
    if (status == SHOAL_OK) {
        note_terms(engine, kind, number, a->data, changed);
        pass_parameter(own, engine, kind, number, a->data, true);
        status =
            live_parameters_tell(engine, &(backend_change){.terms = true, .topologies = changed});
    }
    free(changed);
    return status;
}

static shoal_status change_fixed(shoal_engine *engine, const shoal_array *a)
{
    const uint8_t *values = a->data;
    bool *fixed = shoal_alloc(engine_all_movers(engine) + 1, sizeof *fixed);
    if (!fixed) return SHOAL_E_MEMORY;
    const shoal_status status = live_forget_plans(engine);
    if (status != SHOAL_OK) {
        free(fixed);
        return status;
    }
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        bool *own = fixed + engine_first_mover(engine, i), any = false;
        for (int32_t k = 0; k < engine_n_atoms(engine, i); ++k, ++values)
            any |= own[k] = *values != 0;
        engine->systems[i].fixed = any ? own : NULL;
    }
    free(engine->fixed);
    engine->fixed = fixed;
    return SHOAL_OK;
}

static shoal_status change_masses(shoal_engine *engine, const shoal_array *a)
{
    engine_live *live = engine->live;
    const double *values = a->data;
    SHOAL_TRY(check_values(a, 0, true));
    SHOAL_TRY(engine_live_pause(engine));
    if (!live->masses) live->masses = shoal_alloc(live_array_size(a) + 1, 1);
    if (!live->masses) return SHOAL_E_MEMORY;
    memcpy(live->masses, values, live_array_size(a));
    for (int32_t i = 0; i < engine->n_systems && live->has_md; ++i)
        memcpy(engine->md->masses + engine_first_mover(engine, i), values + engine->starts[i],
               (size_t)engine_n_atoms(engine, i) * sizeof *values);
    return SHOAL_OK;
}

static shoal_status change_velocities(shoal_engine *engine, const shoal_array *a)
{
    engine_live *live = engine->live;
    SHOAL_TRY(check_values(a, -1e3, false));
    SHOAL_TRY(engine_live_pause(engine));
    if (live->has_md) {
        pass_atoms(engine, a->data, engine->md->whole, true);
        return SHOAL_OK;
    }
    if (!live->velocities) live->velocities = shoal_alloc(live_array_size(a) + 1, 1);
    if (!live->velocities) return SHOAL_E_MEMORY;
    memcpy(live->velocities, a->data, live_array_size(a));
    return SHOAL_OK;
}

static shoal_status change_cells(shoal_engine *engine, const shoal_array *a)
{
    const double(*values)[9] = a->data;
    SHOAL_TRY(check_values(a, -1e6, false));
    for (int32_t i = 0; i < engine->n_systems; ++i)
        for (int c = 0; c < 9; ++c)
            if (values[i][c] != 0 && !md_is_periodic(&engine->systems[i]))
                return shoal_fail(SHOAL_E_ARGUMENT, "engine: system %d is isolated: it has no cell",
                                  i);
    SHOAL_TRY(live_forget_plans(engine));
    for (int32_t i = 0; i < engine->n_systems; ++i)
        memcpy(engine->systems[i].cell, values[i], sizeof engine->systems[i].cell);
    return placement_lattice(engine->systems, engine->n_systems, &engine->options, engine->lattice);
}

static shoal_status change_positions(shoal_engine *engine, const shoal_array *a)
{
    SHOAL_TRY(engine_live_pause(engine));
    if (engine->n_auxiliary == 0) return SHOAL_OK; /* they were written where they belong */
    return shoal_engine_set_all_positions(engine, a->data);
}

static shoal_status change_restraints(shoal_engine *engine, int32_t k, const shoal_array *a)
{
    const double *values = a->data;
    for (int32_t i = 0; i < engine->n_systems; ++i)
        for (int32_t m = 0; m < engine->systems[i].n_restraints; ++m, values += a->n_columns) {
            shoal_restraint r = engine->systems[i].restraints[m];
            memcpy(restraint_field(&r, k), values, (size_t)a->n_columns * sizeof *values);
            SHOAL_TRY(batch_check_restraint(&r, i, engine_n_atoms(engine, i)));
        }
    SHOAL_TRY(engine_live_pause(engine));
    pass_restraints(engine, k, a->data, true);
    return SHOAL_OK;
}

/* The next run begins with them. */
static shoal_status change_paces(shoal_engine *engine, int32_t k, const shoal_array *a)
{
    engine_live *live = engine->live;
    const double *values = a->data;
    const double low = k == FIRE_ALPHA ? 0 : 1e-6, high = k == MAX_MOVE ? 10 : 1;
    for (int32_t i = 0; i < engine->n_systems; ++i)
        if (!(values[i] >= low && values[i] <= high))
            return shoal_fail(SHOAL_E_ARGUMENT, "engine: %s of system %d is %g, expected %g to %g",
                              a->name, i, values[i], low, high);
    SHOAL_TRY(engine_live_pause(engine));
    const bool fresh = !live->paces;
    if (fresh) live->paces = shoal_alloc((size_t)engine->n_systems, sizeof *live->paces);
    if (!live->paces) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        if (fresh) live->paces[i] = backend_pace_usual();
        *pace_field(&live->paces[i], k) = values[i];
    }
    return SHOAL_OK;
}

/* Plans are compiled for systems with or without clamps. */
static shoal_status change_clamps(shoal_engine *engine, const shoal_array *a)
{
    const double *values = a->data;
    double most = 0;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        if (!(values[i] >= 0 && values[i] <= ENGINE_MOST_CLAMP))
            return shoal_fail(SHOAL_E_ARGUMENT, "engine: %s of system %d is %g, expected 0 to %g",
                              a->name, i, values[i], ENGINE_MOST_CLAMP);
        most = fmax(most, values[i]);
    }
    SHOAL_TRY(live_forget_plans(engine));
    if (!engine->warnings)
        engine->warnings = shoal_alloc((size_t)engine->n_systems, sizeof *engine->warnings);
    if (!engine->warnings) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < engine->n_systems; ++i)
        engine->systems[i].pair_clamp = (double)(float)values[i];
    engine->options.pair_clamp = (double)(float)most;
    return SHOAL_OK;
}

static shoal_status change(shoal_engine *engine, int32_t k, const shoal_array *a)
{
    int kind;
    int32_t number;
    if (k >= N_ARRAYS && find_parameter(k - N_ARRAYS, &kind, &number))
        return change_parameter(engine, kind, number, a);
    switch (k) {
    case POSITIONS: return change_positions(engine, a);
    case VELOCITIES: return change_velocities(engine, a);
    case MASSES: return change_masses(engine, a);
    case FIXED: return change_fixed(engine, a);
    case CELL: return change_cells(engine, a);
    case PAIR_CLAMP: return change_clamps(engine, a);
    case CHARGES:
    case VDW_X:
    case VDW_D: return change_atoms(engine, k, a);
    case RESTRAINT_K:
    case RESTRAINT_VALUE:
    case RESTRAINT_TARGET: return change_restraints(engine, k, a);
    default: return change_paces(engine, k, a);
    }
}

shoal_status shoal_engine_changed(shoal_engine *engine, const char *name)
{
    int32_t k, number = 0;
    int kind = 0;
    shoal_array a;
    shoal_clear_error();
    SHOAL_NEED(engine && name);
    SHOAL_TRY(find_array(name, &k, &a));
    if (!a.writable)
        return shoal_fail(SHOAL_E_ARGUMENT, "engine: %s are found by runs, nobody writes them",
                          name);
    SHOAL_TRY(engine_live_need(engine));
    SHOAL_TRY(live_parameters_need(engine));
    if (k >= N_ARRAYS) (void)find_parameter(k - N_ARRAYS, &kind, &number);
    SHOAL_TRY(find_shape(engine, k, &a, kind));
    a.data = k == POSITIONS && engine->n_auxiliary == 0 ? (void *)engine->pos
                                                        : engine->live->buffers[k].data;
    if (!a.data) return shoal_fail(SHOAL_E_ARGUMENT, "engine: nobody has asked for %s yet", name);
    SHOAL_TRY(change(engine, k, &a));
    engine->evaluated = engine->flat_is_fresh = false;
    return SHOAL_OK;
}

shoal_status shoal_engine_split(shoal_engine *engine)
{
    shoal_clear_error();
    SHOAL_NEED(engine != NULL);
    SHOAL_TRY(engine_live_need(engine));
    SHOAL_TRY(live_parameters_split(engine));
    for (int32_t k = 0; k < live_array_count(); ++k) { /* other shapes */
        live_buffer *b = &engine->live->buffers[k];
        free(b->data);
        free(b->starts);
        *b = (live_buffer){0};
    }
    engine->evaluated = engine->flat_is_fresh = false;
    return SHOAL_OK;
}

const int32_t *shoal_engine_topology_numbers(shoal_engine *engine)
{
    if (!engine || engine_live_need(engine) != SHOAL_OK) return NULL;
    if (live_parameters_need(engine) != SHOAL_OK) return NULL;
    return engine->live->own->numbers;
}

shoal_status shoal_engine_set_terms_off(shoal_engine *engine, uint32_t terms_off)
{
    shoal_clear_error();
    SHOAL_NEED(engine != NULL);
    if (terms_off == engine->options.terms_off) return SHOAL_OK;
    SHOAL_TRY(live_forget_plans(engine));
    engine->options.terms_off = terms_off;
    engine->evaluated = engine->flat_is_fresh = false;
    return SHOAL_OK;
}
