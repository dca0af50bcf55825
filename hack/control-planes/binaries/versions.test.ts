import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ETCD_VERSION, KUBERNETES_VERSION } from './versions.ts';

const goMod = readFileSync(join(import.meta.dirname, 'build', 'go.mod'), 'utf8');

test('the Go build has the same versions as the download', () => {
  expect(goMod).toMatch(new RegExp(`k8s\\.io/kubernetes v${KUBERNETES_VERSION}\\b`));
  expect(goMod).toMatch(new RegExp(`go\\.etcd\\.io/etcd/server/v3 v${ETCD_VERSION}\\b`));
});

test('every part of Kubernetes is pinned at the matching version', () => {
  const replaced = [...goMod.matchAll(/^\s+(k8s\.io\/\S+) => (\S+) (\S+)$/gm)];

  expect(replaced.length).toBeGreaterThan(30);
  for (const [, module, target, version] of replaced) {
    expect(target).toBe(module);
    expect(version).toBe(`v${KUBERNETES_VERSION.replace(/^1\./, '0.')}`);
  }
});
