/* context_task.h - what a task is about: its domains and contexts, and the terms of its words.
 *
 * Apps send the same label for every user, so each thread remembers its latest short tasks. A long
 * task is matched anew: it is the text of one conversation.
 *
 * Any thread may call it. Nothing is shared between threads, and nothing is allocated. */
#ifndef CONTEXT_CONTEXT_TASK_H
#define CONTEXT_CONTEXT_TASK_H

#include "context/context.h"
#include "domain/terms.h"

/* Terms are set only if the match is known; otherwise there are none. */
void context_task_find(const struct context_index *index, struct str text,
                       struct context_match *match, struct terms *terms);

#endif
