import { createServer } from 'node:http'
import pg from 'pg'
import { createLibrary } from './server.ts'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
createServer(createLibrary(pool)).listen(4001, '127.0.0.1')
