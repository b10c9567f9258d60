-- What every request asks for lies in two rows: the token's and the head of the person's rows.
--
-- A token says all there is to know about it as long as it carries the person's seal, a number that
-- changes whenever something that the person allowed ends or changes (src/store/token_store.h says
-- how). Tokens are found by a number made of their hash, as a person's rows are by one made of the
-- id: SQLite's trees over numbers are flat, whatever the rows hold.
CREATE TABLE base64url_digit (digit TEXT NOT NULL PRIMARY KEY, worth BIGINT NOT NULL) WITHOUT ROWID;
INSERT INTO base64url_digit VALUES
    ('A', 0), ('B', 1), ('C', 2), ('D', 3), ('E', 4), ('F', 5), ('G', 6), ('H', 7), ('I', 8),
    ('J', 9), ('K', 10), ('L', 11), ('M', 12), ('N', 13), ('O', 14), ('P', 15), ('Q', 16),
    ('R', 17), ('S', 18), ('T', 19), ('U', 20), ('V', 21), ('W', 22), ('X', 23), ('Y', 24),
    ('Z', 25), ('a', 26), ('b', 27), ('c', 28), ('d', 29), ('e', 30), ('f', 31), ('g', 32),
    ('h', 33), ('i', 34), ('j', 35), ('k', 36), ('l', 37), ('m', 38), ('n', 39), ('o', 40),
    ('p', 41), ('q', 42), ('r', 43), ('s', 44), ('t', 45), ('u', 46), ('v', 47), ('w', 48),
    ('x', 49), ('y', 50), ('z', 51), ('0', 52), ('1', 53), ('2', 54), ('3', 55), ('4', 56),
    ('5', 57), ('6', 58), ('7', 59), ('8', 60), ('9', 61), ('-', 62), ('_', 63);

-- Of ten digits, first to last.
CREATE TABLE digit_power (digit_number BIGINT NOT NULL, power BIGINT NOT NULL);
INSERT INTO digit_power VALUES
    (1, 18014398509481984), (2, 281474976710656), (3, 4398046511104), (4, 68719476736),
    (5, 1073741824), (6, 16777216), (7, 262144), (8, 4096), (9, 64), (10, 1);

-- ---- a person's rows, with their head ----

CREATE TABLE person_place AS
SELECT u.user_id, 4 * (
    SELECT CAST(SUM(d.worth * p.power) AS BIGINT) FROM digit_power p
    JOIN base64url_digit d ON d.digit = substr(u.user_id, CAST(p.digit_number AS INTEGER) + 4, 1)
    WHERE p.digit_number <= 9) AS place
FROM user_account u;

-- `record` and `hints` are long and come last, so that what stands before them is read without them.
CREATE TABLE new_record (
    place         INTEGER PRIMARY KEY,
    user_id       TEXT   NOT NULL,
    domain        TEXT   NOT NULL, -- '': the head, which alone has what follows
    generation    BIGINT,
    seal          BIGINT,
    atom_sequence BIGINT,
    atom_count    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    record        TEXT   NOT NULL,
    hints         TEXT
);

-- Those who share a place, should there ever be two, share the numbers behind it.
INSERT INTO new_record
SELECT k.place - 1 + row_number() OVER (PARTITION BY k.place ORDER BY k.is_head DESC, k.user_id, k.domain),
    k.user_id, k.domain, k.generation, k.seal, k.atom_sequence, k.atom_count, k.updated_at,
    k.record, k.hints
FROM (
    SELECT p.place, 1 AS is_head, u.user_id, '' AS domain, u.generation, u.position AS seal,
        u.atom_sequence, 0 AS atom_count, u.updated_at, '' AS record, NULL AS hints
    FROM user_account u JOIN person_place p ON p.user_id = u.user_id
    UNION ALL
    SELECT p.place, 0, r.user_id, r.domain, NULL, NULL, NULL, r.atom_count, r.updated_at,
        r.record, r.hints
    FROM user_record r JOIN person_place p ON p.user_id = r.user_id
) k;

DROP TABLE person_place;
DROP TABLE user_record;
ALTER TABLE new_record RENAME TO user_record;
ALTER TABLE user_account DROP COLUMN generation;
ALTER TABLE user_account DROP COLUMN atom_sequence;

-- ---- tokens ----

ALTER TABLE token_family ADD COLUMN person_place BIGINT NOT NULL DEFAULT 0;
CREATE TABLE head_place AS SELECT user_id, place FROM user_record WHERE domain = '';
CREATE UNIQUE INDEX head_place_user ON head_place (user_id);
UPDATE token_family SET person_place = COALESCE(
    (SELECT h.place FROM head_place h WHERE h.user_id = token_family.user_id), 0);
DROP TABLE head_place;

-- A seal of -1 is nobody's: tokens that are older than seals are looked up by their families.
CREATE TABLE new_access (
    place        INTEGER PRIMARY KEY,
    token_hash   TEXT   NOT NULL,
    family_id    TEXT   NOT NULL,
    app_id       TEXT   NOT NULL,
    app_epoch    BIGINT NOT NULL,
    person_place BIGINT NOT NULL,
    seal         BIGINT NOT NULL,
    scopes       TEXT   NOT NULL,
    narrow_reach BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    ends_at      BIGINT NOT NULL,
    live_until   BIGINT NOT NULL
);
INSERT INTO new_access
SELECT (SELECT CAST(SUM(d.worth * p.power) AS BIGINT) FROM digit_power p
        JOIN base64url_digit d ON d.digit = substr(t.token_hash, CAST(p.digit_number AS INTEGER), 1)),
    t.token_hash, t.family_id, f.app_id, f.app_epoch, f.person_place, -1, t.scopes, f.narrow_reach,
    t.created_at, t.ends_at, t.ends_at
FROM access_token t JOIN token_family f ON f.family_id = t.family_id;
DROP TABLE access_token;
ALTER TABLE new_access RENAME TO access_token;
CREATE INDEX access_token_end ON access_token (ends_at);

CREATE TABLE new_refresh (
    place      INTEGER PRIMARY KEY,
    token_hash TEXT   NOT NULL,
    family_id  TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    ends_at    BIGINT NOT NULL,
    used_at    BIGINT,
    reuses     BIGINT NOT NULL
);
INSERT INTO new_refresh
SELECT (SELECT CAST(SUM(d.worth * p.power) AS BIGINT) FROM digit_power p
        JOIN base64url_digit d ON d.digit = substr(r.token_hash, CAST(p.digit_number AS INTEGER), 1)),
    r.token_hash, r.family_id, r.created_at, r.ends_at, r.used_at, r.reuses
FROM refresh_token r;
DROP TABLE refresh_token;
ALTER TABLE new_refresh RENAME TO refresh_token;
CREATE INDEX refresh_token_end ON refresh_token (ends_at);

DROP TABLE digit_power;
DROP TABLE base64url_digit;
