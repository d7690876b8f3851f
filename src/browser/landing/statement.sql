select case when bytes <= $1::int then f0 end as f0,
  case when bytes > $1::int then bytes::text end as "excess"
from (select *, coalesce(octet_length(f0), 0) as bytes from (
  select (select row_to_json("$") from (
    select (select row_to_json("$") from (
      select coalesce(json_agg((select row_to_json("$") from (
        select t2."content" as "content",
          t2."like_count" as "likeCount",
          (select row_to_json("$") from (
            select coalesce(json_agg((select row_to_json("$") from (
              select t4."content" as "content",
                (select row_to_json("$") from (
                  select t6."display_name" as "displayName"
                  from "users" t6 where t6.id = t4."author_id"
                    and coalesce((select false from hidden_accounts h
                      where h.user_id = t6."id"), true)
                ) "$") as "author"
            ) "$") order by t4.page_key asc), '[]') as "nodes"
            from (select t4.*, t4.id as page_key from (
              select t4.* from "live_publications" t4
              where t4.parent_id = t2.id and true
              order by t4.id asc limit 100) t4
              where coalesce((select false from hidden_accounts h
                where h.user_id = t4."author_id"), true)
                and coalesce((select r from readable(viewer.id,
                  t4."author_id", t4."audience", t4."circle_id",
                  t4."parent_author_id") r), false)
              order by t4.id asc limit $7::int) t4
          ) "$") as "replies"
      ) "$") order by t2.page_key desc), '[]') as "nodes"
      from (select t2.*, t2.id as page_key from (
        select t2.* from "live_publications" t2
        where t2.author_id = t1.id
          and t2.parent_id is null and t2.audience <> 'ADDRESSED'
          and coalesce((select r from readable(viewer.id, t1."id",
            'EVERYBODY', null, null) r), false) and true
        order by t2.id desc limit 1000) t2
        where coalesce((select false from hidden_accounts h
          where h.user_id = t2."author_id"), true)
          and coalesce((select r from readable(viewer.id,
            t2."author_id", t2."audience", t2."circle_id",
            t2."parent_author_id") r), false)
        order by t2.id desc limit $8::int) t2
    ) "$") as "posts"
    from "users" t1 where t1.id = viewer.id
      and coalesce((select false from hidden_accounts h
        where h.user_id = t1."id"), true)
  ) "$")::text as f0
  from (select $2::uuid as "id", $3::uuid as "token_id",
    $4::boolean as "reads_email", $5::boolean as "sees_gravatars",
    $6::uuid as "notify_after") viewer
  offset 0) root) measured
