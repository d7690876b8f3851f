#!/bin/sh
# Writes the types of the two surfaces from their documents, and builds the examples with them.
# What the generators say is shown when they fail.
set -e
cd "$(dirname "$0")/.."
mkdir -p examples/generated
said=$(gql.tada generate-output -c examples/tsconfig.json -o examples/generated/graphql.d.ts 2>&1) || { echo "$said" >&2; exit 1; }
openapi-typescript openapi.json > examples/generated/openapi.d.ts
tsc -p examples
