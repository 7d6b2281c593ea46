/* SPDX-License-Identifier: BSD-3-Clause
 * What a scan says of its points together. */
#include "scan_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results.h"

enum { MOST_MINIMA = 8, MOST_TOLD = 20, TEXT_SIZE = 256 };

double scan_energy(const shoal_result *result)
{
    return has_numbers(result) ? result->energy - result->terms[SHOAL_TERM_RESTRAINT] : NAN;
}

/* --- energies ------------------------------------------------------------------------------------ */

int scan_report_begin(scan_report *r, const char *first, bool resumes)
{
    const int64_t size = shoal_scan_size(r->scan);
    r->of = -1;
    r->worst_index = -1;
    if (size > SCAN_REPORT_MOST) return EXIT_ALL_FINE;
    r->energies = malloc((size_t)size * sizeof *r->energies);
    r->by_place = malloc((size_t)size * sizeof *r->by_place);
    bool ok = r->energies && r->by_place;
    if (ok && first && strcmp(first, "-") != 0) {
        const size_t n = strlen(first) + sizeof ".points";
        r->kept_name = malloc(n);
        ok = r->kept_name != NULL;
        if (ok) (void)snprintf(r->kept_name, n, "%s.points", first);
        if (ok && resumes) r->kept = fopen(r->kept_name, "r+b");
    }
    if (!ok) cli_complain("out of memory");
    return ok ? EXIT_ALL_FINE : EXIT_DEVICE;
}

/* A point in the file of the energies so far. A run that was killed may have written points of the next molecule over
 * those that it begins again with, so that each has its number. */
typedef struct kept_point {
    int64_t number; /* 1 + index of the system */
    double energy;  /* eV */
} kept_point;

/* Those that the run before handed on. */
static void recall(scan_report *r, int64_t n)
{
    const int64_t before = r->of * shoal_scan_size(r->scan);
    kept_point p;
    int64_t found = 0;
    for (int64_t k = 0; k < n; ++k) r->energies[k] = NAN;
    if (!r->kept || fseek(r->kept, 0, SEEK_SET) != 0) return;
    while (found < n && fread(&p, sizeof p, 1, r->kept) == 1 && p.number == before + found + 1)
        r->energies[found++] = p.energy;
    if (found == n) r->n_seen = n;
}

/* For a run that goes on later; without it only the report is less. */
static void keep(scan_report *r, int64_t first, int64_t n)
{
    const int64_t before = r->of * shoal_scan_size(r->scan);
    if (!r->kept_name) return;
    if (!r->kept) r->kept = fopen(r->kept_name, "w+b");
    if (!r->kept || fseek(r->kept, (long)(first * (int64_t)sizeof(kept_point)), SEEK_SET) != 0)
        return;
    for (int64_t k = first; k < first + n; ++k) {
        const kept_point p = {before + k + 1, r->energies[k]};
        if (fwrite(&p, sizeof p, 1, r->kept) != 1) return;
    }
    (void)fflush(r->kept);
}

/* --- texts --------------------------------------------------------------------------------------- */

/* "torsion 0,1,2,3 = 60, z = 3.1" */
static void point_text(const scan_report *r, int64_t place, char out[TEXT_SIZE])
{
    int64_t rest = place;
    int used = 0;
    out[0] = '\0';
    for (int32_t k = 0; k < r->n_coordinates && used < TEXT_SIZE - 80; ++k) {
        const shoal_coordinate *c = &r->coordinates[k];
        int64_t stride = 1;
        for (int32_t l = k + 1; l < r->n_coordinates; ++l) stride *= r->coordinates[l].n;
        const int64_t i = rest / stride;
        rest %= stride;
        const double value =
            c->n > 1 ? c->from + (c->to - c->from) * (double)i / (double)(c->n - 1) : c->from;
        used += snprintf(out + used, (size_t)(TEXT_SIZE - used), "%s%s", k ? ", " : "",
                         shoal_coordinate_name((int)c->kind));
        for (int a = 0; c->kind <= SHOAL_COORDINATE_TORSION && a < (int)c->kind + 2; ++a)
            used += snprintf(out + used, (size_t)(TEXT_SIZE - used), "%c%d", a ? ',' : ' ',
                             c->atoms[a]);
        used += snprintf(out + used, (size_t)(TEXT_SIZE - used), " = %.6g", value);
    }
    if (r->n_coordinates == 0) (void)snprintf(out, TEXT_SIZE, "frame %lld", (long long)place);
}

static void tell_minima(const scan_report *r, const shoal_scan_minimum *m, int32_t n, int32_t found)
{
    char at[TEXT_SIZE], over[TEXT_SIZE];
    const double unit = settings_unit(r->compute);
    const char *name = settings_unit_name(r->compute);
    point_text(r, m[0].place, at);
    cli_complain("%s: lowest at %s: %.6f %s%s", r->title, at, m[0].energy / unit, name,
                 m[0].at_edge ? ", at the edge of the scan: it may go on downhill" : "");
    if (r->n_coordinates == 0) return;
    for (int32_t k = 1; k < n; ++k) {
        point_text(r, m[k].place, at);
        const double height = (m[k].energy - m[0].energy) / unit;
        if (m[k].at_edge) {
            cli_complain("  downhill to the edge at %s: +%.6f %s", at, height, name);
            continue;
        }
        if (m[k].barrier < 0 || r->n_coordinates == 1) { /* barriers of curves come below */
            cli_complain("  minimum at %s: +%.6f %s", at, height, name);
            continue;
        }
        point_text(r, m[k].barrier, over);
        cli_complain("  minimum at %s: +%.6f %s; to a lower one over %s: +%.6f", at, height, name,
                     over, (m[k].barrier_energy - m[0].energy) / unit);
    }
    if (found > n) cli_complain("  and %d more minima", found - n);
}

/* The barriers of a curve, each between two neighbouring minima. */
static shoal_status tell_maxima(const scan_report *r, double low)
{
    int64_t places[MOST_MINIMA];
    int32_t n;
    char at[TEXT_SIZE];
    const double unit = settings_unit(r->compute);
    if (r->n_coordinates != 1) return SHOAL_OK;
    const shoal_status status = shoal_scan_maxima(r->scan, r->by_place, places, MOST_MINIMA, &n);
    for (int32_t k = 0; k < n && k < MOST_MINIMA && status == SHOAL_OK; ++k) {
        point_text(r, places[k], at);
        cli_complain("  barrier at %s: +%.6f %s", at, (r->by_place[places[k]] - low) / unit,
                     settings_unit_name(r->compute));
    }
    if (n > MOST_MINIMA) cli_complain("  and %d more barriers", n - MOST_MINIMA);
    return status;
}

/* The figure of the first one has the name that was given, others their number behind it. */
static shoal_status draw(const scan_report *r)
{
    const char *dot = strrchr(r->plot, '.');
    const size_t stem = dot && !strchr(dot, '/') ? (size_t)(dot - r->plot) : strlen(r->plot);
    char *path = malloc(strlen(r->plot) + 24);
    if (!path) return SHOAL_E_MEMORY;
    if (r->of == 0)
        (void)memcpy(path, r->plot, strlen(r->plot) + 1);
    else
        (void)snprintf(path, strlen(r->plot) + 24, "%.*s-%lld%s", (int)stem, r->plot,
                       (long long)r->of + 1, r->plot + stem);
    const shoal_scan_figure figure = {.title = r->title,
                                      .unit = settings_unit(r->compute),
                                      .unit_name = settings_unit_name(r->compute),
                                      .low = r->range[0],
                                      .high = r->range[1]};
    const shoal_status status = shoal_scan_plot(r->scan, r->by_place, &figure, path);
    free(path);
    return status;
}

/* All points of one copy of a record have come. */
static int tell(scan_report *r)
{
    shoal_scan_minimum minima[MOST_MINIMA];
    int32_t found = 0;
    const int64_t size = shoal_scan_size(r->scan);
    if (r->of < 0 || !r->energies || r->n_seen < size) return EXIT_ALL_FINE;
    for (int64_t k = 0; k < size; ++k) {
        int64_t place = k;
        (void)shoal_scan_locate(r->scan, k, NULL, &place);
        r->by_place[place] = r->energies[k];
    }
    shoal_status status = shoal_scan_minima(r->scan, r->by_place, minima, MOST_MINIMA, &found);
    const bool speaks = !r->quiet && r->n_told < MOST_TOLD && found > 0;
    if (status == SHOAL_OK && speaks) {
        tell_minima(r, minima, found < MOST_MINIMA ? found : MOST_MINIMA, found);
        status = tell_maxima(r, minima[0].energy);
    }
    if (status == SHOAL_OK && r->plot && found > 0) status = draw(r);
    ++r->n_told;
    r->n_seen = 0;
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

/* --- systems ------------------------------------------------------------------------------------- */

static void note_held(scan_report *r, const shoal_stream_system *s)
{
    double few[8];
    double *held = r->n_coordinates > 8 ? malloc((size_t)r->n_coordinates * sizeof *held) : few;
    if (held && r->relaxed && s->engine && shoal_scan_held(r->scan, s, held) == SHOAL_OK) {
        for (int32_t k = 0; k < r->n_coordinates; ++k) {
            const shoal_coordinate_kind kind = r->coordinates[k].kind;
            const bool turns = kind == SHOAL_COORDINATE_ANGLE || kind == SHOAL_COORDINATE_TORSION;
            double *worst = turns ? &r->worst_angle : &r->worst_length;
            if (fabs(held[k]) > *worst || r->worst_index < 0) r->worst_index = s->index;
            *worst = fmax(*worst, fabs(held[k]));
        }
    }
    if (held != few) free(held);
}

int scan_report_visit(scan_report *r, const shoal_stream_system *systems, int32_t n)
{
    char buffer[32];
    const int64_t size = shoal_scan_size(r->scan);
    for (int32_t i = 0; i < n; ++i) {
        const shoal_stream_system *s = &systems[i];
        const int64_t of = s->index / size, k = s->index % size;
        if (s->unfinished) continue;
        note_held(r, s);
        if (!r->energies) continue;
        if (of != r->of) {
            r->of = of;
            r->n_seen = 0;
            (void)snprintf(r->title, sizeof r->title, "%s", system_title(s->mol, s->index, buffer));
            if (k > 0) recall(r, k);
        }
        r->energies[k] = scan_energy(&s->result);
        ++r->n_seen;
        const bool last = i + 1 == n || k + 1 == size;
        const int64_t first = k < i ? 0 : k - i;
        if (last) keep(r, first, k - first + 1);
        if (k + 1 < size) continue;
        const int code = tell(r);
        if (code != EXIT_ALL_FINE) return code;
    }
    return EXIT_ALL_FINE;
}

static void tell_held(const scan_report *r)
{
    bool lengths = false, angles = false;
    for (int32_t k = 0; k < r->n_coordinates; ++k) {
        const shoal_coordinate_kind kind = r->coordinates[k].kind;
        const bool turns = kind == SHOAL_COORDINATE_ANGLE || kind == SHOAL_COORDINATE_TORSION;
        angles = angles || turns;
        lengths = lengths || !turns;
    }
    if (angles) cli_complain("angles were held to %.2g degrees or better", r->worst_angle);
    if (lengths) cli_complain("lengths were held to %.2g A or better", r->worst_length);
}

int scan_report_end(scan_report *r, bool complete)
{
    if (complete && r->worst_index >= 0 && !r->quiet) tell_held(r);
    if (r->kept) (void)fclose(r->kept);
    if (complete && r->kept_name) (void)unlink(r->kept_name);
    free(r->kept_name);
    free(r->energies);
    free(r->by_place);
    return EXIT_ALL_FINE;
}
