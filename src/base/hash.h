/* SPDX-License-Identifier: BSD-3-Clause
 * Hashes that tell things apart and notice damage, but no forger (base/sha256.h): FNV-1a (Fowler, Noll and Vo). A
 * change of a single byte always changes them. Files hold such numbers: what these functions return stays. */
#ifndef SHOAL_BASE_HASH_H
#define SHOAL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

/* Goes on from a hash, HASH_START at first: pieces give what the whole gives. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; ++i) hash = (hash ^ p[i]) * HASH_PRIME;
    return hash;
}

/* A text with its end, so that "ab", "c" and "a", "bc" differ. NULL is no text. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
    return text ? hash_bytes(hash, text, strlen(text) + 1) : hash;
}

/* Eight times as fast, for large arrays: words of eight bytes, then the bytes that are left, so that pieces do
 * not give what the whole gives. */
static inline uint64_t hash_words(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (; n >= sizeof(uint64_t); p += sizeof(uint64_t), n -= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        hash = (hash ^ word) * HASH_PRIME;
        hash ^= hash >> 29;
    }
    return hash_bytes(hash, p, n);
}

/* 32 bits, of short names. */
static inline uint32_t hash_name(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < n; ++i) hash = (hash ^ p[i]) * UINT32_C(16777619);
    return hash;
}

#endif
