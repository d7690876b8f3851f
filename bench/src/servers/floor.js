import { createServer } from 'node:http'
import pg from 'pg'

// The least that a server can do: one named statement for each work, whose JSON is passed through as it is. It is plain JavaScript
// so that every Node.js runs it. It authenticates nothing, and takes the viewer from a header.
const { DATABASE_URL, DATABASE_POOL, FLOOR_STATEMENTS = '{}' } = process.env
/** @type {Record<string, string>} */
const statements = JSON.parse(FLOOR_STATEMENTS)
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_POOL), options: '-c TimeZone=UTC' })

/** @param {string} name @param {unknown} viewer @param {string} body */
async function answer(name, viewer, body) {
  const { rows } = await pool.query({ name, text: statements[name] ?? '', values: [viewer, ...JSON.parse(body)] })
  return rows[0].json
}

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (text) => {
    body += text
  })
  request.on('end', () => {
    answer((request.url ?? '/').slice(1), request.headers['x-viewer'], body)
      .then((json) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) })
        response.end(json)
      })
      .catch((error) => response.writeHead(500).end(String(error)))
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address.port}\n`)
})
