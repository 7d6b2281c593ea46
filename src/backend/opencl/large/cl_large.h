/* SPDX-License-Identifier: BSD-3-Clause
 * Large and periodic systems on an OpenCL device: many work-groups per system (kernels/large.h). */
#ifndef SHOAL_BACKEND_CL_LARGE_H
#define SHOAL_BACKEND_CL_LARGE_H

#include "backend/opencl/cl_body.h"
#include "backend/opencl/cl_direct.h"
#include "backend/opencl/cl_md.h"
#include "backend/opencl/cl_model.h"
#include "backend/opencl/cl_surface.h"
#include "backend/opencl/large/cl_ewald.h"
#include "backend/opencl/large/cl_large_pack.h"
#include "backend/state.h"
#include "base/arena.h"
#include "cl/cl_real.h"
#include "cl/cl_routine.h"

_Static_assert(sizeof(large_topology) == 4 * (12 + 3 * TERM_N_KINDS), "kernels/large_layout.h");
_Static_assert(sizeof(large_system) == 128, "kernels/large_layout.h");

/* Buffers in the order of the arguments of every kernel: name, numbers per object, whether these are
 * reals (else 32-bit integers). Those before the blocks are shared by all slices. */
#define CL_LARGE_BUFFERS(X)                                                                        \
    X(topologies, sizeof(large_topology) / 4, false)                                               \
    X(term_atoms, 4, false)                                                                        \
    X(term_shifts, 4, false)                                                                       \
    X(term_numbers, 4, true)                                                                       \
    X(gather_start, 1, false)                                                                      \
    X(gather, 4, false)                                                                            \
    X(exclude_start, 1, false)                                                                     \
    X(exclude, 2, false)                                                                           \
    X(atoms, 4, true)                                                                              \
    X(link_start, 1, false)                                                                        \
    X(link_atoms, 1, false)                                                                        \
    X(link_shares, 1, true)                                                                        \
    X(link_scales, 1, true)                                                                        \
    X(site_atoms, 1, false)                                                                        \
    X(site_numbers, 1, true)                                                                       \
    X(settings, LARGE_SETTINGS, true)                                                              \
    X(blocks, 4, false)                                                                            \
    X(systems, sizeof(large_system) / 4, false)                                                    \
    X(restraint_atoms, 4, false)                                                                   \
    X(restraints, LARGE_RESTRAINT, true)                                                           \
    X(geometry, LARGE_GEOMETRY, true)                                                              \
    X(status, LARGE_STATUS, false)                                                                 \
    X(states, LARGE_STATE, true)                                                                   \
    X(terms, N_ENERGIES, true)                                                                     \
    X(anchors, 4, true)                                                                            \
    X(homes, 4, false)                                                                             \
    X(anchor_turns, 4, true)                                                                       \
    X(positions, 4, true)                                                                          \
    X(forces, 4, true)                                                                             \
    X(wrapped, 4, true)                                                                            \
    X(images, 4, false)                                                                            \
    X(turns, 4, true)                                                                              \
    X(origins, 4, true)                                                                            \
    X(slots, 4, true)                                                                              \
    X(sums, 4, true)                                                                               \
    X(list, LARGE_ENTRIES, false)                                                                  \
    X(cells, 1, false)                                                                             \
    X(table, 4, true)                                                                              \
    X(kvecs, 4, false)                                                                             \
    X(kvec_values, 4, true)                                                                        \
    X(kvec_sums, 4, true)                                                                          \
    X(moves, 4, true)                                                                              \
    X(history, 4 * LARGE_VECTORS, true)                                                            \
    X(lows, 4, true)                                                                               \
    X(strains, 8, true)                                                                            \
    X(mesh_turns, 4, true)                                                                         \
    X(mesh_weights, 1, true)                                                                       \
    X(mesh, 1, true)                                                                               \
    X(splines, 1, true)

enum {
#define CL_LARGE_NAME(name, numbers, real) CL_LARGE_##name,
    CL_LARGE_BUFFERS(CL_LARGE_NAME)
#undef CL_LARGE_NAME
        CL_LARGE_N_BUFFERS
};
#define CL_LARGE_FIRST_OF_SLICE CL_LARGE_blocks

/* Lists of blocks: what a group works on. */
enum {
    CL_LARGE_SYSTEMS,  /* a system */
    CL_LARGE_BONDED,   /* terms of one kind */
    CL_LARGE_ISOLATED, /* four particles of an isolated system, model by model */
    CL_LARGE_PERIODIC, /* four particles of a periodic one, model by model */
    CL_LARGE_KVECS,    /* four k-vectors */
    CL_LARGE_CHARGED,  /* four particles of a system with k-vectors */
    CL_LARGE_MESHED,   /* particles of a system with a mesh, one per work-item */
    CL_LARGE_BRICKS,   /* a brick of nodes */
    CL_LARGE_ROWS,     /* a bundle of pairs of rows of nodes */
    CL_LARGE_COLUMNS,  /* a bundle of lines along the middle axis */
    CL_LARGE_MODES,    /* a bundle of lines along the first axis */
    CL_LARGE_PULLED,   /* four particles of a system with a mesh */
    CL_LARGE_CHAINED,  /* four particles of a chain with charges */
    CL_LARGE_LISTED,   /* particles whose lists are made */
    CL_LARGE_SITED,    /* sites, one per work-item */
    CL_LARGE_MOVERS,   /* atoms and directions, one per work-item */
    CL_LARGE_FREE,     /* the same of systems without rigid bodies .. */
    CL_LARGE_BODIED,   /* .. and of those with some */
    CL_LARGE_EVERY,    /* the same of all systems, also those that have come to an end */
    CL_LARGE_N_LISTS
};

/* Kernels: source, name, list of blocks; in the order of a step. */
#define CL_LARGE_KERNELS(X)                                                                        \
    X(list, cells, SYSTEMS)                                                                        \
    X(list, list, LISTED)                                                                          \
    X(list, ready, SYSTEMS)                                                                        \
    X(sites, place, SITED)                                                                         \
    X(bonded, bonded, BONDED)                                                                      \
    X(pairs, pairs, ISOLATED)                                                                      \
    X(pairs, images, PERIODIC)                                                                     \
    X(kvecs, kvecs, KVECS)                                                                         \
    X(kvecs, potential, CHARGED)                                                                   \
    X(mesh, mesh_place, MESHED)                                                                    \
    X(mesh, mesh_spread, BRICKS)                                                                   \
    X(waves, mesh_rows, ROWS)                                                                      \
    X(waves, mesh_columns, COLUMNS)                                                                \
    X(waves, mesh_modes, MODES)                                                                    \
    X(waves, mesh_columns_back, COLUMNS)                                                           \
    X(waves, mesh_rows_back, ROWS)                                                                 \
    X(mesh, mesh_pull, PULLED)                                                                     \
    X(chain, chain, CHAINED)                                                                       \
    X(assemble, spread, SITED)                                                                     \
    X(assemble, assemble, MOVERS)                                                                  \
    X(assemble, terms, SYSTEMS)                                                                    \
    X(strain, strain_terms, BONDED)                                                                \
    X(strain, strain_sites, SITED)                                                                 \
    X(fire, fire, SYSTEMS)                                                                         \
    X(fire, fire_move, FREE)                                                                       \
    X(md, md, SYSTEMS)                                                                             \
    X(md, md_move, FREE)                                                                           \
    X(rigid, tangent, MOVERS)                                                                      \
    X(rigid, share, MOVERS)                                                                        \
    X(rigid, rigid_move, MOVERS)                                                                   \
    X(lbfgs, lbfgs_move, MOVERS)                                                                   \
    X(lbfgs, lbfgs, SYSTEMS)                                                                       \
    X(lbfgs, precondition, MOVERS)                                                                 \
    X(lbfgs, history, MOVERS)                                                                      \
    X(lbfgs, direction, SYSTEMS)                                                                   \
    X(lbfgs, combine, MOVERS)                                                                      \
    X(lbfgs, accept, EVERY)                                                                        \
    X(body, body_push, BODIED)                                                                     \
    X(body, body_sums, BODIED)                                                                     \
    X(body, body_fire, BODIED)                                                                     \
    X(body, body_try, BODIED)                                                                      \
    X(body, body_come, BODIED)                                                                     \
    X(body, body_wall, BODIED)                                                                     \
    X(body, body_soft, BODIED)                                                                     \
    X(body, body_stiffen, BODIED)                                                                  \
    X(body, body_length, BODIED)                                                                   \
    X(body, body_md, BODIED)

enum {
#define CL_LARGE_KERNEL(source, name, blocks) CL_LARGE_K_##name,
    CL_LARGE_KERNELS(CL_LARGE_KERNEL)
#undef CL_LARGE_KERNEL
        CL_LARGE_N_KERNELS
};

/* A kernel and what it was told. */
typedef struct cl_large_kernel {
    cl_routine routine;
    int32_t bound;       /* allocations of buffers when its arguments were set */
    int32_t bound_first; /* first block that it was told */
} cl_large_kernel;

/* Pairs of the systems with one pair model, or with none, that are clamped or not. */
typedef struct cl_large_pairs {
    cl_model model; /* all zero: none */
    bool clamped;
    cl_code codes[2];           /* of pairs, of their slope by strain */
    cl_large_kernel kernels[3]; /* of isolated systems, of periodic ones, of these by strain */
    int32_t list_first[2], list_n[2]; /* blocks of isolated systems and of periodic ones */
} cl_large_pairs;

/* One system and what it needs. */
typedef struct cl_large_place {
    int32_t system, record;
    int32_t pairs;  /* its model among those of the plan */
    double damping; /* of Coulomb, angstrom */
    geom_lattice cell;
    cl_ewald ewald;
    double origin[3];       /* coordinates on the device are relative to it, angstrom */
    double low[3], high[3]; /* range of its coordinates along the vectors of the cell */
    double tail;            /* of vdW beyond the cut-off, eV */
    double reach;           /* of its list, angstrom */
    int32_t least_capacity; /* neighbours that an earlier list was found to need */
    double least_height;    /* height that an earlier slab was found to reach, angstrom */
    double kept_height;     /* the same when origins were kept */
    large_system layout;    /* within its slice */
} cl_large_place;

typedef struct cl_large {
    const backend_input *input;
    cl_target *target;
    bool is_double;
    cl_large_pack pack;
    cl_surface surface;
    cl_direct direct;
    cl_large_place *places; /* [n_places] */
    int32_t n_places;
    cl_buffer buffers[CL_LARGE_N_BUFFERS];
    cl_buffer rigid[3];                /* dynamics: arguments of large_rigid.cl */
    cl_buffer bodies[CL_BODY_BUFFERS]; /* arguments of large_body.cl */
    bool walls;                        /* some atom in a body has a bond to one that is in none */
    cl_code codes[CL_LARGE_N_KERNELS]; /* the first kernel of a source has its program */
    cl_large_kernel kernels[CL_LARGE_N_KERNELS]; /* those of pairs are with the models */
    cl_array pairs;                              /* cl_large_pairs; the first has no model */
    int32_t n_allocations;                       /* of buffers so far */
    /* The present run. */
    int method;                         /* LARGE_EVAL .. */
    double skin;                        /* angstrom */
    int32_t *order, n_order;            /* places that take part, slice by slice */
    int32_t first, n;                   /* the present slice: order[first .. first + n) */
    int64_t counts[CL_LARGE_N_BUFFERS]; /* objects in the buffers of the slice */
    int32_t list_first[CL_LARGE_N_LISTS], list_n[CL_LARGE_N_LISTS];
    void *host[CL_LARGE_N_BUFFERS]; /* copies that were read, of the slice's memory */
    int32_t *status;                /* [n][LARGE_STATUS] */
    int32_t *part;                  /* [n_places] systems of the slice */
    backend_driver driver;
    double step_seconds; /* what a step took the last time; 0: not known */
    bool stepping;       /* steps were made since the driver was started */
    bool strained;       /* the last evaluation of the slice has slopes by strain */
    void *origins; /* where lists were made from, while an evaluation has made others; NULL: not */
    arena memory;  /* of the slice */
} cl_large;

/* Compiles the listed systems of a batch. The target stays the caller's. */
shoal_status cl_large_create(cl_large **out, cl_target *target, const backend_input *input,
                             const int32_t *systems, int32_t n);
void cl_large_destroy(cl_large *large);

/* cl_large.c: see backend.h. */
shoal_status cl_large_change(cl_large *large, const backend_change *change, bool *taken);

/* The programs that a run by a method (LARGE_EVAL ..) wants, appended to requests; rigid: dynamics with rigid bonds;
 * bodies: some systems have them. */
void cl_large_request(const cl_large *large, int method, bool rigid, bool bodies,
                      cl_code_request *requests, int32_t *n);

/* Single points of the slice where its systems are accepted to be; see backend.h. */
shoal_status cl_large_eval(cl_large *large, uint32_t wanted);

/* cl_large_strain.c: after forces, enqueues the slopes by strain; then reads them. */
shoal_status cl_large_launch_strain(cl_large *large);
shoal_status cl_large_read_strain(cl_large *large, backend_result *results);

/* cl_large_driver.c */
shoal_status cl_large_start(cl_large *large, const backend_driver *driver,
                            const backend_result *results);
shoal_status cl_large_step(cl_large *large, int32_t n_steps, const backend_poll *poll);
shoal_status cl_large_read_fields(cl_large *large, uint32_t fields, backend_result *results);

/* cl_large_field.c: slots or neighbours of the first system of the slice. */
shoal_status cl_large_field(cl_large *large, const char *name, backend_field *out);

/* cl_large_state.c: the state of the driver of the only system, between two calls of step or while poll is
 * asked. */
shoal_status cl_large_pass(cl_large *large, state_pass *to);

/* Adds the slices and the memory of a relaxation to a plan; on a target that is dry. */
shoal_status cl_large_describe(cl_large *large, backend_result *results, shoal_plan *plan);

/* cl_large_slice.c: plans the active systems from present coordinates; what the device cannot do is
 * rejected with a reason. */
shoal_status cl_large_begin(cl_large *large, int method, backend_result *results);
/* Whether charges of a system will be summed over a mesh. */
bool cl_large_wants_mesh(const cl_large *large, const cl_large_place *p);
/* Moves on to the next slice, uploads all of it; n is 0 at the end. */
shoal_status cl_large_next_slice(cl_large *large, const backend_result *results);
/* Gives systems with raised flags the room they need, and all a list to be made again. */
shoal_status cl_large_enlarge(cl_large *large);
/* Plans a system with room for so many neighbours and a slab of that height, angstrom. */
void cl_large_want_room(cl_large *large, cl_large_place *p, int32_t capacity, double height);
/* Gives all systems their places anew after that; what they know stays, but for their lists. */
shoal_status cl_large_rearrange(cl_large *large);
shoal_status cl_large_read_status(cl_large *large);
shoal_status cl_large_write_status(cl_large *large);
/* The slice's part of a buffer, valid until the next slice or read of the same. */
shoal_status cl_large_read(cl_large *large, int buffer, void **out);

/* cl_large_blocks.c: lists the blocks of the systems that are not finished. */
shoal_status cl_large_list_blocks(cl_large *large);

/* cl_large_models.c: pairs by model. */
shoal_status cl_large_find_pairs(cl_large *large, const shoal_pair_model *model, bool clamped,
                                 int32_t *out);
cl_large_pairs *cl_large_pairs_at(const cl_large *large, int32_t k);
void cl_large_free_pairs(cl_large *large);
void cl_large_request_pairs(const cl_large *large, cl_code_request *requests, int32_t *n);
shoal_status cl_large_launch_pairs(cl_large *large, int kernel);
shoal_status cl_large_launch_image_strain(cl_large *large);
/* Whether the Coulomb energy of a system with charges is a sum over pairs by charge. */
bool cl_large_has_coulomb(const cl_large *large, const cl_large_place *p);

/* cl_large.c */
/* Sets all arguments that kernels share, if buffers are new. */
shoal_status cl_large_bind(cl_large *large, cl_large_kernel *k, bool *fresh);
/* Launches it for n blocks. */
shoal_status cl_large_run(cl_large_kernel *k, int32_t first, int32_t n);
const large_topology *cl_large_topology(const cl_large *large, const cl_large_place *p);
/* Vectors that steps of a topology move, and rows of its arrays: sites and directions lie in the same ones. */
static inline int32_t cl_large_movers(const large_topology *t)
{
    return t->n_points + t->n_directions;
}
static inline int32_t cl_large_rows(const large_topology *t)
{
    return t->n_points + t->n_sites + t->n_directions;
}
/* Bricks of its mesh, and blocks of lines of modes; 0 without one. */
static inline int32_t cl_large_bricks(const large_system *l)
{
    int32_t n = l->order > 0;
    for (int k = 0; k < 3; ++k) n *= (l->n_nodes[k] + LARGE_BRICK - 1) / LARGE_BRICK;
    return n;
}
static inline int32_t cl_large_mode_blocks(const large_system *l)
{
    if (l->order == 0) return 0;
    const int32_t n = l->n_nodes[1] * l->n_nodes[2] / 2, most = LARGE_BUNDLE(l->n_nodes[0]);
    return (n + most - 1) / most;
}
cl_large_place *cl_large_at(const cl_large *large, int32_t k); /* of the slice */
shoal_status cl_large_launch(cl_large *large, int kernel);
/* Enqueues S times the force of every system that took a step. */
shoal_status cl_large_precondition(cl_large *large);
/* Makes the lists that are wanted, in as much room as they turn out to need. */
shoal_status cl_large_make_lists(cl_large *large);
/* Enqueues forces and energies of all systems whose flags are down. */
shoal_status cl_large_forces(cl_large *large);
/* Numbers that hold for all systems, to the device. */
shoal_status cl_large_settings(cl_large *large, int method, const backend_driver *driver);

#endif
