/* SPDX-License-Identifier: BSD-3-Clause
 * Labels that stand for others. */
#include "fit/label_map.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "io/input.h"

static shoal_status take_label(shoal_input *in, shoal_span word, char out[SHOAL_TYPE_NAME_SIZE])
{
    if (word.size == 0)
        return shoal_input_fail(in, word, "too few columns", "two labels: in the data, to use");
    if (word.size >= SHOAL_TYPE_NAME_SIZE)
        return shoal_input_fail(in, word, "label too long", "at most %d characters",
                                SHOAL_TYPE_NAME_SIZE - 1);
    memcpy(out, word.text, word.size);
    out[word.size] = '\0';
    return SHOAL_OK;
}

static shoal_status read_pair(label_map *map, shoal_input *in, shoal_span line)
{
    label_pair pair;
    const shoal_span first = shoal_span_word(&line);
    if (first.size == 0 || first.text[0] == '#') return SHOAL_OK;
    SHOAL_TRY(take_label(in, first, pair.from));
    SHOAL_TRY(take_label(in, shoal_span_word(&line), pair.to));
    const shoal_span more = shoal_span_word(&line);
    if (more.size > 0 && more.text[0] != '#')
        return shoal_input_fail(in, more, "too many columns", "two labels: in the data, to use");
    for (int32_t k = 0; k < map->n; ++k)
        if (strcmp(map->pairs[k].from, pair.from) == 0)
            return shoal_input_fail(in, first, "label mapped twice", "every label once");
    SHOAL_TRY(SHOAL_RESERVE(&map->pairs, &map->capacity, map->n + 1));
    map->pairs[map->n++] = pair;
    return SHOAL_OK;
}

shoal_status label_map_read(label_map *map, const char *path)
{
    shoal_input *in;
    bool found = true;
    SHOAL_TRY(shoal_input_open(&in, path, NULL));
    shoal_status status = SHOAL_OK;
    while (status == SHOAL_OK && found) {
        shoal_span line;
        status = shoal_input_line(in, &line, &found);
        if (status == SHOAL_OK && found) status = read_pair(map, in, line);
    }
    shoal_input_destroy(in);
    return status;
}

void label_map_free(label_map *map)
{
    free(map->pairs);
    *map = (label_map){0};
}

shoal_span label_map_find(const label_map *map, shoal_span label)
{
    for (int32_t k = 0; k < map->n; ++k)
        if (shoal_span_equal(label, map->pairs[k].from)) return shoal_span_of(map->pairs[k].to);
    return label;
}
