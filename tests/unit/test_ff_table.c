/* SPDX-License-Identifier: BSD-3-Clause
 * Tables of force fields: which rows take the place of which terms, what is written back, what is refused. */
#include "cpu_fixture.h"

#include "ff/topology.h"
#include "shoal/ff_table.h"

/* Ethanol and dimethyl ether: the same elements in the same order. */
static const char ethanol[] = "CCO ethanol\n", ether[] = "C1.CO1 ether\n";

static shoal_molecule *molecule_of(const char *smiles)
{
    shoal_reader *reader = NULL;
    shoal_molecule *mol = NULL;
    bool found = false;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_reader_open_memory(&reader, smiles, strlen(smiles), "smiles",
                                   SHOAL_FORMAT_SMILES) == SHOAL_OK);
    CHECK(shoal_reader_next(reader, mol, &found) == SHOAL_OK && found);
    shoal_reader_destroy(reader);
    return mol;
}

static shoal_topology *typed(const char *smiles, const char *forcefield, const char *rows)
{
    shoal_molecule *mol = molecule_of(smiles);
    shoal_typing_options o = {0};
    shoal_ff_table *table = NULL;
    shoal_topology *out = NULL;
    CHECK(shoal_forcefield_by_name(forcefield, &o) == SHOAL_OK);
    if (rows) CHECK(shoal_ff_table_read_memory(&table, rows, strlen(rows), "rows") == SHOAL_OK);
    o.table = table;
    CHECK(shoal_topology_create(&out, mol, &o) == SHOAL_OK);
    shoal_ff_table_destroy(table);
    shoal_molecule_destroy(mol);
    return out;
}

static int32_t count(const shoal_topology *t, int kind)
{
    shoal_topology_view v;
    int32_t n;
    shoal_topology_get(t, &v);
    (void)shoal_topology_terms(&v, kind, &n);
    return n;
}

/* Terms of a kind with this first parameter. */
static int32_t count_of(const shoal_topology *t, int kind, double p)
{
    shoal_topology_view v;
    int32_t n, found = 0;
    shoal_topology_get(t, &v);
    const shoal_term *terms = shoal_topology_terms(&v, kind, &n);
    for (int32_t k = 0; k < n; ++k) found += terms[k].p[0] == p;
    return found;
}

/* Ethanol has the bonds C-C, C-O, O-H and five C-H. */
static void test_by_type(void)
{
    shoal_topology *t = typed(ethanol, "uff",
                              "bond * H_ 30 1.1 1 # all hydrogens\n"
                              "bond C_3 H_ 31 1.09 1\n"
                              "bond H_\tO_3 32 0.96 1\n"
                              "atom C_3 4 0.005\n"
                              "atom H_ 2.5 0.002 0.1\n");
    shoal_topology_view v;
    shoal_topology_get(t, &v);
    CHECK(count(t, SHOAL_KIND_BOND) == 8);
    CHECK(count_of(t, SHOAL_KIND_BOND, 31) == 5 && count_of(t, SHOAL_KIND_BOND, 32) == 1);
    CHECK(count_of(t, SHOAL_KIND_BOND, 30) == 0);
    CHECK(v.vdw_x[0] == 4 && v.vdw_d[1] == 0.005 && v.vdw_x[2] != 4 && v.charges[3] == 0.1);
    CHECK(v.has_charges && v.charges_from == SHOAL_CHARGES_TYPES && v.charges[0] == 0);
    shoal_topology_destroy(t);
    /* All rows of the best pattern act together; one of another kind takes its place, too. */
    t = typed(ethanol, "uff",
              "torsion * C_3 C_3 * 0.5 1 3\ntorsion H_ C_3 C_3 O_3 0.1 1 3\n"
              "periodic H_ C_3 C_3 O_3 0.2 2 0.4\ntorsion O_3 C_3 C_3 H_ 0.3 -1 1\n"
              "bend H_ C_3 C_3 5 1.9 0 0 1 0 2\n");
    CHECK(count_of(t, SHOAL_KIND_TORSION, 0.5) == 6 && count_of(t, SHOAL_KIND_TORSION, 0.3) == 3);
    CHECK(count_of(t, SHOAL_KIND_TORSION, 0.1) == 0 && count(t, SHOAL_KIND_PERIODIC) == 0);
    CHECK(count(t, SHOAL_KIND_BEND) == 5 && count(t, SHOAL_KIND_ANGLE) == 8);
    shoal_topology_get(t, &v);
    int32_t n;
    const shoal_term *bends = shoal_topology_terms(&v, SHOAL_KIND_BEND, &n);
    for (int32_t k = 0; k < n; ++k) { /* the second bond is C-C, whichever way the term goes */
        const bool last = v.elements[bends[k].atoms[2]] == 6;
        CHECK(bends[k].p[last ? SHOAL_BEND_KK : SHOAL_BEND_KI] == 1);
        CHECK(bends[k].p[last ? SHOAL_BEND_RK : SHOAL_BEND_RI] == 2);
    }
    shoal_topology_destroy(t);
}

/* Types of UFF, changed and new. */
static void test_types(void)
{
    static const char rows[] =
        "type O_3 O 0.7 104.51 3.6 0.07 14.085 2.3 0.018 2 8.741 6.682 0.669\n"
        "type CX C 0.8 109.47 3.9 0.11 12.73 1.912 2.119 2 5.343 5.063 0.759\n";
    shoal_topology *t = typed(ethanol, "uff", rows), *plain = typed(ethanol, "uff", NULL);
    shoal_topology_view v, w;
    shoal_topology_get(t, &v);
    shoal_topology_get(plain, &w);
    CHECK(v.vdw_x[2] == 3.6 && w.vdw_x[2] == 3.5 && strcmp(v.types[2], "O_3") == 0);
    CHECK(v.vdw_x[0] == w.vdw_x[0] && v.terms[0].p[1] == w.terms[0].p[1]); /* C-C */
    CHECK(v.terms[1].p[1] > w.terms[1].p[1] + 0.02);                       /* C-O */
    CHECK(!topology_equal(t, plain));
    shoal_topology_destroy(t);
    shoal_topology_destroy(plain);
    t = typed(ethanol, "mmff94", rows);
    CHECK(shoal_topology_status(t) == SHOAL_SYSTEM_UNTYPED);
    CHECK(strstr(shoal_topology_reason(t), "types of UFF") != NULL);
    shoal_topology_destroy(t);
    shoal_molecule *mol = molecule_of(ethanol);
    shoal_ff_table *table = NULL;
    CHECK(shoal_ff_table_read_memory(&table, rows, sizeof rows - 1, "rows") == SHOAL_OK);
    CHECK(shoal_ff_table_size(table) == 2 && shoal_ff_table_size(NULL) == 0);
    CHECK(shoal_molecule_set_type(mol, 0, "CX") == SHOAL_OK);
    const shoal_typing_options o = {.table = table};
    CHECK(shoal_topology_create(&t, mol, &o) == SHOAL_OK);
    shoal_ff_table_destroy(table);
    shoal_topology_get(t, &v);
    CHECK(strcmp(v.types[0], "CX") == 0 && v.vdw_x[0] == 3.9);
    shoal_topology_destroy(t);
    shoal_molecule_destroy(mol);
}

/* Rows of atoms: in the place of terms, and new ones, whose ends have no pair. */
static void test_by_atom(void)
{
    shoal_topology *t = typed(ethanol, "uff",
                              "molecule C C O H H H H H H\n"
                              "bond 1 0 50 1.5 1\n"
                              "bond 0 2 1 2.4 1   # 1-3 partners, for which UFF has no such term\n"
                              "torsion 8 2 1 0 0.1 -1 1\ntorsion 0 1 2 8 0.2 1 3\n"
                              "atom 8 1.5 0.001 0.4\n"
                              "exclude 3 8\npair 4 8 0.5 0.8\npair 5 8 0.5 0 3 0.01\n"
                              "molecule C C\nbond 0 1 99 1 1\n");
    shoal_topology_view v;
    shoal_topology_get(t, &v);
    CHECK(count(t, SHOAL_KIND_BOND) == 9 && count_of(t, SHOAL_KIND_BOND, 50) == 1);
    CHECK(count_of(t, SHOAL_KIND_BOND, 1) == 1 && count_of(t, SHOAL_KIND_BOND, 99) == 0);
    CHECK(count_of(t, SHOAL_KIND_TORSION, 0.1) == 1 && count_of(t, SHOAL_KIND_TORSION, 0.2) == 1);
    CHECK(v.charges[8] == 0.4 && v.vdw_x[8] == 1.5);
    CHECK(count(t, SHOAL_KIND_PAIR_VDW) == 2 && count(t, SHOAL_KIND_PAIR_COULOMB) == 1);
    CHECK(topology_excludes(&v, 3, 8, (const int32_t[3]){0}));
    CHECK(topology_excludes(&v, 8, 4, (const int32_t[3]){0}));
    CHECK(topology_excludes(&v, 0, 1, (const int32_t[3]){0}));
    CHECK(!topology_excludes(&v, 6, 8, (const int32_t[3]){0}) ||
          topology_excludes(&v, 7, 8, (const int32_t[3]){0}));
    shoal_topology_destroy(t);
    t = typed(ethanol, "uff", "bond 0 9 1 1 1\n");
    CHECK(shoal_topology_status(t) == SHOAL_SYSTEM_UNTYPED);
    CHECK(strstr(shoal_topology_reason(t), "line 1") != NULL);
    shoal_topology_destroy(t);
}

/* What is written and read back is the same topology, whatever the force field. */
static void test_round_trip(const char *forcefield, const char *smiles)
{
    shoal_molecule *mol = molecule_of(smiles);
    shoal_topology *t = typed(smiles, forcefield, NULL), *again = NULL;
    shoal_string *text = NULL;
    shoal_topology_view v, w;
    CHECK(shoal_string_create(&text) == SHOAL_OK);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    CHECK(shoal_ff_table_put(text, mol, t) == SHOAL_OK);
    CHECK(shoal_ff_table_put(text, mol, t) == SHOAL_OK); /* a second conformer */
    again = typed(smiles, forcefield, shoal_string_data(text));
    CHECK(shoal_topology_status(again) == SHOAL_SYSTEM_OK);
    shoal_topology_get(t, &v);
    shoal_topology_get(again, &w);
    CHECK(v.n_terms == w.n_terms && v.n_terms > 10);
    CHECK(memcmp(v.terms, w.terms, (size_t)v.n_terms * sizeof *v.terms) == 0);
    CHECK(topology_equal(t, again));
    /* Of an isomer with the same atoms none of this is. */
    shoal_topology *other = typed(ether, forcefield, NULL),
                   *same = typed(ether, forcefield, shoal_string_data(text));
    CHECK(topology_equal(other, same));
    shoal_topology_destroy(other);
    shoal_topology_destroy(same);
    shoal_topology_destroy(t);
    shoal_topology_destroy(again);
    shoal_string_destroy(text);
    shoal_molecule_destroy(mol);
}

static void test_refused(void)
{
    static const struct {
        const char *rows, *words;
    } cases[] = {
        {"bonds C_3 H_ 1 1 1\n", "unknown row"},
        {"\nbond C_3 H_ 1 1\n", "rows:2: bad number"},
        {"bond C_3 H_ 1 1 1 1\n", "end of the line"},
        {"bond C_3 H_ 1 -1 1\n", "r0 is -1"},
        {"bond C_3 3 1 1 1\n", "one or the other"},
        {"bond 3 3 1 1 1\n", "different atoms"},
        {"bond 3 3@x 1 1 1\n", "bad atom"},
        {"bond A_very_long_label_indeed H_ 1 1 1\n", "bad atom"},
        {"pair_vdw 0 1 1 1 1\n", "unknown row"},
        {"pair C_3 H_ 1 1\n", "numbers"},
        {"pair 0 1 1\n", "coulomb_scale"},
        {"exclude 0 1 2\n", "end of the line"},
        {"atom C_3 0 1\n", "x of at least"},
        {"atom C_3 1 -1\n", "D of at least"},
        {"sigma_pi C_2 C_2 C_2 1 0\n", "directions"},
        {"molecule\n", "no atoms"},
        {"molecule C H 0-2\n", "bad bond"},
        {"type C_3 Q 1 1 1 1 1 1 1 1 1 1 1\n", "bad element"},
        {"type C_3 C 1 1 1 1 1 1 1 1 1 1\n", "radius"},
        {"molecule C O\nbond 0 1 1 1 1\nmolecule C O\nbond 0 1 1 2 1\n", "lines 1 and 3"},
        {"molecule C O\nbond 0 1 1 1 1\nmolecule C O\n", "lines 1 and 3"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_ff_table *table = NULL;
        CHECK(shoal_ff_table_read_memory(&table, cases[k].rows, strlen(cases[k].rows), "rows") ==
              SHOAL_E_FORMAT);
        const bool told = strstr(shoal_error_text(), cases[k].words) != NULL;
        if (!told) fprintf(stderr, "%s: %s\n", cases[k].rows, shoal_error_text());
        CHECK(told && !table);
    }
    shoal_ff_table *table = NULL;
    CHECK(shoal_ff_table_read(&table, "no-folder/my.tsv") == SHOAL_E_IO);
}

int main(void)
{
    test_by_type();
    test_types();
    test_by_atom();
    static const char *const fields[] = {"uff",    "uff:paper", "uff:firecore",
                                         "mmff94", "mmffsp3",   "mmffsp3:firecore"};
    static const char *const molecules[] = {"CCO ethanol\n", "OC(=O)c1ccccc1 acid\n",
                                            "CC(=O)NC amide\n", "C1=CC=CN1 pyrrole\n"};
    for (int f = 0; f < 6; ++f)
        for (int m = 0; m < 4; ++m) test_round_trip(fields[f], molecules[m]);
    test_refused();
    return check_done();
}
