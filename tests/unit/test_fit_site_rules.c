/* SPDX-License-Identifier: BSD-3-Clause
 * Sites by rules: by element, several on one atom; and the model that needs them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit/objective.h"

#include "check.h"
#include "shoal/fit.h"

/* Water and chloromethane, two carbons of which are flat. */
static const char types_text[] = "O_3  * O  E 2 0 0 0 0.66 1.75 0.0026 0 -0.5\n"
                                 "H_O  * H  E 1 0 0 0 0.35 1.40 0.0007 0  0.5\n"
                                 "C_3  * C  E 4 0 0 0 0.75 1.90 0.0045 0  0.0\n"
                                 "Cl   * Cl E 1 0 0 0 0.99 1.97 0.0098 0 -0.2\n"
                                 "H_C3 * H  E 1 0 0 0 0.35 1.44 0.0019 0  0.0\n";

static shoal_dataset *open_data(void)
{
    shoal_atom_types *types = NULL;
    shoal_dataset *data = NULL;
    char text[4000];
    int used = 0;
    for (int step = 0; step < 6; ++step) {
        const double z = 3.0 + 0.3 * step;
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "8\n# n0 3 Etot %g x0 %d pair\nO_3 0 0 0 -0.6\nH_O 0.76 0.1 -0.6 0.3\n"
                         "H_O -0.76 0 -0.6 0.3\nC_3 0.2 0.1 %g 0.1\nCl 0.2 0.1 %g -0.2\n"
                         "H_C3 1.23 0.1 %g 0.05\nH_C3 -0.315 0.992 %g 0.03\n"
                         "H_C3 -0.315 -0.792 %g 0.02\n",
                         0.02 - 0.01 * step, step, z + 1.78, z, z + 2.13, z + 2.13, z + 2.13);
    }
    CHECK(shoal_atom_types_read_memory(&types, types_text, strlen(types_text), "types") ==
          SHOAL_OK);
    CHECK(shoal_dataset_create(&data, types) == SHOAL_OK);
    CHECK(shoal_dataset_add_memory(data, text, strlen(text), "frames", 1.0) == SHOAL_OK);
    shoal_atom_types_destroy(types);
    return data;
}

static int32_t count_of(const shoal_dataset *data, const char *type)
{
    return shoal_dataset_count(data, shoal_atom_types_find(data->types, type));
}

static double distance_of(const shoal_dataset *data, const char *type)
{
    const int32_t t = shoal_atom_types_find(data->types, type);
    for (int32_t i = 0; i < data->samples[0].n_atoms; ++i) {
        if (data->type[i] != t) continue;
        const double *a = data->pos[i], *b = data->pos[data->host[i]];
        return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
    }
    return -1.0;
}

static void check_by_element(void)
{
    shoal_dataset *data = open_data();
    CHECK(shoal_dataset_auto_sites(data, 0.0) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    CHECK(count_of(data, "E_O3") == 12 && count_of(data, "E_HO") == 12);
    CHECK(count_of(data, "E_Cl") == 6 && count_of(data, "E_HC3") == 18);
    CHECK(shoal_atom_types_find(data->types, "E_C3") < 0);
    CHECK_NEAR(distance_of(data, "E_O3"), 0.7, 1e-12);
    CHECK_NEAR(distance_of(data, "E_HO"), 0.4, 1e-12);
    CHECK_NEAR(distance_of(data, "E_Cl"), 0.6, 1e-12);
    CHECK(data->n_site_rules == 4);
    const shoal_site_rule *rules = data->site_rules;
    CHECK_TEXT(rules[0].host, "O_3");
    CHECK_TEXT(rules[0].site, "E_O3");
    CHECK(rules[0].kind == SHOAL_SITE_LONE_PAIRS && rules[0].n == 2);
    CHECK(rules[1].kind == SHOAL_SITE_BEYOND && rules[1].distance == 0.4);
    CHECK(shoal_dataset_auto_sites(data, 0.0) == SHOAL_E_ARGUMENT);
    shoal_dataset_destroy(data);
    data = open_data();
    CHECK(shoal_dataset_auto_sites(data, 0.55) == SHOAL_OK);
    CHECK_NEAR(distance_of(data, "E_HO"), 0.55, 1e-12);
    CHECK(shoal_dataset_auto_sites(data, -1.0) == SHOAL_E_ARGUMENT);
    shoal_dataset_destroy(data);
}

/* Three lone pairs and the sigma hole of one chlorine. */
static void check_two_rules(void)
{
    shoal_dataset *data = open_data();
    shoal_site_rule rules[] = {
        {.host = "Cl", .site = "E_Cl", .kind = SHOAL_SITE_LONE_PAIRS, .n = 3, .distance = 0.5},
        {.host = "Cl", .site = "S_Cl", .kind = SHOAL_SITE_BEYOND, .distance = 0.8}};
    CHECK(shoal_dataset_put_sites(data, rules, 2) == SHOAL_OK);
    CHECK(count_of(data, "E_Cl") == 18 && count_of(data, "S_Cl") == 6);
    CHECK_NEAR(distance_of(data, "S_Cl"), 0.8, 1e-12);
    CHECK_NEAR(distance_of(data, "E_Cl"), 0.5, 1e-12);
    shoal_dataset_destroy(data);
    data = open_data();
    rules[0].n = 4;
    CHECK(shoal_dataset_put_sites(data, rules, 2) == SHOAL_E_ARGUMENT);
    rules[0].n = 3;
    rules[1].distance = 0.0;
    CHECK(shoal_dataset_put_sites(data, rules, 2) == SHOAL_E_ARGUMENT);
    rules[1].distance = 0.8;
    memcpy(rules[1].host, "Xx", 3);
    CHECK(shoal_dataset_put_sites(data, rules, 2) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), "sites of type Xx: the table has no such type");
    shoal_dataset_destroy(data);
}

static const char dofs[] = "O_3 R 1.2 2.2 1 0 0 0 0\nO_3 H -0.9 -0.1 1 0 0 0 0\n"
                           "Cl E 0.001 0.03 1 0 0 0 0\n";

static bool has_dof(const shoal_fit *fit, const char *type, const char *comp, bool frozen)
{
    for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i) {
        shoal_dof_info d;
        CHECK(shoal_fit_dof(fit, i, &d) == SHOAL_OK);
        if (strcmp(d.type, type) == 0 && strcmp(d.comp, comp) == 0) return d.frozen == frozen;
    }
    return false;
}

/* The recommended model brings its own DOFs, and pulls the charges of sites to each other and to 0. */
static void check_best(void)
{
    shoal_dataset *data = open_data();
    shoal_fit *fit = NULL;
    shoal_fit_options options = {.model = "exp6-sites"};
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &options) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), "the data have no sites") != NULL);
    static const char *const others[] = {NULL, "lj", "exp6"};
    for (int k = 0; k < 3; ++k) {
        const shoal_fit_options other = {.model = others[k]};
        CHECK(shoal_dataset_complete(data, &other) == SHOAL_OK && !data->has_sites);
    }
    CHECK(shoal_dataset_complete(data, &options) == SHOAL_OK);
    CHECK(data->has_sites && data->n_bonds == 0);
    options.hbond = SHOAL_HBOND_BOTH;
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &options) == SHOAL_E_ARGUMENT);
    options.hbond = SHOAL_HBOND_REPULSION;
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &options) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    if (!fit) return;
    CHECK_TEXT(shoal_fit_evaluator(fit), "pairs");
    CHECK(has_dof(fit, "*", "alpha", false) && has_dof(fit, "*", "lambda", false));
    CHECK(has_dof(fit, "*", "c", false) && has_dof(fit, "O_3", "H", true));
    CHECK(has_dof(fit, "E_O3", "Q", false) && has_dof(fit, "E_HC3", "Q", false));
    CHECK(shoal_fit_free_dofs(fit) == 2 + 3 + 4);
    /* Sites of one element and kind are alike. */
    int32_t group[2] = {-2, -3}, alone = 0, other = -1;
    for (int32_t i = 0; i < fit->n_dofs; ++i) {
        if (strcmp(fit->dofs[i].name, "E_HO.Q") == 0) group[0] = fit->dofs[i].group;
        if (strcmp(fit->dofs[i].name, "E_HC3.Q") == 0) group[1] = fit->dofs[i].group;
        alone += fit->dofs[i].small && fit->dofs[i].group < 0;
        if (strcmp(fit->dofs[i].name, "E_O3.Q") == 0) other = fit->dofs[i].group;
    }
    CHECK(group[0] == group[1] && group[0] >= 0 && alone == 0 && other != group[0]);
    shoal_fit_destroy(fit);
    options.model = "best";
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &options) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), "the data have no increments") != NULL);
    CHECK(shoal_dataset_complete(data, &options) == SHOAL_OK);
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &options) == SHOAL_OK);
    CHECK(shoal_fit_free_dofs(fit) == 2 + 3 + 4 + 3 && has_dof(fit, "C_3:Cl", "Q", false));
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* Slope and matrix of the pull against differences of it. */
static void check_pull(void)
{
    shoal_dataset *data = open_data();
    shoal_fit *fit = NULL;
    fit_objective *o = NULL;
    double j[2][2], g[16], a[256], u[16];
    CHECK(shoal_dataset_auto_sites(data, 0.0) == SHOAL_OK);
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs",
                                  &(shoal_fit_options){.model = "exp6-sites"}) == SHOAL_OK);
    CHECK(fit && objective_create(&o, fit, false) == SHOAL_OK);
    if (!o) return;
    for (int32_t i = 0; i < o->n; ++i) u[i] = o->start[i] + 0.1 * (i + 1);
    o->pool = 100.0; /* so strong that the data do not count */
    CHECK(objective_matrix(o, u, &j[0][0], g, a, NULL) == SHOAL_OK);
    for (int32_t i = 5; i < o->n; ++i) {
        const double x = u[i], h = 1e-3;
        double other[16];
        for (int side = 0; side < 2; ++side) {
            u[i] = x + (side ? h : -h);
            CHECK(objective_value(o, u, &j[1][side], other) == SHOAL_OK);
        }
        u[i] = x;
        CHECK_NEAR(g[i], (j[1][1] - j[1][0]) / (2.0 * h), 1e-6 * fabs(g[i]));
        CHECK_NEAR(a[i * o->n + i], (j[1][1] + j[1][0] - 2.0 * j[0][0]) / (h * h),
                   1e-3 * a[i * o->n + i]);
        CHECK(fabs(g[i]) > 1.0);
    }
    objective_destroy(o);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* Of the samples that count, increments of their bonds are present as types of their atoms are. */
static void check_present(const shoal_fit *fit)
{
    const shoal_dataset *data = fit->problem.data;
    const int32_t bond = shoal_atom_types_find(data->types, "O_3:H_O"), atom = data->type[0];
    bool present[40] = {false};
    fit_objective *o = NULL;
    CHECK(objective_create(&o, fit, false) == SHOAL_OK);
    objective_types(o, present);
    CHECK(present[bond] && present[atom]);
    for (int s = 0; s < 6; ++s) o->weight[s] = 0.0;
    objective_types(o, present);
    CHECK(!present[bond] && !present[atom]);
    objective_destroy(o);
}

/* What a bond takes from one atom it gives to the other, and both evaluators know it. */
static void check_increments(void)
{
    shoal_dataset *data = open_data();
    CHECK(shoal_dataset_auto_sites(data, 0.0) == SHOAL_OK);
    CHECK(shoal_dataset_add_increments(data) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    CHECK(shoal_dataset_add_increments(data) == SHOAL_E_ARGUMENT);
    CHECK(shoal_atom_types_find(data->types, "O_3:H_O") >= 0);
    CHECK(shoal_atom_types_find(data->types, "C_3:H_C3") >= 0);
    CHECK(data->n_increments == 3 && data->samples[0].n_bonds == 6);
    double energy[2][6];
    for (int k = 0; k < 2; ++k) {
        shoal_fit *fit = NULL;
        double parts[6][SHOAL_N_PARTS], p[400], q[40], whole[40], sum = 0.0;
        CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs",
                                      &(shoal_fit_options){.fit_increments = true,
                                                           .evaluator = k ? "pairs" : "moments"}) ==
              SHOAL_OK);
        CHECK_TEXT(shoal_error_text(), "");
        if (!fit) break;
        CHECK(shoal_fit_free_dofs(fit) == 3 + 3);
        shoal_charge_increment increments[3];
        for (int32_t i = 0; i < fit->n_dofs; ++i)
            if (strcmp(fit->dofs[i].name, "O_3:H_O.Q") == 0)
                CHECK(shoal_fit_set_value(fit, i, 0.07) == SHOAL_OK);
        CHECK(shoal_fit_increments(fit, increments) == 3);
        CHECK_TEXT(increments[0].from, "O_3");
        CHECK_TEXT(increments[0].to, "H_O");
        CHECK(increments[0].value == 0.07 && increments[1].value == 0.0);
        fit_slots(fit, fit->value, p);
        fit_charges(&fit->problem, &data->samples[0], p, q, whole);
        CHECK_NEAR(whole[0], -0.6 - 2 * 0.07, 1e-15);
        CHECK_NEAR(whole[1], 0.3 + 0.07, 1e-15);
        for (int32_t i = 0; i < data->samples[0].n_first; ++i) sum += q[i];
        CHECK_NEAR(sum, 0.0, 1e-15);
        CHECK(fit->evaluator->energies(fit->evaluator, p, energy[k]) == SHOAL_OK);
        CHECK(shoal_fit_predict(fit, parts) == SHOAL_OK);
        CHECK(fabs(parts[0][SHOAL_PART_COULOMB]) > 1e-3);
        check_present(fit);
        shoal_atom_types *types = NULL;
        CHECK(shoal_fit_types(fit, &types) == SHOAL_OK);
        CHECK(shoal_atom_types_find(types, "O_3:H_O") < 0 &&
              shoal_atom_types_find(types, "Cl") == 3);
        CHECK(shoal_atom_types_count(types) == data->first_increment);
        shoal_atom_types_destroy(types);
        shoal_fit_destroy(fit);
    }
    for (int s = 0; s < 6; ++s) CHECK_NEAR(energy[0][s], energy[1][s], 1e-12);
    shoal_dataset_destroy(data);
}

/* Given ones give the same charges, in either order of their types; others move nothing. */
static void check_given_increments(void)
{
    static const shoal_charge_increment given[] = {{.from = "H_O", .to = "O_3", .value = -0.07},
                                                   {.from = "C_3", .to = "O_3", .value = 1.0}};
    shoal_dataset *data = open_data();
    shoal_fit *fit = NULL;
    double p[400], q[40];
    CHECK(shoal_dataset_put_increments(data, given, 2) == SHOAL_OK);
    CHECK(data->n_increments == 1 && data->samples[0].n_bonds == 2);
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", NULL) == SHOAL_OK);
    if (!fit) return;
    fit_slots(fit, fit->value, p);
    fit_charges(&fit->problem, &data->samples[0], p, q, NULL);
    CHECK_NEAR(q[0], -0.6 - 2 * 0.07, 1e-15);
    CHECK_NEAR(q[1], 0.3 + 0.07, 1e-15);
    CHECK_NEAR(q[4], -0.2, 0.0);
    shoal_fit_destroy(fit);
    /* One that the file has keeps its bounds, others are added; both count as small. */
    const char *name = shoal_atom_types_get(data->types, data->first_increment)->name;
    const shoal_fit_options all = {.fit_increments = true};
    for (int k = 0; k < 2; ++k) {
        char text[1200];
        int n = 0;
        (void)snprintf(text, sizeof text, k ? "%s%s Q -0.5 0.4 1 0 0 0 0\n" : "%s", dofs, name);
        CHECK(shoal_fit_create_memory(&fit, data, text, "dofs", &all) == SHOAL_OK);
        for (int32_t i = 0; fit && i < fit->n_dofs; ++i) {
            const fit_dof *d = &fit->dofs[i];
            if (d->type != data->first_increment) continue;
            CHECK(d->small && d->min == (k ? -0.5 : -1) && d->max == (k ? 0.4 : 1));
            ++n;
        }
        CHECK(n == 1);
        shoal_fit_destroy(fit);
    }
    shoal_dataset_destroy(data);
}

int main(void)
{
    check_by_element();
    check_two_rules();
    check_best();
    check_pull();
    check_increments();
    check_given_increments();
    return check_done();
}
