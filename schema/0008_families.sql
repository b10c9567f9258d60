-- A token or code whose family is gone is worth nothing, and goes when its time is over. So nobody
-- looks for those of a family, and keeping these in order was a third of what a refresh wrote.
DROP INDEX access_token_family;
DROP INDEX refresh_token_family;
DROP INDEX auth_code_family;
