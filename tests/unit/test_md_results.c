/* SPDX-License-Identifier: BSD-3-Clause
 * What a run of dynamics says at its end: drifts, means and temperatures against the frames of the run. */
#include "constants.h"
#include "driver_fixture.h"
#include "engine/md.h"
#include "md_copies.h"
#include "shoal/md.h"

static const schedule plain = {
    .name = "cpu double", .device = "cpu", .large = false, .precision = SHOAL_PRECISION_DOUBLE};

enum { MOST_ENTRIES = 128 };

typedef struct diary {
    int32_t n;
    double time[MOST_ENTRIES], etot[MOST_ENTRIES], energy[MOST_ENTRIES], kelvin[MOST_ENTRIES];
} diary;

static shoal_status diary_take(void *user, const shoal_relax_frame *f)
{
    diary *d = user;
    if (d->n == MOST_ENTRIES) return SHOAL_OK;
    d->time[d->n] = f->time;
    d->etot[d->n] = f->energy + f->kinetic;
    d->energy[d->n] = f->energy;
    d->kelvin[d->n++] = f->temperature;
    return SHOAL_OK;
}

/* Slope per fs of a line through the entries from `first` on, and the root mean square about it. */
static double fit_line(const diary *d, int32_t first, double *rms)
{
    double t = 0, y = 0, tt = 0, ty = 0, rest = 0;
    const double n = d->n - first;
    for (int32_t k = first; k < d->n; ++k) {
        t += d->time[k] / n;
        y += d->etot[k] / n;
    }
    for (int32_t k = first; k < d->n; ++k) {
        tt += (d->time[k] - t) * (d->time[k] - t);
        ty += (d->time[k] - t) * (d->etot[k] - y);
    }
    for (int32_t k = first; k < d->n; ++k) {
        const double off = d->etot[k] - y - ty / tt * (d->time[k] - t);
        rest += off * off / n;
    }
    *rms = sqrt(rest);
    return ty / tt;
}

/* What a result says, from its frames: drift in eV/ns per degree of freedom, of all but the first fifth of a run, or of
 * all of one that has few samples; means and their errors of all. */
static void check_numbers(const set *s, int32_t stride, int32_t first, shoal_thermostat thermostat)
{
    static diary d;
    double rms, kelvin = 0, energy = 0;
    md_series t = {0}, u = {0};
    shoal_engine *engine = make_engine(s, 1);
    const shoal_md_options o = {.n_steps = 1000,
                                .thermostat = thermostat,
                                .seed = 4,
                                .stride = stride,
                                .frame = diary_take,
                                .frame_user = &d};
    d = (diary){0};
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
    const shoal_md_result *m = shoal_engine_md_result(engine, 0);
    CHECK(m && m->n_samples == d.n && d.n == 1000 / stride + 1);
    if (!m) return;
    for (int32_t k = 0; k < d.n; ++k) {
        md_series_add(&t, d.kelvin[k]);
        md_series_add(&u, d.energy[k]);
        kelvin += d.kelvin[k] / d.n;
        energy += d.energy[k] / d.n;
    }
    const double slope = fit_line(&d, first, &rms) * 1e6 / m->n_dof;
    CHECK_NEAR(m->drift / slope, 1, 1e-6);
    CHECK_NEAR(m->fluctuation / rms, 1, 1e-6);
    const bool chain = thermostat == SHOAL_THERMOSTAT_NOSE_HOOVER; /* has what the system lacks */
    CHECK(chain ? fabs(m->conserved_drift) < 0.02 * fabs(slope) : isnan(m->conserved_drift));
    CHECK_NEAR(m->temperature_mean, kelvin, 1e-9);
    CHECK_NEAR(m->temperature_err, md_series_error(&t), 1e-9);
    CHECK_NEAR(m->potential_mean, energy, 1e-9);
    CHECK_NEAR(m->potential_err, md_series_error(&u), 1e-9);
    CHECK_NEAR(m->etot0, d.etot[0], 0);
    CHECK_NEAR(m->etot, d.etot[d.n - 1], 0);
    /* Langevin tells temperatures by momenta half a step before, energies by those of whole steps. */
    const double last = 2 * (m->etot - d.energy[d.n - 1]) / (m->n_dof * 8.617333262e-5);
    const double off = fabs(d.kelvin[d.n - 1] - last);
    CHECK(thermostat == SHOAL_THERMOSTAT_LANGEVIN ? off > 1e-6 && off < 100 : off < 1e-6);
    shoal_result r;
    double terms0 = 0;
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    CHECK_NEAR(r.energy0, d.energy[0], 0);
    for (int k = 0; k < SHOAL_N_TERMS; ++k) terms0 += r.terms0[k];
    CHECK_NEAR(terms0, r.energy0, 1e-9);
    shoal_engine_destroy(engine);
}

static void test_results(void)
{
    static set s;
    s = (set){0};
    (void)driver_alkane(&s, &plain, 4, 0.02);
    static const shoal_thermostat all[] = {SHOAL_THERMOSTAT_NOSE_HOOVER, SHOAL_THERMOSTAT_NONE,
                                           SHOAL_THERMOSTAT_LANGEVIN};
    for (int k = 0; k < 3; ++k) {
        check_numbers(&s, 10, 20, all[k]);
        check_numbers(&s, 200, 0, all[k]);
    }
    set_free(&s);
}

typedef struct held {
    int32_t n;
    double worst; /* eV: kinetic energies of frames against their velocities */
    double bath;  /* K: that of frames against the ramp */
    double still; /* angstrom/fs: of the atom that is fixed */
} held;

static shoal_status held_take(void *user, const shoal_relax_frame *f)
{
    held *h = user;
    double sum = 0;
    for (int32_t a = 0; a < 11; ++a)
        for (int k = 0; k < 3; ++k)
            sum += 0.5 * f->masses[a] * f->velocities[a][k] * f->velocities[a][k] / 9.6485332123e-3;
    for (int k = 0; k < 3; ++k) h->still = fmax(h->still, fabs(f->velocities[4][k]));
    h->worst = fmax(h->worst, fabs(sum - f->kinetic));
    h->bath = fmax(h->bath, fabs(f->bath - (200 + 0.3 * f->steps)));
    ++h->n;
    return SHOAL_OK;
}

/* An atom that is fixed stands still, kinetic energies are those of the velocities, and the bath goes up along its ramp. */
static void test_held(void)
{
    static set s;
    static const double kelvin[2] = {200, 500};
    for (int k = 0; k < 2; ++k) {
        held h = {0};
        s = (set){0};
        hold_atom(driver_alkane(&s, &plain, 3, 0.02), 4);
        shoal_engine *engine = make_engine(&s, 1);
        const shoal_md_options o = {.n_steps = 1000,
                                    .thermostat = k ? SHOAL_THERMOSTAT_LANGEVIN
                                                    : SHOAL_THERMOSTAT_NOSE_HOOVER,
                                    .temperatures = kelvin,
                                    .n_temperatures = 2,
                                    .stride = 100,
                                    .frame = held_take,
                                    .frame_user = &h};
        CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
        const shoal_md_result *m = shoal_engine_md_result(engine, 0);
        CHECK(m && m->n_dof == 30 && m->temperature == 500);
        CHECK(h.n == 11 && h.still == 0 && h.worst < 1e-8 && h.bath < 1e-9);
        shoal_engine_destroy(engine);
        set_free(&s);
    }
}

typedef struct halfway {
    int32_t n;
    double worst; /* K */
} halfway;

/* What the frame says of temperature against velocities half a step before it. */
static shoal_status halfway_take(void *user, const shoal_relax_frame *f)
{
    halfway *h = user;
    double sum = 0;
    if (f->steps == 0) return SHOAL_OK;
    for (int32_t a = 0; a < 11; ++a)
        for (int k = 0; k < 3; ++k) {
            const double v = f->velocities[a][k] -
                             0.25 * 9.6485332e-3 * f->forces[a][k] / f->masses[a]; /* dt / 2 */
            sum += f->masses[a] * v * v / 9.6485332e-3;
        }
    h->worst = fmax(h->worst, fabs(f->temperature - sum / (33 * 8.617333262e-5)));
    ++h->n;
    return SHOAL_OK;
}

/* Langevin's steps sample momenta in the middle of a step: temperatures are told by those. */
static void test_halfway(void)
{
    static set s;
    halfway h = {0};
    s = (set){0};
    (void)driver_alkane(&s, &plain, 3, 0.02);
    shoal_engine *engine = make_engine(&s, 1);
    const shoal_md_options o = {.n_steps = 200,
                                .thermostat = SHOAL_THERMOSTAT_LANGEVIN,
                                .stride = 20,
                                .frame = halfway_take,
                                .frame_user = &h};
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
    CHECK(h.n == 10 && h.worst < 1e-3);
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* Energy is conserved, with the chain's, while the bath stays what it is: neither a ramp nor an exchange leaves it so. */
static void test_conserved(void)
{
    static set s;
    static const double kelvin[2] = {300, 320};
    s = (set){0};
    (void)driver_alkane(&s, &plain, 2, 0.02);
    const shoal_md_system own[2] = {{.temperatures = &kelvin[0], .n_temperatures = 1},
                                    {.temperatures = &kelvin[1], .n_temperatures = 1, .key = 1}};
    for (int k = 0; k < 3; ++k) { /* as it is, a ramp, an exchange */
        shoal_engine *engine = make_engine(&s, 2);
        const shoal_md_options o = {.n_steps = 100,
                                    .thermostat = SHOAL_THERMOSTAT_NOSE_HOOVER,
                                    .stride = 10,
                                    .temperatures = kelvin,
                                    .n_temperatures = k == 1 ? 2 : 1,
                                    .exchange_every = k == 2 ? 50 : 0,
                                    .n_copies = 2,
                                    .systems = k == 2 ? own : NULL};
        CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
        for (int32_t i = 0; i < 2; ++i) {
            const shoal_md_result *m = shoal_engine_md_result(engine, i);
            CHECK(m && isfinite(m->drift) && isfinite(m->conserved_drift) == (k == 0));
        }
        shoal_engine_destroy(engine);
    }
    set_free(&s);
}

int main(void)
{
    test_results();
    test_held();
    test_halfway();
    test_conserved();
    return check_done();
}
