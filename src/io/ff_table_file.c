/* SPDX-License-Identifier: BSD-3-Clause
 * Files of tables of force fields. */
#include "io/input.h"
#include "shoal/ff_table.h"

shoal_status shoal_ff_table_read(shoal_ff_table **out, const char *path)
{
    shoal_string text = {0};
    shoal_clear_error();
    SHOAL_NEED(out && path);
    *out = NULL;
    shoal_status status = shoal_input_whole(path, &text);
    if (status == SHOAL_OK)
        status = shoal_ff_table_read_memory(out, shoal_string_data(&text), shoal_string_size(&text),
                                            path);
    shoal_string_free(&text);
    return status;
}
