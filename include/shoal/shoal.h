/* SPDX-License-Identifier: BSD-3-Clause
 * Everything libshoal offers.
 *
 * Ownership. What a function creates through an `out` pointer is the caller's, to be given to the destroy
 * function of its kind, which takes NULL. Topologies, surfaces and grids are counted: retain adds a
 * reference, destroy gives one back. Arguments are borrowed for the call and copied where they are
 * kept; returned pointers are borrowed from the object, as long as its header says.
 *
 * Errors. A call that can fail returns a shoal_status; shoal_error_text() says why. The library never
 * prints, exits or aborts. A bad system is data and has a status of its own.
 *
 * NULL. Where something is needed, NULL fails with SHOAL_E_ARGUMENT; a function that returns no status
 * does nothing, or answers 0, NULL, "" or an empty view. Where NULL has a meaning the header says so.
 *
 * Threads. Different objects may be used by different threads at the same time, without further
 * ado. One object is for one thread at a time, except that topologies, surfaces and grids do not
 * change once they are made: any number of threads may read them, retain and destroy them, and run
 * engines on them. So may all functions that only ask (const objects), while nobody changes the
 * object. Error texts belong to the thread that failed. Libraries that are loaded when they are first
 * wanted (OpenCL, HDF5) are loaded once, by whichever thread comes first; files of grids and results
 * (HDF5) are read and written one at a time. An engine uses threads of its own (n_threads), but calls monitors and
 * visitors on the thread that called it; a fit with several starts calls its monitor on one of its own. */
#ifndef SHOAL_SHOAL_H
#define SHOAL_SHOAL_H

#include "shoal/atom_types.h"
#include "shoal/band.h"
#include "shoal/batch.h"
#include "shoal/bench.h"
#include "shoal/certificate.h"
#include "shoal/check.h"
#include "shoal/compare.h"
#include "shoal/dataset.h"
#include "shoal/device.h"
#include "shoal/doctor.h"
#include "shoal/elastic.h"
#include "shoal/engine.h"
#include "shoal/ensemble.h"
#include "shoal/explain.h"
#include "shoal/ff_table.h"
#include "shoal/fit.h"
#include "shoal/fit_bonded.h"
#include "shoal/fit_data.h"
#include "shoal/fit_errors.h"
#include "shoal/fit_json.h"
#include "shoal/grid.h"
#include "shoal/io.h"
#include "shoal/json.h"
#include "shoal/like.h"
#include "shoal/live.h"
#include "shoal/md.h"
#include "shoal/merge.h"
#include "shoal/mesh.h"
#include "shoal/modes.h"
#include "shoal/molecule.h"
#include "shoal/pair_model.h"
#include "shoal/placement.h"
#include "shoal/planner.h"
#include "shoal/restraint.h"
#include "shoal/results.h"
#include "shoal/row.h"
#include "shoal/run.h"
#include "shoal/scan.h"
#include "shoal/search.h"
#include "shoal/selection.h"
#include "shoal/status.h"
#include "shoal/stream.h"
#include "shoal/sums.h"
#include "shoal/surface.h"
#include "shoal/table.h"
#include "shoal/text.h"
#include "shoal/tip.h"
#include "shoal/topology.h"
#include "shoal/topology_builder.h"
#include "shoal/units.h"
#include "shoal/version.h"

#endif
