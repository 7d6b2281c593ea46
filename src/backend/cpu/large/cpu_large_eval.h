/* SPDX-License-Identifier: BSD-3-Clause
 * Energies, forces and steps of a large system. Included by the template cpu_kernels.c after
 * the parts that it puts together.
 *
 * An evaluation is a few rounds over pieces (tiles of atoms, chunks of terms, groups of pairs, rows of
 * k-vectors); pieces write to places of their own, so that any thread may take any piece, and what is
 * summed over pieces is summed in their order. */

enum {
    LARGE_MOVED = 1,
    LARGE_LOST = 2
}; /* an atom has left its place in the list; is not finite */

/* What slabs and chains sum over all pairs. */
static shoal_status large_allot_all_pairs(large *g)
{
    arena *m = &g->memory;
    const size_t row = (size_t)g->n_padded, n_kvecs = (size_t)g->ewald.n_kvecs;
    for (int a = 0; a < 3; ++a) {
        g->chain_at[a] = large_allot(m, g->coulomb == LARGE_CHAIN ? row : 0, sizeof(real));
        if (!g->chain_at[a]) return SHOAL_E_MEMORY;
    }
    g->slab_z = large_allot(m, row, sizeof(real));
    g->slab_cos = large_allot(m, n_kvecs * row, sizeof(real));
    g->slab_sin = large_allot(m, n_kvecs * row, sizeof(real));
    g->slab_force = large_allot(m, (size_t)g->n_particles, sizeof *g->slab_force);
    g->slab_energy = large_allot(m, (size_t)g->n_particles, sizeof *g->slab_energy);
    return g->slab_z && g->slab_cos && g->slab_sin && g->slab_force && g->slab_energy
               ? SHOAL_OK
               : SHOAL_E_MEMORY;
}

static shoal_status large_allot_kvecs(large *g)
{
    arena *m = &g->memory;
    const size_t row = (size_t)g->n_padded;
    const int n_axes = g->coulomb == LARGE_CHAIN ? 0 : g->coulomb == LARGE_SLAB ? 2 : 3;
    for (int a = 0; a < n_axes; ++a) {
        const size_t size = (size_t)(g->ewald.last[a] + 1) * row;
        g->phase_cos[a] = large_allot(m, size, sizeof(real));
        g->phase_sin[a] = large_allot(m, size, sizeof(real));
        if (!g->phase_cos[a] || !g->phase_sin[a]) return SHOAL_E_MEMORY;
    }
    g->n_row_chunks = (g->ewald.n_rows + LARGE_ROWS - 1) / LARGE_ROWS;
    g->kvec_q = large_allot(m, row, sizeof(real));
    g->coefficients = large_allot(m, 4 * (size_t)g->ewald.n_places, sizeof(real));
    g->row_sums = large_allot(m, (size_t)g->ewald.n_places, sizeof *g->row_sums);
    g->row_energy = large_allot(m, (size_t)g->n_row_chunks, sizeof *g->row_energy);
    if (!g->kvec_q || !g->coefficients || !g->row_sums || !g->row_energy) return SHOAL_E_MEMORY;
    memcpy(g->kvec_q, g->q, (size_t)g->n_particles * sizeof *g->q);
    return g->coulomb == LARGE_VOLUME ? SHOAL_OK : large_allot_all_pairs(g);
}

static shoal_status large_fill(large *g, const cpu_task *task)
{
    const shoal_topology_view *v = &task->system->view;
    (void)lattice_init_reduced(&g->lattice, task->system->cell, v->pbc);
    large_count(g, v);
    SHOAL_TRY(large_allot_atoms(g, v));
    SHOAL_TRY(large_allot_terms(g));
    large_place(g, (const double(*)[3])task->result->pos);
    large_fill_frames(g, v);
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) large_fill_kind(g, v, kind);
    large_fill_gather(g);
    large_fill_atoms(g, v);
    g->tail = vdw_tail(v, g->options, g->lattice.measure);
    if (g->coulomb >= LARGE_MESH) {
        const double wanted = g->options->ewald_tolerance;
        const double least = sizeof(real) == 4 ? FLOAT_EWALD : 0;
        SHOAL_TRY(cpu_ewald_init(&g->ewald, &g->lattice, v, g->options,
                                 wanted > least ? wanted : least, sizeof(real) == 4, &g->memory));
        if (g->ewald.mesh.n[0]) g->coulomb = LARGE_MESH;
        task->result->mesh = g->coulomb == LARGE_MESH;
        SHOAL_TRY(g->coulomb == LARGE_MESH ? mesh_allot(g) : large_allot_kvecs(g));
    }
    large_reach(g, v);
    return large_fill_surface(g, v);
}

/* A system at the start of a run. NULL when memory is out. */
static large *large_create(const cpu_task *task, const shoal_engine_options *options,
                           thread_pool *pool, double skin)
{
    arena memory = {0};
    large *g = arena_alloc(&memory, 1, sizeof *g);
    if (!g) return NULL;
    const int32_t n = task->system->view.n_atoms, n_particles = n + task->system->view.n_sites;
    *g = (large){.memory = memory,
                 .system = task->system,
                 .options = options,
                 .pool = pool,
                 .n = n,
                 .n_tiles = (n + LARGE_TILE - 1) / LARGE_TILE,
                 .n_particles = n_particles,
                 .n_particle_tiles = (n_particles + LARGE_TILE - 1) / LARGE_TILE,
                 .n_directions = task->system->view.n_directions,
                 .n_padded = (n_particles + WIDE - 1) / WIDE * WIDE,
                 .skin = skin};
    if (large_fill(g, task) == SHOAL_OK) return g;
    large_destroy(g);
    return NULL;
}

/* Where the atoms of a tile are: as far from their start as the move says. */
typedef struct large_round {
    large *g;
    const block_1 *move; /* NULL: at the start */
} large_round;

/* How far a particle is from its place in the list. */
static int32_t large_flags(const large *g, int32_t i)
{
    const double most = 0.5 * g->skin;
    int32_t flags = 0;
    double away2 = 0;
    for (int c = 0; c < 3; ++c) {
        const double d = g->r[i][c] - g->built[i][c];
        away2 += d * d;
        if (!isfinite(g->r[i][c])) flags |= LARGE_LOST;
    }
    return away2 <= most * most ? flags : flags | LARGE_MOVED;
}

static void large_move(void *what, int32_t tile)
{
    const large_round *round = what;
    large *g = round->g;
    const int32_t first = tile * LARGE_TILE;
    int32_t flags = 0;
    for (int32_t i = first; i < first + LARGE_TILE && i < g->n; ++i) {
        for (int c = 0; c < 3; ++c)
            g->r[i][c] = g->base[i][c] + (round->move ? (double)round->move[i].v[c][0] : 0);
        flags |= large_flags(g, i);
    }
    g->tile_flags[tile] = flags;
}

/* What moves a direction is that direction itself. */
static int32_t large_move_directions(const large_round *round)
{
    large *g = round->g;
    int32_t flags = 0;
    for (int32_t i = g->n_particles; i < g->n_particles + g->n_directions; ++i)
        for (int c = 0; c < 3; ++c) {
            g->r[i][c] = round->move ? (double)round->move[i].v[c][0] : g->base[i][c];
            if (!isfinite(g->r[i][c])) flags |= LARGE_LOST;
        }
    return flags;
}

/* Frames follow their atoms. */
static void large_move_frames(void *what, int32_t tile)
{
    large *g = ((const large_round *)what)->g;
    const int32_t first = tile * LARGE_TILE, n = g->n_particles - g->n;
    int32_t flags = 0;
    for (int32_t k = first; k < first + LARGE_TILE && k < n; ++k) {
        large_place_frame(g, k);
        flags |= large_flags(g, g->n + k);
    }
    g->frame_flags[tile] = flags;
}

static int32_t large_site_tiles(const large *g)
{
    return g->is_built ? (g->near.n_blocks * WIDE + LARGE_TILE - 1) / LARGE_TILE : 0;
}

/* What needs positions only: bonded terms, coordinates of sites, factors of k-vectors. */
static void large_prepare(void *what, int32_t k)
{
    large *g = ((const large_round *)what)->g;
    if (k < g->n_chunks) {
        large_bonded(g, k);
        return;
    }
    k -= g->n_chunks;
    if (k < large_site_tiles(g)) {
        large_move_sites(g, k);
        return;
    }
    k -= large_site_tiles(g);
    const int32_t first = k * LARGE_TILE,
                  last = first + LARGE_TILE < g->n_particles ? first + LARGE_TILE : g->n_particles;
    if (g->coulomb == LARGE_CHAIN)
        large_chain_place(g, first, last);
    else if (g->coulomb == LARGE_SLAB)
        large_slab_factors(g, first, last);
    else if (g->coulomb == LARGE_MESH)
        mesh_place(g, first, last);
    else
        large_factors(g, first, last, 3);
}

/* Pairs and sums over k-vectors. */
static void large_interact(void *what, int32_t k)
{
    large *g = ((const large_round *)what)->g;
    const int32_t n_groups = g->is_built ? g->near.n_groups : 0;
    if (k < n_groups)
        large_pairs(g, k);
    else if (g->coulomb >= LARGE_SLAB)
        large_all_pairs(g, k - n_groups);
    else
        large_rows(g, k - n_groups);
}

/* All forces on the atoms of a tile. */
static void large_assemble(void *what, int32_t tile)
{
    large *g = ((const large_round *)what)->g;
    const int32_t first = tile * LARGE_TILE,
                  last = first + LARGE_TILE < g->n_particles ? first + LARGE_TILE : g->n_particles;
    for (int32_t i = first; i < last; ++i) {
        if (g->coulomb >= LARGE_MESH) large_excluded(g, i);
        g->force[i] = g->pair_force[i];
        if (g->coulomb == LARGE_MESH) g->force[i] = v3_add(g->force[i], g->mesh.force[i]);
        if (g->coulomb >= LARGE_SLAB) g->force[i] = v3_add(g->force[i], g->slab_force[i]);
    }
    if (g->coulomb == LARGE_VOLUME) large_kvec_forces(g, first, last);
    large_gather(g, first, last);
}

/* Forces on a tile of directions, tangent. */
static void large_turn(void *what, int32_t tile)
{
    large *g = ((const large_round *)what)->g;
    const int32_t first = g->n_particles + tile * LARGE_TILE,
                  end = g->n_particles + g->n_directions;
    const int32_t last = first + LARGE_TILE < end ? first + LARGE_TILE : end;
    for (int32_t i = first; i < last; ++i) g->force[i] = v3_make(0, 0, 0);
    large_gather(g, first, last);
    for (int32_t i = first; i < last; ++i) {
        const double *p = g->r[i];
        g->force[i] = direction_tangent(g->force[i], v3_make((real)p[0], (real)p[1], (real)p[2]));
    }
}

static void large_sum_energies(const large *g, energies_1 *e)
{
    double sums[SHOAL_N_TERMS] = {
        [SHOAL_TERM_COULOMB] = g->ewald.constant, [SHOAL_TERM_VDW] = g->tail};
    int32_t chunk = 0;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind)
        for (int32_t k = 0; k < large_chunks(g->kinds[kind].n); ++k)
            sums[term_shapes[kind].energy] += g->chunk_energy[chunk++];
    for (int32_t i = 0; i < g->n_particles; ++i) {
        sums[SHOAL_TERM_VDW] += g->pair_energy[i][0];
        sums[SHOAL_TERM_COULOMB] += g->pair_energy[i][1];
        if (g->coulomb >= LARGE_SLAB) sums[SHOAL_TERM_COULOMB] += g->slab_energy[i];
    }
    for (int32_t k = 0; k < g->n_row_chunks; ++k) sums[SHOAL_TERM_COULOMB] += g->row_energy[k];
    for (int32_t k = 0; k < mesh_planes(g) && g->coulomb == LARGE_MESH; ++k)
        sums[SHOAL_TERM_COULOMB] += g->mesh.energy[k];
    for (int t = 0; t < SHOAL_N_TERMS; ++t) e->e[t][0] = (real)sums[t];
}

static real large_restrain_centre(const large *g, const shoal_restraint *r, block_1 *force)
{
    const int32_t first = r->atoms[0], last = r->atoms[1];
    double centre[3] = {0}, at[3];
    v3 f;
    for (int32_t i = first; i <= last; ++i) {
        large_position(g, i, at);
        for (int c = 0; c < 3; ++c) centre[c] += at[c];
    }
    for (int c = 0; c < 3; ++c) centre[c] /= last - first + 1;
    const real e = pull_centre_1(r, centre, &f);
    for (int32_t i = first; i <= last; ++i) add_1(&force[i], 0, f);
    return e;
}

/* Adds restraints, with distances taken in double; fixed atoms feel nothing. */
static void large_constrain(const large *g, block_1 *force, energies_1 *e)
{
    const backend_system *s = g->system;
    const bool off = g->options->terms_off >> SHOAL_TERM_RESTRAINT & 1;
    double sum = 0;
    for (int32_t n = 0; n < s->n_restraints && !off; ++n) {
        shoal_restraint own = s->restraints[n];
        block_1 x[4] = {0};
        double first[3], at[3];
        v3 f[4];
        if (own.kind == SHOAL_RESTRAINT_CENTRE) {
            sum += (double)large_restrain_centre(g, &own, force);
            continue;
        }
        large_position(g, own.atoms[0], first);
        for (int k = 0; k <= (int)own.kind; ++k) {
            large_position(g, own.atoms[k], at);
            for (int c = 0; c < 3; ++c) x[k].v[c][0] = (real)(at[c] - first[c]);
            own.atoms[k] = k;
        }
        sum += (double)restraint_1(&own, x, 0, first, f);
        for (int k = 0; k <= (int)own.kind; ++k) add_1(&force[s->restraints[n].atoms[k]], 0, f[k]);
    }
    e->e[SHOAL_TERM_RESTRAINT][0] = (real)sum;
    for (int32_t i = 0; i < g->n && s->fixed; ++i)
        for (int c = 0; c < 3; ++c)
            if (s->fixed[i]) force[i].v[c][0] = 0;
}

/* Moves the atoms, and makes a new list where that is needed. *lost: a coordinate is not finite. */
static shoal_status large_follow(large *g, large_round *round, bool *lost)
{
    int32_t flags = g->is_built ? 0 : LARGE_MOVED;
    thread_pool_run(g->pool, g->n_tiles, large_move, round);
    for (int32_t t = 0; t < g->n_tiles; ++t) flags |= g->tile_flags[t];
    thread_pool_run(g->pool, g->n_frame_tiles, large_move_frames, round);
    for (int32_t t = 0; t < g->n_frame_tiles; ++t) flags |= g->frame_flags[t];
    flags |= large_move_directions(round);
    *lost = flags & LARGE_LOST;
    const bool pairs = g->vdw_range > 0 || g->coulomb_range > 0;
    if (*lost || !pairs || !(flags & LARGE_MOVED)) return SHOAL_OK;
    return large_build(g);
}

/* Forces and energies of a system moved away from its start. */
static shoal_status large_forces(void *field, const block_1 *move, block_1 *force, energies_1 *e)
{
    large *g = field;
    large_round round = {g, move};
    bool lost;
    memset(e, 0, sizeof *e);
    SHOAL_TRY(large_follow(g, &round, &lost));
    if (lost) {
        for (int32_t i = 0; i < g->n + g->n_directions; ++i)
            for (int c = 0; c < 3; ++c) force[i].v[c][0] = (real)NAN;
        e->e[SHOAL_TERM_BOND][0] = (real)NAN;
        return SHOAL_OK;
    }
    const int32_t n_factors = g->coulomb >= LARGE_MESH ? g->n_particle_tiles : 0;
    const int32_t n_groups = (g->n_particles + CPU_GROUP - 1) / CPU_GROUP;
    thread_pool_run(g->pool, g->n_chunks + large_site_tiles(g) + n_factors, large_prepare, &round);
    thread_pool_run(g->pool,
                    (g->is_built ? n_groups : 0) + g->n_row_chunks +
                        (g->coulomb >= LARGE_SLAB ? n_groups : 0),
                    large_interact, &round);
    if (g->coulomb == LARGE_MESH) mesh_sum(g);
    if (g->failed) return SHOAL_E_MEMORY;
    thread_pool_run(g->pool, g->n_particle_tiles, large_assemble, &round);
    thread_pool_run(g->pool, (g->n_directions + LARGE_TILE - 1) / LARGE_TILE, large_turn, &round);
    for (int32_t i = 0; i < g->n + g->n_directions; ++i) {
        force[i].v[0][0] = g->force[i].x;
        force[i].v[1][0] = g->force[i].y;
        force[i].v[2][0] = g->force[i].z;
    }
    large_sum_energies(g, e);
    large_add_surface(g, force, e);
    large_spread_frames(g, force);
    large_constrain(g, force, e);
    return SHOAL_OK;
}

static shoal_status large_eval(const cpu_task *task, const shoal_engine_options *options,
                               bool strain, thread_pool *pool)
{
    const int32_t n = task->system->view.n_atoms + task->system->view.n_directions;
    large *g = large_create(task, options, pool, 0);
    block_1 *force = malloc(((size_t)n + 1) * sizeof *force);
    energies_1 e;
    shoal_status status = SHOAL_E_MEMORY;
    const bool strains = strain && g && g->lattice.n_periodic > 0;
    if (strains) g->strain = large_allot(&g->memory, (size_t)g->n_particles, sizeof *g->strain);
    if (g && force && (g->strain || !strains)) status = large_forces(g, NULL, force, &e);
    if (status == SHOAL_OK) write_result_1(task, force, &e, 0, n);
    if (status == SHOAL_OK && strains)
        large_find_strain(g, (const double(*)[3])task->result->pos, task->result->strain);
    free(force);
    large_destroy(g);
    return status;
}

/* A system on its way: made by the first call of step, kept with its neighbour list until the end. */
static large *large_begin(saved *kept, const cpu_task *task, const shoal_engine_options *options)
{
    const size_t n = (size_t)task->system->view.n_atoms;
    kept->start = malloc((n + 1) * sizeof *kept->start);
    if (!kept->start) return NULL;
    memcpy(kept->start, task->result->pos, n * sizeof *kept->start);
    large *g = large_create(task, options, NULL, SKIN);
    if (g && !fill_preconditioner(&g->precond, &task->system->view, task->system->fixed,
                                  task->system->bodies, options->terms_off, &g->memory)) {
        large_destroy(g);
        return NULL;
    }
    return g;
}

/* Sums depend on the order of the sites, and so on where the list was made: a system that goes on elsewhere gets a list
 * from the same place. */
static shoal_status large_pass(saved *kept, const cpu_task *task,
                               const shoal_engine_options *options, state_pass *to)
{
    const bool reads = !to->to;
    if (reads && !kept->field) kept->field = large_begin(kept, task, options);
    kept->field_destroy = large_destroy;
    large *g = kept->field;
    if (!g) return SHOAL_E_MEMORY;
    int32_t is_built = g->is_built;
    STATE_VALUE(to, is_built);
    if (is_built) state_bytes(to, reads ? g->r : g->built, (size_t)g->n_particles * sizeof *g->r);
    for (int32_t i = 0; i < g->n_particles && reads && is_built; ++i)
        for (int c = 0; c < 3; ++c) to->failed |= !isfinite(g->r[i][c]);
    if (reads && is_built && !to->failed) SHOAL_TRY(large_build(g));
    return state_status(to);
}

static shoal_status pass_state(const cpu_task *task, const shoal_engine_options *options,
                               const backend_driver *driver, bool is_large, state_pass *to)
{
    const int32_t n = task->system->view.n_atoms + task->system->view.n_directions;
    const size_t n_vectors = (size_t)count_vectors(driver);
    const saved *kept = *task->saved;
    int32_t has_begun = kept && kept->vectors;
    state_begin(to, is_large ? "cpu large" : "cpu small", 2, n);
    state_expect(to, sizeof(real));
    state_expect(to, driver->md ? 2 : is_fire(driver));
    STATE_VALUE(to, has_begun);
    if (!has_begun || to->failed) return state_status(to);
    saved *s = saved_need(task->saved, n, n_vectors);
    if (!s) return SHOAL_E_MEMORY;
    saved_pass(to, s, driver, 3 * (size_t)n * n_vectors);
    return is_large ? large_pass(s, task, options, to) : state_status(to);
}

static shoal_status large_step(const cpu_task *task, const shoal_engine_options *options,
                               const cpu_steps *steps, thread_pool *pool)
{
    saved *kept = saved_need(task->saved, 0, 0);
    if (!kept) return SHOAL_E_MEMORY;
    if (!kept->field) kept->field = large_begin(kept, task, options);
    kept->field_destroy = large_destroy;
    large *g = kept->field;
    shoal_status status = g ? SHOAL_OK : SHOAL_E_MEMORY;
    if (g) {
        const source_1 source = {.precond = &g->precond, .field = g, .eval = large_forces};
        g->pool = pool;
        const lane_rows rows = {g->n, g->n_directions};
        status = step_source_1(&source, rows, task, 1, steps);
    }
    if (status != SHOAL_OK || task->result->outcome != STEP_GOING) {
        saved_destroy(kept);
        *task->saved = NULL;
    }
    return status;
}
