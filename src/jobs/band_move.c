/* SPDX-License-Identifier: BSD-3-Clause
 * Last ends of bands that come of the first ones by a hop, a turn, or both. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "shoal/band.h"
#include "shoal/engine.h"

#include "constants.h"

static bool is_held(const shoal_band *band, int32_t i)
{
    return band->fixed && band->fixed[i];
}

/* Fixed atoms stay where they are. */
static void move_atoms(const shoal_band *band, int32_t n, const shoal_band_move *move,
                       double (*out)[3])
{
    const double angle = move->turn * PI / 180, c = cos(angle), s = sin(angle);
    double middle[2] = {0, 0};
    int32_t n_free = 0;
    for (int32_t i = 0; i < n; ++i) n_free += !is_held(band, i);
    for (int32_t i = 0; i < n; ++i)
        for (int x = 0; x < 2 && !is_held(band, i); ++x) middle[x] += band->first[i][x] / n_free;
    for (int32_t i = 0; i < n; ++i) {
        memcpy(out[i], band->first[i], sizeof out[i]);
        if (is_held(band, i)) continue;
        const double dx = band->first[i][0] - middle[0], dy = band->first[i][1] - middle[1];
        out[i][0] = middle[0] + c * dx - s * dy + move->shift[0];
        out[i][1] = middle[1] + s * dx + c * dy + move->shift[1];
        out[i][2] = band->first[i][2] + move->shift[2];
    }
}

static shoal_status add_ends(const shoal_band *bands, int32_t n_bands, const shoal_band_move *move,
                             shoal_batch *batch, double (*out)[3])
{
    for (int32_t k = 0; k < n_bands; ++k) {
        shoal_topology_view v;
        if (!bands[k].topology || !bands[k].first)
            return shoal_fail(SHOAL_E_ARGUMENT, "band %d: no topology or no first end", k);
        shoal_topology_get(bands[k].topology, &v);
        move_atoms(&bands[k], v.n_atoms, move, out);
        const shoal_system system = {.topology = bands[k].topology,
                                     .pos = (const double(*)[3])out,
                                     .cell = bands[k].cell,
                                     .fixed = bands[k].fixed};
        SHOAL_TRY(shoal_batch_add(batch, &system));
        out += v.n_atoms;
    }
    return SHOAL_OK;
}

static shoal_status relax_ends(const shoal_band *bands, const shoal_batch *batch,
                               const shoal_engine_options *options,
                               const shoal_relax_options *relax, shoal_band_ends *out)
{
    double(*to)[3] = out->last;
    shoal_engine *engine = NULL;
    shoal_status status = shoal_engine_create(&engine, batch, options);
    if (status == SHOAL_OK) status = shoal_engine_relax(engine, relax, NULL, NULL);
    out->n_failed = 0;
    for (int32_t k = 0; k < shoal_batch_size(batch) && status == SHOAL_OK; ++k) {
        shoal_topology_view v;
        shoal_result r;
        shoal_topology_get(bands[k].topology, &v);
        status = shoal_engine_result(engine, k, &r);
        const double(*pos)[3] = shoal_engine_positions(engine, k);
        if (status != SHOAL_OK || !pos) break;
        memcpy(to, pos, (size_t)v.n_atoms * sizeof *to);
        to += v.n_atoms;
        out->n_failed += r.status != SHOAL_SYSTEM_CONVERGED;
    }
    shoal_engine_destroy(engine);
    return status;
}

shoal_status shoal_bands_move(const shoal_band *bands, int32_t n_bands, const shoal_band_move *move,
                              const shoal_engine_options *engine, const shoal_relax_options *relax,
                              shoal_band_ends *out)
{
    shoal_clear_error();
    SHOAL_NEED(bands && move && out && out->last);
    shoal_batch *batch = NULL;
    for (int x = 0; x < 3; ++x)
        if (!isfinite(move->shift[x]) || !isfinite(move->turn))
            return shoal_fail(SHOAL_E_ARGUMENT, "bands: the move is not finite");
    SHOAL_TRY(shoal_batch_create(&batch));
    shoal_status status = add_ends(bands, n_bands, move, batch, out->last);
    if (status == SHOAL_OK) status = relax_ends(bands, batch, engine, relax, out);
    shoal_batch_destroy(batch);
    return status;
}
