/* SPDX-License-Identifier: BSD-3-Clause
 * What experts ask of kernels, by the environment. */
#include "base/kernel_choices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const char *named(const char *name)
{
    const char *text = getenv(name);
    return text ? text : "";
}

shoal_status kernel_choices_group(int32_t *out)
{
    const char *text = named("SHOAL_CL_GROUP");
    *out = 0;
    if (!*text) return SHOAL_OK;
    for (int32_t n = 32; n <= 256; n *= 2) {
        char number[12];
        (void)snprintf(number, sizeof number, "%d", (int)n);
        if (strcmp(text, number) == 0) *out = n;
    }
    return *out > 0 ? SHOAL_OK
                    : shoal_fail(SHOAL_E_ARGUMENT,
                                 "SHOAL_CL_GROUP is '%s', expected 32, 64, 128 or 256", text);
}

const char *kernel_choices_options(void)
{
    return named("SHOAL_CL_OPTIONS");
}

const char *kernel_choices_compiler(void)
{
    return named("SHOAL_CL_COMPILER");
}

void kernel_choices_text(const char *device, char *text, size_t size)
{
    const bool concerned = device && (strstr(device, "opencl") || strstr(device, "auto"));
    text[0] = '\0';
    if (!concerned) return;
    const char *group = named("SHOAL_CL_GROUP"), *options = named("SHOAL_CL_OPTIONS");
    (void)snprintf(text, size, "%s%s%s%s", *group ? "groups of " : "", group,
                   *group && *options ? ", " : "", options);
}
