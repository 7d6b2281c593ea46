/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of LANES systems by a formula, in double whatever the precision; pairs are taken in the order of the
 * tables, so that the bits are the same for one and for many lanes. Included by cpu_lanes.h. */

/* Pairs of one atom from first to before last, few enough for a block: energies and slopes. */
static void LANE(eval_block)(const tables *t, const LANE(block) * pos, int32_t i, int32_t first,
                             int32_t last, const real clamp2[LANES], formula_room *room)
{
    const formula_table *f = &t->formula;
    formula_block block = {.n = (last - first) * LANES, .energy = room->energy};
    block.inputs[FORMULA_IN_R] = room->inputs[FORMULA_IN_R];
    block.slopes[FORMULA_IN_R] = room->slope;
    for (int32_t k = 0; k < f->n_used; ++k) block.inputs[f->used[k]] = room->inputs[f->used[k]];
    for (int32_t m = first; m < last; ++m)
        for (int l = 0; l < LANES; ++l) {
            const int32_t at = (m - first) * LANES + l;
            const v3 d = v3_sub(LANE(get)(&pos[i], l), LANE(get)(&pos[f->partners[m]], l));
            const double r2 = (double)v3_dot(d, d);
            const double least2 = t->reach2 ? (double)(clamp2[l] * t->reach2[m]) : 0;
            room->inputs[FORMULA_IN_R][at] = sqrt(r2 < least2 ? least2 : r2);
            for (int32_t k = 0; k < f->n_used; ++k)
                room->inputs[f->used[k]][at] = f->inputs[(size_t)m * (size_t)f->n_used + (size_t)k];
        }
    formula_eval(t->model.from->formula, room->registers, FORMULA_WIDTH, &block);
}

static void LANE(eval_formula)(const tables *t, const LANE(block) * pos, LANE(block) * force,
                               LANE(energies) * e, const real clamp2[LANES], formula_room *room)
{
    const int32_t n = t->n_particles, n_segments = t->n_tiles * n, most = FORMULA_WIDTH / LANES;
    real sum[LANES] = {0};
    for (int32_t k = 0, i = 0; k < n_segments; ++k, i = i + 1 < n ? i + 1 : 0)
        for (int32_t first = t->pair_start[k]; first < t->pair_start[k + 1]; first += most) {
            const int32_t end = t->pair_start[k + 1];
            const int32_t last = first + most < end ? first + most : end;
            LANE(eval_block)(t, pos, i, first, last, clamp2, room);
            for (int32_t m = first; m < last; ++m)
                for (int l = 0; l < LANES; ++l) {
                    const int32_t at = (m - first) * LANES + l, j = t->formula.partners[m];
                    const v3 d = v3_sub(LANE(get)(&pos[i], l), LANE(get)(&pos[j], l));
                    const v3 f = formula_push(room->inputs[FORMULA_IN_R][at], room->slope[at], d,
                                              &room->energy[at]);
                    LANE(add)(&force[i], l, f);
                    LANE(subtract)(&force[j], l, f);
                    sum[l] += (real)room->energy[at];
                }
        }
    for (int l = 0; l < LANES; ++l) e->e[SHOAL_TERM_VDW][l] += sum[l];
}
