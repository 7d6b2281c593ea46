/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a topology and the steps that build it. */
#ifndef SHOAL_FF_TOPOLOGY_H
#define SHOAL_FF_TOPOLOGY_H

#include "base/arena.h"
#include "ff/pair_model.h"
#include "ff/uff_table.h"
#include "shoal/topology.h"
#include "shoal/topology_builder.h"

#include "constants.h"

/* What files of topologies say they are. */
#define TOPOLOGY_FORMAT "shoal topology"
#define TOPOLOGY_MMFF94 "mmff94" /* the form of its pairs */
enum { TOPOLOGY_VERSION = 1 };

struct shoal_topology {
    int32_t references; /* changed atomically */
    shoal_system_status status;
    char reason[256];
    char warning[256];       /* "; " between several */
    bool uses_positions;     /* another conformer would get another one */
    uint64_t hash;           /* once it is complete, see topology_seal */
    shoal_pair_model *model; /* a reference, or NULL; also where the view has none */
    arena memory;            /* owns everything below */
    /* [n_pairs + n_directions] where these begin, if not by the atoms; or NULL */
    const double (*places)[3];
    shoal_topology_view view;
};

/* A molecule on its way to a topology. */
typedef struct uff_builder {
    const shoal_molecule *mol;
    const shoal_typing_options *options;
    shoal_topology *topology;
    shoal_topology_builder *out;
    const graph *g;
    bool shifted;           /* some bonds lead to other images */
    const uff_type **types; /* [n_atoms]; NULL in another force field */
    hybridization *hyb;     /* [n_atoms] of perception, or what the type demands */
    const char
        *digit; /* [n_atoms] geometry of C, N, O and S by firecore's rules, else 0; or NULL */
    const double *found_order; /* [n_bonds] by firecore's rules; or NULL */
    bool framework;            /* some oxygen is O_3_z */
    const bool *sheet;         /* [n_atoms] part of a sheet of boron nitride; NULL: there is none */
    double *order;             /* [n_bonds] as used by the parameters */
    double *natural;           /* [n_bonds] natural lengths r0, angstrom */
    const double *charges;     /* [n_atoms] e, that the molecule has or gets; NULL: none */
    const int32_t *ion; /* [n_atoms] charge of the molecule that it is a part of, with a model */
    arena *scratch;
} uff_builder;

/* Where charges are to come from, with what the model says in the place of auto; mol NULL: one without charges. */
shoal_charge_source topology_asked_charges(const shoal_typing_options *options,
                                           const shoal_molecule *mol);
/* Whether charges of a molecule without any would depend on its geometry. */
bool topology_equilibrates(const shoal_typing_options *options);

/* Gives every atom a type and a hybridisation. Sets the topology's status and reason if one cannot
 * be typed. */
shoal_status uff_assign_types(uff_builder *b);

/* Fills digit and found_order. */
shoal_status firecore_find_digits(uff_builder *b);

/* What an element may be part of, joined by or. */
typedef enum uff_solid_marks {
    UFF_HAS_BORON = 1,
    UFF_HAS_TETRAHEDRA = 2,
    UFF_HAS_METAL = 4,
} uff_solid_marks;

uff_solid_marks uff_solid_mark(int32_t z);

/* After all atoms have types: those of zeolites and of boron nitride, and warnings about salts and metals. */
shoal_status uff_type_solids(uff_builder *b, uff_solid_marks marks);
void uff_warn_solids(uff_builder *b);

/* uff4mof.c: after all atoms have types of UFF, those of metal nodes; rejects what has none. */
shoal_status uff4mof_assign(uff_builder *b);
/* Of UFF4MOF or UFF, NULL if there is none. */
const uff_type *uff4mof_type_by_label(const char *label);
/* 0 where it has no rule. */
double uff4mof_bond_order(const uff_builder *b, const shoal_bond *bond);
/* Whether carbon atoms among the partners of a metal atom are bonded to each other, side-on: the first two. No term is made
 * for such bonds. */
bool uff_is_haptic(const uff_builder *b, int32_t metal, int32_t pair[2]);
/* A warning where plain UFF types metal nodes. */
void uff4mof_hint(uff_builder *b);

static inline bool is_uff4mof(const uff_builder *b)
{
    return b->options->forcefield == SHOAL_FORCEFIELD_UFF4MOF;
}

/* Elements whose label has a fixed coordination digit in RDKit, whatever the hybridisation; the
 * angles still follow the hybridisation. */
bool uff_has_fixed_digit(int32_t z);

/* Marks the system as untyped; returns SHOAL_OK, because a bad system is data. */
shoal_status topology_reject(shoal_topology *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds something that the user should know of a system that is typed; what it says must follow from what makes
 * two topologies equal, or uses_positions must be set. */
void topology_warn(shoal_topology *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The arrays of a view, as long as they may be written: x, d, charges, strengths of hydrogen bonds. */
typedef struct atom_parameters {
    double *x, *d, *q, *h;
} atom_parameters;

/* vdw_x, vdw_d, hbonds and charges by the pair model that the options name. A type that it lacks makes the system
 * untyped. */
shoal_status topology_set_params(uff_builder *b, const atom_parameters *to);
/* The type of an atom in the table of the model. */
const shoal_atom_type *topology_table_type(const uff_builder *b, int32_t atom);
/* After exclusions: the sites that the model asks for. */
shoal_status topology_add_sites(uff_builder *b);
/* Whether the molecule's charges act, and where they came from. */
void topology_note_charges(uff_builder *b);
/* Radii that depend on charges, and charges as they act; after sites. */
shoal_status topology_settle_charges(uff_builder *b);

/* pairs_14.c: 1-4 pairs, where the model has factors for them. */
bool topology_has_14(const shoal_pair_model *model);
size_t topology_most_14(const uff_builder *b);
/* No more chains of three bonds than this; the pairs at their ends that are neither 1-2 nor 1-3 partners, each once,
 * with room for so many. After exclusions. */
size_t topology_most_chains(const uff_builder *b);
int32_t topology_find_14(const uff_builder *b, shoal_special_pair *out);
/* Terms behind all others, and exclusions, which must be there. */
shoal_status topology_add_14(uff_builder *b);
/* Their parameters, once radii and charges are those that act. */
void topology_settle_14(shoal_topology *t);

/* Of a bond: the order that its parameters are made with, the natural length in angstrom by types and order, and the
 * constant in eV/angstrom^2. */
double uff_bond_order(const uff_builder *b, const shoal_bond *bond);
double uff_natural_length(const uff_type *i, const uff_type *j, double order);
double uff_bond_constant(const uff_type *i, const uff_type *j, double r0);
/* An order given for two atoms without a bond makes the system untyped. */
shoal_status uff_check_orders(const uff_builder *b);

/* Records for which there is room. */
shoal_status uff_build_bonds(uff_builder *b);
void uff_build_angles(uff_builder *b);
/* Guards of bipyramids, terms of their own; after all others. */
void uff_build_guards(uff_builder *b);
bool uff_is_bipyramid(const uff_builder *b, int32_t j);
void uff_build_torsions(uff_builder *b);
void uff_build_inversions(uff_builder *b);
/* No more torsions than this about a bond. */
int32_t uff_most_torsions(const uff_builder *b, const shoal_bond *bond);
shoal_status uff_build_exclusions(uff_builder *b);
/* Whether atom i has no pair with this image of atom j. */
bool topology_excludes(const shoal_topology_view *v, int32_t i, int32_t j, const int32_t shift[3]);
/* No more exclusions than this. */
size_t uff_most_exclusions(const graph *g);

/* shoal_topology_create with memory for the meantime that is used again and again. */
shoal_status topology_create(shoal_topology **out, shoal_molecule *mol,
                             const shoal_typing_options *options, arena *scratch);

/* Atoms without bonds: arrays of n, angstrom, eV, e, amu and strengths of hydrogen bonds. */
typedef struct topology_atoms {
    int32_t n;
    const int32_t *elements;
    const char *const *types; /* copied */
    const double *masses, *x, *d, *q, *h;
    bool pbc[3]; /* of the whole */
} topology_atoms;

/* A typed topology with more atoms behind its own. The caller owns a reference. */
shoal_status topology_append(shoal_topology **out, const shoal_topology *topology,
                             const topology_atoms *more);

/* Equal topologies are interchangeable; their hashes are equal. Untyped ones equal only
 * themselves. */
static inline uint64_t topology_hash(const shoal_topology *topology)
{
    return topology->hash;
}
/* Computes the hash of a topology that will not change any more. */
void topology_seal(shoal_topology *topology);
bool topology_equal(const shoal_topology *x, const shoal_topology *y);

/* True for oxygen, sulfur, selenium, tellurium, polonium. */
static inline bool is_group_16(int32_t z)
{
    return z == 8 || z == 16 || z == 34 || z == 52 || z == 84;
}

#endif
