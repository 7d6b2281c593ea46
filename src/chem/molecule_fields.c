/* SPDX-License-Identifier: BSD-3-Clause
 * Name and data fields of a molecule. Their memory stays when they are cleared: readers fill one
 * molecule again and again. */
#include <stdlib.h>

#include "base/alloc.h"
#include "chem/molecule.h"

static shoal_status missing(const char *what)
{
    return shoal_fail(SHOAL_E_ARGUMENT, "molecule: no %s given", what);
}

shoal_status molecule_keep_text(char **text, size_t *capacity, shoal_span from)
{
    if (from.size >= *capacity) {
        const size_t wanted = from.size < 32 ? 32 : from.size + from.size / 2 + 1;
        char *bigger = realloc(*text, wanted);
        if (!bigger) return shoal_fail(SHOAL_E_MEMORY, "out of memory: %zu bytes of text", wanted);
        *text = bigger;
        *capacity = wanted;
    }
    if (from.size > 0) memmove(*text, from.text, from.size);
    (*text)[from.size] = '\0';
    return SHOAL_OK;
}

shoal_status molecule_set_name(shoal_molecule *mol, shoal_span name)
{
    return molecule_keep_text(&mol->name, &mol->name_capacity, name);
}

shoal_status shoal_molecule_set_name(shoal_molecule *mol, const char *name)
{
    shoal_clear_error();
    if (!mol || !name) return missing(mol ? "name" : "molecule");
    return molecule_set_name(mol, shoal_span_of(name));
}

/* -1 if there is none. */
static int32_t find_property(const shoal_molecule *mol, shoal_span key)
{
    for (int32_t i = 0; i < mol->n_properties; ++i)
        if (mol->properties[i].key_size == key.size &&
            memcmp(mol->properties[i].key, key.text, key.size) == 0)
            return i;
    return -1;
}

static shoal_status reserve_properties(shoal_molecule *mol, int32_t n)
{
    const int32_t old = mol->property_capacity;
    if (n <= old) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&mol->properties, &mol->property_capacity, n));
    memset(&mol->properties[old], 0,
           (size_t)(mol->property_capacity - old) * sizeof *mol->properties);
    return SHOAL_OK;
}

shoal_status molecule_add_property(shoal_molecule *mol, shoal_span key, shoal_span value)
{
    SHOAL_TRY(reserve_properties(mol, mol->n_properties + 1));
    molecule_property *property = &mol->properties[mol->n_properties];
    SHOAL_TRY(molecule_keep_text(&property->key, &property->key_capacity, key));
    SHOAL_TRY(molecule_keep_text(&property->value, &property->value_capacity, value));
    property->key_size = key.size;
    mol->n_properties++;
    return SHOAL_OK;
}

shoal_status molecule_set_property(shoal_molecule *mol, shoal_span key, shoal_span value)
{
    const int32_t old = find_property(mol, key);
    if (old < 0) return molecule_add_property(mol, key, value);
    molecule_property *property = &mol->properties[old];
    return molecule_keep_text(&property->value, &property->value_capacity, value);
}

shoal_status shoal_molecule_set_property(shoal_molecule *mol, const char *key, const char *value)
{
    shoal_clear_error();
    if (!mol || !key || !value) return missing(!mol ? "molecule" : !key ? "key" : "value");
    return molecule_set_property(mol, shoal_span_of(key), shoal_span_of(value));
}

/* The memory of the field that goes moves behind the last one. */
static void remove_at(shoal_molecule *mol, int32_t i)
{
    const molecule_property gone = mol->properties[i];
    --mol->n_properties;
    memmove(&mol->properties[i], &mol->properties[i + 1],
            (size_t)(mol->n_properties - i) * sizeof *mol->properties);
    mol->properties[mol->n_properties] = gone;
}

void shoal_molecule_remove_property(shoal_molecule *mol, const char *key)
{
    if (!mol || !key) return;
    for (int32_t i; (i = find_property(mol, shoal_span_of(key))) >= 0;) remove_at(mol, i);
}

const char *shoal_molecule_property(const shoal_molecule *mol, const char *key)
{
    const int32_t i = mol && key ? find_property(mol, shoal_span_of(key)) : -1;
    return i >= 0 ? mol->properties[i].value : NULL;
}

void molecule_clear_fields(shoal_molecule *mol)
{
    mol->n_properties = 0;
    mol->name[0] = '\0';
}

void molecule_free_fields(shoal_molecule *mol)
{
    for (int32_t i = 0; i < mol->property_capacity; ++i) {
        free(mol->properties[i].key);
        free(mol->properties[i].value);
    }
    free(mol->properties);
    free(mol->name);
}
