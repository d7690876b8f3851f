-- Returns a row if the searches of a viewer leave out an account: because it is hidden from the viewer, or because they mute it, in
-- searches that respect mutes. Conditions inline it. All functions of searches use it, and `readable`, so that nothing that they leave out
-- changes where a page ends.
CREATE OR REPLACE FUNCTION unfound_by(viewer uuid, account uuid, muted boolean) RETURNS SETOF boolean LANGUAGE sql STABLE AS $$
  SELECT true FROM hidden_from(viewer, account)
  UNION ALL SELECT true FROM mutes m WHERE muted AND m.muter_id = viewer AND m.muted_id = account AND (m.until IS NULL OR m.until > now())
$$;
