/* SPDX-License-Identifier: BSD-3-Clause
 * Labels that stand for others: a file of two columns, '#' starts a comment. */
#ifndef SHOAL_FIT_LABEL_MAP_H
#define SHOAL_FIT_LABEL_MAP_H

#include "base/text.h"
#include "shoal/atom_types.h"

typedef struct label_pair {
    char from[SHOAL_TYPE_NAME_SIZE], to[SHOAL_TYPE_NAME_SIZE];
} label_pair;

typedef struct label_map {
    label_pair *pairs;
    int32_t n, capacity;
} label_map;

/* Adds the pairs of a file; a label may stand on the left once. */
shoal_status label_map_read(label_map *map, const char *path);
void label_map_free(label_map *map);
/* What a label stands for: itself, if it is not in the map. */
shoal_span label_map_find(const label_map *map, shoal_span label);

#endif
