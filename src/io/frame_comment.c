/* SPDX-License-Identifier: BSD-3-Clause
 * The comment of a frame of two fragments. */
#include "io/frame_comment.h"

#include <math.h>

const char *const frame_sapt_keys[N_SAPT] = {"Elst", "Exch", "Ind", "Disp"};

static bool is_energy(shoal_span key)
{
    return shoal_span_equal(key, "Etot") || shoal_span_equal(key, "E_tot");
}

/* The number that a key of the comment names; NULL for all other words. */
static double *number_of_key(frame_comment *c, shoal_span key)
{
    if (is_energy(key)) return &c->energy;
    if (shoal_span_equal(key, "x0")) return &c->x0;
    if (shoal_span_equal(key, "z")) return &c->angle;
    if (shoal_span_equal(key, "charge_a")) return &c->charge[0];
    if (shoal_span_equal(key, "charge_b")) return &c->charge[1];
    for (int k = 0; k < N_SAPT; ++k)
        if (shoal_span_equal(key, frame_sapt_keys[k])) return &c->sapt[k];
    return NULL;
}

bool frame_comment_is_key(shoal_span word)
{
    frame_comment c;
    return number_of_key(&c, word) || shoal_span_equal(word, "n0") ||
           shoal_span_equal(word, "grp") || shoal_span_equal(word, "split") ||
           shoal_span_equal(word, FRAME_CHARGES);
}

bool frame_comment_next(shoal_span *rest, shoal_span *key, shoal_span *value)
{
    *key = shoal_span_word(rest);
    *value = (shoal_span){key->text + key->size, 0};
    if (key->size == 0) return false;
    if (frame_comment_is_key(*key)) *value = shoal_span_word(rest);
    return true;
}

shoal_status frame_comment_parse(shoal_input *in, shoal_span line, frame_comment *c)
{
    *c = (frame_comment){
        .x0 = NAN, .angle = NAN, .sapt = {NAN, NAN, NAN, NAN}, .charge = {NAN, NAN}};
    shoal_span rest = line, key, word;
    while (frame_comment_next(&rest, &key, &word)) {
        char quoted[SHOAL_QUOTE_SIZE];
        double *number = number_of_key(c, key);
        if (number && !shoal_text_double(word, number)) {
            shoal_text_quote(quoted, key);
            return shoal_input_fail(in, word, "bad number", "a finite number behind %s", quoted);
        }
        c->has_energy = c->has_energy || number == &c->energy;
        if (shoal_span_equal(key, "n0")) {
            if (!shoal_text_int(word, &c->n_first))
                return shoal_input_fail(in, word, "bad number", "a whole number behind n0");
            c->has_n_first = true;
        } else if (shoal_span_equal(key, "grp")) {
            c->group = word;
        } else if (shoal_span_equal(key, FRAME_CHARGES)) {
            c->charges = word;
        } else if (!number && !shoal_span_equal(key, "split")) {
            c->name = key;
        }
    }
    if (shoal_span_equal(c->name, "#")) c->name.size = 0;
    return SHOAL_OK;
}

bool frame_comment_is_frame(shoal_span line)
{
    bool n0 = false, energy = false;
    shoal_span key, value;
    while (frame_comment_next(&line, &key, &value)) {
        int32_t n;
        n0 = n0 || (shoal_span_equal(key, "n0") && shoal_text_int(value, &n));
        energy = energy || is_energy(key);
    }
    return n0 && energy;
}
