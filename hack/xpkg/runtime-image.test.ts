import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { PARTS } from '../bundle/bundle.ts';
import { archiveOf } from './images/image.ts';
import { amd64, sampleImage } from './images/sample-image.fixture.ts';
import { readTar } from './images/tar-archive.ts';
import { COMMANDS, ownProgram } from './own-program.ts';
import { type RuntimeProgram, runtimeImage } from './runtime-image.ts';

const BUNDLE_FOLDER = '/provider-kyma';
const BUNDLE_PATH = `${BUNDLE_FOLDER}/provider-kyma.mjs`;

let program: RuntimeProgram;
beforeAll(async () => {
  program = await ownProgram([
    { name: 'provider-kyma.mjs', bytes: Buffer.from('code') },
    { name: `${PARTS}/part.mjs`, bytes: Buffer.from('part') },
  ]);
});

test('the bundle is on the base image, and the entrypoint starts it without arguments', async () => {
  const base = await sampleImage(amd64);
  const { config, layers } = await runtimeImage(base, program);

  expect(config.config).toMatchObject({
    User: '2000:2000',
    Env: ['PATH=/nodejs/bin', 'MALLOC_ARENA_MAX=1', 'MALLOC_TRIM_THRESHOLD_=131072'],
    Entrypoint: ['/nodejs/bin/node', '--min-semi-space-size=4', '/provider-kyma/provider-kyma.mjs', 'start'],
  });
  // The base image's command does not become an argument.
  expect(config.config?.Cmd).toBeUndefined();
  expect(layers[0]).toEqual(base.layers[0]);
  const top = layers.at(-1);
  const files = await readTar(top === undefined ? new Uint8Array() : archiveOf(top));
  expect([...files]).toEqual([
    [BUNDLE_PATH.slice(1), Uint8Array.from(Buffer.from('code'))],
    ['provider-kyma/provider-kyma-parts/part.mjs', Uint8Array.from(Buffer.from('part'))],
    ['usr/local/bin/provider-kyma', expect.anything()],
    ['manager', expect.anything()],
  ]);
  expect(config.rootfs.diff_ids).toEqual(layers.map(({ diffId }) => diffId));
  expect(config.history).toHaveLength(2);
});

test('the history names each layer, also those of a base image without a history', async () => {
  const { config, layers } = await sampleImage(amd64);
  const { history: _, ...unknown } = config;
  const image = await runtimeImage({ config: unknown, layers }, program);

  // Engines refuse to build on an image whose history has fewer layers than the image.
  expect(image.config.history).toEqual([{}, { created_by: expect.stringContaining(BUNDLE_PATH) }]);
});

test('package/Dockerfile makes the same image of the same base', async () => {
  const dockerfile = await readFile(new URL('../../package/Dockerfile', import.meta.url), 'utf8');
  const { config } = await runtimeImage(await sampleImage(amd64), program);

  const instruction = (name: string) => new RegExp(`^${name} (.*)$`, 'm').exec(dockerfile)?.[1];
  expect(JSON.parse(instruction('ENTRYPOINT') ?? '')).toEqual(config.config?.Entrypoint);
  expect(instruction('USER')).toBe(config.config?.User);
  expect(instruction('WORKDIR')).toBe(config.config?.WorkingDir);
  const copied = [...dockerfile.matchAll(/^COPY (?:--chmod=0\d+ )?(.*)$/gm)].map(([, files]) => files);
  expect(copied).toEqual([
    `dist/provider-kyma.mjs ${BUNDLE_PATH}`,
    `dist/${PARTS} ${BUNDLE_FOLDER}/${PARTS}`,
    ...Object.entries(COMMANDS).map(([path, file]) => `package/commands/${file} /${path}`),
  ]);
  expect(['PATH=/nodejs/bin', ...(instruction('ENV') ?? '').split(' ')]).toEqual(config.config?.Env);
  const ports = instruction('EXPOSE')
    ?.split(' ')
    .map((port) => `${port}/tcp`);
  expect(ports).toEqual(Object.keys(config.config?.ExposedPorts ?? {}));
  expect(instruction('CMD')).toBeUndefined();
});
