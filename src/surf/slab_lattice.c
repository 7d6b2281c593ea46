/* SPDX-License-Identifier: BSD-3-Clause
 * The cells of common surfaces. All layers are neutral and without a dipole along z, so that slabs of any
 * number of them are. */
#include "surf/slab.h"

#define ROOT_2 1.41421356237309504880
#define ROOT_3 1.73205080756887729353
#define ROOT_HALF 0.70710678118654752440
#define THIRD (1.0 / 3.0)
#define HEXAGONAL                                                                                  \
    {                                                                                              \
        0.5, 0.5 * ROOT_3                                                                          \
    }
#define SQUARE                                                                                     \
    {                                                                                              \
        0.0, 1.0                                                                                   \
    }
#define RECTANGLE                                                                                  \
    {                                                                                              \
        0.0, ROOT_2                                                                                \
    }

/* Rectangles of (110): a along [1-10], b along [001]; those of bcc (110) the other way round and centred.
 * A layer of fluorite (111) is B-A-B: the only cut that leaves no dipole (Tasker, J. Phys. C 12 (1979) 4977,
 * type 2), a/(4 sqrt(3)) between its planes. */
static const slab_pattern patterns[SHOAL_N_SLABS] = {
    [SHOAL_SLAB_ROCKSALT] = {"(001)", .edge2 = 0.5, .b = SQUARE, .spacing = 0.5,
                             .shift = {0.5, 0.5}, .period = 2, .n_sites = 2, .n_elements = 2,
                             .n_b = 1, .elements = {11, 17}, .layers = 3,
                             .sites = {{0.0, 0.0, 0.0, 0}, {0.5, 0.5, 0.0, 1}}},
    [SHOAL_SLAB_FCC100] = {"(100)", .edge2 = 0.5, .b = SQUARE, .spacing = 0.5, .shift = {0.5, 0.5},
                           .period = 2, .n_sites = 1, .n_elements = 1, .elements = {79},
                           .layers = 3},
    [SHOAL_SLAB_FCC111] = {"(111)", .edge2 = 0.5, .b = HEXAGONAL, .spacing = 1.0 / ROOT_3,
                           .shift = {THIRD, THIRD}, .period = 3, .n_sites = 1, .n_elements = 1,
                           .elements = {79}, .layers = 3},
    [SHOAL_SLAB_GRAPHENE] = {"graphene", .is_sheet = true, .edge2 = 1.0, .b = HEXAGONAL,
                             .shift = {THIRD, THIRD}, .period = 2, .n_sites = 2, .n_elements = 1,
                             .elements = {6}, .layers = 1,
                             .sites = {{0.0, 0.0, 0.0, 0}, {THIRD, THIRD, 0.0, 0}}},
    [SHOAL_SLAB_FCC110] = {"(110)", .edge2 = 0.5, .b = RECTANGLE, .spacing = 0.5 * ROOT_HALF,
                           .shift = {0.5, 0.5}, .period = 2, .n_sites = 1, .n_elements = 1,
                           .elements = {79}, .layers = 3},
    [SHOAL_SLAB_BCC100] = {"(100)", .edge2 = 1.0, .b = SQUARE, .spacing = 0.5, .shift = {0.5, 0.5},
                           .period = 2, .n_sites = 1, .n_elements = 1, .elements = {26},
                           .layers = 3},
    [SHOAL_SLAB_BCC110] = {"(110)", .edge2 = 1.0, .b = RECTANGLE, .spacing = ROOT_HALF,
                           .shift = {0.0, 0.5}, .period = 2, .n_sites = 2, .n_elements = 1,
                           .elements = {26}, .layers = 3,
                           .sites = {{0.0, 0.0, 0.0, 0}, {0.5, 0.5, 0.0, 0}}},
    [SHOAL_SLAB_BCC111] = {"(111)", .edge2 = 2.0, .b = HEXAGONAL, .spacing = ROOT_3 / 6.0,
                           .shift = {THIRD, THIRD}, .period = 3, .n_sites = 1, .n_elements = 1,
                           .elements = {26}, .layers = 6},
    [SHOAL_SLAB_HCP0001] = {"(0001)", .edge2 = 1.0, .b = HEXAGONAL, .shift = {THIRD, THIRD},
                            .period = 2, .n_sites = 1, .n_elements = 1, .elements = {22},
                            .layers = 3},
    [SHOAL_SLAB_ROCKSALT110] = {"(110)", .edge2 = 0.5, .b = RECTANGLE, .spacing = 0.5 * ROOT_HALF,
                                .shift = {0.5, 0.5}, .period = 2, .n_sites = 2, .n_elements = 2,
                                .n_b = 1, .elements = {11, 17}, .layers = 4,
                                .sites = {{0.0, 0.0, 0.0, 0}, {0.0, 0.5, 0.0, 1}}},
    [SHOAL_SLAB_FLUORITE111] = {"(111)", .edge2 = 0.5, .b = HEXAGONAL, .spacing = 1.0 / ROOT_3,
                                .shift = {THIRD, THIRD}, .period = 3, .n_sites = 3, .n_elements = 2,
                                .n_b = 2, .elements = {20, 9}, .layers = 2,
                                .sites = {{2 * THIRD, 2 * THIRD, 0.0, 1},
                                          {0.0, 0.0, 0.25 / ROOT_3, 0},
                                          {THIRD, THIRD, 0.5 / ROOT_3, 1}}},
    [SHOAL_SLAB_FLUORITE110] =
        {"(110)", .edge2 = 0.5, .b = RECTANGLE, .spacing = 0.5 * ROOT_HALF, .shift = {0.5, 0.5},
         .period = 2, .n_sites = 3, .n_elements = 2, .n_b = 2, .elements = {20, 9}, .layers = 4,
         .sites = {{0.0, 0.0, 0.0, 0}, {0.5, 0.25, 0.0, 1}, {0.5, 0.75, 0.0, 1}}},
    [SHOAL_SLAB_BORON_NITRIDE] = {"h-BN", .is_sheet = true, .swaps = true, .edge2 = 1.0,
                                  .b = HEXAGONAL, .period = 2, .n_sites = 2, .n_elements = 2,
                                  .n_b = 1, .elements = {5, 7}, .layers = 1,
                                  .sites = {{0.0, 0.0, 0.0, 0}, {THIRD, THIRD, 0.0, 1}}},
};

const slab_pattern *slab_pattern_of(shoal_slab_kind kind)
{
    return (int)kind >= 0 && kind < SHOAL_N_SLABS ? &patterns[kind] : NULL;
}

int32_t shoal_slab_elements(shoal_slab_kind kind)
{
    const slab_pattern *p = slab_pattern_of(kind);
    return p ? p->n_elements : 0;
}
