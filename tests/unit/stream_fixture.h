/* SPDX-License-Identifier: BSD-3-Clause
 * Input for streams, and a record of what came out. */
#ifndef SHOAL_TESTS_STREAM_FIXTURE_H
#define SHOAL_TESTS_STREAM_FIXTURE_H

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "shoal/shoal.h"

/* Files are made in the working directory, named after the test, and removed at the end. */
static char many_path[64], more_path[64], bad_path[64], good_path[64], large_path[64];

enum { N_MANY = 600, N_CHAIN = 1200, LARGE_AT = 40 };

/* --- input --------------------------------------------------------------------------------------- */

/* A carbon chain with its hydrogens in a zigzag, a little out of shape by its number. */
static void put_chain(FILE *file, int n, int k)
{
    (void)fprintf(file, "%d\nname=chain%d\n", 3 * n + 2, k);
    const double off = 0.02 * (k % 7);
    for (int c = 0; c < n; ++c) {
        const double x = 1.27 * c, y = c % 2 ? 0.85 : 0, s = c % 2 ? 0.55 : -0.55;
        (void)fprintf(file, "C %g %g %g\n", x + off, y, 0.0);
        (void)fprintf(file, "H %g %g %g\nH %g %g %g\n", x, y + s, 0.9 + off, x, y + s, -0.9);
    }
    (void)fprintf(file, "H %g %g 0\n", -0.9, 0.6);
    (void)fprintf(file, "H %g %g 0\n", 1.27 * (n - 1) + 0.9, n % 2 ? 0.6 : 0.25);
}

static void put_water(FILE *file, int k)
{
    (void)fprintf(file, "3\nname=water%d\nO 0 0 0\nH 0.96 %g 0\nH -0.24 0.93 0\n", k, 0.001 * k);
}

/* Chains of all lengths from 1 to 8 and waters, among them one that is not finite, one that has no type. */
static void put_many(FILE *file, int n)
{
    for (int k = 0; k < n; ++k) {
        if (k % 3 == 1)
            put_water(file, k);
        else if (k == 303)
            (void)fprintf(file, "2\nname=together%d\nO 0 0 0\nO 0 0 0\n", k);
        else if (k == 404)
            (void)fprintf(file, "1\nname=oganesson%d\nOg 0 0 0\n", k);
        else
            put_chain(file, 1 + k % 8, k);
    }
}

static FILE *begin(const char *path)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) exit(check_done());
    return file;
}

static inline void name_files(const char *test)
{
    (void)snprintf(many_path, sizeof many_path, "%s_many.xyz", test);
    (void)snprintf(more_path, sizeof more_path, "%s_more.sdf", test);
    (void)snprintf(bad_path, sizeof bad_path, "%s_bad.xyz", test);
    (void)snprintf(good_path, sizeof good_path, "%s_good.xyz", test);
    (void)snprintf(large_path, sizeof large_path, "%s_large.xyz", test);
}

static inline void make_files(const char *test)
{
    name_files(test);
    FILE *file = begin(many_path);
    put_many(file, N_MANY);
    CHECK(fclose(file) == 0);
    file = begin(more_path);
    for (int k = 0; k < 3; ++k)
        (void)fprintf(file,
                      "water\n\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n"
                      "    0.0000    0.0000    0.0000 O   0  0\n"
                      "    0.9600    0.0000    0.0000 H   0  0\n"
                      "   -0.2400    0.9%d00    0.0000 H   0  0\n"
                      "  1  2  1  0\n  1  3  1  0\nM  END\n$$$$\n",
                      k);
    CHECK(fclose(file) == 0);
    file = begin(bad_path);
    put_many(file, 50);
    (void)fprintf(file, "2\nbroken\nO 0 0 0\nH 1 here 0\n");
    put_many(file, 50);
    CHECK(fclose(file) == 0);
    file = begin(good_path); /* the same with another one at the place of the broken one */
    put_many(file, 50);
    put_water(file, 50);
    put_many(file, 50);
    CHECK(fclose(file) == 0);
    file = begin(large_path);
    put_many(file, LARGE_AT);
    put_chain(file, N_CHAIN / 3, 1); /* more than 1000 atoms */
    put_many(file, 60);
    CHECK(fclose(file) == 0);
}

static inline void remove_files(void)
{
    (void)remove(many_path);
    (void)remove(more_path);
    (void)remove(bad_path);
    (void)remove(good_path);
    (void)remove(large_path);
}

/* --- output -------------------------------------------------------------------------------------- */

/* What a run gave, in the order in which it came. */
typedef struct record {
    char *text;
    size_t size;
    int64_t n_systems, n_unfinished, next;
    int64_t step; /* from system to system: the number of shards; 0: one */
    bool in_order;
    char (*devices)[32]; /* of every system, if there is room for that */
    int64_t n_unreadable, unreadable_line;
    char reason[200], name[40]; /* of the last one that cannot be read */
    int64_t stop_at;            /* systems after which the monitor ends the run; -1: never */
    int64_t fail_at;            /* the same for visit */
    int64_t refuse;             /* system that the sink leaves out */
    int64_t n_refused;
    bool sink_fails;
    shoal_stream_progress last; /* its state is gone */
    bool steps;                 /* frames of trajectories are written */
    int32_t stop_at_step;     /* of the large system, with all before it at their ends; 0: never */
    bool any_time;            /* wherever those before it are */
    const atomic_bool *until; /* frames wait for it */
    int64_t n_frames;         /* of the large system, told in this run */
    atomic_bool at_end[LARGE_AT];
    atomic_bool stopped; /* the monitor has ended the run */
    char *state;         /* the last one; the caller's */
    size_t state_size;
    int64_t n_states; /* calls of the monitor with one */
} record;

static shoal_status format(void *user, const shoal_stream_system *s, shoal_string *out)
{
    const record *r = user;
    char line[256];
    const shoal_result *result = &s->result;
    const int32_t n = shoal_molecule_n_atoms(s->mol);
    const double *last = n > 0 ? shoal_molecule_positions(s->mol)[n - 1] : NULL;
    (void)snprintf(line, sizeof line, "%lld %d %lld %s %d %a %a %d %a %.60s\n", (long long)s->index,
                   s->i_file, (long long)s->record, shoal_molecule_name(s->mol),
                   (int)result->status, s->engine ? result->energy : 0,
                   s->engine ? result->fmax : 0, result->steps,
                   last ? last[0] + last[1] + last[2] : 0, result->reason ? result->reason : "");
    shoal_string_put(out, line, strlen(line));
    /* A refusal that comes late takes back what was said. */
    return s->index == r->refuse ? shoal_molecule_set_name(NULL, "") : SHOAL_OK;
}

/* A relaxation shows its last frame when all systems of its engine have come to their ends. */
static inline bool is_last(const shoal_relax_frame *frame)
{
    return frame->fmax <= 1e-3 || frame->steps >= 300;
}

static inline bool all_at_end(const record *r)
{
    bool all = true;
    if (r->any_time) return true;
    for (int k = 0; k < LARGE_AT; ++k) all = all && atomic_load(&r->at_end[k]);
    return all;
}

/* On the thread that relaxes the large system, which waits there for the small ones before it and for the monitor, asked
 * 20 times a second: half a minute at most. */
static inline void wait_for(const atomic_bool *stopped)
{
    const struct timespec a_bit = {.tv_nsec = 5000000};
    for (int k = 0; k < 6000 && !atomic_load(stopped); ++k) (void)nanosleep(&a_bit, NULL);
    (void)nanosleep(&a_bit, NULL); /* until the stream has heard */
}

static inline shoal_status step(void *user, const shoal_stream_system *s,
                                const shoal_relax_frame *frame, shoal_string *out)
{
    char line[160];
    record *r = user;
    r->n_frames += s->index == LARGE_AT;
    if (s->index < LARGE_AT && is_last(frame)) atomic_store(&r->at_end[s->index], true);
    if (s->index == LARGE_AT && r->stop_at_step > 0 && frame->steps >= r->stop_at_step)
        wait_for(&r->stopped);
    if (r->until) wait_for(r->until);
    (void)snprintf(line, sizeof line, "%lld step %d %a %a %a\n", (long long)s->index, frame->steps,
                   frame->energy, frame->fmax, frame->pos[0][0]);
    shoal_string_put(out, line, strlen(line));
    return SHOAL_OK;
}

static shoal_status write_text(void *user, const char *text, size_t size)
{
    record *r = user;
    if (r->sink_fails) return SHOAL_E_IO;
    char *more = realloc(r->text, r->size + size + 1);
    if (!more) return SHOAL_E_MEMORY;
    memcpy(more + r->size, text, size);
    r->text = more;
    r->size += size;
    r->text[r->size] = '\0';
    return SHOAL_OK;
}

static shoal_status visit(void *user, const shoal_stream_system *systems, int32_t n)
{
    record *r = user;
    for (int32_t i = 0; i < n; ++i) {
        r->in_order = r->in_order && systems[i].index == r->next;
        r->next += r->step > 0 ? r->step : 1;
        r->in_order = r->in_order && systems[i].result.reason && systems[i].result.warning &&
                      systems[i].device && systems[i].line > 0;
        r->n_unfinished += systems[i].unfinished;
        if (r->devices) (void)snprintf(r->devices[systems[i].index], 32, "%s", systems[i].device);
        if (systems[i].result.status == SHOAL_SYSTEM_UNREADABLE) {
            ++r->n_unreadable;
            r->unreadable_line = systems[i].line;
            (void)snprintf(r->reason, sizeof r->reason, "%s", systems[i].result.reason);
            (void)snprintf(r->name, sizeof r->name, "%.39s", shoal_molecule_name(systems[i].mol));
            r->in_order = r->in_order && !systems[i].topology && !systems[i].engine &&
                          shoal_molecule_n_atoms(systems[i].mol) == 0;
        }
        r->n_refused += systems[i].refusal != NULL;
    }
    r->n_systems += n;
    return r->fail_at >= 0 && r->n_systems > r->fail_at ? SHOAL_E_ARGUMENT : SHOAL_OK;
}

static bool monitor(void *user, const shoal_stream_progress *p)
{
    record *r = user;
    r->last = *p;
    free(r->state);
    r->state = NULL;
    r->state_size = p->state_size;
    r->n_states += p->state != NULL;
    if (p->state) {
        r->state = malloc(p->state_size);
        if (r->state) memcpy(r->state, p->state, p->state_size);
    }
    if (r->stop_at_step > 0 && p->large_index == LARGE_AT && p->large_steps >= r->stop_at_step &&
        all_at_end(r)) {
        atomic_store(&r->stopped, true);
        return false;
    }
    return r->stop_at < 0 || p->n_done < r->stop_at;
}

/* Runs a stream into a fresh record. */
static inline shoal_status run(shoal_stream_options options, const char *file, record *r)
{
    const shoal_sink sink = {
        .format = format, .write = write_text, .user = r, .step = r->steps ? step : NULL};
    const char *files[] = {file};
    free(r->state);
    *r = (record){.in_order = true,
                  .stop_at = r->stop_at,
                  .fail_at = r->fail_at,
                  .refuse = r->refuse,
                  .devices = r->devices,
                  .steps = r->steps,
                  .stop_at_step = r->stop_at_step,
                  .any_time = r->any_time,
                  .until = r->until,
                  .next = options.input.n_shards > 1 ? options.input.shard : 0,
                  .step = options.input.n_shards,
                  .sink_fails = r->sink_fails};
    while (r->next < options.input.first) r->next += r->step > 0 ? r->step : 1;
    if (!options.input.files) {
        options.input.files = files;
        options.input.n_files = 1;
    }
    options.output.sinks = &sink;
    options.output.n_sinks = 1;
    options.output.visit = visit;
    options.output.monitor = monitor;
    options.output.user = r;
    return shoal_stream_run(&options);
}

static const record nothing = {.stop_at = -1, .fail_at = -1, .refuse = -1};

/* The line that begins with the number of a system, and its length with the end. */
static inline const char *line_of(const record *r, int64_t index, size_t *size)
{
    const char *line = r->text ? r->text : "";
    while (*line && strtoll(line, NULL, 10) != index) line = strchr(line, '\n') + 1;
    const char *end = strchr(line, '\n');
    *size = end ? (size_t)(end + 1 - line) : 0;
    return line;
}

static inline bool same_line(const record *a, const record *b, int64_t index)
{
    size_t n[2];
    const char *line[2] = {line_of(a, index, &n[0]), line_of(b, index, &n[1])};
    return n[0] > 0 && n[0] == n[1] && memcmp(line[0], line[1], n[0]) == 0;
}

static inline void check_same(const record *a, const record *b, const char *what)
{
    CHECK(a->in_order && b->in_order);
    CHECK(a->size == b->size && a->size > 0);
    if (a->size != b->size || memcmp(a->text, b->text, a->size) != 0) {
        (void)printf("%s differs\n", what);
        CHECK(!"the same text");
    }
}

/* Any number of threads, any slices and any budget of memory give the same. */
static inline void check_ways(const shoal_stream_options *first, const char *path,
                              const record *want, const char *what)
{
    static const struct {
        int32_t n_threads, slice_systems;
        int64_t memory_bytes;
    } ways[] = {{2, 0, 0}, {7, 0, 0}, {3, 1, 0}, {2, 17, 0}, {2, 0, 1}, {4, 100, 200000}};
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; ++k) {
        shoal_stream_options o = *first;
        record r = nothing;
        o.compute.n_threads = ways[k].n_threads;
        o.compute.slice_systems = ways[k].slice_systems;
        o.compute.memory_bytes = ways[k].memory_bytes;
        CHECK(run(o, path, &r) == SHOAL_OK);
        check_same(want, &r, what);
        free(r.text);
    }
}

#endif
