/* SPDX-License-Identifier: BSD-3-Clause
 * States of large systems: which of an earlier stream are kept, told and dropped. */
#include "check.h"
#include "stream/stream.h"

static const char state[] = "the state of a relaxation";

/* The state that a stream with these options tells when it begins, or NULL. */
static const char *told(shoal_stream_options o, stream *s, shoal_stream_progress *p)
{
    *s = (stream){.options = &o};
    *p = (shoal_stream_progress){0};
    CHECK(stream_states_open(s) == SHOAL_OK);
    stream_tell_state(s, p);
    s->options = NULL;
    return p->state;
}

static shoal_stream_options options_of(int64_t index, int64_t first)
{
    return (shoal_stream_options){
        .job = SHOAL_JOB_RELAX,
        .input.first = first,
        .resume = {.state = state, .size = sizeof state, .index = index, .seconds = 10}};
}

/* One that is still to be computed here is told until there is a newer one. */
static void test_begin(void)
{
    stream s;
    shoal_stream_progress p;
    for (int64_t index = 0; index < 12; ++index) {
        const shoal_variants pairs = {.n = 4, .series = 2};
        shoal_stream_options o = options_of(index, 5);
        CHECK((told(o, &s, &p) != NULL) == (index >= 5));
        if (index >= 5) {
            CHECK(p.state_index == index && p.state_size == sizeof state);
            CHECK(memcmp(p.state, state, sizeof state) == 0);
        }
        stream_states_close(&s);
        o = options_of(index, 0);
        o.input.n_shards = 3;
        o.input.shard = 1;
        CHECK((told(o, &s, &p) != NULL) == (index % 3 == 1));
        stream_states_close(&s);
        o.build.variants = &pairs;
        const int32_t unit = stream_unit(&o);
        CHECK(unit > 1);
        CHECK((told(o, &s, &p) != NULL) == (index / unit % 3 == 1));
        stream_states_close(&s);
    }
}

/* Nobody but the first of peers is told; the others take states, too, for it. Only relaxations have such states, and only those who
 * ask get them. */
static void test_who(void)
{
    stream s;
    shoal_stream_progress p;
    for (int k = 0; k < 5; ++k) {
        const shoal_peers peers = {.rank = k, .size = 3};
        shoal_stream_options o = options_of(2, 0);
        if (k < 2) o.peers = &peers;
        if (k == 3) o.job = SHOAL_JOB_ENERGY;
        if (k == 4) o.resume.seconds = 0;
        CHECK((told(o, &s, &p) != NULL) == (k == 0 || k == 2));
        CHECK((s.state_seconds > 0) == (k <= 2));
        stream_states_close(&s);
    }
}

/* What another rank tells of its large system: the first is kept, until that needs none any more. */
static void test_take(void)
{
    const shoal_stream_options o = options_of(7, 0);
    const shoal_span one = {"one", 3}, other = {"other", 5}, none = {"", 0};
    stream s = {.options = &o};
    shoal_stream_progress p = {0};
    CHECK(stream_states_open(&s) == SHOAL_OK);
    stream_take_state(&s, 8, other);
    stream_tell_state(&s, &p);
    CHECK(p.state_index == 7 && p.state_size == sizeof state);
    stream_take_state(&s, 5, one);
    stream_tell_state(&s, &p);
    CHECK(p.state_index == 5 && p.state_size == 3);
    stream_take_state(&s, 5, other);
    stream_take_state(&s, 6, none);
    stream_tell_state(&s, &p);
    CHECK(p.state_index == 5 && p.state_size == 5);
    stream_take_state(&s, 5, none);
    stream_tell_state(&s, &p);
    CHECK(!p.state);
    stream_take_state(&s, 8, one);
    CHECK(s.state_is_new && s.state_index == 8);
    s.state_seconds = 0; /* nobody asks */
    stream_take_state(&s, 2, other);
    CHECK(s.state_index == 8);
    stream_states_close(&s);
}

/* A state is of use until its system is done. */
static void test_drop(void)
{
    const shoal_stream_options o = options_of(7, 0);
    for (int64_t done = 6; done <= 8; ++done) {
        stream s = {.options = &o};
        shoal_stream_progress p = {0};
        CHECK(stream_states_open(&s) == SHOAL_OK);
        stream_tell_state(&s, &p);
        CHECK(p.state && !s.state_is_new);
        stream_drop_state(&s, done);
        CHECK(s.state_is_new == (done >= 7));
        stream_tell_state(&s, &p);
        CHECK((p.state != NULL) == (done < 7) && (p.state_size > 0) == (done < 7));
        stream_states_close(&s);
    }
}

/* Systems of a unit go on together; the state itself is of one of them. */
static void test_units(void)
{
    const shoal_variants pairs = {.n = 4, .series = 2};
    shoal_stream_options o = options_of(6, 0);
    for (int k = 0; k < 3; ++k) {
        o.build.variants = k > 0 ? &pairs : NULL;
        o.job = k < 2 ? SHOAL_JOB_RELAX : SHOAL_JOB_MD;
        const stream s = {.options = &o};
        const int32_t unit = stream_unit(&o);
        for (int64_t i = 0; i < 16; ++i) {
            const shoal_stream_system system = {.index = i};
            CHECK(stream_has_state(&s, &system) == (k < 2 && i == 6));
            CHECK(stream_goes_on(&s, &system) == (k < 2 && i / unit == 6 / unit));
        }
    }
}

/* The head of an entry of a state of dynamics, with nothing behind it. */
typedef struct entry {
    char magic[8];
    uint64_t size;
    int64_t last;
    uint64_t n_systems, n_sinks, engine_size;
} entry;

/* Of several groups of trajectories those that are not done yet are kept, in their order. */
static void test_dynamics(void)
{
    entry of[4];
    for (int k = 0; k < 4; ++k) {
        of[k] = (entry){.last = 3 + 2 * k}; /* 3, 5, 7, 9 */
        memcpy(of[k].magic, "shoalmd2", 8);
    }
    shoal_stream_options o = {
        .job = SHOAL_JOB_MD,
        .input.first = 5,
        .resume = {.state = (const char *)of, .size = sizeof of, .seconds = 10}};
    stream s = {.options = &o};
    CHECK(stream_states_open(&s) == SHOAL_OK);
    CHECK(s.state.size == 3 * sizeof *of && memcmp(s.state.data, of + 1, 3 * sizeof *of) == 0);
    stream_md_drop_states(&s, 6);
    CHECK(s.state.size == 2 * sizeof *of && memcmp(s.state.data, of + 2, 2 * sizeof *of) == 0);
    stream_states_close(&s);
    /* cut short, of other sinks, of something else */
    for (int k = 0; k < 4; ++k) {
        s = (stream){.options = &o};
        o.resume.size = k == 0 ? sizeof of - 1 : sizeof of;
        of[3].n_sinks = k == 1;
        of[3].size = k == 2;
        of[3].magic[7] = k == 3 ? '1' : '2';
        CHECK(stream_states_open(&s) == SHOAL_E_ARGUMENT);
        stream_states_close(&s);
    }
}

int main(void)
{
    test_begin();
    test_who();
    test_take();
    test_drop();
    test_units();
    test_dynamics();
    return check_done();
}
