/* Reading, writing, and reading a document gives the same tree. */
#include "fuzz.h"

#include "text/json_read.h"
#include "text/json_write.h"
#include "text/utf8.h"

#include <string.h>

#define DEPTH 16

/* Reals are written as their bits, since there is no writer for them. */
static int64_t
bits_of(double real)
{
    int64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static void
write_tree(struct json *json, struct arena *mem, const struct json_value *value)
{
    if (str_present(value->key)) {
        MUST(memchr(value->key.ptr, '\0', value->key.len) == NULL);
        json_key(json, str_c(mem, value->key));
    }
    switch (value->type) {
    case JSON_NULL:
        json_null(json);
        break;
    case JSON_BOOL:
        json_bool(json, value->integer != 0);
        break;
    case JSON_INT:
        json_int(json, value->integer);
        break;
    case JSON_REAL:
        json_int(json, bits_of(value->real));
        break;
    case JSON_STR:
        json_str(json, value->text);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        value->type == JSON_ARRAY ? json_open_array(json) : json_open_object(json);
        for (size_t i = 0; i < value->count; i++)
            write_tree(json, mem, &value->children[i]);
        value->type == JSON_ARRAY ? json_close_array(json) : json_close_object(json);
        break;
    }
}

static void
must_equal(struct arena *mem, const struct json_value *a, const struct json_value *b, size_t depth)
{
    MUST(depth <= DEPTH);
    MUST(str_present(a->key) == str_present(b->key) && str_eq(a->key, b->key));
    MUST(utf8_valid(a->key) && utf8_valid(a->text));
    if (a->type == JSON_REAL) {
        MUST(b->type == JSON_INT && b->integer == bits_of(a->real));
        return;
    }
    MUST(a->type == b->type && a->count == b->count);
    MUST((a->type != JSON_INT && a->type != JSON_BOOL) || a->integer == b->integer);
    MUST(str_eq(a->text, b->text));
    for (size_t i = 0; i < a->count; i++) {
        must_equal(mem, &a->children[i], &b->children[i], depth + 1);
        if (a->type == JSON_OBJECT) /* keys are unique */
            MUST(json_member(a, str_c(mem, a->children[i].key)) == &a->children[i]);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    const struct json_value *first = NULL;
    const struct json_value *second = NULL;
    struct why why = { 0 };
    if (json_read(mem, fuzz_input(mem, data, size), DEPTH, &first, &why) == ERR_NONE) {
        struct buf out = buf_in(mem, (size_t)1 << 24);
        struct json json = json_into(&out);
        write_tree(&json, mem, first);
        MUST(!out.overflow);
        MUST(json_read(mem, buf_str(&out), DEPTH, &second, &why) == ERR_NONE);
        must_equal(mem, first, second, 0);
    } else {
        MUST(strncmp(why.text, "line ", 5) == 0 && strpbrk(why.text, "\"\\\n") == NULL);
    }
    /* A string of any bytes gives a readable document. */
    struct buf out = buf_in(mem, (size_t)1 << 24);
    struct json json = json_into(&out);
    struct str text = fuzz_input(mem, data, size);
    json_str(&json, text);
    why = (struct why){ 0 };
    MUST(json_read(mem, buf_str(&out), DEPTH, &second, &why) == ERR_NONE);
    MUST(second->type == JSON_STR);
    MUST(str_eq(second->text, text) == utf8_valid(text));
    arena_free(mem);
    return 0;
}
