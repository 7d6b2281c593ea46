/* SPDX-License-Identifier: BSD-3-Clause
 * Space groups by their Hermann-Mauguin names. */
#include <math.h>

#include "geom/symmetry.h"

typedef struct group_name {
    int32_t number;
    const char *name; /* words separated by blanks */
    char choice;      /* of the origin 1, 2, of axes H, R; 0 without one */
    const char *hall;
} group_name;

static const group_name table[] = {
#include "space_groups.inc"
};

enum { N_NAMES = sizeof table / sizeof table[0], NAME_SIZE = 40 };

/* In upper case without blanks and underscores, the choice behind a colon taken off; false for what is too long. */
static bool normalize(shoal_span name, char out[NAME_SIZE], char *choice)
{
    size_t n = 0;
    *choice = 0;
    for (size_t k = 0; k < name.size; ++k) {
        const char c = name.text[k];
        if (c == ':') {
            const shoal_span rest = shoal_span_trim(shoal_span_after(name, k + 1));
            if (rest.size != 1) return false;
            *choice = shoal_is_letter(rest.text[0]) ? (char)(rest.text[0] & ~0x20) : rest.text[0];
            break;
        }
        if (shoal_is_blank(c) || c == '_' || c == '(' || c == ')') continue;
        if (n + 1 >= NAME_SIZE) return false;
        out[n++] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    out[n] = '\0';
    return n > 0;
}

/* Letters that programs put behind names: R3H, R-3mR, Fd-3mS, Fd-3mZ. */
static void take_suffix(char *name, char *choice)
{
    const size_t n = strlen(name);
    const char last = n > 2 ? name[n - 1] : 0;
    if (*choice || !last || !strchr("HRSZ", last)) return;
    *choice = last == 'S' ? '1' : last == 'Z' ? '2' : last;
    name[n - 1] = '\0';
}

/* Cubic groups without the bar over their 3, as they were written before 1983: Fm3m, Ia3. A 3 behind a mirror or a glide
 * plane means nothing else. */
static bool put_bar(char name[NAME_SIZE])
{
    const size_t n = strlen(name);
    if (n < 3 || n + 1 >= NAME_SIZE || !strchr("PFI", name[0]) || !strchr("MNACD", name[1]) ||
        name[2] != '3')
        return false;
    memmove(name + 3, name + 2, n - 1);
    name[2] = '-';
    return true;
}

/* Of monoclinic groups the axes may be left out that have no symmetry. */
static void shorten(char *name, const char *full)
{
    const char *p = full;
    size_t n = 0;
    while (*p) {
        const char *end = strchr(p, ' ');
        const size_t size = end ? (size_t)(end - p) : strlen(p);
        if (!(size == 1 && *p == '1'))
            for (size_t k = 0; k < size; ++k) name[n++] = p[k];
        p += size + (end != NULL);
    }
    name[n] = '\0';
}

static bool is_named(const group_name *g, const char *name, bool whole)
{
    char own[NAME_SIZE], choice;
    if (strlen(g->name) >= NAME_SIZE) return false;
    if (whole) {
        (void)normalize(shoal_span_of(g->name), own, &choice);
    } else {
        char few[NAME_SIZE];
        if (g->number < 3 || g->number > 15) return false;
        shorten(few, g->name);
        (void)normalize(shoal_span_of(few), own, &choice);
    }
    return strcmp(own, name) == 0;
}

/* The first group of a name; its other choices follow it. */
static const group_name *find(const char *name)
{
    for (int whole = 1; whole >= 0; --whole)
        for (int32_t k = 0; k < N_NAMES; ++k)
            if (is_named(&table[k], name, whole)) return &table[k];
    return NULL;
}

static const group_name *choose(const group_name *first, char choice, double gamma, bool *unclear)
{
    const group_name *end = table + N_NAMES;
    *unclear = false;
    if (!choice && (first->choice == 'H' || first->choice == 'R'))
        choice = fabs(gamma - 120) < 0.01 ? 'H' : 'R';
    if (!choice && first->choice) {
        *unclear = true;
        return NULL;
    }
    for (const group_name *g = first; g < end && strcmp(g->name, first->name) == 0; ++g)
        if (!choice || g->choice == choice) return g;
    return NULL;
}

symmetry_name symmetry_by_name(shoal_span name, double gamma, symmetry_group *out)
{
    char plain[NAME_SIZE], choice;
    bool unclear;
    if (!normalize(name, plain, &choice)) return SYMMETRY_UNKNOWN;
    const group_name *first = find(plain);
    if (!first) {
        take_suffix(plain, &choice);
        first = find(plain);
    }
    if (!first && put_bar(plain)) first = find(plain);
    if (!first) return SYMMETRY_UNKNOWN;
    const group_name *g = choose(first, choice, gamma, &unclear);
    if (unclear) return SYMMETRY_AMBIGUOUS;
    return g && symmetry_by_hall(shoal_span_of(g->hall), out) ? SYMMETRY_NAMED : SYMMETRY_UNKNOWN;
}
