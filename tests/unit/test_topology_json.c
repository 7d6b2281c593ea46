/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies as JSON: what is read back is what was written, and texts that make none are refused by their line. */
#include "hand_fixture.h"

#include "base/json_read.h"
#include "ff/topology.h"

static void check_round_trip(const shoal_topology *t)
{
    shoal_string *text = NULL, *again = NULL;
    shoal_topology *read = NULL;
    shoal_topology_view v, w;
    CHECK(shoal_string_create(&text) == SHOAL_OK && shoal_string_create(&again) == SHOAL_OK);
    CHECK(shoal_topology_put(text, t) == SHOAL_OK);
    CHECK(shoal_topology_read_memory(&read, shoal_string_data(text), shoal_string_size(text),
                                     "text") == SHOAL_OK);
    if (!read) fprintf(stderr, "%s\n", shoal_error_text());
    if (read) {
        shoal_topology_get(t, &v);
        shoal_topology_get(read, &w);
        CHECK(topology_equal(t, read) || (v.model && w.model));
        CHECK(v.n_terms == w.n_terms && v.n_special_pairs == w.n_special_pairs);
        CHECK(memcmp(v.terms, w.terms, (size_t)v.n_terms * sizeof *v.terms) == 0);
        CHECK(v.charges_from == w.charges_from && !v.model == !w.model);
        CHECK(shoal_topology_put(again, read) == SHOAL_OK);
        CHECK(strcmp(shoal_string_data(text), shoal_string_data(again)) == 0);
    }
    shoal_topology_destroy(read);
    shoal_string_destroy(text);
    shoal_string_destroy(again);
}

/* Molecules of all sorts, in all force fields, and with pair models. */
static void test_molecules(const char *forcefield, const char *model)
{
    shoal_typing_options o = {.charges = SHOAL_CHARGES_QEQ};
    shoal_reader *reader = NULL;
    shoal_molecule *mol = NULL;
    bool found = true;
    char path[1024];
    int32_t n = 0;
    CHECK(shoal_forcefield_by_name(forcefield, &o) == SHOAL_OK);
    if (o.forcefield != SHOAL_FORCEFIELD_UFF) o.charges = SHOAL_CHARGES_AUTO;
    if (model)
        CHECK(shoal_pair_model_read_memory((shoal_pair_model **)(uintptr_t)&o.model, model,
                                           strlen(model), "model") == SHOAL_OK);
    (void)snprintf(path, sizeof path, "%s/types.sdf", SHOAL_TEST_DATA);
    CHECK(shoal_reader_open(&reader, path, SHOAL_FORMAT_AUTO) == SHOAL_OK);
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    while (n < 40 && shoal_reader_next(reader, mol, &found) == SHOAL_OK && found) {
        shoal_topology *t = NULL;
        CHECK(shoal_topology_create(&t, mol, &o) == SHOAL_OK);
        if (shoal_topology_status(t) == SHOAL_SYSTEM_OK) check_round_trip(t), ++n;
        shoal_topology_destroy(t);
    }
    CHECK(n > 3);
    shoal_reader_destroy(reader);
    shoal_molecule_destroy(mol);
    shoal_pair_model_destroy((shoal_pair_model *)(uintptr_t)o.model);
}

static void test_by_hand(void)
{
    for (int k = 0; k < 4; ++k) {
        shoal_topology *t = hand_topology(k % 2, k / 2);
        check_round_trip(t);
        shoal_topology_destroy(t);
    }
}

static void test_texts(void)
{
    arena memory = {0};
    const json_value *v;
    static const char text[] =
        " {\"a\\n\\u00e4\\u20ac\": [1.5e2, true, null, {}],\n\"b\":\"\\\\\"} ";
    CHECK(json_read(&v, shoal_span_of(text), "t", &memory) == SHOAL_OK);
    const json_value *a = json_member(v, "a\n\303\244\342\202\254");
    CHECK(v->n == 2 && a && a->n == 4 && a->first->number == 150 && a->first->next->number == 1);
    CHECK(json_member(v, "b")->line == 2 && strcmp(json_member(v, "b")->text, "\\") == 0);
    CHECK(!json_member(v, "c") && !json_member(a, "b") && !json_member(NULL, "b"));
    static const char *const bad[] = {"",          "{",       "[1,]",        "[1 2]",   "{1:2}",
                                      "{\"a\" 1}", "\"\\x\"", "\"\\ud800\"", "\"a",     "tru",
                                      "[01x]",     "1 2",     "[nan]",       "{\"a\":}"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k)
        CHECK(json_read(&v, shoal_span_of(bad[k]), "t", &memory) == SHOAL_E_FORMAT && !v);
    char deep[200];
    memset(deep, '[', sizeof deep);
    CHECK(json_read(&v, (shoal_span){deep, sizeof deep}, "t", &memory) == SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), "32 brackets") != NULL);
    arena_free(&memory);
}

#define HEAD "{\"format\":\"shoal topology\",\"version\":1,\"elements\":[8,1],"
#define ATOMS HEAD "\"vdw_x\":[3,3],\"vdw_d\":[0,0],\n"

static void test_refused(void)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"[]", "format"},
        {"{\"format\":\"shoal topology\",\"version\":2}", "version 1"},
        {"{\"format\":\"shoal topology\",\"version\":1}", "elements"},
        {"{\"format\":\"shoal topology\",\"version\":1,\"elements\":[0]}", "atomic number 0"},
        {HEAD "\"vdw_x\":[3]}", "as long as there are atoms"},
        {HEAD "\"vdw_x\":[3,0],\"vdw_d\":[0,0]}", "x > 0"},
        {ATOMS "\"terms\":{\"bonds\":[]}}", "text:2: topology: expected terms of known kinds"},
        {ATOMS "\"terms\":{\"bond\":[[0,1,2]]}}", "rows of their kind"},
        {ATOMS "\"terms\":{\"bond\":[[0,0.5,2,1,1]]}}", "whole numbers"},
        {ATOMS "\"terms\":{\"bond\":[[0,2,2,1,1]]}}", "text:2: bond: atom 2, expected 0 to 1"},
        {ATOMS "\"terms\":{\"pair_vdw\":[[0,5,2,1,1]]}}", "atom 5"},
        {ATOMS "\"excluded\":[[0,1,1]]}", "rows of their kind"},
        {ATOMS "\"excluded\":[[0,9]]}", "atom 9"},
        {ATOMS "\"special_pairs\":[[0,1]]}", "rows of their kind"},
        {ATOMS "\"pairs\":{}}", "the form of pairs"},
        {ATOMS "\"pairs\":{\"form\":\"morse\",\"alpha\":-1}}", "alpha"},
        {ATOMS "\"pbc\":[1,1]}", "truth values"},
        {ATOMS "\"types\":[\"O\"]}", "a type for every atom"},
        {ATOMS "\"directions\":{\"atoms\":[7],\"inertias\":[1]}}", "atom 7"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_topology *t = NULL;
        CHECK(shoal_topology_read_memory(&t, cases[k].text, strlen(cases[k].text), "text") ==
              SHOAL_E_FORMAT);
        const bool told = strstr(shoal_error_text(), cases[k].words) != NULL;
        if (!told) fprintf(stderr, "%s: %s\n", cases[k].text, shoal_error_text());
        CHECK(told && !t);
    }
    shoal_topology *t = NULL;
    CHECK(shoal_topology_read(&t, "no-folder/a.json") == SHOAL_E_IO);
    CHECK(shoal_topology_read_memory(&t, ATOMS "\"terms\":{}}", sizeof ATOMS "\"terms\":{}}" - 1,
                                     "text") == SHOAL_OK);
    shoal_topology_destroy(t);
}

int main(void)
{
    static const char *const fields[] = {"uff", "uff:firecore", "mmff94", "mmffsp3"};
    static const char types[] = "types\n# units: eV\n";
    char morse[2048] =
        "shoal_pair_model 1\nform morse\nalpha 1.7\nhbond repulsion\ncoulomb damped\n"
        "coulomb_damping 0.5\nscale_14 0.5 0.8\n",
         lj[2048] = "shoal_pair_model 1\nform lj\nhbond none\ncoulomb plain\nscale_14 0.5 0.8\n";
    static const char *const names[] = {"H_",  "C_3", "C_2", "C_R", "C_1", "O_3",   "O_2", "O_R",
                                        "N_3", "N_2", "N_R", "F_",  "Cl",  "S_3+2", "Br",  "I_"};
    strcat(morse, types);
    strcat(lj, types);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        char row[80];
        (void)snprintf(row, sizeof row, "%s * %.1s E 0 0 0 0 0.7 1.%d 0.00%d 0 %s\n", names[k],
                       names[k], (int)(5 + k % 4), (int)(1 + k % 7), k % 3 ? "0" : "-0.4");
        strcat(morse, row);
        strcat(lj, row);
    }
    test_by_hand();
    for (int k = 0; k < 4; ++k) test_molecules(fields[k], NULL);
    test_molecules("uff", morse);
    test_molecules("uff", lj);
    test_texts();
    test_refused();
    return check_done();
}
