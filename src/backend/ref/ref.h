/* SPDX-License-Identifier: BSD-3-Clause
 * The reference backend: double, textbook formulas, simple loops. It shares no physics with the
 * other backends, so that it can stand witness for them. */
#ifndef SHOAL_BACKEND_REF_H
#define SHOAL_BACKEND_REF_H

#include "backend/backend.h"
#include "backend/ref/ref_vector.h"
#include "ff/term_table.h"

#include "constants.h"

/* Two atoms nearer than this (angstrom) have no direction between them. */
#define REF_COINCIDENT 1e-10

/* Periodic vectors, completed by unit vectors normal to them where the system does not repeat. */
typedef struct ref_lattice {
    int32_t n_periodic;
    bool pbc[3];
    v3 a[3];        /* angstrom */
    v3 b[3];        /* dual basis: a[i] . b[j] = 1 if i == j, else 0 */
    double measure; /* volume, area or length of the cell; 1 for an isolated system */
} ref_lattice;

/* A system ready to be computed; everything pointed to is borrowed. */
typedef struct ref_system {
    const shoal_topology_view *view;
    const double (*pos)[3]; /* of atoms, then of sites or directions */
    const shoal_engine_options *options;
    const bool *fixed; /* NULL: all atoms move */
    const shoal_restraint *restraints;
    int32_t n_restraints;
    double pair_clamp; /* as in backend_system */
    ref_lattice lattice;
    double *registers; /* of the formula of the pair model, if it has one */
    bool owns_pos;     /* with sites they are a copy */
} ref_system;

/* Atoms and sites: all that has charges. */
static inline int32_t ref_n_particles(const ref_system *sys)
{
    return sys->view->n_atoms + sys->view->n_sites;
}

/* Where interactions go: the energy of the term in hand and its slope by strain, forces (NULL: not wanted) and a
 * visitor of single interactions (NULL: not wanted). A strain e moves all that is at r, and the periodic vectors, by
 * e r; directions stay. */
typedef struct ref_sink {
    double energy;
    double strain[3][3]; /* eV; only its symmetric part means something */
    double (*forces)[3];
    shoal_term_visitor *visit;
    void *user;
} ref_sink;

/* ref_lattice.c. False if the periodic vectors are not finite or not independent. */
bool ref_lattice_init(ref_lattice *lattice, const double cell[3][3], const bool pbc[3]);
v3 ref_lattice_shift(const ref_lattice *lattice, const int32_t shift[3]);
/* Calls visit for every image of d within the cut-off; shift says which image it is. */
typedef void ref_image_visitor(void *user, const int32_t shift[3], v3 d);
void ref_lattice_visit(const ref_lattice *lattice, v3 d, double cutoff, ref_image_visitor *visit,
                       void *user);

/* Of an atom's own images +shift and -shift only one counts: the one this is true for. */
bool ref_is_upper(const int32_t shift[3]);

/* One bonded term: energy returned, its value (distance in angstrom, angle in degrees), and forces on
 * its atoms, zero to begin with. */
typedef double ref_term(const ref_system *sys, const shoal_term *term, double *value, v3 force[4]);

/* ref_bonded.c: one function for every kind, and all terms that count for an energy. */
extern ref_term *const ref_terms[];
void ref_bonded(const ref_system *sys, int energy, ref_sink *sink);
/* The row of one term, and the forces on its atoms. */
shoal_term_row ref_bonded_row(const ref_system *sys, int kind, int32_t index, v3 force[4]);
/* Where corner k of a term is. */
v3 ref_corner(const ref_system *sys, const shoal_term *term, int k);

/* ref_torsion.c, ref_pairs.c, ref_mmff.c, ref_mmff94.c */
ref_term ref_torsion_term, ref_inversion_term, ref_pair_vdw_term, ref_pair_coulomb_term,
    ref_pair_form_term, ref_half_angle_term, ref_sigma_pi_term, ref_pi_pi_term,
    ref_quartic_bond_term, ref_bend_term, ref_wilson_term, ref_fourier_term, ref_pair_buffered_term,
    ref_periodic_term;

/* Cosine of the angle between u and v, with its gradients; all zero if one of them is too short to
 * have a direction. */
double ref_cosine(v3 u, v3 v, v3 *grad_u, v3 *grad_v);

/* Switch S(sin^2) of the angle between u and v, with its gradients; 0 if u or v has no direction. */
double ref_bend_switch(v3 u, v3 v, v3 *grad_u, v3 *grad_v);

/* A torsion at its geometry: f = r_i - r_j, g = r_j - r_k, h = r_l - r_k. */
typedef struct ref_torsion {
    v3 f, g, h;
    double phi;
    v3 grad_i, grad_j, grad_l; /* of phi */
} ref_torsion;

/* Fills phi and its gradients in; neither i-j-k nor j-k-l may be straight. */
void ref_torsion_measure(ref_torsion *t);
/* False where one of these is exactly straight: there is neither energy nor force. */
bool ref_torsion_is_real(const ref_torsion *t);
/* Energy and forces with the switches, from an energy without them and its slope by phi. */
double ref_torsion_forces(const ref_torsion *t, double plain, double by_phi, v3 force[4]);

/* ref_restraints.c */
void ref_restraints(const ref_system *sys, ref_sink *sink);

/* ref_pairs.c. True if atom j in the image shift is a 1-2 or 1-3 partner of atom i. */
bool ref_excluded(const shoal_topology_view *view, int32_t i, int32_t j, const int32_t shift[3]);
void ref_vdw(const ref_system *sys, ref_sink *sink);
/* Isolated systems only. */
void ref_coulomb(const ref_system *sys, ref_sink *sink);

/* Clamped pairs: the distance (angstrom) that two particles are taken at instead of r, r itself where it is no less than the
 * clamp allows. */
double ref_taken_at(const ref_system *sys, int32_t i, int32_t j, double r);
/* What the energy grows by from there to r along a straight line; *slope is (dE/dr)/r of that distance, then of r. */
double ref_straight(double taken_at, double r, double *slope);

/* ref_model.c: distance of the minimum of two particles, angstrom. */
double ref_minimum_distance(const ref_system *sys, int32_t i, int32_t j);
/* Pairs as the pair model of a system has them, which it must have in the first four. Energy of two atoms;
 * *slope is dE/dr. */
double ref_model_vdw(const ref_system *sys, int32_t i, int32_t j, double r, double *slope);
/* The same of any two atoms: R0, H and E0 = 1, not of a formula. */
double ref_model_pair(const shoal_pair_settings *s, double r0, double h, double r, double *slope);
/* H, 0 or negative. */
double ref_model_hbond(const ref_system *sys, int32_t i, int32_t j);
/* What hydrogen bonds make of repulsion and attraction: 1 + H and 1 - H, or 1. */
void ref_model_factors(const ref_system *sys, int32_t i, int32_t j, double *wall, double *pull);
/* kqq g(r); *slope is (dE/dr)/r. Without a model, too, and so are the others. */
double ref_coulomb_energy(const ref_system *sys, double kqq, double r2, double *slope);
shoal_coulomb ref_coulomb_kind(const ref_system *sys);
/* d of 1/sqrt(r^2 + d^2), angstrom; 0 where g is another. */
double ref_damping(const ref_system *sys);
/* g(r) - 1/r of the kinds that an Ewald sum does not know, *slope as above, and where it ends (angstrom); 0 for the
 * others. */
double ref_coulomb_excess(const ref_system *sys, double r2, double *slope);
double ref_coulomb_reach(const ref_system *sys);

/* ref_sites.c. Places sites behind the atoms; pos[ref_n_particles()]. */
void ref_sites_place(const ref_system *sys, double (*pos)[3]);
/* Hands the sink's forces on sites to the atoms of their frames; theirs are zero after it. */
void ref_sites_spread(const ref_system *sys, ref_sink *sink);

/* ref_ewald.c: Coulomb sums of systems that repeat. The split and the
 * cut-offs are chosen from the tolerance; the sum does not depend on them beyond it. */
typedef struct ref_ewald {
    double alpha; /* 1/angstrom */
    double r_cut; /* angstrom */
    double k_cut; /* 1/angstrom */
} ref_ewald;

ref_ewald ref_ewald_choose(const ref_system *sys);
void ref_ewald_sum(const ref_system *sys, const ref_ewald *ewald, ref_sink *sink);
/* int_0^width f(x) dx of what varies on the scale of 1: 1e-15. */
double ref_integrate(double (*f)(double x, const double par[2]), const double par[2], double width);
/* erf(alpha s) / s of s^2, and its slope by s^2; finite at s = 0. */
double ref_ewald_erf(double alpha, double s2, double *slope);
/* erfc(alpha s) / s of s^2, and its slope by s^2. */
double ref_ewald_erfc(double alpha, double s2, double *slope);

/* Smooth part of the potential of a lattice of unit charges at d from one of them, its gradient, and its slope by
 * strain, which is added times a weight. */
typedef double ref_potential(const void *lattice, v3 d, v3 *grad, double weight,
                             double strain[3][3]);
/* That part of all pairs of a system, self-interaction included. */
void ref_smooth_sum(const ref_system *sys, const ref_ewald *ewald, ref_potential *potential,
                    const void *lattice, ref_sink *sink);

/* ref_slab.c: the reciprocal part in two dimensions. */
typedef struct ref_slab {
    v3 b[2]; /* reciprocal vectors, 2 pi included, 1/angstrom */
    v3 normal;
    int32_t last[2];
    double alpha, damping, area, k_cut;
} ref_slab;

ref_slab ref_slab_of(const ref_lattice *lattice, const ref_ewald *ewald, double damping);
/* As ref_potential; strain: NULL if it is not wanted. */
double ref_slab_potential(const ref_slab *s, v3 d, v3 *grad, double weight, double strain[3][3]);
void ref_slab_sum(const ref_system *sys, const ref_ewald *ewald, ref_sink *sink);

/* ref_chain.c: the part that is not summed over images, in one dimension. */
typedef struct ref_chain {
    v3 along;      /* unit vector */
    double length; /* of the cell, angstrom */
    double alpha, damping;
    int32_t last; /* most waves */
} ref_chain;

ref_chain ref_chain_of(const ref_lattice *lattice, const ref_ewald *ewald, double damping);
/* As ref_potential; strain: NULL if it is not wanted. */
double ref_chain_potential(const ref_chain *s, v3 d, v3 *grad, double weight, double strain[3][3]);
void ref_chain_sum(const ref_system *sys, const ref_ewald *ewald, ref_sink *sink);

/* ref_surface.c: interactions with the substrate of the options, if there is one. */
void ref_surface(const ref_system *sys, ref_sink *sink);

/* ref_sink.c. Position of an atom displaced by a lattice shift (NULL: none). */
v3 ref_position(const ref_system *sys, int32_t i, const int32_t *shift);
shoal_image ref_image(int32_t atom, const int32_t shift[3]);
void ref_push(ref_sink *sink, int32_t i, v3 force);
/* What a force does to the slope by strain, on something at d from where its counterpart is felt. */
void ref_strain(ref_sink *sink, v3 d, v3 force);
/* Force f on atom j and -f on atom i; d leads from i to the image of j that is meant. An atom and its own image feel
 * nothing of each other but strain. */
void ref_push_pair(ref_sink *sink, int32_t i, int32_t j, v3 d, v3 force);
/* Adds the row's energy and shows the row to the visitor. */
void ref_emit(ref_sink *sink, const shoal_term_row *row);

/* ref.c. Computes one system; result->forces must have room for its atoms and directions. */
void ref_compute(const backend_system *system, const shoal_engine_options *options,
                 backend_result *result);
void ref_explain(const backend_system *system, const double (*pos)[3],
                 const shoal_engine_options *options, shoal_term_visitor *visit, void *user);

extern const shoal_backend shoal_backend_ref;

#endif
