/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzz target: files of results, their records and the molecules made of these. */
#include "fuzz_file.h"
#include "results/results_record.h"

static void read_all(shoal_results_reader *reader)
{
    const int64_t n = shoal_results_n_systems(reader);
    shoal_results_header header;
    shoal_string *record = NULL;
    shoal_molecule *mol = NULL;
    if (shoal_string_create(&record) != SHOAL_OK || shoal_molecule_create(&mol) != SHOAL_OK)
        abort();
    fuzz_judge(shoal_results_header_get(reader, &header));
    for (int64_t i = 0; i < n && i < 100; ++i) {
        int64_t index;
        size_t length;
        shoal_string_clear(record);
        const shoal_status status = shoal_results_read(reader, i, record);
        fuzz_judge(status);
        if (status != SHOAL_OK) continue;
        const shoal_span bytes = {shoal_string_data(record), shoal_string_size(record)};
        if (shoal_results_record_index(bytes.text, bytes.size, &index, &length) != SHOAL_OK ||
            length != bytes.size)
            abort();
        fuzz_judge(results_make_molecule(bytes, "", NULL, mol));
    }
    shoal_molecule_destroy(mol);
    shoal_string_destroy(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz_base base;
    char path[64];
    shoal_results_reader *reader = NULL;
    if (!base.bytes) base = fuzz_base_read("results.h5.gz");
    const int id = fuzz_file(&base, data, size, path);
    fuzz_judge(shoal_results_open(&reader, path));
    if (reader) read_all(reader);
    shoal_results_reader_destroy(reader);
    (void)close(id);
    return 0;
}
