/* snippet.c - line by line: a line with a mark is kept or left out, then its placeholders are
 * filled in.
 *
 * Values are escaped for the language of the file, because a redirect URI may contain quotes, and
 * developers run the result. */
#include "portal/snippet.h"

#include "base/buf.h"
#include "base/embedded.h"

#define SNIPPET_MAX ((size_t)64 * 1024)

/* Escapes for single quotes in a shell, where only the quote is special, or for double quotes in
 * JavaScript and Python. */
static void
add_value(struct buf *out, struct str value, bool shell)
{
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (shell && c == '\'')
            buf_add_c(out, "'\\''");
        else if (!shell && (c == '"' || c == '\\'))
            buf_add_format(out, "\\%c", c);
        else
            buf_add_char(out, c);
    }
}

/* An unknown name is empty. */
static struct str
value_of(const struct snippet *snippet, struct str name)
{
    const struct {
        const char *name;
        struct str value;
    } values[] = {
        { "base_url", snippet->base_url },
        { "auth_url", snippet->auth_url },
        { "client_id", snippet->client_id },
        { "redirect_uri", snippet->redirect_uri },
        { "scope", snippet->scope },
        { "api_path", snippet->api_path },
        { "auth_method", snippet->confidential ? STR("client_secret_post") : STR("none") },
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (str_eq_c(name, values[i].name))
            return values[i].value;
    return STR("");
}

/* s.len: not found. */
static size_t
index_of(struct str s, struct str text)
{
    for (size_t i = 0; i + text.len <= s.len; i++)
        if (str_starts(str_from(s, i), text))
            return i;
    return s.len;
}

/* {{name}} is replaced; a {{ without }} stays as it is. */
static void
add_line(struct buf *out, struct str line, const struct snippet *snippet, bool shell)
{
    while (line.len > 0) {
        size_t open = index_of(line, STR("{{"));
        buf_add(out, str_first(line, open));
        line = str_from(line, open);
        size_t close = index_of(line, STR("}}"));
        if (close == line.len) {
            buf_add(out, line);
            break;
        }
        add_value(out, value_of(snippet, str_from(str_first(line, close), 2)), shell);
        line = str_from(line, close + 2);
    }
    buf_add_char(out, '\n');
}

/* If the line ends with this mark, removes it and the comment sign before it. */
static bool
remove_mark(struct str *line, struct str mark)
{
    if (!str_ends(*line, mark))
        return false;
    size_t end = line->len - mark.len;
    while (end > 0 &&
           (line->ptr[end - 1] == ' ' || line->ptr[end - 1] == '#' || line->ptr[end - 1] == '/'))
        end--;
    *line = str_first(*line, end);
    return true;
}

/* Marks are removed before values are filled in, so that a value cannot look like a mark. */
struct str
snippet_fill(struct arena *mem, const char *file, const struct snippet *snippet)
{
    struct str rest = embedded_find(str_format(mem, "pages/%s", file).ptr), line;
    struct buf out = buf_in(mem, SNIPPET_MAX);
    bool shell = str_ends(str_of(file), STR(".sh"));
    while (str_cut(&rest, '\n', &line)) {
        bool secret = remove_mark(&line, STR("{{confidential}}"));
        bool hints = remove_mark(&line, STR("{{hints}}"));
        if ((secret && !snippet->confidential) || (hints && !snippet->hints))
            continue;
        if (line.len == 0 && !str_present(rest)) /* after the last line break */
            break;
        add_line(&out, line, snippet, shell);
    }
    return buf_str(&out);
}
