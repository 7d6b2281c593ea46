/* SPDX-License-Identifier: BSD-3-Clause
 * The split of smooth particle-mesh Ewald sums: Essmann et al., J. Chem. Phys. 103 (1995) 8577. */
#include "geom/ewald_mesh.h"

#include <math.h>
#include <string.h>

#include "geom/ewald.h"
#include "geom/fft.h"
#include "geom/vector.h"

#define SHOAL_REAL double
#include "mesh_terms.h"

#include "constants.h"

/* Cut-offs that are tried, angstrom. */
#define LEAST_CUTOFF 4.0
#define MOST_CUTOFF 30.0
#define CUTOFF_STEP 0.25

/* Share of the tolerance that forces from a mesh may be off by in the worst mode. */
#define MESH_SHARE 0.03

/* The worst share that splines of an order let in of modes that count exp(-(b t)^2). */
static double worst_share(int32_t order, double b)
{
    double worst = 0;
    for (double t = 0.005; t <= 0.5; t += 0.005)
        worst = fmax(worst, exp(-b * b * t * t) * pow(t / (1 - t), order - 1));
    return worst;
}

/* A mode of wavelength h/t on a mesh of spacing h appears with all others that agree on the nodes; splines of an order
 * let the next one in, in forces, as (t/(1 - t))^(order - 1). With what the mode counts, exp(-(k/2 alpha)^2) =
 * exp(-(b t)^2), b = pi/(alpha h). Returns the least b, to 1 %, for which the worst mode is within a limit. */
static double needed_fineness(int32_t order, double limit)
{
    int least = 0, most = 1024; /* powers of 1.01 */
    while (least < most) {
        const int k = (least + most) / 2;
        if (worst_share(order, pow(1.01, k)) > limit)
            least = k + 1;
        else
            most = k;
    }
    return pow(1.01, least + 1);
}

static void set_nodes(const geom_lattice *lattice, double spacing, ewald_mesh *mesh)
{
    for (int k = 0; k < 3; ++k) {
        const double least = fmax(ceil(vector_norm(lattice->a[k]) / spacing), mesh->order);
        mesh->n[k] = fft_size((int32_t)fmin(least, 1 << 20));
        while (mesh->n[k] % 2) mesh->n[k] = fft_size(mesh->n[k] + 1);
    }
}

static double mesh_cost(const geom_lattice *lattice, double n, const ewald_mesh *mesh,
                        const ewald_costs *costs)
{
    const double nodes = (double)mesh->n[0] * mesh->n[1] * mesh->n[2];
    const double pairs = n * n / lattice->measure * 4 / 3 * PI * pow(mesh->r_cut, 3);
    return pairs + costs->node * n * pow(mesh->order, 3) + costs->wave * nodes * log2(nodes) +
           costs->fixed;
}

ewald_mesh ewald_mesh_choose(const geom_lattice *lattice, int32_t n_atoms, double tolerance,
                             const ewald_costs *costs)
{
    const double x = ewald_reach(tolerance);
    ewald_mesh best = {.cost = INFINITY};
    for (int32_t order = 4; order <= MESH_ORDER; order += 2) {
        const double b = needed_fineness(order, MESH_SHARE * tolerance);
        for (double r = LEAST_CUTOFF; r <= MOST_CUTOFF; r += CUTOFF_STEP) {
            ewald_mesh mesh = {.order = order, .alpha = x / r, .r_cut = r};
            set_nodes(lattice, PI / (mesh.alpha * b), &mesh);
            mesh.cost = mesh_cost(lattice, n_atoms, &mesh, costs);
            for (int k = 0; k < 3; ++k)
                if (mesh.n[k] > costs->most) mesh.cost = INFINITY;
            if (mesh.cost < best.cost) best = mesh;
        }
    }
    return best;
}

ewald_mesh ewald_mesh_decide(shoal_ewald asked, const geom_lattice *lattice, int32_t n_atoms,
                             double tolerance, const ewald_costs *costs, double plain_cost)
{
    const ewald_mesh none = {0};
    if (lattice->n_periodic != 3 || asked == SHOAL_EWALD_PLAIN) return none;
    const ewald_mesh mesh = ewald_mesh_choose(lattice, n_atoms, tolerance, costs);
    return mesh.cost < plain_cost || asked == SHOAL_EWALD_MESH ? mesh : none;
}

double ewald_plain_cost(const geom_lattice *lattice, int32_t n_atoms, double tolerance,
                        const ewald_costs *costs)
{
    const double n = n_atoms, alpha = ewald_balance(3, lattice->measure, n_atoms);
    const double x = ewald_reach(tolerance);
    const double kvecs = lattice->measure * pow(2 * alpha * x, 3) / (12 * PI * PI);
    return n * n / lattice->measure * 4 / 3 * PI * pow(x / alpha, 3) + costs->kvec * n * kvecs;
}

void ewald_mesh_moduli(int32_t n, int32_t order, double *out)
{
    double value[MESH_ORDER], slope[MESH_ORDER];
    mesh_spline(order, 0, value, slope);
    for (int32_t m = 0; m < n; ++m) {
        double re = 0, im = 0;
        for (int32_t t = 0; t < order; ++t) {
            const double phase = TWO_PI * (double)((int64_t)m * t % n) / n;
            re += value[t] * cos(phase);
            im += value[t] * sin(phase);
        }
        out[m] = 1 / (re * re + im * im);
    }
}

bool ewald_mesh_kvec(const geom_lattice *lattice, const int32_t n[3], const int32_t m[3],
                     double k[3])
{
    memset(k, 0, 3 * sizeof *k);
    for (int a = 0; a < 3; ++a) {
        const int32_t signed_m = 2 * m[a] < n[a] ? m[a] : m[a] - n[a];
        if (2 * m[a] == n[a]) return false;
        for (int c = 0; c < 3; ++c) k[c] += TWO_PI * signed_m * lattice->dual[a][c];
    }
    return m[0] || m[1] || m[2];
}
