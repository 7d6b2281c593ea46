/* SPDX-License-Identifier: BSD-3-Clause
 * Reading a text one record after the other, and cut into blocks and parsed by a used reader last record
 * first: both must give the same molecules and the same failures. */
#ifndef SHOAL_TESTS_RECORDS_PROBE_H
#define SHOAL_TESTS_RECORDS_PROBE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chem/molecule.h"
#include "io/reader.h"

static inline bool probe_same_array(const void *a, const void *b, int32_t n, size_t size)
{
    return n == 0 || memcmp(a, b, (size_t)n * size) == 0;
}

static inline bool probe_same_bonds(const shoal_molecule *a, const shoal_molecule *b)
{
    for (int32_t k = 0; k < a->n_bonds; ++k) {
        const shoal_bond *x = &a->bonds[k], *y = &b->bonds[k];
        if (x->i != y->i || x->j != y->j || x->order != y->order ||
            memcmp(x->shift, y->shift, sizeof x->shift) != 0)
            return false;
    }
    return true;
}

static inline bool probe_same_fields(const shoal_molecule *a, const shoal_molecule *b)
{
    if (a->n_properties != b->n_properties) return false;
    for (int32_t p = 0; p < a->n_properties; ++p)
        if (strcmp(a->properties[p].key, b->properties[p].key) != 0 ||
            strcmp(a->properties[p].value, b->properties[p].value) != 0)
            return false;
    return true;
}

static inline bool probe_same_marks(const molecule_marks *a, const molecule_marks *b)
{
    return a->n == b->n && probe_same_array(a->of, b->of, a->n, sizeof *a->of);
}

/* What Shoal only passes on. */
static inline bool probe_same_passed(const shoal_molecule *a, const shoal_molecule *b)
{
    for (int k = 0; k < MOLECULE_N_LINES; ++k)
        if (strcmp(molecule_line(a, k), molecule_line(b, k)) != 0) return false;
    return a->chiral == b->chiral && probe_same_marks(&a->isotope, &b->isotope) &&
           probe_same_marks(&a->parity, &b->parity) &&
           probe_same_marks(&a->bond_stereo, &b->bond_stereo);
}

/* Every bit that a file can state. */
static inline bool probe_same(const shoal_molecule *a, const shoal_molecule *b)
{
    const int32_t n = a->n_atoms;
    if (n != b->n_atoms || a->n_bonds != b->n_bonds) return false;
    return strcmp(a->name, b->name) == 0 && a->has_bonds == b->has_bonds &&
           a->has_charges == b->has_charges && a->has_formal_charges == b->has_formal_charges &&
           probe_same_array(a->element, b->element, n, sizeof *a->element) &&
           probe_same_array(a->pos, b->pos, n, sizeof *a->pos) &&
           probe_same_array(a->formal_charge, b->formal_charge, n, sizeof *a->formal_charge) &&
           probe_same_array(a->radical, b->radical, n, sizeof *a->radical) &&
           probe_same_array(a->charge, b->charge, n, sizeof *a->charge) &&
           probe_same_array(a->type, b->type, n, sizeof *a->type) &&
           memcmp(a->cell, b->cell, sizeof a->cell) == 0 &&
           memcmp(a->pbc, b->pbc, sizeof a->pbc) == 0 && probe_same_bonds(a, b) &&
           probe_same_fields(a, b) && probe_same_passed(a, b);
}

typedef struct probe {
    shoal_reader *sequential, *parser;
    record_cutter *cutter;
    record_block block;
    shoal_molecule *a, *b;
    const char *wrong; /* what differs */
} probe;

/* The next molecule in sequence against record i of the block; false if they differ. */
static inline bool probe_record(probe *p, int32_t i)
{
    char text[1024];
    bool found_a, found_b;
    const shoal_status a = shoal_reader_next(p->sequential, p->a, &found_a);
    (void)snprintf(text, sizeof text, "%s", shoal_error_text());
    shoal_clear_error();
    const shoal_status b =
        reader_parse(p->parser, record_block_text(&p->block, i), record_cutter_label(p->cutter),
                     p->block.lines[i], p->b, &found_b);
    if (a != b || found_a != found_b) p->wrong = "one is refused";
    if (strcmp(text, shoal_error_text()) != 0) p->wrong = "texts of failures differ";
    if (a == SHOAL_OK && found_a && !p->wrong && !probe_same(p->a, p->b))
        p->wrong = "molecules differ";
    return !p->wrong;
}

/* A block as it comes; parsing its records backwards first makes the parser a used one. */
static inline bool probe_block(probe *p)
{
    bool found;
    for (int32_t i = p->block.n; i-- > 0;)
        (void)reader_parse(p->parser, record_block_text(&p->block, i), "other", 7, p->b, &found);
    for (int32_t i = 0; i < p->block.n; ++i)
        if (!probe_record(p, i)) return false;
    return p->block.n > 0;
}

/* Where the cutter has no more records the reader must stop as well, with the same words. */
static inline void probe_end(probe *p, shoal_status status)
{
    char text[1024];
    bool found;
    (void)snprintf(text, sizeof text, "%s", shoal_error_text());
    if (shoal_reader_next(p->sequential, p->a, &found) != status || found)
        p->wrong = "the file ends elsewhere";
    if (status != SHOAL_OK && strcmp(text, shoal_error_text()) != 0)
        p->wrong = "texts of failures differ";
}

static inline void probe_blocks(probe *p, int32_t max_records, size_t max_bytes)
{
    int64_t n = 0;
    for (;;) {
        const shoal_status status =
            record_cutter_next(p->cutter, &p->block, max_records, max_bytes);
        if (status != SHOAL_OK || p->block.n == 0) {
            probe_end(p, status);
            return;
        }
        if (p->block.first != n || p->block.n > max_records) p->wrong = "records are miscounted";
        n += p->block.n;
        if (!probe_block(p)) return;
    }
}

/* NULL, or what is wrong. */
static inline const char *probe_text(const void *data, size_t size, shoal_format format,
                                     int32_t max_records, size_t max_bytes)
{
    probe p = {0};
    shoal_status status = shoal_molecule_create(&p.a);
    if (status == SHOAL_OK) status = shoal_molecule_create(&p.b);
    if (status == SHOAL_OK) status = reader_create(&p.parser, format, NULL);
    if (status == SHOAL_OK)
        status = shoal_reader_open_memory(&p.sequential, data, size, "text", format);
    if (status == SHOAL_OK)
        status = record_cutter_open_memory(&p.cutter, data, size, "text", format);
    if (status == SHOAL_OK) probe_blocks(&p, max_records, max_bytes);
    shoal_reader_destroy(p.sequential);
    shoal_reader_destroy(p.parser);
    record_cutter_destroy(p.cutter);
    record_block_free(&p.block);
    shoal_molecule_destroy(p.a);
    shoal_molecule_destroy(p.b);
    return p.wrong;
}

#endif
