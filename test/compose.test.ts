import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { read } from './repository.ts'

interface Service {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly user: string
  readonly cap_drop: readonly string[]
  readonly security_opt: readonly string[]
  readonly ulimits: Readonly<Record<string, number>>
  readonly mem_limit: string
  readonly env_file?: readonly string[]
  readonly secrets?: readonly string[]
  readonly healthcheck?: object
  readonly ports?: readonly string[]
  readonly volumes: readonly string[]
}

const compose = parse(read('deploy/compose.yaml'), { merge: true })
const services = compose.services as Readonly<Record<string, Service>>
const image = read('deploy/Dockerfile')
const PINNED = /^[\w/-]+:v?\d+\.\d+\.\d+[\w-]*@sha256:[\da-f]{64}$/

describe.each(Object.entries(services))('%s in deploy/compose.yaml', (_, service) => {
  test('runs without root and without capabilities', () => {
    expect(service.user).toMatch(/^(?:[1-9]\d*|nobody)$/)
    expect(service.cap_drop).toEqual(['ALL'])
    expect(service.security_opt).toEqual(['no-new-privileges:true'])
    expect(service.ulimits).toEqual({ core: 0 })
    expect(service.mem_limit).toMatch(/^\dg$/)
  })

  test('has a fixed version and a health check', () => {
    if (service.build === undefined) {
      expect(service.image).toMatch(PINNED)
      expect(service.healthcheck).toBeDefined()
      return
    }
    const { context, dockerfile } = service.build
    expect(join('deploy', context, dockerfile)).toBe('deploy/Dockerfile')
    expect(image).toContain(`--uid ${service.user} `)
    expect(image).toMatch(/^HEALTHCHECK /m)
  })

  test('listens only on this machine', () => {
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
  })

  test('mounts only existing files and volumes', () => {
    for (const volume of service.volumes) {
      const [source = ''] = volume.split(':')
      if (source.startsWith('.')) expect(existsSync(join('deploy', source)), source).toBe(true)
      else expect(Object.keys(compose.volumes)).toContain(source)
    }
    for (const secret of service.secrets ?? [])
      expect(Object.keys(compose.secrets)).toContain(secret)
  })

  test('has no secret in compose.yaml', () => {
    for (const file of service.env_file ?? []) expect(dirname(file)).toBe('/etc/affine')
    expect(JSON.stringify(service)).not.toMatch(/password|_KEY/i)
  })
})

test('builds the image from a base with a fixed digest', () => {
  expect(/^ARG NODE=(.*)$/m.exec(image)?.[1]).toMatch(PINNED)
  expect(image.match(/^FROM .*$/gm)).toEqual(['FROM $NODE AS build', 'FROM $NODE'])
})

test('the unit, the image and compose.yaml forbid core dumps and have the same memory limit', () => {
  const unit = read('deploy/af-validate.service')
  const limit = services.validator?.mem_limit ?? ''
  expect(unit).toMatch(/^LimitCORE=0$/m)
  expect(unit).toContain(`\nMemoryMax=${limit.toUpperCase()}\n`)
  expect(image).toContain(` --ulimit core=0 --memory ${limit} `)
})
