/* SPDX-License-Identifier: BSD-3-Clause
 * A molecule as bytes, with all that a copy of it has. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/text.h"
#include "chem/molecule.h"

/* Bytes that are written, or read where out is NULL; what follows a lack of them is not ok. */
typedef struct packing {
    shoal_string *out;
    const char *at, *end;
    bool ok;
} packing;

static const char form[8] = "shoalm2";

static void pass(packing *p, void *data, size_t n)
{
    if (p->out) {
        shoal_string_put(p->out, data, n);
        return;
    }
    p->ok = p->ok && (size_t)(p->end - p->at) >= n;
    if (!p->ok) return;
    memcpy(data, p->at, n);
    p->at += n;
}

/* How many things follow, each of which takes a byte or more. */
static int32_t pass_count(packing *p, int32_t n)
{
    pass(p, &n, sizeof n);
    p->ok = p->ok && n >= 0 && (p->out || n <= p->end - p->at);
    return p->ok ? n : 0;
}

/* A text that is written, or the one that is read. */
static shoal_span pass_text(packing *p, shoal_span text)
{
    const int32_t n = pass_count(p, (int32_t)text.size);
    if (p->out) {
        shoal_string_put(p->out, text.text, (size_t)n);
        return text;
    }
    const shoal_span found = {p->ok ? p->at : "", (size_t)n};
    p->at += n;
    return found;
}

static shoal_status pass_atoms(packing *p, shoal_molecule *mol)
{
    const int32_t count = pass_count(p, mol->n_atoms);
    const size_t n = (size_t)count;
    if (!p->out) SHOAL_TRY(molecule_reserve_atoms(mol, count));
    if (n == 0) return SHOAL_OK;
    pass(p, mol->element, n * sizeof *mol->element);
    pass(p, mol->pos, n * sizeof *mol->pos);
    pass(p, mol->formal_charge, n * sizeof *mol->formal_charge);
    pass(p, mol->radical, n * sizeof *mol->radical);
    pass(p, mol->charge, n * sizeof *mol->charge);
    pass(p, mol->type, n * sizeof *mol->type);
    pass(p, mol->first_bond, n * sizeof *mol->first_bond);
    if (!p->out) mol->n_atoms = p->ok ? count : 0;
    return SHOAL_OK;
}

static shoal_status pass_velocities(packing *p, shoal_molecule *mol)
{
    const bool has = mol->n_velocities == mol->n_atoms;
    const int32_t n = pass_count(p, p->out && has ? mol->n_velocities : 0);
    if (n == 0) return SHOAL_OK;
    if (!p->out) SHOAL_TRY(SHOAL_RESERVE(&mol->velocity, &mol->velocity_capacity, n));
    pass(p, mol->velocity, (size_t)n * sizeof *mol->velocity);
    if (!p->out) mol->n_velocities = p->ok ? n : 0;
    return SHOAL_OK;
}

static shoal_status pass_bonds(packing *p, shoal_molecule *mol)
{
    const int32_t n = pass_count(p, mol->n_bonds);
    if (!p->out) SHOAL_TRY(molecule_reserve_bonds(mol, n));
    for (int32_t b = 0; b < n; ++b) { /* member by member: there is no telling what lies between */
        shoal_bond *bond = &mol->bonds[b];
        pass(p, &bond->i, sizeof bond->i);
        pass(p, &bond->j, sizeof bond->j);
        pass(p, bond->shift, sizeof bond->shift);
        pass(p, &bond->order, sizeof bond->order);
        pass(p, &bond->aromatic, sizeof bond->aromatic);
        pass(p, &bond->conjugated, sizeof bond->conjugated);
        pass(p, &bond->shared, sizeof bond->shared);
        pass(p, mol->next_bond[b], sizeof mol->next_bond[b]);
    }
    if (!p->out) mol->n_bonds = p->ok ? n : 0;
    return SHOAL_OK;
}

static void pass_flags(packing *p, shoal_molecule *mol)
{
    pass(p, &mol->has_charges, sizeof mol->has_charges);
    pass(p, &mol->has_formal_charges, sizeof mol->has_formal_charges);
    pass(p, &mol->has_bonds, sizeof mol->has_bonds);
    pass(p, &mol->orders_found, sizeof mol->orders_found);
    pass(p, &mol->asked_charge, sizeof mol->asked_charge);
    pass(p, &mol->has_asked_charge, sizeof mol->has_asked_charge);
    pass(p, &mol->file_charge, sizeof mol->file_charge);
    pass(p, &mol->has_file_charge, sizeof mol->has_file_charge);
    pass(p, &mol->n_first, sizeof mol->n_first);
    pass(p, mol->fragment_charge, sizeof mol->fragment_charge);
    pass(p, mol->has_fragment_charge, sizeof mol->has_fragment_charge);
    pass(p, mol->cell, sizeof mol->cell);
    pass(p, mol->pbc, sizeof mol->pbc);
    pass(p, &mol->chiral, sizeof mol->chiral);
    pass(p, &mol->geometry, sizeof mol->geometry);
}

static shoal_status pass_marks(packing *p, molecule_marks *marks)
{
    const int32_t n = pass_count(p, marks->n);
    for (int32_t i = 0; i < n; ++i) {
        int32_t value = p->out ? marks->of[i] : 0;
        pass(p, &value, sizeof value);
        if (!p->out) SHOAL_TRY(molecule_set_mark(marks, i, value));
    }
    return SHOAL_OK;
}

static shoal_status pass_texts(packing *p, shoal_molecule *mol)
{
    const shoal_span name = pass_text(p, shoal_span_of(mol->name));
    if (!p->out) SHOAL_TRY(molecule_set_name(mol, name));
    for (int k = 0; k < MOLECULE_N_LINES; ++k) {
        const shoal_span line = pass_text(p, shoal_span_of(molecule_line(mol, k)));
        if (!p->out && line.size > 0) SHOAL_TRY(molecule_set_line(mol, k, line));
    }
    const int32_t n = pass_count(p, mol->n_properties);
    for (int32_t i = 0; i < n && p->ok; ++i) {
        const molecule_property *known = p->out ? &mol->properties[i] : NULL;
        const shoal_span none = {"", 0};
        const shoal_span key = pass_text(p, known ? shoal_span_of(known->key) : none);
        const shoal_span value = pass_text(p, known ? shoal_span_of(known->value) : none);
        if (!known && p->ok) SHOAL_TRY(molecule_add_property(mol, key, value));
    }
    return SHOAL_OK;
}

static shoal_status pass_all(packing *p, shoal_molecule *mol)
{
    SHOAL_TRY(pass_atoms(p, mol));
    SHOAL_TRY(pass_velocities(p, mol));
    SHOAL_TRY(pass_bonds(p, mol));
    pass_flags(p, mol);
    SHOAL_TRY(pass_marks(p, &mol->isotope));
    SHOAL_TRY(pass_marks(p, &mol->parity));
    SHOAL_TRY(pass_marks(p, &mol->bond_stereo));
    SHOAL_TRY(pass_marks(p, &mol->stereo));
    SHOAL_TRY(pass_marks(p, &mol->cis_trans));
    return pass_texts(p, mol);
}

shoal_status shoal_molecule_pack(const shoal_molecule *mol, shoal_string *out)
{
    shoal_clear_error();
    if (!mol || !out)
        return shoal_fail(SHOAL_E_ARGUMENT, "molecule: no %s given", mol ? "text" : "molecule");
    packing p = {.out = out, .ok = true};
    const size_t begin = shoal_string_size(out);
    shoal_string_put(out, form, sizeof form);
    SHOAL_TRY(pass_all(&p, (shoal_molecule *)(uintptr_t)mol)); /* nothing of it is changed */
    const uint64_t sum =
        hash_bytes(HASH_START, shoal_string_data(out) + begin, shoal_string_size(out) - begin);
    shoal_string_put(out, (const char *)&sum, sizeof sum);
    return shoal_string_status(out);
}

/* Whether bytes are those of a molecule, whole and unchanged. */
static bool are_sound(const char *bytes, size_t size)
{
    uint64_t sum;
    if (size < sizeof form + sizeof sum || memcmp(bytes, form, sizeof form) != 0) return false;
    memcpy(&sum, bytes + size - sizeof sum, sizeof sum);
    return hash_bytes(HASH_START, bytes, size - sizeof sum) == sum;
}

shoal_status shoal_molecule_unpack(shoal_molecule *mol, const void *bytes, size_t size)
{
    shoal_clear_error();
    if (!mol || !bytes)
        return shoal_fail(SHOAL_E_ARGUMENT, "molecule: no %s given", mol ? "bytes" : "molecule");
    if (!are_sound(bytes, size))
        return shoal_fail(SHOAL_E_FORMAT, "molecule: these bytes are not those of a molecule of "
                                          "this version, or they were changed");
    packing p = {.at = (const char *)bytes + sizeof form,
                 .end = (const char *)bytes + size - sizeof(uint64_t),
                 .ok = true};
    shoal_molecule_clear(mol);
    const shoal_status status = pass_all(&p, mol);
    if (status == SHOAL_OK && p.ok && p.at == p.end) return SHOAL_OK;
    shoal_molecule_clear(mol);
    return status != SHOAL_OK ? status : shoal_fail(SHOAL_E_FORMAT, "molecule: bytes are missing");
}
