/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxations on an OpenCL device (PoCL, or the one that SHOAL_TEST_DEVICE names): both methods
 * converge, atoms almost on top of each other do not make the squares of their forces overflow, and
 * plans tell the memory. */
#include "cpu_fixture.h"

static set_system *add_argon(set *s, double distance)
{
    shoal_molecule *mol;
    const double pos[2][3] = {{0, 0, 0}, {distance, 0, 0}};
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int k = 0; k < 2; ++k) CHECK(shoal_molecule_add_atom(mol, 18, pos[k]) == SHOAL_OK);
    set_system *sys = set_add(s, mol, "argon", 0);
    shoal_molecule_destroy(mol);
    return sys;
}

static void test_method(const set *s, const char *device, shoal_method method)
{
    static outcome out[SET_SYSTEMS];
    const shoal_relax_options relax = {.method = method, .max_steps = 3000};
    const run_options o = {.engine = {.device = device}, .relax = &relax, .n_times = 1};
    run_set(s, NULL, s->n, &o, out);
    for (int32_t i = 0; i < s->n; ++i) {
        CHECK(out[i].r.status == SHOAL_SYSTEM_CONVERGED);
        CHECK(out[i].r.fmax <= 0.0101);
        CHECK(out[i].r.energy < out[i].r.energy0);
    }
    outcomes_free(out, s->n);
}

/* The plan of more systems takes more memory, and never more than there is. */
static void test_plan(const set *s, const char *device)
{
    const shoal_engine_options options = {.device = device};
    shoal_plan plan[2];
    for (int k = 0; k < 2; ++k) {
        shoal_batch *batch;
        CHECK(shoal_batch_create(&batch) == SHOAL_OK);
        for (int32_t i = 0; i < (k ? 1000 : 1) * s->n; ++i) {
            const set_system *own = &s->systems[i % s->n];
            const shoal_system system = {.topology = own->topology,
                                         .pos = (const double(*)[3])own->pos};
            CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
        }
        CHECK(shoal_engine_plan(batch, &options, &plan[k]) == SHOAL_OK);
        CHECK(plan[k].n_small == shoal_batch_size(batch) && plan[k].n_slices == 1);
        CHECK(plan[k].device_bytes > 0 && plan[k].device_bytes <= plan[k].device_memory);
        shoal_batch_destroy(batch);
    }
    CHECK(plan[1].n_topologies == plan[0].n_topologies);
    CHECK(plan[1].device_bytes > 100 * plan[0].device_bytes);
}

int main(void)
{
    static set s;
    const char *device = getenv("SHOAL_TEST_DEVICE");
    if (!device) device = "opencl:cpu";
    if (shoal_device_check(device) != SHOAL_OK) {
        (void)printf("skipped: %s\n", shoal_error_text());
        return getenv("CI") ? 1 : 77; /* there nothing is left out */
    }
    (void)add_argon(&s, 0.05); /* the force is 1e23 eV/A, its square no float */
    (void)add_argon(&s, 3.0);
    (void)set_add_size(&s, 12, true);
    test_method(&s, device, SHOAL_METHOD_LBFGS);
    test_method(&s, device, SHOAL_METHOD_FIRE);
    test_plan(&s, device);
    set_free(&s);
    return check_done();
}
