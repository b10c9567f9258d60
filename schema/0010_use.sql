-- What one app did for one person belongs to what the person allows it, and goes with it. A person is
-- a number made of the id, an app's day is another, its slot: so a row is small, the rows of a day
-- lie side by side, and there is no other tree to be kept (src/store/usage_store.c says how).
DELETE FROM app_use WHERE app_id NOT IN (SELECT app_id FROM app);
INSERT INTO app_use (app_id, day, calls, tokens, refused, failed)
SELECT DISTINCT p.app_id, p.day, 0, 0, 0, 0 FROM person_use p JOIN app a ON a.app_id = p.app_id
WHERE NOT EXISTS (SELECT 1 FROM app_use u WHERE u.app_id = p.app_id AND u.day = p.day);

CREATE TABLE app_number AS
SELECT app_id, row_number() OVER (ORDER BY position) AS number FROM app;
ALTER TABLE app_use ADD COLUMN slot BIGINT NOT NULL DEFAULT 0;
UPDATE app_use SET slot = day * 4294967296
    + (SELECT n.number FROM app_number n WHERE n.app_id = app_use.app_id);
CREATE UNIQUE INDEX app_use_slot ON app_use (slot);
DROP TABLE app_number;

DROP INDEX person_use_app;
DROP INDEX person_use_day;
ALTER TABLE person_use RENAME TO old_use;
CREATE TABLE person_use (
    slot     BIGINT NOT NULL,
    person   BIGINT NOT NULL,
    calls    BIGINT NOT NULL,
    last_use BIGINT NOT NULL,
    PRIMARY KEY (slot, person)
) WITHOUT ROWID;

INSERT INTO person_use (slot, person, calls, last_use)
SELECT u.slot,
    CAST(unicode(substr(o.user_id, 5, 1)) - 45 AS BIGINT) * 106868920913284608
    + CAST(unicode(substr(o.user_id, 6, 1)) - 45 AS BIGINT) * 1370114370683136
    + CAST(unicode(substr(o.user_id, 7, 1)) - 45 AS BIGINT) * 17565568854912
    + CAST(unicode(substr(o.user_id, 8, 1)) - 45 AS BIGINT) * 225199600704
    + CAST(unicode(substr(o.user_id, 9, 1)) - 45 AS BIGINT) * 2887174368
    + CAST(unicode(substr(o.user_id, 10, 1)) - 45 AS BIGINT) * 37015056
    + CAST(unicode(substr(o.user_id, 11, 1)) - 45 AS BIGINT) * 474552
    + CAST(unicode(substr(o.user_id, 12, 1)) - 45 AS BIGINT) * 6084
    + CAST(unicode(substr(o.user_id, 13, 1)) - 45 AS BIGINT) * 78
    + CAST(unicode(substr(o.user_id, 14, 1)) - 45 AS BIGINT) * 1, o.calls, o.last_use
FROM old_use o
    JOIN app_use u ON u.app_id = o.app_id AND u.day = o.day
    JOIN app_grant g ON g.user_id = o.user_id AND g.app_id = o.app_id;

DROP TABLE old_use;

-- Who left something a short while ago: what was counted before may still be on its way.
CREATE TABLE person_ended (
    person   BIGINT NOT NULL PRIMARY KEY,
    ended_at BIGINT NOT NULL
) WITHOUT ROWID;
