-- What is known about a person in one domain is one row, read whole and written whole: a text of one
-- line an atom, with all who said so (src/model/atom_sheet.h says how). Forty rows with a source and
-- an index entry each took three times the room and ten times as long to read.
CREATE TABLE user_atoms (
    user_id TEXT NOT NULL,
    domain  TEXT NOT NULL,
    atoms   TEXT NOT NULL,
    PRIMARY KEY (user_id, domain)
);

INSERT INTO user_atoms (user_id, domain, atoms)
SELECT a.user_id, a.domain, string_agg(
    a.atom_id || chr(9) || a.member || chr(9) || a.value_key || chr(9) || a.value || chr(9) ||
    substr(a.status, 1, 1) || chr(9) || CASE a.by_user WHEN 0 THEN '' ELSE '1' END || chr(9) ||
    a.sequence || chr(9) || a.created_at || chr(9) || a.updated_at || chr(9) ||
    COALESCE(a.reason, '') || chr(9) || COALESCE(a.suppressed_by, '') || chr(9) ||
    COALESCE(a.suppressed_at, 0) || chr(9) || COALESCE(s.sources, '') || chr(10), '')
FROM atom a LEFT JOIN (
    SELECT user_id, atom_id, string_agg(
        source || chr(9) || created_at || chr(9) || updated_at || chr(9), '') AS sources
    FROM atom_source GROUP BY user_id, atom_id
) s ON s.user_id = a.user_id AND s.atom_id = a.atom_id
GROUP BY a.user_id, a.domain;

DROP TABLE atom;
DROP TABLE atom_source;
