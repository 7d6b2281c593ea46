/* SPDX-License-Identifier: BSD-3-Clause
 * Drawings and molecules without coordinates: told from geometries, and what they say of configurations. */
#include "io_fixture.h"

#include "chem/flat.h"

/* A record of CHFClBr or another centre with four atoms around it, on a line each. */
static fixture read(const char *head, const char *const atoms[5], const char *const bonds[4])
{
    static char text[2048];
    int n =
        snprintf(text, sizeof text, "name\n%s\n\n  5  4  0  0  0  0  0  0  0  0999 V2000\n", head);
    for (int i = 0; i < 5; ++i) n += snprintf(text + n, sizeof text - (size_t)n, "%s\n", atoms[i]);
    for (int b = 0; b < 4; ++b) n += snprintf(text + n, sizeof text - (size_t)n, "%s\n", bonds[b]);
    (void)snprintf(text + n, sizeof text - (size_t)n, "M  END\n$$$$\n");
    fixture f;
    fixture_first(&f, text, SHOAL_FORMAT_SDF);
    CHECK(shoal_molecule_perceive(f.mol, NULL) == SHOAL_OK);
    CHECK(molecule_find_geometry(f.mol) == SHOAL_OK);
    return f;
}

static const char *const drawn[5] = {
    "    0.0000    0.0000    0.0000 C   0  0", "    1.0000    0.0000    0.0000 F   0  0",
    "    0.0000    1.0000    0.0000 Cl  0  0", "   -1.0000    0.0000    0.0000 Br  0  0",
    "    0.0000   -1.0000    0.0000 I   0  0"};
static const char *const plain[4] = {"  1  2  1  0", "  1  3  1  0", "  1  4  1  0",
                                     "  1  5  1  0"};
static const char *const up[4] = {"  1  2  1  1", "  1  3  1  0", "  1  4  1  0", "  1  5  1  0"};
static const char *const down[4] = {"  1  2  1  6", "  1  3  1  0", "  1  4  1  0", "  1  5  1  0"};
/* The wedge's thin end is at fluorine, which makes it say nothing of carbon. */
static const char *const away[4] = {"  2  1  1  1", "  1  3  1  0", "  1  4  1  0", "  1  5  1  0"};

/* Seen from fluorine, which lies above the plane to the east, Cl (north), Br (west) and I (south) follow each other
 * anticlockwise. */
static void test_wedges(void)
{
    static const struct {
        const char *const *bonds;
        int32_t mark;
    } rows[] = {{plain, 0}, {up, 1}, {down, -1}, {away, 0}};
    for (int k = 0; k < 4; ++k) {
        fixture f = read("", drawn, rows[k].bonds);
        CHECK(shoal_molecule_geometry(f.mol) == SHOAL_GEOMETRY_FLAT);
        CHECK(molecule_mark(&f.mol->stereo, 0) == rows[k].mark);
        fixture_end(&f);
    }
}

static void test_geometries(void)
{
    const char *solid[5];
    memcpy(solid, drawn, sizeof solid);
    solid[4] = "    0.0000   -1.0000    0.5000 I   0  0";
    fixture f = read("  any     0101000000002D", solid, plain); /* whatever it is called */
    CHECK(shoal_molecule_geometry(f.mol) == SHOAL_GEOMETRY_GIVEN);
    CHECK(shoal_molecule_set_position(f.mol, 0, f.mol->pos[1]) == SHOAL_OK);
    fixture_end(&f);
    /* Square planar metals are flat; what is called 2D is drawn. */
    memcpy(solid, drawn, sizeof solid);
    solid[0] = "    0.0000    0.0000    0.0000 Pt  0  0";
    f = read("", solid, plain);
    CHECK(shoal_molecule_geometry(f.mol) == SHOAL_GEOMETRY_GIVEN);
    fixture_end(&f);
    f = read("  any     01010000002D", solid, plain);
    CHECK(shoal_molecule_geometry(f.mol) == SHOAL_GEOMETRY_FLAT);
    fixture_end(&f);
}

/* Without coordinates parities count. They survive writing and reading. */
static void test_parities(void)
{
    const char *zero[5] = {
        "    0.0000    0.0000    0.0000 C   0  0  1", "    0.0000    0.0000    0.0000 H   0  0  0",
        "    0.0000    0.0000    0.0000 Cl  0  0  0", "    0.0000    0.0000    0.0000 Br  0  0  0",
        "    0.0000    0.0000    0.0000 I   0  0  0"};
    fixture f = read("", zero, plain);
    CHECK(shoal_molecule_geometry(f.mol) == SHOAL_GEOMETRY_NONE);
    /* Clockwise with the hydrogen, the first of four, counted as the last: three swaps. */
    CHECK(molecule_mark(&f.mol->stereo, 0) == 1);
    shoal_string *text;
    CHECK(shoal_string_create(&text) == SHOAL_OK);
    f.mol->parity.n = 0;
    CHECK(shoal_frame_format(text, SHOAL_FORMAT_SDF, f.mol, NULL) == SHOAL_OK);
    CHECK(strstr(shoal_string_data(text), " C   0  0  1") != NULL);
    CHECK(strstr(shoal_string_data(text), "0D\n") != NULL);
    CHECK(shoal_frame_format(text, SHOAL_FORMAT_XYZ, f.mol, NULL) == SHOAL_E_UNSUPPORTED);
    shoal_string_destroy(text);
    fixture_end(&f);
}

/* Clockwise (1) and anticlockwise (2), the hydrogen at each place among the four: each place further from the last swaps once. */
static void test_hydrogen_places(void)
{
    static const char *const symbols[4] = {"F ", "Cl", "Br", "I "};
    for (int parity = 1; parity < 3; ++parity)
        for (int place = 0; place < 4; ++place) {
            char lines[5][64];
            const char *atoms[5];
            for (int i = 0; i < 5; ++i) {
                (void)snprintf(lines[i], sizeof lines[i],
                               "    0.0000    0.0000    0.0000 %s  0  0  %d",
                               i == 0           ? "C "
                               : i - 1 == place ? "H "
                                                : symbols[i - 1],
                               i == 0 ? parity : 0);
                atoms[i] = lines[i];
            }
            fixture f = read("", atoms, plain);
            const int32_t last = parity == 2 ? 1 : -1; /* with the hydrogen as the last one */
            CHECK(molecule_mark(&f.mol->stereo, 0) == ((3 - place) % 2 ? -last : last));
            fixture_end(&f);
        }
}

int main(void)
{
    test_hydrogen_places();
    test_wedges();
    test_geometries();
    test_parities();
    return check_done();
}
