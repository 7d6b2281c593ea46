/* SPDX-License-Identifier: BSD-3-Clause
 * Centres, rotors and nodes for one way of keeping numbers, which cpu_lanes.h and cpu_mixed.h say each for its own; what
 * they say of it ends here. */

#include "backend/cpu/small/cpu_centres.h"

#include "backend/cpu/small/cpu_rotors.h"

#include "backend/cpu/small/cpu_nodes.h"

#undef PERIOD
#undef MULTIPLY_ANGLE
#undef PUT_LANE
#undef GET_LANE
#undef PUT
#undef GET
#undef FIELD
#undef NODE
#undef ROTOR
#undef CENTRE
#undef MODE_LANES
#undef MODE
#undef ROW
#undef AT3
#undef THERE
#undef PAR
#undef ON_RSQRT
#undef SELECT
#undef ANY
#undef AT
#undef V3
#undef ON
#undef VECTOR
#undef NUMBER
