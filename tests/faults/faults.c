/* SPDX-License-Identifier: BSD-3-Clause
 * Makes the n-th call of a kind fail, for tests: preloaded, and told by the environment.
 *
 *   SHOAL_FAULT=KIND:N    the N-th call fails, counted from 1
 *   SHOAL_FAULT=KIND:N+   so do all after it
 *   SHOAL_FAULT_LOG=FILE  at the end, "KIND NUMBER" for every kind and "failed NUMBER", then "live OFFSET NUMBER
 *                         BYTES" of memory that was not freed, by the place in the program that asked for it
 *
 * Only calls from the program itself count: what libc, zlib or an OpenCL driver do without memory is not ours to
 * test. Kinds are the words of `names` below. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MEMORY, OPEN, READ, WRITE, SYNC, RENAME, STDIO, THREAD, OPENCL, N_KINDS };

static const char *const names[N_KINDS] = {"memory", "open",  "read",   "write", "sync",
                                           "rename", "stdio", "thread", "opencl"};

static atomic_long counts[N_KINDS];
static atomic_long n_failed;
static int wanted_kind = -1;
static long wanted, wanted_last;
static uintptr_t code_start, code_end;
static const char *log_path;

/* Memory that the program asked for and did not free. Places that freed entries leave are used again. */
enum { N_SLOTS = 1 << 20 };
typedef struct slot {
    uintptr_t block, caller;
    size_t size;
} slot;

static slot slots[N_SLOTS];
static atomic_flag slots_lock = ATOMIC_FLAG_INIT;
static uintptr_t program_base;

#define GONE ((uintptr_t)1)

static void lock_slots(void)
{
    while (atomic_flag_test_and_set_explicit(&slots_lock, memory_order_acquire)) continue;
}

static void unlock_slots(void)
{
    atomic_flag_clear_explicit(&slots_lock, memory_order_release);
}

static size_t slot_of(uintptr_t block)
{
    return (size_t)((block >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 44);
}

/* Takes a block over from the C library, which gave it to the program. */
static void *note(void *block, size_t size, const void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    if (!block || at < code_start || at >= code_end) return block;
    lock_slots();
    size_t k = slot_of((uintptr_t)block), tried = 0;
    while (slots[k].block > GONE && ++tried < N_SLOTS) k = (k + 1) % N_SLOTS;
    if (tried < N_SLOTS) slots[k] = (slot){(uintptr_t)block, at - program_base, size};
    unlock_slots();
    return block;
}

static void forget(const void *block)
{
    lock_slots();
    size_t k = slot_of((uintptr_t)block), tried = 0;
    while (slots[k].block && slots[k].block != (uintptr_t)block && ++tried < N_SLOTS)
        k = (k + 1) % N_SLOTS;
    if (slots[k].block == (uintptr_t)block) slots[k].block = GONE;
    unlock_slots();
}

/* Sums by caller; a program has few places that ask for memory. */
static void print_live(FILE *file)
{
    for (size_t k = 0; k < N_SLOTS; ++k) {
        if (slots[k].block <= GONE) continue;
        const uintptr_t caller = slots[k].caller;
        size_t n = 0, bytes = 0;
        for (size_t m = k; m < N_SLOTS; ++m) {
            if (slots[m].block <= GONE || slots[m].caller != caller) continue;
            ++n;
            bytes += slots[m].size;
            slots[m].block = GONE;
        }
        (void)fprintf(file, "live %lx %zu %zu\n", (unsigned long)caller, n, bytes);
    }
}

static int find_program(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    (void)user;
    for (int k = 0; k < info->dlpi_phnum; ++k) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[k];
        if (h->p_type != PT_LOAD || !(h->p_flags & PF_X)) continue;
        code_start = info->dlpi_addr + h->p_vaddr;
        code_end = code_start + h->p_memsz;
        program_base = info->dlpi_addr;
    }
    return 1; /* the first object is the program */
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("SHOAL_FAULT");
    (void)dl_iterate_phdr(find_program, NULL);
    log_path = getenv("SHOAL_FAULT_LOG");
    for (int k = 0; text && k < N_KINDS; ++k) {
        const size_t n = strlen(names[k]);
        char *end;
        if (strncmp(text, names[k], n) != 0 || text[n] != ':') continue;
        wanted = wanted_last = strtol(text + n + 1, &end, 10);
        if (*end == '+') wanted_last = INT32_MAX;
        wanted_kind = k;
    }
}

__attribute__((destructor)) static void end(void)
{
    wanted_kind = -1;
    FILE *file = log_path ? fopen(log_path, "w") : NULL;
    if (!file) return;
    for (int k = 0; k < N_KINDS; ++k)
        (void)fprintf(file, "%s %ld\n", names[k], atomic_load(&counts[k]));
    (void)fprintf(file, "failed %ld\n", atomic_load(&n_failed));
    print_live(file);
    (void)fclose(file);
}

static int fails(int kind, const void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    if (at < code_start || at >= code_end) return 0;
    const long n = atomic_fetch_add(&counts[kind], 1) + 1;
    if (kind != wanted_kind || n < wanted || n > wanted_last) return 0;
    (void)atomic_fetch_add(&n_failed, 1);
    return 1;
}

#define FAILS(kind) fails(kind, __builtin_return_address(0))

/* The function that would have been called. */
#define NEXT(name)                                                                                 \
    static __typeof__(&(name)) next;                                                               \
    if (!next) {                                                                                   \
        void *found = dlsym(RTLD_NEXT, #name);                                                     \
        memcpy(&next, &found, sizeof next);                                                        \
    }

/* --- memory: glibc's own names, as looking names up takes memory --------------------------------*/

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    return FAILS(MEMORY) ? no_memory() : note(__libc_malloc(size), size, CALLER);
}

void *calloc(size_t n, size_t size)
{
    return FAILS(MEMORY) ? no_memory() : note(__libc_calloc(n, size), n * size, CALLER);
}

void free(void *block)
{
    if (block) forget(block);
    __libc_free(block);
}

void *realloc(void *old, size_t size)
{
    if (FAILS(MEMORY)) return no_memory();
    if (old) forget(old);
    return note(__libc_realloc(old, size), size, CALLER);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return FAILS(MEMORY) ? no_memory() : note(__libc_memalign(alignment, size), size, CALLER);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (FAILS(MEMORY)) return ENOMEM;
    *out = note(__libc_memalign(alignment, size), size, CALLER);
    return *out ? 0 : ENOMEM;
}

/* --- files --------------------------------------------------------------------------------------*/

static int fail_with(int code)
{
    errno = code;
    return -1;
}

int open(const char *path, int flags, ...)
{
    NEXT(open)
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? (mode_t)va_arg(more, int) : 0;
    va_end(more);
    return FAILS(OPEN) ? fail_with(EMFILE) : next(path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    NEXT(fopen)
    if (!FAILS(OPEN)) return next(path, mode);
    errno = EMFILE;
    return NULL;
}

ssize_t read(int fd, void *to, size_t size)
{
    NEXT(read)
    return FAILS(READ) ? fail_with(EIO) : next(fd, to, size);
}

ssize_t pread(int fd, void *to, size_t size, off_t at)
{
    NEXT(pread)
    return FAILS(READ) ? fail_with(EIO) : next(fd, to, size, at);
}

/* A disk that is full takes half of what does not fit. */
ssize_t write(int fd, const void *from, size_t size)
{
    NEXT(write)
    if (fd == STDERR_FILENO || !FAILS(WRITE)) return next(fd, from, size);
    if (wanted_last > wanted && atomic_load(&n_failed) == 1 && size > 1)
        return next(fd, from, size / 2);
    return fail_with(ENOSPC);
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t at)
{
    NEXT(pwrite)
    return FAILS(WRITE) ? fail_with(ENOSPC) : next(fd, from, size, at);
}

ssize_t writev(int fd, const struct iovec *from, int n)
{
    NEXT(writev)
    return FAILS(WRITE) ? fail_with(ENOSPC) : next(fd, from, n);
}

/* Not with the writes: a full disk lets files shrink. */
int ftruncate(int fd, off_t size)
{
    NEXT(ftruncate)
    return FAILS(SYNC) ? fail_with(EIO) : next(fd, size);
}

int fsync(int fd)
{
    NEXT(fsync)
    return FAILS(SYNC) ? fail_with(EIO) : next(fd);
}

int fdatasync(int fd)
{
    NEXT(fdatasync)
    return FAILS(SYNC) ? fail_with(EIO) : next(fd);
}

int rename(const char *from, const char *to)
{
    NEXT(rename)
    return FAILS(RENAME) ? fail_with(EIO) : next(from, to);
}

int link(const char *from, const char *to)
{
    NEXT(link)
    return FAILS(RENAME) ? fail_with(EIO) : next(from, to);
}

/* As after a write that failed: ferror tells. */
static void mark_error(FILE *file)
{
    if (file) file->_flags |= 0x20; /* glibc's _IO_ERR_SEEN */
    errno = ENOSPC;
}

size_t fwrite(const void *from, size_t size, size_t n, FILE *file)
{
    NEXT(fwrite)
    if (file == stderr || !FAILS(STDIO)) return next(from, size, n, file);
    mark_error(file);
    return 0;
}

int fflush(FILE *file)
{
    NEXT(fflush)
    if (file == stderr || !FAILS(STDIO)) return next(file);
    mark_error(file);
    return EOF;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *user)
{
    NEXT(pthread_create)
    return FAILS(THREAD) ? EAGAIN : next(thread, attributes, start, user);
}

/* --- OpenCL: looked up by name in a library that is loaded late ---------------------------------*/

#define OUT_OF_RESOURCES (-5)

/* No call of OpenCL takes more than twelve arguments, and all are integers or pointers: passing on all places
 * where arguments may be passes on those that are. Releases do not fail. */
typedef uintptr_t word;
typedef word any_call(word, word, word, word, word, word, word, word, word, word, word, word);

/* A call that returns an object has the place for its status as argument `error`, counted from 0; -1: the status
 * is what it returns. */
#define CALLS(X)                                                                                   \
    X(GetPlatformIDs, -1)                                                                          \
    X(GetPlatformInfo, -1)                                                                         \
    X(GetDeviceIDs, -1)                                                                            \
    X(GetDeviceInfo, -1)                                                                           \
    X(CreateContext, 5)                                                                            \
    X(CreateCommandQueue, 3)                                                                       \
    X(Flush, -1)                                                                                   \
    X(Finish, -1)                                                                                  \
    X(WaitForEvents, -1)                                                                           \
    X(CreateBuffer, 4)                                                                             \
    X(EnqueueReadBuffer, -1)                                                                       \
    X(EnqueueWriteBuffer, -1)                                                                      \
    X(EnqueueFillBuffer, -1)                                                                       \
    X(EnqueueMapBuffer, 9)                                                                         \
    X(EnqueueUnmapMemObject, -1)                                                                   \
    X(CreateProgramWithSource, 4)                                                                  \
    X(CreateProgramWithBinary, 6)                                                                  \
    X(BuildProgram, -1)                                                                            \
    X(GetProgramInfo, -1)                                                                          \
    X(GetProgramBuildInfo, -1)                                                                     \
    X(RetainProgram, -1)                                                                           \
    X(CreateKernel, 2)                                                                             \
    X(SetKernelArg, -1)                                                                            \
    X(GetKernelWorkGroupInfo, -1)                                                                  \
    X(EnqueueNDRangeKernel, -1)                                                                    \
    X(GetEventProfilingInfo, -1)

#define WRAP(name, error)                                                                          \
    static any_call *real_##name;                                                                  \
    static word call_##name(word a, word b, word c, word d, word e, word f, word g, word h,        \
                            word i, word j, word k, word l)                                        \
    {                                                                                              \
        const word all[] = {a, b, c, d, e, f, g, h, i, j, k, l};                                   \
        if (!FAILS(OPENCL)) return real_##name(a, b, c, d, e, f, g, h, i, j, k, l);                \
        if ((error) < 0) return (word)OUT_OF_RESOURCES;                                            \
        int *status = (int *)all[(error) < 0 ? 0 : (error)];                                       \
        if (status) *status = OUT_OF_RESOURCES;                                                    \
        return 0;                                                                                  \
    }
CALLS(WRAP)

static const struct {
    const char *name;
    any_call **real, *call;
} wraps[] = {
#define ROW(name, error) {"cl" #name, &real_##name, call_##name},
    CALLS(ROW)};

static void *real_dlsym(void *handle, const char *name)
{
    static void *(*next)(void *, const char *);
    if (!next) {
        void *found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
        if (!found) found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
        if (!found) found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");
        memcpy(&next, &found, sizeof next);
    }
    return next(handle, name);
}

void *dlsym(void *handle, const char *name)
{
    const uintptr_t at = (uintptr_t)__builtin_return_address(0);
    void *found = real_dlsym(handle, name);
    if (!found || at < code_start || at >= code_end) return found;
    for (size_t k = 0; k < sizeof wraps / sizeof wraps[0]; ++k)
        if (strcmp(wraps[k].name, name) == 0) {
            memcpy(wraps[k].real, &found, sizeof found);
            memcpy(&found, &wraps[k].call, sizeof found);
        }
    return found;
}
