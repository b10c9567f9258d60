# lint_text.awk - the rules that hold for every file of the project, whatever it is written in.
#
# Called by tools/lint in the project's root. Prints "error|warning <tab> file:line: sentence [rule]".

function fail(rule, sentence)
{
    printf "error\t%s:%d: %s [%s]\n", FILENAME, FNR, sentence, rule
}

function finish_file()
{
    if (!is_code)
        return
    if (lines > 800)
        printf "error\t%s:%d: %d lines; past 800 is a mistake [length]\n", file, lines, lines
    else if (lines > 500)
        printf "warning\t%s:%d: %d lines; past 500 wants a reason [length]\n", file, lines, lines
}

FNR == 1 {
    finish_file()
    file = FILENAME
    is_code = FILENAME ~ /\.(c|h|mjs|js|sh|awk|css)$/
    no_tabs = FILENAME ~ /\.(c|h|mjs)$/
    knows_the_words = FILENAME ~ /^(tools\/lint|tests\/lint)/ # they are about these words
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\..*/, "", name)
    if (("_" name "_") ~ /[_-](utils?|common|helpers?|misc)[_-]/)
        fail("names", "a file is named after what is in it; util, common, helpers, misc say nothing")
}

{
    lines = FNR
}

/[ \t]$/ {
    fail("space", "white space at the end of the line")
}

no_tabs && /\t/ {
    fail("space", "a tab; this kind of file is indented with spaces")
}

!knows_the_words && /(^|[^A-Za-z0-9_])(TODO|FIXME|XXX|HACK)($|[^A-Za-z0-9_])/ {
    fail("words", "do it now, or write down why not; no notes to ourselves in the code")
}

!knows_the_words && /(^|[^A-Za-z0-9_.~*$}-])\/(home|root|work|Users)\/[A-Za-z0-9._-]/ {
    fail("words", "a path of somebody's own machine")
}

END {
    finish_file()
}
