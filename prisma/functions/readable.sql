-- Returns one row: whether a viewer belongs to the audience of a publication. That of EVERYBODY excludes those who do not follow the author
-- while the author is private. A reply is for the author of its parent, too, unless it is for addressees. Conditions inline this function.
CREATE OR REPLACE FUNCTION readable(viewer uuid, author uuid, audience publication_audience, circle uuid, parent_author uuid)
RETURNS SETOF boolean LANGUAGE sql STABLE AS $$
  SELECT CASE audience
    WHEN 'EVERYBODY' THEN coalesce((SELECT coalesce(viewer IN (author, parent_author), false)
        OR coalesce((SELECT true FROM follows f WHERE f.follower_id = viewer AND f.followee_id = author), false)
      FROM private_accounts a WHERE a.user_id = author), true)
    WHEN 'FOLLOWERS' THEN coalesce(viewer IN (author, circle, parent_author), false)
      OR coalesce((SELECT true FROM follows f WHERE f.follower_id = viewer AND f.followee_id = circle), false)
    ELSE coalesce((SELECT true FROM addressees a WHERE a.publication_id = circle AND a.user_id = viewer), false) END
$$;
