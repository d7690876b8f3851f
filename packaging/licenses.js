// @ts-check
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the package that a file belongs to; undefined for a file of this repository. @param {string} file */
export function packageOf(file) {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]
}

/** The licenses of packages, with the notices that have to be passed on. @param {readonly string[]} folders */
export function licensesOf(folders) {
  const sections = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const texts = readdirSync(folder)
      .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8').trim())
    return [`## ${name} ${version}`, `License: ${license}`, ...texts].join('\n\n')
  })
  return ['# Licenses of the libraries in this package', ...new Set(sections)].join('\n\n').concat('\n')
}
