import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../internal/framework/base/temporary-folder.fixture.ts';
import { projectWarnings, readProject } from './read-project.ts';

const root = temporaryFolder('kit-read-');
const pages = await readFile(join(import.meta.dirname, '../testdata/pages/openapi.yaml'), 'utf8');

async function mistakes(lines: readonly string[]): Promise<string[]> {
  await writeFile(join(root, 'openapi.yaml'), pages);
  await writeFile(join(root, 'provider.yaml'), `${lines.join('\n')}\n`);
  return readProject(root).then(
    () => [],
    (error: Error) => error.message.split('\n'),
  );
}
const head = ['name: nimbus', 'group: nimbus.example.org', 'openapi: openapi.yaml', 'kinds:'];
const project = [
  '  Project:',
  '    create: { operation: CreateProject, result: data }',
  '    read: { operation: GetProject, result: data }',
  '    delete: DeleteProject',
];

test('mistakes of the file and of what it says of the document are listed all at once', async () => {
  expect(
    await mistakes([
      ...head,
      ...project,
      '    conection: {}',
      '    fields: { nam: { immutable: true } }',
      '  Cluster:',
      '    create: { operation: CreateCluster, later: { from: operation.id, read: GetOperation, state: status, succeeded: [succeeded], failed: [failed], result: resource } }',
      '    read: GetClustr',
      '    delete: DeleteCluster',
      '    fields:',
      '      network_id: { reference: Netwrk }',
      '      versoin: { immutable: true }',
      '  Network: { create: CreateNetwork, read: 7, delete: DeleteNetwork }',
    ]),
  ).toEqual([
    'provider.yaml:9:5: unknown key conection; did you mean connection?',
    'provider.yaml:10:15: unknown field of the request of create nam; did you mean name?',
    'provider.yaml:13:5: unknown operation GetClustr; did you mean GetCluster?',
    'provider.yaml:16:21: unknown kind Netwrk; did you mean Network?',
    'provider.yaml:17:7: the request of create: unknown field versoin; did you mean version?',
    'provider.yaml:18:37: must be a text that is not empty',
  ]);
});

test('mistakes outside of kinds do not hide theirs', async () => {
  const found = await mistakes([
    'grup: nimbus.example.org',
    'openapi: openapi.yaml',
    'api: { notFound: some }',
    'kinds:',
    ...project,
    '    status: [quotas]',
  ]);
  expect(found).toHaveLength(5);
  expect(found.at(-1)).toBe(
    'provider.yaml:9:5: the response of read: unknown field quotas; did you mean quota?',
  );
});

test('a document that does not say how requests are authorized is a warning, unless the file does', async () => {
  const { file, document } = await readProject(join(import.meta.dirname, '../testdata/pages'));
  const unknown = { ...document, authentication: undefined };
  expect(projectWarnings({ file, document })).toEqual([]);
  expect(projectWarnings({ file, document: unknown })).toEqual([
    expect.stringContaining('api.authentication'),
  ]);
  const stated = { ...file, api: { authentication: 'none' } } as const;
  expect(projectWarnings({ file: stated, document: unknown })).toEqual([]);
});
