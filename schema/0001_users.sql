-- One row a person. `username` and `email_key` are folded, so that two spellings are one name.
-- `position` orders users by creation without a sequence; `generation` rises with every change to
-- what is stored about the person, and is what a reader compares to know that nothing changed.
CREATE TABLE user_account (
    user_id       TEXT   NOT NULL PRIMARY KEY,
    username      TEXT   NOT NULL,
    email         TEXT,
    email_key     TEXT,
    name          TEXT,
    password_hash TEXT,
    status        TEXT   NOT NULL,
    position      BIGINT NOT NULL,
    generation    BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
) WITHOUT ROWID;

CREATE UNIQUE INDEX user_account_username ON user_account (username);
CREATE UNIQUE INDEX user_account_email ON user_account (email_key);
CREATE UNIQUE INDEX user_account_position ON user_account (position);
