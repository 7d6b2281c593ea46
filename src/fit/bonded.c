/* SPDX-License-Identifier: BSD-3-Clause
 * Fits of bonded parameters: geometries, their energies without the fitted terms, the table. */
#include "fit/bonded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/molecule.h"
#include "ff/ff_table.h"
#include "shoal/io.h"

static shoal_status copy_options(shoal_bonded_fit *fit, const shoal_bonded_options *o)
{
    fit->options = *o;
    if (o->typing) fit->typing = *o->typing;
    fit->options.typing = &fit->typing;
    (void)snprintf(fit->device, sizeof fit->device, "%s", o->device ? o->device : "cpu");
    fit->options.device = fit->device;
    fit->bonds = o->bonds ? shoal_alloc((size_t)o->n_bonds + 1, sizeof *fit->bonds) : NULL;
    fit->held = o->n_held > 0 ? shoal_alloc((size_t)o->n_held, sizeof *fit->held) : NULL;
    if ((o->bonds && !fit->bonds) || (o->n_held > 0 && !fit->held)) return SHOAL_E_MEMORY;
    if (o->bonds) memcpy(fit->bonds, o->bonds, (size_t)o->n_bonds * sizeof *fit->bonds);
    if (o->n_held > 0) memcpy(fit->held, o->held, (size_t)o->n_held * sizeof *fit->held);
    return SHOAL_OK;
}

static shoal_status check_options(const shoal_bonded_options *o)
{
    const uint32_t known =
        1u << SHOAL_TERM_BOND | 1u << SHOAL_TERM_ANGLE | 1u << SHOAL_TERM_TORSION;
    if (o->terms & ~known)
        return shoal_fail(SHOAL_E_ARGUMENT, "bonded fit: expected bonds, angles and torsions");
    if (o->periods < 0 || o->periods > BONDED_PERIODS)
        return shoal_fail(SHOAL_E_ARGUMENT, "bonded fit: periods %d, expected 1 to %d", o->periods,
                          BONDED_PERIODS);
    if (!(o->freedom >= 0.0) || !(o->force_weight >= 0.0) || !(o->held_k >= 0.0) ||
        !(o->energy_unit >= 0.0))
        return shoal_fail(SHOAL_E_ARGUMENT, "bonded fit: a negative number, expected more than 0");
    if (o->typing && (o->typing->table || o->typing->topology))
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "bonded fit: it makes a table, and takes neither one nor a topology");
    if (o->n_held > 0 && o->force_weight > 0.0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "bonded fit: relaxed geometries have no forces to compare");
    return SHOAL_OK;
}

shoal_status shoal_bonded_fit_create(shoal_bonded_fit **out, const shoal_bonded_options *options)
{
    static const shoal_bonded_options defaults = {0};
    shoal_clear_error();
    SHOAL_NEED(out);
    *out = NULL;
    SHOAL_TRY(check_options(options ? options : &defaults));
    shoal_bonded_fit *fit = shoal_alloc(1, sizeof *fit);
    if (!fit) return SHOAL_E_MEMORY;
    const shoal_status status = copy_options(fit, options ? options : &defaults);
    if (status == SHOAL_OK)
        *out = fit;
    else
        shoal_bonded_fit_destroy(fit);
    return status;
}

void shoal_bonded_fit_destroy(shoal_bonded_fit *fit)
{
    if (!fit) return;
    for (int32_t m = 0; m < fit->n_molecules; ++m) {
        shoal_molecule_destroy(fit->molecules[m].mol);
        shoal_topology_destroy(fit->molecules[m].topology);
        shoal_topology_destroy(fit->molecules[m].present);
    }
    for (int32_t g = 0; g < fit->n_geometries; ++g) {
        free(fit->geometries[g].pos);
        free(fit->geometries[g].relaxed);
        free(fit->geometries[g].forces);
        free(fit->geometries[g].rest);
    }
    free(fit->bonds);
    free(fit->held);
    free(fit->molecules);
    free(fit->geometries);
    free(fit->terms);
    free(fit->parameters);
    free(fit);
}

/* --- reading -------------------------------------------------------------------------------------- */

static double unit_of(const shoal_bonded_fit *fit)
{
    return fit->options.energy_unit > 0.0 ? fit->options.energy_unit : 1.0;
}

static bool is_of(const shoal_molecule *known, const shoal_molecule *mol)
{
    const size_t n = (size_t)mol->n_atoms;
    return known->n_atoms == mol->n_atoms &&
           memcmp(known->element, mol->element, n * sizeof *mol->element) == 0;
}

static shoal_status check_atoms(const shoal_bonded_fit *fit, int32_t n_atoms)
{
    for (int32_t k = 0; k < 4 * fit->options.n_held; ++k)
        if (fit->held[k / 4][k % 4] < 0 || fit->held[k / 4][k % 4] >= n_atoms)
            return shoal_fail(SHOAL_E_ARGUMENT, "bonded fit: held atom %d of a molecule with %d",
                              (int)fit->held[k / 4][k % 4], (int)n_atoms);
    return SHOAL_OK;
}

static shoal_status add_molecule(shoal_bonded_fit *fit, const shoal_molecule *mol)
{
    SHOAL_TRY(check_atoms(fit, mol->n_atoms));
    SHOAL_TRY(SHOAL_RESERVE(&fit->molecules, &fit->molecule_capacity, fit->n_molecules + 1));
    bonded_molecule *m = &fit->molecules[fit->n_molecules++];
    *m = (bonded_molecule){0};
    SHOAL_TRY(shoal_molecule_create(&m->mol));
    SHOAL_TRY(shoal_molecule_copy(m->mol, mol));
    SHOAL_TRY(shoal_topology_create(&m->topology, m->mol, &fit->typing));
    if (shoal_topology_status(m->topology) != SHOAL_SYSTEM_OK)
        return shoal_fail(SHOAL_E_FORMAT, "bonded fit: %s: %s", mol->name,
                          shoal_topology_reason(m->topology));
    return shoal_molecule_perceive(m->mol, NULL);
}

static shoal_status read_energy(const shoal_bonded_fit *fit, const shoal_molecule *mol,
                                double *energy)
{
    const char *text = shoal_molecule_property(mol, "energy");
    if (!text) text = shoal_molecule_property(mol, "Etot");
    if (!text || !shoal_text_double(shoal_span_trim(shoal_span_of(text)), energy))
        return shoal_fail(SHOAL_E_FORMAT,
                          "geometry %d (%s): expected the data field energy, a number",
                          (int)fit->n_geometries, mol->name);
    *energy *= unit_of(fit);
    return SHOAL_OK;
}

static shoal_status read_forces(const shoal_bonded_fit *fit, const shoal_molecule *mol,
                                double (**out)[3])
{
    const char *text = shoal_molecule_property(mol, "forces");
    if (!text) return SHOAL_OK;
    shoal_span rest = shoal_span_of(text);
    *out = shoal_alloc((size_t)mol->n_atoms, sizeof **out);
    if (!*out && mol->n_atoms > 0) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < 3 * mol->n_atoms; ++k) {
        double *f = &(*out)[k / 3][k % 3];
        if (!shoal_text_double(shoal_span_word(&rest), f))
            return shoal_fail(SHOAL_E_FORMAT, "geometry %d: force of atom %d: expected a number",
                              (int)fit->n_geometries, (int)k / 3);
        *f *= unit_of(fit);
    }
    return SHOAL_OK;
}

static shoal_status add_geometry(shoal_bonded_fit *fit, const shoal_molecule *mol)
{
    int32_t m = 0;
    if (shoal_molecule_is_periodic(mol))
        return shoal_fail(SHOAL_E_UNSUPPORTED, "bonded fit: %s repeats, expected molecules",
                          mol->name);
    while (m < fit->n_molecules && !is_of(fit->molecules[m].mol, mol)) ++m;
    if (m == fit->n_molecules) SHOAL_TRY(add_molecule(fit, mol));
    SHOAL_TRY(SHOAL_RESERVE(&fit->geometries, &fit->geometry_capacity, fit->n_geometries + 1));
    bonded_geometry *g = &fit->geometries[fit->n_geometries];
    *g = (bonded_geometry){.molecule = m};
    SHOAL_TRY(read_energy(fit, mol, &g->reference));
    ++fit->n_geometries;
    ++fit->molecules[m].n_geometries;
    g->pos = shoal_alloc((size_t)mol->n_atoms, sizeof *g->pos);
    g->relaxed = shoal_alloc((size_t)mol->n_atoms, sizeof *g->relaxed);
    if (!g->pos || !g->relaxed) return SHOAL_E_MEMORY;
    memcpy(g->pos, mol->pos, (size_t)mol->n_atoms * sizeof *g->pos);
    memcpy(g->relaxed, mol->pos, (size_t)mol->n_atoms * sizeof *g->relaxed);
    if (!(fit->options.force_weight > 0.0)) return SHOAL_OK;
    return read_forces(fit, mol, &g->forces);
}

static shoal_status read_all(shoal_bonded_fit *fit, shoal_reader *reader)
{
    shoal_molecule *mol;
    bool found = true;
    if (fit->is_ready)
        return shoal_fail(SHOAL_E_ARGUMENT, "bonded fit: geometries come before the first run");
    SHOAL_TRY(shoal_molecule_create(&mol));
    shoal_status status = SHOAL_OK;
    while (status == SHOAL_OK && found) {
        status = shoal_reader_next(reader, mol, &found);
        if (status == SHOAL_OK && found) status = add_geometry(fit, mol);
    }
    shoal_molecule_destroy(mol);
    return status;
}

shoal_status shoal_bonded_fit_add(shoal_bonded_fit *fit, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(fit && path);
    shoal_reader *reader;
    SHOAL_TRY(shoal_reader_open(&reader, path, SHOAL_FORMAT_AUTO));
    const shoal_status status = read_all(fit, reader);
    shoal_reader_destroy(reader);
    return status;
}

shoal_status shoal_bonded_fit_add_memory(shoal_bonded_fit *fit, const void *data, size_t size,
                                         const char *label)
{
    shoal_clear_error();
    SHOAL_NEED(fit && data && label);
    shoal_reader *reader;
    SHOAL_TRY(shoal_reader_open_memory(&reader, data, size, label, SHOAL_FORMAT_XYZ));
    const shoal_status status = read_all(fit, reader);
    shoal_reader_destroy(reader);
    return status;
}

/* --- energies of the rest ------------------------------------------------------------------------- */

static shoal_status make_batch(const shoal_bonded_fit *fit, shoal_batch *batch)
{
    for (int32_t g = 0; g < fit->n_geometries; ++g) {
        const bonded_geometry *at = &fit->geometries[g];
        const shoal_system system = {.topology = fit->molecules[at->molecule].topology,
                                     .pos = (const double(*)[3])at->pos};
        SHOAL_TRY(shoal_batch_add(batch, &system));
    }
    return SHOAL_OK;
}

static void take_off_terms(const shoal_bonded_fit *fit, bonded_geometry *g)
{
    const bonded_molecule *m = &fit->molecules[g->molecule];
    for (int32_t k = m->first_term; k < m->first_term + m->n_terms; ++k) {
        const bonded_term *t = &fit->terms[k];
        double q, slope[4][3];
        bonded_value value;
        if (!bonded_measure(t, (const double(*)[3])g->pos, &q, slope)) continue;
        bonded_evaluate(t, t->own, q, &value);
        g->base -= value.e;
        for (int a = 0; a < 4 && g->rest; ++a)
            for (int c = 0; c < 3; ++c) g->rest[t->atoms[a]][c] += value.by_q * slope[a][c];
    }
}

static shoal_status take_result(shoal_bonded_fit *fit, const shoal_engine *engine, int32_t g)
{
    bonded_geometry *at = &fit->geometries[g];
    const size_t n = (size_t)fit->molecules[at->molecule].mol->n_atoms;
    shoal_result r;
    SHOAL_TRY(shoal_engine_result(engine, g, &r));
    if (r.status != SHOAL_SYSTEM_OK)
        return shoal_fail(SHOAL_E_FORMAT, "bonded fit: geometry %d: %s", (int)g, r.reason);
    at->base = r.energy;
    if (at->forces) {
        at->rest = shoal_alloc(n, sizeof *at->rest);
        if (!at->rest) return SHOAL_E_MEMORY;
        memcpy(at->rest, r.forces, n * sizeof *at->rest);
        fit->has_forces = true;
    }
    take_off_terms(fit, at);
    return SHOAL_OK;
}

shoal_status bonded_engine(const shoal_bonded_fit *fit, shoal_batch *batch, shoal_engine **out)
{
    const shoal_engine_options options = {.device = fit->device,
                                          .precision = SHOAL_PRECISION_DOUBLE,
                                          .n_threads = fit->options.n_threads};
    return shoal_engine_create(out, batch, &options);
}

static shoal_status find_rest(shoal_bonded_fit *fit)
{
    shoal_batch *batch;
    shoal_engine *engine = NULL;
    SHOAL_TRY(shoal_batch_create(&batch));
    shoal_status status = make_batch(fit, batch);
    if (status == SHOAL_OK) status = bonded_engine(fit, batch, &engine);
    if (status == SHOAL_OK) status = shoal_engine_eval(engine);
    for (int32_t g = 0; g < fit->n_geometries && status == SHOAL_OK; ++g)
        status = take_result(fit, engine, g);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return status;
}

shoal_status bonded_prepare(shoal_bonded_fit *fit)
{
    if (fit->is_ready) return SHOAL_OK;
    if (fit->n_geometries == 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "bonded fit: no geometries, expected some");
    SHOAL_TRY(bonded_find_terms(fit));
    SHOAL_TRY(find_rest(fit));
    fit->is_ready = true;
    return SHOAL_OK;
}

/* --- parameters and table ------------------------------------------------------------------------- */

shoal_status shoal_bonded_fit_parameters(shoal_bonded_fit *fit, int32_t *n)
{
    shoal_clear_error();
    SHOAL_NEED(fit && n);
    SHOAL_TRY(bonded_prepare(fit));
    *n = fit->n_parameters;
    return SHOAL_OK;
}

static shoal_status check_parameter(const shoal_bonded_fit *fit, int32_t k)
{
    if (k >= 0 && k < fit->n_parameters) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "bonded fit: parameter %d of %d", (int)k,
                      (int)fit->n_parameters);
}

shoal_status shoal_bonded_fit_parameter(const shoal_bonded_fit *fit, int32_t parameter,
                                        shoal_bonded_parameter *out)
{
    shoal_clear_error();
    SHOAL_NEED(fit && out);
    SHOAL_TRY(check_parameter(fit, parameter));
    const bonded_parameter *p = &fit->parameters[parameter];
    *out = (shoal_bonded_parameter){p->name, p->start, p->value, p->width, p->n_terms};
    return SHOAL_OK;
}

shoal_status shoal_bonded_fit_set_value(shoal_bonded_fit *fit, int32_t parameter, double value)
{
    shoal_clear_error();
    SHOAL_NEED(fit);
    SHOAL_TRY(bonded_prepare(fit));
    SHOAL_TRY(check_parameter(fit, parameter));
    if (!isfinite(value))
        return shoal_fail(SHOAL_E_ARGUMENT, "bonded fit: a parameter that is not finite");
    fit->parameters[parameter].value = value;
    return SHOAL_OK;
}

shoal_status shoal_bonded_fit_table(shoal_bonded_fit *fit, shoal_string *out)
{
    shoal_clear_error();
    SHOAL_NEED(fit && out);
    SHOAL_TRY(bonded_prepare(fit));
    if (!fit->options.by_bond) return bonded_put_rows(fit, -1, out);
    for (int32_t m = 0; m < fit->n_molecules; ++m) {
        ff_table_put_molecule(out, fit->molecules[m].mol);
        SHOAL_TRY(bonded_put_rows(fit, m, out));
    }
    return shoal_string_status(out);
}

shoal_status bonded_topology(const shoal_bonded_fit *fit, int32_t molecule, shoal_topology **out)
{
    shoal_string text = {0};
    shoal_ff_table *table = NULL;
    shoal_typing_options typing = fit->typing;
    shoal_status status = SHOAL_OK;
    if (fit->options.by_bond) ff_table_put_molecule(&text, fit->molecules[molecule].mol);
    status = bonded_put_rows(fit, molecule, &text);
    if (status == SHOAL_OK)
        status = shoal_ff_table_read_memory(&table, text.data, text.size, "bonded fit");
    typing.table = table;
    if (status == SHOAL_OK)
        status = shoal_topology_create(out, fit->molecules[molecule].mol, &typing);
    shoal_ff_table_destroy(table);
    shoal_string_free(&text);
    return status;
}
