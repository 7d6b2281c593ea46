/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzz target: input of fits. The first byte says what the rest is: types, frames or DOFs. */
#include <stdlib.h>
#include <string.h>

#include "shoal/fit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char types_text[] = "O_3 * O E 2 2 0 0 0.66 1.75 0.0026 -0.4 -0.5\n"
                                 "H_O * H E 1 0 0 0 0.35 1.40 0.0007  0.2  0.6\n";
static const char frame_text[] = "2\n# n0 1 Etot 0 x\nO_3 0 0 0\nH_O 0 0 2\n";

/* A failed call must say why. */
static void judge(shoal_status status)
{
    if ((status != SHOAL_OK) != (shoal_error_text()[0] != '\0')) abort();
}

static void read_types(const char *text, size_t size)
{
    shoal_atom_types *types = NULL, *copy = NULL;
    judge(shoal_atom_types_read_memory(&types, text, size, "types"));
    if (types) judge(shoal_atom_types_copy(&copy, types));
    shoal_atom_types_destroy(copy);
    shoal_atom_types_destroy(types);
}

static void read_data(const char *text, size_t size, bool dofs)
{
    shoal_atom_types *types = NULL;
    shoal_dataset *data = NULL;
    shoal_fit *fit = NULL;
    double j;
    judge(shoal_atom_types_read_memory(&types, types_text, strlen(types_text), "types"));
    if (types) judge(shoal_dataset_create(&data, types));
    if (data && !dofs) judge(shoal_dataset_add_memory(data, text, size, "frames", 1.0));
    if (data && dofs) {
        judge(shoal_dataset_add_memory(data, frame_text, strlen(frame_text), "frames", 1.0));
        judge(shoal_fit_create_memory(&fit, data, text, "dofs",
                                      &(shoal_fit_options){.n_threads = 1}));
        if (fit) judge(shoal_fit_objective(fit, &j, NULL));
    }
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
    shoal_atom_types_destroy(types);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(size + 1, 1);
    if (!text || size == 0) {
        free(text);
        return 0;
    }
    memcpy(text, data, size);
    if (text[0] == 't')
        read_types(text + 1, size - 1);
    else
        read_data(text + 1, size - 1, text[0] == 'd');
    free(text);
    return 0;
}
