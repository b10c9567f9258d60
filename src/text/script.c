#include "text/script.h"

#include "base/buf.h"

struct str
script_squeeze(struct arena *mem, struct str script)
{
    struct buf out = buf_in(mem, script.len + 2);
    struct str line;
    while (str_cut(&script, '\n', &line)) {
        line = str_trim(line);
        if (line.len == 0 || str_starts(line, STR("//")))
            continue;
        buf_add(&out, line);
        buf_add_char(&out, '\n');
    }
    return buf_str(&out);
}
