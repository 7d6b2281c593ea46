/* SPDX-License-Identifier: BSD-3-Clause
 * Pair models on surfaces: kinds of substrate atoms, weights, reach, and what cannot be honoured. */
#include "surf/surface_model.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "surf/surface.h"

#define PROBE_RADIUS 2.5 /* angstrom, of the largest atoms of molecules */
#define NEIGHBOUR 4.0    /* angstrom: sums over atoms differ from integrals on this scale */
#define BENT 0.34        /* angstrom: from here on 1/r is not bent */

/* By form; k0 and k1 in units of alpha. */
static const surface_pairs forms[] = {
    [SHOAL_FORM_LJ] = {.family = FORM_POWER_12, .power = 12, .c_a = 2.0, .c_b = 1.0},
    [SHOAL_FORM_LJ8] = {.family = FORM_POWER_8, .power = 8, .c_a = 4.0, .c_b = 3.0},
    [SHOAL_FORM_LJ9] = {.family = FORM_POWER_9, .power = 9, .c_a = 3.0, .c_b = 2.0},
    [SHOAL_FORM_MORSE] = {.family = FORM_MORSE, .c_a = 2.0, .c_b = 1.0, .k0 = 1.0},
    [SHOAL_FORM_BUCK] = {.family = FORM_BUCK, .c_a = 2.0, .c_b = 1.0, .k0 = 2.0},
    [SHOAL_FORM_MORSE6] = {.family = FORM_MORSE, .c_a = 2.0, .c_b = 1.0, .k1 = 1.0},
    [SHOAL_FORM_BUCK6] = {.family = FORM_BUCK, .c_a = 2.0, .c_b = 1.0, .k1 = 2.0},
    [SHOAL_FORM_EXP6] = {.family = FORM_BUCK, .c_a = 1.0, .c_b = 6.0, .k1 = 1.0},
};

shoal_status surface_pairs_make(surface_pairs *out, const shoal_pair_settings *s)
{
    if (s->form == SHOAL_FORM_FORMULA)
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "surface: the pair model is a formula, of which nobody knows what it leaves "
            "far away: it cannot be summed over a substrate without end");
    *out = forms[s->form];
    out->settings = (shoal_pair_settings){.form = s->form,
                                          .alpha = s->alpha,
                                          .hbond = s->hbond,
                                          .coulomb = s->coulomb,
                                          .coulomb_damping = s->coulomb_damping,
                                          .lambda = s->lambda,
                                          .radius_charge = s->radius_charge,
                                          .dispersion_damping = s->dispersion_damping};
    out->k0 *= s->alpha;
    out->k1 *= s->alpha;
    if (s->form == SHOAL_FORM_EXP6) {
        out->c_a = s->alpha / (s->alpha - 6.0);
        out->c_b /= s->alpha - 6.0;
    }
    out->h_a = s->hbond == SHOAL_HBOND_ATTRACTION || s->hbond == SHOAL_HBOND_BOTH;
    out->h_b = s->hbond == SHOAL_HBOND_REPULSION || s->hbond == SHOAL_HBOND_BOTH;
    return SHOAL_OK;
}

int surface_channel_repulsion(int32_t kind)
{
    return kind == 0 ? SHOAL_CHANNEL_P : SHOAL_CHANNEL_KINDS + 2 * (kind - 1);
}

int surface_channel_attraction(int32_t kind)
{
    return surface_channel_repulsion(kind) + 1;
}

static bool is_attraction(int channel)
{
    return channel == SHOAL_CHANNEL_L ||
           (channel >= SHOAL_CHANNEL_KINDS && (channel - SHOAL_CHANNEL_KINDS) % 2 == 1);
}

int surface_pairs_power(const surface_pairs *p, int channel)
{
    if (is_attraction(channel)) return p->family == FORM_MORSE ? 0 : 6;
    return p->power;
}

double surface_pairs_exponent(const surface_pairs *p, int channel)
{
    if (surface_pairs_power(p, channel) > 0 || p->k1 != 0.0) return 0.0;
    return p->family == FORM_MORSE && !is_attraction(channel) ? 2.0 * p->k0 : p->k0;
}

int surface_channel_power(const shoal_surface *s, int channel)
{
    if (s->pairs) return surface_pairs_power(s->pairs, channel);
    if (s->view.form != SHOAL_SURFACE_LJ) return 0;
    return channel == SHOAL_CHANNEL_L ? 6 : 12;
}

double surface_channel_exponent(const shoal_surface *s, int channel)
{
    if (s->pairs) return surface_pairs_exponent(s->pairs, channel);
    return (channel == SHOAL_CHANNEL_L ? 1 : 2) * s->view.alpha;
}

/* Whether a channel is the same function of r for all atoms of molecules. */
static bool is_separable(const surface_pairs *p, int channel)
{
    return surface_pairs_power(p, channel) > 0 || surface_pairs_exponent(p, channel) > 0.0;
}

/* The kind with these numbers, a new one if there is none; -1 if there are too many. */
static int32_t find_kind(shoal_surface *s, const double numbers[PAIR_NUMBERS])
{
    for (int32_t k = 0; k < s->n_kinds; ++k) {
        const double *have = s->kind_numbers[k];
        if (have[PAIR_RADIUS] == numbers[PAIR_RADIUS] &&
            have[PAIR_ROOT_D] == numbers[PAIR_ROOT_D] && have[PAIR_H] == numbers[PAIR_H])
            return k;
    }
    if (s->n_kinds == SHOAL_N_KINDS) return -1;
    memcpy(s->kind_numbers[s->n_kinds], numbers, sizeof s->kind_numbers[0]);
    return s->n_kinds++;
}

static void weigh(shoal_surface *s, int32_t i)
{
    double *w = s->weight[i];
    memset(w, 0, sizeof s->weight[i]);
    if (s->kinds && s->numbers[i][PAIR_ROOT_D] > 0.0) {
        const int channel[2] = {surface_channel_repulsion(s->kinds[i]),
                                surface_channel_attraction(s->kinds[i])};
        for (int k = 0; k < 2; ++k) w[channel[k]] = is_separable(s->pairs, channel[k]);
    }
    w[SHOAL_CHANNEL_Q] = s->numbers[i][PAIR_CHARGE];
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) s->view.has_channel[c] |= w[c] != 0.0;
}

shoal_status surface_find_kinds(shoal_surface *s)
{
    const shoal_surface_view *v = &s->view;
    const size_t n = (size_t)v->n_atoms;
    s->numbers = arena_alloc(&s->memory, n, sizeof *s->numbers);
    s->kinds = arena_alloc(&s->memory, n, sizeof *s->kinds);
    if (!s->numbers || !s->kinds) return SHOAL_E_MEMORY;
    bool many = false;
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        double *to = s->numbers[i];
        to[PAIR_RADIUS] = v->radius[i];
        to[PAIR_ROOT_D] = sqrt(v->depth[i]);
        to[PAIR_CHARGE] = s->pairs->settings.coulomb == SHOAL_COULOMB_NONE
                              ? 0.0
                              : COULOMB_CONSTANT * v->charges[i];
        to[PAIR_H] = v->hbond[i];
        s->kinds[i] = find_kind(s, to);
        many |= s->kinds[i] < 0;
    }
    if (many && s->pairs->family != FORM_MORSE)
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "surface: its atoms have more than %d different radii, depths and h by the "
            "pair model, whose powers of r are summed for each of them",
            SHOAL_N_KINDS);
    if (many) s->kinds = NULL;
    for (int32_t i = 0; i < v->n_atoms; ++i) weigh(s, i);
    return SHOAL_OK;
}

void surface_pairs_weigh(const shoal_surface *s, const shoal_probe *probe,
                         double weights[SHOAL_N_CHANNELS])
{
    const surface_pairs *p = s->pairs;
    for (int32_t k = 0; k < s->n_kinds && s->kinds; ++k) {
        const double *kind = s->kind_numbers[k];
        const double r0 = probe->radius + kind[PAIR_RADIUS];
        const double e0 = sqrt(probe->depth) * kind[PAIR_ROOT_D];
        const double h = fmin(0.0, probe->hbond * kind[PAIR_H]);
        const double c[2] = {p->c_b * (1.0 + p->h_b * h), -p->c_a * (1.0 - p->h_a * h)};
        for (int part = 0; part < 2; ++part) {
            const int channel = surface_channel_repulsion(k) + part;
            const int power = surface_pairs_power(p, channel);
            const double exponent = surface_pairs_exponent(p, channel);
            if (is_separable(p, channel) && e0 > 0.0)
                weights[channel] = e0 * c[part] * (power > 0 ? pow(r0, power) : exp(exponent * r0));
        }
    }
    weights[SHOAL_CHANNEL_Q] = probe->charge;
}

/* Of one substrate atom and a probe beyond r, by an integral over the plane: what has the exponent k and the value
 * `value` at r. */
static double tail(double value, double k, double r, double area)
{
    return 2.0 * PI / area * (r + 1.0 / k) / k * value;
}

/* What all exponentials leave beyond r, in units of the root of the probe's D. */
static double left_over(const shoal_surface *s, double r)
{
    const surface_pairs *p = s->pairs;
    const double beta = p->settings.dispersion_damping;
    double sum = 0.0;
    for (int32_t i = 0; i < s->view.n_atoms; ++i) {
        const double r0 = PROBE_RADIUS + s->numbers[i][PAIR_RADIUS], d = s->numbers[i][PAIR_ROOT_D];
        const double k = p->k0 + p->k1 / r0, c = p->family == FORM_MORSE ? p->c_a : p->c_b;
        if (k > 0.0) sum += d * tail(c * exp(-k * (r - r0)), k, r, s->view.area);
        if (beta > 0.0) { /* the last term of Tang and Toennies, and as much again for the others */
            const double x = beta * r, most = 2.0 * pow(r0 * beta, 6) / 720.0;
            sum += d * p->c_a * tail(most * exp(-x) * (1.0 + 6.0 / x), beta, r, s->view.area);
        }
    }
    return sum;
}

double surface_pairs_reach(const shoal_surface *s, double tolerance)
{
    const shoal_pair_settings *p = &s->pairs->settings;
    double least = INFINITY, r = 1.0;
    for (int32_t i = 0; i < s->view.n_atoms; ++i)
        if (s->numbers[i][PAIR_ROOT_D] > 0.0) least = fmin(least, s->numbers[i][PAIR_ROOT_D]);
    while (r < SURFACE_MOST_REACH && isfinite(least) && left_over(s, r) > 2.0 * tolerance * least)
        r += 0.25;
    if (s->view.has_channel[SHOAL_CHANNEL_Q]) {
        if (p->coulomb == SHOAL_COULOMB_CLAMP || p->coulomb == SHOAL_COULOMB_SMOOTH)
            r = fmax(r, BENT);
        if (p->coulomb == SHOAL_COULOMB_ERF)
            r = fmax(r, p->coulomb_damping * sqrt(-log(tolerance)));
    }
    return r + NEIGHBOUR;
}

const char *surface_pairs_no_grid(const shoal_surface *s)
{
    if (!s->pairs) return NULL;
    const shoal_pair_settings *p = &s->pairs->settings;
    if (s->pairs->k1 != 0.0)
        return "the exponent of its form hangs on the pair of atoms, and a grid serves all of them";
    if (!s->kinds) return "the substrate has too many kinds of atoms";
    if (p->radius_charge != 0.0)
        return "its radii hang on charges, so that every atom would need a grid of its own";
    if (p->dispersion_damping > 0.0) return "grids do not know damped dispersion";
    if (p->coulomb == SHOAL_COULOMB_CLAMP || p->coulomb == SHOAL_COULOMB_SMOOTH ||
        p->coulomb == SHOAL_COULOMB_ERF)
        return "grids know charges with 1/r and 1/sqrt(r^2 + d^2) alone";
    return NULL;
}

/* LJ and Coulomb as a plain table of types has them. */
static bool is_table(const shoal_pair_settings *p)
{
    return p->form == SHOAL_FORM_LJ && p->hbond == SHOAL_HBOND_REPULSION &&
           p->coulomb == SHOAL_COULOMB_PLAIN && p->lambda == 1.0 && p->radius_charge == 0.0 &&
           p->dispersion_damping == 0.0 && p->n_sites == 0;
}

static bool is_same(const shoal_pair_settings *a, const shoal_pair_settings *b)
{
    return a->form == b->form && a->alpha == b->alpha && a->hbond == b->hbond &&
           a->coulomb == b->coulomb && a->coulomb_damping == b->coulomb_damping &&
           a->lambda == b->lambda && a->radius_charge == b->radius_charge &&
           a->dispersion_damping == b->dispersion_damping;
}

const char *surface_pairs_misfit(const shoal_surface *s, const shoal_topology_view *view)
{
    const shoal_pair_settings *of_system = shoal_pair_model_settings(view->model);
    /* A force field's own model is about its atoms alone; on a substrate they are what any are. */
    const bool own = of_system && !shoal_pair_model_types(view->model);
    if (!s->pairs)
        return !of_system || own || is_table(of_system)
                   ? NULL
                   : "the system has a pair model and the surface has none";
    const shoal_pair_settings *p = &s->pairs->settings;
    if (of_system)
        return is_same(p, of_system) ? NULL : "the system has another pair model than the surface";
    /* Of plain LJ topologies do not keep the model. */
    return p->form == SHOAL_FORM_LJ && p->coulomb == SHOAL_COULOMB_PLAIN &&
                   p->dispersion_damping == 0.0
               ? NULL
               : "the surface has a pair model and the system has none";
}
