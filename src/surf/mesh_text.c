/* SPDX-License-Identifier: BSD-3-Clause
 * Reading meshes that are text: Gaussian cube and XCrySDen xsf. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/input.h"
#include "shoal/molecule.h"
#include "surf/mesh.h"

#include "constants.h"

#define SAME 1e-5 /* of the largest value: how well an xsf grid repeats its first nodes */

enum { MOST_ATOMS = 10000000 };

typedef struct text_reader {
    mesh_draft *draft;
    shoal_input *in;
    shoal_span line; /* what is left of it */
} text_reader;

static shoal_status fail(const text_reader *t, shoal_span value, const char *what,
                         const char *expected)
{
    return shoal_input_fail(t->in, value, what, "%s", expected);
}

/* A line of so many numbers at least; what follows them is left. */
static shoal_status read_numbers(text_reader *t, int32_t n, double *out, const char *expected)
{
    SHOAL_TRY(shoal_input_need(t->in, &t->line, "%s", expected));
    const shoal_span whole = shoal_span_trim(t->line);
    for (int32_t k = 0; k < n; ++k)
        if (!shoal_text_double(shoal_span_word(&t->line), &out[k]))
            return fail(t, whole, "bad line", expected);
    return SHOAL_OK;
}

static bool is_count(double value, double most)
{
    return value == floor(value) && fabs(value) <= most;
}

static shoal_status add_atom(mesh_draft *d, int32_t z, const double pos[3])
{
    shoal_mesh *m = d->mesh;
    const int32_t n = m->view.n_atoms;
    if (n == m->atom_capacity) {
        int32_t more = m->atom_capacity;
        SHOAL_TRY(shoal_grow(&m->elements, &more, n + 1, sizeof *m->elements));
        SHOAL_TRY(shoal_grow(&m->pos, &m->atom_capacity, n + 1, sizeof *m->pos));
    }
    m->elements[n] = z;
    memcpy(m->pos[n], pos, sizeof m->pos[n]);
    m->view.n_atoms = n + 1;
    return SHOAL_OK;
}

/* Significant digits of a number as it is written. */
static int32_t count_digits(shoal_span word)
{
    int32_t n = 0;
    bool begun = false;
    for (size_t i = 0; i < word.size; ++i) {
        const char c = word.text[i];
        if (c == 'e' || c == 'E' || c == 'd' || c == 'D') break;
        if (!shoal_is_digit(c)) continue;
        begun = begun || c != '0';
        n += begun;
    }
    return n;
}

/* So many values, any number of them a line. */
static shoal_status read_values(text_reader *t, size_t n)
{
    mesh_draft *d = t->draft;
    while (d->n < n) {
        shoal_span line;
        SHOAL_TRY(shoal_input_need(t->in, &line, "%zu values, of which %zu are there", n, d->n));
        for (shoal_span word; (word = shoal_span_word(&line)).size > 0;) {
            if (d->n == n) return fail(t, word, "one value too many", "as many as the shape says");
            SHOAL_TRY(mesh_reserve(d, 1));
            if (!shoal_text_double(word, &d->mesh->values[d->n]))
                return fail(t, word, "bad value", "a finite number");
            const int32_t digits = count_digits(word);
            if (digits > d->digits) d->digits = digits;
            ++d->n;
        }
    }
    return SHOAL_OK;
}

static size_t count_nodes(const int32_t n[3])
{
    return (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
}

/* --- cube ----------------------------------------------------------------------------------------- */

static shoal_status read_cube_axis(text_reader *t, int axis, double *unit)
{
    shoal_mesh_view *v = &t->draft->mesh->view;
    double n[4];
    SHOAL_TRY(read_numbers(t, 4, n, "a number of voxels and their vector"));
    if (!is_count(n[0], MESH_MOST) || n[0] == 0)
        return fail(t, t->line, "bad number of voxels", "a whole number, at most 20000");
    if (axis == 0) *unit = n[0] < 0 ? 1 : BOHR;
    if ((n[0] < 0) != (*unit == 1))
        return fail(t, t->line, "angstrom along one vector and bohr along another",
                    "numbers of voxels of one sign");
    v->shape[axis] = (int32_t)fabs(n[0]);
    for (int x = 0; x < 3; ++x) v->cell[axis][x] = n[1 + x] * *unit * v->shape[axis];
    return SHOAL_OK;
}

static shoal_status read_cube_atoms(text_reader *t, int32_t n, double unit)
{
    for (int32_t i = 0; i < n; ++i) {
        double numbers[5], pos[3];
        SHOAL_TRY(read_numbers(t, 5, numbers, "the number, charge and place of an atom"));
        if (!is_count(numbers[0], 200)) return fail(t, t->line, "bad element", "an atomic number");
        for (int x = 0; x < 3; ++x) pos[x] = numbers[2 + x] * unit;
        SHOAL_TRY(add_atom(t->draft, (int32_t)numbers[0], pos));
    }
    return SHOAL_OK;
}

/* Two lines of comment; atoms and origin; three vectors of a voxel; atoms; values, the last index fastest. */
static shoal_status read_cube(text_reader *t)
{
    shoal_mesh_view *v = &t->draft->mesh->view;
    double head[4], unit = BOHR, per_node;
    for (int k = 0; k < 2; ++k)
        SHOAL_TRY(shoal_input_need(t->in, &t->line, "two lines of comment"));
    SHOAL_TRY(read_numbers(t, 4, head, "a number of atoms and the origin"));
    if (!is_count(head[0], MOST_ATOMS))
        return fail(t, t->line, "bad number of atoms", "a whole number");
    if (head[0] < 0)
        return fail(t, t->line, "a cube of orbitals (a negative number of atoms)", "a potential");
    if (shoal_text_double(shoal_span_word(&t->line), &per_node) && per_node != 1)
        return fail(t, t->line, "several values at a node", "one");
    for (int k = 0; k < 3; ++k) SHOAL_TRY(read_cube_axis(t, k, &unit));
    for (int x = 0; x < 3; ++x) v->origin[x] = head[1 + x] * unit;
    SHOAL_TRY(mesh_check_shape(v->shape, shoal_input_label(t->in)));
    SHOAL_TRY(read_cube_atoms(t, (int32_t)head[0], unit));
    return read_values(t, count_nodes(v->shape));
}

/* --- xsf ------------------------------------------------------------------------------------------ */

/* The next line that is neither blank nor a comment. */
static shoal_status next_line(text_reader *t, bool *found)
{
    do {
        SHOAL_TRY(shoal_input_line(t->in, &t->line, found));
        t->line = shoal_span_trim(t->line);
    } while (*found && (t->line.size == 0 || *t->line.text == '#'));
    return SHOAL_OK;
}

static shoal_status need_vector(text_reader *t, double out[3], const char *expected)
{
    bool found;
    SHOAL_TRY(next_line(t, &found));
    const shoal_span whole = t->line;
    for (int x = 0; x < 3; ++x)
        if (!found || !shoal_text_double(shoal_span_word(&t->line), &out[x]))
            return fail(t, whole, found ? "bad line" : "the file ends", expected);
    return SHOAL_OK;
}

/* One line of an atom: its number or symbol, and a place; false, with the line untouched, if it is something else. */
static bool parse_atom(shoal_span line, int32_t *z, double pos[3])
{
    char symbol[4] = "";
    double number = 0;
    const shoal_span word = shoal_span_word(&line);
    if (word.size == 0) return false;
    if (shoal_text_double(word, &number))
        *z = is_count(number, 200) ? (int32_t)number : -1;
    else if (word.size < sizeof symbol) {
        memcpy(symbol, word.text, word.size);
        *z = shoal_element_number(symbol);
    } else
        return false;
    for (int x = 0; x < 3; ++x)
        if (!shoal_text_double(shoal_span_word(&line), &pos[x])) return false;
    return *z >= 0;
}

static shoal_status read_xsf_atoms(text_reader *t)
{
    double counts[3], pos[3];
    int32_t z;
    bool found;
    SHOAL_TRY(next_line(t, &found));
    shoal_span rest = t->line;
    if (!found || !shoal_text_double(shoal_span_word(&rest), &counts[0]) ||
        !is_count(counts[0], MOST_ATOMS) || counts[0] < 0)
        return fail(t, t->line, "bad number of atoms behind PRIMCOORD", "a whole number");
    for (int32_t i = 0; i < (int32_t)counts[0]; ++i) {
        SHOAL_TRY(next_line(t, &found));
        if (!found || !parse_atom(t->line, &z, pos))
            return fail(t, t->line, found ? "bad atom" : "the file ends",
                        "an element and its place");
        SHOAL_TRY(add_atom(t->draft, z, pos));
    }
    return SHOAL_OK;
}

/* Whether the last nodes along an axis are the first ones once more; values are [c][b][a]. */
static bool is_closed(const mesh_draft *d, int axis)
{
    const int32_t *n = d->mesh->view.shape;
    const double *v = d->mesh->values;
    const size_t step[3] = {1, (size_t)n[0], (size_t)n[0] * (size_t)n[1]};
    const size_t total = count_nodes(n), along = (size_t)(n[axis] - 1) * step[axis];
    double highest = 0;
    for (size_t i = 0; i < total; ++i) highest = fmax(highest, fabs(v[i]));
    for (size_t i = 0; i < total; ++i)
        if (i / step[axis] % (size_t)n[axis] == 0 && !(fabs(v[i + along] - v[i]) <= SAME * highest))
            return false;
    return true;
}

/* Leaves the last nodes along the axes that are closed out. */
static void open_grid(mesh_draft *d, const bool closed[3])
{
    int32_t *n = d->mesh->view.shape, to[3];
    double *v = d->mesh->values;
    size_t at = 0;
    for (int k = 0; k < 3; ++k) to[k] = n[k] - closed[k];
    for (int32_t c = 0; c < to[2]; ++c)
        for (int32_t b = 0; b < to[1]; ++b)
            for (int32_t a = 0; a < to[0]; ++a)
                v[at++] = v[((size_t)c * (size_t)n[1] + (size_t)b) * (size_t)n[0] + (size_t)a];
    memcpy(n, to, sizeof to);
    d->n = at;
}

/* The vectors of a general grid lead from the first nodes to the last, which along A and B are the first once more. Where they
 * are not, the vectors are those of as many steps as there are nodes. */
static shoal_status close_grid(text_reader *t, bool crystal)
{
    mesh_draft *d = t->draft;
    shoal_mesh_view *v = &d->mesh->view;
    bool closed[3];
    for (int k = 0; k < 3; ++k) closed[k] = (k < 2 || crystal) && is_closed(d, k);
    if (closed[0] != closed[1])
        return shoal_fail(
            SHOAL_E_FORMAT,
            "%s: the grid repeats its first nodes at the end of one of its first two vectors "
            "and not of the other; expected both (a general grid) or none",
            shoal_input_label(t->in));
    v->repeats = closed[2];
    if (closed[0] && !closed[2]) {
        const double steps = v->shape[2] - 1;
        for (int x = 0; x < 3; ++x) v->cell[2][x] *= v->shape[2] / steps;
    }
    open_grid(d, closed);
    return SHOAL_OK;
}

static shoal_status read_xsf_grid(text_reader *t, bool crystal)
{
    shoal_mesh_view *v = &t->draft->mesh->view;
    double n[3];
    if (t->draft->n > 0) return fail(t, t->line, "a second grid", "one");
    SHOAL_TRY(need_vector(t, n, "three numbers of nodes"));
    for (int k = 0; k < 3; ++k) {
        if (!is_count(n[k], MESH_MOST) || n[k] < 1)
            return fail(t, t->line, "bad number of nodes", "three whole numbers, at most 20000");
        v->shape[k] = (int32_t)n[k];
    }
    SHOAL_TRY(mesh_check_shape(v->shape, shoal_input_label(t->in)));
    SHOAL_TRY(need_vector(t, v->origin, "the origin of the grid"));
    for (int k = 0; k < 3; ++k) SHOAL_TRY(need_vector(t, v->cell[k], "three vectors of the grid"));
    SHOAL_TRY(read_values(t, count_nodes(v->shape)));
    t->draft->x_fastest = true;
    return close_grid(t, crystal);
}

/* Keywords with what follows them; anything else is passed over. */
static shoal_status read_xsf(text_reader *t)
{
    bool found, crystal = false;
    for (;;) {
        SHOAL_TRY(next_line(t, &found));
        if (!found) break;
        crystal = crystal || shoal_span_equal(t->line, "CRYSTAL");
        if (shoal_span_equal(t->line, "PRIMCOORD")) SHOAL_TRY(read_xsf_atoms(t));
        if (shoal_span_starts(t->line, "BEGIN_DATAGRID_3D") ||
            shoal_span_starts(t->line, "DATAGRID_3D"))
            SHOAL_TRY(read_xsf_grid(t, crystal));
    }
    if (t->draft->n > 0) return SHOAL_OK;
    return shoal_fail(SHOAL_E_FORMAT, "%s: no grid, expected BEGIN_DATAGRID_3D",
                      shoal_input_label(t->in));
}

/* --- both ----------------------------------------------------------------------------------------- */

static shoal_status expect_end(text_reader *t)
{
    bool found = true;
    while (found) {
        SHOAL_TRY(shoal_input_line(t->in, &t->line, &found));
        if (found && shoal_span_trim(t->line).size > 0)
            return fail(t, shoal_span_trim(t->line), "something behind the last value",
                        "the end of the file");
    }
    return SHOAL_OK;
}

shoal_status mesh_read_cube(mesh_draft *d, const char *path)
{
    text_reader t = {.draft = d};
    d->unit = SHOAL_MESH_HARTREE;
    SHOAL_TRY(shoal_input_open(&t.in, path, NULL));
    shoal_status status = read_cube(&t);
    if (status == SHOAL_OK) status = expect_end(&t);
    shoal_input_destroy(t.in);
    return status;
}

shoal_status mesh_read_xsf(mesh_draft *d, const char *path)
{
    text_reader t = {.draft = d};
    d->unit = SHOAL_MESH_EV;
    SHOAL_TRY(shoal_input_open(&t.in, path, NULL));
    const shoal_status status = read_xsf(&t);
    shoal_input_destroy(t.in);
    return status;
}
