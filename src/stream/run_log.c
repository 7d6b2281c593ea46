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
#include "base/kernel_choices.h"
#include "shoal/device.h"
#include "stream/run.h"

struct run_log {
    FILE *file;
    bool failed;
};

/* The time of day in UTC, to the second. */
static void put_time(shoal_json *out)
{
    char text[32];
    struct tm parts;
    const time_t now = time(NULL);
    (void)gmtime_r(&now, &parts);
    (void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    shoal_json_text(out, "time", text);
}

/* --- what is run --------------------------------------------------------------------------------- */

static void put_info(shoal_json *out, const shoal_device_info *info)
{
    shoal_json_open(out, NULL, '{');
    shoal_json_text(out, "device", info->device);
    shoal_json_text(out, "name", info->name);
    shoal_json_text(out, "platform", info->platform);
    shoal_json_text(out, "driver", info->driver);
    shoal_json_text(out, "version", info->version);
    shoal_json_text(out, "instruction_set", info->instruction_set);
    shoal_json_close(out, '}');
}

/* What the environment asks of kernels. */
static void put_choices(shoal_json *out, const char *device)
{
    char text[512];
    kernel_choices_text(device, text, sizeof text);
    if (text[0]) shoal_json_text(out, "kernels", text);
}

/* Devices of OpenCL are looked for only where one is used: that takes a tenth of a second. */
static void put_devices(shoal_json *out, const char *list)
{
    shoal_device_info info;
    int32_t n = 2; /* the processor, and ref */
    if (strstr(list, "opencl") && shoal_device_count(&n) != SHOAL_OK) n = 2;
    put_choices(out, list);
    shoal_json_open(out, "devices", '[');
    for (int32_t k = 0; k < n; ++k) {
        if (shoal_device_get(k, &info) != SHOAL_OK) continue;
        const bool used =
            k < 2 ? strstr(list, info.device) != NULL : strstr(list, "opencl") != NULL;
        if (used) put_info(out, &info);
    }
    shoal_json_close(out, ']');
}

/* As asked for; NULL: nothing is computed. */
static const char *device_of(const shoal_stream_options *s)
{
    if (s->job < SHOAL_JOB_ENERGY) return NULL;
    return s->compute.engine && s->compute.engine->device ? s->compute.engine->device : "cpu";
}

static const char *precision_of(const shoal_stream_options *s)
{
    if (s->job == SHOAL_JOB_MODES) return "double";
    return shoal_precision_name(s->compute.engine ? (int)s->compute.engine->precision
                                                  : SHOAL_PRECISION_AUTO);
}

static void put_start(shoal_json *out, const shoal_run_options *o, int64_t first, bool devices)
{
    const shoal_stream_options *s = o->stream;
    const char *device = device_of(s);
    char host[256] = "";
    (void)gethostname(host, sizeof host - 1);
    shoal_json_text(out, "version", shoal_version_text());
    if (o->members && *o->members) {
        shoal_string_put_text(out->text, ","); /* behind the version */
        shoal_string_put_text(out->text, o->members);
    }
    shoal_json_text(out, "host", host);
    shoal_json_integer(out, "threads", s->compute.n_threads);
    shoal_json_integer(out, "ranks", s->peers && s->peers->size > 1 ? s->peers->size : 1);
    if (device) {
        shoal_json_text(out, "device", device);
        shoal_json_text(out, "precision", precision_of(s));
    }
    if (device && devices) put_devices(out, device);
    /* Nothing in single points and relaxations is drawn by lot. */
    shoal_json_text(out, "seed", "none");
    shoal_json_integer(out, "first", first);
    shoal_json_open(out, "files", '[');
    for (int32_t k = 0; k < s->input.n_files; ++k) shoal_json_text(out, NULL, s->input.files[k]);
    shoal_json_close(out, ']');
}

shoal_status shoal_run_describe(const shoal_run_options *options, shoal_string *out)
{
    shoal_clear_error();
    SHOAL_NEED(options && out && options->stream);
    shoal_json j = {.text = out};
    shoal_json_open(&j, NULL, '{');
    put_time(&j);
    put_start(&j, options, 0, true);
    shoal_json_close(&j, '}');
    return shoal_string_status(out);
}

/* --- lines --------------------------------------------------------------------------------------- */

static void begin_line(shoal_json *out, const char *event)
{
    shoal_json_open(out, NULL, '{');
    shoal_json_text(out, "event", event);
    put_time(out);
}

static void end_line(run_log *log, shoal_json *j)
{
    shoal_json_end(j);
    const size_t n = shoal_string_size(j->text);
    if (fwrite(shoal_string_data(j->text), 1, n, log->file) != n || fflush(log->file) != 0 ||
        shoal_json_status(j) != SHOAL_OK)
        log->failed = true;
    shoal_json_free(j);
}

void run_log_system(run_log *log, const shoal_stream_system *s, const char *file)
{
    shoal_json text = {0};
    if (!log) return;
    begin_line(&text, "system");
    shoal_json_integer(&text, "index", s->index);
    shoal_json_text(&text, "file", file);
    shoal_json_integer(&text, "record", s->record);
    shoal_json_integer(&text, "line", s->line);
    shoal_json_text(&text, "name", shoal_molecule_name(s->mol));
    shoal_json_text(&text, "status", shoal_system_status_name(s->result.status));
    shoal_json_text(&text, "reason", s->result.reason);
    end_line(log, &text);
}

void run_log_checkpoint(run_log *log, const char *path, int64_t next)
{
    shoal_json text = {0};
    if (!log) return;
    begin_line(&text, "checkpoint");
    shoal_json_text(&text, "file", path);
    shoal_json_integer(&text, "next", next);
    end_line(log, &text);
}

void run_log_note(run_log *log, const char *event, const char *note)
{
    shoal_json text = {0};
    if (!log) return;
    begin_line(&text, event);
    shoal_json_text(&text, "text", note);
    end_line(log, &text);
}

static void put_inputs(run_log *log, const run_hashes *h, int32_t n)
{
    shoal_json text = {0};
    struct stat info;
    begin_line(&text, "inputs");
    shoal_json_open(&text, "inputs", '[');
    for (int32_t k = 0; k < n; ++k) {
        shoal_json_open(&text, NULL, '{');
        shoal_json_text(&text, "file", h->files[k]);
        if (stat(h->files[k], &info) == 0) shoal_json_integer(&text, "bytes", info.st_size);
        if (h->digests[k][0]) shoal_json_text(&text, "sha256", h->digests[k]);
        shoal_json_close(&text, '}');
    }
    shoal_json_close(&text, ']');
    end_line(log, &text);
}

/* At the end, when OpenCL has been started anyway. */
static void put_used_devices(run_log *log, const char *device)
{
    shoal_json text = {0};
    if (!device) return;
    begin_line(&text, "devices");
    put_devices(&text, device);
    end_line(log, &text);
}

static void put_end(run_log *log, const shoal_run_counts *c, int32_t code)
{
    shoal_json text = {0};
    begin_line(&text, "end");
    shoal_json_integer(&text, "exit", code);
    shoal_json_integer(&text, "done", c->done);
    shoal_json_integer(&text, "failed", c->failed);
    shoal_json_integer(&text, "unreadable", c->unreadable);
    shoal_json_integer(&text, "warned", c->warned);
    shoal_json_integer(&text, "evaluations", c->evaluations);
    shoal_json_number(&text, "seconds", c->seconds);
    end_line(log, &text);
}

/* --- beginning and end --------------------------------------------------------------------------- */

shoal_status run_log_open(run_log **out, const run *r)
{
    shoal_json text = {0};
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
