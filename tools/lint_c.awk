# lint_c.awk - the rules of the house that hold for C, in one pass over every file below src/.
#
# Called by tools/lint in the project's root. A line is first taken apart into code (comments
# gone, literals emptied) and its string literals, so that a word in a comment is never mistaken
# for a call, nor a call for a word. Prints "error|warning <tab> file:line: sentence [rule]".

function report(kind, line, rule, sentence)
{
    printf "%s\t%s:%d: %s [%s]\n", kind, FILENAME, line, sentence, rule
}

function fail(rule, sentence)
{
    report("error", FNR, rule, sentence)
}

function words_into(set, text,    parts, count, i)
{
    count = split(text, parts, " ")
    for (i = 1; i <= count; i++)
        set[parts[i]] = 1
}

# room : rooms it may include : libraries that it alone may include
function read_floors(file,    line, columns, parts, count, i, room)
{
    while ((getline line < file) > 0) {
        if (line ~ /^[ \t]*(#|$)/)
            continue
        split(line, columns, ":")
        room = columns[1]
        gsub(/[ \t]/, "", room)
        rooms[room] = 1
        count = split(columns[2], parts, " ")
        for (i = 1; i <= count; i++)
            may_include[room, parts[i]] = 1
        count = split(columns[3], parts, " ")
        for (i = 1; i <= count; i++)
            if (parts[i] != "-")
                room_of_library[parts[i]] = room
    }
    close(file)
}

# The words that banned.h turns into compile errors are read from it: one list, two guards.
function read_banned(file,    line)
{
    while ((getline line < file) > 0)
        if (match(line, /^#define [a-z_]+\(\.\.\.\)/))
            banned = banned "|" substr(line, 9, RLENGTH - 13)
    close(file)
}

BEGIN {
    read_floors("src/FLOORS")
    banned = "alloca|gets|ctime|asctime|mktemp|tmpnam|tempnam"
    read_banned("src/base/banned.h")
    banned = "(^|[^A-Za-z0-9_])(" banned ")($|[^A-Za-z0-9_])"
    owning = "(^|[^A-Za-z0-9_])(free|malloc|calloc|realloc|strdup|strndup|asprintf|vasprintf)" \
             "($|[^A-Za-z0-9_])"

    # Inside its room, a library belongs to one file (or one family of files).
    file_of_library["sqlite3.h"] = "src/db/db_sqlite[a-z_]*[.][ch]"
    file_of_library["libpq-fe.h"] = "src/db/db_postgres[a-z_]*[.][ch]"
    file_of_library["jansson.h"] = "src/text/json_read[.]c"
    file_of_library["utf8proc.h"] = "src/text/utf8[.]c"
    file_of_library["zxcvbn.h"] = "src/crypt/password[.]c"

    # What every room may include. A header that is not here is a new library, and a new library
    # is a decision: FLOORS names it and the room it lives in.
    words_into(c_library, "assert ctype dirent dlfcn endian errno fcntl fenv float fnmatch ftw " \
        "getopt glob grp ifaddrs inttypes langinfo libgen limits locale malloc math netdb paths " \
        "poll pthread pwd regex sched search semaphore setjmp signal spawn stdalign stdarg " \
        "stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings sysexits syslog " \
        "termios threads time uchar unistd utime wchar wctype")
}

FNR == 1 {
    finish_file()
    name = FILENAME
    sub(/.*\//, "", name)
    room = FILENAME
    sub(/^src\//, "", room)
    sub(/\/.*/, "", room)
    is_header = name ~ /\.h$/
    in_comment = 0
    function_line = 0
    guard = toupper(room "_" name)
    gsub(/[^A-Z0-9]/, "_", guard)
    guarded = 0
    if (FILENAME !~ /^src\/[a-z]+\/[a-z0-9_]+\.[ch]$/)
        fail("names", "a source file is src/<room>/<name>.c or .h, in small letters")
    else if (!(room in rooms))
        fail("floors", "there is no room \"" room "\" in src/FLOORS")
    if (is_header && index($0, "/* " name " - ") != 1)
        fail("header", "a header begins with \"/* " name " - \" and says what it is for")
    if (!is_header)
        check_introduced()
}

# A .c file is introduced by the header of its name, by a comment of its own, or by a header of its
# room that names it ("Private to template_parse.c and template_render.c").
function check_introduced(    header, command, line, introduced)
{
    if (/^\/\* [A-Za-z]/)
        return
    header = FILENAME
    sub(/c$/, "h", header)
    introduced = (getline line < header) > 0
    close(header)
    if (introduced)
        return
    command = "grep -lwF " name " src/" room "/*.h 2>/dev/null"
    introduced = (command | getline line) > 0
    close(command)
    if (!introduced)
        fail("header", "neither a header nor a comment at its beginning says what this file is for")
}

function finish_file()
{
    if (last_file != "" && last_is_header && !last_guarded)
        printf "error\t%s:1: the header is guarded by #ifndef %s [header]\n", last_file, last_guard
}

# Takes $0 apart: returns its code, leaves its string literals in literals[1..literal_count].
function take_apart(line,    code, first, end)
{
    literal_count = 0
    code = ""
    while (line != "") {
        if (in_comment) {
            end = index(line, "*/")
            if (end == 0)
                break
            in_comment = 0
            line = substr(line, end + 2)
            code = code " "
            continue
        }
        if (!match(line, /["'\/]/)) {
            code = code line
            break
        }
        first = substr(line, RSTART, 1)
        code = code substr(line, 1, RSTART - 1)
        line = substr(line, RSTART)
        if (first == "/") {
            if (substr(line, 1, 2) == "//")
                break
            if (substr(line, 1, 2) == "/*") {
                in_comment = 1
                line = substr(line, 3)
            } else {
                code = code "/"
                line = substr(line, 2)
            }
        } else if (first == "\"") {
            if (!match(line, /^"([^"\\]|\\.)*"/))
                break
            literals[++literal_count] = substr(line, 2, RLENGTH - 2)
            code = code "\"\""
            line = substr(line, RLENGTH + 1)
        } else {
            if (!match(line, /^'([^'\\]|\\.)+'/))
                break
            code = code "' '"
            line = substr(line, RLENGTH + 1)
        }
    }
    return code
}

{
    last_file = FILENAME
    last_is_header = is_header
    was_in_comment = in_comment
    raw = $0
    code = take_apart($0)
    if (!was_in_comment && raw ~ /^[ \t]*#[ \t]*include/) {
        check_include(raw)
    } else {
        check_words(code)
        check_literals()
        check_function_length(code)
        if (is_header && code ~ ("^#ifndef " guard "$"))
            guarded = 1
    }
    last_guard = guard
    last_guarded = guarded
}

END {
    finish_file()
}

# ---- includes ----

function check_include(line,    target)
{
    if (match(line, /"[^"]*"/))
        check_our_include(substr(line, RSTART + 1, RLENGTH - 2))
    else if (match(line, /<[^>]*>/))
        check_library_include(substr(line, RSTART + 1, RLENGTH - 2))
    else
        fail("floors", "an include names its file, so that everyone can see where it goes")
}

function check_our_include(target,    to)
{
    if (target in room_of_library) {
        check_library_include(target)
        return
    }
    if (target ~ /\.\./) {
        fail("floors", "\"" target "\": includes are written from src/, never with \"..\"")
        return
    }
    if (target !~ /^[a-z]+\/[a-z0-9_]+\.h$/) {
        fail("floors", "\"" target "\": an include names its room, \"room/file.h\"")
        return
    }
    to = target
    sub(/\/.*/, "", to)
    if (target == "db/db.h" && (room == "web" || room == "flow"))
        fail("floors", room " sees struct db as an opaque pointer and may not include db/db.h")
    else if (!(to in rooms))
        fail("floors", "\"" target "\": there is no room \"" to "\" in src/FLOORS")
    else if (to != room && !((room, to) in may_include) && !((room, "*") in may_include))
        fail("floors", room " may not include " target ": the stairs of src/FLOORS lead down only")
    else if (match(target, /^db\/db_(sqlite|postgres)/) &&
             index(FILENAME, "src/" substr(target, 1, RLENGTH)) != 1)
        fail("floors", target " is for the files of its own engine only")
    else if (target == "db/db.h" && room == "store" && is_header)
        fail("floors", "a header of store that includes db/db.h shows it to flow and web")
    else if (room == "model" && target ~ /^base\/(clock|log|workers|metric)\.h$/)
        fail("floors", "model is pure: no clock, no I/O, so it may not include " target)
}

function check_library_include(target,    home, plain)
{
    if (target in room_of_library) {
        home = room_of_library[target]
        if (home != room)
            fail("library", target " may only be included in src/" home)
        else if (target in file_of_library && FILENAME !~ ("^" file_of_library[target] "$"))
            fail("library", target " may only be included in " readable(file_of_library[target]))
        return
    }
    if (target ~ /^(sys|netinet|net|arpa|linux|sanitizer)\/[a-z0-9_-]+\.h$/)
        return
    plain = target
    sub(/\.h$/, "", plain)
    if (!(plain in c_library))
        fail("library", target " is not the C library's: name it and its room in src/FLOORS first")
}

function readable(pattern)
{
    gsub(/\[a-z_\]\*/, "*", pattern)
    gsub(/\[\.\]/, ".", pattern)
    gsub(/\[ch\]/, "c", pattern)
    return pattern
}

# ---- words ----

function check_words(code,    word)
{
    if (FILENAME != "src/base/banned.h") {
        word = first_word(code, banned)
        if (word != "")
            fail("banned", word " is banned, under any name (see src/base/banned.h)")
    }
    if (room == "flow" || room == "web" || room == "model" || room == "store") {
        word = first_word(code, owning)
        if (word != "")
            fail("banned", word " is not for " room ": memory comes from an arena and dies with it")
    }
    if (match(code, /(^|[^A-Za-z0-9_])goto[ \t]+[A-Za-z_][A-Za-z0-9_]*/)) {
        word = substr(code, RSTART, RLENGTH)
        sub(/.*[ \t]/, "", word)
        if (word != "out")
            fail("goto", "the only label is out:, not " word ":")
        else if (room == "flow" || room == "web" || room == "app")
            fail("goto", "goto is for the rooms below flow; here memory dies by itself, so return")
    }
    if (code ~ /(^|[^A-Za-z0-9_])SQL\(/ && room != "store" && room != "db")
        fail("sql", "statements are declared in src/store")
}

# The first of these words that stands alone and is not a member of something, or "".
function first_word(code, pattern,    word, before)
{
    while (match(code, pattern)) {
        word = substr(code, RSTART, RLENGTH)
        before = substr(code, 1, RSTART) # with the character that stands before the word, if any
        code = substr(code, RSTART + RLENGTH - 1)
        gsub(/[^a-z_]/, "", word)
        if (before !~ /(\.|->)$/)
            return word
        if (length(code) <= 1)
            return ""
    }
    return ""
}

# ---- literals ----

function check_literals(    i, text)
{
    for (i = 1; i <= literal_count; i++) {
        text = literals[i]
        if (room != "store" && room != "db" && looks_like_sql(text))
            fail("sql", "SQL is written in src/store and src/db only")
        if (room == "text" || FILENAME == "src/base/log.c" ||
            FILENAME == "src/model/value_patterns.c") # it looks for markup and writes none
            continue
        if (text ~ /^</ || text ~ /<\/[a-z]/)
            fail("markup", "markup is written in pages/ or by src/text, which escapes")
        if (text ~ /\{\\"/ || text ~ /^,\\"/)
            fail("markup", "JSON is written by src/text/json_write.h, which escapes")
    }
}

function looks_like_sql(text)
{
    if (text ~ /^[ ]*(SELECT|WITH|UPDATE|ALTER TABLE|DROP TABLE|PRAGMA) / ||
        text ~ /^[ ]*(INSERT INTO|DELETE FROM|CREATE (TABLE|INDEX|UNIQUE|VIEW|TEMP))/)
        return 1
    text = tolower(text)
    return text ~ /^[ ]*(insert into|delete from|create (table|index|unique)) / ||
        text ~ /^[ ]*select .* from / || text ~ /^[ ]*update [a-z_]+ set /
}

# ---- functions ----

# clang-format puts a function's braces, and no others, alone into the first column.
function check_function_length(code,    length_now)
{
    if (code ~ /^\{/) {
        function_line = FNR
    } else if (code ~ /^\}/ && function_line > 0) {
        length_now = FNR - function_line - 1
        if (length_now > 100)
            report("error", function_line, "length",
                "a function of " length_now " lines; 100 is the most, 50 is good")
        function_line = 0
    }
}
