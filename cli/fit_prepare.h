/* SPDX-License-Identifier: BSD-3-Clause
 * shoal fit prepare: frames typed and charged by Shoal, made of plain dimers. argv[0] is "prepare". */
#ifndef SHOAL_CLI_FIT_PREPARE_H
#define SHOAL_CLI_FIT_PREPARE_H

int cmd_fit_prepare(int argc, char **argv);

#endif
