/* SPDX-License-Identifier: BSD-3-Clause
 * The split of Ewald sums and the weights of k-vectors.
 *
 * Ewald, Ann. Phys. 369 (1921) 253; slabs: Parry, Surf. Sci. 49 (1975) 433. */
#include "backend/cpu/large/cpu_ewald.h"

#include <math.h>

#include "backend/cpu/cpu_model.h"
#include "base/error.h"

#define SHOAL_REAL double
#include "ewald_terms.h"
#include "geom/vector.h"
#include "pair_terms.h"

#include "constants.h"

static double kvec_length2(const geom_lattice *lattice, const int32_t axis[3], const int32_t n[3])
{
    double k2 = 0;
    for (int c = 0; c < 3; ++c) {
        double k = 0;
        for (int a = 0; a < 3; ++a) k += 2 * PI * n[a] * lattice->dual[axis[a]][c];
        k2 += k * k;
    }
    return k2;
}

/* Weight of a k-vector, 0 if it is not one of the half that is listed. */
static double weigh(const cpu_ewald *ewald, const geom_lattice *lattice, double damping,
                    double k_cut, const int32_t n[3])
{
    const bool upper = n[0] > 0 || (n[0] == 0 && (n[1] > 0 || (n[1] == 0 && n[2] > 0)));
    const double k2 = kvec_length2(lattice, ewald->axis, n);
    if (!upper || k2 > k_cut * k_cut) return 0;
    return COULOMB_CONSTANT * ewald_transform(ewald->alpha, damping, k2) / lattice->measure;
}

/* Rows of k-vectors; without weights only counts them. */
static void list_rows(cpu_ewald *ewald, const geom_lattice *lattice, double damping, double k_cut)
{
    ewald->n_rows = ewald->n_places = 0;
    for (int32_t na = 0; na <= ewald->last[0]; ++na)
        for (int32_t nb = na > 0 ? -ewald->last[1] : 0; nb <= ewald->last[1]; ++nb) {
            int32_t last = -1;
            for (int32_t m = 0; m <= ewald->last[2]; ++m)
                for (int sign = -1; sign <= 1; sign += 2) {
                    const double k2 =
                        kvec_length2(lattice, ewald->axis, (const int32_t[3]){na, nb, sign * m});
                    if (k2 <= k_cut * k_cut) last = m;
                }
            if (last < 0) continue;
            for (int32_t m = 0; m <= last && ewald->rows; ++m) {
                double *w = ewald->weights[ewald->n_places + m];
                w[0] = weigh(ewald, lattice, damping, k_cut, (const int32_t[3]){na, nb, m});
                w[1] = m == 0
                           ? 0
                           : weigh(ewald, lattice, damping, k_cut, (const int32_t[3]){na, nb, -m});
            }
            if (ewald->rows)
                ewald->rows[ewald->n_rows] = (cpu_kvec_row){{na, nb}, last, ewald->n_places};
            ++ewald->n_rows;
            ewald->n_places += last + 1;
        }
}

static const ewald_costs costs = {EWALD_COSTS, .most = 1 << 20};

static shoal_status init_volume(cpu_ewald *ewald, const geom_lattice *lattice, double damping,
                                double k_cut, arena *memory)
{
    int longest = 0;
    for (int k = 1; k < 3; ++k)
        if (vector_norm(lattice->a[k]) > vector_norm(lattice->a[longest])) longest = k;
    for (int k = 0; k < 3; ++k) {
        ewald->axis[k] = (longest + 1 + k) % 3;
        ewald->last[k] = (int32_t)floor(k_cut * vector_norm(lattice->a[ewald->axis[k]]) / (2 * PI));
    }
    list_rows(ewald, lattice, damping, k_cut);
    ewald->weights = arena_alloc(memory, (size_t)ewald->n_places, sizeof *ewald->weights);
    ewald->rows = arena_alloc(memory, (size_t)ewald->n_rows, sizeof *ewald->rows);
    if (!ewald->rows || !ewald->weights) return SHOAL_E_MEMORY;
    list_rows(ewald, lattice, damping, k_cut);
    return SHOAL_OK;
}

static shoal_status init_slab(cpu_ewald *ewald, const geom_lattice *lattice, double k_cut,
                              arena *memory)
{
    const int normal = !lattice->pbc[0] ? 0 : !lattice->pbc[1] ? 1 : 2;
    for (int k = 0; k < 3; ++k) ewald->axis[k] = (normal + 1 + k) % 3;
    for (int k = 0; k < 2; ++k)
        ewald->last[k] = (int32_t)floor(k_cut * vector_norm(lattice->a[ewald->axis[k]]) / (2 * PI));
    const size_t most = (size_t)(ewald->last[0] + 1) * (size_t)(2 * ewald->last[1] + 1);
    ewald->kvecs = arena_alloc(memory, most, sizeof *ewald->kvecs);
    if (!ewald->kvecs) return SHOAL_E_MEMORY;
    for (int32_t na = 0; na <= ewald->last[0]; ++na)
        for (int32_t nb = na > 0 ? -ewald->last[1] : 1; nb <= ewald->last[1]; ++nb) {
            const double k =
                sqrt(kvec_length2(lattice, ewald->axis, (const int32_t[3]){na, nb, 0}));
            if (k > k_cut) continue;
            ewald->kvecs[ewald->n_kvecs++] =
                (cpu_slab_kvec){{na, nb}, k, 2 * PI * COULOMB_CONSTANT / (lattice->measure * k)};
        }
    return SHOAL_OK;
}

shoal_status cpu_ewald_init(cpu_ewald *ewald, const geom_lattice *lattice,
                            const shoal_topology_view *view, const shoal_engine_options *options,
                            double tolerance, bool is_float, arena *memory)
{
    const double size = lattice->measure, damping = cpu_coulomb_damping(view, options);
    const int32_t n = view->n_atoms + view->n_sites;
    const bool slab = lattice->n_periodic == 2, chain = lattice->n_periodic == 1;
    *ewald = (cpu_ewald){0};
    if (chain) ewald->chain = ewald_chain_choose(size, tolerance, is_float);
    if (lattice->n_periodic == 3)
        ewald->mesh = ewald_mesh_decide(options->ewald, lattice, n, tolerance, &costs,
                                        ewald_plain_cost(lattice, n, tolerance, &costs));
    ewald->alpha = chain              ? ewald->chain.alpha
                   : ewald->mesh.n[0] ? ewald->mesh.alpha
                                      : ewald_balance(lattice->n_periodic, size, n);
    const double x = ewald_reach(tolerance), k_cut = 2 * ewald->alpha * x;
    ewald->r_cut = x / ewald->alpha;
    double charge = 0, squares = 0, slope;
    for (int32_t i = 0; i < n; ++i) {
        charge += view->charges[i];
        squares += view->charges[i] * view->charges[i];
    }
    ewald->constant =
        -0.5 * COULOMB_CONSTANT * squares * ewald_erf(ewald->alpha, damping * damping, &slope);
    if (slab) return init_slab(ewald, lattice, k_cut, memory);
    if (chain) {
        const int axis = lattice->pbc[0] ? 0 : lattice->pbc[1] ? 1 : 2;
        for (int k = 0; k < 3; ++k) ewald->axis[k] = (axis + k) % 3;
        ewald->constant += 0.5 * COULOMB_CONSTANT * charge * charge * ewald->chain.offset;
        return SHOAL_OK;
    }
    ewald->constant -=
        0.5 * COULOMB_CONSTANT * charge * charge * ewald_mean_erfc(ewald->alpha, damping) / size;
    if (ewald->mesh.n[0]) return SHOAL_OK;
    return init_volume(ewald, lattice, damping, k_cut, memory);
}
