-- Apps, sessions, and what people allow.
--
-- `epoch` of a user or an app rises when it is disabled: whatever was begun in an earlier one is
-- over, at once and for good, however many rows it has. A session and a family remember the epochs
-- they began in.
ALTER TABLE user_account ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;

-- An app's redirect URIs and scopes are lists, one line or one word each: they are read whole.
CREATE TABLE app (
    app_id             TEXT   NOT NULL PRIMARY KEY,
    owner_id           TEXT   NOT NULL,
    name               TEXT   NOT NULL,
    redirect_uris      TEXT   NOT NULL,
    scopes             TEXT   NOT NULL,
    is_public          BIGINT NOT NULL,
    secret_hash        TEXT,
    old_secret_hash    TEXT,
    old_secret_ends_at BIGINT,
    status             TEXT   NOT NULL,
    epoch              BIGINT NOT NULL,
    position           BIGINT NOT NULL,
    created_at         BIGINT NOT NULL,
    updated_at         BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX app_owner ON app (owner_id, position);
CREATE UNIQUE INDEX app_position ON app (position);

CREATE TABLE session (
    session_hash TEXT   NOT NULL PRIMARY KEY,
    user_id      TEXT   NOT NULL,
    user_epoch   BIGINT NOT NULL,
    device       TEXT   NOT NULL,
    address      TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    ends_at      BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX session_of_user ON session (user_id, created_at);
CREATE INDEX session_end ON session (ends_at);

-- What an app asked for, kept here while the person decides, so that no form can change it.
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
    ends_at      BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX auth_request_end ON auth_request (ends_at);
CREATE INDEX auth_request_session ON auth_request (session_hash);

-- What one person allows one app. Ended ones are removed: a family without its grant is over.
CREATE TABLE app_grant (
    grant_id   TEXT   NOT NULL PRIMARY KEY,
    user_id    TEXT   NOT NULL,
    app_id     TEXT   NOT NULL,
    scopes     TEXT   NOT NULL,
    ends_at    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX app_grant_pair ON app_grant (user_id, app_id);
CREATE INDEX app_grant_app ON app_grant (app_id);

-- One authorization under a grant: a code and every token that came of it. `narrow_reach` is 1 when
-- it asked for domains one by one, so that writing and hints reach only those.
CREATE TABLE token_family (
    family_id    TEXT   NOT NULL PRIMARY KEY,
    grant_id     TEXT   NOT NULL,
    user_id      TEXT   NOT NULL,
    app_id       TEXT   NOT NULL,
    user_epoch   BIGINT NOT NULL,
    app_epoch    BIGINT NOT NULL,
    scopes       TEXT   NOT NULL,
    narrow_reach BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    ends_at      BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX token_family_grant ON token_family (grant_id, created_at);
CREATE INDEX token_family_user ON token_family (user_id);
CREATE INDEX token_family_app ON token_family (app_id);
CREATE INDEX token_family_end ON token_family (ends_at);

CREATE TABLE auth_code (
    code_hash    TEXT   NOT NULL PRIMARY KEY,
    family_id    TEXT   NOT NULL,
    app_id       TEXT   NOT NULL,
    redirect_uri TEXT   NOT NULL,
    challenge    TEXT   NOT NULL,
    redeemed_at  BIGINT,
    ends_at      BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX auth_code_family ON auth_code (family_id);
CREATE INDEX auth_code_end ON auth_code (ends_at);

CREATE TABLE access_token (
    token_hash TEXT   NOT NULL PRIMARY KEY,
    family_id  TEXT   NOT NULL,
    scopes     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    ends_at    BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX access_token_family ON access_token (family_id);
CREATE INDEX access_token_end ON access_token (ends_at);

-- A used one is kept until it would have ended: presented again it tells a retry from a theft.
CREATE TABLE refresh_token (
    token_hash TEXT   NOT NULL PRIMARY KEY,
    family_id  TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    ends_at    BIGINT NOT NULL,
    used_at    BIGINT,
    reuses     BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX refresh_token_family ON refresh_token (family_id);
CREATE INDEX refresh_token_end ON refresh_token (ends_at);
