-- What hints are made of, ready to be told: written with the record, in the same transaction.
-- Empty for records that are older than this column; then it is made when it is asked for.
ALTER TABLE user_record ADD COLUMN hints TEXT;
