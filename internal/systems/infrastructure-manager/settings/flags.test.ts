import { expect, test } from '@jest/globals';
import { configurationOf } from '../rendering/fixtures/rendering.fixture.ts';
import { checkFlags } from './flags.ts';

const flags = {
  structuredAuthEnabled: false,
  customConfigControllerEnabled: false,
  apiServerAclEnabled: false,
};
const linesOf = (more: Partial<typeof flags>) => {
  const lines: string[] = [];
  checkFlags({ ...flags, ...more }, configurationOf(), { info: (line) => void lines.push(line) });
  return lines;
};

test('[N1] flags of the year before are accepted, and each is reported once with its successor', () => {
  expect(linesOf({})).toEqual([]);
  expect(linesOf({ structuredAuthEnabled: true, customConfigControllerEnabled: true })).toEqual([
    '--structured-auth-enabled has no effect: users are always authenticated by a ConfigMap',
    '--custom-config-controller-enabled has no effect: its successor is --registry-cache-config-controller-enabled',
  ]);
});

test('[N3] access control lists need the name of their ConfigMap', () => {
  expect(() => linesOf({ apiServerAclEnabled: true })).toThrow(
    '--api-server-acl-enabled needs converter.kubernetes.kubeApiServer.acl.configMapName in the converter configuration',
  );
});
