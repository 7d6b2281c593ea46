/* SPDX-License-Identifier: BSD-3-Clause
 * Checkpoints. The file is a list of items, "key number" each on a line, texts with their bytes behind that
 * line; the last item is a checksum of all before it. */
#include "checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shoal/text.h"

#define MAGIC "shoal checkpoint 1\n"
#define FINGERPRINT_BYTES 65536 /* of each end of a file */

/* FNV-1a, 64 bits. */
static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; ++i) h = (h ^ p[i]) * 1099511628211u;
    return h;
}

#define HASH_START 14695981039346656037u

bool checkpoint_look(const char *path, int64_t *size, uint64_t *fingerprint)
{
    char buffer[FINGERPRINT_BYTES];
    struct stat info;
    uint64_t h = HASH_START;
    /* A pipe would lose what was read of it. */
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && fstat(fd, &info) == 0;
    for (int end = 0; ok && end < 2; ++end) {
        const off_t at =
            end && info.st_size > FINGERPRINT_BYTES ? info.st_size - FINGERPRINT_BYTES : 0;
        const ssize_t n = pread(fd, buffer, sizeof buffer, at);
        ok = n >= 0;
        if (ok) h = hash(h, buffer, (size_t)n);
    }
    if (ok) *size = info.st_size;
    *fingerprint = h;
    if (fd >= 0) (void)close(fd);
    return ok;
}

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

static void put_counts(shoal_string *out, const run_counts *c)
{
    put_integer(out, "done", c->done);
    put_integer(out, "failed", c->failed);
    put_integer(out, "unreadable", c->unreadable);
    put_integer(out, "warned", c->warned);
    put_integer(out, "refused", c->refused);
    put_integer(out, "no_hydrogens", c->no_hydrogens);
    put_integer(out, "evaluations", c->evaluations);
    put_integer(out, "microseconds", (int64_t)(1e6 * c->seconds));
}

static void put_checkpoint(shoal_string *out, const checkpoint *c)
{
    shoal_string_put_text(out, MAGIC);
    put_text(out, "command", c->command);
    put_integer(out, "inputs", c->n_inputs);
    for (int64_t k = 0; k < c->n_inputs; ++k) {
        put_text(out, "path", c->inputs[k].path);
        put_integer(out, "size", c->inputs[k].size);
        put_integer(out, "fingerprint", (int64_t)c->inputs[k].fingerprint);
    }
    put_integer(out, "outputs", c->n_outputs);
    for (int64_t k = 0; k < c->n_outputs; ++k) {
        put_text(out, "path", c->outputs[k].path);
        put_integer(out, "size", c->outputs[k].size);
    }
    put_integer(out, "next", c->next);
    put_integer(out, "complete", c->complete);
    put_counts(out, &c->counts);
    put_integer(out, "stdout_device", c->stdout_device);
    put_integer(out, "stdout_inode", c->stdout_inode);
    put_integer(out, "stdout_size", c->stdout_size);
    put_integer(out, "state_index", c->state ? c->state_index : -1);
    put_bytes(out, "state", c->state ? c->state : "", c->state ? c->state_size : 0);
    put_integer(out, "checksum",
                (int64_t)hash(HASH_START, shoal_string_data(out), shoal_string_size(out)));
}

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

/* Names on the disk, too; a system that cannot do that has done what it can. */
static void sync_directory(const char *path)
{
    char directory[4096];
    const char *slash = strrchr(path, '/');
    const int n = slash == path ? 1 : slash ? (int)(slash - path) : 0;
    (void)snprintf(directory, sizeof directory, "%.*s", n > 0 ? n : 1, n > 0 ? path : ".");
    const int fd = open(directory, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    (void)close(fd);
}

static const char *write_file(const shoal_string *text, const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return strerror(errno);
    bool ok = write_all(fd, shoal_string_data(text), shoal_string_size(text)) && fsync(fd) == 0;
    const int code = errno;
    ok = close(fd) == 0 && ok;
    if (ok) return NULL;
    (void)unlink(path);
    return strerror(code);
}

static bool name_beside(char name[4096], const char *path, const char *ending)
{
    return snprintf(name, 4096, "%s%s", path, ending) < 4096;
}

const char *checkpoint_save(const checkpoint *c, const char *path)
{
    char fresh[4096], old[4096];
    shoal_string *text = NULL;
    if (!name_beside(fresh, path, ".new") || !name_beside(old, path, ".old"))
        return "the name is too long";
    if (shoal_string_create(&text) != SHOAL_OK) return "out of memory";
    put_checkpoint(text, c);
    const char *wrong =
        shoal_string_status(text) == SHOAL_OK ? write_file(text, fresh) : "out of memory";
    shoal_string_destroy(text);
    if (wrong) return wrong;
    /* Between the two a crash leaves the old one, whose outputs are still long enough. */
    if (rename(path, old) != 0 && errno != ENOENT) return strerror(errno);
    if (rename(fresh, path) != 0) return strerror(errno);
    sync_directory(path);
    return NULL;
}

/* The whole file, NULL if there is none or it cannot be read. */
static char *read_file(const char *path, size_t *size)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *bytes = NULL;
    *size = 0;
    if (fd >= 0 && fstat(fd, &info) == 0) bytes = malloc((size_t)info.st_size + 1);
    while (bytes && *size < (size_t)info.st_size) {
        const ssize_t n = read(fd, bytes + *size, (size_t)info.st_size - *size);
        if (n <= 0) break;
        *size += (size_t)n;
    }
    if (fd >= 0) (void)close(fd);
    return bytes;
}

bool checkpoint_is_another_file(const char *path)
{
    size_t size;
    char *bytes = read_file(path, &size);
    const bool other = bytes && (size < strlen(MAGIC) || memcmp(bytes, MAGIC, strlen(MAGIC)) != 0);
    free(bytes);
    return other;
}

void checkpoint_remove(const char *path)
{
    /* The newest last: an older one that stayed alone would be taken for the state of things. */
    static const char *const endings[] = {".new", ".old", ""};
    char name[4096];
    for (int k = 0; k < 3; ++k)
        if (name_beside(name, path, endings[k])) (void)unlink(name);
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

static checkpoint_file *take_files(items *in, const char *key, bool prints, int64_t *n)
{
    size_t size;
    *n = take_integer(in, key);
    in->ok = in->ok && *n >= 0 && *n <= in->end - in->at;
    checkpoint_file *files = in->ok ? calloc((size_t)*n + 1, sizeof *files) : NULL;
    in->ok = files != NULL;
    if (!in->ok) *n = 0;
    for (int64_t k = 0; k < *n && in->ok; ++k) {
        files[k].path = take_bytes(in, "path", &size);
        files[k].size = take_integer(in, "size");
        if (prints) files[k].fingerprint = (uint64_t)take_integer(in, "fingerprint");
    }
    return files;
}

static void take_counts(items *in, run_counts *c)
{
    c->done = take_integer(in, "done");
    c->failed = take_integer(in, "failed");
    c->unreadable = take_integer(in, "unreadable");
    c->warned = take_integer(in, "warned");
    c->refused = take_integer(in, "refused");
    c->no_hydrogens = take_integer(in, "no_hydrogens");
    c->evaluations = take_integer(in, "evaluations");
    c->seconds = 1e-6 * (double)take_integer(in, "microseconds");
}

static bool take_checkpoint(items *in, checkpoint *c)
{
    const char *start = in->at;
    size_t size;
    in->ok =
        (size_t)(in->end - in->at) > strlen(MAGIC) && memcmp(in->at, MAGIC, strlen(MAGIC)) == 0;
    if (in->ok) in->at += strlen(MAGIC);
    c->command = take_bytes(in, "command", &size);
    c->inputs = take_files(in, "inputs", true, &c->n_inputs);
    c->outputs = take_files(in, "outputs", false, &c->n_outputs);
    c->next = take_integer(in, "next");
    c->complete = take_integer(in, "complete") != 0;
    take_counts(in, &c->counts);
    c->stdout_device = take_integer(in, "stdout_device");
    c->stdout_inode = take_integer(in, "stdout_inode");
    c->stdout_size = take_integer(in, "stdout_size");
    c->state_index = take_integer(in, "state_index");
    c->state = take_bytes(in, "state", &c->state_size);
    const char *before = in->at;
    const uint64_t sum = (uint64_t)take_integer(in, "checksum");
    if (in->ok && c->state_index < 0) {
        free(c->state);
        c->state = NULL;
    }
    return in->ok && sum == hash(HASH_START, start, (size_t)(before - start));
}

const char *checkpoint_load(checkpoint *c, const char *path, bool *found)
{
    static const char *const endings[] = {"", ".old"};
    char name[4096];
    bool broken = false;
    *c = (checkpoint){0};
    for (int k = 0; k < 2; ++k) {
        size_t size;
        if (!name_beside(name, path, endings[k])) continue;
        char *bytes = read_file(name, &size);
        if (!bytes) continue;
        items in = {bytes, bytes + size, true};
        *found = take_checkpoint(&in, c);
        free(bytes);
        if (*found) return NULL;
        checkpoint_free(c);
        broken = true;
    }
    *found = false;
    return broken ? "it is damaged, and there is none before it" : NULL;
}

static void free_files(checkpoint_file *files, int64_t n)
{
    for (int64_t k = 0; files && k < n; ++k) free(files[k].path);
    free(files);
}

void checkpoint_free(checkpoint *c)
{
    free(c->command);
    free(c->state);
    free_files(c->inputs, c->n_inputs);
    free_files(c->outputs, c->n_outputs);
    *c = (checkpoint){0};
}
