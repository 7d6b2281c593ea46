/* SPDX-License-Identifier: BSD-3-Clause
 * Grids: the fields of a surface as tricubic B-splines, for fast evaluation.
 *
 * Conventions. Nodes lie at origin + i/shape[0] a + j/shape[1] b + k step[2] z; a and b are the
 * smallest period of the surface, which may be a fraction of its cell. Above the first some 10 A the
 * grid goes on in levels: each reaches twice as high as the one below and is as much coarser, which
 * costs next to nothing and no accuracy, as fields are the smoother the higher. The fields are exact
 * at the nodes between the bottom and switch_z, where a unit charge feels less than 1e-6 eV,
 * whatever height that is; from there to the top they are switched off smoothly (less their limits
 * far above, which are kept), and above the top nothing but the limits is felt. Below the bottom
 * fields go on as straight lines, and an atom at depth t gets k t^2 / 2 with k = 10 eV/A^2
 * on top of them; a system that begins or ends there has the status SHOAL_SYSTEM_OUT_OF_GRID, or
 * SHOAL_SYSTEM_BELOW_SURFACE below the lowest terrace. */
#ifndef SHOAL_GRID_H
#define SHOAL_GRID_H

#include "shoal/mesh.h"
#include "shoal/surface.h"
#include "shoal/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_grid shoal_grid;

/* Errors of a grid against the direct sum, eV and eV/angstrom. */
typedef struct shoal_grid_errors {
    int64_t samples;
    double rms_e, max_e, rms_f, max_f;
} shoal_grid_errors;

/* Called now and then from the calling thread with the share that is done, 0 to 1; returns false to
 * give up. */
typedef bool shoal_grid_monitor(void *user, double done);

/* Zero means the default in every member. */
typedef struct shoal_grid_options {
    double step;        /* angstrom, no two neighbouring nodes are farther apart; 0 = 0.1, and
                           0.07 for the LJ form, which is steeper */
    double height;      /* angstrom above the topmost atom where switching off begins; 0: where a
                           carbon atom with a unit charge feels less than 1e-6 eV */
    bool whole_cell;    /* do not look for a period smaller than the cell of the surface */
    const char *device; /* "opencl", "opencl:WHICH": short-range sums there; NULL: processor */
    int32_t n_threads;  /* 0: as many as the machine gives */
    int32_t samples;    /* for the summary of errors; 0 = 2000, negative: none */
    shoal_grid_monitor *monitor;
    void *user;
    /* Channels from elsewhere in place of the surface's own, with a pair model coulomb alone; NULL: its own. Refused (SHOAL_E_ARGUMENT): a mesh of which the cell of the surface is not whole numbers, whose atoms lie elsewhere,
     * that does not reach into the vacuum, or whose potential is a well at every atom. */
    const shoal_mesh *pauli, *london, *coulomb;
} shoal_grid_options;

/* Builds the grid of a surface; options may be NULL. The caller owns a reference. */
SHOAL_API shoal_status shoal_grid_build(shoal_grid **out, shoal_surface *surface,
                                        const shoal_grid_options *options);
/* What a build would take, about, and what direct sums do. It is counted at fixed rates of one core,
 * nothing is measured: the same surface has the same plan everywhere. */
typedef struct shoal_grid_plan {
    int64_t nodes;
    int64_t bytes;         /* of the grid, without the fields of atom types, 8 a node and type */
    int64_t build_bytes;   /* while it is built */
    double build_seconds;  /* of a core */
    double direct_seconds; /* of a core, for the direct sum at one atom */
} shoal_grid_plan;

/* Plans for shoal_grid_build; options may be NULL. */
SHOAL_API shoal_status shoal_grid_estimate(shoal_grid_plan *out, const shoal_surface *surface,
                                           const shoal_grid_options *options);

/* What costs less: a grid that is built once, or direct sums over the whole input. */
typedef struct shoal_grid_choice {
    shoal_grid_plan plan;
    bool direct;
    char why[200];
} shoal_grid_choice;

/* Chooses for systems of so many atoms in all (INFINITY: nobody knows how many) that are evaluated so many times each
 * (shoal_job_evaluations). A grid is built if it fits into the memory that is free, here and on the device (NULL: the
 * processor), and if sums would take longer. */
SHOAL_API shoal_status shoal_grid_choose(shoal_grid_choice *out, const shoal_surface *surface,
                                         double atoms, double evaluations, const char *device);
/* Whether the fields of a grid fit into the memory that is free, too. */
SHOAL_API bool shoal_grid_fits(const shoal_grid *grid, const char *device);

/* References are counted: an engine keeps its own. */
SHOAL_API shoal_grid *shoal_grid_retain(shoal_grid *grid);
SHOAL_API void shoal_grid_destroy(shoal_grid *grid);

/* A coarser grid above another, of the same period: from bottom to top, angstrom. */
typedef struct shoal_grid_level {
    int32_t shape[3];
    double step[3], bottom, top; /* angstrom */
} shoal_grid_level;

enum { SHOAL_GRID_LEVELS = 12 }; /* at most */

/* A channel that comes from elsewhere. From contact up to `top` it is wrong by max_e and max_f at most, as 2000 points found:
 * what the spline of the grid differs from that of the mesh, and twice what fourth differences tell of the mesh itself. Up to `end`
 * it is switched off. Energies are those of an atom of carbon; of coulomb those of a charge of 1 e. */
typedef struct shoal_grid_source {
    bool there;          /* false: the channel is the surface's own */
    char name[64];       /* of the mesh */
    double max_e, max_f; /* eV, eV/angstrom */
    double top, end;     /* angstrom */
    double cut;          /* eV, the most that it has at `top` */
    double zero;         /* eV, of a charge of 1 e in the vacuum: taken off */
} shoal_grid_source;

typedef struct shoal_grid_view {
    int32_t shape[3];  /* nodes along a, b and z, of the finest level */
    double cell[2][2]; /* rows a, b: x and y, angstrom */
    int32_t cells;     /* how many of them make a cell of the surface */
    double origin[3];  /* angstrom, of the first node */
    double step[3];    /* angstrom between nodes */
    double switch_z;   /* angstrom: the fields are exact up to here */
    double top;        /* angstrom: nothing but the limits is felt above */
    int32_t n_levels;  /* above the finest */
    shoal_grid_level levels[SHOAL_GRID_LEVELS];
    double limit[SHOAL_N_CHANNELS];     /* of the fields far above */
    bool has_channel[SHOAL_N_CHANNELS]; /* false: zero everywhere and not stored */
    int64_t bytes;                      /* of all coefficients, those of levels as well */
    shoal_grid_errors errors;     /* of O, C, H and N probes, from contact to above the top; none:
                                 samples = 0 */
    const shoal_surface *surface; /* borrowed: what it was built from */
    shoal_grid_source sources[SHOAL_CHANNEL_KINDS];
} shoal_grid_view;

SHOAL_API void shoal_grid_get(const shoal_grid *grid, shoal_grid_view *view);

/* All fields at a point as shoal_surface_fields gives them, each by the spline of its channel, in double: for looking at
 * them. Where they are steep engines are closer to the direct sum. */
SHOAL_API void shoal_grid_fields(const shoal_grid *grid, const double r[3],
                                 double out[SHOAL_N_CHANNELS][4]);

/* Heights above contact, angstrom, that errors are told apart by; the last band has no end. */
enum { SHOAL_GRID_BANDS = 8, SHOAL_GRID_PROBES = 4 };

/* One random point: how far above contact it is, and the errors there. Probes take turns: point i is of probe i % 4. */
typedef struct shoal_grid_sample {
    double height; /* angstrom above contact */
    double de, df; /* eV and eV/angstrom */
} shoal_grid_sample;

typedef struct shoal_grid_report {
    shoal_grid_errors all;
    shoal_grid_errors probes[SHOAL_GRID_PROBES];
    /* Of channels alone, as shoal_grid_fields reads them, with the weights of a carbon probe, +1 e, |h| = 1. Engines
     * read what a type of atom feels in all, by a spline that follows its wall far better. */
    shoal_grid_errors channels[SHOAL_N_CHANNELS];
    shoal_grid_errors bands[SHOAL_GRID_BANDS];
    double band_start[SHOAL_GRID_BANDS]; /* angstrom above contact */
} shoal_grid_report;

/* Elements of the probes: O, C, H, N with their UFF parameters and a charge typical of organic
 * molecules. NULL out of range. */
SHOAL_API const char *shoal_grid_probe_name(int probe);
/* Parameters of a probe; those of the first out of range. */
SHOAL_API shoal_probe shoal_grid_probe(int probe);

/* Reads the name of a probe, or the radius (angstrom), depth (eV) and charge (e) of one, "1.75,0.0026,-0.4". */
SHOAL_API shoal_status shoal_grid_probe_parse(const char *text, shoal_probe *out);

/* Compares a grid with the direct sum (channels from elsewhere: adds the errors that the grid keeps of them) at random points from contact to far above the top, with probes that have twice
 * their charge. Contact is the greatest height at which the energy of a probe is +2 eV, or 1.2 A from an atom. The same seed gives the same
 * points, whatever the number of threads. samples[n] may be NULL. */
SHOAL_API shoal_status shoal_grid_check(const shoal_grid *grid, int32_t n, uint64_t seed,
                                        int32_t n_threads, shoal_grid_report *report,
                                        shoal_grid_sample *samples);

/* Whether the errors that were found when a grid was built, and are kept in its file, are within 1 meV and 5 meV/A; why[size]
 * (NULL: not wanted) says how they are not. Every result of an engine with a grid that does not pass has this as a
 * warning. */
SHOAL_API bool shoal_grid_passes(const shoal_grid *grid, char *why, size_t size);

/* Draws errors against height, energies and forces side by side, as SVG. */
SHOAL_API shoal_status shoal_grid_plot(const char *path, const shoal_grid_sample *samples,
                                       int32_t n);

/* Writes a grid with the substrate it is of, in HDF5, under a temporary name first. Without HDF5
 * it fails with SHOAL_E_UNSUPPORTED. */
SHOAL_API shoal_status shoal_grid_write(const shoal_grid *grid, const char *path);
/* Fails where shoal_grid_write would for want of HDF5 or of a place for the file: to be asked before
 * the time of a build is spent. Leaves nothing behind. */
SHOAL_API shoal_status shoal_grid_write_probe(const char *path);
/* Reads a grid. Fails with SHOAL_E_FORMAT for a file that is cut, changed, not a grid or of another
 * version, and, where a surface is given, for a grid of another surface or other parameters. */
SHOAL_API shoal_status shoal_grid_read(shoal_grid **out, const char *path,
                                       const shoal_surface *surface);

/* Where the grid of a surface is kept that was read from a file: beside it, as FILE.grid.h5. Fails with
 * SHOAL_E_ARGUMENT where path[size] is too small. */
SHOAL_API shoal_status shoal_grid_path(const char *surface_file, char *path, size_t size);
/* Looks for a grid that was kept, beside the file of its surface and then in shoal_cache_folder(); *out is NULL if
 * there is none, else path[size] says which. A file beside the surface that is no grid of it is passed over:
 * `left_alone` [size] says why, "" else. */
SHOAL_API shoal_status shoal_grid_find(shoal_grid **out, const shoal_surface *surface,
                                       const char *surface_file, char *path, char *left_alone,
                                       size_t size);
/* Keeps a grid for runs to come: beside the file of its surface, where nothing is replaced, or else in
 * shoal_cache_folder(); path[size] says where. */
SHOAL_API shoal_status shoal_grid_keep(const shoal_grid *grid, const char *surface_file, char *path,
                                       size_t size);

/* What the fields of a surface are wanted for. Zero means none or the default in every member. */
typedef struct shoal_grid_request {
    const char *surface_file;  /* a grid that is kept of it is taken */
    bool keep;                 /* one that is built is kept for runs to come */
    const char *device;        /* as of shoal_grid_choose, .. */
    double atoms, evaluations; /* .. and so are these */
    int32_t before; /* the run that is gone on with took a grid (1) or summed directly (-1) */
    bool plans;     /* nothing is built */
    shoal_grid_options build;
    void (*tell)(void *user, const char *text); /* hears what was chosen, and why */
    void *user;
} shoal_grid_request;

typedef struct shoal_grid_settled {
    bool direct;
    char text[300]; /* "direct sums: ...", the name of a file, "to be built: ..." */
    int64_t bytes;  /* of a grid to be built; 0: none */
    double seconds; /* to build it, of a core */
} shoal_grid_settled;

/* The grid of a surface: one that is kept, or what costs less, one to be built or direct sums, for which *out is NULL.
 * The caller owns *out. */
SHOAL_API shoal_status shoal_grid_settle(shoal_grid **out, shoal_surface *surface,
                                         const shoal_grid_request *request,
                                         shoal_grid_settled *settled);

/* Writes values at the nodes, the sum over channels of weights[c] V_c, for other programs. By the
 * end of the name: .cube (Gaussian, bohr and hartree), .xsf (angstrom, eV), .npy (float64 array of
 * shape [n_a][n_b][n_z], eV). */
SHOAL_API shoal_status shoal_grid_export(const shoal_grid *grid, const char *path,
                                         const double weights[SHOAL_N_CHANNELS]);

/* What a grid is of, how large and how good, and what a check of it found: keys of an open object, as docs/surfaces.md
 * has them. */
SHOAL_API void shoal_grid_json(shoal_json *j, const shoal_grid *grid);
SHOAL_API void shoal_grid_report_json(shoal_json *j, const shoal_grid_report *report);

#ifdef __cplusplus
}
#endif

#endif
