/* SPDX-License-Identifier: BSD-3-Clause
 * Potentials on a mesh: their life, and the cubic spline through their nodes. */
#include "surf/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "surf/grid_spline.h"

#include "constants.h"

#define IN_PLANE 1e-4 /* largest slope of A and B against the xy plane */
#define FLAT 1e-6     /* smallest volume, as a share of the product of the lengths */
#define SAFETY 2.0    /* times the error that fourth differences tell */
#define ECHOES 16     /* nodes each way: 0.268^16 = 7e-10 */

shoal_status mesh_check_shape(const int32_t shape[3], const char *where)
{
    double nodes = 1;
    for (int k = 0; k < 3; ++k) {
        nodes *= shape[k];
        if (shape[k] < MESH_LEAST || shape[k] > MESH_MOST)
            return shoal_fail(SHOAL_E_FORMAT,
                              "%s: a mesh of %d x %d x %d nodes, expected %d to %d each way", where,
                              shape[0], shape[1], shape[2], (int)MESH_LEAST, (int)MESH_MOST);
    }
    if (nodes > MESH_MOST_NODES)
        return shoal_fail(SHOAL_E_FORMAT, "%s: a mesh of %g nodes, expected at most %g", where,
                          nodes, MESH_MOST_NODES);
    return SHOAL_OK;
}

shoal_status mesh_reserve(mesh_draft *d, size_t n)
{
    if (d->n + n <= d->capacity) return SHOAL_OK;
    size_t capacity = d->capacity > 0 ? d->capacity : 4096;
    while (capacity < d->n + n) capacity *= 2;
    double *more = realloc(d->mesh->values, capacity * sizeof *more);
    if (!more) return shoal_fail(SHOAL_E_MEMORY, "out of memory: a mesh of %zu values", capacity);
    d->mesh->values = more;
    d->capacity = capacity;
    return SHOAL_OK;
}

void shoal_mesh_destroy(shoal_mesh *mesh)
{
    if (!mesh) return;
    free(mesh->values);
    free(mesh->coefficients);
    free(mesh->elements);
    free(mesh->pos);
    free(mesh);
}

static double determinant(const double c[3][3])
{
    return c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
           c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
           c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
}

/* Rows of the inverse transpose: fraction k = inverse[k] . (r - origin). */
static void invert(shoal_mesh *mesh)
{
    const double(*c)[3] = (const double(*)[3])mesh->view.cell;
    const double det = determinant(c);
    for (int k = 0; k < 3; ++k) {
        const double *p = c[(k + 1) % 3], *q = c[(k + 2) % 3];
        for (int x = 0; x < 3; ++x) {
            const int y = (x + 1) % 3, z = (x + 2) % 3;
            mesh->inverse[k][x] = (p[y] * q[z] - p[z] * q[y]) / det;
        }
    }
}

static shoal_status check_cell(const shoal_mesh *mesh, const char *where)
{
    const double(*c)[3] = (const double(*)[3])mesh->view.cell;
    double product = 1;
    for (int k = 0; k < 3; ++k) {
        const double length = hypot(hypot(c[k][0], c[k][1]), c[k][2]);
        product *= length;
        if (!isfinite(length) || !(length > 0) || !isfinite(mesh->view.origin[k]))
            return shoal_fail(SHOAL_E_FORMAT,
                              "%s: vector %d of the mesh is not finite or zero, expected a cell",
                              where, k + 1);
        if (k < 2 && fabs(c[k][2]) > IN_PLANE * length)
            return shoal_fail(
                SHOAL_E_FORMAT,
                "%s: vector %d of the mesh, (%.4f, %.4f, %.4f) A, does not lie in the xy plane; "
                "expected the first two along the surface and the third out of it",
                where, k + 1, c[k][0], c[k][1], c[k][2]);
    }
    if (!(fabs(determinant(c)) > FLAT * product))
        return shoal_fail(SHOAL_E_FORMAT, "%s: the vectors of the mesh span no volume", where);
    return SHOAL_OK;
}

static double unit_of(const mesh_draft *d)
{
    const shoal_mesh_unit given = d->options->unit;
    switch (given == SHOAL_MESH_UNIT_USUAL ? d->unit : given) {
    case SHOAL_MESH_HARTREE: return HARTREE;
    case SHOAL_MESH_RYDBERG: return 0.5 * HARTREE;
    default: return 1;
    }
}

/* From [c][b][a] to [a][b][c]. */
static shoal_status turn_values(shoal_mesh *mesh)
{
    const size_t n_a = (size_t)mesh->view.shape[0], n_b = (size_t)mesh->view.shape[1];
    const size_t n_c = (size_t)mesh->view.shape[2];
    double *turned = shoal_alloc_dirty(n_a * n_b * n_c, sizeof *turned);
    if (!turned) return SHOAL_E_MEMORY;
    for (size_t a = 0; a < n_a; ++a)
        for (size_t b = 0; b < n_b; ++b)
            for (size_t c = 0; c < n_c; ++c)
                turned[(a * n_b + b) * n_c + c] = mesh->values[(c * n_b + b) * n_a + a];
    free(mesh->values);
    mesh->values = turned;
    return SHOAL_OK;
}

/* Coefficients along C of the columns of one index along A, which are solved along A already; first along B. work holds (n_c + 2)
 * rows of n_b, and n_c numbers. */
static void solve_slab(const shoal_mesh *mesh, double *slab, double *work, double *to)
{
    const size_t n_b = (size_t)mesh->view.shape[1], n_c = (size_t)mesh->view.shape[2];
    const size_t depth = (size_t)mesh->depth;
    double *rows = work, *first = rows + n_b * n_c, *last = first + n_b, *more = last + n_b;
    grid_spline_cyclic(slab, (int32_t)n_b, n_c);
    for (size_t b = 0; b < n_b; ++b)
        for (size_t k = 0; k < n_c; ++k) rows[k * n_b + b] = slab[b * n_c + k];
    if (mesh->view.repeats)
        grid_spline_cyclic(rows, (int32_t)n_c, n_b);
    else
        grid_spline_open(rows, (int32_t)n_c, n_b, first, last, more);
    for (size_t b = 0; b < n_b; ++b)
        for (size_t p = 0; p < depth; ++p) {
            const size_t node = mesh->view.repeats ? (p + n_c - 1) % n_c : p - 1;
            const double *from = mesh->view.repeats || (p > 0 && p <= n_c) ? rows + node * n_b
                                 : p == 0                                  ? first
                                                                           : last;
            to[b * depth + p] = from[b];
        }
}

static shoal_status find_coefficients(shoal_mesh *mesh)
{
    const int32_t *n = mesh->view.shape;
    const size_t n_a = (size_t)n[0], n_b = (size_t)n[1], n_c = (size_t)n[2];
    mesh->depth = n[2] + (mesh->view.repeats ? 3 : 2);
    const size_t depth = (size_t)mesh->depth;
    double *copy = shoal_alloc_dirty(n_a * n_b * n_c, sizeof *copy);
    double *work = shoal_alloc_dirty((n_c + 2) * n_b + n_c, sizeof *work);
    mesh->coefficients = shoal_alloc_dirty(n_a * n_b * depth, sizeof *mesh->coefficients);
    const bool ok = copy && work && mesh->coefficients;
    if (ok) {
        memcpy(copy, mesh->values, n_a * n_b * n_c * sizeof *copy);
        grid_spline_cyclic(copy, n[0], n_b * n_c);
    }
    for (size_t a = 0; a < n_a && ok; ++a)
        solve_slab(mesh, copy + a * n_b * n_c, work, mesh->coefficients + a * n_b * depth);
    free(copy);
    free(work);
    return ok ? SHOAL_OK : SHOAL_E_MEMORY;
}

static void take_name(shoal_mesh *mesh, const char *name)
{
    const char *slash = strrchr(name, '/');
    (void)snprintf(mesh->name, sizeof mesh->name, "%s", slash ? slash + 1 : name);
    mesh->view.name = mesh->name;
}

/* Units, signs, the order of values, and all that follows from them. */
static shoal_status finish(mesh_draft *d, const char *where)
{
    shoal_mesh *mesh = d->mesh;
    shoal_mesh_view *v = &mesh->view;
    const double factor = unit_of(d) * (d->options->of_electron ? -1 : 1);
    SHOAL_TRY(mesh_check_shape(v->shape, where));
    v->repeats = v->repeats || d->options->repeats;
    v->rounding = d->digits > 0 && d->digits < 16 ? 0.5 * pow(10, 1 - d->digits) : 0;
    for (int x = 0; x < 3; ++x) v->origin[x] += d->options->shift[x];
    for (int32_t i = 0; i < v->n_atoms; ++i)
        for (int x = 0; x < 3; ++x) mesh->pos[i][x] += d->options->shift[x];
    SHOAL_TRY(check_cell(mesh, where));
    for (size_t i = 0; i < d->n; ++i) {
        if (!isfinite(mesh->values[i]))
            return shoal_fail(SHOAL_E_FORMAT, "%s: value %zu is not finite", where, i);
        mesh->values[i] *= factor;
    }
    if (d->x_fastest) SHOAL_TRY(turn_values(mesh));
    invert(mesh);
    SHOAL_TRY(find_coefficients(mesh));
    v->values = mesh->values;
    v->elements = mesh->elements;
    v->pos = (const double(*)[3])mesh->pos;
    return SHOAL_OK;
}

static bool ends_with(shoal_span s, const char *end)
{
    const size_t n = strlen(end);
    return s.size >= n && shoal_span_equal_nocase(shoal_span_after(s, s.size - n), end);
}

typedef shoal_status reader(mesh_draft *d, const char *path);

/* By its first word, where the name does not tell: a cube begins with anything. */
static reader *look_inside(const char *path)
{
    static const char *const words[] = {
        "CRYSTAL", "SLAB",    "POLYMER", "MOLECULE",   "DIM-GROUP",
        "ATOMS",   "PRIMVEC", "INFO",    "BEGIN_INFO", "BEGIN_BLOCK_DATAGRID_3D"};
    char start[256] = "";
    FILE *file = fopen(path, "rb");
    const size_t n = file ? fread(start, 1, sizeof start, file) : 0;
    if (file) (void)fclose(file);
    shoal_span rest = {start, n};
    if (n >= 6 && memcmp(start, "\x93NUMPY", 6) == 0) return mesh_read_npy;
    while (rest.size > 0 && (shoal_is_blank(*rest.text) || *rest.text == '#')) {
        const char *line = memchr(rest.text, '\n', rest.size);
        rest = *rest.text == '#' ? shoal_span_after(rest, line ? (size_t)(line - rest.text) : n)
                                 : shoal_span_after(rest, 1);
    }
    const shoal_span word = shoal_span_word(&rest);
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
        if (shoal_span_equal(word, words[k])) return mesh_read_xsf;
    return mesh_read_cube;
}

static reader *choose_reader(const char *path)
{
    shoal_span name = shoal_span_of(path);
    if (ends_with(name, ".gz")) name.size -= 3;
    if (ends_with(name, ".cube") || ends_with(name, ".cub")) return mesh_read_cube;
    if (ends_with(name, ".xsf")) return mesh_read_xsf;
    if (ends_with(name, ".npy")) return mesh_read_npy;
    return look_inside(path);
}

static shoal_status check_options(const shoal_mesh_options *o)
{
    if (o->unit < SHOAL_MESH_UNIT_USUAL || o->unit > SHOAL_MESH_RYDBERG)
        return shoal_fail(SHOAL_E_ARGUMENT, "mesh: unknown unit %d", (int)o->unit);
    for (int x = 0; x < 3; ++x)
        if (!isfinite(o->shift[x]))
            return shoal_fail(SHOAL_E_ARGUMENT, "mesh: the shift is not finite");
    return SHOAL_OK;
}

shoal_status shoal_mesh_read(shoal_mesh **out, const char *path, const shoal_mesh_options *options)
{
    static const shoal_mesh_options defaults = {0};
    shoal_clear_error();
    SHOAL_NEED(out && path);
    *out = NULL;
    mesh_draft d = {.options = options ? options : &defaults};
    SHOAL_TRY(check_options(d.options));
    d.mesh = shoal_alloc(1, sizeof *d.mesh);
    if (!d.mesh) return SHOAL_E_MEMORY;
    take_name(d.mesh, path);
    shoal_status status = choose_reader(path)(&d, path);
    if (status == SHOAL_OK) status = finish(&d, path);
    if (status == SHOAL_OK)
        *out = d.mesh;
    else
        shoal_mesh_destroy(d.mesh);
    return status;
}

static shoal_status copy_values(mesh_draft *d, const char *name, const int32_t shape[3],
                                const double *values)
{
    SHOAL_TRY(mesh_check_shape(shape, name));
    const size_t n = (size_t)shape[0] * (size_t)shape[1] * (size_t)shape[2];
    SHOAL_TRY(mesh_reserve(d, n));
    memcpy(d->mesh->values, values, n * sizeof *values);
    memcpy(d->mesh->view.shape, shape, sizeof d->mesh->view.shape);
    memcpy(d->mesh->view.cell, d->options->cell, sizeof d->options->cell);
    d->n = n;
    d->x_fastest = d->options->x_fastest;
    return finish(d, name);
}

shoal_status shoal_mesh_create(shoal_mesh **out, const char *name, const int32_t shape[3],
                               const double *values, const shoal_mesh_options *options)
{
    shoal_clear_error();
    SHOAL_NEED(out && name && shape && values && options);
    *out = NULL;
    SHOAL_TRY(check_options(options));
    mesh_draft d = {.options = options, .mesh = shoal_alloc(1, sizeof *d.mesh)};
    if (!d.mesh) return SHOAL_E_MEMORY;
    take_name(d.mesh, name);
    const shoal_status status = copy_values(&d, name, shape, values);
    if (status == SHOAL_OK)
        *out = d.mesh;
    else
        shoal_mesh_destroy(d.mesh);
    return status;
}

void shoal_mesh_get(const shoal_mesh *mesh, shoal_mesh_view *view)
{
    if (view) *view = mesh ? mesh->view : (shoal_mesh_view){.name = ""};
}

void mesh_settle_cell(shoal_mesh *mesh, const double cell[2][2])
{
    for (int k = 0; k < 2; ++k) {
        mesh->view.cell[k][0] = cell[k][0];
        mesh->view.cell[k][1] = cell[k][1];
        mesh->view.cell[k][2] = 0;
    }
    invert(mesh);
}

/* Where a place is: the cell of nodes it is in, how far beyond the node, and how far beyond the ends along C, in nodes. */
typedef struct place {
    int32_t node[3];
    double t[3], beyond;
} place;

static void find_place(const shoal_mesh *mesh, const double r[3], place *p)
{
    const shoal_mesh_view *v = &mesh->view;
    p->beyond = 0;
    for (int k = 0; k < 3; ++k) {
        const double n = v->shape[k];
        double u = 0;
        for (int x = 0; x < 3; ++x) u += mesh->inverse[k][x] * (r[x] - v->origin[x]);
        u *= n;
        if (k < 2 || v->repeats) {
            u -= n * floor(u / n);
            p->node[k] = (int32_t)fmin(floor(u), n - 1);
        } else {
            const double inside = fmin(fmax(u, 0), n - 1);
            p->beyond = u - inside;
            u = inside;
            p->node[k] = (int32_t)fmin(floor(u), n - 2);
        }
        p->t[k] = u - p->node[k];
    }
}

/* The four basis functions at t and their slopes. */
static void basis(double t, double b[4], double d[4])
{
    const double s = 1 - t;
    const double values[4] = {s * s * s / 6, (4 - 3 * t * t * (2 - t)) / 6,
                              (4 - 3 * s * s * (2 - s)) / 6, t * t * t / 6};
    const double slopes[4] = {-s * s / 2, t * (3 * t - 4) / 2, -s * (3 * s - 4) / 2, t * t / 2};
    memcpy(b, values, sizeof values);
    memcpy(d, slopes, sizeof slopes);
}

void shoal_mesh_field(const shoal_mesh *mesh, const double r[3], double out[4])
{
    if (!out) return;
    memset(out, 0, 4 * sizeof *out);
    if (!mesh || !r) return;
    const int32_t *n = mesh->view.shape;
    double b[3][4], d[3][4], by_node[3] = {0};
    place p;
    find_place(mesh, r, &p);
    for (int k = 0; k < 3; ++k) basis(p.t[k], b[k], d[k]);
    for (int m = 0; m < 4; ++m) b[2][m] += p.beyond * d[2][m];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const size_t a = (size_t)((p.node[0] + i - 1 + n[0]) % n[0]);
            const size_t q = (size_t)((p.node[1] + j - 1 + n[1]) % n[1]);
            const double *column =
                mesh->coefficients + (a * (size_t)n[1] + q) * (size_t)mesh->depth + p.node[2];
            double value = 0, slope = 0;
            for (int k = 0; k < 4; ++k) {
                value += b[2][k] * column[k];
                slope += d[2][k] * column[k];
            }
            out[0] += b[0][i] * b[1][j] * value;
            by_node[0] += d[0][i] * b[1][j] * value;
            by_node[1] += b[0][i] * d[1][j] * value;
            by_node[2] += b[0][i] * b[1][j] * slope;
        }
    for (int k = 0; k < 3; ++k)
        for (int x = 0; x < 3; ++x) out[1 + x] += by_node[k] * n[k] * mesh->inverse[k][x];
}

/* Value at a node; along C the ends go on with what they have. */
static double node_value(const shoal_mesh *mesh, const int32_t at[3])
{
    const int32_t *n = mesh->view.shape;
    int32_t i[3];
    for (int k = 0; k < 3; ++k) {
        const int32_t wrapped = ((at[k] % n[k]) + n[k]) % n[k];
        const int32_t cut = at[k] < 0 ? 0 : at[k] >= n[k] ? n[k] - 1 : at[k];
        i[k] = k < 2 || mesh->view.repeats ? wrapped : cut;
    }
    return mesh->values[((size_t)i[0] * (size_t)n[1] + (size_t)i[1]) * (size_t)n[2] + (size_t)i[2]];
}

/* h^4 times the fourth derivative along a vector of the mesh, which ends of an open one go on with. */
static double fourth_difference(const shoal_mesh *mesh, const int32_t at[3], int axis)
{
    static const double weights[5] = {1, -4, 6, -4, 1};
    const int32_t n = mesh->view.shape[axis];
    int32_t i[3] = {at[0], at[1], at[2]};
    if (axis == 2 && !mesh->view.repeats) i[2] = i[2] < 2 ? 2 : i[2] > n - 3 ? n - 3 : i[2];
    const int32_t middle = i[axis];
    double sum = 0;
    for (int k = 0; k < 5; ++k) {
        i[axis] = middle + k - 2;
        sum += weights[k] * node_value(mesh, i);
    }
    return sum;
}

/* What kinks of the values elsewhere on a line through a node, nuclei in the end, leave here: a spline carries them on by the pole
 * of its equations a node. The slope in a node is wrong by 0.289 of their residuals, half of the fourth difference at a lone
 * spike. Those next to the node are part of the error of the spline itself. */
static double sum_echoes(const shoal_mesh *mesh, const int32_t at[3], int axis)
{
    double sum = 0;
    for (int side = -1; side <= 1; side += 2) {
        int32_t i[3] = {at[0], at[1], at[2]};
        double share = 0.289 * 0.5 * 0.268;
        for (int k = 2; k <= ECHOES; ++k) {
            share *= 0.268;
            i[axis] = at[axis] + side * k;
            sum += share * fabs(fourth_difference(mesh, i, axis));
        }
    }
    return sum;
}

/* A cubic spline through exact values is wrong by h^4/384 of the fourth derivative, its slope by sqrt(3)/216 h^3 of it; values
 * that are rounded by e make slopes wrong by 2 e / h. */
void mesh_error(const shoal_mesh *mesh, const double r[3], double *value, double *slope)
{
    place p;
    double most[3] = {0}, echo[3] = {0}, highest = 0;
    find_place(mesh, r, &p);
    for (int corner = 0; corner < 8; ++corner) {
        const int32_t at[3] = {p.node[0] + corner % 2, p.node[1] + corner / 2 % 2,
                               p.node[2] + corner / 4};
        highest = fmax(highest, fabs(node_value(mesh, at)));
        for (int k = 0; k < 3; ++k) {
            most[k] = fmax(most[k], fabs(fourth_difference(mesh, at, k)));
            echo[k] = fmax(echo[k], sum_echoes(mesh, at, k));
        }
    }
    const double rounded = mesh->view.rounding * highest;
    double slope2 = 0;
    *value = rounded;
    for (int k = 0; k < 3; ++k) {
        const double *q = mesh->inverse[k];
        const double per_length =
            mesh->view.shape[k] * sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
        const double s = (SAFETY * sqrt(3) / 216 * most[k] + echo[k] + 2 * rounded) * per_length;
        *value += SAFETY * most[k] / 384 + 0.16 * echo[k];
        slope2 += s * s;
    }
    *slope = sqrt(slope2);
}
