/**
 * Two processes may open one folder: an old pod and its successor, replicas on one volume, a command beside the program. Each file of the
 * program that writes to the disk says why they leave each other whole, and which test shows it.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const MOTHERSHIP = 'internal/systems/reconciler/mothership';
const SOURCES = 'internal/systems/reconciler/components/charts/sources';

interface Folder {
  readonly why: string;
  /** That write there. */
  readonly files: readonly string[];
  readonly test: readonly [file: string, title: string];
}

const FOLDERS: readonly Folder[] = [
  {
    why: 'the folder is locked: the second process is refused',
    files: [`${MOTHERSHIP}/database/pglite.ts`],
    test: ['test/integration/reconciler/mothership/database.test.ts', 'another process has the folder'],
  },
  {
    why: 'a revision is fetched into a folder with a new name, and gets its own by one rename, which fails if another process was first',
    files: [
      ...['revision-cache', 'target-folder'].map((name) => `${SOURCES}/cache/${name}.ts`),
      `${SOURCES}/perform-unpack-job.ts`,
      `${SOURCES}/archive-source.ts`,
    ],
    test: [
      `${SOURCES}/workspaces.test.ts`,
      'processes that share a workspace fetch a revision at the same time',
    ],
  },
  {
    why: 'keys are written to a new file, which is linked or renamed when it is on the disk',
    files: [
      `${MOTHERSHIP}/encryption/key-file.ts`,
      'internal/systems/reconciler/commands/mothership/database-commands.ts',
    ],
    test: [
      `${MOTHERSHIP}/encryption/key-file.test.ts`,
      'a file is made once, complete, by many at the same moment',
    ],
  },
  {
    why: 'whole lines are appended, and a file that has grown is renamed to a name that no other process has',
    files: [`${MOTHERSHIP}/api/audit-log.ts`],
    test: [
      `${MOTHERSHIP}/api/audit-log.test.ts`,
      'that several processes replace at the same moment loses no line',
    ],
  },
];

const IMPORTS = /from 'node:fs(?:\/promises)?'/;
const WRITES =
  /\b(?:(?:mkdir|mkdtemp|writeFile|appendFile|rename|rm|unlink|link|symlink|utimes|cp|copyFile|truncate)(?:Sync)?|createWriteStream)\(|\bopen(?:Sync)?\([^;]*'(?:w|a|r\+)/;

test('each file that writes to the disk is one of a folder below', () => {
  const writing = globSync('internal/**/*.ts', { cwd: ROOT })
    .filter((file) => !/(\.test|\.fixture)\.ts$|\/fakes\//.test(file))
    .filter((file) => {
      const source = readFileSync(join(ROOT, file), 'utf8');
      return IMPORTS.test(source) && WRITES.test(source);
    });
  expect(writing.sort()).toEqual(FOLDERS.flatMap(({ files }) => files).sort());
});

describe.each(FOLDERS)('$why', ({ test: [file, title] }) => {
  test('has a test', () => {
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(title);
  });
});
