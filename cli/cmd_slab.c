/* SPDX-License-Identifier: BSD-3-Clause
 * shoal slab: builds common substrates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "constraints.h"
#include "interrupt.h"
#include "options.h"
#include "systems.h"

typedef struct slab_options {
    shoal_slab_options slab;
    int32_t *vacancies;
    shoal_adatom adatoms[64];
    shoal_molecule **crystal; /* of a file, one frame */
    int32_t n_frames;
    const char *output, *facet; /* as given */
    bool quiet;
} slab_options;

static const cli_option slab_option_table[] = {
    {"output", 'o', "FILE", "file to write: .xyz or .extxyz, also .gz (required)",
     CLI_TEXT(slab_options, output)},
    {"size", 0, "NxM", "cells of the surface along a and b (default 4x4)"},
    {"layers", 0, "N",
     "layers (default 3; (110) of a salt 4, fluorite (111) 2 of three planes, bcc (111) 6, sheets "
     "1)",
     CLI_COUNT(slab_options, slab.layers, 1, 10000)},
    {"a", 0, "A", "lattice constant, angstrom (default: tabulated)",
     CLI_NUMBER(slab_options, slab.a, 1)},
    {"c", 0, "C", "of hcp and sheets: twice the distance of layers, angstrom (default: tabulated)",
     CLI_NUMBER(slab_options, slab.c, 1)},
    {"facet", 0, "HKL",
     "rocksalt 001, 110; fluorite 111, 110; fcc 111, 100, 110; bcc 110, 100, 111; hcp 0001 "
     "(default: the first); of a crystal, its Miller indices: 001, 1-10, 1,-1,0",
     CLI_TEXT(slab_options, facet)},
    {"termination", 0, "N",
     "of a crystal: the plane on top, by the list that is printed (default 1)",
     CLI_COUNT(slab_options, slab.termination, 1, 10000)},
    {"charge", 0, "Q",
     "of salts and h-BN: charge of the first element, e (default by the class of material; 0: "
     "none)"},
    {"step", 0, "N", "keep N rows of cells of the topmost layer, along b (default: all)",
     CLI_COUNT(slab_options, slab.step, 1, 100000)},
    {"vacancy", 0, "LIST", "atoms to leave out, counted from 0 in the slab without vacancies"},
    {"adatom", 0, "EL,U,V[,H[,Q]]",
     "an atom on the slab: element, place in cells, height above the top in angstrom (default: in "
     "contact by covalent radii), charge; repeatable"},
    {"vacuum", 0, "D", "angstrom above the slab in the cell (default 20)",
     CLI_NUMBER(slab_options, slab.vacuum, 1e-3)},
    {"quiet", 'q', NULL, "no message", CLI_FLAG(slab_options, quiet)},
    {NULL, 0, NULL, NULL},
};

static bool take_size(slab_options *o, const char *value)
{
    char rest;
    if (sscanf(value, "%9dx%9d%c", &o->slab.size[0], &o->slab.size[1], &rest) == 2 &&
        o->slab.size[0] > 0 && o->slab.size[1] > 0)
        return true;
    return cli_refuse("--size '%s': expected two whole numbers, e.g. 4x4", value);
}

static bool take_slab_charge(slab_options *o, const char *value)
{
    if (!cli_number("charge", value, -10, &o->slab.charge)) return false;
    o->slab.no_charges = o->slab.charge == 0.0;
    return true;
}

static bool take_adatom(slab_options *o, const char *value)
{
    const int32_t n = o->slab.n_adatoms;
    if (n == (int32_t)(sizeof o->adatoms / sizeof o->adatoms[0]))
        return cli_refuse("--adatom: %d is the most", n);
    if (shoal_slab_parse_adatom(&o->adatoms[n], value) != SHOAL_OK)
        return cli_refuse("--%s", shoal_error_text());
    o->slab.n_adatoms = n + 1;
    return true;
}

static bool take_slab_option(void *target, const char *name, const char *value)
{
    slab_options *o = target;
    if (strcmp(name, "size") == 0) return take_size(o, value);
    if (strcmp(name, "charge") == 0) return take_slab_charge(o, value);
    if (strcmp(name, "adatom") == 0) return take_adatom(o, value);
    return constraints_take_atoms(name, value, &o->vacancies, &o->slab.n_vacancies);
}

/* A crystal to be cut, or a slab to be changed, which has one cell unless more are asked for. */
static shoal_status read_crystal(slab_options *o, const char *path)
{
    const shoal_status status = shoal_molecules_read(&o->crystal, &o->n_frames, path);
    if (status != SHOAL_OK) return status;
    o->slab.crystal = o->crystal[0];
    if (!o->facet && o->slab.size[0] == 0) o->slab.size[0] = o->slab.size[1] = 1;
    return o->facet ? shoal_slab_parse_indices(&o->slab, o->facet) : SHOAL_OK;
}

/* "rocksalt NaCl", "fluorite CaF2", "fcc Au", "graphene"; "quartz.cif". */
static shoal_status choose_kind(slab_options *o, const char **words, int n_words)
{
    if (n_words == 1 && shoal_format_by_path(words[0]) != SHOAL_FORMAT_AUTO)
        return read_crystal(o, words[0]);
    const shoal_status status = shoal_slab_parse(&o->slab, words[0], o->facet);
    if (status != SHOAL_OK || n_words == 1) return status;
    return shoal_slab_parse_elements(&o->slab, words[1]);
}

/* A slab repeats, which only extended xyz can tell. */
static int open_output(const slab_options *o, shoal_writer **out)
{
    if (!o->output) return cli_misuse("slab: no output; name one with -o FILE");
    const shoal_status status = shoal_writer_open(out, o->output, SHOAL_FORMAT_AUTO);
    if (status == SHOAL_E_ARGUMENT || status == SHOAL_E_UNSUPPORTED)
        return cli_misuse("%s", shoal_error_text());
    if (status != SHOAL_OK) return complain_of_output();
    interrupt_remove(shoal_writer_part(*out));
    if (shoal_writer_format(*out) == SHOAL_FORMAT_XYZ) return EXIT_ALL_FINE;
    return cli_misuse(
        "--output '%s': SD files have no place for the cell of a slab, expected .xyz or "
        ".extxyz (also .gz)",
        o->output);
}

static int build(const slab_options *o, shoal_molecule *mol, shoal_writer *out)
{
    const shoal_status status = shoal_slab_build(mol, &o->slab);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (shoal_writer_put(out, mol, NULL) != SHOAL_OK || shoal_writer_close(out) != SHOAL_OK)
        return complain_of_output();
    return EXIT_ALL_FINE;
}

/* Whether some of its atoms are of a metal that has UFF's parameters alone. */
static bool is_metal_of_uff(const shoal_molecule *mol)
{
    shoal_surface *surface = NULL;
    shoal_surface_view v;
    (void)shoal_surface_create(&surface, mol, NULL);
    shoal_surface_get(surface, &v);
    const bool uff = strstr(v.metals, "uff") != NULL;
    shoal_surface_destroy(surface);
    return uff;
}

/* Charges that nobody asked for are told; so is where UFF is known to be wrong. */
static void describe_physics(const slab_options *o, const shoal_molecule *mol)
{
    const double *charges = shoal_molecule_charges(mol);
    const int32_t *elements = shoal_molecule_elements(mol), n = shoal_molecule_n_atoms(mol);
    const int n_elements = shoal_slab_elements(o->slab.kind);
    int32_t other = 0;
    while (other < n && elements[other] == elements[0]) ++other;
    if (n_elements == 1 && is_metal_of_uff(mol))
        cli_complain("note: no parameters were fitted to adsorption on %s; those of UFF bind "
                     "molecules several times "
                     "too weakly or too strongly (docs/surfaces.md)",
                     shoal_element_symbol(elements[0]));
    if (n_elements < 2 || cli_was_given("charge")) return;
    if (!charges)
        cli_complain("charges: none is known of this material; --charge sets them");
    else if (other < n)
        cli_complain("charges: %s %+.4g, %s %+.4g e (default; --charge sets others)",
                     shoal_element_symbol(elements[0]), charges[0],
                     shoal_element_symbol(elements[other]), charges[other]);
}

static void describe(const shoal_molecule *mol)
{
    double cell[3][3];
    bool pbc[3];
    shoal_molecule_cell(mol, cell, pbc);
    cli_complain("%s: %d atoms, a = (%.4f, %.4f), b = (%.4f, %.4f) A", shoal_molecule_name(mol),
                 shoal_molecule_n_atoms(mol), cell[0][0], cell[0][1], cell[1][0], cell[1][1]);
}

/* What a crystal may end with. */
static void describe_ends(const shoal_slab_options *slab)
{
    shoal_string *text = NULL;
    if (shoal_string_create(&text) == SHOAL_OK && shoal_slab_terminations(slab, text) == SHOAL_OK)
        cli_complain("terminations:\n%.*s", (int)shoal_string_size(text) - 1,
                     shoal_string_data(text));
    shoal_string_destroy(text);
}

static int run_slab(void *user, const char **words, int n_words)
{
    slab_options *o = user;
    shoal_molecule *mol = NULL;
    shoal_writer *out = NULL;
    const shoal_status named = choose_kind(o, words, n_words);
    if (named != SHOAL_OK) return complain_of_status(named);
    int code = open_output(o, &out);
    o->slab.vacancies = o->vacancies;
    o->slab.adatoms = o->adatoms;
    if (code == EXIT_ALL_FINE && shoal_molecule_create(&mol) != SHOAL_OK)
        code = complain_of_status(SHOAL_E_MEMORY);
    if (code == EXIT_ALL_FINE) code = build(o, mol, out);
    shoal_writer_destroy(out);
    interrupt_remove(NULL);
    if (code == EXIT_ALL_FINE && !o->quiet) {
        describe(mol);
        if (!o->slab.crystal) describe_physics(o, mol);
        if (o->slab.hkl[0] || o->slab.hkl[1] || o->slab.hkl[2]) describe_ends(&o->slab);
    }
    shoal_molecule_destroy(mol);
    return code;
}

int cmd_slab(int argc, char **argv)
{
    slab_options o = {0};
    const cli_group group = {"options:", slab_option_table, take_slab_option, &o};
    const cli_command command = {
        .name = "slab",
        .usage = "KIND [ELEMENTS] | CRYSTAL -o FILE [OPTIONS]",
        .purpose =
            "Builds a substrate: a facet of a salt or a metal, graphene, boron nitride, or a "
            "cut through any crystal.",
        .notes = "KIND: rocksalt (NaCl, MgO, ...), fluorite (CaF2, CeO2, ...), fcc (Au, Cu, ...), "
                 "bcc (Fe, W, "
                 "...),\nhcp (Ti, Mg, ...), graphene, h-bn. The first of its facets and of its "
                 "elements is the "
                 "default.\nThe topmost layer is at z = 0 and comes first in the file. All layers "
                 "are neutral. "
                 "Example:\n  shoal slab rocksalt NaCl --size 16x16 --layers 3 -o nacl.xyz    "
                 "(1536 atoms)\n"
                 "CRYSTAL: a file (CIF, POSCAR, PDB, extended xyz) that --facet cuts; a slab that "
                 "is periodic in\na and b only is used as it is, for vacancies and adatoms:\n"
                 "  shoal slab quartz.cif --facet 101 --termination 2 -o quartz.xyz",
        .groups = &group,
        .n_groups = 1,
        .min_files = 1,
        .max_files = 2};
    const int code = cli_run(&command, argc, argv, run_slab, &o);
    free(o.vacancies);
    for (int32_t k = 0; k < o.n_frames; ++k) shoal_molecule_destroy(o.crystal[k]);
    free(o.crystal);
    return code;
}
