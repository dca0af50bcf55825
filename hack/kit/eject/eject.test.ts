import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readSource } from '../../codegen/source/read-source.ts';
import { readProviderFile } from '../format/read-provider-file.ts';
import { readProject } from '../generate/read-project.ts';
import { ejectKind } from './eject.ts';

const author = await readProject(join(import.meta.dirname, '../testdata/numbers'));

test('writes the source, the code, and its file into provider.yaml', async () => {
  const files = await ejectKind(author, 'Team');
  expect([...files.keys()]).toEqual([
    'apis/forge.example.org/v1alpha1/team.yaml',
    'kinds/team.ts',
    'provider.yaml',
  ]);
  const [source] = readSource(
    'apis/forge.example.org/v1alpha1/team.yaml',
    files.get('apis/forge.example.org/v1alpha1/team.yaml') ?? '',
  );
  expect(source?.managed && Object.keys(source.forProvider.properties ?? {})).toEqual([
    'org',
    'name',
    'permission',
    'units',
  ]);
  const { value, problems } = readProviderFile('provider.yaml', files.get('provider.yaml') ?? '');
  expect([problems, value?.kinds.Team?.code, value?.kinds.Hook?.code]).toEqual([
    [],
    'kinds/team.ts',
    undefined,
  ]);
  expect(files.get('kinds/team.ts')).toContain('create: "POST /orgs/{org}/teams"');
});

test.each([['Teams', 'unknown kind Teams; did you mean Team?']])('refuses %s', async (kind, message) => {
  await expect(ejectKind(author, kind)).rejects.toThrow(message);
});
