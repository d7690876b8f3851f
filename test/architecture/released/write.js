// @ts-check
import { readFileSync, writeFileSync } from 'node:fs'
import { stripIgnoredCharacters } from 'graphql'

// The last step of `npm run release-documents`: keeps the API documents, without layout, for the next test of breaking changes.

const here = (/** @type {string} */ name) => new URL(name, import.meta.url)
/** @param {string} name */
const current = (name) => readFileSync(here(`../../../${name}`), 'utf8')

const { version: since } = JSON.parse(current('package.json'))
writeFileSync(here('schema.graphql'), `${stripIgnoredCharacters(current('schema.graphql'))}\n`)
writeFileSync(here('openapi.json'), `${JSON.stringify(JSON.parse(current('docs/openapi.json')))}\n`)
writeFileSync(here('breaking-changes.json'), `${JSON.stringify({ since, graphql: [], openapi: [] }, null, 2)}\n`)
