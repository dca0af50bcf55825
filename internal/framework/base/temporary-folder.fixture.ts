import { mkdtempSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach } from '@jest/globals';

const remove = (folder: string) => rm(folder, { recursive: true, force: true });

/** A folder for the tests of this file, or of this `describe`; it is removed after them. */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  afterAll(() => remove(folder));
  return folder;
}

/** A folder of its own for each test. The returned function says where it is. */
export function temporaryFolders(prefix: string): () => string {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), prefix));
  });
  afterEach(() => remove(folder));
  return () => folder;
}
