import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Lines as `sha256sum` writes and checks them, sorted by name. */
export async function checksums(folder: string, names: readonly string[]): Promise<string> {
  const lines = await Promise.all(
    [...names].sort().map(async (name) => {
      const hash = createHash('sha256');
      await pipeline(createReadStream(join(folder, name)), hash);
      return `${hash.digest('hex')}  ${name}\n`;
    }),
  );
  return lines.join('');
}
