/* SPDX-License-Identifier: BSD-3-Clause
 * The memory that a plan asks for beside that of engines: by threads of the processor that have work. */
#include "chem_fixture.h"
#include "shoal/planner.h"
#include "shoal/topology.h"

enum { N = 250 };

/* Bytes of the host for N molecules of hydrogen. */
static int64_t host_bytes(const char *device, bool relaxes, int32_t n_threads)
{
    static shoal_stream_system systems[N];
    const shoal_engine_options options = {.device = device};
    shoal_molecule *mol = chem_drawn("H H", "0-1");
    shoal_topology *topology = NULL;
    shoal_planner *planner = NULL;
    shoal_need need = {0};
    mol->pos[1][0] = mol->pos[0][0] + 0.74;
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    for (int k = 0; k < N; ++k)
        systems[k] = (shoal_stream_system){.mol = mol, .topology = topology};
    CHECK(shoal_planner_create(&planner, &options, relaxes, n_threads) == SHOAL_OK);
    CHECK(shoal_planner_visit(planner, systems, N) == SHOAL_OK);
    CHECK(shoal_planner_finish(planner, &need) == SHOAL_OK);
    CHECK(need.systems == N && need.atoms == 2 * N);
    shoal_planner_destroy(planner);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
    return need.host_bytes;
}

/* MiB that the process may grow by meanwhile; sanitizers keep freed memory for a while. */
#ifdef __SANITIZE_ADDRESS__
#define GROWTH 4.0
#else
#define GROWTH 1.0
#endif

/* 3 MiB for a thread beside the first, 6 if it relaxes; with 250 systems there are two of them at most. */
int main(void)
{
    static const int32_t others[] = {0, 1, 2, 2};
    const double mib = 1 << 20;
    for (int relaxes = 0; relaxes < 2; ++relaxes) {
        (void)host_bytes("cpu", relaxes, 1);
        const int64_t one = host_bytes("cpu", relaxes, 1);
        for (int k = 0; k < 4; ++k)
            CHECK_NEAR((double)(host_bytes("cpu", relaxes, k + 1) - one) / mib,
                       (relaxes ? 6 : 3) * others[k], GROWTH);
    }
    return check_done();
}
