/* SPDX-License-Identifier: BSD-3-Clause
 * What the outputs of a run get of its systems. */
#include <math.h>
#include <string.h>

#include "shoal/ff_table.h"
#include "shoal/placement.h"
#include "stream/row.h"
#include "stream/run.h"

/* --- frames --------------------------------------------------------------------------------------- */

/* Electron pairs and directions follow the atoms. */
static void put_auxiliary(shoal_frame *frame, const shoal_topology *topology,
                          const double (*movers)[3])
{
    shoal_topology_view v;
    shoal_topology_get(topology, &v);
    if (v.n_pairs + v.n_directions == 0) return;
    frame->n_pairs = v.n_pairs;
    frame->electron_pairs = movers + v.n_atoms;
    frame->n_directions = v.n_directions;
    frame->direction_atoms = v.direction_atoms;
    frame->directions = movers + v.n_atoms + v.n_pairs;
}

static void put_numbers(shoal_frame *frame, const shoal_stream_system *s)
{
    const shoal_result *r = &s->result;
    frame->energy = &r->energy;
    frame->forces = r->forces;
    put_auxiliary(frame, s->topology, shoal_engine_positions(s->engine, s->i_engine));
    frame->fmax = &r->fmax;
    if (row_has_volume(s)) frame->stress = r->stress;
    frame->adsorption_energy = r->energy - s->isolated_energy;
    frame->has_adsorption = isfinite(frame->adsorption_energy);
    if (r->steps == 0) return;
    frame->energy0 = &r->energy0;
    frame->steps = &r->steps;
}

void shoal_frame_of_system(shoal_frame *out, const shoal_stream_system *s, const char *const *files)
{
    shoal_topology_view v;
    if (!out || !s) return;
    const shoal_result *r = &s->result;
    *out = (shoal_frame){.is_result = true,
                         .status = shoal_system_status_name(r->status),
                         .reason = r->reason,
                         .warning = r->warning,
                         .file = files ? files[s->i_file] : NULL,
                         .index = s->index,
                         .record = s->record,
                         .variant = s->n_variants > 0 ? &s->variant : NULL,
                         .conformer = s->conformer >= 0 ? &s->conformer : NULL};
    if (s->topology && shoal_topology_status(s->topology) == SHOAL_SYSTEM_OK) {
        shoal_topology_get(s->topology, &v);
        out->types = v.types;
    }
    if (s->engine && shoal_system_has_numbers(r->status, r->energy)) put_numbers(out, s);
}

/* --- molecules ------------------------------------------------------------------------------------ */

/* With the atoms of the surface, what is known of those of the molecule alone is left out. */
static shoal_status put_molecule(const run_sink *s, const shoal_molecule *mol, shoal_frame *frame,
                                 shoal_string *out)
{
    const shoal_run_options *o = s->run->options;
    shoal_molecule *both = NULL;
    if (!o->slab) return shoal_frame_format(out, s->output->format, mol, frame);
    frame->forces = NULL;
    frame->types = NULL;
    frame->velocities = NULL;
    shoal_status status = shoal_molecule_create(&both);
    if (status == SHOAL_OK) status = shoal_molecule_copy(both, mol);
    if (status == SHOAL_OK) status = shoal_molecule_add_surface(both, o->slab, o->slab_c);
    if (status == SHOAL_OK) status = shoal_frame_format(out, s->output->format, both, frame);
    shoal_molecule_destroy(both);
    return status;
}

/* The first system of a run that may be written. */
static int64_t first_of(const shoal_stream_input *in)
{
    if (in->n_shards < 2) return in->first;
    return in->first + (in->shard - in->first % in->n_shards + in->n_shards) % in->n_shards;
}

static shoal_status put_system(const run_sink *s, const shoal_stream_system *system,
                               shoal_string *out)
{
    const shoal_run_options *o = s->run->options;
    shoal_frame frame = {0};
    /* There is nothing to write; it is among those that failed. */
    if (system->result.status == SHOAL_SYSTEM_UNREADABLE) return SHOAL_OK;
    if (s->output->format == SHOAL_FORMAT_POSCAR && system->index != first_of(&o->stream->input))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "a POSCAR has room for one structure, expected one system or .cif");
    if (o->frame)
        SHOAL_TRY(o->frame(o->user, system, s->output->format, &frame));
    else
        shoal_frame_of_system(&frame, system, o->stream->input.files);
    return put_molecule(s, system->mol, &frame, out);
}

/* A geometry on the way. */
static shoal_status put_step(const run_sink *s, const shoal_stream_system *system,
                             const shoal_relax_frame *step, shoal_string *out)
{
    const char *const *files = s->run->options->stream->input.files;
    shoal_molecule *mol = NULL;
    shoal_frame frame = {.is_result = true,
                         .status = "on_the_way",
                         .energy = &step->energy,
                         .forces = step->forces,
                         .fmax = &step->fmax,
                         .steps = &step->steps,
                         .time = step->velocities ? &step->time : NULL,
                         .kinetic = step->velocities ? &step->kinetic : NULL,
                         .temperature = step->velocities ? &step->temperature : NULL,
                         .bath = step->velocities ? &step->bath : NULL,
                         .velocities = step->velocities,
                         .masses = step->masses,
                         .file = files ? files[system->i_file] : NULL,
                         .index = system->index,
                         .record = system->record,
                         .variant = system->n_variants > 0 ? &system->variant : NULL,
                         .conformer = system->conformer >= 0 ? &system->conformer : NULL};
    put_auxiliary(&frame, system->topology, step->pos);
    shoal_status status = shoal_molecule_create(&mol);
    if (status == SHOAL_OK) status = shoal_molecule_copy(mol, system->mol);
    if (status == SHOAL_OK) status = shoal_molecule_set_positions(mol, step->pos);
    if (status == SHOAL_OK) status = put_molecule(s, mol, &frame, out);
    shoal_molecule_destroy(mol);
    return status;
}

/* --- sinks ---------------------------------------------------------------------------------------- */

static shoal_status format_system(void *user, const shoal_stream_system *system, shoal_string *out)
{
    const run_sink *s = user;
    const shoal_run_options *o = s->run->options;
    if (s->output->put) return s->output->put(s->output->user, system, out);
    shoal_stream_system shown = *system;
    if (o->show) o->show(o->user, &shown);
    switch (s->output->kind) {
    case SHOAL_OUTPUT_CSV:
        return shoal_results_csv(&o->what, &shown, o->stream->input.files, o->stream->input.n_files,
                                 out);
    case SHOAL_OUTPUT_HDF5: return shoal_results_format(&o->what, &shown, out);
    case SHOAL_OUTPUT_MOLECULES: return put_system(s, &shown, out);
    case SHOAL_OUTPUT_FF_TABLE:
        return shown.topology ? shoal_ff_table_put(out, shown.mol, shown.topology) : SHOAL_OK;
    case SHOAL_OUTPUT_TEXT: break;
    }
    return SHOAL_OK;
}

static shoal_status format_step(void *user, const shoal_stream_system *system,
                                const shoal_relax_frame *step, shoal_string *out)
{
    const run_sink *s = user;
    if (s->output->kind == SHOAL_OUTPUT_HDF5)
        return shoal_results_format_frame(&s->run->options->what, system, step, out);
    return put_step(s, system, step, out);
}

static shoal_status take_text(const run_sink *s, const char *text, size_t size)
{
    shoal_string kept = {0};
    shoal_status status = s->output->take(s->output->user, text, size, &kept);
    if (status == SHOAL_OK) status = shoal_string_status(&kept);
    if (status == SHOAL_OK)
        status = run_file_write(s->file, shoal_string_data(&kept), shoal_string_size(&kept));
    shoal_string_free(&kept);
    return status;
}

static shoal_status write_text(void *user, const char *text, size_t size)
{
    const run_sink *s = user;
    const shoal_status status =
        s->output->take ? take_text(s, text, size) : run_file_write(s->file, text, size);
    if (status != SHOAL_OK) s->run->broken = true;
    return status;
}

shoal_sink run_make_sink(run_sink *s)
{
    return (shoal_sink){.format = s->output->frames ? NULL : format_system,
                        .step = s->output->frames ? format_step : NULL,
                        .write = write_text,
                        .user = s};
}
