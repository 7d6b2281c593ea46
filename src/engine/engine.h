/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of an engine, for the jobs of the run layer. */
#ifndef SHOAL_ENGINE_ENGINE_H
#define SHOAL_ENGINE_ENGINE_H

#include "backend/backend.h"
#include "ff/auxiliary.h"

/* Evaluations of a relaxation, where none are asked for. */
#define ENGINE_MAX_STEPS 5000

/* The largest pair_clamp: pairs at rest are farther apart. */
#define ENGINE_MOST_CLAMP 0.95

/* What results say of the geometry where a run ends. */
enum { ENGINE_END = BACKEND_FORCES | BACKEND_TERMS | BACKEND_STRAIN };

typedef struct engine_shadow engine_shadow;
typedef struct relax_run relax_run;
struct md_run;
struct engine_md;
struct engine_live;

/* The batch compiled in one precision. */
typedef struct engine_plan {
    backend_input input;
    void *plan; /* NULL until it is needed */
} engine_plan;

struct shoal_engine {
    const shoal_backend *backend;
    void *device;
    shoal_engine_options options; /* defaults filled in; device is not kept */
    engine_plan exact;            /* for energies */
    /* Where relaxations begin, if in another precision than that of energies; what it cannot finish goes on
     * in the exact one. */
    engine_plan fast;
    bool mixed;
    int32_t n_systems;
    shoal_topology **kept; /* all topologies once, references of the engine's own */
    int32_t n_kept;
    shoal_topology **topologies; /* [n_systems] */
    backend_system *systems;     /* [n_systems] */
    backend_result *results;     /* [n_systems] */
    int32_t *starts;             /* [n_systems + 1] first atoms, in arrays of atoms alone */
    int32_t n_auxiliary;         /* electron pairs and directions of all systems */
    double (*pos)[3]; /* of all systems together, and so are the next two; see auxiliary.h */
    double (*forces)[3];
    bool *fixed;
    shoal_restraint *restraints;
    int32_t *bodies; /* of all systems together, as fixed; NULL: nothing is rigid */
    char (*warnings)[BACKEND_REASON_SIZE]; /* [n_systems]; NULL: none so far */
    double lattice[2][2];                  /* of the surface, see placement_lattice */
    thread_pool *pool;                     /* for short loops over many systems; may be NULL */
    engine_shadow *shadow;                 /* NULL: none */
    bool evaluated;
    bool cell_moved; /* in the last run, under that pressure */
    double pressure;
    double (*elastic)[6][6]; /* [n_systems] slopes of stress by strain, NULL: never asked for */
    struct engine_symmetry {
        int32_t n;               /* operations that were kept, 0: none */
        double moved;            /* angstrom, the largest move of an atom back to its place */
    } * symmetry;                /* [n_systems], NULL: never asked for */
    bool has_symmetry;           /* from the last run */
    bool has_elastic;            /* from the last run */
    const relax_run *run;        /* the relaxation that is under way; NULL: none */
    const struct md_run *md_run; /* the same of dynamics */
    struct engine_md *md;        /* what is kept of the last one; NULL: there was none */
    struct engine_live *live;    /* NULL: it never was */
    shoal_string *stopped; /* the state of the last one, if its monitor stopped it; else NULL */
    /* Arrays of shoal_engine_view, made when asked for; stale after a run. */
    double *flat_energies, *flat_terms, *flat_fmax;
    int32_t *flat_steps;
    shoal_system_status *flat_status;
    double (*flat_pos)[3], (*flat_forces)[3]; /* of atoms alone, where there is anything else */
    bool flat_is_fresh;
};

/* Atoms of the molecule: what users see of a system. Its view counts electron pairs, too. */
static inline int32_t engine_n_atoms(const shoal_engine *engine, int32_t i)
{
    return engine->starts[i + 1] - engine->starts[i];
}

/* Rows of a system in pos, forces, velocities and masses: atoms, electron pairs, directions. */
static inline int32_t engine_n_movers(const shoal_engine *engine, int32_t i)
{
    return mover_count(&engine->systems[i].view);
}

/* The first of these in arrays of all systems together. */
static inline ptrdiff_t engine_first_mover(const shoal_engine *engine, int32_t i)
{
    return engine->results[i].pos - engine->pos;
}

/* Rows of all systems together. */
static inline size_t engine_all_movers(const shoal_engine *engine)
{
    return (size_t)engine->starts[engine->n_systems] + (size_t)engine->n_auxiliary;
}

/* The plan of a precision, made if there is none yet. */
shoal_status engine_need_plan(shoal_engine *engine, engine_plan *plan);

/* Before a run: ends the one that could go on, forgets results, and takes systems that cannot be computed where they are
 * out of it. */
shoal_status engine_begin_run(shoal_engine *engine);
/* What a backend was told to evaluate of systems of a part; fmax as results have it. */
shoal_status engine_read(shoal_engine *engine, const void *plan, const backend_part *part,
                         uint32_t fields);
/* Adds to what a system's row warns of; text may be "". */
void engine_warn(shoal_engine *engine, int32_t i, const char *text);
/* Single points of all active systems; fields: what is wanted of them. */
shoal_status engine_evaluate(shoal_engine *engine, engine_plan *plan, uint32_t fields);
/* After a run: rejects a system whose numbers are not finite, and says why. */
void engine_reject_not_finite(shoal_engine *engine, int32_t i);
/* Rejects active systems that have come to stand where they must not. */
void engine_check_placement(shoal_engine *engine);

/* clamp.c: warns of pairs that are clamped where the systems are now. */
void engine_warn_of_clamps(shoal_engine *engine);

/* shadow.c: ref beside another device. */
shoal_status engine_shadow_create(engine_shadow **out, const shoal_engine *engine);
void engine_shadow_destroy(engine_shadow *shadow);
/* Computes all systems that have numbers by ref where they are now; those whose numbers are not ref's get
 * SHOAL_SYSTEM_DIFFERS and a reason that names atom and term. */
shoal_status engine_shadow_compare(engine_shadow *shadow, shoal_engine *engine);

#endif
