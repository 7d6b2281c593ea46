/* SPDX-License-Identifier: BSD-3-Clause
 * The minima of a search once more, to forces that tell those of flat valleys apart. */
#include <stdio.h>

#include "jobs/search.h"
#include "shoal/modes.h"

double shoal_search_fmax(void)
{
    return 1e-6;
}

static shoal_status format(void *user, const shoal_stream_system *system, shoal_string *out)
{
    return shoal_search_format(user, system, out);
}

static shoal_status take(void *user, const char *text, size_t size)
{
    return shoal_search_take(user, text, size, NULL);
}

/* Relaxes the listed minima further; minima of a flat valley become one. */
static shoal_status polish_in(shoal_search **out, const shoal_search *search,
                              const shoal_stream_options *stream,
                              const shoal_polish_options *options, shoal_precision precision)
{
    SHOAL_TRY(shoal_search_refine(out, search));
    shoal_engine_options engine = *stream->compute.engine;
    shoal_relax_options relax = *stream->compute.relax;
    /* Copies count symmetry already. */
    const shoal_modes_options modes = {.temperature = search->options.temperature,
                                       .symmetry_number = 1};
    const shoal_sink sink = {.format = format, .write = take, .user = *out};
    shoal_stream_options fine = *stream;
    engine.precision = precision;
    if (!(relax.fmax > 0 && relax.fmax < shoal_search_fmax())) relax.fmax = shoal_search_fmax();
    fine.compute.engine = &engine;
    fine.compute.relax = &relax;
    fine.build.variants = shoal_search_variants(*out);
    if (options->free_energies) {
        fine.job = SHOAL_JOB_MODES;
        fine.compute.modes = &modes;
    }
    fine.input.first = 0;
    fine.resume.state = NULL;
    fine.resume.seconds = 0;
    fine.output.sinks = &sink;
    fine.output.n_sinks = 1;
    fine.output.visit = NULL;
    fine.output.monitor = options->monitor;
    fine.output.user = options->user;
    fine.peers = NULL;
    SHOAL_TRY(shoal_stream_run(&fine));
    return shoal_search_rank(*out);
}

shoal_status shoal_search_polish(shoal_search **out, const shoal_search *search,
                                 const shoal_stream_options *stream,
                                 const shoal_polish_options *options)
{
    shoal_clear_error();
    SHOAL_NEED(out && search && stream && options && stream->compute.engine &&
               stream->compute.relax);
    *out = NULL;
    shoal_status status = polish_in(out, search, stream, options, SHOAL_PRECISION_DOUBLE);
    if (status == SHOAL_E_UNSUPPORTED && !options->free_energies) {
        char text[400];
        (void)snprintf(text, sizeof text, "minima are polished in single precision: %.300s",
                       shoal_error_text());
        if (options->tell) options->tell(options->user, text);
        shoal_search_destroy(*out);
        *out = NULL;
        status = polish_in(out, search, stream, options, stream->compute.engine->precision);
    }
    if (status == SHOAL_OK) return SHOAL_OK;
    shoal_search_destroy(*out);
    *out = NULL;
    return status;
}
