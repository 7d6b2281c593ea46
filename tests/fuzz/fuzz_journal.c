/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzz target: journals of searches. */
#include "fuzz_file.h"

/* What a search that was told nonsense lists must be whole. */
static void look(shoal_search *search)
{
    shoal_search_counts counts;
    shoal_minimum minimum;
    shoal_molecule *mol = NULL;
    shoal_string *text = NULL;
    if (shoal_molecule_create(&mol) != SHOAL_OK || shoal_string_create(&text) != SHOAL_OK) abort();
    shoal_search_count(search, &counts);
    fuzz_judge(shoal_search_rank(search));
    for (int64_t i = 0; i < shoal_search_n_minima(search) && i < 50; ++i) {
        fuzz_judge(shoal_search_get(search, i, &minimum));
        fuzz_judge(shoal_search_record(search, i, text));
        fuzz_judge(shoal_search_molecule(search, i, "input", mol));
    }
    shoal_string_destroy(text);
    shoal_molecule_destroy(mol);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const shoal_search_options options = {.starts = 20, .patience = 10};
    shoal_search *search = NULL;
    if (size == 0) return 0;
    if (shoal_search_create(&search, &options) != SHOAL_OK) abort();
    fuzz_judge(shoal_search_replay(search, (const char *)data, size));
    look(search);
    shoal_search_destroy(search);
    return 0;
}
