/* SPDX-License-Identifier: BSD-3-Clause
 * The log of a run: JSON lines that say what was run on what, enough to repeat it. */
#define _GNU_SOURCE /* gethostname */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "shoal/device.h"
#include "stream/run.h"

struct run_log {
    FILE *file;
    bool failed;
};

/* --- JSON ---------------------------------------------------------------------------------------- */

/* A comma before all but the first of a list or an object. */
static void put_key(shoal_string *out, const char *key)
{
    const size_t n = shoal_string_size(out);
    const char last = n > 0 ? shoal_string_data(out)[n - 1] : '{';
    if (last != '{' && last != '[') shoal_string_put_text(out, ",");
    if (!key) return;
    shoal_string_put_json(out, key);
    shoal_string_put_text(out, ":");
}

static void put_text(shoal_string *out, const char *key, const char *text)
{
    put_key(out, key);
    shoal_string_put_json(out, text ? text : "");
}

static void put_integer(shoal_string *out, const char *key, int64_t value)
{
    put_key(out, key);
    shoal_string_put_integer(out, value);
}

static void put_open(shoal_string *out, const char *key, const char *bracket)
{
    put_key(out, key);
    shoal_string_put_text(out, bracket);
}

/* The time of day in UTC, to the second. */
static void put_time(shoal_string *out)
{
    char text[32];
    struct tm parts;
    const time_t now = time(NULL);
    (void)gmtime_r(&now, &parts);
    (void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    put_text(out, "time", text);
}

/* --- what is run --------------------------------------------------------------------------------- */

static void put_info(shoal_string *out, const shoal_device_info *info)
{
    put_open(out, NULL, "{");
    put_text(out, "device", info->device);
    put_text(out, "name", info->name);
    put_text(out, "platform", info->platform);
    put_text(out, "driver", info->driver);
    put_text(out, "version", info->version);
    put_text(out, "instruction_set", info->instruction_set);
    shoal_string_put_text(out, "}");
}

/* Devices of OpenCL are looked for only where one is used: that takes a tenth of a second. */
static void put_devices(shoal_string *out, const char *list)
{
    shoal_device_info info;
    int32_t n = 2; /* the processor, and ref */
    if (strstr(list, "opencl") && shoal_device_count(&n) != SHOAL_OK) n = 2;
    put_open(out, "devices", "[");
    for (int32_t k = 0; k < n; ++k) {
        if (shoal_device_get(k, &info) != SHOAL_OK) continue;
        const bool used =
            k < 2 ? strstr(list, info.device) != NULL : strstr(list, "opencl") != NULL;
        if (used) put_info(out, &info);
    }
    shoal_string_put_text(out, "]");
}

/* As asked for; NULL: nothing is computed. */
static const char *device_of(const shoal_stream_options *s)
{
    if (s->job < SHOAL_JOB_ENERGY) return NULL;
    return s->compute.engine && s->compute.engine->device ? s->compute.engine->device : "cpu";
}

static const char *precision_of(const shoal_stream_options *s)
{
    static const char *const names[] = {"auto", "float", "double"};
    if (s->job == SHOAL_JOB_MODES) return "double";
    return names[s->compute.engine ? s->compute.engine->precision : SHOAL_PRECISION_AUTO];
}

static void put_start(shoal_string *out, const shoal_run_options *o, int64_t first, bool devices)
{
    const shoal_stream_options *s = o->stream;
    const char *device = device_of(s);
    char host[256] = "";
    (void)gethostname(host, sizeof host - 1);
    put_text(out, "version", shoal_version_text());
    if (o->members && *o->members) {
        put_key(out, NULL);
        shoal_string_put_text(out, o->members);
    }
    put_text(out, "host", host);
    put_integer(out, "threads", s->compute.n_threads);
    put_integer(out, "ranks", s->peers && s->peers->size > 1 ? s->peers->size : 1);
    if (device) {
        put_text(out, "device", device);
        put_text(out, "precision", precision_of(s));
    }
    if (device && devices) put_devices(out, device);
    /* Nothing in single points and relaxations is drawn by lot. */
    put_text(out, "seed", "none");
    put_integer(out, "first", first);
    put_open(out, "files", "[");
    for (int32_t k = 0; k < s->input.n_files; ++k) put_text(out, NULL, s->input.files[k]);
    shoal_string_put_text(out, "]");
}

shoal_status shoal_run_describe(const shoal_run_options *options, shoal_string *out)
{
    shoal_clear_error();
    SHOAL_NEED(options && out && options->stream);
    put_open(out, NULL, "{");
    put_time(out);
    put_start(out, options, 0, true);
    shoal_string_put_text(out, "}");
    return shoal_string_status(out);
}

/* --- lines --------------------------------------------------------------------------------------- */

static void begin_line(shoal_string *out, const char *event)
{
    put_open(out, NULL, "{");
    put_text(out, "event", event);
    put_time(out);
}

static void end_line(run_log *log, shoal_string *out)
{
    shoal_string_put_text(out, "}\n");
    const size_t n = shoal_string_size(out);
    if (fwrite(shoal_string_data(out), 1, n, log->file) != n || fflush(log->file) != 0 ||
        shoal_string_status(out) != SHOAL_OK)
        log->failed = true;
    shoal_string_free(out);
}

void run_log_system(run_log *log, const shoal_stream_system *s, const char *file)
{
    shoal_string text = {0};
    if (!log) return;
    begin_line(&text, "system");
    put_integer(&text, "index", s->index);
    put_text(&text, "file", file);
    put_integer(&text, "record", s->record);
    put_integer(&text, "line", s->line);
    put_text(&text, "name", shoal_molecule_name(s->mol));
    put_text(&text, "status", shoal_system_status_name(s->result.status));
    put_text(&text, "reason", s->result.reason);
    end_line(log, &text);
}

void run_log_checkpoint(run_log *log, const char *path, int64_t next)
{
    shoal_string text = {0};
    if (!log) return;
    begin_line(&text, "checkpoint");
    put_text(&text, "file", path);
    put_integer(&text, "next", next);
    end_line(log, &text);
}

void run_log_note(run_log *log, const char *event, const char *note)
{
    shoal_string text = {0};
    if (!log) return;
    begin_line(&text, event);
    put_text(&text, "text", note);
    end_line(log, &text);
}

static void put_inputs(run_log *log, const run_hashes *h, int32_t n)
{
    shoal_string text = {0};
    struct stat info;
    begin_line(&text, "inputs");
    put_open(&text, "inputs", "[");
    for (int32_t k = 0; k < n; ++k) {
        put_open(&text, NULL, "{");
        put_text(&text, "file", h->files[k]);
        if (stat(h->files[k], &info) == 0) put_integer(&text, "bytes", info.st_size);
        if (h->digests[k][0]) put_text(&text, "sha256", h->digests[k]);
        shoal_string_put_text(&text, "}");
    }
    shoal_string_put_text(&text, "]");
    end_line(log, &text);
}

/* At the end, when OpenCL has been started anyway. */
static void put_used_devices(run_log *log, const char *device)
{
    shoal_string text = {0};
    if (!device) return;
    begin_line(&text, "devices");
    put_devices(&text, device);
    end_line(log, &text);
}

static void put_end(run_log *log, const shoal_run_counts *c, int32_t code)
{
    shoal_string text = {0};
    begin_line(&text, "end");
    put_integer(&text, "exit", code);
    put_integer(&text, "done", c->done);
    put_integer(&text, "failed", c->failed);
    put_integer(&text, "unreadable", c->unreadable);
    put_integer(&text, "warned", c->warned);
    put_integer(&text, "evaluations", c->evaluations);
    put_key(&text, "seconds");
    shoal_string_put_number(&text, c->seconds);
    end_line(log, &text);
}

/* --- beginning and end --------------------------------------------------------------------------- */

shoal_status run_log_open(run_log **out, const run *r)
{
    shoal_string text = {0};
    const char *path = r->options->log;
    FILE *file = fopen(path, "a");
    if (!file) return shoal_fail(SHOAL_E_IO, "%s: cannot write the log: %s", path, strerror(errno));
    *out = shoal_alloc(1, sizeof **out);
    if (!*out) {
        (void)fclose(file);
        return SHOAL_E_MEMORY;
    }
    (*out)->file = file;
    begin_line(&text, "start");
    put_start(&text, r->options, r->at.next, false);
    end_line(*out, &text);
    return SHOAL_OK;
}

shoal_status run_log_close(run_log *log, const run *r, int32_t code)
{
    if (!log) return SHOAL_OK;
    put_inputs(log, &r->hashes, r->options->stream->input.n_files);
    put_used_devices(log, device_of(r->options->stream));
    put_end(log, &r->at.counts, code);
    const bool ok = fclose(log->file) == 0 && !log->failed;
    free(log);
    return ok ? SHOAL_OK
              : shoal_fail(SHOAL_E_IO, "%s: the log could not be written", r->options->log);
}
