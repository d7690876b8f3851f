-- A row if the searches of a viewer leave out what an account published: because it is hidden from the viewer, or because they mute it, in
-- searches that respect mutes. No row if the viewer is null, from whom nothing is hidden. For conditions, into which it is inlined. All
-- functions of searches ask it, so that nothing that they leave out moves the end of a page.
CREATE OR REPLACE FUNCTION unfound_by(viewer uuid, account uuid, muted boolean) RETURNS SETOF boolean LANGUAGE sql STABLE AS $$
  SELECT true FROM hidden_from(viewer, account) WHERE viewer IS NOT NULL
  UNION ALL SELECT true FROM mutes m WHERE muted AND m.muter_id = viewer AND m.muted_id = account AND (m.until IS NULL OR m.until > now())
$$;
