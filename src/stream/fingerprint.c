/* SPDX-License-Identifier: BSD-3-Clause
 * The fingerprint of a stream: a digest of all that decides on its results but files and callbacks. Threads and memory
 * do not: results are the same whatever they are. Structs go in by fields, as bytes between these mean nothing. */
#include <string.h>

#include "base/kernel_choices.h"
#include "base/sha256.h"
#include "ff/ff_table.h"
#include "shoal/md.h"
#include "shoal/modes.h"
#include "shoal/pair_model.h"
#include "stream/run.h"
#include "stream/stream.h"
#include "surf/grid.h"

/* A number or an array of them, as it lies in memory. */
#define PUT(s, field) sha256_add((s), &(field), sizeof(field))

/* n elements, without gaps inside, with their number; none where they are NULL. */
static void put_array(sha256 *s, const void *elements, int64_t n, size_t size)
{
    if (!elements) n = -1;
    PUT(s, n);
    if (n > 0) sha256_add(s, elements, (size_t)n * size);
}

static void put_text(sha256 *s, const char *text)
{
    put_array(s, text, text ? (int64_t)strlen(text) : 0, 1);
}

/* Whether something is there. */
static bool put_presence(sha256 *s, const void *p)
{
    const bool there = p != NULL;
    PUT(s, there);
    return there;
}

/* --- parameters ----------------------------------------------------------------------------------- */

static void put_atom_types(sha256 *s, const shoal_atom_types *types)
{
    const int32_t n = shoal_atom_types_count(types);
    PUT(s, n);
    for (int32_t k = 0; k < n; ++k) {
        const shoal_atom_type *t = shoal_atom_types_get(types, k);
        put_text(s, t->name);
        put_text(s, t->parent);
        put_text(s, t->element);
        put_text(s, t->epair);
        const int32_t counts[] = {t->valence, t->n_epair, t->n_pi, t->sym};
        const double numbers[] = {t->r_covalent, t->r, t->e, t->q, t->h};
        PUT(s, counts);
        PUT(s, numbers);
        for (int32_t c = 0; c < SHOAL_TYPE_COLUMNS; ++c) {
            const double value = shoal_atom_types_column(types, k, c);
            PUT(s, value);
        }
    }
}

static void put_rules(sha256 *s, const shoal_pair_settings *p)
{
    PUT(s, p->n_constants);
    for (int32_t k = 0; k < p->n_constants; ++k) {
        put_text(s, p->constants[k].name);
        PUT(s, p->constants[k].value);
    }
    PUT(s, p->n_columns);
    for (int32_t k = 0; k < p->n_columns; ++k) put_text(s, p->columns[k]);
    PUT(s, p->n_sites);
    for (int32_t k = 0; k < p->n_sites; ++k) {
        put_text(s, p->sites[k].host);
        put_text(s, p->sites[k].site);
        PUT(s, p->sites[k].kind);
        PUT(s, p->sites[k].n);
        PUT(s, p->sites[k].distance);
    }
    PUT(s, p->n_increments);
    for (int32_t k = 0; k < p->n_increments; ++k) {
        put_text(s, p->increments[k].from);
        put_text(s, p->increments[k].to);
        PUT(s, p->increments[k].value);
    }
    PUT(s, p->n_charged_types);
    for (int32_t k = 0; k < p->n_charged_types; ++k) put_text(s, p->charged_types[k]);
}

static void put_pair_model(sha256 *s, const shoal_pair_model *model)
{
    if (!put_presence(s, model)) return;
    const shoal_pair_settings *p = shoal_pair_model_settings(model);
    const double numbers[] = {p->alpha,         p->coulomb_damping,    p->lambda,
                              p->radius_charge, p->dispersion_damping, p->vdw_14,
                              p->coulomb_14};
    const bool flags[] = {p->all_charged, p->neutral, p->is_table};
    PUT(s, p->form);
    PUT(s, p->hbond);
    PUT(s, p->coulomb);
    PUT(s, p->charges);
    PUT(s, numbers);
    PUT(s, flags);
    put_text(s, p->formula);
    put_rules(s, p);
    put_atom_types(s, shoal_pair_model_types(model));
}

static void put_surface(sha256 *s, const shoal_surface *surface)
{
    shoal_surface_view v;
    if (!put_presence(s, surface)) return;
    shoal_surface_get(surface, &v);
    PUT(s, v.hash);
}

static void put_grid(sha256 *s, const shoal_grid *grid)
{
    shoal_grid_view v;
    if (!put_presence(s, grid)) return;
    shoal_grid_get(grid, &v);
    put_surface(s, v.surface);
    PUT(s, grid->version);
    PUT(s, v.shape);
    PUT(s, v.cell);
    PUT(s, v.origin);
    PUT(s, v.step);
    PUT(s, v.switch_z);
    PUT(s, v.top);
    PUT(s, v.cells);
    PUT(s, v.has_channel);
    PUT(s, v.n_levels);
    PUT(s, v.limit);
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c) {
        const shoal_grid_source *from = &v.sources[c];
        const double of_source[6] = {from->max_e, from->max_f, from->top,
                                     from->end,   from->cut,   from->zero};
        if (!from->there) continue;
        PUT(s, c);
        put_text(s, from->name);
        PUT(s, of_source);
    }
}

/* --- systems in memory ---------------------------------------------------------------------------- */

/* What typing and dynamics look at besides, and what goes to files. */
static void put_marks(sha256 *s, const shoal_molecule *mol)
{
    const int32_t n = shoal_molecule_n_atoms(mol), n_fields = shoal_molecule_n_properties(mol);
    put_array(s, shoal_molecule_radicals(mol), n, sizeof(int32_t));
    for (int32_t i = 0; i < n; ++i) {
        const int32_t mass = shoal_molecule_isotope(mol, i);
        PUT(s, mass);
        put_text(s, shoal_molecule_type(mol, i));
    }
    PUT(s, mol->has_bonds);
    PUT(s, mol->has_formal_charges);
    PUT(s, mol->has_file_charge);
    PUT(s, mol->file_charge);
    put_text(s, shoal_molecule_name(mol));
    PUT(s, n_fields);
    for (int32_t k = 0; k < n_fields; ++k) {
        put_text(s, shoal_molecule_property_key(mol, k));
        put_text(s, shoal_molecule_property_value(mol, k));
    }
}

static void put_molecule(sha256 *s, const shoal_molecule *mol)
{
    double cell[3][3];
    bool pbc[3];
    if (!put_presence(s, mol)) return;
    const int32_t n = shoal_molecule_n_atoms(mol), n_bonds = shoal_molecule_n_bonds(mol);
    put_array(s, shoal_molecule_elements(mol), n, sizeof(int32_t));
    put_array(s, shoal_molecule_formal_charges(mol), n, sizeof(int32_t));
    put_array(s, shoal_molecule_charges(mol), n, sizeof(double));
    put_marks(s, mol);
    shoal_molecule_cell(mol, cell, pbc);
    PUT(s, cell);
    PUT(s, pbc);
    PUT(s, n_bonds);
    for (int32_t k = 0; k < n_bonds; ++k) {
        const shoal_bond *b = &shoal_molecule_bonds(mol)[k];
        const int32_t bond[] = {b->i, b->j, b->shift[0], b->shift[1], b->shift[2], b->order};
        PUT(s, bond);
        PUT(s, b->shared);
    }
}

static void put_terms(sha256 *s, const shoal_topology_view *v)
{
    PUT(s, v->n_terms);
    for (int32_t k = 0; k < v->n_terms; ++k) {
        PUT(s, v->terms[k].kind);
        PUT(s, v->terms[k].atoms);
        PUT(s, v->terms[k].shifts);
        PUT(s, v->terms[k].p);
    }
    PUT(s, v->n_special_pairs);
}

static void put_topology(sha256 *s, const shoal_topology *topology)
{
    shoal_topology_view v;
    if (!put_presence(s, topology)) return;
    shoal_topology_get(topology, &v);
    const int32_t n_atoms = v.n_atoms + v.n_pairs, n = n_atoms + v.n_sites;
    put_terms(s, &v);
    PUT(s, v.pbc);
    PUT(s, v.has_charges);
    put_array(s, v.table_types, v.n_atoms, sizeof *v.table_types);
    put_array(s, v.elements, n_atoms, sizeof *v.elements);
    put_array(s, v.masses, n_atoms, sizeof *v.masses);
    put_array(s, v.vdw_x, n, sizeof *v.vdw_x);
    put_array(s, v.vdw_d, n, sizeof *v.vdw_d);
    put_array(s, v.charges, n, sizeof *v.charges);
    put_array(s, v.hbonds, n, sizeof *v.hbonds);
    put_array(s, v.exclude_start, n + 1, sizeof *v.exclude_start);
    if (v.exclude_start) put_array(s, v.excluded, v.exclude_start[n], sizeof *v.excluded);
    put_array(s, v.sites, v.n_sites, sizeof *v.sites);
    put_array(s, v.direction_atoms, v.n_directions, sizeof *v.direction_atoms);
    put_array(s, v.inertias, v.n_directions, sizeof *v.inertias);
    put_pair_model(s, v.model);
}

static void put_restraints(sha256 *s, const shoal_restraint *restraints, int32_t n)
{
    PUT(s, n);
    for (int32_t k = 0; k < n; ++k) {
        PUT(s, restraints[k].kind);
        PUT(s, restraints[k].atoms);
        PUT(s, restraints[k].k);
        PUT(s, restraints[k].value);
        PUT(s, restraints[k].target);
    }
}

/* Conformers share a molecule and a topology, which stand once for those in a row. */
static void put_records(sha256 *s, const shoal_record *records, int64_t n)
{
    const shoal_molecule *mol = NULL;
    const shoal_topology *topology = NULL;
    PUT(s, n);
    for (int64_t k = 0; k < n; ++k) {
        const shoal_record *r = &records[k];
        const bool again = k > 0 && r->molecule == mol && r->topology == topology;
        const int32_t n_atoms = shoal_molecule_n_atoms(r->molecule);
        PUT(s, again);
        if (!again) put_molecule(s, r->molecule);
        if (!again) put_topology(s, r->topology);
        mol = r->molecule;
        topology = r->topology;
        put_array(s, r->pos || !r->molecule ? r->pos : shoal_molecule_positions(r->molecule),
                  n_atoms, 3 * sizeof(double));
        put_array(s, r->fixed, n_atoms, sizeof *r->fixed);
        put_array(s, r->bodies, n_atoms, sizeof *r->bodies);
        put_restraints(s, r->restraints, r->n_restraints);
    }
}

/* --- options -------------------------------------------------------------------------------------- */

static void put_typing(sha256 *s, const shoal_typing_options *t)
{
    if (!put_presence(s, t)) return;
    PUT(s, t->forcefield);
    PUT(s, t->dialect);
    PUT(s, t->charges);
    PUT(s, t->n_orders);
    for (int32_t k = 0; k < t->n_orders; ++k) {
        PUT(s, t->orders[k].i);
        PUT(s, t->orders[k].j);
        PUT(s, t->orders[k].order);
    }
    const bool flags[] = {t->no_angle_guard, t->electron_pairs, t->far_dielectric};
    const double numbers[] = {t->bond_scale, t->pi_inertia, t->pi_softening};
    PUT(s, flags);
    PUT(s, numbers);
    put_pair_model(s, t->model);
    if (put_presence(s, t->table)) PUT(s, t->table->sum);
    put_topology(s, t->topology);
    if (!put_presence(s, t->qeq)) return;
    PUT(s, t->qeq->total_charge);
    PUT(s, t->qeq->max_rounds);
    PUT(s, t->qeq->tolerance);
}

static void put_perception(sha256 *s, const shoal_perceive_options *p)
{
    if (!put_presence(s, p)) return;
    PUT(s, p->bond_scale);
    PUT(s, p->bond_slack);
    PUT(s, p->rebuild_bonds);
    PUT(s, p->total_charge);
    PUT(s, p->has_total_charge);
}

static void put_engine(sha256 *s, const shoal_engine_options *e)
{
    char kernels[512];
    if (!put_presence(s, e)) return;
    put_text(s, e->device);
    kernel_choices_text(e->device, kernels, sizeof kernels);
    if (kernels[0]) put_text(s, kernels);
    PUT(s, e->precision);
    PUT(s, e->terms_off);
    PUT(s, e->mixing);
    PUT(s, e->coulomb_damping);
    PUT(s, e->vdw_cutoff);
    PUT(s, e->ewald_tolerance);
    PUT(s, e->plain_terms);
    if (e->pair_clamp > 0) PUT(s, e->pair_clamp);
    PUT(s, e->vdw_tail);
    PUT(s, e->ewald);
    put_surface(s, e->surface);
    put_grid(s, e->grid);
}

static void put_relax(sha256 *s, const shoal_relax_options *r)
{
    if (!put_presence(s, r)) return;
    PUT(s, r->method);
    PUT(s, r->fmax);
    PUT(s, r->max_steps);
    PUT(s, r->max_move);
    PUT(s, r->every);
    if (r->elastic > 0) PUT(s, r->elastic);
    if (r->keep_symmetry) PUT(s, r->keep_symmetry);
    if (r->cell == SHOAL_CELL_FIXED) return;
    PUT(s, r->cell);
    PUT(s, r->cell_vectors);
    PUT(s, r->pressure);
    PUT(s, r->stress);
}

static void put_md(sha256 *s, const shoal_md_options *m)
{
    if (!put_presence(s, m)) return;
    const int32_t counts[] = {m->n_steps, m->stride, m->remove_every, m->exchange_every,
                              m->n_copies};
    const double numbers[] = {m->dt, m->friction, m->tau, m->hydrogen_mass};
    PUT(s, counts);
    PUT(s, numbers);
    PUT(s, m->own_velocities);
    PUT(s, m->rigid_bonds);
    PUT(s, m->thermostat);
    PUT(s, m->seed);
    put_array(s, m->temperatures, m->n_temperatures, sizeof *m->temperatures);
    put_array(s, m->copy_temperatures, m->n_copies, sizeof *m->copy_temperatures);
}

static void put_modes(sha256 *s, const shoal_modes_options *m)
{
    if (!put_presence(s, m)) return;
    const bool flags[] = {m->no_relax, m->vectors};
    const double numbers[] = {m->fmax, m->step, m->temperature, m->pressure};
    PUT(s, flags);
    PUT(s, numbers);
    PUT(s, m->symmetry_number);
}

static void put_placement(sha256 *s, const shoal_placement *p)
{
    if (!put_presence(s, p)) return;
    PUT(s, p->orient);
    PUT(s, p->rotate);
    PUT(s, p->has_at);
    PUT(s, p->at);
    PUT(s, p->height);
}

/* What makes them is the caller's, who tells of it. */
static void put_variants(sha256 *s, const shoal_variants *v)
{
    if (!put_presence(s, v)) return;
    PUT(s, v->n);
    PUT(s, v->series);
    PUT(s, v->group);
    PUT(s, v->stage);
    PUT(s, v->own_charges);
    PUT(s, v->calm);
    PUT(s, v->gain);
}

static void put_input(sha256 *s, const shoal_stream_options *o)
{
    PUT(s, o->input.format);
    PUT(s, o->input.strict);
    PUT(s, o->input.read.major_part);
    put_text(s, o->input.read.smiles_column);
    PUT(s, o->input.shard);
    PUT(s, o->input.n_shards);
    put_records(s, o->input.records, o->input.n_records);
    PUT(s, o->typing.file_types);
    PUT(s, o->typing.add_hydrogens);
    PUT(s, o->typing.keep_flat);
    PUT(s, o->typing.drop_solvent);
    PUT(s, o->typing.primitive);
    PUT(s, o->typing.space_group);
    PUT(s, o->typing.fragment);
    put_perception(s, o->typing.perceive);
    put_typing(s, o->typing.forcefield);
    PUT(s, o->typing.n_types);
    for (int32_t k = 0; k < o->typing.n_types; ++k) {
        PUT(s, o->typing.types[k].atom);
        put_text(s, o->typing.types[k].label);
        put_text(s, shoal_selection_text(o->typing.types[k].where));
    }
}

static void put_work(sha256 *s, const shoal_stream_options *o)
{
    PUT(s, o->job);
    put_engine(s, o->compute.engine);
    put_relax(s, o->compute.relax);
    put_md(s, o->compute.md);
    put_modes(s, o->compute.modes);
    put_placement(s, o->build.placement);
    put_variants(s, o->build.variants);
    PUT(s, o->build.conformers.seed);
    PUT(s, o->build.conformers.most_tries);
    PUT(s, o->build.conformers.n);
    PUT(s, o->build.conformers.no_relaxation);
    if (o->build.conformers.choice) PUT(s, o->build.conformers.choice->numbers);
    PUT(s, o->compute.adsorption);
    put_surface(s, o->build.movable);
    PUT(s, o->build.movable_spring);
    put_array(s, o->constraints.fixed, o->constraints.n_fixed, sizeof *o->constraints.fixed);
    PUT(s, o->constraints.n_fix);
    for (int32_t k = 0; k < o->constraints.n_fix; ++k)
        put_text(s, shoal_selection_text(o->constraints.fix[k]));
    put_restraints(s, o->constraints.restraints, o->constraints.n_restraints);
    PUT(s, o->constraints.rigid_molecules);
    PUT(s, o->constraints.n_rigid);
    for (int32_t k = 0; k < o->constraints.n_rigid; ++k)
        put_text(s, shoal_selection_text(o->constraints.rigid[k]));
}

static shoal_status put_files(sha256 *s, const shoal_stream_input *in)
{
    run_hashes h;
    SHOAL_TRY(run_hashes_begin(&h, in->files, in->n_files, false));
    (void)run_hashes_done(&h, true);
    put_array(s, h.hashes, in->n_files, sizeof *h.hashes);
    run_hashes_end(&h);
    return SHOAL_OK;
}

shoal_status shoal_stream_fingerprint(const shoal_stream_options *options, bool files, char out[65])
{
    sha256 s;
    shoal_clear_error();
    SHOAL_NEED(options && out);
    sha256_begin(&s);
    put_text(&s, SHOAL_VERSION);
    put_input(&s, options);
    put_work(&s, options);
    if (files) SHOAL_TRY(put_files(&s, &options->input));
    sha256_end(&s, out);
    return SHOAL_OK;
}
