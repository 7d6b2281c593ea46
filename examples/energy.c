/* SPDX-License-Identifier: BSD-3-Clause
 * The library in one page: all molecules of a file in one batch, their energies and forces. */
#include <stdio.h>

#include "shoal/shoal.h"

/* Types one molecule and adds it to the batch, which keeps what it needs. */
static shoal_status add_molecule(shoal_batch *batch, shoal_molecule *mol)
{
    shoal_topology *topology = NULL;
    double cell[3][3];
    bool pbc[3];
    shoal_status status = shoal_topology_create(&topology, mol, NULL);
    if (status != SHOAL_OK) return status;
    shoal_molecule_cell(mol, cell, pbc);
    const shoal_system system = {
        .topology = topology,
        .pos = shoal_molecule_positions(mol),
        .cell = shoal_molecule_is_periodic(mol) ? (const double(*)[3])cell : NULL,
    };
    status = shoal_batch_add(batch, &system);
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

static shoal_status print_results(const shoal_batch *batch)
{
    shoal_engine *engine = NULL;
    shoal_status status = shoal_engine_create(&engine, batch, NULL);
    if (status == SHOAL_OK) status = shoal_engine_eval(engine);
    for (int32_t i = 0; status == SHOAL_OK && i < shoal_batch_size(batch); ++i) {
        shoal_result result;
        status = shoal_engine_result(engine, i, &result);
        if (status != SHOAL_OK) break;
        (void)printf("%3d  %-10s  %12.6f eV  fmax %10.6f eV/A\n", i,
                     shoal_system_status_name(result.status), result.energy, result.fmax);
    }
    shoal_engine_destroy(engine);
    return status;
}

int main(int argc, char **argv)
{
    shoal_batch *batch = NULL;
    shoal_molecule *mol = NULL;
    if (argc != 2) {
        (void)fprintf(stderr, "usage: energy FILE\n");
        return 2;
    }
    shoal_status status = shoal_batch_create(&batch);
    if (status == SHOAL_OK) status = shoal_molecule_create(&mol);
    if (status == SHOAL_OK) status = read_batch(batch, mol, argv[1]);
    if (status == SHOAL_OK) status = print_results(batch);
    if (status != SHOAL_OK) (void)fprintf(stderr, "energy: %s\n", shoal_error_text());
    shoal_molecule_destroy(mol);
    shoal_batch_destroy(batch);
    return status == SHOAL_OK ? 0 : 1;
}
