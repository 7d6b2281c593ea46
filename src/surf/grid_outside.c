/* SPDX-License-Identifier: BSD-3-Clause
 * Channels of a grid that come from meshes of other programs: whether a mesh belongs to a surface, where it begins and ends, and
 * how wrong it may be. */
#include "surf/grid_outside.h"

#include <math.h>
#include <string.h>

#define FITS 0.01 /* angstrom: how well cells must agree; strain beyond that is another crystal */
#define SAME_ATOM 0.3 /* angstrom: relaxed atoms of the same place */
#define DEEP 4.0      /* angstrom below the topmost atom: deeper ones may be frozen or left out */
#define SWITCH 3.0    /* angstrom over which it is switched off */
#define ABOVE 1.0     /* angstrom above the topmost atom where a mesh may begin */
#define MOST_CUT 0.02 /* eV of a carbon atom with a unit charge, that may be switched off */

/* Cells in units of those of the mesh, rounded; false where that is too coarse. */
static bool count_cells(const shoal_mesh *mesh, const double cell[2][2], double k[2][2])
{
    const double(*m)[3] = mesh->view.cell;
    const double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    for (int i = 0; i < 2; ++i) {
        k[i][0] = round((cell[i][0] * m[1][1] - cell[i][1] * m[1][0]) / det);
        k[i][1] = round((cell[i][1] * m[0][0] - cell[i][0] * m[0][1]) / det);
        const double x = k[i][0] * m[0][0] + k[i][1] * m[1][0] - cell[i][0];
        const double y = k[i][0] * m[0][1] + k[i][1] * m[1][1] - cell[i][1];
        if (!(hypot(x, y) < FITS)) return false;
    }
    return k[0][0] * k[1][1] - k[0][1] * k[1][0] != 0;
}

bool grid_outside_fits(const shoal_mesh *mesh, const double cell[2][2])
{
    double k[2][2];
    return count_cells(mesh, cell, k);
}

/* The vectors of the mesh from those of the grid, so that both repeat alike to the last digit. */
static void settle(shoal_mesh *mesh, const double cell[2][2], const double k[2][2])
{
    const double det = k[0][0] * k[1][1] - k[0][1] * k[1][0];
    double exact[2][2];
    for (int x = 0; x < 2; ++x) {
        exact[0][x] = (k[1][1] * cell[0][x] - k[0][1] * cell[1][x]) / det;
        exact[1][x] = (k[0][0] * cell[1][x] - k[1][0] * cell[0][x]) / det;
    }
    mesh_settle_cell(mesh, (const double(*)[2])exact);
}

/* Whether the file has an atom of the element at a place, or an image of it. */
static bool has_atom(const shoal_mesh *mesh, int32_t z, const double r[3])
{
    const shoal_mesh_view *v = &mesh->view;
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        if (v->elements[i] != z) continue;
        double f[3], d2 = 0;
        for (int k = 0; k < 3; ++k) {
            f[k] = 0;
            for (int x = 0; x < 3; ++x) f[k] += mesh->inverse[k][x] * (r[x] - v->pos[i][x]);
            if (k < 2 || v->repeats) f[k] -= round(f[k]);
        }
        for (int x = 0; x < 3; ++x) {
            const double d = f[0] * v->cell[0][x] + f[1] * v->cell[1][x] + f[2] * v->cell[2][x];
            d2 += d * d;
        }
        if (d2 < SAME_ATOM * SAME_ATOM) return true;
    }
    return false;
}

static shoal_status check_atoms(const grid_outside *o, const shoal_surface_view *s)
{
    const shoal_mesh *mesh = &o->mesh;
    for (int32_t i = 0; i < s->n_atoms && mesh->view.n_atoms > 0; ++i) {
        if (s->pos[i][2] < s->top - DEEP || has_atom(mesh, s->elements[i], s->pos[i])) continue;
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "%s: no atom of it is within %g A of atom %d of the surface (%s at %.3f, "
                          "%.3f, %.3f A); "
                          "expected a mesh over the same atoms, a shift moves it",
                          mesh->view.name, SAME_ATOM, i, shoal_element_symbol(s->elements[i]),
                          s->pos[i][0], s->pos[i][1], s->pos[i][2]);
    }
    return SHOAL_OK;
}

/* Nuclei are hills of the potential, and wells of the energy of an electron. Salts as point charges have both. */
static shoal_status check_sign(const grid_outside *o, const shoal_surface_view *s)
{
    const shoal_mesh_view *v = &o->mesh.view;
    const size_t n = (size_t)v->shape[0] * (size_t)v->shape[1] * (size_t)v->shape[2];
    double mean = 0, field[4];
    int32_t wells = 0, inside = 0;
    for (size_t i = 0; i < n; ++i) mean += v->values[i];
    mean /= (double)n;
    for (int32_t i = 0; i < s->n_atoms; ++i) {
        if (s->pos[i][2] < o->bottom) continue;
        shoal_mesh_field(&o->mesh, s->pos[i], field);
        ++inside;
        wells += field[0] < mean;
    }
    if (inside == 0 || wells < inside) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "%s: the potential is a well at every atom, expected hills at nuclei: it has "
                      "the sign of the "
                      "energy of an electron, which must be said",
                      v->name);
}

/* Heights of the first and the last nodes; what repeats ends in the middle of the vacuum. */
static shoal_status find_ends(grid_outside *o, const shoal_surface_view *s)
{
    const shoal_mesh_view *v = &o->mesh.view;
    const double height = fabs(v->cell[2][2]);
    const double first = v->origin[2],
                 last = first + v->cell[2][2] * (v->shape[2] - 1) / v->shape[2];
    o->bottom = v->repeats ? -INFINITY : fmin(first, last);
    o->end = v->repeats ? 0.5 * (s->top + s->bottom + height) : fmax(first, last);
    o->begin = o->end - SWITCH;
    if (o->bottom > s->top + ABOVE)
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "%s: the mesh begins at z = %.2f A, expected %.2f or less: the topmost atom is at %.2f",
            v->name, o->bottom, s->top + ABOVE, s->top);
    if (o->begin > s->top) return SHOAL_OK;
    return shoal_fail(
        SHOAL_E_ARGUMENT,
        "%s: the mesh %s z = %.2f A, expected %.2f or more: the topmost atom is at %.2f", v->name,
        v->repeats ? "repeats, and the middle of its vacuum is at" : "ends at", o->end,
        s->top + SWITCH, s->top);
}

/* Mean and greatest distance from `zero` over the nodes of a plane. */
static void look_at_plane(const grid_outside *o, double z, double *mean, double *most)
{
    const shoal_mesh_view *v = &o->mesh.view;
    double sum = 0;
    *most = 0;
    for (int32_t a = 0; a < v->shape[0]; ++a)
        for (int32_t b = 0; b < v->shape[1]; ++b) {
            const double fa = (double)a / v->shape[0], fb = (double)b / v->shape[1];
            const double r[3] = {fa * v->cell[0][0] + fb * v->cell[1][0],
                                 fa * v->cell[0][1] + fb * v->cell[1][1], z};
            double field[4];
            shoal_mesh_field(&o->mesh, r, field);
            sum += field[0];
            *most = fmax(*most, fabs(field[0] - o->zero));
        }
    *mean = sum / ((double)v->shape[0] * v->shape[1]);
}

void grid_bare_weights(const shoal_surface *surface, double bare[SHOAL_N_CHANNELS])
{
    const shoal_probe carbon = shoal_grid_probe(1);
    shoal_surface_weights(surface, &carbon, bare);
    bare[SHOAL_CHANNEL_Q] = 1;
    bare[SHOAL_CHANNEL_ACCEPTOR] = bare[SHOAL_CHANNEL_DONOR] = bare[SHOAL_CHANNEL_P];
}

static shoal_status find_vacuum(grid_outside *o, const shoal_surface *surface, int channel)
{
    double bare[SHOAL_N_CHANNELS], mean, most;
    grid_bare_weights(surface, bare);
    if (channel == SHOAL_CHANNEL_Q) look_at_plane(o, o->end, &o->zero, &most);
    look_at_plane(o, o->begin, &mean, &most);
    o->cut = most * fabs(bare[channel]);
    if (o->cut <= MOST_CUT) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "%s: %.3g eV are left at z = %.2f A, from where on it is switched off up to "
                      "%.2f; expected %g or "
                      "less: the mesh must reach further into the vacuum%s",
                      o->mesh.view.name, o->cut, o->begin, o->end, MOST_CUT,
                      o->mesh.view.repeats ? "" : ", and that of a cell that repeats must say so");
}

shoal_status grid_outside_prepare(grid_outside *out, const shoal_surface *surface, int channel,
                                  const shoal_mesh *mesh, const double cell[2][2])
{
    double k[2][2];
    const double(*m)[3] = mesh->view.cell;
    *out = (grid_outside){.there = true, .mesh = *mesh};
    out->mesh.view.name = mesh->name;
    if (!count_cells(mesh, cell, k))
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "%s: the mesh repeats by (%.4f, %.4f) and (%.4f, %.4f) A, expected a cell of which the "
            "surface's, (%.4f, %.4f) and (%.4f, %.4f) A, is whole numbers",
            mesh->name, m[0][0], m[0][1], m[1][0], m[1][1], cell[0][0], cell[0][1], cell[1][0],
            cell[1][1]);
    settle(&out->mesh, cell, (const double(*)[2])k);
    SHOAL_TRY(find_ends(out, &surface->view));
    SHOAL_TRY(check_atoms(out, &surface->view));
    if (channel == SHOAL_CHANNEL_Q) SHOAL_TRY(check_sign(out, &surface->view));
    return find_vacuum(out, surface, channel);
}

void grid_outside_field(const grid_outside *o, const double r[3], double out[4])
{
    memset(out, 0, 4 * sizeof *out);
    if (r[2] >= o->end) return;
    shoal_mesh_field(&o->mesh, r, out);
    out[0] -= o->zero;
    if (r[2] <= o->begin) return;
    const double length = o->end - o->begin, t = (r[2] - o->begin) / length;
    const double share = 1 - t * t * t * (10 + t * (-15 + 6 * t));
    const double slope = -30 * t * t * (1 - t) * (1 - t) / length;
    for (int x = 1; x < 4; ++x) out[x] *= share;
    out[3] += slope * out[0];
    out[0] *= share;
}

void grid_outside_error(const grid_outside *o, const double r[3], const double read[4], double *de,
                        double *df)
{
    double field[4], d2 = 0;
    *de = *df = 0;
    grid_outside_field(o, r, field);
    if (r[2] < o->end) mesh_error(&o->mesh, r, de, df);
    for (int x = 1; x < 4; ++x) d2 += (read[x] - field[x]) * (read[x] - field[x]);
    *de += fabs(read[0] - field[0]);
    *df += sqrt(d2);
}
