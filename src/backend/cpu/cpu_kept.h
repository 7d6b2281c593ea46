/* SPDX-License-Identifier: BSD-3-Clause
 * Systems that stay in their lanes between calls of step that ask for few steps: states are neither saved nor loaded, and
 * coordinates are handed back when somebody asks for them. A state in a lane is a saved one, bit for bit. Included by
 * the template cpu_kernels.c after cpu_step.h. */

typedef struct LANE(kept) {
    cpu_kept calls; /* first */
    arena memory;   /* of all this */
    cpu_steps steps;
    cpu_task *tasks;
    LANE(source) * sources; /* of every set; mixed ones have blocks of their own */
    LANE(lanes) * sets;     /* LANES systems each */
    int32_t n_sets;
} LANE(kept);

static void LANE(kept_destroy)(cpu_kept *p)
{
    LANE(kept) *k = (LANE(kept) *)(void *)p;
    arena memory = k->memory;
    arena_free(&memory);
}

/* Systems that were rejected meanwhile keep what they were given. */
static bool LANE(is_in)(const LANE(lanes) * s, int l)
{
    return s->task[l] && s->task[l]->result->active;
}

static void LANE(kept_hand_back)(const cpu_kept *p)
{
    const LANE(kept) *k = (const LANE(kept) *)(const void *)p;
    for (int32_t m = 0; m < k->n_sets; ++m)
        for (int l = 0; l < LANES; ++l)
            if (LANE(is_in)(&k->sets[m], l)) LANE(hand_back)(&k->sets[m], l);
}

static shoal_status LANE(kept_save)(cpu_kept *p)
{
    LANE(kept) *k = (LANE(kept) *)(void *)p;
    LANE(kept_hand_back)(p);
    for (int32_t m = 0; m < k->n_sets; ++m)
        for (int l = 0; l < LANES; ++l)
            if (k->sets[m].task[l]) LANE(save_lane)(&k->sets[m], l);
    for (int32_t m = 0; m < k->n_sets; ++m) SHOAL_TRY(k->sets[m].status);
    return SHOAL_OK;
}

/* Vectors of a round: sets follow each other and share them. */
static shoal_status LANE(share_scratch)(LANE(kept) * k, LANE(lanes) * s)
{
    const LANE(lanes) *first = k->sets;
    if (s == first) return LANE(allot_scratch)(s);
    s->trial = first->trial;
    s->ft = first->ft;
    s->soft = first->soft;
    s->change = first->change;
    s->soft_change = first->soft_change;
    s->whole = first->whole;
    s->words = first->words;
    s->quads = first->quads;
    s->room = first->room;
    return SHOAL_OK;
}

static shoal_status LANE(fill_set)(LANE(kept) * k, int32_t m, lane_rows rows, int32_t n_tasks)
{
    LANE(lanes) *s = &k->sets[m];
    LANE(source) *source = &k->sources[m];
    const cpu_task *tasks = k->tasks;
    if (source->mixed) {
        source->mixed = allot(&k->memory, 1, sizeof *source->mixed);
        if (!source->mixed || !mixed_create(source->mixed, tasks, n_tasks, &k->memory))
            return SHOAL_E_MEMORY;
    }
    LANE(begin_lanes)(s, source, rows, &k->steps, &k->memory);
    SHOAL_TRY(LANE(allot_state)(s));
    SHOAL_TRY(LANE(share_scratch)(k, s));
    for (int l = 0; l < LANES && m * LANES + l < n_tasks; ++l)
        LANE(start)(s, l, &tasks[m * LANES + l]);
    return s->status;
}

/* Takes n tasks, all of them on their way, into lanes. */
static shoal_status LANE(kept_create)(cpu_kept **out, const LANE(source) * source, lane_rows rows,
                                      const cpu_task *tasks, int32_t n, const cpu_steps *steps)
{
    arena memory = {0};
    LANE(kept) *k = allot(&memory, 1, sizeof *k);
    if (!k) return SHOAL_E_MEMORY;
    *k = (LANE(kept)){.calls = {LANE(kept_hand_back), LANE(kept_save), LANE(kept_destroy)},
                      .memory = memory,
                      .steps = *steps,
                      .n_sets = (n + LANES - 1) / LANES};
    const size_t n_sets = (size_t)k->n_sets;
    k->tasks = allot(&k->memory, (size_t)n, sizeof *k->tasks);
    k->sources = allot(&k->memory, n_sets, sizeof *k->sources);
    k->sets = allot(&k->memory, n_sets, sizeof *k->sets);
    shoal_status status = k->tasks && k->sources && k->sets ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) memcpy(k->tasks, tasks, (size_t)n * sizeof *tasks);
    for (int32_t m = 0; m < k->n_sets && status == SHOAL_OK; ++m) {
        k->sources[m] = *source;
        status = LANE(fill_set)(k, m, rows, n);
    }
    *out = &k->calls;
    if (status == SHOAL_OK) return SHOAL_OK;
    LANE(kept_destroy)(*out);
    *out = NULL;
    return status;
}

static int32_t LANE(count_kept)(const cpu_kept *p)
{
    const LANE(kept) *k = (const LANE(kept) *)(const void *)p;
    int32_t n = 0;
    for (int32_t m = 0; m < k->n_sets; ++m)
        for (int l = 0; l < LANES; ++l) n += LANE(is_in)(&k->sets[m], l);
    return n;
}

static shoal_status LANE(step_set)(LANE(lanes) * s, bool *go_on)
{
    const cpu_steps *steps = s->steps;
    cpu_watch *watch = steps->watch;
    if (watch->one) {
        watch->keep = LANE(keep_lanes);
        watch->lanes = s;
    }
    for (int32_t done = 0; done < steps->n_steps && *go_on; ++done) {
        int32_t n_active = 0;
        LANE(count_in)(s);
        for (int l = 0; l < LANES; ++l) n_active += s->task[l] != NULL;
        if (n_active == 0) break;
        LANE(make_round)(s);
        if (s->status != SHOAL_OK) break;
        *go_on = watch->go_on(watch, n_active);
    }
    watch->keep = NULL;
    for (int l = 0; l < LANES; ++l)
        if (s->task[l]) LANE(hand_counts_back)(s, l);
    return s->status;
}

/* Steps in the lanes that *kept has, if these are the systems on their way and few lanes idle; otherwise they are taken into
 * other ones. */
static shoal_status LANE(step_kept)(cpu_kept **kept, const LANE(source) * source, lane_rows rows,
                                    const cpu_task *tasks, int32_t n_tasks, const cpu_steps *steps)
{
    cpu_task going[CPU_ITEM_MOST];
    int32_t n = 0;
    bool go_on = true;
    for (int32_t k = 0; k < n_tasks; ++k)
        if (tasks[k].result->outcome == STEP_GOING) going[n++] = tasks[k];
    LANE(kept) *k = (LANE(kept) *)(void *)*kept;
    const int32_t wanted = (n + LANES - 1) / LANES;
    if (k && (LANE(count_kept)(*kept) != n || 2 * wanted <= k->n_sets)) {
        SHOAL_TRY(LANE(kept_save)(*kept));
        LANE(kept_destroy)(*kept);
        *kept = NULL;
    }
    if (n == 0) return SHOAL_OK;
    if (source->mixed) rows = mixed_rows(going, n);
    if (!*kept) SHOAL_TRY(LANE(kept_create)(kept, source, rows, going, n, steps));
    k = (LANE(kept) *)(void *)*kept;
    k->steps = *steps;
    for (int32_t m = 0; m < k->n_sets && go_on; ++m) SHOAL_TRY(LANE(step_set)(&k->sets[m], &go_on));
    return SHOAL_OK;
}
