-- What attacks need besides a seeded network: an attacker who follows 10,000 accounts, a star whom they all follow, a long thread, and texts
-- of control characters, which can no longer be written, and of emoji. The accounts `attacker` and `polite` are there already.
create function pg_temp.made(number bigint) returns uuid language sql immutable
  return ('01900000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid;

insert into users (id, username, display_name, email, follower_count, following_count)
  select pg_temp.made(n), 'crowd_' || n, 'Crowd', 'crowd@example.org', 1, 1 from generate_series(1, 10000) n
  union all select pg_temp.made(20001), 'star', 'Star', 'star@example.org', 10000, 0
  union all select pg_temp.made(20002), 'printer', 'Printer', 'printer@example.org', 0, 0
  union all select pg_temp.made(20003), 'painter', 'Painter', 'painter@example.org', 0, 0;

insert into publications (id, author_id, content)
  select pg_temp.made(n), pg_temp.made(n), 'Post ' || n from generate_series(1, 10000) n
  union all select pg_temp.made(20000 + n), pg_temp.made(20001), 'Post ' || n from generate_series(1, 100) n
  union all select pg_temp.made(30000 + n), pg_temp.made(20002), repeat(chr(1), 500) from generate_series(1, 100) n
  union all select pg_temp.made(50000 + n), pg_temp.made(20003), repeat(chr(128512), 500) from generate_series(1, 100) n;
insert into publications (id, author_id, content, reply_count)
  values (pg_temp.made(30000), pg_temp.made(20001), 'The thread', 2000);
insert into publications (id, parent_id, author_id, content)
  select pg_temp.made(40000 + n), pg_temp.made(30000), pg_temp.made(n), 'Reply ' || n from generate_series(1, 2000) n;

insert into follows (id, follower_id, followee_id)
  select pg_temp.made(n), u.id, pg_temp.made(n) from users u, generate_series(1, 10000) n where u.username = 'attacker'
  union all select pg_temp.made(10000 + n), pg_temp.made(n), pg_temp.made(20001) from generate_series(1, 10000) n;
insert into follows (id, follower_id, followee_id)
  select pg_temp.made(30000 + row_number() over (order by f.id)), u.id, f.id
  from users u, (
    select p.id from users p
    where p.username not in ('attacker', 'polite', 'honest', 'star', 'printer', 'painter') and p.username not like 'crowd%'
    order by p.id limit 100) f
  where u.username in ('polite', 'honest');
update users u set following_count = (select count(*) from follows f where f.follower_id = u.id)
  where u.username in ('attacker', 'polite', 'honest');
analyze;
