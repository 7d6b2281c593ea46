/* SPDX-License-Identifier: BSD-3-Clause
 * Files of topologies. */
#include "io/input.h"
#include "io/output.h"
#include "shoal/topology_builder.h"

shoal_status shoal_topology_read(shoal_topology **out, const char *path)
{
    shoal_string text = {0};
    shoal_clear_error();
    SHOAL_NEED(out && path);
    *out = NULL;
    shoal_status status = shoal_input_whole(path, &text);
    if (status == SHOAL_OK)
        status = shoal_topology_read_memory(out, shoal_string_data(&text), shoal_string_size(&text),
                                            path);
    shoal_string_free(&text);
    return status;
}

shoal_status shoal_topology_write(const shoal_topology *topology, const char *path)
{
    shoal_string text = {0};
    shoal_output *out;
    shoal_clear_error();
    SHOAL_NEED(topology && path);
    shoal_status status = shoal_topology_put(&text, topology);
    if (status == SHOAL_OK) status = shoal_output_open(&out, path);
    if (status == SHOAL_OK) {
        shoal_output_put(out, shoal_string_span(&text));
        status = shoal_output_close(out);
        shoal_output_destroy(out);
    }
    shoal_string_free(&text);
    return status;
}
