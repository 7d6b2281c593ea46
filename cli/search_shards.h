/* SPDX-License-Identifier: BSD-3-Clause
 * Files of relaxations that shards of a search have written. */
#ifndef SHOAL_CLI_SEARCH_SHARDS_H
#define SHOAL_CLI_SEARCH_SHARDS_H

/* Exit code: 2, with the reason, unless what a file says of its run is what was asked for now. */
int search_shards_check(const char *path);

#endif
