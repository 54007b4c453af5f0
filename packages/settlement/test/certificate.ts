import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

const der = (tag: number, ...parts: readonly (Buffer | string)[]): Buffer => {
  const content = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
  )
  const { length } = content
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const [SEQUENCE, SET, BITS, OCTETS] = [0x30, 0x31, 0x03, 0x04]
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))

/**
 * Returns a key and its self-signed certificate in PEM, for one name and 127.0.0.1, valid until
 * 2049.
 */
export function selfSigned(name: string): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const cert = certificate(name, publicKey, privateKey).toString('base64')
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: `-----BEGIN CERTIFICATE-----\n${cert.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

/** Returns an X.509 v3 certificate (RFC 5280) in DER. */
function certificate(name: string, publicKey: KeyObject, privateKey: KeyObject): Buffer {
  const ecdsaWithSha256 = der(SEQUENCE, oid('2a8648ce3d040302'))
  const who = der(SEQUENCE, der(SET, der(SEQUENCE, oid('550403'), der(0x0c, name))))
  const names = der(SEQUENCE, der(0x82, name), der(0x87, Buffer.from([127, 0, 0, 1])))
  const toSign = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    who,
    der(SEQUENCE, der(0x17, '200101000000Z'), der(0x17, '490101000000Z')),
    who,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, der(SEQUENCE, oid('551d11'), der(OCTETS, names)))),
  )
  return der(
    SEQUENCE,
    toSign,
    ecdsaWithSha256,
    der(BITS, Buffer.from([0]), sign('sha256', toSign, privateKey)),
  )
}
