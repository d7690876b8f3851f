-- As names are, so that no index depends on the locale of the database.
ALTER TABLE trusted_documents ALTER COLUMN hash TYPE TEXT COLLATE "C";
