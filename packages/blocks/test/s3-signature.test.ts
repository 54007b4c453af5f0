import { AwsV4Signer } from 'aws4fetch'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AMAZON, signHeaders } from '../src/s3-signature.ts'

const name = fc.stringMatching(/^[\w.~-]{1,20}$/)
const request = fc.record({
  method: fc.constantFrom('GET' as const, 'PUT' as const),
  host: fc.constantFrom('s3.example', '127.0.0.1:9000', 'a.b.c:80'),
  path: fc.array(
    name.filter((each) => !/^\.+$/.test(each)),
    { maxLength: 4 },
  ),
  headers: fc.dictionary(fc.constantFrom('content-type', 'if-none-match', 'x-amz-acl', 'a'), name),
  body: fc.option(fc.uint8Array({ maxLength: 100 })),
  accessKeyId: fc.stringMatching(/^[!-~]{1,20}$/),
  secretAccessKey: fc.stringMatching(/^[!-~]{1,40}$/),
  region: fc.constantFrom('auto', 'eu-west-1'),
  time: fc.integer({ min: 0, max: 4e12 }),
})

it('signs like aws4fetch, for any request, key and time', async () => {
  await fc.assert(
    fc.asyncProperty(request, async ({ method, host, path, headers, body, time, ...who }) => {
      const url = new URL(`https://${host}/${path.join('/')}`)
      const signed = signHeaders(
        { method, url, headers, body },
        { ...who, dialect: AMAZON, now: () => time },
      )
      const digest = signed['x-amz-content-sha256'] ?? ''
      const signer = new AwsV4Signer({
        ...who,
        method,
        url: url.href,
        headers: { ...headers, 'x-amz-content-sha256': digest },
        body: body === null ? null : new Uint8Array(body),
        service: 's3',
        datetime: signed['x-amz-date'] ?? '',
        allHeaders: true,
      })
      const { headers: theirs } = await signer.sign()
      theirs.delete('host')
      expect(signed).toEqual(Object.fromEntries(theirs))
    }),
  )
})
