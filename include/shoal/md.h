/* SPDX-License-Identifier: BSD-3-Clause
 * Molecular dynamics of the systems of an engine: velocity Verlet by itself, with Langevin's thermostat (BAOAB) or
 * with a Nose-Hoover chain of two, the end of which is stirred at the rate 1/tau: without that, small molecules never
 * come to the temperature of the bath.
 *
 * A run is made in segments of 1000 steps; at their ends, and where baths change, coordinates and velocities pass
 * through doubles. Random numbers are counted by seed, key of the system, atom and step, so that nothing that a system
 * does depends on others, on their order, or on where a run was interrupted. */
#ifndef SHOAL_MD_H
#define SHOAL_MD_H

#include "shoal/engine.h"
#include "shoal/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum shoal_thermostat {
    SHOAL_THERMOSTAT_NONE = 0, /* energy is kept */
    SHOAL_THERMOSTAT_LANGEVIN,
    SHOAL_THERMOSTAT_NOSE_HOOVER,
} shoal_thermostat;

/* One system of a run; zero and NULL mean what the options say, or the default. */
typedef struct shoal_md_system {
    const double *masses;          /* [n_atoms] amu; NULL: those of the topology */
    const double (*velocities)[3]; /* [n_atoms] angstrom/fs to begin with; NULL: drawn */
    const double *temperatures;    /* [n_temperatures] K, as in the options */
    int32_t n_temperatures;
    int64_t key;         /* of its random numbers, and of its state: of its own in a run */
    const char *refusal; /* not NULL: it takes no part, and this is why */
} shoal_md_system;

/* Zero means the default in every member. Pointers are borrowed for the call. */
struct shoal_md_options {
    int32_t n_steps; /* 0 = 1000 */
    double dt;       /* fs; 0 = 0.5 */
    shoal_thermostat thermostat;
    double friction; /* 1/fs, of Langevin's; 0 = 0.01 */
    double tau;      /* fs: period of the Nose-Hoover chain over 2 pi; 0 = 20 */
    /* [n_temperatures] K: of the bath, and of the velocities at the start. One number holds throughout; between several
     * the temperature changes evenly, in pieces of equal length, to the last at the end. NULL: 300 K. */
    const double *temperatures;
    int32_t n_temperatures;
    uint64_t seed;
    /* Frames and samples of energies, every so many steps from the first on, and a sample at the end; 0 = 100, or a
     * tenth of the run if that is less. They change no bit of the run. */
    int32_t stride;
    int32_t
        remove_every; /* steps after which overall motion is removed again; 0: at the start alone */
    /* Replica exchange: after so many steps neighbours among n_copies consecutive systems, each with one temperature,
     * may swap their temperatures (Metropolis); 0: they don't. The number of systems is a multiple of n_copies. */
    int32_t exchange_every;
    int32_t n_copies;
    /* [n_systems]; NULL: the keys are the numbers of the systems. Streams make them themselves: keys are the numbers in
     * the input, masses those of shoal_md_masses, and of variants each may have a temperature of its own. */
    const shoal_md_system *systems;
    double hydrogen_mass;            /* amu, see shoal_md_masses; of streams */
    const double *copy_temperatures; /* [n_copies] K, of streams; NULL: all have the same */
    bool rigid_bonds;    /* bonds to hydrogen keep the length that they have at rest, see below */
    bool own_velocities; /* of streams: begins with those of the molecules, which fail without */
    /* Frames, on the calling thread, in the order of steps for every system. A failure ends the run. */
    shoal_status (*frame)(void *user, const shoal_relax_frame *frame);
    void *frame_user;
    /* Goes on from what shoal_engine_save took of runs with the same options on the same device: a system whose key is
     * in it goes on where it was, bit for bit as if it had never been interrupted, and others begin at the
     * beginning. What does not fit or is damaged is SHOAL_E_ARGUMENT. */
    const void *state;
    size_t state_size;
};

/* Velocities of a molecule, [n_atoms] angstrom/fs, as frames of trajectories have them: set, NULL takes them away, and asked
 * for, NULL where there are none and where atoms came or went since. Fails with SHOAL_E_ARGUMENT where one is not finite. */
SHOAL_API shoal_status shoal_molecule_set_velocities(shoal_molecule *mol,
                                                     const double (*velocities)[3]);
SHOAL_API const double (*shoal_molecule_velocities(const shoal_molecule *mol))[3];

/* What a run found of one system. Temperatures with Langevin's thermostat are those of the velocities half a step
 * behind, which are free of errors of the step where forces are linear; others those of whole steps. */
struct shoal_md_result {
    int32_t n_steps; /* that were made */
    double time;     /* fs */
    double
        n_dof; /* degrees of freedom: 3 of every free atom; without Langevin less those of overall motion */
    double etot0, etot; /* eV: potential and kinetic energy at the start and at the end */
    double
        drift; /* eV/ns per degree of freedom: slope of the line through etot, without the first fifth of the run
                     where there are ten samples or more */
    double fluctuation; /* eV: root mean square of etot about that line */
    double
        conserved_drift; /* the same as drift of what a Nose-Hoover chain keeps; NaN otherwise, and on a ramp */
    int32_t n_samples;
    double temperature_mean, temperature_err; /* K; error of the mean by averages over blocks */
    double potential_mean, potential_err;     /* eV */
    double temperature;                       /* K: of the bath at the end */
    int32_t n_tried, n_swapped;               /* exchanges that it took part in */
    int32_t n_rigid;                          /* rigid bonds */
    const double (
        *velocities)[3];  /* [n_atoms] angstrom/fs at the end; borrowed until the next run */
    const double *masses; /* [n_atoms] amu; the same */
};

/* Steps of every system, from its present coordinates. Overall motion is taken out of velocities that are drawn, but
 * with Langevin's thermostat: the momentum where nothing holds the system (no fixed atom, surface or restraint of a
 * position), and the angular momentum where it is not periodic either. A system one of whose atoms would move farther
 * than 0.5 angstrom in a step gets SHOAL_SYSTEM_UNSTABLE. Results of systems that came to the end are ok, and those
 * of others that a monitor stopped max_steps; energies and forces are those at the end.
 *
 * With rigid_bonds every bond to a hydrogen has the length r0 of its term throughout (the lengths at the start are made
 * so), kept by SHAKE and RATTLE to one part in 10^12 (10^6 where steps are made in float), and a degree of freedom less for
 * each of them: steps may be 2 fs long. Systems with a hydrogen of several bonds, an atom with more than four hydrogens,
 * or a hydrogen that is fixed on an atom that is not are SHOAL_SYSTEM_UNTYPED. */
SHOAL_API shoal_status shoal_engine_md(shoal_engine *engine, const shoal_md_options *options,
                                       shoal_monitor *monitor, void *user);

/* What the last run of dynamics found of one system, borrowed until the next run; NULL where there was none, and for a
 * system without numbers. */
SHOAL_API const shoal_md_result *shoal_engine_md_result(const shoal_engine *engine,
                                                        int32_t i_system);

/* Masses of the atoms of a molecule in amu, masses[n_atoms]: those of the topology, of isotopes where atoms are
 * marked. hydrogen > 0: bound hydrogens that are lighter get that mass, which is taken from the heavier atom they are
 * bound to. Fails with SHOAL_E_UNSUPPORTED where that would leave it lighter than its hydrogens. */
SHOAL_API shoal_status shoal_md_masses(const shoal_molecule *mol, const shoal_topology *topology,
                                       double hydrogen, double *masses);

#ifdef __cplusplus
}
#endif

#endif
