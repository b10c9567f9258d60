/*
 * replay.c - runs a fuzz target without libFuzzer: on every seed of its corpus, and on changed
 * copies of them. usage: TARGET RUNS FINDING SEED_DIRECTORY
 *
 * `make check` links each target with it, so that neither clang nor a second copy of the program is
 * built. The changes are the same every time: only changed code can fail. An input that ends the
 * process is saved as FINDING.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <sanitizer/asan_interface.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 1 << 16, MOST_SEEDS = 4096 };

struct input {
    uint8_t *data;
    size_t size;
};

static struct input seeds[MOST_SEEDS];
static size_t seed_count;
static struct input current; /* for save_current */
static const char *finding;

static void
save_current(void)
{
    int file = open(finding, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || write(file, current.data, current.size) != (ssize_t)current.size)
        perror(finding);
    if (file >= 0)
        close(file);
}

static void
on_abort(int number)
{
    save_current();
    signal(number, SIG_DFL);
    raise(number);
}

static void
run(struct input input)
{
    current = input;
    (void)LLVMFuzzerTestOneInput(input.data, input.size);
}

/* ---- seeds ---- */

static int
is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void
read_seed(const char *folder, const char *name)
{
    char path[4096];
    struct stat info;
    MUST(snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    MUST(file >= 0 && fstat(file, &info) == 0 && seed_count < MOST_SEEDS);
    size_t size = (size_t)info.st_size;
    uint8_t *data = malloc(size + 1);
    MUST(data != NULL && read(file, data, size) == (ssize_t)size);
    close(file);
    seeds[seed_count++] = (struct input){ data, size };
}

static void
read_seeds(const char *folder)
{
    struct dirent **names;
    int count = scandir(folder, &names, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        read_seed(folder, names[i]->d_name);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
}

/* ---- changed copies ---- */

static uint32_t
random_below(uint32_t limit)
{
    static uint32_t state = 2463534242; /* xorshift32 */
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return limit == 0 ? 0 : state % limit;
}

/* Bytes with a meaning in most formats: brackets, quotes, separators, limits of integers and of
 * UTF-8. */
static const uint8_t special[] =
    "\0\x01\x7f\x80\xbf\xc0\xe2\xed\xf0\xff\r\n\t \"'\\/%&=?#<>[]{}:;,.-+_0129aAzZ";

static void
change(struct input *input)
{
    uint32_t size = (uint32_t)input->size;
    uint32_t at = random_below(size + 1);
    uint32_t length = random_below(random_below(4) == 0 ? 64 : 5) + 1;
    switch (random_below(5)) {
    case 0: /* flip a bit */
        if (at < size)
            input->data[at] ^= (uint8_t)(1U << random_below(8));
        break;
    case 1: /* overwrite a byte */
        if (at < size)
            input->data[at] = special[random_below(sizeof special - 1)];
        break;
    case 2: /* remove some bytes */
        if (at + length > size)
            length = size - at;
        memmove(input->data + at, input->data + at + length, size - at - length);
        input->size -= length;
        break;
    case 3: /* insert special bytes */
        if (size + length > LONGEST)
            break;
        memmove(input->data + at + length, input->data + at, size - at);
        for (uint32_t i = 0; i < length; i++)
            input->data[at + i] = special[random_below(sizeof special - 1)];
        input->size += length;
        break;
    default: { /* the rest comes from another seed */
        const struct input *other = &seeds[random_below((uint32_t)seed_count)];
        size_t from = random_below((uint32_t)other->size + 1);
        size_t rest = other->size - from;
        if (at + rest > LONGEST)
            rest = LONGEST - at;
        memcpy(input->data + at, other->data + from, rest);
        input->size = at + rest;
    }
    }
}

int
main(int argc, char **argv)
{
    MUST(argc == 4);
    long runs = strtol(argv[1], NULL, 10);
    finding = argv[2];
    read_seeds(argv[3]);
    signal(SIGABRT, on_abort);
    __asan_set_death_callback(save_current);

    static uint8_t buffer[LONGEST];
    if (seed_count == 0)
        seeds[seed_count++] = (struct input){ (uint8_t *)buffer, 0 };
    for (size_t i = 0; i < seed_count; i++)
        run(seeds[i]);
    for (long i = 0; i < runs; i++) {
        const struct input *seed = &seeds[random_below((uint32_t)seed_count)];
        struct input input = { buffer, seed->size < LONGEST ? seed->size : LONGEST };
        memmove(buffer, seed->data, input.size);
        for (uint32_t changes = random_below(4) + 1; changes > 0; changes--)
            change(&input);
        run(input);
    }
    printf("%ld inputs\n", (long)seed_count + runs);
    return 0;
}
