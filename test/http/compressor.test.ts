import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { Compressor } from '../../src/http/compressor.ts'

const headers = { 'accept-encoding': 'gzip' }
const response = { status: 200, headers: {}, body: Buffer.alloc(6 * 2 ** 20, 'large ') }
const compressed = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' }

test('while too many bytes wait for compression, further bodies stay uncompressed', async () => {
  const compressor = new Compressor()
  const [one, other, excess] = [1, 2, 3].map(() => compressor.encode(response, headers))
  const plain = await excess
  expect(plain?.headers).toEqual({ vary: 'Accept-Encoding' })
  // Comparing the bytes one by one would take long.
  expect(plain?.body).toBe(response.body)
  for (const answer of [await one, await other, await compressor.encode(response, headers)]) {
    expect(answer?.headers).toEqual(compressed)
    expect(gunzipSync(answer?.body ?? '').equals(response.body)).toBe(true)
  }
})
