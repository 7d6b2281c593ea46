/* SPDX-License-Identifier: BSD-3-Clause
 * Compiling in processes of its own. */
#include "cl/cl_apart.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/kernel_choices.h"
#include "base/text.h"
#include "cl/cl_code.h"

#define TASK "task"

extern char **environ;

/* Starts a program without input and output, and waits for it; whether it ended with 0. */
static bool run(const char *path, char *const *arguments)
{
    posix_spawn_file_actions_t files;
    pid_t child;
    int how = 1;
    if (posix_spawn_file_actions_init(&files) != 0) return false;
    bool good = true;
    for (int fd = 0; fd < 3; ++fd)
        good = good && posix_spawn_file_actions_addopen(&files, fd, "/dev/null",
                                                        fd == 0 ? O_RDONLY : O_WRONLY, 0) == 0;
    good = good && posix_spawn(&child, path, &files, NULL, arguments, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&files);
    if (!good) return false;
    pid_t ended;
    while ((ended = waitpid(child, &how, 0)) < 0 && errno == EINTR) continue;
    return ended == child && WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

/* Device, name and options on lines of their own, then the source. */
static bool keep_task(cl_cache_key key, const cl_apart_task *task)
{
    const char *const parts[] = {task->device,  "\n", task->source_name, "\n",
                                 task->options, "\n", task->source};
    shoal_string text = {0};
    bool good = true;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0] && good; ++k)
        good = shoal_string_append(&text, shoal_span_of(parts[k])) == SHOAL_OK;
    good = good && cl_cache_store(key, TASK, text.data, text.size + 1); /* with its end */
    shoal_string_free(&text);
    return good;
}

bool cl_apart_compile(cl_cache_key key, const cl_apart_task *task)
{
    const char *program = kernel_choices_compiler();
    if (!*program || !keep_task(key, task)) return false;
    char path[4096], command[] = "compile-kernel";
    if (strlen(program) >= sizeof path) return false;
    strcpy(path, program);
    char *const arguments[] = {path, command, key.digest, NULL};
    const bool good = run(path, arguments);
    cl_cache_remove(key, TASK);
    return good;
}

/* Ends a line and returns the next one; NULL if there is none. */
static char *next_line(char *line)
{
    char *end = line ? strchr(line, '\n') : NULL;
    if (!end) return NULL;
    *end = '\0';
    return end + 1;
}

shoal_status cl_apart_work(cl_cache_key key)
{
    unsigned char *data;
    size_t size;
    if (!cl_cache_load(key, TASK, &data, &size) || size == 0)
        return shoal_fail(SHOAL_E_IO, "no kernel waits for being compiled as %s", key.digest);
    data[size - 1] = '\0';
    cl_apart_task task = {.device = (char *)data};
    char *line = next_line((char *)data);
    task.source_name = line;
    task.options = line = next_line(line);
    task.source = next_line(line);
    const shoal_status status =
        task.source && strncmp(task.device, "opencl:", strlen("opencl:")) == 0
            ? cl_code_compile(key, &task)
            : shoal_fail(SHOAL_E_FORMAT, "the task of %s is none", key.digest);
    free(data);
    return status;
}
