/* token_rows.h - what the statements on access tokens and on refresh tokens share. Private to
 * token_store.c and refresh_store.c. Pure; any thread may call it. */
#ifndef CREDENTIAL_TOKEN_ROWS_H
#define CREDENTIAL_TOKEN_ROWS_H

#include "base/err.h"
#include "store/row_key.h"

/* Tokens are looked up by the row key of their hash. If a new token has the row key of an existing
 * one, which is very unlikely, adding it fails and the app has to retry. */
#define db_token(hash) db_int(row_key_of_hash(hash)), db_text(hash)

/* The result of adding a token: no row was returned because another token has the row key. */
static inline enum err
token_added(enum err err)
{
    return err == ERR_NOT_FOUND ? ERR_UNAVAILABLE : err;
}

#endif
