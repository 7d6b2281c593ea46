/* SPDX-License-Identifier: BSD-3-Clause
 * Certificates of relaxed structures. */
#include "shoal/certificate.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sha256.h"
#include "chem/molecule.h"
#include "chem/perceive.h"
#include "geom/lattice.h"
#include "shoal/json.h"
#include "shoal/row.h"
#include "shoal/units.h"
#include "shoal/version.h"

enum { N_CONTACTS = 3, MOST_LISTED = 10, MOST_REASONS = 8, REASON_SIZE = 320 };

/* Strangers nearer than that part of the distance where their vdW energy is lowest are on top of each other. */
#define TOO_NEAR 0.5

struct shoal_certificate {
    const shoal_stream_options *stream;
    char *forcefield;
    pthread_mutex_t lock;
    char (*digests)[SHA256_TEXT]; /* [n_files] of those that were asked for, "" of others */
};

typedef struct bond_key {
    int32_t i, j, shift[3];
} bond_key;

typedef struct contact {
    int32_t i, j;
    double distance, of_vdw; /* angstrom; part of the distance where the energy is lowest */
} contact;

typedef struct findings {
    int32_t n_before, n_after, n_broken, n_made;
    bond_key broken[MOST_LISTED], made[MOST_LISTED];
    contact contacts[N_CONTACTS];
    int32_t n_contacts, n_reasons;
    char reasons[MOST_REASONS][REASON_SIZE];
} findings;

/* --- bonds --------------------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(bond_key));
}

static bond_key key_of(const shoal_bond *b)
{
    bond_key k = {b->i, b->j, {b->shift[0], b->shift[1], b->shift[2]}};
    bool turn = b->i > b->j;
    for (int c = 0; c < 3 && b->i == b->j; ++c) {
        if (b->shift[c] == 0) continue;
        turn = b->shift[c] < 0;
        break;
    }
    if (turn) {
        k.i = b->j;
        k.j = b->i;
        for (int c = 0; c < 3; ++c) k.shift[c] = -b->shift[c];
    }
    return k;
}

static bond_key *keys_of(const shoal_molecule *mol)
{
    bond_key *keys = shoal_alloc((size_t)mol->n_bonds + 1, sizeof *keys);
    for (int32_t b = 0; b < mol->n_bonds && keys; ++b) keys[b] = key_of(&mol->bonds[b]);
    if (keys) qsort(keys, (size_t)mol->n_bonds, sizeof *keys, compare_keys);
    return keys;
}

static void note_bond(const bond_key *key, int32_t *n, bond_key list[MOST_LISTED])
{
    if (*n < MOST_LISTED) list[*n] = *key;
    ++*n;
}

static void compare_bonds(findings *f, const bond_key *before, const bond_key *after)
{
    int32_t i = 0, k = 0;
    while (i < f->n_before || k < f->n_after) {
        const int order = i == f->n_before  ? 1
                          : k == f->n_after ? -1
                                            : compare_keys(&before[i], &after[k]);
        if (order < 0) note_bond(&before[i], &f->n_broken, f->broken);
        if (order > 0) note_bond(&after[k], &f->n_made, f->made);
        i += order <= 0;
        k += order >= 0;
    }
}

/* The bonds that it was typed with, and those that distances have now. */
static shoal_status look_at_bonds(const shoal_certificate *c, const shoal_molecule *mol,
                                  findings *f)
{
    shoal_perceive_options options =
        c->stream->typing.perceive ? *c->stream->typing.perceive : (shoal_perceive_options){0};
    shoal_molecule *now = NULL;
    options.rebuild_bonds = true;
    SHOAL_TRY(shoal_molecule_create(&now));
    shoal_status status = shoal_molecule_copy(now, mol);
    if (status == SHOAL_OK) {
        molecule_clear_bonds(now);
        status = bonds_search(now, &options);
    }
    bond_key *before = keys_of(mol), *after = status == SHOAL_OK ? keys_of(now) : NULL;
    if (status == SHOAL_OK && (!before || !after)) status = SHOAL_E_MEMORY;
    f->n_before = mol->n_bonds;
    f->n_after = now->n_bonds;
    if (status == SHOAL_OK) compare_bonds(f, before, after);
    free(before);
    free(after);
    shoal_molecule_destroy(now);
    return status;
}

/* --- contacts ------------------------------------------------------------------------------------ */

static bool has_partner(const shoal_molecule *mol, int32_t i, int32_t j)
{
    for (int32_t b = mol->first_bond[i]; b >= 0;) {
        const shoal_bond *bond = &mol->bonds[b];
        const bool first = bond->i == i;
        if ((first ? bond->j : bond->i) == j) return true;
        b = mol->next_bond[b][first ? 0 : 1];
    }
    return false;
}

/* Neither bonded nor partners of one atom. */
static bool are_strangers(const shoal_molecule *mol, int32_t i, int32_t j)
{
    if (has_partner(mol, i, j)) return false;
    for (int32_t b = mol->first_bond[i]; b >= 0;) {
        const shoal_bond *bond = &mol->bonds[b];
        const bool first = bond->i == i;
        if (has_partner(mol, first ? bond->j : bond->i, j)) return false;
        b = mol->next_bond[b][first ? 0 : 1];
    }
    return true;
}

static void note_contact(findings *f, const contact *found)
{
    int32_t at = f->n_contacts < N_CONTACTS ? f->n_contacts++ : N_CONTACTS - 1;
    while (at > 0 && f->contacts[at - 1].of_vdw > found->of_vdw) {
        f->contacts[at] = f->contacts[at - 1];
        --at;
    }
    f->contacts[at] = *found;
}

/* The nearest strangers, by their vdW distances; of a pair the nearest images. */
static void look_at_contacts(const shoal_molecule *mol, const shoal_topology_view *v, findings *f)
{
    geom_lattice lattice;
    if (!v->vdw_x || !lattice_init_reduced(&lattice, (const double(*)[3])mol->cell, mol->pbc))
        return;
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        for (int32_t j = 0; j < i; ++j) {
            double d[3];
            for (int k = 0; k < 3; ++k) d[k] = mol->pos[i][k] - mol->pos[j][k];
            const double r2 = lattice.n_periodic > 0 ? lattice_shortest2(&lattice, d)
                                                     : d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            const double vdw = 0.5 * (v->vdw_x[i] + v->vdw_x[j]);
            const double last = f->n_contacts < N_CONTACTS ? 1 : f->contacts[N_CONTACTS - 1].of_vdw;
            if (r2 >= last * last * vdw * vdw || !are_strangers(mol, i, j)) continue;
            const contact found = {j, i, sqrt(r2), sqrt(r2) / vdw};
            note_contact(f, &found);
        }
}

/* --- the verdict --------------------------------------------------------------------------------- */

static void object_to(findings *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void object_to(findings *f, const char *format, ...)
{
    va_list args;
    if (f->n_reasons == MOST_REASONS) return;
    va_start(args, format);
    (void)vsnprintf(f->reasons[f->n_reasons++], REASON_SIZE, format, args);
    va_end(args);
}

static void judge(const shoal_stream_system *s, findings *f)
{
    const shoal_result *r = &s->result;
    if (r->status != SHOAL_SYSTEM_CONVERGED)
        object_to(f, "%s%s%s", shoal_system_status_name(r->status), r->reason[0] ? ": " : "",
                  r->reason);
    if (f->n_broken > 0) object_to(f, "bonds were broken: %d", f->n_broken);
    if (f->n_made > 0) object_to(f, "bonds were made: %d", f->n_made);
    for (int32_t k = 0; k < f->n_contacts; ++k)
        if (f->contacts[k].of_vdw < TOO_NEAR)
            object_to(f, "atoms %d and %d are %.2f A apart", f->contacts[k].i, f->contacts[k].j,
                      f->contacts[k].distance);
    if (r->warning && r->warning[0]) object_to(f, "warning: %s", r->warning);
}

/* --- the line ------------------------------------------------------------------------------------ */

static bool hash_file(const char *path, char out[SHA256_TEXT])
{
    char buffer[1 << 14];
    FILE *file = fopen(path, "rb");
    sha256 s;
    sha256_begin(&s);
    for (size_t n = 1; file && n > 0;) {
        n = fread(buffer, 1, sizeof buffer, file);
        sha256_add(&s, buffer, n);
    }
    const bool fine = file && !ferror(file);
    if (file) (void)fclose(file);
    if (fine) sha256_end(&s, out);
    return fine;
}

/* Of the file, as it is now; standard input and memory have none. */
static void put_digest(shoal_certificate *c, const shoal_stream_system *s, shoal_json *j)
{
    const shoal_stream_input *input = &c->stream->input;
    if (!c->digests || s->i_file < 0 || s->i_file >= input->n_files) return;
    const char *path = input->files[s->i_file];
    char *digest = c->digests[s->i_file];
    (void)pthread_mutex_lock(&c->lock);
    if (!digest[0] && strcmp(path, "-") != 0 && !hash_file(path, digest)) digest[0] = '\0';
    (void)pthread_mutex_unlock(&c->lock);
    if (digest[0]) shoal_json_text(j, "input_sha256", digest);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* How many atoms have each type, in the order of their names. */
static shoal_status put_types(const shoal_topology_view *v, shoal_json *j)
{
    const char **names = shoal_alloc((size_t)v->n_atoms + 1, sizeof *names);
    if (!names) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < v->n_atoms; ++i) names[i] = v->types[i];
    qsort(names, (size_t)v->n_atoms, sizeof *names, compare_texts);
    shoal_json_open(j, "types", '{');
    for (int32_t i = 0, n = 0; i < v->n_atoms; i += n) {
        for (n = 1; i + n < v->n_atoms && strcmp(names[i], names[i + n]) == 0;) ++n;
        shoal_json_integer(j, names[i], n);
    }
    shoal_json_close(j, '}');
    free(names);
    return SHOAL_OK;
}

static void put_input(shoal_certificate *c, const shoal_stream_system *s, shoal_json *j)
{
    const shoal_stream_typing *t = &c->stream->typing;
    const char *dropped = shoal_molecule_property(s->mol, "dropped");
    const shoal_row_style style = {.files = c->stream->input.files};
    shoal_row_open(j, &style, s);
    put_digest(c, s, j);
    shoal_json_text(j, "forcefield", c->forcefield);
    if (t->n_types > 0) shoal_json_integer(j, "types_given", t->n_types);
    if (dropped) shoal_json_text(j, "dropped", dropped);
}

static void put_charges(const shoal_stream_system *s, const shoal_topology_view *v, shoal_json *j)
{
    double sum = 0;
    for (int32_t i = 0; i < v->n_atoms && v->charges; ++i) sum += v->charges[i];
    if (v->charges) shoal_json_number(j, "net_charge", sum);
    shoal_json_integer(j, "formal_charge", s->mol->total_charge);
}

static void put_residuals(const shoal_certificate *c, const shoal_stream_system *s, shoal_json *j)
{
    const shoal_relax_options *relax = c->stream->compute.relax;
    const shoal_result *r = &s->result;
    const double gpa = shoal_unit_value(SHOAL_UNIT_GIGAPASCAL);
    double stress[6];
    shoal_json_put(j, "energy0", r->energy0, "energy", r->energy, "steps", r->steps, "fmax",
                   r->fmax, "fmax_wanted", relax && relax->fmax > 0 ? relax->fmax : 0.001);
    if (!s->mol->pbc[0] || !s->mol->pbc[1] || !s->mol->pbc[2] || !isfinite(r->stress[0])) return;
    for (int k = 0; k < 6; ++k) stress[k] = r->stress[k] / gpa;
    shoal_json_numbers(j, "stress_gpa", stress, 6);
    shoal_json_boolean(j, "cell_relaxed", isfinite(r->pressure));
    if (isfinite(r->pressure)) {
        shoal_json_number(j, "stress_wanted_gpa",
                          relax && relax->stress > 0 ? relax->stress / gpa : 0.01);
        shoal_json_number(j, "pressure_gpa", r->pressure / gpa);
    }
    shoal_json_put(j, "volume0", r->measure0, "volume", r->measure, "volume_change",
                   r->measure / r->measure0 - 1);
}

static void put_bond_list(shoal_json *j, const char *key, const bond_key *list, int32_t n)
{
    if (n == 0) return;
    shoal_json_open(j, key, '[');
    for (int32_t k = 0; k < n && k < MOST_LISTED; ++k) {
        const int32_t ends[2] = {list[k].i, list[k].j};
        shoal_json_integers(j, NULL, ends, 2);
    }
    shoal_json_close(j, ']');
}

static void put_findings(const shoal_stream_system *s, const findings *f, shoal_json *j)
{
    shoal_json_open(j, "bonds", '{');
    shoal_json_put(j, "before", f->n_before, "after", f->n_after, "broken", f->n_broken, "made",
                   f->n_made);
    put_bond_list(j, "broken_between", f->broken, f->n_broken);
    put_bond_list(j, "made_between", f->made, f->n_made);
    shoal_json_close(j, '}');
    shoal_json_open(j, "shortest_contacts", '[');
    for (int32_t k = 0; k < f->n_contacts; ++k) {
        const contact *c = &f->contacts[k];
        const int32_t atoms[2] = {c->i, c->j};
        shoal_json_open(j, NULL, '{');
        shoal_json_integers(j, "atoms", atoms, 2);
        shoal_json_put(j, "first", shoal_element_symbol(s->mol->element[c->i]), "second",
                       shoal_element_symbol(s->mol->element[c->j]), "distance", c->distance,
                       "of_vdw", c->of_vdw);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, ']');
}

static void put_verdict(const shoal_stream_system *s, const findings *f, shoal_json *j)
{
    if (s->device && s->device[0]) shoal_json_text(j, "device", s->device);
    shoal_json_text(j, "shoal", shoal_version_text());
    shoal_json_text(j, "verdict", f->n_reasons > 0 ? "fail" : "pass");
    shoal_json_open(j, "reasons", '[');
    for (int32_t k = 0; k < f->n_reasons; ++k) shoal_json_text(j, NULL, f->reasons[k]);
    shoal_json_close(j, ']');
    shoal_json_end(j);
}

shoal_status shoal_certificate_put(shoal_certificate *certificate,
                                   const shoal_stream_system *system, shoal_string *out)
{
    shoal_json j = {.text = out};
    shoal_topology_view v = {0};
    findings f = {0};
    shoal_clear_error();
    SHOAL_NEED(certificate && system && system->mol && out);
    const shoal_result *r = &system->result;
    const bool typed =
        system->topology && shoal_topology_status(system->topology) == SHOAL_SYSTEM_OK;
    const bool ends = typed && shoal_system_has_numbers(r->status, r->energy);
    if (typed) shoal_topology_get(system->topology, &v);
    if (ends) SHOAL_TRY(look_at_bonds(certificate, system->mol, &f));
    if (ends && v.n_atoms >= system->mol->n_atoms) look_at_contacts(system->mol, &v, &f);
    judge(system, &f);
    shoal_json_open(&j, NULL, '{');
    put_input(certificate, system, &j);
    if (typed) SHOAL_TRY(put_types(&v, &j));
    if (typed) put_charges(system, &v, &j);
    if (ends) put_residuals(certificate, system, &j);
    if (ends) put_findings(system, &f, &j);
    put_verdict(system, &f, &j);
    return SHOAL_OK;
}

shoal_status shoal_certificate_create(shoal_certificate **out, const shoal_stream_options *stream,
                                      const char *forcefield)
{
    shoal_clear_error();
    SHOAL_NEED(out && stream);
    const size_t n = stream->input.files ? (size_t)stream->input.n_files : 0;
    shoal_certificate *c = shoal_alloc(1, sizeof *c);
    *out = NULL;
    if (!c) return SHOAL_E_MEMORY;
    (void)pthread_mutex_init(&c->lock, NULL);
    c->stream = stream;
    c->forcefield = shoal_strdup(forcefield ? forcefield : "uff");
    c->digests = shoal_alloc(n + 1, sizeof *c->digests);
    *out = c;
    if (c->forcefield && c->digests) return SHOAL_OK;
    shoal_certificate_destroy(c);
    *out = NULL;
    return SHOAL_E_MEMORY;
}

void shoal_certificate_destroy(shoal_certificate *certificate)
{
    if (!certificate) return;
    (void)pthread_mutex_destroy(&certificate->lock);
    free(certificate->forcefield);
    free(certificate->digests);
    free(certificate);
}
