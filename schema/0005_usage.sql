-- How apps are used, and why they were refused. Counted in memory and added here every few seconds;
-- `day` counts days since 1970 in UTC. Old days are removed.

-- What one app did for one person: for the person's list of connected apps.
CREATE TABLE person_use (
    user_id  TEXT   NOT NULL,
    app_id   TEXT   NOT NULL,
    day      BIGINT NOT NULL,
    calls    BIGINT NOT NULL,
    last_use BIGINT NOT NULL,
    PRIMARY KEY (user_id, app_id, day)
) WITHOUT ROWID;
CREATE INDEX person_use_app ON person_use (app_id, day);
CREATE INDEX person_use_day ON person_use (day);

-- What one app did in all: for its developer.
CREATE TABLE app_use (
    app_id  TEXT   NOT NULL,
    day     BIGINT NOT NULL,
    calls   BIGINT NOT NULL,
    tokens  BIGINT NOT NULL,
    refused BIGINT NOT NULL,
    failed  BIGINT NOT NULL,
    PRIMARY KEY (app_id, day)
) WITHOUT ROWID;
CREATE INDEX app_use_day ON app_use (day);

-- One row a kind of refusal, with how often and the newest example: whoever makes the same mistake a
-- thousand times fills one row. Never a secret, a token or a code.
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

-- Links of an app that people see when they decide.
ALTER TABLE app ADD COLUMN homepage TEXT;
ALTER TABLE app ADD COLUMN privacy_link TEXT;

-- A request that the app's own developer began on the portal, to be answered there.
ALTER TABLE auth_request ADD COLUMN is_trial BIGINT NOT NULL DEFAULT 0;
