-- What a person's last action changed, so that it can be taken back: one row a person, which the
-- next action replaces. `changes` is JSON, each fact as it was before and as it was afterwards.
-- Nobody but the person may use it, and after `ends_at` not even the person.
CREATE TABLE undo (
    user_id TEXT   NOT NULL PRIMARY KEY,
    undo_id TEXT   NOT NULL,
    domain  TEXT   NOT NULL,
    changes TEXT   NOT NULL,
    ends_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX undo_end ON undo (ends_at);
