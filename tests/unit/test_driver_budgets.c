/* SPDX-License-Identifier: BSD-3-Clause
 * How many evaluations molecules of examples/demo.sdf need to come down to 0.01 eV/angstrom, on every
 * schedule: a history or a preconditioner that is wrong still gets there, later. */
#include "driver_fixture.h"

enum { N_MOLECULES = 10 };

/* What was needed when this was written, the most of float and double. L-BFGS differs a little from
 * schedule to schedule, because so does the order of its sums. */
typedef struct budget {
    const char *name;
    int32_t lbfgs_cpu, lbfgs_small, lbfgs_large; /* the last two on OpenCL */
    int32_t fire;
} budget;

static const budget budgets[N_MOLECULES] = {
    {"water", 5, 5, 5, 35},
    {"ethanol", 22, 26, 21, 68},
    {"benzene", 3, 3, 3, 29},
    {"trimethyl phosphate", 26, 26, 34, 97},
    {"sulfanilamide", 18, 18, 21, 91},
    {"aspirin", 131, 83, 90, 341},
    {"alanine dipeptide", 128, 106, 118, 264},
    {"xylitol", 49, 53, 51, 112},
    {"caffeine", 11, 11, 12, 83},
    {"adamantane", 7, 7, 7, 41},
};

static int32_t usual_count(const budget *b, const schedule *c, shoal_method method)
{
    if (method == SHOAL_METHOD_FIRE) return b->fire;
    if (strcmp(c->device, "cpu") == 0) return b->lbfgs_cpu;
    return c->large ? b->lbfgs_large : b->lbfgs_small;
}

static void test_budgets(const schedule *c, shoal_method method)
{
    static set s;
    static outcome out[N_MOLECULES];
    const shoal_relax_options relax = {.method = method, .fmax = 0.01, .max_steps = 2000};
    driver_read(&s, c, "../examples/demo.sdf", N_MOLECULES);
    drive(&s, c, &relax, out);
    (void)printf("%s, %s:", c->name, method_name(method));
    for (int32_t k = 0; k < s.n; ++k) {
        const int32_t usual = usual_count(&budgets[k], c, method);
        (void)printf(" %d", out[k].r.steps);
        CHECK_TEXT(s.systems[k].name, budgets[k].name);
        CHECK(out[k].r.status == SHOAL_SYSTEM_CONVERGED);
        if (!(out[k].r.steps <= 1.25 * usual))
            (void)printf("\n%s: %d evaluations, usual are %d\n", s.systems[k].name, out[k].r.steps,
                         usual);
        CHECK(out[k].r.steps <= 1.25 * usual);
    }
    (void)printf("\n");
    outcomes_free(out, s.n);
    set_free(&s);
}

int main(void)
{
    driver_each(test_budgets, NULL);
    return check_done();
}
