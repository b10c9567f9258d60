/* doctor.c - writes the lines of the report and counts problems. A line is shown at once, because
 * some checks take seconds. */
#include "doctor/doctor.h"

#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>

/* Longer texts are cut; a line is for one screen. */
__attribute__((format(printf, 2, 0))) static struct str
format_list(struct arena *mem, const char *format, va_list arguments)
{
    char text[600];
    vsnprintf(text, sizeof text, format, arguments);
    return str_copy(mem, str_of(text));
}

/* Findings are shown at once and not kept. */
void
doctor_ok(struct doctor_report *report, const char *check, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct doctor_line line = { check, DOCTOR_OK, format_list(report->mem, format, arguments),
                                STR_NONE };
    va_end(arguments);
    report->show(&line, report->context);
}

/* Every problem names an action, so that the operator knows what to do. */
void
doctor_problem(struct doctor_report *report, enum doctor_result result, const char *check,
               const char *action, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct doctor_line line = { check, result, format_list(report->mem, format, arguments),
                                str_of(action) };
    va_end(arguments);
    *(result == DOCTOR_WARN ? &report->warnings : &report->failures) += 1;
    report->show(&line, report->context);
}
