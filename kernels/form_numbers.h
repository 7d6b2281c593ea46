/* SPDX-License-Identifier: BSD-3-Clause
 * Families of pair models; see form_terms.h. */
#ifndef SHOAL_KERNELS_FORM_NUMBERS_H
#define SHOAL_KERNELS_FORM_NUMBERS_H

/* B(r) and A(r) of E = b B - a A. */
enum {
    FORM_POWER_12, /* r^-12, r^-6 */
    FORM_POWER_9,  /* r^-9, r^-6 */
    FORM_POWER_8,  /* r^-8, r^-6 */
    FORM_MORSE,    /* exp(-2 k r), exp(-k r) */
    FORM_BUCK,     /* exp(-k r), r^-6 */
    FORM_FORMULA,  /* a formula of the user for the whole pair */
    FORM_BUFFERED  /* buffered 14-7: a/(r k + 0.07)^7 (1.12/((r k)^7 + 0.12) - 2) */
};
#define BUFFERED_WALL 1.60578147647843 /* 1.07^7, the factor of a */

/* g(r) of the Coulomb energy, in the order of shoal_coulomb. */
enum {
    FORM_COULOMB_PLAIN,
    FORM_COULOMB_CLAMP,
    FORM_COULOMB_SMOOTH,
    FORM_COULOMB_DAMPED,
    FORM_COULOMB_ERF,
    FORM_COULOMB_NONE,
    FORM_COULOMB_BUFFERED,     /* 1/(r + d) */
    FORM_COULOMB_BUFFERED_FAR, /* 1/(r + d)^2 */
    FORM_N_COULOMB
};

#endif
