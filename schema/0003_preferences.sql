-- What is known about people. `sequence` orders a person's atoms by when each was first written.
ALTER TABLE user_account ADD COLUMN atom_sequence BIGINT NOT NULL DEFAULT 0;

-- One atom a canonical value. A person's rows lie together. `value` is JSON, as it was written;
-- `value_key` is what two spellings of the same have in common. A suppressed one stays as a
-- tombstone, so that nobody can write it back.
CREATE TABLE atom (
    user_id       TEXT   NOT NULL,
    domain        TEXT   NOT NULL,
    member        TEXT   NOT NULL,
    value_key     TEXT   NOT NULL,
    atom_id       TEXT   NOT NULL,
    value         TEXT   NOT NULL,
    status        TEXT   NOT NULL,
    reason        TEXT,
    suppressed_by TEXT,
    suppressed_at BIGINT,
    by_user       BIGINT NOT NULL,
    source_count  BIGINT NOT NULL,
    sequence      BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    PRIMARY KEY (user_id, domain, member, value_key)
) WITHOUT ROWID;
CREATE UNIQUE INDEX atom_by_id ON atom (user_id, atom_id);

-- Who said so: the person ('user') or an app. Apps that are gone stay as text.
CREATE TABLE atom_source (
    user_id    TEXT   NOT NULL,
    atom_id    TEXT   NOT NULL,
    source     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, atom_id, source)
) WITHOUT ROWID;

-- A person's record of one domain, ready to be sent: written again with every change, in the same
-- transaction. A domain without active atoms has none.
CREATE TABLE user_record (
    user_id    TEXT   NOT NULL,
    domain     TEXT   NOT NULL,
    record     TEXT   NOT NULL,
    atom_count BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, domain)
) WITHOUT ROWID;
