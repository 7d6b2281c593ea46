/* SPDX-License-Identifier: BSD-3-Clause
 * From a molecule to its terms. */
#include "ff/topology.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ff/builder.h"
#include "ff/ff_table.h"
#include "ff/mmff.h"
#include "ff/mmff94.h"
#include "ff/qeq.h"

int shoal_dialect_by_name(const char *name)
{
    static const char *const names[] = {"rdkit", "paper", "firecore"};
    for (int k = 0; name && k < 3; ++k)
        if (strcmp(name, names[k]) == 0) return k;
    return -1;
}

const char *shoal_charge_source_name(int source)
{
    static const char *const names[] = {"auto",   "none",  "file",         "qeq",
                                        "mmff94", "types", "qeq-molecules"};
    return source >= 0 && source < SHOAL_N_CHARGE_SOURCES ? names[source] : "";
}

shoal_status shoal_forcefield_by_name(const char *name, shoal_typing_options *options)
{
    static const char *const names[] = {"uff", "mmffsp3", "mmff94", "mmff94s", "uff4mof"};
    shoal_clear_error();
    SHOAL_NEED(name && options);
    const char *colon = strchr(name, ':');
    const size_t length = colon ? (size_t)(colon - name) : strlen(name);
    const int dialect = colon ? shoal_dialect_by_name(colon + 1) : SHOAL_DIALECT_RDKIT;
    for (int k = 0; k < SHOAL_N_FORCEFIELDS; ++k) {
        const bool known = k == SHOAL_FORCEFIELD_UFF || !colon ||
                           (k == SHOAL_FORCEFIELD_MMFFSP3 && dialect == SHOAL_DIALECT_FIRECORE);
        if (strlen(names[k]) != length || strncmp(name, names[k], length) != 0) continue;
        if (dialect < 0 || !known) break;
        options->forcefield = (shoal_forcefield)k;
        options->dialect = (shoal_dialect)dialect;
        return SHOAL_OK;
    }
    const bool unclear = (name[0] | 0x20) == 'm'; /* mmff, MMFF94 */
    return shoal_fail(
        SHOAL_E_ARGUMENT,
        "force field '%s', expected uff, uff:paper, uff:firecore, mmffsp3, "
        "mmffsp3:firecore, mmff94, mmff94s or uff4mof%s",
        name, unclear ? "; RDKit's MMFF is mmff94 or mmff94s, and mmffsp3 is another one" : "");
}

shoal_status topology_reject(shoal_topology *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(t->reason, sizeof t->reason, format, args);
    va_end(args);
    t->status = SHOAL_SYSTEM_UNTYPED;
    shoal_clear_error(); /* the reason may have been one */
    return SHOAL_OK;
}

/* Puts a text behind the first `used` bytes of another, cut to the size; how many there are then. */
static size_t append(char *text, size_t size, size_t used, const char *more)
{
    while (*more && used + 1 < size) text[used++] = *more++;
    text[used] = '\0';
    return used;
}

void topology_warn(shoal_topology *t, const char *format, ...)
{
    size_t used = strlen(t->warning);
    char text[sizeof t->warning];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (strstr(t->warning, text)) return; /* atoms may be typed twice: for charges, and for terms */
    if (used) used = append(t->warning, sizeof t->warning, used, "; ");
    (void)append(t->warning, sizeof t->warning, used, text);
}

void topology_note_charges(uff_builder *b)
{
    shoal_topology_view *v = &b->topology->view;
    const shoal_charge_source asked = b->options->charges;
    v->has_charges = b->charges != NULL;
    v->charges_from = !v->has_charges               ? SHOAL_CHARGES_NONE
                      : asked == SHOAL_CHARGES_AUTO ? SHOAL_CHARGES_FILE
                                                    : asked;
}

/* Per-atom arrays; labels are "" for a molecule that could not be typed. */
static shoal_status copy_atoms(uff_builder *b)
{
    const shoal_molecule *mol = b->mol;
    shoal_topology_view *v = &b->topology->view;
    shoal_topology_builder *out = b->out;
    double *h = NULL;
    if (b->options->model) {
        h = arena_alloc(&b->topology->memory, (size_t)mol->n_atoms, sizeof *h);
        if (!h) return SHOAL_E_MEMORY;
    }
    topology_note_charges(b);
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const uff_type *type = b->types[i];
        if (b->charges) out->q[i] = b->charges[i];
        if (!type) continue;
        out->types[i] = type->label;
        out->x[i] = type->x1;
        out->d[i] = KCAL_EV * type->d1;
    }
    v->hbonds = h;
    b->topology->model = shoal_pair_model_retain((shoal_pair_model *)b->options->model);
    memcpy(v->pbc, mol->pbc, sizeof v->pbc);
    if (b->options->model && b->topology->status == SHOAL_SYSTEM_OK)
        return topology_set_params(b, &(atom_parameters){out->x, out->d, out->q, h});
    return SHOAL_OK;
}

/* The most terms that UFF can find. */
static size_t count_terms(const uff_builder *b)
{
    const graph *g = b->g;
    size_t n = (size_t)b->mol->n_bonds;
    for (int32_t j = 0; j < g->n_atoms; ++j) {
        const int32_t degree = graph_degree(g, j);
        const int32_t n_angles = degree * (degree - 1) / 2;
        const int32_t n_guards = uff_is_bipyramid(b, j) ? n_angles : degree <= 6 ? degree / 2 : 0;
        n += (size_t)(n_angles + n_guards) + (degree == 3 ? 3 : 0);
    }
    for (int32_t k = 0; k < b->mol->n_bonds; ++k)
        n += (size_t)uff_most_torsions(b, &b->mol->bonds[k]);
    return n + 2 * topology_most_14(b);
}

static shoal_status build_terms(uff_builder *b, size_t n_terms)
{
    SHOAL_TRY(builder_reserve(b->out, n_terms));
    SHOAL_TRY(uff_build_bonds(b));
    if (b->topology->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
    uff_build_angles(b);
    uff_build_torsions(b);
    uff_build_inversions(b);
    SHOAL_TRY(uff_build_exclusions(b));
    SHOAL_TRY(topology_add_14(b));
    uff_build_guards(b);
    SHOAL_TRY(builder_place_terms(b->out));
    if (!b->options->model) return SHOAL_OK;
    SHOAL_TRY(topology_add_sites(b));
    return topology_settle_charges(b);
}

/* One block of memory for all arrays of the topology. */
static shoal_status reserve_memory(const uff_builder *b, size_t n_terms)
{
    const size_t n = (size_t)b->mol->n_atoms;
    const size_t per_atom = 2 * sizeof(int32_t) + sizeof(char *) + 5 * sizeof(double);
    const size_t n_exclusions = b->g ? uff_most_exclusions(b->g) : 0;
    return arena_reserve(&b->topology->memory,
                         n * per_atom + n_terms * sizeof(shoal_term) +
                             n_exclusions * sizeof(shoal_image) +
                             (TERM_N_KINDS + 2) * sizeof(int32_t),
                         11);
}

/* In a crystal whose total charge nobody states it is 0, whatever formal charges fit its bonds. */
static void warn_assumed(const shoal_molecule *mol, shoal_topology *t)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) sum += mol->formal_charge[i];
    if (sum != mol->total_charge)
        topology_warn(t, "QEq: the total charge is taken as %d e, formal charges add up to %d",
                      mol->total_charge, sum);
}

/* The largest charge that an atom can lose or gain: that of an ion without bonds, else its valence electrons and the places
 * that are left among eight (two of hydrogen). Metals have no such places. */
static bool has_too_much(const shoal_molecule *mol, int32_t i, const int32_t *degree)
{
    const int32_t z = mol->element[i], outer = element_get(z)->outer,
                  formal = mol->formal_charge[i];
    const double q = mol->charge[i], margin = 1e-3;
    if (degree[i] == 0 && formal != 0) return fabs(q) > abs(formal) + margin;
    const int32_t places = element_is_metal(z) ? 0 : z <= 2 ? 2 - outer : 8 - outer;
    return q > outer + margin || q < -(places > -formal ? places : -formal) - margin;
}

/* In crystals hardness and the lattice sum of neighbours nearly cancel, so that charges grow beyond what there is to
 * give. */
static shoal_status warn_beyond(const shoal_molecule *mol, shoal_topology *t)
{
    int32_t n = 0, worst = 0;
    int32_t *degree = shoal_alloc((size_t)mol->n_atoms, sizeof *degree);
    if (!degree && mol->n_atoms > 0) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < mol->n_bonds; ++k) {
        ++degree[mol->bonds[k].i];
        ++degree[mol->bonds[k].j];
    }
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        if (!has_too_much(mol, i, degree)) continue;
        if (n++ == 0 || fabs(mol->charge[i]) > fabs(mol->charge[worst])) worst = i;
    }
    free(degree);
    if (n > 0)
        topology_warn(
            t, "QEq: %d atom%s beyond the charge that %s can have, up to %+.2f e on atom %d (%s)",
            n, n > 1 ? "s have gone" : " has gone", n > 1 ? "they" : "it", mol->charge[worst],
            worst, element_get(mol->element[worst])->symbol);
    return SHOAL_OK;
}

shoal_charge_source topology_asked_charges(const shoal_typing_options *options,
                                           const shoal_molecule *mol)
{
    if (options->charges != SHOAL_CHARGES_AUTO || !options->model || (mol && mol->has_charges))
        return options->charges;
    switch (options->model->settings.charges) {
    case SHOAL_CHARGES_QEQ:
    case SHOAL_CHARGES_QEQ_MOLECULES:
    case SHOAL_CHARGES_MMFF94: return options->model->settings.charges;
    default: return SHOAL_CHARGES_AUTO;
    }
}

bool topology_equilibrates(const shoal_typing_options *options)
{
    const shoal_charge_source source = topology_asked_charges(options, NULL);
    return source == SHOAL_CHARGES_QEQ || source == SHOAL_CHARGES_QEQ_MOLECULES;
}

/* Whose charges a file has, its frames may say. */
static shoal_charge_source stated_source(const shoal_molecule *mol)
{
    const char *word = shoal_molecule_property(mol, "charges");
    for (int k = 0; word && k < SHOAL_N_CHARGE_SOURCES; ++k)
        if (strcmp(word, shoal_charge_source_name(k)) == 0) return (shoal_charge_source)k;
    return SHOAL_CHARGES_FILE;
}

/* A model that was fitted with other charges gives other energies. */
static void warn_other_charges(const shoal_molecule *mol, const shoal_typing_options *options,
                               shoal_topology *t)
{
    const shoal_charge_source wanted =
        options->model ? options->model->settings.charges : SHOAL_CHARGES_AUTO;
    shoal_charge_source got = options->charges;
    if (got == SHOAL_CHARGES_AUTO) got = mol->has_charges ? SHOAL_CHARGES_FILE : SHOAL_CHARGES_NONE;
    if (got == SHOAL_CHARGES_FILE) got = stated_source(mol);
    if (wanted == SHOAL_CHARGES_AUTO || got == SHOAL_CHARGES_FILE || got == wanted) return;
    topology_warn(t, "charges are %s, and the pair model was fitted with those of %s",
                  got == SHOAL_CHARGES_NONE ? "none" : shoal_charge_source_name((int)got),
                  shoal_charge_source_name((int)wanted));
}

/* A molecule that QEq cannot do, or has no memory for, is rejected. */
static shoal_status equilibrate(shoal_molecule *mol, const shoal_typing_options *options,
                                shoal_topology *t)
{
    shoal_qeq_options qeq = {0};
    if (options->qeq) qeq = *options->qeq;
    qeq.total_charge = mol->total_charge;
    warn_assumed(mol, t);
    const shoal_status status = options->charges == SHOAL_CHARGES_QEQ
                                    ? shoal_molecule_equilibrate(mol, &qeq)
                                    : qeq_equilibrate_molecules(mol, &qeq);
    if (status == SHOAL_E_MEMORY)
        return topology_reject(t, "QEq: out of memory for %d atoms", mol->n_atoms);
    if (status == SHOAL_E_ARGUMENT) return topology_reject(t, "%s", shoal_error_text());
    return status == SHOAL_OK ? warn_beyond(mol, t) : status;
}

/* Perception and charges. A molecule that makes no chemical sense is rejected, not failed. */
static shoal_status prepare(shoal_molecule *mol, const shoal_typing_options *options,
                            shoal_topology *t)
{
    shoal_status status = shoal_molecule_perceive(mol, NULL);
    if (status == SHOAL_E_FORMAT) return topology_reject(t, "%s", shoal_error_text());
    SHOAL_TRY(status);
    if (options->charges == SHOAL_CHARGES_FILE && !mol->has_charges)
        return topology_reject(t, "the file gives no partial charges, but they were requested");
    warn_other_charges(mol, options, t);
    if (!topology_equilibrates(options)) return SHOAL_OK;
    t->uses_positions = true;
    return equilibrate(mol, options, t);
}

static bool has_shifts(const shoal_molecule *mol)
{
    int32_t shifts = 0;
    for (int32_t k = 0; k < mol->n_bonds; ++k) {
        const int32_t *s = mol->bonds[k].shift;
        shifts |= s[0] | s[1] | s[2];
    }
    return shifts != 0;
}

static shoal_status build_uff(uff_builder *b)
{
    shoal_topology *t = b->topology;
    const size_t n = (size_t)b->mol->n_atoms;
    b->types = arena_alloc(b->scratch, n, sizeof *b->types);
    b->hyb = arena_alloc(b->scratch, n, sizeof *b->hyb);
    if (!b->types || !b->hyb) return SHOAL_E_MEMORY;
    if (t->status == SHOAL_SYSTEM_OK) SHOAL_TRY(uff_assign_types(b));
    const size_t n_terms = t->status == SHOAL_SYSTEM_OK ? count_terms(b) : 0;
    SHOAL_TRY(reserve_memory(b, n_terms));
    SHOAL_TRY(builder_begin(b->out, t, b->mol->n_atoms, b->mol->element));
    SHOAL_TRY(copy_atoms(b));
    return t->status == SHOAL_SYSTEM_OK ? build_terms(b, n_terms) : SHOAL_OK;
}

/* Charges by the bonds; those that depend on positions the molecule has got before. */
static shoal_status find_charges(uff_builder *b)
{
    mmff94 m;
    if (b->options->charges == SHOAL_CHARGES_NONE) return SHOAL_OK;
    if (b->options->charges != SHOAL_CHARGES_MMFF94) {
        b->charges = b->mol->has_charges ? b->mol->charge : NULL;
        return SHOAL_OK;
    }
    SHOAL_TRY(mmff94_assign(&m, b->mol, false, b->topology, b->scratch));
    b->charges = m.charge;
    return SHOAL_OK;
}

static shoal_status build(uff_builder *b)
{
    if (b->topology->status == SHOAL_SYSTEM_OK) {
        b->g = &b->mol->perception->graph;
        b->shifted = has_shifts(b->mol);
        SHOAL_TRY(find_charges(b));
    }
    switch (b->options->forcefield) {
    case SHOAL_FORCEFIELD_MMFFSP3: SHOAL_TRY(mmff_build(b)); break;
    case SHOAL_FORCEFIELD_MMFF94:
    case SHOAL_FORCEFIELD_MMFF94S: SHOAL_TRY(mmff94_build(b)); break;
    case SHOAL_FORCEFIELD_UFF:
    case SHOAL_FORCEFIELD_UFF4MOF: SHOAL_TRY(build_uff(b)); break;
    case SHOAL_N_FORCEFIELDS: break;
    }
    SHOAL_TRY(ff_table_apply(b));
    topology_seal(b->topology);
    return SHOAL_OK;
}

/* A topology with one reference, and a reason if it is not to be typed. */
static shoal_topology *new_topology(const char *reason)
{
    shoal_topology *t = shoal_alloc(1, sizeof *t);
    if (!t) return NULL;
    t->references = 1;
    if (reason) (void)topology_reject(t, "%s", reason);
    return t;
}

/* Fills a topology and hands it over, or destroys it. */
static shoal_status finish(shoal_topology **out, shoal_topology *t, const shoal_molecule *mol,
                           const shoal_typing_options *options, arena *scratch)
{
    shoal_topology_builder records = {0};
    uff_builder b = {
        .mol = mol, .options = options, .topology = t, .out = &records, .scratch = scratch};
    const shoal_status status = build(&b);
    builder_free(&records);
    if (status != SHOAL_OK)
        shoal_topology_destroy(t);
    else
        *out = t;
    return status;
}

/* A topology that was given, for the molecule that it is of. */
static shoal_status take_given(shoal_topology **out, const shoal_molecule *mol,
                               shoal_topology *given)
{
    const shoal_topology_view *v = &given->view;
    const size_t n = (size_t)mol->n_atoms;
    const bool same = mol->n_atoms == v->n_atoms &&
                      (n == 0 || memcmp(mol->element, v->elements, n * sizeof *v->elements) == 0);
    if (same && memcmp(mol->pbc, v->pbc, sizeof v->pbc) == 0) {
        *out = shoal_topology_retain(given);
        return SHOAL_OK;
    }
    return shoal_topology_create_untyped(
        out, mol,
        same ? "the topology that was given repeats otherwise"
             : "the topology that was given is of other elements, or in another order");
}

shoal_status topology_create(shoal_topology **out, shoal_molecule *mol,
                             const shoal_typing_options *options, arena *scratch)
{
    *out = NULL;
    if (options->topology) return take_given(out, mol, options->topology);
    shoal_topology *t = new_topology(NULL);
    if (!t) return SHOAL_E_MEMORY;
    shoal_typing_options own = *options;
    own.charges = topology_asked_charges(options, mol);
    const shoal_status status = prepare(mol, &own, t);
    if (status == SHOAL_OK) return finish(out, t, mol, &own, scratch);
    shoal_topology_destroy(t);
    return status;
}

shoal_status shoal_topology_create(shoal_topology **out, shoal_molecule *mol,
                                   const shoal_typing_options *options)
{
    shoal_clear_error();
    SHOAL_NEED(out && mol);
    static const shoal_typing_options defaults = {0};
    arena scratch = {0};
    const shoal_status status = topology_create(out, mol, options ? options : &defaults, &scratch);
    arena_free(&scratch);
    return status;
}

shoal_status shoal_topology_create_untyped(shoal_topology **out, const shoal_molecule *mol,
                                           const char *reason)
{
    static const shoal_typing_options defaults = {0};
    shoal_clear_error();
    if (!out || !mol || !reason)
        return shoal_fail(SHOAL_E_ARGUMENT, "topology: no molecule, no reason or no place for it");
    *out = NULL;
    shoal_topology *t = new_topology(reason);
    if (!t) return SHOAL_E_MEMORY;
    arena scratch = {0};
    const shoal_status status = finish(out, t, mol, &defaults, &scratch);
    arena_free(&scratch);
    return status;
}

shoal_topology *shoal_topology_retain(shoal_topology *topology)
{
    if (topology) (void)__atomic_add_fetch(&topology->references, 1, __ATOMIC_RELAXED);
    return topology;
}

void shoal_topology_destroy(shoal_topology *topology)
{
    if (!topology || __atomic_sub_fetch(&topology->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    shoal_pair_model_destroy(topology->model);
    arena_free(&topology->memory);
    free(topology);
}

shoal_system_status shoal_topology_status(const shoal_topology *topology)
{
    return topology ? topology->status : SHOAL_SYSTEM_UNTYPED;
}

const char *shoal_topology_reason(const shoal_topology *topology)
{
    return topology ? topology->reason : "";
}

const char *shoal_topology_warning(const shoal_topology *topology)
{
    return topology ? topology->warning : "";
}

void shoal_topology_get(const shoal_topology *topology, shoal_topology_view *view)
{
    if (view) *view = topology ? topology->view : (shoal_topology_view){0};
}
