/* Fields are text without NUL bytes, limited in number, and survive writing and reading. */
#include "fuzz.h"

#include "text/form.h"
#include "text/url.h"
#include "text/utf8.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct form form, again;
    struct why why = { 0 };
    enum err err = form_read(mem, fuzz_input(mem, data, size), &form, &why);
    MUST(err == ERR_NONE || err == ERR_INVALID);
    MUST((err == ERR_NONE) == (why.text[0] == '\0'));
    MUST(form.count <= FORM_FIELDS_MAX);
    if (err == ERR_NONE) {
        struct buf out = buf_in(mem, (size_t)1 << 24);
        for (size_t i = 0; i < form.count; i++) {
            struct str name = form.fields[i].name, value = form.fields[i].value;
            MUST(utf8_valid(name) && utf8_valid(value));
            MUST(str_index(name, '\0') == name.len && str_index(value, '\0') == value.len);
            MUST(str_present(form_find(&form, name.ptr)) && form_count(&form, name.ptr) > 0);
            url_encode(&out, name);
            buf_add_char(&out, '=');
            url_encode(&out, value);
            buf_add_char(&out, '&');
        }
        MUST(form_read(mem, buf_str(&out), &again, &why) == ERR_NONE);
        MUST(again.count == form.count);
        for (size_t i = 0; i < form.count; i++)
            MUST(str_eq(form.fields[i].name, again.fields[i].name) &&
                 str_eq(form.fields[i].value, again.fields[i].value));
    }
    arena_free(mem);
    return 0;
}
