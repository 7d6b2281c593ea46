/* SPDX-License-Identifier: BSD-3-Clause
 * Which types get sites: as the table says, or by element. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/sites.h"

typedef struct rule_list {
    shoal_site_rule *rules;
    int32_t n, capacity;
} rule_list;

/* prefix and the name of a type without its underscores: O_3 has E_O3. */
static void usual_name(const char *prefix, const char *type, char out[SHOAL_TYPE_NAME_SIZE + 4])
{
    size_t n = strlen(prefix);
    memcpy(out, prefix, n);
    for (const char *p = type; *p && n < SHOAL_TYPE_NAME_SIZE + 3; ++p)
        if (*p != '_') out[n++] = *p;
    out[n] = '\0';
}

static shoal_status add_rule(rule_list *list, const char *host, const char *site,
                             shoal_site_kind kind, int32_t n, double distance)
{
    shoal_site_rule rule = {.kind = kind, .n = n, .distance = distance};
    if (strlen(site) >= sizeof rule.site)
        return shoal_fail(
            SHOAL_E_UNSUPPORTED,
            "sites of type %s: the name %s of their type is longer than %d characters", host, site,
            SHOAL_TYPE_NAME_SIZE - 1);
    memcpy(rule.host, host, strlen(host) + 1);
    memcpy(rule.site, site, strlen(site) + 1);
    SHOAL_TRY(SHOAL_RESERVE(&list->rules, &list->capacity, list->n + 1));
    list->rules[list->n++] = rule;
    return SHOAL_OK;
}

/* Column 4 names the type of the sites; a plain E stands for the usual name, if that is there. */
static shoal_status add_by_table(rule_list *list, const shoal_atom_types *types,
                                 const shoal_atom_type *type, double distance)
{
    char usual[SHOAL_TYPE_NAME_SIZE + 4];
    const bool none = strcmp(type->epair, "*") == 0 || strcmp(type->epair, "-") == 0 ||
                      strcmp(type->epair, "0") == 0 || type->epair[0] == '\0';
    const bool plain = strcmp(type->epair, "E") == 0;
    usual_name("E_", type->name, usual);
    const char *name = plain ? usual : type->epair;
    if (none) return SHOAL_OK;
    if (shoal_atom_types_find(types, name) >= 0)
        return add_rule(list, type->name, name,
                        type->n_epair > 0 ? SHOAL_SITE_LONE_PAIRS : SHOAL_SITE_BEYOND,
                        type->n_epair > 3 ? 3 : type->n_epair, distance);
    if (plain) return SHOAL_OK;
    return shoal_fail(
        SHOAL_E_FORMAT,
        "atom type %s: its sites are of type '%s' (column 4), which the table has not", type->name,
        type->epair);
}

/* Distances from the atoms that suit most data, angstrom. */
static const double lone_pair_distance = 0.7, hydrogen_distance = 0.4, sigma_hole_distance = 0.6;

/* Lone pairs of an element. Those of halogens lie on a ring about the bond, which the sigma hole and what
 * it takes from the atom describe as well. */
static int32_t lone_pairs(const char *element)
{
    static const struct {
        char element[3];
        int32_t n;
    } known[] = {{"N", 1}, {"O", 2}, {"P", 1}, {"S", 2}, {"As", 1}, {"Se", 2}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; ++k)
        if (strcmp(element, known[k].element) == 0) return known[k].n;
    return 0;
}

/* The lone pair of a planar nitrogen is part of its bonds. Whether a geometry is flat must not decide: an amino group that
 * turns pyramidal would gain a charge. */
static bool is_planar(const shoal_atom_type *type)
{
    return strncmp(type->name, "N_R", 3) == 0 || strncmp(type->parent, "N_R", 3) == 0;
}

static bool is_halogen(const char *element)
{
    static const char *const halogens[] = {"F", "Cl", "Br", "I"};
    for (size_t k = 0; k < sizeof halogens / sizeof halogens[0]; ++k)
        if (strcmp(element, halogens[k]) == 0) return true;
    return false;
}

/* distance 0: the usual one of each kind. */
static shoal_status add_by_element(rule_list *list, const shoal_atom_type *type, double distance)
{
    const int32_t n = is_planar(type) ? 0 : lone_pairs(type->element);
    const bool hydrogen = strcmp(type->element, "H") == 0;
    double usual = n > 0 ? lone_pair_distance : hydrogen ? hydrogen_distance : sigma_hole_distance;
    char name[SHOAL_TYPE_NAME_SIZE + 4];
    if (n == 0 && !hydrogen && !is_halogen(type->element)) return SHOAL_OK;
    usual_name("E_", type->name, name);
    return add_rule(list, type->name, name, n > 0 ? SHOAL_SITE_LONE_PAIRS : SHOAL_SITE_BEYOND, n,
                    distance > 0.0 ? distance : usual);
}

/* Types that occur, in the order of the table. */
static shoal_status make_rules(const shoal_dataset *data, double distance, bool by_element,
                               rule_list *list)
{
    const int32_t n_types = shoal_atom_types_count(data->types);
    for (int32_t t = 0; t < n_types; ++t) {
        const shoal_atom_type *type = shoal_atom_types_get(data->types, t);
        if (shoal_dataset_count(data, t) == 0) continue;
        SHOAL_TRY(by_element ? add_by_element(list, type, distance)
                             : add_by_table(list, data->types, type, distance));
    }
    return SHOAL_OK;
}

static shoal_status add_sites(shoal_dataset *data, double distance, bool by_element)
{
    rule_list list = {0};
    if (!((distance > 0.0 || by_element) && distance >= 0.0 && distance < 10.0))
        return shoal_fail(SHOAL_E_ARGUMENT, "distance %g of sites: expected 0 to 10 angstrom",
                          distance);
    shoal_status status = make_rules(data, distance, by_element, &list);
    if (status == SHOAL_OK) status = sites_put(data, list.rules, list.n);
    free(list.rules);
    if (status != SHOAL_OK || data->has_sites) return status;
    if (by_element) return shoal_fail(SHOAL_E_FORMAT, "no atom of the data gets a site");
    return shoal_fail(SHOAL_E_FORMAT,
                      "no atom of the data gets a site: column 4 of the table must name the type "
                      "of the sites (E or E_O3 for O_3), and that type must be in the table");
}

shoal_status shoal_dataset_add_sites(shoal_dataset *data, double distance)
{
    shoal_clear_error();
    SHOAL_NEED(data);
    return add_sites(data, distance, false);
}

shoal_status shoal_dataset_auto_sites(shoal_dataset *data, double distance)
{
    shoal_clear_error();
    SHOAL_NEED(data);
    return add_sites(data, distance, true);
}
