/* SPDX-License-Identifier: BSD-3-Clause
 * Messages between the ranks of a stream, written and read. */
#include "stream/stream_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/molecule.h"

/* --- writing ------------------------------------------------------------------------------------- */

static void put(shoal_string *out, int64_t value)
{
    shoal_string_put(out, (const char *)&value, sizeof value);
}

static void put_real(shoal_string *out, double value)
{
    shoal_string_put(out, (const char *)&value, sizeof value);
}

static void put_bytes(shoal_string *out, const char *bytes, size_t n)
{
    put(out, (int64_t)n);
    shoal_string_put(out, bytes, n);
    shoal_string_put(out, "", 1);
}

static void put_text(shoal_string *out, const char *text)
{
    put_bytes(out, text, strlen(text));
}

void message_begin(shoal_string *out, message_kind kind)
{
    shoal_string_clear(out);
    put(out, kind);
}

void message_put_status(shoal_string *out, shoal_status status, const char *error)
{
    put(out, status);
    put_text(out, error);
}

void message_put_state(shoal_string *out, int64_t index, shoal_span state)
{
    put(out, index);
    put_bytes(out, state.text, state.size);
}

void message_put_hello(shoal_string *out, const message_hello *hello)
{
    put(out, hello->n_threads);
    put(out, hello->n_room);
    put(out, hello->job);
    put(out, hello->n_sinks);
    put(out, hello->n_variants);
    put(out, hello->unit);
    put(out, hello->has_grid);
    message_put_status(out, hello->status, hello->error);
}

void message_put_records(shoal_string *out, int64_t id, const stream_records *r)
{
    put(out, id);
    put(out, r->i_file);
    put(out, r->format);
    put(out, r->file_start);
    put(out, r->n_passed);
    put(out, r->block.n);
    for (int32_t i = 0; i < r->block.n; ++i) {
        put(out, r->block.lines[i]);
        put(out, r->shares[i].number);
        put(out, r->shares[i].variant);
        put(out, r->shares[i].n);
        put(out, (int64_t)r->block.starts[i + 1]);
    }
    put_text(out, r->label);
    put_bytes(out, r->block.text, r->block.size);
}

enum { N_ELASTIC = 36 };

static void put_system(shoal_string *out, const shoal_stream_system *system)
{
    const shoal_result *r = &system->result;
    const int32_t n_numbers = r->terms && r->terms0 ? SHOAL_N_TERMS : 0;
    put(out, system->index);
    put(out, system->conformer);
    put(out, system->variant);
    put(out, system->n_variants);
    put(out, system->record);
    put(out, system->line);
    put(out, system->i_file);
    put(out, system->charges_from);
    put(out, r->status);
    put(out, r->steps);
    put(out, r->coulomb_sum);
    put_real(out, r->energy);
    put_real(out, r->energy0);
    put_real(out, r->fmax);
    for (int k = 0; k < 6; ++k) put_real(out, r->stress[k]);
    put_real(out, r->measure);
    put_real(out, r->measure0);
    put(out, r->n_symmetry);
    put_real(out, r->symmetry_moved);
    put_real(out, r->pressure);
    put_real(out, system->isolated_energy);
    put(out, system->isolated_start);
    put(out, n_numbers > 0 ? r->n_terms : 0);
    put(out, n_numbers);
    for (int32_t k = 0; k < n_numbers; ++k) put_real(out, r->terms[k]);
    for (int32_t k = 0; k < n_numbers; ++k) put_real(out, r->terms0[k]);
    put(out, r->elastic ? N_ELASTIC : 0);
    for (int32_t k = 0; k < N_ELASTIC && r->elastic; ++k) put_real(out, r->elastic[k / 6][k % 6]);
    put_text(out, r->reason);
    put_text(out, r->warning);
    put_text(out, system->device);
    put_text(out, shoal_molecule_name(system->mol));
    for (int k = 0; k < 3; ++k) put(out, system->mol->pbc[k]);
    put(out, system->refusal != NULL);
    put_text(out, system->refusal ? system->refusal : "");
}

/* The text of a sink, with the frames that wait in the spool. */
static void put_sink(shoal_string *out, const stream *s, const stream_block *b, int32_t k)
{
    const shoal_span text = shoal_string_span(b->texts[k]);
    shoal_string piece = {0};
    size_t at = 0, size = text.size;
    for (int32_t i = 0; i < b->n_frames; ++i)
        if (b->frames[i].sink == k) size += (size_t)b->frames[i].piece.size;
    put(out, (int64_t)size);
    for (int32_t i = 0; i < b->n_frames; ++i) {
        const stream_frames *f = &b->frames[i];
        if (f->sink != k) continue;
        shoal_string_put(out, text.text + at, f->at - at);
        at = f->at;
        const shoal_status status = spool_read(s->spool, &f->piece, &piece);
        if (status != SHOAL_OK) out->status = status;
        shoal_string_put(out, shoal_string_data(&piece), shoal_string_size(&piece));
    }
    shoal_string_put(out, text.text + at, text.size - at);
    shoal_string_put(out, "", 1);
    shoal_string_free(&piece);
}

void message_put_done(shoal_string *out, const stream *s, const stream_block *b,
                      const shoal_stream_progress *now, const shoal_stream_progress *before)
{
    put(out, b->id);
    put(out, now->n_computed - before->n_computed);
    put(out, now->n_failed - before->n_failed);
    put(out, now->n_evaluations - before->n_evaluations);
    for (int k = 0; k < SHOAL_N_STAGES; ++k) put_real(out, now->seconds[k] - before->seconds[k]);
    put(out, b->cut_short);
    message_put_status(out, b->status, b->error);
    put(out, b->n > b->n_passed ? b->n - b->n_passed : 0);
    for (int32_t i = b->n_passed; i < b->n; ++i) put_system(out, &b->systems[i]);
    for (int32_t k = 0; k < s->options->output.n_sinks; ++k) put_sink(out, s, b, k);
}

/* --- reading ------------------------------------------------------------------------------------- */

static void get_bytes(message_reader *in, void *to, size_t n)
{
    in->ok = in->ok && (size_t)(in->end - in->at) >= n;
    if (in->ok)
        memcpy(to, in->at, n);
    else
        memset(to, 0, n);
    if (in->ok) in->at += n;
}

static int64_t get(message_reader *in)
{
    int64_t value;
    get_bytes(in, &value, sizeof value);
    return value;
}

static double get_real(message_reader *in)
{
    double value;
    get_bytes(in, &value, sizeof value);
    return value;
}

/* A count of things that take at least size bytes each. */
static int32_t get_count(message_reader *in, size_t size)
{
    const int64_t n = get(in);
    in->ok = in->ok && n >= 0 && n <= INT32_MAX && (size_t)n <= (size_t)(in->end - in->at) / size;
    return in->ok ? (int32_t)n : 0;
}

/* Zero-terminated, and borrowed. */
static shoal_span get_span(message_reader *in)
{
    const int64_t n = get(in);
    in->ok = in->ok && n >= 0 && n < in->end - in->at && in->at[n] == '\0';
    if (!in->ok) return (shoal_span){"", 0};
    const shoal_span found = {in->at, (size_t)n};
    in->at += n + 1;
    return found;
}

message_kind message_open(message_reader *in, const shoal_string *message)
{
    const char *data = shoal_string_data(message);
    *in = (message_reader){data, data + shoal_string_size(message), true};
    return (message_kind)get(in);
}

shoal_status message_get_status(message_reader *in, const char **error)
{
    const shoal_status status = (shoal_status)get(in);
    *error = get_span(in).text;
    if (in->ok && status <= SHOAL_OK) return status;
    *error = "a message between ranks is damaged";
    return SHOAL_E_ARGUMENT;
}

bool message_get_hello(message_reader *in, message_hello *hello)
{
    hello->n_threads = get(in);
    hello->n_room = get(in);
    hello->job = get(in);
    hello->n_sinks = get(in);
    hello->n_variants = get(in);
    hello->unit = get(in);
    hello->has_grid = get(in);
    hello->status = message_get_status(in, &hello->error);
    return in->ok;
}

int64_t message_get_id(message_reader *in)
{
    return get(in);
}

static shoal_status damaged(void)
{
    return shoal_fail(SHOAL_E_ARGUMENT, "stream: a message between ranks is damaged");
}

shoal_status message_get_records(message_reader *in, int64_t *id, stream_records *r)
{
    record_block *b = &r->block;
    *id = get(in);
    r->i_file = (int32_t)get(in);
    r->format = (shoal_format)get(in);
    r->file_start = get(in);
    r->n_passed = (int32_t)get(in);
    const int32_t n = get_count(in, 5 * sizeof(int64_t));
    SHOAL_TRY(stream_records_reserve(r, n, 0));
    b->n = n;
    b->starts[0] = 0;
    r->n_systems = 0;
    for (int32_t i = 0; i < n; ++i) {
        b->lines[i] = get(in);
        r->shares[i].number = get(in);
        r->shares[i].variant = get(in);
        const int64_t n_systems = get(in);
        b->starts[i + 1] = (size_t)get(in);
        in->ok = in->ok && b->starts[i + 1] >= b->starts[i] && n_systems > 0 &&
                 n_systems < INT32_MAX - r->n_systems;
        r->shares[i].n = in->ok ? (int32_t)n_systems : 0;
        r->n_systems += r->shares[i].n;
    }
    r->label = get_span(in).text;
    const shoal_span text = get_span(in);
    if (!in->ok || text.size != b->starts[n] || r->n_passed < 0 || r->n_passed >= r->n_systems) {
        b->n = r->n_systems = 0;
        return damaged();
    }
    SHOAL_TRY(stream_records_reserve(r, n, text.size));
    memcpy(b->text, text.text, text.size);
    b->size = text.size;
    r->text_bytes = 0;
    for (int32_t i = 0; i < n; ++i)
        r->text_bytes += (int64_t)(b->starts[i + 1] - b->starts[i]) * r->shares[i].n;
    return SHOAL_OK;
}

/* Numbers of terms go to *terms, which lie in the block. */
static shoal_status get_system(message_reader *in, double **terms, shoal_stream_system *system)
{
    shoal_result *r = &system->result;
    system->index = get(in);
    system->conformer = get(in);
    system->variant = get(in);
    system->n_variants = get(in);
    system->record = get(in);
    system->line = get(in);
    system->i_file = (int32_t)get(in);
    system->charges_from = (shoal_charge_source)get(in);
    r->status = (shoal_system_status)get(in);
    r->steps = (int32_t)get(in);
    r->coulomb_sum = (shoal_ewald)get(in);
    r->energy = get_real(in);
    r->energy0 = get_real(in);
    r->fmax = get_real(in);
    for (int k = 0; k < 6; ++k) r->stress[k] = get_real(in);
    r->measure = get_real(in);
    r->measure0 = get_real(in);
    r->n_symmetry = (int32_t)get(in);
    r->symmetry_moved = get_real(in);
    r->pressure = get_real(in);
    system->isolated_energy = get_real(in);
    system->isolated_start = (int32_t)get(in);
    r->n_terms = (int32_t)get(in);
    const int32_t n_numbers = get_count(in, 2 * sizeof(double));
    in->ok = in->ok && n_numbers <= SHOAL_N_TERMS && r->n_terms >= 0 && r->n_terms <= n_numbers;
    if (!in->ok) return damaged();
    for (int32_t k = 0; k < 2 * n_numbers; ++k) (*terms)[k] = get_real(in);
    r->terms = *terms;
    r->terms0 = *terms + n_numbers;
    *terms += 2 * n_numbers;
    const int32_t n_elastic = get_count(in, sizeof(double));
    in->ok = in->ok && (n_elastic == 0 || n_elastic == N_ELASTIC);
    if (!in->ok) return damaged();
    for (int32_t k = 0; k < n_elastic; ++k) (*terms)[k] = get_real(in);
    r->elastic = n_elastic > 0 ? (const double(*)[6]) * terms : NULL;
    *terms += n_elastic;
    r->reason = get_span(in).text;
    r->warning = get_span(in).text;
    system->device = get_span(in).text;
    const shoal_span name = get_span(in);
    bool pbc[3];
    for (int k = 0; k < 3; ++k) pbc[k] = get(in) != 0;
    const bool refused = get(in) != 0;
    const char *refusal = get_span(in).text;
    if (refused) system->refusal = shoal_strdup(refusal);
    if (refused && !system->refusal) return SHOAL_E_MEMORY;
    if (!system->mol) SHOAL_TRY(shoal_molecule_create(&system->mol));
    shoal_molecule_clear(system->mol);
    memcpy(system->mol->pbc, pbc, sizeof pbc); /* the cell stays where it is */
    return molecule_set_name(system->mol, name);
}

bool message_get_state(message_reader *in, int64_t *index, shoal_span *state)
{
    *index = get(in);
    *state = get_span(in);
    return in->ok && in->at == in->end;
}

shoal_status message_get_done(message_reader *in, stream *s, stream_block *b)
{
    const char *error;
    s->progress.n_computed += get(in);
    s->progress.n_failed += get(in);
    s->progress.n_evaluations += get(in);
    for (int k = 0; k < SHOAL_N_STAGES; ++k) s->progress.seconds[k] += get_real(in);
    b->cut_short = get(in) != 0;
    b->status = message_get_status(in, &error);
    (void)snprintf(b->error, sizeof b->error, "%s", error);
    const int32_t n = get_count(in, 16 * sizeof(int64_t));
    b->n = 0;
    SHOAL_TRY(stream_block_reserve(b, n));
    SHOAL_TRY(SHOAL_RESERVE(&b->terms, &b->terms_capacity, (2 * SHOAL_N_TERMS + N_ELASTIC) * n));
    double *terms = b->terms;
    for (int32_t i = 0; i < n; ++i) SHOAL_TRY(get_system(in, &terms, &b->systems[i]));
    for (int32_t k = 0; k < s->options->output.n_sinks; ++k) {
        const shoal_span text = get_span(in);
        shoal_string_put(b->texts[k], text.text, text.size);
        SHOAL_TRY(shoal_string_status(b->texts[k]));
    }
    if (!in->ok || in->at != in->end) return damaged();
    b->n = n;
    return SHOAL_OK;
}
