/* SPDX-License-Identifier: BSD-3-Clause
 * The log of a run. */
#define _GNU_SOURCE /* gethostname */
#include "run_log.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "options.h"
#include "sha256.h"

struct run_log {
    FILE *file;
    run_facts facts;
    bool failed;
    pthread_t hasher;
    bool hashing;
    _Atomic bool stop;  /* the hasher gives up */
    char (*hashes)[65]; /* [n_files] "" where there is none */
};

/* The time of day in UTC, to the second. */
static void json_time(json *j)
{
    char text[32];
    struct tm parts;
    const time_t now = time(NULL);
    (void)gmtime_r(&now, &parts);
    (void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    json_text(j, "time", text);
}

/* --- what is run --------------------------------------------------------------------------------- */

static void put_info(json *j, const shoal_device_info *info)
{
    json_open(j, NULL, '{');
    json_text(j, "device", info->device);
    json_text(j, "name", info->name);
    json_text(j, "platform", info->platform);
    json_text(j, "driver", info->driver);
    json_text(j, "version", info->version);
    json_text(j, "instruction_set", info->instruction_set);
    json_close(j, '}');
}

/* Devices of OpenCL are looked for only where one is used: that takes a tenth of a second. */
static void put_devices(json *j, const char *list)
{
    shoal_device_info info;
    int32_t n = 2; /* the processor, and ref */
    if (strstr(list, "opencl") && shoal_device_count(&n) != SHOAL_OK) n = 2;
    json_open(j, "devices", '[');
    for (int32_t k = 0; k < n; ++k) {
        if (shoal_device_get(k, &info) != SHOAL_OK) continue;
        const bool used =
            k < 2 ? strstr(list, info.device) != NULL : strstr(list, "opencl") != NULL;
        if (used) put_info(j, &info);
    }
    json_close(j, ']');
}

static void put_start(json *j, const run_facts *facts, bool devices)
{
    char host[256] = "";
    int n;
    const cli_choice *choices = cli_choices(&n);
    (void)gethostname(host, sizeof host - 1);
    json_text(j, "version", shoal_version_text());
    json_text(j, "command", cli_command_name());
    json_open(j, "options", '{');
    for (int k = 0; k < n; ++k) json_text(j, choices[k].name, choices[k].value);
    json_close(j, '}');
    json_text(j, "host", host);
    json_integer(j, "threads", facts->n_threads);
    json_integer(j, "ranks", facts->n_ranks);
    if (facts->device) {
        json_text(j, "device", facts->device);
        json_text(j, "precision", facts->precision);
    }
    if (facts->device && devices) put_devices(j, facts->device);
    /* Nothing in single points and relaxations is drawn by lot. */
    json_text(j, "seed", "none");
    json_integer(j, "first", facts->first);
    json_open(j, "files", '[');
    for (int k = 0; k < facts->n_files; ++k) json_text(j, NULL, facts->files[k]);
    json_close(j, ']');
}

void run_describe(const run_facts *facts, shoal_string *out)
{
    json j = {.text = out};
    json_open(&j, NULL, '{');
    json_time(&j);
    put_start(&j, facts, true);
    json_close(&j, '}');
}

/* --- lines --------------------------------------------------------------------------------------- */

static json begin_line(shoal_string *text, const char *event)
{
    json j = {.text = text};
    json_open(&j, NULL, '{');
    json_text(&j, "event", event);
    json_time(&j);
    return j;
}

static void end_line(run_log *log, json *j)
{
    json_close(j, '}');
    json_end_line(j);
    const size_t n = shoal_string_size(j->text);
    if (fwrite(shoal_string_data(j->text), 1, n, log->file) != n || fflush(log->file) != 0)
        log->failed = true;
    shoal_string_destroy(j->text);
}

void run_log_system(run_log *log, const shoal_stream_system *s, const char *file)
{
    shoal_string *text;
    if (!log || shoal_string_create(&text) != SHOAL_OK) return;
    json j = begin_line(text, "system");
    json_integer(&j, "index", s->index);
    json_text(&j, "file", file);
    json_integer(&j, "record", s->record);
    json_integer(&j, "line", s->line);
    json_text(&j, "name", shoal_molecule_name(s->mol));
    json_text(&j, "status", shoal_system_status_name(s->result.status));
    json_text(&j, "reason", s->result.reason);
    end_line(log, &j);
}

void run_log_checkpoint(run_log *log, const char *path, int64_t next)
{
    shoal_string *text;
    if (!log || shoal_string_create(&text) != SHOAL_OK) return;
    json j = begin_line(text, "checkpoint");
    json_text(&j, "file", path);
    json_integer(&j, "next", next);
    end_line(log, &j);
}

void run_log_note(run_log *log, const char *event, const char *note)
{
    shoal_string *text;
    if (!log || shoal_string_create(&text) != SHOAL_OK) return;
    json j = begin_line(text, event);
    json_text(&j, "text", note);
    end_line(log, &j);
}

/* --- hashes -------------------------------------------------------------------------------------- */

static bool hash_file(run_log *log, const char *path, char out[65])
{
    enum { CHUNK = 1 << 16 };
    char *buffer = malloc(CHUNK);
    FILE *file = buffer && strcmp(path, "-") != 0 ? fopen(path, "rb") : NULL;
    sha256 s;
    size_t n = 1;
    sha256_begin(&s);
    while (file && n > 0 && !atomic_load(&log->stop)) {
        n = fread(buffer, 1, CHUNK, file);
        sha256_add(&s, buffer, n);
    }
    const bool whole = file && !ferror(file) && n == 0;
    if (file) (void)fclose(file);
    free(buffer);
    if (whole) sha256_end(&s, out);
    return whole;
}

/* Pipes are read once, and not here. */
static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static void *hash_files(void *p)
{
    run_log *log = p;
    for (int k = 0; k < log->facts.n_files; ++k)
        if (is_file(log->facts.files[k])) (void)hash_file(log, log->facts.files[k], log->hashes[k]);
    return NULL;
}

static void put_inputs(run_log *log)
{
    shoal_string *text;
    struct stat info;
    if (shoal_string_create(&text) != SHOAL_OK) return;
    json j = begin_line(text, "inputs");
    json_open(&j, "inputs", '[');
    for (int k = 0; k < log->facts.n_files; ++k) {
        json_open(&j, NULL, '{');
        json_text(&j, "file", log->facts.files[k]);
        if (stat(log->facts.files[k], &info) == 0) json_integer(&j, "bytes", info.st_size);
        if (log->hashes[k][0]) json_text(&j, "sha256", log->hashes[k]);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    end_line(log, &j);
}

/* At the end, when OpenCL has been started anyway. */
static void put_used_devices(run_log *log)
{
    shoal_string *text;
    if (!log->facts.device || shoal_string_create(&text) != SHOAL_OK) return;
    json j = begin_line(text, "devices");
    put_devices(&j, log->facts.device);
    end_line(log, &j);
}

/* --- beginning and end --------------------------------------------------------------------------- */

const char *run_log_open(run_log **out, const char *path, const run_facts *facts)
{
    shoal_string *text = NULL;
    *out = NULL;
    FILE *file = fopen(path, "a");
    if (!file) return strerror(errno);
    run_log *log = calloc(1, sizeof *log);
    char(*hashes)[65] = calloc((size_t)facts->n_files + 1, sizeof *hashes);
    if (!log || !hashes || shoal_string_create(&text) != SHOAL_OK) {
        free(log);
        free(hashes);
        (void)fclose(file);
        return "out of memory";
    }
    log->facts = *facts;
    log->file = file;
    log->hashes = hashes;
    json j = begin_line(text, "start");
    put_start(&j, facts, false);
    end_line(log, &j);
    log->hashing = pthread_create(&log->hasher, NULL, hash_files, log) == 0;
    *out = log;
    return NULL;
}

bool run_log_close(run_log *log, int code, const run_counts *c)
{
    shoal_string *text;
    if (!log) return true;
    /* A run that was told to stop does not read its inputs to the end for this. */
    if (code != EXIT_ALL_FINE && code != EXIT_SOME_FAILED) atomic_store(&log->stop, true);
    if (log->hashing) (void)pthread_join(log->hasher, NULL);
    put_inputs(log);
    put_used_devices(log);
    if (shoal_string_create(&text) == SHOAL_OK) {
        json j = begin_line(text, "end");
        json_integer(&j, "exit", code);
        json_integer(&j, "done", c->done);
        json_integer(&j, "failed", c->failed);
        json_integer(&j, "unreadable", c->unreadable);
        json_integer(&j, "warned", c->warned);
        json_integer(&j, "evaluations", c->evaluations);
        json_number(&j, "seconds", c->seconds);
        end_line(log, &j);
    }
    const bool ok = fclose(log->file) == 0 && !log->failed;
    free(log->hashes);
    free(log);
    return ok;
}
