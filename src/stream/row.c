/* SPDX-License-Identifier: BSD-3-Clause
 * Results of systems as lines of JSON. */
#include "stream/row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "shoal/elastic.h"
#include "shoal/explain.h"
#include "shoal/json.h"
#include "shoal/md.h"
#include "shoal/modes.h"
#include "shoal/units.h"

static bool has_numbers(const shoal_result *r)
{
    return shoal_system_has_numbers(r->status, r->energy);
}

const char *shoal_row_title(const shoal_stream_system *s, char buffer[32])
{
    const char *name = s && s->mol ? shoal_molecule_name(s->mol) : "";
    if (*name || !s || !buffer) return name;
    (void)snprintf(buffer, 32, "#%lld", (long long)s->index);
    return buffer;
}

bool row_has_volume(const shoal_stream_system *s)
{
    bool pbc[3];
    double cell[3][3];
    shoal_molecule_cell(s->mol, cell, pbc);
    return pbc[0] && pbc[1] && pbc[2] && isfinite(s->result.stress[0]);
}

void row_put_stress(shoal_json *j, const shoal_stream_system *s)
{
    double gpa[6];
    if (!isfinite(s->result.stress[0])) return;
    shoal_json_numbers(j, "stress", s->result.stress, 6);
    if (!row_has_volume(s)) return;
    for (int k = 0; k < 6; ++k)
        gpa[k] = s->result.stress[k] / shoal_unit_value(SHOAL_UNIT_GIGAPASCAL);
    shoal_json_numbers(j, "stress_gpa", gpa, 6);
}

/* Of a cell that was relaxed. */
static void put_cell(shoal_json *j, const shoal_stream_system *s)
{
    double cell[3][3];
    bool pbc[3];
    if (!isfinite(s->result.pressure)) return;
    shoal_molecule_cell(s->mol, cell, pbc);
    shoal_json_vectors(j, "cell", (const double(*)[3])cell, 3);
    if (!row_has_volume(s)) return;
    shoal_json_number(j, "volume", s->result.measure);
    shoal_json_number(j, "pressure_gpa",
                      s->result.pressure / shoal_unit_value(SHOAL_UNIT_GIGAPASCAL));
}

static void put_gpa(shoal_json *j, const char *key, double value)
{
    shoal_json_number(j, key, value / shoal_unit_value(SHOAL_UNIT_GIGAPASCAL));
}

static void put_symmetry(shoal_json *j, const shoal_stream_system *s)
{
    const shoal_result *r = &s->result;
    if (r->n_symmetry == 0) return;
    shoal_json_open(j, "symmetry", '{');
    shoal_json_put(j, "operations", r->n_symmetry, "moved", r->symmetry_moved);
    shoal_json_close(j, '}');
}

static void put_elastic(shoal_json *j, const shoal_stream_system *s)
{
    shoal_elastic e;
    if (!s->result.elastic || shoal_elastic_find(s->result.elastic, &e) != SHOAL_OK) return;
    const double gpa = shoal_unit_value(SHOAL_UNIT_GIGAPASCAL);
    shoal_json_open(j, "elastic", '{');
    shoal_json_open(j, "stiffness_gpa", '[');
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 6; ++k) e.stiffness[i][k] /= gpa;
        shoal_json_numbers(j, NULL, e.stiffness[i], 6);
        e.eigenvalues[i] /= gpa;
    }
    shoal_json_close(j, ']');
    put_gpa(j, "asymmetry_gpa", e.asymmetry);
    shoal_json_numbers(j, "eigenvalues_gpa", e.eigenvalues, 6);
    shoal_json_boolean(j, "stable", e.stable);
    put_gpa(j, "bulk_modulus_gpa", e.bulk);
    put_gpa(j, "bulk_voigt_gpa", e.bulk_voigt);
    put_gpa(j, "bulk_reuss_gpa", e.bulk_reuss);
    put_gpa(j, "shear_modulus_gpa", e.shear);
    put_gpa(j, "shear_voigt_gpa", e.shear_voigt);
    put_gpa(j, "shear_reuss_gpa", e.shear_reuss);
    shoal_json_close(j, '}');
}

/* --- parts --------------------------------------------------------------------------------------- */

void shoal_row_terms(shoal_json *j, const shoal_result *r)
{
    if (!j || !r || !r->terms) return;
    shoal_json_open(j, "terms", '{');
    for (int t = 0; t < r->n_terms; ++t) shoal_json_number(j, shoal_term_name(t), r->terms[t]);
    shoal_json_close(j, '}');
}

/* Of an ensemble. */
static void put_rank(shoal_json *j, const shoal_molecule *mol)
{
    static const char *const keys[] = {"conformer_rank", "conformer_relative_energy",
                                       "conformer_weight"};
    for (int k = 0; k < 3; ++k) {
        const char *value = shoal_molecule_property(mol, keys[k]);
        if (value) shoal_json_number(j, keys[k], atof(value));
    }
}

void shoal_row_open(shoal_json *j, const shoal_row_style *style, const shoal_stream_system *s)
{
    if (!j || !style || !s || !s->mol || !style->files) return;
    const shoal_system_status status = s->result.status;
    shoal_json_integer(j, "index", s->index);
    shoal_json_text(j, "name", shoal_molecule_name(s->mol));
    shoal_json_integer(j, "natoms", shoal_molecule_n_atoms(s->mol));
    shoal_json_text(j, "status", shoal_system_status_name(status));
    shoal_json_text(j, "file", style->files[s->i_file]);
    shoal_json_integer(j, "record", s->record);
    const char *smiles = shoal_molecule_property(s->mol, "smiles");
    if (s->n_variants > 0) shoal_json_integer(j, "variant", s->variant);
    if (s->conformer >= 0) shoal_json_integer(j, "conformer", s->conformer);
    if (s->rank > 0) put_rank(j, s->mol);
    if (smiles) shoal_json_text(j, "smiles", smiles);
    if (status == SHOAL_SYSTEM_UNREADABLE) shoal_json_integer(j, "line", s->line);
    if (style->devices && s->device && s->device[0]) shoal_json_text(j, "device", s->device);
    if (s->charges_from != SHOAL_CHARGES_AUTO)
        shoal_json_text(j, "charges_from", shoal_charge_source_name((int)s->charges_from));
    if (s->result.coulomb_sum == SHOAL_EWALD_MESH) shoal_json_text(j, "coulomb_sum", "mesh");
    const char *group = shoal_molecule_property(s->mol, "space_group");
    if (group) shoal_json_text(j, "space_group", group);
    if (style->metals && style->metals[0]) shoal_json_text(j, "metals", style->metals);
}

void shoal_row_adsorption(shoal_json *j, const shoal_stream_system *s)
{
    if (!j || !s || isnan(s->isolated_energy)) return;
    shoal_json_number(j, "adsorption_energy", s->result.energy - s->isolated_energy);
    shoal_json_number(j, "isolated_energy", s->isolated_energy);
    shoal_json_integer(j, "isolated_start", s->isolated_start);
}

void shoal_row_atoms(shoal_json *j, const shoal_row_style *style, const shoal_stream_system *s)
{
    if (!j || !style || !s || !s->mol) return;
    const int32_t n = shoal_molecule_n_atoms(s->mol);
    if (style->positions) shoal_json_vectors(j, "positions", shoal_molecule_positions(s->mol), n);
    if (style->forces && has_numbers(&s->result))
        shoal_json_vectors(j, "forces", s->result.forces, n);
}

void shoal_row_details(shoal_json *j, const shoal_row_style *style, const shoal_stream_system *s)
{
    if (!j || !style || !s || !s->mol) return;
    const shoal_result *r = &s->result;
    if (r->reason && r->reason[0]) shoal_json_text(j, "reason", r->reason);
    if (r->warning && r->warning[0]) shoal_json_text(j, "warning", r->warning);
    shoal_row_atoms(j, style, s);
}

void shoal_row_energy(shoal_json *j, const shoal_row_style *style, const shoal_stream_system *s)
{
    if (!j || !style || !s || !s->mol) return;
    const shoal_result *r = &s->result;
    shoal_row_open(j, style, s);
    if (has_numbers(r)) {
        shoal_json_number(j, "energy", r->energy);
        shoal_row_adsorption(j, s);
        shoal_json_number(j, "fmax", r->fmax);
        row_put_stress(j, s);
        shoal_row_terms(j, r);
    }
    shoal_row_details(j, style, s);
}

shoal_status shoal_row_interactions(shoal_json *j, const shoal_stream_system *s)
{
    shoal_term_row *rows;
    int64_t n;
    shoal_topology_view v;
    shoal_clear_error();
    SHOAL_NEED(j && s && s->topology && s->engine);
    shoal_topology_get(s->topology, &v);
    SHOAL_TRY(shoal_explain_rows(s->engine, s->i_engine, &rows, &n));
    shoal_json_open(j, "interactions", '[');
    for (int64_t k = 0; k < n; ++k) {
        shoal_json_open(j, NULL, '{');
        shoal_explain_json(&rows[k], &v, j);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, ']');
    free(rows);
    return SHOAL_OK;
}

/* --- jobs ---------------------------------------------------------------------------------------- */

static void put_relax(shoal_json *j, const shoal_row_style *style, const shoal_stream_system *s)
{
    const shoal_result *r = &s->result;
    shoal_row_open(j, style, s);
    if (has_numbers(r)) {
        shoal_json_number(j, "energy0", r->energy0);
        shoal_json_number(j, "energy", r->energy);
        shoal_row_adsorption(j, s);
        shoal_json_number(j, "fmax", r->fmax);
        row_put_stress(j, s);
        shoal_json_integer(j, "steps", r->steps);
        put_cell(j, s);
        put_symmetry(j, s);
        put_elastic(j, s);
        shoal_row_terms(j, r);
    }
    shoal_row_details(j, style, s);
}

static void json_thermo(shoal_json *j, const shoal_thermo *t)
{
    shoal_json_open(j, "thermochemistry", '{');
    shoal_json_put(j, "kind", t->ideal_gas ? "ideal gas" : "harmonic", "temperature",
                   t->temperature);
    if (t->ideal_gas) {
        shoal_json_number(j, "pressure_pa", t->pressure);
        shoal_json_integer(j, "symmetry_number", t->symmetry_number);
        shoal_json_boolean(j, "symmetry_found", t->symmetry_found);
    }
    shoal_json_put(j, "modes_left_out", t->n_left_out, "zero_point", t->zero_point, "energy",
                   t->energy, "enthalpy", t->enthalpy, "entropy", t->entropy, "free_energy",
                   t->free_energy);
    shoal_json_close(j, '}');
}

static void put_modes(shoal_json *j, const shoal_stream_system *s)
{
    const shoal_modes_result *m = s->modes;
    if (has_numbers(&s->result) && s->result.steps > 0) {
        shoal_json_number(j, "energy0", s->result.energy0);
        shoal_json_integer(j, "steps", s->result.steps);
    }
    if (m) {
        shoal_json_text(j, "verdict", shoal_verdict_name(m->verdict));
        shoal_json_integer(j, "order", m->order);
        shoal_json_integer(j, "removed", m->n_removed);
        shoal_json_boolean(j, "linear", m->linear);
        shoal_json_number(j, "error_cm1", m->error);
        shoal_json_number(j, "step", m->step);
        shoal_json_numbers(j, "frequencies_cm1", m->frequencies, m->n_modes);
        shoal_json_numbers(j, "reduced_masses_amu", m->reduced_masses, m->n_modes);
        json_thermo(j, &m->thermo);
    }
}

static void put_number(shoal_json *j, const char *key, double value)
{
    if (isfinite(value)) shoal_json_number(j, key, value);
}

static void put_md(shoal_json *j, const shoal_stream_system *s)
{
    const shoal_md_result *m = s->md;
    shoal_json_put(j, "steps", m->n_steps, "time_fs", m->time, "dof", m->n_dof, "energy",
                   s->result.energy, "etot0", m->etot0, "etot", m->etot);
    put_number(j, "drift", m->drift);
    put_number(j, "fluctuation", m->fluctuation);
    put_number(j, "conserved_drift", m->conserved_drift);
    shoal_json_put(j, "samples", m->n_samples);
    put_number(j, "temperature_mean", m->temperature_mean);
    put_number(j, "temperature_err", m->temperature_err);
    put_number(j, "potential_mean", m->potential_mean);
    put_number(j, "potential_err", m->potential_err);
    shoal_json_put(j, "bath", m->temperature);
    if (m->n_rigid > 0) shoal_json_put(j, "rigid_bonds", m->n_rigid);
    if (m->n_tried == 0) return;
    shoal_json_put(j, "exchanges_tried", m->n_tried, "exchanges", m->n_swapped);
}

shoal_status shoal_row_json(shoal_job job, const shoal_row_style *style,
                            const shoal_stream_system *s, shoal_string *out)
{
    shoal_json j = {.text = out};
    shoal_clear_error();
    SHOAL_NEED(style && s && out && style->files && s->mol);
    shoal_json_open(&j, NULL, '{');
    if (job == SHOAL_JOB_TYPE) {
        row_put_types(&j, style, s);
    } else if (job == SHOAL_JOB_RELAX) {
        put_relax(&j, style, s);
    } else if (job == SHOAL_JOB_MD) {
        shoal_row_open(&j, style, s);
        if (style->copies) shoal_json_integer(&j, "copy", s->variant);
        if (s->md) put_md(&j, s);
        shoal_row_details(&j, style, s);
    } else {
        shoal_row_energy(&j, style, s);
        if (job == SHOAL_JOB_MODES) put_modes(&j, s);
    }
    shoal_json_end(&j);
    return SHOAL_OK;
}
