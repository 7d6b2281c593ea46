/* SPDX-License-Identifier: BSD-3-Clause
 * Formulas as models of a fit: their trial on data, their constants, and what is refused. */
#include <stdlib.h>

#include "check.h"
#include "fit/formula_model.h"

static const char types_text[] = "O_3 O O E_O3 2 2 0 0 0.66 1.75 0.0026 -0.4 -0.5 0 0 0 0 0\n"
                                 "H_O H H E_HO 1 0 0 0 0.35 1.40 0.0007  0.2  0.6 0 0 0 0 0\n"
                                 "C_3 C C *    4 0 0 0 0.75 1.90 0.0045  0.0  0.0 0 0 0 0 0\n";
static const char frames_text[] = "4\n"
                                  "# n0 2 Etot -0.2 x0 1.9 near\n"
                                  "O_3 0 0 0 -0.4\n"
                                  "H_O 0.96 0 0 0.4\n"
                                  "O_3 2.9 0 0 -0.4\n"
                                  "C_3 3.4 1.3 0 0.4\n"
                                  "4\n"
                                  "# n0 2 Etot -0.1 x0 3.0 far\n"
                                  "O_3 0 0 0 -0.4\n"
                                  "H_O 0.96 0 0 0.4\n"
                                  "O_3 4.0 0 0 -0.4\n"
                                  "C_3 4.5 1.3 0 0.4\n";

enum { N_TYPES = 3, N_SLOTS = FIT_N_COMPS * N_TYPES + FIT_MAX_GLOBALS };

typedef struct fixture {
    shoal_atom_types *types;
    shoal_dataset *data;
    fit_problem problem;
    bool type_charge[N_TYPES];
    double p[N_SLOTS];
} fixture;

static void open_data(fixture *x)
{
    *x = (fixture){0};
    CHECK(shoal_atom_types_read_memory(&x->types, types_text, sizeof types_text - 1, "types") ==
          SHOAL_OK);
    CHECK(shoal_dataset_create(&x->data, x->types) == SHOAL_OK);
    CHECK(shoal_dataset_add_memory(x->data, frames_text, sizeof frames_text - 1, "frames", 1.0) ==
          SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    for (int32_t k = 0; k < N_TYPES; ++k) {
        const shoal_atom_type *type = shoal_atom_types_get(x->types, k);
        double *slots = x->p + (ptrdiff_t)FIT_N_COMPS * k;
        slots[FIT_R] = type->r;
        slots[FIT_Y] = sqrt(type->e);
        slots[FIT_Q] = type->q;
        slots[FIT_H] = type->h;
    }
    double *globals = x->p + (ptrdiff_t)FIT_N_COMPS * N_TYPES;
    for (int k = 0; k < FIT_MAX_GLOBALS; ++k) globals[k] = 1.3;
    globals[FIT_ALPHA] = 1.6;
    globals[FIT_LAMBDA] = 1.0;
    x->problem = (fit_problem){.data = x->data,
                               .n_types = N_TYPES,
                               .n_globals = FIT_MAX_GLOBALS,
                               .n_slots = N_SLOTS,
                               .type_charge = x->type_charge};
}

static void close_data(fixture *x)
{
    shoal_dataset_destroy(x->data);
    shoal_atom_types_destroy(x->types);
}

/* The text of the trial, "" if the formula passes. */
static const char *trial(fixture *x, const char *text)
{
    double alpha = 1.6;
    if (fit_formula_create(&x->problem.model, text, NULL, NULL, &alpha) != SHOAL_OK)
        return shoal_error_text();
    const shoal_status status = fit_formula_check(&x->problem, x->p, false);
    x->problem.model.destroy(&x->problem.model);
    return status == SHOAL_OK ? "" : shoal_error_text();
}

static void check_refusal(fixture *x, const char *text, const char *piece)
{
    const char *found = trial(x, text);
    if (!strstr(found, piece)) (void)printf("%s: \"%s\" lacks \"%s\"\n", text, found, piece);
    CHECK(strstr(found, piece) != NULL);
}

static void check_accepted(fixture *x)
{
    CHECK_TEXT(trial(x, "E0*((1+H)*exp(-2*a*(r-R0)) - 2*exp(-a*(r-R0))) + kC*Q/r"), "");
    CHECK_TEXT(trial(x, "E0*((R0/r)^12 - 2*(R0/r)^6) + kC*Q*erf(r/b)/r"), "");
    CHECK_TEXT(trial(x, "sqrt(Ei*Ej)*(((Ri+Rj)/r)^12 - 2*((Ri+Rj)/r)^6) + kC*Qi*Qj/r"), "");
    /* Branches that meet with the same slope, and a denominator whose zero is none of the value. */
    CHECK_TEXT(trial(x, "E0*max(0, R0-r)^2 + kC*Q/r"), "");
    CHECK_TEXT(trial(x, "E0*max(r-2.2, 0)^3"), "");
    CHECK_TEXT(trial(x, "E0*sin(r-2.5)/(r-2.5)"), "");
}

static void check_refused(fixture *x)
{
    check_refusal(x, "E0*log(r-2.0)", "not finite for sample 1 (near), atoms 2 H_O and 3 O_3 at");
    check_refusal(x, "E0*sqrt(2.9-r)", "not finite for sample 1");
    check_refusal(x, "E0/(r-1.94)", "not finite for sample 1");
    check_refusal(x, "E0*abs(r-3.2)", "its slope jumps (abs, min or max) between sample 1 (near)");
    check_refusal(x, "E0*max(0, R0-r) + kC*Q/r", "its slope jumps");
    check_refusal(x, "E0/(r-2.5)", "a denominator passes zero between sample 1 (near)");
    check_refusal(x, "E0*(r-2.5)^-2", "a denominator passes zero between sample 1 (near)");
    check_refusal(x, "E0*abs(r-1.94000003)", "not smooth");
    check_refusal(x, "Ri*Ej*exp(-r)", "if the two atoms change places, as for sample 1 (near)");
    check_refusal(x, "E0 + R0", "does not depend on the distance r");
    check_refusal(x, "a*r + alpha", "both a and alpha");
}

static void check_constants(void)
{
    fit_model model;
    double alpha = 1.6;
    CHECK(fit_formula_create(&model, "E0*exp(-a*r)*b + c", "b=0.5 a=1.9", NULL, &alpha) ==
          SHOAL_OK);
    CHECK(alpha == 1.9 && model.n_constants == 2 && model.own_coulomb && !model.uses_own);
    CHECK_TEXT(model.constants[0], "b");
    CHECK_TEXT(model.constants[1], "c");
    CHECK(model.constant_values[0] == 0.5 && isnan(model.constant_values[1]));
    CHECK(model.globals_used == (1u << FIT_ALPHA | 3u << FIT_N_FIXED_GLOBALS));
    model.destroy(&model);
    CHECK(fit_formula_create(&model, "r*b", "b=x", NULL, &alpha) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), "constant 'b=x': expected NAME=NUMBER");
    CHECK(fit_formula_create(&model, "r*b", "d=1", NULL, &alpha) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), "constant 'd=1': the formula does not use that name");
}

/* As a model, a formula gives what the built-in one gives. */
static void check_against_builtin(void)
{
    static pair_batch a, b;
    fit_model builtin, own;
    double alpha = 1.6, globals[FIT_MAX_GLOBALS] = {1.7, 1.0};
    CHECK(fit_model_builtin("morse", SHOAL_HBOND_REPULSION, &builtin, &alpha));
    CHECK(fit_formula_create(&own, "E0*((1+H)*exp(-2*a*(r-R0)) - 2*exp(-a*(r-R0)))", NULL, NULL,
                             &alpha) == SHOAL_OK);
    a.n = FIT_BATCH - 3;
    a.scale_a = a.scale_b = 1.0;
    for (int k = 0; k < a.n; ++k) {
        a.r[k] = 2.0 + 0.03 * k;
        a.r0[k] = 3.0 + 0.01 * k;
        a.e0[k] = 0.003 + 1e-5 * k;
        a.h[k] = k % 3 == 0 ? -0.01 * k / 2 : 0.0;
    }
    b = a;
    builtin.eval(&builtin, globals, true, &a);
    own.eval(&own, globals, true, &b);
    for (int k = 0; k < a.n; ++k) {
        const double tolerance = 1e-12 * (1.0 + fabs(a.by_e0[k]));
        CHECK_NEAR(b.e[k], a.e[k], tolerance);
        CHECK_NEAR(b.by_r[k], a.by_r[k], tolerance);
        CHECK_NEAR(b.by_r0[k], a.by_r0[k], tolerance);
        CHECK_NEAR(b.by_e0[k], a.by_e0[k], tolerance);
        CHECK_NEAR(b.by_h[k], a.by_h[k], tolerance);
        CHECK_NEAR(b.by_global[FIT_ALPHA][k], a.by_global[FIT_ALPHA][k], tolerance);
        CHECK(b.by_q[k] == 0.0);
    }
    own.destroy(&own);
}

int main(void)
{
    fixture x;
    open_data(&x);
    check_accepted(&x);
    check_refused(&x);
    close_data(&x);
    check_constants();
    check_against_builtin();
    return check_done();
}
