/* SPDX-License-Identifier: BSD-3-Clause
 * Kernel sources: embedded ones are complete, includes are put in place, lines keep their names. */
#include "cl/cl_source.h"

#include "check.h"
#include "cl_fixture.h"

static void test_embedded(void)
{
    shoal_string text;
    int32_t n_cl = 0;
    for (int32_t k = 0; k < cl_source_n_files; ++k) {
        const char *name = cl_source_files[k].name;
        if (!strstr(name, ".cl")) continue;
        ++n_cl;
        CHECK(cl_source_expand(name, &text) == SHOAL_OK);
        CHECK(text.data && !strstr(text.data, "#include \""));
        shoal_string_free(&text);
    }
    CHECK(n_cl > 0);
    CHECK(cl_source_expand("nothing.cl", &text) == SHOAL_E_DEVICE);
    CHECK_TEXT(shoal_error_text(), "there is no kernel source 'kernels/nothing.cl'");
}

static void test_includes(scratch_directory *d)
{
    shoal_string text;
    scratch_write(d, "a.cl",
                  "first\n#include \"b.h\"\nthird\n  # include \"c.h\"\n#include <d.h>\nlast");
    scratch_write(d, "b.h", "in b\n#include \"c.h\"\n");
    scratch_write(d, "c.h", "in c\n#include \"a.cl\"\n");
    CHECK(cl_source_expand("a.cl", &text) == SHOAL_OK);
    CHECK_TEXT(text.data, "#line 1 \"kernels/a.cl\"\nfirst\n"
                          "#line 1 \"kernels/b.h\"\nin b\n"
                          "#line 1 \"kernels/c.h\"\nin c\n"
                          "#line 3 \"kernels/c.h\"\n"
                          "#line 3 \"kernels/b.h\"\n"
                          "#line 3 \"kernels/a.cl\"\nthird\n"
                          "#line 5 \"kernels/a.cl\"\n#include <d.h>\nlast\n");
    shoal_string_free(&text);
    scratch_write(d, "e.cl", "#include \"gone.h\"\n");
    CHECK(cl_source_expand("e.cl", &text) == SHOAL_E_DEVICE);
    CHECK(strstr(shoal_error_text(), "gone.h") && strstr(shoal_error_text(), "SHOAL_KERNEL_DIR"));
    CHECK(text.data == NULL);
    scratch_write(d, "empty.cl", "");
    CHECK(cl_source_expand("empty.cl", &text) == SHOAL_OK);
    shoal_string_free(&text);
}

static void test_log(scratch_directory *d)
{
    shoal_string text, log;
    scratch_write(d, "p.cl", "first\n#include \"q.h\"\nthird\n");
    scratch_write(d, "q.h", "in q\nsecond\n");
    CHECK(cl_source_expand("p.cl", &text) == SHOAL_OK);
    const char *raw = "<kernel>:2:1: error: a\n in <kernel>:5:27: b\n<kernel>:7: c <kernel>:x";
    CHECK(cl_source_place_log(text.data, raw, &log) == SHOAL_OK);
    CHECK_TEXT(log.data, "kernels/p.cl:1:1: error: a\n in kernels/q.h:2:27: b\n"
                         "kernels/p.cl:3: c <kernel>:x");
    shoal_string_free(&log);
    CHECK(cl_source_place_log(text.data, "", &log) == SHOAL_OK);
    CHECK_TEXT(log.data, "");
    shoal_string_free(&log);
    shoal_string_free(&text);
}

int main(void)
{
    scratch_directory d = scratch_make();
    (void)unsetenv("SHOAL_KERNEL_DIR");
    test_embedded();
    (void)setenv("SHOAL_KERNEL_DIR", d.path, 1);
    test_includes(&d);
    test_log(&d);
    scratch_remove(&d);
    return check_done();
}
