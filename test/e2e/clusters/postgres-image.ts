import { execFileSync } from 'node:child_process';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type ContainerImage, createLayer } from '../../../hack/xpkg/images/image.ts';
import { findPostgres } from '../../environment/postgres/postgres-programs.ts';

/** Of the user in the image; the official one has it too. */
const USER = 'postgres:x:999:999::/:/bin/sh\n';
/** What a new database cluster needs of the modules. */
const MODULES = ['dict_snowball.so', 'plpgsql.so'];

/**
 * An image of this machine's Postgres as Debian installs it, with a shell, which `initdb` needs.
 *
 * @throws if there is no such Postgres
 */
export async function postgresImage(): Promise<ContainerImage> {
  const programs = await findPostgres();
  if (programs === undefined) throw new Error('there is no Postgres on the PATH: apt-get install postgresql');
  const postgres = await realpath(programs.postgres);
  const bin = dirname(postgres);
  const version = basename(dirname(bin));
  const share = join('/usr/share/postgresql', version);
  const modules = MODULES.map((name) => join(dirname(bin), 'lib', name));
  const executables = ['/bin/sh', postgres, join(bin, 'initdb')];
  const shared = await readdir(share, { recursive: true, withFileTypes: true });
  const files = [
    ...executables,
    ...librariesOf(executables),
    ...modules,
    '/usr/share/zoneinfo/UTC',
    ...shared.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name)),
  ];
  const members = await Promise.all(
    [...new Set(files)].map(async (path) => ({
      name: path.slice(1),
      bytes: await readFile(path),
      mode: 0o755,
    })),
  );
  const passwd = { name: 'etc/passwd', bytes: Buffer.from(USER) };
  const layer = await createLayer([passwd, ...members], { createdBy: 'the Postgres of this machine' });
  return {
    config: {
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: { User: '999:999', Env: ['PATH=/usr/bin:/bin'] },
      rootfs: { type: 'layers', diff_ids: [layer.diffId] },
      history: [{ created_by: layer.createdBy }],
    },
    layers: [{ blob: layer.blob, diffId: layer.diffId }],
  };
}

const librariesOf = (programs: readonly string[]): string[] =>
  [...execFileSync('ldd', [...programs], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)].map(
    ([, path = '']) => path,
  );
