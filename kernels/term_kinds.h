/* SPDX-License-Identifier: BSD-3-Clause
 * The table of bonded terms, one row per kind; valid as C17 and OpenCL C 1.2. It drives packing, all
 * schedules, ref, --explain and the tests. A new kind is a row here, its functions (bonded_terms.h), its
 * witness in src/backend/ref and its name in include/shoal/topology.h. The order is that of the public
 * names SHOAL_KIND_.
 *
 * Columns: name, the same in small letters (functions are term_<name>), energy that it counts for,
 * atoms, parameters of a record, numbers of the kernel form, how they are made of the parameters
 * (numbers_<how> in src/backend/term_numbers.c; `first`: they are the first parameters), shape, what is measured,
 * names and units of the parameters, formula, arms.
 *
 * An arm is a difference vector between two atoms, r[tip] - r[base], given as tip, base; there are
 * atoms - 1 of them, and zeros fill the row up. The base of the first arm is the atom at home. An arm whose
 * tip is its base is that vector itself, a direction; where the first one is, there are as many arms as
 * atoms. A kind of
 * the shape `straight` has geometries where the plain formula breaks down: term_<name>_is_straight tells
 * where, and term_<name>_straight serves there. `smooth` ones have none. */
#ifndef SHOAL_KERNELS_TERM_KINDS_H
#define SHOAL_KERNELS_TERM_KINDS_H

/* What energies are counted by, in the order of the public names SHOAL_TERM_: bonded ones have kinds below, the others
 * are sums over pairs, the surface and restraints. */
#define TERM_ENERGIES(X)                                                                           \
    X(BOND, bond, 1)                                                                               \
    X(ANGLE, angle, 1)                                                                             \
    X(TORSION, torsion, 1)                                                                         \
    X(INVERSION, inversion, 1)                                                                     \
    X(VDW, vdw, 0)                                                                                 \
    X(COULOMB, coulomb, 0)                                                                         \
    X(SURFACE, surface, 0)                                                                         \
    X(RESTRAINT, restraint, 0)                                                                     \
    X(SIGMA_PI, sigma_pi, 1)                                                                       \
    X(PI_PI, pi_pi, 1)

enum {
#define TERM_ENERGY(NAME, name, is_bonded) ENERGY_##NAME,
    TERM_ENERGIES(TERM_ENERGY)
#undef TERM_ENERGY
        N_ENERGIES
};

/* clang-format off */
#define TERM_KINDS(X)                                                                              \
    X(BOND, bond, BOND, 2, 3, 2, first, smooth, distance,                                                 \
      "k r0 order", "eV/A^2 A 1", "E = k/2 (r - r0)^2",                                            \
      1, 0, 0, 0, 0, 0)                                                                            \
    X(ANGLE, angle, ANGLE, 3, 8, 7, cosines, straight, angle,                                               \
      "k c0 c1 c2 c3 c4 guard from", "eV 1 1 1 1 1 eV 1",                                          \
      "E = k (c0 + c1 cos t + .. + c4 cos 4t) + guard max(0, cos t - from)^3",                     \
      0, 1, 2, 1, 0, 0)                                                                            \
    X(TORSION, torsion, TORSION, 4, 3, 3, first, straight, torsion,                                       \
      "v d n", "eV 1 1", "E = v (1 - d cos n phi)",                                                \
      0, 1, 2, 1, 3, 2)                                                                            \
    X(INVERSION, inversion, INVERSION, 4, 4, 4, first, straight, elevation,                               \
      "k c0 c1 c2", "eV 1 1 1", "E = k (c0 + c1 cos w + c2 cos 2w), w between j-l and i-j-k",      \
      0, 1, 2, 1, 3, 1)                                                                            \
    X(PAIR_VDW, pair_vdw, VDW, 2, 3, 2, vdw, smooth, distance,                                          \
      "scale x D", "1 A eV", "E = scale D ((x/r)^12 - 2 (x/r)^6); x = 0: mixed from the atoms",    \
      1, 0, 0, 0, 0, 0)                                                                            \
    X(PAIR_COULOMB, pair_coulomb, COULOMB, 2, 1, 2, coulomb, smooth, distance,                              \
      "scale", "1", "E = scale kC q_i q_j / sqrt(r^2 + damping^2)",                                \
      1, 0, 0, 0, 0, 0)                                                                            \
    X(PAIR_FORM, pair_form, VDW, 2, 5, 5, form, smooth, distance,                                        \
      "family a b k beta", "1 1 1 1/A 1/A", "E = b B(r) - a A(r), A and B by the family",          \
      1, 0, 0, 0, 0, 0)                                                                            \
    X(HALF_ANGLE, half_angle, ANGLE, 3, 2, 3, half_angle, smooth, angle,                                       \
      "k t0", "eV rad", "E = k (1 - cos((t - t0)/2))",                                             \
      0, 1, 2, 1, 0, 0)                                                                            \
    X(SIGMA_PI, sigma_pi, SIGMA_PI, 3, 2, 2, first, smooth, tilt,                                         \
      "k c0", "eV 1", "E = k (p.h - c0)^2, p the direction, h the unit vector of the bond",        \
      2, 1, 0, 0, 0, 0)                                                                            \
    X(PI_PI, pi_pi, PI_PI, 2, 2, 3, pi_pi, smooth, twist,                                                 \
      "k soft", "eV 1", "E = k (sqrt(1 + soft^2) - sqrt((p.q)^2 + soft^2)), directions p and q",   \
      0, 0, 1, 1, 0, 0)                                                                            \
    X(GUARD, guard, ANGLE, 3, 2, 2, first, smooth, angle,                                          \
      "k from", "eV 1", "E = k max(0, cos t - from)^3",                                            \
      0, 1, 2, 1, 0, 0)                                                                            \
    X(RANGE, range, BOND, 2, 3, 3, range, smooth, distance,                                        \
      "k lower upper", "eV A A",                                                                   \
      "E = k (max(0, (r/upper)^2 - 1)^2 + max(0, 2/(1 + (r/lower)^2) - 1)^2); 0: no such end",     \
      1, 0, 0, 0, 0, 0)                                                                            \
    X(VOLUME, volume, INVERSION, 4, 3, 3, first, smooth, volume,                                   \
      "k low high", "eV/A^6 A^3 A^3",                                                              \
      "E = k (max(0, v - high) + min(0, v - low))^2, v = (j - i).((k - i) x (l - i))",             \
      1, 0, 2, 0, 3, 0)                                                                            \
    X(QUARTIC_BOND, quartic_bond, BOND, 2, 4, 3, quartic, smooth, distance,                        \
      "k r0 order c", "eV/A^2 A 1 1/A", "E = k/2 s^2 (1 + c s + 7/12 c^2 s^2), s = r - r0",        \
      1, 0, 0, 0, 0, 0)                                                                            \
    X(BEND, bend, ANGLE, 3, 7, 7, first, smooth, angle,                                            \
      "k t0 c ki kk ri rk", "eV rad 1/rad eV/A eV/A A A",                                          \
      "E = k/2 d^2 (1 + c d) + (ki (r_ij - ri) + kk (r_jk - rk)) d, d = t - t0",                   \
      0, 1, 2, 1, 0, 0)                                                                            \
    X(WILSON, wilson, INVERSION, 4, 1, 1, first, smooth, elevation,                                \
      "k", "eV", "E = k/2 (w_i^2 + w_k^2 + w_l^2), w_l between j-l and i-j-k, ..",                 \
      0, 1, 2, 1, 3, 1)                                                                            \
    X(FOURIER, fourier, TORSION, 4, 3, 3, first, straight, torsion,                                \
      "v1 v2 v3", "eV eV eV",                                                                      \
      "E = 1/2 (v1 (1 + cos phi) + v2 (1 - cos 2 phi) + v3 (1 + cos 3 phi))",                      \
      0, 1, 2, 1, 3, 2)                                                                            \
    X(PAIR_BUFFERED, pair_buffered, COULOMB, 2, 3, 3, buffered, smooth, distance,                  \
      "scale delta n", "1 A 1", "E = scale kC q_i q_j / (r + delta)^n; n = 2: per angstrom",       \
      1, 0, 0, 0, 0, 0)                                                                            \
    X(PERIODIC, periodic, TORSION, 4, 3, 4, periodic, straight, torsion,                           \
      "k n phase", "eV 1 rad", "E = k (1 + cos(n phi - phase)); n = 0: a constant",                \
      0, 1, 2, 1, 3, 2)
/* clang-format on */

enum {
#define TERM_KIND_NAME(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par,      \
                       units, form, t0, b0, t1, b1, t2, b2)                                        \
    TERM_KIND_##NAME,
    TERM_KINDS(TERM_KIND_NAME)
#undef TERM_KIND_NAME
        TERM_N_KINDS
};

enum { TERM_ARMS = 3, TERM_NUMBERS = 8 };

/* Arms of a kind, and an arm of it from its vectors r[]; the numbers are constants. */
#define TERM_ARM_COUNT(n_atoms, t0, b0) ((n_atoms)-1 + ((t0) == (b0)))
#define TERM_ARM(r, t, b) ((t) == (b) ? (r)[t] : v3_sub((r)[t], (r)[b]))

#endif
