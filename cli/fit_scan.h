/* SPDX-License-Identifier: BSD-3-Clause
 * shoal fit scan: the objective along one or two parameters. argv[0] is "scan". */
#ifndef SHOAL_CLI_FIT_SCAN_H
#define SHOAL_CLI_FIT_SCAN_H

int cmd_fit_scan(int argc, char **argv);

#endif
