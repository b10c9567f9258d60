/* classifier_table.c - learns the tables of context/context_classifier.c and
 * reading/statement_class.c.
 *
 * Run by the build: classifier_table tasks FILE... > TABLE
 *                   classifier_table statements FILE... > TABLE
 *
 * A file of tasks is data/tasks/CLASS/CONTEXT.txt and has a task in each line; first those of
 * "none" and "unrelated". Those of unlabeled.txt are learned for the class only, and so are those
 * of members.txt, which have a tab and the members that matter to the task after it. A file of
 * statements is data/statements/CLASS.txt; the classes have the order of enum statement_class.
 *
 * Logistic regression: one of the classes, one of the contexts of a class, any of its members. It
 * is trained with AdaGrad in a fixed order. Each round trains on a random third of an example's
 * features (dropout), so that the model does not depend on a few, and the weights of the later
 * rounds are averaged. Every processor computes the same table: the operations are those that IEEE
 * 754 defines exactly, and the build does not let the compiler fuse them. */
#include "base/arena.h"
#include "context/context_classifier.h"
#include "context/context_internal.h"
#include "reading/statement_class.h"
#include "reading/statement_key.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 40
#define AVERAGED 20  /* of the rounds */
#define SHOWN 0.35   /* of the features of an example, in each round */
#define SHOWN_MORE 6 /* features, so that short examples keep enough */
#define RATE 0.5
#define DECAY 1e-5
#define BIAS_RATE 0.01
#define EXAMPLES_MAX 200000
#define UNLABELED SIZE_MAX

struct example {
    size_t class, context, count;
    uint64_t members; /* bit n: the n-th of the class; 0: not known */
    uint32_t *features;
};

/* For each feature the weights of all outputs, the sums of their squared slopes, and the sums of
 * the weights of the rounds that are averaged. */
struct model {
    double *weights, *slopes, *sums, *bias, *bias_sums;
    size_t outputs;
    unsigned shift; /* leaves the bits of a feature that the model has */
};

struct models {
    struct model classes, contexts, members;
};

static struct example examples[EXAMPLES_MAX];
static size_t example_count, class_count, context_count, member_count;
static struct classifier_table table;

__attribute__((noreturn, format(printf, 1, 2))) static void
stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("classifier_table: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static void *
allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        stop("out of memory");
    return memory;
}

/* ---- reading ---- */

static void
set_name(char out[CLASS_NAME_MAX], struct str name)
{
    if (name.len >= CLASS_NAME_MAX)
        stop("\"%.*s\" is too long", STR_ARG(name));
    memcpy(out, name.ptr, name.len);
}

/* The files of a class follow each other. */
static size_t
class_of(struct str name)
{
    if (class_count > 0 && str_eq_c(name, table.classes[class_count - 1]))
        return class_count - 1;
    if (class_count == CLASSES_MAX)
        stop("more than %d classes", CLASSES_MAX);
    set_name(table.classes[class_count], name);
    table.first_context[class_count] = (uint8_t)context_count;
    table.first_member[class_count] = (uint8_t)member_count;
    return class_count++;
}

static size_t
add_context(size_t class, struct str name)
{
    if (str_eq_c(name, "unlabeled") || str_eq_c(name, "members"))
        return UNLABELED;
    if (context_count == CLASS_CONTEXTS_MAX)
        stop("more than %d contexts", CLASS_CONTEXTS_MAX);
    set_name(table.contexts[context_count], name);
    table.context_count[class]++;
    return context_count++;
}

static size_t
member_of(size_t class, struct str name)
{
    size_t first = table.first_member[class];
    for (size_t k = first; k < member_count; k++)
        if (str_eq_c(name, table.members[k]))
            return k - first;
    if (member_count == CLASS_MEMBERS_MAX || member_count - first == 64)
        stop("more than %d members, or more than 64 of a class", CLASS_MEMBERS_MAX);
    set_name(table.members[member_count++], name);
    return table.member_count[class]++;
}

static void
add_example(size_t class, size_t context, uint64_t members, const struct features *features)
{
    if (features->count == 0)
        return;
    if (example_count == EXAMPLES_MAX)
        stop("more than %d examples", EXAMPLES_MAX);
    uint32_t *copy = allocate(features->count, sizeof *copy);
    memcpy(copy, features->list, features->count * sizeof *copy);
    examples[example_count++] = (struct example){ class, context, features->count, members, copy };
}

static void
add_task(size_t class, size_t context, struct str text)
{
    static struct label label;
    static struct features features;
    size_t end = str_index(text, '\t');
    struct str names = end < text.len ? str_from(text, end + 1) : STR_NONE, name;
    uint64_t members = 0;
    while (str_cut(&names, ' ', &name))
        members |= (uint64_t)1 << member_of(class, name);
    if (!label_split(str_first(text, end), &label))
        return;
    features_read(label.name, '_', &features);
    add_example(class, context, members, &features);
}

static void
add_statement(size_t class, size_t context, struct str text)
{
    static struct features features;
    struct arena *scratch = arena_new();
    features_read(statement_key(scratch, text), ' ', &features);
    arena_free(scratch);
    add_example(class, context, 0, &features);
}

static void
read_lines(const char *path, size_t class, size_t context,
           void (*add)(size_t class, size_t context, struct str text))
{
    static char line[LABEL_MAX + 2];
    FILE *file = fopen(path, "r");
    if (file == NULL)
        stop("cannot open %s", path);
    while (fgets(line, sizeof line, file) != NULL)
        if (line[0] != '#' && line[0] != '\n')
            add(class, context, str_first(str_of(line), strcspn(line, "\n")));
    fclose(file);
}

/* The last two parts of a path, the last one without its ending. */
static struct str
name_of(const char *path, struct str *folder)
{
    struct str rest = str_of(path), part, name = STR_NONE;
    *folder = STR_NONE;
    while (str_cut(&rest, '/', &part)) {
        *folder = name;
        name = part;
    }
    return str_first(name, str_index(name, '.'));
}

/* ---- learning ---- */

static struct model
new_model(size_t outputs, unsigned bits)
{
    return (struct model){
        .weights = allocate(outputs << bits, sizeof(double)),
        .slopes = allocate(outputs << bits, sizeof(double)),
        .sums = allocate(outputs << bits, sizeof(double)),
        .bias = allocate(outputs, sizeof(double)),
        .bias_sums = allocate(outputs, sizeof(double)),
        .outputs = outputs,
        .shift = FEATURE_BITS - bits,
    };
}

/* Of a number that is not above 0. Functions of C libraries differ in the last digit. */
static double
exponential(double x)
{
    double power = 1 + x / 1024;
    if (x < -40)
        return 0;
    for (int i = 0; i < 10; i++)
        power *= power;
    return power;
}

/* The weights of a feature, from the output `first` on. */
static size_t
row_of(const struct model *model, const struct example *example, size_t i, size_t first)
{
    return (example->features[i] >> model->shift) * model->outputs + first;
}

/* Sets the score of each output from `first` on. */
static void
add_up(const struct model *model, const struct example *example, size_t first, size_t count,
       double *out)
{
    double scale = 1 / sqrt((double)example->count);
    for (size_t k = 0; k < count; k++)
        out[k] = 0;
    for (size_t i = 0; i < example->count; i++) {
        const double *weights = model->weights + row_of(model, example, i, first);
        for (size_t k = 0; k < count; k++)
            out[k] += weights[k];
    }
    for (size_t k = 0; k < count; k++)
        out[k] = out[k] * scale + model->bias[first + k];
}

/* From scores to probabilities, if the example has one of the outputs. */
static void
predict_one(double *outputs, size_t count)
{
    double most = -1e300, sum = 0;
    for (size_t k = 0; k < count; k++)
        most = outputs[k] > most ? outputs[k] : most;
    for (size_t k = 0; k < count; k++) {
        outputs[k] = exponential(outputs[k] - most);
        sum += outputs[k];
    }
    for (size_t k = 0; k < count; k++)
        outputs[k] /= sum;
}

/* The same if it can have any of them. */
static void
predict_each(double *outputs, size_t count)
{
    for (size_t k = 0; k < count; k++)
        outputs[k] = outputs[k] > 0 ? 1 / (1 + exponential(-outputs[k]))
                                    : 1 - 1 / (1 + exponential(outputs[k]));
}

/* `right`: which of the outputs from `first` on the example has, a bit each. */
static void
learn(struct model *model, const struct example *example, size_t first, size_t count,
      uint64_t right, void (*predict)(double *outputs, size_t count))
{
    double errors[CLASS_MEMBERS_MAX], scale = 1 / sqrt((double)example->count);
    add_up(model, example, first, count, errors);
    predict(errors, count);
    for (size_t k = 0; k < count; k++) {
        errors[k] -= (double)(right >> k & 1);
        model->bias[first + k] -= BIAS_RATE * errors[k];
    }
    for (size_t i = 0; i < example->count; i++) {
        size_t row = row_of(model, example, i, first);
        double *restrict weights = model->weights + row, *restrict slopes = model->slopes + row;
        for (size_t k = 0; k < count; k++) {
            double slope = errors[k] * scale + DECAY * weights[k];
            slopes[k] += slope * slope;
            weights[k] -= RATE * slope / (sqrt(slopes[k]) + 1e-6);
        }
    }
}

static uint32_t
next_random(void)
{
    static uint64_t state = 12345;
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(state >> 33);
}

static void
shuffle(void)
{
    for (size_t i = example_count; i > 1; i--) {
        size_t other = next_random() % i;
        struct example example = examples[i - 1];
        examples[i - 1] = examples[other];
        examples[other] = example;
    }
}

/* The example with a part of its features, which are valid until the next call. */
static struct example
part_of(const struct example *example)
{
    static uint32_t shown[FEATURES_MAX];
    struct example part = { example->class, example->context, 0, example->members, shown };
    double share = SHOWN + SHOWN_MORE / (double)example->count;
    for (size_t i = 0; i < example->count; i++)
        if (next_random() % 1000 < share * 1000)
            shown[part.count++] = example->features[i];
    return part;
}

static void
add_to_sums(struct model *model)
{
    for (size_t i = 0; i < model->outputs << (FEATURE_BITS - model->shift); i++)
        model->sums[i] += model->weights[i];
    for (size_t k = 0; k < model->outputs; k++)
        model->bias_sums[k] += model->bias[k];
}

/* Models may have no outputs. */
static void
learn_example(struct models *models, const struct example *example)
{
    size_t first = table.first_context[example->class];
    learn(&models->classes, example, 0, models->classes.outputs, (uint64_t)1 << example->class,
          predict_one);
    if (example->context != UNLABELED)
        learn(&models->contexts, example, first, table.context_count[example->class],
              (uint64_t)1 << (example->context - first), predict_one);
    if (example->members != 0)
        learn(&models->members, example, table.first_member[example->class],
              table.member_count[example->class], example->members, predict_each);
}

static void
learn_all(struct models *models)
{
    for (int round = 0; round < ROUNDS; round++) {
        shuffle();
        for (size_t i = 0; i < example_count; i++) {
            struct example part = part_of(&examples[i]);
            if (part.count > 0)
                learn_example(models, &part);
        }
        if (round >= ROUNDS - AVERAGED) {
            add_to_sums(&models->classes);
            add_to_sums(&models->contexts);
            add_to_sums(&models->members);
        }
    }
}

/* ---- writing ---- */

static int32_t
rounded(double number)
{
    return (int32_t)(number < 0 ? number - 0.5 : number + 0.5);
}

static int8_t
limited(int32_t number)
{
    return (int8_t)(number > 127 ? 127 : number < -127 ? -127 : number);
}

/* Row after row of `width` weights. A text has more features than examples have shown, so that the
 * sums of their weights are greater. */
static void
set_weights(const struct model *model, size_t width, int8_t *out, int32_t *bias)
{
    double scale = sqrt(SHOWN) * LINEAR_WEIGHT_SCALE / AVERAGED;
    for (size_t i = 0; i < (size_t)1 << (FEATURE_BITS - model->shift); i++)
        for (size_t k = 0; k < model->outputs; k++)
            out[i * width + k] = limited(rounded(model->sums[i * model->outputs + k] * scale));
    for (size_t k = 0; k < model->outputs; k++)
        bias[k] = rounded(model->bias_sums[k] / AVERAGED * LINEAR_SCORE_SCALE);
}

static void
write_table(const void *bytes, size_t size)
{
    if (fwrite(bytes, size, 1, stdout) != 1 || fflush(stdout) != 0)
        stop("cannot write the table");
}

static void
learn_tasks(char **files, int count)
{
    for (int i = 0; i < count; i++) {
        struct str folder, name = name_of(files[i], &folder);
        size_t class = class_of(folder);
        read_lines(files[i], class, add_context(class, name), add_task);
    }
    if (strcmp(table.classes[CLASS_NONE], "none") != 0 ||
        strcmp(table.classes[CLASS_UNRELATED], "unrelated") != 0)
        stop("the first files must be those of the classes \"none\" and \"unrelated\"");
    struct models models = { new_model(class_count, FEATURE_BITS),
                             new_model(context_count, CONTEXT_FEATURE_BITS),
                             new_model(member_count, MEMBER_FEATURE_BITS) };
    learn_all(&models);
    set_weights(&models.classes, CLASSES_MAX, table.weights[0], table.bias);
    set_weights(&models.contexts, CLASS_CONTEXTS_MAX, table.context_weights[0], table.context_bias);
    set_weights(&models.members, CLASS_MEMBERS_MAX, table.member_weights[0], table.member_bias);
    write_table(&table, sizeof table);
}

static void
learn_statements(char **files, int count)
{
    static const char *const names[STATEMENT_CLASSES] = { "none", "allergy", "faith", "health",
                                                          "physical" };
    static struct statement_table learned;
    if (count != STATEMENT_CLASSES)
        stop("%d files are needed, one per class", STATEMENT_CLASSES);
    for (int i = 0; i < count; i++) {
        struct str folder, name = name_of(files[i], &folder);
        if (!str_eq_c(name, names[i]))
            stop("%s: the files must be those of the classes, in their order", files[i]);
        read_lines(files[i], (size_t)i, UNLABELED, add_statement);
    }
    struct model none = new_model(0, STATEMENT_FEATURE_BITS);
    struct models models = { new_model(STATEMENT_CLASSES, STATEMENT_FEATURE_BITS), none, none };
    learn_all(&models);
    set_weights(&models.classes, STATEMENT_CLASSES, learned.weights[0], learned.bias);
    write_table(&learned, sizeof learned);
}

int
main(int count, char **words)
{
    if (count > 2 && strcmp(words[1], "tasks") == 0)
        learn_tasks(words + 2, count - 2);
    else if (count > 2 && strcmp(words[1], "statements") == 0)
        learn_statements(words + 2, count - 2);
    else
        stop("usage: classifier_table tasks|statements FILE...");
    return 0;
}
