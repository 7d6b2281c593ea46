/* SPDX-License-Identifier: BSD-3-Clause
 * Reading molecules from text in memory and from files, for the tests of src/io. */
#ifndef SHOAL_TESTS_IO_FIXTURE_H
#define SHOAL_TESTS_IO_FIXTURE_H

#include <stdlib.h>

#include "check.h"
#include "shoal/io.h"

/* A reader and the frame it is at. */
typedef struct fixture {
    shoal_reader *reader;
    shoal_molecule *mol;
    bool found;
} fixture;

static inline void fixture_open(fixture *f, const char *text, shoal_format format)
{
    *f = (fixture){0};
    CHECK(shoal_molecule_create(&f->mol) == SHOAL_OK);
    CHECK(shoal_reader_open_memory(&f->reader, text, strlen(text), "text", format) == SHOAL_OK);
}

static inline void fixture_open_file(fixture *f, const char *path)
{
    *f = (fixture){0};
    CHECK(shoal_molecule_create(&f->mol) == SHOAL_OK);
    CHECK(shoal_reader_open(&f->reader, path, SHOAL_FORMAT_AUTO) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
}

/* Reads the next frame; the text of a failure is printed. */
static inline shoal_status fixture_next(fixture *f)
{
    const shoal_status status = shoal_reader_next(f->reader, f->mol, &f->found);
    if (status != SHOAL_OK) (void)printf("%s\n", shoal_error_text());
    return status;
}

static inline void fixture_close(fixture *f)
{
    shoal_reader_destroy(f->reader);
    shoal_molecule_destroy(f->mol);
}

/* Opens a text and reads its first frame, which must be there. */
static inline void fixture_first(fixture *f, const char *text, shoal_format format)
{
    fixture_open(f, text, format);
    CHECK(fixture_next(f) == SHOAL_OK);
    CHECK(f->found);
}

/* The file must end here. */
static inline void fixture_end(fixture *f)
{
    CHECK(fixture_next(f) == SHOAL_OK);
    CHECK(!f->found);
    fixture_close(f);
}

/* A property, "(none)" if it is absent. */
static inline const char *fixture_property(const fixture *f, const char *key)
{
    const char *value = shoal_molecule_property(f->mol, key);
    return value ? value : "(none)";
}

static inline bool fixture_has_zlib(void)
{
    return strstr(shoal_version_text(), "zlib") != NULL;
}

#endif
