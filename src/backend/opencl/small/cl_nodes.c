/* SPDX-License-Identifier: BSD-3-Clause
 * Nodes: an atom with up to four neighbours, all half angles between these alike, and what its direction has to do with
 * them (kernels/layout.h). What does not fit is left to others. */
#include <stdlib.h>
#include <string.h>

#include "backend/opencl/small/cl_pack.h"

enum { MOST_ARMS = 4 };

/* Indices of terms are -1 where there is none. */
typedef struct pi_node {
    int32_t atom, direction; /* -1: it has none */
    int32_t arms[MOST_ARMS], n_arms;
    int32_t half;                                /* the first of its half angles */
    uint32_t pairs;                              /* bit for every pair of arms that has one */
    bool broken;                                 /* its terms are more than a record holds */
    int32_t tilt;                                /* the first of its sigma-pi terms */
    double tilts[MOST_ARMS], twists[MOST_ARMS];  /* constants, eV */
    int32_t bonds[MOST_ARMS], others[MOST_ARMS]; /* stretch, and direction of the neighbour */
    int32_t twist;                               /* the first of its pi-pi terms */
} pi_node;

typedef struct node_list {
    pi_node *nodes;
    int32_t n;
    int32_t *of; /* [atom] index, -1: no node */
} node_list;

static pi_node *node_at(node_list *list, int32_t atom)
{
    if (list->of[atom] < 0) {
        pi_node *made = &list->nodes[list->n];
        *made = (pi_node){.atom = atom, .direction = -1, .half = -1, .tilt = -1, .twist = -1};
        for (int a = 0; a < MOST_ARMS; ++a) made->bonds[a] = -1;
        list->of[atom] = list->n++;
    }
    return &list->nodes[list->of[atom]];
}

static int32_t find_arm(const pi_node *node, int32_t atom)
{
    for (int32_t a = 0; a < node->n_arms; ++a)
        if (node->arms[a] == atom) return a;
    return -1;
}

/* The arm to an atom, made if it is new; 0 where there is no room. */
static int32_t need_arm(pi_node *node, int32_t atom)
{
    const int32_t have = find_arm(node, atom);
    if (have >= 0) return have;
    if (node->n_arms == MOST_ARMS) {
        node->broken = true;
        return 0;
    }
    node->arms[node->n_arms] = atom;
    return node->n_arms++;
}

static uint32_t pair_bit(int32_t a, int32_t b)
{
    return 1u << (a < b ? MOST_ARMS * a + b : MOST_ARMS * b + a);
}

static void find_nodes(const cl_pack *pack, const shoal_topology_view *v, node_list *list)
{
    const shoal_term *halves = terms_of(v, SHOAL_KIND_HALF_ANGLE);
    const shoal_term *tilts = terms_of(v, SHOAL_KIND_SIGMA_PI);
    for (int32_t i = 0; i < v->n_atoms; ++i) list->of[i] = -1;
    for (int32_t k = 0; k < cl_pack_count(pack, v, SHOAL_KIND_HALF_ANGLE); ++k) {
        pi_node *node = node_at(list, halves[k].atoms[1]);
        const int32_t a = need_arm(node, halves[k].atoms[0]),
                      b = need_arm(node, halves[k].atoms[2]);
        if (node->half < 0) node->half = k;
        node->broken |= a == b || (node->pairs & pair_bit(a, b)) ||
                        memcmp(halves[k].p, halves[node->half].p, sizeof halves[k].p) != 0;
        node->pairs |= pair_bit(a, b);
    }
    for (int32_t k = 0; k < cl_pack_count(pack, v, SHOAL_KIND_SIGMA_PI); ++k) {
        pi_node *node = node_at(list, tilts[k].atoms[1]);
        const int32_t a = need_arm(node, tilts[k].atoms[2]);
        if (node->tilt < 0) node->tilt = k;
        const shoal_term *first = &tilts[node->tilt];
        node->broken |= node->tilts[a] != 0 || tilts[k].atoms[0] != first->atoms[0] ||
                        tilts[k].p[SHOAL_SIGMA_C0] != first->p[SHOAL_SIGMA_C0];
        node->tilts[a] = tilts[k].p[SHOAL_SIGMA_K];
        node->direction = tilts[k].atoms[0];
    }
}

/* Leaves out nodes that are more than a record holds, or lack half angles between some of their neighbours. */
static void drop_broken(node_list *list)
{
    int32_t n = 0;
    for (int32_t k = 0; k < list->n; ++k) {
        const pi_node *node = &list->nodes[k];
        uint32_t all = 0;
        for (int32_t a = 0; a < node->n_arms; ++a)
            for (int32_t b = 0; b < a; ++b) all |= pair_bit(a, b);
        const bool whole = !node->broken && (node->half < 0 || node->pairs == all);
        list->of[node->atom] = whole ? n : -1;
        if (whole) list->nodes[n++] = *node;
    }
    list->n = n;
}

/* A stretch belongs to the first of its ends that is a node. */
static void take_bonds(cl_pack *pack, const shoal_topology_view *v, node_list *list)
{
    const shoal_term *bonds = terms_of(v, SHOAL_KIND_BOND);
    for (int32_t k = 0; k < cl_pack_count(pack, v, SHOAL_KIND_BOND); ++k)
        for (int end = 0; end < 2 && !cl_pack_is_taken(pack, v, SHOAL_KIND_BOND, k); ++end) {
            const int32_t n = list->of[bonds[k].atoms[end]];
            const int32_t a = n < 0 ? -1 : find_arm(&list->nodes[n], bonds[k].atoms[1 - end]);
            if (a < 0 || list->nodes[n].bonds[a] >= 0) continue;
            list->nodes[n].bonds[a] = k;
            cl_pack_take(pack, v, SHOAL_KIND_BOND, k);
        }
}

/* Whether a pi-pi term has a place in a node. */
static bool fits_twist(const pi_node *node, int32_t arm, const shoal_term *terms, int32_t k)
{
    return arm >= 0 && node->twists[arm] == 0 &&
           (node->twist < 0 || terms[node->twist].p[SHOAL_PI_SOFT] == terms[k].p[SHOAL_PI_SOFT]);
}

/* Pi-pi terms, half of each at both of its ends. */
static void take_twists(cl_pack *pack, const shoal_topology_view *v, node_list *list)
{
    const shoal_term *terms = terms_of(v, SHOAL_KIND_PI_PI);
    for (int32_t k = 0; k < cl_pack_count(pack, v, SHOAL_KIND_PI_PI); ++k) {
        pi_node *ends[2];
        int32_t arms[2];
        const int32_t *at = terms[k].atoms;
        const int32_t atoms[2] = {v->direction_atoms[at[0] - v->n_atoms],
                                  v->direction_atoms[at[1] - v->n_atoms]};
        bool fits = list->of[atoms[0]] >= 0 && list->of[atoms[1]] >= 0;
        for (int c = 0; c < 2 && fits; ++c) {
            ends[c] = &list->nodes[list->of[atoms[c]]];
            arms[c] = find_arm(ends[c], atoms[1 - c]);
            fits = ends[c]->direction == at[c] && fits_twist(ends[c], arms[c], terms, k);
        }
        if (!fits) continue;
        for (int c = 0; c < 2; ++c) {
            ends[c]->twists[arms[c]] = terms[k].p[SHOAL_PI_K];
            ends[c]->others[arms[c]] = at[1 - c];
            if (ends[c]->twist < 0) ends[c]->twist = k;
        }
        cl_pack_take(pack, v, SHOAL_KIND_PI_PI, k);
    }
}

static void take_terms(cl_pack *pack, const shoal_topology_view *v, node_list *list)
{
    const shoal_term *halves = terms_of(v, SHOAL_KIND_HALF_ANGLE);
    const shoal_term *tilts = terms_of(v, SHOAL_KIND_SIGMA_PI);
    for (int32_t k = 0; k < cl_pack_count(pack, v, SHOAL_KIND_HALF_ANGLE); ++k)
        if (list->of[halves[k].atoms[1]] >= 0) cl_pack_take(pack, v, SHOAL_KIND_HALF_ANGLE, k);
    for (int32_t k = 0; k < cl_pack_count(pack, v, SHOAL_KIND_SIGMA_PI); ++k)
        if (list->of[tilts[k].atoms[1]] >= 0) cl_pack_take(pack, v, SHOAL_KIND_SIGMA_PI, k);
    take_bonds(pack, v, list);
    take_twists(pack, v, list);
}

static bool pack_words(cl_pack *pack, const double *numbers, int n, uint32_t *to)
{
    for (int k = 0; k < n; ++k)
        if (!cl_pack_word(pack, numbers[k], to + k)) return false;
    return true;
}

/* Kernel numbers of term k of a kind; zeros for none. */
static void numbers_of(const cl_pack *pack, const shoal_topology_view *v, int kind, int32_t k,
                       double to[TERM_NUMBERS])
{
    memset(to, 0, TERM_NUMBERS * sizeof *to);
    if (k >= 0) term_numbers(&terms_of(v, kind)[k], v, pack->options, to);
}

static bool pack_node(cl_pack *pack, const shoal_topology_view *v, const pi_node *node,
                      cl_word4 w[NODE_WORDS])
{
    const int32_t *arms = node->arms, *to = node->others;
    const bool directed = node->direction >= 0;
    double half[TERM_NUMBERS], tilt[TERM_NUMBERS], twist[TERM_NUMBERS], bonds[2 * MOST_ARMS] = {0};
    int32_t slots[MOST_ARMS + 2] = {node->atom};
    numbers_of(pack, v, SHOAL_KIND_HALF_ANGLE, node->half, half);
    numbers_of(pack, v, SHOAL_KIND_SIGMA_PI, node->tilt, tilt);
    numbers_of(pack, v, SHOAL_KIND_PI_PI, node->twist, twist);
    for (int32_t a = 0; a < node->n_arms; ++a) {
        const shoal_term *bond = terms_of(v, SHOAL_KIND_BOND) + node->bonds[a];
        if (node->bonds[a] >= 0) bonds[2 * a] = bond->p[SHOAL_BOND_K];
        if (node->bonds[a] >= 0) bonds[2 * a + 1] = bond->p[SHOAL_BOND_R0];
        slots[1 + a] = arms[a];
    }
    slots[1 + node->n_arms] = node->direction;
    memset(w, 0, NODE_WORDS * sizeof *w);
    w[0] = (cl_word4){
        {cl_pack_atoms2(node->atom, arms[0]), cl_pack_atoms2(arms[1], arms[2]),
         cl_pack_atoms2(arms[3], directed ? node->direction : 0),
         (uint32_t)pack->slots.n | (uint32_t)node->n_arms << 28 | (uint32_t)directed << 31}};
    w[6] = (cl_word4){{cl_pack_atoms2(to[0], to[1]), cl_pack_atoms2(to[2], to[3]), 0, 0}};
    return cl_pack_slots(pack, slots, 1 + node->n_arms + directed) &&
           pack_words(pack, half, 3, w[1].v) && cl_pack_word(pack, tilt[1], &w[1].v[3]) &&
           pack_words(pack, bonds, 4, w[2].v) && pack_words(pack, bonds + 4, 4, w[3].v) &&
           pack_words(pack, node->tilts, 4, w[4].v) && pack_words(pack, node->twists, 4, w[5].v) &&
           pack_words(pack, twist + 1, 2, &w[6].v[2]);
}

/* Word by word of all nodes, behind those of the centres. */
static bool pack_list(cl_pack *pack, const shoal_topology_view *v, const node_list *list)
{
    const int32_t first = pack->centres.n, n = list->n;
    if (!cl_array_append(&pack->centres, n * NODE_WORDS)) return false;
    for (int32_t k = 0; k < n; ++k) {
        cl_word4 words[NODE_WORDS];
        if (!pack_node(pack, v, &list->nodes[k], words)) return false;
        for (int32_t w = 0; w < NODE_WORDS; ++w)
            ((cl_word4 *)pack->centres.data)[first + w * n + k] = words[w];
    }
    return true;
}

bool cl_pack_nodes(cl_pack *pack, const shoal_topology_view *view, int32_t *n_nodes)
{
    node_list list = {.nodes = malloc(((size_t)view->n_atoms + 1) * sizeof *list.nodes),
                      .of = malloc(((size_t)view->n_atoms + 1) * sizeof *list.of)};
    bool ok = list.nodes && list.of;
    if (ok) {
        find_nodes(pack, view, &list);
        drop_broken(&list);
        take_terms(pack, view, &list);
        ok = pack_list(pack, view, &list);
    }
    *n_nodes = list.n;
    free(list.nodes);
    free(list.of);
    return ok;
}
