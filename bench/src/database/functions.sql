-- What PostGraphile needs besides the tables. The names that end in `_for` take the viewer as an argument; the others take
-- them from the setting that PostGraphile sets for each request.

-- A version 7 UUID (RFC 9562), which PostgreSQL makes itself only from version 18 on.
create or replace function bench_uuid_v7() returns uuid language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1),
    'hex')::uuid
$$;
comment on function bench_uuid_v7() is E'@behavior -*';

create or replace function bench_viewer() returns uuid language sql stable as $$
  select nullif(current_setting('bench.viewer', true), '')::uuid
$$;
comment on function bench_viewer() is E'@behavior -*';

-- A single select without side effects, so PostgreSQL inlines it into the statement that calls it.
create or replace function home_timeline_for(viewer uuid, before_id uuid, size int) returns setof publications
language sql stable as $$
  with authors as materialized (
    select author.id as author_id, newest.id
    from (select f.followee_id as id from follows f where f.follower_id = viewer union all select viewer) author
    cross join lateral (
      select p.id from publications p
      where p.author_id = author.id and p.parent_id is null and p.deleted_at is null
        and p.id < coalesce(before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      order by p.id desc limit 1) newest
    order by newest.id desc limit size)
  select p.*
  from (
    select mine.id from authors
    cross join lateral (
      select p.id from publications p
      where p.author_id = authors.author_id and p.parent_id is null and p.deleted_at is null
        and p.id < coalesce(before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        and p.id >= coalesce((select a.id from authors a order by a.id desc limit 1 offset size - 1),
          '00000000-0000-0000-0000-000000000000')
      order by p.id desc limit size) mine
    order by mine.id desc limit size) home
  join publications p on p.id = home.id
  order by home.id desc
$$;

create or replace function home_timeline(before_id uuid, size int) returns setof publications
language sql stable as $$
  select * from home_timeline_for(bench_viewer(), before_id, size)
$$;

-- PostgreSQL does not inline a scalar function that has a subquery; PL/pgSQL keeps its plan, which a SQL function does not.
create or replace function publications_viewer_has_liked(publication publications) returns boolean
language plpgsql stable as $$ begin
  return exists (select from likes l where l.publication_id = publication.id and l.user_id = bench_viewer());
end $$;

create or replace function users_viewer_is_following(person users) returns boolean language plpgsql stable as $$ begin
  return exists (select from follows f where f.followee_id = person.id and f.follower_id = bench_viewer());
end $$;

-- Answers what it did itself: the statement that calls it does not see it.
create or replace function toggle_like_for(viewer uuid, publication uuid,
  out uuid uuid, out like_count int, out viewer_has_liked boolean) language plpgsql volatile as $$ begin
  viewer_has_liked := set_like(bench_uuid_v7(), viewer, publication, null, true, true) = 'liked';
  select p.id, p.like_count into uuid, like_count from publications p where p.id = publication;
end $$;

create or replace function toggle_like(publication uuid) returns publications language plpgsql volatile as $$
declare result publications;
begin
  perform set_like(bench_uuid_v7(), bench_viewer(), publication, null, true, true);
  select * into result from publications p where p.id = publication;
  return result;
end $$;

create or replace function send_post_for(viewer uuid, content text) returns publications
language plpgsql volatile as $$
declare result publications;
begin
  insert into publications (id, author_id, content, tokens)
    values (bench_uuid_v7(), viewer, content, to_tsvector('simple', content)) returning * into result;
  perform add_change('PUBLISHED', viewer, result.id, null);
  return result;
end $$;

create or replace function send_post(content text) returns publications language plpgsql volatile as $$ begin
  return send_post_for(bench_viewer(), content);
end $$;

-- Drops what is inserted, to measure writes without the change feed.
create or replace function bench_drop_change() returns trigger language plpgsql as $$ begin return null; end $$;
