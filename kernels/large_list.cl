/* SPDX-License-Identifier: BSD-3-Clause
 * Neighbour lists of periodic systems: atoms are sorted into cells, and every atom collects the
 * images within reach from the cells around it. The order is that of the cells and of the atoms
 * in them, so that a list made again from the same coordinates is the same. */
#include "large.h"

#define GLOBAL_BARRIER barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)

/* Cell number along one direction of a coordinate in units of the dual basis, which is moved into
 * the home cell where the system repeats. Numbers that are none end up in the first cell. */
SHOAL_FN int cell_along(global const large_system *sys, global const real *geo, int k, real f,
                        int *image)
{
    const real whole = sys->periodic >> k & 1 ? floor(f + R(0.5)) : R(0.0);
    const real x = (f - whole - geo[LARGE_FIRST + k]) * geo[LARGE_SCALE + k];
    *image = (int)fmin(fmax(whole, R(-1e6)), R(1e6));
    return (int)fmin(fmax(x, R(0.0)), (real)(sys->n_cells[k] - 1));
}

/* Cell and image of an atom; height is where it is along a direction that does not repeat. */
SHOAL_FN int find_cell(global const large_system *sys, global const real *geo, v3 r, int4 *image,
                       real *height)
{
    int m[3], cell = 0;
    for (int k = 0; k < 3; ++k) {
        const real f = large_along(geo + LARGE_DUAL + 3 * k, r);
        cell = cell * sys->n_cells[k] + cell_along(sys, geo, k, f, &m[k]);
        if (!(sys->periodic >> k & 1)) *height = f;
    }
    *image = (int4)(m[0], m[1], m[2], 0);
    return cell;
}

/* A height in thousandths of an angstrom, rounded up. Integers, since the largest one is found by
 * atomics: PoCL 3.1 mixes up the local memory of work-groups in a kernel like large_cells. */
SHOAL_FN int height_code(real height)
{
    return (int)ceil(fmin(fmax(height * R(1000.0), R(-1e9)), R(1e9)));
}

/* Sorts the atoms of a cell, few as they are, by their number. */
SHOAL_FN void sort_cell(global int *list, int n)
{
    for (int a = 1; a < n; ++a) {
        const int value = list[a];
        int b = a;
        for (; b > 0 && list[b - 1] > value; --b) list[b] = list[b - 1];
        list[b] = value;
    }
}

/* One group per system: copies coordinates to origins, finds images and cells of all atoms. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_cells(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    const int flags = stat[LARGE_FLAGS];
    const int wanted = stat[LARGE_OUTCOME] == STEP_GOING && (flags & (LARGE_STALE | LARGE_REMAKE));
    const int n_do = wanted ? n_particles : 0, b_do = wanted ? (movers + WG - 1) / WG : 0;
    const int n_cells = sys->n_cells[0] * sys->n_cells[1] * sys->n_cells[2];
    const int c_do = wanted && sys->periodic ? n_cells : 0, share = (c_do + WG - 1) / WG;
    global int *start = cells + sys->cell, *cursor = start + n_cells + 1;
    global int *sorted = cursor + n_cells, *cell_of = sorted + n_particles,
               *shares = cell_of + n_particles;
    const int slab = wanted && geo[LARGE_SLAB] > 0;
    if (l == 0 && slab) stat[LARGE_TOP] = stat[LARGE_BOTTOM] = -1000000000;
    for (int c = l; c < c_do; c += WG) cursor[c] = 0;
    for (int b = l; b < b_do && (flags & LARGE_STALE) != 0; b += WG)
        LARGE_SUM(b, LARGE_SUM_MOVE) = (real4)(0, 0, 0, 0);
    GLOBAL_BARRIER;
    for (int i = l; i < n_do; i += WG) {
        if (flags & LARGE_STALE) origins[at + i] = positions[at + i];
        const real4 anchor = anchors[at + i], u = origins[at + i];
        int4 image = (int4)(0, 0, 0, 0);
        if (sys->periodic) {
            const v3 r = v3_add(from4(anchor), from4(u));
            real height = 0;
            cell_of[i] = find_cell(sys, geo, r, &image, &height);
            if (slab) (void)atomic_max(stat + LARGE_TOP, height_code(height));
            if (slab) (void)atomic_max(stat + LARGE_BOTTOM, height_code(-height));
            (void)atomic_inc(cursor + cell_of[i]);
        }
        images[at + i] = image;
        wrapped[at + i] = large_wrap(geo, anchor, from4(u), image, atoms[t->atom + i].z);
        if (LARGE_HAS_PHASES(sys))
            turns[at + i] = large_turns(geo, anchor_turns[at + i], from4(positions[at + i]));
    }
    GLOBAL_BARRIER;
    int mine = 0; /* atoms in the share of cells of this work-item */
    for (int c = l * share; c < (l + 1) * share && c < c_do; ++c) mine += cursor[c];
    if (c_do > 0) shares[l] = mine;
    GLOBAL_BARRIER;
    int before = 0;
    for (int k = 0; k < l && c_do > 0; ++k) before += shares[k];
    for (int c = l * share; c < (l + 1) * share && c < c_do; ++c) {
        const int count = cursor[c];
        start[c] = before;
        cursor[c] = before;
        before += count;
    }
    if (l == WG - 1 && c_do > 0) start[n_cells] = n_particles;
    GLOBAL_BARRIER;
    for (int i = l; i < n_do && c_do > 0; i += WG) sorted[atomic_inc(cursor + cell_of[i])] = i;
    GLOBAL_BARRIER;
    for (int c = l; c < c_do; c += WG) sort_cell(sorted + start[c], start[c + 1] - start[c]);
    if (l == 0 && slab) {
        const real tall = R(0.001) * (real)(stat[LARGE_TOP] + stat[LARGE_BOTTOM]);
        states[LARGE_STATE * block.x + LARGE_HEIGHT] = tall;
        if (tall > geo[LARGE_TALL]) (void)atomic_or(stat + LARGE_FLAGS, LARGE_TOO_TALL);
    }
}

/* Whether the image of j is a 1-2 or 1-3 partner of i. */
SHOAL_FN int is_excluded(global const int2 *list, int n, int j, int4 shift)
{
    const int code = (shift.x + 512) | (shift.y + 512) << 10 | (shift.z + 512) << 20;
    for (int e = 0; e < n && list[e].x <= j; ++e)
        if (list[e].x == j && list[e].y == code) return 1;
    return 0;
}

SHOAL_FN int floor_divide(int a, int b)
{
    const int q = a / b;
    return q * b > a ? q - 1 : q;
}

/* What is known of the atom whose neighbours are looked for. */
typedef struct seeker {
    int i;
    int own[3];              /* its cell */
    uint marks;              /* bit (j mod 32) is set for its excluded partners j */
    global const int2 *list; /* these partners */
    int n_list;
} seeker;

/* Neighbours among the atoms first .. last - 1 in the order of cells, which are moved by a
 * translation of the table; written from out on if out is not 0. */
SHOAL_FN int visit_run(global const large_system *sys, global const real *geo, const seeker *s,
                       global const int *sorted, int first, int last, int4 turns_away, int number,
                       global const real4 *place, global const int4 *image, global const int4 *home,
                       real4 moved, global uint *out)
{
    const int i = s->i, middle = sys->n_table[0] * sys->n_table[1] * sys->n_table[2] / 2;
    const real4 from = place[i] - moved;
    const real reach2 = geo[LARGE_REACH2];
    int count = 0;
    for (int c = first; c < last; ++c) {
        const int j = sorted[c];
        const real4 d = place[j] - from;
        if (!(d.x * d.x + d.y * d.y + d.z * d.z < reach2)) continue;
        if (j == i && number == middle) continue;
        if (s->marks >> (j & 31) & 1) {
            const int4 shift = turns_away + image[i] + home[i] - image[j] - home[j];
            if (is_excluded(s->list, s->n_list, j, shift)) continue;
        }
        if (out && count < sys->capacity) out[count] = (uint)j | (uint)number << sys->atom_bits;
        ++count;
    }
    return count;
}

/* Neighbours in row o of the cells around an atom. Cells of a row follow each other in the order of
 * atoms, up to where the next image begins. */
SHOAL_FN int visit_row(global const large_system *sys, global const real *geo, const seeker *s,
                       int o, global const int *start, global const int *sorted,
                       global const real4 *place, global const int4 *image, global const int4 *home,
                       global const real4 *table, global uint *out)
{
    const int wide = 2 * sys->reach[1] + 1, n_row = sys->n_cells[2];
    const int step[2] = {o / wide, o % wide};
    int turn_of[3], there = 0, number = 0, count = 0;
    for (int k = 0; k < 2; ++k) {
        const int c = s->own[k] + step[k] - sys->reach[k];
        turn_of[k] = floor_divide(c, sys->n_cells[k]);
        if (!(sys->periodic >> k & 1) && turn_of[k] != 0) return 0;
        there = there * sys->n_cells[k] + c - turn_of[k] * sys->n_cells[k];
        number = number * sys->n_table[k] + turn_of[k] + sys->n_table[k] / 2;
    }
    const int low = s->own[2] - sys->reach[2], high = s->own[2] + sys->reach[2];
    const int repeats = sys->periodic >> 2 & 1;
    const int last_turn = repeats ? floor_divide(high, n_row) : 0;
    for (int turn = repeats ? floor_divide(low, n_row) : 0; turn <= last_turn; ++turn) {
        const int a = low > turn * n_row ? low - turn * n_row : 0;
        const int b = high < (turn + 1) * n_row ? high - turn * n_row : n_row - 1;
        const int at = number * sys->n_table[2] + turn + sys->n_table[2] / 2;
        count += visit_run(sys, geo, s, sorted, start[there * n_row + a],
                           start[there * n_row + b + 1], (int4)(turn_of[0], turn_of[1], turn, 0),
                           at, place, image, home, table[at], out ? out + count : 0);
    }
    return count;
}

/* A number of work-items share the rows of cells around an atom. The list is made in two turns:
 * count, write. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_list(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local int counts[WG];
    const int shared = WG / LARGE_LISTED, i = block.y + l / shared, lane = l % shared;
    const int flags = stat[LARGE_FLAGS] & (LARGE_STALE | LARGE_REMAKE);
    const int wanted =
        stat[LARGE_OUTCOME] == STEP_GOING && flags != 0 && sys->periodic != 0 && i < n_particles;
    const int n_cells = sys->n_cells[0] * sys->n_cells[1] * sys->n_cells[2];
    const int n_rows = (2 * sys->reach[0] + 1) * (2 * sys->reach[1] + 1);
    global const int *start = cells + sys->cell, *sorted = start + 2 * n_cells + 1;
    const int share = (n_rows + shared - 1) / shared, o_first = lane * share;
    const int o_last = wanted ? (o_first + share < n_rows ? o_first + share : n_rows) : o_first;
    global uint *row = list + (size_t)sys->list * LARGE_ENTRIES + (size_t)i * (size_t)sys->capacity;
    seeker s = {.i = i, .marks = 0, .n_list = 0};
    if (wanted) {
        const int cell = sorted[n_particles + i], plane = sys->n_cells[1] * sys->n_cells[2];
        const int e_first = exclude_start[t->exclude_start + i];
        s.own[0] = cell / plane;
        s.own[1] = cell / sys->n_cells[2] % sys->n_cells[1];
        s.own[2] = cell % sys->n_cells[2];
        s.list = exclude + t->exclude + e_first;
        s.n_list = exclude_start[t->exclude_start + i + 1] - e_first;
        for (int e = 0; e < s.n_list; ++e) s.marks |= 1u << (s.list[e].x & 31);
    }
    int count = 0;
    for (int o = o_first; o < o_last; ++o)
        count += visit_row(sys, geo, &s, o, start, sorted, wrapped + at, images + at, homes + at,
                           table + sys->table, 0);
    counts[l] = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    int before = 0, all = 0;
    for (int k = 0; k < shared; ++k) {
        before += k < lane ? counts[l - lane + k] : 0;
        all += counts[l - lane + k];
    }
    if (wanted && all > sys->capacity) {
        (void)atomic_max(stat + LARGE_NEED, all);
        (void)atomic_or(stat + LARGE_FLAGS, LARGE_OVERFLOW);
    } else if (wanted) {
        for (int o = o_first; o < o_last; ++o)
            before += visit_row(sys, geo, &s, o, start, sorted, wrapped + at, images + at,
                                homes + at, table + sys->table, row + before);
        if (lane == 0) origins[at + i].w = (real)all;
    }
}

/* Lowers the flags of systems whose lists are made; one group per system. Lists that were made
 * again from old coordinates have left those in flat. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_ready(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    const int flags = stat[LARGE_FLAGS];
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int i = l; i < n_particles && (flags & LARGE_REMAKE) != 0; i += WG)
        wrapped[at + i] = large_wrap(geo, anchors[at + i], from4(positions[at + i]), images[at + i],
                                     atoms[t->atom + i].z);
    /* How far the atoms are from where the list was made; a new list is where they are. */
    for (int b = l; b < (movers + WG - 1) / WG && (flags & LARGE_REMAKE) != 0; b += WG) {
        real far = 0;
        for (int i = b * WG; i < n && i < (b + 1) * WG; ++i) {
            const v3 d = v3_sub(from4(positions[at + i]), from4(origins[at + i]));
            far = real_max(far, v3_dot(d, d));
        }
        LARGE_SUM(b, LARGE_SUM_MOVE) = (real4)(0, 0, 0, far);
    }
    if (l == 0 && !(flags & (LARGE_OVERFLOW | LARGE_TOO_TALL))) stat[LARGE_FLAGS] = 0;
}
