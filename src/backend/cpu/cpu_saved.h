/* SPDX-License-Identifier: BSD-3-Clause
 * The state of a driver of one system between two calls of step; included by the template cpu_kernels.c. */

/* Vectors of a state: coordinates, velocities or direction; dynamics in float: what rounding took from the coordinates;
 * L-BFGS: forces, these preconditioned, moves, changes of the gradient preconditioned. */
enum {
    VECTOR_X,
    VECTOR_D,
    N_FIRE_VECTORS,
    VECTOR_LOW = N_FIRE_VECTORS,
    N_MD_VECTORS = sizeof(real) == 4 ? VECTOR_LOW + 1 : VECTOR_LOW,
    VECTOR_F = N_FIRE_VECTORS,
    VECTOR_SF,
    VECTOR_MOVE,
    VECTOR_SOFT_CHANGE = VECTOR_MOVE + LBFGS_PAIRS,
    N_VECTORS = VECTOR_SOFT_CHANGE + LBFGS_PAIRS
};

typedef struct saved {
    fire_state fire;
    lbfgs_state lbfgs;
    md_state md;
    lbfgs_coefficients direction;
    real products[LBFGS_PRODUCTS];
    double origin[3];
    bool has_moved;
    real *vectors; /* [n_vectors][n_movers][3]; NULL: the driver has not begun */
    /* Of a large system: itself with its neighbour list, its preconditioner, and where it started. */
    void *field;
    void (*field_destroy)(void *field);
    double (*start)[3];
} saved;

static bool is_fire(const backend_driver *d)
{
    return !d->md && d->method == SHOAL_METHOD_FIRE;
}

static int count_vectors(const backend_driver *d)
{
    return d->md ? N_MD_VECTORS : is_fire(d) ? N_FIRE_VECTORS : N_VECTORS;
}

static md_numbers md_numbers_of(const backend_md *md)
{
    const double keep = (double)(real)exp(-md->friction * md->dt);
    const md_numbers n = {.dt = (real)md->dt,
                          .keep = (real)keep,
                          .stir =
                              (real)sqrt((1 - keep) * (1 + keep)), /* of keep as it is rounded */
                          .tau = (real)md->tau,
                          .most = (real)md->most,
                          .thermostat = md->thermostat,
                          .seed0 = (random_word)md->seed,
                          .seed1 = (random_word)(md->seed >> 32)};
    return n;
}

static fire_numbers fire_numbers_of(const backend_pace *p)
{
    const fire_numbers n = {(real)p->dt, (real)p->dt_max, (real)backend_pace_least_dt(p),
                            (real)p->alpha, (real)p->damping};
    return n;
}

static step_limits limits_of(const backend_driver *driver, const backend_pace *p)
{
    const step_limits limit = {(real)(driver->fmax * driver->fmax), (real)p->max_move,
                               driver->max_steps};
    return limit;
}

static void saved_destroy(void *p)
{
    saved *s = p;
    if (!s) return;
    if (s->field) s->field_destroy(s->field);
    free(s->vectors);
    free(s->start);
    free(s);
}

static void pass_progress(state_pass *to, step_progress *p)
{
    STATE_VALUE(to, p->lowest);
    STATE_VALUE(to, p->quietest);
    STATE_VALUE(to, p->idle);
}

static void pass_fire(state_pass *to, fire_state *s)
{
    STATE_VALUE(to, s->own.first_dt);
    STATE_VALUE(to, s->own.most_dt);
    STATE_VALUE(to, s->own.least_dt);
    STATE_VALUE(to, s->own.mixing);
    STATE_VALUE(to, s->own.damping);
    STATE_VALUE(to, s->dt);
    STATE_VALUE(to, s->mixing);
    STATE_VALUE(to, s->speed);
    STATE_VALUE(to, s->move);
    STATE_VALUE(to, s->work);
    pass_progress(to, &s->progress);
    STATE_VALUE(to, s->n_evals);
    STATE_VALUE(to, s->started);
    STATE_VALUE(to, s->quiet);
    STATE_VALUE(to, s->outcome);
}

static void pass_lbfgs(state_pass *to, saved *kept)
{
    lbfgs_state *s = &kept->lbfgs;
    STATE_VALUE(to, s->length);
    STATE_VALUE(to, s->energy);
    STATE_VALUE(to, s->f2);
    STATE_VALUE(to, s->slope);
    STATE_VALUE(to, s->gamma);
    STATE_VALUE(to, s->rho);
    pass_progress(to, &s->progress);
    STATE_VALUE(to, s->n_evals);
    STATE_VALUE(to, s->started);
    state_index(to, &s->place, 0, LBFGS_PAIRS - 1);
    STATE_VALUE(to, s->backtracks);
    STATE_VALUE(to, s->outcome);
    STATE_VALUE(to, kept->direction.of_change);
    STATE_VALUE(to, kept->direction.of_move);
    STATE_VALUE(to, kept->direction.of_soft);
    STATE_VALUE(to, kept->direction.of_force);
    STATE_VALUE(to, kept->products);
}

static void pass_md(state_pass *to, md_state *s)
{
    STATE_VALUE(to, s->kt);
    STATE_VALUE(to, s->kt_change);
    STATE_VALUE(to, s->n_dof);
    STATE_VALUE(to, s->x);
    STATE_VALUE(to, s->v);
    STATE_VALUE(to, s->n_evals);
    STATE_VALUE(to, s->first);
    STATE_VALUE(to, s->started);
    STATE_VALUE(to, s->outcome);
    STATE_VALUE(to, s->key0);
    STATE_VALUE(to, s->key1);
}

/* Field by field: what lies between them is not defined. Whether the system has moved need not be known: the
 * results that travel beside the state are where it is. */
static void saved_pass(state_pass *to, saved *s, const backend_driver *driver, size_t n_numbers)
{
    STATE_VALUE(to, s->origin);
    if (driver->md)
        pass_md(to, &s->md);
    else if (is_fire(driver))
        pass_fire(to, &s->fire);
    else
        pass_lbfgs(to, s);
    state_bytes(to, s->vectors, n_numbers * sizeof *s->vectors);
}

/* The state at *place with room for vectors of n movers, made if there is none; NULL when memory is out. */
static saved *saved_need(void **place, int32_t n, size_t n_vectors)
{
    if (!*place) *place = calloc(1, sizeof(saved));
    saved *s = *place;
    if (s && !s->vectors && n_vectors > 0)
        s->vectors = calloc(3 * (size_t)n * n_vectors + 1, sizeof *s->vectors);
    return s && (s->vectors || n_vectors == 0) ? s : NULL;
}
