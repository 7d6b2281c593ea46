/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of a large system by a pair model, whose numbers are mixed on the way. Included by cpu_large_pairs.h. */

SHOAL_FN bool form_has_u6(int form)
{
    return form != SHOAL_FORM_MORSE && form != SHOAL_FORM_MORSE6;
}

SHOAL_FN int form_family(int form)
{
    return form == SHOAL_FORM_BUFFERED ? FORM_BUFFERED
           : form == SHOAL_FORM_LJ     ? FORM_POWER_12
           : form == SHOAL_FORM_LJ8    ? FORM_POWER_8
           : form == SHOAL_FORM_LJ9    ? FORM_POWER_9
           : form_has_u6(form)         ? FORM_BUCK
                                       : FORM_MORSE;
}

/* Numbers of an atom with the sites of a block; form is a constant. As pair_model.c has them, where exp(alpha R0) is a
 * product over the two atoms. */
SHOAL_FN void large_mix(const large *g, int form, const large_sum *a, const pair_block *b, wide *na,
                        wide *nb, wide *nk)
{
    const large_form *c = &g->form;
    const wide zero = {0}, r0 = wide_load(g->sites.u + b->first) + a->u;
    const wide e0 = wide_load(g->sites.s + b->first) * a->s;
    const wide h = wide_min(wide_load(g->sites.h + b->first) * a->h, zero);
    const wide w = wide_load(g->sites.w + b->first) * a->w;
    const wide r2 = r0 * r0, r6 = r2 * r2 * r2;
    *na = e0 * c->ca * (R(1.0) - c->on_a * h);
    *nb = e0 * c->cb * (R(1.0) + c->on_b * h);
    *nk = zero + c->ck;
    if (form == SHOAL_FORM_LJ) *nb *= r6 * r6;
    if (form == SHOAL_FORM_LJ8) *nb *= r6 * r2;
    if (form == SHOAL_FORM_LJ9) *nb *= r6 * r2 * r0;
    if (form == SHOAL_FORM_MORSE || form == SHOAL_FORM_BUCK) *nb *= w * w;
    if (form == SHOAL_FORM_MORSE) *na *= w;
    if (form_has_u6(form)) *na *= r6;
    if (form == SHOAL_FORM_MORSE6 || form == SHOAL_FORM_BUCK6 || form == SHOAL_FORM_EXP6)
        *nk = c->ck / r0;
}

SHOAL_FN void large_model_vdw(const large *g, int form, int damped, large_sum *a,
                              const pair_block *block, const large_taken *clamp)
{
    const pair_block *b = clamp ? &clamp->at : block;
    const wide zero = {0}, ir = R(1.0) / wide_sqrt(b->r2), r = b->r2 * ir, ir2 = ir * ir;
    wide na, nb, nk, s;
    nb = zero;
    if (form == SHOAL_FORM_BUFFERED)
        large_mix_buffered(g, a, b, &na, &nk);
    else
        large_mix(g, form, a, b, &na, &nb, &nk);
    wide e = R(12.0) * form_vdw_wide(form_family(form), damped, na, nb, nk, zero + g->form.beta, r,
                                     ir, ir2, &s);
    wide_mask near = b->open;
    if (g->lattice.n_periodic > 0) near = large_switch(g, b, r, &e, &s);
    if (clamp) e += R(12.0) * s * clamp->share;
    a->vdw += wide_select(near, e, zero);
    large_add(a, b, wide_select(near, clamp ? clamp->longer * (s * ir2) : s * ir2, zero));
}

/* What Coulomb's form says beyond 1/r, where Ewald sums have that, or all of it. */
SHOAL_FN void large_bent_charges(const large *g, int coulomb, large_sum *a, const pair_block *b)
{
    const wide zero = {0}, ir = R(1.0) / wide_sqrt(b->r2), r = b->r2 * ir;
    const wide kqq = wide_load(g->sites.q + b->first) * a->q, plain = kqq * ir;
    wide s, e = form_coulomb_wide(coulomb, kqq, zero + g->form.damping, r, ir, &s);
    wide_mask near = b->open;
    if (g->coulomb != LARGE_ALL_PAIRS) {
        e -= plain;
        s -= plain;
        near &= b->r2 < zero + (real)(g->coulomb_range * g->coulomb_range);
    }
    a->coulomb += wide_select(near, e, zero);
    large_add(a, b, wide_select(near, s * (ir * ir), zero));
}

/* The clamp's share of charges goes with the last of their sums, whichever the form. */
static __attribute__((noinline)) void large_model_clamped(const large *g, int form, int damped,
                                                          int coulomb, large_sum *a,
                                                          const pair_block *b)
{
    if (form >= 0) {
        const large_taken clamp = large_clamp(g, a, b);
        large_model_vdw(g, form, damped, a, b, &clamp);
        return;
    }
    large_bent_charges(g, coulomb, a, b);
    if (g->coulomb != LARGE_ALL_PAIRS) return; /* large_charges follow */
    const large_taken clamp = large_clamp(g, a, b);
    large_clamp_charges(g, coulomb, a, b, &clamp);
}

/* Blocks of a list with one kind of terms: a form (-1: none), or a form of Coulomb. */
SHOAL_FN void large_model_run(const large *g, int form, int damped, int coulomb, large_sum *a,
                              const double r[3], const pair_list *list)
{
    const cpu_mask *mask = list->mask;
    for (int32_t t = 0; t < list->n; ++t) {
        const int32_t block = list->blocks[t];
        while (mask < list->end && mask->block < block) ++mask;
        const bool masked = mask < list->end && mask->block == block;
        const pair_block b = large_distances(g, block, r, masked ? mask->bits : 0);
        if (g->clamp2 > 0)
            large_model_clamped(g, form, damped, coulomb, a, &b);
        else if (form >= 0)
            large_model_vdw(g, form, damped, a, &b, NULL);
        else
            large_bent_charges(g, coulomb, a, &b);
    }
}

static void large_run_form(const large *g, large_sum *a, const double r[3], const pair_list *list)
{
    switch (2 * (int)g->model.from->settings.form + g->model.damped) {
#define RUN_FORM(form, damped)                                                                     \
    case 2 * (form) + (damped): large_model_run(g, form, damped, 0, a, r, list); break;
        RUN_FORM(SHOAL_FORM_LJ, 0)
        RUN_FORM(SHOAL_FORM_LJ, 1)
        RUN_FORM(SHOAL_FORM_LJ8, 0)
        RUN_FORM(SHOAL_FORM_LJ8, 1)
        RUN_FORM(SHOAL_FORM_LJ9, 0)
        RUN_FORM(SHOAL_FORM_LJ9, 1)
        RUN_FORM(SHOAL_FORM_MORSE, 0)
        RUN_FORM(SHOAL_FORM_BUCK, 0)
        RUN_FORM(SHOAL_FORM_BUCK, 1)
        RUN_FORM(SHOAL_FORM_MORSE6, 0)
        RUN_FORM(SHOAL_FORM_BUCK6, 0)
        RUN_FORM(SHOAL_FORM_BUCK6, 1)
        RUN_FORM(SHOAL_FORM_EXP6, 0)
        RUN_FORM(SHOAL_FORM_EXP6, 1)
        RUN_FORM(SHOAL_FORM_BUFFERED, 0)
#undef RUN_FORM
    default: break;
    }
}

static void large_run_charges(const large *g, large_sum *a, const double r[3], pair_list *list)
{
    const int kind = g->model.coulomb;
    const bool buffered = kind == FORM_COULOMB_BUFFERED || kind == FORM_COULOMB_BUFFERED_FAR;
    const bool bent = kind == FORM_COULOMB_CLAMP || kind == FORM_COULOMB_SMOOTH ||
                      kind == FORM_COULOMB_ERF || buffered;
    if (kind == FORM_COULOMB_CLAMP)
        large_model_run(g, -1, 0, FORM_COULOMB_CLAMP, a, r, list);
    else if (kind == FORM_COULOMB_SMOOTH)
        large_model_run(g, -1, 0, FORM_COULOMB_SMOOTH, a, r, list);
    else if (kind == FORM_COULOMB_ERF)
        large_model_run(g, -1, 0, FORM_COULOMB_ERF, a, r, list);
    else if (kind == FORM_COULOMB_BUFFERED)
        large_model_run(g, -1, 0, FORM_COULOMB_BUFFERED, a, r, list);
    else if (kind == FORM_COULOMB_BUFFERED_FAR)
        large_model_run(g, -1, 0, FORM_COULOMB_BUFFERED_FAR, a, r, list);
    if (!bent || g->coulomb != LARGE_ALL_PAIRS) large_run(g, a, r, list, false, true);
}

/* Pairs with the sites of a segment of blocks. */
static void large_model_segment(const large *g, large_sum *a, const double r[3], pair_list *near,
                                pair_list *far)
{
    const bool far_vdw = large_far_vdw(g);
    if (g->vdw) large_run_form(g, a, r, near);
    if (g->vdw && far_vdw) large_run_form(g, a, r, far);
    if (g->coulomb) large_run_charges(g, a, r, near);
    if (g->coulomb && !far_vdw) large_run_charges(g, a, r, far);
}

/* --- formulas, in double, pair by pair in the order of the sites ------------------------------------ */

typedef struct large_formula {
    formula_room *room;
    int32_t n_used, used[FORMULA_N_PAIR];
    int32_t atom, n; /* pairs that wait */
    v3 d[FORMULA_WIDTH];
    double energy, force[3]; /* of the atom */
    double strain[6];
} large_formula;

/* NULL when memory is out. */
static large_formula *large_formula_create(const large *g, arena *memory)
{
    large_formula *f = arena_alloc(memory, 1, sizeof *f);
    if (f) f->room = formula_room_create(g->model.from, memory);
    if (!f || !f->room) return NULL;
    for (int32_t k = 0; k < FORMULA_N_PAIR; ++k)
        if (k != FORMULA_IN_R && formula_uses(g->model.from->formula, k)) f->used[f->n_used++] = k;
    return f;
}

static void large_formula_begin(large_formula *f, int32_t atom)
{
    f->atom = atom;
    f->n = 0;
    f->energy = f->force[0] = f->force[1] = f->force[2] = 0;
    memset(f->strain, 0, sizeof f->strain);
}

/* The factor that switches a pair off, and -r times its slope. */
static double large_switch_of(const large *g, double r, double *slope)
{
    *slope = 0;
    if (g->lattice.n_periodic == 0) return 1;
    const double cutoff = g->options->vdw_cutoff, width = cutoff - VDW_SWITCH * cutoff;
    const double y = fmin(fmax((r - VDW_SWITCH * cutoff) / width, 0), 1), rest = y * (1 - y);
    *slope = 30 * rest * rest * r / width;
    return 1 - y * y * y * (10 + y * (6 * y - 15));
}

/* Evaluates the pairs that wait. */
static void large_formula_flush(const large *g, large_formula *f)
{
    formula_room *room = f->room;
    formula_block block = {.n = f->n, .energy = room->energy};
    for (int32_t k = 0; k < f->n_used; ++k) block.inputs[f->used[k]] = room->inputs[f->used[k]];
    block.inputs[FORMULA_IN_R] = room->inputs[FORMULA_IN_R];
    block.slopes[FORMULA_IN_R] = room->slope;
    formula_eval(g->model.from->formula, room->registers, FORMULA_WIDTH, &block);
    for (int32_t n = 0; n < f->n; ++n) {
        double falls;
        const double r = room->inputs[FORMULA_IN_R][n], e = room->energy[n];
        const double factor = large_switch_of(g, r, &falls);
        const double at = (falls * e - factor * r * room->slope[n]) / (r * r);
        const double r2 = (double)v3_dot(f->d[n], f->d[n]), nearer = r2 < r * r ? sqrt(r2) : r;
        const double s = nearer < r ? at * r / nearer : at;
        f->energy += factor * e + at * r * (r - nearer);
        f->force[0] += s * (double)f->d[n].x;
        f->force[1] += s * (double)f->d[n].y;
        f->force[2] += s * (double)f->d[n].z;
        const double d[3] = {(double)f->d[n].x, (double)f->d[n].y, (double)f->d[n].z};
        strain_add(f->strain, -0.5 * s, d, d);
    }
    f->n = 0;
}

/* i of a formula is the atom with the lower number, from whichever side the pair is met. */
static void large_formula_add(const large *g, large_formula *f, int32_t partner, v3 d)
{
    double in[FORMULA_N_PAIR];
    const int32_t i = f->atom < partner ? f->atom : partner, j = i + abs(partner - f->atom);
    const double r2 = (double)v3_dot(d, d);
    double least2 = 0;
    if (g->clamp2 > 0) least2 = (double)g->clamp2 * pair_model_reach2(&g->system->view, true, i, j);
    pair_model_inputs(&g->system->view, i, j, in);
    for (int32_t k = 0; k < f->n_used; ++k) f->room->inputs[f->used[k]][f->n] = in[f->used[k]];
    f->room->inputs[FORMULA_IN_R][f->n] = sqrt(r2 < least2 ? least2 : r2);
    f->d[f->n++] = d;
    if (f->n == FORMULA_WIDTH) large_formula_flush(g, f);
}

static void large_formula_run(const large *g, large_formula *f, const double r[3], pair_list *list)
{
    const double cutoff = g->options->vdw_cutoff;
    const real most = g->lattice.n_periodic > 0 ? (real)(cutoff * cutoff) : (real)INFINITY;
    for (int32_t t = 0; t < list->n && g->vdw; ++t) {
        const int32_t block = list->blocks[t];
        while (list->mask < list->end && list->mask->block < block) ++list->mask;
        const bool masked = list->mask < list->end && list->mask->block == block;
        const pair_block b = large_distances(g, block, r, masked ? list->mask->bits : 0);
        for (int l = 0; l < WIDE; ++l) {
            const int32_t partner = g->near.sites[b.first + l].atom;
            if (partner < 0 || !b.open[l] || !(b.r2[l] < most)) continue;
            large_formula_add(g, f, partner, v3_make(b.x[l], b.y[l], b.z[l]));
        }
    }
}

static void large_formula_end(large *g, large_formula *f)
{
    large_formula_flush(g, f);
    g->pair_force[f->atom] = v3_make((real)f->force[0], (real)f->force[1], (real)f->force[2]);
    g->pair_energy[f->atom][0] = 0.5 * f->energy;
    for (int k = 0; k < 6 && g->strain; ++k) g->strain[f->atom][k] += f->strain[k];
}
