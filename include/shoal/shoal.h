/* SPDX-License-Identifier: BSD-3-Clause
 * Everything libshoal offers. */
#ifndef SHOAL_SHOAL_H
#define SHOAL_SHOAL_H

#include "shoal/atom_types.h"
#include "shoal/compare.h"
#include "shoal/device.h"
#include "shoal/engine.h"
#include "shoal/fit.h"
#include "shoal/io.h"
#include "shoal/molecule.h"
#include "shoal/status.h"
#include "shoal/surface.h"
#include "shoal/topology.h"
#include "shoal/topology_builder.h"

#endif
