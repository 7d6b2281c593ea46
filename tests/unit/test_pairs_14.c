/* SPDX-License-Identifier: BSD-3-Clause
 * 1-4 pairs with factors of their own: those of a walk over the images of atoms, in rings and in cells that are so small
 * that atoms are bound to their own images; and energies that depend on the factors along a line. */
#include "chem/graph.h"
#include "pair_model_fixture.h"

enum { MOST_ENDS = 4000, REACH = 4, SIDE = 2 * REACH + 1 };

/* An atom in an image. */
typedef struct node {
    int32_t atom, shift[3];
} node;

static bool same_node(const node *a, const node *b)
{
    return a->atom == b->atom && memcmp(a->shift, b->shift, sizeof a->shift) == 0;
}

/* The partners of a node by bonds, in order. */
static int32_t partners(const shoal_molecule *mol, const node *at, node *out)
{
    int32_t n = 0;
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *bond = &mol->bonds[b];
        for (int way = -1; way <= 1; way += 2) {
            if ((way > 0 ? bond->i : bond->j) != at->atom) continue;
            out[n].atom = way > 0 ? bond->j : bond->i;
            for (int c = 0; c < 3; ++c) out[n].shift[c] = at->shift[c] + way * bond->shift[c];
            ++n;
        }
    }
    return n;
}

static bool is_in(const node *list, int32_t n, const node *x)
{
    for (int32_t k = 0; k < n; ++k)
        if (same_node(&list[k], x)) return true;
    return false;
}

/* Ends of all ways over three bonds from an atom of the home cell that no shorter way leads to; each once. */
static int32_t walk(const shoal_molecule *mol, int32_t i, node *out)
{
    static node near[MOST_ENDS];
    node first[16], second[16], third[16];
    const node home = {.atom = i};
    int32_t n_near = 0, n = 0;
    near[n_near++] = home;
    const int32_t n1 = partners(mol, &home, first);
    for (int32_t a = 0; a < n1; ++a) {
        near[n_near++] = first[a];
        const int32_t n2 = partners(mol, &first[a], second);
        for (int32_t b = 0; b < n2; ++b) near[n_near++] = second[b];
    }
    for (int32_t a = 0; a < n1; ++a) {
        const int32_t n2 = partners(mol, &first[a], second);
        for (int32_t b = 0; b < n2; ++b) {
            const int32_t n3 = partners(mol, &second[b], third);
            for (int32_t c = 0; c < n3; ++c)
                if (!is_in(near, n_near, &third[c]) && !is_in(out, n, &third[c]))
                    out[n++] = third[c];
        }
    }
    return n;
}

static bool has_pair(const shoal_topology_view *v, int32_t i, const node *to)
{
    int32_t n = 0;
    for (int32_t k = 0; k < v->n_special_pairs; ++k) {
        const shoal_special_pair *p = &v->special_pairs[k];
        bool forth = p->i == i && p->j == to->atom, back = p->j == i && p->i == to->atom;
        for (int c = 0; c < 3; ++c) {
            forth = forth && p->shift[c] == to->shift[c];
            back = back && p->shift[c] == -to->shift[c];
        }
        n += forth || back;
    }
    return n == 1;
}

static bool is_excluded(const shoal_topology_view *v, int32_t i, const node *to)
{
    int32_t n = 0;
    for (int32_t e = v->exclude_start[i]; e < v->exclude_start[i + 1]; ++e)
        n += v->excluded[e].atom == to->atom &&
             memcmp(v->excluded[e].shift, to->shift, sizeof to->shift) == 0;
    return n == 1;
}

static shoal_pair_model *make_model(const char *settings, double vdw, double coulomb)
{
    char text[MODEL_TEXT];
    shoal_pair_model *model = NULL;
    const int n = snprintf(text, sizeof text, "shoal_pair_model 1\n%sscale_14 %g %g\n%s", settings,
                           vdw, coulomb, model_types);
    CHECK(n > 0 && n < MODEL_TEXT);
    CHECK(shoal_pair_model_read_memory(&model, text, (size_t)n, "model") == SHOAL_OK);
    if (!model) (void)printf("%s\n", shoal_error_text());
    return model;
}

/* --- which pairs ---------------------------------------------------------------------------------- */

static void check_pairs(const char *name, shoal_molecule *mol)
{
    static node ends[MOST_ENDS];
    shoal_pair_model *model = make_model("form lj\nhbond none\ncoulomb plain\n", 0.5, 0.25);
    shoal_topology *topology = NULL;
    shoal_topology_view v;
    int32_t n = 0, n_missing = 0;
    CHECK(shoal_topology_create(&topology, mol, &(shoal_typing_options){.model = model}) ==
          SHOAL_OK);
    CHECK_TEXT(shoal_topology_reason(topology), "");
    shoal_topology_get(topology, &v);
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const int32_t n_ends = walk(mol, i, ends);
        n += n_ends;
        for (int32_t k = 0; k < n_ends; ++k)
            n_missing += !has_pair(&v, i, &ends[k]) || !is_excluded(&v, i, &ends[k]);
    }
    if (n_missing > 0 || n != 2 * v.n_special_pairs)
        (void)printf("  %s: %d ends of three bonds, %d of them no pair, %d pairs\n", name, n,
                     n_missing, v.n_special_pairs);
    CHECK(n_missing == 0 && n == 2 * v.n_special_pairs);
    int32_t n_vdw, n_coulomb;
    const shoal_term *vdw = shoal_topology_terms(&v, SHOAL_KIND_PAIR_VDW, &n_vdw);
    const shoal_term *coulomb = shoal_topology_terms(&v, SHOAL_KIND_PAIR_COULOMB, &n_coulomb);
    CHECK(n_vdw == v.n_special_pairs && n_coulomb == v.n_special_pairs);
    for (int32_t k = 0; k < v.n_special_pairs; ++k) {
        const shoal_special_pair *p = &v.special_pairs[k];
        const shoal_term *of[2] = {&vdw[k], &coulomb[k]};
        CHECK(p->vdw_scale == 0.5 && p->coulomb_scale == 0.25);
        for (int t = 0; t < 2; ++t) {
            CHECK(of[t]->atoms[0] == p->i && of[t]->atoms[1] == p->j);
            CHECK(memcmp(of[t]->shifts[1], p->shift, sizeof p->shift) == 0);
            CHECK(of[t]->p[SHOAL_PAIR_SCALE] == (t ? 0.25 : 0.5));
        }
    }
    shoal_topology_destroy(topology);
    shoal_pair_model_destroy(model);
    shoal_molecule_destroy(mol);
}

static shoal_molecule *begin(void)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    return mol;
}

static void bind(shoal_molecule *mol, int32_t i, int32_t j, int32_t x, int32_t y, int32_t z)
{
    const int32_t shift[3] = {x, y, z};
    CHECK(shoal_molecule_add_bond(mol, i, j, SHOAL_ORDER_SINGLE, shift) == SHOAL_OK);
}

/* n groups CH2 in a row or in a ring; in a cell the last one is bound to the next image of the first. */
static shoal_molecule *make_chain(int32_t n, bool periodic, int sign)
{
    static const bool pbc[3] = {true, false, false};
    shoal_molecule *mol = begin();
    const double cell[3][3] = {{1.27 * n, 0, 0}, {0, 15, 0}, {0, 0, 15}};
    for (int32_t k = 0; k < n; ++k) (void)set_atom(mol, 6, 1.27 * k, k % 2 * 0.85, 0);
    for (int32_t k = 0; k < 2 * n; ++k)
        (void)set_atom(mol, 1, 1.27 * (k / 2), k / 2 % 2 * 1.4 - 0.55, k % 2 ? 0.9 : -0.9);
    if (periodic) CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    for (int32_t k = 0; k + 1 < n; ++k) bind(mol, k, k + 1, 0, 0, 0);
    if (sign > 0)
        bind(mol, n - 1, 0, periodic, 0, 0);
    else
        bind(mol, 0, n - 1, -periodic, 0, 0);
    for (int32_t k = 0; k < 2 * n; ++k) bind(mol, k / 2, n + k, 0, 0, 0);
    return mol;
}

/* Diamond with two atoms in its cell. */
static shoal_molecule *make_diamond(void)
{
    static const double cell[3][3] = {{0, 1.785, 1.785}, {1.785, 0, 1.785}, {1.785, 1.785, 0}};
    static const bool pbc[3] = {true, true, true};
    shoal_molecule *mol = begin();
    (void)set_atom(mol, 6, 0, 0, 0);
    (void)set_atom(mol, 6, 0.8925, 0.8925, 0.8925);
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    bind(mol, 0, 1, 0, 0, 0);
    bind(mol, 0, 1, -1, 0, 0);
    bind(mol, 1, 0, 0, 1, 0);
    bind(mol, 0, 1, 0, 0, -1);
    return mol;
}

/* A sheet of CH: graphane, two carbon atoms in its cell. */
static shoal_molecule *make_sheet(void)
{
    static const double cell[3][3] = {{2.5, 0, 0}, {-1.25, 2.165, 0}, {0, 0, 15}};
    static const bool pbc[3] = {true, true, false};
    shoal_molecule *mol = begin();
    (void)set_atom(mol, 6, 0, 0, 0);
    (void)set_atom(mol, 6, 0, 1.443, 0.5);
    (void)set_atom(mol, 1, 0, 0, -1.1);
    (void)set_atom(mol, 1, 0, 1.443, 1.6);
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    bind(mol, 0, 1, 0, 0, 0);
    bind(mol, 0, 1, 0, -1, 0);
    bind(mol, 1, 0, 1, 1, 0);
    bind(mol, 0, 2, 0, 0, 0);
    bind(mol, 3, 1, 0, 0, 0);
    return mol;
}

/* Atoms that are bound to their own images in two directions, and to nothing else: some ways over three bonds end at
 * images of the first atom, up along one vector and down along the other. */
static shoal_molecule *make_square(void)
{
    static const double cell[3][3] = {{1.6, 0, 0}, {0, 1.6, 0}, {0, 0, 15}};
    static const bool pbc[3] = {true, true, false};
    shoal_molecule *mol = begin();
    (void)set_atom(mol, 6, 0, 0, 0);
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    bind(mol, 0, 0, 1, 0, 0);
    bind(mol, 0, 0, 0, 1, 0);
    return mol;
}

/* Cubane: ways over three bonds lead to corners that ways over one bond lead to, too. */
static shoal_molecule *make_cube(void)
{
    shoal_molecule *mol = begin();
    for (int k = 0; k < 8; ++k)
        (void)set_atom(mol, 6, 1.55 * (k & 1), 1.55 * (k >> 1 & 1), 1.55 * (k >> 2));
    for (int k = 0; k < 8; ++k)
        (void)set_atom(mol, 1, 3 * (k & 1) - 0.7, 3 * (k >> 1 & 1) - 0.7, 3 * (k >> 2) - 0.7);
    for (int k = 0; k < 8; ++k)
        for (int bit = 1; bit < 8; bit *= 2)
            if (!(k & bit)) bind(mol, k | bit, k, 0, 0, 0);
    for (int k = 0; k < 8; ++k) bind(mol, k, 8 + k, 0, 0, 0);
    return mol;
}

/* --- energies ------------------------------------------------------------------------------------- */

static shoal_molecule *make_ethanol(void)
{
    static const model_atom atoms[9] = {
        {6, {1.1879, -0.3829, 0}, -0.3},      {6, {0, 0.5526, 0}, 0.1},
        {8, {-1.1867, -0.2472, 0}, -0.6},     {1, {-1.9237, 0.3850, 0}, 0.4},
        {1, {2.0985, 0.2306, 0}, 0.1},        {1, {1.1184, -1.0093, 0.8869}, 0.1},
        {1, {1.1184, -1.0093, -0.8869}, 0.1}, {1, {-0.0227, 1.1812, 0.8852}, 0.05},
        {1, {-0.0227, 1.1812, -0.8852}, 0.05}};
    shoal_molecule *mol = begin();
    model_put(mol, atoms, 9, (const double[3]){0, 0, 0}, 0, 0);
    return mol;
}

/* eV, vdw and Coulomb. */
static void compute(const shoal_molecule *mol, const char *settings, double vdw, double coulomb,
                    double out[2])
{
    shoal_pair_model *model = make_model(settings, vdw, coulomb);
    shoal_molecule *copy = begin();
    shoal_topology *topology = NULL;
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result r = {0};
    CHECK(shoal_molecule_copy(copy, mol) == SHOAL_OK);
    CHECK(shoal_topology_create(&topology, copy, &(shoal_typing_options){.model = model}) ==
          SHOAL_OK);
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    const shoal_system system = {.topology = topology, .pos = (const double(*)[3])copy->pos};
    CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    CHECK(shoal_engine_create(&engine, batch, &(shoal_engine_options){.device = "ref"}) ==
          SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK && shoal_engine_result(engine, 0, &r) == SHOAL_OK &&
          r.terms);
    out[0] = r.terms ? r.terms[SHOAL_TERM_VDW] : NAN;
    out[1] = r.terms ? r.terms[SHOAL_TERM_COULOMB] : NAN;
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(copy);
    shoal_pair_model_destroy(model);
}

/* With the factors of all other pairs nothing changes, and from there energies go along a line, each with its own factor:
 * a pair that was taken out and put back is what it was. */
static void test_line(void)
{
    static const char *const settings[] = {
        "form lj\nhbond none\ncoulomb plain\n",
        "form lj\nhbond both\ncoulomb clamp\n",
        "form morse\nalpha 1.6\nhbond repulsion\ncoulomb smooth\n",
        "form buck\nalpha 3.5\nhbond attraction\ncoulomb plain\n",
        "form lj\nhbond both\ncoulomb damped\ncoulomb_damping 0.8\ndispersion_damping 2.4\n",
        "form morse\nhbond none\ncoulomb damped\ncoulomb_damping 0.8\n"};
    shoal_molecule *mol = make_ethanol();
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; ++k) {
        double whole[2], half[2], quarter[2], other[2];
        compute(mol, settings[k], 1, 1, whole);
        compute(mol, settings[k], 0.5, 0.5, half);
        compute(mol, settings[k], 0.25, 0.25, quarter);
        compute(mol, settings[k], 0.25, 0.5, other);
        for (int t = 0; t < 2; ++t) {
            CHECK(fabs(whole[t] - half[t]) > 1e-6);
            CHECK_NEAR(half[t] - quarter[t], 0.5 * (whole[t] - half[t]), 1e-9);
            CHECK_NEAR(other[t], t ? half[t] : quarter[t], 1e-12);
        }
    }
    shoal_molecule_destroy(mol);
}

int main(void)
{
    for (int32_t n = 1; n <= 5; ++n) {
        check_pairs("a chain", make_chain(n, true, 1));
        check_pairs("a chain, named from the other end", make_chain(n, true, -1));
    }
    for (int32_t n = 3; n <= 7; ++n) check_pairs("a ring", make_chain(n, false, 1));
    check_pairs("diamond", make_diamond());
    check_pairs("a sheet", make_sheet());
    check_pairs("a square", make_square());
    check_pairs("a cube", make_cube());
    test_line();
    return check_done();
}
