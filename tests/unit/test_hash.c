/* SPDX-License-Identifier: BSD-3-Clause
 * Hashes: published values, since files hold them; and a change anywhere is noticed. */
#include "base/hash.h"

#include "base/sha256.h"
#include "check.h"
#include "shoal/text.h"

static uint64_t of_text(const char *text)
{
    return hash_bytes(HASH_START, text, strlen(text));
}

/* Vectors of the authors (test_fnv.c, Landon Curt Noll). */
static void test_fnv(void)
{
    CHECK(of_text("") == UINT64_C(0xcbf29ce484222325));
    CHECK(of_text("a") == UINT64_C(0xaf63dc4c8601ec8c));
    CHECK(of_text("foobar") == UINT64_C(0x85944171f73967e8));
    CHECK(hash_bytes(of_text("foo"), "bar", 3) == of_text("foobar"));
    CHECK(hash_name("", 0) == UINT32_C(0x811c9dc5));
    CHECK(hash_name("foobar", 6) == UINT32_C(0xbf9cf968));
}

static void test_texts(void)
{
    const uint64_t a = hash_text(hash_text(HASH_START, "ab"), "c");
    const uint64_t b = hash_text(hash_text(HASH_START, "a"), "bc");
    CHECK(a != b);
    CHECK(hash_text(HASH_START, "") != HASH_START);
    CHECK(hash_text(HASH_START, NULL) == HASH_START);
}

/* The value that grid files of version 2 hold for these bytes. */
static void test_words(void)
{
    unsigned char bytes[21];
    for (int k = 0; k < 21; ++k) bytes[k] = (unsigned char)k;
    const uint64_t whole = hash_words(HASH_START, bytes, sizeof bytes);
    CHECK(whole == UINT64_C(0xef2650e00899219c));
    CHECK(shoal_checksum_add(0, bytes, sizeof bytes) == whole);
    for (int k = 0; k < 21; ++k)
        for (int bit = 0; bit < 8; ++bit) {
            bytes[k] ^= (unsigned char)(1u << bit);
            CHECK(hash_words(HASH_START, bytes, sizeof bytes) != whole);
            bytes[k] ^= (unsigned char)(1u << bit);
        }
    CHECK(hash_words(HASH_START, "foobar", 6) == of_text("foobar"));
    CHECK(shoal_checksum_add(7, NULL, 0) == 7);
}

static void check_digest(const char *text, int n_times, size_t piece, const char *wanted)
{
    sha256 s;
    char out[SHA256_TEXT];
    sha256_begin(&s);
    for (int k = 0; k < n_times; ++k)
        for (size_t at = 0, n = strlen(text); at < n; at += piece)
            sha256_add(&s, text + at, n - at < piece ? n - at : piece);
    sha256_end(&s, out);
    CHECK_TEXT(out, wanted);
}

/* FIPS 180-4, examples of SHA-256. */
static void test_digests(void)
{
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    const char *digest_of_two = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
    char many[1001];
    memset(many, 'a', sizeof many - 1);
    many[1000] = '\0';
    check_digest("", 1, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_digest("abc", 1, 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    for (size_t piece = 1; piece <= strlen(two); ++piece)
        check_digest(two, 1, piece, digest_of_two);
    for (size_t piece = 63; piece <= 129; piece += 22)
        check_digest(many, 1000, piece,
                     "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    test_fnv();
    test_texts();
    test_words();
    test_digests();
    return check_done();
}
