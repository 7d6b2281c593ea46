/* SPDX-License-Identifier: BSD-3-Clause
 * What a scan says of all points of a record together. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "jobs/scan.h"
#include "shoal/row.h"
#include "shoal/units.h"
#include "stream/row.h"

enum {
    MOST_CURVE = 1000000,
    MOST_POINTS = 10000000,
    MOST_MINIMA = 8,
    MOST_TOLD = 20,
    TEXT_SIZE = 256
};

struct shoal_scan_summary {
    const shoal_scan *scan;
    shoal_scan_summary_options options;
    FILE *kept;
    double *energies, *by_place; /* [size] of the variants so far, and by place; eV */
    int64_t of; /* which record and copy of it, counted in the whole input; -1: none yet */
    int64_t n_seen, n_told;
    char title[64];
    double
        volume; /* angstrom^3: of a crystal whose volumes are scanned, that of the record; 0: of none */
    double worst_length, worst_angle; /* angstrom, degrees: how far coordinates were missed by */
    bool has_worst;
};

double shoal_scan_energy(const shoal_result *result)
{
    return result && result->terms && shoal_system_has_numbers(result->status, result->energy)
               ? result->energy - result->terms[SHOAL_TERM_RESTRAINT]
               : NAN;
}

/* --- energies ------------------------------------------------------------------------------------ */

shoal_status shoal_scan_summary_create(shoal_scan_summary **out, const shoal_scan *scan,
                                       const shoal_scan_summary_options *options)
{
    shoal_clear_error();
    SHOAL_NEED(out && scan && options);
    const int64_t size = shoal_scan_size(scan);
    shoal_scan_summary *s = *out = calloc(1, sizeof *s);
    if (!s) return shoal_fail(SHOAL_E_MEMORY, "out of memory: energies of a scan");
    *s = (shoal_scan_summary){.scan = scan, .options = *options, .of = -1};
    if (s->options.figure.unit == 0 || !s->options.figure.unit_name) {
        s->options.figure.unit = 1;
        s->options.figure.unit_name = "eV";
    }
    if (size > MOST_POINTS) {
        s->options.kept = NULL;
        return SHOAL_OK;
    }
    s->energies = malloc((size_t)size * sizeof *s->energies);
    s->by_place = malloc((size_t)size * sizeof *s->by_place);
    if (options->kept && options->resumes) s->kept = fopen(options->kept, "r+b");
    if (s->energies && s->by_place) return SHOAL_OK;
    shoal_scan_summary_destroy(s);
    *out = NULL;
    return shoal_fail(SHOAL_E_MEMORY, "out of memory: energies of a scan");
}

void shoal_scan_summary_destroy(shoal_scan_summary *s)
{
    if (!s) return;
    if (s->kept) (void)fclose(s->kept);
    free(s->energies);
    free(s->by_place);
    free(s);
}

/* A point in the file of the energies so far. A run that was killed may have written points of the next molecule over
 * those that it begins again with, so that each has its number. */
typedef struct kept_point {
    int64_t number; /* 1 + index of the system */
    double energy;  /* eV */
} kept_point;

/* Those that the run before handed on. */
static void recall(shoal_scan_summary *s, int64_t n)
{
    const int64_t before = s->of * s->scan->size;
    kept_point p;
    int64_t found = 0;
    for (int64_t k = 0; k < n; ++k) s->energies[k] = NAN;
    if (!s->kept || fseek(s->kept, 0, SEEK_SET) != 0) return;
    while (found < n && fread(&p, sizeof p, 1, s->kept) == 1 && p.number == before + found + 1)
        s->energies[found++] = p.energy;
    if (found == n) s->n_seen = n;
}

/* For a run that goes on later; without it only less is told. */
static void keep(shoal_scan_summary *s, int64_t first, int64_t n)
{
    const int64_t before = s->of * s->scan->size;
    if (!s->options.kept) return;
    if (!s->kept) s->kept = fopen(s->options.kept, "w+b");
    if (!s->kept || fseek(s->kept, (long)(first * (int64_t)sizeof(kept_point)), SEEK_SET) != 0)
        return;
    for (int64_t k = first; k < first + n; ++k) {
        const kept_point p = {before + k + 1, s->energies[k]};
        if (fwrite(&p, sizeof p, 1, s->kept) != 1) return;
    }
    (void)fflush(s->kept);
}

/* --- texts --------------------------------------------------------------------------------------- */

static void tell(const shoal_scan_summary *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void tell(const shoal_scan_summary *s, const char *format, ...)
{
    char line[4 * TEXT_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    s->options.tell(s->options.user, line);
}

/* "torsion 0,1,2,3 = 60, z = 3.1" */
static void point_text(const shoal_scan *scan, int64_t place, char out[TEXT_SIZE])
{
    int64_t rest = place;
    int used = 0;
    out[0] = '\0';
    for (int32_t k = 0; k < scan->options.n_coordinates && used < TEXT_SIZE - 80; ++k) {
        const shoal_coordinate *c = &scan->coordinates[k];
        const int64_t i = rest / scan->strides[k];
        rest %= scan->strides[k];
        used += snprintf(out + used, (size_t)(TEXT_SIZE - used), "%s%s", k ? ", " : "",
                         shoal_coordinate_name((int)c->kind));
        for (int a = 0; a < coordinate_n_atoms(c->kind); ++a)
            used += snprintf(out + used, (size_t)(TEXT_SIZE - used), "%c%d", a ? ',' : ' ',
                             c->atoms[a]);
        used += snprintf(out + used, (size_t)(TEXT_SIZE - used), " = %.6g", scan_value(c, i));
    }
    if (scan->options.n_coordinates == 0)
        (void)snprintf(out, TEXT_SIZE, "frame %lld", (long long)place);
}

static void tell_minima(const shoal_scan_summary *s, const shoal_scan_minimum *m, int32_t n,
                        int32_t found)
{
    char at[TEXT_SIZE], over[TEXT_SIZE];
    const double unit = s->options.figure.unit;
    const char *name = s->options.figure.unit_name;
    const int32_t n_coordinates = s->scan->options.n_coordinates;
    point_text(s->scan, m[0].place, at);
    tell(s, "%s: lowest at %s: %.6f %s%s", s->title, at, m[0].energy / unit, name,
         m[0].at_edge ? ", at the edge of the scan: lower energies may lie beyond it" : "");
    if (n_coordinates == 0) return;
    for (int32_t k = 1; k < n; ++k) {
        point_text(s->scan, m[k].place, at);
        const double height = (m[k].energy - m[0].energy) / unit;
        if (m[k].at_edge) {
            tell(s, "  downhill to the edge at %s: +%.6f %s", at, height, name);
        } else if (m[k].barrier < 0 || n_coordinates == 1) { /* barriers of curves come below */
            tell(s, "  minimum at %s: +%.6f %s", at, height, name);
        } else {
            point_text(s->scan, m[k].barrier, over);
            tell(s, "  minimum at %s: +%.6f %s; to a lower one over %s: +%.6f", at, height, name,
                 over, (m[k].barrier_energy - m[0].energy) / unit);
        }
    }
    if (found > n) tell(s, "  and %d more minima", found - n);
}

/* The barriers of a curve, each between two neighbouring minima. */
static shoal_status tell_maxima(const shoal_scan_summary *s, double low)
{
    int64_t places[MOST_MINIMA];
    int32_t n;
    char at[TEXT_SIZE];
    if (s->scan->options.n_coordinates != 1) return SHOAL_OK;
    SHOAL_TRY(shoal_scan_maxima(s->scan, s->by_place, places, MOST_MINIMA, &n));
    for (int32_t k = 0; k < n && k < MOST_MINIMA; ++k) {
        point_text(s->scan, places[k], at);
        tell(s, "  barrier at %s: +%.6f %s", at,
             (s->by_place[places[k]] - low) / s->options.figure.unit, s->options.figure.unit_name);
    }
    if (n > MOST_MINIMA) tell(s, "  and %d more barriers", n - MOST_MINIMA);
    return SHOAL_OK;
}

/* The equation of state of a curve of volumes. */
static void tell_equation(const shoal_scan_summary *s)
{
    const shoal_coordinate *c = &s->scan->coordinates[0];
    const double gpa = shoal_unit_value(SHOAL_UNIT_GIGAPASCAL);
    shoal_equation_of_state e;
    if (s->scan->options.n_coordinates != 1 || c->kind != SHOAL_COORDINATE_VOLUME || c->n < 2 ||
        !(s->volume > 0) || c->n > MOST_CURVE)
        return;
    double *volumes = malloc((size_t)c->n * sizeof *volumes);
    for (int64_t i = 0; i < c->n && volumes; ++i) volumes[i] = s->volume * scan_value(c, i);
    if (!volumes ||
        shoal_equation_of_state_fit(volumes, s->by_place, (int32_t)c->n, &e) != SHOAL_OK)
        tell(s, "  no equation of state: %s", volumes ? shoal_error_text() : "out of memory");
    else
        tell(s,
             "  equation of state (Birch-Murnaghan): volume %.6g A^3 (%.6g of the file's), bulk "
             "modulus %.5g GPa, its slope %.3g, energies to %.2g %s",
             e.volume, e.volume / s->volume, e.bulk / gpa, e.slope,
             e.error / s->options.figure.unit, s->options.figure.unit_name);
    free(volumes);
}

/* The figure of the first one has the name that was given, others their number behind it. */
static shoal_status draw(const shoal_scan_summary *s)
{
    const char *plot = s->options.plot, *dot = strrchr(plot, '.');
    const size_t n = strlen(plot), stem = dot && !strchr(dot, '/') ? (size_t)(dot - plot) : n;
    char *path = malloc(n + 24);
    if (!path) return shoal_fail(SHOAL_E_MEMORY, "out of memory: energies of a scan");
    if (s->of == 0)
        (void)memcpy(path, plot, n + 1);
    else
        (void)snprintf(path, n + 24, "%.*s-%lld%s", (int)stem, plot, (long long)s->of + 1,
                       plot + stem);
    shoal_scan_figure figure = s->options.figure;
    figure.title = s->title;
    const shoal_status status = shoal_scan_plot(s->scan, s->by_place, &figure, path);
    free(path);
    return status;
}

/* All points of one copy of a record have come. */
static shoal_status conclude(shoal_scan_summary *s)
{
    shoal_scan_minimum minima[MOST_MINIMA];
    int32_t found = 0;
    if (s->n_seen < s->scan->size) return SHOAL_OK;
    for (int64_t k = 0; k < s->scan->size; ++k) {
        int64_t place = k;
        (void)shoal_scan_locate(s->scan, k, NULL, &place);
        s->by_place[place] = s->energies[k];
    }
    s->n_seen = 0;
    SHOAL_TRY(shoal_scan_minima(s->scan, s->by_place, minima, MOST_MINIMA, &found));
    if (s->options.tell && s->n_told < MOST_TOLD && found > 0) {
        tell_minima(s, minima, found < MOST_MINIMA ? found : MOST_MINIMA, found);
        SHOAL_TRY(tell_maxima(s, minima[0].energy));
        tell_equation(s);
    }
    ++s->n_told;
    return s->options.plot && found > 0 ? draw(s) : SHOAL_OK;
}

/* --- systems ------------------------------------------------------------------------------------- */

static bool turns(const shoal_scan *scan, int32_t k)
{
    const shoal_coordinate_kind kind = scan->coordinates[k].kind;
    return kind == SHOAL_COORDINATE_ANGLE || kind == SHOAL_COORDINATE_TORSION;
}

/* A volume is not held: it is set. */
static bool is_held(const shoal_scan *scan, int32_t k)
{
    return scan->coordinates[k].kind != SHOAL_COORDINATE_VOLUME;
}

static void note_held(shoal_scan_summary *s, const shoal_stream_system *system)
{
    const int32_t n = s->scan->options.n_coordinates;
    double few[8];
    if (!s->scan->options.relaxed || !system->engine) return;
    double *held = n > 8 ? malloc((size_t)n * sizeof *held) : few;
    if (held && shoal_scan_held(s->scan, system, held) == SHOAL_OK) {
        for (int32_t k = 0; k < n; ++k) {
            if (!is_held(s->scan, k)) continue;
            double *worst = turns(s->scan, k) ? &s->worst_angle : &s->worst_length;
            *worst = fmax(*worst, fabs(held[k]));
            s->has_worst = true;
        }
    }
    if (held != few) free(held);
}

/* The volume of the record, by that of one of its points. */
static void note_volume(shoal_scan_summary *s, const shoal_stream_system *system)
{
    const shoal_scan *scan = s->scan;
    const int32_t k = scan_find_volume(scan);
    if (k < 0 || !row_has_volume(system)) return;
    const shoal_coordinate *c = &scan->coordinates[k];
    const int64_t place = system->index % scan->size;
    s->volume = system->result.measure / scan_value(c, place / scan->strides[k] % c->n);
}

/* The first point that is seen of a record, number k of it. */
static void begin_record(shoal_scan_summary *s, const shoal_stream_system *system, int64_t of,
                         int64_t k)
{
    char buffer[32];
    s->of = of;
    s->n_seen = 0;
    s->volume = 0;
    (void)snprintf(s->title, sizeof s->title, "%.63s", shoal_row_title(system, buffer));
    if (k > 0) recall(s, k);
}

shoal_status shoal_scan_summary_visit(shoal_scan_summary *s, const shoal_stream_system *systems,
                                      int32_t n)
{
    shoal_clear_error();
    SHOAL_NEED(s && systems);
    const int64_t size = s->scan->size;
    for (int32_t i = 0; i < n; ++i) {
        const int64_t of = systems[i].index / size, k = systems[i].index % size;
        if (systems[i].unfinished) continue;
        note_held(s, &systems[i]);
        if (!s->energies) continue;
        if (of != s->of) begin_record(s, &systems[i], of, k);
        s->energies[k] = shoal_scan_energy(&systems[i].result);
        note_volume(s, &systems[i]);
        ++s->n_seen;
        const int64_t first = k < i ? 0 : k - i;
        if (i + 1 == n || k + 1 == size) keep(s, first, k - first + 1);
        if (k + 1 == size) SHOAL_TRY(conclude(s));
    }
    return SHOAL_OK;
}

shoal_status shoal_scan_summary_end(shoal_scan_summary *s)
{
    bool lengths = false, angles = false;
    shoal_clear_error();
    SHOAL_NEED(s);
    for (int32_t k = 0; k < s->scan->options.n_coordinates; ++k) {
        angles = angles || turns(s->scan, k);
        lengths = lengths || (is_held(s->scan, k) && !turns(s->scan, k));
    }
    if (s->options.tell && s->has_worst) {
        if (angles) tell(s, "angles were held to %.2g degrees or better", s->worst_angle);
        if (lengths) tell(s, "lengths were held to %.2g A or better", s->worst_length);
    }
    if (s->options.kept) (void)unlink(s->options.kept);
    return SHOAL_OK;
}
