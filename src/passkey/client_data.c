/* client_data.c - the JSON that the browser signs: what for, with which challenge, and for which
 * site. It is read strictly, since the signature covers exactly these bytes. */
#include "passkey/client_data.h"

#include "text/json_read.h"

#define DEPTH_MAX 8 /* browsers may add members that we do not know */

static bool
read_text(const struct json_value *object, const char *key, struct str *out)
{
    const struct json_value *member = json_member(object, key);
    if (member == NULL || member->type != JSON_STR)
        return false;
    *out = member->text;
    return true;
}

/* WebAuthn §5.8.1: type, challenge, and origin are required; crossOrigin is optional, and its
 * absence means false. Unknown members are ignored, as the standard requires. */
enum err
client_data_read(struct arena *mem, struct str json, struct client_data *out)
{
    const struct json_value *object;
    struct why why = { 0 };
    *out = (struct client_data){ 0 };
    if (json.len == 0 || json.len > CLIENT_DATA_MAX ||
        json_read(mem, json, DEPTH_MAX, &object, &why) != ERR_NONE || object->type != JSON_OBJECT)
        return ERR_INVALID;
    const struct json_value *cross = json_member(object, "crossOrigin");
    if (!read_text(object, "type", &out->type) ||
        !read_text(object, "challenge", &out->challenge) ||
        !read_text(object, "origin", &out->origin) || (cross != NULL && cross->type != JSON_BOOL))
        return ERR_INVALID;
    out->cross_origin = cross != NULL && cross->integer != 0;
    return ERR_NONE;
}
