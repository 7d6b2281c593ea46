/* SPDX-License-Identifier: BSD-3-Clause
 * Sites: directions against geometry known by hand, order in the frames, hosts, short-range terms
 * and slopes of the energy by charge, distance, width and strength against differences. */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "fit/sites.h"
#include "geom/vector.h"

enum { MAX_ATOMS = 12 };

/* A fragment with bonds given as pairs. */
typedef struct molecule {
    double pos[MAX_ATOMS][3];
    int32_t n_bonds[MAX_ATOMS], bonded[MAX_ATOMS][SITES_MAX_BONDS];
    int32_t start[MAX_ATOMS + 1];
    site_bond bonds[MAX_ATOMS * SITES_MAX_BONDS];
    sites_fragment f;
} molecule;

static void set_molecule(molecule *m, int32_t n, const double pos[][3], const int32_t bonds[][2],
                         int32_t n_bonds)
{
    memset(m, 0, sizeof *m);
    memcpy(m->pos, pos, (size_t)n * sizeof *pos);
    for (int32_t b = 0; b < n_bonds; ++b) {
        const int32_t i = bonds[b][0], j = bonds[b][1];
        m->bonded[i][m->n_bonds[i]++] = j;
        m->bonded[j][m->n_bonds[j]++] = i;
    }
    m->f =
        (sites_fragment){n, (const double(*)[3])m->pos, m->n_bonds, m->bonded, m->start, m->bonds};
    sites_list_bonds(&m->f);
}

static int32_t lone_pairs(const molecule *m, int32_t atom, int32_t n, double out[][3])
{
    const shoal_site_rule rule = {.kind = SHOAL_SITE_LONE_PAIRS, .n = n, .distance = 0.5};
    return sites_directions(&m->f, atom, &rule, out);
}

static int32_t sigma_hole(const molecule *m, int32_t atom, double out[][3])
{
    const shoal_site_rule rule = {.kind = SHOAL_SITE_BEYOND, .n = 1, .distance = 0.5};
    return sites_directions(&m->f, atom, &rule, out);
}

static void check_unit(const double v[3])
{
    CHECK_NEAR(vector_dot(v, v), 1.0, 1e-12);
}

/* Water in the plane z = 0, opening towards +x: lone pairs at x < 0, above and below. */
static void check_water(void)
{
    static const double pos[][3] = {{0, 0, 0}, {0.6, 0.76, 0}, {0.6, -0.76, 0}};
    static const int32_t bonds[][2] = {{0, 1}, {0, 2}};
    molecule m;
    double d[SITE_FRAMES_MOST][3];
    set_molecule(&m, 3, pos, bonds, 2);
    CHECK(lone_pairs(&m, 0, 2, d) == 2);
    for (int k = 0; k < 2; ++k) {
        check_unit(d[k]);
        CHECK_NEAR(d[k][0], -sqrt(1.0 / 3.0), 1e-12);
        CHECK_NEAR(d[k][1], 0.0, 1e-12);
        CHECK_NEAR(fabs(d[k][2]), sqrt(2.0 / 3.0), 1e-12);
    }
    CHECK(d[0][2] * d[1][2] < 0.0);
    /* One lone pair, as in pyridine: on the bisector. */
    CHECK(lone_pairs(&m, 0, 1, d) == 1);
    CHECK_NEAR(d[0][0], -1.0, 1e-12);
    /* The hole behind a hydrogen points along its bond. */
    CHECK(sigma_hole(&m, 1, d) == 1);
    CHECK_NEAR(d[0][0], 0.6 / hypot(0.6, 0.76), 1e-12);
    CHECK(sigma_hole(&m, 0, d) == 0);
}

/* Ammonia: away from the hydrogens; flat, as in an amide: none. */
static void check_three_bonds(void)
{
    const double s = sqrt(0.75);
    const double pos[][3] = {{0, 0, 0}, {1, 0, 0.4}, {-0.5, s, 0.4}, {-0.5, -s, 0.4}};
    static const int32_t bonds[][2] = {{0, 1}, {0, 2}, {0, 3}};
    double flat[4][3], d[SITE_FRAMES_MOST][3];
    molecule m;
    set_molecule(&m, 4, pos, bonds, 3);
    CHECK(lone_pairs(&m, 0, 1, d) == 1);
    CHECK_NEAR(d[0][2], -1.0, 1e-12);
    /* whichever way round its hydrogens are named */
    static const int32_t other_way[][2] = {{0, 1}, {0, 3}, {0, 2}};
    set_molecule(&m, 4, pos, other_way, 3);
    CHECK(lone_pairs(&m, 0, 1, d) == 1);
    CHECK_NEAR(d[0][2], -1.0, 1e-12);
    memcpy(flat, pos, sizeof flat);
    for (int n = 0; n < 2; ++n) { /* flat: bonds less than 0.1 out of the plane, as sines */
        const double h = n ? 0.101 : 0.099;
        for (int k = 1; k < 4; ++k) flat[k][2] = h / sqrt(1 - h * h);
        set_molecule(&m, 4, (const double(*)[3])flat, bonds, 3);
        CHECK(lone_pairs(&m, 0, 1, d) == n);
    }
    for (int k = 0; k < 4; ++k) flat[k][2] = 0.0;
    set_molecule(&m, 4, (const double(*)[3])flat, bonds, 3);
    CHECK(lone_pairs(&m, 0, 1, d) == 0);
}

/* Formaldehyde in the plane z = 0, C=O along x: lone pairs in that plane at 120 degrees. */
static void check_carbonyl(void)
{
    static const double pos[][3] = {{1.2, 0, 0}, {0, 0, 0}, {-0.6, 0.94, 0}, {-0.6, -0.94, 0}};
    static const int32_t bonds[][2] = {{0, 1}, {1, 2}, {1, 3}};
    molecule m;
    double d[SITE_FRAMES_MOST][3];
    set_molecule(&m, 4, pos, bonds, 3);
    CHECK(lone_pairs(&m, 0, 2, d) == 2);
    for (int k = 0; k < 2; ++k) {
        check_unit(d[k]);
        CHECK_NEAR(d[k][0], 0.5, 1e-12);
        CHECK_NEAR(d[k][2], 0.0, 1e-12);
    }
    CHECK(d[0][1] * d[1][1] < 0.0);
    /* Nitrile-like: one lone pair straight away from the bond. */
    CHECK(lone_pairs(&m, 0, 1, d) == 1);
    CHECK_NEAR(d[0][0], 1.0, 1e-12);
    /* Halogen-like: three at the tetrahedron's angle with the bond, 120 degrees apart. */
    CHECK(lone_pairs(&m, 0, 3, d) == 3);
    for (int k = 0; k < 3; ++k) {
        check_unit(d[k]);
        CHECK_NEAR(d[k][0], 1.0 / 3.0, 1e-12);
        CHECK_NEAR(vector_dot(d[k], d[(k + 1) % 3]), -1.0 / 3.0, 1e-12);
    }
}

/* Along a straight molecule only the direction away from it is defined; a bend further on helps. */
static void check_straight(void)
{
    static const double line[][3] = {{1.2, 0, 0}, {0, 0, 0}, {-1.2, 0, 0}, {-1.8, 0, 0.9}};
    static const int32_t bonds[][2] = {{0, 1}, {1, 2}, {2, 3}};
    molecule m;
    double d[SITE_FRAMES_MOST][3];
    set_molecule(&m, 3, line, bonds, 2);
    CHECK(lone_pairs(&m, 0, 2, d) == 1);
    CHECK_NEAR(d[0][0], 1.0, 1e-12);
    CHECK(lone_pairs(&m, 1, 1, d) == 0);
    set_molecule(&m, 4, line, bonds, 3);
    CHECK(lone_pairs(&m, 0, 2, d) == 2);
    CHECK_NEAR(d[0][1], 0.0, 1e-12);
}

/* Turning the molecule turns its sites. */
static void check_rotation(void)
{
    static const double pos[][3] = {{1.2, 0, 0}, {0, 0, 0}, {-0.6, 0.94, 0.1}, {-0.5, -0.94, 0}};
    static const int32_t bonds[][2] = {{0, 1}, {1, 2}, {1, 3}};
    const double c = cos(0.7), s = sin(0.7);
    double turned[4][3], a[SITE_FRAMES_MOST][3], b[SITE_FRAMES_MOST][3];
    molecule m;
    for (int i = 0; i < 4; ++i) {
        const double x = c * pos[i][0] - s * pos[i][1], y = s * pos[i][0] + c * pos[i][1];
        turned[i][0] = x;
        turned[i][1] = c * y - s * pos[i][2];
        turned[i][2] = s * y + c * pos[i][2];
    }
    set_molecule(&m, 4, pos, bonds, 3);
    CHECK(lone_pairs(&m, 0, 3, a) == 3);
    set_molecule(&m, 4, (const double(*)[3])turned, bonds, 3);
    CHECK(lone_pairs(&m, 0, 3, b) == 3);
    for (int k = 0; k < 3; ++k) {
        const double x = c * a[k][0] - s * a[k][1], y = s * a[k][0] + c * a[k][1];
        CHECK_NEAR(b[k][0], x, 1e-12);
        CHECK_NEAR(b[k][1], c * y - s * a[k][2], 1e-12);
        CHECK_NEAR(b[k][2], s * y + c * a[k][2], 1e-12);
    }
}

static const char types_text[] = "O_3  * O E_O3 2 2 0 0 0.66 1.75 0.0026 -0.4 -0.5\n"
                                 "H_O  * H E    1 0 0 0 0.35 1.40 0.0007  0.2  0.6\n"
                                 "E_O3 * E *    0 0 0 0 0.00 0.80 0.0000 -0.1 -0.3\n"
                                 "E_HO * E *    0 0 0 0 0.00 0.70 0.0000  0.1  0.2\n";
static const char frames_text[] = "6\n"
                                  "# n0 3 Etot -0.2 x0 1.0 dimer\n"
                                  "O_3 0 0 0 -0.6\n"
                                  "H_O 0.6 0.76 0 0.3\n"
                                  "H_O 0.6 -0.76 0 0.3\n"
                                  "O_3 -2.9 0 0 -0.6\n"
                                  "H_O -3.2 0.5 0.7 0.3\n"
                                  "H_O -3.2 0.5 -0.7 0.3\n";

static shoal_dataset *open_data(const char *table, double distance, shoal_status wanted)
{
    shoal_atom_types *types = NULL;
    shoal_dataset *data = NULL;
    CHECK(shoal_atom_types_read_memory(&types, table, strlen(table), "types") == SHOAL_OK);
    CHECK(shoal_dataset_create(&data, types) == SHOAL_OK);
    CHECK(shoal_dataset_add_memory(data, frames_text, strlen(frames_text), "frames", 1.0) ==
          SHOAL_OK);
    CHECK(shoal_dataset_add_sites(data, distance) == wanted);
    shoal_atom_types_destroy(types);
    return data;
}

/* Atoms A, sites A, atoms B, sites B, and hosts counted within the frame. */
static void check_order(void)
{
    shoal_dataset *data = open_data(types_text, 0.5, SHOAL_OK);
    static const char *const names[] = {"O_3", "H_O", "H_O", "E_O3", "E_O3", "E_HO", "E_HO"};
    static const int32_t hosts[] = {-1, -1, -1, 0, 0, 1, 2};
    shoal_sample_info info;
    CHECK(shoal_dataset_sample(data, 0, &info) == SHOAL_OK);
    CHECK(info.n_atoms == 14 && info.n_first == 7 && data->has_sites);
    for (int32_t i = 0; i < 14; ++i) {
        const int32_t k = i % 7, shift = i < 7 ? 0 : 7;
        CHECK_TEXT(shoal_atom_types_get(data->types, data->type[i])->name, names[k]);
        CHECK(data->host[i] == (hosts[k] < 0 ? -1 : hosts[k] + shift));
        if (data->host[i] < 0) continue;
        double r2 = 0.0;
        for (int c = 0; c < 3; ++c) r2 += pow(data->pos[i][c] - data->pos[data->host[i]][c], 2.0);
        CHECK_NEAR(sqrt(r2), 0.5, 1e-12);
    }
    CHECK(shoal_dataset_add_sites(data, 0.5) == SHOAL_E_ARGUMENT);
    shoal_dataset_destroy(data);
}

/* What is written is read again as it was. */
static void check_export(void)
{
    static const char path[] = "test_fit_sites.tmp.xyz";
    shoal_dataset *data = open_data(types_text, 0.5, SHOAL_OK), *again = NULL;
    for (int k = 0; k < N_SAPT; ++k) data->samples[0].sapt[k] = 0.125 * (k + 1);
    CHECK(shoal_dataset_write(data, path) == SHOAL_OK);
    CHECK(shoal_dataset_create(&again, data->types) == SHOAL_OK);
    CHECK(shoal_dataset_add(again, path, 1.0) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    CHECK(again->n_atoms == data->n_atoms && again->has_sites);
    for (int k = 0; k < N_SAPT; ++k) CHECK(again->samples[0].sapt[k] == 0.125 * (k + 1));
    for (int32_t i = 0; i < data->n_atoms && i < again->n_atoms; ++i) {
        CHECK(again->host[i] == data->host[i] && again->type[i] == data->type[i]);
        for (int c = 0; c < 3; ++c) {
            CHECK_NEAR(again->pos[i][c], data->pos[i][c], 0.0);
            CHECK_NEAR(again->dir[i][c], data->dir[i][c], 1e-12);
        }
    }
    (void)unlink(path);
    shoal_dataset_destroy(again);
    shoal_dataset_destroy(data);
}

static void check_refusals(void)
{
    shoal_dataset *data = open_data("O_3 * O E_X 2 2 0 0 0.66 1.75 0.0026\n"
                                    "H_O * H * 1 0 0 0 0.35 1.4 0.0007\n",
                                    0.5, SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), "'E_X' (column 4)") != NULL);
    shoal_dataset_destroy(data);
    data = open_data("O_3 * O E 2 2 0 0 0.66 1.75 0.0026\nH_O * H E 1 0 0 0 0.35 1.4 0.0007\n", 0.5,
                     SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), "no atom of the data gets a site") != NULL);
    CHECK(shoal_dataset_add_sites(data, -1.0) == SHOAL_E_ARGUMENT);
    shoal_dataset_destroy(data);
}

/* Slopes of a short-range term by every input against differences. */
static void check_short_range(const char *name, double at_two)
{
    static pair_batch b, up, down;
    fit_model model;
    const double h = 1e-5;
    CHECK(fit_site_model(name, &model));
    b.n = 1;
    b.r[0] = 2.0;
    b.r0[0] = 1.0;
    b.h[0] = -0.5;
    model.eval(&model, NULL, true, &b);
    CHECK_NEAR(b.e[0], -0.5 * at_two, 1e-15);
    b.r[0] = 1.3;
    b.r0[0] = 0.8;
    model.eval(&model, NULL, true, &b);
    double *const inputs[] = {b.r, b.r0, b.h}, *const slopes[] = {b.by_r, b.by_r0, b.by_h};
    for (int k = 0; k < 3; ++k) {
        const double x = inputs[k][0];
        inputs[k][0] = x + h;
        up = b;
        model.eval(&model, NULL, false, &up);
        inputs[k][0] = x - h;
        down = b;
        model.eval(&model, NULL, false, &down);
        inputs[k][0] = x;
        CHECK_NEAR(slopes[k][0], (up.e[0] - down.e[0]) / (2.0 * h), 1e-9);
    }
}

enum { N_TYPES = 4, N_SLOTS = FIT_N_COMPS * N_TYPES + FIT_N_FIXED_GLOBALS };

/* The energy of the frame by the pair loop, and its slope by every slot, charges transferred. rich: radii
 * that depend on charges, damped dispersion, charge clouds. */
static void check_energy_slopes(bool neutral, bool rich)
{
    shoal_dataset *data = open_data(types_text, 0.5, SHOAL_OK);
    static const int32_t source[] = {0}, block_of[] = {0};
    static const double part_scale[1][3] = {{1.0, 1.0, 1.0}};
    int32_t site_slot[N_TYPES], columns[N_SLOTS];
    const bool type_charge[N_TYPES] = {true, false, true, true};
    const int64_t row_start[] = {0, N_SLOTS};
    double p[N_SLOTS] = {0}, energy, row[N_SLOTS], alpha;
    fit_model site_model;
    for (int t = 0; t < N_TYPES; ++t) {
        const shoal_atom_type *type = shoal_atom_types_get(data->types, t);
        const double values[FIT_N_COMPS] = {type->r, sqrt(type->e), type->q, type->h,
                                            0.5 + 0.1 * t};
        memcpy(p + (ptrdiff_t)FIT_N_COMPS * t, values, sizeof values);
        site_slot[t] = FIT_N_COMPS * t + FIT_L;
    }
    p[FIT_N_COMPS * N_TYPES + FIT_ALPHA] = 1.6;
    p[FIT_N_COMPS * N_TYPES + FIT_LAMBDA] = 1.1;
    p[FIT_N_COMPS * N_TYPES + FIT_RADIUS_C] = rich ? 0.3 : 0.0;
    p[FIT_N_COMPS * N_TYPES + FIT_BETA] = rich ? 2.1 : 0.0;
    p[FIT_N_COMPS * N_TYPES + FIT_COULOMB_D] = 1.2;
    for (int k = 0; k < N_SLOTS; ++k) columns[k] = k;
    const fit_block block = {.n = 1, .n_columns = N_SLOTS, .columns = columns};
    CHECK(fit_site_model("sr2", &site_model));
    fit_problem problem = {.data = data,
                           .n_samples = 1,
                           .source = source,
                           .part_scale = part_scale,
                           .site_model = &site_model,
                           .coulomb = rich ? SHOAL_COULOMB_ERF : SHOAL_COULOMB_PLAIN,
                           .charged_radii = rich,
                           .damps = rich,
                           .damping_moves = rich,
                           .n_types = N_TYPES,
                           .n_globals = FIT_N_FIXED_GLOBALS,
                           .n_slots = N_SLOTS,
                           .site_slot = site_slot,
                           .sites_move = true,
                           .type_charge = type_charge,
                           .neutral = neutral,
                           .n_free = N_SLOTS,
                           .column_slot = columns,
                           .n_blocks = 1,
                           .blocks = &block,
                           .block_of = block_of,
                           .row_start = row_start,
                           .n_threads = 1};
    CHECK(
        fit_model_builtin(rich ? "buck" : "morse", SHOAL_HBOND_REPULSION, &problem.model, &alpha));
    if (rich) problem.model.globals_used |= 1u << FIT_BETA;
    fit_evaluator *ev = NULL;
    CHECK(fit_pairs_create(&ev, &problem) == SHOAL_OK);
    CHECK(ev->rows(ev, p, &energy, row) == SHOAL_OK);
    for (int k = 0; k < N_SLOTS; ++k) {
        const double x = p[k], h = 1e-5;
        double e[2];
        for (int side = 0; side < 2; ++side) {
            p[k] = side ? x + h : x - h;
            CHECK(ev->energies(ev, p, &e[side]) == SHOAL_OK);
        }
        p[k] = x;
        CHECK_NEAR(row[k], (e[1] - e[0]) / (2.0 * h), 1e-7);
    }
    for (int k = FIT_RADIUS_C; k <= FIT_COULOMB_D; ++k)
        CHECK((fabs(row[FIT_N_COMPS * N_TYPES + k]) > 1e-4) == rich);
    /* The sites' charges, distances, widths and strengths all matter. */
    CHECK(fabs(row[2 * FIT_N_COMPS + FIT_Q]) > 1e-4 && fabs(row[2 * FIT_N_COMPS + FIT_L]) > 1e-4);
    CHECK(fabs(row[2 * FIT_N_COMPS + FIT_R]) > 1e-6 && fabs(row[2 * FIT_N_COMPS + FIT_H]) > 1e-6);
    ev->destroy(ev);
    shoal_dataset_destroy(data);
}

int main(void)
{
    check_water();
    check_three_bonds();
    check_carbonyl();
    check_straight();
    check_rotation();
    check_order();
    check_export();
    check_refusals();
    check_short_range("sr", exp(-2.0));
    check_short_range("sr2", exp(-4.0));
    check_short_range("sr3", 1.0 / cosh(2.0));
    check_energy_slopes(false, false);
    check_energy_slopes(false, true);
    check_energy_slopes(true, false);
    check_energy_slopes(true, true);
    return check_done();
}
