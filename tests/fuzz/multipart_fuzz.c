/* Parts are inside the body, in order, have names, and survive writing and reading. The first line
 * of the input is the Content-Type. */
#include "fuzz.h"

#include "base/buf.h"
#include "text/multipart.h"
#include "text/utf8.h"

static void
write_again(struct arena *mem, struct str boundary, const struct multipart *form)
{
    struct buf out = buf_in(mem, (size_t)1 << 24);
    struct multipart again;
    struct why why = { 0 };
    for (size_t i = 0; i < form->count; i++) {
        buf_add_format(&out, "--%.*s\r\nContent-Disposition: form-data; name=\"%.*s\"",
                       STR_ARG(boundary), STR_ARG(form->parts[i].name));
        if (str_present(form->parts[i].file))
            buf_add_format(&out, "; filename=\"%.*s\"", STR_ARG(form->parts[i].file));
        buf_add_c(&out, "\r\n\r\n");
        buf_add(&out, form->parts[i].bytes);
        buf_add_c(&out, "\r\n");
    }
    buf_add_format(&out, "--%.*s--\r\n", STR_ARG(boundary));
    MUST(multipart_read(mem, boundary, buf_str(&out), &again, &why) == ERR_NONE);
    MUST(again.count == form->count);
    for (size_t i = 0; i < form->count; i++)
        MUST(str_eq(again.parts[i].name, form->parts[i].name) &&
             str_eq(again.parts[i].file, form->parts[i].file) &&
             str_eq(again.parts[i].bytes, form->parts[i].bytes));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str body = fuzz_input(mem, data, size), line;
    struct multipart form;
    struct why why = { 0 };
    str_cut(&body, '\n', &line);
    struct str boundary = multipart_boundary(size == 0 ? STR_NONE : line);
    MUST(boundary.len <= 70);
    enum err err = multipart_read(mem, boundary, body, &form, &why);
    MUST(err == ERR_NONE || err == ERR_INVALID);
    MUST((err == ERR_NONE) == (why.text[0] == '\0'));
    MUST(form.count <= MULTIPART_PARTS_MAX);
    const char *behind = body.ptr;
    for (size_t i = 0; err == ERR_NONE && i < form.count; i++) {
        const struct multipart_part *part = &form.parts[i];
        MUST(part->name.len > 0 && utf8_valid(part->name));
        MUST(part->bytes.ptr >= behind && part->bytes.ptr + part->bytes.len <= body.ptr + body.len);
        behind = part->bytes.ptr + part->bytes.len;
    }
    if (err == ERR_NONE)
        write_again(mem, boundary, &form);
    arena_free(mem);
    return 0;
}
