/* SPDX-License-Identifier: BSD-3-Clause
 * Surfaces: rigid substrates that repeat in the xy plane, and builders of common slabs.
 *
 * Conventions. The rows a and b of the cell lie in the xy plane and repeat; z points away from the
 * substrate, molecules are above it. A third cell vector is not repeated. An atom i of a molecule
 * and an atom s of the substrate, r apart, have
 *   Morse      E = E0 ((1 + H) e^2 - 2 e),    e = exp(-alpha (r - R0)),  R0 = R_i + R_s
 *   LJ         E = E0 ((1 + H) u^12 - 2 u^6), u = R0 / r,                R0 = 2 sqrt(R_i R_s)
 *   Coulomb    E = kC q_i q_s / sqrt(r^2 + damping^2)
 * with E0 = sqrt(D_i D_s), H = min(0, h_i h_s), R = x/2 half the distance of the vdW minimum and D
 * its depth. All images count; the potential of the charges is zero far above a slab without dipole
 * and tends to a constant, -2 pi kC / area * sum q_s (z - z_s), above one with a dipole.
 *
 * Sums are factorised: E_i is the sum over channels c of a weight of the atom and a field,
 *   P   V = sum B sqrt(D_s)          B = exp(-2 alpha (r - R_s)), or R_s^6 / r^12
 *   L   V = -2 sum A sqrt(D_s)       A = exp(-alpha (r - R_s)),   or R_s^3 / r^6
 *   Q   V = kC sum q_s / sqrt(r^2 + damping^2)
 *   ACCEPTOR, DONOR   as P, times h_s, over the s with h_s < 0 and with h_s > 0
 * so that one table of the fields serves atoms of all types. With a pair model pairs are as it says, and the fields P
 * and L are sums of 1/r^n or exp(-k r) over the atoms of one kind, without any factor; those of an exponent
 * that hangs on the pair are left at zero. */
#ifndef SHOAL_SURFACE_H
#define SHOAL_SURFACE_H

#include "shoal/atom_types.h"
#include "shoal/molecule.h"
#include "shoal/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_surface shoal_surface;

typedef enum shoal_surface_form {
    SHOAL_SURFACE_LJ = 0, /* UFF's own: its wall holds against any charges */
    SHOAL_SURFACE_MORSE,
} shoal_surface_form;

enum {
    SHOAL_CHANNEL_P = 0, /* Pauli */
    SHOAL_CHANNEL_L,     /* London */
    SHOAL_CHANNEL_Q,     /* Coulomb, eV/e */
    SHOAL_CHANNEL_ACCEPTOR,
    SHOAL_CHANNEL_DONOR,
    /* With a pair model P and L are those of the first kind of atoms (equal R, D and h); this P and the L behind it
     * those of the second, and so on. */
    SHOAL_CHANNEL_KINDS,
    SHOAL_N_KINDS = 16,
    SHOAL_N_CHANNELS = SHOAL_CHANNEL_KINDS + 2 * (SHOAL_N_KINDS - 1)
};
/* "pauli", "london", "coulomb", "acceptor", "donor", "pauli2", "london2", ..; NULL out of range. */
SHOAL_API const char *shoal_channel_name(int channel);

/* Charge of every substrate atom of an element, e. */
typedef struct shoal_element_charge {
    int32_t z;
    double charge;
} shoal_element_charge;

/* Radii and depths of the atoms of metals. */
typedef enum shoal_metals {
    SHOAL_METALS_ADSORPTION = 0, /* fitted to measured adsorption; UFF's where none were fitted */
    SHOAL_METALS_UFF,            /* bind molecules several times too weakly, some too strongly */
} shoal_metals;

/* Zero means the default in every member; pointers are borrowed for the call. */
typedef struct shoal_surface_options {
    shoal_surface_form form;
    double alpha;   /* 1/angstrom, of the Morse form, which must be asked for; 0 = 1.5 */
    double damping; /* angstrom, of the Coulomb sum */
    bool no_hbonds; /* H = 0 even where the types say otherwise */
    /* Radii, depths, charges and h of both sides by type, or by element where a substrate atom has
     * no type label; NULL: UFF, h = 0. Molecules look up only their h here. */
    const shoal_atom_types *types;
    const shoal_element_charge *charges; /* override those of the molecule and of the types */
    int32_t n_charges;
    /* How pairs interact, with its own types: then form, alpha, damping, no_hbonds and types must be zero. Refused
     * (SHOAL_E_ARGUMENT): a formula, more than SHOAL_N_KINDS kinds of atoms where the form has powers of r, atoms of
     * the substrate that should have sites or bond increments. */
    const shoal_pair_model *model;
    shoal_metals
        metals; /* of slabs, steps and adatoms of a metal, not of ions; without types and model */
} shoal_surface_options;

/* Makes a surface of the atoms, charges, type labels and cell of a molecule; options may be NULL.
 * Refuses (SHOAL_E_ARGUMENT) a cell whose a and b do not repeat, do not lie in the xy plane or span
 * no area, elements without parameters, a charge for an element that is not there, and a net charge
 * beyond 1e-3 e; a smaller one is rounding and is taken off the charged atoms evenly. The caller owns
 * a reference. */
SHOAL_API shoal_status shoal_surface_create(shoal_surface **out, const shoal_molecule *mol,
                                            const shoal_surface_options *options);
/* References are counted: an engine keeps its own. */
SHOAL_API shoal_surface *shoal_surface_retain(shoal_surface *surface);
SHOAL_API void shoal_surface_destroy(shoal_surface *surface);

/* Borrowed, valid as long as the surface lives. */
typedef struct shoal_surface_view {
    int32_t n_atoms;
    const int32_t *elements;
    const double (*pos)[3]; /* pos[n_atoms][3], angstrom, in the order they were given */
    const double *radius;   /* R, angstrom */
    const double *depth;    /* D, eV */
    const double *charges;  /* e; those that act, with the root of lambda in them */
    const double *hbond;    /* h */
    double cell[2][2];      /* rows a, b: x and y, angstrom */
    double area;            /* angstrom^2 */
    double top, bottom;     /* z of the highest and lowest atom */
    double floor;           /* z of the lowest terrace: below it no molecule belongs */
    shoal_surface_form form;
    double alpha, damping;
    bool has_channel[SHOAL_N_CHANNELS]; /* false where the field is zero everywhere */
    uint64_t hash;                      /* of the substrate and all parameters above */
    const shoal_pair_settings *pairs; /* of a pair model, which then replace form and alpha; NULL */
    /* Whose parameters its atoms of metals have: "adsorption", "uff", "adsorption, uff"; "" where there are no such
     * atoms, or parameters of the caller. Static. */
    const char *metals;
} shoal_surface_view;

/* "lj", "morse", or the form of its pair model. */
SHOAL_API const char *shoal_surface_form_name(const shoal_surface *surface);
SHOAL_API void shoal_surface_get(const shoal_surface *surface, shoal_surface_view *view);

/* What the user of a system on a surface should know: that one of the two has charges and the other has none, so that
 * nothing comes of them (a surface of one element is neutral by symmetry, and nothing is said of it); that atoms of metals
 * or of graphene have UFF's parameters. "" if all is well. The text is static. */
SHOAL_API const char *shoal_surface_warning(const shoal_surface *surface,
                                            const shoal_topology *topology);

/* All fields at a point by the direct sum over all images, in double (with a pair model that damps its dispersion,
 * L is damped): out[c] = {V, dV/dx, dV/dy, dV/dz} in the units of the channel and per angstrom. */
SHOAL_API void shoal_surface_fields(const shoal_surface *surface, const double r[3],
                                    double out[SHOAL_N_CHANNELS][4]);

/* An atom as the surface feels it. */
typedef struct shoal_probe {
    double radius, depth, charge, hbond; /* R (angstrom), D (eV), q (e), h */
} shoal_probe;

/* Factors of the channels of an atom: its energy is the sum of weights[c] V_c. */
SHOAL_API void shoal_surface_weights(const shoal_surface *surface, const shoal_probe *probe,
                                     double weights[SHOAL_N_CHANNELS]);

/* Takes the topmost layers off a surface, to be joined to systems that stand on the rest. A layer is atoms
 * whose heights follow each other by no more than 0.3 angstrom. Both are surfaces with the parameters of the
 * whole, owned by the caller. Refuses (SHOAL_E_ARGUMENT) to take all layers, a part with a net charge, metals with
 * parameters that were fitted to adsorption, atoms that are bonded (non-metals nearer than 1.3 times their covalent radii) or whose parameters make neighbours
 * repel each other with more than 0.5 eV: what moves has no bonds. */
SHOAL_API shoal_status shoal_surface_split(const shoal_surface *surface, int32_t layers,
                                           shoal_surface **rest, shoal_surface **movable);
/* Appends the atoms of layers to a molecule that is typed, where they lie, without bonds, with the charges and vdW
 * parameters of their surface. The molecule gets the cell of the layers and repeats in a and b; one that repeats
 * already must have that cell. *topology, a reference of the caller, is replaced by that of the whole; the energies
 * of an engine on the rest of the surface then contain those of the layers. */
SHOAL_API shoal_status shoal_surface_join(const shoal_surface *movable, shoal_molecule *mol,
                                          shoal_topology **topology);

typedef enum shoal_slab_kind {
    SHOAL_SLAB_ROCKSALT = 0, /* (001) of an AB salt */
    SHOAL_SLAB_FCC100,
    SHOAL_SLAB_FCC111,
    SHOAL_SLAB_GRAPHENE,
    SHOAL_SLAB_FCC110,
    SHOAL_SLAB_BCC100,
    SHOAL_SLAB_BCC110,
    SHOAL_SLAB_BCC111,
    SHOAL_SLAB_HCP0001,
    SHOAL_SLAB_ROCKSALT110,
    SHOAL_SLAB_FLUORITE111, /* of AB2: a layer is B-A-B */
    SHOAL_SLAB_FLUORITE110,
    SHOAL_SLAB_BORON_NITRIDE, /* h-BN; several sheets are stacked AA', B above N */
    SHOAL_N_SLABS
} shoal_slab_kind;

/* An atom on a slab. */
typedef struct shoal_adatom {
    int32_t z;
    double at[2];  /* in cells of the surface, along a and b; images in the slab's cell */
    double height; /* angstrom above the topmost layer; 0: as low as covalent radii let it */
    double charge; /* e */
} shoal_adatom;

/* Zero means the default in every member. Atoms come layer by layer from the topmost one, which is
 * at z = 0; within a layer cell by cell, b fastest. Cells of the surface, in lattice constants, and the atoms
 * that a layer has in each:
 *   rocksalt (001), fcc (100)                 square of 1/sqrt(2)          A B; A
 *   rocksalt, fcc, fluorite (110)             1/sqrt(2) by 1               A B; A; A B B
 *   fcc (111), fluorite (111)                 rhomb of 1/sqrt(2)           A; B A B
 *   bcc (100), (110), (111)                   square of 1; 1 by sqrt(2); rhomb of sqrt(2)     A; A A; A
 *   hcp (0001), graphene, h-BN                rhomb of 1                   A; A A; A B
 * Every layer is neutral and has no dipole along z. */
typedef struct shoal_slab_options {
    shoal_slab_kind kind;
    int32_t elements[2]; /* A and B; 0 = NaCl, CaF2, BN, Au (fcc), Fe (bcc), Ti (hcp), C */
    double a;            /* angstrom, lattice constant; 0 = shoal_slab_constant */
    int32_t size[2];     /* cells of the surface along a and b; 0 = 4 */
    int32_t layers;      /* 0 = 3, of (110) of a salt 4, fluorite (111) 2, bcc (111) 6, sheets 1 */
    double charge;       /* e, of A where there is B, which balances it; 0 = shoal_slab_charge */
    int32_t step;        /* the topmost layer keeps this many rows of cells along b; 0 = all */
    const int32_t *vacancies; /* atoms of the slab without vacancies that are left out */
    int32_t n_vacancies;
    double vacuum; /* angstrom above the slab, in c, which does not repeat; 0 = 20 */
    double c; /* angstrom, twice the distance of layers of hcp (0001) and sheets; 0 = tabulated */
    bool no_charges; /* A and B have none */
    /* Cut from a crystal that repeats in three directions instead, or a slab that repeats in two, taken as it is
     * (one layer); then kind, elements, a and c are not looked at. Charges are the crystal's, or else those of a salt of
     * its two elements; charge is that of the first element in it. */
    const shoal_molecule *crystal;
    int32_t hkl[3];              /* of the cell as it is given, not all zero for a crystal */
    int32_t termination;         /* from 1, as shoal_slab_terminations counts; 0 = 1 */
    const shoal_adatom *adatoms; /* behind the atoms of the slab */
    int32_t n_adatoms;
} shoal_slab_options;

/* Reads Miller indices: "001", "1-10", "1,-1,0", or four of a hexagonal cell, "0001", "10-10", whose third follows from
 * the first two. */
SHOAL_API shoal_status shoal_slab_parse_indices(shoal_slab_options *out, const char *text);
/* Reads an adatom: "Au,U,V", "Au,U,V,HEIGHT", "Na,U,V,HEIGHT,CHARGE". */
SHOAL_API shoal_status shoal_slab_parse_adatom(shoal_adatom *out, const char *text);

/* Appends a line for each plane of atoms that the slab of a crystal may end with, the first being the default: that with
 * the least dipole across a layer, of equal ones the one with the widest gap above. A plane is atoms whose heights follow each
 * other by no more than 0.3 angstrom; a layer is the whole formula, from one plane to the next equal one. */
SHOAL_API shoal_status shoal_slab_terminations(const shoal_slab_options *options,
                                               shoal_string *out);

/* Reads what a slab is of: "rocksalt", "fluorite", "fcc", "bcc", "hcp", "graphene" or "h-bn", with its facet, "110" (NULL:
 * the usual one), and the elements of that kind, "NaCl", "CaF2", "Au". */
SHOAL_API shoal_status shoal_slab_parse(shoal_slab_options *out, const char *kind,
                                        const char *facet);
SHOAL_API shoal_status shoal_slab_parse_elements(shoal_slab_options *out, const char *text);

/* Builds a slab with its cell, charges and name. Replaces what mol contained. Fails with
 * SHOAL_E_ARGUMENT, naming what cannot be built. options may be NULL. */
SHOAL_API shoal_status shoal_slab_build(shoal_molecule *mol, const shoal_slab_options *options);

/* Tabulated lattice constants, angstrom, 0 if there is none: of (a, b) where a slab has two elements, else
 * of (a, 0); c of hcp metals and of stacked sheets. */
SHOAL_API double shoal_slab_constant(shoal_slab_kind kind, int32_t a, int32_t b);
SHOAL_API double shoal_slab_constant_c(shoal_slab_kind kind, int32_t a, int32_t b);
/* Elements that a slab has: 1 or 2; 0 of a kind that there is not. */
SHOAL_API int32_t shoal_slab_elements(shoal_slab_kind kind);
/* Default charge of A, e: by the class of material (docs/surfaces.md); 0 of metals, of carbon and where none is
 * known. */
SHOAL_API double shoal_slab_charge(shoal_slab_kind kind, int32_t a, int32_t b);

#ifdef __cplusplus
}
#endif

#endif
