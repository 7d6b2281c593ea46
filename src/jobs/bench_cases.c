/* SPDX-License-Identifier: BSD-3-Clause
 * The built-in systems of benchmarks. */
#include "jobs/bench_cases.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "shoal/bench.h"
#include "shoal/io.h"

#define SHAKE 0.05 /* angstrom */

static const bench_case bench_cases[] = {
    {"formic_acid", "formic_acid.sdf", "formic acid, 5 atoms", {0, 0, 0}, 4096},
    {"xylitol", "xylitol.sdf", "a sugar alcohol, 22 atoms", {0, 0, 0}, 4096},
    {"ptcda", "ptcda.sdf", "a flat aromatic dianhydride, 38 atoms", {0, 0, 0}, 4096},
    {"imatinib", "imatinib.sdf", "a drug, 68 atoms", {0, 0, 0}, 4096},
    {"peptide", "peptide.sdf", "AGSAGSAGSA, 97 atoms", {0, 0, 0}, 4096},
    {"unlike", "unlike.sdf", "64 unlike molecules, 20 to 26 atoms", {0, 0, 0}, 64},
    {"framework", "framework.xyz", "cristobalite, periodic, 10080 atoms", {10, 12, 7}, 1},
    {"cells", "framework.xyz", "cristobalite, periodic, 324 atoms", {3, 3, 3}, 256},
};
static const int bench_n_cases = (int)(sizeof bench_cases / sizeof bench_cases[0]);

const bench_case *bench_case_find(const char *name)
{
    for (int k = 0; k < bench_n_cases; ++k)
        if (strcmp(bench_cases[k].name, name) == 0) return &bench_cases[k];
    return NULL;
}

bool shoal_bench_case_get(int32_t k, shoal_bench_case *out)
{
    if (!out || k < 0 || k >= bench_n_cases) return false;
    *out = (shoal_bench_case){bench_cases[k].name, bench_cases[k].about, bench_cases[k].systems};
    return true;
}

/* Appends a molecule; the set owns it from now on. */
static shoal_status set_append(bench_set *set, shoal_molecule *mol)
{
    const size_t n = (size_t)set->n + 1;
    shoal_molecule **grown = realloc((void *)set->molecules, n * sizeof(*grown));
    if (!grown) {
        shoal_molecule_destroy(mol);
        return SHOAL_E_MEMORY;
    }
    grown[set->n++] = mol;
    set->molecules = grown;
    const int32_t n_atoms = shoal_molecule_n_atoms(mol);
    set->most_atoms = n_atoms > set->most_atoms ? n_atoms : set->most_atoms;
    return SHOAL_OK;
}

/* All atoms of one image of the cell. */
static shoal_status add_image(shoal_molecule *to, const shoal_molecule *from,
                              const double cell[3][3], const int32_t shift[3])
{
    const double(*pos)[3] = shoal_molecule_positions(from);
    const double *charges = shoal_molecule_charges(from);
    for (int32_t i = 0; i < shoal_molecule_n_atoms(from); ++i) {
        double r[3];
        for (int c = 0; c < 3; ++c)
            r[c] =
                pos[i][c] + shift[0] * cell[0][c] + shift[1] * cell[1][c] + shift[2] * cell[2][c];
        shoal_status status = shoal_molecule_add_atom(to, shoal_molecule_elements(from)[i], r);
        if (status == SHOAL_OK && charges)
            status = shoal_molecule_set_charge(to, shoal_molecule_n_atoms(to) - 1, charges[i]);
        if (status != SHOAL_OK) return status;
    }
    return SHOAL_OK;
}

/* Replaces *mol by a supercell of it. */
static shoal_status repeat_cell(shoal_molecule **mol, const int32_t repeat[3])
{
    shoal_molecule *large = NULL;
    double cell[3][3], wide[3][3];
    bool pbc[3];
    shoal_molecule_cell(*mol, cell, pbc);
    shoal_status status = shoal_molecule_create(&large);
    for (int32_t k = 0; k < repeat[0] * repeat[1] * repeat[2] && status == SHOAL_OK; ++k) {
        const int32_t shift[3] = {k / (repeat[1] * repeat[2]), k / repeat[2] % repeat[1],
                                  k % repeat[2]};
        status = add_image(large, *mol, (const double(*)[3])cell, shift);
    }
    for (int k = 0; k < 3; ++k)
        for (int c = 0; c < 3; ++c) wide[k][c] = repeat[k] * cell[k][c];
    if (status == SHOAL_OK) status = shoal_molecule_set_cell(large, (const double(*)[3])wide, pbc);
    if (status == SHOAL_OK) status = shoal_molecule_set_name(large, shoal_molecule_name(*mol));
    shoal_molecule_destroy(*mol);
    *mol = large;
    return status;
}

static shoal_status read_text(const bench_text *t, const bench_case *c, bench_set *set)
{
    shoal_reader *reader = NULL;
    bool found = true;
    const char *dot = strrchr(t->file, '.');
    shoal_status status =
        shoal_reader_open_memory(&reader, t->text, t->size, t->file, shoal_format_by_name(dot + 1));
    while (status == SHOAL_OK && found) {
        shoal_molecule *mol = NULL;
        status = shoal_molecule_create(&mol);
        if (status == SHOAL_OK) status = shoal_reader_next(reader, mol, &found);
        if (status == SHOAL_OK && found && c->repeat[0] > 0) status = repeat_cell(&mol, c->repeat);
        if (status == SHOAL_OK && found)
            status = set_append(set, mol);
        else
            shoal_molecule_destroy(mol);
    }
    shoal_reader_destroy(reader);
    return status;
}

shoal_status bench_case_load(const bench_case *c, bench_set *out)
{
    int k = 0;
    while (k + 1 < bench_n_texts && strcmp(bench_texts[k].file, c->file) != 0) ++k;
    *out = (bench_set){0};
    return read_text(&bench_texts[k], c, out);
}

shoal_status bench_set_type(bench_set *set, const shoal_typing_options *options)
{
    shoal_status status = SHOAL_OK;
    set->topologies = calloc((size_t)set->n, sizeof(*set->topologies));
    if (!set->topologies) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < set->n && status == SHOAL_OK; ++k)
        status = shoal_topology_create(&set->topologies[k], set->molecules[k], options);
    return status;
}

void bench_set_free(bench_set *set)
{
    for (int32_t k = 0; k < set->n; ++k) {
        if (set->topologies) shoal_topology_destroy(set->topologies[k]);
        shoal_molecule_destroy(set->molecules[k]);
    }
    free((void *)set->topologies);
    free((void *)set->molecules);
    *set = (bench_set){0};
}

/* By seed, number of the copy, atom and axis alone. */
static void shake_copy(const shoal_molecule *mol, uint64_t seed, int64_t i_copy, double (*pos)[3])
{
    const uint64_t key = random_key(random_key(seed, 0) ^ (uint64_t)i_copy, 0);
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol); ++i)
        for (int c = 0; c < 3; ++c) {
            const uint64_t bits = random_key(key ^ (uint64_t)(3 * (int64_t)i + c), 0);
            const double unit = random_fraction(bits);
            pos[i][c] = shoal_molecule_positions(mol)[i][c] + SHAKE * (2 * unit - 1);
        }
}

/* Moves a copy to a place of its own within a cell. */
static void spread_copy(const double (*cell)[2], uint64_t seed, int64_t i_copy, int32_t n,
                        double (*pos)[3])
{
    const uint64_t key = random_key(random_key(seed, 0), (uint64_t)i_copy);
    const double fa = (double)(key >> 32) * 0x1p-32, fb = (double)(key & 0xffffffffu) * 0x1p-32;
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 2; ++c) pos[i][c] += fa * cell[0][c] + fb * cell[1][c];
}

static shoal_status add_copy(shoal_batch *batch, const shoal_molecule *mol,
                             shoal_topology *topology, const double (*pos)[3])
{
    double cell[3][3];
    bool pbc[3];
    shoal_molecule_cell(mol, cell, pbc);
    const shoal_system system = {.topology = topology,
                                 .pos = pos,
                                 .cell = shoal_molecule_is_periodic(mol) ? (const double(*)[3])cell
                                                                         : NULL};
    return shoal_batch_add(batch, &system);
}

shoal_status bench_case_batch(const bench_set *set, uint64_t seed, int32_t n,
                              const double (*spread)[2], shoal_batch **out)
{
    double(*pos)[3] = calloc((size_t)set->most_atoms + 1, sizeof *pos);
    shoal_status status = pos ? shoal_batch_create(out) : SHOAL_E_MEMORY;
    for (int32_t k = 0; k < n && status == SHOAL_OK; ++k) {
        const shoal_molecule *mol = set->molecules[k % set->n];
        shake_copy(mol, seed, k, pos);
        spread_copy(spread, seed, k, shoal_molecule_n_atoms(mol), pos);
        status = add_copy(*out, mol, set->topologies[k % set->n], (const double(*)[3])pos);
    }
    free(pos);
    return status;
}
