/* SPDX-License-Identifier: BSD-3-Clause
 * What slabs are called: kinds, facets and elements. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "surf/slab.h"

#define POLAR                                                                                      \
    "is polar: its layers are of one ion each, and no rigid slab of them is neutral without a "    \
    "dipole"

/* Facets of a kind stand together; what is not given is the first. */
static const struct slab_facet {
    const char *name, *facet; /* "" is what there is but one of */
    shoal_slab_kind kind;
    const char *refusal; /* NULL: it can be built */
} facets[] = {
    {"rocksalt", "001", SHOAL_SLAB_ROCKSALT, NULL},
    {"rocksalt", "100", SHOAL_SLAB_ROCKSALT, NULL},
    {"rocksalt", "110", SHOAL_SLAB_ROCKSALT110, NULL},
    {"rocksalt", "111", SHOAL_SLAB_ROCKSALT, POLAR},
    {"fluorite", "111", SHOAL_SLAB_FLUORITE111, NULL},
    {"fluorite", "110", SHOAL_SLAB_FLUORITE110, NULL},
    {"fluorite", "100", SHOAL_SLAB_FLUORITE111, POLAR},
    {"fcc", "111", SHOAL_SLAB_FCC111, NULL},
    {"fcc", "100", SHOAL_SLAB_FCC100, NULL},
    {"fcc", "110", SHOAL_SLAB_FCC110, NULL},
    {"bcc", "110", SHOAL_SLAB_BCC110, NULL},
    {"bcc", "100", SHOAL_SLAB_BCC100, NULL},
    {"bcc", "111", SHOAL_SLAB_BCC111, NULL},
    {"hcp", "0001", SHOAL_SLAB_HCP0001, NULL},
    {"graphene", "", SHOAL_SLAB_GRAPHENE, NULL},
    {"h-bn", "", SHOAL_SLAB_BORON_NITRIDE, NULL},
};
enum { N_FACETS = sizeof facets / sizeof facets[0] };

static shoal_status refuse_facet(const struct slab_facet *first, const char *facet)
{
    char known[64] = "";
    if (!first->facet[0])
        return shoal_fail(SHOAL_E_ARGUMENT, "facet '%.20s': %s is a sheet and has none", facet,
                          first->name);
    for (const struct slab_facet *f = first;
         f < facets + N_FACETS && strcmp(f->name, first->name) == 0; ++f) {
        const size_t used = strlen(known);
        if (!f->refusal)
            (void)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", f->facet);
    }
    return shoal_fail(SHOAL_E_ARGUMENT, "facet '%.20s': expected %s of %s", facet, known,
                      first->name);
}

shoal_status shoal_slab_parse(shoal_slab_options *out, const char *kind, const char *facet)
{
    const struct slab_facet *first = NULL;
    shoal_clear_error();
    SHOAL_NEED(out && kind);
    for (const struct slab_facet *f = facets; f < facets + N_FACETS; ++f) {
        if (strcmp(f->name, kind) != 0) continue;
        if (!first) first = f;
        if (facet && strcmp(facet, f->facet) != 0) continue;
        if (f->refusal)
            return shoal_fail(SHOAL_E_ARGUMENT, "facet '%s': (%s) of %s %s", facet, facet, kind,
                              f->refusal);
        out->kind = f->kind;
        return SHOAL_OK;
    }
    if (first) return refuse_facet(first, facet);
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "slab: unknown kind '%.40s'; expected rocksalt, fluorite, fcc, bcc, hcp, "
                      "graphene or h-bn",
                      kind);
}

shoal_status shoal_slab_parse_elements(shoal_slab_options *out, const char *text)
{
    int32_t found[2] = {0, 0}, n = 0;
    shoal_clear_error();
    SHOAL_NEED(out && text && out->kind >= 0 && out->kind < SHOAL_N_SLABS);
    const slab_pattern *p = slab_pattern_of(out->kind);
    for (const char *at = text; *at && n <= 2; ++n) {
        char symbol[3] = {at[0], '\0', '\0'};
        if (at[1] >= 'a' && at[1] <= 'z') symbol[1] = at[1];
        const int32_t z = shoal_element_number(symbol);
        if (z == 0) n = 2; /* and one more */
        if (n < 2) found[n] = z;
        at += strlen(symbol);
        if (n == 1 && p->n_b > 1 && strcmp(at, "2") == 0) ++at;
    }
    if (n != p->n_elements)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: '%.40s': expected %s", text,
                          p->n_elements == 2 ? "two elements, e.g. NaCl, CaF2 or BN"
                                             : "one element, e.g. Au");
    memcpy(out->elements, found, sizeof found);
    return SHOAL_OK;
}

/* "1-10": digits, each with its sign. */
static int32_t read_digits(const char *text, int32_t out[4])
{
    int32_t n = 0;
    while (*text && n < 4) {
        const int32_t sign = *text == '-' ? -1 : 1;
        if (*text == '-') ++text;
        if (*text < '0' || *text > '9') return 0;
        out[n++] = sign * (*text++ - '0');
    }
    return *text ? 0 : n;
}

/* "1,-1,0" */
static int32_t read_list(shoal_span rest, int32_t out[4])
{
    int32_t n = 0;
    for (bool more = true; more && n < 4;) {
        const char *comma = memchr(rest.text, ',', rest.size);
        const size_t size = comma ? (size_t)(comma - rest.text) : rest.size;
        if (!shoal_text_int((shoal_span){rest.text, size}, &out[n++])) return 0;
        more = comma != NULL;
        rest = shoal_span_after(rest, size + 1);
        if (more && n == 4) return 0;
    }
    return n;
}

shoal_status shoal_slab_parse_indices(shoal_slab_options *out, const char *text)
{
    int32_t h[4] = {0};
    shoal_clear_error();
    SHOAL_NEED(out && text);
    const int32_t n = strchr(text, ',') ? read_list(shoal_span_of(text), h) : read_digits(text, h);
    if (n != 3 && n != 4)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "facet '%.40s': expected Miller indices, as 001, 1-10, 1,-1,0 or 10-10",
                          text);
    if (n == 4 && h[2] != -h[0] - h[1])
        return shoal_fail(SHOAL_E_ARGUMENT, "facet '%.40s': the third of four is %d, expected %d",
                          text, h[2], -h[0] - h[1]);
    out->hkl[0] = h[0];
    out->hkl[1] = h[1];
    out->hkl[2] = h[n - 1];
    return SHOAL_OK;
}

shoal_status shoal_slab_parse_adatom(shoal_adatom *out, const char *text)
{
    double numbers[4] = {0};
    int n = 0;
    shoal_clear_error();
    SHOAL_NEED(out && text);
    const size_t size = strcspn(text, ",");
    char symbol[4] = "";
    memcpy(symbol, text, size < 3 ? size : 3);
    shoal_span rest = shoal_span_after(shoal_span_of(text), size);
    bool fine = shoal_element_number(symbol) > 0;
    for (; fine && rest.size > 0; ++n) {
        rest = shoal_span_after(rest, 1);
        const char *comma = memchr(rest.text, ',', rest.size);
        const size_t part = comma ? (size_t)(comma - rest.text) : rest.size;
        fine = n < 4 && shoal_text_double((shoal_span){rest.text, part}, &numbers[n]);
        rest = shoal_span_after(rest, part);
    }
    if (!fine || n < 2)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "adatom '%.40s': expected an element, two places in cells of the "
                          "surface, and then a height and a charge if need be, as Au,0.5,0.5",
                          text);
    *out = (shoal_adatom){
        shoal_element_number(symbol), {numbers[0], numbers[1]}, numbers[2], numbers[3]};
    return SHOAL_OK;
}
