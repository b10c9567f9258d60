/* accept_header.c - weights of Accept and Accept-Language (RFC 9110 §12.4.2). Malformed parts are
 * ignored, since the header only selects a form of the response. */
#include "web/accept_header.h"

#include "base/ascii.h"

/* "0.8" in thousandths. A malformed weight counts as absent, which means 1. */
static int
weight(struct str text)
{
    if (text.len == 0 || text.len > 5 || (text.ptr[0] != '0' && text.ptr[0] != '1'))
        return 1000;
    int value = text.ptr[0] == '1' ? 1000 : 0;
    int unit = 100;
    for (size_t i = 2; i < text.len && value < 1000; i++, unit /= 10)
        if (ascii_is_digit(text.ptr[i]))
            value += (text.ptr[i] - '0') * unit;
    return value;
}

/* In thousandths, without floating point. A missing q is 1000. */
int
accept_weight(struct str range, struct str *name)
{
    struct str part = STR("");
    int q = 1000;
    str_cut(&range, ';', &part);
    *name = str_trim(part);
    while (str_cut(&range, ';', &part)) {
        struct str parameter = str_trim(part);
        if (str_eq_nocase(str_first(parameter, 2), STR("q=")))
            q = weight(str_from(parameter, 2));
    }
    return q;
}

/* The weight of the most specific range that matches the type; 0 if none does. */
static int
weight_of(struct str accept, struct str type, struct str group)
{
    int best = 0;
    int precision = 0;
    struct str range;
    while (str_cut(&accept, ',', &range)) {
        struct str name;
        int q = accept_weight(range, &name);
        int precise = str_eq_nocase(name, type)    ? 3
                      : str_eq_nocase(name, group) ? 2
                      : str_eq_c(name, "*/*")      ? 1
                                                   : 0;
        if (precise > precision) {
            precision = precise;
            best = q;
        }
    }
    return best;
}

/* Equal weights mean JSON: programs accept any type, browsers name text/html. */
bool
accept_prefers_page(struct str accept)
{
    return weight_of(accept, STR("text/html"), STR("text/*")) >
           weight_of(accept, STR("application/json"), STR("application/*"));
}
