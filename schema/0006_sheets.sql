-- What is known about a person in one domain is one row, read whole and written whole: a text of one
-- line an atom, with all who said so (src/model/atom_sheet.h says how). Forty rows with a source and
-- an index entry each took twice the room and many times as long to read.
--
-- `place` is a number made of the person's id, with room for 256 domains behind it: it keeps a
-- person's rows side by side in a tree that is as flat as can be (src/store/atom_store.c says how).
CREATE TABLE person_place AS
SELECT user_id, 256 * (
        CAST(instr(digits, substr(user_id, 5, 1)) - 1 AS BIGINT) * 281474976710656
        + CAST(instr(digits, substr(user_id, 6, 1)) - 1 AS BIGINT) * 4398046511104
        + CAST(instr(digits, substr(user_id, 7, 1)) - 1 AS BIGINT) * 68719476736
        + CAST(instr(digits, substr(user_id, 8, 1)) - 1 AS BIGINT) * 1073741824
        + CAST(instr(digits, substr(user_id, 9, 1)) - 1 AS BIGINT) * 16777216
        + CAST(instr(digits, substr(user_id, 10, 1)) - 1 AS BIGINT) * 262144
        + CAST(instr(digits, substr(user_id, 11, 1)) - 1 AS BIGINT) * 4096
        + CAST(instr(digits, substr(user_id, 12, 1)) - 1 AS BIGINT) * 64
        + CAST(instr(digits, substr(user_id, 13, 1)) - 1 AS BIGINT) * 1) AS place
FROM user_account,
    (SELECT 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_' AS digits) d;

CREATE TABLE user_atoms (
    place   INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    domain  TEXT NOT NULL,
    atoms   TEXT NOT NULL
);

INSERT INTO user_atoms (place, user_id, domain, atoms)
SELECT p.place - 1 + row_number() OVER (PARTITION BY p.place ORDER BY k.user_id, k.domain),
    k.user_id, k.domain, k.atoms
FROM (
    SELECT a.user_id, a.domain, group_concat(
        a.atom_id || char(9) || a.member || char(9) || a.value_key || char(9) || a.value ||
        char(9) || substr(a.status, 1, 1) || char(9) ||
        CASE a.by_user WHEN 0 THEN '' ELSE '1' END || char(9) || a.sequence || char(9) ||
        a.created_at || char(9) || a.updated_at || char(9) || COALESCE(a.reason, '') || char(9) ||
        COALESCE(a.suppressed_by, '') || char(9) || COALESCE(a.suppressed_at, 0) || char(9) ||
        COALESCE(s.sources, '') || char(10), '') AS atoms
    FROM atom a LEFT JOIN (
        SELECT user_id, atom_id, group_concat(
            source || char(9) || created_at || char(9) || updated_at || char(9), '') AS sources
        FROM atom_source GROUP BY user_id, atom_id
    ) s ON s.user_id = a.user_id AND s.atom_id = a.atom_id
    GROUP BY a.user_id, a.domain
) k JOIN person_place p ON p.user_id = k.user_id;

DROP TABLE atom;
DROP TABLE atom_source;

-- The same for what is told of it. A domain without active atoms has nothing to tell.
ALTER TABLE user_record RENAME TO old_record;
CREATE TABLE user_record (
    place      INTEGER PRIMARY KEY,
    user_id    TEXT   NOT NULL,
    domain     TEXT   NOT NULL,
    record     TEXT   NOT NULL,
    atom_count BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    hints      TEXT
);

INSERT INTO user_record (place, user_id, domain, record, atom_count, updated_at, hints)
SELECT p.place - 1 + row_number() OVER (PARTITION BY p.place ORDER BY r.user_id, r.domain),
    r.user_id, r.domain, r.record, r.atom_count, r.updated_at, r.hints
FROM old_record r JOIN person_place p ON p.user_id = r.user_id;

DROP TABLE old_record;
DROP TABLE person_place;
