# minify.awk - removes from stylesheets and scripts what a browser does not need: comments and blanks.
#
# usage: awk -f tools/minify.awk FILE.css|FILE.js > MINIFIED
#
# Run by the build for the files in pages/, before they are embedded. It is no parser: input that it would
# change in meaning ends with an error and status 1.

function fail(sentence)
{
    printf "%s: %s\n", FILENAME, sentence >"/dev/stderr"
    failed = 1
    exit 1
}

# ---- stylesheets ----

# Removes comments, and blanks except those between selectors, around the operators of calc(), and in strings.
function minify_css(text,    out, last, next_char)
{
    out = ""
    while (text != "") {
        last = out == "" ? ";" : substr(out, length(out))
        if (match(text, /^([ \t\r\n\f]|\/\*([^*]|\*+[^*\/])*\*+\/)+/)) {
            text = substr(text, RLENGTH + 1)
            next_char = substr(text, 1, 1)
            if (text != "" && !index("{};,:", last) && !index("{};,", next_char))
                out = out " "
        } else if (text ~ /^\/\*/) {
            fail("a comment has no end")
        } else if (text ~ /^["']/) {
            if (!match(text, /^("([^"\\\n]|\\.)*"|'([^'\\\n]|\\.)*')/))
                fail("a string has no end")
            out = out substr(text, 1, RLENGTH)
            text = substr(text, RLENGTH + 1)
        } else if (text ~ /^[}]/) {
            if (last == ";" && out != "") # the last declaration needs no semicolon
                out = substr(out, 1, length(out) - 1)
            out = out "}"
            text = substr(text, 2)
        } else {
            match(text, /^(\/|[^ \t\r\n\f"'}\/]+)/)
            out = out substr(text, 1, RLENGTH)
            text = substr(text, RLENGTH + 1)
        }
    }
    return out
}

# ---- scripts ----

# Removes indentation, empty lines, and lines that are only a comment. A blank at the beginning of a line would
# be part of a text that spans lines, so there may be none; an expression inside a template may span lines.
function minify_js_line(line)
{
    sub(/^[ \t\r\f]+/, "", line)
    sub(/[ \t\r\f]+$/, "", line)
    if (line ~ /\\$/ || (gsub(/`/, "`", line) % 2 && line !~ /[{]$/ && line !~ /^[}]/))
        fail("line " FNR ": a text spans lines, and its indentation would be lost: " line)
    if (line != "" && line !~ /^\/\//)
        print line
}

FILENAME ~ /\.js$/ {
    minify_js_line($0)
    next
}

FILENAME ~ /\.css$/ {
    text = text $0 "\n"
    next
}

{
    fail("neither .css nor .js")
}

END {
    if (!failed)
        printf "%s", minify_css(text)
}
