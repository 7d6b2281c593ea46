/* SPDX-License-Identifier: BSD-3-Clause
 * Potentials on a mesh: the spline and what it says of itself; every way that files state the same numbers; files that are
 * wrong. */
#include <unistd.h>

#include "check.h"
#include "shoal/shoal.h"
#include "surf/mesh.h"

#include "constants.h"

enum { N_A = 10, N_B = 8, N_C = 12, N = N_A * N_B * N_C };

static char folder[200];
static const double CELL[3][3] = {{5.1, 0.0, 0.0}, {1.9, 4.7, 0.0}, {0.4, -0.3, 6.0}};
static const int32_t SHAPE[3] = {N_A, N_B, N_C};

static const char *path_of(const char *name)
{
    static char path[2][256];
    static int turn;
    turn = !turn;
    (void)snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* A function with the period of the cell, and its slopes. */
static double wave(const double r[3], double slope[3])
{
    const double k[2] = {2 * PI / CELL[0][0], 2 * PI / CELL[1][1]};
    const double w = 2 * PI / CELL[2][2]; /* along C */
    const double z = r[2], x = r[0] - 0.4 * z / 6, y = r[1] + 0.3 * z / 6;
    const double v = y * k[1], u = (x - 1.9 * y / 4.7) * k[0], c = z * w;
    slope[0] = -sin(u) * k[0];
    const double along_v = -0.5 * sin(v) * k[1], along_u = -sin(u) * (-1.9 / 4.7) * k[0];
    slope[1] = along_u + along_v;
    slope[2] = slope[0] * (-0.4 / 6) + slope[1] * (0.3 / 6) + 0.3 * cos(c) * w;
    return cos(u) + 0.5 * cos(v) + 0.3 * sin(c) + 2;
}

static void node(const int32_t n[3], int a, int b, int c, double r[3])
{
    for (int x = 0; x < 3; ++x)
        r[x] = (double)a / n[0] * CELL[0][x] + (double)b / n[1] * CELL[1][x] +
               (double)c / n[2] * CELL[2][x];
}

static double value(int a, int b, int c)
{
    double r[3], slope[3];
    node(SHAPE, a, b, c, r);
    return wave(r, slope);
}

static shoal_mesh *make(const int32_t n[3], bool repeats)
{
    shoal_mesh_options o = {.repeats = repeats};
    double *values = malloc((size_t)n[0] * (size_t)n[1] * (size_t)n[2] * sizeof *values);
    double r[3], slope[3];
    size_t at = 0;
    shoal_mesh *mesh = NULL;
    memcpy(o.cell, CELL, sizeof CELL);
    for (int a = 0; a < n[0]; ++a)
        for (int b = 0; b < n[1]; ++b)
            for (int c = 0; c < n[2]; ++c) {
                node(n, a, b, c, r);
                values[at++] = wave(r, slope);
            }
    CHECK(shoal_mesh_create(&mesh, "wave", n, values, &o) == SHOAL_OK);
    free(values);
    return mesh;
}

/* The spline is as far from the function as the mesh says, twice at most what is true; it repeats. */
static void test_spline(bool repeats, int32_t times)
{
    const int32_t n[3] = {N_A * times, N_B * times, N_C * times};
    shoal_mesh *mesh = make(n, repeats);
    double worst_e = 0, worst_f = 0, said_e = 0, said_f = 0;
    for (int k = 0; k < 400; ++k) {
        const double f[3] = {fmod(k * 0.754877, 3) - 1, fmod(k * 0.569840, 3) - 1,
                             repeats ? fmod(k * 0.43, 3) - 1 : 0.3 + 0.4 * fmod(k * 0.43, 1)};
        double r[3], slope[3], got[4], e, s, d2 = 0;
        for (int x = 0; x < 3; ++x)
            r[x] = f[0] * CELL[0][x] + f[1] * CELL[1][x] + f[2] * CELL[2][x];
        const double want = wave(r, slope);
        shoal_mesh_field(mesh, r, got);
        mesh_error(mesh, r, &e, &s);
        for (int x = 0; x < 3; ++x) d2 += (got[1 + x] - slope[x]) * (got[1 + x] - slope[x]);
        worst_e = fmax(worst_e, fabs(got[0] - want));
        worst_f = fmax(worst_f, sqrt(d2));
        said_e = fmax(said_e, e);
        said_f = fmax(said_f, s);
    }
    (void)printf("x %d, %s: %.2e of %.2e, slopes %.2e of %.2e\n", times,
                 repeats ? "repeats" : "open", worst_e, said_e, worst_f, said_f);
    CHECK(worst_e < said_e && said_e < 8 * worst_e);
    CHECK(worst_f < said_f && said_f < 8 * worst_f);
    shoal_mesh_destroy(mesh);
}

/* At nodes it has the values, and slopes are those of the values around. */
static void test_nodes(void)
{
    shoal_mesh *mesh = make(SHAPE, false);
    for (int c = 0; c < N_C; ++c) {
        double r[3], got[4], up[4], down[4];
        node(SHAPE, 3, 5, c, r);
        shoal_mesh_field(mesh, r, got);
        CHECK_NEAR(got[0], value(3, 5, c), 1e-12);
        for (int x = 0; x < 3; ++x) {
            const double h = 1e-5;
            double a[3] = {r[0], r[1], r[2]}, b[3] = {r[0], r[1], r[2]};
            a[x] += h, b[x] -= h;
            shoal_mesh_field(mesh, a, up);
            shoal_mesh_field(mesh, b, down);
            CHECK_NEAR((up[0] - down[0]) / (2 * h), got[1 + x], 1e-6);
        }
    }
    double out[3][4];
    for (int k = 0; k < 3; ++k) { /* straight on below */
        double r[3];
        node(SHAPE, 0, 0, 0, r);
        for (int x = 0; x < 3; ++x) r[x] -= 0.1 * k * CELL[2][x];
        shoal_mesh_field(mesh, r, out[k]);
    }
    CHECK_NEAR(out[2][0] - out[1][0], out[1][0] - out[0][0], 1e-12);
    shoal_mesh_destroy(mesh);
}

/* --- files ---------------------------------------------------------------------------------------- */

static FILE *begin(const char *name)
{
    FILE *f = fopen(path_of(name), "wb");
    CHECK(f != NULL);
    return f;
}

static void write_cube(const char *name, bool angstrom)
{
    FILE *f = begin(name);
    const double unit = angstrom ? 1 : BOHR;
    (void)fprintf(f, "a potential\nof a test\n 1 0.5 0.25 -1.0\n");
    for (int k = 0; k < 3; ++k)
        (void)fprintf(f, "%d %.12f %.12f %.12f\n", angstrom ? -SHAPE[k] : SHAPE[k],
                      CELL[k][0] / SHAPE[k] / unit, CELL[k][1] / SHAPE[k] / unit,
                      CELL[k][2] / SHAPE[k] / unit);
    (void)fprintf(f, "11 0.9 0.5 0.25 1.0\n");
    for (int i = 0; i < N; ++i)
        (void)fprintf(f, "%.11E%s", value(i / N_C / N_B, i / N_C % N_B, i % N_C) / HARTREE,
                      i % 6 == 5 ? "\n" : " ");
    (void)fclose(f);
}

/* more: whether the first nodes stand at the ends once more. */
static void write_xsf(const char *name, const char *kind, const bool more[3])
{
    FILE *f = begin(name);
    int n[3];
    for (int k = 0; k < 3; ++k) n[k] = SHAPE[k] + more[k];
    (void)fprintf(
        f,
        "# a test\n%s\nPRIMVEC\n5.1 0 0\n1.9 4.7 0\n0 0 20\nPRIMCOORD\n1 1\nNa 0.1 0.2 0.3 9 9 9\n"
        "BEGIN_BLOCK_DATAGRID_3D\npotential\nBEGIN_DATAGRID_3D_one\n%d %d %d\n0 0 0\n",
        kind, n[0], n[1], n[2]);
    for (int k = 0; k < 3; ++k) { /* open along C: as long as its steps */
        const double part = k == 2 && !more[2] && more[0] ? (double)(N_C - 1) / N_C : 1;
        (void)fprintf(f, "%.12f %.12f %.12f\n", part * CELL[k][0], part * CELL[k][1],
                      part * CELL[k][2]);
    }
    for (int c = 0; c < n[2]; ++c)
        for (int b = 0; b < n[1]; ++b)
            for (int a = 0; a < n[0]; ++a)
                (void)fprintf(f, "%.11E\n", value(a % N_A, b % N_B, c % N_C));
    (void)fprintf(f, "END_DATAGRID_3D\nEND_BLOCK_DATAGRID_3D\n");
    (void)fclose(f);
}

/* By the type of numbers, Fortran's order, and a shape z, y, x. */
static void write_npy(const char *name, const char *type, bool fortran, bool zyx)
{
    FILE *f = begin(name);
    char text[128];
    const int n[3] = {zyx ? N_C : N_A, N_B, zyx ? N_A : N_C};
    const int size =
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d, %d), }",
                 type, fortran ? "True" : "False", n[0], n[1], n[2]);
    const unsigned char length[2] = {(unsigned char)(size + 1), 0};
    (void)fwrite("\x93NUMPY\x01\x00", 1, 8, f);
    (void)fwrite(length, 1, 2, f);
    (void)fprintf(f, "%s\n", text);
    for (int i = 0; i < N; ++i) {
        const bool last_is_c = zyx == fortran;
        const double v = last_is_c ? value(i / N_C / N_B, i / N_C % N_B, i % N_C)
                                   : value(i % N_A, i / N_A % N_B, i / N_A / N_B);
        unsigned char bytes[8];
        const float narrow = (float)v;
        const size_t width = type[2] == '4' ? 4 : 8;
        if (width == 4)
            memcpy(bytes, &narrow, 4);
        else
            memcpy(bytes, &v, 8);
        for (size_t k = 0; k < width; ++k)
            (void)fputc(bytes[type[0] == '>' ? width - 1 - k : k], f);
    }
    (void)fclose(f);
}

static shoal_mesh *read_mesh(const char *name, shoal_mesh_options o)
{
    shoal_mesh *mesh = NULL;
    const shoal_status status = shoal_mesh_read(&mesh, path_of(name), &o);
    CHECK(status == SHOAL_OK);
    if (status != SHOAL_OK) (void)printf("%s: %s\n", name, shoal_error_text());
    return mesh;
}

static void expect(const char *name, shoal_mesh_options o, double factor, bool repeats,
                   double error)
{
    shoal_mesh *mesh = read_mesh(name, o);
    shoal_mesh_view v;
    double worst = 0, length = 0;
    shoal_mesh_get(mesh, &v);
    CHECK(mesh && memcmp(v.shape, SHAPE, sizeof SHAPE) == 0 && v.repeats == repeats);
    CHECK_TEXT(v.name, name);
    if (mesh && memcmp(v.shape, SHAPE, sizeof SHAPE) == 0) {
        for (int i = 0; i < N; ++i)
            worst = fmax(worst,
                         fabs(v.values[i] - factor * value(i / N_C / N_B, i / N_C % N_B, i % N_C)));
        for (int k = 0; k < 9; ++k)
            length = fmax(length, fabs(v.cell[k / 3][k % 3] - CELL[k / 3][k % 3]));
    }
    CHECK_NEAR(worst, 0, error);
    CHECK_NEAR(length, 0, 1e-9);
    shoal_mesh_destroy(mesh);
}

static void test_files(void)
{
    static const bool closed[3] = {true, true, false}, all[3] = {true, true, true},
                      none[3] = {false};
    shoal_mesh_options o = {0}, cell = {0}, zyx = {.x_fastest = true};
    shoal_mesh_view v;
    memcpy(cell.cell, CELL, sizeof CELL);
    memcpy(zyx.cell, CELL, sizeof CELL);
    write_cube("bohr.cube", false);
    write_cube("angstrom.cub", true);
    expect("bohr.cube", o, 1, false, 1e-9);
    expect("angstrom.cub", o, 1, false, 1e-9);
    o.of_electron = true;
    expect("bohr.cube", o, -1, false, 1e-9);
    o = (shoal_mesh_options){.unit = SHOAL_MESH_RYDBERG, .repeats = true};
    expect("bohr.cube", o, 0.5, true, 1e-9);
    o = (shoal_mesh_options){.unit = SHOAL_MESH_EV, .shift = {0.1, 0.2, 0.3}};
    expect("bohr.cube", o, 1 / HARTREE, false, 1e-9);
    shoal_mesh *mesh = read_mesh("bohr.cube", o);
    shoal_mesh_get(mesh, &v);
    CHECK(v.n_atoms == 1 && v.elements[0] == 11);
    CHECK_NEAR(v.origin[2], -BOHR + 0.3, 1e-12);
    CHECK_NEAR(v.pos[0][0], 0.5 * BOHR + 0.1, 1e-12);
    CHECK_NEAR(v.rounding, 0.5e-11, 1e-20);
    shoal_mesh_destroy(mesh);
    o = (shoal_mesh_options){0};
    write_xsf("general.xsf", "SLAB", closed);
    write_xsf("crystal.xsf", "CRYSTAL", all);
    write_xsf("firecore.xsf", "CRYSTAL", none);
    expect("general.xsf", o, 1, false, 1e-9);
    expect("crystal.xsf", o, 1, true, 1e-9);
    expect("firecore.xsf", o, 1, false, 1e-9);
    write_npy("plain.npy", "<f8", false, false);
    write_npy("fortran.npy", "<f8", true, false);
    write_npy("single.npy", "<f4", false, false);
    write_npy("big.npy", ">f8", false, false);
    write_npy("zyx.npy", "<f8", false, true);
    write_npy("zyx_fortran.npy", "<f8", true, true);
    expect("plain.npy", cell, 1, false, 0);
    expect("fortran.npy", cell, 1, false, 0);
    expect("single.npy", cell, 1, false, 2e-7);
    expect("big.npy", cell, 1, false, 0);
    expect("zyx.npy", zyx, 1, false, 0);
    expect("zyx_fortran.npy", zyx, 1, false, 0);
    /* A name that says nothing. */
    CHECK(rename(path_of("plain.npy"), path_of("a")) == 0 &&
          rename(path_of("general.xsf"), path_of("b")) == 0 &&
          rename(path_of("bohr.cube"), path_of("c")) == 0);
    expect("a", cell, 1, false, 0);
    expect("b", o, 1, false, 1e-9);
    expect("c", o, 1, false, 1e-9);
}

static void refuse(const char *name, const char *text, size_t size, const char *reason)
{
    FILE *f = begin(name);
    shoal_mesh *mesh = (shoal_mesh *)(void *)folder;
    shoal_mesh_options o = {0};
    memcpy(o.cell, CELL, sizeof CELL);
    (void)fwrite(text, 1, size, f);
    (void)fclose(f);
    CHECK(shoal_mesh_read(&mesh, path_of(name), &o) == SHOAL_E_FORMAT && !mesh);
    const bool told = strstr(shoal_error_text(), reason) && strstr(shoal_error_text(), name);
    CHECK(told);
    if (!told) (void)printf("%s: '%s', expected '%s'\n", name, shoal_error_text(), reason);
}

#define CUBE "x\ny\n1 0 0 0\n6 .1 0 0\n6 0 .1 0\n6 0 0 .1\n11 1 0 0 0\n"
#define XSF "SLAB\nBEGIN_BLOCK_DATAGRID_3D\nx\nBEGIN_DATAGRID_3D_y\n"

static void refuse_text(const char *name, const char *text, const char *reason)
{
    refuse(name, text, strlen(text), reason);
}

static void test_refused(void)
{
    refuse_text("a.cube", "", "a.cube:0: end of file, expected two lines of comment");
    refuse_text("a.cube", "x\ny\n1 0 zero 0\n", "a.cube:3: bad line");
    refuse_text("a.cube", "x\ny\n-1 0 0 0\n", "orbitals");
    refuse_text("a.cube", "x\ny\n1 0 0 0 2\n", "several values at a node");
    refuse_text("a.cube", "x\ny\n1.5 0 0 0\n", "bad number of atoms");
    refuse_text("a.cube", "x\ny\n1 0 0 0\n6 .1 0 0\n-6 0 .1 0\n6 0 0 .1\n",
                "a.cube:5: angstrom along one vector");
    refuse_text("a.cube", "x\ny\n1 0 0 0\n6 .1 0 0\n5 0 .1 0\n6 0 0 .1\n",
                "6 x 5 x 6 nodes, expected 6 to 20000");
    refuse_text("a.cube", "x\ny\n1 0 0 0\n6 .1 0 0\n99999 0 .1 0\n", "bad number of voxels");
    refuse_text("a.cube", "x\ny\n1 0 0 0\n6 .1 0 0\n6 0 .1 0\n6 0 0 .1\n11 1 0 0\n",
                "a.cube:7: bad line");
    refuse_text("a.cube", CUBE "1 2 3\n", "expected 216 values, of which 3 are there");
    refuse_text("a.cube", CUBE "1 2 x\n", "a.cube:8: bad value ('x')");
    refuse_text("a.cube", CUBE "1 nan\n", "bad value ('nan')");
    refuse_text("a.xsf", "SLAB\n", "no grid, expected BEGIN_DATAGRID_3D");
    refuse_text("a.xsf", XSF "6 6\n", "three numbers of nodes");
    refuse_text("a.xsf", XSF "6 6 6\n0 0 0\n1 0 0\n", "the file ends");
    refuse_text("a.xsf", XSF "6 6 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 2 3\nEND_DATAGRID_3D\n",
                "a.xsf:11: bad value");
    refuse_text("a.xsf", "CRYSTAL\nPRIMCOORD\n2 1\nNa 0 0 0\n", "the file ends");
    refuse("a.npy", "\x93NUMPY\x01", 7, "not a .npy file");
    refuse("a.npy", "\x93NUMPY\x01\x00\xff\xff{}", 12, "expected all of it");
#define NPY(text) "\x93NUMPY\x01\x00\x46\x00" text
    refuse("a.npy", NPY("{'descr': '<i8', 'fortran_order': False, 'shape': (6, 6, 6), }        \n"),
           80, "'<f8' or '<f4'");
    refuse("a.npy", NPY("{'descr': '<f8', 'fortran_order': False, 'shape': (6, 6, 6, 3), }     \n"),
           80, "three numbers");
    refuse("a.npy",
           NPY("{'descr': '<f8', 'fortran_order': False, 'shape': (6, 6, 6), }        \n12345678"),
           88, "1 numbers, expected 216");
    /* Whole files with one thing wrong. */
    char text[8000] = CUBE;
    for (int i = 0; i < 217; ++i) (void)strcat(text, "1.5 ");
    refuse_text("a.cube", text, "a.cube:8: one value too many");
    text[strlen(text) - 4] = '\n';
    text[strlen(text) - 3] = '7';
    text[strlen(text) - 2] = '\0';
    refuse_text("a.cube", text, "something behind the last value");
    memcpy(strstr(text, "6 0 .1 0"), "6 0 .1 1", 8);
    text[strlen(text) - 2] = '\0';
    refuse_text("a.cube", text, "does not lie in the xy plane");
    memcpy(strstr(text, "6 0 .1 1"), "6 .1 0 0", 8);
    refuse_text("a.cube", text, "span no volume");
    static const bool half[3] = {true, false, false};
    shoal_mesh *mesh = NULL;
    write_xsf("half.xsf", "SLAB", half);
    CHECK(shoal_mesh_read(&mesh, path_of("half.xsf"), NULL) == SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), "one of its first two vectors") != NULL);
    write_npy("bare.npy", "<f8", false, false);
    CHECK(shoal_mesh_read(&mesh, path_of("bare.npy"), NULL) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), "has no cell") != NULL);
    CHECK(shoal_mesh_read(&mesh, path_of("none.cube"), NULL) == SHOAL_E_IO);
    CHECK(shoal_mesh_read(&mesh, path_of("none.npy"), NULL) == SHOAL_E_IO);
    CHECK(shoal_mesh_create(&mesh, "x", SHAPE, (const double[N]){0}, &(shoal_mesh_options){0}) ==
          SHOAL_E_FORMAT);
}

int main(void)
{
    const char *top = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/shoal-mesh-XXXXXX", top && *top ? top : ".");
    if (!mkdtemp(folder)) {
        (void)printf("%s cannot be made\n", folder);
        return 1;
    }
    test_spline(true, 1);
    test_spline(false, 1);
    test_spline(true, 3);
    test_spline(false, 3);
    test_nodes();
    test_files();
    test_refused();
    char command[300];
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK(system(command) == 0);
    return check_done();
}
