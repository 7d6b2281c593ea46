/* SPDX-License-Identifier: BSD-3-Clause
 * Searches for minima: conformers of molecules, and where and how molecules lie on a surface.
 *
 * A search is a stream (shoal/stream.h) of relaxations whose variants are the starts of every molecule, each a
 * function of seed, molecule and number alone. What comes out is taken in the order of the input, so that the list
 * of minima depends neither on threads and devices nor on when a run was stopped. docs/search.md tells how starts
 * are made and when two minima are one.
 *
 *   shoal_search_create; options.build.variants = shoal_search_variants(s); a sink with shoal_search_format, whose
 *   texts go to shoal_search_take; shoal_stream_run; shoal_search_rank; shoal_search_get. */
#ifndef SHOAL_SEARCH_H
#define SHOAL_SEARCH_H

#include "shoal/run.h"
#include "shoal/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_search shoal_search;

/* Zero means the default in every member; pointers are borrowed while the search lives. */
typedef struct shoal_search_options {
    int64_t starts; /* of every molecule, below 2^31; 0 = 1000 */
    int32_t kicks;  /* of every start: its minimum is disturbed and relaxed again so often */
    double kick_temperature; /* K: how readily a series of kicks goes uphill; 0 = 300 */
    int64_t seed;
    int64_t
        patience; /* a molecule is done when so many relaxations in a row found nothing new; 0: never */
    double
        window; /* eV: minima so far above the lowest are left out, and are nothing new; 0: none are */
    double same_energy; /* eV: minima that differ by more are two; 0 = 0.002 */
    double same_rmsd;   /* angstrom: the same; 0 = 0.1 */
    double temperature; /* K, of the weights; 0 = 298.15 */
    double height; /* angstrom: of the lowest atom of a start above the surface; 0: near contact */
    const shoal_surface *surface; /* that systems stand on; NULL: none */
    const shoal_surface *movable; /* its layers that belong to the systems; NULL: none */
    shoal_selection *const *fix;  /* atoms that do not move; not on a surface */
    int32_t n_fix;
    bool isomers;    /* lists minima of other configurations, too, which relaxations may reach */
    bool directions; /* records of minima say where directions are, as shoal_results_what has it */
    /* Starts and kicks move molecules on the surface as they are: for streams whose constraints make all of a molecule
     * rigid. Fails without a surface. */
    bool rigid;
} shoal_search_options;

/* The caller owns *out. Fails with SHOAL_E_ARGUMENT for numbers that make no sense. */
SHOAL_API shoal_status shoal_search_create(shoal_search **out, const shoal_search_options *options);
SHOAL_API void shoal_search_destroy(shoal_search *search);

/* Variants of the stream: starts times (1 + kicks). Borrowed. Those of a molecule that is done fail. */
SHOAL_API const shoal_variants *shoal_search_variants(const shoal_search *search);

/* Conformers of a molecule alone, to be tried for the lowest: all combinations of its joints, or 50 drawn. Those beyond
 * its number fail. For shoal_stream_compute.alone; lives for ever. */
SHOAL_API const shoal_variants *shoal_search_conformers(void);

/* What the search wants to know of a system; for the format of a sink, on any thread and in any process. */
SHOAL_API shoal_status shoal_search_format(const shoal_search *search,
                                           const shoal_stream_system *system, shoal_string *out);
/* Takes such texts, in the order of the input, and appends to journal (NULL: none) what shoal_search_replay needs to
 * come to the same point: little, where nothing new was found. */
SHOAL_API shoal_status shoal_search_take(shoal_search *search, const char *text, size_t size,
                                         shoal_string *journal);
/* Takes the journal of an earlier search with the same options, before anything else. Fails with SHOAL_E_FORMAT
 * where it is damaged. */
SHOAL_API shoal_status shoal_search_replay(shoal_search *search, const char *journal, size_t size);

/* Takes all relaxations of such a search from a file of results, as shards of its stream have written them
 * (shoal_results_format with forces, and energies of adsorption on a surface) and shoal_merge has put them together.
 * Fails with SHOAL_E_FORMAT where one is missing, and with SHOAL_E_ARGUMENT for files of other runs. */
SHOAL_API shoal_status shoal_search_take_file(shoal_search *search, const char *path);

/* How far a search has come, all molecules together. */
typedef struct shoal_search_counts {
    int64_t molecules;
    int64_t relaxations; /* that were taken; those behind the end of a molecule's search are not */
    int64_t failed;      /* did not converge, or could not be computed */
    int64_t changed;     /* ended with another configuration: another molecule */
    int64_t above;       /* outside the window */
    int64_t minima;      /* found so far */
    int64_t ended;       /* molecules whose search was ended by patience */
    int64_t since_new;   /* relaxations since the last new minimum of the last molecule */
    int64_t once, twice; /* minima that so many relaxations ended in */
    bool
        unmoved; /* a ring of seven atoms or more had no move, in a molecule whose starts were made here */
} shoal_search_counts;
SHOAL_API void shoal_search_count(const shoal_search *search, shoal_search_counts *out);

/* Sorts the minima of every molecule by energy, leaves out those above the window, and weighs the others: by free
 * energies where all that are listed have one, else by energies. */
SHOAL_API shoal_status shoal_search_rank(shoal_search *search);

/* Makes a search whose starts are the listed minima of another one, which must live as long: run through a stream that
 * relaxes further, in double precision, it tells minima of flat valleys apart that rounding or a generous limit
 * had blurred. Counts add up; what does not converge stays as it was. A stream of SHOAL_JOB_MODES that relaxes first, with
 * 1 as its symmetry number, also gives them free energies. The caller owns *out. Fails with
 * SHOAL_E_ARGUMENT for a search that is not ranked or has no minima. */
SHOAL_API shoal_status shoal_search_refine(shoal_search **out, const shoal_search *search);

/* Forces that minima are polished to, eV/angstrom: flat valleys have one only if it is reached. */
SHOAL_API double shoal_search_fmax(void);

typedef struct shoal_polish_options {
    bool free_energies; /* of every minimum, by its vibrations */
    bool (*monitor)(void *user, const shoal_stream_progress *progress); /* may be NULL, .. */
    void (*tell)(void *user, const char *text); /* .. as may who hears what should be known */
    void *user;
} shoal_polish_options;

/* Runs shoal_search_refine through a stream like that of the search, in double precision where the device has it, and
 * ranks what comes of it. The caller owns *out. */
SHOAL_API shoal_status shoal_search_polish(shoal_search **out, const shoal_search *search,
                                           const shoal_stream_options *stream,
                                           const shoal_polish_options *options);

typedef struct shoal_minimum {
    int64_t molecule;         /* in the whole input, from 0 */
    int32_t rank;             /* among those of the molecule, from 1 */
    double energy;            /* eV */
    double adsorption_energy; /* eV; NaN where it is not known */
    double free_energy;       /* eV: harmonic, of this copy alone; NaN where it was not computed */
    double weight;      /* of Boltzmann, 0 to 1, at the temperature of the options, of all copies */
    int64_t copies;     /* that it stands for, against those of the other minima of the molecule */
    int64_t count;      /* relaxations that ended there */
    int64_t start;      /* variant that ended there with the lowest energy */
    const char *record; /* of shoal/results.h; borrowed */
    size_t record_size;
} shoal_minimum;

/* Minima after ranking, molecule by molecule. */
SHOAL_API int64_t shoal_search_n_minima(const shoal_search *search);
/* Atoms of layers that move, behind those of every molecule. */
SHOAL_API int32_t shoal_search_n_movable(const shoal_search *search);
SHOAL_API shoal_status shoal_search_get(const shoal_search *search, int64_t i, shoal_minimum *out);
/* Appends the record of minimum i for a file of results: with i as its index, and with the data fields search_rank,
 * search_count, search_weight, search_copies, search_free_energy and search_start. On a surface records have the energy of adsorption
 * (shoal_results_what.adsorption). */
SHOAL_API shoal_status shoal_search_record(const shoal_search *search, int64_t i,
                                           shoal_string *out);
/* The molecule of minimum i, cleared first, with these data fields. file: what its input is called. */
SHOAL_API shoal_status shoal_search_molecule(const shoal_search *search, int64_t i,
                                             const char *file, shoal_molecule *mol);

/* Where the molecule of minimum i is: the middle of its atoms, and the lowest; layers that move do not count. */
SHOAL_API shoal_status shoal_search_site(const shoal_search *search, int64_t i, double at[3],
                                         double *lowest);

/* What is written of minima. */
typedef struct shoal_minima_style {
    const char *const *files; /* inputs, as they are called */
    int32_t n_files;
    bool on_surface;         /* sites are of interest */
    bool positions, forces;  /* in JSON */
    bool directions;         /* there may be some */
    const char *device;      /* for files of results: what computed them .. */
    const char *about;       /* .. by what command .. */
    const char *description; /* .. and run, as shoal_run_describe has it */
} shoal_minima_style;

/* Appends all minima as JSON, a line each. */
SHOAL_API shoal_status shoal_search_put_json(const shoal_search *search,
                                             const shoal_minima_style *style, shoal_string *out);
/* Writes all of them: molecules, JSON or a file of results, as `to` says (shoal_run_output_choose). */
SHOAL_API shoal_status shoal_search_write(const shoal_search *search,
                                          const shoal_minima_style *style, shoal_run_output *to);

/* Draws the surface from above with a cell of its symmetry, and the places of the minima of one molecule by rank.
 * As SVG. Fails with SHOAL_E_ARGUMENT for a search without a surface. */
SHOAL_API shoal_status shoal_search_picture(const shoal_search *search, int64_t molecule,
                                            const char *path);

#ifdef __cplusplus
}
#endif

#endif
