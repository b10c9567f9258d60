/* call.c - the form in the body is parsed once, when the first check asks for it. */
#include "web/call.h"

#include "base/arena.h"
#include "text/form.h"

/* Read once and kept. NULL: the body is no valid form, and form_problem says why. */
const struct form *
call_form(struct call *call)
{
    if (call->form != NULL || call->form_problem != NULL)
        return call->form;
    struct form *form = ARENA_NEW(call->mem, struct form);
    struct why why = { 0 };
    if (form_read(call->mem, call->exchange->request.body, form, &why) == ERR_NONE)
        call->form = form;
    else
        call->form_problem = str_copy(call->mem, str_of(why.text)).ptr;
    return call->form;
}
