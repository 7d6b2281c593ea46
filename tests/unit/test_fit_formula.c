/* SPDX-License-Identifier: BSD-3-Clause
 * Formulas: values against the same expression in C, slopes against differences, error texts. */
#include <stdlib.h>

#include "check.h"
#include "ff/formula.h"

enum { WIDTH = 48 }; /* pairs of a block */

/* Inputs of one pair, in the order of FORMULA_IN_, and constants behind them. */
typedef struct point {
    double in[FORMULA_N_INPUTS];
} point;

static const point typical = {{3.1, 3.4, 0.0046, -0.12, -0.3, 1.6, 1.8, 0.003, 0.007, 0.4, -0.3,
                               0.6, -0.5, /* to Hj */
                               [FORMULA_N_PAIR] = 1.6, 0.7, 2.5}};

static double *scratch_of(const formula *f)
{
    return calloc((size_t)formula_n_registers(f) * WIDTH + 1, sizeof(double));
}

/* Energy and slopes[n_inputs] at one point; slopes may be NULL. */
static double evaluate(const formula *f, double *scratch, const point *p, double *slopes)
{
    double energy = NAN;
    formula_block block = {.n = 1, .energy = &energy};
    for (int k = 0; k < FORMULA_N_PAIR; ++k) block.inputs[k] = &p->in[k];
    for (int k = 0; slopes && k < formula_n_inputs(f); ++k) block.slopes[k] = &slopes[k];
    formula_set(f, &p->in[FORMULA_N_PAIR], scratch, WIDTH);
    formula_eval(f, scratch, WIDTH, &block);
    return energy;
}

static double value_of(const char *text)
{
    formula *f = NULL;
    CHECK(formula_create(&f, text) == SHOAL_OK);
    if (!f) {
        (void)printf("%s: %s\n", text, shoal_error_text());
        return NAN;
    }
    double *scratch = scratch_of(f);
    const double value = evaluate(f, scratch, &typical, NULL);
    free(scratch);
    formula_destroy(f);
    return value;
}

static void check_values(void)
{
    CHECK_NEAR(value_of("1 + 2*3"), 7.0, 0.0);
    CHECK_NEAR(value_of("(1 + 2)*3"), 9.0, 0.0);
    CHECK_NEAR(value_of("2 - 3 - 4"), -5.0, 0.0);
    CHECK_NEAR(value_of("24/4/2"), 3.0, 0.0);
    CHECK_NEAR(value_of("-2^2"), -4.0, 0.0);
    CHECK_NEAR(value_of("2^-1"), 0.5, 0.0);
    CHECK_NEAR(value_of("2^3^2"), 512.0, 0.0);
    CHECK_NEAR(value_of("2**3"), 8.0, 0.0);
    CHECK(isinf(value_of("1e300*1e300*r"))); /* what overflows is not folded, for ever or at all */
    CHECK(isinf(value_of("-1e71^9* - E0")));
    CHECK_NEAR(value_of("1.5e-1 + .5"), 0.65, 1e-16);
    CHECK_NEAR(value_of("--3"), 3.0, 0.0);
    CHECK_NEAR(value_of("pow(r, 3)"), 3.1 * 3.1 * 3.1, 1e-13);
    CHECK_NEAR(value_of("r^-12"), pow(3.1, -12.0), 1e-20);
    CHECK_NEAR(value_of("r^2.5"), pow(3.1, 2.5), 1e-13);
    CHECK_NEAR(value_of("r^0"), 1.0, 0.0);
    CHECK_NEAR(value_of("min(r, R0) + max(r, R0)"), 6.5, 1e-15);
    CHECK_NEAR(value_of("abs(Q)"), 0.12, 0.0);
    CHECK_NEAR(value_of("erf(r)/r + tanh(1) + sinh(1) - cosh(1)"),
               erf(3.1) / 3.1 + tanh(1.0) + sinh(1.0) - cosh(1.0), 1e-15);
    CHECK_NEAR(value_of("sin(pi/6) + cos(0) + log(exp(2)) + sqrt(16)"), 7.5, 1e-14);
    CHECK_NEAR(value_of("kC"), 14.3996454784, 0.0);
    CHECK_NEAR(value_of("a + b_2"), 2.3, 1e-15);
}

/* Morse and Coulomb, written out by hand, with the compact slopes of the literature. */
static void check_morse(void)
{
    formula *f = NULL;
    CHECK(formula_create(&f, "E0*((1+H)*exp(-2*a*(r-R0)) - 2*exp(-a*(r-R0))) + kC*Q/r") ==
          SHOAL_OK);
    if (!f) return;
    const double *in = typical.in;
    const double r = in[0], R0 = in[1], E0 = in[2], Q = in[3], H = in[4], a = in[FORMULA_N_PAIR];
    const double e = exp(-a * (r - R0)), kC = 14.3996454784;
    double slopes[FORMULA_N_INPUTS] = {0};
    double *scratch = scratch_of(f);
    const double energy = evaluate(f, scratch, &typical, slopes);
    CHECK(formula_n_inputs(f) == FORMULA_N_PAIR + 1);
    CHECK_TEXT(formula_input_name(f, FORMULA_N_PAIR), "a");
    CHECK(formula_uses(f, FORMULA_IN_H) && !formula_uses(f, FORMULA_IN_HI));
    CHECK_NEAR(energy, E0 * ((1 + H) * e * e - 2 * e) + kC * Q / r, 1e-15);
    CHECK_NEAR(slopes[FORMULA_IN_R0], 2 * a * E0 * ((1 + H) * e * e - e), 1e-15);
    CHECK_NEAR(slopes[FORMULA_IN_E0], (1 + H) * e * e - 2 * e, 1e-13);
    CHECK_NEAR(slopes[FORMULA_IN_H], E0 * e * e, 1e-15);
    CHECK_NEAR(slopes[FORMULA_IN_Q], kC / r, 1e-13);
    CHECK_NEAR(slopes[FORMULA_N_PAIR], -2 * (r - R0) * E0 * ((1 + H) * e * e - e), 1e-15);
    CHECK(slopes[FORMULA_IN_RI] == 0.0);
    free(scratch);
    formula_destroy(f);
}

/* Symmetric difference, extrapolated once to the limit. */
static double difference(const formula *f, double *scratch, int k)
{
    double d[2];
    for (int pass = 0; pass < 2; ++pass) {
        const double h = (pass == 0 ? 2e-3 : 1e-3) * fmax(fabs(typical.in[k]), 1e-3);
        point up = typical, down = typical;
        up.in[k] += h;
        down.in[k] -= h;
        d[pass] = (evaluate(f, scratch, &up, NULL) - evaluate(f, scratch, &down, NULL)) /
                  (up.in[k] - down.in[k]);
    }
    return (4.0 * d[1] - d[0]) / 3.0;
}

static void check_slopes(const char *text)
{
    formula *f = NULL;
    CHECK(formula_create(&f, text) == SHOAL_OK);
    if (!f) return;
    double slopes[FORMULA_N_INPUTS];
    double *scratch = scratch_of(f);
    (void)evaluate(f, scratch, &typical, slopes);
    for (int k = 0; k < formula_n_inputs(f); ++k) {
        const double numeric = difference(f, scratch, k);
        const double tolerance = 1e-8 * fmax(fabs(numeric), 1e-3);
        if (!(fabs(slopes[k] - numeric) <= tolerance))
            (void)printf("%s by %s:\n", text, formula_input_name(f, k));
        CHECK_NEAR(slopes[k], numeric, tolerance);
    }
    free(scratch);
    formula_destroy(f);
}

static void check_all_slopes(void)
{
    static const char *const formulas[] = {
        "E0*((1+H)*(R0/r)^12 - 2*(R0/r)^6) + kC*Q/r",
        "E0*(6*exp(a*(1-r/R0)) - a*(R0/r)^6)/(a-6)",
        "sqrt(Ei*Ej)*((1+Hi*Hj)*exp(-2*a*(r-Ri-Rj)) - 2*exp(-a*(r-Ri-Rj))) + kC*Qi*Qj/r",
        "Q*erf(a*r)/r + H/cosh(r/b) + E0*tanh(r-R0)",
        "E0*r^a + R0^(r/3) + pow(Ri, Rj) + log(r*R0)*sin(b*r)*cos(r)",
        "max(r, R0)^2 + min(r, 2*R0)^3 + abs(Q)*r + sinh(b)*r^-3",
        "-(r-R0)/(-(1+r^2)) - (-(-E0))*r + a/(b*c)",
        "(1+r)^(-7) * (1-r)^64 * 1e-30"};
    for (size_t k = 0; k < sizeof formulas / sizeof formulas[0]; ++k) check_slopes(formulas[k]);
}

/* A block gives the bits of single pairs, whatever its length. */
static void check_blocks(void)
{
    formula *f = NULL;
    CHECK(formula_create(&f, "E0*exp(-a*(r-R0))*(1+H)/r + kC*Q/r") == SHOAL_OK);
    if (!f) return;
    double in[FORMULA_N_PAIR][WIDTH], energy[WIDTH], slope[WIDTH];
    double *scratch = scratch_of(f);
    formula_block block = {.n = WIDTH, .energy = energy};
    block.slopes[FORMULA_IN_R0] = slope;
    for (int k = 0; k < FORMULA_N_PAIR; ++k) {
        for (int i = 0; i < WIDTH; ++i) in[k][i] = typical.in[k] * (1.0 + 0.01 * i);
        block.inputs[k] = in[k];
    }
    formula_set(f, &typical.in[FORMULA_N_PAIR], scratch, WIDTH);
    formula_eval(f, scratch, WIDTH, &block);
    for (int i = 0; i < WIDTH; ++i) {
        point p = typical;
        double slopes[FORMULA_N_INPUTS];
        for (int k = 0; k < FORMULA_N_PAIR; ++k) p.in[k] = in[k][i];
        CHECK(evaluate(f, scratch, &p, slopes) == energy[i]);
        CHECK(slopes[FORMULA_IN_R0] == slope[i]);
    }
    free(scratch);
    formula_destroy(f);
}

static void check_error(const char *text, const char *piece)
{
    formula *f = NULL;
    CHECK(formula_create(&f, text) == SHOAL_E_ARGUMENT);
    CHECK(f == NULL);
    const bool found = strstr(shoal_error_text(), piece) != NULL;
    if (!found) (void)printf("%s: \"%s\" lacks \"%s\"\n", text, shoal_error_text(), piece);
    CHECK(found);
    formula_destroy(f);
}

static void check_errors(void)
{
    check_error("", "column 1: expected a number, a name or '(', found the end");
    check_error("1 +", "column 4: expected a number, a name or '('");
    check_error("E0*(r", "column 6: expected an operator or the ')' for column 4");
    check_error("E0*r)", "column 5: expected an operator or the end of the formula, found ')'");
    check_error("r R0", "column 3: expected an operator or the end");
    check_error("foo(r)", "column 1: expected an operator after a name, or one of exp log");
    check_error("exp r", "column 5: expected '(' after a function, found 'r'");
    check_error("min(r)", "column 6: expected ',' and a second argument");
    check_error("exp(r, 2)", "column 6: expected an operator or the ')' for column 4");
    check_error("1.2.3", "column 1: expected a number such as 2");
    check_error("2x", "column 1: expected a number such as 2");
    check_error("r $ 2", "column 3: expected an operator or the end of the formula, found '$'");
    check_error("a_name_that_is_longer_than_31_characters", "at most 31 characters");
    check_error("a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q", "at most 16 constants");
    char deep[300];
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    check_error(deep, "nested less deeply");
    memset(deep, '-', sizeof deep - 1);
    check_error(deep, "nested less deeply");
}

static void check_print(const char *text, int32_t input, const char *want)
{
    formula *f = NULL;
    shoal_string out = {0};
    CHECK(formula_create(&f, text) == SHOAL_OK);
    if (f) CHECK(formula_print(f, input, &out) == SHOAL_OK);
    CHECK_TEXT(out.data ? out.data : "", want);
    shoal_string_free(&out);
    formula_destroy(f);
}

/* What is simplified away, and the derivatives in readable form. */
static void check_texts(void)
{
    check_print("0*r + 1*R0 - 0", -1, "R0");
    check_print("2*(3*r)", -1, "6*r");
    check_print("r^2", FORMULA_IN_R, "2*r");
    check_print("r^3", FORMULA_IN_R, "3*r^2");
    check_print("exp(-2*r)", FORMULA_IN_R, "-2*exp(-2*r)");
    check_print("r - r + E0", FORMULA_IN_R, "0");
    check_print("R0/r", FORMULA_IN_R0, "1/r");
    check_print("a - (b - c)", -1, "a - (b - c)");
    check_print("log(r)", FORMULA_IN_R, "1/r");
}

static void check_emission(void)
{
    formula *f = NULL;
    shoal_string out = {0};
    CHECK(formula_create(&f, "2*E0*exp(-a*r)") == SHOAL_OK);
    if (f) CHECK(formula_emit(f, &out) == SHOAL_OK);
    CHECK(out.data && strncmp(out.data, "#define FIT_FORMULA \\\n", 22) == 0);
    CHECK(out.data && strstr(out.data, "named_0") && strstr(out.data, "R(2.0)"));
    CHECK(out.data && strstr(out.data, "const real energy = ") && strstr(out.data, "slope_E0"));
    shoal_string_free(&out);
    formula_destroy(f);
}

int main(void)
{
    check_values();
    check_morse();
    check_all_slopes();
    check_blocks();
    check_errors();
    check_texts();
    check_emission();
    return check_done();
}
