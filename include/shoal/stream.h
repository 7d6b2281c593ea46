/* SPDX-License-Identifier: BSD-3-Clause
 * Streams: systems from files through typing, computing and formatting into texts, all of it at once.
 *
 * Threads cut files into records, parse, type, compute and format them while the caller's thread hands the
 * texts on in the order of the input. Memory is bounded, whatever the length of the input. How systems
 * are joined for the device changes no bit of a result. */
#ifndef SHOAL_STREAM_H
#define SHOAL_STREAM_H

#include "shoal/engine.h"
#include "shoal/ensemble.h"
#include "shoal/io.h"
#include "shoal/selection.h"
#include "shoal/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum shoal_job {
    SHOAL_JOB_READ = 0, /* molecules as they are in the file */
    SHOAL_JOB_TYPE,     /* perceived and typed */
    SHOAL_JOB_ENERGY,
    SHOAL_JOB_RELAX,
    SHOAL_JOB_MD,
    SHOAL_JOB_MODES,
} shoal_job;

typedef struct shoal_md_options shoal_md_options;       /* shoal/md.h */
typedef struct shoal_md_result shoal_md_result;         /* shoal/md.h */
typedef struct shoal_modes_options shoal_modes_options; /* shoal/modes.h */
typedef struct shoal_modes_result shoal_modes_result;   /* shoal/modes.h */

/* Evaluations that a system takes, about; those of a scan or search times its relaxations. NULL: defaults. */
SHOAL_API double shoal_job_evaluations(shoal_job job, const shoal_relax_options *relax,
                                       const shoal_md_options *md);

/* One system on its way. */
typedef struct shoal_stream_system {
    int64_t
        index; /* in the whole input, from 0: that of the record times its systems, plus the number among these */
    int64_t conformer; /* -1: none were asked for */
    int64_t variant; /* of its conformer; where there are none, the number of the conformer, or 0 */
    int64_t n_variants; /* 0: there are neither variants nor conformers */
    int64_t record;     /* in its file, from 0 */
    int64_t line;       /* of its file where its record begins, from 1 */
    int32_t i_file;     /* of those given */
    int32_t i_engine;   /* its number in the engine */
    int32_t round; /* of variants that are computed again: the one that found this; 0: the first */
    shoal_molecule *
        mol; /* as read; after a relaxation with its atoms where they ended, if there are numbers */
    shoal_topology *topology;         /* NULL where typing was not asked for */
    shoal_charge_source charges_from; /* of the topology, AUTO where there is none */
    shoal_engine *engine;             /* that computed it; NULL where nothing was computed */
    const char *device;               /* "cpu", "opencl:0", ..; "" where nothing was computed */
    /* Of ENERGY and RELAX; status, reason and warning of all jobs; borrowed. A record that cannot be read
     * has SHOAL_SYSTEM_UNREADABLE, file, line and reason, and a molecule without atoms. */
    shoal_result result;
    const shoal_md_result *md;       /* of MD; NULL otherwise, and without numbers; borrowed */
    const shoal_modes_result *modes; /* of MODES; the same */
    /* eV: of the molecule alone, relaxed; NaN where not asked for, and where that does not converge */
    double isolated_energy;
    int32_t isolated_start; /* of compute.alone, that it was found from; 0: the record's geometry */
    bool unfinished;        /* the run was stopped before this one came to an end */
    char *refusal;          /* why a sink left it out; NULL: none did */
    int32_t
        rank; /* among the conformers that were kept, from 1; 0: nobody chose; -1: it was left out, and no sink gets it */
} shoal_stream_system;

/* Where texts go. */
typedef struct shoal_sink {
    /* Appends what it wants of one system. Runs on any thread, for several systems at once. A failure with
     * SHOAL_E_ARGUMENT, _FORMAT or _UNSUPPORTED leaves the system out of this sink; others end the stream. */
    shoal_status (*format)(void *user, const shoal_stream_system *system, shoal_string *out);
    /* Takes the text of consecutive systems, in the order of the input, on the caller's thread. */
    shoal_status (*write)(void *user, const char *text, size_t size);
    void *user;
    /* Appends what it wants of one frame of a trajectory, with options.compute.relax->every > 0; NULL: nothing. Runs
     * on any thread while the system is computed; its texts stand before what format appends, which may be
     * NULL. It fails as format does; a refusal drops the trajectory of that system. */
    shoal_status (*step)(void *user, const shoal_stream_system *system,
                         const shoal_relax_frame *frame, shoal_string *out);
} shoal_sink;

/* What the threads of a stream spend their time on. */
typedef enum shoal_stage {
    SHOAL_STAGE_READ = 0, /* files, cut into records */
    SHOAL_STAGE_PARSE,
    SHOAL_STAGE_TYPE,
    SHOAL_STAGE_PACK, /* batches and engines made */
    SHOAL_STAGE_COMPUTE,
    SHOAL_STAGE_FORMAT,
    SHOAL_STAGE_WRITE,
    SHOAL_STAGE_RELEASE, /* engines and topologies given back */
    SHOAL_N_STAGES,
} shoal_stage;

/* "read", "parse", ..; "" for others. */
SHOAL_API const char *shoal_stage_name(shoal_stage stage);

/* How far a stream has come. */
typedef struct shoal_stream_progress {
    double part; /* 0 to 1, of the input that is done, as far as that can be told */
    /* Systems; done: handed on; before: by an earlier run (input.first; of shards rounded down). */
    int64_t n_read, n_done, n_before;
    int64_t n_computed, n_failed;
    int64_t n_embedded, n_evaluations; /* embedded: records that got conformers */
    double seconds[SHOAL_N_STAGES];    /* spent by all threads together */
    /* A large system under way: */
    int64_t large_index; /* -1: there is none */
    int32_t large_atoms, large_steps;
    double large_energy, large_fmax; /* eV, eV/angstrom; NaN until known */
    /* Devices that failed and were given up while others were left, and what the last of them said; NULL: none. */
    int32_t n_devices_lost;
    const char *device_error;
    /* The last state of the large system state_index, from which a later stream can go on with it; NULL:
     * there is none. Borrowed for the call. */
    const char *state;
    size_t state_size;
    int64_t state_index;
} shoal_stream_progress;

/* Processes that share a stream: rank 0 reads and writes, all of them type, compute and format. All call
 * shoal_stream_run with the same options; both functions are called on the callers' threads. */
typedef struct shoal_peers {
    int32_t rank, size;
    /* Sends bytes[n], which may be changed when it returns; it does not wait for the other. */
    shoal_status (*send)(void *user, int32_t to, const void *bytes, size_t n);
    /* Appends the next message from anyone to out, if one has come. Messages of one sender come in order. */
    shoal_status (*receive)(void *user, int32_t *from, shoal_string *out, bool *found);
    void *user;
} shoal_peers;

/* Whether an MPI launcher started this process as one of several: its standard output is collected, whatever it is. */
SHOAL_API bool shoal_stream_is_rank(void);

/* The ranks of the MPI job that this process is one of, for shoal_stream_options; size 1 where no MPI launcher
 * has started it, unless MPI is wanted nevertheless. To be called once, early, on the thread that will run the
 * streams; MPI is begun unless it already was. Fails with SHOAL_E_UNSUPPORTED where a launcher has started this
 * process but the plugin for MPI is missing: each rank would otherwise do all of the work. */
SHOAL_API shoal_status shoal_peers_open(shoal_peers *out, bool wanted);
/* Waits for the other ranks and ends MPI if open has begun it. Does nothing to peers of another kind. */
SHOAL_API void shoal_peers_close(shoal_peers *peers);

/* UFF label that overrides typing, of an atom counted from 0, or of all that a selection has in a molecule as it is
 * read. */
typedef struct shoal_type_override {
    int32_t atom;
    char label[8];
    shoal_selection *where; /* instead of atom; NULL: that */
} shoal_type_override;

/* What becomes of every record: n systems that differ in coordinates and in what restraints aim at alone. */
typedef struct shoal_variants {
    int64_t n;      /* of every record */
    int32_t series; /* so many in a row come in order; 0: each by itself; n is a multiple .. */
    int32_t group;  /* .. so many in a row are computed at once by one engine; 0: as it comes */
    int32_t stage;  /* of a series: so many are made and computed at a time; 0: one */
    /* Makes system->variant of a molecule that was typed and placed: pos[n_atoms][3] has its coordinates, and
     * restraints[options.constraints.n_restraints] are those of the options; both may be changed.
     * earlier[n_earlier]: those of the stages before in its series, with results and with their atoms where they ended. A
     * position that is restrained is held where the variant starts, unless its target was changed. Runs on any
     * thread, for several systems at once, and perhaps again for the same variant, which has to come out the same.
     * SHOAL_E_ARGUMENT and _UNSUPPORTED fail this variant, others end the stream. */
    shoal_status (*make)(void *user, const shoal_stream_system *system,
                         const shoal_stream_system *earlier, int32_t n_earlier, double (*pos)[3],
                         shoal_restraint *restraints);
    /* Where QEq charges are asked for, each system has those of its own geometry, and relaxations go on until charges are
     * those of the geometry in which they end, to 1e-5 e; so have molecules without their surface. Otherwise, and of
     * layers that move, charges are those of the record. */
    bool own_charges;
    /* Of relaxations, not in series: when all have results, says in round 1, 2, .. whether system unit[i] of those that
     * stay together (a group, or one alone) is computed again, and from where. pos[n_atoms][3] has the molecule as make
     * finds it, restraints what make left; both may be changed where *wanted is set to true. A minimum
     * takes the place of none, and of one that is higher by more than gain (eV). Rounds end when `calm` of them in
     * a row (0: one) were not wanted. It is called as make is. NULL: there are no rounds. */
    shoal_status (*again)(void *user, const shoal_stream_system *unit, int32_t i, int32_t round,
                          double (*pos)[3], shoal_restraint *restraints, bool *wanted);
    int32_t calm;
    double gain;
    void *user;
} shoal_variants;

typedef enum shoal_orientation {
    SHOAL_ORIENT_AS_IS = 0,
    SHOAL_ORIENT_FLAT,    /* the axis of the largest moment of inertia along z */
    SHOAL_ORIENT_UPRIGHT, /* the axis of the smallest one along z */
} shoal_orientation;

/* Where a molecule is put before it is computed: turned about its centre, then moved. */
typedef struct shoal_placement {
    shoal_orientation orient;
    double rotate[3]; /* degrees about x, then y, then z; after that */
    bool has_at;
    double at[2];  /* angstrom: where its centre goes along x and y */
    double height; /* angstrom: its lowest atom above the surface; 0: it stays */
} shoal_placement;

/* A record that lies in memory instead of a file. Zero and NULL mean none, or what the options say of all. It is read
 * by several threads, and nothing of it may change during the call. One that makes no sense becomes a system that
 * failed, with a reason. */
typedef struct shoal_record {
    /* The same may stand in any number of records, as of conformers. What perception has found of it stays; one
     * that was not perceived is perceived with the coordinates of each record. */
    const shoal_molecule *molecule;
    const double (*pos)[3]; /* [n_atoms] angstrom; NULL: those of the molecule */
    /* Instead of typing, with the atoms of the molecule, whose bonds then stay as they are; NULL: typed. */
    shoal_topology *topology;
    const bool *fixed; /* [n_atoms], besides those that the options name */
    /* Behind those of the options; variants do not see them. A position is held at its target, or where the
     * atom starts if that is three times not a number. */
    const shoal_restraint *restraints;
    int32_t n_restraints;
    const int32_t
        *bodies; /* [n_atoms] as in shoal_system, instead of those of the options; NULL: these */
} shoal_record;

/* The options of a stream, by subject. Zero and NULL mean none or the default. Pointers are borrowed for the call. */

/* Which records a stream reads, and which of their systems it takes. */
typedef struct shoal_stream_input {
    const char *const *files; /* "-" is standard input */
    int32_t n_files;
    /* Instead of files: records in memory. They have the numbers 0 to n_records - 1, i_file 0 and line 0, and cannot be
     * shared with peers (SHOAL_E_UNSUPPORTED). */
    const shoal_record *records;
    int64_t n_records;
    shoal_format format; /* of all files */
    shoal_read_options read;
    bool
        strict; /* a record that cannot be read ends the stream; otherwise it is a system that failed */
    /* Which systems; numbers are those in the whole input, whatever is passed over. */
    int64_t first; /* those before it are passed over: an earlier stream handed them on */
    /* index % n_shards == shard alone; n_shards 0: all. Series and groups of variants are counted instead, as they
     * are not cut. */
    int32_t shard, n_shards;
} shoal_stream_input;

/* A large system that an earlier stream left half done, and the states that a later one can go on from. */
typedef struct shoal_stream_resume {
    const char *state; /* as progress told it; NULL: all systems begin at the beginning */
    size_t size;
    int64_t index;  /* of the system that this is a state of */
    double seconds; /* between two states of a large system; 0: none are taken */
} shoal_stream_resume;

/* How records are perceived and typed. */
typedef struct shoal_stream_typing {
    const shoal_perceive_options *perceive;
    const shoal_typing_options *forcefield;
    const shoal_type_override *types;
    int32_t n_types;
    bool file_types;    /* labels that an earlier run wrote into a file decide on types, too */
    bool drop_solvent;  /* of frameworks: what is not bonded to them */
    bool primitive;     /* crystals become their primitive cells */
    bool space_group;   /* of crystals, in the data field "space_group": number and symbol */
    bool keep_flat;     /* computes drawings as they are; otherwise they are embedded */
    bool add_hydrogens; /* where valences lack them; otherwise their lack is a warning */
    int32_t fragment;   /* 1 or 2: only that one of frames of two; other molecules fail. 0: all */
} shoal_stream_typing;

/* What becomes of a record: where its molecule is put, what lies below it, how many systems it gives. */
typedef struct shoal_stream_build {
    shoal_conformers conformers;
    const shoal_placement *placement;
    const shoal_variants *variants;
    /* Layers that were split off the surface of the engine: every system gets their atoms behind its own, after
     * it was typed, and is put above them. Fixed atoms and restraints may name them. */
    const shoal_surface *movable;
    double
        movable_spring; /* eV/angstrom^2 that ties each of these atoms to its place in the crystal; 0: none */
} shoal_stream_build;

/* What holds atoms, in every system. */
typedef struct shoal_stream_constraints {
    const int32_t *fixed; /* atoms that do not move */
    int32_t n_fixed;
    shoal_selection *const
        *fix; /* the same by selections, found for every system where its atoms begin */
    int32_t n_fix;
    const shoal_restraint *restraints; /* a position is held where the atom starts */
    int32_t n_restraints;
    /* Rigid bodies, as in shoal_system: what each selection finds is one, and no atom is found twice .. */
    shoal_selection *const *rigid;
    int32_t n_rigid;
    bool
        rigid_molecules; /* .. or everything that bonds hold together, if some of it is not fixed */
} shoal_stream_constraints;

/* How systems are computed, and with what means. */
typedef struct shoal_stream_compute {
    /* Its n_threads is that of the stream, and its device may name several, separated by commas: each system is
     * computed by one of them, whichever is free. */
    const shoal_engine_options *engine;
    const shoal_relax_options
        *relax; /* of SHOAL_JOB_RELAX, and of the relaxation before SHOAL_JOB_MODES */
    const shoal_md_options *md;
    const shoal_modes_options *modes;
    /* Every molecule is also relaxed without its surface, free of constraints, once per record: from where it was read,
     * and from the geometries that `alone` makes of it (NULL: none), as shoal_search_conformers does. The lowest energy counts. */
    bool adsorption;
    const struct shoal_variants *alone;
    int32_t
        n_threads; /* 0: all; a large system may use as many again while small ones are computed */
    int32_t slice_systems; /* most that are computed together; 0: by the device */
    int64_t memory_bytes; /* that systems on their way may take, about; 0: 256 MiB, on OpenCL 512 */
} shoal_stream_compute;

/* What comes out. */
typedef struct shoal_stream_output {
    const shoal_sink *sinks;
    int32_t n_sinks;
    /* Consecutive systems, in the order of the input, on the caller's thread, before their texts are written.
     * A failure ends the stream. */
    shoal_status (*visit)(void *user, const shoal_stream_system *systems, int32_t n);
    /* Called now and then on the caller's thread; false ends the stream with what is finished. */
    bool (*monitor)(void *user, const shoal_stream_progress *progress);
    void *user; /* of visit and monitor */
} shoal_stream_output;

typedef struct shoal_stream_options {
    shoal_job job;
    shoal_stream_input input;
    shoal_stream_resume resume;
    shoal_stream_typing typing;
    shoal_stream_build build;
    shoal_stream_constraints constraints;
    shoal_stream_compute compute;
    shoal_stream_output output;
    /* NULL: this process alone. Of systems that others computed, visit sees numbers, status, texts and a
     * molecule that has a name and nothing else. */
    const shoal_peers *peers;
} shoal_stream_options;

/* Runs a stream to its end. With peers, all ranks return the same status, but for one that failed by itself;
 * text is written, visit called and progress counted for all on rank 0. When it is stopped, all systems before the
 * first unfinished one have been handed on, and none behind it. When the input or a sink fails, everything before
 * the failure has been handed on; when a device fails, all blocks of systems before those that it was computing. A
 * system that lacks an atom which an option names is untyped, with the reason. */
SHOAL_API shoal_status shoal_stream_run(const shoal_stream_options *options);

#ifdef __cplusplus
}
#endif

#endif
