/* SPDX-License-Identifier: BSD-3-Clause
 * The minima of one molecule: each geometry that comes is one of those that are known, or new. */
#ifndef SHOAL_JOBS_SEARCH_MINIMA_H
#define SHOAL_JOBS_SEARCH_MINIMA_H

#include "jobs/search_compare.h"
#include "jobs/search_configuration.h"

typedef struct search_minimum {
    double energy, isolated; /* eV; isolated: of the molecule alone, NaN where it is not known */
    double free_energy;      /* eV: harmonic, without the share of symmetry; NaN: not known */
    int64_t count, start;
    double (*pos)[3]; /* [n_atoms], angstrom */
    double *mean;     /* [n_atoms], of search_geometry */
    char *record;     /* of results, owned */
    size_t record_size;
} search_minimum;

/* When two minima are one, and which count. */
typedef struct search_rules {
    double same_energy, same_rmsd, window; /* eV, angstrom, eV (0: all count) */
    const search_substrate *substrate;     /* NULL: none */
    bool isomers;                          /* of other configurations count, too */
} search_rules;

typedef struct search_minima {
    int32_t n_atoms; /* 0 before the first geometry */
    search_symmetry symmetry;
    search_configuration configuration; /* of the first geometry */
    search_minimum *of;
    int32_t n, capacity;
    int32_t *by_energy; /* [n], ascending */
    int32_t energy_capacity;
    double *work, *mean; /* [5 n_atoms], [n_atoms] */
    double (*pos)[3];    /* [n_atoms]: the geometry that is looked at */
    int64_t taken, failed, changed, above, since_new;
    bool over;
} search_minima;

/* What becomes of a geometry. */
typedef enum search_outcome {
    SEARCH_FAILED = 0,
    SEARCH_CHANGED, /* another configuration */
    SEARCH_ABOVE,   /* the window */
    SEARCH_SAME,    /* as a minimum that is known */
    SEARCH_BETTER,  /* the same, lower in energy: it stands for the minimum from now on */
    SEARCH_NEW,
} search_outcome;

/* The first geometry of a molecule decides on symmetry and configurations. labels as in search_symmetry_find. */
shoal_status search_minima_begin(search_minima *m, const shoal_molecule *mol, int32_t n_atoms,
                                 const int32_t *labels);
/* Looks at the geometry in m->pos; *i is the minimum that it is, or would be. */
search_outcome search_minima_judge(search_minima *m, const search_rules *rules, double energy,
                                   int32_t *i);
/* Counts an outcome. NEW and BETTER take m->pos and what `minimum` says of energy, start and record, which is
 * copied. */
shoal_status search_minima_count(search_minima *m, search_outcome outcome, int32_t i,
                                 const search_minimum *minimum);
void search_minima_free(search_minima *m);

#endif
