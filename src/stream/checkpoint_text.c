/* SPDX-License-Identifier: BSD-3-Clause
 * What a checkpoint says. It is a list of items, "key number" each on a line, texts with their bytes behind that line;
 * the last item is a checksum of all before it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "stream/checkpoint.h"

/* --- writing ------------------------------------------------------------------------------------- */

static void put_integer(shoal_string *out, const char *key, int64_t value)
{
    char line[64];
    (void)snprintf(line, sizeof line, "%s %" PRId64 "\n", key, value);
    shoal_string_put_text(out, line);
}

static void put_bytes(shoal_string *out, const char *key, const char *bytes, size_t n)
{
    put_integer(out, key, (int64_t)n);
    shoal_string_put(out, bytes, n);
    shoal_string_put_text(out, "\n");
}

static void put_text(shoal_string *out, const char *key, const char *text)
{
    put_bytes(out, key, text ? text : "", text ? strlen(text) : 0);
}

static void put_counts(shoal_string *out, const shoal_run_counts *c)
{
    put_integer(out, "done", c->done);
    put_integer(out, "failed", c->failed);
    put_integer(out, "unreadable", c->unreadable);
    put_integer(out, "warned", c->warned);
    put_integer(out, "refused", c->refused);
    put_integer(out, "no_hydrogens", c->no_hydrogens);
    for (int k = 0; k < SHOAL_N_CHARGE_SOURCES; ++k) put_integer(out, "charges", c->charges[k]);
    put_integer(out, "evaluations", c->evaluations);
    put_integer(out, "microseconds", (int64_t)(1e6 * c->seconds));
}

static void put_files(shoal_string *out, const checkpoint *c)
{
    put_integer(out, "inputs", c->n_inputs);
    for (int64_t k = 0; k < c->n_inputs; ++k) {
        put_text(out, "path", c->inputs[k].path);
        put_integer(out, "size", c->inputs[k].size);
        put_integer(out, "hash", (int64_t)c->inputs[k].hash);
    }
    put_integer(out, "outputs", c->n_outputs);
    for (int64_t k = 0; k < c->n_outputs; ++k) {
        put_text(out, "path", c->outputs[k].path);
        put_text(out, "form", c->outputs[k].form);
        put_integer(out, "size", c->outputs[k].size);
        put_integer(out, "hash", (int64_t)c->outputs[k].hash);
    }
}

void checkpoint_format(const checkpoint *c, shoal_string *out)
{
    shoal_string_put_text(out, CHECKPOINT_MAGIC);
    put_text(out, "version", c->version);
    put_text(out, "about", c->about);
    put_text(out, "options", c->digest);
    put_files(out, c);
    put_integer(out, "next", c->next);
    put_integer(out, "complete", c->complete);
    put_counts(out, &c->counts);
    put_integer(out, "rows_device", c->rows_device);
    put_integer(out, "rows_inode", c->rows_inode);
    put_integer(out, "rows_size", c->rows_size);
    put_integer(out, "frames", c->frames);
    put_integer(out, "state_index", c->state ? c->state_index : -1);
    put_bytes(out, "state", c->state ? c->state : "", c->state ? c->state_size : 0);
    put_integer(out, "checksum",
                (int64_t)hash_bytes(HASH_START, shoal_string_data(out), shoal_string_size(out)));
}

/* --- reading ------------------------------------------------------------------------------------- */

/* What is left of the text; ok turns false at the first item that is not as expected. */
typedef struct items {
    const char *at, *end;
    bool ok;
} items;

static int64_t take_integer(items *in, const char *key)
{
    const size_t n = strlen(key);
    char line[64];
    const char *newline = in->ok ? memchr(in->at, '\n', (size_t)(in->end - in->at)) : NULL;
    in->ok = newline && (size_t)(newline - in->at) > n + 1 &&
             (size_t)(newline - in->at) < sizeof line && memcmp(in->at, key, n) == 0 &&
             in->at[n] == ' ';
    if (!in->ok) return 0;
    memcpy(line, in->at + n + 1, (size_t)(newline - in->at) - n - 1);
    line[(size_t)(newline - in->at) - n - 1] = '\0';
    char *rest;
    errno = 0;
    const long long value = strtoll(line, &rest, 10);
    in->ok = *rest == '\0' && errno == 0;
    in->at = newline + 1;
    return value;
}

/* A copy with an end; the caller frees it. */
static char *take_bytes(items *in, const char *key, size_t *size)
{
    const int64_t n = take_integer(in, key);
    in->ok = in->ok && n >= 0 && n < in->end - in->at && in->at[n] == '\n';
    char *copy = in->ok ? malloc((size_t)n + 1) : NULL;
    in->ok = copy != NULL;
    if (!copy) return NULL;
    memcpy(copy, in->at, (size_t)n);
    copy[n] = '\0';
    in->at += n + 1;
    *size = (size_t)n;
    return copy;
}

/* A text without zeros inside. */
static char *take_text(items *in, const char *key)
{
    size_t size = 0;
    char *text = take_bytes(in, key, &size);
    in->ok = in->ok && strlen(text) == size;
    return text;
}

static void take_digest(items *in, const char *key, char out[65])
{
    char *text = take_text(in, key);
    in->ok = in->ok && strlen(text) < 65;
    if (in->ok) memcpy(out, text, strlen(text) + 1);
    free(text);
}

/* Memory for as many as there are said to be: each takes a line at least. */
static void *take_list(items *in, const char *key, size_t size, int64_t *n)
{
    *n = take_integer(in, key);
    in->ok = in->ok && *n >= 0 && *n <= in->end - in->at;
    void *list = in->ok ? calloc((size_t)*n + 1, size) : NULL;
    in->ok = list != NULL;
    if (!in->ok) *n = 0;
    return list;
}

static void take_files(items *in, checkpoint *c)
{
    c->inputs = take_list(in, "inputs", sizeof *c->inputs, &c->n_inputs);
    for (int64_t k = 0; k < c->n_inputs && in->ok; ++k) {
        c->inputs[k].path = take_text(in, "path");
        c->inputs[k].size = take_integer(in, "size");
        c->inputs[k].hash = (uint64_t)take_integer(in, "hash");
    }
    c->outputs = take_list(in, "outputs", sizeof *c->outputs, &c->n_outputs);
    for (int64_t k = 0; k < c->n_outputs && in->ok; ++k) {
        c->outputs[k].path = take_text(in, "path");
        c->outputs[k].form = take_text(in, "form");
        c->outputs[k].size = take_integer(in, "size");
        c->outputs[k].hash = (uint64_t)take_integer(in, "hash");
    }
}

static void take_counts(items *in, shoal_run_counts *c)
{
    c->done = take_integer(in, "done");
    c->failed = take_integer(in, "failed");
    c->unreadable = take_integer(in, "unreadable");
    c->warned = take_integer(in, "warned");
    c->refused = take_integer(in, "refused");
    c->no_hydrogens = take_integer(in, "no_hydrogens");
    for (int k = 0; k < SHOAL_N_CHARGE_SOURCES; ++k) c->charges[k] = take_integer(in, "charges");
    c->evaluations = take_integer(in, "evaluations");
    c->seconds = 1e-6 * (double)take_integer(in, "microseconds");
}

static void take_progress(items *in, checkpoint *c)
{
    c->next = take_integer(in, "next");
    c->complete = take_integer(in, "complete") != 0;
    take_counts(in, &c->counts);
    c->rows_device = take_integer(in, "rows_device");
    c->rows_inode = take_integer(in, "rows_inode");
    c->rows_size = take_integer(in, "rows_size");
    c->frames = take_integer(in, "frames");
    c->state_index = take_integer(in, "state_index");
    c->state = take_bytes(in, "state", &c->state_size);
    if (!in->ok || c->state_index >= 0) return;
    free(c->state);
    c->state = NULL;
}

shoal_status checkpoint_parse(checkpoint *c, const char *bytes, size_t size)
{
    const size_t n = strlen(CHECKPOINT_MAGIC);
    items in = {bytes, bytes + size, size > n && memcmp(bytes, CHECKPOINT_MAGIC, n) == 0};
    *c = (checkpoint){0};
    if (in.ok) in.at += n;
    c->version = take_text(&in, "version");
    c->about = take_text(&in, "about");
    take_digest(&in, "options", c->digest);
    take_files(&in, c);
    take_progress(&in, c);
    const char *before = in.at;
    const uint64_t sum = (uint64_t)take_integer(&in, "checksum");
    if (in.ok && sum == hash_bytes(HASH_START, bytes, (size_t)(before - bytes))) return SHOAL_OK;
    checkpoint_free(c);
    return shoal_fail(SHOAL_E_FORMAT, "the checkpoint is damaged");
}

void checkpoint_free(checkpoint *c)
{
    for (int64_t k = 0; c->inputs && k < c->n_inputs; ++k) free(c->inputs[k].path);
    for (int64_t k = 0; c->outputs && k < c->n_outputs; ++k) {
        free(c->outputs[k].path);
        free(c->outputs[k].form);
    }
    free(c->inputs);
    free(c->outputs);
    free(c->version);
    free(c->about);
    free(c->state);
    *c = (checkpoint){0};
}

/* --- comparing ----------------------------------------------------------------------------------- */

static shoal_status refuse(const char *path, const char *why, const char *detail)
{
    return shoal_fail(SHOAL_E_ARGUMENT, "%s: %s%s%s", path, why, *detail ? ": " : "", detail);
}

/* The line that begins there, and the place behind it. */
static shoal_span take_line(const char **text)
{
    const size_t n = strcspn(*text, "\n");
    const shoal_span line = {*text, n};
    *text += n + ((*text)[n] == '\n');
    return line;
}

static bool is_same(shoal_span a, shoal_span b)
{
    return a.size == b.size && memcmp(a.text, b.text, a.size) == 0;
}

static shoal_span key_of(shoal_span line)
{
    return shoal_span_word(&line);
}

/* The first line that is the same, or of which the key alone is. */
static bool find_line(const char *text, shoal_span line, bool by_key, shoal_span *found)
{
    while (*text) {
        *found = take_line(&text);
        if (by_key ? is_same(key_of(*found), key_of(line)) : is_same(*found, line)) return true;
    }
    return false;
}

/* The first line of one that the other lacks. */
static bool find_odd(const char *text, const char *other, shoal_span *odd)
{
    shoal_span found;
    while (*text) {
        *odd = take_line(&text);
        if (!find_line(other, *odd, false, &found)) return true;
    }
    return false;
}

static shoal_status compare_about(const char *then, const char *now, const char *path)
{
    shoal_span a, b;
    if (strcmp(then, now) == 0) return SHOAL_OK;
    const bool lacks = find_odd(then, now, &a);
    if (lacks && find_line(now, a, true, &b)) {
        const shoal_span key = shoal_span_word(&a);
        (void)shoal_span_word(&b);
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "%s is of another run: %.*s was%.*s there and is%.*s now", path,
                          (int)key.size, key.text, (int)a.size, a.text, (int)b.size, b.text);
    }
    if (!lacks && !find_odd(now, then, &a))
        return shoal_fail(SHOAL_E_ARGUMENT, "%s is of another run: options in another order", path);
    return shoal_fail(SHOAL_E_ARGUMENT, "%s is of another run, %s '%.*s'", path,
                      lacks ? "with" : "without", (int)a.size, a.text);
}

static shoal_status compare_output(const checkpoint_output *then, const checkpoint_output *now,
                                   const char *path)
{
    if (strcmp(then->path, now->path) != 0)
        return refuse(path, "the checkpoint is of other outputs", then->path);
    if (strcmp(then->form, now->form) == 0) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "%s is of another run: %s was '%s' there and is '%s' now",
                      path, then->path, then->form, now->form);
}

/* Inputs of which nothing was computed may be others. */
static bool is_untouched(const checkpoint *c)
{
    return c->counts.done == 0 && !c->complete && !c->state;
}

static shoal_status compare_files(const checkpoint *then, const checkpoint *now, const char *path)
{
    if (then->n_inputs != now->n_inputs || then->n_outputs != now->n_outputs)
        return refuse(path, "the checkpoint is of other files", "");
    for (int64_t k = 0; k < then->n_outputs; ++k)
        SHOAL_TRY(compare_output(&then->outputs[k], &now->outputs[k], path));
    for (int64_t k = 0; k < then->n_inputs; ++k) {
        const checkpoint_input *a = &then->inputs[k], *b = &now->inputs[k];
        if (strcmp(a->path, b->path) != 0)
            return refuse(path, "the checkpoint is of other inputs", a->path);
        if (is_untouched(then)) continue;
        if (!a->hash || !b->hash)
            return refuse(path, "an input cannot be compared with that of the checkpoint", a->path);
        if (a->size != b->size || a->hash != b->hash)
            return refuse(path, "an input has changed since the checkpoint", a->path);
    }
    return SHOAL_OK;
}

shoal_status checkpoint_compare(const checkpoint *then, const checkpoint *now, const char *path)
{
    if (strcmp(then->version, now->version) != 0)
        return refuse(path, "the checkpoint is of another version", then->version);
    SHOAL_TRY(compare_about(then->about, now->about, path));
    SHOAL_TRY(compare_files(then, now, path));
    if (strcmp(then->digest, now->digest) == 0) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "%s is of another run: options, systems or parameters are not the same",
                      path);
}
