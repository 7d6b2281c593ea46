/* SPDX-License-Identifier: BSD-3-Clause
 * Cell lists: sites sorted into columns, columns cut into blocks, and the blocks near every group. */
#include "backend/cpu/large/cpu_neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "geom/vector.h"

#define MARGIN 1e-3 /* angstrom: distances in float may come out shorter than they are */

enum { MOST_COLUMNS = 1 << 20 };

typedef struct site {
    cpu_image image;
    double r[3];
    int32_t column, index;
} site;

/* The work in hand. */
typedef struct builder {
    const cpu_neighbours_input *in;
    cpu_neighbours *to;
    site *sites;
    int32_t n_sites, capacity;
    cpu_box home;        /* around the atoms */
    int axis[3];         /* columns stand in a plane of two axes; the third is the longest */
    int32_t n_across[2]; /* columns */
    double low[2], per_length[2];
    int32_t *column_start; /* [n_columns + 1] first site */
    int32_t *column_block; /* [n_columns + 1] first block */
    cpu_box *column_box;
} builder;

static cpu_box empty_box(void)
{
    return (cpu_box){.low = {INFINITY, INFINITY, INFINITY},
                     .high = {-INFINITY, -INFINITY, -INFINITY}};
}

static void box_add(cpu_box *box, const double r[3])
{
    for (int c = 0; c < 3; ++c) {
        box->low[c] = r[c] < box->low[c] ? r[c] : box->low[c];
        box->high[c] = r[c] > box->high[c] ? r[c] : box->high[c];
    }
}

static double box_gap2(const cpu_box *a, const cpu_box *b)
{
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
        const double below = a->low[c] - b->high[c], above = b->low[c] - a->high[c];
        const double d = below > above ? below : above;
        sum += d > 0 ? d * d : 0;
    }
    return sum;
}

static shoal_status add_site(builder *b, int32_t atom, const int32_t shift[3])
{
    const double reach = b->in->range + MARGIN;
    double r[3];
    const bool home = shift[0] == 0 && shift[1] == 0 && shift[2] == 0;
    lattice_vector(b->in->lattice, shift, r);
    for (int c = 0; c < 3; ++c) r[c] += b->in->r[atom][c];
    if (!home && !(cpu_box_distance2(&b->home, r) <= reach * reach)) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&b->sites, &b->capacity, b->n_sites + 1));
    b->sites[b->n_sites] = (site){.image = {atom, {shift[0], shift[1], shift[2]}},
                                  .r = {r[0], r[1], r[2]},
                                  .index = b->n_sites};
    ++b->n_sites;
    return SHOAL_OK;
}

/* Images of an atom whose planes come near those between low and high, in fractions. */
static shoal_status add_images(builder *b, int32_t atom, const double low[3], const double high[3])
{
    const geom_lattice *lattice = b->in->lattice;
    int32_t first[3] = {0}, last[3] = {0};
    for (int k = 0; k < 3; ++k) {
        if (!lattice->pbc[k]) continue;
        const double f = lattice_fraction(lattice, b->in->r[atom], k);
        const double reach = (b->in->range + MARGIN) * vector_norm(lattice->dual[k]);
        first[k] = (int32_t)ceil(low[k] - reach - f);
        last[k] = (int32_t)floor(high[k] + reach - f);
    }
    for (int32_t na = first[0]; na <= last[0]; ++na)
        for (int32_t nb = first[1]; nb <= last[1]; ++nb)
            for (int32_t nc = first[2]; nc <= last[2]; ++nc)
                SHOAL_TRY(add_site(b, atom, (const int32_t[3]){na, nb, nc}));
    return SHOAL_OK;
}

static shoal_status collect_sites(builder *b)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    b->home = empty_box();
    for (int32_t i = 0; i < b->in->n_particles; ++i) {
        box_add(&b->home, b->in->r[i]);
        for (int k = 0; k < 3; ++k) {
            const double f = lattice_fraction(b->in->lattice, b->in->r[i], k);
            low[k] = f < low[k] ? f : low[k];
            high[k] = f > high[k] ? f : high[k];
        }
    }
    for (int32_t i = 0; i < b->in->n_particles; ++i) SHOAL_TRY(add_images(b, i, low, high));
    return SHOAL_OK;
}

/* Columns so wide that a block is about as long as its column is wide. */
static void choose_columns(builder *b)
{
    cpu_box box = empty_box();
    for (int32_t k = 0; k < b->n_sites; ++k) box_add(&box, b->sites[k].r);
    double size[3], volume = 1;
    for (int c = 0; c < 3; ++c) {
        size[c] = b->n_sites > 0 ? fmax(box.high[c] - box.low[c], 1.0) : 1.0;
        volume *= size[c];
    }
    int longest = 0;
    for (int c = 1; c < 3; ++c)
        if (size[c] > size[longest]) longest = c;
    const double edge = cbrt(volume * b->in->width / fmax(1, b->n_sites));
    for (int k = 0; k < 2; ++k) {
        const int c = b->axis[k] = (longest + 1 + k) % 3;
        const double n = fmin(floor(size[c] / edge), sqrt(MOST_COLUMNS));
        b->n_across[k] = n >= 1 ? (int32_t)n : 1;
        b->low[k] = box.low[c];
        b->per_length[k] = b->n_across[k] / size[c];
    }
    b->axis[2] = longest;
}

static int32_t column_of(const builder *b, const double r[3])
{
    int32_t at[2];
    for (int k = 0; k < 2; ++k) {
        const double t = (r[b->axis[k]] - b->low[k]) * b->per_length[k];
        at[k] = t < b->n_across[k] - 1 ? (int32_t)t : b->n_across[k] - 1;
    }
    return at[0] * b->n_across[1] + at[1];
}

typedef struct sort_key {
    double along;
    int32_t index; /* into the sites as collected, which makes the order unique */
} sort_key;

static int compare_keys(const void *a, const void *b)
{
    const sort_key *x = a, *y = b;
    if (x->along != y->along) return x->along < y->along ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* keys[n_sites]: sites by column, and along it. */
static shoal_status sort_sites(builder *b, arena *work, sort_key **out)
{
    const int32_t n_columns = b->n_across[0] * b->n_across[1];
    sort_key *keys = arena_alloc_dirty(work, (size_t)b->n_sites, sizeof *keys);
    int32_t *next = arena_alloc_dirty(work, (size_t)n_columns, sizeof *next);
    b->column_start = arena_alloc(work, (size_t)n_columns + 1, sizeof *b->column_start);
    if (!keys || !next || !b->column_start) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < b->n_sites; ++k) {
        b->sites[k].column = column_of(b, b->sites[k].r);
        ++b->column_start[b->sites[k].column + 1];
    }
    for (int32_t c = 0; c < n_columns; ++c) {
        b->column_start[c + 1] += b->column_start[c];
        next[c] = b->column_start[c];
    }
    for (int32_t k = 0; k < b->n_sites; ++k)
        keys[next[b->sites[k].column]++] = (sort_key){b->sites[k].r[b->axis[2]], k};
    for (int32_t c = 0; c < n_columns; ++c)
        qsort(keys + b->column_start[c], (size_t)(b->column_start[c + 1] - b->column_start[c]),
              sizeof *keys, compare_keys);
    *out = keys;
    return SHOAL_OK;
}

static shoal_status allot_blocks(builder *b, arena *work)
{
    cpu_neighbours *to = b->to;
    const int32_t n_columns = b->n_across[0] * b->n_across[1], width = b->in->width;
    b->column_block = arena_alloc(work, (size_t)n_columns + 1, sizeof *b->column_block);
    b->column_box = arena_alloc(work, (size_t)n_columns, sizeof *b->column_box);
    if (!b->column_block || !b->column_box) return SHOAL_E_MEMORY;
    for (int32_t c = 0; c < n_columns; ++c) {
        const int32_t n = b->column_start[c + 1] - b->column_start[c];
        b->column_block[c + 1] = b->column_block[c] + (n + width - 1) / width;
        b->column_box[c] = empty_box();
    }
    to->n_blocks = b->column_block[n_columns];
    to->n_groups = (b->in->n_particles + CPU_GROUP - 1) / CPU_GROUP;
    to->sites = arena_alloc(&to->memory, (size_t)to->n_blocks * (size_t)width, sizeof *to->sites);
    to->centre = arena_alloc(&to->memory, (size_t)to->n_blocks, sizeof *to->centre);
    to->boxes = arena_alloc(&to->memory, (size_t)to->n_blocks, sizeof *to->boxes);
    to->order = arena_alloc(&to->memory, (size_t)b->in->n_particles, sizeof *to->order);
    return to->sites && to->centre && to->boxes && to->order ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* Cuts the columns into blocks. */
static void fill_blocks(builder *b, const sort_key *keys)
{
    cpu_neighbours *to = b->to;
    const int32_t width = b->in->width, n_columns = b->n_across[0] * b->n_across[1];
    int32_t n_home = 0;
    for (int32_t column = 0; column < n_columns; ++column)
        for (int32_t block = b->column_block[column]; block < b->column_block[column + 1];
             ++block) {
            const int32_t first =
                b->column_start[column] + (block - b->column_block[column]) * width;
            cpu_box box = empty_box();
            for (int32_t l = 0; l < width; ++l) {
                cpu_image *place = &to->sites[block * width + l];
                place->atom = -1;
                if (first + l >= b->column_start[column + 1]) continue;
                const site *s = &b->sites[keys[first + l].index];
                const int32_t *shift = s->image.shift;
                *place = s->image;
                box_add(&box, s->r);
                if (shift[0] == 0 && shift[1] == 0 && shift[2] == 0)
                    to->order[n_home++] = s->image.atom;
            }
            to->boxes[block] = box;
            for (int c = 0; c < 3; ++c) to->centre[block][c] = 0.5 * (box.low[c] + box.high[c]);
            box_add(&b->column_box[column], box.low);
            box_add(&b->column_box[column], box.high);
        }
}

/* Blocks within range of a group; with out = NULL only counts. */
static int64_t list_group(const builder *b, int32_t group, int32_t *out)
{
    const double reach = b->in->range + MARGIN;
    const int32_t first = group * CPU_GROUP, n_columns = b->n_across[0] * b->n_across[1];
    cpu_box box = empty_box();
    for (int32_t k = first; k < first + CPU_GROUP && k < b->in->n_particles; ++k)
        box_add(&box, b->in->r[b->to->order[k]]);
    int64_t n = 0;
    for (int32_t column = 0; column < n_columns; ++column) {
        if (!(box_gap2(&box, &b->column_box[column]) <= reach * reach)) continue;
        for (int32_t k = b->column_block[column]; k < b->column_block[column + 1]; ++k) {
            if (!(box_gap2(&box, &b->to->boxes[k]) <= reach * reach)) continue;
            if (out) out[n] = k;
            ++n;
        }
    }
    return n;
}

static shoal_status list_blocks(builder *b)
{
    cpu_neighbours *to = b->to;
    to->list = NULL;
    if (!isfinite(b->in->range)) return SHOAL_OK;
    to->list_start = arena_alloc(&to->memory, (size_t)to->n_groups + 1, sizeof *to->list_start);
    if (!to->list_start) return SHOAL_E_MEMORY;
    for (int32_t g = 0; g < to->n_groups; ++g)
        to->list_start[g + 1] = to->list_start[g] + list_group(b, g, NULL);
    const size_t n = (size_t)to->list_start[to->n_groups];
    to->list = arena_alloc_dirty(&to->memory, n, sizeof *to->list);
    if (!to->list) return SHOAL_E_MEMORY;
    for (int32_t g = 0; g < to->n_groups; ++g) (void)list_group(b, g, to->list + to->list_start[g]);
    return SHOAL_OK;
}

static int compare_masks(const void *a, const void *b)
{
    const cpu_mask *x = a, *y = b;
    return (x->block > y->block) - (x->block < y->block);
}

/* place_start, place: sites of every atom. */
static bool find_site(const builder *b, const int32_t *place_start, const int32_t *place,
                      const cpu_image *image, cpu_mask *out)
{
    for (int32_t p = place_start[image->atom]; p < place_start[image->atom + 1]; ++p)
        if (memcmp(&b->to->sites[place[p]], image, sizeof *image) == 0) {
            *out = (cpu_mask){place[p] / b->in->width, (uint32_t)1 << (place[p] % b->in->width)};
            return true;
        }
    return false;
}

/* Sites of one atom that it has no pair with: itself and the excluded ones, block by block. */
static int32_t mask_atom(const builder *b, const int32_t *place_start, const int32_t *place,
                         int32_t atom, cpu_mask *out)
{
    const cpu_image self = {atom, {0, 0, 0}};
    int32_t n = 0, n_blocks = 0;
    n += find_site(b, place_start, place, &self, &out[n]);
    for (int32_t e = b->in->exclude_start[atom]; e < b->in->exclude_start[atom + 1]; ++e)
        n += find_site(b, place_start, place, &b->in->excluded[e], &out[n]);
    qsort(out, (size_t)n, sizeof *out, compare_masks);
    for (int32_t k = 0; k < n; ++k) {
        if (n_blocks > 0 && out[n_blocks - 1].block == out[k].block)
            out[n_blocks - 1].bits |= out[k].bits;
        else
            out[n_blocks++] = out[k];
    }
    return n_blocks;
}

static shoal_status mask_pairs(builder *b, arena *work)
{
    cpu_neighbours *to = b->to;
    const int32_t n = b->in->n_particles, n_sites = to->n_blocks * b->in->width;
    int32_t *place_start = arena_alloc(work, (size_t)n + 2, sizeof *place_start);
    int32_t *place = arena_alloc(work, (size_t)n_sites, sizeof *place);
    to->mask_start = arena_alloc(&to->memory, (size_t)n + 1, sizeof *to->mask_start);
    to->masks =
        arena_alloc_dirty(&to->memory, (size_t)(b->in->exclude_start[n] + n), sizeof *to->masks);
    if (!place_start || !place || !to->mask_start || !to->masks) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < n_sites; ++k)
        if (to->sites[k].atom >= 0) ++place_start[to->sites[k].atom + 2];
    for (int32_t i = 0; i < n; ++i) place_start[i + 2] += place_start[i + 1];
    for (int32_t k = 0; k < n_sites; ++k)
        if (to->sites[k].atom >= 0) place[place_start[to->sites[k].atom + 1]++] = k;
    for (int32_t k = 0; k < n; ++k)
        to->mask_start[k + 1] = to->mask_start[k] + mask_atom(b, place_start, place, to->order[k],
                                                              to->masks + to->mask_start[k]);
    return SHOAL_OK;
}

shoal_status cpu_neighbours_build(cpu_neighbours *to, const cpu_neighbours_input *from)
{
    arena work = {0};
    builder b = {.in = from, .to = to};
    sort_key *keys = NULL;
    arena_reset(&to->memory);
    shoal_status status = collect_sites(&b);
    if (status == SHOAL_OK) {
        choose_columns(&b);
        status = sort_sites(&b, &work, &keys);
    }
    if (status == SHOAL_OK) status = allot_blocks(&b, &work);
    if (status == SHOAL_OK) {
        fill_blocks(&b, keys);
        status = list_blocks(&b);
    }
    if (status == SHOAL_OK) status = mask_pairs(&b, &work);
    arena_free(&work);
    free(b.sites);
    return status;
}

void cpu_neighbours_free(cpu_neighbours *n)
{
    arena_free(&n->memory);
}
