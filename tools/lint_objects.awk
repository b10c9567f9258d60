# lint_objects.awk - the rules for compiled objects: calls of banned functions, also through macros, and names
# that a file exports: a header declares them, and another file or a test uses them.
#
# Called by tools/lint with the names of banned.h in `banned`, and the modules that allocate from arenas only in
# `arenas`. Reads a line "= file" for each source file, then the output of `nm -P` for its object; a line "complete" at the end if no object is
# missing. Prints "error|warning <tab> file:line: sentence [rule]".

BEGIN {
    count = split(banned " alloca gets", words, " ")
    for (i = 1; i <= count; i++)
        is_banned[words[i]] = is_banned["__" words[i] "_chk"] = 1
    count = split("free malloc calloc realloc strdup strndup asprintf vasprintf", words, " ")
    for (i = 1; i <= count; i++)
        is_owning[words[i]] = 1
}

$1 == "=" {
    source = $2
    read_headers(source)
    uses_arenas = index(" " arenas " ", " " module " ") > 0
    next
}

$1 == "complete" {
    is_complete = 1
    next
}

$2 == "U" {
    is_used[$1] = 1
}

$2 ~ /^[TDBRC]$/ {
    exported_by[$1] = source
}

$2 == "U" && $1 in is_banned {
    printf "error\t%s:1: calls %s, which is banned, under another name [banned]\n", source, $1
}

$2 == "U" && uses_arenas && $1 in is_owning {
    printf "error\t%s:1: calls %s; this module allocates from arenas [banned]\n", source, $1
}

$2 ~ /^[TDBRC]$/ && !is_declared($1) {
    printf "warning\t%s:1: exports %s, which no header of %s declares [names]\n", source, $1, module
}

END {
    for (name in exported_by)
        if (is_complete && !(name in is_used) && name != "main" && system("grep -rqw --include='*.[ch]' " name " tests bench") != 0)
            printf "error\t%s:1: no other file and no test uses %s; make it static, or delete it [unused]\n", exported_by[name], name
}

# Collects the words of the module's headers, once per module.
function read_headers(source,    parts, count, command, line)
{
    count = split(source, parts, "/")
    stem = parts[count]
    sub(/\.c$/, "", stem)
    if (parts[2] == module)
        return
    module = parts[2]
    split("", declared)
    command = "cat src/" module "/*.h 2>/dev/null"
    while ((command | getline line) > 0)
        while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
            declared[substr(line, RSTART, RLENGTH)] = 1
            line = substr(line, RSTART + RLENGTH)
        }
    close(command)
}

# Route tables are declared by the file that lists them, and main() needs no declaration.
function is_declared(name)
{
    return name in declared || name == "main" || name ~ /_routes$/ || index(name, stem "_") == 1
}
