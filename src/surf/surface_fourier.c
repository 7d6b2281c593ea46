/* SPDX-License-Identifier: BSD-3-Clause
 * The k-vectors of the direct sum: smooth functions of the height, kept as polynomials on panels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "surf/surface_power.h"
#include "surf/surface_sum.h"

#include "constants.h"

#define ABOVE                                                                                      \
    60.0 /* angstrom above the top: there k-vectors go on by exp(-G z), G = 0 is constant */
#define BELOW 1.0     /* angstrom below the bottom, where no molecule comes */
#define PANEL_ETA 0.7 /* width of a panel times eta */
#define MAX_KVECS 2e6
#define MOST_DECAYS ((size_t)1 << 28) /* bytes of factors that are kept */
enum { NODES = SURFACE_MAX_DEGREE + 1 };

/* Atoms of one height, and of one k-vector and channel what they add up to. */
typedef struct layer {
    double z, cosine, sine;
} layer;

typedef struct builder {
    surface_sum *sum;
    const shoal_surface *surface;
    double tolerance, area;
    power_rule rule;
    int32_t n_layers, *layer_of; /* [n_atoms] */
    layer *layers;
    double scale[SHOAL_N_CHANNELS]; /* what is small against this times the tolerance is dropped */
    int32_t kvec_capacity, polynomial_capacity;
    int32_t degree; /* that all polynomials so far can do with */
    /* exp(-t z^2) of power_profile at the nodes of a panel, [NODES][n_layers][POWER_NODES]: the same for all k-vectors.
     * Where every atom has a height of its own it would be most of the work. NULL: not made yet, or no room. */
    double **decays;
    size_t decay_bytes;
} builder;

/* e^{kZ} erfc(k/2eta + eta Z). Past 26 erfc is below 1e-290; before, e^{kZ} is below e^338. */
static double growing(double eta, double k, double z)
{
    const double u = 0.5 * k / eta + eta * z;
    return u > 26.0 ? 0.0 : exp(k * z) * erfc(u);
}

static double coulomb_profile(const builder *b, double g, double z)
{
    const double eta = b->sum->eta, Z = hypot(z, b->sum->damping);
    if (g == 0.0)
        return -2.0 * PI / b->area * (Z * erf(eta * Z) + exp(-eta * eta * Z * Z) / (eta * SQRT_PI));
    return PI / (b->area * g) * (growing(eta, g, Z) + exp(-g * Z) * erfc(0.5 * g / eta - eta * Z));
}

static double power_profile(const builder *b, int p, double g, double z)
{
    double factors[POWER_NODES], decay[POWER_NODES];
    if (g == 0.0) return power_mean(b->sum->eta, p, z) / b->area;
    power_factors(&b->rule, &(power_split){p, b->sum->eta, b->area}, g, factors);
    power_decay(&b->rule, b->sum->eta, z, decay);
    return power_sum(factors, decay);
}

static double profile(const builder *b, int channel, double g, double z)
{
    if (channel == SHOAL_CHANNEL_Q) return coulomb_profile(b, g, z);
    return power_profile(b, surface_channel_power(b->surface, channel), g, z);
}

static int compare_heights(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static shoal_status make_layers(builder *b)
{
    const shoal_surface_view *v = &b->surface->view;
    const size_t n = (size_t)v->n_atoms;
    double *heights = shoal_alloc(n, sizeof *heights);
    b->layer_of = shoal_alloc(n, sizeof *b->layer_of);
    b->layers = shoal_alloc(n, sizeof *b->layers);
    if (!heights || !b->layer_of || !b->layers) {
        free(heights);
        return SHOAL_E_MEMORY;
    }
    for (int32_t i = 0; i < v->n_atoms; ++i) heights[i] = v->pos[i][2];
    qsort(heights, n, sizeof *heights, compare_heights);
    int32_t n_layers = 0;
    for (int32_t i = 0; i < v->n_atoms; ++i)
        if (i == 0 || heights[i] != heights[n_layers - 1]) heights[n_layers++] = heights[i];
    for (int32_t k = 0; k < n_layers; ++k) b->layers[k].z = heights[k];
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        const double *at =
            bsearch(&v->pos[i][2], heights, (size_t)n_layers, sizeof *heights, compare_heights);
        b->layer_of[i] = (int32_t)(at - heights);
    }
    b->n_layers = n_layers;
    free(heights);
    return SHOAL_OK;
}

/* Sums the atoms of every layer; false if the whole k-vector vanishes. */
static bool sum_layers(builder *b, const surface_kvec *w, int channel)
{
    const shoal_surface_view *v = &b->surface->view;
    double largest = 0.0;
    for (int32_t k = 0; k < b->n_layers; ++k) b->layers[k].cosine = b->layers[k].sine = 0.0;
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        const double phase = w->gx * v->pos[i][0] + w->gy * v->pos[i][1];
        const double weight = (w->g > 0.0 ? 2.0 : 1.0) * b->surface->weight[i][channel];
        layer *to = &b->layers[b->layer_of[i]];
        to->cosine += weight * cos(phase);
        to->sine += weight * sin(phase);
    }
    const double g = w->g > 0.0 ? w->g : b->sum->eta;
    for (int32_t k = 0; k < b->n_layers; ++k)
        largest += hypot(b->layers[k].cosine, b->layers[k].sine);
    return largest * fabs(profile(b, channel, g, 0.0)) > b->tolerance * b->scale[channel];
}

/* Turns values at the Chebyshev nodes into coefficients of powers of t; coefficients of Chebyshev
 * polynomials that are small against the scale are dropped. Returns the degree that is left. */
static int32_t fit_powers(const double values[NODES], double small, double out[NODES])
{
    double chebyshev[NODES], below[NODES] = {0}, here[NODES] = {0};
    int32_t degree = 0;
    for (int k = 0; k < NODES; ++k) {
        chebyshev[k] = 0.0;
        for (int i = 0; i < NODES; ++i)
            chebyshev[k] += values[i] * cos(PI * k * (i + 0.5) / NODES) * 2.0 / NODES;
        if (k == 0) chebyshev[k] *= 0.5;
        if (fabs(chebyshev[k]) > small) degree = k;
    }
    memset(out, 0, NODES * sizeof *out);
    below[0] = 1.0; /* T_0 */
    here[1] = 1.0;  /* T_1 */
    for (int k = 0; k <= degree; ++k) {
        for (int j = 0; j < NODES; ++j) out[j] += chebyshev[k] * below[j];
        for (int j = NODES - 1; j >= 0; --j) { /* T_k+2 = 2 t T_k+1 - T_k */
            const double next = (j > 0 ? 2.0 * here[j - 1] : 0.0) - below[j];
            below[j] = next;
        }
        for (int j = 0; j < NODES; ++j) {
            const double swap = below[j];
            below[j] = here[j];
            here[j] = swap;
        }
    }
    return degree;
}

/* Height of a node of a panel. */
static double node_height(const surface_sum *sum, int32_t panel, int i)
{
    const double t = cos(PI * (i + 0.5) / NODES);
    return sum->z_low + sum->panel * (panel + 0.5 * (t + 1.0));
}

/* The decays of a panel; NULL if there is no room for them. */
static const double *panel_decays(builder *b, int32_t panel)
{
    const size_t n = (size_t)NODES * (size_t)b->n_layers * POWER_NODES, bytes = n * sizeof(double);
    if (b->decays[panel] || b->decay_bytes + bytes > MOST_DECAYS) return b->decays[panel];
    double *to = b->decays[panel] = malloc(bytes);
    if (!to) return NULL;
    b->decay_bytes += bytes;
    for (int i = 0; i < NODES; ++i)
        for (int32_t k = 0; k < b->n_layers; ++k, to += POWER_NODES)
            power_decay(&b->rule, b->sum->eta, node_height(b->sum, panel, i) - b->layers[k].z, to);
    return b->decays[panel];
}

/* Fits cosine and sine parts of one channel on one panel into out[2][NODES]; returns the largest
 * value met. */
static double fit_panel(builder *b, double g, int channel, int32_t panel, double (*out)[NODES])
{
    const double small = 0.01 * b->tolerance * b->scale[channel];
    const bool is_power = channel != SHOAL_CHANNEL_Q && g > 0.0;
    const double *decays = is_power ? panel_decays(b, panel) : NULL;
    double values[2][NODES], factors[POWER_NODES], largest = 0.0;
    if (decays)
        power_factors(
            &b->rule,
            &(power_split){surface_channel_power(b->surface, channel), b->sum->eta, b->area}, g,
            factors);
    for (int i = 0; i < NODES; ++i) {
        const double z = node_height(b->sum, panel, i);
        values[0][i] = values[1][i] = 0.0;
        for (int32_t k = 0; k < b->n_layers; ++k) {
            const layer *from = &b->layers[k];
            if (from->cosine == 0.0 && from->sine == 0.0) continue;
            const size_t at = ((size_t)i * (size_t)b->n_layers + (size_t)k) * POWER_NODES;
            const double f =
                decays ? power_sum(factors, decays + at) : profile(b, channel, g, z - from->z);
            values[0][i] += from->cosine * f;
            values[1][i] += from->sine * f;
        }
        largest = fmax(largest, hypot(values[0][i], values[1][i]));
    }
    for (int part = 0; part < 2; ++part) {
        const int32_t degree = fit_powers(values[part], small, out[part]);
        if (degree > b->degree) b->degree = degree;
    }
    return largest;
}

static double (*polynomial(builder *b, int32_t index, int32_t channel))[NODES]
{
    const int32_t n = b->sum->n_kvec_channels;
    return (double(*)[NODES])(b->sum->polynomials +
                              ((size_t)index * (size_t)n + (size_t)channel) * 2 * NODES);
}

static shoal_status reserve(builder *b, int32_t n_more)
{
    surface_sum *sum = b->sum;
    const size_t size = (size_t)sum->n_kvec_channels * 2 * NODES * sizeof *sum->polynomials;
    const int32_t before = b->polynomial_capacity, n = sum->n_polynomials + n_more;
    if (n <= before) return SHOAL_OK;
    SHOAL_TRY(shoal_grow(&sum->polynomials, &b->polynomial_capacity, n, size));
    memset((char *)sum->polynomials + (size_t)before * size, 0,
           (size_t)(b->polynomial_capacity - before) * size);
    return SHOAL_OK;
}

/* Adds one k-vector with as many panels as it needs; above the top it can only fall. */
static shoal_status add_kvec(builder *b, double gx, double gy)
{
    surface_sum *sum = b->sum;
    surface_kvec w = {gx, gy, hypot(gx, gy), sum->n_polynomials, 0};
    for (int32_t c = 0; c < sum->n_kvec_channels; ++c) {
        const int channel = sum->kvec_channels[c];
        if (!sum_layers(b, &w, channel)) continue;
        for (int32_t p = 0; p < sum->n_panels; ++p) {
            SHOAL_TRY(reserve(b, p + 1));
            const double largest = fit_panel(b, w.g, channel, p, polynomial(b, w.first + p, c));
            if (p >= w.n_panels) w.n_panels = p + 1;
            const bool above = sum->z_low + sum->panel * p > b->surface->view.top;
            if (above && w.g > 0.0 && largest < b->tolerance * b->scale[channel]) break;
        }
    }
    if (w.n_panels == 0) return SHOAL_OK;
    sum->n_polynomials += w.n_panels;
    SHOAL_TRY(SHOAL_RESERVE(&sum->kvecs, &b->kvec_capacity, sum->n_kvecs + 1));
    sum->kvecs[sum->n_kvecs++] = w;
    return SHOAL_OK;
}

/* Half of all G within the cut-off, each for itself and its opposite. */
static shoal_status add_kvecs(builder *b)
{
    const surface_sum *sum = b->sum;
    const double cut = 2.0 * sum->eta * sqrt(-log(b->tolerance));
    if (b->area * cut * cut / (8.0 * PI) > MAX_KVECS)
        return shoal_fail(SHOAL_E_ARGUMENT, "surface: the cell of %g angstrom^2 is too large",
                          b->area);
    int32_t last[2];
    for (int k = 0; k < 2; ++k)
        last[k] = (int32_t)floor(cut * hypot(sum->cell[k][0], sum->cell[k][1]) / (2.0 * PI));
    SHOAL_TRY(add_kvec(b, 0.0, 0.0));
    for (int32_t m = 0; m <= last[0]; ++m)
        for (int32_t n = m > 0 ? -last[1] : 1; n <= last[1]; ++n) {
            const double gx = 2.0 * PI * (m * sum->dual[0][0] + n * sum->dual[1][0]);
            const double gy = 2.0 * PI * (m * sum->dual[0][1] + n * sum->dual[1][1]);
            if (gx * gx + gy * gy <= cut * cut) SHOAL_TRY(add_kvec(b, gx, gy));
        }
    return SHOAL_OK;
}

/* Packs the polynomials to their common degree, into the memory of the sum. */
static shoal_status pack(builder *b)
{
    surface_sum *sum = b->sum;
    const size_t n = (size_t)sum->n_polynomials * (size_t)sum->n_kvec_channels * 2;
    const size_t size = (size_t)b->degree + 1;
    double *packed = arena_alloc(&sum->memory, n * size, sizeof *packed);
    surface_kvec *kvecs = arena_alloc(&sum->memory, (size_t)sum->n_kvecs, sizeof *kvecs);
    if (!packed || !kvecs) return SHOAL_E_MEMORY;
    for (size_t i = 0; i < n; ++i)
        memcpy(packed + i * size, sum->polynomials + i * NODES, size * sizeof *packed);
    if (sum->n_kvecs > 0) memcpy(kvecs, sum->kvecs, (size_t)sum->n_kvecs * sizeof *kvecs);
    free(sum->polynomials);
    free(sum->kvecs);
    sum->polynomials = packed;
    sum->kvecs = kvecs;
    sum->degree = b->degree;
    return SHOAL_OK;
}

static void choose_channels(builder *b)
{
    surface_sum *sum = b->sum;
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
        const bool split = c == SHOAL_CHANNEL_Q || surface_channel_power(b->surface, c) > 0;
        if (!split || !b->surface->view.has_channel[c]) continue;
        sum->kvec_channels[sum->n_kvec_channels++] = c;
        double weight = 0.0;
        for (int32_t i = 0; i < b->surface->view.n_atoms; ++i)
            weight += fabs(b->surface->weight[i][c]);
        b->scale[c] = 0.1 * weight * fabs(profile(b, c, sum->eta, 0.0));
    }
}

shoal_status surface_fourier_create(surface_sum *sum, const shoal_surface *s, double tolerance)
{
    builder b = {.sum = sum, .surface = s, .tolerance = tolerance, .area = s->view.area};
    sum->panel = PANEL_ETA / sum->eta;
    sum->z_low = s->view.bottom - BELOW;
    sum->n_panels = (int32_t)ceil((s->view.top + ABOVE - sum->z_low) / sum->panel);
    sum->z_high = sum->z_low + sum->n_panels * sum->panel;
    power_rule_make(&b.rule);
    choose_channels(&b);
    b.decays = shoal_alloc((size_t)sum->n_panels, sizeof *b.decays);
    shoal_status status = b.decays ? make_layers(&b) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = add_kvecs(&b);
    if (status == SHOAL_OK) {
        status = pack(&b);
    } else {
        free(sum->polynomials);
        free(sum->kvecs);
    }
    for (int32_t p = 0; p < sum->n_panels && b.decays; ++p) free(b.decays[p]);
    free(b.decays);
    free(b.layer_of);
    free(b.layers);
    return status;
}
