/* SPDX-License-Identifier: BSD-3-Clause
 * Parameters of one's own: hydrogen peroxide built term by term, with a scaled 1-4 pair, relaxed; its vibrations. */
#include <stdio.h>

#include "shoal/shoal.h"

/* H-O-O-H. Each call would say what is wrong; here the first failure ends the building. */
static shoal_status fill(shoal_topology_builder *b)
{
    static const shoal_atom_parameters hydrogen = {.vdw_x = 2.4, .vdw_d = 0.002, .charge = 0.4};
    static const shoal_atom_parameters oxygen = {.vdw_x = 3.5, .vdw_d = 0.007, .charge = -0.4};
    static const double bend[5] = {0.70208, 0.7, 0.6, 0, 0}; /* minimum near 107 degrees */
    shoal_status s = SHOAL_OK;
    for (int32_t i = 0; i < 4 && s == SHOAL_OK; ++i)
        s = shoal_topology_set_atom(b, i, i == 0 || i == 3 ? &hydrogen : &oxygen);
    if (s == SHOAL_OK) s = shoal_topology_add_bond(b, 0, 1, NULL, 48.0, 0.97);
    if (s == SHOAL_OK) s = shoal_topology_add_bond(b, 1, 2, NULL, 30.0, 1.45);
    if (s == SHOAL_OK) s = shoal_topology_add_bond(b, 2, 3, NULL, 48.0, 0.97);
    if (s == SHOAL_OK) s = shoal_topology_add_angle(b, (const int32_t[]){0, 1, 2}, NULL, 3.0, bend);
    if (s == SHOAL_OK) s = shoal_topology_add_angle(b, (const int32_t[]){1, 2, 3}, NULL, 3.0, bend);
    if (s == SHOAL_OK)
        s = shoal_topology_add_torsion(b, (const int32_t[]){0, 1, 2, 3}, NULL, 0.1, -1, 2);
    const shoal_special_pair pair = {.i = 0, .j = 3, .vdw_scale = 0.5, .coulomb_scale = 1 / 1.2};
    return s == SHOAL_OK ? shoal_topology_add_pair(b, &pair) : s;
}

static shoal_status vibrate(shoal_topology *topology, const double (*pos)[3])
{
    shoal_modes_result *modes = NULL;
    const shoal_system system = {.topology = topology, .pos = pos};
    const shoal_status s = shoal_modes_find(&modes, &system, NULL, NULL, NULL);
    for (int32_t k = 0; s == SHOAL_OK && k < modes->n_modes; ++k)
        (void)printf("  %8.1f cm^-1\n", modes->frequencies[k]);
    shoal_modes_result_destroy(modes);
    return s;
}

static shoal_status relax(shoal_topology *topology)
{
    static const double pos[4][3] = {{0.9, 0.3, 0.2}, {0, 0, 0}, {0, 0, 1.5}, {-0.3, 0.9, 1.7}};
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result r;
    shoal_status s = shoal_batch_create(&batch);
    if (s == SHOAL_OK)
        s = shoal_batch_add(batch, &(shoal_system){.topology = topology, .pos = pos});
    if (s == SHOAL_OK) s = shoal_engine_create(&engine, batch, NULL);
    if (s == SHOAL_OK) s = shoal_engine_relax(engine, NULL, NULL, NULL);
    if (s == SHOAL_OK) s = shoal_engine_result(engine, 0, &r);
    if (s == SHOAL_OK) {
        (void)printf("%s, %.6f eV\n", shoal_system_status_name(r.status), r.energy);
        for (int t = 0; t < r.n_terms; ++t)
            (void)printf("  %-10s %10.6f eV\n", shoal_term_name(t), r.terms[t]);
    }
    if (s == SHOAL_OK) s = vibrate(topology, shoal_engine_positions(engine, 0));
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return s;
}

int main(void)
{
    shoal_topology_builder *builder = NULL;
    shoal_topology *topology = NULL;
    shoal_status s = shoal_topology_begin(&builder, 4, (const int32_t[]){1, 8, 8, 1});
    if (s == SHOAL_OK) s = fill(builder);
    if (s == SHOAL_OK)
        s = shoal_topology_finish(builder, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &topology);
    else
        shoal_topology_abandon(builder);
    if (s == SHOAL_OK) s = relax(topology);
    if (s != SHOAL_OK) (void)fprintf(stderr, "%s\n", shoal_error_text());
    shoal_topology_destroy(topology);
    return s == SHOAL_OK ? 0 : 1;
}
