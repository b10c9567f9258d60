# lint_text.awk - the rules for every text file of the project.
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
        printf "error\t%s:%d: the file has %d lines; the limit is 800 [length]\n", file, lines, lines
    else if (lines > 500)
        printf "warning\t%s:%d: the file has %d lines; more than 500 need a reason [length]\n", file, lines, lines
}

FNR == 1 {
    finish_file()
    file = FILENAME
    is_code = FILENAME ~ /\.(c|h|mjs|js|sh|awk|css)$/
    no_tabs = FILENAME ~ /\.(c|h|mjs)$/
    names_the_words = FILENAME ~ /^(tools\/lint|tests\/lint)/ # the lint itself contains the words it rejects
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\..*/, "", name)
    if (("_" name "_") ~ /[_-](utils?|common|helpers?|misc)[_-]/)
        fail("names", "name the file after its content; util, common, helpers, and misc say nothing about it")
}

{
    lines = FNR
}

/[ \t]$/ {
    fail("space", "trailing white space")
}

no_tabs && /\t/ {
    fail("space", "tab; files of this kind are indented with spaces")
}

!names_the_words && /(^|[^A-Za-z0-9_])(TODO|FIXME|XXX|HACK)($|[^A-Za-z0-9_])/ {
    fail("words", "no notes to ourselves in the code: open an issue, or do it now")
}

!names_the_words && /(^|[^A-Za-z0-9_.~*$}-])\/(home|root|work|Users)\/[A-Za-z0-9._-]/ {
    fail("words", "path of a developer's machine")
}

END {
    finish_file()
}
