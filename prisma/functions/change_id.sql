-- The id of a change: its transaction, its number and 32 random bits. Ids are in the order of the transactions, so that all changes
-- before the first transaction that is still open are known. It is declared immutable because it is stored when the row is inserted.
CREATE OR REPLACE FUNCTION change_id(number bigint) RETURNS uuid LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (lpad(to_hex(pg_current_xact_id()::text::bigint), 12, '0') || lpad(to_hex(number), 12, '0')
    || left(gen_random_uuid()::text, 8))::uuid;
END $$;
