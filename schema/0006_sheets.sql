-- What is known about a person in one domain is one row, read whole and written whole: a text of one
-- line an atom, with all who said so (src/model/atom_sheet.h says how). Forty rows with a source and
-- an index entry each took three times the room and ten times as long to read.
CREATE TABLE user_atoms (
    user_id TEXT NOT NULL,
    domain  TEXT NOT NULL,
    atoms   TEXT NOT NULL,
    PRIMARY KEY (user_id, domain)
) WITHOUT ROWID;

INSERT INTO user_atoms (user_id, domain, atoms)
SELECT a.user_id, a.domain, group_concat(
    a.atom_id || char(9) || a.member || char(9) || a.value_key || char(9) || a.value || char(9) ||
    substr(a.status, 1, 1) || char(9) || CASE a.by_user WHEN 0 THEN '' ELSE '1' END || char(9) ||
    a.sequence || char(9) || a.created_at || char(9) || a.updated_at || char(9) ||
    COALESCE(a.reason, '') || char(9) || COALESCE(a.suppressed_by, '') || char(9) ||
    COALESCE(a.suppressed_at, 0) || char(9) || COALESCE(s.sources, '') || char(10), '')
FROM atom a LEFT JOIN (
    SELECT user_id, atom_id, group_concat(
        source || char(9) || created_at || char(9) || updated_at || char(9), '') AS sources
    FROM atom_source GROUP BY user_id, atom_id
) s ON s.user_id = a.user_id AND s.atom_id = a.atom_id
GROUP BY a.user_id, a.domain;

DROP TABLE atom;
DROP TABLE atom_source;
