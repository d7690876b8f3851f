/**
 * Settings of the connections that serve, as one script. Every read is a small page in the order of an index, found by key:
 * - times are those of UTC, which the adapter takes for granted;
 * - a statement is planned once for each connection, not anew for its values, which costs more than running it;
 * - pages come from an index in its order, never from a bitmap that is then sorted;
 * - a random page costs little more than the next one, as on any disk of today;
 * - no statement runs for long enough to compile it.
 */
export const servingSettings = `
  SET TIME ZONE 'UTC';
  SET plan_cache_mode = force_generic_plan;
  SET enable_bitmapscan = off;
  SET random_page_cost = 1.1;
  SET jit = off`
