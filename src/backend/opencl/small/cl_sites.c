/* SPDX-License-Identifier: BSD-3-Clause
 * Sites beside the atoms of a topology, packed for kernels/group_sites.h. */
#include "backend/opencl/small/cl_pack.h"

int32_t cl_pack_count_arms(const shoal_site *s)
{
    int32_t n = 3;
    while (n > 1 && s->x[n - 1] == 0 && s->y[n - 1] == 0) --n;
    return n;
}

static bool pack_site(cl_pack *pack, const shoal_site *s)
{
    const int32_t n_arms = cl_pack_count_arms(s);
    const bool plain = s->local[1] == 0 && s->local[2] == 0;
    const double numbers[9] = {s->x[0], s->x[1],     s->x[2],     s->y[0],    s->y[1],
                               s->y[2], s->local[0], s->local[1], s->local[2]};
    const int32_t atoms[7] = {s->host,    s->to[0], s->from[0], s->to[1],
                              s->from[1], s->to[2], s->from[2]};
    cl_word4 w[SITE_WORDS] = {
        {{cl_pack_atoms2(s->host, s->from[0]), cl_pack_atoms2(s->to[0], s->from[1]),
          cl_pack_atoms2(s->to[1], s->from[2]),
          cl_pack_atoms2(s->to[2], n_arms | (plain ? 1 << 8 : 0))}},
        {{(uint32_t)pack->slots.n, 0, 0, 0}}};
    for (int k = 0; k < 9; ++k)
        if (!cl_pack_word(pack, numbers[k], &w[(k + 5) / 4].v[(k + 5) % 4])) return false;
    cl_word4 *p = cl_array_append(&pack->sites, SITE_WORDS);
    if (!p || !cl_pack_slots(pack, atoms, 1 + 2 * n_arms)) return false;
    memcpy(p, w, sizeof w);
    return true;
}

bool cl_pack_sites(cl_pack *pack, const shoal_topology_view *view)
{
    for (int32_t k = 0; k < view->n_sites; ++k)
        if (!pack_site(pack, &view->sites[k])) return false;
    return true;
}
