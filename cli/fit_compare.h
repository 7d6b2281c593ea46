/* SPDX-License-Identifier: BSD-3-Clause
 * shoal fit compare: several models on the same folds of the same data. argv[0] is "compare". */
#ifndef SHOAL_CLI_FIT_COMPARE_H
#define SHOAL_CLI_FIT_COMPARE_H

int cmd_fit_compare(int argc, char **argv);

#endif
