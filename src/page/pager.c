/* pager.c - finds the items of the wanted page while items are added, in one pass.
 *
 * Pages are not of equal length, because items are not: only after the last item is known which
 * page is the last one. A page always has at least one item, however large it is. */
#include "page/pager.h"

#include "base/buf.h"
#include "text/html.h"
#include "template/template.h"
#include "web/call.h"
#include "web/message.h"

#define NEIGHBORS 2 /* pages on either side with their own link */
#define TEXT_MAX ((size_t)64 * 1024)

/* Pages end at a number of items or at a number of bytes. */
struct pager
pager_for(int64_t wanted, size_t items_max, size_t bytes_max)
{
    return (struct pager){ .wanted = wanted < 1 ? 1 : (size_t)wanted,
                           .items_max = items_max,
                           .bytes_max = bytes_max,
                           .pages = 1 };
}

/* Closes the current page if the item does not fit, and notes its range if it is the wanted one. */
void
pager_add(struct pager *pager, size_t bytes)
{
    size_t on_page = pager->count - pager->start;
    bool full = on_page >= pager->items_max || pager->bytes + bytes > pager->bytes_max;
    if (on_page > 0 && full) {
        if (pager->pages == pager->wanted) {
            pager->first = pager->start;
            pager->last = pager->count;
        }
        pager->pages++;
        pager->start = pager->count;
        pager->bytes = 0;
    }
    pager->bytes += bytes;
    pager->count++;
}

/* Call after the last pager_add(). If the wanted page does not exist, it shows the last. */
void
pager_settle(struct pager *pager)
{
    if (pager->wanted < pager->pages)
        return;
    pager->wanted = pager->pages;
    pager->first = pager->start;
    pager->last = pager->count;
}

bool
pager_shows(const struct pager *pager, size_t number)
{
    return number >= pager->first && number < pager->last;
}

size_t
pager_bytes(struct arena *mem, struct str text)
{
    struct buf out = buf_in(mem, TEXT_MAX);
    html_escape(&out, text);
    return out.len;
}

/* ---- links ---- */

/* `address` ends where the number goes. */
static struct str
link_to(struct call *call, struct str address, size_t page, const char *anchor)
{
    return str_format(call->mem, "%.*s%zu%s", STR_ARG(address), page, anchor);
}

/* The first page, the last, and those around the current one, with gaps between. */
static void
put_numbers(struct call *call, struct values *values, const struct pager *pager, struct str address,
            const char *anchor)
{
    size_t before = 0;
    for (size_t page = 1; page <= pager->pages; page++) {
        bool near = page + NEIGHBORS >= pager->wanted && page <= pager->wanted + NEIGHBORS;
        if (!near && page != 1 && page != pager->pages)
            continue;
        struct values *item = values_item(values, "numbers");
        values_flag(item, "gap", page > before + 1);
        values_text(item, "number", message_number(call, (int64_t)page));
        if (page == pager->wanted)
            values_flag(item, "here", true);
        else
            values_text(item, "link", link_to(call, address, page, anchor));
        before = page;
    }
}

/* Nothing if there is a single page. */
void
pager_put(struct call *call, struct values *values, const struct pager *pager, struct str address,
          const char *anchor)
{
    if (pager->pages < 2)
        return;
    const struct message_value numbers[] = {
        { "first", message_number(call, (int64_t)pager->first + 1) },
        { "last", message_number(call, (int64_t)pager->last) },
        { "count", message_number(call, (int64_t)pager->count) },
    };
    values_text(values, "range",
                message_with(call, KEY("pager.range"), numbers, sizeof numbers / sizeof *numbers));
    if (pager->wanted > 1)
        values_text(values, "previous", link_to(call, address, pager->wanted - 1, anchor));
    if (pager->wanted < pager->pages)
        values_text(values, "next", link_to(call, address, pager->wanted + 1, anchor));
    put_numbers(call, values, pager, address, anchor);
}
