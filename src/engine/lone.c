/* SPDX-License-Identifier: BSD-3-Clause
 * A system that holds one interaction of another: the same record, the same atoms at the same places, and
 * everything else silent, so that any device can be asked for it. Sites of a pair model and electron pairs become
 * atoms; directions stay what they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "ff/auxiliary.h"
#include "ff/builder.h"
#include "ff/pair_model.h"
#include "ff/site_frames.h"
#include "ff/topology.h"
#include "geom/lattice.h"
#include "geom/vector.h"
#include "shoal/compare.h"

#define VDW_CUTOFF 12.0 /* angstrom, of engines that are told none */
#define MARGIN 0.01     /* angstrom: beyond the cut-off there is nothing left to exclude */
#define NEUTRAL 1e-6    /* e: two charges that cancel */

typedef struct lone {
    const shoal_system *from;
    double (*pos)[3]; /* of its atoms and electron pairs, then of its sites or directions */
    const shoal_term_row *row;
    uint32_t flags;
    shoal_topology_view view; /* of the system that it comes from */
    geom_lattice cell;
    double cutoff;    /* of vdw pairs in a periodic system, angstrom */
    int32_t n;        /* atoms */
    int32_t atoms[4]; /* of the row and of its directions, each once, as the system numbers them */
    int32_t n_directions;
    int32_t directions[4]; /* of the row, each once, as the system numbers them */
    int32_t corners[4];    /* the atoms of the row, as they are numbered here */
    shoal_topology_builder *builder;
} lone;

static int32_t atom_of(const lone *l, int32_t i)
{
    return l->flags & SHOAL_LONE_OWN_ATOMS ? l->atoms[i] : i;
}

/* Atoms and electron pairs. */
static int32_t n_points(const lone *l)
{
    return l->view.n_atoms + l->view.n_pairs;
}

static int32_t n_particles(const lone *l)
{
    return n_points(l) + l->view.n_sites;
}

/* An atom or electron pair itself, or the atom of a site. */
static int32_t host_of(const lone *l, int32_t particle)
{
    const int32_t n = n_points(l);
    return particle < n ? particle : l->view.sites[particle - n].host;
}

static bool has_formula(const lone *l)
{
    return l->view.model && l->view.model->formula;
}

static bool is_pair(const shoal_term_row *row)
{
    return row->kind < 0 && (row->term == SHOAL_TERM_VDW || row->term == SHOAL_TERM_COULOMB);
}

/* --- what was asked for ---------------------------------------------------------------------- */

static shoal_status check_pair(const lone *l)
{
    const shoal_term_row *row = l->row;
    const int32_t i = row->atoms[0].atom, j = row->atoms[1].atom, *shift = row->atoms[1].shift;
    const bool images =
        l->cell.n_periodic > 0 && (l->flags & SHOAL_LONE_IMAGES || row->term == SHOAL_TERM_COULOMB);
    if (row->n_atoms != 2)
        return shoal_fail(SHOAL_E_ARGUMENT, "interaction: a pair of %d atoms", row->n_atoms);
    if (i == j && !images && shift[0] == 0 && shift[1] == 0 && shift[2] == 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "pair %d,%d, expected two atoms", i, j);
    for (int k = 0; k < 3; ++k)
        if (shift[k] != 0 && !l->cell.pbc[k])
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "pair %d,%d: image %d,%d,%d, but the system does not repeat that way",
                              i, j, shift[0], shift[1], shift[2]);
    if (!images && topology_excludes(&l->view, i, j, shift))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "pair %d,%d has no %s interaction: it is excluded, as the ends of bonds "
                          "and angles are",
                          i, j, shoal_term_name(row->term));
    return SHOAL_OK;
}

static shoal_status check_row(const lone *l)
{
    const shoal_term_row *row = l->row;
    const bool bonded = row->kind >= 0;
    int32_t n = row->term == SHOAL_TERM_RESTRAINT ? l->from->n_restraints : 0;
    if (row->term < 0 || row->term >= SHOAL_N_TERMS || row->kind >= TERM_N_KINDS ||
        row->n_atoms < 1 || row->n_atoms > 4 ||
        (bonded && (term_shapes[row->kind].energy != row->term ||
                    term_shapes[row->kind].n_atoms != row->n_atoms)))
        return shoal_fail(SHOAL_E_ARGUMENT, "interaction: unknown term %d, kind %d of %d atoms",
                          row->term, row->kind, row->n_atoms);
    if (bonded) n = terms_count(&l->view, row->kind);
    if ((bonded || row->term == SHOAL_TERM_RESTRAINT) && (row->index < 0 || row->index >= n))
        return shoal_fail(SHOAL_E_ARGUMENT, "%s %d, but the system has %d of them",
                          shoal_term_name(row->term), row->index, n);
    if (!bonded && (row->term < SHOAL_TERM_VDW || row->term > SHOAL_TERM_RESTRAINT))
        return shoal_fail(SHOAL_E_ARGUMENT, "interaction: a %s has a kind",
                          shoal_term_name(row->term));
    if (row->term == SHOAL_TERM_RESTRAINT && l->flags & SHOAL_LONE_OWN_ATOMS &&
        l->from->restraints[row->index].kind == SHOAL_RESTRAINT_CENTRE)
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "interaction: the restraint of a centre needs all its atoms");
    const bool charges = is_pair(row) && row->term == SHOAL_TERM_COULOMB;
    const int32_t most = charges ? n_particles(l) : bonded ? mover_count(&l->view) : n_points(l);
    for (int32_t k = 0; k < row->n_atoms; ++k)
        if (row->atoms[k].atom < 0 || row->atoms[k].atom >= most)
            return shoal_fail(SHOAL_E_ARGUMENT, "%s: atom %d, expected 0 to %d",
                              shoal_term_name(row->term), row->atoms[k].atom, most - 1);
    return is_pair(row) ? check_pair(l) : SHOAL_OK;
}

/* --- its atoms ------------------------------------------------------------------------------- */

/* Where a number is in a list of n; it is appended if it is not there. */
static int32_t number(int32_t *list, int32_t *n, int32_t what)
{
    int32_t i = 0;
    while (i < *n && list[i] != what) ++i;
    if (i == *n) list[(*n)++] = what;
    return i;
}

static bool is_direction(const lone *l, int32_t i)
{
    return l->row->kind >= 0 && i >= n_points(l);
}

/* Own atoms: as they come in the row, then those that directions of it stand at, then the directions. */
static void number_atoms(lone *l)
{
    const int32_t n = l->row->n_atoms, first = n_points(l);
    const shoal_image *atoms = l->row->atoms;
    if (!(l->flags & SHOAL_LONE_OWN_ATOMS)) {
        for (int32_t k = 0; k < n; ++k) l->corners[k] = atoms[k].atom;
        l->n = n_particles(l);
        l->n_directions = l->view.n_directions;
        return;
    }
    for (int32_t k = 0; k < n; ++k)
        if (!is_direction(l, atoms[k].atom)) l->corners[k] = number(l->atoms, &l->n, atoms[k].atom);
    for (int32_t k = 0; k < n; ++k)
        if (is_direction(l, atoms[k].atom))
            (void)number(l->atoms, &l->n, l->view.direction_atoms[atoms[k].atom - first]);
    for (int32_t k = 0; k < n; ++k)
        if (is_direction(l, atoms[k].atom))
            l->corners[k] = l->n + number(l->directions, &l->n_directions, atoms[k].atom - first);
}

/* A lattice sum in one or two dimensions has no background: two charges that do not cancel become as
 * strong as each other. */
static double charge_of(const lone *l, int32_t atom)
{
    const shoal_term_row *row = l->row;
    const double *q = l->view.charges;
    const bool open = l->cell.n_periodic == 1 || l->cell.n_periodic == 2;
    if (row->term != SHOAL_TERM_COULOMB || !open) return q[atom];
    const double a = q[row->atoms[0].atom], b = q[row->atoms[1].atom];
    if (fabs(a + b) < NEUTRAL) return q[atom];
    if (row->atoms[0].atom == row->atoms[1].atom) return 0;
    return atom == row->atoms[0].atom ? sqrt(fabs(a * b)) : -sqrt(fabs(a * b));
}

static bool is_corner(const lone *l, int32_t i)
{
    bool found = false;
    for (int32_t k = 0; k < l->row->n_atoms; ++k) found = found || l->corners[k] == i;
    return found;
}

/* Atoms keep what makes the interaction and lose what would make others. */
static shoal_status set_atoms(const lone *l)
{
    const shoal_topology_view *v = &l->view;
    const int32_t term = l->row->term;
    const bool depth = term == SHOAL_TERM_VDW || term == SHOAL_TERM_SURFACE;
    const bool charge = term == SHOAL_TERM_COULOMB || term == SHOAL_TERM_SURFACE || has_formula(l);
    for (int32_t i = 0; i < l->n; ++i) {
        const int32_t from = atom_of(l, i);
        const bool loud = is_corner(l, i);
        const shoal_atom_parameters p = {.vdw_x = v->vdw_x[from] > 0 ? v->vdw_x[from] : 1,
                                         .vdw_d = loud && depth ? v->vdw_d[from] : 0,
                                         .charge = loud && charge ? charge_of(l, from) : 0,
                                         .mass = v->masses[host_of(l, from)],
                                         .type = v->types[from]};
        SHOAL_TRY(shoal_topology_set_atom(l->builder, i, &p));
    }
    shoal_topology *t = l->builder->topology;
    if (v->table_types) {
        int32_t *rows = arena_alloc(&t->memory, (size_t)l->n, sizeof *rows);
        if (!rows) return SHOAL_E_MEMORY;
        for (int32_t i = 0; i < l->n; ++i) rows[i] = v->table_types[atom_of(l, i)];
        t->view.table_types = rows;
    }
    if (!v->hbonds) return SHOAL_OK;
    double *hbonds = arena_alloc(&t->memory, (size_t)l->n, sizeof *hbonds);
    if (!hbonds) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < l->n; ++i) hbonds[i] = v->hbonds[atom_of(l, i)];
    t->view.hbonds = hbonds;
    return SHOAL_OK;
}

/* Directions where they are in the system: the atoms that are left would give others. */
static shoal_status set_directions(const lone *l)
{
    const bool own = l->flags & SHOAL_LONE_OWN_ATOMS;
    shoal_topology *t = l->builder->topology;
    double(*places)[3] = arena_alloc(&t->memory, (size_t)l->n_directions, sizeof *places);
    if (!places) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < l->n_directions; ++k) {
        const int32_t from = own ? l->directions[k] : k;
        int32_t host = l->view.direction_atoms[from], at = 0;
        while (own && l->atoms[at] != host) ++at;
        SHOAL_TRY(shoal_topology_add_direction(l->builder, own ? at : host, l->view.inertias[from],
                                               &host));
        memcpy(places[k], l->pos[n_points(l) + from], sizeof places[k]);
    }
    t->places = (const double(*)[3])places;
    return SHOAL_OK;
}

/* --- pairs that are not wanted --------------------------------------------------------------- */

/* Excludes all images of j around i within the cut-off but the one to keep; NULL: all of them. */
static shoal_status exclude_images(const lone *l, int32_t i, int32_t j, const int32_t *keep)
{
    const double *from = l->pos[atom_of(l, i)], *to = l->pos[atom_of(l, j)];
    const double reach = l->cutoff + MARGIN;
    int32_t first[3] = {0}, last[3] = {0}, s[3];
    double d[3], image[3];
    for (int c = 0; c < 3; ++c) d[c] = to[c] - from[c];
    for (int k = 0; k < 3; ++k) {
        if (!l->cell.pbc[k]) continue;
        const double f = lattice_fraction(&l->cell, d, k);
        const double steps = reach * vector_norm(l->cell.dual[k]);
        first[k] = (int32_t)ceil(-steps - f);
        last[k] = (int32_t)floor(steps - f);
    }
    for (s[0] = first[0]; s[0] <= last[0]; ++s[0])
        for (s[1] = first[1]; s[1] <= last[1]; ++s[1])
            for (s[2] = first[2]; s[2] <= last[2]; ++s[2]) {
                const bool itself = i == j && s[0] == 0 && s[1] == 0 && s[2] == 0;
                const bool opposite =
                    keep && i == j && s[0] == -keep[0] && s[1] == -keep[1] && s[2] == -keep[2];
                lattice_vector(&l->cell, s, image);
                for (int c = 0; c < 3; ++c) image[c] += d[c];
                if (itself || opposite || vector_norm(image) > reach ||
                    (keep && memcmp(s, keep, sizeof s) == 0))
                    continue;
                SHOAL_TRY(shoal_topology_exclude(l->builder, i, j, s));
            }
    return SHOAL_OK;
}

/* A formula may say something of any two atoms: all pairs that are not of atoms of the row. */
static shoal_status exclude_others(const lone *l)
{
    for (int32_t i = 0; i < l->n; ++i)
        for (int32_t j = i; j < l->n; ++j) {
            if (is_pair(l->row) && is_corner(l, i) && is_corner(l, j)) continue;
            if (l->cell.n_periodic > 0)
                SHOAL_TRY(exclude_images(l, i, j, NULL));
            else if (i != j)
                SHOAL_TRY(shoal_topology_exclude(l->builder, i, j, NULL));
        }
    return SHOAL_OK;
}

/* What the two atoms of a pair exclude in the system itself. */
static shoal_status keep_exclusions(const lone *l)
{
    const shoal_topology_view *v = &l->view;
    for (int a = 0; a < 2; ++a) {
        const int32_t i = l->row->atoms[a].atom;
        for (int32_t e = v->exclude_start[i]; e < v->exclude_start[i + 1]; ++e)
            for (int b = 0; b < 2; ++b)
                if (v->excluded[e].atom == l->row->atoms[b].atom)
                    SHOAL_TRY(shoal_topology_exclude(l->builder, l->corners[a], l->corners[b],
                                                     v->excluded[e].shift));
    }
    return SHOAL_OK;
}

static shoal_status exclude(const lone *l)
{
    const shoal_term_row *row = l->row;
    const bool record = row->kind >= 0, periodic = l->cell.n_periodic > 0;
    if (row->term != SHOAL_TERM_VDW && row->term != SHOAL_TERM_COULOMB) return SHOAL_OK;
    if (!periodic)
        return record ? shoal_topology_exclude(l->builder, l->corners[0], l->corners[1], NULL)
                      : SHOAL_OK;
    if (row->term == SHOAL_TERM_COULOMB) return keep_exclusions(l);
    const bool all = !record && l->flags & SHOAL_LONE_IMAGES, same = l->corners[0] == l->corners[1];
    if (all) SHOAL_TRY(keep_exclusions(l));
    if (!all)
        SHOAL_TRY(
            exclude_images(l, l->corners[0], l->corners[1], record ? NULL : row->atoms[1].shift));
    if (same) return SHOAL_OK;
    SHOAL_TRY(exclude_images(l, l->corners[0], l->corners[0], NULL));
    return exclude_images(l, l->corners[1], l->corners[1], NULL);
}

/* --- the whole ------------------------------------------------------------------------------- */

static shoal_status fill(const lone *l)
{
    shoal_topology_builder *b = l->builder;
    SHOAL_TRY(shoal_topology_set_periodic(b, l->view.pbc));
    SHOAL_TRY(set_atoms(l));
    if (l->n_directions > 0) SHOAL_TRY(set_directions(l));
    /* Plain LJ is not in the view, but mixes by the model's rule. */
    b->topology->model = shoal_pair_model_retain(l->from->topology->model);
    b->topology->view.model = l->view.model;
    if (has_formula(l)) SHOAL_TRY(exclude_others(l));
    if (l->row->kind >= 0) {
        const shoal_term *from = &terms_of(&l->view, l->row->kind)[l->row->index];
        shoal_term *t = builder_append(b, l->row->kind);
        if (!t) return SHOAL_E_MEMORY;
        memcpy(t->shifts, from->shifts, sizeof t->shifts);
        memcpy(t->p, from->p, sizeof t->p);
        for (int32_t k = 0; k < l->row->n_atoms; ++k) t->atoms[k] = l->corners[k];
    }
    return exclude(l);
}

static shoal_status make_topology(lone *l, shoal_topology **out)
{
    int32_t *elements = shoal_alloc((size_t)l->n, sizeof *elements);
    if (!elements) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < l->n; ++i) {
        elements[i] = l->view.elements[host_of(l, atom_of(l, i))];
        if (elements[i] == 0) elements[i] = 1; /* electron pairs have their own mass all the same */
    }
    shoal_status status = shoal_topology_begin(&l->builder, l->n, elements);
    free(elements);
    SHOAL_TRY(status);
    status = fill(l);
    if (status == SHOAL_OK) return shoal_topology_finish(l->builder, SHOAL_EXCLUDE_NAMED, out);
    shoal_topology_abandon(l->builder);
    return status;
}

static shoal_status add(const lone *l, shoal_batch *batch, shoal_topology *topology)
{
    double pos[4][3];
    shoal_restraint restraint;
    shoal_system system = {.topology = topology,
                           .pos = (const double(*)[3])l->pos,
                           .cell = l->cell.n_periodic ? l->from->cell : NULL};
    if (l->flags & SHOAL_LONE_OWN_ATOMS) {
        for (int32_t i = 0; i < l->n; ++i) memcpy(pos[i], l->pos[l->atoms[i]], sizeof pos[i]);
        system.pos = (const double(*)[3])pos;
    }
    if (l->row->term == SHOAL_TERM_RESTRAINT) {
        restraint = l->from->restraints[l->row->index];
        for (int32_t k = 0; k < l->row->n_atoms; ++k) restraint.atoms[k] = l->corners[k];
        system.restraints = &restraint;
        system.n_restraints = 1;
    }
    return shoal_batch_add(batch, &system);
}

shoal_status shoal_batch_add_interaction(shoal_batch *batch, const shoal_system *system,
                                         const shoal_engine_options *options,
                                         const shoal_term_row *row, uint32_t flags)
{
    shoal_clear_error();
    if (!batch || !system || !system->topology || !system->pos || !row)
        return shoal_fail(SHOAL_E_ARGUMENT, "interaction: no batch, system or row");
    const double none[3][3] = {{0}};
    lone l = {.from = system, .row = row, .flags = flags, .cutoff = VDW_CUTOFF};
    if (options && options->vdw_cutoff > 0) l.cutoff = options->vdw_cutoff;
    shoal_topology_get(system->topology, &l.view);
    if (shoal_topology_status(system->topology) != SHOAL_SYSTEM_OK)
        return shoal_fail(SHOAL_E_ARGUMENT, "interaction: the system is untyped: %s",
                          shoal_topology_reason(system->topology));
    if (!lattice_init(&l.cell, system->cell ? system->cell : none, l.view.pbc))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "interaction: the cell is not finite or its vectors are dependent");
    SHOAL_TRY(check_row(&l));
    number_atoms(&l);
    shoal_topology *topology = NULL;
    l.pos = shoal_alloc((size_t)n_particles(&l) + (size_t)l.view.n_directions, sizeof *l.pos);
    if (!l.pos) return SHOAL_E_MEMORY;
    memcpy(l.pos, system->pos, (size_t)l.view.n_atoms * sizeof *l.pos);
    auxiliary_place(&l.view, system->cell, l.pos);
    site_frames_place_all(&l.view, &l.cell, l.pos);
    shoal_status status = make_topology(&l, &topology);
    if (status == SHOAL_OK) status = add(&l, batch, topology);
    shoal_topology_destroy(topology);
    free(l.pos);
    return status;
}
