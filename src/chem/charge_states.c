/* SPDX-License-Identifier: BSD-3-Clause
 * The prices are a scale, not energies: what chemists draw must be cheaper than what they do not. Anions sit
 * on oxygen before sulfur, nitrogen and carbon; cations on nitrogen before phosphorus, sulfur and oxygen;
 * unpaired electrons are dearer than either, but cheaper than a cation and an anion of carbon; hypervalence
 * is nearly free. */
#include "chem/charge_states.h"

#include "chem/element.h"

enum {
    PRICE = 8,       /* units of the tables, so that metals can be finer */
    DATIVE = 2,      /* of a lone pair given to a metal */
    ANY = INT32_MAX, /* valences above that of the row before */
};

int32_t valence_normal(int32_t z)
{
    /* clang-format off */
    switch (z) {
    case 1: case 9: case 17: case 35: case 53: case 85: return 1;
    case 8: case 16: case 34: case 52: return 2;
    case 5: case 7: case 15: case 33: case 51: return 3;
    case 6: case 14: case 32: return 4;
    default: return 0;
    }
    /* clang-format on */
}

int32_t valence_highest(int32_t z)
{
    /* clang-format off */
    switch (z) {
    case 15: case 33: case 51: return 5;
    case 16: case 34: case 52: return 6;
    case 17: case 35: case 53: case 85: return 7;
    case 54: return 8;
    default: return valence_normal(z);
    }
    /* clang-format on */
}

int32_t valence_donated(int32_t z, int32_t normal, int32_t valence, int32_t n_metal)
{
    int32_t n = 0;
    for (; n < n_metal && valence - n > normal; ++n)
        if (valence_highest(z) > normal && (valence - n - normal) % 2 == 0)
            break; /* hypervalent S or P */
    return n;
}

/* States of a family of elements by valence, the cheapest first, at most four. */
typedef struct state_row {
    int32_t valence, n;
    charge_state states[4];
} state_row;

static const state_row hydrogen[] = {
    {0, 3, {{0, 14}, {1, 30}, {-1, 30}}}, {1, 1, {{0, 0}}}, {ANY, 2, {{1, 2}, {0, 4}}}};
static const state_row boron[] = {
    {0, 1, {{0, 90}}}, {1, 1, {{0, 60}}}, {2, 3, {{0, 30}, {1, 50}, {-1, 50}}},
    {3, 1, {{0, 0}}},  {4, 1, {{-1, 4}}}, {ANY, 3, {{0, 2}, {-1, 20}, {1, 30}}}};
/* With a double bond the charge is rather on what it binds: (HO)2B-O-. */
static const state_row borate_of_three = {4, 1, {{-1, 40}}};
static const state_row carbon[] = {{0, 3, {{0, 160}, {-1, 170}, {1, 190}}},
                                   {1, 4, {{-1, 110}, {0, 120}, {1, 140}, {-3, 130}}},
                                   {2, 4, {{0, 60}, {-1, 75}, {-2, 80}, {1, 95}}},
                                   {3, 3, {{-1, 30}, {0, 30}, {1, 50}}},
                                   {4, 1, {{0, 0}}},
                                   {ANY, 2, {{0, 8}, {1, 40}}}};
/* At the end of a chain it is rather an anion beside a cation: carbon monoxide, isonitriles. */
static const state_row carbene_at_end = {2, 3, {{0, 90}, {-1, 105}, {-2, 110}}};
static const state_row silicon[] = {{0, 1, {{0, 90}}},
                                    {1, 2, {{0, 60}, {-1, 70}}},
                                    {2, 4, {{0, 30}, {-1, 60}, {-2, 64}, {1, 70}}},
                                    {3, 3, {{-1, 24}, {0, 24}, {1, 40}}},
                                    {4, 1, {{0, 0}}},
                                    {5, 1, {{-1, 4}}},
                                    {ANY, 1, {{-2, 8}}}};
static const state_row nitrogen[] = {{0, 2, {{0, 60}, {-3, 70}}},
                                     {1, 3, {{-2, 40}, {-1, 46}, {0, 56}}},
                                     {2, 3, {{-1, 16}, {0, 28}, {1, 70}}},
                                     {3, 1, {{0, 0}}},
                                     {4, 1, {{1, 10}}},
                                     {ANY, 1, {{0, 8}}}}; /* given so, see perceive.c */
static const state_row phosphorus[] = {{0, 2, {{0, 60}, {-3, 70}}},
                                       {1, 3, {{-2, 44}, {-1, 50}, {0, 60}}},
                                       {2, 3, {{-1, 22}, {0, 32}, {1, 60}}},
                                       {3, 1, {{0, 0}}},
                                       {4, 3, {{1, 12}, {-1, 30}, {0, 50}}},
                                       {5, 1, {{0, 1}}},
                                       {ANY, 1, {{-1, 3}}}};
static const state_row oxygen[] = {{0, 3, {{-2, 30}, {-1, 36}, {0, 40}}},
                                   {1, 3, {{-1, 10}, {0, 24}, {1, 90}}},
                                   {2, 1, {{0, 0}}},
                                   {3, 1, {{1, 20}}},
                                   {ANY, 1, {{2, 60}}}};
/* Persistent radicals (TEMPO): two of them are no cation and anion, which the same length of both bonds would draw at random. */
static const state_row aminoxyl = {1, 2, {{0, 8}, {-1, 10}}};
static const state_row sulfur[] = {{0, 3, {{-2, 32}, {-1, 38}, {0, 40}}},
                                   {1, 3, {{-1, 11}, {0, 25}, {1, 80}}},
                                   {2, 1, {{0, 0}}},
                                   {3, 3, {{1, 14}, {-1, 40}, {0, 45}}},
                                   {4, 1, {{0, 1}}},
                                   {5, 3, {{1, 15}, {-1, 18}, {0, 45}}},
                                   {6, 1, {{0, 2}}},
                                   {ANY, 1, {{-1, 10}}}};
static const state_row fluorine[] = {
    {0, 2, {{-1, 8}, {0, 20}}}, {1, 1, {{0, 0}}}, {ANY, 2, {{1, 30}, {0, 40}}}};
static const state_row halogen[] = {{0, 2, {{-1, 8}, {0, 20}}},
                                    {1, 1, {{0, 0}}},
                                    {2, 3, {{-1, 20}, {1, 30}, {0, 45}}},
                                    {3, 1, {{0, 3}}},
                                    {4, 3, {{-1, 20}, {1, 30}, {0, 45}}},
                                    {5, 1, {{0, 6}}},
                                    {6, 3, {{-1, 20}, {1, 30}, {0, 45}}},
                                    {7, 1, {{0, 9}}},
                                    {ANY, 1, {{-1, 20}}}};
static const state_row xenon[] = {
    {0, 1, {{0, 0}}}, {1, 2, {{1, 20}, {-1, 30}}}, {2, 1, {{0, 1}}}, {3, 2, {{1, 20}, {-1, 30}}},
    {4, 1, {{0, 2}}}, {5, 2, {{1, 20}, {-1, 20}}}, {6, 1, {{0, 3}}}, {7, 2, {{-1, 20}, {1, 30}}},
    {8, 1, {{0, 4}}}, {ANY, 1, {{-2, 30}}}};
static const state_row inert[] = {{ANY, 1, {{0, 0}}}};
static const state_row alkali_ion[] = {{ANY, 2, {{1, 0}, {0, 40}}}};
static const state_row alkaline_ion[] = {{ANY, 3, {{2, 0}, {1, 40}, {0, 60}}}};

static const state_row *family(const charge_site *site)
{
    /* clang-format off */
    switch (site->z) {
    case 1: return hydrogen;
    case 3: case 11: case 19: case 37: case 55: case 87: return alkali_ion;
    case 4: case 12: case 20: case 38: case 56: case 88: return alkaline_ion;
    case 5: return boron;
    case 6: return carbon;
    case 14: case 32: return silicon;
    case 7: return nitrogen;
    case 15: case 33: case 51: return phosphorus;
    case 8: return oxygen;
    case 16: case 34: case 52: return sulfur;
    case 9: return fluorine;
    case 17: case 35: case 53: case 85: return halogen;
    case 54: return xenon;
    default: return inert;
    }
    /* clang-format on */
}

/* Metals take what is left, rather little each than much on one. */
static int32_t metal_states(charge_state *out)
{
    int32_t n = 0;
    for (int32_t q = 0; q <= METAL_CHARGE_MOST; ++q)
        for (int32_t sign = 1; sign >= (q > 0 ? -1 : 1); sign -= 2)
            out[n++] = (charge_state){sign * q, q * PRICE + q * q};
    return n;
}

int32_t charge_states(const charge_site *site, int32_t valence,
                      charge_state out[CHARGE_STATES_MOST])
{
    const int32_t z = site->z, normal = valence_normal(z);
    const state_row *row = family(site);
    if (element_is_metal(z) && (site->degree > 0 || row == inert)) return metal_states(out);
    const int32_t given = normal > 0 ? valence_donated(z, normal, valence, site->n_metal) : 0;
    while (row->valence < valence - given) ++row;
    if (z == 6 && site->degree == 1 && row->valence == 2) row = &carbene_at_end;
    if (site->is_aminoxyl && row->valence == 1) row = &aminoxyl;
    if (z == 5 && site->degree < 4 && row->valence == 4) row = &borate_of_three;
    for (int32_t k = 0; k < row->n; ++k)
        out[k] =
            (charge_state){row->states[k].charge, PRICE * row->states[k].cost + DATIVE * given};
    return row->n;
}
