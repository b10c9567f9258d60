/* classifier_table.c - learns the table that context/context_classifier.h describes.
 *
 * Run by the build: classifier_table FILE... > TABLE
 * FILE is data/tasks/CLASS/CONTEXT.txt and has a task in each line; first those of "none" and
 * "unrelated".
 * Those of unlabeled.txt are learned for the class only.
 *
 * Multinomial logistic regression, trained with AdaGrad in a fixed order. Every processor computes
 * the same table: the operations are those that IEEE 754 defines exactly, and the build does not
 * let the compiler fuse them. */
#include "context/context_classifier.h"

#include "context/context_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 12
#define RATE 0.5
#define DECAY 1e-4
#define BIAS_RATE 0.01
#define TASKS_MAX 100000
#define UNLABELED SIZE_MAX

struct task {
    size_t class, context, count;
    uint32_t *features;
};

/* For each feature the weights of all outputs, and the sums of their squared slopes. */
struct model {
    double *weights, *slopes, *bias;
    size_t outputs;
    unsigned shift; /* leaves the bits of a feature that the model has */
};

static struct task tasks[TASKS_MAX];
static size_t task_count, class_count, context_count;
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
    return class_count++;
}

static size_t
add_context(size_t class, struct str name)
{
    if (str_eq_c(name, "unlabeled"))
        return UNLABELED;
    if (context_count == CLASS_CONTEXTS_MAX)
        stop("more than %d contexts", CLASS_CONTEXTS_MAX);
    set_name(table.contexts[context_count], name);
    table.context_count[class]++;
    return context_count++;
}

static void
add_task(size_t class, size_t context, struct str text)
{
    static struct label label;
    static struct features features;
    if (!label_split(text, &label))
        return;
    if (task_count == TASKS_MAX)
        stop("more than %d tasks", TASKS_MAX);
    context_features(label.name, &features);
    uint32_t *copy = allocate(features.count, sizeof *copy);
    memcpy(copy, features.list, features.count * sizeof *copy);
    tasks[task_count++] = (struct task){ class, context, features.count, copy };
}

static void
read_tasks(const char *path)
{
    static char line[LABEL_MAX + 2];
    struct str rest = str_of(path), part, folder = STR_NONE, name = STR_NONE;
    while (str_cut(&rest, '/', &part)) {
        folder = name;
        name = part;
    }
    size_t class = class_of(folder);
    size_t context = add_context(class, str_first(name, str_index(name, '.')));
    FILE *file = fopen(path, "r");
    if (file == NULL)
        stop("cannot open %s", path);
    while (fgets(line, sizeof line, file) != NULL)
        if (line[0] != '#' && line[0] != '\n')
            add_task(class, context, str_first(str_of(line), strcspn(line, "\n")));
    fclose(file);
}

/* ---- learning ---- */

static struct model
new_model(size_t outputs, unsigned bits)
{
    return (struct model){
        .weights = allocate(outputs << bits, sizeof(double)),
        .slopes = allocate(outputs << bits, sizeof(double)),
        .bias = allocate(outputs, sizeof(double)),
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

/* Sets the probability of the outputs from `first` on. */
static void
predict(const struct model *model, const struct task *task, size_t first, size_t count, double *out)
{
    double most = -1e300, sum = 0, scale = 1 / sqrt((double)task->count);
    for (size_t k = 0; k < count; k++) {
        out[k] = 0;
        for (size_t i = 0; i < task->count; i++)
            out[k] +=
                model->weights[(task->features[i] >> model->shift) * model->outputs + first + k];
        out[k] = out[k] * scale + model->bias[first + k];
        most = out[k] > most ? out[k] : most;
    }
    for (size_t k = 0; k < count; k++) {
        out[k] = exponential(out[k] - most);
        sum += out[k];
    }
    for (size_t k = 0; k < count; k++)
        out[k] /= sum;
}

/* `right`: which of the outputs from `first` on the task has. */
static void
learn(struct model *model, const struct task *task, size_t first, size_t count, size_t right)
{
    double probability[CLASS_CONTEXTS_MAX], scale = 1 / sqrt((double)task->count);
    predict(model, task, first, count, probability);
    for (size_t k = 0; k < count; k++) {
        double error = probability[k] - (k == right ? 1 : 0);
        model->bias[first + k] -= BIAS_RATE * error;
        for (size_t i = 0; i < task->count; i++) {
            size_t at = (task->features[i] >> model->shift) * model->outputs + first + k;
            double slope = error * scale + DECAY * model->weights[at];
            model->slopes[at] += slope * slope;
            model->weights[at] -= RATE * slope / (sqrt(model->slopes[at]) + 1e-6);
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
    for (size_t i = task_count; i > 1; i--) {
        size_t other = next_random() % i;
        struct task task = tasks[i - 1];
        tasks[i - 1] = tasks[other];
        tasks[other] = task;
    }
}

static void
learn_all(struct model *classes, struct model *contexts)
{
    for (int round = 0; round < ROUNDS; round++) {
        shuffle();
        for (size_t i = 0; i < task_count; i++) {
            size_t class = tasks[i].class, first = table.first_context[class];
            learn(classes, &tasks[i], 0, class_count, class);
            if (tasks[i].context != UNLABELED)
                learn(contexts, &tasks[i], first, table.context_count[class],
                      tasks[i].context - first);
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

/* Row after row of `width` weights. */
static void
set_weights(const struct model *model, size_t width, int8_t *out, int32_t *bias)
{
    for (size_t i = 0; i < (size_t)1 << (FEATURE_BITS - model->shift); i++)
        for (size_t k = 0; k < model->outputs; k++)
            out[i * width + k] =
                limited(rounded(model->weights[i * model->outputs + k] * CLASS_WEIGHT_SCALE));
    for (size_t k = 0; k < model->outputs; k++)
        bias[k] = rounded(model->bias[k] * CLASS_SCORE_SCALE);
}

int
main(int count, char **files)
{
    for (int i = 1; i < count; i++)
        read_tasks(files[i]);
    if (strcmp(table.classes[CLASS_NONE], "none") != 0 ||
        strcmp(table.classes[CLASS_UNRELATED], "unrelated") != 0)
        stop("the first files must be those of the classes \"none\" and \"unrelated\"");
    struct model classes = new_model(class_count, FEATURE_BITS);
    struct model contexts = new_model(context_count, CONTEXT_FEATURE_BITS);
    learn_all(&classes, &contexts);
    set_weights(&classes, CLASSES_MAX, table.weights[0], table.bias);
    set_weights(&contexts, CLASS_CONTEXTS_MAX, table.context_weights[0], table.context_bias);
    if (fwrite(&table, sizeof table, 1, stdout) != 1 || fflush(stdout) != 0)
        stop("cannot write the table");
    return 0;
}
