/* SPDX-License-Identifier: BSD-3-Clause
 * Molecules on a surface in one page: all molecules of a file, relaxed 3 angstrom above graphene. */
#include <stdio.h>

#include "shoal/shoal.h"

#define HEIGHT 3.0 /* angstrom, of the lowest atom */

static shoal_status make_surface(shoal_surface **surface)
{
    const shoal_slab_options sheet = {.kind = SHOAL_SLAB_GRAPHENE, .size = {6, 6}};
    shoal_molecule *slab = NULL;
    shoal_status status = shoal_molecule_create(&slab);
    if (status == SHOAL_OK) status = shoal_slab_build(slab, &sheet);
    if (status == SHOAL_OK) status = shoal_surface_create(surface, slab, NULL);
    shoal_molecule_destroy(slab);
    return status;
}

/* Lifts a molecule above z = 0, where the sheet is, and adds it to the batch. */
static shoal_status add_molecule(shoal_batch *batch, shoal_molecule *mol)
{
    shoal_topology *topology = NULL;
    const int32_t n = shoal_molecule_n_atoms(mol);
    const double(*pos)[3] = shoal_molecule_positions(mol);
    double low = n > 0 ? pos[0][2] : 0;
    for (int32_t i = 0; i < n; ++i) low = pos[i][2] < low ? pos[i][2] : low;
    shoal_status status = shoal_topology_create(&topology, mol, NULL);
    for (int32_t i = 0; i < n && status == SHOAL_OK; ++i) {
        const double to[3] = {pos[i][0], pos[i][1], pos[i][2] - low + HEIGHT};
        status = shoal_molecule_set_position(mol, i, to);
    }
    const shoal_system system = {.topology = topology, .pos = shoal_molecule_positions(mol)};
    if (status == SHOAL_OK) status = shoal_batch_add(batch, &system);
    shoal_topology_destroy(topology);
    return status;
}

static shoal_status read_batch(shoal_batch *batch, shoal_molecule *mol, const char *path)
{
    shoal_reader *reader = NULL;
    bool found = true;
    shoal_status status = shoal_reader_open(&reader, path, SHOAL_FORMAT_AUTO);
    while (status == SHOAL_OK && found) {
        status = shoal_reader_next(reader, mol, &found);
        if (status == SHOAL_OK && found) status = add_molecule(batch, mol);
    }
    shoal_reader_destroy(reader);
    return status;
}

static shoal_status relax(const shoal_batch *batch, shoal_surface *surface)
{
    const shoal_engine_options options = {.surface = surface};
    shoal_engine *engine = NULL;
    shoal_status status = shoal_engine_create(&engine, batch, &options);
    if (status == SHOAL_OK) status = shoal_engine_relax(engine, NULL, NULL, NULL);
    for (int32_t i = 0; status == SHOAL_OK && i < shoal_batch_size(batch); ++i) {
        shoal_result r;
        status = shoal_engine_result(engine, i, &r);
        if (status != SHOAL_OK) break;
        (void)printf("%3d  %-13s  %12.6f eV, %10.6f eV of it by the surface\n", i,
                     shoal_system_status_name(r.status), r.energy, r.terms[SHOAL_TERM_SURFACE]);
    }
    shoal_engine_destroy(engine);
    return status;
}

int main(int argc, char **argv)
{
    shoal_batch *batch = NULL;
    shoal_molecule *mol = NULL;
    shoal_surface *surface = NULL;
    if (argc != 2) {
        (void)fprintf(stderr, "usage: adsorb FILE\n");
        return 2;
    }
    shoal_status status = make_surface(&surface);
    if (status == SHOAL_OK) status = shoal_batch_create(&batch);
    if (status == SHOAL_OK) status = shoal_molecule_create(&mol);
    if (status == SHOAL_OK) status = read_batch(batch, mol, argv[1]);
    if (status == SHOAL_OK) status = relax(batch, surface);
    if (status != SHOAL_OK) (void)fprintf(stderr, "adsorb: %s\n", shoal_error_text());
    shoal_molecule_destroy(mol);
    shoal_batch_destroy(batch);
    shoal_surface_destroy(surface);
    return status == SHOAL_OK ? 0 : 1;
}
