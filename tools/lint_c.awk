# lint_c.awk - the rules for C, in one pass over every file in src/.
#
# Called by tools/lint in the project's root. Each line is first split into code (without comments, with empty
# string literals) and its string literals, so that a word in a comment is not mistaken for a call.
# Prints "error|warning <tab> file:line: sentence [rule]".
#
# Variables: `arenas` lists the modules that allocate from arenas only; `terms` is the file with the retired terms.

function report(kind, line, rule, sentence)
{
    printf "%s\t%s:%d: %s [%s]\n", kind, FILENAME, line, sentence, rule
}

function fail(rule, sentence)
{
    report("error", FNR, rule, sentence)
}

function add_words(set, text,    parts, count, i)
{
    count = split(text, parts, " ")
    for (i = 1; i <= count; i++)
        set[parts[i]] = 1
}

# ---- tables ----

# Each line: module : modules it may include : libraries that only modules which list them may include
function read_layers(file,    line, columns, parts, count, i, name)
{
    while ((getline line < file) > 0) {
        if (line ~ /^[ \t]*(#|$)/)
            continue
        split(line, columns, ":")
        name = columns[1]
        gsub(/[ \t]/, "", name)
        modules[name] = 1
        count = split(columns[2], parts, " ")
        for (i = 1; i <= count; i++)
            may_include[name, parts[i]] = 1
        count = split(columns[3], parts, " ")
        for (i = 1; i <= count; i++)
            if (parts[i] != "-")
                modules_of_library[parts[i]] = modules_of_library[parts[i]] " " name
    }
    close(file)
}

# banned.h turns these names into compile errors; the list is read from there.
function read_banned(file,    line)
{
    while ((getline line < file) > 0)
        if (match(line, /^#define [a-z_]+\(\.\.\.\)/))
            banned = banned "|" substr(line, 9, RLENGTH - 13)
    close(file)
}

# Each line: retired term, then the term to use instead
function read_terms(file,    line, term)
{
    while ((getline line < file) > 0) {
        if (line ~ /^[ \t]*(#|$)/)
            continue
        term = line
        sub(/[ \t].*/, "", term)
        sub(/^[^ \t]+[ \t]+/, "", line)
        instead_of[term] = line
        any_term = any_term (any_term == "" ? "" : "|") term
    }
    close(file)
    any_term = any_term == "" ? "^$" : "(^|[^a-z0-9])(" any_term ")($|[^a-z0-9])"
}

BEGIN {
    layers = "src/LAYERS"
    read_layers(layers)
    read_terms(terms)
    banned = "alloca|gets|ctime|asctime|mktemp|tmpnam|tempnam"
    read_banned("src/base/banned.h")
    banned = "(^|[^A-Za-z0-9_])(" banned ")($|[^A-Za-z0-9_])"
    owning = "(^|[^A-Za-z0-9_])(free|malloc|calloc|realloc|strdup|strndup|asprintf|vasprintf)" \
             "($|[^A-Za-z0-9_])"

    # Modules that allocate from arenas only (given by tools/lint), that may not use goto, and that contain SQL.
    add_words(uses_arenas, arenas)
    add_words(no_goto, "flow preference job web dispatch page api oauth account fact portal command app")
    add_words(has_sql, "store credential db sqlite postgres pq")
    # Modules that handle struct db only as an opaque pointer.
    add_words(opaque_db, "flow preference job web dispatch page api oauth account fact portal")
    # Modules without a clock and without I/O.
    add_words(pure, "domain reading value naming wording model hint selection tokenizer")

    # Within its module, a library belongs to one file or one family of files.
    file_of_library["utf8proc.h"] = "src/text/utf8[.]c"
    file_of_library["zxcvbn.h"] = "src/crypt/password[.]c"

    # Limits of a module.
    files_max = 34
    lines_max = 5200

    # Headers that every module may include. Any other header is a new library, which must be added to the
    # table of layers first.
    add_words(c_library, "assert ctype dirent dlfcn endian errno fcntl fenv float fnmatch ftw " \
        "getopt glob grp ifaddrs inttypes langinfo libgen limits locale malloc math netdb paths " \
        "poll pthread pwd regex sched search semaphore setjmp signal spawn stdalign stdarg " \
        "stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings sysexits syslog " \
        "termios threads time uchar unistd utime wchar wctype")
}

# ---- files ----

FNR == 1 {
    finish_file()
    name = FILENAME
    sub(/.*\//, "", name)
    module = FILENAME
    sub(/^src\//, "", module)
    sub(/\/.*/, "", module)
    stem = FILENAME
    sub(/^src\//, "", stem)
    sub(/\.[ch]$/, "", stem)
    if (!(stem in includes)) {
        includes[stem] = ""
        stems[++stem_count] = stem
    }
    files_in[module]++
    is_header = name ~ /\.h$/
    in_comment = 0
    function_line = 0
    guard = toupper(module "_" name)
    gsub(/[^A-Z0-9]/, "_", guard)
    guarded = 0
    introduction = ""
    introduction_read = !is_header
    split("", reported)
    if (FILENAME !~ /^src\/[a-z]+\/[a-z0-9_]+\.[ch]$/)
        fail("names", "source files are named src/<module>/<name>.c or .h, in lower case")
    else if (!(module in modules))
        fail("layers", "the module \"" module "\" is not listed in " layers)
    if (is_header && index($0, "/* " name " - ") != 1)
        fail("header", "a header starts with \"/* " name " - \" and its purpose")
    if (!is_header)
        check_introduced()
    check_terms(name)
}

# The purpose of a .c file is described by the header of the same name, by its own first comment, or by a header
# of its module that names it ("Private to template_parse.c and template_render.c").
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
    command = "grep -lwF " name " src/" module "/*.h 2>/dev/null"
    introduced = (command | getline line) > 0
    close(command)
    if (!introduced)
        fail("header", "no header and no first comment describes the purpose of this file")
}

# A header's first comment says which threads may call. banned.h declares nothing that could be called.
function check_introduction(line)
{
    introduction = introduction " " tolower(line)
    introduction_read = index(line, "*/") > 0
    if (introduction_read && introduction !~ /thread/ && FILENAME != "src/base/banned.h")
        report("error", 1, "threads",
            "the first comment of a header says which threads may call, and who owns the results")
}

function finish_file()
{
    if (last_file != "" && last_is_header && !last_guarded)
        printf "error\t%s:1: the header has no include guard #ifndef %s [header]\n", last_file, last_guard
}

# Splits a line: returns its code, sets literals[1..literal_count] to its string literals.
function split_line(line,    code, first, end)
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
    lines_in[module]++
    last_file = FILENAME
    last_is_header = is_header
    was_in_comment = in_comment
    raw = $0
    code = split_line($0)
    if (!introduction_read)
        check_introduction(raw)
    if (!was_in_comment && raw ~ /^[ \t]*#[ \t]*include/) {
        check_include(raw)
    } else {
        check_words(code)
        check_terms(code)
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
    check_cycles()
    check_module_size()
}

# ---- includes ----

function check_include(line,    target)
{
    if (match(line, /"[^"]*"/))
        check_our_include(substr(line, RSTART + 1, RLENGTH - 2))
    else if (match(line, /<[^>]*>/))
        check_library_include(substr(line, RSTART + 1, RLENGTH - 2))
    else
        fail("layers", "an include names its file directly, not through a macro")
}

function check_our_include(target,    to)
{
    if (target in modules_of_library) {
        check_library_include(target)
        return
    }
    if (target ~ /\.\./) {
        fail("layers", "\"" target "\": include paths start at src/ and never contain \"..\"")
        return
    }
    if (target !~ /^[a-z]+\/[a-z0-9_]+\.h$/) {
        fail("layers", "\"" target "\": an include names its module, as in \"module/file.h\"")
        return
    }
    add_edge(target)
    to = target
    sub(/\/.*/, "", to)
    if (target == "db/db.h" && module in opaque_db)
        fail("layers", module " handles struct db as an opaque pointer and may not include db/db.h")
    else if (!(to in modules))
        fail("layers", "\"" target "\": the module \"" to "\" is not listed in " layers)
    else if (to != module && !((module, to) in may_include) && !((module, "*") in may_include))
        fail("layers", module " may not include " target " (see " layers ")")
    else if (target == "db/db.h" && (module == "store" || module == "credential") && is_header)
        fail("layers", "a header of " module " may not include db/db.h: modules above would see it")
    else if (module in pure && target ~ /^base\/(clock|log|workers|metric)\.h$/)
        fail("layers", module " has no clock and no I/O and may not include " target)
}

function check_library_include(target,    homes, plain)
{
    if (target in modules_of_library) {
        homes = modules_of_library[target]
        if (index(homes " ", " " module " ") == 0)
            fail("library", target " may only be included in" homes)
        else if (target in file_of_library && FILENAME !~ ("^" file_of_library[target] "$"))
            fail("library", target " may only be included in " readable(file_of_library[target]))
        return
    }
    if (target ~ /^(sys|netinet|net|arpa|linux|sanitizer)\/[a-z0-9_-]+\.h$/)
        return
    plain = target
    sub(/\.h$/, "", plain)
    if (!(plain in c_library))
        fail("library", target " is not part of the C library: add it to its module in " layers " first")
}

function readable(pattern)
{
    gsub(/\[a-z_\]\*/, "*", pattern)
    gsub(/\[\.\]/, ".", pattern)
    gsub(/\[ch\]/, "c", pattern)
    return pattern
}

# ---- include cycles ----

# In this graph a .c file and its header are one node, called by their path without ending ("web/reply").
function add_edge(target)
{
    sub(/\.h$/, "", target)
    if (target == stem || (stem, target) in edge_at)
        return
    edge_at[stem, target] = FILENAME ":" FNR
    includes[stem] = includes[stem] " " target
}

function check_cycles(    i)
{
    for (i = 1; i <= stem_count; i++)
        if (!(stems[i] in visited))
            visit(stems[i])
}

# Depth-first search. An include of a node that is on the current path closes a cycle.
function visit(node,    targets, count, i, step, cycle)
{
    visited[node] = "on path"
    path[++depth] = node
    count = split(includes[node], targets, " ")
    for (i = 1; i <= count; i++)
        if (!(targets[i] in visited)) {
            visit(targets[i])
        } else if (visited[targets[i]] == "on path") {
            for (step = depth; path[step] != targets[i]; step--)
                ;
            for (cycle = ""; step <= depth; step++)
                cycle = cycle path[step] " -> "
            printf "error\t%s: include cycle: %s%s [cycles]\n", edge_at[node, targets[i]], cycle, targets[i]
        }
    visited[node] = "done"
    depth--
}

# ---- size of modules ----

function check_module_size(    name)
{
    for (name in files_in) {
        if (files_in[name] > files_max)
            printf "error\tsrc/%s:1: the module has %d files; the limit is %d [size]\n", name,
                files_in[name], files_max
        if (lines_in[name] > lines_max)
            printf "error\tsrc/%s:1: the module has %d lines; the limit is %d [size]\n", name,
                lines_in[name], lines_max
    }
}

# ---- words ----

function check_words(code,    word)
{
    if (FILENAME != "src/base/banned.h") {
        word = first_word(code, banned)
        if (word != "")
            fail("banned", word " is banned, also in macros and as a pointer (see src/base/banned.h)")
    }
    if (module in uses_arenas) {
        word = first_word(code, owning)
        if (word != "")
            fail("banned", word " is not allowed in " module ": allocate from an arena")
    }
    if (match(code, /(^|[^A-Za-z0-9_])goto[ \t]+[A-Za-z_][A-Za-z0-9_]*/)) {
        word = substr(code, RSTART, RLENGTH)
        sub(/.*[ \t]/, "", word)
        if (word != "out")
            fail("goto", "the only label is out:, not " word ":")
        else if (module in no_goto)
            fail("goto", "goto is not allowed in " module ": arenas free memory, so return")
    }
    if (code ~ /(^|[^A-Za-z0-9_])SQL\(/ && !(module in has_sql))
        fail("sql", "SQL statements are declared in src/store and src/credential")
}

# Returns the first of these words that is neither part of a longer word nor a member of a struct, or "".
function first_word(code, pattern,    word, before)
{
    while (match(code, pattern)) {
        word = substr(code, RSTART, RLENGTH)
        before = substr(code, 1, RSTART) # includes the character before the word
        code = substr(code, RSTART + RLENGTH - 1)
        gsub(/[^a-z_]/, "", word)
        if (before !~ /(\.|->)$/)
            return word
        if (length(code) <= 1)
            return ""
    }
    return ""
}

# Rejects names that contain a retired term as a part between underscores. Each name is reported once per file.
function check_terms(code,    word, parts, count, i)
{
    if (tolower(code) !~ any_term) # most lines
        return
    while (match(code, /[A-Za-z_][A-Za-z0-9_]*/)) {
        word = substr(code, RSTART, RLENGTH)
        code = substr(code, RSTART + RLENGTH)
        if (word in reported)
            continue
        reported[word] = 1
        count = split(tolower(word), parts, "_")
        for (i = 1; i <= count; i++)
            if (parts[i] in instead_of) {
                fail("terms", word ": \"" parts[i] "\" is a retired term; use " instead_of[parts[i]])
                break
            }
    }
}

# ---- literals ----

function check_literals(    i, text)
{
    for (i = 1; i <= literal_count; i++) {
        text = literals[i]
        if (!(module in has_sql) && looks_like_sql(text))
            fail("sql", "SQL belongs in src/store, src/credential, and src/db")
        if (module == "text" || module == "template" || FILENAME == "src/base/log.c" ||
            FILENAME == "src/value/value_patterns.c") # reads markup, writes none
            continue
        if (text ~ /^</ || text ~ /<\/[a-z]/)
            fail("markup", "markup belongs in pages/, src/text, or src/template, which escape it")
        if (text ~ /\{\\"/ || text ~ /^,\\"/)
            fail("markup", "write JSON with src/text/json_write.h, which escapes it")
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

# clang-format puts only a function's braces in the first column.
function check_function_length(code,    length_now)
{
    if (code ~ /^\{/) {
        function_line = FNR
    } else if (code ~ /^\}/ && function_line > 0) {
        length_now = FNR - function_line - 1
        if (length_now > 100)
            report("error", function_line, "length",
                "the function has " length_now " lines; the limit is 100, and 50 is better")
        function_line = 0
    }
}
