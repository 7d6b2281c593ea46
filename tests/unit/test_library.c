/* SPDX-License-Identifier: BSD-3-Clause
 * Libraries loaded at run time: found, missing, or without what is wanted. */
#include "base/library.h"
#include "check.h"

static double (*cosine)(double);

static bool load(const char *first, const char *second, const char *name, char *failure)
{
    const library_symbol symbol = {name, &cosine};
    const library_wish wish = {
        .title = "Mathematics", .files = {first, second}, .symbols = &symbol, .n_symbols = 1};
    return library_load(&wish, failure);
}

int main(void)
{
    char failure[LIBRARY_FAILURE_SIZE] = "";
    CHECK(load("libm.so.6", NULL, "cos", failure));
    CHECK_TEXT(failure, "");
    CHECK_NEAR(cosine(0), 1, 0);
    /* The second name stands in for the first. */
    CHECK(load("libno-such-thing.so.1", "libm.so.6", "cos", failure));
    CHECK_TEXT(failure, "");
    CHECK(!load("libno-such-thing.so.1", NULL, "cos", failure));
    CHECK(strstr(failure, "Mathematics is not installed: libno-such-thing.so.1") != NULL);
    CHECK(!load("libm.so.6", NULL, "shoal_no_such_symbol", failure));
    CHECK(strstr(failure, "lacks shoal_no_such_symbol") != NULL);
    return check_done();
}
