#include "base/text.h"
#include "base/alloc.h"
#include "shoal/text.h"
#include <stdlib.h>
shoal_status shoal_string_create(shoal_string **out) { *out = shoal_alloc(1, sizeof **out); return *out ? SHOAL_OK : SHOAL_E_MEMORY; }
void shoal_string_destroy(shoal_string *s) { if (s) { shoal_string_free(s); free(s);} }
void shoal_string_clear(shoal_string *s) { s->size = 0; }
size_t shoal_string_size(const shoal_string *s) { return (size_t)s->size; }
const char *shoal_string_data(const shoal_string *s) { return s->data; }
void shoal_string_cut(shoal_string *s, size_t size) { s->size = (int32_t)size; }
shoal_status shoal_string_check(const shoal_string *s) { (void)s; return SHOAL_OK; }
void shoal_string_put(shoal_string *s, const char *text, size_t n) { (void)shoal_string_append(s, (shoal_span){text, n}); }
shoal_status shoal_frame_format(shoal_string *out, shoal_format format, const shoal_molecule *mol, const shoal_frame *frame) { (void)out; (void)format; (void)mol; (void)frame; return SHOAL_OK; }
shoal_status shoal_writer_append(shoal_writer *w, const char *text, size_t size) { (void)w; (void)text; (void)size; return SHOAL_OK; }
