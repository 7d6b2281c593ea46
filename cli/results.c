/* SPDX-License-Identifier: BSD-3-Clause
 * What commands say about the results of systems. */
#include "results.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void table_print(shoal_string *out, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    shoal_string_put(out, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

/* Rows ask again and again, on any thread: whether somebody looks does not change, how wide the window is may. */
int table_width(void)
{
    static atomic_int looks = -1;
    struct winsize size;
    if (looks < 0) looks = isatty(STDOUT_FILENO) == 1 && !shoal_stream_is_rank();
    if (!looks) return INT_MAX;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

int table_name_width(int others)
{
    const int room = table_width() - others;
    return room > 24 ? 24 : room < 10 ? 10 : room;
}

void table_begin(shoal_string *out, const shoal_stream_system *s, int width)
{
    char buffer[32];
    table_print(out, "%-*.*s %6d  %-10s", width, width, shoal_row_title(s, buffer),
                shoal_molecule_n_atoms(s->mol), shoal_system_status_name(s->result.status));
}

void table_number(shoal_string *out, double value, int width, int decimals)
{
    const size_t before = shoal_string_size(out);
    if (!(fabs(value) >= 1e9)) {
        shoal_string_put_fixed(out, value, width, decimals);
        if (shoal_string_size(out) == before + (size_t)width &&
            shoal_string_data(out)[before] == ' ')
            return;
        shoal_string_cut(out, before);
    }
    table_print(out, "%*.*e", width, width - 9, value); /* sign, point, e+308 and a blank */
}

void table_end(shoal_string *out, const shoal_result *r)
{
    if (r->reason[0]) table_print(out, "  %s", r->reason);
    if (r->warning[0]) table_print(out, "  warning: %s", r->warning);
    table_print(out, "\n");
}

void failures_add(failure_list *list, const shoal_stream_system *s)
{
    char buffer[32];
    const shoal_result *r = &s->result;
    if (list->n >= FAILURES_SHOWN) return;
    char *line = list->lines[list->n++];
    const size_t size = sizeof list->lines[0];
    const int used = snprintf(line, size, "%lld %.40s: %s", (long long)s->index,
                              shoal_row_title(s, buffer), shoal_system_status_name(r->status));
    if (r->reason[0])
        (void)snprintf(line + used, size - (size_t)used, ", %s", r->reason);
    else if (has_numbers(r))
        (void)snprintf(line + used, size - (size_t)used, ", fmax %.4g eV/A after %d evaluations",
                       r->fmax, r->steps);
    cli_tame(line, strlen(line));
}

/* The text without its numbers and without what follows a semicolon: that is a warning of its own. */
static void find_key(const char *text, char key[120])
{
    size_t n = 0;
    for (const char *c = text; *c && *c != ';' && n < 119; ++c)
        if (!strchr("0123456789.-+", *c)) key[n++] = *c;
    key[n] = '\0';
}

static void add_warning(warning_list *list, const shoal_stream_system *s, const char *text)
{
    char key[120], buffer[32];
    int k = 0;
    find_key(text, key);
    while (k < list->n && strcmp(list->kinds[k].key, key) != 0) ++k;
    if (k == WARNING_KINDS) {
        ++list->n_others;
        return;
    }
    struct warning_kind *kind = &list->kinds[k];
    ++kind->n;
    if (k < list->n) return;
    ++list->n;
    memcpy(kind->key, key, sizeof key);
    (void)snprintf(kind->first, sizeof kind->first, "%lld %.40s: %.*s", (long long)s->index,
                   shoal_row_title(s, buffer), (int)strcspn(text, ";"), text);
    cli_tame(kind->first, strlen(kind->first));
}

void warnings_add(warning_list *list, const shoal_stream_system *s)
{
    for (const char *text = s->result.warning; *text;) {
        add_warning(list, s, text);
        text += strcspn(text, ";");
        text += strspn(text, "; ");
    }
}

void warnings_print(const warning_list *list)
{
    for (int k = 0; k < list->n; ++k) {
        const struct warning_kind *kind = &list->kinds[k];
        if (kind->n == 1)
            (void)fprintf(stderr, "  %s\n", kind->first);
        else
            (void)fprintf(stderr, "  %s; and %lld more alike\n", kind->first,
                          (long long)kind->n - 1);
    }
    if (list->n_others > 0)
        (void)fprintf(stderr, "  and %lld of other kinds\n", (long long)list->n_others);
}

void failures_print(const failure_list *list, int64_t n)
{
    for (int k = 0; k < list->n; ++k) (void)fprintf(stderr, "  %s\n", list->lines[k]);
    if (n > list->n) (void)fprintf(stderr, "  and %lld more\n", (long long)(n - list->n));
}
