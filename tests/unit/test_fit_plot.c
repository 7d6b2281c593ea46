/* SPDX-License-Identifier: BSD-3-Clause
 * Figures of a fit: which files there are, what is in them, and the same bytes again; speed of
 * evaluators checked before it is timed. */
#include <unistd.h>

#include "fit_fixture.h"

static const char prefix[] = "test_fit_plot.tmp";

static const char *const others[] = {"scatter", "samples", "curves", "dofs", "polar", "cuts"};

/* A file as text and gone; NULL if there is none. */
static char *take_file(const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s-%s.svg", prefix, name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = calloc(1 << 22, 1);
    if (text) text[fread(text, 1, (1 << 22) - 1, file)] = '\0';
    (void)fclose(file);
    (void)unlink(path);
    return text;
}

static int count(const char *text, const char *piece)
{
    int n = 0;
    for (const char *p = text; p && (p = strstr(p, piece)); p += strlen(piece)) ++n;
    return n;
}

static void check_curves(void)
{
    static const char *const names[] = {"scatter", "curves", "dofs"};
    shoal_dataset *data = fixture_data(3, 0.0);
    shoal_fit *fit = NULL;
    shoal_cv_result cv;
    char *texts[2][3] = {{NULL}};
    CHECK(shoal_fit_create_memory(&fit, data, fixture_dofs, "dofs", NULL) == SHOAL_OK);
    if (!fit) return;
    CHECK(shoal_fit_cross_validate(fit, &(shoal_cv_options){.n_folds = 3}, &cv) == SHOAL_OK);
    for (int repeat = 0; repeat < 2; ++repeat) {
        CHECK(shoal_fit_plot(fit, &cv, prefix) == SHOAL_OK);
        CHECK_TEXT(shoal_error_text(), "");
        for (int k = 0; k < 3; ++k) texts[repeat][k] = take_file(names[k]);
        CHECK(take_file("maps") == NULL);       /* one angle only */
        CHECK(take_file("trajectory") == NULL); /* no run */
        free(take_file("samples"));
    }
    for (int k = 0; k < 3; ++k) {
        CHECK(texts[0][k] && texts[1][k] && strcmp(texts[0][k], texts[1][k]) == 0);
        CHECK(!strstr(texts[0][k] ? texts[0][k] : "nan", "nan"));
    }
    CHECK(count(texts[0][0], ">kept back<") == 1 && count(texts[0][0], "frames: ") == 2);
    CHECK(count(texts[0][1], ">reference<") == 3 && count(texts[0][1], "cluster2") == 1);
    CHECK(count(texts[0][2], ">analytic<") == 9 && count(texts[0][2], ">O_3 R<") == 4);
    for (int k = 0; k < 3; ++k)
        for (int repeat = 0; repeat < 2; ++repeat) free(texts[repeat][k]);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* A fit to frames, and its data, both the caller's. */
static shoal_fit *fit_frames(const char *text, shoal_dataset **data)
{
    shoal_atom_types *types = NULL;
    shoal_fit *fit = NULL;
    CHECK(shoal_atom_types_read_memory(&types, fixture_types, strlen(fixture_types), "types") ==
          SHOAL_OK);
    CHECK(shoal_dataset_create(data, types) == SHOAL_OK);
    CHECK(shoal_dataset_add_memory(*data, text, strlen(text), "frames", 1.0) == SHOAL_OK);
    CHECK(shoal_fit_create_memory(&fit, *data, fixture_dofs, "dofs", NULL) == SHOAL_OK);
    shoal_atom_types_destroy(types);
    return fit;
}

/* Two atoms at two angles and three distances: a map of six cells. */
static void check_map(void)
{
    shoal_dataset *data = NULL;
    char text[2000];
    int used = 0;
    for (int angle = 0; angle < 2; ++angle)
        for (int r = 0; r < 3; ++r)
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "2\n# n0 1 Etot %.3f x0 %.1f z %d turned\nO_3 0 0 0 0.1\n"
                             "C_3 %.3f %.3f 0 -0.1\n",
                             -0.1 + 0.02 * r, 3.0 + r, 30 * angle, 3.0 + r, 0.5 * angle);
    shoal_fit *fit = fit_frames(text, &data);
    CHECK_TEXT(shoal_error_text(), "");
    if (fit) {
        CHECK(shoal_fit_plot(fit, NULL, prefix) == SHOAL_OK);
        char *map = take_file("maps");
        CHECK(count(map, "turned: ") == 3 && count(map, "angle (degrees)") == 3);
        free(map);
        for (size_t k = 0; k < sizeof others / sizeof others[0]; ++k) free(take_file(others[k]));
        CHECK(shoal_fit_plot(fit, NULL, "no/such/directory/x") == SHOAL_E_IO);
    }
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* Samples at as many distances and angles as there are of them make no map. */
static void check_scattered(void)
{
    shoal_dataset *data = NULL;
    static char text[100 * 100];
    int used = 0;
    for (int k = 0; k < 40; ++k)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "2\n# n0 1 Etot -0.01 x0 %d z %d spread\nO_3 0 0 0 0.1\nC_3 %d 0 0 -0.1\n",
                         3 + k, 7 * k, 3 + k);
    shoal_fit *fit = fit_frames(text, &data);
    if (fit) CHECK(shoal_fit_plot(fit, NULL, prefix) == SHOAL_OK);
    CHECK(take_file("maps") == NULL);
    for (size_t k = 0; k < sizeof others / sizeof others[0]; ++k) free(take_file(others[k]));
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

static void check_speed(void)
{
    shoal_dataset *data = fixture_data(2, 0.0);
    shoal_fit *fit = NULL;
    shoal_fit_speed speed;
    CHECK(shoal_fit_create_memory(&fit, data, fixture_dofs, "dofs", NULL) == SHOAL_OK);
    if (!fit) return;
    CHECK(shoal_fit_measure(fit, "moments", false, 4, &speed) == SHOAL_OK);
    CHECK(speed.error < 1e-10 && speed.pairs_per_s > 0.0 && speed.n_sets == 4);
    CHECK(speed.n_pairs == 3 * (4 * 4 + 7 * 7) && speed.n_repeats >= 5);
    CHECK_NEAR(speed.pairs_per_s * speed.seconds / (4.0 * (double)speed.n_pairs), 1.0, 1e-12);
    CHECK_TEXT(speed.device, "cpu");
    CHECK(shoal_fit_measure(fit, "pairs", false, 2, &speed) == SHOAL_OK);
    CHECK(speed.error < 1e-12);
    CHECK(shoal_fit_measure(fit, "abacus", false, 1, &speed) == SHOAL_E_ARGUMENT);
    CHECK(shoal_fit_measure(fit, "pairs", false, 0, &speed) == SHOAL_E_ARGUMENT);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

int main(void)
{
    check_curves();
    check_map();
    check_scattered();
    check_speed();
    return check_done();
}
