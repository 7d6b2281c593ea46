/* SPDX-License-Identifier: BSD-3-Clause
 * Where the grid of a surface comes from: one that is kept, or what costs less, sums or one to be built. */
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "shoal/grid.h"

typedef struct source {
    const shoal_grid_request *request;
    shoal_surface *surface;
    shoal_grid_settled *settled;
} source;

static void tell(const source *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(const source *s, const char *format, ...)
{
    char text[4500];
    va_list args;
    if (!s->request->tell) return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    s->request->tell(s->request->user, text);
}

/* One that was kept, if it is there. */
static shoal_grid *find_kept(const source *s, char path[4096])
{
    char left_alone[4096];
    shoal_grid *grid = NULL;
    if (!s->request->surface_file) return NULL;
    (void)shoal_grid_find(&grid, s->surface, s->request->surface_file, path, left_alone,
                          sizeof left_alone);
    if (*left_alone) tell(s, "%s; it is left alone", left_alone);
    return grid;
}

static void keep(const source *s, const shoal_grid *grid)
{
    char path[4096];
    if (!s->request->surface_file || !s->request->keep) return;
    if (shoal_grid_keep(grid, s->request->surface_file, path, sizeof path) == SHOAL_OK)
        tell(s, "the grid is kept as %s", path);
    else
        tell(s, "the grid is not kept: %s", shoal_error_text());
}

static void sum_directly(const source *s)
{
    s->settled->direct = true;
    tell(s, "%s", s->settled->text);
}

/* A grid is built and kept; where that fails, sums do. */
static void build(const source *s, shoal_grid **out)
{
    shoal_grid_settled *settled = s->settled;
    if (shoal_grid_build(out, s->surface, &s->request->build) == SHOAL_OK) {
        keep(s, *out);
        return;
    }
    (void)snprintf(settled->text, sizeof settled->text, "direct sums: %.250s", shoal_error_text());
    sum_directly(s);
}

static shoal_status choose(const source *s, shoal_grid **out)
{
    const shoal_grid_request *r = s->request;
    shoal_grid_settled *settled = s->settled;
    shoal_grid_choice cost;
    SHOAL_TRY(shoal_grid_choose(&cost, s->surface, r->atoms, r->evaluations, r->device));
    if (r->before != 0) cost.direct = r->before < 0;
    (void)snprintf(settled->text, sizeof settled->text, "%s: %s",
                   cost.direct ? "direct sums" : "to be built", cost.why);
    if (cost.direct) {
        sum_directly(s);
        return SHOAL_OK;
    }
    settled->bytes = cost.plan.bytes;
    settled->seconds = cost.plan.build_seconds;
    if (!r->plans) build(s, out);
    return SHOAL_OK;
}

shoal_status shoal_grid_settle(shoal_grid **out, shoal_surface *surface,
                               const shoal_grid_request *request, shoal_grid_settled *settled)
{
    char path[4096];
    shoal_clear_error();
    SHOAL_NEED(out && surface && request && settled);
    const source s = {request, surface, settled};
    *settled = (shoal_grid_settled){0};
    *out = request->before < 0 ? NULL : find_kept(&s, path);
    if (!*out) return choose(&s, out);
    if (request->before > 0 || shoal_grid_fits(*out, request->device)) {
        (void)snprintf(settled->text, sizeof settled->text, "%.290s", path);
        return SHOAL_OK;
    }
    shoal_grid_destroy(*out);
    *out = NULL;
    (void)snprintf(settled->text, sizeof settled->text,
                   "direct sums: %.200s does not fit into the memory that is free", path);
    sum_directly(&s);
    return SHOAL_OK;
}
