/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bonds as they cross the border between host and device; valid as C17 and OpenCL C 1.2. */
#ifndef SHOAL_KERNELS_RIGID_LAYOUT_H
#define SHOAL_KERNELS_RIGID_LAYOUT_H

/* Atoms that rigid bonds may hold to one in the middle (step_rigid.h). On devices the row of the one in the middle
 * has their numbers within the system, RIGID_NONE where there are fewer; rows of the others begin with RIGID_HELD. */
#define RIGID_MOST 4
enum { RIGID_NONE = -1, RIGID_HELD = -2 };

#endif
