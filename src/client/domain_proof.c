/* domain_proof.c - fetches /.well-known/… of an app's homepage and searches it for the client
 * ID. */
#include "client/domain_proof.h"

#include "base/arena.h"
#include "client/document.h"
#include "client/document_url.h"
#include "client/documents.h"
#include "net/fetch.h"

/* One request that waits for the proof file of its app's host. */
struct domain_proof {
    struct documents *documents;
    struct str homepage;
    struct fetch fetch;
};

/* The host ends at the first of "/?#"; a user name in it does not pass documents_url_problem(). */
struct str
domain_proof_url(const struct documents *documents, struct arena *mem, struct str homepage,
                 const char **problem)
{
    struct str scheme = STR("https://");
    struct str rest = str_starts(homepage, scheme) ? str_from(homepage, scheme.len) : STR("");
    size_t end = 0;
    while (end < rest.len && strchr("/?#", rest.ptr[end]) == NULL)
        end++;
    struct str url =
        str_format(mem, "https://%.*s" DOMAIN_PROOF_PATH, STR_ARG(str_first(rest, end)));
    *problem = documents == NULL ? "This service does not fetch files of other hosts."
               : rest.len == 0   ? "Save a homepage first."
                                 : NULL;
    if (*problem == NULL && documents_url_problem(documents, url) != NULL)
        *problem = "The host of the homepage cannot be verified. It must be a public host name in "
                   "lower case, and this service must accept it.";
    return *problem == NULL ? url : STR_NONE;
}

struct domain_proof *
domain_proof_new(struct documents *documents, struct arena *mem, struct str url,
                 struct str homepage)
{
    struct domain_proof *proof = ARENA_NEW(mem, struct domain_proof);
    proof->documents = documents;
    proof->homepage = homepage;
    proof->fetch = (struct fetch){ .mem = mem, .url = url, .host = document_url_host(url) };
    return proof;
}

void
domain_proof_wait(void *context, void (*resume)(void *argument), void *argument)
{
    struct domain_proof *proof = context;
    documents_get(proof->documents, &proof->fetch, resume, argument);
}

/* One file can prove several apps, one per line. */
static bool
has_line(struct str text, struct str wanted)
{
    struct str line;
    while (str_cut(&text, '\n', &line)) {
        if (str_ends(line, STR("\r")))
            line = str_first(line, line.len - 1);
        if (str_eq(str_trim(line), wanted))
            return true;
    }
    return false;
}

/* A host that does not answer proves nothing, so this result differs from a refusal. */
enum domain_result
domain_proof_finish(const struct domain_proof *proof, struct str client_id, struct str homepage,
                    const char **problem)
{
    const struct fetch *fetch = &proof->fetch;
    *problem = NULL;
    if (!str_eq(homepage, proof->homepage)) {
        *problem = "The homepage was changed while its host was verified. Verify it again.";
        return DOMAIN_UNREACHABLE;
    }
    if (fetch->result == FETCH_BUSY) {
        *problem = "This service is fetching too many files right now. Try again in a minute.";
        return DOMAIN_BUSY;
    }
    if (fetch->result == FETCH_TOO_LARGE) {
        *problem = "The file has more than 10 KiB.";
        return DOMAIN_REFUSED;
    }
    if (fetch->result != FETCH_DONE || document_status_is_temporary(fetch->status)) {
        *problem = "The host cannot be reached on the public internet, it did not answer in time, "
                   "or its certificate is not valid.";
        return DOMAIN_UNREACHABLE;
    }
    if (fetch->status != 200)
        *problem = "The host does not have the file: its status is not 200. Redirects are not "
                   "followed.";
    else if (!str_starts(fetch->type, STR("text/plain")))
        *problem = "The file must be sent with Content-Type: text/plain.";
    else if (!has_line(fetch->body, client_id))
        *problem = "The file does not have the client ID of this app on a line of its own.";
    return *problem == NULL ? DOMAIN_VERIFIED : DOMAIN_REFUSED;
}
