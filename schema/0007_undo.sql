-- What a person's last action changed, so that it can be taken back: one row a person, which the
-- next action replaces. `facts_before` and `facts_after` are the facts it touched, as they were and
-- as they became, in the form of user_atoms. Nobody but the person may use it, and after `ends_at`
-- not even the person.
CREATE TABLE undo (
    user_id      TEXT   NOT NULL PRIMARY KEY,
    undo_id      TEXT   NOT NULL,
    domain       TEXT   NOT NULL,
    facts_before TEXT   NOT NULL,
    facts_after  TEXT   NOT NULL,
    ends_at      BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX undo_end ON undo (ends_at);
