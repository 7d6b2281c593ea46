/* SPDX-License-Identifier: BSD-3-Clause
 * Atoms that differ from lane to lane. A vector of one atom and lane is a quad (x, y, z, 0), which is loaded
 * in one piece; four by four quads are turned into x, y, z of all lanes and back. Register k of an atom has
 * the quads of the lanes k, k + 4, ... Included by the template cpu_kernels.c. */

typedef real quad __attribute__((vector_size(4 * sizeof(real)), may_alias));

enum { QUAD_PARTS = SHOAL_LANES / 4, QUAD_ATOM = 4 * SHOAL_LANES /* numbers of one atom */ };

/* Place of a lane of atom 0. */
SHOAL_FN int32_t quad_place(int l)
{
    return 4 * (l % 4 * QUAD_PARTS + l / 4);
}

/* Shuffles within every four numbers: b is where they begin, and the second operand follows the first. Those
 * of two numbers in a row depend on where registers are cut. */
#define NEXT_ (sizeof(real) == 4 ? 1 : 2)
#define SKIP_ (sizeof(real) == 4 ? 2 : 1)
#define LOW_(b) (b), SHOAL_LANES + (b), (b) + NEXT_, SHOAL_LANES + (b) + NEXT_
#define HIGH_(b) LOW_((b) + SKIP_)
#define LOW2_(b) (b), (b) + 1, SHOAL_LANES + (b), SHOAL_LANES + (b) + 1
#define HIGH2_(b) LOW2_((b) + 2)
#define EVERY_4(f) f(0)
#define EVERY_8(f) f(0), f(4)
#define EVERY_16(f) f(0), f(4), f(8), f(12)
#define EVERY_(f) JOIN(EVERY, SHOAL_LANES)(f)
#define INTERLEAVE(how, a, b) ((vec)__builtin_shufflevector(a, b, EVERY_(how##_)))

SHOAL_FN quad quad_get(const real *q)
{
    return *(const quad *)(const void *)q;
}

SHOAL_FN void quad_put(real *q, quad x)
{
    *(quad *)(void *)q = x;
}

/* The quads of the lanes k, k + 4, ... at places at[k], at[k + 4], ... */
SHOAL_FN vec quads_get(const real *q, const int32_t *at)
{
#if SHOAL_LANES == 4
    return (vec)quad_get(q + at[0]);
#else
    const quad a = quad_get(q + at[0]), b = quad_get(q + at[4]);
#if SHOAL_LANES == 8
    return (vec)__builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    const quad c = quad_get(q + at[8]), d = quad_get(q + at[12]);
    typedef real pair_of_quads __attribute__((vector_size(8 * sizeof(real))));
    const pair_of_quads ab = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
    const pair_of_quads cd = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
    return (vec)__builtin_shufflevector(ab, cd, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                        15);
#endif
#endif
}

/* Part p of a register of quads. */
SHOAL_FN quad quads_part(vec v, int p)
{
#if SHOAL_LANES == 4
    (void)p;
    return (quad)v;
#else
    quad parts[QUAD_PARTS];
    memcpy(parts, &v, sizeof v);
    return parts[p];
#endif
}

SHOAL_FN vec3 quads_join(const vec q[4])
{
    const vec s = INTERLEAVE(LOW, q[0], q[1]), t = INTERLEAVE(LOW, q[2], q[3]);
    const vec u = INTERLEAVE(HIGH, q[0], q[1]), w = INTERLEAVE(HIGH, q[2], q[3]);
    const vec second = sizeof(real) == 4 ? INTERLEAVE(HIGH2, s, t) : INTERLEAVE(LOW2, u, w);
    const vec third = sizeof(real) == 4 ? INTERLEAVE(LOW2, u, w) : INTERLEAVE(HIGH2, s, t);
    return vec3_make(INTERLEAVE(LOW2, s, t), second, third);
}

SHOAL_FN void quads_split(vec3 a, vec q[4])
{
    const vec zero = {0};
    const vec s = INTERLEAVE(LOW, a.x, a.y), t = INTERLEAVE(HIGH, a.x, a.y);
    const vec u = INTERLEAVE(LOW, a.z, zero), w = INTERLEAVE(HIGH, a.z, zero);
    q[0] = INTERLEAVE(LOW2, s, u);
    q[3] = INTERLEAVE(HIGH2, t, w);
    q[1] = sizeof(real) == 4 ? INTERLEAVE(HIGH2, s, u) : INTERLEAVE(LOW2, t, w);
    q[2] = sizeof(real) == 4 ? INTERLEAVE(LOW2, t, w) : INTERLEAVE(HIGH2, s, u);
}

/* An atom of every lane. */
SHOAL_FN vec3 quads_load(const real *q, const int32_t at[SHOAL_LANES])
{
    const vec r[4] = {quads_get(q, at), quads_get(q, at + 1), quads_get(q, at + 2),
                      quads_get(q, at + 3)};
    return quads_join(r);
}

/* Adds a vector to an atom of every lane. */
SHOAL_FN void quads_add(real *q, const int32_t at[SHOAL_LANES], vec3 a)
{
    vec r[4];
    quads_split(a, r);
    for (int p = 0; p < QUAD_PARTS; ++p)
        for (int k = 0; k < 4; ++k) {
            real *to = q + at[4 * p + k];
            quad_put(to, quad_get(to) + quads_part(r[k], p));
        }
}
