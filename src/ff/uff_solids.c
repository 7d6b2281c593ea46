/* SPDX-License-Identifier: BSD-3-Clause
 * Types that only frameworks have, and what is to be said of salts and metals. Molecules keep the types of
 * RDKit, which knows none of these. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "chem/element.h"
#include "ff/topology.h"

/* Atoms at the centres of tetrahedra of a zeolite. */
static bool is_tetrahedral(int32_t z)
{
    return z == 13 || z == 14 || z == 15 || z == 31 || z == 32;
}

uff_solid_marks uff_solid_mark(int32_t z)
{
    if (z == 5) return UFF_HAS_BORON;
    if (z > 4 && z <= 10) return 0;
    return (is_tetrahedral(z) ? UFF_HAS_TETRAHEDRA : 0) | (element_is_metal(z) ? UFF_HAS_METAL : 0);
}

/* Sets endless[i] for atoms of components that lead to images of themselves. */
static shoal_status find_endless(const uff_builder *b, bool *endless)
{
    const graph *g = b->g;
    const size_t n = (size_t)g->n_atoms;
    bool *seen = arena_alloc(b->scratch, n, sizeof *seen);
    int32_t *list = arena_alloc_dirty(b->scratch, n, sizeof *list);
    int32_t(*place)[3] = arena_alloc(b->scratch, n, sizeof *place);
    if (!seen || !list || !place) return SHOAL_E_MEMORY;
    for (int32_t root = 0; root < g->n_atoms && b->shifted; ++root) {
        if (seen[root]) continue;
        int32_t n_list = 1;
        bool found = false;
        seen[list[0] = root] = true;
        for (int32_t k = 0; k < n_list; ++k) {
            const int32_t i = list[k];
            for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
                const int32_t j = g->ends[e].atom;
                int32_t at[3];
                for (int c = 0; c < 3; ++c) at[c] = place[i][c] + g->ends[e].shift[c];
                if (seen[j]) {
                    found = found || memcmp(at, place[j], sizeof at) != 0;
                    continue;
                }
                seen[list[n_list++] = j] = true;
                memcpy(place[j], at, sizeof at);
            }
        }
        for (int32_t k = 0; k < n_list; ++k) endless[list[k]] = found;
    }
    return SHOAL_OK;
}

static int32_t count_partners(const uff_builder *b, int32_t i, int32_t z)
{
    int32_t n = 0;
    for (int32_t e = b->g->start[i]; e < b->g->start[i + 1]; ++e)
        n += b->mol->element[b->g->ends[e].atom] == z;
    return n;
}

static void set_type(uff_builder *b, int32_t i, const char *label, hybridization hyb)
{
    if (b->mol->type[i][0]) return; /* given */
    b->types[i] = uff_type_by_label(label);
    b->hyb[i] = hyb;
}

/* --- zeolites -----------------------------------------------------------------------------------*/

/* Oxygen between the centres of two tetrahedra of oxygen. */
static bool is_bridge(const uff_builder *b, int32_t i)
{
    const graph *g = b->g;
    if (b->mol->element[i] != 8 || graph_degree(g, i) != 2) return false;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        const int32_t t = g->ends[e].atom;
        if (!is_tetrahedral(b->mol->element[t]) || graph_degree(g, t) != 4 ||
            count_partners(b, t, 8) != 4)
            return false;
    }
    return true;
}

/* A tetrahedron that shares all its corners. */
static bool is_shared(const uff_builder *b, int32_t t)
{
    for (int32_t e = b->g->start[t]; e < b->g->start[t + 1]; ++e)
        if (!is_bridge(b, b->g->ends[e].atom)) return false;
    return true;
}

/* Bridges of crystals and slabs, and those inside of a piece cut out of one. Siloxanes keep O_3. */
static void type_zeolites(uff_builder *b, const bool *endless)
{
    const graph *g = b->g;
    for (int32_t i = 0; i < g->n_atoms; ++i) {
        if (!is_bridge(b, i)) continue;
        const graph_end *ends = &g->ends[g->start[i]];
        if (!endless[i] && !(is_shared(b, ends[0].atom) && is_shared(b, ends[1].atom))) continue;
        set_type(b, i, "O_3_z", HYB_SP3);
        b->framework = true;
    }
}

/* --- boron nitride ------------------------------------------------------------------------------*/

static bool is_trigonal_boron(const uff_builder *b, int32_t i)
{
    return b->mol->element[i] == 5 && graph_degree(b->g, i) == 3 && b->hyb[i] == HYB_SP2;
}

/* Nitrogen among flat boron atoms, at the edge of a sheet perhaps with one other partner. */
static bool is_sheet_nitrogen(const uff_builder *b, int32_t i)
{
    int32_t n_boron = 0;
    if (b->mol->element[i] != 7 || graph_degree(b->g, i) > 3) return false;
    for (int32_t e = b->g->start[i]; e < b->g->start[i + 1]; ++e)
        n_boron += is_trigonal_boron(b, b->g->ends[e].atom);
    return n_boron >= 2;
}

/* The midst of a sheet: three boron partners, each among three nitrogen atoms. */
static bool is_midst(const uff_builder *b, int32_t i)
{
    if (count_partners(b, i, 5) != 3) return false;
    for (int32_t e = b->g->start[i]; e < b->g->start[i + 1]; ++e)
        if (count_partners(b, b->g->ends[e].atom, 7) != 3) return false;
    return true;
}

/* From a nitrogen in the midst of a sheet to all of its atoms. */
static void mark_sheet(const uff_builder *b, int32_t root, bool *sheet, int32_t *list)
{
    const graph *g = b->g;
    int32_t n = 1;
    sheet[list[0] = root] = true;
    for (int32_t k = 0; k < n; ++k)
        for (int32_t e = g->start[list[k]]; e < g->start[list[k] + 1]; ++e) {
            const int32_t j = g->ends[e].atom;
            if (sheet[j] || !(is_trigonal_boron(b, j) || is_sheet_nitrogen(b, j))) continue;
            sheet[list[n++] = j] = true;
        }
}

/* Lone pairs of nitrogen are shared in sheets and tubes of boron nitride, which keeps them flat. Borazine keeps
 * N_3. */
static shoal_status type_sheets(uff_builder *b)
{
    const size_t n = (size_t)b->g->n_atoms;
    bool *sheet = NULL;
    int32_t *list = NULL; /* one for all sheets */
    for (int32_t i = 0; i < b->g->n_atoms; ++i) {
        if ((sheet && sheet[i]) || !is_sheet_nitrogen(b, i) || !is_midst(b, i)) continue;
        if (!sheet) {
            sheet = arena_alloc(b->scratch, n, sizeof *sheet);
            list = arena_alloc_dirty(b->scratch, n, sizeof *list);
        }
        if (!sheet || !list) return SHOAL_E_MEMORY;
        mark_sheet(b, i, sheet, list);
    }
    b->sheet = sheet;
    for (int32_t i = 0; sheet && i < b->g->n_atoms; ++i)
        if (sheet[i] && b->mol->element[i] == 7) set_type(b, i, "N_R", HYB_SP2);
    return SHOAL_OK;
}

shoal_status uff_type_solids(uff_builder *b, uff_solid_marks marks)
{
    if (marks & UFF_HAS_TETRAHEDRA) {
        bool *endless = arena_alloc(b->scratch, (size_t)b->g->n_atoms, sizeof *endless);
        if (!endless) return SHOAL_E_MEMORY;
        SHOAL_TRY(find_endless(b, endless));
        type_zeolites(b, endless);
    }
    if (marks & UFF_HAS_BORON) SHOAL_TRY(type_sheets(b));
    if (marks & UFF_HAS_METAL) uff_warn_solids(b);
    return SHOAL_OK;
}

/* --- warnings -----------------------------------------------------------------------------------*/

/* "12 Na, 12 Cl": how many atoms of each element were counted. */
static void write_counts(const int32_t *count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int32_t z = 1; z <= ELEMENT_MAX && used < size; ++z) {
        if (count[z] == 0) continue;
        if (used + 24 > size) {
            (void)snprintf(text + used, size - used, ", ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%d %s", used ? ", " : "", count[z],
                                 element_get(z)->symbol);
    }
}

/* Metal atoms without bonds, and anions beside them, where the file did not say that they are so. */
void uff_warn_solids(uff_builder *b)
{
    int32_t ions[ELEMENT_MAX + 1] = {0}, metal[ELEMENT_MAX + 1] = {0};
    int32_t n_cations = 0, n_metal = 0;
    char text[96];
    if (b->mol->has_formal_charges) return;
    for (int32_t i = 0; i < b->g->n_atoms; ++i) {
        const int32_t z = b->mol->element[i], charge = b->mol->formal_charge[i];
        if (graph_degree(b->g, i) > 0) continue;
        ions[z] += charge != 0;
        n_cations += charge > 0;
        metal[z] += charge == 0 && element_is_metal(z);
        n_metal += charge == 0 && element_is_metal(z);
    }
    if (n_cations > 0) {
        write_counts(ions, text, sizeof text);
        topology_warn(b->topology, "%s: taken as ions, without covalent bonds", text);
    }
    if (n_metal > 0) {
        write_counts(metal, text, sizeof text);
        topology_warn(b->topology, "metal: %s without covalent bonds; UFF describes metals poorly",
                      text);
    }
}
