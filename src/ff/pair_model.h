/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a pair model, and its pairs as backends compute them. */
#ifndef SHOAL_FF_PAIR_MODEL_H
#define SHOAL_FF_PAIR_MODEL_H

#include "base/arena.h"
#include "ff/formula.h"
#include "shoal/pair_model.h"
#include "shoal/topology.h"

struct shoal_pair_model {
    int32_t references;           /* changed atomically */
    arena memory;                 /* owns what the settings point to */
    shoal_pair_settings settings; /* defaults filled in */
    shoal_atom_types *types;
    formula *formula;              /* of SHOAL_FORM_FORMULA, else NULL */
    double named[FORMULA_N_NAMED]; /* its constants, in the order of its inputs */
    const double *columns;         /* [types][settings.n_columns] numbers that the formula names */
    const bool *charged;           /* [types] the type has a charge of its own */
};

/* Plain LJ 12-6 and Coulomb without sites, of which topologies need not keep the model. */
bool pair_model_is_plain(const shoal_pair_model *model);

/* FORM_ of kernels/form_terms.h, FORM_FORMULA for a formula. */
int pair_model_family(const shoal_pair_model *model);

/* A pair in its family: E = b B(r) - a A(r). */
typedef struct pair_numbers {
    double a, b, k;
} pair_numbers;

/* What the parameters of two atoms (or sites, which have none) of a topology amount to; not of a formula. */
pair_numbers pair_model_numbers(const shoal_pair_model *model, const shoal_topology_view *view,
                                int32_t i, int32_t j);

/* kC, eV angstrom: MMFF94 has a value of its own. */
double pair_model_unit(const shoal_pair_model *model);

/* An atom of SHOAL_FORM_BUFFERED. Its distance of the minimum is vdw_x, its depth that of two of them, vdw_d; the share
 * sqrt(alpha/N) and whether it is a donor or an acceptor of hydrogen bonds stand in hbonds: negative of a donor, 2^20
 * times the share of an acceptor. The depth of a pair is strength_i strength_j / ((share_i + share_j) R^6). */
typedef struct buffered_atom {
    double r, share, strength;
    bool donor, acceptor;
} buffered_atom;
buffered_atom buffered_atom_of(const shoal_topology_view *view, int32_t i);
double buffered_mark(double share, char da);

/* Square of the distance of the minimum of two particles, angstrom^2, as clamps of pairs have it: those of a model without
 * a depth count as radii of 1 angstrom. arithmetic: the rule where there is no model. */
double pair_model_reach2(const shoal_topology_view *view, bool arithmetic, int32_t i, int32_t j);
/* Half of that distance of a particle of a model; not of SHOAL_FORM_BUFFERED. */
double pair_model_radius(const shoal_topology_view *view, int32_t i);

/* H of two atoms: negative or 0, and 0 where the model has no hydrogen bonds. */
double pair_model_hbond(const shoal_pair_model *model, const shoal_topology_view *view, int32_t i,
                        int32_t j);

/* Whether a system has Coulomb energies of its own: neither a formula holds them nor does its model leave them out. */
bool pair_model_has_coulomb(const shoal_topology_view *view);

/* The columns of an atom, NULL where the formula has none. */
const double *pair_model_columns(const shoal_topology_view *view, int32_t i);

/* Inputs of a formula for a pair, except r: in[FORMULA_N_PAIR] and what the formula names of the types. */
void pair_model_inputs(const shoal_topology_view *view, int32_t i, int32_t j,
                       double in[FORMULA_N_PAIR]);

/* The model that a force field has of its own without the damping of Coulomb that goes with it, where another one comes
 * from outside; any other model as it is. */
const shoal_pair_model *pair_model_damped_outside(const shoal_pair_model *model, double damping);

#endif
