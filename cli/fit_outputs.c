/* SPDX-License-Identifier: BSD-3-Clause
 * The files that 'shoal fit' will write, tried before it starts: a fit that cannot be kept is not worth
 * its time, and an input that is overwritten is gone. */
#include "fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "systems.h"

static int check_output(const fit_options *o, const char *path)
{
    const char *const inputs[] = {o->types, o->dofs, o->weights, o->map, o->start_from};
    bool taken = false;
    for (int k = 0; k < 5; ++k) taken = taken || (inputs[k] && shoal_path_is_same(path, inputs[k]));
    for (int k = 0; k < o->n_data; ++k) taken = taken || shoal_path_is_same(path, o->data[k].path);
    if (!taken && shoal_path_try(path) != SHOAL_OK) return complain_of_output();
    if (!taken) return EXIT_ALL_FINE;
    return cli_misuse("%s is an input, too; expected another name for the output", path);
}

static int check_figures(const fit_options *o)
{
    char *figure = malloc(strlen(o->plot) + 16);
    if (!figure) return EXIT_DEVICE;
    (void)sprintf(figure, "%s-scatter.svg", o->plot);
    const int code = check_output(o, figure);
    free(figure);
    return code;
}

enum { N = 6 };

static void list_outputs(const fit_options *o, const char *outputs[N])
{
    const char *const all[N] = {o->output,     o->table,  o->samples,
                                o->trajectory, o->frames, o->derivatives};
    memcpy((void *)outputs, all, sizeof all);
}

char *fit_checkpoint(const fit_options *o)
{
    const char *outputs[N];
    if (o->restart.checkpoint) return strdup(o->restart.checkpoint);
    list_outputs(o, outputs);
    for (int k = 0; k < N; ++k) {
        if (!outputs[k] || strcmp(outputs[k], "-") == 0 || strcmp(outputs[k], "/dev/null") == 0)
            continue;
        char *name = malloc(strlen(outputs[k]) + sizeof ".checkpoint");
        if (name) (void)sprintf(name, "%s.checkpoint", outputs[k]);
        return name;
    }
    return NULL;
}

int check_outputs(const fit_options *o)
{
    const char *outputs[N];
    list_outputs(o, outputs);
    for (int k = 0; k < N; ++k) {
        if (!outputs[k] || strcmp(outputs[k], "-") == 0) continue;
        const int code = check_output(o, outputs[k]);
        if (code != EXIT_ALL_FINE) return code;
        for (int j = 0; j < k; ++j)
            if (outputs[j] && shoal_path_is_same(outputs[j], outputs[k]) &&
                strcmp(outputs[k], "/dev/null") != 0)
                return cli_misuse("%s is named as an output twice", outputs[k]);
    }
    return o->plot ? check_figures(o) : EXIT_ALL_FINE;
}
