import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Authority, KeyPair } from '../../../../hack/control-planes/access/authority.ts';

/** Writes a pair and its authority as controller-runtime and functions read them, into a new folder. Returns its path. */
export async function writeTlsFolder(
  folder: string,
  authority: Authority,
  { certificate, key }: KeyPair,
): Promise<string> {
  await mkdir(folder);
  await writeFile(join(folder, 'ca.crt'), authority.certificate);
  await writeFile(join(folder, 'tls.crt'), certificate);
  await writeFile(join(folder, 'tls.key'), key, { mode: 0o600 });
  return folder;
}
