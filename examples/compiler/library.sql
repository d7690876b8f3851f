create table authors (id uuid primary key, name text not null, born int not null);
create table genres (id uuid primary key, name text not null unique);
create table books (
  id uuid primary key, title text not null, year int not null,
  author_id uuid not null references authors, sequel_of_id uuid references books
);
create index on books (author_id);
create index on books (sequel_of_id);
create table "_BookToGenre" ("A" uuid references books, "B" uuid references genres, primary key ("A", "B"));
create index on "_BookToGenre" ("B");
create table loans (
  id uuid primary key, book_id uuid not null references books, member text not null,
  lent_at timestamptz(3) not null, returned_at timestamptz(3)
);
create index on loans (book_id);

create function pg_temp.id(kind int, number int) returns uuid language sql as
  $$ select format('00000000-0000-4000-8000-%s', lpad((kind * 1000 + number)::text, 12, '0'))::uuid $$;

insert into authors select pg_temp.id(1, n), 'Author ' || n, 1900 + n * 7 from generate_series(1, 5) n;
insert into genres select pg_temp.id(2, n), ('{Crime,Fantasy,History,Romance}'::text[])[n] from generate_series(1, 4) n;
insert into books
  select pg_temp.id(3, n), 'Book ' || n, 1930 + n * 3, pg_temp.id(1, 1 + n % 5),
    case when n % 3 = 0 then pg_temp.id(3, n - 2) when n > 16 then pg_temp.id(3, 1) end
  from generate_series(1, 20) n;
insert into "_BookToGenre"
  select pg_temp.id(3, book), pg_temp.id(2, genre) from generate_series(1, 20) book, generate_series(1, 4) genre
  where (book + genre) % 3 = 0 or book = genre;
insert into loans
  select pg_temp.id(4, n), pg_temp.id(3, 1 + n * 7 % 20), 'Member ' || n % 6, timestamptz '2026-01-01 09:30Z' + n * interval '1 day',
    case when n % 4 > 0 then timestamptz '2026-02-01 17:00Z' + n * interval '1 day' end
  from generate_series(1, 30) n;
