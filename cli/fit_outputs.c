/* SPDX-License-Identifier: BSD-3-Clause
 * The files that 'shoal fit' will write, tried before it starts: a fit that cannot be kept is not worth
 * its time, and an input that is overwritten is gone. */
#define _GNU_SOURCE /* realpath */
#include "fit_outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A new file can be made beside the final one, which it will replace; that of a link is its target. */
static bool can_make(const char *path)
{
    char *real = realpath(path, NULL);
    const char *name = real ? real : path;
    char *part = malloc(strlen(name) + 32);
    int fd = -1, code = ENOMEM;
    if (part) {
        (void)sprintf(part, "%s.try-%ld", name, (long)getpid());
        fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        code = errno;
    }
    if (fd >= 0) {
        (void)close(fd);
        (void)unlink(part);
    }
    free(real);
    free(part);
    errno = code;
    return fd >= 0;
}

static int try_output(const char *path)
{
    struct stat info;
    const bool there = stat(path, &info) == 0;
    bool fine;
    if (there && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        fine = false;
    } else if (there && !S_ISREG(info.st_mode)) {
        fine = access(path, W_OK) == 0;
    } else {
        fine = can_make(path);
    }
    if (fine) return EXIT_ALL_FINE;
    cli_complain("%s: cannot write: %s", path, strerror(errno));
    return EXIT_FILES;
}

static int check_output(const fit_options *o, const char *path)
{
    const char *const inputs[] = {o->types, o->dofs, o->weights, o->map};
    bool taken = false;
    for (int k = 0; k < 4; ++k) taken = taken || (inputs[k] && shoal_path_is_same(path, inputs[k]));
    for (int k = 0; k < o->n_data; ++k) taken = taken || shoal_path_is_same(path, o->data[k].path);
    if (!taken) return try_output(path);
    cli_complain("%s is an input, too; expected another name for the output", path);
    return EXIT_USAGE;
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

int check_outputs(const fit_options *o)
{
    const char *const outputs[] = {o->output,     o->table,  o->samples,
                                   o->trajectory, o->frames, o->derivatives};
    enum { N = (int)(sizeof outputs / sizeof outputs[0]) };
    for (int k = 0; k < N; ++k) {
        if (!outputs[k] || strcmp(outputs[k], "-") == 0) continue;
        const int code = check_output(o, outputs[k]);
        if (code != EXIT_ALL_FINE) return code;
        for (int j = 0; j < k; ++j)
            if (outputs[j] && shoal_path_is_same(outputs[j], outputs[k]) &&
                strcmp(outputs[k], "/dev/null") != 0) {
                cli_complain("%s is named as an output twice", outputs[k]);
                return EXIT_USAGE;
            }
    }
    return o->plot ? check_figures(o) : EXIT_ALL_FINE;
}
