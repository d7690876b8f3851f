#!/bin/sh
# Serves, and builds and serves again after each change. `npm run build` comes first. Everything ends with this script.
# On Node.js 20, tsc runs another program, which it would leave behind.
trap 'kill $(pgrep -P "$types") "$types" "$pages" "$server"' EXIT
trap exit HUP INT TERM
tsc -p src --watch --preserveWatchOutput &
types=$!
node src/browser/build.js --watch &
pages=$!
node --watch --watch-preserve-output dist/cli/main.js serve &
server=$!
wait
