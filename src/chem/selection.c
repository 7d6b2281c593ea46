/* SPDX-License-Identifier: BSD-3-Clause
 * Selections: a text becomes a list of conditions, which are asked of every atom. */
#include "chem/selection.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "chem/element.h"
#include "chem/molecule.h"

typedef enum condition_kind {
    CONDITION_ALL,
    CONDITION_RANGE,
    CONDITION_ELEMENT,
    CONDITION_BELOW,
    CONDITION_ABOVE,
} condition_kind;

typedef struct condition {
    condition_kind kind;
    bool turned;         /* holds where the rest does not */
    bool begins;         /* a part: those before it need not hold */
    int32_t first, last; /* of a range; last -1: to the end */
    int32_t element;
    double z;        /* angstrom */
    shoal_span text; /* of a range, in that of the selection */
} condition;

struct shoal_selection {
    char *text;
    condition *conditions;
    int32_t n, capacity;
    _Atomic int64_t count;
};

static shoal_span trim(shoal_span s)
{
    while (s.size > 0 && (s.text[0] == ' ' || s.text[0] == '\t')) s = shoal_span_after(s, 1);
    while (s.size > 0 && (s.text[s.size - 1] == ' ' || s.text[s.size - 1] == '\t')) --s.size;
    return s;
}

/* What stands before the first of a character, which is taken off with it; false if there is none, then all. */
static bool cut(shoal_span *rest, char c, shoal_span *before)
{
    size_t k = 0;
    while (k < rest->size && rest->text[k] != c) ++k;
    const bool found = k < rest->size;
    *before = (shoal_span){rest->text, k};
    *rest = shoal_span_after(*rest, found ? k + 1 : k);
    return found;
}

static bool is_number(shoal_span s)
{
    for (size_t k = 0; k < s.size; ++k)
        if (!shoal_is_digit(s.text[k])) return false;
    return s.size > 0;
}

/* I, I-J or I-. */
static bool parse_range(shoal_span s, condition *c)
{
    shoal_span first;
    const shoal_span all = s;
    const bool has_last = cut(&s, '-', &first);
    first = trim(first);
    s = trim(s);
    c->kind = CONDITION_RANGE;
    if (!is_number(first) || !shoal_text_int(first, &c->first)) return false;
    c->last = has_last ? -1 : c->first;
    if (s.size > 0 && !(is_number(s) && shoal_text_int(s, &c->last) && c->last >= c->first))
        return false;
    c->text = all;
    return true;
}

static bool parse_condition(shoal_span s, condition *c)
{
    shoal_span key;
    s = trim(s);
    c->turned = s.size > 0 && s.text[0] == '!';
    if (c->turned) s = trim(shoal_span_after(s, 1));
    c->kind = CONDITION_ALL;
    if (shoal_span_equal(s, "all")) return true;
    shoal_span value = s;
    if (!cut(&value, ':', &key)) return parse_range(s, c);
    key = trim(key);
    value = trim(value);
    if (shoal_span_equal(key, "element")) {
        c->kind = CONDITION_ELEMENT;
        c->element = value.size < 4 ? element_by_symbol(value.text, (int32_t)value.size) : 0;
        return c->element > 0;
    }
    c->kind = shoal_span_equal(key, "below") ? CONDITION_BELOW : CONDITION_ABOVE;
    if (c->kind == CONDITION_ABOVE && !shoal_span_equal(key, "above")) return false;
    return shoal_text_double(value, &c->z) && isfinite(c->z);
}

static shoal_status parse(shoal_selection *s, const char *text)
{
    shoal_span rest = {text, strlen(text)}, part, word;
    bool more_parts = true;
    while (more_parts) {
        more_parts = cut(&rest, ',', &part);
        bool begins = true, more = true;
        while (more) {
            SHOAL_TRY(SHOAL_RESERVE(&s->conditions, &s->capacity, s->n + 1));
            more = cut(&part, '&', &word);
            condition c = {.begins = begins};
            if (!parse_condition(word, &c))
                return shoal_fail(SHOAL_E_ARGUMENT,
                                  "selection '%.60s': '%.*s' is no condition, expected I, I-J, I-, "
                                  "element:SYMBOL, below:Z, above:Z or all",
                                  text, word.size < 40 ? (int)word.size : 40, word.text);
            c.begins = begins;
            s->conditions[s->n++] = c;
            begins = false;
        }
    }
    return SHOAL_OK;
}

shoal_status shoal_selection_create(shoal_selection **out, const char *text)
{
    shoal_clear_error();
    SHOAL_NEED(out && text);
    *out = NULL;
    shoal_selection *s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_E_MEMORY;
    s->text = shoal_strdup(text);
    const shoal_status status = s->text ? parse(s, s->text) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK)
        *out = s;
    else
        shoal_selection_destroy(s);
    return status;
}

void shoal_selection_destroy(shoal_selection *selection)
{
    if (!selection) return;
    free(selection->text);
    free(selection->conditions);
    free(selection);
}

const char *shoal_selection_text(const shoal_selection *selection)
{
    return selection ? selection->text : "";
}

int32_t selection_missing(const shoal_selection *selection, int32_t n_atoms, shoal_span *what)
{
    for (int32_t k = 0; selection && k < selection->n; ++k) {
        const condition *c = &selection->conditions[k];
        if (c->kind != CONDITION_RANGE || c->last < n_atoms) continue;
        *what = c->text;
        return c->first >= n_atoms ? c->first : n_atoms;
    }
    return -1;
}

static bool holds(const condition *c, const shoal_molecule *mol, int32_t i)
{
    bool yes = true;
    switch (c->kind) {
    case CONDITION_ALL: break;
    case CONDITION_RANGE: yes = i >= c->first && (c->last < 0 || i <= c->last); break;
    case CONDITION_ELEMENT: yes = mol->element[i] == c->element; break;
    case CONDITION_BELOW: yes = mol->pos[i][2] < c->z; break;
    case CONDITION_ABOVE: yes = mol->pos[i][2] > c->z; break;
    }
    return yes != c->turned;
}

static bool selects(const shoal_selection *s, const shoal_molecule *mol, int32_t i)
{
    bool part = false;
    for (int32_t k = 0; k < s->n; ++k) {
        const condition *c = &s->conditions[k];
        if (c->begins && part) return true;
        part = (c->begins || part) && holds(c, mol, i);
    }
    return part;
}

shoal_status shoal_selection_apply(shoal_selection *selection, const shoal_molecule *mol,
                                   bool *chosen)
{
    shoal_clear_error();
    SHOAL_NEED(selection && mol && chosen);
    int64_t n = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        if (!selects(selection, mol, i)) continue;
        chosen[i] = true;
        ++n;
    }
    (void)atomic_fetch_add(&selection->count, n);
    return SHOAL_OK;
}

int64_t shoal_selection_count(const shoal_selection *selection)
{
    return selection ? atomic_load(&selection->count) : 0;
}
