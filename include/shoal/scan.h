/* SPDX-License-Identifier: BSD-3-Clause
 * Scans: the points of a grid of coordinates as variants of every record of a stream, rigid or relaxed with the
 * coordinates held, and what the energies of the points say: minima, barriers, curves and maps.
 *
 * Coordinates are distances (angstrom), angles and torsions (degrees) of atoms, the volume of the cell, or where the
 * molecule is and how it is turned. x, y and z (angstrom) are those of its centre, the mean of its atoms: x and y in the frame of the
 * surface, z above its topmost atom. rx, ry and rz (degrees) turn it about its centre away from where it was. An
 * atom may stand for the centre. Of atoms to move, if some are named, x, y and z are relative to the centre of
 * the other atoms. volume is that of the record times a number: the cell and all its atoms are scaled alike in all
 * directions in which the system repeats. Of layers it is the area, of chains the length. */
#ifndef SHOAL_SCAN_H
#define SHOAL_SCAN_H

#include "shoal/placement.h"
#include "shoal/row.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum shoal_coordinate_kind {
    SHOAL_COORDINATE_DISTANCE = 0,
    SHOAL_COORDINATE_ANGLE,
    SHOAL_COORDINATE_TORSION,
    SHOAL_COORDINATE_X,
    SHOAL_COORDINATE_Y,
    SHOAL_COORDINATE_Z,
    SHOAL_COORDINATE_RX,
    SHOAL_COORDINATE_RY,
    SHOAL_COORDINATE_RZ,
    SHOAL_COORDINATE_VOLUME,
    SHOAL_N_COORDINATES
} shoal_coordinate_kind;

/* "distance", "angle", .., "volume"; NULL out of range. */
SHOAL_API const char *shoal_coordinate_name(int kind);

/* A coordinate and its points: n of them from the first value to the last, evenly. */
typedef struct shoal_coordinate {
    shoal_coordinate_kind kind;
    int32_t atoms[4]; /* of a distance 2, an angle 3, a torsion 4 */
    double from, to;  /* angstrom or degrees; of a volume that of the record */
    int64_t n;
} shoal_coordinate;

/* Reads "torsion:0,1,2,3=0:360:5", "z=2:6:0.1", "angle:0,1,2=90:120:n7" (so many points) or "x=1.5" (one point),
 * "volume=0.9:1.1:n9". The step leads from the first value towards the last, which is a point if it is a whole number
 * of steps away. Fails with SHOAL_E_ARGUMENT and says what it expected. */
SHOAL_API shoal_status shoal_coordinate_parse(const char *text, shoal_coordinate *out);

typedef struct shoal_scan shoal_scan;

/* Zero means none or the default in every member; pointers are borrowed for the call, but for surface and movable. */
typedef struct shoal_scan_options {
    const shoal_coordinate *coordinates;
    int32_t n_coordinates;
    /* Atoms that x .. rz move, each once; none: the whole molecule, above a surface. */
    const int32_t *move;
    int32_t n_move;
    /* Geometries instead of coordinates: each of these in turn, which must have the atoms of the molecule. */
    const shoal_molecule *const *frames;
    int32_t n_frames;
    /* x, y and z are those of this atom, and the molecule is turned about it; otherwise its centre. Not with move. */
    bool has_anchor;
    int32_t anchor;
    /* Every point is relaxed with the coordinates held by restraints: x, y and z of the centre or the anchor. rx, ry,
     * rz, and x, y, z of atoms to move, cannot be held. */
    bool relaxed;
    /* Cells of points of a volume, too, at that volume: by a stream that relaxes with SHOAL_CELL_SHAPE. */
    bool shape;
    /* Every point is relaxed from so many geometries, the first of them the record's, others with joints turned and, on a
     * surface, in any orientation; the lowest result stays. 0: one. */
    int32_t starts;
    /* Every point is also started from the results of its neighbours, in all directions, until none falls
     * by more than 1 meV. */
    bool follow;
    shoal_selection *const *fix; /* atoms that further starts leave where they are */
    int32_t n_fix;
    double spring_length,
        spring_angle;     /* eV/angstrom^2, eV/radian^2 of restraints; 0: see docs/scans.md */
    int32_t n_restraints; /* of the stream that stand before those of the scan */
    const shoal_surface *surface; /* that the systems stand on; outlives the scan, and so does .. */
    const shoal_surface *movable; /* .. this, of the stream */
    shoal_jitter copies;          /* all points of each copy of a record; n_copies 0: one */
    bool
        rigid; /* the stream has rigid bodies: nothing that changes their shapes is scanned or drawn */
} shoal_scan_options;

/* Fails with SHOAL_E_ARGUMENT for coordinates that cannot be scanned (so), for more than 1e9 points, and for more
 * than 1e6 that follow each other. The caller owns *out. */
SHOAL_API shoal_status shoal_scan_create(shoal_scan **out, const shoal_scan_options *options);
SHOAL_API void shoal_scan_destroy(shoal_scan *scan);

/* Points of one copy of a record. */
SHOAL_API int64_t shoal_scan_size(const shoal_scan *scan);
/* Numbers that tell a point: one for every coordinate, or 1, the number of its frame. */
SHOAL_API int32_t shoal_scan_n_values(const shoal_scan *scan);
/* The point of a variant, values[shoal_scan_n_values] in angstrom, degrees and volumes of the record, and its place in the grid, where
 * the last coordinate runs fastest. Both may be NULL. */
SHOAL_API shoal_status shoal_scan_locate(const shoal_scan *scan, int64_t variant, double *values,
                                         int64_t *place);

/* What goes into the options of the stream: its variants, and restraints that stand behind those of the user, *n
 * of them; borrowed from the scan, which outlives the stream. */
SHOAL_API shoal_status shoal_scan_variants(shoal_scan *scan, shoal_variants *out);
SHOAL_API const shoal_restraint *shoal_scan_restraints(const shoal_scan *scan, int32_t *n);

/* How far a system of the stream has come to lie from its point, where sinks see it: held[n_coordinates] in
 * angstrom and degrees. Fails with SHOAL_E_ARGUMENT for a scan that is rigid and a system without numbers. */
SHOAL_API shoal_status shoal_scan_held(const shoal_scan *scan, const shoal_stream_system *system,
                                       double *held);

/* --- what the energies say ---- */

/* A minimum, and the lowest way out of it that leads to a lower one. Places are those of shoal_scan_locate. */
typedef struct shoal_scan_minimum {
    int64_t place;
    double energy;         /* eV */
    bool at_edge;          /* of the grid: it may go on downhill beyond, and need be no minimum */
    int64_t barrier;       /* place of the highest point on the way; -1 of the lowest minimum */
    double barrier_energy; /* eV, there */
} shoal_scan_minimum;

/* Minima of energies[shoal_scan_size] by place, NaN where there is none, the lowest first: at most n_most of them into
 * out, and their number into *n. A torsion or a turn of 360 degrees closes on itself. Dents of less than 0.1 meV
 * are none. */
SHOAL_API shoal_status shoal_scan_minima(const shoal_scan *scan, const double *energies,
                                         shoal_scan_minimum *out, int32_t n_most, int32_t *n);

/* Maxima of a curve that lie between two minima of it (of a closed one, between neighbours): places into out, in
 * the order of the coordinate; none where a point between them has no energy. Needs one coordinate. */
SHOAL_API shoal_status shoal_scan_maxima(const shoal_scan *scan, const double *energies,
                                         int64_t *out, int32_t n_most, int32_t *n);

/* How a figure is drawn. Zero and NULL mean the default. */
typedef struct shoal_scan_figure {
    const char *title;
    double unit; /* of energies, in eV; 0: 1 */
    const char *unit_name;
    /* Energies above the lowest, in units, that colours or the axis go from and to. Both 0: to the highest, or where the
     * wall of a repulsion would hide all else. */
    double low, high;
} shoal_scan_figure;

/* A curve, or a map, of the one or two coordinates that have several points, with the minima marked that do not lie at the
 * edge, as SVG; the title names the values of the others. Energies are drawn above the lowest; points beyond the range
 * have its last colour in maps, and interrupt curves. Fails with SHOAL_E_ARGUMENT for other numbers of coordinates. */
SHOAL_API shoal_status shoal_scan_plot(const shoal_scan *scan, const double *energies,
                                       const shoal_scan_figure *figure, const char *path);

/* --- energies of volumes ---- */

/* An equation of state by Birch and Murnaghan, of the third order (F. Birch, Phys. Rev. 71 (1947) 809). */
typedef struct shoal_equation_of_state {
    double volume; /* angstrom^3, where the energy is lowest; there .. */
    double energy; /* .. eV, .. */
    double bulk;   /* .. bulk modulus, eV/angstrom^3, .. */
    double slope;  /* .. and what that grows by with the pressure */
    double error;  /* eV, root of the mean square of what is left */
    int32_t n;     /* energies that are numbers */
} shoal_equation_of_state;

/* Fitted to energies[n] (eV; others than numbers are left out) of volumes[n] (angstrom^3). Fails with SHOAL_E_ARGUMENT for
 * less than five, and where they have no minimum between the smallest and the largest volume. */
SHOAL_API shoal_status shoal_equation_of_state_fit(const double *volumes, const double *energies,
                                                   int32_t n, shoal_equation_of_state *out);

/* Energy without that of restraints, eV; NaN of a system without numbers. */
SHOAL_API double shoal_scan_energy(const shoal_result *result);

/* The line of a point: its values as "point", how far it came to lie from them as "held"; of a scan of volumes, of
 * crystals, "volume" and "stress_gpa", too. */
SHOAL_API shoal_status shoal_scan_row_json(const shoal_scan *scan, const shoal_row_style *style,
                                           const shoal_stream_system *system, shoal_string *out);

/* --- all points of a record together ---- */

typedef struct shoal_scan_summary shoal_scan_summary;

/* Zero means none or the default in every member; pointers are borrowed until the summary is destroyed. */
typedef struct shoal_scan_summary_options {
    const char *kept; /* file of the energies so far, which a run that goes on needs */
    bool resumes;     /* this run goes on: the file is read first */
    const char *plot; /* figure of the first record, SVG; those of others have their number, too */
    shoal_scan_figure figure; /* with the unit of lines, too; its title is the record's */
    void (*tell)(void *user, const char *line); /* hears what the energies say, line by line */
    void *user;
} shoal_scan_summary_options;

/* Of a scan with more than 10^7 points nothing is kept, drawn or told. The scan is borrowed. The caller owns *out. */
SHOAL_API shoal_status shoal_scan_summary_create(shoal_scan_summary **out, const shoal_scan *scan,
                                                 const shoal_scan_summary_options *options);
SHOAL_API void shoal_scan_summary_destroy(shoal_scan_summary *summary);
/* Takes n more systems, as stream.output.visit gets them. Where all points of a record have come, tells its minima and
 * barriers, of the first 20 records, and draws its figure. */
SHOAL_API shoal_status shoal_scan_summary_visit(shoal_scan_summary *summary,
                                                const shoal_stream_system *systems, int32_t n);
/* After the last system: tells how well coordinates were held, and removes the file. */
SHOAL_API shoal_status shoal_scan_summary_end(shoal_scan_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
