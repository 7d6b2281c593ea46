/* SPDX-License-Identifier: BSD-3-Clause
 * What the outputs of a run get of single frames. */
#include "stream/run.h"
#include "surface_fixture.h"

static const char *const files[] = {"in.xyz"};

/* What the text of one frame of water has: atoms in its first line, columns in its second. */
static void check_frame(const char *text, int32_t n_atoms, bool own)
{
    CHECK(strtol(text, NULL, 10) == n_atoms);
    CHECK((strstr(text, "forces:R:3") != NULL) == own);
    CHECK((strstr(text, "momenta:R:3") != NULL) == own);
    CHECK(strstr(text, "md_temperature=310") && strstr(text, "bath_temperature=300"));
    CHECK(strstr(text, "kinetic_energy=0.125") != NULL);
}

/* Frames with the atoms of a surface leave out what is known of those of the molecule alone. */
static void test_slab_frames(void)
{
    static const double pos[3][3] = {{0, 0, 3}, {0.96, 0, 3}, {-0.24, 0.93, 3}};
    static const double rates[3][3] = {{0.01, 0, 0}, {0, 0.02, 0}, {0, 0, 0.03}};
    static const double masses[3] = {16, 1, 1};
    static const int32_t z[3] = {8, 1, 1};
    shoal_molecule *salt = fixture_salt(1, 2, 0.7);
    shoal_surface *surface = fixture_surface(salt, NULL);
    shoal_stream_system system = {.index = 3, .n_variants = 1, .variant = 5};
    CHECK(shoal_molecule_create(&system.mol) == SHOAL_OK);
    CHECK(shoal_molecule_add_atoms(system.mol, 3, z, pos) == SHOAL_OK);
    CHECK(shoal_molecule_perceive(system.mol, NULL) == SHOAL_OK);
    CHECK(shoal_topology_create(&system.topology, system.mol, NULL) == SHOAL_OK);
    const shoal_relax_frame frame = {.steps = 4,
                                     .pos = pos,
                                     .forces = rates,
                                     .energy = -1.5,
                                     .velocities = rates,
                                     .masses = masses,
                                     .time = 2,
                                     .kinetic = 0.125,
                                     .temperature = 310,
                                     .bath = 300};
    for (int k = 0; k < 2; ++k) {
        const shoal_stream_options stream = {.input = {.files = files, .n_files = 1}};
        const shoal_run_options o = {
            .stream = &stream, .slab = k ? surface : NULL, .slab_c = {0, 0, 30}};
        const shoal_run_output output = {
            .kind = SHOAL_OUTPUT_MOLECULES, .format = SHOAL_FORMAT_XYZ, .frames = true};
        run r = {.options = &o};
        run_sink of = {.run = &r, .output = &output};
        const shoal_sink sink = run_make_sink(&of);
        shoal_string *text = NULL;
        CHECK(shoal_string_create(&text) == SHOAL_OK && !sink.format && sink.step);
        CHECK(sink.step(sink.user, &system, &frame, text) == SHOAL_OK);
        check_frame(shoal_string_data(text), k ? 7 : 3, k == 0);
        CHECK(strstr(shoal_string_data(text), "variant=5") != NULL);
        shoal_relax_frame still = frame; /* of a relaxation */
        still.velocities = NULL;
        shoal_string_clear(text);
        CHECK(sink.step(sink.user, &system, &still, text) == SHOAL_OK);
        CHECK(!strstr(shoal_string_data(text), "temperature=") &&
              !strstr(shoal_string_data(text), "kinetic_energy=") &&
              !strstr(shoal_string_data(text), "time="));
        /* types of the molecule's atoms in a result, too */
        const shoal_run_output result = {.kind = SHOAL_OUTPUT_MOLECULES,
                                         .format = SHOAL_FORMAT_XYZ};
        of.output = &result;
        shoal_string_clear(text);
        CHECK(run_make_sink(&of).format(&of, &system, text) == SHOAL_OK);
        CHECK(strtol(shoal_string_data(text), NULL, 10) == (k ? 7 : 3));
        CHECK((strstr(shoal_string_data(text), "O_3") != NULL) == (k == 0));
        shoal_string_destroy(text);
    }
    shoal_topology_destroy((shoal_topology *)system.topology);
    shoal_molecule_destroy(system.mol);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(salt);
}

int main(void)
{
    test_slab_frames();
    return check_done();
}
