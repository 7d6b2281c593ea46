/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics of large systems with rigid bonds: forces are made tangent and summed over anew, and all movers move,
 * stars by their atom in the middle. */
#include "large_energy.h"

/* Nothing is contracted here, see large_md.cl. */
#pragma OPENCL FP_CONTRACT OFF
#define SHOAL_DIRECTIONS
#define SHOAL_RIGID
#include "md_atoms.h"

#define LARGE_RIGID_ARGUMENTS RIGID_ARGUMENTS, global const int4 *rigid_shifts

/* Returns its bonds; 0: atom i is in the middle of none. */
SHOAL_FN int find_star(rigid_stars *b, int i, int at, global const int4 *held,
                       global const real4 *lengths, global const int4 *shifts,
                       const large_space *space, global const real4 *moves,
                       global const real4 *lows, int *atoms)
{
    const int n = rigid_load(b, i, held[at + i], lengths[at + i], atoms);
    const int codes[RIGID_MOST] = {shifts[at + i].x, shifts[at + i].y, shifts[at + i].z,
                                   shifts[at + i].w};
    for (int k = 0; k <= n; ++k) b->w[k][0] = moves[at + atoms[k]].w;
    for (int k = 0; k < n; ++k) {
        const int j = atoms[k + 1];
        const v3 low = v3_sub(from4(lows[at + j]), from4(lows[at + i]));
        b->s[k] = rigid_from(v3_add(large_apart(space, i, j, large_shift(codes[k])), low));
    }
    return n;
}
#define FIND_STAR(b, i)                                                                            \
    find_star(b, i, at, rigid_atoms, rigid_lengths, rigid_shifts, &space, moves, lows, star)

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_tangent(LARGE_ARGUMENTS,
                                                                          MD_ARGUMENTS,
                                                                          LARGE_RIGID_ARGUMENTS)
{
    LARGE_SETUP
    const large_space space = LARGE_SPACE;
    const int i = block.y + l;
    int star[RIGID_MOST + 1];
    rigid_stars b;
    rigid_block f[RIGID_MOST + 1], v[RIGID_MOST + 1];
    const real close = stat[LARGE_DRIVER + STEP_STARTED] ? R(0.5) * settings[LARGE_DT] : R(0.0);
    if (!LARGE_GOING || i >= n || FIND_STAR(&b, i) == 0) return;
    for (int k = 0; k <= b.most; ++k) {
        f[k] = rigid_from(from4(forces[at + star[k]]));
        v[k] = rigid_from(from4(moves[at + star[k]]));
    }
    rigid_forces(&b, v, &close, f);
    for (int k = 0; k <= b.most; ++k) forces[at + star[k]] = to4(rigid_vector(&f[k]), 0);
}

/* As large_assemble has it of the forces before. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_share(LARGE_ARGUMENTS,
                                                                        MD_ARGUMENTS,
                                                                        LARGE_RIGID_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    const int i = block.y + l, going = LARGE_GOING;
    const real open = R(0.5) * settings[LARGE_DT];
    real4 step = (real4)(0, 0, 0, 0);
    if (going && i < movers)
        step = md_share(from4(forces[at + i]), moves[at + i],
                        stat[LARGE_DRIVER + STEP_STARTED] ? open : R(0.0), open);
    step = combine(step, red);
    if (l == 0 && going) LARGE_SUM(block.w, LARGE_SUM_STEP) = step;
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_rigid_move(LARGE_ARGUMENTS,
                                                                             MD_ARGUMENTS,
                                                                             LARGE_RIGID_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    const large_space space = LARGE_SPACE;
    global const real *state = states + LARGE_STATE * block.x;
    const md_numbers number = MD_NUMBERS;
    const int mine = block.y + l;
    const int wanted = stat[LARGE_FLAGS] == 0 && stat[LARGE_MOVED] == LARGE_MOVE;
    real4 far = (real4)(0, 0, 0, 0);
    real farthest = 0;
    if (wanted && mine < movers && rigid_atoms[at + mine].x != RIGID_HELD) {
        const md_state s = md_load(stat + LARGE_DRIVER, state);
        const md_move m = {state[LARGE_FACTOR], state[LARGE_NOISE], 1};
        int star[RIGID_MOST + 1];
        rigid_stars b;
        if (mine < n && FIND_STAR(&b, mine) > 0) {
            rigid_block v[RIGID_MOST + 1], f[RIGID_MOST + 1], move[RIGID_MOST + 1];
            for (int k = 0; k <= b.most; ++k) {
                v[k] = rigid_from(from4(moves[at + star[k]]));
                f[k] = rigid_from(from4(forces[at + star[k]]));
            }
            md_move_star(&s, &number, &m, state[LARGE_CLOSE], &b, star, f, v, move);
            for (int k = 0; k <= b.most; ++k) {
                const int i = star[k];
                v3 r = from4(positions[at + i]), low = from4(lows[at + i]);
                md_drift(&r.x, &low.x, move[k].v[0][0]);
                md_drift(&r.y, &low.y, move[k].v[1][0]);
                md_drift(&r.z, &low.z, move[k].v[2][0]);
                moves[at + i] = to4(rigid_vector(&v[k]), b.w[k][0]);
                lows[at + i] = to4(low, 0);
                LARGE_PLACE(r)
                farthest = real_max(farthest, far.w) + (far.w - far.w);
            }
            far.w = farthest;
        } else {
            const int i = mine;
            LARGE_MD_MOVE(i)
        }
    }
    far = combine(far, red);
    if (l == 0 && wanted) LARGE_SUM(block.w, LARGE_SUM_MOVE) = far;
}
