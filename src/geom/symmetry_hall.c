/* SPDX-License-Identifier: BSD-3-Clause
 * Space groups by their Hall symbols (S. R. Hall, Acta Cryst. A37 (1981) 517; International Tables B, 1.4). */
#include "geom/symmetry.h"

/* Turns about z by the order of the axis, and those about a - b, a + b and a + b + c. */
static bool turn_about_z(char what, symmetry_op *op)
{
    static const struct {
        char what;
        int8_t turn[3][3];
    } turns[] = {
        {'1', {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},   {'2', {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}},
        {'3', {{0, -1, 0}, {1, -1, 0}, {0, 0, 1}}}, {'4', {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}},
        {'6', {{1, -1, 0}, {1, 0, 0}, {0, 0, 1}}},  {'\'', {{0, -1, 0}, {-1, 0, 0}, {0, 0, -1}}},
        {'"', {{0, 1, 0}, {1, 0, 0}, {0, 0, -1}}},  {'*', {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}},
    };
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; ++k) {
        if (turns[k].what != what) continue;
        memcpy(op->turn, turns[k].turn, sizeof op->turn);
        return true;
    }
    return false;
}

static bool add_translation(char letter, int8_t shift[3])
{
    static const struct {
        char letter;
        int8_t shift[3];
    } all[] = {{'a', {12, 0, 0}}, {'b', {0, 12, 0}}, {'c', {0, 0, 12}}, {'n', {12, 12, 12}},
               {'u', {6, 0, 0}},  {'v', {0, 6, 0}},  {'w', {0, 0, 6}},  {'d', {6, 6, 6}}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        if (all[k].letter != letter) continue;
        for (int c = 0; c < 3; ++c)
            shift[c] = (int8_t)((shift[c] + all[k].shift[c]) % SYMMETRY_UNIT);
        return true;
    }
    return false;
}

/* The axis of a turn moves from z to x or y. */
static void move_axis(symmetry_op *op, char axis)
{
    const symmetry_op old = *op;
    const int from = axis == 'x' ? 2 : axis == 'y' ? 1 : 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) op->turn[i][j] = old.turn[(i + from) % 3][(j + from) % 3];
}

/* Axes that a symbol leaves out, by its place (from 1) and the order before it; false if it must name one. */
static bool imply_axis(int place, char order, char before, char *axis, char *diagonal)
{
    if (*axis || *diagonal) return true;
    if (place == 1) {
        *axis = 'z';
    } else if (place == 2 && order == '2' && (before == '2' || before == '4')) {
        *axis = 'x';
    } else if (place == 2 && order == '2' && (before == '3' || before == '6')) {
        *diagonal = '\'';
    } else if (place == 3 && order == '3') {
        *diagonal = '*';
    } else {
        return order == '1';
    }
    return true;
}

/* One matrix symbol, e.g. -4bd, 31, 2". */
static bool read_matrix(shoal_span word, int place, char *before, symmetry_op *op)
{
    char axis = 0, diagonal = 0;
    int screw = 0;
    *op = symmetry_identity();
    const bool improper = word.size > 0 && word.text[0] == '-';
    word = shoal_span_after(word, improper);
    if (word.size == 0) return false;
    const char order = word.text[0];
    for (size_t k = 1; k < word.size; ++k) {
        const char c = word.text[k];
        if (c >= '1' && c <= '5' && screw == 0)
            screw = c - '0';
        else if (c == 'x' || c == 'y' || c == 'z')
            axis = c;
        else if (c == '\'' || c == '"' || c == '*')
            diagonal = c;
        else if (!add_translation(c, op->shift))
            return false;
    }
    if (!imply_axis(place, order, *before, &axis, &diagonal)) return false;
    if (order < '1' || order > '6' ||
        !turn_about_z(diagonal && order != '1' ? diagonal : order, op))
        return false;
    if (axis) move_axis(op, axis);
    for (int k = 0; k < 9 && improper; ++k)
        op->turn[k / 3][k % 3] = (int8_t)-op->turn[k / 3][k % 3];
    if (screw > 0 && (!axis || screw >= order - '0')) return false;
    if (screw > 0) op->shift[axis - 'x'] += (int8_t)(SYMMETRY_UNIT / (order - '0') * screw);
    *before = order;
    return true;
}

static bool add_lattice(char letter, symmetry_group *g)
{
    static const struct {
        char letter;
        int8_t shifts[3][3];
    } all[] = {{'A', {{0, 12, 12}}},
               {'B', {{12, 0, 12}}},
               {'C', {{12, 12, 0}}},
               {'I', {{12, 12, 12}}},
               {'R', {{16, 8, 8}, {8, 16, 16}}},
               {'S', {{8, 8, 16}, {16, 16, 8}}},
               {'T', {{8, 16, 8}, {16, 8, 16}}},
               {'H', {{16, 8, 0}, {8, 16, 0}}},
               {'F', {{0, 12, 12}, {12, 0, 12}, {12, 12, 0}}},
               {'P', {{0, 0, 0}}}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        if (all[k].letter != (letter & ~0x20)) continue;
        for (int m = 0; m < 3; ++m) {
            symmetry_op op = symmetry_identity();
            memcpy(op.shift, all[k].shifts[m], sizeof op.shift);
            if (!symmetry_add(g, &op)) return false;
        }
        return true;
    }
    return false;
}

/* "0 0 1" in twelfths, or "x-y,x+y,z": how the axes of the symbol become those of the crystal. */
static bool read_basis(shoal_span text, symmetry_op *basis)
{
    *basis = symmetry_identity();
    if (memchr(text.text, ',', text.size)) return symmetry_read(text, basis);
    for (int k = 0; k < 3; ++k) {
        int32_t twelfths;
        if (!shoal_text_int(shoal_span_word(&text), &twelfths) || twelfths < -12 || twelfths > 12)
            return false;
        basis->shift[k] = (int8_t)(twelfths * (SYMMETRY_UNIT / 12));
    }
    return shoal_span_trim(text).size == 0;
}

static bool change_basis(symmetry_group *g, shoal_span text)
{
    symmetry_op basis;
    if (!read_basis(text, &basis)) return false;
    const symmetry_op back = symmetry_inverse(&basis);
    for (int32_t k = 0; k < g->n; ++k) {
        const symmetry_op half = symmetry_product(&basis, &g->ops[k]);
        g->ops[k] = symmetry_product(&half, &back);
    }
    return true;
}

/* The words of a symbol up to the bracket. */
static bool add_generators(shoal_span rest, symmetry_group *g)
{
    char before = 0;
    int place = 0;
    shoal_span word = shoal_span_word(&rest);
    const bool centred = word.size > 0 && word.text[0] == '-';
    const symmetry_op inversion = {.turn = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
    word = shoal_span_after(word, centred);
    if (word.size != 1 || !add_lattice(word.text[0], g)) return false;
    if (centred && !symmetry_add(g, &inversion)) return false;
    while ((word = shoal_span_word(&rest)).size > 0) {
        symmetry_op op;
        if (++place > 4 || !read_matrix(word, place, &before, &op) || !symmetry_add(g, &op))
            return false;
    }
    return place > 0;
}

bool symmetry_by_hall(shoal_span symbol, symmetry_group *out)
{
    const symmetry_op one = symmetry_identity();
    const char *open = memchr(symbol.text, '(', symbol.size);
    const size_t n = open ? (size_t)(open - symbol.text) : symbol.size;
    out->n = 0;
    (void)symmetry_add(out, &one);
    if (!add_generators((shoal_span){symbol.text, n}, out)) return false;
    if (open) {
        const shoal_span rest = shoal_span_after(symbol, n + 1);
        const char *close = memchr(rest.text, ')', rest.size);
        if (!close || !change_basis(out, (shoal_span){rest.text, (size_t)(close - rest.text)}))
            return false;
    }
    return symmetry_close(out);
}
