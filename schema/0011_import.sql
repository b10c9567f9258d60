-- A document that a person wants to import and has not confirmed yet: one a person, which the next
-- replaces. The page that shows what the import would do names it and does not carry it.
CREATE TABLE import_draft (
    user_id  TEXT   NOT NULL PRIMARY KEY,
    draft_id TEXT   NOT NULL,
    document TEXT   NOT NULL,
    ends_at  BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX import_draft_end ON import_draft (ends_at);
