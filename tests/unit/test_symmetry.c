/* SPDX-License-Identifier: BSD-3-Clause
 * Symmetry operations, Hall symbols and names of space groups. */
#include "geom/symmetry.h"

#include "check.h"

static int32_t order_of_hall(const char *symbol)
{
    symmetry_group g;
    if (!symmetry_by_hall(shoal_span_of(symbol), &g)) return 0;
    CHECK(symmetry_is_closed(&g));
    return g.n;
}

static bool is_same(const symmetry_group *a, const symmetry_group *b)
{
    int32_t n = 0;
    for (int32_t i = 0; i < a->n; ++i)
        for (int32_t j = 0; j < b->n; ++j)
            n += memcmp(&a->ops[i], &b->ops[j], sizeof a->ops[i]) == 0;
    return a->n == b->n && n == a->n;
}

/* The group that listed operations are, without a product. */
static bool is_listed(const char *const *texts, int32_t n, const symmetry_group *g)
{
    symmetry_group listed = {.n = 0};
    for (int32_t k = 0; k < n; ++k) {
        symmetry_op op;
        CHECK(symmetry_read(shoal_span_of(texts[k]), &op));
        CHECK(symmetry_add(&listed, &op));
    }
    return is_same(&listed, g);
}

static void test_texts(void)
{
    symmetry_op op;
    CHECK(symmetry_read(shoal_span_of(" 1/2+X , .5 - y,z-1/3"), &op));
    CHECK(op.turn[0][0] == 1 && op.turn[1][1] == -1 && op.turn[2][2] == 1);
    CHECK(op.shift[0] == 12 && op.shift[1] == 12 && op.shift[2] == -8);
    CHECK(symmetry_read(shoal_span_of("-y,x-y,z+0.6667"), &op));
    CHECK(op.turn[1][0] == 1 && op.turn[1][1] == -1 && op.shift[2] == 16);
    static const char *const bad[] = {"",           "x,y",   "x,y,z,x",     "x,x,z",  "x,y,z+1/7",
                                      "x,y,z+",     "x,y,w", "x y,y,z",     "2x,y,z", "x,y,z+1/0",
                                      "x,y,z+1e99", "x,y,",  "x,y,z+1/2/3", "x+x,y,z"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k)
        CHECK(!symmetry_read(shoal_span_of(bad[k]), &op));
}

static void test_products(void)
{
    symmetry_op a, b;
    CHECK(symmetry_read(shoal_span_of("-y,x-y,z+1/3"), &a));
    CHECK(symmetry_read(shoal_span_of("y+1/2,x,-z"), &b));
    const symmetry_op one = symmetry_identity(), ab = symmetry_product(&a, &b);
    const double x[3] = {0.1, 0.23, 0.37};
    double half[3], step[3], whole[3];
    symmetry_apply(&b, x, half);
    symmetry_apply(&a, half, step);
    symmetry_apply(&ab, x, whole);
    for (int k = 0; k < 3; ++k) {
        const double cells = step[k] - whole[k];
        CHECK_NEAR(cells, (double)(cells > 0 ? (int)(cells + 0.5) : (int)(cells - 0.5)), 1e-12);
    }
    const symmetry_op back = symmetry_inverse(&ab), none = symmetry_product(&ab, &back);
    CHECK(memcmp(&none, &one, sizeof one) == 0);
}

/* Orders of groups in International Tables. */
static void test_hall(void)
{
    static const struct {
        const char *symbol;
        int32_t order;
    } known[] = {{"P 1", 1},
                 {"-P 1", 2},
                 {"-P 2ybc", 4},
                 {"-C 2yc", 8},
                 {"P 2ac 2ab", 4},
                 {"-P 2ac 2n", 8},
                 {"P 31 2\"", 6},
                 {"-R 3 2\"", 36},
                 {"-P 6c 2c", 24},
                 {"-F 4 2 3", 192},
                 {"-I 4bd 2c 3", 96},
                 {"-F 4vw 2vw 3", 192},
                 {"-P 4 2 3", 48},
                 {"P 3* 2", 0},
                 {"P 2 2 (0 0 1)", 4},
                 {"", 0},
                 {"P", 0},
                 {"X 2", 0},
                 {"P 7", 0},
                 {"P 2q", 0},
                 {"P 32 2 (0 0 1", 0},
                 {"P 23", 0}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; ++k)
        if (known[k].order > 0 || k != 13) CHECK(order_of_hall(known[k].symbol) == known[k].order);
}

static void test_names(void)
{
    static const char *const p21c[] = {"x,y,z", "-x,y+1/2,-z+1/2", "-x,-y,-z", "x,-y+1/2,z+1/2"};
    static const char *const quartz[] = {"x,y,z",  "-y,x-y,z+2/3",  "-x+y,-x,z+1/3",
                                         "y,x,-z", "x-y,-y,-z+1/3", "-x,-x+y,-z+2/3"};
    symmetry_group g, other;
    CHECK(symmetry_by_name(shoal_span_of("P 1 21/c 1"), 90, &g) == SYMMETRY_NAMED);
    CHECK(is_listed(p21c, 4, &g));
    CHECK(symmetry_by_name(shoal_span_of("p21/c"), 90, &other) == SYMMETRY_NAMED);
    CHECK(is_same(&g, &other));
    CHECK(symmetry_by_name(shoal_span_of("P 32 2 1"), 120, &g) == SYMMETRY_NAMED);
    CHECK(is_listed(quartz, 6, &g));
    CHECK(symmetry_by_name(shoal_span_of("R -3 m"), 120, &g) == SYMMETRY_NAMED && g.n == 36);
    CHECK(symmetry_by_name(shoal_span_of("R -3 m"), 60, &g) == SYMMETRY_NAMED && g.n == 12);
    CHECK(symmetry_by_name(shoal_span_of("R-3m:R"), 120, &g) == SYMMETRY_NAMED && g.n == 12);
    CHECK(symmetry_by_name(shoal_span_of("F d -3 m"), 90, &g) == SYMMETRY_AMBIGUOUS);
    CHECK(symmetry_by_name(shoal_span_of("F d -3 m :2"), 90, &g) == SYMMETRY_NAMED && g.n == 192);
    CHECK(symmetry_by_name(shoal_span_of("Fd-3mS"), 90, &other) == SYMMETRY_NAMED);
    CHECK(other.n == 192 && !is_same(&g, &other));
    CHECK(symmetry_by_name(shoal_span_of("P 5"), 90, &g) == SYMMETRY_UNKNOWN);
    /* Without the bar, as before 1983; what has none stays as it is. */
    CHECK(symmetry_by_name(shoal_span_of("Fm3m"), 90, &g) == SYMMETRY_NAMED);
    CHECK(symmetry_by_name(shoal_span_of("F m -3 m"), 90, &other) == SYMMETRY_NAMED);
    CHECK(g.n == other.n && memcmp(g.ops, other.ops, (size_t)g.n * sizeof *g.ops) == 0);
    CHECK(symmetry_by_name(shoal_span_of("P a 3"), 90, &g) == SYMMETRY_NAMED && g.n == 24);
    CHECK(symmetry_by_name(shoal_span_of("Fd3m"), 90, &g) == SYMMETRY_AMBIGUOUS);
    CHECK(symmetry_by_name(shoal_span_of("P 2 3"), 90, &g) == SYMMETRY_NAMED && g.n == 12);
    CHECK(symmetry_by_name(shoal_span_of("P m 3 q"), 90, &g) == SYMMETRY_UNKNOWN);
    CHECK(symmetry_by_name(shoal_span_of(""), 90, &g) == SYMMETRY_UNKNOWN);
}

/* Turns without an order are no crystal's. */
static void test_no_group(void)
{
    symmetry_group g = {.n = 0};
    symmetry_op op;
    CHECK(symmetry_read(shoal_span_of("x+y,y,z"), &op));
    CHECK(symmetry_add(&g, &op) && !symmetry_close(&g));
    g.n = 0;
    CHECK(symmetry_read(shoal_span_of("-x,y+1/2,-z"), &op));
    CHECK(symmetry_add(&g, &op) && !symmetry_is_closed(&g));
    CHECK(symmetry_close(&g) && g.n == 2);
}

int main(void)
{
    test_texts();
    test_products();
    test_hall();
    test_names();
    test_no_group();
    return check_done();
}
