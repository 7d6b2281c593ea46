/* SPDX-License-Identifier: BSD-3-Clause
 * SMILES, letter by letter. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"
#include "io/smiles.h"

/* Atoms of a SMILES; each takes a byte or more. */
#define MOST_ATOMS (1 << 16)
#define MOST_ISOTOPE 400
#define MOST_CHARGE 15

typedef struct parser {
    smiles_graph *g;
    const char *text;
    int32_t at, n;
    int32_t previous; /* the atom that the next one is bonded to, -1 for none */
    char symbol;      /* of the bond to come */
    int32_t up;
    int32_t bond_column; /* of that symbol; 0: none was written */
    smiles_error *error;
} parser;

static shoal_status fail(parser *p, int32_t at, const char *what, const char *expected)
{
    *p->error = (smiles_error){.what = what, .expected = expected, .column = at + 1};
    return SHOAL_E_FORMAT;
}

static char peek(const parser *p)
{
    return p->at < p->n ? p->text[p->at] : '\0';
}

static bool take(parser *p, char c)
{
    if (peek(p) != c) return false;
    ++p->at;
    return true;
}

/* A number of up to `digits` digits; -1 without one. */
static int32_t take_number(parser *p, int digits)
{
    int32_t n = -1;
    for (int k = 0; k < digits && shoal_is_digit(peek(p)); ++k)
        n = 10 * (n < 0 ? 0 : n) + (p->text[p->at++] - '0');
    return n;
}

/* --- atoms and bonds ------------------------------------------------------------------------------ */

static shoal_status add_bond(parser *p, smiles_bond bond)
{
    smiles_graph *g = p->g;
    SHOAL_TRY(SHOAL_RESERVE(&g->bonds, &g->bond_capacity, g->n_bonds + 1));
    g->bonds[g->n_bonds++] = bond;
    return SHOAL_OK;
}

/* Adds an atom with a bond to the one before it. */
static shoal_status add_atom(parser *p, smiles_atom atom)
{
    smiles_graph *g = p->g;
    if (g->n_atoms >= MOST_ATOMS) return fail(p, p->at, "one atom too many", "a smaller molecule");
    SHOAL_TRY(SHOAL_RESERVE(&g->atoms, &g->atom_capacity, g->n_atoms + 1));
    const int32_t i = g->n_atoms++;
    if (p->previous >= 0) {
        smiles_atom *from = &g->atoms[p->previous];
        SHOAL_TRY(add_bond(p, (smiles_bond){.a = p->previous,
                                            .b = i,
                                            .rank_a = from->n_ranks++,
                                            .rank_b = atom.n_ranks++,
                                            .up = p->up,
                                            .symbol = p->symbol}));
    }
    if (atom.n_h == 1) atom.h_rank = atom.n_ranks++;
    g->atoms[i] = atom;
    p->previous = i;
    p->symbol = '\0';
    p->up = p->bond_column = 0;
    return SHOAL_OK;
}

/* --- symbols -------------------------------------------------------------------------------------- */

/* An element in lower case: those that may be aromatic. */
static int32_t take_aromatic(parser *p, bool bracket)
{
    static const char pairs[][3] = {"se", "as", "te", "si"};
    const char c = peek(p);
    for (int k = 0; bracket && k < 4; ++k) {
        if (p->n - p->at < 2 || memcmp(p->text + p->at, pairs[k], 2) != 0) continue;
        p->at += 2;
        return element_by_symbol(pairs[k], 2);
    }
    if (c == '\0' || !strchr("bcnops", c)) return 0;
    ++p->at;
    return element_by_symbol(&c, 1);
}

/* A bare symbol: one of the organic subset. */
static int32_t take_bare(parser *p)
{
    const char c = peek(p), next = p->at + 1 < p->n ? p->text[p->at + 1] : '\0';
    int32_t size = 1;
    if ((c == 'C' && next == 'l') || (c == 'B' && next == 'r'))
        size = 2;
    else if (c == '\0' || !strchr("BCNOPSFI", c))
        return 0;
    p->at += size;
    return element_by_symbol(p->text + p->at - size, size);
}

/* Any element: two letters where they are one. */
static int32_t take_element(parser *p)
{
    const char *symbol = p->text + p->at;
    const int32_t left = p->n - p->at;
    if (left < 1 || symbol[0] < 'A' || symbol[0] > 'Z') return 0;
    if (left > 1 && symbol[1] >= 'a' && symbol[1] <= 'z') {
        const int32_t z = element_by_symbol(symbol, 2);
        if (z > 0) p->at += 2;
        if (z > 0) return z;
    }
    const int32_t z = element_by_symbol(symbol, 1);
    p->at += z > 0;
    return z;
}

/* @, @@, @TH1 or @TH2. */
static shoal_status take_turn(parser *p, int32_t *turn)
{
    const int32_t at = p->at;
    *turn = 0;
    if (!take(p, '@')) return SHOAL_OK;
    *turn = take(p, '@') ? -1 : 1;
    if (p->n - p->at < 2) return SHOAL_OK;
    if (memcmp(p->text + p->at, "TH", 2) == 0) {
        p->at += 2;
        const int32_t n = take_number(p, 1);
        if (n != 1 && n != 2) return fail(p, at, "unknown configuration", "@TH1 or @TH2");
        *turn = n == 1 ? 1 : -1;
    } else if (strchr("ASTO", peek(p)) && peek(p) != '\0') {
        return fail(p, at, "configuration that is not tetrahedral", "@ or @@");
    }
    return SHOAL_OK;
}

static shoal_status take_charge(parser *p, int32_t *charge)
{
    const int32_t at = p->at;
    const char sign = peek(p);
    *charge = 0;
    if (sign != '+' && sign != '-') return SHOAL_OK;
    int32_t n = 0;
    while (take(p, sign)) ++n;
    const int32_t stated = take_number(p, 2);
    if (stated >= 0 && n > 1) return fail(p, at, "bad charge", "a sign and a number");
    if (stated >= 0) n = stated;
    if (n > MOST_CHARGE) return fail(p, at, "bad charge", "from -15 to +15");
    *charge = sign == '+' ? n : -n;
    return SHOAL_OK;
}

/* [isotope symbol configuration hydrogens charge :class] */
static shoal_status take_bracket(parser *p)
{
    const int32_t start = p->at++;
    smiles_atom atom = {.column = start + 1};
    const int32_t isotope = take_number(p, 3);
    if (isotope > MOST_ISOTOPE) return fail(p, start, "bad isotope", "a mass number up to 400");
    atom.isotope = isotope > 0 ? isotope : 0;
    atom.z = take_element(p);
    if (atom.z == 0) {
        atom.z = take_aromatic(p, true);
        atom.aromatic = atom.z > 0;
    }
    if (atom.z == 0) return fail(p, p->at, "unknown element", "the symbol of an element");
    SHOAL_TRY(take_turn(p, &atom.turn));
    if (take(p, 'H')) {
        const int32_t n = take_number(p, 1);
        atom.n_h = n < 0 ? 1 : n;
    }
    SHOAL_TRY(take_charge(p, &atom.charge));
    if (take(p, ':')) {
        atom.map = take_number(p, 9);
        if (atom.map < 0) return fail(p, p->at, "bad atom class", "a number");
    }
    if (!take(p, ']')) return fail(p, p->at, "unexpected text in brackets", "']'");
    return add_atom(p, atom);
}

/* --- rings and branches --------------------------------------------------------------------------- */

static bool are_bonded(const smiles_graph *g, int32_t a, int32_t b)
{
    for (int32_t k = g->n_bonds - 1; k >= 0; --k) {
        const smiles_bond *bond = &g->bonds[k];
        if ((bond->a == a && bond->b == b) || (bond->a == b && bond->b == a)) return true;
    }
    return false;
}

/* Both ends of a ring closure may state its bond, if they say the same. */
static shoal_status close_ring(parser *p, smiles_ring *ring, int32_t rank, int32_t at)
{
    const int32_t up = -p->up; /* as seen from the first atom */
    if (ring->atom == p->previous || are_bonded(p->g, ring->atom, p->previous))
        return fail(p, at, "ring closure to a bonded atom", "two atoms without a bond");
    if ((ring->symbol && p->symbol && ring->symbol != p->symbol) ||
        (ring->up && up && ring->up != up))
        return fail(p, at, "ring closure of two bonds", "the same bond at both ends");
    SHOAL_TRY(add_bond(p, (smiles_bond){.a = ring->atom,
                                        .b = p->previous,
                                        .rank_a = ring->rank,
                                        .rank_b = rank,
                                        .up = ring->up ? ring->up : up,
                                        .symbol = ring->symbol ? ring->symbol : p->symbol}));
    ring->atom = -1;
    return SHOAL_OK;
}

/* A digit, or % and two of them. */
static shoal_status take_ring(parser *p)
{
    const int32_t at = p->at;
    const int32_t number = take(p, '%') ? take_number(p, 2) : take_number(p, 1);
    if (number < 0 || (p->text[at] == '%' && p->at < at + 3))
        return fail(p, at, "bad ring closure", "a digit, or % and two digits");
    if (p->previous < 0) return fail(p, at, "ring closure without an atom", "an atom before it");
    smiles_atom *atom = &p->g->atoms[p->previous];
    smiles_ring *ring = &p->g->rings[number];
    const int32_t rank = atom->n_ranks++;
    ++atom->n_rings;
    if (ring->atom >= 0)
        SHOAL_TRY(close_ring(p, ring, rank, at));
    else
        *ring = (smiles_ring){p->previous, rank, p->up, at + 1, p->symbol};
    p->symbol = '\0';
    p->up = p->bond_column = 0;
    return SHOAL_OK;
}

static shoal_status open_branch(parser *p)
{
    smiles_graph *g = p->g;
    if (p->previous < 0 || p->bond_column)
        return fail(p, p->at, "branch without an atom", "an atom before '('");
    SHOAL_TRY(SHOAL_RESERVE(&g->branches, &g->branch_capacity, g->n_branches + 1));
    g->branches[g->n_branches++] = p->previous;
    ++p->at;
    if (peek(p) == ')') return fail(p, p->at, "empty branch", "an atom");
    return SHOAL_OK;
}

static shoal_status close_branch(parser *p)
{
    smiles_graph *g = p->g;
    if (g->n_branches == 0) return fail(p, p->at, "')' without '('", "an open branch");
    if (p->bond_column) return fail(p, p->at, "bond without a second atom", "an atom before ')'");
    if (p->previous < 0) return fail(p, p->at, "dot without an atom behind it", "an atom");
    p->previous = g->branches[--g->n_branches];
    ++p->at;
    return SHOAL_OK;
}

static shoal_status take_bond(parser *p)
{
    const char c = p->text[p->at];
    if (p->previous < 0) return fail(p, p->at, "bond without a first atom", "an atom");
    if (p->bond_column) return fail(p, p->at, "second bond in a row", "an atom");
    p->up = c == '/' ? 1 : c == '\\' ? -1 : 0;
    p->symbol = p->up ? '\0' : c;
    p->bond_column = ++p->at;
    return SHOAL_OK;
}

static shoal_status take_dot(parser *p)
{
    if (p->previous < 0 || p->bond_column)
        return fail(p, p->at, "dot without an atom before it", "an atom");
    p->previous = -1;
    ++p->at;
    return SHOAL_OK;
}

static shoal_status take_next(parser *p)
{
    const int32_t at = p->at;
    const char c = peek(p);
    if (c == '[') return take_bracket(p);
    if (c == '(') return open_branch(p);
    if (c == ')') return close_branch(p);
    if (c == '.') return take_dot(p);
    if (c == '%' || shoal_is_digit(c)) return take_ring(p);
    if (strchr("-=#$:/\\", c)) return take_bond(p);
    smiles_atom atom = {.n_h = -1, .column = at + 1};
    atom.z = take_bare(p);
    if (atom.z == 0) {
        atom.z = take_aromatic(p, false);
        atom.aromatic = true;
    }
    if (atom.z > 0) return add_atom(p, atom);
    return fail(p, at, "unknown symbol", "an atom, a bond, a branch or a ring closure");
}

static shoal_status check_end(parser *p)
{
    const smiles_graph *g = p->g;
    if (g->n_atoms == 0) return fail(p, 0, "no atoms", "a SMILES");
    if (p->bond_column)
        return fail(p, p->bond_column - 1, "bond without a second atom", "an atom behind it");
    if (p->previous < 0) return fail(p, p->n - 1, "dot at the end", "an atom behind it");
    if (g->n_branches > 0) return fail(p, p->n - 1, "open branch at the end", "')'");
    for (int32_t k = 0; k < SMILES_N_RINGS; ++k)
        if (g->rings[k].atom >= 0)
            return fail(p, g->rings[k].column - 1, "open ring closure", "the same number again");
    return SHOAL_OK;
}

shoal_status smiles_parse(smiles_graph *g, shoal_span text, smiles_error *error)
{
    parser p = {.g = g, .text = text.text, .previous = -1, .error = error};
    g->n_atoms = g->n_bonds = g->n_branches = 0;
    for (int32_t k = 0; k < SMILES_N_RINGS; ++k) g->rings[k].atom = -1;
    if (text.size > INT32_MAX / 2) return fail(&p, 0, "too long", "a SMILES");
    p.n = (int32_t)text.size;
    while (p.at < p.n) SHOAL_TRY(take_next(&p));
    return check_end(&p);
}

void smiles_free(smiles_graph *g)
{
    free(g->atoms);
    free(g->bonds);
    free(g->branches);
    arena_free(&g->memory);
    *g = (smiles_graph){0};
}
