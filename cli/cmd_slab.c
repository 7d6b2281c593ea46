/* SPDX-License-Identifier: BSD-3-Clause
 * shoal slab: builds common substrates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "interrupt.h"
#include "options.h"
#include "systems.h"

typedef struct slab_options {
    shoal_slab_options slab;
    int32_t *vacancies;
    const char *output;
    bool quiet;
} slab_options;

static const cli_option slab_option_table[] = {
    {"output", 'o', "FILE", "file to write: .xyz or .extxyz, also .gz (required)"},
    {"size", 0, "NxM", "cells of the surface along a and b (default 4x4)"},
    {"layers", 0, "N", "layers of atoms (default 3, graphene 1)"},
    {"a", 0, "A", "lattice constant, angstrom (default: tabulated)"},
    {"facet", 0, "HKL", "of a metal: 111 (default) or 100"},
    {"charge", 0, "Q", "of a salt: charge of the first element, e (default 0)"},
    {"step", 0, "N", "keep N rows of cells of the topmost layer, along b (default: all)"},
    {"vacancy", 0, "LIST", "atoms to leave out, counted from 0 in the slab without vacancies"},
    {"vacuum", 0, "D", "angstrom above the slab in the cell (default 20)"},
    {"quiet", 'q', NULL, "no message"},
    {NULL, 0, NULL, NULL},
};

static bool take_size(slab_options *o, const char *value)
{
    char rest;
    if (sscanf(value, "%9dx%9d%c", &o->slab.size[0], &o->slab.size[1], &rest) == 2 &&
        o->slab.size[0] > 0 && o->slab.size[1] > 0)
        return true;
    cli_complain("--size '%s': expected two whole numbers, e.g. 4x4", value);
    return false;
}

static bool take_facet(slab_options *o, const char *value)
{
    if (strcmp(value, "100") == 0) {
        o->slab.kind = SHOAL_SLAB_FCC100;
    } else if (strcmp(value, "111") == 0) {
        o->slab.kind = SHOAL_SLAB_FCC111;
    } else {
        cli_complain("--facet '%s': expected 111 or 100", value);
        return false;
    }
    return true;
}

static bool take_vacancies(slab_options *o, const char *list)
{
    for (const char *at = list; *at;) {
        char *end;
        const long index = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || index < 0 || index > 2147483647) {
            cli_complain("--vacancy '%s': expected whole numbers, e.g. 3,17", list);
            return false;
        }
        const size_t n = (size_t)o->slab.n_vacancies + 1;
        int32_t *more = realloc(o->vacancies, n * sizeof *more);
        if (!more) {
            cli_complain("out of memory");
            return false;
        }
        o->vacancies = more;
        o->vacancies[o->slab.n_vacancies++] = (int32_t)index;
        at = *end ? end + 1 : end;
    }
    return true;
}

static bool take_slab_option(void *target, const char *name, const char *value)
{
    slab_options *o = target;
    if (strcmp(name, "size") == 0) return take_size(o, value);
    if (strcmp(name, "layers") == 0) return cli_integer(name, value, 1, 10000, &o->slab.layers);
    if (strcmp(name, "a") == 0) return cli_number(name, value, 1, &o->slab.a);
    if (strcmp(name, "facet") == 0) return take_facet(o, value);
    if (strcmp(name, "charge") == 0) return cli_number(name, value, -10, &o->slab.charge);
    if (strcmp(name, "step") == 0) return cli_integer(name, value, 1, 100000, &o->slab.step);
    if (strcmp(name, "vacancy") == 0) return take_vacancies(o, value);
    if (strcmp(name, "vacuum") == 0) return cli_number(name, value, 1e-3, &o->slab.vacuum);
    if (strcmp(name, "quiet") == 0)
        o->quiet = true;
    else
        o->output = value;
    return true;
}

/* One or two element symbols without a blank between them. */
static bool parse_elements(const char *text, int32_t out[2], int *n)
{
    *n = 0;
    for (const char *at = text; *at; ++*n) {
        char symbol[3] = {at[0], '\0', '\0'};
        if (at[1] >= 'a' && at[1] <= 'z') symbol[1] = at[1];
        const int32_t z = shoal_element_number(symbol);
        if (z == 0 || *n == 2) return false;
        out[*n] = z;
        at += strlen(symbol);
    }
    return *n > 0;
}

/* "rocksalt NaCl", "fcc Au", "graphene". */
static bool choose_kind(slab_options *o, const char **words, int n_words)
{
    const char *what = n_words > 1 ? words[1] : NULL;
    const bool salt = strcmp(words[0], "rocksalt") == 0, metal = strcmp(words[0], "fcc") == 0;
    int n = 0;
    if (!salt && !metal && strcmp(words[0], "graphene") != 0) {
        cli_complain("slab: unknown kind '%s'; expected rocksalt, fcc or graphene", words[0]);
        return false;
    }
    if (o->slab.kind != SHOAL_SLAB_ROCKSALT && !metal) {
        cli_complain("--facet is for metals (fcc)");
        return false;
    }
    if (metal && o->slab.kind == SHOAL_SLAB_ROCKSALT) o->slab.kind = SHOAL_SLAB_FCC111;
    if (!salt && !metal) o->slab.kind = SHOAL_SLAB_GRAPHENE;
    if (!what) return true;
    if (!parse_elements(what, o->slab.elements, &n) || n != (salt ? 2 : 1)) {
        cli_complain("slab: '%s': expected %s", what,
                     salt ? "two elements, e.g. NaCl" : "one element, e.g. Au");
        return false;
    }
    return true;
}

/* A slab repeats, which only extended xyz can tell. */
static int open_output(const slab_options *o, shoal_writer **out)
{
    if (!o->output) {
        cli_complain("slab: no output; say where with -o FILE");
        return EXIT_USAGE;
    }
    const shoal_status status = shoal_writer_open(out, o->output, SHOAL_FORMAT_AUTO);
    if (status == SHOAL_E_ARGUMENT || status == SHOAL_E_UNSUPPORTED) {
        cli_complain("%s", shoal_error_text());
        return EXIT_USAGE;
    }
    if (status != SHOAL_OK) return complain_of_output();
    interrupt_remove(shoal_writer_part(*out));
    if (shoal_writer_format(*out) == SHOAL_FORMAT_XYZ) return EXIT_ALL_FINE;
    cli_complain("--output '%s': SD files have no place for the cell of a slab, expected .xyz or "
                 ".extxyz (also .gz)",
                 o->output);
    return EXIT_USAGE;
}

static int build(const slab_options *o, shoal_molecule *mol, shoal_writer *out)
{
    const shoal_status status = shoal_slab_build(mol, &o->slab);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (shoal_writer_put(out, mol, NULL) != SHOAL_OK || shoal_writer_close(out) != SHOAL_OK)
        return complain_of_output();
    return EXIT_ALL_FINE;
}

static void describe(const shoal_molecule *mol)
{
    double cell[3][3];
    bool pbc[3];
    shoal_molecule_cell(mol, cell, pbc);
    cli_complain("%s: %d atoms, a = (%.4f, %.4f), b = (%.4f, %.4f) A", shoal_molecule_name(mol),
                 shoal_molecule_n_atoms(mol), cell[0][0], cell[0][1], cell[1][0], cell[1][1]);
}

static int run_slab(void *user, const char **words, int n_words)
{
    slab_options *o = user;
    shoal_molecule *mol = NULL;
    shoal_writer *out = NULL;
    if (!choose_kind(o, words, n_words)) return EXIT_USAGE;
    int code = open_output(o, &out);
    o->slab.vacancies = o->vacancies;
    if (code == EXIT_ALL_FINE && shoal_molecule_create(&mol) != SHOAL_OK)
        code = complain_of_status(SHOAL_E_MEMORY);
    if (code == EXIT_ALL_FINE) code = build(o, mol, out);
    shoal_writer_destroy(out);
    interrupt_remove(NULL);
    if (code == EXIT_ALL_FINE && !o->quiet) describe(mol);
    shoal_molecule_destroy(mol);
    return code;
}

int cmd_slab(int argc, char **argv)
{
    slab_options o = {0};
    const cli_group group = {"options:", slab_option_table, take_slab_option, &o};
    const cli_command command = {
        .name = "slab",
        .usage = "rocksalt|fcc|graphene [ELEMENTS] -o FILE [OPTIONS]",
        .purpose = "Builds a substrate: (001) of a salt, (111) or (100) of a metal, graphene.",
        .notes = "ELEMENTS: NaCl (default), MgO, ... of a salt; Au (default), Cu, ... of a metal. "
                 "A cell "
                 "of the surface\nis a/sqrt(2) wide and has two atoms in a layer of a salt (one of "
                 "each), "
                 "one of a metal; that of\ngraphene is a wide and has two. The topmost layer is at "
                 "z = 0 "
                 "and comes first in the file. Example:\n  shoal slab rocksalt NaCl --size 16x16 "
                 "--layers "
                 "3 --charge 0.9 -o nacl.xyz    (1536 atoms)",
        .groups = &group,
        .n_groups = 1,
        .min_files = 1,
        .max_files = 2};
    const int code = cli_run(&command, argc, argv, run_slab, &o);
    free(o.vacancies);
    return code;
}
