/* SPDX-License-Identifier: BSD-3-Clause
 * random_make and random_normal of kernels/random.h for SHOAL_LANES counters side by side, with the same bits. Compilers do
 * not find a good way to multiply vectors of words. Included by the template cpu_kernels.c. */

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Every second word, with room for a product: the lower half of a number counts, whatever is in the upper one. */
typedef uint64_t wide_words __attribute__((vector_size(SHOAL_LANES * sizeof(random_word))));

/* Products of the lower halves; upper halves in the place of the lower ones, by a shuffle, which is faster than a shift. */
#if defined(__AVX512F__) && SHOAL_LANES == 16
#define WORDS_PRODUCT(a, b) ((wide_words)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#define WORDS_HIGH(a) ((wide_words)_mm512_shuffle_epi32((__m512i)(a), (_MM_PERM_ENUM)0xF5))
#elif defined(__AVX2__) && SHOAL_LANES == 8
#define WORDS_PRODUCT(a, b) ((wide_words)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define WORDS_HIGH(a) ((wide_words)_mm256_shuffle_epi32((__m256i)(a), 0xF5))
#elif defined(__SSE2__) && SHOAL_LANES == 4
#define WORDS_PRODUCT(a, b) ((wide_words)_mm_mul_epu32((__m128i)(a), (__m128i)(b)))
#define WORDS_HIGH(a) ((wide_words)_mm_shuffle_epi32((__m128i)(a), 0xF5))
#else
#define WORDS_PRODUCT(a, b) (((a)&0xffffffffu) * ((b)&0xffffffffu))
#define WORDS_HIGH(a) ((a) >> 32)
#endif

typedef union random_lanes {
    random_word w[4][SHOAL_LANES];
    wide_words pairs[4];
} random_lanes;

/* The key of every round. */
typedef struct random_keys {
    wide_words k[10][2];
} random_keys;

static random_keys random_spread_keys(random_word key0, random_word key1)
{
    const wide_words zero = {0};
    random_keys keys;
    for (random_word round = 0; round < 10; ++round) {
        keys.k[round][0] = zero + (random_word)(key0 + round * 0x9E3779B9u);
        keys.k[round][1] = zero + (random_word)(key1 + round * 0xBB67AE85u);
    }
    return keys;
}

/* Words of even and of odd lanes, both through a round before the next one: products take long. */
static void random_make_lanes(const random_lanes *counters, const random_keys *keys,
                              random_lanes *to)
{
    const wide_words zero = {0}, first = zero + 0xD2511F53u, second = zero + 0xCD9E8D57u;
    wide_words w[4][2];
    for (int k = 0; k < 4; ++k) {
        w[k][0] = counters->pairs[k];
        w[k][1] = WORDS_HIGH(w[k][0]);
    }
    for (int round = 0; round < 10; ++round)
        for (int h = 0; h < 2; ++h) {
            const wide_words a = WORDS_PRODUCT(first, w[0][h]), b = WORDS_PRODUCT(second, w[2][h]);
            w[0][h] = WORDS_HIGH(b) ^ (w[1][h] ^ keys->k[round][0]);
            w[1][h] = b;
            w[2][h] = WORDS_HIGH(a) ^ (w[3][h] ^ keys->k[round][1]);
            w[3][h] = a;
        }
    for (int k = 0; k < 4; ++k) to->pairs[k] = (w[k][0] & 0xffffffffu) | w[k][1] << 32;
}

/* Three normal numbers of each. */
SHOAL_FN void random_normal_lane(const random_lanes *from, real to[3][SHOAL_LANES], int l)
{
    const random_words own = {{from->w[0][l], from->w[1][l], from->w[2][l], from->w[3][l]}};
    const v3 g = random_normal(own);
    to[0][l] = g.x;
    to[1][l] = g.y;
    to[2][l] = g.z;
}

static void random_normal_lanes(const random_lanes *from, real to[3][SHOAL_LANES])
{
    PRAGMA(omp simd)
    for (int l = 0; l < SHOAL_LANES; ++l) random_normal_lane(from, to, l);
}
