/* SPDX-License-Identifier: BSD-3-Clause
 * Bonded terms of a large system, chunk by chunk: every term writes the forces on its atoms into
 * slots of its own. Included by the template cpu_kernels.c. */

/* r_i - r_j + shift */
SHOAL_FN v3 large_arm(const large *g, int32_t i, int32_t j, const double shift[3])
{
    const double *a = g->r[i], *b = g->r[j];
    return v3_make((real)(a[0] - b[0] + shift[0]), (real)(a[1] - b[1] + shift[1]),
                   (real)(a[2] - b[2] + shift[2]));
}

/* Arm number a of a term: a difference, or a direction. */
SHOAL_FN v3 large_term_arm(const large *g, const term_shape *s, int a, const int32_t *atoms,
                           const double (*shift)[3])
{
    const double *r = g->r[atoms[s->tip[a]]];
    if (term_arm_is_direction(s, a)) return v3_make((real)r[0], (real)r[1], (real)r[2]);
    return large_arm(g, atoms[s->tip[a]], atoms[s->base[a]], shift[a]);
}

/* Terms of a kind, which is a constant. */
SHOAL_FN double large_sum_kind(large *g, int kind, int32_t first, int32_t last)
{
    const term_shape *s = &term_shapes[kind];
    const large_kind *k = &g->kinds[kind];
    real sum = 0;
    for (int32_t n = first; n < last; ++n) {
        const int32_t *atoms = k->atoms + s->n_atoms * n;
        const double(*shift)[3] = (const double(*)[3])(k->shift + s->n_arms * n);
        v3 arms[TERM_ARMS];
        arms[0] = large_term_arm(g, s, 0, atoms, shift);
        if (s->n_arms > 1) arms[1] = large_term_arm(g, s, 1, atoms, shift);
        if (s->n_arms > 2) arms[2] = large_term_arm(g, s, 2, atoms, shift);
        sum += bonded_term(kind, k->numbers + s->n_numbers * n, arms,
                           g->slots + k->slot + s->n_atoms * n);
    }
    return (double)sum;
}

static double large_sum_terms(large *g, int kind, int32_t first, int32_t last)
{
    switch (kind) {
#define SUM_KIND(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par, units,     \
                 form, t0, b0, t1, b1, t2, b2)                                                     \
    case TERM_KIND_##NAME: return large_sum_kind(g, TERM_KIND_##NAME, first, last);
        TERM_KINDS(SUM_KIND)
#undef SUM_KIND
    default: return 0;
    }
}

/* Chunks hold terms of one kind, kind by kind. */
static void large_bonded(large *g, int32_t chunk)
{
    int32_t first = chunk;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) {
        const int32_t n_terms = g->kinds[kind].n, n = large_chunks(n_terms);
        if (first < n) {
            const int32_t from = first * LARGE_CHUNK, to = from + LARGE_CHUNK;
            g->chunk_energy[chunk] = large_sum_terms(g, kind, from, to < n_terms ? to : n_terms);
            return;
        }
        first -= n;
    }
}

/* Forces of all terms on the atoms of a tile. */
static void large_gather(large *g, int32_t first, int32_t last)
{
    for (int32_t i = first; i < last; ++i)
        for (int32_t k = g->gather_start[i]; k < g->gather_start[i + 1]; ++k)
            g->force[i] = v3_add(g->force[i], g->slots[g->gather[k]]);
}
