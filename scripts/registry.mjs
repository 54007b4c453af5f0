// An npm registry in memory: npm can install packages that `npm publish` has sent to it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'

/** Adds a version to a package. Returns an HTTP status, 403 if the version exists. */
function publish(packages, files, { name, versions, _attachments, 'dist-tags': tags }) {
  const known = packages.get(name)
  const isThere = Object.keys(versions).some((version) => known?.versions[version] !== undefined)
  if (isThere) return 403
  packages.set(name, {
    name,
    versions: { ...known?.versions, ...versions },
    'dist-tags': { ...known?.['dist-tags'], ...tags },
  })
  for (const [file, { data }] of Object.entries(_attachments))
    files.set(`/${name}/-/${file}`, Buffer.from(data, 'base64'))
  return 201
}

/** Starts an empty registry. Resolves with its URL and a function that closes it. */
export async function openRegistry() {
  const [packages, files] = [new Map(), new Map()]
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url)
    if (request.method === 'PUT') {
      const status = publish(packages, files, await json(request))
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
      return
    }
    const manifest = packages.get(path.slice(1))
    const body = files.get(path) ?? (manifest && JSON.stringify(manifest))
    response.writeHead(body === undefined ? 404 : 200).end(body ?? '{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}
