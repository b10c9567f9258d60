-- The initial schema. Later steps are files of their own (0002_name.sql) and run once per store, in
-- order; src/db/migrate.c applies them.
--
-- Steps are written in SQLite's dialect. On PostgreSQL, migrate.c removes WITHOUT ROWID, reads
-- INTEGER PRIMARY KEY as BIGINT PRIMARY KEY, and CREATE TABLE /*UNLOGGED*/ as CREATE UNLOGGED TABLE.
--
-- Conventions: times are seconds since 1970; `day` is days since 1970 in UTC; a flag is 0 or 1;
-- `position` orders rows by creation; `scopes` is a list separated by spaces. Columns whose names
-- end in `_hash` hold digests: no password, token, or code is stored in plain text.
--
-- `row_key` is an integer made of the first characters of an id or a hash (src/store/row_key.h).
-- SQLite clusters such a table by the integer, so a lookup reads fewer pages than a lookup by text.
-- Two ids can share a row key, so statements also compare the text.
--
-- Shards (src/base/shard.h, docs/SCALE.md): everything that belongs to a user begins with the user's
-- shard: ids and hashes with its two characters, row keys with its 12 bits. Every
-- unique key of a user's table contains such a column, so that users can be spread over several
-- databases. Tables named …_lookup lead from what a user types to the user id.
--
-- `epoch` of a user or an app increases when it is disabled. A session, token family, or access
-- token of an earlier epoch is revoked, and stays revoked after the user or app is enabled again.

-- ---- users ----

-- `username` and `email_key` are case-folded; the lookup tables below make them unique. `email` is
-- confirmed. `new_email` is not: it is not unique, and nothing but a link sent to it proves that it
-- belongs to the user. `device_key` is random; it authenticates the cookie of a known device.
CREATE TABLE user_account (
    user_id       TEXT   NOT NULL PRIMARY KEY,
    username      TEXT   NOT NULL,
    email         TEXT,
    email_key     TEXT,
    name          TEXT,
    password_hash TEXT,
    status        TEXT   NOT NULL,
    position      BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    epoch         BIGINT NOT NULL DEFAULT 0,
    new_email     TEXT,
    language      TEXT,
    time_zone     TEXT,
    device_key    TEXT,
    picture       TEXT
) WITHOUT ROWID;
CREATE INDEX user_account_position ON user_account (position);

CREATE TABLE username_lookup (
    username TEXT NOT NULL PRIMARY KEY,
    user_id  TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE email_lookup (
    email_key TEXT NOT NULL PRIMARY KEY,
    user_id   TEXT NOT NULL
) WITHOUT ROWID;

-- Lookup rows (of `kind` username, email, or passkey) whose user is in another database, until
-- housekeeping has compared both (docs/SCALE.md). Empty if there is one database.
CREATE TABLE lookup_claim (
    kind       TEXT   NOT NULL,
    lookup_key TEXT   NOT NULL,
    user_id    TEXT   NOT NULL,
    claimed_at BIGINT NOT NULL,
    PRIMARY KEY (kind, lookup_key, user_id)
) WITHOUT ROWID;
CREATE INDEX lookup_claim_age ON lookup_claim (claimed_at);

-- `image` is a PNG as base64url. Anyone who knows the id can load it.
CREATE TABLE user_picture (
    picture_id TEXT NOT NULL PRIMARY KEY,
    image      TEXT NOT NULL
) WITHOUT ROWID;

-- `confirmed_at` is when the user last proved who they are, with a password or a passkey.
CREATE TABLE session (
    session_hash TEXT   NOT NULL PRIMARY KEY,
    user_id      TEXT   NOT NULL,
    user_epoch   BIGINT NOT NULL,
    device       TEXT   NOT NULL,
    address      TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    confirmed_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX session_of_user ON session (user_id, created_at);
CREATE INDEX session_expiry ON session (expires_at);

-- Passkeys. `credential_id` and `public_key` are base64url; `algorithm` is a COSE number (-7, -8, or
-- -257). `sign_count` is the authenticator's counter: a value that does not increase reveals a copy.
-- `used_at` is 0 if the passkey was never used.
CREATE TABLE passkey (
    user_id       TEXT   NOT NULL,
    credential_id TEXT   NOT NULL,
    passkey_id    TEXT   NOT NULL,
    name          TEXT   NOT NULL,
    algorithm     BIGINT NOT NULL,
    public_key    TEXT   NOT NULL,
    sign_count    BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    used_at       BIGINT NOT NULL,
    PRIMARY KEY (user_id, credential_id)
) WITHOUT ROWID;

-- Makes credential ids unique: a passkey belongs to one account.
CREATE TABLE passkey_lookup (
    credential_id TEXT NOT NULL PRIMARY KEY,
    user_id       TEXT NOT NULL
) WITHOUT ROWID;

-- One row: the key that authenticates challenges for passkeys, so that a challenge needs no row until
-- it is used. It opens nothing without a passkey.
CREATE TABLE challenge_key (
    id          BIGINT NOT NULL PRIMARY KEY,
    private_key TEXT   NOT NULL
) WITHOUT ROWID;

-- Challenges that were used, until they expire.
CREATE TABLE used_challenge (
    challenge_hash TEXT   NOT NULL PRIMARY KEY,
    expires_at     BIGINT NOT NULL
) WITHOUT ROWID;

CREATE INDEX used_challenge_expiry ON used_challenge (expires_at);

-- Recovery codes that have not been used. A user's codes are replaced together.
CREATE TABLE recovery_code (
    user_id   TEXT NOT NULL,
    code_hash TEXT NOT NULL,
    PRIMARY KEY (user_id, code_hash)
) WITHOUT ROWID;

-- Links that work once. `purpose` is 'reset' (set a new password) or 'verify' (confirm that the
-- email address `address` belongs to the user).
CREATE TABLE one_time_link (
    link_hash  TEXT   NOT NULL PRIMARY KEY,
    user_id    TEXT   NOT NULL,
    purpose    TEXT   NOT NULL,
    address    TEXT,
    expires_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX one_time_link_user ON one_time_link (user_id);
CREATE INDEX one_time_link_expiry ON one_time_link (expires_at);

-- Email that has not been sent. A message is written when it is sent, so that its link exists only
-- there. `address` is the recipient; for a password reset, the address that somebody typed, which may
-- belong to no user. `detail` is the device or the app that a notice names.
CREATE TABLE outbox (
    mail_id     TEXT   NOT NULL PRIMARY KEY,
    kind        TEXT   NOT NULL,
    user_id     TEXT,
    address     TEXT   NOT NULL,
    detail      TEXT,
    tries       BIGINT NOT NULL,
    next_try_at BIGINT NOT NULL,
    created_at  BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX outbox_next_try ON outbox (next_try_at);
CREATE INDEX outbox_address ON outbox (address);
CREATE INDEX outbox_user ON outbox (user_id);

-- Failed sign-ins, counted over all nodes on PostgreSQL (src/dispatch/throttle.h): a row per account,
-- network, or session, whose digest is `attempt_key`, until its window ends.
CREATE TABLE attempt (
    attempt_key TEXT   NOT NULL PRIMARY KEY,
    times       BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX attempt_expiry ON attempt (expires_at);

-- How often each node was called with an access token in the last second, if that was much of the
-- token's limit (src/dispatch/rate_share.h). `rate_key` is a hash of the token.
CREATE TABLE /*UNLOGGED*/ api_rate (
    rate_key   BIGINT NOT NULL,
    node       BIGINT NOT NULL,
    requests   BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (rate_key, node)
) WITHOUT ROWID;
CREATE INDEX api_rate_expiry ON api_rate (expires_at);

-- ---- preferences ----

-- A user's atoms, one row per domain. `atoms` is the domain's atom list: one line per atom, with
-- its sources (src/model/atom_list.h). It is read and written as a whole. A domain keeps its row
-- when its list becomes empty.
CREATE TABLE user_atoms (
    row_key INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    domain  TEXT NOT NULL,
    atoms   TEXT NOT NULL
) /*WITH (fillfactor=80)*/;

-- A user's preferences as the API returns them: one row per domain, and one user header row, whose
-- domain is ''. Rewritten in the transaction that changes the atoms.
--
-- Only the header row has `generation`, a random number that changes with the user's atoms;
-- `auth_version`, which increases whenever something that the user allowed changes
-- (src/credential/token_store.h); `atom_sequence`, the number of the last atom added; and `hint_sets`,
-- one line per domain: its name, a space, and its hint set (src/store/record_store.c).
--
-- The long columns come last, so that SQLite can read the others without them. PostgreSQL keeps the
-- hint sets of most users in the row, and room in each page for the next version of its rows.
CREATE TABLE user_record (
    row_key       INTEGER PRIMARY KEY,
    user_id       TEXT   NOT NULL,
    domain        TEXT   NOT NULL,
    generation    BIGINT,
    auth_version  BIGINT,
    atom_sequence BIGINT,
    atom_count    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    record        TEXT   NOT NULL,
    hint_sets     TEXT
) /*WITH (fillfactor=70, toast_tuple_target=4096)*/;

-- The user's last change, so that it can be undone: one row per user, replaced by the next change.
-- The two lists hold the changed atoms in the format of user_atoms.
CREATE TABLE undo (
    user_id      TEXT   NOT NULL PRIMARY KEY,
    undo_id      TEXT   NOT NULL,
    domain       TEXT   NOT NULL,
    atoms_before TEXT   NOT NULL,
    atoms_after  TEXT   NOT NULL,
    expires_at   BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX undo_expiry ON undo (expires_at);

-- An uploaded document that the user has not confirmed yet: one row per user, replaced by the next
-- upload.
CREATE TABLE import_draft (
    user_id    TEXT   NOT NULL PRIMARY KEY,
    draft_id   TEXT   NOT NULL,
    document   TEXT   NOT NULL,
    expires_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX import_draft_expiry ON import_draft (expires_at);

-- ---- apps and what users allow them ----

-- `kind` is portal, document, or registered (src/model/app.h); only the portal's apps have an owner.
-- `document` is the client_id of an app that has a client ID metadata document: its URL.
-- It was last fetched at `checked_at` and is fetched again after `fresh_until`; `document_mark` changes
-- with its redirect hosts and keys.
-- `expires_at` is 0 for the portal's apps; use of the others postpones it (src/model/app.h).
-- `logo` is a digest of the image in app_logo, which is base64url of a PNG.
-- `purpose` is the context of hints for requests that send none.
-- The host of `homepage` was verified at `verified_at`; 0: not verified.
-- `redirect_uris` has one URI per line. The previous secret stays valid until `old_secret_expires_at`.
CREATE TABLE app (
    app_id                TEXT   NOT NULL PRIMARY KEY,
    owner_id              TEXT   NOT NULL,
    name                  TEXT   NOT NULL,
    redirect_uris         TEXT   NOT NULL,
    scopes                TEXT   NOT NULL,
    is_public             BIGINT NOT NULL,
    secret_hash           TEXT,
    old_secret_hash       TEXT,
    old_secret_expires_at BIGINT,
    status                TEXT   NOT NULL,
    epoch                 BIGINT NOT NULL,
    position              BIGINT NOT NULL,
    created_at            BIGINT NOT NULL,
    updated_at            BIGINT NOT NULL,
    homepage              TEXT,
    privacy_link          TEXT,
    kind                  TEXT   NOT NULL,
    document              TEXT,
    expires_at            BIGINT NOT NULL DEFAULT 0,
    rate_api              BIGINT NOT NULL DEFAULT 0,
    document_mark         TEXT,
    checked_at            BIGINT NOT NULL DEFAULT 0,
    fresh_until           BIGINT NOT NULL DEFAULT 0,
    logo                  TEXT,
    purpose               TEXT,
    verified_at           BIGINT NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX app_owner ON app (owner_id, position);
CREATE UNIQUE INDEX app_position ON app (position);
CREATE INDEX app_kind ON app (kind, position);
CREATE INDEX app_expiry ON app (expires_at);

-- Apps that were deleted, until housekeeping has deleted their grants and counts, in steps; at least
-- for two hours, in which access tokens of the app expire. Without its row in `app`, nothing of the
-- app is valid. `epoch` is that of the app: if an app with the same id registers again, it starts
-- with a higher one.
CREATE TABLE deleted_app (
    app_id     TEXT   NOT NULL PRIMARY KEY,
    epoch      BIGINT NOT NULL,
    deleted_at BIGINT NOT NULL,
    next_at    BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX deleted_app_next ON deleted_app (next_at);

CREATE TABLE app_logo (
    app_id TEXT NOT NULL PRIMARY KEY,
    image  TEXT NOT NULL
) WITHOUT ROWID;

-- An authorization request while the user decides. It is stored here rather than in the form, so
-- that the form cannot change it. `is_trial`: the app's developer started it on the portal.
CREATE TABLE auth_request (
    request_hash TEXT   NOT NULL PRIMARY KEY,
    session_hash TEXT   NOT NULL,
    app_id       TEXT   NOT NULL,
    redirect_uri TEXT   NOT NULL,
    scopes       TEXT   NOT NULL,
    state        TEXT,
    challenge    TEXT   NOT NULL,
    must_sign_in BIGINT NOT NULL,
    must_consent BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    is_trial     BIGINT NOT NULL DEFAULT 0,
    shown        TEXT   NOT NULL,
    audience     BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX auth_request_expiry ON auth_request (expires_at);
CREATE INDEX auth_request_session ON auth_request (session_hash);

-- The scopes that a user allows an app. Revoking a grant deletes the row, which revokes its token
-- families. `hint_domains` and `write_domains` are the domains in which agent_hints and
-- preferences:write may be used, because a consent page showed them for that; `*` is every domain.
-- `sensitive_domains` are those whose sensitive facts the user shares with the app.
-- `shown` is what the page said about the app, one line each: its name, its privacy link, and every
-- place to which it sent the user. `reused_at` is when a code or refresh token was last used a second
-- time, which revoked its family; 0: never. `writes_wait` is 1 if what the app writes is held until the
-- user confirms it. `requested` is every scope that the app has requested, allowed or not. `withheld`
-- is the facts that the app must not see (src/model/view.h). `expiry_noted` is 1 if the activity of
-- the user has the expiry.
CREATE TABLE app_grant (
    grant_id      TEXT   NOT NULL PRIMARY KEY,
    user_id       TEXT   NOT NULL,
    app_id        TEXT   NOT NULL,
    scopes        TEXT   NOT NULL,
    hint_domains  TEXT   NOT NULL,
    write_domains TEXT   NOT NULL,
    sensitive_domains TEXT NOT NULL,
    expires_at    BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    shown         TEXT   NOT NULL,
    writes_wait   BIGINT NOT NULL,
    requested     TEXT   NOT NULL,
    reused_at     BIGINT NOT NULL DEFAULT 0,
    withheld      TEXT   NOT NULL,
    expiry_noted  BIGINT NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE UNIQUE INDEX app_grant_pair ON app_grant (user_id, app_id);
CREATE INDEX app_grant_app ON app_grant (app_id);
CREATE INDEX app_grant_expiry ON app_grant (expires_at);
CREATE INDEX app_grant_unnoted ON app_grant (expires_at) WHERE expiry_noted = 0;

-- One authorization under a grant: a code and every token issued from it. `domains_limited` is 1 if
-- the app asked for single domains; its writes and hints are then limited to these. `user_row_key`
-- is the row key of the user header row. `issued_at` is when a refresh token was issued; it is
-- updated at most once a day. `audience` is where its tokens are valid (src/model/grant.h).
--
-- Codes and tokens have no index on `family_id`: deleting the family revokes them, and they are
-- deleted when they expire. Such indexes were a third of the bytes that a refresh wrote.
CREATE TABLE token_family (
    family_id       TEXT   NOT NULL PRIMARY KEY,
    grant_id        TEXT   NOT NULL,
    user_id         TEXT   NOT NULL,
    app_id          TEXT   NOT NULL,
    user_epoch      BIGINT NOT NULL,
    app_epoch       BIGINT NOT NULL,
    scopes          TEXT   NOT NULL,
    domains_limited BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL,
    user_row_key    BIGINT NOT NULL,
    issued_at       BIGINT NOT NULL DEFAULT 0,
    audience        BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX token_family_grant ON token_family (grant_id, created_at);
CREATE INDEX token_family_user ON token_family (user_id);
CREATE INDEX token_family_app ON token_family (app_id);
CREATE INDEX token_family_expiry ON token_family (expires_at);

CREATE TABLE auth_code (
    code_hash    TEXT   NOT NULL PRIMARY KEY,
    family_id    TEXT   NOT NULL,
    app_id       TEXT   NOT NULL,
    redirect_uri TEXT   NOT NULL,
    challenge    TEXT   NOT NULL,
    redeemed_at  BIGINT,
    expires_at   BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX auth_code_expiry ON auth_code (expires_at);

-- While `auth_version` equals that of the user header row, the token is valid until `valid_until`
-- without a look at its family and grant. Otherwise these are read.
CREATE TABLE access_token (
    row_key         INTEGER PRIMARY KEY,
    token_hash      TEXT   NOT NULL,
    family_id       TEXT   NOT NULL,
    app_id          TEXT   NOT NULL,
    app_epoch       BIGINT NOT NULL,
    user_row_key    BIGINT NOT NULL,
    auth_version    BIGINT NOT NULL,
    scopes          TEXT   NOT NULL,
    hint_domains    TEXT   NOT NULL,
    write_domains   TEXT   NOT NULL,
    sensitive_domains TEXT NOT NULL,
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL,
    valid_until     BIGINT NOT NULL,
    audience        BIGINT NOT NULL,
    withheld        TEXT   NOT NULL
);
CREATE INDEX access_token_expiry ON access_token (expires_at);

-- A used refresh token stays for a minute, in which its client may retry. After that the family, whose
-- id is part of every refresh token, recognizes it (src/credential/token_store.h).
-- `seed` is random: the pair that replaced a public client's token is derived from that token and
-- `seed`, so that a retry gets the same pair again.
CREATE TABLE refresh_token (
    row_key    INTEGER PRIMARY KEY,
    token_hash TEXT   NOT NULL,
    family_id  TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT,
    reuses     BIGINT NOT NULL,
    seed       TEXT
);
CREATE INDEX refresh_token_expiry ON refresh_token (expires_at);

-- ---- usage ----

-- Requests per app and day, for its developer. Counted in memory and added here every few seconds.
-- Each process adds to a `part` of its own, so that no two wait for the same row; the sum counts,
-- and with several databases the sum over all of them (src/job/usage.c).
-- `slot` is the day, followed by 42 bits of the app id.
CREATE TABLE app_usage (
    app_id  TEXT   NOT NULL,
    day     BIGINT NOT NULL,
    part    BIGINT NOT NULL,
    calls   BIGINT NOT NULL,
    tokens  BIGINT NOT NULL,
    refused BIGINT NOT NULL,
    failed  BIGINT NOT NULL,
    slot    BIGINT NOT NULL,
    PRIMARY KEY (app_id, day, part)
) WITHOUT ROWID;
CREATE INDEX app_usage_day ON app_usage (day);

-- Requests per app, day, and user, for the user's list of connected apps. Deleted with the grant.
-- `slot` is that of app_usage; `user_key` is an integer made of the user id
-- (src/store/usage_store.c), and begins with the shard. It is not the first column, because the rows
-- of an app's day are written together and are adjacent this way.
CREATE TABLE user_usage (
    slot     BIGINT NOT NULL,
    user_key BIGINT NOT NULL,
    calls    BIGINT NOT NULL,
    last_use BIGINT NOT NULL,
    PRIMARY KEY (slot, user_key)
) WITHOUT ROWID;

-- Users who recently disconnected an app or deleted their account. Requests counted before that may
-- still be in memory and must not be added to user_usage. Nothing locks a row of the app for that: a
-- count that is being written meanwhile is deleted with the row here, an hour later.
CREATE TABLE usage_revocation (
    user_id    TEXT   NOT NULL,
    app_id     TEXT   NOT NULL,
    revoked_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, app_id)
) WITHOUT ROWID;
CREATE INDEX usage_revocation_age ON usage_revocation (revoked_at);

-- Rejected requests of an app, one row per kind with a count and the newest example, so that a
-- client that repeats an error fills one row. Holds no secret, token, or code.
CREATE TABLE app_refusal (
    app_id   TEXT   NOT NULL,
    endpoint TEXT   NOT NULL,
    error    TEXT   NOT NULL,
    reason   TEXT   NOT NULL,
    detail   TEXT   NOT NULL,
    times    BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at  BIGINT NOT NULL,
    PRIMARY KEY (app_id, endpoint, error, reason)
) WITHOUT ROWID;
CREATE INDEX app_refusal_age ON app_refusal (last_at);

-- ---- activity ----

-- What apps did with a user's data, and what happened to the user's account: one row per day, app,
-- action (src/model/activity.h), outcome, and subject, with a count. `subject` is a domain, or the
-- device of a sign-in; it may be empty, and so may `app_id`. `app_name` is the app's name on that day.
-- `facts` is how many facts were sent or written. `is_first` is 1 if the app read the domain for the
-- first time. Reads are counted in memory and added here every few seconds.
CREATE TABLE activity (
    user_id  TEXT   NOT NULL,
    day      BIGINT NOT NULL,
    app_id   TEXT   NOT NULL,
    action   TEXT   NOT NULL,
    refused  BIGINT NOT NULL,
    subject  TEXT   NOT NULL,
    app_name TEXT   NOT NULL,
    times    BIGINT NOT NULL,
    facts    BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at  BIGINT NOT NULL,
    is_first BIGINT NOT NULL,
    PRIMARY KEY (user_id, day, app_id, action, refused, subject)
) WITHOUT ROWID /*WITH (fillfactor=85)*/;

-- The days of a user's activity. An hour after its end a day is closed: `hash` covers its rows and
-- `previous`, the hash of the closed day before it, and its rows no longer change.
CREATE TABLE activity_day (
    user_id  TEXT   NOT NULL,
    day      BIGINT NOT NULL,
    closed   BIGINT NOT NULL,
    previous TEXT   NOT NULL,
    hash     TEXT   NOT NULL,
    PRIMARY KEY (user_id, day)
) WITHOUT ROWID;
CREATE INDEX activity_day_closed ON activity_day (closed, day);

-- The two ends of a user's chain of closed days: the hash of the newest one, and day and hash of the
-- newest one that was deleted because of its age (0 and empty: none).
CREATE TABLE activity_chain (
    user_id      TEXT   NOT NULL PRIMARY KEY,
    hash         TEXT   NOT NULL,
    deleted_day  BIGINT NOT NULL,
    deleted_hash TEXT   NOT NULL
) WITHOUT ROWID;

-- The domains that an app has read, separated by spaces, so that its first read can be recognized.
CREATE TABLE activity_first (
    user_id TEXT NOT NULL,
    app_id  TEXT NOT NULL,
    domains TEXT NOT NULL,
    PRIMARY KEY (user_id, app_id)
) WITHOUT ROWID;

-- ---- service ----

-- On PostgreSQL, what each transaction changed, so that nodes can cache what they read
-- (docs/CONSISTENCY.md): the transaction's id, and the slots of src/db/versions.h. Rows are deleted
-- after a minute. Not logged, because a server that crashed is a new one for every cache.
CREATE TABLE /*UNLOGGED*/ store_change (
    xid   XID8 NOT NULL,
    slots TEXT NOT NULL
);
CREATE INDEX store_change_xid ON store_change (xid);

-- On PostgreSQL, times whose writes a failover may have lost: after the last commit that the promoted
-- replica had received, and before a node used that replica. A refresh token of such a time that is
-- not in the database was lost, not stolen.
CREATE TABLE lost_writes (
    timeline   TEXT   NOT NULL PRIMARY KEY,
    lost_from  BIGINT NOT NULL,
    lost_until BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX lost_writes_until ON lost_writes (lost_until);

-- One row: which database of the installation this is (docs/SCALE.md). `installation` is random, and the
-- same in all of its databases; `number` counts from 1. A single database is 1 of 1. `complete` is 1 after
-- all of them were created: from then on, an empty one among them is a mistake. `restored` is 1 after it was
-- restored from a backup, until it was compared with the others.
CREATE TABLE store_part (
    id           BIGINT NOT NULL PRIMARY KEY,
    installation TEXT   NOT NULL,
    number       BIGINT NOT NULL,
    parts        BIGINT NOT NULL,
    complete     BIGINT NOT NULL,
    restored     BIGINT NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- One row: the wall-clock times that a service has seen (src/base/timekeeper.h).
CREATE TABLE clock_state (
    id            BIGINT NOT NULL PRIMARY KEY,
    highest       BIGINT NOT NULL,
    set_back_at   BIGINT NOT NULL,
    expired_until BIGINT NOT NULL,
    trusted       BIGINT NOT NULL
) WITHOUT ROWID;
