/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzz target: checkpoints. What is read says the same when it is written again. */
#include <stdlib.h>

#include "base/hash.h"
#include "stream/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* With its checksum put right, so that what is before it is looked at. */
static void read_on(const uint8_t *data, size_t size)
{
    checkpoint c;
    shoal_string text = {0}, again = {0};
    shoal_string_put(&text, (const char *)data, size);
    shoal_string_put_text(&text, "checksum ");
    shoal_string_put_integer(&text, (int64_t)hash_bytes(HASH_START, data, size));
    shoal_string_put_text(&text, "\n");
    if (checkpoint_parse(&c, shoal_string_data(&text), shoal_string_size(&text)) == SHOAL_OK) {
        checkpoint back;
        checkpoint_format(&c, &again);
        if (checkpoint_parse(&back, shoal_string_data(&again), shoal_string_size(&again)) !=
                SHOAL_OK ||
            back.next != c.next || back.state_size != c.state_size)
            abort();
        checkpoint_free(&back);
    }
    checkpoint_free(&c);
    shoal_string_free(&text);
    shoal_string_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    checkpoint c;
    if (checkpoint_parse(&c, (const char *)data, size) == SHOAL_OK) checkpoint_free(&c);
    read_on(data, size);
    return 0;
}
