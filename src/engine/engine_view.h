/* SPDX-License-Identifier: BSD-3-Clause
 * The results of an engine as flat arrays. */
#ifndef SHOAL_ENGINE_ENGINE_VIEW_H
#define SHOAL_ENGINE_ENGINE_VIEW_H

#include "engine/engine.h"

void engine_view_free(shoal_engine *engine);

#endif
