/* SPDX-License-Identifier: BSD-3-Clause
 * The state of a driver of one system between two calls of step; included by the template cpu_kernels.c. */

/* Vectors of a state: coordinates, velocities or direction; L-BFGS: forces, these preconditioned, moves,
 * changes of the gradient preconditioned. */
enum {
    VECTOR_X,
    VECTOR_D,
    N_FIRE_VECTORS,
    VECTOR_F = N_FIRE_VECTORS,
    VECTOR_SF,
    VECTOR_MOVE,
    VECTOR_SOFT_CHANGE = VECTOR_MOVE + LBFGS_PAIRS,
    N_VECTORS = VECTOR_SOFT_CHANGE + LBFGS_PAIRS
};

typedef struct saved {
    fire_state fire;
    lbfgs_state lbfgs;
    lbfgs_coefficients direction;
    real products[LBFGS_PRODUCTS];
    double origin[3];
    bool has_moved;
    real *vectors; /* [n_vectors][n_atoms][3]; NULL: the driver has not begun */
    /* Of a large system: itself with its neighbour list, its preconditioner, and where it started. */
    void *field;
    void (*field_destroy)(void *field);
    double (*start)[3];
} saved;

static void saved_destroy(void *p)
{
    saved *s = p;
    if (!s) return;
    if (s->field) s->field_destroy(s->field);
    free(s->vectors);
    free(s->start);
    free(s);
}

/* The state at *place with room for vectors, made if there is none; NULL when memory is out. */
static saved *saved_need(void **place, int32_t n_atoms, size_t n_vectors)
{
    if (!*place) *place = calloc(1, sizeof(saved));
    saved *s = *place;
    if (s && !s->vectors && n_vectors > 0)
        s->vectors = calloc(3 * (size_t)n_atoms * n_vectors + 1, sizeof *s->vectors);
    return s && (s->vectors || n_vectors == 0) ? s : NULL;
}
