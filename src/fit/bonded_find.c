/* SPDX-License-Identifier: BSD-3-Clause
 * Terms of molecules whose parameters are fitted, and the parameters that they share. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/perceive.h"
#include "fit/bonded.h"

/* Spread of parameters about those of the force field: eV of a torsion, of constants relative, angstrom, radians. */
#define WIDTH_TORSION 0.05
#define WIDTH_CONSTANT 0.2
#define WIDTH_LENGTH 0.02
#define WIDTH_ANGLE 0.05

static bool wants(const shoal_bonded_fit *fit, int energy)
{
    const uint32_t terms = fit->options.terms ? fit->options.terms : 1u << SHOAL_TERM_TORSION;
    return terms >> energy & 1u;
}

static bool is_in_ring(const shoal_molecule *mol, int32_t i, int32_t j)
{
    const ring_set *rings = &mol->perception->rings;
    for (int32_t k = 0; k < rings->start[rings->n_rings]; ++k) {
        const shoal_bond *b = &mol->bonds[rings->bonds[k]];
        if ((b->i == i && b->j == j) || (b->i == j && b->j == i)) return true;
    }
    return false;
}

static bool is_asked(const shoal_bonded_fit *fit, const shoal_molecule *mol, int32_t i, int32_t j)
{
    if (!fit->bonds) return !is_in_ring(mol, i, j);
    for (int32_t k = 0; k < fit->options.n_bonds; ++k) {
        const int32_t *b = fit->bonds[k];
        if ((b[0] == i && b[1] == j) || (b[0] == j && b[1] == i)) return true;
    }
    return false;
}

static int32_t n_ends(bonded_shape shape)
{
    return shape == BONDED_TORSION ? 4 : shape == BONDED_STRETCH ? 2 : 3;
}

/* Types of a term in the order that comes first, behind its atoms where each bond has its own. */
static void name_term(const shoal_bonded_fit *fit, const bonded_term *t, char *out, size_t size)
{
    const int32_t n = n_ends(t->shape);
    const char *const *types = fit->molecules[t->molecule].topology->view.types;
    int order = 0;
    size_t used = 0;
    for (int32_t k = 0; k < n && order == 0; ++k)
        order = strcmp(types[t->atoms[k]], types[t->atoms[n - 1 - k]]);
    if (fit->options.by_bond) {
        const int32_t *a = &t->atoms[t->shape == BONDED_TORSION];
        const int32_t m = t->shape == BONDED_TORSION ? 2 : n;
        const bool turned = a[0] > a[m - 1];
        if (t->shape == BONDED_TORSION) order = turned ? 1 : -1;
        used += (size_t)snprintf(out, size, "%d:", (int)t->molecule);
        for (int32_t k = 0; k < m; ++k)
            used += (size_t)snprintf(out + used, size - used, k ? "-%d" : "%d",
                                     (int)a[turned ? m - 1 - k : k]);
        used += (size_t)snprintf(out + used, size - used, " ");
    }
    for (int32_t k = 0; k < n; ++k)
        used += (size_t)snprintf(out + used, size - used, k ? " %s" : "%s",
                                 types[t->atoms[order > 0 ? n - 1 - k : k]]);
}

/* --- terms ---------------------------------------------------------------------------------------- */

static shoal_status add_term(shoal_bonded_fit *fit, int32_t molecule, bonded_shape shape,
                             const shoal_term *from, bonded_term **out)
{
    SHOAL_TRY(SHOAL_RESERVE(&fit->terms, &fit->term_capacity, fit->n_terms + 1));
    bonded_term *t = &fit->terms[fit->n_terms++];
    *t = (bonded_term){.shape = shape, .molecule = molecule};
    memcpy(t->atoms, from->atoms, sizeof t->atoms);
    memcpy(t->record, from->p, sizeof t->record);
    for (int k = 0; k < BONDED_PERIODS; ++k) t->parameter[k] = -1;
    *out = t;
    return SHOAL_OK;
}

static bool are_equal(const int32_t *a, const int32_t *b)
{
    const bool same = a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
    return same || (a[0] == b[3] && a[1] == b[2] && a[2] == b[1] && a[3] == b[0]);
}

/* Amplitudes of cos n phi; false for a phase that they cannot stand for. */
static bool add_amplitudes(const shoal_term *from, double own[BONDED_PERIODS])
{
    const double *p = from->p;
    if (from->kind == SHOAL_KIND_FOURIER) {
        own[0] += 0.5 * p[SHOAL_FOURIER_V1];
        own[1] -= 0.5 * p[SHOAL_FOURIER_V1 + 1];
        own[2] += 0.5 * p[SHOAL_FOURIER_V1 + 2];
        return true;
    }
    const bool periodic = from->kind == SHOAL_KIND_PERIODIC;
    const int n = (int)p[periodic ? SHOAL_PERIODIC_N : SHOAL_TORSION_N];
    if (n == 0) return true;
    if (n < 1 || n > BONDED_PERIODS) return false;
    if (!periodic) {
        own[n - 1] -= p[SHOAL_TORSION_V] * p[SHOAL_TORSION_D];
        return true;
    }
    own[n - 1] += p[SHOAL_PERIODIC_K] * cos(p[SHOAL_PERIODIC_PHASE]);
    return fabs(sin(p[SHOAL_PERIODIC_PHASE])) < 1e-9;
}

static shoal_status add_torsion(shoal_bonded_fit *fit, int32_t molecule, const shoal_term *from)
{
    bonded_term *t = NULL;
    for (int32_t k = fit->molecules[molecule].first_term; k < fit->n_terms && !t; ++k)
        if (fit->terms[k].shape == BONDED_TORSION && are_equal(fit->terms[k].atoms, from->atoms))
            t = &fit->terms[k];
    if (!t) SHOAL_TRY(add_term(fit, molecule, BONDED_TORSION, from, &t));
    if (add_amplitudes(from, t->own)) return SHOAL_OK;
    return shoal_fail(
        SHOAL_E_UNSUPPORTED, "torsion %d %d %d %d has a phase that is neither 0 nor 180 degrees",
        (int)from->atoms[0], (int)from->atoms[1], (int)from->atoms[2], (int)from->atoms[3]);
}

static shoal_status add_stretch(shoal_bonded_fit *fit, int32_t molecule, const shoal_term *from)
{
    bonded_term *t;
    SHOAL_TRY(add_term(fit, molecule, BONDED_STRETCH, from, &t));
    t->own[0] = from->p[SHOAL_BOND_K];
    t->own[1] = from->p[SHOAL_BOND_R0];
    return SHOAL_OK;
}

/* k (c0 + c1 cos t + c2 cos 2t) with one minimum, at t0, has t0 as a parameter. */
static shoal_status add_angle(shoal_bonded_fit *fit, int32_t molecule, const shoal_term *from)
{
    bonded_term *t;
    const double *c = &from->p[SHOAL_ANGLE_C0];
    const double cosine = c[2] > 0.0 ? -c[1] / (4.0 * c[2]) : 1.0;
    const bool general = c[3] == 0.0 && c[4] == 0.0 && fabs(cosine) < 0.99 &&
                         fabs(c[0] - c[2] * (2.0 * cosine * cosine + 1.0)) < 1e-9;
    SHOAL_TRY(add_term(fit, molecule, general ? BONDED_ANGLE : BONDED_COSINES, from, &t));
    t->own[0] = from->p[SHOAL_ANGLE_K];
    if (!general) return SHOAL_OK;
    t->own[0] *= 4.0 * c[2] * (1.0 - cosine * cosine);
    t->own[1] = acos(cosine);
    return SHOAL_OK;
}

static shoal_status add_all(shoal_bonded_fit *fit, int32_t molecule, int kind, int energy,
                            shoal_status (*add)(shoal_bonded_fit *, int32_t, const shoal_term *))
{
    int32_t n;
    const shoal_term *terms =
        shoal_topology_terms(&fit->molecules[molecule].topology->view, kind, &n);
    if (!wants(fit, energy)) return SHOAL_OK;
    for (int32_t k = 0; k < n; ++k) SHOAL_TRY(add(fit, molecule, &terms[k]));
    return SHOAL_OK;
}

static shoal_status find_in_molecule(shoal_bonded_fit *fit, int32_t m)
{
    fit->molecules[m].first_term = fit->n_terms;
    SHOAL_TRY(add_all(fit, m, SHOAL_KIND_BOND, SHOAL_TERM_BOND, add_stretch));
    SHOAL_TRY(add_all(fit, m, SHOAL_KIND_ANGLE, SHOAL_TERM_ANGLE, add_angle));
    SHOAL_TRY(add_all(fit, m, SHOAL_KIND_TORSION, SHOAL_TERM_TORSION, add_torsion));
    SHOAL_TRY(add_all(fit, m, SHOAL_KIND_FOURIER, SHOAL_TERM_TORSION, add_torsion));
    return add_all(fit, m, SHOAL_KIND_PERIODIC, SHOAL_TERM_TORSION, add_torsion);
}

/* Torsions about the bonds that were asked for and, where types share parameters, all others of the same types. */
static shoal_status choose_torsions(shoal_bonded_fit *fit)
{
    const int32_t n = fit->n_terms;
    bool *chosen = shoal_alloc((size_t)n, sizeof *chosen);
    int32_t kept = 0;
    if (!chosen && n > 0) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < n; ++k) {
        const bonded_term *t = &fit->terms[k];
        chosen[k] = t->shape != BONDED_TORSION ||
                    is_asked(fit, fit->molecules[t->molecule].mol, t->atoms[1], t->atoms[2]);
    }
    for (int32_t k = 0; k < n && !fit->options.by_bond; ++k) {
        char name[112], other[112];
        if (chosen[k]) continue;
        name_term(fit, &fit->terms[k], name, sizeof name);
        for (int32_t m = 0; m < n && !chosen[k]; ++m) {
            if (!chosen[m] || fit->terms[m].shape != BONDED_TORSION) continue;
            name_term(fit, &fit->terms[m], other, sizeof other);
            chosen[k] = strcmp(name, other) == 0;
        }
    }
    for (int32_t k = 0; k < n; ++k)
        if (chosen[k]) fit->terms[kept++] = fit->terms[k];
    fit->n_terms = kept;
    free(chosen);
    return SHOAL_OK;
}

/* --- parameters ----------------------------------------------------------------------------------- */

static void name_parameter(const char *term, bonded_shape shape, int32_t place, char *out,
                           size_t size)
{
    if (shape == BONDED_TORSION)
        (void)snprintf(out, size, "%.90s cos %dphi", term, (int)place + 1);
    else
        (void)snprintf(out, size, "%.90s %s", term,
                       place == 0                ? "k"
                       : shape == BONDED_STRETCH ? "r0"
                                                 : "t0");
}

static shoal_status share_parameter(shoal_bonded_fit *fit, bonded_term *t, const char *term,
                                    int32_t place)
{
    bonded_parameter p = {.shape = t->shape, .place = place};
    name_parameter(term, t->shape, place, p.name, sizeof p.name);
    int32_t k = 0;
    while (k < fit->n_parameters &&
           (fit->parameters[k].shape != p.shape || strcmp(fit->parameters[k].name, p.name) != 0))
        ++k;
    if (k == fit->n_parameters) {
        SHOAL_TRY(SHOAL_RESERVE(&fit->parameters, &fit->parameter_capacity, k + 1));
        fit->parameters[fit->n_parameters++] = p;
    }
    t->parameter[place] = k;
    fit->parameters[k].start += t->own[place];
    ++fit->parameters[k].n_terms;
    return SHOAL_OK;
}

/* A term has the periods that were asked for, and those that some term of its parameters has in the force field. */
static bool has_place(const shoal_bonded_fit *fit, const bonded_term *t, int32_t place)
{
    const int32_t periods = fit->options.periods > 0 ? fit->options.periods : 4;
    return t->shape != BONDED_TORSION || place < periods || t->own[place] != 0.0;
}

static void settle(shoal_bonded_fit *fit, bonded_parameter *p)
{
    const double freedom = fit->options.freedom > 0.0 ? fit->options.freedom : 1.0;
    p->value = p->start /= p->n_terms;
    if (p->shape == BONDED_TORSION) {
        p->width = WIDTH_TORSION;
        p->least = -(p->most = 5.0);
    } else if (p->place == 0) {
        p->width = WIDTH_CONSTANT * p->start;
        p->least = 0.05 * p->start;
        p->most = 20.0 * p->start;
    } else if (p->shape == BONDED_STRETCH) {
        p->width = WIDTH_LENGTH;
        p->least = 0.5 * p->start;
        p->most = 2.0 * p->start;
    } else {
        p->width = WIDTH_ANGLE;
        p->least = 0.7;
        p->most = 3.0;
    }
    p->width *= freedom;
}

shoal_status bonded_find_terms(shoal_bonded_fit *fit)
{
    for (int32_t m = 0; m < fit->n_molecules; ++m) SHOAL_TRY(find_in_molecule(fit, m));
    SHOAL_TRY(choose_torsions(fit));
    for (int32_t m = 0; m < fit->n_molecules; ++m) fit->molecules[m].n_terms = 0;
    for (int32_t k = 0; k < fit->n_terms; ++k) {
        bonded_term *t = &fit->terms[k];
        char name[112];
        bonded_molecule *m = &fit->molecules[t->molecule];
        if (m->n_terms++ == 0) m->first_term = k;
        name_term(fit, t, name, sizeof name);
        for (int32_t place = 0; place < bonded_n_places(t->shape); ++place)
            if (has_place(fit, t, place)) SHOAL_TRY(share_parameter(fit, t, name, place));
    }
    for (int32_t k = 0; k < fit->n_parameters; ++k) settle(fit, &fit->parameters[k]);
    if (fit->n_parameters > 0) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "bonded fit: the molecules have no such terms; expected torsions about bonds "
                      "that are in no ring, or others that were asked for");
}

void bonded_present(const shoal_bonded_fit *fit, const bonded_term *term, double *p)
{
    for (int32_t k = 0; k < BONDED_PERIODS; ++k)
        p[k] = term->parameter[k] >= 0 ? fit->parameters[term->parameter[k]].value : 0.0;
}

/* --- rows of a table ------------------------------------------------------------------------------ */

static void put_ends(const shoal_bonded_fit *fit, const bonded_term *t, const char *kind,
                     bool by_atoms, shoal_string *out)
{
    const char *const *types = fit->molecules[t->molecule].topology->view.types;
    shoal_string_put_text(out, kind);
    for (int32_t k = 0; k < n_ends(t->shape); ++k) {
        if (by_atoms)
            shoal_string_print(out, " %d", (int)t->atoms[k]);
        else
            shoal_string_print(out, " %s", types[t->atoms[k]]);
    }
}

static void put_numbers(const double *numbers, int32_t n, shoal_string *out)
{
    for (int32_t k = 0; k < n; ++k) {
        shoal_string_put_text(out, " ");
        shoal_string_put_number(out, numbers[k]);
    }
    shoal_string_put_text(out, "\n");
}

static void put_torsion(const shoal_bonded_fit *fit, const bonded_term *t, bool by_atoms,
                        shoal_string *out)
{
    for (int32_t k = 0; k < BONDED_PERIODS; ++k) {
        if (t->parameter[k] < 0) continue;
        const double value = fit->parameters[t->parameter[k]].value;
        const double row[3] = {fabs(value), k + 1, value < 0.0 ? acos(-1.0) : 0.0};
        put_ends(fit, t, "periodic", by_atoms, out);
        put_numbers(row, 3, out);
    }
}

static void put_term(const shoal_bonded_fit *fit, const bonded_term *t, bool by_atoms,
                     shoal_string *out)
{
    double p[BONDED_PERIODS], row[SHOAL_TERM_PARAMETERS];
    if (t->shape == BONDED_TORSION) {
        put_torsion(fit, t, by_atoms, out);
        return;
    }
    bonded_present(fit, t, p);
    memcpy(row, t->record, sizeof row);
    row[0] = p[0];
    if (t->shape == BONDED_STRETCH) {
        row[SHOAL_BOND_R0] = p[1];
        put_ends(fit, t, "bond", by_atoms, out);
        put_numbers(row, 3, out);
        return;
    }
    if (t->shape == BONDED_ANGLE) {
        const double cosine = cos(p[1]), c2 = 0.25 / (1.0 - cosine * cosine);
        row[SHOAL_ANGLE_C0] = c2 * (2.0 * cosine * cosine + 1.0);
        row[SHOAL_ANGLE_C0 + 1] = -4.0 * c2 * cosine;
        row[SHOAL_ANGLE_C0 + 2] = c2;
    }
    put_ends(fit, t, "angle", by_atoms, out);
    put_numbers(row, 8, out);
}

/* An earlier term of the same types has written their row. */
static bool is_written(const shoal_bonded_fit *fit, int32_t term)
{
    const bonded_term *t = &fit->terms[term];
    for (int32_t k = 0; k < term; ++k)
        if (memcmp(fit->terms[k].parameter, t->parameter, sizeof t->parameter) == 0) return true;
    return false;
}

shoal_status bonded_put_rows(const shoal_bonded_fit *fit, int32_t molecule, shoal_string *out)
{
    const bool by_atoms = fit->options.by_bond;
    for (int32_t k = 0; k < fit->n_terms; ++k) {
        if (by_atoms ? fit->terms[k].molecule != molecule : is_written(fit, k)) continue;
        put_term(fit, &fit->terms[k], by_atoms, out);
    }
    return shoal_string_status(out);
}
