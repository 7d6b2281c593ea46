/* SPDX-License-Identifier: BSD-3-Clause
 * The pull of finer types to their family: its value by hand, its slope and curvature by differences. */
#include "check.h"
#include "fit/families.h"

static const char types_text[] = "C_3   *   C E 4 0 0 0 0.75 1.90 0.0045 0  0.0\n"
                                 "O_3h1 O_3 O E 2 2 0 0 0.66 1.75 0.0026 0 -0.5\n"
                                 "O_3h2 O_3 O E 2 2 0 0 0.66 1.70 0.0030 0 -0.5\n"
                                 "O_R   *   O E 1 2 0 0 0.66 1.60 0.0040 0 -0.5\n"
                                 "H_O   *   H E 1 0 0 0 0.35 1.40 0.0007 0  0.6\n"
                                 "C_3x  C_3 C E 4 0 0 0 0.75 1.80 0.0040 0  0.0\n"
                                 "O_3   O   O E 2 2 0 0 0.66 1.75 0.0026 0 -0.5\n";
static const char dofs_text[] =
    "O_3h1 R 1 3 1 0 0 0 0\nO_3h2 R 1 3 1 0 0 0 0\nO_R R 1 3 1 0 0 0 0\n"
    "O_3h1 E 0 0.1 1 0 0 0 0\nO_3h2 E 0 0.1 1 0 0 0 0\n"
    "C_3 R 1 3 1 0 0 0 0\nC_3x R 1 3 1 0 0 0 0\n";
/* A water, a methanol's rest, a molecule of carbon and oxygen. */
static const char frames_text[] =
    "7\n# n0 3 Etot -0.2 a\n"
    "O_3h2 0 0 0 -0.4\nH_O 0.96 0 0 0.2\nH_O -0.3 0.9 0 0.2\n"
    "C_3x 0 0 4 0\nO_3h1 1.4 0 4 -0.2\nH_O 1.8 0.9 4 0.2\nC_3 -1.5 0 4 0\n"
    "5\n# n0 3 Etot -0.1 b\n"
    "O_3h2 0 0 0 -0.4\nH_O 0.96 0 0 0.2\nH_O -0.3 0.9 0 0.2\n"
    "O_R 0 0 4 -0.1\nC_3 1.2 0 4 0.1\n"
    "3\n# n0 1 Etot -0.3 c\n"
    "C_3 0 0 0 0\nO_3h1 0 0 4 -0.1\nC_3 1.2 0 4 0.1\n";

static shoal_dataset *make_data(void)
{
    shoal_atom_types *types = NULL;
    shoal_dataset *data = NULL;
    CHECK(shoal_atom_types_read_memory(&types, types_text, sizeof types_text - 1, "types") ==
          SHOAL_OK);
    CHECK(shoal_dataset_create(&data, types) == SHOAL_OK);
    CHECK(shoal_dataset_add_memory(data, frames_text, sizeof frames_text - 1, "frames", 1.0) ==
          SHOAL_OK);
    shoal_atom_types_destroy(types);
    return data;
}

static const fit_dof *dof_of(const shoal_fit *fit, const char *name)
{
    for (int32_t i = 0; i < fit->n_dofs; ++i)
        if (strcmp(fit->dofs[i].name, name) == 0) return &fit->dofs[i];
    CHECK(!"a DOF of that name");
    return NULL;
}

/* u[i] of a DOF, all others zero. */
static double energy_of(const fit_objective *o, double *u, double *g)
{
    for (int32_t i = 0; i < o->n; ++i) g[i] = 0.0;
    return objective_pool(o, u, g, NULL);
}

/* Who belongs together: finer types, their sites, bonds between them whatever their direction. */
static void check_families(const shoal_fit *fit)
{
    CHECK(dof_of(fit, "O_3h1.R")->family == dof_of(fit, "O_3h2.R")->family);
    CHECK(dof_of(fit, "O_3h1.R")->family != dof_of(fit, "O_R.R")->family);
    CHECK(dof_of(fit, "O_3h1.R")->group == dof_of(fit, "O_R.R")->group);
    CHECK(dof_of(fit, "O_3h1.E")->family != dof_of(fit, "O_3h1.R")->family);
    CHECK(dof_of(fit, "C_3.R")->family == dof_of(fit, "C_3x.R")->family);
    CHECK(dof_of(fit, "E_O3h1.Q")->family == dof_of(fit, "E_O3h2.Q")->family);
    CHECK(dof_of(fit, "E_O3h1.Q")->family != dof_of(fit, "E_OR.Q")->family);
    const fit_dof *a = dof_of(fit, "O_3h1:H_O.Q"), *b = dof_of(fit, "O_3h2:H_O.Q");
    CHECK(a->family == b->family && a->sign == b->sign && a->small);
    CHECK(dof_of(fit, "C_3:C_3x.Q")->family != a->family);
    /* the table turns one of these round */
    const fit_dof *c = dof_of(fit, "C_3:O_3h1.Q"), *d = dof_of(fit, "O_3h1:C_3x.Q");
    CHECK(c->family == d->family && c->sign == 1.0 && d->sign == -1.0);
}

/* Two oxygens of one family 0.6 A apart, a third type: 0.3 A within, 0.45 A beyond. */
static void check_value(const fit_objective *o, const shoal_fit *fit, double *u, double *g)
{
    const int32_t at[] = {dof_of(fit, "O_3h1.R")->column, dof_of(fit, "O_3h2.R")->column,
                          dof_of(fit, "O_R.R")->column};
    for (int32_t i = 0; i < o->n; ++i) u[i] = 0.0;
    u[at[0]] = 3.0; /* 0.3 A */
    u[at[1]] = -3.0;
    CHECK_NEAR(energy_of(o, u, g), 0.5 * o->pool * 2.0, 1e-14 * o->pool);
    u[at[0]] = u[at[1]] = 1.0; /* the family as a whole against the third type */
    CHECK_NEAR(energy_of(o, u, g), 0.5 * o->pool * 2.0 * 0.25 / (4.5 * 4.5), 1e-14 * o->pool);
    CHECK_NEAR(g[at[2]], -o->pool * 0.5 / (4.5 * 4.5), 1e-14 * o->pool);
}

static void check_slopes(const fit_objective *o, double *u, double *g)
{
    const int32_t n = o->n;
    double *a = calloc((size_t)n * (size_t)n, sizeof *a), *up = calloc(2 * (size_t)n, sizeof *up);
    for (int32_t i = 0; i < n; ++i) u[i] = 3.0 * fit_random(5, 1, (uint64_t)i);
    for (int32_t i = 0; i < n; ++i) g[i] = 0.0;
    (void)objective_pool(o, u, g, a);
    for (int32_t i = 0; i < n; ++i) {
        const double x = u[i], h = 0.25; /* it is a square: no step is too large */
        u[i] = x + h;
        const double above = energy_of(o, u, up);
        u[i] = x - h;
        const double below = energy_of(o, u, up + n);
        u[i] = x;
        CHECK_NEAR((above - below) / (2.0 * h), g[i], 1e-12 * o->pool);
        for (int32_t k = 0; k < n; ++k)
            CHECK_NEAR((up[k] - up[n + k]) / (2.0 * h), a[i * n + k], 1e-12 * o->pool);
    }
    free(a);
    free(up);
}

int main(void)
{
    const shoal_fit_options options = {.model = "exp6",
                                       .hbond = SHOAL_HBOND_NONE,
                                       .fit_site_charges = true,
                                       .fit_increments = true,
                                       .n_threads = 1};
    shoal_dataset *data = make_data();
    shoal_fit *fit = NULL;
    fit_objective *o = NULL;
    CHECK(shoal_dataset_auto_sites(data, 0.0) == SHOAL_OK);
    CHECK(shoal_dataset_add_increments(data) == SHOAL_OK);
    CHECK(shoal_fit_create_memory(&fit, data, dofs_text, "dofs", &options) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    CHECK(objective_create(&o, fit, false) == SHOAL_OK);
    o->pool = 0.3;
    double *u = calloc((size_t)o->n, sizeof *u), *g = calloc((size_t)o->n, sizeof *g);
    check_families(fit);
    check_value(o, fit, u, g);
    check_slopes(o, u, g);
    free(u);
    free(g);
    objective_destroy(o);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
    return check_done();
}
