# lint_objects.awk - what the compiler really made: a banned function is found under any disguise,
# and the names that a file exports are seen.
#
# Called by tools/lint with the words of banned.h in `banned`. Reads, for each source file, a line
# "= file" and then what `nm -P` says of its object. Prints "error|warning <tab> …".

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
    in_upper_room = source ~ /^src\/(flow|web|model|store)\//
    read_headers(source)
    next
}

$2 == "U" && $1 in is_banned {
    printf "error\t%s:1: calls %s, which is banned, by some other name [banned]\n", source, $1
}

$2 == "U" && in_upper_room && $1 in is_owning {
    printf "error\t%s:1: calls %s; in this room memory comes from an arena [banned]\n", source, $1
}

$2 ~ /^[TDBRC]$/ && !is_told($1) {
    printf "warning\t%s:1: exports %s, of which no header of %s tells [names]\n", source, $1, room
}

# Gathers the words of the room's headers, once a room.
function read_headers(source,    parts, count, command, line)
{
    count = split(source, parts, "/")
    stem = parts[count]
    sub(/\.c$/, "", stem)
    if (parts[2] == room)
        return
    room = parts[2]
    split("", told)
    command = "cat src/" room "/*.h 2>/dev/null"
    while ((command | getline line) > 0)
        while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
            told[substr(line, RSTART, RLENGTH)] = 1
            line = substr(line, RSTART + RLENGTH)
        }
    close(command)
}

# A route table is told of by whoever gathers them, and main by nobody.
function is_told(name)
{
    return name in told || name == "main" || name ~ /_routes$/ || index(name, stem "_") == 1
}
