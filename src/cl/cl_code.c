/* SPDX-License-Identifier: BSD-3-Clause
 * A program of kernels: building, its binary in the cache, and what compilers complain of. */
#include "cl/cl_code.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/kernel_choices.h"
#include "base/thread_pool.h"
#include "cl/cl_apart.h"
#include "cl/cl_source.h"

#define STANDARD "-cl-std=CL1.2"

/* One build as its steps see it. */
typedef struct build {
    cl_target *target;
    const char *source_name, *text;
    char options[512];
    shoal_string source;
    cl_cache_key key;
    bool apart; /* in a process of its own, if there is a program for that */
} build;

/* The compiler's log, "" if there is none; the caller frees it. NULL when memory is out. */
static char *read_log(const build *b, cl_program program)
{
    const cl_target *target = b->target;
    size_t size = 0;
    if (target->call->GetProgramBuildInfo(program, target->device.id, CL_PROGRAM_BUILD_LOG, 0, NULL,
                                          &size) != CL_SUCCESS)
        size = 0;
    char *log = shoal_alloc(size + 1, 1);
    if (!log || size == 0) return log;
    if (target->call->GetProgramBuildInfo(program, target->device.id, CL_PROGRAM_BUILD_LOG, size,
                                          log, NULL) != CL_SUCCESS)
        log[0] = '\0';
    return log;
}

/* Appends the log to the file that SHOAL_CL_LOG names. A file that cannot be written is no reason
 * to fail. */
static void keep_log(const build *b, const char *log)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    const char *path = getenv("SHOAL_CL_LOG");
    if (!path || !*path) return;
    (void)pthread_mutex_lock(&one_at_a_time);
    FILE *file = fopen(path, "ab");
    if (file) {
        (void)fprintf(file, "== kernels/%s for %s with %s\n%s\n", b->source_name,
                      b->target->device.info.name, b->options, log);
        (void)fclose(file);
    }
    (void)pthread_mutex_unlock(&one_at_a_time);
}

/* The first lines of a log that speak of errors, or the first of all, in one line. */
static void pick_errors(const char *log, const char *word, char *out, size_t size)
{
    enum { MOST = 3 };
    size_t used = 0;
    int found = 0;
    out[0] = '\0';
    for (const char *line = log; *line && found < MOST && used < size;) {
        const size_t n = strcspn(line, "\n");
        const shoal_span text = shoal_span_trim((shoal_span){line, n});
        const char *hit = strstr(line, word);
        if (text.size > 0 && hit && hit < line + n + 1) {
            const int m = snprintf(out + used, size - used, "%s%.*s", found++ > 0 ? " | " : "",
                                   (int)text.size, text.text);
            used += m > 0 ? (size_t)m : 0;
        }
        line += n + (line[n] == '\n');
    }
}

static shoal_status fail_build(const build *b, cl_int code, const char *log)
{
    const shoal_device_info *info = &b->target->device.info;
    char errors[700];
    pick_errors(log, "error", errors, sizeof errors);
    if (!errors[0]) pick_errors(log, "", errors, sizeof errors);
    return shoal_fail(cl_error_status(code),
                      "kernels/%s does not compile for %s, %s with %s: %s: %s", b->source_name,
                      info->device, info->name, b->options, cl_error_name(code),
                      errors[0] ? errors : "the compiler gives no reason");
}

/* Compiles a program that was made from source; log and errors become ours. */
static shoal_status compile(const build *b, cl_program program)
{
    const cl_target *target = b->target;
    const cl_int code =
        target->call->BuildProgram(program, 1, &target->device.id, b->options, NULL, NULL);
    char *raw = read_log(b, program);
    if (!raw) return SHOAL_E_MEMORY;
    shoal_string log;
    shoal_status status = cl_source_place_log(b->source.data, raw, &log);
    if (status == SHOAL_OK) {
        keep_log(b, log.data);
        if (code != CL_SUCCESS) status = fail_build(b, code, log.data);
    }
    shoal_string_free(&log);
    free(raw);
    return status;
}

static shoal_status build_source(const build *b, cl_program *out)
{
    const cl_target *target = b->target;
    const char *text = b->source.data;
    const size_t size = b->source.size;
    cl_int code;
    cl_program program =
        target->call->CreateProgramWithSource(target->context, 1, &text, &size, &code);
    if (code != CL_SUCCESS) return cl_target_fail(target, code, "kernels/%s", b->source_name);
    const shoal_status status = compile(b, program);
    if (status != SHOAL_OK) {
        (void)target->call->ReleaseProgram(program);
        return status;
    }
    *out = program;
    return SHOAL_OK;
}

/* Keeps the binary of a program for the next time, if there is one to be had. */
static void store_binary(const build *b, cl_program program)
{
    const cl_target *target = b->target;
    size_t size = 0;
    if (target->call->GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        size == 0)
        return;
    unsigned char *binary = malloc(size);
    if (!binary) return;
    if (target->call->GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) ==
        CL_SUCCESS)
        (void)cl_cache_store(b->key, "bin", binary, size);
    free(binary);
}

/* False if there is no binary, or none that the driver still takes. */
static bool load_binary(const build *b, cl_program *out)
{
    const cl_target *target = b->target;
    unsigned char *binary;
    size_t size;
    cl_int taken, code;
    if (!cl_cache_load(b->key, "bin", &binary, &size)) return false;
    cl_program program =
        target->call->CreateProgramWithBinary(target->context, 1, &target->device.id, &size,
                                              (const unsigned char **)&binary, &taken, &code);
    free(binary);
    if (code != CL_SUCCESS) return false;
    if (taken == CL_SUCCESS && target->call->BuildProgram(program, 1, &target->device.id,
                                                          b->options, NULL, NULL) == CL_SUCCESS) {
        *out = program;
        return true;
    }
    (void)target->call->ReleaseProgram(program);
    return false;
}

/* The caller's text and the source behind it. */
static shoal_status join(const char *source_name, const char *text, shoal_string *out)
{
    shoal_string source = {0};
    shoal_status status = cl_source_expand(source_name, &source);
    *out = (shoal_string){0};
    if (status == SHOAL_OK) status = shoal_string_append(out, shoal_span_of(text));
    if (status == SHOAL_OK) status = shoal_string_append(out, shoal_span_of(source.data));
    if (status != SHOAL_OK) shoal_string_free(out);
    shoal_string_free(&source);
    return status;
}

/* Builds the program of a build, or takes its binary from the cache. */
static shoal_status find_or_build(void *what, cl_program *out, bool *cached)
{
    build *b = what;
    SHOAL_TRY(join(b->source_name, b->text, &b->source));
    b->key = cl_target_key(b->target, b->source.data, b->options);
    *cached = load_binary(b, out);
    shoal_status status = SHOAL_OK;
    const cl_apart_task task = {b->target->device.info.device, b->source_name, b->options,
                                b->source.data};
    bool made = *cached;
    if (!made && b->apart) made = cl_apart_compile(b->key, &task) && load_binary(b, out);
    if (!made) {
        status = build_source(b, out);
        if (status == SHOAL_OK) store_binary(b, *out);
    }
    shoal_string_free(&b->source);
    return status;
}

/* Whether the options define a name, as a whole word. */
static bool defines(const char *options, const char *word)
{
    shoal_span rest = shoal_span_of(options);
    for (;;) {
        const shoal_span next = shoal_span_word(&rest);
        if (next.size == 0) return false;
        if (shoal_span_equal(next, word)) return true;
    }
}

shoal_status cl_code_build(cl_code *out, cl_target *target, const char *source_name,
                           const char *options)
{
    return cl_code_build_with(out, target, source_name, "", options);
}

/* Fills in the options of a build and what its program is known by; the caller frees *name. */
static shoal_status name_program(build *b, const char *options, shoal_string *name)
{
    const char *directory = getenv("SHOAL_KERNEL_DIR");
    *name = (shoal_string){0};
    const char *more = kernel_choices_options();
    const int n = snprintf(b->options, sizeof b->options, "%s%s%s%s%s", STANDARD,
                           *options ? " " : "", options, *more ? " " : "", more);
    if (n < 0 || (size_t)n >= sizeof b->options)
        return shoal_fail(SHOAL_E_ARGUMENT, "kernels/%s: build options are too long",
                          b->source_name);
    const char *const parts[] = {
        b->source_name, "|", b->options, "|", directory ? directory : "", "|", b->text};
    shoal_status status = SHOAL_OK;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0] && status == SHOAL_OK; ++k)
        status = shoal_string_append(name, shoal_span_of(parts[k]));
    return status;
}

static shoal_status build_as(cl_code *out, build *b, const char *options)
{
    shoal_string name;
    cl_program program = NULL;
    *out = (cl_code){0};
    shoal_status status = name_program(b, options, &name);
    if (status == SHOAL_OK)
        status = cl_shared_program(b->target->shared, name.data, find_or_build, b, &program);
    shoal_string_free(&name);
    if (status == SHOAL_OK)
        *out = (cl_code){b->target, program, defines(options, "-DSHOAL_DOUBLE")};
    return status;
}

shoal_status cl_code_build_with(cl_code *out, cl_target *target, const char *source_name,
                                const char *text, const char *options)
{
    build b = {.target = target, .source_name = source_name, .text = text};
    return build_as(out, &b, options);
}

shoal_status cl_code_build_request(cl_code *out, cl_target *target, const cl_code_request *request)
{
    return cl_code_build_with(out, target, request->source, request->text ? request->text : "",
                              request->options);
}

/* Takes a binary as the one that wants it will, down to its kernels: drivers keep machine code of their own, which they
 * may make only then. Whether that works shows there. */
static void rehearse(const build *b)
{
    const cl_target *target = b->target;
    char names[2048] = "";
    cl_program program;
    if (!load_binary(b, &program)) return;
    (void)target->call->GetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL);
    for (char *name = names, *next; *name; name = next) {
        cl_int code;
        next = name + strcspn(name, ";");
        if (*next) *next++ = '\0';
        cl_kernel kernel = target->call->CreateKernel(program, name, &code);
        if (code == CL_SUCCESS) (void)target->call->ReleaseKernel(kernel);
    }
    (void)target->call->ReleaseProgram(program);
}

shoal_status cl_code_compile(cl_cache_key key, const cl_apart_task *task)
{
    cl_target *target;
    cl_program program = NULL;
    SHOAL_TRY(cl_target_open(&target, task->device + strlen("opencl:"), false));
    build b = {.target = target, .source_name = task->source_name, .text = "", .key = key};
    shoal_status status = shoal_string_set(&b.source, shoal_span_of(task->source));
    (void)snprintf(b.options, sizeof b.options, "%s", task->options);
    const cl_cache_key own = cl_target_key(target, task->source, task->options);
    if (status == SHOAL_OK && strcmp(own.digest, key.digest) != 0)
        status = shoal_fail(SHOAL_E_DEVICE, "%s is another device here", task->device);
    if (status == SHOAL_OK) status = build_source(&b, &program);
    if (status == SHOAL_OK) {
        store_binary(&b, program);
        (void)target->call->ReleaseProgram(program);
        rehearse(&b);
    }
    shoal_string_free(&b.source);
    cl_target_close(target);
    return status;
}

/* Whether a program is kept or being built; false where that cannot be found out. */
static bool is_known(cl_target *target, const cl_code_request *request)
{
    build b = {.target = target,
               .source_name = request->source,
               .text = request->text ? request->text : ""};
    shoal_string name;
    const bool known = name_program(&b, request->options, &name) == SHOAL_OK &&
                       cl_shared_knows(target->shared, name.data);
    shoal_string_free(&name);
    return known;
}

/* Programs that several threads build. Error texts belong to threads, so that of the first program that fails is carried
 * over. */
typedef struct preparation {
    cl_target *target;
    const cl_code_request *requests[CL_CODE_MOST_WISHES];
    int32_t n;
    pthread_mutex_t lock; /* of what follows */
    shoal_status status;
    int32_t failed; /* the number of the program whose text it is */
    char text[1024];
} preparation;

static void prepare_one(void *what, int32_t k)
{
    preparation *p = what;
    cl_code code;
    const cl_code_request *r = p->requests[k];
    build b = {.target = p->target,
               .source_name = r->source,
               .text = r->text ? r->text : "",
               .apart = k > 0}; /* this process compiles, too */
    const shoal_status status = build_as(&code, &b, r->options);
    cl_code_free(&code);
    if (status == SHOAL_OK) return;
    (void)pthread_mutex_lock(&p->lock);
    if (p->status == SHOAL_OK || k < p->failed) {
        p->status = status;
        p->failed = k;
        (void)snprintf(p->text, sizeof p->text, "%s", shoal_error_text());
    }
    (void)pthread_mutex_unlock(&p->lock);
}

shoal_status cl_code_prepare(cl_target *target, const cl_code_request *requests, int32_t n)
{
    preparation p = {.target = target, .lock = PTHREAD_MUTEX_INITIALIZER};
    for (int32_t k = 0; k < n; ++k)
        if (!is_known(target, &requests[k])) p.requests[p.n++] = &requests[k];
    if (p.n == 0) return SHOAL_OK;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    thread_pool *pool =
        p.n > 1 ? thread_pool_create(p.n < processors ? (int)p.n : (int)processors) : NULL;
    thread_pool_run(pool, p.n, prepare_one, &p);
    thread_pool_destroy(pool);
    (void)pthread_mutex_destroy(&p.lock);
    return p.status == SHOAL_OK ? SHOAL_OK : shoal_fail(p.status, "%s", p.text);
}

void cl_code_free(cl_code *code)
{
    if (code->program) (void)code->target->call->ReleaseProgram(code->program);
    *code = (cl_code){0};
}
