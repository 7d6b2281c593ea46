/* SPDX-License-Identifier: BSD-3-Clause
 * Records: all that a file of results says of one system, as bytes. */
#include "results/results_record.h"

#include <assert.h>
#include <limits.h>
#include <math.h>

#include "base/text.h"
#include "chem/molecule.h"
#include "ff/term_table.h"
#include "io/result_fields.h"
#include "shoal/md.h"

_Static_assert(sizeof(results_head) == 56, "a head without padding");

const results_column results_columns[RESULTS_N_COLUMNS] = {
    [RESULTS_INDEX] = {"systems/index", RESULTS_SYSTEM, RESULTS_INT64, 0},
    [RESULTS_FILE] = {"systems/file", RESULTS_SYSTEM, RESULTS_INT32, 0},
    [RESULTS_RECORD] = {"systems/record", RESULTS_SYSTEM, RESULTS_INT64, 0},
    [RESULTS_LINE] = {"systems/line", RESULTS_SYSTEM, RESULTS_INT64, 0},
    [RESULTS_STATUS] = {"systems/status", RESULTS_SYSTEM, RESULTS_INT32, 0},
    [RESULTS_N_ATOMS] = {"systems/natoms", RESULTS_SYSTEM, RESULTS_INT32, 0},
    [RESULTS_ENERGY] = {"systems/energy", RESULTS_SYSTEM, RESULTS_FLOAT64, 0},
    [RESULTS_ENERGY0] = {"systems/energy0", RESULTS_SYSTEM, RESULTS_FLOAT64, 0},
    [RESULTS_FMAX] = {"systems/fmax", RESULTS_SYSTEM, RESULTS_FLOAT64, 0},
    [RESULTS_STEPS] = {"systems/steps", RESULTS_SYSTEM, RESULTS_INT32, 0},
    [RESULTS_ENERGIES] = {"systems/terms", RESULTS_SYSTEM, RESULTS_FLOAT64, RESULTS_TERMS},
    [RESULTS_CELL] = {"systems/cell", RESULTS_SYSTEM, RESULTS_FLOAT64, 9},
    [RESULTS_PBC] = {"systems/pbc", RESULTS_SYSTEM, RESULTS_UINT8, 3},
    [RESULTS_DEVICE] = {"systems/device", RESULTS_SYSTEM, RESULTS_TEXT24, 0},
    [RESULTS_FLAGS] = {"systems/flags", RESULTS_SYSTEM, RESULTS_INT16, 0},
    [RESULTS_TIME] = {"systems/time", RESULTS_SYSTEM, RESULTS_FLOAT64, 0},
    [RESULTS_KINETIC] = {"systems/kinetic", RESULTS_SYSTEM, RESULTS_FLOAT64, 0},
    [RESULTS_BATH] = {"systems/bath", RESULTS_SYSTEM, RESULTS_FLOAT64, 0},
    [RESULTS_VARIANT] = {"systems/variant", RESULTS_SYSTEM, RESULTS_INT64, 0},
    [RESULTS_ADSORPTION] = {"systems/adsorption_energy", RESULTS_SYSTEM, RESULTS_FLOAT64, 0},
    [RESULTS_STRESS] = {"systems/stress", RESULTS_SYSTEM, RESULTS_FLOAT64, 6},
    [RESULTS_NAME_TEXT] = {"systems/name", RESULTS_NAME, RESULTS_UINT8, 0},
    [RESULTS_REASON_TEXT] = {"systems/reason", RESULTS_REASON, RESULTS_UINT8, 0},
    [RESULTS_WARNING_TEXT] = {"systems/warning", RESULTS_WARNING, RESULTS_UINT8, 0},
    [RESULTS_LINES_TEXT] = {"systems/lines", RESULTS_LINES, RESULTS_UINT8, 0},
    [RESULTS_NUMBER] = {"atoms/number", RESULTS_ATOM, RESULTS_UINT8, 0},
    [RESULTS_POSITION] = {"atoms/position", RESULTS_ATOM, RESULTS_FLOAT64, 3},
    [RESULTS_FORCE] = {"atoms/force", RESULTS_ATOM, RESULTS_FLOAT64, 3},
    [RESULTS_VELOCITY] = {"atoms/velocity", RESULTS_ATOM, RESULTS_FLOAT64, 3},
    [RESULTS_CHARGE] = {"atoms/charge", RESULTS_ATOM, RESULTS_FLOAT64, 0},
    [RESULTS_FORMAL] = {"atoms/formal_charge", RESULTS_ATOM, RESULTS_INT8, 0},
    [RESULTS_ISOTOPE] = {"atoms/isotope", RESULTS_ATOM, RESULTS_INT16, 0},
    [RESULTS_ATOM_TYPE] = {"atoms/type", RESULTS_ATOM, RESULTS_TEXT8, 0},
    [RESULTS_DIRECTION] = {"atoms/direction", RESULTS_ATOM, RESULTS_FLOAT64, 3},
    [RESULTS_ELECTRON_PAIRS] = {"atoms/electron_pairs", RESULTS_ATOM, RESULTS_FLOAT64, 9},
    [RESULTS_BOND_ATOMS] = {"bonds/atoms", RESULTS_BOND, RESULTS_INT32, 2},
    [RESULTS_ORDER] = {"bonds/order", RESULTS_BOND, RESULTS_UINT8, 0},
    [RESULTS_SHARED] = {"bonds/shared_order", RESULTS_BOND, RESULTS_FLOAT64, 0},
    [RESULTS_AROMATIC] = {"bonds/aromatic", RESULTS_BOND, RESULTS_UINT8, 0},
    [RESULTS_SHIFT] = {"bonds/shift", RESULTS_BOND, RESULTS_INT16, 3},
    [RESULTS_MARK_KIND] = {"marks/kind", RESULTS_MARK, RESULTS_UINT8, 0},
    [RESULTS_MARK_AT] = {"marks/at", RESULTS_MARK, RESULTS_INT32, 0},
    [RESULTS_MARK_VALUE] = {"marks/value", RESULTS_MARK, RESULTS_INT8, 0},
    [RESULTS_DATA_BYTES] = {"data/bytes", RESULTS_DATA, RESULTS_UINT8, 0},
};

const char *const results_starts[RESULTS_N_AXES] = {
    [RESULTS_NAME] = "systems/name_starts",
    [RESULTS_REASON] = "systems/reason_starts",
    [RESULTS_WARNING] = "systems/warning_starts",
    [RESULTS_LINES] = "systems/lines_starts",
    [RESULTS_ATOM] = "atoms/starts",
    [RESULTS_BOND] = "bonds/starts",
    [RESULTS_MARK] = "marks/starts",
    [RESULTS_DATA] = "data/starts",
};

const size_t results_type_size[RESULTS_N_TYPES] = {1, 1, 2, 4, 8, 8, 8, 24};

const char *const results_mark_names[RESULTS_N_MARKS] = {
    [RESULTS_RADICAL] = "radical",
    [RESULTS_PARITY] = "parity",
    [RESULTS_STEREO] = "bond_stereo",
};

/* --- layout --------------------------------------------------------------------------------------- */

uint32_t results_flags(const shoal_results_what *what)
{
    return (what->forces ? RESULTS_HAS_FORCES : 0u) | (what->variants ? RESULTS_HAS_VARIANTS : 0u) |
           (what->adsorption ? RESULTS_HAS_ADSORPTION : 0u) |
           (what->dynamics ? RESULTS_HAS_DYNAMICS : 0u) |
           (what->directions ? RESULTS_HAS_DIRECTIONS : 0u) |
           (what->stress ? RESULTS_HAS_STRESS : 0u);
}

uint32_t results_n_terms(uint32_t flags)
{
    return (uint32_t)terms_shown(flags & RESULTS_HAS_DIRECTIONS);
}

shoal_results_what results_what(uint32_t flags)
{
    return (shoal_results_what){.forces = flags & RESULTS_HAS_FORCES,
                                .variants = flags & RESULTS_HAS_VARIANTS,
                                .adsorption = flags & RESULTS_HAS_ADSORPTION,
                                .dynamics = flags & RESULTS_HAS_DYNAMICS,
                                .directions = flags & RESULTS_HAS_DIRECTIONS,
                                .stress = flags & RESULTS_HAS_STRESS};
}

uint32_t results_column_flag(int column)
{
    switch (column) {
    case RESULTS_FORCE: return RESULTS_HAS_FORCES;
    case RESULTS_VARIANT: return RESULTS_HAS_VARIANTS;
    case RESULTS_ADSORPTION: return RESULTS_HAS_ADSORPTION;
    case RESULTS_STRESS: return RESULTS_HAS_STRESS;
    case RESULTS_TIME:
    case RESULTS_KINETIC:
    case RESULTS_BATH:
    case RESULTS_VELOCITY: return RESULTS_HAS_DYNAMICS;
    case RESULTS_DIRECTION:
    case RESULTS_ELECTRON_PAIRS: return RESULTS_HAS_DIRECTIONS;
    default: return 0;
    }
}

size_t results_row_size(const results_column *column, uint32_t flags, uint32_t n_terms)
{
    const uint32_t flag = results_column_flag((int)(column - results_columns));
    if (flag & ~flags) return 0;
    const size_t size = results_type_size[column->type];
    if (column->width == RESULTS_TERMS) return n_terms * size;
    return (column->width > 0 ? (size_t)column->width : 1) * size;
}

/* Bytes of a record; every count has 32 bits and no row 2^20 bytes, so that nothing runs over. */
static uint64_t find_size(const results_head *head)
{
    uint64_t size = sizeof *head;
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c)
        size += (uint64_t)head->rows[results_columns[c].axis] *
                results_row_size(&results_columns[c], head->flags, head->n_terms);
    return size;
}

void results_head_finish(results_head *head)
{
    memcpy(head->magic, "SHR1", sizeof head->magic);
    head->size = find_size(head);
}

shoal_status results_head_read(const char *bytes, size_t n, results_head *out)
{
    if (n < sizeof *out)
        return shoal_fail(SHOAL_E_FORMAT, "results: %zu bytes are no whole record", n);
    memcpy(out, bytes, sizeof *out);
    if (memcmp(out->magic, "SHR1", sizeof out->magic) != 0 || out->n_terms > 1000 ||
        out->rows[RESULTS_SYSTEM] != 1 || out->flags > RESULTS_HAS_ALL ||
        out->size != find_size(out))
        return shoal_fail(SHOAL_E_FORMAT, "results: these bytes are no record of a system");
    if (out->size > n)
        return shoal_fail(SHOAL_E_FORMAT, "results: a record of %llu bytes ends after %zu",
                          (unsigned long long)out->size, n);
    return SHOAL_OK;
}

int64_t results_checksum(const char *record, size_t size)
{
    const uint64_t hash = hash_words(HASH_START, record, size);
    int64_t bits;
    memcpy(&bits, &hash, sizeof bits);
    return bits;
}

/* --- format --------------------------------------------------------------------------------------- */

/* Rows go to a place that is large enough for all of them. */
static char *put(char *to, const void *from, size_t n)
{
    if (n > 0) memcpy(to, from, n);
    return to + n;
}

static char *put_double(char *to, double value)
{
    return put(to, &value, sizeof value);
}

static char *put_int(char *to, int32_t value)
{
    return put(to, &value, sizeof value);
}

static char *put_long(char *to, int64_t value)
{
    return put(to, &value, sizeof value);
}

/* At most size bytes of a text, zeros behind it. */
static char *put_padded(char *to, const char *text, size_t size)
{
    memset(to, 0, size);
    for (size_t n = 0; n < size && text && text[n]; ++n) to[n] = text[n];
    return to + size;
}

static char *put_nan(char *to, size_t n)
{
    for (size_t i = 0; i < n; ++i) to = put_double(to, NAN);
    return to;
}

static size_t length(const char *text)
{
    return text ? strlen(text) : 0;
}

static char *put_cell(char *to, const shoal_molecule *mol)
{
    double cell[3][3] = {{0}};
    bool pbc[3] = {false, false, false};
    shoal_molecule_cell(mol, cell, pbc);
    to = put(to, cell, sizeof cell);
    for (int k = 0; k < 3; ++k) *to++ = (char)pbc[k];
    return to;
}

/* Energies before are those of a relaxation, which takes steps. */
static char *put_numbers(char *to, const shoal_result *r, size_t n_terms)
{
    if (!r->terms) return put_nan(put_int(put_nan(to, 3), 0), n_terms);
    to = put_double(to, r->energy);
    to = put_double(to, r->steps > 0 ? r->energy0 : NAN);
    to = put_double(to, r->fmax);
    to = put_int(to, r->steps);
    /* Terms that the system lacks are zero, or NaN with all others. */
    for (size_t t = 0; t < n_terms; ++t) {
        const bool has = t < TERMS_ALWAYS || t < (size_t)r->n_terms;
        const double none = isnan(r->energy) ? NAN : 0;
        to = put_double(to, has ? r->terms[t] : none);
    }
    return to;
}

/* One that says what a run found, instead of what a file says. */
static bool is_result(const shoal_stream_system *s)
{
    return s->topology || s->result.terms;
}

static int16_t find_flags(const shoal_stream_system *s)
{
    const shoal_molecule *mol = s->mol;
    int flags = is_result(s) ? RESULTS_IS_RESULT : 0;
    if (s->charges_from > SHOAL_CHARGES_NONE)
        flags |= (int)(s->charges_from - SHOAL_CHARGES_NONE) * RESULTS_CHARGES;
    if (!mol) return (int16_t)flags;
    if (mol->orders_found) flags |= RESULTS_FOUND_ORDERS;
    if (mol->has_bonds || mol->perceived) flags |= RESULTS_KNOWS_BONDS;
    if (mol->has_formal_charges || mol->perceived) flags |= RESULTS_KNOWS_FORMAL;
    if (mol->has_charges) flags |= RESULTS_GIVEN_CHARGES;
    if (mol->chiral) flags |= RESULTS_CHIRAL;
    return (int16_t)flags;
}

/* Bytes of the header lines; none where both are empty. */
static size_t lines_size(const shoal_molecule *mol)
{
    size_t size = 0;
    for (int k = 0; mol && k < MOLECULE_N_LINES; ++k) size += strlen(molecule_line(mol, k));
    return size > 0 ? size + MOLECULE_N_LINES : 0;
}

static char *put_lines(char *to, const shoal_molecule *mol, size_t size)
{
    for (int k = 0; size > 0 && k < MOLECULE_N_LINES; ++k)
        to = put(to, molecule_line(mol, k), strlen(molecule_line(mol, k)) + 1);
    return to;
}

static char *put_system(char *to, const results_head *head, const shoal_stream_system *s)
{
    const shoal_result *r = &s->result;
    to = put_long(to, s->index);
    to = put_int(to, s->i_file);
    to = put_long(to, s->record);
    to = put_long(to, s->line);
    to = put_int(to, (int32_t)r->status);
    to = put_int(to, (int32_t)head->rows[RESULTS_ATOM]);
    to = put_numbers(to, r, head->n_terms);
    to = put_cell(to, s->mol);
    to = put_padded(to, s->device, results_type_size[RESULTS_TEXT24]);
    const int16_t flags = find_flags(s);
    to = put(to, &flags, sizeof flags);
    if (head->flags & RESULTS_HAS_DYNAMICS) {
        to = put_double(to, s->md ? s->md->time : NAN);
        to = put_double(to, s->md ? s->md->etot - r->energy : NAN);
        to = put_double(to, s->md ? s->md->temperature : NAN);
    }
    if (head->flags & RESULTS_HAS_VARIANTS) to = put_long(to, s->variant);
    if (head->flags & RESULTS_HAS_ADSORPTION)
        to = put_double(to, r->terms ? r->energy - s->isolated_energy : NAN);
    for (int k = 0; k < 6 && head->flags & RESULTS_HAS_STRESS; ++k)
        to = put_double(to, r->terms ? r->stress[k] : NAN);
    to = put(to, shoal_molecule_name(s->mol), head->rows[RESULTS_NAME]);
    to = put(to, r->reason, head->rows[RESULTS_REASON]);
    to = put(to, r->warning, head->rows[RESULTS_WARNING]);
    return put_lines(to, s->mol, head->rows[RESULTS_LINES]);
}

/* Those that were computed with, those of the file, or none. */
static char *put_charges(char *to, const shoal_stream_system *s, const shoal_topology_view *t,
                         size_t n)
{
    const double *charges = shoal_molecule_charges(s->mol);
    if (t->has_charges && (size_t)t->n_atoms == n) charges = t->charges;
    return charges ? put(to, charges, n * sizeof *charges) : put_nan(to, n);
}

/* A vector in the first of three places that is free. */
static void put_pair(char *places, const double vector[3])
{
    static const double none[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k, places += sizeof none)
        if (memcmp(places, none, sizeof none) == 0) {
            memcpy(places, vector, sizeof none);
            return;
        }
}

/* Directions and electron pairs in rows of the atoms that have them; zeros where there are none. */
static char *put_auxiliary(char *to, const shoal_stream_system *s, const shoal_topology_view *t,
                           const double (*movers)[3], size_t n)
{
    const double(*auxiliary)[3] = movers && (size_t)t->n_atoms == n ? movers + n : NULL;
    const double(*pos)[3] = shoal_molecule_positions(s->mol);
    const shoal_term *bonds = auxiliary && t->n_pairs > 0 ? terms_of(t, SHOAL_KIND_BOND) : NULL;
    char *pairs = to + n * sizeof *auxiliary;
    memset(to, 0, n * 4 * sizeof *auxiliary);
    for (int32_t k = 0; auxiliary && k < t->n_directions; ++k)
        memcpy(to + (size_t)t->direction_atoms[k] * sizeof *auxiliary, auxiliary[t->n_pairs + k],
               sizeof *auxiliary);
    for (int32_t k = 0; bonds && k < terms_count(t, SHOAL_KIND_BOND); ++k) {
        const int32_t i = bonds[k].atoms[0], j = bonds[k].atoms[1];
        const int32_t host = i < j ? i : j, pair = (i < j ? j : i) - t->n_atoms;
        double d[3];
        if (host >= t->n_atoms || pair < 0) continue;
        for (int c = 0; c < 3; ++c) d[c] = auxiliary[pair][c] - pos[host][c];
        put_pair(pairs + (size_t)host * sizeof d * 3, d);
    }
    return pairs + n * 3 * sizeof *auxiliary;
}

static char *put_atoms(char *to, const results_head *head, const shoal_stream_system *s,
                       const double (*movers)[3])
{
    const size_t n = head->rows[RESULTS_ATOM];
    const int32_t *z = shoal_molecule_elements(s->mol);
    const int32_t *formal = shoal_molecule_formal_charges(s->mol);
    shoal_topology_view t = {0};
    if (s->topology) shoal_topology_get(s->topology, &t);
    for (size_t i = 0; i < n; ++i) *to++ = (char)z[i];
    to = put(to, shoal_molecule_positions(s->mol), 3 * n * sizeof(double));
    if (head->flags & RESULTS_HAS_FORCES)
        to = s->result.forces ? put(to, s->result.forces, 3 * n * sizeof(double))
                              : put_nan(to, 3 * n);
    if (head->flags & RESULTS_HAS_DYNAMICS)
        to = s->md ? put(to, s->md->velocities, 3 * n * sizeof(double)) : put_nan(to, 3 * n);
    to = put_charges(to, s, &t, n);
    for (size_t i = 0; i < n; ++i) *to++ = (char)formal[i];
    for (size_t i = 0; i < n; ++i) {
        const int16_t isotope = (int16_t)molecule_mark(&s->mol->isotope, (int32_t)i);
        to = put(to, &isotope, sizeof isotope);
    }
    const bool typed = t.types && (size_t)t.n_atoms == n;
    for (size_t i = 0; i < n; ++i)
        to = put_padded(to, typed ? t.types[i] : NULL, results_type_size[RESULTS_TEXT8]);
    if (head->flags & RESULTS_HAS_DIRECTIONS) to = put_auxiliary(to, s, &t, movers, n);
    return to;
}

static char *put_bonds(char *to, const results_head *head, const shoal_stream_system *s)
{
    const size_t n = head->rows[RESULTS_BOND];
    const shoal_bond *bonds = shoal_molecule_bonds(s->mol);
    for (size_t b = 0; b < n; ++b) to = put_int(put_int(to, bonds[b].i), bonds[b].j);
    for (size_t b = 0; b < n; ++b) *to++ = (char)bonds[b].order;
    for (size_t b = 0; b < n; ++b) to = put_double(to, bonds[b].shared);
    for (size_t b = 0; b < n; ++b) *to++ = (char)bonds[b].aromatic;
    for (size_t b = 0; b < n; ++b)
        for (int k = 0; k < 3; ++k) {
            const int16_t shift = (int16_t)bonds[b].shift[k];
            to = put(to, &shift, sizeof shift);
        }
    return to;
}

enum { MARK_BYTES = 1 + 4 + 1 };

/* Mark number k of n: the columns lie one behind the other. */
static void put_mark(char *to, uint32_t n, uint32_t k, results_mark kind, int32_t at, int32_t value)
{
    if (!to) return;
    to[k] = (char)kind;
    memcpy(to + n + sizeof at * k, &at, sizeof at);
    to[(1 + sizeof at) * n + k] = (char)value;
}

/* All marks of a molecule into the place of n, or nowhere; returns how many there are. */
static uint32_t put_marks(char *to, uint32_t n, const shoal_molecule *mol)
{
    uint32_t k = 0;
    if (!mol) return 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        if (mol->radical[i] != 0) put_mark(to, n, k++, RESULTS_RADICAL, i, mol->radical[i]);
    for (int32_t i = 0; i < mol->parity.n && i < mol->n_atoms; ++i)
        if (mol->parity.of[i] != 0) put_mark(to, n, k++, RESULTS_PARITY, i, mol->parity.of[i]);
    for (int32_t b = 0; b < mol->bond_stereo.n && b < mol->n_bonds; ++b)
        if (mol->bond_stereo.of[b] != 0)
            put_mark(to, n, k++, RESULTS_STEREO, b, mol->bond_stereo.of[b]);
    return k;
}

/* What becomes of the first data fields, found when they are counted. */
enum { N_FATES = 32 };
typedef struct data_fates {
    uint8_t of[N_FATES];
    bool marked, known;
} data_fates;

/* The user's fields, under names that are no result's; nowhere if to is NULL. Adds their bytes to *size. */
static char *put_data(char *to, const shoal_stream_system *s, data_fates *fates, size_t *size)
{
    const shoal_molecule *mol = s->mol;
    const shoal_frame frame = {.is_result = is_result(s)};
    const int32_t n = shoal_molecule_n_properties(mol);
    if (!fates->known) fates->marked = n > 0 && result_is_marked(mol);
    for (int32_t i = 0; i < n; ++i) {
        const molecule_property *p = &mol->properties[i];
        const field_fate fate = fates->known && i < N_FATES ? (field_fate)fates->of[i]
                                                            : result_fate(&frame, fates->marked, p);
        if (i < N_FATES) fates->of[i] = (uint8_t)fate;
        char name[RESULT_NAME_SIZE];
        if (fate == FIELD_DROPPED) continue;
        if (fate == FIELD_RENAMED) result_rename(mol, p->key, name);
        const char *key = fate == FIELD_RENAMED ? name : p->key;
        const size_t n_key = strlen(key) + 1, n_value = strlen(p->value) + 1;
        *size += n_key + n_value;
        if (to) to = put(put(to, key, n_key), p->value, n_value);
    }
    fates->known = true;
    return to;
}

/* Sizes that a record can state; false otherwise. */
static bool count_texts(results_head *head, const shoal_stream_system *s, data_fates *fates)
{
    size_t data = 0;
    (void)put_data(NULL, s, fates, &data);
    const size_t sizes[5] = {length(shoal_molecule_name(s->mol)), length(s->result.reason),
                             length(s->result.warning), lines_size(s->mol), data};
    static const results_axis axes[5] = {RESULTS_NAME, RESULTS_REASON, RESULTS_WARNING,
                                         RESULTS_LINES, RESULTS_DATA};
    for (int k = 0; k < 5; ++k) {
        if (sizes[k] > UINT32_MAX) return false;
        head->rows[axes[k]] = (uint32_t)sizes[k];
    }
    return true;
}

static shoal_status check_bonds(const shoal_stream_system *s)
{
    const shoal_bond *bonds = shoal_molecule_bonds(s->mol);
    const int32_t n = shoal_molecule_n_bonds(s->mol);
    for (int32_t b = 0; b < n; ++b)
        for (int k = 0; k < 3; ++k)
            if (bonds[b].shift[k] < SHRT_MIN || bonds[b].shift[k] > SHRT_MAX)
                return shoal_fail(SHOAL_E_UNSUPPORTED,
                                  "bond %d leads %d cells away, at most 32767 can be written",
                                  b + 1, bonds[b].shift[k]);
    return SHOAL_OK;
}

/* movers: atoms, electron pairs and directions of the topology; NULL: nobody knows. */
static shoal_status format(const shoal_results_what *what, const shoal_stream_system *system,
                           const double (*movers)[3], shoal_string *out)
{
    static const uint16_t one = 1;
    if (*(const unsigned char *)&one != 1)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "results: on big-endian processors there are none");
    results_head head = {.flags = results_flags(what), .rows = {[RESULTS_SYSTEM] = 1}};
    head.n_terms = results_n_terms(head.flags);
    head.rows[RESULTS_ATOM] = (uint32_t)shoal_molecule_n_atoms(system->mol);
    head.rows[RESULTS_BOND] = (uint32_t)shoal_molecule_n_bonds(system->mol);
    head.rows[RESULTS_MARK] = put_marks(NULL, 0, system->mol);
    data_fates fates;
    fates.known = false;
    if (!count_texts(&head, system, &fates))
        return shoal_fail(SHOAL_E_UNSUPPORTED, "results: a text of more than 4 GiB");
    SHOAL_TRY(check_bonds(system));
    results_head_finish(&head);
    char *to = shoal_string_room(out, head.size);
    if (!to) return shoal_string_status(out);
    char *const end = to + head.size;
    to = put(to, &head, sizeof head);
    to = put_system(to, &head, system);
    to = put_atoms(to, &head, system, movers);
    to = put_bonds(to, &head, system);
    (void)put_marks(to, head.rows[RESULTS_MARK], system->mol);
    to += (size_t)MARK_BYTES * head.rows[RESULTS_MARK];
    size_t n_data = 0;
    to = put_data(to, system, &fates, &n_data);
    assert(to == end);
    *end = '\0';
    out->size += head.size;
    return SHOAL_OK;
}

shoal_status shoal_results_format(const shoal_results_what *what, const shoal_stream_system *system,
                                  shoal_string *out)
{
    shoal_clear_error();
    SHOAL_NEED(what && system && out);
    const bool asks = what->directions && system->engine && system->topology;
    return format(what, system,
                  asks ? shoal_engine_positions(system->engine, system->i_engine) : NULL, out);
}

shoal_status shoal_results_format_frame(const shoal_results_what *what,
                                        const shoal_stream_system *system,
                                        const shoal_relax_frame *step, shoal_string *out)
{
    shoal_clear_error();
    SHOAL_NEED(what && system && system->mol && step && out);
    const shoal_md_result md = {.time = step->time,
                                .etot = step->energy + step->kinetic,
                                .temperature = step->bath,
                                .velocities = step->velocities};
    shoal_molecule mol = *system->mol; /* with other positions, and all else borrowed */
    shoal_stream_system frame = *system;
    mol.pos = (double(*)[3])step->pos;
    frame.mol = &mol;
    frame.md = step->velocities ? &md : NULL;
    frame.result = (shoal_result){.energy = step->energy,
                                  .fmax = step->fmax,
                                  .steps = step->steps,
                                  .energy0 = NAN,
                                  .n_terms = shoal_term_count(),
                                  .terms = step->terms,
                                  .terms0 = step->terms,
                                  .forces = step->forces,
                                  .stress = {NAN, NAN, NAN, NAN, NAN, NAN},
                                  .measure = NAN,
                                  .pressure = NAN,
                                  .reason = "",
                                  .warning = ""};
    return format(what, &frame, system->topology ? step->pos : NULL, out);
}

/* --- looking into records ------------------------------------------------------------------------- */

shoal_status results_look(const char *bytes, size_t n, results_view *out)
{
    SHOAL_TRY(results_head_read(bytes, n, &out->head));
    const char *at = bytes + sizeof out->head;
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) {
        const results_column *column = &results_columns[c];
        out->at[c] = at;
        at += out->head.rows[column->axis] *
              results_row_size(column, out->head.flags, out->head.n_terms);
    }
    return SHOAL_OK;
}

shoal_status shoal_results_record_index(const char *bytes, size_t n, int64_t *index, size_t *size)
{
    shoal_clear_error();
    SHOAL_NEED(bytes && index && size);
    results_head head;
    SHOAL_TRY(results_head_read(bytes, n, &head));
    memcpy(index, bytes + sizeof head, sizeof *index);
    *size = (size_t)head.size;
    return SHOAL_OK;
}

shoal_status shoal_results_record_field(const char *bytes, size_t n, const char *dataset,
                                        const void **data, size_t *size)
{
    shoal_clear_error();
    SHOAL_NEED(bytes && dataset && data && size);
    results_view view;
    SHOAL_TRY(results_look(bytes, n, &view));
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) {
        const results_column *column = &results_columns[c];
        const size_t row = results_row_size(column, view.head.flags, view.head.n_terms);
        if (row == 0 || strcmp(column->name, dataset) != 0) continue;
        *data = view.at[c];
        *size = view.head.rows[column->axis] * row;
        return SHOAL_OK;
    }
    return shoal_fail(SHOAL_E_ARGUMENT, "results: this record has nothing called '%s'", dataset);
}
