-- Later times cannot be printed in RFC 3339 or read by every client.
UPDATE access_tokens SET expires_at = '9999-12-31T23:59:59.999Z' WHERE expires_at >= '10000-01-01T00:00:00Z';

ALTER TABLE access_tokens ADD CONSTRAINT access_tokens_expiry_range CHECK (expires_at < '10000-01-01T00:00:00Z');
