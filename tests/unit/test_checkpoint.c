/* SPDX-License-Identifier: BSD-3-Clause
 * Checkpoints as files: they come back as they were, damage is noticed, the one before is used, and no link is followed. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "stream/checkpoint.h"

#define PATH "test_checkpoint.tmp"

static checkpoint_input inputs[] = {
    {.path = "a b.sdf", .size = 12345678901, .hash = UINT64_C(0xfedcba9876543210)},
    {.path = "", .size = 0, .hash = 1}};
static checkpoint_output outputs[] = {
    {.path = "out\n.xyz", .form = "molecules xyz", .size = 77, .hash = UINT64_MAX - 5}};

static checkpoint make(int64_t next)
{
    static char version[] = "1.2", about[] = "shoal relax\n--fmax 0.1\n--device cpu";
    static char state[] = "state\0with a zero\n";
    return (checkpoint){.version = version,
                        .about = about,
                        .digest = "0123",
                        .inputs = inputs,
                        .n_inputs = 2,
                        .outputs = outputs,
                        .n_outputs = 1,
                        .next = next,
                        .complete = true,
                        .counts = {.done = 1,
                                   .failed = 2,
                                   .unreadable = 3,
                                   .warned = 4,
                                   .refused = 5,
                                   .no_hydrogens = 6,
                                   .evaluations = 7,
                                   .seconds = 8.5},
                        .rows_device = 9,
                        .rows_inode = 10,
                        .rows_size = -1,
                        .frames = 11,
                        .state = state,
                        .state_size = sizeof state,
                        .state_index = 11};
}

static void check_equal(const checkpoint *a, const checkpoint *b)
{
    CHECK_TEXT(a->version, b->version);
    CHECK_TEXT(a->about, b->about);
    CHECK_TEXT(a->digest, b->digest);
    CHECK(a->n_inputs == b->n_inputs && a->n_outputs == b->n_outputs);
    CHECK_TEXT(a->inputs[0].path, b->inputs[0].path);
    CHECK(a->inputs[0].size == b->inputs[0].size && a->inputs[0].hash == b->inputs[0].hash);
    CHECK_TEXT(a->outputs[0].path, b->outputs[0].path);
    CHECK_TEXT(a->outputs[0].form, b->outputs[0].form);
    CHECK(a->outputs[0].size == b->outputs[0].size && a->outputs[0].hash == b->outputs[0].hash);
    CHECK(a->next == b->next && a->complete == b->complete);
    CHECK(memcmp(&a->counts, &b->counts, sizeof a->counts) == 0);
    CHECK(a->rows_device == 9 && a->rows_inode == 10 && a->rows_size == -1 && a->frames == 11);
    CHECK(a->state_size == b->state_size && a->state_index == b->state_index);
    CHECK(a->state && b->state && memcmp(a->state, b->state, a->state_size) == 0);
}

static void test_text(void)
{
    const checkpoint c = make(5);
    checkpoint back;
    shoal_string text = {0};
    checkpoint_format(&c, &text);
    CHECK(checkpoint_parse(&back, shoal_string_data(&text), shoal_string_size(&text)) == SHOAL_OK);
    check_equal(&back, &c);
    checkpoint_free(&back);
    /* Cut anywhere, or with any byte changed, it is none. */
    int taken = 0;
    const size_t n = shoal_string_size(&text);
    char *copy = malloc(n);
    CHECK(copy != NULL);
    for (size_t i = 0; copy && i < n; ++i) {
        taken += checkpoint_parse(&back, shoal_string_data(&text), i) == SHOAL_OK;
        checkpoint_free(&back);
        memcpy(copy, shoal_string_data(&text), n);
        copy[i] ^= 1;
        taken += checkpoint_parse(&back, copy, n) == SHOAL_OK;
        checkpoint_free(&back);
    }
    CHECK(taken == 0);
    free(copy);
    shoal_string_free(&text);
}

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* What is found under the name, by its number; -1: nothing; -2: refused. */
static int64_t find(shoal_status wanted)
{
    checkpoint c;
    bool found;
    const shoal_status status = checkpoint_load(&c, PATH, &found);
    CHECK(status == wanted);
    const int64_t next = status != SHOAL_OK ? -2 : found ? c.next : -1;
    checkpoint_free(&c);
    return next;
}

static void save_two(void)
{
    checkpoint_remove(PATH);
    const checkpoint first = make(1), second = make(2);
    CHECK(checkpoint_save(&first, PATH) == SHOAL_OK && checkpoint_save(&second, PATH) == SHOAL_OK);
    CHECK(access(PATH ".old", F_OK) == 0 && access(PATH ".new", F_OK) != 0);
}

/* An empty one, one without its head, one that is cut, none: the one before is used, and is not lost afterwards. */
static void test_older(void)
{
    const char *const damage[] = {"", "precious?", "shoal checkpoint 4\nversion 1\n", NULL};
    for (int k = 0; k < 4; ++k) {
        save_two();
        CHECK(find(SHOAL_OK) == 2);
        if (damage[k])
            put_file(PATH, damage[k]);
        else
            CHECK(unlink(PATH) == 0);
        CHECK(checkpoint_check_name(PATH) == SHOAL_OK);
        CHECK(find(SHOAL_OK) == 1);
        const checkpoint third = make(3);
        CHECK(checkpoint_save(&third, PATH) == SHOAL_OK);
        CHECK(find(SHOAL_OK) == 3);
        put_file(PATH, "");
        CHECK(find(SHOAL_OK) == 1);
    }
    checkpoint_remove(PATH);
    CHECK(find(SHOAL_OK) == -1);
    put_file(PATH, "");
    CHECK(find(SHOAL_E_FORMAT) == -2);
    put_file(PATH, "shoal checkpoint 1\ncommand 0\n");
    CHECK(find(SHOAL_E_FORMAT) == -2 && checkpoint_check_name(PATH) == SHOAL_OK);
    put_file(PATH, "precious");
    CHECK(find(SHOAL_E_ARGUMENT) == -2 && checkpoint_check_name(PATH) == SHOAL_E_ARGUMENT);
    checkpoint_remove(PATH);
}

/* A link at the name of the next one is not followed, what a killed run left there is replaced. */
static void test_link(void)
{
    const checkpoint c = make(4);
    struct stat info;
    char text[32] = "";
    put_file(PATH ".precious", "precious");
    CHECK(symlink(PATH ".precious", PATH ".new") == 0);
    CHECK(checkpoint_save(&c, PATH) == SHOAL_OK);
    CHECK(lstat(PATH, &info) == 0 && S_ISREG(info.st_mode));
    FILE *file = fopen(PATH ".precious", "r");
    CHECK(file && fgets(text, sizeof text, file) && fclose(file) == 0);
    CHECK_TEXT(text, "precious");
    put_file(PATH ".new", "half");
    CHECK(checkpoint_save(&c, PATH) == SHOAL_OK && find(SHOAL_OK) == 4);
    checkpoint_remove(PATH);
    CHECK(unlink(PATH ".precious") == 0);
}

static void expect(checkpoint then, checkpoint now, const char *text)
{
    CHECK(checkpoint_compare(&then, &now, PATH) == SHOAL_E_ARGUMENT);
    if (!strstr(shoal_error_text(), text)) (void)printf("said: %s\n", shoal_error_text());
    CHECK(strstr(shoal_error_text(), text) != NULL);
}

static void test_reasons(void)
{
    const checkpoint then = make(1);
    checkpoint now = then;
    checkpoint_input other[2] = {inputs[0], inputs[1]};
    checkpoint_output elsewhere = outputs[0];
    char version[] = "1.3", about[] = "shoal relax\n--fmax 0.2\n--device cpu";
    char less[] = "shoal relax\n--fmax 0.1", turned[] = "shoal relax\n--device cpu\n--fmax 0.1";
    CHECK(checkpoint_compare(&then, &now, PATH) == SHOAL_OK);
    now.version = version;
    expect(then, now, "version: 1.2");
    now = then;
    now.about = about;
    expect(then, now, "--fmax was 0.1 there and is 0.2 now");
    now.about = less;
    expect(then, now, "with '--device cpu'");
    expect(now, then, "without '--device cpu'");
    now.about = turned;
    expect(then, now, "another order");
    now = then;
    now.inputs = other;
    other[0].hash ^= 1;
    expect(then, now, "has changed");
    other[0] = inputs[0];
    other[0].size += 1;
    expect(then, now, "has changed");
    other[0] = inputs[0];
    other[0].hash = 0; /* of one that could not be read, then or now */
    expect(then, now, "cannot be compared");
    expect(now, then, "cannot be compared");
    expect(now, now, "cannot be compared");
    checkpoint begun = now; /* nothing was computed of it yet */
    begun.counts.done = 0;
    begun.complete = false;
    expect(begun, then, "cannot be compared"); /* but for a large system on its way */
    begun.state = NULL;
    CHECK(checkpoint_compare(&begun, &then, PATH) == SHOAL_OK);
    now = then;
    now.n_inputs = 1;
    expect(then, now, "other files");
    now = then;
    now.outputs = &elsewhere;
    elsewhere.path = version;
    expect(then, now, "other outputs");
    elsewhere = outputs[0];
    elsewhere.form = about;
    expect(then, now, "was 'molecules xyz' there and is 'shoal relax");
    now = then;
    now.digest[0] = '1';
    expect(then, now, "options, systems or parameters");
}

int main(void)
{
    test_text();
    test_older();
    test_link();
    test_reasons();
    return check_done();
}
