import { execFileSync } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { type ContainerImage, imageBlob } from '../../../../hack/xpkg/images/image.ts';
import { writeTar } from '../../../../hack/xpkg/images/tar-archive.ts';

/**
 * A base image like distroless's, made of this machine's parts: the Node that runs the tests, at the path where
 * distroless has it, and the shared libraries that it needs. No shell, no `/etc/passwd`.
 */
export async function nodeBaseImage(): Promise<ContainerImage> {
  const node = await realpath(process.execPath);
  const libraries = [...execFileSync('ldd', [node], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)];
  const files = [
    { name: 'nodejs/bin/node', from: node },
    ...libraries.map(([, path = '']) => ({ name: path.slice(1), from: path })),
  ];
  const archive = await writeTar(
    await Promise.all(
      files.map(async ({ name, from }) => ({ name, bytes: await readFile(from), mode: 0o755 })),
    ),
  );
  // Stored, not compressed: nothing downloads it, and 100 MB would take seconds.
  const blob = imageBlob(gzipSync(archive, { level: 0 }));
  const diffId = imageBlob(archive).digest;
  return {
    config: {
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: {
        User: '0',
        Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
        Entrypoint: ['/nodejs/bin/node'],
        Labels: null,
      },
      rootfs: { type: 'layers', diff_ids: [diffId] },
      history: [{ created_by: 'a base image for tests' }],
    },
    layers: [{ blob, diffId }],
  };
}
