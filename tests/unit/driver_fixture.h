/* SPDX-License-Identifier: BSD-3-Clause
 * One test body for every schedule: cpu and OpenCL, small and large systems, float and double. A small
 * molecule runs as a large one in a long box that repeats in one direction: closer than 10 angstrom
 * the cut-off of periodic systems changes nothing. Public interface only. DRIVER_DOUBLE: in double on every device, and
 * not only where there is time for it. */
#ifndef SHOAL_TESTS_DRIVER_FIXTURE_H
#define SHOAL_TESTS_DRIVER_FIXTURE_H

#include "cpu_fixture.h"

typedef struct schedule {
    char name[48];
    const char *device;
    bool large;
    shoal_precision precision;
    shoal_ewald ewald;
} schedule;

enum { MOST_SCHEDULES = 8, N_METHODS = 2 };

#define DRIVER_BOX 400.0 /* angstrom: images are out of reach */

static inline bool is_float(const schedule *c)
{
    return c->precision == SHOAL_PRECISION_FLOAT;
}

static inline const char *method_name(shoal_method method)
{
    return method == SHOAL_METHOD_FIRE ? "fire" : "lbfgs";
}

#ifndef DRIVER_DOUBLE
#define DRIVER_DOUBLE check_thorough()
#endif

static inline int add_schedules(schedule *list, int n, const char *device)
{
    const bool both = strcmp(device, "cpu") == 0 || DRIVER_DOUBLE;
    for (int k = 0; k < 4; k += both ? 1 : 2) {
        schedule *c = &list[n++];
        c->device = device;
        c->ewald = SHOAL_EWALD_AUTO;
        c->large = k / 2 == 1;
        c->precision = k % 2 ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_FLOAT;
        (void)snprintf(c->name, sizeof c->name, "%s %s %s", device, c->large ? "large" : "small",
                       k % 2 ? "double" : "float");
    }
    return n;
}

/* Those of the cpu and of the device that SHOAL_TEST_DEVICE names (PoCL unless told otherwise). */
static inline int find_schedules(schedule list[MOST_SCHEDULES])
{
    const char *device = getenv("SHOAL_TEST_DEVICE");
    int n = add_schedules(list, 0, "cpu");
    if (!device) device = "opencl:cpu";
    if (strcmp(device, "cpu") == 0) return n;
    if (shoal_device_check(device) == SHOAL_OK) return add_schedules(list, n, device);
    (void)printf("%s left out: %s\n", device, shoal_error_text());
    CHECK(!getenv("CI")); /* there nothing is left out */
    return n;
}

/* Appends a molecule in the shape that the schedule wants, and destroys it. */
static inline set_system *driver_add(set *s, const schedule *c, shoal_molecule *mol,
                                     const char *name, double shake)
{
    static const double cell[3][3] = {{DRIVER_BOX, 0, 0}, {0, DRIVER_BOX, 0}, {0, 0, DRIVER_BOX}};
    static const bool pbc[3] = {true, false, false};
    if (c->large) CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    set_system *sys = set_add(s, mol, name, shake);
    CHECK(shoal_topology_status(sys->topology) == SHOAL_SYSTEM_OK);
    shoal_molecule_destroy(mol);
    return sys;
}

/* An alkane of n carbons, 3 n + 2 atoms; carbons are 0, 4, 7, 10, .. */
static inline set_system *driver_alkane(set *s, const schedule *c, int32_t n, double shake)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    set_alkane(mol, n, 0);
    return driver_add(s, c, mol, "alkane", shake);
}

/* Argon atoms at these places, which feel each other by vdw only. */
static inline set_system *driver_argon(set *s, const schedule *c, int32_t n, const double (*pos)[3])
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t i = 0; i < n; ++i) (void)set_atom(mol, 18, pos[i][0], pos[i][1], pos[i][2]);
    return driver_add(s, c, mol, "argon", 0);
}

/* The first molecules of a file below tests/. */
static inline void driver_read(set *s, const schedule *c, const char *file, int32_t most)
{
    char path[512];
    shoal_reader *reader = NULL;
    bool found = true;
    (void)snprintf(path, sizeof path, "%s/../%s", SHOAL_TEST_DATA, file);
    CHECK(shoal_reader_open(&reader, path, SHOAL_FORMAT_AUTO) == SHOAL_OK);
    for (int32_t k = 0; k < most && reader && found; ++k) {
        shoal_molecule *mol = NULL;
        CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
        CHECK(shoal_reader_next(reader, mol, &found) == SHOAL_OK);
        if (found)
            (void)driver_add(s, c, mol, shoal_molecule_name(mol), 0);
        else
            shoal_molecule_destroy(mol);
    }
    CHECK(found);
    shoal_reader_destroy(reader);
}

static inline void hold_atom(set_system *sys, int32_t i)
{
    if (!sys->fixed) sys->fixed = calloc((size_t)sys->n_atoms, sizeof *sys->fixed);
    sys->fixed[i] = true;
}

static inline void restrain(set_system *sys, shoal_restraint r)
{
    CHECK(sys->n_restraints < SET_RESTRAINTS);
    sys->restraints[sys->n_restraints++] = r;
}

/* All systems on a schedule, relaxed or not. */
static inline void drive(const set *s, const schedule *c, const shoal_relax_options *relax,
                         outcome *out)
{
    const run_options o = {.engine = {.device = c->device, .precision = c->precision},
                           .relax = relax};
    run_set(s, NULL, s->n, &o, out);
}

/* Every third system has a fixed atom, and every third a restraint. */
static inline void driver_hold(set_system *sys, int32_t k)
{
    if (k % 3 == 1) hold_atom(sys, 1);
    if (k % 3 == 2)
        restrain(sys,
                 (shoal_restraint){
                     .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 5}, .k = 3.0, .value = 2.0});
}

/* The systems as one batch; the engine is to be destroyed by the caller. */
static inline shoal_engine *driver_engine(const set *s, const schedule *c)
{
    const shoal_engine_options options = {
        .device = c->device, .precision = c->precision, .ewald = c->ewald};
    return set_engine(s, NULL, s->n, &options);
}

/* Numbers of dynamics, whose baths the caller has. */
static inline backend_md driver_md(int thermostat, const backend_bath *baths)
{
    return (backend_md){.dt = 0.5,
                        .friction = 0.02,
                        .tau = 15,
                        .most = 0.5,
                        .thermostat = thermostat,
                        .seed = 0xfedcba9876543210u,
                        .baths = baths};
}

/* How a device means to work on the set: on the schedule that the test is about, and no other. */
static inline void check_schedule(const set *s, const schedule *c)
{
    shoal_batch *batch = NULL;
    shoal_plan plan;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int32_t k = 0; k < s->n; ++k) {
        const shoal_system system = {.topology = s->systems[k].topology,
                                     .pos = (const double(*)[3])s->systems[k].pos,
                                     .cell = (const double(*)[3])s->systems[k].cell};
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    }
    const shoal_engine_options options = {.device = c->device, .precision = c->precision};
    CHECK(shoal_engine_plan(batch, &options, &plan) == SHOAL_OK);
    CHECK((c->large ? plan.n_large : plan.n_small) == s->n);
    shoal_batch_destroy(batch);
}

static inline double distance(const double (*pos)[3], int32_t i, int32_t j)
{
    double r2 = 0;
    for (int c = 0; c < 3; ++c) r2 += (pos[i][c] - pos[j][c]) * (pos[i][c] - pos[j][c]);
    return sqrt(r2);
}

/* Largest difference of two sets of vectors. */
static inline double largest_difference(const double (*a)[3], const double (*b)[3], int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) {
            const double d = fabs(a[i][c] - b[i][c]);
            if (!(d <= most)) most = d;
        }
    return most;
}

/* Degrees between the two neighbours of atom 0 that are closest to each other. */
static inline double smallest_angle(const double (*pos)[3], int32_t n_atoms)
{
    double most = -1;
    for (int32_t i = 1; i < n_atoms; ++i)
        for (int32_t k = 1; k < i; ++k) {
            double dot = 0;
            for (int c = 0; c < 3; ++c) dot += (pos[i][c] - pos[0][c]) * (pos[k][c] - pos[0][c]);
            most = fmax(most, dot / distance(pos, 0, i) / distance(pos, 0, k));
        }
    return acos(fmin(most, 1)) * 57.29577951308232;
}

/* Prints which schedule a failure belongs to. */
static inline int mark_failures(void)
{
    return check_failures;
}

static inline void tell_failures(int before, const schedule *c, const char *what)
{
    if (check_failures > before)
        (void)printf("  %d of these: %s: %s\n", check_failures - before, c->name, what);
}

/* A test of a schedule and a method, for all of them; failures are told with what they are about. */
typedef void driver_test(const schedule *c, shoal_method method);
static inline void driver_each(driver_test *test, const char *what)
{
    schedule list[MOST_SCHEDULES];
    const int n = find_schedules(list);
    for (int k = 0; k < n; ++k)
        for (int m = 0; m < N_METHODS; ++m) {
            const int before = mark_failures();
            test(&list[k], (shoal_method)m);
            tell_failures(before, &list[k], what ? what : method_name((shoal_method)m));
        }
}

#endif
