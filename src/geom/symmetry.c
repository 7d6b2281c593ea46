/* SPDX-License-Identifier: BSD-3-Clause
 * Symmetry operations as text, their products and the groups of these. */
#include "geom/symmetry.h"

#include <math.h>

symmetry_op symmetry_identity(void)
{
    return (symmetry_op){.turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

/* --- as text ------------------------------------------------------------------------------------- */

/* Digits with a point or a fraction behind *at, in units of the cell; false for anything else. */
static bool read_fraction(shoal_span s, size_t *at, double *value)
{
    size_t end = *at, slash = s.size;
    double number[2] = {0, 1};
    while (end < s.size &&
           (shoal_is_digit(s.text[end]) || s.text[end] == '.' || s.text[end] == '/')) {
        if (s.text[end] == '/' && slash < s.size) return false;
        if (s.text[end] == '/') slash = end;
        ++end;
    }
    const size_t middle = slash < end ? slash : end;
    if (!shoal_text_double((shoal_span){s.text + *at, middle - *at}, &number[0])) return false;
    if (middle < end &&
        !shoal_text_double((shoal_span){s.text + middle + 1, end - middle - 1}, &number[1]))
        return false;
    *at = end;
    *value = number[0] / number[1];
    return isfinite(*value);
}

/* Printed with few digits thirds are none. */
static bool add_shift(double value, int8_t *shift)
{
    const double units = value * SYMMETRY_UNIT, whole = round(units);
    if (fabs(units - whole) > 0.02 || fabs(whole) > 2 * SYMMETRY_UNIT) return false;
    const int sum = *shift + (int)whole;
    if (sum < -4 * SYMMETRY_UNIT || sum > 4 * SYMMETRY_UNIT) return false;
    *shift = (int8_t)sum;
    return true;
}

/* One of the three parts. */
static bool read_part(shoal_span s, int8_t turn[3], int8_t *shift)
{
    int sign = 1;
    bool wants = true; /* a term: at the start and behind a sign */
    size_t at = 0;
    while (at < s.size) {
        const char c = s.text[at];
        if (shoal_is_blank(c)) {
            ++at;
        } else if (c == '+' || c == '-') {
            sign = c == '-' ? -1 : 1;
            wants = true;
            ++at;
        } else if (shoal_is_letter(c)) {
            const int axis = (c | 0x20) - 'x';
            if (!wants || axis < 0 || axis > 2 || turn[axis] != 0) return false;
            turn[axis] = (int8_t)sign;
            wants = false;
            ++at;
        } else {
            double value;
            if (!wants || !read_fraction(s, &at, &value) || !add_shift(sign * value, shift))
                return false;
            wants = false;
        }
    }
    return !wants;
}

bool symmetry_read(shoal_span text, symmetry_op *out)
{
    *out = (symmetry_op){0};
    for (int k = 0; k < 3; ++k) {
        const char *comma = memchr(text.text, ',', text.size);
        if ((k < 2) != (comma != NULL)) return false;
        const size_t n = comma ? (size_t)(comma - text.text) : text.size;
        if (!read_part((shoal_span){text.text, n}, out->turn[k], &out->shift[k])) return false;
        text = shoal_span_after(text, n + 1);
    }
    return symmetry_determinant(out) != 0;
}

/* --- products ------------------------------------------------------------------------------------ */

static int8_t into_cell(int shift)
{
    const int rest = shift % SYMMETRY_UNIT;
    return (int8_t)(rest < 0 ? rest + SYMMETRY_UNIT : rest);
}

int32_t symmetry_determinant(const symmetry_op *op)
{
    const int8_t(*t)[3] = op->turn;
    const int d = t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) -
                  t[0][1] * (t[1][0] * t[2][2] - t[1][2] * t[2][0]) +
                  t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0]);
    return d == 1 || d == -1 ? d : 0;
}

symmetry_op symmetry_product(const symmetry_op *a, const symmetry_op *b)
{
    symmetry_op out;
    for (int i = 0; i < 3; ++i) {
        int shift = a->shift[i];
        for (int j = 0; j < 3; ++j) {
            int sum = 0;
            for (int k = 0; k < 3; ++k) sum += a->turn[i][k] * b->turn[k][j];
            out.turn[i][j] = (int8_t)(sum < -9 ? -9 : sum > 9 ? 9 : sum);
            shift += a->turn[i][j] * b->shift[j];
        }
        out.shift[i] = into_cell(shift);
    }
    return out;
}

symmetry_op symmetry_inverse(const symmetry_op *op)
{
    const int8_t(*t)[3] = op->turn;
    const int det = symmetry_determinant(op);
    symmetry_op out = {0};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            out.turn[i][j] = (int8_t)(det * (t[a][c] * t[b][d] - t[a][d] * t[b][c]));
        }
    for (int i = 0; i < 3; ++i) {
        int shift = 0;
        for (int j = 0; j < 3; ++j) shift -= out.turn[i][j] * op->shift[j];
        out.shift[i] = into_cell(shift);
    }
    return out;
}

void symmetry_apply(const symmetry_op *op, const double from[3], double to[3])
{
    for (int i = 0; i < 3; ++i)
        to[i] = op->turn[i][0] * from[0] + op->turn[i][1] * from[1] + op->turn[i][2] * from[2] +
                op->shift[i] / (double)SYMMETRY_UNIT;
}

/* --- groups -------------------------------------------------------------------------------------- */

static bool has(const symmetry_group *g, const symmetry_op *op)
{
    for (int32_t k = 0; k < g->n; ++k)
        if (memcmp(&g->ops[k], op, sizeof *op) == 0) return true;
    return false;
}

bool symmetry_add(symmetry_group *g, const symmetry_op *op)
{
    const symmetry_op one = symmetry_identity();
    const symmetry_op in_cell = symmetry_product(&one, op);
    if (has(g, &in_cell)) return true;
    if (g->n >= SYMMETRY_MOST) return false;
    g->ops[g->n++] = in_cell;
    return true;
}

/* Turns of crystals have entries of -1, 0 and 1 in every setting, so powers that grow end it. */
static bool is_sane(const symmetry_op *op)
{
    for (int k = 0; k < 9; ++k)
        if (op->turn[k / 3][k % 3] > 1 || op->turn[k / 3][k % 3] < -1) return false;
    return symmetry_determinant(op) != 0;
}

bool symmetry_close(symmetry_group *g)
{
    for (int32_t i = 0; i < g->n; ++i)
        for (int32_t j = 0; j <= i; ++j) {
            const symmetry_op ab = symmetry_product(&g->ops[i], &g->ops[j]);
            const symmetry_op ba = symmetry_product(&g->ops[j], &g->ops[i]);
            if (!is_sane(&ab) || !is_sane(&ba) || !symmetry_add(g, &ab) || !symmetry_add(g, &ba))
                return false;
        }
    return true;
}

bool symmetry_is_closed(const symmetry_group *g)
{
    for (int32_t i = 0; i < g->n; ++i)
        for (int32_t j = 0; j < g->n; ++j) {
            const symmetry_op ab = symmetry_product(&g->ops[i], &g->ops[j]);
            if (!has(g, &ab)) return false;
        }
    return g->n > 0;
}
