-- What all of a person's hints are made of is one text in the head of the person's rows, which every
-- request has read already: a line a domain, its name, a space, the card (src/store/atom_store.c).
-- Cards of early versions had lines themselves; they are made again once somebody asks.
UPDATE user_record SET hints = (
    SELECT group_concat(r.line, '
') FROM (
        SELECT d.domain || ' ' || COALESCE(replace(d.hints, '
', ' '), '') AS line FROM user_record d
        WHERE d.place BETWEEN user_record.place AND user_record.place + 255
        AND d.user_id = user_record.user_id AND d.domain <> '' AND d.atom_count > 0
        ORDER BY d.place
    ) r
) WHERE domain = '';
UPDATE user_record SET hints = NULL WHERE domain <> '';
