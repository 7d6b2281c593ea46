/* SPDX-License-Identifier: BSD-3-Clause
 * Nodes of a system, one per work-item: all terms between an atom, its neighbours and its direction (layout.h). Each
 * writes the forces on the node, its neighbours and its direction into slots of its own. Programs for systems without
 * nodes leave the loop out. */
#ifndef SHOAL_KERNELS_GROUP_NODES_H
#define SHOAL_KERNELS_GROUP_NODES_H

#include "group_memory.h"

#ifdef SHOAL_NODES
#include "node_sums.h"

/* Word w of node k: those of all nodes stand together. */
#define NODE(k, w) data->centres[t->node + (w)*t->n_nodes + (k)]

/* Stretches and half angles: arms[0 .. count). */
SHOAL_FN void node_sigma(const topology_record *t, const program_data *data, local const real4 *pos,
                         int k, int count, node_arm *arm, energies *e)
{
    const uint4 q = NODE(k, 0), w = NODE(k, 1), u = NODE(k, 2), v = NODE(k, 3);
    const v3 r = load3(pos, q.x & 0xffffu);
    const real half_k = NUMBER(data, w.x), cosine = NUMBER(data, w.y), sine = NUMBER(data, w.z);
    ADD_ENERGY(e, BOND,
               node_stretch(&arm[0], NUMBER(data, u.x), NUMBER(data, u.y),
                            v3_sub(load3(pos, q.x >> 16), r)));
    if (count < 2) return;
    ADD_ENERGY(e, BOND,
               node_stretch(&arm[1], NUMBER(data, u.z), NUMBER(data, u.w),
                            v3_sub(load3(pos, q.y & 0xffffu), r)));
    ADD_ENERGY(e, ANGLE, node_half_angle(&arm[0], &arm[1], half_k, cosine, sine));
    if (count < 3) return;
    ADD_ENERGY(e, BOND,
               node_stretch(&arm[2], NUMBER(data, v.x), NUMBER(data, v.y),
                            v3_sub(load3(pos, q.y >> 16), r)));
    ADD_ENERGY(e, ANGLE, node_half_angle(&arm[0], &arm[2], half_k, cosine, sine));
    ADD_ENERGY(e, ANGLE, node_half_angle(&arm[1], &arm[2], half_k, cosine, sine));
    if (count < 4) return;
    ADD_ENERGY(e, BOND,
               node_stretch(&arm[3], NUMBER(data, v.z), NUMBER(data, v.w),
                            v3_sub(load3(pos, q.z & 0xffffu), r)));
    ADD_ENERGY(e, ANGLE, node_half_angle(&arm[0], &arm[3], half_k, cosine, sine));
    ADD_ENERGY(e, ANGLE, node_half_angle(&arm[1], &arm[3], half_k, cosine, sine));
    ADD_ENERGY(e, ANGLE, node_half_angle(&arm[2], &arm[3], half_k, cosine, sine));
}

#ifdef SHOAL_DIRECTIONS
/* What a node's direction has to do with its neighbours and theirs. */
SHOAL_FN v3 node_pi(const topology_record *t, const program_data *data, local const real4 *pos,
                    int k, int count, node_arm *arm, energies *e)
{
    const uint4 to = NODE(k, 6), s = NODE(k, 4), c = NODE(k, 5);
    const uint others[4] = {to.x & 0xffffu, to.x >> 16, to.y & 0xffffu, to.y >> 16};
    const real tilts[4] = {NUMBER(data, s.x), NUMBER(data, s.y), NUMBER(data, s.z),
                           NUMBER(data, s.w)};
    const real twists[4] = {NUMBER(data, c.x), NUMBER(data, c.y), NUMBER(data, c.z),
                            NUMBER(data, c.w)};
    const real c0 = NUMBER(data, NODE(k, 1).w), soft2 = NUMBER(data, to.z),
               most = NUMBER(data, to.w);
    const v3 p = load3(pos, NODE(k, 0).z >> 16);
    v3 f = v3_make(0, 0, 0);
    SHOAL_UNROLL
    for (int m = 0; m < 4; ++m) {
        if (m < count) {
            ADD_ENERGY(e, SIGMA_PI, node_sigma_pi(&arm[m], tilts[m], c0, p, &f));
            ADD_ENERGY(e, PI_PI, node_pi_pi(twists[m], soft2, most, p, load3(pos, others[m]), &f));
        }
    }
    return f;
}
#endif

SHOAL_FN void eval_nodes(const topology_record *t, const program_data *data, local const real4 *pos,
                         local real4 *slot, energies *e)
{
    for (int k = (int)get_local_id(0); k < t->n_nodes; k += WG) {
        const uint code = NODE(k, 0).w;
        const int count = (int)(code >> 28 & 7u);
        const uint at = code & 0xffffffu;
        node_arm arm[4];
        v3 sum = v3_make(0, 0, 0);
        node_sigma(t, data, pos, k, count, arm, e);
#ifdef SHOAL_DIRECTIONS
        if (code >> 31) store3(slot, at + 1 + count, node_pi(t, data, pos, k, count, arm, e));
#endif
        SHOAL_UNROLL
        for (int m = 0; m < 4; ++m) {
            if (m < count) {
                const v3 f = node_force(&arm[m]);
                store3(slot, at + 1 + m, f);
                sum = v3_add(sum, f);
            }
        }
        store3(slot, at, v3_scale(R(-1.0), sum));
    }
}
#define EVAL_NODES(t, data, pos, slot, e) eval_nodes(t, data, pos, slot, e)
#else
#define EVAL_NODES(t, data, pos, slot, e)
#endif

#endif
