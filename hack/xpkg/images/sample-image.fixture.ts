import { type ContainerImage, createLayer, type Platform } from './image.ts';

/** A small image with one layer, as a build would leave it. Different `text`, different layer. */
export async function sampleImage(platform: Platform, text = 'node'): Promise<ContainerImage> {
  const layer = await createLayer([{ name: 'nodejs/bin/node', bytes: Buffer.from(text), mode: 0o755 }], {
    createdBy: 'a build',
  });
  return {
    config: {
      ...platform,
      created: '2026-01-01T00:00:00Z',
      config: {
        User: '65532',
        Env: ['PATH=/nodejs/bin'],
        Entrypoint: ['/nodejs/bin/node'],
        Cmd: ['--help'],
        Labels: { 'org.example.base': 'sample' },
      },
      rootfs: { type: 'layers', diff_ids: [layer.diffId] },
      history: [{ created_by: 'a build' }],
    },
    layers: [{ blob: layer.blob, diffId: layer.diffId }],
  };
}

export const amd64 = { architecture: 'amd64', os: 'linux' } as const;
export const arm64 = { architecture: 'arm64', os: 'linux', variant: 'v8' } as const;
